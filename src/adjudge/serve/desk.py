"""Where one person works: a store, a campaign, and of it what this person may see of a scope.

Items that differ in hidden fields only are one card: whoever judges cannot tell them apart, and answers once.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import msgspec

from adjudge.formats.standoff import parse_place
from adjudge.serve.answers import Card, Reading
from adjudge.serve.schema import Schema, read_schema
from adjudge.serve.store import ASSESS, Snapshot, Store
from adjudge.serve.store.tables import Campaign, Decision, Grouping, Item, Judgment, Note, Scope

Range = tuple[int, int]


class Desk(msgspec.Struct, frozen=True):
    """A person's place: `reader` is None for whoever only looks on."""

    store: Store
    campaign: str
    reader: str | None
    secret: bytes = b""


@lru_cache(maxsize=32)
def _schema(data: bytes) -> Schema:
    return read_schema(data, name="schema.toml")


def campaign_of(desk: Desk, snapshot: Snapshot) -> tuple[Campaign, Schema]:
    """The campaign and its schema; a LookupError if there is none."""
    campaign = snapshot.campaign(desk.campaign)
    if campaign is None:
        raise LookupError(f"there is no campaign {desk.campaign!r}")
    return campaign, _schema(desk.store.get_blob(campaign.schema_sha))


class Stack(NamedTuple):
    """A card and the items that it stands for, the first of which gives it its name."""

    card: Card
    items: tuple[Item, ...]


class Text:
    """The text of a scope, in which places of several documents have their offsets."""

    def __init__(self, text: str, meta: Mapping[str, Any]) -> None:
        self.text = text
        self._documents: Mapping[str, int] = meta.get("documents", {})

    @cached_property
    def _starts(self) -> list[int]:
        from adjudge.tasks.eal.texts import sentences

        return [start for start, _ in sentences(self.text)]

    def sentence(self, at: int) -> int:
        """The number of the sentence at an offset."""
        return bisect_right(self._starts, at)

    def ranges(self, value: Any, kind: str) -> list[Range]:
        """The half-open ranges that a field names."""
        if not value:
            return []
        if kind == "span":
            return [(value[0], value[1])]
        if kind == "spans":
            return [(start, end) for start, end in value]
        found = []
        for part in str(value).split(","):
            place = parse_place(part)
            if place is not None and place[0] in self._documents:
                shift = self._documents[place[0]]
                found.append((place[1] + shift, place[2] + shift))
        return found


