"""Scorings of a phase: the board that is kept up to date, scoring again, what moved, the freeze and its manifest.

A scoring is all runs of a phase with one release and one gold standard. A later one never changes it: both stay, with
their boards. What is shown is the last frozen scoring, else the last that is complete.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from adjudge.errors import AdjudgeError, ValidationError
from adjudge.findings import counted
from adjudge.serve import child, states
from adjudge.serve.boards import Board, Compare, Compared, Headline, Line, Run, inputs_of, make_board
from adjudge.serve.intake import limits_of
from adjudge.serve.states import FAILED, LIVE
from adjudge.serve.store import Snapshot, Store, now
from adjudge.serve.store.fold import SCORED, track_stream
from adjudge.serve.store.tables import Outcome, Phase, Scoring, Stream, Submission, Team, Track
from adjudge.serve.tracks import TrackSettings, new_scoring, set_phase, settings_of, track_of, write

OPEN, AGAIN = "open", "rescoring"
BOARD = "board.json"
_GONE = ("withdrawn", "superseded")
_UNRANKED = ("human", "web", "late")
"""Flags of a run that takes no rank."""


def phase_of(snapshot: Snapshot, track: str, phase: str) -> Phase:
    """A phase; a LookupError if there is none."""
    found = snapshot.get(Phase, track, phase)
    if found is None:
        raise LookupError(f"there is no phase {phase!r} of {track!r}")
    return found


def scorings_of(snapshot: Snapshot, track: str, phase: str) -> list[Scoring]:
    """All scorings of a phase, the last one last."""
    found = snapshot.find(Scoring, track=track, phase=phase)
    return sorted(found, key=lambda each: int(each.id.rpartition("/")[2]))


def shown(snapshot: Snapshot, track: str, phase: str) -> Scoring | None:
    """The scoring whose board is shown."""
    found = [each for each in scorings_of(snapshot, track, phase) if each.board_sha is not None]
    frozen = [each for each in found if each.frozen]
    complete = frozen or [each for each in found if each.state != AGAIN]
    return complete[-1] if complete else None


def runs_of(snapshot: Snapshot, scoring: Scoring) -> list[Run]:
    """The runs that have a result in a scoring, in the order in which they came."""
    results = {each.submission: each for each in snapshot.find(Outcome, scoring=scoring.id) if each.state == SCORED}
    teams = {team.id: team.name for team in snapshot.find(Team, track=scoring.track)}
    rows = snapshot.find(Submission, "received, id", track=scoring.track, phase=scoring.phase)
    return [
        run_of(each, teams[each.team], results[each.id].files["result"])
        for each in rows
        if each.id in results and each.state not in _GONE
    ]


def run_of(row: Submission, team: str, result: str = "") -> Run:
    """What a board says of a submission."""
    return Run(
        team=team,
        number=row.number,
        name=row.name,
        received=row.received,
        sha256=row.sha256,
        result=result,
        unranked=", ".join(name for name in _UNRANKED if row.flags.get(name)),
    )


def _headline(snapshot: Snapshot, scoring: Scoring) -> Headline | None:
    """The score that the runs of a scoring are ranked by."""
    scores = [each.score for each in snapshot.find(Outcome, scoring=scoring.id) if each.score]
    return (scores[0]["metric"], scores[0]["part"]) if scores else None


def board_of(store: Store, scoring: Scoring | None) -> Board | None:
    """The board of a scoring, if there is one."""
    if scoring is None or scoring.board_sha is None:
        return None
    return msgspec.json.decode(store.get_blob(scoring.board_sha), type=Board)


class Interrupted(Exception):
    """The server ends: whoever comes next does it again."""


class Basis(msgspec.Struct, frozen=True):
    """What a board is made from: runs, the score that counts, how they are compared, and what is to be said."""

    runs: list[Run]
    compare: Compare
    by: Headline | None = None
    note: str = ""
    digest: str = ""  # of what else it depends on
    commands: list[str] = []


def refresh(store: Store, track: str, phase: str, folder: Path, needed: Callable[[], bool] = lambda: True) -> bool:
    """Make the board of the phase's present scoring if it is out of date; whether it was. `folder` is for children."""
    with store.read() as snapshot:
        scoring = snapshot.get(Scoring, phase_of(snapshot, track, phase).scoring)
        if scoring is None or scoring.frozen:
            return False
        settings = settings_of(track_of(snapshot, track))
        runs, by = runs_of(snapshot, scoring), _headline(snapshot, scoring)
        own = snapshot.find(Submission, track=track, phase=phase)
        waiting = any(each.state in LIVE for each in own if each.scoring == scoring.id)
    if scoring.state == AGAIN and waiting:
        return False  # all of it at once: half a board would say something wrong
    said: list[str] = []
    made = Basis(runs, comparer(store, settings, folder, said, needed), by, commands=said)
    return make_anew(store, scoring, made) is not None


