"""The table of common mentions of one document under the open choices, and what it is worth.

Under a linear score a document is worth the sum of one number for every cell (K, R), one for every gold cluster
(K, -1) and system cluster (-1, R) of which the choices pair more or fewer mentions, and the weight of the best
alignment of clusters (CEAF). In a cell with M mentions

    MUC matched max(0, M - 1); B3 matched M^2 / |R|, found M^2 / |K|; BLANC within clusters M (M - 1) / 2,
    BLANC between clusters M (M - 1) / 2 less the same for the mentions paired of each whole cluster.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from adjudge.algebra.solve.deadline import NEVER, Deadline
from adjudge.tasks.coref.ceaf import align
from adjudge.tasks.nugget.open_choices import Cell, Choices, Clusters, Group

Point = tuple[float, float, float]
"""A linear share of the score, B3 matched, B3 found."""
Added = tuple[tuple[int, int], ...]
"""Keys by index, and how many mentions they get."""
Range = Mapping[int, tuple[int, int]]
"""The least and the most that a group adds to keys."""


class Rates(NamedTuple):
    """The worth of a unit of each count: MUC, CEAFe, BLANC within and between clusters; B3 matched and found."""

    muc: float
    ceafe: float
    coref: float
    noncoref: float
    precise: float
    found: float


class Table(NamedTuple):
    """The keys of a document by number, what they are worth with 0, 1, ... mentions, and what the groups can add."""

    keys: list[Cell]
    worth: list[list[float]]  # nothing for keys that no group touches
    fixed: list[int]
    convex: list[bool]  # cells; the worth of whole clusters is concave
    weight: list[float]  # of a mention of a cell in CEAF
    added: list[list[Added]]  # per group and option
    near: list[list[int]]  # per key, the groups that touch it
    clusters: Clusters
    rates: Rates

    def point(self, key: int, number: int) -> Point:
        """The three numbers that a key with so many mentions adds, without CEAF."""
        row, column = self.keys[key]
        pairs = number * (number - 1) / 2
        if row < 0 or column < 0:
            return -self.rates.noncoref * pairs, 0.0, 0.0
        share = self.rates.muc * max(0, number - 1) + (self.rates.coref + self.rates.noncoref) * pairs
        square = number * number
        return share, square / self.clusters.spread[column], square / self.clusters.sizes[row]


def with_sums(cells: dict[Cell, int]) -> dict[Cell, int]:
    """The cells and the sums of their rows and columns.

    >>> with_sums({(0, 0): 2, (0, 1): 1})
    {(0, 0): 2, (0, 1): 1, (0, -1): 3, (-1, 0): 2, (-1, 1): 1}
    """
    found = dict(cells)
    for (row, _), number in cells.items():
        found[row, -1] = found.get((row, -1), 0) + number
    for (_, column), number in cells.items():
        found[-1, column] = found.get((-1, column), 0) + number
    return found


def varying_sums(sums: Sequence[Sequence[Mapping[Cell, int]]], clock: Deadline = NEVER) -> set[Cell]:
    """The whole clusters to which the options of some group do not all add the same; `sums` are `all_sums`."""
    found: set[Cell] = set()
    for tables in sums:
        clock.check()
        for key in {key for table in tables for key in table if min(key) < 0} - found:
            if len({table.get(key, 0) for table in tables}) > 1:
                found.add(key)
    return found


def all_sums(group: Group) -> list[dict[Cell, int]]:
    """What every option of a group adds to cells and whole clusters; then, with unlisted ones, nothing and the most."""
    tables = [with_sums(option.cells) for option in group.options]
    return tables if group.most is None else [*tables, {}, with_sums(group.most)]


def table_of(choices: Choices, rates: Rates, clock: Deadline = NEVER) -> Table:
    """The table of a document with settled cells and open groups."""
    clusters, cells, groups = choices.clusters, choices.cells, choices.groups
    tables = []
    for group in groups:
        clock.check()
        tables.append(all_sums(group))
    most = list(map(_most, tables))
    sums = varying_sums(tables, clock)
    base = {key: number for key, number in with_sums(cells).items() if min(key) >= 0 or key in sums}
    keys = list(dict.fromkeys((*base, *(key for table in most for key in table if min(key) >= 0 or key in sums))))
    number_of = {key: number for number, key in enumerate(keys)}
    fixed = [base.get(key, 0) for key in keys]
    highest = list(fixed)
    near: list[list[int]] = [[] for _ in keys]
    for number, each in enumerate(most):
        for cell, count in each.items():
            if cell in number_of:
                highest[number_of[cell]] += count
                near[number_of[cell]].append(number)
    added = []
    for group, options in zip(groups, tables, strict=True):
        clock.check()
        added.append([_added(option, number_of) for option in options[: len(group.options)]])
    convex = [min(key) >= 0 for key in keys]
    weight = [
        2 * rates.ceafe / (clusters.sizes[row] + clusters.spread[column]) if row >= 0 and column >= 0 else 0.0
        for row, column in keys
    ]
    table = Table(keys, [], fixed, convex, weight, added, near, clusters, rates)
    for key, high in enumerate(highest):
        if key % 1000 == 0:
            clock.check()
        points = [table.point(key, number) for number in range(high + 1)] if near[key] else []
        table.worth.append([share + rates.precise * p + rates.found * f for share, p, f in points])
    return table


def _most(tables: Iterable[Mapping[Cell, int]]) -> dict[Cell, int]:
    found: dict[Cell, int] = {}
    for table in tables:
        for key, number in table.items():
            if number > found.get(key, 0):
                found[key] = number
    return found


def _added(option: Mapping[Cell, int], number_of: Mapping[Cell, int]) -> Added:
    return tuple([(number_of[key], count) for key, count in option.items() if key in number_of])


def added_most(table: Table, group: Group) -> Added:
    """The most that a group can add to any cell."""
    number_of = {key: number for number, key in enumerate(table.keys)}
    return tuple((number_of[cell], count) for cell, count in _most(all_sums(group)).items() if min(cell) >= 0)


def own_range(options: Iterable[Added]) -> dict[int, tuple[int, int]]:
    """The least and the most that some options of a group add to each key.

    >>> own_range([((0, 1), (1, 1)), ((0, 1), (2, 1))])
    {0: (1, 1), 1: (0, 1), 2: (0, 1)}
    """
    every = list(options)
    values: dict[int, list[int]] = {}
    for added in every:
        for key, number in added:
            values.setdefault(key, []).append(number)
    return {key: (min(numbers) if len(numbers) == len(every) else 0, max(numbers)) for key, numbers in values.items()}


def matched_cells(
    table: Table, cells: Iterable[int], low: Sequence[int], high: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Cells that stand in some best alignment of clusters whatever is chosen, and the cells of the other clusters.

    Such a cell always weighs at least as much as the best other cell of its row and of its column together.
    """
    keys, weight = table.keys, table.weight
    rows: dict[int, list[int]] = {}
    columns: dict[int, list[int]] = {}
    for cell in cells:
        if high[cell]:
            row, column = keys[cell]
            rows.setdefault(row, []).append(cell)
            columns.setdefault(column, []).append(cell)
    mates: list[int] = []
    todo = list(rows)
    while todo:
        row = todo.pop()
        mine = rows.get(row)
        if not mine:
            continue
        best = max(mine, key=lambda cell: low[cell] * weight[cell])
        column = keys[best][1]
        theirs = columns[column]
        rivals = max([high[cell] * weight[cell] for cell in mine if cell != best], default=0.0)
        rivals += max([high[cell] * weight[cell] for cell in theirs if cell != best], default=0.0)
        if low[best] * weight[best] < rivals:
            continue
        mates.append(best)
        del rows[row], columns[column]
        for cell in theirs:
            other = keys[cell][0]
            if other != row:
                rows[other].remove(cell)
                todo.append(other)
        for cell in mine:
            if cell != best:
                others = columns[keys[cell][1]]
                others.remove(cell)
                todo += [keys[each][0] for each in others]
    return mates, [cell for mine in rows.values() for cell in mine]


