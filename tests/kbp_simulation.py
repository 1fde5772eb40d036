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

from adjudge.stats.intervals import (
    Pairs,
    Parts,
    box_numbers,
    jackknife_error,
    notches_apart,
    paired_test,
    score_interval,
)
from adjudge.tasks.kbp.exchange import Exchange, exchange_tests
from adjudge.tasks.kbp.facts import Facts, make_facts
from kbp_naive import resample_counts

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
LEVEL = 0.95


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
    kept = ((side, side[:, 0] != side[:, 2]) for side in corpus(documents, replicate, entities))
    return [make_facts(*side[own].T, where[own]) for side, own in kept]


def unlike_facts(documents: int, replicate: int) -> list[Facts]:
    """Gold and two systems of the same F1, 2/3: one has half of gold and nothing else, one all of it and as much noise.

    Every fact stands in one document only, so that one hop is a sum over documents.
    """
    rng = np.random.default_rng([29, replicate])
    sizes = rng.integers(2, 20, documents)
    where = np.repeat(np.arange(documents), sizes)
    gold = np.arange(len(where))
    half = rng.random(len(gold)) < 0.5
    extra = np.repeat(gold, rng.poisson(1.0, len(gold)))
    noise = len(gold) + np.arange(len(extra))
    sides = ((gold, where), (gold[half], where[half]), (np.concatenate((gold, noise)), np.append(where, where[extra])))
    return [make_facts(2 * facts, np.zeros_like(facts), 2 * facts + 1, own) for facts, own in sides]


def unlike_alarms(documents: int, replicates: int, *, alpha: float = 0.05, trials: int = 400) -> dict[str, float]:
    """How often two systems of the same F1, but not the same precision, are told apart at one hop."""
    alarms = dict.fromkeys(("jackknife", "randomisation"), 0)
    for replicate in range(replicates):
        gold, *systems = unlike_facts(documents, replicate)
        drawn = resample_counts(gold, systems, documents=documents, resamples=0, seed=replicate, hops=1)
        a, b = (Parts(float(f1_of(own.point)[0, 0]), f1_of(own.left_out)[0], np.array([])) for own in drawn)
        p = exchange_tests(gold, {"": tuple(systems)}, Exchange(documents, trials=trials, seed=replicate))[""][1]
        alarms["randomisation"] += p < alpha
        alarms["jackknife"] += paired_test(a, b, "jackknife", "jackknife").p < alpha
    return {test: count / replicates for test, count in alarms.items()}


class Judged(NamedTuple):
    """One corpus at one hop: F1 of the first system, its error and default interval; others; notches; p of tests."""

    f1: float
    error: float
    default: tuple[float, float]
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
    f1 = {kind: [f1_of(getattr(own, kind)) for own in drawn] for kind in kinds}
    exchanged: dict[int, float] = {}
    if exchange:
        how = Exchange(documents, trials=max(1, resamples), seed=replicate, hops=max(HOPS))
        exchanged = exchange_tests(gold, {"": tuple(systems)}, how)[""]
    found = {}
    for row, hop in enumerate(HOPS):
        both = [
            Parts(
                float(f1["point"][side][row, 0]),
                f1["left_out"][side][row],
                f1["bootstrap"][side][row],
                Pairs(drawn[side].pairs, f1["left_pairs"][side][row]),
            )
            for side in (0, 1)
        ]
        intervals, wide = {}, score_interval(both[0], "jackknife", level=LEVEL)
        p = {"jackknife": paired_test(*both, "jackknife", "jackknife").p}
        apart = False
        for method in METHODS if resamples else METHODS[:1]:
            interval = score_interval(both[0], method, level=level, rule="drop")
            intervals[method] = (both[0].point,) * 2 if interval is None else interval[:2]
        if resamples:
            p |= {test: paired_test(*both, "percentile", test).p for test in ("bootstrap", "centred")}
            apart = notches_apart(*(box_numbers(own.drawn, level=level) for own in both))
        if hop in exchanged:
            p["randomisation"] = exchanged[hop]
        point = both[0].point
        found[hop] = Judged(point, jackknife_error(both[0]), (wide or (point, point))[:2], intervals, apart, p)
    return found


def f1_of(counts) -> np.ndarray:
    """F1 for every hop (rows) and sample (columns); 0/0 is 0."""
    both, gold, system = counts
    value = np.zeros(both.shape)
    np.divide(2 * both, gold + system, out=value, where=(gold + system) != 0)
    return value


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
    truth: dict[int, float] = {}
    coverage: dict[tuple[str, int], float] = {}
    alarms: dict[tuple[str, int], float] = {}
    inside: dict[int, float] = {}
    for hop in HOPS:
        found = [each[hop] for each in corpora]
        truth[hop] = float(np.mean([each.f1 for each in found]))
        for method in found[0].intervals:
            coverage[method, hop] = _share(_within(truth[hop], each.intervals[method]) for each in found)
        coverage["default", hop] = _share(_within(truth[hop], each.default) for each in found)
        for test in found[0].p:
            alarms[test, hop] = _share(each.p[test] is not None and each.p[test] < alpha for each in found)
        if resamples:
            alarms["notch", hop] = _share(each.apart for each in found)
            inside[hop] = _share(_within(each.f1, each.intervals["percentile"]) for each in found)
    return Shares(truth, coverage, alarms, inside)


def _within(value: float, interval: tuple[float, float]) -> bool:
    return interval[0] <= value <= interval[1]


def _share(outcomes: Iterable[bool]) -> float:
    return float(np.mean(list(outcomes)))
