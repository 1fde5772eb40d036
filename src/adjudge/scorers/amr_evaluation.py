"""The nine scores of the scripts `amr-evaluation` (Damonte, Cohen and Satta 2017), with the proven optimum.

Their Smatch is an older one: the top is marked by its concept, mod is a role like others, and an inverse role is turned
round at a node that is defined there or at the last role of a node, but not at a variable with another role behind it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from adjudge.algebra.solve.deadline import allowed, timed
from adjudge.model.prf import precision_recall_f1
from adjudge.scorers import Published, Scorer
from adjudge.scorers.shared import counted, prf, totals
from adjudge.scorers.smatch import (
    Matched,
    Triples,
    assembled,
    best_match,
    comparable,
    concept_of,
    read_pairs,
    search_note,
    separated,
    value_of,
)

if TYPE_CHECKING:
    from adjudge.model.penman import Graph

Edge = tuple[str, str, str]

# Name of the measure, and what the scripts print before and between the numbers.
PRINTED = (
    ("smatch", "Smatch ->", ","),
    ("unlabelled", "Unlabeled ->", ","),
    ("no-wsd", "No WSD -> ->", ","),
    ("concepts", "Concepts ->", " ,"),
    ("named-entities", "Named Ent. ->", " ,"),
    ("negation", "Negations ->", " ,"),
    ("wiki", "Wikification ->", " ,"),
    ("reentrancy", "Reentrancies ->", " ,"),
    ("srl", "SRL ->", " ,"),
)
# Rewriting of the text of a file by the scripts before they read it again.
_LABEL = re.compile(r":[a-zA-Z0-9-]*")
_SENSE = re.compile(r"(/ [a-zA-Z0-9-]+)-[0-9]+")


def run(gold: Any, system: Any) -> Published:
    """The scores of two files of graphs, paired by their order."""
    rows = []
    unproven = 0
    for number, (of_gold, of_system) in enumerate(timed(read_pairs(gold, system)), 1):
        counts, proven = _observe(of_gold, of_system)
        rows.append((str(number), counts))
        unproven += not proven
    lines = []
    for name, label, comma in PRINTED:
        p, r, f = precision_recall_f1(*totals(rows, name))
        lines.append(f"{label} P: {p:.2f}{comma} R: {r:.2f}{comma} F: {f:.2f}\n")
    measures = tuple(prf(name, name, harmonic=True) for name, _, _ in PRINTED)
    notes = [search_note(len(rows), unproven, "the scripts climb")]
    return Published(rows, measures, "".join(lines), notes=notes)


def _observe(gold: tuple[str, Graph], system: tuple[str, Graph]) -> tuple[dict[str, float], bool]:
    """All counts of one pair of graphs, and whether they are proven."""
    (gold_text, gold_graph), (system_text, system_graph) = gold, system
    counts: dict[str, tuple[int, int, int]] = {}
    deadline, proven = allowed(), []

    def smatch(name: str, mine: Triples, wanted: Triples) -> None:
        found = best_match(mine, wanted, deadline) if mine.size and wanted.size else Matched(0, {})
        counts[name] = (found.value, mine.size, wanted.size)
        proven.append(found.proven)

    smatch("smatch", triples(system_graph), triples(gold_graph))
    smatch("unlabelled", _rewritten(system_text, _LABEL, ":label"), _rewritten(gold_text, _LABEL, ":label"))
    smatch("no-wsd", _rewritten(system_text, _SENSE, r"\1-01"), _rewritten(gold_text, _SENSE, r"\1-01"))
    mine, wanted = _facts(system_graph), _facts(gold_graph)
    for name, pick in (("concepts", _concepts), ("named-entities", _named), ("negation", _negated), ("wiki", _wikis)):
        left, right = Counter(pick(*mine)), Counter(pick(*wanted))
        counts[name] = ((left & right).total(), left.total(), right.total())
    smatch("reentrancy", _part(*mine, _reentrant(*mine)), _part(*wanted, _reentrant(*wanted)))
    smatch("srl", _part(*mine, _arguments(mine[1])), _part(*wanted, _arguments(wanted[1])))
    return counted(counts), all(proven)


def triples(graph: Graph) -> Triples:
    """The triples of the older Smatch."""
    return assembled(graph, _edges(graph), concept_of(graph.concepts[graph.top]))


def _rewritten(text: str, pattern: re.Pattern[str], by: str) -> Triples:
    """The triples of a graph after its text was rewritten."""
    from adjudge.model.penman import parse

    return triples(parse(pattern.sub(by, text)))


def _edges(graph: Graph) -> list[Edge]:
    defining = set(graph.homes.values())
    last = {source: number for number, (source, _, _) in enumerate(graph.edges)}
    edges: list[Edge] = []
    for number, (source, role, written) in enumerate(graph.edges):
        target = value_of(written)
        if role.endswith("-of") and (number in defining or last[source] == number):
            edges.append((target, role[:-3], source))
        else:
            edges.append((source, role, target))
    return edges


def _facts(graph: Graph) -> tuple[dict[str, str], list[Edge]]:
    """Concepts by variable, and all other triples (role, source, target); here every inverse role is turned round.

    They are in the order of the scripts, because the first node of a part counts as its top: constants before nodes, by
    the node they belong to, and mentions of nodes that are defined later at the end.
    """
    concepts = {node: concept_of(concept) for node, concept in graph.concepts.items()}
    values: dict[str, list[Edge]] = {node: [] for node in concepts}
    early: dict[str, list[Edge]] = {node: [] for node in concepts}
    late: dict[str, list[Edge]] = {node: [] for node in concepts}
    for number, (source, role, target) in enumerate(_edges(graph)):
        if source not in concepts:
            continue
        written = graph.edges[number]
        if target not in concepts:
            values[source].append((role, source, target))
        elif source == written[0] and role == written[1] and graph.homes.get(target, -1) > number:
            late[source].append((role, source, target))
        else:
            early[source].append((role, source, target))
    values[graph.top].append(("TOP", graph.top, concepts[graph.top]))
    edges = [edge for node in concepts for edge in values[node]]
    edges += [edge for node in concepts for edge in (*early[node], *late[node])]
    return concepts, [(r[:-3], t, s) if r.endswith("-of") else (r, s, t) for r, s, t in edges]


def _concepts(concepts: dict[str, str], edges: Sequence[Edge]) -> list[str]:  # noqa: ARG001
    return list(concepts.values())


def _named(concepts: dict[str, str], edges: Sequence[Edge]) -> list[str]:
    return [concepts[source] for role, source, _ in edges if role == "name" and source in concepts]


def _negated(concepts: dict[str, str], edges: Sequence[Edge]) -> list[str]:
    return [concepts[source] for role, source, _ in edges if role == "polarity" and source in concepts]


def _wikis(concepts: dict[str, str], edges: Sequence[Edge]) -> list[str]:  # noqa: ARG001
    return [target for role, _, target in edges if role == "wiki"]


def _reentrant(concepts: dict[str, str], edges: Sequence[Edge]) -> list[Edge]:
    """The triples into nodes with more than one parent; the mark of the top counts if its concept is a variable."""
    into: dict[str, list[Edge]] = {node: [] for node in concepts}
    for edge in edges:
        if edge[2] in into and edge[0] != "instance":
            into[edge[2]].append(edge)
    return [edge for parents in into.values() if len(parents) > 1 for edge in parents]


def _arguments(edges: Sequence[Edge]) -> list[Edge]:
    return [edge for edge in edges if edge[0].startswith("ARG")]


def _part(concepts: dict[str, str], edges: Sequence[Edge], chosen: Sequence[Edge]) -> Triples:  # noqa: ARG001
    """Chosen triples with the concepts of their nodes; the first node that they mention counts as the top."""
    nodes = list(dict.fromkeys(node for _, source, target in chosen for node in (source, target) if node in concepts))
    attributes = [(node, "instance", comparable(concepts[node])) for node in nodes]
    attributes += [(node, "top", comparable(concepts[node])) for node in nodes[:1]]
    return separated(attributes, ((source, role, target) for role, source, target in chosen), concepts)


SCORER = Scorer(
    name="amr-evaluation",
    family="amr",
    about="the nine scores of the scripts amr-evaluation, with the optimum",
    run=run,
)
