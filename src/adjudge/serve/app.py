"""The application: from the table of routes, what is done with a request before and after its handler.

A request is answered in one thread: who sends it, whether they may, whether it comes too fast or from another site,
what it says; then its handler. Whatever is wrong becomes one kind of answer, as JSON or as a page.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route as Path

from adjudge.errors import AdjudgeError, Problem, is_fault
from adjudge.serve import access
from adjudge.serve.intake import Gate
from adjudge.serve.messages import ErrorAnswer, Fault
from adjudge.serve.multipart import read_form
from adjudge.serve.routes import API, ROUTES, Route
from adjudge.serve.store import Conflict, Store, StoreError, now
from adjudge.serve.store.tables import Member, Submission
from adjudge.serve.store.tables import Scope as Document

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from adjudge.serve.access import Who
    from adjudge.serve.folder import Folder
    from adjudge.serve.jobs import Runner

LOG = logging.getLogger("adjudge.serve")
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    f"frame-ancestors 'none'; base-uri 'none'; report-uri {API}/csp-report"
)
HEADERS = {
    "content-security-policy": CSP,
    "x-content-type-options": "nosniff",
    # Not "no-referrer": with it, browsers call the origin of forms "null".
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
SLOWEST = 30
"""Seconds in which a request has to be here."""
_TIMES = 1000  # of which the last are remembered, for each route
_encode = msgspec.json.Encoder().encode


class Service:
    """What handlers work with: the store, who may do what, and who listens."""

    def __init__(self, folder: Folder, store: Store, *, secure: bool = False, demo: bool = False) -> None:
        self.folder, self.store, self.secure, self.demo = folder, store, secure, demo
        self.secret = folder.secret
        self.access = access.Access(store, folder.secrets, folder.settings)
        self.hub = Hub()
        self.gate = Gate()
        self.runner: Runner | None = None  # the workers of this process
        self.reports: list[dict[str, Any]] = []  # what browsers refused to load
        self.healthy = 0.0  # when it last wrote to show that it can
        self.times: dict[str, deque[float]] = {route.name: deque(maxlen=_TIMES) for route in ROUTES}


class Call(msgspec.Struct):
    """A request on its way to the handler."""

    service: Service
    route: Route
    request: Request
    params: dict[str, str]
    raw: bytes
    who: access.Who | None = None
    body: Any = None
    begun: str = msgspec.field(default_factory=now)

    @property
    def person(self) -> access.Who:
        """Whoever is signed in, on routes that are not public."""
        assert self.who is not None
        return self.who

    def form(self) -> dict[str, str]:
        """The fields of a form."""
        from urllib.parse import parse_qsl

        if (kind := self._kind()).startswith("multipart/"):
            made = read_form(kind, self.raw).fields
        else:
            try:
                made = dict(parse_qsl(self.raw.decode("ascii"), max_num_fields=20, strict_parsing=bool(self.raw)))
            except ValueError as error:
                raise Fault(400, f"this is not a form: {error}", "use the page") from error
        check_texts(made.values())
        return made

    def files(self, name: str) -> dict[str, bytes]:
        """The files of a form that were given in one of its fields."""
        kind = self._kind()
        found = read_form(kind, self.raw).files if kind.startswith("multipart/") else ()
        return {each.file: b"".join(each.data) for each in found if each.name == name and each.file}

    def _kind(self) -> str:
        return self.request.headers.get("content-type", "")


def make_app(service: Service, hosts: frozenset[str] | None = None) -> ASGIApp:
    """The application; `hosts` are the names by which it may be called, all if there are none."""
    found = [Path(route.path, _endpoint(service, route), methods=[route.method]) for route in ROUTES]
    app = Starlette(routes=found, exception_handlers={404: _no_route, 405: _no_route})
    return Shield(app, hosts)


class Shield:
    """Wraps the application: refuses unknown host names, and sets the headers of every answer."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str] | None) -> None:
        self.app, self.hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                has = {name for name, _ in message["headers"]}
                more = HEADERS if b"cache-control" in has else {**HEADERS, "cache-control": "no-store"}
                headers = [(name.encode(), value.encode()) for name, value in more.items() if name.encode() not in has]
                message = {**message, "headers": [*message["headers"], *headers]}
            await send(message)

        app: ASGIApp = self.app
        host = dict(scope["headers"]).get(b"host", b"").decode("latin-1")
        called = access.place_of_url(f"//{host}")
        if called is None or (self.hosts is not None and called.hostname not in self.hosts):
            message = f"this server is not called {host[:100]!r}"
            app = _failed(Fault(400, message, "set url in serve.toml, or use the address that it printed"), None)
        await app(scope, receive, send_with_headers)


