"""Files in and out: exports, answers of files as a reader's, suggestions of automatic judges, training items.

An export is a folder of its own with everything, or the official answers back into the folder of a campaign.
`adjudge eal campaign run` and a server may work on one folder in turn: a file that was changed since the server has
read or written it is not replaced, but has to be imported first.

Suggestions are kept for all items. Readers see them only in scopes that do not belong to the validity sample, which is
drawn at the import, before anything is suggested; the chance with which a scope was drawn is stored with its items.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from adjudge.errors import FormatError, Problem, UsageError, ValidationError
from adjudge.files import write_atomically
from adjudge.findings import Finding
from adjudge.formats.eal_write import FolderWriter
from adjudge.formats.source import Source, read_text
from adjudge.serve.answers import interpret
from adjudge.serve.campaigns import (
    IMPORT,
    Batch,
    Imported,
    Names,
    check_name,
    create_campaign,
    files_of,
    named_links,
    schema_of,
    written_scopes,
)
from adjudge.serve.codecs import ItemData, ScopeData, Sources, codec_of, digest
from adjudge.serve.desk import Desk
from adjudge.serve.groups import GROUP
from adjudge.serve.links import LINK
from adjudge.serve.messages import Suggested
from adjudge.serve.schema import Schema
from adjudge.serve.store import ASSESS, Snapshot, Store, Write, stream_of
from adjudge.serve.store.tables import Item, Person
from adjudge.serve.workbench import check_answers, settle

PARTS = ("assessments", "frames")


class _ExportWriter(FolderWriter):
    parts = (*PARTS, "reference", "by-reader")


def export_folder(
    store: Store, campaign: str, target: Path, event: int | None = None, *, overwrite: bool = False
) -> int:
    """Write everything of a campaign, as of now or of an event; the folder appears atomically. Gives how many files."""
    count = 0
    with _ExportWriter(target, overwrite=overwrite, durable=True) as writer:
        for name, data in files_of(store, campaign, event):
            writer.put(name, data)
            count += 1
    return count


def campaign_sources(folder: Path) -> Sources:
    """Where the files of an `eal campaign` are."""
    from adjudge.tasks.eal.campaign_settings import FILE

    if not (folder / FILE).is_file():
        hint = "name a folder that adjudge eal campaign init has made"
        raise UsageError(Problem(f"there is no {FILE} in it", str(folder), hint=hint))
    return Sources(folder / "assessments", folder / "sources", folder / "frames", folder / "pool")


class Home(NamedTuple):
    """What came back into the folder of a campaign: files that were written, and how many are as they were."""

    written: list[str]
    same: int


def export_home(store: Store, campaign: str, folder: Path) -> Home:
    """Write the official answers into the folder of a campaign; nothing is written if a file was changed by others."""
    from adjudge.formats.eal_lock import identity, locked

    schema = schema_of(store, campaign)
    campaign_sources(folder)
    with store.read() as snapshot:
        rows = {scope.id: scope.meta for scope in snapshot.scopes(campaign)}
        made = dict(codec_of(schema).write(schema, written_scopes(snapshot, schema, campaign)))
    changed: dict[str, bytes] = {}
    problems = []
    same = 0
    for name, data in made.items():
        part, _, scope = name.partition("/")
        if part not in PARTS:
            continue
        path = folder / name
        now = path.read_bytes() if path.is_file() else None
        if now == data:
            same += 1
        elif now is not None and digest(now) != rows.get(scope, {}).get("files", {}).get(part):
            message = "the file was changed since the server has read or written it"
            problems.append(Problem(message, str(path), hint="import it first: adjudge serve import FOLDER"))
        else:
            changed[name] = data
    if problems:
        raise UsageError(problems)
    for part in PARTS:
        own = {name: data for name, data in changed.items() if name.startswith(f"{part}/")}
        if own:
            with locked(folder / part, overwrite=True, seen=identity(folder / part)):
                for name, data in own.items():
                    write_atomically(folder / name, data, sweep=False)
    _remember(store, campaign, rows, made)
    return Home(sorted(changed), same)


def _remember(store: Store, campaign: str, rows: Mapping[str, Mapping[str, Any]], made: Mapping[str, bytes]) -> None:
    """Store the current hashes of the files."""
    scopes = []
    for scope, meta in rows.items():
        files = {part: digest(made[f"{part}/{scope}"]) for part in PARTS if f"{part}/{scope}" in made}
        if files != meta.get("files"):
            scopes.append({"id": scope, "meta": {**meta, "files": files}})
    if scopes:
        batch = Batch(store, "export")
        batch.add(stream_of(campaign), "scope", "export", {"scopes": scopes})
        batch.flush()


# ---------------------------------------------------------------------------------------------------------------------
# Answers of files, by a reader or a judge


def _known(
    desk: Desk, schema: Schema, sources: Sources, done: Imported, hint: str
) -> Iterator[tuple[ScopeData, list[tuple[Item, ItemData]], int]]:
    """The scopes of a source, the items that the campaign has and the files say something of, and how many it has."""
    for scope in codec_of(schema).read(schema, sources, done.findings):
        with desk.store.read() as snapshot:
            items = {item.identity: item for item in snapshot.items(desk.campaign, scope.id)}
        strange = sum(item.identity not in items for item in scope.items)
        if strange:
            message = f"{strange} of {len(scope.items)} items are not in the campaign"
            done.findings.append(Finding("unknown-item", False, Problem(message, path=scope.id, hint=hint), scope.id))
        said = [(items[each.identity], each) for each in scope.items if each.answers and each.identity in items]
        yield scope, said, len(items)
        if items:
            done.scopes += 1
            done.items += len(scope.items)


def import_answers(desk: Desk, sources: Sources) -> Imported:
    """Take files as the work of the desk's reader, who need not be able to sign in.

    What is not in the campaign is left out and said.
    """
    store, campaign, reader = desk.store, desk.campaign, desk.reader
    assert reader is not None
    check_name(reader, "a reader")
    schema = schema_of(store, campaign)
    done = Imported()
    batch = Batch(store, reader)
    with store.read() as snapshot:
        if snapshot.get(Person, reader) is None:
            batch.add("admin", "person", reader, {"name": reader, "state": IMPORT}, IMPORT)
    hint = "they are left out; import the pool first if they belong to it"
    for scope, said, whole in _known(desk, schema, sources, done, hint):
        done.decided += len(said)
        for stage in _add_scope(batch, schema, desk, scope, said) if whole else ():
            batch.add(stream_of(campaign, scope.id, reader), "finish", stage, {})
            batch.flush()
            settle(desk, scope.id, stage)
    batch.flush()
    return done


def _add_scope(
    batch: Batch, schema: Schema, desk: Desk, scope: ScopeData, said: Sequence[tuple[Item, ItemData]]
) -> list[str]:
    """Write what a file says of a scope; gives the stages that are finished by it."""
    campaign, reader = desk.campaign, desk.reader
    assert reader is not None
    with desk.store.read() as snapshot:
        items = snapshot.items(campaign, scope.id)
        known = {each.item: each.answers for each in snapshot.judgments(campaign, scope.id, reader)}
        given = snapshot.assignments(campaign, scope.id)
    stream = stream_of(campaign, scope.id, reader)
    stages = [ASSESS] if len(said) == len(items) else []
    for item, each in said:
        if known.get(item.id) != each.answers:
            batch.add(stream, "judge", item.id, {"answers": each.answers, "complete": True, "ms": 0})
    if scope.groups is not None and schema.stage_of(GROUP):
        batch.add(stream, GROUP, GROUP, {"body": {"of": scope.groups}})
        stages += [GROUP] if stages else []
    if scope.links is not None and schema.stage_of(LINK):
        names = Names(desk.secret, campaign, items)
        batch.add(stream, LINK, LINK, {"body": named_links(scope.links, names.of)})
        stages += [LINK] if stages and scope.linked else []
    slot = int(any(each.reader != reader for each in given))
    mine = {each.stage for each in given if each.reader == reader}
    add = [
        {"scope": scope.id, "stage": stage, "reader": reader, "slot": slot}
        for stage in dict.fromkeys((ASSESS, *stages))
        if stage not in mine
    ]
    if add:
        batch.add(stream_of(campaign), "assign", scope.id, {"add": add}, IMPORT)
    return stages


def import_suggestions(desk: Desk, sources: Sources, source: str) -> Imported:
    """Take what files say of the items of a campaign as suggestions of one judge; new ones replace those before."""
    check_name(source, "a judge")
    schema = schema_of(desk.store, desk.campaign)
    done = Imported()
    batch = Batch(desk.store, source)
    for scope, said, _ in _known(desk, schema, sources, done, "they are left out"):
        with desk.store.read() as snapshot:
            before = {each.item: each.answers for each in snapshot.suggestions(desk.campaign, scope.id, source)}
        new = [{"item": item.id, "answers": each.answers} for item, each in said if before.get(item.id) != each.answers]
        if new:
            batch.add(stream_of(desk.campaign), "suggest", source, {"suggestions": new})
        done.new += len(new)
    batch.flush()
    return done


def suggest(desk: Desk, given: Sequence[Suggested], key: str) -> int:
    """Take suggestions of the desk's judge, all or none; new ones replace those before. Gives how many items."""
    assert desk.reader is not None
    schema = schema_of(desk.store, desk.campaign)
    made: list[dict[str, Any]] = []
    problems: list[Problem] = []
    with desk.store.read() as snapshot:
        for number, each in enumerate(given, 1):
            try:
                check_answers(schema, each.answers)
                if isinstance(each.item, str):
                    found = snapshot.get(Item, desk.campaign, each.item)
                    items = [] if found is None or found.withdrawn is not None else [found]
                    if not items:
                        raise ValueError(f"there is no item {each.item!r}")
                else:
                    items = items_like(snapshot, schema, desk.campaign, each.scope, each.item)
            except (ValueError, ValidationError) as error:
                hint = "name an item by its id, or by its scope and some of its fields"
                problems += _wrong(error, hint, f"suggestions[{number - 1}]")
                continue
            made += [{"item": item.id, "answers": each.answers, "score": each.score} for item in items]
    if problems:
        raise ValidationError(problems)
    stream, body = stream_of(desk.campaign), {"suggestions": made}
    desk.store.append([Write(stream, "suggest", desk.reader, body, desk.reader, key)])
    return len(made)


