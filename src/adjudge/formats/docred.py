"""DocRED: a JSON array of documents with entities and labels, and a system's flat list of relations.

    gold    [{"title": "T", "vertexSet": [[{"name": "Paris"}], ...], "labels": [{"h": 0, "t": 1, "r": "P17",
              "evidence": [0]}]}]
    system  [{"title": "T", "h_idx": 0, "t_idx": 1, "r": "P17", "evidence": [0, 3]}]

Training facts are either the training documents in the form of gold, or a list of [head name, tail name, relation].
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import msgspec

from adjudge.errors import FormatError, Problem, ValidationError
from adjudge.findings import raise_problems
from adjudge.formats.json_file import json_problem, read_json
from adjudge.formats.jsonl import UnfitError, shaped
from adjudge.formats.source import Source, Whole, reads
from adjudge.model.document import Corpus, Document

T = TypeVar("T")


class Mention(msgspec.Struct):
    """A mention of an entity; its name is all that is needed."""

    name: str = ""


class Label(msgspec.Struct):
    """A gold relation of two entities, by their numbers."""

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
    """Gold documents and where they come from."""

    whole: Whole
    documents: list[Gold]


def read_docred(source: Source, *, name: str | None = None) -> Corpus:
    """Gold documents as the catalogue has them: relations of entities under `facts`, the names of entities beside them.

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
    """Gold documents as the file has them; entities that labels name must be there."""
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
    """What the training data say: names of head and tail, and the relation.

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
    """Every way in which the names of two entities say a relation; none if an entity is not there."""
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
