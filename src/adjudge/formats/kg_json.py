"""Knowledge graphs in JSON: lists of triples, documents with triples, and what LangChain, Neo4j, LlamaIndex and KGGen
write.

A file is one JSON value, or one per line. A triple is a list of three, or four with its document, or an object whose
keys are those of columns (`kg_keys`); either end may be an object with a name and a type. Problems are reported by the
number of the triple or entry, since such files seldom have lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from adjudge.errors import AdjudgeError, FormatError, Problem
from adjudge.findings import Findings
from adjudge.formats.json_file import json_fault
from adjudge.formats.kg_keys import ROLES, Kind, confidence_of, document_of, kind_of_values, roles_of
from adjudge.formats.source import Source, read_text
from adjudge.model.kbp import TripleNames
from adjudge.model.kg import NOWHERE, Graph, new_graph, one_line

LISTS = ("triples", "relations", "facts", "triplets", "edges")
"""The keys under which a document has its triples."""

_NAMES = ("name", "label", "text", "id")
_IDS = ("id", *ROLES["document"])
_TEXTS = ("sent", "text")
_CHUNK = "text_chunk"


class Entry(NamedTuple):
    """A value of a file: its place in words, and its line, or how to find it in the text."""

    where: str
    line: int | None
    value: Any
    text: str = ""
    path: tuple[int, ...] = ()

    def found_line(self) -> int | None:
        """The line where the value begins."""
        if self.line is not None or not self.text:
            return self.line
        from adjudge.model.whereabouts import json_place

        return json_place(self.text, self.path)[0]


class _Bad(Exception):
    """What is wrong with an entry, and the remedy."""


def read_graph_json(
    source: Source, *, kind: Kind | None = None, names: TripleNames | None = None, name: str | None = None
) -> Graph:
    """The graph of a file; its keys tell its kind unless it is given.

    >>> graph = read_graph_json(b'[["Ana", "founded", "Corvex"], {"head": "Ana", "rel": "born", "tail": 1970}]')
    >>> list(graph.table.rows())
    [('Ana', 'founded', 'Corvex', '-'), ('Ana', 'born', '1970', '-')]
    """
    whole, text = read_text(source, name=name)
    found = Findings(whole.place)
    graph = graph_of_values(json_entries(text, whole.place), kind=kind, names=names, found=found)
    found.finish()
    return graph


def graph_of_values(
    entries: Iterable[Entry], *, found: Findings, kind: Kind | None = None, names: TripleNames | None = None
) -> Graph:
    """The graph of values that were read or are in memory; what is wrong with them goes to `found`."""
    graph, listed = new_graph(names), list(entries)
    reader = _READERS[kind or kind_of_values([each.value for each in listed[:50]])]
    reader(listed, graph, found)
    return graph.finish()


def json_entries(text: str, place: str) -> Iterator[Entry]:
    """The values of a file: the elements of an array, the values of the lines, or the one value that it is.

    >>> [each.where for each in json_entries('[[1], [2]]', "a.json")], [e.line for e in json_entries('{}\\n{}', "b")]
    (['entry 1', 'entry 2'], [1, 2])
    """
    if not text.strip():
        return
    decode = msgspec.json.Decoder(float_hook=_Number).decode
    try:
        value = decode(text)
    except (msgspec.DecodeError, RecursionError):
        yield from _json_lines(text, place, decode)
        return
    values = value if isinstance(value, list) else [value]
    # A list of texts is a single triple.
    if values and isinstance(value, list) and len(values) in (3, 4) and all(isinstance(each, str) for each in values):
        values = [value]
    for number, each in enumerate(values, 1):
        yield Entry(f"entry {number}", None, each, text, (number - 1,) if values is value else ())


class _Number(str):
    """A number as it is written."""


def _json_lines(text: str, place: str, decode: Callable[[str], Any]) -> Iterator[Entry]:
    problems = []
    lines = text.split("\n")
    several = sum(line.strip().startswith(("{", "[")) for line in lines) > 1
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield Entry(f"line {number}", number, decode(line))
        except (msgspec.DecodeError, RecursionError):
            message, offset, hint = json_fault(line if several else text, "line" if several else "file")
            if not several:
                from adjudge.model.whereabouts import place_at

                at = place_at(text, offset) if offset is not None else (1, None)
                raise FormatError(Problem(message, place, at[0], at[1], hint)) from None
            problems.append(Problem(message, place, number, None if offset is None else offset + 1, hint))
            if len(problems) >= 100:
                break
    if problems:
        raise FormatError(problems)


# ---------------------------------------------------------------------------------------------------------------------
# Lists and documents of triples


def _read_plain(entries: list[Entry], graph: Graph, found: Findings) -> None:
    count = 0
    for number, entry in enumerate(entries, 1):
        value = entry.value
        key = next((key for key in LISTS if isinstance(value, Mapping) and isinstance(value.get(key), list)), None)
        if key is None or roles_or_none(value) is not None:
            count += 1
            with_place(entry._replace(where=f"triple {count}"), found, _add, value, NOWHERE, graph)
            continue
        document = document_of(value, _IDS) or (NOWHERE if len(entries) == 1 else f"doc{number}")
        graph.documents[document] = None
        for name in _TEXTS:
            if isinstance(value.get(name), str):
                graph.texts.setdefault(document, value[name])
        for place, each in enumerate(value[key], 1):
            at = entry._replace(where=f"{entry.where}, triple {place}" if len(entries) > 1 else f"triple {place}")
            with_place(at, found, _add, each, document, graph)


def with_place(entry: Entry, found: Findings, act: Callable[..., None], *arguments: Any) -> None:
    """Do something with an entry, and report what is wrong with it at its place."""
    try:
        act(*arguments)
    except (_Bad, AdjudgeError) as error:
        message, hint = error.args if isinstance(error, _Bad) else (error.problems[0].message, error.problems[0].hint)
        where = f"{entry.where}: " if not (entry.line and entry.where == f"line {entry.line}") else ""
        found.add("triple", f"{where}{message}", entry.found_line(), None, hint)


def roles_or_none(value: Any) -> dict[str, Any] | None:
    """The keys of a triple that is an object; None if it is not one."""
    return roles_of(value) if isinstance(value, Mapping) else None


def _add(value: Any, document: str, graph: Graph) -> None:
    hint = "write [subject, relation, object], or an object with these keys"
    if isinstance(value, list | tuple):
        if len(value) not in (3, 4):
            raise _Bad(f"a list of {len(value)} instead of 3 (or 4 with a document)", hint)
        parts = dict(zip(("subject", "relation", "object", "document"), value, strict=False))
    elif isinstance(value, Mapping):
        roles = roles_of(value)
        if roles is None:
            lacking = [role for role in ("subject", "relation", "object") if not _has(value, role)]
            raise _Bad(f"there is no {' and no '.join(lacking)}", hint)
        parts = {role: value[name] for role, name in roles.items()}
    else:
        raise _Bad(f"{shown(value)} is not a triple", hint)
    ends = [_end(parts[role], role) for role in ("subject", "relation", "object")]
    own = parts.get("document")
    where = document if own is None else (_text(own, "document") or document)
    sure = None
    if parts.get("confidence") is not None:
        sure = confidence_of(parts["confidence"])
        if sure is None:
            raise _Bad(f"the confidence {shown(parts['confidence'])} is not a number", "write a number such as 0.8")
    types = ends[0][1], ends[2][1]
    graph.add([name for name, _ in ends], where, types=types, confidence=sure)


def _has(value: Mapping[str, Any], role: str) -> bool:
    return any(str(key).strip().lower() in ROLES[role] for key in value)


def shown(value: Any) -> str:
    """The beginning of a value, for messages."""
    return f"{value!r:.60}"


def _end(value: Any, role: str) -> tuple[str, str]:
    """The name and the type of an end."""
    kind = ""
    if isinstance(value, Mapping):
        kind = value["type"] if isinstance(value.get("type"), str) else ""
        key = next((key for key in _NAMES if value.get(key) is not None), None)
        if key is None:
            raise _Bad(f"the {role} has no name", f"give it a key {', '.join(_NAMES[:-1])} or {_NAMES[-1]}")
        value = value[key]
    name = _text(value, role)
    if not name:
        raise _Bad(f"the {role} is empty", "name it")
    return name, kind


def _text(value: Any, role: str) -> str:
    """A text as it is, a number or boolean as JSON writes it."""
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, bool | int | float):
        return msgspec.json.encode(value).decode()
    raise _Bad(f"the {role} {shown(value)} is not text", "write a text or a number")


# ---------------------------------------------------------------------------------------------------------------------
# Output of programs


def _objects(values: Any, what: str) -> Iterator[Mapping[str, Any]]:
    """The objects in a list, or in an object by id."""
    for each in values.values() if isinstance(values, Mapping) else values if isinstance(values, list) else ():
        if not isinstance(each, Mapping):
            raise _Bad(f"{shown(each)} is no {what}", f"write an object for each {what}")
        yield each


def _object(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise _Bad(f"the {what} {shown(value)} is not an object", "check that it was written by the program itself")
    return value


def _properties(value: Mapping[str, Any]) -> Mapping[str, Any]:
    own = value.get("properties")
    return own if isinstance(own, Mapping) else {}


def _read_langchain(entries: list[Entry], graph: Graph, found: Findings) -> None:
    for number, entry in enumerate(entries, 1):
        with_place(entry, found, _langchain, entry.value, number, graph)


def _langchain(value: Any, number: int, graph: Graph) -> None:
    fields = _object(value, "graph document")
    source = fields["source"] if isinstance(fields.get("source"), Mapping) else {}
    metadata = source["metadata"] if isinstance(source.get("metadata"), Mapping) else {}
    known = document_of(metadata, ("id", "doc_id", "document_id", "source", "title")) or document_of(source, ("id",))
    document = known or f"doc{number}"
    graph.documents[document] = None
    if isinstance(source.get("page_content"), str):
        graph.texts.setdefault(document, source["page_content"])
    for node in _objects(fields.get("nodes"), "node"):
        graph.add_node(_langchain_name(node), document, str(node.get("type") or ""))
    for each in _objects(fields.get("relationships"), "relationship"):
        ends = [_object(each.get(side), side) for side in ("source", "target")]
        relation = _text(each.get("type"), "type of a relationship")
        first, last = (_langchain_name(end) for end in ends)
        for name, what in ((first, "source"), (relation, "type"), (last, "target")):
            if not name:
                raise _Bad(f"the {what} of a relationship is empty", "name it")
        kinds = str(ends[0].get("type") or ""), str(ends[1].get("type") or "")
        graph.add((first, relation, last), document, types=kinds)


def _langchain_name(node: Mapping[str, Any]) -> str:
    named = _properties(node).get("name")
    return _text(named if named is not None else node.get("id"), "id of a node")


def _read_neo4j(entries: list[Entry], graph: Graph, found: Findings) -> None:
    nodes: dict[str, tuple[str, str]] = {}
    rows: list[tuple[Entry, Mapping[str, Any]]] = []
    for entry in entries:
        value = entry.value
        parts: list[Any] = [value]
        if isinstance(value, Mapping) and ("rels" in value or "nodes" in value):
            parts = []
            for key in ("nodes", "rels"):
                own = value.get(key) or ()
                parts += own.values() if isinstance(own, Mapping) else own if isinstance(own, list) else ()
        for each in parts:
            rows.append((entry, each))
    relations = []
    for entry, each in rows:
        if isinstance(each, Mapping) and each.get("type") == "node":
            with_place(entry, found, _neo4j_node, each, nodes)
        else:
            relations.append((entry, each))
    linked: set[str] = set()
    for entry, each in relations:
        with_place(entry, found, _neo4j_relation, each, nodes, linked, graph)
    for key, (name, kind) in nodes.items():
        if key not in linked:
            graph.add_node(name, NOWHERE, kind)
        elif kind:
            graph.types.setdefault(name, kind)


def _neo4j_node(node: Mapping[str, Any], nodes: dict[str, tuple[str, str]]) -> None:
    key = _text(node.get("id"), "id of a node")
    labels = node.get("labels")
    kind = str(labels[0]) if isinstance(labels, list) and labels else ""
    nodes[key] = _neo4j_name(node) or key, kind


def _neo4j_name(node: Mapping[str, Any]) -> str:
    own = _properties(node)
    value = next((own[key] for key in ("name", "title", "id") if own.get(key) is not None), None)
    return "" if value is None else _text(value, "name of a node")


def _neo4j_relation(each: Any, nodes: Mapping[str, tuple[str, str]], linked: set[str], graph: Graph) -> None:
    fields = _object(each, "relationship")
    if fields.get("type") != "relationship":
        raise _Bad(f"{shown(fields.get('type'))} is neither a node nor a relationship", "export with apoc.export.json")
    ends = []
    for side in ("start", "end"):
        end = _object(fields.get(side), side)
        key = _text(end.get("id"), f"id of the {side}")
        labels = end.get("labels")
        kind = str(labels[0]) if isinstance(labels, list) and labels else ""
        own = _neo4j_name(end)
        if not own:
            if key not in nodes:
                raise _Bad(f"node {key} is not in the file", "export nodes and relationships together")
            own, kind = nodes[key][0], nodes[key][1] or kind
        linked.add(key)
        ends.append((own, kind))
    relation = _text(fields.get("label"), "label of a relationship")
    if not relation:
        raise _Bad("the label of a relationship is empty", "name it")
    document = document_of(_properties(fields)) or NOWHERE
    graph.add((ends[0][0], relation, ends[1][0]), document, types=(ends[0][1], ends[1][1]))


def _read_llamaindex(entries: list[Entry], graph: Graph, found: Findings) -> None:
    for entry in entries:
        with_place(entry, found, _llamaindex, entry, graph, found)


def _llamaindex(entry: Entry, graph: Graph, found: Findings) -> None:
    fields = _object(entry.value, "store")
    nodes = _object(fields.get("nodes") or {}, "nodes")
    relations: dict[tuple[str, str, str], Mapping[str, Any]] = {}
    for each in _objects(fields.get("relations") or {}, "relation"):
        relations.setdefault(
            (str(each.get("source_id")), str(each.get("label")), str(each.get("target_id"))), _properties(each)
        )
    known = {key: _object(node, "node") for key, node in nodes.items()}
    chunks = {key for key, node in known.items() if node.get("label") == _CHUNK}
    for key in chunks:
        if isinstance(known[key].get("text"), str):
            graph.texts.setdefault(key, known[key]["text"])
    triplets = fields.get("triplets") or ()
    if not isinstance(triplets, list | tuple):
        raise _Bad("the triplets are not a list", "write a list of [id, label, id]")
    for number, triplet in enumerate(triplets, 1):
        if not isinstance(triplet, list) or len(triplet) != 3 or not all(isinstance(each, str) for each in triplet):
            found.add(
                "triple",
                f"triplet {number}: {shown(triplet)} is not a list of three texts",
                entry.found_line(),
                None,
                "fix it",
            )
            continue
        first, label, last = triplet
        if first in chunks or last in chunks:
            graph.left_out["text-chunk"] = graph.left_out.get("text-chunk", 0) + 1
            continue
        sources = (relations.get((first, label, last), {}), _properties(known.get(first, {})))
        document = next((str(own["triplet_source_id"]) for own in sources if own.get("triplet_source_id")), NOWHERE)
        ends = [_llamaindex_name(key, known) for key in (first, last)]
        for name, what in ((ends[0][0], "first end"), (one_line(label), "label"), (ends[1][0], "last end")):
            if not name:
                found.add("triple", f"triplet {number}: the {what} is empty", entry.found_line(), None, "name it")
                break
        else:
            graph.add((ends[0][0], label, ends[1][0]), document, types=(ends[0][1], ends[1][1]))
    for key, node in known.items():
        if key not in chunks:
            name, kind = _llamaindex_name(key, known)
            graph.add_node(name, str(_properties(node).get("triplet_source_id") or NOWHERE), kind)
    if left := graph.left_out.get("text-chunk"):
        message = f"{left} triplets whose end is a text chunk were left out"
        graph.notes.append(Problem(message, path=found.place, line=1))


def _llamaindex_name(key: str, nodes: Mapping[str, Mapping[str, Any]]) -> tuple[str, str]:
    node = nodes.get(key, {})
    name = node.get("name")
    return one_line(name if isinstance(name, str) and one_line(name) else key), str(node.get("label") or "")


def _read_kggen(entries: list[Entry], graph: Graph, found: Findings) -> None:
    for entry in entries:
        with_place(entry, found, _kggen, entry.value, entry, graph, found)


def _kggen(value: Any, entry: Entry, graph: Graph, found: Findings) -> None:
    fields = _object(value, "graph")
    for number, each in enumerate(fields.get("relations") or (), 1):
        with_place(entry._replace(where=f"triple {number}"), found, _add, each, NOWHERE, graph)
    for each in fields.get("entities") or ():
        if isinstance(each, str):
            graph.add_node(each)
    for key, table in (("entity_clusters", graph.aliases), ("edge_clusters", graph.relation_aliases)):
        clusters = fields.get(key)
        for name, members in clusters.items() if isinstance(clusters, Mapping) else ():
            for member in members if isinstance(members, list) else ():
                if isinstance(member, str):
                    table.setdefault(member, name)


_READERS: dict[Kind, Callable[[list[Entry], Graph, Findings], None]] = {
    "json": _read_plain,
    "langchain": _read_langchain,
    "neo4j": _read_neo4j,
    "llamaindex": _read_llamaindex,
    "kggen": _read_kggen,
}
