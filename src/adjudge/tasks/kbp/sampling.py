"""Estimates the share of right paths from a sample of first nodes, if there are too many paths to count.

K first nodes are drawn with replacement, each with probability p proportional to the walks that begin there on either
side, and the paths from each of them are counted exactly. Counts divided by p estimate the totals without bias (Hansen
and Hurwitz 1943); scores are ratios of such totals. `error` is the usual half width from the linearised standard error.
`low` and `high` hold without approximation: there are at most as many paths as walks, so each draw is bounded, and the
empirical Bernstein inequality (Maurer and Pontil 2009) gives the scores that the draws allow.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from adjudge.errors import UsageError
from adjudge.model.prf import ratio
from adjudge.tasks.kbp.facts import Facts, label_walks
from adjudge.tasks.kbp.products import BLOCK, Matrix, Rows, joined, leaves, multiply, relations_of, shared, split, take

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints: TypeAlias = npt.NDArray[Any]
    Floats: TypeAlias = npt.NDArray[Any]

DRAWS = 2000
LEVEL = 0.95
_GRID = 20_000


class Estimate(NamedTuple):
    """An estimated score: usually within `error`, and between `low` and `high` whatever the data.

    Both hold with probability `level` over samples: the first for large samples, the second for all.
    """

    value: float
    error: float
    low: float
    high: float


class HopEstimate(NamedTuple):
    """Estimated numbers of paths of one length and scores; `complete` if all first nodes were counted."""

    hop: int
    both: float
    gold: float
    system: float
    precision: Estimate
    recall: Estimate
    f1: Estimate
    draws: int
    sources: int
    level: float
    complete: bool


def sample_paths(
    gold: Facts,
    system: Facts,
    *,
    hop: int,
    draws: int = DRAWS,
    seed: int = 13,
    level: float = LEVEL,
    block: int = BLOCK,
) -> HopEstimate:
    """The scores at one hop from a sample of first nodes.

    >>> from adjudge.tasks.kbp.facts import make_facts
    >>> found = sample_paths(make_facts([0, 1], [0, 0], [1, 2]), make_facts([0], [0], [1]), hop=1)
    >>> found.recall.value, found.complete
    (0.5, True)
    """
    import numpy as np

    from adjudge.stats.inference import check_level

    check_level(level)
    if draws < 2:
        raise UsageError(f"draws is {draws}", hint="give at least 2")
    walks: Floats = label_walks((gold, system), hop)[hop - 1]
    known = np.flatnonzero(walks)
    complete = len(known) <= draws
    if complete:
        counts = source_counts(gold, system, known, hop=hop, block=block)
        totals = counts.sum(axis=1)
        values = [float(ratio(*pair)) for pair in _pairs(totals)]
        p, r, f = (Estimate(value, 0.0, value, value) for value in values)
        both, of_gold, of_system = totals.tolist()
        return HopEstimate(hop, both, of_gold, of_system, p, r, f, len(known), len(known), level, complete)
    ends = np.cumsum(walks[known])
    rng = np.random.default_rng(seed)
    at = np.minimum(np.searchsorted(ends, rng.random(draws) * ends[-1], side="right"), len(known) - 1)
    sources, place = np.unique(known[at], return_inverse=True)
    counts = source_counts(gold, system, sources, hop=hop, block=block)
    shares = (counts / walks[sources])[:, place]  # paths per walk, at most 1
    p, r, f = (_estimate(above, below, level) for above, below in _pairs(shares))
    both, of_gold, of_system = (shares.mean(axis=1) * float(ends[-1])).tolist()
    return HopEstimate(hop, both, of_gold, of_system, p, r, f, draws, len(sources), level, complete)


def _pairs(counts: Any) -> list[tuple[Any, Any]]:
    both, gold, system = counts
    return [(both, system), (both, gold), (2 * both, gold + system)]


def _estimate(above: Floats, below: Floats, level: float) -> Estimate:
    """The ratio of two means of draws, 0 <= above <= below <= 1."""
    import numpy as np

    from adjudge.stats.intervals import normal_reach

    draws = len(above)
    top, bottom = float(above.mean()), float(below.mean())
    value = ratio(top, bottom)
    spread = float((above - value * below).std(ddof=1))
    error = normal_reach(level) * spread / math.sqrt(draws) / bottom if bottom else 0.0
    # The mean of above - r * below is zero for the true r, and its terms lie within a range of 1: the draws allow every
    # r for which it is not too far from zero.
    r = np.linspace(0.0, 1.0, _GRID + 1)
    covariance = np.cov(above, below)
    variance = np.maximum(covariance[0, 0] - 2 * r * covariance[0, 1] + r * r * covariance[1, 1], 0.0)
    odds = math.log(4 / (1 - level))
    allowed = np.sqrt(2 * variance * odds / draws) + 7 * odds / (3 * (draws - 1))
    possible = np.flatnonzero(np.abs(top - r * bottom) <= allowed)
    low, high = float(r[max(0, possible[0] - 1)]), float(r[min(_GRID, possible[-1] + 1)])
    return Estimate(value, error, low, high)


def source_counts(gold: Facts, system: Facts, sources: Ints, *, hop: int, block: int = BLOCK) -> Ints:
    """The paths of one length from each first label: rows both, gold, system; the labels are in ascending order."""
    import numpy as np

    counts = np.zeros((3, len(sources)), dtype=np.int64)
    for leaf in leaves(relations_of(gold, system), hop, sources=sources, block=block):
        if len(leaf.sequence) < hop:
            continue
        for one, other in split(leaf.gold, leaf.system, leaf.target, block):
            places = [np.searchsorted(sources, rows.ids) for rows in (one, other)]
            numbers = [_per_row(rows, leaf.target) for rows in (one, other)]
            counts[1, places[0]] += numbers[0]
            counts[2, places[1]] += numbers[1]
            here, there = shared(one, other)
            if len(here):
                either = _per_row(joined(take(one, here), take(other, there)), leaf.target)
                counts[0, places[0][here]] += numbers[0][here] + numbers[1][there] - either
    return counts


def _per_row(rows: Rows, matrix: Matrix) -> Ints:
    import numpy as np

    if not len(rows.ids):
        return np.zeros(0, dtype=np.int64)
    return np.diff(multiply(rows, matrix).indptr)
