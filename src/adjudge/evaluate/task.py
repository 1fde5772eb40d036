"""What a task defines: how its files are read, what is counted in a pair of documents, and what the counts become.

A task is a small value that holds its own options (the profile, the metrics, ...), so that it can travel to another
process. Everything else, from naming the systems to the signature, is done once for all tasks by the engine.

`Run` has the options that every scoring shares.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

import msgspec

from adjudge.errors import (
    AdjudgeError,
    EnvironmentFault,
    FormatError,
    Problem,
    UsageError,
    ValidationError,
    check_keywords,
)
from adjudge.evaluate.sides import Names, check_places, check_sides
from adjudge.stats.inference import Inference

if TYPE_CHECKING:
    from array import array

    from adjudge.evaluate.engine import Evaluation
    from adjudge.evaluate.validation import Checks
    from adjudge.findings import Findings
    from adjudge.model.document import CorpusNote, Reading
    from adjudge.stats.alignment import Alignment
    from adjudge.stats.elements import ElementTable
    from adjudge.stats.measure import Measure
    from adjudge.stats.panel import Panel
    from adjudge.stats.result import Note, Result
    from adjudge.stats.scores import Drawing

Progress: TypeAlias = "Callable[[int, int], None]"
"""Called with the number of documents done and the number of all, which is an estimate while files are read."""


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """How a corpus is scored, whatever the task.

    `docs` are the gold documents that count, by default all. `jobs` is the number of processes (0: as many as pay),
    `cluster` the address of a Dask scheduler or `local`. `keep` keeps what was found in every document, for
    pages and the output of official programs, `align` makes an alignment of every one, for explanations and saved
    documents; `document` is the only one that counts, given by a part of its name that no other one has. Without
    `digest` the inputs are not hashed for the signature.
    Files are read a part at a time if they are large, or if `stream` says so. `time_limit` bounds, in seconds, the
    search for each document where one is needed; with `exact` a score that is not proven then is an error.
    """

    inference: Inference = msgspec.field(default_factory=Inference)
    pool: str | None = None
    by: tuple[str, ...] = ()
    docs: tuple[str, ...] | None = None
    jobs: int | None = 1
    cluster: str | None = None
    keep: bool = False
    align: bool = False
    document: str | None = None
    digest: bool = True
    stream: bool | None = None
    time_limit: float | None = None
    exact: bool = False
    progress: Progress | None = None


INFERENCE = ("bootstrap", "seed", "interval", "test", "cluster_by")
OPTIONS = (
    "by",
    "ci",
    *INFERENCE,
    "pool",
    "docs",
    "jobs",
    "cluster",
    "stream",
    "time_limit",
    "exact",
    "progress",
    "keep",
    "align",
    "digest",
)


def run_of(
    *,
    by: str | Iterable[str] = (),
    docs: Iterable[str] | None = None,
    ci: float = 0.95,
    function: str = "score",
    **given: Any,
) -> Run:
    """A run from the keywords of a function, by default `score`.

    >>> run_of(by="genre", bootstrap=0).by
    ('genre',)
    """
    check_keywords(given, OPTIONS, function)
    return Run(
        inference=Inference(level=ci, **{name: given.pop(name) for name in INFERENCE if name in given}),
        by=(by,) if isinstance(by, str) else tuple(dict.fromkeys(by)),
        docs=None if docs is None else tuple(map(str, docs)),
        **given,
    )


class Remark(msgspec.Struct, frozen=True):
    """Something noticed about one document while it was counted: what, where, and how often."""

    code: str
    example: str = ""
    number: int = 1


class Row(msgspec.Struct, frozen=True):
    """The counts of one document of one system, in the order of the task's columns, and remarks.

    `detail` is whatever alignments, pages and official outputs are made of; it is kept only if the run or the task
    says so. With `problems` there is no score: all of them are raised together, by the task.
    """

    counts: tuple[float, ...]
    remarks: tuple[Remark, ...] = ()
    detail: Any = None
    problems: tuple[Any, ...] = ()


class Rows(msgspec.Struct, frozen=True):
    """The counts of many documents of one system, one after the other, their details, and remarks by document."""

    counts: array[float]
    details: list[Any]
    remarks: list[tuple[str, Remark]] = []


class Side(msgspec.Struct, frozen=True):
    """Gold or one system: its documents by id, in the order of the file.

    `digest` is a hash of what was read, or for what is in memory a function that makes it if asked. `notes` is what
    the reader says of the file as a whole. `paired_by_place` if the documents had no ids and were numbered. What is in
    memory has no path. A part of a file has `written`, what the hash of the whole is made of, if that is not its bytes.
    `reading` is what it was taken for, if that was found out.
    """

    name: str
    path: str
    documents: Mapping[str, Any]
    digest: str | Callable[[], str] = ""
    notes: tuple[Problem | CorpusNote, ...] = ()
    paired_by_place: bool = False
    written: bytes = b""
    reading: Reading | None = None

    @property
    def place(self) -> str:
        """How messages call it."""
        return self.path or self.name

    def hashed(self) -> str:
        """The hash of what was read."""
        return self.digest if isinstance(self.digest, str) else self.digest()


class Reader(Protocol):
    """Reads the sides of an evaluation, as every task does."""

    def read(self, source: Any, name: str, *, only: Container[str] | None = None, digest: bool = True) -> Side:
        """Read gold."""

    def read_system(self, source: Any, name: str, *, only: Container[str] | None = None, digest: bool = True) -> Side:
        """Read a system; with `only`, errors in other documents do no harm."""


def read_sides(reader: Reader, gold: Any, named: Iterable[tuple[str, Any]], *, digest: bool = True) -> list[Side]:
    """Gold and the systems, by name; everything that is wrong with any of the files is raised together."""
    sides: list[Side] = []
    errors: list[AdjudgeError] = []
    only = None
    for place, (name, source) in enumerate((("gold", gold), *named)):
        read = reader.read_system if place else reader.read
        try:
            if isinstance(source, Side):  # whose name may be that of its file
                side = source if source.name == name else msgspec.structs.replace(source, name=name)
            else:
                side = read(source, name, only=only, digest=digest)
        except AdjudgeError as error:
            errors.append(error)
            continue
        sides.append(side)
        only = only if place else frozenset(side.documents)
    for kind in (UsageError, FormatError, ValidationError):
        if any(isinstance(error, kind) for error in errors):  # what is not a file at all comes first
            told = [
                problem
                for error in errors
                if kind is not UsageError or isinstance(error, kind)
                for problem in error.problems
            ]
            if kind is UsageError:
                fault = any(isinstance(error, EnvironmentFault) for error in errors)
                kind = EnvironmentFault if fault else UsageError
            raise kind(list(dict.fromkeys(told)))
    return sides


def check_common(gold: Side, systems: Iterable[Side], *, remedy: str = "") -> None:
    """Raise if gold is empty or has no document in common with a system: that is an error, never a zero."""
    found = [Names(side.place, side.documents.keys()) for side in systems]
    check_sides(Names(gold.place, gold.documents.keys()), found, remedy=remedy)


class Reported(msgspec.Struct, frozen=True):
    """Which counts go into the result: columns, measures, and the numbers of every system.

    `pool` is how documents are pooled, if it is not as the run says. `best` has rows by place with the highest counts
    that an unfinished search leaves possible. `attributes` are those of the documents, if there are more than were
    asked for, and `unsaved` the fields that are too long to be among them. `by` are the fields to slice by, if the task
    calls them otherwise than the run.
    """

    columns: tuple[str, ...]
    measures: Sequence[Measure]
    counts: Mapping[str, array[float]]
    pool: str | None = None
    best: Mapping[str, Mapping[int, tuple[float, ...]]] = {}
    notes: Mapping[str, Sequence[Note]] = {}
    attributes: Mapping[str, tuple[Any, ...]] | None = None
    unsaved: tuple[str, ...] = ()
    by: tuple[str, ...] | None = None


class Task(ABC):
    """One kind of structure to compare. A new task defines whatever is abstract or has no value."""

    name: ClassVar[str]
    columns: tuple[str, ...]
    begins: ClassVar[tuple[bytes, bytes] | None] = None
    """With what the first and the last line of a document begin, if files of the task can be cut between them."""
    shape: str = "documents"
    """What its files are."""
    unit: str = "character"
    """What spans count."""
    telling: ClassVar[str | None] = None
    """The metric that is low if the spans of a side are shifted; any, if there is no such one."""
    low: ClassVar[float] = 0.2
    """The F1 of that metric below which spans are looked at."""
    looked_at: ClassVar[int | None] = None
    """In how many documents they are looked at; None: in all."""
    remedy: ClassVar[str] = ""
    """What to do about a gold file without documents."""
    large: ClassVar[int] = 128 << 20
    """Bytes of all files from which on they are read in parts, and several processes pay."""
    at_once: ClassVar[int] = 1000
    """Documents that are counted together, at most."""
    keeps: ClassVar[bool] = False
    """Whether the details of documents are always kept."""
    refuses_unknown: ClassVar[bool] = False
    """Whether a system may not have documents that gold does not have."""
    hashes_content: ClassVar[bool] = False
    """Whether the digest of a side is that of what its documents say, and not of the bytes of its file."""

    @property
    @abstractmethod
    def profile(self) -> str:
        """Whose rules are followed."""

    @abstractmethod
    def measures(self) -> Sequence[Measure]:
        """How summed counts become scores."""

    @abstractmethod
    def read(self, source: Any, name: str, *, only: Container[str] | None = None, digest: bool = True) -> Side:
        """Read one side; with `only`, errors in other documents do no harm."""

    def read_system(self, source: Any, name: str, *, only: Container[str] | None = None, digest: bool = True) -> Side:
        """Read a system, if its files differ from those of gold."""
        return self.read(source, name, only=only, digest=digest)

    def validate(self, source: Any, checks: Checks) -> Findings:
        """Report what is wrong with a file: what the reader refuses and notes and, with gold, how the two fit."""
        from adjudge.evaluate.validation import check_source

        return check_source(self, source, checks)

    @abstractmethod
    def observe(self, gold: Any, system: Any | None, *, keep: bool = False) -> Row:
        """Count one document; None stands for a system that does not have it."""

    def count_all(self, gold: Sequence[Any], systems: Sequence[Sequence[Any]]) -> list[Rows] | None:
        """Count many documents at once, for each system; None if each is counted on its own.

        The documents of a system are in the order of gold, None if it does not have one.
        """
        return None

    @abstractmethod
    def align(self, gold: Any, system: Any | None, row: Row) -> Alignment:
        """The outcome of every item of a document, from the row that `observe` made of it, with its detail."""

    def with_gold(self, gold: Any) -> tuple[Task, Any]:
        """The task with what only the gold file tells; sources that can be read only once are read."""
        return self, gold

    def with_texts(self) -> Task:
        """The task that also reads the words of the texts, which alignments show and scores do not need."""
        return self

    def cut(self, sources: Sequence[Any], parts: int, run: Run) -> list[tuple[Any, ...]] | None:
        """Files in about this many parts, each with its share of every side; None if they are read whole."""
        from adjudge.formats.ranges import cut_documents

        if self.begins is None:
            return None
        return cut_documents([os.fspath(each) for each in sources], self.begins, parts)

    def read_part(self, part: Any, *, only: Container[str] | None = None) -> Side:
        """One side of a part of files that were cut."""
        return self.read(part.read(), "gold" if only is None else "system", only=only, digest=False)

    def meet(self, gold: Side, systems: Sequence[Side]) -> tuple[Task, Sequence[Side]]:
        """The task and the systems, once everything that is read whole is known."""
        for side in systems:
            check_places(gold, side)
        return self, systems

    def files(self) -> Iterable[str]:
        """The files read only when documents are counted, by the process that counts them."""
        return ()

    def prepare(self, gold: Any) -> Any:
        """Prepare a gold document once, for all systems."""
        return gold

    def attributes(self, document: Any) -> Mapping[str, Any]:
        """The attributes by which a gold document can be sliced."""
        return {}

    def spans(self, document: Any) -> Iterable[tuple[int, int]]:
        """The positions of everything compared, which show whether a whole side is shifted."""
        return ()

    def are_texts(self, gold: Any, system: Any) -> bool:
        """Whether strings in a list are documents rather than files of systems."""
        return False

    def is_whole(self, value: Any, gold: Mapping[str, Any]) -> bool:
        """Whether something in memory can be all documents of a system rather than the content of one."""
        return True

    def bare(self, document: Any) -> Any:
        """What is kept of a document when its content is dropped."""
        return document

    def signature(self, evaluation: Evaluation) -> Mapping[str, str | float | None]:
        """The task's own part of the signature."""
        return {}

    def elements(self, evaluation: Evaluation) -> Mapping[str, Sequence[ElementTable]]:
        """The counts of every system by fields of what is compared, for slices that cut through documents."""
        return {}

    def drawing(self) -> Drawing | None:
        """How corpora are drawn, if not in the usual way."""
        return None

    def reported(self, evaluation: Evaluation) -> Reported:
        """Which counts go into the result, if not all."""
        counts = {name: counted.counts for name, counted in evaluation.systems.items()}
        return Reported(self.columns, self.measures(), counts)

    def notes(self, evaluation: Evaluation, name: str) -> list[Note]:
        """What a reader of one system's scores should know, besides missing and unknown documents."""
        return []

    def panels(self, evaluation: Evaluation, result: Result) -> tuple[Panel, ...]:
        """What the page shows besides scores and items; saved with the documents."""
        return ()

    def check(self, evaluation: Evaluation) -> None:  # noqa: B027  # most tasks allow everything
        """Raise what the profile does not allow and only the whole corpus reveals."""

    def result(self, evaluation: Evaluation) -> Result:
        """Scores, intervals, slices and comparisons."""
        from adjudge.evaluate.results import result_of

        return result_of(evaluation)
