"""One writer at a time: the file `__lock` in a store, which the official programs respect as well.

A store that is written for the first time is a folder with nothing but the lock until it is finished. The lock says
whose it is, and the file itself is locked until the process ends. So a lock left behind by a writer killed on this
machine is recognised: readers ignore it, because the store is unchanged, and the next writer takes it over. A lock of
another machine or another program is respected, and the error says what to do.
"""

from __future__ import annotations

import glob
import os
import shlex
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from adjudge import temporary
from adjudge.errors import EnvironmentFault, Problem, UsageError, is_fault, refusal
from adjudge.formats.archive import SUFFIXES

LOCK = "__lock"
MARK = "adjudge"

_TRIES = 20  # attempts to take over a lock that others may be checking
_PAUSE = 0.01  # seconds between them


@contextmanager
def locked(path: str | Path, *, overwrite: bool, seen: tuple[int, int] | None = None) -> Iterator[None]:
    """Hold the lock of a store, which need not be there yet; what is there may be replaced only with `overwrite`.

    `seen` is the identity of the store when it was opened, if it is: in the meantime nobody may have replaced it.
    """
    shown, path = str(path), resolved(path)
    temporary.sweep(path)  # also puts the old store back if a writer was killed before the new one had its name
    check_lock(shown, reserved=True)
    lock = lock_path(path)
    made = False
    held: ExitStack | None = None
    text = lock_text()
    try:
        if lock.parent == path and seen is None:
            made = _make_folder(path) or _is_reserved(path)
        if not overwrite and not made and os.path.lexists(path) and _has_content(path):
            hint = "choose another name, or give --overwrite"
            raise UsageError(Problem("it already exists", path=shown, hint=hint))
        if path.is_dir() and any(each.is_dir() for each in path.iterdir()):
            hint = "choose another name for what is to be written"
            raise UsageError(Problem("this is not such a store: it contains folders", path=shown, hint=hint))
        held = _take(path, lock, text)
        if held is None:
            raise just_locked(shown)
    except BaseException as error:
        if made:
            with suppress(OSError):
                path.rmdir()
        if not isinstance(error, OSError):
            raise
        if seen is not None and not path.exists():
            raise _replaced(shown) from None
        reason = error.strerror or error
        problem = Problem(f"cannot be written: {reason}", path=shown, hint=temporary.advice(error))
        raise refusal(error, problem) from None
    try:
        if seen is not None and identity(path) != seen:
            raise _replaced(shown)
        yield
    finally:
        # When all went well, the lock went with the old store, and one that is there now is another's.
        _leave(lock, text, held)
        if made:
            with suppress(OSError):
                path.rmdir()  # only if nothing was put in its place


def check_lock(path: str | Path, *, reserved: bool = False) -> None:
    """Raise if a store is being written; without `reserved` also if a killed writer left a store that was new."""
    problem = lock_problem(path)
    if problem is not None and not (reserved and is_left(lock_path(resolved(path)))):
        raise UsageError(problem)


def just_locked(path: str | Path) -> UsageError:
    """What to raise if somebody else has taken the lock of a store after it was checked."""
    message = "the store is locked: another program has just begun to write to it"
    return UsageError(lock_problem(path) or Problem(message, path=str(path), hint="try again"))


def lock_problem(path: str | Path) -> Problem | None:
    """Why a store must not be touched, and what to do about it; None if it may be."""
    shown, path = str(path), resolved(path)
    lock = lock_path(path)
    holder = read_lock(lock)
    if holder is None:
        return _unfinished(path, shown)
    if not holder.process:
        hint = f"wait until it is finished; if nobody is writing, remove the file {LOCK}"
        return Problem("the store is locked: another program is writing to it", path=shown, hint=hint)
    process, host, since = holder
    if host != this_host():
        hint = f"wait until it is finished; if it no longer runs, remove what it left: rm -r {shlex.quote(str(lock))}"
        message = f"the store is locked: process {process} on {host} has been writing to it since {since}"
        return Problem(message, path=shown, hint=hint)
    if not is_left(lock):
        message = f"the store is locked: process {process} has been writing to it since {since}"
        hint = "wait until it is finished"
        if not temporary.can_hold():  # nobody can tell whether it still runs
            hint = f"{hint}; if it no longer runs, remove what it left: {lock}"
        return Problem(message, path=shown, hint=hint)
    if _is_reserved(path):
        message = f"process {process}, writing since {since}, was interrupted; nothing was there before"
        return Problem(message, path=shown, hint="write it again, or remove the folder")
    return None


