"""Scores and comparisons of several systems on one corpus, or on one slice of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations

import msgspec

from adjudge.errors import UsageError, did_you_mean
from adjudge.stats.estimator import Additive, Estimator
from adjudge.stats.measure import Key, pool_of
from adjudge.stats.resample import (
    PairedTest,
    Samples,
    approximate_randomisation,
    bootstrap,
    holm,
    interval,
    paired_bootstrap,
)
from adjudge.stats.result import Comparison, Options, Score, Slice


def draw(estimators: Mapping[str, Estimator], options: Options) -> Samples | None:
    """The resampled scores of all systems; None if intervals are off or there is nothing to draw from."""
    if options.bootstrap == 0 or not next(iter(estimators.values())).ids:
        return None
    return bootstrap(estimators, resamples=options.bootstrap, seed=options.seed)


def system_scores(
    name: str, estimator: Estimator, samples: Samples | None, options: Options, where: Slice
) -> list[Score]:
    """Every part of one system, with its interval and its fraction where they exist."""
    points = samples.points[name] if samples else estimator.point()
    fractions, best = estimator.fractions(), estimator.bounds()
    scores = []
    for metric, part in estimator.keys:
        value = points[metric, part]
        bounds = None
        if samples and (metric, part) not in estimator.counts and not math.isnan(value):
            bounds = interval(samples.values[name][metric, part], options.level)
        low, high = bounds or (None, None)
        numerator, denominator = fractions.get((metric, part), (None, None))
        bound = best.get((metric, part))
        scores.append(
            Score(
                metric=metric,
                pool=pool_of(metric, estimator.pool),
                part=part,
                value=_finite(value),
                low=_finite(low),
                high=_finite(high),
                level=options.level if bounds else None,
                numerator=_finite(numerator),
                denominator=_finite(denominator),
                optimal=bound is None,
                bound=_finite(bound),
                slice=where,
            )
        )
    return scores


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
    estimators: Mapping[str, Estimator], samples: Samples | None, keys: list[Key], options: Options, where: Slice
) -> list[Comparison]:
    """Every pair of systems on every headline part, not yet corrected for their number."""
    found = []
    for a, b in combinations(estimators, 2):
        tests = _tests(a, b, estimators, samples, keys, options)
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
                test=options.test if test.p is not None else None,
                wins=test.wins,
                slice=where,
            )
            for (metric, part), test in tests.items()
        ]
    return found


def corrected(comparisons: list[Comparison]) -> tuple[Comparison, ...]:
    """Holm's correction over all comparisons of one metric and part: all pairs and all slices.

    The comparisons come back in the order of their metrics.
    """
    families: dict[Key, list[Comparison]] = {}
    for comparison in comparisons:
        families.setdefault((comparison.metric, comparison.part), []).append(comparison)
    return tuple(
        msgspec.structs.replace(comparison, p_holm=p)
        for family in families.values()
        for comparison, p in zip(family, holm([c.p for c in family]), strict=True)
    )


def _tests(
    a: str,
    b: str,
    estimators: Mapping[str, Estimator],
    samples: Samples | None,
    keys: list[Key],
    options: Options,
) -> dict[Key, PairedTest]:
    if samples is None:
        points = estimators[a].point(), estimators[b].point()
        differences = {key: points[0][key] - points[1][key] for key in keys}
        return {key: PairedTest(None if math.isnan(d) else d) for key, d in differences.items()}
    tests = {key: paired_bootstrap(samples, a, b, key, level=options.level) for key in keys}
    if options.test == "paired-bootstrap":
        return tests
    first, second = estimators[a], estimators[b]
    if not isinstance(first, Additive) or not isinstance(second, Additive):
        raise UsageError("approximate randomisation needs counts that add over documents", hint="use paired-bootstrap")
    swapped = approximate_randomisation(
        first.table, second.table, first.measures, pool=first.pool, trials=options.bootstrap, seed=options.seed
    )
    return {key: replace(test, p=swapped[key].p) for key, test in tests.items()}
