"""Smatch as the program `smatch` 1.0.4 counts it, with the proven optimum in place of its random search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from adjudge.algebra.solve.deadline import DEFAULT, Deadline, allowed, timed
from adjudge.errors import FormatError, Problem
from adjudge.model.prf import precision_recall_f1
from adjudge.scorers import Option, Published, Scorer
from adjudge.scorers.shared import both_sides, counted, prf, totals

if TYPE_CHECKING:
    from adjudge.formats.source import Source
    from adjudge.model.penman import Graph
    from adjudge.stats.result import Note

PLAIN_OF = frozenset(("consist-of", "prep-on-behalf-of", "prep-out-of"))
NAME = "smatch"


def run(gold: Any, system: Any, *, digits: str | None = None) -> Published:
    """The scores of two files of graphs, paired by their order."""
    from adjudge.errors import UsageError

    if digits is not None and not (digits.isdecimal() and int(digits) <= 15):
        raise UsageError(f"--digits cannot be {digits!r}", hint="give a number from 0 to 15")
    rows = []
    unproven = 0
    for number, ((_, of_gold), (_, of_system)) in enumerate(timed(read_pairs(gold, system)), 1):
        mine, wanted = triples(of_system), triples(of_gold)
        found = best_match(mine, wanted)
        unproven += not found.proven
        rows.append((str(number), counted({NAME: (found.value, mine.size, wanted.size)})))
    scores = precision_recall_f1(*totals(rows, NAME))
    text = "".join(
        f"{label}: {value:.{int(digits or 2)}f}\n"
        for label, value in zip(("Precision", "Recall", "F-score"), scores, strict=True)
    )
    return Published(
        rows, (prf(NAME, NAME, harmonic=True),), text, notes=[search_note(len(rows), unproven, "the program climbs")]
    )


def search_note(pairs: int, unproven: int, climb: str) -> Note:
    """A note on the optimum, beside a program that searches from random starts."""
    from adjudge.stats.result import Note

    if unproven:
        message = f"pairs of graphs that were not solved to the end in {DEFAULT:g} seconds, whose optimum may be higher"
        return Note("not-optimal", unproven, f"{message}: {unproven} of {pairs}")
    message = f"every pair of graphs has its proven optimum; {climb} from random starts and may print less"
    return Note("exact-search", pairs, message)


def triples(graph: Graph) -> Triples:
    """The triples of a graph: repeated ones are kept, constants under inverse roles or under mod are lost.

    >>> from adjudge.model.penman import parse
    >>> triples(parse("(b / Boy :mod 5 :op1-of (a / and))"))
    Triples(attributes=[('b', 'instance', 'boy'), ('a', 'instance', 'and'), ('b', 'top', 'top')], relations=[...])
    """
    edges = []
    for source, role, written in graph.edges:
        target = value_of(written)
        if role.endswith("-of") and role not in PLAIN_OF:
            edges.append((target, role[:-3], source))
        elif role == "mod":
            edges.append((target, "domain", source))
        else:
            edges.append((source, role, target))
    return assembled(graph, edges, "top")


def assembled(graph: Graph, edges: Iterable[tuple[str, str, str]], top: str) -> Triples:
    """The triples of a graph with comparable concepts, roles and values."""
    concepts = {node: concept_of(concept) for node, concept in graph.concepts.items()}
    attributes = [(node, "instance", comparable(concept)) for node, concept in concepts.items()]
    attributes.append((graph.top, "top", comparable(top)))
    return separated(attributes, edges, concepts)


def separated(
    attributes: list[tuple[str, str, str]], edges: Iterable[tuple[str, str, str]], nodes: Collection[str]
) -> Triples:
    """Attributes and edges as triples of one node and of two; what does not start at a node is left out."""
    relations = []
    for source, role, target in edges:
        if source in nodes:
            if target in nodes:
                relations.append((source, comparable(role), target))
            else:
                attributes.append((source, comparable(role), comparable(target)))
    return Triples(attributes, relations)


def value_of(written: str) -> str:
    """A constant as the program stores it: underscores for quotation marks, and nothing after the first blank.

    >>> value_of('"New York"'), value_of("5"), value_of('"Riga"')
    ('New', '5', 'Riga_')
    """
    if written[0] != '"':
        return written
    words = _unquoted(written).split()
    return words[0] if words else "_"


def concept_of(written: str) -> str:
    """A concept as the program stores it."""
    return "".join(_unquoted(written).split(" ")) if '"' in written else written


def _unquoted(written: str) -> str:
    """Every second quotation mark ends a string and leaves an underscore; the others leave nothing."""
    parts = written.split('"')
    return "".join(part + ("_" if number % 2 and number < len(parts) - 1 else "") for number, part in enumerate(parts))


def comparable(text: str) -> str:
    """A text as compared: lower case, without trailing underscores.

    >>> comparable("Riga_")
    'riga'
    """
    return text.lower().rstrip("_")


# ---------------------------------------------------------------------------------------------------------------------
# The best matching of triples, shared by the scorers of graphs


Attribute = tuple[str, str, str]
Relation = tuple[str, str, str]


class Triples(NamedTuple):
    """The triples of a graph: attributes (node, role, value) and relations (source, role, target)."""

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
    proven: bool = True


def best_match(system: Triples, gold: Triples, deadline: Deadline | None = None) -> Matched:
    """The one-to-one matching of nodes under which most pairs of triples are equal, proven if that is soon done.

    >>> car, dog = Triples([("c", "instance", "car"), ("c", "top", "top")], []), Triples([("d", "top", "top")], [])
    >>> best_match(car, dog)
    Matched(value=1, mapping={'c': 'd'}, proven=True)
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
        {key: float(weight) for key, weight in single.items()},
        terms,
        element_match="N:N",
        elements_exclusive=False,
        deadline=deadline or allowed(),
    )
    back = (list(names[0]), list(names[1]))
    mapping = {back[0][s]: back[1][g] for s, g in found.mapping.items()}
    return Matched(round(found.value), mapping, found.optimal)


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

    sides = both_sides(read_graphs, gold, system)
    if len(sides[0]) != len(sides[1]):
        message = f"{len(sides[1])} graphs, but gold has {len(sides[0])}"
        raise FormatError(
            Problem(message, path=source_name(system), hint="give each gold graph a system graph, in order")
        )
    return list(zip(*sides, strict=True))


SCORER = Scorer(
    name="smatch-1.0.4",
    family="amr",
    about="the program smatch, with the optimum that its random search may miss",
    run=run,
    options={"digits": Option("Number of decimals that smatch prints (default 2).", metavar="N")},
)
