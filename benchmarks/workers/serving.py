"""What the two sides of the algebra share."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.house.worker import reply, timed

# A task turns the content of its file into native objects and gives the function to be timed.
Run = Callable[[], dict[str, float]]
Task = Callable[[Any], Run]


def serve(tasks: dict[str, Task]) -> None:
    """Load, then run the task up to REPEATS times or until SECONDS of CPU are spent, at least once."""
    name, path, repeats, seconds, *how = sys.argv[1:]
    run = tasks[name](json.loads(Path(path).read_bytes()))
    said = timed(run, repeats=int(repeats), seconds=float(seconds), mean=how == ["mean"])
    said["found"] = {part: float(value) for part, value in said["found"].items()}
    reply(said)
