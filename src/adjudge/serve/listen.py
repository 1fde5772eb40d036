"""Listening, by uvicorn: clients that never say what they want cannot keep everybody else out."""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections.abc import Callable
from typing import Any, ClassVar

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from adjudge.serve.app import SLOWEST

WAITING = 500
"""Connections without a request; of more the one that has waited longest is closed."""
_FILES = 65_536


class Patient(H11Protocol):
    """A connection that is closed when its request has no complete head in time, or too many others wait with it."""

    waiting: ClassVar[dict[Patient, asyncio.TimerHandle]] = {}

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Stop waiting once there is one."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop()

    def on_response_complete(self) -> None:
        """Wait for the next one."""
        super().on_response_complete()
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is closed."""
        self._stop()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._stop()
        self.waiting[self] = self.loop.call_later(SLOWEST, self.timeout_keep_alive_handler)
        if len(self.waiting) > WAITING:
            oldest = next(iter(self.waiting))
            oldest._stop()
            oldest.timeout_keep_alive_handler()

    def _stop(self) -> None:
        timer = self.waiting.pop(self, None)
        if timer is not None:
            timer.cancel()


class Server(uvicorn.Server):
    """Says at which port it listens, and at the end lets those go who listen to it."""

    def __init__(self, config: uvicorn.Config, listens: Callable[[int], None], ends: Callable[[], None]) -> None:
        super().__init__(config)
        self._listens, self._ends = listens, ends

    async def startup(self, sockets: list[Any] | None = None) -> None:
        """Begin."""
        open_many_files()
        await super().startup(sockets)
        gc.freeze()  # what is loaded stays: looking through it now and then would hold up everybody
        if self.started:
            self._listens(self.servers[0].sockets[0].getsockname()[1])

    async def shutdown(self, sockets: list[Any] | None = None) -> None:
        """End."""
        self._ends()
        await super().shutdown(sockets)


def open_many_files() -> None:
    """Let this process have as many files and connections as it may: often that is more than it has by default."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = _FILES if hard == resource.RLIM_INFINITY else min(hard, _FILES)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))
