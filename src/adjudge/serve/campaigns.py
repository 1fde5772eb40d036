"""Campaigns imported from files and exported: items are only added or withdrawn; answers become decisions.

An import compares a source with the store and writes what is new, so it can be repeated and interrupted at any moment.
"""

from __future__ import annotations

import hashlib
import hmac
import math
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from adjudge._version import __version__
from adjudge.errors import Problem, UsageError
from adjudge.findings import Finding
from adjudge.serve.codecs import ItemData, ScopeData, Sources, Written, codec_of
from adjudge.serve.groups import GROUP, values_of
from adjudge.serve.links import LINK
from adjudge.serve.schema import Schema, read_schema
from adjudge.serve.store import ASSESS, DECIDED, Conflict, Snapshot, Store, Write, care, stream_of
from adjudge.serve.store.tables import Campaign, Decision, Grouping, Item, Scope
from adjudge.serve.workbench import DONE

if TYPE_CHECKING:
    from adjudge.estimates.design import Design

IMPORT = "import"
_CHUNK = 250  # items of an event
_WRITES = 20  # events of a transaction


class Imported(msgspec.Struct):
    """What an import did."""

    scopes: int = 0
    items: int = 0
    new: int = 0
    withdrawn: int = 0
    decided: int = 0
    findings: list[Finding] = []


class Batch:
    """Events written in batches, each with a key of this import."""

    def __init__(self, store: Store, actor: str = IMPORT) -> None:
        self.store, self._actor = store, actor
        self._run = secrets.token_hex(8)
        self._count = 0
        self._waiting: list[Write] = []

    def add(self, stream: str, kind: str, subject: str, body: dict[str, Any], actor: str | None = None) -> None:
        """One more event."""
        self._count += 1
        key = f"{IMPORT}-{self._run}-{self._count}"
        self._waiting.append(Write(stream, kind, subject, body, actor or self._actor, key))
        if len(self._waiting) >= _WRITES:
            self.flush()

    def flush(self) -> None:
        """Write the pending events."""
        for each in self.store.write(self._waiting) if self._waiting else ():
            if isinstance(each, Conflict):
                hint = "thaw the campaign first" if each.reason == "frozen" else "try again"
                raise UsageError(f"the store rejected it: {each.reason}", hint=hint)
        self._waiting = []


def item_id(secret: bytes, campaign: str, identity: str) -> str:
    """The name of an item outside: it does not betray the content that it is a hash of.

    >>> item_id(b"key", "autumn", "00")
    '229b87ee10b31589bbbc'
    """
    return hmac.new(secret, f"{campaign}\n{identity}".encode(), hashlib.sha256).hexdigest()[:20]


def check_name(name: str, what: str) -> None:
    """Raise if a campaign or a reader cannot be called so, because streams and files are.

    >>> check_name("ann/ben", "a reader")
    Traceback (most recent call last):
    adjudge.errors.UsageError: 'ann/ben' cannot be the name of a reader, use letters, digits and - only
    """
    if not name or not name.isprintable() or name[0] in ".=" or any(mark in name for mark in "/\\"):
        raise UsageError(f"{name!r} cannot be the name of {what}", hint="use letters, digits and - only")


def create_campaign(
    store: Store, campaign: str, schema: Schema, settings: Mapping[str, Any], *, by: str = IMPORT
) -> None:
    """Make a campaign, or change its settings; its schema stays what it is."""
    check_name(campaign, "a campaign")
    with store.read() as snapshot:
        known = snapshot.get(Campaign, campaign)
    digest = store.put_blob(schema.text.encode(), "schema")
    if known is not None and known.schema_sha != digest:
        hint = "make another campaign for another schema"
        raise UsageError(f"the campaign {campaign!r} has a different schema from {schema.name!r}", hint=hint)
    merged = {**(known.settings if known else {}), **settings}
    if known is None or merged != known.settings:
        batch = Batch(store, by)
        batch.add(stream_of(campaign), "campaign", campaign, {"schema_sha": digest, "settings": merged})
        batch.flush()


def schema_of(store: Store, campaign: str) -> Schema:
    """The schema of a campaign."""
    with store.read() as snapshot:
        known = snapshot.get(Campaign, campaign)
    if known is None:
        raise UsageError(f"there is no campaign {campaign!r}", hint="see adjudge serve init --help")
    return read_schema(store.get_blob(known.schema_sha), name=f"{campaign}/schema.toml")


