"""Normalisers: a matching value becomes a score by dividing it by its self scores (Eq. 4-7).

The constructors below build nodes; `model.prf` does the dividing.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from adjudge.algebra import ir
from adjudge.algebra.ir import need_similarity

Undefined: TypeAlias = Literal[0, 1] | None


def f(
    of: ir.Similarity, recall: ir.Similarity | None = None, *, beta: float = 1.0, undefined: Undefined = None
) -> ir.Normalise:
    """F-beta: (1 + b²) S(s,g) / (b² S(g,g) + S(s,s)); with `recall`, the harmonic mean of two matchings. (Eq. 6)

    >>> f(ir.Set(of=ir.Exact()), beta=2).beta
    2.0
    """
    other = None if recall is None else need_similarity(recall, what="recall")
    return ir.Normalise(of=need_similarity(of), recall=other, beta=float(beta), undefined=undefined)


def f1(of: ir.Similarity, *, undefined: Undefined = None) -> ir.Normalise:
    """F1 (Dice): 2 S(s,g) / (S(s,s) + S(g,g)). (Eq. 6)

    >>> f1(ir.Set(of=ir.Exact())).by
    'f'
    """
    return f(of, undefined=undefined)


def precision(of: ir.Similarity, *, undefined: Undefined = None) -> ir.Normalise:
    """S(s,g) / S(s,s). (Eq. 4)

    >>> precision(ir.Set(of=ir.Exact())).by
    'precision'
    """
    return ir.Normalise(of=need_similarity(of), by="precision", undefined=undefined)


def recall(of: ir.Similarity, *, undefined: Undefined = None) -> ir.Normalise:
    """S(s,g) / S(g,g). (Eq. 5)

    >>> recall(ir.Set(of=ir.Exact())).by
    'recall'
    """
    return ir.Normalise(of=need_similarity(of), by="recall", undefined=undefined)


def jaccard(of: ir.Similarity, *, undefined: Undefined = None) -> ir.Normalise:
    """S(s,g) / (S(s,s) + S(g,g) - S(s,g)). (Eq. 7)

    >>> jaccard(ir.Set(of=ir.Exact())).by
    'jaccard'
    """
    return ir.Normalise(of=need_similarity(of), by="jaccard", undefined=undefined)


def prf(precision: ir.Similarity, recall: ir.Similarity | None = None, *, undefined: Undefined = None) -> ir.Normalise:
    """Precision and recall of one matching, or of one each, and F1 as their harmonic mean. (Eq. 23, 24)

    >>> prf(ir.Set(of=ir.Exact(), match="N:1"), ir.Set(of=ir.Exact(), match="1:N")).recall.match
    '1:N'
    """
    return f(precision, recall, undefined=undefined)


def one_sided(
    of: ir.Similarity,
    *,
    beta: float = 1.0,
    duplicates: ir.Duplicates | None = None,
    empty: Literal[0, 1] | None = None,
    undefined: Undefined = None,
) -> ir.Normalise:
    """Precision lets each system element take its best gold element, recall the reverse. (Eq. 27)

    >>> metric = one_sided(ir.Exact())
    >>> metric.of.match, metric.recall.match
    ('N:1', '1:N')
    """
    inner = need_similarity(of)
    forth = ir.Set(of=inner, match="N:1", duplicates=duplicates, empty=empty)
    back = ir.Set(of=inner, match="1:N", duplicates=duplicates, empty=empty)
    return f(forth, back, beta=beta, undefined=undefined)
