"""Whole stores of assessments and reference frames, checked document by document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from adjudge.errors import Problem, did_you_mean
from adjudge.formats.eal_store import FramesStore, KeyStore, open_store
from adjudge.formats.findings import Finding
from adjudge.model.eal import AnswerKey, Linking
from adjudge.tasks.eal.assess_files import closing, open_assessments, open_reference
from adjudge.tasks.eal.consistency import FramePlaces, KeyPlaces, check_frames, check_key, check_pool
from adjudge.tasks.eal.frames import classes, linkable
from adjudge.tasks.eal.profiles import SPEC, Profile
from adjudge.tasks.eal.validation_findings import LIMIT, Collector


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What was found in a store of assessments, and in frames if they were given, and what is in them."""

    path: str
    frames_path: str | None
    profile: str
    findings: list[Finding]
    unlisted: dict[str, int]
    errors: int
    warnings: int
    documents: int = 0
    assessed: int = 0
    unassessed: int = 0
    clusters: int = 0
    classes: int = 0
    frames: int = 0
    linked: int = 0


def check(
    path: str | Path,
    *,
    frames: str | Path | None = None,
    pool: str | Path | None = None,
    documents: Sequence[str] | None = None,
    profile: Profile = SPEC,
    limit: int = LIMIT,
) -> CheckReport:
    """Everything that is wrong with a store of assessments, and with reference frames for it.

    With `pool` the assessed responses are compared with those that were pooled. With `documents` only these are looked
    at, and each of them must be there. Of each kind `limit` findings are listed and the others counted; 0 lists all.
    """
    collector = Collector(limit)
    counts = dict.fromkeys(("documents", "assessed", "unassessed", "clusters", "classes", "frames", "linked"), 0)
    with ExitStack() as stack:
        store = closing(stack, open_assessments(path, profile))
        linked = None if frames is None else closing(stack, open_reference(frames))
        pooled = None if pool is None else closing(stack, open_store(pool))
        collector.take(store.notes)
        if linked is not None:
            collector.take(linked.notes)
        names = store.documents
        if documents is not None:
            names = sorted({*names}.intersection(documents))
            collector.take(_missing(documents, store))
        for document in names:
            key, found = store.scan_key(document)
            places = _key_places(store, document)
            found += check_key(key, store.place(document), places, profile=profile)
            if pooled is not None:
                found += check_pool(key, pooled.arguments(document), store.place(document), places)
            if not (found or key.assessed or key.unassessed) and (store.bytes_of(document) or b"").strip():
                hint = "keep it elsewhere if it is no document"
                problem = Problem("the file has comments and no response", path=store.place(document), hint=hint)
                found.append(Finding("no-responses", False, problem, document))
            collector.take(_in_order(found))
            counts["documents"] += 1
            counts["assessed"] += len(key.assessed)
            counts["unassessed"] += len(key.unassessed)
            counts["clusters"] += len(set(key.coref.values()))
            good = linkable(key)
            counts["classes"] += len(good)
            if linked is not None:
                linking, found = scan_frames(linked, key, profile)
                collector.take(_in_order(found))
                counts["frames"] += len(linking.frames)
                here = classes((each for frame in linking.frames for each in frame.responses), key.coref)
                counts["linked"] += len(here & good.keys())
        if pooled is not None:
            wanted = pooled.documents if documents is None else sorted({*pooled.documents}.intersection(documents))
            collector.take(_missing(wanted, store))
        if linked is not None:
            only = None if documents is None else set(documents)
            collector.take(each for each in stray_frames(linked, store) if only is None or each.document in only)
    shown = None if frames is None else str(frames)
    return CheckReport(
        str(path),
        shown,
        profile.name,
        collector.findings,
        collector.unlisted(),
        collector.errors,
        collector.warnings,
        **counts,
    )


def scan_frames(store: FramesStore, key: AnswerKey, profile: Profile) -> tuple[Linking, list[Finding]]:
    """The frames of a document as far as they can be read, and everything that is wrong with them."""
    linking, findings = store.scan_linking(key)
    place = store.place(key.document)
    if linking is None:
        needed = bool(linkable(key))
        hint = (
            "write the file, with frames for its good responses" if needed else "write a file with an empty INCOMPLETE"
        )
        problem = Problem("there are no frames for this document", path=place, hint=hint)
        return Linking(key.document), [Finding("frames-absent", needed, problem, key.document)]
    places = FramePlaces(_reader(store, key.document), key)
    return linking, [*findings, *check_frames(linking, key, place, places, profile=profile)]


def _in_order(findings: list[Finding]) -> list[Finding]:
    """By line and column; what has none comes last."""
    return sorted(findings, key=lambda each: (not each.problem.line, each.problem.line or 0, each.problem.column or 0))


def _key_places(store: KeyStore, document: str) -> KeyPlaces:
    return KeyPlaces(_reader(store, document), document)


def _reader(store: KeyStore | FramesStore, document: str) -> Callable[[], bytes]:
    return lambda: store.bytes_of(document) or b""


def _missing(documents: Sequence[str], store: KeyStore) -> list[Finding]:
    found = []
    for document in dict.fromkeys(documents):
        if document not in store:
            hint = did_you_mean(document, store.documents) or "add its assessments, or take it off the list"
            problem = Problem(f"there are no assessments of {document!r}", path=store.path, hint=hint)
            found.append(Finding("missing-document", True, problem, document))
    return found


def stray_frames(frames: FramesStore, store: KeyStore) -> list[Finding]:
    """Frames of documents that have no assessments."""
    hint = "add the assessments of the document, or remove the file"
    message = "frames of a document that has no assessments"
    return [
        Finding("frames-stray", True, Problem(message, path=frames.place(document), hint=hint), document)
        for document in frames.documents
        if document not in store
    ]
