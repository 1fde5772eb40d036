"""Documents that are shared out among processes give what one process gives."""

import gzip
import pickle
import random
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest

from adjudge.engine import local
from adjudge.errors import AdjudgeError, FormatError
from adjudge.formats.tbf import cut_files
from adjudge.tasks.nugget import parts
from adjudge.tasks.nugget.diagnostics import Diagnostics
from adjudge.tasks.nugget.parts import Part
from adjudge.tasks.nugget.reading import Reader, observe_all
from adjudge.tasks.nugget.scoring import score
from adjudge.tasks.nugget.settings import settings
from adjudge.tasks.nugget.sides import open_side

TYPES = ("Life_Die", "Conflict_Attack", "Contact_Meet")


def file(path, seed, *, documents=20, columns="sys"):
    rng = random.Random(seed)
    lines = []
    for number in range(documents):
        lines.append(f"#BeginOfDocument d{number}")
        for k in range(6):
            begin = 10 * k + rng.choice((0, 0, 2))
            what = f"word\t{rng.choice(TYPES)}\t{rng.choice(('Actual', 'Other'))}"
            lines.append(f"{columns}\td{number}\tE{k}\t{begin},{10 * k + 5}\t{what}")
            if rng.random() < 0.2:  # annotated twice
                lines.append(f"{columns}\td{number}\tF{k}\t{begin},{10 * k + 5}\t{what}")
        if number % 3:
            lines.append("@Coreference\tR1\tE0,E2,E4")
        if number % 4 == 0:
            lines.append("@After\tR2\tE0,E1")
        lines.append("#EndOfDocument")
    path.write_text("\n".join([*lines, ""]))
    return str(path)


@pytest.fixture
def files(tmp_path):
    return [file(tmp_path / f"{name}.tbf", seed) for seed, name in enumerate(("gold", "one", "two"))]


@pytest.mark.parametrize(
    "options", [{"bootstrap": 50, "by": ("type", "realis")}, {"bootstrap": 0}, {"bootstrap": 0, "docs": ["d3", "d9"]}]
)
@pytest.mark.parametrize("systems", [1, 2])
def test_the_same_result(files, options, systems):
    one, two = (score(files[0], files[1 : 1 + systems], jobs=jobs, **options) for jobs in (1, 2))
    assert one.to_json(with_tables=True) == two.to_json(with_tables=True)
    assert two.systems[0].notes or "docs" in options


def packed(files):
    for name in files:
        Path(name).write_bytes(gzip.compress(Path(name).read_bytes()))
    return files


def test_packed_files(files):
    gold, *systems = packed(files)
    one, two = (observe_all(gold, systems, settings(), jobs=jobs) for jobs in (1, 2))
    assert one == two
    assert one.mode == "char"


@pytest.mark.parametrize("change", [list, packed])
@pytest.mark.parametrize("copies", [True, False])
def test_workers_that_are_copies_and_workers_that_are_not(files, copies, change):
    gold, *systems = change(files)
    said = []
    for jobs in "12":
        arguments = ["nugget", "score", "-g", gold, *(word for name in systems for word in ("-s", name)), "--quiet"]
        program = "from adjudge.engine import local; from adjudge.cli import main; "
        program += f"local._can_copy = (lambda own: lambda: own() and {copies})(local._can_copy); main()"
        command = [sys.executable, "-c", program, *arguments, "--format", "json", "--bootstrap", "0", "--jobs", jobs]
        said.append(subprocess.run(command, capture_output=True, check=True).stdout)
    assert said[0] == said[1]


def by_ranges(files, jobs=2):
    """The counts of parts of files, counted here, or None; and those of whole files, or None if they are refused."""
    gold, *systems = files
    named = [(f"s{number}", system) for number, system in enumerate(systems)]
    reader = Reader(gold, settings(), None, None, "char", ".tab", ())

    def run(observe, pairs, **_):
        return ((id, observe(one, other)) for id, one, other in pairs)

    with patch.object(local, "map_documents", run):
        found = parts._by_ranges(reader, named, jobs)
    try:
        return found, reader.read(named)
    except AdjudgeError:
        return found, None


def test_parts_of_files(files):
    for jobs in (2, 3, 5):
        found, expected = by_ranges(files, jobs)
        assert found == expected is not None
    with patch.object(parts, "_by_ranges", side_effect=AssertionError), pytest.raises(AssertionError):
        observe_all(files[0], files[1], settings(), mode="char", jobs=2)
    one, two = (observe_all(files[0], files[1:], settings(), mode="char", jobs=jobs) for jobs in (1, 2))
    assert one == two


