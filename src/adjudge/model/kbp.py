"""Knowledge bases: mentions, entities, facts with their provenance, and tables of plain triples.

There are two views of the same things. An annotated corpus is a sequence of `KbDocument`s, each with its own entities
and facts, as annotators and extractors make them. A `KnowledgeBase` belongs to no document: its entities (nodes) have
mentions in many documents, and each fact says which document supports it. `as_knowledge_base` turns the first into the
second. After alignment and linking both are reduced to triples, which a `TripleTable` holds as numbers.

Offsets are half-open, `text[start:end]`, and count characters (code points) of one text from 0, whatever the convention
of the file. The readers convert, and say which text is meant. Everything is a value; the lines of facts in
their file are kept apart (`fact_lines`), so that two files with the same content are equal.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from adjudge.errors import Problem

NAMED, NOMINAL, PRONOUN, NORMALISED = "NAM", "NOM", "PRO", "NORM"
LEVELS = (NAMED, NOMINAL, PRONOUN, NORMALISED)
"""How a mention refers; NORM is a normalised form of the text (a date), not a mention to be counted."""


class Span(NamedTuple):
    """Characters from `start` up to, not including, `end`."""

    start: int
    end: int


class Mention(NamedTuple):
    """A place at which an entity is mentioned: its extent, and the span of the head word where there is one.

    `canonical` marks the best name of the entity in this document (Cold Start); it is not a second mention. Only
    mentions of events have a `realis`.
    """

    document: str
    start: int
    end: int
    level: str = NAMED
    text: str = ""
    head: Span | None = None
    id: str = ""
    confidence: float = 1.0
    canonical: bool = False
    realis: str = ""

    @property
    def span(self) -> Span:
        """The extent.

        >>> Mention("d", 3, 9, head=Span(5, 9)).span
        Span(start=3, end=9)
        """
        return Span(self.start, self.end)

    @property
    def head_span(self) -> Span:
        """The head, or the extent of a mention without a head.

        >>> Mention("d", 3, 9, head=Span(5, 9)).head_span, Mention("d", 3, 9).head_span
        (Span(start=5, end=9), Span(start=3, end=9))
        """
        return self.head or Span(self.start, self.end)


class Link(NamedTuple):
    """An entry of another knowledge base: `target` as the file has it, such as `LDC2015E42:m.xyz` or a page."""

    target: str
    confidence: float = 1.0


class Entity(NamedTuple):
    """An entity of one document, or a node of a knowledge base with mentions in many; events and strings are nodes.

    `kind` says which (`entity`, `event`, `string`), `group` is the class of ACE or the specificity of ERE.
    """

    id: str
    type: str = ""
    mentions: tuple[Mention, ...] = ()
    links: tuple[Link, ...] = ()
    subtype: str = ""
    group: str = ""
    kind: str = "entity"
    confidence: float = 1.0

    def named(self) -> tuple[Mention, ...]:
        """Its mentions by name.

        >>> Entity("e", mentions=(Mention("d", 0, 3), Mention("d", 4, 6, "PRO"))).named()
        (Mention(document='d', start=0, end=3, level='NAM', ...),)
        """
        return tuple(mention for mention in self.mentions if mention.level == NAMED)


class Provenance(NamedTuple):
    """Where a document supports a fact: the spans that justify it, and those that Cold Start also asks for.

    `filler` is the place of a filler string, `base_filler` and `additional` belong to arguments of events.
    """

    justification: tuple[Span, ...] = ()
    filler: tuple[Span, ...] = ()
    base_filler: tuple[Span, ...] = ()
    additional: tuple[Span, ...] = ()


NOWHERE = Provenance()


class Fact(NamedTuple):
    """A relation between two entities, as stated by one document.

    `subject` and `object` are ids of entities; with `literal`, the object is a string. `category` is the type above the
    relation (ORG-AFF above Employment), `inferred` marks facts that a reader has added (the inverse of a given one).
    """

    subject: str
    relation: str
    object: str
    document: str
    provenance: Provenance = NOWHERE
    confidence: float = 1.0
    id: str = ""
    category: str = ""
    realis: str = ""
    literal: bool = False
    inferred: bool = False

    @property
    def triple(self) -> tuple[str, str, str]:
        """Subject, relation and object.

        >>> Fact("a", "spouse", "b", "d1").triple
        ('a', 'spouse', 'b')
        """
        return self.subject, self.relation, self.object


@dataclass(frozen=True, slots=True)
class KbDocument:
    """One annotated document: its entities and facts in the order of the file, and its text where it is known.

    Ids of entities and facts are local to the document. `fact_lines` has the line of each fact, if any is known.
    """

    id: str
    entities: Sequence[Entity] = ()
    facts: Sequence[Fact] = ()
    text: str | None = None
    fact_lines: Sequence[int] = field(default=(), compare=False, repr=False)
    path: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class KbCorpus:
    """Annotated documents from one place, and remarks for the user: what was left out, moved or suspicious."""

    path: str
    documents: Sequence[KbDocument] = ()
    notes: Sequence[Problem] = ()


@dataclass(frozen=True, slots=True)
class KnowledgeBase:
    """A whole knowledge base: its run id, its nodes in the order of their first appearance, its facts in file order.

    A fact may name a node that is not among the entities; nothing else is known of it then.
    """

    id: str
    entities: Sequence[Entity] = ()
    facts: Sequence[Fact] = ()
    fact_lines: Sequence[int] = field(default=(), compare=False, repr=False)
    path: str = field(default="", compare=False, repr=False)

    def by_id(self) -> dict[str, Entity]:
        """The nodes by their ids."""
        return {entity.id: entity for entity in self.entities}

    def documents(self) -> list[str]:
        """The documents that have a mention or support a fact, sorted.

        >>> KnowledgeBase("r", [Entity("e", mentions=(Mention("d2", 0, 3),))], [Fact("e", "x", "e", "d1")]).documents()
        ['d1', 'd2']
        """
        found = {mention.document for entity in self.entities for mention in entity.mentions}
        return sorted(found | {fact.document for fact in self.facts})


class MentionLink(NamedTuple):
    """A row of a table of links: how a mention is identified, and the page that it is about.

    A mention is named by its id, by its span, or by its entity and the start of its head (`entity` may be the end of an
    entity id, such as `E24`). `page` is empty if the mention has no page; `cluster` is then the id that the table gives
    to all mentions of the same thing, if it does.
    """

    document: str
    page: str = ""
    mention: str = ""
    entity: str = ""
    start: int | None = None
    end: int | None = None
    cluster: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class LinkTable:
    """The rows of a table of links in file order, and remarks for the user."""

    path: str
    links: Sequence[MentionLink] = ()
    notes: Sequence[Problem] = ()


def as_knowledge_base(documents: Iterable[KbDocument], *, id: str = "") -> KnowledgeBase:
    """Documents as a knowledge base whose nodes live in one document each: the id `E1` of document `d` is `d#E1`.

    >>> document = KbDocument("d", [Entity("E1"), Entity("E2")], [Fact("E1", "spouse", "E2", "d")])
    >>> kb = as_knowledge_base([document])
    >>> [entity.id for entity in kb.entities], kb.facts[0].triple
    (['d#E1', 'd#E2'], ('d#E1', 'spouse', 'd#E2'))
    """
    entities: list[Entity] = []
    facts: list[Fact] = []
    lines: list[int] = []
    for document in documents:
        prefix = f"{document.id}#"
        entities += (entity._replace(id=prefix + entity.id) for entity in document.entities)
        facts += (
            fact._replace(subject=prefix + fact.subject, object=fact.object if fact.literal else prefix + fact.object)
            for fact in document.facts
        )
        lines += document.fact_lines or [0] * len(document.facts)
    return KnowledgeBase(id, entities, facts, lines)


class Names:
    """Numbers for names, given out in the order of first use; `listed[number]` is the name.

    A name is looked up by `names[text]`, which adds it if it is new. Blanks around it are ignored. Names that are added
    in bulk (`extend`) are only split when one of them is needed.

    >>> names = Names()
    >>> names["b"], names["a"], names[" b"], names.listed
    (0, 1, 0, ['b', 'a'])
    """

    def __init__(self, listed: Iterable[str] = ()) -> None:
        self._listed: list[str] = []
        self._numbers: dict[str, int] = {}
        self._later: list[str] = []
        self._size = 0
        self._numbered = 0  # how many of the first names can be looked up
        self.interner: Any = None
        """The reader's own index of the names, for the next file."""
        for name in listed:
            self[name]

    @property
    def listed(self) -> list[str]:
        """The names by number."""
        if self._later:
            self._listed += "\n".join(self._later).split("\n")
            self._later.clear()
        return self._listed

    def extend(self, texts: str, number: int) -> None:
        """Add so many names, with a line break between them; all are new and different, and have no blanks around."""
        self._later.append(texts)
        self._size += number

    def joined(self) -> str:
        """All names, with a line break between them."""
        return "\n".join((*self._listed, *self._later))

    def numbers(self) -> Mapping[str, int]:
        """The number of each name."""
        first, last = self._numbered, self._size
        if first < last:
            self._numbers.update(zip(islice(self.listed, first, None), range(first, last), strict=True))
            self._numbered = last
        return self._numbers

    def get(self, text: str) -> int | None:
        """The number of a name, None if it has none."""
        return self.numbers().get(text)

    def __getitem__(self, text: str) -> int:
        number = self.get(text)
        if number is None:
            name = text.strip()
            if not name:
                raise ValueError("a name must not be empty")
            number = self.get(name)
            if number is None:
                number = self._numbers[name] = self._size
                self._listed.append(name)
                self._size = self._numbered = number + 1
            self._numbers[text] = number
        return number

    def number_all(self, texts: Iterable[str]) -> list[int]:
        """The numbers of many names, which have no blanks around them and are not empty.

        >>> names = Names(["b"])
        >>> names.number_all(["a", "b", "a"]), names.listed
        ([1, 0, 1], ['b', 'a'])
        """
        self.numbers()
        given, known, listed = list(texts), self._numbers, self.listed
        if not known:  # usually the names of the first file, all of them different
            known.update(zip(given, range(len(given)), strict=True))
            if len(known) == len(given):
                listed.extend(given)
                self._size = self._numbered = len(listed)
                return list(range(len(given)))
            known.clear()
        new = [text for text in dict.fromkeys(given) if text not in known]
        known.update(zip(new, range(len(listed), len(listed) + len(new)), strict=True))
        listed.extend(new)
        self._size = self._numbered = len(listed)
        return list(map(known.__getitem__, given))

    def __contains__(self, text: str) -> bool:
        return self.get(text) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self.listed)

    def __len__(self) -> int:
        return self._size

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Names) and self.listed == other.listed

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type[Names], tuple[list[str]]]:
        return type(self), (self.listed,)


