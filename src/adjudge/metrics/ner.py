"""Named entities and other typed spans: exact, partial, and correct in one respect, as MUC and SemEval count them.

Each is the value of the best one-to-one matching of mentions over their number on either side.
"""

from __future__ import annotations

from typing import Literal

from adjudge.algebra import f, hierarchy, ir, mapped, record, set_of, span
from adjudge.metrics.base import SPAN, TEXT
from adjudge.metrics.registry import metric

LAWS = ("self", "order", "rename", "swap", "bounded", "pooled")
EXAMPLE = {
    "id": "d1",
    "entities": [{"span": {"start": 0, "end": 2}, "type": "PER"}, {"span": {"start": 5, "end": 6}, "type": "LOC"}],
}
NESTED = {"id": "d1", "entities": [{"span": {"start": 0, "end": 5}, "type": "Conflict.Attack.Bombing"}]}


@metric("ner.strict", within="entities", laws=LAWS, example=NESTED)
def strict(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of mentions whose span and type are right."""
    return f(set_of(record(span=SPAN, type=TEXT)), beta=beta)


@metric("ner.span", within="entities", laws=LAWS, example=NESTED)
def span_only(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of mentions whose span is right, whatever their type."""
    return f(set_of(record(span=SPAN)), beta=beta)


@metric("ner.hierarchical", within="entities", laws=LAWS, example=NESTED)
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
    return f(set_of(record(span=SPAN, type=types)), beta=beta)


@metric("ner.exact", within="entities", laws=LAWS, example=EXAMPLE)
def exact_span(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of mentions whose boundaries are right, whatever their type.

    >>> place = {"start": 0, "end": 2}
    >>> exact_span.score([{"span": place, "type": "PER"}], [{"span": place, "type": "ORG"}]).f1
    1.0
    """
    return f(set_of(record(span=SPAN)), beta=beta)


@metric("ner.type", within="entities", laws=LAWS, example=EXAMPLE)
def entity_type(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of mentions whose type is right and which overlap, matched one-to-one.

    >>> entity_type.score([{"span": [0, 2], "type": "PER"}], [{"span": [1, 4], "type": "PER"}]).f1
    1.0
    """
    return f(set_of(record(span=span(by="any"), type=TEXT)), beta=beta)


@metric("ner.partial", within="entities", laws=LAWS, example=EXAMPLE)
def partial(*, typed: bool = False, beta: float = 1.0) -> ir.Similarity:
    """F1 of mentions, one for right boundaries and a half for any other overlap, matched one-to-one.

    F = 2 (COR + PAR / 2) / (POS + ACT), whatever the types; if `typed`, they must be equal.

    >>> partial.score([{"span": [0, 2], "type": "PER"}], [{"span": [1, 4], "type": "ORG"}]).f1
    0.5
    """
    mention = record(span=span(by="partial"), type=TEXT) if typed else record(span=span(by="partial"))
    return f(set_of(mention), beta=beta)


WORDS = mapped(TEXT, by="fold")
NAMED = {"id": "d1", "mentions": [{"text": "Ada Lovelace", "type": "PER"}, {"text": "London", "type": "LOC"}]}


@metric("ner.mention", within="mentions", laws=("self", "order", "swap", "bounded", "pooled"), example=NAMED)
def mention(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of mentions known by their words and type alone, for answers without positions; case and spacing aside.

    >>> mention.score([{"text": "Ada Lovelace", "type": "PER"}], [{"text": "ada  lovelace", "type": "PER"}]).f1
    1.0
    """
    return f(set_of(record(text=WORDS, type=TEXT)), beta=beta)
