"""How sure the numbers are: bootstrap, paired tests, ranks, all from documents drawn with replacement.

Counts are resampled, never scores recomputed from files, and every function takes its seed. Draws come from the
Mersenne twister of the standard library, so that a seed gives the same intervals whatever the release of numpy, which
does not promise that of its own generators; it is also loaded much faster.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge.errors import UsageError
from adjudge.stats.data import check_level
from adjudge.stats.estimator import Estimator
from adjudge.stats.exact import exact_product, exact_slices
from adjudge.stats.measure import Array, Key, Measure, part_keys
from adjudge.stats.reduce import Pool, sums
from adjudge.stats.table import StatsTable, exact_sums

if TYPE_CHECKING:
    import numpy.typing as npt

# Two values that are equal but for the rounding of sums must count as equal: a test compares up to this.
_SLACK = 1e-12
_DIGITS = 12
# Cells of one block of weights: large enough to be fast, small enough to stay within the cache of most machines.
_BLOCK = 1 << 18


def bootstrap_weights(
    documents: int, resamples: int, rng: Random | np.random.Generator, *, block: int = _BLOCK
) -> Iterator[Array]:
    """How often each document is drawn in each corpus: blocks of rows that sum to the number of documents.

    The block size bounds the memory and does not change the draws.

    >>> sum(bootstrap_weights(3, 4, Random(13))).sum(axis=1).tolist()
    [3.0, 3.0, 3.0, 3.0]
    """
    for rows in _blocks(documents, resamples, block):
        if documents == 0:
            yield np.zeros((rows, 0))
            continue
        drawn = _indices(documents, rows * documents, rng).reshape(rows, documents)
        drawn += np.arange(0, rows * documents, documents)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=rows * documents)
        yield counts.reshape(rows, documents).astype(np.float64)


@dataclass(frozen=True)
class Samples:
    """The scores of several systems on the same resampled corpora."""

    points: Mapping[str, Mapping[Key, float]]
    values: Mapping[str, Mapping[Key, Array]]
    documents: int
    resamples: int
    seed: int


def bootstrap(estimators: Mapping[str, Estimator], *, resamples: int = 1000, seed: int = 13) -> Samples:
    """Score every system on the same corpora, each drawn from the documents with replacement (Efron 1979).

    Documents are drawn by the order of their ids, so that the order in which they were read changes nothing.

    >>> from adjudge.stats.estimator import Additive
    >>> from adjudge.stats.measure import Total
    >>> table = StatsTable(("a", "b"), ("n",), [[1], [1]])
    >>> samples = bootstrap({"A": Additive(table, (Total("x", "n", (("n", 1.0),)),))}, resamples=3, seed=1)
    >>> samples.values["A"]["x", "n"].tolist()
    [2.0, 2.0, 2.0]
    """
    documents = shared_documents({name: estimator.ids for name, estimator in estimators.items()})
    points = {name: estimator.point() for name, estimator in estimators.items()}
    blocks: dict[str, dict[Key, list[Array]]] = {
        name: {key: [np.empty(0)] for key in estimator.keys} for name, estimator in estimators.items()
    }
    ranks = id_ranks(next(iter(estimators.values())).ids)
    rng = Random(seed)  # noqa: S311
    for drawn in bootstrap_weights(documents, _positive(resamples, "resamples"), rng):
        weights = drawn[:, ranks]
        for name, estimator in estimators.items():
            for key, scores in estimator.evaluate(weights).items():
                blocks[name][key].append(scores)
    values = {name: {key: np.concatenate(b) for key, b in parts.items()} for name, parts in blocks.items()}
    return Samples(points, values, documents, resamples, seed)


def interval(values: npt.ArrayLike, level: float = 0.95) -> tuple[float, float] | None:
    """The percentile interval of the samples that are defined; None if there are none.

    >>> interval(range(101), 0.9)
    (5.0, 95.0)
    """
    defined = _defined(values)
    if defined.size == 0:
        return None
    low, high = _quantiles(defined, _tails(level))
    return low, high


def median(values: npt.ArrayLike) -> float | None:
    """The median of the samples that are defined.

    >>> median([3.0, 1.0, float("nan"), 2.0])
    2.0
    """
    defined = _defined(values)
    return float(np.median(defined)) if defined.size else None


def notches(values: npt.ArrayLike, *, constant: float = 1.57) -> tuple[float, float] | None:
    """The notch of a box plot: median -/+ constant * IQR / sqrt(n) (McGill, Tukey and Larsen 1978).

    n is the number of samples, so that for a bootstrap the notch shrinks as one draws more: it is not a test.

    >>> notches([1.0, 2.0, 3.0, 4.0], constant=1.0)
    (1.75, 3.25)
    """
    defined = _defined(values)
    if defined.size == 0:
        return None
    first, middle, third = _quantiles(defined, [0.25, 0.5, 0.75])
    reach = constant * (third - first) / float(np.sqrt(defined.size))
    return middle - reach, middle + reach


@dataclass(frozen=True)
class PairedTest:
    """A difference of two systems on one part; what is undefined is None."""

    difference: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    wins: float | None = None
    ties: float | None = None


def paired_bootstrap(samples: Samples, a: str, b: str, key: Key, *, level: float = 0.95) -> PairedTest:
    """Whether system a differs from b, by the shift method on shared draws (Efron and Tibshirani 1993, chapter 16).

    p = (1 + #{|d* - d| >= |d|}) / (B + 1), two-sided; `wins` is the fraction of corpora on which a scores higher. One
    document never varies, and then there is no p. Corpora on which either system is undefined are left out.

    >>> from adjudge.stats.estimator import Additive
    >>> from adjudge.stats.measure import Ratio
    >>> score = (Ratio("x", "score", (("s", 1.0),), (("n", 1.0),)),)
    >>> a = StatsTable(("d", "e", "f"), ("s", "n"), [[1, 1], [1, 1], [0, 1]])
    >>> b = StatsTable(("d", "e", "f"), ("s", "n"), [[0, 1], [1, 1], [0, 1]])
    >>> samples = bootstrap({"A": Additive(a, score), "B": Additive(b, score)}, resamples=99, seed=13)
    >>> test = paired_bootstrap(samples, "A", "B", ("x", "score"))
    >>> round(test.difference, 3), test.wins + test.ties
    (0.333, 1.0)
    """
    difference = samples.points[a][key] - samples.points[b][key]
    if np.isnan(difference):
        return PairedTest(None)
    drawn = _defined(samples.values[a][key] - samples.values[b][key])
    if samples.documents == 0 or drawn.size == 0:
        return PairedTest(difference)
    bounds = interval(drawn, level)
    low, high = bounds if bounds else (None, None)
    p = None
    if samples.documents > 1:
        p = _p_value(np.abs(drawn - difference), abs(difference))
    ahead = np.sign(np.round(drawn, _DIGITS))
    return PairedTest(difference, low, high, p, float(np.mean(ahead > 0)), float(np.mean(ahead == 0)))


def approximate_randomisation(
    a: StatsTable,
    b: StatsTable,
    measures: Sequence[Measure],
    *,
    pool: Pool = "micro",
    trials: int = 1000,
    seed: int = 13,
    block: int = _BLOCK,
) -> dict[Key, PairedTest]:
    """Whether two systems differ, by swapping their outputs document by document (Noreen 1989).

    p = (1 + #{|d*| >= |d|}) / (trials + 1), two-sided.

    >>> from adjudge.stats.measure import Ratio
    >>> score = [Ratio("x", "score", (("s", 1.0),), (("n", 1.0),))]
    >>> a, b = StatsTable(("d",), ("s", "n"), [[1, 1]]), StatsTable(("d",), ("s", "n"), [[0, 1]])
    >>> approximate_randomisation(a, b, score, trials=9)["x", "score"]
    PairedTest(difference=1.0, low=None, high=None, p=1.0, wins=None, ties=None)
    """
    documents = shared_documents({"the first": a.ids, "the second": b.ids})
    if a.columns != b.columns:
        raise UsageError("tables with different columns cannot be compared")
    keys = part_keys(measures)
    first, second = (sums(table, measures, pool) for table in (a, b))
    points_a, points_b = first.reduce(), second.reduce()
    totals_a, totals_b = exact_sums(first.rows), exact_sums(second.rows)
    gain, ranks = exact_slices(second.rows - first.rows), id_ranks(a.ids)
    drawn: dict[Key, list[Array]] = {key: [np.empty(0)] for key in keys}
    rng = Random(seed)  # noqa: S311
    for rows in _blocks(documents, _positive(trials, "trials"), block):
        swapped = _words(rows * documents, 4, rng).reshape(rows, documents) >> 31  # a fair coin is one bit
        shift = exact_product(swapped[:, ranks], gain)
        swapped_a, swapped_b = first.finish(totals_a + shift), second.finish(totals_b - shift)
        for key in keys:
            drawn[key].append(swapped_a[key] - swapped_b[key])
    tests = {}
    for key in keys:
        values, difference = _defined(np.concatenate(drawn[key])), float(points_a[key][0] - points_b[key][0])
        if np.isnan(difference):
            tests[key] = PairedTest(None)
        elif documents == 0 or values.size == 0:
            tests[key] = PairedTest(difference)
        else:
            tests[key] = PairedTest(difference, p=_p_value(np.abs(values), abs(difference)))
    return tests


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down adjustment: the i-th smallest of m times m - i + 1, never falling, at most 1 (Holm 1979).

    A test without a p is not counted.

    >>> holm([0.01, 0.04, 0.03, None])
    [0.03, 0.06, 0.06, None]
    """
    tested = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for step, (p, place) in enumerate(tested):
        highest = max(highest, min(1.0, p * (len(tested) - step)))
        adjusted[place] = highest
    return adjusted


@dataclass(frozen=True)
class RankDistribution:
    """How often each system takes each rank.

    `order` sorts the systems by the median of their samples, best first; `fractions[system][r - 1]` is the share of
    samples in which the system has rank r; `beats[a][b]` the share in which a is strictly above b; `ranges[system]`
    the central ranks that hold `level` of its samples.
    """

    order: tuple[str, ...]
    fractions: Mapping[str, tuple[float, ...]]
    beats: Mapping[str, Mapping[str, float]]
    ranges: Mapping[str, tuple[int, int]]
    level: float


def rank_distribution(values: Mapping[str, npt.ArrayLike], *, level: float = 0.95) -> RankDistribution:
    """Ranks of several systems over shared samples of one part; tied systems share the better rank.

    An undefined score ranks below every defined one.

    >>> ranks = rank_distribution({"A": [0.5, 0.6, 0.7, 0.4], "B": [0.4, 0.6, 0.5, 0.5]})
    >>> ranks.fractions["A"], ranks.beats["A"]["B"], ranks.order
    ((0.75, 0.25), 0.5, ('A', 'B'))
    """
    names = list(values)
    columns = [np.asarray(values[name], dtype=np.float64) for name in names]
    if len({column.shape for column in columns}) > 1 or any(c.ndim != 1 or c.size == 0 for c in columns):
        raise UsageError("ranks need the same number of samples, at least one, for every system")
    matrix = np.array([np.where(np.isnan(c), -np.inf, np.round(c, _DIGITS)) for c in columns])
    medians = [float(np.median(row)) for row in matrix] if names else []
    order = tuple(names[i] for i in sorted(range(len(names)), key=lambda i: -medians[i]))
    fractions: dict[str, tuple[float, ...]] = {}
    beats: dict[str, dict[str, float]] = {}
    ranges: dict[str, tuple[int, int]] = {}
    for place, name in enumerate(names):
        ranks = 1 + (matrix > matrix[place]).sum(axis=0)
        shares = np.bincount(ranks, minlength=len(names) + 1)[1:] / ranks.size
        fractions[name] = tuple(shares.tolist())
        above = (matrix[place] > matrix).mean(axis=1).tolist()
        beats[name] = {other: share for other, share in zip(names, above, strict=True) if other != name}
        low, high = np.quantile(ranks, _tails(level), method="inverted_cdf").tolist()
        ranges[name] = int(low), int(high)
    return RankDistribution(order, fractions, beats, ranges, level)


def id_ranks(ids: Sequence[str]) -> npt.NDArray[np.int64] | slice:
    """Where each document stands in the order of the ids; all at once if they stand in order already.

    >>> id_ranks(("b", "c", "a")).tolist()
    [1, 2, 0]
    """
    order = sorted(range(len(ids)), key=ids.__getitem__)
    if order == list(range(len(ids))):
        return slice(None)  # and no copy of the weights
    ranks = np.empty(len(ids), dtype=np.int64)
    ranks[order] = np.arange(len(ids))
    return ranks


def _tails(level: float) -> list[float]:
    below = round((1 - check_level(level)) / 2, _DIGITS)  # 0.05 for a level of 0.9, not 0.04999999999999999
    return [below, 1 - below]


def _indices(documents: int, number: int, rng: Random | np.random.Generator) -> npt.NDArray[np.int64]:
    """Documents drawn with replacement; the same draws, however many are asked for at once.

    i = floor(w n / 2^64) of a random word w < 2^64, so that P(i) is off from 1/n by less than 2^-64 (Lemire 2019).

    >>> _indices(10, 5, Random(13)).tolist()
    [2, 9, 8, 8, 6]
    """
    if not isinstance(rng, Random):
        # int64 indices come from a stream without per-call buffering, hence the same draws for any block size.
        return rng.integers(0, documents, size=number)
    words = _words(number, 8, rng)
    high, low = words >> 32, words & 0xFFFFFFFF  # the product has 96 bits, hence by halves
    return ((high * documents + (low * documents >> 32)) >> 32).astype(np.int64)


def _words(number: int, width: int, rng: Random) -> npt.NDArray[Any]:
    """Random unsigned numbers of 4 or 8 bytes."""
    return np.frombuffer(rng.randbytes(number * width), dtype=f"<u{width}")


def _quantiles(values: Array, fractions: Sequence[float]) -> list[float]:
    """Quantiles with linear interpolation, as of `np.quantile`, which loads modules that nothing else here needs."""
    ordered = np.sort(values)
    found = []
    for fraction in fractions:
        place = fraction * (ordered.size - 1)
        before = int(place)
        low, high = float(ordered[before]), float(ordered[min(before + 1, ordered.size - 1)])
        share = place - before
        # From the nearer end, so that the rounding error is smaller and the last value is met exactly.
        found.append(low + (high - low) * share if share < 0.5 else high - (high - low) * (1 - share))
    return found


def _p_value(drawn: Array, observed: float) -> float:
    extreme = int(np.count_nonzero(drawn >= observed - _SLACK * max(1.0, observed)))
    return (1 + extreme) / (drawn.size + 1)


def _defined(values: npt.ArrayLike) -> Array:
    array = np.asarray(values, dtype=np.float64)
    defined: Array = array[~np.isnan(array)]
    return defined


def _blocks(documents: int, total: int, block: int) -> Iterator[int]:
    size = max(1, block // max(1, documents))
    for start in range(0, total, size):
        yield min(size, total - start)


def _positive(number: int, name: str) -> int:
    if number < 1:
        raise UsageError(f"{name} is {number}", hint="give at least 1")
    return number


def shared_documents(ids: Mapping[str, tuple[str, ...]]) -> int:
    """The number of documents, which must be the same and in the same order for every system.

    >>> shared_documents({"A": ("d1", "d2"), "B": ("d1", "d2")})
    2
    """
    if not ids:
        raise UsageError("no system to resample")
    first, *others = ids
    for other in others:
        if ids[other] == ids[first]:
            continue
        differing = sorted(set(ids[other]) ^ set(ids[first]))
        why = f"{', '.join(differing[:10])} in one only" if differing else "the order differs"
        raise UsageError(f"{first} and {other} are not on the same documents: {why}")
    return len(ids[first])
