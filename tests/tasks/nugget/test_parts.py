"""Documents that are shared out among processes give what one process gives."""

import random
from pathlib import Path

import pytest

from adjudge.errors import AdjudgeError
from adjudge.tasks.nugget.task import score

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


def documents_of(path):
    text = Path(path).read_text()
    return [each + "#EndOfDocument\n" for each in text.split("#EndOfDocument\n")[:-1]]


@pytest.mark.parametrize(
    "change",
    [
        lambda own: own[:3] + own[5:],
        lambda own: [own[0].replace("d0", "first"), *own, own[0].replace("d0", "last")],
        lambda own: [own[19], *own[1:19], own[0]],  # in another order
        lambda own: [*own, own[0]],  # twice
        lambda own: [own[0].replace("d0", "more"), *own, own[0].replace("d0", "more")],
        lambda own: [*own[:3], own[3].replace("#EndOfDocument\n", ""), *own[4:]],
        lambda own: [*own[:3], "outside\n", *own[3:]],
        lambda own: [own[0].replace("\n", "\r\n"), *own[1:]],
        lambda own: [*own[:19], own[19].replace("word", "w\0rd")],
        lambda own: [*own[:19], own[19].replace("Actual", "Actual\n@After\tR9")],
    ],
)
@pytest.mark.parametrize("which", [0, 1])
def test_files_of_other_documents_or_with_something_to_be_said(files, change, which):
    Path(files[which]).write_bytes("".join(change(documents_of(files[which]))).encode())
    said = []
    for jobs in (1, 2):
        try:
            said.append(score(files[0], files[1:], bootstrap=0, jobs=jobs).to_json(with_tables=True))
        except AdjudgeError as error:
            said.append(str(error))
    assert said[0] == said[1]
