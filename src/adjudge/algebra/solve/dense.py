"""Maximum-weight one-to-one matching of a full matrix, by several whole numbers of which the first decides first.

Floating point solves it exactly as long as all sums of weights stay below 2^53. If the numbers are too large for one
weight, the later ones are maximised among the matchings that are best by the earlier ones: those of the cells whose
reduced cost is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Matrix = npt.NDArray[np.int64]

_EXACT = 1 << 53


def dense_matching(levels: Sequence[Matrix], allowed: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """The allowed cells, no two in one row or column, whose sums are highest by the first level, then by the next.

    All numbers are at least 0, and those of the first level above 0 where a cell is allowed.

    >>> import numpy as np
    >>> first, second = np.array([[1, 1], [1, 1]]), np.array([[0, 2], [2, 0]])
    >>> dense_matching([first, second], first > 0)
    [(0, 1), (1, 0)]
    """
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    size = max(allowed.shape)
    tight: npt.NDArray[np.bool_] | None = None
    rest = list(levels)
    while True:
        weight, rest = _combined(rest, allowed, size)
        if rest or tight is not None:  # every cell of a square has a cost, that of cells without worth is 0
            square = np.zeros((size, size), dtype=np.int64)
            square[: allowed.shape[0], : allowed.shape[1]] = weight
            weight = square
        if tight is not None:
            weight[~tight] = -(size * int(weight.max(initial=0)) + 1)
        rows, columns = linear_sum_assignment(weight, maximize=True)
        if not rest:
            break
        now = _reduced(weight, columns) == 0
        tight = now if tight is None else tight & now
    inside = (rows < allowed.shape[0]) & (columns < allowed.shape[1])
    return [(i, j) for i, j in zip(rows[inside].tolist(), columns[inside].tolist(), strict=True) if allowed[i, j]]


def _combined(levels: Sequence[Matrix], allowed: npt.NDArray[np.bool_], size: int) -> tuple[Matrix, list[Matrix]]:
    """As many levels as one exact number can hold, and those that are left."""
    import numpy as np

    weight = np.where(allowed, levels[0], 0).astype(np.int64)
    for place, level in enumerate(levels[1:], 1):
        own = np.where(allowed, level, 0)
        factor = 1 + int(min(own.max(axis=0, initial=0).sum(), own.max(axis=1, initial=0).sum()))
        if (int(weight.max(initial=0)) + 1) * factor * size * 2 >= _EXACT:
            return weight, list(levels[place:])
        weight *= factor
        weight += own
    return weight, []


def _reduced(weight: Matrix, columns: npt.NDArray[np.intp]) -> Matrix:
    """What each cell costs against the best assignment of a square, which is the given one.

    The prices of columns are shortest distances in the graph of exchanges (Bellman and Ford), all columns at once.
    """
    import numpy as np

    given = weight[np.arange(len(columns)), columns]
    exchange = given[:, None] - weight  # what is lost if a row takes another column
    price = np.zeros(len(columns), dtype=np.int64)
    while True:
        better = np.minimum(price, (exchange + price[columns][:, None]).min(axis=0))
        if (better == price).all():
            break
        price = better
    found: Matrix = exchange + price[columns][:, None] - price[None, :]
    return found
