"""The ranking: medians of shared corpora, ranges of ranks, who beats whom."""

import numpy as np
import pytest

from adjudge.errors import UsageError
from adjudge.stats.points import Additive
from adjudge.stats.ranking import rank_distribution
from adjudge.stats.resample import bootstrap
from adjudge.stats.table import StatsTable
from adjudge.tasks.eal.measures import columns, measures
from adjudge.tasks.eal.ranking import java_indices, java_weights, rank_systems, render_ranking
from adjudge.tasks.eal.settings import Settings

KEY = ("eal.overall", "score")


def table(seed, documents=20):
    rng = np.random.default_rng(seed)
    names = columns(Settings())
    rows = []
    for _ in range(documents):
        gold, tp, fp = 10, rng.integers(0, 10), rng.integers(0, 12)
        size, f = 6, rng.random() * 6
        row = dict.fromkeys(names, 0.0)
        row |= {"eal.argument:tp": tp, "eal.argument:system": tp + fp, "eal.argument:gold": gold}
        row |= {"eal.argument:raw": max(0.0, tp - fp / 4), "eal.linking:f": f, "eal.linking:size": size}
        rows.append(tuple(float(row[name]) for name in names))
    return StatsTable(tuple(f"d{n}" for n in range(documents)), names, tuple(rows), {})


@pytest.fixture(scope="module")
def tables():
    return {name: table(seed) for seed, name in enumerate("ABC")}


def test_ranks_are_those_of_shared_samples(tables):
    formulas = measures(Settings())
    ranking = rank_systems(tables, formulas, resamples=200, seed=5)
    samples = bootstrap(
        {name: Additive(each, tuple(formulas)) for name, each in tables.items()},
        resamples=200,
        seed=5,
    )
    values = {name: samples[name][KEY] for name in tables}
    expected = rank_distribution(values)
    assert tuple(each.system for each in ranking.standings) == expected.order
    for each in ranking.standings:
        assert each.wins == pytest.approx(expected.beats[each.system])
        assert each.rank_shares == pytest.approx(expected.shares(each.system))
        assert each.ranks == expected.ranges[each.system]
        assert each.median == pytest.approx(float(np.median(values[each.system])))
        assert each.low <= each.median <= each.high
        for other in ranking.standings:
            if other is not each:
                assert each.wins[other.system] + other.wins[each.system] + each.ties[other.system] == pytest.approx(1)


def test_ties_are_told_apart_from_wins(tables):
    same = {"A": tables["A"], "B": tables["A"]}
    ranking = rank_systems(same, measures(Settings()), resamples=50)
    assert [(each.rank, each.wins, each.ties) for each in ranking.standings] == [
        (1, {"B": 0.0}, {"B": 1.0}),
        (1, {"A": 0.0}, {"A": 1.0}),
    ]
    text = render_ranking(ranking)
    assert "0.0 +100.0" in text
    assert "ranking by the median over 50 corpora (seed 13, numpy)" in text


def test_without_linking_arguments_are_ranked(tables):
    chosen = Settings(linking=False)
    names = columns(chosen)
    places = [columns(Settings()).index(name) for name in names]
    only = {
        name: StatsTable(each.ids, names, tuple(tuple(row[at] for at in places) for row in each.values), {})
        for name, each in tables.items()
    }
    assert rank_systems(only, measures(chosen), resamples=20).metric == "eal.argument"
    with pytest.raises(UsageError, match="needs resamples"):
        rank_systems(only, measures(chosen), resamples=0)


def slow_java(documents, resamples, seed):
    """java.util.Random as its documentation has it, one number after the other."""
    state = (seed ^ 0x5DEECE66D) & ((1 << 48) - 1)

    def next_int(bound):
        nonlocal state
        while True:
            state = (state * 0x5DEECE66D + 0xB) & ((1 << 48) - 1)
            bits = state >> 17
            if bound & -bound == bound:
                return (bound * bits) >> 31
            if bits - bits % bound + bound - 1 < 1 << 31:
                return bits % bound

    return [[next_int(documents) for _ in range(documents)] for _ in range(resamples)]


@pytest.mark.parametrize(("documents", "seed"), [(1, 0), (7, 3), (64, 1), (100, -5), (333, 2**40)])
def test_java_draws(documents, seed):
    assert java_indices(documents, 20, seed).tolist() == slow_java(documents, 20, seed)
    weights = np.concatenate(list(java_weights(documents, 20, seed, block=documents * 3)))
    assert weights.sum(axis=1).tolist() == [documents] * 20
    assert weights[0].tolist() == np.bincount(slow_java(documents, 1, seed)[0], minlength=documents).tolist()


def test_numbers_at_the_upper_end_are_drawn_again():
    """With this bound nearly half of the numbers are refused, so the sequence is not one of simple remainders."""
    bound = (1 << 30) + 1
    state, seen = (0 ^ 0x5DEECE66D) & ((1 << 48) - 1), []
    while len(seen) < 50:
        state = (state * 0x5DEECE66D + 0xB) & ((1 << 48) - 1)
        bits = state >> 17
        if bits - bits % bound + bound - 1 < 1 << 31:
            seen.append(bits % bound)
    from adjudge.tasks.eal.ranking import _states

    states = _states((0 ^ 0x5DEECE66D) & ((1 << 48) - 1), 200)
    bits = (states >> np.uint64(17)).astype(np.int64)
    drawn = bits % bound
    assert drawn[bits - drawn + bound - 1 < 1 << 31][:50].tolist() == seen
