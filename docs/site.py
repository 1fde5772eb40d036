"""What the site needs beyond Markdown, as hooks of mkdocs: formulas, notebooks, and a page for every module.

    $a / b$          becomes MathML, which browsers draw without a script
    docs/x.ipynb     becomes a page
    api/MODULE.md    is made for every module of the package, from its docstrings

`python docs/site.py FOLDER` checks a site: no request leaves it, and every page is at most three clicks from home.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "adjudge"
SEARCH = ROOT / "docs" / "search-from-disk.js"
STYLE = ".md-typeset td code { white-space: nowrap; }\n"  # names of metrics are not broken on phones
CLICKS = 3
_ASKED = "https://unpkg.com/iframe-worker/shim"
_CODE = re.compile(r"(^ *```.*?^ *```[^\n]*$|^(?: {4}|\t)[^\n]*$|`+[^`\n]*`+)", re.M | re.S)
_MATHS = re.compile(r"\$\$(?P<display>.+?)\$\$|(?<![\\$\w])\$(?P<inline>[^\s$](?:[^$\n]*[^\s$])?)\$(?![\w$])", re.S)


def on_files(files: Any, config: Any) -> Any:
    """Add the pages of the modules, and a page for each notebook."""
    from mkdocs.structure.files import File

    for name, text in api_pages().items():
        files.append(File.generated(config, f"api/{name}.md", content=text))
    files.append(File.generated(config, f"assets/{SEARCH.name}", content=SEARCH.read_text(encoding="utf-8")))
    files.append(File.generated(config, "assets/site.css", content=STYLE))
    for notebook in sorted((ROOT / "docs").glob("*.ipynb")):
        files.append(File.generated(config, f"docs/{notebook.stem}.md", content=notebook_page(notebook)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Formulas outside of code become words that Markdown leaves alone."""
    page.formulas = []

    def put_aside(found: re.Match[str]) -> str:
        page.formulas.append(found)
        return f"formula{len(page.formulas) - 1}aside"

    pieces = _CODE.split(markdown)
    pieces[::2] = [_MATHS.sub(put_aside, piece) for piece in pieces[::2]]
    return "".join(pieces)


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """And these words become MathML."""
    return re.sub(r"formula(\d+)aside", lambda found: _formula(page.formulas[int(found[1])]), html)


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """The theme asks the network for what makes the search work from a folder; we have it here."""
    from mkdocs.utils import get_relative_url

    return output.replace(_ASKED, get_relative_url(f"assets/{SEARCH.name}", page.url))


def _formula(found: re.Match[str]) -> str:
    from latex2mathml.converter import convert

    display = found["display"]
    return str(convert((display or found["inline"]).strip(), display="block" if display else "inline"))


def api_pages() -> dict[str, str]:
    """A page for each module, made by the generator of the reference, and one that lists them by room."""
    sys.path.insert(0, str(ROOT / "docs"))
    from reference import described, entry

    rooms: dict[str, list[str]] = {}
    pages = {}
    for found in walk_packages([str(PACKAGE)], "adjudge."):
        module = import_module(found.name)
        summary = (inspect.getdoc(module) or "").partition("\n")[0]
        names = [
            name
            for name, value in vars(module).items()
            if not name.startswith("_") and getattr(value, "__module__", "") == found.name and callable(value)
        ]
        if found.name.endswith("__main__") or not summary or not names:
            continue
        entries = [entry(name, getattr(module, name), level=2) for name in names]
        pages[found.name] = "\n".join([f"# {found.name}\n\n{described(module)}\n", *entries])
        room = found.name.split(".")[1]
        rooms.setdefault(room, []).append(f"- [{found.name}]({found.name}.md): {summary}")
    listed = "\n\n".join(f"## {room}\n\n" + "\n".join(rows) for room, rows in rooms.items())
    about = "[The public names](../docs/reference-python.md) are stable; everything below may change without notice."
    return {**pages, "modules": f"# Python API\n\n{about}\n\n{listed}\n"}


def notebook_page(path: Path) -> str:
    """A notebook as Markdown: its text, its code, and what it printed."""
    return "\n\n".join(_cells(json.loads(path.read_text(encoding="utf-8")))) + "\n"


def _cells(notebook: Mapping[str, Any]) -> Iterator[str]:
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            yield text
            continue
        yield f"```python\n{text}\n```"
        for output in cell["outputs"]:
            printed = "".join(output.get("text", output.get("data", {}).get("text/plain", "")))
            if printed:
                yield f"```text\n{printed.rstrip()}\n```"


class _Page(HTMLParser):
    """What a page links to, and what it loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        target = given.get("href") or given.get("src") or ""
        if tag == "a":
            self.links.add(target)
        elif target and (tag != "link" or given.get("rel") in ("stylesheet", "icon", "preload", "preconnect")):
            self.loads.add(target)


def problems_of_site(site: Path) -> Iterator[str]:
    """What is wrong with a site that was built."""
    pages = {path.resolve(): _Page(path) for path in site.rglob("*.html") if path.name != "404.html"}
    near = {path: set(_local(path, page.links)) for path, page in pages.items()}
    reached = shell = {(site / "index.html").resolve()}
    for _ in range(CLICKS):
        shell = {to for path in shell for to in near.get(path, ())} - reached
        reached = reached | shell
    for path, page in sorted(pages.items()):
        name = path.relative_to(site.resolve())
        if path not in reached:
            yield f"{name}: more than {CLICKS} clicks from home"
        yield from (f"{name}: asks the network for {each}" for each in page.loads if urlsplit(each).netloc)
        yield from (f"{name}: links to nothing, {to.name}" for to in near[path] if not to.exists())


def _local(path: Path, links: set[str]) -> Iterator[Path]:
    for each in links:
        parts = urlsplit(each)
        if parts.path and not parts.scheme and not parts.netloc:
            yield (path.parent / unquote(parts.path)).resolve()


if __name__ == "__main__":
    wrong = list(problems_of_site(Path(sys.argv[1])))
    sys.exit("\n".join(wrong) if wrong else 0)
