"""Operators that combine several others on the same two values: sums, unions, alternatives."""

from __future__ import annotations

import enum
from collections.abc import Hashable, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any

from adjudge.algebra import ir
from adjudge.algebra.access import MissingField, get, is_kind
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
    joined,
    listed,
    short_name,
)
from adjudge.algebra.operators.misfit import Misfit, describe, short
from adjudge.errors import did_you_mean

if TYPE_CHECKING:
    from adjudge.algebra.align import Report


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
        self.accepts_null = ir.takes_null(node)
        # If nothing but its type decides on the case of a value, that is decided once for each type.
        self.by_type = not any(
            each is not None for case in node.cases for each in (case.python, case.prefix, case.has, case.field)
        )
        self.known: dict[type, int] = {}

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        k = self.known.get(type(value))
        if k is None:
            k = next((place for place, case in enumerate(self.node.cases) if in_case(case, value)), None)
            if k is not None and self.by_type:
                self.known[type(value)] = k
        if k is not None:
            return (k, self.ops[k].prepare(value, side, memo))
        known = listed([_case_name(case) for case in self.node.cases])
        raise Misfit(f"no case takes {describe(value)}; there are {known}", _tag_hint(self.node, value))

    def prepare_each(self, items: Sequence[Any], side: int, memo: Memo) -> Sequence[Any]:
        kinds = set(map(type, items))
        k = self.known.get(kinds.pop()) if len(kinds) == 1 else None
        if k is None:
            return super().prepare_each(items, side, memo)
        if items[0] is None:
            return [self.prepare(None, side, memo)] * len(items)
        return list(zip(repeat(k), self.ops[k].prepare_each(items, side, memo)))

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
            return joined(ss, gs, self.block, ctx)
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

    def differences(self, s: Any, g: Any, path: str, seen: Seen) -> list[Difference]:
        left, right = self.ready(s, SYSTEM, seen)[0], self.ready(g, GOLD, seen)[0]
        return self.ops[left].differences(s, g, path, seen) if left == right else [Difference(path, s, g, 0.0)]

    def line(self) -> Line:
        names = [case.name or case.type or f"case {k}" for k, case in enumerate(self.node.cases)]
        if self.exact:
            return Line(f"equality within a case ({', '.join(names)})", "O(1)")
        return Line("cases joined on their tag", "", tuple(zip(names, (op.line() for op in self.ops), strict=True)))


def in_case(case: ir.Case, value: Any) -> bool:
    """Whether all conditions of a case hold for a value."""
    if case.python is not None and not isinstance(value, case.python.function):  # type: ignore[arg-type]
        return False
    if case.type is not None and not is_kind(value, case.type):
        return False
    if case.prefix is not None and not (isinstance(value, str) and value.startswith(case.prefix)):
        return False
    try:
        if case.has is not None:
            get(value, case.has)
        if case.field is not None:
            found = get(value, case.field)
            found = found.value if isinstance(found, enum.Enum) else found
            # true is not 1
            return bool(found == case.equals) and isinstance(found, bool) == isinstance(case.equals, bool)
    except MissingField:
        return False
    return True


def _case_name(case: ir.Case) -> str:
    if case.field is not None:
        return f"{case.field} = {case.equals}"
    if case.has is not None:
        return f"objects with {case.has}"
    if case.prefix is not None:
        return f"strings that start with {case.prefix}"
    return case.name or case.type or (short_name(case.python) if case.python else "anything else")


def _tag_hint(node: ir.Union, value: Any) -> str | None:
    """What is wrong with the field that tells the cases apart."""
    hint = None
    for tag in {case.field: None for case in node.cases if case.field is not None}:
        try:
            found = get(value, tag)
        except MissingField:
            hint = f"is the field {tag!r} missing?"
        else:
            wanted = [str(case.equals) for case in node.cases if case.field == tag]
            hint = did_you_mean(str(found), wanted) or f"{tag} is {short(found)}"
    return hint


class MaxOp(Op):
    """The best of several similarities."""

    def __init__(self, ops: list[Op]) -> None:
        self.ops = ops
        self.integral = all(op.integral for op in ops)
        self.rational = all(op.integral or op.rational for op in ops)
        self.nested = any(op.nested for op in ops)

    def ratio(self, s: Any, g: Any, ctx: Context) -> tuple[int, int]:
        from fractions import Fraction

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
