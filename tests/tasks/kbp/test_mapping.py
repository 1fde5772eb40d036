import dataclasses
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kbp_annotation as notes
from adjudge.errors import UsageError
from adjudge.model.kbp import Entity, Fact, KbDocument, KnowledgeBase, Mention, as_knowledge_base
from adjudge.tasks.kbp.mapping import describe_endpoint, map_systems
from adjudge.tasks.kbp.options import KbOptions, make_options

PAPER = KbOptions()


@pytest.fixture(scope="module")
def example():
    return notes.worked_example()


def mapped_example(example, *names, **options):
    systems = [example.systems[name] for name in names]
    return map_systems(example.gold, systems, KbOptions(**options), links=example.links)


# The worked example


def test_gold_triples(example):
    found = mapped_example(example)
    assert notes.rows_as_json(found.gold) == example.expected["gold_triples"]
    assert {id: each for (_, id), each in found.gold_ids.items()} == example.expected["gold_links"]
    assert {key: each.id for key, each in found.gold_links.items()} == found.gold_ids
    assert found.gold_tally["facts"] == 11
    assert found.gold_tally["mapped"] == 9
    reasons = {"excluded": "excluded subtype", "out-of-scope": "argument without a named mention"}
    dropped = [
        [fact.document, fact.relation, fact.subject, fact.object, reasons[step.status]]
        for fact, step in zip(found.gold_facts, found.gold_trace, strict=True)
        if step.status != "mapped"
    ]
    assert dropped == example.expected["gold_dropped"]


@pytest.mark.parametrize("name", ["A", "B"])
def test_system_triples(example, name):
    (found,) = mapped_example(example, name).systems
    assert notes.rows_as_json(found.table) == example.expected[f"system_{name}_triples"]


def test_log(example):
    system = example.systems["A"]
    (found,) = mapped_example(example, "A").systems
    rows = list(found.table.rows())
    for step, expected in zip(found.trace, example.expected["system_A_log"], strict=True):
        fact = system.facts[step.fact]
        said = {"subject": fact.subject, "relation": fact.relation, "object": fact.object, "doc": fact.document}
        assert said.items() <= expected.items()
        assert step.status == expected["status"].replace(" ", "-")
        if "triple" in expected:
            assert list(rows[step.row]) == [*expected["triple"], fact.document]
            assert [step.subject.id, step.relation, step.object.id] == expected["triple"]
        else:
            assert step.object.outcome == "nameless"
            assert step.object.alignment.entity == "D3-E5"
    assert found.tally["facts"] == 10
    assert (found.tally["mapped"], found.tally["out-of-scope"], found.tally["unaligned"]) == (9, 1, 1)


def test_system_identity(example):
    (found,) = mapped_example(example, "A", identity_source="system").systems
    names = found.table.names.nodes.listed
    labels = {names[node]: None if gold < 0 else names[gold] for node, gold in found.labels.items()}
    expected = example.expected["corpus_alignment"]
    assert labels == {f"S:{node}": expected[node] for node in expected if f"S:{node}" in labels}
    assert len(labels) == 10  # all but the node that is out of scope
    assert len(found.own) == len(found.table) == 9
    assert ("S::Entity_05", "Org-Location", "S::Entity_08", "D2") in set(found.own.rows())


def test_systems_share_names_but_no_private_nodes(example):
    found = mapped_example(example, "A", "B")
    first, second = found.systems
    assert first.table.names is second.table.names is found.gold.names
    private = [{name for row in each.table.rows() for name in row[0:3:2] if name[:2] == "S:"} for each in found.systems]
    assert private == [{"S:A::Entity_06"}, {"S:B::Entity_06"}]


def test_words(example):
    (found,) = mapped_example(example, "A").systems
    assert [describe_endpoint(found.trace[place].subject) for place in (5, 9)] == [
        "no gold entity has enough of its mentions: 1 of 2 are in D2-E3, 1 of 2 in D2-E4",
        "a gold entity, D3-E4: 1 of 1 are in D3-E4",
    ]
    assert describe_endpoint(found.trace[9].object) == (
        "a gold entity without a named mention, D3-E5: 1 of 1 are in D3-E5"
    )


