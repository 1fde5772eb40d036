"""The systems of an estimate in order, with the ranks that all of them may have at once."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from adjudge.estimates.results import result_of
from adjudge.estimates.rows import Estimate, RankRow
from adjudge.stats.measure import Key
from adjudge.stats.ranking import normal_rank_sets, ranges_at, ranked_by
from adjudge.stats.result import Note

OPEN = "ranks-open"


def with_ranking(found: Estimate, key: Key) -> Estimate:
    """Add the systems in the order of a score, with the sets of ranks that hold for all of them at once.

    A difference without any spread, in a sample, says nothing about its size: then all ranks are possible.
    """
    rows = [row for row in found.scores if (row.metric, row.part) == key and not row.slice]
    points = {row.system: row.value if row.uncut is None else row.uncut for row in rows}
    sets, notes = _sets(found, key, points), found.notes
    if sets is None:
        message = "a difference has no spread in the sample: all ranks are possible"
        sets, notes = dict.fromkeys(points, (1, len(points))), (*notes, Note(OPEN, 1, message))
    ranking = tuple(
        RankRow(system=row.system, value=row.value, best=sets[row.system][0], worst=sets[row.system][1])
        for row in sorted(rows, key=lambda row: (-row.value, row.system))
    )
    return msgspec.structs.replace(found, ranking=ranking, ranked_by=key, notes=notes)


def _sets(found: Estimate, key: Key, points: Mapping[str, float]) -> dict[str, tuple[int, int]] | None:
    """The ranks of every system: of items of sampled documents as `compare` finds them, by resampling documents."""
    import numpy as np

    if found.n == found.of and found.documents == "fixed":
        values = np.array(list(points.values()))
        certain = ranges_at(values[:, None] - values, np.zeros((len(values), len(values))), 0.0)
        return dict(zip(points, certain, strict=True))
    if found.documents == "sample" and found.unit != "document" and set(points) == set(found.table):
        standings = {each.system: each.ranks for each in ranked_by(result_of(found), key)}
        return {name: ranks for name in points if (ranks := standings[name]) is not None} or None
    apart = [row for row in found.differences if (row.metric, row.part) == key and not row.slice]
    return normal_rank_sets(
        points, {(row.a, row.b): (row.variance or 0.0, row.df or 0.0) for row in apart}, found.level
    )
