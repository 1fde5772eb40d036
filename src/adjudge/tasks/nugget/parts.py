"""Many documents in parts, each of which another process reads and counts by itself.

Every process opens the files and looks for its documents only. If anything is wrong there is no answer, and all is read
in one piece, which says what it is.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing

from adjudge.errors import AdjudgeError
from adjudge.tasks.nugget.reading import Campaign, Counted, Reader
from adjudge.tasks.nugget.sides import Documents, choose, open_side

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
    try:
        gold = open_side(reader.gold, reader.mode)
    except AdjudgeError:
        return None
    ids = choose(gold, reader.docs, in_order=False)
    parts = min(len(ids) // _FEWEST, jobs or _CLUSTER)
    if parts < 2:
        return None
    at = [len(ids) * number // parts for number in range(parts + 1)]
    pairs = ((str(number), ids[at[number] : at[number + 1]], tuple(named)) for number in range(parts))
    places = [*paths, *([reader.tokens] if isinstance(reader.tokens, str) else [])]
    work = map_documents(reader.part, pairs, jobs=jobs, cluster=cluster, folder=work_folder(places), chunk=1)
    found: list[Campaign] = []
    with closing(work):  # type: ignore[type-var]
        for _, part in work:
            if part is None:
                return None
            found.append(part)
    return joined(found, ids)


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
