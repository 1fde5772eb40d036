"""Sparse boolean rows and matrices: taken apart, put side by side, multiplied."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from adjudge.tasks.kbp.paths_facts import blocks, ranges

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints: TypeAlias = npt.NDArray[Any]


class Rows(NamedTuple):
    """Sparse rows without the empty ones: the id of each row, and the columns it reaches."""

    ids: Ints
    starts: Ints
    columns: Ints


class Matrix(NamedTuple):
    """A boolean matrix by rows, all rows present."""

    starts: Ints
    columns: Ints
    width: int


def in_columns(rows: Rows, columns: Ints) -> Rows:
    """The rows in other columns; those that are -1 are left out."""
    import numpy as np

    known = columns >= 0
    total = np.zeros(len(known) + 1, dtype=rows.starts.dtype)
    np.cumsum(known, out=total[1:])
    return _without_empty(rows.ids, total[rows.starts], columns[known])


def _without_empty(ids: Ints, starts: Ints, columns: Ints) -> Rows:
    import numpy as np

    filled = np.flatnonzero(starts[1:] > starts[:-1])
    if len(filled) == len(ids):
        return Rows(ids, starts, columns)
    return Rows(ids[filled], np.append(starts[filled], starts[-1:]), columns)


def split(gold: Rows, system: Rows, matrix: Matrix, block: int) -> Iterator[tuple[Rows, Rows]]:
    """The rows in pieces with at most `block` walks, cut at the same labels on both sides."""
    import numpy as np

    degrees = np.diff(matrix.starts)
    walks = [_row_sums(degrees[side.columns], side.starts) for side in (gold, system)]
    if sum(int(w.sum()) for w in walks) <= block:
        yield gold, system
        return
    ids = np.union1d(gold.ids, system.ids)
    weights = np.zeros(len(ids))
    for side, own in zip((gold, system), walks, strict=True):
        weights[np.searchsorted(ids, side.ids)] += own
    for start, stop in blocks(weights, block):
        pieces = [between(side, ids[start], ids[stop - 1] + 1) for side in (gold, system)]
        yield pieces[0], pieces[1]


def between(rows: Rows, first: int, last: int) -> Rows:
    """The rows whose ids are from the one to before the other."""
    import numpy as np

    a, b = np.searchsorted(rows.ids, [first, last])
    low, high = rows.starts[a], rows.starts[b]
    return Rows(rows.ids[a:b], rows.starts[a : b + 1] - low, rows.columns[low:high])


def product(rows: Rows, matrix: Matrix) -> Rows:
    """The boolean product, without its empty rows."""
    built = multiply(rows, matrix)
    return _without_empty(rows.ids, built.indptr, built.indices)


def multiply(rows: Rows, matrix: Matrix) -> Any:
    """The boolean product as a sparse matrix: sums of witnesses cannot overflow, as they could in small integers."""
    import numpy as np
    from scipy import sparse

    height = len(matrix.starts) - 1
    left = sparse.csr_matrix(
        (np.ones(len(rows.columns), dtype=bool), rows.columns, rows.starts), (len(rows.ids), height)
    )
    ones = np.ones(len(matrix.columns), dtype=bool)
    return left @ sparse.csr_matrix((ones, matrix.columns, matrix.starts), (height, matrix.width))


def take(rows: Rows, places: Ints) -> Rows:
    """Some of the rows."""
    import numpy as np

    lengths = np.diff(rows.starts)[places]
    return Rows(rows.ids[places], offsets(lengths), rows.columns[ranges(rows.starts[places], lengths)])


def joined(gold: Rows, system: Rows) -> Rows:
    """Rows with the same ids side by side: what either of the two reaches."""
    import numpy as np

    one, other = np.diff(gold.starts), np.diff(system.starts)
    starts = offsets(one + other)
    columns = np.empty(int(starts[-1]), dtype=gold.columns.dtype)
    columns[ranges(starts[:-1], one)] = gold.columns
    columns[ranges(starts[:-1] + one, other)] = system.columns
    return Rows(gold.ids, starts, columns)


def shared(gold: Rows, system: Rows) -> tuple[Ints, Ints]:
    """Where the ids that both have are, in the one and in the other."""
    import numpy as np

    _, one, other = np.intersect1d(gold.ids, system.ids, assume_unique=True, return_indices=True)
    return one, other


def runs(column: Ints) -> tuple[Ints, Ints]:
    """The values of a column in order, and how often each occurs."""
    import numpy as np

    new = np.ones(len(column), dtype=bool)
    new[1:] = column[1:] != column[:-1]
    at = np.flatnonzero(new)
    return column[at], np.diff(np.append(at, len(column)))


def offsets(lengths: Ints) -> Ints:
    """Where rows of these lengths begin, and where the last ends; in small integers if they suffice."""
    import numpy as np

    total = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=total[1:])
    return total.astype(np.int32) if total[-1] < 1 << 31 else total


def _row_sums(values: Ints, starts: Ints) -> Ints:
    import numpy as np

    total = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(values, out=total[1:])
    return np.diff(total[starts])
