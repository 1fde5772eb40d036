"""A new campaign: its folders and its settings, laid out whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from adjudge import scratch
from adjudge.errors import Problem, UsageError
from adjudge.formats.eal_layout import is_junk
from adjudge.stats.atomic import write_atomically
from adjudge.tasks.eal.campaign_settings import FILE, TEMPLATE
from adjudge.tasks.eal.campaign_state import digest_of

FOLDERS = ("sources", "submissions", "pool", "assessments", "frames", "scores")

Fill: TypeAlias = "Callable[[Path], Sequence[Path]]"


def init_campaign(folder: str | Path, *, fill: Fill | None = None) -> list[Path]:
    """Lay out a campaign, and give what was made; nothing that is there is changed.

    `fill` puts something into it, and gives what. The settings come last: without them there is no campaign, and what
    was made before is made again.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     made = init_campaign(Path(place) / "new")
    >>> [path.name for path in made]
    ['campaign.toml', 'sources', 'submissions', 'pool', 'assessments', 'frames', 'scores']
    """
    shown, folder = str(folder), Path(folder)
    try:
        _refuse_second(folder, shown)
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Beside the folder, or in it, because it may be a disk of its own or that in which somebody stands.
        place = folder / FILE if folder.is_dir() else Path(os.path.realpath(folder))
        with scratch.guarded(place, wait=True):
            scratch.sweep(place)
            _refuse_second(folder, shown)  # there may be one since somebody else was waited for
            name, handle = scratch.make_folder(place)
            stage = Path(name)
            try:
                for room in FOLDERS:
                    (stage / room).mkdir()
                filled = [] if fill is None else [path.relative_to(stage) for path in fill(stage)]
                write_atomically(stage / FILE, TEMPLATE.encode(), sweep=False)
                _move_in(stage, folder, shown)
            finally:
                scratch.remove(name)
                if handle is not None:
                    os.close(handle)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(Problem(f"cannot be made: {reason}", path=shown, hint=scratch.advice(error))) from None
    return [folder / FILE, *(folder / name for name in FOLDERS), *(folder / each for each in filled)]


def _refuse_second(folder: Path, shown: str) -> None:
    if (folder / FILE).exists():
        hint = f"continue it with: adjudge eal campaign run {shown}"
        raise UsageError(Problem("there is a campaign already", path=shown, hint=hint))


def _move_in(stage: Path, folder: Path, shown: str) -> None:
    if not folder.is_dir():
        stage.rename(folder)
        return
    there = {each.name for each in folder.iterdir() if not is_junk(each.name)}
    # What somebody who was killed has made is just what is made now.
    if any(not (stage / name).exists() or digest_of(stage / name) != digest_of(folder / name) for name in there):
        hint = "choose a new folder, or an empty one"
        raise UsageError(Problem("the folder is not empty", path=shown, hint=hint))
    for each in sorted(stage.iterdir(), key=lambda path: path.name == FILE):
        if each.name not in there:
            each.rename(folder / each.name)
