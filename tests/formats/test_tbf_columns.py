"""Columns of ordinary documents: what they say is what the reader of lines says, and nothing else is ordinary."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.formats.tbf import open_tbf
from adjudge.formats.tbf_columns import Table, read_columns

LINE = "s\td\tE1\t4,8\tword\tA\tX"
CLUSTER = "@Coreference\tR1\tE1,E2"


def read(*lines: str) -> Table | None:
    return read_columns("\n".join(["#BeginOfDocument d", *lines, ""]).encode())


def test_an_ordinary_document() -> None:
    found = read(LINE, "s2\td\tE2\t13,016\tzwölf\tB\tY", CLUSTER, "@Coreference\t\tE3,E1")
    assert found == Table(["E1", "E2"], ["A", "B"], ["X", "Y"], "4,8;13,016", [["E1", "E2"], ["E3", "E1"]], "s", False)


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [CLUSTER],
        [LINE, ""],
        ["", LINE],
        [LINE, "# a remark"],
        [LINE + "\t0.9"],
        [LINE.rpartition("\t")[0], LINE + "\tmore"],
        [LINE + " "],
        [LINE + "\r"],
        [" " + LINE],
        [LINE[1:]],
        ["#" + LINE],
        ["@" + LINE],
        [LINE[:-1]],
        [LINE, CLUSTER, LINE],
        [LINE, "@After\tL1\tE1,E2"],
        [LINE, "@ Coreference\tR1\tE1,E2"],
        [LINE, CLUSTER + " "],
        [LINE, "@Coreference\tR1\t"],
        [LINE, CLUSTER + "\tmore"],
        *(
            [LINE.replace("4,8", place)]
            for place in ("t4", "4", "4,", ",8", "4,8;9,12", "4,8,9", "4, 8", "-4,8", "٤,8", "")
        ),
        [LINE.replace("4,8", "4,"), LINE.replace("4,8", "8,9,3")],
        [LINE.replace("4,8", "1,1234567890123456")],
    ],
)
def test_whatever_else_there_is_is_left_to_the_reader_of_lines(lines: list[str]) -> None:
    assert read(*lines) is None


def test_a_document_without_a_last_line_end_or_a_header_is_not_ordinary() -> None:
    assert read_columns(f"#BeginOfDocument d\n{LINE}".encode()) is None
    assert read_columns(f"{LINE}\n".encode()) is None
    assert read_columns(b"") is None


def test_a_file_of_tokens_has_no_columns() -> None:
    data = f"#BeginOfDocument d\n{LINE}\n#EndOfDocument\n".encode()
    assert open_tbf(data, mode="token").table("d") is None
    assert open_tbf(data, mode="char").table("d") is not None


fields = st.sampled_from(["a", "b", "", " ", "é", "\\", "@", "#", "\r", "4,8", "12,15"])
place = st.sampled_from(["4,8", "12,15", "0,1", "3,4;5,6", "x", "7"])
mention = st.tuples(fields, fields, fields, place, fields, fields, fields).map("\t".join)
ordinary = st.builds("s\td\t{}\t{}\tw\tA\tX".format, st.sampled_from(["E1", "E2"]), st.sampled_from(["4,8", "12,15"]))
relation = st.sampled_from([CLUSTER, "@Coreference\tR2\tE1", "@After\tL\tE1,E2", "@Coreference\tR3", "@"])


@given(st.lists(st.one_of(ordinary, ordinary, ordinary, mention), max_size=4), st.lists(relation, max_size=2))
@settings(max_examples=300, deadline=None)
def test_columns_say_what_the_lines_say(mentions: list[str], relations: list[str]) -> None:
    text = "\n".join(["#BeginOfDocument d", *mentions, *relations, "#EndOfDocument", ""])
    file = open_tbf(text.encode(), mode="char")
    found = file.table("d")
    document = open_tbf(text.encode(), mode="char")
    if found is None:
        return
    expected = document.read("d")
    assert not document.problems("d")
    assert not file.problems("d")
    assert list(found.ids) == [each.id for each in expected.nuggets]
    assert list(found.types) == [each.type for each in expected.nuggets]
    assert list(found.realis) == [each.realis for each in expected.nuggets]
    pieces = tuple(tuple(map(int, each.split(","))) for each in found.places.split(";"))
    assert pieces == tuple(each.pieces[0] for each in expected.nuggets)
    assert all(len(each.pieces) == 1 for each in expected.nuggets)
    assert [tuple(each) for each in found.clusters] == expected.clusters()
    assert len(expected.relations) == len(found.clusters)
    assert (found.system, found.confident) == (expected.nuggets[0].system, bool(expected.nuggets[0].confidence))
