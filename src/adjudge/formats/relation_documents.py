"""Relations of whole documents: the files of DocRED and SciREX.

DocRED has a JSON array of documents with entities and labels; a system writes a flat list of relations.

    gold    [{"title": "T", "vertexSet": [[{"name": "Paris"}], ...], "labels": [{"h": 0, "t": 1, "r": "P17",
              "evidence": [0]}]}]
    system  [{"title": "T", "h_idx": 0, "t_idx": 1, "r": "P17", "evidence": [0, 3]}]

Training facts are either training documents in the format of gold, or a list of [head name, tail name, relation].

SciREX has gold documents as JSON lines; a system writes a folder of three files.

    gold      {"doc_id", "ner": [[0, 3, "Material"]], "coref": {"mat": [[0, 3]]}, "n_ary_relations": [{"Material":
               "mat", "Metric": ..., "Task": ..., "Method": ...}], "method_subrelations": {"m": [[[0, 1], "sub"]]}}
    *ner*     {"doc_id", "ner": [[0, 2, "Material"]]}
    *cluster* {"doc_id", "clusters": {"A": [[0, 2]]}}
    *rel*     {"doc_id", "predicted_relations": [[["A", "B", "C", "D"], 0.9, 1]]}

Spans are half-open, in tokens of the document. The entities of a relation are in the order of `ROLES`; a predicted
relation counts if its label is 1. Mentions of a method's sub-methods are mentions of the method, and only entities that
occur in a relation are salient.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from adjudge.errors import FormatError, Problem, UsageError, ValidationError
from adjudge.findings import raise_problems, read_files
from adjudge.formats.json_file import json_problem, read_json
from adjudge.formats.jsonl import UnfitError, half_open, read_typed, shaped
from adjudge.formats.source import Source, Whole, reads
from adjudge.model.document import Corpus, Document

# ---------------------------------------------------------------------------------------------------------------------
# DocRED


T = TypeVar("T")


class Mention(msgspec.Struct):
    """A mention of an entity; only its name is needed."""

    name: str = ""


class Label(msgspec.Struct):
    """A gold relation between two entities, by their numbers."""

    h: int
    t: int
    r: str
    evidence: list[int] = []


class Gold(msgspec.Struct):
    """A gold document."""

    title: str
    vertexSet: list[list[Mention]] = []  # noqa: N815  # the name of the field
    labels: list[Label] = []


class Answer(msgspec.Struct):
    """A system's relation."""

    title: str
    h_idx: int
    t_idx: int
    r: str
    evidence: list[int] | None = None


class DocRed(NamedTuple):
    """Gold documents and their source."""

    whole: Whole
    documents: list[Gold]


def read_docred(source: Source, *, name: str | None = None) -> Corpus:
    """Gold documents in the catalogue's form: relations between entities under `facts`, and the names of the entities.

    >>> read_docred(b'[{"title": "T", "labels": [{"h": 0, "t": 1, "r": "P17"}]}]').documents[0].data["facts"]
    [{'type': 'P17', 'head': 0, 'tail': 1, 'evidence': [], 'known': False}]
    """
    gold = read_gold(source, name=name)
    documents = tuple(
        Document(
            id=each.title,
            data={
                "id": each.title,
                "facts": [_fact(label.r, label.h, label.t, label.evidence) for label in each.labels],
                "names": [[mention.name for mention in entity] for entity in each.vertexSet],
            },
        )
        for each in gold.documents
    )
    return Corpus(path=gold.whole.place, documents=documents, digest=gold.whole.digest)


def read_docred_result(source: Source, *, name: str | None = None) -> Corpus:
    """A system's relations, gathered by document.

    >>> read_docred_result(b'[{"title": "T", "h_idx": 0, "t_idx": 1, "r": "P17"}]').documents[0].id
    'T'
    """
    whole, answers = read_answers(source, name=name)
    found: dict[str, list[dict[str, Any]]] = {}
    for each in answers:
        found.setdefault(each.title, []).append(_fact(each.r, each.h_idx, each.t_idx, each.evidence or []))
    documents = tuple(Document(id=title, data={"id": title, "facts": facts}) for title, facts in found.items())
    return Corpus(path=whole.place, documents=documents, digest=whole.digest)


@reads("a JSON array", "json-array", "json", reader_option=True)
def read_gold(source: Source, *, name: str | None = None) -> DocRed:
    """Gold documents as the file has them; the entities that labels refer to must be there."""
    whole, documents = _typed(source, list[Gold], name)
    problems: list[Problem] = []
    seen: set[str] = set()
    for place, document in enumerate(documents):
        if document.title in seen:
            problems.append(_problem(whole, f"[{place}]", f"duplicate title {document.title!r}", "give each its own"))
        seen.add(document.title)
        size = len(document.vertexSet)
        for at, label in enumerate(document.labels):
            if size and not (0 <= label.h < size and 0 <= label.t < size):
                message = f"entities {label.h} and {label.t} of {size}"
                problems.append(_problem(whole, f"[{place}].labels[{at}]", message, "count entities from 0"))
    raise_problems(problems, whole.place, ValidationError)
    return DocRed(whole, documents)


