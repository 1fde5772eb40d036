"""The shell and the parts that the pages of all tasks share.

A page is one file: style and script stand in it, its data is one JSON island, and a policy in its head lets the browser
load nothing, apply no style and run no script but those that were put in here. A task adds a module in this room that
builds its data, a template that extends `shell.html.j2`, and a style and script of its own:

    render_page("nugget.html.j2", title="Event nuggets", data=data, styles=("nugget.css",), scripts=("nugget.js",), ...)

`shell.html.j2` has the blocks `summary`, `main` (what can be read without a script stands there too) and `footer`.
`parts.html.j2` has macros: `scores` (scores with intervals and a drawing of them), `grid` (any table of a result),
`figure` (a chart with its numbers as a table), `fields` (names and values), `notes`, `legend` (the meaning of colours
and lines; its entries are also filters), `marked` (a text with nested marks) and `bar` (shares of a whole). No template
may write a `style` attribute: the policy forbids it.

`page.js` has what scripts share, as `adjudge.*`: `data` (the island), `element` (makes elements), `shape` (makes those
of drawings), `draw` (a text with marks and search hits), `hits`, `bar`, `keys` (shortcuts and their list), `state`
(what the address remembers), and downloads for every `figure` and table with a `data-file`. `browse.js` has the list of
documents with its filters, and what one does in a document. Colours are variables of `page.css`, one `--k-NAME` for
every kind of outcome, light and dark.

Everything that comes from outside is escaped, by the templates (always) and by the script (it never makes markup); what
a browser would obey instead of showing is written as an escape by both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    from adjudge.report.html.charts import Chart
    from adjudge.stats.measure import Key
    from adjudge.stats.result import Result, Score
    from adjudge.stats.text import Cell

STYLES = ("page.css",)
SCRIPTS = ("page.js",)
_OBEYED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_LONE = re.compile("[\ud800-\udfff]")


class Entry(NamedTuple):
    """A line of the legend: the name of a kind, what people call it, a sign for tables, and what it means."""

    key: str
    label: str
    sign: str
    meaning: str


class Figure(NamedTuple):
    """A chart as markup, what it shows, and the same as a table; `name` is that of its files."""

    name: str
    title: str
    caption: str
    svg: Markup
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class ScoreCell(NamedTuple):
    """A value as text, and its interval."""

    value: str
    interval: str = ""


class ScoreRow(NamedTuple):
    """The parts of one metric for one system; the last one that is no count is its `headline`.

    `drawn` is the headline and its interval in percent, if they can be drawn.
    """

    system: str
    cells: tuple[ScoreCell, ...]
    headline: ScoreCell
    drawn: tuple[float, float, float] | None


class ScoreTable(NamedTuple):
    """The scores of all systems: every metric with a row for each system. `headline` names the parts that are ahead."""

    systems: tuple[str, ...]
    parts: tuple[str, ...]
    headline: str
    metrics: tuple[tuple[str, tuple[ScoreRow, ...]], ...]
    head: str = "metric"


def render_page(
    template: str, *, title: str, data: Any, styles: Sequence[str] = (), scripts: Sequence[str] = (), **context: Any
) -> str:
    """The whole file. `data` is for the script; everything else that the template needs is `context`."""
    from markupsafe import Markup

    from adjudge._version import __version__

    style = "\n".join(asset(name) for name in (*STYLES, *styles))
    script = "\n".join(asset(name) for name in (*SCRIPTS, *scripts))
    return (
        environment()
        .get_template(template)
        .render(
            title=title,
            version=__version__,
            style=Markup(style),  # noqa: S704  # files of this package
            script=Markup(script),  # noqa: S704
            policy=Markup(policy(style, script)),  # noqa: S704
            island=island(data),
            **context,
        )
    )


def policy(style: str, script: str) -> str:
    """The Content-Security-Policy of a page: this style and this script, and nothing else from anywhere.

    >>> policy("", "").split("; ")[0]
    "default-src 'none'"
    """
    from base64 import b64encode
    from hashlib import sha256

    ours = [f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in (style, script)]
    return (
        f"default-src 'none'; style-src {ours[0]}; script-src {ours[1]}; base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )


def figure(chart: Chart, caption: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> Figure:
    """A chart for a page, with its numbers."""
    from markupsafe import Markup

    from adjudge.report.html.charts import inline

    drawn = Markup(inline(chart))  # noqa: S704  # every text in it is escaped
    return Figure(chart.name, chart.title, caption, drawn, tuple(header), tuple(map(tuple, rows)))


def shown(value: Any) -> Any:
    r"""A text in which everything that a browser would obey, or not show at all, is written as an escape.

    >>> print(shown("a\x00b\u202ec"), shown(1))
    a\x00b\u202ec 1
    """
    if type(value) is not str or value.isprintable():
        return value
    return _OBEYED.sub(lambda found: found[0].encode("unicode_escape").decode(), value)


def environment() -> Environment:
    """The templates; a name that they do not know is an error, and everything is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("adjudge.report.html"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def asset(name: str) -> str:
    """A style or script of this package."""
    from importlib.resources import files

    return (files("adjudge.report.html") / "assets" / name).read_text(encoding="utf-8")


def island(data: Any) -> Markup:
    r"""Data as JSON that can stand in a script element: nothing in it ends the element or begins a comment.

    >>> print(island({"text": "</script><!--"}))
    {"text":"\u003c/script\u003e\u003c!--"}
    """
    import json

    from markupsafe import Markup

    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    text = _LONE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)  # no file can hold them as they are
    return Markup(text)  # noqa: S704  # there is no markup left in it


