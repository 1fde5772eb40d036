"""Agreement between annotators beyond chance: Cohen's and Fleiss' kappa, and Krippendorff's alpha, for labels.

Labels are of the same units (documents, tokens, characters); None is a unit that an annotator has not labelled. All
coefficients are functions of counts that add up over documents, so that resampling is a matrix product. Alpha for units
that the annotators mark themselves is in `unitising`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

import msgspec
import numpy as np

from adjudge.errors import UsageError
from adjudge.model.prf import ratio
from adjudge.stats.inference import Inference
from adjudge.stats.intervals import Interval
from adjudge.stats.resample import exact_product, exact_slices, exact_sums, function_intervals

if TYPE_CHECKING:
    from adjudge.stats.measure import Array

Label: TypeAlias = str | int | float | bool | None
Ratings: TypeAlias = Sequence[Sequence[Label]]
"""One row of labels per unit, one label per annotator."""
Counted: TypeAlias = Sequence[tuple[Sequence[Label], int]]
"""Rows of labels, and the number of units that have each: a stretch of a thousand characters is one row."""
Labels: TypeAlias = Mapping[tuple[bool, Label], int]
Formula: TypeAlias = "Callable[[Array], Array]"
"""From sums of counts of many corpora to coefficients."""
Distance: TypeAlias = Literal["nominal", "ordinal", "interval"]
DISTANCES: tuple[Distance, ...] = ("nominal", "ordinal", "interval")


class Coefficient(msgspec.Struct, frozen=True, kw_only=True):
    """One coefficient of some annotators on some units; a value of None is undefined (no variation, or no units)."""

    name: str
    annotators: tuple[str, ...]
    on: str
    units: int
    value: float | None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    interval: str | None = None


def cohen_kappa(a: Sequence[Label], b: Sequence[Label]) -> float:
    """Agreement of two annotators beyond what their shares of labels make likely (Cohen 1960).

    kappa = (p_o - p_e) / (1 - p_e), p_e = sum_k p_ak p_bk; nan if p_e is 1. Units without both labels are left out.

    >>> round(cohen_kappa(["y"] * 25 + ["n"] * 25, ["y"] * 20 + ["n"] * 5 + ["y"] * 10 + ["n"] * 15), 9)
    0.4
    """
    pairs = _each_once(list(zip(a, b, strict=True)))
    return first_of(_kappa(_confusion(pairs, _labels(pairs))[None]))


def fleiss_kappa(ratings: Ratings) -> float:
    """Agreement of several annotators (Fleiss 1971); units that not all have labelled are left out.

    kappa = (P - P_e) / (1 - P_e): P is the mean over units of the share of pairs of annotators that agree, P_e the sum
    of the squared shares of the labels. Two annotators: Scott's pi.

    >>> round(fleiss_kappa([["a", "a", "a"], ["a", "b", "b"], ["b", "b", "b"]]), 3)
    0.55
    """
    rows = _each_once(ratings)
    return first_of(_fleiss(_fleiss_counts(rows, _labels(rows))[None]))


def krippendorff_alpha(ratings: Ratings, distance: Distance = "nominal") -> float:
    """Agreement of any number of annotators, not all of whom need to have labelled all units (Krippendorff 1980).

    alpha = 1 - D_o / D_e, from coincidences: each unit with m labels adds its ordered pairs of labels, each with the
    weight 1 / (m - 1). Squared distances are 0 and 1 (nominal), those of ranks (ordinal), or of values (interval).

    >>> krippendorff_alpha([["a", "a"], ["a", "b"], ["b", "b"], ["b", None]])
    0.444...
    """
    rows = _each_once(ratings)
    labels = _labels(rows)
    return first_of(_alpha(_coincidences(rows, labels)[None], labels, distance))


# ---------------------------------------------------------------------------------------------------------------------
# With intervals


def label_coefficients(
    documents: Sequence[Counted],
    annotators: Sequence[str],
    on: str,
    inference: Inference,
    *,
    distance: Distance = "nominal",
) -> list[Coefficient]:
    """Every coefficient of labels: kappa of each pair, Fleiss' kappa of three or more, alpha of all, with intervals.

    `documents` has the labels of each document, which is what is resampled.
    """
    labels = _labels([row for rows in documents for row in rows])
    found = []

    def add(name: str, who: Sequence[str], units: int, counts: Sequence[Array], formula: Formula) -> None:
        made = Coefficient(name=name, annotators=tuple(who), on=on, units=units, value=None)
        found.append(_coefficient(made, counts, formula, inference))

    if distance == "nominal":
        for i, j in combinations(range(len(annotators)), 2):
            pairs = [[((row[i], row[j]), count) for row, count in rows] for rows in documents]
            counts = [_confusion(each, labels) for each in pairs]
            add("kappa (Cohen)", (annotators[i], annotators[j]), _units(pairs, 2), counts, _kappa)
        if len(annotators) > 2:
            counts = [_fleiss_counts(rows, labels) for rows in documents]
            add("kappa (Fleiss)", annotators, _units(documents, len(annotators)), counts, _fleiss)
    counts = [_coincidences(rows, labels) for rows in documents]
    name = "alpha (Krippendorff)" if distance == "nominal" else f"alpha (Krippendorff, {distance})"
    add(name, annotators, _units(documents, 2), counts, lambda sums: _alpha(sums, labels, distance))
    return found


def _coefficient(made: Coefficient, counts: Sequence[Array], formula: Formula, inference: Inference) -> Coefficient:
    """The coefficient with its value and its interval, from the counts of every document."""
    if not made.units:
        return made
    stack = np.stack(counts)
    shape = stack.shape[1:]
    flat = stack.reshape(len(counts), math.prod(shape))
    slices = exact_slices(flat)

    def coefficients(weights: Array) -> dict[str, Array]:
        return {made.name: formula(exact_product(weights, slices).reshape(len(weights), *shape))}

    point = first_of(formula(exact_sums(flat).reshape(1, *shape)))
    found = function_intervals(coefficients, {made.name: point}, len(counts), inference)[made.name]
    return with_interval(made, point, found, inference.level)


def with_interval(made: Coefficient, point: float, found: Interval | None, level: float) -> Coefficient:
    """The coefficient with its value and interval, if it has any; it may be negative, so it has no logit scale."""
    made = msgspec.structs.replace(made, value=None if math.isnan(point) else point)
    if found is None:
        return made
    low = max(-1.0 if made.name.startswith("kappa") else -math.inf, found.low)
    return msgspec.structs.replace(made, low=low, high=min(1.0, found.high), level=level, interval=found.method)


# ---------------------------------------------------------------------------------------------------------------------
# Labels


def _each_once(ratings: Ratings) -> Counted:
    return [(row, 1) for row in ratings]


def _units(documents: Iterable[Counted], needed: int) -> int:
    """The units that enough annotators have labelled."""
    return sum(count for rows in documents for row, count in rows if sum(label is not None for label in row) >= needed)


def _labels(rows: Counted) -> Labels:
    """The labels that occur and their places, numbers by size for the sake of ranks; true is not 1."""
    found = {_key(label) for row, _ in rows for label in row if label is not None}
    return {key: place for place, key in enumerate(sorted(found, key=_order))}


def _order(key: tuple[bool, Label]) -> tuple[bool, float, str]:
    label = key[1]
    return (True, 0.0, label) if isinstance(label, str) else (False, float(label or 0), str(key))


def _key(label: Label) -> tuple[bool, Label]:
    return isinstance(label, bool), label


def _complete(row: Sequence[Label]) -> bool:
    return all(label is not None for label in row)


def _confusion(pairs: Counted, labels: Labels) -> Array:
    counts = np.zeros((len(labels), len(labels)))
    for pair, count in pairs:
        if _complete(pair):
            counts[labels[_key(pair[0])], labels[_key(pair[1])]] += count
    return counts


def _coincidences(rows: Counted, labels: Labels) -> Array:
    counts = np.zeros((len(labels), len(labels)))
    for row, count in rows:
        places = [labels[_key(label)] for label in row if label is not None]
        for i, one in enumerate(places):
            for j, other in enumerate(places):
                if i != j:
                    counts[one, other] += count / (len(places) - 1)
    return counts


def _fleiss_counts(rows: Counted, labels: Labels) -> Array:
    """The number of units, the sum of their agreements, the number of labels, and how often there is each label."""
    counts = np.zeros(3 + len(labels))
    for row, count in rows:
        if len(row) < 2 or not _complete(row):
            continue
        places = [labels[_key(label)] for label in row]
        same = sum(places.count(place) - 1 for place in places)
        counts[0] += count
        counts[1] += count * same / (len(places) * (len(places) - 1))
        counts[2] += count * len(places)
        for place in places:
            counts[3 + place] += count
    return counts


def _beyond_chance(observed: Array, expected: Array) -> Array:
    """(observed - expected) / (1 - expected); nan where nothing but agreement could be expected."""
    value = np.full(observed.shape, np.nan)
    np.divide(observed - expected, 1 - expected, out=value, where=expected < 1 - 1e-12)
    return value


def shares(counts: Array, totals: Array) -> Array:
    """Counts over totals; nan where a total is 0."""
    return cast("Array", ratio(counts, totals, np.nan))


def _kappa(sums: Array) -> Array:
    """Cohen's kappa from tables of counts (k x labels x labels)."""
    totals = sums.sum(axis=(1, 2))
    parts = shares(sums, totals[:, None, None])
    observed = np.trace(parts, axis1=1, axis2=2)
    expected = (parts.sum(axis=1) * parts.sum(axis=2)).sum(axis=1)
    return _beyond_chance(observed, expected)


