"""How sure the numbers are: bootstrap, paired tests, ranks, all from documents drawn with replacement.

Counts are resampled, never scores recomputed from files, and every function takes its seed. Draws come from the
Mersenne twister of the standard library, so that a seed gives the same intervals whatever the release of numpy, which
does not promise that of its own generators; it is also loaded much faster.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from adjudge.errors import UsageError
from adjudge.stats.exact import exact_product, exact_slices, exact_sums
from adjudge.stats.inference import Inference, chosen_interval
from adjudge.stats.intervals import Interval, Parts, exchange_p, score_interval, studentised, tails
from adjudge.stats.measure import Array, Key
from adjudge.stats.points import Additive
from adjudge.stats.table import shared_documents

if TYPE_CHECKING:
    import numpy.typing as npt

    from adjudge.stats.scores import Weights

_DIGITS = 12
# Cells of one block of weights: large enough to be fast, small enough to stay within the cache of most machines.
_BLOCK = 1 << 18
_MOST_GROUPS = 1000  # leave-outs in every exchange of a randomisation test


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
    """The scores of several systems on the same resampled corpora; those in `further` were drawn for tests only."""

    points: Mapping[str, Mapping[Key, float]]
    values: Mapping[str, Mapping[Key, Array]]
    documents: int
    resamples: int
    seed: int
    further: Mapping[str, Mapping[Key, Array]] = field(default_factory=dict)

    def all(self, name: str, key: Key) -> Array:
        """Every sample of a score, those for tests too."""
        first, more = self.values[name][key], self.further.get(name, {}).get(key)
        return first if more is None else np.concatenate([first, more])


def bootstrap(
    estimators: Mapping[str, Additive],
    *,
    resamples: int = 1000,
    seed: int = 13,
    tested: Collection[Key] = (),
    tests: int = 0,
    weights: Weights | None = None,
) -> Samples:
    """Score every system on the same corpora, each drawn from the documents with replacement (Efron 1979).

    Documents are drawn by the order of their ids, so that the order in which they were read changes nothing. If there
    are to be more `tests`, only the `tested` scores are looked at in the further draws of the same stream.

    >>> from adjudge.stats.measure import Total
    >>> from adjudge.stats.table import StatsTable
    >>> table = StatsTable(("a", "b"), ("n",), [[1], [1]])
    >>> samples = bootstrap({"A": Additive(table, (Total("x", "n", (("n", 1.0),)),))}, resamples=3, seed=1)
    >>> samples.values["A"]["x", "n"].tolist()
    [2.0, 2.0, 2.0]
    """
    documents = shared_documents({name: estimator.ids for name, estimator in estimators.items()})
    points = {name: estimator.point() for name, estimator in estimators.items()}
    total = max(_positive(resamples, "resamples"), tests if tested else 0)
    drawn: Iterator[Array]
    if weights is None:
        ranks = id_ranks(next(iter(estimators.values())).ids)
        drawn = (each[:, ranks] for each in bootstrap_weights(documents, total, Random(seed)))  # noqa: S311
    else:
        drawn = weights(documents, total, seed)
    values = {name: {key: [np.empty(0)] for key in each.keys} for name, each in estimators.items()}
    further = {name: {key: [np.empty(0)] for key in each.keys if key in tested} for name, each in estimators.items()}
    some = {name: each.only(tested) for name, each in estimators.items()} if total > resamples else {}
    done = 0
    for block in drawn:
        cut = max(0, min(len(block), resamples - done))
        for rows, chosen, found in ((block[:cut], estimators, values), (block[cut:], some, further)):
            for name, estimator in chosen.items() if len(rows) else ():
                for key, scores in estimator.evaluate(rows).items():
                    if key in found[name]:
                        found[name][key].append(scores)
        done += len(block)
    first, more = (
        {name: {key: np.concatenate(blocks) for key, blocks in parts.items()} for name, parts in found.items()}
        for found in (values, further)
    )
    return Samples(points, first, documents, resamples, seed, more if some else {})


def left_out(estimator: Additive) -> dict[Key, Array]:
    """Every part on the corpus without each of the documents.

    >>> from adjudge.stats.measure import Total
    >>> from adjudge.stats.table import StatsTable
    >>> table = StatsTable(("a", "b"), ("n",), [[1], [2]])
    >>> left_out(Additive(table, (Total("x", "n", (("n", 1.0),)),)))["x", "n"].tolist()
    [2.0, 1.0]
    """
    rows = estimator.summed[0].array
    return estimator.finish(exact_sums(rows)[None, :] - rows)


class Varied(NamedTuple):
    """Values of some scores with each document left out, and on resampled corpora, as an interval needs them."""

    interval: str
    left_out: Mapping[Any, Array]
    drawn: Mapping[Any, Array]

    def bounds(self, key: Any, point: float, level: float, *, signed: bool = False) -> Interval | None:
        """The interval of one of the scores."""
        none = np.empty(0)
        parts = Parts(point, self.left_out.get(key, none), self.drawn.get(key, none), signed=signed)
        return None if np.isnan(point) else score_interval(parts, self.interval, level=level)


def varied(
    function: Callable[[Array], Mapping[Any, Array]], documents: int, inference: Inference, *, block: int = _BLOCK
) -> Varied:
    """What the intervals of a function of the weights of documents are made of.

    >>> found = varied(lambda weights: {"n": weights @ np.array([1.0, 2.0, 4.0])}, 3, Inference())
    >>> found.interval, found.left_out["n"].tolist()
    ('jackknife', [6.0, 5.0, 3.0])
    """
    interval = chosen_interval(inference.interval, documents)
    left: dict[Any, list[Array]] = {}
    drawn: dict[Any, list[Array]] = {}
    if documents > 1 and inference.resamples:
        if interval != "jackknife":
            for weights in bootstrap_weights(documents, inference.resamples, Random(inference.seed), block=block):  # noqa: S311
                for key, values in function(weights).items():
                    drawn.setdefault(key, []).append(values)
        if interval != "percentile":
            for weights in without_each(documents, block=block):
                for key, values in function(weights).items():
                    left.setdefault(key, []).append(values)
    joined = ({key: np.concatenate(blocks) for key, blocks in found.items()} for found in (left, drawn))
    return Varied(interval, *joined)


def without_each(documents: int, *, block: int = _BLOCK) -> Iterator[Array]:
    """Weights that leave out one document after the other.

    >>> [weights.tolist() for weights in without_each(2)]
    [[[0.0, 1.0], [1.0, 0.0]]]
    """
    start = 0
    for rows in _blocks(documents, documents, block):
        weights = np.ones((rows, documents))
        weights[np.arange(rows), np.arange(start, start + rows)] = 0.0
        yield weights
        start += rows


def randomisation(
    first: Additive, second: Additive, keys: Collection[Key], *, trials: int = 1000, seed: int = 13, block: int = _BLOCK
) -> dict[Key, float | None]:
    """p that two systems do not differ, by exchanging their outputs document by document (Noreen 1989).

    The statistic is studentised: |d| / s, where the jackknife error s of the difference is found anew in every
    exchange. Without it the test errs where systems have the same score but not the same precision and recall (Janssen
    1997). Beyond a thousand documents s comes from random groups of them.

    >>> from adjudge.stats.measure import Ratio
    >>> from adjudge.stats.table import StatsTable
    >>> score = (Ratio("x", "score", (("s", 1.0),), (("n", 1.0),)),)
    >>> a, b = (StatsTable(("d", "e"), ("s", "n"), [[n, 1], [n, 2]]) for n in (1, 0))
    >>> randomisation(Additive(a, score), Additive(b, score), [("x", "score")], trials=9, seed=1)
    {('x', 'score'): 0.5}
    """
    documents = shared_documents({"the first": first.ids, "the second": second.ids})
    if first.table.columns != second.table.columns:
        raise UsageError("tables with different columns cannot be compared")
    keys = list(keys)
    if documents < 2 or not keys:
        return dict.fromkeys(keys)
    one, other = first.only(keys), second.only(keys)
    both_rows = one.summed[0].array, other.summed[0].array
    totals, ranks = [exact_sums(rows) for rows in both_rows], id_ranks(first.ids)
    order: Any = np.argsort(ranks) if not isinstance(ranks, slice) else ranks
    rows = both_rows[0][order], both_rows[1][order]
    gain = rows[1] - rows[0]
    slices = exact_slices(gain)
    groups = _groups(documents, seed)
    statistics: dict[Key, list[Array]] = {key: [] for key in keys}
    rng = Random(seed)  # noqa: S311
    size = max(1, block // (max(documents, 1) * max(1, gain.shape[1])))
    for swapped in exchanges(documents, _positive(trials, "trials"), size, rng):
        shift = exact_product(swapped, slices)
        both = []
        for system, total, own, sign in ((one, totals[0], rows[0], 1.0), (other, totals[1], rows[1], -1.0)):
            whole = total + sign * shift
            without = whole[:, None, :] - _grouped(own[None, :, :] + sign * swapped[:, :, None] * gain, groups)
            flat = np.concatenate([whole, without.reshape(-1, without.shape[2])])
            both.append(system.finish(flat))
        number = len(swapped)
        for key in keys:
            found = both[0][key] - both[1][key]
            statistics[key].append(studentised(found[:number], found[number:].reshape(number, -1)))
    return {
        key: None if np.isnan(found[0][0]) else exchange_p(np.concatenate(found)) for key, found in statistics.items()
    }


def exchanges(documents: int, trials: int, size: int, rng: Random) -> Iterator[Array]:
    """Which documents are exchanged, 0 or 1, in blocks; none of them in the first row.

    >>> [block.shape for block in exchanges(3, 4, 3, Random(13))]
    [(1, 3), (3, 3), (1, 3)]
    """
    yield np.zeros((1, documents))
    for rows in (min(size, trials - start) for start in range(0, trials, size)):
        # A fair coin is one bit.
        yield (_words(rows * documents, 4, rng).reshape(rows, documents) >> 31).astype(np.float64)


def _groups(documents: int, seed: int) -> npt.NDArray[np.int64] | None:
    """The group of each document, if there are too many to leave out each of them."""
    if documents <= _MOST_GROUPS:
        return None
    places = list(range(documents))
    Random(seed).shuffle(places)  # noqa: S311
    return np.array(places, dtype=np.int64) % _MOST_GROUPS


def _grouped(rows: Array, groups: npt.NDArray[np.int64] | None) -> Array:
    """The rows of documents (samples x documents x columns) added up by group."""
    if groups is None:
        return rows
    order = np.argsort(groups, kind="stable")
    starts = np.searchsorted(groups[order], np.arange(_MOST_GROUPS))
    added: Array = np.add.reduceat(rows[:, order, :], starts, axis=1)
    return added


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
        low, high = np.quantile(ranks, tails(level), method="inverted_cdf").tolist()
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


def _blocks(documents: int, total: int, block: int) -> Iterator[int]:
    size = max(1, block // max(1, documents))
    for start in range(0, total, size):
        yield min(size, total - start)


def _positive(number: int, name: str) -> int:
    if number < 1:
        raise UsageError(f"{name} is {number}", hint="give at least 1")
    return number
