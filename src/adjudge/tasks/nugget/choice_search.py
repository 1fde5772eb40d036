"""The best of the open choices of one document under a linear score: exact, by branch and bound.

1. An option is dropped when another one of its group is worth at least as much whatever is chosen elsewhere.
2. The rest falls into independent parts, which share no cells, clusters or rivals in the alignment of CEAF.
3. A part takes the options of one group in turn, which narrows the others; a branch that cannot reach the best known
   is cut (`choice_worth.highest`). A part is done as soon as a choice reaches its upper bound.

When time is up, the result is the best choice found, with the bounds of what was not searched.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from adjudge.algebra.solve.deadline import NEVER, Deadline
from adjudge.model.graph import closed
from adjudge.tasks.nugget.choice_worth import (
    Point,
    Rates,
    Table,
    aligned,
    highest,
    loosest,
    matched_cells,
    own_range,
    table_of,
    unlisted,
)
from adjudge.tasks.nugget.open_choices import Choice, Choices

NODES = 400  # maximum branches searched in one document
CHAMPIONS = 8  # options of a group with which all others are compared
LARGE = 8  # groups from which a part gets an initial choice
POINTS = 200  # maximum choices kept for one document
EPSILON = 1e-13


class Found(NamedTuple):
    """Choices that may be best, in descending order of worth, and an upper bound of their worth.

    Not `complete` if there were more of them than are kept.
    """

    points: list[tuple[float, Point, Choice]]
    bound: float
    complete: bool = True


Part = tuple[list[int], list[int], list[int]]
"""Groups that depend on each other, the keys that they change, and the cells in which their clusters are aligned."""


class _State(NamedTuple):
    """The remaining options of each group, and the range of each key."""

    alive: dict[int, tuple[int, ...]]
    low: list[int]
    high: list[int]

    def copy(self) -> _State:
        return _State(dict(self.alive), list(self.low), list(self.high))


def solve(choices: Choices, rates: Rates, slack: float = 0.0, clock: Deadline = NEVER) -> Found:
    """The best choice of a document, or all that are worth at most `slack` less and not reached in every number.

    Raises `OutOfTime` if there is not even time for the table.
    """
    table, groups = table_of(choices, rates, clock), choices.groups
    search = _Search(table, slack, clock)
    state = _State({}, list(table.fixed), list(table.fixed))
    for number in range(len(groups)):
        clock.check()
        state.alive[number] = tuple(range(len(table.added[number])))
        for key, (low, high) in search.own(number, state.alive[number]).items():
            state.low[key] += low
            state.high[key] += high
    cells = [key for key, cell in enumerate(table.convex) if cell]
    touched = [key for key, near in enumerate(table.near) if near]
    found = search.solve(state.copy(), list(range(len(groups))), touched, cells, -float("inf"))
    if any(group.most is not None for group in groups):
        limit = unlisted(table, groups, state.low, state.high, touched, cells, clock)
        return found._replace(bound=max(found.bound, limit), complete=search.complete)
    return found._replace(complete=search.complete)


class _Search:
    """One search: the table, what was computed before, and the number of branches."""

    def __init__(self, table: Table, slack: float, clock: Deadline = NEVER) -> None:
        self.table = table
        self.slack = slack
        self.clock = clock
        self.nodes = 0
        self.complete = True
        self.ranges: dict[tuple[int, tuple[int, ...]], dict[int, tuple[int, int]]] = {}
        self.differences: dict[tuple[int, int, int], list[tuple[int, int, int]]] = {}

    def own(self, group: int, alive: tuple[int, ...]) -> dict[int, tuple[int, int]]:
        """What the remaining options of a group add."""
        known = self.ranges.get((group, alive))
        if known is None:
            added = self.table.added[group]
            known = self.ranges[group, alive] = own_range([added[option] for option in alive])
        return known

    def restrict(self, state: _State, group: int, alive: tuple[int, ...]) -> list[int]:
        """Restrict a group to these options; returns the keys whose range shrank."""
        before, after = self.own(group, state.alive[group]), self.own(group, alive)
        state.alive[group] = alive
        changed = []
        for key, (low, high) in before.items():
            least, most = after.get(key, (0, 0))
            if (least, most) != (low, high):
                state.low[key] += least - low
                state.high[key] += most - high
                changed.append(key)
        return changed

    def narrow(self, state: _State, groups: Sequence[int], cells: Sequence[int]) -> tuple[list[int], list[int]]:
        """Drop options as long as one can be dropped; the matched cells and the others as in `matched_cells`."""
        todo = [group for group in groups if len(state.alive[group]) > 1]
        while True:
            mates, rivals = matched_cells(self.table, cells, state.low, state.high)
            if not todo or self.clock.passed:
                return mates, rivals
            matched, free = set(mates), set(rivals)
            dropped: set[int] = set()
            inside = set(groups)
            while todo and not self.clock.passed:
                group = todo.pop()
                alive = self.undominated(state, group, matched, free)
                if len(alive) < len(state.alive[group]):
                    changed = self.restrict(state, group, alive)
                    near = {other for key in changed for other in self.table.near[key]} & inside
                    dropped |= near
                    todo += [other for other in near if len(state.alive[other]) > 1 and other not in todo]
            # A second round with the cells that are matched by now.
            todo = [group for group in dropped if len(state.alive[group]) > 1]

    def undominated(self, state: _State, group: int, matched: set[int], free: set[int]) -> tuple[int, ...]:
        """The options of a group for which no other one is always as good."""
        alive = state.alive[group]
        if len(alive) < 2:
            return alive
        own = self.own(group, alive)
        low = {key: state.low[key] - least for key, (least, _) in own.items()}
        high = {key: state.high[key] - most for key, (_, most) in own.items()}
        added = self.table.added[group]
        # Options that agree with what is settled are the most likely to be the best.
        merit = {option: sum([count * low[key] for key, count in added[option]]) for option in alive}
        order = sorted(alive, key=lambda option: -merit[option])
        left = set(alive)
        for champion in order[:CHAMPIONS]:
            if champion in left:
                for other in order:
                    if other != champion and other in left:
                        difference = self.difference(group, champion, other)
                        if self.never_worse(difference, low, high, matched, free):
                            left.discard(other)
        return tuple([option for option in alive if option in left])

    def difference(self, group: int, one: int, other: int) -> list[tuple[int, int, int]]:
        """The keys to which two options add different numbers."""
        known = self.differences.get((group, one, other))
        if known is None:
            mine, theirs = dict(self.table.added[group][one]), dict(self.table.added[group][other])
            pairs = [(key, mine.get(key, 0), theirs.get(key, 0)) for key in mine | theirs]
            known = self.differences[group, one, other] = [each for each in pairs if each[1] != each[2]]
        return known

    def never_worse(
        self,
        difference: Sequence[tuple[int, int, int]],
        low: dict[int, int],
        high: dict[int, int],
        matched: set[int],
        free: set[int],
    ) -> bool:
        """Whether one option is worth as much as another, whatever the rest of the document is.

        The worth of a cell is convex: a gain is least where the cell is least, a loss where it is greatest. An
        alignment loses at most the weight of the mentions that are taken from cells that compete.
        """
        worth, convex, weight = self.table.worth, self.table.convex, self.table.weight
        gain = ceafe = 0.0
        for key, more, less in difference:
            base = low[key] if (more > less) == convex[key] else high[key]
            gain += worth[key][base + more] - worth[key][base + less]
            if key in matched or (more < less and key in free):
                ceafe += (more - less) * weight[key]
        gain += ceafe
        if not self.slack:
            return gain >= -EPSILON
        if gain > self.slack + EPSILON:
            return True
        points = [ceafe, 0.0, 0.0]
        for key, more, less in difference:
            base = low[key] if (more > less) == convex[key] else high[key]
            for place, (x, y) in enumerate(
                zip(self.table.point(key, base + more), self.table.point(key, base + less), strict=True)
            ):
                points[place] += x - y
        return min(points) >= -EPSILON

    def solve(self, state: _State, groups: list[int], keys: list[int], cells: list[int], need: float) -> Found:
        """The best choices for some groups, as far as they are worth `need`; `keys` and `cells` are what they touch."""
        self.nodes += 1
        mates, rivals = self.narrow(state, groups, cells)
        open_groups = [group for group in groups if len(state.alive[group]) > 1]
        settled = tuple([(group, state.alive[group][0]) for group in groups if len(state.alive[group]) == 1])
        parts = self.split(state, open_groups, mates, rivals)
        changing = {key for _, mine, _ in parts for key in mine}
        inside = {cell for _, _, mine in parts for cell in mine}
        constant = self.value(
            state,
            [key for key in keys if key not in changing],
            [cell for cell in (*mates, *rivals) if cell not in inside],
        )
        total = self.worth(constant)
        points = [(total, constant, settled)]
        if not parts:
            return Found(points, total)
        bounds = [self.bound(state, part) for part in parts]
        if total + sum(bounds) < need:
            return Found([], total + sum(bounds))
        for place, part in enumerate(parts):
            others = total + sum(bounds) - bounds[place]
            if self.nodes > NODES or self.clock.passed:
                found = self.guessed(state, part, bounds[place])
            else:
                found = self.branch(state, part, need - others, bounds[place])
            if not found.points:
                return Found([], others + found.bound)
            bounds[place] = found.bound
            points = self.kept([_joined(one, other) for one in points for other in found.points])
        return Found(points, total + sum(bounds))

    def branch(self, state: _State, part: Part, need: float, limit: float) -> Found:
        """The best choices of a part, by taking the options of one group in turn; none is worth more than `limit`."""
        groups, keys, cells = part
        near = self.table.near
        crowd = {group: sum([len(near[key]) for key in self.own(group, state.alive[group])]) for group in groups}
        group = max(groups, key=lambda each: (crowd[each], -each))
        points: list[tuple[float, Point, Choice]] = []
        if len(groups) >= LARGE and need == -float("inf"):  # a good initial choice prunes most branches
            points = self.improved(state, part)
        bound = -float("inf")
        for option in sorted(state.alive[group], key=lambda each: -self.gain(state, group, each)):
            if points and not self.slack and points[0][0] >= limit - EPSILON:
                return Found(points, max(limit, points[0][0]))  # it cannot be improved
            if self.clock.passed:
                self.complete = False
                points = points or self.guessed(state, part, limit).points
                return Found(points, max(limit, points[0][0]))
            child = state.copy()
            self.restrict(child, group, (option,))
            if points:  # without slack, a branch must be better than what is known
                need = max(need, points[0][0] - self.slack if self.slack else points[0][0] + EPSILON)
            found = self.solve(child, groups, keys, cells, need)
            bound = max(bound, found.bound)
            points = self.kept([*points, *found.points])
        return Found(points, max(bound, points[0][0]) if points else bound)

    def gain(self, state: _State, group: int, option: int) -> float:
        """What an option adds if all other groups take the least they can."""
        own = self.own(group, state.alive[group])
        gain = 0.0
        for key, count in self.table.added[group][option]:
            base = state.low[key] - own[key][0]
            gain += self.table.worth[key][base + count] - self.table.worth[key][base] + count * self.table.weight[key]
        return gain

    def kept(self, points: list[tuple[float, Point, Choice]]) -> list[tuple[float, Point, Choice]]:
        """The points that may be part of the best choice, the one of the greatest worth first."""
        if not points:
            return points
        if not self.slack:
            return [max(points, key=lambda each: each[0])]
        points.sort(key=lambda each: -each[0])
        found: list[tuple[float, Point, Choice]] = []
        for each in points:
            if each[0] < points[0][0] - self.slack - EPSILON:
                break
            if len(found) == POINTS or (found and self.clock.passed):
                self.complete = False
                break
            if not any(min(x - y for x, y in zip(known[1], each[1], strict=True)) >= -EPSILON for known in found):
                found.append(each)
        return found

    def worth(self, point: Point) -> float:
        """What a point is worth."""
        return _worth(point, self.table.rates)

    def value(self, state: _State, keys: Sequence[int], cells: Sequence[int]) -> Point:
        """The point of keys in which nothing is open, with the alignment of cells."""
        share = precise = found = 0.0
        for key in keys:
            x, y, z = self.table.point(key, state.low[key])
            share, precise, found = share + x, precise + y, found + z
        return share + aligned(self.table, state.low, cells), precise, found

    def split(self, state: _State, groups: Sequence[int], mates: Sequence[int], rivals: Sequence[int]) -> list[Part]:
        """The parts that do not depend on each other."""
        competing, counted = set(rivals), {*mates, *rivals}
        changing = {
            group: [key for key, (low, high) in self.own(group, state.alive[group]).items() if low < high]
            for group in groups
        }
        rows = {cell: ("row", self.table.keys[cell][0]) for cell in rivals}
        links = [(rows[cell], ("column", self.table.keys[cell][1])) for cell in rivals]
        for group, keys in changing.items():
            links += [(("group", group), ("key", key)) for key in keys]
            links += [(("group", group), rows[key]) for key in keys if key in competing]
        joined = closed(links, dict.fromkeys(name for link in links for name in link))
        home = {name: number for number, members in enumerate(joined) for name in members}
        parts: dict[int, tuple[list[int], dict[int, None], dict[int, None]]] = {}
        for group, keys in changing.items():
            mine = parts.setdefault(home["group", group], ([], {}, {}))
            mine[0].append(group)
            mine[1].update(dict.fromkeys(keys))
            mine[2].update(dict.fromkeys(key for key in keys if key in counted))
        for cell in rivals:
            if home[rows[cell]] in parts:
                parts[home[rows[cell]]][2][cell] = None
        return [(members, list(keys), list(cells)) for members, keys, cells in parts.values()]

    def bound(self, state: _State, part: Part) -> float:
        """An upper bound of what the keys and cells of a part can be worth."""
        groups, keys, cells = part
        if self.clock.passed:
            return loosest(self.table, state.low, state.high, keys, cells)
        ranges = [self.own(group, state.alive[group]) for group in groups]
        options = [[self.table.added[group][option] for option in state.alive[group]] for group in groups]
        return highest(self.table, state.low, state.high, options, ranges, keys, cells, self.clock)

    def guessed(self, state: _State, part: Part, bound: float) -> Found:
        """A greedy choice of a part: every group takes the option that goes best with those before it."""
        groups, keys, cells = part
        self.complete = self.complete and not self.slack
        state = state.copy()
        for group in groups:
            gains = {option: self.gain(state, group, option) for option in state.alive[group]}
            self.restrict(state, group, (max(gains, key=gains.__getitem__),))
        point = self.value(state, keys, cells)
        chosen = tuple([(group, state.alive[group][0]) for group in groups])
        return Found([(self.worth(point), point, chosen)], bound)

    def improved(self, state: _State, part: Part) -> list[tuple[float, Point, Choice]]:
        """A choice of a part that no change of a single group improves."""
        groups, keys, cells = part
        ((best, point, choice),) = self.guessed(state, part, 0.0).points
        taken = dict(choice)
        numbers = state.copy()
        for group, option in choice:
            self.restrict(numbers, group, (option,))
        left = list(groups)
        while left:
            group = left.pop()
            for option in state.alive[group]:
                if option != taken[group] and not self.clock.passed:
                    self.move(numbers.low, group, taken[group], option)
                    other = self.value(numbers, keys, cells)
                    if self.worth(other) > best + EPSILON:
                        best, point, taken[group] = self.worth(other), other, option
                        left = list(groups)
                    else:
                        self.move(numbers.low, group, option, taken[group])
        return [(best, point, tuple(taken.items()))]

    def move(self, numbers: list[int], group: int, before: int, after: int) -> None:
        """Change what a group adds."""
        for key, count in self.table.added[group][before]:
            numbers[key] -= count
        for key, count in self.table.added[group][after]:
            numbers[key] += count


def _worth(point: Point, rates: Rates) -> float:
    return point[0] + rates.precise * point[1] + rates.found * point[2]


def _joined(one: tuple[float, Point, Choice], other: tuple[float, Point, Choice]) -> tuple[float, Point, Choice]:
    x, y = one[1], other[1]
    return one[0] + other[0], (x[0] + y[0], x[1] + y[1], x[2] + y[2]), one[2] + other[2]
