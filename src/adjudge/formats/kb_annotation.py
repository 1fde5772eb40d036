"""ACE and Rich ERE annotation: XML beside a text, with entities, their mentions, and relations.

ACE 2005 has `DOC.apf.xml` with the text `DOC.sgm` beside it.

    <source_file><document DOCID="DOC">
      <entity ID="DOC-E1" TYPE="PER" CLASS="SPC">
        <entity_mention ID="DOC-E1-1" TYPE="NAM">
          <extent><charseq START="9" END="16">Ana Ruiz</charseq></extent>
          <head><charseq START="9" END="16">Ana Ruiz</charseq></head>
      <relation ID="DOC-R1" TYPE="ORG-AFF" SUBTYPE="Founder">
        <relation_argument REFID="DOC-E1" ROLE="Arg-1"/> <relation_argument REFID="DOC-E2" ROLE="Arg-2"/>

Offsets count characters of the text with all tags removed and nothing else changed: `&amp;` has five characters, a line
end one. END is the last character; spans in the model are half-open. A `relation` element is one fact, however many
mentions it has; the extents of its mentions are its provenance. Values, times, events, and arguments other than Arg-1
and Arg-2 are not read; what is left out is counted in a note. ACE 2004 is read as well.

Rich ERE has `DOC.rich_ere.xml`; its events are read by `adjudge.formats.ere`.

    <deft_ere doc_id="DOC">
      <entities><entity id="ent-1" type="PER" specificity="specific">
        <entity_mention id="m-1" noun_type="NAM" source="DOC" offset="120" length="8">
          <mention_text>Ana Ruiz</mention_text>
      <relations><relation id="r-1" type="orgaffiliation" subtype="founder">
        <relation_mention id="relm-1" realis="true">
          <rel_arg1 entity_id="ent-1" entity_mention_id="m-1" role="person">Ana Ruiz</rel_arg1>
          <rel_arg2 entity_id="ent-2" entity_mention_id="m-4" role="org">Corvex</rel_arg2>

Offsets count characters of the whole source file, tags included. A relation between two entities is one fact, however
many mentions it has. A filler is not an entity: facts that have one as an argument are left out and counted, or the
filler becomes a node of the kind `string`. An entity id such as `ent-m.09c7w0` is a link to another knowledge base.

Spans are checked against the text, corrected by it, or trusted without looking at it.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Collection
from html import escape, unescape
from pathlib import Path
from typing import Literal, TypeAlias

from adjudge.errors import FormatError, Problem, UsageError
from adjudge.findings import raise_problems, read_files
from adjudge.formats.eal_sources import Sources
from adjudge.formats.kb_documents import repeated_documents
from adjudge.formats.safe_xml import Element, read_xml, whole_number
from adjudge.formats.source import decode, read_bytes
from adjudge.formats.standoff import folded
from adjudge.model.kbp import (
    LEVELS,
    NAMED,
    NOMINAL,
    Entity,
    Fact,
    KbCorpus,
    KbDocument,
    Link,
    Mention,
    Provenance,
    Span,
)

Offsets: TypeAlias = Literal["check", "fix", "trust"]
Names: TypeAlias = Literal["subtype", "type.subtype"]
Read: TypeAlias = tuple[KbDocument, list[Problem]]
"""A document and the notes on it."""

NEAR = 200  # how many characters to either side the text of a span is searched for
PASSES = ("timex2norm", "adj", "fp1", "fp2")
"""Folders of the annotation stages, the final one first; reading all of them would count documents several times."""


def read_folder(path: str | os.PathLike[str], ending: str, read: Callable[[Path], Read], hint: str) -> KbCorpus:
    """All documents of a file, or of the files in a folder with that ending; all problems are raised at once.

    The `hint` says what to do about a document that is in two files.
    """
    parts, problems = read_files(find_files(Path(path), ending), read)
    documents = [document for _, (document, _) in parts]
    problems += repeated_documents(documents, hint)
    raise_problems(problems)
    return KbCorpus(os.fspath(path), documents, [note for _, (_, notes) in parts for note in notes])


def find_files(path: Path, ending: str) -> list[Path]:
    """The file itself, or the files in a folder with that ending, sorted; for ACE, only those of the final stage."""
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


class Annotation:
    """One document being read: it takes in mentions and collects what is wrong with them.

    With `check`, a span outside the text is a problem, and one whose text differs is counted; with `fix`, both are
    moved to the nearest place with the same text; with `trust`, the text is not looked at. `left` counts what is not
    kept.
    """

    def __init__(self, id: str, place: str, text: str | None, offsets: Offsets, names: Names) -> None:
        self.id = id
        self.place = place
        self.names = names
        self.known: dict[str, int] = {}  # ids and their lines
        self.text = None if offsets == "trust" else text
        self.offsets = offsets
        self.problems: list[Problem] = []
        self.different: list[int] = []
        self.moved: list[int] = []
        self.left: Counter[str] = Counter()

    def wrong(self, element: Element, message: str, hint: str) -> None:
        """A problem with an element."""
        self.problems.append(Problem(message, self.place, element.line, element.column, hint))

    def check(self) -> None:
        """Raise the problems, if there are any."""
        if self.problems:
            raise FormatError(self.problems)

    def identify(self, element: Element) -> str:
        """The id of an entity or filler, in whichever case the attribute is written; ids must be unique."""
        id = element.get("ID") or element.get("id")
        if not id:
            self.wrong(element, f"an element {element.tag} without an id", "add it")
        elif id in self.known:
            self.wrong(element, f"the id {id!r} occurs twice (line {self.known[id]})", "give each its own")
        self.known.setdefault(id, element.line)
        return id

    def take(self, start: int, end: int, written: str, element: Element) -> Span | None:
        """The half-open span of an element, whose text should be `written`."""
        if end <= start:
            self.wrong(element, f"the span from {start} ends before it starts", "correct the offsets")
            return None
        if self.text is None:
            return Span(start, end)
        inside = end <= len(self.text)
        if inside and (not written or same_text(self.text[start:end], written)):
            return Span(start, end)
        if self.offsets == "fix" and written:
            found = nearest(self.text, written, start)
            if found is not None:
                self.moved.append(element.line)
                return found
        if not inside:
            message = f"the span from {start} to {end} ends beyond the text of {len(self.text)} characters"
            self.wrong(element, message, "check that the text is the one that was annotated")
            return None
        self.different.append(element.line)
        return Span(start, end)

    def mention(self, element: Element, level: str, text: str, span: Span | None, head: Span | None) -> Mention | None:
        """A mention with its id; None if it has no span."""
        if level not in LEVELS[:3]:
            self.wrong(element, f"a mention of the type {level!r}", f"write one of {', '.join(LEVELS[:3])}")
        id = element.get("ID") or element.get("id")
        return None if span is None else Mention(self.id, *span, level, text, head, id)

    def notes(self, words: dict[str, tuple[str, str]]) -> list[Problem]:
        """Notes on what was not kept (`words` has its name in singular and plural) and on spans that were moved or
        differ."""
        kinds = [(count, words.get(kind, (kind, f"{kind}s"))) for kind, count in sorted(self.left.items()) if count]
        left = [f"{count} {one if count == 1 else many}" for count, (one, many) in kinds]
        found = [Problem(f"not kept: {', '.join(left)}", path=self.place)] if left else []
        for lines, what in (
            (self.moved, "moved to the nearest place with the same text"),
            (self.different, "whose text differs from that at the offsets, the offsets are used"),
        ):
            if lines:
                found.append(Problem(f"{len(lines)} span{'s' * (len(lines) != 1)} {what}", self.place, lines[0]))
        return found


def relation_name(element: Element, names: Names) -> str:
    """The name of a relation: its subtype, with or without the type before it."""
    type_, subtype = (element.get(key.upper()) or element.get(key) for key in ("type", "subtype"))
    return f"{type_}.{subtype}" if names == "type.subtype" and subtype else subtype or type_


def same_text(raw: str, written: str) -> bool:
    """Whether an annotated text is that of the source, which may write `&` as `&amp;`.

    >>> same_text("AT&amp;T  Corp", "AT&T Corp"), same_text("IBM", "ibm")
    (True, False)
    """
    if raw == written:
        return True
    return folded(written) in (folded(raw), folded(unescape(raw)), folded(unescape(raw.replace("&AMP;", "&amp;"))))


def nearest(text: str, written: str, start: int) -> Span | None:
    """The occurrence of a string nearest to an offset, at most `NEAR` characters away.

    >>> nearest("Oslo and Oslo", "Oslo", 7)
    Span(start=9, end=13)
    """
    best: Span | None = None
    low = max(0, start - NEAR)
    for form in dict.fromkeys((written, escape(written, quote=False))):
        at = text.find(form, low)
        while 0 <= at <= start + NEAR:
            if best is None or abs(at - start) < abs(best.start - start):
                best = Span(at, at + len(form))
            at = text.find(form, at + 1)
    return best


# ---------------------------------------------------------------------------------------------------------------------
# ACE


_TAG = re.compile("<[^<>]+>")
_ARGUMENTS = {"Arg-1": 0, "Arg-2": 1}
_ACE_NOT_KEPT = {
    "timex2": ("time", "times"),
    "argument": ("relation with an argument that is not an entity", "relations with an argument that is not an entity"),
}


def read_ace(
    path: str | os.PathLike[str],
    *,
    offsets: Offsets = "check",
    units: Literal["text", "raw"] = "text",
    names: Names = "subtype",
) -> KbCorpus:
    """All documents of a file or folder; the problems of all files are raised together.

    In a folder, the files of the final stage (`timex2norm`) are taken if there are any. With `units="raw"`, text and
    spans are those of the raw file with its tags, as Cold Start systems use them.
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
        reading = _Ace(found.get("DOCID"), place, text, offsets, names)
        document = reading.document(found, text)
        reading.check()
        if units == "raw" and raw is not None:
            document = _in_raw(document, raw)
        return document, [*notes, *reading.notes(_ACE_NOT_KEPT)]

    return read_folder(path, ".apf.xml", read, "give a folder with one version of each document, such as timex2norm")


