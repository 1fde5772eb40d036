"""A board as a page, CSV, JSON and LaTeX: the same bytes from the server and in a folder for any web server.

Pages know nobody: they have no names of those who look, no scripts, and relative links only. The address of a file is
`TRACK/PHASE/NAME`, below `/boards/` or the folder.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from adjudge.report.tables import Table, csv_rows, escape_latex, latex_table
from adjudge.serve.boards import Board, Line, Tab

TYPES = {".html": "text/html", ".csv": "text/csv", ".json": "application/json", ".tex": "text/x-tex"}
TYPES |= {".css": "text/css", ".svg": "image/svg+xml"}
SHARED = ("board.css", "icon.svg")
"""What all boards use; it is above them."""
_LINE = ("ranks", "band", "team", "run", "value", "low", "high", "beats_next", "unranked")
_FIELDS = ("view", "score", "slice", *_LINE, "difference", "p", "q", "bound")


def board_files(board: Board, server: str, more: Mapping[str, bytes] | None = None) -> dict[str, bytes]:
    """Every file of a board by name; `more` are further ones that the page links, such as a manifest."""
    extra = dict(more or {})
    made = {
        "index.html": _page(board, "best", server, extra),
        "all.html": _page(board, "all", server, extra),
        "board.csv": board_csv(board),
        "board.json": board_json(board),
        "board.tex": board_latex(board),
    }
    return {name: text.encode() for name, text in made.items()} | extra


def index_page(server: str, boards: Iterable[tuple[str, str, str]]) -> bytes:
    """The list of boards: tracks, phases, and what is shown of them."""
    return _render("boards.html", server=server, boards=list(boards)).encode()


def shared_files() -> dict[str, bytes]:
    """What all boards use."""
    from adjudge.serve.pages import assets

    return {name: assets()[name] for name in SHARED}


def _render(name: str, **values: Any) -> str:
    from adjudge.serve.pages import templates

    return templates().get_template(name).render(**values)


def _page(board: Board, which: str, server: str, more: Mapping[str, bytes]) -> str:
    tabs = [_shown(tab) for tab in (board.best or board.all if which == "best" else board.all)]
    return _render("board.html", board=board, tabs=tabs, which=which, server=server, files=sorted(more))


def _shown(tab: Tab) -> dict[str, Any]:
    """A tab as the page writes it: lines with their texts, and where bands begin."""
    parts = list(dict.fromkeys(name for line in tab.lines for name in line.parts))
    ends = [end for line in tab.lines for end in (line.low, line.high) if end is not None]
    lines = []
    before = None
    for line in tab.lines:
        begins = before is not None and line.band not in (None, before)
        lines.append({"line": line, "begins": begins, "place": _place(line, ends), **_texts(line, parts)})
        before = line.band if line.band is not None else before
    name = re.sub(r"[^a-z0-9]+", "-", tab.title.lower()).strip("-")
    drawn = any(line["place"] for line in lines)
    return {
        "tab": tab,
        "id": name,
        "parts": parts,
        "lines": lines,
        "drawn": drawn,
        "level": f"{100 * (tab.level or 0):g}",
    }


def _place(line: Line, ends: Sequence[float]) -> tuple[str, ...] | None:
    """Where the interval of a line and its score are drawn, in hundredths of the width of all.

    >>> _place(Line(team="a", run="x", number=1, value=0.5, low=0.4, high=0.7), [0.2, 0.4, 0.6, 0.7])
    ('40', '60', '100')
    """
    if line.value is None or line.low is None or line.high is None or max(ends) == min(ends):
        return None
    least, width = min(ends), max(ends) - min(ends)
    return tuple(f"{100 * (each - least) / width:.4g}" for each in (line.low, line.value, line.high))


def _texts(line: Line, parts: Iterable[str]) -> dict[str, Any]:
    behind = line.behind
    return {
        "ranks": _ranks(line),
        "score": shown_score(line.value, line.low, line.high, line.bound),
        "parts": [_percent(line.parts.get(name)) for name in parts],
        "behind": "" if behind is None else shown_score(behind.difference, behind.low, behind.high, sign="+"),
        "p": _probability(None if behind is None else behind.p),
        "q": _probability(None if behind is None else behind.q),
        "beats": "" if line.beats_next is None else f"{100 * line.beats_next:.0f} %",
    }


def _probability(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}" if value >= 0.00005 else "<0.0001"


def _ranks(line: Line) -> str:
    """The range of ranks, or the rank where there is no range.

    >>> _ranks(Line(team="a", run="x", number=1, rank=2, ranks=(2, 4))), _ranks(Line(team="a", run="x", number=1))
    ('2–4', '–')
    """
    if line.ranks is None:
        return "–" if line.rank is None else str(line.rank)
    low, high = line.ranks
    return str(low) if low == high else f"{low}–{high}"


def _percent(value: float | None, sign: str = "-") -> str:
    return "" if value is None else f"{100 * value:{sign}z.1f}"


def shown_score(
    value: float | None,
    low: float | None = None,
    high: float | None = None,
    bound: float | None = None,
    *,
    sign: str = "-",
) -> str:
    """A score in points, with its interval, and with the bound of one that is not proven.

    >>> shown_score(0.412, 0.38, 0.441), shown_score(1.0), shown_score(0.5, bound=0.75), shown_score(None)
    ('41.2 [38.0, 44.1]', '100.0', '50.0 (at most 75.0)', '')
    """
    interval = "" if low is None or high is None else f" [{_percent(low, sign)}, {_percent(high, sign)}]"
    return _percent(value, sign) + interval + ("" if bound is None else f" (at most {_percent(bound)})")


# ---------------------------------------------------------------------------------------------------------------------
# Files for programs and papers


def board_json(board: Board) -> str:
    """All of a board that may be seen, as JSON."""
    return json.dumps(msgspec.to_builtins(board), indent=1, ensure_ascii=False) + "\n"


def board_csv(board: Board) -> str:
    """A row for each line of each tab."""
    rows = [
        {
            "view": which,
            "score": f"{tab.of}:{tab.metric}.{tab.part}".removeprefix(":"),
            "slice": json.dumps(tab.slice, ensure_ascii=False) if tab.slice else "",
            "difference": line.behind and line.behind.difference,
            "p": line.behind and line.behind.p,
            "q": line.behind and line.behind.q,
            **{name: getattr(line, name) for name in (*_LINE, "bound")},
            "ranks": _ranks(line),
        }
        for which, tabs in (("best", board.best), ("all", board.all))
        for tab in tabs
        for line in tab.lines
    ]
    return csv_rows(rows, _FIELDS)


def board_latex(board: Board) -> str:
    """The first tab of the best runs as a table for a paper."""
    lines = [r"% needs \usepackage{booktabs}"]
    tabs = board.best or board.all
    if not tabs:
        return "\n".join([*lines, f"% nothing is shown of {escape_latex(board.track)}, {board.phase}"]) + "\n"
    tab = tabs[0]
    rows: list[tuple[str, ...]] = []
    for each in _shown(tab)["lines"]:
        line: Line = each["line"]
        named = f"{line.team}: {line.run}" + (f" ({line.unranked})" if line.unranked else "")
        cells = [each["ranks"].replace("–", "--"), named, each["score"], each["behind"], each["p"]]
        first = r"\midrule" + "\n" if each["begins"] else ""
        texts = [escape_latex(cell) for cell in cells]
        rows.append((first + texts[0], *texts[1:]))
    header = ("rank", "run", escape_latex(f"{tab.metric} {tab.part}"), "to the best", "$p$")
    return "\n".join([*lines, latex_table(Table(header, tuple(rows), frozenset({2, 3, 4})))]) + "\n"
