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
from collections import Counter
from pathlib import Path
from typing import Literal

from adjudge.errors import FormatError, Problem, UsageError
from adjudge.formats.findings import raise_problems
from adjudge.formats.kb_spans import Offsets, Spans
from adjudge.formats.safe_xml import Element, read_xml, whole_number
from adjudge.formats.source import decode, read_bytes
from adjudge.model.kbp import LEVELS, NAMED, NOMINAL, Entity, Fact, KbCorpus, KbDocument, Mention, Provenance, Span

PASSES = ("timex2norm", "adj", "fp1", "fp2")
"""Folders of the stages of annotation, the final one first; reading all of them would count documents several times."""

_TAG = re.compile("<[^<>]+>")
_ARGUMENTS = {"Arg-1": 0, "Arg-2": 1}


def read_ace(
    path: str | os.PathLike[str],
    *,
    offsets: Offsets = "check",
    units: Literal["text", "raw"] = "text",
    names: Literal["subtype", "type.subtype"] = "subtype",
) -> KbCorpus:
    """All documents of a file or folder; problems of all files are raised at once.

    In a folder, files of the final stage (`timex2norm`) are taken if there are any. With `units="raw"`, spans are
    those of the raw file with its tags, to which systems for Cold Start refer, and so is the text.
    """
    documents: list[KbDocument] = []
    problems: list[Problem] = []
    notes: list[Problem] = []
    first: dict[str, str] = {}
    for file in find_files(Path(path), ".apf.xml"):
        try:
            document, remarks = read_ace_document(file, offsets=offsets, units=units, names=names)
        except FormatError as error:
            problems += error.problems
            continue
        before = first.setdefault(document.id, str(file))
        if before != str(file):
            hint = "give a folder with one version of each document, such as timex2norm"
            problems.append(Problem(f"the document {document.id!r} is also in {before}", path=str(file), hint=hint))
        documents.append(document)
        notes += remarks
    raise_problems(problems)
    return KbCorpus(os.fspath(path), documents, notes)


def read_ace_document(
    path: str | os.PathLike[str],
    *,
    offsets: Offsets = "check",
    units: Literal["text", "raw"] = "text",
    names: Literal["subtype", "type.subtype"] = "subtype",
) -> tuple[KbDocument, list[Problem]]:
    """One document, and remarks about it."""
    file = Path(path)
    place = str(file)
    root = read_xml(read_bytes(file, place), place)
    found = root if root.tag == "document" else root.first("document")
    if found is None or not found.get("DOCID"):
        message = f"no document with a DOCID in the file, which is XML of <{root.tag}>"
        raise FormatError(Problem(message, place, root.line, root.column, "is this an ACE .apf.xml file?"))
    raw, notes = _source(file)
    text = None if raw is None else _TAG.sub("", raw)
    if units == "raw" and raw is None:
        hint = "put the .sgm file beside it"
        raise FormatError(Problem("spans of the raw file need the text of the document", path=place, hint=hint))
    reading = _Reading(found.get("DOCID"), Spans(place, text, offsets), names)
    document = reading.document(found, text)
    if reading.spans.problems:
        raise FormatError(reading.spans.problems)
    if units == "raw" and raw is not None:
        document = _in_raw(document, raw)
    return document, [*notes, *reading.notes()]


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


