"""The metrics of a family that fit what was given, if nobody names some: what has no positions is compared without."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from adjudge.evaluate.task import Side
from adjudge.model.document import Corpus
from adjudge.tasks.family import JSONL, Family

# Metrics of documents that have the field, and not the one that the usual metrics compare.
_INSTEAD = {
    "ner": ("entities", {"mentions": ("ner.mention",)}),
    "relation": ("relations", {"triples": ("relation.triples",), "facts": ("relation.docred",)}),
}
_LOOKED_AT = 1000  # documents of a side


def fitting_metrics(family: Family, gold: Any, system: Any, reader: str) -> tuple[str, ...]:
    """The usual metrics of a family or of a reader, or those for documents that have other fields.

    >>> from adjudge.tasks.family import find_family
    >>> fitting_metrics(find_family("relation"), [{"triples": []}], [{"triples": []}], "jsonl")
    ('relation.triples',)
    """
    own = family.readers.get(reader)
    usual = (own.metrics if own else ()) or family.metrics
    if usual != family.metrics:
        return usual
    sides = (gold, *(system.values() if _are_systems(system) else (system,)))
    documents = [data for side in sides for data in islice(_documents(side, reader), _LOOKED_AT)]
    fields = {name for data in documents for name in data}
    first, others = _INSTEAD.get(family.name, ("", {}))
    if first not in fields:
        usual = next((names for field, names in others.items() if field in fields), usual)
    return _with_fields(usual, documents) if family.name == "tree" else usual


def _are_systems(system: Any) -> bool:
    return isinstance(system, Mapping) and all(isinstance(each, Side | Corpus | list | str) for each in system.values())


def _documents(source: Any, reader: str) -> Iterator[Mapping[str, Any]]:
    """Documents of a source that are mappings; of a file of JSON lines the first."""
    values: Any = ()
    if isinstance(source, Side):
        values = (each.data for each in source.documents.values())
    elif isinstance(source, Corpus):
        values = (each.data for each in source.documents)
    elif isinstance(source, Mapping | list | tuple):
        values = source.values() if isinstance(source, Mapping) else source
    elif isinstance(source, str | os.PathLike) and reader == JSONL and os.path.isfile(source):  # noqa: PTH113
        values = _first(os.fspath(source))
    return (each for each in values if isinstance(each, Mapping))


def _first(path: str) -> list[Any]:
    from adjudge.errors import AdjudgeError
    from adjudge.formats.jsonl import stream_documents

    try:
        return [each.data for each in islice(stream_documents([path]), 1)]
    except AdjudgeError:
        return []  # what is wrong with it is said when it is read


def _with_fields(names: tuple[str, ...], documents: list[Mapping[str, Any]]) -> tuple[str, ...]:
    """Those metrics of trees all of whose fields some word has: forms, features and lemmas may not be there."""
    from adjudge.tasks.chosen import as_metrics
    from adjudge.tasks.task import known_fields

    words = [word for data in documents for word in data.get("dependencies") or () if isinstance(word, Mapping)]
    known = {name for word in words for name in word}
    if not known:
        return names
    return tuple(name for name in names if known_fields(as_metrics(name)).get("dependencies", set()) <= known) or names
