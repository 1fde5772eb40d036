"""What notebooks show: tables and marked texts as fragments of HTML, in light and in dark.

There are no scripts, and no links but to a page that was written here; all text from outside is escaped. Colours are
those of the notebook, or half transparent.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from adjudge.stats.text import (
    Cell,
    Grid,
    clean,
    comparison_grid,
    footer_fields,
    note_lines,
    score_grid,
    shows_pairs,
    slice_text,
)

if TYPE_CHECKING:
    from adjudge.stats.result import Comparison, Result, Score

STYLE = (
    "<style>.adjudge{color-scheme:light dark}.adjudge table{border-collapse:collapse;margin:.4em 0}"
    ".adjudge th,.adjudge td{padding:.2em .6em;text-align:right;border-bottom:1px solid rgba(128,128,128,.3)}"
    ".adjudge th[scope=row]{text-align:left;font-weight:normal}.adjudge dl{display:grid;grid-template-columns:auto 1fr;"
    "gap:0 1em;font-size:85%;opacity:.8}.adjudge dd{margin:0;overflow-wrap:anywhere}"
    ".adjudge mark{background:rgba(80,140,255,.28);color:inherit;border-radius:.2em;padding:0 .15em}"
    ".adjudge mark small{opacity:.75;margin-left:.3em}.adjudge pre{white-space:pre-wrap}</style>"
)
_ITEMS = ("entities", "mentions")
_MOST = 600  # characters of a document that are shown


def framed(*parts: str) -> str:
    """Parts of HTML in one element, with their style."""
    return f'<div class="adjudge">{"".join(parts)}{STYLE}</div>'


def result_html(result: Result, page: str | None = None) -> str:
    """Ranking, intervals, significance, notes, and a link to the page if one was written."""
    from adjudge.stats.text import elsewhere, field_grids

    grids = [score_grid(result, ranked=True, leave_out=elsewhere(result)), *field_grids(result)]
    if shows_pairs(result, pairs=False):
        grids.append(comparison_grid(result))
    elif result.comparisons:
        grids.append(comparison_grid(_with_the_best(result)))
    terms = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in footer_fields(result))
    notes = "".join(f"<li>{escape(line)}</li>" for line in note_lines(result))
    link = "" if page is None else f'<p><a href="{escape(page)}">open report</a></p>'
    return framed(*map(table, grids), f"<dl>{terms}</dl>", f"<ul>{notes}</ul>" if notes else "", link)


def _with_the_best(result: Result) -> Result:
    """The result with the comparisons of the first system of each metric with all others, on all documents."""
    import msgspec

    first = {each.metric: each.system for each in reversed(result.ranking) if each.rank == 1}
    chosen = [
        each for each in result.comparisons if not each.slice and first.get(each.metric, each.a) in (each.a, each.b)
    ]
    return msgspec.structs.replace(result.signed(), comparisons=tuple(chosen))


def comparison_html(comparison: Comparison) -> str:
    """One comparison: the difference with its interval, and its p values."""
    rows = [("difference", _signed(comparison.difference, comparison.low, comparison.high))]
    numbers = {"p": comparison.p, "p (Holm)": comparison.p_holm, "q": comparison.q, "wins": comparison.wins}
    rows += [(name, f"{value:.4f}") for name, value in numbers.items() if value is not None]
    known = {"test": comparison.test, "documents": comparison.documents, "slice": slice_text(comparison.slice)}
    rows += [(name, str(value)) for name, value in known.items() if value is not None]
    return rows_html((f"{comparison.metric} {comparison.part}", f"{comparison.a} - {comparison.b}"), rows)


def _signed(value: float | None, low: float | None, high: float | None) -> str:
    if value is None:
        return "n/a"
    return f"{value:+.4f}" + ("" if low is None or high is None else f" [{low:+.4f}, {high:+.4f}]")


def alignment_html(matched: Iterable[Any], missed: Iterable[Any], spurious: Iterable[Any]) -> str:
    """What is matched, missed and spurious: paths and values of both sides."""
    rows = [
        (f"{each.score:.2g}", each.gold_path, _value(each.gold), each.system_path, _value(each.system))
        for each in matched
    ]
    rows += [("missed", each.path, _value(each.value), "", "") for each in missed]
    rows += [("spurious", "", "", each.path, _value(each.value)) for each in spurious]
    return rows_html(("score", "gold", "", "system", ""), rows, labels=5)


def _value(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= _MOST else f"{text[: _MOST - 1]}…"


def text_html(*texts: str) -> str:
    """Texts as they are, each in a block."""
    return framed(*(f"<pre>{escape(_lines(text))}</pre>" for text in texts))


def _lines(text: str) -> str:
    return "\n".join(clean(line) for line in text.split("\n"))


def corpus_html(documents: Sequence[Mapping[str, Any]], number: int, reading: str) -> str:
    """The first documents of a corpus, with their spans marked, and how it was read."""
    parts = [f"<p>{escape(clean(line))}</p>" for line in reading.split("\n")]
    for each in documents:
        shown = _marked(each)
        parts.append(f"<p><strong>{escape(clean(str(each['id'])))}</strong> {shown}</p>")
    left = number - len(documents)
    parts += [f"<p>and {left} more documents</p>"] if left > 0 else []
    return framed(*parts)


def _marked(document: Mapping[str, Any]) -> str:
    """A text with its spans marked, if it has both; else the document as it is."""
    items = next((document[name] for name in _ITEMS if isinstance(document.get(name), list)), None)
    words = document.get("tokens")
    text = document.get("text")
    pieces: Sequence[str] | None = text if isinstance(text, str) else words if isinstance(words, list) else None
    spans = [each for each in items or () if isinstance(each, Mapping) and isinstance(each.get("span"), Mapping)]
    if pieces is None or items is None or len(spans) < len(items):
        rest = {name: value for name, value in document.items() if name != "id"}
        return escape(clean(_value(rest)))
    gap = "" if isinstance(pieces, str) else " "
    found, done = [], 0
    for each in sorted(spans, key=lambda one: (one["span"]["start"], -one["span"]["end"])):
        start, end = each["span"]["start"], each["span"]["end"]
        if start < done or end > len(pieces):
            continue  # inside another one, or outside the text
        found.append(escape(clean(gap.join(pieces[done:start]))))
        kind = escape(clean(str(each.get("type") or each.get("entity") or "")))
        found.append(f"<mark>{escape(clean(gap.join(pieces[start:end])))}<small>{kind}</small></mark>")
        done = end
    found.append(escape(clean(gap.join(pieces[done : done + _MOST]))))
    return gap.join(each for each in found if each)


def scores_html(name: str, scores: Sequence[Score]) -> str:
    """The scores of one system as a table."""
    rows = [
        (score.metric, slice_text(score.slice), score.part, "n/a" if score.value is None else repr(score.estimate()))
        for score in scores
    ]
    return rows_html(("metric", "slice", "part", name), rows, labels=3)


def rows_html(header: Sequence[str], rows: Sequence[Sequence[str]], *, labels: int = 1, left_out: int = 0) -> str:
    """Rows of text as a table, of which the first columns are labels; `left_out` rows are not shown.

    >>> rows_html(("part", "x"), [("f1", "0.5 < 1")])
    '<div class="adjudge"><table>...<td>0.5 &lt; 1</td></tr></tbody></table>...</div>'
    """
    cells = tuple(tuple(Cell(clean(cell)) for cell in row) for row in rows)
    more = f"<p>and {left_out} more rows</p>" if left_out else ""
    return framed(table(Grid(tuple(map(clean, header)), labels, (cells,))), more)


def table(grid: Grid) -> str:
    """A grid of cells as a table."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in grid.header)
    body = []
    for row in (row for group in grid.groups for row in group):
        labels = "".join(f'<th scope="row">{escape(str(cell))}</th>' for cell in row[: grid.labels])
        numbers = "".join(f"<td>{escape(str(cell))}</td>" for cell in row[grid.labels :])
        body.append(f"<tr>{labels}{numbers}</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"
