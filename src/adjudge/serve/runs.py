"""What the API says of tracks and of runs that were submitted. Teams see their own, organisers all."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from adjudge.serve import intake, states
from adjudge.serve.access import NOT_HERE
from adjudge.serve.app import Call, json_answer
from adjudge.serve.messages import Fault, Receipt, Run
from adjudge.serve.multipart import Form
from adjudge.serve.store import Snapshot, now
from adjudge.serve.store.tables import Lease, Phase, Submission, Team, Track
from adjudge.serve.tracks import SHOWN, settings_of, team_of, track_of

if TYPE_CHECKING:
    from adjudge.serve.access import Who

SANDBOX = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; sandbox allow-scripts"
)
"""For pages that children have made: scripts of their own, and nothing of ours."""


def is_organiser(call: Call, track: str) -> bool:
    """Whether the person of a call may see everything of a track."""
    return call.who is not None and "organiser" in call.who.roles_in(track)


def own_team(call: Call, snapshot: Snapshot) -> Team:
    """The team that the person of a call hands in for; an organiser may say for whom."""
    track = call.params["t"]
    wanted = call.request.query_params.get("team")
    if wanted is not None and is_organiser(call, track):
        found = snapshot.get(Team, f"{track}/{wanted}")
    else:
        found = team_of(snapshot, track, call.person.person)
    if found is None:
        raise Fault(403, "you are in no team of this track", "ask the organiser, who can add ?team=NAME")
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Tracks


def tracks(call: Call) -> list[dict[str, Any]]:
    """The tracks that you may see."""
    with call.service.store.read() as snapshot:
        known = [row for row in snapshot.find(Track) if may_know(call.who, snapshot, row)]
        return [{"track": row.id, "task": row.task} for row in known]


def may_know(who: Who | None, snapshot: Snapshot, row: Track) -> bool:
    """Whether somebody may know that a track is there: those in it, and all once something of it is public."""
    if who is not None and who.roles_in(row.id) & {"team", "organiser"}:
        return True
    return any(phase.show == "public" for phase in snapshot.find(Phase, track=row.id))


def track(call: Call) -> dict[str, Any]:
    """A track: its phases, limits and command lines; for a team how many runs are left."""
    with call.service.store.read() as snapshot:
        row = track_of(snapshot, call.params["t"])
        if not may_know(call.who, snapshot, row):
            raise Fault(404, NOT_HERE)
        settings = settings_of(row)
        team = team_of(snapshot, row.id, call.who.person) if call.who else None
        phases = []
        for phase in snapshot.find(Phase, track=row.id):
            made: dict[str, Any] = {"phase": phase.id, "opens": phase.opens, "closes": phase.closes, "show": phase.show}
            limits = intake.limits_of(settings.limits, phase)
            if team is not None:
                own = snapshot.find(Submission, track=row.id, phase=phase.id, team=team.id)
                made |= {"used": states.counted(own)}
            phases.append({**made, "runs": limits.runs, "per_day": limits.per_day})
    commands = {name: ["adjudge", *getattr(settings, name)] for name in ("check", "score", "board", "report")}
    return {
        "track": row.id,
        "task": row.task,
        "phases": phases,
        "commands": {name: line for name, line in commands.items() if len(line) > 1},
        "upload": settings.limits.bytes("upload"),
    }


# ---------------------------------------------------------------------------------------------------------------------
# Runs


class Queue:
    """What is on its way, to say how long something waits."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.at = now()
        self.rows = states.live(snapshot)
        self.limits = {each.id: settings_of(each).limits for each in snapshot.find(Track)}
        leases = [each for each in snapshot.find(Lease) if each.name.startswith(states.WORKER) and each.until > self.at]
        self.workers = {kind: sum(each.name.endswith(f"/{kind}") for each in leases) for kind in states.WORK}

    def view(self, row: Submission) -> Run:
        """A run as its team sees it."""
        ahead = states.ahead(row, self.rows) if row.state in states.WORK else None
        limits = self.limits[row.track]
        wait = None
        if row.deadline is not None and row.state in states.LIVE:
            wait = max(0.0, seconds_between(self.at, states.last_deadline(row, limits) or row.deadline))
        if ahead is not None and wait is not None and self.workers[row.state]:  # that can mean less than the deadline
            wait = min(wait, states.longest([*ahead, row], self.limits, self.workers[row.state]))
        return Run(
            **intake.described(row),
            **{name: getattr(row, name) for name in ("priority", "reason", "since", "deadline", "score", "version")},
            flags=[name for name in (*intake.FLAGS, "late") if row.flags.get(name)],
            files=sorted(row.files),
            ahead=None if ahead is None else len(ahead),
            wait=wait,
        )


def seconds_between(start: str, end: str) -> float:
    """Seconds from one time to another."""
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()


def listed(call: Call) -> list[Run]:
    """The runs of your team, or of all, the last first."""
    name = call.params["t"]
    with call.service.store.read() as snapshot:
        track_of(snapshot, name)
        team = None if is_organiser(call, name) else own_team(call, snapshot).id
        queue = Queue(snapshot)
        rows = snapshot.find(Submission, "received DESC, id", track=name, team=team)
        return [queue.view(shown(call, snapshot, row)) for row in rows]


