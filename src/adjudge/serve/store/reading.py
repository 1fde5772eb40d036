"""Reading: a snapshot of the store at one moment, and the questions that are asked of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adjudge.serve.store.events import stream_of
from adjudge.serve.store.sql import Connection
from adjudge.serve.store.tables import (
    Assignment,
    Campaign,
    Decision,
    Event,
    Grouping,
    Item,
    Judgment,
    Note,
    Person,
    R,
    Role,
    Scope,
    Secret,
    Stream,
    Suggestion,
    Tally,
)


class Snapshot:
    """The store at one moment. Rows are yours: changing them changes nothing."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def get(self, kind: type[R], *key: Any) -> R | None:
        """The row with a primary key, or None."""
        found = self.connection.get(kind, [key])
        return found[0] if found else None

    def many(self, kind: type[R], keys: Sequence[tuple[Any, ...]]) -> list[R]:
        """The rows with some primary keys, as far as they are there."""
        return self.connection.get(kind, keys) if keys else []

    def find(self, kind: type[R], order: str | None = None, /, **where: Any) -> list[R]:
        """The rows whose columns have these values (None: any), in the order of the primary key unless told."""
        return self.connection.find(kind, order, **where)

    def campaigns(self) -> list[Campaign]:
        """All campaigns."""
        return self.find(Campaign)

    def campaign(self, campaign: str) -> Campaign | None:
        """One campaign."""
        return self.get(Campaign, campaign)

    def scopes(self, campaign: str) -> list[Scope]:
        """The scopes of a campaign, in their order."""
        return self.find(Scope, "ord, id", campaign=campaign)

    def scope(self, campaign: str, scope: str) -> Scope | None:
        """One scope."""
        return self.get(Scope, campaign, scope)

    def items(self, campaign: str, scope: str | None = None, *, withdrawn: bool = False) -> list[Item]:
        """The items of a scope (or of all) in their order, without those that were withdrawn unless asked for."""
        found = self.find(Item, "scope, ord, id", campaign=campaign, scope=scope)
        return found if withdrawn else [item for item in found if item.withdrawn is None]

    def item(self, campaign: str, item: str) -> Item | None:
        """One item."""
        return self.get(Item, campaign, item)

    def assignments(self, campaign: str, scope: str | None = None, reader: str | None = None) -> list[Assignment]:
        """Who works on what."""
        return self.find(Assignment, campaign=campaign, scope=scope, reader=reader)

    def judgments(self, campaign: str, scope: str | None = None, reader: str | None = None) -> list[Judgment]:
        """What readers say of items."""
        return self.find(Judgment, campaign=campaign, scope=scope, reader=reader)

    def judgment(self, campaign: str, item: str, reader: str) -> Judgment | None:
        """What a reader says of an item."""
        return self.get(Judgment, campaign, item, reader)

    def notes(self, campaign: str, scope: str | None = None, reader: str | None = None) -> list[Note]:
        """Flags and comments."""
        return self.find(Note, campaign=campaign, scope=scope, reader=reader)

    def grouping(self, campaign: str, scope: str, stage: str, reader: str) -> Grouping | None:
        """A reader's groups or frames of a scope."""
        return self.get(Grouping, campaign, scope, stage, reader)

    def groupings(self, campaign: str, scope: str | None = None, stage: str | None = None) -> list[Grouping]:
        """Groups or frames of all readers."""
        return self.find(Grouping, campaign=campaign, scope=scope, stage=stage)

    def decisions(self, campaign: str, scope: str | None = None, stage: str | None = None) -> list[Decision]:
        """The official answers."""
        return self.find(Decision, campaign=campaign, scope=scope, stage=stage)

    def suggestions(self, campaign: str, scope: str | None = None, source: str | None = None) -> list[Suggestion]:
        """What automatic judges say."""
        return self.find(Suggestion, campaign=campaign, scope=scope, source=source)

    def tally(self, campaign: str, scope: str | None = None, reader: str | None = None) -> list[Tally]:
        """Counts of everybody's work; those of the pool and of decisions have the reader `DECIDED`."""
        return self.find(Tally, campaign=campaign, scope=scope, reader=reader)

    def paces(self, campaign: str, hasty: int) -> dict[str, tuple[int, int, int]]:
        """By reader: complete answers whose time is known, their milliseconds, and how many took less than `hasty`."""
        return {reader: (number, ms, quick) for reader, number, ms, quick in self.connection.paces(campaign, hasty)}

    def person(self, person: str) -> Person | None:
        """Somebody who may sign in."""
        return self.get(Person, person)

    def people(self) -> list[Person]:
        """Everybody."""
        return self.find(Person)

    def roles(self, person: str | None = None, scope: str | None = None) -> list[Role]:
        """Who may do what where."""
        return self.find(Role, person=person, scope=scope)

    def secret(self, hash: str) -> Secret | None:
        """What lets somebody in."""
        return self.get(Secret, hash)

    def secrets(self, person: str) -> list[Secret]:
        """Everything that lets a person in."""
        return self.find(Secret, person=person)

    def events(self, stream: str, after: int = 0, limit: int = -1) -> list[Event]:
        """The events of a stream with a number above `after`."""
        return self.connection.events("stream = ? AND n > ?", (stream, after), limit)

    def feed(self, campaign: str, after: int = 0, limit: int = 1000) -> list[Event]:
        """The events of all streams of a campaign with a `seq` above `after`."""
        whole = stream_of(campaign)
        return self.connection.events(
            "seq > ? AND (stream = ? OR (stream >= ? AND stream < ?))", (after, whole, whole + "/", whole + "0"), limit
        )

    def last(self) -> int:
        """The number (`seq`) of the last event of all."""
        return self.connection.last()

    def heads(self) -> dict[str, tuple[int, str]]:
        """Number and hash of the last event of each stream: what a receipt or an export prints."""
        return {stream.id: (stream.n, stream.head) for stream in self.find(Stream)}

    def before(self, campaign: str, scope: str, reader: str, item: str) -> Event | None:
        """The event to whose answers an undo goes back, or None if there were no answers before."""
        stream = stream_of(campaign, scope, reader)
        known = self.connection.events("stream = ? AND subject = ? AND kind IN ('judge', 'undo')", (stream, item))
        left: list[Event] = []
        for event in known:
            if event.kind == "judge":
                left.append(event)
            elif left:
                left.pop()
        return left[-2] if len(left) > 1 else None