@dataclass(frozen=True, slots=True)
class TripleNames:
    """The names behind the numbers of triples; gold and system share one, so that equal numbers mean equal names."""

    nodes: Names = field(default_factory=Names)
    relations: Names = field(default_factory=Names)
    documents: Names = field(default_factory=Names)


def _column() -> array[int]:
    return array("i")


@dataclass(frozen=True, slots=True)
class TripleTable:
    """Triples as four columns of 32-bit numbers (`numpy.frombuffer(table.subjects, "i")` costs nothing).

    One row for each line of a file: a triple that several documents support has several rows, and rows may repeat.
    """

    names: TripleNames = field(default_factory=TripleNames)
    subjects: array[int] = field(default_factory=_column)
    relations: array[int] = field(default_factory=_column)
    objects: array[int] = field(default_factory=_column)
    documents: array[int] = field(default_factory=_column)

    def __len__(self) -> int:
        return len(self.subjects)

    def add(self, subject: str, relation: str, object: str, document: str) -> None:
        """Add a row.

        >>> table = TripleTable()
        >>> table.add("a", "spouse", "b", "d1")
        >>> list(table.rows())
        [('a', 'spouse', 'b', 'd1')]
        """
        names = self.names
        numbers = names.nodes[subject], names.relations[relation], names.nodes[object], names.documents[document]
        self.subjects.append(numbers[0])
        self.relations.append(numbers[1])
        self.objects.append(numbers[2])
        self.documents.append(numbers[3])

    def rows(self) -> Iterator[tuple[str, str, str, str]]:
        """The rows as names: subject, relation, object, document."""
        nodes, relations, documents = self.names.nodes.listed, self.names.relations.listed, self.names.documents.listed
        columns = zip(self.subjects, self.relations, self.objects, self.documents, strict=True)
        for subject, relation, object_, document in columns:
            yield nodes[subject], relations[relation], nodes[object_], documents[document]
