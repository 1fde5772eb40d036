"""Walks one by one, for what no product counts: walks that visit no node twice, or middle nodes compared by label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from adjudge.errors import UsageError
from adjudge.tasks.kbp.paths_facts import (
    Counts,
    Facts,
    HopCounts,
    Sequences,
    blocks,
    combine,
    label_of,
    label_space,
    node_starts,
    ranges,
    relation_space,
    walks_from,
)
from adjudge.tasks.kbp.paths_sparse import summed

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints: TypeAlias = npt.NDArray[Any]

Identity: TypeAlias = Literal["endpoints", "full"]
Walking: TypeAlias = Literal["all", "simple"]

# Walks of one block, and the most there may be in all before the count is refused.
BLOCK = 1 << 20
LIMIT = 1 << 29


class Walks(NamedTuple):
    """Walks of one length: nodes (one more column than hops), relations, and the fact of the last hop.

    `parents` says which walk of the length before each one continues; at one hop it is empty.
    """

    nodes: Ints
    relations: Ints
    facts: Ints
    parents: Ints


def count_walks(
    gold: Facts,
    system: Facts,
    *,
    hops: int = 3,
    identity: Identity = "endpoints",
    walks: Walking = "all",
    sources: tuple[int, int] | None = None,
    block: int = BLOCK,
    limit: int = LIMIT,
) -> tuple[HopCounts, ...]:
    """The same counts as the products give, from every walk of both sides; refused beyond `limit` walks.

    With `sources`, only walks whose first label is from the one to before the other.

    >>> from adjudge.tasks.kbp.paths_facts import make_facts
    >>> ring = make_facts([0, 1], [0, 0], [1, 0])
    >>> [c.total.gold for c in count_walks(ring, ring, hops=2)]
    [2, 2]
    >>> [c.total.gold for c in count_walks(ring, ring, hops=2, walks="simple")]
    [2, 0]
    """
    import numpy as np

    sides = (gold, system)
    width = relation_space(sides)
    found: list[Sequences] = [{} for _ in range(hops)]
    for start, stop in source_blocks(sides, hops, block=block, limit=limit, sources=sources):
        states = [first_walks(side, start, stop, walks) for side in sides]
        for hop in range(1, hops + 1):
            if hop > 1:
                states = [longer(side, state, walks) for side, state in zip(sides, states, strict=True)]
            keys = walk_keys(sides, states, identity)
            distinct = [np.unique(key, return_index=True) for key in keys]
            both = np.intersect1d(distinct[0][0], distinct[1][0], assume_unique=True, return_indices=True)[1]
            at = (distinct[0][1][both], distinct[0][1], distinct[1][1])
            for column, (rows, state) in enumerate(zip(at, (states[0], *states), strict=True)):
                _note(found[hop - 1], column, state.relations[rows], width)
    return tuple(summed(hop, sequences) for hop, sequences in enumerate(found, start=1))


def _note(sequences: Sequences, column: int, relations: Ints, width: int) -> None:
    import numpy as np

    key = combine(list(relations.T), [width] * relations.shape[1])
    _, at, numbers = np.unique(key, return_index=True, return_counts=True)
    for sequence, number in zip(relations[at].tolist(), numbers.tolist(), strict=True):
        counts = list(sequences.get(tuple(sequence), (0, 0, 0)))
        counts[column] += number
        sequences[tuple(sequence)] = Counts(*counts)


def source_blocks(
    sides: Sequence[Facts],
    hops: int,
    *,
    block: float,
    limit: float = float("inf"),
    sources: tuple[int, int] | None = None,
) -> Iterator[tuple[int, int]]:
    """Runs of first labels with at most `block` walks of any length up to `hops`, where a single label allows it.

    They cover all labels, or `sources`, those from the one to before the other.

    >>> from adjudge.tasks.kbp.paths_facts import make_facts
    >>> list(source_blocks([make_facts([0, 2], [0, 0], [1, 1])], 1, block=1))
    [(0, 2), (2, 3)]
    """
    weights = label_walks(sides, hops).max(axis=0)
    if float(weights.sum()) > limit:
        raise UsageError(
            f"there are about {float(weights.sum()):.2g} walks, too many to go through one by one",
            hint="compare endpoints, allow nodes to repeat, or ask for fewer hops",
        )
    first, last = sources or (0, len(weights))
    return ((first + start, first + stop) for start, stop in blocks(weights[first:last], block))


def label_walks(sides: Sequence[Facts], hops: int) -> Ints:
    """How many walks of each length begin at each label, over all sides, as floats.

    >>> from adjudge.tasks.kbp.paths_facts import make_facts
    >>> label_walks([make_facts([0], [0], [1]), make_facts([0], [0], [1])], 1).tolist()
    [[2.0, 0.0]]
    """
    import numpy as np

    total = np.zeros((hops, label_space(sides)))
    for side in sides:
        rows = walks_from(side, hops)
        if side.labels is None:
            total[:, : side.nodes] += rows
        else:
            for row, own in zip(total, rows, strict=True):
                row += np.bincount(side.labels[: side.nodes], weights=own, minlength=len(row))
    return total


def first_walks(side: Facts, start: int, stop: int, walks: Walking = "all") -> Walks:
    """The walks of one hop whose first label is from `start` to before `stop`."""
    import numpy as np

    if side.labels is None:
        low, high = np.searchsorted(side.subjects, [start, stop])
        at = np.arange(low, high)
    else:
        labels = side.labels[side.subjects]
        at = np.flatnonzero((labels >= start) & (labels < stop))
    nodes = np.stack((side.subjects[at], side.objects[at]), axis=1)
    kept = np.flatnonzero(nodes[:, 0] != nodes[:, 1]) if walks == "simple" else slice(None)
    at = at[kept]
    return Walks(nodes[kept], side.relations[at][:, None], at, at[:0])


def longer(side: Facts, state: Walks, walks: Walking = "all") -> Walks:
    """Every walk with every fact about its last node."""
    import numpy as np

    parents, facts = followed(node_starts(side), state.nodes[:, -1])
    reached = side.objects[facts]
    if walks == "simple":
        kept = np.flatnonzero((state.nodes[parents] != reached[:, None]).all(axis=1))
        parents, facts, reached = parents[kept], facts[kept], reached[kept]
    return Walks(
        np.column_stack((state.nodes[parents], reached)),
        np.column_stack((state.relations[parents], side.relations[facts])),
        facts,
        parents,
    )


def followed(starts: Ints, nodes: Ints) -> tuple[Ints, Ints]:
    """Every (place in nodes, fact about that node).

    >>> import numpy as np
    >>> [column.tolist() for column in followed(np.array([0, 2, 2, 3]), np.array([2, 0]))]
    [[0, 1, 1], [2, 0, 1]]
    """
    import numpy as np

    low = starts[nodes]
    lengths = starts[nodes + 1] - low
    return np.repeat(np.arange(len(nodes)), lengths), ranges(low, lengths)


def walk_keys(sides: Sequence[Facts], states: Sequence[Walks], identity: Identity) -> list[Ints]:
    """Numbers that are equal, on one side or across sides, if and only if the paths are."""
    import numpy as np

    labels, relations = label_space(sides), relation_space(sides)
    parts = []
    for side, state in zip(sides, states, strict=True):
        nodes = state.nodes if identity == "full" else state.nodes[:, [0, -1]]
        parts.append(np.column_stack((label_of(side, nodes), state.relations)))
    every = np.concatenate(parts)
    hops = states[0].relations.shape[1]
    sizes = [labels] * (every.shape[1] - hops) + [relations] * hops
    key = combine(list(every.T), sizes)
    return np.split(key, np.cumsum([len(part) for part in parts])[:-1])
