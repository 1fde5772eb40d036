"""An upper bound for a core that can be pushed down: Lagrangian decomposition into assignments.

The weight of a link is split between its two candidates in any proportion, even beyond it; each candidate is then worth
what it has alone plus the best one-to-one choice of its shares, and an assignment over the candidates bounds the whole
(Gilmore 1962, Lawler 1963; the split as multipliers after Adams and Johnson 1994). Where the assignment contradicts
itself, one end of a link wanting it and the other not, share moves to the end that does not: the bound goes down.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from adjudge.algebra.solve.assignment import max_weight_matching, priced_matching
from adjudge.algebra.solve.ilp import ceiling, settled
from adjudge.algebra.solve.latent_core import Climber, Core

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