def _fleiss(sums: Array) -> Array:
    """Fleiss' kappa from rows of counts (k x (3 + labels))."""
    observed = shares(sums[:, 1], sums[:, 0])
    expected = (shares(sums[:, 3:], sums[:, 2:3]) ** 2).sum(axis=1)
    return _beyond_chance(observed, expected)


def _alpha(sums: Array, labels: Labels, distance: Distance) -> Array:
    """Alpha from tables of coincidences (k x labels x labels)."""
    values = _squared(labels, distance, sums)
    each = sums.sum(axis=2)
    totals = each.sum(axis=1)
    observed = shares((sums * values).sum(axis=(1, 2)), totals)
    pairs = each[:, :, None] * each[:, None, :]
    expected = shares((pairs * values).sum(axis=(1, 2)), totals * (totals - 1))
    return 1 - shares(observed, expected)


def _squared(labels: Labels, distance: Distance, sums: Array) -> Array:
    """Squared distances of all labels; those of ranks depend on how often the labels between are used."""
    if distance == "nominal":
        return (1 - np.eye(len(labels)))[None]
    texts = [label for _, label in labels if isinstance(label, str)]
    if texts:
        raise UsageError(f"labels such as {texts[0]!r} have no order", hint="use the nominal distance")
    if distance == "interval":
        numbers = np.array([float(label or 0) for _, label in labels])
        apart: Array = numbers[:, None] - numbers[None, :]
        return apart[None] ** 2
    each = sums.sum(axis=2)
    ends = np.cumsum(each, axis=1)
    # Between two labels: all that lie between, and half of the two themselves.
    middle = ends - each / 2
    between: Array = middle[:, :, None] - middle[:, None, :]
    return between**2


def first_of(values: Array) -> float:
    """The only value; nan if there is none."""
    return float(values[0]) if len(values) else math.nan
