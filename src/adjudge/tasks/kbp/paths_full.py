"""Counting paths that keep their middle nodes: such a path is a walk, and walks are counted by products with vectors.

A walk is on both sides if and only if every fact of it is, so that the intersection is a count on the shared facts.
The vectors have one column for each sample of the documents; a count on all documents has one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from adjudge.errors import UsageError
from adjudge.tasks.kbp.masks_bits import unpack
from adjudge.tasks.kbp.paths_facts import Facts, RowCounts, by_relation, combine, exact_type, relation_space, walks_from

if TYPE_CHECKING:
    import numpy.typing as npt

    Words: TypeAlias = npt.NDArray[Any]
    Ints: TypeAlias = npt.NDArray[Any]

_CELLS = 1 << 23


class _Edges(NamedTuple):
    """The facts of one relation by subject, and in which samples (columns) each is; walks from `counted` count."""

    objects: Ints
    present: Ints
    subjects: Ints
    starts: Ints
    counted: slice


def full_counts(
    sides: Sequence[Facts],
    masks: Sequence[Words],
    *,
    hops: int,
    samples: int,
    apart: bool = False,
    sources: tuple[int, int] | None = None,
) -> Iterator[RowCounts]:
    """The walks of every row (gold, then for each system what is on both sides, and the system) and length.

    `masks` say in which samples the facts are. Sequences of relations are told apart if `apart`. With `sources`, only
    walks whose first node is from the one to before the other.

    >>> from adjudge.tasks.kbp.masks_bits import pack
    >>> from adjudge.tasks.kbp.paths_facts import make_facts
    >>> facts = make_facts([0, 1], [0, 0], [1, 2])
    >>> [(row, hop, int(n[0])) for row, hop, n in full_counts([facts], [pack([[True]] * 2)], hops=2, samples=1)]
    [(0, (0,), 2), (0, (0, 0), 1)]
    """
    gold = sides[0]
    rows = [(0, gold, masks[0])]
    for place, (system, words) in enumerate(zip(sides[1:], masks[1:], strict=True), start=1):
        one, other = shared_places(gold, system)
        both = gold._replace(subjects=gold.subjects[one], relations=gold.relations[one], objects=gold.objects[one])
        rows += [(2 * place - 1, both, masks[0][one] & words[other]), (2 * place, system, words)]
    for row, facts, words in rows:
        for sequence, walks in _walks(facts, words, hops, samples, apart, sources).items():
            yield row, sequence, walks


def shared_places(gold: Facts, system: Facts) -> tuple[Ints, Ints]:
    """Where the triples that are on both sides stand in the one and in the other.

    >>> from adjudge.tasks.kbp.paths_facts import make_facts
    >>> [at.tolist() for at in shared_places(make_facts([0, 0], [0, 0], [1, 2]), make_facts([0], [0], [2]))]
    [[1], [0]]
    """
    import numpy as np

    nodes = max(gold.nodes, system.nodes)
    columns = [np.concatenate(pair) for pair in zip(gold[:3], system[:3], strict=True)]
    key = combine(columns, [nodes, relation_space((gold, system)), nodes])
    cut = len(gold.subjects)
    _, one, other = np.intersect1d(key[:cut], key[cut:], assume_unique=True, return_indices=True)
    return one, other


def _walks(
    facts: Facts, words: Words, hops: int, samples: int, apart: bool, sources: tuple[int, int] | None
) -> dict[tuple[int, ...], Ints]:
    """The walks of each sequence of relations, or of each length, in each sample."""
    import numpy as np

    most = float(walks_from(facts, hops).sum(axis=1).max(initial=0.0))
    kind = exact_type(most)
    if samples > 1 and kind is not np.int64:
        raise UsageError(f"there are about {most:.2g} walks, too many to count in samples", hint="ask for fewer hops")
    found: dict[tuple[int, ...], Ints] = {}
    pieces: dict[int, Any] = by_relation(facts) if apart else {0: slice(None)}
    if not len(facts.subjects):
        return found
    width = max(1, _CELLS // (64 * len(facts.subjects)))
    for first in range(0, words.shape[1], width):
        columns = slice(64 * first, min(samples, 64 * (first + width)))
        present = unpack(words[:, first : first + width])[:, : columns.stop - columns.start]
        edges = {}
        for r, at in pieces.items():
            subjects, starts = np.unique(facts.subjects[at], return_index=True)
            counted = slice(*np.searchsorted(facts.subjects[at], sources)) if sources is not None else slice(None)
            edges[r] = _Edges(facts.objects[at], present[at].astype(kind), subjects, starts, counted)
        ahead = np.ones((facts.nodes, present.shape[1]), dtype=kind)
        for sequence, walks in _sequences(edges, (), ahead, hops):
            found.setdefault(sequence, np.zeros(samples, dtype=kind))[columns] = walks
    return found


def _sequences(
    edges: dict[int, _Edges], sequence: tuple[int, ...], ahead: Ints, hops: int
) -> Iterator[tuple[tuple[int, ...], Ints]]:
    """Every sequence that ends with this one, and its walks; `ahead` are the walks of this one from each node."""
    import numpy as np

    for r, own in edges.items():
        walks = ahead[own.objects]
        walks *= own.present
        longer = (r, *sequence)
        yield longer, walks[own.counted].sum(axis=0)
        if len(longer) < hops:
            sums = np.add.reduceat(walks, own.starts, axis=0)
            del walks
            if sums.any():
                here = np.zeros_like(ahead)
                here[own.subjects] = sums
                yield from _sequences(edges, longer, here, hops)
