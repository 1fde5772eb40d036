"""Maximum-weight one-to-one matching of a sparse bipartite graph: exact, and cheap where the problem is easy.

Graphs that come from comparing two structures have few edges per vertex and a clear favourite among them, so augmenting
paths stay short and plain Python is fast. Only a large dense graph, or a large one full of ties, is handed to scipy.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from adjudge.algebra.solve.deadline import NEVER, Deadline

Edge = tuple[int, int, float]
Graph = dict[int, dict[int, float]]
EdgeT = TypeVar("EdgeT", bound=tuple[Any, ...])

# Measured: Python wins on small and on sparse graphs, where a call of scipy would also have to pay for its import.
_LARGE = 1_000  # edges
_SPARSE = 10  # cells of the full matrix per edge
_PATIENCE = 25  # looks at each edge, on average


def max_weight_matching(edges: Sequence[Edge]) -> tuple[float, list[Edge]]:
    """The heaviest set of edges (row, column, weight) that share no row and no column, as (total, sorted edges).

    max sum w_ij T_ij, sum_j T_ij <= 1, sum_i T_ij <= 1 (Eq. 13 with 1:1). Edges that do not weigh more than 0 are
    ignored and never returned. The answer depends on the edges as a set, not on their order. Among equally heavy
    matchings a star gives its lowest row or column; beyond that, which of them is returned is fixed but unspecified.

    >>> max_weight_matching([(0, 0, 0.9), (0, 1, 0.8), (1, 0, 0.7), (1, 1, 0.1), (2, 1, 0.3)])
    (1.5, [(0, 1, 0.8), (1, 0, 0.7)])
    """
    useful = [edge for edge in edges if edge[2] > 0.0]
    if not useful:
        return 0.0, []
    if len(useful) == 1:
        return useful[0][2], useful
    if len({edge[0] for edge in useful}) == len(useful) == len({edge[1] for edge in useful}):
        useful.sort()
        return math.fsum(edge[2] for edge in useful), useful
    weight, rows, columns = _adjacency(useful)
    matched = _closed_form(rows, columns) or _general(rows, columns, len(useful))
    chosen = [(row, matched[row], weight[row, matched[row]]) for row in sorted(matched)]
    return math.fsum(edge[2] for edge in chosen), chosen


def fitting(edges: Iterable[EdgeT]) -> list[EdgeT]:
    """The edges (row, column, ...) that share no row and no column with an earlier one: a greedy matching.

    >>> fitting([(0, 0, 0.9), (1, 0, 0.8), (1, 1, 0.1)])
    [(0, 0, 0.9), (1, 1, 0.1)]
    """
    rows: set[int] = set()
    columns: set[int] = set()
    kept = []
    for edge in edges:
        if edge[0] not in rows and edge[1] not in columns:
            rows.add(edge[0])
            columns.add(edge[1])
            kept.append(edge)
    return kept


def _adjacency(edges: list[Edge]) -> tuple[dict[tuple[int, int], float], Graph, Graph]:
    """The edges by row and by column, neighbours in ascending order whatever the order of the input."""
    weight: dict[tuple[int, int], float] = {}
    rows: Graph = {}
    columns: Graph = {}
    for row, column, value in sorted(edges):
        weight[row, column] = value
        rows.setdefault(row, {})[column] = value
        columns.setdefault(column, {})[row] = value
    return weight, rows, columns


def _closed_form(rows: Graph, columns: Graph) -> dict[int, int] | None:
    """A star, or two rows and two columns: no search needed."""
    if len(rows) == 1:
        ((row, mine),) = rows.items()
        return {row: max(mine, key=mine.__getitem__)}
    if len(columns) == 1:
        ((column, mine),) = columns.items()
        return {max(mine, key=mine.__getitem__): column}
    if len(rows) == len(columns) == 2:
        (a, first), (b, second) = rows.items()
        x, y = columns
        straight = first.get(x, 0.0) + second.get(y, 0.0)
        crossed = first.get(y, 0.0) + second.get(x, 0.0)
        pairs = ((a, x), (b, y)) if straight >= crossed else ((a, y), (b, x))
        return {row: column for row, column in pairs if column in rows[row]}
    return None


def _general(rows: Graph, columns: Graph, edges: int) -> dict[int, int]:
    weights = {weight for mine in rows.values() for weight in mine.values()}
    if len(weights) == 1:
        return _most_edges(rows)
    if edges < _LARGE or edges * _SPARSE < len(rows) * len(columns):
        matched = _augment(rows, _PATIENCE * edges)
        if matched is not None:
            return matched
    return _by_scipy(rows, sorted(columns))


def _augment(rows: Graph, budget: int) -> dict[int, int] | None:
    """The matching of `priced_matching`, or None when more than `budget` edges were looked at.

    Counted, not timed, so that the same input always takes the same way.
    """
    answer = _augmenting_paths(rows, budget)
    return None if answer is None else answer[0]


def priced_matching(
    rows: Graph, deadline: Deadline = NEVER
) -> tuple[dict[int, int], dict[int, float], dict[int, float]]:
    """The heaviest matching {row: column} of {row: {column: weight > 0}}, with prices of rows and columns as proof.

    price[row] + price[column] >= weight for every edge, all prices >= 0, and they sum to the total weight. So an edge
    that is to be in the matching costs at least price[row] + price[column] - weight. `OutOfTime` if time is up.

    >>> priced_matching({0: {0: 3.0, 1: 2.0}, 1: {0: 2.0}})
    ({0: 1, 1: 0}, {0: 2.0, 1: 1.0}, {0: 1.0, 1: 0})
    """
    answer = _augmenting_paths(rows, None, deadline)
    assert answer is not None
    return answer


def lexicographic(edges: Sequence[tuple[int, int, Sequence[int]]]) -> list[tuple[int, int, int]]:
    """Edges whose weights are several whole numbers, the first of which decides first, with one number instead.

    Among matchings of these, more of an earlier number outweighs everything that the later ones can add up to.

    >>> lexicographic([(0, 0, (1, 0)), (0, 1, (1, 2)), (1, 1, (2, 5))])
    [(0, 0, 8), (0, 1, 10), (1, 1, 21)]
    """
    weights = [0] * len(edges)
    factor = 1
    for level in reversed(range(len(edges[0][2]))):
        most: dict[int, int] = {}
        for place, (row, _, each) in enumerate(edges):
            value = each[level]
            weights[place] += factor * value
            most[row] = max(most.get(row, 0), value)
        factor *= 1 + sum(most.values())
    return [(row, column, weight) for (row, column, _), weight in zip(edges, weights, strict=True)]


def exact_matching(edges: Sequence[tuple[int, int, int]], deadline: Deadline = NEVER) -> list[tuple[int, int]]:
    """The heaviest matching of edges whose weights are whole numbers of any size.

    >>> exact_matching([(0, 0, 10**30 + 1), (0, 1, 10**30), (1, 0, 10**30), (1, 1, 2)])
    [(0, 1), (1, 0)]
    """
    rows: Graph = {}
    for row, column, weight in edges:
        if weight > 0:
            rows.setdefault(row, {})[column] = weight
    return sorted(priced_matching(rows, deadline)[0].items())


def first_heaviest(rows: Mapping[int, Mapping[int, int]], deadline: Deadline = NEVER) -> dict[int, int]:
    """Of all heaviest matchings {row: column} of whole weights > 0, the first: rows in order take their first column.

    A row that stays alone comes last. A matching is heaviest if and only if all its edges are tight (price[row] +
    price[column] = weight) and whoever stays alone has a price of 0. With a partner for those who may stay alone, it is
    a perfect matching of tight edges; and a row can have a column if whoever had it finds a way to the row's old one.

    >>> first_heaviest({0: {0: 1, 1: 1}, 1: {0: 1, 1: 1}, 2: {1: 1}})
    {0: 0, 1: 1}
    """
    mate, row_price, column_price = priced_matching({row: dict(own) for row, own in rows.items() if own}, deadline)
    alone = max(column_price, default=0) + 1  # row r alone has the column alone + r, column c the row -1 - c
    tight: dict[int, list[int]] = {}
    for row in row_price:
        own = [each for each, weight in rows[row].items() if row_price[row] + column_price[each] == weight]
        tight[row] = sorted(own) + ([alone + row] if not row_price[row] else [])
    free = [alone + row for row in row_price]
    owner = {column: row for row, column in mate.items()}
    owner |= {alone + row: row for row in row_price if row not in mate}
    owner |= {column: -1 - column for column in column_price if column not in owner}
    # Partners of those who are not alone belong together, in any way.
    used = set(owner.values())
    lonely = [-1 - column for column in column_price if -1 - column not in used]
    owner |= zip([column for column in free if column not in owner], lonely, strict=True)
    has = {row: column for column, row in owner.items()}
    fixed: set[int] = set()

    def _way(start: int, goal: int, column: int) -> list[tuple[int, int]] | None:
        """Who takes what if `start` loses its column and `goal` is free, None if there is no way."""
        via: dict[int, int] = {}
        todo, met = [start], False  # whether the partners of columns have been met, who all have the same choice
        while todo and goal not in via:
            here = todo.pop()
            ahead = tight[here] if here >= 0 else [-1 - here] * (not column_price[-1 - here])
            if here < 0 and not met:
                met, ahead = True, ahead + free
            for each in ahead:
                if each != column and each not in via and (each == goal or owner[each] not in fixed):
                    via[each] = here
                    if each != goal:
                        todo.append(owner[each])
        if goal not in via:
            return None
        steps, here, each = [(via[goal], goal)], via[goal], goal
        while here != start:
            each = has[here]
            here = via[each]
            steps.append((here, each))
        return steps

    for row in sorted(row_price):
        deadline.check()
        for column in tight[row]:
            if column == has[row]:
                break
            if owner[column] in fixed:
                continue
            way = _way(owner[column], has[row], column)
            if way is not None:
                for here, each in way:
                    has[here], owner[each] = each, here
                has[row], owner[column] = column, row
                break
        fixed.add(row)
    return {row: has[row] for row in sorted(row_price) if has[row] < alone}


def _augmenting_paths(
    rows: Graph, budget: int | None, deadline: Deadline = NEVER
) -> tuple[dict[int, int], dict[int, float], dict[int, float]] | None:
    """Successive shortest augmenting paths (Tomizawa 1971; Edmonds and Karp 1972), one row at a time.

    A row may also give up (the path then ends there at the cost of its price), which makes the matching maximal in
    weight, not in size.
    """
    left = math.inf if budget is None else budget
    row_price = {row: max(mine.values()) for row, mine in rows.items()}
    column_price: dict[int, float] = {column: 0 for mine in rows.values() for column in mine}
    owner: dict[int, int] = {}
    mate: dict[int, int] = {}
    for number, start in enumerate(rows):
        if number >= 64:
            deadline.check()
        # Dijkstra from `start`: `via` is the row from which a column is reached cheapest.
        best: dict[int, float] = {}
        via: dict[int, int] = {}
        settled: dict[int, float] = {}
        heap: list[tuple[float, bool, int]] = []
        row: int = start
        travelled: float = 0
        limit, quitter = row_price[start], start
        end = -1
        while True:
            base = travelled + row_price[row]
            mine = rows[row]
            left -= len(mine)
            for column, weight in mine.items():
                cost = base - weight + column_price[column]
                if cost < limit and cost < best.get(column, math.inf) and column not in settled:
                    best[column] = cost
                    via[column] = row
                    heapq.heappush(heap, (cost, column in owner, column))
            while heap and heap[0][2] in settled:
                heapq.heappop(heap)
            if not heap or heap[0][0] >= limit:
                break
            travelled, occupied, column = heapq.heappop(heap)
            if not occupied:
                end = column
                break
            settled[column] = travelled
            row = owner[column]
            if travelled + row_price[row] < limit:
                limit, quitter = travelled + row_price[row], row
        if left < 0:
            return None
        final = travelled if end >= 0 else limit
        row_price[start] -= final
        for column, value in settled.items():
            row_price[owner[column]] -= final - value
            column_price[column] += final - value
        if end < 0 and quitter != start:
            end = mate.pop(quitter)
        while end >= 0:
            row = via[end]
            owner[end] = row
            mate[row], end = end, mate.get(row, -1)
    return mate, row_price, column_price


def _most_edges(rows: Graph) -> dict[int, int]:
    """The largest matching, for equal weights: disjoint shortest augmenting paths in phases (Hopcroft, Karp 1973)."""
    mate: dict[int, int] = {}
    owner: dict[int, int] = {}
    for row, mine in rows.items():
        column = next((column for column in mine if column not in owner), None)
        if column is not None:
            mate[row] = column
            owner[column] = row
    while True:
        free = [row for row in rows if row not in mate]
        layer = dict.fromkeys(free, 0)
        todo, found = free, False
        while todo and not found:
            ahead: list[int] = []
            for row in todo:
                for column in rows[row]:
                    other = owner.get(column)
                    if other is None:
                        found = True
                    elif other not in layer:
                        layer[other] = layer[row] + 1
                        ahead.append(other)
            todo = ahead
        if not found:
            return mate
        # Each row's columns are tried once per phase, so a phase looks at every edge at most once.
        untried = {row: iter(rows[row]) for row in layer}
        for start in free:
            path, steps = [start], list[int]()
            while path:
                row = path[-1]
                column = next(untried[row], None)
                if column is None:
                    path.pop()
                    if steps:
                        steps.pop()
                    continue
                other = owner.get(column)
                if other is None:
                    steps.append(column)
                    for row, step in zip(path, steps, strict=True):
                        mate[row] = step
                        owner[step] = row
                    break
                if layer.get(other) == layer[row] + 1:
                    path.append(other)
                    steps.append(column)


def _by_scipy(rows: Graph, names: list[int]) -> dict[int, int]:
    """For large graphs that are dense or full of ties: 80 times faster than paths one by one on 500 x 500 products."""
    import numpy as np
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    place = {column: index for index, column in enumerate(names)}
    # Each row gets a column of its own with weight 0 (so a full matching exists); stored zeros would be dropped, hence
    # costs are shifted to lie above 0, which changes every full matching by the same amount.
    values: list[float] = []
    where: list[int] = []
    bounds = [0]
    top = 2.0 * max(max(mine.values()) for mine in rows.values())
    for index, mine in enumerate(rows.values()):
        values.extend(top - value for value in mine.values())
        values.append(top)
        where.extend(place[column] for column in mine)
        where.append(len(names) + index)
        bounds.append(len(where))
    graph = csr_matrix((np.array(values), np.array(where), np.array(bounds)), shape=(len(rows), len(names) + len(rows)))
    labels = list(rows)
    chosen = zip(*min_weight_full_bipartite_matching(graph), strict=True)
    return {labels[i]: names[j] for i, j in chosen if j < len(names)}
