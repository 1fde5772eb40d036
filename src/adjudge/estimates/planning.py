"""How much is needed: assessments for an interval, documents for a difference of systems with several runs."""

from __future__ import annotations

import math
from statistics import NormalDist

from adjudge.errors import UsageError
from adjudge.stats.power import check_planning


def labels_needed(variance: float, assessed: int, pool: int, half_width: float, *, level: float = 0.95) -> int:
    """How many items of a pool give an interval of this half-width, from the variance with those assessed so far.

    >>> labels_needed(0.0004, 500, 5000, 0.02)
    1496
    """
    if not half_width > 0:
        raise UsageError(f"a half-width of {half_width:g}", hint="give one above 0")
    if assessed >= pool:
        return max(2, pool)
    if variance <= 0:
        raise UsageError("all that was read is alike and says nothing of how much labels vary", hint="assess more")
    constant = variance / (1 / assessed - 1 / pool)
    z = NormalDist().inv_cdf((1 + level) / 2)
    return max(2, min(pool, math.ceil(round(1 / (1 / pool + (half_width / z) ** 2 / constant), 9))))


def documents_with_runs(
    between: float, within: tuple[float, float], runs: tuple[int, int], difference: float, *, alpha: float, power: float
) -> int:
    """The documents for a difference of two systems with several runs each.

    `between` is the variance over documents of the difference of run means, `within` those over the runs of a system.

    >>> documents_with_runs(0.01, (0.004, 0.002), (4, 1), 0.03, alpha=0.05, power=0.8)
    114
    """
    check_planning(alpha, power, 1)
    law = NormalDist()
    reach = law.inv_cdf(1 - alpha / 2) + law.inv_cdf(power)
    variance = between + within[0] / runs[0] + within[1] / runs[1]
    return max(2, math.ceil(round(reach * reach * variance / difference**2, 9)))
