"""ACE 2005 annotation: `DOC.apf.xml` with entities and relations, and the text `DOC.sgm` beside it.

    <source_file><document DOCID="DOC">
      <entity ID="DOC-E1" TYPE="PER" CLASS="SPC">
        <entity_mention ID="DOC-E1-1" TYPE="NAM">
          <extent><charseq START="9" END="16">Ana Ruiz</charseq></extent>
          <head><charseq START="9" END="16">Ana Ruiz</charseq></head>
      <relation ID="DOC-R1" TYPE="ORG-AFF" SUBTYPE="Founder">
        <relation_argument REFID="DOC-E1" ROLE="Arg-1"/> <relation_argument REFID="DOC-E2" ROLE="Arg-2"/>

Offsets count characters of the text with all tags removed and nothing else changed: `&amp;` has five characters, a line
end one. END is the last character; spans in the model are half-open. A relation is an element `relation`, between
entities, however many mentions it has; its provenance are the extents of its mentions. Values, times and events are not
read, nor are arguments other than Arg-1 and Arg-2; what is left out is counted in a note. ACE 2004 is read as well.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Literal

from adjudge.errors import FormatError, Problem
from adjudge.formats.kb_annotation import Annotation, Names, Offsets, Read, read_folder, relation_name
from adjudge.formats.safe_xml import Element, read_xml, whole_number
from adjudge.formats.source import decode, read_bytes
from adjudge.model.kbp import NAMED, NOMINAL, Entity, Fact, KbCorpus, KbDocument, Mention, Provenance, Span

_TAG = re.compile("<[^<>]+>")
_ARGUMENTS = {"Arg-1": 0, "Arg-2": 1}
_NOT_KEPT = {
    "timex2": ("time", "times"),
    "argument": ("relation with an argument that is no entity", "relations with an argument that is no entity"),
}


def read_ace(
    path: str | os.PathLike[str],
    *,
    offsets: Offsets = "check",
    units: Literal["text", "raw"] = "text",
    names: Names = "subtype",
) -> KbCorpus:
    """All documents of a file or folder; problems of all files are raised at once.

    In a folder, files of the final stage (`timex2norm`) are taken if there are any. With `units="raw"`, spans are
    those of the raw file with its tags, to which systems for Cold Start refer, and so is the text.
    """

    def read(file: Path) -> Read:
        place = str(file)
        root = read_xml(read_bytes(file, place), place)
        found = root if root.tag == "document" else root.first("document")
        if found is None or not found.get("DOCID"):
            message = f"no document with a DOCID in the file, which is XML of <{root.tag}>"
            raise FormatError(Problem(message, place, root.line, root.column, "is this an ACE .apf.xml file?"))
        raw, notes = _source(file)
        text = None if raw is None else ace_text(raw)
        if units == "raw" and raw is None:
            hint = "put the .sgm file beside it"
            raise FormatError(Problem("spans of the raw file need the text of the document", path=place, hint=hint))
        reading = _Reading(found.get("DOCID"), place, text, offsets)
        reading.names = names
        document = reading.document(found, text)
        reading.check()
        if units == "raw" and raw is not None:
            document = _in_raw(document, raw)
        return document, [*notes, *reading.notes(_NOT_KEPT)]

    return read_folder(path, ".apf.xml", read, "give a folder with one version of each document, such as timex2norm")


def ace_text(raw: str) -> str:
    r"""The text to which the offsets of ACE refer: without tags, and nothing else changed.

    >>> ace_text("<DOC>\n<TURN\n id='1'>AT&amp;T</TURN></DOC>")
    '\nAT&amp;T'
    """
    return _TAG.sub("", raw)


def raw_places(raw: str) -> list[int]:
    """For each character of `ace_text(raw)` its place in the raw text.

    >>> raw_places("<a>bc<d>e")
    [3, 4, 8]
    """
    places: list[int] = []
    position = 0
    for tag in _TAG.finditer(raw):
        places.extend(range(position, tag.start()))
        position = tag.end()
    places.extend(range(position, len(raw)))
    return places


def _source(file: Path) -> tuple[str | None, list[Problem]]:
    """The raw text beside an annotation, with LF line ends."""
    stem = file.name.removesuffix(".gz").removesuffix(".xml").removesuffix(".apf")
    for ending in (".sgm", ".sgm.gz", ".SGM"):
        candidate = file.with_name(stem + ending)
        if candidate.is_file():
            raw = decode(read_bytes(candidate, str(candidate)), str(candidate))
            if "\r\n" not in raw:
                return raw, []
            note = "lines end in CR LF, which the offsets do not count: read as LF"
            return raw.replace("\r\n", "\n"), [Problem(note, path=str(candidate))]
    hint = "spans cannot be compared with it"
    return None, [Problem(f"there is no text {stem}.sgm beside the file", path=str(file), hint=hint)]


class _Reading(Annotation):
    names: Names

    def document(self, found: Element, text: str | None) -> KbDocument:
        entities = []
        known: dict[str, int] = {}
        others = set()
        for element in found.children:
            if element.tag == "entity":
                entity = self._entity(element)
                if entity.id and entity.id in known:
                    message = f"the entity {entity.id!r} is there twice (line {known[entity.id]})"
                    self.wrong(element, message, "keep one of them")
                known.setdefault(entity.id, element.line)
                entities.append(entity)
            elif element.tag in ("value", "timex2", "event"):
                self.left[element.tag] += 1
                others.add(element.get("ID"))
        made = [(self._relation(element, known, others), element.line) for element in found.all("relation")]
        facts = [(fact, line) for fact, line in made if fact is not None]
        lines = [line for _, line in facts]
        return KbDocument(self.id, entities, [fact for fact, _ in facts], text, lines, self.place)

    def _entity(self, element: Element) -> Entity:
        if not element.get("ID"):
            self.wrong(element, "an entity without an ID", "add it")
        mentions = [self._mention(mention) for mention in element.all("entity_mention")]
        return Entity(
            element.get("ID"),
            element.get("TYPE"),
            tuple(mention for mention in mentions if mention is not None),
            subtype=element.get("SUBTYPE"),
            group=element.get("CLASS"),
        )

    def _mention(self, element: Element) -> Mention | None:
        level = element.get("TYPE")
        if level == "PRE":  # ACE 2004: a modifier, whose finer type says whether it is a name
            level = NAMED if element.get("LDCTYPE").startswith("NAM") else NOMINAL
        extent, head = element.first("extent"), element.first("head")
        if extent is None:
            self.wrong(element, "a mention without an extent", "add the extent with its charseq")
            return None
        inner = (head or extent).first("charseq")
        text = inner.text if inner is not None else ""
        span = self._charseq(extent)
        return self.mention(element, level, text, span, None if head is None else self._charseq(head))

    def _charseq(self, element: Element) -> Span | None:
        charseq = element.first("charseq")
        if charseq is None:
            here = f"an <{element.tag}> without a charseq" if not element.first("timespan") else "a timespan"
            self.wrong(element, f"{here} is no place in a text", "add a charseq with START and END")
            return None
        start, last = whole_number(charseq.get("START")), whole_number(charseq.get("END"))
        if start is None or last is None:
            message = f"the offsets are {charseq.get('START')!r} and {charseq.get('END')!r}"
            self.wrong(charseq, message, "write whole numbers of characters")
            return None
        return self.take(start, last + 1, charseq.text, charseq)

    def _relation(self, element: Element, known: dict[str, int], others: set[str]) -> Fact | None:
        type_ = element.get("TYPE")
        if not element.get("ID") or not type_:
            self.wrong(element, "a relation without ID or TYPE", "add it")
        given: list[str | None] = [None, None]
        for argument in element.children:
            if argument.tag == "relation_argument":
                place, id = _ARGUMENTS.get(argument.get("ROLE")), argument.get("REFID")
            elif argument.tag == "rel_entity_arg":  # ACE 2004
                place, id = {"1": 0, "2": 1}.get(argument.get("ARGNUM")), argument.get("ENTITYID")
            else:
                continue
            if place is None:
                continue  # times are no arguments of the knowledge base
            if given[place] is not None:
                self.wrong(argument, f"the relation has two arguments {place + 1}", "keep one of them")
            given[place] = id
            if id not in known and id not in others:
                self.wrong(argument, f"there is no entity {id!r} in the document", "check the REFID")
        subject, object_ = given
        if subject is None or object_ is None:
            missing = "Arg-1" if subject is None else "Arg-2"
            self.wrong(element, f"the relation has no {missing}", "add a relation_argument with this ROLE")
            return None
        if subject in others or object_ in others:
            self.left["argument"] += 1
            return None
        extents = [extent for mention in element.all("relation_mention") if (extent := mention.first("extent"))]
        spans = [self._charseq(extent) for extent in extents]
        provenance = Provenance(tuple(span for span in spans if span is not None))
        relation = relation_name(element, self.names)
        return Fact(subject, relation, object_, self.id, provenance, id=element.get("ID"), category=type_)


def _in_raw(document: KbDocument, raw: str) -> KbDocument:
    """A document with the spans of the raw file; a tag inside a span is then part of it."""
    places = raw_places(raw)

    def moved(span: Span) -> Span:
        return Span(places[span.start], places[span.end - 1] + 1)

    entities = [
        entity._replace(
            mentions=tuple(
                mention._replace(
                    start=moved(mention.span).start,
                    end=moved(mention.span).end,
                    head=None if mention.head is None else moved(mention.head),
                )
                for mention in entity.mentions
            )
        )
        for entity in document.entities
    ]
    facts = [
        fact._replace(provenance=Provenance(tuple(map(moved, fact.provenance.justification))))
        for fact in document.facts
    ]
    return KbDocument(document.id, entities, facts, raw, document.fact_lines, document.path)
