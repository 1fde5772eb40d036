"""The loop over the documents of a corpus: counted in parts, here, in other processes or on a cluster.

A part is some documents of all sides. Files whose format says where a document begins are cut into parts that whoever
counts them reads by himself, so that no process holds more than a few; all else is read here and shared out.
Parts are counted in any place and put together in the order of gold, so that the result never depends on where.
"""

from __future__ import annotations

import gc
import os
from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec.structs import replace

from adjudge.errors import AdjudgeError
from adjudge.evaluate.processes import begin_document, can_travel, end_document, map_documents, processors, work_folder
from adjudge.evaluate.sides import Source, choose, is_stdin, name_systems, size_of
from adjudge.evaluate.task import Remark, Run, Side, Task, check_common, read_sides

if TYPE_CHECKING:
    from adjudge.stats.alignment import Alignment
    from adjudge.stats.explanation import Explanation
    from adjudge.stats.result import Result

PARTS = 4  # for each process, so that none of them waits long for the last one
LARGEST = 4 << 20  # bytes of a part of all sides, because a process holds all documents of one
CACHED = 2 << 20  # of one that is counted here: its documents stay in the processor's cache (bench coref/splitting)


class Share(msgspec.Struct, frozen=True):
    """The counts of one system in one part: rows of numbers, remarks, problems, and whatever else was requested."""

    counts: bytes
    remarks: list[tuple[str, Remark]]
    problems: list[tuple[str, Any]]
    details: list[Any]
    alignments: list[Alignment]


class Part(msgspec.Struct, frozen=True):
    """The counts of some documents.

    Parts of files also bring, of gold and of every system, all bare documents, also those that were not chosen, and
    what the hash of the whole is made of.
    """

    ids: tuple[str, ...]
    attributes: list[Mapping[str, Any]]
    shares: list[Share]
    documents: list[dict[str, Any]]
    written: list[bytes]


