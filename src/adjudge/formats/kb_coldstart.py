"""Knowledge bases of TAC Cold Start: a run id, then one assertion per line, five fields with TABs between them.

    :Entity_01 <TAB> type <TAB> PER
    :Entity_01 <TAB> mention <TAB> "Ana Ruiz" <TAB> D1:0-7 <TAB> 0.9
    :Entity_01 <TAB> canonical_mention <TAB> "Ana Ruiz" <TAB> D1:0-7
    :Entity_01 <TAB> per:schools_attended <TAB> :Entity_02 <TAB> D1:0-40 <TAB> 0.7

Offsets in the file count characters of the raw source document, markup included, from 0, with the last character
included; in the knowledge base they are half-open, of the same text.

Files as they really are break the rules in many ways. Reading goes through all of them once and finds everything that
is not as it should be; each finding says whether the rules forbid it, and how it was repaired if its meaning is clear.
A strict reader refuses a file with any error, a lenient one only a file with errors that could not be repaired. Lines
that cannot be repaired are left out.
"""

from __future__ import annotations

import re
from typing import Literal

from adjudge.errors import FormatError, Problem, UsageError
from adjudge.formats.kb_coldstart_check import Texts, finish
from adjudge.formats.kb_coldstart_lines import (
    INFERRED,
    SPAN_LENGTH,
    LineReader,
    Node,
    cut_comment,
    is_confidence,
    looks_like_node,
    shown,
)
from adjudge.formats.kb_coldstart_parts import Parts
from adjudge.formats.kb_coldstart_schema import REALIS, find_slot
from adjudge.formats.kb_findings import KbFindings
from adjudge.formats.kb_lines import read_lines
from adjudge.formats.recognise import reads
from adjudge.formats.shards import find_shards, is_shard
from adjudge.formats.source import Source, source_name
from adjudge.model.kbp import NAMED, NOMINAL, NORMALISED, PRONOUN, Fact, KnowledgeBase, Provenance, Span

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
_STRUCTURAL = frozenset((*MENTIONS, *_SLIPS, *_WITHOUT_PLACE))


@reads("a Cold Start knowledge base", "tsv")
def read_coldstart(
    source: Source,
    *,
    mode: Literal["lenient", "strict"] = "lenient",
    add_inverses: bool = False,
    name: str | None = None,
) -> tuple[KnowledgeBase, KbFindings]:
    r"""The knowledge base of a file, and what was found in it; errors are raised, all at once.

    With `add_inverses`, the inverse of each fact that has one and lacks it is added and marked as inferred.

    >>> kb, found = read_coldstart(b"run1\n:Entity1\ttype\tPER\n:Entity1\tmention\t\"Ana\"\tD1:0-2\t0.5\n")
    >>> kb.entities[0].mentions[0].text, [(each.kind, each.repair) for each in found.found]
    ('Ana', [('missing-canonical', 'its only mention is taken')])
    """
    source = coldstart_file(source)
    found = KbFindings(name or source_name(source))
    kb = scan_coldstart(source, found, add_inverses=add_inverses)
    if mode == "strict" and found.errors:
        raise FormatError(found.problems(strict=True))
    if found.unrepaired:
        hint = "correct them, or leave them out with adjudge kbp validate --repair"
        raise FormatError([*found.problems(), Problem("these lines cannot be repaired", path=found.place, hint=hint)])
    return kb, found


def coldstart_file(source: Source) -> Source:
    """The file of a folder that has one, which is the knowledge base; several are those of several systems.

    >>> coldstart_file("run1.tac")
    'run1.tac'
    """
    files = find_shards(source, suffixes=SUFFIXES, what="knowledge base")
    if files is None:
        return source
    files = [file for file in files if not is_shard(file, (".txt",))] or files  # texts may lie beside it
    if len(files) > 1:
        message = f"{len(files)} Cold Start files, and a knowledge base is one"
        hint = f"name one of them, or each as a system by itself: {' '.join(files[:2])}{' ...' * (len(files) > 2)}"
        raise UsageError(Problem(message, path=source_name(source), hint=hint))
    return files[0]


