"""Knowledge graphs in memory as inputs: any mix of files, tuples, data frames and graphs on both sides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from adjudge.evaluate.sides import Names, check_sides, is_file, name_systems
from adjudge.formats.coerce.corpus import is_list, origin
from adjudge.formats.coerce.tables import as_table
from adjudge.formats.kg_keys import roles_of
from adjudge.formats.kg_rdf import Rdf
from adjudge.model.kbp import TripleNames
from adjudge.model.kg import Graph
from adjudge.tasks.kbp.graphs import graph_in_memory, one_document, read_graph
from adjudge.tasks.kbp.inputs import KbInputs, check_documents, documents_of, only_documents
from adjudge.tasks.kbp.naming import MODES, naming_of
from adjudge.tasks.kbp.scoring import graph_inputs

_RDF = ("iri", "literals", "rdf_type")
_OTHERS = frozenset(("triples", "relations", "edges", "subj", "obj", "relation_type", "output", "answer"))
"""Columns of data frames whose rows are not triples."""


def split_names(names: Any) -> tuple[Sequence[str] | None, dict[str, Any]]:
    """The names of systems, and the way to compare names of entities: `names` may be either.

    >>> split_names(["A", "B"]), split_names("folded")[1]["naming"].mode
    ((['A', 'B'], {}), 'folded')
    """
    if isinstance(names, str) and names.partition("=")[0] in MODES:
        return None, {"naming": naming_of(names)}
    if isinstance(names, tuple) and len(names) == 2 and isinstance(names[1], Mapping):
        return None, {"naming": naming_of(names)}
    return ([names] if isinstance(names, str) else names), {}


def reading_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Options for reading, as the arguments of `read_inputs`.

    >>> reading_of({"iri": "local", "ignore_documents": True})["rdf"].iri
    'local'
    """
    rest = {name: value for name, value in given.items() if name not in _RDF}
    chosen = {name: given[name] for name in _RDF if name in given}
    return {**rest, "rdf": Rdf(**chosen)} if chosen else rest


def memory_inputs(
    gold: Any,
    system: Any,
    names: Sequence[str] | None,
    docs: Iterable[str] | None,
    reading: Mapping[str, Any],
) -> KbInputs | None:
    """Both sides as graphs; None if one of them is not a graph, such as raw answers of a model."""
    known = set(map(str, gold)) if isinstance(gold, Mapping) else set()
    several = name_systems(gold, system, names, known=known, is_whole=_is_graph, texts=not is_file(gold))
    if not all(is_file(each) or _is_graph(each) for each in (gold, *(each for _, each in several))):
        return None
    shared = TripleNames()
    mine = _graph(gold, "gold", reading, shared)
    theirs = {name: _graph(each, name, reading, shared) for name, each in several}
    listed = None if docs is None else list(map(str, docs))
    if listed is not None:
        mine, theirs = (
            only_documents(mine, listed),
            {name: only_documents(each, listed) for name, each in theirs.items()},
        )
    found = [Names(name, documents_of(each)) for name, each in theirs.items()]
    check_documents(documents_of(mine), found)
    check_sides(Names("gold", frozenset(documents_of(mine))), found)
    read = graph_inputs(mine, theirs, listed)
    texts = reading.get("texts")
    if isinstance(texts, Mapping):
        return read._replace(texts={str(name): text for name, text in texts.items()})
    if texts is None:
        return read
    from adjudge.tasks.kbp.ontology import read_texts

    return read._replace(texts=read_texts(texts, documents_of(mine)))


def _graph(value: Any, name: str, reading: Mapping[str, Any], names: TripleNames) -> Graph:
    if is_file(value):
        graph = read_graph(value, rdf=reading.get("rdf", Rdf())._replace(side=name), names=names)
    else:
        graph = graph_in_memory(value, name, names)
    graph = replace(graph, notes=list(graph.notes))
    return one_document(graph) if reading.get("ignore_documents") else graph


def _is_graph(value: Any) -> bool:
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
