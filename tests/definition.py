"""The slow, obvious implementation: each node by its definition, in exact fractions, comparing everything.

It exists to be believed. It shares no code with the planner's operators, uses no index, no solver and no floating
point, and is the oracle of the property tests. Exponential in places; meant for a handful of elements.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import definition_leaves
from adjudge.algebra import ir
from adjudge.errors import ValidationError
from definition_values import (
    ONE,
    ZERO,
    apply,
    both,
    bounds,
    case_of,
    chain,
    cut,
    edit_distance,
    field,
    frozen,
    hierarchy,
    offsets,
    overlap,
    product,
    same,
    simple,
)

Variables = dict[Any, Any]


@dataclass(frozen=True, slots=True)
class ReferenceObservation:
    """The matching value and the two self scores."""

    value: float
    system: float
    gold: float
    optimal: bool = True
    bound: float | None = None


class Reference:
    """A similarity, evaluated by definition."""

    def __init__(self, node: ir.Similarity) -> None:
        self.node = ir.with_conventions(node, ir.Conventions())

    def observe(self, gold: Any, system: Any) -> ReferenceObservation:
        """The three numbers of one document."""
        value = phi(self.node, system, gold, {})
        return ReferenceObservation(float(value), float(own(self.node, system, 0)), float(own(self.node, gold, 1)))


def phi(node: ir.Similarity, s: Any, g: Any, variables: Variables) -> Fraction:
    """phi(s, g) under a given matching of variables."""
    match node:
        case ir.Exact():
            return Fraction(same(s, g))
        case ir.Record():
            return product(phi(part, *both(s, g, name), variables) for name, part in node.fields.items())
        case ir.Sum():
            return sum((phi(part, *both(s, g, name), variables) for name, part in node.fields.items()), ZERO)
        case ir.Union():
            case = case_of(node, s)
            return phi(node.cases[case].of, s, g, variables) if case == case_of(node, g) else ZERO
        case ir.Mapped():
            return phi(node.of, apply(node, s, 0), apply(node, g, 1), variables)
        case ir.Threshold():
            return cut(node, phi(node.of, s, g, variables))
        case ir.Max():
            return max(phi(part, s, g, variables) for part in node.of)
        case ir.Unit():
            return phi(node.of, s, g, variables)
        case ir.Hierarchy():
            return hierarchy(node, s, g)
        case ir.Overlap():
            left, right = distinct(node.of, s, 0, node.duplicates), distinct(node.of, g, 1, node.duplicates)
            shared = best_pairing(node.of, left, right, variables)
            return overlap(node.by, shared, Fraction(len(left)), Fraction(len(right)))
        case ir.Span():
            here, there = offsets(node, s), offsets(node, g)
            return overlap(node.by, Fraction(len(here & there)), Fraction(len(here)), Fraction(len(there)))
        case ir.Edit():
            longer = max(len(s), len(g))
            return 1 - Fraction(edit_distance(s, g), longer) if longer else ONE
        case ir.Number():
            return max(ZERO, 1 - abs(simple(s) - simple(g)) / simple(node.scale))
        case ir.Custom():
            if node.key is not None and node.key(s) != node.key(g):
                return ZERO
            return max(ZERO, Fraction(node.function(s, g)))
        case ir.Variable():
            return Fraction(s in variables and variables[s] == g)
        case ir.Latent():
            return max(phi(node.of, s, g, each) for each in variable_matchings(node.of, s, g))
        case ir.Leaves():
            return Fraction(definition_leaves.worth(node.schema, g, s)[0])
        case ir.Normalise():
            return normalise(node, s, g, variables)
        case ir.Set():
            left, right = distinct(node.of, s, 0, node.duplicates), distinct(node.of, g, 1, node.duplicates)
            if not left and not right:
                return Fraction(node.empty or 0)
            return matching(node.match, [[phi(node.of, x, y, variables) for y in right] for x in left])
        case ir.Greedy():
            left, right = distinct(node.of, s, 0, node.duplicates), distinct(node.of, g, 1, node.duplicates)
            if not left and not right:
                return Fraction(node.empty or 0)
            return greedy(node, left, right, [[phi(node.of, x, y, variables) for y in right] for x in left])
        case ir.Sequence():
            if not s and not g:
                return Fraction(node.empty or 0)
            return monotone(node.match, [[phi(node.of, x, y, variables) for y in g] for x in s])
        case ir.Graph():
            return graph(node, s, g, variables)


def own(node: ir.Similarity, x: Any, side: int) -> Fraction:
    """phi(x, x) on one side: for a matching the sum of its elements' own scores."""
    match node:
        case ir.Record():
            return product(own(part, field(x, name), side) for name, part in node.fields.items())
        case ir.Sum():
            return sum((own(part, field(x, name), side) for name, part in node.fields.items()), ZERO)
        case ir.Union():
            return own(node.cases[case_of(node, x)].of, x, side)
        case ir.Mapped():
            return own(node.of, apply(node, x, side), side)
        case ir.Threshold():
            return cut(node, own(node.of, x, side))
        case ir.Max():
            return max(own(part, x, side) for part in node.of)
        case ir.Overlap():
            size = Fraction(len(distinct(node.of, x, side, node.duplicates)))
            return overlap(node.by, size, size, size)
        case ir.Span():
            size = Fraction(len(offsets(node, x)))
            return overlap(node.by, size, size, size)
        case ir.Custom():
            return max(ZERO, Fraction(node.function(x, x) if node.self_score is None else node.self_score))
        case ir.Latent():
            return own(node.of, x, side)
        case ir.Leaves():
            return Fraction(definition_leaves.leaves(node.schema, x, of_gold=side == 1))
        case ir.Normalise():
            inner = node.recall if node.recall is not None and side == 1 else node.of
            return ONE if own(inner, x, side) > 0 else Fraction(node.undefined or 0)
        case ir.Set() | ir.Greedy():
            items = distinct(node.of, x, side, node.duplicates)
            scores = [own(node.of, item, side) for item in items]
            if not items:
                return Fraction(node.empty or 0)
            return max(scores) if isinstance(node, ir.Set) and node.match == "best" else sum(scores, ZERO)
        case ir.Sequence():
            return sum((own(node.of, item, side) for item in x), ZERO) if x else Fraction(node.empty or 0)
        case ir.Graph():
            items = list(field(x, node.nodes))
            return sum((own(node.of, item, side) for item in items), ZERO) if items else Fraction(node.empty or 0)
        case _:
            return ONE


