"""How scores and ranks depend on beta and lambda, from the counts of documents alone.

For a fixed beta the overall score is linear in lambda. In beta the argument score is a sum over documents of
max(0, TP - beta FP), so it is piecewise linear and falls: a document bends it where beta is TP / FP. So the places
where two systems change places are found exactly, without trying values.

All functions follow the scoring proposal: lambda is the weight of the argument score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from adjudge.errors import UsageError
from adjudge.model.prf import ratio
from adjudge.tasks.eal.measures import ARGUMENT, LINKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from adjudge.stats.table import StatsTable

Array: TypeAlias = "npt.NDArray[np.float64]"


class Counts(NamedTuple):
    """The counts of a system, one entry per document: what beta and lambda act on."""

    tp: Array
    fp: Array
    correct: float  # classes that could be found, of all documents
    link: float  # the sum of link scores
    size: float  # reference classes in frames, of all documents

    @property
    def link_score(self) -> float:
        """The link score, whatever beta and lambda."""
        return ratio(self.link, self.size)


class Grid(NamedTuple):
    """Overall scores for each beta (rows) and lambda (columns) of each system, and their ranks from 1."""

    betas: tuple[float, ...]
    lambdas: tuple[float, ...]
    scores: Mapping[str, Array]
    ranks: Mapping[str, npt.NDArray[np.int64]]

    def best(self) -> list[list[str]]:
        """The system with the highest score for each beta and lambda; of several the one named first."""
        names = list(self.scores)
        rows = range(len(self.betas))
        return [
            [min(names, key=lambda name: self.ranks[name][row, column]) for column in range(len(self.lambdas))]
            for row in rows
        ]


class Crossing(NamedTuple):
    """A value at which two systems have the same score: below it `before` is ahead, above it `after`.

    One of them is None where they are level on that side.
    """

    at: float
    score: float
    before: str | None
    after: str | None


def counts_of(table: StatsTable) -> Counts:
    """The counts of a system from its table of documents, such as a saved result has.

    >>> from adjudge.stats.table import StatsTable
    >>> counts_of(StatsTable(("d",), (*ARGUMENT, LINKING[0], LINKING[4]), ((3, 5, 4, 2.5, 1.5, 3),), {})).fp.tolist()
    [2.0]
    """
    import numpy as np

    places = {name: at for at, name in enumerate(table.columns)}
    if ARGUMENT[0] not in places:
        raise UsageError("these counts are not of event arguments", hint="give a result of adjudge eal score")
    values = np.array(table.values, dtype=np.float64).reshape(len(table.ids), len(table.columns))
    tp, system, gold = (values[:, places[name]] for name in ARGUMENT[:3])
    linked = LINKING[0] in places
    link, size = (float(values[:, places[name]].sum()) if linked else 0.0 for name in (LINKING[0], LINKING[4]))
    return Counts(tp, system - tp, float(gold.sum()), link, size)


def argument_scores(counts: Counts, betas: Sequence[float]) -> Array:
    """The argument score for each beta, by running sums over sorted documents.

    >>> import numpy as np
    >>> counts = Counts(np.array([3.0, 0.0, 2.0]), np.array([4.0, 9.0, 0.0]), 6.0, 0.0, 0.0)
    >>> argument_scores(counts, [0.0, 0.25, 1.0]).round(6).tolist()
    [0.833333, 0.666667, 0.333333]
    """
    import numpy as np

    wanted = np.asarray(betas, dtype=np.float64)
    if not counts.correct:
        return np.zeros(len(wanted))
    some = counts.tp > 0
    tp, fp = counts.tp[some], counts.fp[some]
    with np.errstate(divide="ignore"):
        limits = tp / fp
    order = np.argsort(limits, kind="stable")
    # What is left from the first document on that beta has not brought down to 0.
    right = np.concatenate([np.cumsum(tp[order][::-1])[::-1], [0.0]])
    wrong = np.concatenate([np.cumsum(fp[order][::-1])[::-1], [0.0]])
    first = np.searchsorted(limits[order], wanted, side="right")
    found: Array = np.maximum(0.0, right[first] - wanted * wrong[first]) / counts.correct
    return found


def overall(counts: Counts, beta: float, lambda_: float) -> float:
    """The overall score for one beta and lambda."""
    return float(lambda_ * argument_scores(counts, [beta])[0] + (1 - lambda_) * counts.link_score)


def beta_lambda_grid(
    rows: Mapping[str, Counts], betas: Sequence[float] | None = None, lambdas: Sequence[float] | None = None
) -> Grid:
    """The overall score of every system for every beta and lambda, by default 21 x 21 values from 0 to 1.

    >>> import numpy as np
    >>> system = Counts(np.array([3.0]), np.array([4.0]), 6.0, 1.0, 4.0)
    >>> beta_lambda_grid({"A": system}, [0.25], [0.0, 0.5, 1.0]).scores["A"].tolist()
    [[0.25, 0.291..., 0.333...]]
    """
    import numpy as np

    betas = tuple(np.linspace(0, 1, 21).tolist()) if betas is None else tuple(betas)
    lambdas = tuple(np.linspace(0, 1, 21).tolist()) if lambdas is None else tuple(lambdas)
    weights = np.asarray(lambdas, dtype=np.float64)[None, :]
    scores = {
        name: weights * argument_scores(each, betas)[:, None] + (1 - weights) * each.link_score
        for name, each in rows.items()
    }
    rounded = {name: np.round(each, 12) for name, each in scores.items()}
    stacked = np.array(list(rounded.values()))
    ranks = {name: 1 + (stacked > own).sum(axis=0) for name, own in rounded.items()}
    return Grid(betas, lambdas, scores, ranks)


def crossings(a: tuple[str, Counts], b: tuple[str, Counts], *, beta: float = 0.25) -> list[Crossing]:
    """The lambda from 0 to 1 at which two systems change places for a fixed beta: none or one.

    lambda A + (1 - lambda) L is a straight line for each system, so they cross at most once, unless they are the same.

    >>> import numpy as np
    >>> one = Counts(np.array([3.0]), np.array([0.0]), 6.0, 1.0, 4.0)
    >>> other = Counts(np.array([2.0]), np.array([0.0]), 6.0, 2.0, 4.0)
    >>> crossings(("A", one), ("B", other))
    [Crossing(at=0.6, score=0.4, before='B', after='A')]
    """
    (first, one), (second, other) = a, b
    left = one.link_score - other.link_score
    right = float(argument_scores(one, [beta])[0] - argument_scores(other, [beta])[0])
    if round(left, 12) * round(right, 12) >= 0:
        return []
    at = left / (left - right)
    return [Crossing(at, overall(one, beta, at), *((first, second) if left > 0 else (second, first)))]


def break_points(counts: Counts, *, upto: float = 1.0) -> list[float]:
    """The values of beta, between 0 and `upto`, at which a document of the system reaches 0.

    >>> import numpy as np
    >>> break_points(Counts(np.array([1.0, 2.0, 5.0]), np.array([4.0, 2.5, 1.0]), 9.0, 0.0, 0.0))
    [0.25, 0.8]
    """
    import numpy as np

    some = (counts.fp > 0) & (counts.tp > 0)
    values = counts.tp[some] / counts.fp[some]
    found: list[float] = np.unique(values[values < upto]).tolist()
    return found


def beta_crossings(
    a: tuple[str, Counts], b: tuple[str, Counts], *, lambda_: float = 0.5, upto: float = 1.0
) -> list[Crossing]:
    """Every beta from 0 to `upto` at which two systems change places for a fixed lambda.

    Between the break points of both systems their difference is a straight line, whose zero is exact. Where the systems
    are level over a range, its ends are reported.

    >>> import numpy as np
    >>> one = Counts(np.array([3.0]), np.array([6.0]), 6.0, 1.0, 4.0)
    >>> other = Counts(np.array([2.0]), np.array([0.0]), 6.0, 1.0, 4.0)
    >>> [(round(each.at, 6), each.before, each.after) for each in beta_crossings(("A", one), ("B", other))]
    [(0.166667, 'A', 'B')]
    """
    import numpy as np

    (first, one), (second, other) = a, b
    points = sorted({0.0, float(upto), *break_points(one, upto=upto), *break_points(other, upto=upto)})
    arguments = argument_scores(one, points) - argument_scores(other, points)
    values = lambda_ * arguments + (1 - lambda_) * (one.link_score - other.link_score)
    signs = np.sign(np.round(values, 12)).astype(int).tolist()
    found: list[Crossing] = []
    # Zeros of the straight pieces, and of the points between them.
    for (low, high), (left, right), (start, end) in zip(
        pairwise(points), pairwise(signs), pairwise(values.tolist()), strict=True
    ):
        if left * right < 0:
            at = low + (high - low) * start / (start - end)
            ahead = (first, second) if left > 0 else (second, first)
            found.append(Crossing(at, overall(one, at, lambda_), *ahead))
    for place in range(1, len(points) - 1):
        before, here, after = signs[place - 1 : place + 2]
        if here == 0 and (before, after) != (0, 0) and before != after:
            names = {1: first, -1: second, 0: None}
            at = points[place]
            found.append(Crossing(at, overall(one, at, lambda_), names[before], names[after]))
    return sorted(found, key=lambda each: each.at)


def all_crossings(
    rows: Mapping[str, Counts], *, beta: float = 0.25, lambda_: float = 0.5, upto: float = 1.0
) -> dict[tuple[str, str], tuple[list[Crossing], list[Crossing]]]:
    """For each pair of systems where they change places: in lambda for this beta, and in beta for this lambda."""
    return {
        (a, b): (
            crossings((a, rows[a]), (b, rows[b]), beta=beta),
            beta_crossings((a, rows[a]), (b, rows[b]), lambda_=lambda_, upto=upto),
        )
        for a, b in combinations(rows, 2)
    }
