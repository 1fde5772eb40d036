"""Counting paths in pieces, wherever they are counted: paths with different first entities are different paths.

The counts of pieces add up to those of the whole, exactly and in any order. A piece is a run of first entities; where
paths are told apart by all of their entities and counted by products with vectors, it is a run of samples.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from adjudge.evaluate.processes import WORTHWHILE, map_documents, processors
from adjudge.tasks.kbp.bits import pack
from adjudge.tasks.kbp.facts import Counts, Facts, HopCounts, Sequences, blocks, label_walks
from adjudge.tasks.kbp.products import count_products, relations_of
from adjudge.tasks.kbp.walks import Identity, Range, Walking, Work, row_counts, sample_totals

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[Any]

_PIECES = 4  # for each process, so that all of them end at about the same time
_WALKS = 5e7  # that are counted in a second, or words of their masks


class SampleCounts(NamedTuple):
    """Paths per hop (rows) and sample (columns)."""

    both: npt.NDArray[np.int64]
    gold: npt.NDArray[np.int64]
    system: npt.NDArray[np.int64]


class Place(NamedTuple):
    """Where pieces are counted: in `jobs` processes (0: several if that pays), or on a Dask cluster."""

    jobs: int | None = 1
    cluster: str | None = None


HERE = Place()


class Piece(NamedTuple):
    """A part of some work: paths from some first labels, or samples of some words; all if there is no part."""

    work: int
    part: Range | None = None


def count_all(works: Sequence[Work], place: Place = HERE) -> list[Any]:
    """The counts of each work: by hop where it is about all documents, else one `SampleCounts` for each system.

    >>> from adjudge.tasks.kbp.facts import make_facts
    >>> one = make_facts([0, 1], [0, 0], [1, 2])
    >>> [hop.total.both for hop in count_all([Work((one, one), hops=2)])[0]]
    [2, 1]
    """
    pieces = pieces_of(works, place)
    jobs = 1 if place.cluster is None and not place.jobs and len(pieces) == len(works) else place.jobs
    totals: list[Any] = [{} if not work.presence else 0 for work in works]
    counter, units = PieceCounter(works), ((str(piece.work), piece, None) for piece in pieces)
    counted: Iterable[tuple[str, Any]] = ((name, counter(piece)) for name, piece, _ in units)
    if place.cluster is not None or jobs != 1:
        counted = map_documents(counter, units, jobs=jobs, cluster=place.cluster, chunk=1, total=len(pieces))
    for name, counts in counted:
        known = totals[int(name)]
        if isinstance(counts, dict):
            for sequence, each in counts.items():
                known[sequence] = known.get(sequence, Counts(0, 0, 0)) + each
        else:
            totals[int(name)] = known + counts
    return [
        _by_system(work, total) if work.presence else _by_hop(work, total)
        for work, total in zip(works, totals, strict=True)
    ]


def _by_hop(work: Work, sequences: Sequences) -> tuple[HopCounts, ...]:
    found: list[Sequences] = [{} for _ in range(work.hops)]
    for sequence, counts in sorted(sequences.items()):
        if counts.gold or counts.system:
            found[len(sequence) - 1][sequence] = counts
    return tuple(
        HopCounts(hop, sum(known.values(), Counts(0, 0, 0)), known) for hop, known in enumerate(found, start=1)
    )


def _by_system(work: Work, totals: Any) -> list[SampleCounts]:
    totals = totals[:, :, : work.samples]
    systems = range(len(work.sides) - 1)
    return [SampleCounts(totals[2 * n + 1], totals[0], totals[2 * n + 2]) for n in systems]


def count_paths(
    gold: Facts, system: Facts, *, hops: int = 3, identity: Identity = "endpoints", walks: Walking = "all"
) -> tuple[HopCounts, ...]:
    """The paths of 1 to `hops` hops: per sequence of relations and in total, exactly.

    Two paths are the same if their relations and endpoints are (`endpoints`), or all their nodes too (`full`).
    `simple` keeps the paths with a witness that visits no node twice.

    >>> from adjudge.tasks.kbp.facts import make_facts
    >>> gold = make_facts([0, 1], [0, 1], [1, 2])
    >>> system = make_facts([0, 3], [0, 1], [3, 2])
    >>> [count_paths(gold, system, hops=2, identity=i)[1].total.both for i in ("endpoints", "full")]
    [1, 0]
    """
    found: tuple[HopCounts, ...] = count_all([Work((gold, system), hops, identity, walks)])[0]
    return found


def count_samples(sides: Sequence[Facts], presence: Any, **how: Any) -> list[SampleCounts]:
    """The counts of every system in every sample; `presence` says which documents (rows) are in which sample.

    >>> from adjudge.tasks.kbp.facts import make_facts
    >>> facts = make_facts([0, 1], [0, 0], [1, 2], [0, 1])
    >>> counts, = count_samples([facts, facts], [[True, True, False], [True, False, True]], hops=2)
    >>> counts.both.tolist()
    [[2, 1, 1], [1, 0, 0]]
    """
    words = (pack(presence),) * len(sides)
    found: list[SampleCounts] = count_all([Work(tuple(sides), presence=words, samples=len(presence[0]), **how)])[0]
    return found


def pieces_of(works: Sequence[Work], place: Place) -> list[Piece]:
    """The pieces for a place: one for each work where it is done here, else runs that take about the same time.

    >>> from adjudge.tasks.kbp.facts import make_facts
    >>> ring = make_facts([0, 1, 2, 3], [0] * 4, [1, 2, 3, 0])
    >>> [piece.part for piece in pieces_of([Work((ring, ring))], Place(jobs=2))]
    [(0, 1), (1, 2), (2, 3), (3, 4)]
    """
    whole = [Piece(number) for number in range(len(works))]
    if place.cluster is None and place.jobs == 1:
        return whole
    weights = [_seconds(work) for work in works]
    total = sum(float(each.sum()) for each in weights)
    if place.cluster is None and not place.jobs and total < WORTHWHILE:
        return whole
    limit = total / (_PIECES * (place.jobs or processors()))
    found = []
    for piece, seconds in zip(whole, weights, strict=True):
        if float(seconds.sum()) <= limit:
            found.append(piece)
        else:
            found += [Piece(piece.work, part) for part in blocks(seconds, limit)]
    return found


def _seconds(work: Work) -> Floats:
    """About how long it takes for every first label, or for every word of samples."""
    import numpy as np

    if work.by_vectors:
        facts = sum(len(side.subjects) for side in work.sides)
        return np.full(work.words, min(work.samples, 64) * facts * work.hops / _WALKS)
    walks: Floats = label_walks(work.sides, work.hops).sum(axis=0)
    return walks * work.words / _WALKS


class PieceCounter:
    """Counts pieces, in this process or in another one, which gets all works once.

    What a work needs before its first piece, matrices or masks, is kept until a piece of another work comes.
    """

    def __init__(self, works: Sequence[Work]) -> None:
        self.works = tuple(works)
        self._ready: tuple[int, Any] = -1, None

    def __reduce__(self) -> tuple[type[PieceCounter], tuple[Any, ...]]:
        return type(self), (self.works,)

    def __call__(self, piece: Piece, _: None = None) -> Any:
        """The counts of a piece: by sequence of relations, or the totals of all samples."""
        work = self.works[piece.work]
        products = not work.presence and work.identity == "endpoints" and work.walks == "all"
        if self._ready[0] != piece.work:
            ready: Any = None
            if products:
                ready = relations_of(*work.sides)
            elif not work.by_vectors and work.width >= work.words:
                ready = work.masks()
            self._ready = piece.work, ready
        if products:
            return count_products(self._ready[1], work.hops, sources=piece.part)
        if work.presence:
            return sample_totals(work, piece.part, self._ready[1])
        found: dict[tuple[int, ...], list[int]] = {}
        for row, sequence, counts in row_counts(work, work.masks(), piece.part, apart=True):
            found.setdefault(sequence, [0, 0, 0])[row] += int(counts[0])
        return {sequence: Counts(both, gold, system) for sequence, (gold, both, system) in found.items()}
