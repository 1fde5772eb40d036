"""Who listens to what changes: server-sent events of one's own work, and of a campaign for who organises it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from starlette.responses import Response

    from adjudge.serve.access import Who
    from adjudge.serve.app import Call

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
    """Everybody who listens in this process."""

    def __init__(self) -> None:
        self._listeners: dict[asyncio.Queue[Change | None], tuple[Who, asyncio.AbstractEventLoop]] = {}
        self._ended = False

    @property
    def listeners(self) -> int:
        """How many there are."""
        return len(self._listeners)

    def tell(self, change: Change) -> None:
        """Say to all whom it concerns that something has changed; from any thread."""
        for queue, (who, loop) in list(self._listeners.items()):
            if change.concerns(who):
                loop.call_soon_threadsafe(_put, queue, change)

    def end(self) -> None:
        """Let everybody go, because the server ends."""
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
