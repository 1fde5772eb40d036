"""What an explanation says: losses step by step, examples with the text behind them, a waterfall for each length.

The text that supports a fact is where the document says it, or where it mentions the two entities close together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias

from adjudge.model.kbp import NAMED, NORMALISED, Entity, Fact, KbDocument, Mention, Span
from adjudge.tasks.kbp.explain_reasons import Fate, Reason

Role: TypeAlias = Literal["", "subject", "object"]

AROUND = 60
"""Characters that are shown on either side."""
LONGEST = 400
"""Characters between two places that are shown whole; of more, only what is around each place."""


class Evidence(NamedTuple):
    """A document, and a piece of its text in stretches, each with what it mentions: subject, object or nothing."""

    document: str
    stretches: tuple[tuple[str, Role], ...] = ()

    @property
    def text(self) -> str:
        """The piece as one string, with the mentions in brackets.

        >>> Evidence("d", (("Ana", "subject"), (" founded ", ""), ("Corvex", "object"))).text
        '[Ana] founded [Corvex]'
        """
        return "".join(f"[{text}]" if role else text for text, role in self.stretches)


class Loss(NamedTuple):
    """How many paths are lost at one step; `at` says at which of their facts, the first one first.

    The last number of `at` counts paths all of whose facts are right, but between nodes that do not join.
    """

    reason: Reason
    paths: int
    at: tuple[int, ...]


class PathFact(NamedTuple):
    """A fact of a path: its names, whether the other side has it too, and what supports it."""

    subject: str
    relation: str
    object: str
    matched: bool
    documents: tuple[str, ...]
    evidence: tuple[Evidence, ...]


class Example(NamedTuple):
    """A lost path: the facts along it, which of them broke first (from 1), and why; `paths` broke at this very fact."""

    fate: Fate
    reason: Reason
    detail: str
    paths: int
    broken: int
    facts: tuple[PathFact, ...]


class Sample(NamedTuple):
    """What was looked at instead of everything: `drawn` of `all` first nodes.

    `too_large` first nodes have so many walks of their own that they were not among those to be drawn.
    """

    drawn: int
    all: int
    too_large: int
    seed: int


class Waterfall(NamedTuple):
    """All paths of one length: those of gold, of the system and of both, and at which step the others were lost."""

    metric: str
    hop: int
    gold: int
    system: int
    both: int
    missed: tuple[Loss, ...]
    wrong: tuple[Loss, ...]
    examples: tuple[Example, ...]
    sample: Sample | None = None

    def losses(self, fate: Fate) -> tuple[Loss, ...]:
        """The losses of one side."""
        return self.missed if fate == "missed" else self.wrong


class Explanation(NamedTuple):
    """One system: a waterfall for each number of hops."""

    system: str
    waterfalls: tuple[Waterfall, ...]


def evidence(fact: Fact, subject: Entity | None, object_: Entity | None, document: KbDocument | None) -> Evidence:
    """What supports a fact in its document; without a text, the names of the two.

    >>> ana, corvex = Entity("1", mentions=(Mention("d", 0, 3),)), Entity("2", mentions=(Mention("d", 12, 18),))
    >>> evidence(Fact("1", "Founder", "2", "d"), ana, corvex, KbDocument("d", text="Ana founded Corvex.")).text
    '[Ana] founded [Corvex].'
    """
    ours, theirs = (_mentions(entity, fact.document) for entity in (subject, object_))
    text = document.text if document is not None else None
    if text is None:
        return Evidence(fact.document, _names(ours, theirs))
    spans = [span for span in fact.provenance.justification if 0 <= span.start < span.end <= len(text)]
    inside = [[m for m in side if _within(m, spans)] or side for side in (ours, theirs)]
    marked = _closest(*inside, size=len(text))
    places = spans or [Span(start, end) for start, end, _ in marked]
    if not places:
        return Evidence(fact.document)
    return Evidence(fact.document, tuple(_stretches(text, places, marked)))


def _mentions(entity: Entity | None, document: str) -> list[Mention]:
    if entity is None:
        return []
    here = [each for each in entity.mentions if each.document == document and each.level != NORMALISED]
    return [each for each in here if each.level == NAMED] or here


def _within(mention: Mention, spans: Sequence[Span]) -> bool:
    start, end = mention.head_span
    return any(span.start <= start and end <= span.end for span in spans)


_Marked: TypeAlias = tuple[int, int, Role]


def _closest(ours: Sequence[Mention], theirs: Sequence[Mention], *, size: int) -> list[_Marked]:
    """One mention of each, as close together as there are."""
    first = sorted({m.head_span for m in ours if 0 <= m.head_span.start < m.head_span.end <= size})
    second = sorted({m.head_span for m in theirs if 0 <= m.head_span.start < m.head_span.end <= size})
    if not first or not second:
        found: list[_Marked] = [(*span, "subject") for span in first[:1]]
        return [*found, *((*span, "object") for span in second[:1])]
    # Both are in the order of the text, so that one walk along them finds the smallest distance.
    best, at, to = None, 0, 0
    while at < len(first) and to < len(second):
        one, other = first[at], second[to]
        distance = max(other.start - one.end, one.start - other.end)
        if best is None or distance < best[0]:
            best = distance, one, other
        if one.start < other.start:
            at += 1
        else:
            to += 1
    assert best is not None
    return [(*best[1], "subject"), (*best[2], "object")]


def _stretches(text: str, places: Sequence[Span], marked: Sequence[_Marked]) -> Iterable[tuple[str, Role]]:
    """The text around some places, in stretches."""
    windows: list[list[int]] = []
    for start, end in sorted({*places, *(Span(start, end) for start, end, _ in marked)}):
        low, high = _widened(text, start, end)
        if windows and low <= windows[-1][1] + LONGEST - 2 * AROUND:
            windows[-1][1] = max(windows[-1][1], high)
        else:
            windows.append([low, high])
    for number, (low, high) in enumerate(windows):
        if number or low > 0:
            yield " … " if number else "… ", ""
        place = low
        for start, end, role in sorted(marked):
            if place <= start and end <= high:
                if place < start:
                    yield text[place:start], ""
                yield text[start:end], role
                place = end
        if place < high:
            yield text[place:high], ""
    if windows and windows[-1][1] < len(text):
        yield " …", ""


def _widened(text: str, start: int, end: int) -> tuple[int, int]:
    """A place with the words around it."""
    low, high = max(0, start - AROUND), min(len(text), end + AROUND)
    if low > 0 and (blank := text.find(" ", low, start)) >= 0:
        low = blank + 1
    if high < len(text) and (blank := text.rfind(" ", end, high)) >= 0:
        high = blank
    return low, high


def _names(ours: Sequence[Mention], theirs: Sequence[Mention]) -> tuple[tuple[str, Role], ...]:
    one, other = (next((m.text for m in side if m.text), "") for side in (ours, theirs))
    found: list[tuple[str, Role]] = []
    if one:
        found.append((one, "subject"))
    if other:
        found += [(" … ", ""), (other, "object")] if one else [(other, "object")]
    return tuple(found)
