"""Pages for teams: where to submit, the outcome, why. They need no script."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.responses import RedirectResponse, Response

from adjudge.serve import intake, states
from adjudge.serve import runs as api
from adjudge.serve.board_pages import shown_score
from adjudge.serve.boards import NUMBERS
from adjudge.serve.messages import Fault, Run
from adjudge.serve.pages import page
from adjudge.serve.store import now

if TYPE_CHECKING:
    from adjudge.serve.app import Call

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
    return run.state if run.ranked else f"{run.state}, not ranked: {', '.join(run.flags)}"


def _score(found: Run) -> str:
    return shown_score(*map(found.score.get, NUMBERS))


def runs(call: Call, token: str = "") -> Response:
    """The runs of a team, or of all teams, and the form to submit one."""
    from adjudge.serve.app import origin

    found, at = api.track(call), now()
    rows = api.listed(call)
    for phase in found["phases"]:
        for word, end in (("left", phase["closes"]), ("waits", phase["opens"])):
            phase[word] = clock(api.seconds_between(at, end)) if (end or "") > at else None
    values: dict[str, Any] = {
        "track": found,
        "token": token,
        "here": origin(call.service, call.request),
        "rows": [(row, said(row, at), _score(row)) for row in rows],
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
        from adjudge.serve.app import origin

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
