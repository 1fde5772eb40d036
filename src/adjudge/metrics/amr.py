"""Graphs of meaning: Smatch and its fine-grained relatives (Cai and Knight 2013; Damonte, Cohen and Satta 2017).

Documents are {"id", "amr": "(w / want-01 :ARG0 (b / boy))"}, or with triples {"id", "amr": [["w", "instance",
"want-01"], ...]}. Variables are matched one-to-one so that as many triples as possible match, and the optimum is
proven; the command `adjudge amr score` reads files in Penman notation and has the conventions of published scorers.
"""

from __future__ import annotations

from typing import Literal

from adjudge.algebra import case, exact, f, ir, latent, mapped, record, set_of, union, variable
from adjudge.errors import UsageError
from adjudge.metrics.registry import metric

Top = Literal["root", "concept", "none"]
Roles = Literal["as-is", "dereify", "reify"]
Names = Literal["nodes", "whole"]

LAWS = ("self", "order", "swap", "bounded", "pooled")
SOME_LAWS = ("perfect", *LAWS[1:])  # of metrics that count some of the triples only
EXAMPLE = {
    "id": "s1",
    "amr": [
        ["w", "instance", "want-01"],
        ["b", "instance", "boy"],
        ["g", "instance", "go-02"],
        ["n", "instance", "name"],
        ["w", "top", "top"],
        ["w", "ARG0", "b"],
        ["w", "ARG1", "g"],
        ["g", "ARG0", "b"],
        ["g", "polarity", "-"],
        ["b", "name", "n"],
        ["b", "mod", "g"],
        ["n", "op1", "Bo"],
        ["b", "wiki", "Bo_Peep"],
        ["g", "ARG0-of", "w"],
    ],
}

_STEPS = "adjudge.metrics.amr_triples"
_NODE = union(case(variable, python="adjudge.metrics.amr_triples:Name", name="variable"), exact)
_TRIPLE = record({"0": _NODE, "1": exact, "2": _NODE})


@metric("amr.smatch", within="amr", laws=LAWS, example=EXAMPLE)
def smatch(
    *,
    top: Top = "root",
    wiki: bool = True,
    names: Names = "nodes",
    roles: Roles = "as-is",
    beta: float = 1.0,
) -> ir.Similarity:
    """F1 of the triples of two graphs under the best one-to-one matching of their variables.

    Smatch = max over matchings M of F[role = * source ~M * target ~M] over the sets of triples (Eqs. 34-36). Inverse
    roles are inverted, and mod is the inverse of domain. `top` says what marks the top: a triple (root, top, top),
    one with the concept there, or nothing. `wiki=false` leaves links out, `names=whole` makes a name one attribute, and
    `roles` brings roles and the concepts that stand for them (location, be-located-at-91) into one form.

    >>> gold = "(w / want-01 :ARG0 (b / boy) :ARG1 (b2 / believe-01 :ARG0 (g / girl) :ARG1 (h / he)))"
    >>> system = "(w / want-01 :ARG0 (b / boy) :ARG1 (b2 / believe-01 :ARG0 (g / girl) :ARG1 b))"
    >>> smatch.score(gold, system)
    precision=0.888... recall=0.8 f1=0.842...
    """
    steps = _form(top=top, roles=roles)
    if names == "whole":
        steps.append("whole_names")
    if not wiki:
        steps.append("without_wiki")
    return f(latent(_after(steps, set_of(_TRIPLE))), beta=beta)


@metric("amr.unlabelled", within="amr", laws=LAWS, example=EXAMPLE)
def unlabelled(*, top: Top = "root", beta: float = 1.0) -> ir.Similarity:
    """Smatch with all roles taken as equal; their directions still count.

    >>> unlabelled.score("(g / go-02 :ARG0 (b / boy))", "(g / go-02 :ARG1 (b / boy))").f1
    1.0
    """
    return f(latent(_after([*_form(top=top), "unlabelled"], set_of(_TRIPLE))), beta=beta)


