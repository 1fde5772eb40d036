"""The page of any result: scores, comparisons, distributions, slices, confusions, and every document.

Nothing is scored again. The numbers are those of the result; distributions and ranks are recomputed from its tables,
and what became of every item is shown if the result was saved with its documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from adjudge.report.html.charts import Box, Chart, box_plot, inline
from adjudge.report.html.charts_plot import Axis, around
from adjudge.report.html.page import Entry, ScoreCell, ScoreRow, ScoreTable, island, render_page, score_table
from adjudge.report.html.result_data import Numbers, Spread, island_of, numbers_of, ranks, spreads
from adjudge.report.html.result_items import (
    Confusion,
    Side,
    Sides,
    Unit,
    beside,
    confusions,
    quoted,
    sides_of,
    unit_of,
)

if TYPE_CHECKING:
    from markupsafe import Markup

    from adjudge.stats.measure import Key
    from adjudge.stats.outcomes import Documents, GoldDocument, SystemDocument
    from adjudge.stats.result import Result, Score
    from adjudge.stats.text import Grid

TITLE = "Report"
LEGEND = (
    Entry("correct", "matched", "✓", "gold and system have it"),
    Entry("partial", "matched in part", "½", "matched with a score below 1"),
    Entry("wrong-type", "another type", "T", "at the same place with another type: missed and spurious for the score"),
    Entry("missed", "missed", "−", "a gold item that is not matched"),
    Entry("spurious", "spurious", "+", "a system item that is not matched"),
)
STATIC = 10
"""Documents that can be read without a script."""
DRAWN = 8
"""Metrics whose distributions are drawn; those of the others are in one table."""
_SPREAD = ("score", "low", "first quartile", "median", "third quartile", "high")


class Figure(NamedTuple):
    """A chart as markup, what it shows, and the same as a table."""

    name: str
    title: str
    caption: str
    svg: Markup
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class SliceTable(NamedTuple):
    """The scores of one metric on the slices by one field."""

    field: str
    metric: str
    table: ScoreTable


class RankTable(NamedTuple):
    """The systems by one score: cells of text."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class StaticRow(NamedTuple):
    """An item for readers without a script: its outcome, and both sides in words."""

    entry: Entry
    gold: str
    system: str


def render_result(result: Result, *, title: str = TITLE) -> str:
    """The page of a result, as a whole HTML file.

    >>> from adjudge.tasks.scoring import score
    >>> gold, system = [{"id": "d1", "items": ["a", "b"]}], [{"id": "d1", "items": ["a"]}]
    >>> page = render_result(score("record.set", gold, system, bootstrap=0, documents=True))
    >>> page.startswith("<!doctype html>"), "record.set" in page
    (True, True)
    """
    from markupsafe import Markup

    from adjudge.stats.text import clean, footer_fields, leaderboard_grids, note_lines

    numbers = numbers_of(result)
    documents = result.documents
    outcomes = {system.name: system.outcomes for system in result.systems if system.outcomes}
    browsed = documents is not None and bool(documents.metrics) and bool(outcomes)
    sides = [] if documents is None else sides_of(documents, outcomes)
    data, every = island_of(result, numbers, sides)
    return render_page(
        "result.html.j2",
        title=title,
        data=data | {"kinds": [{"key": entry.key, "label": entry.label} for entry in LEGEND]},
        lines=Markup("\n").join(island(each) for each in every),
        styles=("eal.css", "result.css"),
        scripts=("result.js", "result_charts.js"),
        task=clean(result.task),
        systems=[clean(system.name) for system in result.systems],
        documents=max((system.documents for system in result.systems), default=0),
        table=score_table(result),
        comparisons=_comparisons(result, sliced=False),
        sliced_comparisons=_comparisons(result, sliced=True),
        board=None if result.ranking is None else leaderboard_grids(result.ranking),
        ranking=_rank_tables(result, numbers) if result.ranking is None else [],
        slices=list(_slice_tables(result)),
        figures=list(_figures(result, numbers)),
        spread=("score of", "over", "system", *_SPREAD),
        undrawn=list(_undrawn(result, numbers)),
        scattered=len(result.systems) > 1 and len(numbers.ids) > 1,
        confusions=[] if documents is None else confusions(documents.levels, sides),
        shading=_shading,
        legend=LEGEND,
        browsed=browsed,
        listed=bool(numbers.ids) or browsed,
        static=_static(documents, sides, *next(iter(outcomes.items()))) if documents is not None and outcomes else [],
        first=clean(next(iter(outcomes), "")),
        fields=footer_fields(result),
        notes=note_lines(result),
    )


