"""Exact counts of paths in many samples of the documents at once, one bit per sample.

A sample is a set of documents; a fact is in it if one of its documents is, and a path if one of its witnesses has all
of its facts in it. Alignment looks only inside documents, so that nodes are the same in every sample. Each fact gets a
mask with one bit per sample, the union over its documents; a step along a fact is AND, merging witnesses is OR, and the
count of a sample is the number of paths that have its bit. AND distributes over OR, hence merging the witnesses after
every hop loses nothing, and the counts equal those of computing every sample anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from adjudge.errors import UsageError
from adjudge.tasks.kbp.masks_bits import column_counts, fact_masks, or_groups, pack
from adjudge.tasks.kbp.paths_facts import (
    Facts,
    RowCounts,
    check_hops,
    combine,
    label_of,
    label_space,
    node_starts,
    relation_space,
)
from adjudge.tasks.kbp.paths_full import full_counts
from adjudge.tasks.kbp.paths_walks import Identity, Walking, followed, label_walks, source_blocks, walk_counts

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Words: TypeAlias = npt.NDArray[Any]
    Ints: TypeAlias = npt.NDArray[Any]

# Bytes of the masks of one block of walks: larger blocks leave the caches, smaller ones spend their time in Python.
BLOCK = 1 << 24
# Bytes of all masks of facts, or of the walks of one first node, that may be held at once.
MEMORY = 1 << 29


class SampleCounts(NamedTuple):
    """Paths per hop (rows) and sample (columns)."""

    both: npt.NDArray[np.int64]
    gold: npt.NDArray[np.int64]
    system: npt.NDArray[np.int64]


class ReadySide(NamedTuple):
    """Facts, where those about each node begin, and the samples that each of them is in."""

    facts: Facts
    starts: Ints
    masks: Words


class _States(NamedTuple):
    """Distinct (first label and relations, last node) with the samples they are in, in the order of their keys."""

    codes: Ints
    nodes: Ints
    masks: Words


class Paths(NamedTuple):
    """Paths of gold and of a system to be counted, on all documents."""

    sides: tuple[Facts, ...]
    hops: int = 3
    identity: Identity = "endpoints"
    walks: Walking = "all"


class Samples(NamedTuple):
    """What is to be counted: the sides, gold first, and in which samples the documents (rows) of each side are.

    `presence` is packed, one array for each side; there are `samples` columns. `block` and `memory` change no number.
    """

    sides: tuple[Facts, ...]
    presence: tuple[Words, ...]
    samples: int
    hops: int = 3
    identity: Identity = "endpoints"
    walks: Walking = "all"
    block: int = BLOCK
    memory: int = MEMORY

    @property
    def words(self) -> int:
        """How many words the mask of a fact has."""
        return int(self.presence[0].shape[1])


def count_samples(
    gold: Facts,
    systems: Sequence[Facts],
    presence: npt.ArrayLike,
    *,
    hops: int = 3,
    identity: Identity = "endpoints",
    walks: Walking = "all",
    gold_presence: npt.ArrayLike | None = None,
    block: int = BLOCK,
    memory: int = MEMORY,
) -> list[SampleCounts]:
    """The counts of every system in every sample; `presence` says which documents (rows) are in which sample.

    `gold_presence` is for gold alone, if its documents come and go otherwise. `block` and `memory` change no number.

    >>> from adjudge.tasks.kbp.paths_facts import make_facts
    >>> facts = make_facts([0, 1], [0, 0], [1, 2], [0, 1])
    >>> counts, = count_samples(facts, [facts], [[True, True, False], [True, False, True]], hops=2)
    >>> counts.both.tolist()
    [[2, 1, 1], [1, 0, 0]]
    """
    import numpy as np

    present = np.asarray(presence, dtype=bool)
    gold_present = present if gold_presence is None else np.asarray(gold_presence, dtype=bool)
    if present.ndim != 2 or gold_present.ndim != 2 or present.shape[1] != gold_present.shape[1]:
        raise UsageError(
            "samples must be the columns of a table with one row per document, as many for gold as for systems"
        )
    packed = pack(present)
    words = (packed if gold_presence is None else pack(gold_present), *[packed] * len(systems))
    work = Samples((gold, *systems), words, present.shape[1], hops, identity, walks, block, memory)
    check_samples(work)
    return as_counts(work, sample_totals(work))


def check_samples(work: Samples) -> None:
    """Raise if the facts cannot be resampled."""
    check_hops(work.hops)
    for side, presence in zip(work.sides, work.presence, strict=True):
        if len(side.subjects) and not len(side.documents):
            raise UsageError("facts without documents cannot be resampled", hint="give the documents of every fact")
        if len(side.documents) and int(side.documents.max()) >= len(presence):
            raise UsageError(f"a fact is in document {int(side.documents.max())}, of {len(presence)}")


def no_totals(work: Samples) -> Ints:
    """Zeros for gold, and for each system what is on both sides, and the system (rows), by hop, and by sample."""
    import numpy as np

    return np.zeros((2 * len(work.sides) - 1, work.hops, 64 * work.words), dtype=np.int64)


def as_counts(work: Samples, totals: Ints) -> list[SampleCounts]:
    """The totals of all sources as counts, one for each system."""
    totals = totals[:, :, : work.samples]
    systems = range(len(work.sides) - 1)
    return [SampleCounts(totals[2 * n + 1], totals[0], totals[2 * n + 2]) for n in systems]


def one_by_one(work: Paths | Samples) -> bool:
    """Whether walks must be told apart by all their nodes."""
    return work.walks == "simple" or (work.identity == "full" and any(side.labels is not None for side in work.sides))


def ready_sides(work: Samples, part: slice = slice(None)) -> list[ReadySide]:
    """The sides with the masks of their facts, or a part of the words of these masks."""
    return [
        ReadySide(side, node_starts(side), fact_masks(side.starts, side.documents, words[:, part]))
        for side, words in zip(work.sides, work.presence, strict=True)
    ]


def mask_width(work: Samples) -> int:
    """How many words of all masks may be held at once."""
    sides = work.sides
    heaviest = 0.0
    if one_by_one(work) or work.identity == "endpoints":
        heaviest = float(label_walks(sides, work.hops).max(initial=0.0))
    facts = max((len(side.subjects) + len(side.documents) for side in sides), default=0)
    return max(1, int(work.memory / 8 / max(1.0, facts, min(heaviest, 1e18))))


def sample_totals(
    work: Samples, *, sources: tuple[int, int] | None = None, ready: Sequence[ReadySide] | None = None
) -> Ints:
    """Rows: gold, then for each system what is on both sides, and the system; by hop, and by sample.

    With `sources`, only paths whose first label is from the one to before the other. `ready` are the sides with all of
    their masks, if somebody has them already.
    """
    totals = no_totals(work)
    width = work.words if ready is not None else mask_width(work)
    for start in range(0, work.words, max(1, width)):
        sides = ready if ready is not None else ready_sides(work, slice(start, start + width))
        columns = slice(64 * start, 64 * (start + sides[0].masks.shape[1]))
        totals[:, :, columns] = _part_totals(work, sides, sources)
    return totals


def _part_totals(work: Samples, sides: Sequence[ReadySide], sources: tuple[int, int] | None) -> Ints:
    import numpy as np

    if work.identity == "endpoints" and not one_by_one(work):
        return _endpoint_counts(sides, work.hops, work.block, sources)
    masks = [side.masks for side in sides]
    totals = np.zeros((2 * len(sides) - 1, work.hops, 64 * masks[0].shape[1]), dtype=np.int64)
    for row, sequence, counts in row_counts(work, masks, samples=totals.shape[2], sources=sources):
        totals[row, len(sequence) - 1] += counts
    return totals


def row_counts(
    work: Samples, masks: Sequence[Words], *, samples: int, apart: bool = False, sources: tuple[int, int] | None = None
) -> Iterator[RowCounts]:
    """Walks that are told apart by all of their nodes, or that visit no node twice, in so many samples.

    Sequences of relations are told apart if `apart`, else they are those of a single relation.
    """
    if one_by_one(work):
        how: dict[str, Any] = {"identity": work.identity, "walks": work.walks, "block": work.block, "apart": apart}
        return walk_counts(work.sides, masks, hops=work.hops, sources=sources, **how)
    return full_counts(work.sides, masks, hops=work.hops, samples=samples, apart=apart, sources=sources)


def _endpoint_counts(sides: Sequence[ReadySide], hops: int, block: int, sources: tuple[int, int] | None) -> Ints:
    """Rows: gold, then for each system what is on both sides, and the system."""
    import numpy as np

    facts = [side.facts for side in sides]
    width = sides[0].masks.shape[1]
    totals = np.zeros((2 * len(sides) - 1, hops, width * 64), dtype=np.int64)
    labels, relations = label_space(facts), relation_space(facts)
    firsts = [_firsts(side.facts) for side in sides]
    for start, stop in source_blocks(facts, hops, block=max(1, block // (8 * max(1, width))), sources=sources):
        states: list[_States] = []
        bound = stop - start
        for hop in range(1, hops + 1):
            steps = []
            for place, side in enumerate(sides):
                if hop == 1:
                    begin, order = firsts[place]
                    low, high = np.searchsorted(begin, [start, stop])
                    at = np.arange(low, high) if order is None else order[low:high]
                    steps.append((at[:0], at, begin[low:high] - start))
                else:
                    parents, at = followed(side.starts, states[place].nodes)
                    steps.append((parents, at, states[place].codes[parents]))
            columns = [np.concatenate([code for *_, code in steps])]
            columns.append(
                np.concatenate([side.facts.relations[at] for side, (_, at, _) in zip(sides, steps, strict=True)])
            )
            codes = combine(columns, [bound, relations])
            bound *= relations
            cuts = np.cumsum([len(at) for _, at, _ in steps])
            if bound * max(labels, *(side.nodes for side in facts)) >= 1 << 63:
                ranks, codes = np.unique(codes, return_inverse=True)
                bound = len(ranks)
            grown = []
            for place, (side, code) in enumerate(zip(sides, np.split(codes, cuts[:-1]), strict=True)):
                parents, at, _ = steps[place]
                grown.append(_merged(side, states[place].masks if states else None, parents, at, code))
            states = grown
            _tally(facts, states, totals[:, hop - 1], labels)
    return totals


def _firsts(facts: Facts) -> tuple[Ints, Ints | None]:
    """The first label of every fact in ascending order, and which facts these are, unless all are in order."""
    import numpy as np

    if facts.labels is None:
        return facts.subjects, None
    begin = facts.labels[facts.subjects]
    order = np.argsort(begin, kind="stable")
    return begin[order], order


def _merged(side: ReadySide, before: Words | None, parents: Ints, at: Ints, codes: Ints) -> _States:
    """The states after a step along the facts `at`, witnesses of the same state merged."""
    import numpy as np

    nodes = side.facts.objects[at]
    key = combine([codes, nodes], [int(codes.max(initial=0)) + 1, side.facts.nodes])
    order = np.argsort(key, kind="stable")
    key = key[order]
    starts = _first_of_runs(key)
    masks = side.masks[at[order]]
    if before is not None:
        masks &= before[parents[order]]
    kept = order[starts]
    return _States(codes[kept], nodes[kept], or_groups(masks, starts))


def _tally(facts: Sequence[Facts], states: Sequence[_States], totals: Ints, labels: int) -> None:
    import numpy as np

    keys, masks = [], []
    bound = max(int(state.codes.max(initial=0)) for state in states) + 1
    for side, state in zip(facts, states, strict=True):
        key = combine([state.codes, label_of(side, state.nodes)], [bound, labels])
        mask = state.masks
        if side.labels is not None:
            order = np.argsort(key, kind="stable")
            key = key[order]
            starts = _first_of_runs(key)
            key, mask = key[starts], or_groups(mask[order], starts)
        keys.append(key)
        masks.append(mask)
    totals[0] += column_counts(masks[0])
    for place in range(1, len(facts)):
        at = np.searchsorted(keys[0], keys[place])
        at[at == len(keys[0])] = 0
        found = np.flatnonzero(keys[0][at] == keys[place]) if len(keys[0]) else at[:0]
        totals[2 * place - 1] += column_counts(masks[0][at[found]] & masks[place][found])
        totals[2 * place] += column_counts(masks[place])


def _first_of_runs(key: Ints) -> Ints:
    import numpy as np

    new = np.ones(len(key), dtype=bool)
    new[1:] = key[1:] != key[:-1]
    return np.flatnonzero(new)
