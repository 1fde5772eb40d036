"""brat standoff: reading with every kind of line, writing, and what is wrong with a file."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import FormatError, UsageError, ValidationError
from adjudge.formats.brat import read_brat, write_brat
from adjudge.formats.standoff import closed, code_points, natural
from adjudge.model.nugget import COREFERENCE, Nugget, NuggetDocument, Relation

TEXT = "They shot\nhim down, he died. The shooting was a death."
ANN = """\
T1\tConflict_Attack 5 9;14 18\tshot down
T10\tLife_Die 23 27\tdied
T2\tConflict_Attack 33 41\tshooting
T3\tLife_Die 48 53\tdeath
E10\tLife_Die:T10 Victim:T4
E2\tConflict_Attack:T2
E1\tConflict_Attack:T1
E3\tLife_Die:T3
A1\tRealis E1 Actual
M2\tRealis E10 Generic
A3\tNegation E2
R1\tCoreference Arg1:E1 Arg2:E2
R2\tAfter Arg2:E10 Arg1:E1
T4\tPerson 10 13\thim
N1\tReference T4 Wikipedia:534366\thim
#1\tAnnotatorNotes E1\tis this one right?
*\tEquiv T10 E3
"""


def read(ann: str, **options: str | None) -> tuple[NuggetDocument, list[str]]:
    document, notes = read_brat(ann.encode(), **{"document": "a", "name": "a.ann"} | options)  # type: ignore[arg-type]
    return document, [str(note) for note in notes]


def problems(ann: str, **options: str | None) -> list[str]:
    with pytest.raises(FormatError) as raised:
        read(ann, **options)
    return [str(problem) for problem in raised.value.problems]


def test_offsets_in_utf_16_units() -> None:
    text = "\U0001f600 he \U0001f600 died"
    lines = "T1\tLife_Die 9 13\tdied\nE1\tLife_Die:T1\n"
    document, notes = read(lines, text=text, units="utf-16")
    assert (document.nuggets[0].pieces, notes) == (((7, 11),), [])
    longer = text + " then"
    document, notes = read(lines, text=longer)
    assert document.nuggets[0].pieces == ((9, 13),)
    assert notes == [
        "a.ann:1: 1 trigger whose text differs from that at the offsets, the offsets are used",
        "a.ann:1: the offsets look like UTF-16 units: give --offsets utf-16",
    ]
    assert problems("T1\tLife_Die 1 3\tx\n", text=text, units="utf-16") == [
        "a.ann:1:13: the piece 1 3 begins or ends inside a character, check that the offsets are UTF-16 units"
    ]
    with pytest.raises(UsageError, match="without the text"):
        read(lines, units="utf-16")


def test_writing() -> None:
    document, _ = read(ANN, text=TEXT)
    assert (
        write_brat(document)
        == """\
T1\tConflict_Attack 5 9;14 18\tshot down
E1\tConflict_Attack:T1
A1\tRealis E1 Actual
T2\tConflict_Attack 33 41\tshooting
E2\tConflict_Attack:T2
T3\tLife_Die 48 53\tdeath
E3\tLife_Die:T3
T4\tLife_Die 23 27\tdied
E10\tLife_Die:T4
A2\tRealis E10 Generic
R1\tCoreference Arg1:E1 Arg2:E2
R3\tCoreference Arg1:E10 Arg2:E3
R2\tAfter Arg1:E1 Arg2:E10
"""
    )


def test_what_cannot_be_written() -> None:
    good = Nugget("E1", "X", "Actual", "x", pieces=((0, 1),))
    nuggets = [
        good,
        good._replace(line=5),
        good._replace(id="m1"),
        good._replace(id="E2", pieces=(), tokens=("t1",)),
        good._replace(id="E3", type="a b", realis="c:d"),
    ]
    relations = [
        Relation(COREFERENCE, "C0", ("E1", "E9")),
        Relation("After", "x", ("E1", "E2")),
        Relation("After", "R1", ("E1", "E1")),
        Relation(COREFERENCE, "C1", ("E1", "E2")),
        Relation(COREFERENCE, "C2", ("E2", "E3")),
    ]
    with pytest.raises(ValidationError) as raised:
        write_brat(NuggetDocument("a", nuggets, relations), path="s.tbf")
    assert len(raised.value.problems) == 9
    assert str(raised.value.problems[0]).startswith("s.tbf:5: 'E1' is not an event id, or occurs twice")


@given(st.lists(st.sampled_from(["E1", "E01", "E10", "E9", "F2", "E", "", "E" + "9" * 5000])))
def test_natural_order_is_total(ids: list[str]) -> None:
    other = ids[::-1]
    assert sorted(ids, key=natural) == sorted(other, key=natural)


@given(st.lists(st.lists(st.integers(0, 9), min_size=2, max_size=4), max_size=8), st.permutations(range(10)))
def test_closure_as_defined(links: list[list[int]], members: list[int]) -> None:
    groups = [{member} for member in range(10)]
    for link in links:
        touched = [group for group in groups if group & set(link)]
        groups = [group for group in groups if group not in touched] + [set().union(*touched)]
    expected = sorted(
        (sorted(group, key=members.index) for group in groups if len(group) > 1), key=lambda g: members.index(g[0])
    )
    assert [list(group) for group in closed(links, members)] == expected


@given(st.text(alphabet="a\U0001f600é", max_size=8))
def test_utf_16_as_encoded(text: str) -> None:
    offsets = code_points(text)
    if offsets is not None:
        for place in range(len(text) + 1):
            assert offsets[len(text[:place].encode("utf-16-le")) // 2] == place
        assert len(offsets) == len(text.encode("utf-16-le")) // 2 + 1


def test_official_samples(conformance: Path) -> None:
    folder = conformance / "conformance" / "nugget" / "data"
    samples = {
        "scoring_demo/token_based/ann/example1.tkn.ann": 1,
        "scoring_demo/token_based/ann/example2.tkn.ann": 2,
        "test_cases/conll_tests/ann/doc1.ann": 4,
    }
    for name, number in samples.items():
        document, notes = read_brat(folder / name, document="x")
        assert (len(document.nuggets), notes) == (number, [])
    assert document.clusters() == [("E1", "E2"), ("E3", "E4")]
