"""The exact search for a core: bound, branch where the bound contradicts itself, an integer programme if need be."""

from __future__ import annotations

import math
import random
import time
from dataclasses import dataclass

from adjudge.algebra.solve import ilp
from adjudge.algebra.solve.assignment import max_weight_matching, priced_matching
from adjudge.algebra.solve.ilp import ceiling, settled
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


_NOTHING = 1e-12
# Rounds after which a problem counts as hard enough for thorough climbing.
_EASY = 4


@dataclass(slots=True)
class Incumbent:
    """The best choice so far, the climber that improves it, and the step between possible values (0: unknown)."""

    climber: Climber
    step: float
    chosen: set[int]
    value: float
    seen: set[frozenset[int]]

    def offer(self, candidates: list[int], *, thorough: bool = True) -> None:
        """Climb from a choice, unless it was tried before, and keep the better one."""
        start = frozenset(candidates)
        if start in self.seen:
            return
        self.seen.add(start)
        self.consider(self.climber.climb(candidates, thorough=thorough))
        if self.climber.core.rivals:
            # Climbing goes by the optimistic value and may lose real value on the way.
            self.consider(set(candidates))

    def consider(self, choice: set[int]) -> None:
        """Keep a choice if it is better than the best so far."""
        value = self.climber.core.exact(choice)
        if value > self.value:
            self.chosen, self.value = choice, value

    def beats(self, bound: float) -> bool:
        """Whether nothing under the bound can be better."""
        return settled(self.value, bound, self.step)


class Relaxation:
    """The split of every link, and what each candidate is worth under it; candidates can be excluded."""

    __slots__ = ("alive", "core", "matched", "picked", "shares", "wide_at", "wide_shares", "worth")

    def __init__(self, core: Core) -> None:
        size = len(core.keys)
        self.core = core
        self.alive = [True] * size
        self.shares = [{q: weight / 2 for q, weight in links.items()} for links in core.links]
        self.wide_shares = [dict.fromkeys(needs, weight / len(needs)) for weight, needs in core.wide]
        self.wide_at: dict[int, list[int]] = {}
        for index, (_, needs) in enumerate(core.wide):
            for p in needs:
                self.wide_at.setdefault(p, []).append(index)
        self.worth = [0.0] * size
        self.picked: list[set[int]] = [set()] * size
        self.matched: list[int] = []
        for p in range(size):
            self._appraise(p)

    def copy(self) -> Relaxation:
        """An independent one to branch on."""
        twin = object.__new__(Relaxation)
        twin.core, twin.wide_at, twin.matched = self.core, self.wide_at, self.matched
        twin.alive, twin.worth, twin.picked = self.alive.copy(), self.worth.copy(), self.picked.copy()
        twin.shares = [shares.copy() for shares in self.shares]
        twin.wide_shares = [shares.copy() for shares in self.wide_shares]
        return twin

    def exclude(self, candidates: list[int]) -> None:
        """Forbid candidates; what their partners hoped to get from them is gone."""
        touched: set[int] = set()
        for p in candidates:
            self.alive[p] = False
            self.worth[p] = 0.0
            touched.update(self.shares[p])
            for index in self.wide_at.get(p, ()):
                touched.update(self.core.wide[index][1])
        for p in touched:
            self._appraise(p)

    def rivals_of(self, p: int) -> list[int]:
        """The living candidates that share a variable with p."""
        row, column = self.core.keys[p]
        return [q for q, (r, c) in enumerate(self.core.keys) if (r == row or c == column) and q != p and self.alive[q]]

    def _appraise(self, p: int) -> None:
        if not self.alive[p]:
            return
        keys, alive = self.core.keys, self.alive
        wanted = [(*keys[q], share) for q, share in self.shares[p].items() if share > _NOTHING and alive[q]]
        partners = [q for q, share in self.shares[p].items() if share > _NOTHING and alive[q]]
        rows = {row for row, _, _ in wanted}
        columns = {column for _, column, _ in wanted}
        if len(rows) == len(wanted) == len(columns):
            value = math.fsum(share for _, _, share in wanted)
            self.picked[p] = set(partners)
        else:
            value, best = max_weight_matching(wanted)
            named = {(row, column): q for (row, column, _), q in zip(wanted, partners, strict=True)}
            self.picked[p] = {named[row, column] for row, column, _ in best}
        for index in self.wide_at.get(p, ()):
            if all(alive[q] for q in self.core.wide[index][1]):
                value += max(0.0, self.wide_shares[index][p])
        self.worth[p] = self.core.base[p] + value

    def bound(self) -> tuple[float, dict[int, float], dict[int, float]]:
        """The assignment bound with its prices; `matched` is left behind."""
        table: dict[int, dict[int, float]] = {}
        index: dict[tuple[int, int], int] = {}
        for p, (row, column) in enumerate(self.core.keys):
            if self.alive[p] and self.worth[p] > _NOTHING:
                table.setdefault(row, {})[column] = self.worth[p]
                index[row, column] = p
        mate, row_price, column_price = priced_matching(table)
        self.matched = [index[pair] for pair in mate.items()]
        total = math.fsum(self.worth[p] for p in self.matched)
        return self.core.constant + total, row_price, column_price

    def exclude_hopeless(
        self, bound: float, row_price: dict[int, float], column_price: dict[int, float], incumbent: Incumbent
    ) -> None:
        """Exclude candidates with which nothing can beat the incumbent."""
        limit = ceiling(incumbent.value, incumbent.step)
        hopeless = []
        for p, (alive, worth, (row, column)) in enumerate(zip(self.alive, self.worth, self.core.keys, strict=True)):
            if alive:
                slack = row_price.get(row, 0.0) + column_price.get(column, 0.0) - worth
                if slack > 0.0 and bound - slack <= limit:
                    hopeless.append(p)
        if hopeless:
            self.exclude(hopeless)

    def disagreements(self) -> list[tuple[int, int]]:
        """Links (p, q) that the matched p counts on although q is not matched or does not count on p."""
        matched = set(self.matched)
        return [
            (p, q)
            for p in self.matched
            for q in self.picked[p]
            if self.alive[q] and (q not in matched or p not in self.picked[q])
        ]

    def wide_disagreements(self) -> list[tuple[int, list[int]]]:
        """Wide terms that some of their candidates count on and others do not, with the former."""
        matched = set(self.matched)
        found = []
        for index, (_, needs) in enumerate(self.core.wide):
            if all(self.alive[p] for p in needs):
                eager = [p for p in needs if p in matched and self.wide_shares[index][p] > _NOTHING]
                if 0 < len(eager) < len(needs):
                    found.append((index, eager))
        return found

    def shift(self, amount: float, links: list[tuple[int, int]], wide: list[tuple[int, list[int]]]) -> None:
        """Move `amount` of share from the ends that count on a term to the ends that do not."""
        touched: set[int] = set()
        for p, q in links:
            self.shares[p][q] -= amount
            self.shares[q][p] += amount
            touched.update((p, q))
        for index, eager in wide:
            shares = self.wide_shares[index]
            part = len(eager) / len(shares)
            for p in shares:
                shares[p] += 2.0 * amount * (part - (p in eager))
            touched.update(shares)
        for p in touched:
            self._appraise(p)


