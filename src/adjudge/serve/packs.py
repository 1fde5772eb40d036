"""Offline packs: the scopes of one reader as a server folder of their own, and what was done there, taken back.

A pack has what the reader may see and nothing else: a card is one item in it, and hidden fields are not there. When it
comes back, its events are replayed by their keys, so that taking it back twice does no harm. Where the reader has
answered differently in both places, the answer of the server stays, a comment says what the other one was, and if that
was complete an adjudicator chooses between them once the reader has finished.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from adjudge.errors import AdjudgeError, Problem, UsageError
from adjudge.findings import Finding
from adjudge.serve.campaigns import Batch, create_campaign
from adjudge.serve.desk import Desk, Sheet, campaign_of
from adjudge.serve.folder import Folder
from adjudge.serve.groups import GROUP
from adjudge.serve.messages import JudgeItem
from adjudge.serve.settings import TAKEN
from adjudge.serve.store import ASSESS, DECIDED, Conflict, Store, Write, stream_of
from adjudge.serve.store.tables import Campaign, Event
from adjudge.serve.workbench import judge, operate

_STAGES = (ASSESS, GROUP)  # linking needs fields that a reader may not see
_KINDS = ("judge", "undo", "flag", "comment", GROUP)


def export_pack(desk: Desk, target: Path) -> int:
    """Make a pack for the reader of a desk; gives the number of scopes in it."""
    reader = desk.reader
    assert reader is not None
    with desk.store.read() as snapshot:
        campaign, schema = campaign_of(desk, snapshot)
        mine = {each.scope for each in snapshot.assignments(desk.campaign, reader=reader) if each.state == "open"}
        scopes = [each for each in snapshot.scopes(desk.campaign) if each.id in mine and each.stage in _STAGES]
        if not scopes:
            raise UsageError(f"nothing waits for {reader!r} in {desk.campaign!r}", hint="assign something first")
        Folder.create(target)
        with Store.open(target) as pack:
            kept = {name: value for name, value in campaign.settings.items() if name not in ("training", TAKEN)}
            settings = {**kept, "pack": {"reader": reader, "event": snapshot.last()}}
            create_campaign(pack, desk.campaign, schema, settings)
            batch = Batch(pack)
            batch.add("admin", "person", reader, {"name": reader})
            batch.add("admin", "role", reader, {"scope": desk.campaign, "role": "assessor"})
            for scope in scopes:
                sheet = Sheet(desk, snapshot, scope.id)
                events = snapshot.events(stream_of(desk.campaign, scope.id, reader))
                if sheet.scope.text_sha:
                    pack.put_blob(sheet.text.text.encode(), "text")
                _pack_scope(batch, sheet, reader)
                batch.flush()
                _replay(pack, sheet, events)
    return len(scopes)


def _pack_scope(batch: Batch, sheet: Sheet, reader: str) -> None:
    campaign, scope = sheet.desk.campaign, sheet.scope
    given = {"id": scope.id, "ord": scope.ord, "text_sha": scope.text_sha, "stage": scope.stage}
    meta = {name: value for name, value in scope.meta.items() if name == "documents"}
    batch.add(stream_of(campaign), "scope", scope.id, {"scopes": [{**given, "meta": meta}]})
    items = [
        {
            "id": stack.card.id,
            "scope": scope.id,
            "ord": at,
            "body": {name: value for name, value in stack.card.fields.items() if name != sheet.schema.scope},
            "parent": stack.card.parent,
        }
        for at, stack in enumerate(sheet.stacks)
    ]
    batch.add(stream_of(campaign), "pool", scope.id, {"items": items})
    known = {
        stack.card.id: sheet.decisions[stack.card.id] for stack in sheet.stacks if stack.card.id in sheet.decisions
    }
    if known:
        decisions = {id_: each.answers for id_, each in known.items()}
        body = {"stage": ASSESS, "decisions": decisions, "how": "imported", "by": "pack"}
        batch.add(stream_of(campaign, scope.id, DECIDED), "decide", ASSESS, body)
    add = [{"scope": scope.id, "stage": stage, "reader": reader} for stage in _STAGES if sheet.schema.stage_of(stage)]
    batch.add(stream_of(campaign), "assign", reader, {"add": add})


def _replay(pack: Store, sheet: Sheet, events: Sequence[Event]) -> None:
    """What the reader has done so far, with the same keys."""
    known = {*sheet.by_card, GROUP}
    writes = [_again(event) for event in events if event.kind in _KINDS and event.subject in known]
    if writes:
        pack.write(writes)


def _again(event: Event, expect: int | None = None, cause: str | None = None) -> Write:
    cause = event.cause or cause
    return Write(event.stream, event.kind, event.subject, event.body, event.actor, event.key, expect, cause)


class Merged(NamedTuple):
    """What came back with a pack: new events, answers that differ from the server's, and what was refused."""

    reader: str
    new: int
    conflicts: int
    findings: list[Finding]


