"""Operators on collections of exactly compared elements: hash intersections and overlaps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from collections.abc import Mapping as AnyMapping
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import msgspec

from adjudge.algebra import ir
from adjudge.algebra.operators.base import GOLD, SYSTEM, Context, Line, Memo, Op, Table
from adjudge.algebra.operators.leaf import overlap_matrix, overlap_ratio
from adjudge.algebra.operators.misfit import Misfit, expected

if TYPE_CHECKING:
    from adjudge.algebra.align import Report
    from adjudge.algebra.solve.matrix import Matrix


_SETS = (set, frozenset)
_COLLECTIONS = (list, tuple, *_SETS)  # whose elements need no order to be counted


def elements(value: Any) -> Sequence[Any]:
    """The elements of a collection in a reproducible order; a string or an object is not a collection."""
    if type(value) is list or type(value) is tuple:
        return value
    if isinstance(value, set | frozenset):
        # The order of a set changes from run to run; matchings with ties must not.
        return sorted(value, key=repr)
    if isinstance(value, str):
        raise expected("an array", value, "put it in an array; a text is not taken as a collection of characters")
    if isinstance(value, bytes | AnyMapping) or not isinstance(value, Iterable):
        raise expected("an array", value)
    return list(value)


def twice(position: int) -> Misfit:
    """The complaint about an element that must not be repeated."""
    return Misfit("this element occurs twice", "remove one, or choose duplicates: set or multiset", f"[{position}]")


class Bag(msgspec.Struct, eq=False):
    """A prepared collection of exactly compared elements: positions by key; `unordered` is the side of a set."""

    items: Sequence[Any]
    positions: dict[Hashable, Any]
    size: int
    identity: Hashable = None
    unordered: int | None = None


class BagOp(Op):
    """Base for collections of exactly compared elements; a key leads to its first position, or to all of them."""

    nested = True

    def __init__(self, element: Op, duplicates: str) -> None:
        self.element = element
        self.duplicates = duplicates
        self.multi = duplicates == "multiset"

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        known = memo.get((id(self), id(value)))
        if known is not None:
            return known[1]
        unordered = type(value) in _SETS and self.duplicates != "error"
        items = tuple(value) if unordered else elements(value)
        keys = self.element.prepare_each(items, side, memo)
        positions: dict[Hashable, Any] = {}
        if self.multi:
            for position, key in enumerate(keys):
                positions.setdefault(key, []).append(position)
        else:
            positions = dict(zip(keys, range(len(keys)), strict=True))
            if len(positions) < len(keys):
                positions = {}
                for position, key in enumerate(keys):
                    if positions.setdefault(key, position) != position and self.duplicates == "error":
                        raise twice(position)
        bag = Bag(items, positions, len(items) if self.multi else len(positions), None, side if unordered else None)
        memo[id(self), id(value)] = (value, bag)
        return bag

    def _ordered(self, p: Bag) -> Bag:
        """The same with the elements of a set in a reproducible order."""
        ordered: Bag = p if p.unordered is None else self.prepare(elements(set(p.items)), p.unordered, {})
        return ordered

    def identity(self, p: Any) -> Hashable:
        if p.identity is None:
            counted = self.multi
            p.identity = frozenset((k, len(at)) for k, at in p.positions.items()) if counted else frozenset(p.positions)
        name: Hashable = p.identity
        return name

    def shared(self, s: Bag, g: Bag) -> int:
        """|S & G|, for multisets the sum of the smaller counts."""
        few, many = (s.positions, g.positions) if len(s.positions) <= len(g.positions) else (g.positions, s.positions)
        if self.multi:
            return sum(min(len(at), len(many[key])) for key, at in few.items() if key in many)
        return len(few.keys() & many.keys())

    def contingency(
        self, ss: Sequence[Bag], gs: Sequence[Bag], ctx: Context, weight: str = "min"
    ) -> dict[tuple[int, int], int]:
        """The sparse table of |S_i & G_j| by an inverted index: one visit per shared element."""
        index: dict[Hashable, list[tuple[int, int]]] = {}
        multi = self.multi
        for j, g in enumerate(gs):
            for key, at in g.positions.items():
                index.setdefault(key, []).append((j, len(at) if multi else 1))
        counts: dict[tuple[int, int], int] = {}
        for i, s in enumerate(ss):
            if ctx.out_of_time():
                break
            row: dict[int, int] = {}
            for key, at in s.positions.items():
                here = len(at) if multi else 1
                for j, there in index.get(key, ()):
                    if weight == "min":
                        both = here if here < there else there
                    else:
                        both = here if weight == "N:1" else there if weight == "1:N" else here * there
                    row[j] = row.get(j, 0) + both
            for j, both in row.items():
                counts[i, j] = both
        return counts

    def candidates(self, ss: Sequence[Any], gs: Sequence[Any]) -> int:
        counts = [Counter(key for bag in side for key in bag.positions) for side in (ss, gs)]
        return sum(number * counts[1][key] for key, number in counts[0].items())

    def matching(self, s: Bag, g: Bag, match: str) -> list[tuple[int, int]]:
        """Positions of equal elements under a constraint."""
        out: list[tuple[int, int]] = []
        for key, left in s.positions.items():
            if key not in g.positions:
                continue
            rows = left if self.multi else [left]
            columns = g.positions[key] if self.multi else [g.positions[key]]
            if match == "1:1":
                out.extend(zip(rows, columns, strict=False))
            elif match == "N:1":
                out.extend((i, columns[0]) for i in rows)
            elif match == "1:N":
                out.extend((rows[0], j) for j in columns)
            else:
                out.extend((i, j) for i in rows for j in columns)
        return out[:1] if match == "best" else out

    def align(self, s: Any, g: Any, sp: str, gp: str, report: Report, ctx: Context) -> None:
        s, g = self._ordered(s), self._ordered(g)
        pairs = self.matching(s, g, self.constraint)
        for i, j in pairs:
            report.match(f"{sp}[{i}]", f"{gp}[{j}]", s.items[i], g.items[j], 1.0, self.element)
        seen = ({i for i, _ in pairs}, {j for _, j in pairs})
        for side, p, path in ((SYSTEM, s, sp), (GOLD, g, gp)):
            self._leave(p, side, path, report, seen[side])

    constraint = "1:1"

    def _leave(self, p: Bag, side: int, path: str, report: Report, seen: set[int]) -> None:
        kept = p.positions.values()
        order = sorted(at for many in kept for at in many) if self.multi else sorted(kept)
        for position in order:
            if position not in seen:
                report.unmatched(side, f"{path}[{position}]", p.items[position], self.element)

    def walk(self, p: Any, side: int, path: str, report: Report) -> None:
        self._leave(self._ordered(p), side, path, report, set())


class ExactSetOp(BagOp):
    """Matching of exactly compared elements: a hash intersection."""

    integral = rational = True

    def __init__(self, node: ir.Set, element: Op) -> None:
        super().__init__(element, node.duplicates or "set")
        self.constraint = node.match
        self.empty = node.empty or 0
        self.flat = not self.multi and self.constraint != "best"

    def keys(self, values: Sequence[Any], side: int) -> list[frozenset[Hashable]]:
        """The keys of the elements of many collections, if they are `flat`; raises `Misfit`."""
        values = [value if type(value) in _COLLECTIONS else elements(value) for value in values]
        found = iter(self.element.prepare_each(list(chain.from_iterable(values)), side, {}))
        sizes = list(map(len, values))
        keys = [frozenset(islice(found, size)) for size in sizes]
        if self.duplicates == "error" and list(map(len, keys)) != sizes:
            raise twice(0)
        return keys

    def pair(self, s: Any, g: Any, ctx: Context) -> float:
        if not s.size or not g.size:
            return float(self.empty and not s.size and not g.size)
        if not self.multi or self.constraint == "1:1":
            shared = self.shared(s, g)
            return float(shared if self.constraint != "best" else shared > 0)
        keys = s.positions.keys() & g.positions.keys()
        if self.constraint == "N:1":
            return float(sum(len(s.positions[key]) for key in keys))
        if self.constraint == "1:N":
            return float(sum(len(g.positions[key]) for key in keys))
        if self.constraint == "best":
            return float(bool(keys))
        return float(sum(len(s.positions[key]) * len(g.positions[key]) for key in keys))

    def self_score(self, p: Any, side: int) -> float:
        if not p.size:
            return float(self.empty)
        return 1.0 if self.constraint == "best" else float(p.size)

    def table(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context, floor: float = 0.0) -> Table:
        weight = "min" if self.constraint in ("1:1", "best") else self.constraint
        best = self.constraint == "best"
        counts = self.contingency(ss, gs, ctx, weight)
        out: Table = [(i, j, 1.0 if best else float(n)) for (i, j), n in counts.items()]
        return out + both_empty(ss, gs) if self.empty else out

    def line(self) -> Line:
        how = {"set": "set", "multiset": "multiset", "error": "set, duplicates refused"}[self.duplicates]
        inner = self.element.line()
        return Line(f"{self.constraint} matching: hash intersection ({how}) on {inner.text}", "O(n + m)")


def both_empty(ss: Sequence[Any], gs: Sequence[Any]) -> Table:
    """Pairs of two empty collections, for metrics in which they count as equal."""
    columns = [j for j, g in enumerate(gs) if not g.size]
    return [(i, j, 1.0) for i, s in enumerate(ss) if not s.size for j in columns]


_SMALL = 8


class OverlapOp(BagOp):
    """A function of |S & G|, |S|, |G|, from one contingency table."""

    rational = True

    def __init__(self, node: ir.Overlap, element: Op) -> None:
        super().__init__(element, node.duplicates or "set")
        self.by = node.by
        self.integral = node.by in ("count", "subset", "superset", "link", "pairs")

    def ratio(self, s: Any, g: Any, ctx: Context) -> tuple[int, int]:
        if s.size <= _SMALL or g.size <= _SMALL:
            shared = self.shared(s, g)
        else:
            # Two large sets may meet once per element they share (B3): count once.
            known = ctx.solved.get((id(self), id(s), id(g)))
            shared = self.shared(s, g) if known is None else known
            ctx.solved[id(self), id(s), id(g)] = shared
        return overlap_ratio(self.by, shared, s.size, g.size) if shared else (0, 1)

    def self_score(self, p: Any, side: int) -> float:
        if not p.size:
            return 0.0
        numerator, denominator = overlap_ratio(self.by, p.size, p.size, p.size)
        return numerator / denominator

    def table(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context, floor: float = 0.0) -> Table:
        found = [
            (i, j, overlap_ratio(self.by, n, ss[i].size, gs[j].size))
            for (i, j), n in self.contingency(ss, gs, ctx).items()
        ]
        return [(i, j, top / bottom) for i, j, (top, bottom) in found if top]

    def matrix(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context) -> Matrix:
        if self.multi:
            return super().matrix(ss, gs, ctx)
        import numpy as np
        from scipy.sparse import csr_array

        keys: dict[Hashable, int] = {}
        sides = []
        for bags in (ss, gs):
            places = [[keys.setdefault(key, len(keys)) for key in bag.positions] for bag in bags]
            ends = np.cumsum([0, *map(len, places)])
            flat = np.array([place for own in places for place in own], dtype=np.int64)
            sides.append((np.ones(len(flat), dtype=np.int64), flat, ends))
        left, right = (csr_array(side, shape=(len(side[2]) - 1, len(keys))) for side in sides)
        sizes = (np.array([bag.size for bag in bags], dtype=np.int64) for bags in (ss, gs))
        out: Matrix = overlap_matrix(self.by, (left @ right.T).toarray(), *sizes)
        return out

    def line(self) -> Line:
        return Line(f"overlap ({self.by}) of sets, contingency table by inverted index", "O(elements + non-zeros)")
