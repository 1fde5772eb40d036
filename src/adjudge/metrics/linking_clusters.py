"""Entity linking as a clustering: the mentions of each entity, over the whole corpus as if it were one document.

The documents are those of `linking`, which also has the functions that say which mention belongs to which entity.
"""

from __future__ import annotations

from functools import partial

from adjudge.algebra import dice, exact, f, ir, many_to_many, mapped, overlap, record, set_of
from adjudge.metrics import linking
from adjudge.metrics.base import Clustered
from adjudge.metrics.linking import EXAMPLE
from adjudge.metrics.registry import metric

CLUSTER_LAWS = ("self", "order", "swap", "bounded")
LINK_LAWS = ("perfect", *CLUSTER_LAWS[1:])  # an entity with one mention has no link
_SPANS, _PLUS = f"{linking.__name__}:assigned", f"{linking.__name__}:assigned_plus"
_TYPED, _TYPED_PLUS = f"{linking.__name__}:assigned_typed", f"{linking.__name__}:assigned_typed_plus"
_corpus_metric = partial(metric, within="mentions", laws=CLUSTER_LAWS, example=EXAMPLE)


@_corpus_metric("linking.muc", laws=LINK_LAWS, clustered=Clustered(_SPANS, "muc"))
def muc(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of the links that hold the entities of the corpus together (MUC): each pair of entities adds |X & Y| - 1.

    >>> gold = [{"span": {"start": k, "end": k + 1}, "entity": "NIL1"} for k in range(3)]
    >>> muc.score(gold, gold[:2]).recall
    0.5
    """
    return f(_clusters(many_to_many(overlap(by="link")), _SPANS), beta=beta)


@_corpus_metric("linking.b3", clustered=Clustered(_SPANS, "b3"))
def b3(*, beta: float = 1.0) -> ir.Similarity:
    """B-cubed over the corpus: the mean over mentions of how much of their entity is right.

    A mention of entities X (system) and Y (gold) adds |X & Y| / |X| to precision and |X & Y| / |Y| to recall.

    >>> gold = [{"span": {"start": k, "end": k + 1}, "entity": "NIL1"} for k in range(2)]
    >>> b3.score(gold, [gold[0], {**gold[1], "entity": "NIL2"}]).recall
    0.5
    """
    return _b3(_SPANS, beta)


@_corpus_metric("linking.b3-plus", clustered=Clustered(_PLUS, "b3", ("entity",)))
def b3_plus(*, beta: float = 1.0) -> ir.Similarity:
    """B-cubed over the corpus, of mentions whose entity in the knowledge base is right, or unknown on both sides (B3+).

    >>> gold = [{"span": {"start": 0, "end": 1}, "entity": "Q1"}]
    >>> b3_plus.score(gold, [{**gold[0], "entity": "Q2"}]).f1
    0.0
    """
    return _b3(_PLUS, beta)


@_corpus_metric("linking.ceafm", clustered=Clustered(_SPANS, "ceafm"))
def ceafm(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of mentions in the best 1:1 alignment of the entities of the corpus (CEAFm).

    >>> gold = [{"span": {"start": k, "end": k + 1}, "entity": "Q1"} for k in range(3)]
    >>> ceafm.score(gold, [*gold[:2], {**gold[2], "entity": "NIL1"}]).recall
    0.666...
    """
    return f(_clusters(set_of(overlap(by="count")), _SPANS), beta=beta)


@_corpus_metric("linking.ceafm-plus", clustered=Clustered(_PLUS, "ceafm", ("entity",)))
def ceafm_plus(*, beta: float = 1.0) -> ir.Similarity:
    """CEAFm over the corpus, of mentions whose entity in the knowledge base is right, or unknown on both sides.

    >>> gold = [{"span": {"start": 0, "end": 1}, "entity": "Q1"}]
    >>> ceafm.score(gold, [{**gold[0], "entity": "Q2"}]).f1, ceafm_plus.score(gold, [{**gold[0], "entity": "Q2"}]).f1
    (1.0, 0.0)
    """
    return f(_clusters(set_of(overlap(by="count")), _PLUS), beta=beta)


@_corpus_metric("linking.typed-ceafm", clustered=Clustered(_TYPED, "ceafm", ("type",)))
def typed_ceafm(*, beta: float = 1.0) -> ir.Similarity:
    """CEAFm over the corpus, of mentions whose type is right.

    >>> gold = [{"span": {"start": 0, "end": 1}, "type": "PER", "entity": "Q1"}]
    >>> typed_ceafm.score(gold, [{**gold[0], "type": "ORG"}]).f1
    0.0
    """
    return f(_clusters(set_of(overlap(by="count")), _TYPED), beta=beta)


@_corpus_metric("linking.typed-ceafm-plus", clustered=Clustered(_TYPED_PLUS, "ceafm", ("type", "entity")))
def typed_ceafm_plus(*, beta: float = 1.0) -> ir.Similarity:
    """CEAFm over the corpus, of mentions whose type is right, and their entity, or that is unknown on both sides.

    >>> gold = [{"span": {"start": 0, "end": 1}, "type": "PER", "entity": "Q1"}]
    >>> typed_ceafm_plus.score(gold, [{**gold[0], "entity": "NIL1"}]).f1
    0.0
    """
    return f(_clusters(set_of(overlap(by="count")), _TYPED_PLUS), beta=beta)


@_corpus_metric("linking.ceafe", clustered=Clustered(_SPANS, "ceafe"))
def ceafe(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of the best 1:1 alignment of the entities of the corpus by their Dice (CEAFe).

    >>> gold = [{"span": {"start": k, "end": k + 1}, "entity": "Q1"} for k in range(2)]
    >>> ceafe.score(gold, [gold[0], {**gold[1], "entity": "NIL1"}]).precision
    0.333...
    """
    return f(_clusters(set_of(dice()), _SPANS), beta=beta)


@_corpus_metric("linking.pairwise", laws=LINK_LAWS, clustered=Clustered(_SPANS, "pairwise"))
def pairwise(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of the pairs of mentions of one entity, over the whole corpus.

    >>> gold = [{"span": {"start": k, "end": k + 1}, "entity": "NIL1"} for k in range(3)]
    >>> pairwise.score(gold, gold[:2]).recall
    0.333...
    """
    return f(_clusters(many_to_many(overlap(by="pairs")), _SPANS), beta=beta)


def _clusters(of: ir.Similarity, assign: str) -> ir.Similarity:
    return mapped(of, by=assign.replace("assigned", "clusters"))


def _b3(assign: str, beta: float) -> ir.Similarity:
    sides = [
        _clusters(mapped(set_of(record(mention=exact, entity=overlap(by=by))), by="memberships"), assign)
        for by in ("precision", "recall")
    ]
    return f(sides[0], sides[1], beta=beta)
