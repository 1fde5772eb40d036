"""Operators of records: the product of their fields, joined on those that decide which pairs count, or their sum."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from keyword import iskeyword
from math import fsum
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

from adjudge.algebra.access import MissingField, getter, kind
from adjudge.algebra.operators.base import (
    GOLD,
    SYSTEM,
    Context,
    Difference,
    Line,
    Memo,
    Op,
    Seen,
    Table,
    hash_join,
    joined,
    listed,
    missing,
    step,
)
from adjudge.algebra.operators.leaf import ExactOp
from adjudge.algebra.operators.misfit import Misfit, Misfits, expected

if TYPE_CHECKING:
    from adjudge.algebra.align import Report
    from adjudge.algebra.operators.leaf_outcomes import Outcomes
    from adjudge.algebra.solve.matrix import Matrix

Field: TypeAlias = tuple[
    Callable[[Any], Any], Callable[[Sequence[Any]], list[Any]] | None, frozenset[type], Callable[..., Sequence[Any]]
]
_NONE: frozenset[type] = frozenset()

# A bucket this small is compared directly; a larger one asks its most selective part for candidates.
_DIRECT = 16
_FEW = 2  # values for which reading field by field does not pay
_TINY = 4  # pairs for which a join is not worth making


class FieldsOp(Op):
    """Base of operators on the fields of a record."""

    def __init__(self, ops: dict[str, Op]) -> None:
        self.ops = ops
        self.getters = [(name, getter(name), op) for name, op in ops.items()]
        self.todo = lru_cache(maxsize=1024)(self._todo)
        self.readers: dict[type, Callable[[Any], Sequence[Any]]] = {}
        self.fields: dict[type, list[Field]] = {}
        self.integral = all(op.integral for op in ops.values())
        self.rational = all(op.rational or op.integral for op in ops.values())
        self.nested = any(op.nested for op in ops.values())

    def parts(self, p: Any) -> Sequence[Any]:
        """The prepared fields of a prepared value."""
        fields: Sequence[Any] = p
        return fields

    def outcomes(self, s: Any, g: Any, ctx: Context) -> Outcomes | None:
        if len(self.getters) != 1:
            return None
        return self.getters[0][2].outcomes(self.parts(s)[0], self.parts(g)[0], ctx)

    def raw(self, value: Any, name: str, get: Any, op: Op) -> Any:
        """The raw value of one field; a field that may be null may also be absent."""
        try:
            return get(value)
        except MissingField:
            if op.accepts_null:
                return None
            raise missing(value, name) from None

    def check_kind(self, value: Any) -> None:
        """Refuse what has no fields at all."""
        names = [name for name, _, _ in self.getters]
        found, positions = kind(value), all(name.isdecimal() for name in names)
        if found == "object" or (found == "array" and positions):
            return
        # A scalar of the user's own class may carry fields all the same.
        own = found not in ("array", "null") and type(value).__module__ != "builtins"
        if not (own and any(hasattr(value, name) for name in names)):
            raise expected("an array" if positions else "an object", value, f"with the fields {listed(names)}")

    def read(self, value: Any, side: int, memo: Memo) -> tuple[Any, ...]:
        """All fields, prepared: read at once if that is possible, else one by one, which also finds what is missing."""
        reader = self.readers.get(type(value)) or self._reader(type(value))
        try:
            raws = reader(value)
        except (KeyError, AttributeError, MissingField):
            return self._one_by_one(value, side, memo)
        todo = self.todo(tuple(map(type, raws)))
        if not todo:
            return tuple(raws)
        out = list(raws)
        place = 0
        try:
            for place, prepare in todo:
                out[place] = prepare(out[place], side, memo)
        except Misfit as misfit:
            self.check_kind(value)
            self._go_on(misfit, place, out, side, memo)
        return tuple(out)

    def prepare_each(self, items: Sequence[Any], side: int, memo: Memo) -> Sequence[Any]:
        """Field by field if all values are of one type, which leaves next to nothing to do for each of them."""
        kinds = set(map(type, items))
        if len(kinds) != 1 or len(items) < _FEW:
            return super().prepare_each(items, side, memo)
        kind = kinds.pop()
        fields = self.fields.get(kind) or self.fields.setdefault(kind, self._fields(kind))
        parts: list[Sequence[Any]] = []
        try:
            for get, get_all, plain, prepare in fields:
                raws = list(map(get, items)) if get_all is None else get_all(items)
                parts.append(raws if plain.issuperset(map(type, raws)) else prepare(raws, side, memo))
        except (KeyError, AttributeError, MissingField, Misfit):  # whose, and of what value, is found one by one
            return super().prepare_each(items, side, memo)
        return self.whole_each(list(zip(*parts, strict=True)))

    def whole_each(self, parts: list[tuple[Any, ...]]) -> Sequence[Any]:
        """Prepared values from their prepared fields."""
        return parts

    def _fields(self, kind: type) -> list[Field]:
        """How each field is read of a value of some type, or of many; a value of a plain type is its own key."""
        own, found = kind.__module__ != "builtins", list[Field]()
        for name, get, op in self.getters:
            get_all: Callable[[Sequence[Any]], list[Any]] | None = None
            if kind is dict or (own and issubclass(kind, Mapping)):
                get = itemgetter(name)
                get_all = partial(_keys, get, name) if kind is dict and op.accepts_null else None
            elif own and name.isidentifier() and not iskeyword(name):
                # Written out for every type, an attribute is found where it was found in the value before.
                get_all = eval(f"lambda items: [item.{name} for item in items]")  # noqa: S307
                get_all = partial(_attributes, get_all, name) if op.accepts_null else get_all
            found.append((get, get_all, op.plain if isinstance(op, ExactOp) else _NONE, op.prepare_each))
        return found

    def _go_on(self, misfit: Misfit, place: int, raws: list[Any], side: int, memo: Memo) -> None:
        """Raise what does not fit in one field and in those that follow it."""
        with Misfits() as misfits:
            misfits.add(misfit, step(self.getters[place][0]))
            for (name, _, op), raw in zip(self.getters[place + 1 :], raws[place + 1 :], strict=True):
                with misfits.at(step(name)):
                    op.prepare(raw, side, memo)

    def _todo(self, kinds: tuple[type, ...]) -> list[tuple[int, Callable[..., Any]]]:
        """The fields to prepare if they have these types; a value of a plain type is its own key."""
        return [
            (place, op.prepare)
            for place, (kind, (_, _, op)) in enumerate(zip(kinds, self.getters, strict=True))
            if not (isinstance(op, ExactOp) and kind in op.plain)
        ]

    def _one_by_one(self, value: Any, side: int, memo: Memo) -> tuple[Any, ...]:
        self.check_kind(value)
        out = []
        with Misfits() as misfits:
            for name, get, op in self.getters:
                with misfits.at(""):
                    raw = self.raw(value, name, get, op)
                    with misfits.at(step(name)):
                        out.append(op.prepare(raw, side, memo))
        return tuple(out)

    def _reader(self, kind: type) -> Callable[[Any], Sequence[Any]]:
        """A function that reads all fields of such a value, in one step if there is one."""
        names = [name for name, _, _ in self.getters]
        optional = [(name, op.accepts_null) for name, _, op in self.getters]
        read: Callable[[Any], Sequence[Any]]
        if kind is dict and any(absent for _, absent in optional):

            def read(value: Any) -> Sequence[Any]:
                return [value.get(name) if absent else value[name] for name, absent in optional]

        elif len(names) > 1 and issubclass(kind, Mapping):
            read = itemgetter(*names)
        elif len(names) > 1 and kind.__module__ != "builtins" and all(name.isidentifier() for name in names):
            read = attrgetter(*names)
        else:
            getters = [get for _, get, _ in self.getters]

            def read(value: Any) -> Sequence[Any]:
                return [get(value) for get in getters]

        self.readers[kind] = read
        return read

    def differences(self, s: Any, g: Any, path: str, seen: Seen) -> list[Difference]:
        """The comparison of every field of two raw values."""
        out: list[Difference] = []
        for name, get, op in self.getters:
            here = f"{path}.{name}" if path else name
            out.extend(op.differences(self.raw(s, name, get, op), self.raw(g, name, get, op), here, seen))
        return out

    def variables(self, p: Any) -> tuple[Hashable, ...]:
        named = zip(self.ops.values(), self.parts(p), strict=True)
        return tuple(name for op, part in named for name in op.variables(part))

    def align(self, s: Any, g: Any, sp: str, gp: str, report: Report, ctx: Context) -> None:
        if self.nested:
            for (name, op), left, right in zip(self.ops.items(), self.parts(s), self.parts(g), strict=True):
                op.align(left, right, below(sp, name), below(gp, name), report, ctx)

    def walk(self, p: Any, side: int, path: str, report: Report) -> None:
        if self.nested:
            for (name, op), part in zip(self.ops.items(), self.parts(p), strict=True):
                op.walk(part, side, below(path, name), report)


class RecordOp(FieldsOp):
    """Product of fields: a hash join on everything that blocks, then the rest inside a bucket."""

    def __init__(self, ops: dict[str, Op], size: int | None = None) -> None:
        super().__init__(ops)
        self.size = size
        numbered = list(enumerate(ops.values()))
        self.keys = [(k, op) for k, op in numbered if op.blocking]
        self.rest = [(k, op) for k, op in numbered if not op.exact]
        self.exact = not self.rest
        self.blocking = bool(self.keys)
        if self.exact and size is None:
            self.prepare = self.read  # type: ignore[method-assign]
        # Candidates for a large bucket come from the part whose table is most selective: overlaps before functions.
        self.lead = min(self.rest, key=lambda part: part[1].__class__.__name__ == "CustomOp", default=None)

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        if self.size is not None and isinstance(value, list | tuple) and len(value) != self.size:
            raise Misfit(f"expected {self.size} values, got {len(value)}")
        parts = self.read(value, side, memo)
        if self.exact:
            return parts
        return (tuple([op.block(parts[k]) for k, op in self.keys]), parts)

    def prepare_each(self, items: Sequence[Any], side: int, memo: Memo) -> Sequence[Any]:
        return (
            super().prepare_each(items, side, memo) if self.size is None else Op.prepare_each(self, items, side, memo)
        )

    def whole_each(self, parts: list[tuple[Any, ...]]) -> Sequence[Any]:
        if self.exact:
            return parts
        return [(tuple([op.block(each[k]) for k, op in self.keys]), each) for each in parts]

    def identity(self, p: Any) -> Hashable:
        if self.exact:
            return p  # type: ignore[no-any-return]
        # The key holds every exact field whole.
        key, parts = p
        return (key, *[op.identity(parts[k]) for k, op in self.rest])

    def block(self, p: Any) -> Hashable:
        key: Hashable = p if self.exact else p[0]
        return key

    def pair(self, s: Any, g: Any, ctx: Context) -> float:
        if self.exact:
            return 1.0 if s == g else 0.0
        value = 1.0 if s[0] == g[0] else 0.0
        for k, op in self.rest:
            if value == 0:
                break
            value *= op.pair(s[1][k], g[1][k], ctx)
        return value

    def ratio(self, s: Any, g: Any, ctx: Context) -> tuple[int, int]:
        if self.exact:
            return int(s == g), 1
        if s[0] != g[0]:
            return 0, 1
        top = bottom = 1
        for k, op in self.rest:
            numerator, denominator = op.ratio(s[1][k], g[1][k], ctx)
            top, bottom = top * numerator, bottom * denominator
            if top == 0:
                return 0, 1
        return top, bottom

    def self_score(self, p: Any, side: int) -> float:
        value = 1.0
        if not self.exact:
            for k, op in self.rest:
                value *= op.self_score(p[1][k], side)
        return value

    def table(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context, floor: float = 0.0) -> Table:
        if len(ss) * len(gs) <= _TINY:
            return super().table(ss, gs, ctx)
        if self.lead is None:
            return joined(ss, gs, self.block, ctx)
        position, lead = self.lead
        others = [(k, op) for k, op in self.rest if k != position]
        out: Table = []
        for left, right in hash_join(ss, gs, self.block):
            if ctx.out_of_time():
                break
            if len(left) * len(right) <= _DIRECT:
                values = ((i, j, self.pair(ss[i], gs[j], ctx)) for i in left for j in right)
                out += [entry for entry in values if entry[2] > 0]
                continue
            inner = lead.table([ss[i][1][position] for i in left], [gs[j][1][position] for j in right], ctx)
            for number, (a, b, first) in enumerate(inner):
                if number % 256 == 0 and ctx.out_of_time():
                    break
                s, g, value = ss[left[a]][1], gs[right[b]][1], 1.0
                for k, op in others:
                    value *= op.pair(s[k], g[k], ctx)
                    if value == 0:
                        break
                else:
                    out.append((left[a], right[b], first * value))
        return out

    def candidates(self, ss: Sequence[Any], gs: Sequence[Any]) -> int:
        if self.lead is None:
            return super().candidates(ss, gs)
        position, lead = self.lead
        buckets = hash_join(ss, gs, self.block)
        large = [(left, right) for left, right in buckets if len(left) * len(right) > _DIRECT]
        found = _DIRECT * (len(buckets) - len(large))
        for left, right in large:
            found += lead.candidates([ss[i][1][position] for i in left], [gs[j][1][position] for j in right])
        return found

    def matrix(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context) -> Matrix:
        import numpy as np

        out = np.zeros((len(ss), len(gs)))
        for left, right in hash_join(ss, gs, self.block):
            if ctx.is_late():
                break
            part = np.ones((len(left), len(right)))
            for k, op in self.rest:
                part *= op.matrix([ss[i][1][k] for i in left], [gs[j][1][k] for j in right], ctx)
            out[np.ix_(left, right)] = part
        return out

    def parts(self, p: Any) -> Sequence[Any]:
        fields: Sequence[Any] = p if self.exact else p[1]
        return fields

    def align(self, s: Any, g: Any, sp: str, gp: str, report: Report, ctx: Context) -> None:
        if self.nested and len(self.ops) > 1 and self.pair(s, g, ctx) == 0:
            # Nothing inside counts if one factor is zero.
            self.walk(s, SYSTEM, sp, report)
            self.walk(g, GOLD, gp, report)
        else:
            super().align(s, g, sp, gp, report, ctx)

    def line(self) -> Line:
        exact = [name for name, op in self.ops.items() if op.exact]
        partly = [name for name, op in self.ops.items() if op.blocking and not op.exact]
        rest = tuple((name, op.line()) for name, op in self.ops.items() if not op.exact)
        if self.exact:
            return Line(f"equality of ({', '.join(exact)})", "O(1)")
        if len(self.ops) == 1:
            ((name, inner),) = rest
            return Line(f"{name}: {inner.text}", inner.cost, inner.children)
        on = [*exact, *(f"part of {name}" for name in partly)]
        if on:
            return Line(f"product: bucket by ({', '.join(on)}), rest inside a bucket", "O(n + m + pairs)", rest)
        assert self.lead is not None
        return Line(f"product: candidates from {list(self.ops)[self.lead[0]]}, rest per candidate", "", rest)


class SumOp(FieldsOp):
    """Sum of fields."""

    def __init__(self, ops: dict[str, Op]) -> None:
        super().__init__(ops)
        self.nested = True

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        return self.read(value, side, memo)

    def ratio(self, s: Any, g: Any, ctx: Context) -> tuple[int, int]:
        value = sum((Fraction(*op.ratio(s[k], g[k], ctx)) for k, op in enumerate(self.ops.values())), Fraction(0))
        return value.numerator, value.denominator

    def identity(self, p: Any) -> Hashable:
        return tuple([op.identity(part) for op, part in zip(self.ops.values(), p, strict=True)])

    def pair(self, s: Any, g: Any, ctx: Context) -> float:
        return fsum(op.pair(s[k], g[k], ctx) for k, op in enumerate(self.ops.values()))

    def self_score(self, p: Any, side: int) -> float:
        return fsum(op.self_score(p[k], side) for k, op in enumerate(self.ops.values()))

    def table(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context, floor: float = 0.0) -> Table:
        sums: dict[tuple[int, int], float] = {}
        for k, op in enumerate(self.ops.values()):
            for number, (i, j, value) in enumerate(op.table([s[k] for s in ss], [g[k] for g in gs], ctx)):
                if number % 1024 == 1023 and ctx.out_of_time():
                    break
                sums[i, j] = sums.get((i, j), 0.0) + value
        return [(i, j, value) for (i, j), value in sums.items()]

    def line(self) -> Line:
        return Line("sum of parts", "", tuple((name, op.line()) for name, op in self.ops.items()))


def _keys(get: Callable[[Any], Any], name: str, items: Sequence[Any]) -> list[Any]:
    """A key that may be absent, of many mappings."""
    try:
        return list(map(get, items)) if name in items[0] else [item.get(name) for item in items]
    except KeyError:
        return [item.get(name) for item in items]


def _attributes(get_all: Callable[[Sequence[Any]], list[Any]], name: str, items: Sequence[Any]) -> list[Any]:
    """An attribute that may be absent, of many objects."""
    try:
        return get_all(items)
    except AttributeError:
        return [getattr(item, name, None) for item in items]


def below(path: str, name: str) -> str:
    """The path of a field."""
    return f"{path}.{name}" if path else name
