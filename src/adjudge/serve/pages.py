"""The pages: frames filled by our scripts, and the few that need none. Templates escape everything."""

from __future__ import annotations

import hashlib
import secrets
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from adjudge.errors import AdjudgeError
from adjudge.serve import intake, states, views
from adjudge.serve import organise as work
from adjudge.serve import runs as api
from adjudge.serve.access import COOKIE, NOT_HERE, SECURE_COOKIE
from adjudge.serve.api import desk, looks_on, note_look
from adjudge.serve.app import Call, origin
from adjudge.serve.board_desk import seen, shown_ranks, shown_score
from adjudge.serve.boards import NUMBERS
from adjudge.serve.campaigns import check_campaign
from adjudge.serve.desk import campaign_of
from adjudge.serve.messages import Fault, Run
from adjudge.serve.store import Conflict, now
from adjudge.serve.store.tables import Campaign, Scope, Track

if TYPE_CHECKING:
    from jinja2 import Environment

HERE = Path(__file__).parent
STAGES = {"assess": "Assess", "group": "Same fillers", "link": "Events"}
"""The stages that have a page, and what they are called; the script of a page is called as its stage."""
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_SAID = 5  # of what is wrong with files, so much is said
_AUDITED = 500  # of the last events of all, those of the campaign are shown
_FOREVER = "public, max-age=31536000, immutable"


@lru_cache(maxsize=1)
def assets() -> dict[str, bytes]:
    """Scripts and styles by name."""
    return {each.name: each.read_bytes() for each in sorted((HERE / "assets").iterdir()) if each.suffix in _TYPES}


@lru_cache(maxsize=1)
def asset_version() -> str:
    """Part of the addresses of all assets, so that browsers may keep them for ever and scripts find each other."""
    return hashlib.sha256(b"".join(name.encode() + data for name, data in assets().items())).hexdigest()[:12]


