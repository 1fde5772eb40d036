"""Why one side lacks a triple of the other: the step that failed.

These are the steps that a fact must pass to be counted: its mentions are found, its entities are aligned with gold
entities, these are the right ones, the two are related, by the right relation, and nothing is left out on the way. If
several documents state the fact, the one in which the system got farthest counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from adjudge.tasks.kbp.facts import label_of
from adjudge.tasks.kbp.mapping import STATUSES, Endpoint, Mapped, MappedSystem, Status, Step, describe_endpoint
from adjudge.tasks.kbp.options import KbOptions
from adjudge.tasks.kbp.options import Side as SideName
from adjudge.tasks.kbp.relations import prepare, reversed_relations, rows_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from adjudge.model.kbp import Fact, KnowledgeBase, TripleTable
    from adjudge.tasks.kbp.alignment import Alignment

    Ints: TypeAlias = npt.NDArray[Any]

Fate: TypeAlias = Literal["missed", "wrong"]
FATES: tuple[Fate, ...] = ("missed", "wrong")

Reason: TypeAlias = Literal[
    "mention-not-found",
    "not-aligned",
    "linked-elsewhere",
    "unknown-entity",
    "relation-missing",
    "left-out",
    "relation-type",
    "middle-entity",
]


class Meaning(NamedTuple):
    """The name of a reason, and its description for a gold path and for a system path."""

    label: str
    missed: str
    wrong: str


REASONS: dict[Reason, Meaning] = {
    "mention-not-found": Meaning(
        "mention not found",
        "no mention of the entity is among the system's names",
        "none of the names of the node in the document is a gold mention",
    ),
    "not-aligned": Meaning(
        "entity not aligned",
        "names of the system are mentions of the entity, but no node has enough of them",
        "the node has names that are gold mentions, but no gold entity has enough of them",
    ),
    "linked-elsewhere": Meaning(
        "linked elsewhere",
        "the mentions of the entity belong to nodes that stand for other entities",
        "the node stands for another gold entity than the one that the fact is about",
    ),
    "unknown-entity": Meaning(
        "unknown entity", "the system says nothing of the entity", "gold says nothing of the entity"
    ),
    "relation-missing": Meaning(
        "relation missing",
        "both entities are there, and the system does not relate them",
        "both entities are there, and gold does not relate them",
    ),
    "left-out": Meaning(
        "left out",
        "the system relates the two by a fact that does not count (confidence, relation, scope)",
        "gold relates the two by a fact that does not count (relation, scope)",
    ),
    "relation-type": Meaning(
        "relation type wrong",
        "the system relates the two by another relation, or the other way round",
        "gold relates the two by another relation, or the other way round",
    ),
    "middle-entity": Meaning(
        "middle entity wrong",
        "the system has the relation, with an entity in the middle that is not the one of gold",
        "gold has the relation, with an entity in the middle that is not the one of the system",
    ),
}
"""The steps in order; a later one is closer to a right answer."""

RANK: dict[Reason, int] = {reason: place for place, reason in enumerate(REASONS)}


class Why(NamedTuple):
    """The step that failed, the details, and the document in which it did, if there is one to name.

    `ends` is how many of subject and object have a problem. `near` is the fact that the other side has instead, -1 if
    it has none.
    """

    reason: Reason
    detail: str
    document: str = ""
    ends: int = 0
    near: int = -1


class Side:
    """One side as needed for explanations: its facts by label, which of them the other side has, and its rows.

    `named` and `labels` are those of `prepare`; `matched` is set once both sides are there.
    """

    def __init__(
        self,
        table: TripleTable,
        options: KbOptions,
        name: SideName,
        *,
        documents: Iterable[int],
        named: bool,
        labels: Mapping[int, int] | None = None,
    ) -> None:
        import numpy as np

        places = {number: number for number in documents}
        self.table, self.names = table, table.names
        self.drops_loops, self.simple = options.self_loops == "drop", options.walks == "simple"
        self.who = "gold" if name == "gold" else "the system"
        self.facts = prepare(table, options, name, documents=places, named=named, labels=labels).facts
        self.rows = rows_of(table, options, name, documents=places, named=named)
        self.reverse = reversed_relations(self.names.relations, options)
        self.subjects = label_of(self.facts, self.facts.subjects)
        self.objects = label_of(self.facts, self.facts.objects)
        self.known = set(np.union1d(self.subjects, self.objects).tolist())
        self.matched: Ints = np.zeros(len(self.subjects), dtype=bool)

    def triple(self, fact: int) -> tuple[int, int, int]:
        """The labels of a fact, and its relation."""
        return int(self.subjects[fact]), int(self.facts.relations[fact]), int(self.objects[fact])

    def written(self, fact: int) -> str:
        """A fact by its names."""
        subject, relation, object_ = self.triple(fact)
        return f"{self.node(subject)} {self.names.relations.listed[relation]} {self.node(object_)}"

    def node(self, label: int) -> str:
        """The name of a node by its label."""
        listed = self.names.nodes.listed
        return listed[label if label < len(listed) else label - len(listed)]

    @cached_property
    def by_triple(self) -> dict[tuple[int, int, int], int]:
        """The first fact of each triple of labels."""
        columns = (self.subjects, self.facts.relations, self.objects)
        every = list(zip(*(column.tolist() for column in columns), strict=True))
        return {triple: fact for fact, triple in zip(range(len(every) - 1, -1, -1), reversed(every), strict=True)}

    def dropped(self) -> Iterator[tuple[int, str]]:
        """The rows of scored documents that do not count, and why."""
        import numpy as np

        rows, labels = self.rows, self.facts.labels
        loops = (rows.subjects == rows.objects) & (self.drops_loops or self.simple)
        if labels is not None and self.drops_loops:
            loops |= labels[rows.subjects] == labels[rows.objects]
        for row in np.flatnonzero((rows.places >= 0) & ((rows.relations < 0) | loops)).tolist():
            yield row, "its relation does not count" if rows.relations[row] < 0 else "it relates an entity to itself"

    @cached_property
    def alone(self) -> dict[tuple[str, int, int], list[int]]:
        """The facts that the other side lacks: by both nodes, by subject and relation, and by object and relation."""
        import numpy as np

        found: dict[tuple[str, int, int], list[int]] = {}
        for fact in np.flatnonzero(~self.matched).tolist():
            s, r, o = self.triple(fact)
            for key in (("between", min(s, o), max(s, o)), ("about", s, r), ("reaching", o, r)):
                found.setdefault(key, []).append(fact)
        return found

    @cached_property
    def _related(self) -> set[tuple[int, int, int]]:
        every = zip(self.subjects.tolist(), self.facts.relations.tolist(), self.objects.tolist(), strict=True)
        return {(min(s, o), r, max(s, o)) for s, r, o in every}

    def related(self, one: int, relation: int, other: int) -> bool:
        """Whether there is any fact of this relation between two nodes, in either direction."""
        return (min(one, other), relation, max(one, other)) in self._related

    @cached_property
    def _rows(self) -> dict[tuple[bool, int, int], list[int]]:
        """The rows by whether they count, and by their nodes."""
        found: dict[tuple[bool, int, int], list[int]] = {}
        counts = ((self.rows.relations >= 0) & (self.rows.places >= 0)).tolist()
        ends = zip(self.rows.subjects.tolist(), self.rows.objects.tolist(), strict=True)
        for row, (kept, (s, o)) in enumerate(zip(counts, ends, strict=True)):
            found.setdefault((kept, min(s, o), max(s, o)), []).append(row)
        return found

    def saying(self, fact: int) -> list[int]:
        """The rows behind a fact, directly or reversed."""
        s, r, o = (int(column[fact]) for column in self.facts.columns[:3])
        found = []
        for row in self._rows.get((True, min(s, o), max(s, o)), ()):
            subject, relation, object_ = (int(column[row]) for column in self.rows[:3])
            turned = (object_, subject) == (s, o) and self.reverse.get(relation) == r
            if turned or (subject, relation, object_) == (s, r, o):
                found.append(row)
        return found

    def left_out(self, one: int, other: int) -> list[int]:
        """The rows between two nodes that do not count."""
        return self._rows.get((False, min(one, other), max(one, other)), [])


class TripleReasons:
    """Reasons where both sides are plain triples."""

    def __init__(self, gold: Side, system: Side) -> None:
        self.gold, self.system = gold, system

    def why(self, fate: Fate, fact: int, middle: tuple[bool, bool]) -> Why:
        """Why the other side lacks a fact; `middle` says whether its subject and its object are inside a path.

        A relation that both sides have is right, and not a confusion with the missing one.
        """
        own, other = (self.gold, self.system) if fate == "missed" else (self.system, self.gold)
        s, _, o = triple = own.triple(fact)
        if between := other.alone.get(("between", min(s, o), max(s, o))):
            return Why("relation-type", f"{other.who} has {other.written(between[0])}", near=between[0])
        return self._broken(fate, fact, triple, middle)

    def _broken(self, fate: Fate, fact: int, triple: tuple[int, int, int], middle: tuple[bool, bool]) -> Why:  # noqa: ARG002
        other = self.system if fate == "missed" else self.gold
        subject, _, object_ = triple
        if dropped := other.left_out(subject, object_):
            names, row = other.names, dropped[0]
            relation = names.relations.listed[other.table.relations[row]]
            what = "its document is not scored" if other.rows.places[row] < 0 else "its relation does not count"
            where = names.documents.listed[other.table.documents[row]]
            return Why("left-out", f"{other.who} has {relation} between them, but {what}", where)
        if unknown := [node for node in dict.fromkeys((subject, object_)) if node not in other.known]:
            names_ = " and ".join(other.node(node) for node in unknown)
            return Why("unknown-entity", f"{other.who} says nothing of {names_}")
        return no_relation(triple, middle, other)


class AnnotationReasons(TripleReasons):
    """Reasons if gold is annotation: from the outcomes of mentions, entities and facts in the mapping to triples."""

    def __init__(
        self, gold: Side, system: Side, mapped: Mapped, mine: MappedSystem, kb: KnowledgeBase, *, own: bool = False
    ) -> None:
        super().__init__(gold, system)
        self.mapped, self.mine, self.own = mapped, mine, own
        self.facts: dict[Fate, Sequence[Fact]] = {"missed": mapped.gold_facts, "wrong": kb.facts}
        self.steps: dict[Fate, dict[int, Step]] = {
            "missed": {step.row: step for step in mapped.gold_trace if step.row >= 0},
            "wrong": {step.row: step for step in mine.trace if step.row >= 0},
        }
        # The nodes aligned with the gold entities of each document, and those with some of their mentions.
        self.aligned: dict[tuple[str, str], list[Alignment]] = {}
        self.touched: dict[tuple[str, str], list[Alignment]] = {}
        for alignment in mine.aligned.found.values():
            if alignment.entity is not None:
                self.aligned.setdefault((alignment.document, alignment.entity), []).append(alignment)
            for entity, _ in alignment.counts:
                self.touched.setdefault((alignment.document, entity), []).append(alignment)

    def said(self, fate: Fate, fact: int) -> list[tuple[Step, Fact]]:
        """The facts of the annotation or the system behind a fact of its side, with their outcomes."""
        steps = [self.steps[fate][row] for row in (self.gold if fate == "missed" else self.system).saying(fact)]
        return [(step, self.facts[fate][step.fact]) for step in steps]

    def _broken(self, fate: Fate, fact: int, triple: tuple[int, int, int], middle: tuple[bool, bool]) -> Why:
        other = self.system if fate == "missed" else self.gold
        best: Why | None = None
        for step, said in self.said(fate, fact):
            if fate == "missed":
                ends: list[str | None] = [said.subject, said.object]
                problems = [self._entity(said.document, end) for end in dict.fromkeys((said.subject, said.object))]
            else:
                both = (step.subject, step.object)
                ends = [None if end is None or end.alignment is None else end.alignment.entity for end in both]
                problems = [self._node(both[at], both[1 - at], triple[1], said.document) for at in (0, 1)]
            found = [each for each in problems if each is not None]
            if not found:
                # The fact of the other side about the same entities, if it has one that does not count.
                dropped = None if None in ends else self._dropped[fate].get((said.document, frozenset(ends)))
                if dropped is None:
                    return no_relation(triple, middle, other, said.document)
                relation, status = dropped
                message = f"{other.who} has {relation} between them, but {STATUSES[status]}"
                return Why("left-out", message, said.document)
            # The earliest step at which subject or object failed; of several facts, the one that got farthest.
            problem = min(found, key=lambda why: RANK[why.reason])._replace(ends=len(found))
            best = max(best or problem, problem, key=lambda why: (RANK[why.reason], -why.ends))
        return best or no_relation(triple, middle, other)

    @cached_property
    def _dropped(self) -> dict[Fate, dict[tuple[str, frozenset[str | None]], tuple[str, Status]]]:
        """Facts that do not count, of the side that lacks a path, by their gold entities."""
        found: dict[Fate, dict[tuple[str, frozenset[str | None]], tuple[str, Status]]] = {"missed": {}, "wrong": {}}
        for step in self.mine.trace:
            if step.status in ("low-confidence", "excluded"):
                fact = self.facts["wrong"][step.fact]
                ends = [self.mine.aligned.get(node, fact.document).entity for node in (fact.subject, fact.object)]
                if None not in ends:
                    key = fact.document, frozenset(ends)
                    found["missed"].setdefault(key, (fact.relation, step.status))
        for step in self.mapped.gold_trace:
            if step.status in ("excluded", "out-of-scope"):
                fact = self.facts["missed"][step.fact]
                key = fact.document, frozenset((fact.subject, fact.object))
                found["wrong"].setdefault(key, (fact.relation, step.status))
        return found

    def _entity(self, document: str, entity: str) -> Why | None:
        """What is wrong with an entity of a gold fact in its document."""
        key = document, entity
        id = self.mapped.gold_ids.get(key)
        if aligned := self.aligned.get(key):
            if not self.own or any(self._label(each.node) == id for each in aligned):
                return None
            node = aligned[0].node
            return Why(
                "linked-elsewhere", f"{node} is {id} here, and {self._label(node) or 'nothing'} over all", document
            )
        touched = self.touched.get(key)
        if not touched:
            return Why("mention-not-found", f"no name of the system is a mention of {id}", document)
        for each in touched:
            if each.entity is not None:
                other = self.mapped.gold_ids.get((document, each.entity)) or each.entity
                return Why("linked-elsewhere", f"mentions of {id} belong to {each.node}, which is {other}", document)
        said = describe_endpoint(Endpoint(touched[0].node, "private", None, touched[0]))
        return Why("not-aligned", f"mentions of {id} belong to {touched[0].node}: {said}", document)

    def _node(self, end: Endpoint | None, other: Endpoint | None, relation: int, document: str) -> Why | None:
        """What is wrong with a node of the system in the document of a fact."""
        if end is None or other is None:
            return None
        label = self._label(end.node) if self.own else end.id
        if self.own and end.outcome == "linked" and label != end.id:
            return Why("linked-elsewhere", f"{end.node} is {end.id} here, and {label or 'nothing'} over all", document)
        if end.outcome == "private" and not (self.own and label is not None):
            state = end.alignment.state if end.alignment is not None else "unattested"
            reason: Reason = "mention-not-found" if state in ("not-found", "unattested", "no-name") else "not-aligned"
            return Why(reason, f"{end.node}: {describe_endpoint(end)}", document)
        if end.outcome == "majority":
            return Why("linked-elsewhere", f"{end.node}: {describe_endpoint(end)}", document)
        # The node may also have mentions of another entity, about which gold states the same.
        if end.alignment is None or other.id is None:
            return None
        nodes = self.gold.names.nodes
        there = nodes.get(other.id)
        for entity, _ in end.alignment.counts:
            id = None if entity == end.alignment.entity else self.mapped.gold_ids.get((document, entity))
            here = None if id is None else nodes.get(id)
            if here is None or there is None or here == there:
                continue
            if self.gold.related(here, relation, there):
                return Why("linked-elsewhere", f"{end.node} is {end.id}, but has mentions of {id} as well", document)
        return None

    def _label(self, node: str) -> str | None:
        """What a node counts as over all documents."""
        number = self._own_numbers.get(node)
        label = -1 if number is None or self.mine.labels is None else self.mine.labels.get(number, -1)
        return self.gold.names.nodes.listed[label] if label >= 0 else None

    @cached_property
    def _own_numbers(self) -> dict[str, int]:
        """The numbers of the system's own nodes, by their names in the knowledge base."""
        own = self.mine.own
        found: dict[str, int] = {}
        if own is None:
            return found
        for row, step in self.steps["wrong"].items():
            for end, column in ((step.subject, own.subjects), (step.object, own.objects)):
                if end is not None:
                    found[end.node] = column[row]
        return found


def no_relation(triple: tuple[int, int, int], middle: tuple[bool, bool], other: Side, document: str = "") -> Why:
    """The relation leads to another entity in the middle of the path, or does not exist."""
    subject, relation, object_ = triple
    instead: list[int] = []
    if middle[1]:
        instead = other.alone.get(("about", subject, relation), [])
    if middle[0] and not instead:
        instead = other.alone.get(("reaching", object_, relation), [])
    if not instead:
        return Why("relation-missing", f"{other.who} does not relate the two", document)
    return Why("middle-entity", f"{other.who} has {other.written(instead[0])} instead", document, near=instead[0])
