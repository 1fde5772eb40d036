"""The randomisation test of paths: documents are exchanged between two systems, and paths are counted anew.

The statistic is the difference of F1 over its jackknife error, which is found anew in every exchange by leaving out
documents, or random groups of them where they are many.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from adjudge.stats.intervals import exchange_p, studentised
from adjudge.tasks.kbp.masks import SampleCounts
from adjudge.tasks.kbp.masks_samples import exchanging, leave_out_groups
from adjudge.tasks.kbp.paths_facts import Facts
from adjudge.tasks.kbp.paths_walks import Identity, Walking
from adjudge.tasks.kbp.pieces import HERE, Place, count_all

if TYPE_CHECKING:
    import numpy.typing as npt

# Groups of documents that are left out in every exchange.
GROUPS = 50
# Samples that are counted in one pass.
_AT_ONCE = 1 << 16


class Exchange(NamedTuple):
    """How documents are exchanged, and which paths are compared; `together` adds up the paths of all lengths, too."""

    documents: int
    trials: int = 1000
    seed: int = 13
    hops: int = 1
    identity: Identity = "endpoints"
    walks: Walking = "all"
    together: bool = False


def exchange_tests(
    gold: Facts, pairs: Mapping[Any, tuple[Facts, Facts]], how: Exchange, *, place: Place = HERE
) -> dict[Any, dict[int, float]]:
    """p of every pair of systems at every number of hops; 0 is all hops together.

    >>> from adjudge.tasks.kbp.paths_facts import make_facts
    >>> gold = make_facts([0, 1], [0, 0], [1, 2], [0, 1])
    >>> other = make_facts([0], [0], [1], [0])
    >>> exchange_tests(gold, {"A-B": (gold, other)}, Exchange(2, trials=9, seed=1))
    {'A-B': {1: 0.7}}
    """
    import numpy as np

    from adjudge.stats.resample import exchanges

    if how.documents < 2:
        return {name: {} for name in pairs}
    group = leave_out_groups(how.documents, np.random.default_rng([how.seed, 1]), groups=GROUPS)
    width = 1 + int(group.max()) + 1
    size = max(1, _AT_ONCE // (2 * width))
    statistics: dict[Any, dict[int, list[Any]]] = {name: {} for name in pairs}
    for swapped in exchanges(how.documents, how.trials, size, Random(how.seed)):  # noqa: S311  # nothing is secret
        works = [
            exchanging(gold, *pair, swapped > 0, group, hops=how.hops, identity=how.identity, walks=how.walks)
            for pair in pairs.values()
        ]
        for name, (counts,) in zip(pairs, count_all([], works, place=place)[1], strict=True):
            f1 = _f1(counts, how.together)
            for row, values in enumerate(f1):
                sides = values.reshape(2, len(swapped), width)
                difference = sides[0] - sides[1]
                hop = 0 if row == how.hops else row + 1
                statistics[name].setdefault(hop, []).append(studentised(difference[:, 0], difference[:, 1:]))
    return {
        name: {hop: exchange_p(np.concatenate(found)) for hop, found in own.items()} for name, own in statistics.items()
    }


def _f1(counts: SampleCounts, together: bool) -> npt.NDArray[Any]:
    """F1 of every hop (rows) in every sample, and of all hops together in the last row; 0/0 is 0."""
    import numpy as np

    if together:
        counts = SampleCounts(*(np.vstack((side, side.sum(axis=0))) for side in counts))
    both, gold, system = counts
    value = np.zeros(both.shape)
    np.divide(2 * both, gold + system, out=value, where=(gold + system) != 0)
    return value
