"""Operators that combine others on the same two values: records, unions, maps, thresholds, ratios."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any

from adjudge.algebra import ir
from adjudge.algebra.access import MissingField, case_of, getter, may_be_absent
from adjudge.algebra.normalise import f_measure, ratio
from adjudge.algebra.operators.base import (
    GOLD,
    SYSTEM,
    Context,
    Difference,
    Line,
    Memo,
    Misfit,
    Op,
    Ratios,
    Table,
    describe,
    hash_join,
    simplest,
)
from adjudge.algebra.operators.leaf import ExactOp

if TYPE_CHECKING:
    from adjudge.algebra.align import Report

# A bucket this small is compared directly; a larger one asks its most selective part for candidates.
_DIRECT = 16


class Missing(Misfit):
    """A field that is not there; the complaint is about the object, not about the field."""

    fresh = True

    def under(self, step: str) -> Misfit:
        """The first step would name the field itself."""
        if self.fresh:
            self.fresh = False
            return self
        return super().under(step)


class Fields:
    """Reading the fields of a record, with paths in the complaints."""

    def __init__(self, ops: dict[str, Op]) -> None:
        self.parts = [(name, getter(name), op) for name, op in ops.items()]

    def raw(self, value: Any, name: str, get: Any, op: Op) -> Any:
        """The raw value of one field; a field that may be null may also be absent."""
        try:
            return get(value)
        except MissingField:
            return self._absent(value, name, op)

    def _absent(self, value: Any, name: str, op: Op) -> Any:
        if op.accepts_null:
            return None
        if value is None or isinstance(value, str | int | float):
            raise Missing(f"expected an object with the field {name!r}, got {describe(value)}") from None
        raise Missing(f"the field {name!r} is missing", "add it to the object") from None

    def prepare(self, value: Any, side: int, memo: Memo) -> list[Any]:
        """All fields, prepared."""
        out = []
        name = ""
        try:
            for name, get, op in self.parts:
                try:
                    raw = get(value)
                except MissingField:
                    raw = self._absent(value, name, op)
                out.append(op.prepare(raw, side, memo))
        except Misfit as misfit:
            raise misfit.under(f".{name}") from None
        return out

    def differences(self, s: Any, g: Any, path: str) -> list[Difference]:
        """The comparison of every field of two raw values."""
        out: list[Difference] = []
        for name, get, op in self.parts:
            here = f"{path}.{name}" if path else name
            out.extend(op.differences(self.raw(s, name, get, op), self.raw(g, name, get, op), here))
        return out


class RecordOp(Op):
    """Product of fields: a hash join on everything that blocks, then the rest inside a bucket."""

    def __init__(self, ops: dict[str, Op], size: int | None = None) -> None:
        self.ops = ops
        self.size = size
        self.fields = Fields(ops)
        numbered = list(enumerate(ops.items()))
        self.keys = [(k, op) for k, (_, op) in numbered if op.blocking]
        self.rest = [(k, op) for k, (_, op) in numbered if not op.exact]
        self.names = list(ops)
        self.exact = not self.rest
        self.blocking = bool(self.keys)
        self.integral = all(op.integral for op in ops.values())
        self.rational = all(op.rational or op.integral for op in ops.values())
        self.nested = any(op.nested for op in ops.values())
        self.plain = self._plain() if self.exact else None
        # Candidates for a large bucket come from the part whose table is most selective: overlaps before functions.
        self.lead = min(self.rest, key=lambda part: part[1].__class__.__name__ == "CustomOp", default=None)

    def _plain(self) -> tuple[Any, Any, tuple[frozenset[type], ...]] | None:
        """How to read all fields in one step, if each is a plain string or integer."""
        kinds = [op.plain for op in self.ops.values() if isinstance(op, ExactOp)]
        if len(kinds) < max(2, len(self.ops)) or not all(kinds) or any("." in name for name in self.ops):
            return None
        return itemgetter(*self.ops), attrgetter(*self.ops), tuple(kinds)

    def _quick(self, value: Any) -> Any:
        """The key of a record of plain fields, or None if it needs a closer look."""
        assert self.plain is not None
        by_key, by_name, kinds = self.plain
        try:
            key = by_key(value) if type(value) is dict else by_name(value)
        except (KeyError, AttributeError):
            return None
        for part, kind in zip(key, kinds, strict=True):
            if type(part) not in kind:
                return None
        return key

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        if self.size is not None and isinstance(value, list | tuple) and len(value) != self.size:
            raise Misfit(f"expected {self.size} values, got {len(value)}")
        if self.plain is not None:
            key = self._quick(value)
            if key is not None:
                return key
        parts = self.fields.prepare(value, side, memo)
        if self.exact:
            return tuple(parts)
        return (tuple([op.block(parts[k]) for k, op in self.keys]), parts)

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
        return self._rest(s, g, ctx) if s[0] == g[0] else 0.0

    def _rest(self, s: Any, g: Any, ctx: Context, skip: int = -1) -> float:
        value = 1.0
        for k, op in self.rest:
            if k != skip:
                value *= op.pair(s[1][k], g[1][k], ctx)
                if value == 0:
                    return 0.0
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
        out: Table = []
        if self.lead is None:
            return [(i, j, 1.0) for left, right in hash_join(ss, gs, self.block) for i in left for j in right]
        position, lead = self.lead
        for left, right in hash_join(ss, gs, self.block):
            if len(left) * len(right) <= _DIRECT:
                for i in left:
                    for j in right:
                        value = self._rest(ss[i], gs[j], ctx)
                        if value > 0:
                            out.append((i, j, value))
                continue
            inner = lead.table([ss[i][1][position] for i in left], [gs[j][1][position] for j in right], ctx)
            for a, b, first in inner:
                i, j = left[a], right[b]
                value = first * self._rest(ss[i], gs[j], ctx, skip=position)
                if value > 0:
                    out.append((i, j, value))
        return out

    def variables(self, p: Any) -> tuple[Hashable, ...]:
        if self.exact:
            return ()
        return tuple(name for k, op in self.rest for name in op.variables(p[1][k]))

    def align(self, s: Any, g: Any, sp: str, gp: str, report: Report, ctx: Context) -> None:
        if self.nested:
            if len(self.ops) > 1 and self.pair(s, g, ctx) == 0:
                # Nothing inside counts if one factor is zero.
                self.walk(s, SYSTEM, sp, report)
                self.walk(g, GOLD, gp, report)
                return
            for k, op in self.rest:
                if op.nested:
                    name = self.names[k]
                    op.align(s[1][k], g[1][k], _below(sp, name), _below(gp, name), report, ctx)

    def walk(self, p: Any, side: int, path: str, report: Report) -> None:
        if self.nested:
            for k, op in self.rest:
                if op.nested:
                    op.walk(p[1][k], side, _below(path, self.names[k]), report)

    def differences(self, s: Any, g: Any, path: str) -> list[Difference]:
        return self.fields.differences(s, g, path)

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
        return Line(f"product: candidates from {self.names[self.lead[0]]}, rest per candidate", "", rest)


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


class SumOp(Op):
    """Sum of fields."""

    nested = True

    def __init__(self, ops: dict[str, Op]) -> None:
        self.ops = ops
        self.fields = Fields(ops)
        self.parts = list(ops.values())
        self.names = list(ops)
        self.integral = all(op.integral for op in self.parts)
        self.rational = all(op.integral or op.rational for op in self.parts)

    def ratio(self, s: Any, g: Any, ctx: Context) -> tuple[int, int]:
        value = sum((Fraction(*op.ratio(s[k], g[k], ctx)) for k, op in enumerate(self.parts)), Fraction(0))
        return value.numerator, value.denominator

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        return self.fields.prepare(value, side, memo)

    def identity(self, p: Any) -> Hashable:
        return tuple([op.identity(part) for op, part in zip(self.parts, p, strict=True)])

    def pair(self, s: Any, g: Any, ctx: Context) -> float:
        return sum(op.pair(s[k], g[k], ctx) for k, op in enumerate(self.parts))

    def self_score(self, p: Any, side: int) -> float:
        return sum(op.self_score(p[k], side) for k, op in enumerate(self.parts))

    def table(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context, floor: float = 0.0) -> Table:
        sums: dict[tuple[int, int], float] = {}
        for k, op in enumerate(self.parts):
            for i, j, value in op.table([s[k] for s in ss], [g[k] for g in gs], ctx):
                sums[i, j] = sums.get((i, j), 0.0) + value
        return [(i, j, value) for (i, j), value in sums.items()]

    def variables(self, p: Any) -> tuple[Hashable, ...]:
        return tuple(name for k, op in enumerate(self.parts) for name in op.variables(p[k]))

    def align(self, s: Any, g: Any, sp: str, gp: str, report: Report, ctx: Context) -> None:
        for k, op in enumerate(self.parts):
            op.align(s[k], g[k], _below(sp, self.names[k]), _below(gp, self.names[k]), report, ctx)

    def walk(self, p: Any, side: int, path: str, report: Report) -> None:
        for k, op in enumerate(self.parts):
            op.walk(p[k], side, _below(path, self.names[k]), report)

    def differences(self, s: Any, g: Any, path: str) -> list[Difference]:
        return self.fields.differences(s, g, path)

    def line(self) -> Line:
        return Line("sum of parts", "", tuple((name, op.line()) for name, op in self.ops.items()))


class UnionOp(Op):
    """Cases: a value is compared only with values of its own case."""

    blocking = True

    def __init__(self, node: ir.Union, ops: list[Op]) -> None:
        self.node = node
        self.ops = ops
        self.exact = all(op.exact for op in ops)
        self.integral = all(op.integral for op in ops)
        self.rational = all(op.rational or op.integral for op in ops)
        self.nested = any(op.nested for op in ops)
        self.accepts_null = may_be_absent(node)

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        k = case_of(self.node, value)
        if k is not None:
            return (k, self.ops[k].prepare(value, side, memo))
        known = ", ".join(case.name or case.type or f"case {k}" for k, case in enumerate(self.node.cases))
        raise Misfit(f"no case of the union takes {describe(value)}", f"expected one of: {known}")

    def identity(self, p: Any) -> Hashable:
        return (p[0], self.ops[p[0]].identity(p[1]))

    def block(self, p: Any) -> Hashable:
        return (p[0], self.ops[p[0]].block(p[1]))

    def pair(self, s: Any, g: Any, ctx: Context) -> float:
        return self._op(s).pair(s[1], g[1], ctx) if s[0] == g[0] else 0.0

    def ratio(self, s: Any, g: Any, ctx: Context) -> tuple[int, int]:
        return self._op(s).ratio(s[1], g[1], ctx) if s[0] == g[0] else (0, 1)

    def self_score(self, p: Any, side: int) -> float:
        return self._op(p).self_score(p[1], side)

    def _op(self, p: Any) -> Op:
        op: Op = self.ops[p[0]]
        return op

    def table(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context, floor: float = 0.0) -> Table:
        if self.exact:
            return [(i, j, 1.0) for left, right in hash_join(ss, gs, self.block) for i in left for j in right]
        out: Table = []
        for k, op in enumerate(self.ops):
            rows = [i for i, s in enumerate(ss) if s[0] == k]
            columns = [j for j, g in enumerate(gs) if g[0] == k]
            if rows and columns:
                inner = op.table([ss[i][1] for i in rows], [gs[j][1] for j in columns], ctx, floor)
                out.extend((rows[i], columns[j], value) for i, j, value in inner)
        return out

    def variables(self, p: Any) -> tuple[Hashable, ...]:
        return self._op(p).variables(p[1])

    def align(self, s: Any, g: Any, sp: str, gp: str, report: Report, ctx: Context) -> None:
        if s[0] == g[0]:
            self.ops[s[0]].align(s[1], g[1], sp, gp, report, ctx)
        else:
            self.walk(s, SYSTEM, sp, report)
            self.walk(g, GOLD, gp, report)

    def walk(self, p: Any, side: int, path: str, report: Report) -> None:
        self.ops[p[0]].walk(p[1], side, path, report)

    def differences(self, s: Any, g: Any, path: str) -> list[Difference]:
        left, right = self.prepare(s, SYSTEM, {})[0], self.prepare(g, GOLD, {})[0]
        return self.ops[left].differences(s, g, path) if left == right else [Difference(path, s, g, 0.0)]

    def line(self) -> Line:
        names = [case.name or case.type or f"case {k}" for k, case in enumerate(self.node.cases)]
        if self.exact:
            return Line(f"equality within a case ({', '.join(names)})", "O(1)")
        return Line("cases joined on their tag", "", tuple(zip(names, (op.line() for op in self.ops), strict=True)))


class Wrapper(Op):
    """Base of operators around one other; passes everything through."""

    def __init__(self, inner: Op) -> None:
        self.inner = inner
        self.exact, self.blocking, self.nested = inner.exact, inner.blocking, inner.nested
        self.integral, self.rational = inner.integral, inner.rational
        self.accepts_null = inner.accepts_null

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        return self.inner.prepare(value, side, memo)

    def identity(self, p: Any) -> Hashable:
        return self.inner.identity(p)

    def block(self, p: Any) -> Hashable:
        return self.inner.block(p)

    def pair(self, s: Any, g: Any, ctx: Context) -> float:
        return self.inner.pair(s, g, ctx)

    def ratio(self, s: Any, g: Any, ctx: Context) -> tuple[int, int]:
        return self.inner.ratio(s, g, ctx)

    def self_score(self, p: Any, side: int) -> float:
        return self.inner.self_score(p, side)

    def table(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context, floor: float = 0.0) -> Table:
        return self.inner.table(ss, gs, ctx, floor)

    def ratios(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context) -> Ratios:
        return self.inner.ratios(ss, gs, ctx)

    def variables(self, p: Any) -> tuple[Hashable, ...]:
        return self.inner.variables(p)

    def align(self, s: Any, g: Any, sp: str, gp: str, report: Report, ctx: Context) -> None:
        self.inner.align(s, g, sp, gp, report, ctx)

    def walk(self, p: Any, side: int, path: str, report: Report) -> None:
        self.inner.walk(p, side, path, report)

    def line(self) -> Line:
        return self.inner.line()


class MappedOp(Wrapper):
    """A function applied once while preparing; afterwards there is nothing left of it."""

    def __init__(self, node: ir.Mapped, inner: Op) -> None:
        super().__init__(inner)
        self.accepts_null = False
        chosen = (node.system or node.by, node.gold or node.by)
        self.functions = tuple(None if fn is None else (fn.name, fn.function) for fn in chosen)

    def apply(self, value: Any, side: int) -> Any:
        """The mapped value."""
        entry = self.functions[side]
        if entry is None:
            return value
        name, function = entry
        try:
            return function(value)
        except Exception as error:  # a user's function may raise anything; the value is what does not fit it
            reason = f"{type(error).__name__}: {error}"
            raise Misfit(f"the function {name} cannot take {describe(value)} ({reason})") from error

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        mapped = self.apply(value, side)
        try:
            return self.inner.prepare(mapped, side, memo)
        except Misfit as misfit:
            entry = self.functions[side]
            raise misfit.under("" if entry is None else f"|{entry[0]}") from None

    def align(self, s: Any, g: Any, sp: str, gp: str, report: Report, ctx: Context) -> None:
        self.inner.align(s, g, self._marked(sp, SYSTEM), self._marked(gp, GOLD), report, ctx)

    def walk(self, p: Any, side: int, path: str, report: Report) -> None:
        self.inner.walk(p, side, self._marked(path, side), report)

    def _marked(self, path: str, side: int) -> str:
        entry = self.functions[side]
        return path if entry is None else f"{path}|{entry[0]}"

    def differences(self, s: Any, g: Any, path: str) -> list[Difference]:
        if self.inner.nested:
            return self.inner.differences(self.apply(s, SYSTEM), self.apply(g, GOLD), path)
        return [self._difference(s, g, path)]

    def line(self) -> Line:
        names = [entry[0] if entry else "as is" for entry in self.functions]
        label = names[0] if names[0] == names[1] else f"system: {names[0]}, gold: {names[1]}"
        inner = self.inner.line()
        return Line(f"map ({label}), then {inner.text}", inner.cost, inner.children)


class UnitOp(Wrapper):
    """A self score of one by definition."""

    def self_score(self, p: Any, side: int) -> float:
        return 1.0

    def line(self) -> Line:
        inner = self.inner.line()
        return Line(f"{inner.text}; each counts one", inner.cost, inner.children)


class MaxOp(Op):
    """The best of several similarities."""

    def __init__(self, ops: list[Op]) -> None:
        self.ops = ops
        self.integral = all(op.integral for op in ops)
        self.rational = all(op.integral or op.rational for op in ops)
        self.nested = any(op.nested for op in ops)

    def ratio(self, s: Any, g: Any, ctx: Context) -> tuple[int, int]:
        value = max((Fraction(*op.ratio(s[k], g[k], ctx)) for k, op in enumerate(self.ops)), default=Fraction(0))
        return value.numerator, value.denominator

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        return [op.prepare(value, side, memo) for op in self.ops]

    def identity(self, p: Any) -> Hashable:
        return tuple([op.identity(part) for op, part in zip(self.ops, p, strict=True)])

    def pair(self, s: Any, g: Any, ctx: Context) -> float:
        return max((op.pair(s[k], g[k], ctx) for k, op in enumerate(self.ops)), default=0.0)

    def self_score(self, p: Any, side: int) -> float:
        return max((op.self_score(p[k], side) for k, op in enumerate(self.ops)), default=0.0)

    def table(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context, floor: float = 0.0) -> Table:
        best: dict[tuple[int, int], float] = {}
        for k, op in enumerate(self.ops):
            for i, j, value in op.table([s[k] for s in ss], [g[k] for g in gs], ctx, floor):
                if value > best.get((i, j), 0.0):
                    best[i, j] = value
        return [(i, j, value) for (i, j), value in best.items()]

    def variables(self, p: Any) -> tuple[Hashable, ...]:
        return tuple(name for k, op in enumerate(self.ops) for name in op.variables(p[k]))

    def align(self, s: Any, g: Any, sp: str, gp: str, report: Report, ctx: Context) -> None:
        k = max(range(len(self.ops)), key=lambda k: (self.ops[k].pair(s[k], g[k], ctx), -k))
        self.ops[k].align(s[k], g[k], sp, gp, report, ctx)

    def walk(self, p: Any, side: int, path: str, report: Report) -> None:
        self.ops[0].walk(p[0], side, path, report)

    def line(self) -> Line:
        lines = tuple((f"alternative {k + 1}", op.line()) for k, op in enumerate(self.ops))
        return Line("best of alternatives", "", lines)


class ThresholdOp(Wrapper):
    """0 or 1 by comparison with a constant; fractions of counts are compared as integers."""

    def __init__(self, node: ir.Threshold, inner: Op) -> None:
        super().__init__(inner)
        self.node = node
        cut = node.above if node.above is not None else node.at_least
        assert cut is not None
        self.strict = node.above is not None
        self.cut = cut
        fraction = simplest(cut)
        self.top, self.bottom = fraction.numerator, fraction.denominator
        self.by_integers = inner.rational or inner.integral
        self.exact = inner.exact and (cut < 1 if self.strict else cut <= 1)
        if not node.keep:
            self.integral, self.rational = True, True

    def passes(self, s: Any, g: Any, ctx: Context) -> tuple[bool, float]:
        """Whether the pair is above the cut, and its similarity."""
        if self.by_integers:
            numerator, denominator = self.inner.ratio(s, g, ctx)
            return self._fraction_passes(numerator, denominator), numerator / denominator
        value = self.inner.pair(s, g, ctx)
        return (value > self.cut if self.strict else value >= self.cut), value

    def _fraction_passes(self, numerator: int, denominator: int) -> bool:
        left, right = numerator * self.bottom, self.top * denominator
        return left > right if self.strict else left >= right

    def pair(self, s: Any, g: Any, ctx: Context) -> float:
        passed, value = self.passes(s, g, ctx)
        return (value if self.node.keep else 1.0) if passed else 0.0

    def ratio(self, s: Any, g: Any, ctx: Context) -> tuple[int, int]:
        if self.node.keep:
            numerator, denominator = self.inner.ratio(s, g, ctx)
            return (numerator, denominator) if self._fraction_passes(numerator, denominator) else (0, 1)
        return int(self.passes(s, g, ctx)[0]), 1

    def self_score(self, p: Any, side: int) -> float:
        value = self.inner.self_score(p, side)
        if not (value > self.cut if self.strict else value >= self.cut):
            return 0.0
        return value if self.node.keep else 1.0

    def table(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context, floor: float = 0.0) -> Table:
        keep = self.node.keep
        if self.by_integers:
            from adjudge.algebra.operators.leaf import EditOp

            if isinstance(self.inner, EditOp):
                found = self.inner.table(ss, gs, ctx, self.cut - 1e-9)
                rows = [(i, j, *self.inner.ratio(ss[i], gs[j], ctx)) for i, j, _ in found]
            else:
                rows = self.inner.ratios(ss, gs, ctx)
            return [(i, j, n / d if keep else 1.0) for i, j, n, d in rows if self._fraction_passes(n, d)]
        below = self.cut if self.strict else self.cut - 1e-9
        out: Table = []
        for i, j, value in self.inner.table(ss, gs, ctx, below):
            if value > self.cut if self.strict else value >= self.cut:
                out.append((i, j, value if keep else 1.0))
        return out

    def ratios(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context) -> Ratios:
        return [(i, j, *self.ratio(ss[i], gs[j], ctx)) for i, j, _ in self.table(ss, gs, ctx)]

    def align(self, s: Any, g: Any, sp: str, gp: str, report: Report, ctx: Context) -> None:
        if self.passes(s, g, ctx)[0]:
            self.inner.align(s, g, sp, gp, report, ctx)
        else:
            self.inner.walk(s, SYSTEM, sp, report)
            self.inner.walk(g, GOLD, gp, report)

    def differences(self, s: Any, g: Any, path: str) -> list[Difference]:
        return [self._difference(s, g, path)]

    def line(self) -> Line:
        sign = ">" if self.strict else ">="
        inner = self.inner.line()
        how = " (in integers)" if self.by_integers else ""
        return Line(f"keep if {sign} {self.cut:g}{how}: {inner.text}", inner.cost, inner.children)


class NormaliseOp(Wrapper):
    """A ratio of the inner value and its self scores."""

    def __init__(self, node: ir.Normalise, inner: Op, recall: Op | None) -> None:
        super().__init__(inner)
        self.node = node
        self.recall = recall
        self.undefined = node.undefined or 0
        square = simplest(node.beta) ** 2
        self.top, self.bottom = square.numerator, square.denominator
        self.exact = False
        self.integral = False
        self.rational = (inner.integral or inner.rational) and recall is None
        # Different blocks mean 0 inside; that is 0 here only if 0/0 is 0 and both sides see the same blocks.
        self.blocking = inner.blocking and recall is None and not self.undefined

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        p = self.inner.prepare(value, side, memo)
        own = self.inner.self_score(p, side)
        if self.recall is None:
            return (p, own)
        q = self.recall.prepare(value, side, memo)
        return (p, own, q, self.recall.self_score(q, side))

    def identity(self, p: Any) -> Hashable:
        first = self.inner.identity(p[0])
        return first if self.recall is None else (first, self.recall.identity(p[2]))

    def block(self, p: Any) -> Hashable:
        return self.inner.block(p[0])

    def _value(self, value: float, s: Any, g: Any, other: float | None = None) -> float:
        """The ratio for a matching value (and that of the recall side, if it is another one)."""
        by, undefined = self.node.by, self.undefined
        if by == "precision":
            out = ratio(value, s[1], undefined)
        elif by == "recall":
            out = ratio(value, g[1], undefined) if other is None else ratio(other, g[3], undefined)
        elif by == "jaccard":
            out = ratio(value, s[1] + g[1] - value, undefined)
        elif other is None:
            out = f_measure(value, s[1], value, g[1], beta=self.node.beta, undefined=undefined, same=True)
        else:
            out = f_measure(value, s[1], other, g[3], beta=self.node.beta, undefined=undefined, same=False)
        return float(out)

    def pair(self, s: Any, g: Any, ctx: Context) -> float:
        value = self.inner.pair(s[0], g[0], ctx)
        other = None if self.recall is None else self.recall.pair(s[2], g[2], ctx)
        return self._value(value, s, g, other)

    def _fraction(self, value: int, unit: int, s: Any, g: Any) -> tuple[int, int]:
        """The ratio of the matching value `value / unit`; self scores of rational similarities are whole."""
        by, own_s, own_g = self.node.by, int(s[1]) * unit, int(g[1]) * unit
        if by == "precision":
            top, bottom = value, own_s
        elif by == "recall":
            top, bottom = value, own_g
        elif by == "jaccard":
            top, bottom = value, own_s + own_g - value
        else:
            top = (self.top + self.bottom) * value
            bottom = self.top * own_g + self.bottom * own_s
        return (top, bottom) if bottom else (self.undefined, 1)

    def ratio(self, s: Any, g: Any, ctx: Context) -> tuple[int, int]:
        return self._fraction(*self.inner.ratio(s[0], g[0], ctx), s, g)

    def ratios(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context) -> Ratios:
        if self.undefined:
            return [(i, j, *self.ratio(ss[i], gs[j], ctx)) for i, j, _ in self.table(ss, gs, ctx)]
        inner = self.inner.ratios([s[0] for s in ss], [g[0] for g in gs], ctx)
        return [(i, j, *self._fraction(value, unit, ss[i], gs[j])) for i, j, value, unit in inner]

    def self_score(self, p: Any, side: int) -> float:
        own = p[3] if self.recall is not None and side == GOLD else p[1]
        return 1.0 if own > 0 else float(self.undefined)

    def table(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context, floor: float = 0.0) -> Table:
        if self.undefined:
            return self._table_with_undefined(ss, gs, ctx)
        inner = self.inner.table([s[0] for s in ss], [g[0] for g in gs], ctx)
        if self.recall is None:
            return [(i, j, self._value(value, ss[i], gs[j])) for i, j, value in inner]
        values = {(i, j): value for i, j, value in inner}
        others = {(i, j): v for i, j, v in self.recall.table([s[2] for s in ss], [g[2] for g in gs], ctx)}
        out: Table = []
        for i, j in values.keys() | others.keys():
            value = self._value(values.get((i, j), 0.0), ss[i], gs[j], others.get((i, j), 0.0))
            if value > 0:
                out.append((i, j, value))
        return sorted(out)

    def _table_with_undefined(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context) -> Table:
        """With 0/0 = 1 a pair without anything in common can score: those with an empty denominator are added."""
        values = {(i, j): value for i, j, value in self.inner.table([s[0] for s in ss], [g[0] for g in gs], ctx)}
        others: dict[tuple[int, int], float] = {}
        if self.recall is not None:
            found = self.recall.table([s[2] for s in ss], [g[2] for g in gs], ctx)
            others = {(i, j): value for i, j, value in found}
        keys = set(values) | set(others)
        last = 3 if self.recall is not None else 1
        keys.update((i, j) for i, s in enumerate(ss) if s[1] == 0 for j in range(len(gs)))
        keys.update((i, j) for j, g in enumerate(gs) if g[last] == 0 for i in range(len(ss)))
        out: Table = []
        for i, j in sorted(keys):
            other = None if self.recall is None else others.get((i, j), 0.0)
            value = self._value(values.get((i, j), 0.0), ss[i], gs[j], other)
            if value > 0:
                out.append((i, j, value))
        return out

    def variables(self, p: Any) -> tuple[Hashable, ...]:
        found = self.inner.variables(p[0])
        return found if self.recall is None else found + self.recall.variables(p[2])

    def align(self, s: Any, g: Any, sp: str, gp: str, report: Report, ctx: Context) -> None:
        self.inner.align(s[0], g[0], sp, gp, report, ctx)

    def walk(self, p: Any, side: int, path: str, report: Report) -> None:
        self.inner.walk(p[0], side, path, report)

    def line(self) -> Line:
        name = {"f": f"F{self.node.beta:g}"}.get(self.node.by, self.node.by)
        inner = self.inner.line()
        return Line(f"{name} of {inner.text}", inner.cost, inner.children)
