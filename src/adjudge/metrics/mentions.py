"""Typed spans: entities and other mentions."""

from __future__ import annotations

from typing import Literal

from adjudge.algebra import f, hierarchy, ir, view
from adjudge.metrics.registry import metric
from adjudge.model.structures import Mention

LAWS = ("self", "order", "rename", "swap", "bounded", "pooled")
EXAMPLE = {"id": "d1", "entities": [{"span": {"start": 0, "end": 5}, "type": "Conflict.Attack.Bombing"}]}


@metric("ner.strict", within="entities", laws=LAWS, example=EXAMPLE)
def strict(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of mentions whose span and type are right."""
    return f(view(list[Mention]).node, beta=beta)


@metric("ner.span", within="entities", laws=LAWS, example=EXAMPLE)
def span_only(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of mentions whose span is right, whatever their type."""
    return f(view(list[Mention]).only("span").node, beta=beta)


@metric("ner.hierarchical", within="entities", laws=LAWS, example=EXAMPLE)
def hierarchical(
    *, separator: str = ".", credit: Literal["halving", "linear", "ancestors"] = "halving", beta: float = 1.0
) -> ir.Similarity:
    """F1 of mentions whose span is right, with partial credit for a type that is right on its upper levels.

    A type is a path such as `Conflict.Attack.Bombing`; with k of d levels right the credit is 2^(k-d) (`halving`), k/d
    (`linear`, the other reading of Eq. 38) or the F1 of the two sets of supertypes (`ancestors`, Eq. 39).

    >>> def mention(type): return [{"span": {"start": 0, "end": 5}, "type": type}]
    >>> hierarchical.score(mention("Conflict.Attack.Bombing"), mention("Conflict.Attack.Shooting")).f1
    0.5
    """
    types = hierarchy(separator=separator, credit=credit)
    return f(view(list[Mention]).set("type", types).node, beta=beta)
