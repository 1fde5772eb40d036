"""Latent variables: their best matching, by a specialised search where the value is linear."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec.structs import replace

from adjudge.algebra.operators.base import GOLD, SYSTEM, Context, Line, Mapping, Op, Table
from adjudge.algebra.operators.collection import GreedyOp, SetOp
from adjudge.algebra.operators.combine import UnionOp
from adjudge.algebra.operators.leaf import VariableOp
from adjudge.algebra.operators.record import FieldsOp, RecordOp, SumOp, below
from adjudge.algebra.operators.search import remember, remembered
from adjudge.algebra.operators.wrap import MappedOp, NormaliseOp, Wrapper
from adjudge.errors import UsageError

if TYPE_CHECKING:
    from adjudge.algebra.align import Report
    from adjudge.algebra.solve.deadline import Deadline
    from adjudge.algebra.solve.latent import Element, ElementPair, Guess, Solution

_LARGE = 20_000  # candidates, from which on a guess is made first
_TOO_MANY = 1_000_000  # candidates that are too many to be searched


class LatentOp(Wrapper):
    """The best over all matchings of variables.

    If the value is a sum of set matchings whose elements mention variables only in fields, it is linear in the
    candidate pairs and has a specialised search; anything else is searched by branch and bound over the variables.
    """

    def __init__(self, inner: Op) -> None:
        super().__init__(inner)
        self.exact = self.blocking = self.rational = False
        self.nested = True
        self.linear = _is_linear(inner)
        if _greedy_above_variables(inner):
            raise UsageError(
                "variables cannot be inside a greedy matching: a better variable matching may make it worse",
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
        free = all(_follows_from_variables(op, left, right) for op, left, right, _, _ in sets)
        known = Elements(sets, ctx.deadline) if free else None
        if known is not None and known.candidates > _LARGE and (known.solved or known.candidates > _TOO_MANY):
            return known.found(constant, factor)
        making = replace(ctx, deadline=ctx.deadline.part(2), cuts=replace(ctx.cuts))  # the other half is for the search
        made = Candidates(sets, making)
        unary: dict[tuple[int, int], float] = {}
        pairs = made.pairs
        if free:  # an element with one variable is just a weight on a variable pair
            pairs = [candidate for candidate in pairs if len(candidate[1]) > 1]
            for value, links, _, _ in made.pairs:
                if len(links) == 1:
                    unary[links[0]] = unary.get(links[0], 0.0) + value
        solution = best_variable_matching(
            unary,
            pairs,
            element_match=made.match,
            elements_exclusive=not free,
            deadline=ctx.deadline,
            start=None if known is None else lambda: (made.numbered(known), known.guess.most),
        )
        if making.cuts.made and known is None:
            ctx.cuts.made, ctx.optimal = True, False
        if known is not None and (making.cuts.made or not solution.optimal):
            if len(known.guess.pairs) > solution.value:
                return known.found(constant, factor, math.inf if making.cuts.made else solution.bound)
            bound = float(known.guess.most) if making.cuts.made else min(solution.bound, known.guess.most)
            solution = replace(solution, bound=bound, optimal=solution.value >= bound)
        chosen = made.chosen(solution, free)
        value, bound = (solution.value + constant) * factor, (solution.bound + constant) * factor
        return Found(value, bound, solution.optimal, made.names(solution.mapping), chosen)

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


class Found(msgspec.Struct, frozen=True):
    """A variable matching with its value, the proven bound, and the element pairs it makes."""

    value: float
    bound: float
    optimal: bool
    mapping: dict[Hashable, Hashable]
    chosen: list[tuple[int, int, int, float]]


Sets = list[tuple[SetOp, Any, Any, str, str]]


class Elements:
    """The elements of sets whose matching follows from that of their variables, and a first guess of the latter."""

    def __init__(self, sets: Sets, deadline: Deadline) -> None:
        self.deadline = deadline
        self.names: tuple[dict[Hashable, int], dict[Hashable, int]] = ({}, {})
        self.sides: tuple[list[Element], list[Element]] = ([], [])
        self.places: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
        kinds: dict[Hashable, int] = {}
        for which, (op, *both, _, _) in enumerate(sets):
            for names, elements, places, side in zip(self.names, self.sides, self.places, both, strict=True):
                for a, p in enumerate(side.prepared):
                    kind = kinds.setdefault((which, op.element.block(p)), len(kinds))
                    variables = tuple(names.setdefault(v, len(names)) for v in op.element.variables(p))
                    elements.append((kind, variables))
                    places.append((which, a))

    @cached_property
    def candidates(self) -> int:
        """How many pairs of elements there are that some matching makes equal."""
        left, right = (Counter(kind for kind, _ in side) for side in self.sides)
        return sum(count * right[kind] for kind, count in left.items())

    @cached_property
    def guess(self) -> Guess:
        """The first guess."""
        from adjudge.algebra.solve.latent import guess

        return guess(*self.sides, self.deadline.part(2))

    @property
    def solved(self) -> bool:
        """Whether the guess reaches its bound."""
        return len(self.guess.pairs) == self.guess.most

    def found(self, constant: float, factor: float, bound: float = math.inf) -> Found:
        """The guess as an answer; no answer exceeds `bound`."""
        names = [list(each) for each in self.names]
        mapping = {names[0][k]: names[1][m] for k, m in self.guess.mapping.items()}
        chosen = [(*self.places[0][i], self.places[1][j][1], 1.0) for i, j in self.guess.pairs]
        value, most = float(len(chosen)), min(bound, self.guess.most)
        return Found((value + constant) * factor, (most + constant) * factor, value >= most, mapping, chosen)


class Candidates:
    """Pairs of elements that may be matched, with what is needed for it: variables are numbers as they come."""

    def __init__(self, sets: Sets, ctx: Context) -> None:
        self.numbers: tuple[dict[Hashable, int], dict[Hashable, int]] = ({}, {})
        self.pairs: list[ElementPair] = []
        self.places: list[tuple[int, int, int, float]] = []
        self.match: Literal["1:1", "N:1", "1:N", "N:N"] = "N:N"
        left, right = self.numbers
        offset = 0
        for which, (op, one, other, _, _) in enumerate(sets):
            assert op.match != "best"
            self.match = op.match
            element = op.element
            known = [element.variables(p) for p in one.prepared], [element.variables(p) for p in other.prepared]
            for number, (a, b, value) in enumerate(element.table(one.prepared, other.prepared, ctx)):
                if number % 1024 == 0 and ctx.out_of_time():
                    break
                links = dict.fromkeys(
                    (left.setdefault(x, len(left)), right.setdefault(y, len(right)))
                    for x, y in zip(known[0][a], known[1][b], strict=True)
                )
                self.places.append((which, a, b, value))
                self.pairs.append((value, tuple(links), offset + a, offset + b))
            offset += max(one.size, other.size)

    def numbered(self, known: Elements) -> dict[int, int]:
        """A guess, as far as there are candidates for it."""
        names = [list(each) for each in known.names]
        named = ((names[0][k], names[1][m]) for k, m in known.guess.mapping.items())
        left, right = self.numbers
        return {left[x]: right[y] for x, y in named if x in left and y in right}

    def names(self, mapping: dict[int, int]) -> dict[Hashable, Hashable]:
        """A matching of numbers as one of variables."""
        names = [list(each) for each in self.numbers]
        return {names[0][k]: names[1][m] for k, m in mapping.items()}

    def chosen(self, solution: Solution, free: bool) -> list[tuple[int, int, int, float]]:
        """The pairs of elements that are matched; `free` if that follows from the variables."""
        if not free:
            return [self.places[index] for index in solution.chosen]
        matched = set(solution.mapping.items())
        return [place for place, pair in zip(self.places, self.pairs, strict=True) if matched.issuperset(pair[1])]


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
) -> tuple[Sets, float, float, list[tuple[Op, Any, Any, str, str]]]:
    """The sets that mention variables, the constant beside them, the factor before them, and variable-free parts."""
    if isinstance(op, SetOp):
        return [(op, s, g, sp, gp)], 0.0, 1.0, []
    if isinstance(op, NormaliseOp):
        return _linear_parts(op.inner, s[0], g[0], ctx, sp, gp)
    if isinstance(op, MappedOp):
        return _linear_parts(op.inner, s, g, ctx, op._marked(sp, SYSTEM), op._marked(gp, GOLD))
    sets: Sets = []
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
