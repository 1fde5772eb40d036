"""Tables of linked mentions."""

import pytest

from adjudge.errors import FormatError
from adjudge.formats.linking import read_edl, read_neleval, read_table


def entities(corpus):
    return [(each["entity"], each["type"]) for document in corpus.documents for each in document.data["mentions"]]


def test_the_candidate_with_the_highest_score_counts_the_first_of_equals():
    lines = b"d\t0\t1\tA\t0.2\tPER\tB\t0.9\tORG\tC\t0.9\tLOC\nd\t2\t3\tNIL1\nd\t4\t5\tE\t3\nd\t6\t7\n"
    assert entities(read_neleval(lines)) == [("B", "ORG"), ("NIL1", None), ("E", None), (None, None)]


def test_offsets_include_the_last_character_and_types_may_be_objects():
    (document,) = read_neleval(b'd\t3\t3\tE\t1\t{"type": "PER", "level": "NOM"}\r\n').documents
    assert document.data["mentions"] == [{"span": {"start": 3, "end": 4}, "type": "PER", "entity": "E"}]


def test_documents_without_mentions_and_blank_lines():
    corpus = read_neleval(b"d2\n\nd1\t0\t1\tE\n")
    assert [(each.id, each.line, len(each.data["mentions"])) for each in corpus.documents] == [
        ("d2", 1, 0),
        ("d1", 3, 1),
    ]


def test_rows_of_the_tab_format_about_one_place_are_candidates():
    rows = "r\tm1\tOslo\td:0-3\tE1\tGPE\tNAM\t0.4\nr\tm2\tOslo\td: 0 – 3\tE2\tLOC\tNAM\t0.6\t\t\t\n"
    (document,) = read_edl(rows.encode()).documents
    assert document.data["mentions"] == [
        {"span": {"start": 0, "end": 4}, "type": "LOC", "entity": "E2", "level": "NAM"}
    ]
    assert read_table(rows.encode()).tac


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"d\t0", "x:1:1: a line with two columns"),
        (b"d\tzero\t4\tE", "x:1:3: the first character is 'zero'"),
        (b"d\t5\t4\tE", "x:1:5: the mention ends at 4, before it starts at 5"),
        (b"d\t0\t4\tE\thigh\tPER", "x:1:9: the score is 'high', write a number"),
        (b"d\t0\t4\tE\t1\tPER\tF", "x:1:7: 4 columns of candidates"),
        (b"d\t0\t4\tE\t1\t{PER", "x:1:11: the type begins as a JSON object and is none"),
        (b"d\t0\t4\t\t1\tPER", "x:1:7: the id is empty"),
        (b"\t0\t4\tE", "x:1:1: the id of the document is empty"),
        (b"r\tm\tOslo\td:0-3\tE1\tGPE\tNAM\t1.0", "x:1:1: this is the tab format of TAC, use --reader edl"),
        (b"d\t0\t\xff", "x:1:5: the byte 0xff is not UTF-8"),
    ],
)
def test_problems_have_a_place_and_a_remedy(line, message):
    with pytest.raises(FormatError) as caught:
        read_neleval(line, name="x")
    assert str(caught.value.problems[0]).startswith(message)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"d\t0\t4\tE1", "x:1:1: a row of 4 columns"),
        (b"r\tm\tOslo\tnowhere\tE1\tGPE\tNAM\t1.0", "x:1:10: 'nowhere' is no place"),
        (b"r\tm\tOslo\td:9-3\tE1\tGPE\tNAM\t1.0", "x:1:10: 'd:9-3' is no place"),
        (b"r\tm\tOslo\td:0-3\t\tGPE\tNAM\t1.0", "x:1:16: the id is empty"),
        (b"r\tm\tOslo\td:0-3\tE1\tGPE\tNAM\tx", "x:1:27: the score is 'x'"),
    ],
)
def test_problems_of_the_tab_format(line, message):
    with pytest.raises(FormatError) as caught:
        read_edl(line, name="x")
    assert str(caught.value.problems[0]).startswith(message)


def test_all_problems_at_once_but_not_without_end():
    with pytest.raises(FormatError) as caught:
        read_neleval(b"d\tx\t1\n" * 300, name="x")
    problems = [str(problem) for problem in caught.value.problems]
    assert len(problems) == 101
    assert problems[-1] == "x: and 200 more problems"
