"""OmniEvent's unified format: one document per line, with the candidates on which its programs are scored.

    {"id", "text", "events": [{"type": "attack", "triggers": [{"trigger_word": "bombed", "position": [3, 9],
     "arguments": [{"role": "place", "mentions": [{"mention": "Rome", "position": [13, 17]}]}]}]}],
     "negative_triggers": [{"trigger_word": "said", "position": [30, 34]}],
     "entities": [{"type": "GPE", "mentions": [{"mention": "Rome", "position": [13, 17]}]}]}

Positions are half-open, in characters. A system's file has the same form; its candidates are not looked at.
"""

from __future__ import annotations

from typing import Any

import msgspec

from adjudge.formats.jsonl import half_open, read_typed
from adjudge.formats.source import Source
from adjudge.model.document import Corpus

Position = tuple[int, int]


class _Mention(msgspec.Struct):
    position: Position
    mention: str = ""


class _Argument(msgspec.Struct):
    role: str
    mentions: list[_Mention]


class _Trigger(msgspec.Struct):
    position: Position
    trigger_word: str = ""
    arguments: list[_Argument] = []


class _Event(msgspec.Struct):
    type: str
    triggers: list[_Trigger]


class _Entity(msgspec.Struct):
    mentions: list[_Mention]


class _Line(msgspec.Struct):
    events: list[_Event] = []
    negative_triggers: list[_Trigger] = []
    entities: list[_Entity] | None = None


def read_omnievent(source: Source, *, name: str | None = None) -> Corpus:
    """Documents: events as the catalogue has them (with the words as `text`), and the candidates, by entity.

    >>> line = b'{"id": "d", "events": [{"type": "attack", "triggers": [{"position": [3, 9]}]}]}'
    >>> read_omnievent(line).documents[0].data["events"]
    [{'type': 'attack', 'trigger': {'start': 3, 'end': 9}, 'text': '', 'arguments': []}]
    """
    return read_typed(source, _Line, _document, name=name)


def _document(line: _Line) -> dict[str, Any]:
    events = []
    for place, event in enumerate(line.events):
        for at, trigger in enumerate(event.triggers):
            path = f"$.events[{place}].triggers[{at}]"
            arguments = [
                {"role": argument.role, "span": _span(mention.position, path), "text": mention.mention}
                for argument in trigger.arguments
                for mention in argument.mentions
            ]
            span = _span(trigger.position, path)
            events.append({"type": event.type, "trigger": span, "text": trigger.trigger_word, "arguments": arguments})
    negative = [_span(each.position, "$.negative_triggers") for each in line.negative_triggers]
    # A file without entities has no other places for arguments than the triggers that are none.
    candidates = (
        [[each] for each in negative]
        if line.entities is None
        else [[_span(each.position, "$.entities") for each in entity.mentions] for entity in line.entities]
    )
    return {"events": events, "negative_triggers": negative, "candidates": candidates}


def _span(position: Position, path: str) -> dict[str, int]:
    return half_open(*position, path, "character")
