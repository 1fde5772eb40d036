"""Alignments of the chains of many documents at once, where single cells settle them.

A cell that weighs at least as much as the best other cell of its row and of its column together stands in some best
alignment; one that weighs more stands in every one. Such cells are taken, with their rows and columns, until there is
none: many at a time, since a cell stays what it is when others are taken.
"""

from __future__ import annotations

import numpy as np

from adjudge.tasks.nugget.block_arrays import Array, firsts, flags

MARGIN = 1e-9  # by which a cell must weigh more, lest the rounding of sums decides


def settled_cells(row: Array, column: Array, weight: Array, *, unique: bool) -> tuple[Array, Array]:
    """Which cells a best alignment has as far as that is clear, and which others are left over.

    If it has to be `unique`, only cells are taken that every best alignment has.

    >>> row, column = np.array([0, 0, 1]), np.array([0, 1, 1])
    >>> [each.tolist() for each in settled_cells(row, column, np.array([2, 1, 1]), unique=True)]
    [[True, False, True], [False, False, False]]
    >>> [each.tolist() for each in settled_cells(row, column, np.array([1, 2, 1]), unique=False)]
    [[False, True, False], [False, False, False]]
    """
    rows, columns = (int(each.max(initial=-1)) + 1 for each in (row, column))
    taken, left = np.zeros(len(row), bool), np.arange(len(row))
    while True:
        r, c, own = row[left], column[left], weight[left]
        rivals = _best_other(r, own, rows) + _best_other(c, own, columns)
        found = np.flatnonzero(own > rivals + MARGIN if unique else own >= rivals)
        place = np.arange(len(found))  # of equal cells in a row or column the first one
        found = found[(firsts(r[found], rows)[r[found]] == place) & (firsts(c[found], columns)[c[found]] == place)]
        if not len(found):
            return taken, flags(left, len(row))
        taken[left[found]] = True
        left = left[~(flags(r[found], rows)[r] | flags(c[found], columns)[c])]


def _best_other(line: Array, weight: Array, lines: int) -> Array:
    """For every cell the weight of the best other one of its line, 0 if there is none.

    >>> _best_other(np.array([0, 0, 1, 0]), np.array([3, 5, 1, 4]), 2).tolist()
    [5, 4, 0, 5]
    """
    best, second = np.zeros(lines, weight.dtype), np.zeros(lines, weight.dtype)
    np.maximum.at(best, line, weight)
    leads = weight == best[line]
    np.maximum.at(second, line[~leads], weight[~leads])
    alone = np.bincount(line[leads], minlength=lines) == 1
    return np.where(leads & alone[line], second[line], best[line])


def connected(row: Array, column: Array, some: Array) -> Array:
    """The cells that hang together with some of them by rows and columns.

    >>> connected(np.array([0, 0, 1]), np.array([0, 1, 2]), np.array([True, False, False])).tolist()
    [True, True, False]
    """
    rows, columns = (int(each.max(initial=-1)) + 1 for each in (row, column))
    while True:
        found = flags(row[some], rows)[row] | flags(column[some], columns)[column]
        if np.array_equal(found, some):
            return found
        some = found