@reads("a JSON array", "json-array", "json", reader_option=True)
def read_answers(source: Source, *, name: str | None = None) -> tuple[Whole, list[Answer]]:
    """A system's relations in the order of the file."""
    return _typed(source, list[Answer], name)


def read_train_facts(source: Source, *, name: str | None = None) -> frozenset[tuple[str, str, str]]:
    """The facts of the training data: names of head and tail, and the relation.

    >>> read_train_facts(b'[["Paris", "France", "P17"]]')
    frozenset({('Paris', 'France', 'P17')})
    """
    _, rows = _typed(source, list[tuple[str, str, str] | Gold], name)
    facts: set[tuple[str, str, str]] = set()
    for row in rows:
        if isinstance(row, Gold):
            for label in row.labels:
                facts |= set(names_of(row, label.h, label.t, label.r))
        else:
            facts.add(row)
    return frozenset(facts)


def names_of(document: Gold, head: int, tail: int, relation: str) -> list[tuple[str, str, str]]:
    """A relation by every pair of names of its two entities; none if an entity is missing."""
    size = len(document.vertexSet)
    if not (-size <= head < size and -size <= tail < size):
        return []
    heads, tails = document.vertexSet[head], document.vertexSet[tail]
    return [(a.name, b.name, relation) for a in heads for b in tails]


def _fact(relation: str, head: int, tail: int, evidence: list[int]) -> dict[str, Any]:
    return {"type": relation, "head": head, "tail": tail, "evidence": sorted(set(evidence)), "known": False}


def _typed(source: Source, kind: type[T], name: str | None) -> tuple[Whole, T]:
    whole, value = read_json(source, name=name)
    try:
        return whole, shaped(value, kind)
    except UnfitError as error:
        raise FormatError(_problem(whole, error.path.removeprefix("$"), error.message, error.hint)) from None


def _problem(whole: Whole, path: str, message: str, hint: str) -> Problem:
    return json_problem(whole, path, f"{path}: {message}" if path else message, hint)


# ---------------------------------------------------------------------------------------------------------------------
# SciREX


ROLES = ("Material", "Metric", "Task", "Method")
PARTS = ("ner", "cluster", "rel")
Span = tuple[int, int]


class _Gold(msgspec.Struct):
    ner: list[tuple[int, int, str]]
    coref: dict[str, list[Span]]
    n_ary_relations: list[dict[str, Any]] = []
    method_subrelations: dict[str, list[tuple[Any, str]]] = {}


class _Ner(msgspec.Struct):
    ner: list[tuple[int, int, str]]


class _Clusters(msgspec.Struct):
    clusters: dict[str, list[Span]]


class _Relations(msgspec.Struct):
    predicted_relations: list[tuple[list[str], float, int]]


class SciRex(NamedTuple):
    """One document of either side: typed mentions, entities by name, and relations as names in the order of `ROLES`."""

    mentions: list[Span]
    entities: dict[str, list[Span]]
    relations: list[tuple[str, ...]]
    types: list[str]


class SciRexSide(NamedTuple):
    """The documents of one side, their source, and a digest."""

    place: str
    documents: dict[str, SciRex]
    digest: str


def read_scirex(source: Source, *, name: str | None = None) -> Corpus:
    """Gold documents in the catalogue's form: mentions as `entities`, salient entities as `clusters`, relations as
    `nary`.

    >>> line = b'{"doc_id": "d", "ner": [], "coref": {"m": [[0, 3]]}, "n_ary_relations": []}'
    >>> read_scirex(line).documents[0].data
    {'id': 'd', 'entities': [], 'clusters': [], 'nary': []}
    """
    return _corpus(read_scirex_gold(source, name=name))


def read_scirex_output(source: Source, *, name: str | None = None) -> Corpus:
    """A system's folder in the same form."""
    return _corpus(read_scirex_system(source, name=name))


def read_scirex_gold(source: Source, *, name: str | None = None) -> SciRexSide:
    """Gold documents with their salient entities; one without mentions is kept."""
    corpus = read_typed(source, _Gold, _gold, keys=("doc_id",), name=name)
    found = {document.id: SciRex(**document.data["value"]) for document in corpus.documents}
    return SciRexSide(corpus.path or "", found, corpus.digest)