def documents_of(path):
    text = Path(path).read_text()
    return [each + "#EndOfDocument\n" for each in text.split("#EndOfDocument\n")[:-1]]


@pytest.mark.parametrize(
    "change",
    [
        lambda own: own[:3] + own[5:],
        lambda own: [*own, own[0].replace("d0", "more")],
        lambda own: [own[0].replace("d0", "more"), *own],
        lambda own: [own[0].replace("d0", "first"), *own, own[0].replace("d0", "last")],
    ],
)
@pytest.mark.parametrize("which", [1, 2])
def test_parts_of_files_with_other_documents(files, change, which):
    Path(files[which]).write_text("".join(change(documents_of(files[which]))))
    found, expected = by_ranges(files)
    assert found == expected is not None


@pytest.mark.parametrize(
    "change",
    [
        lambda own: [own[19], *own[1:19], own[0]],  # in another order
        lambda own: [*own, own[0]],  # twice
        lambda own: [*own, own[0].replace("d0", "more"), own[0].replace("d0", "more")],
        lambda own: [own[0].replace("d0", "more"), *own, own[0].replace("d0", "more")],
        lambda own: [*own[:3], own[3].replace("#EndOfDocument\n", ""), *own[4:]],
        lambda own: [*own[:3], "outside\n", *own[3:]],
        lambda own: [own[0].replace("\n", "\r\n"), *own[1:]],
        lambda own: [*own[:19], own[19].replace("word", "w\0rd")],
        lambda own: [*own[:19], own[19].replace("Actual", "Actual\n@After\tR9")],
    ],
)
@pytest.mark.parametrize("which", [0, 1])
def test_files_about_which_something_is_to_be_said_are_not_read_in_parts(files, change, which):
    Path(files[which]).write_bytes("".join(change(documents_of(files[which]))).encode())
    assert by_ranges(files)[0] is None
    said = []
    for jobs in (1, 2):
        try:
            said.append(observe_all(files[0], files[1:], settings(), mode="char", jobs=jobs))
        except AdjudgeError as error:
            said.append(str(error))
    assert said[0] == said[1]


def test_documents_in_another_order_are_noticed_before_they_are_compared(files):
    own = documents_of(files[1])
    Path(files[1]).write_text("".join([own[19], *own[1:19], own[0]]))
    with patch.object(Reader, "read", side_effect=AssertionError), pytest.raises(AssertionError):
        by_ranges([files[0], files[2]])
    gold, system = files[:2]
    part = parts.RangePart(Reader(gold, settings(), None, None, "char", ".tab", ()), (("s", system),))
    with patch.object(Reader, "read", side_effect=AssertionError):
        assert [part.observe(ranges, None) for ranges in cut_files([gold, system], 2)] == [None, None]


def test_a_worker_that_cannot_open_a_file_leaves_it_to_others(files):
    gold, system = map(open_side, files[:2])
    part = Part(Reader(gold, settings(), None, None, None, ".tab", ()), [("s", system)])
    assert part.observe(["d1"], None).ids == ["d1"]
    travelled = pickle.loads(pickle.dumps(part))
    Path(files[1]).unlink()
    assert travelled.observe(["d1"], None) is None


def test_what_is_wrong_is_said_as_with_one_process(files):
    with Path(files[1]).open("a") as stream:
        stream.write("#BeginOfDocument d20\nsys\td20\tE1\tx,y\tword\tLife_Die\tActual\n#EndOfDocument\n")
    with Path(files[0]).open("a") as stream:
        stream.write("#BeginOfDocument d20\n#EndOfDocument\n")
    said = []
    for jobs in (1, 2):
        with pytest.raises(FormatError) as failed:
            score(files[0], files[1], bootstrap=0, jobs=jobs)
        said.append(str(failed.value))
    assert said[0] == said[1]


def test_diagnostics_of_later_documents():
    one = Diagnostics(
        missing=["a"], documents=2, values={("gold", "type"): {"A"}}, confident={"gold": False}, extra=["x"]
    )
    two = Diagnostics(
        missing=["b"], documents=3, values={("gold", "type"): {"B"}}, confident={"gold": True}, extra=["x"]
    )
    two.matched["span"] = [1.0]
    one.extend(two)
    assert (one.missing, one.documents, one.extra) == (["a", "b"], 5, ["x"])
    assert one.values == {("gold", "type"): {"A", "B"}}
    assert one.confident == {"gold": True}
    assert one.matched == {"span": [1.0]}
