"""The official ranking: systems by the median of their overall scores over corpora that the bootstrap draws.

Source: scoring proposal, "Official Ranking Score": the median over 1,000 corpora, and for each rank the fraction of
samples on which it outperforms each other rank. All systems are scored on the same corpora.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from adjudge.errors import UsageError
from adjudge.stats.ranking import Ranking, official_standings, percentile

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from adjudge.stats.measure import Key, Measure
    from adjudge.stats.result import Result
    from adjudge.stats.scores import Drawing
    from adjudge.stats.table import StatsTable
    from adjudge.tasks.eal.settings import Profile, Settings

Draws: TypeAlias = Literal["numpy", "java"]

_MULTIPLIER, _INCREMENT, _MASK = 0x5DEECE66D, 0xB, (1 << 48) - 1
_LEVEL = 0.95


def rank_systems(
    tables: Mapping[str, StatsTable],
    measures: list[Measure],
    *,
    resamples: int = 1000,
    seed: int = 13,
    draws: Draws = "numpy",
    percentiles: str = "linear",
) -> Ranking:
    """Rank systems by the median of one score, by default the overall score, or that of arguments if there is no other.

    >>> from adjudge.stats.table import StatsTable
    >>> from adjudge.stats.measure import Ratio
    >>> f = Ratio("eal.argument", "score", (("s", 1.0),), (("n", 1.0),))
    >>> one, other = (StatsTable(("d", "e"), ("s", "n"), ((a, 4.0), (2.0, 4.0)), {}) for a in (1.0, 3.0))
    >>> ranking = rank_systems({"A": one, "B": other}, [f], resamples=100)
    >>> [(each.system, each.wins) for each in ranking.standings][0][0]
    'B'
    """
    from adjudge.stats.measure import needed_measures
    from adjudge.stats.points import Additive
    from adjudge.stats.resample import bootstrap

    if resamples < 1:
        raise UsageError("a ranking needs resamples", hint="give --bootstrap at least 1")
    key = ranking_key(measures)
    needed = needed_measures(measures, [key])
    estimators = {name: Additive(each, needed) for name, each in tables.items()}
    weights = java_weights if draws == "java" else None
    drawn = bootstrap(estimators, resamples=resamples, seed=seed, weights=weights)
    samples = {name: drawn[name][key] for name in tables}
    points = {name: estimators[name].point()[key] for name in tables}
    standings = official_standings(key, samples, points, _LEVEL, percentiles)
    return Ranking(*key, resamples, seed, draws, _LEVEL, standings, samples)


def can_be_ranked(result: Result) -> bool:
    """Whether there are several systems and a bootstrap."""
    return len(result.systems) > 1 and result.options is not None and result.options.bootstrap > 0


def ranked(result: Result, settings: Settings, by: str | None = None) -> Result:
    """The result with the official ranking, or one by another score."""
    import msgspec

    from adjudge.stats.ranking import ranking_key as key_of

    key = None if by is None else key_of(result, by)
    ranking = rank_result(result, draws=settings.profile.draws, percentiles=settings.profile.percentiles, key=key)
    others = [each for each in result.ranking if by is None and (each.metric, each.part) != ranking[:2]]
    return msgspec.structs.replace(result, ranking=(*ranking.standings, *others))


def ranking_key(measures: Sequence[Measure]) -> Key:
    """The overall score, or that of arguments if there is no other."""
    from adjudge.stats.measure import part_keys

    return "eal.overall" if ("eal.overall", "score") in part_keys(measures) else "eal.argument", "score"


def rank_result(
    result: Result, *, draws: Draws = "numpy", percentiles: str = "linear", key: Key | None = None
) -> Ranking:
    """The ranking of the systems of a result that has its tables, drawn as the result was; `key` chooses a score."""
    from adjudge.stats import ranking

    weights = java_weights if draws == "java" else None
    key = key or ranking_key(result.measures)
    return ranking.rank_result(result, key, draws=draws, weights=weights, percentiles=percentiles)


def render_ranking(ranking: Ranking) -> str:
    """The leaderboard, and below it who beats whom."""
    from adjudge.stats.text import render_leaderboard

    return render_leaderboard(ranking)


# ---------------------------------------------------------------------------------------------------------------------
# Corpora as the official programs draw them, and their percentiles


def java_indices(documents: int, resamples: int, seed: int) -> npt.NDArray[np.int64]:
    """The documents of each corpus: `resamples` rows of `documents` draws of java.util.Random(seed).nextInt.

    >>> java_indices(5, 2, 0).tolist()
    [[0, 3, 4, 2, 0], [3, 1, 1, 4, 4]]
    """
    import numpy as np

    wanted = documents * resamples
    found = [np.empty(0, dtype=np.int64)]
    state = (seed ^ _MULTIPLIER) & _MASK
    missing = wanted
    while missing > 0:
        states = _states(state, missing)
        state = int(states[-1])
        bits = (states >> np.uint64(17)).astype(np.int64)
        if documents & (documents - 1) == 0:
            drawn = (documents * bits) >> 31
        else:
            drawn = bits % documents
            # The few numbers at the upper end that would make small indices more frequent are drawn again.
            drawn = drawn[bits - drawn + documents - 1 < 1 << 31]
        found.append(drawn)
        missing -= len(drawn)
    return np.concatenate(found).reshape(resamples, documents)


def _states(state: int, number: int) -> npt.NDArray[np.uint64]:
    """The next states of the generator: s <- a s + c, for many steps at once by doubling."""
    import numpy as np

    mask = np.uint64(_MASK)
    states = np.empty(number, dtype=np.uint64)
    states[0] = (state * _MULTIPLIER + _INCREMENT) & _MASK
    done, factor, term = 1, _MULTIPLIER, _INCREMENT
    while done < number:
        step = min(done, number - done)
        states[done : done + step] = (states[:step] * np.uint64(factor) + np.uint64(term)) & mask
        factor, term, done = (factor * factor) & _MASK, (factor * term + term) & _MASK, done + step
    return states


def java_weights(
    documents: int, resamples: int, seed: int, *, block: int = 1 << 18
) -> Iterator[npt.NDArray[np.float64]]:
    """How often each document is in each corpus, in blocks of corpora."""
    import numpy as np

    if documents == 0:
        yield np.zeros((resamples, 0))
        return
    indices = java_indices(documents, resamples, seed)
    size = max(1, block // documents)
    for start in range(0, resamples, size):
        rows = indices[start : start + size]
        flat = rows + np.arange(0, len(rows) * documents, documents)[:, None]
        counts = np.bincount(flat.ravel(), minlength=len(rows) * documents)
        yield counts.reshape(len(rows), documents).astype(np.float64)


def drawing_of(profile: Profile) -> Drawing:
    """How the corpora of a profile are drawn, and which quantiles are its percentile intervals."""
    from adjudge.stats.scores import USUAL, Drawing

    if profile.draws == "numpy" and profile.percentiles == "linear":
        return USUAL
    return Drawing(
        profile.draws,
        java_weights if profile.draws == "java" else None,
        nist_interval if profile.percentiles == "nist" else None,
    )


def nist_interval(values: Sequence[float], level: float) -> tuple[float, float] | None:
    """The central interval of the samples that are defined.

    >>> nist_interval([1.0, 2.0, 3.0], 0.5)
    (1.0, 3.0)
    """
    defined = [value for value in values if value == value]  # nan is not
    below = round((1 - level) / 2, 12)
    return (percentile(defined, below), percentile(defined, 1 - below)) if defined else None
