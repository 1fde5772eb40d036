"""A result as a fragment of HTML, for notebooks."""

from __future__ import annotations

from html import escape

from adjudge.stats.result import Result
from adjudge.stats.text import Grid, comparison_grid, footer_fields, note_lines, score_grid


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


def _table(grid: Grid) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in grid.header)
    body = []
    for row in (row for group in grid.groups for row in group):
        labels = "".join(f'<th scope="row">{escape(str(cell))}</th>' for cell in row[: grid.labels])
        numbers = "".join(f"<td>{escape(str(cell))}</td>" for cell in row[grid.labels :])
        body.append(f"<tr>{labels}{numbers}</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"
