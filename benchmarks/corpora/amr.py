"""Graphs in penman notation: sets of pairs, gold and a noisy copy.

A graph is a tree of its variables with a few re-entrancies and attributes; concepts follow a Zipf law, because it is
repeated concepts that make matching hard. In the copy a tenth of concepts and roles are others, some branches hang
elsewhere and some leaves are missing.
"""

from __future__ import annotations

import gzip
import random
from pathlib import Path
from typing import NamedTuple

ROLES = ("ARG0", "ARG1", "ARG2", "mod", "time", "location", "op1", "op2", "poss", "manner")
VOCABULARY = 400
_SEED = 13


class Graph(NamedTuple):
    """Concepts of the variables, the parent and role of each but the first, more edges, attributes."""

    concepts: list[int]
    parents: list[tuple[int, str]]
    more: list[tuple[int, str, int]]
    attributes: dict[int, str]


def write(folder: Path, *, sets: dict[str, tuple[int, int]]) -> None:
    """`NAME.gold.amr.gz` and `NAME.pred.amr.gz` for each name with (variables, pairs)."""
    for name, (variables, pairs) in sets.items():
        rng = random.Random(f"{_SEED} {name}")
        golds = [_graph(max(2, round(variables * rng.uniform(0.8, 1.2))), rng) for _ in range(pairs)]
        for kind, graphs in (("gold", golds), ("pred", [_disturbed(graph, rng) for graph in golds])):
            with gzip.open(folder / f"{name}.{kind}.amr.gz", "wt", encoding="utf-8") as file:
                file.write("\n\n".join(_penman(graph) for graph in graphs) + "\n")


def _concept(rng: random.Random) -> int:
    return int(VOCABULARY ** rng.random()) - 1


def _graph(variables: int, rng: random.Random) -> Graph:
    concepts = [_concept(rng) for _ in range(variables)]
    parents = [(rng.randrange(max(0, k - 6), k), rng.choice(ROLES)) for k in range(1, variables)]
    more = [
        (rng.randrange(variables), rng.choice(ROLES), rng.randrange(variables)) for _ in range(round(variables * 0.12))
    ]
    attributes = {k: rng.choice(("-", "1", "2", "3")) for k in range(variables) if rng.random() < 0.1}
    return Graph(concepts, parents, [each for each in more if each[0] != each[2]], attributes)


def _disturbed(graph: Graph, rng: random.Random) -> Graph:
    concepts = [_concept(rng) if rng.random() < 0.1 else each for each in graph.concepts]
    parents = []
    for k, (parent, role) in enumerate(graph.parents, 1):
        parents.append(
            (
                rng.randrange(k) if rng.random() < 0.08 else parent,
                rng.choice(ROLES) if rng.random() < 0.1 else role,
            )
        )
    inner = {parent for parent, _ in parents} | {end for a, _, b in graph.more for end in (a, b)}
    dropped = {k for k in range(1, len(concepts)) if k not in inner and rng.random() < 0.1}
    names = {k: place for place, k in enumerate(k for k in range(len(concepts)) if k not in dropped)}
    return Graph(
        [each for k, each in enumerate(concepts) if k in names],
        [(names[parent], role) for k, (parent, role) in enumerate(parents, 1) if k in names],
        [(names[a], role, names[b]) for a, role, b in graph.more if rng.random() > 0.1],
        {names[k]: value for k, value in graph.attributes.items() if k in names and rng.random() > 0.1},
    )


def _penman(graph: Graph) -> str:
    below: list[list[str]] = [[] for _ in graph.concepts]
    for a, role, b in graph.more:
        below[a].append(f":{role} x{b}")
    for k, value in graph.attributes.items():
        below[k].append(f":{'polarity' if value == '-' else 'quant'} {value}")
    # Children have higher numbers than their parents, so that going down the numbers every child is finished first.
    for k in range(len(graph.concepts) - 1, -1, -1):
        text = f"(x{k} / c{graph.concepts[k]}{''.join(f' {each}' for each in below[k])})"
        if k == 0:
            return text
        parent, role = graph.parents[k - 1]
        below[parent].append(f":{role} {text}")
    raise AssertionError("a graph has a first variable")
