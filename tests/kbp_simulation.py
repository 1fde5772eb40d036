"""Corpora drawn from one population, with two equally good systems: do intervals hold, do tests raise false alarms?

There are 15 relations between persons, organisations and places, some entities are named far more often than others, a
document states ten facts. A system keeps 42 % of them and replaces the others by noise. The truth about a score is its
mean over many corpora. Only what is looked at is computed, from the counts in samples; that scoring through the public
interface says the same is a test of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from adjudge.tasks.kbp.intervals import (
    Pairs,
    box_numbers,
    centred_interval,
    jackknife_error,
    jackknife_interval,
    notches_apart,
    paired_bootstrap,
    paired_exchange,
    paired_jackknife,
    percentile_interval,
    scores,
)

from adjudge.stats.intervals import student_reach
from adjudge.tasks.kbp.masks_samples import exchange_counts, resample_counts
from adjudge.tasks.kbp.paths_facts import Facts, make_facts, without_loops
from adjudge.tasks.kbp.scoring import LEVEL

# Types of subject and object (0 person, 1 organisation, 2 place) and the share of each relation.
RELATIONS = (
    (0, 1, 0.22), (0, 1, 0.02), (0, 1, 0.02), (0, 1, 0.03), (0, 1, 0.02), (0, 1, 0.02), (0, 1, 0.08),
    (1, 2, 0.08), (1, 1, 0.03), (2, 2, 0.12), (1, 1, 0.06), (0, 0, 0.04), (0, 0, 0.06), (0, 2, 0.18), (2, 2, 0.02),
)  # fmt: skip
SHARES, SKEW = (0.6, 0.3, 0.1), (0.55, 0.85)
PER_DOCUMENT, KEPT, ENTITIES = 10, 0.42, 450
METHODS = ("jackknife", "centred", "percentile")
TESTS = ("randomisation", "jackknife", "bootstrap", "notch")
HOPS = (1, 2, 3)


class Shares(NamedTuple):
    """Per hop: the mean score; how often each interval holds it, each test errs, a score is in its own interval.

    The interval `default` is the jackknife's at the level that is used if none is asked for.
    """

    truth: dict[int, float]
    coverage: dict[tuple[str, int], float]
    alarms: dict[tuple[str, int], float]
    inside: dict[int, float]


def draw(number: int, rng: np.random.Generator, entities: int = ENTITIES) -> np.ndarray:
    """So many facts as rows of subject, relation, object."""
    sizes = [int(entities * share) for share in SHARES]
    offsets = np.concatenate(([0], np.cumsum(sizes)))[:3]
    shares = np.array([share for *_, share in RELATIONS])
    relations = rng.choice(len(RELATIONS), size=number, p=shares / shares.sum())
    ends = []
    for side in (0, 1):
        kinds = np.array([kind[side] for kind in RELATIONS])[relations]
        column = np.empty(number, dtype=np.int64)
        for kind, size in enumerate(sizes):
            at = np.flatnonzero(kinds == kind)
            steps = np.cumsum(np.arange(1, size + 1) ** -SKEW[side])
            column[at] = offsets[kind] + np.searchsorted(steps, rng.random(len(at)) * steps[-1])
        ends.append(column)
    return np.stack((ends[0], relations, ends[1]), axis=1)


def corpus(documents: int, replicate: int, entities: int = ENTITIES) -> list[np.ndarray]:
    """Gold and two systems of the same quality: rows of subject, relation, object; ten rows are a document."""
    rng = np.random.default_rng([17, replicate])
    rows = documents * PER_DOCUMENT
    gold = draw(rows, rng, entities)
    sides = [gold]
    for _ in range(2):
        kept, noise = rng.random(rows) < KEPT, draw(rows, rng, entities)
        sides.append(np.where(kept[:, None], gold, noise))
    return sides


def facts_of(documents: int, replicate: int, entities: int = ENTITIES) -> list[Facts]:
    """The facts of a corpus as they are compared by default: no relation is symmetric, and self-loops are dropped."""
    where = np.arange(documents * PER_DOCUMENT) // PER_DOCUMENT
    return [without_loops(make_facts(*side.T, where)) for side in corpus(documents, replicate, entities)]


class Judged(NamedTuple):
    """One corpus at one hop: F1 of the first system, its jackknife error and its intervals; notches; p of each test."""

    f1: float
    error: float
    intervals: dict[str, tuple[float, float]]
    apart: bool
    p: dict[str, float | None]


def judge(
    documents: int,
    replicate: int,
    *,
    level: float = 0.9,
    entities: int = ENTITIES,
    resamples: int = 1000,
    exchange: bool = True,
) -> dict[int, Judged]:
    """The intervals and tests of one corpus; without resamples the jackknife alone, which does not need them."""
    gold, *systems = facts_of(documents, replicate, entities)
    drawn = resample_counts(gold, systems, documents=documents, resamples=resamples, seed=replicate, hops=max(HOPS))
    kinds = ("point", "left_out", "left_pairs", "bootstrap")
    f1 = {kind: [scores(getattr(own, kind))["f1"] for own in drawn] for kind in kinds}
    exchanged = None
    if exchange:
        trials = exchange_counts(gold, *systems, documents=documents, trials=max(1, resamples), seed=replicate)
        exchanged = [scores(own)["f1"] for own in trials]
    found = {}
    for row, hop in enumerate(HOPS):
        points = [float(own[row, 0]) for own in f1["point"]]
        left = [own[row] for own in f1["left_out"]]
        pairs = [Pairs(own.pairs, values[row]) for own, values in zip(drawn, f1["left_pairs"], strict=True)]
        samples = [own[row] for own in f1["bootstrap"]]
        difference = points[0] - points[1]
        intervals = {"jackknife": jackknife_interval(points[0], left[0], pairs[0], level=level)[:2]}
        p = {"jackknife": paired_jackknife(*left, difference, tuple(pairs)).p}
        apart = False
        if resamples:
            intervals["centred"] = centred_interval(points[0], samples[0], level=level)[:2]
            intervals["percentile"] = percentile_interval(samples[0], level=level)[:2]
            p["bootstrap"] = paired_bootstrap(*samples, difference).p
            apart = notches_apart(*(box_numbers(own, level=level) for own in samples))
        if exchanged is not None:
            p["randomisation"] = paired_exchange(*(own[row] for own in exchanged)).p
        found[hop] = Judged(points[0], jackknife_error(points[0], left[0], pairs[0]), intervals, apart, p)
    return found


def simulate(
    documents: int,
    replicates: int,
    *,
    alpha: float = 0.05,
    entities: int = ENTITIES,
    resamples: int = 1000,
    exchange: bool = True,
) -> Shares:
    """Judge so many corpora and count."""
    corpora = [
        judge(documents, number, entities=entities, resamples=resamples, exchange=exchange)
        for number in range(replicates)
    ]
    reach = student_reach(LEVEL, documents - 1)
    truth: dict[int, float] = {}
    coverage: dict[tuple[str, int], float] = {}
    alarms: dict[tuple[str, int], float] = {}
    inside: dict[int, float] = {}
    for hop in HOPS:
        found = [each[hop] for each in corpora]
        truth[hop] = float(np.mean([each.f1 for each in found]))
        for method in found[0].intervals:
            coverage[method, hop] = _share(_within(truth[hop], each.intervals[method]) for each in found)
        coverage["default", hop] = _share(abs(truth[hop] - each.f1) <= reach * each.error for each in found)
        for test in found[0].p:
            alarms[test, hop] = _share(each.p[test] is not None and each.p[test] < alpha for each in found)
        if resamples:
            alarms["notch", hop] = _share(each.apart for each in found)
            inside[hop] = _share(_within(each.f1, each.intervals["percentile"]) for each in found)
    return Shares(truth, coverage, alarms, inside)


def false_alarms(documents: int, replicates: int, *, alpha: float = 0.05, trials: int = 1000) -> dict[int, float]:
    """How often randomisation tells the two systems apart, on the corpora of `simulate` and more: it is quick alone."""
    alarms = dict.fromkeys(HOPS, 0)
    for replicate in range(replicates):
        one, other = exchange_counts(
            *facts_of(documents, replicate), documents=documents, trials=trials, seed=replicate
        )
        for hop in HOPS:
            p = paired_exchange(*(scores(counts)["f1"][hop - 1] for counts in (one, other))).p
            alarms[hop] += p < alpha
    return {hop: count / replicates for hop, count in alarms.items()}


def _within(value: float, interval: tuple[float, float]) -> bool:
    return interval[0] <= value <= interval[1]


def _share(outcomes: Iterable[bool]) -> float:
    return float(np.mean(list(outcomes)))
