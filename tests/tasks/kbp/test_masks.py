import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kbp_naive as naive
from adjudge.tasks.kbp.counting import count_samples
from adjudge.tasks.kbp.facts import make_facts

PLAIN = naive.sides()
LABELLED = naive.sides(labelled=True)


def samples(width):
    row = st.lists(st.booleans(), min_size=width, max_size=width)
    return st.lists(row, min_size=naive.DOCUMENTS, max_size=naive.DOCUMENTS)


def recomputed(gold, system, presence, hops, **options):
    """(samples, hops, 3) by building every sample anew."""
    presence = np.asarray(presence)
    rows = []
    for column in range(presence.shape[1]):
        kept = set(np.flatnonzero(presence[:, column]).tolist())
        g = naive.Side({t: d for t, d in gold.triples.items() if d & kept}, gold.labels)
        s = naive.Side({t: d for t, d in system.triples.items() if d & kept}, system.labels)
        rows.append([naive.count(g, s, hop, **options) for hop in range(1, hops + 1)])
    return rows


def plain(counts):
    return np.stack((counts.both, counts.gold, counts.system), axis=-1).transpose(1, 0, 2).tolist()


def as_rows(rows):
    return [[list(counts) for counts in hops] for hops in rows]


@given(
    PLAIN | LABELLED,
    PLAIN | LABELLED,
    samples(6),
    st.sampled_from(["endpoints", "full"]),
    st.sampled_from(["all", "simple"]),
    st.sampled_from([8, 64, 1 << 20]),
)
@settings(max_examples=75)
def test_masks_agree_with_recomputation(gold, system, presence, identity, walks, block):
    options = {"identity": identity, "walks": walks}
    (found,) = count_samples([gold.facts, system.facts], presence, hops=3, block=block, **options)
    assert plain(found) == as_rows(recomputed(gold, system, presence, 3, **options))


@pytest.mark.parametrize("memory", [1, 1 << 29])
def test_a_thousand_samples_of_a_larger_corpus(memory):
    # More samples than one word holds, blocks of several first nodes, and samples in several passes.
    rng = np.random.default_rng(3)
    sides = []
    for _ in range(2):
        columns = [rng.integers(0, n, 300) for n in (60, 4, 60, 40)]
        sides.append(columns)
    presence = rng.random((40, 700)) < 0.6
    gold, system = (make_facts(*columns) for columns in sides)
    options = {"hops": 3, "block": 1 << 12, "memory": memory}
    (found,) = count_samples([gold, system], presence, **options)
    for sample in (0, 63, 64, 321, 699):
        kept = np.flatnonzero(presence[:, sample])
        own = []
        for columns in sides:
            at = np.isin(columns[3], kept)
            own.append(
                naive.Side({t: frozenset({0}) for t in zip(*(c[at].tolist() for c in columns[:3]), strict=True)})
            )
        expected = [naive.count(*own, hop) for hop in (1, 2, 3)]
        assert [tuple(int(part[hop, sample]) for part in found) for hop in range(3)] == expected


def test_codes_that_do_not_fit_are_ranked():
    # 400 relations and seven hops: the sequences alone need more than 60 bits.
    ring = naive.Side({(n, 399 - n, (n + 1) % 3): frozenset({n}) for n in range(3)})
    other = naive.Side({(n, 399 - n, (n + 1) % 3): frozenset({n, 3}) for n in range(3)} | {(1, 5, 1): frozenset({4})})
    presence = np.array([[1, 1], [1, 0], [1, 1], [0, 1], [1, 1]], dtype=bool)
    (found,) = count_samples([ring.facts, other.facts], presence, hops=9)
    assert plain(found) == as_rows(recomputed(ring, other, presence, 9))


def test_the_27_resamples_of_the_worked_example():
    expected = naive.cases()["worked_example"]["expected"]
    numbers = naive.corpus()
    gold = numbers.side(expected["gold_triples"]).facts
    systems = [numbers.side(expected[f"system_{name}_triples"]).facts for name in "AB"]
    exact = expected["bootstrap_exact"]
    drawn = [{numbers.document(d) for d in row["sample"]} for row in exact["samples_A"]]
    presence = np.array([[document in sample for sample in drawn] for document in range(3)])
    for name, found in zip("AB", count_samples([gold, *systems], presence, hops=3), strict=True):
        for at, row in enumerate(exact[f"samples_{name}"]):
            for hop, counts in row["counts"].items():
                assert [int(part[int(hop) - 1, at]) for part in found] == counts
