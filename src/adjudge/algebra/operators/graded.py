"""Operators without parts for values that are more or less alike: strings, numbers, types of a hierarchy."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from adjudge.algebra import ir
from adjudge.algebra.access import is_kind
from adjudge.algebra.operators.base import (
    Context,
    Line,
    Memo,
    Misfit,
    Op,
    Table,
    describe,
    group,
    simplest,
)
from adjudge.algebra.solve.edit import levenshtein
from adjudge.errors import UsageError

if TYPE_CHECKING:
    pass


class DistinctOp(Op):
    """Base of similarities that are costly to evaluate: each pair of distinct values is evaluated once."""

    def table(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context, floor: float = 0.0) -> Table:
        left, right = group(ss, self.identity), group(gs, self.identity)
        out: Table = []
        for rows in left.values():
            for columns in right.values():
                value = self.above(ss[rows[0]], gs[columns[0]], ctx, floor)
                if value > 0:
                    out.extend((i, j, value) for i in rows for j in columns)
        return out

    def above(self, s: Any, g: Any, ctx: Context, floor: float) -> float:
        """phi(s, g), or anything not above `floor` if phi is not."""
        return self.pair(s, g, ctx)


class EditOp(DistinctOp):
    """1 - edit distance / longer length, bit-parallel, stopped early where a threshold allows."""

    rational = True

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        if not isinstance(value, str):
            raise Misfit(f"expected a string, got {describe(value)}")
        return value

    def identity(self, p: Any) -> Hashable:
        return p  # type: ignore[no-any-return]

    def ratio(self, s: Any, g: Any, ctx: Context) -> tuple[int, int]:
        longer = max(len(s), len(g))
        return (longer - levenshtein(s, g), longer) if longer else (1, 1)

    def pair(self, s: Any, g: Any, ctx: Context) -> float:
        numerator, denominator = self.ratio(s, g, ctx)
        return numerator / denominator

    def above(self, s: Any, g: Any, ctx: Context, floor: float) -> float:
        longer = max(len(s), len(g))
        allowed = math.floor((1 - floor) * longer * (1 + 1e-9)) + 1
        if abs(len(s) - len(g)) > allowed:
            return 0.0
        if floor > 0 and levenshtein(s, g, allowed) > allowed:
            return 0.0
        return self.pair(s, g, ctx)

    def self_score(self, p: Any, side: int) -> float:
        return 1.0

    def line(self) -> Line:
        return Line("edit distance, bit-parallel, each distinct pair once", "O(distinct n * distinct m)")


class NumberOp(Op):
    """Linear closeness of numbers; candidates come from a sorted window."""

    rational = True

    def __init__(self, node: ir.Number) -> None:
        self.scale = node.scale
        self.fraction = simplest(node.scale)

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        if not is_kind(value, "number") or not math.isfinite(value):
            raise Misfit(f"expected a finite number, got {describe(value)}")
        return value

    def identity(self, p: Any) -> Hashable:
        return p  # type: ignore[no-any-return]

    def pair(self, s: Any, g: Any, ctx: Context) -> float:
        return max(0.0, 1.0 - float(abs(s - g)) / self.scale)

    def ratio(self, s: Any, g: Any, ctx: Context) -> tuple[int, int]:
        value = max(Fraction(0), 1 - abs(simplest(s) - simplest(g)) / self.fraction)
        return value.numerator, value.denominator

    def self_score(self, p: Any, side: int) -> float:
        return 1.0

    def table(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context, floor: float = 0.0) -> Table:
        from bisect import bisect_left

        order = sorted(range(len(gs)), key=gs.__getitem__)
        values = [gs[j] for j in order]
        out: Table = []
        for i, s in enumerate(ss):
            for position in range(bisect_left(values, s - self.scale), len(order)):
                if values[position] > s + self.scale:
                    break
                value = self.pair(s, values[position], ctx)
                if value > 0:
                    out.append((i, order[position], value))
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
        if isinstance(value, list | tuple) and value and all(isinstance(part, str) for part in value):
            return tuple(value)
        if not isinstance(value, str) or not value:
            raise Misfit(f"expected the name of a type, got {describe(value) if value != '' else 'an empty string'}")
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
                    if len(steps) > len(self.parents) + 1:
                        raise UsageError(f"the hierarchy has a cycle above {name!r}", hint="remove one of its links")
                found = tuple(reversed(steps))
            self.chains[name] = found
        return found

    def identity(self, p: Any) -> Hashable:
        return p  # type: ignore[no-any-return]

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

    def pair(self, s: Any, g: Any, ctx: Context) -> float:
        numerator, denominator = self.ratio(s, g, ctx)
        return numerator / denominator

    def self_score(self, p: Any, side: int) -> float:
        return 1.0

    def line(self) -> Line:
        return Line(f"type hierarchy ({self.node.credit}), distinct types joined on their root", "O(distinct types^2)")
