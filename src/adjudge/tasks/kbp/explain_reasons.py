"""Why one side does not have a triple of the other: the step that broke.

The steps are those by which a fact comes to be counted: its mentions are found, its entities are aligned with gold
entities, these are the right ones, the two are related, by the right relation, and nothing is left out on the way. If
several documents say the same, the one counts in which the system came farthest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from adjudge.tasks.kbp.explain_index import FactIndex, RowIndex
from adjudge.tasks.kbp.mapping import STATUSES, Endpoint, Mapped, MappedSystem, Step, describe_endpoint

if TYPE_CHECKING:
    import numpy.typing as npt

    from adjudge.model.kbp import Fact, KnowledgeBase, TripleNames
    from adjudge.tasks.kbp.alignment import Alignment

    Ints: TypeAlias = npt.NDArray[Any]

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
    """What a reason is called, and what it says of a gold path and of a path of the system."""

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
"""The steps in their order; a later one is nearer to a right answer."""

RANK: dict[Reason, int] = {reason: place for place, reason in enumerate(REASONS)}


class Why(NamedTuple):
    """The step that broke, what is known of it, and the document in which it did, if there is one to name.

    `ends` counts the entities of the fact, subject and object, with which something is wrong.
    """

    reason: Reason
    detail: str
    document: str = ""
    ends: int = 0


class Triple(NamedTuple):
    """A triple by the numbers of its labels; `middle` says whether subject and object are inside of a path."""

    subject: int
    relation: int
    object: int
    middle: tuple[bool, bool] = (False, False)


class Places:
    """Which nodes of a system the gold entities of each document are, wholly or in part."""

    def __init__(self, found: Iterable[Alignment]) -> None:
        self.aligned: dict[tuple[str, str], list[Alignment]] = {}
        self.touched: dict[tuple[str, str], list[Alignment]] = {}
        for alignment in found:
            if alignment.entity is not None:
                self.aligned.setdefault((alignment.document, alignment.entity), []).append(alignment)
            for entity, _ in alignment.counts:
                self.touched.setdefault((alignment.document, entity), []).append(alignment)


class Sides(NamedTuple):
    """Both sides, as facts by label and as rows."""

    gold: FactIndex
    system: FactIndex
    gold_rows: RowIndex
    system_rows: RowIndex
    names: TripleNames

    def node(self, label: int) -> str:
        """The name of a node by its label; nodes that are no gold nodes have labels beyond them."""
        listed = self.names.nodes.listed
        return listed[label if label < len(listed) else label - len(listed)]

    def relation(self, number: int) -> str:
        """The name of a relation."""
        return self.names.relations.listed[number]


class TripleReasons:
    """Reasons where both sides are plain triples."""

    def __init__(self, sides: Sides) -> None:
        self.sides = sides

    def missed(self, triple: Triple, fact: int) -> Why:  # noqa: ARG002  # as for annotation
        """Why the system does not have a gold triple."""
        return self._lacking(triple, self.sides.system, self.sides.system_rows, "the system", 1)

    def wrong(self, triple: Triple, fact: int) -> Why:  # noqa: ARG002
        """Why gold does not have a triple of the system."""
        return self._lacking(triple, self.sides.gold, self.sides.gold_rows, "gold", 0)

    def _lacking(self, triple: Triple, other: FactIndex, rows: RowIndex, who: str, side: int) -> Why:
        related = other_relation(triple, self.sides, side)
        if related is not None:
            return related
        unknown = [node for node in dict.fromkeys((triple.subject, triple.object)) if not other.known[node]]
        dropped = rows.left_out(triple.subject, triple.object)
        if dropped:
            row = dropped[0]
            relation = rows.table.names.relations.listed[rows.table.relations[row]]
            where = rows.table.names.documents.listed[rows.table.documents[row]]
            what = "its document is not scored" if not rows.inside[row] else "its relation does not count"
            return Why("left-out", f"{who} has {relation} between them, but {what}", where)
        if unknown:
            names = " and ".join(self.sides.node(node) for node in unknown)
            return Why("unknown-entity", f"{who} says nothing of {names}")
        return no_relation(triple, self.sides, side)


class AnnotationReasons:
    """Reasons where gold is annotation: what became of mentions, entities and facts on the way to triples."""

    def __init__(
        self, sides: Sides, mapped: Mapped, system: MappedSystem, kb: KnowledgeBase, *, own: bool = False
    ) -> None:
        self.sides = sides
        self.mapped = mapped
        self.system = system
        self.kb = kb
        self.own = own
        self.gold_steps = _by_row(mapped.gold_trace)
        self.system_steps = _by_row(system.trace)
        self.places = Places(system.aligned.found.values())

    # Gold triples that the system does not have

    def missed(self, triple: Triple, fact: int) -> Why:
        """Why the system does not have a gold triple."""
        related = other_relation(triple, self.sides, 1)
        if related is not None:
            return related
        facts = self.sides.gold.facts
        numbers = int(facts.subjects[fact]), int(facts.relations[fact]), int(facts.objects[fact])
        best: Why | None = None
        for row in self.sides.gold_rows.saying(*numbers):
            said = self.mapped.gold_facts[self.gold_steps[row].fact]
            problem = self._not_found(said)
            if problem is None:
                return self._left_out_by_system(said) or no_relation(triple, self.sides, 1, said.document)
            best = _farther(best, problem)
        return best or no_relation(triple, self.sides, 1)

    def _not_found(self, fact: Fact) -> Why | None:
        """What is wrong with the entities of a gold fact in its document: the earliest step of the two."""
        return _earliest(self._entity(fact.document, entity) for entity in dict.fromkeys((fact.subject, fact.object)))

    def _entity(self, document: str, entity: str) -> Why | None:
        key = document, entity
        id = self.mapped.gold_ids.get(key)
        aligned = self.places.aligned.get(key, ())
        if aligned:
            if not self.own or any(self._label(each.node) == id for each in aligned):
                return None
            node = aligned[0].node
            return Why(
                "linked-elsewhere", f"{node} is {id} here, and {self._label(node) or 'nothing'} over all", document
            )
        touched = self.places.touched.get(key, ())
        if not touched:
            return Why("mention-not-found", f"no name of the system is a mention of {id}", document)
        for each in touched:
            if each.entity is not None:
                other = self.mapped.gold_ids.get((document, each.entity)) or each.entity
                return Why("linked-elsewhere", f"mentions of {id} belong to {each.node}, which is {other}", document)
        said = describe_endpoint(Endpoint(touched[0].node, "private", None, touched[0]))
        return Why("not-aligned", f"mentions of {id} belong to {touched[0].node}: {said}", document)

    def _label(self, node: str) -> str | None:
        """What a node is over all documents."""
        number = self._own_numbers.get(node)
        label = -1 if number is None or self.system.labels is None else self.system.labels.get(number, -1)
        return self.sides.names.nodes.listed[label] if label >= 0 else None

    @cached_property
    def _own_numbers(self) -> dict[str, int]:
        """The numbers of the system's own nodes, by their names in the knowledge base."""
        own = self.system.own
        if own is None:
            return {}
        found: dict[str, int] = {}
        for row, step in self.system_steps.items():
            for end, number in ((step.subject, own.subjects[row]), (step.object, own.objects[row])):
                if end is not None:
                    found[end.node] = number
        return found

    def _left_out_by_system(self, fact: Fact) -> Why | None:
        found = self._dropped.get((fact.document, frozenset((fact.subject, fact.object))))
        if not found:
            return None
        step = found[0]
        said = self.kb.facts[step.fact]
        return Why(
            "left-out", f"the system has {said.relation} between them, but {STATUSES[step.status]}", said.document
        )

    @cached_property
    def _dropped(self) -> dict[tuple[str, frozenset[str]], list[Step]]:
        """Facts of the system that do not count, by the gold entities that they are about."""
        found: dict[tuple[str, frozenset[str]], list[Step]] = {}
        for step in self.system.trace:
            if step.status not in ("low-confidence", "excluded"):
                continue
            fact = self.kb.facts[step.fact]
            ends = [self.system.aligned.get(node, fact.document).entity for node in (fact.subject, fact.object)]
            if None not in ends:
                found.setdefault((fact.document, frozenset(filter(None, ends))), []).append(step)
        return found

    # Triples of the system that gold does not have

    def wrong(self, triple: Triple, fact: int) -> Why:
        """Why gold does not have a triple of the system."""
        related = other_relation(triple, self.sides, 0)
        if related is not None:
            return related
        facts = self.sides.system.facts
        numbers = int(facts.subjects[fact]), int(facts.relations[fact]), int(facts.objects[fact])
        best: Why | None = None
        for row in self.sides.system_rows.saying(*numbers):
            step = self.system_steps[row]
            document = self.kb.facts[step.fact].document
            ends = (step.subject, step.object)
            problem = _earliest(self._node(ends[at], ends[1 - at], triple, document) for at in (0, 1))
            if problem is None:
                return self._left_out_by_gold(step, document) or no_relation(triple, self.sides, 0, document)
            best = _farther(best, problem)
        return best or no_relation(triple, self.sides, 0)

    def _node(self, end: Endpoint | None, other: Endpoint | None, triple: Triple, document: str) -> Why | None:
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
        return self._mixed(end, other, triple, document)

    def _mixed(self, end: Endpoint, other: Endpoint, triple: Triple, document: str) -> Why | None:
        """Whether the node also has mentions of another entity, of which gold says what the system says of this one."""
        if end.alignment is None or other.id is None:
            return None
        nodes = self.sides.names.nodes
        there = nodes.get(other.id)
        for entity, _ in end.alignment.counts:
            id = None if entity == end.alignment.entity else self.mapped.gold_ids.get((document, entity))
            here = None if id is None else nodes.get(id)
            if here is None or there is None or here == there:
                continue
            if self.sides.gold.related(here, there, triple.relation):
                return Why("linked-elsewhere", f"{end.node} is {end.id}, but has mentions of {id} as well", document)
        return None

    def _left_out_by_gold(self, step: Step, document: str) -> Why | None:
        ends = [
            None if end is None or end.alignment is None else end.alignment.entity
            for end in (step.subject, step.object)
        ]
        found = self._excluded.get((document, frozenset(filter(None, ends)))) if None not in ends else None
        if not found:
            return None
        fact = self.mapped.gold_facts[found[0].fact]
        return Why("left-out", f"gold has {fact.relation} between them, but {STATUSES[found[0].status]}", document)

    @cached_property
    def _excluded(self) -> Mapping[tuple[str, frozenset[str]], list[Step]]:
        found: dict[tuple[str, frozenset[str]], list[Step]] = {}
        for step in self.mapped.gold_trace:
            if step.status in ("excluded", "out-of-scope"):
                fact = self.mapped.gold_facts[step.fact]
                found.setdefault((fact.document, frozenset((fact.subject, fact.object))), []).append(step)
        return found


