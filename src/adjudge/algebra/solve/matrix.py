"""Matchings of many elements, given as a matrix of similarities: no Python object per pair.

A long computation of scipy can be abandoned when time is up.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from threading import TIMEOUT_MAX, Thread
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from adjudge.algebra.solve.deadline import NEVER, Deadline, OutOfTime, call, running

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Matrix = npt.NDArray[np.float64]
    Whole = npt.NDArray[np.int64]
    Allowed = npt.NDArray[np.bool_]

Edge = tuple[int, int, float]

_SOON = 3e8  # rows * columns * the smaller of both, up to which the assignment takes a fraction of a second
_CHUNK = 65_536


class Matched(msgspec.Struct, frozen=True):
    """Pairs in order with their total weight, what no matching exceeds, and whether the two are the same."""

    value: float
    pairs: list[Edge]
    bound: float
    optimal: bool


def assignment(matrix: Matrix, deadline: Deadline = NEVER) -> Matched:
    """The heaviest one-to-one matching of rows and columns; when time is up, for each row what is best and still free.

    >>> import numpy as np
    >>> assignment(np.array([[0.9, 0.8], [0.7, 0.0]])).pairs
    [(0, 1, 0.8), (1, 0, 0.7)]
    """
    found = solved_in_time(matrix, deadline)
    if found is not None:
        return _matched(matrix, zip(*found, strict=True))
    least = _matched(matrix, in_turn(matrix, range(len(matrix)), first=False))
    most = min(math.fsum(matrix.max(axis=1).tolist()), math.fsum(matrix.max(axis=0).tolist()))
    return Matched(least.value, least.pairs, max(most, least.value), most <= least.value)


def solved_in_time(
    matrix: npt.NDArray[Any], deadline: Deadline, *, spent: bool = False
) -> tuple[list[int], list[int]] | None:
    """The rows and columns of the best assignment, or None if time is up; a `spent` matrix may be overwritten.

    A long computation runs in a thread, which is abandoned when time is up. While an abandoned one is still running,
    the next runs in a process of its own, so that there are never two threads.
    """
    rows, columns = matrix.shape
    if spent:  # else scipy does so with a copy
        matrix *= -1
    if rows * columns * min(rows, columns) <= _SOON:
        return solved(matrix, not spent)
    if deadline.passed:
        return None
    if any(thread.is_alive() for thread in _LET_GO):
        answer: tuple[list[int], list[int]] | None = call(
            "adjudge.algebra.solve.matrix:solved", (matrix, not spent), deadline
        )
        return answer
    found: list[tuple[list[int], list[int]]] = []
    thread = Thread(target=lambda: found.append(solved(matrix, not spent)), daemon=True)
    thread.start()
    try:
        thread.join(min(deadline.left, TIMEOUT_MAX))
    finally:
        _LET_GO[:] = [thread] if thread.is_alive() else []
    return found[0] if found else None


_LET_GO: list[Thread] = []


def solved_or_late(matrix: npt.NDArray[Any]) -> tuple[list[int], list[int]]:
    """The rows and columns of the best assignment, before the deadline of what is running; else raises `OutOfTime`.

    >>> import numpy as np
    >>> solved_or_late(np.array([[1.0, 3.0], [2.0, 3.0]]))
    ([0, 1], [1, 0])
    """
    clock = running()
    clock.check()
    found = solved_in_time(matrix, clock)
    if found is None:
        raise OutOfTime
    return found


def solved(matrix: npt.NDArray[Any], maximize: bool = True) -> tuple[list[int], list[int]]:
    """The rows and columns of the heaviest assignment, or of the lightest."""
    rows, columns = _scipy().linear_sum_assignment(matrix, maximize=maximize)
    return rows.tolist(), columns.tolist()


@cache
def _scipy() -> Any:
    """The module of scipy that solves assignments, without the rest of scipy.optimize, which takes 0.3 s to import."""
    found = find_spec("scipy")
    homes = [f"{home}/optimize" for home in (found and found.submodule_search_locations) or ()]
    alone = PathFinder.find_spec("_lsap", homes)
    if alone is None or alone.loader is None:  # where it stands is not promised
        return import_module("scipy.optimize")
    module = module_from_spec(alone)
    alone.loader.exec_module(module)
    return module


def _matched(matrix: npt.NDArray[Any], pairs: Iterable[tuple[int, int]]) -> Matched:
    found = [(i, j, value) for i, j in sorted(pairs) if (value := float(matrix[i, j])) > 0.0]
    value = math.fsum(each for _, _, each in found)
    return Matched(value, found, value, True)


def heaviest_first(matrix: Matrix, *, columns_first: bool = False) -> list[tuple[int, int]]:
    """The heaviest pair, then the heaviest that still fits, and so on; of equals the lowest row, or column, first.

    >>> import numpy as np
    >>> heaviest_first(np.array([[0.9, 0.9], [0.7, 0.0]]))
    [(0, 0)]
    """
    import numpy as np

    if columns_first:
        return [(i, j) for j, i in heaviest_first(matrix.T)]
    free_rows, free_columns = np.ones(matrix.shape[0], bool), np.ones(matrix.shape[1], bool)
    found: list[tuple[int, int]] = []
    for rows, columns in _by_weight(matrix):
        if len(found) == min(matrix.shape):
            break
        fits = free_rows[rows] & free_columns[columns]
        for i, j in zip(rows[fits].tolist(), columns[fits].tolist(), strict=True):
            if free_rows[i] and free_columns[j]:
                free_rows[i] = free_columns[j] = False
                found.append((i, j))
    return found


def by_weight(matrix: Matrix) -> Iterator[Edge]:
    """All pairs, the heaviest first, of equals in order."""
    for rows, columns in _by_weight(matrix):
        yield from zip(rows.tolist(), columns.tolist(), matrix[rows, columns].tolist(), strict=True)


def _by_weight(matrix: Matrix) -> Iterator[tuple[Any, Any]]:
    import numpy as np

    flat = matrix.ravel()
    (where,) = np.nonzero(flat > 0.0)
    order = where[np.argsort(-flat[where], kind="stable")]
    for start in range(0, len(order), _CHUNK):
        rows, columns = np.divmod(order[start : start + _CHUNK], matrix.shape[1])
        yield rows, columns


def in_turn(matrix: npt.NDArray[Any], order: Iterable[int], *, first: bool) -> list[tuple[int, int]]:
    """Every row of `order` takes the best column that is still free, or the first one.

    >>> import numpy as np
    >>> in_turn(np.array([[0.5, 0.9], [0.7, 0.8]]), [1, 0], first=False)
    [(1, 1), (0, 0)]
    """
    import numpy as np

    free = np.ones(matrix.shape[1])
    found = []
    for i in order:
        row = matrix[i] * free
        j = int(np.argmax(row > 0.0) if first else np.argmax(row))
        if row[j] > 0.0:
            free[j] = 0.0
            found.append((i, j))
    return found


def heaviest_chain(matrix: npt.NDArray[Any], *, columns_strict: bool) -> Matched:
    """The heaviest chain of pairs whose rows go up, and whose columns go up, or not down (Eq. 37 for total orders).

    >>> import numpy as np
    >>> heaviest_chain(np.array([[0.0, 1.0], [2.0, 0.0], [0.0, 0.5]]), columns_strict=True).pairs
    [(1, 0, 2.0), (2, 1, 0.5)]
    """
    import numpy as np

    rows, columns = matrix.shape
    best = np.zeros((rows + 1, columns + 1), dtype=matrix.dtype)  # of the first rows and columns
    for i in range(rows):
        before = best[i, :-1] if columns_strict else best[i, 1:]
        np.maximum.accumulate(np.maximum(best[i, 1:], before + matrix[i]), out=best[i + 1, 1:])
    pairs = []
    i, j = rows, columns
    while i and j:
        if best[i, j] == best[i - 1, j]:
            i -= 1
        elif best[i, j] == best[i, j - 1]:
            j -= 1
        else:
            i -= 1
            pairs.append((i, j - 1))
            j -= columns_strict
    return _matched(matrix, pairs)


def heaviest_path(matrix: Matrix) -> Matched:
    """The heaviest chain of pairs whose rows and columns do not go down, diagonal by diagonal.

    >>> import numpy as np
    >>> heaviest_path(np.array([[0.5, 1.0], [2.0, 0.0]])).pairs
    [(0, 0, 0.5), (1, 0, 2.0)]
    """
    import numpy as np

    rows, columns = matrix.shape
    best = np.zeros((rows + 1, columns + 1))
    for diagonal in range(rows + columns - 1):
        i = np.arange(max(0, diagonal - columns + 1), min(rows, diagonal + 1))
        j = diagonal - i
        best[i + 1, j + 1] = matrix[i, j] + np.maximum(best[i, j + 1], best[i + 1, j])
    pairs = []
    i, j = rows, columns
    while i and j:
        pairs.append((i - 1, j - 1))
        i, j = (i - 1, j) if best[i - 1, j] >= best[i, j - 1] else (i, j - 1)
    return _matched(matrix, pairs)


def line_maxima(matrix: Matrix) -> list[Edge]:
    """The best column of every row that has any, the lowest of equals."""
    best: Any = matrix.argmax(axis=1)
    return [(i, j, value) for i, j in enumerate(best.tolist()) if (value := float(matrix[i, j])) > 0.0]


# ---------------------------------------------------------------------------------------------------------------------
# Lexicographic weights: several numbers for each cell of a full matrix
#
# Floating point solves it exactly as long as all sums of weights stay below 2^53. If the numbers are too large for one
# weight, the later ones are maximised among the matchings that are best by the earlier ones: those of the cells whose
# reduced cost is 0.

_EXACT = 1 << 53  # of floating point
_WHOLE = 1 << 62


class Dense(NamedTuple):
    """Cells in order; `most` bounds the sum of the first level if time was too short for the best cells."""

    pairs: list[tuple[int, int]]
    most: int | None = None


def dense_matching(levels: Sequence[Whole], allowed: Allowed, deadline: Deadline = NEVER) -> Dense:
    """The allowed cells, no two in one row or column, whose sums are highest by the first level, then by the next.

    All numbers are at least 0, and those of the first level above 0 where a cell is allowed.

    >>> import numpy as np
    >>> first, second = np.array([[1, 1], [1, 1]]), np.array([[0, 2], [2, 0]])
    >>> dense_matching([first, second], first > 0).pairs
    [(0, 1), (1, 0)]
    """
    import numpy as np

    size = max(allowed.shape)
    tight: Allowed | None = None
    rest = list(levels)
    found: list[tuple[int, int]] | None = None
    while True:
        weight, rest = _combined(rest, allowed, size, _EXACT)
        if rest or tight is not None:  # every cell of a square has a cost, that of cells without worth is 0
            square = np.zeros((size, size), dtype=np.int64)
            square[: allowed.shape[0], : allowed.shape[1]] = weight
            weight = square
        if tight is not None:
            weight[~tight] = -(size * int(weight.max(initial=0)) + 1)
        answer = solved_in_time(weight, deadline, spent=not rest)
        if answer is None:
            break
        found = [(i, j) for i, j in zip(*answer, strict=True) if _is_allowed(allowed, i, j)]
        if not rest:
            return Dense(found)
        now = _tight(weight, np.array(answer[1]), deadline)
        if now is None:
            break
        tight = now if tight is None else tight & now
    if found is not None:
        return Dense(found, sum(int(levels[0][cell]) for cell in found))
    first = np.where(allowed, levels[0], 0)
    most = min(int(first.max(axis=axis).sum(dtype=np.int64)) for axis in (0, 1))
    return Dense(in_turn(first, range(len(first)), first=False), most)


def dense_chain(levels: Sequence[Whole], allowed: Allowed) -> Dense:
    """The same of cells whose rows and columns both go up.

    >>> import numpy as np
    >>> first, second = np.array([[1, 1], [1, 1]]), np.array([[0, 2], [2, 0]])
    >>> dense_chain([first, second], first > 0).pairs
    [(0, 0), (1, 1)]
    """
    import numpy as np

    weight, rest = _combined(levels, allowed, max(allowed.shape), _WHOLE)
    if rest:  # too large for a number of the machine
        weight = weight.astype(object)
        for level in rest:
            own = np.where(allowed, level, 0)
            weight = weight * (1 + int(own.max(axis=1, initial=0).sum(dtype=np.int64))) + own
    return Dense([(i, j) for i, j, _ in heaviest_chain(weight, columns_strict=True).pairs])


def _is_allowed(allowed: Allowed, i: int, j: int) -> bool:
    return i < allowed.shape[0] and j < allowed.shape[1] and bool(allowed[i, j])


def _combined(levels: Sequence[Whole], allowed: Allowed, size: int, limit: int) -> tuple[Whole, list[Whole]]:
    """As many levels as one number below a limit can hold, and those that are left."""
    import numpy as np

    weight = np.multiply(levels[0], allowed, dtype=np.float64 if limit == _EXACT else np.int64)
    for place, level in enumerate(levels[1:], 1):
        own = np.where(allowed, level, 0)
        factor = 1 + int(min(own.max(axis=0, initial=0).sum(), own.max(axis=1, initial=0).sum()))
        if (int(weight.max(initial=0)) + 1) * factor * size * 2 >= limit:
            return weight, list(levels[place:])
        weight *= factor
        weight += own
        del own
    return weight, []


def _tight(weight: Whole, columns: npt.NDArray[np.intp], deadline: Deadline) -> Allowed | None:
    """The cells of all best assignments of a square, of which one is given: those that cost nothing against it.

    The prices of columns are shortest distances in the graph of exchanges (Bellman and Ford), all columns at once.
    None if time is up.
    """
    import numpy as np

    given = weight[np.arange(len(columns)), columns]
    exchange = given[:, None] - weight  # what is lost if a row takes another column
    price = np.zeros(len(columns), dtype=np.int64)
    while True:
        better = np.minimum(price, (exchange + price[columns][:, None]).min(axis=0))
        if (better == price).all():
            break
        if deadline.passed:
            return None
        price = better
    found: Allowed = exchange + price[columns][:, None] == price[None, :]
    return found
