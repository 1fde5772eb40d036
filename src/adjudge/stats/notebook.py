"""A result as a fragment of HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from adjudge.stats.result import Result, Score
from adjudge.stats.text import Cell, Grid, clean, comparison_grid, footer_fields, note_lines, score_grid, slice_text


def render_html(result: Result) -> str:
    """The table of `render_text` as HTML; nothing from the outside goes in unescaped."""
    parts = [_table(score_grid(result))]
    if result.comparisons:
        parts.append(_table(comparison_grid(result)))
    terms = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in footer_fields(result))
    parts.append(f"<dl>{terms}</dl>")
    notes = "".join(f"<li>{escape(line)}</li>" for line in note_lines(result))
    if notes:
        parts.append(f"<ul>{notes}</ul>")
    return f'<div class="adjudge">{"".join(parts)}</div>'


def scores_html(name: str, scores: Sequence[Score]) -> str:
    """The scores of one system as a table."""
    rows = [
        (score.metric, slice_text(score.slice), score.part, "n/a" if score.value is None else _number(score))
        for score in scores
    ]
    return rows_html(("metric", "slice", "part", name), rows, labels=3)


def rows_html(header: Sequence[str], rows: Sequence[Sequence[str]], *, labels: int = 1, left_out: int = 0) -> str:
    """Rows of text as a table, of which the first columns are labels; `left_out` rows are not shown.

    >>> rows_html(("part", "x"), [("f1", "0.5 < 1")])
    '<div class="adjudge"><table>...<td>0.5 &lt; 1</td></tr></tbody></table></div>'
    """
    cells = tuple(tuple(Cell(clean(cell)) for cell in row) for row in rows)
    more = f"<p>and {left_out} more rows</p>" if left_out else ""
    return f'<div class="adjudge">{_table(Grid(tuple(map(clean, header)), labels, (cells,)))}{more}</div>'


def _number(score: Score) -> str:
    interval = "" if score.low is None or score.high is None else f" [{score.low:.4f}, {score.high:.4f}]"
    return f"{score.value:.4f}{interval}"


def _table(grid: Grid) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in grid.header)
    body = []
    for row in (row for group in grid.groups for row in group):
        labels = "".join(f'<th scope="row">{escape(str(cell))}</th>' for cell in row[: grid.labels])
        numbers = "".join(f"<td>{escape(str(cell))}</td>" for cell in row[grid.labels :])
        body.append(f"<tr>{labels}{numbers}</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"
