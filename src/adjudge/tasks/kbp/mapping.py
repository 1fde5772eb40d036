"""Maps annotation and knowledge bases to comparable triples: system facts in terms of gold entities.

A fact (s, r, o) that document d supports becomes the triple of the corpus ids of the gold entities with which s and o
are aligned in d. A node that is not aligned there becomes a private node `S:node`, which is never a gold entity but
keeps its identity, so that paths can pass through it. Facts about gold entities without a name are out of scope:
neither right nor wrong. The outcome of every fact, and why, is kept for explanations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from adjudge.errors import Problem, UsageError
from adjudge.model.kbp import Fact, KbDocument, KnowledgeBase, MentionLink, TripleNames, TripleTable
from adjudge.tasks.kbp.alignment import Aligned, Alignment, align, corpus_alignment
from adjudge.tasks.kbp.linking import GoldKey, Linked, link
from adjudge.tasks.kbp.naming import Renamed
from adjudge.tasks.kbp.options import KbOptions, Side, is_turned, relation_name

if TYPE_CHECKING:
    from adjudge.formats.kb_links import MentionKey

Outcome: TypeAlias = Literal["linked", "majority", "private", "nameless", "no-name"]
OUTCOMES: dict[Outcome, str] = {
    "linked": "a gold entity",
    "majority": "not mentioned in the document; what most of its mentions elsewhere are",
    "private": "no gold entity",
    "nameless": "a gold entity without a named mention",
    "no-name": "not mentioned by name in the document",
}

Status: TypeAlias = Literal["mapped", "outside", "low-confidence", "excluded", "literal", "out-of-scope", "ignored"]
STATUSES: dict[Status, str] = {
    "mapped": "a triple",
    "outside": "its document is not among the gold documents",
    "low-confidence": "its confidence is too low",
    "excluded": "its relation does not count",
    "literal": "its object is a string, not an entity",
    "out-of-scope": "about an entity without a name",
    "ignored": "about a node that is not aligned",
}


class Endpoint(NamedTuple):
    """The subject or object of a fact: what it is mapped to in the document of the fact.

    `id` is a corpus id, that of a private node, or None if out of scope. `alignment` explains how a system's node got
    it; gold entities have none.
    """

    node: str
    outcome: Outcome
    id: str | None
    alignment: Alignment | None = None


class Step(NamedTuple):
    """The outcome of one fact: `fact` is its place among the facts of its side, `row` its row in the table or -1.

    `relation` is what the relation counts as, None if it does not count. Facts that were dropped before their subject
    and object were mapped have no endpoints.
    """

    fact: int
    status: Status
    relation: str | None = None
    subject: Endpoint | None = None
    object: Endpoint | None = None
    row: int = -1


class MappedSystem(NamedTuple):
    """The triples of a system, with final names of relations, and how they were made.

    `own` and `labels` are for `identity_source="system"`: the same facts between the system's own nodes, and the gold
    node that each of them counts as over the whole corpus (-1: none).
    """

    name: str
    table: TripleTable
    tally: dict[str, int]
    trace: Sequence[Step] = ()
    aligned: Aligned = Aligned({}, 0)
    own: TripleTable | None = None
    labels: Mapping[int, int] | None = None
    notes: Sequence[Problem] = ()


class Mapped(NamedTuple):
    """Gold and systems as triples that share their names; `gold_trace` has a step for each of `gold_facts`.

    Plain triples are unchanged, all that concerns annotation is empty, and `named` is false: their relations do not
    have their final names yet. `renamed` are their graphs under comparable names.
    """

    gold: TripleTable
    gold_tally: dict[str, int]
    gold_ids: dict[GoldKey, str | None]
    gold_links: dict[GoldKey, Linked]
    gold_facts: Sequence[Fact]
    gold_trace: Sequence[Step]
    systems: tuple[MappedSystem, ...]
    documents: tuple[str, ...]
    named: bool = True
    renamed: Renamed | None = None


def map_systems(
    gold: Sequence[KbDocument],
    systems: Sequence[KnowledgeBase],
    options: KbOptions,
    *,
    links: Mapping[MentionKey, MentionLink] | None = None,
    redirects: Mapping[str, str] | None = None,
    stop: Collection[str] = (),
    names: Sequence[str] | None = None,
) -> Mapped:
    """Gold triples, and the triples of each system in terms of gold entities.

    `links`, `redirects` and `stop` link gold mentions to pages (`linking.link`), `names` are those of the systems, if
    not their run ids. With several systems, private nodes are `S:system:node`, so that no two systems share one.

    >>> from adjudge.model.kbp import Entity, Mention
    >>> ana, corvex = (Mention("d", 0, 3, text="Ana"),), (Mention("d", 9, 15, text="Corvex"),)
    >>> facts = [Fact("E1", "Founder", "E2", "d")]
    >>> gold = KbDocument("d", [Entity("E1", mentions=ana), Entity("E2", mentions=corvex)], facts)
    >>> nodes = [Entity(":1", mentions=ana), Entity(":2", mentions=(Mention("d", 20, 24),))]
    >>> mapped = map_systems([gold], [KnowledgeBase("run", nodes, [Fact(":1", "Founder", ":2", "d")])], KbOptions())
    >>> list(mapped.gold.rows()), list(mapped.systems[0].table.rows())
    ([('N:Ana', 'Founder', 'N:Corvex', 'd')], [('N:Ana', 'Founder', 'S::2', 'd')])
    """
    called = tuple(names) if names is not None else tuple(system.id for system in systems)
    _check(gold, systems, called)
    shared = TripleNames()
    linked = link(gold, options, links=links, redirects=redirects, stop=stop)
    ids = {key: each.id for key, each in linked.items()}
    facts = [(document.id, fact) for document in gold for fact in document.facts]
    ends = {key: Endpoint(key[1], "nameless" if id is None else "linked", id) for key, id in ids.items()}
    table = TripleTable(shared)
    for document in gold:
        shared.documents[document.id]  # a document without a triple is a document
    trace = _map_facts(
        facts,
        table,
        lambda node, document: ends.get((document, node)) or Endpoint(node, "nameless", None),
        "gold",
        options,
    )
    mapped = []
    for system, name in zip(systems, called, strict=True):
        prefix = f"S:{name}:" if len(systems) > 1 else "S:"
        mapping = _Mapping(align(gold, system, options), ids, options, prefix)
        mapped.append(_map_system(system, name, mapping, shared))
    documents = tuple(document.id for document in gold)
    return Mapped(table, _tally(trace), ids, linked, [fact for _, fact in facts], trace, tuple(mapped), documents)


def describe_endpoint(endpoint: Endpoint) -> str:
    """Why an endpoint is what it is, in words.

    >>> alignment = Alignment(":6", "d", "too-few", None, 2, (("E3", 1), ("E4", 1)))
    >>> describe_endpoint(Endpoint(":6", "private", "S::6", alignment))
    'no gold entity has enough of its mentions: 1 of 2 are in E3, 1 of 2 in E4'
    """
    from adjudge.tasks.kbp.alignment import STATES

    alignment = endpoint.alignment
    if alignment is None or endpoint.outcome in ("majority", "no-name"):
        return OUTCOMES[endpoint.outcome]
    parts = [f"{count} of {alignment.spans} in {entity}" for entity, count in alignment.counts]
    parts[:1] = [part.replace(" in ", " are in ", 1) for part in parts[:1]]
    counts = f": {', '.join(parts)}" if parts else ""
    if alignment.entity is None:
        return f"{STATES[alignment.state]}{counts}"
    return f"{OUTCOMES[endpoint.outcome]}, {alignment.entity}{counts}"


# ---------------------------------------------------------------------------------------------------------------------


def _check(gold: Sequence[KbDocument], systems: Sequence[KnowledgeBase], names: Sequence[str]) -> None:
    if len(names) != len(systems):
        raise UsageError(f"{len(names)} names for {len(systems)} systems", hint="give one name for each system")
    if repeated := [name for name, count in Counter(names).items() if count > 1]:
        raise UsageError(f"two systems are called {', '.join(repeated)}", hint="give the systems different names")
    if not gold:
        raise UsageError("there are no gold documents", hint="give at least one")
    counts = Counter(document.id for document in gold)
    if repeated := [id for id, count in counts.items() if count > 1]:
        raise UsageError(f"gold has the document {repeated[0]!r} twice", hint="keep one of them")
    for document in gold:
        twice = [id for id, count in Counter(entity.id for entity in document.entities).items() if count > 1]
        if twice:
            message = f"document {document.id!r} has two entities {twice[0]!r}"
            raise UsageError(message, hint="give each entity its own id")


_End: TypeAlias = Callable[[str, str], Endpoint]
"""From a node and a document to what the node is there."""


def _map_facts(
    facts: Sequence[tuple[str, Fact]],
    table: TripleTable,
    end: _End,
    side: Side,
    options: KbOptions,
    own: tuple[TripleTable, str] | None = None,
) -> list[Step]:
    """The outcome of each fact, given with its document; a system's must be in gold documents and confident enough.

    `own` is a table for the same facts between the system's own nodes, and the prefix of their names.
    """
    documents = table.names.documents
    relations: dict[str, str | None] = {}  # what each counts as
    steps: list[Step] = []
    for number, (document, fact) in enumerate(facts):
        if side == "system" and (document not in documents or fact.confidence < options.min_confidence):
            steps.append(Step(number, "outside" if document not in documents else "low-confidence"))
            continue
        if fact.relation not in relations:
            relations[fact.relation] = relation_name(fact.relation, options, side)
        relation = relations[fact.relation]
        if relation is None or fact.literal:
            steps.append(Step(number, "excluded" if relation is None else "literal", relation))
            continue
        first, last = fact.subject, fact.object
        if is_turned(fact.relation, options, side):
            first, last = last, first
        subject, object_ = end(first, document), end(last, document)
        status: Status = "mapped"
        if options.unaligned == "ignore" and "private" in (subject.outcome, object_.outcome):
            status = "ignored"
        elif subject.id is None or object_.id is None:
            status = "out-of-scope"
        else:
            table.add(subject.id, relation, object_.id, document)
            if own is not None:
                own[0].add(f"{own[1]}{first}", relation, f"{own[1]}{last}", document)
        steps.append(Step(number, status, relation, subject, object_, len(table) - 1 if status == "mapped" else -1))
    return steps


class _Mapping:
    """What the nodes of one system are in each document, computed once."""

    def __init__(self, aligned: Aligned, ids: Mapping[GoldKey, str | None], options: KbOptions, prefix: str) -> None:
        self.aligned, self.ids, self.options, self.prefix = aligned, ids, options, prefix
        self.ends: dict[tuple[str, str], Endpoint] = {}
        needed = options.unattested == "corpus-majority" or options.identity_source == "system"
        self.corpus = corpus_alignment(aligned, ids, options) if needed else {}

    def __call__(self, node: str, document: str) -> Endpoint:
        key = node, document
        found = self.ends.get(key)
        if found is None:
            found = self.ends[key] = self._end(self.aligned.get(node, document))
        return found

    def _end(self, alignment: Alignment) -> Endpoint:
        node = alignment.node
        if alignment.entity is not None:
            id = self.ids[alignment.document, alignment.entity]
            return Endpoint(node, "nameless" if id is None else "linked", id, alignment)
        if alignment.state == "no-name" and self.options.unnamed == "drop":
            return Endpoint(node, "no-name", None, alignment)
        if alignment.state == "unattested" and self.options.unattested == "corpus-majority":
            id = self.corpus.get(node)
            if id is not None:
                return Endpoint(node, "majority", id, alignment)
        return Endpoint(node, "private", f"{self.prefix}{node}", alignment)


def _map_system(system: KnowledgeBase, name: str, mapping: _Mapping, names: TripleNames) -> MappedSystem:
    table, options, prefix = TripleTable(names), mapping.options, mapping.prefix
    own = TripleTable(names) if options.identity_source == "system" else None
    facts = [(fact.document, fact) for fact in system.facts]
    steps = _map_facts(facts, table, mapping, "system", options, None if own is None else (own, prefix))
    labels: dict[int, int] | None = None
    if own is not None:
        labels = {}
        for number in dict.fromkeys((*own.subjects, *own.objects)):
            id = mapping.corpus.get(names.nodes.listed[number].removeprefix(prefix))
            labels[number] = -1 if id is None else names.nodes[id]
    tally = _tally(steps) | {"mentions-outside": mapping.aligned.outside}
    notes = _notes(system, tally, mapping.aligned)
    return MappedSystem(name, table, tally, steps, mapping.aligned, own, labels, notes)


def _notes(system: KnowledgeBase, tally: Mapping[str, int], aligned: Aligned) -> list[Problem]:
    """Signs of files that do not belong together, rather than of a bad system."""
    notes = []
    place = system.path or system.id or None
    if tally["facts"] and tally["outside"] == tally["facts"]:
        message = "no fact is about a gold document"
        notes.append(Problem(message, path=place, hint="check the ids of the documents"))
    spans = sum(each.spans for each in aligned.found.values())
    if spans and not any(each.counts for each in aligned.found.values()):
        message = f"none of the {spans} spans in the gold documents is a gold mention"
        notes.append(Problem(message, path=place, hint="check what the offsets count, and which characters"))
    return notes


def _tally(steps: Sequence[Step]) -> dict[str, int]:
    """How many facts there are, their outcomes, and how many are about an unaligned or unattested node."""
    found: dict[str, int] = {"facts": len(steps), **dict.fromkeys(STATUSES, 0), "unaligned": 0, "unattested": 0}
    for _, status, _, subject, object_, _ in steps:
        found[status] += 1
        if subject is None or object_ is None:
            continue
        ends = subject, object_
        found["unaligned"] += any(end.outcome == "private" for end in ends)
        found["unattested"] += any(end.alignment is not None and end.alignment.state == "unattested" for end in ends)
    return found
