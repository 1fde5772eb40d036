"""Power: the smallest difference that documents can show, and the documents that a difference needs."""

from __future__ import annotations

import math

from adjudge.errors import UsageError
from adjudge.stats.inference import ALPHA
from adjudge.stats.intervals import student_quantile

POWER = 0.8
MOST_COMPARED = 1_000_000  # beyond these quantiles are no longer exact
_MOST = 1 << 40


def reach(documents: float, alpha: float = ALPHA, power: float = POWER, comparisons: int = 1) -> float:
    """How many standard errors a difference must have to be found with this power."""
    freedom = documents - 1
    return student_quantile(1 - alpha / comparisons, freedom) + student_quantile(2 * power - 1, freedom)


def check_planning(alpha: float, power: float, comparisons: int) -> None:
    """A level between 0 and 1, a power above a half, at least one comparison and not too many."""
    if not 0 < alpha < 1:
        raise UsageError(f"alpha is {alpha:g}", hint="give a number between 0 and 1, such as 0.05")
    if not 0.5 < power < 1:
        raise UsageError(f"the power is {power:g}", hint="give a number between 0.5 and 1, such as 0.8")
    if not 1 <= comparisons <= MOST_COMPARED:
        raise UsageError(f"{comparisons} comparisons", hint=f"give at least 1 and at most {MOST_COMPARED:,}")


def documents_needed(
    spread: float, difference: float, *, alpha: float = ALPHA, power: float = POWER, comparisons: int = 1
) -> int:
    """The fewest documents with which a difference is found; `spread` is its standard error times sqrt(documents).

    >>> documents_needed(0.2, 0.05), documents_needed(0.2, 0.05, comparisons=10)
    (128, 217)
    """
    check_planning(alpha, power, comparisons)
    if not difference > 0:
        raise UsageError(f"a difference of {difference:g}", hint="give one above 0")

    def enough(documents: int) -> bool:
        return reach(documents, alpha, power, comparisons) * spread / math.sqrt(documents) <= difference

    high = 2
    while not enough(high):
        high *= 2
        if high > _MOST:
            raise UsageError(f"no number of documents shows a difference of {difference:g}", hint="plan a larger one")
    low = max(2, high // 2)
    while low < high:
        middle = (low + high) // 2
        if enough(middle):
            high = middle
        else:
            low = middle + 1
    return high


def detectable(
    error: float, documents: float, *, alpha: float = ALPHA, power: float = POWER, comparisons: int = 1
) -> float:
    """The smallest difference that these documents would show with the power; `error` is that of the difference.

    >>> round(detectable(0.012, 40), 6)
    0.034484
    """
    check_planning(alpha, power, comparisons)
    return reach(documents, alpha, power, comparisons) * error
