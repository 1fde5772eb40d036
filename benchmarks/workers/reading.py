"""python -m benchmarks.workers.reading TASK read|all FOLDER: only read five systems and gold, or do everything.

`read` is our own readers and nothing else; `all` is the command with 1,000 samples and all comparisons in one process,
from its first import to what it writes.
"""

from __future__ import annotations

import gc
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks.house.worker import reply, timed

SYSTEMS = 5


def _systems(folder: Path, pattern: str) -> list[str]:
    found = [str(path) for path in sorted(folder.glob(pattern))[:SYSTEMS]]
    if len(found) < SYSTEMS:
        raise SystemExit(f"{len(found)} systems, not {SYSTEMS}")
    return found


def read_coref(folder: Path) -> Callable[[], int]:
    from adjudge.formats.coreference import read_coreference

    files = [str(folder / "key.conll"), *_systems(folder, "response*.conll")]

    def run() -> int:
        number = 0
        for file in files:  # one after the other, and forgotten, as the command does with systems
            corpus: Any = read_coreference(file, profile="conll-8.01")
            number += len(corpus.documents)
        return number

    return run


def read_eal(folder: Path) -> Callable[[], int]:
    from adjudge.formats.eal_store import open_frames, open_key, open_store

    def run() -> int:
        keys, frames = open_key(folder / "key"), open_frames(folder / "ref")
        stores = [open_store(Path(path)) for path in _systems(folder, "systems/*")]
        number = 0
        for document in keys.documents:
            frames.linking(keys.key(document))
            for store in stores:
                number += len(store.arguments(document).arguments)
                store.linking(document)
        return number

    return run


READERS = {"coref": read_coref, "eal": read_eal}


def command(task: str, folder: Path) -> list[str]:
    """The arguments of the command that does everything."""
    if task == "coref":
        return ["coref", "score", str(folder / "key.conll"), *_systems(folder, "response*.conll")]
    key = ["--key", str(folder / "key"), "--frames", str(folder / "ref")]
    return ["eal", "score", *key, *_systems(folder, "systems/*")]


def everything(task: str, folder: Path) -> Callable[[], None]:
    words = [*command(task, folder), "--bootstrap", "1000", "--jobs", "1", "--quiet", "--format", "json"]

    def run() -> None:
        from adjudge.cli import main

        with tempfile.TemporaryDirectory() as out:
            target = Path(out) / "result.json"
            with suppress(SystemExit):
                main([*words, "-o", str(target)])
            if not target.exists():
                raise SystemExit("the command wrote nothing")

    return run


if __name__ == "__main__":
    task, what, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    if what == "read":
        gc.disable()  # as the commands do
        reply(timed(READERS[task](folder)))
    else:
        reply(timed(everything(task, folder)))
