"""The structures that documents of the catalogue's metrics are made of; spans are half-open, [start, end)."""

from __future__ import annotations

import msgspec


class Span(msgspec.Struct, frozen=True):
    """Offsets into a text or a list of tokens, start included, end not."""

    start: int
    end: int


class Mention(msgspec.Struct, frozen=True):
    """A typed span."""

    span: Span
    type: str


class LinkedMention(msgspec.Struct, frozen=True):
    """A span and the entity that it names; one whose name begins with NIL is not in the knowledge base."""

    span: Span
    type: str | None = None
    entity: str | None = None


class Relation(msgspec.Struct, frozen=True):
    """A typed, directed pair of spans, and the types of its arguments where they are known."""

    type: str
    subject: Span
    object: Span
    subject_type: str | None = None
    object_type: str | None = None


class Fact(msgspec.Struct, frozen=True):
    """A relation between two entities of a document, by their numbers or names (DocRED), and the sentences behind it.

    `known` if the training data say the same of the same names.
    """

    type: str
    head: int | str
    tail: int | str
    evidence: frozenset[int] = frozenset()
    known: bool = False


class Dependency(msgspec.Struct, frozen=True):
    """A labelled edge between two tokens; the head of the root is 0."""

    head: int
    dependent: int
    label: str


class Argument(msgspec.Struct, frozen=True):
    """A span in a role of an event."""

    role: str
    span: Span


class Event(msgspec.Struct, frozen=True):
    """A typed trigger with its arguments."""

    type: str
    trigger: Span
    arguments: tuple[Argument, ...] = ()
