"""Which files are to be scored, and whether their documents should not all be held at once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

from adjudge.engine.local import processors
from adjudge.evaluate.inputs import stem
from adjudge.formats.source import find_shards
from adjudge.tasks.documents import chosen_names

LARGE = 64 << 20  # bytes of JSON from which on documents are not held, which take ten times as much
SHARED = 16 << 20  # bytes from which on several processes pay if nobody says how many
_PACKED = 8  # how much larger compressed files are than they look


class Inputs(NamedTuple):
    """The files of gold and of every system, and how messages call them."""

    gold: str
    systems: tuple[str, ...]
    names: tuple[str, ...]
    files: tuple[tuple[str, ...], ...]


def find_inputs(gold: Any, system: Any, names: Sequence[str] | None) -> Inputs | None:
    """The files, if all documents come from files that can be opened twice; else None.

    >>> find_inputs([{"id": "a"}], "run.jsonl", None) is None
    True
    """
    several = list(system) if isinstance(system, list | tuple) else [system]
    sources = [gold, *several]
    if not several or not all(isinstance(source, str | os.PathLike) for source in sources):
        return None
    files = []
    for source in sources:
        shards = find_shards(source)
        found = [os.fspath(source)] if shards is None else shards
        if not all(os.path.isfile(path) for path in found):  # noqa: PTH113
            return None
        files.append(tuple(found))
    called = chosen_names([stem(source) for source in several], names)
    return Inputs(os.fspath(gold), tuple(map(os.fspath, several)), tuple(called), tuple(files))


def is_large(inputs: Inputs) -> bool:
    """Whether the documents would take more memory than is reasonable."""
    total = 0
    for path in (path for own in inputs.files for path in own):
        packed = path.endswith((".gz", ".zst", ".parquet"))
        total += os.path.getsize(path) * (_PACKED if packed else 1)  # noqa: PTH202
    return total > LARGE


def pays(inputs: Inputs, jobs: int | None) -> bool:
    """Whether other processes should read the files: as many as somebody says, or because it takes long."""
    if jobs:
        return jobs > 1
    size = sum(os.path.getsize(path) for own in inputs.files for path in own)  # noqa: PTH202
    return size >= SHARED and processors() > 1
