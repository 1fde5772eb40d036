"""The exact search for a core: bound, branch where the bound contradicts itself, an integer programme if need be."""

from __future__ import annotations

import math
import random
import time

from adjudge.algebra.solve import ilp
from adjudge.algebra.solve.latent_bound import Incumbent, Relaxation, tighten
from adjudge.algebra.solve.latent_core import Climber, Core

_ROOT_ROUNDS = 200
_NODE_ROUNDS = 40
_KICKS = 60
# Rounds times candidates in the search before the integer programme takes over.
_EFFORT = 4_000_000
_EASY_EFFORT = 200_000


def solve_core(core: Core, deadline: float | None) -> tuple[set[int], float, bool]:
    """The best choice of candidates, a proven upper bound on its value, and whether the choice is optimal."""
    incumbent = Incumbent(Climber(core), ilp.grid(core.weights()), set(), 0.0, set())
    root = Relaxation(core)
    bound, _ = tighten(root, incumbent, _ROOT_ROUNDS, deadline)
    if not incumbent.beats(bound):
        # Most graphs need a handful of branches; only the hard ones are worth a long climb first.
        bound = min(bound, _branch(root.copy(), bound, incumbent, deadline, _EASY_EFFORT))
    while not incumbent.beats(bound) and _kick(root, incumbent, deadline):
        bound = min(bound, tighten(root, incumbent, _ROOT_ROUNDS, deadline)[0])
    if not incumbent.beats(bound):
        bound = min(bound, _branch(root.copy(), bound, incumbent, deadline, _EFFORT))
    if not incumbent.beats(bound):
        bound = min(bound, _integer_programme(root, incumbent, deadline))
    return incumbent.chosen, max(bound, incumbent.value), incumbent.beats(bound)


def _kick(root: Relaxation, incumbent: Incumbent, deadline: float | None) -> bool:
    """Disturb the incumbent by a few candidates that may still matter and climb again; whether that helped."""
    keys = root.core.keys
    living = [p for p, alive in enumerate(root.alive) if alive]
    draw = random.Random(0)  # noqa: S311  (any fixed sequence will do)
    before = incumbent.value
    if not living:
        return False
    for _ in range(_KICKS):
        if deadline is not None and time.monotonic() > deadline:
            break
        start = set(incumbent.chosen)
        for p in draw.choices(living, k=draw.randint(1, 4)):
            row, column = keys[p]
            start = {q for q in start if keys[q][0] != row and keys[q][1] != column} | {p}
        incumbent.offer(sorted(start))
        if incumbent.value > before:
            return True
    return False


def _branch(root: Relaxation, bound: float, incumbent: Incumbent, deadline: float | None, effort: int) -> float:
    """Depth first, with the chosen candidate before without; what is left open when the effort is spent bounds it."""
    stack = [(bound, root)]
    while stack:
        bound, node = stack.pop()
        if incumbent.beats(bound):
            continue
        if effort < 0 or (deadline is not None and time.monotonic() > deadline):
            return max([bound, *(other for other, _ in stack)])
        tightened, used = tighten(node, incumbent, _NODE_ROUNDS, deadline)
        effort -= used * len(node.core.keys)
        bound = min(bound, tightened)
        if incumbent.beats(bound):
            continue
        pick = _branching_candidate(node)
        if pick is None:
            incumbent.offer(_all_decided(node))
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
    return min((q for q in _partners(node) if node.rivals_of(q)), default=None)


def _partners(node: Relaxation) -> set[int]:
    """Candidates that are not matched although matched ones count on them."""
    found = {q for _, q in node.disagreements()}
    for index, eager in node.wide_disagreements():
        found.update(p for p in node.core.wide[index][1] if p not in eager)
    return found


def _all_decided(node: Relaxation) -> list[int]:
    """The best choice of a node in which no candidate that is worth something shares a variable with another one.

    Candidates that are neither matched nor counted on have no share in anything, so they add nothing.
    """
    return sorted(_partners(node).union(node.matched))


def _integer_programme(root: Relaxation, incumbent: Incumbent, deadline: float | None) -> float:
    """The programme of Eqs. 43-47 over the candidates that can still matter, with the links aggregated.

    U_p (candidate, integer) and T (term, continuous). Of the links of p to the candidates of one other variable at most
    one counts: sum_n T[p, (m, n)] <= U_p and sum_m T[p, (m, n)] <= U_p, which contains T <= U_p and is stronger.
    """
    left = None if deadline is None else deadline - time.monotonic()
    if left is not None and left <= 0.0:
        return math.inf
    core = root.core
    candidates = [p for p, alive in enumerate(root.alive) if alive]
    column = {p: index for index, p in enumerate(candidates)}
    single, links, wide = _without_loose(core)
    weights = [max(0.0, single.get(p, core.base[p])) for p in candidates]
    groups: dict[tuple[int, int, int], list[int]] = {}
    for (p, q), weight in links.items():
        if p in column and q in column:
            for here, there in ((p, q), (q, p)):
                for side in (0, 1):
                    groups.setdefault((here, side, core.keys[there][side]), []).append(len(weights))
            weights.append(weight)
    rows = [_implies(terms, column[p]) for (p, _, _), terms in groups.items()]
    elements: dict[tuple[int, int], list[int]] = {}
    for weight, needs, *ends in [*((w, n, -1, -1) for w, n in wide), *(rival[:4] for rival in core.rivals)]:
        if all(p in column for p in needs):
            rows.extend(_implies([len(weights)], column[p]) for p in needs)
            for side, constrained in enumerate((core.match in ("1:1", "N:1"), core.match in ("1:1", "1:N"))):
                if constrained and ends[side] >= 0:
                    elements.setdefault((side, ends[side]), []).append(len(weights))
            weights.append(weight)
    for side in (0, 1):
        variables: dict[int, list[int]] = {}
        for p in candidates:
            variables.setdefault(core.keys[p][side], []).append(column[p])
        rows.extend(([(index, 1.0) for index in same], 1.0) for same in variables.values() if len(same) > 1)
    rows.extend(([(index, 1.0) for index in same], 1.0) for same in elements.values() if len(same) > 1)
    answer = ilp.maximise(weights, rows, integers=len(candidates), time_limit=left)
    if answer.ones is not None:
        incumbent.consider({candidates[index] for index in answer.ones if index < len(candidates)})
    return answer.bound


def _implies(terms: list[int], candidate: int) -> ilp.Row:
    return [*((term, 1.0) for term in terms), (candidate, -1.0)], 0.0


def _without_loose(
    core: Core,
) -> tuple[dict[int, float], dict[tuple[int, int], float], list[tuple[float, tuple[int, ...]]]]:
    """Base weights, links and wide terms less the groups that the rivals stand for."""
    loose: dict[tuple[int, ...], float] = {}
    for weight, needs in core.loose:
        loose[needs] = loose.get(needs, 0.0) + weight
    single = {needs[0]: core.base[needs[0]] - weight for needs, weight in loose.items() if len(needs) == 1}
    links = {
        (p, q): weight - loose.get((p, q), 0.0)
        for p, row in enumerate(core.links)
        for q, weight in row.items()
        if p < q
    }
    wide = [(weight - loose.get(needs, 0.0), needs) for weight, needs in core.wide]
    tiny = 1e-12
    return (
        single,
        {pair: weight for pair, weight in links.items() if weight > tiny},
        [(weight, needs) for weight, needs in wide if weight > tiny],
    )
