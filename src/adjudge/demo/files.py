"""The files of the bundled campaigns, copied to where people can change them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from adjudge import scratch
from adjudge.demo import DATA
from adjudge.errors import Problem, UsageError

FOLDERS = {"extraction": DATA, **{name: DATA / name for name in ("coref", "nugget", "eal", "kbp")}}


def copy_campaign(task: str, folder: str | Path) -> int:
    """Copy the files of a campaign into a folder, all or none of them, and say how many they are.

    The folder is made if it is not there. Nothing in it is replaced.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as parent:
    ...     copy_campaign("extraction", Path(parent) / "demo")
    4
    """
    source = FOLDERS[task]
    files = sorted(
        file.relative_to(source)
        for file in (source.glob("*.jsonl") if task == "extraction" else source.rglob("*"))
        if file.is_file()  # the other campaigns lie beside the files of extraction
    )
    target = Path(os.path.realpath(folder))
    if not target.parent.is_dir():
        raise UsageError(Problem("the folder around it does not exist", path=str(folder), hint="create it first"))
    try:
        # What is there may be the folder one is in, or a disk of its own, and is not replaced by another.
        place = target / target.name if target.is_dir() else target
        scratch.sweep(place)
        names = dict.fromkeys(file.parts[0] for file in files)
        _check_free(target, names, folder)
        _copy(source, files, place, target)
    except OSError as error:
        reason = error.strerror or str(error)
        problem = Problem(f"cannot be written: {reason}", path=str(folder), hint=scratch.advice(error))
        raise UsageError(problem) from None
    return len(files)


def _check_free(target: Path, names: Iterable[str], folder: str | Path) -> None:
    """Raise if something is called as a file of the campaign, or as the folder itself."""
    taken = [Path(folder) / name for name in names if os.path.lexists(target / name)]
    if target.exists() and not target.is_dir():
        taken = [Path(folder)]
    if taken:
        problems = [
            Problem("there is something already", path=str(each), hint="choose a new or empty folder") for each in taken
        ]
        raise UsageError(problems)


def _copy(source: Path, files: Sequence[Path], place: Path, target: Path) -> None:
    made, handle = scratch.make_folder(place)
    stage = Path(made)
    moved: list[Path] = []
    try:
        for file in files:
            (stage / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / file, stage / file)
        if not target.exists():
            stage.rename(target)
            return
        for each in sorted(stage.iterdir()):
            each.rename(target / each.name)
            moved.append(target / each.name)
    except OSError:
        for each in moved:
            scratch.remove(str(each))
        raise
    finally:
        shutil.rmtree(stage, ignore_errors=True)
        if handle is not None:
            os.close(handle)
