"""Graphs whose order must agree, and what searches have in common."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from adjudge.algebra import ir
from adjudge.algebra.access import getter, kind
from adjudge.algebra.operators.bag import elements
from adjudge.algebra.operators.base import Context, Line, Memo, Op, Table, freeze, read_field, step
from adjudge.algebra.operators.collection import CollectionOp, Items
from adjudge.algebra.operators.misfit import Misfit, Misfits, expected, short
from adjudge.algebra.operators.record import below
from adjudge.algebra.solve.matrix import Matched
from adjudge.algebra.solve.order import Solution, order_preserving, order_preserving_many
from adjudge.model.graph import reachability

if TYPE_CHECKING:
    from adjudge.algebra.align import Report
    from adjudge.algebra.solve.matrix import Matrix


def remembered(op: Op, s: Any, g: Any, ctx: Context) -> Any:
    """The search already made for these two values in this evaluation, if any."""
    return ctx.solved.get((id(op), id(s), id(g))) if ctx.mapping is None else None


def remember(op: Op, s: Any, g: Any, ctx: Context, solution: Any) -> None:
    """Keep a search, and note if it was not finished."""
    if not solution.optimal:
        ctx.optimal = False
    if ctx.mapping is None:
        ctx.solved[id(op), id(s), id(g)] = solution


class _Known(NamedTuple):
    """A finished search, the similarities it was made with, and whether these were complete."""

    solution: Solution
    table: Table
    sure: bool

    def value(self, ctx: Context) -> float:
        """What was found, or what it cannot exceed."""
        return self.solution.bound if ctx.upper else self.solution.value


class GraphOp(CollectionOp):
    """Matching of nodes under which reachability agrees: independent sets in the graph of conflicts."""

    def __init__(self, node: ir.Graph, element: Op) -> None:
        super().__init__(element, node.empty or 0)
        self.node = node
        self.nodes, self.edges = getter(node.nodes), getter(node.edges)
        self.id = None if node.ids in ("index", "value") else getter(node.ids)

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        if kind(value) != "object":
            raise expected("an object", value)
        parts = []
        with Misfits() as misfits:
            for name, get in ((self.node.nodes, self.nodes), (self.node.edges, self.edges)):
                with misfits.at(""):
                    raw = read_field(value, name, get)
                    with misfits.at(step(name)):
                        parts.append(elements(raw))
        items, edges = parts
        with Misfits() as misfits:
            with misfits.at(step(self.node.nodes)):
                prepared = self.element.prepare_each(items, side, memo)
            names = self._names(items, misfits)
            links = []
            for position, edge in enumerate(edges):
                with misfits.at(f"{step(self.node.edges)}[{position}]"):
                    links.append(self._link(edge, names))
        return Items(items, range(len(items)), prepared, len(items), reachability(len(items), links))

    def _link(self, edge: Any, names: dict[Hashable, int]) -> tuple[int, int]:
        """The two nodes of an edge."""
        if not isinstance(edge, list | tuple) or len(edge) != 2:
            raise Misfit(f"expected an edge, a pair of node ids, got {short(edge)}")
        ends: list[int] = []
        with Misfits() as misfits:
            for end, name in enumerate(edge):
                with misfits.at(f"[{end}]"):
                    found = names.get(freeze(name))
                    if found is None:
                        hint = f"ids run from 0 to {len(names) - 1}" if self.node.ids == "index" and names else None
                        raise Misfit(f"there is no node {short(name)}", hint)
                    ends.append(found)
        return ends[0], ends[1]

    def _names(self, items: Sequence[Any], misfits: Misfits) -> dict[Hashable, int]:
        """The nodes by their ids."""
        if self.node.ids == "index":
            return {k: k for k in range(len(items))}
        names: dict[Hashable, int] = {}
        for position, item in enumerate(items):
            with misfits.at(f"{step(self.node.nodes)}[{position}]"):
                raw = item if self.id is None else read_field(item, self.node.ids, self.id)
                if names.setdefault(freeze(raw), position) != position:
                    raise Misfit(f"two nodes have the id {short(raw)}", "give each node an id of its own")
        return names

    def identity(self, p: Any) -> Hashable:
        return (tuple([self.element.identity(each) for each in p.prepared]), tuple(p.reach))

    def reduce_matrix(self, matrix: Matrix, s: Any, g: Any, ctx: Context) -> Matched:
        found = order_preserving_many(matrix, s.reach, g.reach, match=self.node.match, deadline=ctx.deadline)
        return Matched(found.value, found.pairs, found.bound, found.optimal)

    def pair(self, s: Any, g: Any, ctx: Context) -> float:
        known = remembered(self, s, g, ctx)
        if isinstance(known, _Known) and known.sure:
            return known.value(ctx)
        return super().pair(s, g, ctx)

    def reduce(self, table: Table, s: Any, g: Any, ctx: Context) -> tuple[float, Table]:
        known: _Known | None = remembered(self, s, g, ctx)
        if known is None or (not known.sure and known.table != table):
            solution = order_preserving(table, s.reach, g.reach, match=self.node.match, deadline=ctx.deadline)
            known = _Known(solution, table, ctx.optimal and not ctx.cuts.made)
            if not solution.optimal:
                ctx.optimal = False
            if ctx.mapping is None:
                ctx.solved[id(self), id(s), id(g)] = known
        return known.value(ctx), known.solution.pairs

    def align(self, s: Any, g: Any, sp: str, gp: str, report: Report, ctx: Context) -> None:
        name = self.node.nodes
        super().align(s, g, below(sp, name), below(gp, name), report, ctx)

    def walk(self, p: Any, side: int, path: str, report: Report) -> None:
        name = self.node.nodes
        super().walk(p, side, below(path, name), report)

    def line(self) -> Line:
        inner = (("node", self.element.line()),)
        return Line(
            f"{self.node.match} order-preserving matching: independent set of candidate pairs, by component",
            "exponential at worst; pruned search, then sparse ILP",
            inner,
        )