def clear_lock(path: str | Path) -> None:
    """Remove the lock that a killed writer left in a store, if there is one."""
    path = resolved(path)
    lock = lock_path(path)
    if is_left(lock):
        text = lock_text()
        with suppress(OSError):
            held = _take(path, lock, text)
            if held is not None:
                _leave(lock, text, held)


def _take(path: Path, lock: Path, text: str) -> ExitStack | None:
    """Create the lock of a store, or take over an abandoned one: what lets go of it, None if it is taken."""
    if not temporary.can_hold():
        return _make_lock(lock, text)
    name, handle = temporary.make_file(path)
    with ExitStack() as stack:
        stack.callback(os.close, handle)
        try:
            os.write(handle, text.encode())
            # The lock appears held and with its text in it: an empty one would be that of another program.
            os.link(name, lock)
        except FileExistsError:
            if not _take_over(name, lock):
                return None
        except (FileNotFoundError, NotADirectoryError):
            raise
        except OSError:  # a file system without links
            return _make_lock(lock, text)
        finally:
            with suppress(OSError):
                Path(name).unlink()
        return stack.pop_all()


def _make_lock(lock: Path, text: str) -> ExitStack | None:
    try:
        handle = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except FileExistsError:
        return None
    held = ExitStack()
    held.callback(os.close, handle)
    temporary.hold(handle)
    os.write(handle, text.encode())
    if not temporary.can_hold():  # the store could not be renamed while a file in it is open
        held.close()
    return held


def _take_over(name: str, lock: Path) -> bool:
    for _ in range(_TRIES):
        try:
            old = os.open(lock, os.O_RDONLY)
        except FileNotFoundError:
            return False
        try:
            # Whoever holds it, and it is still the lock and not one that was just taken over, may put his own there.
            ours = (read_lock(lock) or Holder()).host == this_host()
            if ours and temporary.hold(old) and os.path.samestat(os.fstat(old), lock.stat()):
                Path(name).replace(lock)
                return True
        except FileNotFoundError:
            return False
        finally:
            os.close(old)
        if not is_left(lock):
            return False
        time.sleep(_PAUSE)
    return False


def _leave(lock: Path, text: str, held: ExitStack) -> None:
    with held, suppress(OSError, UnicodeDecodeError):
        if lock.read_text(encoding="utf-8") == text:
            lock.unlink()


def lock_path(path: Path) -> Path:
    """Where the lock of a store is: inside, or beside an archive."""
    return path.with_name(f".{path.name}.{LOCK}") if path.name.endswith(SUFFIXES) else path / LOCK


def identity(path: str | Path) -> tuple[int, int] | None:
    """Which folder or file a path is at this moment."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError) as error:
        if is_fault(error):  # not the same as nothing being there
            reason = getattr(error, "strerror", None) or str(error)
            problem = Problem(f"cannot be read: {reason}", path=str(path), hint="check the permissions")
            raise EnvironmentFault(problem) from None
        return None
    return status.st_dev, status.st_ino


def resolved(path: str | Path) -> Path:
    """A path without links and dots."""
    try:
        return Path(path).resolve()
    except (OSError, RuntimeError, ValueError):  # circular links, or a null character
        raise UsageError(Problem("this is not a path", path=str(path), hint="check it")) from None


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


def _unfinished(path: Path, shown: str) -> Problem | None:
    """A writer puts the old store aside and then the new one in its place; it may be killed between the two."""
    if os.path.lexists(path):
        return None
    aside = sorted(path.parent.glob(f".{glob.escape(path.name)}.*{temporary.OLD}")) if path.parent.is_dir() else []
    if not aside:
        return None
    if temporary.is_held(str(aside[-1]).removesuffix(temporary.OLD)):
        return Problem("another program is replacing the store right now", path=shown, hint="try again")
    message = f"a writer was interrupted when it replaced the store; the old one is {aside[-1]}"
    hint = f"put it back: mv {shlex.join((str(aside[-1]), str(path)))}, or write it again"
    return Problem(message, path=shown, hint=hint)


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
    except (OSError, ValueError) as error:
        if is_fault(error):
            reason = getattr(error, "strerror", None) or str(error)
            problem = Problem(f"the lock cannot be read: {reason}", path=str(lock), hint="check its permissions")
            raise refusal(error, problem) from None
        return Holder()
    if len(fields) != 5 or fields[0] != MARK or not (fields[1].isascii() and fields[1].isdecimal()):
        return Holder()
    return Holder(*fields[1:4])


def is_left(lock: Path) -> bool:
    """Whether a lock is of a process of this machine that is no more; what it was writing is as it was before."""
    holder = read_lock(lock)
    if holder is None or holder.host != this_host():
        return False
    held = temporary.is_held(lock)
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
