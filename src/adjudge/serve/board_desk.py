"""Boards on the server and in a folder, and what an organiser does to the phases of a track.

Whoever is not signed in sees what the phase shows; a team sees its own runs, too, and organisers see everything.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.responses import Response

from adjudge.errors import AdjudgeError, ValidationError
from adjudge.files import write_atomically
from adjudge.report.tables import Table, csv_rows, escape_latex, latex_table
from adjudge.serve import scorings as work
from adjudge.serve.access import NOT_HERE
from adjudge.serve.api import archive_of
from adjudge.serve.app import Call
from adjudge.serve.boards import Board, Line, Tab, view
from adjudge.serve.messages import Fault
from adjudge.serve.store import Snapshot, Store
from adjudge.serve.store.fold import track_stream
from adjudge.serve.store.tables import Phase, Submission
from adjudge.serve.tracks import SHOWN, set_phase, settings_of, team_of, track_of, utc

if TYPE_CHECKING:
    from adjudge.serve.access import Who

_SEEN = SHOWN[2:]
"""What a phase has to show for its board to be on the list of everybody."""
INDEX = "index.html"


def seen(store: Store, track: str, phase: str, who: Who | None) -> tuple[Board, dict[str, bytes]]:
    """The board that somebody may see, and the files that go with it; a LookupError if they may not know of it."""
    with store.read() as snapshot:
        row = work.phase_of(snapshot, track, phase)
        if (track, phase, row.show) not in listed(snapshot, who):
            raise LookupError(f"{track}/{phase}")
        scoring = work.shown(snapshot, track, phase)
        team = team_of(snapshot, track, who.person) if who else None
    board = work.board_of(store, scoring) or Board(track=track, phase=phase)
    if who is not None and "organiser" in who.roles_in(track):
        said = "" if row.show == "public" else f"For organisers only: the phase is {row.show}."
        board = msgspec.structs.replace(board, note=" ".join(filter(None, [board.note, said])))
    else:
        board = view(board, row.show, team.name if team else None)
    public = board.show == "public" and scoring is not None and scoring.frozen and scoring.manifest_sha
    return board, {"manifest.json": store.get_blob(public)} if public else {}


def listed(snapshot: Snapshot, who: Who | None) -> list[tuple[str, str, str]]:
    """Tracks and phases whose boards somebody may see something of, and what the phases show."""
    return [
        (each.track, each.id, each.show)
        for each in snapshot.find(Phase)
        if each.show in _SEEN or (who is not None and who.roles_in(each.track))
    ]


def export_boards(store: Store, server: str, target: Path) -> list[str]:
    """Write every board that everybody may see into a folder for any web server; the names of the files."""
    with store.read() as snapshot:
        boards = listed(snapshot, None)
    made = {INDEX: index_page(server, boards), **shared_files()}
    for track, phase, _ in boards:
        board, more = seen(store, track, phase, None)
        made |= {f"{track}/{phase}/{name}": data for name, data in board_files(board, server, more).items()}
    for name, data in made.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        write_atomically(target / name, data, sweep=False)
    return list(made)


_CALLED = {
    "findings": "findings.json",
    "text": "findings.txt",
    "log": "log.txt",
    "result": "result.json",
    "report": "page.html",
}


def track_files(store: Store, server: str, track: str) -> Iterator[tuple[str, bytes | Path]]:
    """Everything of a track, as of one moment: events, gold, runs with their outcomes, boards, and hashes."""

    def blob(name: str, sha256: str) -> tuple[str, Path]:
        digests[name] = sha256
        return name, store.blob_file(sha256)

    def put(name: str, data: bytes) -> tuple[str, bytes]:
        digests[name] = hashlib.sha256(data).hexdigest()
        return name, data

    digests: dict[str, str] = {}
    with store.read() as snapshot:
        row, phases = track_of(snapshot, track), snapshot.find(Phase, track=track)
        runs = snapshot.find(Submission, "received, id", track=track)
        events = snapshot.events(track_stream(track))
        scorings = [each for phase in phases for each in work.scorings_of(snapshot, track, phase.id)]
        about = {"track": row, "phases": phases, "scorings": scorings, "runs": runs}
    yield put("track.json", msgspec.json.format(msgspec.json.encode(about), indent=1) + b"\n")
    yield put("events.jsonl", b"".join(msgspec.json.encode(each) + b"\n" for each in events))
    kept = {f"gold/{each.id}": each.gold for each in phases if each.gold}
    for name, each in (kept | {f"files/{word}": given for word, given in settings_of(row).files.items()}).items():
        yield blob(f"{name}/{each['name']}{'.tar' if each['folder'] else ''}", each["sha256"])
    for run in runs:
        place = f"runs/{run.phase}/{run.team.partition('/')[2]}/{run.number}"
        yield blob(f"{place}/{run.flags['file']}", run.sha256)
        for what, sha256 in run.files.items():
            yield blob(f"{place}/{_CALLED[what]}", sha256)
    for scoring in scorings:
        for name, found in (("board", scoring.board_sha), ("manifest", scoring.manifest_sha)):
            if found:
                yield blob(f"scorings/{scoring.id.partition('/')[2]}/{name}.json", found)
    for phase in phases:
        with store.read() as snapshot:
            shown = work.board_of(store, work.shown(snapshot, track, phase.id))
        for name, data in board_files(shown, server).items() if shown else ():
            yield put(f"boards/{phase.id}/{name}", data)
    yield "manifest.json", (json.dumps({"track": track, "files": digests}, indent=1) + "\n").encode()


# ---------------------------------------------------------------------------------------------------------------------
# Pages


def _file(name: str, files: Mapping[str, bytes]) -> Response:
    if name not in files:
        raise Fault(404, NOT_HERE)
    return Response(files[name], media_type=TYPES[Path(name).suffix])


def index(call: Call) -> Response:
    """The list of boards, or what they share."""
    name = call.params.get("file", INDEX)
    if name in shared_files():
        return _file(name, shared_files())
    with call.service.store.read() as snapshot:
        boards = listed(snapshot, call.who)
    return _file(name, {INDEX: index_page(call.service.folder.settings.server.name, boards)})


def board(call: Call) -> Response:
    """A file of a board: its page, or the same for programs and papers."""
    found, more = seen(call.service.store, call.params["t"], call.params["phase"], call.who)
    return _file(call.params.get("file", INDEX), board_files(found, call.service.folder.settings.server.name, more))


def organise(call: Call, said: str = "") -> Response:
    """Phases of a track, how far their runs are, scorings and what moved between them."""
    from adjudge.serve.pages import page

    store, track = call.service.store, call.params["t"]
    phases = []
    with store.read() as snapshot:
        row = track_of(snapshot, track)
        for each in snapshot.find(Phase, track=track):
            runs = Counter(run.state for run in snapshot.find(Submission, track=track, phase=each.id))
            phases.append((each, dict(sorted(runs.items())), work.scorings_of(snapshot, track, each.id)))
    shown = [
        {"phase": phase, "runs": runs, "scorings": found, "moved": work.last_moved(store, found)}
        for phase, runs, found in phases
    ]
    return page(call, "track_organise.html", track=row, phases=shown, shows=SHOWN, said=said)


def organise_now(call: Call) -> Response:
    """Do what the form of an organiser says."""
    form, store, track, by = call.form(), call.service.store, call.params["t"], call.person.person
    phase, what = form.get("phase", ""), form.get("do", "")
    try:
        said = _done(store, track, phase, by, form)
    except (AdjudgeError, LookupError) as error:
        said = f"not done: {error}"
    return organise(call, said if what else "nothing was done")


def _done(store: Store, track: str, phase: str, by: str, form: Mapping[str, str]) -> str:
    what = form.get("do")
    with store.read() as snapshot:
        work.phase_of(snapshot, track, phase)
    if what == "extend":
        closes = utc(form["closes"], form.get("zone") or None) if form.get("closes") else None
        work.extend(store, track, phase, closes, by)
        return f"{phase} closes {closes[:16].replace('T', ' ')} UTC" if closes else f"{phase} never closes"
    if what == "publish":
        set_phase(store, track, phase, {"show": form.get("show", "")}, by)
        return f"the board of {phase} is {form.get('show')}"
    if what == "rescore":
        return f"everything is scored again: {work.rescore(store, track, phase, by)}"
    if what in ("freeze", "thaw"):
        digest = work.freeze(store, track, phase, by, frozen=what == "freeze")
        return f"frozen; the manifest is {digest}" if digest else "thawed"
    if what == "again":
        return f"{work.queue_failed(store, track, phase, by)} queued again"
    raise ValidationError(f"nothing is called {what!r}", hint="use the page")


# ---------------------------------------------------------------------------------------------------------------------
# API


def _phase(call: Call, given: str | None) -> str:
    """The phase that is meant: the only one, unless it is said."""
    with call.service.store.read() as snapshot:
        names = [phase for track, phase, _ in listed(snapshot, call.who) if track == call.params["t"]]
    if given is None and len(names) == 1:
        return names[0]
    if not names:
        raise Fault(404, NOT_HERE)
    if given not in names:
        raise Fault(404 if given else 400, NOT_HERE if given else "which phase?", f"name one: {', '.join(names)}")
    return given


def board_data(call: Call) -> Board:
    """A board as far as one may see it."""
    phase = _phase(call, call.request.query_params.get("phase"))
    return seen(call.service.store, call.params["t"], phase, call.who)[0]


def export(call: Call) -> Response:
    """Everything of a track as an archive."""
    track = call.params["t"]
    files = track_files(call.service.store, call.service.folder.settings.server.name, track)
    return archive_of(files, f"{track}.zip")


def phase_now(call: Call) -> dict[str, Any]:
    """Extend, open again, publish, score again, freeze, thaw, queue again what failed."""
    body = call.body
    form = {name: value for name, value in msgspec.to_builtins(body).items() if value is not None}
    phase = _phase(call, body.phase)
    return {"phase": phase, "said": _done(call.service.store, call.params["t"], phase, call.person.person, form)}


# ---------------------------------------------------------------------------------------------------------------------
# A board as a page, CSV, JSON and LaTeX: the same bytes from the server and in a folder for any web server. Pages know
# nobody: they have no names of those who look, no scripts, and relative links only. The address of a file is
# `TRACK/PHASE/NAME`, below `/boards/` or the folder.


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
        "index.html": _board_page(board, "best", server, extra),
        "all.html": _board_page(board, "all", server, extra),
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


def _board_page(board: Board, which: str, server: str, more: Mapping[str, bytes]) -> str:
    tabs = [_shown_tab(tab) for tab in (board.best or board.all if which == "best" else board.all)]
    return _render("board.html", board=board, tabs=tabs, which=which, server=server, files=sorted(more))


def _shown_tab(tab: Tab) -> dict[str, Any]:
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
        "detects": "" if tab.detects is None else f"{100 * tab.detects:.1f}",
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
        "ranks": shown_ranks(line),
        "score": shown_score(line.value, line.low, line.high, line.bound),
        "parts": [_percent(line.parts.get(name)) for name in parts],
        "behind": "" if behind is None else shown_score(behind.difference, behind.low, behind.high, sign="+"),
        "p": _probability(None if behind is None else behind.p),
        "q": _probability(None if behind is None else behind.q),
        "beats": "" if line.beats_next is None else f"{100 * line.beats_next:.0f} %",
    }


def _probability(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}" if value >= 0.00005 else "<0.0001"


def shown_ranks(line: Line) -> str:
    """The range of ranks, or the rank where there is no range.

    >>> shown_ranks(Line(team="a", run="x", number=1, rank=2, ranks=(2, 4)))
    '2–4'
    >>> shown_ranks(Line(team="a", run="x", number=1))
    '–'
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
            "ranks": shown_ranks(line),
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
    for each in _shown_tab(tab)["lines"]:
        line: Line = each["line"]
        named = f"{line.team}: {line.run}" + (f" ({line.unranked})" if line.unranked else "")
        cells = [each["ranks"].replace("–", "--"), named, each["score"], each["behind"], each["p"]]
        first = r"\midrule" + "\n" if each["begins"] else ""
        texts = [escape_latex(cell) for cell in cells]
        rows.append((first + texts[0], *texts[1:]))
    header = ("rank", "run", escape_latex(f"{tab.metric} {tab.part}"), "to the best", "$p$")
    return "\n".join([*lines, latex_table(Table(header, tuple(rows), frozenset({2, 3, 4})))]) + "\n"
