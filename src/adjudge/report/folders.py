"""Several files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from adjudge.errors import Problem, UsageError


def write_folder(folder: str | Path, files: Mapping[str, bytes], *, inputs: Iterable[str | Path] = ()) -> None:
    """Write files into a folder, which is made if it is not there; nothing is changed if any of them cannot be written.

    A file that has these bytes already is left alone, so a text may lie beside its annotations; any other file among
    the `inputs` is not overwritten.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as parent:
    ...     write_folder(Path(parent) / "out", {"a.ann": b"", "a.txt": b"He died"})
    ...     sorted(path.name for path in (Path(parent) / "out").iterdir())
    ['a.ann', 'a.txt']
    """
    target = Path(os.path.realpath(folder))
    if target.exists() and not target.is_dir():
        raise _refused(folder, "this is a file, a folder is needed", "choose another name")
    if not target.parent.is_dir():
        raise _refused(folder, "the folder around it does not exist", "create it first")
    kept = {name: data for name, data in files.items() if not _is_same(target / name, data)}
    taken = {os.path.realpath(each) for each in inputs}
    for name in kept:
        if os.path.realpath(target / name) in taken:
            raise _refused(target / name, "this file is also an input", "choose another folder for the output")
        if (target / name).is_dir():
            raise _refused(target / name, "this is a folder", "choose another folder for the output")
    stage = target.with_name(f".{target.name}.{secrets.token_hex(6)}")
    try:
        try:
            stage.mkdir()
            for name, data in kept.items():
                with (stage / name).open("xb") as stream:
                    stream.write(data)
                    stream.flush()
                    os.fsync(stream.fileno())
            if not target.exists():
                stage.rename(target)
            else:
                for name in kept:
                    (stage / name).replace(target / name)
        finally:
            shutil.rmtree(stage, ignore_errors=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise _refused(folder, f"cannot be written: {reason}", "choose a place that you may write to") from error


def _is_same(path: Path, data: bytes) -> bool:
    try:
        return path.is_file() and path.stat().st_size == len(data) and path.read_bytes() == data
    except (OSError, ValueError):
        return False


def _refused(path: str | Path, message: str, hint: str) -> UsageError:
    return UsageError(Problem(message, path=str(path), hint=hint))
