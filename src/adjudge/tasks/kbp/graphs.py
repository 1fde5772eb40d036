"""Knowledge graphs from files of any format, and from memory: tuples, data frames, NetworkX graphs."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from adjudge.errors import FormatError, Problem, UsageError
from adjudge.findings import Findings, raise_problems, read_files
from adjudge.formats.coerce.corpus import fields_of, first_of, is_list, origin
from adjudge.formats.coerce.tables import as_table
from adjudge.formats.kb_triples import SUFFIXES as TABLES
from adjudge.formats.kg_json import Entry, graph_of_values, read_graph_json
from adjudge.formats.kg_keys import KINDS as PROGRAMS
from adjudge.formats.kg_keys import PLAIN, TRIPLE, confidence_of, document_of, roles_of
from adjudge.formats.kg_rdf import SUFFIXES as RDF
from adjudge.formats.kg_rdf import USUAL, Rdf, read_rdf
from adjudge.formats.source import Source, find_shards, source_name
from adjudge.model.kbp import TripleNames
from adjudge.model.kg import NOWHERE, Graph, new_graph
from adjudge.tasks.kbp.detection import GRAPHS, Format, detect

if TYPE_CHECKING:
    from adjudge.formats.kg_rdf import Kind as Syntax

_SHARDS = (*TABLES, *RDF, ".json", ".jsonl", ".xml")
_RELATIONS = ("relation", "predicate", "label", "type")
_OTHERS = frozenset(("triples", "relations", "edges", "subj", "obj", "relation_type", "output", "answer"))
"""Columns of data frames whose rows are not triples."""


def read_graph(
    source: Source,
    kind: Format | None = None,
    *,
    rdf: Rdf = USUAL,
    names: TripleNames | None = None,
    name: str | None = None,
) -> Graph:
    r"""The graph of a file or folder; the format is detected from the content unless it is given.

    >>> list(read_graph(b"ana\tspouse\tben\n").table.rows())
    [('ana', 'spouse', 'ben', '-')]
    """
    chosen = kind or detect(source)
    if chosen == "triples":
        from adjudge.formats.kb_triples import read_table

        return read_table(source, names=names, name=name)
    if chosen == "graphrag":
        return _graphrag(source, names, name)
    shards = find_shards(source, suffixes=_SHARDS, what="triples")
    if shards is None:
        return _read_one(source, chosen, rdf, names, name)
    shared = TripleNames() if names is None else names
    # Blank nodes of different files are different.
    sides = {
        each: rdf._replace(side=f"{rdf.side}{number}") if shards[1:] else rdf for number, each in enumerate(shards)
    }
    graphs, problems = read_files(shards, lambda each: _read_one(each, chosen, sides[each], shared, None))
    raise_problems(problems, source_name(source))
    return _merged([graph for _, graph in graphs], shared)


def _graphrag(source: Source, names: TripleNames | None, name: str | None) -> Graph:
    from adjudge.formats.kg_graphrag import read_graphrag

    if not isinstance(source, str | os.PathLike) or not Path(source).is_dir():
        message, hint = "GraphRAG writes a folder of Parquet files", "name the folder `output` of the run"
        raise UsageError(Problem(message, path=name or source_name(source), hint=hint))
    return read_graphrag(str(source), names=names, name=name)


def _read_one(source: Source, kind: Format, rdf: Rdf, names: TripleNames | None, name: str | None) -> Graph:
    if kind in PROGRAMS:
        return read_graph_json(source, kind=kind, names=names, name=name)
    if kind == "webnlg":
        from adjudge.formats.kg_webnlg import read_webnlg

        return read_webnlg(source, names=names, name=name)
    if kind not in GRAPHS:
        message, hint = f"{kind} is not a format of triples", f"choose from {', '.join(GRAPHS)}"
        raise UsageError(Problem(message, path=name or source_name(source), hint=hint))
    return read_rdf(source, kind=cast("Syntax", kind), rdf=rdf, names=names, name=name)


def _merged(graphs: Iterable[Graph], names: TripleNames) -> Graph:
    """Several graphs as one."""
    whole = new_graph(names)
    for each in graphs:
        before = len(whole.table)
        for own, more in zip(_columns(whole), _columns(each), strict=True):
            own.extend(more)
        if each.ends or whole.ends:
            whole.ends += [("", "")] * (before - len(whole.ends))
            whole.ends += each.ends
        if each.confidences or whole.confidences:
            whole.confidences.extend([1.0] * (before - len(whole.confidences)))
            whole.confidences.extend(each.confidences or [1.0] * len(each.table))
        for table in ("types", "isolated", "documents", "texts", "aliases", "relation_aliases"):
            for key, value in getattr(each, table).items():
                getattr(whole, table).setdefault(key, value)
        whole.notes += each.notes
        for kind, number in each.left_out.items():
            whole.left_out[kind] = whole.left_out.get(kind, 0) + number
    return whole.finish()


def _columns(graph: Graph) -> tuple[Any, ...]:
    table = graph.table
    return table.subjects, table.relations, table.objects, table.documents


def one_document(graph: Graph) -> Graph:
    r"""The graph with everything in one document, called `-`.

    >>> graph = read_graph(b"a\tr\tb\td1\n")
    >>> list(one_document(graph).table.rows())
    [('a', 'r', 'b', '-')]
    """
    table = graph.table
    number = table.names.documents[NOWHERE]
    texts = "\n".join(graph.texts.values())
    return replace(
        graph,
        table=replace(table, documents=array("i", [number]) * len(table)),
        isolated={(name, NOWHERE): None for name, _ in graph.isolated},
        documents={NOWHERE: None} if graph.documents else {},
        texts={NOWHERE: texts} if graph.texts else {},
    )


# ---------------------------------------------------------------------------------------------------------------------
# In memory


def is_graph(value: Any) -> bool:
    """Whether a value is a graph: triples, documents with triples, a data frame, or a NetworkX graph."""
    if origin(value) == "networkx":
        return True
    table = as_table(value, "the side")
    if table is not None:
        return roles_of(table.columns) is not None or _OTHERS.isdisjoint(name.lower() for name in table.columns)
    if isinstance(value, Mapping):
        return True
    if not is_list(value):
        return False
    return all(isinstance(each, Mapping) or (is_list(each) and not isinstance(each, str)) for each in value)


def graph_in_memory(value: Any, name: str, names: TripleNames | None = None) -> Graph:
    """Triples, documents with triples, a data frame, or a NetworkX graph.

    >>> list(graph_in_memory([("Ana", "founded", "Corvex"), {"s": "Ana", "p": "born", "o": 1970}], "gold").table.rows())
    [('Ana', 'founded', 'Corvex', '-'), ('Ana', 'born', '1970', '-')]
    """
    if origin(value) == "networkx" and hasattr(value, "edges"):
        return _networkx(value, name, names)
    table = as_table(value, name)
    if table is not None:
        return _frame(table, name, names)
    if isinstance(value, Mapping) and not _is_whole(value):
        return _documents(value, name, names)
    if isinstance(value, Mapping):
        value = [value]
    if is_list(value) or isinstance(value, Iterator | set | frozenset):
        listed = sorted(value) if isinstance(value, set | frozenset) else list(value)
        if listed and all(isinstance(each, str) for each in listed) and len(listed) in (3, 4):
            listed = [listed]
        if listed and all(is_list(each) and all(map(_is_triple, each)) for each in listed):
            return _documents({str(place): own for place, own in enumerate(listed, 1)}, name, names)
        return _listed(listed, name, names)
    hint = "give triples (subject, relation, object), a frame with such columns, a graph, or the path of a file"
    raise FormatError(Problem(f"{name}: {value!r:.60} is not a graph", hint=hint))


def _is_triple(value: Any) -> bool:
    return not isinstance(value, str) and (is_list(value) or isinstance(value, Mapping))


def _is_whole(value: Mapping[str, Any]) -> bool:
    """Whether a mapping is one graph rather than documents by name."""
    known = {"triples", "relations", "facts", "triplets", "edges", "nodes", "rels", "relationships"}
    return bool(known & value.keys()) or roles_of(value) is not None


def _plain(value: Any) -> Any:
    """A value as in JSON: tuples as lists, records as objects, numbers of libraries as numbers."""
    if isinstance(value, str | bool | int | float) or value is None:
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return [_plain(each) for each in value]
    fields = fields_of(value)
    if fields is not None:
        return {str(key): _plain(each) for key, each in fields.items()}
    item = getattr(value, "item", None)
    return _plain(item()) if callable(item) else str(value)


def _listed(values: Iterable[Any], name: str, names: TripleNames | None) -> Graph:
    found = Findings(name)
    entries = [Entry(f"entry {place}", None, _plain(each)) for place, each in enumerate(values, 1)]
    graph = graph_of_values(entries, names=names, found=found)
    found.finish()
    return graph


def _documents(value: Mapping[Any, Any], name: str, names: TripleNames | None) -> Graph:
    """Documents by name, each with its triples."""
    shared = TripleNames() if names is None else names
    graphs = []
    for document, own in value.items():
        listed = own if isinstance(own, Mapping) else {"triples": list(own)}
        graphs.append(_listed([{**listed, "id": str(document)}], name, shared))
    return _merged(graphs, shared)


def _frame(table: Any, name: str, names: TripleNames | None) -> Graph:
    roles = roles_of(table.columns)
    if roles is None:
        message = f"{name}: no columns for subject, relation and object among {', '.join(map(str, table.columns))}"
        raise FormatError(Problem(message, hint="rename them to subject, relation and object (and document)"))
    found, graph = Findings(name), new_graph(names)
    chosen = [role for role in PLAIN if role in roles]
    for number, row in enumerate(table.rows, 1):
        given = {role: row[roles[role]] for role in chosen}
        empty = [role for role in TRIPLE if _is_nothing(given[role])]
        if empty:
            found.add("triple", f"triple {number}: the {empty[0]} is empty", None, None, "name it")
            continue
        document = NOWHERE if _is_nothing(given.get("document")) else str(given["document"])
        sure = confidence_of(given["confidence"]) if not _is_nothing(given.get("confidence")) else None
        graph.add([str(given[role]) for role in TRIPLE], document, confidence=sure)
    found.finish()
    return graph


def _is_nothing(value: Any) -> bool:
    return value is None or value != value or not str(value).strip()


def _networkx(graph: Any, name: str, names: TripleNames | None) -> Graph:
    """The edges of a directed graph; nodes are named by their attribute `name` or `label`, else by themselves."""
    if not graph.is_directed():
        hint = "use a MultiDiGraph"
        raise FormatError(Problem(f"{name}: an undirected graph does not say which end is the subject", hint=hint))
    made, found = new_graph(names), Findings(name)
    called = {}
    for node, data in graph.nodes(data=True):
        named = first_of(data, ("name", "label"))
        called[node] = str(node if named is None else named)
        made.add_node(called[node], NOWHERE, str(data.get("type") or ""))
    several = graph.is_multigraph()
    edges = (
        graph.edges(keys=True, data=True) if several else ((a, b, None, data) for a, b, data in graph.edges(data=True))
    )
    for number, (first, last, key, data) in enumerate(edges, 1):
        relation = first_of(data, _RELATIONS)
        relation = key if relation is None and isinstance(key, str) else relation
        if relation is None or not str(relation).strip():
            hint = f"give edges a value {', '.join(_RELATIONS[:-1])} or {_RELATIONS[-1]}"
            found.add("triple", f"triple {number}: the edge {first!r} to {last!r} has no relation", None, None, hint)
            continue
        sure = first_of(data, ("confidence", "score"))
        document = document_of(data) or NOWHERE
        kinds = made.types.get(called[first], ""), made.types.get(called[last], "")
        made.add((called[first], str(relation), called[last]), document, types=kinds, confidence=confidence_of(sure))
    found.finish()
    if not several:
        message = f"{name}: a DiGraph holds one relation for each pair of nodes; others are lost before they get here"
        made.notes.append(Problem(message, hint="use a MultiDiGraph"))
    return made.finish()
