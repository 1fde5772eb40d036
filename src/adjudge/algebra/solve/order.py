"""Matching two partially ordered sets (or directed graphs) so that order is kept in both directions."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from adjudge.algebra.solve.independent import bits, heaviest_independent
from adjudge.algebra.solve.sequence import best_chain

# The table of conflicts has a bit for every two pairs: this many take about 200 MB.
_MOST_PAIRS = 40_000

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
    time_limit: float | None = None,
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
    deadline = None if time_limit is None else time.monotonic() + time_limit
    ranks = _ranks({u for u, _, _ in pairs}, below_s), _ranks({v for _, v, _ in pairs}, below_g)
    if ranks[0] is not None and ranks[1] is not None:
        return _in_line(pairs, ranks[0], ranks[1])
    if len(pairs) > _MOST_PAIRS:
        return _one_by_one(pairs, below_s, below_g, match, deadline)
    above_s, under_s, same_s = _pair_masks([u for u, _, _ in pairs], below_s)
    above_g, under_g, same_g = _pair_masks([v for _, v, _ in pairs], below_g)
    conflicts: list[int] = []
    for index, (u, v, _) in enumerate(pairs):
        if deadline is not None and index % 256 == 0 and time.monotonic() > deadline:
            return _one_by_one(pairs, below_s, below_g, match, deadline)
        mask = (above_s[u] ^ above_g[v]) | (under_s[u] ^ under_g[v])
        if match in ("1:1", "N:1"):
            mask |= same_s[u]
        if match in ("1:1", "1:N"):
            mask |= same_g[v]
        conflicts.append(mask & ~(1 << index))
    left = None if deadline is None else max(1e-9, deadline - time.monotonic())
    choice = heaviest_independent([weight for _, _, weight in pairs], conflicts, left)
    chosen = [pairs[index] for index in choice.members]
    return Solution(math.fsum(weight for _, _, weight in chosen), chosen, choice.bound, choice.optimal)


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


def _one_by_one(
    pairs: Sequence[Edge], below_s: Sequence[int], below_g: Sequence[int], match: Match, deadline: float | None
) -> Solution:
    """Too many pairs to write down all conflicts: take the heaviest that still fit, and say that it is not proven."""
    chosen: list[Edge] = []
    for index, (u, v, weight) in enumerate(sorted(pairs, key=lambda pair: (-pair[2], pair))):
        if deadline is not None and index % 256 == 0 and chosen and time.monotonic() > deadline:
            break
        if all(_agree(u, v, a, b, below_s, below_g, match) for a, b, _ in chosen):
            chosen.append((u, v, weight))
    value = math.fsum(weight for _, _, weight in chosen)
    rows: dict[int, float] = {}
    columns: dict[int, float] = {}
    for u, v, weight in pairs:
        rows[u], columns[v] = max(rows.get(u, 0.0), weight), max(columns.get(v, 0.0), weight)
    limits = [
        math.fsum(best.values()) for best, matches in ((rows, "1:1 N:1"), (columns, "1:1 1:N")) if match in matches
    ]
    bound = min([*limits, math.fsum(weight for _, _, weight in pairs)])
    return Solution(value, sorted(chosen), max(bound, value), bound <= value)


def _agree(u: int, v: int, a: int, b: int, below_s: Sequence[int], below_g: Sequence[int], match: Match) -> bool:
    """Whether two pairs may stand together."""
    if (u == a and match in ("1:1", "N:1")) or (v == b and match in ("1:1", "1:N")):
        return False
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
