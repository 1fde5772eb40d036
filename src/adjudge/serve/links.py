"""Events: which classes of good items belong to one event, a table for each type.

The body of a linking is a dictionary of events, each with its name (if a file gave it one) and its items. A row of a
table is a class: it is in an event if any of its items is, and is put into it with all of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from adjudge.errors import ValidationError
from adjudge.serve.desk import Range, Sheet, body_of, decided
from adjudge.serve.groups import GROUP, eligible, member_of, official
from adjudge.serve.schema import Stage
from adjudge.serve.store import Snapshot
from adjudge.serve.store.tables import Item

LINK = "link"
Values = Mapping[str, Mapping[str, str]]
_encode = msgspec.json.Encoder(order="sorted").encode


class Row(NamedTuple):
    """A class of items that say the same; `values` are those of the stage's `class`."""

    id: str
    table: str
    values: dict[str, Any]
    items: tuple[Item, ...]
    ranges: tuple[Range, ...]
    sentence: int


class Linked(NamedTuple):
    """The events of a scope as a reader has them now, and the official answers that its rows are made from."""

    sheet: Sheet
    stage: Stage
    values: Values
    rows: dict[str, Row]
    body: dict[str, Any]
    version: int = 0
    decided: dict[str, Any] | None = None

    @property
    def events(self) -> dict[str, dict[str, Any]]:
        """The events by their numbers, in order."""
        given = self.body.get("events", {})
        return {name: given[name] for name in sorted(given, key=int)}

    def of(self, row: Row) -> list[str]:
        """The events of a row."""
        return [name for name, event in self.events.items() if any(item.id in event["items"] for item in row.items)]

    @property
    def whole(self) -> dict[str, Any]:
        """The body with all that is in it before anything is changed."""
        return dict(self.body)

    @property
    def sets(self) -> list[list[str]]:
        """The rows of each event."""
        return [[row.id for row in self.rows.values() if name in self.of(row)] for name in self.events]

    @property
    def ignored(self) -> dict[str, str]:
        """The rows that need not be in an event, and why they do not count."""
        if self.stage.check != "eal.frames":
            return {}
        from adjudge.serve.codecs.eal import covered

        return covered(self.rows.values(), self.sheet, self.values)

    def _oddities(self) -> dict[str, list[str]]:
        """What is odd about events."""
        if self.stage.check != "eal.frames":
            return {}
        from adjudge.serve.codecs.eal import oddities

        return oddities(self)

    def progress(self, body: Mapping[str, Any]) -> tuple[int, int]:
        """How many rows there are, and how many of them are linked in a body, or need not be."""
        after, ignored = self._replace(body=dict(body)), self.ignored
        return len(self.rows), sum(bool(after.of(row)) or row.id in ignored for row in self.rows.values())

    def view(self) -> dict[str, Any]:
        """The tables as a page shows them."""
        show = self.sheet.schema.show
        ignored, warn = self.ignored, self._oddities()
        first = min((item.since for item in self.sheet.items), default=0)
        names = [name for name in (*show.label, *self.stage.class_) if name not in ("group", self.stage.table)]
        tables: dict[str, dict[str, Any]] = {}
        for row in self.rows.values():
            table = tables.setdefault(row.table, {"table": row.table, "rows": [], "events": []})
            fields = {**self.sheet.fields(row.items[0]), **row.values}
            cells = {name: fields.get(name) for name in names if name not in self.sheet.schema.item.hidden}
            cells.update({name: row.values[name] for name in names if name in row.values})
            table["rows"].append(
                {
                    "id": row.id,
                    "cells": cells,
                    "marks": list(row.ranges),
                    "sentence": row.sentence,
                    "events": self.of(row),
                    "new": min(item.since for item in row.items) > first,
                    "ignored": ignored.get(row.id),
                }
            )
        for name, event in self.events.items():
            named = event["items"].keys()
            here = next((row for row in self.rows.values() if any(item.id in named for item in row.items)), None)
            if here is not None:
                shown = {"id": name, "name": event.get("name"), "warn": warn.get(name, [])}
                tables[here.table]["events"].append(shown)
        made = [tables[name] for name in sorted(tables)]
        return {"version": self.version, "tables": made, "decided": self.decided}

    def patch(self, ops: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """What operations change: `put` a row into an event or a new one, have it `also` in another, take it `out`."""
        events = {name: {**event, "items": dict(event["items"])} for name, event in self.events.items()}
        for op in ops:
            kind = op.get("op")
            row = self.rows.get(str(op.get("row")))
            if row is None:
                raise ValidationError(f"there is no row {op.get('row')!r}", hint="load the page again")
            target = str(op.get("event"))
            if target == "new" and kind in ("put", "also"):
                target = str(max(map(int, events), default=0) + 1)
                events[target] = {"name": None, "items": {}}
            if target not in events and (kind != "out" or op.get("event") is not None):
                raise ValidationError(f"there is no event {target!r}", hint="load the page again")
            if kind == "put":
                for name, event in events.items():
                    if name != target:
                        _take_out(event, row)
            if kind in ("put", "also"):
                _check_table(self, events[target], row)
                events[target]["items"].update((item.id, True) for item in row.items)
            elif kind == "out":
                for name in [target] if op.get("event") is not None else list(events):
                    _take_out(events[name], row)
            else:
                raise ValidationError(
                    f"there is no operation {kind!r} here", hint="choose from put, also, out, undo, finish"
                )
        after = {name: event for name, event in events.items() if event["items"]}
        patch = difference(self.events, after)
        if not patch:
            return {}
        return {"events": patch, **({"waiting": None} if self.body.get("waiting") else {})}


def linked(sheet: Sheet, snapshot: Snapshot, body: Mapping[str, Any] | None = None) -> Linked:
    """The events of a scope: this reader's, else the official ones; or those of a body."""
    stage, values = sheet.schema.own_stage(LINK), official(sheet, snapshot)
    own = body_of(sheet, snapshot, LINK) if body is None else (dict(body), 0, None)
    return Linked(sheet, stage, values, _rows(sheet, snapshot, stage, values), *own)


def _rows(sheet: Sheet, snapshot: Snapshot, stage: Stage, values: Values) -> dict[str, Row]:
    """The rows of all tables, in the order of the text."""
    grouping = sheet.schema.stage_of(GROUP)
    groups = decided(snapshot, sheet.desk.campaign, sheet.scope.id, GROUP).get(GROUP, {}).get("of", {})
    tables = _tables(sheet.campaign.settings.get("linkable", ()))
    classes: dict[str, tuple[dict[str, Any], list[Item]]] = {}
    for item in eligible(sheet, stage, values):
        fields = sheet.fields(item)
        own: dict[str, Any] = {}
        for name in stage.class_:
            if name == "group" and grouping is not None:
                member = member_of(fields, grouping.of)
                own[name] = groups.get(member, member)
            else:
                own[name] = values[item.id].get(name, fields.get(name))
        classes.setdefault(_encode(own).decode(), (own, []))[1].append(item)
    marks = sheet.schema.show.marks
    rows = []
    for key, (own, items) in classes.items():
        all_ = [sheet.fields(item) for item in items]
        place = marks.get("line") or marks.get("fill")
        ranges = sorted({each for one in all_ for each in _ranges(sheet, one, place)})
        because = min((each for one in all_ for each in _ranges(sheet, one, marks.get("tint"))), default=(0, 0))
        table = str(all_[0].get(stage.table or ""))
        row = hashlib.sha256(f"{sheet.desk.campaign}\n{sheet.scope.id}\n{key}".encode()).hexdigest()[:12]
        sentence = sheet.text.sentence(because[0])
        rows.append(Row(row, tables.get(table, table), own, tuple(items), tuple(ranges), sentence))
    rows.sort(key=lambda each: (each.table, each.sentence, each.ranges, each.id))
    return {each.id: each for each in rows}


def _ranges(sheet: Sheet, fields: Mapping[str, Any], name: str | None) -> list[Range]:
    return [] if name is None else sheet.text.ranges(fields.get(name), sheet.schema.fields[name])


def _tables(linkable: Sequence[Sequence[str]]) -> dict[str, str]:
    """Types that may be in one event share a table.

    >>> _tables([("Contact.Meet", "Contact.Contact")])["Contact.Meet"]
    'Contact.Contact, Contact.Meet'
    """
    groups: dict[str, set[str]] = {}
    for one, other in linkable:
        group = groups.get(one, {one}) | groups.get(other, {other})
        groups.update(dict.fromkeys(group, group))
    return {name: ", ".join(sorted(group)) for name, group in groups.items()}


def _take_out(event: dict[str, Any], row: Row) -> None:
    for item in row.items:
        event["items"].pop(item.id, None)


def _check_table(state: Linked, event: Mapping[str, Any], row: Row) -> None:
    for other in state.rows.values():
        if other.table != row.table and any(item.id in event["items"] for item in other.items):
            message = f"an event of {other.table} takes nothing of {row.table}"
            raise ValidationError(message, hint="make a new event for it")


def difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """The merge patch (RFC 7396) that makes one dictionary into another.

    >>> difference({"a": {"x": 1, "y": 2}, "b": 1}, {"a": {"x": 1}, "c": 3})
    {'a': {'y': None}, 'b': None, 'c': 3}
    """
    patch: dict[str, Any] = {}
    for key in dict.fromkeys((*before, *after)):
        if key not in after:
            patch[key] = None
        elif isinstance(before.get(key), dict) and isinstance(after[key], dict):
            if inner := difference(before[key], after[key]):
                patch[key] = inner
        elif before.get(key) != after[key]:
            patch[key] = after[key]
    return patch