def import_sources(
    store: Store, secret: bytes, campaign: str, sources: Sources, *, answers: bool = True, late: bool = False
) -> Imported:
    """Add what a source has and the store has not; with `answers` also what it says of items, as decisions.

    A `late` source is a part of the pool: what it has not is not withdrawn, and what it says of items is not asked.
    """
    schema = schema_of(store, campaign)
    done = Imported()
    batch = Batch(store)
    with store.read() as snapshot:
        first = len(snapshot.scopes(campaign))
    for scope in codec_of(schema).read(schema, sources, done.findings):
        with store.read() as snapshot:
            names = Names(secret, campaign, snapshot.items(campaign, scope.id, withdrawn=True))
        if late:
            scope = ScopeData(
                scope.id, scope.text, [msgspec.structs.replace(item, answers=None) for item in scope.items], scope.meta
            )
        _import_scope(batch, names, scope, first + done.scopes, done, late)
        if answers:
            batch.flush()
            _decide(batch, schema, names, scope, done)
        done.scopes += 1
    batch.flush()
    return done


class Names:
    """The names of the items of a scope: those that they have, whatever key they were made with, and new ones."""

    def __init__(self, secret: bytes, campaign: str, items: Iterable[Item]) -> None:
        self.campaign = campaign
        self.items = {item.identity: item for item in items}
        self._secret = secret

    def of(self, identity: str) -> str:
        """The name of the item with an identity."""
        known = self.items.get(identity)
        return item_id(self._secret, self.campaign, identity) if known is None else known.id

    def drawn(self, scope: str, share: float | None) -> dict[str, Any]:
        """Whether a scope belongs to the validity sample: each with the same chance, by itself and for ever."""
        for item in self.items.values():
            return {} if item.p is None else {"validity": item.validity, "p": item.p}
        if share is None:
            return {}
        from adjudge.estimates.draw import draw_each

        (row,) = draw_each({f"validity\n{self.campaign}\n{scope}": share}, self._secret)
        return {"validity": row.drawn, "p": row.probability}


def _import_scope(batch: Batch, names: Names, scope: ScopeData, place: int, done: Imported, late: bool) -> None:
    store, campaign, there = batch.store, names.campaign, names.items
    with store.read() as snapshot:
        known = snapshot.get(Scope, campaign, scope.id)
        row = snapshot.get(Campaign, campaign)
    if known is not None and late:
        scope = msgspec.structs.replace(scope, text="", meta={})  # those of the whole are there
    text = hashlib.sha256(scope.text.encode()).hexdigest() if scope.text else None
    if text is not None and (known is None or known.text_sha != text):
        text = store.put_blob(scope.text.encode(), "text")
    meta = {**(known.meta if known else {}), **scope.meta}
    if known is None or (known.text_sha, known.meta) != (text or known.text_sha, meta):
        given = {"id": scope.id, "text_sha": text, "meta": meta, "ord": place}
        if known is not None:
            given |= {"text_sha": text or known.text_sha, "ord": known.ord}
        batch.add(stream_of(campaign), "scope", scope.id, {"scopes": [given]})
    drawn = names.drawn(scope.id, row.settings.get("validity") if row else None)
    new: list[dict[str, Any]] = []
    for at, item in enumerate(scope.items, 1 + max((each.ord for each in there.values()), default=-1) if late else 0):
        old = there.get(item.identity)
        if old is not None and old.withdrawn is None:
            continue
        body: dict[str, Any] = {"id": names.of(item.identity), "scope": scope.id, "ord": at}
        body |= {"identity": item.identity, "body": item.body, **drawn}
        if item.parent is not None:
            body["parent"] = names.of(item.parent)
        if item.origins:
            body["origins"] = list(item.origins)
        new.append(body)
    for start in range(0, len(new), _CHUNK):
        batch.add(stream_of(campaign), "pool", scope.id, {"items": new[start : start + _CHUNK]})
    here = {item.identity for item in scope.items}
    left = () if late else there.values()
    gone = [item.id for item in left if item.withdrawn is None and item.identity not in here]
    if gone:
        batch.add(stream_of(campaign), "withdraw", scope.id, {"items": gone, "why": "not in the source any more"})
    done.items += len(scope.items)
    done.new += len(new)
    done.withdrawn += len(gone)


