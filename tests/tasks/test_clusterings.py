"""Clusters of a corpus equal the coreference metrics on the corpus as one document, whatever the weights."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.evaluate.clusterings import contingency
from adjudge.metrics import find

CLUSTERINGS = ("muc", "b3", "ceafm", "ceafe", "pairwise")
METRICS = {kind: find(f"coref.{kind}") for kind in CLUSTERINGS if kind != "pairwise"}
ITEMS = st.dictionaries(st.integers(0, 6), st.one_of(st.none(), st.sampled_from("abcd")), max_size=7)
CORPORA = st.integers(1, 4).flatmap(
    lambda n: st.tuples(
        st.lists(ITEMS, min_size=n, max_size=n),
        st.lists(ITEMS, min_size=n, max_size=n),
        st.lists(st.integers(0, 3), min_size=n, max_size=n),
    )
)


def as_chains(side, weights):
    """The corpus in which a document of weight w stands w times, as chains of one document."""
    chains = {}
    for document, (items, weight) in enumerate(zip(side, weights, strict=True)):
        for copy in range(weight):
            for item, name in items.items():
                # Copies of an item without a cluster are in one cluster: the document says the same twice.
                key = (document, item) if name is None else name
                chains.setdefault(key, []).append([document, copy, item])
    return list(chains.values())


def expected(kind, gold, system):
    if kind == "pairwise":

        def pairs(chains):
            return {
                frozenset((tuple(a), tuple(b))) for chain in chains for a in chain for b in chain if tuple(a) < tuple(b)
            }

        mine, yours = pairs(gold), pairs(system)
        return len(mine & yours), len(yours), len(mine & yours), len(mine)
    metric = METRICS[kind]
    counts = [metric.observe({"clusters": gold}, {"clusters": system}).counts[column] for column in metric.columns]
    return tuple(counts) if len(counts) == 4 else (counts[0], counts[1], counts[0], counts[2])


@settings(deadline=None, max_examples=75)
@given(CORPORA)
def test_weighted_documents_equal_the_coreference_of_one_document(corpora):
    gold, system, weights = corpora
    table = contingency(gold, system)
    rows = np.array([weights, [1] * len(gold)], dtype=float)
    found = table.weighted(CLUSTERINGS, rows)
    for place, row in enumerate((weights, [1] * len(gold))):
        chains = as_chains(gold, row), as_chains(system, row)
        for kind in CLUSTERINGS:
            counts = [float(part[place]) for part in found[kind]]
            assert counts == pytest.approx(expected(kind, *chains)), (kind, row)
    chosen = [place for place, weight in enumerate(weights) if weight]
    for places in (chosen, list(range(len(gold)))):
        chains = [as_chains([side[at] for at in places], [1] * len(places)) for side in (gold, system)]
        for kind, counts in table.counts(CLUSTERINGS, places).items():
            assert counts == pytest.approx(expected(kind, *chains)), (kind, places)


def test_blocks_do_not_change_anything(monkeypatch):
    gold = [{1: "a", 2: "b"}, {1: "a", 3: "b"}, {2: "a"}]
    system = [{1: "x", 2: "x"}, {1: "x", 3: "y"}, {2: "y"}]
    table = contingency(gold, system)
    weights = np.random.default_rng(1).integers(0, 3, (20, 3)).astype(float)
    whole = table.weighted(CLUSTERINGS, weights)
    monkeypatch.setattr("adjudge.evaluate.clusterings._CELLS", 1)
    for kind, parts in table.weighted(CLUSTERINGS, weights).items():
        for one, other in zip(parts, whole[kind], strict=True):
            assert one.tolist() == other.tolist()


def test_clusters_across_documents_worked_out_by_hand():
    # Gold: a has items in both documents (3 items), b has one. System: x = the two items of document 1, y the rest.
    gold = [{1: "a", 2: "a"}, {1: "a", 2: "b"}]
    system = [{1: "x", 2: "x"}, {1: "y", 2: "y"}]
    found = contingency(gold, system).weighted(CLUSTERINGS, np.ones((1, 2)))
    # Common items: a-x 2, a-y 1, b-y 1.
    assert [float(part[0]) for part in found["muc"]] == [1, 2, 1, 2]  # (2 - 1) + 0 + 0; (2 - 1) + (2 - 1); (3 - 1) + 0
    assert [float(part[0]) for part in found["pairwise"]] == [1, 2, 1, 3]
    assert [float(part[0]) for part in found["ceafm"]] == [3, 4, 3, 4]  # a-x and b-y
    # Dice: a-x 4/5, b-y 2/3.
    assert [float(part[0]) for part in found["ceafe"]] == pytest.approx([22 / 15, 2, 22 / 15, 2])
    # B3: precision 2 * 2/2 + 1/2 + 1/2 of 4; recall 2 * 2/3 + 1/3 + 1 of 4.
    assert [float(part[0]) for part in found["b3"]] == pytest.approx([3, 4, 8 / 3, 4])


def test_nothing_on_either_side():
    for kind, parts in contingency([{}, {}], [{}, {}]).weighted(CLUSTERINGS, np.ones((2, 2))).items():
        assert [part.tolist() for part in parts] == [[0, 0]] * 4, kind
