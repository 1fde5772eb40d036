"""Matching two sequences, partially ordered sets or directed graphs so that order is kept in both directions.

For sequences that is the heaviest chain of match points. Otherwise pairs that contradict each other are in conflict,
and the answer is the heaviest set of pairs without conflicts; conflicts are bit masks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from adjudge.algebra.solve import ilp
from adjudge.algebra.solve.chain import best_chain
from adjudge.algebra.solve.deadline import NEVER, Deadline
from adjudge.algebra.solve.matrix import by_weight, heaviest_chain

if TYPE_CHECKING:
    from adjudge.algebra.solve.matrix import Matrix

# The table of conflicts has a bit for every two pairs: this many take about 200 MB.
_MOST_PAIRS = 40_000
# Branch-and-bound nodes before a component is given to the integer programme.
_NODES = 3_000
# Vertices up to which looking for dominated ones pays.
_DOMINANCE = 1_000
# Vertices from which the greedy start counts conflicts instead of adding up what they rule out.
_MANY = 2_000
# Entries of an integer programme that are too many to be solved.
_MOST_ENTRIES = 5_000_000

Edge = tuple[int, int, float]
Match = Literal["1:1", "N:1", "1:N", "N:N"]


@dataclass(frozen=True, slots=True)
class Solution:
    """The chosen pairs and their total weight; `bound` is proven, and equals the value if `optimal`."""

    value: float
    pairs: list[Edge]
    bound: float
    optimal: bool


def order_preserving(
    edges: Sequence[Edge],
    below_s: Sequence[int],
    below_g: Sequence[int],
    *,
    match: Match = "1:1",
    deadline: Deadline = NEVER,
) -> Solution:
    """The heaviest pairs (system u, gold v, weight) such that u <= u' iff v <= v' for every two of them (Eq. 37).

    `below_s[u]` has bit u' set iff u <= u' (see `reachability`), likewise `below_g`. N:1 gives each u at most one v,
    1:N each v at most one u; on partial orders the equivalence forces 1:1 anyway. Two pairs are in conflict or not,
    so this is an independent set of greatest weight in the graph of conflicts. Pairs that weigh nothing are ignored.

    >>> from adjudge.model.graph import reachability
    >>> chain = reachability(2, [(0, 1)])
    >>> order_preserving([(0, 1, 1.0), (1, 0, 1.0), (1, 1, 0.5)], chain, chain)
    Solution(value=1.0, pairs=[(0, 1, 1.0)], bound=1.0, optimal=True)
    """
    pairs = sorted(edge for edge in edges if edge[2] > 0.0)
    ranks = _ranks({u for u, _, _ in pairs}, below_s), _ranks({v for _, v, _ in pairs}, below_g)
    if ranks[0] is not None and ranks[1] is not None:
        return _in_line(pairs, ranks[0], ranks[1])
    if len(pairs) > _MOST_PAIRS:
        return _quickly(pairs, (below_s, below_g), match, deadline)
    above_s, under_s, same_s = _pair_masks([u for u, _, _ in pairs], below_s)
    above_g, under_g, same_g = _pair_masks([v for _, v, _ in pairs], below_g)
    conflicts: list[int] = []
    for index, (u, v, _) in enumerate(pairs):
        if index % 256 == 0 and deadline.passed:
            return _quickly(pairs, (below_s, below_g), match, deadline)
        mask = (above_s[u] ^ above_g[v]) | (under_s[u] ^ under_g[v])
        if match in ("1:1", "N:1"):
            mask |= same_s[u]
        if match in ("1:1", "1:N"):
            mask |= same_g[v]
        conflicts.append(mask & ~(1 << index))
    choice = heaviest_independent([weight for _, _, weight in pairs], conflicts, deadline)
    chosen = [pairs[index] for index in choice.members]
    value = math.fsum(weight for _, _, weight in chosen)
    if choice.optimal:
        return Solution(value, chosen, choice.bound, True)
    bound = min(choice.bound, _most(pairs, match, below_s, below_g))
    return Solution(value, chosen, max(bound, value), bound <= value)


def order_preserving_many(
    matrix: Matrix, below_s: Sequence[int], below_g: Sequence[int], *, match: Match = "1:1", deadline: Deadline = NEVER
) -> Solution:
    """The same for very many pairs, given as a matrix of weights; most of them can only be tried one by one."""
    import numpy as np

    rows, columns = np.nonzero(matrix)
    if len(rows) <= _MOST_PAIRS:
        edges = list(zip(rows.tolist(), columns.tolist(), matrix[rows, columns].tolist(), strict=True))
        return order_preserving(edges, below_s, below_g, match=match, deadline=deadline)
    orders = _ranks(set(rows.tolist()), below_s), _ranks(set(columns.tolist()), below_g)
    if orders[0] is not None and orders[1] is not None:
        left, right = list(orders[0]), list(orders[1])
        found = heaviest_chain(matrix[np.ix_(left, right)], columns_strict=True)
        return Solution(found.value, [(left[i], right[j], value) for i, j, value in found.pairs], found.value, True)
    sides = ((matrix, below_g, "1:1 N:1"), (matrix.T, below_s, "1:1 1:N"))
    most = min(_most_of_rows(side, below, once=match in once) for side, below, once in sides)
    return _one_by_one(by_weight(matrix), most, (below_s, below_g), match, deadline)


def _ranks(nodes: set[int], below: Sequence[int]) -> dict[int, int] | None:
    """The places of nodes in a total order without ties, or None if they are not in one."""
    used = sum(1 << node for node in nodes)
    order = sorted(nodes, key=lambda node: -(below[node] & used).bit_count())
    rest = used
    for node in order:
        if below[node] & used != rest:
            return None
        rest &= ~(1 << node)
    return {node: place for place, node in enumerate(order)}


def _in_line(pairs: Sequence[Edge], place_s: dict[int, int], place_g: dict[int, int]) -> Solution:
    """Two total orders: the heaviest chain, no search."""
    points = {(place_s[u], place_g[v]): (u, v, weight) for u, v, weight in pairs}
    edges = [(a, b, weight) for (a, b), (_, _, weight) in points.items()]
    value, chain = best_chain(edges, rows_strict=True, columns_strict=True)
    return Solution(value, [points[a, b] for a, b, _ in chain], value, True)


def _quickly(
    pairs: Sequence[Edge], below: tuple[Sequence[int], Sequence[int]], match: Match, deadline: Deadline
) -> Solution:
    heaviest_first = sorted(pairs, key=lambda pair: (-pair[2], pair))
    return _one_by_one(heaviest_first, _most(pairs, match, *below), below, match, deadline)


def _one_by_one(
    pairs: Iterable[Edge], most: float, below: tuple[Sequence[int], Sequence[int]], match: Match, deadline: Deadline
) -> Solution:
    """Too many pairs to write down all conflicts: take what fits, the heaviest first; `most` is not exceeded."""
    chosen: list[Edge] = []
    rows: set[int] = set()
    columns: set[int] = set()
    for index, (u, v, weight) in enumerate(pairs):
        if index % 256 == 0 and chosen and deadline.passed:
            break
        if (u in rows and match in ("1:1", "N:1")) or (v in columns and match in ("1:1", "1:N")):
            continue
        if all(_agree(u, v, a, b, *below) for a, b, _ in chosen):
            chosen.append((u, v, weight))
            rows.add(u)
            columns.add(v)
    value = math.fsum(weight for _, _, weight in chosen)
    return Solution(value, sorted(chosen), max(most, value), most <= value)


def _most(pairs: Sequence[Edge], match: Match, below_s: Sequence[int], below_g: Sequence[int]) -> float:
    """What no choice exceeds: every node in its best pair, or in its pairs with nodes that are above each other.

    >>> from adjudge.model.graph import reachability
    >>> fork, ring = reachability(3, [(0, 1), (0, 2)]), reachability(3, [(0, 1), (1, 0)])
    >>> pairs = [(0, v, 1.0) for v in range(3)]
    >>> [_most(pairs, match, fork, below) for match in ("1:1", "N:N") for below in (fork, ring)]
    [1.0, 1.0, 1.0, 2.0]
    """
    rows: dict[tuple[int, int], list[float]] = {}
    columns: dict[tuple[int, int], list[float]] = {}
    for u, v, weight in pairs:  # nodes that are above each other have the same ones above them
        rows.setdefault((u, below_g[v]), []).append(weight)
        columns.setdefault((v, below_s[u]), []).append(weight)
    limits = []
    for groups, once in ((rows, "1:1 N:1"), (columns, "1:1 1:N")):
        best: dict[int, float] = {}
        for (node, _), weights in groups.items():
            best[node] = max(best.get(node, 0.0), max(weights) if match in once else math.fsum(weights))
        limits.append(math.fsum(best.values()))
    return min(limits)


def _most_of_rows(matrix: Matrix, below: Sequence[int], *, once: bool) -> float:
    """The same of a matrix for its rows; `below` is that of its columns, of which a row may have one, or several."""
    import numpy as np

    if not once and len(set(below)) < len(below):
        numbers: dict[int, int] = {}
        classes = [numbers.setdefault(each, len(numbers)) for each in below]
        matrix = matrix @ np.eye(len(numbers))[classes][: matrix.shape[1]]
    return math.fsum(matrix.max(axis=1).tolist())


def _agree(u: int, v: int, a: int, b: int, below_s: Sequence[int], below_g: Sequence[int]) -> bool:
    """Whether two pairs agree in their order."""
    return (below_s[u] >> a & 1) == (below_g[v] >> b & 1) and (below_s[a] >> u & 1) == (below_g[b] >> v & 1)


def _pair_masks(ends: list[int], below: Sequence[int]) -> tuple[dict[int, int], dict[int, int], dict[int, int]]:
    """For each node that ends a pair: the pairs whose end is above or equal, below or equal, and the node itself."""
    same: dict[int, int] = {}
    for index, node in enumerate(ends):
        same[node] = same.get(node, 0) | 1 << index
    used = sum(1 << node for node in same)
    above = dict.fromkeys(same, 0)
    under = dict.fromkeys(same, 0)
    for node in same:
        for other in bits(below[node] & used):
            above[node] |= same[other]
            under[other] |= same[node]
    return above, under, same


@dataclass(frozen=True, slots=True)
class Choice:
    """Chosen vertices in ascending order, what no choice can exceed, and whether the two meet."""

    members: list[int]
    bound: float
    optimal: bool


def heaviest_independent(weights: Sequence[float], conflicts: Sequence[int], deadline: Deadline = NEVER) -> Choice:
    """Choose vertices of the greatest total weight, bit j of `conflicts[i]` forbidding i and j together.

    Vertices without conflict are taken, dominated ones dropped, and each connected component of the rest is searched by
    itself: by branch and bound with a clique-cover bound if that ends soon, else by an integer programme over cliques.

    >>> heaviest_independent([2.0, 3.0, 2.0, 1.0], [0b0010, 0b0101, 0b0010, 0])
    Choice(members=[0, 2, 3], bound=5.0, optimal=True)
    """
    alive = 0
    for vertex, weight in enumerate(weights):
        if weight > 0.0:
            alive |= 1 << vertex
    masks = [mask & alive & ~(1 << vertex) for vertex, mask in enumerate(conflicts)]
    if len(masks) <= _DOMINANCE:
        alive = _drop_dominated(weights, masks, alive, deadline)
    members: list[int] = []
    bounds: list[float] = []
    optimal = True
    while alive:
        component = _component(masks, alive)
        alive &= ~component
        choice = _solve_component(weights, masks, component, deadline)
        members.extend(choice.members)
        bounds.append(choice.bound)
        optimal = optimal and choice.optimal
    members.sort()
    value = math.fsum(weights[vertex] for vertex in members)
    return Choice(members, value if optimal else max(value, math.fsum(bounds)), optimal)


def bits(mask: int) -> Iterator[int]:
    """The positions of the ones, ascending.

    >>> list(bits(0b1011))
    [0, 1, 3]
    """
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _drop_dominated(weights: Sequence[float], masks: list[int], alive: int, deadline: Deadline) -> int:
    """Drop b if some a in conflict with it weighs as much and forbids nothing that b does not: swap b for a."""
    todo = alive
    looked = 0
    while todo:
        looked += 1
        if looked % 64 == 0 and deadline.passed:
            break
        a = (todo & -todo).bit_length() - 1
        todo &= todo - 1
        if not alive >> a & 1:
            continue
        closed = masks[a] & alive | 1 << a
        for b in bits(masks[a] & alive):
            if weights[b] <= weights[a] and closed & ~(masks[b] | 1 << b) == 0:
                alive &= ~(1 << b)
                closed &= ~(1 << b)
                # Those that were in conflict with b forbid less now and may dominate others.
                todo |= masks[b] & alive
    return alive


def _component(masks: Sequence[int], alive: int) -> int:
    component = todo = alive & -alive
    while todo:
        reached = 0
        for vertex in bits(todo):
            reached |= masks[vertex]
        todo = reached & alive & ~component
        component |= todo
    return component


def _solve_component(weights: Sequence[float], masks: Sequence[int], component: int, deadline: Deadline) -> Choice:
    # Heavy vertices first: the first of a clique is then its bound, and ties keep the order of the input.
    order = sorted(bits(component), key=lambda vertex: -weights[vertex])
    if len(order) == 1:
        return Choice(order, weights[order[0]], True)
    values = [weights[vertex] for vertex in order]
    local = _renumbered(masks, order, deadline)
    if local is None:
        return _as_they_come(weights, masks, order)
    found = _branch(values, local, deadline)
    if not found.optimal and not deadline.passed:
        found = _integer_programme(values, local, found, deadline)
    return Choice([order[index] for index in found.members], found.bound, found.optimal)


def _renumbered(masks: Sequence[int], order: list[int], deadline: Deadline) -> list[int] | None:
    """The conflicts among the vertices of `order`, by their places in it; None when time is up."""
    if len(order) < _MANY:
        place = {vertex: index for index, vertex in enumerate(order)}
        component = sum(1 << vertex for vertex in order)
        local: list[int] = []
        for index, vertex in enumerate(order):
            if index % 64 == 63 and deadline.passed:
                return None
            local.append(sum(1 << place[other] for other in bits(masks[vertex] & component)))
        return local
    import numpy as np

    size = (len(masks) + 7) // 8
    columns = np.array(order)
    local = []
    for vertex in order:
        if deadline.passed:
            return None
        row = np.unpackbits(np.frombuffer(masks[vertex].to_bytes(size, "little"), np.uint8), bitorder="little")
        local.append(int.from_bytes(np.packbits(row[columns], bitorder="little").tobytes(), "little"))
    return local


def _as_they_come(weights: Sequence[float], masks: Sequence[int], order: list[int]) -> Choice:
    """The answer when there is no time to search: vertices in order, and the weight of all of them as the bound."""
    members: list[int] = []
    forbidden = 0
    for vertex in order:
        if not forbidden >> vertex & 1:
            members.append(vertex)
            forbidden |= masks[vertex]
    return Choice(members, math.fsum(weights[vertex] for vertex in order), False)


def _greedy(values: list[float], masks: list[int]) -> int:
    """Best weight against what it rules out, repeatedly."""
    if len(values) < _MANY:
        price = [
            value / (value + math.fsum(values[other] for other in bits(mask)))
            for value, mask in zip(values, masks, strict=True)
        ]
    else:
        price = [value / (1 + mask.bit_count()) for value, mask in zip(values, masks, strict=True)]
    chosen = forbidden = 0
    for vertex in sorted(range(len(values)), key=lambda v: (-price[v], v)):
        if not forbidden >> vertex & 1:
            chosen |= 1 << vertex
            forbidden |= masks[vertex]
    return chosen


def _cover(values: list[float], masks: list[int], rest: int) -> list[tuple[int, float]]:
    """Vertices in an order such that those up to and including one are worth at most the number beside it.

    Each clique may be used once, so it is worth its heaviest vertex: the first one taken.
    """
    steps: list[tuple[int, float]] = []
    bound = 0.0
    while rest:
        clique = rest
        bound += values[(rest & -rest).bit_length() - 1]
        while clique:
            vertex = (clique & -clique).bit_length() - 1
            steps.append((vertex, bound))
            rest ^= 1 << vertex
            clique &= masks[vertex]
    return steps


def _branch(values: list[float], masks: list[int], deadline: Deadline) -> Choice:
    best = _greedy(values, masks)
    best_value = math.fsum(values[vertex] for vertex in bits(best))
    everything = (1 << len(values)) - 1
    root = _cover(values, masks, everything)
    tolerance = 1e-12 * root[-1][1]
    # A frame: candidates, chosen so far, their weight, the cover still to be tried (from its end).
    stack = [(everything, 0, 0.0, root)]
    nodes = 0
    while stack:
        rest, chosen, weight, steps = stack.pop()
        if not steps or weight + steps[-1][1] <= best_value + tolerance:
            continue
        nodes += 1
        if nodes > _NODES or ((nodes % 64 == 0 or len(values) > _DOMINANCE) and deadline.passed):
            open_bound = max([weight + steps[-1][1]] + [w + s[-1][1] for _, _, w, s in stack if s])
            return Choice(list(bits(best)), max(best_value, open_bound), False)
        vertex, _ = steps.pop()
        rest &= ~(1 << vertex)
        stack.append((rest, chosen, weight, steps))
        inside = rest & ~masks[vertex]
        taken = chosen | 1 << vertex
        value = weight + values[vertex]
        if value > best_value:
            best, best_value = taken, value
        if inside:
            stack.append((inside, taken, value, _cover(values, masks, inside)))
    return Choice(list(bits(best)), best_value, True)


def _integer_programme(values: list[float], masks: list[int], known: Choice, deadline: Deadline) -> Choice:
    rows: list[ilp.Row] = []
    entries = 0
    for clique in _cliques(masks):
        entries += len(clique)
        if entries > _MOST_ENTRIES or deadline.passed:
            return known
        rows.append(([(vertex, 1.0) for vertex in clique], 1.0))
    answer = ilp.maximise(values, rows, integers=len(values), deadline=deadline)
    value = math.fsum(values[vertex] for vertex in known.members)
    members = known.members
    if answer.ones is not None:
        found = math.fsum(values[vertex] for vertex in answer.ones)
        if found > value or answer.optimal:
            members, value = answer.ones, found
    bound = max(value, min(answer.bound, known.bound))
    return Choice(members, bound, answer.optimal)


def _cliques(masks: list[int]) -> Iterator[list[int]]:
    """Maximal cliques that together contain every conflict: one row each is far stronger than a row per conflict."""
    uncovered = list(masks)
    for vertex in range(len(masks)):
        while uncovered[vertex]:
            clique = [vertex]
            members = 1 << vertex
            common = masks[vertex]
            while common:
                # Conflicts that no clique holds yet come first.
                pick = common & uncovered[vertex] or common
                other = (pick & -pick).bit_length() - 1
                clique.append(other)
                members |= 1 << other
                common &= masks[other]
            for member in clique:
                uncovered[member] &= ~members
            yield sorted(clique)
