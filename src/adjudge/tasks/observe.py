"""What is done with one document: check it, prepare it, and count, for every metric, system and slice of elements."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from adjudge.algebra import ir
from adjudge.errors import UsageError, ValidationError
from adjudge.tasks.elements import ABSENT, element_values, restricted, same
from adjudge.tasks.outcomes import Aligned

if TYPE_CHECKING:
    from adjudge.metrics import Combined, Metric
    from adjudge.metrics.base import Row

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


class Counted(msgspec.Struct):
    """Counts of one document; `bound` has proven upper bounds of those whose search was cut short."""

    counts: dict[str, float] = {}  # each has its own: msgspec copies
    bound: dict[str, float] = {}
    optimal: bool = True

    @property
    def best(self) -> dict[str, float]:
        """The highest counts that are still possible."""
        return {**self.counts, **self.bound}


class Sliced(msgspec.Struct):
    """The counts of one document by a field of its elements.

    `values` has the counts per value that gold or the system has, `rest` those of a value that neither has.
    """

    values: list[tuple[Any, Counted]] = []
    rest: Counted = msgspec.field(default_factory=Counted)

    def counted(self, value: Any) -> Counted:
        """The counts of one value."""
        for each, found in self.values:
            if same(each, value):
                return found
        self.values.append((value, Counted()))
        return self.values[-1][1]


class Seen(msgspec.Struct):
    """The counts of one document and one system, all metrics together, and those of the slices by each path.

    `aligned` has what became of every item, if that was asked for.
    """

    whole: Counted = msgspec.field(default_factory=Counted)
    slices: dict[str, Sliced] = {}
    aligned: Aligned | None = None


class Observed(msgspec.Struct):
    """What one gold document and the documents of all systems gave."""

    systems: list[Seen]
    complaints: list[Complaint] = []


@dataclass(frozen=True, slots=True)
class Observer:
    """Observes a gold document and one document of each system (None if it is missing); travels to other processes.

    `paths` are fields of elements by which the counts are sliced. `plain`: the documents may be bare values. If
    `outcomes` are asked for, it also says what became of every item.
    """

    metrics: tuple[AnyMetric, ...]
    paths: tuple[str, ...] = ()
    plain: bool = False
    outcomes: bool = False

    def __call__(self, gold: Any, systems: tuple[Any, ...]) -> Observed:
        """Counts of every system, or complaints if a document does not fit."""
        observed = Observed([Seen() for _ in systems])
        failure: BaseException | None = None
        try:
            for metric in self.metrics:
                sides = [wrapped(metric, each, plain=self.plain) for each in (gold, *systems)]
                self._observe(metric, sides[0], sides[1:], observed)
            if self.outcomes and not observed.complaints:
                self._align(gold, systems, observed)
        except UsageError:
            raise  # it is about the metric, and every document would say the same
        except (Exception, SystemExit) as error:  # a function of the user's may fail in any way
            failure = error
        if failure or observed.complaints:
            # Counting stops at the first misfit; the slower check finds them all.
            placed = list(enumerate((gold, *systems), GOLD))
            found = [each for side, document in placed for each in self._misfits(document, side)]
            if isinstance(failure, RecursionError) and not found:
                found = [_deep(side) for side, document in placed if _depth(document) > DEEP] or [_deep(GOLD)]
            if isinstance(failure, SystemExit):
                raise UsageError("a function of the metric ends the program", hint="do not call sys.exit in it")
            if failure and not found:
                raise failure
            observed.complaints = found or observed.complaints
        return observed

    def many(self, pairs: Sequence[tuple[Any, tuple[Any, ...]]]) -> list[Observed]:
        """Several documents, one after the other."""
        return [self(gold, systems) for gold, systems in pairs]

    def _observe(self, metric: AnyMetric, gold: Any, systems: Sequence[Any], observed: Observed) -> None:
        prepared = _prepared(metric, gold, GOLD, observed)
        for place, document in enumerate(systems):
            own = _prepared(metric, document, place, observed)
            _count(metric, prepared, own, place, observed.systems[place].whole, observed)
        for path in self.paths:
            if looks_at(metric, path) and not observed.complaints:
                self._slice(metric, path, gold, systems, observed)

    def _align(self, gold: Any, systems: Sequence[Any], observed: Observed) -> None:
        """What became of every item, for all metrics that are sums over documents."""
        members = {member.name: member for metric in self.metrics for member in metric.members}
        for place, document in enumerate(systems):
            aligned = Aligned()
            for member in members.values():
                if member.clustered is None:  # what is said of one document is not what makes such a score
                    pair = [prepared(member, wrapped(member, each, plain=self.plain)) for each in (gold, document)]
                    aligned.add(member, member.align(*pair))
            observed.systems[place].aligned = aligned.packed()

    def _slice(self, metric: AnyMetric, path: str, gold: Any, systems: Sequence[Any], observed: Observed) -> None:
        """Counts of the elements with each value that gold or the system has, and of a value that neither has."""
        values = element_values(gold, path)
        parts: list[tuple[Any, Any]] = []  # the gold elements of a value, prepared once for all systems

        def gold_part(value: Any) -> Any:
            for each, part in parts:
                if same(each, value):
                    return part
            parts.append((value, _prepared(metric, restricted(gold, path, value), GOLD, observed)))
            return parts[-1][1]

        for place, document in enumerate(systems):
            sliced = observed.systems[place].slices.setdefault(path, Sliced())
            own = [] if document is MISSING else element_values(document, path)
            for value in (*values, *(each for each in own if not any(same(each, other) for other in values)), ABSENT):
                part = MISSING if document is MISSING else restricted(document, path, value)
                counted = sliced.rest if value is ABSENT else sliced.counted(value)
                _count(metric, gold_part(value), _prepared(metric, part, place, observed), place, counted, observed)

    def _misfits(self, document: Any, side: int) -> list[Complaint]:
        if document is MISSING:
            return []
        found: dict[tuple[str, str], Complaint] = {}  # metrics over the same fields complain in the same words
        try:
            for metric in self.metrics:
                for path, message, hint in metric.check(wrapped(metric, document, plain=self.plain)):
                    remedy = hint or f"`adjudge explain {metric.name}` shows what is expected"
                    if path == "$.value" and metric.members[0].within == "value" and "is missing" in message:
                        remedy = "the metric of a type that is not a record compares the field 'value' of documents"
                    elif metric.members[0].document is not None and "is missing" in message:
                        last = path.rpartition(".")[2]
                        remedy += f"; if {last} only describes, write {last}: Annotated[..., adjudge.ignore] = ..."
                    found.setdefault((path, message), Complaint(side, path, message, remedy))
        except RecursionError:
            return [_deep(side)]
        return list(found.values())


DEEP = 100  # levels beyond which nesting is what a RecursionError is about


def _deep(side: int) -> Complaint:
    return Complaint(side, "$", "the document is nested too deeply", "flatten it")


def _depth(value: Any) -> int:
    """The levels of a value, without recursion."""
    level, depth = [value], 0
    while level:
        depth += 1
        level = [
            inner
            for each in level
            for inner in (each.values() if isinstance(each, Mapping) else each if isinstance(each, list) else ())
        ]
    return depth


def looks_at(metric: AnyMetric, path: str) -> bool:
    """Whether a metric compares the elements that a path such as relations.type is about."""
    outer = path.partition(".")[0]
    return any(fields is None or outer in fields for fields in map(compared_fields, metric.members))


def compared_fields(metric: Metric) -> frozenset[str] | None:
    """The fields of a document that a metric compares; None if only a function of the user's knows.

    >>> from adjudge.metrics import find
    >>> sorted(compared_fields(find("relation.strict")))
    ['relations']
    """
    if metric.within is not None:
        return frozenset((metric.within,))
    nodes = [metric.precision] if metric.recall is None else [metric.precision, metric.recall]
    found = [_fields(node) for node in nodes]
    return None if None in found else frozenset().union(*(each for each in found if each is not None))


def _fields(node: ir.Similarity) -> frozenset[str] | None:
    match node:
        case ir.Record() | ir.Sum():
            return frozenset(node.fields)
        case ir.Graph():
            return frozenset((node.nodes, node.edges))
        case ir.Mapped() | ir.Custom():
            return None
        case ir.Normalise() | ir.Latent() | ir.Threshold() | ir.Unit() | ir.Union() | ir.Max():
            found = [_fields(inner) for inner in ir.children(node)]
            return None if None in found else frozenset().union(*(each for each in found if each is not None))
    return frozenset()


def wrapped(metric: AnyMetric, document: Any, *, plain: bool = False) -> Any:
    """A bare value (a list of relations) as the document that the metric expects.

    A mapping is a document, unless it is `plain` (from memory, and without an id), lacks the field that the metric
    compares, and the metric can compare an object: then it is the value of that field.
    """
    if type(document) is dict and not plain:
        return document
    member = metric.members[0]
    within = member.within
    if document is MISSING or within is None:
        return document
    if isinstance(document, Mapping):
        return {within: document} if plain and within not in document and _takes_object(member.similarity) else document
    return document if hasattr(document, within) else {within: document}


def _takes_object(node: ir.Similarity) -> bool:
    if isinstance(node, ir.Normalise | ir.Latent | ir.Threshold | ir.Unit | ir.Union | ir.Max):
        return any(_takes_object(inner) for inner in ir.children(node))
    return not isinstance(node, ir.Set | ir.Greedy | ir.Sequence | ir.Overlap)


def prepared(metric: AnyMetric, document: Any) -> Any:
    """A document as `observe` wants it."""
    if document is MISSING:
        return _nothing(metric)
    # An object of the user's own is already what the metric wants.
    return metric.prepare(document) if isinstance(document, Mapping) else document


def _nothing(metric: AnyMetric) -> Any:
    """What a missing document counts as: a document with the compared fields alone, all of them empty."""
    from adjudge.metrics.documents import empty

    found = [empty(node) for each in metric.members for node in (each.precision, each.recall) if node is not None]
    return {name: value for each in found for name, value in each.items()} if isinstance(found[0], dict) else found[0]


def _count(metric: AnyMetric, gold: Any, system: Any, place: int, counted: Counted, observed: Observed) -> None:
    if observed.complaints:
        return
    try:
        row = metric.observe(gold, system)
    except ValidationError as error:
        observed.complaints += _complaints(error, place)
        return
    _add(counted, row)


def _add(counted: Counted, row: Row) -> None:
    counted.counts.update(row.counts)
    if not row.optimal:
        counted.optimal = False
        counted.bound.update(row.bound or {})


def _prepared(metric: AnyMetric, document: Any, side: int, observed: Observed) -> Any:
    try:
        return prepared(metric, document)
    except ValidationError as error:
        observed.complaints += _complaints(error, side)
        return None


def _complaints(error: ValidationError, side: int) -> list[Complaint]:
    """An error of the algebra, which says `gold.events[0]: ...` because it knows the side but not the file."""
    complaints = []
    for problem in error.problems:
        place = _PLACE.fullmatch(problem.message)
        where, path, message = place.groups() if place else ("system", "", problem.message)
        complaints.append(Complaint(GOLD if where == "gold" else side, path, message, problem.hint))
    return complaints
