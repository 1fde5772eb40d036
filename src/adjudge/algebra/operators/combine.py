"""Operators that combine several others on the same two values: records, sums, unions, alternatives."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from math import fsum
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from adjudge.algebra import ir
from adjudge.algebra.access import MissingField, case_of, getter, may_be_absent
from adjudge.algebra.operators.base import (
    GOLD,
    SYSTEM,
    Context,
    Difference,
    Line,
    Memo,
    Misfit,
    Op,
    Table,
    describe,
    hash_join,
)
from adjudge.algebra.operators.leaf import ExactOp
from adjudge.algebra.operators.quick import Code

if TYPE_CHECKING:
    from adjudge.algebra.align import Report

# A bucket this small is compared directly; a larger one asks its most selective part for candidates.
_DIRECT = 16
_TINY = 4  # pairs for which a join is not worth making


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
        code = Code(self._prepare)
        self.prepare = code.function(self._expression("value", code))  # type: ignore[method-assign,assignment]

    def _plain(self) -> tuple[Any, tuple[frozenset[type], ...]] | None:
        """How to read all fields of an object in one step, if each is a plain string or integer."""
        kinds = [op.plain for op in self.ops.values() if isinstance(op, ExactOp)]
        if len(kinds) < max(2, len(self.ops)) or not all(kinds) or any("." in name for name in self.ops):
            return None
        return attrgetter(*self.ops), tuple(kinds)

    def _quick(self, value: Any) -> Any:
        """The key of a record of plain fields, or None if it needs a closer look."""
        assert self.plain is not None
        by_name, kinds = self.plain
        try:
            key = by_name(value)
        except AttributeError:
            return None
        for part, kind in zip(key, kinds, strict=True):
            if type(part) not in kind:
                return None
        return key

    def expression(self, value: str, code: Code) -> str:
        code.require(value, (dict,))
        return code.kept(self._expression(value, code))

    def _expression(self, value: str, code: Code) -> str:
        parts = [code.field(value, name, op) for name, op in self.ops.items()]
        if self.exact:
            return f"({', '.join(parts)},)"
        # A part may be needed twice: whole, and what it is joined on.
        whole = [code.kept(part) for part in parts]
        blocks = [op.block_expression(whole[k], code) for k, op in self.keys]
        return f"(({''.join(f'{block}, ' for block in blocks)}), [{', '.join(whole)}])"

    def _prepare(self, value: Any, side: int, memo: Memo) -> Any:
        if self.size is not None and isinstance(value, list | tuple) and len(value) != self.size:
            raise Misfit(f"expected {self.size} values, got {len(value)}")
        if self.plain is not None and type(value) is not dict:
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
        if len(ss) * len(gs) <= _TINY:
            values = [(i, j, self.pair(s, g, ctx)) for i, s in enumerate(ss) for j, g in enumerate(gs)]
            return [entry for entry in values if entry[2] > 0]
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
        return fsum(op.pair(s[k], g[k], ctx) for k, op in enumerate(self.parts))

    def self_score(self, p: Any, side: int) -> float:
        return fsum(op.self_score(p[k], side) for k, op in enumerate(self.parts))

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
        # If nothing but its type decides on the case of a value, that is decided once for each type.
        self.by_type = not any(
            each is not None for case in node.cases for each in (case.python, case.prefix, case.has, case.field)
        )
        self.known: dict[type, int] = {}

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        k = self.known.get(type(value))
        if k is None:
            k = case_of(self.node, value)
            if k is not None and self.by_type:
                self.known[type(value)] = k
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
