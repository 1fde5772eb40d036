"""Knowledge bases of TAC Cold Start: a run id, then one assertion per line in TAB-separated fields.

    :Entity_01 <TAB> type <TAB> PER
    :Entity_01 <TAB> mention <TAB> "Ana Ruiz" <TAB> D1:0-7 <TAB> 0.9
    :Entity_01 <TAB> canonical_mention <TAB> "Ana Ruiz" <TAB> D1:0-7
    :Entity_01 <TAB> per:schools_attended <TAB> :Entity_02 <TAB> D1:0-40 <TAB> 0.7

Offsets count characters of the raw source document, markup included, from 0. In the file the last character is
included; in the knowledge base spans are half-open.

Real files break the rules in many ways. The whole file is read once and everything wrong with it is reported; each
finding says whether the rules forbid it, and how it was repaired if the meaning is clear. A strict reader refuses a
file with any error, a lenient one only a file with errors that could not be repaired. Lines that cannot be repaired are
left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Literal, NamedTuple, Unpack

from adjudge.errors import FormatError, Problem, UsageError
from adjudge.findings import Findings, More, field_column
from adjudge.formats.kb_coldstart_check import REALIS, Parts, Said, Texts, find_slot, finish, shown
from adjudge.formats.source import Source, find_shards, is_shard, read_lines, reads, source_name
from adjudge.model.kbp import (
    NAMED,
    NOMINAL,
    NORMALISED,
    PRONOUN,
    Entity,
    Fact,
    KnowledgeBase,
    Mention,
    Provenance,
    Span,
)

MENTIONS = {
    "mention": NAMED,
    "nominal_mention": NOMINAL,
    "pronominal_mention": PRONOUN,
    "normalized_mention": NORMALISED,
    "canonical_mention": "",
}
OMITTED = "OmittedRunID"
SUFFIXES = (".tac", ".cs", ".kb", ".tsv", ".tab", ".txt")
_SLIPS = {"mentions": "mention", "canonical_mentions": "canonical_mention"}
_WITHOUT_PLACE = ("type", "link")


@reads("a Cold Start knowledge base", "tsv")
def read_coldstart(
    source: Source,
    *,
    mode: Literal["lenient", "strict"] = "lenient",
    add_inverses: bool = False,
    name: str | None = None,
) -> tuple[KnowledgeBase, Findings]:
    r"""The knowledge base of a file, and the findings about it; errors are raised, all at once.

    With `add_inverses`, the inverse of each fact that has one and lacks it is added and marked as inferred.

    >>> kb, found = read_coldstart(b"run1\n:Entity1\ttype\tPER\n:Entity1\tmention\t\"Ana\"\tD1:0-2\t0.5\n")
    >>> kb.entities[0].mentions[0].text, [(each.kind, each.repair) for each in found.found]
    ('Ana', [('missing-canonical', 'its only mention is taken')])
    """
    source = coldstart_file(source)
    found = Findings(name or source_name(source))
    kb = scan_coldstart(source, found, add_inverses=add_inverses)
    if mode == "strict" and found.errors:
        raise FormatError(found.problems(strict=True))
    if found.unrepaired:
        hint = "correct them, or leave them out with adjudge kbp validate --repair"
        raise FormatError([*found.problems(), Problem("these lines cannot be repaired", path=found.place, hint=hint)])
    return kb, found


def coldstart_file(source: Source) -> Source:
    """The one knowledge base in a folder; several files would be those of several systems.

    >>> coldstart_file("run1.tac")
    'run1.tac'
    """
    files = find_shards(source, suffixes=SUFFIXES, what="knowledge base")
    if files is None:
        return source
    files = [file for file in files if not is_shard(file, (".txt",))] or files  # source texts may lie beside it
    if len(files) > 1:
        message = f"{len(files)} Cold Start files, and a knowledge base is one"
        hint = f"name one of them, or each as a system by itself: {' '.join(files[:2])}{' ...' * (len(files) > 2)}"
        raise UsageError(Problem(message, path=source_name(source), hint=hint))
    return files[0]


def scan_coldstart(
    source: Source, found: Findings, *, add_inverses: bool = False, texts: Texts | None = None
) -> KnowledgeBase:
    """What can be read of a file; everything wrong with it goes to `found`, nothing is raised.

    `texts` gives the text of a document to compare spans with, None if there is no such document.
    """
    reader = LineReader(found)
    parts = Parts(reader)
    run = None
    first = True
    for reader.line, reader.text in read_lines(source, found):
        if first:
            first = False
            run = _run_id(reader.text)
            if run is not None:
                continue
            hint = "write the name of the run, without blanks, in the first line"
            found.add("missing-run-id", "the first line is not a run id", 1, 1, hint, repair=f"called {OMITTED}")
        _assertion(reader, parts)
    kb = finish(run or OMITTED, parts, found, add_inverses=add_inverses, texts=texts)
    if not kb.entities and not kb.facts and not found.unrepaired:
        hint, repair = "write a line such as :Entity_1, type, PER", "read as an empty knowledge base"
        found.add("empty", "the file asserts nothing", None, None, hint, repair=repair)
    return kb


def _run_id(line: str) -> str | None:
    """The run id in the first line, None if there is none."""
    run = cut_comment(line)[0].strip()
    return run if run and not run.startswith(":") and len(run.split()) == 1 else None


def _assertion(reader: LineReader, parts: Parts) -> None:
    line, comment = reader.text, ""
    if "#" in line:
        line, comment, official = cut_comment(line)
        if official is not None:
            message = "a # inside a field, which begins a comment by the rules"
            hint = "use names without #"
            reader.found.add("hash-in-field", message, reader.line, official + 1, hint, repair="read as a part of it")
    fields = line.split("\t")
    while fields and not fields[-1].strip():
        fields.pop()
    if not fields:
        return
    fields = [field.strip() for field in fields]
    if "\0" in line:
        reader.error("character", 0, "a null character in the line", "save the file as UTF-8 text")
        return
    verb, realis = _verb(fields[1] if len(fields) > 1 else "", reader)
    confidence = _confidence(fields, 3 if verb in _WITHOUT_PLACE else 4, reader)
    if confidence is None:
        return
    subject = reader.node(fields[0], 1)
    if subject is None:
        return
    if verb == "type":
        parts.add_type(subject, fields[2], confidence)
    elif verb == "link":
        parts.add_link(subject, _link(fields[2], reader), confidence)
    elif (level := MENTIONS.get(verb)) is not None:
        text = reader.string(fields[2], 3)
        place = reader.place(fields[3], 4)
        if place is not None:
            span = reader.only_span(place, 4)
            parts.add_mention(subject, level, place.document, span, Said(text, confidence, realis, reader.line))
    else:
        fact = _fact(fields, subject, confidence, reader, inferred=comment.strip() == INFERRED)
        if fact is not None:
            parts.add_fact(fact)


def _verb(predicate: str, reader: LineReader) -> tuple[str, str]:
    """A structural predicate and the realis after it; the predicate of a fact is returned as it is."""
    if predicate in MENTIONS or predicate == "type":  # nearly always
        return predicate, ""
    bare, _, realis = predicate.lower().rpartition(".")
    if realis not in REALIS and bare in MENTIONS:
        message = f"there is no realis {shown(realis)}"
        reader.error("illegal-realis", 2, message, f"write one of {', '.join(REALIS)}", repair="left out")
        return bare, ""
    if realis not in REALIS:
        bare, realis = predicate.lower(), ""
    if bare in _SLIPS:
        message = f"{predicate} is a misspelt predicate"
        reader.warn("predicate-alias", 2, message, f"write {_SLIPS[bare]}", repair=f"read as {_SLIPS[bare]}")
        bare = _SLIPS[bare]
    return (bare, realis) if bare in MENTIONS or bare in _WITHOUT_PLACE else (predicate, "")


def _confidence(fields: list[str], expected: int, reader: LineReader) -> float | None:
    """Take the confidence off the fields; None if their number is then wrong."""
    confidence = 1.0
    if expected == 3 and len(fields) in (4, 5) and not is_confidence(fields[3]):
        if fields[3]:  # otherwise as the official program writes it, with an empty provenance
            message = f"a provenance for the predicate {fields[1]}, which has none"
            reader.error("unexpected-provenance", 4, message, "leave it out", repair="left out")
        del fields[3]
    if len(fields) == expected + 1:
        confidence = reader.confidence(fields.pop(), expected + 1)
    elif fields and is_confidence(fields[-1]):
        fields.pop()  # the message is about the others
    if len(fields) == expected and all(fields):
        return confidence
    count = sum(map(bool, fields))
    message = f"a line with {count} field{'s' * (count != 1)} instead of {expected}, and a confidence"
    needed = "subject, predicate, object" + (", provenance" if expected == 4 else "")
    reader.error("columns", 0, message, f"write {needed} with TABs between them")
    return None


def _link(raw: str, reader: LineReader) -> str:
    target = reader.string(raw, 3) if raw.startswith('"') else raw
    base, _, entry = target.partition(":")
    if not (base and entry):
        message = f"the link {shown(target)} names no knowledge base"
        reader.warn("illegal-link", 3, message, "write KB:id, as in LDC2015E42:m.09c7w0")
    return target


def _fact(fields: list[str], subject: Node, confidence: float, reader: LineReader, *, inferred: bool) -> Fact | None:
    relation, raw = fields[1], fields[2]
    bare, _, realis = relation.rpartition(".")
    if bare and realis.lower() in REALIS:
        relation, realis = bare, realis.lower()
    else:
        realis = ""
    domain, _, name = relation.lower().partition(":")
    slot, _ = find_slot(domain, name)
    strings = slot is not None and "string" in slot.ranges
    literal = False
    if raw.startswith('"') or (not looks_like_node(raw) and (slot is None or strings)):
        if slot is not None and not strings:
            message = f"the string {shown(raw)} as object of {relation}"
            reader.error("string-for-node", 3, message, "write the name of a node, such as :Entity_7")
            return None
        if raw.startswith('"'):
            message = f"the string {shown(raw)} instead of a node"
            hint = "write a node :String..., with a mention of this text"
            reader.error("string-for-node", 3, message, hint, repair="kept as a string")
        literal = True
        node = Node(reader.string(raw, 3), "string")
    else:
        read = reader.node(raw, 3)
        if read is None:
            return None
        node = read
    place = reader.place(fields[3], 4)
    if place is None:
        return None
    provenance = reader.provenance(place, (subject.kind, node.kind), 4)
    return Fact(
        subject.id,
        relation,
        node.id,
        place.document,
        provenance,
        confidence,
        realis=realis,
        literal=literal,
        inferred=inferred,
    )


SPAN_LENGTH, TOTAL_LENGTH, SPANS = 200, 800, 3
"""The most characters allowed in a span and in a whole provenance, and the most spans in a justification."""
LARGEST = 2**31 - 1
LEAST = 1e-6  # stands for a confidence of 0, which is not allowed, and keeps the order of facts

_MARK = re.compile('["#]')
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_TRIPLE = re.compile(r"(.+):\s*(-?[0-9]+)\s*-\s*(-?[0-9]+)", re.DOTALL)
_LEGAL = re.compile(r"1\.0*|0?\.[0-9]*[1-9][0-9]*")
_NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,4})?|[-+]?(?:nan|inf)", re.IGNORECASE)
_NODE = re.compile(r":?(entity|event|string).+", re.IGNORECASE | re.DOTALL)

INFERRED = "# inferred"


class Node(NamedTuple):
    """The repaired name of a node, and its kind."""

    id: str
    kind: str


class Place(NamedTuple):
    """A provenance: its document and its parts, each a list of spans."""

    document: str
    parts: tuple[tuple[Span, ...], ...]


def cut_comment(line: str) -> tuple[str, str, int | None]:
    r"""A line without its comment, the comment, and the position of a `#` where the official rule would cut.

    Officially every `#` outside quotes begins a comment. Files with URLs as types show that this cannot be meant, so
    here it must start the line or follow a blank.

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
            if string is None:  # a quote is never closed: nothing after it is surely a comment
                break
            position = string.end()
        elif at == 0 or line[at - 1].isspace():
            return line[:at], line[at:], official
        else:
            official = at if official is None else official
            position = at + 1
    return line, "", official


