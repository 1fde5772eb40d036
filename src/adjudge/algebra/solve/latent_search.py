"""The exact search for a core: bound, branch where the bound contradicts itself, and an integer programme if need be."""

from __future__ import annotations

import time

from adjudge.algebra.solve import ilp
from adjudge.algebra.solve.latent_bound import Incumbent, Relaxation, tighten
from adjudge.algebra.solve.latent_core import Climber, Core

_ROOT_ROUNDS = 200
_NODE_ROUNDS = 40
# Rounds times candidates in the search before the integer programme takes over.
_EFFORT = 4_000_000


def solve_core(core: Core, deadline: float | None) -> tuple[set[int], float, bool]:
    """The best choice of candidates, a proven upper bound on its value, and whether the choice is optimal."""
    incumbent = Incumbent(Climber(core), ilp.grid(core.weights()), set(), 0.0, set())
    root = Relaxation(core)
    bound, used = tighten(root, incumbent, _ROOT_ROUNDS, deadline)
    if not incumbent.beats(bound):
        bound = _branch(root.copy(), bound, incumbent, _EFFORT - used * len(core.keys), deadline)
    if not incumbent.beats(bound):
        bound = min(bound, _integer_programme(root, incumbent, deadline))
    return incumbent.chosen, max(bound, incumbent.value), incumbent.beats(bound)


def _branch(root: Relaxation, bound: float, incumbent: Incumbent, effort: int, deadline: float | None) -> float:
    """Depth first, with the chosen candidate before without; what is left open when the effort is spent bounds it."""
    stack = [(bound, root)]
    while stack:
        bound, node = stack.pop()
        if incumbent.beats(bound):
            continue
        if effort < 0 or (deadline is not None and time.monotonic() > deadline):
            return max(bound, *(other for other, _ in stack), incumbent.value) if stack else bound
        tightened, used = tighten(node, incumbent, _NODE_ROUNDS, deadline)
        effort -= used * len(node.core.keys)
        bound = min(bound, tightened)
        if incumbent.beats(bound):
            continue
        pick = _branching_candidate(node)
        if pick is None:
            continue
        without = node.copy()
        without.exclude([pick])
        stack.append((bound, without))
        node.exclude(node.rivals_of(pick))
        stack.append((bound, node))
    return incumbent.value


def _branching_candidate(node: Relaxation) -> int | None:
    """The undecided candidate whose links the bound is least sure about; None if nothing is left to decide."""
    doubt = dict.fromkeys(node.matched, 0.0)
    for p, q in node.disagreements():
        doubt[p] += node.shares[p][q]
    for index, eager in node.wide_disagreements():
        for p in eager:
            doubt[p] += node.wide_shares[index][p]
    for p in sorted(doubt, key=lambda p: (-doubt[p], p)):
        if node.rivals_of(p):
            return p
    # Everything matched is decided; what it counts on may still be open.
    partners = [q for _, q in node.disagreements()]
    partners += [p for index, eager in node.wide_disagreements() for p in node.core.wide[index][1] if p not in eager]
    return min(partners, default=None)
