"""Answers of knowledge bases: assessments of ten or eight columns or our own table, and runs without any.

A line that nobody has changed is written as it was read. A scope is a query; its text is that of the documents which
its answers cite, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from adjudge.errors import FormatError
from adjudge.findings import Finding, Findings
from adjudge.formats.eal_sources import Sources as Texts
from adjudge.formats.kb_queries import read_answers, read_assessments
from adjudge.formats.source import read_rows
from adjudge.formats.standoff import parse_place
from adjudge.model.kbp_queries import FOLLOW_UP, INEXACT, NO_CLASS, Answer, Assessment
from adjudge.serve.codecs import ItemData, ScopeData, Sources, Written, identity_of, text_of
from adjudge.serve.codecs import check as check
from adjudge.serve.codecs import settings as settings
from adjudge.serve.schema import Schema

_LONG, _SHORT = 10, 8


def read(schema: Schema, sources: Sources, findings: list[Finding]) -> Iterator[ScopeData]:
    """The queries of a file, or of the files of a folder: of assessments, or of runs that nobody has assessed."""
    path = sources.answers
    paths = sorted(each for each in path.iterdir() if each.is_file()) if path.is_dir() else [path]
    found: dict[str, ItemData] = {}
    targets: dict[str, ItemData] = {}
    scopes: dict[str, ScopeData] = {}
    for each in paths:
        try:
            given = list(_answers(each))
        except FormatError as error:
            findings += [Finding("assessments", True, problem) for problem in error.problems]
            continue
        for answer, extra, answers in given:
            origins = tuple(extra.pop("runs", ()))
            root, hop = _root(answer.asked)
            above = targets.get(answer.asked)
            body = {
                "asked": answer.asked,
                "subject": above.body["value"] if above else answer.asked,
                "relation": answer.slot,
                "hop": hop,
                "value": answer.value,
                "place": answer.place,
                "provenance": answer.provenance,
                **extra,
            }
            identity = identity_of(schema, root, body)
            if identity in found:
                found[identity].origins = tuple(dict.fromkeys((*found[identity].origins, *origins)))
                continue
            item = ItemData(body, identity, above.identity if above else None, answers, origins)
            found[identity] = item
            targets.setdefault(answer.target, item)
            if root not in scopes:
                scopes[root] = ScopeData(root, "", [], {"file": each.name})
            scopes[root].items.append(item)
    texts = Texts(sources.texts) if sources.texts is not None else None
    for scope in scopes.values():
        if texts is not None:
            _add_text(scope, texts, findings)
        yield scope


def _root(asked: str) -> tuple[str, int]:
    hop = 0
    while match := FOLLOW_UP.match(asked):
        asked, hop = match[1], hop + 1
    return asked, hop


def _answers(path: Path) -> Iterator[tuple[Answer | Assessment, dict[str, Any], dict[str, str] | None]]:
    """Every answer of a file, what else its line says, and what was judged of it."""
    try:
        assessments, lines = read_assessments(path)
    except FormatError as error:
        try:
            answers = read_answers(path)
        except FormatError:
            raise error from None
        for answer in answers.answers:
            yield answer, {"runs": [answers.name or path.stem]}, None
        return
    rows = {number: fields for number, _, fields in read_rows(path, Findings(str(path)))}
    for each, number in zip(assessments, lines, strict=True):
        fields = rows[number]
        official = len(fields) in (_SHORT, _LONG) and ":" in fields[1]
        judged = {"judgment": fields[5 if official else 1].upper()}
        if each.group and each.judgment != INEXACT:
            judged["class"] = each.group[-1]
        if each.level and each.judgment != INEXACT:
            judged["level"] = each.level
        yield each, {"line": fields, "read": dict(judged)}, judged


def _add_text(scope: ScopeData, texts: Texts, findings: list[Finding]) -> None:
    """Put the cited documents one after the other."""
    parts: list[str] = []
    starts: dict[str, int] = {}
    at = 0
    for item in scope.items:
        for part in f"{item.body['provenance']},{item.body['place']}".split(","):
            place = parse_place(part)
            if place is None or place[0] in starts:
                continue
            title = f"{place[0]}\n"
            text = text_of(texts, place[0], scope.id, findings)
            starts[place[0]] = at + (0 if text is None else len(title))
            if text is None:
                continue
            parts.append(f"{title}{text}\n\n")
            at += len(parts[-1])
    scope.text = "".join(parts)
    scope.meta["documents"] = starts


def write(schema: Schema, scopes: Iterable[Written]) -> Iterator[tuple[str, bytes]]:
    """A file of assessments for each that was read; what nobody has judged is in none."""
    del schema
    files: dict[str, list[str]] = {}
    for scope in scopes:
        known = {item.identity: item for item in scope.items}
        levels = _levels(scope.items, known)
        lines = files.setdefault(f"assessments/{scope.meta.get('file', 'assessments.tsv')}", [])
        for item in scope.items:
            if item.answers:
                lines.append("\t".join(_line(scope.id, item, known, levels)))
    for name, lines in files.items():
        yield name, "".join(f"{line}\n" for line in lines).encode()


def _path(item: ItemData, known: Mapping[str, ItemData]) -> tuple[str, ...]:
    """The classes from the first hop down to that of an item; nothing if one is missing."""
    own = (item.answers or {}).get("class")
    if own is None:
        return ()
    if item.parent is None:
        return (own,)
    above = _path(known[item.parent], known) if item.parent in known else ()
    return (*above, own) if above else ()


def _levels(items: Sequence[ItemData], known: Mapping[str, ItemData]) -> dict[tuple[str, ...], str]:
    """The best mention of each class: a name if there is one."""
    found: dict[tuple[str, ...], str] = {}
    for item in items:
        level = (item.answers or {}).get("level")
        if level and (path := _path(item, known)):
            found[path] = min(found.get(path, level), level)  # NAM is before NOM
    return found


def _line(
    root: str, item: ItemData, known: Mapping[str, ItemData], levels: Mapping[tuple[str, ...], str]
) -> Sequence[str]:
    answers = item.answers or {}
    body = item.body
    old: Sequence[str] = body.get("line", ())
    path = _path(item, known)
    if old and body.get("read") == answers:
        return old
    letter = answers.get("judgment", "W")
    if old and not (len(old) in (_SHORT, _LONG) and ":" in old[1]):
        return (old[0], letter, ":".join(path) or NO_CLASS, *old[3:])
    group = ":".join((root, *path)) if path else NO_CLASS
    first = old[0] if old else item.identity[:12]
    start = (first, f"{body['asked']}:{body['relation']}", body["provenance"], body["value"], body["place"], letter)
    right = "C" if letter == "C" else "W"
    if len(old) == _SHORT:
        return (*start, old[6], group)
    return (*start, answers.get("level", NO_CLASS), right, group, levels.get(path, NO_CLASS))
