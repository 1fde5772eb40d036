"""The state of a campaign: content hashes of everything a step has read and written, and the lock of a run.

The state is a cache. If it is lost, steps are repeated with the same results.
"""

from __future__ import annotations

import errno
import hashlib
import importlib
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from adjudge.errors import Problem, UsageError, is_fault, refusal, refusing
from adjudge.files import write_atomically
from adjudge.formats.eal_layout import is_junk
from adjudge.formats.eal_lock import LOCK, this_host

MEMORY = ".campaign"
FORM = 1  # of the state file
_CHUNK = 1 << 20


class Record(msgspec.Struct, frozen=True):
    """A step that is done: hashes of what it has read and written, what it said, and numbers that others need."""

    inputs: str
    outputs: str
    message: str
    details: str | None = None
    facts: dict[str, int] = {}


class State(msgspec.Struct):
    """All steps that are done, by name."""

    form: int = FORM
    steps: dict[str, Record] = msgspec.field(default_factory=dict)


def read_state(folder: Path) -> State:
    """The stored state; empty if the file is corrupt."""
    path = folder / MEMORY / "state.json"
    try:
        state = msgspec.json.decode(path.read_bytes(), type=State)
    except (OSError, ValueError, RecursionError) as error:  # also bytes that are not text
        if is_fault(error):
            reason = getattr(error, "strerror", None) or str(error)
            problem = Problem(f"cannot be read: {reason}", path=str(path), hint="check the permissions")
            raise refusal(error, problem) from None
        return State()
    return state if state.form == FORM else State()


def write_state(folder: Path, state: State) -> None:
    """Store the state."""
    data = msgspec.json.format(msgspec.json.encode(state, order="sorted"), indent=1)
    write_atomically(folder / MEMORY / "state.json", data + b"\n")


def digest(*parts: str) -> str:
    """A hash of several strings in their order.

    >>> digest("a", "bc") == digest("ab", "c")
    False
    """
    total = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogateescape")
        total.update(b"%d:" % len(data))
        total.update(data)
    return total.hexdigest()


def digest_of(*paths: Path) -> str:
    """A hash of the names and contents of files, and of all files in folders; what is not there counts as that."""
    return digest(*(part for path in paths for part in (path.name, _content(path))))


def _content(path: Path) -> str:
    with refusing("cannot be read", path, "check the permissions"):
        kind = kind_of(path)
        if kind == "folder":
            inner = sorted(each for each in path.iterdir() if not is_junk(each.name) and each.name != LOCK)
            return digest("folder", *(part for each in inner for part in (each.name, _content(each))))
        if kind != "file":
            return "nothing"
        total = hashlib.sha256(b"file")
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                total.update(chunk)
        return total.hexdigest()


def kind_of(path: Path) -> str:
    """A "folder", a "file" or "" for anything else and what is not there; what cannot be looked at is an error."""
    try:
        mode = path.stat().st_mode  # pathlib's own predicates are False if the disk fails
    except OSError as error:
        if is_fault(error):
            raise
        return ""
    return "folder" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else ""


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold the lock of a campaign.

    The operating system releases the lock however the process ends, so it never has to be removed.
    """
    path = folder / MEMORY / "lock"
    with refusing("cannot be written", path, "check the permissions of the folder"):
        path.parent.mkdir(exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        try:
            _lock(handle)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES, errno.EDEADLK):  # nobody has it, it cannot be had
                problem = Problem(f"cannot be locked: {error.strerror or error}", path=str(path), hint="try again")
                raise refusal(error, problem) from None
            process, _, since = (*os.read(handle, 200).decode("utf-8", "replace").split("\t"), "", "", "")[:3]
            who = f": process {process}, since {since.strip()}" if process else ""
            hint = "wait until it is finished"
            raise UsageError(Problem(f"another run is working on this campaign{who}", str(folder), hint=hint)) from None
        _write(handle, f"{os.getpid()}\t{this_host()}\t{_now()}\n")
        yield
        _write(handle, "")
    finally:
        os.close(handle)


def _write(handle: int, text: str) -> None:
    os.ftruncate(handle, 0)
    os.lseek(handle, 0, os.SEEK_SET)
    os.write(handle, text.encode())


def _lock(handle: int) -> None:
    try:
        import fcntl
    except ImportError:
        msvcrt: Any = importlib.import_module("msvcrt")  # of Windows
        # A byte far beyond the text, which others may still read.
        os.lseek(handle, 1 << 30, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        os.lseek(handle, 0, os.SEEK_SET)
    else:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def remove(path: Path) -> None:
    """Remove a file, or a folder with its contents, if it exists."""
    with refusing("cannot be removed", path, "check the permissions"):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def _now() -> str:
    from datetime import UTC, datetime

    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
