"""Routes of those who decide and organise; what they do is done elsewhere."""

from __future__ import annotations

from typing import Any

from adjudge.serve import adjudicate, organise
from adjudge.serve.api import desk
from adjudge.serve.app import Call, findings_of
from adjudge.serve.messages import Added
from adjudge.serve.stream import Change


def disputes(call: Call) -> list[dict[str, Any]]:
    """What readers disagree on, in all documents."""
    return adjudicate.disputes(desk(call))


def dispute(call: Call) -> dict[str, Any]:
    """The same of one document, with its text."""
    return adjudicate.dispute_view(desk(call), call.params["d"])


def decide(call: Call) -> dict[str, Any]:
    """Write the official answer."""
    body = call.body
    verdict = adjudicate.Verdict(body.stage, body.take, body.answers, body.why, body.key, body.version)
    made = adjudicate.decide(desk(call), call.params["d"], call.params["i"], verdict)
    _tell(call, call.params["d"])
    return made


def progress(call: Call) -> dict[str, Any]:
    """How far everybody is; whoever only reads sees the own row."""
    roles = call.person.roles_in(call.params["c"])
    return organise.progress(desk(call, looks_on="organiser" in roles or "admin" in roles))


def agreement(call: Call) -> list[dict[str, Any]]:
    """Kappa and alpha of every question."""
    return organise.agreement(desk(call, looks_on=True))


def suggest(call: Call) -> dict[str, Any]:
    """Take the suggestions of a judge."""
    from adjudge.serve.suggest import suggest as take

    return {"items": take(desk(call), call.body.suggestions, call.body.key)}


def pool(call: Call) -> Added:
    """Add late responses."""
    home = call.service.folder.home(call.params["c"])
    done = organise.add_pool(desk(call, looks_on=True), home, call.body.files, call.body.texts)
    found = [findings_of(each.problem) | {"error": each.error} for each in done.findings]
    return Added(done.items, done.new, done.withdrawn, found)


def give(call: Call) -> dict[str, Any]:
    """Give documents to a reader."""
    organise.check_reader(desk(call, looks_on=True), call.body.reader)
    made = organise.give(desk(call, looks_on=True), call.body.reader, call.body.scopes, double=call.body.double)
    for scope in made["given"][:1]:
        _tell(call, scope)
    return made


def reopen(call: Call) -> dict[str, Any]:
    """Open a stage of a document again."""
    body = call.body
    made = organise.reopen(
        desk(call, looks_on=True), call.params["d"], body.stage, body.why, body.key, call.person.person
    )
    _tell(call, call.params["d"])
    return made


def freeze(call: Call) -> dict[str, Any]:
    """Freeze a campaign, or thaw it."""
    return organise.freeze(desk(call, looks_on=True), call.body.frozen, call.body.key, call.person.person)


def _tell(call: Call, scope: str) -> None:
    tab = call.request.headers.get("x-adjudge-tab", "")[:40]
    call.service.hub.tell(Change(call.params["c"], scope, call.person.person, tab))
