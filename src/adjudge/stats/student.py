"""Student's law, in plain arithmetic: libraries improve theirs from release to release, and with it the last digits."""

from __future__ import annotations

import math
from functools import lru_cache

_TINY = 1e-300
_ENOUGH = 1e-16
_STEPS = 10_000


def student_tails(t: float, freedom: float) -> float:
    """The probability of a value at least as far from 0 as t: I_x(f / 2, 1 / 2) with x = f / (f + t^2).

    >>> round(student_tails(12.706204736, 1), 9), student_tails(0.0, 5)
    (0.05, 1.0)
    """
    square = t * t
    if square == 0:
        return 1.0
    if math.isinf(square):
        return 0.0
    return _incomplete_beta(freedom / 2, 0.5, freedom / (freedom + square), square / (freedom + square))


@lru_cache(maxsize=256)
def student_quantile(level: float, freedom: float) -> float:
    """How far from 0 to each side this share of the law lies, found by halving down to neighbouring numbers.

    >>> round(student_quantile(0.95, 10), 6)
    2.228139
    """
    low, high = 0.0, 1.0
    while student_tails(high, freedom) > 1 - level:
        low, high = high, 2 * high
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return high
        if student_tails(middle, freedom) > 1 - level:
            low = middle
        else:
            high = middle


def _incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """I_x(a, b), where rest = 1 - x is given to all its digits."""
    if x > (a + 1) / (a + b + 2):  # the fraction converges fast on the other side
        return 1 - _incomplete_beta(b, a, rest, x)
    logarithm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest)
    return math.exp(logarithm) / a * _fraction(a, b, x)


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, evaluated from the front (Lentz 1976)."""
    c, d = 1.0, _inverse(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _STEPS):
        for factor in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = _inverse(1 + factor * d)
            c = 1 + factor / c
            c = c if abs(c) > _TINY else _TINY
            value *= c * d
        if abs(c * d - 1) < _ENOUGH:
            break
    return value


def _inverse(value: float) -> float:
    return 1 / (value if abs(value) > _TINY else _TINY)