def read_scirex_system(source: Source, *, name: str | None = None) -> SciRexSide:
    """The three files of a system, told by their names."""
    if not isinstance(source, str | Path) or not Path(source).is_dir():
        shown = name or (str(source) if isinstance(source, str | Path) else "the system")
        message = "expected a folder with the files of mentions, clusters and relations"
        raise UsageError(Problem(message, path=shown, hint="their names contain ner, cluster and rel"))
    files = {part: _file(Path(source), part) for part in PARTS}
    kinds: dict[str, tuple[type[Any], Callable[[Any], dict[str, Any]]]] = {
        "ner": (_Ner, _spans),
        "cluster": (_Clusters, _clusters),
        "rel": (_Relations, _relations),
    }
    read, problems = read_files(PARTS, lambda part: read_typed(files[part], *kinds[part], keys=("doc_id",)))
    corpora = dict(read)
    raise_problems(problems or _missing(corpora, files))
    parts = {part: {each.id: each.data["value"] for each in corpus.documents} for part, corpus in corpora.items()}
    documents = {}
    for identifier, clusters in parts["cluster"].items():
        spans, types = parts["ner"][identifier]
        documents[identifier] = SciRex(spans, clusters, parts["rel"][identifier], types)
    digest = hashlib.sha256("".join(corpora[part].digest for part in PARTS).encode()).hexdigest()
    return SciRexSide(str(source), documents, digest)


def _file(folder: Path, part: str) -> Path:
    found = sorted(path for path in folder.iterdir() if part in path.name.lower() and path.is_file())
    if len(found) != 1:
        how_many = "no file" if not found else f"{len(found)} files"
        raise UsageError(Problem(f"{how_many} with {part} in the name", path=str(folder), hint="there must be one"))
    return found[0]


def _missing(corpora: Mapping[str, Corpus], files: Mapping[str, Path]) -> list[Problem]:
    """Problems for documents that are not in all three files."""
    ids = {part: {document.id for document in corpus.documents} for part, corpus in corpora.items()}
    everything = sorted(set().union(*ids.values()))
    return [
        Problem(f"there is no document {identifier!r}", path=str(files[part]), hint="all three files need it")
        for identifier in everything
        for part in PARTS
        if identifier not in ids[part]
    ]


def _gold(line: _Gold) -> dict[str, Any]:
    coref = {key: list(spans) for key, spans in line.coref.items()}
    for method, parts in line.method_subrelations.items():
        for _, part in parts:
            if part != method:
                for each in (method, part):
                    if each not in coref:
                        raise UnfitError("$.method_subrelations", f"there is no entity {each!r}", "add it to coref")
                coref[method] = coref[method] + coref[part]
    relations = []
    for place, relation in enumerate(line.n_ary_relations):
        for role in ROLES:
            if not isinstance(relation.get(role), str) or relation[role] not in coref:
                path = f"$.n_ary_relations[{place}]"
                raise UnfitError(path, f"no entity as {role}", f"name one of coref for each of {', '.join(ROLES)}")
        relations.append(tuple(relation[role] for role in ROLES))
    used = dict.fromkeys(entity for relation in relations for entity in relation)
    entities = {entity: _checked(dict.fromkeys(coref[entity]), f"$.coref.{entity}") for entity in used}
    mentions, types = _spans(line)["value"]
    return {"value": {"mentions": mentions, "entities": entities, "relations": relations, "types": types}}


def _spans(line: _Ner | _Gold) -> dict[str, Any]:
    spans = _checked(((start, end) for start, end, _ in line.ner), "$.ner")
    return {"value": (spans, [kind for _, _, kind in line.ner])}


def _clusters(line: _Clusters) -> dict[str, Any]:
    return {"value": {key: _checked(spans, f"$.clusters.{key}") for key, spans in line.clusters.items()}}


def _relations(line: _Relations) -> dict[str, Any]:
    found = []
    for place, (entities, _, label) in enumerate(line.predicted_relations):
        if len(entities) != len(ROLES):
            path = f"$.predicted_relations[{place}][0]"
            raise UnfitError(path, f"{len(entities)} entities", f"give one for each of {', '.join(ROLES)}")
        if label == 1:
            found.append(tuple(entities))
    return {"value": found}


def _checked(spans: Iterable[Span], path: str) -> list[Span]:
    found = list(spans)
    for span in found:
        half_open(*span, path)
    return found


def _corpus(side: SciRexSide) -> Corpus:
    """Entities and relations by their mentions; what has no mentions cannot be found, and is left out."""
    documents = []
    for identifier, document in side.documents.items():
        clusters = [[list(span) for span in spans] for spans in document.entities.values() if spans]
        nary = [
            [
                {"role": role, "mentions": _mentions(document.entities[name])}
                for role, name in zip(ROLES, names, strict=True)
            ]
            for names in dict.fromkeys(document.relations)
            if all(document.entities.get(name) for name in names)
        ]
        pairs = zip(_mentions(document.mentions), document.types, strict=True)
        entities = [{"span": span, "type": kind} for span, kind in pairs]
        data = {"id": identifier, "entities": entities, "clusters": clusters, "nary": nary}
        documents.append(Document(id=identifier, data=data))
    return Corpus(path=side.place, documents=tuple(documents), digest=side.digest)


def _mentions(spans: list[Span]) -> list[dict[str, int]]:
    return [{"start": start, "end": end} for start, end in spans]
