"""Double annotation: which of two mentions with the same span and type is meant, when coreference is scored.

    find_choices(gold, system, pairs, gold_class, system_class) -> Choices | None     None: there is no choice
    best_alignment(choices, counts) -> Best(score, greedy, optimal, bound), with the counts and pairs of all documents;
        a document has the seconds that its choices have `left`
    count_pairs(gold, system, pairs) -> counts in the order of tasks/coref/counts.COLUMNS
    average(totals) -> average F1 of MUC, B3, CEAFe and BLANC (rule 8.01)

`gold` and `system` are clusters of indices of mentions, singletons included; `pairs` are (gold index, system index) of
the mapping that feeds coreference, `gold_class[i]` is equal for mentions that the mapping cannot tell apart (the same
span and the same mapped attributes). Per document:

    counts.append(count_pairs(gold, system, pairs))
    choices.append(find_choices(gold, system, pairs, gold_class, system_class))

The mapping says how many mentions of a gold class are paired with a system class; which of them stays open. The
specification (4.3) holds the search for the best score infeasible, since the number of alignments is exponential. But
only the table of how many mentions two clusters share matters. The score is a sum of terms that are linear in the
counts, and of the F1 of B3, which is concave in its two numerators: under its tangent the documents, and parts of them,
are solved one by one (`choice_search`), and an alignment that is the best under its own tangent is the best of all. The
result is the optimum, or says that it may not be, and what cannot be exceeded.

This is for scores whose denominators do not depend on the alignment: not for the coreference of 2015, which leaves gold
mentions out of the key that are not paired.
"""

from __future__ import annotations

import operator
from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from math import fsum
from typing import NamedTuple, TypeAlias

from adjudge.algebra.solve.deadline import Deadline, OutOfTime
from adjudge.model.prf import precision_recall_f1, ratio
from adjudge.tasks.coref.counts import COLUMNS
from adjudge.tasks.nugget.choice_search import Found, Worth, joined, solve
from adjudge.tasks.nugget.choice_worth import Point, Rates
from adjudge.tasks.nugget.open_choices import Choice, Choices, Pair, count_pairs, find_choices

__all__ = ["Best", "Choices", "average", "best_alignment", "count_pairs", "find_choices"]

KINDS = ("muc:matched", "ceafe:matched", "blanc.coref:matched", "blanc.noncoref:matched", "b3:matched", "b3:found")
PLACES = tuple(COLUMNS.index(f"coref.{name}") for name in KINDS)
POINTS = 20_000  # maximum combinations of choices kept
EXACT = 1e-12  # scores that differ by less are the same
ROUNDS = 20  # maximum tangents tried

Values: TypeAlias = "list[float] | array[float]"
GIVEN: Choice = ((-1, -1),)
"""The choice of a document that was not searched for lack of time."""
Way = tuple[tuple[float, ...], Choices, Choice]
"""A choice of a document, with its counts."""


class Best(NamedTuple):
    """The best alignment of a corpus.

    `score` is its average F1, `greedy` that of the given pairs; no alignment exceeds `bound`, which is the score itself
    if it is `optimal`. The `unproven` documents are why it is not, by place.
    """

    score: float
    greedy: float
    optimal: bool
    bound: float
    documents: int
    changed: dict[int, Way]  # the documents whose counts differ from those given
    unproven: tuple[int, ...] = ()

    @property
    def pairs(self) -> list[list[Pair] | None]:
        """The pairs of every document; None where nothing changed."""
        ways = [self.changed.get(place) for place in range(self.documents)]
        return [None if way is None else way[1].pairs(way[2]) for way in ways]


