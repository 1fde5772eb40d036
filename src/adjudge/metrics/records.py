"""Collections of anything: JSON values compared as they are."""

from __future__ import annotations

from adjudge.algebra import exact, f, ir, jaccard, sequence, set_of
from adjudge.metrics.registry import metric

LAWS = ("self", "order", "rename", "swap", "bounded", "pooled")
EXAMPLE = {"id": "d1", "items": ["a", "b", {"any": "value"}]}


@metric("record.set", within="items", laws=LAWS, example=EXAMPLE)
def set_f(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of two sets of equal values.

    F = 2 |S & G| / (|S| + |G|) (Eq. 6).

    >>> set_f.score([3, 4, 5], [1, 2, 3, 4])
    precision=0.5 recall=0.666... f1=0.571...
    """
    return f(set_of(exact), beta=beta)


@metric("record.jaccard", within="items", laws=LAWS, example=EXAMPLE)
def set_jaccard() -> ir.Similarity:
    """Jaccard index of two sets of equal values.

    J = |S & G| / |S | G| (Eq. 7).

    >>> set_jaccard.score([3, 4, 5], [1, 2, 3, 4]).jaccard
    0.4
    """
    return jaccard(set_of(exact))


@metric("record.sequence", within="items", laws=("self", "rename", "swap", "bounded", "pooled"), example=EXAMPLE)
def in_order(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of the longest common subsequence of two lists.

    F = 2 LCS(S, G) / (|S| + |G|) (Eq. 37).

    >>> in_order.score([1, 3, 5, 2, 4], [1, 2, 3, 4, 5]).f1
    0.6
    """
    return f(sequence(exact), beta=beta)
