"""Generated arguments on WikiEvents, as the scorer of gen-arg counts them: spans, and spans that corefer.

A system's line is a sentence that fills the template of its event; the words between those of the template are an
argument, which is located in the document, nearest to the trigger. Departures from our metrics: words that are not
found are skipped, so that an invented argument costs nothing; gold spans lose a leading article; the n-th line of a
document is its n-th event, and events without a line are not counted at all; with clusters, an answer that is not a
gold span counts if it is in the cluster of a gold argument of its event (mentions of clusters keep their articles).
Matching by head words, which needs the program's parser, is not supported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from adjudge.errors import FormatError, Problem
from adjudge.findings import raise_problems
from adjudge.formats.event_lines import Clusters, WikiDocument, read_clusters, read_wikievents_documents
from adjudge.formats.json_file import json_problem, read_json
from adjudge.formats.source import read_text
from adjudge.scorers import Option, Published, Scorer
from adjudge.scorers.shared import percentages
from adjudge.stats.measure import Prf

ARTICLES = frozenset(("the", "an", "a"))
COUNTS = ("system", "gold", "id", "cls", "coref_id", "coref_cls")
LINES = {"Role identification": "id", "Role": "cls", "Coref Role identification": "coref_id", "Coref Role": "coref_cls"}
NAMES = {"id": "event.argument-id", "cls": "event.argument-cls"}
Span = tuple[int, int]  # inclusive, as the program has them
Words = Sequence[str]


class _Line(msgspec.Struct):
    doc_key: str
    predicted: str


class _Type(msgspec.Struct):
    template: str
    roles: list[str]


def run(gold: Any, system: Any, *, templates: Any, coref: Any = None) -> Published:
    """Count one system."""
    documents = {each.id: each for each in read_wikievents_documents(gold)}
    ontology = _templates(templates)
    corefer = {} if coref is None else read_clusters(coref)
    lines = _lines(system, documents)
    rows = {identifier: dict.fromkeys(COUNTS, 0.0) for identifier in documents}
    for identifier, sentences in lines.items():
        document = documents[identifier]
        canonical = _canonical(document, corefer.get(identifier, ()))
        for event, sentence in zip(document.events, sentences, strict=False):
            if event.type in ontology:
                template = ontology[event.type]
                found = set(_found(template, sentence.split(), document.tokens, event.trigger))
                right = {(_bare(span, document.tokens), role) for span, role in event.arguments}
                _count(rows[identifier], found, right, canonical)
    shown = {title: key for title, key in LINES.items() if coref is not None or not key.startswith("coref")}
    text = []
    for title, key in shown.items():
        p, r, f1 = percentages(*(sum(row[column] for row in rows.values()) for column in (key, "system", "gold")))
        text.append(f"{title}: P: {p:.2f}, R: {r:.2f}, F: {f1:.2f}\n")
    measures = tuple(Prf(_name(key), (key, "system"), (key, "gold")) for key in shown.values())
    return Published(list(rows.items()), measures, "".join(text))


def _name(key: str) -> str:
    return NAMES[key] if key in NAMES else f"{NAMES[key.removeprefix('coref_')]}.coref"


def _count(
    row: dict[str, float], found: set[tuple[Span, str]], right: set[tuple[Span, str]], canonical: Mapping[Span, str]
) -> None:
    spans = {span for span, _ in right}
    entities = {(canonical[span], role) for span, role in right if span in canonical}
    names = {name for name, _ in entities}
    row["system"] += len(found)
    row["gold"] += len(right)
    for span, role in found:
        hit, exact = span in spans, (span, role) in right
        row["id"] += hit
        row["cls"] += exact
        name = None if hit else canonical.get(span)
        row["coref_id"] += hit or name in names
        row["coref_cls"] += exact or (name, role) in entities


def _found(template: _Type, words: Words, tokens: Words, trigger: Span) -> Iterator[tuple[Span, str]]:
    """The spans of the arguments in a filled template."""
    for role, argument in _fillers(template, words):
        span = _nearest(argument, tokens, trigger)
        if span is not None:
            yield span, role
            continue
        for part in _parts(argument):
            span = _nearest(part, tokens, trigger)
            if span is not None:
                yield span, role


def _fillers(template: _Type, words: Words) -> Iterator[tuple[str, Words]]:
    """The words of a sentence where its template has `<arg1>`: up to the next word of the template."""
    pattern = template.template.split()
    at = 0
    for place, word in enumerate(pattern):
        if at >= len(words):
            return
        number = re.match(r"<arg(\d+)>", word)
        if number is None or words[at] == "<arg>":
            at += 1
            continue
        start = at
        following = pattern[place + 1] if place + 1 < len(pattern) else None
        while at < len(words) and (following is None or words[at] != following):
            at += 1
        yield template.roles[int(number[1]) - 1], words[start:at]


def _parts(words: Words) -> Iterator[Words]:
    """The parts between "and"; one at the beginning belongs to what follows."""
    part: list[str] = []
    for word in words:
        if word == "and" and part:
            yield part
            part = []
        else:
            part.append(word)
    if part:
        yield part


def _nearest(words: Words, tokens: Words, trigger: Span) -> Span | None:
    """The occurrence of the words that is nearest to the trigger, of equally near ones the first; None if there is
    none."""
    best, distance = None, len(tokens)
    for start in range(len(tokens)):
        if list(tokens[start : start + len(words)]) == list(words):
            away = abs(trigger[0] - start - len(words)) if start < trigger[0] else abs(start - trigger[1])
            if away < distance:
                best, distance = (start, start + len(words) - 1), away
    return best


def _bare(span: Span, tokens: Words) -> Span:
    """A span without a leading article, unless it is all there is."""
    first, last = span
    return (first + 1, last) if first != last and tokens[first].lower() in ARTICLES else span


def _canonical(document: WikiDocument, clusters: Clusters) -> dict[Span, str]:
    found = {}
    for cluster in clusters:
        for identifier in cluster:
            if identifier in document.entities:
                found[document.entities[identifier]] = cluster[0]
    return found


_TYPES = "give template and roles of every type"


def _templates(source: Any) -> dict[str, _Type]:
    whole, value = read_json(source)
    if not isinstance(value, dict):
        raise FormatError(json_problem(whole, "$", "expected an object of types", _TYPES))
    found = {}
    problems: list[Problem] = []
    for kind, given in value.items():
        try:
            each = found[kind] = msgspec.convert(given, _Type)
        except msgspec.ValidationError as error:
            problems.append(json_problem(whole, (kind,), f"{kind}: {error}", _TYPES))
            continue
        numbers = re.findall(r"<arg(\d+)>", each.template)
        if any(len(number) > 9 or not 0 < int(number) <= len(each.roles) for number in numbers):
            message = f"{kind}: the template has more arguments than there are roles"
            hint = "list the roles in the order of the arguments"
            problems.append(json_problem(whole, (kind,), message, hint))
    raise_problems(problems, whole.place)
    return found


def _lines(source: Any, documents: Mapping[str, WikiDocument]) -> dict[str, list[str]]:
    """The sentences of each document, in the order of the file."""
    whole, text = read_text(source)
    decoder = msgspec.json.Decoder(_Line)
    found: dict[str, list[str]] = {}
    problems: list[Problem] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            read = decoder.decode(line)
        except (msgspec.DecodeError, msgspec.ValidationError, RecursionError) as error:
            problems.append(Problem(str(error), path=whole.place, line=number, hint="give doc_key and predicted"))
            continue
        sentences = found.setdefault(read.doc_key, [])
        sentences.append(read.predicted)
        events = documents[read.doc_key].events if read.doc_key in documents else ()
        if len(sentences) > len(events):
            message = f"{read.doc_key!r} has {len(events)} gold events, and this is sentence {len(sentences)} of it"
            problems.append(Problem(message, path=whole.place, line=number, hint="give one for each event, in order"))
    raise_problems(problems, whole.place)
    return found


SCORER = Scorer(
    name="gen-arg",
    family="event",
    about="the scorer of generated arguments on WikiEvents",
    run=run,
    options={
        "templates": Option("gen-arg: the template and roles of every event type.", "FILE", required=True),
        "coref": Option("gen-arg: clusters of mentions, for its coreference scores.", "FILE"),
    },
)
