"""Extractions document by document, as JSON lines: entities with their mentions, and relations between them.

    {"id": "d1", "text": "Ana Ruiz founded Corvex .",
     "entities": [{"id": "E1", "type": "PER", "mentions": [{"start": 0, "end": 8, "level": "NAM", "text": "Ana Ruiz"}]},
                  {"id": "E2", "type": "ORG", "mentions": [{"start": 17, "end": 23}]}],
     "relations": [{"type": "Founder", "subject": "E1", "object": "E2", "confidence": 0.9, "spans": [[0, 23]]}]}

all on one line. Offsets are half-open and count characters of the text from 0. A document needs `id` and `entities`; an
entity `id` and `mentions`; a mention `start` and `end` (its level is NAM unless it says NOM or PRO); a relation `type`,
`subject` and `object`. All other fields are those of the structs below. If the text is given, mentions must lie in it,
and a mention with another `text` is counted in a note.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from adjudge.errors import Problem
from adjudge.findings import raise_problems, read_files
from adjudge.formats.jsonl import UnfitError, read_each
from adjudge.formats.source import Source, find_shards, source_name
from adjudge.formats.standoff import folded
from adjudge.model.document import Document
from adjudge.model.kbp import Entity, Fact, KbCorpus, KbDocument, Link, Mention, Provenance, Span

SUFFIXES = (".jsonl", ".ndjson", ".json")
LARGEST = 2**31 - 1
_PROVENANCE = ("spans", "filler", "base_filler", "additional")

_Name = Annotated[str, msgspec.Meta(min_length=1)]
_Sure = Annotated[float, msgspec.Meta(ge=0, le=1)]
_Pair = tuple[int, int]


class _Mention(msgspec.Struct):
    start: int
    end: int
    id: str = ""
    head: _Pair | None = None
    level: Literal["NAM", "NOM", "PRO", "NORM"] = "NAM"
    text: str = ""
    confidence: _Sure = 1.0
    canonical: bool = False
    realis: str = ""


class _Link(msgspec.Struct):
    target: _Name
    confidence: _Sure = 1.0


class _Entity(msgspec.Struct):
    id: _Name
    mentions: list[_Mention]
    type: str = ""
    subtype: str = ""
    group: str = ""
    kind: str = "entity"
    links: list[_Name | _Link] = []
    confidence: _Sure = 1.0


class _Relation(msgspec.Struct):
    type: _Name
    subject: _Name
    object: _Name
    id: str = ""
    category: str = ""
    literal: bool = False
    realis: str = ""
    confidence: _Sure = 1.0
    inferred: bool = False
    spans: list[_Pair] = []
    filler: list[_Pair] = []
    base_filler: list[_Pair] = []
    additional: list[_Pair] = []


class _Record(msgspec.Struct):
    id: str | int
    entities: list[_Entity]
    text: str | None = None
    relations: list[_Relation] = []


def read_kb_documents(source: Source, *, name: str | None = None) -> KbCorpus:
    """All documents of a file, or of the files of a folder or pattern; all problems are raised at once.

    >>> line = b'{"id": "d", "entities": [{"id": "E1", "mentions": [{"start": 0, "end": 3}]}]}'
    >>> read_kb_documents(line).documents[0].entities
    [Entity(id='E1', type='', mentions=(Mention(document='d', start=0, end=3, level='NAM', ...),), ...)]
    """
    shards = find_shards(source, suffixes=SUFFIXES)
    if shards is None:
        return _read_file(source, name or source_name(source))
    parts, problems = read_files(shards, lambda path: _read_file(path, path))
    problems += repeated_documents((document for _, part in parts for document in part.documents))
    raise_problems(problems)
    documents = [document for _, part in parts for document in part.documents]
    notes = [note for _, part in parts for note in part.notes]
    return KbCorpus(name or source_name(source), documents, notes)


def repeated_documents(
    documents: Iterable[KbDocument], hint: str = "give every document its own id"
) -> Iterator[Problem]:
    """Problems for documents that are in two files."""
    first: dict[str, str] = {}
    for document in documents:
        if (other := first.setdefault(document.id, document.path)) != document.path:
            yield Problem(f"the document {document.id!r} is also in {other}", path=document.path, hint=hint)


def write_kb_documents(documents: Iterable[KbDocument]) -> str:
    """The text of a file; nothing is lost, and default values are not written.

    >>> fact = Fact("E1", "Founder", "E1", "d")
    >>> print(write_kb_documents([KbDocument("d", [Entity("E1")], [fact])]), end="")
    {"id": "d", "entities": [{"id": "E1", "mentions": []}],
     "relations": [{"type": "Founder", "subject": "E1", "object": "E1"}]}
    """
    return "".join(json.dumps(_record(document), ensure_ascii=False) + "\n" for document in documents)


# ---------------------------------------------------------------------------------------------------------------------
# Writing


def _record(document: KbDocument) -> dict[str, Any]:
    record: dict[str, Any] = {"id": document.id}
    if document.text is not None:
        record["text"] = document.text
    record["entities"] = [_entity_record(entity) for entity in document.entities]
    record["relations"] = [_fact_record(fact) for fact in document.facts]
    return record


def _entity_record(entity: Entity) -> dict[str, Any]:
    record = _given(entity, _ENTITY, ("id", "type", "subtype", "group", "kind", "confidence"))
    if entity.links:
        record["links"] = [
            link.target if link.confidence == 1 else {"target": link.target, "confidence": link.confidence}
            for link in entity.links
        ]
    record["mentions"] = [_mention_record(mention) for mention in entity.mentions]
    return record


def _mention_record(mention: Mention) -> dict[str, Any]:
    record: dict[str, Any] = {"start": mention.start, "end": mention.end}
    record |= _given(mention, _MENTION, ("id", "level", "text", "confidence", "canonical", "realis"))
    if mention.head is not None:
        record["head"] = list(mention.head)
    return record


def _fact_record(fact: Fact) -> dict[str, Any]:
    record: dict[str, Any] = {"type": fact.relation, "subject": fact.subject, "object": fact.object}
    record |= _given(fact, _FACT, ("id", "category", "literal", "realis", "confidence", "inferred"))
    for key, spans in zip(_PROVENANCE, fact.provenance, strict=True):
        if spans:
            record[key] = [list(span) for span in spans]
    return record


_ENTITY, _MENTION, _FACT = Entity(""), Mention("", 0, 0), Fact("", "", "", "")


def _given(value: Any, usual: Any, keys: Iterable[str]) -> dict[str, Any]:
    """The fields that differ from their default."""
    return {
        key: getattr(value, key)
        for key in keys
        if getattr(value, key) != getattr(usual, key) or (key == "id" and usual is _ENTITY)
    }


# ---------------------------------------------------------------------------------------------------------------------
# Reading


def _read_file(source: Source, place: str) -> KbCorpus:
    found: list[KbDocument] = []
    unread: set[str] = set()
    different: list[tuple[int, str]] = []

    def take(each: Document) -> list[UnfitError]:
        data = _present(each.data)
        try:
            record = msgspec.convert(data, _Record)
        except msgspec.ValidationError:
            return [
                UnfitError(path, f"{path}: {message}", hint) for path, message, hint in _misfits(data, _Record, "$")
            ]
        unread.update(_unread(data))
        making = _Making(each, record.text, place)
        found.append(making.document(record))
        different.extend((each.line or 0, path) for path in making.different)
        return making.wrong

    read_each(source, take, place=place)
    notes = [Problem(f"not read: {', '.join(sorted(unread))}", path=place)] if unread else []
    if different:
        line, path = different[0]
        count = len(different)
        message = f"{count} mention{'s' * (count != 1)} whose text differs from that at the offsets, first {path}"
        notes.append(Problem(message, path=place, line=line, hint="the offsets are used"))
    return KbCorpus(place, found, notes)


def _present(value: Any) -> Any:
    """JSON without nulls: a null field counts as missing."""
    if isinstance(value, dict):
        return {key: _present(each) for key, each in value.items() if each is not None}
    return [_present(each) for each in value] if isinstance(value, list) else value


_LEAVES: dict[Any, tuple[str, str]] = {
    str: ("a string", "write it in quotes"),
    float: ("a number from 0 to 1", "write for example 0.5"),
    int: ("a whole number", "write whole numbers from 0"),
    bool: ("true or false", "write true or false"),
    tuple: ("a span", "write [start, end]"),
}


def _misfits(value: Any, kind: Any, path: str) -> Iterator[tuple[str, str, str]]:
    """Every way in which a value misses the shape of a type: where, what, and how to fix it."""
    arms = (
        [each for each in get_args(kind) if each is not type(None)]
        if get_origin(kind) in (Union, UnionType)
        else [kind]
    )
    kind = next((each for each in arms if isinstance(value, dict) and _is_struct(each)), arms[0])
    if _is_struct(kind):
        if not isinstance(value, dict):
            yield path, f"expected an object, got {_shown(value)}", "write it as {...}"
            return
        for field in msgspec.structs.fields(kind):
            if field.name in value:
                yield from _misfits(value[field.name], field.type, f"{path}.{field.name}")
            elif field.required:
                several = get_origin(field.type) is list
                hint = f'write "{field.name}": [...], [] if there are none' if several else "add it"
                yield path, f"there is no {field.name}", hint
    elif get_origin(kind) is list:
        if not isinstance(value, list):
            yield path, f"expected a list, got {_shown(value)}", "write [...], [] if there are none"
            return
        for index, each in enumerate(value):
            yield from _misfits(each, get_args(kind)[0], f"{path}[{index}]")
    else:
        try:
            msgspec.convert(value, kind)
        except msgspec.ValidationError:
            plain = kind.__origin__ if hasattr(kind, "__metadata__") else kind
            what, hint = _LEAVES.get(get_origin(plain) or plain, ("", ""))
            if not what:
                what = hint = f"one of {', '.join(map(str, get_args(plain)))}"
                hint = f"write {hint}"
            yield path, f"expected {what}, got {_shown(value)}", hint


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _shown(value: Any) -> str:
    """A JSON value, cut short."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "..."


