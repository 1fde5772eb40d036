"""Precision, recall and F from counts: the one place where a score is divided and where 0/0 is decided.

`stats.measure` has the same for columns of counts, which only resampling needs. Published scorers that divide in
another way do so in their own modules.
"""

from __future__ import annotations

from typing import overload


@overload
def ratio(numerator: float, denominator: float, undefined: float) -> float: ...
@overload
def ratio(numerator: float, denominator: float, undefined: float | None) -> float | None: ...


def ratio(numerator: float, denominator: float, undefined: float | None) -> float | None:
    """numerator / denominator, and `undefined` where the denominator is 0.

    >>> ratio(1, 2, 0), ratio(0, 0, 1), ratio(0, 0, None)
    (0.5, 1.0, None)
    """
    if denominator:
        return float(numerator / denominator)
    return None if undefined is None else float(undefined)


def harmonic(precision: float, recall: float) -> float:
    """F1 of two ratios, as published programs divide it; 0 if both are 0.

    >>> harmonic(0.5, 1.0), harmonic(0, 0)
    (0.6666666666666666, 0.0)
    """
    return ratio(2 * precision * recall, precision + recall, 0)


@overload
def f_measure(
    p_num: float, p_den: float, r_num: float, r_den: float, *, undefined: float, same: bool, beta: float = 1.0
) -> float: ...
@overload
def f_measure(
    p_num: float, p_den: float, r_num: float, r_den: float, *, undefined: float | None, same: bool, beta: float = 1.0
) -> float | None: ...


def f_measure(
    p_num: float, p_den: float, r_num: float, r_den: float, *, undefined: float | None, same: bool, beta: float = 1.0
) -> float | None:
    """F-beta from the counts of precision and recall.

    `same` (one matching gave both numerators): (1 + b²) S / (b² r_den + p_den). Otherwise the harmonic form
    (1 + b²) P R / (b² P + R) of the two ratios, which is 0 when one of them is 0, and undefined when both are 0/0 or
    one is undefined and the other is not 0.

    >>> f_measure(2, 3, 2, 4, undefined=0, same=True)
    0.5714285714285714
    >>> f_measure(1, 1, 1, 3, undefined=0, same=False)
    0.5
    """
    square = float(beta) * float(beta)
    if same:
        return ratio((1 + square) * p_num, square * r_den + p_den, undefined)
    if not p_den and not r_den:
        return None if undefined is None else float(undefined)
    p, r = ratio(p_num, p_den, undefined), ratio(r_num, r_den, undefined)
    if p == 0 or r == 0:
        return 0.0
    return None if p is None or r is None else (1 + square) * p * r / (square * p + r)
