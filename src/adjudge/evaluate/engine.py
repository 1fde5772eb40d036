"""One loop over the documents of a corpus: counted here, in other processes, or on a cluster, in parts.

A part is some documents of all sides. Files whose format says where a document begins are cut into parts that whoever
counts them reads by himself, so that no process holds more than a few; all else is read here and shared out.
Parts are counted in any place and put together in the order of gold, so that the result never depends on where.
"""

from __future__ import annotations

import gc
import os
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from adjudge.engine.local import map_documents, processors, work_folder
from adjudge.errors import AdjudgeError, FormatError, UsageError, ValidationError
from adjudge.evaluate.inputs import Source, choose, is_stdin, name_systems
from adjudge.evaluate.run import Run
from adjudge.evaluate.sides import Names, check_places, check_sides
from adjudge.evaluate.task import Remark, Side, Task
from adjudge.formats.ranges import Range, cut_documents

if TYPE_CHECKING:
    from concurrent.futures import Future

    from adjudge.stats.result import Result

LARGE = 128 << 20  # bytes of all files from which on they are read in parts, and several processes pay
PARTS = 4  # for each process, so that none of them waits long for the last one
AT_ONCE = 1000  # documents of a part, at most
_WITH_NUMPY = 50_000_000  # bytes of all files from which on some readers are faster with numpy


class Share(NamedTuple):
    """What was counted of one system in one part: bare documents, rows of numbers, remarks, and details if kept."""

    documents: dict[str, Any]
    counts: bytes
    remarks: list[tuple[str, Remark]]
    details: list[Any]


class Part(NamedTuple):
    """What was counted of some documents; `documents` are those of gold, bare, also those that were not chosen."""

    documents: dict[str, Any]
    ids: tuple[str, ...]
    attributes: list[Mapping[str, Any]]
    shares: list[Share]


