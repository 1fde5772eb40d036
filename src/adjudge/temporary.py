"""What is not finished yet: hidden files and folders beside the names that they will get.

They are called `.NAME.` and twelve hexadecimal digits, or `.NAME.adjudge-lock`. Whoever makes one holds it, by a lock
that the system takes back when the process ends, in whatever way; so the next writer of NAME can tell what was left
behind, and removes it. Where files cannot be locked, nothing is removed.
"""

# pathlib is slow to load, and most results are only printed.
# ruff: noqa: PTH102, PTH104, PTH106, PTH108, PTH112, PTH114, PTH116, PTH118, PTH119, PTH208
from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

OLD = ".old"  # what had the name before, put aside until the new one has it
PACKED = ".packed"  # the archive that is made of a folder
LOCK = ".adjudge-lock"
_LONGEST = 255 - len(f"..{'0' * 12}{PACKED}")  # bytes of a name; most systems take 255


def hidden(path: str | os.PathLike[str]) -> str:
    """A new name beside `path` for what will be called so.

    >>> os.path.dirname(hidden("runs/a.json")), len(os.path.basename(hidden("runs/" + 250 * "x"))) < 256
    ('runs', True)
    """
    folder, name = os.path.split(os.fspath(path))
    return os.path.join(folder, f".{_short(name)}.{os.urandom(6).hex()}")


def advice(error: Exception, otherwise: str = "choose a place that exists and that you may write to") -> str:
    """What to do about an output that cannot be written."""
    if getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return "make room, or write elsewhere"
    return otherwise


def make_file(path: str | os.PathLike[str]) -> tuple[str, int]:
    """Make a hidden file for `path`, and hold it as long as it is open."""
    while True:
        name = hidden(path)
        # os.open rather than tempfile: the mode of the new file follows the umask, as the user expects.
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        handle = os.open(name, flags, 0o666)
        if hold(handle) is not False and os.path.lexists(name):
            return name, handle
        with suppress(OSError):  # somebody who removes what was left behind was faster, or is about to be
            os.unlink(name)
        os.close(handle)


def make_folder(path: str | os.PathLike[str], *, mode: int = 0o777) -> tuple[str, int | None]:
    """Make a hidden folder for `path`, and hold it as long as the handle is open, where folders can be held."""
    while True:
        name = hidden(path)
        os.mkdir(name, mode)
        try:
            handle = os.open(name, os.O_RDONLY)
        except FileNotFoundError:
            continue
        except OSError:  # Windows opens no folders
            return name, None
        if hold(handle) is not False and os.path.lexists(name):
            return name, handle
        with suppress(OSError):
            os.rmdir(name)
        os.close(handle)


def can_hold() -> bool:
    """Whether open files can be locked here, and renamed and removed; Windows does neither."""
    try:
        import fcntl  # noqa: F401
    except ImportError:
        return False
    return True


def hold(handle: int, *, wait: bool = False) -> bool | None:
    """Lock an open file or folder: whether that was possible, None if the system cannot lock it."""
    if not can_hold():
        return None
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError as error:
        return False if error.errno in (errno.EAGAIN, errno.EACCES) else None
    return True


def is_held(path: str | os.PathLike[str]) -> bool | None:
    """Whether a process that lives holds a file or folder; None if that cannot be known."""
    with _claimed(os.fspath(path)) as mine:
        return None if mine is None else not mine


@contextmanager
def guarded(path: str | os.PathLike[str], *, wait: bool = False) -> Iterator[bool]:
    """Be the only one who writes `path`, by a hidden file beside it: whether that is so, or after waiting until it is.

    The file is removed at the end; one that is left by a process that was killed holds nobody up.
    """
    folder, name = os.path.split(os.fspath(path))
    lock = os.path.join(folder, f".{_short(name)}{LOCK}")
    while True:
        try:
            handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        except PermissionError:  # of another user, who was killed
            yield True
            return
        held = hold(handle, wait=wait)
        if held is False or _is_file(lock, handle):
            break
        os.close(handle)  # whoever had it has removed it
    try:
        yield held is not False
    finally:
        if not can_hold():
            os.close(handle)
        if held is not False:
            with suppress(OSError):
                os.unlink(lock)
        if can_hold():
            os.close(handle)


def sweep(path: str | os.PathLike[str]) -> None:
    """Remove what writers of `path` who are no more have left beside it.

    What they had put aside is put back if there is nothing in its place.
    """
    folder, name = os.path.split(os.fspath(path))
    _sweep(folder or ".", _short(name))


def sweep_folder(folder: str | os.PathLike[str]) -> None:
    """The same for everything in a folder."""
    _sweep(os.fspath(folder), None)


def _short(name: str) -> str:
    data = os.fsencode(name)
    return name if len(data) <= _LONGEST else os.fsdecode(data[:_LONGEST])


def _sweep(folder: str, name: str | None) -> None:
    """Go through the hidden names of a folder, first each of its own, then what belongs to it."""
    import re

    any_ = ".+" if name is None else re.escape(name)
    form = re.compile(rf"\.({any_})(?:\.[0-9a-f]{{12}}(\{OLD}|\{PACKED})?|\{LOCK})", re.DOTALL)
    targets: dict[str, str] = {}
    try:
        for each in os.listdir(folder):
            if each.startswith(".") and (match := form.fullmatch(each)):
                targets[os.path.join(folder, each.removesuffix(match[2] or ""))] = os.path.join(folder, match[1])
    except OSError:
        return
    for base, target in sorted(targets.items()):
        with _claimed(base) as mine:
            if mine:
                _put_back(base + OLD, target)
                for path in (base + OLD, base + PACKED, base):
                    remove(path)


def _put_back(old: str, target: str) -> None:
    # A name that was cut is not the one that the old folder had.
    if os.path.lexists(old) and not os.path.lexists(target) and len(os.fsencode(os.path.basename(target))) < _LONGEST:
        with suppress(OSError):
            os.rename(old, target)


def remove(path: str) -> None:
    """Remove a file, or a folder with all that is in it, as far as that is possible."""
    import shutil

    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            os.unlink(path)


@contextmanager
def _claimed(path: str) -> Iterator[bool | None]:
    """Whether nobody holds a file or folder, which is ours in the meantime; what is not there is held by nobody."""
    try:
        # Neither through a link nor waiting for the other end of a pipe.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        # In a folder of many people, what is another's is not ours to remove, even if we could.
        if hasattr(os, "geteuid") and os.fstat(handle).st_uid != os.geteuid():
            os.close(handle)
            raise PermissionError
    except FileNotFoundError:
        yield True
        return
    except OSError:
        yield None
        return
    try:
        yield hold(handle)
    finally:
        os.close(handle)


def _is_file(path: str, handle: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(handle))
    except OSError:
        return False