def seen(node: ir.Similarity, x: Any, side: int) -> Any:
    """What a similarity can see of a value: two elements of a set are duplicates if this is the same."""
    match node:
        case ir.Record() | ir.Sum():
            return tuple(seen(part, field(x, name), side) for name, part in node.fields.items())
        case ir.Union():
            case = case_of(node, x)
            return (case, seen(node.cases[case].of, x, side))
        case ir.Mapped():
            return seen(node.of, apply(node, x, side), side)
        case ir.Threshold() | ir.Unit() | ir.Latent():
            return seen(node.of, x, side)
        case ir.Normalise():
            first = seen(node.of, x, side)
            return first if node.recall is None else (first, seen(node.recall, x, side))
        case ir.Max():
            return tuple(seen(part, x, side) for part in node.of)
        case ir.Leaves():
            records = definition_leaves.records(node.schema, x)
            of = definition_leaves.record_shape(node.schema)
            return definition_leaves.bag(definition_leaves.seen(node.schema, of, each) for each in records)
        case ir.Hierarchy():
            return tuple(chain(node, x))
        case ir.Span():
            return frozen(offsets(node, x)) or ("empty span", bounds(node, x))
        case ir.Overlap() | ir.Set() | ir.Greedy():
            items = [seen(node.of, item, side) for item in x]
            if node.duplicates == "multiset":
                return frozenset((item, items.count(item)) for item in items)
            return frozenset(items)
        case ir.Sequence():
            return tuple(seen(node.of, item, side) for item in x)
        case ir.Graph():
            items = list(field(x, node.nodes))
            order = reachable(node, x)
            return (tuple(seen(node.of, item, side) for item in items), tuple(map(tuple, order)))
        case _:
            return frozen(x)


def distinct(node: ir.Similarity, items: Iterable[Any], side: int, duplicates: str | None) -> list[Any]:
    """The elements of a collection under the declared treatment of duplicates."""
    kept: list[Any] = []
    known: list[Any] = []
    for item in items:
        if duplicates != "multiset":
            mark = seen(node, item, side)
            if mark in known:
                if duplicates == "error":
                    raise ValidationError(f"{item!r} occurs twice", hint="remove one of them")
                continue
            known.append(mark)
        kept.append(item)
    return kept