# ---------------------------------------------------------------------------------------------------------------------
# Upper bounds of what open choices can be worth
#
# The worth of a cell is convex in its mentions, so what a group gains grows with what other groups put there. The gain
# of all groups is the sum of their gains in any order; here it is the mean of two orders, one the reverse of the other,
# in which each group meets as much of the groups before it as there can be.


def aligned(table: Table, numbers: Sequence[int] | Mapping[int, int], cells: Sequence[int]) -> float:
    """The weight of the best alignment of clusters over some cells."""
    rows: dict[int, dict[int, float]] = {}
    for cell in cells:
        if numbers[cell]:
            row, column = table.keys[cell]
            rows.setdefault(row, {})[column] = numbers[cell] * table.weight[cell]
    return sum([rows[row][column] for row, column in align(rows).items()])


def highest(
    table: Table,
    low: Sequence[int],
    high: Sequence[int],
    options: Sequence[Sequence[Added]],
    ranges: Sequence[Range],
    keys: Sequence[int],
    cells: Sequence[int],
    clock: Deadline = NEVER,
) -> float:
    """An upper bound of what some keys, and the alignment of some cells, are worth for any choice among these options.

    An alignment gains at most the weight of every mention that is added to its cells; and it cannot have more than the
    best cell of every row, nor of every column.
    """
    worth, convex, weight = table.worth, table.convex, table.weight
    inside, counted = set(keys), set(cells)
    base = {key: low[key] for key in inside | counted}
    for own in ranges:
        for key, (least, _) in own.items():
            if key in base:
                base[key] -= least
    # Best for the others is as much as possible in a cell, and as little as possible in a whole cluster.
    before = {key: base[key] for key in keys}
    after = {key: high[key] if convex[key] else low[key] for key in keys}
    total = sum([worth[key][base[key]] for key in keys])
    apart = together = 0.0
    for choices, own in zip(options, ranges, strict=True):
        if clock.passed:
            return loosest(table, low, high, keys, cells)
        mine = [(key, most if convex[key] else least) for key, (least, most) in own.items() if key in inside]
        for key, best in mine:
            after[key] -= best
        gains, with_alignment = [], []
        for added in choices:
            gain = gained = 0.0
            for key, count in added:
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
    return total + min(apart + _widest(table, high, cells), together + aligned(table, base, cells))


