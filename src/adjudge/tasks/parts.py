"""Files of JSON lines in parts, each of which another process reads and counts by itself.

What comes back of a document is its counts, its short fields, and what it says in the words that the hash of the corpus
is made of. If anything is wrong, or a system has another order than gold, there is no answer, and all is read in this
process, which says what it is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

from adjudge.engine.local import can_travel, map_documents, processors
from adjudge.errors import UsageError
from adjudge.formats.ranges import Ranges, count_lines, cut_lines
from adjudge.stats.inference import Inference
from adjudge.tasks.adding import columns_of
from adjudge.tasks.packed import Packed
from adjudge.tasks.part_reader import Part, PartReader
from adjudge.tasks.streaming import Plan, Progress, Run

if TYPE_CHECKING:
    from adjudge.stats.result import Result

LARGEST = 8 << 20  # bytes of a part, because a process holds all documents of one
PARTS = 8  # at least, for each process, so that none of them waits long for the last one


def score_parts(plan: Plan, *, jobs: int | None, progress: Progress | None, inference: Inference) -> Result | None:
    """The scores of systems in files that other processes read; None if there is anything that is not as it should.

    `statistics` are `bootstrap`, `level`, `seed` and `test`.
    """
    run = Run(plan)
    try:
        results: list[Result] = []
        packed = Packed(len(plan.inputs.systems))
        for part in _read(run, jobs=jobs or processors(), progress=progress):
            packed.add(part)
            if plan.block is not None and len(packed.ids) >= plan.block:
                results.append(run.packed_part(packed))
                packed = Packed(len(plan.inputs.systems))
        if run.unchosen:
            return None
        if not results:
            return run.whole(packed, inference)
        return run.merged([*results, run.packed_part(packed)] if packed.ids else results, inference)
    except (_Unfit, UsageError):  # it is said, in full, when the files are read here
        return None


class _Unfit(Exception):
    """The files have to be read in one piece."""


def _read(run: Run, *, jobs: int, progress: Progress | None) -> Iterator[Part]:
    """One part after the other, in the order of gold."""
    plan, files = run.plan, run.plan.inputs.files
    reader = PartReader(plan.metrics, columns_of(plan.metrics), plan.by, plan.docs, plan.change)
    size = sum(os.path.getsize(path) for paths in files for path in paths)  # noqa: PTH202
    parts = cut_lines(files, max(PARTS * jobs, size // LARGEST)) if can_travel(reader.read) else None
    if parts is None:
        raise _Unfit
    total = count_lines(files[0]) if progress is not None else 0

    def pairs() -> Iterator[tuple[str, Ranges, tuple[Ranges, ...]]]:
        for number, part in enumerate(parts):
            if number == jobs:  # the processes are starting; meanwhile, what is needed at the end
                import adjudge.stats.build  # noqa: F401
            yield str(number), part[0], part[1:]

    known: set[str] = set()
    work = map_documents(reader.read, pairs(), jobs=jobs, chunk=1)
    with closing(work):  # type: ignore[type-var]
        for _, part in work:
            if part is None or not (known.isdisjoint(part.ids) and known.isdisjoint(part.others)):
                raise _Unfit
            known.update(part.ids, part.others)
            run.unchosen.difference_update(part.ids)
            for digest, written in zip(run.digests, part.written, strict=True):
                digest.update(written)
            yield part
            if progress is not None:
                progress(len(known), max(total, len(known)))
