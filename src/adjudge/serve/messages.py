"""Requests and answers as structs: bodies are validated against them, and OpenAPI is generated from them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

Key = Annotated[
    str, Meta(min_length=1, max_length=100, description="tab id and counter; a repeat has the first answer")
]
Version = Annotated[int, Meta(ge=0, description="the version that the writer saw")]
Name = Annotated[str, Meta(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f/]+$")]
Text = Annotated[str, Meta(max_length=10_000)]

ERRORS = {
    400: "usage",
    401: "session",
    403: "role",
    404: "missing",
    405: "method",
    409: "version",
    410: "closed",
    413: "size",
    422: "invalid",
    423: "frozen",
    429: "limit",
    500: "bug",
    503: "busy",
}
"""What `error` says in an answer that is none."""


class Fault(Exception):
    """An answer that is none: its status, what is wrong and what to do about it."""

    def __init__(self, status: int, message: str, hint: str = "", **more: Any) -> None:
        super().__init__(message)
        self.status = status
        self.body = ErrorAnswer(error=more.pop("error", ERRORS[status]), message=message, hint=hint, **more)


class ErrorAnswer(msgspec.Struct, omit_defaults=True):
    """Why there is no other answer."""

    error: str
    message: str
    hint: str = ""
    findings: list[dict[str, Any]] = []
    current: dict[str, Any] | None = None


class Judge(msgspec.Struct, forbid_unknown_fields=True):
    """A judgment of one item: what was answered, and how long that took."""

    answers: dict[Name, Text]
    key: Key
    version: Version = 0  # or `If-Match`
    ms: Annotated[int, Meta(ge=0, le=86_400_000)] = 0
    cause: Text | None = None


class JudgeItem(Judge, forbid_unknown_fields=True, kw_only=True):
    """The same in a batch."""

    item: Name


class Operations(msgspec.Struct, forbid_unknown_fields=True):
    """What is done in a stage: `join`, `out`, `put`, `also`, `flag`, `comment`, `undo`, `finish`."""

    ops: Annotated[list[dict[str, Any]], Meta(min_length=1, max_length=1000)]
    key: Key
    version: Version = 0


class Decide(msgspec.Struct, forbid_unknown_fields=True):
    """The official answer to a dispute: that of a reader (1, 2, ...), or one of one's own, and why.

    Of groups and events one's own are the disputed pairs that are the `same`; the others are not.
    """

    stage: Name
    key: Key
    version: Version = 0
    take: Annotated[int, Meta(ge=1, le=6)] | None = None
    answers: dict[Name, Text] | None = None
    why: Text = ""
    same: list[tuple[Text, Text]] | None = None


class Give(msgspec.Struct, forbid_unknown_fields=True):
    """Documents for a reader: named ones, all that nobody has, or a share of all to be read twice."""

    reader: Name
    scopes: list[Name] | None = None
    double: float | None = None


class Reopen(msgspec.Struct, forbid_unknown_fields=True):
    """Back to a stage, and why."""

    stage: Name
    key: Key
    why: Text = ""


class Freeze(msgspec.Struct, forbid_unknown_fields=True):
    """Whether anything can be changed."""

    frozen: bool
    key: Key


class Suggested(msgspec.Struct, forbid_unknown_fields=True):
    """What a judge says of an item: its id, or its scope and as many fields as it takes to tell it from others."""

    item: Name | dict[Name, Any]
    answers: dict[Name, Text]
    scope: Name = ""
    score: float | None = None


class Suggest(msgspec.Struct, forbid_unknown_fields=True):
    """Suggestions of the judge whose token it is; they replace what it has said of these items before."""

    suggestions: Annotated[list[Suggested], Meta(min_length=1, max_length=5000)]
    key: Key


class Pool(msgspec.Struct, forbid_unknown_fields=True):
    """Late responses: files in the format of the campaign by name, and texts of new documents.

    Without any, what is new in the folder that the campaign was made from is taken over.
    """

    files: dict[Name, str] = {}
    texts: dict[Name, str] = {}


class Added(msgspec.Struct):
    """What was new, and what is wrong with the rest."""

    items: int
    new: int
    withdrawn: int
    findings: list[dict[str, Any]]


class Order(msgspec.Struct, forbid_unknown_fields=True):
    """Runs in the order in which their team expects them to be, the best first."""

    runs: Annotated[list[Name], Meta(min_length=1, max_length=1000)]


class PhaseChange(msgspec.Struct, forbid_unknown_fields=True):
    """What is to be done with a phase: `extend` has `closes` (without it: never), `publish` has `show`."""

    do: Literal["extend", "publish", "rescore", "freeze", "thaw", "again"]
    phase: str | None = None
    closes: str | None = None
    zone: str | None = None
    show: str | None = None


class HandedIn(msgspec.Struct, kw_only=True):
    """What was submitted."""

    submission: str
    track: str
    phase: str
    team: str
    number: int
    name: str
    sha256: str
    size: int
    received: str
    ranked: bool
    state: str


class Receipt(HandedIn, kw_only=True):
    """What a team gets for a run: proof of what was received when, in a chain of events that nobody can change."""

    closes: str | None
    late: bool
    event: int
    head: str
    repeated: bool = False


class Run(HandedIn, kw_only=True):
    """A run that was submitted. While it waits: how many are before it, and the seconds that it can take at most."""

    flags: list[str]
    priority: int
    reason: str | None
    since: str
    deadline: str | None
    score: dict[str, Any]
    ahead: int | None
    wait: float | None
    files: list[str]
    version: int


class Saved(msgspec.Struct, omit_defaults=True):
    """What was written: the item and its version now, and the number of the event."""

    version: int
    n: int
    item: str = ""
    complete: bool | None = None
    repeated: bool = False
    feedback: dict[str, Any] | None = None


class Result(msgspec.Struct, omit_defaults=True):
    """The outcome of one write of a batch: saved, or why not."""

    item: str
    status: int
    saved: Saved | None = None
    fault: ErrorAnswer | None = None


class Refused(msgspec.Struct, rename={"report": "csp-report"}):
    """What a browser refused to load, in its own words."""

    report: dict[str, Any]


class Me(msgspec.Struct):
    """Who is signed in, what they may do where, and the token that writes have to carry."""

    person: str
    name: str
    roles: list[tuple[str, str]]
    csrf: str


class Invite(msgspec.Struct, forbid_unknown_fields=True):
    """Whom to invite as what, and for which campaign or track; `team`: of the track, or it is called as the person."""

    name: Name
    role: str
    scope: str = "*"
    team: Name | None = None


class Invited(msgspec.Struct):
    """The link to send; it is shown once and kept nowhere."""

    person: str
    link: str
    expires: str


class Person(msgspec.Struct):
    """Somebody the server knows."""

    person: str
    name: str
    state: str
    roles: list[tuple[str, str]]


class Token(msgspec.Struct):
    """A token for programs; it is shown once and kept nowhere."""

    token: str
    expires: str


class Times(msgspec.Struct):
    """How long the last requests of a route took, in milliseconds."""

    count: int
    p50: float
    p95: float
    p99: float


class Metrics(msgspec.Struct):
    """How the server is doing since it was started."""

    routes: dict[str, Times]
    listeners: int
    refused_by_browsers: int
    disk_free: float  # share of the disk
    runs: dict[str, int] = {}  # those that have not ended, by state
    oldest_waiting: float = 0.0  # seconds
    workers: dict[str, int] = {}  # by what they wait for


class Health(msgspec.Struct):
    """The server works: it has just written a row."""

    state: str
    version: str
