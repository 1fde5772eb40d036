"""Operators around one other: maps, units, thresholds, ratios."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from adjudge.algebra import ir
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
    applied,
    short_name,
    simplest,
)
from adjudge.algebra.operators.misfit import HERE, Misfit
from adjudge.model.prf import f_measure, ratio

if TYPE_CHECKING:
    from adjudge.algebra.align import Report
    from adjudge.algebra.solve.matrix import Matrix


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

    def variables(self, p: Any) -> tuple[Hashable, ...]:
        return self.inner.variables(p)

    def align(self, s: Any, g: Any, sp: str, gp: str, report: Report, ctx: Context) -> None:
        self.inner.align(s, g, sp, gp, report, ctx)

    def walk(self, p: Any, side: int, path: str, report: Report) -> None:
        self.inner.walk(p, side, path, report)

    def line(self) -> Line:
        return self.inner.line()


class MappedOp(Wrapper):
    """A function that is applied while preparing, and costs nothing afterwards."""

    def __init__(self, node: ir.Mapped, inner: Op) -> None:
        super().__init__(inner)
        self.accepts_null = False
        self.functions = (node.system or node.by, node.gold or node.by)

    def apply(self, value: Any, side: int) -> Any:
        """The mapped value."""
        function = self.functions[side]
        return value if function is None else applied(function, value)

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        mapped = self.apply(value, side)
        try:
            return self.inner.prepare(mapped, side, memo)
        except Misfit as misfit:
            function = self.functions[side]
            if function is None or mapped is value:
                raise
            raise misfit.inside(f"{short_name(function)}({HERE})") from None

    def candidates(self, ss: Sequence[Any], gs: Sequence[Any]) -> int:
        return self.inner.candidates(ss, gs)

    def matrix(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context) -> Matrix:
        return self.inner.matrix(ss, gs, ctx)

    def align(self, s: Any, g: Any, sp: str, gp: str, report: Report, ctx: Context) -> None:
        self.inner.align(s, g, self._marked(sp, SYSTEM), self._marked(gp, GOLD), report, ctx)

    def walk(self, p: Any, side: int, path: str, report: Report) -> None:
        self.inner.walk(p, side, self._marked(path, side), report)

    def _marked(self, path: str, side: int) -> str:
        function = self.functions[side]
        return path if function is None or function.name == "records" else f"{path}|{short_name(function)}"

    def differences(self, s: Any, g: Any, path: str, seen: Seen) -> list[Difference]:
        if self.inner.nested:
            applied = []
            for side, value in ((SYSTEM, s), (GOLD, g)):
                key = id(self), side, id(value)
                if key not in seen:
                    seen[key] = value, self.apply(value, side)
                applied.append(seen[key][1])
            return self.inner.differences(applied[0], applied[1], path, seen)
        return [self._difference(s, g, path, seen)]

    def line(self) -> Line:
        names = ["as is" if function is None else function.name for function in self.functions]
        label = names[0] if names[0] == names[1] else f"system: {names[0]}, gold: {names[1]}"
        inner = self.inner.line()
        return Line(f"map ({label}), then {inner.text}", inner.cost, inner.children)


class UnitOp(Wrapper):
    """A self score of one by definition."""

    def self_score(self, p: Any, side: int) -> float:
        return 1.0

    candidates, matrix = MappedOp.candidates, MappedOp.matrix

    def line(self) -> Line:
        inner = self.inner.line()
        return Line(f"{inner.text}; each counts one", inner.cost, inner.children)


_CLOSE = 1e-9
_ROUNDING = 1e-6  # further from the cut than this, floating point decides


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
        out: Table = []
        for number, (i, j, value) in enumerate(self.inner.table(ss, gs, ctx, self.cut - _CLOSE)):
            if number % 256 == 0 and ctx.out_of_time():
                break
            if self.by_integers and (self.node.keep or abs(value - self.cut) < _ROUNDING):
                passed, value = self.passes(ss[i], gs[j], ctx)
            else:
                passed = value > self.cut if self.strict else value >= self.cut
            if passed:
                out.append((i, j, value if self.node.keep else 1.0))
        return out

    def candidates(self, ss: Sequence[Any], gs: Sequence[Any]) -> int:
        return self.inner.candidates(ss, gs)

    def matrix(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context) -> Matrix:
        if self.by_integers and self.node.keep:
            return super().matrix(ss, gs, ctx)
        import numpy as np

        inner = self.inner.matrix(ss, gs, ctx)
        out = inner > self.cut if self.strict else inner >= self.cut
        if self.by_integers:  # what is too close to the cut for floating point
            close = (inner > self.cut - _ROUNDING) & (inner < self.cut + _ROUNDING)
            if isinstance(self.inner, NormaliseOp) and self.inner.inner.integral:
                close &= inner != 1.0  # of two counts that is never due to rounding
            for number, (i, j) in enumerate(np.argwhere(close)):
                if number % 256 == 0 and ctx.is_late():
                    break
                out[i, j] = self.passes(ss[i], gs[j], ctx)[0]
        if self.node.keep:
            inner[~out] = 0.0
        else:
            inner[...] = out
        return inner

    def align(self, s: Any, g: Any, sp: str, gp: str, report: Report, ctx: Context) -> None:
        if self.passes(s, g, ctx)[0]:
            self.inner.align(s, g, sp, gp, report, ctx)
        else:
            self.inner.walk(s, SYSTEM, sp, report)
            self.inner.walk(g, GOLD, gp, report)

    def differences(self, s: Any, g: Any, path: str, seen: Seen) -> list[Difference]:
        return [self._difference(s, g, path, seen)]

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
        """The ratio for a matching value (and that of the recall side, if it differs)."""
        by, undefined = self.node.by, self.undefined
        if by == "precision":
            out = ratio(value, s[1], undefined)
        elif by == "recall":
            out = ratio(value, g[1], undefined) if other is None else ratio(other, g[3], undefined)
        elif by == "jaccard":
            out = ratio(value, s[1] + g[1] - value, undefined)
        elif other is None:
            out = f_measure((value, s[1]), (value, g[1]), beta=self.node.beta, undefined=undefined, same=True)
        else:
            out = f_measure((value, s[1]), (other, g[3]), beta=self.node.beta, undefined=undefined, same=False)
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

    def self_score(self, p: Any, side: int) -> float:
        own = p[3] if self.recall is not None and side == GOLD else p[1]
        return 1.0 if own > 0 else float(self.undefined)

    def table(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context, floor: float = 0.0) -> Table:
        inner = self.inner.table([s[0] for s in ss], [g[0] for g in gs], ctx)
        if self.recall is None and not self.undefined:
            return [(i, j, self._value(value, ss[i], gs[j])) for i, j, value in inner]
        values = {(i, j): value for i, j, value in inner}
        others: dict[tuple[int, int], float] = {}
        if self.recall is not None:
            found = self.recall.table([s[2] for s in ss], [g[2] for g in gs], ctx)
            others = {(i, j): value for i, j, value in found}
        keys = values.keys() | others.keys()
        if self.undefined:  # a pair without anything in common can score: those with an empty denominator
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

    def matrix(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context) -> Matrix:
        if self.recall is not None or self.node.by != "f":
            return super().matrix(ss, gs, ctx)
        import numpy as np

        inner = self.inner.matrix([s[0] for s in ss], [g[0] for g in gs], ctx)
        square = float(self.node.beta) * float(self.node.beta)
        inner *= 1 + square
        ours = square * np.array([g[1] for g in gs])
        for row, s in zip(inner, ss, strict=True):
            row[:] = ratio(row, ours + s[1], self.undefined)
        return inner

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
