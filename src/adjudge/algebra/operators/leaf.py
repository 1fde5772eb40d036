"""Leaf operators: equality, spans, variables; those with graded similarities are in `graded`."""

from __future__ import annotations

import enum
from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from adjudge.algebra import ir
from adjudge.algebra.access import getter, is_kind, kind
from adjudge.algebra.operators.base import Context, Line, Memo, Op, Table, freeze, joined, listed, read_field, step
from adjudge.algebra.operators.misfit import Misfit, Misfits, expected, kind_name, short
from adjudge.errors import did_you_mean

if TYPE_CHECKING:
    from adjudge.algebra.solve.matrix import Matrix


class ExactOp(Op):
    """Equality: the prepared value is its own hash key."""

    exact = blocking = integral = rational = True

    def __init__(self, node: ir.Exact) -> None:
        self.node = node
        self.kind = node.type
        self.values = None if node.values is None else frozenset(freeze(value) for value in node.values)
        self.accepts_null = ir.takes_null(node)
        # Values of these types are their own keys and need no further look.
        plain = {"string": (str,), "integer": (int,), "null": (type(None),), None: (str, int)}.get(node.type, ())
        self.plain: frozenset[type] = frozenset(plain if node.values is None else ())

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        if type(value) in self.plain:
            return value
        raw = value.value if isinstance(value, enum.Enum) else value
        if self.kind is not None and not is_kind(raw, self.kind):
            raise expected(kind_name(self.kind), raw)
        key = freeze(raw)
        if self.values is not None and key not in self.values:
            known = [str(each) for each in self.node.values or ()]
            raise Misfit(f"{short(raw)} is not one of {listed(known)}", did_you_mean(str(raw), known))
        return key

    def prepare_each(self, items: Sequence[Any], side: int, memo: Memo) -> Sequence[Any]:
        return items if self.plain.issuperset(map(type, items)) else super().prepare_each(items, side, memo)

    def block(self, p: Any) -> Hashable:
        return p  # type: ignore[no-any-return]

    def pair(self, s: Any, g: Any, ctx: Context) -> float:
        return 1.0 if s == g else 0.0

    def table(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context, floor: float = 0.0) -> Table:
        return joined(ss, gs, self.block, ctx)

    def line(self) -> Line:
        return Line("equality", "O(1)")


FARTHEST = 2**53  # beyond that floats do not tell neighbours apart


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
            if type(start) is int and type(end) is int and -FARTHEST <= start <= end <= FARTHEST:
                return (start, end + self.node.inclusive)
        return self._prepare(value)

    def _prepare(self, value: Any) -> tuple[int, int]:
        if isinstance(value, list | tuple) and not hasattr(value, self.node.start):
            if len(value) != 2:
                raise Misfit(f"expected a span of two offsets, got {len(value)}", "write [start, end]")
            ends = [("[0]", value[0]), ("[1]", value[1])]
        elif kind(value) != "object":
            hint = f"write [start, end] or an object with {self.node.start} and {self.node.end}"
            raise expected("a span", value, hint)
        else:
            ends = []
            with Misfits() as misfits:
                for name, get in ((self.node.start, self.start), (self.node.end, self.end)):
                    with misfits.at(""):
                        ends.append((step(name), read_field(value, name, get)))
        with Misfits() as misfits:
            for place, offset in ends:
                with misfits.at(place):
                    if type(offset) is not int and not is_kind(offset, "integer"):
                        raise expected("an integer", offset)
                    if abs(offset) > FARTHEST:
                        raise Misfit("the offset is too large to count with", "count characters or tokens from 0")
        start, end = ends[0][1], ends[1][1]
        if end < start:
            raise Misfit(f"the span ends at {end} before it starts at {start}", "swap the two offsets")
        return (start, end + self.node.inclusive)

    def ratio(self, s: Any, g: Any, ctx: Context) -> tuple[int, int]:
        shared = min(s[1], g[1]) - max(s[0], g[0])
        if shared <= 0:
            return 0, 1
        return overlap_ratio(self.node.by, shared, s[1] - s[0], g[1] - g[0])

    def self_score(self, p: Any, side: int) -> float:
        length: int = p[1] - p[0]
        return float(length if self.node.by == "count" else length > 0)

    def candidates(self, ss: Sequence[Any], gs: Sequence[Any]) -> int:
        starts, ends = (sorted(g[place] for g in gs) for place in (0, 1))
        return sum(max(0, bisect_left(starts, s[1]) - bisect_right(ends, s[0])) for s in ss)

    def matrix(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context) -> Matrix:
        if max(p[1] - p[0] for p in (*ss, *gs)) > _WIDE:
            return super().matrix(ss, gs, ctx)
        import numpy as np

        (left, right), (start, end) = (np.array(side, dtype=np.int64).T for side in (ss, gs))
        shared = np.minimum(right[:, None], end)
        shared -= np.maximum(left[:, None], start)
        np.maximum(shared, 0, out=shared)
        return overlap_matrix(self.node.by, shared, right - left, end - start)

    def table(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context, floor: float = 0.0) -> Table:
        candidates = overlapping_pairs([s[0] for s in ss], [s[1] for s in ss], [g[0] for g in gs], [g[1] for g in gs])
        return [(i, j, self.pair(ss[i], gs[j], ctx)) for i, j in candidates]

    def line(self) -> Line:
        return Line(f"span overlap ({self.node.by}), candidates by sorted sweep", "O((n + m) log m + overlaps)")


