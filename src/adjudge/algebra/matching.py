"""Matchings: collections compared by the best alignment of their elements (Eq. 13), and ratios of them (Eq. 4-7).

A matching takes the similarity of the elements and gives an unnormalised value, a count of (partial) matches; a
normaliser turns it into a score, dividing it by its self scores. The functions build nodes; `model.prf` divides.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from adjudge.algebra import ir
from adjudge.algebra.functions import Fn
from adjudge.algebra.ir import need_similarity
from adjudge.errors import UsageError, did_you_mean

Empty: TypeAlias = Literal[0, 1] | None
Undefined: TypeAlias = Literal[0, 1] | None

ALIASES: dict[str, ir.Match] = {
    "1:1": "1:1",
    "one_to_one": "1:1",
    "<->": "1:1",
    "N:1": "N:1",
    "many_to_one": "N:1",
    "->": "N:1",
    "1:N": "1:N",
    "one_to_many": "1:N",
    "<-": "1:N",
    "N:N": "N:N",
    "many_to_many": "N:N",
    "~": "N:N",
    "best": "best",
    "best_pair": "best",
}


def match_name(match: str) -> ir.Match:
    """The canonical name of a constraint.

    >>> match_name("->"), match_name("one_to_many")
    ('N:1', '1:N')
    """
    if match not in ALIASES:
        hint = did_you_mean(str(match), ALIASES) or f"use one of {', '.join(ALIASES)}"
        raise UsageError(f"there is no matching {match!r}", hint=hint)
    return ALIASES[match]


def set_of(
    of: ir.Similarity, *, match: str = "1:1", duplicates: ir.Duplicates | None = None, empty: Empty = None
) -> ir.Set:
    """The best matching of two collections under a constraint.

    `1:1` (`<->`, `one_to_one`), `N:1` (`->`, each system element to at most one gold element), `1:N` (`<-`, each gold
    element to at most one system element), `N:N` (`~`), and `best`, a single pair.

    >>> set_of(ir.Exact(), match="->").match
    'N:1'
    """
    return ir.Set(of=need_similarity(of), match=match_name(match), duplicates=duplicates, empty=empty)


def one_to_one(of: ir.Similarity, *, duplicates: ir.Duplicates | None = None, empty: Empty = None) -> ir.Set:
    """Each element is matched at most once, on both sides.

    >>> one_to_one(ir.Exact()).match
    '1:1'
    """
    return set_of(of, match="1:1", duplicates=duplicates, empty=empty)


def many_to_one(of: ir.Similarity, *, duplicates: ir.Duplicates | None = None, empty: Empty = None) -> ir.Set:
    """Each system element takes its best gold element; a gold element may serve many.

    >>> many_to_one(ir.Exact()).match
    'N:1'
    """
    return set_of(of, match="N:1", duplicates=duplicates, empty=empty)


def one_to_many(of: ir.Similarity, *, duplicates: ir.Duplicates | None = None, empty: Empty = None) -> ir.Set:
    """Each gold element takes its best system element; a system element may serve many.

    >>> one_to_many(ir.Exact()).match
    '1:N'
    """
    return set_of(of, match="1:N", duplicates=duplicates, empty=empty)


def many_to_many(of: ir.Similarity, *, duplicates: ir.Duplicates | None = None, empty: Empty = None) -> ir.Set:
    """All pairs count.

    >>> many_to_many(ir.Exact()).match
    'N:N'
    """
    return set_of(of, match="N:N", duplicates=duplicates, empty=empty)


def best_pair(of: ir.Similarity, *, duplicates: ir.Duplicates | None = None, empty: Empty = None) -> ir.Set:
    """The single most similar pair.

    >>> best_pair(ir.Exact()).match
    'best'
    """
    return set_of(of, match="best", duplicates=duplicates, empty=empty)


def greedy(
    of: ir.Similarity,
    *,
    order: Literal["score", "system", "gold"] = "score",
    take: Literal["best", "first"] = "best",
    ties: Literal["system", "gold"] = "system",
    rank: str | Callable[[Any], Any] | Fn | None = None,
    duplicates: ir.Duplicates | None = None,
    empty: Empty = None,
) -> ir.Greedy:
    """A one-to-one matching built step by step, as many official scorers do; ties are broken as declared.

    >>> greedy(ir.Exact(), order="system", rank="get(confidence)").order
    'system'
    """
    ranked = None if rank is None else function(rank)
    if ranked is not None and order == "score":
        raise UsageError("rank sorts one side, but pairs are taken by score", hint='add order="system" or order="gold"')
    if take == "first" and order == "score":
        raise UsageError('take="first" needs a side to go through', hint='add order="system" or order="gold"')
    inner = need_similarity(of)
    return ir.Greedy(of=inner, order=order, take=take, ties=ties, rank=ranked, duplicates=duplicates, empty=empty)


def sequence(of: ir.Similarity, *, match: str = "1:1", empty: Empty = None) -> ir.Sequence:
    """The best matching that keeps the order: a weighted longest common subsequence. (Eq. 37)

    >>> sequence(ir.Exact()).match
    '1:1'
    """
    return ir.Sequence(of=need_similarity(of), match=_ordered(match), empty=empty)


def graph(
    of: ir.Similarity,
    *,
    nodes: str = "nodes",
    edges: str = "edges",
    ids: str = "index",
    match: str = "1:1",
    empty: Empty = None,
) -> ir.Graph:
    """The best matching of nodes that keeps reachability along the edges. (Eq. 37)

    >>> graph(ir.Exact(), ids="id").ids
    'id'
    """
    inner = need_similarity(of)
    return ir.Graph(of=inner, nodes=nodes, edges=edges, ids=ids, match=_ordered(match), empty=empty)


def latent(of: ir.Similarity) -> ir.Latent:
    """The best value over all one-to-one matchings of the variables inside. (Eq. 35)

    >>> latent(ir.Set(of=ir.Record(fields={"x": ir.Variable()}))).of.match
    '1:1'
    """
    return ir.Latent(of=need_similarity(of))


def count(of: ir.Similarity) -> ir.Similarity:
    """The number of matches, not a ratio: a matching without its normaliser, or the matching of such elements.

    >>> count(ir.Exact()) == count(one_to_one(ir.Exact())) == count(ir.Normalise(of=one_to_one(ir.Exact())))
    True
    """
    inner = need_similarity(of)
    if isinstance(inner, ir.Normalise):
        return inner.of
    return inner if isinstance(inner, MATCHINGS) else one_to_one(inner)


MATCHINGS = (ir.Set, ir.Greedy, ir.Sequence, ir.Graph, ir.Latent, ir.Overlap)


def _ordered(match: str) -> Literal["1:1", "N:1", "1:N", "N:N"]:
    name = match_name(match)
    if name == "best":
        raise UsageError("an order-preserving matching cannot be a single pair", hint="use best_pair for sets")
    return name


def function(given: str | Callable[..., Any] | Fn) -> Fn:
    """A function or its name, looked up at once so that a misspelt name is reported where it was written."""
    if not (isinstance(given, str | Fn) or callable(given)):
        raise UsageError(f"expected a function or its name, got {given!r}")
    found = Fn.of(given)
    _ = found.function
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Normalisers


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
    forth = many_to_one(of, duplicates=duplicates, empty=empty)
    back = one_to_many(of, duplicates=duplicates, empty=empty)
    return f(forth, back, beta=beta, undefined=undefined)
