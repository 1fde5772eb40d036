import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kbp_naive as naive
from adjudge.errors import UsageError
from adjudge.tasks.kbp import products
from adjudge.tasks.kbp.counting import count_paths
from adjudge.tasks.kbp.facts import Counts, assertions, closed, combine, make_facts, walks_from
from adjudge.tasks.kbp.products import count_products, relations_of

PLAIN = naive.sides()
LABELLED = naive.sides(labelled=True)


def as_plain(found):
    return [{sequence: tuple(counts) for sequence, counts in hop.sequences.items()} for hop in found]


def expected(gold, system, hops, **options):
    return [naive.by_sequence(gold, system, hop, **options) for hop in range(1, hops + 1)]


@given(PLAIN | LABELLED, PLAIN | LABELLED, st.integers(1, 4), st.sampled_from([1, 3, 1 << 20]), st.booleans())
@settings(max_examples=150)
def test_products_agree_with_sets(gold, system, hops, block, symbolic):
    with pytest.MonkeyPatch.context() as patch:
        if not symbolic:
            patch.setattr(products, "_sizing", lambda: None)
        found = count_products(relations_of(gold.facts, system.facts), hops, block=block)
    found = {sequence: tuple(counts) for sequence, counts in found.items() if counts.gold or counts.system}
    assert found == {key: own for hop in expected(gold, system, hops) for key, own in hop.items()}


@given(PLAIN | LABELLED, PLAIN | LABELLED, st.sampled_from(["endpoints", "full"]), st.sampled_from(["all", "simple"]))
@settings(max_examples=250)
def test_every_way_to_count_agrees_with_sets(gold, system, identity, walks):
    found = count_paths(gold.facts, system.facts, hops=3, identity=identity, walks=walks)
    assert as_plain(found) == expected(gold, system, 3, identity=identity, walks=walks)


@given(PLAIN)
@settings(max_examples=50)
def test_walks_are_counted(gold):
    walks = walks_from(gold.facts, 3).sum(axis=1)
    assert walks.tolist() == [len(naive.paths(gold.triples, hop, identity="full")) for hop in (1, 2, 3)]


def test_graph_cases():
    for case in naive.cases()["graph_cases"]:
        gold, system = naive.case_facts(case)
        found = count_paths(gold, system, hops=max(map(int, case["expected"])), **case["options"])
        for hop, numbers in case["expected"].items():
            assert tuple(found[int(hop) - 1].total) == (numbers["tp"], numbers["n_gold"], numbers["n_sys"]), case[
                "name"
            ]


def test_worked_example():
    expected = naive.cases()["worked_example"]["expected"]
    numbers = naive.corpus()
    gold = numbers.side(expected["gold_triples"]).facts
    variants = {
        "paper (endpoints, walks, as annotated)": {},
        "full identity": {"identity": "full"},
        "endpoints, simple paths": {"walks": "simple"},
    }
    for name, variant in itertools.product("AB", variants):
        system = numbers.side(expected[f"system_{name}_triples"]).facts
        found = count_paths(gold, system, hops=3, **variants[variant])
        for hop, row in expected["scores"][name][variant].items():
            assert tuple(found[int(hop) - 1].total) == (row["tp"], row["n_gold"], row["n_sys"]), (name, variant)


@pytest.mark.parametrize("name", ["A", "B"])
def test_worked_example_with_nodes_of_the_system(name):
    example = naive.cases()["worked_example"]
    expected = example["expected"]
    numbers = naive.corpus()
    gold = numbers.side(expected["gold_triples"]).facts
    known = expected["corpus_alignment"]
    scope = {
        (row["subject"], row["relation"], row["object"], row["doc"])
        for row in expected["system_A_log"]
        if row["status"] == "out of scope"
    }
    node = naive.Numbers()
    rows = []
    for row in example[f"system_{name}"]:
        if (row["subject"], row["relation"], row["object"], row["doc"]) in scope or ":Entity_11" in row.values():
            continue
        ends = node(row["subject"]), node(row["object"])
        rows.append((ends[0], numbers.relation(row["relation"]), ends[1], numbers.document(row["doc"])))
    labels = [numbers.node(known[n] or f"S:{n}") for n in node.known]
    found = count_paths(gold, make_facts(*zip(*rows, strict=True), labels=labels), hops=3)
    for hop, row in expected["scores"][name]["system identity (join, then map endpoints)"].items():
        assert tuple(found[int(hop) - 1].total) == (row["tp"], row["n_gold"], row["n_sys"])


