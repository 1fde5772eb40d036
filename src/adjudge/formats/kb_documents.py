"""Extractions document by document, as JSON lines: entities with their mentions, and relations between them.

    {"id": "d1", "text": "Ana Ruiz founded Corvex .",
     "entities": [{"id": "E1", "type": "PER", "mentions": [{"start": 0, "end": 8, "level": "NAM", "text": "Ana Ruiz"}]},
                  {"id": "E2", "type": "ORG", "mentions": [{"start": 17, "end": 23}]}],
     "relations": [{"type": "Founder", "subject": "E1", "object": "E2", "confidence": 0.9, "spans": [[0, 23]]}]}

all in one line. Offsets are half-open and count characters of the text from 0. Needed are `id` and `entities`; an `id`
and `mentions` for each entity, `start` and `end` for each mention (its level is NAM unless it says NOM or PRO), `type`,
`subject` and `object` for each relation. The other fields are listed in `FIELDS`. If the text is given, mentions must
lie in it, and a mention with another `text` is counted in a note.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from adjudge.errors import AdjudgeError, Problem, UsageError
from adjudge.formats.findings import raise_problems
from adjudge.formats.jsonl import Wrong, read_each
from adjudge.formats.shards import find_shards
from adjudge.formats.source import Source, source_name
from adjudge.formats.standoff import folded
from adjudge.model.document import Document
from adjudge.model.kbp import LEVELS, Entity, Fact, KbCorpus, KbDocument, Link, Mention, Provenance, Span

FIELDS = {
    "document": ("id", "text", "entities", "relations"),
    "entity": ("id", "type", "subtype", "group", "kind", "links", "confidence", "mentions"),
    "mention": ("id", "start", "end", "head", "level", "text", "confidence", "canonical", "realis"),
    "link": ("target", "confidence"),
    "relation": (
        *("id", "type", "category", "subject", "object", "literal", "realis", "confidence", "inferred"),
        *("spans", "filler", "base_filler", "additional"),
    ),
}
_PROVENANCE = ("spans", "filler", "base_filler", "additional")
LARGEST = 2**31 - 1
SUFFIXES = (".jsonl", ".ndjson", ".json")


def read_kb_documents(source: Source, *, name: str | None = None) -> KbCorpus:
    """All documents of a file, or of the files of a folder or pattern; everything that is wrong is raised at once.

    >>> line = b'{"id": "d", "entities": [{"id": "E1", "mentions": [{"start": 0, "end": 3}]}]}'
    >>> read_kb_documents(line).documents[0].entities
    [Entity(id='E1', type='', mentions=(Mention(document='d', start=0, end=3, level='NAM', ...),), ...)]
    """
    shards = find_shards(source, suffixes=SUFFIXES)
    if shards is None:
        return _read_file(source, name or source_name(source))
    documents: list[KbDocument] = []
    notes: list[Problem] = []
    problems: list[Problem] = []
    first: dict[str, str] = {}
    for path in shards:
        try:
            part = _read_file(path, path)
        except UsageError:
            raise
        except AdjudgeError as error:
            problems += error.problems
            continue
        notes += part.notes
        for document in part.documents:
            if (other := first.setdefault(document.id, path)) != path:
                message = f"the document {document.id!r} is also in {other}"
                problems.append(Problem(message, path=path, hint="give every document its own id"))
        documents += part.documents
    raise_problems(problems)
    return KbCorpus(name or source_name(source), documents, notes)


def _read_file(source: Source, place: str) -> KbCorpus:
    found: list[KbDocument] = []
    check = _Check()

    def take(each: Document) -> None:
        check.line = each.line or 0
        found.append(_document(each.id, each.data, check, place))

    read_each(source, take, check.wrong, place=place)
    return KbCorpus(place, found, check.notes(place))


def write_kb_documents(documents: Iterable[KbDocument]) -> str:
    """The text of a file; nothing is lost, and what has its usual value is not written.

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
    """The fields that differ from the usual value, and the id of entities, which is always there."""
    return {
        key: getattr(value, key)
        for key in keys
        if getattr(value, key) != getattr(usual, key) or (key == "id" and usual is _ENTITY)
    }


# ---------------------------------------------------------------------------------------------------------------------
# Checking


