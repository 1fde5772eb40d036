"""Relations between two spans (seed 002, section 2.1)."""

from __future__ import annotations

from adjudge.algebra import f, ir, view
from adjudge.metrics.registry import metric
from adjudge.model.structures import Relation

LAWS = ("self", "order", "rename", "swap", "bounded", "pooled")
EXAMPLE = {
    "id": "d1",
    "relations": [{"type": "capital", "subject": {"start": 0, "end": 5}, "object": {"start": 9, "end": 15}}],
}


@metric("relation.strict", within="relations", laws=LAWS, example=EXAMPLE)
def strict(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of relations whose type, subject and object are all right.

    RelF1 = F[type = * subject = * object =] over the set of relations (Eq. 8-10).

    >>> gold = [{"type": "capital", "subject": {"start": 0, "end": 5}, "object": {"start": 9, "end": 15}}]
    >>> strict.score(gold, gold).f1
    1.0
    """
    return f(view(list[Relation]).node, beta=beta)


@metric("relation.spans", within="relations", laws=LAWS, example=EXAMPLE)
def spans(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of relations whose subject and object are right, whatever their type.

    >>> gold = [{"type": "capital", "subject": {"start": 0, "end": 5}, "object": {"start": 9, "end": 15}}]
    >>> spans.score(gold, [{**gold[0], "type": "city"}]).f1
    1.0
    """
    return f(view(list[Relation]).ignore("type").node, beta=beta)