def scan_coldstart(
    source: Source, found: KbFindings, *, add_inverses: bool = False, texts: Texts | None = None
) -> KnowledgeBase:
    """What can be read of a file; everything that is wrong with it goes to `found`, nothing is raised.

    `texts` gives the text of a document (None if there is no such document), to compare spans with.
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
            found.error("missing-run-id", "the first line is no run id", 1, 1, hint, repair=f"called {OMITTED}")
        if not _plain(reader, parts):
            _assertion(reader, parts)
    kb = finish(run or OMITTED, parts, found, add_inverses=add_inverses, texts=texts)
    if not kb.entities and not kb.facts and not found.unrepaired:
        hint, repair = "write a line such as :Entity_1, type, PER", "read as an empty knowledge base"
        found.error("empty", "the file asserts nothing", None, None, hint, repair=repair)
    return kb


def _run_id(line: str) -> str | None:
    """The run id of the first line, None if it has none."""
    run = cut_comment(line)[0].strip()
    return run if run and not run.startswith(":") and len(run.split()) == 1 else None


# A mention and a relation as they nearly always are, with nothing that would have to be looked at twice.
_PLACE = r"\t([^\s:;,#\"\0]+):([0-9]{1,9})-([0-9]{1,9})(?:\t([0-9.]+))?"
_MENTION = re.compile(r"(:[^\s#\"\0]+)\t([a-z]+_mention|mention)\t\"([^\"\\\0]*)\"" + _PLACE)
_RELATION = re.compile(r"(:[^\s#\"\0]+)\t([^\s#\".\0]+)\t(:[^\s#\"\0]+)" + _PLACE)


def _plain(reader: LineReader, parts: Parts) -> bool:
    """Take a line that is as it should be; this says the same as `_assertion`, several times faster."""
    match = _MENTION.fullmatch(reader.text)
    if match is not None:
        name, verb, text, document, first, last, sure = match.groups()
        level, node, confidence = MENTIONS.get(verb), reader.known_node(name), reader.known_confidence(sure)
        start, end = int(first), int(last) + 1
        if level is None or node is None or confidence is None or not start < end <= start + SPAN_LENGTH:
            return False
        parts.add_mention(node, level, text, reader.document(document), Span(start, end), confidence, "")
        return True
    match = _RELATION.fullmatch(reader.text)
    if match is None:
        return False
    name, relation, other, document, first, last, sure = match.groups()
    node, object_, confidence = reader.known_node(name), reader.known_node(other), reader.known_confidence(sure)
    start, end = int(first), int(last) + 1
    if node is None or object_ is None or confidence is None or not start < end <= start + SPAN_LENGTH:
        return False
    if node.kind != "entity" or object_.kind != "entity" or relation in _STRUCTURAL:
        return False
    provenance = Provenance((Span(start, end),))
    parts.add_fact(Fact(node.id, reader.name(relation), object_.id, reader.document(document), provenance, confidence))
    return True


def _assertion(reader: LineReader, parts: Parts) -> None:
    line, comment = reader.text, ""
    if "#" in line:
        line, comment, official = cut_comment(line)
        if official is not None:
            message = "a # in the middle of a field, where the rules begin a comment"
            hint = "use names without #"
            reader.found.error("hash-in-field", message, reader.line, official + 1, hint, repair="read as a part of it")
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
            parts.add_mention(subject, level, text, place.document, span, confidence, realis)
    else:
        fact = _fact(fields, subject, confidence, reader, inferred=comment.strip() == INFERRED)
        if fact is not None:
            parts.add_fact(fact)


def _verb(predicate: str, reader: LineReader) -> tuple[str, str]:
    """The structural predicate and the realis behind it, or the predicate of a fact as it is."""
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
    """Take the confidence off the fields; None if their number is wrong then."""
    confidence = 1.0
    if expected == 3 and len(fields) in (4, 5) and not is_confidence(fields[3]):
        if fields[3]:  # else as the official program writes it, with an empty provenance
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
