"""The leaves that two values have in common: objects field by field, nested lists under their best alignment.

phi(s, g) is the number of correct leaves (C), the self score the number of leaves. `outcomes` has the outcome
of every leaf; F1 is 2C over the leaves of both sides, and no alignment has a higher one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from adjudge.algebra import ir, shape
from adjudge.algebra.operators.base import GOLD, SYSTEM, Context, Difference, Line, Memo, Op, Seen, Table
from adjudge.algebra.operators.leaf_lists import ListingKind
from adjudge.algebra.operators.leaf_outcomes import ONE, Outcome, Outcomes, Place, Tally, outcome_of
from adjudge.algebra.operators.leaf_prepared import SCALARS, Kind, Lst, step
from adjudge.algebra.operators.leaf_shapes import AnythingKind, Compiler, FieldsKind, LeafKind
from adjudge.algebra.operators.misfit import Misfit, expected
from adjudge.algebra.values import as_json

if TYPE_CHECKING:
    from adjudge.algebra.align import Report
    from adjudge.algebra.solve.matrix import Matrix


_MANY = 2_500  # pairs of records from which on they are compared in columns
_DEEP = 20_000  # frames for values nested deeper than Python usually allows


class Records:
    """A document: its records, and whether it is one object instead of a list."""

    __slots__ = ("alone", "raw", "records", "solved")

    def __init__(self, records: Lst, alone: bool, raw: Sequence[Any]) -> None:
        self.records, self.alone, self.raw = records, alone, raw
        self.solved: tuple[Records, Outcomes, float] | None = None


class LeavesOp(Op):
    """Documents of nested records, compared leaf by leaf."""

    nested = True
    accepts_null = True

    def __init__(self, node: ir.Leaves) -> None:
        self.node = node
        self.compiler = compiler = Compiler(node.schema, ListingKind)
        root = node.schema.root
        while isinstance(root, shape.Named):
            root = node.schema.named[root.name]
        listing = root if isinstance(root, shape.Listing) else shape.Listing(of=root)
        self.wrapped = not _is_record(listing.of, node.schema)
        record = shape.Fields(fields={"value": listing.of}) if self.wrapped else listing.of
        self.record: Kind = compiler.kind(record)
        self.listing = ListingKind(listing, self.record, compiler)
        self.integral = compiler.unit == 1
        self.flat = None if self.wrapped else flat(self.record, compiler)

    def known(self, found: Outcomes) -> tuple[Records, Records]:
        """A record of the system and one of gold of which only the outcomes of their leaves are known."""
        total = found.total
        sizes = round(total.system), round(total.gold)
        s, g = (Records(Lst([], (), size), True, ()) for size in sizes)
        s.solved = g, found, total.correct
        return s, g

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        value = _plain(value)
        if not isinstance(value, dict | list) and value is not None:
            raise expected("an array or an object", value, "give a record, or a list of them")
        given = value if isinstance(value, list | tuple) else () if value is None else (value,)
        raw = [each if isinstance(each, Mapping) and not self.wrapped else {"value": each} for each in given]
        items = _deeply(lambda: [self.record.prepare(each, side) for each in raw])
        return Records(Lst(items, range(len(items)), sum(each.size for each in items)), isinstance(value, Mapping), raw)

    def identity(self, p: Any) -> Hashable:
        return _deeply(lambda: self.listing.key(p.records))

    def self_score(self, p: Any, side: int) -> float:
        return float(p.records.size)

    def pair(self, s: Any, g: Any, ctx: Context) -> float:
        found = self._solved(s, g, ctx)
        return found[2] if ctx.upper else found[1].total.correct

    def table(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context, floor: float = 0.0) -> Table:
        if len(ss) * len(gs) < _MANY or not self._are_single(ss, gs):
            return super().table(ss, gs, ctx, floor)
        matrix = self.matrix(ss, gs, ctx)
        where = matrix.nonzero()
        return list(zip(*(each.tolist() for each in (*where, matrix[where])), strict=True))

    def matrix(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context) -> Matrix:
        if not self._are_single(ss, gs):
            return super().matrix(ss, gs, ctx)
        from adjudge.algebra.operators.leaf_tables import correct

        self.compiler.begin(ctx.deadline)
        ours, theirs = ([each.records.items[0] for each in side] for side in (gs, ss))
        found = _deeply(lambda: correct(self.record, ours, theirs, self.compiler))
        if self.compiler.unproven and not ctx.is_late():
            ctx.optimal = False
        return found

    def _are_single(self, ss: Sequence[Any], gs: Sequence[Any]) -> bool:
        """Whether all are single records, whose correct leaves are whole numbers."""
        if not self.integral or not all(each.alone for each in gs):
            return False
        return all(len(each.records.items) == 1 for side in (ss, gs) for each in side)

    def outcomes(self, s: Any, g: Any, ctx: Context) -> Outcomes:
        return self._solved(s, g, ctx)[1]

    def _solved(self, s: Records, g: Records, ctx: Context) -> tuple[Records, Outcomes, float]:
        """The outcomes of the leaves, and a bound on the correct ones."""
        if s.solved is None or s.solved[0] is not g:
            tally = self._tally(s, g, ctx)
            found = tally.outcomes()
            most = min(found.total.correct + tally.slack, float(s.records.size), float(g.records.size))
            s.solved = g, found, max(most, found.total.correct)
        return s.solved

    def _tally(self, s: Records, g: Records, ctx: Context, *, places: bool = False) -> Tally:
        tally, key = Tally(), (id(self), id(s), id(g))
        tally.chosen = ctx.solved.get(key, tally.chosen)
        self.compiler.begin(ctx.deadline)
        whole: Place | None = () if places else None
        only: Place | None = (0,) if places else None
        if g.alone and len(s.records.items) == 1:
            if places:
                tally.pairs.append(((0,), (0,)))
            ours, theirs = g.records.items[0], s.records.items[0]
            _deeply(lambda: self.record.both(ours, theirs, "", tally, only, only))
        else:
            _deeply(lambda: self.listing.each(g.records, s.records, "", tally, whole, whole))
        if self.compiler.unproven:
            ctx.optimal = False
            ctx.solved[key] = tally.chosen
        return tally

    def align(self, s: Any, g: Any, sp: str, gp: str, report: Report, ctx: Context) -> None:
        if gp.endswith("]"):
            return  # a record among others is an item itself
        tally = self._tally(s, g, ctx, places=True)
        report.elements = report.elements or {}
        for ours, theirs in tally.pairs:
            report.elements[_written(sp, theirs)] = _written(gp, ours)
        for event in tally.events:
            here = None if event.gold is None else (_written(gp, event.gold), _found(g.raw, event.gold))
            there = None if event.system is None else (_written(sp, event.system), _found(s.raw, event.system))
            if here is not None and there is not None:
                report.match(there[0], here[0], there[1], here[1], event.credit, _LEAF)
            elif here is not None:
                report.unmatched(GOLD, *here, _LEAF)
            elif there is not None:
                report.unmatched(SYSTEM, *there, _LEAF)

    def walk(self, p: Any, side: int, path: str, report: Report) -> None:
        if path.endswith("]"):
            return
        report.elements = report.elements or {}
        tally = Tally()
        ours, theirs = (p.records, None) if side == GOLD else (None, p.records)
        _deeply(lambda: self.listing.each(ours, theirs, "", tally, (), ()))
        for event in tally.events:
            where = event.gold if event.system is None else event.system
            assert where is not None
            report.unmatched(side, _written(path, where), _found(p.raw, where), _LEAF)

    def line(self) -> Line:
        return Line("count correct leaves, lists under their best alignment", "O(n m) pairs per list, then assignment")


def _is_record(of: shape.Shape, schema: shape.Schema) -> bool:
    """Whether values of a shape are objects, or whatever they are."""
    while isinstance(of, shape.Named):
        of = schema.named[of.name]
    return isinstance(of, shape.Fields | shape.Anything)


def _plain(value: Any) -> Any:
    try:
        return as_json(value)
    except TypeError as error:
        raise Misfit(str(error)) from None


class _LeafOp(Op):
    """One leaf beside another, for explanations."""

    def differences(self, s: Any, g: Any, path: str, seen: Seen) -> list[Difference]:
        return [Difference(path, s, g, 1.0 if s == g and type(s) is type(g) else 0.0)]


_LEAF = _LeafOp()


def _written(path: str, where: Place) -> str:
    """The path of a place.

    >>> _written("records", (0, "lines", 2, "unit price"))
    'records[0].lines[2].unit price'
    """
    for each in where:
        path = f"{path}[{each}]" if isinstance(each, int) else step(path, each)
    return path


def _found(value: Any, where: Place) -> Any:
    """The value at a place."""
    for each in where:
        if isinstance(each, int) and not isinstance(value, list | tuple):
            continue  # a lone value stands for a list of one
        value = value[each]
    return value


_Result = TypeVar("_Result")


def _deeply(function: Callable[[], _Result]) -> _Result:
    """The result of a function, also for values that are nested deeper than Python usually allows."""
    try:
        return function()
    except RecursionError:
        usual = sys.getrecursionlimit()
        sys.setrecursionlimit(max(usual, _DEEP))
        try:
            return function()
        finally:
            sys.setrecursionlimit(usual)


# ---------------------------------------------------------------------------------------------------------------------
# Objects of nothing but scalars, as most records are: the outcomes of their leaves without preparing them first.

Flat: TypeAlias = Callable[[dict[str, Any], dict[str, Any]], Outcomes | None]
"""The outcome of the leaves of an object of gold and one of the system; None if one of them is not flat."""

_MOST = 1 << 12  # sets of keys that are cached
_RIGHT, _WRONG, _OMITTED, _HALLUCINATED, _ABSENT = range(5)


def flat(kind: Kind, compiler: Compiler) -> Flat | None:
    """How objects of a kind are compared if they are flat; None if they never are."""
    if isinstance(kind, AnythingKind):
        return _Anything(kind, compiler)
    if isinstance(kind, FieldsKind) and kind.extra is None and all(isinstance(each, LeafKind) for each in kind.kinds):
        return _Fields(kind, compiler)
    return None


class _Compared:
    """The scalars of two objects, field by field."""

    def __init__(self, compiler: Compiler) -> None:
        schema = compiler.schema
        self.absent = compiler.absent if schema.nulls or schema.blank else str.isspace
        self.doubtful: Sequence[int] = ()  # places of fields in which even equal values may be wrong

    def outcome(self, place: int, a: Any, b: Any) -> int | float:
        """The outcome of a leaf: one of the five outcomes, or a credit that is a part."""
        raise NotImplementedError

    def outcomes(self, right: dict[str, Outcome], ours: Collection[Any], theirs: Collection[Any]) -> Outcomes | None:
        """The outcome of all leaves, of which `right` has the paths."""
        absent = self.absent
        todo = [
            (place, a, b)
            for place, (a, b) in enumerate(zip(ours, theirs, strict=True))
            if a != b
            or not a
            or (kind := type(a)) is not type(b)
            or (kind is not int and (kind is not str or absent(a)))
        ]
        if self.doubtful:
            every = list(zip(ours, theirs, strict=True))
            known = {place for place, _, _ in todo}
            todo += [(place, *every[place]) for place in self.doubtful if place not in known]
        rows, paths = right.copy(), list(right) if todo else []
        counts, credits = [len(right) - len(todo), 0, 0, 0, 0], {}
        for place, a, b in todo:
            if type(a) not in SCALARS or type(b) not in SCALARS:
                return None
            found = self.outcome(place, a, b)
            if type(found) is int:
                counts[found] += 1
                rows[paths[place]] = ONE[found]
            else:
                credits[place] = found
                rows[paths[place]] = Outcome(found, 1 - found)
        return Outcomes(outcome_of(counts, [credits[place] for place in sorted(credits)]), rows)


class _Fields(_Compared):
    """Objects with the fields of a schema."""

    def __init__(self, kind: FieldsKind, compiler: Compiler) -> None:
        super().__init__(compiler)
        self.names = kind.names
        self.leaves = [each for each in kind.kinds if isinstance(each, LeafKind)]
        self.doubtful = [place for place, each in enumerate(self.leaves) if isinstance(each.by, shape.Sim)]
        self.right = dict.fromkeys(kind.paths(""), ONE[_RIGHT])

    def __call__(self, gold: dict[str, Any], system: dict[str, Any]) -> Outcomes | None:
        sides = []
        for each in (gold, system):
            own = list(map(each.get, self.names))
            if len(each) != len(own) and not SCALARS.issuperset(map(type, each.values())):
                return None  # fields that are not compared may hold what JSON does not have
            sides.append(own)
        return self.outcomes(self.right, *sides)

    def outcome(self, place: int, a: Any, b: Any) -> int | float:
        leaf = self.leaves[place]
        p = None if a is None else leaf.prepare(a, GOLD)
        q = None if b is None else leaf.prepare(b, SYSTEM)
        if p is None or q is None:
            return (_ABSENT if q is None else _HALLUCINATED) if p is None else _OMITTED
        if leaf.coded:
            return _RIGHT if p == q else _WRONG
        credit = leaf.credit(p, q)
        return credit if 0 < credit < 1 else _RIGHT if credit else _WRONG


class _Anything(_Compared):
    """Objects without a schema: key by key, those of gold first."""

    def __init__(self, kind: AnythingKind, compiler: Compiler) -> None:
        super().__init__(compiler)
        self.prepare = kind.prepare
        self._right: dict[tuple[str, ...], dict[str, Outcome]] = {}

    def __call__(self, gold: dict[str, Any], system: dict[str, Any]) -> Outcomes | None:
        names = tuple(gold)
        sides: tuple[Collection[Any], Collection[Any]] = gold.values(), system.values()
        if names != tuple(system):
            names = tuple(dict.fromkeys((*gold, *system)))
            sides = list(map(gold.get, names)), list(map(system.get, names))
        right = self._right.get(names)
        if right is None:
            if len(self._right) >= _MOST:
                self._right.clear()
            right = self._right[names] = {step("", name): ONE[_RIGHT] for name in names}
        return self.outcomes(right, *sides)

    def outcome(self, place: int, a: Any, b: Any) -> int | float:
        p = None if a is None else self.prepare(a, GOLD)
        q = None if b is None else self.prepare(b, SYSTEM)
        if p is None or q is None:
            return (_ABSENT if q is None else _HALLUCINATED) if p is None else _OMITTED
        return _RIGHT if p == q else _WRONG