def best_alignment(choices: Sequence[Choices | None], counts: Sequence[Sequence[float]]) -> Best:
    """The alignment of all documents that maximises the average F1 over the corpus; `counts` are those as given.

    >>> clusters = [[0], [1, 2]], [[0, 1]]
    >>> choices = find_choices(*clusters, [(0, 0), (2, 1)], ["kill", "kill", "war"], ["kill", "war"])
    >>> best = best_alignment([choices], [count_pairs(*clusters, [(0, 0), (2, 1)])])
    >>> round(best.greedy, 4), round(best.score, 4), best.optimal, best.pairs
    (0.2361, 0.7417, True, [[(1, 0), (2, 1)]])
    """
    return best_of_columns(choices, [list(map(operator.itemgetter(at), counts)) for at in range(len(COLUMNS))])


def best_of_columns(choices: Sequence[Choices | None], columns: Sequence[Values]) -> Best:
    """The same, with the numbers of all documents for each of `COLUMNS`, which takes less memory."""
    search = _Search(choices, columns)
    at, greedy = search.score.point(search.totals), search.best
    seen: set[Point] = set()
    while at not in seen and search.is_open() and len(seen) < (ROUNDS if search.exact else 2):
        seen.add(at)
        at = search.under_tangent(at)
        if search.late:
            break
    if search.is_open() and search.exact and not search.late:
        search.near_tangent()
    optimal = not search.is_open()
    bound = search.best if optimal else min(search.ceiling, search.top)
    unproven = () if optimal else tuple(search.doubtful or [place for place, _ in search.open])
    return Best(search.best, greedy, optimal, bound, len(choices), search.changed, unproven)


def highest_counts(counts: Sequence[float]) -> tuple[float, ...]:
    """Upper bounds for any choice of a document: everything that can be matched is.

    >>> row = count_pairs([[0], [1, 2]], [[0, 1]], [(0, 0), (2, 1)])
    >>> dict(zip(COLUMNS, highest_counts(row)))["coref.b3:found"]
    3
    """
    found = list(counts)
    column = dict(zip(COLUMNS, counts, strict=True))
    for kind, place in zip(KINDS, PLACES, strict=True):
        name = f"coref.{kind.partition(':')[0]}"
        ends = {"b3:matched": (":system",), "b3:found": (":gold",)}.get(kind, (":system", ":gold"))
        found[place] = min(column[name + end] for end in ends)
    return tuple(found)