def ace_text(raw: str) -> str:
    r"""The text that ACE offsets refer to: tags removed, and nothing else changed.

    >>> ace_text("<DOC>\n<TURN\n id='1'>AT&amp;T</TURN></DOC>")
    '\nAT&amp;T'
    """
    return _TAG.sub("", raw)


def raw_places(raw: str) -> list[int]:
    """The position in the raw text of each character of `ace_text(raw)`.

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
    """The raw text beside an annotation, with line ends as LF."""
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


class _Ace(Annotation):
    def document(self, found: Element, text: str | None) -> KbDocument:
        entities = [self._entity(element) for element in found.all("entity")]
        others: dict[str, Element] = {}
        for element in found.children:
            if element.tag in ("value", "timex2", "event"):
                self.left[element.tag] += 1
                others[element.get("ID")] = element
        made = [(self._relation(element, others.keys()), element.line) for element in found.all("relation")]
        facts = [(fact, line) for fact, line in made if fact is not None]
        lines = [line for _, line in facts]
        return KbDocument(self.id, entities, [fact for fact, _ in facts], text, lines, self.place)

    def _entity(self, element: Element) -> Entity:
        mentions = [self._mention(mention) for mention in element.all("entity_mention")]
        return Entity(
            self.identify(element),
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
            self.wrong(element, f"{here} is not a position in a text", "add a charseq with START and END")
            return None
        start, last = whole_number(charseq.get("START")), whole_number(charseq.get("END"))
        if start is None or last is None:
            message = f"the offsets are {charseq.get('START')!r} and {charseq.get('END')!r}"
            self.wrong(charseq, message, "write whole numbers of characters")
            return None
        return self.take(start, last + 1, charseq.text, charseq)

    def _relation(self, element: Element, others: Collection[str]) -> Fact | None:
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
                continue  # times are not arguments of the knowledge base
            if given[place] is not None:
                self.wrong(argument, f"the relation has two arguments {place + 1}", "keep one of them")
            given[place] = id
            if id not in self.known and id not in others:
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
    """The document with spans of the raw file; a tag inside a span becomes part of it."""
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


# ---------------------------------------------------------------------------------------------------------------------
# Rich ERE


_KB_ID = re.compile(r"ent-(m\.[0-9a-z_]+)", re.IGNORECASE)
_ERE_NOT_KEPT = {
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
    """All documents of a file or folder; `docs` is a folder with the source texts. All problems are raised at once."""
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
            raise FormatError(Problem("the document is not named", place, 1, 1, "add the attribute doc_id"))
        text = texts.text(id) if texts is not None and id in texts else None
        reading = _Ere(id, place, text, offsets, names)
        document = reading.document(root, text, fillers=fillers)
        reading.check()
        missing = texts is not None and text is None
        remarks = [Problem(f"there is no source text of {id!r} in {docs}", path=place)] if missing else []
        return document, [*remarks, *reading.notes(_ERE_NOT_KEPT)]

    return read_folder(path, ".rich_ere.xml", read, "leave one of them in the folder")


class _Ere(Annotation):
    def document(self, root: Element, text: str | None, *, fillers: Literal["drop", "string"]) -> KbDocument:
        entities = [self._entity(element) for group in root.all("entities") for element in group.all("entity")]
        strings = [self._filler(each) for group in root.all("fillers") for each in group.all("filler")]
        if fillers == "string":
            entities += strings
        drop = {each.id for each in strings} if fillers == "drop" else set()
        facts: list[Fact] = []
        lines: list[int] = []
        for element in (each for group in root.all("relations") for each in group.all("relation")):
            for fact in self._relation(element, drop):
                facts.append(fact)
                lines.append(element.line)
        self.left["hopper"] = sum(1 for group in root.all("hoppers") for _ in group.all("hopper"))
        return KbDocument(self.id, entities, facts, text, lines, self.place)

    def _entity(self, element: Element) -> Entity:
        id = self.identify(element)
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

    def _filler(self, element: Element) -> Entity:
        id = self.identify(element)
        span = self._span(element, element.text)
        mentions = () if span is None else (Mention(self.id, *span, text=element.text, id=id),)
        return Entity(id, element.get("type"), mentions, kind="string")

    def _relation(self, element: Element, fillers: set[str]) -> list[Fact]:
        id, type_ = element.get("id"), element.get("type")
        if not id or not type_:
            self.wrong(element, "a relation without id or type", "add it")
        pairs: dict[tuple[str, str], list[bool | None]] = {}
        for mention in element.all("relation_mention"):
            arguments = [self._argument(mention, tag) for tag in ("rel_arg1", "rel_arg2")]
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

    def _argument(self, mention: Element, tag: str) -> str | None:
        argument = mention.first(tag)
        if argument is None:
            self.wrong(mention, f"a relation mention without {tag}", "add the argument")
            return None
        id = argument.get("entity_id") or argument.get("filler_id")
        if id not in self.known:
            self.wrong(argument, f"there is no entity or filler {id!r} in the document", "check the id")
            return None
        return id


def _realis(said: list[bool | None]) -> str:
    return "true" if True in said else "false" if False in said else ""
