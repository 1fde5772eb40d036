"""What is open in one document, and what its ways are counted as."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from adjudge.tasks.coref.counts import count_unrepeated
from adjudge.tasks.nugget.rows import Row
from adjudge.tasks.nugget.twins_groups import (
    Cell,
    Clusters,
    Group,
    Pair,
    cells_of,
    clusters_of,
    find_groups,
    near_cells,
)
from adjudge.tasks.nugget.twins_solve import Choice
from adjudge.tasks.nugget.twins_table import Rates, Table, table_of

Mentions = Sequence[Sequence[int]]


class Choices(NamedTuple):
    """What is open in one document: groups of twins with their options, beside pairs that are as they are.

    `cells` are those of the settled pairs, as far as their clusters are linked to those of open ones.
    """

    clusters: Clusters
    settled: list[Pair]
    cells: dict[Cell, int]
    groups: list[Group]

    def is_given(self, choice: Choice) -> bool:
        """Whether a choice is that of the mapping, as far as cells and so the counts go."""
        return all(self.groups[group].given == option for group, option in choice)

    def pairs(self, choice: Choice) -> list[Pair]:
        """The pairs of a choice, by gold mention."""
        chosen = [pair for group, option in choice for pair in self.groups[group].options[option].pairs]
        return sorted((*self.settled, *chosen))

    def counts(self, choice: Choice) -> Row:
        """The counts of a choice."""
        return count_pairs(chains_of(self.clusters.gold), chains_of(self.clusters.system), self.pairs(choice))

    def table(self, rates: Rates) -> Table:
        """What all choices are worth."""
        return table_of(self.clusters, self.cells, self.groups, rates)


def document_front(
    gold: Mentions,
    system: Mentions,
    pairs: Sequence[Pair],
    gold_class: Sequence[Hashable],
    system_class: Sequence[Hashable],
) -> Choices | None:
    """The choices that one document leaves open; None if all pairs are as they are.

    >>> front = document_front([[0], [1, 2]], [[0, 1]], [(0, 0), (2, 1)], ["kill", "kill", "war"], ["kill", "war"])
    >>> front.settled, [option.pairs for option in front.groups[0].options]
    ([(2, 1)], [((1, 0),), ((0, 0),)])
    """
    if len(set(gold_class)) == len(gold_class) and len(set(system_class)) == len(system_class):
        return None
    clusters = clusters_of(gold, system)
    settled, groups = find_groups(clusters, pairs, gold_class, system_class)
    if not groups:
        return None
    return Choices(clusters, settled, near_cells(cells_of(clusters, settled), groups), groups)


def count_pairs(gold: Mentions, system: Mentions, pairs: Sequence[Pair]) -> Row:
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


def chains_of(home: Sequence[int]) -> list[list[int]]:
    """The mentions of every cluster, ascending.

    >>> chains_of([0, 1, 0])
    [[0, 2], [1]]
    """
    found: list[list[int]] = [[] for _ in range(max(home, default=-1) + 1)]
    for mention, number in enumerate(home):
        found[number].append(mention)
    return found
