"""Whole stores of assessments and of frames: read document by document, written by one writer, all or nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from adjudge.errors import FormatError, Problem
from adjudge.findings import Finding, Findings
from adjudge.formats.eal_assessments import UNKNOWN_IDS
from adjudge.formats.eal_lock import identity, locked, resolved
from adjudge.formats.eal_store import FramesStore, KeyStore, Store, open_frames, open_key
from adjudge.formats.eal_write import FolderWriter, KeyWriter
from adjudge.model.eal import AnswerKey, Arguments, Linking, Response
from adjudge.tasks.eal.apply import for_each
from adjudge.tasks.eal.assess import Change, Disagreement, Prefer, add_responses, expand_realis, merge, repair
from adjudge.tasks.eal.consistency import scan_frames, stray_frames
from adjudge.tasks.eal.frames import (
    Projection,
    describe,
    format_classes,
    format_linking,
    linkable,
    project,
    template,
)
from adjudge.tasks.eal.responses import Outcome, Unlinked, class_of, grouped, keep_best, trim
from adjudge.tasks.eal.settings import SPEC, Profile

TRIMS = ("cas", "nested", "coref")

Ids: TypeAlias = Literal["sha1", "2014"]
Prepare: TypeAlias = "Callable[[Arguments, Linking | None, AnswerKey], Outcome]"
Operation: TypeAlias = "Callable[[AnswerKey], tuple[AnswerKey, Iterable[Change]]]"


@contextmanager
def writing_key(
    path: str | Path, *, ids: Ids = "sha1", overwrite: bool = False, seen: tuple[int, int] | None = None
) -> Iterator[KeyWriter]:
    """A writer that holds the lock of the store; `seen` is the identity of the store if it was opened before."""
    with locked(path, overwrite=overwrite, seen=seen), KeyWriter(path, ids=ids, overwrite=True) as writer:
        yield writer


class CreateSummary(NamedTuple):
    """Counts of pooled responses added to a store: removed, new, assessed, or already waiting."""

    documents: int
    pooled: int
    removed: dict[str, int]
    added: int
    assessed: int
    waiting: int


def create_store(
    pool: Store,
    output: str | Path,
    *,
    onto: str | Path | None = None,
    prepare: Prepare | None = None,
    ids: Ids = "sha1",
    overwrite: bool = False,
) -> CreateSummary:
    """Write the responses of a pool as waiting for assessment, on top of a store whose assessments stay as they are.

    If `onto` and `output` are one store, it is replaced. `prepare` takes responses away before.
    """
    with ExitStack() as stack:
        same = onto is not None and _is_same(onto, output)
        seen = identity(output) if same else None
        base = None if onto is None else stack.enter_context(open_key(onto))
        writer = stack.enter_context(writing_key(output, ids=ids, overwrite=overwrite or same, seen=seen))
        return add_pool(pool, writer, base, prepare)


def add_pool(
    pool: Store, writer: KeyWriter, base: KeyStore | None = None, prepare: Prepare | None = None
) -> CreateSummary:
    """The same for whoever has a writer."""
    counts: Counter[str] = Counter()
    removed: Counter[str] = Counter()

    def add(document: str) -> None:
        key = base.key(document) if base is not None and document in base else AnswerKey(document)
        arguments = pool.arguments(document)
        counts.update(documents=1, pooled=len(arguments.arguments))
        if prepare is not None:
            frames = (pool.linking(document) or Linking(document)) if pool.has_linking else None
            outcome = prepare(arguments, frames, key)
            arguments = outcome.arguments
            removed.update(each.reason for each in outcome.removed)
        made = add_responses(key, arguments)
        counts.update(added=made.added, assessed=made.assessed, waiting=made.waiting)
        writer.write(made.key)

    for_each(sorted({*pool.documents, *(base.documents if base else ())}), add, place=pool.place)
    gone = dict(sorted(removed.items()))
    documents, pooled, *rest = (counts[name] for name in ("documents", "pooled", "added", "assessed", "waiting"))
    return CreateSummary(documents, pooled, gone, *rest)


def trimming(kind: str, *, unlinked: Unlinked) -> Prepare:
    """Which responses compete: those with one CAS, with nested CASes, or with CASes in one cluster of the store."""

    def prepare(arguments: Arguments, linking: Linking | None, key: AnswerKey) -> Outcome:
        if kind == "coref":
            return keep_best(arguments, linking, groups=grouped(partial(class_of, coref=key.coref)), unlinked=unlinked)
        return trim(arguments, linking, nested=kind == "nested", unlinked=unlinked)

    return prepare


class MergeSummary(NamedTuple):
    """The outcome of merging several stores; clusters are given by document."""

    documents: int
    assessed: int
    newly_assessed: int
    unassessed: int
    disagreements: list[Disagreement]
    split_clusters: dict[str, list[int]]
    joined_clusters: dict[str, list[int]]


def merge_stores(
    stores: Sequence[str | Path],
    output: str | Path,
    *,
    prefer: Prefer = "baseline",
    ids: Ids = "sha1",
    overwrite: bool = False,
) -> MergeSummary:
    """Write the assessments of all stores; the first has priority, then the second, and so on.

    With `prefer="additional"` it is the last one, then the one before, and so on: later stores correct earlier ones.
    """
    counts: Counter[str] = Counter()
    disagreements: list[Disagreement] = []
    split: dict[str, list[int]] = {}
    joined: dict[str, list[int]] = {}
    with ExitStack() as stack:
        seen = identity(output) if any(_is_same(path, output) for path in stores) else None
        opened = [stack.enter_context(open_key(path)) for path in stores]
        writer = stack.enter_context(writing_key(output, ids=ids, overwrite=overwrite, seen=seen))

        def join(document: str) -> None:
            keys: list[AnswerKey] = []
            for_each([store for store in opened if document in store], lambda store: keys.append(store.key(document)))
            key = keys[0]
            for other in keys[1:]:
                merged = merge(key, other, prefer=prefer)
                key = merged.key
                counts["new"] += len(merged.newly_assessed)
                disagreements.extend(merged.disagreements)
                for found, several in ((split, merged.split), (joined, merged.joined)):
                    if several:
                        found.setdefault(document, []).extend(several)
            writer.write(key)
            counts.update(documents=1, assessed=len(key.assessed), unassessed=len(key.unassessed))

        for_each(sorted({document for store in opened for document in store.documents}), join)
    totals = counts["documents"], counts["assessed"], counts["new"], counts["unassessed"]
    return MergeSummary(*totals, disagreements, split, joined)


class ChangeSummary(NamedTuple):
    """The changes an operation made to a store of assessments."""

    documents: int
    assessed: int
    unassessed: int
    changes: list[Change]


def change_store(
    store: str | Path,
    output: str | Path,
    operation: Operation,
    *,
    repaired: Profile | None = None,
    ids: Ids = "sha1",
    overwrite: bool = False,
    documents: Collection[str] | None = None,
) -> ChangeSummary:
    """Write the outcome of an operation for each document, or for these `documents` only.

    One that repairs them by a profile (`repaired`) gets inconsistent ones, too.
    """
    counts: Counter[str] = Counter()
    changes: list[Change] = []
    with ExitStack() as stack:
        seen = identity(output) if _is_same(store, output) else None
        opened = stack.enter_context((repaired or SPEC).open_key(store))
        opened.keep_only(documents)
        writer = stack.enter_context(writing_key(output, ids=ids, overwrite=overwrite, seen=seen))

        def change(document: str) -> None:
            read = opened.key(document) if repaired is None else _repairable(opened, document, changes)
            key, done = operation(read)
            changes.extend(done)
            counts.update(documents=1, assessed=len(key.assessed), unassessed=len(key.unassessed))
            writer.write(key)

        for_each(opened.documents, change)
    return ChangeSummary(counts["documents"], counts["assessed"], counts["unassessed"], changes)


def expanding(key: AnswerKey) -> tuple[AnswerKey, list[Change]]:
    """`expand_realis` as an operation."""
    key, added = expand_realis(key)
    return key, [Change("realis-copy", key.document, each, f"copied with realis {each.realis}") for each in added]


def repairing(profile: Profile) -> Operation:
    """`repair` as an operation, with the dates of a profile."""
    return partial(repair, profile=profile)


_REPAIRED = ("assessment-missing", "assessment-superfluous", "coref-missing", "coref-conflict", UNKNOWN_IDS)


def _repairable(store: KeyStore, document: str, changes: list[Change]) -> AnswerKey:
    """The assessments of a document as far as a repair can fix them; other problems are raised."""
    key, findings = store.scan_key(document)
    problems = [finding.problem for finding in findings if finding.error and finding.kind not in _REPAIRED]
    if problems:
        raise FormatError(problems)
    for finding in findings:
        if finding.kind == "coref-conflict":
            kind, what = ("first-cluster", "; the first one counts") if finding.error else ("joined-clusters", "")
            changes.append(Change(kind, document, None, finding.problem.message + what))
        elif finding.kind == UNKNOWN_IDS:
            changes.append(Change("new-ids", document, None, finding.problem.message))
    return key


def _is_same(one: str | Path, other: str | Path) -> bool:
    return resolved(one) == resolved(other)


Written: TypeAlias = Literal["responses", "classes"]

_TAKEN_OFF = "linked-incomplete"  # people make frames and leave the INCOMPLETE line as it is, which is corrected here
_SAID_OTHERWISE = (_TAKEN_OFF, "half-linked", "unlinked")


@contextmanager
def writing_frames(path: str | Path, *, overwrite: bool = False) -> Iterator[FolderWriter]:
    """A writer that holds the lock of the store, and flushes what it writes to the disk."""
    with locked(path, overwrite=overwrite), FolderWriter(path, overwrite=True, durable=True) as writer:
        yield writer


class DocumentFrames(NamedTuple):
    """A document: its frames, the TRFRs that can be linked and those that are, and the TRFRs that no frame has."""

    document: str
    frames: int
    classes: int
    linked: int
    unlinked: tuple[str, ...]


class FramesSummary(NamedTuple):
    """A store of frames, document by document.

    `lost` are listed responses that have no place in the key, `split` TRFRs that were one before, `absent` documents
    without frames. `findings` is what is wrong; if any of them is an error, nothing was written.
    """

    documents: list[DocumentFrames]
    lost: list[Response]
    split: list[str]
    absent: list[str]
    findings: Findings

    @staticmethod
    def empty(path: str | Path) -> FramesSummary:
        """Of no documents yet."""
        return FramesSummary([], [], [], [], Findings(str(path), limit=0))

    def add(self, projection: Projection, key: AnswerKey) -> None:
        """Take in a document."""
        pool = linkable(key)
        unlinked = tuple(describe(pool[each]) for each in projection.unlinked)
        frames = len(projection.linking.frames)
        self.documents.append(DocumentFrames(key.document, frames, len(pool), len(pool) - len(unlinked), unlinked))
        self.lost.extend(projection.lost)
        self.split.extend(f"{key.document}: {describe(pool[each])}" for each in projection.split)


def template_store(
    key: str | Path, output: str | Path, *, comments: bool = True, overwrite: bool = False
) -> FramesSummary:
    """Write the linking pool of a store of assessments for people to link, a file for each document."""
    summary = FramesSummary.empty(output)
    with open_key(key) as opened, writing_frames(output, overwrite=overwrite) as writer:

        def describe_all(document: str) -> None:
            read = opened.key(document)
            linking = template(read)
            writer.put(document, format_linking(linking, read, comments=comments))
            summary.add(Projection(linking, (), tuple(linkable(read))), read)

        for_each(opened.documents, describe_all)
    return summary


def read_store(
    frames: str | Path,
    key: str | Path,
    output: str | Path | None = None,
    *,
    written: Written = "responses",
    comments: bool = False,
    overwrite: bool = False,
    profile: Profile = SPEC,
    complete: bool = False,
    documents: Collection[str] | None = None,
) -> FramesSummary:
    """Read frames that people have made, and report problems and what is not linked.

    With `output` they are written in full: every response of each TRFR, and on the INCOMPLETE line what no frame has;
    or, with `written="classes"`, the TRFRs by their digests. Nothing is written if there is an error; with `complete`
    it is one if a TRFR is in no frame. With `documents` other files are not looked at.
    """
    summary = FramesSummary.empty(frames)
    with suppress(_Abandoned), ExitStack() as stack:
        linked = stack.enter_context(open_frames(frames))
        opened = stack.enter_context(profile.open_key(key))
        for store in (linked, opened):
            store.keep_only(documents)
        writer = None
        if output is not None:
            writer = stack.enter_context(writing_frames(output, overwrite=overwrite))
        otherwise = (*_SAID_OTHERWISE, "frame-missing") if complete else _SAID_OTHERWISE

        def read_frames(document: str) -> None:
            read = opened.key(document)
            linking, found = scan_frames(linked, read, profile)
            summary.findings.take(finding for finding in found if finding.kind not in otherwise)
            if document not in linked:
                summary.absent.append(document)
            projection = project(linking, read)
            summary.add(projection, read)
            if complete:
                summary.findings.take(_unlinked(linked.place(document), summary.documents[-1]))
            if writer is not None and written == "classes":
                writer.put(document, format_classes(projection.linking, read))
            elif writer is not None:
                writer.put(document, format_linking(projection.linking, read, comments=comments))

        for_each(opened.documents, read_frames)
        summary.findings.take(stray_frames(linked, opened))
        if summary.findings.errors:
            raise _Abandoned
    return summary


def _unlinked(place: str, document: DocumentFrames) -> list[Finding]:
    hint = "put one of its responses into a frame, even if alone"
    return [
        Finding("unlinked", True, Problem(f"{what} is not linked", path=place, hint=hint), document.document)
        for what in document.unlinked
    ]


def scan_linked(store: FramesStore, key: AnswerKey) -> tuple[Linking | None, list[Problem]]:
    """The frames of a document, and what is wrong with them, but for an INCOMPLETE line that people left as it was."""
    linking, findings = store.scan_linking(key)
    return linking, [each.problem for each in findings if each.error and each.kind != _TAKEN_OFF]


class _Abandoned(Exception):
    """Tells a writer to write nothing."""


def project_store(
    frames: str | Path,
    source: str | Path,
    target: str | Path,
    output: str | Path,
    *,
    comments: bool = True,
    overwrite: bool = False,
) -> FramesSummary:
    """Write frames that were made for one store of assessments as they are on another."""
    summary = FramesSummary.empty(frames)
    with ExitStack() as stack:
        linked = stack.enter_context(open_frames(frames))
        old = stack.enter_context(open_key(source))
        new = stack.enter_context(open_key(target))
        writer = stack.enter_context(writing_frames(output, overwrite=overwrite))

        def project_document(document: str) -> None:
            key = new.key(document)
            before = old.key(document) if document in old else AnswerKey(document)
            linking, problems = scan_linked(linked, before) if document in old else (None, [])
            if problems:
                raise FormatError(problems)
            if linking is None:
                summary.absent.append(document)
            projection = project(linking or Linking(document), key, before)
            summary.add(projection, key)
            writer.put(document, format_linking(projection.linking, key, comments=comments))

        for_each(new.documents, project_document, [finding.problem for finding in stray_frames(linked, old)])
    return summary