class Counted:
    """All counts of one system."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.counts = array("d")
        self.remarks: list[tuple[str, Remark]] = []
        self.problems: list[tuple[str, Any]] = []
        self.details: list[Any] = []
        self.alignments: list[Alignment] = []

    def rows(self, width: int) -> list[tuple[float, ...]]:
        """One row of counts for each document."""
        values = self.counts.tolist()
        return [tuple(values[at : at + width]) for at in range(0, len(values), width)]


class Evaluation(msgspec.Struct, frozen=True):
    """The counts of a corpus: the chosen documents, in the order of gold, and every system by name.

    If it was read `apart`, in parts, the documents of the sides are bare.
    """

    task: Task
    run: Run
    gold: Side
    ids: tuple[str, ...]
    attributes: list[Mapping[str, Any]]
    systems: dict[str, Counted]
    apart: bool
    sources: tuple[Source, ...] = ()

    def checked(self) -> Evaluation:
        """The same, unless gold is empty or has no document in common with a system: that is an error, never a zero."""
        check_common(self.gold, [each.side for each in self.systems.values()], remedy=self.task.remedy)
        return self

    def result(self) -> Result:
        """Scores, intervals, slices and comparisons, with the alignments if they were asked for."""
        from adjudge.evaluate.results import is_unsigned, readings_of, signature_of, with_documents

        limited: AbstractContextManager[None] = nullcontext()
        if len(self.systems) > 1 and self.run.inference.resamples:  # tests of all pairs of systems
            from adjudge.evaluate.corpus import in_time

            sooner = "fewer resamples (--bootstrap 1000) or another test (--test jackknife)"
            limited = in_time(len(self.ids), self.run.time_limit, sooner, "the systems could not be compared")
        with limited:
            result = self.task.result(self)
        result = msgspec.structs.replace(result, reading=readings_of(self))
        if self.run.align:
            aligned = {name: own.alignments for name, own in self.systems.items()}
            result = with_documents(result, self.ids, aligned, self.task.panels(self, result))
        return result.signed_by(partial(signature_of, self)) if is_unsigned(self) else result

    def explanations(self) -> dict[str, Explanation]:
        """The outcome of the first document, for each system."""
        from adjudge.stats.explanation import Explanation
        from adjudge.stats.notes import UNPROVEN

        notes = {name: [each for each in self.task.notes(self, name) if each.code in UNPROVEN] for name in self.systems}
        return {
            name: Explanation(self.ids[0], name, own.alignments[0], "; ".join(note.message for note in notes[name]))
            for name, own in self.systems.items()
        }


class Counter(msgspec.Struct, frozen=True):
    """Counts parts; travels to other processes."""

    task: Task
    docs: frozenset[str] | None
    keep: bool
    align: bool = False

    def pairs(self, gold: Mapping[str, Any], systems: Sequence[Mapping[str, Any]]) -> Part:
        """The counts of documents in memory."""
        task, known = self.task, dict[bytes, Mapping[str, Any]]()
        ids = tuple(gold if self.docs is None else (name for name in gold if name in self.docs))
        attributes: list[Mapping[str, Any]] = []
        if not (self.keep or self.align) and type(task).count_all is not Task.count_all:
            gold, systems = dict(gold), list(map(dict, systems))
            theirs = [list(map(own.get, ids)) for own in systems]
            found = task.count_all(list(map(gold.__getitem__, ids)), theirs)
            if found is not None:
                attributes = [_interned(known, task.attributes(gold[name])) for name in ids]
                shares = [Share(each.counts.tobytes(), each.remarks, [], each.details, []) for each in found]
                return Part(ids, attributes, shares, [], [])
        shares = [Share(b"", [], [], [], []) for _ in systems]
        counts = [array("d") for _ in systems]
        for name in ids:
            begin_document(name)
            attributes.append(_interned(known, self._count(name, gold, systems, shares, counts)))
        end_document()
        rows = zip(shares, counts, strict=True)
        return Part(
            ids,
            attributes,
            [msgspec.structs.replace(share, counts=numbers.tobytes()) for share, numbers in rows],
            [],
            [],
        )

    def _count(
        self,
        name: str,
        gold: Mapping[str, Any],
        systems: Sequence[Mapping[str, Any]],
        shares: Sequence[Share],
        counts: Sequence[array[float]],
    ) -> Mapping[str, Any]:
        """Count one document, which is dropped before the next is read; returns its attributes."""
        task, keep, document = self.task, self.keep or self.align, gold[name]
        prepared = task.prepare(document)
        for share, own, numbers in zip(shares, systems, counts, strict=True):
            system = own.get(name)
            row = task.observe(prepared, system, keep=keep)
            numbers.extend(row.counts)
            if row.remarks:
                share.remarks.extend((name, remark) for remark in row.remarks)
            if row.problems:
                share.problems.extend((name, problem) for problem in row.problems)
            if self.keep or task.keeps:
                share.details.append(row.detail)
            if self.align and (row.detail is not None or not row.problems):  # the task may let them pass
                share.alignments.append(task.align(prepared, system, row))
        return task.attributes(document)

    def files(self, gold: Any, systems: tuple[Any, ...]) -> Part | None:
        """The counts of a part of files; None if there is anything to say about it, which needs all of them."""
        collecting = gc.isenabled()
        gc.disable()  # nothing that is read has cycles
        try:
            ours = self.task.read_part(gold)
            only = frozenset(ours.documents)
            theirs = [self.task.read_part(each, only=only) for each in systems]
            sides = (ours, *theirs)
            if any(side.notes for side in sides):
                return None
            if self.task.refuses_unknown and any(side.documents.keys() - only for side in theirs):
                return None
            part = self.pairs(ours.documents, [side.documents for side in theirs])
            if any(share.problems for share in part.shares):
                return None
            documents = [
                dict(zip(each.documents, map(self.task.bare, each.documents.values()), strict=True)) for each in sides
            ]
            return msgspec.structs.replace(part, documents=documents, written=[side.written for side in sides])
        except AdjudgeError:
            return None
        finally:
            if collecting:
                gc.enable()


def _interned(known: dict[bytes, Mapping[str, Any]], attributes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Equal attributes, stored once for all documents that have them."""
    try:
        return known.setdefault(msgspec.json.encode(attributes), attributes)  # tells 1, 1.0 and true apart
    except (TypeError, ValueError, RecursionError):
        return attributes


def evaluate(
    task: Task, gold: Source, system: Any, run: Run, *, names: Sequence[str | None] | None = None
) -> Evaluation:
    """Read all sides and count every document of every system."""
    if isinstance(system, Mapping) and not isinstance(gold, Side):  # whose keys are names of systems or of documents
        gold = task.read(gold, "gold", digest=run.digest)
    known = gold.documents if isinstance(gold, Side) else {}
    texts = task.are_texts(gold, system)

    def is_whole(value: Any) -> bool:
        return isinstance(value, Side) or task.is_whole(value, known)

    # What was read already is no document, whatever it is called.
    ids = () if isinstance(system, Mapping) and all(isinstance(each, Side) for each in system.values()) else known
    named = name_systems(gold, system, names, known=ids, is_whole=is_whole, texts=texts)
    task, gold = task.with_gold(gold)
    if run.align:
        task = task.with_texts()
    found = None if run.keep or run.align or isinstance(gold, Side) else _from_parts(task, gold, named, run)
    evaluation = found or _from_whole(task, gold, named, run)
    evaluation.task.check(evaluation)
    return msgspec.structs.replace(evaluation, sources=(gold, *(source for _, source in named)))


