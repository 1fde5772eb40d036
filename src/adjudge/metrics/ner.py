"""Named entities as MUC and SemEval count them: right, partly right, and right in one respect.

Each is the value of the best one-to-one matching of mentions over their number on either side; `ner.strict` and the
variants for hierarchies of types stand in `metrics/mentions.py`.
"""

from __future__ import annotations

from adjudge.algebra import f, ir, span, view
from adjudge.metrics.registry import metric
from adjudge.model.structures import Mention

LAWS = ("self", "order", "rename", "swap", "bounded", "pooled")
EXAMPLE = {
    "id": "d1",
    "entities": [{"span": {"start": 0, "end": 2}, "type": "PER"}, {"span": {"start": 5, "end": 6}, "type": "LOC"}],
}


@metric("ner.exact", within="entities", laws=LAWS, example=EXAMPLE)
def exact_span(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of mentions whose boundaries are right, whatever their type.

    >>> place = {"start": 0, "end": 2}
    >>> exact_span.score([{"span": place, "type": "PER"}], [{"span": place, "type": "ORG"}]).f1
    1.0
    """
    return f(view(list[Mention]).only("span").node, beta=beta)


@metric("ner.type", within="entities", laws=LAWS, example=EXAMPLE)
def entity_type(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of mentions whose type is right and which overlap, matched one-to-one.

    >>> entity_type.score([{"span": [0, 2], "type": "PER"}], [{"span": [1, 4], "type": "PER"}]).f1
    1.0
    """
    return f(view(list[Mention]).set("span", span(by="any")).node, beta=beta)


@metric("ner.partial", within="entities", laws=LAWS, example=EXAMPLE)
def partial(*, typed: bool = False, beta: float = 1.0) -> ir.Similarity:
    """F1 of mentions, one for right boundaries and a half for any other overlap, matched one-to-one.

    F = 2 (COR + PAR / 2) / (POS + ACT), whatever the types; if `typed`, they must be equal.

    >>> partial.score([{"span": [0, 2], "type": "PER"}], [{"span": [1, 4], "type": "ORG"}]).f1
    0.5
    """
    of = view(list[Mention]).set("span", span(by="partial"))
    return f((of if typed else of.only("span")).node, beta=beta)
