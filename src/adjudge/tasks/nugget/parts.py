"""Many documents in parts, each of which another process reads and counts by itself.

The files are searched for documents once, and every process reads its own ones. If anything is wrong there is no
answer, and all is read in one piece, which says what it is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

from adjudge.errors import AdjudgeError
from adjudge.tasks.nugget.reading import Campaign, Counted, Reader
from adjudge.tasks.nugget.sides import Documents, Opened, choose, open_side

LARGE = 12 << 20  # bytes of all files from which on several processes pay if nobody says how many
_CLUSTER = 8  # parts for a cluster of unknown size
_FEWEST = 2  # documents in a part


def read_parts(
    reader: Reader, named: Sequence[tuple[str, Documents]], *, jobs: int | None, cluster: str | None
) -> Campaign | None:
    """All counts of all systems, or None if the documents cannot or need not be shared out."""
    from adjudge.engine.local import map_documents, processors, work_folder

    paths = [reader.gold, *(source for _, source in named)]
    if reader.settings.official or not all(map(os.path.isfile, paths)):  # the official program goes by order
        return None
    if cluster is None and not jobs:
        if sum(map(os.path.getsize, paths)) < LARGE:
            return None
        jobs = processors()
    if cluster is None and jobs == 1:
        return None
    sides = _opened(paths, jobs or 1)
    if sides is None:
        return None
    gold, *systems = sides
    ids = choose(gold, reader.docs, in_order=False)
    parts = min(len(ids) // _FEWEST, jobs or _CLUSTER)
    if parts < 2:
        return None
    at = [len(ids) * number // parts for number in range(parts + 1)]
    pairs = ((str(number), ids[at[number] : at[number + 1]], None) for number in range(parts))
    part = Part(reader._replace(gold=gold), [(name, own) for (name, _), own in zip(named, systems, strict=True)])
    places = [*paths, *([reader.tokens] if isinstance(reader.tokens, str) else [])]
    work: Iterator[tuple[str, Campaign | None]] = map_documents(
        part.observe, pairs, jobs=jobs, cluster=cluster, folder=work_folder(places), chunk=1
    )
    found: list[Campaign] = []
    with closing(work):  # type: ignore[type-var]
        for _, counted in work:
            if counted is None:
                return None
            found.append(counted)
    return joined(found, ids)


class Part(NamedTuple):
    """Counts some documents of files that are open; travels to other processes."""

    reader: Reader
    systems: list[tuple[str, Opened]]

    def observe(self, docs: list[str], _: None) -> Campaign | None:
        """All systems on these documents, or None if there is anything wrong."""
        try:
            return self.reader._replace(docs=docs).read(self.systems)
        except AdjudgeError:
            return None


def _opened(paths: Sequence[str], jobs: int) -> list[Opened] | None:
    """The files, searched by several processes if that pays; None if there is anything wrong."""
    from adjudge.engine.local import _can_copy, map_documents

    pairs = ((path, path, None) for path in paths)
    found = [side for _, side in map_documents(_open, pairs, jobs=jobs if _can_copy() else 1, chunk=1)]
    return None if None in found else [side for side in found if side is not None]


def _open(path: str, _: None) -> Opened | None:
    try:
        return open_side(path)
    except AdjudgeError:
        return None


def joined(parts: Sequence[Campaign], ids: list[str]) -> Campaign | None:
    """Campaigns of consecutive documents of the same files as one; None if they are not about the same."""
    first = parts[0]
    for name, counted in first.systems.items():
        if any(part.systems[name].facts.input != counted.facts.input for part in parts):
            return None  # remarks on token tables, in the order of documents
    return first._replace(
        ids=ids,
        systems={name: _joined([part.systems[name] for part in parts]) for name in first.systems},
        coref=any(part.coref for part in parts),
        sequencing=any(part.sequencing for part in parts),
    )


def _joined(parts: Sequence[Counted]) -> Counted:
    first, *later = parts
    for part in later:
        documents = len(first.nuggets)
        first.best.update((documents + place, row) for place, row in part.best.items())
        first.facts.extend(part.facts)
        for name, slices in part.slices.items():
            first.slices[name].extend(slices, documents)
        for own, others in (
            (first.nuggets, part.nuggets),
            (first.coref, part.coref),
            (first.sequencing, part.sequencing),
        ):
            own.extend(others)
        first.twins.extend(part.twins)
    return first
