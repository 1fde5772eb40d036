"""Scores and comparisons of several systems on one corpus, or on one slice of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import msgspec
import numpy as np

from adjudge.errors import UsageError, did_you_mean
from adjudge.stats.estimator import Additive, Estimator
from adjudge.stats.inference import benjamini_hochberg, chosen_interval, chosen_test, holm
from adjudge.stats.intervals import Interval, Parts, paired_test, score_interval
from adjudge.stats.measure import Array, Key, pool_of
from adjudge.stats.resample import USUAL, Drawing, PairedTest, Samples, bootstrap, left_out, randomisation
from adjudge.stats.result import Comparison, Options, Score, Slice

_DIGITS = 12  # scores that differ only in the rounding of sums are equal
_NOTHING: Array = np.empty(0)


class Evidence(NamedTuple):
    """What intervals and tests on one corpus are made of: leave-outs and resampled corpora, as far as needed."""

    interval: str
    test: str
    resamples: int
    left: Mapping[str, Mapping[Key, Array]]
    samples: Samples | None
    drawing: Drawing = USUAL

    def parts(self, name: str, key: Key, estimator: Estimator, point: float, *, tests: bool = False) -> Parts:
        """A score of a system; its samples are those of the tests, or those of the intervals."""
        drawn = _NOTHING
        if self.samples is not None:
            drawn = self.samples.all(name, key) if tests else self.samples.values[name][key]
        return Parts(point, self.left.get(name, {}).get(key, _NOTHING), drawn, signed=key in estimator.signed)


def gather(
    estimators: Mapping[str, Estimator],
    tested: Sequence[Key],
    options: Options,
    resamples: int,
    drawing: Drawing = USUAL,
) -> Evidence | None:
    """What the numbers of all systems depend on; None if intervals are off or one document is all there is.

    `resamples` are those of the tests.
    """
    first = next(iter(estimators.values()))
    documents, several = len(first.ids), len(estimators) > 1
    if options.bootstrap == 0 or documents < 2:
        return None
    interval = chosen_interval(options.interval, documents, additive=options.pool != "corpus")
    test = chosen_test(options.test, interval)
    left: dict[str, dict[Key, Array]] = {}
    if interval in ("jackknife", "bca") or (several and test in ("jackknife", "randomisation")):
        left = {name: left_out(estimator) for name, estimator in estimators.items()}
    samples = None
    if interval != "jackknife" or several:
        samples = bootstrap(
            estimators,
            resamples=options.bootstrap,
            seed=options.seed,
            tested=tested if several and test == "bootstrap" else (),
            tests=resamples,
            weights=drawing.weights,
        )
    return Evidence(interval, test, resamples, left, samples, drawing)


def system_scores(
    name: str, estimator: Estimator, evidence: Evidence | None, options: Options, where: Slice
) -> list[Score]:
    """Every part of one system, with its interval and its fraction where they exist."""
    points, fractions, best = estimator.point(), estimator.fractions(), estimator.bounds()
    scores = []
    for metric, part in estimator.keys:
        value = points[metric, part]
        found = None
        if evidence is not None and (metric, part) not in estimator.counts and not math.isnan(value):
            found = _interval(evidence, evidence.parts(name, (metric, part), estimator, value), options.level)
        numerator, denominator = fractions.get((metric, part), (None, None))
        bound = best.get((metric, part))
        scores.append(
            Score(
                metric=metric,
                pool=pool_of(metric, estimator.pool),
                part=part,
                value=_finite(value),
                low=None if found is None else _finite(found.low),
                high=None if found is None else _finite(found.high),
                level=None if found is None else options.level,
                interval=None if found is None else found.method,
                scale=None if found is None else found.scale,
                numerator=_finite(numerator),
                denominator=_finite(denominator),
                optimal=bound is None,
                bound=_finite(bound),
                slice=where,
            )
        )
    return scores


def _interval(evidence: Evidence, parts: Parts, level: float) -> Interval | None:
    found = score_interval(parts, evidence.interval, level=level)
    own = evidence.drawing.interval
    if found is not None and found.method == "percentile" and own is not None:
        bounds = own(parts.drawn.tolist(), level)
        found = None if bounds is None else Interval(*bounds, "percentile")
    return found


def _finite(value: float | None) -> float | None:
    """The value, or None if it is none that JSON has."""
    return value if value is not None and math.isfinite(value) else None


def headlines(estimator: Estimator, chosen: Mapping[str, str]) -> list[Key]:
    """The part of each metric on which systems are compared: the chosen one, else the last that is not a count."""
    last = {metric: part for metric, part in estimator.keys if (metric, part) not in estimator.counts}
    for metric, part in chosen.items():
        if (metric, part) not in estimator.keys:
            known = [" ".join(key) for key in estimator.keys]
            raise UsageError(f"no part {metric} {part} to compare", hint=did_you_mean(f"{metric} {part}", known))
        last[metric] = part
    return list(last.items())


def pair_comparisons(
    estimators: Mapping[str, Estimator], evidence: Evidence | None, keys: Sequence[Key], options: Options, where: Slice
) -> list[Comparison]:
    """Every pair of systems on every headline part, not yet corrected for their number."""
    documents = len(next(iter(estimators.values())).ids)
    points = {name: estimator.point() for name, estimator in estimators.items()}
    found = []
    for a, b in combinations(estimators, 2):
        tests = _tests((a, b), estimators, points, evidence, keys, options)
        found += [
            Comparison(
                a=a,
                b=b,
                metric=metric,
                part=part,
                difference=_finite(test.difference),
                low=_finite(test.low),
                high=_finite(test.high),
                p=test.p,
                test=evidence.test if evidence is not None and test.p is not None else None,
                wins=test.wins,
                documents=documents,
                resamples=_resamples(evidence) if test.p is not None else None,
                slice=where,
            )
            for (metric, part), test in tests.items()
        ]
    return found


def _resamples(evidence: Evidence | None) -> int | None:
    return None if evidence is None or evidence.test == "jackknife" else evidence.resamples


def family(comparison: Comparison) -> tuple[str, str, tuple[str, ...]]:
    """Which comparisons are corrected together: those of one part, on the whole or on all slices by one field."""
    return comparison.metric, comparison.part, tuple(comparison.slice)


def corrected(comparisons: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """Holm's correction and q within each family, so that no slice changes a p of the whole corpus.

    The comparisons come back in the order of their metrics.
    """
    families: dict[tuple[str, str, tuple[str, ...]], list[Comparison]] = {}
    for comparison in comparisons:
        families.setdefault(family(comparison), []).append(comparison)
    groups: dict[Key, list[Comparison]] = {}
    for (metric, part, _), members in families.items():
        values = [each.p for each in members]
        groups.setdefault((metric, part), []).extend(
            msgspec.structs.replace(each, p_holm=p, q=q)
            for each, p, q in zip(members, holm(values), benjamini_hochberg(values), strict=True)
        )
    return tuple(each for members in groups.values() for each in members)


def family_sizes(systems: int, slices: Sequence[Slice]) -> dict[tuple[str, ...], int]:
    """How many comparisons are corrected together, by the fields of the slices.

    >>> family_sizes(3, [{}, {"genre": "nw"}, {"genre": "df"}])
    {(): 3, ('genre',): 6}
    """
    sizes: dict[tuple[str, ...], int] = {}
    for where in slices:
        sizes[tuple(where)] = sizes.get(tuple(where), 0) + systems * (systems - 1) // 2
    return sizes


def _tests(
    pair: tuple[str, str],
    estimators: Mapping[str, Estimator],
    points: Mapping[str, Mapping[Key, float]],
    evidence: Evidence | None,
    keys: Sequence[Key],
    options: Options,
) -> dict[Key, PairedTest]:
    if evidence is None:
        differences = {key: points[pair[0]][key] - points[pair[1]][key] for key in keys}
        return {key: PairedTest(None if math.isnan(d) else d) for key, d in differences.items()}
    first, second = (estimators[name] for name in pair)
    exchanged: Mapping[Key, float | None] = {}
    if evidence.test == "randomisation":
        if not isinstance(first, Additive) or not isinstance(second, Additive):
            raise UsageError("randomisation needs counts that add over documents", hint="use --test jackknife")
        exchanged = randomisation(first, second, keys, trials=evidence.resamples, seed=options.seed)
    tests = {}
    for key in keys:
        a, b = (
            evidence.parts(name, key, own, points[name][key], tests=True)
            for name, own in zip(pair, (first, second), strict=True)
        )
        floor = 1 / (evidence.resamples + 1)
        test = paired_test(a, b, evidence.interval, evidence.test, level=options.level, floor=floor)
        test = replace(test, p=exchanged[key]) if key in exchanged else test
        tests[key] = test if evidence.samples is None else _with_wins(test, evidence.samples, pair, key)
    return tests


def _with_wins(test: PairedTest, samples: Samples, pair: tuple[str, str], key: Key) -> PairedTest:
    """How often the first system is above the second, or level with it, in the resampled corpora."""
    drawn = samples.values[pair[0]][key] - samples.values[pair[1]][key]
    ahead = np.sign(np.round(drawn[~np.isnan(drawn)], _DIGITS))
    if test.difference is None or not len(ahead):
        return test
    return replace(test, wins=float(np.mean(ahead > 0)), ties=float(np.mean(ahead == 0)))
