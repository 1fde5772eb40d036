"""Events: what is asked to be written, what is acknowledged, and the chain of hashes that shows any change."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import msgspec

from adjudge.serve.store.tables import Event

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
