"""Facts and paths by document: where a document states a fact, and the outcome of everything it states.

A fact is an item of each document that supports it. A path crosses documents and is an item of one of them: the first
document of the fact at which it breaks, or of its first fact if it is right, so that the paths of all documents add up
to those of the score. If there are too many to list, some are listed, and the numbers say how many there are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from adjudge.model.kbp import NAMED, NORMALISED, Entity, Fact, KbDocument, Mention, Span
from adjudge.stats.alignment import Alignment, Item, Matching, Pair, Single
from adjudge.tasks.kbp.linking import mention_name
from adjudge.tasks.kbp.mapping import STATUSES
from adjudge.tasks.kbp.reasons import FATES, REASONS, AnnotationReasons, Fate, Why

if TYPE_CHECKING:
    from adjudge.tasks.kbp.explain import Explainer, Losses
    from adjudge.tasks.kbp.reasons import AnnotationReasons, Fate

AROUND = 60
"""Characters of context on either side."""
LONGEST = 400
"""Longest stretch of characters shown whole; of longer ones, only the context of each place."""


class Said(NamedTuple):
    """Where a document states a fact: names, places and roles of subject and object, and the spans that justify it."""

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
    """One mention of each: the closest pair."""
    first, second = (sorted(side, key=lambda each: each.head_span) for side in (ours, theirs))
    if not first or not second:
        return [*((each, "subject") for each in first[:1]), *((each, "object") for each in second[:1])]
    # Both are in text order, so that one pass along them finds the smallest distance.
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
        """The facts of each document behind a fact of one side, in file order and in the direction of that fact."""
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
        """Where a document states a fact."""
        document, entities = self.documents.get(said.document), self.nodes
        if fate == "missed":
            known = self._entities.get(said.document)
            if known is None:
                own = () if document is None else document.entities
                known = self._entities[said.document] = {entity.id: entity for entity in own}
            entities = known
        return locate(said, entities.get(said.subject), entities.get(said.object), document)

    def name(self, node: str) -> str:
        """A node, with a readable name if it is one of the system's own."""
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


# ---------------------------------------------------------------------------------------------------------------------


FACTS = 10_000
"""Most facts of a document that are listed for each outcome."""
PATHS = 20
"""Most paths of one length of a document that are listed for each outcome."""
_NAMED = 3  # maximum documents named


def align_documents(explainer: Explainer, documents: Sequence[str]) -> list[Alignment]:
    """The outcome of the facts and paths of some documents."""
    sheets = {name: _Sheet(explainer, name) for name in documents}
    facts = {fate: _by_document(explainer, fate) for fate in FATES}
    dropped = _dropped(explainer, sheets)
    for name, sheet in sheets.items():
        sheet.add_facts(facts["missed"].get(name, []), facts["wrong"].get(name, []), dropped.get(name, []))
    for hop in range(2, explainer.options.hops + 1):
        found = explainer.losses(hop)
        rows = _rows_by_document(explainer, found)
        for name, sheet in sheets.items():
            sheet.add_paths(hop, found, rows.get(name, {}))
    texts = {} if explainer.support is None else explainer.support.documents
    own = _present(explainer)
    return [
        Alignment(
            gold=tuple(sheet.items["missed"].values()),
            system=tuple(sheet.items["wrong"].values()),
            matchings=tuple(sheet.matchings),
            text=texts[name].text if name in texts else None,
            missing=name not in own,
        )
        for name, sheet in sheets.items()
    ]


def _present(explainer: Explainer) -> set[str]:
    """The documents that the system has mentions in, or facts."""
    reasons, side = explainer.reasons, explainer.sides["wrong"]
    if isinstance(reasons, AnnotationReasons):
        return {name for _, name in reasons.mine.aligned.found} | {fact.document for fact in reasons.facts["wrong"]}
    return {side.names.documents.listed[number] for number in set(side.table.documents)}


def _dropped(explainer: Explainer, documents: Collection[str]) -> dict[str, list[tuple[Item, str]]]:
    """Facts of the system that do not count, by document, and why."""
    found: dict[str, list[tuple[Item, str]]] = {}
    side, reasons, support = explainer.sides["wrong"], explainer.reasons, explainer.support
    if isinstance(reasons, AnnotationReasons) and support is not None:
        for step in reasons.mine.trace:
            fact = reasons.facts["wrong"][step.fact]
            if step.row < 0 and fact.document in documents:
                item = _item(*fact.triple, again=f" #{step.fact}", said=support.located("wrong", fact))
                found.setdefault(fact.document, []).append((item, STATUSES[step.status]))
    table, nodes = side.table, side.names.nodes.listed
    for row, why in side.dropped():
        document = side.names.documents.listed[table.documents[row]]
        if document in documents:
            relation = side.names.relations.listed[table.relations[row]]
            item = _item(nodes[table.subjects[row]], relation, nodes[table.objects[row]], again=f" row {row}")
            found.setdefault(document, []).append((item, why))
    return found


