"""One writer at a time: the file `__lock` in a store, which the official programs respect as well.

A store that is written for the first time is a folder with nothing but the lock until it is finished. A writer that is
killed leaves its lock behind, and the store as it was; whoever meets the lock is told whose it is and what to do.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from adjudge.errors import Problem, UsageError
from adjudge.formats.eal_layout import LOCK
from adjudge.formats.eal_write import PACKED

MARK = "adjudge"


@contextmanager
def locked(path: str | Path, *, overwrite: bool, seen: tuple[int, int] | None = None) -> Iterator[None]:
    """Hold the lock of a store, which need not be there yet; what is there may be replaced only with `overwrite`.

    `seen` is the identity of the store when it was opened, if it is: in the meantime nobody may have replaced it.
    """
    import secrets

    shown, path = str(path), resolved(path)
    check_lock(shown)
    lock = lock_path(path)
    made = False
    try:
        if lock.parent == path and seen is None:
            made = _make_folder(path)
        if not overwrite and not made and os.path.lexists(path) and _has_content(path):
            hint = "choose another name, or give --overwrite"
            raise UsageError(Problem("there is something already", path=shown, hint=hint))
        if path.is_dir() and any(each.is_dir() for each in path.iterdir()):
            hint = "choose another name for what is to be written"
            raise UsageError(Problem("this is no such store: there are folders in it", path=shown, hint=hint))
        text = f"{MARK}\t{os.getpid()}\t{_host()}\t{_now()}\t{secrets.token_hex(6)}\n"
        try:
            with lock.open("x", encoding="utf-8") as stream:
                stream.write(text)
        except FileExistsError:
            check_lock(shown)
            message = "another program has just locked the store"
            raise UsageError(Problem(message, path=shown, hint="try again")) from None
    except OSError as error:
        if seen is not None and not path.exists():
            raise _replaced(shown) from None
        hint = "choose a place that exists and that you may write to"
        raise UsageError(Problem(f"cannot be written: {error.strerror or error}", path=shown, hint=hint)) from None
    try:
        if seen is not None and identity(path) != seen:
            raise _replaced(shown)
        yield
    finally:
        # When all went well, the lock went with the old store, and one that is there now is another's.
        with suppress(OSError, UnicodeDecodeError):
            if lock.read_text(encoding="utf-8") == text:
                lock.unlink()
        if made:
            with suppress(OSError):
                path.rmdir()  # only if nothing was put in its place


def check_lock(path: str | Path) -> None:
    """Raise if somebody writes to a store, or was interrupted when writing to it."""
    problem = lock_problem(path)
    if problem is not None:
        raise UsageError(problem)


def lock_problem(path: str | Path) -> Problem | None:
    """Why a store must not be touched, and what to do about it; None if it may be."""
    shown, path = str(path), resolved(path)
    lock = lock_path(path)
    holder = _holder(lock)
    if holder is None:
        return _unfinished(path, shown)
    if not holder:
        hint = f"wait until it is finished; if nobody is writing, remove the file {LOCK}"
        return Problem("the store is locked: another program is writing to it", path=shown, hint=hint)
    process, host, since = holder
    remedy = _remedy(path, lock)
    if host != _host():
        hint = f"wait until it is finished; if it no longer runs, {remedy}"
        message = f"the store is locked: process {process} on {host} has been writing to it since {since}"
        return Problem(message, path=shown, hint=hint)
    if _runs(int(process)):
        message = f"the store is locked: process {process} has been writing to it since {since}"
        return Problem(message, path=shown, hint="wait until it is finished")
    old = "nothing was there before" if _is_reserved(path) else "the store is as it was before"
    message = f"the store is locked: process {process}, writing since {since}, was interrupted; {old}"
    return Problem(message, path=shown, hint=remedy)


def _holder(lock: Path) -> tuple[str, str, str] | tuple[()] | None:
    """Process, machine and time of whoever holds a lock; nothing if it does not say so, None if there is no lock."""
    try:
        fields = lock.read_text(encoding="utf-8").rstrip("\n").split("\t")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError):
        return ()
    if len(fields) != 5 or fields[0] != MARK or not fields[1].isdecimal():
        return ()
    return fields[1], fields[2], fields[3]


def lock_path(path: Path) -> Path:
    """Where the lock of a store is: inside, or beside an archive."""
    return path.with_name(f".{path.name}.{LOCK}") if path.name.endswith(PACKED) else path / LOCK


def identity(path: str | Path) -> tuple[int, int] | None:
    """Which folder or file a path is at this moment."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def leftovers(path: Path) -> list[Path]:
    """What interrupted writers have left beside a store: hidden folders with a part of what they were to write."""
    pattern = re.compile(re.escape(f".{path.name}.") + r"[0-9a-f]{12}(\.old|\.packed)?")
    try:
        return sorted(each for each in path.parent.iterdir() if pattern.fullmatch(each.name))
    except OSError:
        return []


def resolved(path: str | Path) -> Path:
    """A path without links and dots."""
    try:
        return Path(path).resolve()
    except (OSError, RuntimeError, ValueError):  # links in a circle, or a null character
        raise UsageError(Problem("this is no path", path=str(path), hint="check it")) from None


def _replaced(shown: str) -> UsageError:
    message = "another program has replaced the store while it was opened"
    return UsageError(Problem(message, path=shown, hint="try again"))


def _make_folder(path: Path) -> bool:
    """Make the folder of a store; whether there was none."""
    try:
        path.mkdir()
    except FileExistsError:
        return False
    return True


def _has_content(path: Path) -> bool:
    return not path.is_dir() or next(path.iterdir(), None) is not None


def _is_reserved(path: Path) -> bool:
    try:
        return path.is_dir() and [each.name for each in path.iterdir()] == [LOCK]
    except OSError:
        return False


def _remedy(path: Path, lock: Path) -> str:
    gone = path if _is_reserved(path) else lock
    found = [str(gone), *(str(each) for each in leftovers(path) if each.suffix != ".old")]
    return f"remove what it left: rm -r {shlex.join(found)}"


def _unfinished(path: Path, shown: str) -> Problem | None:
    """A writer puts the old store aside and then the new one in its place; it may be killed between the two."""
    if os.path.lexists(path):
        return None
    aside = [each for each in leftovers(path) if each.suffix == ".old"]
    if not aside:
        return None
    lock = aside[-1] / LOCK
    holder = _holder(lock)
    if holder and holder[1] == _host() and _runs(int(holder[0])):
        return Problem(f"process {holder[0]} is just replacing the store", path=shown, hint="try again")
    message = f"a writer was interrupted when it replaced the store; the old one is {aside[-1]}"
    hint = f"put it back: mv {shlex.join((str(aside[-1]), str(path)))}"
    return Problem(
        message, path=shown, hint=hint if holder is None else f"{hint} && rm {shlex.quote(str(path / LOCK))}"
    )


def _runs(process: int) -> bool:
    """Whether a process of this machine is still there; where it cannot be asked, it may be."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _host() -> str:
    import platform

    return platform.node().replace("\t", " ") or "unknown"


def _now() -> str:
    from datetime import UTC, datetime

    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