def _endpoint(service: Service, route: Route) -> Callable[[Request], Any]:
    module, _, name = route.handler.partition(":")
    handler = getattr(import_module(f"adjudge.serve.{module}"), name)

    async def endpoint(request: Request) -> Response:
        call = Call(service, route, request, dict(request.path_params), b"")
        begun = time.perf_counter()
        answer = await answered(call)
        taken = time.perf_counter() - begun
        service.times[route.name].append(taken)
        if LOG.isEnabledFor(logging.INFO):  # no path: that of an invitation is a secret
            said = {"route": route.path, "method": route.method, "status": answer.status_code}
            LOG.info("request", extra={"data": {**said, "ms": round(1000 * taken, 1)}})
        return answer

    async def answered(call: Call) -> Response:
        request = call.request
        try:
            if not route.upload:
                call.raw = await _body(request, service.folder.settings.limits.body_bytes)
            if route.live or route.upload:
                await run_in_threadpool(_prepare, call)
                made = await handler(call)
                return made if isinstance(made, Response) else json_answer(made)
            return await run_in_threadpool(_answer, call, handler)
        except ClientDisconnect:
            return Response(status_code=400)
        except Exception as error:
            return _failed(_fault(error, route), call)

    return endpoint


async def _body(request: Request, most: int) -> bytes:
    """The body of a request, unless it is too large."""
    parts, size = [], 0
    try:
        async with asyncio.timeout(SLOWEST):
            async for part in request.stream():
                size += len(part)
                if size > most:
                    raise Fault(413, f"this is larger than {most} bytes", "send less at once")
                parts.append(part)
    except TimeoutError:
        raise Fault(400, f"the request took longer than {SLOWEST} s", "send it again") from None
    return b"".join(parts)


def check_texts(texts: Iterable[str]) -> None:
    """Refuse a character that PostgreSQL cannot store."""
    if any("\0" in each for each in texts):
        raise Fault(400, "there is a null character", "leave it out")


def _prepare(call: Call) -> None:
    """Check permissions and limits, and read the body."""
    route, request, service = call.route, call.request, call.service
    check_texts((*call.params.values(), *request.query_params.values()))
    if route.limit == "sign-in":
        service.access.check_rate("sign-in", request.client.host if request.client else "")
    call.who = service.access.who(request.headers, request.cookies)
    access.permit(route, call.who, _place(call))
    if route.of == "own":
        _check_own(call)
    if route.unsafe:
        if route.csrf and not (route.upload and route.page):  # there the token is a field of what is sent
            given = request.headers.get("x-csrf-token") or (call.form().get("csrf", "") if route.page else "")
            service.access.check_csrf(call.who, given, request.headers, origin(service, request))
        elif route.page:
            service.access.check_csrf(None, "", request.headers, origin(service, request))
        if call.who is not None and not route.limit:
            service.access.check_rate("write", call.who.person)
    if route.of == "assigned":
        _check_assigned(call)
    if route.takes is not None:
        check_texts(("\0",) if rb"\u0000" in call.raw else ())
        try:
            call.body = msgspec.json.decode(call.raw, type=route.takes)
        except msgspec.ValidationError as error:
            raise Fault(422, f"the body is not as documented: {error}", "see /api/openapi.json") from error
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise Fault(400, f"the body is not JSON: {error}", "see /api/openapi.json") from error


def _place(call: Call) -> str | None:
    """The campaign or the track that a path is about."""
    if "run" in call.params:
        with call.service.store.read() as snapshot:
            found = snapshot.get(Submission, call.params["run"])
        return found.track if found and call.params.setdefault("t", found.track) == found.track else ""
    return call.params.get("c", call.params.get("t"))


def _check_own(call: Call) -> None:
    """A run is there for its team, and for organisers of its track."""
    with call.service.store.read() as snapshot:
        found = snapshot.get(Submission, call.params["run"])
        own = found is not None and snapshot.get(Member, found.team, call.person.person) is not None
    if found is None or not (own or "organiser" in call.person.roles_in(found.track)):
        raise Fault(404, access.NOT_HERE)


def _check_assigned(call: Call) -> None:
    """A scope is there for whoever it was given to, and for organisers, who read it blind unless they read it, too."""
    campaign, scope = call.params["c"], call.params["d"]
    with call.service.store.read() as snapshot:
        there = snapshot.get(Document, campaign, scope) is not None
        given = there and bool(snapshot.assignments(campaign, scope, call.person.person))
    if given and "assessor" in call.person.roles_in(campaign):
        return
    if not there or call.route.unsafe or "organiser" not in call.person.roles_in(campaign):
        raise Fault(404, access.NOT_HERE)


def origin(service: Service, request: Request) -> str:
    """The address of this server as browsers see it."""
    return service.folder.settings.server.url or f"{request.url.scheme}://{request.url.netloc}"


def _answer(call: Call, handler: Callable[[Call], Any]) -> Response:
    _prepare(call)
    made = handler(call)
    return made if isinstance(made, Response) else json_answer(made)


