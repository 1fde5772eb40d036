"""The browser, and the folder of pages that `make_pages.py` writes."""

import json
from pathlib import Path

import pytest
from browsing import Window, browser

DEMOS = ("extraction", "coref", "nugget", "eal", "kbp")
FAMILIES = ("ner", "amr", "tree", "linking", "record", "template", "relation", "event", "kbp")
HOSTILE = range(11)


def pytest_addoption(parser):
    parser.addoption("--chromium", required=True, help="the browser")
    parser.addoption("--pages", required=True, type=Path, help="a folder with all pages")
    parser.addoption("--adjudge", type=Path, default=Path(".venv/bin/adjudge"), help="the program, to serve with")
    parser.addoption("--axe", type=Path, help="axe.min.js of axe-core")


@pytest.fixture(scope="session")
def chromium(request):
    with browser(request.config.getoption("--chromium")) as launched:
        yield launched


@pytest.fixture(scope="session")
def pages(request):
    return request.config.getoption("--pages")


@pytest.fixture(scope="session")
def known(pages):
    """What stands in the pages that are not demos."""
    found = json.loads((pages / "pages.json").read_text(encoding="utf-8"))
    assert (tuple(found["families"]), len(found["hostile"])) == (FAMILIES, len(HOSTILE))
    return found


@pytest.fixture(scope="session")
def window(chromium):
    return Window(chromium)


@pytest.fixture(scope="session")
def bare_window(chromium):
    """A browser without scripts."""
    return Window(chromium, java_script_enabled=False)


@pytest.fixture(scope="session")
def axe(request, chromium):
    """Open a page and say what axe-core finds serious in each of its parts."""
    path = request.config.getoption("--axe")
    if path is None or not path.exists():
        pytest.skip("axe-core is not installed: npm install --prefix build/axe axe-core")
    source = path.read_text(encoding="utf-8")
    window = Window(chromium, bypass_csp=True)  # axe is not a script of the page
    yield lambda page, **options: (window.open(page, **options), window.page.evaluate(source))[0]
    window.context.close()


@pytest.fixture
def look(window, pages):
    """Open a page; the test fails if anything goes wrong on it, up to its end."""
    yield lambda name, **options: window.open(pages / f"{name}.html", **options)
    assert not window.wrong


def pytest_generate_tests(metafunc):
    families = [f"family-{name}" for name in FAMILIES]
    for name, values in (
        ("task", DEMOS),
        ("every", (*DEMOS, *families, "forty", "one")),
        ("hostile", HOSTILE),
    ):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, values)
