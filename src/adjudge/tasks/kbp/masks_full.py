"""Counts of walks in many samples at once: products with vectors, one column per sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from adjudge.errors import UsageError
from adjudge.tasks.kbp.masks_bits import unpack
from adjudge.tasks.kbp.paths_facts import Facts, exact_type, walks_from
from adjudge.tasks.kbp.paths_full import shared_places

if TYPE_CHECKING:
    import numpy.typing as npt

    Words: TypeAlias = npt.NDArray[Any]
    Ints: TypeAlias = npt.NDArray[Any]

_CELLS = 1 << 23


def full_counts(
    sides: Sequence[Facts], masks: Sequence[Words], *, hops: int, sources: tuple[int, int] | None = None
) -> Ints:
    """Rows: gold, then for each system what is on both sides, and the system; a walk is shared if all its facts are.

    With `sources`, only walks whose first node is from the one to before the other.

    >>> from adjudge.tasks.kbp.masks_bits import pack
    >>> from adjudge.tasks.kbp.paths_facts import make_facts
    >>> facts = make_facts([0, 1], [0, 0], [1, 2])
    >>> full_counts([facts, facts], [pack([[True], [True]])] * 2, hops=2)[:, :, 0].tolist()
    [[2, 1], [2, 1], [2, 1]]
    """
    import numpy as np

    gold = sides[0]
    rows = [_walks(gold, masks[0], hops, sources)]
    for system, words in zip(sides[1:], masks[1:], strict=True):
        one, other = shared_places(gold, system)
        both = gold._replace(subjects=gold.subjects[one], relations=gold.relations[one], objects=gold.objects[one])
        rows += [_walks(both, masks[0][one] & words[other], hops, sources), _walks(system, words, hops, sources)]
    return np.stack(rows)


def _walks(facts: Facts, masks: Words, hops: int, chosen: tuple[int, int] | None) -> Ints:
    """Walks of each length (rows) in each sample (columns): n products with the matrix of the facts of the sample."""
    import numpy as np

    samples = masks.shape[1] * 64
    most = float(walks_from(facts, hops).sum(axis=1).max(initial=0.0))
    if exact_type(most) is not np.int64:
        raise UsageError(f"there are about {most:.2g} walks, too many to count in samples", hint="ask for fewer hops")
    counts = np.zeros((hops, samples), dtype=np.int64)
    if len(facts.subjects):
        new = np.append(True, facts.subjects[1:] != facts.subjects[:-1])
        starts = np.flatnonzero(new)
        sources = facts.subjects[starts]
        width = max(1, _CELLS // (64 * len(facts.subjects)))
        for first in range(0, masks.shape[1], width):
            present = unpack(masks[:, first : first + width]).astype(np.int64)
            ahead = np.ones((facts.nodes, present.shape[1]), dtype=np.int64)
            for row in counts[:, 64 * first : 64 * (first + width)]:
                here = np.zeros_like(ahead)
                here[sources] = np.add.reduceat(present * ahead[facts.objects], starts, axis=0)
                row[:] = (here if chosen is None else here[slice(*chosen)]).sum(axis=0)
                ahead = here
    return counts
