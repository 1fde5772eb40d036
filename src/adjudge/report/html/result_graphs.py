"""How the scores of a saved result depend on what was chosen: weights, confidences, and the number of hops."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from adjudge.report.html.charts import Line, line_chart
from adjudge.report.html.charts_plot import Axis, Mark, around
from adjudge.report.html.page import Figure, figure

if TYPE_CHECKING:
    from adjudge.stats.result import Result
    from adjudge.tasks.eal.settings import Settings

_SLACK = 1e-9
_HOP = re.compile(r"kbp\.hop(\d+)")


def graphs_of_result(result: Result) -> list[Figure]:
    """The graphs that the task of a result has: beta and lambda of event arguments, hops and confidence of bases."""
    if result.task == "eal":
        return list(_weights(result))
    if result.task == "kbp":
        return [*_hops(result), *confidence_curves(result)]
    return []


# ---------------------------------------------------------------------------------------------------------------------
# Event arguments


def _weights(result: Result) -> Iterator[Figure]:
    from adjudge.report.html.eal_graphs import figures_of, graphs_of

    settings = _settings(result)
    if settings is None:
        return
    tables = {system.name: system.table for system in result.systems if system.table is not None}
    graphs, changes = graphs_of(tables, settings, {})
    yield from figures_of(graphs, changes)


def _settings(result: Result) -> Settings | None:
    """The weights of a result; nothing if its counts do not give its own scores with them."""
    from adjudge.errors import UsageError
    from adjudge.tasks.eal.sensitivity import argument_scores, counts_of, overall
    from adjudge.tasks.eal.settings import decide, settings

    options = result.options
    if options is None or options.pool != "micro" or any(system.table is None for system in result.systems):
        return None
    beta, lambda_, decided = (options.fields.get(name) for name in ("beta", "lambda", "decided"))
    if not isinstance(beta, int | float):
        return None
    linked = isinstance(lambda_, int | float)
    try:
        profile = decide(result.profile, _decisions(decided))
        found = settings(profile, beta=beta, lambda_=float(lambda_ or 0.0) if linked else 0.5, linking=linked)
    except UsageError:
        return None
    metric = "eal.overall" if found.linking else "eal.argument"
    for system in result.systems:
        assert system.table is not None
        try:
            counts = counts_of(system.table)
        except UsageError:
            return None
        again = (
            overall(counts, found.beta, found.argument_weight)
            if found.linking
            else float(argument_scores(counts, [found.beta])[0])
        )
        scores = [s.value for s in system.scores if (s.metric, s.part) == (metric, "score") and not s.slice]
        if len(scores) != 1 or scores[0] is None or abs(scores[0] - again) > _SLACK:
            return None
    return found


def _decisions(text: object) -> dict[str, str]:
    """The decisions that a signature names: those that matter here have no commas in them."""
    parts = str(text).split(",") if text else []
    return {name: value for name, _, value in (part.partition("=") for part in parts) if name == "lambda_on"}


# ---------------------------------------------------------------------------------------------------------------------
# Knowledge bases


def _hops(result: Result) -> Iterator[Figure]:
    """F1 by the length of paths."""
    from adjudge.stats.text import clean, score_cell

    lines, rows, ends = [], [], []
    for place, system in enumerate(result.systems):
        points = []
        for score in system.scores:
            hop = _HOP.fullmatch(score.metric)
            if hop is None or score.slice or score.part != "f1" or score.value is None:
                continue
            points.append((float(hop[1]), score.value))
            rows.append((clean(system.name), hop[1], str(score_cell(score))))
        if points:
            lines.append(Line(clean(system.name), place, sorted(points)))
            ends += [at for at, _ in points]
    if not ends or max(ends) < 2:
        return
    said = "; ".join(
        f"{line.name} " + ", ".join(f"{100 * value:.1f} at {at:g}" for at, value in line.points) for line in lines
    )
    ticks = tuple(sorted(set(ends)))
    chart = line_chart(
        "hops",
        lines,
        Axis("hops", min(ends), max(ends), ticks=ticks),
        Axis("F1 in percent", 0.0, 1.0, 100.0),
        title="F1 by the number of hops",
        description=said,
    )
    caption = "A path of several facts is found if all of them are."
    yield figure(chart, caption, ("system", "hops", "F1 in percent"), rows)


def confidence_curves(result: Result) -> Iterator[Figure]:
    """Precision over recall as the confidence rises from which on facts are kept, for every metric with such slices."""
    from adjudge.stats.text import clean

    found: dict[str, dict[int, dict[float, dict[str, float]]]] = {}
    for place, system in enumerate(result.systems):
        for score in system.scores:
            if list(score.slice) == ["confidence"] and score.value is not None:
                least = _least(score.slice["confidence"])
                if least is not None:
                    own = found.setdefault(score.metric, {}).setdefault(place, {})
                    own.setdefault(least, {})[score.part] = score.value
    for metric, systems in found.items():
        lines, marks, rows, said = [], [], [], []
        for place, points in systems.items():
            name = clean(result.systems[place].name)
            kept = [(least, p["recall"], p["precision"]) for least, p in sorted(points.items()) if _whole(p)]
            if not kept:
                continue
            lines.append(Line(name, place, [(recall, precision) for _, recall, precision in reversed(kept)]))
            for least, recall, precision in kept:
                f1 = points[least].get("f1")
                shown = tuple("n/a" if v is None else f"{100 * v:z.1f}" for v in (precision, recall, f1))
                rows.append((name, f"{least:g}", *shown))
                marks.append(
                    Mark(recall, precision, "", f"{name}, from {least:g}: {shown[0]} and {shown[1]}", drops=False)
                )
            first, last = kept[0], kept[-1]
            said.append(
                f"{name}: precision {100 * first[2]:.1f} and recall {100 * first[1]:.1f} from {first[0]:g}, "
                f"{100 * last[2]:.1f} and {100 * last[1]:.1f} from {last[0]:g}"
            )
        if len(rows) <= len(lines):
            continue  # one confidence only: there is no curve
        low, high = around((point[1] for line in lines for point in line.points), floor=0.0, ceiling=1.0)
        right = max(point[0] for line in lines for point in line.points)
        chart = line_chart(
            f"confidence-{metric.removeprefix('kbp.')}",
            lines,
            Axis("recall in percent", 0.0, max(right, 0.01), 100.0),
            Axis("precision in percent", low, high, 100.0),
            title=f"{clean(metric)}: precision over recall by confidence",
            description="; ".join(said),
            marks=marks,
        )
        caption = "Every ring keeps the facts that are at least so sure; the right end keeps all of them."
        yield figure(chart, caption, ("system", "confidence from", "precision", "recall", "F1"), rows)


def _whole(parts: dict[str, float]) -> bool:
    """Whether there is a point to draw; where nothing is kept there is no precision."""
    return "precision" in parts and "recall" in parts and parts.get("system") != 0


def _least(value: object) -> float | None:
    """The confidence of a slice such as 0.71+."""
    try:
        return float(str(value).removesuffix("+"))
    except ValueError:
        return None
