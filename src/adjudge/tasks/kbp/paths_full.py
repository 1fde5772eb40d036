"""Counting paths that keep their middle nodes: such a path is a walk, and walks are counted by products with vectors.

A walk is on both sides if and only if every fact of it is, so that the intersection is a count on the shared facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from adjudge.tasks.kbp.paths_facts import (
    Counts,
    Facts,
    HopCounts,
    Sequences,
    by_relation,
    combine,
    exact_type,
    make_facts,
    ranges,
    relation_space,
    walks_from,
)
from adjudge.tasks.kbp.paths_sparse import summed

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints: TypeAlias = npt.NDArray[Any]


class _Edges(NamedTuple):
    """The facts of each relation, by subject."""

    subjects: dict[int, Ints]
    objects: dict[int, Ints]
    kind: Any


def count_full(
    gold: Facts, system: Facts, *, hops: int = 3, sources: tuple[int, int] | None = None
) -> tuple[HopCounts, ...]:
    """The walks of both sides and those they share, per sequence of relations and in total, for each length.

    With `sources`, only walks whose first node is from the one to before the other.

    >>> one = make_facts([0, 1, 0], [0, 1, 0], [1, 2, 3])
    >>> count_full(one, make_facts([0, 3], [0, 1], [3, 2]), hops=2)[1].total
    Counts(both=0, gold=1, system=1)
    """
    found = [_walks(facts, hops, sources) for facts in (shared_facts(gold, system), gold, system)]
    hops_found = []
    for hop in range(1, hops + 1):
        own = [{sequence: n for sequence, n in side.items() if len(sequence) == hop} for side in found]
        every: Sequences = {
            sequence: Counts(*(side.get(sequence, 0) for side in own)) for sequence in own[1].keys() | own[2].keys()
        }
        hops_found.append(summed(hop, every))
    return tuple(hops_found)


def shared_facts(gold: Facts, system: Facts) -> Facts:
    """The triples that are on both sides, without documents.

    >>> shared_facts(make_facts([0, 0], [0, 0], [1, 2]), make_facts([0], [0], [2])).objects.tolist()
    [2]
    """
    at, _ = shared_places(gold, system)
    return make_facts(gold.subjects[at], gold.relations[at], gold.objects[at])


def shared_places(gold: Facts, system: Facts) -> tuple[Ints, Ints]:
    """Where the triples that are on both sides stand in the one and in the other.

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


def _walks(facts: Facts, hops: int, sources: tuple[int, int] | None) -> dict[tuple[int, ...], int]:
    import numpy as np

    pieces = by_relation(facts)
    bound = float(walks_from(facts, hops).sum(axis=1).max(initial=0.0))
    edges = _Edges(
        {r: facts.subjects[at] for r, at in pieces.items()},
        {r: facts.objects[at] for r, at in pieces.items()},
        exact_type(bound),
    )
    found: dict[tuple[int, ...], int] = {}
    for r, objects in edges.objects.items():
        if sources is not None:
            low, high = np.searchsorted(edges.subjects[r], sources)
            objects = objects[low:high]
        if len(objects):
            _extend(edges, (r,), objects, np.ones(len(objects), dtype=edges.kind), hops, found)
    return found


def _extend(
    edges: _Edges, sequence: tuple[int, ...], ends: Ints, walks: Ints, hops: int, found: dict[tuple[int, ...], int]
) -> None:
    """Note the walks of a sequence, `walks` of which end at each of `ends`, and go on from there."""
    import numpy as np

    found[sequence] = int(walks.sum())
    if len(sequence) == hops:
        return
    nodes, place = np.unique(ends, return_inverse=True)
    here = np.zeros(len(nodes), dtype=edges.kind)
    np.add.at(here, place, walks)
    for r, subjects in edges.subjects.items():
        low = np.searchsorted(subjects, nodes)
        lengths = np.searchsorted(subjects, nodes, side="right") - low
        if lengths.any():
            reached = edges.objects[r][ranges(low, lengths)]
            _extend(edges, (*sequence, r), reached, np.repeat(here, lengths), hops, found)
