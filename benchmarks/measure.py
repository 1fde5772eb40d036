"""What both workers share: one task, measured in a process of its own.

python WORKER TASK FILE REPEATS SECONDS   prints one JSON object
"""

from __future__ import annotations

import gc
import json
import resource
import sys
import time
from collections.abc import Callable
from importlib import metadata
from typing import Any

# A task turns the content of its file into native objects and gives the function to be timed.
Run = Callable[[], dict[str, float]]
Task = Callable[[Any], Run]

_UNIT = 1 if sys.platform == "darwin" else 1024  # ru_maxrss counts bytes there, kilobytes elsewhere


def peak_memory() -> int:
    """The most memory this process ever held, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT


def serve(tasks: dict[str, Task], packages: tuple[str, ...]) -> None:
    """Load, then run the task up to REPEATS times or until SECONDS of CPU are spent, at least once."""
    name, path, repeats, seconds = sys.argv[1:]
    with open(path, "rb") as file:  # noqa: PTH123
        run = tasks[name](json.load(file) if path.endswith(".json") else path)
    gc.collect()
    gc.freeze()  # what was loaded is not the work: the collector need not go through it again and again
    before = peak_memory()
    times: list[float] = []
    scores: dict[str, float] = {}
    while not times or (len(times) < int(repeats) and sum(times) < float(seconds)):
        start = time.process_time()
        scores = run()
        times.append(time.process_time() - start)
    after = peak_memory()
    versions = {package: metadata.version(package) for package in packages}
    scores = {part: float(value) for part, value in scores.items()}
    json.dump({"cpu": times, "memory": after - before, "scores": scores, "versions": versions}, sys.stdout)
