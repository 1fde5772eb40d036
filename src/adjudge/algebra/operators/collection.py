"""Operators on collections of graded elements: optimal and greedy matchings, sequences."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import fsum, isqrt
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from adjudge.algebra import ir
from adjudge.algebra.operators.bag import both_empty, elements, twice
from adjudge.algebra.operators.base import GOLD, SYSTEM, Context, Line, Memo, Op, Table, applied, short_name
from adjudge.algebra.operators.misfit import HERE, Misfit, Misfits, check_number
from adjudge.algebra.solve.assignment import fitting, max_weight_matching
from adjudge.algebra.solve.chain import best_chain, lcs_length
from adjudge.algebra.solve.matrix import (
    Matched,
    assignment,
    heaviest_chain,
    heaviest_first,
    heaviest_path,
    in_turn,
    line_maxima,
)

_LARGE = 1_000  # pairs, from which a matching may take time
_MANY = 100_000  # candidates from which on they are an array instead of objects
_CELLS = 9_000_000  # of an array held at a time, 72 MB
_PORTION = 700  # elements of either side whose pairs are objects at a time, if all are too many
_OBJECTS = 2_000_000  # candidates held as objects, some 200 MB, where an array would be too large

if TYPE_CHECKING:
    from adjudge.algebra.align import Report
    from adjudge.algebra.solve.matrix import Matrix


def reduce_table(match: str, table: Table) -> tuple[float, Table]:
    """The value of the best matching under a constraint, and its pairs. (Eq. 13)"""
    if not table:
        return 0.0, []
    if match == "1:1":
        return max_weight_matching(table)
    if match == "N:N":
        return fsum(value for _, _, value in table), table
    if match == "best":
        best = min(table, key=lambda entry: (-entry[2], entry[0], entry[1]))
        return best[2], [best]
    rows = match == "N:1"
    chosen: dict[int, tuple[int, int, float]] = {}
    for entry in table:
        here, there = (entry[0], entry[1]) if rows else (entry[1], entry[0])
        held = chosen.get(here)
        if held is None or entry[2] > held[2] or (entry[2] == held[2] and there < held[1 if rows else 0]):
            chosen[here] = entry
    pairs = [chosen[key] for key in sorted(chosen)]
    return fsum(value for _, _, value in pairs), pairs


def _portions(side: Sequence[Any]) -> list[range]:
    """Runs of neighbouring collections with some hundreds of elements in all."""
    starts, together = [0], 0
    for number, each in enumerate(side):
        together += each.size
        if together > _PORTION and number > starts[-1]:
            starts.append(number)
            together = each.size
    return [range(start, stop) for start, stop in pairwise([*starts, len(side)])]


class Items(msgspec.Struct, eq=False):
    """A prepared collection whose elements are compared by more than equality; of a graph, what each node reaches."""

    items: Sequence[Any]
    positions: Sequence[int]
    prepared: Sequence[Any]
    size: int
    reach: Sequence[int] = ()


class CollectionOp(Op):
    """Base for collections of graded elements: flatten, join once, then reduce per pair of collections."""

    nested = True

    def __init__(self, element: Op, empty: int, duplicates: str = "multiset") -> None:
        self.element = element
        self.empty = empty
        self.duplicates = duplicates
        self.integral = element.integral
        self.rational = element.integral or element.rational

    def ratio(self, s: Any, g: Any, ctx: Context) -> tuple[int, int]:
        if self.integral or not s.size or not g.size:
            return int(self.pair(s, g, ctx)), 1
        # The pairs were chosen by floating point; what they are worth together is added up exactly.
        pairs = self.matching(s, g, ctx)
        exact = (Fraction(*self.element.ratio(s.prepared[a], g.prepared[b], ctx)) for a, b, _ in pairs)
        value = sum(exact, Fraction(0))
        return value.numerator, value.denominator

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        items = elements(value)
        prepared = self.element.prepare_each(items, side, memo)
        if len(prepared) < 2 or self.duplicates == "multiset":
            return Items(items, range(len(prepared)), prepared, len(prepared))
        first: dict[Hashable, int] = {}
        identity = self.element.identity
        for position, p in enumerate(prepared):
            if first.setdefault(identity(p), position) != position and self.duplicates == "error":
                raise twice(position)
        positions = list(first.values())
        if len(positions) < len(prepared):
            prepared = [prepared[position] for position in positions]
        return Items(items, positions, prepared, len(prepared))

    def identity(self, p: Any) -> Hashable:
        names = [self.element.identity(each) for each in p.prepared]
        if self.duplicates != "multiset":
            return frozenset(names)
        counts: dict[Hashable, int] = {}
        for name in names:
            counts[name] = counts.get(name, 0) + 1
        return frozenset(counts.items())

    def reduce(self, table: Table, s: Any, g: Any, ctx: Context) -> tuple[float, Table]:
        """The value of the matching and its pairs, from the table of element similarities."""
        raise NotImplementedError

    def pair(self, s: Any, g: Any, ctx: Context) -> float:
        if not s.size or not g.size:
            return float(self.empty and not s.size and not g.size)
        if self._is_large(s, g):
            found = self._dense(s, g, ctx)
            return found.bound if ctx.upper else found.value
        return self.reduce(self.element.table(s.prepared, g.prepared, ctx), s, g, ctx)[0]

    def candidates(self, ss: Sequence[Any], gs: Sequence[Any]) -> int:
        return self.element.candidates(
            [each for s in ss for each in s.prepared], [each for g in gs for each in g.prepared]
        )

    def reduce_many(self, s: Any, g: Any, making: Context, ctx: Context) -> Matched:
        """The matching of very many elements; of too many, that of the first ones."""
        rows, columns = s.prepared, g.prepared
        if s.size * g.size > _CELLS:
            making.leave_out()
            most = max(isqrt(_CELLS), _CELLS // max(s.size, g.size))
            rows, columns = rows[:most], columns[:most]
        return self.reduce_matrix(self.element.matrix(rows, columns, making), s, g, ctx)

    def reduce_matrix(self, matrix: Matrix, s: Any, g: Any, ctx: Context) -> Matched:
        """The matching of very many elements, from the array of all similarities."""
        raise NotImplementedError

    def _is_large(self, s: Any, g: Any) -> bool:
        cells = s.size * g.size
        if cells <= _MANY:
            return False
        return self.element.candidates(s.prepared, g.prepared) > (_MANY if cells <= _CELLS else _OBJECTS)

    def _dense(self, s: Any, g: Any, ctx: Context) -> Matched:
        key = (id(self), id(s), id(g))
        found: Matched | None = ctx.solved.get(key) if ctx.mapping is None else None
        if found is None:
            making = replace(ctx, deadline=ctx.deadline.part(1.5))  # what is left is for the matching
            found = self.reduce_many(s, g, making, ctx)
            if not found.optimal or not making.optimal:
                ctx.optimal = False
            if ctx.mapping is None:
                ctx.solved[key] = found
        return found

    def self_score(self, p: Any, side: int) -> float:
        if not p.size:
            return float(self.empty)
        score = self.element.self_score
        return fsum([score(each, side) for each in p.prepared])

    def table(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context, floor: float = 0.0) -> Table:
        out: Table = []
        parts = [[range(len(side))] for side in (ss, gs)]
        if len(ss) * len(gs) > 1 and self._is_much(ss, gs):
            parts = [_portions(side) for side in (ss, gs)]
        for rows, columns in product(*parts):
            if (rows.start or columns.start) and ctx.out_of_time():
                break
            out += self._joined(ss, gs, rows, columns, ctx)
        return out + both_empty(ss, gs) if self.empty else out

    def _is_much(self, ss: Sequence[Any], gs: Sequence[Any]) -> bool:
        cells = sum(s.size for s in ss) * sum(g.size for g in gs)
        return cells > _OBJECTS and self.candidates(ss, gs) > _OBJECTS

    def _joined(self, ss: Sequence[Any], gs: Sequence[Any], some: range, others: range, ctx: Context) -> Table:
        """Some rows and columns of a table: their elements are joined once, then reduced for each pair."""
        if len(some) == len(others) == 1 and self._is_large(ss[some[0]], gs[others[0]]):
            value = self.pair(ss[some[0]], gs[others[0]], ctx)
            return [(some[0], others[0], value)] if value > 0 else []
        rows = [(i, a) for i in some for a in range(ss[i].size)]
        columns = [(j, b) for j in others for b in range(gs[j].size)]
        inner = self.element.table(
            [each for i in some for each in ss[i].prepared], [each for j in others for each in gs[j].prepared], ctx
        )
        groups: dict[tuple[int, int], Table] = {}
        for number, (x, y, value) in enumerate(inner):
            if number % 1024 == 1023 and ctx.out_of_time():
                break
            i, a = rows[x]
            j, b = columns[y]
            groups.setdefault((i, j), []).append((a, b, value))
        out: Table = []
        for number, ((i, j), entries) in enumerate(groups.items()):
            if number % 64 == 0 and ctx.out_of_time():
                break
            value = self.reduce(entries, ss[i], gs[j], ctx)[0]
            if value > 0:
                out.append((i, j, value))
        return out

    def variables(self, p: Any) -> tuple[Hashable, ...]:
        return tuple(dict.fromkeys(name for each in p.prepared for name in self.element.variables(each)))

    def matching(self, s: Any, g: Any, ctx: Context) -> Table:
        """The pairs of the matching, as positions among the prepared elements."""
        if not s.size or not g.size:
            return []
        if self._is_large(s, g) and (pairs := self._dense(s, g, ctx).pairs):
            return pairs
        return self.reduce(self.element.table(s.prepared, g.prepared, ctx), s, g, ctx)[1]

    def align(self, s: Any, g: Any, sp: str, gp: str, report: Report, ctx: Context) -> None:
        self.report_pairs(self.matching(s, g, ctx), s, g, sp, gp, report, ctx)

    def report_pairs(self, pairs: Table, s: Any, g: Any, sp: str, gp: str, report: Report, ctx: Context) -> None:
        """Matched pairs and what is below them, then what is left on either side."""
        for a, b, value in sorted(pairs):
            i, j = s.positions[a], g.positions[b]
            here, there = f"{sp}[{i}]", f"{gp}[{j}]"
            report.match(here, there, s.items[i], g.items[j], value, self.element)
            self.element.align(s.prepared[a], g.prepared[b], here, there, report, ctx)
        left, right = {a for a, _, _ in pairs}, {b for _, b, _ in pairs}
        self._leave(s, SYSTEM, sp, report, left)
        self._leave(g, GOLD, gp, report, right)

    def _leave(self, p: Any, side: int, path: str, report: Report, seen: set[int]) -> None:
        for a, position in enumerate(p.positions):
            if a not in seen:
                here = f"{path}[{position}]"
                report.unmatched(side, here, p.items[position], self.element)
                self.element.walk(p.prepared[a], side, here, report)

    def walk(self, p: Any, side: int, path: str, report: Report) -> None:
        self._leave(p, side, path, report, set())


class SetOp(CollectionOp):
    """Optimal matching of graded elements."""

    def __init__(self, node: ir.Set, element: Op) -> None:
        super().__init__(element, node.empty or 0, node.duplicates or "set")
        self.match = node.match

    def reduce(self, table: Table, s: Any, g: Any, ctx: Context) -> tuple[float, Table]:
        if self.match == "1:1" and len(table) > _LARGE and ctx.out_of_time():
            pairs = fitting(sorted(table, key=lambda entry: -entry[2]))  # there is no time for the best
            return fsum(value for _, _, value in pairs), pairs
        return reduce_table(self.match, table)

    def reduce_many(self, s: Any, g: Any, making: Context, ctx: Context) -> Matched:
        if self.match == "1:1":
            return super().reduce_many(s, g, making, ctx)
        by_column = self.match == "1:N"
        lines = g.prepared if by_column else s.prepared
        step = max(1, _CELLS // 4 * len(lines) // (s.size * g.size))
        pairs: Table = []
        sums: list[float] = []  # of N:N, whose pairs are too many to be listed unless asked for
        for start in range(0, len(lines), step):
            if making.is_late():
                break
            some = lines[start : start + step]
            sides = (s.prepared, some) if by_column else (some, g.prepared)
            matrix = self.element.matrix(*sides, making)
            if self.match == "N:N":
                sums.append(fsum(each for row in matrix for each in row.tolist()))
            else:
                found = line_maxima(matrix.T if by_column else matrix)
                pairs += [(b, start + a, v) if by_column else (start + a, b, v) for a, b, v in found]
        if self.match == "best":
            pairs = sorted(pairs, key=lambda pair: -pair[2])[:1]
        value = fsum(sums) if sums else fsum(each for _, _, each in pairs)
        return Matched(value, pairs, value, True)

    def reduce_matrix(self, matrix: Matrix, s: Any, g: Any, ctx: Context) -> Matched:
        return assignment(matrix, ctx.deadline)

    def self_score(self, p: Any, side: int) -> float:
        if self.match == "best" and p.size:
            return max(self.element.self_score(each, side) for each in p.prepared)
        return super().self_score(p, side)

    def line(self) -> Line:
        how, cost = {
            "1:1": ("assignment per connected component", "O(non-zeros) + small assignments"),
            "N:1": ("row maxima", "O(non-zeros)"),
            "1:N": ("column maxima", "O(non-zeros)"),
            "N:N": ("sum", "O(non-zeros)"),
            "best": ("maximum", "O(non-zeros)"),
        }[self.match]
        return Line(f"{self.match} matching: {how} of the sparse table", cost, (("element", self.element.line()),))


class GreedyOp(CollectionOp):
    """A matching built step by step, in a declared order."""

    def __init__(self, node: ir.Greedy, element: Op) -> None:
        super().__init__(element, node.empty or 0, node.duplicates or "set")
        self.node = node

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        made = super().prepare(value, side, memo)
        if self.node.rank is not None:
            with Misfits() as misfits:
                for position, item in enumerate(made.items):
                    with misfits.at(f"[{position}]"):
                        found = applied(self.node.rank, item)
                        try:
                            check_number(found)
                        except Misfit as misfit:
                            raise misfit.inside(f"{short_name(self.node.rank)}({HERE})") from None
        return made

    def reduce(self, table: Table, s: Any, g: Any, ctx: Context) -> tuple[float, Table]:
        if self.node.order == "score":
            first = 0 if self.node.ties == "system" else 1
            order = sorted(table, key=lambda e: (-e[2], e[first], e[1 - first]))
        else:
            by_system, best = self.node.order == "system", self.node.take == "best"
            ranked = self._ranked(s if by_system else g, {i if by_system else j for i, j, _ in table})
            places = {row: place for place, row in enumerate(ranked)}

            def turn(entry: tuple[int, int, float]) -> tuple[int, float, int]:
                lead, follow = entry[:2] if by_system else entry[1::-1]
                return places[lead], -entry[2] if best else 0.0, follow

            order = sorted(table, key=turn)
        pairs = fitting(order)
        return fsum(value for _, _, value in pairs), pairs

    def reduce_matrix(self, matrix: Matrix, s: Any, g: Any, ctx: Context) -> Matched:
        by_system = self.node.order == "system"
        if self.node.order == "score":
            chosen = heaviest_first(matrix, columns_first=self.node.ties != "system")
        else:
            turned = matrix if by_system else matrix.T
            order = self._ranked(s if by_system else g, range(len(turned)))
            chosen = in_turn(turned, order, first=self.node.take != "best")
            chosen = chosen if by_system else [(i, j) for j, i in chosen]
        pairs = [(i, j, float(matrix[i, j])) for i, j in chosen]
        value = fsum(each for _, _, each in pairs)
        return Matched(value, pairs, value, True)

    def _ranked(self, p: Any, rows: Iterable[int]) -> list[int]:
        """The leading side in its own order, or by falling rank; equal ranks keep their order."""
        order = sorted(rows)
        if self.node.rank is not None:
            rank = self.node.rank.function
            order.sort(key=lambda a: -rank(p.items[p.positions[a]]))
        return order

    def line(self) -> Line:
        inner = (("element", self.element.line()),)
        order = {"score": "falling score", "system": "system order", "gold": "gold order"}[self.node.order]
        return Line(f"greedy matching by {order}, ties to the earlier {self.node.ties}", "O(z log z)", inner)


class SequenceOp(CollectionOp):
    """Order-preserving matching: bit-parallel LCS for equal elements, else the heaviest chain of match points."""

    def __init__(self, node: ir.Sequence, element: Op) -> None:
        super().__init__(element, node.empty or 0)
        self.match = node.match
        self.rows_strict = node.match in ("1:1", "N:1")
        self.columns_strict = node.match in ("1:1", "1:N")

    def identity(self, p: Any) -> Hashable:
        return tuple([self.element.identity(each) for each in p.prepared])

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        if isinstance(value, set | frozenset):
            raise Misfit("expected an array with an order, got a set", "use a list")
        return super().prepare(value, side, memo)

    def pair(self, s: Any, g: Any, ctx: Context) -> float:
        if self.element.exact and self.match == "1:1" and s.size and g.size:
            return float(lcs_length(s.prepared, g.prepared))
        return super().pair(s, g, ctx)

    def reduce_matrix(self, matrix: Matrix, s: Any, g: Any, ctx: Context) -> Matched:
        if self.match == "N:N":
            return heaviest_path(matrix)
        if self.match != "1:N":
            return heaviest_chain(matrix, columns_strict=self.columns_strict)
        found = heaviest_chain(matrix.T, columns_strict=False)
        return replace(found, pairs=sorted((i, j, value) for j, i, value in found.pairs))

    def reduce(self, table: Table, s: Any, g: Any, ctx: Context) -> tuple[float, Table]:
        return best_chain(table, rows_strict=self.rows_strict, columns_strict=self.columns_strict)

    def line(self) -> Line:
        inner = self.element.line()
        if self.element.exact and self.match == "1:1":
            return Line(f"bit-parallel LCS on {inner.text}", "O(n * m / 64)")
        return Line(f"{self.match} heaviest chain of match points", "O(z log m)", (("element", inner),))
