"""Choosing candidate pairs of variables one-to-one, with a reward for going together: the exact search.

A core is one connected problem. It is bounded by splitting every reward between its candidates, and branched where the
bound contradicts itself; what the bound suggests is improved by local moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Literal

import msgspec

from adjudge.algebra.solve.assignment import fitting, max_weight_matching, priced_matching
from adjudge.algebra.solve.deadline import NEVER, Deadline, OutOfTime
from adjudge.algebra.solve.ilp import ceiling, grid, settled

Pair = tuple[int, int]
Match = Literal["1:1", "N:1", "1:N", "N:N"]
# weight, candidates that must all be chosen, system element, gold element, index in the caller's list
Rival = tuple[float, tuple[int, ...], int, int, int]

_ROOT_ROUNDS = 200
_NODE_ROUNDS = 40
_NOTHING = 1e-12
# A move must gain more than rounding.
_GAIN = 1e-9
# Shares of links that the open branches may hold together, for memory's sake (some 500 MB).
_MOST_SHARES = 5_000_000


def match_elements(pairs: Sequence[tuple[float, int, int, int]], match: Match) -> tuple[float, list[int]]:
    """The best total weight of (weight, system element, gold element, index) under the constraint, and the indices."""
    if match == "N:N":
        return math.fsum(pair[0] for pair in pairs), [pair[3] for pair in pairs]
    if match == "1:1":
        best: dict[Pair, tuple[float, int]] = {}
        for weight, s, g, index in pairs:
            if (s, g) not in best or weight > best[s, g][0]:
                best[s, g] = weight, index
        value, chosen = max_weight_matching([(s, g, weight) for (s, g), (weight, _) in best.items()])
        return value, [best[s, g][1] for s, g, _ in chosen]
    top: dict[int, tuple[float, int]] = {}
    for weight, s, g, index in pairs:
        element = s if match == "N:1" else g
        if element not in top or weight > top[element][0]:
            top[element] = weight, index
    return math.fsum(weight for weight, _ in top.values()), [index for _, index in top.values()]


class Core(msgspec.Struct, frozen=True):
    """Candidates (system variable, gold variable) by index, what each is worth alone, what two of them (links) or more
    (wide terms) are worth together, and elements that several such groups compete for (rivals).

    Where rivals exist, links and wide terms over-estimate and `exact` tells the truth.
    """

    keys: list[Pair]
    base: list[float]
    links: list[dict[int, float]]
    wide: list[tuple[float, tuple[int, ...]]] = msgspec.field(default_factory=list)
    # Groups that enter the terms above as if they had their elements for themselves, and the pairs they stand for.
    loose: list[tuple[float, tuple[int, ...]]] = msgspec.field(default_factory=list)
    rivals: list[Rival] = msgspec.field(default_factory=list)
    match: Match = "N:N"
    constant: float = 0.0

    def optimistic(self, chosen: set[int]) -> float:
        """What the chosen candidates are worth if no group has to share an element."""
        parts = [self.constant, *(self.base[p] for p in chosen)]
        for p in chosen:
            links = self.links[p]
            if len(links) < len(chosen):
                parts.extend(weight for q, weight in links.items() if q < p and q in chosen)
            else:
                parts.extend(links[q] for q in chosen if q < p and q in links)
        parts.extend(weight for weight, needs in self.wide if chosen.issuperset(needs))
        return math.fsum(parts)

    def exact(self, chosen: set[int]) -> float:
        """What the chosen candidates are really worth."""
        value = self.optimistic(chosen)
        if not self.rivals:
            return value
        active = [(weight, s, g, i) for weight, needs, s, g, i in self.rivals if chosen.issuperset(needs)]
        promised = math.fsum(weight for weight, needs in self.loose if chosen.issuperset(needs))
        return value - promised + match_elements(active, self.match)[0]

    def weights(self) -> Iterable[float]:
        """Every number that a value may be a sum of."""
        yield from self.base
        for links in self.links:
            yield from links.values()
        yield from (weight for weight, _ in self.wide)
        yield from (rival[0] for rival in self.rivals)


def climb(core: Core, start: Iterable[int], deadline: Deadline = NEVER) -> set[int]:
    """A choice, from a given one, that no move of a system variable to another gold variable improves by the links.

    A system variable that is displaced takes the place of the one that moves. `gain` has what every candidate adds to,
    or has added to, those that are chosen.
    """
    keys, links, gain = core.keys, core.links, list(core.base)
    index = {key: p for p, key in enumerate(keys)}
    chosen: set[int] = set()
    by_row: dict[int, int] = {}
    by_column: dict[int, int] = {}

    def put(p: int) -> None:
        chosen.add(p)
        by_row[keys[p][0]] = by_column[keys[p][1]] = p
        for q, weight in links[p].items():
            gain[q] += weight

    def drop(p: int) -> None:
        chosen.discard(p)
        del by_row[keys[p][0]], by_column[keys[p][1]]
        for q, weight in links[p].items():
            gain[q] -= weight

    for p in start:
        put(p)
    improved = True
    while improved:
        improved = False
        for p, (row, column) in enumerate(keys):
            if p % 1024 == 1023 and deadline.passed:
                return chosen
            if p in chosen:
                continue
            a, b = by_row.get(row), by_column.get(column)
            change, swap = gain[p], None
            for q in (a, b):
                if q is not None:
                    change -= gain[q] + links[p].get(q, 0.0)
            if a is not None and b is not None:
                change += links[a].get(b, 0.0)
                swap = index.get((keys[b][0], keys[a][1]))
                if swap is not None:
                    mine = links[swap]
                    change += gain[swap] - mine.get(a, 0.0) - mine.get(b, 0.0) + mine.get(p, 0.0)
            if change > _GAIN:
                improved = True
                for q in (a, b):
                    if q is not None:
                        drop(q)
                put(p)
                if swap is not None:
                    put(swap)
    return chosen


def solve_core(
    core: Core, deadline: Deadline, start: Callable[[], tuple[Collection[Pair], float]] = lambda: ((), math.inf)
) -> tuple[set[int], float, bool]:
    """The best choice of candidates, a proven upper bound on its value, and whether the choice is optimal.

    `start` makes pairs of variables that may be a good choice, and a bound, for problems that are not easy.
    """
    incumbent = Incumbent(core, grid(core.weights()), deadline=deadline)
    root = Relaxation(core, deadline)
    bound = tighten(root, incumbent, _ROOT_ROUNDS, deadline)
    if not incumbent.beats(bound):
        begun, most = start()
        bound = min(bound, most)
        incumbent.offer([p for p, key in enumerate(core.keys) if key in begun])
    bound = min(bound, _branch(root, bound, incumbent, deadline))
    return incumbent.chosen, max(bound, incumbent.value), incumbent.beats(bound)


def _branch(root: Relaxation, bound: float, incumbent: Incumbent, deadline: Deadline) -> float:
    """Depth first, with the chosen candidate before without; what is left open at the deadline bounds it."""
    stack = [(bound, root)]
    most = _MOST_SHARES // max(1, sum(map(len, root.shares)))
    while stack:
        bound, node = stack.pop()
        if incumbent.beats(bound):
            continue
        if deadline.passed or len(stack) > most:
            return max([bound, *(other for other, _ in stack)])
        bound = min(bound, tighten(node, incumbent, _NODE_ROUNDS, deadline))
        if incumbent.beats(bound):
            continue
        pick = _branching_candidate(node)
        if pick is None:
            # No candidate that is worth something shares a variable with another one; all others add nothing.
            incumbent.offer(sorted(_partners(node).union(node.matched)))
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


class Incumbent(msgspec.Struct):
    """The best choice so far, and the step between possible values (0: unknown)."""

    core: Core
    step: float
    chosen: set[int] = msgspec.field(default_factory=set)
    value: float = 0.0
    seen: set[frozenset[int]] = msgspec.field(default_factory=set)
    deadline: Deadline = NEVER

    def offer(self, candidates: list[int]) -> None:
        """Keep a choice, or what climbing makes of it, if it is better than the best so far."""
        start = frozenset(candidates)
        if start in self.seen:
            return
        self.seen.add(start)
        # Climbing knows nothing of wide terms and rivals, and may lose by them.
        for choice in (climb(self.core, candidates, self.deadline), set(candidates)):
            value = self.core.exact(choice)
            if value > self.value:
                self.chosen, self.value = choice, value

    def beats(self, bound: float) -> bool:
        """Whether nothing under the bound can be better."""
        return settled(self.value, bound, self.step)


class Relaxation:
    """The split of every link, and what each candidate is worth under it; candidates can be excluded."""

    __slots__ = ("alive", "core", "matched", "picked", "shares", "wide_at", "wide_shares", "worth")

    def __init__(self, core: Core, deadline: Deadline = NEVER) -> None:
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
            if p >= 256 and deadline.passed:  # worth all that it may count on
                hopes = [*self.shares[p].values(), *(self.wide_shares[index][p] for index in self.wide_at.get(p, ()))]
                self.worth[p] = math.fsum([core.base[p], *hopes])
            else:
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

    def bound(self, deadline: Deadline = NEVER) -> tuple[float, dict[int, float], dict[int, float]]:
        """The assignment bound with its prices; `matched` is left behind. When time is up, every row has its best."""
        table: dict[int, dict[int, float]] = {}
        index: dict[tuple[int, int], int] = {}
        for p, (row, column) in enumerate(self.core.keys):
            if self.alive[p] and self.worth[p] > _NOTHING:
                table.setdefault(row, {})[column] = self.worth[p]
                index[row, column] = p
        try:
            mate, row_price, column_price = priced_matching(table, deadline)
        except OutOfTime:
            row_price, column_price = {row: max(mine.values()) for row, mine in table.items()}, {}
            pairs = ((row, each) for row, own in table.items() for each in sorted(own, key=lambda each: -own[each]))
            self.matched = [index[pair] for pair in fitting(pairs)]
            return self.core.constant + math.fsum(row_price.values()), row_price, column_price
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


def tighten(relaxation: Relaxation, incumbent: Incumbent, rounds: int, deadline: Deadline) -> float:
    """Push the bound down for some rounds, or until the incumbent is proven best.

    Steps after Polyak (1969): in proportion to the gap, more cautious when the bound does not move.
    """
    best = math.inf
    caution, stalled = 1.0, 0
    for used in range(1, rounds + 1):
        bound, row_price, column_price = relaxation.bound(deadline)
        if used % 4 == 1 or deadline.passed or relaxation.core.exact(set(relaxation.matched)) > incumbent.value:
            incumbent.offer(relaxation.matched)
        stalled = 0 if bound < best - 1e-3 * max(1e-9, best - incumbent.value) else stalled + 1
        best = min(best, bound)
        if incumbent.beats(best) or deadline.passed:
            return best
        if stalled >= 5:
            caution, stalled = caution * 0.6, 0
        if caution < 0.02:
            return best
        relaxation.exclude_hopeless(bound, row_price, column_price, incumbent)
        links, wide = relaxation.disagreements(), relaxation.wide_disagreements()
        if not links and not wide:
            # The matched candidates agree with each other, so the bound is their value unless some were just excluded.
            if all(relaxation.alive[p] for p in relaxation.matched):
                return best
            continue
        gap = bound - incumbent.value - incumbent.step / 2
        relaxation.shift(caution * gap / (len(links) + len(wide)), links, wide)
    return best
