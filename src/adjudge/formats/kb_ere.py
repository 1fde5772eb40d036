"""Rich ERE annotation: entities and relations of `DOC.rich_ere.xml`; its events are read by `adjudge.formats.ere`.

    <deft_ere doc_id="DOC">
      <entities><entity id="ent-1" type="PER" specificity="specific">
        <entity_mention id="m-1" noun_type="NAM" source="DOC" offset="120" length="8">
          <mention_text>Ana Ruiz</mention_text>
      <relations><relation id="r-1" type="orgaffiliation" subtype="founder">
        <relation_mention id="relm-1" realis="true">
          <rel_arg1 entity_id="ent-1" entity_mention_id="m-1" role="person">Ana Ruiz</rel_arg1>
          <rel_arg2 entity_id="ent-2" entity_mention_id="m-4" role="org">Corvex</rel_arg2>

Offsets count characters of the whole source file, tags included. A fact is a pair of entities of a relation, however
many mentions it has. Arguments that are fillers have no entity: such facts are left out and counted, or the fillers
become nodes of the kind `string`. An entity id such as `ent-m.09c7w0` is a link to another knowledge base.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path
from typing import Literal

from adjudge.errors import FormatError, Problem
from adjudge.formats.eal_sources import Sources
from adjudge.formats.findings import raise_problems
from adjudge.formats.kb_ace import find_files
from adjudge.formats.kb_spans import Offsets, Spans
from adjudge.formats.safe_xml import Element, read_xml, whole_number
from adjudge.formats.source import read_bytes
from adjudge.model.kbp import LEVELS, Entity, Fact, KbCorpus, KbDocument, Link, Mention, Provenance, Span

_KB_ID = re.compile(r"ent-(m\.[0-9a-z_]+)", re.IGNORECASE)


def read_ere_corpus(
    path: str | os.PathLike[str],
    *,
    docs: str | os.PathLike[str] | None = None,
    offsets: Offsets = "check",
    fillers: Literal["drop", "string"] = "drop",
    names: Literal["subtype", "type.subtype"] = "type.subtype",
) -> KbCorpus:
    """All documents of a file or folder; `docs` is a folder with the source texts. Problems are raised at once."""
    texts = None if docs is None else Sources(docs)
    documents: list[KbDocument] = []
    problems: list[Problem] = []
    notes: list[Problem] = []
    first: dict[str, str] = {}
    for file in find_files(Path(path), ".rich_ere.xml"):
        place = str(file)
        try:
            document, remarks = read_ere_document(
                read_bytes(file, place), place, texts=texts, offsets=offsets, fillers=fillers, names=names
            )
        except FormatError as error:
            problems += error.problems
            continue
        before = first.setdefault(document.id, place)
        if before != place:
            hint = "leave one of them in the folder"
            problems.append(Problem(f"the document {document.id!r} is also in {before}", path=place, hint=hint))
        documents.append(document)
        notes += remarks
    raise_problems(problems)
    return KbCorpus(os.fspath(path), documents, notes)


def read_ere_document(
    data: bytes,
    place: str,
    *,
    texts: Sources | None = None,
    offsets: Offsets = "check",
    fillers: Literal["drop", "string"] = "drop",
    names: Literal["subtype", "type.subtype"] = "type.subtype",
) -> tuple[KbDocument, list[Problem]]:
    """The document of the bytes of a file, and remarks about it.

    >>> mention = '<entity_mention id="m-1" noun_type="NAM" offset="3" length="3"/>'
    >>> xml = f'<deft_ere doc_id="d"><entities><entity id="e" type="PER">{mention}</entity></entities></deft_ere>'
    >>> read_ere_document(xml.encode(), "d.rich_ere.xml")[0].entities[0].mentions[0].span
    Span(start=3, end=6)
    """
    root = read_xml(data, place)
    if root.tag != "deft_ere":
        message = f"this is XML of <{root.tag}>, not of <deft_ere>"
        hint = "event nuggets have no entities" if "nugget" in root.tag else "name a Rich ERE file"
        raise FormatError(Problem(message, place, root.line, root.column, hint))
    if root.first("events") is not None:
        hint = "give the Rich ERE annotation, which has hoppers"
        raise FormatError(Problem("this is Light ERE, which is not read", place, root.line, root.column, hint))
    id = root.get("doc_id") or root.get("docid")
    if not id:
        raise FormatError(Problem("nothing says which document this is", place, 1, 1, "add the attribute doc_id"))
    text = texts.text(id) if texts is not None and id in texts else None
    reading = _Reading(id, Spans(place, text, offsets), fillers, names)
    if texts is not None and text is None:
        reading.remarks.append(Problem(f"there is no source text of {id!r} in {texts.path}", path=place))
    document = reading.document(root, text)
    if reading.spans.problems:
        raise FormatError(reading.spans.problems)
    return document, reading.notes()


class _Reading:
    """One document on its way in."""

    def __init__(self, id: str, spans: Spans, fillers: str, names: str) -> None:
        self.id = id
        self.spans = spans
        self.fillers = fillers
        self.names = names
        self.left: Counter[str] = Counter()
        self.remarks: list[Problem] = []

    def document(self, root: Element, text: str | None) -> KbDocument:
        known: dict[str, int] = {}
        entities = [self._entity(element, known) for group in root.all("entities") for element in group.all("entity")]
        strings = [self._filler(each, known) for group in root.all("fillers") for each in group.all("filler")]
        if self.fillers == "string":
            entities += strings
        drop = {each.id for each in strings} if self.fillers == "drop" else set()
        facts: list[Fact] = []
        lines: list[int] = []
        for element in (each for group in root.all("relations") for each in group.all("relation")):
            for fact in self._relation(element, known, drop):
                facts.append(fact)
                lines.append(element.line)
        self.left["hopper"] = sum(1 for group in root.all("hoppers") for _ in group.all("hopper"))
        return KbDocument(self.id, entities, facts, text, lines, self.spans.place)

    def notes(self) -> list[Problem]:
        words = {"filler": "fact with a filler as argument", "hopper": "event hopper"}
        left = [
            f"{count} {words[tag] if count == 1 else words[tag].replace('fact', 'facts').replace('hopper', 'hoppers')}"
            for tag, count in sorted(self.left.items())
            if count
        ]
        found = [Problem(f"not kept: {', '.join(left)}", path=self.spans.place)] if left else []
        return [*self.remarks, *found, *self.spans.notes()]

    def _id(self, element: Element, known: dict[str, int]) -> str:
        id = element.get("id")
        if not id:
            self.spans.wrong(element, f"an element {element.tag} without an id", "add it")
        elif id in known:
            self.spans.wrong(element, f"the id {id!r} is there twice (line {known[id]})", "give each its own")
        known.setdefault(id, element.line)
        return id

    def _entity(self, element: Element, known: dict[str, int]) -> Entity:
        id = self._id(element, known)
        mentions = [self._mention(mention) for mention in element.all("entity_mention")]
        entry = _KB_ID.fullmatch(id)
        return Entity(
            id,
            element.get("type"),
            tuple(mention for mention in mentions if mention is not None),
            (Link(entry[1]),) if entry else (),
            group=element.get("specificity"),
        )

    def _mention(self, element: Element) -> Mention | None:
        level = element.get("noun_type")
        if level not in LEVELS[:3]:
            message = f"a mention with the noun_type {level!r}"
            self.spans.wrong(element, message, f"write one of {', '.join(LEVELS[:3])}")
        written = element.first("mention_text")
        text = written.text if written is not None else ""
        span = self._span(element, text)
        head_element = element.first("nom_head")
        head = None if head_element is None else self._span(head_element, head_element.text)
        if span is None:
            return None
        return Mention(self.id, *span, level, text, head, element.get("id"))

    def _span(self, element: Element, written: str) -> Span | None:
        start, length = whole_number(element.get("offset")), whole_number(element.get("length"))
        if start is None or length is None:
            message = f"the offset is {element.get('offset')!r}, the length {element.get('length')!r}"
            self.spans.wrong(element, message, "write whole numbers of characters")
            return None
        return self.spans.take(start, start + length, written, element)

    def _filler(self, element: Element, known: dict[str, int]) -> Entity:
        id = self._id(element, known)
        span = self._span(element, element.text)
        mentions = () if span is None else (Mention(self.id, *span, text=element.text, id=id),)
        return Entity(id, element.get("type"), mentions, kind="string")

    def _relation(self, element: Element, known: dict[str, int], fillers: set[str]) -> list[Fact]:
        id = element.get("id")
        type_, subtype = element.get("type"), element.get("subtype")
        if not id or not type_:
            self.spans.wrong(element, "a relation without id or type", "add it")
        pairs: dict[tuple[str, str], list[bool | None]] = {}
        for mention in element.all("relation_mention"):
            arguments = [self._argument(mention, tag, known) for tag in ("rel_arg1", "rel_arg2")]
            if arguments[0] is not None and arguments[1] is not None:
                said = {"true": True, "false": False}.get(mention.get("realis").lower())
                pairs.setdefault((arguments[0], arguments[1]), []).append(said)
        kept = {pair: said for pair, said in pairs.items() if not fillers.intersection(pair)}
        self.left["filler"] += len(pairs) - len(kept)
        name = f"{type_}.{subtype}" if self.names == "type.subtype" and subtype else subtype or type_
        return [
            Fact(
                subject,
                name,
                object_,
                self.id,
                Provenance(),
                id=id,
                category=type_,
                realis="true" if True in said else "false" if False in said else "",
            )
            for (subject, object_), said in kept.items()
        ]

    def _argument(self, mention: Element, tag: str, known: dict[str, int]) -> str | None:
        argument = mention.first(tag)
        if argument is None:
            self.spans.wrong(mention, f"a relation mention without {tag}", "add the argument")
            return None
        id = argument.get("entity_id") or argument.get("filler_id")
        if id not in known:
            self.spans.wrong(argument, f"there is no entity or filler {id!r} in the document", "check the id")
            return None
        return id
