"""The open choices of one document with double annotation: which mentions of one side are paired with which others.

Mentions that are annotated twice, with the same span and type, are one class: the mapping cannot tell them apart.
Between a gold class and a system class it says how many pairs there are, not which. What matters of a choice is only
how many mentions a gold cluster then shares with a system cluster; so mentions of one class and one cluster are alike,
and so are those that stand alone.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

from adjudge.algebra.solve.deadline import DEFAULT, NEVER, Deadline, OutOfTime
from adjudge.model.graph import blocks
from adjudge.tasks.coref.counts import Sizes, count_hits, count_unrepeated, sizes_of

Pair = tuple[int, int]
"""A gold mention and the system mention that is paired with it."""
Cell = tuple[int, int]
"""A gold cluster and a system cluster."""
Choice = tuple[tuple[int, int], ...]
"""Groups and the options that they take."""
Mentions = Sequence[Sequence[int]]

OPTIONS = 1_000  # maximum ways examined to pair the mentions of one group
KINDS = 300  # kinds of pairs in one group; with more, hardly any way is looked at
CELLS = 40_000  # cells that one group could touch; with more, the document is as it was given


class Option(NamedTuple):
    """One way to pair the mentions of a group, and how many mentions it puts into which cells."""

    pairs: tuple[Pair, ...]
    cells: dict[Cell, int]


class Group(NamedTuple):
    """All ways to pair some mentions; with too many of them, `most` is what could be put into each cell."""

    options: list[Option]
    most: dict[Cell, int] | None = None


class Clusters(NamedTuple):
    """The clusters of both sides as they are counted: the cluster of every mention, and their sizes."""

    gold: list[int]
    system: list[int]
    sizes: Sizes
    spread: Sizes


class Choices(NamedTuple):
    """What is open in one document: groups of mentions with their options, besides settled pairs.

    `cells` are those of the settled pairs whose clusters are joined with any that a group touches; the others are worth
    the same whatever is chosen. A document that has more choices than there was time for is `cut`: it has no
    groups, and all pairs are as given. `left` are the seconds that it may still take.
    """

    clusters: Clusters
    settled: list[Pair]
    cells: dict[Cell, int]
    groups: list[Group]
    left: float = DEFAULT
    cut: bool = False

    def pairs(self, choice: Choice) -> list[Pair]:
        """The pairs of a choice, by gold mention."""
        chosen = [pair for group, option in choice for pair in self.groups[group].options[option].pairs]
        return sorted((*self.settled, *chosen))

    def counts(self, choice: Choice) -> tuple[float, ...]:
        """The counts of a choice."""
        gold, system, sizes, spread = self.clusters
        met = defaultdict[int, list[int]](list)
        for one, other in sorted(self.pairs(choice), key=itemgetter(1)):
            met[system[other]].append(gold[one])
        return count_hits(sizes, spread, dict(sorted(met.items())))


def find_choices(
    gold: Mentions,
    system: Mentions,
    pairs: Sequence[Pair],
    gold_class: Sequence[Hashable],
    system_class: Sequence[Hashable],
    clock: Deadline = NEVER,
) -> Choices | None:
    """The choices that one document leaves open; None if all pairs are settled.

    >>> choices = find_choices([[0], [1, 2]], [[0, 1]], [(0, 0), (2, 1)], ["kill", "kill", "war"], ["kill", "war"])
    >>> choices.settled, [option.pairs for option in choices.groups[0].options]
    ([(2, 1)], [((1, 0),), ((0, 0),)])
    """
    return choices_of(clusters_of(gold, system), pairs, gold_class, system_class, clock)


def choices_of(
    clusters: Clusters,
    pairs: Sequence[Pair],
    gold_class: Sequence[Hashable],
    system_class: Sequence[Hashable],
    clock: Deadline = NEVER,
) -> Choices | None:
    """The same for clusters as they are counted.

    >>> choices = choices_of(clusters_of([[0], [1, 2]], [[0, 1]]), [(0, 0), (2, 1)], ["x", "x", "y"], ["x", "y"])
    >>> choices.cells
    {(1, 0): 1}
    """
    try:
        settled, groups = find_groups(clusters, pairs, gold_class, system_class, clock)
    except OutOfTime:
        return Choices(clusters, list(pairs), {}, [], 0.0, cut=True)
    if not groups:
        return None
    touched = [
        cell
        for group in groups
        for cells in (*[each.cells for each in group.options], group.most or ())
        for cell in cells
    ]
    return Choices(clusters, settled, _joined(cells_of(clusters, settled), touched), groups)


def count_pairs(gold: Mentions, system: Mentions, pairs: Sequence[Pair]) -> tuple[float, ...]:
    """The counts of one document in the order of `COLUMNS`, when these mentions are the same and no others.

    >>> from adjudge.tasks.coref.counts import COLUMNS
    >>> dict(zip(COLUMNS, count_pairs([[0], [1, 2]], [[0, 1]], [(1, 0), (2, 1)])))["coref.muc:matched"]
    1
    """
    partner = {system: gold for gold, system in pairs}
    # A system mention without a partner is told apart from all gold mentions by being negative.
    response = [[partner.get(mention, -1 - mention) for mention in chain] for chain in system]
    found = count_unrepeated(gold, response)
    if found is None:
        raise ValueError("a mention is in two clusters or in two pairs")
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Groups


def clusters_of(gold: Sequence[Sequence[int]], system: Sequence[Sequence[int]]) -> Clusters:
    """The clusters of a document.

    >>> clusters_of([[0, 2], [1]], [[0, 1]]).sizes.each
    [2, 1]
    """
    return Clusters(_homes(gold), _homes(system), sizes_of(list(map(len, gold))), sizes_of(list(map(len, system))))


def _homes(chains: Sequence[Sequence[int]]) -> list[int]:
    """The cluster of every mention.

    >>> _homes([[0, 2], [1]])
    [0, 1, 0]
    """
    home = [0] * (1 + max(map(max, chains), default=-1))
    for number, chain in enumerate(chains):
        for mention in chain:
            home[mention] = number
    return home


def find_groups(
    clusters: Clusters,
    pairs: Sequence[Pair],
    gold_class: Sequence[Hashable],
    system_class: Sequence[Hashable],
    clock: Deadline = NEVER,
) -> tuple[list[Pair], list[Group]]:
    """The settled pairs, and the groups of mentions for which there is a choice.

    >>> clusters = clusters_of([[0], [1, 2]], [[0, 1]])
    >>> settled, groups = find_groups(clusters, [(0, 0), (2, 1)], ["x", "x", "y"], ["x", "y"])
    >>> settled, [option.pairs for option in groups[0].options]
    ([(2, 1)], [((1, 0),), ((0, 0),)])
    """
    sizes = Counter(gold_class), Counter(system_class)
    flows: dict[tuple[Hashable, Hashable], list[Pair]] = {}
    settled: list[Pair] = []
    for pair in pairs:
        a, b = gold_class[pair[0]], system_class[pair[1]]
        if sizes[0][a] == sizes[1][b] == 1:  # no other mention is affected
            settled.append(pair)
        else:
            flows.setdefault((a, b), []).append(pair)
    alone = tuple(settled)
    ours, theirs = _members(gold_class, {a for a, _ in flows}), _members(system_class, {b for _, b in flows})
    groups: list[Group] = []
    for joined in blocks({flow: (("gold", flow[0]), ("system", flow[1])) for flow in flows}):
        clock.check()
        slots = (
            {a: _slots(ours[a], clusters.gold, clusters.sizes.each) for a, _ in joined},
            {b: _slots(theirs[b], clusters.system, clusters.spread.each) for _, b in joined},
        )
        numbers = [(a, b, len(flows[a, b])) for a, b in joined]
        ways, most = list(islice(_ways(numbers, slots, clock), OPTIONS + 1)), None
        if not 0 < len(ways) <= OPTIONS:
            if sum(len(ours[a]) * len(theirs[b]) for a, b in joined) > CELLS:
                raise OutOfTime  # there would be, long before all of it is written down
            given = [pair for flow in joined for pair in flows[flow]]
            likely = _likely(numbers, slots, clusters, cells_of(clusters, alone))
            ways, most = [likely, given, *ways[:OPTIONS]], _most(joined, slots, clusters)
        options = _distinct(ways, clusters)
        if len(options) == 1 and most is None:
            settled += options[0].pairs
        else:
            groups.append(Group(options, most))
    return settled, groups


Slots = list[list[int]]
"""The mentions of a class, those that are alike together."""
BothSlots = tuple[dict[Hashable, Slots], dict[Hashable, Slots]]
Flow = tuple[Hashable, Hashable, int]
"""A gold class, a system class, and the number of pairs between them."""


def _members(classes: Sequence[Hashable], wanted: Container[Hashable]) -> dict[Hashable, list[int]]:
    """The mentions of the requested classes."""
    found: dict[Hashable, list[int]] = {}
    for mention, each in enumerate(classes):
        if each in wanted:
            found.setdefault(each, []).append(mention)
    return found


def _slots(mentions: Sequence[int], home: Sequence[int], sizes: Sequence[int]) -> Slots:
    found: dict[int, list[int]] = {}
    for mention in mentions:
        cluster = home[mention]
        found.setdefault(cluster if sizes[cluster] > 1 else -1, []).append(mention)
    return [found[cluster] for cluster in sorted(found, reverse=True)]


def cells_of(clusters: Clusters, pairs: Sequence[Pair]) -> dict[Cell, int]:
    """How many of some pairs are in each cell.

    >>> cells_of(clusters_of([[0, 2], [1]], [[0, 1]]), [(0, 0), (2, 1)])
    {(0, 0): 2}
    """
    return dict(Counter([(clusters.gold[gold], clusters.system[system]) for gold, system in pairs]))


def _joined(cells: Mapping[Cell, int], touched: Iterable[Cell]) -> dict[Cell, int]:
    """The cells whose clusters are joined with those of touched cells by common mentions."""
    rows, columns = defaultdict[int, list[Cell]](list), defaultdict[int, list[Cell]](list)
    for cell in cells:
        rows[cell[0]].append(cell)
        columns[cell[1]].append(cell)
    todo = list(touched)
    found: set[Cell] = set()
    while todo:
        row, column = todo.pop()
        near = rows.pop(row, []) + columns.pop(column, [])
        found.update(near)
        todo += near
    return {cell: number for cell, number in cells.items() if cell in found}


def _distinct(ways: Iterable[Sequence[Pair]], clusters: Clusters) -> list[Option]:
    """The ways that put different numbers into some cell."""
    found: dict[frozenset[tuple[Cell, int]], Option] = {}
    for way in ways:
        cells = cells_of(clusters, way)
        found.setdefault(frozenset(cells.items()), Option(tuple(way), cells))
    return list(found.values())


def _likely(flows: Sequence[Flow], slots: BothSlots, clusters: Clusters, cells: dict[Cell, int]) -> list[Pair]:
    """One option: mentions of clusters that already share most come first."""
    taken: tuple[dict[int, None], dict[int, None]] = ({}, {})
    pairs: list[Pair] = []
    for a, b, number in flows:
        free = [(g, s) for row in slots[0][a] for g in row for column in slots[1][b] for s in column]
        free.sort(key=lambda pair: -cells.get((clusters.gold[pair[0]], clusters.system[pair[1]]), 0))
        for gold, system in free:
            if number and gold not in taken[0] and system not in taken[1]:
                taken[0][gold] = taken[1][system] = None
                pairs.append((gold, system))
                number -= 1
    return pairs


def _ways(flows: Sequence[Flow], slots: BothSlots, clock: Deadline = NEVER) -> Iterator[list[Pair]]:
    """All ways to take the pairs of the flows out of the slots, one for each table of how many come from where.

    None if there are too many kinds of pairs.
    """
    if sum(len(slots[0][a]) * len(slots[1][b]) for a, b, _ in flows) > KINDS:
        return iter(())
    ours, theirs = ({name: [0] * len(each) for name, each in side.items()} for side in slots)  # taken from each slot
    pairs: list[Pair] = []

    def choose(flow: int, left: int, row: int, column: int) -> Iterator[list[Pair]]:
        clock.check()
        if left == 0:
            if flow + 1 == len(flows):
                yield list(pairs)
            else:
                yield from choose(flow + 1, flows[flow + 1][2], 0, 0)
            return
        a, b, _ = flows[flow]
        rows, columns = slots[0][a], slots[1][b]
        if column == len(columns):
            row, column = row + 1, 0
        room = sum(len(rows[place]) - ours[a][place] for place in range(row, len(rows)))
        if left > room:
            return
        free = min(len(rows[row]) - ours[a][row], len(columns[column]) - theirs[b][column], left)
        for number in range(free, -1, -1):
            first, second = ours[a][row], theirs[b][column]
            taken = zip(rows[row][first : first + number], columns[column][second : second + number], strict=True)
            pairs.extend(taken)
            ours[a][row] += number
            theirs[b][column] += number
            yield from choose(flow, left - number, row, column + 1)
            ours[a][row] -= number
            theirs[b][column] -= number
            del pairs[len(pairs) - number :]

    return choose(0, flows[0][2], 0, 0)


def _most(joined: Sequence[tuple[Hashable, Hashable]], slots: BothSlots, clusters: Clusters) -> dict[Cell, int]:
    """The largest number of pairs that each cell could get."""
    most: Counter[Cell] = Counter()
    for a, b in joined:
        ours, theirs = (
            Counter(home[mention] for slot in own for mention in slot)
            for own, home in ((slots[0][a], clusters.gold), (slots[1][b], clusters.system))
        )
        most.update({(k, r): min(m, n) for k, m in ours.items() for r, n in theirs.items()})
    return most
