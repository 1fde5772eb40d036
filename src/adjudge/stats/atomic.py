"""Files that are written whole or not at all."""

from __future__ import annotations

import os

from adjudge.errors import Problem, UsageError


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write `data` to a temporary file next to `path`, flush it to the disk, then rename it over `path`.

    A reader sees the old file or the new one, never half of one, and a failure leaves nothing behind.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically(Path(folder) / "scores.json", b"{}")
    ...     sorted(p.name for p in Path(folder).iterdir())
    ['scores.json']
    """
    # Imported here because they are slow to load, and most results are only printed.
    import secrets
    from pathlib import Path

    # A symbolic link stays a link: what it points to is replaced.
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}")
    try:
        # os.open rather than tempfile: the mode of the new file follows the umask, as the user expects.
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        reason = error.strerror or str(error)
        hint = "choose a file in a folder that exists and that you may write to"
        raise UsageError(Problem(f"cannot be written: {reason}", path=os.fspath(path), hint=hint)) from error
