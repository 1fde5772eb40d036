"""From events to rows: the only code that writes tables of state, one function for each kind of event.

What an event does to the rows depends on the event and the rows before it, never on the clock or a setting, so that
`rebuild` (all events, folded again) gives the same rows. `tally` is kept as it goes and equals a count.

| kind | stream | subject | body |
|---|---|---|---|
| `campaign` | campaign | campaign | `schema_sha`, `settings`: what is given replaces what was |
| `scope` | campaign | any | `scopes`: list of `id`, `ord`, `text_sha`, `meta`, `stage` |
| `pool` | campaign | any | `items`: list of `id`, `scope`, `ord`, `identity`, `body`, `parent`, `validity`, `p`, |
| | | | `origins` (submissions); one that is there gets more origins, and is no longer withdrawn |
| `withdraw` | campaign | any | `items`: ids; `why` |
| `assign` | campaign | any | `add`: list of `scope`, `stage`, `reader`, `slot`, `due`; `drop`: of the first three |
| `suggest` | campaign | source | `suggestions`: list of `item`, `answers`, `score` |
| `freeze` | campaign | campaign | `frozen`: false thaws |
| `judge`, `undo` | reader | item | `answers`, `complete`, `ms`: all answers, after it |
| `flag` | reader | item | `flag`: text, or null to take it away |
| `comment` | reader, decided | item | `text` |
| `group`, `link` | reader | stage | `body`: all of it, or `patch`: a merge patch (RFC 7396); `items`, `done`, `ms` |
| `finish`, `unfinish` | reader | stage | any |
| `decide` | decided | item, stage | `stage`, `answers`, `how`, `by`, `why`; many at once, instead of `answers`: |
| | | | `decisions`, from subject to answers; `next`: the stage that the scope goes on to |
| `reopen` | decided | stage | `why`: the scope goes back to the stage |
| `person` | admin | person | `name`, `state` |
| `role` | admin | person | `scope`, `role`, `granted`: false takes it away |
| `look` | any | any | any |

Of tracks, in the stream of the track:

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

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from adjudge.serve.store.events import Rows, Write, place_of
from adjudge.serve.store.tables import (
    ASSESS,
    DECIDED,
    TABLES,
    Assignment,
    Campaign,
    Decision,
    Event,
    Grouping,
    Item,
    Judgment,
    Member,
    Note,
    Origin,
    Outcome,
    Person,
    Phase,
    R,
    Role,
    Row,
    Scope,
    Scoring,
    Submission,
    Suggestion,
    Tally,
    Team,
    Track,
)

Key = tuple[Any, ...]
Versioned = Campaign | Judgment | Grouping | Assignment | Decision | Track | Team | Submission
T = TypeVar("T")
SCORED, FAILED, SUPERSEDED = "scored", "failed", "superseded"


def fold(rows: Rows, event: Event) -> None:
    """Apply an event to the rows."""
    KINDS[event.kind](rows, event)


def versioned(write: Write) -> tuple[type[Versioned], Key] | None:
    """The row whose version a write must have seen, and which it raises by one."""
    campaign, scope, reader = place_of(write.stream)
    if write.kind == "campaign":
        return Campaign, (campaign,)
    if write.kind in ("judge", "undo"):
        return Judgment, (campaign, write.subject, reader)
    if write.kind in ("group", "link"):
        return Grouping, (campaign, scope, write.subject, reader)
    if write.kind in ("finish", "unfinish"):
        return Assignment, (campaign, scope, write.subject, reader)
    if write.kind == "decide" and write.body.get("answers") is not None:
        return Decision, (campaign, scope, write.body.get("stage", ASSESS), write.subject)
    if write.kind == "track":
        return Track, (write.subject,)
    if write.kind == "submit":
        return Team, (write.body["team"],)
    if write.kind == "state":
        return Submission, (write.subject,)
    return None


def needed(write: Write) -> list[tuple[type[Row], Key]]:
    """Rows that will be looked at: asked for together, those of many writes cost one question."""
    campaign, scope, reader = place_of(write.stream)
    found: list[tuple[type[Row], Key]] = [(Campaign, (campaign,))] if campaign else []
    if write.kind in ("judge", "undo", "flag", "comment"):
        found += [(Item, (campaign, write.subject)), (Tally, (campaign, scope, ASSESS, reader))]
    if write.kind in ("flag", "comment"):
        found.append((Note, (campaign, write.subject, reader)))
    own = versioned(write)
    return [*found, own] if own else found


def _kept(rows: Rows, new: R, given: Mapping[str, Any], *names: str) -> R:
    """The row that is there, else a new one, in which what is given replaces what was."""
    row = rows.get(type(new), *TABLES[type(new)].at(new)) or new
    for name in names:
        setattr(row, name, given.get(name, getattr(row, name)))
    rows.put(row)
    return row


def _campaign(rows: Rows, event: Event) -> None:
    row = _kept(rows, Campaign(event.subject, "", {}, "open", 0), event.body, "schema_sha", "settings")
    row.version = event.version


def _scope(rows: Rows, event: Event) -> None:
    campaign = place_of(event.stream).campaign
    for given in event.body["scopes"]:
        _kept(rows, Scope(campaign, given["id"], 0, None, {}, ASSESS), given, "ord", "text_sha", "meta", "stage")
        _tally(rows, campaign, given["id"], ASSESS, DECIDED)


def _pool(rows: Rows, event: Event) -> None:
    campaign = place_of(event.stream).campaign
    rows.load(Item, [(campaign, given["id"]) for given in event.body["items"]])
    added: dict[str, int] = {}
    for given in event.body["items"]:
        old = rows.get(Item, campaign, given["id"])
        for submission in given.get("origins", ()):
            rows.put(Origin(campaign, given["id"], submission))
        if old is not None and old.withdrawn is not None:
            old.withdrawn = None
            rows.put(old)
            _count_again(rows, old, 1)
        if old is None:
            new = Item(campaign, given["id"], given["scope"], 0, given["id"], {}, None, False, None, event.n, None)
            _kept(rows, new, given, "ord", "identity", "body", "parent", "validity", "p")
            added[given["scope"]] = added.get(given["scope"], 0) + 1
    for scope, number in added.items():
        _more_items(rows, campaign, scope, number)


def _withdraw(rows: Rows, event: Event) -> None:
    campaign = place_of(event.stream).campaign
    rows.load(Item, [(campaign, item) for item in event.body["items"]])
    for name in event.body["items"]:
        item = _must(rows.get(Item, campaign, name), "item", name)
        if item.withdrawn is None:
            item.withdrawn = event.n
            rows.put(item)
            _count_again(rows, item, -1)


def _count_again(rows: Rows, item: Item, sign: int) -> None:
    """An item comes (back) or goes, and with it what readers have said of it."""
    _more_items(rows, item.campaign, item.scope, sign)
    for judgment in rows.find(Judgment, campaign=item.campaign, item=item.id):
        tally = _tally(rows, item.campaign, item.scope, ASSESS, judgment.reader)
        tally.done += sign * judgment.complete
        tally.ms += sign * judgment.ms
        rows.put(tally)
    for note in rows.find(Note, campaign=item.campaign, item=item.id):
        tally = _tally(rows, item.campaign, item.scope, ASSESS, note.reader)
        tally.flags += sign * (note.flag is not None)
        rows.put(tally)
    if rows.get(Decision, item.campaign, item.scope, ASSESS, item.id) is not None:
        tally = _tally(rows, item.campaign, item.scope, ASSESS, DECIDED)
        tally.done += sign
        rows.put(tally)


def _more_items(rows: Rows, campaign: str, scope: str, number: int) -> None:
    _tally(rows, campaign, scope, ASSESS, DECIDED)
    for tally in rows.find(Tally, campaign=campaign, scope=scope, stage=ASSESS):
        tally.items += number
        rows.put(tally)


def _assign(rows: Rows, event: Event) -> None:
    campaign = place_of(event.stream).campaign
    for given in event.body.get("add", ()):
        key = (campaign, given["scope"], given["stage"], given["reader"])
        _kept(rows, Assignment(*key, 0, "open", None, 0), given, "slot", "due").version += 1
        _tally(rows, *key)
    for given in event.body.get("drop", ()):
        rows.drop(Assignment, campaign, given["scope"], given["stage"], given["reader"])


def _suggest(rows: Rows, event: Event) -> None:
    campaign = place_of(event.stream).campaign
    rows.load(Item, [(campaign, given["item"]) for given in event.body["suggestions"]])
    for given in event.body["suggestions"]:
        scope = _must(rows.get(Item, campaign, given["item"]), "item", given["item"]).scope
        rows.put(Suggestion(campaign, given["item"], event.subject, scope, given["answers"], given.get("score")))


def _freeze(rows: Rows, event: Event) -> None:
    row = _must(rows.get(Campaign, event.subject), "campaign", event.subject)
    row.state = "frozen" if event.body.get("frozen", True) else "open"
    rows.put(row)


def _judge(rows: Rows, event: Event) -> None:
    campaign, scope, reader = place_of(event.stream)
    item = _item(rows, campaign, scope, event.subject)
    key = (campaign, event.subject, reader)
    row = rows.get(Judgment, *key) or Judgment(*key, scope, 0, {}, False, 0, 0)
    complete, ms = bool(event.body.get("complete", False)), int(event.body.get("ms") or 0)
    if item.withdrawn is None:
        tally = _tally(rows, campaign, scope, ASSESS, reader)
        tally.done += complete - row.complete
        tally.ms += ms
        rows.put(tally)
    row.answers, row.complete, row.ms = event.body["answers"], complete, row.ms + ms
    row.version, row.n = event.version, event.n
    rows.put(row)


def _flag(rows: Rows, event: Event) -> None:
    row = _note(rows, event)
    flag = event.body.get("flag")
    if _item(rows, row.campaign, row.scope, row.item).withdrawn is None:
        tally = _tally(rows, row.campaign, row.scope, ASSESS, row.reader)
        tally.flags += (flag is not None) - (row.flag is not None)
        rows.put(tally)
    row.flag = flag
    rows.put(row)


def _comment(rows: Rows, event: Event) -> None:
    row = _note(rows, event)
    said: dict[str, Any] = {name: event.body[name] for name in ("text", "answers") if name in event.body}
    row.comments.append({"by": event.actor, "at": event.at, **said})
    rows.put(row)


def _note(rows: Rows, event: Event) -> Note:
    campaign, scope, reader = place_of(event.stream)
    key = (campaign, event.subject, reader)
    row = rows.get(Note, *key) or Note(*key, scope, None, [], 0)
    row.n = event.n
    return row


def _group(rows: Rows, event: Event) -> None:
    campaign, scope, reader = place_of(event.stream)
    key = (campaign, scope, event.subject, reader)
    row = rows.get(Grouping, *key) or Grouping(*key, 0, {}, 0, 0, 0, 0)
    row.body = event.body["body"] if "body" in event.body else patched(row.body, event.body["patch"])
    row.items = event.body.get("items", row.items)
    row.done = event.body.get("done", row.done)
    row.ms += int(event.body.get("ms") or 0)
    row.version, row.n = event.version, event.n
    rows.put(row)
    tally = _tally(rows, *key)
    tally.items, tally.done, tally.ms = row.items, row.done, row.ms
    rows.put(tally)


def patched(value: Any, patch: Any) -> Any:
    """A JSON value after a merge patch (RFC 7396): dictionaries are merged, null removes, all else replaces.

    >>> patched({"a": {"x": 1, "y": 2}}, {"a": {"y": None, "z": 3}})
    {'a': {'x': 1, 'z': 3}}
    """
    if not isinstance(patch, dict):
        return patch
    made = dict(value) if isinstance(value, dict) else {}
    for name, part in patch.items():
        if part is None:
            made.pop(name, None)
        else:
            made[name] = patched(made.get(name), part)
    return made


def _finish(rows: Rows, event: Event) -> None:
    campaign, scope, reader = place_of(event.stream)
    key = (campaign, scope, event.subject, reader)
    row = _kept(rows, Assignment(*key, 0, "open", None, 0), {})
    row.state, row.version = "finished" if event.kind == "finish" else "open", event.version
    _tally(rows, *key)


def _decide(rows: Rows, event: Event) -> None:
    campaign, scope, _ = place_of(event.stream)
    stage = event.body.get("stage", ASSESS)
    decisions = event.body.get("decisions", {event.subject: event.body.get("answers")})
    rows.load(Decision, [(campaign, scope, stage, subject) for subject in decisions])
    if stage == ASSESS:
        rows.load(Item, [(campaign, subject) for subject in decisions])
    tally = _tally(rows, campaign, scope, stage, DECIDED)
    for subject, answers in decisions.items():
        if answers is None:
            continue  # only the stage goes on
        item = rows.get(Item, campaign, subject) if stage == ASSESS else None
        key = (campaign, scope, stage, subject)
        old = rows.get(Decision, *key)
        new = Decision(*key, answers, "single", event.actor, None, (old.version if old else 0) + 1, event.n)
        for name in ("how", "by", "why"):
            setattr(new, name, event.body.get(name, getattr(new, name)))
        rows.put(new)
        tally.done += old is None and (item is None or item.withdrawn is None)
    rows.put(tally)
    if event.body.get("next"):
        _move(rows, campaign, scope, event.body["next"])


def _reopen(rows: Rows, event: Event) -> None:
    campaign, scope, _ = place_of(event.stream)
    _move(rows, campaign, scope, event.subject)


def _move(rows: Rows, campaign: str, scope: str, stage: str) -> None:
    row = _must(rows.get(Scope, campaign, scope), "scope", scope)
    row.stage = stage
    rows.put(row)


def _person(rows: Rows, event: Event) -> None:
    _kept(rows, Person(event.subject, event.subject, "active", event.at), event.body, "name", "state")


def _role(rows: Rows, event: Event) -> None:
    key = (event.subject, event.body["scope"], event.body["role"])
    if event.body.get("granted", True):
        rows.put(Role(*key))
    else:
        rows.drop(Role, *key)


def _tally(rows: Rows, campaign: str, scope: str, stage: str, reader: str) -> Tally:
    """The counts of a reader, which begin with what is in the pool."""
    found = rows.get(Tally, campaign, scope, stage, reader)
    if found is None:
        pool = rows.get(Tally, campaign, scope, stage, DECIDED) if stage == ASSESS else None
        found = Tally(campaign, scope, stage, reader, pool.items if pool else 0, 0, 0, 0)
        rows.put(found)
    return found


def _item(rows: Rows, campaign: str, scope: str, name: str) -> Item:
    item = _must(rows.get(Item, campaign, name), "item", name)
    if item.scope != scope:
        raise LookupError(f"item {name} is not of {scope}")
    return item


def _must(found: T | None, what: str, name: str) -> T:
    if found is None:
        raise LookupError(f"there is no {what} {name}")
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Tracks


def track_stream(track: str) -> str:
    """The name of a track's stream.

    >>> track_stream("relations")
    't/relations'
    """
    return f"t/{track}"


def _track(rows: Rows, event: Event) -> None:
    rows.put(Track(event.subject, event.body["task"], event.body["settings"], event.version))


def _phase(rows: Rows, event: Event) -> None:
    new = Phase(event.stream[2:], event.subject, None, None, {}, {}, "hidden", None, 0)
    _kept(rows, new, event.body, "opens", "closes", "limits", "gold", "show", "scoring").n = event.n


def _team(rows: Rows, event: Event) -> None:
    row = _kept(rows, Team(event.subject, event.stream[2:], event.subject, 0), event.body, "name")
    for person in event.body.get("add", ()):
        rows.put(Member(row.id, person))
    for person in event.body.get("drop", ()):
        rows.drop(Member, row.id, person)


def _submit(rows: Rows, event: Event) -> None:
    body = event.body
    team = _must(rows.get(Team, body["team"]), "team", body["team"])
    team.version = event.version
    rows.put(team)
    same = ("phase", "team", "number", "name", "sha256", "size", "received", "flags", "deadline")
    given: dict[str, Any] = {name: body[name] for name in same}
    given |= {"id": event.subject, "track": event.stream[2:], "priority": body.get("priority", body["number"])}
    given |= {"state": "received", "since": event.at, "reason": None, "attempts": 0, "scoring": None}
    rows.put(Submission(**given, files={}, score={}, n=event.n, version=1))


def _state(rows: Rows, event: Event) -> None:
    row, body = _must(rows.get(Submission, event.subject), "submission", event.subject), event.body
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
        row = _must(rows.get(Submission, name), "submission", name)
        row.priority = place
        rows.put(row)


def _scoring(rows: Rows, event: Event) -> None:
    new = Scoring(event.subject, event.stream[2:], "", "", "", "", "open", None, None, False)
    names = ("phase", "config_sha", "gold_sha", "adjudge", "state", "board_sha", "manifest_sha", "frozen")
    _kept(rows, new, event.body, *names)


KINDS: dict[str, Callable[[Rows, Event], None]] = {
    "campaign": _campaign,
    "scope": _scope,
    "pool": _pool,
    "withdraw": _withdraw,
    "assign": _assign,
    "suggest": _suggest,
    "freeze": _freeze,
    "judge": _judge,
    "undo": _judge,
    "flag": _flag,
    "comment": _comment,
    "group": _group,
    "link": _group,
    "finish": _finish,
    "unfinish": _finish,
    "decide": _decide,
    "reopen": _reopen,
    "person": _person,
    "role": _role,
    "look": lambda *_: None,  # it is enough that it is written down
    "track": _track,
    "phase": _phase,
    "team": _team,
    "submit": _submit,
    "state": _state,
    "order": _order,
    "scoring": _scoring,
}
ALWAYS: Sequence[str] = ("freeze", "look", "comment")
"""Kinds that a frozen campaign takes."""
