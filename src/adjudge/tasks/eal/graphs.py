"""What graphs show, as numbers: curves over beta and lambda, who wins where, and the spread of the bootstrap.

Everything follows from the counts of documents. The argument score is a sum of max(0, TP - beta FP), so with documents
sorted by TP / FP it is a difference of two running sums: the score for any number of values of beta costs one search in
a sorted list each. For a fixed beta the systems are straight lines over lambda, and who wins is their upper hull.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from adjudge.tasks.eal.sensitivity import Counts, Crossing, all_crossings, argument_scores, break_points

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from adjudge.stats.ranking import Ranking

Array: TypeAlias = "npt.NDArray[np.float64]"
Point: TypeAlias = tuple[float, float]

_STEPS = 100
_SLACK = 1e-12


class Curves(NamedTuple):
    """Scores and ranks of each system along one axis; ranks are steps, which change at `cuts`."""

    scores: dict[str, list[Point]]
    ranks: dict[str, list[Point]]
    cuts: list[tuple[tuple[str, str], Crossing]]


class Area(NamedTuple):
    """Where a system wins: polygons of (beta, lambda), and a point well inside the largest."""

    system: str
    polygons: list[list[Point]]
    middle: Point


class Spread(NamedTuple):
    """The distribution of a score over the corpora of the bootstrap; the whiskers are its interval."""

    system: str
    low: float
    first: float
    median: float
    third: float
    high: float
    notch: tuple[float, float]
    value: float


def beta_curves(rows: Mapping[str, Counts], *, lambda_: float = 0.5, upto: float = 1.0) -> Curves:
    """How scores and ranks depend on beta for a fixed lambda; lambda 1 is the argument score alone."""
    import numpy as np

    grid = np.linspace(0.0, upto, _STEPS + 1)
    cuts = _cuts(rows, lambda_=lambda_, upto=upto, axis=1)
    betas = sorted({*grid.tolist(), *(crossing.at for _, crossing in cuts)})

    def scores(values: Sequence[float]) -> dict[str, Array]:
        return {
            name: lambda_ * argument_scores(each, values) + (1 - lambda_) * each.link_score
            for name, each in rows.items()
        }

    curves = {name: list(zip(betas, each.tolist(), strict=True)) for name, each in scores(betas).items()}
    return Curves(curves, _steps(scores, cuts, upto), cuts)


def lambda_curves(rows: Mapping[str, Counts], *, beta: float = 0.25) -> Curves:
    """How scores and ranks depend on lambda for a fixed beta: straight lines."""
    import numpy as np

    cuts = _cuts(rows, beta=beta, axis=0)
    ends = {name: (each.link_score, float(argument_scores(each, [beta])[0])) for name, each in rows.items()}

    def scores(values: Sequence[float]) -> dict[str, Array]:
        at = np.asarray(values, dtype=np.float64)
        return {name: at * argument + (1 - at) * link for name, (link, argument) in ends.items()}

    curves = {name: [(0.0, link), (1.0, argument)] for name, (link, argument) in ends.items()}
    return Curves(curves, _steps(scores, cuts, 1.0), cuts)


def _cuts(
    rows: Mapping[str, Counts], *, beta: float = 0.25, lambda_: float = 0.5, upto: float = 1.0, axis: int
) -> list[tuple[tuple[str, str], Crossing]]:
    found = all_crossings(rows, beta=beta, lambda_=lambda_, upto=upto)
    return sorted(((pair, each) for pair, both in found.items() for each in both[axis]), key=lambda cut: cut[1].at)


def _steps(
    scores: Callable[[Sequence[float]], dict[str, Array]],
    cuts: Sequence[tuple[tuple[str, str], Crossing]],
    upto: float,
) -> dict[str, list[Point]]:
    """Ranks as steps: between two values at which systems change places nothing changes."""
    import numpy as np

    ends = sorted({0.0, upto, *(crossing.at for _, crossing in cuts)})
    middles = [(low + high) / 2 for low, high in pairwise(ends)]
    values = scores(middles)
    names = list(values)
    matrix = np.array([np.round(values[name], 12) for name in names])
    found = {}
    for place, name in enumerate(names):
        ranks = (1 + (matrix > matrix[place]).sum(axis=0)).tolist()
        found[name] = [
            (at, float(rank)) for rank, (low, high) in zip(ranks, pairwise(ends), strict=True) for at in (low, high)
        ]
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Who wins where

Hull: TypeAlias = list[tuple[int, float, float]]  # system, and lambda from and to


def hull(arguments: Sequence[float], links: Sequence[float]) -> Hull:
    """Who has the highest lambda A + (1 - lambda) L, from lambda 0 to 1; of equal systems the first.

    >>> [(system, round(low, 9), round(high, 9)) for system, low, high in hull([0.5, 0.4, 0.3], [0.2, 0.4, 0.1])]
    [(1, 0.0, 0.666666667), (0, 0.666666667, 1.0)]
    """
    order = range(len(links))
    slopes = [argument - link for argument, link in zip(arguments, links, strict=True)]
    here = max(order, key=lambda at: (round(links[at], 12), round(slopes[at], 12), -at))
    at, found = 0.0, []
    while True:
        after, then = 1.0, here
        for other in order:
            gain = slopes[other] - slopes[here]
            if gain <= _SLACK:
                continue
            meets = max(at, (links[here] - links[other]) / gain)
            steeper = then != here and abs(meets - after) <= _SLACK and slopes[other] > slopes[then]
            if meets < after - _SLACK or steeper:
                after, then = meets, other
        if after > at or then == here:
            found.append((here, at, after))
        if then == here:
            return found
        at, here = after, then


def winner_areas(rows: Mapping[str, Counts], *, upto: float = 1.0) -> tuple[list[Area], list[Point]]:
    """Where each system has the highest overall score, for beta from 0 to `upto` and lambda from 0 to 1.

    Borders are exact wherever they have a corner; between corners they are drawn through a hundred exact points. The
    second value are the points (beta, lambda) in which three systems meet, or two of them at the edge lambda = 1.
    """
    names = list(rows)
    links = [each.link_score for each in rows.values()]
    points, events = _events(rows, links, upto)
    betas = sorted({*points, *events})
    curves = [argument_scores(each, betas).tolist() for each in rows.values()]
    middles = [(low + high) / 2 for low, high in pairwise(betas)]
    between = [argument_scores(each, middles).tolist() for each in rows.values()]
    strips: dict[int, list[list[tuple[float, float, float]]]] = {}
    last: set[int] = set()
    for place in range(len(middles)):
        winners = [system for system, *_ in hull([curve[place] for curve in between], links)]
        sides = [_borders(winners, [curve[place + side] for curve in curves], links) for side in (0, 1)]
        for number, system in enumerate(winners):
            left, right = ((betas[place + side], *sides[side][number]) for side in (0, 1))
            runs = strips.setdefault(system, [])
            if system not in last:
                runs.append([left])
            runs[-1].append(right)
        last = set(winners)
    areas = [
        Area(names[system], [_polygon(run) for run in runs], _middle(runs)) for system, runs in sorted(strips.items())
    ]
    corners = [(beta, at) for beta in events for at in _corners(rows, links, beta)]
    return areas, corners


def _events(rows: Mapping[str, Counts], links: Sequence[float], upto: float) -> tuple[list[float], list[float]]:
    """Where to draw points, and the exact values of beta at which systems enter or leave the winners.

    Between neighbouring break points all argument scores are straight lines of beta, so two of them are equal, or three
    systems are equal for one lambda, at the zero of a straight line.
    """
    import numpy as np

    grid = np.linspace(0.0, upto, _STEPS + 1).tolist()
    bends = {at for each in rows.values() for at in break_points(each, upto=upto)}
    places = sorted({*grid, *bends})
    curves = [argument_scores(each, places).tolist() for each in rows.values()]
    sequences = [
        tuple(system for system, *_ in hull([curve[at] for curve in curves], links)) for at in range(len(places))
    ]
    found: list[float] = []
    for at in range(len(places) - 1):
        if sequences[at] == sequences[at + 1]:
            continue
        low, high = places[at], places[at + 1]
        ends = [(curve[at], curve[at + 1]) for curve in curves]
        shares = _zeros(sorted({*sequences[at], *sequences[at + 1]}), ends, links)
        stops = [0.0, *shares, 1.0]
        inside = [
            tuple(s for s, *_ in hull([a + (b - a) * (one + other) / 2 for a, b in ends], links))
            for one, other in pairwise(stops)
        ]
        found += [
            low + (high - low) * share
            for share, (before, after) in zip(shares, pairwise(inside), strict=True)
            if before != after
        ]
    return grid, found


def _zeros(systems: Sequence[int], ends: Sequence[tuple[float, float]], links: Sequence[float]) -> list[float]:
    """Shares of a piece at which two argument scores are equal, or three systems meet."""
    values = []
    for one, other in combinations(systems, 2):
        values.append([ends[one][side] - ends[other][side] for side in (0, 1)])
    for a, b, c in combinations(systems, 3):
        values.append(
            [
                (ends[a][side] - ends[c][side]) * (links[b] - links[c])
                - (ends[b][side] - ends[c][side]) * (links[a] - links[c])
                for side in (0, 1)
            ]
        )
    # A zero at the ends of a piece counts too: the change may lie right there.
    found = {start / (start - end) for start, end in values if start * end <= 0 and start != end}
    return sorted(found)


def _borders(winners: Sequence[int], arguments: Sequence[float], links: Sequence[float]) -> list[tuple[float, float]]:
    """From which to which lambda each of the winners wins, at one end of a strip."""
    cuts = [0.0]
    for one, other in pairwise(winners):
        gain = (arguments[other] - links[other]) - (arguments[one] - links[one])
        at = (links[one] - links[other]) / gain if abs(gain) > _SLACK else 1.0
        cuts.append(min(max(at, cuts[-1]), 1.0))
    return list(pairwise([*cuts, 1.0]))


def _polygon(run: Sequence[tuple[float, float, float]]) -> list[Point]:
    return [(beta, low) for beta, low, _ in run] + [(beta, high) for beta, _, high in reversed(run)]


def _middle(runs: Sequence[Sequence[tuple[float, float, float]]]) -> Point:
    """A point of the area that is far from its borders: in the middle of its longest stretch, where it is wide."""
    widest = max(runs, key=lambda run: sum(high - low for _, low, high in run))
    tall = max(high - low for _, low, high in widest)
    good = [each for each in widest if each[2] - each[1] >= 0.7 * tall]
    beta, low, high = good[len(good) // 2]
    return beta, (low + high) / 2


def _corners(rows: Mapping[str, Counts], links: Sequence[float], beta: float) -> list[float]:
    """The lambda at which a system enters or leaves: there three lines meet, or two at the edge."""
    arguments = [float(argument_scores(each, [beta])[0]) for each in rows.values()]
    found = hull(arguments, links)
    cuts = [high for _, _, high in found]
    corners = []
    for at in cuts:
        best = max(at * a + (1 - at) * link for a, link in zip(arguments, links, strict=True))
        level = sum(abs(at * a + (1 - at) * link - best) <= 1e-9 for a, link in zip(arguments, links, strict=True))
        if level > 2 or (at == 1.0 and level > 1):
            corners.append(at)
    return corners


# ---------------------------------------------------------------------------------------------------------------------
# The bootstrap


def spreads(ranking: Ranking) -> list[Spread]:
    """The distribution of the score of each system, in the order of the ranking, as a notched box.

    >>> from adjudge.stats.table import StatsTable
    >>> from adjudge.stats.measure import Ratio
    >>> from adjudge.tasks.eal.ranking import rank_systems
    >>> f = Ratio("eal.argument", "score", (("s", 1.0),), (("n", 1.0),))
    >>> table = StatsTable(("d", "e"), ("s", "n"), ((1.0, 4.0), (2.0, 4.0)), {})
    >>> (box,) = spreads(rank_systems({"A": table}, [f], resamples=50))
    >>> box.low <= box.first <= box.median <= box.third <= box.high
    True
    """
    import numpy as np

    from adjudge.stats.intervals import notches

    found = []
    for each in ranking.standings:
        values = ranking.samples[each.system]
        defined = np.where(np.isnan(values), 0.0, values)
        first, median, third = np.quantile(defined, [0.25, 0.5, 0.75]).tolist()
        notch = notches(defined)
        assert notch is not None  # there are samples
        inside = max(notch[0], first), min(notch[1], third)
        found.append(
            Spread(each.system, min(each.low, first), first, median, third, max(each.high, third), inside, each.value)
        )
    return found
