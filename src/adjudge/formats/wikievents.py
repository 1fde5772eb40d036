"""WikiEvents: one document per line with tokens, entity mentions and events; clusters of mentions in a second file.

    {"doc_id", "tokens": [...], "entity_mentions": [{"id": "d-T1", "start": 0, "end": 2, "entity_type": "PER"}],
     "event_mentions": [{"event_type": "Life.Die", "trigger": {"start": 5, "end": 6},
                         "arguments": [{"entity_id": "d-T1", "role": "Victim"}]}]}
    {"doc_key", "clusters": [["d-T1", "d-T7"], ...]}

Spans are half-open, in tokens of the document.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import msgspec

from adjudge.formats.jsonl import UnfitError, read_typed
from adjudge.formats.source import Source
from adjudge.model.document import Corpus

Span = tuple[int, int]
Clusters: TypeAlias = Sequence[Sequence[str]]


class WikiEvent(NamedTuple):
    """An event; its spans are half-open for the trigger and inclusive for the arguments, as programs use them."""

    type: str
    trigger: Span
    arguments: list[tuple[Span, str]]


class WikiDocument(NamedTuple):
    """A document with what a scorer needs; `entities` are inclusive spans by id, the first if an id is repeated."""

    id: str
    tokens: list[str]
    entities: dict[str, Span]
    events: list[WikiEvent]


class _Entity(msgspec.Struct):
    id: str
    start: int
    end: int
    entity_type: str = ""


class _Trigger(msgspec.Struct):
    start: int
    end: int


class _Argument(msgspec.Struct):
    entity_id: str
    role: str


class _Event(msgspec.Struct):
    event_type: str
    trigger: _Trigger
    arguments: list[_Argument] = []


class _Line(msgspec.Struct):
    tokens: list[str]
    entity_mentions: list[_Entity] = []
    event_mentions: list[_Event] = []


class _Clusters(msgspec.Struct):
    clusters: list[list[str]]


def read_wikievents(source: Source, *, name: str | None = None) -> Corpus:
    """Documents as the catalogue has them; entities keep their ids, by which clusters name them.

    >>> line = b'{"doc_id": "d", "tokens": ["x"], "entity_mentions": [{"id": "T1", "start": 0, "end": 1}]}'
    >>> read_wikievents(line).documents[0].data["entities"]
    [{'id': 'T1', 'span': {'start': 0, 'end': 1}, 'type': ''}]
    """
    return read_typed(source, _Line, _document, keys=("doc_id",), name=name)


def read_wikievents_documents(source: Source, *, name: str | None = None) -> list[WikiDocument]:
    """Documents as a scorer of generated arguments needs them."""
    found = []
    corpus = read_typed(source, _Line, lambda line: {"line": line, **_document(line)}, keys=("doc_id",), name=name)
    for document in corpus.documents:
        line: _Line = document.data["line"]
        spans: dict[str, Span] = {}
        for entity in line.entity_mentions:
            spans.setdefault(entity.id, (entity.start, entity.end - 1))
        events = [
            WikiEvent(
                event.event_type,
                (event.trigger.start, event.trigger.end),
                [(spans[each.entity_id], each.role) for each in event.arguments],
            )
            for event in line.event_mentions
        ]
        found.append(WikiDocument(document.id, line.tokens, spans, events))
    return found


def read_clusters(source: Source, *, name: str | None = None) -> dict[str, Clusters]:
    """The clusters of each document, as ids of mentions.

    >>> read_clusters(b'{"doc_key": "d", "clusters": [["T1", "T7"]]}')
    {'d': [['T1', 'T7']]}
    """
    corpus = read_typed(source, _Clusters, lambda line: {"clusters": line.clusters}, keys=("doc_key",), name=name)
    return {document.id: document.data["clusters"] for document in corpus.documents}


def _document(line: _Line) -> dict[str, Any]:
    size = len(line.tokens)
    spans: dict[str, dict[str, int]] = {}
    entities = []
    for place, entity in enumerate(line.entity_mentions):
        span = _span(entity.start, entity.end, size, f"$.entity_mentions[{place}]")
        spans.setdefault(entity.id, span)
        entities.append({"id": entity.id, "span": span, "type": entity.entity_type})
    events = []
    for place, event in enumerate(line.event_mentions):
        path = f"$.event_mentions[{place}]"
        arguments = []
        for at, argument in enumerate(event.arguments):
            if argument.entity_id not in spans:
                message = f"there is no entity mention {argument.entity_id!r}"
                raise UnfitError(f"{path}.arguments[{at}]", message, "add it, or correct the id")
            arguments.append({"role": argument.role, "span": spans[argument.entity_id]})
        trigger = _span(event.trigger.start, event.trigger.end, size, f"{path}.trigger")
        events.append({"type": event.event_type, "trigger": trigger, "arguments": arguments})
    return {"entities": entities, "events": events}


def _span(start: int, end: int, size: int, path: str) -> dict[str, int]:
    if not 0 <= start < end <= size:
        message = f"a span from {start} up to {end} of {size} tokens"
        raise UnfitError(path, message, "give the first token and the one after the last")
    return {"start": start, "end": end}