def _decide(batch: Batch, schema: Schema, names: Names, scope: ScopeData, done: Imported) -> None:
    """What a source says of items, groups and links becomes official, unless the server has decided otherwise."""
    campaign = names.campaign
    stream = stream_of(campaign, scope.id, DECIDED)
    with batch.store.read() as snapshot:
        known = {(each.stage, each.subject): each for each in snapshot.decisions(campaign, scope.id)}
        row = snapshot.get(Scope, campaign, scope.id)
        readers = snapshot.assignments(campaign, scope.id)
    assert row is not None
    new: dict[str, Any] = {}
    for item in scope.items:
        old = known.get((ASSESS, names.of(item.identity)))
        if item.answers is not None and (old is None or old.answers != item.answers):
            if old is None or old.how == "imported":
                new[names.of(item.identity)] = item.answers
            else:
                done.findings.append(_otherwise(scope.id, item, old))
    done.decided += len(new)
    stages = [each.kind for each in schema.stage]
    bodies: dict[str, dict[str, Any]] = {}
    if scope.groups is not None and GROUP in stages:
        bodies[GROUP] = {"of": scope.groups}
    if scope.links is not None and LINK in stages:
        bodies[LINK] = named_links(scope.links, names.of)
    for stage, body in bodies.items():
        before = known.get((stage, stage))
        if before is None or (before.how == "imported" and before.answers != body):
            batch.add(stream, "decide", stage, {"stage": stage, "answers": body, "how": "imported", "by": IMPORT})
    undecided = sum((ASSESS, names.of(item.identity)) not in known and item.answers is None for item in scope.items)
    order = [*stages, DONE]
    after = ASSESS if undecided else max(row.stage, _stage_after(scope, stages), key=order.index)
    given: dict[str, Any] = {"stage": ASSESS, "decisions": new, "how": "imported", "by": IMPORT}
    if row.stage != ASSESS and after == ASSESS:
        finished = [each for each in readers if each.stage == ASSESS and each.state == "finished"]
        again = [{"scope": scope.id, "stage": ASSESS, "reader": each.reader, "slot": each.slot} for each in finished]
        if again:
            batch.add(stream_of(campaign), "assign", scope.id, {"drop": again})
            batch.add(stream_of(campaign), "assign", scope.id, {"add": again})
        batch.add(stream, "reopen", ASSESS, {"why": f"{undecided} items are new"})
    elif after != row.stage:
        given["next"] = after
    if new or "next" in given:
        batch.add(stream, "decide", ASSESS, given)


def _otherwise(scope: str, item: ItemData, old: Decision) -> Finding:
    label = " ".join(str(item.body[name]) for name in list(item.body)[:3])
    message = f"{label}: the file says {_said(item.answers or {})}, and {old.by} has decided {_said(old.answers)}"
    return Finding("decided", False, Problem(message, path=scope, hint="export to see it; the decision stays"), scope)


def _said(answers: Mapping[str, str]) -> str:
    return " ".join(answers.values())


def _stage_after(scope: ScopeData, stages: Sequence[str]) -> str:
    """How far the files of a scope have come."""
    if not scope.items:
        return DONE
    if any(item.answers is None for item in scope.items):
        return ASSESS
    rest = stages[1:]
    if GROUP in rest and scope.groups is None and not scope.linked:
        return GROUP
    return LINK if LINK in rest and not scope.linked else DONE


def named_links(links: Mapping[str, Any], name: Any) -> dict[str, Any]:
    """Links with other names for their items."""
    events = {
        number: {"name": event.get("name"), "items": {name(each): True for each in event["items"]}}
        for number, event in links.get("events", {}).items()
    }
    waiting = links.get("waiting")
    return {"events": events, **({} if waiting is None else {"waiting": {name(each): True for each in waiting}})}


def written_scopes(
    snapshot: Snapshot, schema: Schema, campaign: str, reader: str | None = None, *, links: bool = False
) -> Iterator[Written]:
    """The scopes of a campaign as a codec writes them: what is official, or what one reader says.

    With `links` only those that the reader has linked, on what was official when they did.
    """
    for scope in snapshot.scopes(campaign):
        items = {item.id: item for item in snapshot.items(campaign, scope.id)}
        found = [
            (stage, reader and snapshot.get(Grouping, campaign, scope.id, stage, reader)) for stage in (GROUP, LINK)
        ]
        own = {stage: row.body for stage, row in found if row}
        if links and LINK not in own:
            continue
        if reader is None or (links and scope.stage in (LINK, DONE)):
            rows = snapshot.decisions(campaign, scope.id)
            answers = {each.subject: each.answers for each in rows if each.stage == ASSESS}
            bodies = {each.stage: each.answers for each in rows if each.stage != ASSESS}
            bodies |= {LINK: own[LINK]} if links else {}
        else:
            judged = snapshot.judgments(campaign, scope.id, reader)
            answers, bodies = {each.item: each.answers for each in judged if each.complete}, own
            if not answers and not bodies:
                continue
        yield _written(schema, scope.id, scope.meta, items, answers, bodies)


