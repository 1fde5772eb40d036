"""The shell and the parts that the pages of all tasks share.

A page is one file: style and script stand in it, its data is one JSON island, and a policy in its head lets the browser
load nothing and run nothing but the script that was put in here. A task adds a module in this room that builds its
data, a template that extends `shell.html.j2`, and a style and script of its own:

    render_page("nugget.html.j2", title="Event nuggets", data=data, styles=("nugget.css",), scripts=("nugget.js",), ...)

`shell.html.j2` has the blocks `summary`, `main` (what can be read without a script stands there too) and `footer`.
`parts.html.j2` has macros: `scores` (scores with intervals and a drawing of them), `grid` (any table of a result),
`fields` (names and values), `notes`, `legend` (the meaning of colours and lines; its entries are also filters),
`marked` (a text with nested marks) and `bar` (shares of a whole).

`page.js` has what scripts share, as `adjudge.*`: `data` (the island), `element` (makes elements), `draw` (a text with
marks and search hits), `hits`, `bar`, `keys` (shortcuts and their list) and `state` (what the address remembers).
Colours are variables of `page.css`, one `--k-NAME` for every kind of outcome, light and dark.

Everything that comes from outside is escaped, by the templates (always) and by the script (it never makes markup).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    from adjudge.stats.result import Result, Score
    from adjudge.stats.text import Cell

STYLES = ("page.css",)
SCRIPTS = ("page.js",)


class Entry(NamedTuple):
    """A line of the legend: the name of a kind, what people call it, a sign for tables, and what it means."""

    key: str
    label: str
    sign: str
    meaning: str


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


def render_page(
    template: str, *, title: str, data: Any, styles: Sequence[str] = (), scripts: Sequence[str] = (), **context: Any
) -> str:
    """The whole file. `data` is for the script; everything else that the template needs is `context`."""
    from base64 import b64encode
    from hashlib import sha256

    from markupsafe import Markup

    from adjudge._version import __version__

    style = "\n".join(asset(name) for name in (*STYLES, *styles))
    script = "\n".join(asset(name) for name in (*SCRIPTS, *scripts))
    # Browsers that know hashes take the hash and forget 'unsafe-inline', which is for those that do not.
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return (
        environment()
        .get_template(template)
        .render(
            title=title,
            version=__version__,
            style=Markup(style),  # noqa: S704  # files of this package
            script=Markup(script),  # noqa: S704
            digest=digest,
            island=island(data),
            **context,
        )
    )


def environment() -> Environment:
    """The templates; a name that they do not know is an error, and everything is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("adjudge.report.html"),
        autoescape=True,
        undefined=StrictUndefined,
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
    return Markup(text)  # noqa: S704  # there is no markup left in it


def score_table(result: Result) -> ScoreTable:
    """The scores of the whole corpus as a table."""
    from adjudge.stats.measure import COUNT_PARTS, count_keys
    from adjudge.stats.text import clean, score_cell

    counts = count_keys(result.measures)
    plain = {*COUNT_PARTS, "count", "tp", "fp", "fn"}
    scores = [(system.name, score) for system in result.systems for score in system.scores if not score.slice]
    parts = tuple(dict.fromkeys(score.part for _, score in scores))
    found = {(name, score.metric, score.part): score for name, score in scores}
    metrics, ahead = [], dict[str, None]()
    for metric in dict.fromkeys(score.metric for _, score in scores):
        rows = []
        for system in result.systems:
            mine = [found.get((system.name, metric, part)) for part in parts]
            ratios = [each for each in mine if each and each.part not in plain and (metric, each.part) not in counts]
            last = ratios[-1] if ratios else None
            cells = tuple(ScoreCell(*_texts(score_cell(each, counts))) for each in mine)
            headline = ScoreCell(*_texts(score_cell(last, counts)))
            if last is not None:
                ahead[clean(last.part)] = None
            rows.append(ScoreRow(clean(system.name), cells, headline, None if last is None else _drawn(last)))
        metrics.append((clean(metric), tuple(rows)))
    systems = tuple(clean(system.name) for system in result.systems)
    return ScoreTable(systems, tuple(clean(part) for part in parts), " or ".join(ahead), tuple(metrics))


def _texts(cell: Cell) -> tuple[str, str]:
    return cell.head, cell.tail


def _drawn(score: Score) -> tuple[float, float, float] | None:
    """A value and its interval in percent, if it can be drawn between 0 and 100."""
    if score.value is None or not 0 <= score.value <= 1:
        return None
    low, high = (score.value if each is None else min(max(each, 0), 1) for each in (score.low, score.high))
    return round(100 * score.value, 2), round(100 * low, 2), round(100 * high, 2)
