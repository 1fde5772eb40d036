"""From events to rows, of tracks: the same rules as in `fold`. The stream is that of the track.

| kind | subject | body |
|---|---|---|
| `track` | track | `task`, `settings` |
| `phase` | phase | `opens`, `closes`, `limits`, `gold`, `show`, `scoring`: what is given replaces what was |
| `team` | team | `name`, `add` and `drop`: lists of people |
| `submit` | run | `phase`, `team`, `number`, `name`, `sha256`, `size`, `received`, `flags`, `deadline`, `priority` |
| `state` | run | `state`, `reason`, `deadline`, `attempts`; `files` and `score`, which are added; `scoring` |
| `order` | team | `runs` in the order that the team declares |
| `scoring` | scoring | `phase`, `config_sha`, `gold_sha`, `adjudge`, `state`, `board_sha`, `manifest_sha`, `frozen` |
"""

from __future__ import annotations

from collections.abc import Callable

from adjudge.serve.store.rows import Rows
from adjudge.serve.store.tables import Event, Member, Outcome, Phase, Scoring, Submission, Team, Track

SCORED, FAILED, SUPERSEDED = "scored", "failed", "superseded"


def track_stream(track: str) -> str:
    """The name of a track's stream.

    >>> track_stream("relations")
    't/relations'
    """
    return f"t/{track}"


def _track_of(event: Event) -> str:
    return event.stream[2:]


def _track(rows: Rows, event: Event) -> None:
    rows.put(Track(event.subject, event.body["task"], event.body["settings"], event.version))


def _phase(rows: Rows, event: Event) -> None:
    key = (_track_of(event), event.subject)
    row = rows.get(Phase, *key) or Phase(*key, None, None, {}, {}, "hidden", None, 0)
    for name in ("opens", "closes", "limits", "gold", "show", "scoring"):
        setattr(row, name, event.body.get(name, getattr(row, name)))
    row.n = event.n
    rows.put(row)


def _team(rows: Rows, event: Event) -> None:
    row = rows.get(Team, event.subject) or Team(event.subject, _track_of(event), event.subject, 0)
    row.name = event.body.get("name", row.name)
    rows.put(row)
    for person in event.body.get("add", ()):
        rows.put(Member(row.id, person))
    for person in event.body.get("drop", ()):
        rows.drop(Member, row.id, person)


def _submit(rows: Rows, event: Event) -> None:
    body = event.body
    team = rows.get(Team, body["team"])
    if team is None:
        raise LookupError(f"there is no team {body['team']}")
    team.version = event.version
    rows.put(team)
    rows.put(
        Submission(
            id=event.subject,
            track=_track_of(event),
            phase=body["phase"],
            team=body["team"],
            number=body["number"],
            name=body["name"],
            sha256=body["sha256"],
            size=body["size"],
            received=body["received"],
            flags=body["flags"],
            priority=body.get("priority", body["number"]),
            state="received",
            reason=None,
            since=event.at,
            deadline=body["deadline"],
            attempts=0,
            scoring=None,
            files={},
            score={},
            n=event.n,
            version=1,
        )
    )


def _state(rows: Rows, event: Event) -> None:
    row, body = _submission(rows, event.subject), event.body
    if row.state != body["state"]:  # else it keeps its place in the queue
        row.state, row.since = body["state"], event.at
    row.version = event.version
    for name in ("reason", "deadline"):
        setattr(row, name, body.get(name))
    for name in ("attempts", "scoring"):
        setattr(row, name, body.get(name, getattr(row, name)))
    row.files = {**row.files, **body.get("files", {})}
    row.score = body.get("score", row.score)
    rows.put(row)
    if row.scoring is not None and row.state in (SCORED, FAILED):
        rows.put(Outcome(row.scoring, row.id, row.state, row.reason, row.files, row.score, event.at))
    if row.state == SCORED:
        _supersede(rows, row)


def _supersede(rows: Rows, scored: Submission) -> None:
    """Of the scored runs of a team with one name the last that was handed in stays."""
    same = rows.find(Submission, track=scored.track, phase=scored.phase, team=scored.team, name=scored.name)
    known = [each for each in same if each.state == SCORED]
    last = max(each.number for each in known)
    for row in known:
        if row.number < last:
            row.state, row.reason, row.version = SUPERSEDED, f"replaced by number {last}", row.version + 1
            rows.put(row)


def _order(rows: Rows, event: Event) -> None:
    for place, name in enumerate(event.body["runs"], 1):
        row = _submission(rows, name)
        row.priority = place
        rows.put(row)


def _submission(rows: Rows, name: str) -> Submission:
    row = rows.get(Submission, name)
    if row is None:
        raise LookupError(f"there is no submission {name}")
    return row


def _scoring(rows: Rows, event: Event) -> None:
    new = Scoring(event.subject, _track_of(event), "", "", "", "", "open", None, None, False)
    row = rows.get(Scoring, event.subject) or new
    for name in ("phase", "config_sha", "gold_sha", "adjudge", "state", "board_sha", "manifest_sha", "frozen"):
        setattr(row, name, event.body.get(name, getattr(row, name)))
    rows.put(row)


KINDS: dict[str, Callable[[Rows, Event], None]] = {
    "track": _track,
    "phase": _phase,
    "team": _team,
    "submit": _submit,
    "state": _state,
    "order": _order,
    "scoring": _scoring,
}
