"""Syntactic structure: dependencies, and trees of labelled nodes."""

from __future__ import annotations

from adjudge.algebra import exact, f, graph, ir, mapped, record, view
from adjudge.metrics.registry import metric
from adjudge.model.structures import Dependency

LAWS = ("self", "order", "rename", "swap", "bounded", "pooled")
EXAMPLE = {"id": "s1", "dependencies": [{"head": 2, "dependent": 1, "label": "nsubj"}]}
TREE = {"id": "s1", "tree": {"label": "S", "children": [{"label": "NP"}, {"label": "VP"}]}}


@metric("tree.uas", within="dependencies", laws=LAWS, example=EXAMPLE)
def uas() -> ir.Similarity:
    """Unlabelled attachment: F1 of edges whose head and dependent are right.

    UAS = F[head = * dependent =] over the set of edges (Eq. 11); with one head per token this is accuracy.
    """
    return f(view(list[Dependency]).ignore("label").node)


@metric("tree.las", within="dependencies", laws=LAWS, example=EXAMPLE)
def las() -> ir.Similarity:
    """Labelled attachment: F1 of edges whose head, dependent and label are right.

    LAS = F[label = * head = * dependent =] over the set of edges (Eq. 12).
    """
    return f(view(list[Dependency]).node)


@metric("tree.match", within="tree", laws=("self", "rename", "swap", "bounded", "pooled"), example=TREE)
def match(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of nodes matched one-to-one by label so that one is above another on both sides or on neither.

    F of the order-preserving matching of Eq. 37 with the order "is an ancestor of"; the order of siblings is free.

    >>> left = {"label": "S", "children": [{"label": "NP"}, {"label": "VP"}]}
    >>> right = {"label": "S", "children": [{"label": "VP", "children": [{"label": "NP"}]}]}
    >>> match.score(left, right).recall
    0.666...
    """
    return f(mapped(graph(record(label=exact)), by="tree"), beta=beta)
