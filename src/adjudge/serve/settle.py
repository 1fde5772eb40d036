"""When all readers of a stage have finished: what they agree on is decided, and the scope goes on if nothing is left.

Classes and groups are compared by what is in them, since their numbers are each reader's own.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from adjudge.serve.desk import Desk, Sheet
from adjudge.serve.groups import GROUP, sets_of
from adjudge.serve.schema import Schema
from adjudge.serve.store import ASSESS, DECIDED, Snapshot, Write, stream_of
from adjudge.serve.store.tables import Grouping, Item

DONE = "done"


def next_stage(schema: Schema, stage: str) -> str:
    """The stage after one, or `done`."""
    kinds = [each.kind for each in schema.stage]
    return (*kinds, DONE)[[*kinds, DONE].index(stage) + 1] if stage != DONE else DONE


def settle(desk: Desk, scope: str, stage: str, *, kept: bool = False) -> str:
    """Decide what can be decided without anybody, and say at which stage the scope is then.

    What an adjudicator has decided is `kept`; else readers who agree replace what was official before.
    """
    with desk.store.read() as snapshot:
        sheet = Sheet(desk, snapshot, scope)
        readers = [each for each in snapshot.assignments(desk.campaign, scope) if each.stage == stage]
        if sheet.scope.stage != stage or not readers or any(each.state != "finished" for each in readers):
            return sheet.scope.stage
        names = [each.reader for each in sorted(readers, key=lambda each: (each.slot, each.reader))]
        known = {each.subject: each.answers for each in snapshot.decisions(desk.campaign, scope, stage)}
        if stage == ASSESS:
            made, left = _items(sheet, snapshot, names, known, kept)
        else:
            made, left = ({}, 0) if kept and stage in known else _body(sheet, snapshot, names, stage)
    how = "single" if len(names) == 1 else "agreed"
    body: dict[str, Any] = {"stage": stage, "decisions": made, "how": how, "by": ", ".join(names)}
    after = stage if left else next_stage(sheet.schema, stage)
    if not left:
        body["next"] = after
    if made or not left:
        stream, key = stream_of(desk.campaign, scope, DECIDED), f"settle-{secrets.token_hex(8)}"
        desk.store.append([Write(stream, "decide", stage, body, desk.reader or names[0], key)])
    return after


def _items(
    sheet: Sheet, snapshot: Snapshot, readers: Sequence[str], known: Mapping[str, Any], kept: bool
) -> tuple[dict[str, Any], int]:
    """What all readers say of items alike, and how many items are left."""
    campaign, scope = sheet.desk.campaign, sheet.scope.id
    given = {
        reader: {each.item: each.answers for each in snapshot.judgments(campaign, scope, reader) if each.complete}
        for reader in readers
    }
    alike = [comparable(sheet.schema, sheet.items, answers) for answers in given.values()]
    twice = answered_twice(snapshot, campaign, scope, given)
    made: dict[str, Any] = {}
    left = 0
    for item in sheet.items:
        if kept and item.id in known:
            continue
        if item.id in twice:
            left += item.id not in known
            continue
        said = [each.get(item.id) for each in alike]
        if all(each is None for each in said) and item.id in known:
            continue
        if said[0] is not None and all(each == said[0] for each in said):
            answers = given[readers[0]][item.id]
            if known.get(item.id) != answers:
                made[item.id] = answers
        else:
            left += 1
    return made, left


def answered_twice(
    snapshot: Snapshot, campaign: str, scope: str, given: Mapping[str, Mapping[str, Mapping[str, str]]]
) -> dict[str, list[tuple[str, dict[str, str]]]]:
    """Items that readers have answered differently offline, with these answers; `given` are those on the server."""
    found: dict[str, list[tuple[str, dict[str, str]]]] = {}
    for note in snapshot.notes(campaign, scope):
        said = [each["answers"] for each in note.comments if "answers" in each]
        if said and note.reader in given and said[-1] != given[note.reader].get(note.item):
            found.setdefault(note.item, []).append((note.reader, said[-1]))
    return found


def comparable(
    schema: Schema, items: Iterable[Item], answers: Mapping[str, Mapping[str, str]]
) -> dict[str, dict[str, object]]:
    """Answers in which a class is what it has in it: two readers may call the same class by different numbers."""
    listed = [item for item in items if item.id in answers]
    found: dict[str, dict[str, object]] = {item.id: dict(answers[item.id]) for item in listed}
    for question in schema.question:
        if question.kind == "class":
            members: dict[tuple[object, ...], list[str]] = {}
            for item in listed:
                if question.id in answers[item.id]:
                    room = (item.scope, item.parent, *(str(item.body.get(name)) for name in question.within))
                    members.setdefault((*room, answers[item.id][question.id]), []).append(item.id)
            for own in members.values():
                for id_ in own:
                    found[id_][question.id] = tuple(sorted(own))
    return found


def _body(sheet: Sheet, snapshot: Snapshot, readers: Sequence[str], stage: str) -> tuple[dict[str, Any], int]:
    """The groups or events of the first reader if those of all are equal."""
    rows = [snapshot.get(Grouping, sheet.desk.campaign, sheet.scope.id, stage, reader) for reader in readers]
    bodies = [row.body if row else {} for row in rows]
    forms = [_form(body, stage) for body in bodies]
    if any(form != forms[0] for form in forms):
        return {}, 1
    first = {key: value for key, value in bodies[0].items() if key != "seen"}
    return {stage: first}, 0


def _form(body: Mapping[str, Any], stage: str) -> frozenset[frozenset[str]]:
    """A partition, or a set of events, whatever their numbers are."""
    if stage != GROUP:
        return frozenset(frozenset(event["items"]) for event in body.get("events", {}).values())
    return frozenset(map(frozenset, sets_of(body)))
