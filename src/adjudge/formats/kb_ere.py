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
from pathlib import Path
from typing import Literal

from adjudge.errors import FormatError, Problem
from adjudge.formats.eal_sources import Sources
from adjudge.formats.kb_annotation import Annotation, Names, Offsets, Read, read_folder, relation_name
from adjudge.formats.safe_xml import Element, read_xml, whole_number
from adjudge.formats.source import read_bytes
from adjudge.model.kbp import Entity, Fact, KbCorpus, KbDocument, Link, Mention, Span

_KB_ID = re.compile(r"ent-(m\.[0-9a-z_]+)", re.IGNORECASE)
_NOT_KEPT = {
    "filler": ("fact with a filler as argument", "facts with a filler as argument"),
    "hopper": ("event hopper", "event hoppers"),
}


def read_ere_corpus(
    path: str | os.PathLike[str],
    *,
    docs: str | os.PathLike[str] | None = None,
    offsets: Offsets = "check",
    fillers: Literal["drop", "string"] = "drop",
    names: Names = "type.subtype",
) -> KbCorpus:
    """All documents of a file or folder; `docs` is a folder with the source texts. Problems are raised at once."""
    texts = None if docs is None else Sources(docs)

    def read(file: Path) -> Read:
        place = str(file)
        root = read_xml(read_bytes(file, place), place)
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
        reading = _Reading(id, place, text, offsets)
        reading.fillers, reading.names = fillers, names
        document = reading.document(root, text)
        reading.check()
        missing = texts is not None and text is None
        remarks = [Problem(f"there is no source text of {id!r} in {docs}", path=place)] if missing else []
        return document, [*remarks, *reading.notes(_NOT_KEPT)]

    return read_folder(path, ".rich_ere.xml", read, "leave one of them in the folder")


class _Reading(Annotation):
    fillers: Literal["drop", "string"]
    names: Names

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
        return KbDocument(self.id, entities, facts, text, lines, self.place)

    def _id(self, element: Element, known: dict[str, int]) -> str:
        id = element.get("id")
        if not id:
            self.wrong(element, f"an element {element.tag} without an id", "add it")
        elif id in known:
            self.wrong(element, f"the id {id!r} is there twice (line {known[id]})", "give each its own")
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
        written, head = element.first("mention_text"), element.first("nom_head")
        text = written.text if written is not None else ""
        span = self._span(element, text)
        head_span = None if head is None else self._span(head, head.text)
        return self.mention(element, element.get("noun_type"), text, span, head_span)

    def _span(self, element: Element, written: str) -> Span | None:
        start, length = whole_number(element.get("offset")), whole_number(element.get("length"))
        if start is None or length is None:
            message = f"the offset is {element.get('offset')!r}, the length {element.get('length')!r}"
            self.wrong(element, message, "write whole numbers of characters")
            return None
        return self.take(start, start + length, written, element)

    def _filler(self, element: Element, known: dict[str, int]) -> Entity:
        id = self._id(element, known)
        span = self._span(element, element.text)
        mentions = () if span is None else (Mention(self.id, *span, text=element.text, id=id),)
        return Entity(id, element.get("type"), mentions, kind="string")

    def _relation(self, element: Element, known: dict[str, int], fillers: set[str]) -> list[Fact]:
        id, type_ = element.get("id"), element.get("type")
        if not id or not type_:
            self.wrong(element, "a relation without id or type", "add it")
        pairs: dict[tuple[str, str], list[bool | None]] = {}
        for mention in element.all("relation_mention"):
            arguments = [self._argument(mention, tag, known) for tag in ("rel_arg1", "rel_arg2")]
            if arguments[0] is not None and arguments[1] is not None:
                said = {"true": True, "false": False}.get(mention.get("realis").lower())
                pairs.setdefault((arguments[0], arguments[1]), []).append(said)
        kept = {pair: said for pair, said in pairs.items() if not fillers.intersection(pair)}
        self.left["filler"] += len(pairs) - len(kept)
        name = relation_name(element, self.names)
        return [
            Fact(*pair[:1], name, *pair[1:], self.id, id=id, category=type_, realis=_realis(said))
            for pair, said in kept.items()
        ]

    def _argument(self, mention: Element, tag: str, known: dict[str, int]) -> str | None:
        argument = mention.first(tag)
        if argument is None:
            self.wrong(mention, f"a relation mention without {tag}", "add the argument")
            return None
        id = argument.get("entity_id") or argument.get("filler_id")
        if id not in known:
            self.wrong(argument, f"there is no entity or filler {id!r} in the document", "check the id")
            return None
        return id


def _realis(said: list[bool | None]) -> str:
    return "true" if True in said else "false" if False in said else ""