def explain(
    task: Task, gold: Source, system: Any, document: str, run: Run | None = None, **more: Any
) -> dict[str, Explanation]:
    """The outcomes in one document, for each system by name; a part of its name suffices if no other one has it."""
    run = msgspec.structs.replace(run or Run(), align=True, document=document, digest=False)
    return evaluate(task, gold, system, run, **more).checked().explanations()


# ---------------------------------------------------------------------------------------------------------------------
# All documents in memory


def _from_whole(task: Task, gold: Source, named: Sequence[tuple[str, Source]], run: Run) -> Evaluation:
    ours, *theirs = read_sides(task, gold, named, digest=run.digest)
    if run.docs is not None and task.refuses_unknown:
        theirs = [_without_others(side, {*run.docs, *ours.documents}) for side in theirs]
    task, systems = task.meet(ours, [by_position(ours, side) for side in theirs])
    ids = choose(ours.documents, run.docs)
    if run.document is not None:
        from adjudge.stats.explanation import find_document

        ids = (find_document(ids, run.document),)
    counter = Counter(task, None, run.keep, run.align)
    size = min(task.at_once, 1 + len(ids) // (PARTS * max(run.jobs or processors(), 1)))
    chunks = (ids[start : start + size] for start in range(0, len(ids), size))
    pairs = ((str(number), *_chosen(some, ours, systems)) for number, some in enumerate(chunks))
    total, folder = 1 + len(ids) // size, work_folder(task.files())
    parts = map_documents(counter.pairs, pairs, jobs=run.jobs, cluster=run.cluster, total=total, folder=folder)
    return _together(task, run, [ours, *systems], parts, total=len(ids))


def _without_others(system: Side, known: Collection[str]) -> Side:
    """A system without the documents that are neither gold nor asked for; one that has no other is left as it is."""
    kept = [name for name in system.documents if name in known]
    if not kept or len(kept) == len(system.documents):
        return system
    return replace(system, documents={name: system.documents[name] for name in kept})


def by_position(gold: Side, system: Side) -> Side:
    """A system whose documents are in the order of gold, if only one side has ids and they are not both files."""
    one = system.paired_by_place != gold.paired_by_place and len(system.documents) == len(gold.documents)
    files = all(each.path not in ("", "<documents>") for each in (gold, system))
    if not one or files or system.documents.keys() == gold.documents.keys():
        return system
    from adjudge.model.document import CorpusNote

    number = len(system.documents)
    note = CorpusNote(
        "paired-by-position",
        number,
        f"{system.name}: {number} {'document was' if number == 1 else 'documents were'} paired by position",
    )
    documents = dict(zip(gold.documents, system.documents.values(), strict=True))
    return replace(system, documents=documents, paired_by_place=gold.paired_by_place, notes=(*system.notes, note))


def _chosen(names: Sequence[str], gold: Side, systems: Sequence[Side]) -> tuple[_Some, list[_Some]]:
    """Some gold documents and the corresponding documents of the systems."""
    own = [_Some([name for name in names if name in side.documents], side.documents) for side in systems]
    return _Some(names, gold.documents), own


class _Some(Mapping[str, Any]):
    """Some documents of a side, each read when it is asked for, while the one before it goes (bench nugget/splitting).

    They are all read to be sent to another process.
    """

    def __init__(self, names: Sequence[str], documents: Mapping[str, Any]) -> None:
        self.names = dict.fromkeys(names)
        self.documents = documents

    def __getitem__(self, name: str) -> Any:
        return self.documents[name]

    def get(self, name: str, default: Any = None) -> Any:
        """A document, if it is one of the chosen."""
        return self.documents[name] if name in self.names else default

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        return dict, (dict(self),)


# ---------------------------------------------------------------------------------------------------------------------
# Files in parts


class _Unfit(Exception):
    """The files have to be read whole, which reports what is wrong with them."""


def _from_parts(task: Task, gold: Source, named: Sequence[tuple[str, Source]], run: Run) -> Evaluation | None:
    """The same without holding whole files; None if they cannot be cut, or are too small for it to be worthwhile."""
    sources = [gold, *(source for _, source in named)]
    if any(not isinstance(each, str | os.PathLike) or is_stdin(each) for each in sources):
        return None
    size, jobs = sum(map(size_of, sources)), run.jobs
    if not jobs and size >= task.large:
        jobs = processors()
    if size < task.large and run.cluster is None and (jobs or 1) == 1 and not run.stream:
        return None
    counter = Counter(task, None if run.docs is None else frozenset(run.docs), run.keep)
    if not run.jobs and run.cluster is None and not can_travel(counter.files):
        jobs = 1
    here = (jobs or 1) == 1 and run.cluster is None
    cut = task.cut(sources, max(PARTS * (jobs or PARTS), size // (CACHED if here else LARGEST)), run)
    if cut is None:
        return None
    paths = [] if task.hashes_content or not run.digest else list(map(os.fspath, sources))
    with _digests(paths, cut, passing=here) as (cut, digests):
        parts = map_documents(
            counter.files,
            ((str(number), part[0], part[1:]) for number, part in enumerate(cut)),
            jobs=jobs or 1,
            cluster=run.cluster,
            folder=work_folder([*sources, *task.files()]),
            total=len(cut),
        )
        names = ("gold", *(name for name, _ in named))
        sides = [Side(name, os.fspath(source), {}) for name, source in zip(names, sources, strict=True)]
        try:
            found = _together(task, run, sides, parts, cut=len(cut))
        except _Unfit:
            return None
        hashes = [each() for each in digests]
    if not hashes:
        return found
    for counted, digest in zip(found.systems.values(), hashes[1:], strict=True):
        counted.side = replace(counted.side, digest=digest)
    return msgspec.structs.replace(found, gold=replace(found.gold, digest=hashes[0]))


class _Passing(NamedTuple):
    """A part of a file whose bytes are hashed as they are read; reading files twice takes time (bench coref/splitting).

    Parts are contiguous, and one process reads them in order.
    """

    part: Any
    hasher: Any

    def read(self) -> bytes:
        """Its bytes."""
        data: bytes = self.part.read()
        self.hasher.update(data)
        return data


@contextmanager
def _digests(
    paths: Sequence[str], cut: list[tuple[Any, ...]], *, passing: bool
) -> Iterator[tuple[list[tuple[Any, ...]], list[Callable[[], str]]]]:
    """The parts, and what gives the hashes of whole files: of bytes that pass, or computed by a thread meanwhile."""
    if not paths:
        yield cut, []
        return
    if passing:
        hashers = [_sha256() for _ in paths]
        yield [tuple(map(_Passing, part, hashers)) for part in cut], [each.hexdigest for each in hashers]
        return
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(1)
    try:
        yield cut, [pool.submit(_digest, path).result for path in paths]
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _digest(path: str) -> str:
    import hashlib

    with open(path, "rb") as stream:  # noqa: PTH123
        return hashlib.file_digest(stream, "sha256").hexdigest()


# ---------------------------------------------------------------------------------------------------------------------
# Parts put together


def _together(
    task: Task, run: Run, sides: list[Side], parts: Iterator[tuple[str, Part | None]], *, total: int = 0, cut: int = 0
) -> Evaluation:
    """All parts as one: `total` documents, or files that are `cut` into so many parts.

    Parts of files bring the documents of the sides as well, and what is read of them says how many there may be.
    """
    counted = [Counted(side) for side in sides[1:]]
    ids: list[str] = []
    attributes: list[Mapping[str, Any]] = []
    known: dict[bytes, Mapping[str, Any]] = {}
    documents: list[dict[str, Any]] = [{} for _ in sides]
    written = [_sha256() for _ in sides] if cut else []
    with closing(parts):  # type: ignore[type-var]
        for done, (_, part) in enumerate(parts, 1):
            if part is None or _is_mixed(documents, part.documents):
                raise _Unfit
            for own, more, digest, new in zip(documents, part.documents, written, part.written, strict=False):
                own.update(more)
                digest.update(new)
            ids += part.ids
            attributes += [_interned(known, each) for each in part.attributes]
            for one, share in zip(counted, part.shares, strict=True):
                one.counts.frombytes(share.counts)
                one.remarks += share.remarks
                one.problems += share.problems
                one.details += share.details
                one.alignments += share.alignments
            if run.progress is not None:
                run.progress(len(ids), round(len(ids) * cut / done) if cut else total)
    if cut:
        if run.docs is not None and len(ids) < len(set(run.docs)):
            raise _Unfit  # one of them is unknown, or written in another way
        digests = [each.hexdigest() if task.hashes_content else "" for each in written]
        found = zip(sides, documents, digests, strict=True)
        sides = [replace(side, documents=own, digest=digest) for side, own, digest in found]
        for one, side in zip(counted, sides[1:], strict=True):
            one.side = side
    systems = {each.side.name: each for each in counted}
    return Evaluation(task, run, sides[0], tuple(ids), attributes, systems, bool(cut))


def _sha256() -> Any:
    import hashlib

    return hashlib.sha256()


def _is_mixed(known: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a document occurs twice, or in another part of a system than of gold."""
    if any(not own.keys().isdisjoint(more) for own, more in zip(known, new, strict=False)):
        return True
    before = any(not known[0].keys().isdisjoint(more) for more in new[1:])
    return before or (bool(new) and any(not own.keys().isdisjoint(new[0]) for own in known[1:]))