def row_of(call: Call) -> Submission:
    """The run that a path names."""
    with call.service.store.read() as snapshot:
        found = snapshot.get(Submission, call.params["run"])
        if found is None:
            raise Fault(404, NOT_HERE)
        return shown(call, snapshot, found)


def shown(call: Call, snapshot: Snapshot, row: Submission) -> Submission:
    """What somebody may see of a run: while the board of its phase is hidden, its team does not see its score."""
    phase = snapshot.get(Phase, row.track, row.phase)
    if is_organiser(call, row.track) or phase is None or phase.show != SHOWN[0]:
        return row
    files = {name: sha256 for name, sha256 in row.files.items() if name not in ("result", "report")}
    return msgspec.structs.replace(row, score={}, files=files)


def own_runs(snapshot: Snapshot, row: Submission) -> list[Submission]:
    """The runs of a team in the phase of one of them that count, in the order that it declares."""
    own = snapshot.find(Submission, "priority, number", track=row.track, phase=row.phase, team=row.team)
    return [each for each in own if each.state in states.COUNTED]


def run(call: Call) -> Run:
    """One run."""
    row = row_of(call)
    with call.service.store.read() as snapshot:
        return Queue(snapshot).view(row)


def file_of(call: Call, name: str, hint: str) -> bytes:
    """A file that belongs to a run."""
    found = row_of(call).files.get(name)
    if found is None:
        raise Fault(404, f"there is no {name} yet", hint)
    return call.service.store.get_blob(found)


def findings(call: Call) -> Response:
    """What `adjudge TASK validate` says of it, to the byte: as JSON or as text."""
    if call.request.query_params.get("format") == "text":
        return Response(file_of(call, "text", "it is not checked yet"), media_type="text/plain; charset=utf-8")
    return Response(file_of(call, "findings", "it is not checked yet"), media_type="application/json")


def log(call: Call) -> Response:
    """What the children said."""
    return Response(file_of(call, "log", "nothing was run yet"), media_type="text/plain; charset=utf-8")


def report(call: Call) -> Response:
    """The page of its scores, which can do nothing to ours."""
    page = file_of(call, "report", "it is not scored yet")
    return Response(page, headers={"content-security-policy": SANDBOX}, media_type="text/html; charset=utf-8")


def receipt(call: Call) -> Receipt:
    """Its receipt."""
    with call.service.store.read() as snapshot:
        return intake.receipt(snapshot, row_of(call))


def withdraw(call: Call) -> Run:
    """Take a run back."""
    row = row_of(call)
    always = is_organiser(call, row.track)
    intake.withdraw(call.service.store, row.id, now(), call.person.person, always=always)
    return run(call)


def order(call: Call) -> list[Run]:
    """Declare the order of one's runs."""
    with call.service.store.read() as snapshot:
        team = own_team(call, snapshot).id
    intake.declare_order(call.service.store, team, call.body.runs, call.person.person)
    return listed(call)


def wake(call: Call) -> None:
    """Tell the workers that there is something to do."""
    if call.service.runner is not None:
        call.service.runner.wake()


# ---------------------------------------------------------------------------------------------------------------------
# Uploads


async def put(call: Call) -> Response:
    """Submit the bytes of a run."""
    query = call.request.query_params
    flags = tuple(name for name in intake.FLAGS if query.get(name) == "1")
    declared = call.request.headers.get("content-length", "")
    length = int(declared) if declared.isdigit() else None
    made = await take(call, call.request.stream(), call.params["name"], flags, query.get("phase"), length)
    return _handed_in(made)


async def post(call: Call) -> Response:
    """Submit a run as a form."""
    return _handed_in(await take_form(call))


async def take_form(call: Call, check: Any = None) -> Receipt:
    """A form with a file; `check` gets its fields before the file is read."""
    form, stream = Form(call.request.headers.get("content-type", "")), aiter(call.request.stream())
    file = await form.start(stream)
    if check is not None:
        check(form.fields)
    flags = tuple(name for name in intake.FLAGS if form.fields.get(name) in ("1", "on", "true"))
    named = form.fields.get("name") or file
    return await take(call, form.content(stream), named, flags, form.fields.get("phase") or None, None)


def _handed_in(made: Receipt) -> Response:
    return json_answer(made, 200 if made.repeated else 201)


async def take(
    call: Call, parts: Any, file: str, flags: tuple[str, ...], phase: str | None, length: int | None
) -> Receipt:
    """Receive a file and hand it in."""
    service, begun = call.service, call.begun
    intake.file_name(file)

    def prepare() -> tuple[str, int]:
        with service.store.read() as snapshot:
            found = track_of(snapshot, call.params["t"])
            team = own_team(call, snapshot)
            intake.check_early(snapshot, found, team, begun, phase)
            return team.id, settings_of(found).limits.bytes("upload")

    team, most = await run_in_threadpool(prepare)
    with service.gate.enter(team):
        sha256, size = await intake.receive(service.store, aiter(parts), most, length)
        upload = intake.Upload(call.params["t"], team, file, sha256, size, begun, flags, phase)
        made = await run_in_threadpool(intake.hand_in, service.store, upload, call.person.person)
    wake(call)
    return made
