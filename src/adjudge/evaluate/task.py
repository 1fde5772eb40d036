"""What a task is: how its files are read, what is counted of a pair of documents, and what is made of the counts.

A task is a small value that holds its own options (the profile, the metrics, ...), so that it can travel to another
process. Everything else, from naming the systems to the signature, is done once for all tasks by the engine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from adjudge.errors import Problem

if TYPE_CHECKING:
    from adjudge.evaluate.engine import Evaluation
    from adjudge.stats.measure import Measure
    from adjudge.stats.result import Note


class Remark(NamedTuple):
    """Something that happened to one document on the way to its counts, and where."""

    code: str
    example: str


class Row(NamedTuple):
    """What one document of one system gave: the counts in the order of the task's columns, and what to remark on.

    `detail` is whatever explanations, pages and official outputs are made of; it is kept only if the run says so.
    """

    counts: tuple[float, ...]
    remarks: tuple[Remark, ...] = ()
    detail: Any = None


@dataclass(frozen=True, slots=True)
class Side:
    """Gold or one system: its documents by id, in the order of the file.

    `digest` is a hash of what was read, `notes` what the reader says of the file as a whole. `paired_by_place` if the
    documents had no ids and were numbered.
    """

    name: str
    path: str
    documents: Mapping[str, Any]
    digest: str = ""
    notes: tuple[Problem, ...] = ()
    paired_by_place: bool = False


class Task(ABC):
    """One kind of structure to be compared. What is abstract or a class variable is what a new task has to say."""

    name: ClassVar[str]
    columns: ClassVar[tuple[str, ...]]
    begins: ClassVar[tuple[bytes, bytes] | None] = None
    """With what the first and the last line of a document begin, if files of the task can be cut between them."""
    unit: ClassVar[str] = "character"
    """What spans count."""
    telling: ClassVar[str | None] = None
    """The metric that is low if the spans of a side are shifted; any, if there is no such one."""
    remedy: ClassVar[str] = ""
    """What to do about a gold file without documents."""

    @property
    @abstractmethod
    def profile(self) -> str:
        """Whose rules are followed."""

    @abstractmethod
    def measures(self) -> Sequence[Measure]:
        """How summed counts become scores."""

    @abstractmethod
    def read(self, source: Any, name: str, *, only: Container[str] | None = None, digest: bool = True) -> Side:
        """One side; with `only`, what is broken in documents of other names does no harm."""

    @abstractmethod
    def observe(self, gold: Any, system: Any | None, *, keep: bool = False) -> Row:
        """The counts of one document; None is a system that does not have it."""

    def prepare(self, gold: Any) -> Any:
        """What is done with a gold document once, for all systems."""
        return gold

    def attributes(self, document: Any) -> Mapping[str, Any]:
        """What a gold document can be sliced by."""
        return {}

    def spans(self, document: Any) -> Iterable[tuple[int, int]]:
        """The places of everything that is compared, which tell whether a whole side is shifted."""
        return ()

    def is_whole(self, value: Any) -> bool:
        """Whether something in memory can be all documents of a system, and not the content of one."""
        return True

    def bare(self, document: Any) -> Any:
        """What has to be known of a document when its content is forgotten."""
        return document

    def fields(self) -> Mapping[str, str | float | None]:
        """The task's own part of the signature."""
        return {}

    def notes(self, evaluation: Evaluation, name: str) -> list[Note]:
        """What a reader of the scores of one system should know, beside missing and unknown documents."""
        return []

    def check(self, evaluation: Evaluation) -> None:  # noqa: B027  # most tasks allow everything
        """Raise whatever the profile does not allow and only the whole corpus shows."""
