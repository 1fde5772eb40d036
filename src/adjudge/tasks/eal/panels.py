"""What the page shows of event arguments beside scores and items: beta and lambda, the bootstrap, who beats whom."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from adjudge.stats.panel import BOX, Panel, PanelAxis, PanelMark, PanelSeries
from adjudge.tasks.eal.graphs import Curves, beta_curves, lambda_curves, winner_areas
from adjudge.tasks.eal.sensitivity import Counts, Crossing, counts_of

if TYPE_CHECKING:
    from adjudge.stats.ranking import Ranking
    from adjudge.stats.result import Result
    from adjudge.stats.table import StatsTable
    from adjudge.tasks.eal.settings import Settings

SCORES = {"overall": "eal.overall", "argument": "eal.argument", "linking": "eal.linking"}
_STEPS = 20
_LEVEL = 1e-9
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
        # Systems that are level would hide each other, so each has a place of its own beside the rank.
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
            "diamond: all documents. The notch is about the number of corpora and is no test."
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
    """Ends of an axis that has room for all values, with a little space around them."""
    known = list(values)
    low, high = min(known), max(known)
    space = 0.05 * (high - low) or 0.05
    return round(max(low - space, 0.0), 9), round(max(min(high + space, 1.0), low - space + 1e-6), 9)
