"""Event nuggets: mentions of events in a text, with a type and a realis, and relations between them.

A nugget has its place either as ids of tokens (`tokens`) or as pieces of the text (`pieces`: half-open intervals of
characters, counted from 0), whichever its file gives; the file's own values are kept, so that they can be
written back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from adjudge.errors import Problem

COREFERENCE, AFTER, SUBEVENT = "Coreference", "After", "Subevent"
REALIS = ("Actual", "Generic", "Other")
NOT_ANNOTATED = "NOT_ANNOTATED"
"""The value of a realis or type that was not annotated."""

Piece = tuple[int, int]


class Token(NamedTuple):
    """A row of a token table: `end` is exclusive, whatever the convention of the file."""

    id: str
    text: str
    begin: int
    end: int
    line: int = 0


class Nugget(NamedTuple):
    """One mention of an event; `tokens` or `pieces` is empty. `confidence` holds the optional columns as written."""

    id: str
    type: str
    realis: str
    text: str
    tokens: tuple[str, ...] = ()
    pieces: tuple[Piece, ...] = ()
    confidence: tuple[str, ...] = ()
    system: str = ""
    line: int = 0


class Relation(NamedTuple):
    """A named relation: a whole coreference cluster, or a directed link (earlier, later; parent, part)."""

    name: str
    id: str
    arguments: tuple[str, ...]
    line: int = 0


@dataclass(frozen=True, slots=True)
class NuggetDocument:
    """The nuggets of one document in the order of its file, and their relations; `text` where it is known.

    `problems` are about lines of the file that cannot be read.
    """

    id: str
    nuggets: Sequence[Nugget] = ()
    relations: Sequence[Relation] = ()
    text: str | None = None
    line: int = 0
    problems: Sequence[Problem] = field(default=(), repr=False, compare=False)

    def clusters(self) -> Sequence[Sequence[str]]:
        """The arguments of its coreference relations."""
        return [relation.arguments for relation in self.relations if relation.name == COREFERENCE]


@dataclass(frozen=True, slots=True)
class TokenTable:
    """The tokens of one document in the order of the text."""

    document: str
    tokens: Sequence[Token] = field(default=())
    path: str = ""