# ---------------------------------------------------------------------------------------------------------------------
# Tables


def _comparisons(result: Result, *, sliced: bool) -> Grid | None:
    """The comparisons on the whole corpus, or those on its slices; the correction is over both."""
    import msgspec

    from adjudge.stats.text import comparison_grid

    found = tuple(each for each in result.comparisons if bool(each.slice) == sliced)
    return comparison_grid(msgspec.structs.replace(result, comparisons=found)) if found else None


def _slice_tables(result: Result) -> Iterator[SliceTable]:
    """For every field and metric: a row for each value, a column for each system."""
    from adjudge.stats.measure import COUNT_PARTS, count_keys
    from adjudge.stats.text import clean, score_cell, slice_key, slice_text

    counts = count_keys(result.measures)
    plain = {*COUNT_PARTS, "count", "tp", "fp", "fn"}
    places: dict[str, dict[Any, str]] = {}
    found: dict[tuple[Any, ...], Score] = {}
    parts: dict[str, None] = {}
    for system in result.systems:
        for score in system.scores:
            if score.slice:
                key = slice_key(score.slice)
                places.setdefault(", ".join(score.slice), {})[key] = slice_text(score.slice)
                found[system.name, score.metric, key, score.part] = score
                parts[score.part] = None
    names = tuple(clean(system.name) for system in result.systems)
    for field, values in places.items():
        for metric in dict.fromkeys(score.metric for system in result.systems for score in system.scores):
            rows, ahead = [], dict[str, None]()
            for key, said in values.items():
                row = []
                for system in result.systems:
                    mine = [found.get((system.name, metric, key, part)) for part in parts]
                    kept = [s for s in mine if s and s.part not in plain and (metric, s.part) not in counts]
                    last = kept[-1] if kept else None
                    cells = tuple(ScoreCell(*_cell(score_cell(each, counts))) for each in mine)
                    headline = ScoreCell(*_cell(score_cell(last, counts)))
                    row.append(ScoreRow(clean(system.name), cells, headline, None if last is None else _drawn(last)))
                    if last is not None:
                        ahead[clean(last.part)] = None
                if any(cell.value for one in row for cell in one.cells):
                    rows.append((clean(said), tuple(row)))
            if rows:
                table = ScoreTable(names, tuple(map(clean, parts)), " or ".join(ahead), tuple(rows))
                yield SliceTable(clean(field), clean(metric), table)


def _cell(cell: Any) -> tuple[str, str]:
    return cell.head, cell.tail


def _drawn(score: Score) -> tuple[float, float, float] | None:
    if score.value is None or not 0 <= score.value <= 1:
        return None
    low, high = (score.value if each is None else min(max(each, 0), 1) for each in (score.low, score.high))
    return round(100 * score.value, 2), round(100 * low, 2), round(100 * high, 2)


def _rank_tables(result: Result, numbers: Numbers) -> list[RankTable]:
    from adjudge.stats.text import clean

    found = []
    for each in ranks(result, numbers):
        names = [clean(name) for name, _, _, _ in each.rows]
        header = ("system", "score", f"ranks ({100 * each.level:g} %)", *(f"above {name}" for name in names))
        rows = tuple(
            (
                clean(name),
                _percent(score),
                _range(span),
                *("–" if win is None else f"{100 * win:.1f} %" for win in wins),
            )
            for name, score, span, wins in each.rows
        )
        found.append(RankTable(f"{clean(each.metric)} {clean(each.part)}", header, rows))
    return found


def _range(span: tuple[int, int]) -> str:
    return f"{span[0]}" if span[0] == span[1] else f"{span[0]}-{span[1]}"


def _percent(value: float | None) -> str:
    return "n/a" if value is None or value != value else f"{100 * value:z.1f}"


def _shading(confusion: Confusion, row: int, column: int) -> str:
    """How dark a cell is: its share of the row, from 0 to 0.6."""
    total = sum(confusion.counts[row])
    return f"{0.6 * confusion.counts[row][column] / total if total else 0:.2f}"


# ---------------------------------------------------------------------------------------------------------------------
# Distributions


def _figures(result: Result, numbers: Numbers) -> Iterator[tuple[str, tuple[Figure, ...]]]:
    """For every metric: its score on the resampled corpora and on the documents, as notched boxes."""
    from adjudge.stats.text import clean

    for number, key in enumerate(numbers.keys[:DRAWN]):
        figures = []
        for documents in (False, True):
            if len(numbers.ids) < 2 or (not documents and numbers.samples is None):
                continue
            found = spreads(result, numbers, key, documents=documents)
            if found:
                figures.append(
                    _boxes(result, numbers, key, found, f"box{number}{'d' if documents else 'c'}", documents)
                )
        if figures:
            yield clean(" ".join(key)), tuple(figures)