def _item(subject: str, relation: str, object_: str, *, again: str = "", said: Said | None = None) -> Item:
    """A fact; `again` distinguishes facts with the same names."""
    return Item(
        id=f"{subject} —{relation}→ {object_}{again}",
        level="facts",
        text="" if said is None else " … ".join(filter(None, said.names)),
        place=() if said is None else tuple((span.start, span.end) for span in said.places),
        roles=said.roles if said is not None and said.places else (),
        label=relation,
        group=(subject, object_),
    )


def _by_document(explainer: Explainer, fate: Fate) -> dict[str, list[int]]:
    """The facts of one side by the documents that support them."""
    import numpy as np

    side = explainer.sides[fate]
    place = np.repeat(np.arange(len(side.facts.subjects)), np.diff(side.facts.starts))
    listed, found = side.names.documents.listed, dict[str, list[int]]()
    # Along simple walks no node comes twice, so that facts about one node alone are not paths.
    counts = (side.facts.subjects != side.facts.objects)[place] | (not side.simple)
    for fact, document in zip(place[counts].tolist(), side.facts.documents[counts].tolist(), strict=True):
        found.setdefault(listed[document], []).append(fact)
    return found


def _rows_by_document(explainer: Explainer, found: Losses) -> dict[str, dict[str, list[int]]]:
    """The paths of each document: those that are right, missed and wrong."""
    rows: dict[str, dict[str, list[int]]] = {}
    gold, system = explainer.sides.values()
    firsts = (
        ("right", gold, found.right[0][:, 0]),
        ("missed", gold, found.gold.first_broken()),
        ("wrong", system, found.system.first_broken()),
    )
    for outcome, side, facts in firsts:
        listed = side.names.documents.listed
        for row, number in enumerate(side.facts.documents[side.facts.starts[facts]].tolist()):
            rows.setdefault(listed[number], {}).setdefault(outcome, []).append(row)
    return rows


