"""Files of queries."""

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import AdjudgeError, FormatError
from adjudge.formats.kb_queries import read_queries, write_queries
from adjudge.formats.standoff import parse_place, write_place
from adjudge.model.kbp_queries import EntryPoint, KbQuery, asked_path, entry_hash, follow_up, questions

LDC = b"""<?xml version="1.0" encoding="UTF-8"?>
<query_set>
  <query id="CS_1">
    <mentions>
      <mention><name>Ana Ruiz</name><docid>d1</docid><beg>0</beg><end>7</end></mention>
      <mention><name>Ana &amp; Co</name><docid>d2</docid><beg>5</beg><end>5</end></mention>
    </mentions>
    <enttype>per</enttype>
    <nodeid>n7</nodeid>
    <slot1>per:schools_attended</slot1>
    <slot0>per:children</slot0>
  </query>
</query_set>
"""
SF = b"""<query_set>
  <query id="CSSF_ENG_0123456789">
    <name>Ana</name> <docid>d1</docid> <beg>0</beg> <end>2</end>
    <enttype>per</enttype>
    <slot>per:children</slot>
    <slot0>per:children</slot0>
  </query>
  <query id="CSSF_ENG_0123456789_0123456789ab">
    <name>Ben</name> <docid>d1</docid> <beg>4</beg> <end>6</end> <slot>per:spouse</slot>
  </query>
</query_set>
"""


def problems(data):
    with pytest.raises(AdjudgeError) as raised:
        read_queries(data, name="q")
    return [str(each) for each in raised.value.problems]


def test_ldc_queries():
    points = EntryPoint("Ana Ruiz", "d1", 0, 8), EntryPoint("Ana & Co", "d2", 5, 6)
    slots = "per:children", "per:schools_attended"
    assert read_queries(LDC) == [KbQuery("CS_1", slots, points, "per", "n7")]


def test_slot_filling_queries():
    first, second = read_queries(SF)
    assert first == KbQuery(
        "CSSF_ENG_0123456789", ("per:children",), (EntryPoint("Ana", "d1", 0, 3),), "per", single=True
    )
    assert second.slots == ("per:spouse",)


def test_table():
    data = (
        "query\tnode\ttype\tname\tplaces\tslots\n# a remark\n\n"
        "Q1\tana\tPER\tAna\td1:0-2,a:b:4-9\tspouse\temployer\r\nQ2\tben\t-\t-\t-\tspouse\n"
    )
    points = EntryPoint("Ana", "d1", 0, 3), EntryPoint("Ana", "a:b", 4, 10)
    assert read_queries(data.encode()) == [
        KbQuery("Q1", ("spouse", "employer"), points, "PER", "ana"),
        KbQuery("Q2", ("spouse",), (), "", "ben"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('id="CS_1"', "", "q:3:3: a query without an id"),
        ("<beg>5</beg>", "<beg>x</beg>", "q:6:7: an entry point of CS_1 is no place in a document"),
        ("<beg>5</beg>", "<beg>6</beg>", "q:6:7: an entry point of CS_1 is no place"),
        ("<docid>d2</docid>", "", "q:6:7: an entry point of CS_1 is no place"),
        ("slot0", "slot2", "q:3:3: the slots of CS_1 are not slot0, slot1"),
        ("slot0", "slot1", "q:11:5: <slot1> once more"),
        ("per:children", " ", "q:11:5: <slot0> names no relation"),
        ("query_set", "queries", "q:2:1: the file begins with <queries>"),
        ("<query_set>", "<query_set><other/>", "q:2:12: <other> among the queries"),
        ("<slot1>", "<docid>d</docid><beg>0</beg><end>1</end><slot1>", "q:3:3: the query CS_1 has an entry point of"),
        (
            "</query_set>",
            '<query id="CS_1"><nodeid>n</nodeid><slot>x</slot></query></query_set>',
            "is in line 3 already",
        ),
        ("</query_set>", "", "is not XML"),
        ("<query_set>", '<!DOCTYPE q [<!ENTITY e SYSTEM "/etc/passwd">]><query_set>', "declares or uses entities"),
    ],
)
def test_what_is_wrong_with_xml(old, new, said):
    assert old in LDC.decode()
    found = problems(LDC.decode().replace(old, new).encode())
    assert any(said in each for each in found), found


def test_a_query_must_start_somewhere():
    data = b'<query_set><query id="Q"><slot0>r</slot0></query></query_set>'
    assert problems(data) == ["q:1:12: the query Q starts nowhere, give it a mention or a nodeid"]


def test_everything_wrong_in_a_table_at_once():
    lines = ["Q1\tana\t-", "Q2\t-\t-\t-\t-\tr", "Q3\ta\t-\t-\td:5-2\tr", "Q4\ta\t-\t-\t-\t-", "Q5\ta\t-\t-\t-\tr"]
    lines += ["Q5\tb\t-\t-\t-\tr", "Q6\t\t-\t-\t-\tr"]
    found = problems("\n".join(lines).encode())
    assert [each.split(", ")[0] for each in found] == [
        "q:1:1: a line with 3 fields instead of 6 or more",
        "q:2:1: the query Q2 starts nowhere",
        "q:3:10: 'd:5-2' is no place",
        "q:4:12: the slot is empty",
        "q:6:1: the query Q5 is in line 5 already",
        "q:7:4: the node is empty",
    ]


@pytest.mark.parametrize("data", [b"", b"\n# nothing\n", b"<query_set/>"])
def test_no_queries(data):
    assert problems(data) == ["q: the file has no queries, check that it is the right file"]


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


@settings(max_examples=60, deadline=None)
@given(query_lists())
def test_xml_round_trip(queries):
    if queries:
        assert read_queries(write_queries(queries)) == queries


@settings(max_examples=60, deadline=None)
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
        (KbQuery("Q", ("r",), (), "", "a\x01b"), "xml", "a character that XML has not, write a table"),
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
