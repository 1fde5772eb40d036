"""Counting in pieces, wherever they are counted: paths with different first entities are different paths.

The counts of pieces add up to those of the whole, exactly and in any order. A piece is a run of first entities; where
paths are told apart by all of their entities and counted by products with vectors, it is a run of samples.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from adjudge.engine.local import WORTHWHILE, map_documents, processors
from adjudge.tasks.kbp.masks import (
    Paths,
    SampleCounts,
    Samples,
    as_counts,
    mask_width,
    no_totals,
    one_by_one,
    ready_sides,
    row_counts,
    sample_totals,
)
from adjudge.tasks.kbp.paths_facts import Counts, Facts, HopCounts, Sequences, blocks, check_hops, summed
from adjudge.tasks.kbp.paths_sparse import count_products, relations_of
from adjudge.tasks.kbp.paths_walks import Identity, Walking, label_walks

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[Any]

Range: TypeAlias = tuple[int, int]

_PIECES = 4  # for each process, so that all of them end at about the same time
_WALKS = 5e7  # that are counted in a second
_WORDS = 5e7  # of masks, in a second


class Place(NamedTuple):
    """Where pieces are counted: in `jobs` processes (0: several if that pays), or on a Dask cluster."""

    jobs: int | None = 1
    cluster: str | None = None


HERE = Place()


class Piece(NamedTuple):
    """A part of some work: paths from some first labels, or samples of some words."""

    work: int
    sources: Range | None = None
    words: Range | None = None


def count_all(
    paths: Sequence[Paths], samples: Sequence[Samples] = (), *, place: Place = HERE
) -> tuple[list[tuple[HopCounts, ...]], list[list[SampleCounts]]]:
    """Count paths on all documents, and in samples, in pieces if the place is not just here.

    >>> from adjudge.tasks.kbp.paths_facts import make_facts
    >>> one = make_facts([0, 1], [0, 0], [1, 2])
    >>> [hop.total.both for hop in count_all([Paths((one, one), hops=2)])[0][0]]
    [2, 1]
    """
    works: list[Paths | Samples] = [*paths, *samples]
    return add_up(paths, samples, count_pieces(works, pieces_of(works, place), place))


def count_paths(
    gold: Facts, system: Facts, *, hops: int = 3, identity: Identity = "endpoints", walks: Walking = "all"
) -> tuple[HopCounts, ...]:
    """The paths of 1 to `hops` hops: per sequence of relations and in total, exactly.

    Two paths are the same if their relations and endpoints are (`endpoints`), or all their nodes too (`full`).
    `simple` keeps the paths with a witness that visits no node twice.

    >>> from adjudge.tasks.kbp.paths_facts import make_facts
    >>> gold = make_facts([0, 1], [0, 1], [1, 2])
    >>> system = make_facts([0, 3], [0, 1], [3, 2])
    >>> [count_paths(gold, system, hops=2, identity=i)[1].total.both for i in ("endpoints", "full")]
    [1, 0]
    """
    return count_all([Paths((gold, system), hops, identity, walks)])[0][0]


def pieces_of(works: Sequence[Paths | Samples], place: Place) -> list[Piece]:
    """The pieces for a place: one for each work where it is done here, else runs that take about the same time.

    >>> from adjudge.tasks.kbp.paths_facts import make_facts
    >>> ring = make_facts([0, 1, 2, 3], [0] * 4, [1, 2, 3, 0])
    >>> [piece.sources for piece in pieces_of([Paths((ring, ring))], Place(jobs=2))]
    [(0, 1), (1, 2), (2, 3), (3, 4)]
    """
    whole = [Piece(number) for number in range(len(works))]
    if place.cluster is None and place.jobs == 1:
        return whole
    weights = [_weights(work) for work in works]
    seconds = [float(each.sum()) for each in weights]
    total = sum(seconds)
    if place.cluster is None and not place.jobs and total < WORTHWHILE:
        return whole
    limit = total / (_PIECES * (place.jobs or processors()))
    found = []
    for number, (work, each, time) in enumerate(zip(works, weights, seconds, strict=True)):
        if time <= limit:
            found.append(whole[number])
            continue
        for part in blocks(each, limit):
            found.append(Piece(number, words=part) if _by_words(work) else Piece(number, sources=part))
    return found


def count_pieces(works: Sequence[Paths | Samples], pieces: Sequence[Piece], place: Place) -> Iterator[tuple[int, Any]]:
    """The number of the work and the counts of every piece, in order."""
    units = ((str(piece.work), piece, None) for piece in pieces)
    alone = len(pieces) == len(works) and place.cluster is None and not place.jobs
    jobs = 1 if alone else place.jobs
    counted = map_documents(PieceCounter(works), units, jobs=jobs, cluster=place.cluster, chunk=1, total=len(pieces))
    return ((int(name), counts) for name, counts in counted)


def add_up(
    paths: Sequence[Paths], samples: Sequence[Samples], counted: Iterable[tuple[int, Any]]
) -> tuple[list[tuple[HopCounts, ...]], list[list[SampleCounts]]]:
    """The counts of all pieces of each work together."""
    found: list[list[Sequences]] = [[{} for _ in range(work.hops)] for work in paths]
    totals = [no_totals(work) for work in samples]
    for number, counts in counted:
        if number >= len(paths):
            totals[number - len(paths)] += counts
            continue
        for known, hop in zip(found[number], counts, strict=True):
            for sequence, each in hop.sequences.items():
                known[sequence] = known.get(sequence, Counts(0, 0, 0)) + each
    return (
        [tuple(summed(hop, known) for hop, known in enumerate(work, start=1)) for work in found],
        [as_counts(work, total) for work, total in zip(samples, totals, strict=True)],
    )


class PieceCounter:
    """Counts pieces, in this process or in another one, which gets all works once.

    What a work needs before its first piece, matrices or masks, is kept until a piece of another work comes.
    """

    def __init__(self, works: Sequence[Paths | Samples]) -> None:
        self.works = tuple(works)
        self._ready: tuple[int, Any] = -1, None

    def __reduce__(self) -> tuple[type[PieceCounter], tuple[Any, ...]]:
        return type(self), (self.works,)

    def __call__(self, piece: Piece, _: None) -> Any:
        """The counts of a piece: hop by hop, or the totals of all samples."""
        work = self.works[piece.work]
        number, ready = self._ready
        if number != piece.work:
            ready = _prepared(work)
            self._ready = piece.work, ready
        return _counted(work, piece, ready)


def _prepared(work: Paths | Samples) -> Any:
    if isinstance(work, Samples):
        return ready_sides(work) if mask_width(work) >= work.words and not _by_words(work) else None
    return None if work.identity == "full" or work.walks == "simple" else relations_of(*work.sides)


def _counted(work: Paths | Samples, piece: Piece, ready: Any) -> Any:
    if isinstance(work, Samples):
        return _sample_counts(work, piece, ready)
    check_hops(work.hops)
    if work.identity == "full" or work.walks == "simple":
        return _sequence_counts(work, piece.sources)
    return count_products(ready, work.hops, sources=piece.sources)


def _sequence_counts(work: Paths, sources: Range | None) -> tuple[HopCounts, ...]:
    """Paths on all documents are those of one sample, in which every fact is."""
    import numpy as np

    found: list[dict[tuple[int, ...], list[int]]] = [{} for _ in range(work.hops)]
    masks = [np.ones((len(side.subjects), 1), dtype=np.uint64) for side in work.sides]
    one = Samples(work.sides, (), 1, work.hops, work.identity, work.walks)
    for row, sequence, counts in row_counts(one, masks, samples=1, apart=True, sources=sources):
        found[len(sequence) - 1].setdefault(sequence, [0, 0, 0])[row] += int(counts[0])
    return tuple(
        summed(hop, {sequence: Counts(both, gold, system) for sequence, (gold, both, system) in known.items()})
        for hop, known in enumerate(found, start=1)
    )


def _sample_counts(work: Samples, piece: Piece, ready: Any) -> Any:
    if piece.words is None:
        return sample_totals(work, sources=piece.sources, ready=ready)
    start, stop = piece.words
    part = work._replace(presence=tuple(words[:, start:stop] for words in work.presence))
    totals = no_totals(work)
    totals[:, :, 64 * start : 64 * stop] = sample_totals(part)
    return totals


def _by_words(work: Paths | Samples) -> bool:
    """Whether pieces are runs of samples: products with vectors cost the same whatever the first nodes."""
    return isinstance(work, Samples) and work.identity == "full" and not one_by_one(work)


def _weights(work: Paths | Samples) -> Floats:
    """About how many seconds it takes for every first label, or for every word of samples; one number if never cut."""
    import numpy as np

    sides = work.sides
    facts = sum(len(side.subjects) for side in sides)
    if _by_words(work):
        assert isinstance(work, Samples)
        return np.full(work.words, 64 * facts * work.hops / _WORDS)
    if isinstance(work, Paths) and work.identity == "full" and not one_by_one(work):
        return np.array([facts * work.hops / _WALKS])
    walks: Floats = label_walks(sides, work.hops).sum(axis=0)
    walks *= work.words / _WORDS if isinstance(work, Samples) else 1 / _WALKS
    return walks
