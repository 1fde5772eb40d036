"""The states of a submission. Every state that is not final has a deadline, which is checked every few seconds.

    received > checking > queued > scoring > scored > superseded | withdrawn
                  |         + pooled: waits for people who assess > queued
                  + invalid               scoring > queued (the worker was lost, twice at most) > failed

What nobody checks in half a minute is queued again, once, in its place, for as long as what waits to be scored; what
people have not assessed in time fails a day after everybody was told.
What a submission does next is decided here, from its row and the time; it is written with the version that was seen, so
that of two who decide only one is right.
"""

from __future__ import annotations

import heapq
import secrets
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from adjudge.serve.store import Conflict, Snapshot, Store, Write, Written
from adjudge.serve.store.fold import track_stream
from adjudge.serve.store.tables import Lease, Submission, Track
from adjudge.serve.tracks import Limits, settings_of

RECEIVED, CHECKING, POOLED, QUEUED, SCORING = "received", "checking", "pooled", "queued", "scoring"
SCORED, INVALID, FAILED, SUPERSEDED, WITHDRAWN = "scored", "invalid", "failed", "superseded", "withdrawn"
LIVE = (RECEIVED, CHECKING, POOLED, QUEUED, SCORING)
"""States that end on their own."""
COUNTED = (*LIVE, SCORED)
"""States that count against the number of runs."""
WORK = {RECEIVED: CHECKING, QUEUED: SCORING}
"""What waits for a worker, and what it is then."""
_WARNED = {
    RECEIVED: "not checked in time, queued again",  # its bytes are on the disk: somebody else can check it
    POOLED: "the assessment has not ended in time: this fails in a day, unless the organiser ends it",
}
"""What has a second deadline, and what everybody is told until then."""
_DAY = 86_400
ATTEMPTS = 3
GRACE = 70
"""Seconds that a worker has to say the outcome of a child whose time is over: one that is lost is found out before."""
LEASE = 60
"""Seconds after which a worker that says nothing is lost."""
WORKER = "worker/"
"""How leases are called by which workers say that they are there."""


def later(at: str, seconds: float) -> str:
    """A time after another.

    >>> later("2026-12-01T11:59:30.000000Z", 60)
    '2026-12-01T12:00:30.000000Z'
    """
    when = datetime.fromisoformat(at) + timedelta(seconds=seconds)
    return when.isoformat(timespec="microseconds").replace("+00:00", "Z")


def seconds_of(state: str, limits: Limits) -> int | None:
    """How long a state can last; None: for ever."""
    return {
        RECEIVED: limits.seconds("received"),
        CHECKING: limits.seconds("check_wall") + GRACE,
        POOLED: limits.seconds("assessment"),
        QUEUED: limits.seconds("queue"),
        SCORING: limits.seconds("wall") + GRACE,
    }.get(state)


def deadline(state: str, limits: Limits, at: str) -> str | None:
    """When a state that begins now has to have ended."""
    seconds = seconds_of(state, limits)
    return None if seconds is None else later(at, seconds)


def last_deadline(row: Submission, limits: Limits) -> str | None:
    """When what waits to be checked has to have ended: it is queued again if nobody comes at once."""
    if row.state == RECEIVED and row.reason is None and row.deadline is not None:
        return later(row.deadline, limits.seconds("queue"))
    return row.deadline


def overdue(row: Submission, limits: Limits, lease: Lease | None, at: str) -> dict[str, Any] | None:
    """What has to become of a submission that nobody takes further; None if there is nothing to do."""
    if row.state not in LIVE:
        return None
    if row.state in WORK.values() and (lease is None or lease.until <= at):  # lost, which is not slow: first
        if row.attempts >= ATTEMPTS:
            return {"state": FAILED, "reason": f"the worker was lost {row.attempts} times while {row.state}"}
        back = RECEIVED if row.state == CHECKING else QUEUED
        return {"state": back, "deadline": deadline(back, limits, at)}
    if row.deadline is not None and row.deadline < at:
        if row.state in _WARNED and row.reason is None:
            last = deadline(QUEUED, limits, at) if row.state == RECEIVED else later(at, _DAY)
            return {"state": row.state, "reason": _WARNED[row.state], "deadline": last}
        reasons = {
            RECEIVED: "not checked in time",
            CHECKING: f"checking took longer than {limits.seconds('check_wall')} s",
            POOLED: "never scored",
            QUEUED: "not started in time",
            SCORING: f"scoring took longer than {limits.seconds('wall')} s",
        }
        return {"state": FAILED, "reason": reasons[row.state]}
    return None


def change(row: Submission, body: dict[str, Any], by: str) -> Write:
    """The event that takes a submission further, if it is still what was seen."""
    key = f"state-{row.id}-{row.version}-{secrets.token_hex(4)}"
    return Write(track_stream(row.track), "state", row.id, body, by, key, row.version)


def move(store: Store, row: Submission, body: dict[str, Any], by: str) -> Written | None:
    """Move a submission to its next state; None if another process has done so."""
    (done,) = store.write([change(row, body, by)])
    return None if isinstance(done, Conflict) else done


def live(snapshot: Snapshot) -> list[Submission]:
    """All submissions that are not in a final state."""
    return [row for state in LIVE for row in snapshot.find(Submission, "since, id", state=state)]


def sweep(store: Store, at: str, by: str = "sweep") -> list[str]:
    """End what is over time, and put back what a lost worker held: ids of what has changed."""
    with store.read() as snapshot:
        leases = {each.name: each for each in snapshot.find(Lease)}
        limits = {track.id: settings_of(track).limits for track in snapshot.find(Track)}
        rows = live(snapshot)
    changed = []
    for each in leases.values():
        if each.name.startswith(WORKER) and each.until <= at:  # it did not say that it ended
            with store.leases() as connection:
                connection.release(each.name, each.holder)
    for row in rows:
        body = overdue(row, limits[row.track], leases.get(row.id), at)
        if body is not None and move(store, row, body, by) is not None:
            changed.append(row.id)
            with store.leases() as connection:
                connection.release(row.id)
    return changed


def counted(rows: Iterable[Submission]) -> int:
    """How many runs are used up: names under which something is on its way or scored."""
    return len({row.name for row in rows if row.state in COUNTED})


def ahead(row: Submission, waiting: Iterable[Submission]) -> list[Submission]:
    """What is done before one that waits: what is at work, then what has waited longer."""
    listed = sorted(waiting, key=lambda each: (each.since, each.id))
    at_work = [each for each in listed if each.state == WORK[row.state]]
    return at_work + [
        each for each in listed if each.state == row.state and (each.since, each.id) < (row.since, row.id)
    ]


def longest(rows: Sequence[Submission], limits: Mapping[str, Limits], workers: int) -> float:
    """Seconds until the last of what waits in a queue is done, if all of it takes as long as its own track lets it.

    >>> from types import SimpleNamespace
    >>> slow, fast = (SimpleNamespace(track=name, state=QUEUED) for name in ("slow", "fast"))
    >>> limits = {"slow": Limits(wall="30 min"), "fast": Limits(wall="1 min")}
    >>> longest([slow, fast], limits, 1), longest([slow, fast], limits, 2), longest([fast], limits, 1)
    (2000, 130, 130)
    """
    free, end = [0] * workers, 0
    for row in rows:
        end = free[0] + (seconds_of(WORK.get(row.state, row.state), limits[row.track]) or 0)
        heapq.heapreplace(free, end)
    return end