def tighten(relaxation: Relaxation, incumbent: Incumbent, rounds: int, deadline: float | None) -> tuple[float, int]:
    """Push the bound down for some rounds, or until the incumbent is proven best; the bound and the rounds used.

    Steps after Polyak (1969): in proportion to the gap, more cautious when the bound does not move.
    """
    best = math.inf
    caution, stalled = 1.0, 0
    for used in range(1, rounds + 1):
        bound, row_price, column_price = relaxation.bound()
        if used % 4 == 1 or relaxation.core.exact(set(relaxation.matched)) > incumbent.value:
            incumbent.offer(relaxation.matched, thorough=used > _EASY)
        stalled = 0 if bound < best - 1e-3 * max(1e-9, best - incumbent.value) else stalled + 1
        best = min(best, bound)
        if incumbent.beats(best) or (deadline is not None and time.monotonic() > deadline):
            return best, used
        if stalled >= 5:
            caution, stalled = caution * 0.6, 0
        if caution < 0.02:
            return best, used
        relaxation.exclude_hopeless(bound, row_price, column_price, incumbent)
        links, wide = relaxation.disagreements(), relaxation.wide_disagreements()
        if not links and not wide:
            # The matched candidates agree with each other, so the bound is their value unless some were just excluded.
            if all(relaxation.alive[p] for p in relaxation.matched):
                return best, used
            continue
        gap = bound - incumbent.value - incumbent.step / 2
        relaxation.shift(caution * gap / (len(links) + len(wide)), links, wide)
    return best, rounds
