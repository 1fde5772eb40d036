"""Writing a Cold Start knowledge base that the official rules accept, as far as what it says allows."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from adjudge.errors import FormatError, Problem
from adjudge.formats.kb_coldstart_lines import INFERRED
from adjudge.model.kbp import NAMED, NOMINAL, NORMALISED, PRONOUN, Entity, Fact, KnowledgeBase, Mention, Span

_VERBS = {
    NAMED: "mention",
    NOMINAL: "nominal_mention",
    PRONOUN: "pronominal_mention",
    NORMALISED: "normalized_mention",
}
_LINES = 20_000


def write_coldstart(kb: KnowledgeBase, *, path: str | None = None) -> Iterator[bytes]:
    r"""The bytes of a file, in blocks of lines: each node with all that is said of it, then the facts.

    What the format has no place for is not written: heads and ids of mentions, subtypes, ids and categories of facts. A
    TAB or line break in a text becomes a blank. `path` is where it came from, for messages.

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
        writer.wrong(f"{kb.id!r} is no run id", "use a name without blanks and colon")
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
