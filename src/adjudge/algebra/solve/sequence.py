"""Matching two sequences in order: the heaviest chain of match points, and the longest common subsequence."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Hashable, Sequence
from operator import itemgetter

Edge = tuple[int, int, float]

# Measured: from here on a numpy row per element beats a tree walk per match point.
_DENSE_CELLS = 100_000
_DENSE_SHARE = 4


def best_chain(edges: Sequence[Edge], *, rows_strict: bool, columns_strict: bool) -> tuple[float, list[Edge]]:
    """The heaviest chain of match points (row, column, weight) in which rows and columns never go down.

    `rows_strict` forbids a row to occur twice, `columns_strict` a column; 1:1 is both, 1:N (a row may serve several
    columns) is columns only, N:1 rows only, N:N neither. f(i, j) = w + max f over the points that may come before
    (Eq. 37 for total orders), with the maxima in a Fenwick tree: O(r log r). Points that weigh nothing are ignored;
    a pair occurs at most once.

    >>> best_chain([(0, 1, 1.0), (1, 0, 2.0), (1, 2, 1.0), (2, 2, 0.5)], rows_strict=True, columns_strict=True)
    (2.5, [(1, 0, 2.0), (2, 2, 0.5)])
    """
    points = sorted(edge for edge in edges if edge[2] > 0.0)
    if not points:
        return 0.0, []
    columns = sorted({column for _, column, _ in points})
    if rows_strict and columns_strict:
        cells = len(columns) * len({row for row, _, _ in points})
        if cells > _DENSE_CELLS and len(points) * _DENSE_SHARE > cells:
            chain = _dense_chain(points, columns)
            return math.fsum(map(itemgetter(2), chain)), chain
    chain = _sparse_chain(points, columns, rows_strict=rows_strict, columns_strict=columns_strict)
    return math.fsum(map(itemgetter(2), chain)), chain


def _sparse_chain(points: list[Edge], columns: list[int], *, rows_strict: bool, columns_strict: bool) -> list[Edge]:
    rank = {column: index for index, column in enumerate(columns, 1)}
    size = len(columns)
    best = [0.0] * (size + 1)
    holder = [-1] * (size + 1)
    before = [-1] * len(points)
    totals = [0.0] * len(points)
    # With strict rows the points of a row must not see each other: they enter the tree when the row is over.
    waiting: list[int] = []
    for index, (row, column, weight) in enumerate(points):
        if waiting and (not rows_strict or points[waiting[0]][0] != row):
            for done in waiting:
                _raise(best, holder, rank[points[done][1]], totals[done], done)
            waiting.clear()
        place = rank[column] - 1 if columns_strict else rank[column]
        value, who = 0.0, -1
        while place:
            if best[place] > value:
                value, who = best[place], holder[place]
            place &= place - 1
        totals[index] = value + weight
        before[index] = who
        waiting.append(index)
    # max keeps the first of equals: the chain that ends at the lowest row, then column.
    last = max(range(len(points)), key=totals.__getitem__)
    chain: list[Edge] = []
    while last >= 0:
        chain.append(points[last])
        last = before[last]
    chain.reverse()
    return chain


def _raise(best: list[float], holder: list[int], place: int, value: float, who: int) -> None:
    while place < len(best):
        if value > best[place]:
            best[place] = value
            holder[place] = who
        place += place & -place


def _dense_chain(points: list[Edge], columns: list[int]) -> list[Edge]:
    """Strict in both: f[i, j] = max(f[i-1, j], f[i, j-1], f[i-1, j-1] + w_ij), row by row, two bits per cell kept."""
    import numpy as np

    rank = {column: index for index, column in enumerate(columns)}
    by_row: dict[int, list[Edge]] = {}
    for point in points:
        by_row.setdefault(point[0], []).append(point)
    above = np.zeros(len(columns) + 1)
    trace: list[tuple[bytes, bytes]] = []
    for mine in by_row.values():
        weights = np.zeros(len(columns))
        weights[[rank[column] for _, column, _ in mine]] = [weight for _, _, weight in mine]
        row = np.maximum(above, np.concatenate(([0.0], above[:-1] + weights)))
        np.maximum.accumulate(row, out=row)
        up, left = row[1:] == above[1:], row[1:] == row[:-1]
        trace.append((np.packbits(up, bitorder="little").tobytes(), np.packbits(left, bitorder="little").tobytes()))
        above = row
    chain: list[Edge] = []
    j = len(columns) - 1
    for mine, (up_bits, left_bits) in zip(reversed(by_row.values()), reversed(trace), strict=True):
        while j >= 0 and not up_bits[j >> 3] >> (j & 7) & 1 and left_bits[j >> 3] >> (j & 7) & 1:
            j -= 1
        if j < 0:
            break
        if not up_bits[j >> 3] >> (j & 7) & 1:
            chain.append(mine[bisect_left(mine, columns[j], key=itemgetter(1))])
            j -= 1
    chain.reverse()
    return chain


def lcs_length(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """Length of the longest common subsequence of elements that are equal and hash alike.

    Bit-parallel (Allison and Dix 1986; Hyyrö 2004): one integer addition per element of `b`.

    >>> lcs_length("abcde", "bxdae")
    3
    """
    if len(a) < len(b):
        a, b = b, a
    start, end = _common_ends(a, b)
    return len(a) - _last_growth(a[start : len(a) - end], b[start : len(b) - end]).bit_count()


def _common_ends(a: Sequence[Hashable], b: Sequence[Hashable]) -> tuple[int, int]:
    shorter = min(len(a), len(b))
    start = 0
    while start < shorter and a[start] == b[start]:
        start += 1
    end = 0
    while end < shorter - start and a[-1 - end] == b[-1 - end]:
        end += 1
    return start, end


def _last_growth(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """The positions of `a` (as bits) at which the length common with `b` does *not* grow."""
    positions: dict[Hashable, int] = {}
    for index, element in enumerate(a):
        positions[element] = positions.get(element, 0) | 1 << index
    mask = (1 << len(a)) - 1
    flat = mask
    for element in b:
        hit = flat & positions.get(element, 0)
        flat = ((flat + hit) | (flat - hit)) & mask
    return flat