# ---------------------------------------------------------------------------------------------------------------------
# Training


def _wrong(error: Exception, hint: str, place: str, line: int | None = None) -> Iterator[Problem]:
    """What is wrong with an entry, where it is."""
    for each in error.problems if isinstance(error, ValidationError) else [Problem(str(error), hint=hint)]:
        yield Problem(each.message, place, line, line and 1, each.hint)


def set_training(store: Store, campaign: str, source: Source, *, by: str = IMPORT) -> int:
    """Let the items that a file names be those of a training; every mistake is raised at once. Gives how many cards.

        {"document": "D1", "item": {"type": "Life.Die", "cas": "Bob"}, "answers": {"aet": "W"}, "why": "Nobody dies."}

    The right answer to these items of a campaign is known; it is shown with its reason once a reader has answered.
    `item` has some of the fields, as many as it takes to tell it from the others of its scope.
    """
    schema = schema_of(store, campaign)
    whole, text = read_text(source)
    found: dict[str, dict[str, Any]] = {}
    problems: list[Problem] = []
    count = 0
    with store.read() as snapshot:
        for number, line in enumerate(text.splitlines(), 1):
            if not line.strip():
                continue
            try:
                items, lesson = _lesson(snapshot, schema, campaign, line)
                found.update(dict.fromkeys(items, lesson))
                count += 1
            except (ValueError, ValidationError) as error:
                hint = "name a scope, fields of one of its items, and complete answers"
                problems += _wrong(error, hint, whole.place, number)
    if problems:
        raise FormatError(problems)
    create_campaign(store, campaign, schema, {"training": found}, by=by)
    return count


