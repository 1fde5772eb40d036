import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kbp_annotation as notes
import kbp_naive as naive
from adjudge.errors import UsageError
from adjudge.model.kbp import Entity, KbDocument, KnowledgeBase, Mention
from adjudge.tasks.kbp.alignment import align, corpus_alignment, node_spans
from adjudge.tasks.kbp.linking import link
from adjudge.tasks.kbp.options import KbOptions

MATCHES = ("head", "extent", "head-or-extent", "overlap")


def named(*spans, document="d", level="NAM"):
    return tuple(Mention(document, start, end, level) for start, end in spans)


# Cases


@pytest.mark.parametrize("case", naive.cases()["alignment_cases"], ids=lambda case: case["name"])
def test_case(case):
    gold = KbDocument("d", [notes.gold_entity(each, "d") for each in case["gold"]])
    node = Entity("n", mentions=named(*case["system_named_spans"]))
    found = align([gold], KnowledgeBase("run", [node]), KbOptions(threshold=case["P"])).get("n", "d")
    assert dict(found.counts) == case["matched"]
    assert found.entity == case["aligned"]
    assert found.spans == len({tuple(span) for span in case["system_named_spans"]})


def test_worked_example():
    example = notes.worked_example()
    found = align(example.gold, example.systems["A"], KbOptions())
    given = {
        f"{node}|{document}": {"n_named": each.spans, "matched": dict(each.counts), "aligned": each.entity}
        for (node, document), each in found.found.items()
    }
    assert given == example.expected["alignment"]
    ids = {key: each.id for key, each in link(example.gold, KbOptions(), links=example.links).items()}
    assert corpus_alignment(found, ids, KbOptions()) == example.expected["corpus_alignment"]


# States


def state(gold, node, **options):
    return align([KbDocument("d", gold)], KnowledgeBase("run", [node]), KbOptions(**options)).get(node.id, "d")


def test_why_a_node_is_not_aligned():
    gold = [Entity("E1", "PER", named((0, 2), (4, 6))), Entity("E2", "ORG", named((8, 9)))]
    assert state(gold, Entity("n", mentions=named((20, 21)))).state == "not-found"
    assert state(gold, Entity("n", mentions=named((0, 2), (20, 21)))).state == "too-few"
    assert state(gold, Entity("n", mentions=named((0, 2), level="NOM"))).state == "no-name"
    assert state(gold, Entity("n", mentions=named((0, 2), document="other"))).state == "unattested"
    assert state(gold, Entity("n", "ORG", named((0, 2))), require_type=True).state == "other-type"
    assert state(gold, Entity("n", "per", named((0, 2))), require_type=True).entity == "E1"
    assert state(gold, Entity("n", "", named((0, 2))), require_type=True).state == "other-type"


def test_normal_forms_are_no_mentions():
    gold = [Entity("E1", mentions=named((0, 2)))]
    assert state(gold, Entity("n", mentions=named((0, 2), level="NORM"))).state == "unattested"


def test_a_threshold_is_compared_exactly():
    # 100 * 1 / 3 is above 33.3, and 70 % of 10 is not more than 70: neither may be lost in rounding.
    gold = [Entity("E1", mentions=named(*((n, n + 1) for n in range(7))))]
    node = Entity("n", mentions=named(*((n, n + 1) for n in range(10))))
    assert state(gold, node, threshold=70).state == "too-few"
    assert state(gold, node, threshold=69.9).entity == "E1"


def test_two_nodes_may_be_one_entity_unless_one_to_one():
    gold = KbDocument("d", [Entity("E1", mentions=named((0, 1), (2, 3), (4, 5)))])
    one, two = Entity("b", mentions=named((0, 1), (2, 3))), Entity("a", mentions=named((4, 5)))
    kb = KnowledgeBase("run", [one, two])
    both = align([gold], kb, KbOptions())
    assert [both.get(node, "d").entity for node in "ab"] == ["E1", "E1"]
    single = align([gold], kb, KbOptions(one_to_one=True))
    assert single.get("b", "d").entity == "E1"
    assert single.get("a", "d").state == "taken"
    assert single.get("a", "d").entity is None


def test_one_to_one_finds_the_best_assignment_not_the_best_pairs():
    # Greedy would give g1 to the node with three of its mentions, and nothing to the other: 3 instead of 4.
    gold = KbDocument(
        "d",
        [
            Entity("g1", mentions=named(*((n, n + 1) for n in range(10)))),
            Entity("g2", mentions=named(*((n, n + 1) for n in range(20, 30)))),
        ],
    )
    first = Entity("s1", mentions=named((0, 1), (1, 2), (2, 3), (20, 21), (21, 22)))
    second = Entity("s2", mentions=named((4, 5), (5, 6), (50, 51)))
    found = align([gold], KnowledgeBase("run", [first, second]), KbOptions(one_to_one=True, threshold=30))
    assert [found.get(node, "d").entity for node in ("s1", "s2")] == ["g2", "g1"]


def test_two_nodes_of_one_name_are_refused():
    with pytest.raises(UsageError, match="two nodes are called 'n'"):
        node_spans(KnowledgeBase("run", [Entity("n"), Entity("n")]), ["d"])


# Properties

OPTIONS = st.fixed_dictionaries(
    {
        "mention_match": st.sampled_from(MATCHES),
        "threshold": st.sampled_from([0.0, 25.0, 33.0, 49.9, 50.0, 66.0]),
        "levels": st.sampled_from([("NAM",), ("NAM", "NOM")]),
        "gold_levels": st.sampled_from([("NAM", "NOM", "PRO"), ("NAM",)]),
        "require_type": st.booleans(),
    }
)


@given(notes.gold_documents(), notes.knowledge_bases(), OPTIONS)
@settings(max_examples=75)
def test_as_the_definition_reads(gold, kb, options):
    found = align(gold, kb, KbOptions(**options))
    slow = notes.align_slowly(
        gold,
        kb,
        match=options["mention_match"],
        **{name: value for name, value in options.items() if name != "mention_match"},
    )
    fast = {key: (each.spans, dict(each.counts), each.entity) for key, each in found.found.items() if each.spans}
    assert fast == slow
    assert found.outside == sum(
        mention.document not in {document.id for document in gold} for node in kb.entities for mention in node.mentions
    )


@given(notes.gold_documents(), notes.knowledge_bases(), OPTIONS)
@settings(max_examples=30)
def test_one_to_one_is_one_to_one_and_keeps_what_has_no_rival(gold, kb, options):
    free, single = (align(gold, kb, KbOptions(**options, one_to_one=each)) for each in (False, True))
    taken = [(each.document, each.entity) for each in single.found.values() if each.entity is not None]
    assert len(taken) == len(set(taken))
    before = [(each.document, each.entity) for each in free.found.values() if each.entity is not None]
    if options["threshold"] >= 50:
        assert set(taken) == set(before)
    for key, each in single.found.items():
        assert (each.state == "taken") <= (free.found[key].state == "aligned")
        assert each.counts == free.found[key].counts