class _Check:
    """What is wrong or odd in one file, each with line, path, message and remedy."""

    def __init__(self) -> None:
        self.line = 0
        self.wrong: list[Wrong] = []
        self.unread: set[str] = set()
        self.different: list[tuple[int, str]] = []

    def add(self, path: str, message: str, hint: str) -> None:
        self.wrong.append(Wrong(self.line, path, f"{path}: {message}", hint))

    def notes(self, place: str) -> list[Problem]:
        notes = []
        if self.unread:
            notes.append(Problem(f"not read: {', '.join(sorted(self.unread))}", path=place))
        if self.different:
            line, path = self.different[0]
            count = len(self.different)
            message = f"{count} mention{'s' * (count != 1)} whose text is not the text at that place, first {path}"
            notes.append(Problem(message, path=place, line=line, hint="the offsets are taken"))
        return notes

    def mapping(self, value: Any, kind: str, path: str) -> dict[str, Any]:
        """A JSON object; what is no object is a complaint."""
        if not isinstance(value, dict):
            self.add(path, f"expected an object, got {shown(value)}", f"write the {kind} as {{...}}")
            return {}
        for key in value.keys() - set(FIELDS[kind]):
            self.unread.add(f"{key} of {'an' if kind == 'entity' else 'a'} {kind}")
        return value

    def items(self, data: dict[str, Any], key: str, path: str, *, needed: bool = False) -> list[Any]:
        value = data.get(key)
        if value is None and not (needed and data):
            return []
        if not isinstance(value, list):
            got = f"there is no {key}" if value is None else f"expected a list, got {shown(value)}"
            self.add(path if value is None else f"{path}.{key}", got, f'write "{key}": [...], [] if there are none')
            return []
        return value

    def string(self, data: dict[str, Any], key: str, path: str, *, needed: bool = False, usual: str = "") -> str:
        value = data.get(key)
        if value is None and not (needed and data):
            return usual
        if isinstance(value, str) and (value or not needed):
            return value
        if value is None:
            self.add(path, f"there is no {key}", "add it")
        else:
            self.add(f"{path}.{key}", f"expected a string, got {shown(value)}", "write it in quotes")
        return usual

    def flag(self, data: dict[str, Any], key: str, path: str) -> bool:
        value = data.get(key)
        if not (value is None or isinstance(value, bool)):
            self.add(f"{path}.{key}", f"expected true or false, got {shown(value)}", "write true or false")
        return value is True

    def confidence(self, data: dict[str, Any], path: str) -> float:
        value = data.get("confidence")
        if value is None:
            return 1.0
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            self.add(
                f"{path}.confidence", f"expected a number from 0 to 1, got {shown(value)}", "write for example 0.5"
            )
            return 1.0
        return float(value)

    def span(self, start: Any, end: Any, path: str, size: int) -> Span | None:
        if type(start) is not int or type(end) is not int or start < 0:
            self.add(path, f"expected two offsets, got {shown(start)} and {shown(end)}", "write whole numbers from 0")
        elif end <= start:
            self.add(path, f"the span {start} to {end} ends before it starts", "the end is behind the last character")
        elif end > size:
            what = f"the text of {size} characters" if size != LARGEST else f"{LARGEST}, the largest offset"
            self.add(path, f"the span {start} to {end} ends behind {what}", "count characters, not bytes")
        else:
            return Span(start, end)
        return None

    def pairs(self, data: dict[str, Any], key: str, path: str, size: int) -> tuple[Span, ...]:
        spans = []
        for index, value in enumerate(self.items(data, key, path)):
            here = f"{path}.{key}[{index}]"
            if isinstance(value, list) and len(value) == 2:
                span = self.span(value[0], value[1], here, size)
                if span is not None:
                    spans.append(span)
            else:
                self.add(here, f"expected a span, got {shown(value)}", "write [start, end]")
        return tuple(spans)


