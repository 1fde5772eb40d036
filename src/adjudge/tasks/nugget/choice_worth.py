"""The table of common mentions of one document under the open choices, and what it is worth.

Under a linear score a document is worth the sum of one number for every cell (K, R), one for every gold cluster
(K, -1) and system cluster (-1, R) of which the choices pair more or fewer mentions, and the weight of the best
alignment of clusters (CEAF). In a cell with M mentions

    MUC matched max(0, M - 1); B3 matched M^2 / |R|, found M^2 / |K|; BLANC within clusters M (M - 1) / 2,
    BLANC between clusters M (M - 1) / 2 less the same for the mentions paired of each whole cluster.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from adjudge.algebra.solve.deadline import NEVER, Deadline
from adjudge.tasks.nugget.open_choices import Cell, Choices, Clusters

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
    """The keys of a document by number, what they are worth with 0, 1, ... mentions, and what the groups can add.

    A group with more options than are listed adds two at the end: nothing, and the most that any cell could get.
    """

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
        return share, square / self.clusters.spread.each[column], square / self.clusters.sizes.each[row]


def with_sums(cells: Mapping[Cell, int]) -> dict[Cell, int]:
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


def table_of(choices: Choices, rates: Rates, clock: Deadline = NEVER) -> Table:
    """The table of a document with settled cells and open groups."""
    clusters, groups = choices.clusters, []
    counted = dict.fromkeys(choices.cells)  # the cells, and the whole clusters to which options do not all add the same
    for group in choices.groups:
        clock.check()
        tables: list[Mapping[Cell, int]] = [with_sums(option.cells) for option in group.options]
        tables += [] if group.most is None else [{}, group.most]
        groups.append(tables)
        for key in dict.fromkeys(key for table in tables for key in table):
            if min(key) >= 0 or (key not in counted and len({table.get(key, 0) for table in tables}) > 1):
                counted[key] = None
    number_of = {key: number for number, key in enumerate(counted)}
    base = with_sums(choices.cells)
    fixed = [base.get(key, 0) for key in counted]
    highest = list(fixed)
    near: list[list[int]] = [[] for _ in fixed]
    added: list[list[Added]] = []
    for number, tables in enumerate(groups):
        clock.check()
        added.append([tuple([(number_of[key], n) for key, n in each.items() if key in number_of]) for each in tables])
        for place, (_, most) in added_range(added[-1]).items():
            highest[place] += most
            near[place].append(number)
    weight = [
        2 * rates.ceafe / (clusters.sizes.each[row] + clusters.spread.each[column]) if row >= 0 and column >= 0 else 0.0
        for row, column in counted
    ]
    convex = [min(key) >= 0 for key in counted]
    table = Table(list(counted), [], fixed, convex, weight, added, near, clusters, rates)
    for place, high in enumerate(highest):
        if place % 1000 == 0:
            clock.check()
        points = [table.point(place, number) for number in range(high + 1)] if near[place] else []
        table.worth.append([share + rates.precise * p + rates.found * f for share, p, f in points])
    return table


def added_range(options: Sequence[Added]) -> dict[int, tuple[int, int]]:
    """The least and the most that some options of a group add to each key.

    >>> added_range([((0, 1), (1, 1)), ((0, 1), (2, 1))])
    {0: (1, 1), 1: (0, 1), 2: (0, 1)}
    """
    values: dict[int, list[int]] = {}
    for added in options:
        for key, number in added:
            values.setdefault(key, []).append(number)
    return {key: (min(own) if len(own) == len(options) else 0, max(own)) for key, own in values.items()}


def widest(table: Table, high: Sequence[int], cells: Sequence[int]) -> float:
    """The best cell of every row, or of every column, if that is less."""
    rows: dict[int, float] = {}
    columns: dict[int, float] = {}
    for cell in cells:
        row, column = table.keys[cell]
        weight = high[cell] * table.weight[cell]
        rows[row] = max(rows.get(row, 0.0), weight)
        columns[column] = max(columns.get(column, 0.0), weight)
    return min(sum(rows.values()), sum(columns.values()))
