"""The fields of leaves as a table: how often each was correct, wrong, omitted and hallucinated, the worst first."""

from __future__ import annotations

from collections.abc import Callable

from adjudge.stats.measure import Prf
from adjudge.stats.result import Result, Score
from adjudge.stats.text import Cell, Grid, clean, score_cell

FIELD = "field"
COUNTS = ("correct", "wrong", "omitted", "hallucinated")
_HIDDEN = (*COUNTS, "absent")


def counted_leaves(result: Result) -> frozenset[str]:
    """The metrics that count leaves: they have precision and recall, and say how often each outcome was."""
    found = {(score.metric, score.part) for system in result.systems for score in system.scores}
    ratios = {measure.name for measure in result.measures if isinstance(measure, Prf)}
    return frozenset(name for name in ratios if all((name, part) in found for part in _HIDDEN))


def elsewhere(result: Result) -> Callable[[Score], bool]:
    """Whether a score stands in the table of fields and not in that of scores."""
    counted = counted_leaves(result)
    return lambda score: score.metric in counted and (score.part in _HIDDEN or tuple(score.slice) == (FIELD,))


def field_grids(result: Result) -> list[Grid]:
    """For each metric that counts leaves, a row per field and system; none unless it was sliced by field."""
    return [grid for name in sorted(counted_leaves(result)) if (grid := _grid(result, name)) is not None]


def _grid(result: Result, metric: str) -> Grid | None:
    rows: dict[str, dict[str, dict[str, Score]]] = {}
    for system in result.systems:
        for score in system.scores:
            if score.metric == metric and tuple(score.slice) == (FIELD,):
                own = rows.setdefault(str(score.slice[FIELD]), {}).setdefault(system.name, {})
                own[score.part] = score
    if not rows:
        return None
    several = len(result.systems) > 1
    ratios = [part for part in next(iter(next(iter(rows.values())).values())) if part not in _HIDDEN]

    def worst(field: str) -> tuple[float, str]:
        return min(each[ratios[-1]].value or 0.0 for each in rows[field].values()), field

    cells = []
    for field in sorted(rows, key=worst):
        for name, own in rows[field].items():
            gold = sum(own[part].value or 0.0 for part in COUNTS[:3])
            labels = [field, *([name] if several else [])]
            counts = [f"{round(gold)}", *(f"{own[part].value or 0.0:.6g}" for part in COUNTS)]
            numbers = [*map(Cell, counts), *(score_cell(own[part]) for part in ratios)]
            cells.append((*(Cell(clean(label)) for label in labels), *numbers))
    header = ("field", *["system"] * several, "gold", *COUNTS, *ratios)
    return Grid(header, 1 + several, (tuple(cells),))