class Sheet:
    """A scope as one reader meets it: cards in order, and what this reader has said."""

    def __init__(self, desk: Desk, snapshot: Snapshot, scope: str) -> None:
        self.desk = desk
        self.campaign, self.schema = campaign_of(desk, snapshot)
        found = snapshot.scope(desk.campaign, scope)
        if found is None:
            raise LookupError(f"there is no {self.schema.scope} {scope!r}")
        self.scope: Scope = found
        self.items: list[Item] = snapshot.items(desk.campaign, scope)
        data = desk.store.get_blob(found.text_sha) if found.text_sha else b""
        self.text = Text(data.decode(), found.meta)
        self.judgments: dict[str, Judgment] = {}
        self.notes: dict[str, Note] = {}
        slot = 0
        if desk.reader is not None:
            of_reader = snapshot.judgments(desk.campaign, scope, desk.reader)
            self.judgments = {each.item: each for each in of_reader}
            self.notes = {each.item: each for each in snapshot.notes(desk.campaign, scope, desk.reader)}
            mine = snapshot.assignments(desk.campaign, scope, desk.reader)
            slot = max((each.slot for each in mine if each.stage == ASSESS), default=0)
        self.decisions: dict[str, Decision] = {}
        """What is official, as far as this reader may know it: a second reader is blind until the scope goes on."""
        if slot == 0 or found.stage != ASSESS:
            self.decisions = {each.subject: each for each in snapshot.decisions(desk.campaign, scope, ASSESS)}

    def fields(self, item: Item) -> dict[str, Any]:
        """The fields of an item, the scope among them."""
        return {self.schema.scope: item.scope, **item.body}

    @cached_property
    def stacks(self) -> list[Stack]:
        """The cards in the order in which they are shown."""
        piles: dict[str, list[Item]] = {}
        visible = self.schema.visible
        for item in sorted(self.items, key=lambda each: (each.since, each.id)):
            fields = self.fields(item)
            piles.setdefault(repr([item.parent, *(fields.get(name) for name in visible)]), []).append(item)
        first = {item.id: pile[0].id for pile in piles.values() for item in pile}
        stacks = []
        for pile in piles.values():
            names = [name for name in self.schema.fields if name not in self.schema.item.hidden]
            fields = self.fields(pile[0])
            shown = {name: fields[name] for name in names if name in fields}
            parent = pile[0].parent
            stacks.append(Stack(Card(pile[0].id, shown, parent and first.get(parent, parent)), tuple(pile)))
        return sorted(stacks, key=self._place)

    def _place(self, stack: Stack) -> list[tuple[int, Any]]:
        found: list[tuple[int, Any]] = []
        kinds = self.schema.fields
        for name in (*self.schema.show.order, "id"):
            if name == "id":
                found.append((1, stack.card.id))
                continue
            field = name.removeprefix("sentence:")
            value = stack.card.fields.get(field)
            if field != name:
                ranges = self.text.ranges(value, kinds[field])
                value = self.text.sentence(ranges[0][0]) if ranges else None
            found.append((0, 0) if value is None else (1, value))
        return found

    @cached_property
    def by_card(self) -> dict[str, Stack]:
        """The stacks by the names of their cards."""
        return {stack.card.id: stack for stack in self.stacks}

    def answers(self, stack: Stack) -> dict[str, str]:
        """What this reader says of a card, else what is official: nothing if its items differ in that."""
        given = [self.judgments[item.id].answers for item in stack.items if item.id in self.judgments]
        given = given or [self.decisions[item.id].answers for item in stack.items if item.id in self.decisions]
        return dict(given[0]) if given and all(each == given[0] for each in given) else {}

    def version(self, stack: Stack) -> int:
        """How often this reader has answered a card."""
        return max((self.judgments[item.id].version for item in stack.items if item.id in self.judgments), default=0)

    def number(self, stack: Stack) -> int:
        """The number of the event by which this reader has answered a card last."""
        return max((self.judgments[item.id].n for item in stack.items if item.id in self.judgments), default=0)

    def complete(self, stack: Stack) -> bool:
        """Whether every item of a card has its answer."""
        return bool(self.answers(stack)) and all(
            self.judgments[item.id].complete if item.id in self.judgments else item.id in self.decisions
            for item in stack.items
        )

    @cached_property
    def reading(self) -> Reading:
        """The answers of this reader in the order in which they were given."""
        reading = Reading(self.schema, [stack.card for stack in self.stacks])
        for stack in sorted(self.stacks, key=self.number):
            if answers := self.answers(stack):
                reading.answer(stack.card.id, answers)
        return reading


def decided(snapshot: Snapshot, campaign: str, scope: str, stage: str) -> dict[str, dict[str, Any]]:
    """The official answers of a stage by their subjects."""
    return {each.subject: each.answers for each in snapshot.decisions(campaign, scope, stage)}


def grouping_of(desk: Desk, snapshot: Snapshot, scope: str, stage: str) -> Grouping | None:
    """This reader's groups or frames."""
    return None if desk.reader is None else snapshot.grouping(desk.campaign, scope, stage, desk.reader)


def short(name: str) -> str:
    """A type without what it is a kind of.

    >>> short("Justice.Arrest-Jail")
    'Arrest-Jail'
    """
    return name.rsplit(".", 1)[-1]


def joined(parts: Iterable[object]) -> str:
    """What a card is called in a list."""
    return " ".join(str(part) for part in parts if part is not None)


def words_of(sequence: Sequence[str], name: str) -> str:
    """The right form of a noun after a number.

    >>> words_of(["a"], "document"), words_of([], "document")
    ('1 document', '0 documents')
    """
    return f"{len(sequence)} {name}{'s' * (len(sequence) != 1)}"
