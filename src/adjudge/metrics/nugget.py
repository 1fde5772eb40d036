"""Event nuggets: spans compared by Dice and mapped greedily, with or without their attributes.

Documents are {"id", "nuggets": [{"tokens": [id, ...], "type", "realis"}, ...]}. These metrics break ties in
the order of the lists; the command `adjudge nugget score` reads the files of the field, searches through ties, and has
the conventions of the official scorers.
"""

from __future__ import annotations

from adjudge.algebra import dice, exact, f, greedy, ir, record
from adjudge.metrics.registry import metric

LAWS = ("self", "bounded", "pooled")
EXAMPLE = {
    "id": "d1",
    "nuggets": [
        {"tokens": ["t1", "t2"], "type": "Conflict_Attack", "realis": "Actual"},
        {"tokens": ["t2"], "type": "Life_Die", "realis": "Actual"},
        {"tokens": ["t7"], "type": "Conflict_Attack", "realis": "Generic"},
    ],
}


@metric("nugget.span", within="nuggets", laws=LAWS, example=EXAMPLE)
def span(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of spans: pairs are taken by falling Dice of their tokens, and add it.

    >>> gold, system = [{"tokens": ["t1", "t2"]}], [{"tokens": ["t2"]}]
    >>> span.score(gold, system).f1
    0.666...
    """
    return f(greedy(record(tokens=dice())), beta=beta)


@metric("nugget.type", within="nuggets", laws=LAWS, example=EXAMPLE)
def type_(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of spans with the right type."""
    return f(greedy(record(tokens=dice(), type=exact)), beta=beta)


@metric("nugget.realis", within="nuggets", laws=LAWS, example=EXAMPLE)
def realis(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of spans with the right realis value."""
    return f(greedy(record(tokens=dice(), realis=exact)), beta=beta)


@metric("nugget.type+realis", within="nuggets", laws=LAWS, example=EXAMPLE)
def both(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of spans with the right type and the right realis value."""
    return f(greedy(record(tokens=dice(), type=exact, realis=exact)), beta=beta)
