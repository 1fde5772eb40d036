"""What an organiser does: who reads what, how far they are, how far they agree; open again, freeze."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from adjudge.errors import UsageError, ValidationError
from adjudge.findings import Finding
from adjudge.serve.adjudicate import disputed_scopes, scope_disputes
from adjudge.serve.campaigns import Imported, assign, check_name, import_sources
from adjudge.serve.codecs import Sources
from adjudge.serve.desk import Desk, Sheet, campaign_of, joined
from adjudge.serve.exchange import campaign_sources
from adjudge.serve.store import ASSESS, DECIDED, Snapshot, Write, stream_of
from adjudge.serve.store.tables import Item, Scope

HASTY = 700
"""Milliseconds below which an answer is listed as hasty."""
_HOUR = 3_600_000


class Reading(msgspec.Struct):
    """The work of one reader: documents, responses, pace, and how many answers were hasty."""

    reader: str
    documents: int
    finished: int
    items: int
    done: int
    flags: int
    per_hour: float | None
    hasty: float | None
    last: str | None


def progress(desk: Desk) -> dict[str, Any]:
    """How far a campaign is, as a whole and by reader; whoever reads sees only the own row."""
    with desk.store.read() as snapshot:
        campaign, _ = campaign_of(desk, snapshot)
        tallies = [each for each in snapshot.tally(desk.campaign) if each.stage == ASSESS]
        given = snapshot.assignments(desk.campaign, reader=desk.reader)
        readers = sorted({each.reader for each in given})
        paces = snapshot.paces(desk.campaign, HASTY)
        rows = []
        for reader in readers:
            own = [each for each in given if each.reader == reader and each.stage == ASSESS]
            counts = [each for each in tallies if each.reader == reader]
            number, spent, hasty = paces.get(reader, (0, 0, 0))
            rows.append(
                Reading(
                    reader=reader,
                    documents=len(own),
                    finished=sum(each.state == "finished" for each in own),
                    items=sum(each.items for each in counts),
                    done=sum(each.done for each in counts),
                    flags=sum(each.flags for each in counts),
                    per_hour=number * _HOUR / spent if spent else None,
                    hasty=hasty / number if number else None,
                    last=max((each.last for each in snapshot.secrets(reader) if each.last), default=None),
                )
            )
        pool = [each for each in tallies if each.reader == DECIDED]
        waiting = disputed_scopes(desk, snapshot) if desk.reader is None else []
        stages = Counter(scope.stage for scope in snapshot.scopes(desk.campaign))
        speed = sum(row.per_hour or 0 for row in rows)
        taken = {each.scope for each in given}
        left = sum(row.items - row.done for row in rows)
        left += sum(each.items - each.done for each in pool if each.scope not in taken)
        found = {
            "campaign": desk.campaign,
            "state": campaign.state,
            "items": sum(each.items for each in pool),
            "decided": sum(each.done for each in pool),
            "documents": sum(stages.values()),
            "stages": dict(stages),
            "per_hour": speed or None,
            "hours_left": left / speed if speed else None,
            "flags": sum(row.flags for row in rows),
            "readers": [msgspec.to_builtins(row) for row in rows],
        }
        if desk.reader is None:
            found["disputes"] = sum(len(scope_disputes(desk, snapshot, scope)) for scope in waiting)
        return found


def notes(desk: Desk) -> list[dict[str, Any]]:
    """What readers have flagged, and their comments."""
    with desk.store.read() as snapshot:
        show = campaign_of(desk, snapshot)[1].show
        found = [each for each in snapshot.notes(desk.campaign) if each.flag is not None or each.comments]
        items = {each.id: each.body for each in snapshot.many(Item, [(each.campaign, each.item) for each in found])}
    return [
        {
            "scope": each.scope,
            "label": joined(items[each.item].get(name) for name in (show.group, *show.label) if name),
            "reader": each.reader,
            "flag": each.flag,
            "comments": [said["text"] for said in each.comments],
        }
        for each in sorted(found, key=lambda each: (each.scope, each.reader, each.n))
    ]


def events(desk: Desk, after: int, *, everybody: bool) -> dict[str, Any]:
    """What happened after an event, some of it: of everybody without what was said, the own events in full."""
    with desk.store.read() as snapshot:
        found = snapshot.feed(desk.campaign, after)
    shown = []
    for event in found:
        own = event.actor == desk.reader
        if own or everybody:
            row = msgspec.to_builtins(event)
            shown.append(row if own else {name: value for name, value in row.items() if name != "body"})
    return {"events": shown, "after": found[-1].seq if found else after}


# ---------------------------------------------------------------------------------------------------------------------
# Who reads what


def check_reader(desk: Desk, reader: str) -> None:
    """Raise unless somebody may read in the campaign."""
    with desk.store.read() as snapshot:
        roles = snapshot.roles(reader)
    if not any(each.role == "assessor" and each.scope in (desk.campaign, "*") for each in roles):
        hint = f"invite them: adjudge serve invite FOLDER {reader or 'NAME'} --role assessor"
        raise ValidationError(f"{reader!r} is not an assessor of this campaign", hint=hint)


def give(desk: Desk, reader: str, scopes: Sequence[str] | None, *, double: float | None = None) -> dict[str, Any]:
    """Give documents to a reader: those named, all that nobody has, or a share of what is read as a second one."""
    with desk.store.read() as snapshot:
        known = {scope.id: scope for scope in snapshot.scopes(desk.campaign)}
        taken = {each.scope for each in snapshot.assignments(desk.campaign)}
        own = {each.scope for each in snapshot.assignments(desk.campaign, reader=reader)}
        unknown = sorted(set(scopes or ()) - set(known))
        if unknown:
            raise ValidationError(f"there is no document {unknown[0]!r}", hint="look at the list of documents")
        if double is not None:
            if not 0 < double <= 1:
                raise UsageError(f"a share of {double:g}", hint="give one above 0, at most 1")
            begin = campaign_of(desk, snapshot)[1].stage[0].kind  # what has gone on is decided
            free = [id_ for id_, scope in known.items() if id_ in taken and id_ not in own and scope.stage == begin]
            chosen = balanced(desk, snapshot, free, double)
        elif scopes is None:
            chosen = [scope for scope in known if scope not in taken]
        else:
            chosen = [scope for scope in scopes if scope not in own]
    if chosen:
        assign(desk.store, desk.campaign, reader, chosen, slot=1 if double is not None else 0)
    return {"reader": reader, "given": chosen}


def add_pool(desk: Desk, home: Path | None, files: Mapping[str, str], texts: Mapping[str, str]) -> Imported:
    """Add late responses: of files in the format of the campaign, or what is new in the folder that it was made from.

    Only what is new is taken from files; documents that have something new are opened again.
    """
    if not files:
        if home is None:
            hint = "send files in the format of the campaign"
            raise ValidationError("there is no folder to look into, and there are no files", hint=hint)
        return import_sources(desk.store, desk.secret, desk.campaign, campaign_sources(home))
    with TemporaryDirectory() as folder:
        for part, given in (("answers", files), ("texts", texts)):
            (Path(folder) / part).mkdir()
            for name, content in given.items():
                check_name(name, "a file")
                (Path(folder) / part / name).write_text(content, encoding="utf-8", newline="")
        sources = Sources(Path(folder) / "answers", Path(folder) / "texts" if texts else None)
        done = import_sources(desk.store, desk.secret, desk.campaign, sources, late=True)
    done.findings = [_named(each) for each in done.findings]
    return done


def _named(finding: Finding) -> Finding:
    """A finding that calls a file by its name alone: where it was put is nobody's business."""
    problem = finding.problem
    place = None if problem.path is None else Path(problem.path).name
    return replace(finding, problem=replace(problem, path=place))


