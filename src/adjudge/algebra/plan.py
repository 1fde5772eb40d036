"""From a similarity to the fastest exact way of computing it, and the explanation of the choice.

plan(node).observe(gold, system)      # the numbers
plan(node).explain()                  # how they are found
"""

from __future__ import annotations

import gc
from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property, partial
from math import prod
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from adjudge.algebra import ir, shape
from adjudge.algebra.operators import bag, leaf, record, wrap
from adjudge.algebra.operators.base import GOLD, SYSTEM, Context, Cuts, Line, Op
from adjudge.algebra.operators.misfit import HERE, Misfit
from adjudge.algebra.solve.deadline import Deadline
from adjudge.errors import Problem, UsageError, ValidationError

if TYPE_CHECKING:
    from adjudge.algebra.align import Alignment
    from adjudge.algebra.operators import leaves
    from adjudge.algebra.operators.leaf_outcomes import Outcomes

DEFAULTS = ir.Conventions()


class Observation(msgspec.Struct, frozen=True):
    """Three numbers of one document: the matching value and the two self scores.

    If a search hit its time limit, `optimal` is False and the true value lies between `value` and `bound`. Where leaves
    are counted, `outcomes` has the outcome of each.
    """

    value: float
    system: float
    gold: float
    optimal: bool = True
    bound: float | None = None
    outcomes: Outcomes | None = None


class Plan:
    """A compiled similarity."""

    def __init__(
        self, node: ir.Similarity, conventions: ir.Conventions = DEFAULTS, *, time_limit: float | None = None
    ) -> None:
        if ir.has_variables(node):
            raise UsageError("a variable is outside any latent", hint="wrap the metric in latent(...)")
        self.time_limit = time_limit
        self.capped = _capped(node)
        self._unfinished: tuple[Any, Any, Any, Any, Context] | None = None
        self.op = compile_node(node, "$", conventions)
        self.sides = (SYSTEM, GOLD) if ir.tells_sides(node) else (SYSTEM,)  # those that a value may fit or not
        self.flat = _flat(self.op)

    @cached_property
    def of_records(self) -> OfRecords | None:
        """How the counts of documents of one record follow from the outcomes of its leaves; None if they do not."""
        return of_records(self.op)

    def observe(self, gold: Any, system: Any, deadline: Deadline | None = None) -> Observation:
        """The matching value of two values and their self scores, by the deadline that is given or the plan's own.

        The cyclic garbage collector is paused meanwhile: prepared values have no cycles, and with 20,000 elements its
        passes would more than double the time.
        """
        if self.flat is not None:
            seen = self.flat.observe(gold, system)
            if seen is not None:
                return seen
        collecting = gc.isenabled()
        gc.disable()
        try:
            g, s = self._prepare(gold, GOLD), self._prepare(system, SYSTEM)
            own = self.op.self_score(s, SYSTEM), self.op.self_score(g, GOLD)
            ctx = self._context(deadline)
            value = self.op.pair(s, g, ctx)
            outcomes = self.op.outcomes(s, g, ctx)
            if ctx.optimal:
                return Observation(value, *own, outcomes=outcomes)
            self._unfinished = gold, system, g, s, replace(ctx)
            if not ctx.cuts.made:
                ctx.upper = True
                most = min([self.op.pair(s, g, ctx), *(own[side] for side in self.capped)])
                if not ctx.cuts.made:
                    return Observation(value, *own, most <= value, None if most <= value else most, outcomes)
            most = max(value, min(own[side] for side in self.capped))
            return Observation(value, *own, most <= value, None if most <= value else most, outcomes)
        except Misfit as misfit:
            raise _invalid(misfit, "") from misfit
        finally:
            if collecting:
                gc.enable()

    def _context(self, deadline: Deadline | None) -> Context:
        return Context(
            deadline or Deadline(self.time_limit), cuts=Cuts(allowed=bool(self.capped), refuse=not self.capped)
        )

    def align(self, gold: Any, system: Any, deadline: Deadline | None = None) -> Alignment:
        """What is matched, missed and spurious."""
        from adjudge.algebra.align import Alignment, Report

        report = Report()
        known = self._unfinished
        if known is not None and known[0] is gold and known[1] is system:  # its time is used up: report what was found
            self.op.align(known[3], known[2], "", "", report, known[4])
            return Alignment(report)
        g, s = self._prepare(gold, GOLD), self._prepare(system, SYSTEM)
        self.op.align(s, g, "", "", report, self._context(deadline))
        return Alignment(report)

    def _prepare(self, value: Any, side: int) -> Any:
        try:
            return self.op.prepare(value, side, {})
        except Misfit as misfit:
            raise _invalid(misfit, "system" if side == SYSTEM else "gold") from misfit

    def explain(self) -> str:
        """The plan, printed the way a database prints a query plan."""
        return render(self.op.line())