def _undrawn(result: Result, numbers: Numbers) -> Iterator[tuple[str, ...]]:
    """The distributions that are not drawn: metric, over what, system, numbers."""
    from adjudge.stats.text import clean

    for key in numbers.keys[DRAWN:] if len(numbers.ids) > 1 else ():
        for documents in (False, True):
            for e in spreads(result, numbers, key, documents=documents):
                said = (
                    clean(" ".join(key)),
                    "documents" if documents else "corpora",
                    clean(result.systems[e.system].name),
                )
                yield (*said, *map(_percent, (e.value, e.low, e.first, e.median, e.third, e.high)))


def _boxes(result: Result, numbers: Numbers, key: Key, found: Sequence[Spread], name: str, documents: bool) -> Figure:
    from markupsafe import Markup

    from adjudge.stats.text import clean

    names = [clean(system.name) for system in result.systems]
    boxes = [Box(names[each.system], *each) for each in found]
    ends = [end for each in found for end in (each.low, each.high, each.value) if end is not None]
    bounded = all(0 <= end <= 1 for end in ends)
    low, high = around(ends, floor=0.0 if bounded else None, ceiling=1.0 if bounded else None)
    said_of = clean(" ".join(key))
    level = 95 if result.options is None else 100 * result.options.level
    if documents:
        what, ends_are = f"{len(numbers.ids)} documents", "the lowest and the highest document"
        remark = "The diamond is the score of all of them."
    else:
        resamples = 0 if numbers.samples is None else numbers.samples.resamples
        what, ends_are = f"{resamples} resampled corpora", f"{level:g} % of the corpora"
        remark = "The diamond is the score itself. The notch is about the number of corpora and is no test."
    title = f"{said_of} on {what}"
    caption = f"Box: quartiles; line: median, with its notch; whiskers: {ends_are}. {remark}"
    header = ("system", *_SPREAD)
    rows = tuple((names[e.system], *map(_percent, (e.value, e.low, e.first, e.median, e.third, e.high))) for e in found)
    said = "; ".join(f"{row[0]}: median {row[4]}, from {row[2]} to {row[6]}" for row in rows)
    chart: Chart = box_plot(name, boxes, Axis("in percent", low, high, 100.0), title=title, description=said)
    return Figure(name, title, caption, Markup(inline(chart)), header, rows)  # noqa: S704  # every text is escaped


# ---------------------------------------------------------------------------------------------------------------------
# Without a script


def _static(
    documents: Documents, sides: Sides, name: str, outcomes: Sequence[SystemDocument]
) -> list[tuple[str, str | None, list[Any]]]:
    """The first documents with the first system: for each metric the items and what became of them."""
    unit = unit_of(documents, sides)
    found = []
    for document, own, (gold, systems) in zip(documents.gold[:STATIC], outcomes[:STATIC], sides[:STATIC], strict=True):
        system = systems[name]
        metrics = [
            (documents.metrics[each.metric], _static_rows(each, gold, system, document, unit)) for each in own.outcomes
        ]
        found.append((document.id, document.text or " ".join(document.tokens) or None, metrics))
    return found


def _static_rows(outcome: Any, gold: Side, system: Side, document: GoldDocument, unit: Unit) -> list[StaticRow]:
    entries = {entry.key: entry for entry in LEGEND}

    def said(side: Side, number: int) -> str:
        kind, text = side.types[number], quoted(side.values[number], document, unit)
        return text if kind is None or kind in text else f"{kind}: {text}"

    scores = outcome.scores or (1.0,) * len(outcome.gold)
    rows = [
        StaticRow(entries["partial" if score < 1 else "correct"], said(gold, g), said(system, s))
        for g, s, score in zip(outcome.gold, outcome.system, scores, strict=True)
    ]
    near = beside(gold, system, outcome)
    rows += [StaticRow(entries["wrong-type"], said(gold, g), said(system, s)) for g, s in near]
    ours, theirs = {g for g, _ in near}, {s for _, s in near}
    rows += [StaticRow(entries["missed"], said(gold, g), "") for g in outcome.missed if g not in ours]
    return rows + [StaticRow(entries["spurious"], "", said(system, s)) for s in outcome.spurious if s not in theirs]