def merge_pack(store: Store, campaign: str, path: Path) -> Merged:
    """Merge the work done in a pack."""
    Folder(path)
    with Store.open(path, read_only=True) as pack, pack.read() as snapshot:
        known = snapshot.get(Campaign, campaign)
        if known is None or "pack" not in known.settings:
            hint = "name a folder that adjudge serve export --for has made"
            raise UsageError(Problem(f"this is not a pack of {campaign!r}", str(path), hint=hint))
        desk = Desk(store, campaign, known.settings["pack"]["reader"])
        given = {
            scope.id: snapshot.events(stream_of(campaign, scope.id, desk.reader)) for scope in snapshot.scopes(campaign)
        }
    merge = _Merge(desk)
    for scope, events in given.items():
        merge.take(scope, events)
    return Merged(str(desk.reader), merge.new, merge.conflicts, merge.findings)


class _Merge:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.new = self.conflicts = 0
        self.findings: list[Finding] = []

    def take(self, scope: str, events: Sequence[Event]) -> None:
        """Replay the events of a scope that the server does not have."""
        with self._desk.store.read() as snapshot:
            done = snapshot.events(stream_of(self._desk.campaign, scope, self._desk.reader))
        keys = {event.key for event in done}
        fresh = [event for event in events if event.key not in keys]
        self._judgments(scope, [event for event in fresh if event.kind in ("judge", "undo")])
        for event in fresh:
            if event.kind in ("flag", "comment"):
                text = event.body.get("flag" if event.kind == "flag" else "text")
                op = {"op": event.kind, "item": event.subject, "text": text}
                self._operate(scope, ASSESS, op, event)
            elif event.kind == GROUP:
                self._group(event, scope)
            elif event.kind == "finish":
                self._operate(scope, event.subject, {"op": "finish"}, event)

    def _judgments(self, scope: str, events: Sequence[Event]) -> None:
        given = [
            JudgeItem(
                item=event.subject,
                version=event.version - 1,
                answers=event.body["answers"],
                ms=event.body.get("ms") or 0,
                key=event.key,
                cause=event.cause or "offline",
            )
            for event in events
        ]
        if not given:
            return
        try:
            results = judge(self._desk, scope, given)
        except AdjudgeError as error:
            self._refused(scope, error)
            return
        otherwise: dict[str, Event] = {}
        for event, result in zip(events, results, strict=True):
            if isinstance(result, Conflict):
                otherwise[event.subject] = event
            elif isinstance(result, AdjudgeError):
                self._refused(scope, result)
            else:
                self.new += 1
        if not otherwise:
            return
        with self._desk.store.read() as snapshot:
            cards = Sheet(self._desk, snapshot, scope).by_card
        for each in otherwise.values():
            self.conflicts += 1
            answers = each.body["answers"]
            said = ", ".join(f"{name} {value}" for name, value in answers.items()) or "nothing"
            body: dict[str, Any] = {"text": f"answered differently offline: {said}"}
            if each.body["complete"]:
                body["answers"] = answers
            reader, item = str(self._desk.reader), cards[each.subject].items[0].id
            stream = stream_of(self._desk.campaign, scope, reader)
            self._desk.store.write([Write(stream, "comment", item, body, reader, f"{each.key}/otherwise")])

    def _operate(self, scope: str, stage: str, op: dict[str, Any], event: Event) -> None:
        try:
            operate(self._desk, scope, stage, 0, [op], event.key)
            self.new += 1
        except AdjudgeError as error:
            self._refused(scope, error)

    def _group(self, event: Event, scope: str) -> None:
        (result,) = self._desk.store.write([_again(event, event.version - 1, "offline")])
        if isinstance(result, Conflict):
            self.conflicts += 1
            message = f"{self._desk.reader} has grouped {scope} on the server as well"
            problem = Problem(message, path=scope, hint="the groups of the server stay")
            self.findings.append(Finding("grouped-twice", False, problem, scope))
        else:
            self.new += 1

    def _refused(self, scope: str, error: AdjudgeError) -> None:
        self.findings += [Finding("refused", True, problem, scope) for problem in error.at(scope).problems]
