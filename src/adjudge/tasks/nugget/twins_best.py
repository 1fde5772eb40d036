"""The score of a corpus as a function of what choices among twins can change, and the best of some choices.

The score, the average F1 of MUC, B3, CEAFe and BLANC (rule 8.01), is a sum of terms that are linear in the counts, and
of the F1 of B3, which is concave in its two numerators; all denominators are the same whatever is chosen.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from adjudge.tasks.coref.counts import COLUMNS
from adjudge.tasks.nugget.twins_table import Point

KINDS = ("muc:matched", "ceafe:matched", "blanc.coref:matched", "blanc.noncoref:matched", "b3:matched", "b3:found")
PLACES = tuple(COLUMNS.index(f"coref.{name}") for name in KINDS)
POINTS = 20_000  # combinations of choices that are kept
EXACT = 1e-12  # scores that differ by less are the same


class Score(NamedTuple):
    """The average F1 as a function of a linear share, B3 matched and B3 found.

    `weights` are those of MUC, CEAFe, and BLANC within and between clusters in the linear share.
    """

    weights: tuple[float, float, float, float]
    system: float
    gold: float

    def point(self, totals: Sequence[float]) -> Point:
        """The three numbers of totals of `COLUMNS`."""
        counts = [totals[place] for place in PLACES]
        share = 0.0
        for count, weight in zip(counts, self.weights, strict=False):
            share += count * weight
        return share, counts[4], counts[5]

    def value(self, point: Point) -> float:
        """The score of totals."""
        share, precise, found = point
        if precise <= 0 or found <= 0:
            return share
        p, r = precise / self.system, found / self.gold
        return share + p * r / (p + r) / 2  # a quarter of 2 p r / (p + r)

    def slope(self, point: Point) -> Point:
        """The gradient at totals."""
        _, precise, found = point
        if precise <= 0 or found <= 0:
            return 1.0, 0.0, 0.0
        p, r = precise / self.system, found / self.gold
        square = 2 * (p + r) * (p + r)
        return 1.0, r * r / square / self.system, p * p / square / self.gold


def score_of(totals: Sequence[float]) -> Score:
    """The score as a function of what can change in the totals of `COLUMNS`; all other columns are the same always.

    >>> totals = [0.0] * len(COLUMNS)
    >>> totals[COLUMNS.index("coref.muc:system")] = totals[COLUMNS.index("coref.muc:gold")] = 2.0
    >>> score_of(totals).weights[0]
    0.125
    """
    column = dict(zip(COLUMNS, totals, strict=True))

    def weight(name: str, share: float) -> float:
        whole = column[f"coref.{name}:system"] + column[f"coref.{name}:gold"]
        return 2 * share / whole if whole else 0.0

    kinds = [name for name in ("blanc.coref", "blanc.noncoref") if column[f"coref.{name}:gold"]]
    links = {name: weight(name, 0.25 / len(kinds)) for name in kinds}
    within, between = links.get("blanc.coref", 0.0), links.get("blanc.noncoref", 0.0)
    weights = (weight("muc", 0.25), weight("ceafe", 0.25), within, between)
    return Score(weights, column["coref.b3:system"], column["coref.b3:gold"])


def average(totals: Sequence[float]) -> float:
    """The average F1 of MUC, B3, CEAFe and BLANC of totals of `COLUMNS`, as a fraction of one.

    >>> from adjudge.tasks.coref.counts import count
    >>> round(average(count([["a", "b"], ["c"]], [["a", "b"]])), 4)
    0.7417
    """
    score = score_of(totals)
    return score.value(score.point(totals))


def combined(
    score: Score, base: Point, parts: Sequence[Sequence[Point]], slope: Point, ceiling: float, known: float
) -> tuple[list[int] | None, bool]:
    """The best choice of one point for each part that is better than what is known, and whether all were looked at.

    Points are added to the base. Under the tangent with this slope no choice exceeds the ceiling; so a choice that
    loses more than there is between the ceiling and the known score is in no better one.

    >>> score = Score((1.0, 0.0, 0.0, 0.0), 2.0, 2.0)
    >>> combined(score, (0.0, 1.0, 1.0), [[(0.0, 0.0, 0.0), (0.1, 0.0, 0.0)]], (1.0, 0.125, 0.125), 1.0, 0.125)
    ([1], True)
    """
    front: list[tuple[Point, float, tuple[int, ...]]] = [(base, 0.0, ())]
    for points in parts:
        values = [dot(slope, point) for point in points]
        top = max(values)
        longer = [
            (add(point, points[i]), lost + top - value, (*chosen, i))
            for point, lost, chosen in front
            for i, value in enumerate(values)
            if ceiling - lost - (top - value) > known
        ]
        front = _front(longer)
        if len(front) > POINTS:
            return None, False
    best = max(front, key=lambda each: score.value(each[0]), default=None)
    if best is None or score.value(best[0]) <= known:
        return None, True
    return list(best[2]), True


def _front(
    candidates: Sequence[tuple[Point, float, tuple[int, ...]]],
) -> list[tuple[Point, float, tuple[int, ...]]]:
    """The candidates that no other one reaches in all three numbers: a staircase of the last two, share by share."""
    kept = []
    stairs: list[tuple[float, float]] = []  # (matched, -found): matched ascending, found descending
    for candidate in sorted(candidates, key=lambda each: each[0], reverse=True):
        _, precise, found = candidate[0]
        place = bisect_left(stairs, (precise, -float("inf")))
        if place < len(stairs) and -stairs[place][1] >= found:
            continue
        low = place
        while low and -stairs[low - 1][1] <= found:
            low -= 1
        stairs[low:place] = [(precise, -found)]
        kept.append(candidate)
    return kept


def dot(one: Point, other: Point) -> float:
    """The product of a slope and a point.

    >>> dot((1.0, 2.0, 3.0), (1.0, 1.0, 1.0))
    6.0
    """
    return one[0] * other[0] + one[1] * other[1] + one[2] * other[2]


def add(one: Point, other: Point) -> Point:
    """The sum of two points.

    >>> add((1.0, 2.0, 3.0), (1.0, 1.0, 1.0))
    (2.0, 3.0, 4.0)
    """
    return one[0] + other[0], one[1] + other[1], one[2] + other[2]
