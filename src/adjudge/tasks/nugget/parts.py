"""Many documents in parts, each of which another process reads and counts by itself.

Where all files have their documents in the same order, every process gets a part of each file, and looks for documents
there. Otherwise the files are searched here, and every process gets ids. If anything is wrong there is no answer, and
all is read in one piece, which says what it is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any, NamedTuple

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
    if cluster is None and reader.docs is None:
        campaign = _by_ranges(reader, named, jobs or 1)
        if campaign is not None:
            return campaign
    try:
        gold, *systems = map(open_side, paths)
    except AdjudgeError:
        return None
    ids = choose(gold, reader.docs, in_order=False)
    parts = min(len(ids) // _FEWEST, jobs or _CLUSTER)
    if parts < 2:
        return None
    at = [len(ids) * number // parts for number in range(parts + 1)]
    pairs = ((str(number), ids[at[number] : at[number + 1]], None) for number in range(parts))
    part = Part(reader._replace(gold=gold), [(name, own) for (name, _), own in zip(named, systems, strict=True)])
    places = [*paths, *([reader.tokens] if isinstance(reader.tokens, str) else [])]
    found = _all(map_documents(part.observe, pairs, jobs=jobs, cluster=cluster, folder=work_folder(places), chunk=1))
    return None if found is None else joined(found, ids)


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


def _all(work: Iterator[tuple[str, Campaign | None]]) -> list[Campaign] | None:
    """All parts, or None if one of them is missing; then the others are not waited for."""
    found: list[Campaign] = []
    with closing(work):  # type: ignore[type-var]
        for _, part in work:
            if part is None:
                return None
            found.append(part)
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Parts of files


def _by_ranges(reader: Reader, named: Sequence[tuple[str, Documents]], jobs: int) -> Campaign | None:
    """All counts, if all files can be cut before the same documents, and nothing is to be said about them."""
    from adjudge.engine.local import map_documents
    from adjudge.formats.tbf import cut_files, mode_at

    paths = [reader.gold, *(source for _, source in named)]
    cuts = cut_files(paths, jobs)
    mode = reader.mode or ("token" if reader.tokens is not None else cuts and mode_at(paths[0]))
    if not cuts or not mode:
        return None
    digests: list[str] = []

    def pairs() -> Iterator[tuple[str, Any, Any]]:
        for number, ranges in enumerate(cuts):
            yield str(number), ranges, None
        digests.extend(_meanwhile(paths))

    part = RangePart(reader._replace(mode=mode), tuple(named))
    found = _all(map_documents(part.observe, pairs(), jobs=jobs, chunk=1))
    if found is None:
        return None
    ids = [id for each in found for id in each.ids]
    known = set(ids)
    extra = {name: [id for each in found for id in each.systems[name].diagnostics.extra] for name, _ in named}
    if len(known) < len(ids) or any(
        len(set(each)) < len(each) or not known.isdisjoint(each) for each in extra.values()
    ):
        return None  # documents in another order, or more than once
    campaign = joined(found, ids)
    if campaign is None:
        return None
    systems = {}
    for (name, counted), digest in zip(campaign.systems.items(), digests[1:], strict=True):
        counted.diagnostics.extra = extra[name]
        systems[name] = counted._replace(digest=digest)
    return campaign._replace(of=len(ids), digest=digests[0], systems=systems)


class RangePart(NamedTuple):
    """Counts the documents of parts of files; travels to other processes."""

    reader: Reader
    named: tuple[tuple[str, Documents], ...]

    def observe(self, ranges: Sequence[tuple[int, int]], _: None) -> Campaign | None:
        """All systems on the documents there, or None if there is anything wrong, or to be said with a line number."""
        from adjudge.formats.tbf import open_part

        reader, named = self
        try:
            gold = open_part(reader.gold, ranges[0], reader.mode)
            systems = [(name, open_part(path, own)) for (name, path), own in zip(named, ranges[1:], strict=True)]
            if any(each.notes or each.remarks for each in (gold, *(own for _, own in systems))):
                return None
            known = set(gold.ids)
            if any(not known.issuperset(own.ids) and not known.issubset(own.ids) for _, own in systems):
                return None  # what is missing here is probably elsewhere, and is not worth the work
            found = reader._replace(gold=gold).read(systems)
        except AdjudgeError:
            return None
        return None if any(each.diagnostics.input for each in found.systems.values()) else found


def _meanwhile(paths: Sequence[str]) -> Iterator[str]:
    """The hashes of files, while others work; and what is needed afterwards is loaded."""
    import importlib
    from hashlib import file_digest

    for module in ("tasks.nugget.double_annotation", "stats.build"):
        importlib.import_module(f"adjudge.{module}")
    for path in paths:
        with open(path, "rb") as stream:  # noqa: PTH123
            yield file_digest(stream, "sha256").hexdigest()


# ---------------------------------------------------------------------------------------------------------------------
# Parts as one


def joined(parts: Sequence[Campaign], ids: list[str]) -> Campaign | None:
    """Campaigns of consecutive documents of the same files as one; None if they are not about the same."""
    first = parts[0]
    for name, counted in first.systems.items():
        if any(part.systems[name].diagnostics.input != counted.diagnostics.input for part in parts):
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
        first.diagnostics.extend(part.diagnostics)
        for name, slices in part.slices.items():
            first.slices[name].extend(slices, documents)
        for own, others in (
            (first.nuggets, part.nuggets),
            (first.coref, part.coref),
            (first.sequencing, part.sequencing),
        ):
            own.extend(others)
        first.choices.extend(part.choices)
    return first
