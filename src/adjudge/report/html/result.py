"""The page of any result: scores, comparisons, distributions, slices, confusions, and every document.

Nothing is scored again. The numbers are those of the result; distributions and ranks are recomputed from its tables,
and what became of every item is shown if the result was saved with its documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from adjudge.report.html.charts import Box, box_plot
from adjudge.report.html.charts_matrix import confusion_matrix
from adjudge.report.html.charts_plot import Axis, around
from adjudge.report.html.page import (
    Entry,
    Figure,
    ScoreTable,
    figure,
    island,
    render_page,
    score_row,
    score_table,
)
from adjudge.report.html.result_data import Numbers, Spread, island_of, numbers_of, ranks, spreads
from adjudge.report.html.result_graphs import graphs_of_result
from adjudge.report.html.result_items import (
    Confusion,
    Documents,
    GoldDocument,
    Side,
    Sides,
    SystemDocument,
    Unit,
    beside,
    confusions,
    documents_of,
    quoted,
    sides_of,
    unit_of,
)

if TYPE_CHECKING:
    from adjudge.stats.measure import Key
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
_ELSEWHERE = {
    "coref": "Clusters are compared as wholes and have no items here.",
    "nugget": "What became of every nugget is on the page of adjudge nugget report.",
    "eal": "What became of every response is on the page of adjudge eal report.",
    "kbp": "What became of paths and facts is on the page of adjudge kbp report.",
}
_SPREAD = ("score", "low", "first quartile", "median", "third quartile", "high")


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

    from adjudge.stats.text import clean, footer_fields, note_lines

    numbers = numbers_of(result)
    documents, outcomes = documents_of(result)
    browsed = documents is not None and bool(documents.metrics) and bool(outcomes)
    sides = [] if documents is None else sides_of(documents, outcomes)
    data, every = island_of(result, numbers, (documents, outcomes), sides)
    return render_page(
        "result.html.j2",
        title=title,
        data=data | {"kinds": [{"key": entry.key, "label": entry.label} for entry in LEGEND]},
        lines=Markup("\n").join(island(each) for each in every),
        styles=("charts.css", "browse.css", "result.css"),
        scripts=("browse.js", "result.js", "result_scatter.js"),
        task=clean(result.task),
        systems=[clean(system.name) for system in result.systems],
        documents=max((system.documents for system in result.systems), default=0),
        table=score_table(result),
        comparisons=_comparisons(result, sliced=False),
        sliced_comparisons=_comparisons(result, sliced=True),
        board=None,
        ranking=_rank_tables(result, numbers),
        slices=list(_slice_tables(result)),
        figures=list(_figures(result, numbers)),
        spread=("score of", "over", "system", *_SPREAD),
        undrawn=list(_undrawn(result, numbers)),
        scattered=len(result.systems) > 1 and len(numbers.ids) > 1,
        graphs=graphs_of_result(result),
        confusions=[] if documents is None else _matrices(confusions(documents.levels, sides)),
        legend=LEGEND,
        browsed=browsed,
        elsewhere=_ELSEWHERE.get(result.task, ""),
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
    from adjudge.stats.measure import count_keys
    from adjudge.stats.text import clean, slice_key, slice_text

    counts = count_keys(result.measures)
    places: dict[str, dict[Any, str]] = {}
    found: dict[tuple[Any, ...], Score] = {}
    parts: dict[str, None] = {}
    for system in result.systems:
        for score in system.scores:
            if score.slice:
                key, field = slice_key(score.slice), ", ".join(score.slice)
                places.setdefault(field, {})[key] = slice_text(score.slice).removeprefix(f"{field}=")
                found[system.name, score.metric, key, score.part] = score
                parts[score.part] = None
    names = tuple(clean(system.name) for system in result.systems)
    for field, values in places.items():
        for metric in dict.fromkeys(score.metric for system in result.systems for score in system.scores):
            rows, ahead = [], dict[str, None]()
            for key, said in values.items():
                row = []
                for system in result.systems:
                    mine, part = score_row(
                        system.name, [found.get((system.name, metric, key, part)) for part in parts], counts
                    )
                    row.append(mine)
                    ahead |= {part: None} if part else {}
                if any(cell.value for one in row for cell in one.cells):
                    rows.append((clean(said), tuple(row)))
            if rows:
                table = ScoreTable(names, tuple(map(clean, parts)), " or ".join(ahead), tuple(rows), clean(field))
                yield SliceTable(clean(field), clean(metric), table)


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


def _matrices(found: Sequence[Confusion]) -> list[tuple[str, list[Figure]]]:
    """For every level, the types of gold against those of each system, drawn and as a table."""
    from adjudge.stats.text import clean

    levels: dict[str, list[Figure]] = {}
    for number, each in enumerate(found, 1):
        level, system = each.level.replace("[*]", ""), clean(each.system)
        rows, columns = (tuple(clean(name) for name in names) for names in (each.rows, each.columns))
        gold = sum(map(sum, each.counts[:-1]))
        same = sum(each.counts[at][at] for at in range(len(rows)))
        others = sorted(
            (-count, rows[row], columns[column])
            for row, counts in enumerate(each.counts)
            for column, count in enumerate(counts)
            if count and row != column
        )
        said = f"{same} of {gold} gold items have their type at their place"
        listed = [f"{count} {one} as {other}" for count, one, other in ((-n, a, b) for n, a, b in others[:5])]
        chart = confusion_matrix(
            f"types-{number}",
            rows,
            columns,
            each.counts,
            title=f"{system}: types of {level}",
            description="; ".join([said, *listed]),
        )
        table = [(name, *(str(count) for count in counts)) for name, counts in zip(rows, each.counts, strict=True)]
        levels.setdefault(level, []).append(figure(chart, f"{said}.", ("gold", *columns), table))
    return list(levels.items())


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
        resamples = 0 if numbers.samples is None or result.options is None else result.options.bootstrap
        what, ends_are = f"{resamples} resampled corpora", f"{level:g} % of the corpora"
        remark = "The diamond is the score itself. The notch is about the number of corpora and is no test."
    title = f"{said_of} on {what}"
    caption = f"Box: quartiles; line: median, with its notch; whiskers: {ends_are}. {remark}"
    header = ("system", *_SPREAD)
    rows = tuple((names[e.system], *map(_percent, (e.value, e.low, e.first, e.median, e.third, e.high))) for e in found)
    said = "; ".join(f"{row[0]}: median {row[4]}, from {row[2]} to {row[6]}" for row in rows)
    chart = box_plot(name, boxes, Axis("in percent", low, high, 100.0), title=title, description=said)
    return figure(chart, caption, header, rows)


# ---------------------------------------------------------------------------------------------------------------------
# Without a script


def _static(
    documents: Documents, sides: Sides, name: str, outcomes: Sequence[SystemDocument]
) -> list[tuple[str, str | None, list[Any]]]:
    """The first documents with the first system: for each metric the items and what became of them."""
    unit = unit_of(documents)
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
