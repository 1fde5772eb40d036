"""Operators without parts: equality, spans, strings, numbers, hierarchies, functions, variables."""

from __future__ import annotations

import enum
import math
from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from adjudge.algebra import ir
from adjudge.algebra.access import MissingField, getter, is_kind, may_be_absent
from adjudge.algebra.operators.base import (
    Context,
    Line,
    Memo,
    Misfit,
    Op,
    Ratios,
    Table,
    describe,
    freeze,
    group,
    hash_join,
    short,
    simplest,
)
from adjudge.algebra.solve.edit import levenshtein
from adjudge.algebra.solve.intervals import overlapping_pairs
from adjudge.errors import UsageError

if TYPE_CHECKING:
    from adjudge.algebra.operators.quick import Code


class ExactOp(Op):
    """Equality: the prepared value is its own hash key."""

    exact = blocking = integral = rational = True

    def __init__(self, node: ir.Exact) -> None:
        self.node = node
        self.kind = node.type
        self.values = None if node.values is None else frozenset(freeze(value) for value in node.values)
        self.accepts_null = may_be_absent(node)
        # Values of these types are their own keys and need no further look.
        plain = {"string": (str,), "integer": (int,), None: (str, int)}.get(node.type, ())
        self.plain: frozenset[type] = frozenset(plain if node.values is None else ())

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        if type(value) in self.plain:
            return value
        key = freeze(value)
        if self.kind is not None and not is_kind(value.value if isinstance(value, enum.Enum) else value, self.kind):
            raise Misfit(f"expected {_article(self.kind)}, got {describe(value)}")
        if self.values is not None and key not in self.values:
            raise Misfit(f"{value!r} is not one of {', '.join(map(repr, self.node.values or ()))}")
        return key

    def expression(self, value: str, code: Code) -> str:
        if not self.plain:
            return super().expression(value, code)
        code.require(value, self.plain)
        return value

    def identity(self, p: Any) -> Hashable:
        return p  # type: ignore[no-any-return]

    def block(self, p: Any) -> Hashable:
        return p  # type: ignore[no-any-return]

    def pair(self, s: Any, g: Any, ctx: Context) -> float:
        return 1.0 if s == g else 0.0

    def self_score(self, p: Any, side: int) -> float:
        return 1.0

    def table(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context, floor: float = 0.0) -> Table:
        return [(i, j, 1.0) for left, right in hash_join(ss, gs, self.block) for i in left for j in right]

    def line(self) -> Line:
        return Line("equality", "O(1)")


def _article(kind: str | None) -> str:
    return f"an {kind}" if kind and kind[0] in "aeiou" else f"a {kind}"


class SpanOp(Op):
    """Overlap of spans; candidates come from one sorted sweep."""

    rational = True

    def __init__(self, node: ir.Span) -> None:
        self.node = node
        self.start, self.end = getter(node.start), getter(node.end)
        self.integral = node.by in ("count", "any")

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        if type(value) is dict:
            start, end = value.get(self.node.start), value.get(self.node.end)
            if type(start) is int and type(end) is int and start <= end:
                return (start, end + self.node.inclusive)
        return self._prepare(value)

    def _prepare(self, value: Any) -> tuple[int, int]:
        if isinstance(value, list | tuple) and not hasattr(value, self.node.start):
            if len(value) != 2:
                raise Misfit("expected a span of two offsets", "write [start, end]")
            start, end = value
        else:
            try:
                start, end = self.start(value), self.end(value)
            except MissingField:
                raise Misfit(
                    f"expected a span, got {describe(value)}",
                    f"write [start, end] or an object with {self.node.start} and {self.node.end}",
                ) from None
        plain = type(start) is int and type(end) is int
        if not plain and not (is_kind(start, "integer") and is_kind(end, "integer")):
            raise Misfit("the offsets of a span must be integers")
        if end < start:
            raise Misfit(f"the span ends at {end} before it starts at {start}")
        return (start, end + self.node.inclusive)

    def identity(self, p: Any) -> Hashable:
        return p  # type: ignore[no-any-return]

    def ratio(self, s: Any, g: Any, ctx: Context) -> tuple[int, int]:
        shared = min(s[1], g[1]) - max(s[0], g[0])
        if shared <= 0:
            return 0, 1
        return _measure(self.node.by, shared, s[1] - s[0], g[1] - g[0])

    def pair(self, s: Any, g: Any, ctx: Context) -> float:
        numerator, denominator = self.ratio(s, g, ctx)
        return numerator / denominator

    def self_score(self, p: Any, side: int) -> float:
        length: int = p[1] - p[0]
        return float(length if self.node.by == "count" else length > 0)

    def ratios(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context) -> Ratios:
        candidates = overlapping_pairs([s[0] for s in ss], [s[1] for s in ss], [g[0] for g in gs], [g[1] for g in gs])
        return [(i, j, *self.ratio(ss[i], gs[j], ctx)) for i, j in candidates]

    def table(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context, floor: float = 0.0) -> Table:
        return [(i, j, top / bottom) for i, j, top, bottom in self.ratios(ss, gs, ctx)]

    def line(self) -> Line:
        return Line(f"span overlap ({self.node.by}), candidates by sorted sweep", "O((n + m) log m + overlaps)")


