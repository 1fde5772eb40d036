"""DyGIE++ and SciERC: one document per line, spans in tokens of the document, inclusive, listed sentence by sentence.

    {"doc_key": "d1", "sentences": [["Acme", "hired", "Ann"]], "ner": [[[0, 0, "ORG"], [2, 2, "PER"]]],
     "relations": [[[2, 2, 0, 0, "WORKS-FOR"]]], "events": [[[[1, "Hire"], [2, 2, "Person"]]]]}

The output of the program has the same under `predicted_ner`, `predicted_relations` and `predicted_events`, with scores
at the end of each item; a system's file may have either. Here spans are half-open, and a span is not repeated: the
sentence of an item says nothing that its span does not say.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from adjudge.formats.jsonl import UnfitError, read_typed, token_span
from adjudge.formats.source import Source
from adjudge.model.document import Corpus

Item = list[int | float | str | None]


class _Line(msgspec.Struct):
    sentences: list[list[str]] | None = None
    ner: list[list[Item]] | None = None
    relations: list[list[Item]] | None = None
    events: list[list[list[Item]]] | None = None
    predicted_ner: list[list[Item]] | None = None
    predicted_relations: list[list[Item]] | None = None
    predicted_events: list[list[list[Item]]] | None = None


def read_dygie(source: Source, *, name: str | None = None) -> Corpus:
    """Gold documents.

    >>> data = b'{"doc_key": "d", "relations": [[[2, 2, 0, 1, "WORKS-FOR"]]]}'
    >>> read_dygie(data).documents[0].data["relations"]
    [{'type': 'WORKS-FOR', 'subject': {'start': 2, 'end': 3}, 'object': {'start': 0, 'end': 2}}]
    """
    return read_typed(source, _Line, _gold, keys=("doc_key",), name=name)


def read_dygie_output(source: Source, *, name: str | None = None) -> Corpus:
    """A system's documents: what was predicted, where the file has it, else what stands where gold has it.

    >>> data = b'{"doc_key": "d", "ner": [[]], "predicted_ner": [[[0, 0, "ORG", 3.1, 0.9]]]}'
    >>> read_dygie_output(data).documents[0].data["entities"]
    [{'span': {'start': 0, 'end': 1}, 'type': 'ORG'}]
    """
    return read_typed(source, _Line, _output, keys=("doc_key",), name=name)


def _gold(line: _Line) -> dict[str, Any]:
    return {
        "entities": _entities(line.ner, "ner"),
        "relations": _relations(line.relations, "relations"),
        "events": _events(line.events, "events"),
    }


def _output(line: _Line) -> dict[str, Any]:
    made = _gold(line)
    if line.predicted_ner is not None:
        made["entities"] = _entities(line.predicted_ner, "predicted_ner")
    if line.predicted_relations is not None:
        made["relations"] = _relations(line.predicted_relations, "predicted_relations")
    if line.predicted_events is not None:
        made["events"] = _events(line.predicted_events, "predicted_events")
    return made


def _entities(sentences: Sequence[Sequence[Item]] | None, field: str) -> list[dict[str, Any]]:
    found = []
    for number, items in enumerate(sentences or ()):
        for place, item in enumerate(items):
            path = f"$.{field}[{number}][{place}]"
            _check(item, 2, path, "[first, last, type]")
            found.append({"span": token_span(item[0], item[1], path), "type": item[2]})
    return found


def _relations(sentences: Sequence[Sequence[Item]] | None, field: str) -> list[dict[str, Any]]:
    found = []
    for number, items in enumerate(sentences or ()):
        for place, item in enumerate(items):
            path = f"$.{field}[{number}][{place}]"
            _check(item, 4, path, "[first, last, first, last, type]")
            subject, object_ = token_span(item[0], item[1], path), token_span(item[2], item[3], path)
            found.append({"type": item[4], "subject": subject, "object": object_})
    return found


def _events(sentences: Sequence[Sequence[Sequence[Item]]] | None, field: str) -> list[dict[str, Any]]:
    found = []
    for number, events in enumerate(sentences or ()):
        for place, (trigger, *arguments) in enumerate(event or [[]] for event in events):
            path = f"$.{field}[{number}][{place}]"
            # The trigger is one token, or two numbers in files of other programs of this kind.
            numbers = 2 if len(trigger) > 2 and isinstance(trigger[1], int) else 1
            _check(trigger, numbers, f"{path}[0]", "[token, type]")
            made = []
            for at, item in enumerate(arguments, 1):
                _check(item, 2, f"{path}[{at}]", "[first, last, role]")
                made.append({"role": item[2], "span": token_span(item[0], item[1], f"{path}[{at}]")})
            span = token_span(trigger[0], trigger[numbers - 1], f"{path}[0]")
            found.append({"type": trigger[numbers], "trigger": span, "arguments": made})
    return found


def _check(item: Item, numbers: int, path: str, shape: str) -> None:
    whole = all(isinstance(value, int) for value in item[:numbers])
    if len(item) <= numbers or not whole or not isinstance(item[numbers], str):
        raise UnfitError(path, f"expected {shape}", "write tokens as numbers, then the name")
