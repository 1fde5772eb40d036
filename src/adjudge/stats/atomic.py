"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

from adjudge import scratch
from adjudge.errors import Problem, UsageError


def write_atomically(path: str | os.PathLike[str], data: bytes, *, sweep: bool = True) -> None:
    """Write `data` to a temporary file next to `path`, flush it to the disk, then rename it over `path`.

    A reader sees the old file or the new one, never half of one, and a failure leaves nothing behind; what a writer who
    was killed has left is removed, unless `sweep` is false because many files of one folder are written.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically(Path(folder) / "scores.json", b"{}")
    ...     sorted(p.name for p in Path(folder).iterdir())
    ['scores.json']
    """
    with replacing(path, sweep=sweep) as file:
        file.write(data)


@contextmanager
def replacing(path: str | os.PathLike[str], *, sweep: bool = True) -> Iterator[IO[bytes]]:
    """A file to write, which takes the place of `path` if the block ends without an error.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder) / "a") as file:
    ...         _ = file.write(b"all")
    ...         seen = (Path(folder) / "a").exists()
    ...     seen, (Path(folder) / "a").read_bytes()
    (False, b'all')
    """
    # Imported here because it is slow to load, and most results are only printed.
    from pathlib import Path

    # A symbolic link stays a link: what it points to is replaced.
    target = os.path.realpath(path)
    try:
        if sweep:
            scratch.sweep(target)
        name, handle = scratch.make_file(target)
    except (OSError, ValueError) as error:
        raise _failed(path, error) from None
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _failed(path, error) from None
        raise


def _failed(path: str | os.PathLike[str], error: OSError | ValueError) -> UsageError:
    reason = getattr(error, "strerror", None) or str(error)
    hint = scratch.advice(error, "choose a file in a folder that exists and that you may write to")
    return UsageError(Problem(f"cannot be written: {reason}", path=os.fspath(path), hint=hint))
