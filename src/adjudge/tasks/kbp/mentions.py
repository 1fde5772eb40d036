"""Which gold entity a span of the system belongs to: equal spans by a hash table, overlaps by sorted intervals."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable
from typing import TypeAlias

from adjudge.errors import UsageError
from adjudge.model.kbp import LEVELS, NAMED, NORMALISED, KbDocument, KnowledgeBase
from adjudge.tasks.kbp.options import MentionMatch

Place: TypeAlias = "tuple[int, int]"
"""Start and end of a span; a bare pair equals a `Span` and costs a third, which matters for every mention."""

Finder: TypeAlias = Callable[[Place], "str | None"]
"""From a span to the id of the gold entity to which it belongs."""

NodeInDocument: TypeAlias = "tuple[str, str]"
"""A node of the system and a document."""

_Candidate: TypeAlias = "tuple[bool, str]"  # not a name, id of the entity: the least wins
_Spans: TypeAlias = dict[Place, _Candidate]


def find_entities(document: KbDocument, *, match: MentionMatch = "head", levels: Collection[str] = LEVELS) -> Finder:
    """A function that finds the entity of a span, by the mentions of the document on these levels.

    A span of several entities belongs to the one that has it as a name, then to the one with the smaller id.

    >>> from adjudge.model.kbp import Entity, Mention, Span
    >>> chief = Mention("d", 0, 12, "NOM", head=Span(4, 9))
    >>> document = KbDocument("d", [Entity("E1", mentions=(chief,))])
    >>> find_entities(document)(Span(4, 9)), find_entities(document, match="extent")(Span(4, 9))
    ('E1', None)
    >>> find_entities(document, match="overlap")(Span(8, 20))
    'E1'
    """
    heads: _Spans = {}
    extents: _Spans = {}
    wanted = {"extent": (extents,), "head-or-extent": (heads, extents)}.get(match, (heads,))
    for entity in document.entities:
        for mention in entity.mentions:
            if mention.level not in levels:
                continue
            candidate = mention.level != NAMED, entity.id
            extent = mention.start, mention.end
            for spans in wanted:
                span = extent if spans is extents else mention.head or extent
                known = spans.get(span)
                if known is None or candidate < known:
                    spans[span] = candidate
    if match == "overlap":
        return _overlapping(heads)
    found = {span: candidate[1] for spans in reversed(wanted) for span, candidate in spans.items()}
    return found.get


def node_spans(
    kb: KnowledgeBase, documents: Collection[str], *, match: MentionMatch = "head", levels: Collection[str] = (NAMED,)
) -> tuple[dict[NodeInDocument, set[Place]], int]:
    """The distinct spans of each node in each document that mentions it, and how many mentions are in other documents.

    The span of a mention is its head where the system gives one, unless extents are compared. A node that is mentioned
    in a document, but not on these levels, has no spans there. Normal forms are no mentions.

    >>> from adjudge.model.kbp import Entity, Mention
    >>> node = Entity("n", mentions=(Mention("d", 0, 3), Mention("d", 0, 3, canonical=True), Mention("e", 5, 7)))
    >>> node_spans(KnowledgeBase("run", [node]), ["d"])
    ({('n', 'd'): {(0, 3)}}, 1)
    """
    found: dict[NodeInDocument, set[Place]] = {}
    outside = 0
    seen: set[str] = set()
    for entity in kb.entities:
        if entity.id in seen:
            raise UsageError(f"two nodes are called {entity.id!r}", hint="give each node its own id")
        seen.add(entity.id)
        for mention in entity.mentions:
            if mention.document not in documents:
                outside += 1
            elif mention.level != NORMALISED or mention.level in levels:
                key = entity.id, mention.document
                spans = found.get(key)
                if spans is None:
                    spans = found[key] = set()
                if mention.level in levels:
                    head = None if match == "extent" else mention.head
                    spans.add(head or (mention.start, mention.end))
    return found, outside


def _overlapping(spans: _Spans) -> Finder:
    """The span with most characters in common, then with the fewest that are not, then the first."""
    order = sorted(spans)
    starts = [start for start, _ in order]
    reach = list(_running_max(end for _, end in order))  # how far the spans up to here reach

    def find(given: Place) -> str | None:
        first, last = given
        best: tuple[int, int, int] | None = None
        chosen = None
        for place in range(bisect_left(starts, last) - 1, -1, -1):
            if reach[place] <= first:
                break
            start, end = order[place]
            common = min(end, last) - max(start, first)
            if common <= 0:
                continue
            rank = -common, end - start + last - first - 2 * common, start
            if best is None or rank < best:
                best, chosen = rank, spans[start, end][1]
        return chosen

    return find


def _running_max(values: Iterable[int]) -> Iterable[int]:
    largest = -1
    for value in values:
        largest = max(largest, value)
        yield largest