def overlap_ratio(by: str, shared: int, s: int, g: int) -> tuple[int, int]:
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


_WIDE = 1_000_000  # the largest of three sizes that fit into one number together


def overlap_matrix(by: str, shared: Any, s: Any, g: Any) -> Matrix:
    """The overlaps of all pairs of sets, from arrays of sizes: each case of three sizes is worked out once."""
    import numpy as np

    out = np.zeros(shared.shape)
    if by in ("dice", "jaccard", "precision", "recall"):  # whose formulas are the same for arrays
        top, bottom = overlap_ratio(by, shared, s[:, None], g)
        return np.divide(top, bottom, out=out, where=shared > 0)
    most = int(max(s.max(), g.max())) + 1
    for start in range(0, len(s), max(1, 1_000_000 // len(g))):
        rows = slice(start, start + max(1, 1_000_000 // len(g)))
        cases = (shared[rows] * most + s[rows, None]) * most + g
        known, where = np.unique(cases, return_inverse=True)
        values = [
            top / bottom if both else 0.0
            for both, top, bottom in (
                (case // most**2, *overlap_ratio(by, max(case // most**2, 1), case // most % most, case % most))
                for case in known.tolist()
            )
        ]
        out[rows] = np.array(values)[where].reshape(cases.shape)
    return out


class VariableOp(Op):
    """A variable: similar to any variable as far as the mapping allows; without a mapping, optimistic."""

    blocking = True

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        if value is None or kind(value) == "array" or isinstance(value, dict):
            raise expected("a variable", value, "give its name as a string")
        return ("variable", freeze(value))

    def block(self, p: Any) -> Hashable:
        return "variable"

    def pair(self, s: Any, g: Any, ctx: Context) -> float:
        return 1.0 if ctx.mapping is None or ctx.mapping.allows(s, g) else 0.0

    def variables(self, p: Any) -> tuple[Hashable, ...]:
        return (p,)

    def line(self) -> Line:
        return Line("variable, matched by the enclosing latent")


def overlapping_pairs(
    starts_s: Sequence[float], ends_s: Sequence[float], starts_g: Sequence[float], ends_g: Sequence[float]
) -> list[tuple[int, int]]:
    """All (i, j) such that the half-open intervals [start, end) of system i and gold j share a point, in order.

    Overlap means that one of the two starts inside the other: both kinds are runs of the lists sorted by start. An
    interval that does not end after its start is empty and overlaps nothing. O((n + m) log (n + m) + answers).

    >>> overlapping_pairs([0, 4, 9], [5, 4, 12], [3, 5], [4, 10])
    [(0, 0), (2, 1)]
    """
    pairs = _starting_inside(starts_s, ends_s, starts_g, ends_g, strictly=False)
    pairs += [(i, j) for j, i in _starting_inside(starts_g, ends_g, starts_s, ends_s, strictly=True)]
    pairs.sort()
    return pairs


def _starting_inside(
    outer_starts: Sequence[float],
    outer_ends: Sequence[float],
    inner_starts: Sequence[float],
    inner_ends: Sequence[float],
    *,
    strictly: bool,
) -> list[tuple[int, int]]:
    """Pairs whose inner interval starts in the outer one; `strictly` leaves out equal starts, to count them once."""
    inner = sorted((start, j) for j, start in enumerate(inner_starts) if start < inner_ends[j])
    keys = [start for start, _ in inner]
    order = [j for _, j in inner]
    found: list[tuple[int, int]] = []
    for i, (start, end) in enumerate(zip(outer_starts, outer_ends, strict=True)):
        if start >= end:
            continue
        first = bisect_right(keys, start) if strictly else bisect_left(keys, start)
        last = bisect_left(keys, end, first)
        found.extend([(i, j) for j in order[first:last]])
    return found
