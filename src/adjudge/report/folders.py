"""Several files that are written whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from adjudge import scratch
from adjudge.report.files import refused


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
        raise refused(folder, "this is a file, a folder is needed", "choose another name")
    if not target.parent.is_dir():
        raise refused(folder, "the folder around it does not exist", "create it first")
    for name in files:
        if name in ("", ".", "..") or not {"/", "\\", "\0"}.isdisjoint(name):
            raise refused(folder, f"{name!r} cannot be the name of a file in it", "rename the document")
    kept = {name: data for name, data in files.items() if not _is_same(target / name, data)}
    taken = {os.path.realpath(each) for each in inputs}
    for name in kept:
        if os.path.realpath(target / name) in taken:
            raise refused(target / name, "this file is also an input", "choose another folder for the output")
        if (target / name).is_dir():
            raise refused(target / name, "this is a folder", "choose another folder for the output")
    try:
        # What is there may be a disk of its own, into which nothing can be moved from beside it.
        place = target / target.name if target.exists() else target
        with scratch.guarded(place, wait=True):
            scratch.sweep(place)
            scratch.sweep(target)  # from when it was not there
            _write_all(place, target, kept)
    except OSError as error:
        reason = error.strerror or str(error)
        raise refused(folder, f"cannot be written: {reason}", scratch.advice(error)) from None


def _write_all(place: Path, target: Path, files: Mapping[str, bytes]) -> None:
    made, handle = scratch.make_folder(place)
    stage = Path(made)
    try:
        for name, data in files.items():
            with (stage / name).open("xb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
        if not target.exists():
            stage.rename(target)
        else:
            for name in files:
                (stage / name).replace(target / name)
    finally:
        shutil.rmtree(stage, ignore_errors=True)
        if handle is not None:
            os.close(handle)


def _is_same(path: Path, data: bytes) -> bool:
    try:
        return path.is_file() and path.stat().st_size == len(data) and path.read_bytes() == data
    except (OSError, ValueError):
        return False
