"""One line of a Cold Start knowledge base: comments, fields, node names, strings, confidences, provenance.

What is wrong with a line is a finding with a place. Where the meaning is clear the line is repaired and the finding
says how; where it is not, the line is left out.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from adjudge.formats.kb_findings import KbFindings
from adjudge.model.kbp import Provenance, Span

SPAN_LENGTH, TOTAL_LENGTH, SPANS = 200, 800, 3
"""Characters of one span and of a whole provenance, and spans of a justification, that are allowed."""
LARGEST = 2**31 - 1
LEAST = 1e-6  # for a confidence of 0, which is not allowed: the order of facts stays

_MARK = re.compile('["#]')
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_PLACE = re.compile(r"([^:;,]+):([0-9]{1,10})-([0-9]{1,10})")
_TRIPLE = re.compile(r"(.+):\s*(-?[0-9]+)\s*-\s*(-?[0-9]+)", re.DOTALL)
_LEGAL = re.compile(r"1\.0*|0?\.[0-9]*[1-9][0-9]*")
_NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,4})?|[-+]?(?:nan|inf)", re.IGNORECASE)
_PLAIN = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_NODE = re.compile(r":?(entity|event|string).+", re.IGNORECASE | re.DOTALL)

INFERRED = "# inferred"


class Node(NamedTuple):
    """A node name as it is used from here on, and what kind of node it is."""

    id: str
    kind: str


class Place(NamedTuple):
    """A provenance: its document and its parts, each a list of spans."""

    document: str
    parts: tuple[tuple[Span, ...], ...]


def cut_comment(line: str) -> tuple[str, str, int | None]:
    r"""A line without its comment, the comment, and the place of a `#` that the official rule would cut at.

    Officially every `#` outside of quotes begins a comment; files with URLs as types show that this cannot be meant, so
    here it must be at the start of the line or behind a blank.

    >>> cut_comment(':E1\ttype\t"a # b" # note')
    (':E1\ttype\t"a # b" ', '# note', None)
    >>> cut_comment(":E1\ttype\thttp://x#PER")
    (':E1\ttype\thttp://x#PER', '', 17)
    """
    official = None
    position = 0
    while (mark := _MARK.search(line, position)) is not None:
        at = mark.start()
        if line[at] == '"':
            string = _STRING.match(line, at)
            if string is None:  # a quote that is never closed: no place behind it is surely a comment
                break
            position = string.end()
        elif at == 0 or line[at - 1].isspace():
            return line[:at], line[at:], official
        else:
            official = at if official is None else official
            position = at + 1
    return line, "", official


class LineReader:
    """Reads the fields of lines of one file; what was seen before is looked up."""

    def __init__(self, found: KbFindings) -> None:
        self.found = found
        self.line = 0
        self.text = ""
        self._nodes: dict[str, Node] = {}
        self._ids: dict[str, str] = {}  # the repaired name and the written one
        self._sure: dict[str, float] = {}
        self._documents: dict[str, str] = {}

    def error(self, kind: str, field: int, message: str, hint: str, *, repair: str | None = None) -> None:
        """A finding about a field of the line, counted from 1 (0: the whole line)."""
        column = self.found.column(self.text, field) if field else 1
        self.found.error(kind, message, self.line, column, hint, repair=repair)

    def warn(self, kind: str, field: int, message: str, hint: str, *, repair: str | None = None) -> None:
        """A remark about a field."""
        column = self.found.column(self.text, field) if field else 1
        self.found.warn(kind, message, self.line, column, hint, repair=repair)

    def known_node(self, raw: str) -> Node | None:
        """A node whose name was seen before and is as it should be."""
        return self._nodes.get(raw)

    def known_confidence(self, raw: str | None) -> float | None:
        """A confidence that was seen before and is as it should be."""
        return 1.0 if raw is None else self._sure.get(raw)

    def document(self, name: str) -> str:
        """The name of a document, the same object each time: there are few documents and many lines."""
        return self._documents.setdefault(name, name)

    name = document
    """The same for predicates."""

    def node(self, raw: str, field: int) -> Node | None:
        """The node of a name, repaired if need be."""
        node = self._nodes.get(raw)
        if node is not None:
            return node
        if raw.startswith('"') or not raw.removeprefix(":"):
            what = f"the string {raw}" if raw.startswith('"') else "nothing"
            self.error("string-for-node", field, f"{what} instead of a node", "write a name such as :Entity_7")
            return None
        return self._new_node(raw, field)

    def _new_node(self, raw: str, field: int) -> Node:
        name = raw if raw.startswith(":") else f":{raw}"
        prefix = _NODE.fullmatch(name)
        kind = prefix[1].lower() if prefix else "entity"
        clean = name if prefix else f":Entity_{name[1:]}"
        clean = "_".join(clean.replace("-", "_").split())
        if clean != name:
            number = 1
            base = clean
            while self._ids.get(clean, name) != name:
                number += 1
                clean = f"{base}_{number}"
            message = f"{raw!r} is no name of a node"
            hint = "write :Entity..., :Event... or :String..., without a dash"
            self.error("illegal-node-name", field, message, hint, repair=f"called {clean}")
        elif name != raw:
            message = f"the node {raw!r} has no colon before its name"
            self.warn("colon-omitted", field, message, f"write {name}", repair="the colon is added")
        self._ids.setdefault(clean, name)
        node = Node(clean, kind)
        if clean == raw:  # others are complained about each time
            self._nodes[raw] = node
        return node

    def string(self, raw: str, field: int) -> str:
        """The text of a quoted string; one without quotes is taken as it is."""
        match = _STRING.fullmatch(raw)
        if match is None:
            self.warn(
                "unquoted-string", field, f"the string {shown(raw)} is not in quotes", 'write "..."', repair="kept"
            )
            return raw.strip('"') if raw.count('"') == 1 else raw
        return match[1] if "\\" not in match[1] else _ESCAPE.sub(r"\1", match[1])

    def confidence(self, raw: str, field: int) -> float:
        """A confidence as a number, repaired if need be."""
        value = self._sure.get(raw)
        if value is not None:
            return value
        hint = "write a number above 0 and at most 1, with a decimal point"
        if _LEGAL.fullmatch(raw):
            value = self._sure[raw] = float(raw)
            if value <= 0:  # so small that it is 0 for us
                value = self._sure[raw] = LEAST
            return value
        if raw == "1":
            self.warn(
                "missing-decimal-point", field, "the confidence 1 has no decimal point", "write 1.0", repair="1.0"
            )
            return 1.0
        number = float(raw) if _NUMBER.fullmatch(raw) else float("nan")
        repaired = min(max(number, LEAST), 1.0) if number == number else 1.0
        if 0 < number <= 1:
            message = f"the confidence {raw} is not a plain decimal number"
            self.warn("improper-confidence", field, message, hint, repair=f"read as {repaired}")
        else:
            message = f"the confidence {shown(raw)} is not allowed"
            self.error("illegal-confidence", field, message, hint, repair=f"read as {repaired:g}")
        return repaired

    def place(self, raw: str, field: int) -> Place | None:
        """A provenance, None if it cannot be read."""
        match = _PLACE.fullmatch(raw)
        if match is not None:
            start, last = int(match[2]), int(match[3])
            if start <= last <= LARGEST and last - start < SPAN_LENGTH:
                document = match[1].strip()
                document = self._documents.setdefault(document, document)
                if document:
                    return Place(document, ((Span(start, last + 1),),))
        return self._place(raw, field)

    def _place(self, raw: str, field: int) -> Place | None:
        document = ""
        parts = []
        for part in raw.split(";"):
            spans = []
            for triple in part.split(",") if part.strip().upper() != "NIL" else ():
                read = self._triple(triple, field)
                if read is None:
                    return None
                name, span = read
                if document and name != document:
                    message = f"spans of two documents, {document!r} and {name!r}, in one provenance"
                    hint = "name one document, and repeat the fact for the other"
                    self.error("several-documents", field, message, hint, repair=f"only {document!r} is kept")
                    continue
                document = name
                spans.append(span)
            parts.append(tuple(spans))
        if not document:
            self.error("illegal-provenance", field, "the provenance names no document", _PROVENANCE)
            return None
        total = sum(end - start for spans in parts for start, end in spans)
        if total > TOTAL_LENGTH:
            message = f"a provenance of {total} characters, more than {TOTAL_LENGTH}"
            self.error("long-provenance", field, message, "name shorter spans", repair="kept")
        return Place(self._documents.setdefault(document, document), tuple(parts))

    def only_span(self, place: Place, field: int) -> Span:
        """The span of a mention, which has just one."""
        spans = [span for part in place.parts for span in part]
        if len(spans) > 1 or len(place.parts) > 1:
            hint = "write a line for each mention"
            self.error("many-spans", field, f"a mention with {len(spans)} spans", hint, repair="the first one kept")
        return spans[0]

    def _triple(self, text: str, field: int) -> tuple[str, Span] | None:
        match = _TRIPLE.fullmatch(text.strip())
        if match is None or not match[1].strip() or any(mark in match[1] for mark in ":\t"):
            self.error("illegal-provenance", field, f"{shown(text.strip())} is no place in a document", _PROVENANCE)
            return None
        digits = match[2], match[3]
        if any(each.startswith("-") or len(each) > 10 or int(each) > LARGEST for each in digits):
            message = f"the offsets {shown(f'{digits[0]}-{digits[1]}')} are not possible"
            self.error("illegal-offset", field, message, f"count characters from 0, to {LARGEST} at most")
            return None
        start, last = int(digits[0]), int(digits[1])
        if last < start:
            message = f"the span {start}-{last} ends before it starts"
            self.error("illegal-offset-pair", field, message, "write the first and the last character")
            return None
        if last - start >= SPAN_LENGTH:
            message = f"the span {start}-{last} has more than {SPAN_LENGTH} characters"
            self.warn("long-span", field, message, "name a shorter one", repair=f"cut to {SPAN_LENGTH} characters")
            last = start + SPAN_LENGTH - 1
        return match[1].strip(), Span(start, last + 1)

    def provenance(self, place: Place, kinds: tuple[str, str], field: int) -> Provenance:
        """The parts of the provenance of a fact by their meaning, which depends on the kinds of its two nodes."""
        event, string = "event" in kinds, kinds[1] == "string"
        names = [*(["filler"] if string else []), "justification", *(["base_filler", "additional"] if event else [])]
        parts = place.parts
        if len(parts) == 1 and not event and not string:
            given = {"justification": parts[0]}
        elif len(parts) == len(names):
            given = dict(zip(names, parts, strict=True))
        else:
            given = self._old_parts(place, names, field)
        if not given.get("justification"):
            self.error("no-justification", field, "nothing justifies the predicate", _PROVENANCE, repair="kept")
        for name, most in (("filler", 1), ("justification", SPANS), ("base_filler", 1)):
            spans = given.get(name, ())
            if len(spans) > most:
                message = f"{len(spans)} spans as {name.replace('_', ' ')}, at most {most} are allowed"
                hint = "name the best ones"
                self.error("many-spans", field, message, hint, repair=f"the first {most if most > 1 else 'one'} kept")
                given[name] = spans[:most]
        return Provenance(**given)

    def _old_parts(self, place: Place, names: list[str], field: int) -> dict[str, tuple[Span, ...]]:
        """Parts in another number than they should be: mostly the plain list of spans of the years before 2017."""
        parts = place.parts
        flat = tuple(span for part in parts for span in part)
        message = f"a provenance of {len(parts)} part{'s' * (len(parts) != 1)} instead of {len(names)}"
        hint = "write " + " ; ".join(name.replace("_", " ") for name in names)
        if len(names) == 1:
            self.warn("semicolon", field, message, "separate spans by commas", repair="read as one list of spans")
            return {"justification": flat}
        if names[0] == "filler":
            repair = "the first span is taken as filler, the others as justification"
            self.error("provenance-parts", field, message, hint, repair=repair)
            return {"filler": flat[:1], "justification": flat[1:] or flat}
        self.error("provenance-parts", field, message, hint, repair="all spans are taken as justification")
        return {"justification": flat}


_PROVENANCE = "write document:first-last, as in NYT_7:10-12"


def is_confidence(raw: str) -> bool:
    """Whether a last field is a confidence: any number, so that what is wrong with it can be said.

    >>> is_confidence("0.5"), is_confidence("1e-05"), is_confidence("D1:3-9")
    (True, True, False)
    """
    return _PLAIN.fullmatch(raw) is not None or _NUMBER.fullmatch(raw) is not None


def shown(text: str) -> str:
    """A field in a message, cut short."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def looks_like_node(raw: str) -> bool:
    """Whether a field is meant as a node.

    >>> looks_like_node(":Entity7"), looks_like_node("Entity7"), looks_like_node("Seven")
    (True, True, False)
    """
    return raw.startswith(":") or _NODE.fullmatch(raw) is not None
