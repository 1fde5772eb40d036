"""Files as a reader: what they say becomes the answers of somebody, who need not be a person that can sign in."""

from __future__ import annotations

from adjudge.errors import Problem
from adjudge.findings import Finding
from adjudge.serve.campaigns import IMPORT, Batch, Imported, Names, check_name, named_links, schema_of
from adjudge.serve.codecs import ScopeData, Sources, codec_of
from adjudge.serve.desk import Desk
from adjudge.serve.groups import GROUP
from adjudge.serve.links import LINK
from adjudge.serve.schema import Schema
from adjudge.serve.settle import settle
from adjudge.serve.store import ASSESS, Snapshot, stream_of
from adjudge.serve.store.tables import Person


def import_answers(desk: Desk, sources: Sources) -> Imported:
    """Take files as the work of the desk's reader; what is not in the campaign is left out and said."""
    store, campaign, reader = desk.store, desk.campaign, desk.reader
    assert reader is not None
    check_name(reader, "a reader")
    schema = schema_of(store, campaign)
    done = Imported()
    batch = Batch(store, reader)
    with store.read() as snapshot:
        if snapshot.get(Person, reader) is None:
            batch.add("admin", "person", reader, {"name": reader, "state": IMPORT}, IMPORT)
    for scope in codec_of(schema).read(schema, sources, done.findings):
        with store.read() as snapshot:
            finished = _add_scope(batch, snapshot, schema, desk, scope, done)
        for stage in finished:
            batch.add(stream_of(campaign, scope.id, reader), "finish", stage, {})
            batch.flush()
            settle(desk, scope.id, stage)
    batch.flush()
    return done


def _add_scope(
    batch: Batch, snapshot: Snapshot, schema: Schema, desk: Desk, scope: ScopeData, done: Imported
) -> list[str]:
    """Write what a file says of a scope; gives the stages that are finished by it."""
    campaign, reader = desk.campaign, desk.reader
    assert reader is not None
    items = {item.identity: item for item in snapshot.items(campaign, scope.id)}
    known = {each.item: each.answers for each in snapshot.judgments(campaign, scope.id, reader)}
    given = snapshot.assignments(campaign, scope.id)
    strange = sum(item.identity not in items for item in scope.items)
    if strange:
        message = f"{strange} of {len(scope.items)} items are not in the campaign"
        problem = Problem(message, path=scope.id, hint="they are left out; import the pool first if they belong to it")
        done.findings.append(Finding("unknown-item", False, problem, scope.id))
    if not items:
        return []
    said = [item for item in scope.items if item.answers is not None and item.identity in items]
    stream = stream_of(campaign, scope.id, reader)
    stages = [ASSESS] if len(said) == len(items) else []
    for item in said:
        id_ = items[item.identity].id
        if known.get(id_) != item.answers:
            batch.add(stream, "judge", id_, {"answers": item.answers, "complete": True, "ms": 0})
    if scope.groups is not None and schema.stage_of(GROUP):
        batch.add(stream, GROUP, GROUP, {"body": {"of": scope.groups}})
        stages += [GROUP] if stages else []
    if scope.links is not None and schema.stage_of(LINK):
        names = Names(desk.secret, campaign, items.values())
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
    done.scopes += 1
    done.items += len(scope.items)
    done.decided += len(said)
    return stages
