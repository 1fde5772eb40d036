"""Relations: between two spans, between entities of a document, and among several entities.

The formats and the published scorers of these are in the family `relation`: `adjudge relation score`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

from adjudge.algebra import exact, f, iou, ir, mapped, precision, record, set_of, span, threshold
from adjudge.metrics.base import OPTIONAL, SPAN, TEXT, part
from adjudge.metrics.registry import metric

LAWS = ("self", "order", "rename", "swap", "bounded", "pooled")
SPANS = {"subject": {"start": 0, "end": 5}, "object": {"start": 9, "end": 15}}
EXAMPLE = {"id": "d1", "relations": [{"type": "capital", **SPANS, "subject_type": "CITY", "object_type": "COUNTRY"}]}
FACTS = {
    "id": "d1",
    "facts": [
        {"type": "P17", "head": 0, "tail": 1, "evidence": [0, 2], "known": True},
        {"type": "P206", "head": 0, "tail": 2, "evidence": [1], "known": False},
    ],
}
TRIPLES = {"id": "d1", "triples": [{"subject": "Ada", "relation": "born in", "object": "London"}]}
_FILLER = {"role": "Task", "mentions": [{"start": 11, "end": 14}]}
_METHOD = {"role": "Method", "mentions": [{"start": 0, "end": 4}, {"start": 20, "end": 24}]}
NARY = {
    "id": "d1",
    "entities": [
        {"span": {"start": 0, "end": 4}, "type": "Method"},
        {"span": {"start": 11, "end": 14}, "type": "Task"},
    ],
    "clusters": [[[0, 4], [20, 24]], [[11, 14]]],
    "nary": [[_METHOD, _FILLER]],
}


@metric("relation.strict", within="relations", laws=LAWS, example=EXAMPLE)
def strict(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of relations whose type, subject and object are all right, and the types of the arguments where given.

    RelF1 = F[type = * subject = * object =] over the set of relations (Eq. 8-10).

    >>> gold = [{"type": "capital", "subject": {"start": 0, "end": 5}, "object": {"start": 9, "end": 15}}]
    >>> strict.score(gold, gold).f1
    1.0
    """
    return f(
        set_of(record(type=TEXT, subject=SPAN, object=SPAN, subject_type=OPTIONAL, object_type=OPTIONAL)), beta=beta
    )


