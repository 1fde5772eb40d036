"""Where output goes: checked before the work, written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from adjudge.errors import Problem, UsageError
from adjudge.scratch import hold
from adjudge.stats.atomic import write_atomically

if TYPE_CHECKING:  # slow to load, and most results are only printed
    from pathlib import Path


def write_atomic(path: str | Path, content: str | bytes) -> None:
    """Write a file so that readers see the old content or the new, never a part; nothing is left behind on failure.

    A device or a pipe (such as /dev/stdout) cannot be replaced and is written directly.
    """
    from pathlib import Path

    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    target = Path(path)
    if target.is_dir():
        raise refused(path, "this is a folder", "name a file in it")
    if target.exists() and not target.is_file():
        try:
            with target.open("wb") as stream:
                stream.write(data)
        except OSError as error:
            raise refused(path, f"cannot be written: {error.strerror or error}", "write elsewhere") from error
    else:
        write_atomically(target, data)


def append_whole(path: str | Path, block: bytes) -> None:
    """Add a block to the end of a file, after an empty line if there is something before; all of it or nothing.

    The file keeps its place, because others may have it open and add to it as well.
    """
    is_new = not os.path.lexists(path)
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        hold(handle, wait=True)
        size = os.fstat(handle).st_size
        data = (b"\n" if size else b"") + block
        try:
            while data:  # all at once, but for a disk that is almost full
                data = data[os.write(handle, data) :]
        except BaseException:
            with suppress(OSError):
                os.ftruncate(handle, size)
                if is_new and not size:
                    os.unlink(path)  # noqa: PTH108  # pathlib is slow to load
            raise
    finally:
        os.close(handle)


def check_writable(path: str | Path, *, inputs: Iterable[str | Path] = ()) -> None:
    """Raise now if `path` cannot be written later or would overwrite an input, before any work is done for it."""
    from pathlib import Path

    target = Path(path)
    folder = target.resolve().parent
    if target.is_dir():
        raise refused(path, "this is a folder", "name a file in it")
    if not folder.is_dir():
        raise refused(path, "the folder of this file does not exist", "create it first")
    if not os.access(target if target.exists() else folder, os.W_OK):
        raise refused(path, "the file may not be written", "check the permissions of the file and its folder")
    for other in inputs:
        if target.exists() and Path(other).exists() and target.samefile(other):
            raise refused(path, "this file is also an input", "choose another name for the output")


def refused(path: str | Path, message: str, hint: str) -> UsageError:
    """The error that says why something is not written."""
    return UsageError(Problem(message, path=str(path), hint=hint))