class Counted:
    """All that was counted of one system."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.counts = array("d")
        self.remarks: list[tuple[str, Remark]] = []
        self.details: list[Any] = []

    def rows(self, width: int) -> list[tuple[float, ...]]:
        """One row of counts for each document."""
        values = self.counts.tolist()
        return [tuple(values[at : at + width]) for at in range(0, len(values), width)]


class Evaluation(NamedTuple):
    """A corpus that was counted: the documents that count, in the order of gold, and every system by name."""

    task: Task
    run: Run
    gold: Side
    ids: tuple[str, ...]
    attributes: list[Mapping[str, Any]]
    systems: dict[str, Counted]
    sources: tuple[Source, ...] = ()

    def checked(self) -> Evaluation:
        """The same, unless gold is empty or has no document in common with a system: that is an error, never a zero."""
        sides = [each.side for each in self.systems.values()]
        gold = Names(self.gold.path, self.gold.documents.keys())
        check_sides(gold, [Names(side.path, side.documents.keys()) for side in sides], remedy=self.task.remedy)
        return self

    def result(self) -> Result:
        """Scores, intervals, slices and comparisons."""
        from adjudge.evaluate.results import result_of

        return result_of(self)


class Counter(NamedTuple):
    """Counts parts; travels to other processes."""

    task: Task
    docs: frozenset[str] | None
    keep: bool
    with_numpy: bool = False

    def pairs(self, gold: Mapping[str, Any], systems: Sequence[Mapping[str, Any]]) -> Part:
        """The counts of documents that are in memory."""
        task = self.task
        ids = tuple(gold if self.docs is None else (name for name in gold if name in self.docs))
        shares = [Share({}, b"", [], []) for _ in systems]
        counts = [array("d") for _ in systems]
        for name in ids:
            prepared = task.prepare(gold[name])
            for share, own, numbers in zip(shares, systems, counts, strict=True):
                row = task.observe(prepared, own.get(name), keep=self.keep)
                numbers.extend(row.counts)
                if row.remarks:
                    share.remarks.extend((name, remark) for remark in row.remarks)
                if self.keep:
                    share.details.append(row.detail)
        return Part(
            {name: task.bare(each) for name, each in gold.items()},
            ids,
            [task.attributes(gold[name]) for name in ids],
            [
                share._replace(
                    documents={name: task.bare(each) for name, each in own.items()}, counts=numbers.tobytes()
                )
                for share, own, numbers in zip(shares, systems, counts, strict=True)
            ],
        )

    def files(self, gold: Range, systems: tuple[Range, ...]) -> Part | None:
        """The counts of a part of files; None if there is anything to say about it, which needs all of them."""
        if self.with_numpy:
            import numpy  # noqa: F401 - the reader is faster with it
        collecting = gc.isenabled()
        gc.disable()  # nothing that is read has cycles
        try:
            ours = self.task.read(gold.read(), "gold", digest=False)
            only = frozenset(ours.documents)
            theirs = [self.task.read(each.read(), "system", only=only, digest=False) for each in systems]
            if any(side.notes for side in (ours, *theirs)):
                return None
            return self.pairs(ours.documents, [side.documents for side in theirs])
        except AdjudgeError:
            return None
        finally:
            if collecting:
                gc.enable()


def evaluate(
    task: Task, gold: Source, system: Any, run: Run, *, names: Sequence[str | None] | None = None
) -> Evaluation:
    """Read all sides and count every document of every system."""
    if isinstance(system, Mapping):  # whose keys are names of systems or of documents
        gold = task.read(gold, "gold", digest=run.digest)
    known = gold.documents if isinstance(gold, Side) else ()
    named = name_systems(gold, system, names, known=known, is_whole=task.is_whole)
    found = None if run.keep or isinstance(gold, Side) else _from_parts(task, gold, named, run)
    evaluation = found or _from_whole(task, gold, named, run)
    task.check(evaluation)
    return evaluation._replace(sources=(gold, *(source for _, source in named)))


# ---------------------------------------------------------------------------------------------------------------------
# All documents in memory


def _from_whole(task: Task, gold: Source, named: Sequence[tuple[str, Source]], run: Run) -> Evaluation:
    sides = _read(task, gold, named, run)
    ours, theirs = sides[0], sides[1:]
    for side in theirs:
        check_places(ours, side)
    ids = choose(ours.documents, run.docs)
    counter = Counter(task, None if run.docs is None else frozenset(ids), run.keep)
    size = min(AT_ONCE, 1 + len(ours.documents) // (PARTS * max(run.jobs or processors(), 1)))
    total = 1 + len(ours.documents) // size
    parts = map_documents(
        counter.pairs, _chunks(ours, theirs, size), jobs=run.jobs, cluster=run.cluster, chunk=1, total=total
    )
    return _together(task, run, ours, theirs, parts, apart=False)


def _chunks(gold: Side, systems: Sequence[Side], size: int) -> Iterator[tuple[str, Any, Any]]:
    """Gold documents and those of the systems that belong to them, some at a time; at last those without gold."""
    names = list(gold.documents)
    for start in range(0, len(names), size):
        some = names[start : start + size]
        own = [{name: side.documents[name] for name in some if name in side.documents} for side in systems]
        yield str(start), {name: gold.documents[name] for name in some}, own
    others = [{name: side.documents[name] for name in side.documents if name not in gold.documents} for side in systems]
    if any(others):
        yield "", {}, others


def _read(task: Task, gold: Source, named: Sequence[tuple[str, Source]], run: Run) -> list[Side]:
    """All sides; everything that is wrong with any of the files is raised together."""
    sides: list[Side] = []
    errors: list[AdjudgeError] = []
    only = None
    for name, source in (("gold", gold), *named):
        try:
            side = source if isinstance(source, Side) else task.read(source, name, only=only, digest=run.digest)
        except UsageError:
            raise
        except AdjudgeError as error:
            errors.append(error)
            continue
        sides.append(side)
        if name == "gold" and source is gold:
            only = frozenset(side.documents)
    if errors:
        kind = FormatError if any(isinstance(error, FormatError) for error in errors) else ValidationError
        raise kind([problem for error in errors for problem in error.problems])
    return sides


# ---------------------------------------------------------------------------------------------------------------------
# Files in parts


class _Unfit(Exception):
    """The files have to be read in one piece, which says what is wrong with them."""


def _from_parts(task: Task, gold: Source, named: Sequence[tuple[str, Source]], run: Run) -> Evaluation | None:
    """The same without holding whole files; None if they cannot be cut, or are too small for it to pay."""
    sources = [gold, *(source for _, source in named)]
    if task.begins is None or any(not isinstance(each, str | os.PathLike) or is_stdin(each) for each in sources):
        return None
    paths = [os.fspath(each) for each in sources]
    if not all(map(os.path.isfile, paths)):
        return None
    size, jobs = sum(map(os.path.getsize, paths)), run.jobs
    if run.cluster is None and jobs != 1 and not jobs and size >= LARGE:
        jobs = processors()
    if size < LARGE and run.cluster is None and (jobs or 1) == 1:
        return None
    cut = cut_documents(paths, task.begins, PARTS * (jobs or PARTS))
    if cut is None:
        return None
    docs = None if run.docs is None else frozenset(run.docs)
    counter = Counter(task, docs, run.keep, size > _WITH_NUMPY)
    pairs = ((str(number), part[0], part[1:]) for number, part in enumerate(cut))
    with _digests(paths if run.digest else []) as digests:
        parts = map_documents(
            counter.files,
            pairs,
            jobs=jobs or 1,
            cluster=run.cluster,
            folder=work_folder(paths),
            chunk=1,
            total=len(cut),
        )
        sides = [Side(name, path, {}) for name, path in zip(("gold", *(name for name, _ in named)), paths, strict=True)]
        try:
            found = _together(task, run, sides[0], sides[1:], parts, apart=True)
        except _Unfit:
            return None
        hashes = [each.result() for each in digests] or [""] * len(paths)
    ours = replace(found.gold, digest=hashes[0])
    for counted, digest in zip(found.systems.values(), hashes[1:], strict=True):
        counted.side = replace(counted.side, digest=digest)
    return found._replace(gold=ours)


@contextmanager
def _digests(paths: Sequence[str]) -> Iterator[list[Future[str]]]:
    """The hashes of whole files, made meanwhile by a thread of this process."""
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(1)
    try:
        yield [pool.submit(_digest, path) for path in paths]
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _digest(path: str) -> str:
    import hashlib

    with open(path, "rb") as stream:  # noqa: PTH123
        return hashlib.file_digest(stream, "sha256").hexdigest()


# ---------------------------------------------------------------------------------------------------------------------
# Parts put together


def _together(
    task: Task, run: Run, gold: Side, systems: Sequence[Side], parts: Iterator[tuple[str, Part | None]], *, apart: bool
) -> Evaluation:
    """All parts as one; those of files that were read `apart` bring the documents of the sides as well."""
    counted = [Counted(side) for side in systems]
    ids: list[str] = []
    attributes: list[Mapping[str, Any]] = []
    documents: list[dict[str, Any]] = [{} for _ in (gold, *systems)]
    with closing(parts):  # type: ignore[type-var]
        for _, part in parts:
            if part is None:
                raise _Unfit
            found = [part.documents, *(share.documents for share in part.shares)]
            if apart and _is_mixed(documents, found):
                raise _Unfit
            for own, new in zip(documents, found, strict=True):
                own.update(new)
            ids += part.ids
            attributes += part.attributes
            for one, share in zip(counted, part.shares, strict=True):
                one.counts.frombytes(share.counts)
                one.remarks += share.remarks
                one.details += share.details
            if run.progress is not None:
                run.progress(len(ids), None if apart else len(gold.documents))
    if apart and run.docs is not None and len(ids) < len(set(run.docs)):
        raise _Unfit  # one of them is unknown, or written in another way
    sides = [replace(side, documents=own) for side, own in zip((gold, *systems), documents, strict=True)]
    for one, side in zip(counted, sides[1:], strict=True):
        one.side = side
    return Evaluation(task, run, sides[0], tuple(ids), attributes, {each.side.name: each for each in counted})


def _is_mixed(known: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a document is there twice, or in another part of a system than of gold."""
    if any(not own.keys().isdisjoint(more) for own, more in zip(known, new, strict=True)):
        return True
    gold, ours = known[0], new[0]
    before = any(name in gold for more in new[1:] for name in more)
    after = any(name in own for own in known[1:] for name in ours)
    return before or after
