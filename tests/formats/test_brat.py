"""brat standoff: reading with every kind of line, writing, and what is wrong with a file."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import AdjudgeError, FormatError, UsageError, ValidationError
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


def test_every_kind_of_line() -> None:
    document, notes = read(ANN, text=TEXT)
    assert document.nuggets == [
        Nugget("E1", "Conflict_Attack", "Actual", "shot down", pieces=((5, 9), (14, 18)), line=7),
        Nugget("E2", "Conflict_Attack", "NOT_ANNOTATED", "shooting", pieces=((33, 41),), line=6),
        Nugget("E3", "Life_Die", "NOT_ANNOTATED", "death", pieces=((48, 53),), line=8),
        Nugget("E10", "Life_Die", "Generic", "died", pieces=((23, 27),), line=5),
    ]
    assert document.relations == [
        Relation(COREFERENCE, "C0", ("E1", "E2")),
        Relation(COREFERENCE, "C1", ("E3", "E10")),
        Relation("After", "R2", ("E1", "E10"), 13),
    ]
    assert document.text == TEXT
    assert notes == [
        "a.ann:16: 1 note (#) not kept",
        "a.ann:15: 1 normalization (N) not kept",
        "a.ann:14: 1 text-bound annotation that triggers no event not kept",
        "a.ann:5: 1 argument of events not kept",
        "a.ann:11: 1 attribute other than the Realis of an event not kept",
    ]


def test_order_of_the_file() -> None:
    assert [nugget.id for nugget in read(ANN, order="file")[0].nuggets] == ["E10", "E2", "E1", "E3"]


def test_crlf_byte_order_mark_and_blank_lines() -> None:
    document, notes = read("\ufeff" + ANN.replace("\n", "\r\n\r\n"), text=TEXT)
    assert [nugget.text for nugget in document.nuggets] == ["shot down", "shooting", "death", "died"]
    assert len(notes) == 5


def test_coreference_is_closed() -> None:
    triggers = "".join(f"T{n}\tX {n} {n + 1}\tx\nE{n}\tX:T{n}\n" for n in range(1, 6))
    links = "R1\tCoreference Arg1:E5 Arg2:E3\nR2\tCoreference Arg1:E1 Arg2:E3\nR3\tCoreference Arg1:E2 Arg2:E4\n"
    document, _ = read(triggers + links + "R4\tCoreference Arg1:E1 Arg2:E5\n")
    assert document.clusters() == [("E1", "E3", "E5"), ("E2", "E4")]


def test_relations_with_what_is_no_event() -> None:
    lines = "T1\tX 0 1\tx\nE1\tX:T1\nT2\tX 0 1\tx\nR1\tCoreference Arg1:E1 Arg2:T2\nR2\tAfter Arg1:E1 Arg2:T1\n"
    document, notes = read(lines)
    assert document.relations == []
    assert notes[1:] == [
        "a.ann:4: 1 relation with something that is no event left out",
        "a.ann:5: 1 relation of an event with itself left out",
    ]


def test_a_trigger_of_two_events_is_no_event() -> None:
    lines = "T1\tX 0 1\tx\nE1\tX:T1\nE2\tY:T1\nA1\tRealis T1 Actual\nA2\tRealis E2 Maybe\n"
    document, notes = read(lines)
    assert [(n.id, n.type, n.realis, n.pieces) for n in document.nuggets] == [
        ("E1", "X", "NOT_ANNOTATED", ((0, 1),)),
        ("E2", "Y", "Maybe", ((0, 1),)),
    ]
    assert notes == [
        "a.ann:4: 1 attribute other than the Realis of an event not kept",
        "a.ann:3: 1 trigger of another type than the event, whose type is taken",
        "a.ann:5: 1 realis value that nobody knows, kept as written",
    ]


def test_offsets_in_utf_16_units() -> None:
    text = "\U0001f600 he \U0001f600 died"
    lines = "T1\tLife_Die 9 13\tdied\nE1\tLife_Die:T1\n"
    document, notes = read(lines, text=text, units="utf-16")
    assert (document.nuggets[0].pieces, notes) == (((7, 11),), [])
    longer = text + " then"
    document, notes = read(lines, text=longer)
    assert document.nuggets[0].pieces == ((9, 13),)
    assert notes == [
        "a.ann:1: 1 trigger whose text is not the text at that place, the offsets are taken",
        "a.ann:1: the offsets look like UTF-16 units: say so with --offsets utf-16",
    ]
    assert problems("T1\tLife_Die 1 3\tx\n", text=text, units="utf-16") == [
        "a.ann:1:13: the piece 1 3 begins or ends inside a character, check that the offsets are UTF-16 units"
    ]
    with pytest.raises(UsageError, match="without the text"):
        read(lines, units="utf-16")


def test_all_problems_at_once() -> None:
    text = """\
