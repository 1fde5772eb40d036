"""Items as lines of JSON: their fields, and the answers beside them under the ids of the questions.

    {"document": "d1", "record": "r1", "path": "date", "value": "5 May", "evidence": [[3, 8]], "judgment": "C"}

A file has the scopes in its order; in a folder every `.jsonl` is read. Texts are a folder, a file for each scope.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from adjudge.errors import Problem, did_you_mean
from adjudge.findings import Finding
from adjudge.formats.eal_sources import Sources as Texts
from adjudge.formats.source import read_text
from adjudge.model.whereabouts import locate
from adjudge.serve.codecs import ItemData, ScopeData, Sources, Written, identity_of, text_of
from adjudge.serve.codecs import check as check
from adjudge.serve.codecs import settings as settings
from adjudge.serve.schema import Schema

FILE = "answers.jsonl"


def read(schema: Schema, sources: Sources, findings: list[Finding]) -> Iterator[ScopeData]:
    """The scopes of a file, or of the files of a folder."""
    paths = sorted(sources.answers.glob("*.jsonl")) if sources.answers.is_dir() else [sources.answers]
    scopes: dict[str, ScopeData] = {}
    seen: set[str] = set()
    texts = Texts(sources.texts) if sources.texts is not None else None
    for path in paths:
        whole, text = read_text(path)
        for number, line in enumerate(text.splitlines(), 1):
            if not line.strip():
                continue
            try:
                item, scope = _item(schema, line)
                if item.identity in seen:
                    raise _Wrong("", "the item is already on another line", "keep one of them")
            except _Wrong as wrong:
                column = locate(line, (wrong.key,)) if wrong.key else 1
                problem = Problem(wrong.message, whole.place, number, column, wrong.hint)
                findings.append(Finding("item", True, problem))
                continue
            seen.add(item.identity)
            if scope not in scopes:
                scopes[scope] = ScopeData(scope, text_of(texts, scope, scope, findings) or "", [], {"file": path.name})
            scopes[scope].items.append(item)
    yield from scopes.values()


class _Wrong(Exception):
    def __init__(self, key: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.key, self.message, self.hint = key, message, hint


def _item(schema: Schema, line: str) -> tuple[ItemData, str]:
    try:
        given = msgspec.json.decode(line, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise _Wrong("", f"not a JSON object ({error})", "write one item on each line") from None
    questions = schema.questions()
    scope = given.get(schema.scope)
    if not isinstance(scope, str) or not scope:
        raise _Wrong(schema.scope, f"there is no {schema.scope!r}", "say what the item belongs to")
    body: dict[str, Any] = {}
    answers: dict[str, str] = {}
    for key, value in given.items():
        if key in questions:
            question = questions[key]
            if not isinstance(value, str) or (question.kind == "choice" and value not in question.values):
                raise _Wrong(key, f"{value!r} is not an answer to {key!r}", f"choose from {', '.join(question.values)}")
            answers[key] = value
        elif key in schema.fields:
            if not _fits(value, schema.fields[key]):
                raise _Wrong(key, f"{key!r} is no {schema.fields[key]}", "correct the value")
            if key != schema.scope:
                body[key] = value
        else:
            hint = did_you_mean(key, [*schema.fields, *questions]) or f"fields are {', '.join(schema.fields)}"
            raise _Wrong(key, f"there is no field or question {key!r}", hint)
    return ItemData(body, identity_of(schema, scope, body), None, answers or None), scope


def _fits(value: Any, kind: str) -> bool:
    def is_span(each: Any) -> bool:
        return isinstance(each, list) and len(each) == 2 and all(type(at) is int for at in each) and each[0] <= each[1]

    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "span":
        return is_span(value)
    if kind == "spans":
        return isinstance(value, list) and all(map(is_span, value))
    return isinstance(value, str)


def write(schema: Schema, scopes: Iterable[Written]) -> Iterator[tuple[str, bytes]]:
    """The files, each with its scopes; fields in the order of the schema, then answers."""
    files: dict[str, list[bytes]] = {}
    order = [schema.scope, *(name for name in schema.item.fields if name != schema.scope)]
    for scope in scopes:
        lines = files.setdefault(str(scope.meta.get("file", FILE)), [])
        for item in scope.items:
            fields = {schema.scope: scope.id, **item.body}
            shown = {name: fields[name] for name in order if name in fields}
            answers = {
                each.id: item.answers[each.id] for each in schema.question if item.answers and each.id in item.answers
            }
            lines.append(msgspec.json.encode({**shown, **answers}) + b"\n")
    for name, lines in files.items():
        yield f"assessments/{name}", b"".join(lines)
