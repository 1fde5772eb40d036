"""Systems in order: by their scores, with the range of their ranks in corpora that the bootstrap draws.

All systems are scored on the same corpora. For each system the result has the share of corpora in which it has each
rank; an official ranking is by the median over the corpora, and also has the shares in which one system beats another.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from adjudge.errors import UsageError, did_you_mean
from adjudge.stats.measure import Combined, Key, needed_measures, part_keys
from adjudge.stats.result import Result, Score, Standing
from adjudge.stats.scores import POOL, headlines, how_of, sampled

if TYPE_CHECKING:
    import numpy.typing as npt

    from adjudge.stats.intervals import Parts
    from adjudge.stats.scores import Evidence, Weights

_DIGITS = 12  # scores that differ only in the rounding of sums are equal
_SLACK = 1e-12
_SEED, _NORMAL = 13, 10_000


class OfficialStanding(Standing, frozen=True, kw_only=True):
    """A system in a ranking by the median, in which everything has a value."""

    value: float
    low: float
    high: float
    ranks: tuple[int, int]
    median: float


class Ranking(NamedTuple):
    """All systems, the best first, and how the corpora were drawn."""

    metric: str
    part: str
    resamples: int
    seed: int
    draws: str
    level: float
    standings: tuple[OfficialStanding, ...]
    samples: Mapping[str, npt.NDArray[Any]]

    def to_data(self) -> dict[str, Any]:
        """As plain data that any JSON writer takes, without the samples."""
        fields = {name: getattr(self, name) for name in self._fields if name not in ("standings", "samples")}
        standings = [
            {
                "rank": each.rank,
                "system": each.system,
                "median": each.median,
                "low": each.low,
                "high": each.high,
                "score": each.value,
                "ranks": each.ranks,
                "rank_shares": [each.rank_shares.get(rank, 0.0) for rank in range(1, len(self.standings) + 1)],
                "wins": each.wins,
                "ties": each.ties,
            }
            for each in self.standings
        ]
        data: dict[str, Any] = msgspec.to_builtins({**fields, "standings": standings})
        return data


def ranking_key(result: Result, wanted: str | None = None) -> Key:
    """The score that systems are ranked by: `metric.part` or a metric, else a mean, or the first."""
    keys = headlines(result.measures)
    known = {".".join(key): key for key in part_keys(result.measures)} | {key[0]: key for key in keys}
    if wanted is not None and wanted not in known:
        hint = did_you_mean(wanted, known) or f"choose from {', '.join(key[0] for key in keys)}"
        raise UsageError(f"there is no score {wanted!r} to rank by", hint=hint)
    if wanted is not None:
        return known[wanted]
    means = {measure.name for measure in result.measures if isinstance(measure, Combined)}
    return next((key for key in keys if key[0] in means), keys[0])


def rank_result(
    result: Result, key: Key, *, draws: str = "numpy", weights: Weights | None = None, percentiles: str = "linear"
) -> Ranking:
    """The ranking of the systems of a result that has its counts, drawn as the result was."""
    options = result.saved
    if options.bootstrap < 1:
        raise UsageError("a ranking needs resamples", hint="give --bootstrap at least 1")
    parts = _parts(result, key, weights)
    samples, points = ({name: getattr(each, what) for name, each in parts.items()} for what in ("drawn", "point"))
    standings = official_standings(key, samples, points, options.level, percentiles)
    return Ranking(*key, options.bootstrap, options.seed, draws, options.level, standings, samples)


def ranked_by(result: Result, key: Key) -> tuple[Standing, ...]:
    """The ranking of the systems of a result that has its counts, by any of its scores."""
    scores = {system.name: system.scores for system in result.systems}
    if result.options is None or result.options.bootstrap < 1:
        return standings_by(key, scores)
    parts, level = _parts(result, key), result.options.level
    samples = {name: each.drawn for name, each in parts.items()}
    return standings_by(key, scores, samples, level, rank_sets(parts, level))


def _parts(result: Result, key: Key, weights: Weights | None = None) -> dict[str, Parts]:
    """A score of every system on all documents, without each of them, and on the corpora drawn as for the result."""
    from adjudge.stats.build import saved_corpora
    from adjudge.stats.intervals import Parts
    from adjudge.stats.resample import bootstrap

    options = result.saved
    if options.pool == POOL:
        how = how_of(options)
        return {each.name: sampled(result.measures, each.samples[0], how).parts(key) for each in result.systems}
    _, counts = saved_corpora(result, measures=needed_measures(result.measures, [key]))[0]
    drawn = bootstrap(counts, resamples=options.bootstrap, seed=options.seed, weights=weights)
    return {name: Parts(each.point()[key], each.left_out()[key], drawn[name][key]) for name, each in counts.items()}


def standings_by(
    key: Key,
    scores: Mapping[str, Sequence[Score]],
    samples: Mapping[str, npt.NDArray[Any]] | None = None,
    level: float = 0.95,
    sets: Mapping[str, tuple[int, int]] | None = None,
) -> tuple[Standing, ...]:
    """Every system, the best score first, those without a value last.

    `samples` give the shares of ranks, `sets` the ranks that all systems may have at once.
    """
    own = {
        name: next((each for each in found if (each.metric, each.part) == key and not each.slice), None)
        for name, found in scores.items()
    }
    values = {name: None if each is None else each.value for name, each in own.items()}
    places = {name: -math.inf if value is None else round(value, _DIGITS) for name, value in values.items()}
    ranks = rank_distribution(samples, level=level) if samples else None
    found = []
    for name in sorted(own, key=lambda name: -places[name]):
        low, high = (None, None) if (each := own[name]) is None else (each.low, each.high)
        found.append(
            Standing(
                metric=key[0],
                part=key[1],
                system=name,
                rank=1 + sum(place > places[name] for place in places.values()),
                value=values[name],
                low=low,
                high=high,
                bound=None if each is None else each.bound,
                ranks=None if sets is None else sets[name],
                rank_shares={} if ranks is None else ranks.shares(name),
            )
        )
    return tuple(found)


def headline_standings(
    evidence: Mapping[str, Evidence], keys: Sequence[Key], scores: Mapping[str, Sequence[Score]], level: float
) -> tuple[Standing, ...]:
    """The rankings of several systems by the headline part of each metric."""
    if len(scores) < 2:
        return ()
    found: list[Standing] = []
    for key in keys:
        samples = {name: each.drawn[key] for name, each in evidence.items() if len(each.drawn.get(key, ()))}
        if len(samples) < len(scores):
            found += standings_by(key, scores, None, level)
            continue
        parts = {name: each.parts(key) for name, each in evidence.items()}
        found += standings_by(key, scores, samples, level, rank_sets(parts, level))
    return tuple(found)


def rank_sets(systems: Mapping[str, Parts], level: float) -> dict[str, tuple[int, int]] | None:
    """The ranks that every system may have; all sets hold at once with the level (Mogstad and others 2024).

    A system is above another if their difference d is more than q times its jackknife error s, where q is the quantile
    over the samples of the largest |d* - d| / s of all pairs, widened by Student's distribution relative to the normal
    one. None if there is a difference without any spread.

    >>> import numpy as np
    >>> from adjudge.stats.intervals import Parts
    >>> rng = np.random.default_rng(1)
    >>> noise = rng.normal(0, 0.01, (3, 99))
    >>> made = [Parts(at / 2, at / 2 + noise[at, :30] / 30, at / 2 + noise[at]) for at in range(3)]
    >>> rank_sets(dict(zip("abc", made)), 0.95)
    {'a': (3, 3), 'b': (2, 2), 'c': (1, 1)}
    """
    import numpy as np

    from adjudge.stats.intervals import jackknife_error

    own = list(systems.values())
    errors = np.zeros((len(own), len(own)))
    for i, j in combinations(range(len(own)), 2):
        error = jackknife_error(own[i].minus(own[j]))
        if error is None:
            return None
        errors[i, j] = errors[j, i] = error
    points = [each.point for each in own]
    departures = np.array([each.drawn - each.point for each in own])
    found = joint_ranks(points, errors, departures, len(own[0].left_out), level)
    return None if found is None else dict(zip(systems, found, strict=True))


def normal_rank_sets(
    points: Mapping[str, float], spreads: Mapping[tuple[str, str], tuple[float, float]], level: float
) -> dict[str, tuple[int, int]] | None:
    """The same sets where nothing is resampled, from the variance and the degrees of freedom of every difference.

    The samples are drawn from the normal distribution that has these variances.

    >>> spreads = {("a", "b"): (0.0004, 40), ("a", "c"): (0.0004, 40), ("b", "c"): (0.0004, 40)}
    >>> normal_rank_sets({"a": 0.6, "b": 0.58, "c": 0.4}, spreads, 0.95)
    {'a': (1, 2), 'b': (1, 2), 'c': (3, 3)}
    """
    import numpy as np

    from adjudge.stats.resample import Stream

    count = len(points)
    variances = np.zeros((count, count))
    for (i, a), (j, b) in combinations(enumerate(points), 2):
        variances[i, j] = variances[j, i] = spreads[a, b][0]
    units = 1 + min((freedom for variance, freedom in spreads.values() if variance > 0), default=1.0)
    shares = Stream(_SEED).shares(count * _NORMAL) + 2.0**-54
    normal = np.array([NormalDist().inv_cdf(share) for share in shares.tolist()]).reshape(count, _NORMAL)
    # The variance of a bootstrap is (n - 1) / n of that of the jackknife, for which the critical value makes up.
    departures = math.sqrt((units - 1) / units) * (_root((variances[0] + variances[:, :1] - variances) / 2) @ normal)
    found = joint_ranks(list(points.values()), np.sqrt(variances), departures, units, level)
    return None if found is None else dict(zip(points, found, strict=True))


def _root(covariance: Any) -> Any:
    """A matrix that gives this one if multiplied by its transpose (Cholesky); rows without variance may be left."""
    import numpy as np

    found = np.zeros_like(covariance)
    for at in range(len(covariance)):
        rest = covariance[at:, at] - found[at:, :at] @ found[at, :at]
        if rest[0] > _SLACK * covariance[at, at]:
            found[at:, at] = rest / math.sqrt(rest[0])
    return found


def joint_ranks(
    points: Sequence[float], errors: Any, departures: Any, documents: float, level: float
) -> list[tuple[int, int]] | None:
    """The sets of ranks from scores, the errors of all differences, and departures of the samples (systems x samples).

    None if there is a difference without any spread.
    """
    import numpy as np

    count = len(points)
    apart = np.zeros((count, count))
    largest = np.zeros(departures.shape[1])
    for i, j in combinations(range(count), 2):
        difference = points[i] - points[j]
        if math.isnan(difference) or (errors[i, j] <= _SLACK < abs(difference)):
            return None
        if errors[i, j] <= _SLACK:
            continue  # tied in every sample
        apart[i, j], apart[j, i] = difference, -difference
        largest = np.fmax(largest, np.abs(departures[i] - departures[j]) / errors[i, j])
    return None if documents < 2 else ranges_at(apart, errors, critical_value(largest, documents, level))


def critical_value(largest: Any, documents: float, level: float) -> float:
    """How many errors a difference must have, from the largest departures of the samples.

    >>> import numpy as np
    >>> round(critical_value(np.arange(101) / 50, 40, 0.95), 3)
    1.986
    """
    from adjudge.stats.intervals import normal_reach, quantiles, student_quantile

    (quantile,) = quantiles(largest, [level])
    student = student_quantile(level, documents - 1) / normal_reach(level)
    return quantile * math.sqrt(documents / (documents - 1)) * student


def ranges_at(apart: Any, errors: Any, critical: float) -> list[tuple[int, int]]:
    """The best and the worst rank of every system, from differences, their errors, and the critical value.

    >>> import numpy as np
    >>> ranges_at(np.array([[0.0, 0.1], [-0.1, 0.0]]), np.full((2, 2), 0.03), 2.0)
    [(1, 1), (2, 2)]
    """
    above = apart > critical * errors
    count = len(above)
    return [(1 + int(above[:, at].sum()), count - int(above[at].sum())) for at in range(count)]


def official_standings(
    key: Key, samples: Mapping[str, npt.NDArray[Any]], points: Mapping[str, float], level: float, percentiles: str
) -> tuple[OfficialStanding, ...]:
    """Every system, the best median first; systems without a value are last."""
    import numpy as np

    ranks = rank_distribution(samples, level=level)
    defined = {name: np.where(np.isnan(values), 0.0, values) for name, values in samples.items()}
    medians = {name: float(np.median(values)) for name, values in defined.items()}
    places = {name: round(median, _DIGITS) for name, median in medians.items()}
    below = round((1 - level) / 2, 12)
    found = []
    for name in sorted(samples, key=lambda name: -places[name]):
        values = defined[name]
        if percentiles == "nist":
            low, high = percentile(values.tolist(), below), percentile(values.tolist(), 1 - below)
        else:
            low, high = np.quantile(values, [below, 1 - below]).tolist()
        found.append(
            OfficialStanding(
                metric=key[0],
                part=key[1],
                system=name,
                rank=1 + sum(place > places[name] for place in places.values()),
                value=points[name],
                low=low,
                high=high,
                ranks=ranks.ranges[name],
                rank_shares=ranks.shares(name),
                median=medians[name],
                wins=dict(ranks.beats[name]),
                ties=dict(ranks.ties[name]),
            )
        )
    return tuple(found)


@dataclass(frozen=True)
class RankDistribution:
    """How often each system takes each rank.

    `order` sorts the systems by the median of their samples, best first; `fractions[system][r - 1]` is the share of
    samples in which the system has rank r; `beats[a][b]` the share in which a is strictly above b, `ties[a][b]` that in
    which they are level; `ranges[system]` the central ranks that hold `level` of its samples.
    """

    order: tuple[str, ...]
    fractions: Mapping[str, tuple[float, ...]]
    beats: Mapping[str, Mapping[str, float]]
    ties: Mapping[str, Mapping[str, float]]
    ranges: Mapping[str, tuple[int, int]]
    level: float

    def shares(self, name: str) -> dict[int, float]:
        """The ranks that a system ever takes, with their shares."""
        return {rank: share for rank, share in enumerate(self.fractions[name], 1) if share}


def rank_distribution(values: Mapping[str, npt.ArrayLike], *, level: float = 0.95) -> RankDistribution:
    """Ranks of several systems over shared samples of one part; tied systems share the better rank.

    An undefined score ranks below every defined one.

    >>> ranks = rank_distribution({"A": [0.5, 0.6, 0.7, 0.4], "B": [0.4, 0.6, 0.5, 0.5]})
    >>> ranks.fractions["A"], ranks.beats["A"]["B"], ranks.order
    ((0.75, 0.25), 0.5, ('A', 'B'))
    """
    import numpy as np

    from adjudge.stats.intervals import tails

    names = list(values)
    columns = [np.asarray(values[name], dtype=np.float64) for name in names]
    if len({column.shape for column in columns}) > 1 or any(c.ndim != 1 or c.size == 0 for c in columns):
        raise UsageError("ranks need the same number of samples, at least one, for every system")
    matrix = np.array([np.where(np.isnan(c), -np.inf, np.round(c, _DIGITS)) for c in columns])
    medians = [float(np.median(row)) for row in matrix] if names else []
    order = tuple(names[i] for i in sorted(range(len(names)), key=lambda i: -medians[i]))
    fractions: dict[str, tuple[float, ...]] = {}
    beats: dict[str, dict[str, float]] = {}
    ties: dict[str, dict[str, float]] = {}
    ranges: dict[str, tuple[int, int]] = {}
    for place, name in enumerate(names):
        ranks = 1 + (matrix > matrix[place]).sum(axis=0)
        shares = np.bincount(ranks, minlength=len(names) + 1)[1:] / ranks.size
        fractions[name] = tuple(shares.tolist())
        for found, which in ((beats, matrix[place] > matrix), (ties, matrix[place] == matrix)):
            shared = which.mean(axis=1).tolist()
            found[name] = {other: share for other, share in zip(names, shared, strict=True) if other != name}
        low, high = np.quantile(ranks, tails(level), method="inverted_cdf").tolist()
        ranges[name] = int(low), int(high)
    return RankDistribution(order, fractions, beats, ties, ranges, level)


def percentile(values: Sequence[float], share: float) -> float:
    """The percentile as in the NIST engineering handbook: rank p (N + 1), with linear interpolation.

    >>> round(percentile([15, 20, 35, 40, 50], 0.4), 9)
    26.0
    """
    ordered = sorted(values)
    rank = share * (len(ordered) + 1)
    below = int(rank)
    if below < 1:
        return float(ordered[0])
    if below >= len(ordered):
        return float(ordered[-1])
    return float(ordered[below - 1] + (rank - below) * (ordered[below] - ordered[below - 1]))
