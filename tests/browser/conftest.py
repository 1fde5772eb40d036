"""The browser, and the folder of pages that `make_pages.py` writes."""

import json
from pathlib import Path

import pytest
from browsing import TASKS, Window, browser


def pytest_addoption(parser):
    parser.addoption("--chromium", required=True, help="the browser")
    parser.addoption("--pages", required=True, type=Path, help="a folder with all pages")


@pytest.fixture(scope="session")
def chromium(request):
    with browser(request.config.getoption("--chromium")) as launched:
        yield launched


@pytest.fixture(scope="session")
def pages(request):
    return request.config.getoption("--pages")


@pytest.fixture(scope="session")
def known(pages):
    """What stands in the pages that are no demos."""
    return json.loads((pages / "pages.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def window(chromium):
    return Window(chromium)


@pytest.fixture(scope="session")
def bare_window(chromium):
    """A browser without scripts."""
    return Window(chromium, java_script_enabled=False)


@pytest.fixture
def look(window, pages):
    """Open a page; the test fails if anything goes wrong on it, up to its end."""
    yield lambda name, **options: window.open(pages / f"{name}.html", **options)
    assert not window.wrong


def pytest_generate_tests(metafunc):
    for name, values in (
        ("task", TASKS),
        ("browsed", ("extraction", "nugget", "eal")),
        ("listed", TASKS[:-1]),
        ("reported", ("ner", "amr", "template", "coref", "nugget", "eal", "kbp")),
        ("hostile", ("result", "nugget", "eal", "kbp")),
    ):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, values)
