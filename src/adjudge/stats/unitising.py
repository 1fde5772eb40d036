"""Agreement of annotators who mark units in a text and give them categories: Krippendorff's alpha for units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from adjudge.errors import UsageError
from adjudge.stats.agreement import Coefficient, first_of, shares, with_interval
from adjudge.stats.inference import Inference
from adjudge.stats.resample import function_intervals

if TYPE_CHECKING:
    import numpy.typing as npt

    from adjudge.stats.measure import Array

_BLOCK = 1 << 18  # cells of the largest array held at a time


class Unit(NamedTuple):
    """A stretch of a document: its first place, the place after its last, and its category."""

    start: int
    end: int
    category: str


def unit_alpha(
    continua: Sequence[tuple[int, Sequence[Sequence[Unit]]]], weights: npt.ArrayLike | None = None
) -> tuple[float, dict[str, float]]:
    """Krippendorff's alpha for units that annotators mark in continua themselves (Krippendorff 1995, 2004).

    Each document is its length and, for every annotator, the units. For a category c and m annotators, with the
    sections (units and the gaps between them) of each, of begin b and length l, on documents of total length L:

        D_o = sum over pairs of annotators and of their sections of d / (m (m - 1) L^2), where d is
              (b_g - b_h)^2 + (b_g + l_g - b_h - l_h)^2 if two units overlap, l^2 if a unit lies in a gap, else 0
        D_e = 2/L sum_g [(N - 1)/3 (2 l_g^3 - 3 l_g^2 + l_g) + l_g^2 sum_{gaps h, l_h >= l_g} (l_h - l_g + 1)]
              / (m L (m L - 1) - sum_g l_g (l_g - 1))

    over all N units g of all annotators; alpha_c = 1 - D_o / D_e, and alpha is 1 - (sum_c D_o) / (sum_c D_e). A gap
    ends where its document ends. Units of one annotator and category may not overlap. Returns alpha and that of each
    category; nan is undefined.

    >>> a = [Unit(0, 4, "x"), Unit(6, 8, "x")]
    >>> unit_alpha([(10, [a, a])])
    (1.0, {'x': 1.0})
    """
    parts = _unit_parts(continua)
    drawn = np.ones((1, len(continua))) if weights is None else np.asarray(weights, dtype=np.float64)
    values, by_category = _unit_alphas(parts, drawn)
    return first_of(values), {name: first_of(column) for name, column in by_category.items()}


def unit_coefficients(
    continua: Sequence[tuple[int, Sequence[Sequence[Unit]]]], annotators: Sequence[str], on: str, inference: Inference
) -> list[Coefficient]:
    """Alpha for units, of all categories together and, if there are several, of each, with intervals."""
    parts = _unit_parts(continua)
    whole, by_category = _unit_alphas(parts, np.ones((1, len(continua))))
    # The arrays are as wide as there are units and gaps; few corpora at once keep them small.
    wide = max((len(part.of_unit) + len(part.of_gap) for part in parts.categories.values()), default=0)
    block = max(1, _BLOCK // max(wide, 1)) * len(continua)

    def alphas(weights: Array) -> dict[str | None, Array]:
        values, each = _unit_alphas(parts, weights)
        return dict(((None, values), *each.items()))

    points = {key: first_of(point) for key, point in (*by_category.items(), (None, whole))}
    found = function_intervals(alphas, points, len(continua), inference, block=block)
    numbers = {name: len(part.lengths) for name, part in parts.categories.items()}
    keys: list[tuple[str | None, int]] = [(None, sum(numbers.values()))]
    if len(by_category) > 1:
        keys += [(name, numbers[name]) for name in by_category]
    found_of = []
    for key, number in keys:
        where = on if key is None else f"{on}: {key}"
        made = Coefficient(
            name="alpha_u (Krippendorff)", annotators=tuple(annotators), on=where, units=number, value=None
        )
        found_of.append(with_interval(made, points[key], found[key], inference.level))
    return found_of


class _Category(NamedTuple):
    """The units of one category: by document the observed sum, the units by length, the gaps by length."""

    observed: Array
    lengths: Array
    of_unit: npt.NDArray[np.int64]
    gaps: Array
    of_gap: npt.NDArray[np.int64]


class _UnitParts(NamedTuple):
    annotators: int
    lengths: Array
    categories: dict[str, _Category]


def _unit_parts(continua: Sequence[tuple[int, Sequence[Sequence[Unit]]]]) -> _UnitParts:
    numbers = {len(sides) for _, sides in continua}
    if len(numbers) > 1 or min(numbers, default=2) < 2:
        raise UsageError("alpha for units needs the same two or more annotators on all documents")
    names = sorted({unit.category for _, sides in continua for units in sides for unit in units})
    categories = {}
    for name in names:
        observed, units, gaps = np.zeros(len(continua)), [], []
        for place, (length, sides) in enumerate(continua):
            own = [_sections([(u.start, u.end) for u in side if u.category == name], length) for side in sides]
            units += [(end - start, place) for sections in own for start, end, is_unit in sections if is_unit]
            gaps += [(end - start, place) for sections in own for start, end, is_unit in sections if not is_unit]
            for i, one in enumerate(own):
                for other in own[i + 1 :]:
                    observed[place] += 2 * _distances(one, other)
        gaps.sort()
        categories[name] = _Category(
            observed,
            np.array([length for length, _ in units], dtype=np.float64),
            np.array([place for _, place in units], dtype=np.int64),
            np.array([length for length, _ in gaps], dtype=np.float64),
            np.array([place for _, place in gaps], dtype=np.int64),
        )
    lengths = np.array([length for length, _ in continua], dtype=np.float64)
    return _UnitParts(next(iter(numbers), 2), lengths, categories)


def _sections(spans: Sequence[tuple[int, int]], length: int) -> list[tuple[int, int, bool]]:
    """Units and the gaps between them, in order."""
    found, at = [], 0
    for start, end in sorted(spans):
        if start < at or end > length or end <= start:
            raise UsageError(
                f"the unit from {start} to {end} overlaps another of its category, is empty, or ends after {length}",
                hint="units of one annotator and category must not overlap",
            )
        if start > at:
            found.append((at, start, False))
        found.append((start, end, True))
        at = end
    if at < length:
        found.append((at, length, False))
    return found


def _distances(one: Sequence[tuple[int, int, bool]], other: Sequence[tuple[int, int, bool]]) -> float:
    """The sum of the squared distances of all pairs of sections that share a place."""
    total, i, j = 0.0, 0, 0
    while i < len(one) and j < len(other):
        (start, end, unit), (begin, stop, another) = one[i], other[j]
        if unit and another:
            total += (start - begin) ** 2 + (end - stop) ** 2
        elif unit and start >= begin and end <= stop:
            total += (end - start) ** 2
        elif another and begin >= start and stop <= end:
            total += (stop - begin) ** 2
        # The section that ends first is done with; if both end here, so are both.
        i, j = i + (end <= stop), j + (stop <= end)
    return total


def _unit_alphas(parts: _UnitParts, weights: Array) -> tuple[Array, dict[str, Array]]:
    length, m = weights @ parts.lengths, parts.annotators
    all_observed, all_expected = np.zeros(len(weights)), np.zeros(len(weights))
    found = {}
    for name, part in parts.categories.items():
        own, gaps = weights[:, part.of_unit], weights[:, part.of_gap]
        number, size = own.sum(axis=1), part.lengths
        observed = shares(weights @ part.observed, m * (m - 1) * length**2)
        # For each unit, the weight of the gaps in which it fits, and the sum of their lengths.
        first = np.searchsorted(part.gaps, size)
        after = np.concatenate([np.cumsum(gaps[:, ::-1], axis=1)[:, ::-1], np.zeros((len(weights), 1))], axis=1)
        sizes = np.cumsum((gaps * part.gaps)[:, ::-1], axis=1)[:, ::-1]
        reach = np.concatenate([sizes, np.zeros((len(weights), 1))], axis=1)
        room = reach[:, first] - (size - 1) * after[:, first]
        among = (number[:, None] - 1) / 3 * (2 * size**3 - 3 * size**2 + size)
        above = 2 * (own * (among + size**2 * room)).sum(axis=1)
        below = length * (m * length * (m * length - 1) - (own * (size * (size - 1))).sum(axis=1))
        expected = shares(above, below)
        found[name] = 1 - shares(observed, expected)  # nan where no disagreement could be expected
        all_observed += np.nan_to_num(observed)
        all_expected += np.nan_to_num(expected)
    return 1 - shares(all_observed, all_expected), found
