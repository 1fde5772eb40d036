"""Precision, recall and F from counts: the one place where a score is divided and where 0/0 is decided.

Numbers may be exact fractions, or columns of many documents or resamples at once. What 0/0 is, is the caller's policy:
the specification has 0, some programs 1 or nan, and an undefined score is nan.
"""

from __future__ import annotations

from typing import Any, TypeAlias, overload

Counts: TypeAlias = tuple[Any, Any]


@overload
def ratio(numerator: float, denominator: float, undefined: float = 0.0) -> float: ...
@overload
def ratio(numerator: Any, denominator: Any, undefined: Any = 0.0) -> Any: ...


def ratio(numerator: Any, denominator: Any, undefined: Any = 0.0) -> Any:
    """numerator / denominator, and `undefined` where the denominator is 0.

    >>> ratio(1, 2), ratio(0, 0), ratio(0, 0, None)
    (0.5, 0.0, None)
    """
    if not getattr(denominator, "ndim", 0):
        return numerator / denominator if denominator else undefined
    import numpy as np

    value = np.full(np.broadcast_shapes(np.shape(numerator), np.shape(denominator)), undefined, dtype=float)
    np.divide(numerator, denominator, out=value, where=denominator != 0)
    return value


def either(condition: Any, one: Any, other: Any) -> Any:
    """One value or the other, row by row if the condition is a column.

    >>> either(False, 1, 2)
    2
    """
    if not getattr(condition, "ndim", 0):
        return one if condition else other
    import numpy as np

    return np.where(condition, one, other)


@overload
def harmonic(precision: float, recall: float, square: float = 1, undefined: float = 0.0) -> float: ...
@overload
def harmonic(precision: Any, recall: Any, square: Any = 1, undefined: Any = 0.0) -> Any: ...


def harmonic(precision: Any, recall: Any, square: Any = 1, undefined: Any = 0.0) -> Any:
    """F-beta of two ratios, (1 + b²) P R / (b² P + R) with `square` for b², and `undefined` if both are 0.

    >>> harmonic(0.5, 1.0), harmonic(0, 0)
    (0.6666666666666666, 0.0)
    """
    return ratio((1 + square) * precision * recall, square * precision + recall, undefined)


@overload
def precision_recall_f1(
    matched: float, system: float, gold: float, found: float | None = None, *, undefined: float = 0.0, tiny: float = 0
) -> tuple[float, float, float]: ...
@overload
def precision_recall_f1(
    matched: Any, system: Any, gold: Any, found: Any = None, *, undefined: Any = 0.0, tiny: float = 0
) -> tuple[Any, Any, Any]: ...


def precision_recall_f1(
    matched: Any, system: Any, gold: Any, found: Any = None, *, undefined: Any = 0.0, tiny: float = 0
) -> tuple[Any, Any, Any]:
    """The three as most programs compute them: F1 from the other two.

    `found` is the numerator of recall, if it differs from that of precision; some scripts add a `tiny` number to every
    denominator.

    >>> precision_recall_f1(1, 2, 1)
    (0.5, 1.0, 0.6666666666666666)
    """
    precision = ratio(matched, system + tiny, undefined)
    recall = ratio(matched if found is None else found, gold + tiny, undefined)
    return precision, recall, ratio(2 * precision * recall, precision + recall + tiny, undefined)


def f_measure(
    precision: Counts, recall: Counts, *, same: bool, undefined: Any = 0.0, nothing: Any = None, beta: float = 1.0
) -> Any:
    """F-beta from the numerators and denominators of precision and recall.

    `same` (one matching gave both numerators): (1 + b²) S / (b² gold + system). Otherwise the harmonic form of the two
    ratios, which is 0 when one of them is 0, and undefined (nan) when one is undefined and the other is not 0. With
    nothing on both sides it is `nothing`, which is `undefined` unless it is given.

    >>> f_measure((2, 3), (2, 4), same=True)
    0.5714285714285714
    >>> f_measure((1, 1), (1, 3), same=False)
    0.5
    """
    square, nothing = float(beta) * float(beta), undefined if nothing is None else nothing
    if same:
        return ratio((1 + square) * precision[0], square * recall[1] + precision[1], nothing)
    p, r = ratio(*precision, undefined), ratio(*recall, undefined)
    value = either((p == 0) | (r == 0), 0.0, harmonic(p, r, square))
    return either((precision[1] == 0) & (recall[1] == 0), nothing, value)