@lru_cache(maxsize=1)
def templates() -> Environment:
    """Where pages are made."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined)
    made.globals.update(version=asset_version())
    return made


def page(call: Call, name: str, status: int = 200, **values: Any) -> Response:
    """A page from a template."""
    csrf = call.service.access.csrf(call.who) if call.who and call.who.by == "session" else ""
    title = call.service.folder.settings.server.name
    text = templates().get_template(name).render(server=title, who=call.who, csrf=csrf, **values)
    return Response(text, status, media_type="text/html")


def error_page(call: Call, fault: Fault) -> Response:
    """Why there is no other page."""
    return page(call, "error.html", fault.status, fault=fault.body)


def asset(call: Call) -> Response:
    """A script or a style."""
    name = call.params["name"]
    if name not in assets():
        raise Fault(404, NOT_HERE)
    cache = _FOREVER if call.params["v"] == asset_version() else "no-cache"
    return Response(assets()[name], headers={"cache-control": cache}, media_type=_TYPES[Path(name).suffix])


def home(call: Call) -> Response:
    """The documents of whoever is signed in, campaign by campaign."""
    if call.who is None:
        return RedirectResponse("/sign-in", 303)
    with call.service.store.read() as snapshot:
        known = [each.id for each in snapshot.find(Campaign) if call.who.roles_in(each.id) - {"team"}]
        tracks = [each.id for each in snapshot.find(Track) if call.who.roles_in(each.id) & {"team", "organiser"}]
    found = []
    for name in known:
        call.params["c"] = name
        roles = call.who.roles_in(name)
        found.append({**views.campaign_view(desk(call, looks_on=looks_on(roles))), "roles": sorted(roles)})
    return page(call, "home.html", campaigns=found, tracks=tracks)


def scope(call: Call) -> Response:
    """To the stage that a document is in."""
    with call.service.store.read() as snapshot:
        found = snapshot.get(Scope, call.params["c"], call.params["d"])
    if found is None:
        raise Fault(404, NOT_HERE)
    stage = found.stage if f"{found.stage}.js" in assets() else next(iter(STAGES))
    return RedirectResponse(f"{call.request.url.path}/{stage}", 303)


def stage(call: Call) -> Response:
    """A stage of a document: a frame, which its script fills."""
    name, campaign = call.params["s"], call.params["c"]
    if name not in STAGES or f"{name}.js" not in assets():
        raise Fault(404, NOT_HERE)
    roles = call.person.roles_in(campaign)
    with call.service.store.read() as snapshot:
        row, schema = campaign_of(desk(call), snapshot)
        stages = [stage.kind for stage in schema.stage]
    values: dict[str, Any] = {"campaign": campaign, "scope": call.params["d"], "role": ", ".join(sorted(roles))}
    shown = {each: STAGES[each] for each in stages if f"{each}.js" in assets()}
    values["confirm"] = row.settings.get("confirm")
    return page(call, "stage.html", stage=name, stages=shown, reads="assessor" in roles, **values)


# ---------------------------------------------------------------------------------------------------------------------
# Adjudicators and organisers


def adjudicate(call: Call) -> Response:
    """What readers disagree on: a frame, which its script fills."""
    return page(call, "adjudicate.html", campaign=call.params["c"])


def organise(call: Call, said: str = "") -> Response:
    """Progress, agreement and documents of a campaign."""
    here = desk(call, looks_on=True)
    with call.service.store.read() as snapshot:
        campaign, schema = campaign_of(here, snapshot)
        stages = [stage.kind for stage in schema.stage]
        roles = snapshot.roles(scope=campaign.id)
        people = sorted({each.person for each in roles if each.role == "assessor"})
        given: dict[str, list[str]] = {}
        for each in snapshot.assignments(campaign.id):
            if each.stage == stages[0]:
                given.setdefault(each.scope, []).append(f"{each.reader} ({each.state})")
        scopes = [(scope.id, scope.stage, ", ".join(given.get(scope.id, []))) for scope in snapshot.scopes(campaign.id)]
    values: dict[str, Any] = {
        "campaign": campaign.id,
        "state": campaign.state,
        "stages": stages,
        "home": call.service.folder.home(campaign.id) is not None,
        "people": people,
        "scopes": scopes,
    }
    shown: dict[str, Any] = {"findings": None, "audit": None, "flags": None}
    asked = call.request.query_params.get("show")
    if asked == "findings":
        shown["findings"] = [str(each.problem) for each in check_campaign(here.store, campaign.id)]
    if asked == "flags":
        note_look(call, "flags")
        shown["flags"] = work.notes(here)
    if asked == "audit":
        with call.service.store.read() as snapshot:
            shown["audit"] = work.events(here, max(0, snapshot.last() - _AUDITED), everybody=True)["events"][::-1]
    double = work.read_double(here)
    values |= {"agreement": work.agreement(double), "commands": work.commands(double), "drift": work.drift(double)}
    return page(call, "organise.html", progress=work.progress(here), said=said, **shown, **values)


def organise_now(call: Call) -> Response:
    """Do what a form of the page says, and show the page again with what was done."""
    form, here, key = call.form(), desk(call, looks_on=True), f"page-{secrets.token_hex(8)}"
    what, by = form.get("do", ""), call.person.person
    try:
        if what == "give":
            share = float(form["double"]) / 100 if form.get("double") else None
            scopes = form["scopes"].split() if form.get("scopes") else None
            work.check_reader(here, form.get("reader", ""))
            made = work.give(here, form.get("reader", ""), scopes, double=share)
            said = f"{made['reader']} has {len(made['given'])} more documents"
        elif what == "reopen":
            work.reopen(here, form.get("scope", ""), form.get("stage", ""), form.get("why", ""), key, by)
            said = f"{form.get('scope')} is open again"
        elif what == "pool":
            files, texts = (
                {name: data.decode("utf-8") for name, data in call.files(field).items()} for field in ("files", "texts")
            )
            done = work.add_pool(here, call.service.folder.home(here.campaign), files, texts)
            wrong = [str(each.problem) for each in done.findings if each.error]
            said = "; ".join([f"{done.new} of {done.items} responses are new", *wrong[:_SAID]])
        elif what in ("freeze", "thaw"):
            work.freeze(here, what == "freeze", key, by)
            said = "frozen" if what == "freeze" else "thawed"
        else:
            said = "nothing was done"
    except (AdjudgeError, LookupError, ValueError) as error:
        said = f"not done: {error}"
    except Conflict as conflict:
        said = f"not done: {'the campaign is frozen' if conflict.reason == 'frozen' else 'somebody else was faster'}"
    return organise(call, said)


# ---------------------------------------------------------------------------------------------------------------------
# Signing in and out


def sign_in(call: Call) -> Response:
    """Name and password, for those who have set one."""
    return page(call, "sign_in.html", to=call.request.query_params.get("to", "/"))


def sign_in_now(call: Call) -> Response:
    """Start a session with a password."""
    form = call.form()
    made = call.service.access.sign_in(form.get("name", ""), form.get("password", ""))
    return _welcome(call, made, form.get("to", "/"))


def join(call: Call) -> Response:
    """An invitation has a button, because programs that look into mails open links, too.

    The link of a demo has none, and can be opened again.
    """
    found = call.service.access.invitation(call.params["token"])
    if call.service.demo:
        return _welcome(call, call.service.access.start_session(found.person), _first(call, found.person, found.scope))
    return page(call, "join.html", invited=found)


def join_now(call: Call) -> Response:
    """Take up an invitation, and go to the first document."""
    found = call.service.access.invitation(call.params["token"])
    return _welcome(call, call.service.access.take_up(call.params["token"]), _first(call, found.person, found.scope))


def _first(call: Call, person: str, campaign: str) -> str:
    with call.service.store.read() as snapshot:
        if snapshot.get(Track, campaign) and any(each.role == "team" for each in snapshot.roles(person, campaign)):
            return f"/t/{quote(campaign, safe='')}"
        given = {each.scope for each in snapshot.assignments(campaign, reader=person)} if campaign else set()
        order = [each.id for each in snapshot.scopes(campaign) if each.id in given] if given else []
    return f"/c/{quote(campaign, safe='')}/{quote(order[0], safe='')}" if order else "/"


def _welcome(call: Call, cookie: str, to: str) -> Response:
    inside = to.startswith("/") and not to.startswith(("//", "/\\"))
    answer = RedirectResponse(to if inside else "/", 303)
    secure = call.service.secure
    age = call.service.folder.settings.limits.session_days * 86_400
    answer.set_cookie(
        SECURE_COOKIE if secure else COOKIE, cookie, age, path="/", secure=secure, httponly=True, samesite="lax"
    )
    return answer


def sign_out(call: Call) -> Response:
    """End this session."""
    call.service.access.end_session(call.person)
    answer = RedirectResponse("/sign-in", 303)
    for name in (COOKIE, SECURE_COOKIE):
        answer.delete_cookie(name, path="/", secure=name == SECURE_COOKIE, httponly=True, samesite="lax")
    return answer


def set_password(call: Call) -> Response:
    """Set your password."""
    call.service.access.set_password(call.person.person, call.form().get("password", ""))
    return RedirectResponse("/", 303)


# ---------------------------------------------------------------------------------------------------------------------
# Pages for teams, which need no script: where to submit, the outcome, why


_TEXT = 200_000  # characters of findings or a log that a page shows; the whole is a link


def clock(seconds: float) -> str:
    """A length of time.

    >>> clock(41), clock(1800), clock(276_660)
    ('00:41', '30:00', '3 d 04:51')
    """
    days, rest = divmod(int(seconds), 86_400)
    hours, rest = divmod(rest, 3600)
    minutes, second = divmod(rest, 60)
    if days:
        return f"{days} d {hours:02}:{minutes:02}"
    return f"{hours}:{minutes:02}:{second:02}" if hours else f"{minutes:02}:{second:02}"


def said(run: Run, at: str) -> str:
    """The state of a run in words: how long it has been in it, and how long that can last."""
    if run.state in states.WORK.values() and run.deadline:
        taken = api.seconds_between(run.since, at)
        return f"{run.state}, {clock(taken)} of at most {clock(api.seconds_between(run.since, run.deadline))}"
    if run.state in states.WORK:
        place = f"{run.ahead} before it" if run.ahead else "next"
        return f"{run.state}, {place}, at most {clock(run.wait or 0)}"
    if run.state in (states.INVALID, states.FAILED):
        return f"{run.state}: {run.reason} (no run used)"
    if run.state == states.POOLED and run.reason:
        return f"{run.state}: {run.reason}"
    return run.state if run.ranked else f"{run.state}, not ranked: {', '.join(run.flags)}"


def _score(found: Run) -> str:
    return shown_score(*map(found.score.get, NUMBERS))


def runs(call: Call, token: str = "") -> Response:
    """The runs of a team, or of all teams, and the form to submit one."""
    found, at = api.track(call), now()
    rows = api.listed(call)
    ranks: dict[tuple[str, str, int], str] = {}
    for phase in found["phases"]:
        tabs = seen(call.service.store, found["track"], phase["phase"], call.who)[0].all[:1]
        ranks |= {(phase["phase"], line.team, line.number): shown_ranks(line) for tab in tabs for line in tab.lines}
        for word, end in (("left", phase["closes"]), ("waits", phase["opens"])):
            phase[word] = clock(api.seconds_between(at, end)) if (end or "") > at else None
    values: dict[str, Any] = {
        "track": found,
        "token": token,
        "here": origin(call.service, call.request),
        "rows": [(row, said(row, at), _score(row), ranks.get((row.phase, row.team, row.number), "")) for row in rows],
        "lasts": any(row.state in states.LIVE for row in rows),
        "organises": api.is_organiser(call, found["track"]),
        "web_only": bool(rows) and all("web" in row.flags for row in rows if row.state in states.COUNTED),
    }
    return page(call, "runs.html", **values)


def token(call: Call) -> Response:
    """A token of one's own, which the page shows once."""
    return runs(call, call.service.access.token(call.person)[0])


