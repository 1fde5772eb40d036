"""Connectivity and distances in a knowledge graph, in many samples of the documents at once.

A sample is a bit of a word (see `facts`): a fact is in the samples that have one of its documents. Distances follow
edges step by step with sets of samples instead of truth values; components are those of a graph with a separate part
for every sample. Without samples there is one, with all documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from adjudge.algebra.solve.deadline import running
from adjudge.tasks.kbp.facts import Facts, blocks, column_counts, fact_masks, label_walks, or_groups, ranges, unpack

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints: TypeAlias = npt.NDArray[Any]
    Words: TypeAlias = npt.NDArray[Any]

_MOST_EDGES = 1 << 25  # facts times samples, at most, for components
_MOST_WORDS = 1 << 22  # words of samples of all facts, at most, for distances
_MOST_STEPS = 1 << 27  # steps times words, at most, for distances; a step itself costs as much as some words
_STEP = 8
_AT_ONCE = 1 << 20


class Samples(NamedTuple):
    """Which documents are in which sample, as bits; and how many samples there are."""

    presence: Words
    number: int


def every_document(documents: int) -> Samples:
    """The one sample that has all documents."""
    import numpy as np

    return Samples(np.ones((max(documents, 1), 1), dtype=np.uint64), 1)


# ---------------------------------------------------------------------------------------------------------------------
# Components


def connected_counts(sides: Sequence[Facts], samples: Samples) -> list[tuple[Ints, Ints, Ints]] | None:
    """For every system, pairs of names in one weakly connected component: on both sides, in gold, in the system.

    None if there are too many samples for so many facts.

    >>> from adjudge.tasks.kbp.facts import make_facts
    >>> chain, broken = make_facts([0, 1, 2], [0, 0, 0], [1, 2, 3]), make_facts([0, 2], [0, 0], [1, 3])
    >>> [[int(column[0]) for column in own] for own in connected_counts([chain, broken], every_document(1))]
    [[2, 6, 2]]
    """
    import numpy as np

    if samples.number > 1 and samples.number * sum(len(side.subjects) for side in sides) > _MOST_EDGES:
        return None
    used = np.unique(np.concatenate([end for side in sides for end in (side.subjects, side.objects)]))
    masks = [fact_masks(side.starts, side.documents, samples.presence) for side in sides]
    weight = 64 * max(1, len(used), *(len(side.subjects) for side in sides))
    found: list[list[tuple[Ints, ...]]] = [[] for _ in sides[1:]]
    words = samples.presence.shape[1]
    for start, stop in blocks(np.full(words, weight), _AT_ONCE):
        running().check()
        gold, *systems = (
            _components(side, used, unpack(mask[:, start:stop])) for side, mask in zip(sides, masks, strict=True)
        )
        number = 64 * (stop - start)
        for own, system in zip(found, systems, strict=True):
            both = np.full(len(gold), -1)
            shared = np.flatnonzero((gold >= 0) & (system >= 0))
            keys = gold[shared] * (system.max(initial=0) + 1) + system[shared]
            both[shared] = np.unique(keys, return_inverse=True)[1].reshape(-1)
            own.append(tuple(_pairs(labels, number) for labels in (both, gold, system)))
    merged = [[np.concatenate(each)[: samples.number] for each in zip(*own, strict=True)] for own in found]
    return [(each[0], each[1], each[2]) for each in merged]


def _components(side: Facts, used: Ints, bits: Ints) -> Ints:
    """The component of every name in every sample, sample after sample; -1 where a name has no fact."""
    import numpy as np
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    size = len(used) * bits.shape[1]
    fact, sample = np.nonzero(bits)
    ends = [np.searchsorted(used, end)[fact] + sample * len(used) for end in (side.subjects, side.objects)]
    labels = np.full(size, -1, dtype=np.int64)
    if len(fact):
        graph = coo_matrix((np.ones(len(fact), dtype=np.int8), tuple(ends)), shape=(size, size))
        present = np.zeros(size, dtype=bool)
        present[ends[0]] = present[ends[1]] = True
        labels[present] = connected_components(graph, directed=False)[1][present]
    return labels


def _pairs(labels: Ints, samples: int) -> Ints:
    """How many pairs of names have one label, in every sample."""
    import numpy as np

    if not labels.size:
        return np.zeros(samples, dtype=np.int64)
    labels = labels + 1  # 0 means none
    others = np.bincount(labels)[labels] - 1
    others[labels == 0] = 0
    counted: Ints = others.reshape(samples, -1).sum(axis=1) // 2
    return counted


# ---------------------------------------------------------------------------------------------------------------------
# Distances


class _Edges(NamedTuple):
    """Pairs of nodes with a fact, ascending, and the samples of each; those of node v begin at starts[v]."""

    subjects: Ints
    objects: Ints
    masks: Words
    starts: Ints


class _Reached(NamedTuple):
    """Pairs of nodes as ascending numbers, and the samples of each."""

    keys: Ints
    masks: Words


class _TooMany(Exception):
    """Distances would take too many steps."""


class _Budget:
    """The steps that are left."""

    def __init__(self) -> None:
        self.left = _MOST_STEPS

    def spend(self, steps: int, words: int) -> None:
        running().check()
        self.left -= steps * (_STEP + words)
        if self.left < 0:
            raise _TooMany


def distance_counts(sides: Sequence[Facts], hops: int, samples: Samples) -> list[list[tuple[Ints, Ints]]] | None:
    """For every system, by distance in gold, how many ordered pairs it connects within it, and how many there are.

    None if that takes too many steps.

    >>> from adjudge.tasks.kbp.facts import make_facts
    >>> chain, short = make_facts([0, 1, 2], [0, 0, 0], [1, 2, 3]), make_facts([0, 2], [0, 0], [2, 3])
    >>> found = distance_counts([chain, short], 3, every_document(1))
    >>> [[(int(both[0]), int(gold[0])) for both, gold in own] for own in found]
    [[(1, 3), (1, 2), (1, 1)]]
    """
    import numpy as np

    size, words = max(side.nodes for side in sides), samples.presence.shape[1]
    if samples.number > 1 and sum(len(side.subjects) for side in sides) * words > _MOST_WORDS:
        return None
    gold, *systems = (_edges(side, size, samples) for side in sides)
    counts = np.zeros((len(systems), hops, 2, samples.number), dtype=np.int64)
    weights = label_walks(sides, hops).sum(axis=0) * words
    budget = _Budget()
    try:
        for nodes in blocks(weights, _AT_ONCE):
            ours = [new for _, (new, _) in zip(range(hops), _steps(gold, nodes, budget), strict=False)]
            for own, edges in zip(counts, systems, strict=True):
                for row, new, (_, within) in zip(own, ours, _steps(edges, nodes, budget), strict=False):
                    for at, masks in enumerate((new.masks & _masks_of(within, new.keys), new.masks)):
                        row[at] += column_counts(masks)[: samples.number]
    except _TooMany:
        return None
    return [[(hop[0], hop[1]) for hop in own] for own in counts]


def _edges(side: Facts, size: int, samples: Samples) -> _Edges:
    import numpy as np

    masks = fact_masks(side.starts, side.documents, samples.presence)
    keys = side.subjects.astype(np.int64) * size + side.objects
    other = np.flatnonzero(side.subjects != side.objects)
    found = _united(keys[other], masks[other])
    subjects, objects = np.divmod(found.keys, max(size, 1))
    return _Edges(subjects, objects, found.masks, np.searchsorted(subjects, np.arange(size + 1)))


def _united(keys: Ints, masks: Words) -> _Reached:
    """Every key once, with all its samples."""
    import numpy as np

    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])) if len(keys) else keys
    return _Reached(keys[starts], or_groups(masks[order], starts))


def _steps(edges: _Edges, nodes: tuple[int, int], budget: _Budget) -> Iterator[tuple[_Reached, _Reached]]:
    """After 1, 2, ... steps from some nodes: the pairs at that distance, and those within it."""
    import numpy as np

    size = len(edges.starts) - 1
    own = slice(edges.starts[nodes[0]], edges.starts[nodes[1]])
    new = within = _Reached(edges.subjects[own] * size + edges.objects[own], edges.masks[own])
    while True:
        yield new, within
        first, last = np.divmod(new.keys, max(size, 1))
        degrees = edges.starts[last + 1] - edges.starts[last]
        budget.spend(int(degrees.sum()), edges.masks.shape[1])
        following, before = ranges(edges.starts[last], degrees), np.repeat(np.arange(len(last)), degrees)
        masks = new.masks[before] & edges.masks[following]
        useful = (first[before] != edges.objects[following]) & masks.any(axis=1)
        keys = (first[before] * size + edges.objects[following])[useful]
        reached = _united(keys, masks[useful])
        fresh = reached.masks & ~_masks_of(within, reached.keys)
        some = fresh.any(axis=1)
        new = _Reached(reached.keys[some], fresh[some])
        within = _united(np.concatenate((within.keys, new.keys)), np.concatenate((within.masks, new.masks)))


def _masks_of(reached: _Reached, keys: Ints) -> Words:
    """The samples of some pairs, which are none for those that are not reached."""
    import numpy as np

    masks = np.zeros((len(keys), reached.masks.shape[1]), dtype=np.uint64)
    if len(reached.keys):
        places = np.minimum(np.searchsorted(reached.keys, keys), len(reached.keys) - 1)
        same = reached.keys[places] == keys
        masks[same] = reached.masks[places[same]]
    return masks
