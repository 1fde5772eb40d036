"""The files of the bundled campaigns, copied to where people can change them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from adjudge import scratch
from adjudge.demo import DATA
from adjudge.errors import Problem, UsageError

FOLDERS = {"extraction": DATA, **{name: DATA / name for name in ("coref", "nugget", "eal", "kbp")}}


def copy_campaign(task: str, folder: str | Path) -> int:
    """Copy the files of a campaign into a new or empty folder, all or none of them, and say how many they are.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as parent:
    ...     copy_campaign("extraction", Path(parent) / "demo")
    4
    """
    target = Path(folder)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UsageError(Problem("there is something already", path=str(folder), hint="choose a new or empty folder"))
    if not target.absolute().parent.is_dir():
        raise UsageError(Problem("the folder around it does not exist", path=str(folder), hint="create it first"))
    nested = task != "extraction"  # the other campaigns lie beside its files
    try:
        scratch.sweep(target.absolute())
        made, handle = scratch.make_folder(target.absolute())
        stage = Path(made)
        try:
            for file in sorted(FOLDERS[task].rglob("*") if nested else FOLDERS[task].glob("*.jsonl")):
                place = stage / file.relative_to(FOLDERS[task])
                if file.is_file():
                    place.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(file, place)
            number = sum(path.is_file() for path in stage.rglob("*"))
            if target.exists():
                target.rmdir()
            stage.rename(target)
        finally:
            shutil.rmtree(stage, ignore_errors=True)
            if handle is not None:
                os.close(handle)
    except OSError as error:
        reason = error.strerror or str(error)
        problem = Problem(f"cannot be written: {reason}", path=str(folder), hint=scratch.advice(error))
        raise UsageError(problem) from None
    return number
