"""The page of knowledge bases: scores per hop, where paths are lost, intervals and the paper's boxes, examples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from adjudge.report.html.charts import Box, box_plot
from adjudge.report.html.charts_plot import Axis
from adjudge.report.html.charts_steps import Range, range_plot, waterfall
from adjudge.report.html.page import Figure, ScoreTable, figure, render_page, score_table
from adjudge.report.html.result_graphs import graphs_of_result
from adjudge.tasks.kbp.explain import LIMIT
from adjudge.tasks.kbp.notes import NOTCH_CAUTION, PERCENTILE_CAUTION
from adjudge.tasks.kbp.options import DEFAULT_PROFILE
from adjudge.tasks.kbp.reasons import FATES, REASONS, Fate
from adjudge.tasks.kbp.waterfalls import SIDES, Example, Explanation, Waterfall

if TYPE_CHECKING:
    from adjudge.stats.result import Result, Score
    from adjudge.stats.text import Grid
    from adjudge.tasks.kbp.inputs import KbInputs
    from adjudge.tasks.kbp.options import KbOptions

TITLE = "Knowledge bases"
_CAPTIONS = (
    (
        "Notched boxes of the resampled scores; a diamond is the score. For likeness with the paper only.",
        ("box from", "median", "box to", "notch from", "notch to"),
        slice(2, 7),
    ),
    ("The score and its jackknife interval over documents.", ("jackknife from", "jackknife to"), slice(7, 9)),
)
_FATE_TITLES: dict[Fate, str] = {"missed": "Where gold paths are lost", "wrong": "Where paths of the system go wrong"}


class Reasons(NamedTuple):
    """The examples of one reason."""

    label: str
    meaning: str
    paths: int
    examples: tuple[Example, ...]


class Hop(NamedTuple):
    """One system at one number of hops."""

    metric: str
    falls: tuple[Figure, ...]
    sample: str
    fates: tuple[tuple[str, tuple[Reasons, ...]], ...]


class Boxes(NamedTuple):
    """The paper's box plot of one metric beside the recommended intervals."""

    metric: str
    figures: tuple[Figure, ...]
    outside: tuple[str, ...]


def kbp_page(
    read: KbInputs,
    options: KbOptions,
    *,
    profile: str = DEFAULT_PROFILE,
    limit: int | None = LIMIT,
    title: str = TITLE,
    **changes: Any,
) -> str:
    """Score and explain systems: a whole HTML file; `changes` say how, `limit` how many examples it has."""
    import msgspec

    from adjudge.tasks.kbp.explain import explain_inputs
    from adjudge.tasks.kbp.scoring import chosen_run, score_inputs

    run = chosen_run(profile, options, {"by": "relation", "box": True, **changes})[1]
    result = score_inputs(read, options, run, profile=profile)
    # Relations are shown, but not tested, so that the corrected numbers are those of the score alone.
    whole = [each for each in result.comparisons if not each.slice]
    result = msgspec.structs.replace(result, comparisons=whole)
    found = explain_inputs(read, options, limit=limit, seed=run.inference.seed)
    return render_kbp(result, found, title=title)


def render_kbp(result: Result, found: Sequence[Explanation], *, title: str = TITLE) -> str:
    """The page of a result and its explanations."""
    from adjudge.stats.text import clean, comparison_grid, footer_fields, note_lines

    names = [clean(system.name) for system in result.systems]
    facts = _facts(result)
    return render_page(
        "kbp.html.j2",
        title=title,
        data={},
        styles=("charts.css", "kbp.css"),
        systems=names,
        documents=result.systems[0].documents if result.systems else 0,
        table=_scores(result),
        comparisons=comparison_grid(result) if result.comparisons else None,
        facts=facts,
        boxes=_boxes(result),
        graphs=graphs_of_result(result),
        cautions=(PERCENTILE_CAUTION, NOTCH_CAUTION),
        relations=_relations(result),
        explained=[(clean(each.system), [_hop(number, fall) for fall in each.waterfalls])
                   for number, each in enumerate(found)],
        fields=footer_fields(result),
        notes=note_lines(result),
    )  # fmt: skip


def _scores(result: Result) -> ScoreTable:
    """The scores of paths; counts of facts have a table of their own."""
    import msgspec

    systems = tuple(
        msgspec.structs.replace(system, scores=tuple(score for score in system.scores if score.part != "count"))
        for system in result.systems
    )
    return score_table(msgspec.structs.replace(result, systems=systems))


def _facts(result: Result) -> list[tuple[str, list[str]]]:
    """What became of the facts that are no triples about gold entities: a row for each kind that occurs."""
    found: dict[str, list[str]] = {}
    for place, system in enumerate(result.systems):
        for score in system.scores:
            if score.part == "count" and not score.slice and score.value:
                row = found.setdefault(score.metric.removeprefix("kbp."), ["0"] * len(result.systems))
                row[place] = f"{score.value:,.0f}"
    return list(found.items())


