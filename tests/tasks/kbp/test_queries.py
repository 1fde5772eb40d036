"""Queries answered from knowledge bases, and made from gold."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import FormatError
from adjudge.formats.kb_coldstart import read_coldstart
from adjudge.formats.kb_queries import read_queries, write_queries
from adjudge.model.kbp import Entity, Fact, KnowledgeBase, Mention, Provenance, Span, TripleTable
from adjudge.model.kbp_queries import EntryPoint, KbQuery, Question, follow_up, questions
from adjudge.tasks.kbp.queries import KbIndex, TripleIndex, answer_questions, ask_all, generate_queries

# Ana (d1) is married to Ben (said in d1 and d2), who went to two schools; one of them has no name in the document.
KB = """run1
:Entity_A\ttype\tPER
:Entity_A\tmention\t"Ana Ruiz"\td1:10-17
:Entity_A\tcanonical_mention\t"Ana Ruiz"\td1:10-17
:Entity_A\tmention\t"Ana"\td2:0-2
:Entity_A\tcanonical_mention\t"Ana"\td2:0-2
:Entity_B\ttype\tPER
:Entity_B\tmention\t"Ben"\td1:30-32
:Entity_B\tmention\t"Benjamin"\td1:40-47
:Entity_B\tcanonical_mention\t"Benjamin"\td1:40-47
:Entity_B\tmention\t"Ben"\td2:10-12
:Entity_B\tcanonical_mention\t"Ben"\td2:10-12
:Entity_S\ttype\tORG
:Entity_S\tmention\t"Hill School"\td2:20-30
:Entity_S\tcanonical_mention\t"Hill School"\td2:20-30
:Entity_A\tper:spouse\t:Entity_B\td1:10-50\t0.5
:Entity_A\tper:spouse\t:Entity_B\td2:0-12\t0.75
:Entity_B\tper:schools_attended\t:Entity_S\td2:10-30
"""


@pytest.fixture(scope="module")
def index():
    kb, _ = read_coldstart(KB.encode(), add_inverses=True)
    return KbIndex(kb, name="kb")


def test_answers_of_two_hops(index):
    question = Question("Q1", "Q1", ("per:spouse", "per:schools_attended"), EntryPoint("Ana", "d1", 10, 13))
    found = answer_questions(index, [question])
    first, second = follow_up("Q1", "Benjamin", "d1:40-47"), follow_up("Q1", "Ben", "d2:10-12")
    rows = [(each.asked, each.value, each.place, each.provenance, each.confidence) for each in found.answers]
    assert rows == [
        ("Q1", "Benjamin", "d1:40-47", "d1:10-50", 0.5),
        ("Q1", "Ben", "d2:10-12", "d2:0-12", 0.75),
        (first, "Hill School", "d2:20-30", "d2:10-30", 1.0),
        (second, "Hill School", "d2:20-30", "d2:10-30", 1.0),
    ]
    assert {each.node for each in found.answers} == {":Entity_B", ":Entity_S"}
    assert found.notes == []


def test_inverses_and_old_names(index):
    question = Question("Q1", "Q1", ("org:students", "per:spouse"), EntryPoint("Hill", "d2", 20, 24))
    assert [each.value for each in answer_questions(index, [question]).answers] == ["Ben", "Ana Ruiz", "Ana"]
    old = Question("Q1", "Q1", ("per:spouses",), EntryPoint("Ana", "d2", 0, 3))
    assert len(answer_questions(index, [old]).answers) == 2


def test_questions_that_start_nowhere(index):
    lost = [Question(f"Q{n}", f"Q{n}", ("per:spouse",), EntryPoint("x", "d1", 100, 101)) for n in range(6)]
    found = answer_questions(index, [*lost, Question("Q9", "Q9", ("per:spouse",), node=":Entity_A")])
    assert [each.asked for each in found.answers] == ["Q9", "Q9"]
    assert [str(note) for note in found.notes] == ["kb: 6 of 7 questions start at no node: Q0, Q1, Q2, Q3, Q4, ..."]


def test_an_object_without_a_name_cannot_be_judged():
    ana = Entity("a", "PER", (Mention("d", 0, 3, text="Ana"),))
    ben = Entity("b", "PER", (Mention("e", 0, 3, text="Ben"),))
    index = KbIndex(KnowledgeBase("r", [ana, ben], [Fact("a", "spouse", "b", "d"), Fact("a", "spouse", "c", "d")]))
    found = answer_questions(index, [Question("Q", "Q", ("spouse",), EntryPoint("", "d", 0, 1))])
    assert found.answers == []
    assert str(found.notes[0]).startswith("r: 2 facts that would answer have an object without a mention")


def test_strings_and_events():
    ana = Entity("a", "PER", (Mention("d", 0, 3, text="Ana"),))
    attack = Entity("v", "conflict.attack", (Mention("d", 20, 26, text="attack"),), kind="event")
    facts = [
        Fact("a", "per:title", "the  boss", "d", Provenance((Span(0, 9),), (Span(4, 9),)), literal=True),
        Fact("a", "per:conflict.attack_attacker", "v", "d", Provenance((Span(10, 30),))),
    ]
    index = KbIndex(KnowledgeBase("r", [ana, attack], facts))
    points = [EntryPoint("", "d", 0, 1)] * 2
    asked = [Question(f"Q{n}", "Q", (facts[n].relation,), points[n]) for n in range(2)]
    title, event = answer_questions(index, asked).answers
    assert (title.value, title.place, title.node) == ("the boss", "d:4-8", "")
    # What supports an argument of an event includes the name of the entity.
    assert (event.value, event.provenance) == ("attack", "d:0-2,d:10-29")


# The rule for entry points: most characters in common, then fewest others, then the first in the file.


def test_only_nodes_of_the_type():
    entities = [Entity("gpe", "GPE", (Mention("d", 0, 9),)), Entity("per", "PER", (Mention("d", 0, 3),))]
    index = KbIndex(KnowledgeBase("r", entities))
    question = Question("Q", "Q", ("r",), EntryPoint("", "d", 0, 9), "per")
    assert index.start(question) == "gpe"
    assert index.start(question, same_type=True) == "per"
    assert index.start(question._replace(type="org"), same_type=True) is None


spans = st.tuples(st.integers(0, 12), st.integers(1, 6)).map(lambda pair: (pair[0], sum(pair)))


@settings(max_examples=75, deadline=None)
@given(st.lists(spans, min_size=1, max_size=8), spans)
def test_entry_points_by_counting_characters(mentions, span):
    index = KbIndex(KnowledgeBase("r", [Entity(str(n), "", (Mention("d", *each),)) for n, each in enumerate(mentions)]))
    asked = set(range(*span))
    ranked = []
    for number, each in enumerate(mentions):
        here = set(range(*each))
        if here & asked:
            ranked.append((-len(here & asked), len(here - asked), number))
    expected = str(min(ranked)[2]) if ranked else None
    assert index.start(Question("Q", "Q", ("r",), EntryPoint("", "d", *span))) == expected


triples = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("rs"), st.sampled_from("abcd")), min_size=1, max_size=12
)


def table_of(rows):
    table = TripleTable()
    for row in rows:
        table.add(*row, "d")
    return table


@settings(max_examples=40, deadline=None)
@given(triples, st.lists(st.sampled_from("rs"), min_size=1, max_size=3), st.sampled_from("abcd"))
def test_answers_are_walks(rows, slots, node):
    found = answer_questions(TripleIndex(table_of(rows)), [Question("Q", "Q", tuple(slots), node=node)])
    walks = {((), node)}
    expected = set()
    for slot in slots:
        walks = {((*path, o), o) for path, at in walks for s, r, o in rows if (s, r) == (at, slot)}
        expected |= {path for path, _ in walks}
    paths = {"Q": ()}
    for answer in found.answers:
        paths[answer.target] = (*paths[answer.asked], answer.value)
    assert {path for path in paths.values() if path} == expected
    assert len(found.answers) == len(set(found.answers)) == len(expected)


@settings(max_examples=30, deadline=None)
@given(triples, st.integers(0, 3))
def test_made_queries_have_answers(rows, seed):
    index = TripleIndex(table_of(rows))
    queries = generate_queries(index, 5, hops=(1, 2), seed=seed)
    assert queries == generate_queries(index, 5, hops=(1, 2), seed=seed)
    assert len({(each.node, each.slots) for each in queries}) == len(queries)
    one = {(s, (r,)) for s, r, _ in rows}
    two = {(s, (r, q)) for s, r, o in rows for o2, q, _ in rows if o == o2}
    assert {(each.node, each.slots) for each in queries} <= one | two
    assert sum(len(each.slots) == 1 for each in queries) == min(5, len(one))
    assert sum(len(each.slots) == 2 for each in queries) == min(5, len(two))
    found = answer_questions(index, questions(queries))
    last = {each.asked for each in found.answers if each.slot}
    for query in queries:
        assert query.id in last
    for format in ("xml", "tsv"):
        assert read_queries(write_queries(queries, format=format)) == queries


def test_every_query_is_equally_likely():
    index = TripleIndex(table_of([("a", "r", "b"), ("a", "s", "b"), ("b", "r", "c"), ("c", "r", "d")]))
    drawn = Counter(generate_queries(index, 1, hops=(1,), seed=seed)[0][1:5:3] for seed in range(400))
    # 100 each, standard deviation 8.7
    assert len(drawn) == 4
    assert all(abs(count - 100) < 35 for count in drawn.values()), drawn


def test_made_queries_lead_back_to_their_node(index):
    queries = generate_queries(index, 99, hops=(1, 2))
    assert [(each.id, each.node, each.slots) for each in queries] == [
        ("Q1H_0001", ":Entity_A", ("per:spouse",)),
        ("Q1H_0002", ":Entity_B", ("per:schools_attended",)),
        ("Q1H_0003", ":Entity_B", ("per:spouse",)),
        ("Q1H_0004", ":Entity_S", ("org:students",)),
        ("Q2H_0001", ":Entity_A", ("per:spouse", "per:schools_attended")),
        ("Q2H_0002", ":Entity_A", ("per:spouse", "per:spouse")),
        ("Q2H_0003", ":Entity_B", ("per:schools_attended", "org:students")),
        ("Q2H_0004", ":Entity_B", ("per:spouse", "per:spouse")),
        ("Q2H_0005", ":Entity_S", ("org:students", "per:schools_attended")),
        ("Q2H_0006", ":Entity_S", ("org:students", "per:spouse")),
    ]
    for question in questions(queries):
        assert index.start(question) == question.node
    assert queries[0].entry_points == (EntryPoint("Ana Ruiz", "d1", 10, 18),)
    assert read_queries(write_queries(queries)) == queries


def test_a_hidden_node_is_no_start():
    # Both nodes are called by the same place: the rule always takes the first.
    one, two = (Entity(name, "PER", (Mention("d", 0, 3, text="Al"),)) for name in ("one", "two"))
    facts = [Fact("one", "spouse", "two", "d"), Fact("two", "spouse", "one", "d")]
    index = KbIndex(KnowledgeBase("r", [one, two], facts))
    assert [each.node for each in generate_queries(index, 9, hops=(1,))] == ["one"]


def test_what_is_wrong_with_any_system_is_told_together():
    row = b"ana\tspouse\tben\td1\n"
    with pytest.raises(FormatError) as error:
        ask_all([KbQuery("Q1", ("spouse",), node="ana")], [row + b"x\n", row, row * 2 + b"x\n"], names=["A", "B", "C"])
    assert [each.line for each in error.value.problems] == [2, 3]
