"""Walks one by one, for what no product counts: walks that visit no node twice, or middle nodes compared by label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from adjudge.errors import UsageError
from adjudge.tasks.kbp.masks_bits import column_counts, or_groups
from adjudge.tasks.kbp.paths_facts import (
    Facts,
    RowCounts,
    blocks,
    combine,
    label_of,
    label_space,
    node_starts,
    ranges,
    relation_space,
    walks_from,
)

if TYPE_CHECKING:
    import numpy.typing as npt

    Words: TypeAlias = npt.NDArray[Any]
    Ints: TypeAlias = npt.NDArray[Any]

Identity: TypeAlias = Literal["endpoints", "full"]
Walking: TypeAlias = Literal["all", "simple"]

# The most walks there may be in all before the count is refused.
LIMIT = 1 << 29


class Walks(NamedTuple):
    """Walks of one length: nodes (one more column than hops), relations, and the fact of the last hop.

    `parents` says which walk of the length before each one continues; at one hop it is empty.
    """

    nodes: Ints
    relations: Ints
    facts: Ints
    parents: Ints


def walk_counts(
    sides: Sequence[Facts],
    masks: Sequence[Words],
    *,
    hops: int,
    identity: Identity,
    walks: Walking,
    block: int,
    apart: bool = False,
    sources: tuple[int, int] | None = None,
) -> Iterator[RowCounts]:
    """The paths of every row (gold, then for each system what is on both sides, and the system) and length.

    `masks` say in which samples the facts are. Sequences of relations are told apart if `apart`, in the first sample
    alone. With `sources`, only walks whose first label is from the one to before the other.

    >>> from adjudge.tasks.kbp.masks_bits import pack
    >>> from adjudge.tasks.kbp.paths_facts import make_facts
    >>> ring, how = make_facts([0, 1], [0, 0], [1, 0]), {"identity": "endpoints", "walks": "simple", "block": 64}
    >>> [(row, hop, int(n[0])) for row, hop, n in walk_counts([ring], [pack([[True]] * 2)], hops=2, **how)]
    [(0, (0,), 2), (0, (0, 0), 0)]
    """
    import numpy as np

    size = max(1, block // (8 * max(1, masks[0].shape[1])))
    for start, stop in source_blocks(sides, hops, block=size, limit=LIMIT, sources=sources):
        states = [first_walks(side, start, stop, walks) for side in sides]
        present = [own[state.facts] for own, state in zip(masks, states, strict=True)]
        for hop in range(1, hops + 1):
            if hop > 1:
                states = [longer(side, state, walks) for side, state in zip(sides, states, strict=True)]
                steps = zip(present, masks, states, strict=True)
                present = [before[state.parents] & own[state.facts] for before, own, state in steps]
            merged = []
            for key, words, state in zip(walk_keys(sides, states, identity), present, states, strict=True):
                order = np.argsort(key, kind="stable")
                distinct, first = np.unique(key[order], return_index=True)
                merged.append((distinct, or_groups(words[order], first), state.relations[order[first]]))
            keys, words, relations = merged[0]
            rows = [(0, words, relations)]
            for place, (other_keys, other_words, other_relations) in enumerate(merged[1:], start=1):
                _, one, other = np.intersect1d(keys, other_keys, assume_unique=True, return_indices=True)
                rows.append((2 * place - 1, words[one] & other_words[other], relations[one]))
                rows.append((2 * place, other_words, other_relations))
            for row, own, sequences in rows:
                if apart:
                    yield from ((row, sequence, number) for sequence, number in _by_sequence(own, sequences))
                else:
                    yield row, (0,) * hop, column_counts(own)


def _by_sequence(words: Words, relations: Ints) -> Iterator[tuple[tuple[int, ...], Ints]]:
    """How many of the paths of each sequence are in the first sample."""
    import numpy as np

    key = combine(list(relations.T), [int(relations.max(initial=0)) + 1] * relations.shape[1])
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    numbers = np.bincount(place[(words[:, 0] & np.uint64(1)).astype(bool)], minlength=len(first))
    for sequence, number in zip(relations[first].tolist(), numbers, strict=True):
        yield tuple(sequence), np.array([number])


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
