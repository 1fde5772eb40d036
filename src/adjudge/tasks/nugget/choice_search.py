"""The best of the open choices of one document under a linear score: exact, by branch and bound.

1. An option is dropped when another one of its group is worth at least as much whatever is chosen elsewhere.
2. The rest falls into independent parts, which share no cells and no clusters.
3. A part takes the options of one group in turn, which narrows the others; a branch that cannot reach the best known
   is cut. A part is done as soon as a choice reaches its upper bound.

When time is up, the result is the best choice found, with the bounds of what was not searched.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, NamedTuple

from adjudge.algebra.solve.deadline import NEVER, Deadline
from adjudge.model.graph import blocks
from adjudge.tasks.coref.ceaf import align
from adjudge.tasks.nugget.choice_worth import Point, Range, Rates, Table, added_range, table_of, widest
from adjudge.tasks.nugget.open_choices import Choices

NODES = 2_000  # maximum branches searched in one document
POINTS = 200  # maximum choices kept for one document
AT_ONCE = 1_000  # choices that are joined with others at once
EPSILON = 1e-13

Worth = tuple[float, Point, tuple[Any, ...]]
"""What some choices are worth, their point, and the choices."""
Part = tuple[list[int], list[int], list[int]]
"""Groups that depend on each other, the keys that they change, and the cells in which their clusters are aligned."""


class Found(NamedTuple):
    """Choices that may be best, in descending order of worth, and an upper bound of their worth.

    Not `complete` if there were more of them than are kept.
    """

    points: list[Worth]
    bound: float
    complete: bool = True


class _State(NamedTuple):
    """The remaining options of each group, and the range of each key."""

    alive: dict[int, tuple[int, ...]]
    low: list[int]
    high: list[int]

    def copy(self) -> _State:
        return _State(dict(self.alive), list(self.low), list(self.high))


def solve(choices: Choices, rates: Rates, slack: float = 0.0, clock: Deadline = NEVER) -> Found:
    """The best choices of a document, or all that are worth at most `slack` less and not reached in every number.

    Raises `OutOfTime` if there is not even time for the table.
    """
    table = table_of(choices, rates, clock)
    search = _Search(table, slack, clock)
    cells = [key for key, cell in enumerate(table.keys) if min(cell) >= 0]
    whole: Part = (list(range(len(choices.groups))), [key for key, near in enumerate(table.near) if near], cells)
    found = search.solve(search.state([len(group.options) for group in choices.groups]), whole, -float("inf"))
    if any(group.most is not None for group in choices.groups):
        limit = search.bound(search.state(list(map(len, table.added))), whole)
        found = found._replace(bound=max(found.bound, limit))
    return found._replace(complete=search.complete)


def kept(points: list[Worth], slack: float, most: int = POINTS) -> tuple[list[Worth], bool]:
    """The best point, or those within `slack` of it that no other one reaches in all numbers; and whether it is all.

    The rest is compared by a staircase of the last two numbers, from the highest share down.

    >>> kept([(2.0, (1.0, 1.0, 0.0), (1,)), (3.0, (1.0, 1.0, 1.0), (2,)), (2.5, (0.0, 0.5, 2.0), (3,))], 1.0)
    ([(3.0, (1.0, 1.0, 1.0), (2,)), (2.5, (0.0, 0.5, 2.0), (3,))], True)
    """
    if not points or not slack:
        return ([max(points, key=lambda each: each[0])] if points else []), True
    least = max([worth for worth, _, _ in points]) - slack - EPSILON
    found: list[Worth] = []
    stairs: list[tuple[float, float]] = []  # (matched, -found): matched ascending, found descending
    near = sorted([each for each in points if each[0] >= least], key=lambda each: -each[0])
    for each in sorted(near, key=lambda each: (round(each[1][0], 12), *each[1][1:]), reverse=True):
        _, matched, present = each[1]
        place = bisect_left(stairs, (matched - EPSILON, -float("inf")))
        if place < len(stairs) and -stairs[place][1] >= present - EPSILON:
            continue
        low = place = bisect_left(stairs, (matched, -float("inf")))
        while low and -stairs[low - 1][1] <= present:
            low -= 1
        stairs[low:place] = [(matched, -present)]
        found.append(each)
    found.sort(key=lambda each: -each[0])
    return found[:most], len(found) <= most


def joined(
    points: Sequence[Worth], others: Sequence[Worth], slack: float, most: int, clock: Deadline
) -> tuple[list[Worth], bool]:
    """Each point with each other one, as far as they are `kept`, and whether these are all.

    >>> joined([(1.0, (1.0, 0.0, 0.0), ("a",))], [(2.0, (1.0, 1.0, 0.0), ("b",))], 0.0, 9, NEVER)
    ([(3.0, (2.0, 1.0, 0.0), ('a', 'b'))], True)
    """
    found: list[Worth] = []
    complete = True
    for start in range(0, len(points), AT_ONCE):
        if found and clock.passed:
            return found, False
        for worth, (x, y, z), chosen in points[start : start + AT_ONCE]:
            found += [(worth + w, (x + a, y + b, z + c), chosen + own) for w, (a, b, c), own in others]
        found, all_kept = kept(found, slack, most)
        complete = complete and all_kept
    return found, complete


class _Search:
    """One search: the table, what was computed before, and the number of branches."""

    def __init__(self, table: Table, slack: float, clock: Deadline = NEVER) -> None:
        self.table = table
        self.slack = slack
        self.clock = clock
        self.nodes = 0
        self.complete = True
        self.ranges: dict[tuple[int, tuple[int, ...]], Range] = {}
        self.differences: dict[tuple[int, int, int], list[tuple[int, int, int]]] = {}

    def state(self, sizes: Sequence[int]) -> _State:
        """So many options of every group, none of which is taken."""
        state = _State({}, list(self.table.fixed), list(self.table.fixed))
        for group, size in enumerate(sizes):
            self.clock.check()
            state.alive[group] = tuple(range(size))
            for key, (low, high) in self.own(group, state.alive[group]).items():
                state.low[key] += low
                state.high[key] += high
        return state

    def own(self, group: int, alive: tuple[int, ...]) -> Range:
        """What the remaining options of a group add."""
        known = self.ranges.get((group, alive))
        if known is None:
            added = self.table.added[group]
            known = self.ranges[group, alive] = added_range([added[option] for option in alive])
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

    def narrow(self, state: _State, groups: Sequence[int]) -> None:
        """Drop options as long as one can be dropped."""
        inside = set(groups)
        todo = [group for group in groups if len(state.alive[group]) > 1]
        while todo and not self.clock.passed:
            group = todo.pop()
            alive = self.undominated(state, group)
            if len(alive) < len(state.alive[group]):
                changed = self.restrict(state, group, alive)
                near = {other for key in changed for other in self.table.near[key]} & inside
                todo += [other for other in near if len(state.alive[other]) > 1 and other not in todo]

    def undominated(self, state: _State, group: int) -> tuple[int, ...]:
        """The options of a group for which no other one is always as good."""
        alive = state.alive[group]
        if len(alive) < 2:
            return alive
        own = self.own(group, alive)
        low = {key: state.low[key] - least for key, (least, _) in own.items()}
        high = {key: state.high[key] - most for key, (_, most) in own.items()}
        added = self.table.added[group]
        # All are compared with the one that agrees best with what is settled, which is the most likely to be the best.
        merit = {option: sum([count * low[key] for key, count in added[option]]) for option in alive}
        champion = max(alive, key=merit.__getitem__)
        return tuple(
            option
            for option in alive
            if option == champion or not self.never_worse(self.difference(group, champion, option), low, high)
        )

    def difference(self, group: int, one: int, other: int) -> list[tuple[int, int, int]]:
        """The keys to which two options add different numbers."""
        known = self.differences.get((group, one, other))
        if known is None:
            mine, theirs = dict(self.table.added[group][one]), dict(self.table.added[group][other])
            pairs = [(key, mine.get(key, 0), theirs.get(key, 0)) for key in mine | theirs]
            known = self.differences[group, one, other] = [each for each in pairs if each[1] != each[2]]
        return known

    def never_worse(
        self, difference: Sequence[tuple[int, int, int]], low: dict[int, int], high: dict[int, int]
    ) -> bool:
        """Whether one option is worth as much as another, whatever the rest of the document is.

        The worth of a cell is convex: a gain is least where the cell is least, a loss where it is greatest. An
        alignment loses at most the weight of the mentions that are taken from its cells.
        """
        worth, convex, weight = self.table.worth, self.table.convex, self.table.weight
        gain = ceafe = 0.0
        for key, more, less in difference:
            base = low[key] if (more > less) == convex[key] else high[key]
            gain += worth[key][base + more] - worth[key][base + less]
            if more < less:
                ceafe += (more - less) * weight[key]
        gain += ceafe
        if not self.slack or gain > self.slack + EPSILON:
            return gain >= -EPSILON
        points = [ceafe, 0.0, 0.0]
        for key, more, less in difference:
            base = low[key] if (more > less) == convex[key] else high[key]
            mine, other = self.table.point(key, base + more), self.table.point(key, base + less)
            points = [number + x - y for number, x, y in zip(points, mine, other, strict=True)]
        return min(points) >= -EPSILON

    def solve(self, state: _State, part: Part, need: float) -> Found:
        """The best choices of a part, as far as they are worth `need`."""
        self.nodes += 1
        groups, keys, cells = part
        self.narrow(state, groups)
        left = [group for group in groups if len(state.alive[group]) > 1]
        parts = self.split(state, left, cells) if left else []
        settled = tuple([(group, state.alive[group][0]) for group in groups if len(state.alive[group]) == 1])
        changing = {key for _, mine, _ in parts for key in mine}
        inside = {cell for _, _, mine in parts for cell in mine}
        constant = self.value(
            state, [key for key in keys if key not in changing], [cell for cell in cells if cell not in inside]
        )
        total = self.worth(constant)
        points: list[Worth] = [(total, constant, settled)]
        bounds = [self.bound(state, each) for each in parts]
        if total + sum(bounds) < need:
            return Found([], total + sum(bounds))
        for place, each in enumerate(parts):
            others = total + sum(bounds) - bounds[place]
            if self.nodes > NODES or self.clock.passed:
                found = self.guessed(state, each, bounds[place])
            else:
                found = self.branch(state, each, need - others, bounds[place])
            if not found.points:
                return Found([], others + found.bound)
            bounds[place] = found.bound
            points = self.noted(joined(points, found.points, self.slack, POINTS, self.clock))
        return Found(points, total + sum(bounds))

    def branch(self, state: _State, part: Part, need: float, limit: float) -> Found:
        """The best choices of a part, by taking the options of one group in turn; none is worth more than `limit`."""
        near = self.table.near
        crowd = {group: sum([len(near[key]) for key in self.own(group, state.alive[group])]) for group in part[0]}
        group = max(part[0], key=lambda each: (crowd[each], -each))
        points: list[Worth] = []
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
            found = self.solve(child, part, need)
            bound = max(bound, found.bound)
            points = self.noted(kept([*points, *found.points], self.slack))
        return Found(points, max(bound, points[0][0]) if points else bound)

    def noted(self, found: tuple[list[Worth], bool]) -> list[Worth]:
        """The points that were kept; if these are not all, the search is not complete."""
        self.complete = self.complete and found[1]
        return found[0]

    def gain(self, state: _State, group: int, option: int) -> float:
        """What an option adds if all other groups take the least they can."""
        own = self.own(group, state.alive[group])
        gain = 0.0
        for key, count in self.table.added[group][option]:
            base = state.low[key] - own[key][0]
            gain += self.table.worth[key][base + count] - self.table.worth[key][base] + count * self.table.weight[key]
        return gain

    def worth(self, point: Point) -> float:
        """What a point is worth."""
        return point[0] + self.table.rates.precise * point[1] + self.table.rates.found * point[2]

    def value(self, state: _State, keys: Sequence[int], cells: Sequence[int]) -> Point:
        """The point of keys in which nothing is open, with the alignment of cells."""
        share = precise = found = 0.0
        for key in keys:
            x, y, z = self.table.point(key, state.low[key])
            share, precise, found = share + x, precise + y, found + z
        return share + self.aligned(state.low, cells), precise, found

    def aligned(self, numbers: Sequence[int], cells: Sequence[int]) -> float:
        """The weight of the best alignment of clusters over some cells."""
        rows: dict[int, dict[int, float]] = {}
        for cell in cells:
            if numbers[cell]:
                row, column = self.table.keys[cell]
                rows.setdefault(row, {})[column] = numbers[cell] * self.table.weight[cell]
        return sum([rows[row][column] for row, column in align(rows).items()])

    def split(self, state: _State, groups: Sequence[int], cells: Sequence[int]) -> list[Part]:
        """The parts that do not depend on each other: groups that change the same keys, or cells of joined clusters."""
        changing = {
            group: [key for key, (low, high) in self.own(group, state.alive[group]).items() if low < high]
            for group in groups
        }
        place, convex = self.table.keys, self.table.convex
        touched: dict[tuple[str, int], list[tuple[str, int]]] = {}
        for group, keys in changing.items():
            touched["group", group] = [("key", key) for key in keys]
            touched["group", group] += [("row", place[key][0]) for key in keys if convex[key]]
        for cell in cells:
            if state.high[cell]:
                touched["cell", cell] = [("row", place[cell][0]), ("column", place[cell][1])]
        parts: list[Part] = []
        for block in blocks(touched):
            if own := [number for kind, number in block if kind == "group"]:
                changed = list(dict.fromkeys(key for group in own for key in changing[group]))
                parts.append((own, changed, [number for kind, number in block if kind == "cell"]))
        return parts

    def bound(self, state: _State, part: Part) -> float:
        """An upper bound of what the keys of a part, and the alignment of its cells, can be worth.

        The worth of a cell is convex in its mentions, so what a group gains grows with what other groups put there. The
        gain of all groups is the sum of their gains in any order; here it is the mean of two orders, one the reverse of
        the other, in which each group meets as much of the groups before it as there can be. An alignment gains at most
        the weight of every mention that is added to its cells; and it cannot have more than the best cell of every row,
        nor of every column. When time is up, every key has its best value.
        """
        groups, keys, cells = part
        table, worth, weight = self.table, self.table.worth, self.table.weight
        inside, counted = set(keys), set(cells)
        ranges = {group: self.own(group, state.alive[group]) for group in groups}
        base = list(state.low)
        for own in ranges.values():
            for key, (least, _) in own.items():
                base[key] -= least
        # Best for the others is as much as possible in a cell, and as little as possible in a whole cluster.
        before = {key: base[key] for key in keys}
        after = {key: state.high[key] if table.convex[key] else state.low[key] for key in keys}
        total = sum([worth[key][base[key]] for key in keys])
        apart = together = 0.0
        for group, own in ranges.items():
            if self.clock.passed:
                most = [max(worth[key][state.low[key]], worth[key][state.high[key]]) for key in keys]
                return sum(most) + widest(table, state.high, cells)
            mine = [(key, most if table.convex[key] else least) for key, (least, most) in own.items() if key in inside]
            for key, best in mine:
                after[key] -= best
            gains, with_alignment = [], []
            for option in state.alive[group]:
                gain = gained = 0.0
                for key, count in table.added[group][option]:
                    if key in inside:
                        values, x, y = worth[key], before[key], after[key]
                        gain += values[x + count] - values[x] + values[y + count] - values[y]
                    if key in counted:
                        gained += count * weight[key]
                gains.append(gain / 2)
                with_alignment.append(gain / 2 + gained)
            apart += max(gains)
            together += max(with_alignment)
            for key, best in mine:
                before[key] += best
        return total + min(apart + widest(table, state.high, cells), together + self.aligned(base, cells))

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