def _measure(by: str, shared: int, s: int, g: int) -> tuple[int, int]:
    """A positive overlap of sizes as a fraction; `link`, `pairs`, `subset` and `superset` are integers."""
    if by == "dice":
        return 2 * shared, s + g
    if by == "jaccard":
        return shared, s + g - shared
    if by == "precision":
        return shared, s
    if by == "recall":
        return shared, g
    if by == "containment":
        return shared, min(s, g)
    if by == "subset":
        return int(shared == s), 1
    if by == "superset":
        return int(shared == g), 1
    if by == "link":
        return shared - 1, 1
    if by == "pairs":
        return shared * (shared - 1) // 2, 1
    if by in ("pairs-precision", "pairs-recall"):
        whole = s if by == "pairs-precision" else g
        return (shared * (shared - 1), whole - 1) if whole > 1 else (int(s == g), 1)
    if by == "partial":
        return 1, 1 if shared == s == g else 2
    return (1 if by == "any" else shared), 1


overlap_ratio = _measure


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


class CustomOp(Op):
    """A Python function, called as rarely as its declared facts allow."""

    def __init__(self, node: ir.Custom) -> None:
        self.node = node
        self.function = node.function.function
        self.blocking = node.key is not None

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        key = None if self.node.key is None else freeze(self.node.key(value))
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

    def table(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context, floor: float = 0.0) -> Table:
        if self.node.upper is not None and self.node.upper <= floor:
            return []
        left, right = group(ss, self.identity), group(gs, self.identity)
        rows, columns = [ss[i[0]] for i in left.values()], [gs[j[0]] for j in right.values()]
        at, to = list(left.values()), list(right.values())
        bound = None if self.node.bound is None else self.node.bound.function
        known: dict[frozenset[Hashable], float] = {}
        out: Table = []
        for candidates, partners in hash_join(rows, columns, self.block):
            for i in candidates:
                for j in partners:
                    s, g = rows[i], columns[j]
                    if bound is not None and bound(s[0], g[0]) <= floor:
                        continue
                    if self.node.symmetric:
                        names = frozenset((s[2], g[2]))
                        value = known.get(names)
                        if value is None:
                            value = known[names] = self._call(s[0], g[0])
                    else:
                        value = self._call(s[0], g[0])
                    if value > 0:
                        out.extend((a, b, value) for a in at[i] for b in to[j])
        return out

    def line(self) -> Line:
        name = self.node.function.name
        if self.node.key is not None:
            return Line(f"function {name}, hash join on {self.node.key.name}", "O(n + m + pairs with equal key)")
        return Line(f"function {name}, every distinct pair (declare key= to avoid it)", "O(n * m) calls")


class VariableOp(Op):
    """A variable: similar to any variable as far as the mapping allows; without a mapping, optimistic."""

    blocking = True

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        if value is None or isinstance(value, list | tuple | set | frozenset | dict):
            raise Misfit(f"expected a variable, got {describe(value)}", "give its name as a string")
        return ("variable", freeze(value))

    def identity(self, p: Any) -> Hashable:
        return p  # type: ignore[no-any-return]

    def block(self, p: Any) -> Hashable:
        return "variable"

    def pair(self, s: Any, g: Any, ctx: Context) -> float:
        return 1.0 if ctx.mapping is None or ctx.mapping.allows(s, g) else 0.0

    def self_score(self, p: Any, side: int) -> float:
        return 1.0

    def variables(self, p: Any) -> tuple[Hashable, ...]:
        return (p,)

    def line(self) -> Line:
        return Line("variable, matched by the enclosing latent")