class Flat(msgspec.Struct, frozen=True):
    """Documents with one compared field, a set of exactly compared elements: their counts are sizes of sets.

    For speed (bench engine/decoding): counting many documents takes a third of the time, without which the bar fails.
    """

    name: str
    op: bag.ExactSetOp

    def observe(self, gold: Any, system: Any) -> Observation | None:
        """The counts; None if a document needs the general way, such as an invalid one."""
        ours, theirs = self.keys((gold,), GOLD), self.keys((system,), SYSTEM)
        return None if ours is None or theirs is None else Observation(*next(self.counts(ours, theirs)))

    def keys(self, documents: Sequence[Any], side: int) -> Sequence[frozenset[Hashable]] | None:
        """The keys of the elements of many documents; None if one of them needs the general way."""
        name = self.name
        try:
            values = [each[name] if type(each) is dict else getattr(each, name) for each in documents]
            return self.op.keys(values, side)
        except (Misfit, KeyError, AttributeError):
            return None

    def counts(
        self, gold: Sequence[frozenset[Hashable]], system: Sequence[frozenset[Hashable]]
    ) -> Iterator[tuple[float, float, float]]:
        """The number of shared, system and gold elements of each pair of documents."""
        empty = float(self.op.empty)
        for g, s in zip(gold, system, strict=True):
            if g and s:
                yield float(len(g & s)), float(len(s)), float(len(g))
            else:
                yield 0.0 if g or s else empty, float(len(s)) or empty, float(len(g)) or empty


def _flat(op: Op) -> Flat | None:
    if not (isinstance(op, record.RecordOp) and len(op.ops) == 1 and op.size is None):
        return None
    ((name, inner),) = op.ops.items()
    return Flat(name, inner) if isinstance(inner, bag.ExactSetOp) and inner.flat and name.isidentifier() else None


def _invalid(misfit: Misfit, where: str) -> ValidationError:
    found = [(path.replace(HERE, where), message, hint) for path, message, hint in misfit.found]
    return ValidationError(
        [Problem(f"{path}: {message}" if path else message, hint=hint) for path, message, hint in found]
    )


Complaint: TypeAlias = tuple[str, str, str | None]


def problems(
    node: ir.Similarity, value: Any, path: str = "$", *, side: Literal["system", "gold"] | None = None
) -> list[Complaint]:
    """Everything about a value that does not fit a similarity, as (path, message, hint).

    A similarity may map the two sides differently; without `side`, a value must fit one of them. Where a value has been
    mapped first, the path says so: `items($.roles)[0].key`.

    >>> problems(ir.Set(of=ir.Exact(type="integer")), [1, "2"])
    [('$[1]', 'expected an integer, got a string', None)]
    """
    sides = {"system": (SYSTEM,), "gold": (GOLD,), None: (SYSTEM, GOLD)}[side]
    return misfits(compile_node(node, "$", DEFAULTS), value, path, sides)


def misfits(op: Op, value: Any, path: str = "$", sides: Sequence[int] = (SYSTEM, GOLD)) -> list[Complaint]:
    """Why a value fits none of the sides, as (path, message, hint); nothing if it fits one."""
    found: list[Complaint] = []
    for side in sides:
        try:
            op.prepare(value, side, {})
        except Misfit as misfit:
            found = list(dict.fromkeys((at.replace(HERE, path), message, hint) for at, message, hint in misfit.found))
        else:
            return []
    return found


def render(line: Line) -> str:
    """A plan as an indented tree with the cost of each step on the right."""
    rows: list[tuple[str, str]] = []

    def add(each: Line, lead: str, branch: str, name: str) -> None:
        rows.append((f"{lead}{branch}{name + ': ' if name else ''}{each.text}", each.cost))
        below = lead + {"": "", "├─ ": "│  ", "└─ ": "   "}[branch]
        for k, (label, child) in enumerate(each.children):
            add(child, below, "└─ " if k == len(each.children) - 1 else "├─ ", label)

    add(line, "", "", "")
    width = max(len(text) for text, _ in rows)
    return "\n".join(f"{text:<{width}}  {cost}".rstrip() for text, cost in rows)


