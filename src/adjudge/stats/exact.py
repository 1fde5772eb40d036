"""Weighted sums over documents whose bits depend on nothing but the numbers.

A product of matrices is rounded at every step, in an order that differs between processors, releases of numpy and
orders of documents. Here the numbers are first cut into slices of so few bits that every sum of a slice with whole
weights is exact (Ozaki, Ogita, Oishi and Rump 2012), and only the sums of the slices are rounded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from adjudge.errors import ValidationError

if TYPE_CHECKING:
    import numpy.typing as npt

    from adjudge.stats.measure import Array

_BITS = 53
# Three slices of the worst size still hold more than the bits of a number that is as large as its column's largest.
_SLICES = 3
_SMALLEST = -1074


def exact_sums(values: Array) -> Array:
    """The correctly rounded sum of every column (Shewchuk's algorithm), whatever the order of the rows.

    >>> exact_sums(np.array([[1e16], [1.0], [-1e16]])).tolist()
    [1.0]
    """
    try:
        return np.array([math.fsum(column) for column in values.T.tolist()], dtype=np.float64)
    except OverflowError as error:
        raise ValidationError("the sum of a column exceeds the range of float64") from error


def exact_slices(rows: Array) -> list[Array]:
    """Tables that add up to the rows; with whole weights of a sum up to the number of rows, each adds up exactly.

    Counts are one slice, the table itself.

    >>> [part.tolist() for part in exact_slices(np.array([[3.0], [4.0]]))]
    [[[3.0], [4.0]]]
    >>> parts = exact_slices(np.array([[1 / 3], [0.5]]))
    >>> len(parts), bool(sum(part[0, 0] for part in parts) == 1 / 3)
    (2, True)
    """
    bits = _BITS - 1 - len(rows).bit_length()
    slices: list[Array] = []
    rest = rows
    while len(slices) < _SLICES and rest.any():
        _, exponents = np.frexp(np.abs(rest).max(axis=0))
        unit = np.ldexp(1.0, np.maximum(exponents - bits, _SMALLEST))
        part = np.rint(rest / unit) * unit
        slices.append(part)
        rest = rest - part
    return slices or [rows]


def exact_product(weights: npt.ArrayLike, slices: Sequence[Array]) -> Array:
    """Weights x rows, to the same bits whatever the order of the rows; the rows are given by their slices.

    Weights that are not whole, or whose sum exceeds the number of rows, give the plain product.

    >>> exact_product([[2.0, 0.0]], exact_slices(np.array([[0.1], [0.7]]))).tolist()
    [[0.2]]
    """
    matrix: Array = np.asarray(weights, dtype=np.float64)
    if len(slices) == 1:
        return matrix @ slices[0]
    whole = bool((matrix == np.rint(matrix)).all() and (np.abs(matrix).sum(axis=1) <= matrix.shape[1]).all())
    if not whole:
        return matrix @ add_up(slices)
    return add_up([_product(matrix, part) for part in slices])


def _product(weights: Array, part: Array) -> Array:
    """Weights x a slice, of which the columns of counts are nothing but zeros after the first."""
    used = part.any(axis=0)
    if used.all():
        return weights @ part
    product = np.zeros((len(weights), part.shape[1]))
    product[:, used] = weights @ part[:, used]
    return product


def add_up(tables: Sequence[Array]) -> Array:
    """The sum of tables, smallest last in the list and first in the sum."""
    total = tables[-1]
    for table in reversed(tables[:-1]):
        total = table + total
    return total
