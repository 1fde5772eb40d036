"""Corpora drawn from one population, with two equally good systems: do intervals hold, do tests raise false alarms?

There are 15 relations between persons, organisations and places, some entities are named far more often than others, a
document states ten facts. A system keeps 42 % of them and replaces the others by noise. The truth about a score is its
mean over many corpora.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from adjudge.model.kbp import TripleNames, TripleTable
from adjudge.stats.intervals import student_reach
from adjudge.stats.result import Result
from adjudge.tasks.kbp.intervals import paired_exchange, scores
from adjudge.tasks.kbp.masks_samples import exchange_counts
from adjudge.tasks.kbp.options import make_options
from adjudge.tasks.kbp.relations import prepare
from adjudge.tasks.kbp.scoring import LEVEL, score_triples

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


def corpus(documents: int, rng: np.random.Generator, entities: int = ENTITIES) -> list[TripleTable]:
    """Gold and two systems of the same quality."""
    rows = documents * PER_DOCUMENT
    gold = draw(rows, rng, entities)
    sides = [gold]
    for _ in range(2):
        kept, noise = rng.random(rows) < KEPT, draw(rows, rng, entities)
        sides.append(np.where(kept[:, None], gold, noise))
    names = TripleNames()
    tables = []
    for side in sides:
        table = TripleTable(names)
        for place, (s, r, o) in enumerate(side.tolist()):
            table.add(f"e{s}", f"r{r}", f"e{o}", f"d{place // PER_DOCUMENT}")
        tables.append(table)
    return tables


def scored(documents: int, replicate: int, *, level: float, entities: int = ENTITIES, resamples: int = 1000) -> Result:
    """One corpus with the default intervals and test of the package."""
    gold, one, other = corpus(documents, np.random.default_rng([17, replicate]), entities)
    how = {"ci": level, "box": True, "seed": replicate, "identity": "endpoints", "bootstrap": resamples}
    return score_triples(gold, {"A": one, "B": other}, **how)


def simulate(
    documents: int,
    replicates: int,
    *,
    level: float = 0.9,
    alpha: float = 0.05,
    entities: int = ENTITIES,
    resamples: int = 1000,
) -> Shares:
    """Score so many corpora and count; the jackknife needs no resamples to speak of."""
    points = {hop: [] for hop in HOPS}
    intervals = {(method, hop): [] for method in (*METHODS, "default") for hop in HOPS}
    alarms = {(test, hop): 0 for test in TESTS for hop in HOPS}
    inside = dict.fromkeys(HOPS, 0)
    for replicate in range(replicates):
        result = scored(documents, replicate, level=level, entities=entities, resamples=resamples)
        for hop in HOPS:
            one, other = (_f1(result, name, hop) for name in "AB")
            points[hop].append(one.value)
            for method in METHODS:
                intervals[method, hop].append(one.uncertainty.intervals[method])
            reach = student_reach(LEVEL, documents - 1) * one.uncertainty.error
            intervals["default", hop].append((one.value - reach, one.value + reach))
            low, high = one.uncertainty.intervals["percentile"]
            inside[hop] += low <= one.value <= high
            mine, yours = one.uncertainty.box, other.uncertainty.box
            alarms["notch", hop] += mine.notch_high < yours.notch_low or yours.notch_high < mine.notch_low
        for test, p in _p_values(result):
            alarms[test] += p is not None and p < alpha
    truth = {hop: float(np.mean(points[hop])) for hop in HOPS}
    coverage = {
        (method, hop): float(np.mean([low <= truth[hop] <= high for low, high in found]))
        for (method, hop), found in intervals.items()
    }
    shares = {key: count / replicates for key, count in alarms.items()}
    return Shares(truth, coverage, shares, {hop: count / replicates for hop, count in inside.items()})


def false_alarms(documents: int, replicates: int, *, alpha: float = 0.05, trials: int = 1000) -> dict[int, float]:
    """How often randomisation tells the two systems apart, on the corpora of `simulate` and more: it is quick alone."""
    options = make_options(identity="endpoints")
    alarms = dict.fromkeys(HOPS, 0)
    for replicate in range(replicates):
        tables = corpus(documents, np.random.default_rng([17, replicate]))
        places = {tables[0].names.documents[f"d{number}"]: number for number in range(documents)}
        facts = [prepare(table, options, "gold", documents=places).facts for table in tables]
        one, other = exchange_counts(*facts, documents=documents, trials=trials, seed=replicate)
        for hop in HOPS:
            p = paired_exchange(*(scores(counts)["f1"][hop - 1] for counts in (one, other))).p
            alarms[hop] += p < alpha
    return {hop: count / replicates for hop, count in alarms.items()}


def _f1(result: Result, system: str, hop: int):
    wanted = f"kbp.hop{hop}", "f1"
    return next(s for s in result.system(system).scores if (s.metric, s.part) == wanted and not s.slice)


def _p_values(result: Result):
    """Of every test; the saved samples give those that were not asked for."""
    from adjudge.stats.sampled import pair_comparison

    for each in result.comparisons:
        if each.test == "randomisation" and each.metric[-1].isdigit():
            yield ("randomisation", int(each.metric[-1])), each.p
    samples = tuple(system.samples[0] for system in result.systems)
    for test in ("jackknife", "bootstrap"):
        for each in pair_comparison(("A", "B"), result.measures, samples, test=test):
            if each.metric[-1].isdigit():
                yield (test, int(each.metric[-1])), each.p