def loosest(table: Table, low: Sequence[int], high: Sequence[int], keys: Sequence[int], cells: Sequence[int]) -> float:
    """The same ignoring the options: every key independently has its best value."""
    # A convex function is largest at one of the ends, and a whole cluster is worth most with the fewest mentions.
    most = [max(table.worth[key][low[key]], table.worth[key][high[key]]) for key in keys]
    return sum(most) + _widest(table, high, cells)


def _widest(table: Table, high: Sequence[int], cells: Sequence[int]) -> float:
    rows: dict[int, float] = {}
    columns: dict[int, float] = {}
    for cell in cells:
        row, column = table.keys[cell]
        weight = high[cell] * table.weight[cell]
        rows[row] = max(rows.get(row, 0.0), weight)
        columns[column] = max(columns.get(column, 0.0), weight)
    return min(sum(rows.values()), sum(columns.values()))


def unlisted(
    table: Table,
    groups: Sequence[Group],
    low: Sequence[int],
    high: Sequence[int],
    keys: Sequence[int],
    cells: Sequence[int],
    clock: Deadline = NEVER,
) -> float:
    """The same for a document in which some groups have more options than are listed."""
    low, high = list(low), list(high)
    ranges: list[Range] = []
    options: list[list[Added]] = []
    for number, group in enumerate(groups):
        mine = list(table.added[number])
        own = own_range(mine)
        if group.most is not None:
            mine.append(added_most(table, group))
            wide = {key: (0, most) for key, (_, most) in own_range(mine).items()}
            for key, (_, most) in wide.items():
                least, before = own.get(key, (0, 0))
                low[key] -= least
                high[key] += most - before
            own = wide
        ranges.append(own)
        options.append(mine)
    return highest(table, low, high, options, ranges, keys, cells, clock)
