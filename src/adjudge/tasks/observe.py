"""One pair of documents: check it, prepare it, and count, for every metric and slice of elements."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from adjudge.algebra import ir
from adjudge.algebra.operators.base import GOLD, SYSTEM
from adjudge.algebra.solve.deadline import DEFAULT, Deadline
from adjudge.errors import UsageError, ValidationError
from adjudge.tasks.elements import ABSENT, element_values, restricted, same

if TYPE_CHECKING:
    from adjudge.algebra.align import Alignment
    from adjudge.algebra.operators.leaf_outcomes import Outcome
    from adjudge.metrics import Combined, Metric
    from adjudge.metrics.base import Row

AnyMetric: TypeAlias = "Metric | Combined"
Change: TypeAlias = Callable[[Any, Any], tuple[Any, Any]]
"""Changes a pair of documents before they are compared; the result for gold must be the same for every system."""

MISSING = None


class Complaint(msgspec.Struct, frozen=True):
    """A problem in one document: the side, the path, and the remedy."""

    of_gold: bool
    path: str
    message: str
    hint: str | None


class Counted(msgspec.Struct):
    """Counts of one document; `bound` has proven upper bounds where a search was cut short."""

    counts: dict[str, float] = {}  # each has its own: msgspec copies
    bound: dict[str, float] = {}
    optimal: bool = True

    @property
    def best(self) -> dict[str, float]:
        """The highest possible counts."""
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

    `outcomes` has the outcome of leaves, by metric and path, if requested.
    """

    whole: Counted = msgspec.field(default_factory=Counted)
    slices: dict[str, Sliced] = {}
    outcomes: dict[str, Mapping[str, Outcome]] = {}


class Ready:
    """A gold document, prepared by the metrics once for all systems."""

    __slots__ = ("data", "id", "parts", "whole")

    def __init__(self, name: str, data: Any) -> None:
        self.id, self.data = name, data
        self.whole: dict[int, Any] = {}
        self.parts: dict[tuple[int, str], list[tuple[Any, Any]]] = {}


class _MisfitError(Exception):
    """A document that a metric cannot compare."""

    def __init__(self, complaints: list[Complaint]) -> None:
        super().__init__()
        self.complaints = complaints


