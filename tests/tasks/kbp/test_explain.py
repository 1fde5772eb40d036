"""Explanations: the losses add up to the score, and every reason is the one that the definition gives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kbp_annotation
import kbp_naive
from adjudge.errors import UsageError
from adjudge.model.kbp import (
    Entity,
    Fact,
    KbCorpus,
    KbDocument,
    KnowledgeBase,
    Mention,
    Provenance,
    Span,
    TripleNames,
    TripleTable,
)
from adjudge.model.kg import Graph
from adjudge.tasks.kbp.documents import LONGEST, Said, locate
from adjudge.tasks.kbp.explain import explain, explain_inputs, find_losses, matched_facts
from adjudge.tasks.kbp.facts import make_facts
from adjudge.tasks.kbp.inputs import KbInputs, KbSide, graph_side
from adjudge.tasks.kbp.options import make_options
from adjudge.tasks.kbp.scoring import chosen_run, paths_task, score_inputs
from adjudge.tasks.kbp.walks import Work

PLAIN = {"exclude": (), "symmetric": "annotated", "self_loops": "keep"}


def scored(read, options, profile):
    return score_inputs(read, *chosen_run(profile, options, {"bootstrap": 0}), profile=profile)


def plain(gold, *systems, documents=None):
    names = TripleNames()
    tables = []
    for rows in (gold, *systems):
        table = TripleTable(names)
        for row in rows:
            table.add(*row)
        tables.append(table)
    read = tuple(graph_side(f"s{number}", Graph(table)) for number, table in enumerate(tables[1:]))
    return KbInputs(graph_side("gold", Graph(tables[0])), read, documents)


def annotated(gold, kb, links=None):
    corpus = KbCorpus("gold", gold)
    documents = {each.id: each for each in gold}
    side = KbSide("gold", "gold", documents, format="documents", corpus=corpus, links=links or {})
    return KbInputs(side, (KbSide("run", "run", dict.fromkeys(kb.documents()), format="coldstart", kb=kb),))


def rows_of(side):
    return [
        (f"n{s}", f"r{r}", f"n{o}", f"d{document}")
        for (s, r, o), documents in sorted(side.triples.items())
        for document in sorted(documents)
    ]


def check_sums(fall, tp, gold, system):
    assert (fall.both, fall.gold, fall.system) == (tp, gold, system)
    assert sum(loss.paths for loss in fall.missed) == gold - tp
    assert sum(loss.paths for loss in fall.wrong) == system - tp
    for loss in (*fall.missed, *fall.wrong):
        assert sum(loss.at) == loss.paths > 0
        assert len(loss.at) == fall.hop + 1


def reasons(losses):
    return {loss.reason: loss.paths for loss in losses}


# The losses add up to the score


@given(kbp_naive.sides(), kbp_naive.sides(), st.sampled_from(["endpoints", "full"]), st.sampled_from(["all", "simple"]))
def test_losses_add_up_for_triples(gold, system, identity, walks):
    read = plain(rows_of(gold), rows_of(system), documents=frozenset(f"d{n}" for n in range(kbp_naive.DOCUMENTS)))
    options = make_options(**PLAIN, hops=3, identity=identity, walks=walks)
    (found,) = explain_inputs(read, options, limit=1)
    for fall in found.waterfalls:
        check_sums(fall, *kbp_naive.count(gold, system, fall.hop, identity=identity, walks=walks))


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "identity": st.sampled_from(["endpoints", "full", "both"]),
        "walks": st.sampled_from(["all", "simple"]),
        "identity_source": st.sampled_from(["gold", "system"]),
        "symmetric": st.sampled_from(["annotated", "close"]),
        "inverse": st.sampled_from(["none", "close", "canonical"]),
        "inverse_table": st.just({"Employment": "employs", "Located": "Employment"}),
        "self_loops": st.sampled_from(["keep", "drop"]),
        "unaligned": st.sampled_from(["private", "ignore"]),
        "unattested": st.sampled_from(["unaligned", "corpus-majority"]),
        "unnamed": st.sampled_from(["drop", "document"]),
        "one_to_one": st.booleans(),
        "require_type": st.booleans(),
        "min_confidence": st.sampled_from([0.0, 0.4]),
        "threshold": st.sampled_from([0.0, 30.0, 50.0]),
    },
)


@settings(max_examples=30)
@given(kbp_annotation.gold_documents(named=True), kbp_annotation.knowledge_bases(), OPTIONS)
def test_losses_and_documents_add_up_for_annotation(gold, kb, changes):
    options = make_options("paper", **changes)
    read = annotated(gold, kb)
    result = scored(read, options, "paper")
    (explained,) = explain_inputs(read, options, limit=None)
    task = paths_task(read, *chosen_run("paper", options, {"bootstrap": 0}))
    (documents,) = task.align(task.ids).values()
    for place, fall in enumerate(explained.waterfalls):
        counted = [int(result[fall.metric][part]) for part in ("tp", "gold", "system")]
        check_sums(fall, *counted)
        check_examples(fall)
        check_documents([(each, each.matchings[place]) for each in documents], fall, counted)


def check_examples(fall):
    """All examples together are all losses."""
    for fate, losses in (("missed", fall.missed), ("wrong", fall.wrong)):
        shown = [each for each in fall.examples if each.fate == fate]
        for reason, number in reasons(losses).items():
            assert number == sum(each.paths for each in shown if each.reason == reason)
        for each in shown:
            assert [fact.matched for fact in each.facts[: each.broken - 1]] == [True] * (each.broken - 1)
            assert all(fact.documents for fact in each.facts)


def check_documents(every, fall, counted):
    """A fact is in each of its documents, a path in one of them."""
    assert all(each.why for _, m in every for each in (*m.missed, *m.spurious))
    if fall.hop == 1:
        items = [
            (each.gold[pair.gold].id, each.system[pair.system].id) for each, m in every for pair in m.pairs
        ]  # fmt: skip
        right, found = {one for one, _ in items}, {other for _, other in items}
        missed = {each.gold[single.item].id for each, m in every for single in m.missed}
        wrong = {each.system[single.item].id for each, m in every for single in m.spurious}
        assert [len(right), len(right | missed)] == counted[:2]
        assert fall.metric.endswith(".system") or len(found | wrong) == counted[2]
        return
    assert [sum(m.numbers[side] for _, m in every) for side in ("gold", "system")] == counted[1:]
    for _, m in every:
        if "not listed" not in m.numbers:
            assert len(m.pairs) + len(m.missed) == m.numbers["gold"]
            assert len(m.pairs) + len(m.spurious) == m.numbers["system"]


def test_the_worked_example_step_by_step():
    example = kbp_annotation.worked_example()
    systems = tuple(
        KbSide(name, name, dict.fromkeys(kb.documents()), format="coldstart", kb=kb)
        for name, kb in example.systems.items()
    )
    documents = {each.id: each for each in example.gold}
    corpus = KbCorpus("g", example.gold)
    read = KbInputs(KbSide("gold", "g", documents, format="documents", corpus=corpus, links=example.links), systems)
    one, other = explain_inputs(read, make_options("paper"))
    first, second, third = one.waterfalls
    # Founder and an office in Oslo are not there, Employment became Membership; Dahl is half Bergen.
    assert reasons(first.missed) == {"relation-missing": 2, "relation-type": 1}
    assert reasons(first.wrong) == {"not-aligned": 1, "relation-missing": 1, "relation-type": 1}
    assert reasons(second.missed) == {"relation-missing": 4, "relation-type": 3}
    assert reasons(third.wrong) == {"not-aligned": 1, "relation-type": 2}
    (dahl,) = (each for each in first.examples if each.reason == "not-aligned")
    assert dahl.facts[0].subject == "S:A::Entity_06 (Dahl)"
    assert "1 of 2 are in D2-E3, 1 of 2 in D2-E4 (D2)" in dahl.detail
    assert [reasons(fall.missed) for fall in other.waterfalls] == [{"relation-missing": n} for n in (1, 4, 3)]
    # The system's own nodes: facts that are right do not join.
    _, both = explain_inputs(read, make_options("paper", identity_source="system"))
    assert both.waterfalls[2].metric == "kbp.hop3.system"
    (split, *_) = both.waterfalls[2].missed
    assert (split.reason, split.paths, split.at) == ("linked-elsewhere", 5, (0, 0, 0, 5))


# Reasons for triples, slowly


def naive_reason(triple, middle, other, mine):
    s, r, o = triple
    if any({x, z} == {s, o} for x, _, z in other - mine):
        return "relation-type"
    known = {node for x, _, z in other for node in (x, z)}
    if s not in known or o not in known:
        return "unknown-entity"
    spurious = other - mine
    if middle[1] and any((x, y) == (s, r) for x, y, _ in spurious):
        return "middle-entity"
    if middle[0] and any((y, z) == (r, o) for _, y, z in spurious):
        return "middle-entity"
    return "relation-missing"


def naive_losses(mine, other, hop, identity):
    """Counts by reason and place, from every walk of every lost path."""
    out = {}
    for s, r, o in sorted(mine):
        out.setdefault(s, []).append((s, r, o))
    walks = [[triple] for triple in sorted(mine)]
    for _ in range(hop - 1):
        walks = [[*walk, triple] for walk in walks for triple in out.get(walk[-1][2], ())]
    theirs = kbp_naive.paths(other, hop, identity=identity)
    best = {}
    for walk in walks:
        nodes = (walk[0][0], *(o for _, _, o in walk))
        key = tuple(r for _, r, _ in walk), (nodes if identity == "full" else (nodes[0], nodes[-1]))
        if key in theirs:
            continue
        right = [triple in other for triple in walk]
        rank = -sum(right), -right.index(False)
        if key not in best or rank < best[key][0]:
            best[key] = rank, walk, right.index(False)
    found = {}
    for _, walk, broken in best.values():
        reason = naive_reason(walk[broken], (broken > 0, broken < hop - 1), other, mine)
        found.setdefault(reason, [0] * (hop + 1))[broken] += 1
    return found


@given(kbp_naive.sides(size=10), kbp_naive.sides(size=10), st.sampled_from(["endpoints", "full"]))
def test_reasons_for_triples(gold, system, identity):
    read = plain(rows_of(gold), rows_of(system), documents=frozenset(f"d{n}" for n in range(kbp_naive.DOCUMENTS)))
    (found,) = explain_inputs(read, make_options(**PLAIN, hops=3, identity=identity), limit=0)
    ours, theirs = set(gold.triples), set(system.triples)
    for fall in found.waterfalls:
        for losses, one, other in ((fall.missed, ours, theirs), (fall.wrong, theirs, ours)):
            wanted = naive_losses(one, other, fall.hop, identity)
            assert {loss.reason: sum(loss.at) for loss in losses}.keys() == wanted.keys()
            # Of walks that come equally far, either may be taken; which facts break is then a matter of order.
            assert sum(loss.paths for loss in losses) == sum(map(sum, wanted.values()))
            if fall.hop == 1:
                assert {loss.reason: list(loss.at) for loss in losses} == wanted


def test_each_reason_for_triples():
    gold = [
        ("ana", "works", "corvex", "d"),
        ("corvex", "in", "oslo", "d"),
        ("tom", "works", "halden", "d"),
        ("halden", "in", "bergen", "d"),
        ("eva", "knows", "tom", "d"),
    ]
    system = [
        ("ana", "works", "halden", "d"),  # the middle is wrong
        ("corvex", "in", "oslo", "d"),
        ("tom", "leads", "halden", "d"),  # the relation is wrong
        ("halden", "in", "bergen", "d"),
        ("eva", "sees", "tom", "x"),  # not a document of gold
    ]
    (found,) = explain_inputs(plain(gold, system), make_options(**PLAIN, hops=2))
    first, second = found.waterfalls
    assert reasons(first.missed) == {"relation-missing": 1, "left-out": 1, "relation-type": 1}
    assert reasons(second.missed) == {"left-out": 1, "relation-type": 1, "middle-entity": 1}
    assert reasons(second.wrong) == {"relation-type": 1, "middle-entity": 1}
    details = {(each.fate, each.reason): each.detail for each in second.examples}
    assert details["missed", "middle-entity"] == "the system has ana works halden instead"
    assert details["wrong", "middle-entity"] == "gold has ana works corvex instead"
    assert details["missed", "left-out"] == "the system has sees between them, but its document is not scored (x)"
    assert details["missed", "relation-type"] == "the system has tom leads halden"


def test_a_right_relation_is_no_confusion():
    gold = [("a", "founded", "b", "d"), ("a", "works", "b", "d")]
    (found,) = explain_inputs(plain(gold, gold[1:]), make_options(**PLAIN, hops=1))
    assert reasons(found.waterfalls[0].missed) == {"relation-missing": 1}


# Reasons for annotation


def mention(document, start, text, **more):
    return Mention(document, start, start + len(text), text=text, **more)


TEXT = "Ana Ruiz runs Corvex in Oslo . Ruiz likes Bergen ."


def entity(id, *texts, level="NAM"):
    return Entity(id, "X", tuple(mention("d", TEXT.index(text), text, level=level) for text in texts))


GOLD = [
    entity("ana", "Ana Ruiz"),
    entity("corvex", "Corvex"),
    entity("oslo", "Oslo"),
    entity("bergen", "Bergen"),
]


ANA, CORVEX, OSLO = entity("s", "Ana Ruiz"), entity("o", "Corvex"), entity("p", "Oslo")
EMPLOYED = [("s", "Employment", "o")]


@pytest.mark.parametrize(
    ("nodes", "facts", "options", "missed", "wrong", "details"),
    [
        pytest.param(
            *([entity("s", "Ruiz runs"), CORVEX], EMPLOYED, {}, {"mention-not-found": 1}, {"mention-not-found": 1}),
            *[
                {
                    "no name of the system is a mention of N:Ana Ruiz (d)",
                    "s: none of its mentions is a gold mention (d)",
                }
            ],
            id="mention not found",
        ),
        pytest.param(
            *([entity("s", "Ana Ruiz", "runs"), CORVEX], EMPLOYED, {}, {"not-aligned": 1}, {"not-aligned": 1}, None),
            id="not aligned",
        ),
        pytest.param(  # of equal parts the smallest id
            *([entity("s", "Ana Ruiz", "Oslo", "Bergen"), CORVEX], EMPLOYED, {"threshold": 30}, {}, {}, set()),
            id="aligned by its id",
        ),
        pytest.param(
            *([entity("s", "Ana Ruiz", "Oslo", "Bergen"), CORVEX], EMPLOYED),
            *({"threshold": 30, "gold": [("oslo", "Employment", "corvex")]}, {"linked-elsewhere": 1}),
            {"linked-elsewhere": 1},
            {
                "mentions of N:Oslo belong to s, which is N:Ana Ruiz (d)",
                "s is N:Ana Ruiz, but has mentions of N:Oslo as well (d)",
            },
            id="linked elsewhere",
        ),
        ([ANA, CORVEX], [], {}, {"relation-missing": 1}, {}, None),
        ([ANA, CORVEX, OSLO], [("s", "Located", "p")], {}, {"relation-missing": 1}, {"relation-missing": 1}, None),
        ([ANA, CORVEX], [("s", "Membership", "o")], {}, {"relation-type": 1}, {"relation-type": 1}, None),
        ([ANA, CORVEX], [("o", "Employment", "s")], {}, {"relation-type": 1}, {"relation-type": 1}, None),
        pytest.param(
            *([ANA, CORVEX], [("s", "Employment", "o", 0.2)], {"min_confidence": 0.5}, {"left-out": 1}, {}),
            {"the system has Employment between them, but its confidence is too low (d)"},
            id="too low a confidence",
        ),
        pytest.param(  # in both directions
            *([ANA, CORVEX], [("s", "Family", "o")], {"gold": [("ana", "Lasting-Personal", "corvex")]}),
            *({}, {"left-out": 2}),
            {"gold has Lasting-Personal between them, but its relation does not count (d)"},
            id="a relation that does not count",
        ),
    ],
)
def test_each_reason_for_annotation(nodes, facts, options, missed, wrong, details):
    given = [("ana", "Employment", "corvex")]
    changes = {name: value for name, value in options.items() if name != "gold"}
    gold = KbDocument("d", GOLD, [Fact(*fact, "d") for fact in options.get("gold", given)], TEXT)
    kb = KnowledgeBase("run", nodes, [Fact(*fact[:3], "d", confidence=(*fact, 1.0)[3]) for fact in facts])
    (found,) = explain_inputs(annotated([gold], kb), make_options(hops=1, **changes))
    (fall,) = found.waterfalls
    assert (reasons(fall.missed), reasons(fall.wrong)) == (missed, wrong)
    assert details is None or {each.detail for each in fall.examples} == details


def test_the_document_in_which_the_system_came_farthest_counts():
    texts = {"d": [("ana", "Ana", 0), ("corvex", "Corvex", 5)], "e": [("ana", "Ana", 0), ("corvex", "Corvex", 5)]}
    gold = [
        KbDocument(
            name,
            [Entity(id, "X", (mention(name, start, text),)) for id, text, start in entities],
            [Fact("ana", "Employment", "corvex", name)],
        )
        for name, entities in texts.items()
    ]
    nodes = [Entity("s", "X", (mention("e", 0, "Ana"),)), Entity("o", "X", (mention("e", 5, "Corvex"),))]
    (found,) = explain_inputs(annotated(gold, KnowledgeBase("run", nodes)), make_options(hops=1))
    assert reasons(found.waterfalls[0].missed) == {"relation-missing": 1}
    (found,) = explain_inputs(annotated(gold, KnowledgeBase("run", nodes[:1])), make_options(hops=1))
    assert found.waterfalls[0].examples[0].detail == "no name of the system is a mention of N:Corvex (e)"


# Samples of paths


def hub(paths):
    """Many first nodes, each with some paths, and one with very many."""
    subjects = [0] * 50 + list(range(1, paths))
    objects = list(range(200, 250)) + [200 + n % 50 for n in range(1, paths)]
    return make_facts(
        subjects + list(range(200, 250)), [0] * (len(subjects) + 50), objects + [300 + n % 3 for n in range(50)]
    )


def test_too_many_paths_are_sampled():
    gold, system = hub(150), make_facts([1, 2, 201], [0, 0, 0], [201, 202, 301])
    sides = gold, system
    matched = matched_facts(*sides)
    whole = find_losses(Work(sides, 2), matched)
    assert whole.sample is None
    assert find_losses(Work(sides, 1), matched, most=1).sample is None  # one hop is always exact
    drawn = find_losses(Work(sides, 2), matched, most=40, seed=3)
    assert drawn.sample[:3] == (drawn.sample.drawn, 150, 1)
    assert 0 < drawn.sample.drawn <= 40
    assert drawn.gold.paths - drawn.both == len(drawn.gold.broken)
    again = find_losses(Work(sides, 2), matched, most=40, seed=3)
    assert np.array_equal(again.gold.facts, drawn.gold.facts)
    other = find_losses(Work(sides, 2), matched, most=40, seed=4)
    assert not np.array_equal(other.gold.facts, drawn.gold.facts)
    firsts = set(gold.subjects[drawn.gold.facts[:, 0]].tolist())
    assert 0 not in firsts
    # The lost paths of the sample are lost paths of the whole.
    everything = {tuple(row) for row in whole.gold.facts.tolist()}
    assert {tuple(row) for row in drawn.gold.facts.tolist()} <= everything


# Where a document says a fact


def shown(*ends, text=TEXT):
    return locate(Fact("s", "r", "o", "d"), *ends, None if text is None else KbDocument("d", text=text)).shown()


def test_names_that_are_close_together_are_shown():
    ana = Entity("s", mentions=(mention("d", 0, "Ana Ruiz"), mention("d", 31, "Ruiz"), mention("x", 2, "Ana")))
    bergen = Entity("o", mentions=(mention("d", 42, "Bergen"),))
    assert shown(ana, bergen).endswith(". [Ruiz] likes [Bergen] .")
    assert shown(ana, None).startswith("[Ana Ruiz] runs")
    assert locate(Fact("s", "r", "o", "d"), None, None, KbDocument("d", text=TEXT)) == Said("d", text=TEXT)
    assert shown(None, None) == ""
    assert shown(ana, bergen, text=None) == "[Ruiz] … [Bergen]"
    assert shown(None, bergen, text=None) == "[Bergen]"


def test_places_far_apart():
    text = "Ana " + "word " * 400 + "Corvex ends"
    ana = Entity("s", mentions=(mention("d", 0, "Ana"),))
    corvex = Entity("o", mentions=(mention("d", text.index("Corvex"), "Corvex"),))
    found = shown(ana, corvex, text=text)
    assert found.startswith("[Ana] word")
    assert found.endswith("word [Corvex] ends")
    assert " … " in found
    assert len(found) < LONGEST
    spans = ((2, 3 + LONGEST // 2),)
    fact = Fact("s", "r", "o", "d", Provenance(tuple(Span(*each) for each in spans)))
    assert "word" in locate(fact, None, None, KbDocument("d", text=text)).shown()


@given(st.lists(st.tuples(st.integers(-3, 60), st.integers(-3, 60)), max_size=4), st.text("ab \n", max_size=60))
def test_what_is_shown_is_text_of_the_document(places, text):
    mentions = tuple(Mention("d", *sorted(place)) for place in places)
    sides = Entity("s", mentions=mentions[:2]), Entity("o", mentions=mentions[2:])
    found = locate(Fact("s", "r", "o", "d"), *sides, KbDocument("d", text=text))
    for start, end in found.places:
        assert 0 <= start < end <= len(text)
    for piece in found.shown().replace("[", "").replace("]", "").split("…"):
        assert piece.strip(" ") in text


# The whole


def test_from_files():
    gold = b"ana\tworks\tcorvex\td\ncorvex\tin\toslo\td\n"
    (found,) = explain(gold, [gold.splitlines()[0]], hops=[2, 1], names=["A"], profile="paper")
    assert found.system == "A"
    assert [fall.hop for fall in found.waterfalls] == [2, 1]
    assert reasons(found.waterfalls[0].missed) == {"unknown-entity": 1}
    with pytest.raises(UsageError, match="0 hops are out of range"):
        explain(gold, gold, hops=[0])
    with pytest.raises(UsageError, match="no nodes of the system's own"):
        explain(gold, gold, identity_source="system")
