"""How a cost grows with the size."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple


class Fit(NamedTuple):
    """cost = factor * size ** exponent; `error` is the standard error of the exponent, nan for two points."""

    exponent: float
    error: float
    factor: float


def fit_exponent(points: Iterable[tuple[float, float]]) -> Fit:
    """The least-squares line through the logarithms of (size, cost).

    >>> fit = fit_exponent([(1, 3), (10, 300), (100, 30000)])
    >>> round(fit.exponent, 9), round(fit.error, 9), round(fit.factor, 9)
    (2.0, 0.0, 3.0)
    """
    logs = [(math.log(size), math.log(cost)) for size, cost in points]
    if len({x for x, _ in logs}) < 2:
        raise ValueError("a growth needs two sizes or more")
    mean_x, mean_y = (sum(values) / len(logs) for values in zip(*logs, strict=True))
    spread = sum((x - mean_x) ** 2 for x, _ in logs)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in logs) / spread
    start = mean_y - slope * mean_x
    left = sum((y - start - slope * x) ** 2 for x, y in logs)
    error = math.sqrt(left / (len(logs) - 2) / spread) if len(logs) > 2 else math.nan
    return Fit(slope, error, math.exp(start))
