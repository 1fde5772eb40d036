"""Several runs of one system: the mean of their scores, with the spread over documents and over runs.

Systems whose names end in #1, #2, ... are runs of one. Pseudo-values y = n theta - (n - 1) theta without the document
form a table of documents x runs, and both margins vary.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from adjudge.errors import UsageError
from adjudge.stats.inference import LEAST
from adjudge.stats.measure import count_keys, signed_keys
from adjudge.stats.notes import DRAWN
from adjudge.stats.points import Additive
from adjudge.stats.result import Comparison, Note, Result, Score, Slice, Standing, SystemResult
from adjudge.stats.scores import POOL, corrected, finite, headlines

if TYPE_CHECKING:
    from adjudge.stats.measure import Array, Key

METHOD = "runs"


class Runs(NamedTuple):
    """A score of several runs: by run, and the pseudo-values of documents x runs."""

    values: Array
    pseudo: Array

    @property
    def value(self) -> float:
        """The mean over the runs."""
        return math.fsum(self.values.tolist()) / len(self.values)

    @classmethod
    def of(cls, values: Array, left_out: Array) -> Runs:
        """From scores by run, and scores without each document (documents x runs)."""
        n = len(left_out)
        return cls(values, n * values - (n - 1) * left_out)

    def spread(self, *, fixed: bool = False) -> Spread:
        """How the mean varies over documents and, unless they are `fixed`, over runs."""
        documents = self.pseudo.mean(axis=1)
        runs = 0.0 if fixed else _variance(self.values) / len(self.values)
        both = 0.0 if fixed else self.interaction()
        return Spread(_variance(documents) / len(documents), runs, both, len(documents) - 1, (len(self.values) - 1,))

    def interaction(self) -> float:
        """The interaction of documents and runs."""
        n, k = self.pseudo.shape
        if min(n, k) < 2:
            return 0.0
        rest = self.pseudo - self.pseudo.mean(axis=1, keepdims=True) - self.pseudo.mean(axis=0) + self.pseudo.mean()
        total: float = float((rest**2).sum())
        return total / float((n - 1) * (k - 1) * n * k)


class Spread(NamedTuple):
    """The parts of a variance: over documents, over runs, and their interaction."""

    documents: float
    runs: float
    both: float
    freedom: float
    run_freedoms: tuple[int, ...]
    run_parts: tuple[float, ...] = ()

    @property
    def variance(self) -> float:
        """The variance of the mean, or of a difference of means."""
        return max(self.documents + self.runs - self.both, self.documents, self.runs)

    @property
    def df(self) -> float:
        """Degrees of freedom (Satterthwaite)."""
        parts = self.run_parts or (self.runs,)
        bottom = self.documents**2 / self.freedom
        bottom += sum(part**2 / df for part, df in zip(parts, self.run_freedoms, strict=True) if df > 0)
        return (self.documents + self.runs) ** 2 / bottom if bottom else float(self.freedom)

    @property
    def share(self) -> float:
        """The share of the runs in the variance."""
        return self.runs / self.variance if self.variance else 0.0


def difference_spread(a: Runs, b: Runs, *, fixed: bool = False) -> Spread:
    """The spread of the difference of two means: documents are paired, runs are not."""
    documents = a.pseudo.mean(axis=1) - b.pseudo.mean(axis=1)
    parts = tuple(0.0 if fixed else _variance(each.values) / len(each.values) for each in (a, b))
    both = 0.0 if fixed else a.interaction() + b.interaction()
    freedoms = len(a.values) - 1, len(b.values) - 1
    return Spread(_variance(documents) / len(documents), sum(parts), both, len(documents) - 1, freedoms, parts)


def run_groups(names: Sequence[str]) -> dict[str, list[str]]:
    """Systems and the names of their runs.

    >>> run_groups(["A#1", "A#2", "B"])
    {'A': ['A#1', 'A#2'], 'B': ['B']}
    """
    found: dict[str, list[str]] = {}
    for name in names:
        system, sign, number = name.rpartition("#")
        found.setdefault(system if sign and system and number.isdigit() else name, []).append(name)
    return found


def has_runs(result: Result) -> bool:
    """Whether some system has several runs."""
    return len(run_groups([system.name for system in result.systems])) < len(result.systems)


def checked_groups(names: Sequence[str]) -> dict[str, list[str]]:
    """Systems and the names of their runs, which are all numbered."""
    groups = run_groups(names)
    for name, runs in groups.items():
        if name in runs and len(runs) > 1:
            other = next(each for each in runs if each != name)
            hint = f"number it as well ({name}#N) if it is a run of the same system, or give it another name"
            raise UsageError(f"{name} is not numbered, and {other} is a run of {name}", hint=hint)
    return groups


def mean_of_runs(result: Result, *, fixed: bool = False) -> Result:
    """The result with one system for all of its runs; `fixed` means these runs alone."""
    from adjudge.stats.build import saved_corpora

    options = result.saved
    if options.pool == POOL:
        raise UsageError("scores of a whole corpus are not averaged over runs", hint="score the runs by themselves")
    groups = checked_groups([system.name for system in result.systems])
    _refuse_other_documents(result, groups)
    corpora = saved_corpora(result, options.by)
    several = options.bootstrap > 0 and len(corpora[0][1][next(iter(corpora[0][1]))].table.ids) > 1
    signed, counts = signed_keys(result.measures), count_keys(result.measures)
    scores: dict[str, list[Score]] = {system: [] for system in groups}
    notes: dict[str, list[Note]] = {}
    comparisons: list[Comparison] = []
    ranking: list[Standing] = []
    for where, members in corpora:
        found = {system: _runs_of([members[name] for name in own]) for system, own in groups.items()}
        documents = len(next(iter(members.values())).table.ids)
        about = _About(options.level if several and documents > 1 else None, where, documents, fixed)
        for system, own in groups.items():
            first = next(each for each in result.systems if each.name == own[0])
            scores[system] += [
                _score(
                    score,
                    found[system][_key(score)],
                    about if _key(score) not in counts else about._replace(level=None),
                    signed=_key(score) in signed,
                )
                for score in first.scores
                if score.slice == where and score.value is not None and _key(score) in found[system]
            ]
        known = next(iter(found.values()))
        keys = [key for key in headlines(result.measures) if key in known]
        comparisons += _comparisons(found, keys, about)
        if not where:
            notes = {system: _notes(len(own), found[system], keys, fixed=fixed) for system, own in groups.items()}
            ranking = _ranking(result, found, about, scores)
    systems = []
    for system, own in groups.items():
        first = next(each for each in result.systems if each.name == own[0])
        kept = tuple(each for each in first.notes if each.code not in DRAWN)
        more = (*kept, *notes[system])
        systems.append(SystemResult(name=system, documents=first.documents, scores=tuple(scores[system]), notes=more))
    return msgspec.structs.replace(
        result,
        systems=tuple(systems),
        comparisons=corrected(comparisons, result.measures) if comparisons else (),
        ranking=tuple(ranking),
    )


class _About(NamedTuple):
    """The level of intervals, if there are any, of a corpus or a slice of it; whether the runs are `fixed`."""

    level: float | None
    where: Slice
    documents: int
    fixed: bool


def _ranking(
    result: Result, found: Mapping[str, Mapping[Key, Runs]], about: _About, scores: Mapping[str, Sequence[Score]]
) -> list[Standing]:
    """The systems by every score that ranks the runs, with the ranks that all may have at once."""
    from adjudge.stats.ranking import normal_rank_sets, standings_by

    standings: list[Standing] = []
    for key in dict.fromkeys((each.metric, each.part) for each in result.ranking) if len(found) > 1 else ():
        sets = None
        if about.level is not None:
            own = {system: each[key] for system, each in found.items()}
            apart = {(a, b): difference_spread(own[a], own[b], fixed=about.fixed) for a, b in combinations(own, 2)}
            spreads = {pair: (each.variance, each.df) for pair, each in apart.items()}
            sets = normal_rank_sets({system: each.value for system, each in own.items()}, spreads, about.level)
        standings += standings_by(key, scores, sets=sets)
    return standings


def _refuse_other_documents(result: Result, groups: Mapping[str, Sequence[str]]) -> None:
    """Refuse runs on different documents: one that lacks some would be worse for a reason other than chance."""
    missing = {
        system.name: next((note for note in system.notes if note.code == "missing-document"), None)
        for system in result.systems
    }
    for runs in groups.values():
        for name in runs[1:]:
            one, other = missing[runs[0]], missing[name]
            if (one and (one.count, one.examples)) != (other and (other.count, other.examples)):
                lacking = runs[0] if one and (other is None or one.count > other.count) else name
                note = missing[lacking]
                listed = ", ".join(note.examples) if note else ""
                hint = "score runs that have the same documents"
                raise UsageError(f"{lacking} lacks documents that another run has ({listed})", hint=hint)


def _key(score: Score) -> Key:
    return score.metric, score.part


def _runs_of(runs: Sequence[Additive]) -> dict[Key, Runs]:
    import numpy as np

    points, left = [each.point() for each in runs], [each.left_out() for each in runs]
    return {
        key: Runs.of(np.array([own[key] for own in points]), np.stack([own[key] for own in left], axis=1))
        for key in points[0]
    }


def _score(score: Score, runs: Runs, about: _About, *, signed: bool) -> Score:
    low = high = None
    spread, level = runs.spread(fixed=about.fixed), about.level
    if level is not None and spread.variance > 0:
        from adjudge.stats.intervals import student_interval

        low, high, *_ = student_interval(runs.value, math.sqrt(spread.variance), spread.df, level=level, signed=True)
        if 0 <= runs.value <= 1 and not signed:
            low, high = max(0.0, low), min(1.0, high)
    return msgspec.structs.replace(
        score,
        value=finite(runs.value),
        low=low,
        high=high,
        level=None if low is None else level,
        interval=None if low is None else METHOD,
        scale=None,
        numerator=None,
        denominator=None,
    )


def _notes(number: int, runs: Mapping[Key, Runs], keys: Sequence[Key], *, fixed: bool) -> list[Note]:
    if number == 1:
        return [Note("one-run", 1, "one run only: the interval does not include variation between runs")]
    if fixed:
        return [Note("runs", number, f"the mean of {number} runs, taken as fixed")]
    own = runs[keys[0]]
    share = f"; they are {own.spread().share:.0%} of the variance of {' '.join(keys[0])}" if len(own.pseudo) > 1 else ""
    return [Note("runs", number, f"the mean of {number} runs{share}")]


def _comparisons(found: Mapping[str, Mapping[Key, Runs]], keys: Sequence[Key], about: _About) -> list[Comparison]:
    from adjudge.stats.intervals import student_interval, student_tails
    from adjudge.stats.power import detectable

    made = []
    for a, b in combinations(found, 2):
        for key in keys:
            one, other = found[a][key], found[b][key]
            value, spread = one.value - other.value, difference_spread(one, other, fixed=about.fixed)
            low = high = p = shown = None
            if about.level is not None and spread.variance > 0:
                error = math.sqrt(spread.variance)
                low, high, *_ = student_interval(value, error, spread.df, level=about.level, signed=True)
                p = student_tails(value / error, spread.df)
                shown = detectable(error, spread.df + 1) if len(one.pseudo) >= LEAST else None
            made.append(
                Comparison(
                    a=a,
                    b=b,
                    metric=key[0],
                    part=key[1],
                    difference=finite(value),
                    low=low,
                    high=high,
                    p=p,
                    test=METHOD if p is not None else None,
                    documents=about.documents,
                    slice=about.where,
                    detectable=shown,
                )
            )
    return made


def _variance(values: Array) -> float:
    mean = math.fsum(values.tolist()) / len(values)
    if len(values) < 2:
        return 0.0
    return math.fsum(((values - mean) ** 2).tolist()) / (len(values) - 1)