def normalise(node: ir.Normalise, s: Any, g: Any, variables: Variables) -> Fraction:
    """Precision, recall, F or Jaccard of a matching value."""
    undefined = Fraction(node.undefined or 0)

    def divide(top: Fraction, bottom: Fraction) -> Fraction:
        return top / bottom if bottom else undefined

    other = node.recall if node.recall is not None else node.of
    value, self_s = phi(node.of, s, g, variables), own(node.of, s, 0)
    back, self_g = phi(other, s, g, variables), own(other, g, 1)
    if node.by == "precision":
        return divide(value, self_s)
    if node.by == "recall":
        return divide(back, self_g)
    if node.by == "jaccard":
        return divide(value, self_s + own(node.of, g, 1) - value)
    square = Fraction(str(node.beta)) ** 2
    if node.recall is None:
        return divide((1 + square) * value, square * self_g + self_s)
    p, r = divide(value, self_s), divide(back, self_g)
    return (1 + square) * p * r / (square * p + r) if p or r else ZERO


def matching(match: str, table: list[list[Fraction]]) -> Fraction:
    """The best matching by trying everything."""
    columns = range(len(table[0])) if table else range(0)
    if match == "N:N":
        return sum((value for row in table for value in row), ZERO)
    if match == "best":
        return max((value for row in table for value in row), default=ZERO)
    if match == "N:1":
        return sum((max(row, default=ZERO) for row in table), ZERO)
    if match == "1:N":
        return sum((max((row[j] for row in table), default=ZERO) for j in columns), ZERO)

    # A pair that nobody else wants is taken; one that is worth nothing need not be tried.
    wanted = [[j for j in columns if row[j]] for row in table]
    suitors = [sum(j in row for row in wanted) for j in columns]
    alone = [len(row) == 1 and suitors[row[0]] == 1 for row in wanted]
    total = sum((table[i][row[0]] for i, row in enumerate(wanted) if alone[i]), ZERO)
    rest = [i for i, row in enumerate(wanted) if row and not alone[i]]

    @cache
    def best(at: int, used: frozenset[int]) -> Fraction:
        if at == len(rest):
            return ZERO
        i = rest[at]
        options = [table[i][j] + best(at + 1, used | {j}) for j in wanted[i] if j not in used]
        return max([best(at + 1, used), *options])

    return total + best(0, frozenset())


def best_pairing(node: ir.Similarity, left: list[Any], right: list[Any], variables: Variables) -> Fraction:
    """The number of equal elements, each used once."""
    free = list(right)
    count = 0
    for x in left:
        for place, y in enumerate(free):
            if phi(node, x, y, variables) == 1:
                del free[place]  # by place: to `remove`, true is 1
                count += 1
                break
    return Fraction(count)


def greedy(node: ir.Greedy, left: list[Any], right: list[Any], table: list[list[Fraction]]) -> Fraction:
    """The greedy matching, one step at a time."""
    rows, columns = list(range(len(left))), list(range(len(right)))
    total = ZERO
    if node.order == "score":
        while True:
            open_ = [(i, j) for i in rows for j in columns if table[i][j] > 0]
            if not open_:
                return total
            key: Callable[[tuple[int, int]], Any] = (
                (lambda p: (-table[p[0]][p[1]], p[0], p[1]))
                if node.ties == "system"
                else (lambda p: (-table[p[0]][p[1]], p[1], p[0]))
            )
            i, j = min(open_, key=key)
            total += table[i][j]
            rows.remove(i)
            columns.remove(j)
    lead, free = (rows, columns) if node.order == "system" else (columns, rows)
    items = left if node.order == "system" else right
    if node.rank is not None:
        rank = node.rank.function
        lead = sorted(lead, key=lambda a: -rank(items[a]))
    for a in lead:
        scores = {b: table[a][b] if node.order == "system" else table[b][a] for b in free}
        options = [b for b in free if scores[b] > 0]
        if options:
            b = options[0] if node.take == "first" else max(options, key=lambda b: (scores[b], -b))
            total += scores[b]
            free.remove(b)
    return total


