"""Twins: which of two mentions with the same span and type is meant, when coreference is scored.

    document_front(gold, system, pairs, gold_class, system_class) -> Front | None     None: there is no choice
    best_alignment(fronts, counts) -> Best(score, greedy, optimal, bound, counts, pairs)
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
from collections.abc import Hashable, Iterable, Sequence
from functools import reduce
from math import fsum
from typing import NamedTuple

from adjudge.tasks.coref.counts import COLUMNS, count_unrepeated
from adjudge.tasks.nugget.twins_best import EXACT, Score, add, average, combined, dot, score_of
from adjudge.tasks.nugget.twins_groups import (
    Cell,
    Clusters,
    Group,
    Pair,
    cells_of,
    clusters_of,
    find_groups,
    near_cells,
)
from adjudge.tasks.nugget.twins_solve import Choice, Found, solve
from adjudge.tasks.nugget.twins_table import Point, Rates, table_of

__all__ = ["Best", "Front", "average", "best_alignment", "count_pairs", "document_front"]

Mentions = Sequence[Sequence[int]]
ROUNDS = 20  # tangents that are tried


class Front(NamedTuple):
    """What is open in one document: groups of twins with their options, beside pairs that are as they are.

    `cells` are those of the settled pairs, as far as their clusters are linked to those of open ones.
    """

    clusters: Clusters
    settled: list[Pair]
    cells: dict[Cell, int]
    groups: list[Group]

    def pairs(self, choice: Choice) -> list[Pair]:
        """The pairs of a choice, by gold mention."""
        chosen = [pair for group, option in choice for pair in self.groups[group].options[option].pairs]
        return sorted((*self.settled, *chosen))


class Best(NamedTuple):
    """The best alignment of a corpus.

    `score` is its average F1, `greedy` that of the given pairs; no alignment exceeds `bound`, which is the score itself
    if it is `optimal`. `counts` and `pairs` are those of every document; the pairs are None where nothing changed.
    """

    score: float
    greedy: float
    optimal: bool
    bound: float
    counts: list[tuple[float, ...]]
    pairs: list[list[Pair] | None]


def document_front(
    gold: Mentions,
    system: Mentions,
    pairs: Sequence[Pair],
    gold_class: Sequence[Hashable],
    system_class: Sequence[Hashable],
) -> Front | None:
    """The choices that one document leaves open; None if all pairs are as they are.

    >>> front = document_front([[0], [1, 2]], [[0, 1]], [(0, 0), (2, 1)], ["kill", "kill", "war"], ["kill", "war"])
    >>> front.settled, [option.pairs for option in front.groups[0].options]
    ([(2, 1)], [((1, 0),), ((0, 0),)])
    """
    if len(set(gold_class)) == len(gold_class) and len(set(system_class)) == len(system_class):
        return None
    clusters = clusters_of(gold, system)
    settled, groups = find_groups(clusters, pairs, gold_class, system_class)
    if not groups:
        return None
    return Front(clusters, settled, near_cells(cells_of(clusters, settled), groups), groups)


def best_alignment(fronts: Sequence[Front | None], counts: Iterable[Sequence[float]]) -> Best:
    """The alignment of all documents that maximises the average F1 over the corpus; `counts` are those as given.

    >>> clusters = [[0], [1, 2]], [[0, 1]]
    >>> front = document_front(*clusters, [(0, 0), (2, 1)], ["kill", "kill", "war"], ["kill", "war"])
    >>> best = best_alignment([front], [count_pairs(*clusters, [(0, 0), (2, 1)])])
    >>> round(best.greedy, 4), round(best.score, 4), best.optimal, best.pairs
    (0.2361, 0.7417, True, [[(1, 0), (2, 1)]])
    """
    given = [tuple(each) for each in counts]
    score = score_of(totals := _totals(given))
    at = score.point(totals)
    greedy = score.value(at)
    search = _Search(score, fronts, given, greedy)
    seen: set[Point] = set()
    while at not in seen and search.ceiling > search.best + EXACT and len(seen) < (ROUNDS if search.exact else 2):
        seen.add(at)
        at = search.under_tangent(at)
    if search.ceiling > search.best + EXACT and search.exact:
        search.near_tangent()
    optimal = search.ceiling <= search.best + EXACT
    return Best(search.best, greedy, optimal, search.best if optimal else search.ceiling, search.counts, search.pairs)


class _Search:
    """The best alignment so far, and the lowest ceiling."""

    def __init__(
        self, score: Score, fronts: Sequence[Front | None], given: list[tuple[float, ...]], greedy: float
    ) -> None:
        self.score = score
        self.open = [(place, front) for place, front in enumerate(fronts) if front is not None]
        self.given = given
        self.best = greedy
        self.counts = given
        self.pairs: list[list[Pair] | None] = [None] * len(given)
        self.ceiling = float("inf") if self.open else greedy
        self.tangent: Point = (0.0, 0.0, 0.0)
        self.exact = True  # whether every document was solved under that tangent
        self.before: list[Found] = []  # of the tangent before this one
        self.known: dict[tuple[int, Choice], tuple[tuple[float, ...], list[Pair] | None]] = {}  # counts and pairs

    def solved(self, slope: Point, slack: float = 0.0) -> list[Found]:
        """The best choices of the documents under a tangent."""
        rates = Rates(*self.score.weights, slope[1], slope[2])
        found = []
        for number, (_, front) in enumerate(self.open):
            same = self.before[number].under(rates) if self.before and not slack else None
            if same is None:
                same = solve(table_of(front.clusters, front.cells, front.groups, rates), front.groups, slack)
            found.append(same)
        if not slack:
            self.before = found
        return found

    def under_tangent(self, at: Point) -> Point:
        """Find the best alignment under the tangent at some totals, and return its totals."""
        slope = self.score.slope(at)
        found = self.solved(slope)
        totals = self.take([each.points[0][2] for each in found])
        beyond = fsum([each.bound - each.points[0][0] for each in found])
        ceiling = min(1.0, self.score.value(at) + dot(slope, totals) - dot(slope, at) + beyond)
        if ceiling < self.ceiling:
            self.ceiling, self.tangent, self.exact = ceiling, slope, beyond <= EXACT
        return totals

    def near_tangent(self) -> None:
        """Look at all choices that the tangent leaves a chance to be better than the best that is known."""
        found = self.solved(self.tangent, self.ceiling - self.best)
        choices = [[choice for _, _, choice in each.points] for each in found]
        parts = [[_minus(point, each.points[0][1]) for _, point, _ in each.points] for each in found]
        known = self.best
        first = self.take([each[0] for each in choices])
        chosen, complete = combined(self.score, first, parts, self.tangent, self.ceiling, known)
        if chosen:
            self.take([choices[place][number] for place, number in enumerate(chosen)])
        if complete and all(each.complete and each.bound <= each.points[0][0] + EXACT for each in found):
            self.ceiling = self.best

    def take(self, choices: Sequence[Choice]) -> Point:
        """Count an alignment, keep it if it is the best, and return its totals."""
        counts = list(self.given)
        pairs: list[list[Pair] | None] = [None] * len(self.given)
        for (place, front), choice in zip(self.open, choices, strict=True):
            if all(front.groups[group].given == option for group, option in choice):
                continue  # the cells are as they were, and so are the counts
            if (place, choice) not in self.known:
                mine = front.pairs(choice)
                own = count_pairs(_chains(front.clusters.gold), _chains(front.clusters.system), mine)
                changed = any(abs(x - y) > EXACT for x, y in zip(own, self.given[place], strict=True))
                self.known[place, choice] = (own, mine) if changed else (self.given[place], None)
            counts[place], pairs[place] = self.known[place, choice]
        at = self.score.point(_totals(counts))
        value = self.score.value(at)
        if value > self.best + EXACT:
            self.best, self.counts, self.pairs = value, counts, pairs
        return at


def count_pairs(gold: Mentions, system: Mentions, pairs: Sequence[Pair]) -> tuple[float, ...]:
    """The counts of one document in the order of `COLUMNS`, when these mentions are the same and no others.

    >>> dict(zip(COLUMNS, count_pairs([[0], [1, 2]], [[0, 1]], [(1, 0), (2, 1)])))["coref.muc:matched"]
    1
    """
    partner = {system: gold for gold, system in pairs}
    # A system mention without a partner is told apart from all gold mentions by being negative.
    response = [[partner.get(mention, -1 - mention) for mention in chain] for chain in system]
    found = count_unrepeated(gold, response)
    if found is None:
        raise ValueError("a mention is in two clusters or in two pairs")
    return found


def _chains(home: Sequence[int]) -> list[list[int]]:
    """The mentions of every cluster, ascending.

    >>> _chains([0, 1, 0])
    [[0, 2], [1]]
    """
    found: list[list[int]] = [[] for _ in range(max(home, default=-1) + 1)]
    for mention, number in enumerate(home):
        found[number].append(mention)
    return found


def _totals(counts: Sequence[Sequence[float]]) -> list[float]:
    """The sums of the columns, each from left to right, which the built-in `sum` is not for floats."""
    if not counts:
        return [0.0] * len(COLUMNS)
    return [reduce(operator.add, column, 0.0) for column in zip(*counts, strict=True)]


def _minus(one: Point, other: Point) -> Point:
    return add(one, (-other[0], -other[1], -other[2]))
