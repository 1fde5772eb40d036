"""Sums as the published programs add them up, to the last digit, on every Python."""

from __future__ import annotations

from collections.abc import Iterable


def sum_in_order(parts: Iterable[float]) -> float:
    """A sum whose last digit is that of adding one part after the other: `sum` is more exact from Python 3.12 on.

    >>> sum_in_order([0.1] * 3)
    0.30000000000000004
    """
    whole: float = 0
    for each in parts:
        whole += each
    return whole
