"""Write docs/images: the pages of the demos as a reader sees them, in a small window.

python tests/browser/screenshots.py --chromium PATH --pages FOLDER
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

from browsing import Window, browser
from playwright.sync_api import Browser, Page
from serving import Reader, demo_server, folder_server, press, saved

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
LARGEST = 150_000
SIZE = {"width": 1120, "height": 700}


def beginning(page: Page) -> None:
    """The headline and the ranking."""


def document(page: Page) -> None:
    """The second document, at its first error."""
    page.evaluate("location.hash = '#documents'")
    page.wait_for_selector("#document h3")
    page.keyboard.press("n")
    page.keyboard.press("j")


def chains(page: Page) -> None:
    """Chains as brackets."""
    page.evaluate("location.hash = '#documents'")
    page.wait_for_selector("#document h3")
    page.locator("#panes").evaluate("each => scrollTo(0, each.getBoundingClientRect().top + scrollY - 8)")


def steps(page: Page) -> None:
    """Where paths are lost."""
    page.evaluate("location.hash = '#panels'")
    page.locator("#panels .switch").evaluate("each => scrollTo(0, each.getBoundingClientRect().top + scrollY - 8)")


SHOTS = {
    "report-extraction": ("extraction", beginning),
    "report-extraction-documents": ("extraction", document),
    "report-coref": ("coref", chains),
    "report-nugget": ("nugget", document),
    "report-eal": ("eal", document),
    "report-kbp": ("kbp", steps),
}


def main() -> None:
    """Take every picture; one that is too large for the documentation is an error."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chromium", required=True)
    parser.add_argument("--pages", required=True, type=Path)
    parser.add_argument("--adjudge", type=Path, default=Path(".venv/bin/adjudge"))
    given = parser.parse_args()
    IMAGES.mkdir(exist_ok=True)
    with browser(given.chromium) as launched:
        window = Window(launched)
        for name, (task, show) in SHOTS.items():
            page = window.open(given.pages / f"{task}.html", **SIZE)
            show(page)
            keep(name, page.screenshot(), window.wrong)
        with demo_server(given.adjudge) as link:
            reader = Reader(launched, link, None, viewport={"width": 1060, "height": 620})
            reader.page()
            keep("serve-assess", assessing(reader).screenshot(), reader.wrong)
        for stage, shots in DESKS.items():
            with tempfile.TemporaryDirectory() as folder:
                deciding(launched, given.adjudge, Path(folder) / "autumn", stage, shots)


DESKS = {  # of a campaign whose readers differ at a stage: name, who looks at what, and by what it is known to be there
    "assess": [("serve-organise", "otto", "/organise/demo", "main table")],
    "group": [
        ("serve-group", "ann", "/c/demo/MINI_NW_01/group", ".rows"),
        ("serve-adjudicate", "dora", "/adjudicate/demo", ".asked"),
    ],
}


def deciding(
    launched: Browser, adjudge: Path, folder: Path, stage: str, shots: list[tuple[str, str, str, str]]
) -> None:
    """Groups, the dispute about them, and the page of the organiser."""
    script = Path(__file__).with_name("disputed.py")
    words = [adjudge.with_name("python"), script, folder, stage]
    invited = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
    with folder_server(adjudge, folder) as base:
        for name, person, path, sign in shots:
            reader = Reader(launched, f"{base}/join/{invited[person]}", None, viewport={"width": 1060, "height": 620})
            page = reader.tab()
            page.goto(reader.link)
            page.locator("main form button").click()
            page.wait_for_url(lambda url: "/join/" not in url)
            page.goto(base + path)
            page.wait_for_selector(sign)
            keep(name, page.screenshot(), reader.wrong)
            reader.context.close()


def assessing(reader: Reader) -> Page:
    """A document of which some responses are answered."""
    page = reader.page("MINI_NW_01")
    for keys in ("na", "q", "na", "a", "na", "na", "w", "na"):
        press(page, *keys)
    saved(page)
    return page


def keep(name: str, picture: bytes, wrong: list[str]) -> None:
    """Write a picture, unless something went wrong or it is too large."""
    if wrong or len(picture) > LARGEST:
        raise SystemExit(f"{name}: {wrong or f'{len(picture)} bytes'}")
    (IMAGES / f"{name}.png").write_bytes(picture)
    print(f"docs/images/{name}.png  {len(picture)} bytes")


if __name__ == "__main__":
    main()
