"""The randomisation test of paths: documents are exchanged between two systems, and paths are recounted.

The statistic is the difference of F1 over its jackknife error, which is recomputed in every exchange by leaving out
documents, or random groups if there are many.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from adjudge.evaluate.task import Run
from adjudge.model.prf import ratio
from adjudge.tasks.kbp.counting import HERE, SampleCounts, count_all
from adjudge.tasks.kbp.facts import Facts, assertions, make_facts, pack_blocks
from adjudge.tasks.kbp.walks import Identity, Walking, Work

if TYPE_CHECKING:
    import numpy.typing as npt

# Groups of documents that are left out in every exchange.
GROUPS = 50
# Samples of exchanged documents that are counted in one pass.
_AT_ONCE = 1 << 16


class Exchange(NamedTuple):
    """How documents are exchanged, and which paths are compared; `together` also adds up the paths of all lengths."""

    documents: int
    trials: int = 1000
    seed: int = 13
    hops: int = 1
    identity: Identity = "endpoints"
    walks: Walking = "all"
    together: bool = False
    clusters: Sequence[str] | None = None


def exchange_tests(
    gold: Facts, pairs: Mapping[Any, tuple[Facts, Facts]], how: Exchange, *, run: Run = HERE
) -> dict[Any, dict[int, float]]:
    """p of every pair of systems at every number of hops; 0 is all hops together.

    >>> gold = make_facts([0, 1], [0, 0], [1, 2], [0, 1])
    >>> other = make_facts([0], [0], [1], [0])
    >>> exchange_tests(gold, {"A-B": (gold, other)}, Exchange(2, trials=9, seed=1))
    {'A-B': {1: 1.0}}
    """
    import numpy as np

    from adjudge.stats.intervals import exchange_p, studentised
    from adjudge.stats.resample import Stream, exchanges, leave_out_groups

    unit = np.arange(how.documents) if how.clusters is None else np.unique(how.clusters, return_inverse=True)[1]
    units = int(unit.max()) + 1
    group = leave_out_groups(units, how.seed, GROUPS)[unit]
    width = 1 + int(group.max()) + 1
    size = max(1, _AT_ONCE // (2 * width))
    statistics: dict[Any, dict[int, list[Any]]] = {name: {} for name in pairs}
    for exchanged in exchanges(units, how.trials, size, Stream(how.seed)):
        swapped = exchanged[:, unit]
        works = [exchanging(gold, *pair, swapped > 0, group, how) for pair in pairs.values()]
        for name, (counts,) in zip(pairs, count_all(works, run), strict=True):
            for row, values in enumerate(_f1(counts, how.together)):
                sides = values.reshape(2, len(swapped), width)
                difference = sides[0] - sides[1]
                hop = 0 if row == how.hops else row + 1
                statistics[name].setdefault(hop, []).append(studentised(difference[:, 0], difference[:, 1:]))
    return {
        name: {hop: exchange_p(np.concatenate(found)) for hop, found in own.items()} for name, own in statistics.items()
    }


def exchanging(gold: Facts, first: Facts, second: Facts, swapped: Any, group: Any, how: Exchange) -> Work:
    """The work of counting two systems that exchange documents (`swapped`: exchanges x documents), as one graph.

    The samples are those of the first system, then those of the second; for every exchange all documents, then without
    each `group` of documents, also on the gold side. An assertion moves with its document. Both systems must use the
    same numbers for the same nodes, and separate ones for private nodes.
    """
    import numpy as np

    documents = len(group)
    rows = [assertions(first), assertions(second)]
    columns = [np.concatenate(pair) for pair in zip(*rows, strict=True)]
    # Document d of the second system is documents + d.
    columns[3] = np.concatenate((rows[0][3].astype(np.int64), rows[1][3].astype(np.int64) + documents))
    kept = np.concatenate((np.ones((documents, 1), bool), group[:, None] != np.arange(int(group.max()) + 1)), axis=1)
    samples = 2 * len(swapped) * kept.shape[1]
    of_gold = (kept for _ in range(2 * len(swapped)))
    of_systems = (
        np.concatenate((kept, kept)) & (np.concatenate((exchanged, ~exchanged)) == other)[:, None]
        for other in (False, True)
        for exchanged in swapped
    )
    words = pack_blocks(documents, samples, of_gold), pack_blocks(2 * documents, samples, of_systems)
    return Work((gold, make_facts(*columns)), how.hops, how.identity, how.walks, words, samples)


def _f1(counts: SampleCounts, together: bool) -> npt.NDArray[Any]:
    """F1 of every hop (rows) in every sample, and of all hops together in the last row; 0/0 is 0."""
    import numpy as np

    if together:
        counts = SampleCounts(*(np.vstack((side, side.sum(axis=0))) for side in counts))
    both, gold, system = counts
    return cast("npt.NDArray[Any]", ratio(2 * both, gold + system))