def _written(
    schema: Schema,
    scope: str,
    meta: Mapping[str, Any],
    items: Mapping[str, Item],
    answers: Mapping[str, Mapping[str, str]],
    bodies: Mapping[str, Mapping[str, Any]],
) -> Written:
    values = values_of(schema, items, lambda item: {schema.scope: item.scope, **item.body}, answers)
    identities = {id_: item.identity for id_, item in items.items()}
    listed = [
        ItemData(
            item.body,
            item.identity,
            identities.get(item.parent) if item.parent else None,
            values.get(item.id) if item.id in answers else None,
        )
        for item in items.values()
    ]
    links = bodies.get(LINK)
    made = None if links is None else named_links(links, lambda each: identities.get(each, each))
    return Written(scope, listed, meta, bodies.get(GROUP, {}).get("of", {}), made)


def check_campaign(store: Store, campaign: str) -> list[Finding]:
    """What contradicts itself in the official answers, as the check of the files would say."""
    schema = schema_of(store, campaign)
    with store.read() as snapshot:
        return list(codec_of(schema).check(written_scopes(snapshot, schema, campaign)))


def _events(snapshot: Snapshot, campaign: str) -> Iterator[bytes]:
    after = 0
    while events := snapshot.feed(campaign, after):
        yield b"".join(msgspec.json.encode(each) + b"\n" for each in events)
        after = events[-1].seq


def files_of(store: Store, campaign: str, event: int | None = None) -> Iterator[tuple[str, bytes]]:
    """Every file of an export, as of now or of an event: official answers, those of each reader, events, a manifest."""
    schema = schema_of(store, campaign)
    codec = codec_of(schema)
    digests: dict[str, str] = {}

    def put(name: str, data: bytes) -> tuple[str, bytes]:
        digests[name] = hashlib.sha256(data).hexdigest()
        return name, data

    with store.read() if event is None else care.at(store, event) as snapshot:
        for name, data in codec.write(schema, written_scopes(snapshot, schema, campaign)):
            yield put(name, data)
        readers = sorted({each.reader for each in snapshot.tally(campaign) if each.reader != DECIDED})
        for reader in readers:
            for links in (False, True):
                scopes = written_scopes(snapshot, schema, campaign, reader, links=links)
                for name, data in codec.write(schema, scopes):
                    if name.startswith("assessments/") != links:
                        yield put(f"by-reader/{reader}/{name}", data)
        yield put("events.jsonl", b"".join(_events(snapshot, campaign)))
        yield put("schema.toml", schema.text.encode())
        design = validity_design(snapshot.items(campaign))
        if design.rows:
            from adjudge.estimates.files import design_text

            yield put("validity.design.jsonl", design_text(design).encode())
        start = stream_of(campaign)
        heads = {name: list(head) for name, head in snapshot.heads().items() if f"{name}/".startswith(f"{start}/")}
        manifest = {
            "campaign": campaign,
            "adjudge": __version__,
            "event": snapshot.last(),
            "heads": dict(sorted(heads.items())),
            "files": dict(sorted(digests.items())),
        }
        yield "manifest.json", msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n"


def validity_design(items: Iterable[Item]) -> Design:
    """The validity sample of items as `adjudge sample` records one whose units are drawn each by itself."""
    from adjudge.estimates.design import Design, Round, units_hash
    from adjudge.estimates.pool import Drawn

    rows = {
        item.scope: Drawn(id=item.scope, probability=item.p, drawn=item.validity)
        for item in items
        if item.p is not None and item.p > 0
    }
    size = round(math.fsum(row.probability for row in rows.values()))
    about = Round(size=size, sampling="poisson", unit="document", pool=units_hash(rows))
    return Design((about,), tuple(rows[scope] for scope in sorted(rows)))


def assign(
    store: Store,
    campaign: str,
    reader: str,
    scopes: Sequence[str] | None = None,
    *,
    slot: int = 0,
    by: str = IMPORT,
) -> int:
    """Give all stages of scopes (or of all) to a reader; says how many scopes these are."""
    schema = schema_of(store, campaign)
    with store.read() as snapshot:
        chosen = [scope.id for scope in snapshot.scopes(campaign)] if scopes is None else list(scopes)
    add = [
        {"scope": scope, "stage": stage.kind, "reader": reader, "slot": slot}
        for scope in chosen
        for stage in schema.stage
    ]
    batch = Batch(store, by)
    if add:
        batch.add(stream_of(campaign), "assign", reader, {"add": add})
        batch.flush()
    return len(chosen)
