"""Matchings: collections compared by the best alignment of their elements. (Eq. 13)

Every function takes the similarity of the elements and gives the unnormalised value of the matching, a count of
(partial) matches; `normalise` turns it into a score.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from adjudge.algebra import ir
from adjudge.algebra.functions import Fn
from adjudge.algebra.ir import need_similarity
from adjudge.errors import UsageError, did_you_mean

Empty: TypeAlias = Literal[0, 1] | None

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
    """The one name of a constraint, from any of its names.

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
