"""Hard bounds: the lowest and highest value of a score, whatever the verdicts on the unread items would be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from adjudge.estimates.pool import MEASURE
from adjudge.model.prf import ratio
from adjudge.stats.measure import Array, Key, Prf
from adjudge.stats.points import scores_of

_CONVERGED = 1e-12
_STEPS = 200


class Assessed(NamedTuple):
    """What is known of a system: its correct items, all correct items, and unread items of its own and of others."""

    matched: float
    gold: float
    system: float
    unread: int
    unread_others: int


def score_bounds(known: Assessed, measure: Prf = MEASURE, *, apart: bool = False) -> dict[Key, tuple[float, float]]:
    """Lowest and highest value of every part.

    Lowest: unread items are wrong if they are the system's own, and correct if not; highest the other way round. If an
    item may be correct and the answer of a system to it wrong (`apart`), the lowest has all items correct.

    >>> score_bounds(Assessed(2, 3, 4, 1, 2))["pool", "precision"]
    (0.5, 0.75)
    """
    right = known.unread_others + (known.unread if apart else 0)
    worst = {"matched": known.matched, "system": known.system, "gold": known.gold + right}
    best = {"matched": known.matched + known.unread, "system": known.system, "gold": known.gold + known.unread}
    low, high = (scores_of([measure], counts) for counts in (worst, best))
    return {key: (low[key], high[key]) for key in low}


class Pair(NamedTuple):
    """Two systems: their correct items, their items, all correct items, and the unread items by who returned them."""

    matched: tuple[float, float]
    system: tuple[float, float]
    gold: float
    a_only: int
    b_only: int
    both: int
    neither: int


def difference_bounds(pair: Pair, beta: float = 1.0) -> tuple[float, float]:
    """The bounds of F(a) - F(b).

    For the highest, all unread items of a alone are correct and those of b alone are wrong. Every number of correct
    items of both is tried; the number of those of neither is at one of the ends, or next to where the derivative is 0.

    >>> difference_bounds(Pair((1, 1), (2, 2), 1, 0, 0, 0, 1))
    (0.0, 0.0)
    """
    low = _extreme(pair, beta * beta, (0, pair.b_only)).min()
    return float(low), float(_extreme(pair, beta * beta, (pair.a_only, 0)).max())


def _extreme(pair: Pair, square: float, right: tuple[int, int]) -> Array:
    """Differences of F for every number of correct items of both, and the extreme numbers of those of neither."""
    import numpy as np

    both = np.arange(pair.both + 1, dtype=np.float64)
    a, b = ((1 + square) * (pair.matched[at] + right[at] + both) for at in (0, 1))
    base = pair.gold + sum(right) + both
    apart = np.sqrt(a) - np.sqrt(b)
    with np.errstate(divide="ignore", invalid="ignore"):
        flat = (np.sqrt(b) * pair.system[0] - np.sqrt(a) * pair.system[1]) / apart / square - base
    flat = np.clip(np.nan_to_num(flat, nan=0.0, posinf=0.0, neginf=0.0), 0, pair.neither)
    tried = [np.zeros_like(base), np.full_like(base, pair.neither), np.floor(flat), np.ceil(flat)]
    found = []
    for neither in tried:
        gold = square * (base + neither)
        ratios = [ratio(top, size + gold) for top, size in zip((a, b), pair.system, strict=True)]
        found.append(ratios[0] - ratios[1])
    return np.concatenate(found)


class Clipped(NamedTuple):
    """One document of the argument score: correct, wrong, all correct classes, and unread classes, own and others'."""

    tp: float
    fp: float
    correct: float
    own: int
    others: int


def clip_bounds(documents: Sequence[Clipped], beta: float, *, apart: bool = False) -> tuple[float, float]:
    """The bounds of sum max(0, tp - beta fp) / sum correct (Dinkelbach 1967).

    It is not monotone: a correct answer in a document whose score is clipped at 0 lowers the total. If a class may be
    correct and the answer of the system to it wrong (`apart`), the lowest has all unread classes so.

    >>> clip_bounds([Clipped(2, 1, 4, 2, 1), Clipped(0, 6, 1, 3, 0)], 0.25)
    (0.178..., 0.535...)
    """
    high = _dinkelbach([_choices(each, beta, 0, (0, each.own)) for each in documents], 0.0, upper=True)
    if not any(each.correct or each.others or (apart and each.own) for each in documents):
        return 0.0, high
    if apart:
        worst = [_choices(each, beta, each.others + each.own, (0,)) for each in documents]
    else:
        worst = [_choices(each, beta, each.others, _turning(each, beta)) for each in documents]
    return _dinkelbach(worst, 1.0, upper=False), high


def _turning(each: Clipped, beta: float) -> tuple[int, ...]:
    """Numbers of right answers at which the lowest score of a document can lie: the ends, and where it is clipped."""
    zero = math.floor((beta * (each.fp + each.own) - each.tp) / (1 + beta))
    return tuple(sorted({min(each.own, max(0, right)) for right in (0, each.own, zero, zero + 1)}))


def _choices(each: Clipped, beta: float, others: int, right: Iterable[int]) -> list[tuple[float, float]]:
    """Numerator and denominator of a document for every outcome that matters."""
    return [
        (max(0.0, each.tp + own - beta * (each.fp + each.own - own)), each.correct + own + others)
        for own in dict.fromkeys(right)
    ]


def _dinkelbach(documents: Sequence[list[tuple[float, float]]], theta: float, *, upper: bool) -> float:
    sign = 1.0 if upper else -1.0
    for _ in range(_STEPS):
        chosen = [max(each, key=lambda pair: sign * (pair[0] - theta * pair[1])) for each in documents]
        top, bottom = math.fsum(pair[0] for pair in chosen), math.fsum(pair[1] for pair in chosen)
        if sign * (top - theta * bottom) <= _CONVERGED or bottom == 0:
            return theta if bottom else 0.0
        theta = top / bottom
    return theta
