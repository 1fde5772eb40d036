"""Aligns the nodes of a system with gold entities: in each document, the one with more than P % of its named mentions.

For node s and document d let M be the distinct spans of its named mentions, and c(g) how many of them are mentions of
gold entity g. s is aligned with g if 100 c(g) / |M| > P, strictly; exactly half is not enough for P = 50. Spans that
are not gold mentions stay in |M|. If P < 50 and several entities qualify, the largest c wins, then the smallest id.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Literal, NamedTuple, TypeAlias

from adjudge.errors import UsageError
from adjudge.model.kbp import LEVELS, NAMED, NORMALISED, KbDocument, KnowledgeBase
from adjudge.tasks.kbp.options import KbOptions, MentionMatch

Place: TypeAlias = "tuple[int, int]"
"""Start and end of a span; a plain pair equals a `Span` at a third of the cost, and there is one for every mention."""

Finder: TypeAlias = Callable[[Place], "str | None"]
"""From a span to the id of the gold entity to which it belongs."""

NodeInDocument: TypeAlias = "tuple[str, str]"
"""A node of the system and a document."""

_Candidate: TypeAlias = "tuple[bool, str]"  # whether it is not a name, and the entity: the smallest wins
_Spans: TypeAlias = dict[Place, _Candidate]

State: TypeAlias = Literal["aligned", "not-found", "too-few", "other-type", "taken", "no-name", "unattested"]
STATES: dict[State, str] = {
    "aligned": "it is aligned",
    "not-found": "none of its mentions is a gold mention",
    "too-few": "no gold entity has enough of its mentions",
    "other-type": "the gold entity has another type",
    "taken": "another node is aligned with the gold entity",
    "no-name": "the document does not mention it by name",
    "unattested": "the document does not mention it",
}


class Alignment(NamedTuple):
    """What a node is aligned with in a document, and why: `spans` is |M|, `counts` the c(g) > 0 in the order of ids."""

    node: str
    document: str
    state: State
    entity: str | None
    spans: int
    counts: tuple[tuple[str, int], ...] = ()


class Aligned(NamedTuple):
    """All nodes in all documents that mention them; `outside` counts mentions in other documents."""

    found: dict[NodeInDocument, Alignment]
    outside: int

    def get(self, node: str, document: str) -> Alignment:
        """The alignment of any node in any document."""
        return self.found.get((node, document)) or Alignment(node, document, "unattested", None, 0)


def align(documents: Sequence[KbDocument], kb: KnowledgeBase, options: KbOptions) -> Aligned:
    """Align every node of a knowledge base with the gold entities of every document.

    >>> from adjudge.model.kbp import Entity, Mention
    >>> gold = KbDocument("d", [Entity("E1", mentions=(Mention("d", 0, 3), Mention("d", 9, 11, "PRO")))])
    >>> node = Entity("n", mentions=(Mention("d", 0, 3), Mention("d", 9, 11), Mention("d", 20, 22)))
    >>> align([gold], KnowledgeBase("run", [node]), KbOptions()).get("n", "d")
    Alignment(node='n', document='d', state='aligned', entity='E1', spans=3, counts=(('E1', 2),))
    """
    finders = {
        document.id: find_entities(document, match=options.mention_match, levels=options.gold_levels)
        for document in documents
    }
    spans, outside = node_spans(kb, finders.keys(), match=options.mention_match, levels=options.levels)
    types = _types(documents, kb) if options.require_type else None
    threshold = Fraction(str(options.threshold))
    found: dict[NodeInDocument, Alignment] = {}
    for (node, document), given in spans.items():
        hits: dict[str, int] = {}
        for entity in map(finders[document], given):
            if entity is not None:
                hits[entity] = hits.get(entity, 0) + 1
        counts = tuple(sorted(hits.items()))
        found[node, document] = _decide(node, document, len(given), counts, threshold, types)
    if options.one_to_one:
        found = _one_to_one(found, threshold, types)
    return Aligned(found, outside)


def qualifying(counts: Iterable[tuple[str, int]], spans: int, threshold: Fraction) -> list[tuple[str, int]]:
    """The entities with more than the threshold, the best first."""
    least, scale = threshold.numerator * spans, 100 * threshold.denominator
    enough = [(entity, count) for entity, count in counts if count * scale > least]
    return sorted(enough, key=lambda pair: (-pair[1], pair[0]))


def corpus_alignment(
    aligned: Aligned, ids: Mapping[tuple[str, str], str | None], options: KbOptions
) -> dict[str, str | None]:
    """What each node is aligned with over all documents: the corpus id of more than P % of its named mentions, or None.

    `ids` has the corpus id of each gold entity by document and id.

    >>> one = Alignment("n", "d", "aligned", "E1", 1, (("E1", 1),))
    >>> other = Alignment("n", "e", "not-found", None, 1)
    >>> found = Aligned({("n", "d"): one, ("n", "e"): other}, 0)
    >>> corpus_alignment(found, {("d", "E1"): "W:Oslo"}, KbOptions())
    {'n': None}
    """
    threshold = Fraction(str(options.threshold))
    totals: Counter[str] = Counter()
    votes: dict[str, Counter[str]] = {}
    for (node, document), alignment in aligned.found.items():
        totals[node] += alignment.spans
        counter = votes.setdefault(node, Counter())
        for entity, count in alignment.counts:
            id = ids.get((document, entity))
            if id is not None:
                counter[id] += count
    found: dict[str, str | None] = {}
    for node, counter in votes.items():
        best = qualifying(counter.items(), totals[node], threshold)
        found[node] = best[0][0] if best else None
    return found


def _decide(
    node: str,
    document: str,
    spans: int,
    counts: tuple[tuple[str, int], ...],
    threshold: Fraction,
    types: _Types | None,
) -> Alignment:
    state: State
    entity = None
    if not spans:
        state = "no-name"
    elif not counts:
        state = "not-found"
    else:
        enough = qualifying(counts, spans, threshold)
        fits = enough if types is None else [pair for pair in enough if types.equal(node, document, pair[0])]
        state = "aligned" if fits else "other-type" if enough else "too-few"
        entity = fits[0][0] if fits else None
    return Alignment(node, document, state, entity, spans, counts)


class _Types(NamedTuple):
    nodes: dict[str, str]
    entities: dict[tuple[str, str], str]

    def equal(self, node: str, document: str, entity: str) -> bool:
        return self.nodes[node] == self.entities[document, entity] != ""


def _types(documents: Sequence[KbDocument], kb: KnowledgeBase) -> _Types:
    return _Types(
        {node.id: node.type.upper() for node in kb.entities},
        {(document.id, entity.id): entity.type.upper() for document in documents for entity in document.entities},
    )


def _one_to_one(
    found: dict[NodeInDocument, Alignment], threshold: Fraction, types: _Types | None
) -> dict[NodeInDocument, Alignment]:
    """In each document the assignment with most shared mentions; of equal nodes the one with the smaller id."""
    from adjudge.algebra.solve.assignment import max_weight_matching

    groups: dict[str, list[Alignment]] = {}
    for alignment in found.values():
        if alignment.state == "aligned":
            groups.setdefault(alignment.document, []).append(alignment)
    changed = dict(found)
    for document, group in groups.items():
        group.sort()
        entities = sorted({entity for alignment in group for entity, _ in alignment.counts})
        number = {entity: place for place, entity in enumerate(entities)}
        edges = [
            (row, number[entity], float(count))
            for row, alignment in enumerate(group)
            for entity, count in qualifying(alignment.counts, alignment.spans, threshold)
            if types is None or types.equal(alignment.node, document, entity)
        ]
        chosen = {row: entities[column] for row, column, _ in max_weight_matching(edges)[1]}
        for row, alignment in enumerate(group):
            entity = chosen.get(row)
            state: State = "taken" if entity is None else "aligned"
            changed[alignment.node, document] = alignment._replace(state=state, entity=entity)
    return changed


# ---------------------------------------------------------------------------------------------------------------------
# Which gold entity a span belongs to: equal spans by a hash table, overlaps by sorted intervals


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
    in a document, but not on these levels, has no spans there. Normal forms are not mentions.
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
    reach = list(accumulate((end for _, end in order), max))  # the furthest end of the spans so far

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
