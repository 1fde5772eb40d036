"""A first guess of how variables match, in about linear time, and a bound as cheap.

Variables get colours by what they stand in, and by the colours of what stands beside them, round by round (Weisfeiler
and Leman 1968), on both sides at once. Those that share a colour for many rounds are matched first, and from a match
the guess grows along the elements that the two have in common.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from adjudge.algebra.solve.deadline import NEVER, Deadline

# What the element is but for its variables, and these, by number
Element = tuple[int, tuple[int, ...]]

_ROUNDS = 48


@dataclass(frozen=True, slots=True)
class Guess:
    """A one-to-one matching of variables, the elements that it makes equal (by place), and how many there can be."""

    mapping: dict[int, int]
    pairs: list[tuple[int, int]]
    most: int


def guess(ss: Sequence[Element], gs: Sequence[Element], deadline: Deadline = NEVER) -> Guess:
    """Match the variables of system and gold elements, none of which occurs twice.

    >>> guess([(0, (0, 1)), (0, (1, 2))], [(0, (7, 5)), (0, (5, 6))])
    Guess(mapping={0: 7, 1: 5, 2: 6}, pairs=[(0, 0), (1, 1)], most=2)
    """
    growth = _Growth(ss, gs, deadline)
    degree = [Counter(v for _, variables in side for v in variables) for side in (ss, gs)]
    left, right = (sorted(growth.beside[side], key=degree[side].__getitem__, reverse=True) for side in (0, 1))
    mapping, taken = growth.mapping, growth.taken
    while left and right:
        # Variables of many elements first: they say most about others.
        pairs = list(_alike(left, right, growth.colours))
        for _, s, g in sorted(pairs, key=lambda p: (-min(degree[0][p[1]], degree[1][p[2]]), -p[0])):
            growth.grow(s, g)
        left, right = [v for v in left if v not in mapping], [v for v in right if v not in taken]
    where = {element: j for j, element in enumerate(gs)}
    moved = [(kind, tuple(mapping.get(v, -1) for v in variables)) for kind, variables in ss]
    equal = [(i, where[element]) for i, element in enumerate(moved) if element in where]
    return Guess(dict(sorted(mapping.items())), equal, most_equal(ss, gs))


def most_equal(ss: Sequence[Element], gs: Sequence[Element]) -> int:
    """How many elements no matching of the variables can exceed.

    Of one kind, two variables share no more elements than each of them has; at best the first has its like beside it,
    then the second, and so on.

    >>> most_equal([(0, (0, 1)), (0, (0, 2)), (0, (0, 3))], [(0, (0, 1)), (0, (2, 3)), (0, (3, 4))])
    1
    """
    most: dict[int, int] = {}
    for place in range(max((len(variables) for _, variables in ss), default=0)):
        counts = [Counter((kind, each[place]) for kind, each in side if place < len(each)) for side in (ss, gs)]
        ranked: list[dict[int, list[int]]] = [{}, {}]
        for side, count in enumerate(counts):
            for (kind, _), number in sorted(count.items(), key=lambda item: -item[1]):
                ranked[side].setdefault(kind, []).append(number)
        for kind, numbers in ranked[0].items():
            here = sum(map(min, numbers, ranked[1].get(kind, ())))
            most[kind] = min(most.get(kind, here), here)
    return sum(most.values())


Place = tuple[int, int, int]  # kind of element, place of a variable in it, place of another one


def _beside(elements: Sequence[Element]) -> dict[int, dict[Place, list[int]]]:
    """For every variable the others that stand in elements with it, by kind and places."""
    found: dict[int, dict[Place, list[int]]] = {}
    for kind, variables in elements:
        for here, variable in enumerate(variables):
            mine = found.setdefault(variable, {})
            for there, other in enumerate(variables):
                if other != variable:
                    mine.setdefault((kind, here, there), []).append(other)
    return found


Colours = list[tuple[dict[int, int], ...]]  # of every round, on both sides


def _colours(ss: Sequence[Element], gs: Sequence[Element], deadline: Deadline) -> Colours:
    """What a variable stands in, and how often, then what those beside it stand in, and so on."""
    now = tuple({v: 0 for _, variables in side for v in variables} for side in (ss, gs))
    found = [now]
    kinds = 0
    for number in range(_ROUNDS):
        if deadline.passed:
            break
        numbers: dict[tuple[int, tuple[tuple[int, ...], ...]], int] = {}
        new: tuple[dict[int, int], ...] = ({}, {})
        for side, elements in enumerate((ss, gs)):
            seen: dict[int, list[tuple[int, ...]]] = {}
            for kind, variables in elements:
                row = [now[side][v] for v in variables]
                for place, variable in enumerate(variables):
                    seen.setdefault(variable, []).append((kind, place, *row))
            for variable, rows in seen.items():
                key = (now[side][variable], tuple(sorted(set(rows) if number == 0 else rows)))
                new[side][variable] = numbers.setdefault(key, len(numbers))
        if (number > 1 and len(numbers) == kinds) or not set(new[0].values()) & set(new[1].values()):
            break
        kinds, now = len(numbers), new
        found.append(now)
    return found


def _alike(left: list[int], right: list[int], colours: Colours) -> Iterator[tuple[int, int, int]]:
    """Variables of both sides in pairs, those first that share a colour for the most rounds, with their number."""
    for depth in range(len(colours) - 1, -1, -1):
        if not left or not right:
            return
        mine, theirs = colours[depth]
        waiting: dict[int, list[int]] = {}
        for v in reversed(right):
            waiting.setdefault(theirs[v], []).append(v)
        rest = []
        for v in left:
            same = waiting.get(mine[v])
            if same:
                yield depth, v, same.pop()
            else:
                rest.append(v)
        if len(rest) < len(left):
            kept = {v for same in waiting.values() for v in same}
            left, right = rest, [v for v in right if v in kept]


class _Growth:
    """A matching that grows from pairs of variables along the elements that they have in common."""

    def __init__(self, ss: Sequence[Element], gs: Sequence[Element], deadline: Deadline) -> None:
        self.beside = _beside(ss), _beside(gs)
        self.colours = _colours(ss, gs, deadline)
        self.deadline = deadline
        self.mapping: dict[int, int] = {}
        self.taken: set[int] = set()

    def grow(self, s: int, g: int) -> None:
        """Match two variables unless one is matched, and what stands beside them, the most alike first."""
        mapping, taken = self.mapping, self.taken
        heap = [(0, 0, s, g)]
        pushed = 0
        while heap:
            _, _, s, g = heapq.heappop(heap)
            if s in mapping or g in taken:
                continue
            mapping[s] = g
            taken.add(g)
            if self.deadline.passed:
                return
            mine, theirs = self.beside[0][s], self.beside[1][g]
            for place in sorted(mine.keys() & theirs.keys()):
                left, right = [v for v in mine[place] if v not in mapping], [v for v in theirs[place] if v not in taken]
                for depth, one, other in _alike(left, right, self.colours):
                    pushed += 1
                    heapq.heappush(heap, (-depth, pushed, one, other))
