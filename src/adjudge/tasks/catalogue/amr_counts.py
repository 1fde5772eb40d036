"""Matching graphs that were already taken apart into triples: the part that published scorers have in common.

They count every pair of equal triples, repeated ones too, and differ in how they get the triples. Where they climb
hills from random starts, the number here is the proven optimum: what they could find at best.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from adjudge.errors import FormatError, Problem

if TYPE_CHECKING:
    from adjudge.formats.source import Source
    from adjudge.model.penman import Graph

Attribute = tuple[str, str, str]
Relation = tuple[str, str, str]


class Triples(NamedTuple):
    """Of one graph: what is said of single nodes (node, role, value) and of two of them (source, role, target)."""

    attributes: Sequence[Attribute]
    relations: Sequence[Relation]

    @property
    def size(self) -> int:
        """The number of triples, repeated ones included."""
        return len(self.attributes) + len(self.relations)


class Matched(NamedTuple):
    """The number of equal pairs of triples under the best matching of nodes, and that matching."""

    value: int
    mapping: dict[str, str]


def best_match(system: Triples, gold: Triples) -> Matched:
    """The one-to-one matching of nodes under which most pairs of triples are equal, proven.

    >>> car, dog = Triples([("c", "instance", "car"), ("c", "top", "top")], []), Triples([("d", "top", "top")], [])
    >>> best_match(car, dog)
    Matched(value=1, mapping={'c': 'd'})
    """
    from adjudge.algebra.solve.latent import best_variable_matching

    names: tuple[dict[str, int], dict[str, int]] = ({}, {})

    def pair(s: str, g: str) -> tuple[int, int]:
        return names[0].setdefault(s, len(names[0])), names[1].setdefault(g, len(names[1]))

    single: Counter[tuple[int, int]] = Counter()
    for (s,), (g,) in _equal(((a[1:], a[:1]) for a in system.attributes), ((a[1:], a[:1]) for a in gold.attributes)):
        single[pair(s, g)] += 1
    double: Counter[tuple[tuple[int, int], tuple[int, int]]] = Counter()
    left, right = (((r[1], (r[0], r[2])) for r in side.relations) for side in (system, gold))
    for (s, t), (x, y) in _equal(left, right):
        if (s == t) == (x == y):
            first, second = pair(s, x), pair(t, y)
            if first == second:
                single[first] += 1
            else:
                double[min(first, second), max(first, second)] += 1
    terms = [(float(weight), needs, number, number) for number, (needs, weight) in enumerate(double.items())]
    found = best_variable_matching(
        {key: float(weight) for key, weight in single.items()}, terms, element_match="N:N", elements_exclusive=False
    )
    back = (list(names[0]), list(names[1]))
    return Matched(round(found.value), {back[0][s]: back[1][g] for s, g in found.mapping.items()})


def _equal(
    left: Iterable[tuple[Hashable, tuple[str, ...]]], right: Iterable[tuple[Hashable, tuple[str, ...]]]
) -> Iterable[tuple[tuple[str, ...], tuple[str, ...]]]:
    """All pairs of nodes (or of pairs of nodes) with equal keys."""
    index: dict[Hashable, list[tuple[str, ...]]] = {}
    for key, nodes in right:
        index.setdefault(key, []).append(nodes)
    for key, nodes in left:
        for others in index.get(key, ()):
            yield nodes, others


def read_pairs(gold: Source, system: Source) -> list[tuple[tuple[str, Graph], tuple[str, Graph]]]:
    """The graphs of two files with their texts, gold and system, paired by their order."""
    from adjudge.formats.penman import read_graphs
    from adjudge.formats.source import source_name

    sides = []
    problems: list[Problem] = []
    for source in (gold, system):
        try:
            sides.append(read_graphs(source))
        except FormatError as error:
            problems += error.problems
    if problems:
        raise FormatError(problems)
    if len(sides[0]) != len(sides[1]):
        message = f"{len(sides[1])} graphs, but gold has {len(sides[0])}"
        raise FormatError(
            Problem(message, path=source_name(system), hint="give each gold graph a system graph, in order")
        )
    return list(zip(*sides, strict=True))
