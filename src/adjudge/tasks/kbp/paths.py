"""How many paths of each length gold and a system have, and how many they share, by the exact method that fits."""

from __future__ import annotations

from adjudge.errors import UsageError
from adjudge.tasks.kbp.paths_facts import Counts, Facts, HopCounts, closed, make_facts, without_loops
from adjudge.tasks.kbp.paths_full import count_full
from adjudge.tasks.kbp.paths_sparse import count_sparse
from adjudge.tasks.kbp.paths_walks import Identity, Walking, count_walks

__all__ = ["Counts", "Facts", "HopCounts", "closed", "count_paths", "make_facts", "without_loops"]


def count_paths(
    gold: Facts, system: Facts, *, hops: int = 3, identity: Identity = "endpoints", walks: Walking = "all"
) -> tuple[HopCounts, ...]:
    """The paths of 1 to `hops` hops: per sequence of relations and in total, exactly.

    Two paths are the same if their relations and endpoints are (`endpoints`), or all their nodes too (`full`).
    `simple` keeps the paths with a witness that visits no node twice.

    >>> gold = make_facts([0, 1], [0, 1], [1, 2])
    >>> system = make_facts([0, 3], [0, 1], [3, 2])
    >>> [count_paths(gold, system, hops=2, identity=i)[1].total.both for i in ("endpoints", "full")]
    [1, 0]
    """
    check_hops(hops)
    if walks == "simple" or (identity == "full" and (gold.labels is not None or system.labels is not None)):
        return count_walks(gold, system, hops=hops, identity=identity, walks=walks)
    if identity == "full":
        return count_full(gold, system, hops=hops)
    return count_sparse(gold, system, hops=hops)


def check_hops(hops: int) -> int:
    """The number of hops, which must be positive.

    >>> check_hops(3)
    3
    """
    if hops < 1:
        raise UsageError(f"hops is {hops}", hint="give at least 1")
    return hops
