"""What is said of intervals and tests of scores that add over documents, checked by simulation; not run by default.

Shares over N corpora are uncertain themselves: 0.95 over 1000 has a standard error of 0.7 points, 0.05 over 1500 one of
0.6 points.
"""

from __future__ import annotations

import numpy as np
import pytest

from adjudge.stats.inference import Inference
from adjudge.stats.measure import Prf
from adjudge.stats.table import StatsTable
from made import made_result

F1 = (Prf("set.f1", ("s", "p"), ("s", "g")),)
KEY = ("set.f1", "f1")


def sizes(documents, rng, kind):
    """Gold items of every document: much the same everywhere, a few long documents, or few items of any kind."""
    if kind == "even":
        return rng.integers(8, 16, documents)
    if kind == "skewed":
        return 3 + np.minimum(40, rng.pareto(2.0, documents) * 5).astype(int)
    return rng.poisson(2.5, documents) + 1


def like(gold, rng):
    """A system of precision and recall about 0.65, better on some documents than on others."""
    share = rng.beta(6.5, 3.5, len(gold))
    matched = rng.binomial(gold, share)
    return np.stack((matched, matched + rng.poisson(0.35 * gold), gold), axis=1)


def unlike(gold, rng):
    """Two systems of F1 2/3: one has half of gold and nothing else, the other all of it and as much noise."""
    half = rng.binomial(gold, 0.5)
    return np.stack((half, half, gold), axis=1), np.stack((gold, gold + rng.poisson(gold), gold), axis=1)


def truth(kind):
    gold = sizes(400_000, np.random.default_rng(0), kind)
    matched, system, _ = like(gold, np.random.default_rng(1)).T
    return 2 * matched.sum() / (gold.sum() + system.sum())


def result_of(rows, **how):
    tables = {name: StatsTable(tuple(f"d{k:04}" for k in range(len(own))), "spg", own) for name, own in rows.items()}
    return made_result(task="t", profile="p", measures=F1, tables=tables, inference=Inference(**how))


def coverage(kind, documents, replicates, **how):
    """How often the interval of F1 holds the score of the population."""
    wanted, inside = truth(kind), 0
    for number in range(replicates):
        rng = np.random.default_rng([documents, number])
        f1 = result_of({"A": like(sizes(documents, rng, kind), rng)}, seed=number, **how)["set.f1"].f1
        inside += f1.low is not None and f1.low <= wanted <= f1.high
    return inside / replicates


def alarms(documents, replicates, pair, **how):
    """How often two systems of the same score are told apart."""
    found = 0
    for number in range(replicates):
        rng = np.random.default_rng([documents, number, 2])
        gold = sizes(documents, rng, "skewed")
        a, b = unlike(gold, rng) if pair == "unlike" else (like(gold, rng), like(gold, rng))
        (comparison,) = result_of({"A": a, "B": b}, seed=number, **how).comparisons
        found += comparison.p < 0.05
    return found / replicates


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["even", "skewed", "rare"])
@pytest.mark.parametrize("documents", [6, 10, 20])
def test_small_corpora_are_covered(kind, documents):
    assert 0.915 <= coverage(kind, documents, 1000) <= 0.975


@pytest.mark.slow
def test_percentiles_do_not_cover_small_corpora():
    assert coverage("skewed", 6, 500, interval="percentile", bootstrap=500) < 0.9


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["even", "skewed", "rare"])
def test_the_default_covers_large_corpora(kind):
    assert 0.925 <= coverage(kind, 150, 600, bootstrap=1000) <= 0.975


@pytest.mark.slow
@pytest.mark.parametrize("pair", ["like", "unlike"])
@pytest.mark.parametrize(("documents", "test"), [(10, "auto"), (40, "auto"), (40, "randomisation"), (120, "auto")])
def test_equal_systems_are_rarely_told_apart(pair, documents, test):
    found = alarms(documents, 1000, pair, test=test, bootstrap=500)
    assert found <= 0.07, found
