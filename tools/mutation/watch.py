"""A pytest plugin that notes which lines of the watched folders each test runs, and how long the test takes.

MUTATION_WATCH names the project, MUTATION_NOTES the file that is written. Needs `sys.monitoring` of Python 3.12.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Generator
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

ROOT = os.environ.get("MUTATION_WATCH", "") + "/"
FOLDERS = tuple(f"{ROOT}src/adjudge/{folder}/" for folder in ("algebra", "stats", "metrics"))
TOOL = sys.monitoring.COVERAGE_ID

hits: set[tuple[str, int]] = set()
notes: dict[str, dict[str, Any]] = {}


def _line(code: CodeType, number: int) -> Any:
    if code.co_filename.startswith(FOLDERS):
        hits.add((code.co_filename[len(ROOT) :], number))
    return sys.monitoring.DISABLE


def pytest_configure(config: pytest.Config) -> None:  # noqa: ARG001
    """Begin to watch."""
    sys.monitoring.use_tool_id(TOOL, "mutation")
    sys.monitoring.register_callback(TOOL, sys.monitoring.events.LINE, _line)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None]:
    """The lines of one test, from its fixtures to its end."""
    hits.clear()
    sys.monitoring.restart_events()
    sys.monitoring.set_events(TOOL, sys.monitoring.events.LINE)
    start = time.process_time()
    yield
    seconds = time.process_time() - start
    sys.monitoring.set_events(TOOL, 0)
    lines: dict[str, list[int]] = {}
    for path, line in sorted(hits):
        lines.setdefault(path, []).append(line)
    if lines:
        notes[item.nodeid] = {"seconds": seconds, "lines": lines}


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    """A test that does not pass as things are tells nothing of a mutant."""
    outcome = yield
    if outcome.get_result().outcome != "passed":
        notes[item.nodeid + "\0"] = {}


def pytest_sessionfinish() -> None:
    """Write the notes."""
    failed = {name[:-1] for name in notes if name.endswith("\0")}
    kept = {name: note for name, note in notes.items() if name not in failed and not name.endswith("\0")}
    Path(os.environ["MUTATION_NOTES"]).write_text(json.dumps({"tests": kept, "failed": sorted(failed)}))
