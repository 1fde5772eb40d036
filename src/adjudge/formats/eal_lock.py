"""The lock of a store: a file that says who writes to it, and that this process still holds if it lives."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from adjudge import scratch

LOCK = "__lock"
MARK = "adjudge"


class Holder(NamedTuple):
    """A process, its machine, and when it began to write; empty if the lock does not say so."""

    process: str = ""
    host: str = ""
    since: str = ""


def lock_text() -> str:
    """What the lock of this process says; no two are the same."""
    from datetime import UTC, datetime

    since = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    return f"{MARK}\t{os.getpid()}\t{this_host()}\t{since}\t{os.urandom(6).hex()}\n"


def read_lock(lock: Path) -> Holder | None:
    """Who holds a lock, None if there is no lock."""
    try:
        fields = lock.read_text(encoding="utf-8").rstrip("\n").split("\t")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError):
        return Holder()
    if len(fields) != 5 or fields[0] != MARK or not (fields[1].isascii() and fields[1].isdecimal()):
        return Holder()
    return Holder(*fields[1:4])


def is_left(lock: Path) -> bool:
    """Whether a lock is of a process of this machine that is no more; what it was writing is as it was before."""
    holder = read_lock(lock)
    if holder is None or holder.host != this_host():
        return False
    held = scratch.is_held(lock)
    return not (_runs(holder.process) if held is None else held)


def this_host() -> str:
    """The name of this machine."""
    import platform

    return platform.node().replace("\t", " ") or "unknown"


def _runs(process: str) -> bool:
    """Whether a process of this machine is still there; where it cannot be asked, it may be."""
    if os.name != "posix":
        return True
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError, ValueError):
        return True
    return True
