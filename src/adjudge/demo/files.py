"""The files of the bundled campaigns, copied to where people can change them."""

from __future__ import annotations

from pathlib import Path

from adjudge.demo import DATA
from adjudge.files import write_folder

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
    files = {
        file.relative_to(source).as_posix(): file.read_bytes()
        for file in sorted(source.glob("*.jsonl") if task == "extraction" else source.rglob("*"))
        if file.is_file()  # the other campaigns lie beside the files of extraction
    }
    write_folder(folder, files, fresh=True)
    return len(files)