class _Sheet:
    """The items of one document, and their outcomes."""

    def __init__(self, explainer: Explainer, name: str) -> None:
        self.explainer, self.name = explainer, name
        self.items: dict[Fate, dict[str, Item]] = {"missed": {}, "wrong": {}}
        self.numbers: dict[tuple[Fate, str], int] = {}
        self.matchings: list[Matching] = []

    def _number(self, fate: Fate, item: Item) -> int:
        self.items[fate].setdefault(item.id, item)
        return self.numbers.setdefault((fate, item.id), len(self.items[fate]) - 1)

    # Facts

    def add_facts(self, gold: Sequence[int], system: Sequence[int], dropped: Sequence[tuple[Item, str]]) -> None:
        """The facts that this document supports; the other side may take them from another document."""
        sides = self.explainer.sides
        own: dict[Fate, dict[tuple[int, int, int], int]] = {
            fate: {sides[fate].triple(fact): fact for fact in reversed(facts)}
            for fate, facts in zip(FATES, (gold, system), strict=True)
        }
        lost = {fate: [fact for fact in own[fate].values() if not sides[fate].matched[fact]][::-1] for fate in FATES}
        both = [t for fate in FATES for t, fact in reversed(own[fate].items()) if sides[fate].matched[fact]]
        both = list(dict.fromkeys(both))
        pairs = [self._pair(triple, own) for triple in both[:FACTS]]
        for fate in FATES:
            for fact in lost[fate][:FACTS]:
                self._fact(fate, fact)
        singles = {fate: [self._single(fate, fact) for fact in lost[fate][:FACTS]] for fate in FATES}
        repeated = [fact for fact in system if own["wrong"][sides["wrong"].triple(fact)] != fact]
        ignored = [Single(self._fact("wrong", fact), "repeated by another node") for fact in repeated[:FACTS]]
        ignored += [Single(self._number("wrong", item), why) for item, why in dropped[:FACTS]]
        numbers = {"gold": len(own["missed"]), "system": len(own["wrong"])}
        sizes = len(both), *map(len, lost.values()), len(repeated), len(dropped)
        self._add(1, pairs, singles, ignored, numbers, sum(max(0, size - FACTS) for size in sizes))

    def _pair(self, triple: tuple[int, int, int], own: Mapping[Fate, Mapping[tuple[int, int, int], int]]) -> Pair:
        numbers, why = [], ""
        for fate in FATES:
            side, fact = self.explainer.sides[fate], own[fate].get(triple)
            if fact is None:
                fact = side.by_triple[triple]
                elsewhere = self.explainer.documents(fate, fact)
                why = f"{side.who} says it in {', '.join(elsewhere[:_NAMED])}{', ...' * (len(elsewhere) > _NAMED)}"
            numbers.append(self._fact(fate, fact))
        return Pair(numbers[0], numbers[1], why=why)

    def _single(self, fate: Fate, fact: int) -> Single:
        why, other = self.explainer.why(fate, fact, 0, 1), FATES[1 - FATES.index(fate)]
        near = None if why.near < 0 else self.numbers.get((other, self._written(other, why.near)))
        return Single(self._fact(fate, fact), self._why(why), near)

    def _written(self, fate: Fate, fact: int) -> str:
        subject, relation, object_ = self.explainer.names(fate, fact)
        return f"{subject} —{relation}→ {object_}"

    def _fact(self, fate: Fate, fact: int) -> int:
        known = self.numbers.get((fate, self._written(fate, fact)))
        if known is not None:
            return known
        names, support = self.explainer.names(fate, fact), self.explainer.support
        said = None if support is None else support.facts(fate, fact).get(self.name)
        if said is None or support is None:
            return self._number(fate, _item(*names))
        return self._number(fate, _item(*names, said=support.located(fate, said)))

    def _why(self, why: Why) -> str:
        where = f" ({why.document})" if why.document not in ("", self.name) else ""
        return f"{REASONS[why.reason].label}: {why.detail}{where}"

    # Paths

    def add_paths(self, hop: int, found: Losses, rows: Mapping[str, Sequence[int]]) -> None:
        """The paths of one length that belong to this document."""
        right, singles = rows.get("right", ()), dict[Fate, list[Single]]()
        one, other = found.right
        pairs = [
            Pair(
                self._number("missed", self._path("missed", one[row].tolist())),
                self._number("wrong", self._path("wrong", other[row].tolist())),
            )
            for row in right[:PATHS]
        ]
        lost: dict[Fate, Any] = {"missed": found.gold, "wrong": found.system}
        for fate in FATES:
            singles[fate] = []
            for row in rows.get(fate, ())[:PATHS]:
                facts, broken = lost[fate].facts[row].tolist(), int(lost[fate].broken[row])
                why = self.explainer.why(fate, facts[min(broken, hop - 1)], broken, hop)
                said = self._why(why)
                if broken < hop:
                    relation = self.explainer.names(fate, facts[broken])[1]
                    said = f"fact {broken + 1}, {relation}: {said}"
                singles[fate].append(Single(self._number(fate, self._path(fate, facts)), said))
        sizes = {name: len(rows.get(name, ())) for name in ("right", *FATES)}
        numbers = {"gold": sizes["right"] + sizes["missed"], "system": sizes["right"] + sizes["wrong"]}
        sample = found.sample
        if sample is not None:
            numbers |= {"first entities": sample.all, "of which sampled": sample.drawn}
        self._add(hop, pairs, singles, [], numbers, sum(max(0, each - PATHS) for each in sizes.values()))

    def _path(self, fate: Fate, facts: Sequence[int]) -> Item:
        named = [self.explainer.names(fate, fact) for fact in facts]
        chain = named[0][0] + "".join(f" —{relation}→ {object_}" for _, relation, object_ in named)
        matched = self.explainer.sides[fate].matched
        value = [
            {
                "subject": subject,
                "relation": relation,
                "object": object_,
                "right": bool(matched[fact]),
                "documents": self.explainer.documents(fate, fact)[:_NAMED],
            }
            for fact, (subject, relation, object_) in zip(facts, named, strict=True)
        ]
        nodes = named[0][0], *(object_ for _, _, object_ in named)
        return Item(
            id=chain,
            level="paths",
            text=" … ".join(nodes),
            label="/".join(relation for _, relation, _ in named),
            group=tuple(dict.fromkeys(nodes)),
            value={"facts": value},
        )

    def _add(
        self,
        hop: int,
        pairs: Sequence[Pair],
        singles: Mapping[Fate, Sequence[Single]],
        ignored: Sequence[Single],
        numbers: Mapping[str, float],
        unlisted: int,
    ) -> None:
        metric = self.explainer.variant.metric(hop)
        missed, spurious = (tuple(singles[fate]) for fate in FATES)
        more = {"not listed": unlisted} if unlisted else {}
        self.matchings.append(
            Matching(
                metric=metric,
                pairs=tuple(pairs),
                missed=missed,
                spurious=spurious,
                ignored=tuple(ignored),
                numbers={**numbers, **more},
            )
        )
