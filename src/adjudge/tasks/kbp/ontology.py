"""Checks graphs against an ontology, and their entities against the texts; no gold is needed.

A relation conforms if the ontology has it; its ends conform if their types are the declared ones or below them. An end
is grounded if its words, folded and without punctuation, occur in a row in the text of the document.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from adjudge.errors import FormatError, Problem, UsageError
from adjudge.formats.kg_rdf import TYPE, USUAL, Rdf
from adjudge.model.kg import Graph
from adjudge.tasks.kbp.naming import fold

if TYPE_CHECKING:
    from adjudge.formats.source import Source

_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_PROPERTY = re.compile(r"(?:^|[#/])(?:\w*Property)$")
_NO_WORD = re.compile(r"[\W_]+")
CHECKS = ("relation", "domain", "range", "subject", "object")
"""The checks of a row: its relation, the types of its ends, and whether its ends are in the text."""


class Ontology(NamedTuple):
    """Relations with the types of their subjects and objects (none: any), and the types above each type."""

    relations: Mapping[str, tuple[frozenset[str], frozenset[str]]]
    above: Mapping[str, frozenset[str]] = {}
    concepts: tuple[str, ...] = ()

    def __str__(self) -> str:
        """For signatures."""
        from adjudge.stats.inference import hash_chunks

        rows = sorted((name, *(" ".join(sorted(own)) for own in ends)) for name, ends in self.relations.items())
        more = sorted(f"{name}<{' '.join(sorted(own))}" for name, own in self.above.items())
        return hash_chunks("\t".join(each).encode("utf-8", "surrogatepass") for each in [*rows, tuple(more)])

    def allows(self, kind: str, declared: frozenset[str]) -> bool:
        """Whether a type is one of the declared ones, or below one."""
        own = fold(kind)
        return bool(({own} | self.above.get(own, frozenset())) & declared)


def make_ontology(relations: Mapping[str, Any]) -> Ontology:
    """An ontology from relations with (domain, range); None or an empty text is any type.

    >>> make_ontology({"founded": ("PER", "ORG"), "near": None}).relations["founded"]
    (frozenset({'per'}), frozenset({'org'}))
    """
    made = {}
    for name, ends in relations.items():
        domain, range_ = ends or ("", "")
        made[name] = frozenset(map(fold, _several(domain))), frozenset(map(fold, _several(range_)))
    return Ontology(made)


def _several(value: Any) -> list[str]:
    if not value:
        return []
    return [str(each) for each in value] if isinstance(value, list | tuple | set | frozenset) else [str(value)]


def read_ontology(source: Source | Mapping[str, Any], rdf: Rdf = USUAL) -> Ontology:
    r"""Text2KGBench JSON, a table of relation, domain and range, or Turtle (rdfs:domain, range, subClassOf).

    >>> read_ontology(b"founded\tPER\tORG\nnear\n").relations["near"]
    (frozenset(), frozenset())
    """
    if isinstance(source, Mapping):
        return _from_json(source, "the ontology") if "relations" in source else make_ontology(source)
    from adjudge.formats.source import BOM, read_whole

    whole = read_whole(source)
    data = whole.data.removeprefix(BOM)
    start = data.lstrip()[:1]
    name = whole.place.lower()
    if start == b"{":
        from adjudge.formats.json_file import read_json

        return _from_json(read_json(data, name=whole.place)[1], whole.place)
    if name.endswith((".ttl", ".nt")) or start in (b"@", b"<"):
        return _from_rdf(data, whole.place, rdf)
    return _from_table(data, whole.place)


def _from_json(value: Any, place: str) -> Ontology:
    hint = 'write {"concepts": [{"label": ...}], "relations": [{"label": ..., "domain": ..., "range": ...}]}'
    relations = value.get("relations") if isinstance(value, Mapping) else None
    if not isinstance(relations, list):
        raise FormatError(Problem("the ontology has no list of relations", path=place, hint=hint))
    listed = value.get("concepts")
    concepts = [
        each for each in (listed if isinstance(listed, list) else ()) if isinstance(each, Mapping) and each.get("label")
    ]
    labels = {str(each.get("qid")): str(each["label"]) for each in concepts}
    found, problems = {}, []
    for number, each in enumerate(relations, 1):
        if not isinstance(each, Mapping) or not isinstance(each.get("label"), str) or not each["label"].strip():
            problems.append(Problem(f"relation {number} has no label", path=place, hint=hint))
            continue
        ends = [[labels.get(str(one), str(one)) for one in _several(each.get(key))] for key in ("domain", "range")]
        found[each["label"].strip()] = tuple(ends)
    if problems:
        raise FormatError(problems)
    return make_ontology(found)._replace(concepts=tuple(str(each["label"]) for each in concepts))


def _from_table(data: bytes, place: str) -> Ontology:
    from adjudge.findings import Findings
    from adjudge.formats.source import read_rows

    found, relations = Findings(place), dict[str, tuple[list[str], list[str]]]()
    for number, _, fields in read_rows(data, found):
        if number == 1 and [each.lower() for each in fields[:1]] == ["relation"]:
            continue
        if not fields[0] or len(fields) > 3:
            found.add("columns", "no relation, domain and range", number, 1, "write them with TABs between them")
            continue
        domain, range_, *_ = [*fields[1:], "", ""]
        own = relations.setdefault(fields[0], ([], []))
        own[0].extend(filter(None, [domain]))
        own[1].extend(filter(None, [range_]))
    found.finish(
        empty=None if relations else "the file has no relations", hint="write relation, TAB, domain, TAB, range"
    )
    return make_ontology(relations)


def _from_rdf(data: bytes, place: str, rdf: Rdf) -> Ontology:
    from adjudge.formats.kg_rdf import read_rdf

    kind: Any = "ntriples" if place.lower().endswith(".nt") else "turtle"
    facts = read_rdf(data, kind=kind, rdf=Rdf(rdf_type="fact"), name=place).table.rows()
    from adjudge.formats.kg_rdf import local_name

    called = local_name if rdf.iri == "local" else str
    relations: dict[str, tuple[list[str], list[str]]] = {}
    parents: dict[str, set[str]] = {}
    for subject, relation, object_, _ in facts:
        if relation in (f"{_RDFS}domain", f"{_RDFS}range"):
            relations.setdefault(called(subject), ([], []))[relation.endswith("range")].append(called(object_))
        elif relation == f"{_RDFS}subClassOf":
            parents.setdefault(fold(called(subject)), set()).add(fold(called(object_)))
        elif relation == TYPE and _PROPERTY.search(object_):
            relations.setdefault(called(subject), ([], []))
    if not relations:
        message = "the ontology has no relations"
        raise FormatError(Problem(message, path=place, hint="declare rdfs:domain, rdfs:range or rdf:Property"))
    return make_ontology(relations)._replace(above={name: _ancestors(name, parents) for name in parents})


def _ancestors(name: str, parents: Mapping[str, set[str]]) -> frozenset[str]:
    found: set[str] = set()
    todo = [name]
    while todo:
        for each in parents.get(todo.pop(), ()):
            if each not in found:
                found.add(each)
                todo.append(each)
    return frozenset(found)


# ---------------------------------------------------------------------------------------------------------------------


class Checked(NamedTuple):
    """A row of a graph and its checks: whether it passes each of `CHECKS`, None if unknown."""

    row: int
    names: tuple[str, str, str, str]
    right: tuple[bool | None, ...]


def check_rows(
    graph: Graph, ontology: Ontology | None, texts: Mapping[str, str], *, folded: bool = False
) -> Iterator[Checked]:
    """The checks of every row of a graph; with `folded`, relations are compared as folded names."""
    from adjudge.tasks.kbp.naming import fold_relation

    known: Mapping[str, Any] = {}
    if ontology is not None:
        known = {fold_relation(name) if folded else name: ends for name, ends in ontology.relations.items()}
    words = {document: f" {plain_words(text)} " for document, text in texts.items()}
    ends = graph.ends + [("", "")] * (len(graph.table) - len(graph.ends))
    grounded: dict[tuple[str, str], bool | None] = {}
    for row, names in enumerate(graph.table.rows()):
        subject, relation, object_, document = names
        own = known.get(fold_relation(relation) if folded else relation)
        kinds = ends[row][0] or graph.types.get(subject, ""), ends[row][1] or graph.types.get(object_, "")
        conforms: list[bool | None] = [None if ontology is None else own is not None]
        for kind, declared in zip(kinds, own or (frozenset(), frozenset()), strict=True):
            conforms.append(ontology.allows(kind, declared) if ontology is not None and kind and declared else None)
        for end in (subject, object_):
            key = end, document
            if key not in grounded:
                grounded[key] = f" {plain_words(end)} " in words[document] if document in words else None
            conforms.append(grounded[key])
        yield Checked(row, names, tuple(conforms))


def plain_words(text: str) -> str:
    """The words of a text, folded and without punctuation, with a blank between them.

    >>> plain_words("Ana Ruiz founded “Corvex”, in Lyon.")
    'ana ruiz founded corvex in lyon'
    """
    return _NO_WORD.sub(" ", fold(text)).strip()


def read_texts(source: str | Path, documents: Iterable[str]) -> dict[str, str]:
    """The texts of documents: files of a folder named after them, or JSON lines with id and text."""
    path = Path(source)
    if path.is_dir():
        files: dict[str, str] = {}
        for name in documents:
            for file in (path / name, path / f"{name}.txt"):
                if file.is_file() and file.resolve().is_relative_to(path.resolve()):
                    files[name] = file.read_text("utf-8", "replace")
                    break
        if not files:
            message, hint = "no document has a text here", "give a folder with a file DOCUMENT.txt for each"
            raise UsageError(Problem(message, path=str(path), hint=hint))
        return files
    from adjudge.formats.kg_json import json_entries
    from adjudge.formats.kg_keys import document_of
    from adjudge.formats.source import read_text

    whole, text = read_text(path)
    found: dict[str, str] = {}
    for entry in json_entries(text, whole.place):
        value = entry.value if isinstance(entry.value, Mapping) else {}
        called = document_of(value, ("id", "document", "doc_id", "document_id", "doc"))
        own = next((value[key] for key in ("text", "sent", "page_content") if isinstance(value.get(key), str)), None)
        if called is None or own is None:
            raise FormatError(Problem(f"{entry.where} has no id and text", whole.place, entry.line, hint="write both"))
        found[called] = own
    if not found:
        raise UsageError(Problem("there are no texts", path=whole.place, hint="give lines of JSON with id and text"))
    return found