@metric("relation.triples", within="triples", laws=("self", "order", "swap", "bounded", "pooled"), example=TRIPLES)
def triples(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of triples of texts, for answers without positions; case and spacing aside.

    >>> gold = [{"subject": "Ada", "relation": "born in", "object": "London"}]
    >>> triples.score(gold, [{"subject": "ada", "relation": "born in", "object": "London"}]).f1
    1.0
    """
    words = mapped(TEXT, by="fold")
    return f(set_of(record(subject=words, relation=words, object=words)), beta=beta)


@metric("relation.boundary", within="relations", laws=LAWS, example=EXAMPLE)
def boundary(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of relations whose type, subject and object are right, whatever the types of the arguments.

    >>> gold = {"type": "capital", "subject": {"start": 0, "end": 5}, "object": {"start": 9, "end": 15}}
    >>> boundary.score([gold | {"subject_type": "CITY"}], [gold | {"subject_type": "ORG"}]).f1
    1.0
    """
    return f(set_of(record(type=TEXT, subject=SPAN, object=SPAN)), beta=beta)


@metric("relation.relaxed", within="relations", laws=LAWS, example=EXAMPLE)
def relaxed(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of relations of the right type whose subjects overlap and whose objects overlap, matched one-to-one.

    >>> gold = [{"type": "capital", "subject": {"start": 0, "end": 5}, "object": {"start": 9, "end": 15}}]
    >>> relaxed.score(gold, [{**gold[0], "subject": {"start": 4, "end": 6}}]).f1
    1.0
    """
    touching = span(by="any")
    return f(set_of(record(type=TEXT, subject=touching, object=touching)), beta=beta)


@metric("relation.spans", within="relations", laws=LAWS, example=EXAMPLE)
def spans(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of relations whose subject and object are right, whatever their type.

    >>> gold = [{"type": "capital", "subject": {"start": 0, "end": 5}, "object": {"start": 9, "end": 15}}]
    >>> spans.score(gold, [{**gold[0], "type": "city"}]).f1
    1.0
    """
    return f(set_of(record(subject=SPAN, object=SPAN)), beta=beta)


@metric("relation.undirected", within="relations", laws=("self", "order", "swap", "bounded", "pooled"), example=EXAMPLE)
def undirected(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of relations whose type and arguments are right, whichever of the two comes first.

    >>> gold = [{"type": "near", "subject": {"start": 0, "end": 5}, "object": {"start": 9, "end": 15}}]
    >>> undirected.score(gold, [{"type": "near", "subject": gold[0]["object"], "object": gold[0]["subject"]}]).f1
    1.0
    """
    return f(set_of(mapped(record(type=exact, arguments=exact), by="adjudge.metrics.relations:unordered")), beta=beta)


@metric("relation.docred", within="facts", laws=("self", "order", "rename", "swap", "bounded", "pooled"), example=FACTS)
def docred(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of relations between the entities of a document (DocRED).

    >>> gold = [{"type": "P17", "head": 0, "tail": 1}, {"type": "P17", "head": 2, "tail": 1}]
    >>> docred.score(gold, gold[:1]).recall
    0.5
    """
    return f(set_of(record(type=exact, head=exact, tail=exact)), beta=beta)


@metric("relation.docred-ign", within="facts", laws=("order",), example=FACTS)
def docred_ign(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of relations between entities, of which precision leaves out what the training data say already (Ign F1).

    Precision counts only relations that are not `known`; recall counts all. The published scorer leaves known relations
    out of precision only where they are right: a known one that is wrong still costs precision there (`--compat`).

    >>> new = {"type": "a", "head": 0, "tail": 1, "known": False}
    >>> old = {"type": "b", "head": 0, "tail": 1, "known": True}
    >>> docred_ign.score([new, old], [new, old, {**new, "head": 5}])
    precision=0.5 recall=1.0 f1=0.666...
    """
    facts = set_of(record(type=exact, head=exact, tail=exact))
    return f(mapped(facts, by="adjudge.metrics.relations:unknown"), facts, beta=beta)


@metric("relation.docred-evidence", within="facts", laws=("order", "swap", "bounded", "pooled"), example=FACTS)
def docred_evidence(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of evidence: of the sentences behind relations, those that are right, of relations that are right (DocRED).

    >>> gold = [{"type": "P17", "head": 0, "tail": 1, "evidence": [0, 1]}]
    >>> docred_evidence.score(gold, [{**gold[0], "evidence": [0, 3, 4]}]).precision
    0.333...
    """
    return f(set_of(record(type=exact, head=exact, tail=exact, evidence=set_of(exact))), beta=beta)


@metric(
    "relation.scirex-mentions", within="entities", laws=("self", "order", "swap", "bounded", "pooled"), example=NARY
)
def scirex_mentions(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of mentions of the right type that share more than half of their tokens, matched one-to-one (SciREX, Eq. 29).

    >>> gold = [{"span": {"start": 0, "end": 4}, "type": "Task"}, {"span": {"start": 9, "end": 11}, "type": "Metric"}]
    >>> scirex_mentions.score(gold, [{"span": {"start": 0, "end": 3}, "type": "Task"}]).recall
    0.5
    """
    return f(set_of(record(type=exact, span=iou(above=0.5))), beta=beta)


@metric("relation.scirex-clusters", within="clusters", laws=("self", "order", "bounded", "pooled"), example=NARY)
def scirex_clusters(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of salient entities: more than half of a system entity's mentions are mentions of the gold one (SciREX).

    A mention is another one if they share more than half of their tokens (Eq. 29, 30); entities are matched 1:1.

    >>> scirex_clusters.score([[[0, 4], [20, 24]]], [[[0, 3], [20, 24], [90, 92]], [[50, 52]]])
    precision=0.5 recall=1.0 f1=0.666...
    """
    return f(set_of(_entity(iou(above=0.5, start="0", end="1"))), beta=beta)


@metric("relation.scirex-4ary", within="nary", laws=("self", "order", "bounded", "pooled"), example=NARY)
def scirex_nary(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of relations among several entities, all of which are right in their roles (SciREX, Eq. 29-31).

    >>> gold = [[{"role": "Task", "mentions": [{"start": 11, "end": 14}]}]]
    >>> scirex_nary.score(gold, [[{"role": "Task", "mentions": [{"start": 12, "end": 14}]}]]).f1
    1.0
    """
    return f(set_of(_relation()), beta=beta)


@metric("relation.scirex-binary", within="nary", laws=("perfect", "order", "bounded", "pooled"), example=NARY)
def scirex_binary(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of the pairs of entities in relations among several, each pair once (SciREX).

    >>> task, method = ({"role": r, "mentions": [{"start": s, "end": s + 3}]} for r, s in (("Task", 0), ("Method", 9)))
    >>> gold, system = ([task, method, {**each, "role": "Metric"}] for each in (task, method))
    >>> scirex_binary.score([gold], [system])
    precision=0.333... recall=0.333... f1=0.333...
    """
    return f(mapped(set_of(_relation()), by="adjudge.metrics.relations:role_pairs"), beta=beta)


def _entity(mention: ir.Similarity) -> ir.Similarity:
    return threshold(precision(set_of(mention)), above=0.5)


def _relation() -> ir.Similarity:
    filler = record(role=exact, mentions=_entity(iou(above=0.5)))
    return threshold(f(set_of(filler)), at_least=1)


def unordered(relation: Any) -> dict[str, Any]:
    """A relation with its two spans in the order of the text."""
    if not isinstance(relation, Mapping):
        relation = {"type": relation.type, "subject": relation.subject, "object": relation.object}
    ends = [(part(each, "start"), part(each, "end")) for each in (relation["subject"], relation["object"])]
    return {"type": relation["type"], "arguments": sorted(ends)}


def unknown(facts: Iterable[Any]) -> list[Any]:
    """The relations that the training data do not have."""
    return [each for each in facts if not (each.get("known") if isinstance(each, Mapping) else each.known)]


def role_pairs(relations: Iterable[Iterable[Any]]) -> list[list[Any]]:
    """The pairs of fillers of each relation."""
    return [list(pair) for relation in relations for pair in combinations(relation, 2)]
