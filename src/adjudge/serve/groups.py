"""Same fillers: which of the things that items name are one, as a partition of them.

The body of a grouping is a dictionary from each member (the values of the stage's `of`, as JSON) to the number of its
group, so nothing can be in two groups. Numbers that were imported stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import msgspec

from adjudge.errors import ValidationError
from adjudge.serve.answers import Around, holds, interpret
from adjudge.serve.desk import Range, Sheet, body_of, decided, short
from adjudge.serve.schema import Schema, Stage
from adjudge.serve.store import ASSESS, Snapshot
from adjudge.serve.store.tables import Item

GROUP = "group"
_HEAD = re.compile(r"\b(?:of|in|at|on|from|to|for|by|with|near|under|over|behind|between|against)\b", re.IGNORECASE)
_encode = msgspec.json.Encoder(order="sorted").encode

Partition = dict[str, str]


def member_of(fields: Mapping[str, Any], names: Sequence[str]) -> str:
    """The name of what an item names.

    >>> member_of({"cas": "Rome", "cas_span": [20, 24]}, ["cas", "cas_span"])
    '["Rome",[20,24]]'
    """
    return _encode([fields.get(name) for name in names]).decode()


def unnamed(member: str) -> list[Any]:
    """The values that a member's name is made of."""
    return cast("list[Any]", msgspec.json.decode(member))


def official(sheet: Sheet, snapshot: Snapshot) -> dict[str, dict[str, str]]:
    """The official answers of a scope by item, with what follows from them."""
    answers = decided(snapshot, sheet.desk.campaign, sheet.scope.id, ASSESS)
    return values_of(sheet.schema, {item.id: item for item in sheet.items}, sheet.fields, answers)


def values_of(
    schema: Schema, items: Mapping[str, Item], fields: Any, answers: Mapping[str, Mapping[str, str]]
) -> dict[str, dict[str, str]]:
    """The values of all questions of items that have answers."""
    found: dict[str, dict[str, str]] = {}

    def values(id_: str) -> dict[str, str]:
        if id_ not in found:
            item = items[id_]
            parent = item.parent
            above = values(parent) if parent is not None and parent in answers and parent in items else {}
            found[id_] = interpret(schema, fields(item), answers[id_], Around(above)).values
        return found[id_]

    for id_ in answers:
        if id_ in items:
            values(id_)
    return found


def eligible(sheet: Sheet, stage: Stage, values: Mapping[str, Mapping[str, str]]) -> list[Item]:
    """The items of a stage: those for whose answers its condition holds."""
    condition = sheet.schema.condition(stage.when)
    return [
        item
        for item in sheet.items
        if item.id in values and (not condition or holds(condition, sheet.fields(item), values[item.id]))
    ]


class Member(NamedTuple):
    """Something that items name: its text, where it stands, and by what items it is named."""

    key: str
    text: str
    ranges: tuple[Range, ...]
    items: tuple[Item, ...]


def members_of(sheet: Sheet, stage: Stage, items: Iterable[Item]) -> dict[str, Member]:
    """What the items of a stage name, in the order of the text."""
    kinds = sheet.schema.fields
    named: dict[str, list[Item]] = {}
    for item in items:
        named.setdefault(member_of(sheet.fields(item), stage.of), []).append(item)
    found = []
    for key, own in named.items():
        fields = sheet.fields(own[0])
        text = next((str(fields[name]) for name in stage.of if kinds[name] == "string" and name in fields), key)
        places = [name for name in stage.of if kinds[name] not in ("string", "number")]
        ranges = [each for name in places for each in sheet.text.ranges(fields.get(name), kinds[name])]
        found.append(Member(key, text, tuple(ranges), tuple(own)))
    found.sort(key=lambda each: (each.ranges, each.text, each.key))
    return {each.key: each for each in found}


def numbers_after(used: Iterable[str]) -> Iterable[int]:
    """Numbers that no group has."""
    from adjudge.tasks.eal.assess import fresh_clusters

    return fresh_clusters({number: int(number) for number in used})  # type: ignore[misc]


def partition(members: Mapping[str, Member], known: Mapping[str, str], stage: Stage) -> Partition:
    """The group of every member: as it is known, else with equal strings if the stage says so, else alone."""
    found = {key: group for key, group in known.items() if key in members}
    fresh = iter(numbers_after(set(known.values())))
    texts: dict[str, str] = {}
    if "equal-string" in stage.propose:
        for key, group in found.items():
            texts.setdefault(members[key].text, group)
    for key, member in members.items():
        if key not in found:
            group = texts.get(member.text) or str(next(fresh))
            found[key] = group
            if "equal-string" in stage.propose:
                texts[member.text] = group
    return found


