"""Submissions of teams: limits, the receipt, replacing and withdrawing. Bytes are streamed to the disk and hashed.

A run that is invalid, failed or withdrawn costs nothing. Handing in something else under a name that is there replaces
it once the new one is scored; the same bytes under the same name are the same run. What begins after the close is kept
and marked as late, and is not ranked.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import shutil
import threading
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from adjudge.serve import states
from adjudge.serve.messages import Fault, Receipt
from adjudge.serve.store import Conflict, Snapshot, Store, Write
from adjudge.serve.store.blobs import BlobWriter
from adjudge.serve.store.fold import track_stream
from adjudge.serve.store.tables import Event, Phase, Scoring, Submission, Team, Track
from adjudge.serve.tracks import Limits, phase_at, settings_of, track_of

if TYPE_CHECKING:
    from pathlib import Path

AT_ONCE = 2
"""Maximum uploads of a team in progress."""
FREE = 0.1
"""Share of the disk that uploads leave free."""
IDLE = 30.0
"""Seconds without a byte after which an upload is given up."""
SLOWEST = 20_000
"""Bytes a second below which an upload is given up, after the first minute."""
_PART = 1 << 20
_CHECKED = 64 << 20  # bytes between checks of the disk
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,99}")
_ENDINGS = re.compile(r"(\.(tar|tbf|conllu?|jsonl?|tsv|txt|csv|xml|bio|amr|zip|tgz|gz|zst|parquet|tab|ann))+$", re.I)
FLAGS = ("human", "web")
"""What a team says of a run; neither is ranked."""


class Upload(msgspec.Struct, frozen=True):
    """What is on the disk, and what is said of it."""

    track: str
    team: str
    file: str
    sha256: str
    size: int
    begun: str
    flags: tuple[str, ...] = ()
    phase: str | None = None


def file_name(given: str) -> str:
    """The name of a file as children see it, or what is wrong with it.

    >>> file_name("fast-1.jsonl")
    'fast-1.jsonl'
    """
    if not _NAME.fullmatch(given):
        shown = given if len(given) <= 60 else given[:60] + "..."
        raise Fault(422, f"{shown!r} cannot be the name of a run", "use letters, digits, and - _ . +, up to 100")
    return given


def run_name(file: str) -> str:
    """What a run is called: its file without the endings of formats.

    >>> run_name("fast-1.tar.gz"), run_name("v1.2")
    ('fast-1', 'v1.2')
    """
    return _ENDINGS.sub("", file) or file


class Gate:
    """The number of uploads in progress of each team."""

    def __init__(self) -> None:
        self._now: dict[str, int] = {}
        self._lock = threading.Lock()

    @contextmanager
    def enter(self, team: str) -> Iterator[None]:
        """One more, unless there are too many."""
        with self._lock:
            if self._now.get(team, 0) >= AT_ONCE:
                raise Fault(429, f"{AT_ONCE} uploads of your team are on their way", "wait for one of them")
            self._now[team] = self._now.get(team, 0) + 1
        try:
            yield
        finally:
            with self._lock:
                self._now[team] -= 1


def check_room(folder: Path, coming: int = 0) -> None:
    """Refuse to fill the disk."""
    disk = shutil.disk_usage(folder)
    if disk.free - coming < FREE * disk.total:
        raise Fault(503, "there is no room on the disk for uploads", "tell the organiser; assessment continues")


async def receive(store: Store, parts: AsyncIterator[bytes], most: int, declared: int | None) -> tuple[str, int]:
    """Stream what comes to a blob: its SHA-256 and size. Little of it is in memory at any time."""
    if declared is not None and declared > most:
        raise Fault(413, f"this is larger than {most} bytes", "submit less, or ask the organiser")
    check_room(store.folder, declared or 0)
    begun, looked = time.monotonic(), 0
    blob = await asyncio.to_thread(BlobWriter, store.folder)
    with blob:
        waiting = bytearray()
        try:
            while True:
                async with asyncio.timeout(IDLE):
                    part = await anext(parts, None)
                if part is None:
                    break
                waiting += part
                whole, seconds = blob.size + len(waiting), time.monotonic() - begun
                if whole > most:
                    raise Fault(413, f"this is larger than {most} bytes", "submit less, or ask the organiser")
                if seconds > 2 * IDLE and whole < SLOWEST * seconds:
                    raise TimeoutError
                if len(waiting) >= _PART:
                    await asyncio.to_thread(blob.write, bytes(waiting))
                    waiting = bytearray()
                if blob.size - looked > _CHECKED:
                    looked = blob.size
                    check_room(store.folder)
        except TimeoutError:
            raise Fault(400, "the upload was too slow, or stopped", "send it again") from None
        if declared is not None and blob.size + len(waiting) != declared:
            message = f"{declared} bytes were announced, and {blob.size + len(waiting)} came"
            raise Fault(400, message, "send it again")
        if blob.size + len(waiting) == 0:
            raise Fault(422, "this is empty", "send a file")
        await asyncio.to_thread(blob.write, bytes(waiting))
        return await asyncio.to_thread(blob.commit), blob.size


# ---------------------------------------------------------------------------------------------------------------------
# Submitting


def limits_of(settings: Limits, phase: Phase) -> Limits:
    """The limits of a track as a phase changes them."""
    return msgspec.structs.replace(settings, **phase.limits)


def hand_in(store: Store, upload: Upload, by: str) -> Receipt:
    """Take what is on the disk as a run of a team; the receipt."""
    file = file_name(upload.file)
    store.note_blob(upload.sha256, upload.size, "submission")
    for _ in range(20):
        made = _hand_in(store, upload, file, by)
        if made is not None:
            return made
    raise Fault(503, "too many uploads from your team at once", "send it again")


def _hand_in(store: Store, upload: Upload, file: str, by: str) -> Receipt | None:
    name = run_name(file)
    with store.read() as snapshot:
        track = track_of(snapshot, upload.track)
        phase = phase_at(snapshot.find(Phase, track=track.id), upload.begun, upload.phase)
        team = snapshot.get(Team, upload.team)
        own = snapshot.find(Submission, track=track.id, phase=phase.id, team=upload.team)
        assert team is not None
        check_open(snapshot, phase)
        late = phase.closes is not None and upload.begun > phase.closes
        same = [each for each in own if each.name == name and each.state in states.COUNTED]
        for each in same:
            if each.sha256 == upload.sha256 and _flags(each.flags) == set(upload.flags):
                return receipt(snapshot, each, repeated=True)
    limits = limits_of(settings_of(track).limits, phase)
    if late and same:
        hint = "give it another name; after the close nothing is replaced"
        raise Fault(410, f"there is a run {name!r}, and the phase is closed", hint)
    check_runs(own, limits, name, upload.begun)
    number = max((each.number for each in own), default=0) + 1
    flags = {**dict.fromkeys(upload.flags, True), **({"late": True} if late else {}), "file": file}
    body = {
        "phase": phase.id,
        "team": team.id,
        "number": number,
        "priority": min((each.priority for each in same), default=number),
        "name": name,
        "sha256": upload.sha256,
        "size": upload.size,
        "received": upload.begun,
        "flags": flags,
        "deadline": states.deadline(states.RECEIVED, limits, upload.begun),
    }
    made = secrets.token_hex(8)
    (done,) = store.write([Write(track_stream(track.id), "submit", made, body, by, f"submit-{made}", team.version)])
    if isinstance(done, Conflict):
        return None  # something else of the team came in between: look again
    with store.read() as snapshot:
        row = snapshot.get(Submission, made)
        assert row is not None
        return receipt(snapshot, row)


def check_open(snapshot: Snapshot, phase: Phase) -> None:
    """Refuse submissions once the ranking is final."""
    scoring = snapshot.get(Scoring, phase.scoring) if phase.scoring else None
    if scoring is not None and scoring.frozen:
        raise Fault(423, f"the phase {phase.id!r} is frozen", "ask the organiser")


def check_early(snapshot: Snapshot, track: Track, team: Team, at: str, wanted: str | None) -> None:
    """Refuse what cannot be taken before its bytes come: no phase is open, or there are enough runs of today."""
    phase = phase_at(snapshot.find(Phase, track=track.id), at, wanted)
    check_open(snapshot, phase)
    own = snapshot.find(Submission, track=track.id, phase=phase.id, team=team.id)
    limits = limits_of(settings_of(track).limits, phase)
    check_runs(own, msgspec.structs.replace(limits, runs=0), "", at)


def check_runs(own: list[Submission], limits: Limits, name: str, at: str) -> None:
    """Refuse one run too many; replacing one costs none of the phase, but one of the day."""
    others = [each for each in own if each.name != name]
    if limits.runs and states.counted(others) >= limits.runs:
        hint = "withdraw one, or replace one by submitting under its name"
        raise Fault(429, f"{limits.runs} runs of your team are there already", hint)
    today = [each for each in own if each.received[:10] == at[:10] and each.state not in _FREE]
    if limits.per_day and len(today) >= limits.per_day:
        raise Fault(429, f"{limits.per_day} runs were submitted today", "a day ends at 24:00 UTC")


_FREE = (states.INVALID, states.FAILED, states.WITHDRAWN)


def _flags(flags: Mapping[str, Any]) -> set[str]:
    return {name for name in FLAGS if flags.get(name)}


def is_ranked(row: Submission) -> bool:
    """Whether a run takes part in the ranking: automatic, in time, without the web."""
    return not (row.flags.get("late") or _flags(row.flags))


def described(row: Submission) -> dict[str, Any]:
    """What a receipt says of a submission, and its page, too."""
    same = ("track", "phase", "number", "name", "sha256", "size", "received", "state")
    found = {name: getattr(row, name) for name in same}
    return {**found, "submission": row.id, "team": row.team.partition("/")[2], "ranked": is_ranked(row)}


def receipt(snapshot: Snapshot, row: Submission, *, repeated: bool = False) -> Receipt:
    """The receipt of a submission, as of its event."""
    event: Event = snapshot.events(track_stream(row.track), row.n - 1, 1)[0]
    phase = snapshot.get(Phase, row.track, row.phase)
    return Receipt(
        **described(row),
        closes=phase.closes if phase else None,
        late=bool(row.flags.get("late")),
        event=event.n,
        head=event.hash,
        repeated=repeated,
    )


def withdraw(store: Store, name: str, at: str, by: str, *, always: bool = False) -> None:
    """Take a run back: it costs nothing and is not ranked. After the close only organisers can (`always`)."""
    with store.read() as snapshot:
        row = snapshot.get(Submission, name)
        if row is None:
            raise LookupError(name)
        phase = snapshot.get(Phase, row.track, row.phase)
        assert phase is not None
        check_open(snapshot, phase)
    if row.state not in states.COUNTED:
        raise Fault(409, f"this run is {row.state}", "there is nothing to withdraw", current={"state": row.state})
    if phase.closes is not None and at > phase.closes and not always:
        raise Fault(410, "the phase is closed", "ask the organiser")
    if states.move(store, row, {"state": states.WITHDRAWN, "reason": f"by {by}"}, by) is None:
        raise Fault(409, "this run has just changed", "look again", current={"id": row.id})
    with store.leases() as connection:
        connection.release(name)


def declare_order(store: Store, team: str, runs: list[str], by: str) -> None:
    """The order in which a team expects its runs of a phase to be, the best first; those not named follow."""
    with store.read() as snapshot:
        known = {each.id: each for each in snapshot.find(Submission, "priority, number", team=team)}
    unknown = [each for each in runs if each not in known]
    if unknown or len(set(runs)) != len(runs):
        raise Fault(422, f"no run of yours: {unknown[0]}" if unknown else "a run occurs twice", "name each run once")
    phases = {known[each].phase for each in runs}
    if len(phases) > 1:
        raise Fault(422, f"these are runs of {len(phases)} phases", "declare the order of each phase by itself")
    if runs:
        rest = [each.id for each in known.values() if each.phase in phases and each.state in states.COUNTED]
        whole = [*runs, *(each for each in rest if each not in runs)]
        write = Write(track_stream(known[runs[0]].track), "order", team, {"runs": whole}, by, secrets.token_hex(8))
        store.write([write])