# Options, each on a small corpus: Ana founded Corvex; he (no name) works there.


def spot(start, level="NAM", document="d", text="x"):
    return Mention(document, start, start + 1, level, text)


GOLD = KbDocument(
    "d",
    [
        Entity("E1", "PER", (spot(0, text="Ana"),)),
        Entity("E2", "ORG", (spot(2, text="Corvex"),)),
        Entity("E3", "PER", (spot(4, "PRO", text="he"),)),
    ],
    [Fact("E1", "Founder", "E2", "d"), Fact("E3", "Employment", "E2", "d")],
)
NODES = [
    Entity("a", "PER", (spot(0), spot(0, document="other"))),
    Entity("c", "ORG", (spot(2),)),
    Entity("h", "PER", (spot(4),)),
    Entity("wrong", "PER", (spot(8),)),
    Entity("nominal", "PER", (spot(0, "NOM"),)),
    Entity("elsewhere", "PER", (spot(0, document="e"),)),
]
OTHER = KbDocument("e", [Entity("E1", "PER", (spot(0, document="e", text="Ana"),))])


def run(*facts, gold=(GOLD, OTHER), **options):
    given = [fact if isinstance(fact, Fact) else Fact(*fact, "d") for fact in facts]
    (found,) = map_systems(gold, [KnowledgeBase("run", NODES, given)], KbOptions(**options)).systems
    return found


def triples(found):
    return [row[:3] for row in found.table.rows()]


def test_what_becomes_of_a_fact():
    found = run(
        ("a", "Founder", "c"),
        ("h", "Employment", "c"),
        ("wrong", "Founder", "c"),
        ("nominal", "Founder", "c"),
        ("elsewhere", "Founder", "c"),
        ("unknown", "Founder", "c"),
        ("a", "Lasting-Personal", "c"),
        Fact("a", "title", "chief", "d", literal=True),
        Fact("a", "Founder", "c", "other"),
        Fact("a", "Founder", "c", "d", confidence=0.2),
        min_confidence=0.3,
    )
    assert [(step.status, step.subject and step.subject.outcome) for step in found.trace] == [
        ("mapped", "linked"),
        ("out-of-scope", "nameless"),
        ("mapped", "private"),
        ("out-of-scope", "no-name"),
        ("mapped", "private"),
        ("mapped", "private"),
        ("excluded", None),
        ("literal", None),
        ("outside", None),
        ("low-confidence", None),
    ]
    assert triples(found) == [
        ("N:Ana", "Founder", "N:Corvex"),
        ("S:wrong", "Founder", "N:Corvex"),
        ("S:elsewhere", "Founder", "N:Corvex"),
        ("S:unknown", "Founder", "N:Corvex"),
    ]
    assert found.tally == {
        "facts": 10,
        "mapped": 4,
        "outside": 1,
        "low-confidence": 1,
        "excluded": 1,
        "literal": 1,
        "out-of-scope": 2,
        "ignored": 0,
        "unaligned": 3,
        "unattested": 2,
        "mentions-outside": 1,
    }
    assert [step.row for step in found.trace] == [0, -1, 1, -1, 2, 3, -1, -1, -1, -1]


def test_unattested_nodes_may_be_what_they_are_elsewhere():
    found = run(("elsewhere", "Founder", "c"), ("unknown", "Founder", "c"), unattested="corpus-majority")
    assert triples(found) == [("N:Ana", "Founder", "N:Corvex"), ("S:unknown", "Founder", "N:Corvex")]
    assert found.trace[0].subject.outcome == "majority"
    assert (found.tally["unattested"], found.tally["unaligned"]) == (2, 1)


def test_unaligned_facts_may_be_ignored():
    found = run(("wrong", "Founder", "c"), ("a", "Founder", "c"), unaligned="ignore")
    assert triples(found) == [("N:Ana", "Founder", "N:Corvex")]
    assert (found.tally["ignored"], found.tally["unaligned"]) == (1, 1)


