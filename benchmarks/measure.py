"""What both workers share: one task, measured in a process of its own.

python WORKER TASK FILE REPEATS SECONDS   prints one JSON object
"""

from __future__ import annotations

import contextlib
import gc
import json
import re
import resource
import sys
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

# A task turns the content of its file into native objects and gives the function to be timed.
Run = Callable[[], dict[str, float]]
Task = Callable[[Any], Run]

_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def peak_memory() -> int:
    """The most memory this process held since it started or since `forget_peak`, in bytes.

    On Linux not from getrusage: its maximum is handed down from the process that starts this one, so that a parent
    which is larger than its child would hide all that the child takes.
    """
    if _STATUS.exists():
        found = re.search(r"VmHWM:\s+(\d+) kB", _STATUS.read_text())
        if found:
            return int(found[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024  # bytes there, kilobytes elsewhere
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def forget_peak() -> None:
    """Let the peak start anew at what is held now, where the system can do that: loading may have taken more."""
    with contextlib.suppress(OSError):
        if _RESET.exists():
            _RESET.write_text("5")


def serve(tasks: dict[str, Task], packages: tuple[str, ...]) -> None:
    """Load, then run the task up to REPEATS times or until SECONDS of CPU are spent, at least once."""
    name, path, repeats, seconds = sys.argv[1:]
    run = tasks[name](json.loads(Path(path).read_bytes()) if path.endswith(".json") else path)
    gc.collect()
    gc.freeze()  # what was loaded is not the work: the collector need not go through it again and again
    forget_peak()
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
