"""Annotated documents for tests: the worked example, invented corpora, and alignment as the definition reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from hypothesis import strategies as st

import kbp_naive
from adjudge.model.kbp import Entity, Fact, KbDocument, KnowledgeBase, Mention, MentionLink, Span

NodeInDocument = tuple[str, str]


class Example(NamedTuple):
    gold: list[KbDocument]
    links: dict[tuple[str, str, int], MentionLink]
    systems: dict[str, KnowledgeBase]
    expected: Mapping[str, Any]


def worked_example() -> Example:
    data = kbp_naive.cases()["worked_example"]
    pages = {row["mention"]: row["page"] for row in data["wiki_table"]}
    documents, links = [], {}
    for name, entities in data["gold_entities"].items():
        facts = [
            Fact(row["arg1"], row["subtype"], row["arg2"], name) for row in data["gold_relations"] if row["doc"] == name
        ]
        documents.append(KbDocument(name, [gold_entity(each, name) for each in entities], facts, data["texts"][name]))
        for entity in entities:
            for number, mention in enumerate(entity["mentions"]):
                if mention["id"] in pages:
                    links[name, entity["id"], number] = MentionLink(name, pages[mention["id"]])
    nodes = [
        Entity(
            id,
            node["type"],
            tuple(Mention(m["doc"], m["start"], m["end"], m["level"], m["text"]) for m in node["mentions"]),
        )
        for id, node in data["system_entities"].items()
    ]
    systems = {
        name: KnowledgeBase(
            name,
            nodes,
            [Fact(row["subject"], row["relation"], row["object"], row["doc"]) for row in data[f"system_{name}"]],
        )
        for name in ("A", "B")
    }
    return Example(documents, links, systems, data["expected"])


def gold_entity(data: Mapping[str, Any], document: str) -> Entity:
    mentions = []
    for mention in data["mentions"]:
        head = Span(mention.get("hstart", mention.get("start")), mention.get("hend", mention.get("end")))
        mentions.append(
            Mention(
                document,
                mention.get("start", head.start),
                mention.get("end", head.end),
                mention["level"],
                mention.get("text", ""),
                head,
                mention.get("id", ""),
            )
        )
    return Entity(data["id"], data.get("type", ""), tuple(mentions))


def rows_as_json(table: Any) -> list[dict[str, Any]]:
    """The rows of a table as the cases have them: distinct triples with their documents."""
    found: dict[tuple[str, str, str], set[str]] = {}
    for subject, relation, object_, document in table.rows():
        found.setdefault((subject, relation, object_), set()).add(document)
    return [{"triple": list(triple), "docs": sorted(found[triple])} for triple in sorted(found)]


# Invented corpora. Spans are few, so that they collide.

LEVELS = ("NAM", "NAM", "NOM", "PRO")
TEXTS = ("Ana", "Ana Ruiz", "Ruiz", "Corvex", "A\n B")
NAMES = st.sampled_from(["Ana", "Ana Ruiz", "Corvex", "Oslo"])
TYPES = st.sampled_from(["PER", "ORG"])
RELATIONS = ("Employment", "Family", "Located", "Lasting-Personal")


def _mention(document: str, number: int) -> Mention:
    """One of 840 mentions; one draw is much faster than five."""
    number, place = divmod(number, 7)
    number, size = divmod(number, 3)
    number, level = divmod(number, 4)
    has_head, text = divmod(number, 5)
    start, end = 2 * place, 2 * place + size + 1
    head = Span(start + 1, end) if has_head and size else None
    return Mention(document, start, end, LEVELS[level], TEXTS[text].ljust(end - start), head)


def mentions(document: str) -> st.SearchStrategy[Mention]:
    return st.integers(0, 839).map(lambda number: _mention(document, number))


def _fact(subject: str, relation: str, object: str, document: str, confidence: float = 1.0) -> Fact:
    return Fact(subject, relation, object, document, confidence=confidence)


@st.composite
def gold_documents(draw: st.DrawFn, *, named: bool = False, documents: int = 3) -> list[KbDocument]:
    """Documents with entities that may share spans; with `named`, each entity has names of its own."""
    found = []
    for number in range(draw(st.integers(1, documents))):
        name = f"d{number}"
        entities = []
        for place in range(draw(st.integers(1, 4))):
            given = draw(st.lists(mentions(name), max_size=3))
            if named:
                # Far from all others, so that the entity has most of its own spans whatever is shared.
                called = draw(NAMES)
                own = [
                    Mention(name, 100 * (place + 1) + at, 100 * (place + 1) + at + 1, text=called) for at in range(7)
                ]
                given = [*own, *given]
            entities.append(Entity(f"E{place}", draw(TYPES), tuple(given)))
        ids = st.sampled_from([entity.id for entity in entities])
        facts = draw(st.lists(st.builds(_fact, ids, st.sampled_from(RELATIONS), ids, st.just(name)), max_size=4))
        found.append(KbDocument(name, entities, facts))
    return found


@st.composite
def knowledge_bases(draw: st.DrawFn, *, documents: int = 4) -> KnowledgeBase:
    """Nodes with mentions in several documents, one of which may be no gold document."""
    nodes = []
    name = st.integers(0, documents - 1).map(lambda number: f"d{number}")
    for number in range(draw(st.integers(1, 5))):
        given = draw(st.lists(st.tuples(name, st.integers(0, 839)), max_size=6))
        nodes.append(Entity(f":{number}", draw(TYPES), tuple(_mention(*each) for each in given)))
    ids = st.sampled_from([*(node.id for node in nodes), ":unknown"])
    confidence = st.sampled_from([1.0, 0.5, 0.2])
    fact = st.builds(_fact, ids, st.sampled_from(RELATIONS), ids, name, confidence)
    return KnowledgeBase("run", nodes, draw(st.lists(fact, max_size=8)))


# The definition, slowly: every system mention is compared with every gold mention.


def align_slowly(
    gold: Sequence[KbDocument],
    kb: KnowledgeBase,
    *,
    match: str = "head",
    threshold: float = 50.0,
    levels: Sequence[str] = ("NAM",),
    gold_levels: Sequence[str] = ("NAM", "NOM", "PRO", "NORM"),
    require_type: bool = False,
) -> dict[NodeInDocument, tuple[int, dict[str, int], str | None]]:
    """|M|, c(g) and the entity, for each node and document that has one of its spans."""
    found = {}
    for document in gold:
        for node in kb.entities:
            spans = {
                mention.span if match == "extent" else mention.head_span
                for mention in node.mentions
                if mention.document == document.id and mention.level in levels
            }
            if not spans:
                continue
            counts: dict[str, int] = {}
            for span in spans:
                owner = _owner(span, document, match, gold_levels)
                if owner is not None:
                    counts[owner] = counts.get(owner, 0) + 1
            types = {entity.id: entity.type for entity in document.entities}
            enough = [
                entity
                for entity, count in counts.items()
                if 100 * count / len(spans) > threshold and (not require_type or types[entity] == node.type)
            ]
            best = min(enough, key=lambda entity: (-counts[entity], entity)) if enough else None
            found[node.id, document.id] = len(spans), counts, best
    return found


def _owner(span: Span, document: KbDocument, match: str, levels: Sequence[str]) -> str | None:
    ranked = []
    for entity in document.entities:
        for mention in entity.mentions:
            if mention.level not in levels:
                continue
            named = mention.level != "NAM"
            if match == "overlap":
                one, other = set(range(*span)), set(range(*mention.head_span))
                if one & other:
                    ranked.append((-len(one & other), len(one ^ other), mention.head_span.start, named, entity.id))
            elif match != "extent" and mention.head_span == span:
                ranked.append((0, named, entity.id))
            elif match != "head" and mention.span == span:
                ranked.append((1, named, entity.id))
    return min(ranked)[-1] if ranked else None
