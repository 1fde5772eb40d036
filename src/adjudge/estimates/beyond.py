"""Recall beyond the pool: some documents were read to the end, so that it is known what no system returned."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from adjudge.errors import UsageError

FEWEST, FEW = 5, 15


class Exhaustive(NamedTuple):
    """Right items of one document that was read to the end: those in the pool, and all."""

    in_pool: float
    all: float


class Share(NamedTuple):
    """Which share of all right items is in the pool."""

    value: float
    variance: float
    documents: int


class Beyond(NamedTuple):
    """A recall or F1 of all right items, and its variance."""

    value: float
    variance: float


def share_in_pool(documents: Sequence[Exhaustive]) -> Share:
    """The share of the right items that some system returned, by jackknife over the documents.

    >>> round(share_in_pool([Exhaustive(4, 5), Exhaustive(3, 3), Exhaustive(1, 2), *[Exhaustive(1, 1)] * 2]).value, 4)
    0.8333
    """
    number = len(documents)
    if number < FEWEST:
        raise UsageError(f"{number} documents read to the end are too few", hint=f"read at least {FEWEST}")
    found, total = (math.fsum(column) for column in zip(*documents, strict=True))
    if not found:
        raise UsageError("the documents read to the end have no right item in the pool")
    value = found / total
    left = []
    for each in documents:
        rest = total - each.all
        left.append((found - each.in_pool) / rest if rest else value)
    return Share(value, (number - 1) / number * math.fsum((each - value) ** 2 for each in left), number)


def recall_beyond(recall: float, variance: float, share: Share) -> Beyond:
    """Recall of all right items: R theta."""
    return Beyond(recall * share.value, share.value**2 * variance + recall**2 * share.variance)


def f1_beyond(matched: float, gold: float, system: float, share: Share, variance: float) -> Beyond:
    """F1 of all right items: 2 TP / (n + T / theta); `variance` is that with theta known."""
    bottom = system + gold / share.value
    value = 2 * matched / bottom if bottom else 0.0
    slope = value * gold / share.value**2 / bottom if bottom else 0.0
    return Beyond(value, variance + slope**2 * share.variance)