def score_table(result: Result) -> ScoreTable:
    """The scores of the whole corpus as a table."""
    from adjudge.stats.measure import count_keys
    from adjudge.stats.text import clean

    counts = count_keys(result.measures)
    scores = [(system.name, score) for system in result.systems for score in system.scores if not score.slice]
    parts = tuple(dict.fromkeys(score.part for _, score in scores))
    found = {(name, score.metric, score.part): score for name, score in scores}
    metrics, ahead = [], dict[str, None]()
    for metric in dict.fromkeys(score.metric for _, score in scores):
        rows = []
        for system in result.systems:
            row, part = score_row(system.name, [found.get((system.name, metric, part)) for part in parts], counts)
            rows.append(row)
            ahead |= {part: None} if part else {}
        metrics.append((clean(metric), tuple(rows)))
    systems = tuple(clean(system.name) for system in result.systems)
    return ScoreTable(systems, tuple(clean(part) for part in parts), " or ".join(ahead), tuple(metrics))


def score_row(system: str, scores: Sequence[Score | None], counts: frozenset[Key]) -> tuple[ScoreRow, str]:
    """The parts of one metric for one system, and which one is its headline: the last that is no count, if any."""
    from adjudge.stats.measure import COUNT_PARTS
    from adjudge.stats.text import clean, score_cell

    plain = {*COUNT_PARTS, "count", "tp", "fp", "fn"}
    known = [each for each in scores if each is not None]
    ratios = [each for each in known if each.part not in plain and (each.metric, each.part) not in counts]
    last = ratios[-1] if ratios else known[-1] if known else None
    cells = tuple(ScoreCell(*_texts(score_cell(each, counts))) for each in scores)
    headline = ScoreCell(*_texts(score_cell(last, counts)))
    drawn = _drawn(ratios[-1]) if ratios else None
    return ScoreRow(clean(system), cells, headline, drawn), clean(ratios[-1].part) if ratios else ""


def _texts(cell: Cell) -> tuple[str, str]:
    return cell.head, cell.tail


def _drawn(score: Score) -> tuple[float, float, float] | None:
    """A value and its interval in percent, if it can be drawn between 0 and 100."""
    if score.value is None or not 0 <= score.value <= 1:
        return None
    low, high = (score.value if each is None else min(max(each, 0), 1) for each in (score.low, score.high))
    return round(100 * score.value, 2), round(100 * low, 2), round(100 * high, 2)
