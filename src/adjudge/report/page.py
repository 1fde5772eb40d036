"""The page of any saved result: one file with its style, script and data, which opens nothing else.

A policy in its head lets the browser load nothing, apply no style and run no script but those that were put in here.
Everything that comes from outside is escaped, by the template (always) and by the script (it never makes markup); what
a browser would obey instead of showing is written as an escape by both. No template may write a `style` attribute.

`assets/page.js` has what all parts share: elements, tabs with addresses, switches between tables, shortcuts, and
downloads for every `data-file`; `leaves.js` makes the tables of records, `documents.js` shows documents, `scatter.js`
compares two systems. What can be read without a script stands in the template.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from adjudge.report.charts import cell_text, inline, panel_chart
from adjudge.report.curves import curves, numbers_of, spreads
from adjudge.report.documents import island_of, told_documents
from adjudge.report.mistakes import OUTCOMES, mistakes
from adjudge.report.overview import headline, headline_keys, matrices, rankings, slices

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    from adjudge.stats.panel import Panel
    from adjudge.stats.result import Result
    from adjudge.stats.text import Grid

STYLES = ("page.css", "documents.css")
SCRIPTS = ("page.js", "leaves.js", "documents.js", "scatter.js")
EARLY = 'document.documentElement.classList.remove("still");'
"""Before anything is drawn: the page has a script, so that tabs need not stand below each other."""
STATIC = 10
"""Documents that can be read without a script."""
BROAD = 80
"""Letters of a cell from which on a table has all of the width."""
_NAMED = 3  # metrics in a title
PAIRS = 1000
SLICED = 3000
"""Rows of differences, and of all scores on slices; the rest is in the result."""
MEANING = {
    "correct": ("✓", "gold and system agree"),
    "partial": ("½", "matched, but not for all of the credit"),
    "wrong": ("≠", "stands for a gold item, but earns nothing: another label or value"),
    "missed": ("−", "a gold item without a counterpart"),
    "spurious": ("+", "a system item without a counterpart"),
    "ignored": ("·", "a system item that does not count"),
}
_OBEYED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_LONE = re.compile("[\ud800-\udfff]")


class Shown(NamedTuple):
    """A panel as the template needs it: its chart as markup, its rows as text, and whether it needs much width."""

    panel: Panel
    svg: Markup | None
    numbers: tuple[bool, ...]
    rows: tuple[tuple[str, ...], ...]
    broad: bool


def render_result(result: Result, *, title: str = "") -> str:
    """The page of a result, as a whole HTML file; without a title it is named after the task and the metrics.

    >>> from adjudge.tasks.scoring import score
    >>> gold, system = [{"id": "d1", "items": ["a", "b"]}], [{"id": "d1", "items": ["a"]}]
    >>> page = render_result(score("record.set", gold, system, bootstrap=0, documents=True))
    >>> page.startswith("<!doctype html>"), "record.set" in page
    (True, True)
    """
    from markupsafe import Markup

    from adjudge._version import __version__
    from adjudge.stats.text import clean, field_grids, footer_fields, note_lines, official_grids

    numbers = numbers_of(result)
    keys = [key for key in headline_keys(result) if key in numbers.values]
    island = island_of(result, numbers.ids, {key: numbers.values[key] for key in keys})
    systems = [clean(system.name) for system in result.systems]
    panels = (*curves(result), *result.panels)
    style = "\n".join(asset(name) for name in STYLES)
    script = "\n".join(asset(name) for name in SCRIPTS)
    template = environment().get_template("page.html.j2")
    return template.render(
        title=title or named(result, [metric for metric, _ in headline_keys(result)]),
        version=__version__,
        style=Markup(style),  # noqa: S704  # files of this package
        early=Markup(EARLY),  # noqa: S704
        script=Markup(script),  # noqa: S704
        policy=Markup(policy(style, EARLY, script)),  # noqa: S704
        systems=systems,
        headline=headline(result),
        rankings=list(rankings(result)),
        fields_of=field_grids(result),
        scores=_whole(result),
        board=official_grids(result, pairs=True),
        matrices=list(matrices(result)),
        pairs=_pairs(result, sliced=False),
        sliced_pairs=_pairs(result, sliced=True),
        slices=list(slices(result)),
        sliced=_sliced(result),
        spreads=_shown(spreads(result, numbers), systems),
        scattered=len(systems) > 1 and len(numbers.ids) > 1,
        mistakes={metric: _apart(found, systems) for metric, found in mistakes(result).items()},
        panels=_apart(panels, systems),
        listed=bool(island.head["ids"]),
        browsed=bool(island.head["metrics"]),
        legend=[(outcome, *MEANING[outcome]) for outcome in OUTCOMES],
        static=list(told_documents(result, STATIC)),
        fields=footer_fields(result),
        notes=note_lines(result),
        head=as_json(island.head),
        documents=as_lines(island.documents),
        values=as_lines(island.scores),
        counts=as_lines(island.counts),
    )


# ---------------------------------------------------------------------------------------------------------------------
# Tables and panels


def _whole(result: Result) -> Grid:
    """All parts of all scores on the whole corpus."""
    from adjudge.stats.text import elsewhere, score_grid

    return _rows_where(score_grid(result, ranked=True, leave_out=elsewhere(result)), sliced=False)


def _sliced(result: Result) -> Grid | None:
    from adjudge.stats.text import elsewhere, score_grid

    leave_out = elsewhere(result)
    if not any(score.slice and not leave_out(score) for system in result.systems for score in system.scores):
        return None
    return _rows_where(score_grid(result, leave_out=leave_out), sliced=True)


def _rows_where(grid: Grid, *, sliced: bool) -> Grid:
    groups, left = [], SLICED
    for rows, keys in zip(grid.groups, grid.keys, strict=True):
        kept = tuple(row for row, (_, where, _) in zip(rows, keys, strict=True) if bool(where) is sliced)[:left]
        left -= len(kept)
        groups.append(kept)
    return msgspec.structs.replace(grid, groups=tuple(group for group in groups if group), keys=())


def _pairs(result: Result, *, sliced: bool) -> Grid | None:
    from adjudge.stats.text import comparison_grid

    own = tuple(each for each in result.comparisons if bool(each.slice) is sliced)
    return comparison_grid(msgspec.structs.replace(result.signed(), comparisons=own), limit=PAIRS) if own else None


def _shown(panels: Iterable[Panel], systems: list[str]) -> list[Shown]:
    from markupsafe import Markup

    found = []
    for panel in panels:
        chart = panel_chart(panel, systems)
        svg = None if chart is None else Markup(inline(chart))  # noqa: S704  # every text in it is escaped
        numbers = tuple(
            bool(panel.rows) and not any(isinstance(row[at], str) for row in panel.rows)
            for at in range(len(panel.header))
        )
        rows = tuple(tuple(cell_text(cell, percent=panel.percent) for cell in row) for row in panel.rows)
        broad = svg is None and any(len(cell) > BROAD for row in rows for cell in row)
        found.append(Shown(panel, svg, numbers, rows, broad))
    return found


def _apart(panels: Iterable[Panel], systems: list[str]) -> list[tuple[str, list[Shown]]]:
    """Panels of all systems, and then those of each."""
    found: dict[str, list[Panel]] = {}
    for panel in panels:
        found.setdefault(panel.system, []).append(panel)
    return [(system, _shown(found[system], systems)) for system in sorted(found, key=bool)]


# ---------------------------------------------------------------------------------------------------------------------
# The file


def policy(style: str, *scripts: str) -> str:
    """The Content-Security-Policy of a page: this style and these scripts, and nothing else from anywhere.

    >>> policy("", "").split("; ")[0]
    "default-src 'none'"
    """
    from base64 import b64encode
    from hashlib import sha256

    ours = [f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in (style, *scripts)]
    return (
        f"default-src 'none'; style-src {ours[0]}; script-src {' '.join(ours[1:])}; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def shown(value: Any) -> Any:
    r"""A text in which everything that a browser would interpret, or not show, is escaped.

    >>> print(shown("a\x00b\u202ec"), shown(1))
    a\x00b\u202ec 1
    """
    if type(value) is not str or value.isprintable():
        return value
    return _OBEYED.sub(lambda found: found[0].encode("unicode_escape").decode(), value)


def environment() -> Environment:
    """The template; a name that it does not know is an error, and everything is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("adjudge.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def asset(name: str) -> str:
    """A style or script of this package."""
    from importlib.resources import files

    return (files("adjudge.report") / "assets" / name).read_text(encoding="utf-8")


def as_json(data: Any) -> Markup:
    r"""Data as JSON for a script element: nothing in it ends the element or begins a comment.

    >>> print(as_json({"text": "</script><!--"}))
    {"text":"\u003c/script\u003e\u003c!--"}
    """
    import json

    from markupsafe import Markup

    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    text = _LONE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)  # no file can hold them as they are
    return Markup(text)  # noqa: S704  # there is no markup left in it