def plan(node: ir.Similarity, *, time_limit: float | None = None) -> Plan:
    """Compile a similarity.

    >>> from adjudge.algebra import exact, set_of
    >>> plan(set_of(exact)).observe(gold=[3, 4, 5], system=[1, 2, 3, 4])
    Observation(value=2.0, system=4.0, gold=3.0, optimal=True, bound=None, outcomes=None)
    """
    return Plan(node, time_limit=time_limit)


def _check_cut(node: ir.Threshold, path: str) -> None:
    """Refuse a threshold that nothing can pass."""
    most = _most(node.of)
    cut = node.above if node.above is not None else node.at_least
    if cut is None or most is None:
        return
    if cut >= most if node.above is not None else cut > most:
        raise UsageError(
            f"{path}: nothing passes a threshold of {cut:g}, since the similarity is at most {most:g}",
            hint="give a smaller threshold",
        )


def _most(node: ir.Similarity) -> float | None:
    """The largest value a similarity can have, if that is known."""
    match node:
        case ir.Exact() | ir.Edit() | ir.Number() | ir.Hierarchy() | ir.Variable():
            return 1.0
        case ir.Span() | ir.Overlap():
            return None if node.by in ("count", "link") else 1.0
        case ir.Threshold():
            return _most(node.of) if node.keep else 1.0
        case ir.Normalise():
            return 1.0 if _bounded(node.of) and node.recall is None else None
        case ir.Custom():
            return node.upper
        case ir.Record() | ir.Union() | ir.Max():
            parts = [_most(inner) for inner in ir.children(node)]
            known = [part for part in parts if part is not None]
            if len(known) < len(parts):
                return None
            return prod(known) if isinstance(node, ir.Record) else max(known, default=None)
        case ir.Mapped() | ir.Unit() | ir.Latent():
            return _most(node.of)
    return None


def _capped(node: ir.Similarity) -> frozenset[int]:
    """The sides whose self score bounds the value, if leaving out candidates never raises it."""
    both, none = frozenset((SYSTEM, GOLD)), frozenset[int]()
    match node:
        case ir.Exact() | ir.Edit() | ir.Number() | ir.Variable() | ir.Span() | ir.Overlap():
            return both
        case ir.Hierarchy():
            return both if all(credit <= 1 for *_, credit in node.table) and node.partial <= 1 else none
        case ir.Custom():
            known = node.upper is not None and node.self_score is not None
            return both if known and node.upper <= node.self_score else none  # type: ignore[operator]
        case ir.Greedy():
            return none
        case ir.Unit():
            most = _most(node.of)
            return _capped(node.of) if most is not None and most <= 1 else none
        case ir.Normalise():
            recall = _capped(node.of if node.recall is None else node.recall)
            return both if SYSTEM in _capped(node.of) and GOLD in recall and (node.recall or recall == both) else none
    found = both.intersection(*(_capped(inner) for inner in ir.children(node)))
    if isinstance(node, ir.Set | ir.Sequence | ir.Graph):
        found &= {"1:1": both, "best": both, "N:1": {SYSTEM}, "1:N": {GOLD}, "N:N": none}[node.match]
    return found


def _bounded(node: ir.Similarity) -> bool:
    """Whether a value is never above either self score: no element is counted more than once."""
    if isinstance(node, ir.Set | ir.Sequence | ir.Graph) and node.match not in ("1:1", "best"):
        return False
    return all(_bounded(inner) for inner in ir.children(node))