class LineReader:
    """Reads the fields of the lines of one file, and remembers what was seen before."""

    def __init__(self, found: Findings) -> None:
        self.found = found
        self.line = 0
        self.text = ""
        self._nodes: dict[str, Node] = {}
        self._ids: dict[str, str] = {}  # the repaired name and the written one
        self._sure: dict[str, float] = {}
        self._documents: dict[str, str] = {}

    def error(self, kind: str, field: int, message: str, hint: str, **more: Unpack[More]) -> None:
        """An error in a field of the line, counted from 1 (0: the whole line)."""
        column = field_column(self.text, field) if field else 1
        self.found.add(kind, message, self.line, column, hint, **more)

    def warn(self, kind: str, field: int, message: str, hint: str, *, repair: str | None = None) -> None:
        """A warning about a field."""
        self.error(kind, field, message, hint, repair=repair, error=False)

    def node(self, raw: str, field: int) -> Node | None:
        """The node with this name, repaired if need be."""
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
            message = f"{raw!r} is not a name of a node"
            hint = "write :Entity..., :Event... or :String..., without a dash"
            self.error("illegal-node-name", field, message, hint, repair=f"called {clean}")
        elif name != raw:
            message = f"the node {raw!r} has no colon before its name"
            self.warn("colon-omitted", field, message, f"write {name}", repair="the colon is added")
        self._ids.setdefault(clean, name)
        node = Node(clean, kind)
        if clean == raw:  # a repaired one is reported each time
            self._nodes[raw] = node
        return node

    def string(self, raw: str, field: int) -> str:
        """The text of a quoted string; without quotes it is taken as it is."""
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
            if value <= 0:  # so small that it is 0 as a float
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
        """A provenance; None if it cannot be read."""
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
        """The span of a mention, which has only one."""
        spans = [span for part in place.parts for span in part]
        if len(spans) > 1 or len(place.parts) > 1:
            hint = "write a line for each mention"
            self.error("many-spans", field, f"a mention with {len(spans)} spans", hint, repair="the first one kept")
        return spans[0]

    def _triple(self, text: str, field: int) -> tuple[str, Span] | None:
        match = _TRIPLE.fullmatch(text.strip())
        if match is None or not match[1].strip() or any(mark in match[1] for mark in ":\t"):
            self.error(
                "illegal-provenance", field, f"{shown(text.strip())} is not a position in a document", _PROVENANCE
            )
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
        """The provenance of a fact with its parts named; what they mean depends on the kinds of the two nodes."""
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
        """The parts if their number is wrong: mostly a plain list of spans, as before 2017."""
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
    """Whether the last field is meant as a confidence: any number is, so that a wrong one can be reported.

    >>> is_confidence("0.5"), is_confidence("1e-05"), is_confidence("D1:3-9")
    (True, True, False)
    """
    return _NUMBER.fullmatch(raw) is not None