@metric("amr.no-wsd", within="amr", laws=LAWS, example=EXAMPLE)
def no_wsd(*, top: Top = "root", beta: float = 1.0) -> ir.Similarity:
    """Smatch without word senses: duck-01 and duck-02 are the same.

    >>> no_wsd.score("(d / duck-01)", "(d / duck-02)").f1
    1.0
    """
    steps = ["read", "directed", "without_senses", "domains", *_top(top)]
    return f(latent(_after(steps, set_of(_TRIPLE))), beta=beta)


@metric("amr.concepts", within="amr", laws=SOME_LAWS, example=EXAMPLE)
def concepts(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of the concepts of all nodes, as often as they occur.

    >>> concepts.score("(g / go-02 :ARG0 (b / boy))", "(g / go-02 :ARG0 (g2 / girl))").f1
    0.5
    """
    return f(_after(["read", "concepts"], set_of(exact, duplicates="multiset")), beta=beta)


@metric("amr.named-entities", within="amr", laws=SOME_LAWS, example=EXAMPLE)
def named_entities(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of the concepts of nodes that have a name, as often as they occur.

    >>> gold = "(c / city :name (n / name :op1 Riga))"
    >>> named_entities.score(gold, "(c / city :name (n / name :op1 Oslo))").f1
    1.0
    """
    return f(_after(["read", "directed", "named"], set_of(exact, duplicates="multiset")), beta=beta)


@metric("amr.negation", within="amr", laws=SOME_LAWS, example=EXAMPLE)
def negation(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of the concepts of nodes that have a polarity, as often as they occur.

    >>> negation.score("(g / go-02 :polarity -)", "(g / go-02)").recall
    0.0
    """
    return f(_after(["read", "directed", "negated"], set_of(exact, duplicates="multiset")), beta=beta)


@metric("amr.wiki", within="amr", laws=SOME_LAWS, example=EXAMPLE)
def wiki(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of the links to an encyclopedia, as often as they occur.

    >>> wiki.score('(c / city :wiki "Riga")', '(c / city :wiki "Riga")').f1
    1.0
    """
    return f(_after(["read", "directed", "wikis"], set_of(exact, duplicates="multiset")), beta=beta)


@metric("amr.reentrancy", within="amr", laws=SOME_LAWS, example=EXAMPLE)
def reentrancy(*, beta: float = 1.0) -> ir.Similarity:
    """Smatch of the relations into nodes that several relations lead to, with the concepts at their ends.

    >>> gold = "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b))"
    >>> reentrancy.score(gold, gold).f1
    1.0
    """
    return f(latent(_after([*_form(top="none"), "reentrant"], set_of(_TRIPLE))), beta=beta)


@metric("amr.srl", within="amr", laws=SOME_LAWS, example=EXAMPLE)
def srl(*, beta: float = 1.0) -> ir.Similarity:
    """Smatch of the numbered arguments (ARG0, ARG1, ...), with the concepts at their ends.

    >>> srl.score("(g / go-02 :ARG0 (b / boy) :time (d / day))", "(g / go-02 :ARG0 (b / boy))").f1
    1.0
    """
    return f(latent(_after([*_form(top="none"), "arguments"], set_of(_TRIPLE))), beta=beta)


def _form(*, top: Top = "root", roles: Roles = "as-is") -> list[str]:
    """The steps from a graph to comparable triples."""
    if roles not in ("as-is", "dereify", "reify"):
        raise UsageError(f"there is no form of roles {roles!r}", hint="use as-is, dereify or reify")
    other = {"as-is": [], "dereify": ["dereified"], "reify": ["reified"]}[roles]
    return ["read", "directed", *other, "domains", *_top(top)]


def _top(top: Top) -> list[str]:
    return {"root": [], "concept": ["concept_at_top"], "none": ["without_top"]}[top]


def _after(steps: list[str], node: ir.Similarity) -> ir.Similarity:
    """A similarity of what is left of a graph after the steps."""
    for step in reversed(steps):
        node = mapped(node, by=f"{_STEPS}:{step}")
    return node