def test_nameless_entities_may_stay_in_their_document():
    mapped = map_systems(
        [GOLD], [KnowledgeBase("run", NODES, [Fact("h", "Employment", "c", "d")])], KbOptions(unnamed="document")
    )
    row = ("D:d#E3", "Employment", "N:Corvex", "d")
    assert row in set(mapped.gold.rows())
    assert list(mapped.systems[0].table.rows()) == [row]
    found = run(("nominal", "Founder", "c"), unnamed="document")
    assert triples(found) == [("S:nominal", "Founder", "N:Corvex")]


@pytest.mark.parametrize(
    ("gold", "systems", "names", "message"),
    [
        ([], [], None, "there are no gold documents"),
        ([GOLD, GOLD], [], None, "gold has the document 'd' twice"),
        ([KbDocument("d", [Entity("E"), Entity("E")])], [], None, "document 'd' has two entities 'E'"),
        ([GOLD], [KnowledgeBase("r"), KnowledgeBase("r")], None, "two systems are called r"),
        ([GOLD], [KnowledgeBase("r")], ["a", "b"], "2 names for 1 systems"),
    ],
)
def test_what_cannot_be_mapped(gold, systems, names, message):
    with pytest.raises(UsageError, match=message):
        map_systems(gold, systems, PAPER, names=names)


def test_files_that_do_not_belong_together_are_noted():
    assert run(("a", "Founder", "c")).notes == []
    moved = [Entity("a", "PER", (spot(50),)), Entity("c", "ORG", (spot(60), spot(60)))]
    kb = KnowledgeBase("run", moved, [Fact("a", "Founder", "c", "d")], path="run.tsv")
    assert [str(note) for note in map_systems([GOLD], [kb], PAPER).systems[0].notes] == [
        "run.tsv: none of the 2 spans in the gold documents is a gold mention, "
        "check what the offsets count, and which characters"
    ]
    assert [str(note) for note in run(Fact("a", "Founder", "c", "D")).notes] == [
        "run: no fact is about a gold document, check the ids of the documents"
    ]


# Properties


def as_sets(mapped):
    return set(mapped.gold.rows()), [set(system.table.rows()) for system in mapped.systems]


@given(notes.gold_documents(named=True), st.sampled_from(["head", "extent", "overlap"]), st.booleans())
@settings(max_examples=40)
def test_gold_as_its_own_system_is_gold(gold, match, one_to_one):
    system = as_knowledge_base(gold, id="gold")
    options = KbOptions(mention_match=match, one_to_one=one_to_one)
    expected, (found,) = as_sets(map_systems(gold, [system], options))
    assert found == expected
    tally = map_systems(gold, [system], options).systems[0].tally
    assert (tally["unaligned"], tally["unattested"], tally["out-of-scope"]) == (0, 0, 0)


VARIANTS = st.sampled_from(
    [
        KbOptions(),
        KbOptions(threshold=30, mention_match="overlap"),
        KbOptions(one_to_one=True, unnamed="document"),
        KbOptions(unattested="corpus-majority", nil_merge="any-shared-name"),
        KbOptions(unaligned="ignore", min_confidence=0.4, require_type=True),
        KbOptions(identity_source="system", levels=("NAM", "NOM"), gold_levels=("NAM", "NOM")),
    ]
)


@given(notes.gold_documents(), notes.knowledge_bases(), VARIANTS, st.randoms())
@settings(max_examples=40)
def test_order_does_not_matter(gold, kb, options, random):
    shuffled = random.sample(gold, len(gold))
    turned = dataclasses.replace(
        kb, entities=random.sample(kb.entities, len(kb.entities)), facts=random.sample(kb.facts, len(kb.facts))
    )
    one, other = map_systems(gold, [kb], options), map_systems(shuffled, [turned], options)
    assert as_sets(one) == as_sets(other)
    assert one.gold_ids == other.gold_ids
    assert one.systems[0].tally == other.systems[0].tally


