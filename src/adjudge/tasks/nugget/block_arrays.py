"""Small operations on arrays of numbers that start at 0, without sorting where that is not needed.

`np.unique` and its relatives sort, and load modules that nothing else here needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

Array: TypeAlias = "npt.NDArray[Any]"


def flags(numbers: Array, size: int) -> Array:
    """Which numbers below a size occur.

    >>> flags(np.array([2, 0, 2]), 4).tolist()
    [True, False, True, False]
    """
    found = np.zeros(size, bool)
    found[numbers] = True
    return found


def firsts(numbers: Array, size: int) -> Array:
    """Where each number below a size occurs first; anything for one that does not.

    >>> firsts(np.array([1, 0, 1]), 2).tolist()
    [1, 0]
    """
    found = np.empty(size, np.int64)
    found[numbers[::-1]] = np.arange(len(numbers))[::-1]  # of several values the last one stays
    return found


def numbered(numbers: Array, size: int) -> tuple[Array, Array]:
    """The places at which numbers below a size occur first, and for every place the rank of its number among those.

    >>> [each.tolist() for each in numbered(np.array([7, 2, 7]), 8)]
    [[0, 1], [0, 1, 0]]
    """
    first = firsts(numbers, size)[numbers]
    leads = first == np.arange(len(numbers))
    return np.flatnonzero(leads), (np.cumsum(leads) - 1)[first]


def grouped(numbers: Array) -> tuple[Array, Array, Array]:
    """The different numbers in ascending order, for every place the rank of its number, and how often each occurs.

    >>> [each.tolist() for each in grouped(np.array([70, 20, 70]))]
    [[20, 70], [1, 0, 1], [1, 2]]
    """
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    leads = np.ones(len(ordered), bool)
    leads[1:] = ordered[1:] != ordered[:-1]
    rank = np.empty(len(ordered), np.int64)
    rank[order] = np.cumsum(leads) - 1
    starts = np.flatnonzero(leads)
    return ordered[starts], rank, np.diff(starts, append=len(ordered))
