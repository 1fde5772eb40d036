"""A Chromium that looks at pages from disk, and writes down what it complains about or asks the network for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

# Nothing but the page: no graphics card, no errands of the browser's own.
FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WAIT = 60_000
"""Milliseconds that anything may take. Nothing needs it, but a machine may have much else to do."""
WIDTH, HEIGHT = 1400, 1000


@contextmanager
def browser(chromium: str) -> Iterator[Browser]:
    """The Chromium at a path, with an empty profile. Its sandbox does not work for root, who has containers."""
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=chromium, args=[*FLAGS, *(["--no-sandbox"] if root else [])], timeout=2 * WAIT
        )
        yield launched
        launched.close()


class Window:
    """A window of the browser, and what went wrong in it since the page was opened that it shows."""

    def __init__(self, browser: Browser, **options: object) -> None:
        self.context: BrowserContext = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, **options)
        self.context.set_offline(True)
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(WAIT)
        self.address, self.wrong = "about:blank", list[str]()
        note = self._note
        self.page.on("console", lambda message: note(f"console {message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: note(f"error: {error}"))
        self.page.on("dialog", lambda dialog: (note(f"dialog: {dialog.message}"), dialog.dismiss()))
        self.page.on("request", lambda request: self._asked(request.url))

    def _note(self, what: str) -> None:
        self.wrong.append(what)

    def _asked(self, url: str) -> None:
        known = url.partition("#")[0] == self.address or url == "about:blank" or url.startswith(("blob:", "data:"))
        if not known:
            self._note(f"request: {url}")

    def open(
        self, path: Path, *, at: str = "", width: int = WIDTH, height: int = HEIGHT, scheme: str = "light"
    ) -> Page:
        """Show a page from disk, as if for the first time."""
        self.page.goto("about:blank")
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.emulate_media(color_scheme=scheme, media="screen")
        self.address, self.wrong = path.resolve().as_uri(), []
        self.page.goto(self.address + at)
        return self.page
