"""The progress of assessing a store, by document and by event type, and how long the rest may take.

The pace is taken from the files: a document is finished when its file was last changed, and took the time since the
previous change. Long gaps are breaks, and gaps under a second are the work of programs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from adjudge.formats.eal_store import FramesStore, open_frames, open_key
from adjudge.model.eal import AnswerKey
from adjudge.tasks.eal.frames import classes, linkable
from adjudge.tasks.eal.responses import is_good

BREAK = 3600.0  # seconds: longer gaps are breaks
PROGRAM = 1.0  # seconds: nobody assesses a document in less
ENOUGH = 60.0  # minimum seconds of work for a meaningful pace


class Counts(NamedTuple):
    """Responses: all, assessed, good; TRFRs that can be linked, and those that are (None if there are no frames)."""

    responses: int = 0
    assessed: int = 0
    good: int = 0
    classes: int = 0
    linked: int | None = None

    @property
    def unassessed(self) -> int:
        """The number of unassessed responses."""
        return self.responses - self.assessed

    def __add__(self, other: object) -> Counts:
        if not isinstance(other, Counts):
            return NotImplemented
        sums = [one + another for one, another in zip(self[:4], other[:4], strict=True)]
        linked = None if self.linked is None or other.linked is None else self.linked + other.linked
        return Counts(*sums)._replace(linked=linked)


class DocumentProgress(NamedTuple):
    """A document, when its file was changed last (seconds since 1970; None in an archive), and how many problems."""

    document: str
    counts: Counts
    changed: float | None = None
    problems: int = 0


class Pace(NamedTuple):
    """Responses per hour of work, the hours of work that were seen, and those that are left."""

    per_hour: float
    hours: float
    hours_left: float


class Progress(NamedTuple):
    """A store of assessments; without enough changes of files there is no pace."""

    total: Counts
    documents: list[DocumentProgress]
    types: dict[str, Counts]
    pace: Pace | None = None


def observe(key: AnswerKey, linked: frozenset[object] | None = None) -> dict[str, Counts]:
    """The counts of a document by event type; `linked` are the TRFRs that frames have.

    >>> from adjudge.model.eal import Cas, Response, Span
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", Span(0, 2)), Span(0, 2), (Span(0, 9),), (), "Actual")
    >>> observe(AnswerKey("d", {}, [bob], {}))["Life.Die"].unassessed
    1
    """
    zero = Counts(linked=None if linked is None else 0)
    found: dict[str, Counts] = {}

    def count(type_: str, **more: int) -> None:
        found[type_] = found.get(type_, zero) + zero._replace(**more)

    for response, assessment in key.assessed.items():
        count(response.type, responses=1, assessed=1, good=int(is_good(response, assessment)))
    for response in key.unassessed:
        count(response.type, responses=1)
    for each in linkable(key):
        if linked is None:
            count(each.type, classes=1)
        else:
            count(each.type, classes=1, linked=int(each in linked))
    return found


def estimate(documents: Iterable[DocumentProgress], waiting: int, *, rate: float | None = None) -> Pace | None:
    """The pace at which documents were assessed, or None if the times of the files do not say; `rate` is a known one.

    >>> done = [DocumentProgress("d", Counts(10, 10), changed) for changed in (0.0, 1800.0, 3600.0, 90000.0)]
    >>> estimate(done, 40)
    Pace(per_hour=20.0, hours=1.0, hours_left=2.0)
    """
    times = sorted(
        (each.changed, each.counts.assessed) for each in documents if each.changed is not None and each.counts.assessed
    )
    work = [
        (later - sooner, count) for (sooner, _), (later, count) in pairwise(times) if PROGRAM <= later - sooner <= BREAK
    ]
    seconds, responses = sum(gap for gap, _ in work), sum(count for _, count in work)
    if rate is None:
        if seconds < ENOUGH:
            return None
        rate = responses / seconds * 3600
    return Pace(rate, seconds / 3600, waiting / rate)


def progress(
    path: str | Path,
    *,
    frames: str | Path | None = None,
    documents: Sequence[str] | None = None,
    rate: float | None = None,
) -> Progress:
    """How far a store of assessments is, and the frames if they are given. What breaks rules is counted, no more."""
    found: list[DocumentProgress] = []
    types: dict[str, Counts] = {}
    total = zero = Counts(linked=None if frames is None else 0)
    with ExitStack() as stack:
        store = stack.enter_context(open_key(path))
        reference = None if frames is None else stack.enter_context(open_frames(frames))
        for document in store.documents if documents is None else sorted(set(documents)):
            key, findings = store.scan_key(document)
            here = zero
            for type_, counts in observe(key, _linked(reference, key)).items():
                types[type_] = types.get(type_, zero) + counts
                here += counts
            total += here
            changed = _changed(Path(path) / document)
            found.append(DocumentProgress(document, here, changed, sum(finding.error for finding in findings)))
    return Progress(total, found, dict(sorted(types.items())), estimate(found, total.unassessed, rate=rate))


def _linked(reference: FramesStore | None, key: AnswerKey) -> frozenset[object] | None:
    if reference is None:
        return None
    linking, _ = reference.scan_linking(key)
    return frozenset(() if linking is None else classes(linking.linked, key.coref))


def _changed(path: Path) -> float | None:
    try:
        return path.stat().st_mtime
    except (OSError, ValueError):
        return None
