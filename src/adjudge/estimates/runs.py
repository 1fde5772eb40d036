"""What an estimate has in the end: means of the runs of one system, as in `stats/runs.py`, and the ranks of all.

The covariance of two runs follows from their variances and that of their difference, so that rows of single runs are
all that means take; rows of differences are all that sets of ranks take.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import variance as spread_of
from typing import Any, TypeAlias

import msgspec

from adjudge.errors import UsageError
from adjudge.estimates.results import result_of
from adjudge.estimates.rows import DifferenceRow, Estimate, RankRow, ScoreRow, corrected, difference
from adjudge.stats.intervals import student_interval
from adjudge.stats.measure import Key
from adjudge.stats.ranking import normal_rank_sets, ranges_at, ranked_by
from adjudge.stats.result import Note
from adjudge.stats.runs import Spread, checked_groups, run_groups
from adjudge.stats.scores import headlines
from adjudge.stats.text import SliceKey, slice_key

OPEN = "ranks-open"

_Place: TypeAlias = tuple[str, str, SliceKey]  # metric, part and slice


class _Rows:
    """The rows of all runs on one score."""

    def __init__(self, scores: Sequence[ScoreRow], differences: Sequence[DifferenceRow]) -> None:
        self.scores = {row.system: row for row in scores}
        self.apart = {(row.a, row.b): row.variance or 0.0 for row in differences}

    def value(self, system: str) -> float:
        """The score of a run, before it was cut to its bounds."""
        row = self.scores[system]
        return row.value if row.uncut is None else row.uncut

    def covariance(self, a: str, b: str) -> float:
        """Of the sampling errors of two runs."""
        one, other = (self.scores[name].variance or 0.0 for name in (a, b))
        if a == b:
            return one
        return (one + other - self.apart.get((a, b), self.apart.get((b, a), 0.0))) / 2

    def mean(self, runs: Sequence[str]) -> float:
        """The mean score."""
        return math.fsum(self.value(name) for name in runs) / len(runs)

    def shared(self, a: Sequence[str], b: Sequence[str]) -> float:
        """The covariance of two means."""
        return math.fsum(self.covariance(i, j) for i in a for j in b) / (len(a) * len(b))

    def between(self, runs: Sequence[str]) -> float:
        """The variance of the mean over runs."""
        return spread_of(self.value(name) for name in runs) / len(runs) if len(runs) > 1 else 0.0

    def interaction(self, runs: Sequence[str]) -> float:
        """What sampling adds to the spread of the runs."""
        number = len(runs)
        if number < 2:
            return 0.0
        alone = math.fsum(self.covariance(name, name) for name in runs)
        return max(0.0, alone - number * self.shared(runs, runs)) / (number * (number - 1))

    def spread(self, groups: Sequence[Sequence[str]], *, fixed: bool) -> Spread:
        """The spread of a mean, or of the difference of two: what is sampled is paired, runs are not."""
        sampled = math.fsum(self.shared(own, own) for own in groups)
        sampled -= 2 * math.fsum(self.shared(a, b) for a, b in combinations(groups, 2))
        parts = tuple(0.0 if fixed else self.between(own) for own in groups)
        both = 0.0 if fixed else math.fsum(self.interaction(own) for own in groups)
        freedom = min(self.scores[own[0]].df or 1.0 for own in groups)
        freedoms = tuple(len(own) - 1 for own in groups)
        return Spread(max(0.0, sampled), math.fsum(parts), both, freedom, freedoms, parts)


def finished(found: Estimate, key: tuple[str, str], *, fixed: bool = False) -> Estimate:
    """The means of runs, if there are any, and the possible ranks by a score, if there are several systems."""
    several = len(run_groups(list(found.table)))
    if several < len(found.table):
        if any(row.variance is None for row in found.scores):
            raise UsageError("what rests on a model is of single runs", hint="leave --impute out, or rename the runs")
        found = mean_of_runs(found, fixed=fixed)
    elif fixed:
        raise UsageError("no system has several runs", hint="name them NAME#1, NAME#2, or leave out --runs-fixed")
    return with_ranking(found, key) if several > 1 else found


def mean_of_runs(found: Estimate, *, fixed: bool = False) -> Estimate:
    """The estimate with one system for all of its runs NAME#1, NAME#2 ...; `fixed` means these runs alone.

    The tables keep the runs apart, for `compare`, `report` and `plan`.
    """
    groups = checked_groups(list(found.table))
    places: dict[_Place, tuple[list[ScoreRow], list[DifferenceRow]]] = {}
    for row in found.scores:
        places.setdefault((row.metric, row.part, slice_key(row.slice)), ([], []))[0].append(row)
    for each in found.differences:
        places[each.metric, each.part, slice_key(each.slice)][1].append(each)
    scores: list[ScoreRow] = []
    differences: list[DifferenceRow] = []
    notes: list[Note] = []
    first = (*headlines(found.measures)[0], ())
    for place, own in places.items():
        rows = _Rows(*own)
        for system, runs in groups.items():
            spread = rows.spread([runs], fixed=fixed)
            scores.append(_score(system, rows, runs, spread))
            if place == first:
                notes.append(_note(system, runs, "" if fixed else f"{spread.share:.0%}", " ".join(first[:2])))
        differences += [_difference(found, rows, (a, b), groups, fixed=fixed) for a, b in combinations(groups, 2)]
    return msgspec.structs.replace(
        found, scores=tuple(scores), differences=corrected(differences), notes=(*found.notes, *notes)
    )


def _score(system: str, rows: _Rows, runs: Sequence[str], spread: Spread) -> ScoreRow:
    first, value = rows.scores[runs[0]], rows.mean(runs)
    if len(runs) == 1:
        return msgspec.structs.replace(first, system=system)
    low = high = None
    if spread.variance > 0 and all(rows.scores[name].events != 0 for name in runs):
        low, high, *_ = student_interval(value, math.sqrt(spread.variance), spread.df, level=first.level, signed=True)
        low, high = max(0.0, low), min(1.0, high)
    return msgspec.structs.replace(
        first,
        system=system,
        value=min(max(value, 0.0), 1.0),
        low=low,
        high=high,
        variance=spread.variance,
        df=spread.df,
        bounds=None,  # they are those of single runs
        events=None,
        notes=tuple(dict.fromkeys(note for name in runs for note in rows.scores[name].notes)),
        uncut=None,
    )


def _difference(
    found: Estimate, rows: _Rows, pair: tuple[str, str], groups: Mapping[str, Sequence[str]], *, fixed: bool
) -> DifferenceRow:
    one, other = (groups[name] for name in pair)
    first, spread = rows.scores[one[0]], rows.spread([one, other], fixed=fixed)
    names: dict[str, Any] = {
        "a": pair[0],
        "b": pair[1],
        "metric": first.metric,
        "part": first.part,
        "slice": first.slice,
    }
    names |= {"n": first.n, "of": first.of, "varies": first.varies}
    return difference(names, rows.mean(one) - rows.mean(other), spread.variance, spread.df, found.level)


def _note(system: str, runs: Sequence[str], share: str, score: str) -> Note:
    if len(runs) == 1:
        return Note("one-run", 1, f"{system}: one run only: the interval does not include variation between runs")
    more = f"; they are {share} of the variance of {score}" if share else ", taken as fixed"
    return Note("runs", len(runs), f"{system}: the mean of {len(runs)} runs{more}")


# ---------------------------------------------------------------------------------------------------------------------
# Ranks


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
