"""Documents that are shared out among processes give what one process gives."""

import random
from pathlib import Path

import pytest

from adjudge.errors import FormatError
from adjudge.tasks.nugget.facts import Facts
from adjudge.tasks.nugget.scoring import score

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


def test_facts_of_later_documents():
    one = Facts(missing=["a"], documents=2, values={("gold", "type"): {"A"}}, confident={"gold": False}, extra=["x"])
    two = Facts(missing=["b"], documents=3, values={("gold", "type"): {"B"}}, confident={"gold": True}, extra=["x"])
    two.matched["span"] = [1.0]
    one.extend(two)
    assert (one.missing, one.documents, one.extra) == (["a", "b"], 5, ["x"])
    assert one.values == {("gold", "type"): {"A", "B"}}
    assert one.confident == {"gold": True}
    assert one.matched == {"span": [1.0]}
