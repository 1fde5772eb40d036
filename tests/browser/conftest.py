"""The browser, and the folder of pages: `adjudge demo TASK --report FOLDER --format json -o FOLDER/TASK.json`."""

from pathlib import Path

import pytest
from browsing import TASKS, browser, opened


def pytest_addoption(parser):
    parser.addoption("--chromium", required=True, help="the browser")
    parser.addoption("--pages", required=True, type=Path, help="a folder with the page and the result of every demo")


@pytest.fixture(scope="session")
def chromium(request):
    with browser(request.config.getoption("--chromium")) as launched:
        yield launched


@pytest.fixture(scope="session")
def pages(request):
    return request.config.getoption("--pages")


@pytest.fixture
def look(chromium, pages):
    """Open the page of a task; the test fails if anything goes wrong on it, up to its end."""
    ways, everything = [], []

    def look(task, **options):
        way = opened(chromium, pages / f"{task}.html", **options)
        page, wrong = way.__enter__()
        ways.append(way)
        everything.append(wrong)
        return page

    yield look
    for way in ways:
        way.__exit__(None, None, None)
    assert not [each for wrong in everything for each in wrong]


def pytest_generate_tests(metafunc):
    for name, tasks in (("task", TASKS), ("browsed", ("extraction", "nugget", "eal")), ("listed", TASKS[:-1])):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, tasks)