def find_files(path: Path, ending: str) -> list[Path]:
    """The file itself, or the files of a folder with that ending, sorted; of ACE only those of the final stage."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise UsageError(Problem("there is no such file or folder", path=str(path), hint="check the path"))
    files = sorted(each for each in path.rglob(f"*{ending}") if each.is_file())
    if not files:
        raise UsageError(Problem(f"no {ending} file in the folder", path=str(path), hint="check the path"))
    for stage in PASSES:
        staged = [file for file in files if file.parent.name == stage]
        if staged:
            return [*staged, *(file for file in files if file.parent.name not in PASSES)]
    return files


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


class _Reading:
    """One document on its way in."""

    def __init__(self, id: str, spans: Spans, names: str) -> None:
        self.id = id
        self.spans = spans
        self.names = names
        self.left: Counter[str] = Counter()

    def document(self, found: Element, text: str | None) -> KbDocument:
        entities = []
        known: dict[str, int] = {}
        others = set()
        for element in found.children:
            if element.tag == "entity":
                entity = self._entity(element)
                if entity.id and entity.id in known:
                    message = f"the entity {entity.id!r} is there twice (line {known[entity.id]})"
                    self.spans.wrong(element, message, "keep one of them")
                known.setdefault(entity.id, element.line)
                entities.append(entity)
            elif element.tag in ("value", "timex2", "event"):
                self.left[element.tag] += 1
                others.add(element.get("ID"))
        facts = []
        lines = []
        for element in found.all("relation"):
            fact = self._relation(element, known, others)
            if fact is not None:
                facts.append(fact)
                lines.append(element.line)
        return KbDocument(self.id, entities, facts, text, lines, self.spans.place)

    def notes(self) -> list[Problem]:
        words = {"timex2": "time", "argument": "relation with an argument that is no entity"}
        left = []
        for tag, count in sorted(self.left.items()):
            word = words.get(tag, tag)
            more = word.replace("relation", "relations") if tag == "argument" else f"{word}s"
            left.append(f"{count} {word if count == 1 else more}")
        found = [Problem(f"not kept: {', '.join(left)}", path=self.spans.place)] if left else []
        return [*found, *self.spans.notes()]

    def _entity(self, element: Element) -> Entity:
        if not element.get("ID"):
            self.spans.wrong(element, "an entity without an ID", "add it")
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
        if level not in LEVELS[:3]:
            self.spans.wrong(element, f"a mention of the type {level!r}", f"write one of {', '.join(LEVELS[:3])}")
        extent = element.first("extent")
        if extent is None:
            self.spans.wrong(element, "a mention without an extent", "add the extent with its charseq")
            return None
        span = self._charseq(extent)
        head_element = element.first("head")
        head = None if head_element is None else self._charseq(head_element)
        if span is None:
            return None
        inner = (head_element or extent).first("charseq")
        text = inner.text if inner is not None else ""
        return Mention(self.id, *span, level, text, head, element.get("ID"))

    def _charseq(self, element: Element) -> Span | None:
        charseq = element.first("charseq")
        if charseq is None:
            here = f"an <{element.tag}> without a charseq" if not element.first("timespan") else "a timespan"
            self.spans.wrong(element, f"{here} is no place in a text", "add a charseq with START and END")
            return None
        start, last = whole_number(charseq.get("START")), whole_number(charseq.get("END"))
        if start is None or last is None:
            message = f"the offsets are {charseq.get('START')!r} and {charseq.get('END')!r}"
            self.spans.wrong(charseq, message, "write whole numbers of characters")
            return None
        return self.spans.take(start, last + 1, charseq.text, charseq)

    def _relation(self, element: Element, known: dict[str, int], others: set[str]) -> Fact | None:
        type_, subtype = element.get("TYPE"), element.get("SUBTYPE")
        if not element.get("ID") or not type_:
            self.spans.wrong(element, "a relation without ID or TYPE", "add it")
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
                self.spans.wrong(argument, f"the relation has two arguments {place + 1}", "keep one of them")
            given[place] = id
            if id not in known and id not in others:
                self.spans.wrong(argument, f"there is no entity {id!r} in the document", "check the REFID")
        subject, object_ = given
        if subject is None or object_ is None:
            missing = "Arg-1" if subject is None else "Arg-2"
            self.spans.wrong(element, f"the relation has no {missing}", "add a relation_argument with this ROLE")
            return None
        if subject in others or object_ in others:
            self.left["argument"] += 1
            return None
        extents = [extent for mention in element.all("relation_mention") if (extent := mention.first("extent"))]
        spans = [self._charseq(extent) for extent in extents]
        provenance = Provenance(tuple(span for span in spans if span is not None))
        relation = f"{type_}.{subtype}" if self.names == "type.subtype" and subtype else subtype or type_
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