@pytest.mark.parametrize("symbolic", [True, False])
def test_256_witnesses_do_not_vanish(symbolic, monkeypatch):
    # In 8-bit integers 256 witnesses add up to nothing.
    fan = make_facts([0] * 256 + list(range(1, 257)), [0] * 256 + [1] * 256, list(range(1, 257)) + [300] * 256)
    if not symbolic:
        monkeypatch.setattr(products, "_sizing", lambda: None)
    assert count_paths(fan, fan, hops=2)[1].total == Counts(1, 1, 1)


def test_walks_beyond_64_bits_are_counted():
    # From node 0 there are 2^(n/2) walks of n hops, and so there are from 1 and 2 if n is even.
    fan = make_facts([0, 0, 1, 2], [0, 0, 0, 0], [1, 2, 0, 0])
    found = count_paths(fan, make_facts([0], [0], [0]), hops=130, identity="full")
    assert found[-1].total == Counts(0, 3 * 2**65, 1)


@given(PLAIN, st.permutations(range(7)), st.permutations(range(3)))
@settings(max_examples=40)
def test_names_do_not_matter(gold, nodes, relations):
    renamed = naive.Side({(nodes[s], relations[r], nodes[o]): d for (s, r, o), d in gold.triples.items()})
    one, other = (count_paths(side.facts, side.facts) for side in (gold, renamed))
    assert [hop.total for hop in one] == [hop.total for hop in other]
    assert all(hop.total.both == hop.total.gold == hop.total.system for hop in one)


@given(PLAIN)
@settings(max_examples=40)
def test_assertions_and_facts_go_both_ways(side):
    facts = side.facts
    s, r, o, d = assertions(facts)
    again = make_facts(np.tile(s, 2), np.tile(r, 2), np.tile(o, 2), np.tile(d, 2))
    for one, other in zip(facts[:5], again[:5], strict=True):
        assert one.tolist() == other.tolist()
    rows = {(a, b, c): set(facts.documents[x:y].tolist()) for a, b, c, x, y in _rows(facts)}
    assert rows == side.triples


def _rows(facts):
    columns = (facts.subjects, facts.relations, facts.objects, facts.starts[:-1], facts.starts[1:])
    return zip(*(column.tolist() for column in columns), strict=True)


@given(PLAIN, PLAIN)
@settings(max_examples=40)
def test_closing_both_sides_under_an_inverse_keeps_precision_and_recall(gold, system):
    inverse = {0: 3, 1: 4, 2: 5, 3: 0, 4: 1, 5: 2}
    before = count_paths(gold.facts, system.facts, hops=1)[0].total
    after = count_paths(closed(gold.facts, inverse), closed(system.facts, inverse), hops=1)[0].total
    assert tuple(after) == tuple(2 * n for n in before)


def test_closing_keeps_the_documents():
    side = closed(make_facts([0, 1], [0, 1], [1, 2], [4, 5]), {0: 0})
    assert {(s, r, o): d for s, r, o, d in zip(*map(list, assertions(side)), strict=True)} == {
        (0, 0, 1): 4,
        (1, 0, 0): 4,
        (1, 1, 2): 5,
    }


def test_keys_that_do_not_fit_are_ranked():
    columns = [np.array([3, 1, 3, 2]), np.array([0, 9, 0, 9]), np.array([1, 1, 0, 1])]
    key = combine(columns, [1 << 40, 1 << 40, 1 << 40])
    assert np.argsort(key, kind="stable").tolist() == [1, 3, 2, 0]


def test_too_many_walks_are_refused_before_they_are_made():
    full = make_facts(*(np.array(c) for c in zip(*itertools.product(range(40), [0], range(40)), strict=True)))
    with pytest.raises(UsageError, match="too many to go through one by one"):
        count_paths(full, full, hops=6, walks="simple")
