"""Smatch++ 1.8 as the package `smatchpp` counts it with its integer programme: three ways to standardise a graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from adjudge.algebra.solve.deadline import timed
from adjudge.model.prf import precision_recall_f1
from adjudge.scorers import Option, Published, Scorer
from adjudge.scorers.shared import counted, prf, sum_in_order
from adjudge.scorers.smatch import Triples, best_match, read_pairs, search_note

if TYPE_CHECKING:
    from adjudge.model.penman import Graph

Triple = tuple[str, str, str]

NAME = "smatchpp"
_ROOT = "the root"
_CONCEPT = "instance"


def run(gold: Any, system: Any, *, standard: str | None = None, score_type: str | None = None) -> Published:
    """The scores of two files of graphs, paired by their order."""
    chosen = standard or "amr"
    found = [
        observe(triples(mine, chosen), triples(wanted, chosen))
        for (_, wanted), (_, mine) in timed(read_pairs(gold, system))
    ]
    observed, unproven = [counts for counts, _ in found], sum(not proven for _, proven in found)
    rows = [(str(number), counted({NAME: counts})) for number, counts in enumerate(observed, 1)]
    if score_type == "macro":
        each = [_scores(*counts) for counts in observed]
        shown = [sum_in_order(column) / len(each) for column in zip(*each, strict=True)]
    else:
        shown = _scores(*(sum(column) for column in zip(*observed, strict=True)))
    f1, precision, recall = (_percent(value) for value in shown)
    empty = "----------------------------\n--95-confidence intervals:--\n----------------------------\n"
    text = f"main ---->   F1: {f1}    Precision: {precision}    Recall: {recall}\n{empty}"
    text += "main ---->   F1: [None,None]    Precision: [None,None]    Recall: [None,None]\n"
    notes = [search_note(len(rows), unproven, "the program climbs")] if unproven else []
    measures = (prf(NAME, NAME, harmonic=True),)
    return Published(rows, measures, text, pool="macro" if score_type == "macro" else "micro", notes=notes)


def observe(system: Sequence[Triple], gold: Sequence[Triple]) -> tuple[tuple[int, int, int], bool]:
    """Equal triples under the best matching, the numbers of triples, and whether that is proven.

    A repeated triple needs a repeated partner.
    """
    best = best_match(_apart(system), _apart(gold))
    mapping = best.mapping
    known = {source for source, role, _ in system if role == _CONCEPT}

    def moved(node: str) -> str | tuple[str]:
        # A node without a partner must not be mistaken for a node of the other graph.
        return mapping.get(node, (node,)) if node in known else node

    left = Counter((moved(s), role, t if role == _CONCEPT else moved(t)) for s, role, t in system)
    return ((left & Counter(gold)).total(), len(system), len(gold)), best.proven


def _apart(triples: Sequence[Triple]) -> Triples:
    """Triples of one variable and of two."""
    nodes = {source for source, role, _ in triples if role == _CONCEPT}
    attributes: list[Triple] = []
    relations: Counter[Triple] = Counter()
    for source, role, target in triples:
        if source in nodes and (role == _CONCEPT or target not in nodes):
            attributes.append((source, role, target))
        elif source in nodes:
            relations[source, role, target] += 1
        elif target in nodes:
            attributes.append((target, f"{role}-of", source))
    return Triples(attributes, list(relations))


def triples(graph: Graph, standard: str) -> list[Triple]:
    """The triples of a graph by one of the three standards.

    >>> from adjudge.model.penman import parse
    >>> sorted(triples(parse("(s / small :domain (b / Boy))"), "amr"))
    [('?b', 'instance', 'boy'), ('?b', 'mod', '?s'), ('?s', 'instance', 'small'), ('?s', 'root', 'small')]
    """
    plain = standard == "none"
    # Variables are marked, so that no constant looks like one.
    names = {name: f"?{name}" for name in graph.concepts}
    found: list[Triple] = [(names[name], _CONCEPT, _text(concept, plain)) for name, concept in graph.concepts.items()]
    found.append((_ROOT, "root", names[graph.top]))
    for source, role, target in graph.edges:
        label = role if plain else role.lower().replace('"', "").replace("'", "")
        found.append((names[source], label, names.get(target) or f"={_text(target, plain)}"))
    if plain:
        return found
    if standard == "amr":
        swap = {"domain": "mod-of", "domain-of": "mod"}
        found = [(s, swap.get(role, role), t) for s, role, t in found]
    found = [_directed(triple) for triple in found]
    if standard == "amr":
        concepts = {source: target for source, role, target in found if role == _CONCEPT}
        found = [(t, "root", concepts[t]) if s == _ROOT else (s, role, t) for s, role, t in found]
        from adjudge.metrics.amr_triples import dereified

        found = list(dict.fromkeys(dereified(found, source=str)))
    return found


def _text(written: str, plain: bool) -> str:
    return written if plain else written.lower().replace('"', "").replace("'", "")


def _directed(triple: Triple) -> Triple:
    """A triple with an -of role is inverted, whatever its ends are."""
    source, role, target = triple
    while role.endswith("-of"):
        source, role, target = target, role[:-3], source
    return source, role, target


def _scores(matched: float, system: float, gold: float) -> list[float]:
    """F1, precision and recall; two empty graphs are equal."""
    if not system and not gold:
        return [1.0, 1.0, 1.0]
    precision, recall, f1 = precision_recall_f1(matched, system, gold)
    return [f1, precision, recall]


def _percent(value: float) -> float:
    import numpy as np

    return float(np.round(100 * value, 2))


SCORER = Scorer(
    name="smatchpp-1.8",
    family="amr",
    about="the package smatchpp with its integer programme",
    run=run,
    options={
        "standard": Option("How smatchpp standardises graphs (default amr).", choices=("amr", "generic", "none")),
        "score-type": Option("How smatchpp averages (default micro).", choices=("micro", "macro")),
    },
)