def make_anew(store: Store, scoring: Scoring, given: Basis) -> Board | None:
    """Make the board of a scoring, unless what it is made from is what it was; then None.

    If that goes wrong, the board says why and is not tried again before something changes: nothing waits for ever.
    """
    old = board_of(store, scoring)
    inputs = inputs_of(given.runs, given.digest)
    if scoring.state != AGAIN and (not given.runs if old is None else old.inputs == inputs):
        return None
    try:
        board = make_board(scoring.track, scoring.phase, given.runs, given.compare, given.by)
        note = given.note
    except AdjudgeError as error:
        board = Board(track=scoring.track, phase=scoring.phase, runs=tuple(given.runs))
        note = f"This board could not be made: {error}."
    board = msgspec.structs.replace(board, note=note, basis=given.digest, commands=tuple(given.commands))
    body = {"board_sha": store.put_blob(msgspec.json.encode(board), "board"), "state": OPEN}
    write(store, scoring.track, "scoring", scoring.id, body, "board")
    return board


def comparer(
    store: Store, settings: TrackSettings, folder: Path, said: list[str], needed: Callable[[], bool] = lambda: True
) -> Compare:
    """Compares saved results by the board command of a track, in a child; what it was is added to `said`."""

    def compare(runs: Sequence[Run]) -> Compared:
        place = folder / f"compare-{len(said)}"
        place.mkdir(parents=True)
        paths = {run.key: store.blob_file(run.result).resolve() for run in runs}
        args = settings.board_line([f"{key}={path}" for key, path in paths.items()], str(place / BOARD))
        ended = child.run(child.limited(args, place, settings, *paths.values()), needed)
        if not needed():
            raise Interrupted
        if ended.code != 0:
            raise ValidationError(ended.reason or ended.last or f"adjudge compare ended with {ended.code}")
        shown = settings.board_line([f"{key}={key}.json" for key in paths], BOARD)
        said.append(shlex.join(["adjudge", *shown]))
        made = place / BOARD
        found: Compared = json.loads(made.read_bytes() if made.is_file() else ended.output)
        return found

    return compare


# ---------------------------------------------------------------------------------------------------------------------
# Actions of organisers


def extend(store: Store, track: str, phase: str, closes: str | None, by: str) -> None:
    """Let a phase close at another time, or never: also one that was closed is open again."""
    with store.read() as snapshot:
        _refuse_frozen(snapshot, track, phase)
    set_phase(store, track, phase, {"closes": closes}, by)


def _refuse_frozen(snapshot: Snapshot, track: str, phase: str) -> None:
    now = snapshot.get(Scoring, phase_of(snapshot, track, phase).scoring)
    if now is not None and now.frozen:
        raise ValidationError(f"the phase {phase!r} is frozen", hint="thaw it, or score it again")


def rescore(store: Store, track: str, phase: str, by: str, gold: Mapping[str, Any] | None = None) -> str:
    """Score all runs of a phase again: with this release, the track as it is now, and perhaps other gold; its id.

    The scoring before stays as it is, and its board is shown until the new one is complete.
    """
    with store.read() as snapshot:
        phase_of(snapshot, track, phase)
        settings = settings_of(track_of(snapshot, track))
        runs = [*snapshot.find(Submission, track=track, phase=phase, state=SCORED), *_failed(snapshot, track, phase)]
    if gold is not None:
        set_phase(store, track, phase, {"gold": dict(gold)}, by)
    made = new_scoring(store, track, phase, by)
    write(store, track, "scoring", made, {"state": AGAIN}, by)
    for run in runs if settings.campaign is None else ():  # what people assess is scored as a whole
        queue_again(store, run, settings, by, scoring=made)
    return made


def queue_failed(store: Store, track: str, phase: str, by: str) -> int:
    """Queue what failed in a phase again; how many runs that are."""
    with store.read() as snapshot:
        settings = settings_of(track_of(snapshot, track))
        runs = _failed(snapshot, track, phase)
    return sum(queue_again(store, run, settings, by) for run in runs)


