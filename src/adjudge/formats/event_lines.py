"""Entities, relations and events in JSON lines, as data sets and published programs write them.

DyGIE++ and SciERC: spans in tokens of the document, inclusive, listed sentence by sentence. The output of the program
has the same under `predicted_ner`, ..., with scores at the end of each item; a system's file may have either.

    {"doc_key": "d1", "sentences": [["Acme", "hired", "Ann"]], "ner": [[[0, 0, "ORG"], [2, 2, "PER"]]],
     "relations": [[[2, 2, 0, 0, "WORKS-FOR"]]], "events": [[[[1, "Hire"], [2, 2, "Person"]]]]}

RAMS: one event in five sentences per line, inclusive. The role is what follows the last digit of a label. A prediction
has no event type; its type is empty here, so arguments are compared with `attach=span`.

    {"doc_key", "sentences": [[...], ...], "evt_triggers": [[31, 31, [["contact.broadcast", 1.0]]]],
     "gold_evt_links": [[[31, 31], [27, 27], "evt043arg01communicator"]]}
    {"doc_key", "predictions": [[[31, 31], [27, 27, "communicator", 0.79], ...]]}

OneIE (one sentence per line), TextEE (a window) and WikiEvents (a document): half-open tokens, and names for mentions.
OneIE's output is a graph of numbers: entities [start, end, type, level, score], triggers [start, end, type, score],
relations [entity, entity, type, score], roles [trigger, entity, role, score]. TextEE's predictions have `events`, each
with `trigger` [start, end, type] and `arguments` [[start, end, role]]. A line is recognised by which of these fields it
has. WikiEvents has clusters of mentions in a second file.

    {"doc_id", "tokens": [...], "entity_mentions": [{"id": "d-T1", "start": 0, "end": 2, "entity_type": "PER"}],
     "event_mentions": [{"event_type": "Life.Die", "trigger": {"start": 5, "end": 6},
                         "arguments": [{"entity_id": "d-T1", "role": "Victim"}]}]}
    {"doc_key", "clusters": [["d-T1", "d-T7"], ...]}

OmniEvent: half-open characters, and the candidates on which its programs are scored. A system's file has the same form.

    {"id", "text", "events": [{"type": "attack", "triggers": [{"trigger_word": "bombed", "position": [3, 9],
     "arguments": [{"role": "place", "mentions": [{"mention": "Rome", "position": [13, 17]}]}]}]}],
     "negative_triggers": [{"trigger_word": "said", "position": [30, 34]}],
     "entities": [{"type": "GPE", "mentions": [{"mention": "Rome", "position": [13, 17]}]}]}
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import msgspec

from adjudge.formats.jsonl import UnfitError, half_open, read_typed, token_span
from adjudge.formats.source import Source
from adjudge.model.document import Corpus

Item: TypeAlias = "list[int | float | str | None]"
Pair: TypeAlias = tuple[int, int]
Clusters: TypeAlias = Sequence[Sequence[str]]


# ---------------------------------------------------------------------------------------------------------------------
# DyGIE++


class _Dygie(msgspec.Struct):
    sentences: list[list[str]] | None = None
    ner: list[list[Item]] | None = None
    relations: list[list[Item]] | None = None
    events: list[list[list[Item]]] | None = None
    predicted_ner: list[list[Item]] | None = None
    predicted_relations: list[list[Item]] | None = None
    predicted_events: list[list[list[Item]]] | None = None


def read_dygie(source: Source, *, name: str | None = None) -> Corpus:
    """Gold documents of DyGIE++.

    >>> data = b'{"doc_key": "d", "relations": [[[2, 2, 0, 1, "WORKS-FOR"]]]}'
    >>> read_dygie(data).documents[0].data["relations"]
    [{'type': 'WORKS-FOR', 'subject': {'start': 2, 'end': 3}, 'object': {'start': 0, 'end': 2}}]
    """
    return read_typed(source, _Dygie, lambda line: _dygie(line, ""), keys=("doc_key",), name=name)


def read_dygie_output(source: Source, *, name: str | None = None) -> Corpus:
    """A system's documents: the predicted fields if the file has them, else those of gold.

    >>> data = b'{"doc_key": "d", "ner": [[]], "predicted_ner": [[[0, 0, "ORG", 3.1, 0.9]]]}'
    >>> read_dygie_output(data).documents[0].data["entities"]
    [{'span': {'start': 0, 'end': 1}, 'type': 'ORG'}]
    """
    return read_typed(source, _Dygie, lambda line: _dygie(line, "predicted_"), keys=("doc_key",), name=name)


def _dygie(line: _Dygie, before: str) -> dict[str, Any]:
    def items(field: str) -> Iterator[tuple[Any, str]]:
        if getattr(line, before + field) is not None:
            field = before + field
        for number, sentence in enumerate(getattr(line, field) or ()):
            yield from ((item, f"$.{field}[{number}][{place}]") for place, item in enumerate(sentence))

    entities, relations, events = [], [], []
    types: dict[tuple[Any, Any], Any] = {}
    for item, path in items("ner"):
        _check(item, 2, path, "[first, last, type]")
        entities.append({"span": token_span(item[0], item[1], path), "type": item[2]})
        types[item[0], item[1]] = item[2]
    for item, path in items("relations"):
        _check(item, 4, path, "[first, last, first, last, type]")
        subject, object_ = token_span(item[0], item[1], path), token_span(item[2], item[3], path)
        made: dict[str, Any] = {"type": item[4], "subject": subject, "object": object_}
        for end, place in (("subject", item[:2]), ("object", item[2:4])):
            if tuple(place) in types:
                made[f"{end}_type"] = types[tuple(place)]
        relations.append(made)
    for event, path in items("events"):
        trigger, *arguments = event or [[]]
        # The trigger is one token, or two numbers in files of other programs of this kind.
        numbers = 2 if len(trigger) > 2 and isinstance(trigger[1], int) else 1
        _check(trigger, numbers, f"{path}[0]", "[token, type]")
        found = []
        for at, item in enumerate(arguments, 1):
            _check(item, 2, f"{path}[{at}]", "[first, last, role]")
            found.append({"role": item[2], "span": token_span(item[0], item[1], f"{path}[{at}]")})
        span = token_span(trigger[0], trigger[numbers - 1], f"{path}[0]")
        events.append({"type": trigger[numbers], "trigger": span, "arguments": found})
    return {"entities": entities, "relations": relations, "events": events}


def _check(item: Item, numbers: int, path: str, shape: str) -> None:
    whole = all(isinstance(value, int) for value in item[:numbers])
    if len(item) <= numbers or not whole or not isinstance(item[numbers], str):
        raise UnfitError(path, f"expected {shape}", "write tokens as numbers, then the name")


# ---------------------------------------------------------------------------------------------------------------------
# RAMS


class _Rams(msgspec.Struct):
    sentences: list[list[str]] = []
    evt_triggers: list[tuple[int, int, list[tuple[str, float]]]] = []
    gold_evt_links: list[tuple[Pair, Pair, str]] = []
    predictions: list[list[list[int | float | str]]] | None = None


def read_rams(source: Source, *, name: str | None = None) -> Corpus:
    """Documents of either side: events with their arguments (those of predictions have a `score`), and `sentences`.

    >>> line = b'{"doc_key": "d", "predictions": [[[3, 3], [1, 2, "place", 0.5]]]}'
    >>> read_rams(line).documents[0].data["events"][0]["arguments"]
    [{'role': 'place', 'span': {'start': 1, 'end': 3}, 'score': 0.5}]
    """
    return read_typed(source, _Rams, _rams, keys=("doc_key",), name=name)


def _rams(line: _Rams) -> dict[str, Any]:
    events = _rams_gold(line) if line.predictions is None else [*_rams_predicted(line.predictions)]
    return {"events": events, "sentences": [len(sentence) for sentence in line.sentences]}


def _rams_gold(line: _Rams) -> list[dict[str, Any]]:
    events: dict[Pair, dict[str, Any]] = {}
    for place, (first, last, types) in enumerate(line.evt_triggers):
        path = f"$.evt_triggers[{place}]"
        if not types:
            raise UnfitError(path, "a trigger without an event type", "give [[type, 1.0]] after the tokens")
        event = {"type": types[0][0], "trigger": token_span(first, last, path), "arguments": []}
        if events.setdefault((first, last), event) is not event:
            raise UnfitError(path, "a second trigger on the same tokens", "there is one event in a document")
    for place, (trigger, argument, label) in enumerate(line.gold_evt_links):
        path = f"$.gold_evt_links[{place}]"
        if trigger not in events:
            raise UnfitError(path, f"there is no trigger {list(trigger)}", "name one of evt_triggers")
        role = re.split(r"[0-9]+", label)[-1]
        events[trigger]["arguments"].append({"role": role, "span": token_span(*argument, path)})
    return list(events.values())


def _rams_predicted(predictions: list[list[list[int | float | str]]]) -> Iterator[dict[str, Any]]:
    for place, prediction in enumerate(predictions):
        path = f"$.predictions[{place}]"
        if not prediction or len(prediction[0]) != 2 or not all(isinstance(each, int) for each in prediction[0]):
            raise UnfitError(path, "expected [[first, last], ...]", "the first is the trigger")
        arguments = []
        for at, item in enumerate(prediction[1:], 1):
            here, shape = f"{path}[{at}]", "expected [first, last, role, score]"
            if len(item) not in (3, 4) or not all(isinstance(each, int) for each in item[:2]):
                raise UnfitError(here, shape, "give the tokens as numbers")
            if not isinstance(item[2], str) or isinstance(item[-1 if len(item) == 4 else 0], str):
                raise UnfitError(here, shape, "the role is a string, the score a number")
            try:
                score = float(item[3]) if len(item) == 4 else 0.0
            except OverflowError:
                raise UnfitError(here, "a score that is too large", "give a number such as 0.5") from None
            arguments.append({"role": item[2], "span": token_span(item[0], item[1], here), "score": score})
        trigger = token_span(prediction[0][0], prediction[0][1], f"{path}[0]")
        yield {"type": "", "trigger": trigger, "arguments": arguments}


# ---------------------------------------------------------------------------------------------------------------------
# OneIE, TextEE and WikiEvents


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


class _Argument(msgspec.Struct):
    entity_id: str
    role: str


class _Event(msgspec.Struct):
    event_type: str
    trigger: _Trigger
    arguments: list[_Argument] = []


class _Graph(msgspec.Struct):
    entities: list[Item] = []
    triggers: list[Item] = []
    relations: list[Item] = []
    roles: list[Item] = []


class _Answer(msgspec.Struct):
    trigger: tuple[int, int, str]
    arguments: list[Item] = []


class _OneIe(msgspec.Struct):
    entity_mentions: list[_Entity] = []
    relation_mentions: list[_Relation] = []
    event_mentions: list[_Event] = []
    graph: _Graph | None = None
    events: list[_Answer] | None = None


class _WikiEvents(msgspec.Struct):
    tokens: list[str]
    entity_mentions: list[_Entity] = []
    event_mentions: list[_Event] = []


class _Clusters(msgspec.Struct):
    clusters: list[list[str]]


def read_oneie(source: Source, *, name: str | None = None) -> Corpus:
    """Sentences of OneIE, input or output; the id is `sent_id`.

    >>> line = b'{"sent_id": "s1", "graph": {"entities": [[0, 2, "PER", "NAM", 1.0]]}}'
    >>> read_oneie(line).documents[0].data["entities"]
    [{'span': {'start': 0, 'end': 2}, 'type': 'PER', 'level': 'NAM'}]
    """
    return read_typed(source, _OneIe, _oneie, keys=("sent_id",), name=name)


def read_textee(source: Source, *, name: str | None = None) -> Corpus:
    """Windows of TextEE; the id is `doc_id` and `wnd_id`.

    >>> event = b'{"event_type": "A", "trigger": {"start": 1, "end": 2}}'
    >>> line = b'{"doc_id": "d", "wnd_id": "w", "event_mentions": [' + event + b"]}"
    >>> read_textee(line).documents[0].data["events"]
    [{'type': 'A', 'trigger': {'start': 1, 'end': 2}, 'arguments': []}]
    """
    return read_typed(source, _OneIe, _oneie, keys=("doc_id", "wnd_id"), name=name)


def read_wikievents(source: Source, *, name: str | None = None) -> Corpus:
    """Documents of WikiEvents; entities keep their ids, by which clusters name them.

    >>> line = b'{"doc_id": "d", "tokens": ["x"], "entity_mentions": [{"id": "T1", "start": 0, "end": 1}]}'
    >>> read_wikievents(line).documents[0].data["entities"]
    [{'id': 'T1', 'span': {'start': 0, 'end': 1}, 'type': ''}]
    """
    return read_typed(source, _WikiEvents, _wikievents, keys=("doc_id",), name=name)


def read_clusters(source: Source, *, name: str | None = None) -> dict[str, Clusters]:
    """The clusters of each document of WikiEvents, as ids of mentions.

    >>> read_clusters(b'{"doc_key": "d", "clusters": [["T1", "T7"]]}')
    {'d': [['T1', 'T7']]}
    """
    corpus = read_typed(source, _Clusters, lambda line: {"clusters": line.clusters}, keys=("doc_key",), name=name)
    return {document.id: document.data["clusters"] for document in corpus.documents}


class WikiEvent(NamedTuple):
    """An event; its spans are half-open for the trigger and inclusive for the arguments, as programs use them."""

    type: str
    trigger: Pair
    arguments: list[tuple[Pair, str]]


class WikiDocument(NamedTuple):
    """A document as scorers need it; `entities` are inclusive spans by id, the first if an id is repeated."""

    id: str
    tokens: list[str]
    entities: dict[str, Pair]
    events: list[WikiEvent]


def read_wikievents_documents(source: Source, *, name: str | None = None) -> list[WikiDocument]:
    """Documents of WikiEvents as a scorer of generated arguments needs them."""
    found = []
    made = read_typed(
        source, _WikiEvents, lambda line: {"line": line, **_wikievents(line)}, keys=("doc_id",), name=name
    )
    for document in made.documents:
        line: _WikiEvents = document.data["line"]
        spans: dict[str, Pair] = {}
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


def _wikievents(line: _WikiEvents) -> dict[str, Any]:
    size = len(line.tokens)
    spans: dict[str, dict[str, int]] = {}
    entities = []
    for place, entity in enumerate(line.entity_mentions):
        span = _within(entity, size, f"$.entity_mentions[{place}]")
        spans.setdefault(entity.id, span)
        entities.append({"id": entity.id, "span": span, "type": entity.entity_type})
    return {"entities": entities, "events": _events(line.event_mentions, spans, size)}


def _oneie(line: _OneIe) -> dict[str, Any]:
    if line.graph is not None and line.events is None:
        return _graph(line.graph)
    if line.events is not None:
        return {"entities": [], "relations": [], "events": _answers(line.events)}
    spans: dict[str, dict[str, int]] = {}
    entities = []
    for place, entity in enumerate(line.entity_mentions):
        path = f"$.entity_mentions[{place}]"
        if entity.id in spans:
            raise UnfitError(path, f"duplicate id {entity.id!r}", "give every mention its own id")
        spans[entity.id] = _within(entity, None, path)
        entities.append({"span": spans[entity.id], "type": entity.entity_type, "level": entity.mention_type})
    relations = []
    for place, relation in enumerate(line.relation_mentions):
        path = f"$.relation_mentions[{place}]"
        if len(relation.arguments) != 2:
            raise UnfitError(path, f"{len(relation.arguments)} arguments", "give two, the subject first")
        try:
            subject, object_ = (spans[each.entity_id] for each in relation.arguments)
        except KeyError:
            raise _unnamed(relation.arguments, spans, path) from None
        kind = relation.relation_subtype or relation.relation_type
        relations.append({"type": kind, "subject": subject, "object": object_})
    return {"entities": entities, "relations": relations, "events": _events(line.event_mentions, spans, None)}


def _within(given: _Entity | _Trigger, size: int | None, path: str) -> dict[str, int]:
    if size is None:
        return half_open(given.start, given.end, path)
    if not 0 <= given.start < given.end <= size:
        message = f"a span from {given.start} up to {given.end} of {size} tokens"
        raise UnfitError(path, message, "give the first token and the one after the last")
    return {"start": given.start, "end": given.end}


def _unnamed(
    arguments: Sequence[_Argument | _RelationArgument], spans: dict[str, dict[str, int]], path: str
) -> UnfitError:
    """An argument that refers to an unknown mention."""
    at = next(at for at, each in enumerate(arguments) if each.entity_id not in spans)
    message = f"there is no entity mention {arguments[at].entity_id!r}"
    return UnfitError(f"{path}.arguments[{at}]", message, "add it, or correct the id")


def _events(given: Sequence[_Event], spans: dict[str, dict[str, int]], size: int | None) -> list[dict[str, Any]]:
    found = []
    for place, event in enumerate(given):
        path = f"$.event_mentions[{place}]"
        try:
            arguments = [{"role": each.role, "span": spans[each.entity_id]} for each in event.arguments]
        except KeyError:
            raise _unnamed(event.arguments, spans, path) from None
        trigger = _within(event.trigger, size, f"{path}.trigger")
        found.append({"type": event.event_type, "trigger": trigger, "arguments": arguments})
    return found


def _answers(events: list[_Answer]) -> list[dict[str, Any]]:
    found = []
    for place, event in enumerate(events):
        path = f"$.events[{place}]"
        items = [_typed(item, f"{path}.arguments[{at}]") for at, item in enumerate(event.arguments)]
        trigger = half_open(event.trigger[0], event.trigger[1], f"{path}.trigger")
        arguments = [{"role": each["type"], "span": each["span"]} for each in items]
        found.append({"type": event.trigger[2], "trigger": trigger, "arguments": arguments})
    return found


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


# ---------------------------------------------------------------------------------------------------------------------
# OmniEvent


class _OmniMention(msgspec.Struct):
    position: Pair
    mention: str = ""


class _OmniArgument(msgspec.Struct):
    role: str
    mentions: list[_OmniMention]


class _OmniTrigger(msgspec.Struct):
    position: Pair
    trigger_word: str = ""
    arguments: list[_OmniArgument] = []


class _OmniEvent(msgspec.Struct):
    type: str
    triggers: list[_OmniTrigger]


class _OmniEntity(msgspec.Struct):
    mentions: list[_OmniMention]


class _Omni(msgspec.Struct):
    events: list[_OmniEvent] = []
    negative_triggers: list[_OmniTrigger] = []
    entities: list[_OmniEntity] | None = None


def read_omnievent(source: Source, *, name: str | None = None) -> Corpus:
    """Documents of OmniEvent: events (with the words as `text`), and the candidates, by entity.

    >>> line = b'{"id": "d", "events": [{"type": "attack", "triggers": [{"position": [3, 9]}]}]}'
    >>> read_omnievent(line).documents[0].data["events"]
    [{'type': 'attack', 'trigger': {'start': 3, 'end': 9}, 'text': '', 'arguments': []}]
    """
    return read_typed(source, _Omni, _omni, name=name)


def _omni(line: _Omni) -> dict[str, Any]:
    def span(given: _OmniMention | _OmniTrigger, path: str) -> dict[str, int]:
        return half_open(*given.position, path, "character")

    events = []
    for place, event in enumerate(line.events):
        for at, trigger in enumerate(event.triggers):
            path = f"$.events[{place}].triggers[{at}]"
            arguments = [
                {"role": argument.role, "span": span(mention, path), "text": mention.mention}
                for argument in trigger.arguments
                for mention in argument.mentions
            ]
            made = {"type": event.type, "trigger": span(trigger, path), "text": trigger.trigger_word}
            events.append({**made, "arguments": arguments})
    negative = [span(each, "$.negative_triggers") for each in line.negative_triggers]
    # Without entities, the only candidates for arguments are the negative triggers.
    candidates = (
        [[each] for each in negative]
        if line.entities is None
        else [[span(each, "$.entities") for each in entity.mentions] for entity in line.entities]
    )
    return {"events": events, "negative_triggers": negative, "candidates": candidates}
