"""The official ranking: systems by the median of their overall scores over corpora that the bootstrap draws.

Source: scoring proposal, "Official Ranking Score": the median over 1,000 corpora, and for each rank the fraction of
samples on which it outperforms each other rank. All systems are scored on the same corpora.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from adjudge.errors import UsageError
from adjudge.stats.leaderboard import Leaderboard, Standing
from adjudge.tasks.eal.draws import Draws, draw_samples, percentile

if TYPE_CHECKING:
    import numpy.typing as npt

    from adjudge.stats.data import TableData
    from adjudge.stats.measure import Key, Measure
    from adjudge.stats.result import Result

_DIGITS = 12  # scores that differ only in the rounding of sums are equal


class Ranking(NamedTuple):
    """All systems, the best first, and how the corpora were drawn."""

    metric: str
    part: str
    resamples: int
    seed: int
    draws: Draws
    level: float
    standings: tuple[Standing, ...]
    samples: Mapping[str, npt.NDArray[Any]]

    def leaderboard(self) -> Leaderboard:
        """The same without the samples, as a result has it."""
        fields = {name: getattr(self, name) for name in self._fields if name != "samples"}
        return Leaderboard(**fields)

    def to_data(self) -> dict[str, Any]:
        """As plain data that any JSON writer takes, without the samples."""
        data: dict[str, Any] = msgspec.to_builtins(self.leaderboard())
        return data


def rank_systems(
    tables: Mapping[str, TableData],
    measures: list[Measure],
    *,
    resamples: int = 1000,
    seed: int = 13,
    draws: Draws = "numpy",
    percentiles: str = "linear",
    level: float = 0.95,
    key: Key | None = None,
    pool: str = "micro",
) -> Ranking:
    """Rank systems by the median of one score, by default the overall score, or that of arguments if there is no other.

    >>> from adjudge.stats.data import TableData
    >>> from adjudge.stats.measure import Ratio
    >>> f = Ratio("eal.argument", "score", (("s", 1.0),), (("n", 1.0),))
    >>> one, other = (TableData(("d", "e"), ("s", "n"), ((a, 4.0), (2.0, 4.0)), {}) for a in (1.0, 3.0))
    >>> ranking = rank_systems({"A": one, "B": other}, [f], resamples=100)
    >>> [(each.system, each.wins) for each in ranking.standings][0][0]
    'B'
    """
    from adjudge.stats.estimator import Additive
    from adjudge.stats.measure import needed_measures, part_keys
    from adjudge.stats.table import StatsTable

    if resamples < 1:
        raise UsageError("a ranking needs resamples", hint="give --bootstrap at least 1")
    known = part_keys(measures)
    key = key or (("eal.overall", "score") if ("eal.overall", "score") in known else ("eal.argument", "score"))
    needed = needed_measures(measures, [key])
    estimators = {
        name: Additive(StatsTable.from_data(each), needed, pool)  # type: ignore[arg-type]
        for name, each in tables.items()
    }
    drawn = draw_samples(estimators, resamples=resamples, seed=seed, draws=draws)
    samples = {name: drawn.values[name][key] for name in tables}
    points = {name: drawn.points[name][key] for name in tables}
    standings = _standings(samples, points, level, percentiles)
    return Ranking(*key, resamples, seed, draws, level, standings, samples)


def rank_result(result: Result, *, draws: Draws = "numpy", percentiles: str = "linear") -> Ranking:
    """The ranking of the systems of a result that has its tables, drawn as the result was."""
    options = result.options
    tables = {system.name: system.table for system in result.systems}
    if options is None or any(table is None for table in tables.values()):
        raise UsageError("the result has no counts per document", hint="write it with --save")
    return rank_systems(
        tables,  # type: ignore[arg-type]
        list(result.measures),
        resamples=options.bootstrap,
        seed=options.seed,
        level=options.level,
        pool=options.pool,
        draws=draws,
        percentiles=percentiles,
    )


def _standings(
    samples: Mapping[str, npt.NDArray[Any]], points: Mapping[str, float], level: float, percentiles: str
) -> tuple[Standing, ...]:
    import numpy as np

    names = list(samples)
    matrix = np.array([np.where(np.isnan(s), -np.inf, np.round(s, _DIGITS)) for s in samples.values()])
    defined = {name: np.where(np.isnan(values), 0.0, values) for name, values in samples.items()}
    medians = {name: float(np.median(values)) for name, values in defined.items()}
    places = {name: round(median, _DIGITS) for name, median in medians.items()}
    order = sorted(names, key=lambda name: -places[name])
    below = round((1 - level) / 2, 12)
    found = []
    for name in order:
        own = matrix[names.index(name)]
        ranks = 1 + (matrix > own).sum(axis=0)
        shares = np.bincount(ranks, minlength=len(names) + 1)[1:] / ranks.size
        first, last = np.quantile(ranks, [below, 1 - below], method="inverted_cdf").tolist()
        values = defined[name]
        if percentiles == "nist":
            low, high = percentile(values.tolist(), below), percentile(values.tolist(), 1 - below)
        else:
            low, high = np.quantile(values, [below, 1 - below]).tolist()
        above, level_with = (own > matrix).mean(axis=1).tolist(), (own == matrix).mean(axis=1).tolist()
        found.append(
            Standing(
                rank=1 + sum(places[other] > places[name] for other in names),
                system=name,
                median=medians[name],
                low=low,
                high=high,
                score=points[name],
                ranks=(int(first), int(last)),
                rank_shares=tuple(shares.tolist()),
                wins={each: share for each, share in zip(names, above, strict=True) if each != name},
                ties={each: share for each, share in zip(names, level_with, strict=True) if each != name},
            )
        )
    return tuple(found)


def render_ranking(ranking: Ranking) -> str:
    """The leaderboard, and below it who beats whom."""
    from adjudge.stats.text import render_leaderboard

    return render_leaderboard(ranking.leaderboard())
