"""Problems in assessments beyond the file format: unassessed responses, times that are not dates, missing clusters.

And with the reference frames of a document: wrong responses, missing classes, times that nobody can earn, mixed types.
The official scorer accepts all of these silently; here they are reported."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path

from adjudge.errors import Problem, did_you_mean
from adjudge.findings import Finding, Findings, Severities, check_severities, field_column
from adjudge.formats.eal_arguments import scan_arguments
from adjudge.formats.eal_fields import decode_lines, sha1_id
from adjudge.formats.eal_linking import INCOMPLETE, NOWHERE, FramePlaces, Place
from adjudge.formats.eal_store import FramesStore, KeyStore, open_frames, open_store
from adjudge.model.eal import AnswerKey, Arguments, Assessment, Linking, Response
from adjudge.tasks.eal.frames import classes, describe, linkable
from adjudge.tasks.eal.responses import ACCEPTABLE, Trfr, class_of
from adjudge.tasks.eal.settings import SPEC, Profile

MANY = 5  # responses of a document that are named one by one
KINDS = (
    *("missing-document", "no-responses", "unassessed", "broken-time", "coref-absent", "coref-conflict"),
    *("coref-missing", "assessment-conflict", "assessment-missing", "assessment-superfluous", "assessment-value"),
    *("id-content", "id-unknown", "not-pooled", "not-assessed", "frames-absent", "frames-stray", "frame-unassessed"),
    *("frame-wrong", "frame-wrong-response", "frame-generic", "frame-broken-time", "frame-types", "frame-repeated"),
    *("frame-missing", "half-linked", "unlinked", "incomplete-wrong", "backup", "junk", "encoding", "columns"),
    *("document-id", "empty", "type", "role", "span", "justification", "realis", "unknown-id", "ambiguous-id"),
    *("linked-incomplete", "repeated-incomplete", "repeated-hopper", "hopper-name", "empty-hopper"),
)
"""Every kind of problem that assessments and reference frames can have."""


class KeyPlaces:
    """The lines of the responses of an assessment file, which is read only when there is something to report."""

    def __init__(self, read: Callable[[], bytes] = bytes, document: str = "") -> None:
        self._read = read
        self._document = document

    @cached_property
    def _found(self) -> tuple[list[str], dict[Response, int]]:
        data = self._read()
        found, _ = scan_arguments(data, self._document, repeats="best")
        return decode_lines(data, Findings("")), {each.response: each.line for each in found.arguments}

    def at(self, response: Response, column: int) -> Place:
        """Line and column of a field of a response."""
        lines, numbers = self._found
        line = numbers.get(response)
        return NOWHERE if line is None else (line, field_column(lines[line - 1], column))


def check_key(key: AnswerKey, place: str, places: KeyPlaces | None = None, *, profile: Profile = SPEC) -> list[Finding]:
    """Findings on assessments that follow the file format.

    >>> from adjudge.model.eal import Cas, Span
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", Span(0, 2)), Span(0, 2), (Span(0, 9),), (), "Actual")
    >>> [finding.kind for finding in check_key(AnswerKey("d", {}, [bob], {}), "key/d")]
    ['unassessed']
    """
    places = places or KeyPlaces()
    findings = Findings(place, key.document, limit=0)
    if key.unassessed:
        waiting, total = len(key.unassessed), len(key.unassessed) + len(key.assessed)
        at = min((places.at(each, 12) for each in key.unassessed), key=lambda each: each[0] or 0)
        message = f"{waiting} of {total} responses {'are' if waiting > 1 else 'is'} not assessed"
        findings.add("unassessed", message, *at, hint="assess what is UNANNOTATED", error=False)
    for response, assessment in key.assessed.items():
        if profile.is_broken(response.role, response.cas.text, assessment):
            message = f"the time {response.cas.text!r} is {assessment.cas} but no date"
            hint = "write W in column 14; scorers take it as wrong"
            error = profile.broken_time == "error"
            findings.add("broken-time", message, *places.at(response, 14), hint=hint, error=error)
    if profile.missing_coref == "error":
        # Whoever has an acceptable CAS without a cluster breaks a rule of the file, which its reader reports.
        right = {response.cas for response, assessment in key.assessed.items() if assessment.cas in ACCEPTABLE}
        bare = [each for each in key.assessed if each.cas not in key.coref and each.cas not in right]
        if bare:
            many = len({each.cas for each in bare})
            message = f"{many} assessed CASes have no cluster" if many > 1 else "an assessed CAS has no cluster"
            hint = "give each a number in column 16; the official program needs one even for a wrong CAS"
            message += f": {bare[0].cas.text!r}" + (" and others" if many > 1 else "")
            findings.add("coref-absent", message, *places.at(bare[0], 16), hint=hint)
    return findings.findings


def check_pool(key: AnswerKey, pooled: Arguments, place: str, places: KeyPlaces | None = None) -> list[Finding]:
    """Which responses of the assessments are not those of the pool, and which of the pool they lack.

    A response that is not in the pool may be of a submission that was withdrawn; or a line was changed together with
    its id, and then nobody gave it.

    >>> from adjudge.model.eal import Argument, Cas, Span
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", Span(0, 2)), Span(0, 2), (Span(0, 9),), (), "Actual")
    >>> pooled = Arguments("d", [Argument(bob._replace(role="Agent"))])
    >>> [finding.kind for finding in check_pool(AnswerKey("d", {}, [bob], {}), pooled, "key/d")]
    ['not-pooled', 'not-assessed']
    """
    places = places or KeyPlaces()
    findings = Findings(place, key.document, limit=0)
    here = dict.fromkeys((*key.assessed, *key.unassessed))
    there = dict.fromkeys(argument.response for argument in pooled.arguments)
    extra = [each for each in here if each not in there]
    lacking = [each for each in there if each not in here]
    hint = "it counts in the key; remove the line if no system gave the response"
    for each in extra[: 1 if len(extra) > MANY else MANY]:
        others = f" and {len(extra) - 1} others of this document are" if len(extra) > MANY else " is"
        message = f"{_said(each)}{others} not in the pool"
        findings.add("not-pooled", message, *places.at(each, 1), hint=hint, error=False)
    hint = "add the line, with what people say of it"
    for each in lacking[: 1 if len(lacking) > MANY else MANY]:
        others = f" and {len(lacking) - 1} others of this document are" if len(lacking) > MANY else " is"
        message = f"{_said(each)} ({sha1_id(each)}){others} in the pool and has no line here"
        findings.add("not-assessed", message, None, None, hint=hint)
    return findings.findings


def check_frames(
    linking: Linking, key: AnswerKey, place: str, read: Callable[[], bytes] = bytes, *, profile: Profile = SPEC
) -> list[Finding]:
    """Problems in the reference frames of a document; `read` returns the bytes of its file."""
    places = FramePlaces(lambda: decode_lines(read(), Findings("")), key, linking)
    findings = Findings(place, key.document, limit=0)
    pool = linkable(key)
    linked: set[Trfr] = set()
    told: set[Trfr] = set()
    seen: dict[frozenset[Trfr], int] = {}
    for number, frame in enumerate(linking.frames):
        here = set()
        for response in sorted(frame.responses):
            each = class_of(response, key.coref)
            here.add(each)
            wrong = _wrong_member(response, key, each in pool)
            if wrong is not None:
                kind, message, hint, error = wrong
                said = f"{_said(response)} is in a frame, but {message}"
                findings.add(kind, said, *places.of(number, response), hint=hint, error=error)
            assessment = key.assessed.get(response)
            if assessment and each not in told and profile.is_broken(response.role, response.cas.text, assessment):
                told.add(each)
                drops = profile.broken_time_in_reference == "drop"
                hint = "scorers leave it out" if drops else "it counts in the reference, and no system can match it"
                message = f"the time {response.cas.text!r} is in a frame but no date"
                findings.add("frame-broken-time", message, *places.of(number, response), hint=hint, error=False)
        types = sorted({response.type for response in frame.responses})
        if len(types) > 1:
            message = f"a frame with {len(types)} event types: {', '.join(types)}"
            findings.add("frame-types", message, *places.of(number), hint="make a frame for each event", error=False)
        first = seen.setdefault(frozenset(here), number)
        if first != number:
            line = places.of(first)[0]
            message = f"the frame of line {line} is repeated" if line else "the same frame is repeated"
            findings.add("frame-repeated", message, *places.of(number), hint="keep one of them", error=False)
        linked |= here
    _check_rest(linking, key, pool, linked, places, findings, profile)
    return findings.findings


def _wrong_member(response: Response, key: AnswerKey, has_good: bool) -> tuple[str, str, str, bool] | None:
    """The kind of what is wrong with a response in a frame, what it is, what to do, and whether it is an error."""
    assessment = key.assessed.get(response)
    if assessment is None:
        return "frame-unassessed", "nobody has assessed it", "assess it, or remove it", True
    wrong = _wrong(response, assessment)
    if wrong and has_good:
        return "frame-wrong-response", wrong, "remove it; its class is right by other responses", False
    if wrong:
        return "frame-wrong", wrong, "remove it: it would count in the reference, and no system can match it", True
    if response.realis == "Generic":
        return "frame-generic", "it is generic", "remove it; scorers leave it out", False
    return None


def _check_rest(
    linking: Linking,
    key: AnswerKey,
    pool: Mapping[Trfr, tuple[Response, ...]],
    linked: set[Trfr],
    places: FramePlaces,
    findings: Findings,
    profile: Profile,
) -> None:
    """Classes that should be in frames and are not, and what should not wait to be linked."""
    for each, responses in pool.items():
        waiting = [response for response in responses if response in linking.incomplete]
        if each in linked and waiting:
            message = f"{describe(responses)} is in a frame, but some of its responses are not linked"
            hint = f"take them off the {INCOMPLETE} line"
            findings.add("half-linked", message, *places.waiting(waiting), hint=hint, error=False)
        elif waiting:
            message = f"{describe(responses)} is not linked"
            findings.add("unlinked", message, *places.waiting(waiting), hint=_LINK, error=False)
        elif each not in linked and not all(
            profile.is_broken(one.role, one.cas.text, key.assessed[one]) for one in responses
        ):
            findings.add("frame-missing", f"{describe(responses)} is in no frame", None, None, hint=_LINK)
    known = frozenset(response for responses in pool.values() for response in responses)
    for response in sorted(linking.incomplete - known):
        assessment = key.assessed.get(response)
        why = "nobody has assessed it" if assessment is None else _wrong(response, assessment) or "it is generic"
        message = f"{_said(response)} waits to be linked, but {why}"
        hint = f"take it off the {INCOMPLETE} line"
        findings.add("incomplete-wrong", message, *places.waiting((response,)), hint=hint, error=False)


_LINK = "put one of its responses into a frame, even if alone"


def _wrong(response: Response, assessment: Assessment) -> str | None:
    """Why a response is not good."""
    parts = {
        "event type": assessment.event_type,
        "role": assessment.role,
        "CAS": assessment.cas,
        "base filler": assessment.base_filler,
    }
    for name, value in parts.items():
        if value not in ACCEPTABLE:
            return f"its {name} is {value or 'NIL'}"
    if assessment.realis != response.realis:
        return f"its realis is {response.realis}, and should be {assessment.realis or 'NIL'}"
    return None


def _said(response: Response) -> str:
    return f"the response {describe((response,))}"


def check(
    path: str | Path,
    *,
    frames: str | Path | None = None,
    pool: str | Path | None = None,
    documents: Sequence[str] | None = None,
    profile: Profile = SPEC,
    limit: int | None = None,
    severity: Severities | None = None,
) -> Findings:
    """All problems in a store of assessments, and in its reference frames.

    With `pool` the assessed responses are compared with those that were pooled. With `documents` only these are looked
    at, and each of them must be there. `contents` has what is in the store.
    """
    out = Findings(str(path), limit=limit, severities=check_severities(severity or {}, KINDS))
    out.facts.update(profile=profile.name, frames_path=None if frames is None else str(frames))
    out.remarks[""] = f"profile {profile.name}"
    counts = out.contents
    counts.update(dict.fromkeys(("document", "assessed response", "unassessed response", "cluster", "TRFR"), 0))
    with ExitStack() as stack:
        store = stack.enter_context(profile.open_key(path))
        linked = None if frames is None else stack.enter_context(open_frames(frames))
        pooled = None if pool is None else stack.enter_context(open_store(pool))
        out.take(store.notes)
        if linked is not None:
            out.take(linked.notes)
            counts.update({"linked TRFR": 0, "frame": 0})
        names = store.documents
        if documents is not None:
            names = sorted({*names}.intersection(documents))
            out.take(_missing(documents, store))
        for document in names:
            key, found = store.scan_key(document)
            places = _key_places(store, document)
            found += check_key(key, store.place(document), places, profile=profile)
            if pooled is not None:
                found += check_pool(key, pooled.arguments(document), store.place(document), places)
            if not (found or key.assessed or key.unassessed) and (store.bytes_of(document) or b"").strip():
                hint = "move it elsewhere if it is not a document"
                problem = Problem("the file has comments but no response", path=store.place(document), hint=hint)
                found.append(Finding("no-responses", False, problem, document))
            out.take(found)
            good = linkable(key)
            counts["document"] += 1
            counts["assessed response"] += len(key.assessed)
            counts["unassessed response"] += len(key.unassessed)
            counts["cluster"] += len(set(key.coref.values()))
            counts["TRFR"] += len(good)
            if linked is not None:
                linking, found = scan_frames(linked, key, profile)
                out.take(found)
                here = classes(linking.linked, key.coref)
                counts["linked TRFR"] += len(here & good.keys())
                counts["frame"] += len(linking.frames)
        if pooled is not None:
            wanted = pooled.documents if documents is None else sorted({*pooled.documents}.intersection(documents))
            out.take(_missing(wanted, store))
        if linked is not None:
            only = None if documents is None else set(documents)
            out.take(each for each in stray_frames(linked, store) if only is None or each.document in only)
    return out


def scan_frames(store: FramesStore, key: AnswerKey, profile: Profile) -> tuple[Linking, list[Finding]]:
    """The readable frames of a document, and all their problems."""
    linking, findings = store.scan_linking(key)
    place = store.place(key.document)
    if linking is None:
        needed = bool(linkable(key))
        hint = (
            "write the file, with frames for its good responses" if needed else "write a file with an empty INCOMPLETE"
        )
        problem = Problem("there are no frames for this document", path=place, hint=hint)
        return Linking(key.document), [Finding("frames-absent", needed, problem, key.document)]
    read = _reader(store, key.document)
    return linking, [*findings, *check_frames(linking, key, place, read, profile=profile)]


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
