"""A server with the bundled campaign, and somebody who works with it in the browser."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from browsing import HEIGHT, WAIT, WIDTH
from playwright.sync_api import Browser, Page, Request

GUARD = 140
"""Milliseconds after which a new response takes keys."""


@contextmanager
def demo_server(adjudge: Path) -> Iterator[str]:
    """The link that `adjudge serve demo` prints."""
    with _server([adjudge, "serve", "demo", "--port", "0"]) as lines:
        yield next(line.strip() for line in lines if "/join/" in line)


@contextmanager
def folder_server(adjudge: Path, folder: Path) -> Iterator[str]:
    """The address at which `adjudge serve run` serves a folder."""
    with _server([adjudge, "serve", "run", folder, "--port", "0"]) as lines:
        yield next(line.split(": ", 1)[1].strip() for line in lines if ": http" in line)


@contextmanager
def _server(command: list[str | Path]) -> Iterator[IO[str]]:
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield server.stdout
        finally:
            server.terminate()
            assert server.wait(60) == 0


class Reader:
    """A browser in which the reader of the demo is signed in; `wrong` is what should not have happened in it."""

    def __init__(self, browser: Browser, link: str, state: dict[str, object] | None, **options: object) -> None:
        self.base, self.link = link.partition("/join/")[0], link
        size = {"width": WIDTH, "height": HEIGHT}
        self.context = browser.new_context(**{"viewport": size, "storage_state": state, **options})
        self.context.set_default_timeout(WAIT)
        self.wrong: list[str] = []
        self.offline = False

    def page(self, scope: str | None = None) -> Page:
        """A new tab, on a document if there is one."""
        page = self.tab()
        page.goto(self.link if scope is None else f"{self.base}/c/demo/{scope}")
        self.ready(page)
        return page

    def tab(self) -> Page:
        """A new tab, with nothing in it."""
        page = self.context.new_page()
        page.on("console", lambda message: self._said(message.type, message.text))
        page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        page.on("request", self._asked)
        return page

    def ready(self, page: Page) -> None:
        """Wait until a document is there."""
        page.wait_for_selector("#questions section")

    def _said(self, kind: str, text: str) -> None:
        if kind in ("error", "warning") and not (self.offline or "Failed to load resource" in text):
            self.wrong.append(f"console {kind}: {text}")

    def _asked(self, request: Request) -> None:
        if "csp-report" in request.url or not request.url.startswith(self.base):
            self.wrong.append(f"request: {request.url}")

    def set_offline(self, offline: bool) -> None:
        """Cut the line, or mend it."""
        self.offline = offline or self.offline  # what failed meanwhile may be said later
        self.context.set_offline(offline)

    def view(self, scope: str) -> dict[str, object]:
        """What the server has of a document."""
        answer = self.context.request.get(f"{self.base}/api/v1/campaigns/demo/scopes/{scope}")
        assert answer.ok, answer.text()
        return json.loads(answer.text())

    def answers(self, scope: str) -> dict[str, dict[str, str]]:
        """What the server has of this reader, by item."""
        return {each["id"]: each["answers"] for each in self.view(scope)["items"]}


def saved(page: Page) -> None:
    """Wait until everything is saved."""
    page.wait_for_function("() => document.getElementById('saved').textContent === 'all saved'")


def press(page: Page, *keys: str) -> None:
    """Press keys, as one who has looked at what is shown."""
    page.wait_for_timeout(GUARD)
    for key in keys:
        page.keyboard.press(key)


def claim(page: Page) -> str:
    """What is asked about."""
    return page.locator("#claim").inner_text()


def said(page: Page, question: str) -> str:
    """What stands in the cell of a question."""
    return page.locator(f"section[aria-label='{question}'] .value").inner_text()