class _Search:
    """The best alignment so far, and the lowest upper bound."""

    def __init__(self, choices: Sequence[Choices | None], columns: Sequence[Values]) -> None:
        self.open = [(place, each) for place, each in enumerate(choices) if each is not None]
        self.given = {place: tuple([column[place] for column in columns]) for place, _ in self.open}
        self.totals = list(map(_sum, columns))
        self.columns = [columns[place] for place in PLACES]  # those that can change
        self.score = score_of(self.totals)
        self.best = self.score.value(self.score.point(self.totals))
        self.changed: dict[int, Way] = {}
        self.ceiling = float("inf") if self.open else self.best
        wide = self.with_rows({place: highest_counts(row) for place, row in self.given.items()})
        self.top = self.score.value(self.score.point(wide))  # the score if everything were matched that can be
        self.tangent: Point = (0.0, 0.0, 0.0)
        self.exact = True  # whether every document was solved under that tangent
        self.left = [each.left for _, each in self.open]
        self.late = False  # whether the time of a document is up
        self.doubtful: list[int] = []  # the documents that were not solved under that tangent
        self.known: dict[tuple[int, Choice], Way | None] = {}

    def with_rows(self, rows: Mapping[int, Sequence[float]]) -> list[float]:
        """The totals if some documents had other counts."""
        totals = list(self.totals)
        for column, values in zip(PLACES, self.columns, strict=True):
            changed = values[:]
            for place, row in rows.items():
                changed[place] = row[column]
            totals[column] = _sum(changed)
        return totals

    def is_open(self) -> bool:
        """Whether there may be a better alignment."""
        return min(self.ceiling, self.top) > self.best + EXACT

    def under_tangent(self, at: Point) -> Point:
        """Find the best alignment under the tangent at some totals, and return its totals."""
        slope = self.score.slope(at)
        rates = self.at(slope)
        found = [self.solved(number, rates) for number in range(len(self.open))]
        totals = self.take([each.points[0][2] for each in found])
        spare = [each.bound - each.points[0][0] for each in found]
        beyond = fsum(spare)
        ceiling = min(1.0, self.score.value(at) + dot(slope, totals) - dot(slope, at) + beyond)
        if ceiling < self.ceiling:
            self.ceiling, self.tangent, self.exact = ceiling, slope, beyond <= EXACT
            self.doubtful = [place for (place, _), each in zip(self.open, spare, strict=True) if each > EXACT]
        return totals

    def solved(self, number: int, rates: Rates, slack: float = 0.0) -> Found:
        """The best choices of an open document, in the time that it has left."""
        place, choices = self.open[number]
        clock = Deadline(self.left[number])
        try:
            if not choices.cut:
                return solve(choices, rates, slack, clock)
        except OutOfTime:
            pass
        finally:
            self.late = self.late or (clock.passed and not choices.cut)
            self.left[number] = max(clock.left, 0.0)
        own, most = (self.score.point(row) for row in (self.given[place], highest_counts(self.given[place])))
        slope = (1.0, rates.precise, rates.found)
        return Found([(dot(slope, own), own, GIVEN)], dot(slope, most), complete=False)

    def near_tangent(self) -> None:
        """Search all choices that, by the tangent, may be better than the best known."""
        rates, slack = self.at(self.tangent), self.ceiling - self.best
        found = [self.solved(number, rates, slack) for number in range(len(self.open))]
        first = self.take([each.points[0][2] for each in found])
        complete = all(each.complete and each.bound <= each.points[0][0] + EXACT for each in found)
        clock = Deadline(fsum(self.left))
        points: list[Worth] = [(0.0, first, ())]
        for each in found:
            worth, best, _ = each.points[0]
            own = [(value - worth, _minus(point, best), (choice,)) for value, point, choice in each.points]
            points, all_kept = joined(points, own, slack, POINTS, clock)
            complete = complete and all_kept
        self.take(max(points, key=lambda each: self.score.value(each[1]))[2])
        if complete:
            self.ceiling = self.best

    def at(self, slope: Point) -> Rates:
        """The worth of counts under a tangent."""
        return Rates(*self.score.weights, slope[1], slope[2])

    def take(self, choices: Sequence[Choice]) -> Point:
        """Count an alignment, keep it if it is the best, and return its totals."""
        changed: dict[int, Way] = {}
        for (place, own), choice in zip(self.open, choices, strict=True):
            if choice != GIVEN and (way := self.way(place, own, choice)) is not None:
                changed[place] = way
        at = self.score.point(self.with_rows({place: counts for place, (counts, *_) in changed.items()}))
        value = self.score.value(at)
        if value > self.best + EXACT:
            self.best, self.changed = value, changed
        return at

    def way(self, place: int, choices: Choices, choice: Choice) -> Way | None:
        """A choice that is not the given one with its counts; None if they are the same."""
        if (place, choice) not in self.known:
            own = choices.counts(choice)
            same = all(abs(x - y) <= EXACT for x, y in zip(own, self.given[place], strict=True))
            self.known[place, choice] = None if same else (own, choices, choice)
        return self.known[place, choice]


def _sum(values: Iterable[float]) -> float:
    """The sum from left to right, which the built-in `sum` is not for floats."""
    return reduce(operator.add, values, 0.0)


def _minus(one: Point, other: Point) -> Point:
    return one[0] - other[0], one[1] - other[1], one[2] - other[2]


# ---------------------------------------------------------------------------------------------------------------------
# The score of a corpus as a function of what choices can change, and the best of some choices


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
        f1: float = precision_recall_f1(precise, self.system, self.gold, found)[2]
        return share + f1 / 4

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
        return ratio(2 * share, whole)

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


def dot(one: Point, other: Point) -> float:
    """The product of a slope and a point.

    >>> dot((1.0, 2.0, 3.0), (1.0, 1.0, 1.0))
    6.0
    """
    return one[0] * other[0] + one[1] * other[1] + one[2] * other[2]