def monotone(match: str, table: list[list[Fraction]]) -> Fraction:
    """The best matching of two sequences that keeps their order, by recursion over their beginnings."""
    width = len(table[0]) if table else 0
    best = [[ZERO] * (width + 1) for _ in range(len(table) + 1)]
    for i, row in enumerate(table, 1):
        for j, value in enumerate(row, 1):
            options = [best[i - 1][j], best[i][j - 1], best[i - 1][j - 1] + value]
            if match in ("1:N", "N:N"):
                options.append(best[i][j - 1] + value)
            if match in ("N:1", "N:N"):
                options.append(best[i - 1][j] + value)
            best[i][j] = max(options)
    return best[-1][-1]


def reachable(node: ir.Graph, x: Any) -> list[list[bool]]:
    """Which node reaches which, by walking the edges until nothing changes."""
    items = list(field(x, node.nodes))
    if node.ids == "index":
        names: list[Any] = list(range(len(items)))
    else:
        names = items if node.ids == "value" else [field(item, node.ids) for item in items]
    reach = [[i == j for j in range(len(items))] for i in range(len(items))]
    for source, target in field(x, node.edges):
        reach[names.index(source)][names.index(target)] = True
    for k, i, j in itertools.product(range(len(items)), repeat=3):
        reach[i][j] = reach[i][j] or (reach[i][k] and reach[k][j])
    return reach


def graph(node: ir.Graph, s: Any, g: Any, variables: Variables) -> Fraction:
    """The best set of compatible node pairs, by trying every subset."""
    left, right = list(field(s, node.nodes)), list(field(g, node.nodes))
    if not left and not right:
        return Fraction(node.empty or 0)
    above, below = reachable(node, s), reachable(node, g)
    pairs = [(i, j, phi(node.of, x, y, variables)) for i, x in enumerate(left) for j, y in enumerate(right)]
    pairs = [pair for pair in pairs if pair[2] > 0]

    def agree(p: tuple[int, int, Fraction], q: tuple[int, int, Fraction]) -> bool:
        if node.match in ("1:1", "N:1") and p[0] == q[0]:
            return False
        if node.match in ("1:1", "1:N") and p[1] == q[1]:
            return False
        return above[p[0]][q[0]] == below[p[1]][q[1]] and above[q[0]][p[0]] == below[q[1]][p[1]]

    def best(at: int, chosen: list[tuple[int, int, Fraction]]) -> Fraction:
        if at == len(pairs):
            return sum((value for _, _, value in chosen), ZERO)
        without = best(at + 1, chosen)
        if all(agree(pairs[at], other) for other in chosen):
            return max(without, best(at + 1, [*chosen, pairs[at]]))
        return without

    return best(0, [])


def variable_matchings(node: ir.Similarity, s: Any, g: Any) -> Iterable[Variables]:
    """All one-to-one matchings of the variables; larger ones are never worse, so only full ones are listed."""
    left, right = sorted(set(mentions(node, s, 0)), key=repr), sorted(set(mentions(node, g, 1)), key=repr)
    if len(left) <= len(right):
        for chosen in itertools.permutations(right, len(left)):
            yield dict(zip(left, chosen, strict=True))
    else:
        for chosen in itertools.permutations(left, len(right)):
            yield dict(zip(chosen, right, strict=True))


def mentions(node: ir.Similarity, x: Any, side: int) -> Iterable[Any]:
    """The variables in a value."""
    match node:
        case ir.Variable():
            yield x
        case ir.Record() | ir.Sum():
            for name, part in node.fields.items():
                yield from mentions(part, field(x, name), side)
        case ir.Union():
            yield from mentions(node.cases[case_of(node, x)].of, x, side)
        case ir.Mapped():
            yield from mentions(node.of, apply(node, x, side), side)
        case ir.Max():
            for part in node.of:
                yield from mentions(part, x, side)
        case ir.Set() | ir.Greedy() | ir.Sequence() | ir.Overlap():
            for item in x:
                yield from mentions(node.of, item, side)
        case ir.Graph():
            for item in field(x, node.nodes):
                yield from mentions(node.of, item, side)
        case ir.Threshold() | ir.Unit():
            yield from mentions(node.of, x, side)
        case ir.Normalise():
            yield from mentions(node.of, x, side)
            if node.recall is not None:
                yield from mentions(node.recall, x, side)
