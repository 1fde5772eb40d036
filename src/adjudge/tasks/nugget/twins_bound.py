"""What open choices among twins can be worth at most.

The worth of a cell is convex in its mentions, so what a group gains grows with what other groups put there. The gain of
all groups is the sum of their gains in any order; here it is the mean of two orders, one the reverse of the other, in
which each group meets as much of the groups before it as there can be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from adjudge.tasks.coref.alignment import align
from adjudge.tasks.nugget.twins_groups import Group
from adjudge.tasks.nugget.twins_table import Added, Table, added_most, own_range

Range = Mapping[int, tuple[int, int]]
"""The least and the most that a group adds to keys."""


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
) -> float:
    """At least what some keys, and the alignment of some cells, are worth for any choice among these options.

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
    return highest(table, low, high, options, ranges, keys, cells)
