"""Every route of the server, as data: routing, permissions, limits, OpenAPI and the tests of roles are made from it.

A route that is not here does not exist. `who` are the roles that may use it in the campaign of the path (or anywhere,
if the path names none), or in the track of the path or of the run that it names; `PUBLIC` is anybody, `ANYONE` whoever
is signed in. `of` says what else must hold: `assigned` that the scope of the path was given to the person to read,
`own` that the run is of the person's team (an organiser may see all).
Handlers are named, so that this module imports none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from adjudge.serve import messages

API = "/api/v1"
PUBLIC, ANYONE = "public", "anyone"
ROLES = ("assessor", "adjudicator", "organiser", "judge", "team", "admin")
_ROWS = list[dict[str, Any]]
_STAFF = ("assessor", "adjudicator", "organiser")
_SCOPE = "/campaigns/{c}/scopes/{d}"
_TEAMS = ("team", "organiser")
_TRACK, _RUN = "/tracks/{t}", "/submissions/{run}"


class Route(msgspec.Struct, frozen=True):
    """One route: who may use it, its body and its answer."""

    method: str
    path: str
    about: str
    handler: str  # module:function in this room
    who: tuple[str, ...]
    takes: Any = None
    gives: Any = dict[str, Any]
    of: str = ""
    limit: str = ""  # "sign-in" by address, "write" by person; unsafe methods are "write" unless they say otherwise
    csrf: bool = True  # for unsafe methods
    page: bool = False  # answered by HTML, also if something is wrong
    live: bool = False  # a coroutine that answers for a long time
    upload: bool = False  # a coroutine that reads what is sent by itself, however much that is

    @property
    def unsafe(self) -> bool:
        """Whether it changes data."""
        return self.method not in ("GET", "HEAD")

    @property
    def name(self) -> str:
        """What it is called in logs and in OpenAPI."""
        return self.handler.replace(":", "_")


def _api(method: str, path: str, about: str, handler: str, who: Sequence[str], **more: Any) -> Route:
    return Route(method, API + path, about, handler, tuple(who), **more)


def _page(method: str, path: str, about: str, handler: str, who: Sequence[str], **more: Any) -> Route:
    return Route(method, path, about, handler, tuple(who), page=True, **more)


# fmt: off
ROUTES: tuple[Route, ...] = (
    _api("GET", "/me", "Who is signed in.", "api:me", [ANYONE], gives=messages.Me),
    _api("GET", "/campaigns/{c}", "State, schema and own assignments of a campaign.", "api:campaign", _STAFF),
    _api("GET", _SCOPE, "Text, items and own answers, blind.", "api:scope", ["assessor", "organiser"], of="assigned"),
    _api("PUT", _SCOPE + "/items/{i}/judgment", "Judge one item.", "api:judge", ["assessor"], of="assigned",
        takes=messages.Judge, gives=messages.Saved),
    _api("POST", _SCOPE + "/judgments", "Judge several items; a refused one does not block the others.",
        "api:judge_many", ["assessor"], of="assigned", takes=list[messages.JudgeItem], gives=list[messages.Result]),
    _api("POST", _SCOPE + "/stages/{s}", "Undo, flag, comment, group, link, finish.", "api:operate", ["assessor"],
        of="assigned", takes=messages.Operations),
    _api("GET", "/campaigns/{c}/disputes", "What readers disagree on.", "api:disputes", ["adjudicator"], gives=_ROWS),
    _api("GET", _SCOPE + "/disputes", "The same for one document, with its text.", "api:dispute", ["adjudicator"]),
    _api("PUT", _SCOPE + "/decisions/{i}",
        "Decide about a response or, given the name of a stage, about groups or events.", "api:decide",
        ["adjudicator"], takes=messages.Decide),
    _api("GET", "/campaigns/{c}/progress", "Everybody's progress; readers see only their own row.", "api:progress",
        _STAFF),
    _api("GET", "/campaigns/{c}/agreement",
        "Kappa and alpha of every question, B3 and links of groups and events, with intervals.", "api:agreement",
        ["organiser"], gives=_ROWS),
    _api("GET", "/campaigns/{c}/events", "Events after number `after`; readers see only their own.", "api:events",
        _STAFF),
    _api("GET", "/campaigns/{c}/export", "Everything as an archive.", "api:export", ["organiser"]),
    _api("PUT", "/campaigns/{c}/suggestions", "Suggest answers; readers see them outside the validity sample.",
        "api:suggest", ["judge"], takes=messages.Suggest),
    _api("POST", "/campaigns/{c}/pool", "Add late responses; documents with new ones are reopened.", "api:pool",
        ["organiser"], takes=messages.Pool, gives=messages.Added),
    _api("POST", "/campaigns/{c}/assignments", "Assign documents to a reader, or a share to be read twice.",
        "api:give", ["organiser"], takes=messages.Give),
    _api("POST", _SCOPE + "/reopen", "Open a stage again.", "api:reopen", ["organiser"], takes=messages.Reopen),
    _api("POST", "/campaigns/{c}/freeze", "Freeze or thaw.", "api:freeze", ["organiser"], takes=messages.Freeze),
    _api("GET", "/tracks", "The tracks that you may see.", "runs:tracks", [PUBLIC], gives=_ROWS),
    _api("GET", _TRACK, "A track: phases, limits, commands; your runs left.", "runs:track", [PUBLIC]),
    _api("GET", _TRACK + "/submissions", "The runs of your team, or of all.", "runs:listed", _TEAMS,
        gives=list[messages.Run]),
    _api("POST", _TRACK + "/submissions", "Submit a run as a form: fields `human`, `web`, `phase`, then `file`.",
        "runs:post", _TEAMS, upload=True, gives=messages.Receipt),
    _api("PUT", _TRACK + "/submissions/{name}",
        "Submit a run: its bytes, as curl -T sends them; `?human=1`, `?web=1`, `?phase=NAME`.", "runs:put", _TEAMS,
        upload=True, gives=messages.Receipt),
    _api("POST", _TRACK + "/order", "The order of a team's runs.", "runs:order", ["team"], takes=messages.Order),
    _api("GET", _RUN, "A run: state, score, place in the queue.", "runs:run", _TEAMS, of="own", gives=messages.Run),
    _api("GET", _RUN + "/findings", "Its findings; `?format=text`: as text.", "runs:findings", _TEAMS, of="own"),
    _api("GET", _RUN + "/log", "The log of its processes, as text.", "runs:log", _TEAMS, of="own"),
    _api("GET", _RUN + "/report", "The page of its scores.", "runs:report", _TEAMS, of="own"),
    _api("GET", _RUN + "/receipt", "Its receipt.", "runs:receipt", _TEAMS, of="own", gives=messages.Receipt),
    _api("POST", _RUN + "/withdraw", "Take it back.", "runs:withdraw", _TEAMS, of="own", gives=messages.Run),
    _api("GET", _TRACK + "/board", "The board, as far as you may see it; `?phase=NAME`.", "board_desk:board_data",
        [PUBLIC]),
    _api("POST", _TRACK + "/phases", "Extend, publish, rescore, freeze or thaw a phase; requeue what failed.",
        "board_desk:phase_now", ["organiser"], takes=messages.PhaseChange),
    _api("GET", _TRACK + "/export", "Everything of a track as an archive.", "board_desk:export", ["organiser"]),
    _api("GET", "/stream", "What changes, as server-sent events.", "app:stream", [ANYONE], live=True),
    _api("GET", "/people", "Everybody the server knows.", "api:people", ["admin"], gives=list[messages.Person]),
    _api("POST", "/invitations", "Invite somebody: a link that is shown once.", "api:invite", ["admin"],
        takes=messages.Invite, gives=messages.Invited),
    _api("DELETE", "/people/{p}", "End every session, token and invitation of a person.", "api:revoke", ["admin"]),
    _api("GET", "/metrics", "Response times, listeners, disk space.", "api:metrics", ["admin"], gives=messages.Metrics),
    _api("GET", "/backup", "Events, secrets and files as an archive.", "api:backup", ["admin"]),
    _api("POST", "/tokens", "A token of your own, for programs.", "api:token", [ANYONE], gives=messages.Token),
    _api("POST", "/csp-report", "What a browser refused to load.", "api:csp_report", [PUBLIC], csrf=False,
        limit="sign-in", takes=messages.Refused),
    Route("GET", "/api/openapi.json", "This table as OpenAPI 3.1.", "api:openapi", (PUBLIC,)),
    Route("GET", "/healthz", "Whether the server can write.", "api:healthz", (PUBLIC,), gives=messages.Health),
    _page("GET", "/", "The campaigns and documents of whoever is signed in.", "pages:home", [PUBLIC]),
    _page("GET", "/sign-in", "Name and password.", "pages:sign_in", [PUBLIC]),
    _page("POST", "/sign-in", "Sign in with a password.", "pages:sign_in_now", [PUBLIC], csrf=False, limit="sign-in"),
    _page("GET", "/join/{token}", "An invitation, with a button.", "pages:join", [PUBLIC]),
    _page("POST", "/join/{token}", "Accept an invitation.", "pages:join_now", [PUBLIC], csrf=False, limit="sign-in"),
    _page("POST", "/sign-out", "End this session.", "pages:sign_out", [ANYONE]),
    _page("POST", "/password", "Set your password.", "pages:set_password", [ANYONE], limit="sign-in"),
    _page("GET", "/adjudicate/{c}", "What readers disagree on.", "pages:adjudicate", ["adjudicator"]),
    _page("GET", "/organise/{c}", "Everybody's progress, agreement, documents.", "pages:organise", ["organiser"]),
    _page("POST", "/organise/{c}", "Assign documents, reopen, freeze.", "pages:organise_now", ["organiser"]),
    _page("GET", "/c/{c}/{d}", "A document, in the stage that it is in.", "pages:scope", _STAFF, of="assigned"),
    _page("GET", "/c/{c}/{d}/{s}", "A stage of a document.", "pages:stage", _STAFF, of="assigned"),
    _page("GET", "/t/{t}", "A team's runs, and where to submit.", "pages:runs", _TEAMS),
    _page("POST", "/t/{t}", "Submit a run.", "pages:hand_in", _TEAMS, upload=True),
    _page("POST", "/t/{t}/token", "A token of your own, to submit from a shell.", "pages:token", _TEAMS),
    _page("GET", "/t/{t}/{run}", "A run: findings, log, receipt.", "pages:run", _TEAMS, of="own"),
    _page("POST", "/t/{t}/{run}", "Withdraw a run, or change the order.", "pages:change", _TEAMS, of="own"),
    _page("GET", "/organise-track/{t}", "Phases of a track, scorings, what moved.",
        "board_desk:organise", ["organiser"]),
    _page("POST", "/organise-track/{t}", "Extend, publish, rescore, freeze.", "board_desk:organise_now", ["organiser"]),
    _page("GET", "/boards/", "The boards that you may see.", "board_desk:index", [PUBLIC]),
    _page("GET", "/boards/{file}", "What all boards share.", "board_desk:index", [PUBLIC]),
    _page("GET", "/boards/{t}/{phase}/", "A board.", "board_desk:board", [PUBLIC]),
    _page("GET", "/boards/{t}/{phase}/{file}", "A board as CSV, JSON, LaTeX; all runs.", "board_desk:board", [PUBLIC]),
    _page("GET", "/assets/{v}/{name}", "Scripts and styles.", "pages:asset", [PUBLIC]),
)
# fmt: on


def openapi(name: str, version: str, routes: Sequence[Route] = ROUTES) -> dict[str, Any]:
    """The API as an OpenAPI document.

    >>> found = openapi("adjudge", "1")
    >>> found["openapi"], sorted(found["paths"]["/api/v1/people/{p}"]["delete"])
    ('3.1.0', ['description', 'operationId', 'parameters', 'responses', 'summary'])
    """
    shown = [route for route in routes if not route.page]
    kinds = {repr(kind): kind for route in shown for kind in (route.takes, route.gives) if kind is not None}
    kinds[repr(messages.ErrorAnswer)] = messages.ErrorAnswer
    made, parts = msgspec.json.schema_components(list(kinds.values()), ref_template="#/components/schemas/{name}")
    schemas = dict(zip(kinds, made, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for route in shown:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": f"{name} (adjudge serve)", "version": version},
        "paths": paths,
        "components": {
            "schemas": parts,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(route: Route, schemas: dict[str, Any]) -> dict[str, Any]:
    names = [part[1:-1] for part in route.path.split("/") if part.startswith("{")]
    made: dict[str, Any] = {
        "operationId": route.name,
        "summary": route.about,
        "description": f"For: {', '.join(route.who)}{f' ({route.of})' * bool(route.of)}.",
        "responses": {
            "200": {"description": "done", "content": _json(schemas[repr(route.gives)])},
            "default": {"description": "why not", "content": _json(schemas[repr(messages.ErrorAnswer)])},
        },
    }
    if names:
        made["parameters"] = [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names
        ]
    if route.takes is not None:
        made["requestBody"] = {"required": True, "content": _json(schemas[repr(route.takes)])}
    return made


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}
