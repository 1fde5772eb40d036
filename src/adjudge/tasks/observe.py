"""What is done with one document: check it, prepare it, and count, for every metric, system and slice of elements."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from adjudge.errors import ValidationError

if TYPE_CHECKING:
    from adjudge.metrics import Combined, Metric

AnyMetric: TypeAlias = "Metric | Combined"
GOLD = -1  # the place of the gold side; systems count from 0
MISSING = None

_PLACE = re.compile(r"(gold|system|\$)(\S*): (.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Complaint:
    """Something wrong with one document: on which side, at which path, and the remedy."""

    side: int
    path: str
    message: str
    hint: str | None


@dataclass(slots=True)
class Seen:
    """The counts of one document and one system, all metrics together.

    `bound` has proven upper bounds of counts whose search was cut short.
    `slices` has the counts per path and value of elements, `rest` those of a value that the document does not have.
    """

    counts: dict[str, float] = field(default_factory=dict)
    optimal: bool = True
    bound: dict[str, float] = field(default_factory=dict)
    slices: dict[str, dict[Hashable, dict[str, float]]] = field(default_factory=dict)
    rest: dict[str, dict[str, float]] = field(default_factory=dict)


@dataclass(slots=True)
class Observed:
    """What one gold document and the documents of all systems gave."""

    systems: list[Seen]
    complaints: list[Complaint] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Observer:
    """Observes a gold document and one document of each system (None if it is missing); travels to other processes.

    `paths` are fields of elements by which the counts are sliced.
    """

    metrics: tuple[AnyMetric, ...]
    paths: tuple[str, ...] = ()

    def __call__(self, gold: Any, systems: tuple[Any, ...]) -> Observed:
        """Counts of every system, or complaints if a document does not fit."""
        observed = Observed([Seen() for _ in systems])
        failure: Exception | None = None
        try:
            for metric in self.metrics:
                self._observe(metric, wrapped(metric, gold), [wrapped(metric, each) for each in systems], observed)
        except Exception as error:  # a function of the user's may fail in any way on a document that does not fit
            failure = error
        if failure or observed.complaints:
            # Counting stops at the first misfit; the slower check finds them all.
            sides = enumerate((gold, *systems), GOLD)
            found = [each for side, document in sides for each in _misfits(self.metrics, document, side)]
            if failure and not found:
                raise failure
            observed.complaints = found or observed.complaints
        return observed

    def _observe(self, metric: AnyMetric, gold: Any, systems: Sequence[Any], observed: Observed) -> None:
        prepared = _prepared(metric, gold, GOLD, observed)
        for place, document in enumerate(systems):
            own = _prepared(metric, document, place, observed)
            _count(metric, prepared, own, place, observed.systems[place].counts, observed)
        if observed.complaints:
            return
        paths = [path for path in self.paths if looks_at(metric, path)]
        parts = {(path, value): MISSING for path in paths for value in (*metric.slice_values(gold, path), _ABSENT)}
        for place, document in enumerate(systems):
            for path in paths:
                self._slice(metric, path, gold, document, place, parts, observed)

    def _slice(
        self,
        metric: AnyMetric,
        path: str,
        gold: Any,
        document: Any,
        place: int,
        parts: dict[tuple[str, Any], Any],
        observed: Observed,
    ) -> None:
        """Counts of the elements with each value that gold or the system has; `parts` keeps those of gold."""
        seen = observed.systems[place]
        slices, rest = seen.slices.setdefault(path, {}), seen.rest.setdefault(path, {})
        own = () if document is MISSING else metric.slice_values(document, path)
        for value in dict.fromkeys([*(value for p, value in parts if p == path), *own]):
            if parts.get((path, value)) is MISSING:
                parts[path, value] = _prepared(metric, metric.restrict(gold, path, value), GOLD, observed)
            part = MISSING if document is MISSING else metric.restrict(document, path, value)
            counts = rest if value is _ABSENT else slices.setdefault(value, {})
            _count(metric, parts[path, value], _prepared(metric, part, place, observed), place, counts, observed)


def looks_at(metric: AnyMetric, path: str) -> bool:
    """Whether a metric compares the elements that a path such as relations.type is about."""
    outer = path.partition(".")[0]
    return any(member.within in (None, outer) for member in metric.members)


def wrapped(metric: AnyMetric, document: Any) -> Any:
    """A plain value (a list of relations) as the document that the metric expects."""
    within = metric.members[0].within
    if document is MISSING or within is None or isinstance(document, Mapping) or hasattr(document, within):
        return document
    return {within: document}


def prepared(metric: AnyMetric, document: Any) -> Any:
    """A document as `observe` wants it."""
    if document is MISSING:
        return metric.empty_document()
    # An object of the user's own is already what the metric wants.
    return metric.prepare(document) if isinstance(document, Mapping) else document


class _Absent:
    """A value that no element has."""


_ABSENT = _Absent()


def _count(metric: AnyMetric, gold: Any, system: Any, place: int, counts: dict[str, float], observed: Observed) -> None:
    if observed.complaints:
        return
    try:
        row = metric.observe(gold, system)
    except ValidationError as error:
        observed.complaints += _complaints(error, place)
        return
    counts.update(row.counts)
    seen = observed.systems[place]
    if not row.optimal and counts is seen.counts:
        seen.optimal = False
        seen.bound.update(row.bound or {})


def _prepared(metric: AnyMetric, document: Any, side: int, observed: Observed) -> Any:
    try:
        return prepared(metric, document)
    except ValidationError as error:
        observed.complaints += _complaints(error, side)
        return None


def _misfits(metrics: tuple[AnyMetric, ...], document: Any, side: int) -> list[Complaint]:
    if document is MISSING:
        return []
    found: dict[tuple[str, str], Complaint] = {}  # metrics over the same fields complain in the same words
    for metric in metrics:
        for path, message, hint in metric.check(wrapped(metric, document)):
            remedy = hint or f"`adjudge explain {metric.name}` shows what is expected"
            found.setdefault((path, message), Complaint(side, path, message, remedy))
    return list(found.values())


def _complaints(error: ValidationError, side: int) -> list[Complaint]:
    """An error of the algebra, which says `gold.events[0]: ...` because it knows the side but not the file."""
    complaints = []
    for problem in error.problems:
        place = _PLACE.fullmatch(problem.message)
        where, path, message = place.groups() if place else ("system", "", problem.message)
        complaints.append(Complaint(GOLD if where == "gold" else side, path, message, problem.hint))
    return complaints
