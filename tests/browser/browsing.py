"""A Chromium that looks at a page from disk, and writes down what it complains about or asks the network for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

TASKS = ("extraction", "coref", "nugget", "eal", "kbp")


@contextmanager
def browser(chromium: str) -> Iterator[Browser]:
    """The Chromium at a path. Its sandbox does not work for root, who has containers to himself."""
    arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=arguments)
        yield launched
        launched.close()


@contextmanager
def opened(browser: Browser, path: Path, **options: object) -> Iterator[tuple[Page, list[str]]]:
    """A page from disk, and what went wrong so far: errors and warnings of the console, requests other than for it."""
    address, wrong = path.resolve().as_uri(), []
    context = browser.new_context(**{"viewport": {"width": 1400, "height": 1000}, **options})
    page = context.new_page()
    page.set_default_timeout(10_000)
    page.on("console", lambda message: wrong.append(f"console {message.type}: {message.text}"))
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on("dialog", lambda dialog: (wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on(
        "request",
        lambda request: (
            request.url.partition("#")[0] == address
            or request.url.startswith(("blob:", "data:"))
            or wrong.append(f"request: {request.url}")
        ),
    )
    context.set_offline(True)
    page.goto(address)
    yield page, wrong
    context.close()