async def hand_in(call: Call) -> Response:
    """Take the file of the form, and show its outcome."""

    def check(fields: dict[str, str]) -> None:
        here = origin(call.service, call.request)
        given = call.request.headers.get("x-csrf-token") or fields.get("csrf", "")
        call.service.access.check_csrf(call.who, given, call.request.headers, here)

    made = await api.take_form(call, check)
    return RedirectResponse(f"/t/{made.track}/{made.submission}", 303)


def run(call: Call) -> Response:
    """A run: its state, its receipt, findings and log."""
    found, at = api.run(call), now()
    texts = {}
    for name in ("text", "log"):
        if name in found.files:
            whole = api.file_of(call, name, "").decode("utf-8", "replace")
            texts[name] = whole[:_TEXT]
    values: dict[str, Any] = {"run": found, "said": said(found, at), "score": _score(found), "texts": texts}
    lasts = found.state in states.LIVE
    return page(
        call, "run.html", receipt=api.receipt(call), lasts=lasts, can_withdraw=found.state in states.COUNTED, **values
    )


def change(call: Call) -> Response:
    """Withdraw a run, or make it the first in the team's order."""
    what = call.form().get("do", "")
    if what == "withdraw":
        api.withdraw(call)
    elif what == "first":
        row = api.row_of(call)
        with call.service.store.read() as snapshot:
            others = api.own_runs(snapshot, row)
        order = [row.id, *(each.id for each in others if each.id != row.id)]
        intake.declare_order(call.service.store, row.team, order, call.person.person)
    else:
        raise Fault(400, "nothing was asked for", "use the page")
    return RedirectResponse(f"/t/{call.params['t']}", 303)
