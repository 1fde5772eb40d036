import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kbp_naive as naive
from adjudge.errors import UsageError
from adjudge.tasks.kbp.counting import count_paths
from adjudge.tasks.kbp.facts import make_facts
from adjudge.tasks.kbp.sampling import sample_paths, source_counts

SIDES = naive.sides() | naive.sides(labelled=True)


@given(SIDES, SIDES, st.integers(1, 3), st.sampled_from([1, 1 << 20]))
@settings(max_examples=40)
def test_counts_per_first_node_agree_with_sets(gold, system, hop, block):
    sets = naive.sets(gold, system, hop)
    sources = np.array(sorted({nodes[0] for found in sets for _, nodes in found}), dtype=np.int64)
    found = source_counts(gold.facts, system.facts, sources, hop=hop, block=block)
    for column, source in enumerate(sources.tolist()):
        g, s = ({path for path in own if path[1][0] == source} for own in sets)
        assert found[:, column].tolist() == [len(g & s), len(g), len(s)]


def pair(seed, nodes=1000, facts=3000):
    rng = np.random.default_rng(seed)
    popular = 1 / np.arange(1, nodes + 1) ** 0.7
    popular /= popular.sum()
    gold = np.array(
        [rng.choice(nodes, facts, p=popular), rng.integers(0, 4, facts), rng.choice(nodes, facts, p=popular)]
    )
    noise = np.array([rng.choice(nodes, facts), rng.integers(0, 4, facts), rng.choice(nodes, facts, p=popular)])
    return make_facts(*gold), make_facts(*np.where(rng.random(facts) < 0.6, gold, noise))


@pytest.fixture(scope="module")
def truth():
    gold, system = pair(5)
    total = count_paths(gold, system, hops=3)[2].total
    scores = {
        "precision": total.both / total.system,
        "recall": total.both / total.gold,
        "f1": 2 * total.both / (total.gold + total.system),
    }
    return gold, system, total, scores


def test_estimates_are_within_their_bounds(truth):
    gold, system, total, scores = truth
    inside = dict.fromkeys(scores, 0)
    runs, sums = 40, np.zeros(3)
    for seed in range(runs):
        found = sample_paths(gold, system, hop=3, draws=200, seed=seed)
        assert not found.complete
        assert found.draws == 200
        assert found.sources < 200
        sums += (found.both, found.gold, found.system)
        for part, true in scores.items():
            estimate = getattr(found, part)
            assert (
                estimate.low <= true <= estimate.high
            )  # without approximation: expected to fail once in many hundreds
            assert estimate.low <= estimate.value <= estimate.high
            inside[part] += abs(estimate.value - true) <= estimate.error
    # Nominal 95 %: 38 of 40; fewer than 33 has probability below one in a thousand.
    assert min(inside.values()) >= 33, inside
    assert sums / runs == pytest.approx(np.array(total, dtype=float), rel=0.02)


def test_one_draw_is_not_enough(truth):
    with pytest.raises(UsageError, match="draws is 1"):
        sample_paths(*truth[:2], hop=2, draws=1)


def test_nothing_at_all():
    empty = make_facts([], [], [])
    found = sample_paths(empty, empty, hop=2)
    assert (found.gold, found.f1.value) == (0.0, 0.0)