def _lesson(snapshot: Snapshot, schema: Schema, campaign: str, line: str) -> tuple[list[str], dict[str, Any]]:
    given = msgspec.json.decode(line, type=dict[str, Any])
    wanted, answers = given.get("item"), given.get("answers")
    if not isinstance(wanted, dict) or not isinstance(answers, dict):
        raise ValueError("there is no item, or there are no answers")
    check_answers(schema, {name: str(value) for name, value in answers.items()})
    items = items_like(snapshot, schema, campaign, str(given.get(schema.scope)), wanted)
    if not interpret(schema, items[0].body, answers).complete:
        raise ValueError("the answers are not complete")
    return [item.id for item in items], {"answers": answers, "why": str(given.get("why", ""))}


def items_like(snapshot: Snapshot, schema: Schema, campaign: str, scope: str, wanted: Mapping[str, Any]) -> list[Item]:
    """The items of a scope with these fields, which nobody who reads can tell apart; else a ValueError."""
    items = [
        item
        for item in snapshot.items(campaign, scope)
        if all(item.body.get(name) == value for name, value in wanted.items())
    ]
    seen = {repr([item.body.get(name) for name in schema.visible if name != schema.scope]) for item in items}
    if len(seen) != 1:
        raise ValueError(
            f"{len(seen)} items of {scope!r} are like this" if seen else f"no item of {scope!r} is like this"
        )
    return items