def balanced(desk: Desk, snapshot: Snapshot, scopes: Sequence[str], share: float) -> list[str]:
    """A share of the scopes that has genres, types and sizes as all have: every k-th in the order of these."""
    if not scopes:
        return []
    _, schema = campaign_of(desk, snapshot)
    group = schema.show.group
    rows = []
    for scope in scopes:
        row = snapshot.get(Scope, desk.campaign, scope)
        items = snapshot.items(desk.campaign, scope)
        kinds = Counter(str(item.body.get(group or "", "")) for item in items)
        common = min(kinds, key=lambda kind: (-kinds[kind], kind)) if kinds else ""
        genre = str((row.meta if row else {}).get("genre") or scope.rpartition("_")[0])
        rows.append((genre, common, len(items), scope))
    rows.sort()
    number = max(1, round(share * len(rows)))
    step = len(rows) / number
    return [rows[int((at + 0.5) * step)][3] for at in range(number)]


# ---------------------------------------------------------------------------------------------------------------------
# Open again, freeze


def reopen(desk: Desk, scope: str, stage: str, why: str, key: str, by: str) -> dict[str, Any]:
    """Let a document go back to a stage; later work stays, and readers of that stage can go on with it."""
    with desk.store.read() as snapshot:
        sheet = Sheet(desk, snapshot, scope)
        if sheet.schema.stage_of(stage) is None:
            raise ValidationError(f"there is no stage {stage!r}", hint="choose from those of the schema")
        readers = [each.reader for each in snapshot.assignments(desk.campaign, scope) if each.stage == stage]
    body = {"why": why}
    writes = [Write(stream_of(desk.campaign, scope, DECIDED), "reopen", stage, body, by, key)]
    for reader in readers:
        writes.append(Write(stream_of(desk.campaign, scope, reader), "unfinish", stage, body, by, f"{key}+{reader}"))
    return {"n": desk.store.append(writes)[0].n}


def freeze(desk: Desk, frozen: bool, key: str, by: str) -> dict[str, Any]:
    """Let nobody change anything any more, or again."""
    write = Write(stream_of(desk.campaign), "freeze", desk.campaign, {"frozen": frozen}, by, key)
    return {"n": desk.store.append([write])[0].n}