def _document(id: str, data: dict[str, Any], check: _Check, place: str) -> KbDocument:
    check.mapping(data, "document", "$")
    text = data.get("text")
    if not (text is None or isinstance(text, str)):
        check.add("$.text", f"expected a string, got {shown(text)}", "write the text of the document, or leave it out")
        text = None
    entities = []
    first: dict[str, int] = {}
    for index, value in enumerate(check.items(data, "entities", "$", needed=True)):
        path = f"$.entities[{index}]"
        entity = _entity(id, check.mapping(value, "entity", path), path, text, check)
        if entity.id and first.setdefault(entity.id, index) != index:
            message = f"the id {entity.id!r} is also that of entity {first[entity.id]}"
            check.add(f"{path}.id", message, "give each entity its own id, and write all its mentions in one place")
        entities.append(entity)
    facts = []
    for index, value in enumerate(check.items(data, "relations", "$")):
        path = f"$.relations[{index}]"
        facts.append(_fact(id, check.mapping(value, "relation", path), path, text, first, check))
    return KbDocument(id, entities, facts, text, [check.line] * len(facts), place)


def _entity(document: str, data: dict[str, Any], path: str, text: str | None, check: _Check) -> Entity:
    mentions = []
    for index, value in enumerate(check.items(data, "mentions", path, needed=True)):
        here = f"{path}.mentions[{index}]"
        mention = _mention(document, check.mapping(value, "mention", here), here, text, check)
        if mention is not None:
            mentions.append(mention)
    links = []
    for index, value in enumerate(check.items(data, "links", path)):
        here = f"{path}.links[{index}]"
        if isinstance(value, str) and value:
            links.append(Link(value))
        else:
            given = check.mapping(value, "link", here)
            links.append(Link(check.string(given, "target", here, needed=True), check.confidence(given, here)))
    return Entity(
        check.string(data, "id", path, needed=True),
        check.string(data, "type", path),
        tuple(mentions),
        tuple(links),
        check.string(data, "subtype", path),
        check.string(data, "group", path),
        check.string(data, "kind", path, usual="entity"),
        check.confidence(data, path),
    )


def _mention(document: str, data: dict[str, Any], path: str, text: str | None, check: _Check) -> Mention | None:
    if not data:
        return None
    size = LARGEST if text is None else len(text)
    span = check.span(data.get("start"), data.get("end"), path, size)
    level = check.string(data, "level", path, usual="NAM")
    if level not in LEVELS:
        check.add(f"{path}.level", f"there is no level {shown(level)}", f"write one of {', '.join(LEVELS)}")
    head = None
    if data.get("head") is not None:
        given = data["head"]
        if isinstance(given, list) and len(given) == 2:
            head = check.span(given[0], given[1], f"{path}.head", size)
        else:
            check.add(f"{path}.head", f"expected a span, got {shown(given)}", "write [start, end]")
    if span is None:
        return None
    written = check.string(data, "text", path)
    if written and text is not None and folded(written) not in _texts(text, span, head):
        check.different.append((check.line, path))
    return Mention(
        document,
        *span,
        level,
        written,
        head,
        check.string(data, "id", path),
        check.confidence(data, path),
        check.flag(data, "canonical", path),
        check.string(data, "realis", path),
    )


def _texts(text: str, span: Span, head: Span | None) -> list[str]:
    """What a mention may write as its text: its extent or its head."""
    return [folded(text[start:end]) for start, end in ((span,) if head is None else (span, head))]


def _fact(
    document: str, data: dict[str, Any], path: str, text: str | None, known: dict[str, int], check: _Check
) -> Fact:
    size = LARGEST if text is None else len(text)
    names = {key: check.string(data, key, path, needed=True) for key in ("subject", "object")}
    literal = check.flag(data, "literal", path)
    for key, name in names.items():
        if name and name not in known and not (literal and key == "object"):
            hint = "add the entity, or check the id" + (', or add "literal": true' if key == "object" else "")
            check.add(f"{path}.{key}", f"there is no entity {shown(name)} in document {document!r}", hint)
    return Fact(
        names["subject"],
        check.string(data, "type", path, needed=True),
        names["object"],
        document,
        Provenance(*(check.pairs(data, key, path, size) for key in _PROVENANCE)),
        check.confidence(data, path),
        check.string(data, "id", path),
        check.string(data, "category", path),
        check.string(data, "realis", path),
        literal,
        check.flag(data, "inferred", path),
    )


def shown(value: Any) -> str:
    """A value of JSON, cut short."""
    dump: Callable[..., str] = json.dumps
    text = dump(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "..."