class Observer(msgspec.Struct, frozen=True):
    """Compares a gold document with that of a system (None if it is missing); can be pickled.

    `paths` are fields of elements by which the counts are sliced. `plain`: the documents may be bare values. `change`
    is done to pairs before. `outcomes`: the outcome of leaves is kept. `exact`: no pair is left out for being one of
    too many. `limit` is the time in seconds for one pair, all metrics and slices together; `aligned` if half of it is
    for saying the outcome of every item.
    """

    metrics: tuple[AnyMetric, ...]
    paths: tuple[str, ...] = ()
    plain: bool = False
    change: Change | None = None
    outcomes: bool = False
    exact: bool = False
    aligned: bool = False
    limit: float = DEFAULT

    def __post_init__(self) -> None:
        limits = (metric.time_limit for metric in self.metrics)
        longest = max(DEFAULT if limit is None else limit for limit in limits)
        msgspec.structs.force_setattr(self, "limit", longest / 2 if self.aligned else longest)

    def __call__(self, gold: Ready, system: Any) -> tuple[Seen, list[Complaint]]:
        """The counts, or complaints if a document does not fit."""
        seen = Seen()
        ours, theirs = gold.data, system
        clock, jobs = Deadline(self.limit, exact=self.exact), len(self.metrics) * (1 + len(self.paths))
        try:
            if self.change is not None:
                ours, theirs = self.change(ours, theirs)
            for number, metric in enumerate(self.metrics):
                part = clock.part(jobs)
                if number not in gold.whole:
                    gold.whole[number] = _prepared(metric, wrapped(metric, ours, plain=self.plain), of_gold=True)
                own = _prepared(metric, wrapped(metric, theirs, plain=self.plain), of_gold=False)
                row = _count(metric, gold.whole[number], own, seen.whole, part)
                if self.outcomes:
                    seen.outcomes.update(row.outcomes)
                jobs -= 1
                for path in self.paths:
                    if looks_at(metric, path):
                        self._slice((number, path), gold, (ours, theirs), seen, clock.part(jobs))
                    jobs -= 1
        except UsageError:
            raise  # it is about the metric, and would be the same for every document
        except (Exception, SystemExit) as error:  # a user's function may fail in any way
            return seen, self._complaints(error, ours, theirs)
        return seen, []

    def count_all(self, gold: Sequence[Any], *systems: Sequence[Any]) -> list[dict[str, Sequence[float]]] | None:
        """The counts of many documents by column, for each system; None unless they are flat sets."""
        if self.paths or self.outcomes or self.change or not all(map(_counts_flat_sets, self.metrics)):
            return None
        found: list[dict[str, Sequence[float]]] = [{} for _ in systems]
        try:
            for metric in self.metrics:
                ours, *theirs = (self._documents(metric, side) for side in (gold, *systems))
                for member in metric.members:
                    flat = member.flat
                    right = flat.keys(ours, GOLD)
                    for own, counts in zip(theirs, found, strict=True):
                        said = flat.keys(own, SYSTEM)
                        if right is None or said is None:
                            return None
                        counts.update(zip(member.columns, zip(*flat.counts(right, said), strict=True), strict=True))
        except (Exception, SystemExit):  # any error recurs when the documents are counted one by one
            return None
        return found

    def _documents(self, metric: AnyMetric, data: Sequence[Any]) -> Sequence[Any]:
        """Many documents as a metric compares them; JSON that it takes as it is stays."""
        if not self.plain and metric.members[0].document is None and {dict}.issuperset(map(type, data)):
            return data
        return [self._document(metric, each) for each in data]

    def _document(self, metric: AnyMetric, data: Any) -> Any:
        """A document as a metric compares it."""
        return prepared(metric, wrapped(metric, data, plain=self.plain))

    def pair(self, metric: AnyMetric, gold: Any, system: Any) -> tuple[Any, Any]:
        """Both documents as a metric compares them."""
        ours, theirs = (gold, system) if self.change is None else self.change(gold, system)
        return self._document(metric, ours), self._document(metric, theirs)

    def _slice(self, key: tuple[int, str], gold: Ready, pair: tuple[Any, Any], seen: Seen, clock: Deadline) -> None:
        """Counts of the elements with each value that gold or the system has, and of a value that neither has."""
        metric, path = self.metrics[key[0]], key[1]
        ours, theirs = (wrapped(metric, each, plain=self.plain) for each in pair)
        parts = gold.parts.setdefault(key, [])  # the gold elements of a value, prepared once for all systems

        def gold_part(value: Any) -> Any:
            for each, part in parts:
                if same(each, value):
                    return part
            parts.append((value, _prepared(metric, restricted(ours, path, value), of_gold=True)))
            return parts[-1][1]

        values = element_values(ours, path)
        own = [] if theirs is MISSING else element_values(theirs, path)
        sliced = seen.slices.setdefault(path, Sliced())
        every = (*values, *(each for each in own if not any(same(each, other) for other in values)), ABSENT)
        for number, value in enumerate(every):
            part = MISSING if theirs is MISSING else restricted(theirs, path, value)
            counted = sliced.rest if value is ABSENT else sliced.counted(value)
            left = clock.part(len(every) - number)
            _count(metric, gold_part(value), _prepared(metric, part, of_gold=False), counted, left)

    def align(self, ours: Any, theirs: Any) -> dict[str, Alignment]:
        """The outcome of every item, for each metric by name."""
        members = {member.name: member for metric in self.metrics for member in metric.members}
        clock = Deadline(self.limit, exact=self.exact)
        found: dict[str, Alignment] = {}
        for number, (name, member) in enumerate(members.items()):
            found[name] = member.align(*self.pair(member, ours, theirs), clock.part(len(members) - number))
        return found

    def _complaints(self, failure: BaseException, ours: Any, theirs: Any) -> list[Complaint]:
        """Why counting failed: it stops at the first problem, and a slower check finds them all."""
        found = [*self.misfits(ours, of_gold=True), *self.misfits(theirs, of_gold=False)]
        if isinstance(failure, SystemExit):
            raise UsageError("a function of the metric exits the program", hint="do not call sys.exit in it")
        if isinstance(failure, RecursionError) and not found:
            deep = [_deep(of_gold=side) for side, each in ((True, ours), (False, theirs)) if _depth(each) > DEEP]
            return deep or [_deep(of_gold=True)]
        if not found and not isinstance(failure, _MisfitError):
            raise failure
        return found or self._refused(ours, theirs) or failure.complaints  # type: ignore[attr-defined]

    def _refused(self, ours: Any, theirs: Any) -> list[Complaint]:
        """What the metrics refuse when they prepare either side, for types that no check knows."""
        found: dict[Complaint, None] = {}
        for metric in self.metrics:
            for document, of_gold in ((ours, True), (theirs, False)):
                try:
                    _prepared(metric, wrapped(metric, document, plain=self.plain), of_gold=of_gold)
                except _MisfitError as error:
                    found.update(dict.fromkeys(error.complaints))
        return list(found)

    def misfits(self, document: Any, *, of_gold: bool) -> list[Complaint]:
        """Every reason why the metrics cannot compare a document."""
        if document is MISSING:
            return []
        found: dict[tuple[str, str], Complaint] = {}  # metrics over the same fields give the same messages
        try:
            for metric in self.metrics:
                for path, message, hint in metric.check(wrapped(metric, document, plain=self.plain)):
                    remedy = hint or f"`adjudge metrics {metric.name}` shows what is expected"
                    if path == "$.value" and metric.members[0].within == "value" and "is missing" in message:
                        remedy = "the metric of a type that is not a record compares the field 'value' of documents"
                    elif metric.members[0].document is not None and "is missing" in message:
                        last = path.rpartition(".")[2]
                        remedy += (
                            f"; if {last} only describes, write {last}: Annotated[..., adjudge.algebra.ignore] = ..."
                        )
                    path = _as_written(path)
                    found.setdefault((path, message), Complaint(of_gold, path, message, remedy))
        except RecursionError:
            return [_deep(of_gold=of_gold)]
        return list(found.values())