def json_answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A value as JSON."""
    return Response(_encode(value), status, headers, "application/json")


def fault_of(error: Exception) -> Fault | None:
    """What an error of the inner rooms is to whoever asked; None if it is a bug."""
    if isinstance(error, Fault):
        return error
    if isinstance(error, Conflict):
        if error.reason == "frozen":
            return Fault(423, "the campaign is frozen", "ask the organiser")
        if error.reason == "key":
            return Fault(400, "this key was used for something else", "load the page again")
        hint = "choose a version"
        return Fault(409, "this was changed since you saw it", hint, current=error.current)
    if isinstance(error, AdjudgeError):
        kind = getattr(error, "kind", "")  # of a refusal: what was asked for cannot be done now
        problems = [findings_of(each) for each in error.problems]
        first = error.problems[0]
        status = {"closed": 410, "frozen": 423}.get(kind, 422)
        return Fault(status, first.message, first.hint or "", findings=problems)
    if isinstance(error, LookupError):
        return Fault(404, access.NOT_HERE)
    if is_fault(error) or isinstance(error, StoreError):
        return Fault(503, f"the operating system refused: {error}", "nothing was saved; try again later")
    return None


def findings_of(problem: Problem) -> dict[str, Any]:
    """A problem as the API says it."""
    return {"place": problem.path, "line": problem.line, "message": problem.message, "hint": problem.hint}


def _fault(error: Exception, route: Route) -> Fault:
    found = fault_of(error)
    if found is None:
        LOG.error("%s %s: %s", route.method, route.path, type(error).__name__, exc_info=error)
        found = Fault(500, "this is a bug of adjudge", "tell whoever runs the server; the log says more")
    return found


def _failed(fault: Fault, call: Call | None) -> Response:
    """Why there is no other answer, as JSON or, of a page, as a page; whoever is not signed in is asked to."""
    headers = {"retry-after": "1"} if fault.status in (429, 503) else {}
    if call is not None and call.route.page:
        from adjudge.serve.pages import error_page

        if fault.status == 401 and not call.route.unsafe:
            return RedirectResponse(f"/sign-in?to={quote(call.request.url.path)}", 303)
        return error_page(call, fault)
    return json_answer(fault.body, fault.status, headers)


async def _no_route(request: Request, error: Exception) -> Response:
    status: int = getattr(error, "status_code", 404)
    message = access.NOT_HERE if status == 404 else f"{request.method} is not possible here"
    return json_answer(ErrorAnswer("missing" if status == 404 else "method", message), status)


# ---------------------------------------------------------------------------------------------------------------------
# Who listens to what changes: server-sent events of one's own work, and of a campaign for who organises it


ALIVE = 20.0
"""Seconds after which something is sent, so that nobody in between takes the silence for an end."""
_WAITING = 100  # messages that somebody may be behind; then they have to load everything again


class Change(msgspec.Struct, frozen=True):
    """That something has changed, not what: whoever may see it asks again."""

    campaign: str
    scope: str
    reader: str
    tab: str = ""  # whose change it is; that tab knows

    def concerns(self, who: Who) -> bool:
        """Whether somebody may know of it."""
        return self.reader == who.person or "organiser" in who.roles_in(self.campaign)


class Hub:
    """All listeners of this process."""

    def __init__(self) -> None:
        self._listeners: dict[asyncio.Queue[Change | None], tuple[Who, asyncio.AbstractEventLoop]] = {}
        self._ended = False

    @property
    def listeners(self) -> int:
        """The number of listeners."""
        return len(self._listeners)

    def tell(self, change: Change) -> None:
        """Say to all whom it concerns that something has changed; from any thread."""
        for queue, (who, loop) in list(self._listeners.items()):
            if change.concerns(who):
                loop.call_soon_threadsafe(_put, queue, change)

    def end(self) -> None:
        """Disconnect all listeners, because the server is stopping."""
        self._ended = True
        for queue, (_, loop) in list(self._listeners.items()):
            loop.call_soon_threadsafe(_put, queue, None)

    async def listen(self, who: Who, still: Callable[[], Who | None]) -> AsyncIterator[bytes]:
        """What is sent to one who listens; `still` says from time to time who that is, or that they may no longer."""
        queue: asyncio.Queue[Change | None] = asyncio.Queue(_WAITING)
        loop = asyncio.get_running_loop()
        self._listeners[queue] = (who, loop)
        asked = loop.time()
        try:
            yield b"retry: 3000\n\n"
            while not self._ended:
                try:
                    change = await asyncio.wait_for(queue.get(), ALIVE)
                    if change is None:
                        return
                    yield b"data: " + msgspec.json.encode(change) + b"\n\n"
                except TimeoutError:
                    yield b": alive\n\n"
                if loop.time() - asked >= ALIVE:
                    now, asked = await asyncio.to_thread(still), loop.time()
                    if now is None:
                        return
                    self._listeners[queue] = (now, loop)
        finally:
            del self._listeners[queue]


def _put(queue: asyncio.Queue[Any], change: Change | None) -> None:
    while queue.full():
        queue.get_nowait()
    queue.put_nowait(change)


async def stream(call: Call) -> Response:
    """Server-sent events for whoever is signed in."""
    from starlette.responses import StreamingResponse

    def still() -> Who | None:
        return call.service.access.who(call.request.headers, call.request.cookies)

    return StreamingResponse(call.service.hub.listen(call.person, still), media_type="text/event-stream")
