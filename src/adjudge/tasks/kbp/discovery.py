"""Entity discovery and linking in knowledge bases: mentions, types, links, and clusters over the whole corpus.

Both sides become linked mentions. A gold mention has the corpus id of its entity (`linking.link`), which may be a page;
a system mention has the page that its node links to, else the node itself. Nodes with the same page are one entity.
Clusters are compared over the whole corpus; intervals come from the jackknife over documents.

    kbp.mention             spans
    kbp.mention.typed       spans and types
    kbp.link                spans and pages
    kbp.nil                 spans of mentions without a page
    kbp.entity.ceafm        clusters, and likewise .ceafe, .b3, .muc and .pairwise
    kbp.entity.ceafm.typed  clusters of spans with their types
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from adjudge.errors import UsageError
from adjudge.evaluate.clusterings import ClusterCounter, ClusterTask, contingency
from adjudge.formats.kb_links import page_name
from adjudge.metrics.linking import NIL, assigned, assigned_typed, is_nil, linked, unlinked
from adjudge.model.kbp import NAMED, Entity, KbDocument, KnowledgeBase, Mention
from adjudge.tasks.kbp.linking import Linked, link
from adjudge.tasks.kbp.options import KbOptions

if TYPE_CHECKING:
    from adjudge.evaluate.clusterings import Counters
    from adjudge.stats.alignment import Alignment, Item
    from adjudge.stats.measure import Measure
    from adjudge.stats.result import Note
    from adjudge.tasks.kbp.inputs import KbInputs

Spans: TypeAlias = Literal["head", "extent"]
Mentions: TypeAlias = "dict[str, list[dict[str, Any]]]"
"""The mentions of each document as entity linking has them: span, type, entity."""

SETS: dict[str, Callable[[Sequence[Any]], set[Any]]] = {
    "kbp.mention": lambda mentions: {_place(each) for each in mentions},
    "kbp.mention.typed": lambda mentions: {(*_place(each), each["type"]) for each in mentions},
    "kbp.link": lambda mentions: {(*_place(each), each["entity"]) for each in linked(mentions)},
    "kbp.nil": lambda mentions: {_place(each) for each in unlinked(mentions)},
}
CLUSTERS: dict[str, tuple[str, str]] = {
    "kbp.entity.ceafm": ("span", "ceafm"),
    "kbp.entity.ceafm.typed": ("typed", "ceafm"),
    "kbp.entity.ceafe": ("span", "ceafe"),
    "kbp.entity.b3": ("span", "b3"),
    "kbp.entity.muc": ("span", "muc"),
    "kbp.entity.pairwise": ("span", "pairwise"),
}


class Discovered(NamedTuple):
    """The mentions of one side, and how many have two entities, a page, or are in other documents."""

    mentions: Mentions
    doubled: int = 0
    pages: int = 0
    outside: int = 0


class DiscoveryTask(ClusterTask):
    """The mentions, links and clusters of knowledge bases against annotated documents.

    `levels` are those of the mentions that count on both sides; `options` say how gold entities are merged across
    documents. With `by_type`, every type is scored by itself as well.

    >>> from adjudge.evaluate.task import run_of
    >>> from adjudge.tasks.kbp.inputs import read_inputs
    >>> entity = '{"id": "E1", "type": "PER", "mentions": [{"start": 0, "end": 3, "text": "Ana"}]}'
    >>> line = f'{{"id": "d", "entities": [{entity}]}}'.encode()
    >>> task = DiscoveryTask(read_inputs(line, [line], names=["A"]))
    >>> task.result(run_of(bootstrap=0))["kbp.entity.b3"].f1
    1.0000
    """

    def __init__(
        self,
        read: KbInputs,
        options: KbOptions | None = None,
        *,
        levels: Sequence[str] = (NAMED,),
        spans: Spans = "head",
        by_type: bool = False,
    ) -> None:
        from adjudge.stats.inference import hash_chunks

        if read.gold.corpus is None:
            hint = "give annotated documents as gold"
            raise UsageError("plain triples have no mentions to discover", hint=hint)
        options = replace(options or KbOptions(), unnamed="document")
        documents = read.gold.corpus.documents
        pages: dict[str, Any] = {"redirects": read.gold.redirects, "stop": read.gold.stop}
        ids = link(documents, options, links=read.gold.links, **pages)
        gold = gold_mentions(documents, ids, levels=levels, spans=spans)
        systems = {
            each.name: system_mentions(each.kb, gold.mentions, levels=levels, spans=spans, **pages)
            for each in read.systems
            if each.kb is not None
        }
        self.gold, self.found, self.ids = gold, systems, tuple(gold.mentions)
        self.texts = {document.id: document.text for document in documents}
        sides = [gold, *systems.values()]
        parts: list[Counters] = []
        for kind in (None, *(_types(gold, systems.values()) if by_type else ())):
            places = [
                place
                for place, name in enumerate(self.ids)
                if kind is None or any(each["type"] == kind for side in sides for each in side.mentions[name])
            ]
            counters = {name: counter(gold.mentions, own.mentions, kind) for name, own in systems.items()}
            parts.append(({} if kind is None else {"type": kind}, places, counters))
        super().__init__("kbp", "discovery", measures(), parts, len(self.ids))
        written = repr((gold.mentions, [own.mentions for own in systems.values()])).encode("utf-8", "backslashreplace")
        self.said = {name: _notes(gold, own) for name, own in systems.items()}
        self.signature = {
            "levels": "+".join(levels),
            "spans": spans,
            "nil": options.nil_merge if options.nil_merge != "canonical" else options.nil_key,
            "gold": hash_chunks([repr(gold.mentions).encode("utf-8", "backslashreplace")]),
            "in": hash_chunks([written]),
        }

    def align(self, documents: Sequence[str]) -> dict[str, list[Alignment]]:
        """The mentions of some documents with their types, links and entities."""
        return {
            name: [align_mentions(self.gold.mentions[id], own.mentions[id], self.texts[id]) for id in documents]
            for name, own in self.found.items()
        }


def align_mentions(gold: Sequence[Any], system: Sequence[Any], text: str | None) -> Alignment:
    """Pairs mentions with the same span, those of the same type first, and says whether their pages agree.

    >>> ana = {"span": {"start": 0, "end": 3}, "type": "PER", "entity": "NIL:N:Ana"}
    >>> align_mentions([ana], [{**ana, "type": "ORG"}], "Ana left").matchings[0].pairs[0].why
    'type ORG, gold PER'
    """
    from adjudge.stats.alignment import Alignment, Matching, Pair, Single

    def typed(mention: Mapping[str, Any]) -> tuple[Any, ...]:
        return (*_place(mention), mention["type"])

    # A span counts once with each of its types; then spans are paired whose types differ.
    ours, theirs = ({typed(own[at]): at for at in reversed(range(len(own)))} for own in (gold, system))
    both = [(at, theirs[key]) for key, at in sorted(ours.items()) if key in theirs]
    left = {_place(system[at]): at for key, at in sorted(theirs.items(), reverse=True) if key not in ours}
    both += [(at, left.pop(key[:2])) for key, at in sorted(ours.items()) if key not in theirs and key[:2] in left]
    pairs = []
    for one, other in both:
        right = gold[one]["type"] == system[other]["type"]
        said = [] if right else [f"type {system[other]['type']}, gold {gold[one]['type']}"]
        pages = [each["entity"] if linked([each]) else "no page" for each in (system[other], gold[one])]
        said += [f"{pages[0]}, gold {pages[1]}"] if pages[0] != pages[1] else []
        pairs.append(Pair(one, other, "correct" if right else "wrong", float(right), "; ".join(said)))
    used = {pair.gold for pair in pairs}, {pair.system for pair in pairs}
    missed, rest = (
        [Single(at, "" if first[typed(each)] == at else "repeated") for at, each in enumerate(own) if at not in done]
        for own, first, done in zip((gold, system), (ours, theirs), used, strict=True)
    )
    matching = Matching(
        metric="kbp.mention.typed",
        pairs=tuple(pairs),
        missed=tuple(missed),
        spurious=tuple(each for each in rest if not each.why),
        ignored=tuple(each for each in rest if each.why),
    )
    sides = _items(gold, text), _items(system, text)
    return Alignment(gold=sides[0], system=sides[1], matchings=(matching,), text=text, groups="entity")


def _items(mentions: Sequence[Any], text: str | None) -> tuple[Item, ...]:
    from adjudge.stats.alignment import Item, words

    found: dict[str, Item] = {}
    for number, each in enumerate(mentions):
        start, end = place = _place(each)
        name = f"{start}-{end}" if f"{start}-{end}" not in found else f"{start}-{end} #{number}"
        places = (place,) if text is not None else ()
        group = (each["entity"],)
        said = words(text, places)
        found[name] = Item(id=name, level="mentions", text=said, place=places, label=each["type"], group=group)
    return tuple(found.values())


def gold_mentions(
    documents: Sequence[KbDocument],
    ids: Mapping[tuple[str, str], Linked],
    *,
    levels: Sequence[str] = (NAMED,),
    spans: Spans = "head",
) -> Discovered:
    """The mentions of annotated documents, with the corpus ids of their entities.

    >>> gold = KbDocument("d", [Entity("E1", "PER", mentions=(Mention("d", 0, 3, text="Ana"),))])
    >>> gold_mentions([gold], link([gold], KbOptions())).mentions["d"]
    [{'span': {'start': 0, 'end': 3}, 'type': 'PER', 'entity': 'NIL:N:Ana'}]
    """
    found: Mentions = {}
    for document in documents:
        own = found.setdefault(document.id, [])
        for entity in document.entities:
            id = ids[document.id, entity.id].id or f"D:{document.id}#{entity.id}"
            name = page_name(id[2:]) if id.startswith("W:") else f"{NIL}:{id}"
            own += [_mention(each, entity, name, spans) for each in entity.mentions if each.level in levels]
    return _discovered(found)


def system_mentions(
    kb: KnowledgeBase,
    documents: Mapping[str, Any],
    *,
    levels: Sequence[str] = (NAMED,),
    spans: Spans = "head",
    redirects: Mapping[str, str] | None = None,
    stop: frozenset[str] = frozenset(),
) -> Discovered:
    """The mentions of a knowledge base in these documents, with the page of their node, or the node.

    >>> node = Entity(":1", "PER", mentions=(Mention("d", 0, 3), Mention("e", 0, 3)))
    >>> found = system_mentions(KnowledgeBase("run", [node]), {"d": None})
    >>> found.mentions, found.outside
    ({'d': [{'span': {'start': 0, 'end': 3}, 'type': 'PER', 'entity': 'NIL::1'}]}, 1)
    """
    found: Mentions = {name: [] for name in documents}
    outside = 0
    for node in kb.entities:
        if node.kind != "entity":
            continue
        target = max(node.links, key=lambda each: each.confidence).target if node.links else None
        page = "" if target is None or is_nil(target.upper()) else page_name(target, redirects=redirects)
        name = page if page and page not in stop else f"{NIL}:{node.id}"
        for each in node.mentions:
            if each.level not in levels:
                continue
            if each.document in found:
                found[each.document].append(_mention(each, node, name, spans))
            else:
                outside += 1
    return _discovered(found)._replace(outside=outside)


def measures() -> tuple[Measure, ...]:
    """The measures, those of mentions first."""
    from adjudge.stats.measure import Prf

    found: list[Measure] = []
    for name in (*SETS, *CLUSTERS):
        matched, system, *others = _columns(name)
        recall = (matched, others[0]) if len(others) == 1 else (others[0], others[1])
        found.append(Prf(name, (matched, system), recall))
    return tuple(found)


def counter(gold: Mentions, system: Mentions, kind: str | None = None) -> ClusterCounter:
    """Counts of both sides for any weights of the documents; only of mentions of one type, if one is given."""
    sides = [
        [[each for each in side[name] if kind is None or each["type"] == kind] for name in gold]
        for side in (gold, system)
    ]
    additive: dict[str, Any] = {}
    for name, items in SETS.items():
        mine, yours = ([items(own) for own in side] for side in sides)
        counts = [[len(a & b), len(b), len(a)] for a, b in zip(mine, yours, strict=True)]
        additive |= {column: [count[place] for count in counts] for place, column in enumerate(_columns(name))}
    functions = {"span": assigned, "typed": assigned_typed}
    tables = {
        key: contingency(*([function(own) for own in side] for side in sides)) for key, function in functions.items()
    }
    metrics = {name: (key, by, _columns(name)) for name, (key, by) in CLUSTERS.items()}
    return ClusterCounter(metrics, tables, additive)


# ---------------------------------------------------------------------------------------------------------------------


def _columns(name: str) -> tuple[str, ...]:
    parts = ("tp", "system", "found", "gold") if name.endswith(".b3") else ("tp", "system", "gold")
    return tuple(f"{name}:{part}" for part in parts)


def _place(mention: Mapping[str, Any]) -> tuple[int, int]:
    return mention["span"]["start"], mention["span"]["end"]


def _mention(mention: Mention, entity: Entity, name: str, spans: Spans) -> dict[str, Any]:
    start, end = mention.head_span if spans == "head" else mention.span
    return {"span": {"start": start, "end": end}, "type": entity.type.upper(), "entity": name}


def _discovered(found: Mentions) -> Discovered:
    doubled = pages = 0
    for own in found.values():
        entities: dict[tuple[int, int], set[str]] = {}
        for each in own:
            entities.setdefault(_place(each), set()).add(each["entity"])
        doubled += sum(1 for names in entities.values() if len(names) > 1)
        pages += len(linked(own))
    return Discovered(found, doubled, pages)


def _types(gold: Discovered, systems: Any) -> list[str]:
    """The types of all sides, the most frequent in gold first."""
    counts: dict[str, int] = {}
    for weight, side in ((1, gold), *((0, each) for each in systems)):
        for own in side.mentions.values():
            for each in own:
                counts[each["type"]] = counts.get(each["type"], 0) + weight
    return sorted(counts, key=lambda kind: (-counts[kind], kind))


def _notes(gold: Discovered, system: Discovered) -> list[Note]:
    from adjudge.stats.result import Note

    found = []
    for which, side in (("gold", gold), ("system", system)):
        if side.doubled:
            message = (
                f"{side.doubled} {which} spans are mentions of several entities: the alphabetically first one counts"
            )
            found.append(Note(f"{which}-doubled", side.doubled, message))
        if not side.pages:
            remedy = "give --wiki, or links in the annotation" if which == "gold" else "the clusters are its own nodes"
            found.append(
                Note(f"{which}-unlinked", 1, f"no {which} mention has a page, so that kbp.link is 0: {remedy}")
            )
    if system.outside:
        message = f"{system.outside} mentions are in documents that gold does not have and were left out"
        found.append(Note("outside", system.outside, message))
    return found
