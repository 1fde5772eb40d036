"""Matching two sequences: the heaviest chain of match points, and the longest common subsequence."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

Edge = tuple[int, int, float]


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
    rank = {column: index for index, column in enumerate(columns, 1)}
    size = len(columns)
    best: list[float] = [0] * (size + 1)
    holder = [-1] * (size + 1)
    before = [-1] * len(points)
    totals: list[float] = [0] * len(points)
    # With strict rows the points of a row must not see each other: they enter the tree when the row is over.
    waiting: list[int] = []
    for index, (row, column, weight) in enumerate(points):
        if waiting and (not rows_strict or points[waiting[0]][0] != row):
            for done in waiting:
                _raise(best, holder, rank[points[done][1]], totals[done], done)
            waiting.clear()
        place = rank[column] - 1 if columns_strict else rank[column]
        value: float = 0
        who = -1
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
    return math.fsum(weight for _, _, weight in chain), chain


def _raise(best: list[float], holder: list[int], place: int, value: float, who: int) -> None:
    while place < len(best):
        if value > best[place]:
            best[place] = value
            holder[place] = who
        place += place & -place


def lcs_length(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """Length of the longest common subsequence of elements that are equal and hash alike.

    Bit-parallel (Allison and Dix 1986; Hyyrö 2004): one integer addition per element of `b`.

    >>> lcs_length("abcde", "bxdae")
    3
    """
    if len(a) < len(b):
        a, b = b, a
    positions: dict[Hashable, int] = {}
    for index, element in enumerate(a):
        positions[element] = positions.get(element, 0) | 1 << index
    mask = (1 << len(a)) - 1
    flat = mask  # the positions of `a` at which the length common with `b` does not grow
    for element in b:
        hit = flat & positions.get(element, 0)
        flat = ((flat + hit) | (flat - hit)) & mask
    return len(a) - flat.bit_count()
