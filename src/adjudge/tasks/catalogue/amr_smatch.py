"""Smatch as the program `smatch` 1.0.4 counts it, with the proven optimum in place of its random search."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from adjudge.tasks.catalogue.amr_counts import Triples, best_match, read_pairs

if TYPE_CHECKING:
    from adjudge.model.penman import Graph
    from adjudge.tasks.catalogue.family import Published

PLAIN_OF = frozenset(("consist-of", "prep-on-behalf-of", "prep-out-of"))
NAME = "smatch"


def run(gold: Any, system: Any, *, digits: str | None = None) -> Published:
    """The scores of two files of graphs, paired by their order."""
    from adjudge.errors import UsageError
    from adjudge.stats.measure import Prf
    from adjudge.stats.result import Note
    from adjudge.tasks.catalogue.family import Published

    if digits is not None and not (digits.isdecimal() and int(digits) <= 15):
        raise UsageError(f"--digits cannot be {digits!r}", hint="give a number from 0 to 15")
    rows = []
    for number, ((_, of_gold), (_, of_system)) in enumerate(read_pairs(gold, system), 1):
        mine, wanted = triples(of_system), triples(of_gold)
        counts = (best_match(mine, wanted).value, mine.size, wanted.size)
        rows.append((str(number), dict(zip(COLUMNS, map(float, counts), strict=True))))
    totals = [sum(row[column] for _, row in rows) for column in COLUMNS]
    text = "".join(
        f"{label}: {value:.{int(digits or 2)}f}\n"
        for label, value in zip(("Precision", "Recall", "F-score"), scores(*totals), strict=True)
    )
    measure = Prf(NAME, (COLUMNS[0], COLUMNS[1]), (COLUMNS[0], COLUMNS[2]), harmonic=True)
    message = "every pair of graphs has its proven optimum; the program climbs from random starts and may print less"
    note = Note("exact-search", len(rows), message)
    return Published(rows, (measure,), text, notes=[note])


COLUMNS = (f"{NAME}:matched", f"{NAME}:system", f"{NAME}:gold")


def scores(matched: float, system: float, gold: float) -> tuple[float, float, float]:
    """Precision, recall and F; all 0 if one side is empty.

    >>> scores(25, 30, 29)
    (0.833..., 0.862..., 0.847...)
    """
    if system == 0 or gold == 0:
        return 0.0, 0.0, 0.0
    precision, recall = matched / system, matched / gold
    total = precision + recall
    return precision, recall, 2 * precision * recall / total if total else 0.0


def triples(graph: Graph) -> Triples:
    """The triples of a graph: repeated ones stay, a constant under an inverse role or under mod is lost.

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
    """Triples of nodes with comparable concepts, roles and values; what does not start at a node is left out."""
    concepts = {node: concept_of(concept) for node, concept in graph.concepts.items()}
    attributes = [(node, "instance", comparable(concept)) for node, concept in concepts.items()]
    attributes.append((graph.top, "top", comparable(top)))
    relations = []
    for source, role, target in edges:
        if source in concepts:
            if target in concepts:
                relations.append((source, comparable(role), target))
            else:
                attributes.append((source, comparable(role), comparable(target)))
    return Triples(attributes, relations)


def value_of(written: str) -> str:
    """A constant as the program keeps it: for quotation marks an underscore, and nothing after the first blank.

    >>> value_of('"New York"'), value_of("5"), value_of('"Riga"')
    ('New', '5', 'Riga_')
    """
    if written[0] != '"':
        return written
    words = _unquoted(written).split()
    return words[0] if words else "_"


def concept_of(written: str) -> str:
    """A concept as the program keeps it."""
    return "".join(_unquoted(written).split(" ")) if '"' in written else written


def _unquoted(written: str) -> str:
    """Every second quotation mark ends a string and leaves an underscore; the others leave nothing."""
    parts = written.split('"')
    return "".join(part + ("_" if number % 2 and number < len(parts) - 1 else "") for number, part in enumerate(parts))


def comparable(text: str) -> str:
    """What is compared: lower case, without underscores at the end.

    >>> comparable("Riga_")
    'riga'
    """
    return text.lower().rstrip("_")
