"""How sure the numbers are: bootstrap, paired tests, ranks, all from documents drawn with replacement.

Counts are resampled, never scores recomputed from files, and every function takes its seed.

Random draws are part of published numbers: they are the same on every machine and for every release of numpy, which
guarantees the raw words of PCG64 for a seed, and nothing of what its generators make of them. They do not depend on how
many are asked for at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from adjudge.errors import UsageError, ValidationError
from adjudge.stats.inference import Inference, chosen_interval
from adjudge.stats.intervals import Interval, Parts, exchange_p, score_interval, studentised
from adjudge.stats.measure import Array, Key
from adjudge.stats.points import Additive
from adjudge.stats.table import shared_documents

if TYPE_CHECKING:
    import numpy.typing as npt

    from adjudge.stats.scores import Weights


class Stream:
    """A stream of draws; further numbers after the seed give other streams of the same seed.

    >>> Stream(13).indices(10, 5).tolist()
    [8, 8, 8, 8, 0]
    """

    def __init__(self, seed: int, *stream: int) -> None:
        self._bits = np.random.PCG64([seed, *stream] if stream else seed)
        self._rest = np.empty(0, dtype="<u4")

    def words(self, number: int) -> npt.NDArray[np.uint32]:
        """Random words of 32 bits, the lower half of each raw word first."""
        halves = self._bits.random_raw((number - len(self._rest) + 1) // 2).astype("<u8", copy=False).view("<u4")
        if len(self._rest):
            halves = np.concatenate((self._rest, halves))
        self._rest = halves[number:].copy()
        return halves[:number]

    def indices(self, size: int, number: int) -> npt.NDArray[np.int64]:
        """Numbers below `size`: floor(w size / 2^32), so that P(i) is off from 1/size by less than 2^-32."""
        found = np.empty(number, dtype=np.int64)
        np.multiply(self.words(number), size, out=found, dtype=np.int64, casting="unsafe")
        found >>= 32
        return found

    def coins(self, rows: int, number: int) -> npt.NDArray[np.float64]:
        """Rows of fair coins, 0 or 1; a coin is one bit, and every row starts with a new word.

        >>> Stream(13).coins(2, 6).tolist()
        [[0.0, 0.0, 1.0, 1.0, 1.0, 1.0], [1.0, 0.0, 0.0, 1.0, 0.0, 1.0]]
        """
        words = self.words(rows * -(-number // 32)).reshape(rows, -1)
        bits = np.unpackbits(words.view(np.uint8), axis=1, count=number, bitorder="little")
        return bits.astype(np.float64)

    def shares(self, number: int) -> npt.NDArray[np.float64]:
        """Numbers from 0 to below 1, of 53 bits.

        >>> Stream(13).shares(2).round(3).tolist()
        [0.865, 0.855]
        """
        return (self.words(2 * number).view("<u8") >> 11).astype(np.float64) * 2.0**-53

    def permutation(self, size: int) -> npt.NDArray[np.int64]:
        """The numbers below `size` in random order.

        >>> sorted(Stream(13).permutation(4).tolist())
        [0, 1, 2, 3]
        """
        keys = self.words(2 * size).view("<u8")
        return np.argsort(keys, kind="stable").astype(np.int64)


def leave_out_groups(documents: int, seed: int, groups: int) -> npt.NDArray[np.int64]:
    """The group of each document: its own, or a random one of `groups` where there are more documents.

    >>> leave_out_groups(3, 13, 10).tolist()
    [0, 1, 2]
    """
    return np.arange(documents) if documents <= groups else Stream(seed, 1).permutation(documents) % groups


Name = TypeVar("Name", bound=Hashable)
_DIGITS = 12
# Cells of one block of weights: large enough to be fast, small enough to stay within the cache of most machines.
_BLOCK = 1 << 18
_BITS = 53
# Three slices of the worst size still hold more than the bits of a number that is as large as its column's largest.
_SLICES = 3
_SMALLEST = -1074
_MOST_GROUPS = 1000  # leave-outs in every exchange of a randomisation test


def bootstrap_weights(documents: int, resamples: int, draws: Stream, *, block: int = _BLOCK) -> Iterator[Array]:
    """How often each document is drawn in each corpus: blocks of rows that sum to the number of documents.

    The block size bounds the memory and does not change the draws.

    >>> sum(bootstrap_weights(3, 4, Stream(13))).sum(axis=1).tolist()
    [3.0, 3.0, 3.0, 3.0]
    """
    for rows in _blocks(documents, resamples, block):
        if documents == 0:
            yield np.zeros((rows, 0))
            continue
        drawn = draws.indices(documents, rows * documents).reshape(rows, documents)
        drawn += np.arange(0, rows * documents, documents)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=rows * documents)
        yield counts.reshape(rows, documents).astype(np.float64)


def stratified_weights(
    ids: Sequence[str], strata: Sequence[str], resamples: int, seed: int, *, block: int = _BLOCK
) -> Iterator[Array]:
    """The same with as many documents of every stratum as it has, each drawn from its own by the order of their ids.

    >>> sum(stratified_weights("abcd", "xxxy", 2, 13)).tolist()[0][3]
    1.0
    """
    places: dict[str, list[int]] = {}
    for place in sorted(range(len(ids)), key=ids.__getitem__):
        places.setdefault(strata[place], []).append(place)
    streams = {name: Stream(seed, number) for number, name in enumerate(sorted(places), 1)}
    for rows in _blocks(len(ids), resamples, block):
        drawn = np.zeros((rows, len(ids)))
        for name, stream in streams.items():
            drawn[:, places[name]] = next(bootstrap_weights(len(places[name]), rows, stream, block=1 << 62))
        yield drawn


def bootstrap(
    estimators: Mapping[Name, Additive],
    *,
    resamples: int = 1000,
    seed: int = 13,
    tested: Collection[Key] = (),
    tests: int = 0,
    weights: Weights | None = None,
) -> dict[Name, dict[Key, Array]]:
    """Score every system on the same corpora, each drawn from the documents with replacement (Efron 1979).

    Documents are drawn by the order of their ids, so that the order in which they were read changes nothing. If there
    are to be more `tests`, only the `tested` scores have values in the further draws of the same stream.

    >>> from adjudge.stats.measure import Total
    >>> from adjudge.stats.table import StatsTable
    >>> table = StatsTable(("a", "b"), ("n",), [[1], [1]])
    >>> drawn = bootstrap({"A": Additive(table, (Total("x", "n", (("n", 1.0),)),))}, resamples=3, seed=1)
    >>> drawn["A"]["x", "n"].tolist()
    [2.0, 2.0, 2.0]
    """
    documents = shared_documents({name: estimator.ids for name, estimator in estimators.items()})
    total = max(_positive(resamples, "resamples"), tests if tested else 0)
    blocks: Iterator[Array]
    first = next(iter(estimators.values()))
    if weights is None and first.strata is not None:
        blocks = stratified_weights(first.ids, first.strata, total, seed)
    elif weights is None:
        ranks = id_ranks(first.ids)
        blocks = bootstrap_weights(documents, total, Stream(seed))
        if not isinstance(ranks, slice):
            blocks = (np.take(each, ranks, axis=1) for each in blocks)  # in half the time of an index
    else:
        blocks = weights(documents, total, seed)
    some = {name: each.only(tested) for name, each in estimators.items()} if total > resamples else {}
    found: dict[Name, dict[Key, list[Array]]] = {name: {} for name in estimators}
    done = 0
    for block in blocks:
        cut = max(0, min(len(block), resamples - done))
        done += len(block)
        for rows, chosen in ((block[:cut], estimators), (block[cut:], some)):
            for name, estimator in chosen.items() if len(rows) else ():
                for key, scores in estimator.evaluate(rows).items():
                    if chosen is estimators or key in tested:
                        found[name].setdefault(key, []).append(scores)
    return {name: {key: np.concatenate(own) for key, own in parts.items()} for name, parts in found.items()}


def function_intervals(
    function: Callable[[Array], Mapping[Any, Array]],
    points: Mapping[Any, float],
    documents: int,
    inference: Inference,
    *,
    signed: bool = True,
    block: int = _BLOCK,
) -> dict[Any, Interval | None]:
    """The intervals of the values of a function of the weights of documents.

    >>> function = lambda weights: {"n": weights @ np.array([1.0, 2.0, 4.0])}
    >>> function_intervals(function, {"n": 7.0}, 3, Inference())["n"].method
    'jackknife'
    """
    interval = chosen_interval(inference.interval, documents)
    left: dict[Any, list[Array]] = {}
    drawn: dict[Any, list[Array]] = {}
    if documents > 1 and inference.resamples:
        if interval != "percentile":
            _gather(function, without_each(documents, block=block), left)
        if interval != "jackknife":
            draws = Stream(inference.seed)
            _gather(function, bootstrap_weights(documents, inference.resamples, draws, block=block), drawn)
    found: dict[Any, Interval | None] = {}
    for key, point in points.items():
        varied = (np.concatenate(own.get(key, [np.empty(0)])) for own in (left, drawn))
        parts = Parts(point, next(varied), next(varied), signed=signed)
        found[key] = None if np.isnan(point) else score_interval(parts, interval, level=inference.level)
    return found


def _gather(
    function: Callable[[Array], Mapping[Any, Array]], blocks: Iterator[Array], found: dict[Any, list[Array]]
) -> None:
    for weights in blocks:
        for key, values in function(weights).items():
            found.setdefault(key, []).append(values)


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
    systems: Mapping[str, Additive],
    keys: Collection[Key],
    *,
    trials: int = 1000,
    seed: int = 13,
    block: int = _BLOCK,
) -> dict[tuple[str, str], dict[Key, float | None]]:
    """p that two systems do not differ, by exchanging their outputs document by document (Noreen 1989), of every pair.

    The statistic is studentised: |d| / s, where the jackknife error s of the difference is found anew in every
    exchange. Without it the test errs where systems have the same score but not the same precision and recall (Janssen
    1997). Beyond a thousand documents s comes from random groups of them.

    >>> from adjudge.stats.measure import Ratio
    >>> from adjudge.stats.table import StatsTable
    >>> score = (Ratio("x", "score", (("s", 1.0),), (("n", 1.0),)),)
    >>> a, b = (Additive(StatsTable(("d", "e"), ("s", "n"), [[n, 1], [n, 2]]), score) for n in (1, 0))
    >>> randomisation({"A": a, "B": b}, [("x", "score")], trials=9, seed=1)
    {('A', 'B'): {('x', 'score'): 0.4}}
    """
    documents = shared_documents({name: each.ids for name, each in systems.items()})
    if len({each.table.columns for each in systems.values()}) > 1:
        raise UsageError("tables with different columns cannot be compared")
    keys = list(keys)
    names = list(combinations(systems, 2))
    if documents < 2 or not keys:
        return {pair: dict.fromkeys(keys) for pair in names}
    ranks = id_ranks(next(iter(systems.values())).ids)
    order: Any = np.argsort(ranks) if not isinstance(ranks, slice) else ranks
    sides = {name: _Side.of(each.only(keys), order) for name, each in systems.items()}
    columns = max(side.rows.shape[1] for side in sides.values())
    gains = {(a, b): exact_slices(sides[b].rows - sides[a].rows) for a, b in names}
    groups = leave_out_groups(documents, seed, _MOST_GROUPS)
    statistics: dict[tuple[str, str], dict[Key, list[Array]]] = {pair: {key: [] for key in keys} for pair in names}
    size = max(1, block // (max(documents, 1) * max(1, columns)))
    # All pairs exchange the same documents, which are drawn once.
    drawn, times = _distinct(exchanges(documents, _positive(trials, "trials"), size, Stream(seed)), trials, size)
    for swapped in drawn:
        number = len(swapped)
        for pair, found in statistics.items():
            one, other = (sides[name] for name in pair)
            shift, gain = exact_product(swapped, gains[pair]), other.rows - one.rows
            both = [side.scores(sign * shift, sign * swapped, gain, groups) for side, sign in ((one, 1), (other, -1))]
            for key in keys:
                difference = both[0][key] - both[1][key]
                statistic = studentised(difference[:number], difference[number:].reshape(number, -1))
                found[key].append(statistic)
    return {
        pair: {
            key: None if np.isnan(found[0][0]) else exchange_p(np.concatenate(found), times)
            for key, found in own.items()
        }
        for pair, own in statistics.items()
    }


class _Side(NamedTuple):
    """A system whose documents are exchanged: its rows in the order of their ids, and their sums."""

    system: Additive
    rows: Array
    total: Array

    @classmethod
    def of(cls, system: Additive, order: Any) -> _Side:
        rows = system.units.array
        return cls(system, rows[order], exact_sums(system.summed[0].array))

    def scores(self, shift: Array, swapped: Array, gain: Array, groups: Any) -> dict[Key, Array]:
        """The scores after each exchange, and then those without each document or group of them."""
        whole = self.total + shift
        without = whole[:, None, :] - _grouped(self.rows[None, :, :] + swapped[:, :, None] * gain, groups)
        return self.system.finish(np.concatenate([whole, without.reshape(-1, without.shape[2])]))


def exchanges(documents: int, trials: int, size: int, draws: Stream) -> Iterator[Array]:
    """Which documents are exchanged, 0 or 1, in blocks; none of them in the first row.

    >>> [block.shape for block in exchanges(3, 4, 3, Stream(13))]
    [(1, 3), (3, 3), (1, 3)]
    """
    yield np.zeros((1, documents))
    for rows in (min(size, trials - start) for start in range(0, trials, size)):
        yield draws.coins(rows, documents)


def _distinct(drawn: Iterator[Array], trials: int, size: int) -> tuple[Iterable[Array], npt.NDArray[np.int64] | None]:
    """The exchanges, and how often each was drawn: few documents have fewer different ones than there are trials.

    >>> blocks, times = _distinct(iter([np.zeros((1, 1)), np.ones((3, 1))]), 3, 2)
    >>> [block.tolist() for block in blocks], times.tolist()
    ([[[0.0], [1.0]]], [0, 3])
    """
    first = next(drawn)
    documents = first.shape[1]
    if 1 << documents > trials:
        return chain([first], drawn), None
    places = np.arange(documents)
    times = np.zeros(1 << documents, dtype=np.int64)
    for block in drawn:
        times += np.bincount((block @ 2.0**places).astype(np.int64), minlength=len(times))
    every = (np.arange(len(times))[:, None] >> places & 1).astype(np.float64)
    return [every[start : start + size] for start in range(0, len(every), size)], times


def _grouped(rows: Array, groups: npt.NDArray[np.int64]) -> Array:
    """The rows of documents (samples x documents x columns) added up by group."""
    if len(groups) <= _MOST_GROUPS:
        return rows
    order = np.argsort(groups, kind="stable")
    starts = np.searchsorted(groups[order], np.arange(_MOST_GROUPS))
    added: Array = np.add.reduceat(rows[:, order, :], starts, axis=1)
    return added


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


def _blocks(documents: int, total: int, block: int) -> Iterator[int]:
    size = max(1, block // max(1, documents))
    for start in range(0, total, size):
        yield min(size, total - start)


def _positive(number: int, name: str) -> int:
    if number < 1:
        raise UsageError(f"{name} is {number}", hint="give at least 1")
    return number


# ---------------------------------------------------------------------------------------------------------------------
# Weighted sums over documents whose bits depend on nothing but the numbers. A product of matrices is rounded at every
# step, in an order that differs between processors, releases of numpy and orders of documents. Here the numbers are
# first cut into slices of so few bits that every sum of a slice with whole weights is exact (Ozaki, Ogita, Oishi and
# Rump 2012), and only the sums of the slices are rounded.


def exact_sums(values: Array) -> Array:
    """The correctly rounded sum of every column (Shewchuk's algorithm), whatever the order of the rows.

    >>> exact_sums(np.array([[1e16], [1.0], [-1e16]])).tolist()
    [1.0]
    """
    try:
        return np.array([math.fsum(column) for column in values.T.tolist()], dtype=np.float64)
    except OverflowError as error:
        raise ValidationError("the sum of a column exceeds the range of float64") from error


def exact_slices(rows: Array) -> list[Array]:
    """Tables that add up to the rows; with whole weights of a sum up to the number of rows, each adds up exactly.

    Counts are one slice, the table itself.

    >>> [part.tolist() for part in exact_slices(np.array([[3.0], [4.0]]))]
    [[[3.0], [4.0]]]
    >>> parts = exact_slices(np.array([[1 / 3], [0.5]]))
    >>> len(parts), bool(sum(part[0, 0] for part in parts) == 1 / 3)
    (2, True)
    """
    bits = _BITS - 1 - len(rows).bit_length()
    slices: list[Array] = []
    rest = rows
    while len(slices) < _SLICES and rest.any():
        _, exponents = np.frexp(np.abs(rest).max(axis=0))
        unit = np.ldexp(1.0, np.maximum(exponents - bits, _SMALLEST))
        part = np.rint(rest / unit) * unit
        slices.append(part)
        rest = rest - part
    return slices or [rows]


def exact_product(weights: npt.ArrayLike, slices: Sequence[Array]) -> Array:
    """Weights x rows, to the same bits whatever the order of the rows; the rows are given by their slices.

    Weights that are not whole, or whose sum exceeds the number of rows, give the plain product.

    >>> exact_product([[2.0, 0.0]], exact_slices(np.array([[0.1], [0.7]]))).tolist()
    [[0.2]]
    """
    matrix: Array = np.asarray(weights, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):  # what is beyond float64 has no value, which scores say
        if len(slices) == 1:
            return matrix @ slices[0]
        whole = bool((matrix == np.rint(matrix)).all() and (np.abs(matrix).sum(axis=1) <= matrix.shape[1]).all())
        if not whole:
            return matrix @ add_up(slices)
        return add_up([_product(matrix, part) for part in slices])


def _product(weights: Array, part: Array) -> Array:
    """Weights x a slice, of which the columns of counts are nothing but zeros after the first."""
    used = part.any(axis=0)
    if used.all():
        return weights @ part
    product = np.zeros((len(weights), part.shape[1]))
    product[:, used] = weights @ part[:, used]
    return product


def add_up(tables: Sequence[Array]) -> Array:
    """The sum of tables, smallest last in the list and first in the sum."""
    total = tables[-1]
    for table in reversed(tables[:-1]):
        total = table + total
    return total
