"""Questions to a knowledge base: queries of one or more hops, answers to them, and assessments of answers.

A query starts at an entity, given by places at which it is mentioned (entry points) or by the name of a node, and
follows relations (slots). Each entry point is asked by itself: it is a `Question`. An answer to a hop that has a
further one raises a question of its own, whose id is made of the id of the first question, the answer and its place, so
that equal answers of different systems lead to the same question. Offsets are half-open.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from adjudge.errors import Problem

CORRECT, WRONG, INEXACT, IGNORED = "correct", "wrong", "inexact", "ignored"
NO_CLASS = "0"

_NIL = uuid.UUID(int=0)
_HASH = re.compile(r"(?:^|_)([0-9a-fA-F]{10})$")
FOLLOW_UP = re.compile(r"^(.+)_[0-9a-fA-F]{12}$", re.DOTALL)
"""The form of the id of a question that follows from an answer."""


class EntryPoint(NamedTuple):
    """A mention of the entity that is asked about."""

    name: str
    document: str
    start: int
    end: int


class KbQuery(NamedTuple):
    """An entity and the relations to follow from it; `node` is its name in the knowledge base the query was made for.

    `single` tells a file with one entry point per query (a slot filling query) from one with a list of them.
    """

    id: str
    slots: tuple[str, ...]
    entry_points: tuple[EntryPoint, ...] = ()
    type: str = ""
    node: str = ""
    single: bool = False


class Question(NamedTuple):
    """One entry point of a query, or the query itself if it has none; `query` is the id of the query."""

    id: str
    query: str
    slots: tuple[str, ...]
    entry_point: EntryPoint | None = None
    type: str = ""
    node: str = ""


class Answer(NamedTuple):
    """An answer to the question `asked`, which is one of the queries or follows from another answer.

    `place` is where the value stands and `provenance` what supports the relation, both as `document:start-last` with
    commas between them, sorted; `node` is the node of the system that the value names.
    """

    asked: str
    value: str
    slot: str = ""
    place: str = ""
    provenance: str = ""
    node: str = ""
    type: str = ""
    confidence: float = 1.0

    @property
    def target(self) -> str:
        """The question that follows from this answer."""
        return follow_up(self.asked, self.value, self.place)


class Assessment(NamedTuple):
    """A judgment of an answer: its content, whether it is correct, and its class of equal answers.

    `group` is the path of class names below the query, `("3",)` or `("3", "1")`; it is empty for a wrong answer. The
    levels (NAM, NOM) of the mention and of the best mention of the class are empty if they were not judged.
    """

    asked: str
    value: str
    judgment: str
    group: tuple[str, ...] = ()
    slot: str = ""
    place: str = ""
    provenance: str = ""
    level: str = ""
    group_level: str = ""
    id: str = ""

    @property
    def target(self) -> str:
        """The question that follows from this answer."""
        return follow_up(self.asked, self.value, self.place)


@dataclass(frozen=True, slots=True)
class AnswerSet:
    """The answers of one system in the order of the file, each with its line, and remarks for the user."""

    name: str
    answers: Sequence[Answer] = ()
    lines: Sequence[int] = field(default=(), compare=False, repr=False)
    path: str = field(default="", compare=False, repr=False)
    notes: Sequence[Problem] = ()


def follow_up(asked: str, value: str, place: str) -> str:
    """The id of the question that an answer raises: twelve digits of a UUID (version 3) after the id of the first.

    >>> follow_up("CSSF17_ENG_afddc4ed21", "Bart", "SIMPSONS_101:232-237")
    'CSSF17_ENG_afddc4ed21_729d7f6f2d47'
    """
    text = json.dumps(f"{asked}:{value}:{place}", ensure_ascii=False)[1:-1]
    return f"{asked}_{_digits(text)[-12:]}"


def entry_hash(point: EntryPoint, slots: Sequence[str]) -> str:
    """The ten digits that identify an entry point of a query.

    >>> entry_hash(EntryPoint("Homer", "SIMPSONS_011", 55, 60), ("per:children", "per:schools_attended"))
    'afddc4ed21'
    """
    return _digits(f"{point.document}:{point.start}:{point.end - 1}:{':'.join(slots)}")[-10:]


def _digits(text: str) -> str:
    return uuid.uuid3(_NIL, text).hex


def questions(queries: Iterable[KbQuery], known: Iterable[str] = ()) -> list[Question]:
    """The questions of some queries: one for each entry point, in order.

    A query with one entry point or none keeps its id; else the ten digits of the entry point come after it. An id among
    the `known` ones (of assessments or runs) that ends with these digits is taken instead, because the ids of all that
    follows depend on it.

    >>> points = EntryPoint("Ana", "d1", 0, 3), EntryPoint("Ana", "d2", 5, 8)
    >>> [each.id for each in questions([KbQuery("Q1", ("per:spouse",), points), KbQuery("Q2", ("per:spouse",))])]
    ['Q1_2f35369a71', 'Q1_8aae895252', 'Q2']
    """
    by_hash: dict[str, str] = {}
    names = set()
    for name in known:
        names.add(name)
        if match := _HASH.search(name):
            by_hash.setdefault(match[1].lower(), name)
    found = []
    for query in queries:
        if not query.entry_points:
            found.append(Question(query.id, query.id, query.slots, None, query.type, query.node))
        for point in query.entry_points:
            digits = entry_hash(point, query.slots)
            alone = query.id if len(query.entry_points) == 1 else f"{query.id}_{digits}"
            id_ = alone if query.single or alone in names else by_hash.get(digits, alone)
            found.append(Question(id_, query.id, query.slots, point, query.type, query.node))
    return found


def asked_path(asked: str, known: Iterable[str]) -> tuple[str, int] | None:
    """The question at the root of an id and how many hops follow it, None if there is none.

    >>> asked_path("q_1_729d7f6f2d47", {"q_1"}), asked_path("q_1", {"q_1"}), asked_path("x", {"q_1"})
    (('q_1', 1), ('q_1', 0), None)
    """
    names = known if isinstance(known, (set, frozenset, dict)) else set(known)
    hops = 0
    while asked not in names:
        match = FOLLOW_UP.match(asked)
        if match is None:
            return None
        asked, hops = match[1], hops + 1
    return asked, hops