class Grouped(NamedTuple):
    """The groups of a scope as a reader has them now; `known` is what is stored, also of members that are not asked."""

    sheet: Sheet
    stage: Stage
    members: dict[str, Member]
    known: Partition
    groups: Partition
    seen: frozenset[str]
    version: int
    decided: dict[str, Any] | None = None

    @property
    def whole(self) -> dict[str, Any]:
        """The body with all that is in it before anything is changed."""
        return {"of": {**self.known, **self.groups}, "seen": dict.fromkeys(self.seen, True)}

    def progress(self, body: Mapping[str, Any]) -> tuple[int, int]:
        """How many rows a body has, and how many of them are reviewed."""
        rows = {body["of"][key] for key in self.members}
        return len(rows), len(rows & set(body.get("seen", {})))

    def view(self) -> dict[str, Any]:
        """The groups as a page shows them: a row for each, with what it perhaps is the same as."""
        rows: dict[str, list[Member]] = {}
        for key, member in self.members.items():
            rows.setdefault(self.groups[key], []).append(member)
        proposals = propose(rows, self.stage)
        show = self.sheet.schema.show
        found = []
        for group, members in rows.items():
            names = [name for name in show.label if name not in self.stage.of]
            bodies = [item.body for member in members for item in member.items]
            uses = {
                " ".join([short(str(body.get(show.group or "", ""))), *(str(body.get(name)) for name in names)])
                for body in bodies
            }
            found.append(
                {
                    "id": group,
                    "members": [{"id": each.key, "text": each.text, "marks": list(each.ranges)} for each in members],
                    "uses": sorted(uses),
                    "perhaps": proposals.get(group),
                    "seen": group in self.seen,
                }
            )
        return {"version": self.version, "rows": found, "decided": self.decided}

    def patch(self, ops: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """What operations change in the body: `join` two rows, take a member `out`, rows that were `seen`."""
        groups = dict(self.groups)
        seen: dict[str, Any] = {}
        fresh = iter(numbers_after(set(self.known.values()) | set(groups.values())))
        for op in ops:
            kind = op.get("op")
            if kind == "join":
                one, other = str(op.get("a")), str(op.get("b"))
                _check_rows(groups, one, other)
                groups = {key: one if group == other else group for key, group in groups.items()}
                seen[other] = None
            elif kind == "out":
                member = str(op.get("member"))
                if member not in groups:
                    raise ValidationError(f"there is no member {member}", hint="load the page again")
                target = op.get("to")
                if target is not None:
                    _check_rows(groups, str(target))
                groups[member] = str(next(fresh)) if target is None else str(target)
            elif kind == "seen":
                _check_rows(groups, str(op.get("row")))
                seen[str(op.get("row"))] = True
            else:
                raise ValidationError(
                    f"there is no operation {kind!r} here", hint="choose from join, out, seen, undo, finish"
                )
        changed = {key: group for key, group in groups.items() if self.known.get(key) != group}
        patch: dict[str, Any] = {"of": changed} if changed else {}
        return {**patch, "seen": seen} if seen else patch


def grouped(sheet: Sheet, snapshot: Snapshot) -> Grouped:
    """The groups of a scope: this reader's, else the official ones, else those to begin with."""
    stage = sheet.schema.own_stage(GROUP)
    members = members_of(sheet, stage, eligible(sheet, stage, official(sheet, snapshot)))
    body, version, how = body_of(sheet, snapshot, GROUP)
    known: Partition = body.get("of", {})
    groups = partition(members, known, stage)
    return Grouped(sheet, stage, members, known, groups, frozenset(body.get("seen", {})), version, how)


def sets_of(body: Mapping[str, Any]) -> list[list[str]]:
    """What is together in a body of groups."""
    found: dict[str, list[str]] = {}
    for member, number in sorted(body.get("of", {}).items()):
        found.setdefault(number, []).append(member)
    return list(found.values())


def propose(rows: Mapping[str, Sequence[Member]], stage: Stage) -> dict[str, dict[str, str]]:
    """For a row the first one before it that may be the same: overlapping places, then the same head; never dates.

    >>> def row(text, at): return [Member(text, text, (at,), ())]
    >>> rows = {"1": row("his flat in Lower Quill", (9, 32)), "2": row("Lower Quill", (21, 32))}
    >>> rows["3"] = row("a flat", (40, 46))
    >>> propose(rows, Stage(kind="group", propose=("overlap", "head")))
    {'2': {'row': '1', 'why': 'overlap'}, '3': {'row': '1', 'why': 'head'}}
    """
    from adjudge.formats.eal_fields import is_valid

    found: dict[str, dict[str, str]] = {}
    plain = {group: own for group, own in rows.items() if not any(is_valid(each.text) for each in own)}
    for why in (each for each in ("overlap", "head") if each in stage.propose):
        before: list[tuple[str, Sequence[Member]]] = []
        for group, own in plain.items():
            if group not in found:
                other = next((name for name, members in before if _alike(own, members, why)), None)
                if other is not None:
                    found[group] = {"row": other, "why": why}
            before.append((group, own))
    return {group: found[group] for group in rows if group in found}


def _alike(one: Sequence[Member], other: Sequence[Member], why: str) -> bool:
    if why == "head":
        return bool({_head(each.text) for each in one} & {_head(each.text) for each in other})
    ranges = [place for each in other for place in each.ranges]
    return any(start < last and first < end for each in one for start, end in each.ranges for first, last in ranges)


def _head(text: str) -> str:
    """The last word before a preposition."""
    before = _HEAD.split(text, maxsplit=1)[0].split() or text.split() or [text]
    return before[-1].casefold().strip(".,;:'\"()")


def _check_rows(groups: Partition, *rows: str) -> None:
    for row in rows:
        if row not in groups.values():
            raise ValidationError(f"there is no row {row!r}", hint="load the page again")
