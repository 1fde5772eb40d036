"""Plans: documents for a difference of systems, with one run or several, and assessments for an interval."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import NormalDist
from typing import Any, cast

import msgspec
import numpy as np

from adjudge.errors import UsageError, check_keywords, did_you_mean
from adjudge.estimates.rows import Estimate, is_estimate
from adjudge.stats.inference import ALPHA, LEAST
from adjudge.stats.intervals import Parts, jackknife_error
from adjudge.stats.points import Additive
from adjudge.stats.points import Pool as Pooling
from adjudge.stats.power import POWER, check_planning, detectable, documents_needed
from adjudge.stats.result import Note, Result
from adjudge.stats.runs import Runs, run_groups
from adjudge.stats.scores import headlines
from adjudge.stats.table import StatsTable, cluster_names


class PlanRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The documents that one pair of systems needs on one score, and the difference that the present ones can show."""

    a: str
    b: str
    metric: str
    part: str
    difference: float
    documents: int
    detectable: float
    needed: int
    assessments: int | None = None


class Planned(msgspec.Struct, frozen=True, kw_only=True):
    """A plan: for every pair the documents, or clusters of them, that a difference needs."""

    difference: float
    alpha: float
    power: float
    comparisons: int
    rows: tuple[PlanRow, ...]
    unit: str = "documents"
    notes: tuple[Note, ...] = ()

    def to_json(self) -> bytes:
        """As JSON."""
        return msgspec.json.format(msgspec.json.encode(self), indent=1)

    def __str__(self) -> str:
        from adjudge.estimates.text import render_plan

        return render_plan(self)


_PLAN = ("pair", "alpha", "comparisons", "cluster_by")


def plan(source: Any, difference: float, power: float = POWER, **options: Any) -> Planned:
    """How many documents like these detect a difference with a given power; from a result or a saved estimate.

    Options are `pair` (two names), `alpha`, `comparisons` (a number, or "all") and `cluster_by` (if not given, as the
    result or estimate was made).
    """
    check_keywords(options, _PLAN, "plan")
    if not 0 < difference < 1:
        raise UsageError(f"a difference of {difference:g}", hint="give a share of one, such as 0.01 for a point")
    tables, measures, pool, clustered = _tables_of(source)
    groups = run_groups(list(tables))
    names = _pair(options.get("pair"), list(groups))
    clusters = _clusters(tables, options.get("cluster_by") or clustered)
    alpha = ALPHA if options.get("alpha") is None else float(options["alpha"])
    asked = 1 if options.get("comparisons") is None else options["comparisons"]
    comparisons = len(names) if asked == "all" else int(asked)
    number = len(set(clusters)) if clusters else len(next(iter(tables.values())).ids)
    unit = "clusters" if clusters else "documents"
    if number < LEAST:
        raise UsageError(f"{number} {unit} are too few to plan from", hint=f"score at least {LEAST}")
    rows = []
    keys = headlines(measures)
    counted = {
        name: Additive(table, measures, cast("Pooling", pool), clusters=clusters) for name, table in tables.items()
    }
    points = {name: each.point() for name, each in counted.items()}
    left = {name: each.left_out() for name, each in counted.items()}
    for a, b in names:
        for key in keys:
            one, other = (
                Runs.of(
                    np.array([points[name][key] for name in groups[system]]),
                    np.stack([left[name][key] for name in groups[system]], axis=1),
                )
                for system in (a, b)
            )
            if one.values.size == other.values.size == 1:
                first, second = (left[groups[name][0]][key] for name in (a, b))
                error = jackknife_error(Parts(one.value - other.value, first - second, np.empty(0))) or 0.0
                shown = detectable(error, number, alpha=alpha, power=power, comparisons=comparisons)
                spread = error * math.sqrt(number)
                needed = documents_needed(spread, difference, alpha=alpha, power=power, comparisons=comparisons)
            else:
                shown, needed = plan_with_runs(one, other, difference, alpha=alpha / comparisons, power=power)
            rows.append(
                PlanRow(
                    a=a,
                    b=b,
                    metric=key[0],
                    part=key[1],
                    difference=one.value - other.value,
                    documents=number,
                    detectable=shown,
                    needed=needed,
                )
            )
    notes = []
    if len(groups) < len(tables):
        message = "systems with several runs: documents for the difference of their means, with as many runs as now"
        notes.append(Note("runs", len(tables), message))
    if number < 20:
        notes.append(Note("few-documents", number, f"the plan is rough: it rests on {number} {unit}"))
    return Planned(
        difference=difference,
        alpha=alpha,
        power=power,
        comparisons=comparisons,
        rows=tuple(rows),
        unit=unit,
        notes=tuple(notes),
    )


