"""Whole stores of reference frames: templates to be completed, completed frames read back, frames on another key."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from adjudge.errors import FormatError, Problem
from adjudge.formats.eal_store import FramesStore
from adjudge.formats.eal_write import FolderWriter
from adjudge.formats.findings import Finding
from adjudge.model.eal import AnswerKey, Linking, Response
from adjudge.tasks.eal.assess_files import Gathered, closing, open_assessments, open_reference
from adjudge.tasks.eal.consistency_files import scan_frames, stray_frames
from adjudge.tasks.eal.frames import (
    Projection,
    describe,
    format_classes,
    format_linking,
    linkable,
    project,
    template,
)
from adjudge.tasks.eal.locking import locked
from adjudge.tasks.eal.profiles import SPEC, Profile

Written: TypeAlias = Literal["responses", "classes"]

_TAKEN_OFF = "linked-incomplete"  # people make frames and leave the INCOMPLETE line as it is
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
    findings: list[Finding]

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return sum(finding.error for finding in self.findings)


class _Summary:
    def __init__(self) -> None:
        self.documents: list[DocumentFrames] = []
        self.lost: list[Response] = []
        self.split: list[str] = []
        self.absent: list[str] = []
        self.findings: list[Finding] = []

    def add(self, projection: Projection, key: AnswerKey) -> None:
        pool = linkable(key)
        unlinked = tuple(describe(pool[each]) for each in projection.unlinked)
        frames = len(projection.linking.frames)
        self.documents.append(DocumentFrames(key.document, frames, len(pool), len(pool) - len(unlinked), unlinked))
        self.lost += projection.lost
        self.split += [f"{key.document}: {describe(pool[each])}" for each in projection.split]

    def finish(self) -> FramesSummary:
        return FramesSummary(self.documents, self.lost, self.split, self.absent, self.findings)


def template_store(
    key: str | Path, output: str | Path, *, comments: bool = True, overwrite: bool = False
) -> FramesSummary:
    """Write the linking pool of a store of assessments for people to link, a file for each document."""
    summary = _Summary()
    gathered = Gathered()
    with ExitStack() as stack:
        opened = closing(stack, open_assessments(key))
        writer = stack.enter_context(writing_frames(output, overwrite=overwrite))
        for document in opened.documents:
            with gathered.each():
                read = opened.key(document)
                linking = template(read)
                writer.put(document, format_linking(linking, read, comments=comments))
                summary.add(Projection(linking, (), tuple(linkable(read))), read)
            if gathered.enough:
                break
        gathered.finish()
    return summary.finish()


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
    """Read frames that people have made, and say what is wrong and what is not linked.

    With `output` they are written in full: every response of each TRFR, and on the INCOMPLETE line what no frame has;
    or, with `written="classes"`, the TRFRs by their digests. Nothing is written if there is an error; with `complete`
    it is one if a TRFR is in no frame. With `documents` other files are not looked at.
    """
    summary = _Summary()
    with suppress(_Abandoned), ExitStack() as stack:
        linked = closing(stack, open_reference(frames))
        opened = closing(stack, open_assessments(key, profile))
        for store in (linked, opened):
            store.keep_only(documents)
        writer = None
        if output is not None:
            writer = stack.enter_context(writing_frames(output, overwrite=overwrite))
        gathered = Gathered()
        otherwise = (*_SAID_OTHERWISE, "frame-missing") if complete else _SAID_OTHERWISE
        for document in opened.documents:
            with gathered.each():
                read = opened.key(document)
                linking, found = scan_frames(linked, read, profile)
                summary.findings += [finding for finding in found if finding.kind not in otherwise]
                if document not in linked:
                    summary.absent.append(document)
                projection = project(linking, read)
                summary.add(projection, read)
                if complete:
                    summary.findings += _unlinked(linked.place(document), summary.documents[-1])
                if writer is not None and written == "classes":
                    writer.put(document, format_classes(projection.linking, read))
                elif writer is not None:
                    writer.put(document, format_linking(projection.linking, read, comments=comments))
            if gathered.enough:
                break
        gathered.finish()
        summary.findings += stray_frames(linked, opened)
        if summary.finish().errors:
            raise _Abandoned
    return summary.finish()


def _unlinked(place: str, document: DocumentFrames) -> list[Finding]:
    hint = "put one of its responses into a frame, if only alone"
    return [
        Finding("unlinked", True, Problem(f"{what} is not linked", path=place, hint=hint), document.document)
        for what in document.unlinked
    ]


def _linking(store: FramesStore, key: AnswerKey) -> Linking | None:
    linking, findings = store.scan_linking(key)
    problems = [finding.problem for finding in findings if finding.error and finding.kind != _TAKEN_OFF]
    if problems:
        raise FormatError(problems)
    return linking


class _Abandoned(Exception):
    """Tells a writer that nothing is to be written."""


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
    summary = _Summary()
    gathered = Gathered()
    with ExitStack() as stack:
        linked = closing(stack, open_reference(frames))
        old = closing(stack, open_assessments(source))
        new = closing(stack, open_assessments(target))
        writer = stack.enter_context(writing_frames(output, overwrite=overwrite))
        gathered.problems += [finding.problem for finding in stray_frames(linked, old)]
        for document in new.documents:
            with gathered.each():
                key = new.key(document)
                before = old.key(document) if document in old else AnswerKey(document)
                linking = _linking(linked, before) if document in old else None
                if linking is None:
                    summary.absent.append(document)
                projection = project(linking or Linking(document), key, before)
                summary.add(projection, key)
                if not gathered.problems:
                    writer.put(document, format_linking(projection.linking, key, comments=comments))
            if gathered.enough:
                break
        gathered.finish()
    return summary.finish()
