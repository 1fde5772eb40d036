"""Operators that search: graphs whose order must agree, and latent variables."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from adjudge.algebra import ir
from adjudge.algebra.access import getter, kind
from adjudge.algebra.operators.bag import elements, prepared_each
from adjudge.algebra.operators.base import (
    GOLD,
    SYSTEM,
    Context,
    Line,
    Mapping,
    Memo,
    Misfit,
    Misfits,
    Op,
    Table,
    expected,
    freeze,
    read_field,
    short,
    step,
)
from adjudge.algebra.operators.collection import CollectionOp, GreedyOp, Items, SetOp
from adjudge.algebra.operators.combine import UnionOp
from adjudge.algebra.operators.leaf import VariableOp
from adjudge.algebra.operators.record import FieldsOp, RecordOp, SumOp, below
from adjudge.algebra.operators.wrap import MappedOp, NormaliseOp, Wrapper
from adjudge.algebra.solve.order import order_preserving
from adjudge.errors import UsageError
from adjudge.model.graph import reachability

if TYPE_CHECKING:
    from adjudge.algebra.align import Report


def remembered(op: Op, s: Any, g: Any, ctx: Context) -> Any:
    """A search already made for these two values in this evaluation."""
    return ctx.solved.get((id(op), id(s), id(g))) if ctx.mapping is None else None


def remember(op: Op, s: Any, g: Any, ctx: Context, solution: Any) -> None:
    """Keep a search, and note if it was not finished."""
    if not solution.optimal:
        ctx.optimal = False
    if ctx.mapping is None:
        ctx.solved[id(op), id(s), id(g)] = solution


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
                prepared = prepared_each(self.element, items, side, memo)
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

    def reduce(self, table: Table, s: Any, g: Any, ctx: Context) -> tuple[float, Table]:
        solution = remembered(self, s, g, ctx)
        if solution is None:
            solution = order_preserving(table, s.reach, g.reach, match=self.node.match, deadline=ctx.deadline)
            remember(self, s, g, ctx, solution)
        return (solution.bound if ctx.upper else solution.value), solution.pairs

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


class LatentOp(Wrapper):
    """The best over all matchings of variables.

    If the value is a sum of set matchings whose elements mention variables only in fields, it is linear in the
    candidate pairs, which has a search of its own; anything else is searched by branch and bound over the variables.
    """

    def __init__(self, inner: Op) -> None:
        super().__init__(inner)
        self.exact = self.blocking = self.rational = False
        self.nested = True
        self.linear = _is_linear(inner)
        if _greedy_above_variables(inner):
            raise UsageError(
                "variables cannot stand inside a greedy matching: a better variable matching may make it worse",
                hint="use set_of(...) instead of greedy(...) inside latent(...)",
            )

    def variables(self, p: Any) -> tuple[Hashable, ...]:
        return ()

    def solve(self, s: Any, g: Any, ctx: Context) -> Found:
        """The search itself; a search below it that is not finished leaves this one unproven too."""
        search = self._solve_linear if self.linear else self._solve_by_search
        own = replace(ctx, mapping=None, optimal=True, upper=False)
        found = search(s, g, own)
        if own.optimal:
            return found
        if own.cuts.made:  # then the bound is that of the whole
            return replace(found, optimal=False)
        above = search(s, g, replace(own, upper=True))
        return replace(found, bound=max(above.bound, found.value), optimal=False)

    def _solve_linear(self, s: Any, g: Any, ctx: Context) -> Found:
        from adjudge.algebra.solve.latent import best_variable_matching

        sets, constant, factor, _ = _linear_parts(self.inner, s, g, ctx, "", "")
        making = replace(ctx, deadline=ctx.deadline.part(2))  # the other half is for the search
        numbers: tuple[dict[Hashable, int], dict[Hashable, int]] = ({}, {})
        candidates: list[tuple[float, tuple[tuple[int, int], ...], int, int]] = []
        places: list[tuple[int, int, int, float]] = []
        match: Literal["1:1", "N:1", "1:N", "N:N"] = "N:N"
        offset = 0
        for which, (op, left, right, _, _) in enumerate(sets):
            assert op.match != "best"
            match = op.match
            element = op.element
            known = ([element.variables(p) for p in left.prepared], [element.variables(p) for p in right.prepared])
            for number, (a, b, value) in enumerate(element.table(left.prepared, right.prepared, making)):
                if number % 1024 == 0 and making.out_of_time():
                    break
                links = tuple(
                    dict.fromkeys(
                        (numbers[0].setdefault(x, len(numbers[0])), numbers[1].setdefault(y, len(numbers[1])))
                        for x, y in zip(known[0][a], known[1][b], strict=True)
                    )
                )
                places.append((which, a, b, value))
                candidates.append((value, links, offset + a, offset + b))
            offset += max(left.size, right.size)
        ctx.optimal = ctx.optimal and making.optimal
        free = all(_follows_from_variables(op, left, right) for op, left, right, _, _ in sets)
        # Where the variables decide everything, an element with one variable is just a weight on a variable pair.
        unary: dict[tuple[int, int], float] = {}
        pairs = candidates
        if free:
            pairs = [candidate for candidate in candidates if len(candidate[1]) > 1]
            for value, links, _, _ in candidates:
                if len(links) == 1:
                    unary[links[0]] = unary.get(links[0], 0.0) + value
        solution = best_variable_matching(
            unary, pairs, element_match=match, elements_exclusive=not free, deadline=ctx.deadline
        )
        names = (list(numbers[0]), list(numbers[1]))
        mapping = {names[0][k]: names[1][m] for k, m in solution.mapping.items()}
        if free:
            matched = set(solution.mapping.items())
            chosen = [
                place for place, candidate in zip(places, candidates, strict=True) if matched.issuperset(candidate[1])
            ]
        else:
            chosen = [places[index] for index in solution.chosen]
        value, bound = (solution.value + constant) * factor, (solution.bound + constant) * factor
        return Found(value, bound, solution.optimal, mapping, chosen)

    def _solve_by_search(self, s: Any, g: Any, ctx: Context) -> Found:
        from adjudge.algebra.solve.latent import branch_and_bound

        left = list(dict.fromkeys(self.inner.variables(s)))
        right = list(dict.fromkeys(self.inner.variables(g)))

        def evaluate(decided: dict[int, int], open_: set[int]) -> float:
            mapping = Mapping({left[k]: right[m] for k, m in decided.items()}, {left[k] for k in open_})
            under = replace(ctx, mapping=mapping, solved={}, optimal=True)
            value = self.inner.pair(s, g, under)
            ctx.optimal = ctx.optimal and under.optimal
            return value

        best = branch_and_bound(range(len(left)), range(len(right)), evaluate, ctx.deadline)
        found = {left[k]: right[m] for k, m in best.mapping.items()}
        return Found(best.value, best.bound, best.optimal, found, [])

    def _solution(self, s: Any, g: Any, ctx: Context) -> Found:
        found: Found | None = remembered(self, s, g, ctx)
        if found is None:
            found = self.solve(s, g, ctx)
            remember(self, s, g, ctx, found)
        return found

    def pair(self, s: Any, g: Any, ctx: Context) -> float:
        found = self._solution(s, g, ctx)
        value = found.bound if ctx.upper else found.value
        if self.linear and isinstance(self.inner, NormaliseOp):
            return self.inner._value(value, s, g)
        return value

    def table(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context, floor: float = 0.0) -> Table:
        # Without a mapping the inner table is optimistic: it names every pair that can be above zero.
        out: Table = []
        for i, j, _ in self.inner.table(ss, gs, replace(ctx, mapping=None, solved={})):
            if ctx.out_of_time():
                break
            value = self.pair(ss[i], gs[j], ctx)
            if value > 0:
                out.append((i, j, value))
        return out

    ratio = Op.ratio

    def align(self, s: Any, g: Any, sp: str, gp: str, report: Report, ctx: Context) -> None:
        solution = self._solution(s, g, ctx)
        report.variables(sp, {_shown(a): _shown(b) for a, b in solution.mapping.items()})
        if not self.linear:
            mapping = Mapping(solution.mapping, set())
            self.inner.align(s, g, sp, gp, report, replace(ctx, mapping=mapping, solved={}))
            return
        sets, _, _, others = _linear_parts(self.inner, s, g, replace(ctx, mapping=None), sp, gp)
        for which, (op, left, right, here, there) in enumerate(sets):
            pairs = [(a, b, value) for at, a, b, value in solution.chosen if at == which]
            op.report_pairs(pairs, left, right, here, there, report, ctx)
        for other, left, right, here, there in others:
            other.align(left, right, here, there, report, ctx)

    def line(self) -> Line:
        how = "components, bounds and branches" if self.linear else "branch and bound over the variables"
        inner = self.inner.line()
        return Line(f"best variable matching: {how}", "exponential at worst", (("under it", inner),))


@dataclass(frozen=True, slots=True)
class Found:
    """A variable matching with its value, the proven bound, and the element pairs it makes."""

    value: float
    bound: float
    optimal: bool
    mapping: dict[Hashable, Hashable]
    chosen: list[tuple[int, int, int, float]]


def _shown(name: Any) -> Any:
    return name[1] if isinstance(name, tuple) and len(name) == 2 and name[0] == "variable" else name


def _mentions(op: Op) -> bool:
    """Whether variables occur below an operator (not counting those already bound)."""
    if isinstance(op, VariableOp):
        return True
    if isinstance(op, LatentOp):
        return False
    return any(_mentions(inner) for inner in _inside(op))


def _greedy_above_variables(op: Op) -> bool:
    if isinstance(op, GreedyOp):
        return _mentions(op)
    return not isinstance(op, LatentOp) and any(_greedy_above_variables(inner) for inner in _inside(op))


def _inside(op: Op) -> list[Op]:
    if isinstance(op, Wrapper):
        extra = [op.recall] if isinstance(op, NormaliseOp) and op.recall is not None else []
        return [op.inner, *extra]
    if hasattr(op, "element"):
        return [op.element]
    ops = getattr(op, "ops", ())
    return list(ops.values()) if isinstance(ops, dict) else list(ops)


def _is_linear(op: Op, top: bool = True) -> bool:
    """Whether the value is a constant plus a weighted sum over candidate pairs of set elements."""
    if isinstance(op, NormaliseOp):
        return top and op.recall is None and not op.undefined and _is_linear(op.inner, False)
    if isinstance(op, MappedOp):
        return _is_linear(op.inner, False)
    if isinstance(op, SumOp):
        inner = [part for part in op.ops.values() if _mentions(part)]
        sets = [found for part in inner for found in _sets(part)]
        same = len({each.match for each in sets}) <= 1
        return same and all(_is_linear(part, False) and not _has_factor(part) for part in inner)
    if isinstance(op, RecordOp):
        inner = [part for part in op.ops.values() if _mentions(part)]
        return len(inner) == 1 and _is_linear(inner[0], False)
    return isinstance(op, SetOp) and op.match != "best" and not op.empty and _in_fields_only(op.element)


def _has_factor(op: Op) -> bool:
    """Whether a record multiplies what is inside a sum."""
    if isinstance(op, RecordOp):
        return len(op.ops) > 1 or any(_has_factor(part) for part in op.ops.values())
    return not isinstance(op, SetOp) and any(_has_factor(part) for part in _inside(op))


def _sets(op: Op) -> list[SetOp]:
    return [op] if isinstance(op, SetOp) else [found for inner in _inside(op) for found in _sets(inner)]


def _in_fields_only(op: Op) -> bool:
    """Whether each variable of an element stands in a field, a case or under a map: factors of a product."""
    if isinstance(op, VariableOp) or not _mentions(op):
        return True
    if isinstance(op, RecordOp | UnionOp | MappedOp):
        return all(_in_fields_only(inner) for inner in _inside(op))
    return False


def _follows_from_variables(op: SetOp, left: Any, right: Any) -> bool:
    """Whether matching variables one-to-one already makes the element matching one-to-one."""
    if op.duplicates == "multiset" or not _exact_but_for_variables(op.element):
        return False
    return all(op.element.variables(p) for side in (left, right) for p in side.prepared)


def _exact_but_for_variables(op: Op) -> bool:
    if op.exact or isinstance(op, VariableOp):
        return True
    if isinstance(op, RecordOp | UnionOp | MappedOp):
        return all(_exact_but_for_variables(inner) for inner in _inside(op))
    return False


def _linear_parts(
    op: Op, s: Any, g: Any, ctx: Context, sp: str, gp: str
) -> tuple[list[tuple[SetOp, Any, Any, str, str]], float, float, list[tuple[Op, Any, Any, str, str]]]:
    """The sets that mention variables, the constant beside them, the factor before them, and variable-free parts."""
    if isinstance(op, SetOp):
        return [(op, s, g, sp, gp)], 0.0, 1.0, []
    if isinstance(op, NormaliseOp):
        return _linear_parts(op.inner, s[0], g[0], ctx, sp, gp)
    if isinstance(op, MappedOp):
        return _linear_parts(op.inner, s, g, ctx, op._marked(sp, SYSTEM), op._marked(gp, GOLD))
    sets: list[tuple[SetOp, Any, Any, str, str]] = []
    others: list[tuple[Op, Any, Any, str, str]] = []
    constant, factor = 0.0, 1.0
    assert isinstance(op, FieldsOp)
    left, right = op.parts(s), op.parts(g)
    for k, (name, part) in enumerate(op.ops.items()):
        here, there = below(sp, name), below(gp, name)
        if _mentions(part):
            found, extra, inner_factor, rest = _linear_parts(part, left[k], right[k], ctx, here, there)
            sets += found
            others += rest
            constant += extra
            factor *= inner_factor
        else:
            others.append((part, left[k], right[k], here, there))
            if isinstance(op, SumOp):
                constant += part.pair(left[k], right[k], ctx)
            else:
                factor *= part.pair(left[k], right[k], ctx)
    return sets, constant, factor, others
