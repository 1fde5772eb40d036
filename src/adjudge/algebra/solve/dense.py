"""Heaviest one-to-one matchings and chains of a full matrix with lexicographic weights: several numbers per cell.

Floating point solves it exactly as long as all sums of weights stay below 2^53. If the numbers are too large for one
weight, the later ones are maximised among the matchings that are best by the earlier ones: those of the cells whose
reduced cost is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from adjudge.algebra.solve.deadline import NEVER, Deadline
from adjudge.algebra.solve.matrix import heaviest_chain, in_turn, solved_in_time

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Matrix = npt.NDArray[np.int64]
    Allowed = npt.NDArray[np.bool_]

_EXACT = 1 << 53  # of floating point
_WHOLE = 1 << 62


class Dense(NamedTuple):
    """Cells in order; `most` bounds the sum of the first level if time was too short for the best cells."""

    pairs: list[tuple[int, int]]
    most: int | None = None


def dense_matching(levels: Sequence[Matrix], allowed: Allowed, deadline: Deadline = NEVER) -> Dense:
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


def dense_chain(levels: Sequence[Matrix], allowed: Allowed) -> Dense:
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


def _combined(levels: Sequence[Matrix], allowed: Allowed, size: int, limit: int) -> tuple[Matrix, list[Matrix]]:
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


def _tight(weight: Matrix, columns: npt.NDArray[np.intp], deadline: Deadline) -> Allowed | None:
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
