"""Estimates, judges and plans as tables of text, and as rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from adjudge.estimates.design import units_named
from adjudge.estimates.judge import JudgeReport
from adjudge.estimates.rows import VARIES, DifferenceRow, Estimate, RankRow, ScoreRow
from adjudge.stats.notebook import rows_html
from adjudge.stats.power import POWER
from adjudge.stats.text import Cell, Grid, clean, format_grid, note_line, slice_text

_DIFFERENCES, _NOTES = 3000, 200  # lines; what slices of slices have more is for a program to read

ASSUMPTIONS = (
    "The sample was drawn by the recorded probabilities.",
    "All drawn units were assessed.",
    "Verdicts do not depend on the draw or on the judge's answer.",
    "Verdicts are correct: errors of assessors are not in the interval (see adjudge agree).",
    "The pool was complete when it was drawn.",
    "Documents sampled: documents, or clusters of them, are independent.",
)


def render_estimate(estimate: Estimate) -> str:
    """The scores of every system, their differences, the ranking, and the sample."""
    blocks = [format_grid(score_grid(estimate))]
    if estimate.differences:
        more = _more(len(estimate.differences) - _DIFFERENCES, "differences, --format csv has all")
        blocks.append("\n".join((format_grid(difference_grid(estimate)), *more)))
    if len(estimate.ranking) > 1:
        blocks.append(format_grid(ranking_grid(estimate)))
    lines = [f"{name:<10} {value}" for name, value in footer(estimate)]
    blocks.append("\n".join(lines))
    notes = [note_line(note) for note in estimate.notes]
    notes += _score_notes(estimate.scores)
    if notes:
        blocks.append("\n".join(f"note: {note}" for note in notes))
    return "\n\n".join(blocks)


def _score_notes(scores: Sequence[ScoreRow]) -> list[str]:
    """The notes of scores; those of all scores are listed once."""
    rows: dict[str, list[ScoreRow]] = {}
    for row in scores:
        for note in row.notes:
            rows.setdefault(note, []).append(row)
    shared = [note for note, own in rows.items() if len(own) == len(scores) > 1]
    apart = {
        " ".join((row.system, row.part, *([f"({slice_text(row.slice)})"] if row.slice else []))) + f": {note}"
        for note, own in rows.items()
        if note not in shared
        for row in own
    }
    return [clean(note) for note in (*shared, *sorted(apart)[:_NOTES], *_more(len(apart) - _NOTES, "notes"))]


def _more(number: int, what: str) -> tuple[str, ...]:
    """A line on what is not shown, if there is any."""
    return (f"... and {number:,} more {what}",) if number > 0 else ()


def score_grid(estimate: Estimate) -> Grid:
    """One row per system and slice, one column per part."""
    parts = list(dict.fromkeys((row.metric, row.part) for row in estimate.scores))
    sliced = any(row.slice for row in estimate.scores)
    groups: dict[str, list[tuple[Cell, ...]]] = {}
    cells: dict[tuple[str, str], dict[tuple[str, str], ScoreRow]] = {}
    for row in estimate.scores:
        cells.setdefault((slice_text(row.slice) if row.slice else "", row.system), {})[row.metric, row.part] = row
    for (where, system), own in cells.items():
        labels = [Cell(clean(system))] + [Cell(clean(where or "all"))] * sliced
        numbers = [_score(own[key]) if key in own else Cell("") for key in parts]
        groups.setdefault(where, []).append((*labels, *numbers))
    several = len({metric for metric, _ in parts}) > 1
    models = {(row.metric, row.part) for row in estimate.scores if row.method == "model"}
    names = [f"{metric} {part}" if several else part for metric, part in parts]
    names = [f"{name} (model)" if key in models else name for key, name in zip(parts, names, strict=True)]
    header = ("system", *["slice"] * sliced, *names)
    return Grid(header, 1 + sliced, tuple(tuple(rows) for rows in groups.values()))


def _score(row: ScoreRow) -> Cell:
    """The value and its interval, or else its bounds; what rests on a model has both."""
    if (row.events == 0 or row.low is None) and row.bounds is not None:
        return Cell(_points(row.value), f"in {_ends(*row.bounds)}")
    if row.low is None or row.high is None:
        return Cell(_points(row.value))
    certain = f" in {_ends(*row.bounds)}" if row.method == "model" and row.bounds is not None else ""
    return Cell(_points(row.value), _ends(row.low, row.high) + certain)


def difference_grid(estimate: Estimate) -> Grid:
    """One row per pair and part; of very many, those of all documents first."""
    rows: dict[tuple[str, str], list[tuple[Cell, ...]]] = {}
    sliced = any(row.slice for row in estimate.differences)
    for row in estimate.differences[:_DIFFERENCES]:
        name = f"{row.metric} {row.part}{' (model)' * (row.method == 'model')}"
        labels = [name] + [slice_text(row.slice) if row.slice else "all"] * sliced
        labels.append(f"{row.a} - {row.b}")
        numbers = (_difference(row), _probability(row.p), _probability(row.p_holm), _probability(row.q))
        rows.setdefault((row.metric, row.part), []).append((*(Cell(clean(label)) for label in labels), *numbers))
    header = ("difference", *["slice"] * sliced, "systems", "points", "p", "p (Holm)", "q")
    return Grid(header, 2 + sliced, tuple(tuple(own) for own in rows.values()))


def ranking_grid(estimate: Estimate) -> Grid:
    """One row per system, the best first."""
    rows = tuple((Cell(clean(row.system)), Cell(_places(row)), Cell(_points(row.value))) for row in estimate.ranking)
    return Grid(("ranking", "ranks", " ".join(estimate.ranked_by or ("score",))), 1, (rows,))


def _places(row: RankRow) -> str:
    return f"{row.best}" if row.best == row.worst else f"{row.best}-{row.worst}"


def footer(estimate: Estimate) -> list[tuple[str, str]]:
    """The description of the sample, which is printed with all its numbers."""
    unit = units_named(estimate.unit)
    drawn = [f"round {each.number}: {each.size} {each.sampling}, seed {each.seed}" for each in estimate.rounds]
    fields = [
        ("sample", f"{estimate.n} of {estimate.of} {unit} ({'; '.join(drawn)})"),
        ("varies", VARIES[estimate.documents]),
        ("interval", f"{100 * estimate.level:g} % ({_how_found(estimate)}, logit)"),
        ("assist", estimate.assist),
    ]
    if estimate.weight:
        fields.append(("weight", ", ".join(f"{name} {value:.2f}" for name, value in estimate.weight.items())))
    if (shown := _detects(estimate)) is not None:
        fields.append(("detects", shown))
    fields.append(("method", ", ".join(dict.fromkeys(row.method for row in estimate.scores))))
    return fields


def _detects(estimate: Estimate) -> str | None:
    """Which differences of the score that ranks the systems cannot be distinguished from chance."""
    key = estimate.ranked_by
    own = [row for row in estimate.differences if (row.metric, row.part) == key and not row.slice]
    found = [shown for row in own if (shown := row.detectable()) is not None]
    if key is None or not found:
        return None
    below = f"differences below {_points(max(found))} points of {' '.join(key)}"
    return f"with this sample, {below} cannot be distinguished from chance (power {100 * POWER:.0f} %)"


def _how_found(estimate: Estimate) -> str:
    if estimate.documents == "sample":
        return "jackknife over documents"
    apart = estimate.unit != "document"  # documents are left out however they were drawn
    ways = {"linearised" if each.sampling == "poisson" and apart else "jackknife" for each in estimate.rounds}
    return " and ".join(sorted(ways))


def estimate_html(estimate: Estimate) -> str:
    """The scores for a notebook."""
    grid = score_grid(estimate)
    rows = [tuple(map(str, row)) for group in grid.groups for row in group]
    sample = rows_html(("", ""), footer(estimate))
    return rows_html(grid.header, rows, labels=grid.labels) + sample


def score_rows(estimate: Estimate) -> list[dict[str, Any]]:
    """Scores as flat rows."""
    return [_flat(msgspec.to_builtins(row)) for row in estimate.scores]


def rank_rows(estimate: Estimate) -> list[dict[str, Any]]:
    """The ranking as flat rows in the form of scores: `rank` with the best and the worst one as its ends."""
    if estimate.ranked_by is None:
        return []
    same = {"metric": estimate.ranked_by[0], "part": "rank", "level": estimate.level, "n": estimate.n}
    same |= {"of": estimate.of, "varies": VARIES[estimate.documents], "method": "design"}
    values = [row.value for row in estimate.ranking]
    return [
        {**same, "system": row.system, "value": 1 + values.index(row.value), "low": row.best, "high": row.worst}
        for row in estimate.ranking
    ]


def difference_rows(estimate: Estimate) -> list[dict[str, Any]]:
    """Differences as flat rows."""
    return [_flat(msgspec.to_builtins(row)) for row in estimate.differences]


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    bounds = row.pop("bounds", None) or (None, None)
    where = row.pop("slice", {})
    notes = row.pop("notes", ())
    return {
        **row,
        "lowest": bounds[0],
        "highest": bounds[1],
        "slice": slice_text(where) if where else "",
        "notes": "; ".join(notes),
    }


def render_judge(report: JudgeReport) -> str:
    """The report of a judge; with few labels only the counts."""
    blocks = [f"sample     {report.n} of {report.of} items, threshold {report.threshold:g}"]
    if report.agreement:
        measures = list(dict.fromkeys(row.measure for row in report.agreement))
        scopes: dict[str, dict[str, Any]] = {}
        for row in report.agreement:
            scopes.setdefault(row.scope, {})[row.measure] = row
        rows = [
            (Cell(clean(scope)), Cell(str(own[measures[0]].n)), *(_agreement(own[measure]) for measure in measures))
            for scope, own in scopes.items()
        ]
        blocks.append(format_grid(Grid(("items of", "n", *measures), 1, (tuple(rows),))))
        biased = [
            (
                Cell(clean(each.system)),
                Cell(_points(each.value)),
                Cell(_points(each.others)),
                _probability(each.p),
                _probability(each.p_holm),
                Cell("" if each.system not in report.saved else f"{report.saved[each.system]:.0f}"),
            )
            for each in report.bias
        ]
        header = ("system", "judge - people", "on others", "p", "p (Holm)", "labels saved")
        blocks.append(format_grid(Grid(header, 1, (tuple(biased),))))
        bins = [
            (
                Cell(f"{each.low:.1f} to {each.high:.1f}"),
                Cell(str(each.n)),
                Cell(_points(each.judge)),
                Cell(_points(each.people)),
            )
            for each in report.calibration
        ]
        blocks.append(format_grid(Grid(("judge says", "n", "judge", "people"), 1, (tuple(bins),))))
        blocks.append(f"weight     {report.weight:.2f} (how much the judge counts in an estimate)")
    blocks += [f"note: {note_line(note)}" for note in report.notes]
    return "\n\n".join(blocks)


def _agreement(row: Any) -> Cell:
    if row.value is None:
        return Cell("-")
    tail = "" if row.low is None else f"[{row.low:.2f}, {row.high:.2f}]"
    return Cell(f"{row.value:.2f}", tail)


def _difference(row: DifferenceRow) -> Cell:
    if row.low is None or row.high is None:
        return Cell(f"{100 * row.value:+.1f}")
    return Cell(f"{100 * row.value:+.1f}", f"[{100 * row.low:+.1f}, {100 * row.high:+.1f}]")


def _points(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"


def _ends(low: float, high: float) -> str:
    return f"[{_points(low)}, {_points(high)}]"


def _probability(p: float | None) -> Cell:
    return Cell("" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}")


def render_plan(plan: Any) -> str:
    """The documents that every pair needs."""
    rows = [
        (
            Cell(f"{row.metric} {row.part}"),
            Cell(clean(f"{row.a} - {row.b}")),
            Cell(f"{100 * row.difference:+.1f}"),
            Cell(f"{100 * row.detectable:.1f}"),
            Cell(f"{row.needed:,}"),
        )
        for row in plan.rows
    ]
    number = plan.rows[0].documents
    wanted = f"{plan.unit} for {100 * plan.difference:g}"
    grid = Grid(("score", "systems", "now", f"detectable with {number}", wanted), 2, (tuple(rows),))
    tests = f"alpha {plan.alpha:g} over {plan.comparisons} comparison{'s' * (plan.comparisons != 1)}"
    lines = [format_grid(grid), "", f"points; power {plan.power:.0%}, {tests}"]
    return "\n".join(lines + [f"note: {note_line(note)}" for note in plan.notes])


def render_labels(needed: Mapping[str, int], half_width: float) -> str:
    """How many assessments every system needs."""
    rows = tuple((Cell(clean(system)), Cell(f"{number:,}")) for system, number in needed.items())
    return format_grid(Grid(("system", f"assessments for -/+ {half_width:g} points of f1"), 1, (rows,)))