def looks_like_node(raw: str) -> bool:
    """Whether a field is meant as a node.

    >>> looks_like_node(":Entity7"), looks_like_node("Entity7"), looks_like_node("Seven")
    (True, True, False)
    """
    return raw.startswith(":") or _NODE.fullmatch(raw) is not None


_VERBS = {level: verb for verb, level in MENTIONS.items() if level}
_LINES = 20_000


def write_coldstart(kb: KnowledgeBase, *, path: str | None = None) -> Iterator[bytes]:
    r"""The bytes of a file, in blocks of lines: each node with everything said of it, then the facts.

    What the format cannot hold is not written: heads and ids of mentions, subtypes, ids and categories of facts. A TAB
    or line break in a text becomes a blank. Messages name `path`.

    >>> kb = KnowledgeBase("run1", [Entity(":Entity1", "PER", (Mention("D1", 0, 3, text="Ana", canonical=True),))])
    >>> print(b"".join(write_coldstart(kb)).decode().expandtabs(2), end="")
    run1
    :Entity1  type  PER
    :Entity1  mention "Ana" D1:0-2  1.0
    :Entity1  canonical_mention "Ana" D1:0-2  1.0
    """
    writer = _Writer(path)
    lines = [writer.plain(kb.id, "the run id")]
    if len(kb.id.split()) != 1 or kb.id.startswith(":"):
        writer.wrong(f"{kb.id!r} is not a run id", "use a name without blanks and colon")
    for entity in kb.entities:
        lines += writer.entity(entity)
        if len(lines) >= _LINES and not writer.problems:
            yield ("\n".join(lines) + "\n").encode()
            lines.clear()
    strings = {entity.id for entity in kb.entities if entity.kind == "string"}
    events = {entity.id for entity in kb.entities if entity.kind == "event"}
    for fact in kb.facts:
        lines.append(writer.fact(fact, strings, events))
        if len(lines) >= _LINES and not writer.problems:
            yield ("\n".join(lines) + "\n").encode()
            lines.clear()
    if writer.problems:
        raise FormatError(writer.problems)
    if lines:
        yield ("\n".join(lines) + "\n").encode()


