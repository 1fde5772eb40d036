"""Exact counts of paths in many samples of the documents at once, one bit per sample.

A sample is a set of documents; a fact is in it if one of its documents is, and a path if one of its witnesses has all
of its facts in it. Alignment looks only inside documents, so that nodes are the same in every sample. Each fact gets a
mask with one bit per sample, the union over its documents; a step along a fact is AND, merging witnesses is OR, and the
count of a sample is the number of paths with its bit. AND distributes over OR, so merging witnesses after every hop
loses nothing, and the counts equal those of computing every sample separately. A corpus is a sample of itself.

Paths that keep their middle nodes are walks: products with vectors count these, with one column for each sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from adjudge.algebra.solve.deadline import running
from adjudge.errors import UsageError
from adjudge.tasks.kbp.facts import (
    Facts,
    blocks,
    by_relation,
    column_counts,
    combine,
    fact_masks,
    label_of,
    label_walks,
    node_starts,
    or_groups,
    ranges,
    relation_space,
    unpack,
    walk_totals,
    walks_from,
)

if TYPE_CHECKING:
    import numpy.typing as npt

    Words: TypeAlias = npt.NDArray[Any]
    Ints: TypeAlias = npt.NDArray[Any]

# Walks that are sooner counted as sets in plain Python, without numpy and scipy, which take longer to load.
FEW = 20_000

Identity: TypeAlias = Literal["endpoints", "full"]
Walking: TypeAlias = Literal["all", "simple"]
Range: TypeAlias = tuple[int, int]

# A row (gold, then for each system what is on both sides, and the system), a sequence, and its paths in each sample.
RowCounts: TypeAlias = "tuple[int, tuple[int, ...], Ints]"

# Bytes of the masks of one block of walks: larger blocks do not fit the caches, smaller ones spend their time in
# Python.
BLOCK = 1 << 24
# Most bytes of masks of facts, or of the walks of one first node, held at once.
MEMORY = 1 << 29
# Most walks that are enumerated one by one; more are refused.
LIMIT = 1 << 29
_CELLS = 1 << 23


class Work(NamedTuple):
    """Paths to be counted: the sides, gold first, how they are compared, and in which samples their documents are.

    `presence` is packed, one array for each side, with a row for each document and `samples` columns; without it there
    is one sample with everything. `block` and `memory` change no number.
    """

    sides: tuple[Facts, ...]
    hops: int = 3
    identity: Identity = "endpoints"
    walks: Walking = "all"
    presence: tuple[Words, ...] = ()
    samples: int = 1
    block: int = BLOCK
    memory: int = MEMORY

    @property
    def words(self) -> int:
        """How many words the mask of a fact has."""
        return (self.samples + 63) // 64

    @property
    def one_by_one(self) -> bool:
        """Whether walks must be distinguished by all their nodes, which products cannot do."""
        labelled = any(side.labelled for side in self.sides)
        return self.walks == "simple" or (self.identity == "full" and labelled)

    @property
    def by_vectors(self) -> bool:
        """Whether paths are walks that need not be built."""
        return self.identity == "full" and not self.one_by_one

    @property
    def few(self) -> bool:
        """Whether the paths of all documents are so few that sets of them need no arrays."""
        known = not self.presence and len(self.sides) == 2 and all(side.few is not None for side in self.sides)
        return known and sum(max(walk_totals(side, self.hops)) for side in self.sides) <= FEW

    @property
    def relations(self) -> slice:
        """Which of the columns of walks are relations."""
        return slice(1, None, 2 if self.identity == "full" else 1)

    @property
    def width(self) -> int:
        """How many words of all masks can be held at once."""
        heaviest = 0.0 if self.by_vectors else float(label_walks(self.sides, self.hops).max(initial=0.0))
        facts = max(len(side.subjects) + len(side.documents) for side in self.sides)
        return max(1, int(self.memory / 8 / max(1.0, facts, min(heaviest, 1e18))))

    def masks(self, words: slice = slice(None)) -> list[Words]:
        """The samples that each fact of each side is in, or a part of their words."""
        import numpy as np

        if not self.presence:
            return [np.ones((len(side.subjects), 1), dtype=np.uint64) for side in self.sides]
        pairs = zip(self.sides, self.presence, strict=True)
        return [fact_masks(side.starts, side.documents, present[:, words]) for side, present in pairs]


def sample_totals(work: Work, part: Range | None = None, masks: Sequence[Words] | None = None) -> Ints:
    """Rows: gold, then for each system what is on both sides, and the system; by hop, and by sample.

    A part is the paths from some first labels, or the samples of some words if first labels are not distinguished.
    `masks` are those of all facts in all samples, if the caller has them.
    """
    import numpy as np

    totals = np.zeros((2 * len(work.sides) - 1, work.hops, 64 * work.words), dtype=np.int64)
    first, last = part if part is not None and work.by_vectors else (0, work.words)
    sources = None if work.by_vectors else part
    width = work.words if masks is not None else work.width
    for start in range(first, last, width):
        words = slice(start, min(start + width, last))
        own = masks if masks is not None else work.masks(words)
        for row, sequence, counts in row_counts(work, own, sources):
            totals[row, len(sequence) - 1, 64 * words.start : 64 * words.stop] += counts
    return totals


def row_counts(
    work: Work, masks: Sequence[Words], sources: Range | None = None, *, apart: bool = False
) -> Iterator[RowCounts]:
    """The paths of every row and length in the samples of the masks.

    With `apart`, sequences of relations are distinguished, for one sample; else all relations count as one. With
    `sources`, only paths whose first label is from the one to before the other.

    >>> from adjudge.tasks.kbp.facts import make_facts
    >>> facts = make_facts([0, 1], [0, 0], [1, 0])
    >>> for walks, identity in (("all", "full"), ("simple", "endpoints")):
    ...     work = Work((facts,), 2, identity, walks)
    ...     print([(row, hop, int(n[0])) for row, hop, n in row_counts(work, work.masks())])
    [(0, (0,), 2), (0, (0, 0), 2)]
    [(0, (0,), 2), (0, (0, 0), 0)]
    """
    return _vector_counts(work, masks, apart) if work.by_vectors else _walk_counts(work, masks, sources, apart)


# ---------------------------------------------------------------------------------------------------------------------
# Walks hop by hop, their witnesses merged


class Walks(NamedTuple):
    """Walks of one length: what identifies them, their nodes, the fact of the last hop, and the walk that it continues.

    `columns` are the first label and the relations, with the labels between them if these count; `nodes` is the last
    node alone, or all nodes if none may come twice. At one hop there are no `parents`.
    """

    columns: tuple[Ints, ...]
    nodes: Ints
    facts: Ints
    parents: Ints


def _walk_counts(work: Work, masks: Sequence[Words], sources: Range | None, apart: bool) -> Iterator[RowCounts]:
    import numpy as np

    starts = [node_starts(side) for side in work.sides]
    firsts = [label_of(side, side.subjects) for side in work.sides]
    orders = [np.argsort(labels, kind="stable") for labels in firsts]
    firsts = [labels[order] for labels, order in zip(firsts, orders, strict=True)]
    weights = label_walks(work.sides, work.hops).max(axis=0)
    if work.one_by_one and float(weights.sum()) > LIMIT:
        raise UsageError(
            f"there are about {float(weights.sum()):.2g} walks, too many to go through one by one",
            hint="compare endpoints, allow nodes to repeat, or ask for fewer hops",
        )
    first, last = sources or (0, len(weights))
    size = max(1, work.block // (8 * max(1, masks[0].shape[1])))
    clock = running()
    for start, stop in blocks(weights[first:last], size):
        run = first + start, first + stop
        states: list[tuple[Walks, Words]] = []
        for hop in range(1, work.hops + 1):
            clock.check()
            if states:
                steps = zip(work.sides, starts, states, strict=True)
                grown = [longer(side, begins, state, work) for side, begins, (state, _) in steps]
            else:
                places = [order[slice(*np.searchsorted(own, run))] for order, own in zip(orders, firsts, strict=True)]
                grown = [first_walks(side, work, at) for side, at in zip(work.sides, places, strict=True)]
            before: list[Words | None] = [words for _, words in states] or [None] * len(grown)
            merged = [
                _merged(*each, simple=work.walks == "simple")
                for each in zip(work.sides, path_keys(work, grown), grown, before, masks, strict=True)
            ]
            states = [(state, words) for state, words, _ in merged]
            found = []
            for state, words, key in merged:
                paths = _first_of_runs(key)
                sequences = np.column_stack(state.columns[work.relations])[paths] if apart else None
                found.append((key[paths], or_groups(words, paths), sequences))
            yield from _tallied(found, hop)


def first_walks(side: Facts, work: Work, at: Ints | None = None) -> Walks:
    """The walks of one hop, along all facts or some."""
    import numpy as np

    if at is None:
        at = np.arange(len(side.subjects))
    nodes = side.objects[at][:, None]
    if work.walks == "simple":
        at = at[side.subjects[at] != side.objects[at]]
        nodes = np.column_stack((side.subjects[at], side.objects[at]))
    return Walks((label_of(side, side.subjects[at]), side.relations[at]), nodes, at, at[:0])


def longer(side: Facts, starts: Ints, state: Walks, work: Work) -> Walks:
    """Every walk with every fact about its last node; `starts` says where the facts about each node begin."""
    import numpy as np

    last = state.nodes[:, -1]
    low = starts[last]
    lengths = starts[last + 1] - low
    parents, at = np.repeat(np.arange(len(last)), lengths), ranges(low, lengths)
    reached = side.objects[at]
    if work.walks == "simple":
        kept = np.flatnonzero((state.nodes[parents] != reached[:, None]).all(axis=1))
        parents, at, reached = parents[kept], at[kept], reached[kept]
    middle = [label_of(side, last[parents])] if work.identity == "full" else []
    columns = (*(column[parents] for column in state.columns), *middle, side.relations[at])
    nodes = np.column_stack((state.nodes[parents], reached)) if work.walks == "simple" else reached[:, None]
    return Walks(columns, nodes, at, parents)


def path_keys(work: Work, walks: Sequence[Walks]) -> list[Ints]:
    """Numbers that are equal, on one side or across sides, if and only if the paths are; sorted by nodes first."""
    import numpy as np

    last = np.concatenate([label_of(side, own.nodes[:, -1]) for side, own in zip(work.sides, walks, strict=True)])
    every = [np.concatenate(each) for each in zip(*(own.columns for own in walks), strict=True)]
    nodes = every[::2] if work.identity == "full" else every[:1]
    columns = [*nodes, last, *every[work.relations]]
    key = combine(columns, [int(column.max(initial=0)) + 1 for column in columns])
    return np.split(key, np.cumsum([len(own.facts) for own in walks])[:-1])


def _merged(
    side: Facts, key: Ints, walks: Walks, before: Words | None, masks: Words, *, simple: bool
) -> tuple[Walks, Words, Ints]:
    """The walks in the order of their keys, with their masks and keys; witnesses of one state are merged."""
    import numpy as np

    last = walks.nodes[:, -1]
    state = key if side.labels is None else combine([key, last], [int(key.max(initial=0)) + 1, side.nodes])
    order = np.argsort(state, kind="stable")
    words = masks[walks.facts[order]]
    if before is not None:
        words &= before[walks.parents[order]]
    if not simple:  # all walks that end in the same node go on in the same way
        begins = _first_of_runs(state[order])
        order, words = order[begins], or_groups(words, begins)
    columns = tuple(column[order] for column in walks.columns)
    return walks._replace(columns=columns, nodes=walks.nodes[order]), words, key[order]


def _tallied(found: Sequence[tuple[Ints, Words, Ints | None]], hop: int) -> Iterator[RowCounts]:
    """The paths of each side and of both, from their keys, masks, and sequences if these are distinguished."""
    import numpy as np

    keys, words, _ = found[0]
    rows = [(0, words, found[0][2])]
    for place, (own, other, sequences) in enumerate(found[1:], start=1):
        at = np.searchsorted(keys, own)
        at[at == len(keys)] = 0
        both = np.flatnonzero(keys[at] == own) if len(keys) else at[:0]
        rows.append((2 * place - 1, words[at[both]] & other[both], None if sequences is None else sequences[both]))
        rows.append((2 * place, other, sequences))
    for row, own, sequences in rows:
        if sequences is None:
            yield row, (0,) * hop, column_counts(own)
            continue
        distinct, numbers = np.unique(sequences, axis=0, return_counts=True)
        for sequence, number in zip(distinct.tolist(), numbers, strict=True):
            yield row, tuple(sequence), np.array([number])


def _first_of_runs(key: Ints) -> Ints:
    import numpy as np

    new = np.ones(len(key), dtype=bool)
    new[1:] = key[1:] != key[:-1]
    return np.flatnonzero(new)


# ---------------------------------------------------------------------------------------------------------------------
# Walks that need not be built


class _Edges(NamedTuple):
    """The facts of one relation by subject, and in which samples (columns) each is."""

    objects: Ints
    present: Ints
    subjects: Ints
    starts: Ints


def _vector_counts(work: Work, masks: Sequence[Words], apart: bool) -> Iterator[RowCounts]:
    """A walk is on both sides if and only if every fact of it is: the intersection is a count on the shared facts."""
    gold = work.sides[0]
    rows = [(0, gold, masks[0])]
    for place, (system, words) in enumerate(zip(work.sides[1:], masks[1:], strict=True), start=1):
        one, other = shared_places(gold, system)
        own = gold.columns
        both = Facts(own._replace(subjects=own.subjects[one], relations=own.relations[one], objects=own.objects[one]))
        rows += [(2 * place - 1, both, masks[0][one] & words[other]), (2 * place, system, words)]
    for row, facts, words in rows:
        for sequence, walks in _walks(facts, words, work, apart).items():
            yield row, sequence, walks


def shared_places(gold: Facts, system: Facts) -> tuple[Ints, Ints]:
    """Where the triples that are on both sides stand in the one and in the other."""
    import numpy as np

    nodes = max(gold.nodes, system.nodes)
    columns = [np.concatenate(pair) for pair in zip(gold.columns[:3], system.columns[:3], strict=True)]
    key = combine(columns, [nodes, relation_space((gold, system)), nodes])
    cut = len(gold.subjects)
    _, one, other = np.intersect1d(key[:cut], key[cut:], assume_unique=True, return_indices=True)
    return one, other


def _walks(facts: Facts, words: Words, work: Work, apart: bool) -> dict[tuple[int, ...], Ints]:
    """The walks of each sequence of relations, or of each length, in each sample."""
    import numpy as np

    most = float(walks_from(facts, work.hops).sum(axis=1).max(initial=0.0))
    kind: Any = np.int64 if most < 2.0**62 else object  # Python's own numbers are exact beyond
    if work.presence and kind is not np.int64:
        raise UsageError(f"there are about {most:.2g} walks, too many to count in samples", hint="ask for fewer hops")
    found: dict[tuple[int, ...], Ints] = {}
    if not len(facts.subjects):
        return found
    samples = 64 * words.shape[1] if work.presence else 1
    pieces: dict[int, Any] = by_relation(facts) if apart else {0: slice(None)}
    width = max(1, _CELLS // (64 * len(facts.subjects)))
    for first in range(0, words.shape[1], width):
        columns = slice(64 * first, min(samples, 64 * (first + width)))
        present = unpack(words[:, first : first + width])[:, : columns.stop - columns.start]
        edges = {}
        for r, at in pieces.items():
            subjects, starts = np.unique(facts.subjects[at], return_index=True)
            edges[r] = _Edges(facts.objects[at], present[at].astype(kind), subjects, starts)
        ahead = np.ones((facts.nodes, present.shape[1]), dtype=kind)
        for sequence, walks in _sequences(edges, ahead, work.hops):
            found.setdefault(sequence, np.zeros(samples, dtype=kind))[columns] = walks
    return found


def _sequences(edges: dict[int, _Edges], ahead: Ints, hops: int) -> Iterator[tuple[tuple[int, ...], Ints]]:
    """Every sequence of relations and its walks, the last relation first; `ahead` are walks of no hops."""
    import numpy as np

    waiting: list[tuple[tuple[int, ...], Ints]] = [((), ahead)]
    clock = running()
    while waiting:
        clock.check()
        sequence, ahead = waiting.pop()
        for r, own in edges.items():
            walks = ahead[own.objects]
            walks *= own.present
            longer = (r, *sequence)
            yield longer, walks.sum(axis=0)
            if len(longer) < hops:
                sums = np.add.reduceat(walks, own.starts, axis=0)
                del walks  # before as much is needed again
                if sums.any():
                    here = np.zeros_like(ahead)
                    here[own.subjects] = sums
                    waiting.append((longer, here))
