"""What the page shows for event arguments besides scores and items: beta and lambda, the bootstrap, who beats whom.

Everything but the bootstrap follows from the counts of documents. For a fixed beta the systems are straight lines over
lambda, and who wins is their upper hull; the argument score is a piecewise straight line over beta (see `sensitivity`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from adjudge.stats.panel import BOX, Panel, PanelAxis, PanelMark, PanelSeries, Point
from adjudge.tasks.eal.sensitivity import (
    Array,
    Counts,
    Crossing,
    all_crossings,
    argument_scores,
    break_points,
    counts_of,
)

if TYPE_CHECKING:
    from adjudge.stats.ranking import Ranking
    from adjudge.stats.result import Result
    from adjudge.stats.table import StatsTable
    from adjudge.tasks.eal.settings import Settings

SCORES = {"overall": "eal.overall", "argument": "eal.argument", "linking": "eal.linking"}
_STEPS = 20
_LEVEL = 1e-9
_POINTS = 100  # of a curve, beside its corners
_SLACK = 1e-12
_SHOWN = 40  # labels of values on a chart, at most


def rankings_of(result: Result, settings: Settings) -> dict[str, Ranking]:
    """The corpora of the bootstrap as rankings: by the overall score, and by the scores it is made of.

    Without resamples there is none.
    """
    from adjudge.stats.measure import part_keys
    from adjudge.tasks.eal.ranking import rank_result

    options, profile = result.options, settings.profile
    if options is None or not options.bootstrap or not next(iter(result.systems)).documents:
        return {}
    known = part_keys(list(result.measures))
    return {
        name: rank_result(result, draws=profile.draws, percentiles=profile.percentiles, key=(metric, "score"))
        for name, metric in SCORES.items()
        if (metric, "score") in known
    }


def weight_panels(
    tables: Mapping[str, StatsTable], settings: Settings, rankings: Mapping[str, Ranking]
) -> tuple[Panel, ...]:
    """All charts that the systems allow, and as a table the values at which two of them change places.

    Lambda needs frames, ranks and winners need two systems, boxes need a bootstrap.
    """
    rows = {name: counts_of(table) for name, table in tables.items()}
    beta, weight = settings.beta, settings.argument_weight if settings.linking else 1.0
    upto = 1.0 if beta <= 1 else 2 * beta
    named = "lambda" if settings.profile.lambda_on == "argument" else "1 - lambda"
    what, for_ = ("Overall score", f" for {named} {weight:g}") if settings.linking else ("Argument score", "")
    across = PanelAxis(title="beta: what a false positive costs", low=0.0, high=upto, used=beta)
    by_beta = beta_curves(rows, lambda_=weight, upto=upto)
    caption = "Piecewise straight lines, from the counts of documents."
    panels = [_scores("scores-beta", f"{what} over beta{for_}", caption, by_beta, across)]
    changes = [("beta", cut) for _, cut in by_beta.cuts]
    if len(rows) > 1:
        panels.append(_ranks("ranks-beta", f"Ranks over beta{for_}", by_beta, across))
    if settings.linking:
        up = PanelAxis(title=f"{named}: the weight of the argument score", low=0.0, high=1.0, used=weight)
        by_lambda = lambda_curves(rows, beta=beta)
        caption = "On the left the link score alone, on the right the argument score alone."
        title = f"over {named} for beta {beta:g}"
        panels.append(_scores("scores-lambda", f"Overall score {title}", caption, by_lambda, up))
        changes += [(named, cut) for _, cut in by_lambda.cuts]
        if len(rows) > 1:
            panels.append(_ranks("ranks-lambda", f"Ranks {title}", by_lambda, up))
            panels.append(_winners(rows, (by_beta, by_lambda), across, up))
    panels += [_boxes(name, ranking) for name, ranking in rankings.items()]
    first = next(iter(rankings.values()), None)
    if len(rows) > 1 and first is not None:
        panels.append(_wins(first))
    return (*panels, *([_changes(changes)] if changes else []))


def _scores(name: str, title: str, caption: str, curves: Curves, across: PanelAxis) -> Panel:
    low, high = _around(value for points in curves.scores.values() for _, value in points)
    marks = [
        PanelMark(
            at=(each.at, each.score),
            label=f"{each.at:.3g}" if len(curves.cuts) <= _SHOWN else "",
            text=f"{each.at:.6g}: {one} and {other} have {100 * each.score:.2f}",
        )
        for (one, other), each in curves.cuts
    ]
    return Panel(
        kind="lines",
        name=name,
        title=title,
        caption=f"{caption} Rings are the exact values at which two systems change places." if marks else caption,
        header=(across.title.partition(":")[0], *curves.scores),
        rows=tuple((at, *values) for at, values in _steps(curves, across.high)),
        axes=(across, PanelAxis(title="score in percent", low=low, high=high, factor=100.0)),
        series=tuple(PanelSeries(name=each, pieces=(tuple(points),)) for each, points in curves.scores.items()),
        marks=tuple(marks),
    )


def _ranks(name: str, title: str, curves: Curves, across: PanelAxis) -> Panel:
    number = len(curves.ranks)
    series = []
    for place, (system, points) in enumerate(curves.ranks.items()):
        # Tied systems would hide each other, so each is drawn slightly beside its rank.
        beside = 0.08 * (place / max(number - 1, 1) - 0.5)
        series.append(PanelSeries(name=system, pieces=(tuple((at, rank + beside) for at, rank in points),)))
    rows = [
        (at, *(1 + sum(other > value + _LEVEL for other in values) for value in values))
        for at, values in _steps(curves, across.high)
    ]
    return Panel(
        kind="lines",
        name=name,
        title=title,
        caption="Ranks change only at the values that the scores mark; systems that are level share the better rank.",
        header=(across.title.partition(":")[0], *curves.ranks),
        rows=tuple(rows),
        axes=(across, PanelAxis(title="rank", low=0.6, high=number + 0.4, down=True)),
        series=tuple(series),
    )


def _winners(rows: Mapping[str, Counts], curves: tuple[Curves, Curves], across: PanelAxis, up: PanelAxis) -> Panel:
    """Who is first for which beta and lambda; `curves` go along the values in use."""
    assert across.used is not None
    assert up.used is not None
    areas, corners = winner_areas(rows, upto=across.high)
    named = up.title.partition(":")[0]
    marks = [PanelMark(at=(x, y), text=f"beta {x:.6g}, {named} {y:.6g}: systems meet") for x, y in corners]
    for found, along in zip(curves, ("beta", named), strict=True):
        for (one, other), each in found.cuts:
            if each.score < max(_value(points, each.at) for points in found.scores.values()) - _LEVEL:
                continue  # others are ahead of both
            at = (each.at, up.used) if along == "beta" else (across.used, each.at)
            text = f"{along} {each.at:.6g}: {one} and {other} change places"
            marks.append(PanelMark(at=at, label=f"{each.at:.3g}", text=text))
    caption = "The thin lines are the beta and lambda in use."
    if marks:
        caption += (
            " Rings on them are the exact values at which the winner changes, other rings are points in which three "
            "systems, or two at the edge, meet."
        )
    return Panel(
        kind="regions",
        name="winners",
        title=f"Who has the highest overall score, by beta and {named}",
        caption=caption,
        header=("ahead", "around beta", f"around {named}"),
        rows=tuple((area.system, *area.middle) for area in areas),
        axes=(across, up),
        series=tuple(PanelSeries(name=area.system, pieces=tuple(map(tuple, area.polygons))) for area in areas),
        marks=tuple(marks),
    )


def _boxes(name: str, ranking: Ranking) -> Panel:
    """The distribution of the score of each system, in the order of the ranking; the whiskers are its interval."""
    import numpy as np

    from adjudge.stats.intervals import notches

    rows = []
    for each in ranking.standings:
        values = ranking.samples[each.system]
        defined = np.where(np.isnan(values), 0.0, values)
        first, median, third = np.quantile(defined, [0.25, 0.5, 0.75]).tolist()
        notch = notches(defined)
        assert notch is not None  # there are samples
        inside = max(notch[0], first), min(notch[1], third)
        rows.append(
            (each.system, each.value, min(each.low, first), first, median, third, max(each.high, third), *inside)
        )
    return Panel(
        kind="boxes",
        name=f"bootstrap-{name}",
        title=f"{name.capitalize()} score on {ranking.resamples} corpora",
        caption=(
            f"Box: quartiles; line: median, with its notch; whiskers: {100 * ranking.level:g} % of the corpora; "
            "diamond: all documents. The notch is about the number of corpora and is not a test."
        ),
        header=("system", *BOX),
        rows=tuple(rows),
        percent=True,
    )


def _wins(ranking: Ranking) -> Panel:
    names = [each.system for each in ranking.standings]
    return Panel(
        kind="matrix",
        name="wins",
        title=f"Who beats whom: share of {ranking.resamples} corpora in percent",
        caption=f"In how many of the corpora the row is above the column, by {ranking.metric}.",
        header=("above", *names),
        rows=tuple((each.system, *(each.wins.get(other) for other in names)) for each in ranking.standings),
        percent=True,
    )


def _changes(changes: Sequence[tuple[str, Crossing]]) -> Panel:
    level = "level"
    return Panel(
        kind="table",
        name="changes",
        title="Where two systems change places",
        header=("weight", "at", "score", "ahead below", "ahead above"),
        rows=tuple((weight, c.at, c.score, c.before or level, c.after or level) for weight, c in changes),
    )


def _steps(curves: Curves, upto: float) -> list[tuple[float, list[float]]]:
    """The values of the curves at a few places."""
    places = [upto * step / _STEPS for step in range(_STEPS + 1)]
    return [(at, [_value(points, at) for points in curves.scores.values()]) for at in places]


def _value(points: list[tuple[float, float]], at: float) -> float:
    """The value of a piecewise straight line."""
    place = bisect_left(points, (at, float("-inf")))
    if place == 0 or (place < len(points) and points[place][0] == at):
        return points[min(place, len(points) - 1)][1]
    if place == len(points):
        return points[-1][1]
    (low, start), (high, end) = points[place - 1], points[place]
    return start + (end - start) * (at - low) / (high - low)


def _around(values: Iterable[float]) -> tuple[float, float]:
    """Ends of an axis that fits all values, with a margin."""
    known = list(values)
    low, high = min(known), max(known)
    space = 0.05 * (high - low) or 0.05
    return round(max(low - space, 0.0), 9), round(max(min(high + space, 1.0), low - space + 1e-6), 9)


# ---------------------------------------------------------------------------------------------------------------------
# Curves over beta and lambda


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


def beta_curves(rows: Mapping[str, Counts], *, lambda_: float = 0.5, upto: float = 1.0) -> Curves:
    """How scores and ranks depend on beta for a fixed lambda; lambda 1 is the argument score alone."""
    import numpy as np

    grid = np.linspace(0.0, upto, _POINTS + 1)
    cuts = _cuts(rows, lambda_=lambda_, upto=upto, axis=1)
    betas = sorted({*grid.tolist(), *(crossing.at for _, crossing in cuts)})

    def scores(values: Sequence[float]) -> dict[str, Array]:
        return {
            name: lambda_ * argument_scores(each, values) + (1 - lambda_) * each.link_score
            for name, each in rows.items()
        }

    curves = {name: list(zip(betas, each.tolist(), strict=True)) for name, each in scores(betas).items()}
    return Curves(curves, _rank_steps(scores, cuts, upto), cuts)


def lambda_curves(rows: Mapping[str, Counts], *, beta: float = 0.25) -> Curves:
    """How scores and ranks depend on lambda for a fixed beta: straight lines."""
    import numpy as np

    cuts = _cuts(rows, beta=beta, axis=0)
    ends = {name: (each.link_score, float(argument_scores(each, [beta])[0])) for name, each in rows.items()}

    def scores(values: Sequence[float]) -> dict[str, Array]:
        at = np.asarray(values, dtype=np.float64)
        return {name: at * argument + (1 - at) * link for name, (link, argument) in ends.items()}

    curves = {name: [(0.0, link), (1.0, argument)] for name, (link, argument) in ends.items()}
    return Curves(curves, _rank_steps(scores, cuts, 1.0), cuts)


def _cuts(
    rows: Mapping[str, Counts], *, beta: float = 0.25, lambda_: float = 0.5, upto: float = 1.0, axis: int
) -> list[tuple[tuple[str, str], Crossing]]:
    found = all_crossings(rows, beta=beta, lambda_=lambda_, upto=upto)
    return sorted(((pair, each) for pair, both in found.items() for each in both[axis]), key=lambda cut: cut[1].at)


def _rank_steps(
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

    grid = np.linspace(0.0, upto, _POINTS + 1).tolist()
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