def plan_labels(source: Any, half_width: float) -> dict[str, int]:
    """How many assessed items give the F1 of each system an interval of this half-width; from an estimate of a pool."""
    if isinstance(source, str | os.PathLike):
        if os.path.isfile(source) and not is_estimate(source):  # noqa: PTH113
            hint = "give what adjudge estimate --save wrote; a result is planned with --difference"
            raise UsageError(f"{os.fspath(source)} is not a saved estimate", hint=hint)
        source = Estimate.load(source)
    found = cast(Estimate, source)
    if found.unit == "document":
        raise UsageError("the estimate covers whole documents", hint="plan with --difference")
    return {
        row.system: labels_needed(row.variance or 0.0, found.n, found.of, half_width, level=found.level)
        for row in found.scores
        if row.part == "f1" and not row.slice
    }


def _tables_of(source: Any) -> tuple[dict[str, StatsTable], tuple[Any, ...], str, str | None]:
    """The counts of all systems, the measures, how documents are pooled, and the field that they are clustered by."""
    if isinstance(source, str | os.PathLike) and is_estimate(source):
        source = Estimate.load(source)
    if isinstance(source, Estimate):
        return dict(source.table), source.measures, "micro", source.cluster_by
    result = source if isinstance(source, Result) else Result.load(os.fspath(source))
    return dict(result.tables()), result.measures, result.saved.pool, result.saved.cluster_by


def _pair(pair: Any, names: Sequence[str]) -> list[tuple[str, str]]:
    if len(names) < 2:
        raise UsageError("a difference needs two systems", hint="score two systems and save the result")
    if pair is None:
        return list(combinations(names, 2))
    given = tuple(pair.split(",")) if isinstance(pair, str) else tuple(pair)
    for name in given:
        if name not in names:
            raise UsageError(f"no system {name}", hint=did_you_mean(name, names) or f"systems: {', '.join(names)}")
    if len(given) != 2 or given[0] == given[1]:
        raise UsageError("a pair is two systems", hint="such as A,B")
    return [cast("tuple[str, str]", given)]


def _clusters(tables: Mapping[str, StatsTable], field: str | None) -> tuple[str, ...] | None:
    if field is None:
        return None
    first = next(iter(tables.values()))
    if field not in first.attributes:
        raise UsageError(f"the documents have no field {field!r}", hint=did_you_mean(field, first.attributes) or None)
    return cluster_names(field, first.ids, first.attributes[field])


def labels_needed(variance: float, assessed: int, pool: int, half_width: float, *, level: float = 0.95) -> int:
    """How many items of a pool give an interval of this half-width, from the variance with those assessed so far.

    >>> labels_needed(0.0004, 500, 5000, 0.02)
    1496
    """
    if not half_width > 0:
        raise UsageError(f"a half-width of {half_width:g}", hint="give one above 0")
    if assessed >= pool:
        return max(2, pool)
    if variance <= 0:
        raise UsageError("all assessed items are alike, so the variance of labels is unknown", hint="assess more")
    constant = variance / (1 / assessed - 1 / pool)
    z = NormalDist().inv_cdf((1 + level) / 2)
    return max(2, min(pool, math.ceil(round(1 / (1 / pool + (half_width / z) ** 2 / constant), 9))))


def documents_with_runs(
    between: float, within: tuple[float, float], runs: tuple[int, int], difference: float, *, alpha: float, power: float
) -> int:
    """The documents for a difference of two systems with several runs each.

    `between` is the variance over documents of the difference of run means, `within` those over the runs of a system.

    >>> documents_with_runs(0.01, (0.004, 0.002), (4, 1), 0.03, alpha=0.05, power=0.8)
    114
    """
    check_planning(alpha, power, 1)
    law = NormalDist()
    reach = law.inv_cdf(1 - alpha / 2) + law.inv_cdf(power)
    variance = between + within[0] / runs[0] + within[1] / runs[1]
    return max(2, math.ceil(round(reach * reach * variance / difference**2, 9)))


def plan_with_runs(a: Runs, b: Runs, difference: float, *, alpha: float, power: float) -> tuple[float, int]:
    """The difference that these documents and runs would show, and the documents for another difference.

    The variance over documents of the difference of run means has a part of the runs, which falls with their number;
    the rest is between documents.
    """
    means = a.pseudo.mean(axis=1) - b.pseudo.mean(axis=1)
    within = _within(a), _within(b)
    runs = a.pseudo.shape[1], b.pseudo.shape[1]
    between = max(0.0, float(means.var(ddof=1)) - within[0] / runs[0] - within[1] / runs[1])
    law = NormalDist()
    reach = law.inv_cdf(1 - alpha / 2) + law.inv_cdf(power)
    error = math.sqrt((between + within[0] / runs[0] + within[1] / runs[1]) / len(means))
    return reach * error, documents_with_runs(between, within, runs, difference, alpha=alpha, power=power)


def _within(runs: Runs) -> float:
    """The variance over the runs of a system in one document, on average."""
    return float(runs.pseudo.var(axis=1, ddof=1).mean()) if runs.pseudo.shape[1] > 1 else 0.0
