"""Counts of paths in many samples at once where walks are told apart by all their nodes: no merging before the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from adjudge.tasks.kbp.masks_bits import column_counts, or_groups
from adjudge.tasks.kbp.paths_facts import Facts
from adjudge.tasks.kbp.paths_walks import LIMIT, Identity, Walking, first_walks, longer, source_blocks, walk_keys

if TYPE_CHECKING:
    import numpy.typing as npt

    Words: TypeAlias = npt.NDArray[Any]
    Ints: TypeAlias = npt.NDArray[Any]


def walk_counts(
    sides: Sequence[Facts],
    masks: Sequence[Words],
    *,
    hops: int,
    identity: Identity,
    walks: Walking,
    block: int,
    sources: tuple[int, int] | None = None,
) -> Ints:
    """Rows: gold, then for each system what is on both sides, and the system.

    With `sources`, only walks whose first label is from the one to before the other.

    >>> from adjudge.tasks.kbp.masks_bits import pack
    >>> from adjudge.tasks.kbp.paths_facts import make_facts
    >>> ring, all_ = make_facts([0, 1], [0, 0], [1, 0]), pack([[True], [True]])
    >>> walk_counts([ring], [all_], hops=2, identity="endpoints", walks="simple", block=8)[:, :, 0].tolist()
    [[2, 0]]
    """
    import numpy as np

    width = masks[0].shape[1]
    totals = np.zeros((2 * len(sides) - 1, hops, width * 64), dtype=np.int64)
    size = max(1, block // (8 * max(1, width)))
    for start, stop in source_blocks(sides, hops, block=size, limit=LIMIT, sources=sources):
        states = [first_walks(side, start, stop, walks) for side in sides]
        present = [own[state.facts] for own, state in zip(masks, states, strict=True)]
        for hop in range(hops):
            if hop:
                states = [longer(side, state, walks) for side, state in zip(sides, states, strict=True)]
                steps = zip(present, masks, states, strict=True)
                present = [before[state.parents] & own[state.facts] for before, own, state in steps]
            merged = []
            for key, words in zip(walk_keys(sides, states, identity), present, strict=True):
                order = np.argsort(key, kind="stable")
                distinct, first = np.unique(key[order], return_index=True)
                merged.append((distinct, or_groups(words[order], first)))
            totals[0, hop] += column_counts(merged[0][1])
            for place in range(1, len(sides)):
                keys = (merged[0][0], merged[place][0])
                _, one, other = np.intersect1d(*keys, assume_unique=True, return_indices=True)
                totals[2 * place - 1, hop] += column_counts(merged[0][1][one] & merged[place][1][other])
                totals[2 * place, hop] += column_counts(merged[place][1])
    return totals
