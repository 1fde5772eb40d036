"""Event nuggets: mentions of events in a text, with a type and a realis, and relations between them.

A nugget has its place either as ids of tokens (`tokens`) or as pieces of the text (`pieces`: half-open intervals of
characters, counted from 0), whichever its file gives; the file's own values are kept, so that they can be
written back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

from adjudge.errors import Problem

COREFERENCE, AFTER, SUBEVENT = "Coreference", "After", "Subevent"
REALIS = ("Actual", "Generic", "Other")
NOT_ANNOTATED = "NOT_ANNOTATED"
"""The value of a realis or type that was not annotated."""

Piece = tuple[int, int]
PlaceKind: TypeAlias = Literal["tokens", "pieces", "piece"]
T = TypeVar("T")


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


class _Deferred(Sequence[T]):
    """Items that are created when one of them is needed; their columns are known before."""

    __slots__ = ("_made", "_make", "_size")

    def __init__(self, size: int, make: Callable[[], Sequence[T]]) -> None:
        self._size = size
        self._make = make
        self._made: Sequence[T] | None = None

    def _all(self) -> Sequence[T]:
        if self._made is None:
            self._made = self._make()
        return self._made

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, place: Any) -> Any:
        return self._all()[place]

    def __iter__(self) -> Iterator[T]:
        return iter(self._all())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._all())


class NuggetColumns(_Deferred[Nugget]):
    """Nuggets column by column; `system` is that of the first one.

    A place is a tuple of `tokens` or of `pieces`, or a single `piece` that is not empty if all are; `kind` says which.
    """

    __slots__ = ("ids", "kind", "places", "realis", "system", "types")

    def __init__(
        self,
        columns: tuple[Sequence[str], Sequence[str], Sequence[str], Sequence[Any]],
        kind: PlaceKind,
        system: str,
        make: Callable[[], Sequence[Nugget]],
    ) -> None:
        self.ids, self.types, self.realis, self.places = columns
        super().__init__(len(self.ids), make)
        self.kind = kind
        self.system = system


class ClusterColumns(_Deferred[Relation]):
    """Coreference relations whose `members` are known before the relations are created."""

    __slots__ = ("members",)

    def __init__(self, members: Sequence[Sequence[str]], make: Callable[[], Sequence[Relation]]) -> None:
        super().__init__(len(members), make)
        self.members = members


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
        if isinstance(self.relations, ClusterColumns):
            return self.relations.members
        return [relation.arguments for relation in self.relations if relation.name == COREFERENCE]


@dataclass(frozen=True, slots=True)
class TokenTable:
    """The tokens of one document in the order of the text."""

    document: str
    tokens: Sequence[Token] = field(default=())
    path: str = ""
