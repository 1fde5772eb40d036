"""Intervals cover what they say: simulated pools and corpora, of which samples are drawn again and again."""

import math

import numpy as np
import pytest

from adjudge.estimates.draw import Plan, draw, pivotal, probabilities
from adjudge.estimates.items import estimate_items
from adjudge.estimates.pool import METRIC, Sample
from adjudge.estimates.rows import interval
from adjudge.estimates.whole import Documents, estimate_whole
from adjudge.stats.draws import Stream
from adjudge.stats.intervals import Parts, score_interval, student_interval
from adjudge.stats.measure import Ratio
from adjudge.stats.points import Additive
from adjudge.stats.ranking import rank_sets
from adjudge.stats.runs import Runs
from adjudge.stats.table import StatsTable

LEVEL = 0.95
RATIO = (Ratio("x", "score", (("matched", 1.0),), (("of", 1.0),)),)


def allowed(times, low=0.93, high=0.97):
    """0.93 to 0.97, and two binomial errors more."""
    slack = 2 * math.sqrt(0.05 * 0.95 / times)
    return low - slack, min(1.0, high + slack)


def within(hits, times):
    low, high = allowed(times)
    assert low <= hits / times <= high, hits / times


def population(rng, size, right, *, judge):
    """Items of three systems, and a judge: one that is biased, one that is always wrong, one that says nothing."""
    truth = rng.random(size) < right
    chances = np.where(truth[:, None], [0.75, 0.6, 0.5], [0.35, 0.3, 0.5])
    member = rng.random((size, 3)) < chances
    opinion = np.clip(0.25 + 0.5 * truth + 0.15 * member[:, 0] + rng.normal(0, 0.2, size), 0, 1)
    opinions = {"biased": opinion, "adversarial": 1 - opinion, "flat": np.full(size, 0.5)}
    return truth.astype(float), member, opinions[judge]


def covered(truth, member, opinion, size, assist, times, seed):
    """How often the interval of each part holds the value of the whole pool, over all systems."""
    rng = np.random.default_rng(seed)
    true = {
        "precision": truth @ member / member.sum(axis=0),
        "recall": truth @ member / truth.sum(),
        "f1": 2 * (truth @ member) / (member.sum(axis=0) + truth.sum()),
    }
    hits = dict.fromkeys(true, 0)
    p = np.full(len(truth), size / len(truth))
    for _ in range(times):
        drawn = np.zeros(len(truth), dtype=bool)
        drawn[rng.permutation(len(truth))[:size]] = True
        verdict = np.where(drawn, truth, np.nan)
        sample = Sample(member, opinion, verdict, p, drawn, np.zeros(len(truth), dtype=np.int64))
        found = estimate_items(sample, assist, "fixed")
        for part, wanted in true.items():
            values = found.values[METRIC, part]
            variances = [found.spread.variance((METRIC, part), values, at) for at in range(member.shape[1])]
            for at in range(member.shape[1]):
                low, high = interval(float(values[at]), float(variances[at]), found.spread.freedom, LEVEL, (0.0, 1.0))
                hits[part] += low <= wanted[at] <= high
    return {part: number / (times * member.shape[1]) for part, number in hits.items()}


@pytest.mark.parametrize("assist", ["constant", "judge"])
@pytest.mark.parametrize(("judge", "seed"), [("biased", 1), ("adversarial", 2)])
def test_items(judge, assist, seed):
    made = population(np.random.default_rng(seed), 260, 0.4, judge=judge)
    for part, share in covered(*made, 90, assist, 400, seed).items():
        low, high = allowed(400)
        assert low <= share <= high, (part, share)


def test_a_useless_judge_costs_nothing_and_a_good_one_narrows():
    rng = np.random.default_rng(3)
    widths = {}
    for judge in ("biased", "flat"):
        truth, member, opinion = population(np.random.default_rng(3), 400, 0.4, judge=judge)
        drawn = np.zeros(400, dtype=bool)
        drawn[rng.permutation(400)[:120]] = True
        p, none = np.full(400, 0.3), np.zeros(400, dtype=np.int64)
        sample = Sample(member, opinion, np.where(drawn, truth, np.nan), p, drawn, none)
        for assist in ("constant", "judge"):
            found = estimate_items(sample, assist, "fixed")
            widths[judge, assist] = sum(
                found.spread.variance((METRIC, "f1"), found.values[METRIC, "f1"], at) for at in range(3)
            )
    assert widths["flat", "judge"] == pytest.approx(widths["flat", "constant"], rel=1e-9)
    assert widths["biased", "judge"] < 0.8 * widths["biased", "constant"]


