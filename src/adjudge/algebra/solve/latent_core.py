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

    def optimistic(self, chosen: set[int]) -> float:
        """What the chosen candidates are worth if no group has to share an element."""
        parts = [self.base[p] for p in chosen]
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
    """Improves a choice by moving one system variable to another gold variable, the displaced one taking its place."""

    def __init__(self, core: Core) -> None:
        self.core = core
        self.index = {key: p for p, key in enumerate(core.keys)}
        self.wide_at: dict[int, list[tuple[float, tuple[int, ...]]]] = {}
        for term in core.wide:
            for p in term[1]:
                self.wide_at.setdefault(p, []).append(term)

    def climb(self, start: Iterable[int]) -> set[int]:
        """A choice that no single move improves, at least as good as the start (by the optimistic value)."""
        core, keys, links = self.core, self.core.keys, self.core.links
        chosen: set[int] = set()
        by_row: dict[int, int] = {}
        by_column: dict[int, int] = {}
        gain = list(core.base)  # what a candidate adds (or has added) to the others, wide terms aside

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
        # A candidate that cannot gain more than what it displaces is worth is not even looked at: most of them.
        improved = True
        while improved:
            improved = False
            for p, (row, column) in enumerate(keys):
                if p in chosen:
                    continue
                a, b = by_row.get(row), by_column.get(column)
                swap = None
                change = gain[p]
                if a is not None:
                    change -= gain[a] + links[p].get(a, 0.0)
                if b is not None:
                    change -= gain[b] + links[p].get(b, 0.0)
                    if a is not None:
                        change += links[a].get(b, 0.0)
                        swap = self.index.get((keys[b][0], keys[a][1]))
                        if swap is not None:
                            mine = links[swap]
                            change += gain[swap] - mine.get(a, 0.0) - mine.get(b, 0.0) + mine.get(p, 0.0)
                if self.wide_at:
                    out = {q for q in (a, b) if q is not None}
                    into = {q for q in (p, swap) if q is not None}
                    change += self._wide_change(chosen, out, into)
                if change > 1e-9:
                    improved = True
                    for q in {a, b} - {None}:
                        assert q is not None
                        drop(q)
                    put(p)
                    if swap is not None:
                        put(swap)
        return chosen

    def _wide_change(self, chosen: set[int], out: set[int], into: set[int]) -> float:
        after = (chosen - out) | into
        touched = {term for p in out | into for term in self.wide_at.get(p, ())}
        return sum(w * (after.issuperset(needs) - chosen.issuperset(needs)) for w, needs in touched)
