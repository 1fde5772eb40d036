"""OneIE and TextEE: one sentence or window per line, spans in tokens, half-open.

Input files and TextEE files name things: `entity_mentions`, `relation_mentions`, `event_mentions`. OneIE's output is a
graph of numbers: entities [start, end, type, level, score], triggers [start, end, type, score], relations [entity,
entity, type, score], roles [trigger, entity, role, score]. TextEE's predictions have `events`, each with `trigger`
[start, end, type] and `arguments` [[start, end, role]]. A line is told by which of these it has.
"""

from __future__ import annotations

from typing import Any

import msgspec

from adjudge.formats.jsonl import UnfitError, half_open, read_typed
from adjudge.formats.source import Source
from adjudge.model.document import Corpus

Item = list[int | float | str | None]


class _Entity(msgspec.Struct):
    id: str
    start: int
    end: int
    entity_type: str = ""
    mention_type: str = ""


class _RelationArgument(msgspec.Struct):
    entity_id: str
    role: str = ""


class _Relation(msgspec.Struct):
    arguments: list[_RelationArgument]
    relation_type: str = ""
    relation_subtype: str = ""


class _Trigger(msgspec.Struct):
    start: int
    end: int


class _EventArgument(msgspec.Struct):
    entity_id: str
    role: str


class _Event(msgspec.Struct):
    event_type: str
    trigger: _Trigger
    arguments: list[_EventArgument] = []


class _Graph(msgspec.Struct):
    entities: list[Item] = []
    triggers: list[Item] = []
    relations: list[Item] = []
    roles: list[Item] = []


class _Answer(msgspec.Struct):
    trigger: tuple[int, int, str]
    arguments: list[Item] = []


class _Line(msgspec.Struct):
    entity_mentions: list[_Entity] = []
    relation_mentions: list[_Relation] = []
    event_mentions: list[_Event] = []
    graph: _Graph | None = None
    events: list[_Answer] | None = None


def read_oneie(source: Source, *, name: str | None = None) -> Corpus:
    """Sentences of OneIE, input or output; the id is `sent_id`.

    >>> line = b'{"sent_id": "s1", "graph": {"entities": [[0, 2, "PER", "NAM", 1.0]]}}'
    >>> read_oneie(line).documents[0].data["entities"]
    [{'span': {'start': 0, 'end': 2}, 'type': 'PER', 'level': 'NAM'}]
    """
    return read_typed(source, _Line, _document, keys=("sent_id",), name=name)


def read_textee(source: Source, *, name: str | None = None) -> Corpus:
    """Windows of TextEE; the id is `doc_id` and `wnd_id`.

    >>> event = b'{"event_type": "A", "trigger": {"start": 1, "end": 2}}'
    >>> line = b'{"doc_id": "d", "wnd_id": "w", "event_mentions": [' + event + b"]}"
    >>> read_textee(line).documents[0].data["events"]
    [{'type': 'A', 'trigger': {'start': 1, 'end': 2}, 'arguments': []}]
    """
    return read_typed(source, _Line, _document, keys=("doc_id", "wnd_id"), name=name)


def _document(line: _Line) -> dict[str, Any]:
    if line.events is not None:
        return {"entities": [], "relations": [], "events": _answers(line.events)}
    return _mentions(line) if line.graph is None else _graph(line.graph)


def _answers(events: list[_Answer]) -> list[dict[str, Any]]:
    found = []
    for place, event in enumerate(events):
        path = f"$.events[{place}]"
        arguments = [_typed(item, f"{path}.arguments[{at}]") for at, item in enumerate(event.arguments)]
        found.append(
            {
                "type": event.trigger[2],
                "trigger": half_open(event.trigger[0], event.trigger[1], f"{path}.trigger"),
                "arguments": [{"role": each["type"], "span": each["span"]} for each in arguments],
            }
        )
    return found


def _mentions(line: _Line) -> dict[str, Any]:
    spans = {}
    entities = []
    for place, entity in enumerate(line.entity_mentions):
        path = f"$.entity_mentions[{place}]"
        if entity.id in spans:
            raise UnfitError(path, f"duplicate id {entity.id!r}", "give every mention its own id")
        spans[entity.id] = half_open(entity.start, entity.end, path)
        entities.append({"span": spans[entity.id], "type": entity.entity_type, "level": entity.mention_type})

    def span_of(identifier: str, path: str) -> dict[str, int]:
        if identifier not in spans:
            raise UnfitError(path, f"there is no entity mention {identifier!r}", "add it, or correct the id")
        return spans[identifier]

    relations = []
    for place, relation in enumerate(line.relation_mentions):
        path = f"$.relation_mentions[{place}]"
        if len(relation.arguments) != 2:
            raise UnfitError(path, f"{len(relation.arguments)} arguments", "give two, the subject first")
        subject, object_ = (
            span_of(each.entity_id, f"{path}.arguments[{at}]") for at, each in enumerate(relation.arguments)
        )
        kind = relation.relation_subtype or relation.relation_type
        relations.append({"type": kind, "subject": subject, "object": object_})
    events = []
    for place, event in enumerate(line.event_mentions):
        path = f"$.event_mentions[{place}]"
        arguments = [
            {"role": each.role, "span": span_of(each.entity_id, f"{path}.arguments[{at}]")}
            for at, each in enumerate(event.arguments)
        ]
        trigger = half_open(event.trigger.start, event.trigger.end, f"{path}.trigger")
        events.append({"type": event.event_type, "trigger": trigger, "arguments": arguments})
    return {"entities": entities, "relations": relations, "events": events}


def _graph(graph: _Graph) -> dict[str, Any]:
    entities = [_typed(item, f"$.graph.entities[{place}]") for place, item in enumerate(graph.entities)]
    for entity, item in zip(entities, graph.entities, strict=True):
        entity["level"] = item[3] if len(item) > 3 and isinstance(item[3], str) else ""
    triggers = [_typed(item, f"$.graph.triggers[{place}]") for place, item in enumerate(graph.triggers)]
    relations = []
    for place, item in enumerate(graph.relations):
        path = f"$.graph.relations[{place}]"
        subject, object_ = _member(item, 0, entities, path), _member(item, 1, entities, path)
        relations.append({"type": item[2], "subject": subject["span"], "object": object_["span"]})
    events = [{"type": each["type"], "trigger": each["span"], "arguments": []} for each in triggers]
    for place, item in enumerate(graph.roles):
        path = f"$.graph.roles[{place}]"
        event, entity = _member(item, 0, events, path), _member(item, 1, entities, path)
        event["arguments"].append({"role": item[2], "span": entity["span"]})
    return {"entities": entities, "relations": relations, "events": events}


def _typed(item: Item, path: str) -> dict[str, Any]:
    if len(item) < 3 or not isinstance(item[2], str) or not all(isinstance(value, int) for value in item[:2]):
        raise UnfitError(path, "expected [start, end, type]", "write tokens as numbers, then the type")
    return {"span": half_open(item[0], item[1], path), "type": item[2]}


def _member(item: Item, at: int, of: list[dict[str, Any]], path: str) -> dict[str, Any]:
    if len(item) < 3 or not isinstance(item[2], str):
        raise UnfitError(path, "expected two numbers and a name", "write [number, number, name]")
    number = item[at]
    if not isinstance(number, int) or not 0 <= number < len(of):
        raise UnfitError(f"{path}[{at}]", f"there is no number {number}", f"there are {len(of)}, counted from 0")
    return of[number]
