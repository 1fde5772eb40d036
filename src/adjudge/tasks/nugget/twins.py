"""Twins: which of two mentions with the same span and type is meant, when coreference is scored.

    document_front(gold, system, pairs, gold_class, system_class) -> Choices | None     None: there is no choice
    best_alignment(fronts, counts) -> Best(score, greedy, optimal, bound), with the counts and pairs of all documents
    count_pairs(gold, system, pairs) -> counts in the order of tasks/coref/counts.COLUMNS
    average(totals) -> average F1 of MUC, B3, CEAFe and BLANC (rule 8.01)

`gold` and `system` are clusters of indices of mentions, singletons included; `pairs` are (gold index, system index) of
the mapping that feeds coreference, `gold_class[i]` is equal for mentions that the mapping cannot tell apart (the same
span and the same mapped attributes). Per document:

    counts.append(count_pairs(gold, system, pairs))
    fronts.append(document_front(gold, system, pairs, gold_class, system_class))

The mapping says how many mentions of a gold class are paired with a system class; which of them stays open. The
specification (4.3) holds the search for the best score infeasible, since the number of alignments is exponential. But
only the table of how many mentions two clusters share matters; the score is concave in what the choices change, so that
under its tangent the documents, and parts of them, are solved one by one (`twins_solve`), and an alignment that is the
best under its own tangent is the best of all. The result is the optimum, or says that it may not be, and what cannot be
exceeded.

This is for scores whose denominators do not depend on the alignment: not for the coreference of 2015, which leaves gold
mentions out of the key that are not paired.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from functools import reduce
from math import fsum
from typing import NamedTuple

from adjudge.tasks.coref.counts import COLUMNS
from adjudge.tasks.nugget.rows import Row, Rows
from adjudge.tasks.nugget.twins_best import EXACT, PLACES, add, average, combined, dot, score_of
from adjudge.tasks.nugget.twins_front import Choices, count_pairs, document_front
from adjudge.tasks.nugget.twins_groups import Pair
from adjudge.tasks.nugget.twins_solve import Choice, Found, solve
from adjudge.tasks.nugget.twins_table import Point, Rates

__all__ = ["Best", "Choices", "average", "best_alignment", "count_pairs", "document_front"]

ROUNDS = 20  # tangents that are tried

Way = tuple[Row, Choices, Choice]
"""A choice of a document, with its counts."""


class Best(NamedTuple):
    """The best alignment of a corpus.

    `score` is its average F1, `greedy` that of the given pairs; no alignment exceeds `bound`, which is the score itself
    if it is `optimal`.
    """

    score: float
    greedy: float
    optimal: bool
    bound: float
    given: Rows
    changed: dict[int, Way]  # the documents that are counted otherwise than they were given

    @property
    def counts(self) -> list[Row]:
        """The counts of every document."""
        return [self.changed[place][0] if place in self.changed else row for place, row in enumerate(self.given)]

    @property
    def pairs(self) -> list[list[Pair] | None]:
        """The pairs of every document; None where nothing changed."""
        ways = [self.changed.get(place) for place in range(len(self.given))]
        return [None if way is None else way[1].pairs(way[2]) for way in ways]


def best_alignment(fronts: Sequence[Choices | None], counts: Iterable[Sequence[float]]) -> Best:
    """The alignment of all documents that maximises the average F1 over the corpus; `counts` are those as given.

    >>> clusters = [[0], [1, 2]], [[0, 1]]
    >>> front = document_front(*clusters, [(0, 0), (2, 1)], ["kill", "kill", "war"], ["kill", "war"])
    >>> best = best_alignment([front], [count_pairs(*clusters, [(0, 0), (2, 1)])])
    >>> round(best.greedy, 4), round(best.score, 4), best.optimal, best.pairs
    (0.2361, 0.7417, True, [[(1, 0), (2, 1)]])
    """
    search = _Search(fronts, counts if isinstance(counts, Rows) else Rows(len(COLUMNS), counts))
    at, greedy = search.score.point(search.totals), search.best
    seen: set[Point] = set()
    while at not in seen and search.ceiling > search.best + EXACT and len(seen) < (ROUNDS if search.exact else 2):
        seen.add(at)
        at = search.under_tangent(at)
    if search.ceiling > search.best + EXACT and search.exact:
        search.near_tangent()
    optimal = search.ceiling <= search.best + EXACT
    return Best(search.best, greedy, optimal, search.best if optimal else search.ceiling, search.given, search.changed)


class _Search:
    """The best alignment so far, and the lowest ceiling."""

    def __init__(self, fronts: Sequence[Choices | None], given: Rows) -> None:
        columns = given.columns()
        self.open = [(place, front) for place, front in enumerate(fronts) if front is not None]
        self.given = given
        self.totals = list(map(_sum, columns))
        self.columns = [columns[place].tolist() for place in PLACES]  # those that can change
        self.score = score_of(self.totals)
        self.best = self.score.value(self.score.point(self.totals))
        self.changed: dict[int, Way] = {}
        self.ceiling = float("inf") if self.open else self.best
        self.tangent: Point = (0.0, 0.0, 0.0)
        self.rates = self.at(self.tangent)  # under the last tangent
        self.exact = True  # whether every document was solved under that tangent
        self.before: list[Found] = []  # of the tangent before this one
        self.known: dict[tuple[int, Choice], Way | None] = {}

    def solved(self, number: int) -> Found:
        """The best choice of a document under the last tangent."""
        _, front = self.open[number]
        same = self.before[number].under(self.rates) if self.before else None
        return same or solve(front.table(self.rates), front.groups)

    def under_tangent(self, at: Point) -> Point:
        """Find the best alignment under the tangent at some totals, and return its totals."""
        slope = self.score.slope(at)
        self.rates = self.at(slope)
        self.before = found = [self.solved(number) for number in range(len(self.open))]
        totals = self.take([each.points[0][2] for each in found])
        beyond = fsum([each.bound - each.points[0][0] for each in found])
        ceiling = min(1.0, self.score.value(at) + dot(slope, totals) - dot(slope, at) + beyond)
        if ceiling < self.ceiling:
            self.ceiling, self.tangent, self.exact = ceiling, slope, beyond <= EXACT
        return totals

    def near_tangent(self) -> None:
        """Look at all choices that the tangent leaves a chance to be better than the best that is known."""
        rates, slack = self.at(self.tangent), self.ceiling - self.best
        found = [solve(front.table(rates), front.groups, slack) for _, front in self.open]
        choices = [[choice for _, _, choice in each.points] for each in found]
        parts = [[_minus(point, each.points[0][1]) for _, point, _ in each.points] for each in found]
        known = self.best
        first = self.take([each[0] for each in choices])
        chosen, complete = combined(self.score, first, parts, self.tangent, self.ceiling, known)
        if chosen:
            self.take([choices[place][number] for place, number in enumerate(chosen)])
        if complete and all(each.complete and each.bound <= each.points[0][0] + EXACT for each in found):
            self.ceiling = self.best

    def at(self, slope: Point) -> Rates:
        """What counts are worth under a tangent."""
        return Rates(*self.score.weights, slope[1], slope[2])

    def take(self, choices: Sequence[Choice]) -> Point:
        """Count an alignment, keep it if it is the best, and return its totals."""
        changed: dict[int, Way] = {}
        for (place, front), choice in zip(self.open, choices, strict=True):
            if not front.is_given(choice) and (way := self.way(place, front, choice)) is not None:
                changed[place] = way
        totals = list(self.totals)
        for column, values in zip(PLACES, self.columns, strict=True):
            values = values.copy()
            for place, (counts, *_) in changed.items():
                values[place] = counts[column]
            totals[column] = _sum(values)
        at = self.score.point(totals)
        value = self.score.value(at)
        if value > self.best + EXACT:
            self.best, self.changed = value, changed
        return at

    def way(self, place: int, front: Choices, choice: Choice) -> Way | None:
        """A choice that is not the given one with its counts; None if they are the same."""
        if (place, choice) not in self.known:
            own = front.counts(choice)
            same = all(abs(x - y) <= EXACT for x, y in zip(own, self.given[place], strict=True))
            self.known[place, choice] = None if same else (own, front, choice)
        return self.known[place, choice]


def _sum(values: Iterable[float]) -> float:
    """The sum from left to right, which the built-in `sum` is not for floats."""
    return reduce(operator.add, values, 0.0)


def _minus(one: Point, other: Point) -> Point:
    return add(one, (-other[0], -other[1], -other[2]))
