"""Columns of ordinary documents: what they say is what the reader of lines says, and nothing else is ordinary."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.formats.tbf import open_tbf
from adjudge.formats.tbf_columns import LONGEST, Table, as_lines, read_columns
from adjudge.model.nugget import Nugget, NuggetDocument, Relation

LINE = "s\td\tE1\t4,8\tword\tA\tX"
CLUSTER = "@Coreference\tR1\tE1,E2"


def lines(*texts: str) -> bytes:
    return "\n".join([*texts, ""]).encode()


def is_ordinary(*texts: str) -> bool:
    """Whether lines are ordinary, by themselves as well as between documents that are."""
    alone, between = read_columns([lines(*texts)]), read_columns([lines(LINE), lines(*texts), lines(CLUSTER, LINE)])
    (found,) = alone.ordinary.tolist()
    assert between.ordinary.tolist() == [True, found, True]
    if not found:
        assert not alone.document.size
        assert not alone.member.size
        assert between.begin.tolist() == [4, 4]
        assert between.home.tolist() == [2, 2]
    return bool(found)


def values_of(table: Table) -> list[tuple[Any, ...]]:
    """All lines: document, number of the id, place, type and realis."""
    value = [table.values[number] for number in table.value.tolist()]
    columns = (each.tolist() for each in (table.document, table.id, table.begin, table.end))
    return list(zip(*columns, value, strict=True))


def test_ordinary_documents() -> None:
    one = lines("#BeginOfDocument d", LINE, "s2\td\tE2\t13,016\tzwölf\tB\tY", CLUSTER, "@Coreference\t\tE3,E1")
    found = read_columns([one, b"", lines("t\td\tE2\t0,1\t\t\t é\t0.5\t\tmore"), lines(LINE)])
    assert found.ordinary.tolist() == [True, False, True, True]
    assert values_of(found) == [
        (0, 0, 4, 8, ("A", "X")),
        (0, 1, 13, 16, ("B", "Y")),
        (2, 1, 0, 1, ("", " é")),
        (3, 0, 4, 8, ("A", "X")),
    ]
    assert found.member.tolist() == [0, 1, -1, 0]
    assert found.home.tolist() == [0] * 4
    assert [number - found.cluster[0] for number in found.cluster] == [0, 0, 1, 1]
    assert found.begins == [("s", False), ("", False), ("t", True), ("s", False)]


@pytest.mark.parametrize(
    "texts",
    [
        [LINE, ""],
        ["", LINE],
        [LINE, "# a remark ", "#", "#\tx"],
        [LINE + "\t0.9"],
        [LINE + "\r", "\r", CLUSTER + "\r"],
        [LINE, CLUSTER, LINE],
        [LINE.replace("E1", "E" * (LONGEST - 1))],
        [LINE.replace("4,8", "1,123456789012345")],
        [LINE.replace("word", "x" * 10 * LONGEST)],
    ],
)
def test_ordinary_lines(texts: list[str]) -> None:
    assert is_ordinary(*texts)


@pytest.mark.parametrize(
    "texts",
    [
        [],
        [CLUSTER],
        ["#" + LINE],
        [LINE.rpartition("\t")[0], LINE + "\tmore"],
        [LINE + " "],
        [LINE + "\t"],
        [LINE + "\r\r"],
        [LINE, "  "],
        [" " + LINE],
        [LINE[1:]],
        ["@" + LINE],
        [LINE[:-1]],
        [LINE, LINE.rpartition("\t")[0]],
        [LINE, "@After\tL1\tE1,E2"],
        [LINE, "@ Coreference\tR1\tE1,E2"],
        [LINE, "@CoreferencE\tR1\tE1,E2"],
        [LINE, "@Coreference\tR1"],
        [LINE, "@Coreferences\tR1\tE1"],
        [LINE, CLUSTER + " "],
        [LINE, "@Coreference\tR1\t"],
        [LINE, CLUSTER + "\tmore"],
        [LINE, "@"],
        [LINE.replace("E1", "E" * LONGEST)],
        [LINE.replace("A\tX", "A\t" + "X" * LONGEST)],
        [LINE.replace("word", "a\0b")],
        *(
            [LINE.replace("4,8", place)]
            for place in ("t4", "4", "4,", ",8", "4,8;9,12", "4,8,9", "4, 8", "-4,8", "٤,8", "")
        ),
        [LINE.replace("4,8", "4,"), LINE.replace("4,8", "8,9,3")],
        [LINE.replace("4,8", "1,1234567890123456")],
        [LINE.replace("4,8", "1234567890123456,1")],
    ],
)
def test_whatever_else_there_is_is_left_to_the_reader_of_lines(texts: list[str]) -> None:
    assert not is_ordinary(*texts)


def test_what_is_not_whole_lines_of_utf_8_is_not_ordinary() -> None:
    found = read_columns([lines(LINE), b"\xff" + lines(LINE), lines(LINE, LINE)[:-1], lines(LINE, LINE)])
    assert found.ordinary.tolist() == [True, False, False, True]
    assert found.document.tolist() == [0, 3, 3]
    assert not read_columns([]).ordinary.size
    assert read_columns([b"", b""]).ordinary.tolist() == [False, False]


def test_a_file_gives_the_lines_of_its_documents() -> None:
    data = f"#BeginOfDocument d\n{LINE}\n#EndOfDocument\n".encode()
    assert open_tbf(data, mode="token").texts(["d"]) == [b""]
    assert open_tbf(data, mode="char").texts(["e", "d"]) == [b"", f"#BeginOfDocument d\n{LINE}\n".encode()]


fields = st.sampled_from(["a", "b", "", " ", "é", "\\", "@", "#", "\r", "4,8", "12,15"])
place = st.sampled_from(["4,8", "12,15", "0,1", "3,4;5,6", "x", "7"])
mention = st.tuples(fields, fields, fields, place, fields, fields, fields).map("\t".join)
ordinary = st.builds("s\td\t{}\t{}\tw\tA\tX".format, st.sampled_from(["E1", "E2"]), st.sampled_from(["4,8", "12,15"]))
relation = st.sampled_from(
    [CLUSTER, "@Coreference\tR2\tE1", "@After\tL\tE1,E2", "@Coreference\tR3", "@", "", "# x", "\r"]
)
document = st.lists(st.one_of(ordinary, ordinary, ordinary, mention, relation), max_size=5)


def assert_says(table: Table, number: int, expected: NuggetDocument) -> None:
    """The columns of one document say what the document says."""
    own = [each for each in values_of(table) if each[0] == number]
    assert [(begin, end) for _, _, begin, end, _ in own] == [each.pieces[0] for each in expected.nuggets]
    assert all(len(each.pieces) == 1 for each in expected.nuggets)
    assert [value for *_, value in own] == [(each.type, each.realis) for each in expected.nuggets]
    names = {id: nugget.id for (_, id, *_), nugget in zip(own, expected.nuggets, strict=True)}
    assert [names[id] for _, id, *_ in own] == [each.id for each in expected.nuggets]
    clusters: dict[int, list[str]] = {}
    for member, cluster, home in zip(table.member.tolist(), table.cluster.tolist(), table.home.tolist(), strict=True):
        if home == number:
            clusters.setdefault(cluster, []).append(names.get(member, "?"))
    known = set(names.values())
    assert list(clusters.values()) == [[each if each in known else "?" for each in own] for own in expected.clusters()]
    assert len(expected.relations) == len(clusters)


@given(st.lists(document, min_size=1, max_size=3))
@settings(max_examples=300, deadline=None)
def test_columns_say_what_the_lines_say(documents: list[list[str]]) -> None:
    headed = [[f"#BeginOfDocument d{number}", *own, "#EndOfDocument"] for number, own in enumerate(documents)]
    file = open_tbf(lines(*(line for own in headed for line in own)), mode="char")
    table = read_columns(file.texts(file.ids))
    for number, id in enumerate(file.ids):
        expected = file.read(id)
        if table.ordinary[number]:
            assert not file.problems(id)
            assert_says(table, number, expected)
            first = expected.nuggets[0]
            assert table.begins[number] == (first.system, bool(first.confidence))
        else:
            again = read_columns([as_lines(expected)])
            if again.ordinary[0]:
                assert_says(again, 0, expected)


words = st.sampled_from(["E1", "E2", "", " ", "é", "a\tb", "a\nb", "E1,E2", "\0", "\ud800", "x" * LONGEST])
nuggets = st.builds(
    Nugget, words, words, words, st.just("w"), pieces=st.sampled_from([((1, 2),), ((1, 2),), (), ((-1, 2),)])
)
relations = st.builds(
    Relation, st.sampled_from(["Coreference", "Coreference", "After"]), words, st.lists(words, max_size=2).map(tuple)
)


@given(st.lists(nuggets, max_size=3), st.lists(relations, max_size=2))
@settings(max_examples=300, deadline=None)
def test_what_a_document_says_in_lines_is_what_it_says(nuggets: list[Nugget], relations: list[Relation]) -> None:
    given = NuggetDocument("d", nuggets, relations)
    table = read_columns([as_lines(given)])
    if table.ordinary[0]:
        assert_says(table, 0, given)


def test_documents_in_memory_are_ordinary_whatever_their_system_is_called() -> None:
    given = NuggetDocument("d", [Nugget("E1", "A", "X ", "w", pieces=((1, 2),), system="#")])
    assert values_of(read_columns([as_lines(given)])) == [(0, 0, 1, 2, ("A", "X "))]