def _relations(result: Result) -> Grid | None:
    """Scores by relation."""
    from dataclasses import replace

    from adjudge.stats.text import score_grid

    if not any(score.slice for system in result.systems for score in system.scores):
        return None
    grid = score_grid(result)
    groups = [
        tuple(row for row, (_, where, _) in zip(rows, keys, strict=True) if where)
        for rows, keys in zip(grid.groups, grid.keys, strict=True)
    ]
    return replace(grid, groups=tuple(group for group in groups if group), keys=())


# ---------------------------------------------------------------------------------------------------------------------
# Intervals


def _boxes(result: Result) -> list[Boxes]:
    """For the F1 of every metric that was resampled: the paper's boxes, and intervals that can be believed."""
    from adjudge.stats.text import clean

    metrics = dict.fromkeys(score.metric for _, score in _resampled(result))
    found = []
    for number, metric in enumerate(metrics):
        boxes, ranges, rows, outside = [], [], [], []
        for place, score in _resampled(result):
            if score.metric != metric or score.value is None or score.uncertainty is None:
                continue
            box, name = score.uncertainty.box, clean(result.systems[place].name)
            if box is None:
                continue
            notch = box.notch_low, box.notch_high
            boxes.append(Box(name, place, box.low, box.low, box.median, box.high, box.high, notch, score.value))
            low, high = _recommended(score)
            ranges.append(Range(name, place, score.value, low, high))
            if not box.low <= score.value <= box.high:
                outside.append(name)
            rows.append((name, *map(_percent, (score.value, box.low, box.median, box.high, *notch, low, high))))
        if not boxes:
            continue
        ends = [value for box in boxes for value in (box.low, box.high, box.value)]
        ends += [value for each in ranges for value in (each.low, each.high)]
        x = _axis([value for value in ends if value is not None])
        titles = f"{metric} F1, as in the paper", f"{metric} F1, recommended"
        charts = (
            box_plot(f"box{number}", boxes, x, title=titles[0], description=_said(rows, (1, 2, 4))),
            range_plot(f"range{number}", ranges, x, title=titles[1], description=_said(rows, (1, 7, 8))),
        )
        found.append(
            Boxes(
                metric,
                tuple(
                    figure(chart, caption, ("system", "F1", *header), [(*row[:2], *row[part]) for row in rows])
                    for chart, (caption, header, part) in zip(charts, _CAPTIONS, strict=True)
                ),
                tuple(outside),
            )
        )
    return found


def _resampled(result: Result) -> Iterator[tuple[int, Score]]:
    for place, system in enumerate(result.systems):
        for score in system.scores:
            if score.part == "f1" and not score.slice and score.uncertainty is not None:
                yield place, score


def _recommended(score: Score) -> tuple[float | None, float | None]:
    """The jackknife interval, whatever the profile prints."""
    intervals = {} if score.uncertainty is None else score.uncertainty.intervals
    low, high = intervals.get("jackknife", (None, None))
    return (None, None) if low is None or high is None else (max(0.0, low), min(1.0, high))


def _axis(values: Sequence[float]) -> Axis:
    """From the smallest to the largest value, in steps of ten points."""
    low, high = min(9, max(0, math.floor(min(values) * 10))), min(10, math.ceil(max(values) * 10))
    return Axis("F1 in percent", low / 10, max(high, low + 1) / 10, factor=100)


def _said(rows: Sequence[tuple[str, ...]], columns: tuple[int, int, int]) -> str:
    value, low, high = columns
    return "; ".join(f"{row[0]}: {row[value]}, from {row[low]} to {row[high]}" for row in rows)


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:z.1f}"


# ---------------------------------------------------------------------------------------------------------------------
# Explanations


def _hop(system: int, fall: Waterfall) -> Hop:
    falls = tuple(_fall(system, fall, fate) for fate in FATES)
    fates = []
    for fate in FATES:
        lost = {loss.reason: loss.paths for loss in fall.losses(fate)}
        reasons = tuple(
            Reasons(
                meaning.label,
                meaning.missed if fate == "missed" else meaning.wrong,
                lost[reason],
                tuple(each for each in fall.examples if (each.fate, each.reason) == (fate, reason)),
            )
            for reason, meaning in REASONS.items()
            if reason in lost
        )
        fates.append((_FATE_TITLES[fate], reasons))
    sample = "" if fall.sample is None else str(fall.sample)
    return Hop(fall.metric, falls, sample, tuple(fates))


def _fall(system: int, fall: Waterfall, fate: Fate) -> Figure:
    """The waterfall of one side at one number of hops, and the same as rows of label, paths and share."""
    listed = fall.steps(fate)
    whole = listed[0][1]
    rows = tuple((label, f"{paths:,}", f"{100 * paths / whole:.1f}" if whole else "–") for label, paths in listed)
    first, last = SIDES[fate]
    title = f"{fall.metric}: from {first} to those that are {last}"
    said = "; ".join(f"{label} {paths}" for label, paths, _ in rows)
    chart = waterfall(f"fall{system}-{fall.hop}-{fate}", listed, title=title, description=said)
    return figure(chart, "", ("step", "paths", "percent"), rows)