def other_relation(triple: Triple, sides: Sides, side: int) -> Why | None:
    """Whether a side (0 is gold) relates the two by another relation, or the other way round, and is alone in that.

    A relation that both sides have is right, and no confusion of the one that is missing.
    """
    index, who = (sides.gold, "gold") if side == 0 else (sides.system, "the system")
    found = index.between(triple.subject, triple.object)
    if not found:
        return None
    fact = found[0]
    said = (int(index.subjects[fact]), int(index.facts.relations[fact]), int(index.objects[fact]))
    return Why("relation-type", f"{who} has {_written(sides, *said)}")


def no_relation(triple: Triple, sides: Sides, side: int, document: str = "") -> Why:
    """The relation is with another entity in the middle of the path, or not there at all."""
    index, who = (sides.gold, "gold") if side == 0 else (sides.system, "the system")
    subject_inside, object_inside = triple.middle
    instead: list[int] = []
    if object_inside:
        instead = index.about(triple.subject, triple.relation)
    if subject_inside and not instead:
        instead = index.reaching(triple.object, triple.relation)
    if not instead:
        return Why("relation-missing", f"{who} does not relate the two", document)
    said = [int(column[instead[0]]) for column in (index.subjects, index.facts.relations, index.objects)]
    return Why("middle-entity", f"{who} has {_written(sides, *said)} instead", document)


def _written(sides: Sides, subject: int, relation: int, object_: int) -> str:
    return f"{sides.node(subject)} {sides.relation(relation)} {sides.node(object_)}"


def _earliest(problems: Iterable[Why | None]) -> Why | None:
    """The earliest step of those at which subject and object broke."""
    found = [each for each in problems if each is not None]
    return min(found, key=lambda why: RANK[why.reason])._replace(ends=len(found)) if found else None


def _farther(best: Why | None, other: Why) -> Why:
    """The later step; of equals, the one with fewer entities that are wrong."""
    if best is None:
        return other
    return max(best, other, key=lambda why: (RANK[why.reason], -why.ends))


def _by_row(steps: Sequence[Step]) -> dict[int, Step]:
    return {step.row: step for step in steps if step.row >= 0}
