r"""PubTator and BioC: entities with identifiers in titles and abstracts.

    1|t|BRCA1 in cancer.
    1|a|Mutations of BRCA1 occur.
    1	0	5	BRCA1	Gene	672

Offsets are characters, ends exclusive; in PubTator those of the title, one blank, and the abstract, in BioC those of
the whole document. Every annotation is an entity, and a mention of the concept of its identifier.
"""

from __future__ import annotations

import re
from typing import Any

from adjudge.errors import FormatError, Problem
from adjudge.findings import raise_problems
from adjudge.formats.coerce.corpus import Notes
from adjudge.formats.safe_xml import Element, read_xml, whole_number
from adjudge.formats.source import Source, Whole, read_text, read_whole
from adjudge.model.document import Corpus, Document

_PART = re.compile(r"([^|\t]+)\|([ta])\|(.*)")
_IDENTIFIERS = ("identifier", "kb_id", "normalized", "mesh", "ncbi gene", "cui")
_NONE = ("", "-", "-1", "NIL", "None")


class _Documents:
    """Documents under construction: texts and annotations by id, in file order."""

    def __init__(self, whole: Whole) -> None:
        self.whole, self.notes = whole, Notes()
        self.problems: list[Problem] = []
        self.data: dict[str, dict[str, Any]] = {}
        self.lines: dict[str, int] = {}

    def wrong(self, message: str, line: int, hint: str) -> None:
        self.problems.append(Problem(message, path=self.whole.place, line=line, hint=hint))

    def begin(self, name: str, line: int) -> dict[str, Any]:
        self.lines.setdefault(name, line)
        return self.data.setdefault(name, {"id": name, "text": "", "entities": [], "mentions": []})

    def add(self, name: str, span: tuple[int, int], kind: str, identifier: str) -> None:
        place = {"start": span[0], "end": span[1]}
        self.data[name]["entities"].append({"span": place, "type": kind})
        entity = None if identifier in _NONE else identifier
        self.data[name]["mentions"].append({"span": place, "type": kind, "entity": entity})

    def check(self, name: str, span: tuple[int, int], written: str, line: int) -> None:
        """The text given with an annotation must be that at its offsets."""
        text = self.data[name]["text"]
        if span[0] >= span[1] or (text and span[1] > len(text)):
            self.wrong(
                f"the text has no characters {span[0]} to {span[1]}",
                line,
                "the end is the position after the last character",
            )
        elif text and written and text[span[0] : span[1]].split() != written.split():
            self.notes.add(
                "other-text", "{n} annotations whose text differs from that at the offsets", f"{name}:{line}"
            )

    def corpus(self) -> Corpus:
        if not self.data and not self.problems:
            raise FormatError(Problem("there is no document in the file", path=self.whole.place, hint="name another"))
        raise_problems(self.problems, self.whole.place)
        documents = tuple(Document(id=name, data=data, line=self.lines[name]) for name, data in self.data.items())
        return Corpus(path=self.whole.place, documents=documents, digest=self.whole.digest, notes=self.notes.made())


def read_pubtator(source: Source, *, name: str | None = None) -> Corpus:
    r"""The documents of a PubTator file.

    >>> read_pubtator(b"1|t|BRCA1.\n1|a|x\n1\t0\t5\tBRCA1\tGene\t672\n").documents[0].data["mentions"]
    [{'span': {'start': 0, 'end': 5}, 'type': 'Gene', 'entity': '672'}]
    """
    whole, text = read_text(source, name=name)
    found = _Documents(whole)
    parts: dict[str, dict[str, str]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        line = line.removesuffix("\r")
        if not line.strip():
            continue
        if part := _PART.fullmatch(line):
            own = parts.setdefault(part[1], {})
            own[part[2]] = part[3]
            found.begin(part[1], number)["text"] = " ".join(own[key] for key in ("t", "a") if key in own)
            continue
        _pubtator_row(found, line.split("\t"), number)
    return found.corpus()


def _pubtator_row(found: _Documents, cells: list[str], number: int) -> None:
    if len(cells) < 4:
        found.wrong(
            "neither a title, an abstract nor an annotation",
            number,
            "write ID, start, end, text, type separated by TABs",
        )
        return
    name = cells[0]
    start, end = (whole_number(cell.strip()) for cell in cells[1:3])
    if start is None or end is None or len(cells) < 5:
        found.notes.add("not-kept", "{n} relations are left out", f"{name}:{number}")
        return
    if name not in found.data:
        found.begin(name, number)
    found.check(name, (start, end), cells[3], number)
    found.add(name, (start, end), cells[4], cells[5].strip() if len(cells) > 5 else "")


def read_bioc(source: Source, *, name: str | None = None, fragments: str = "join") -> Corpus:
    """The documents of a BioC collection in XML; with `fragments="keep"` every fragment is an entity of its own.

    >>> read_bioc(b"<collection><document><id>1</id></document></collection>").documents[0].data["entities"]
    []
    """
    whole = read_whole(source, name=name)
    root = read_xml(whole.data, whole.place)
    found = _Documents(whole)
    if root.tag != "collection":
        found.wrong(f"the root is {root.tag!r}", root.line, "BioC has a collection of documents")
    for document in root.all("document"):
        identifier = _text(document.first("id"))
        if not identifier or identifier in found.data:
            found.wrong(f"the document {identifier!r} has no id of its own", document.line, "give each document an id")
            continue
        data = found.begin(identifier, document.line)
        passages = list(document.all("passage"))
        units = [each for passage in passages for each in (passage, *passage.all("sentence"))]
        data["text"] = _bioc_text(units)
        if any(next(each.all("relation"), None) is not None for each in (document, *units)):
            found.notes.add("not-kept", "{n} documents have relations, which are left out", identifier)
        for unit in (document, *units):
            for annotation in unit.all("annotation"):
                _bioc_annotation(found, identifier, annotation, keep=fragments == "keep")
    return found.corpus()


def _bioc_text(units: list[Element]) -> str:
    """The text of a document, every part at its offset, blanks between them."""
    text = ""
    for unit in units:
        own, offset = unit.first("text"), whole_number(_text(unit.first("offset")) or "0")
        if own is not None and offset is not None and len(text) <= offset <= len(text) + 10_000:
            text = text.ljust(offset) + own.text
    return text


def _bioc_annotation(found: _Documents, name: str, annotation: Element, *, keep: bool) -> None:
    infons = {each.get("key").lower(): each.text.strip() for each in annotation.all("infon")}
    places = [
        (whole_number(each.get("offset")), whole_number(each.get("length"))) for each in annotation.all("location")
    ]
    spans = [(start, start + size) for start, size in places if start is not None and size is not None]
    if not spans or len(spans) < len(places):
        found.wrong("the annotation has no position", annotation.line, 'write <location offset="0" length="5"/>')
        return
    if len(spans) > 1 and not keep:
        found.notes.add("fragments-joined", "{n} annotations of several fragments were joined to one span", name)
    whole = min(start for start, _ in spans), max(end for _, end in spans)
    found.check(name, whole, _text(annotation.first("text")) if len(spans) == 1 else "", annotation.line)
    identifier = next((infons[key] for key in _IDENTIFIERS if key in infons), "")
    for span in spans if keep else [whole]:
        found.add(name, span, infons.get("type", ""), identifier)


def _text(element: Element | None) -> str:
    return "" if element is None else element.text.strip()