class _Writer:
    def __init__(self, path: str | None) -> None:
        self.path = path
        self.problems: list[Problem] = []
        self._good: set[str] = set()

    def wrong(self, message: str, hint: str) -> None:
        self.problems.append(Problem(message, path=self.path, hint=hint))

    def plain(self, text: str, what: str) -> str:
        """A field without quotes; some characters cannot be in it."""
        if text not in self._good:
            if not text or text != text.strip() or text.startswith(("#", '"')) or " #" in text or _has_breaks(text):
                self.wrong(f"{what} {text!r} cannot be written", "rename it")
            self._good.add(text)
        return text

    def document(self, name: str) -> str:
        if name not in self._good and any(mark in name for mark in ":;,"):
            self.wrong(f"the document id {name!r} cannot be written", "rename it")
        return self.plain(name, "the document id")

    def entity(self, entity: Entity) -> Iterator[str]:
        id = self.plain(entity.id, "the node")
        if entity.type:
            sure = "" if entity.confidence == 1 else f"\t\t{number(entity.confidence)}"
            yield f"{id}\ttype\t{self.plain(entity.type, 'the type')}{sure}"
        for link in entity.links:
            sure = "" if link.confidence == 1 else f"\t\t{number(link.confidence)}"
            yield f"{id}\tlink\t{self.plain(link.target, 'the link')}{sure}"
        for mention in entity.mentions:
            yield f"{id}\t{self._mention(mention, _VERBS.get(mention.level, 'mention'))}"
            if mention.canonical:
                yield f"{id}\t{self._mention(mention, 'canonical_mention')}"

    def _mention(self, mention: Mention, verb: str) -> str:
        realis = f".{mention.realis}" if mention.realis else ""
        place = f"{self.document(mention.document)}:{mention.start}-{mention.end - 1}"
        return f"{verb}{realis}\t{quoted(mention.text)}\t{place}\t{number(mention.confidence)}"

    def fact(self, fact: Fact, strings: set[str], events: set[str]) -> str:
        document = self.document(fact.document)
        given = fact.provenance
        parts = [self._spans(document, given.justification)]
        if fact.literal or fact.object in strings:
            parts.insert(0, self._spans(document, given.filler))
        if fact.subject in events or fact.object in events:
            parts += self._spans(document, given.base_filler), self._spans(document, given.additional)
        object_ = quoted(fact.object) if fact.literal else self.plain(fact.object, "the node")
        relation = self.plain(fact.relation, "the predicate") + (f".{fact.realis}" if fact.realis else "")
        subject = self.plain(fact.subject, "the node")
        fields = (subject, relation, object_, ";".join(parts), number(fact.confidence))
        return "\t".join((*fields, INFERRED) if fact.inferred else fields)

    @staticmethod
    def _spans(document: str, spans: tuple[Span, ...]) -> str:
        return ",".join([f"{document}:{start}-{end - 1}" for start, end in spans]) or "NIL"


def number(value: float) -> str:
    """A confidence as a plain decimal number with a point.

    >>> number(1), number(0.25), number(1e-06)
    ('1.0', '0.25', '0.000001')
    """
    text = format(Decimal(repr(float(value))), "f")
    return text if "." in text else f"{text}.0"


def quoted(text: str) -> str:
    r"""A string in quotes.

    >>> print(quoted('the "big" one'))
    "the \"big\" one"
    """
    flat = " ".join(text.splitlines()).replace("\t", " ") if _has_breaks(text) else text
    return '"' + flat.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _has_breaks(text: str) -> bool:
    return "\t" in text or "\n" in text or "\r" in text
