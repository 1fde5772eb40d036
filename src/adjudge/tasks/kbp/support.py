"""Where documents say a fact: the mentions of its subject and object that are closest together, and the text there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from adjudge.model.kbp import NAMED, NORMALISED, Entity, Fact, KbDocument, Mention, Span
from adjudge.tasks.kbp.linking import mention_name

if TYPE_CHECKING:
    from adjudge.tasks.kbp.reasons import AnnotationReasons, Fate

AROUND = 60
"""Characters that are shown on either side."""
LONGEST = 400
"""Characters between two places that are shown whole; of more, only what is around each place."""


class Said(NamedTuple):
    """Where a document says a fact: names, places and roles of subject and object, and the spans that justify it."""

    document: str
    names: tuple[str, ...] = ()
    places: tuple[Span, ...] = ()
    roles: tuple[str, ...] = ()
    spans: tuple[Span, ...] = ()
    text: str | None = None

    def shown(self) -> str:
        """The text of the fact with both mentions in brackets; without a text, the names."""
        if self.text is None:
            return " … ".join(f"[{name}]" for name in self.names if name)
        every = (*self.places, *self.spans)
        if not every:
            return ""
        hulls = [_hull(places) for places in (every, self.places) if places]
        short = [hull for hull in hulls if hull.end - hull.start <= LONGEST][:1]
        found = []
        for place in short or sorted(self.places) or [Span(hulls[0].start, hulls[0].start + LONGEST)]:
            low, high = _widened(self.text, *place)
            found.append(_bracketed(self.text, Span(low, high), self.places))
            before, after = "… " * (low > 0 and len(found) == 1), " …" * (high < len(self.text))
            found[-1] = f"{before}{found[-1]}{after}"
        return " ".join(found)


def locate(fact: Fact, subject: Entity | None, object_: Entity | None, document: KbDocument | None) -> Said:
    """What supports a fact in its document.

    >>> ana, corvex = Entity("1", mentions=(Mention("d", 0, 3),)), Entity("2", mentions=(Mention("d", 12, 18),))
    >>> found = locate(Fact("1", "Founder", "2", "d"), ana, corvex, KbDocument("d", text="Ana founded Corvex."))
    >>> found.names, found.shown()
    (('Ana', 'Corvex'), '[Ana] founded [Corvex].')
    """
    text = document.text if document is not None else None
    sides = [_mentions(entity, fact.document) for entity in (subject, object_)]
    spans: tuple[Span, ...] = ()
    if text is not None:
        spans = tuple(span for span in fact.provenance.justification if 0 <= span.start < span.end <= len(text))
        sides = [[each for each in side if each.start >= 0 and _ends(each) <= len(text)] for side in sides]
    inside = [[each for each in side if _within(each, spans)] or side for side in sides]
    marked = _closest(*inside)
    return Said(
        fact.document,
        tuple(mention_name(mention, text) for mention, _ in marked),
        () if text is None else tuple(mention.head_span for mention, _ in marked),
        tuple(role for _, role in marked),
        spans,
        text,
    )


def _mentions(entity: Entity | None, document: str) -> list[Mention]:
    if entity is None:
        return []
    here = [each for each in entity.mentions if each.document == document and each.level != NORMALISED]
    here = [each for each in here if each.head_span.start < each.head_span.end]
    return [each for each in here if each.level == NAMED] or here


def _ends(mention: Mention) -> int:
    return max(mention.end, mention.head_span.end)


def _within(mention: Mention, spans: Sequence[Span]) -> bool:
    start, end = mention.head_span
    return any(span.start <= start and end <= span.end for span in spans)


def _closest(ours: Sequence[Mention], theirs: Sequence[Mention]) -> list[tuple[Mention, str]]:
    """One mention of each, as close together as there are."""
    first, second = (sorted(side, key=lambda each: each.head_span) for side in (ours, theirs))
    if not first or not second:
        return [*((each, "subject") for each in first[:1]), *((each, "object") for each in second[:1])]
    # Both are in the order of the text, so that one walk along them finds the smallest distance.
    best, at, to = None, 0, 0
    while at < len(first) and to < len(second):
        one, other = first[at].head_span, second[to].head_span
        distance = max(other.start - one.end, one.start - other.end)
        if best is None or distance < best[0]:
            best = distance, first[at], second[to]
        if one.start < other.start:
            at += 1
        else:
            to += 1
    assert best is not None
    return [(best[1], "subject"), (best[2], "object")]


def _hull(places: Iterable[Span]) -> Span:
    listed = list(places)
    return Span(min(each.start for each in listed), max(each.end for each in listed))


def _widened(text: str, start: int, end: int) -> Span:
    """A place with the words around it."""
    low, high = max(0, start - AROUND), min(len(text), end + AROUND)
    if low > 0 and (blank := text.find(" ", low, start)) >= 0:
        low = blank + 1
    if high < len(text) and (blank := text.rfind(" ", end, high)) >= 0:
        high = blank
    return Span(low, high)


def _bracketed(text: str, piece: Span, places: Iterable[Span]) -> str:
    found, at = "", piece.start
    for start, end in sorted(places):
        if at <= start and end <= piece.end:
            found += f"{text[at:start]}[{text[start:end]}]"
            at = end
    return found + text[at : piece.end]


class Support:
    """The documents behind the facts of either side, and names of the system's own nodes."""

    def __init__(
        self, reasons: AnnotationReasons, documents: Mapping[str, KbDocument], nodes: Mapping[str, Entity]
    ) -> None:
        self.reasons, self.documents, self.nodes = reasons, documents, nodes
        self._entities: dict[str, Mapping[str, Entity]] = {}
        self._said: dict[tuple[Fate, int], dict[str, Fact]] = {}
        self._names: dict[str, str] | None = None

    def facts(self, fate: Fate, fact: int) -> dict[str, Fact]:
        """What each document says of a fact of one side, in the order of the file and the direction of the fact."""
        key = fate, fact
        if key not in self._said:
            found = self._said[key] = {}
            side = self.reasons.gold if fate == "missed" else self.reasons.system
            first = side.node(side.triple(fact)[0])
            for step, said in self.reasons.said(fate, fact):
                ends = [end and end.id for end in (step.subject, step.object)]
                if ends[1] == first != ends[0]:
                    said = said._replace(subject=said.object, object=said.subject)
                found.setdefault(said.document, said)
        return self._said[key]

    def located(self, fate: Fate, said: Fact) -> Said:
        """Where a document says what it says."""
        document, entities = self.documents.get(said.document), self.nodes
        if fate == "missed":
            known = self._entities.get(said.document)
            if known is None:
                own = () if document is None else document.entities
                known = self._entities[said.document] = {entity.id: entity for entity in own}
            entities = known
        return locate(said, entities.get(said.subject), entities.get(said.object), document)

    def name(self, node: str) -> str:
        """A node with a name that people know, if it is one of the system's own."""
        if not node.startswith("S:"):
            return node
        if self._names is None:
            self._names = self._named()
        called = self._names.get(node)
        return f"{node} ({called})" if called else node

    def _named(self) -> dict[str, str]:
        system = self.reasons.mine
        table = system.own or system.table
        listed = table.names.nodes.listed
        found: dict[str, str] = {}
        for row, step in self.reasons.steps["wrong"].items():
            for end, number in ((step.subject, table.subjects[row]), (step.object, table.objects[row])):
                if end is not None and listed[number].startswith("S:") and listed[number] not in found:
                    found[listed[number]] = self._called(end.node)
        return found

    def _called(self, node: str) -> str:
        mentions = self.nodes[node].mentions if node in self.nodes else ()
        mention = max(mentions, key=lambda each: (each.canonical, each.level == NAMED), default=None)
        if mention is None:
            return ""
        document = self.documents.get(mention.document)
        return mention_name(mention, None if document is None else document.text)
