"""RAMS: one event in five sentences per line; spans in tokens, inclusive.

    gold    {"doc_key", "sentences": [[...], ...], "evt_triggers": [[31, 31, [["contact.broadcast", 1.0]]]],
             "gold_evt_links": [[[31, 31], [27, 27], "evt043arg01communicator"]]}
    system  {"doc_key", "predictions": [[[31, 31], [27, 27, "communicator", 0.79], ...]]}, or the form of gold

The role is what follows the last digit of a label. A prediction has no event type; its type is empty here, so arguments
are compared with `attach=span`.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from adjudge.formats.jsonl import UnfitError, read_typed, token_span
from adjudge.formats.source import Source
from adjudge.model.document import Corpus

Pair = tuple[int, int]


class _Line(msgspec.Struct):
    sentences: list[list[str]] = []
    evt_triggers: list[tuple[int, int, list[tuple[str, float]]]] = []
    gold_evt_links: list[tuple[Pair, Pair, str]] = []
    predictions: list[list[list[int | float | str]]] | None = None


def read_rams(source: Source, *, name: str | None = None) -> Corpus:
    """Documents of either side: events with their arguments, in predictions with their `score`, and `sentences`.

    >>> line = b'{"doc_key": "d", "predictions": [[[3, 3], [1, 2, "place", 0.5]]]}'
    >>> read_rams(line).documents[0].data["events"][0]["arguments"]
    [{'role': 'place', 'span': {'start': 1, 'end': 3}, 'score': 0.5}]
    """
    return read_typed(source, _Line, _document, keys=("doc_key",), name=name)


def _document(line: _Line) -> dict[str, Any]:
    events = _gold(line) if line.predictions is None else _predicted(line.predictions)
    return {"events": events, "sentences": [len(sentence) for sentence in line.sentences]}


def _gold(line: _Line) -> list[dict[str, Any]]:
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


def _predicted(predictions: list[list[list[int | float | str]]]) -> list[dict[str, Any]]:
    found = []
    for place, prediction in enumerate(predictions):
        path = f"$.predictions[{place}]"
        if not prediction or len(prediction[0]) != 2 or not all(isinstance(each, int) for each in prediction[0]):
            raise UnfitError(path, "expected [[first, last], ...]", "the first is the trigger")
        arguments = []
        for at, item in enumerate(prediction[1:], 1):
            here = f"{path}[{at}]"
            if len(item) not in (3, 4) or not all(isinstance(each, int) for each in item[:2]):
                raise UnfitError(here, "expected [first, last, role, score]", "give the tokens as numbers")
            if not isinstance(item[2], str) or isinstance(item[-1 if len(item) == 4 else 0], str):
                raise UnfitError(
                    here, "expected [first, last, role, score]", "the role is a string, the score a number"
                )
            try:
                score = float(item[3]) if len(item) == 4 else 0.0
            except OverflowError:
                raise UnfitError(here, "a score that is too large", "give a number such as 0.5") from None
            arguments.append({"role": item[2], "span": token_span(item[0], item[1], here), "score": score})
        trigger = token_span(prediction[0][0], prediction[0][1], f"{path}[0]")
        found.append({"type": "", "trigger": trigger, "arguments": arguments})
    return found
