"""The tables as types: a struct is a row, its fields are the columns, and SQL is made from them.

Everything but `Event`, `Secret`, `Blob`, `Lease` and `Meta` is state: what `fold` makes of the events, and nothing
else. Ids are texts without meaning to the store; times are UTC in ISO form; `n` is the number of the event in its
stream that wrote the row last.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, get_type_hints

import msgspec

ASSESS = "assess"
DECIDED = "=decided"
"""Stands where a reader's name stands, in streams and in tallies, if official answers are meant."""

_Names = tuple[str, ...]
encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder().decode


class Row(msgspec.Struct):
    """A row of some table."""


R = TypeVar("R", bound=Row)


class Table(NamedTuple):
    """What SQL has to know of a type of rows."""

    name: str
    row: type[Row]
    key: _Names
    columns: dict[str, str]  # name to type: text, integer, real, flag, json; `?` behind it: may be null
    indexes: tuple[_Names, ...]
    unique: tuple[_Names, ...]
    checks: dict[str, _Names]
    state: bool

    def at(self, row: Row) -> tuple[Any, ...]:
        """The primary key of a row."""
        return tuple(getattr(row, name) for name in self.key)

    def values(self, row: Row) -> tuple[Any, ...]:
        """A row as the database takes it."""
        return tuple(
            encode(value).decode() if kind == "json" else int(value) if kind == "flag" else value
            for value, kind in zip((getattr(row, name) for name in self.columns), self.columns.values(), strict=True)
        )

    def made(self, values: tuple[Any, ...]) -> Row:
        """A row as the database gives it."""
        return self.row(
            *(
                decode(value) if kind == "json" else bool(value) if kind == "flag" else value
                for value, kind in zip(values, self.columns.values(), strict=True)
            )
        )


TABLES: dict[type[Row], Table] = {}
_TYPES = {str: "text", int: "integer", float: "real", bool: "flag"}


def _table(
    name: str,
    *key: str,
    index: tuple[_Names, ...] = (),
    unique: tuple[_Names, ...] = (),
    state: bool = True,
    **checks: _Names,
) -> Callable[[type[R]], type[R]]:
    """Declare that rows of a type are kept, with this primary key."""

    def declare(row: type[R]) -> type[R]:
        columns = {}
        for column, hint in get_type_hints(row).items():
            known = getattr(hint, "__args__", (hint,)) if type(None) in getattr(hint, "__args__", ()) else (hint,)
            columns[column] = _TYPES.get(known[0], "json") + "?" * (len(known) > 1)
        TABLES[row] = Table(name, row, key, columns, index, unique, checks, state)
        return row

    return declare


@_table("event", "seq", unique=(("stream", "n"), ("stream", "key")), state=False)
class Event(Row):
    """One thing that somebody did; `seq` counts all of them, `n` those of a stream. Never changed, never removed."""

    seq: int
    stream: str
    n: int
    at: str
    actor: str
    kind: str
    subject: str
    body: dict[str, Any]
    key: str
    cause: str | None
    version: int  # of the row it writes, after it; 0 if it writes none that has one
    hash: str


@_table("stream", "id")
class Stream(Row):
    """How far a stream has come: the number and the hash of its last event."""

    id: str
    n: int
    head: str


@_table("person", "id")
class Person(Row):
    """Somebody who may sign in while `state` is `active`."""

    id: str
    name: str
    state: str
    created: str


@_table("role", "person", "scope", "role")
class Role(Row):
    """What a person may do where: in a campaign, a track, or everywhere (`*`)."""

    person: str
    scope: str
    role: str


@_table("secret", "hash", index=(("person",),), state=False, kind=("invite", "session", "token", "password"))
class Secret(Row):
    """The hash of something that lets a person in."""

    hash: str
    person: str
    kind: str
    scope: str
    expires: str | None
    used: str | None
    last: str | None


@_table("blob", "sha256", state=False)
class Blob(Row):
    """A file below `blobs/`, which is on the disk before it is here."""

    sha256: str
    size: int
    kind: str
    created: str


@_table("campaign", "id")
class Campaign(Row):
    """A campaign of assessment; `state` is `open` or `frozen`."""

    id: str
    schema_sha: str
    settings: dict[str, Any]
    state: str
    version: int


@_table("scope", "campaign", "id")
class Scope(Row):
    """What is assigned as one, such as a document; `stage` is where it stands, or `done`."""

    campaign: str
    id: str
    ord: int
    text_sha: str | None
    meta: dict[str, Any]
    stage: str


@_table("item", "campaign", "id", index=(("campaign", "scope", "ord"),), unique=(("campaign", "identity"),))
class Item(Row):
    """What is assessed. `identity` is the hash of its content, `id` the name that readers see.

    `since` and `withdrawn` are numbers of events of the campaign's stream; `p` is how probable it was that the item
    got into the validity sample.
    """

    campaign: str
    id: str
    scope: str
    ord: int
    identity: str
    body: dict[str, Any]
    parent: str | None
    validity: bool
    p: float | None
    since: int
    withdrawn: int | None


