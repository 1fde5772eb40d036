"""Where one person works: a store, a campaign, and of it what this person may see of a scope.

Items that differ in hidden fields only are one card: whoever judges cannot tell them apart, and answers once.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from threading import Lock
from typing import Any, NamedTuple

import msgspec

from adjudge.formats.standoff import parse_place
from adjudge.serve.answers import Card, Reading, shared
from adjudge.serve.schema import Schema, read_schema
from adjudge.serve.store import ASSESS, Snapshot, Store, stream_of
from adjudge.serve.store.tables import Campaign, Decision, Grouping, Item, Judgment, Note, Scope, Stream

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
    campaign = snapshot.get(Campaign, desk.campaign)
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


class Layout:
    """The cards of a scope in their order, which nobody changes but an import; it is kept for the next request."""

    def __init__(self, schema: Schema, items: list[Item], text: Text) -> None:
        self.schema, self.items, self.text = schema, items, text

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
        names = [name for name in self.schema.fields if name not in self.schema.item.hidden]
        stacks = []
        for pile in piles.values():
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

    @cached_property
    def _alike(self) -> dict[tuple[str, str], list[str]]:
        """The cards that carry answers to each other."""
        found: dict[tuple[str, str], list[str]] = {}
        for question in self.schema.question:
            for card in (stack.card for stack in self.stacks) if question.carry else ():
                found.setdefault(shared(question.id, card.fields, question.carry), []).append(card.id)
        return found

    def around(self, cards: Iterable[str]) -> list[Stack]:
        """The stacks on whose answers those of some cards may depend, and their own."""
        found: dict[str, None] = {}
        waiting = [card for card in cards if card in self.by_card]
        for id_ in waiting:
            found[id_] = None
            card = self.by_card[id_].card
            for question in self.schema.question:
                if question.carry:
                    found.update(dict.fromkeys(self._alike[shared(question.id, card.fields, question.carry)]))
            if card.parent is not None and card.parent in self.by_card and card.parent not in waiting:
                waiting.append(card.parent)
        return [self.by_card[card] for card in found]


_LAYOUTS: OrderedDict[tuple[str, ...], tuple[object, Layout]] = OrderedDict()
_KEPT = 64


def _layout(desk: Desk, snapshot: Snapshot, schema: Schema, scope: Scope) -> Layout:
    stream = snapshot.get(Stream, stream_of(desk.campaign))
    key = (str(desk.store.folder), desk.store.url or "", desk.campaign, scope.id)
    state = (stream.n if stream else 0, stream.head if stream else "")
    with _LOCK:
        known = _LAYOUTS.get(key)
    if known is not None and known[0] == state:
        return known[1]
    data = desk.store.get_blob(scope.text_sha) if scope.text_sha else b""
    made = Layout(schema, snapshot.items(desk.campaign, scope.id), Text(data.decode(), scope.meta))
    with _LOCK:
        _LAYOUTS[key] = state, made
        _LAYOUTS.move_to_end(key)
        while len(_LAYOUTS) > _KEPT:
            _LAYOUTS.popitem(last=False)
    return made


_LOCK = Lock()


class Sheet:
    """A scope as one reader meets it: cards in order, and what this reader has said.

    With `only`, answers are known of these cards and of those on which they depend, and no others.
    """

    def __init__(self, desk: Desk, snapshot: Snapshot, scope: str, only: Sequence[str] | None = None) -> None:
        self.desk = desk
        self.campaign, self.schema = campaign_of(desk, snapshot)
        found = snapshot.get(Scope, desk.campaign, scope)
        if found is None:
            raise LookupError(f"there is no {self.schema.scope} {scope!r}")
        self.scope: Scope = found
        self.layout = _layout(desk, snapshot, self.schema, found)
        self.items, self.text, self.fields = self.layout.items, self.layout.text, self.layout.fields
        self.stacks, self.by_card = self.layout.stacks, self.layout.by_card
        self.judgments: dict[str, Judgment] = {}
        self.notes: dict[str, Note] = {}
        self.decisions: dict[str, Decision] = {}
        """What is official, as far as this reader may know it: a second reader is blind until the scope goes on."""
        name, reader = desk.campaign, desk.reader
        self.assignments = snapshot.assignments(name, scope, reader) if reader is not None else []
        slot = max((each.slot for each in self.assignments if each.stage == ASSESS), default=0)
        may_know = slot == 0 or found.stage != ASSESS
        if only is not None and reader is not None:
            self._stacks = self.layout.around(only)
            ids = [item.id for stack in self._stacks for item in stack.items]
            self.judgments = {each.item: each for each in snapshot.many(Judgment, [(name, id_, reader) for id_ in ids])}
            if may_know:
                official = snapshot.many(Decision, [(name, scope, ASSESS, id_) for id_ in ids])
                self.decisions = {each.subject: each for each in official}
            return
        self._stacks = self.stacks
        if reader is not None:
            self.judgments = {each.item: each for each in snapshot.judgments(name, scope, reader)}
            self.notes = {each.item: each for each in snapshot.notes(name, scope, reader)}
        if may_know:
            self.decisions = {each.subject: each for each in snapshot.decisions(name, scope, ASSESS)}

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
        """Whether every item of a card is answered."""
        return bool(self.answers(stack)) and all(
            self.judgments[item.id].complete if item.id in self.judgments else item.id in self.decisions
            for item in stack.items
        )

    @cached_property
    def reading(self) -> Reading:
        """The answers of this reader in the order in which they were given."""
        reading = Reading(self.schema, [stack.card for stack in self._stacks])
        for stack in sorted(self._stacks, key=self.number):
            if answers := self.answers(stack):
                reading.answer(stack.card.id, answers)
        return reading


def decided(snapshot: Snapshot, campaign: str, scope: str, stage: str) -> dict[str, dict[str, Any]]:
    """The official answers of a stage by their subjects."""
    return {each.subject: each.answers for each in snapshot.decisions(campaign, scope, stage)}


class Body(NamedTuple):
    """Groups or frames as a reader sees them, and how often the reader has changed them; how they were decided."""

    body: dict[str, Any]
    version: int
    decided: dict[str, Any] | None


def body_of(sheet: Sheet, snapshot: Snapshot, stage: str) -> Body:
    """This reader's groups or frames while the scope is there, else the official ones."""
    desk, scope = sheet.desk, sheet.scope
    row = None if desk.reader is None else snapshot.get(Grouping, desk.campaign, scope.id, stage, desk.reader)
    official = snapshot.get(Decision, desk.campaign, scope.id, stage, stage)
    version = row.version if row else 0
    if official is not None and (row is None or scope.stage != stage):
        return Body(official.answers, version, {"how": official.how, "why": official.why})
    return Body(row.body if row else {}, version, None)


def short(name: str) -> str:
    """A type without what it is a kind of.

    >>> short("Justice.Arrest-Jail")
    'Arrest-Jail'
    """
    return name.rsplit(".", 1)[-1]


def joined(parts: Iterable[object]) -> str:
    """What a card is called in a list."""
    return " ".join(str(part) for part in parts if part is not None)