def compile_node(node: ir.Similarity, path: str, conventions: ir.Conventions) -> Op:
    """The operator for a node, whose open conventions are settled on the way."""
    inside = partial(compile_node, conventions=conventions)
    node = ir.settled(node, conventions)
    match node:
        case ir.Exact():
            return leaf.ExactOp(node)
        case ir.Span():
            return leaf.SpanOp(node)
        case ir.Edit() | ir.Number() | ir.Hierarchy() | ir.Custom():
            from adjudge.algebra.operators.graded import graded_op

            return graded_op(node)
        case ir.Variable():
            return leaf.VariableOp()
        case ir.Leaves():
            from adjudge.algebra.operators.leaves import LeavesOp

            return LeavesOp(node)
        case ir.Record() | ir.Sum():
            ops = {name: inside(inner, f"{path}.{name}") for name, inner in node.fields.items()}
            return record.RecordOp(ops, node.size) if isinstance(node, ir.Record) else record.SumOp(ops)
        case ir.Union():
            from adjudge.algebra.operators import combine

            return combine.UnionOp(node, [inside(case.of, path) for case in node.cases])
        case ir.Mapped():
            return wrap.MappedOp(node, inside(node.of, path))
        case ir.Unit():
            return wrap.UnitOp(inside(node.of, path))
        case ir.Max():
            from adjudge.algebra.operators import combine

            return combine.MaxOp([inside(inner, path) for inner in node.of])
        case ir.Threshold():
            _check_cut(node, path)
            return wrap.ThresholdOp(node, inside(node.of, path))
        case ir.Normalise():
            if node.by == "jaccard" and not _bounded(node.of):
                raise UsageError(
                    f"{path}: a Jaccard index needs a value that is at most both self scores",
                    hint="match 1:1, or take precision and recall",
                )
            recall = None if node.recall is None else inside(node.recall, path)
            return wrap.NormaliseOp(node, inside(node.of, path), recall)
        case ir.Latent():
            from adjudge.algebra.operators.latent import LatentOp

            return LatentOp(inside(node.of, path))
    element = inside(node.of, f"{path}[*]")
    if isinstance(node, ir.Overlap):
        return bag.OverlapOp(node, element)
    if isinstance(node, ir.Set) and element.exact:
        return bag.ExactSetOp(node, element)
    if isinstance(node, ir.Graph):
        from adjudge.algebra.operators.search import GraphOp

        return GraphOp(node, element)
    from adjudge.algebra.operators import collection

    match node:
        case ir.Set():
            return collection.SetOp(node, element)
        case ir.Greedy():
            return collection.GreedyOp(node, element)
        case ir.Sequence():
            return collection.SequenceOp(node, element)


class OfRecords(msgspec.Struct, frozen=True):
    """Documents whose records are compared, by all their leaves or by a similarity of pairs of records.

    For speed (bench records/documents): scoring many documents by field takes three fifths of the time, without which
    the bar fails.
    """

    name: str
    leaves: leaves.LeavesOp
    element: Op | None = None

    @property
    def schema(self) -> shape.Schema:
        """How fields are compared."""
        return self.leaves.node.schema

    def observe(self, found: Outcomes) -> tuple[float, float, float]:
        """The counts of two documents of one record each, both with leaves, from the outcomes of these."""
        if self.element is None:
            return found.total.correct, found.total.system, found.total.gold
        s, g = self.leaves.known(found)
        one, other = _around(self.element, s), _around(self.element, g)
        own = self.element.self_score(one, SYSTEM), self.element.self_score(other, GOLD)
        return (self.element.pair(one, other, Context()), *own)


def _around(op: Op, records: leaves.Records) -> Any:
    """Records in the form that the ratios around them expect, with their size."""
    if isinstance(op, wrap.NormaliseOp):
        return (_around(op.inner, records), float(records.records.size))
    return _around(op.inner, records) if isinstance(op, wrap.Wrapper) else records


def of_records(op: Op) -> OfRecords | None:
    """The records that an operator compares, if it compares nothing else."""
    if not (isinstance(op, record.RecordOp) and len(op.ops) == 1 and op.size is None):
        return None
    from adjudge.algebra.operators import collection, leaves

    ((name, inner),) = op.ops.items()
    if isinstance(inner, leaves.LeavesOp):
        return OfRecords(name, inner)
    if not (
        isinstance(inner, wrap.MappedOp)
        and all(each is not None and each.name == "records" for each in inner.functions)
    ):
        return None
    each = inner.inner
    if not (isinstance(each, collection.SetOp) and each.match == "1:1"):
        return None
    element = each.element
    while isinstance(element, wrap.NormaliseOp | wrap.ThresholdOp) and not getattr(element, "recall", None):
        element = element.inner
    return OfRecords(name, element, each.element) if isinstance(element, leaves.LeavesOp) else None