@pytest.mark.parametrize("judged", [False, True])
def test_documents_assessed_whole(judged):
    rng = np.random.default_rng(4)
    number, size, times = 80, 20, 400
    of = rng.integers(2, 15, number).astype(float)
    good = rng.beta(3, 2, (number, 2))
    counts = np.stack([np.stack([rng.binomial(of.astype(int), good[:, s]), of], axis=1) for s in (0, 1)], axis=1) * 1.0
    guess = counts.copy()
    guess[:, :, 0] = np.clip(guess[:, :, 0] + rng.normal(0.5, 1.0, (number, 2)), 0, None)
    true = counts[:, :, 0].sum(axis=0) / counts[:, :, 1].sum(axis=0)
    hits = apart = 0
    for _ in range(times):
        drawn = np.sort(rng.permutation(number)[:size])
        documents = Documents(
            ("matched", "of"),
            counts[drawn],
            np.full(size, size / number),
            np.zeros(size),
            guess if judged else None,
            drawn,
        )
        found = estimate_whole(RATIO, ("x", "score"), documents)
        for at, variance in enumerate(found.variance()):
            low, high = interval(float(found.values[at]), float(variance), found.freedom, LEVEL, (0.0, 1.0))
            hits += low <= true[at] <= high
        error = math.sqrt(found.difference_variance(0, 1))
        low, high, *_ = student_interval(
            found.values[0] - found.values[1], error, found.freedom, level=LEVEL, signed=True
        )
        apart += low <= true[0] - true[1] <= high
    within(hits / 2, times)
    within(apart, times)


def test_clusters_are_needed_where_documents_come_in_stories():
    rng = np.random.default_rng(5)
    hits = {True: 0, False: 0}
    truth = np.mean(1 / (1 + np.exp(-0.5 - np.random.default_rng(0).normal(0, 0.8, 200_000))))
    for _ in range(400):
        stories = rng.normal(0, 0.8, 30)
        story = np.repeat(np.arange(30), 4)
        chance = 1 / (1 + np.exp(-0.5 - stories[story]))
        of = rng.integers(3, 9, 120)
        rows = np.stack([rng.binomial(of, chance), of], axis=1)
        table = StatsTable(tuple(f"d{at:03}" for at in range(120)), ("matched", "of"), rows)
        for clustered in hits:
            counts = Additive(table, RATIO, clusters=tuple(map(str, story)) if clustered else None)
            parts = Parts(counts.point()["x", "score"], counts.left_out()["x", "score"], np.empty(0))
            low, high, *_ = score_interval(parts, "jackknife", level=LEVEL)
            hits[clustered] += low <= truth <= high
    within(hits[True], 400)
    assert hits[False] / 400 < 0.85


def test_runs_vary_too():
    rng = np.random.default_rng(6)
    hits = alone = 0
    times, documents, runs = 400, 50, 4
    for _ in range(times):
        own = rng.normal(0, 0.02, runs)
        scores = 0.6 + rng.normal(0, 0.1, (documents, 1)) + own + rng.normal(0, 0.05, (documents, runs))
        values = scores.mean(axis=0)
        left = (scores.sum(axis=0) - scores) / (documents - 1)
        for fixed in (False, True):
            found = Runs.of(values, left)
            spread = found.spread(fixed=fixed)
            low, high, *_ = student_interval(
                found.value, math.sqrt(spread.variance), spread.df, level=LEVEL, signed=True
            )
            if fixed:
                alone += low <= 0.6 <= high
            else:
                hits += low <= 0.6 <= high
    within(hits, times)
    assert alone < hits


def test_sets_of_ranks_hold_all_at_once():
    rng = np.random.default_rng(7)
    times, documents, hits = 300, 25, 0
    for _ in range(times):
        scores = rng.normal(0.5, 0.1, (documents, 1)) + rng.normal(0, 0.08, (documents, 4))  # all are equal
        weights = rng.multinomial(documents, np.full(documents, 1 / documents), 300)
        means, drawn = scores.mean(axis=0), weights @ scores / documents
        left = (scores.sum(axis=0) - scores) / (documents - 1)
        found = rank_sets({at: Parts(means[at], left[:, at], drawn[:, at]) for at in range(4)}, LEVEL)
        hits += all(low == 1 for low, _ in found.values()) and all(high == 4 for _, high in found.values())
    assert hits / times >= allowed(times)[0]


def test_samples_have_their_size_and_probabilities():
    chances = probabilities([1, 5, 2, 8, 1, 3, 9], 3)
    drawn, times = np.zeros(7), 3000
    for seed in range(times):
        chosen = pivotal(chances, Stream(seed))
        assert chosen.sum() == 3
        drawn += chosen
    errors = np.sqrt(chances * (1 - chances) / times)
    assert (np.abs(drawn / times - chances) < 4 * errors + 1e-9).all()
    units = [f"x{at:02}" for at in range(20)]
    counts = dict.fromkeys(units, 0)
    for seed in range(1000):
        rows = draw(units, Plan(5, seed=seed))
        assert sum(row.drawn for row in rows) == 5
        for row in rows:
            counts[row.id] += row.drawn
    assert all(abs(number / 1000 - 0.25) < 4 * math.sqrt(0.25 * 0.75 / 1000) for number in counts.values())
