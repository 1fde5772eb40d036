"""What is asked to be written and what is acknowledged, the chain of hashes that shows any change, and the rows of one
transaction: read once, changed in memory, written together at its end.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

import msgspec

from adjudge.serve.store.sql import Connection
from adjudge.serve.store.tables import TABLES, Event, R, Row

_canonical = msgspec.json.Encoder(order="sorted").encode
START = ""
"""What stands for the hash before the first event of a stream."""


class Write(msgspec.Struct):
    """An event to append; see `fold` for the kinds and their bodies, and `stream_of` for names of streams."""

    stream: str
    kind: str
    subject: str
    body: dict[str, Any]
    actor: str
    key: str  # of this write, so that a repeated request is written once: the tab's id and a counter
    expect: int | None = None  # the version of the row that the writer has seen; None: written whatever it is
    cause: str | None = None


class Written(msgspec.Struct):
    """What was acknowledged: the number and hash of the event, and the version of the row it wrote."""

    n: int
    hash: str
    version: int
    repeated: bool
    seq: int = 0


class Conflict(Exception):
    """A write that was not done, because of what is there: `current`, the row as it is (empty if there is none).

    `reason`: `version` (somebody else was faster), `frozen` (the campaign is), `key` (it was used for something else).
    """

    def __init__(self, current: dict[str, Any], reason: str = "version") -> None:
        super().__init__(reason)
        self.current = current
        self.reason = reason


class Place(NamedTuple):
    """What a stream is of; `scope` and `reader` are empty for the stream of a whole campaign."""

    campaign: str
    scope: str
    reader: str


def stream_of(campaign: str, scope: str | None = None, reader: str | None = None) -> str:
    """The name of a stream: of a campaign, of a reader's work on a scope, of the decisions about it.

    >>> stream_of("autumn"), stream_of("autumn", "d/1", "ann")
    ('c/autumn', 'c/autumn/d/1/ann')
    """
    if "/" in campaign or "/" in (reader or ""):
        raise ValueError(f"a campaign or a reader with a slash: {campaign!r}, {reader!r}")
    return f"c/{campaign}" if scope is None else f"c/{campaign}/{scope}/{reader}"


def place_of(stream: str) -> Place:
    """What the name of a stream says.

    >>> place_of("c/autumn/d/1/ann")
    Place(campaign='autumn', scope='d/1', reader='ann')
    >>> place_of("admin")
    Place(campaign='', scope='', reader='')
    """
    if not stream.startswith("c/"):
        return Place("", "", "")
    campaign, _, rest = stream[2:].partition("/")
    scope, _, reader = rest.rpartition("/")
    return Place(campaign, scope, reader)


def digest(previous: str, event: Event) -> str:
    """The hash of an event that follows the one with the hash `previous` in its stream."""
    content = [getattr(event, name) for name in Event.__struct_fields__[:-1]]
    return hashlib.sha256(previous.encode() + b"\n" + _canonical(content)).hexdigest()


def same_request(write: Write, event: Event) -> bool:
    """Whether a write with the key of an event repeats it: what was measured or derived may differ."""
    return (write.kind, write.subject, write.actor, _asked(write.body)) == (
        event.kind,
        event.subject,
        event.actor,
        _asked(event.body),
    )


def _asked(body: dict[str, Any]) -> bytes:
    return _canonical({name: value for name, value in body.items() if name not in ("complete", "ms")})


class Rows:
    """Rows by their primary keys, as the transaction sees them."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._known: dict[type[Row], dict[tuple[Any, ...], Row | None]] = {kind: {} for kind in TABLES}
        self._changed: dict[type[Row], dict[tuple[Any, ...], None]] = {}

    def get(self, kind: type[R], *key: Any) -> R | None:
        """One row, or None."""
        known = self._known[kind]
        if key not in known:
            found = self.connection.get(kind, [key])
            known[key] = found[0] if found else None
        return cast("R | None", known[key])

    def load(self, kind: type[Row], keys: Sequence[tuple[Any, ...]]) -> None:
        """Fetch rows that will be asked for."""
        known = self._known[kind]
        asked = [key for key in dict.fromkeys(keys) if key not in known]
        if asked:
            known.update(dict.fromkeys(asked))
            table = TABLES[kind]
            known.update((table.at(row), row) for row in self.connection.get(kind, asked))

    def load_all(self, wanted: Mapping[type[Row], Sequence[tuple[Any, ...]]]) -> None:
        """Fetch rows of several tables at once."""
        for kind, keys in wanted.items():
            self._known[kind].update(dict.fromkeys(keys))
        for row in self.connection.get_all(wanted):
            self._known[type(row)][TABLES[type(row)].at(row)] = row

    def find(self, kind: type[R], /, **where: Any) -> list[R]:
        """The rows whose columns have these values."""
        self.flush(kind)
        known, table = self._known[kind], TABLES[kind]
        return [cast("R", known.setdefault(table.at(row), row)) for row in self.connection.find(kind, **where)]

    def put(self, row: Row) -> None:
        """A row that is new or was changed."""
        kind = type(row)
        key = TABLES[kind].at(row)
        self._known[kind][key] = row
        self._changed.setdefault(kind, {})[key] = None

    def drop(self, kind: type[Row], *key: Any) -> None:
        """Remove a row."""
        self._known[kind][key] = None
        self._changed.setdefault(kind, {})[key] = None

    def flush(self, *kinds: type[Row]) -> None:
        """Write what was changed, of these types or of all."""
        for kind in kinds or tuple(self._changed):
            changed = self._changed.pop(kind, None)
            if not changed:
                continue
            rows = {key: self._known[kind][key] for key in changed}
            if gone := [key for key, row in rows.items() if row is None]:
                self.connection.delete(kind, gone)
            if kept := [row for row in rows.values() if row is not None]:
                self.connection.insert(kept, replace=kind is not Event)

    def forget(self) -> None:
        """Write everything, and keep nothing in memory."""
        self.flush()
        for known in self._known.values():
            known.clear()