@given(notes.gold_documents(), notes.knowledge_bases(), VARIANTS)
@settings(max_examples=40)
def test_ids_do_not_matter(gold, kb, options):
    # Gold ids decide ties, so that new ones must keep their order.
    def renamed(fact, prefix):
        return fact._replace(subject=prefix + fact.subject, object=prefix + fact.object)

    other_gold = [
        KbDocument(
            each.id,
            [entity._replace(id=f"zz{entity.id}") for entity in each.entities],
            [renamed(fact, "zz") for fact in each.facts],
        )
        for each in gold
    ]
    other_kb = KnowledgeBase(
        "run", [node._replace(id=f"q{node.id}") for node in kb.entities], [renamed(fact, "q") for fact in kb.facts]
    )

    def private(name):
        return name.replace("S:q:", "S::", 1).replace("#zzE", "#E", 1)

    one = as_sets(map_systems(gold, [kb], options))
    expected, (found,) = as_sets(map_systems(other_gold, [other_kb], options))
    assert one[0] == {(private(s), r, private(o), d) for s, r, o, d in expected}
    assert one[1] == [{(private(s), r, private(o), d) for s, r, o, d in found}]


@given(notes.gold_documents(), notes.knowledge_bases(), VARIANTS, st.integers(0, 3))
@settings(max_examples=40)
def test_more_facts_give_more_triples_and_change_none(gold, kb, options, cut):
    fewer = dataclasses.replace(kb, facts=kb.facts[:cut])
    (small,), (large,) = (as_sets(map_systems(gold, [each], options))[1] for each in (fewer, kb))
    assert small <= large


@given(notes.gold_documents(), notes.knowledge_bases(), VARIANTS)
@settings(max_examples=30)
def test_every_fact_is_accounted_for(gold, kb, options):
    mapped = map_systems(gold, [kb], options)
    (system,) = mapped.systems
    assert len(system.trace) == len(kb.facts) == system.tally["facts"]
    statuses = ("mapped", "outside", "low-confidence", "excluded", "literal", "out-of-scope", "ignored")
    assert sum(system.tally[status] for status in statuses) == len(kb.facts)
    rows = list(system.table.rows())
    for step in system.trace:
        fact = kb.facts[step.fact]
        assert (step.row >= 0) == (step.status == "mapped")
        if step.row >= 0:
            assert rows[step.row] == (step.subject.id, step.relation, step.object.id, fact.document)
    gold_nodes = {name for row in mapped.gold.rows() for name in row[0:3:2]}
    assert not any(name.startswith("S:") for name in gold_nodes)


@given(notes.gold_documents(), notes.knowledge_bases())
@settings(max_examples=30)
def test_resampling_may_map_first(gold, kb):
    # Documents are mapped one by one: leaving some out changes nothing in the others.
    whole = as_sets(map_systems(gold, [kb], PAPER))
    for document in gold:
        alone = as_sets(map_systems([document], [kb], PAPER))
        assert alone[0] == {row for row in whole[0] if row[3] == document.id}
        assert alone[1] == [{row for row in whole[1][0] if row[3] == document.id}]


def large(number):
    """Documents with 50 entities and 40 relations each, and a system that has all of it under its own names."""
    documents, nodes, facts = [], {}, []
    for d in range(number):
        name = f"doc{d:03}"
        entities = []
        for e in range(50):
            who = f"name {(d * 7 + e * 13) % 5000}"
            mentions = tuple(Mention(name, 100 * e + 20 * m, 100 * e + 20 * m + 9, text=who) for m in range(3))
            entities.append(Entity(f"{name}-E{e}", "PER", mentions))
            nodes.setdefault(who, []).extend(mentions)
        said = [(r % 50, f"type{r % 15}", (r * 7 + 1) % 50) for r in range(40)]
        documents.append(
            KbDocument(name, entities, [Fact(f"{name}-E{s}", r, f"{name}-E{o}", name) for s, r, o in said])
        )
        facts += [Fact(entities[s].mentions[0].text, r, entities[o].mentions[0].text, name) for s, r, o in said]
    return documents, KnowledgeBase("run", [Entity(who, "PER", tuple(where)) for who, where in nodes.items()], facts)


def test_time_grows_with_the_documents():
    spent = []
    for number in (40, 240):
        documents, kb = large(number)
        start = time.process_time()
        mapped = map_systems(documents, [kb], make_options())
        spent.append(time.process_time() - start)
        assert as_sets(mapped)[1] == [as_sets(mapped)[0]]
    assert spent[1] < 18 * spent[0]  # six times as much to do; with every pair of documents, 36 times
