"""What workers share: one piece of work, timed and weighed inside of its own process."""

from __future__ import annotations

import contextlib
import gc
import json
import re
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

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


def timed(run: Callable[[], Any], *, repeats: int = 1, seconds: float = 0.0, mean: bool = False) -> dict[str, Any]:
    """Run something up to `repeats` times or until `seconds` of CPU are spent, at least once.

    `cpu` is the best of the runs, or their mean; `megabytes` is the peak beyond what was held before.
    """
    gc.collect()
    gc.freeze()  # what was loaded is not the work: the collector need not go through it again and again
    forget_peak()
    before = peak_memory()
    times: list[float] = []
    found: Any = None
    while not times or (len(times) < repeats and sum(times) < seconds):
        start = time.process_time()
        found = run()
        times.append(time.process_time() - start)
    after = peak_memory()
    cpu = sum(times) / len(times) if mean else min(times)
    return {"cpu": cpu, "megabytes": (after - before) / 1e6, "process": after / 1e6, "found": found, "runs": len(times)}


def reply(said: dict[str, Any]) -> None:
    """The last line that a worker prints, whatever its libraries printed before."""
    sys.stdout.write("\n" + json.dumps(said) + "\n")
    sys.stdout.flush()
