"""The inner problem of matching variables: choose candidate pairs one-to-one, with a reward for going together.

A core knows candidates (system variable, gold variable) by index, what each is worth alone, what two of them (links)
or more (wide terms) are worth together, and elements that several such groups compete for (rivals).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from adjudge.algebra.solve.assignment import max_weight_matching

Pair = tuple[int, int]
Match = Literal["1:1", "N:1", "1:N", "N:N"]
# weight, candidates that must all be chosen, system element, gold element, index in the caller's list
Rival = tuple[float, tuple[int, ...], int, int, int]

# A move must gain more than rounding.
_GAIN = 1e-9


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


@dataclass(frozen=True, slots=True)
class Core:
    """One connected problem. Where rivals exist, links and wide terms over-estimate and `exact` tells the truth."""

    keys: list[Pair]
    base: list[float]
    links: list[dict[int, float]]
    wide: list[tuple[float, tuple[int, ...]]] = field(default_factory=list)
    # Groups that enter the terms above as if they had their elements for themselves, and the pairs they stand for.
    loose: list[tuple[float, tuple[int, ...]]] = field(default_factory=list)
    rivals: list[Rival] = field(default_factory=list)
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


class Climber:
    """Improves a choice by local moves, judged by the optimistic value."""

    def __init__(self, core: Core) -> None:
        self.core = core
        self.index = {key: p for p, key in enumerate(core.keys)}
        self.rows: dict[int, list[int]] = {}
        self.columns: dict[int, list[int]] = {}
        for p, (row, column) in enumerate(core.keys):
            self.rows.setdefault(row, []).append(p)
            self.columns.setdefault(column, []).append(p)
        self.wide_at: dict[int, list[tuple[float, tuple[int, ...]]]] = {}
        for term in core.wide:
            for p in term[1]:
                self.wide_at.setdefault(p, []).append(term)

    def climb(self, start: Iterable[int], *, thorough: bool = False) -> set[int]:
        """A choice that no single move improves, at least as good as the start; `thorough` tries whole terms too."""
        choice = _Choice(self, start)
        while choice.move_candidates() or (thorough and choice.insert_terms()):
            pass
        return choice.chosen


class _Choice:
    """A choice under change, with what every candidate adds (or has added) to the others by its links."""

    __slots__ = ("by_column", "by_row", "chosen", "climber", "gain")

    def __init__(self, climber: Climber, start: Iterable[int]) -> None:
        self.climber = climber
        self.chosen: set[int] = set()
        self.by_row: dict[int, int] = {}
        self.by_column: dict[int, int] = {}
        self.gain = list(climber.core.base)
        for p in start:
            self.put(p)

    def put(self, p: int) -> float:
        """Choose p, whose variables are free; what that adds."""
        row, column = self.climber.core.keys[p]
        added = self.gain[p] + self._wide(p)
        self.chosen.add(p)
        self.by_row[row] = self.by_column[column] = p
        for q, weight in self.climber.core.links[p].items():
            self.gain[q] += weight
        return added

    def drop(self, p: int) -> float:
        """Give p up; what that costs."""
        row, column = self.climber.core.keys[p]
        self.chosen.discard(p)
        del self.by_row[row], self.by_column[column]
        for q, weight in self.climber.core.links[p].items():
            self.gain[q] -= weight
        return self.gain[p] + self._wide(p)

    def _wide(self, p: int) -> float:
        """What p adds by terms of three and more candidates, all others being chosen."""
        terms = self.climber.wide_at.get(p)
        if not terms:
            return 0.0
        return math.fsum(weight for weight, needs in terms if all(q == p or q in self.chosen for q in needs))

    def move_candidates(self) -> bool:
        """Move a system variable to another gold variable, the displaced one taking its place; whether any helped."""
        keys, links, gain = self.climber.core.keys, self.climber.core.links, self.gain
        improved = False
        for p, (row, column) in enumerate(keys):
            if p in self.chosen:
                continue
            a, b = self.by_row.get(row), self.by_column.get(column)
            swap = None if a is None or b is None else self.climber.index.get((keys[b][0], keys[a][1]))
            if self.climber.wide_at:
                improved |= self._replace([p] if swap is None else [p, swap], refill=False)
                continue
            # The same as trying it, computed without doing it: most moves are rejected.
            change = gain[p]
            if a is not None:
                change -= gain[a] + links[p].get(a, 0.0)
            if b is not None:
                change -= gain[b] + links[p].get(b, 0.0)
                if a is not None:
                    change += links[a].get(b, 0.0)
            if swap is not None:
                assert a is not None
                assert b is not None
                mine = links[swap]
                change += gain[swap] - mine.get(a, 0.0) - mine.get(b, 0.0) + mine.get(p, 0.0)
            if change > _GAIN:
                improved = True
                for q in self._in_the_way(p):
                    self.drop(q)
                self.put(p)
                if swap is not None:
                    self.put(swap)
        return improved

    def insert_terms(self) -> bool:
        """Make a whole term true at once, which candidates that are worth nothing alone need; whether any helped."""
        core, gain = self.climber.core, self.gain
        improved = False
        for p, links in enumerate(core.links):
            for q, weight in links.items():
                if p < q and not (p in self.chosen and q in self.chosen):
                    lost = math.fsum(gain[other] for other in self._in_the_way(p, q))
                    # A guess: what is displaced finds half of its worth elsewhere.
                    if gain[p] + gain[q] + weight > lost / 2:
                        improved |= self._replace([p, q], refill=True)
        for _, needs in core.wide:
            if not self.chosen.issuperset(needs):
                improved |= self._replace(list(needs), refill=True)
        return improved

    def _in_the_way(self, *wanted: int) -> set[int]:
        """Chosen candidates that share a variable with the wanted ones."""
        keys = self.climber.core.keys
        found = {self.by_row.get(keys[p][0]) for p in wanted} | {self.by_column.get(keys[p][1]) for p in wanted}
        return {q for q in found if q is not None and q not in wanted}

    def _replace(self, wanted: list[int], *, refill: bool) -> bool:
        """Choose `wanted`, dropping what is in the way and perhaps refilling what got free; undone unless it helps."""
        keys = self.climber.core.keys
        dropped: list[int] = []
        put: list[int] = []
        change = 0.0
        for p in wanted:
            if p in self.chosen:
                continue
            for q in sorted(self._in_the_way(p)):
                change -= self.drop(q)
                dropped.append(q)
            change += self.put(p)
            put.append(p)
        if refill:
            for options in [
                options
                for q in dropped
                for options in (self.climber.rows[keys[q][0]], self.climber.columns[keys[q][1]])
            ]:
                free = [p for p in options if keys[p][0] not in self.by_row and keys[p][1] not in self.by_column]
                if free:
                    p = max(free, key=self.gain.__getitem__)
                    change += self.put(p)
                    put.append(p)
        if change > _GAIN:
            return True
        for p in reversed(put):
            self.drop(p)
        for q in dropped:
            self.put(q)
        return False