def _failed(snapshot: Snapshot, track: str, phase: str) -> list[Submission]:
    """Failed runs that no later one has replaced, as far as they fit among the runs that their teams may have."""
    most = limits_of(settings_of(track_of(snapshot, track)).limits, phase_of(snapshot, track, phase)).runs
    rows = snapshot.find(Submission, "received, id", track=track, phase=phase)
    used: dict[str, dict[str, int]] = {}
    for row in rows:
        if row.state in states.COUNTED:
            used.setdefault(row.team, {})[row.name] = row.number
    found = []
    for row in (each for each in rows if each.state == FAILED):
        own = used.setdefault(row.team, {})
        if row.number > own.get(row.name, 0) and (row.name in own or not most or len(own) < most):
            own[row.name] = row.number
            found.append(row)
    return found


def queue_again(store: Store, run: Submission, settings: TrackSettings, by: str, **more: Any) -> bool:
    """Let a run that was scored, or could not be, be scored again, and checked if it never was; False if it changed."""
    state = states.QUEUED if settings.campaign is None else states.POOLED
    if settings.check and "findings" not in run.files:
        state = states.RECEIVED
    until = states.deadline(state, settings.limits, now())
    return states.move(store, run, {"state": state, "deadline": until, "attempts": 0, **more}, by) is not None


def freeze(store: Store, track: str, phase: str, by: str, *, frozen: bool = True) -> str:
    """Let the scoring of a phase stay as it is for ever, or thaw it; the SHA-256 of the manifest."""
    with store.read() as snapshot:
        row = phase_of(snapshot, track, phase)
        scoring = snapshot.get(Scoring, row.scoring)
        if scoring is None or scoring.board_sha is None:
            raise ValidationError(f"nothing of the phase {phase!r} was scored yet", hint="wait for the first board")
        rows = snapshot.find(Submission, track=track, phase=phase)
        waiting = [each.name for each in rows if each.state in LIVE]
        if frozen and waiting:
            said = counted(len(waiting), "run")
            raise ValidationError(f"{said} not scored yet, the first is {waiting[0]}", hint="wait until all are")
        made = _manifest(store, snapshot, row, scoring) if frozen else b""
    digest = store.put_blob(made, "manifest") if frozen else ""
    write(store, track, "scoring", scoring.id, {"frozen": frozen, "manifest_sha": digest}, by)
    return digest


def _manifest(store: Store, snapshot: Snapshot, phase: Phase, scoring: Scoring) -> bytes:
    """Everything that the scores follow from, by hash."""
    track = snapshot.get(Track, phase.track)
    assert track is not None
    board = board_of(store, scoring)
    assert board is not None
    runs = runs_of(snapshot, scoring)
    if track.settings.get("campaign"):  # whose results are not of single runs
        runs = [msgspec.structs.replace(each, result="") for each in runs]
    if inputs_of(runs, board.basis) != board.inputs:
        raise ValidationError(
            "the board is not up to date yet", hint="try again in some seconds, while the server runs"
        )
    if not board.all:
        raise ValidationError("the board could not be made", hint="its page says why; score the runs again")
    stream = snapshot.get(Stream, track_stream(phase.track))
    made = {
        "track": track.id,
        "task": track.task,
        "settings": track.settings,
        "phase": {name: getattr(phase, name) for name in ("id", "opens", "closes", "limits", "gold")},
        "scoring": scoring.id,
        "adjudge": scoring.adjudge,
        "signature": board.signature,
        "config": scoring.config_sha,
        "gold": scoring.gold_sha,
        "board": scoring.board_sha,
        "runs": [msgspec.to_builtins(run) for run in sorted(board.runs, key=lambda run: run.key)],
        "heads": {track_stream(phase.track): [stream.n, stream.head]} if stream else {},
    }
    return (json.dumps(made, indent=1, ensure_ascii=False) + "\n").encode()


# ---------------------------------------------------------------------------------------------------------------------
# Changes between scorings


class Moved(msgspec.Struct, frozen=True):
    """A run in two scorings; None where it has no score."""

    team: str
    run: str
    number: int
    before: Line | None
    after: Line | None

    @property
    def change(self) -> float | None:
        """By how much the score went up."""
        old, new = (None if each is None else each.value for each in (self.before, self.after))
        return None if old is None or new is None else new - old


def moved(before: Board, after: Board) -> list[Moved]:
    """Every run of two boards by the score that counts, in the order of the later one."""
    old, new = (
        {(line.team, line.number): line for line in board.all[0].lines} if board.all else {}
        for board in (before, after)
    )
    found = [Moved(line.team, line.run, line.number, old.get(key), line) for key, line in new.items()]
    return found + [Moved(line.team, line.run, line.number, line, None) for key, line in old.items() if key not in new]


def last_moved(store: Store, found: Sequence[Scoring]) -> list[Moved]:
    """What moved between the last two scorings that have a board."""
    boards = [made for made in (board_of(store, each) for each in found) if made is not None]
    return moved(*boards[-2:]) if len(boards) > 1 else []
