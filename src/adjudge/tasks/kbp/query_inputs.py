"""Files of a comparison by queries: what can be asked, answers that were given already, and gold."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from adjudge.errors import Problem, UsageError, ValidationError
from adjudge.evaluate.sides import name_systems, stem
from adjudge.formats.kb_queries import read_answers
from adjudge.formats.source import Source, opened, read_block, source_name
from adjudge.model.kbp import Entity, Fact, KbCorpus, KnowledgeBase, Mention
from adjudge.model.kbp_queries import (
    FOLLOW_UP,
    AnswerSet,
    Assessment,
    KbQuery,
    Question,
    entry_hash,
    questions,
)
from adjudge.tasks.kbp.detection import detect, detected, has_nothing
from adjudge.tasks.kbp.inputs import GoldInput, Reading, read_gold, read_system, system_units
from adjudge.tasks.kbp.linking import link
from adjudge.tasks.kbp.options import KbOptions
from adjudge.tasks.kbp.queries import KbIndex, TripleIndex, answer_questions, index_kb

_HEAD = 1 << 16


class Answers(NamedTuple):
    """The answers of a system, and whether we have asked a knowledge base for them or a file had them."""

    given: AnswerSet
    asked: bool


def read_asked(source: Source, *, name: str | None = None) -> KbIndex | TripleIndex:
    r"""A knowledge base to be asked; a Cold Start file gets the inverses that it lacks.

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
    """Gold to be asked: a Cold Start file, triples, or annotated documents, whose entities are linked across them.

    The other arguments are those of `Reading`. The entry points of queries are found by offsets, so those of ACE gold
    must count what the `systems` count: `units`, or what follows from their formats. These are characters of the raw
    file, as official queries count, unless all systems count those of the text.
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


def linked_kb(gold: GoldInput) -> KnowledgeBase:
    """Annotated documents as a knowledge base: entities with the same corpus id are one node, mentions are their heads.

    Entities without a name are no nodes, and what is said of them is left out.
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
    read: dict[int, AnswerSet] = {}
    hashes = {entry_hash(each.entry_point, each.slots) for each in guesses if each.entry_point}
    plain = {question.id for question in guesses}
    for place, source in enumerate(systems):
        roots = known_roots(_first_fields(source), queries)
        if roots and 2 * sum(root in plain or root[-10:].lower() in hashes for root in roots) > len(roots):
            read[place] = read_answers(source)
            used += known_roots((each.asked for each in read[place].answers), queries)
    asked = questions(queries, used)
    found = []
    for place, (source, name) in enumerate(zip(systems, called, strict=True)):
        if place in read:
            found.append(Answers(replace(read[place], name=name), False))
        else:
            answers = answer_questions(read_asked(source, name=name), asked, same_type=same_type)
            found.append(Answers(answers, True))
    return asked, found


def known_roots(ids: Iterable[str], queries: Sequence[KbQuery]) -> list[str]:
    """Ids of files without the digits of later hops."""
    names = {query.id for query in queries}
    roots: dict[str, None] = {}
    for each in ids:
        root = each
        # A query may itself be called like a later hop.
        while root not in names and (match := FOLLOW_UP.match(root)):
            root = match[1]
        roots[root] = None
    return list(roots)
