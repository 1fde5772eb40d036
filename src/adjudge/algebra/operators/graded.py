"""Leaf operators with graded similarities: edit distance, numbers, hierarchies of types, functions of the user."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from adjudge.algebra import ir
from adjudge.algebra.edit_distance import distances, levenshtein
from adjudge.algebra.operators.base import Context, Line, Memo, Op, Table, applied, freeze, group, hash_join, simplest
from adjudge.algebra.operators.misfit import Misfit, Misfits, check_number, expected, short

if TYPE_CHECKING:
    from adjudge.algebra.solve.matrix import Matrix

_ROUNDED = 2.0**-50  # of a number that is lost to rounding when a small one is added
EXACT = 2**53  # whole numbers up to which floats hold every one
LONG = 63  # letters of the longest strings that are compared as arrays
AT_ONCE = 1 << 15  # pairs between two checks of the clock


class DistinctOp(Op):
    """Base of similarities that are costly to evaluate: each pair of distinct values is evaluated once."""

    def table(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context, floor: float = 0.0) -> Table:
        rows, columns = list(group(ss, self.identity).values()), list(group(gs, self.identity).values())
        left, right = [ss[same[0]] for same in rows], [gs[same[0]] for same in columns]
        out: Table = []
        for some, others in hash_join(left, right, self.block):
            for i in some:
                if ctx.out_of_time():
                    return out
                for j in others:
                    value = self.above(left[i], right[j], ctx, floor)
                    if value > 0:
                        out.extend((a, b, value) for a in rows[i] for b in columns[j])
        return out

    def above(self, s: Any, g: Any, ctx: Context, floor: float) -> float:
        """phi(s, g), or anything not above `floor` if phi is not."""
        return self.pair(s, g, ctx)

    def matrix(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context) -> Matrix:
        import numpy as np

        rows, columns = (list(group(side, self.identity).values()) for side in (ss, gs))
        if len(rows) == len(ss) and len(columns) == len(gs):
            return self.distinct(ss, gs, ctx)
        inner = self.distinct([ss[same[0]] for same in rows], [gs[same[0]] for same in columns], ctx)
        codes = []
        for many, groups in ((ss, rows), (gs, columns)):
            code = np.zeros(len(many), dtype=np.int64)
            for number, same in enumerate(groups):
                code[same] = number
            codes.append(code)
        out: Matrix = inner[np.ix_(*codes)]
        return out

    def distinct(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context) -> Matrix:
        """The similarities of values that are all different."""
        return super().matrix(ss, gs, ctx)


def as_text(value: Any) -> str:
    """A value that must be a string."""
    if not isinstance(value, str):
        raise expected("a string", value)
    return value


class EditOp(DistinctOp):
    """1 - edit distance / longer length, bit-parallel, stopped early where a threshold allows."""

    rational = True

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        return as_text(value)

    def ratio(self, s: Any, g: Any, ctx: Context) -> tuple[int, int]:
        longer = max(len(s), len(g))
        return (longer - levenshtein(s, g), longer) if longer else (1, 1)

    def above(self, s: Any, g: Any, ctx: Context, floor: float) -> float:
        longer = max(len(s), len(g))
        allowed = math.floor((1 - floor) * longer * (1 + 1e-9)) + 1
        if abs(len(s) - len(g)) > allowed:
            return 0.0
        if floor > 0 and levenshtein(s, g, allowed) > allowed:
            return 0.0
        return self.pair(s, g, ctx)

    def line(self) -> Line:
        return Line("edit distance, bit-parallel, each distinct pair once", "O(distinct n * distinct m)")

    def distinct(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context) -> Matrix:
        if max(map(len, ss)) > LONG:
            return super().distinct(ss, gs, ctx)
        import numpy as np

        columns = np.array([len(g) for g in gs])
        out = self.begun(ss, gs, ctx)
        step = max(1, AT_ONCE // len(gs))
        for start in range(0, len(ss), step):
            if ctx.is_late():
                break
            some = ss[start : start + step]
            longer = np.maximum(np.array([len(s) for s in some])[:, None], columns)
            out[start : start + step] = (longer - distances(some, gs)) / np.maximum(longer, 1)
            out[start : start + step][longer == 0] = 1.0
        return out


class NumberOp(Op):
    """Linear closeness of numbers; candidates come from a sorted window."""

    rational = True

    def __init__(self, node: ir.Number) -> None:
        self.scale = node.scale
        self.fraction = simplest(node.scale)

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        check_number(value)
        return value

    def pair(self, s: Any, g: Any, ctx: Context) -> float:
        apart = abs(s - g)
        return 0.0 if apart >= self.scale else max(0.0, 1.0 - float(apart) / self.scale)

    def ratio(self, s: Any, g: Any, ctx: Context) -> tuple[int, int]:
        value = max(Fraction(0), 1 - abs(simplest(s) - simplest(g)) / self.fraction)
        return value.numerator, value.denominator

    def table(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context, floor: float = 0.0) -> Table:
        from bisect import bisect_left

        order = sorted(range(len(gs)), key=gs.__getitem__)
        values = [gs[j] for j in order]
        out: Table = []
        for i, s in enumerate(ss):
            if ctx.out_of_time():
                break
            reach = self.scale + abs(s) * _ROUNDED
            for position in range(bisect_left(values, s - reach), len(order)):
                if values[position] > s + reach:
                    break
                value = self.pair(s, values[position], ctx)
                if value > 0:
                    out.append((i, order[position], value))
        return out

    def matrix(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context) -> Matrix:
        if any(abs(number) > EXACT for number in (*ss, *gs)):
            return super().matrix(ss, gs, ctx)
        import numpy as np

        left, right = np.array(ss, dtype=np.float64), np.array(gs, dtype=np.float64)
        out = np.abs(left[:, None] - right)
        out /= self.scale
        np.subtract(1.0, out, out=out)
        np.maximum(out, 0.0, out=out)
        return out

    def line(self) -> Line:
        return Line(f"closeness of numbers within {self.scale:g}, sorted window", "O((n + m) log m + candidates)")


class HierarchyOp(DistinctOp):
    """Partial credit in a type hierarchy; types under different roots never meet."""

    rational = True

    def __init__(self, node: ir.Hierarchy) -> None:
        self.node = node
        self.parents = node.parents or {}
        self.credits = {(s, g): simplest(credit) for s, g, credit in node.table}
        self.partial = simplest(node.partial)
        self.blocking = not node.table
        self.chains: dict[Hashable, tuple[Hashable, ...]] = {}

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        if isinstance(value, list | tuple) and value:
            with Misfits() as misfits:
                for position, part in enumerate(value):
                    with misfits.at(f"[{position}]"):
                        as_text(part)
            return tuple(value)
        if not as_text(value):
            raise Misfit("expected the name of a type, got an empty string")
        return tuple(value.split(self.node.separator)) if self.node.separator else value

    def chain(self, name: Any) -> tuple[Hashable, ...]:
        """The type and all its supertypes, root first."""
        found = self.chains.get(name)
        if found is None:
            if isinstance(name, tuple):
                found = tuple(name[: k + 1] for k in range(len(name)))
            else:
                steps = [name]
                while steps[-1] in self.parents:
                    steps.append(self.parents[steps[-1]])
                found = tuple(reversed(steps))
            self.chains[name] = found
        return found

    def block(self, p: Any) -> Hashable:
        return self.chain(p)[0] if self.blocking else None

    def _written(self, p: Any) -> str:
        return (self.node.separator or ".").join(p) if isinstance(p, tuple) else p

    def ratio(self, s: Any, g: Any, ctx: Context) -> tuple[int, int]:
        if self.credits:
            credit = self.credits.get((self._written(s), self._written(g)))
            if credit is not None:
                return credit.numerator, credit.denominator
        if s == g:
            return 1, 1
        left, right = self.chain(s), self.chain(g)
        common = sum(1 for a, b in zip(left, right, strict=False) if a == b)
        if not common:
            return 0, 1
        levels = max(len(left), len(right))
        if self.node.credit == "halving":
            return 1, 1 << (levels - common)
        if self.node.credit == "linear":
            return common, levels
        if self.node.credit == "ancestors":
            return 2 * common, len(left) + len(right)
        general = len(left) == common < len(right)
        return (self.partial.numerator, self.partial.denominator) if general else (0, 1)

    def line(self) -> Line:
        return Line(f"type hierarchy ({self.node.credit}), distinct types joined on their root", "O(distinct types^2)")


class CustomOp(DistinctOp):
    """A Python function, called as rarely as its declared properties allow."""

    def __init__(self, node: ir.Custom) -> None:
        self.node = node
        self.function = node.function.function
        self.blocking = node.key is not None

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        key = None if self.node.key is None else freeze(applied(self.node.key, value))
        try:
            identity = freeze(value)
        except Misfit:
            identity = ("object", id(value))
        return (value, key, identity)

    def identity(self, p: Any) -> Hashable:
        return p[2]  # type: ignore[no-any-return]

    def block(self, p: Any) -> Hashable:
        return p[1]  # type: ignore[no-any-return]

    def _call(self, s: Any, g: Any) -> float:
        name = self.node.function.name
        try:
            value = float(self.function(s, g))
        except Exception as error:  # the function is the user's: whatever it raises is about these two values
            raise Misfit(
                f"the function {name} failed on {short(s)} and {short(g)} ({type(error).__name__}: {error})",
                "it must return a number for every pair",
            ) from error
        if not math.isfinite(value):
            raise Misfit(f"{name} gave {value} for {short(s)} and {short(g)}", "it must return a finite number")
        if self.node.upper is not None and value > self.node.upper:
            raise Misfit(f"{name} gave {value:g}, above its declared upper bound {self.node.upper:g}")
        return max(0.0, value)

    def pair(self, s: Any, g: Any, ctx: Context) -> float:
        return 0.0 if s[1] != g[1] else self._call(s[0], g[0])

    def self_score(self, p: Any, side: int) -> float:
        return self._call(p[0], p[0]) if self.node.self_score is None else self.node.self_score

    def above(self, s: Any, g: Any, ctx: Context, floor: float) -> float:
        if self.node.upper is not None and self.node.upper <= floor:
            return 0.0
        if self.node.bound is not None and self.node.bound.function(s[0], g[0]) <= floor:
            return 0.0
        if not self.node.symmetric:
            return self._call(s[0], g[0])
        names = (id(self), frozenset((s[2], g[2])))
        if names not in ctx.solved:
            ctx.solved[names] = self._call(s[0], g[0])
        value: float = ctx.solved[names]
        return value

    def line(self) -> Line:
        name = self.node.function.name
        if self.node.key is not None:
            return Line(f"function {name}, hash join on {self.node.key.name}", "O(n + m + pairs with equal key)")
        return Line(f"function {name}, every distinct pair (declare key= to avoid it)", "O(n * m) calls")


def graded_op(node: ir.Edit | ir.Number | ir.Hierarchy | ir.Custom) -> Op:
    """The operator of one of these nodes."""
    match node:
        case ir.Edit():
            return EditOp()
        case ir.Number():
            return NumberOp(node)
        case ir.Hierarchy():
            return HierarchyOp(node)
        case ir.Custom():
            return CustomOp(node)
