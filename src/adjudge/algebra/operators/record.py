"""Operators of records: the product of their fields, joined on those that decide which pairs count, or their sum."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from math import fsum
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any

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
from adjudge.algebra.operators.misfit import Misfit, Misfits, expected

if TYPE_CHECKING:
    from adjudge.algebra.align import Report
    from adjudge.algebra.operators.leaf_outcomes import Outcomes
    from adjudge.algebra.solve.matrix import Matrix

# A bucket this small is compared directly; a larger one asks its most selective part for candidates.
_DIRECT = 16
_FEW = 2  # values for which reading field by field does not pay
_TINY = 4  # pairs for which a join does not pay


class FieldsOp(Op):
    """Base of operators on the fields of a record."""

    def __init__(self, ops: dict[str, Op]) -> None:
        self.ops = ops
        self.getters = [(name, getter(name), op) for name, op in ops.items()]
        self.readers: dict[type, list[Callable[[Any], Any]]] = {}
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
        """All fields, prepared once; everything that does not fit is raised together."""
        out: list[Any] = []
        misfits = Misfits()
        for name, get, op in self.getters:
            try:
                out.append(op.prepare(get(value), side, memo))
            except MissingField:
                if op.accepts_null:
                    out.append(op.prepare(None, side, memo))
                else:
                    misfits.add(missing(value, name), "")
            except Misfit as misfit:
                misfits.add(misfit, step(name))
        if misfits.found:
            self.check_kind(value)
            misfits.close()
        return tuple(out)

    def prepare_each(self, items: Sequence[Any], side: int, memo: Memo) -> Sequence[Any]:
        """Field by field if all values are of one type, which leaves next to nothing to do for each of them."""
        kinds = set(map(type, items))
        if len(kinds) != 1 or len(items) < _FEW:
            return super().prepare_each(items, side, memo)
        kind = kinds.pop()
        readers = self.readers.get(kind) or self.readers.setdefault(kind, self._readers(kind))
        parts: list[Sequence[Any]] = []
        try:
            for (name, _, op), read in zip(self.getters, readers, strict=True):
                try:
                    raws = list(map(read, items))
                except (KeyError, AttributeError):
                    if not op.accepts_null:
                        raise
                    raws = _or_none(kind, name, items)
                parts.append(op.prepare_each(raws, side, memo))
        except (KeyError, AttributeError, MissingField, Misfit):  # of which value, is found one by one
            return super().prepare_each(items, side, memo)
        return self.whole_each(list(zip(*parts, strict=True)))

    def whole_each(self, parts: list[tuple[Any, ...]]) -> Sequence[Any]:
        """Prepared values from their prepared fields."""
        return parts

    def _readers(self, kind: type) -> list[Callable[[Any], Any]]:
        """The fastest way to read each field of values of a type."""
        if issubclass(kind, Mapping):
            return [itemgetter(name) for name in self.ops]
        own = kind.__module__ != "builtins"
        return [attrgetter(name) if own and name.isidentifier() else get for name, get, _ in self.getters]

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
        from fractions import Fraction

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


def _or_none(kind: type, name: str, items: Sequence[Any]) -> list[Any]:
    """A field of many values, None where it is absent."""
    if issubclass(kind, Mapping):
        return [item.get(name) for item in items]
    return [getattr(item, name, None) for item in items]


def below(path: str, name: str) -> str:
    """The path of a field."""
    return f"{path}.{name}" if path else name