def _counts_flat_sets(metric: AnyMetric) -> bool:
    """Whether only sets are compared, and by the catalogue's rules rather than those of a user's class."""
    from adjudge.metrics.base import Metric

    own = all(type(each) is Metric for each in metric.members)
    if own and type(metric) is not Metric:
        from adjudge.metrics.derived import Combined

        own = type(metric) is Combined
    return own and all(each.flat is not None for each in metric.members)


def _as_written(path: str) -> str:
    """A path in a transformed value as a path in the document, where elements may have other indices.

    >>> _as_written("only(label,root)($.dependencies)[0].upos")
    '$.dependencies.upos'
    """
    made = re.fullmatch(r"[^$]*\((\$[^()]*)\)+([^()]*)", path)
    return path if made is None else made[1] + re.sub(r"\[\d+\]", "", made[2])


DEEP = 100  # levels beyond which a RecursionError is due to nesting


def _deep(*, of_gold: bool) -> Complaint:
    return Complaint(of_gold, "$", "the document is nested too deeply", "flatten it")


def _count(metric: AnyMetric, gold: Any, system: Any, counted: Counted, clock: Deadline) -> Row:
    try:
        row = metric.observe(gold, system, clock)
    except ValidationError as error:
        raise _MisfitError(_told(error, of_gold=False)) from None
    counted.counts.update(row.counts)
    if not row.optimal:
        counted.optimal = False
        counted.bound.update(row.bound or {})
    return row


def _prepared(metric: AnyMetric, document: Any, *, of_gold: bool) -> Any:
    try:
        return prepared(metric, document)
    except ValidationError as error:
        raise _MisfitError(_told(error, of_gold=of_gold)) from None


def _told(error: ValidationError, *, of_gold: bool) -> list[Complaint]:
    """An error of the algebra, which reads `gold.events[0]: ...` because it knows the side but not the file."""
    complaints = []
    for problem in error.problems:
        place = re.fullmatch(r"(?s)(gold|system|\$)(\S*): (.*)", problem.message)
        where, path, message = place.groups() if place else ("system", "", problem.message)
        complaints.append(Complaint(where == "gold" or of_gold, path, message, problem.hint))
    return complaints


def _depth(value: Any) -> int:
    """The depth of a value, found without recursion."""
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
    """The fields of a document that a metric compares; None if a user's function decides.

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
        case ir.Mapped() | ir.Custom() | ir.Leaves():
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
    """A document in the form `observe` expects."""
    if document is MISSING:
        return _nothing(metric)
    # A user's object is already what the metric expects.
    return metric.prepare(document) if type(document) is dict or isinstance(document, Mapping) else document


def _nothing(metric: AnyMetric) -> Any:
    """What a missing document counts as: a document with the compared fields alone, all of them empty."""
    from adjudge.metrics.documents import empty

    found = [empty(node) for each in metric.members for node in (each.precision, each.recall) if node is not None]
    return {name: value for each in found for name, value in each.items()} if isinstance(found[0], dict) else found[0]