@_table("origin", "campaign", "item", "submission")
class Origin(Row):
    """Who gave an item: nothing of the workbench may ask for it."""

    campaign: str
    item: str
    submission: str


@_table("assignment", "campaign", "scope", "stage", "reader", index=(("campaign", "reader"),))
class Assignment(Row):
    """A reader's work on a stage of a scope; `state` is `open` or `finished`, `slot` first (0) or second (1)."""

    campaign: str
    scope: str
    stage: str
    reader: str
    slot: int
    state: str
    due: str | None
    version: int


@_table("judgment", "campaign", "item", "reader", index=(("campaign", "scope", "reader"),))
class Judgment(Row):
    """What a reader says of an item now; `ms` is the time that all the reader's answers to it took."""

    campaign: str
    item: str
    reader: str
    scope: str
    version: int
    answers: dict[str, Any]
    complete: bool
    ms: int
    n: int


@_table("note", "campaign", "item", "reader", index=(("campaign", "scope", "reader"),))
class Note(Row):
    """A reader's flag on an item, and the comments: dictionaries with `by`, `at`, `text`.

    `answers` in a comment are what the reader has answered differently offline.
    """

    campaign: str
    item: str
    reader: str
    scope: str
    flag: str | None
    comments: list[dict[str, Any]]
    n: int


@_table("grouping", "campaign", "scope", "stage", "reader")
class Grouping(Row):
    """A reader's groups or frames of a scope."""

    campaign: str
    scope: str
    stage: str
    reader: str
    version: int
    body: dict[str, Any]
    items: int
    done: int
    ms: int
    n: int


@_table("decision", "campaign", "scope", "stage", "subject", how=("single", "agreed", "adjudicated", "imported"))
class Decision(Row):
    """The official answers: of an item, or (subject = stage) of the groups or frames of a scope."""

    campaign: str
    scope: str
    stage: str
    subject: str
    answers: dict[str, Any]
    how: str
    by: str
    why: str | None
    version: int
    n: int


@_table("suggestion", "campaign", "item", "source", index=(("campaign", "scope"),))
class Suggestion(Row):
    """What an automatic judge says of an item."""

    campaign: str
    item: str
    source: str
    scope: str
    answers: dict[str, Any]
    score: float | None


@_table("tally", "campaign", "scope", "stage", "reader")
class Tally(Row):
    """Counts of a reader's work; with `DECIDED` for a reader those of the pool and of decisions about it."""

    campaign: str
    scope: str
    stage: str
    reader: str
    items: int
    done: int
    flags: int
    ms: int


@_table("track", "id")
class Track(Row):
    """What teams submit to: command lines, limits and files, as `tracks.TrackSettings` has them."""

    id: str
    task: str
    settings: dict[str, Any]
    version: int


@_table("phase", "track", "id")
class Phase(Row):
    """When a track is open, its gold (`sha256`, `name`, `folder`), what is shown of it, and how it is scored."""

    track: str
    id: str
    opens: str | None
    closes: str | None
    limits: dict[str, Any]
    gold: dict[str, Any]
    show: str
    scoring: str | None
    n: int


@_table("team", "id", index=(("track",),))
class Team(Row):
    """Who hands in; the version counts what they have handed in, so that two uploads see each other."""

    id: str
    track: str
    name: str
    version: int


@_table("member", "team", "person", index=(("person",),))
class Member(Row):
    """A person of a team."""

    team: str
    person: str


@_table("submission", "id", unique=(("track", "phase", "team", "number"),), index=(("state", "since"),))
class Submission(Row):
    """A run that was handed in, and how far it has come.

    `flags`: `human`, `web`, `late`, `file` (its name); `priority` is the place in the order that the team declares;
    `deadline` is when the state has to have ended; `files` are blobs: `findings`, `text` (the same as text), `result`,
    `report`, `log`; `score` is what it is ranked by; `n` is the event of its receipt.
    """

    id: str
    track: str
    phase: str
    team: str
    number: int
    name: str
    sha256: str
    size: int
    received: str
    flags: dict[str, Any]
    priority: int
    state: str
    reason: str | None
    since: str
    deadline: str | None
    attempts: int
    scoring: str | None
    files: dict[str, str]
    score: dict[str, Any]
    n: int
    version: int


@_table("scoring", "id", index=(("track", "phase"),))
class Scoring(Row):
    """All runs of a phase, scored by one release with one gold standard; `config_sha` is a blob with the commands."""

    id: str
    track: str
    phase: str
    config_sha: str
    gold_sha: str
    adjudge: str
    state: str
    board_sha: str | None
    manifest_sha: str | None
    frozen: bool


@_table("outcome", "scoring", "submission")
class Outcome(Row):
    """The outcome of a run in a scoring; a later scoring does not change it."""

    scoring: str
    submission: str
    state: str
    reason: str | None
    files: dict[str, str]
    score: dict[str, Any]
    at: str


@_table("lease", "name", state=False)
class Lease(Row):
    """Who may do what only one may do, until when."""

    name: str
    holder: str
    until: str


@_table("meta", "key", state=False)
class Meta(Row):
    """Facts of the database, such as the number of its schema."""

    key: str
    value: str
