"""Knowledge graphs: a table of triples, and other contents of their files.

A triple that belongs to no document is in the document `-`. Entities without a fact (`isolated`) are part of a graph as
well, and so are documents without a fact.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from adjudge.errors import Problem
from adjudge.model.kbp import TripleNames, TripleTable

NOWHERE = "-"
"""The document of triples that belong to none."""


@dataclass(slots=True)
class Graph:
    """Triples with the types of entities, entities without a fact, and the texts of documents.

    `types` are those of entities by name, the first one given for each; `ends` those of subject and object row by
    row, where a file has them there. `confidences` has one for each row, or none. `aliases` are other names of
    entities and `relation_aliases` of relations, with the name they stand for. `left_out` counts what was not kept, by
    kind.
    """

    table: TripleTable
    types: dict[str, str] = field(default_factory=dict)
    ends: list[tuple[str, str]] = field(default_factory=list)
    confidences: array[float] = field(default_factory=lambda: array("d"))
    isolated: dict[tuple[str, str], None] = field(default_factory=dict)
    documents: dict[str, None] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    relation_aliases: dict[str, str] = field(default_factory=dict)
    notes: list[Problem] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)

    def add(
        self,
        triple: Sequence[str],
        document: str = NOWHERE,
        *,
        types: tuple[str, str] = ("", ""),
        confidence: float | None = None,
    ) -> None:
        """Add a row.

        >>> graph = new_graph()
        >>> graph.add(("Ana", "founded", "Corvex"), types=("PER", ""))
        >>> list(graph.table.rows()), graph.types
        ([('Ana', 'founded', 'Corvex', '-')], {'Ana': 'PER'})
        """
        before = len(self.table)
        subject, relation, object_ = map(one_line, triple)
        self.table.add(subject, relation, object_, one_line(document))
        if any(types) or self.ends:
            self.ends += [("", "")] * (before - len(self.ends))
            self.ends.append(types)
            for name, kind in ((subject, types[0]), (object_, types[1])):
                if kind:
                    self.types.setdefault(name, kind)
        if confidence is not None or self.confidences:
            self.confidences.extend([1.0] * (before - len(self.confidences)))
            self.confidences.append(1.0 if confidence is None else confidence)

    def add_node(self, name: str, document: str = NOWHERE, kind: str = "") -> None:
        """Add an entity that may turn out to have no fact."""
        name = one_line(name)
        if name:
            self.isolated[name, one_line(document)] = None
            if kind:
                self.types.setdefault(name, kind)

    def finish(self) -> Graph:
        """Keep as isolated only entities without any fact in the graph."""
        nodes = self.table.names.nodes.listed
        used = {nodes[number] for number in {*self.table.subjects, *self.table.objects}} if self.isolated else set()
        self.isolated = {key: None for key in self.isolated if key[0] not in used}
        return self

    def select(self, rows: Sequence[int], documents: set[str] | frozenset[str]) -> Graph:
        """The graph of some rows, those of these documents."""
        table = self.table
        columns = (table.subjects, table.relations, table.objects, table.documents)
        kept = TripleTable(table.names, *(array("i", [column[place] for place in rows]) for column in columns))
        ends = self.ends + [("", "")] * (len(table) - len(self.ends)) if self.ends else []
        return replace(
            self,
            table=kept,
            ends=[ends[place] for place in rows] if ends else [],
            confidences=array("d", [self.confidences[place] for place in rows] if self.confidences else []),
            isolated={key: None for key in self.isolated if key[1] in documents},
            documents={name: None for name in self.documents if name in documents},
        )


def one_line(name: str) -> str:
    r"""A name without blanks around it, and with blanks in the place of tabs and line breaks.

    >>> one_line(" Ana\n Ruiz ")
    'Ana  Ruiz'
    """
    return (name if name.isprintable() else name.translate(_BREAKS)).strip()


_BREAKS = dict.fromkeys(map(ord, "\t\n\r\0\v\f\x1c\x1d\x1e\x85\u2028\u2029"), " ")


def new_graph(names: TripleNames | None = None) -> Graph:
    """An empty graph; with the `names` of another one, numbers mean the same in both."""
    return Graph(TripleTable(TripleNames() if names is None else names))