def as_lines(data: Iterable[Any]) -> Markup:
    """Each on a line of its own."""
    from markupsafe import Markup

    return Markup("\n").join(map(as_json, data))


# ---------------------------------------------------------------------------------------------------------------------
# Pages as files


class Page(str):
    """The path of a page; a notebook shows the page itself, without its script."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        from html import escape
        from pathlib import Path

        text = Path(self).read_text(encoding="utf-8")
        link = f'<p><a href="{escape(Path(self).absolute().as_uri())}">open report</a></p>'
        return f'{link}<iframe sandbox="" width="100%" height="600" srcdoc="{escape(text)}"></iframe>'


def named(result: Result, metrics: Sequence[str]) -> str:
    """The task of a result and its first metrics, without the task before their names; metrics of several in full.

    >>> from adjudge.tasks.scoring import score
    >>> named(score("ner", [["B-PER"]], [["O"]], bootstrap=0), ["ner.strict", "ner.exact"])
    'ner: strict, exact'
    """
    from adjudge.stats.text import clean

    tasks = {each.rpartition(".")[0] for each in metrics} if result.task == "score" else {result.task}
    task = tasks.pop() if len(tasks) == 1 else ""
    first = ", ".join(each.removeprefix(f"{task}.") for each in metrics[:_NAMED])
    return clean(f"{task}{': ' * bool(task and first)}{first}{', ...' * (len(metrics) > _NAMED)}") or "Report"


def write_page(result: Result, path: str | os.PathLike[str] | None = None) -> Page:
    """Write the page of a result to a file, a temporary one if none is named."""
    from adjudge.files import write_atomically

    text = render_result(result).encode("utf-8", "backslashreplace")
    if path is None:
        with tempfile.NamedTemporaryFile(prefix="adjudge-", suffix=".html", delete=False) as file:
            file.write(text)
        return Page(file.name)
    write_atomically(path, text)
    return Page(os.fspath(path))


def shown_page(result: Result) -> str | None:
    """The address of a page for a notebook to link to, written once per result and removed when the program ends."""
    import atexit
    from pathlib import Path

    known = result.__dict__.get("_page")
    if known is None:
        try:
            known = write_page(result)
        except OSError:
            return None  # there is no place for it
        result.__dict__["_page"] = known
        atexit.register(Path(known).unlink, missing_ok=True)
    return Path(known).absolute().as_uri()
