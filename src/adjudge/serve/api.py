"""What the routes of the API do: each takes a `Call` and gives what is answered. Everything hard is done elsewhere."""

from __future__ import annotations

import hashlib
import secrets
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.responses import Response

from adjudge._version import __version__
from adjudge.serve import routes, views, workbench
from adjudge.serve.access import EVERYWHERE
from adjudge.serve.app import Call, Change, fault_of, json_answer, origin
from adjudge.serve.desk import Desk
from adjudge.serve.messages import (
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
from adjudge.serve.store import Write, stream_of
from adjudge.serve.store.tables import Campaign, Track
from adjudge.serve.store.tables import Person as Known

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    """Who is signed in."""
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
    """Everybody and what they may do."""
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
    """How the server is doing."""
    import shutil

    service, found = call.service, {}
    for name, times in service.times.items():
        if times:
            ordered = sorted(times)
            p50, p95, p99 = (round(1000 * ordered[int(share * (len(ordered) - 1))], 2) for share in (0.5, 0.95, 0.99))
            found[name] = Times(len(ordered), p50, p95, p99)
    disk = shutil.disk_usage(service.folder.path)
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
    from adjudge.serve.app import LOG

    try:
        found = msgspec.json.decode(call.raw).get("csp-report", {})
    except (msgspec.DecodeError, AttributeError):
        found = {}
    kept = {name: str(found.get(name, ""))[:200] for name in ("violated-directive", "blocked-uri", "source-file")}
    LOG.warning("a browser refused: %s", kept)
    call.service.reports[:] = [*call.service.reports, kept][-REPORTS:]
    return {"state": "kept"}


def openapi(call: Call) -> dict[str, Any]:
    """The table of routes."""
    return routes.openapi(call.service.folder.settings.server.name, __version__)


def healthz(call: Call) -> Health:
    """Whether the store takes a write; asked often, it has written within the last second."""
    from adjudge.serve.store import now
    from adjudge.serve.store.tables import Meta

    service = call.service
    if not service.store.read_only and service.access.clock() - service.healthy > 1:
        service.store.writer.run(lambda rows: rows.put(Meta("health", now()))).result()
        service.healthy = service.access.clock()
    return Health("ok", __version__)