T1\tX 0 4;6\tx
T2\tX 4 2\tx
T3\tX 0 99\tx
T3 \tX 0 1\tx
E1\tX:T9
E1\tX:T3
E2\tX
A1\tRealis
A2\tRealis E1
R1\tCoreference Arg1:E1
*\tEquiv E1
Q1\twhat is this
T5
A4\tRealis E1 Actual
A5\tRealis E1 Other
"""
    assert problems(text, text="x" * 20) == [
        "a.ann:1:10: '6' is no place in a text, write the first character and the one behind the last: 10 14;19 23",
        "a.ann:2:6: the piece 4 2 is empty, its end is the character behind the last",
        "a.ann:3:6: the piece 0 99 ends behind the text of 20 characters, "
        "check that the text is the one that was annotated",
        "a.ann:4:1: T3 is there twice (line 3), number one of them anew",
        "a.ann:6:1: E1 is there twice (line 5), number one of them anew",
        "a.ann:7:4: the event E2 has no type and trigger, write for example Life_Die:T1",
        "a.ann:8:4: the attribute A1 belongs to nothing, write for example Realis E1 Actual",
        "a.ann:9:4: the realis A2 has no value or several, write for example Realis E1 Actual",
        "a.ann:10:4: the relation R1 has not two arguments, write for example Coreference Arg1:E1 Arg2:E2",
        "a.ann:11:3: an equivalence needs two annotations, write for example Equiv T1 T2",
        "a.ann:12:1: 'Q1\\twhat is this' is no annotation of brat, ids begin with T, E, A, M, R, N, * or #",
        "a.ann:13:1: 'T5' has one column, separate the id from the rest by a TAB",
        "a.ann:15:1: the realis of E1 is Other here and Actual in line 14, keep one of them",
    ]
    assert problems("E1\tX:T9\n") == [
        "a.ann:1:6: the event E1 has the trigger 'T9', which is not in the file, add its line"
    ]
    with pytest.raises(FormatError, match=r"a\.ann:2:2: the byte 0xff is not UTF-8"):
        read_brat("T1\tX 0 1\té\n".encode() + b"x\xff", document="a", name="a.ann")


def test_a_long_line_is_no_trouble() -> None:
    assert len(problems("x" * 5_000_000)[0]) < 200
    assert problems(f"T1\tX 0 {'9' * 5000}\tx\n")[0].startswith("a.ann:1:6: '0 9999")


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
    assert str(raised.value.problems[0]).startswith("s.tbf:5: 'E1' is no id of an event, or there twice")


@given(st.text(alphabet="TEAMR*N#1 2;:\t\nX", max_size=80), st.one_of(st.none(), st.text(max_size=5)))
def test_anything_is_read_or_refused(text: str, content: str | None) -> None:
    try:
        document, _ = read(text, text=content)
    except AdjudgeError:
        return
    assert all(nugget.pieces for nugget in document.nuggets)


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
