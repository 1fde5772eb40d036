"""The graphs of event arguments and linking: how beta and lambda matter, and how far the bootstrap spreads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from adjudge.report.html.charts import Box, Chart, Line, Region, box_plot, heat_map, line_chart, region_map
from adjudge.report.html.charts_plot import Axis, Mark, around, nice_ticks
from adjudge.report.html.page import Figure, figure

if TYPE_CHECKING:
    from adjudge.stats.ranking import Ranking
    from adjudge.stats.result import Result
    from adjudge.stats.table import StatsTable
    from adjudge.tasks.eal.graphs import Curves
    from adjudge.tasks.eal.sensitivity import Counts
    from adjudge.tasks.eal.settings import Settings

SCORES = {"overall": "eal.overall", "argument": "eal.argument", "linking": "eal.linking"}
STEPS = 20
CUTS = 8
_LEVEL = 1e-9
SHOWN = 40
"""Labels of values on a chart, at most; all of them are in the table."""


class Graph(NamedTuple):
    """A chart, what it is called as a file, and what it shows."""

    name: str
    title: str
    caption: str
    chart: Chart
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


class Change(NamedTuple):
    """An exact value of beta or lambda at which two systems change places, and what score they have there."""

    weight: str
    value: float
    score: float
    before: str
    after: str


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


def graphs_of(
    tables: Mapping[str, StatsTable], settings: Settings, rankings: Mapping[str, Ranking]
) -> tuple[list[Graph], list[Change]]:
    """All graphs that the systems allow, and the values at which two of them change places.

    Lambda needs frames, ranks and winners need two systems, boxes need a bootstrap.
    """
    from adjudge.tasks.eal.graphs import beta_curves, lambda_curves
    from adjudge.tasks.eal.sensitivity import counts_of

    rows = {name: counts_of(table) for name, table in tables.items()}
    series = {name: at for at, name in enumerate(rows)}
    beta, weight = settings.beta, settings.argument_weight if settings.linking else 1.0
    upto = 1.0 if beta <= 1 else 2 * beta
    on_argument = settings.profile.lambda_on == "argument"
    named = "lambda" if on_argument else "1 - lambda"
    across = Axis("beta: what a false positive costs", 0.0, upto)
    if settings.linking:
        what, for_ = "Overall score", f" for {named} {weight:g}"
    else:
        what, for_ = "Argument score", ""
    by_beta = beta_curves(rows, lambda_=weight, upto=upto)
    graphs = [
        Graph(
            "scores-beta",
            f"{what} over beta{for_}",
            _exact("Piecewise straight lines, from the counts of documents.", by_beta),
            _scores("scores-beta", f"{what} over beta{for_}", by_beta, across, series, (beta, f"{beta:g}")),
            ("beta", *rows),
            _steps(by_beta, upto),
        )
    ]
    changes = [_change("beta", each) for each in by_beta.cuts]
    several = len(rows) > 1
    if several:
        title = f"Ranks over beta{for_}"
        graphs.append(_ranks("ranks-beta", title, by_beta, across, series, (beta, f"{beta:g}"), "beta"))
    if settings.linking:
        by_lambda = lambda_curves(rows, beta=beta)
        across = Axis(f"{named}: the weight of the argument score", 0.0, 1.0)
        title, rule = f"Overall score over {named} for beta {beta:g}", (weight, f"{weight:g}")
        caption = _exact("On the left the link score alone, on the right the argument score alone.", by_lambda)
        chart = _scores("scores-lambda", title, by_lambda, across, series, rule)
        graphs.append(Graph("scores-lambda", title, caption, chart, (named, *rows), _steps(by_lambda, 1.0)))
        changes += [_change(named, each) for each in by_lambda.cuts]
        if several:
            title = f"Ranks over {named} for beta {beta:g}"
            graphs.append(_ranks("ranks-lambda", title, by_lambda, across, series, rule, named))
            graphs.append(_winners(rows, series, beta, weight, named, upto))
    graphs += _spreads(rankings, series)
    first = next(iter(rankings.values()), None)
    if several and first is not None:
        graphs.append(_wins(first))
    return graphs, changes


def figures_of(graphs: Sequence[Graph], changes: Sequence[Change] = ()) -> list[Figure]:
    """The graphs for a page, each with its numbers; the curves also say where systems change places."""
    found = []
    for each in graphs:
        weight = {"scores-beta": "beta", "scores-lambda": each.header[0]}.get(each.name)
        cuts = [f"{c.value:.4g} ({c.before} below, {c.after} above)" for c in changes if c.weight == weight]
        more = ", ..." if len(cuts) > CUTS else ""
        caption = f"{each.caption} They change at {', '.join(cuts[:CUTS])}{more}." if cuts else each.caption
        found.append(figure(each.chart, caption, each.header, each.rows))
    return found


def _steps(curves: Curves, upto: float, *, ranks: bool = False) -> tuple[tuple[str, ...], ...]:
    """The values of the curves at a few places, one row for each, and a column for each system."""
    rows = []
    for step in range(STEPS + 1):
        at = upto * step / STEPS
        values = [_value(points, at) for points in curves.scores.values()]
        if ranks:
            shown = [str(1 + sum(other > value + _LEVEL for other in values)) for value in values]
        else:
            shown = [f"{100 * value:z.2f}" for value in values]
        rows.append((f"{at:.4g}", *shown))
    return tuple(rows)


def _exact(text: str, curves: Curves) -> str:
    return f"{text} Rings are the exact values at which two systems change places." if curves.cuts else text


def _change(weight: str, cut: tuple[tuple[str, str], object]) -> Change:
    from adjudge.tasks.eal.sensitivity import Crossing

    _, crossing = cut
    assert isinstance(crossing, Crossing)
    level = "level"
    return Change(weight, crossing.at, crossing.score, crossing.before or level, crossing.after or level)


def _scores(
    name: str, title: str, curves: Curves, across: Axis, series: Mapping[str, int], rule: tuple[float, str]
) -> Chart:
    low, high = around((value for points in curves.scores.values() for _, value in points), floor=0.0, ceiling=1.0)
    lines = [Line(system, series[system], points) for system, points in curves.scores.items()]
    marks = [
        Mark(
            each.at,
            each.score,
            f"{each.at:.3g}" if len(curves.cuts) <= SHOWN else "",
            f"{each.at:.6g}: {one} and {other} have {100 * each.score:.2f}",
        )
        for (one, other), each in curves.cuts
    ]
    said = "; ".join(
        f"{system} from {100 * points[0][1]:.1f} to {100 * points[-1][1]:.1f}"
        for system, points in curves.scores.items()
    )
    up = Axis("score in percent", low, high, 100.0)
    return line_chart(name, lines, across, up, title=title, description=said, rule=rule, marks=marks)


def _ranks(
    name: str, title: str, curves: Curves, across: Axis, series: Mapping[str, int], rule: tuple[float, str], named: str
) -> Graph:
    number = len(curves.ranks)

    def beside(system: str, rank: float) -> float:
        # Systems that are level would hide each other, so each has a place of its own beside the rank.
        return rank + 0.08 * (series[system] / max(number - 1, 1) - 0.5)

    lines = [
        Line(system, series[system], [(at, beside(system, rank)) for at, rank in points])
        for system, points in curves.ranks.items()
    ]
    ticks = tuple(float(round(tick)) for tick in nice_ticks(1, number) if tick == round(tick))
    up = Axis("rank", 0.6, number + 0.4, ticks=ticks or (1.0,), down=True)
    height = min(120 + 34 * number, 420)
    said = "; ".join(f"{s} from rank {points[0][1]:.0f} to {points[-1][1]:.0f}" for s, points in curves.ranks.items())
    chart = line_chart(name, lines, across, up, title=title, description=said, rule=rule, height=height)
    caption = "Ranks change only at the values that the scores mark; systems that are level share the better rank."
    return Graph(name, title, caption, chart, (named, *curves.ranks), _steps(curves, across.high, ranks=True))


def _winners(
    rows: Mapping[str, Counts], series: Mapping[str, int], beta: float, weight: float, named: str, upto: float
) -> Graph:
    from adjudge.tasks.eal.graphs import beta_curves, lambda_curves, winner_areas

    areas, corners = winner_areas(rows, upto=upto)
    regions = [Region(area.system, series[area.system], area.polygons, area.middle) for area in areas]
    marks = [Mark(x, y, "", f"beta {x:.6g}, {named} {y:.6g}: systems meet") for x, y in corners]
    over_beta, over_lambda = beta_curves(rows, lambda_=weight, upto=upto), lambda_curves(rows, beta=beta)
    for curves, along in ((over_beta, True), (over_lambda, False)):
        for (one, other), each in curves.cuts:
            best = max(_value(points, each.at) for points in curves.scores.values())
            if each.score < best - 1e-9:
                continue  # others are ahead of both
            x, y = (each.at, weight) if along else (beta, each.at)
            weight_name = "beta" if along else named
            marks.append(Mark(x, y, f"{each.at:.3g}", f"{weight_name} {each.at:.6g}: {one} and {other} change places"))
    title = f"Who has the highest overall score, by beta and {named}"
    known = [f"{area.system} wins around beta {area.middle[0]:.2g}, {named} {area.middle[1]:.2g}" for area in areas]
    caption = (
        "The thin lines are the beta and lambda in use. Rings on them are the exact values at which the winner "
        "changes, other rings are points in which three systems, or two at the edge, meet."
        if marks
        else "The thin lines are the beta and lambda in use."
    )
    chart = region_map(
        "winners",
        regions,
        Axis("beta: what a false positive costs", 0.0, upto),
        Axis(f"{named}: the weight of the argument score", 0.0, 1.0),
        title=title,
        description="; ".join(known),
        rules=((beta, f"{beta:g}"), (weight, f"{weight:g}")),
        marks=marks,
    )
    rows_ = tuple((area.system, *(f"{at:.2g}" for at in area.middle)) for area in areas)
    return Graph("winners", title, caption, chart, ("ahead", "around beta", f"around {named}"), rows_)


def _value(points: list[tuple[float, float]], at: float) -> float:
    """The value of a piecewise straight line."""
    from bisect import bisect_left

    place = bisect_left(points, (at, float("-inf")))
    if place == 0 or (place < len(points) and points[place][0] == at):
        return points[min(place, len(points) - 1)][1]
    if place == len(points):
        return points[-1][1]
    (low, start), (high, end) = points[place - 1], points[place]
    return start + (end - start) * (at - low) / (high - low)


def _spreads(rankings: Mapping[str, Ranking], series: Mapping[str, int]) -> list[Graph]:
    from adjudge.tasks.eal.graphs import spreads

    graphs = []
    for name, ranking in rankings.items():
        found = spreads(ranking)
        boxes = [Box(each.system, series[each.system], *each[1:]) for each in found]
        low, high = around((value for box in found for value in (box.low, box.high, box.value)), floor=0.0, ceiling=1.0)
        title = f"{name.capitalize()} score on {ranking.resamples} corpora"
        caption = (
            f"Box: quartiles; line: median, with its notch; whiskers: {100 * ranking.level:g} % of the corpora; "
            "diamond: all documents. The notch is about the number of corpora and is no test."
        )
        said = "; ".join(
            f"{box.system} {100 * box.median:.1f} ({100 * box.low:.1f} to {100 * box.high:.1f})" for box in found
        )
        axis = Axis(f"{name} score in percent", low, high, 100.0)
        stem = f"bootstrap-{name}"
        chart = box_plot(stem, boxes, axis, title=title, description=said)
        header = ("system", "all documents", "low", "first quartile", "median", "third quartile", "high")
        rows = tuple(
            (box.system, *(f"{100 * v:z.2f}" for v in (box.value, box.low, box.first, box.median, box.third, box.high)))
            for box in found
        )
        graphs.append(Graph(stem, title, caption, chart, header, rows))
    return graphs


def _wins(ranking: Ranking) -> Graph:
    names = [each.system for each in ranking.standings]
    values = [[each.wins.get(other) for other in names] for each in ranking.standings]
    title = f"Who beats whom: share of {ranking.resamples} corpora in percent"
    said = f"The row has the higher {ranking.metric} score than the column."
    chart = heat_map("wins", names, names, values, title=title, description=said, corner="above")
    rows = tuple(
        (name, *("–" if value is None else f"{100 * value:.1f}" for value in row))
        for name, row in zip(names, values, strict=True)
    )
    caption = f"In how many of the corpora the row is above the column, by {ranking.metric}."
    return Graph("wins", title, caption, chart, ("above", *names), rows)
