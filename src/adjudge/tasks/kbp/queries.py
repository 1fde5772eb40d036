"""Queries: where they start, what their relations lead to, and the answers of systems.

The official rule for the start: of the named mentions that overlap the entry point, those with the most characters in
common, of these the ones with the fewest characters outside it, of these the first in the file.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from adjudge.errors import Problem, UsageError, ValidationError
from adjudge.evaluate.sides import name_systems, stem
from adjudge.findings import raise_problems, read_files
from adjudge.formats.kb_coldstart_check import find_slot
from adjudge.formats.kb_queries import join_places, read_answers
from adjudge.formats.source import Source, opened, read_block, source_name
from adjudge.model.kbp import NAMED, NORMALISED, Entity, Fact, KbCorpus, KnowledgeBase, Mention, TripleTable
from adjudge.model.kbp_queries import (
    FOLLOW_UP,
    Answer,
    AnswerSet,
    Assessment,
    EntryPoint,
    KbQuery,
    Question,
    entry_hash,
    questions,
)
from adjudge.tasks.kbp.detection import detect, detected, has_nothing
from adjudge.tasks.kbp.inputs import KbSide, Reading, read_gold, read_system, system_units
from adjudge.tasks.kbp.linking import link
from adjudge.tasks.kbp.options import KbOptions


class Fill(NamedTuple):
    """A filler of a slot; `node` is empty for a plain string, `mention` is its name in the document."""

    node: str
    value: str
    mention: Mention | None = None
    provenance: str = ""
    type: str = ""
    confidence: float = 1.0


Slots: TypeAlias = tuple[str, ...]
Leads: TypeAlias = Mapping[str, Mapping[str, Collection[str]]]
"""By node, the relations with answers, and the nodes among these."""


class KbIndex:
    """A knowledge base by subject and relation, and its named mentions by document.

    >>> from adjudge.model.kbp import Entity, Fact
    >>> ana = Entity("a", "PER", (Mention("d", 0, 3, text="Ana", canonical=True),))
    >>> ben = Entity("b", "PER", (Mention("d", 8, 11, text="Ben", canonical=True),))
    >>> index = KbIndex(KnowledgeBase("r", [ana, ben], [Fact("a", "per:spouse", "b", "d")]))
    >>> index.start(Question("Q", "Q", ("per:spouse",), EntryPoint("Ana", "d", 2, 9)))
    'a'
    >>> [fill.value for fill in index.fills("a", "per:spouse")]
    ['Ben']
    """

    def __init__(self, kb: KnowledgeBase, *, name: str = "") -> None:
        self.kb = kb
        self.name = name or kb.id
        self.entities = kb.by_id()
        self.unnamed = 0  # facts whose object has no mention in their document, which could not be judged
        self._facts: dict[tuple[str, str], list[Fact]] = {}
        for fact in kb.facts:
            self._facts.setdefault((fact.subject, _slot(fact.relation)), []).append(fact)
        self._fills: dict[tuple[str, str], list[Fill]] = {}
        self._places: dict[str, list[tuple[Entity, Mention]]] = {}
        for entity in kb.entities:
            for mention in entity.named():
                self._places.setdefault(mention.document, []).append((entity, mention))

    def overlapping(self, document: str, start: int, end: int, *, type: str = "") -> list[Entity]:
        """The nodes that are best by the rule for entry points, in file order, of which it takes the first."""
        best: tuple[int, int] | None = None
        found: list[Entity] = []
        for entity, mention in self._places.get(document, ()):
            common = min(end, mention.end) - max(start, mention.start)
            if common <= 0 or (type and entity.type.lower() != type):
                continue
            rank = -common, mention.end - mention.start - common
            if best is None or rank < best:
                best, found = rank, [entity]
            elif rank == best and entity is not found[-1]:
                found.append(entity)
        return found

    def start(self, question: Question, *, same_type: bool = False) -> str | None:
        """The node that the rule finds, or the one that the query names if it has no entry point."""
        point = question.entry_point
        if point is None:
            return question.node if question.node in self.entities else None
        type_ = question.type.lower() if same_type else ""
        found = self.overlapping(*point[1:], type=type_)
        return found[0].id if found else None

    def documents(self) -> frozenset[str]:
        """The documents in which something is mentioned by name."""
        return frozenset(self._places)

    def fills(self, node: str, slot: str) -> Sequence[Fill]:
        """The fillers, named by the mention that is canonical in the document of the fact."""
        key = node, _slot(slot)
        fills = self._fills.get(key)
        if fills is None:
            fills = self._fills[key] = [
                fill for fact in self._facts.get(key, ()) if (fill := self._fill(fact)) is not None
            ]
        return fills

    def _fill(self, fact: Fact) -> Fill | None:
        spans = set(fact.provenance.justification or fact.provenance.filler)
        if fact.literal:
            where = fact.provenance.filler[:1]
            literal = Mention(fact.document, *where[0], text=fact.object) if where else None
            provenance = join_places((fact.document, *span) for span in spans)
            return Fill("", fact.object, literal, provenance, "STRING", fact.confidence)
        entity, subject = self.entities.get(fact.object), self.entities.get(fact.subject)
        mention = _name_in(entity, fact.document)
        if entity is None or mention is None:
            self.unnamed += 1
            return None
        if subject is not None and "event" in (entity.kind, subject.kind):
            # The provenance of an event argument includes the name of the subject.
            name = _name_in(subject, fact.document)
            spans |= {name.span} if name is not None else set()
        provenance = join_places((fact.document, *span) for span in spans or {mention.span})
        return Fill(entity.id, mention.text, mention, provenance, entity.type, fact.confidence)

    def leads(self) -> Leads:
        """The nodes that each relation with an answer leads to."""
        found: dict[str, dict[str, list[str]]] = {}
        for subject, relation in self._facts:
            if fills := self.fills(subject, relation):
                found.setdefault(subject, {})[relation] = [fill.node for fill in fills if fill.node]
        return found

    def entry(self, node: str) -> tuple[tuple[EntryPoint, ...], str] | None:
        """Its first named mention that leads back to it, canonical ones first."""
        entity = self.entities.get(node)
        if entity is None or entity.kind != "entity":
            return None
        for mention in sorted(entity.named(), key=lambda each: not each.canonical):
            point = EntryPoint(" ".join(mention.text.split()), mention.document, mention.start, mention.end)
            if self.overlapping(*point[1:])[0] is entity:
                return (point,), entity.type
        return None


class TripleIndex:
    """A table of triples by subject and relation; nodes are known by their names.

    >>> table = TripleTable()
    >>> table.add("ana", "spouse", "ben", "d1")
    >>> TripleIndex(table).fills("ana", "spouse")[0].value
    'ben'
    """

    def __init__(self, table: TripleTable, *, name: str = "") -> None:
        self.table = table
        self.name = name
        names = table.names
        self._nodes, self._relations = names.nodes, names.relations
        self._objects: dict[tuple[int, int], dict[int, None]] = {}
        for subject, relation, object_ in zip(table.subjects, table.relations, table.objects, strict=True):
            self._objects.setdefault((subject, relation), {})[object_] = None
        self._known = {subject for subject, _ in self._objects} | set(table.objects)

    def start(self, question: Question, *, same_type: bool = False) -> str | None:  # noqa: ARG002
        """The node of that name; triples have no types and no mentions."""
        names = (question.node, question.entry_point.name if question.entry_point else "")
        return next((each for each in names if each and self._nodes.get(each) in self._known), None)

    def fills(self, node: str, slot: str) -> Sequence[Fill]:
        """The objects, each once."""
        key = self._nodes.get(node), self._relations.get(slot)
        listed = self._nodes.listed
        if key[0] is None or key[1] is None:
            return ()
        return [Fill(listed[each], listed[each]) for each in self._objects.get((key[0], key[1]), ())]

    def leads(self) -> Leads:
        """The nodes that a relation leads to."""
        nodes, relations = self._nodes.listed, self._relations.listed
        found: dict[str, dict[str, list[str]]] = {}
        for (subject, relation), objects in self._objects.items():
            found.setdefault(nodes[subject], {})[relations[relation]] = [nodes[each] for each in objects]
        return found

    def entry(self, node: str) -> tuple[tuple[EntryPoint, ...], str] | None:  # noqa: ARG002
        """Its name alone."""
        return (), ""


Asked: TypeAlias = KbIndex | TripleIndex
"""What queries are put to: a knowledge base with mentions, or a table of triples."""


def _sequences(leads: Leads, shorter: Mapping[str, Collection[Slots]] | None) -> dict[str, list[Slots]]:
    """The sequences of relations with answers from each node, in order, made from those one hop shorter."""
    found: dict[str, list[Slots]] = {}
    for node, ahead in leads.items():
        if shorter is None:  # the last relation may lead to strings, so to no nodes
            found[node] = sorted((relation,) for relation in ahead)
            continue
        own: set[Slots] = set()
        for relation, nodes in ahead.items():
            own.update((relation, *rest) for each in nodes for rest in shorter.get(each, ()))
        found[node] = sorted(own)
    return found


def _slot(name: str) -> str:
    """A relation as it is looked up: old and misspelt names of Cold Start are replaced."""
    domain, colon, rest = name.partition(":")
    slot = find_slot(domain.lower(), rest.lower())[0] if colon else None
    return name if slot is None else f"{slot.domain}:{slot.name}"


def _name_in(entity: Entity | None, document: str) -> Mention | None:
    """The mention by which a node is called in a document.

    The official program takes the canonical one; without one, the first by name says the same.
    """
    here = [each for each in entity.mentions if each.document == document] if entity is not None else []
    named = (each for each in here if each.level != NORMALISED)
    return min(named, key=lambda each: (not each.canonical, each.level != NAMED), default=None)


def index_kb(kb: KnowledgeBase | TripleTable, *, name: str = "") -> Asked:
    """The index of a knowledge base or a table of triples."""
    return KbIndex(kb, name=name) if isinstance(kb, KnowledgeBase) else TripleIndex(kb, name=name)


def answer_questions(kb: Asked, asked: Sequence[Question], *, same_type: bool = False) -> AnswerSet:
    """The answers of a knowledge base, hop by hop, in the order of the questions, with remarks on what it cannot
    answer.

    >>> table = TripleTable()
    >>> for row in (("ana", "spouse", "ben", "d1"), ("ben", "employer", "corvex", "d2")): table.add(*row)
    >>> question = Question("Q1", "Q1", ("spouse", "employer"), node="ana")
    >>> [(each.asked, each.value) for each in answer_questions(TripleIndex(table), [question]).answers]
    [('Q1', 'ben'), ('Q1_2f5b7ad0b8cb', 'corvex')]
    """
    answers: list[Answer] = []
    lost = []
    for question in asked:
        node = kb.start(question, same_type=same_type)
        if node is None:
            lost.append(question.id)
            continue
        open_: dict[str, dict[str, None]] = {node: {question.id: None}}  # nodes, and the questions that lead there
        for slot in question.slots:
            following: dict[str, dict[str, None]] = {}
            for each, ids in open_.items():
                for fill in kb.fills(each, slot):
                    place = join_places([fill.mention[:3]]) if fill.mention else ""
                    value = " ".join(fill.value.split())
                    for id_ in ids:
                        answer = Answer(id_, value, slot, place, fill.provenance, fill.node, fill.type, fill.confidence)
                        answers.append(answer)
                        if fill.node:
                            following.setdefault(fill.node, {})[answer.target] = None
            open_ = following
    notes = []
    if lost:
        message = f"{len(lost)} of {len(asked)} questions start at no node: {', '.join(lost[:5])}"
        notes.append(Problem(message + (", ..." if len(lost) > 5 else ""), path=kb.name or None))
    if isinstance(kb, KbIndex) and kb.unnamed:
        message = f"{kb.unnamed} facts that would answer have an object without a mention in their document"
        notes.append(Problem(message, path=kb.name or None))
    return AnswerSet(kb.name, answers, range(1, len(answers) + 1), notes=notes)


def generate_queries(gold: Asked, number: int, *, hops: Sequence[int] = (1, 2), seed: int = 13) -> list[KbQuery]:
    """A random set of queries that gold can answer: for each number of hops, up to `number` of them.

    Every pair of an entity and a sequence of relations with an answer is equally likely; none is drawn twice.

    >>> table = TripleTable()
    >>> for row in (("ana", "spouse", "ben", "d1"), ("ben", "employer", "corvex", "d2")): table.add(*row)
    >>> [(each.id, each.node, each.slots) for each in generate_queries(TripleIndex(table), 9)][1:]
    [('Q1H_0002', 'ben', ('employer',)), ('Q2H_0001', 'ana', ('spouse', 'employer'))]
    """
    import numpy as np

    ends = (hops[0], hops[-1]) if isinstance(hops, range) and hops else hops  # a range may be long
    if number < 1 or not ends or min(ends) < 1:
        raise UsageError(f"{number} queries of {', '.join(map(str, ends)) or 'no'} hops", hint="ask for one or more")
    leads = gold.leads()
    entries = {node: entry for node in sorted(leads) if (entry := gold.entry(node)) is not None}
    nodes = list(entries)
    queries = []
    known: dict[str, list[Slots]] | None = None
    made = 0
    for length in range(1, max(ends) + 1):
        known = _sequences(leads, known)
        size = sum(map(len, known.values()))
        made += size * length  # around a cycle of relations there is a sequence of every length
        if size * length > _MOST or made > 10 * _MOST:
            hint = "ask for fewer hops"
            raise UsageError(f"gold has too many sequences of {length} relations to draw from", hint=hint)
        if not size:
            break
        if length not in hops:
            continue
        upto = np.cumsum([len(known[node]) for node in nodes], dtype=np.int64)
        total = int(upto[-1]) if nodes else 0
        random = np.random.default_rng((seed, length))
        drawn = np.sort(random.choice(total, min(number, total), replace=False)) if total else upto
        for place, index in enumerate(drawn.tolist() if total else (), 1):
            which = int(np.searchsorted(upto, index, side="right"))
            slots = known[nodes[which]][index - int(upto[which])]  # counted from the end
            points, type_ = entries[nodes[which]]
            queries.append(KbQuery(f"Q{length}H_{place:04d}", slots, points, type_, nodes[which]))
    return sorted(queries, key=lambda each: hops.index(len(each.slots)))


# ---------------------------------------------------------------------------------------------------------------------


_HEAD = 1 << 16
_MOST = 1_000_000  # relations of all sequences of one length that queries are drawn from


class Answers(NamedTuple):
    """The answers of a system, and whether a knowledge base was asked for them or they were read."""

    given: AnswerSet
    asked: bool


def read_asked(source: Source, *, name: str | None = None) -> KbIndex | TripleIndex:
    r"""A knowledge base to be queried; missing inverses are added to a Cold Start file.

    >>> read_asked(b"ana\tspouse\tben\td1\n", name="A").fills("ana", "spouse")[0].value
    'ben'
    """
    called = name or stem(source)
    if detect(source) == "coldstart":
        from adjudge.formats.kb_coldstart import read_coldstart

        return KbIndex(read_coldstart(source, add_inverses=True)[0], name=called)
    system = read_system(source, name=called)
    kb = system.kb if system.table is None else system.table
    assert kb is not None
    return index_kb(kb, name=called)


def read_gold_asked(source: Source, systems: Sequence[Source] = (), **reading: Any) -> KbIndex | TripleIndex:
    """Gold to be queried: a Cold Start file, triples, or annotated documents, whose entities are linked.

    The other arguments are those of `Reading`. Entry points are found by offsets, so ACE gold must use the units of the
    `systems`: `units`, or what their formats imply. These are characters of the raw file, as in official queries,
    unless all systems count those of the text.
    """
    how = Reading(**reading)
    kind = detected(source)
    if kind == "coldstart":
        if any(each is not None for each in (how.wiki, how.redirects, how.stop)):
            message = "the nodes of a Cold Start knowledge base are linked already"
            raise UsageError(Problem(message, path=source_name(source), hint="leave out the tables of links"))
        if has_nothing(source):
            raise ValidationError(Problem("gold asserts nothing", path=source_name(source), hint="check the file"))
        return read_asked(source, name="gold")
    if how.units is None and kind == "ace":
        asked = [(form, each) for each in systems if (form := detect(each)) in ("coldstart", "documents", "ace")]
        units = system_units([form for form, _ in asked], [each for _, each in asked]) if asked else "raw"
        how = replace(how, units=units)
    gold = read_gold(source, replace(how, gold_format=kind))
    return TripleIndex(gold.table, name="gold") if gold.table is not None else KbIndex(linked_kb(gold), name="gold")


def linked_kb(gold: KbSide) -> KnowledgeBase:
    """Annotated documents as a knowledge base: entities with the same corpus id are one node, mentions are their heads.

    Entities without a name are not nodes, and facts about them are left out.
    """
    assert isinstance(gold.corpus, KbCorpus)
    documents = gold.corpus.documents
    linked = link(documents, KbOptions(), links=gold.links, redirects=gold.redirects, stop=gold.stop)
    mentions: dict[str, list[Mention]] = {}
    types: dict[str, str] = {}
    facts: list[Fact] = []
    for document in documents:
        ids = {entity.id: linked[document.id, entity.id].id for entity in document.entities}
        for entity in document.entities:
            node = ids[entity.id]
            if node is not None:
                types.setdefault(node, entity.type)
                here = mentions.setdefault(node, [])
                here += (each._replace(start=each.head_span.start, end=each.head_span.end) for each in entity.mentions)
        for fact in document.facts:
            subject, object_ = ids.get(fact.subject), fact.object if fact.literal else ids.get(fact.object)
            if subject is not None and object_ is not None:
                facts.append(fact._replace(subject=subject, object=object_, document=document.id))
    entities = [Entity(node, types[node], tuple(here)) for node, here in mentions.items()]
    return KnowledgeBase("gold", entities, facts, path=gold.path)


def _first_fields(source: Source) -> list[str]:
    if not isinstance(source, bytes | str | os.PathLike) or str(source) == "-":
        return []  # a stream can be read only once
    if not isinstance(source, bytes) and os.path.isdir(source):  # noqa: PTH112
        return []
    with opened(source, source_name(source)) as stream:
        head, _ = read_block(stream, _HEAD)
    lines = head.decode("utf-8", "replace").removeprefix("\ufeff").split("\n")[:50]
    return [line.partition("\t")[0].strip() for line in lines if "\t" in line]


def ask_all(
    queries: Sequence[KbQuery],
    systems: Sequence[Source],
    *,
    names: Sequence[str | None] | None = None,
    pool: Sequence[Assessment] = (),
    same_type: bool = False,
) -> tuple[list[Question], list[Answers]]:
    r"""The questions of some queries, and the answers of each system, which is a knowledge base or a file of answers.

    The ids of questions are those that the pool and files of answers use.

    >>> asked, found = ask_all([KbQuery("Q1", ("spouse",), node="ana")], [b"ana\tspouse\tben\td1\n"], names=["A"])
    >>> found[0].given.answers[0].value
    'ben'
    """
    called = [name for name, _ in name_systems("", list(systems), names)]
    guesses = questions(queries)
    used = known_roots((each.asked for each in pool), queries)
    hashes = {entry_hash(each.entry_point, each.slots) for each in guesses if each.entry_point}
    plain = {question.id for question in guesses}

    def has_answers(roots: list[str]) -> bool:
        return 2 * sum(root in plain or root[-10:].lower() in hashes for root in roots) > len(roots)

    files = [place for place, roots in enumerate(_all_roots(systems, queries)) if has_answers(roots)]
    read, problems = read_files(files, lambda place: read_answers(systems[place]))
    raise_problems(problems)
    for _, given in read:
        used += known_roots((each.asked for each in given.answers), queries)
    asked, known = questions(queries, used), dict(read)

    def answered(place: int) -> Answers:
        if place in known:
            return Answers(replace(known[place], name=called[place]), False)
        index = read_asked(systems[place], name=called[place])
        return Answers(answer_questions(index, asked, same_type=same_type), True)

    found, problems = read_files(range(len(systems)), answered)
    raise_problems(problems)
    return asked, [answers for _, answers in found]


def _all_roots(systems: Sequence[Source], queries: Sequence[KbQuery]) -> list[list[str]]:
    """The questions that each system names first; files that cannot be read are errors, all at once."""
    found: list[list[str]] = []
    errors: list[UsageError] = []
    for source in systems:
        try:
            found.append(known_roots(_first_fields(source), queries))
        except UsageError as error:
            errors.append(error)
    if errors:
        raise type(errors[0])([problem for error in errors for problem in error.problems])
    return found


def known_roots(ids: Iterable[str], queries: Sequence[KbQuery]) -> list[str]:
    """Ids in files without the digits of later hops."""
    names = {query.id for query in queries}
    roots: dict[str, None] = {}
    for each in ids:
        root = each
        # A query may itself be called like a later hop.
        while root not in names and (match := FOLLOW_UP.match(root)):
            root = match[1]
        roots[root] = None
    return list(roots)
