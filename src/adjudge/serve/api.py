"""The handlers of the API: each takes a `Call` and returns the answer. The work itself is done in other modules."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from shutil import copyfileobj, disk_usage
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any
from urllib.parse import quote
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import msgspec
from starlette.responses import Response, StreamingResponse

from adjudge._version import __version__
from adjudge.serve import adjudicate, exchange, organise, routes, views, workbench
from adjudge.serve.access import EVERYWHERE
from adjudge.serve.app import LOG, Call, Change, fault_of, findings_of, json_answer, origin
from adjudge.serve.campaigns import files_of
from adjudge.serve.desk import Desk
from adjudge.serve.folder import SECRET
from adjudge.serve.messages import (
    Added,
    Decide,
    Fault,
    Health,
    Invited,
    Judge,
    JudgeItem,
    Me,
    Metrics,
    Person,
    Result,
    Saved,
    Times,
    Token,
)
from adjudge.serve.runs import Queue, seconds_between
from adjudge.serve.store import Write, now, stream_of
from adjudge.serve.store.tables import Campaign, Meta, Track
from adjudge.serve.store.tables import Person as Known

REPORTS = 100
"""Of what browsers refused, so much is kept."""


def desk(call: Call, *, looks_on: bool = False) -> Desk:
    """Where the person of a call works, in the campaign of the path, or looks on without being a reader."""
    reader = None if looks_on else call.person.person
    return Desk(call.service.store, call.params["c"], reader, call.service.secret)


def looks_on(roles: frozenset[str]) -> bool:
    """Whether somebody sees all documents, and not those that were given to them to read."""
    return "organiser" in roles and "assessor" not in roles


def note_look(call: Call, subject: str) -> None:
    """Write down that somebody looks at what readers say; nobody who reads in the campaign may."""
    campaign, person = call.params["c"], call.person.person
    if "assessor" in call.person.roles_in(campaign):
        raise Fault(403, "you read in this campaign, and this has what the others say", "ask another organiser")
    key = f"look-{secrets.token_hex(8)}"
    call.service.store.write([Write(stream_of(campaign), "look", subject, {}, person, key)])


def me(call: Call) -> Me:
    """The signed-in person."""
    who = call.person
    return Me(who.person, who.name, sorted(who.roles), call.service.access.csrf(who))


def campaign(call: Call) -> dict[str, Any]:
    """State and own assignments; who organises sees all documents, and no answer."""
    return views.campaign_view(desk(call, looks_on=looks_on(call.person.roles_in(call.params["c"]))))


def scope(call: Call) -> Response:
    """Text, items and own answers; not sent again to who has them."""
    content = msgspec.json.encode(views.scope_view(desk(call), call.params["d"]))
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {"etag": tag, "cache-control": "private, no-cache"}
    if call.request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type="application/json")


def judge(call: Call) -> Response:
    """Save one judgment; `If-Match` may say the version instead of the body."""
    body: Judge = call.body
    given = JudgeItem(**{name: getattr(body, name) for name in body.__struct_fields__}, item=call.params["i"])
    given.version = seen_version(call, body.version)
    (found,) = _judged(call, [given])
    if found.saved is None:
        return json_answer(found.fault, found.status)
    return json_answer(found.saved, headers={"etag": f'"{found.saved.version}"'})


def seen_version(call: Call, given: int) -> int:
    """The version that a writer has seen: that of `If-Match`, if there is one."""
    said = call.request.headers.get("if-match", "").strip().strip('"')
    if not said:
        return given
    if not (said.isascii() and said.isdecimal() and len(said) < 16):
        raise Fault(400, f"If-Match is not a version: {said[:40]!r}", "send the ETag of the answer before")
    return int(said)


def judge_many(call: Call) -> list[Result]:
    """Save several judgments, of which each has its own result."""
    return _judged(call, call.body)


def _judged(call: Call, given: Sequence[JudgeItem]) -> list[Result]:
    results = []
    for each, answer in zip(given, workbench.judge(desk(call), call.params["d"], given), strict=True):
        if isinstance(answer, Exception):
            fault = fault_of(answer)
            if fault is None:
                raise answer
            results.append(Result(each.item, fault.status, fault=fault.body))
        else:
            results.append(Result(each.item, 200, saved=msgspec.convert(answer, Saved, from_attributes=True)))
    if any(each.saved for each in results):
        tell(call)
    return results


def operate(call: Call) -> Any:
    """Undo, flag, comment, group, link, finish."""
    body = call.body
    version = seen_version(call, body.version)
    answer = workbench.operate(desk(call), call.params["d"], call.params["s"], version, body.ops, body.key)
    tell(call)
    return answer


def tell(call: Call, scope: str | None = None) -> None:
    """Say to whom it concerns that something has changed, in the scope of the path unless told."""
    tab = call.request.headers.get("x-adjudge-tab", "")[:40]
    call.service.hub.tell(Change(call.params["c"], scope or call.params["d"], call.person.person, tab))


def people(call: Call) -> list[Person]:
    """All people and their roles."""
    with call.service.store.read() as snapshot:
        roles = snapshot.roles()
        return [
            Person(each.id, each.name, each.state, [(r.scope, r.role) for r in roles if r.person == each.id])
            for each in snapshot.find(Known)
        ]


def invite(call: Call) -> Invited:
    """Invite somebody; the link is in the answer and nowhere else."""
    body = call.body
    with call.service.store.read() as snapshot:
        tables = (Track,) if body.role == "team" else (Campaign, Track)
        known = body.scope == EVERYWHERE or any(snapshot.get(table, body.scope) for table in tables)
    if not known:
        raise Fault(422, f"there is no campaign or track {body.scope!r} for the role {body.role}", "check the scope")
    by = call.person.person
    token, expires = call.service.access.invite(body.name, body.role, body.scope, team=body.team, by=by)
    return Invited(body.name, f"{origin(call.service, call.request)}/join/{token}", expires)


def revoke(call: Call) -> dict[str, int]:
    """End every session, token and invitation of a person."""
    return {"ended": call.service.access.revoke(call.params["p"], by=call.person.person)}


def token(call: Call) -> Token:
    """A token for programs of the person who asks; a token makes no further ones."""
    return Token(*call.service.access.token(call.person))


def metrics(call: Call) -> Metrics:
    """The state of the server."""
    service, found = call.service, {}
    for name, times in service.times.items():
        if times:
            ordered = sorted(times)
            p50, p95, p99 = (round(1000 * ordered[int(share * (len(ordered) - 1))], 2) for share in (0.5, 0.95, 0.99))
            found[name] = Times(len(ordered), p50, p95, p99)
    disk = disk_usage(service.folder.path)
    made = Metrics(found, service.hub.listeners, len(service.reports), round(disk.free / disk.total, 3))
    with service.store.read() as snapshot:
        queue = Queue(snapshot)
    for row in queue.rows:
        made.runs[row.state] = made.runs.get(row.state, 0) + 1
        if row.state in queue.workers:
            made.oldest_waiting = max(made.oldest_waiting, seconds_between(row.since, queue.at))
    made.workers = queue.workers
    return made


def csp_report(call: Call) -> dict[str, str]:
    """Keep what a browser refused to load: it should never happen, and the log says when it does."""
    found = call.body.report
    kept = {name: str(found.get(name, ""))[:200] for name in ("violated-directive", "blocked-uri", "source-file")}
    LOG.warning("a browser refused: %s", kept)
    call.service.reports[:] = [*call.service.reports, kept][-REPORTS:]
    return {"state": "kept"}


def openapi(call: Call) -> dict[str, Any]:
    """The table of routes."""
    return routes.openapi(call.service.folder.settings.server.name, __version__)


def healthz(call: Call) -> Health:
    """Whether the store takes a write; asked often, it has written within the last second."""
    service = call.service
    if not service.store.read_only and service.access.clock() - service.healthy > 1:
        service.store.writer.run(lambda rows: rows.put(Meta("health", now()))).result()
        service.healthy = service.access.clock()
    return Health("ok", __version__)


# ---------------------------------------------------------------------------------------------------------------------
# Adjudicators and organisers


def disputes(call: Call) -> list[dict[str, Any]]:
    """What readers disagree on, in all documents."""
    return adjudicate.disputes(desk(call))


def dispute(call: Call) -> dict[str, Any]:
    """The same for one document, with its text."""
    return adjudicate.dispute_view(desk(call), call.params["d"])


def decide(call: Call) -> dict[str, Any]:
    """Store the official answer."""
    verdict: Decide = call.body
    verdict.version = seen_version(call, verdict.version)
    made = adjudicate.decide(desk(call), call.params["d"], call.params["i"], verdict)
    tell(call)
    return made


def progress(call: Call) -> dict[str, Any]:
    """How far everybody is; whoever only reads sees the own row."""
    roles = call.person.roles_in(call.params["c"])
    return organise.progress(desk(call, looks_on="organiser" in roles or "admin" in roles))


def agreement(call: Call) -> list[dict[str, Any]]:
    """Kappa and alpha of every question, B3 and links of groups and events."""
    return organise.agreement(organise.read_double(desk(call, looks_on=True)))


def suggest(call: Call) -> dict[str, Any]:
    """Take the suggestions of a judge."""
    return {"items": exchange.suggest(desk(call), call.body.suggestions, call.body.key)}


def pool(call: Call) -> Added:
    """Add late responses."""
    home = call.service.folder.home(call.params["c"])
    done = organise.add_pool(desk(call, looks_on=True), home, call.body.files, call.body.texts)
    found = [findings_of(each.problem) | {"error": each.error} for each in done.findings]
    return Added(done.items, done.new, done.withdrawn, found)


def events(call: Call) -> dict[str, Any]:
    """What happened after an event: who, when, what; whoever does not organise sees the own events."""
    after = call.request.query_params.get("after", "0")
    if not (after.isascii() and after.isdecimal() and len(after) < 16):
        raise Fault(400, f"{after!r} is not a number of an event", "take that of the last answer")
    roles = call.person.roles_in(call.params["c"])
    return organise.events(desk(call), int(after), everybody=bool(roles & {"organiser", "admin"}))


def export(call: Call) -> Response:
    """Everything as an archive. That somebody has looked is written down; nobody who reads here may."""
    note_look(call, "export")
    campaign = call.params["c"]
    return archive_of(files_of(call.service.store, campaign), f"{campaign}.zip")


def backup(call: Call) -> Response:
    """Events, secrets and files of one moment; the key of the server is not in it."""
    from adjudge.serve.store import care

    def files() -> Iterator[tuple[str, Path]]:
        with TemporaryDirectory() as folder:
            care.backup(call.service.store, Path(folder) / "backup")
            for path in sorted((Path(folder) / "backup").rglob("*")):
                if path.is_file() and path.name != SECRET:
                    yield path.relative_to(folder).as_posix(), path

    return archive_of(files(), "backup.zip")


def archive_of(files: Iterable[tuple[str, bytes | Path]], name: str) -> Response:
    """A ZIP archive as it is sent: contents, or files, of which little is in memory."""
    made = TemporaryFile()  # noqa: SIM115
    try:
        with ZipFile(made, "w") as archive:
            for path, data in files:
                entry = ZipInfo(path)
                entry.compress_type = ZIP_DEFLATED
                with (
                    archive.open(entry, "w", force_zip64=True) as target,
                    data.open("rb") if isinstance(data, Path) else BytesIO(data) as source,
                ):
                    copyfileobj(source, target, 1 << 18)
        made.seek(0)
    except BaseException:
        made.close()
        raise

    def parts() -> Iterator[bytes]:
        with made:
            while part := made.read(1 << 18):
                yield part

    headers = {"content-disposition": f"attachment; filename*=utf-8''{quote(name)}"}
    return StreamingResponse(parts(), headers=headers, media_type="application/zip")


def give(call: Call) -> dict[str, Any]:
    """Assign documents to a reader."""
    organise.check_reader(desk(call, looks_on=True), call.body.reader)
    made = organise.give(desk(call, looks_on=True), call.body.reader, call.body.scopes, double=call.body.double)
    for scope in made["given"][:1]:
        tell(call, scope)
    return made


def reopen(call: Call) -> dict[str, Any]:
    """Open a stage of a document again."""
    body = call.body
    here, by = desk(call, looks_on=True), call.person.person
    made = organise.reopen(here, call.params["d"], body.stage, body.why, body.key, by)
    tell(call)
    return made


def freeze(call: Call) -> dict[str, Any]:
    """Freeze a campaign, or thaw it."""
    return organise.freeze(desk(call, looks_on=True), call.body.frozen, call.body.key, call.person.person)
