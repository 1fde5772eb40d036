"""Event arguments and linking: responses, assessments of them, and the frames that link them.

Offsets are inclusive on both sides and count characters of the document from 0. Everything here is a value: two
responses are equal if all their fields are, whatever the store, the confidence or the line they come from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

Realis: TypeAlias = Literal["Actual", "Generic", "Other"]
REALIS: tuple[Realis, ...] = ("Actual", "Generic", "Other")  # in the order of their numbers in content hashes
TIME_ROLES = ("Time", "TIME")

Judgement: TypeAlias = Literal["C", "W", "I"]  # correct, wrong, inexact
MentionType: TypeAlias = Literal["NAME", "NOMINAL"]


class Span(NamedTuple):
    """Characters from `start` to `end`, both inclusive."""

    start: int
    end: int

    def __str__(self) -> str:
        """As files and messages have it.

        >>> str(Span(10, 12))
        '10-12'
        """
        return f"{self.start}-{self.end}"


class Cas(NamedTuple):
    """A canonical argument string: the text as normalised by the reader, and where it stands."""

    text: str
    span: Span


class Response(NamedTuple):
    """An argument of an event: what a system says, without its confidence.

    `justifications` (predicate justifications, at least one) and `additional` (additional argument justifications) are
    sorted and free of repeats.
    """

    document: str
    type: str
    role: str
    cas: Cas
    base_filler: Span
    justifications: tuple[Span, ...]
    additional: tuple[Span, ...]
    realis: Realis

    @property
    def is_time(self) -> bool:
        """Whether the filler is a time."""
        return self.role in TIME_ROLES


class Argument(NamedTuple):
    """A response as a line of a store gives it; `id` is its first column, `comment` the lines above it."""

    response: Response
    confidence: float = 1.0
    id: str = ""
    comment: str | None = None
    line: int = 0


class Assessment(NamedTuple):
    """The judgements of an assessor on a response; None where the guidelines do not ask for one.

    `coref` is not here: it belongs to the CAS, see `AnswerKey`.
    """

    event_type: Judgement | None = None  # AET, column 12
    role: Judgement | None = None  # AER, column 13
    cas: Judgement | None = None  # column 14
    base_filler: Judgement | None = None  # column 15
    realis: Realis | None = None  # column 17
    mention_type: MentionType | None = None  # column 18


@dataclass(frozen=True, slots=True)
class Arguments:
    """The responses of one system for one document, in the order of the file."""

    document: str
    arguments: Sequence[Argument] = ()


@dataclass(frozen=True, slots=True)
class AnswerKey:
    """The assessed pool of one document; `coref` gives the cluster of each CAS that has one.

    `joined` are the CASes that stand in several clusters, which therefore are one.
    `ids` are those of column 1 that are not content hashes, by which frames may call responses; None if several
    responses have the same id. `hashes` are the content hashes of all responses, if they are known.
    """

    document: str
    assessed: Mapping[Response, Assessment] = field(default_factory=dict)
    unassessed: Sequence[Response] = ()
    coref: Mapping[Cas, int] = field(default_factory=dict)
    ids: Mapping[str, Response | None] = field(default_factory=dict, compare=False)
    joined: Sequence[Cas] = field(default=(), compare=False)
    hashes: Mapping[str, Response] = field(default_factory=dict, compare=False)


class Frame(NamedTuple):
    """Responses about one event; `id` is the name of the hopper in files that have one."""

    responses: frozenset[Response]
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Linking:
    """The frames of one document in the order of the file; `incomplete` are responses that are not linked yet."""

    document: str
    frames: Sequence[Frame] = ()
    incomplete: frozenset[Response] = frozenset()

    @property
    def linked(self) -> frozenset[Response]:
        """The responses that are in frames."""
        return frozenset[Response]().union(*(frame.responses for frame in self.frames))
