"""Recall beyond the pool, from some documents that were read to the end and show what no system returned."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from adjudge.errors import UsageError
from adjudge.model.prf import ratio

FEWEST, FEW = 5, 15


class Exhaustive(NamedTuple):
    """The correct items of one document that was read to the end: those in the pool, and all."""

    in_pool: float
    all: float
    document: str = ""


class Share(NamedTuple):
    """The share of all correct items that is in the pool."""

    value: float
    variance: float
    documents: int
    departures: tuple[tuple[str, float], ...] = ()  # by document, the weighted change of the share without it


class Beyond(NamedTuple):
    """A recall or F1 over all correct items, and its variance."""

    value: float
    variance: float


def share_in_pool(documents: Sequence[Exhaustive]) -> Share:
    """The share of the correct items that some system returned, by jackknife over the documents.

    >>> round(share_in_pool([Exhaustive(4, 5), Exhaustive(3, 3), Exhaustive(1, 2), *[Exhaustive(1, 1)] * 2]).value, 4)
    0.8333
    """
    number = len(documents)
    if number < FEWEST:
        raise UsageError(f"{number} completely read documents are too few", hint=f"read at least {FEWEST}")
    found, total = math.fsum(each.in_pool for each in documents), math.fsum(each.all for each in documents)
    if not found:
        raise UsageError("the completely read documents have no correct item in the pool")
    value = found / total
    left = []
    for each in documents:
        rest = total - each.all
        left.append((found - each.in_pool) / rest if rest else value)
    weight = math.sqrt((number - 1) / number)
    moved = tuple((each.document, weight * (rest - value)) for each, rest in zip(documents, left, strict=True))
    return Share(value, (number - 1) / number * math.fsum((each - value) ** 2 for each in left), number, moved)


def recall_beyond(recall: float, variance: float, share: Share, moved: Mapping[str, float] | None = None) -> Beyond:
    """Recall over all correct items: R theta.

    If documents are a sample, `moved` has the weighted change of the recall without each of them: a document that was
    also read to the end changes both.
    """
    together = math.fsum(own * (moved or {}).get(document, 0.0) for document, own in share.departures)
    spread = share.value**2 * variance + recall**2 * share.variance + 2 * recall * share.value * together
    return Beyond(recall * share.value, max(0.0, spread))


def f1_beyond(matched: float, gold: float, system: float, share: Share, variance: float) -> Beyond:
    """F1 over all correct items: 2 TP / (n + T / theta); `variance` is that with theta known."""
    bottom = system + gold / share.value
    value = ratio(2 * matched, bottom)
    slope = ratio(value * gold / share.value**2, bottom)
    return Beyond(value, variance + slope**2 * share.variance)