def _unread(data: dict[str, Any]) -> Iterator[str]:
    """Fields that the format does not have."""
    entities: list[dict[str, Any]] = data["entities"]
    mentions = [mention for entity in entities for mention in entity["mentions"]]
    links = [link for entity in entities for link in entity.get("links", ()) if isinstance(link, dict)]
    for kind, type_, items in (
        ("a document", _Record, [data]),
        ("an entity", _Entity, entities),
        ("a mention", _Mention, mentions),
        ("a link", _Link, links),
        ("a relation", _Relation, data.get("relations", ())),
    ):
        for item in items:
            yield from (f"{key} of {kind}" for key in item.keys() - set(type_.__struct_fields__))


class _Making:
    """One document being made; problems beyond its shape are collected."""

    def __init__(self, raw: Document, text: str | None, place: str) -> None:
        self.id, self.line, self.place = raw.id, raw.line or 0, place
        self.text = text
        self.wrong: list[UnfitError] = []
        self.different: list[str] = []

    def add(self, path: str, message: str, hint: str) -> None:
        self.wrong.append(UnfitError(path, f"{path}: {message}", hint))

    def span(self, given: _Pair, path: str) -> Span:
        start, end = given
        size = LARGEST if self.text is None else len(self.text)
        if start < 0:
            self.add(path, f"the span {start} to {end} starts before the text", "write whole numbers from 0")
        elif end <= start:
            self.add(path, f"the span {start} to {end} ends before it starts", "the end is beyond the last character")
        elif end > size:
            what = f"the text of {size} characters" if size != LARGEST else f"{LARGEST}, the largest offset"
            self.add(path, f"the span {start} to {end} ends beyond {what}", "count characters, not bytes")
        return Span(start, end)

    def document(self, record: _Record) -> KbDocument:
        entities = []
        known: dict[str, int] = {}
        for index, given in enumerate(record.entities):
            path = f"$.entities[{index}]"
            if known.setdefault(given.id, index) != index:
                message = f"the id {given.id!r} is also that of entity {known[given.id]}"
                self.add(f"{path}.id", message, "give each its own id, and write all its mentions in one place")
            mentions = [self.mention(each, f"{path}.mentions[{at}]") for at, each in enumerate(given.mentions)]
            pairs = [(each, 1.0) if isinstance(each, str) else (each.target, each.confidence) for each in given.links]
            rest = (given.subtype, given.group, given.kind, given.confidence)
            entities.append(Entity(given.id, given.type, tuple(mentions), tuple(Link(*pair) for pair in pairs), *rest))
        facts = [self.fact(each, f"$.relations[{index}]", known) for index, each in enumerate(record.relations)]
        return KbDocument(self.id, entities, facts, self.text, [self.line] * len(facts), self.place)

    def mention(self, given: _Mention, path: str) -> Mention:
        span = self.span((given.start, given.end), path)
        head = None if given.head is None else self.span(given.head, f"{path}.head")
        if given.text and self.text is not None:
            places = [self.text[start:end] for start, end in (span, *([] if head is None else [head]))]
            if folded(given.text) not in map(folded, places):
                self.different.append(path)
        own = (self.id, span.start, span.end, given.level, given.text, head)
        return Mention(*own, given.id, given.confidence, given.canonical, given.realis)

    def fact(self, given: _Relation, path: str, known: dict[str, int]) -> Fact:
        for key, name in (("subject", given.subject), ("object", given.object)):
            if name not in known and not (given.literal and key == "object"):
                hint = "add the entity, or check the id" + (', or add "literal": true' if key == "object" else "")
                self.add(f"{path}.{key}", f"there is no entity {name!r} in document {self.id!r}", hint)
        provenance = Provenance(
            *(
                tuple(self.span(span, f"{path}.{key}[{at}]") for at, span in enumerate(getattr(given, key)))
                for key in _PROVENANCE
            )
        )
        rest = (given.id, given.category, given.realis, given.literal, given.inferred)
        return Fact(given.subject, given.type, given.object, self.id, provenance, given.confidence, *rest)
