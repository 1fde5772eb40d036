"""Syntactic structure: dependencies, and trees of labelled nodes."""

from __future__ import annotations

from adjudge.algebra import exact, f, graph, ir, mapped, record, set_of
from adjudge.metrics.base import INTEGER, TEXT
from adjudge.metrics.registry import metric

LAWS = ("self", "order", "rename", "swap", "bounded", "pooled")
# Not `rename` and `self`: labels of content words have a meaning, and other words are not counted.
CONTENT_LAWS = ("perfect", *(law for law in LAWS if law not in ("self", "rename")))
# fmt: off
CONTENT = (
    "nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl", "advmod",
    "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound", "list", "parataxis",
    "orphan", "goeswith", "reparandum", "root", "dep",
)
# fmt: on
EXAMPLE = {"id": "s1", "dependencies": [{"head": 2, "dependent": 1, "label": "nsubj"}]}
WORDS = {
    "id": "s1",
    "dependencies": [
        {
            "head": head,
            "dependent": dependent,
            "label": label,
            "form": form,
            "lemma": form.lower(),
            "upos": upos,
            "feats": feats,
            "functional": functional,
        }
        for dependent, form, upos, feats, head, label, functional in (
            (1, "The", "DET", "", 2, "det", []),
            (2, "dog", "NOUN", "Number=Sing", 3, "nsubj", [[1, "det", "DET", ""]]),
            (3, "barks", "VERB", "", 0, "root", []),
            (3, "barks", "VERB", "", 2, "root", []),
            (2, "dog", "NOUN", "", 3, "nsubj", []),
            (4, "!", "PUNCT", "", 3, "punct", []),
        )
    ],
}
TREE = {"id": "s1", "tree": {"label": "S", "children": [{"label": "NP"}, {"label": "VP"}]}}
GRAPH = {"id": "s1", "graph": {"nodes": [{"label": "a"}, {"label": "b"}], "edges": [[0, 1]]}}


def _edges(*fields: str, content: bool = False, punctuation: bool = True) -> ir.Similarity:
    """The set of words with equal dependents, heads and `fields`; only content words, or no punctuation."""
    words = {name: exact if name == "functional" else TEXT for name in fields}
    edges: ir.Similarity = set_of(record({"head": INTEGER, "dependent": INTEGER, **words}))
    if content:
        edges = mapped(edges, by=f"only(label,{','.join(CONTENT)})")
    return f(edges if punctuation else mapped(edges, by="unpunctuated(form)"))


@metric("tree.uas", within="dependencies", laws=LAWS, example=EXAMPLE)
def uas(*, punctuation: bool = True) -> ir.Similarity:
    """Unlabelled attachment: F1 of edges whose head and dependent are right.

    UAS = F[head = * dependent =] over the set of edges (Eq. 11); with one head per token this is accuracy. Without
    `punctuation`, words of which every character is punctuation are left out (CoNLL-X); they need the field `form`.
    """
    return _edges(punctuation=punctuation)


@metric("tree.las", within="dependencies", laws=LAWS, example=EXAMPLE)
def las(*, punctuation: bool = True) -> ir.Similarity:
    """Labelled attachment: F1 of edges whose head, dependent and label are right.

    LAS = F[label = * head = * dependent =] over the set of edges (Eq. 12); `punctuation` as in `tree.uas`.
    """
    return _edges("label", punctuation=punctuation)


@metric("tree.clas", within="dependencies", laws=CONTENT_LAWS, example=WORDS)
def clas() -> ir.Similarity:
    """Labelled attachment of content words: LAS of the edges whose label is not that of a function word.

    The labels are those of Universal Dependencies that are neither functional (aux, case, cc, clf, cop, det, mark) nor
    punctuation.

    >>> def edge(label): return {"head": 2, "dependent": 1, "label": label}
    >>> clas.score([edge("nsubj"), edge("det")], [edge("nsubj"), edge("case")]).f1
    1.0
    """
    return _edges("label", content=True)


@metric("tree.mlas", within="dependencies", laws=CONTENT_LAWS, example=WORDS)
def mlas() -> ir.Similarity:
    """Morphology-aware attachment: CLAS whose tag, features and function words are right as well.

    `functional` has the function words below the word: their numbers, labels, tags and features, in order.
    """
    return _edges("label", "upos", "feats", "functional", content=True)


@metric("tree.blex", within="dependencies", laws=CONTENT_LAWS, example=WORDS)
def blex() -> ir.Similarity:
    """Bi-lexical dependencies: CLAS whose lemma is right as well."""
    return _edges("label", "lemma", content=True)


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


@metric("tree.dag", within="graph", laws=("self", "swap", "bounded", "pooled"), example=GRAPH)
def dag(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of nodes of two graphs matched one-to-one by label so that one reaches another on both sides or on neither.

    The matching of Eq. 37 for directed acyclic graphs; an edge is a pair of places in the list of nodes.

    >>> chain = {"nodes": [{"label": "a"}, {"label": "b"}], "edges": [[0, 1]]}
    >>> dag.score(chain, {**chain, "edges": [[1, 0]]}).f1
    0.5
    """
    return f(graph(record(label=exact)), beta=beta)
