"""Which intervals of two lists overlap, at a cost that follows the number of answers."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence


def overlapping_pairs(
    starts_s: Sequence[float], ends_s: Sequence[float], starts_g: Sequence[float], ends_g: Sequence[float]
) -> list[tuple[int, int]]:
    """All (i, j) such that the half-open intervals [start, end) of system i and gold j share a point, in order.

    Overlap means that one of the two starts inside the other: both kinds are runs of the lists sorted by start. An
    interval that does not end after its start is empty and overlaps nothing. O((n + m) log (n + m) + answers).

    >>> overlapping_pairs([0, 4, 9], [5, 4, 12], [3, 5], [4, 10])
    [(0, 0), (2, 1)]
    """
    pairs = _starting_inside(starts_s, ends_s, starts_g, ends_g, strictly=False)
    pairs += [(i, j) for j, i in _starting_inside(starts_g, ends_g, starts_s, ends_s, strictly=True)]
    pairs.sort()
    return pairs


def _starting_inside(
    outer_starts: Sequence[float],
    outer_ends: Sequence[float],
    inner_starts: Sequence[float],
    inner_ends: Sequence[float],
    *,
    strictly: bool,
) -> list[tuple[int, int]]:
    """Pairs whose inner interval starts in the outer one; `strictly` leaves out equal starts, to count them once."""
    inner = sorted((start, j) for j, start in enumerate(inner_starts) if start < inner_ends[j])
    keys = [start for start, _ in inner]
    order = [j for _, j in inner]
    found: list[tuple[int, int]] = []
    for i, (start, end) in enumerate(zip(outer_starts, outer_ends, strict=True)):
        if start >= end:
            continue
        first = bisect_right(keys, start) if strictly else bisect_left(keys, start)
        last = bisect_left(keys, end, first)
        found.extend([(i, j) for j in order[first:last]])
    return found
