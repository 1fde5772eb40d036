"""Laws of names and scores of knowledge graphs, on random graphs."""

import random
from fractions import Fraction

import numpy as np
import pytest

import adjudge as aj
from adjudge.tasks.kbp.facts import make_facts, pack
from adjudge.tasks.kbp.graphs import graph_in_memory
from adjudge.tasks.kbp.inputs import read_inputs
from adjudge.tasks.kbp.naming import Naming, fold, rename_graphs
from adjudge.tasks.kbp.reach import Samples, connected_counts, distance_counts

NAMES = ("Ana", "ana", "ANA Ruiz", "ana_ruiz", "Ana Ruis", "Corvex", "corvexx", "Lyon", "“Lyon”", "Oslo")
RELATIONS = ("founded", "Founded", "basedIn", "based_in")
ALIASES = {"ana ruiz": "ana", "corvexx": "corvex"}


def graph(draw, most=9):
    rows = {
        (draw.choice(NAMES), draw.choice(RELATIONS), draw.choice(NAMES), draw.choice(("d1", "d2")))
        for _ in range(draw.randint(1, most))
    }
    return sorted(rows)


def renamed(gold, system, naming):
    read = read_inputs(gold, {"A": system}, ignore_documents=True)
    found = rename_graphs(read.gold.graph, [read.systems[0].graph], naming)
    return [set(each.table.rows()) for each in (found.gold, found.systems[0])], found


@pytest.mark.parametrize("seed", range(30))
def test_names(seed):
    draw = random.Random(seed)
    gold, system = graph(draw), graph(draw)
    (ours, theirs), _ = renamed(gold, system, Naming())
    for naming in (Naming("folded"), Naming("alias", ALIASES)):
        (mine, yours), found = renamed(gold, system, naming)
        mapped, _ = renamed(list(ours & theirs) or gold[:1], system, naming)
        assert not ours & theirs or mapped[0] <= mine & yours  # what is right stays right
        assert len(mine) + found.merged_gold == len(ours)
        assert len(yours) + found.merged[0] == len(theirs)
    pytest.importorskip("rapidfuzz")
    (mine, yours), _ = renamed(gold, system, Naming("folded"))
    (near, close), found = renamed(gold, system, Naming("fuzzy", None, Fraction(7, 10)))
    assert (near, len(close)) == (mine, len(yours))  # one to one: nothing is merged
    assert len(near & close) >= len(mine & yours)
    assert len({pair.gold for pair in found.pairs[0]}) == len(found.pairs[0])


@pytest.mark.parametrize("seed", range(12))
def test_scores(seed):
    draw = random.Random(seed)
    gold, system = graph(draw), graph(draw)
    if not {row[3] for row in gold} & {row[3] for row in system}:
        system = gold
    options = {"names": "folded", "graph": True, "bootstrap": 0, "hops": 2}
    one = aj.score("kbp", gold, {"A": system, "gold": gold}, docs=["d1", "d2"], **options)
    other = aj.score("kbp", system, {"A": gold}, docs=["d1", "d2"], **options)
    again = aj.score("kbp", gold[::-1], {"A": system[::-1], "gold": gold[::-1]}, docs=["d2", "d1"], **options)
    for metric in ("kbp.triples", "kbp.triples.micro", "kbp.triples.partial.micro", "kbp.pairs.undirected"):
        assert one[metric, "gold"].f1 == 1
        assert one[metric, "A"].precision == other[metric, "A"].recall
        assert one[metric, "A"].f1 == other[metric, "A"].f1 == again[metric, "A"].f1
    assert one["kbp.triples.partial.micro", "A"].recall >= one["kbp.triples.micro", "A"].recall


def test_folding_is_a_projection():
    for name in (*NAMES, *RELATIONS, "Straße", "ﬁn", "«x»", "  ", '""'):
        assert fold(fold(name)) == fold(name)


def test_an_inverse_exchanges_the_ends():
    gold, system = [("Ana", "parent_of", "Ben")], [("Ben", "child_of", "Ana")]
    result = aj.score("kbp", gold, system, system_relations={"child_of": "^parent_of"}, bootstrap=0)
    assert result["kbp.hop1"].f1 == 1


def test_types_tell_entities_apart():
    paris = [
        {"s": {"name": "Paris", "type": kind}, "p": "r", "o": {"name": "b", "type": "X"}} for kind in ("GPE", "PER")
    ]
    assert aj.score("kbp", paris[:1], paris[1:], bootstrap=0)["kbp.hop1"].f1 == 1
    assert aj.score("kbp", paris[:1], paris[1:], typed=True, bootstrap=0)["kbp.hop1"].f1 == 0
    assert graph_in_memory(paris, "x").types == {"Paris": "GPE", "b": "X"}


def distances(edges, hops):
    """Plain breadth-first search: how many steps lead from a node to another one."""
    found = {}
    for start in {node for edge in edges for node in edge}:
        reached, edge = {start}, {start}
        for step in range(1, hops + 1):
            edge = {o for s, o in edges if s in edge} - reached
            reached |= edge
            found |= {(start, node): step for node in edge}
    return found


def together(edges):
    """The pairs of names in one component: those that lead to each other in any direction."""
    both = {*edges, *((o, s) for s, o in edges)}
    return {frozenset(pair) for pair in distances(both, len(both) + 1)}


@pytest.mark.parametrize("seed", range(8))
def test_every_sample_is_counted_as_its_documents_are(seed):
    draw, hops = np.random.default_rng(seed), 3
    sides = [draw.integers(0, 9, (draw.integers(1, 14), 4)) % (9, 2, 9, 5) for _ in range(3)]
    chosen = draw.random((5, 70)) < 0.6
    samples = Samples(pack(chosen), 70)
    facts = [make_facts(*rows.T) for rows in sides]
    connected, apart = connected_counts(facts, samples), distance_counts(facts, hops, samples)
    for sample in range(70):
        gold, *systems = ({(s, o) for s, _, o, d in rows.tolist() if chosen[d, sample]} for rows in sides)
        for place, system in enumerate(systems):
            ours, theirs = together(gold), together(system)
            expected = len(ours & theirs), len(ours), len(theirs)
            assert tuple(int(column[sample]) for column in connected[place]) == expected
            far, near = distances(gold, hops), distances(system, hops)
            for step, (both, all_) in enumerate(apart[place], 1):
                own = [pair for pair, steps in far.items() if steps == step]
                assert all_[sample] == len(own)
                assert both[sample] == sum(near.get(pair, hops + 1) <= step for pair in own)


def test_connections_have_intervals():
    draw = random.Random(1)
    gold = [(f"n{draw.randrange(40)}", "r", f"n{draw.randrange(40)}", f"d{d}") for d in range(12) for _ in range(4)]
    result = aj.score("kbp", gold, {"A": gold[::2], "B": gold[1:]}, graph=True, bootstrap=50, hops=2)
    for metric in ("kbp.connected", "kbp.distance1", "kbp.distance2"):
        score = next(each for each in result.systems[0].scores if (each.metric, each.part) == (metric, "recall"))
        assert score.low < score.value < score.high
    assert "no intervals" not in " ".join(note.message for note in result.notes)
