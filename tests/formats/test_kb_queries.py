"""Files of queries."""

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import FormatError
from adjudge.formats.kb_queries import read_queries, write_queries
from adjudge.formats.standoff import parse_place, write_place
from adjudge.model.kbp_queries import EntryPoint, KbQuery, asked_path, entry_hash, follow_up, questions

words = st.text(string.ascii_letters + "&<>\"'é漢:_-", min_size=1, max_size=8).filter(lambda text: text != "-")
places = st.builds(
    lambda name, document, start, length: EntryPoint(name, document, start, start + length),
    words,
    words,
    st.integers(0, 999),
    st.integers(1, 30),
)
slots = st.lists(words, min_size=1, max_size=3).map(tuple)


@st.composite
def query_lists(draw):
    ids = draw(st.lists(words, max_size=4, unique=True))
    queries = []
    for id_ in ids:
        points = tuple(draw(st.lists(places, max_size=3)))
        node = draw(words if not points else st.one_of(st.just(""), words))
        single = len(points) == 1 and draw(st.booleans())
        queries.append(KbQuery(id_, draw(slots), points, draw(st.one_of(st.just(""), words)), node, single))
    return queries


@settings(max_examples=30, deadline=None)
@given(query_lists())
def test_xml_round_trip(queries):
    if queries:
        assert read_queries(write_queries(queries)) == queries


@settings(max_examples=30, deadline=None)
@given(query_lists())
def test_table_round_trip(queries):
    fitting = []
    for query in queries:
        points = tuple(point._replace(name="x") for point in query.entry_points)
        fitting.append(query._replace(entry_points=points, single=False))
    if fitting:
        assert read_queries(write_queries(fitting, format="tsv")) == fitting


@pytest.mark.parametrize(
    ("query", "format", "said"),
    [
        (KbQuery("Q", ("r",), (), "", "a\tb"), "xml", "a TAB or several blanks"),
        (KbQuery("Q", ("r",), (), "", "a\x01b"), "xml", "a character that XML does not allow, write a table"),
        (KbQuery("Q", ("r",), (), "", "-"), "tsv", "does not fit into a table, write XML"),
        (KbQuery("Q", ("r",), (EntryPoint("a", "d", 0, 1), EntryPoint("b", "d", 2, 3))), "tsv", "does not fit"),
        (KbQuery("Q", ("r",), (EntryPoint("a", "d,e", 0, 1),)), "tsv", "a comma in its id"),
    ],
)
def test_what_cannot_be_written(query, format, said):
    with pytest.raises(FormatError, match=said):
        write_queries([query], format=format)


def test_places():
    assert parse_place(" a:b:0-0 ") == ("a:b", 0, 1)
    assert [parse_place(text) for text in ("d:1", "d1-2", ":1-2", "d:-1-2", "d:3-2", "d:1-99999999999")] == [None] * 6
    assert write_place("d", 3, 4) == "d:3-3"


def test_ids_of_questions():
    point = EntryPoint("Ana", "d1", 0, 3)
    slots = ("per:children",)
    digits = entry_hash(point, slots)
    assert len(digits) == 10
    alone = KbQuery("CS_1", slots, (point,))
    assert [each.id for each in questions([alone])] == ["CS_1"]
    # The pool calls the question otherwise, and what follows depends on how it is called.
    assert [each.id for each in questions([alone], [f"CSSF_ENG_{digits}"])] == [f"CSSF_ENG_{digits}"]
    assert [each.id for each in questions([alone], ["CS_1", f"CSSF_ENG_{digits}"])] == ["CS_1"]
    assert [each.id for each in questions([alone._replace(single=True)], [f"CSSF_ENG_{digits}"])] == ["CS_1"]
    several = questions([alone._replace(entry_points=(point, point._replace(document="d2")))])
    assert several[0].id == f"CS_1_{digits}"
    assert several[1].id != several[0].id
    assert {each.query for each in several} == {"CS_1"}


def test_ids_of_later_hops():
    first = follow_up("Q", 'say "é"\\', "d:0-3")
    assert asked_path(first, {"Q"}) == ("Q", 1)
    assert asked_path(follow_up(first, "x", ""), {"Q"}) == ("Q", 2)
    assert asked_path(first, {first}) == (first, 0)
    assert follow_up("Q", "x", "d:0-3") != follow_up("Q", "x", "d:0-4")
