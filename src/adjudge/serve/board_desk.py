"""Boards on the server and in a folder, and what an organiser does to the phases of a track.

Whoever is not signed in sees what the phase shows; a team sees its own runs, too, and organisers see everything.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.responses import Response

from adjudge.errors import AdjudgeError, ValidationError
from adjudge.files import write_atomically
from adjudge.serve import scorings as work
from adjudge.serve.access import NOT_HERE
from adjudge.serve.board_pages import TYPES, board_files, index_page, shared_files
from adjudge.serve.boards import Board, view
from adjudge.serve.messages import Fault
from adjudge.serve.store import Snapshot, Store
from adjudge.serve.store.fold import track_stream
from adjudge.serve.store.tables import Phase, Submission
from adjudge.serve.tracks import SHOWN, set_phase, settings_of, team_of, track_of, utc

if TYPE_CHECKING:
    from adjudge.serve.access import Who
    from adjudge.serve.app import Call

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
    from adjudge.serve.desks import archive_of

    track = call.params["t"]
    files = track_files(call.service.store, call.service.folder.settings.server.name, track)
    return archive_of(files, f"{track}.zip")


def phase_now(call: Call) -> dict[str, Any]:
    """Extend, open again, publish, score again, freeze, thaw, queue again what failed."""
    body = call.body
    form = {name: value for name, value in msgspec.to_builtins(body).items() if value is not None}
    phase = _phase(call, body.phase)
    return {"phase": phase, "said": _done(call.service.store, call.params["t"], phase, call.person.person, form)}
