"""Scores from a random sample of documents that were assessed whole; a judge may have assessed all documents.

This is the way for everything that is not a sum over items: clipped argument scores, link scores, B3, CEAF, BLANC.
Totals are those of the judge times a tuned weight, corrected by the drawn documents; a useless judge has weight 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from adjudge.errors import UsageError
from adjudge.stats.measure import Array, Key, Measure
from adjudge.stats.points import fractions, scores_of

FEWEST = 5
_STEP = 1e-6


class Documents(NamedTuple):
    """Counts (documents x systems x columns) of the drawn documents, and of the judge on all of them.

    `judge` has one row for every document of the corpus, and `places` say which of them the drawn ones are.
    """

    columns: tuple[str, ...]
    counts: Array
    probability: Array
    stratum: Array
    judge: Array | None
    places: Any
    clusters: Any = None  # the number of the cluster of each drawn document, if they come in clusters
    drawn_from: int | None = None  # if each was drawn by itself (Poisson): how many might have been drawn

    @property
    def open(self) -> Any:
        """Documents that might not have been drawn."""
        return self.probability < 1

    def weights(self, keep: Any = True) -> Array:
        """How many documents each stands for: 1 / p.

        If each was drawn by itself, their number is due to chance, and the weights are adjusted to add up to all that
        might have been drawn; with equal probabilities they are those of a sample with that number.
        """
        found: Array = 1 / self.probability
        if self.drawn_from is not None and (some := self.open & keep).any():
            found[self.open] *= self.drawn_from / found[some].sum()
        return found

    def chances(self) -> Array:
        """The probabilities of being drawn, given how many were drawn."""
        found: Array = self.probability if self.drawn_from is None else np.minimum(1.0, 1 / self.weights())
        return found

    def pseudo(self, number: int, weight: float) -> Array:
        """The pseudo-counts lambda c^ + drawn (c - lambda c^) / p of all documents."""
        judged = np.zeros((number, *self.counts.shape[1:])) if self.judge is None else weight * self.judge
        found: Array = judged.copy()
        found[self.places] += (self.counts - judged[self.places]) * self.weights()[:, None, None]
        return found


class WholeEstimate(NamedTuple):
    """One score of all systems, also without each drawn document, and the weight of the judge."""

    weight: float
    totals: Array  # systems x columns
    values: Array  # one per system
    left_out: Array  # drawn x systems
    shares: Array  # the weight of the square of each
    freedom: float
    departures: Array  # of the unassisted score without each assessed document, documents x systems
    documents: Documents

    def variance(self, a: int, b: int | None = None) -> float:
        """The variance of a score, or of a difference of two, the documents fixed."""
        apart = self.left_out[:, a] - self.values[a]
        if b is not None:
            apart = apart - (self.left_out[:, b] - self.values[b])
        return float((self.shares * apart**2).sum())

    def alone(self, a: int, b: int | None = None) -> float:
        """The variance that documents, or clusters, as a sample add, estimated from those drawn."""
        apart = self.departures[:, a] - (0.0 if b is None else self.departures[:, b])
        number, p, clusters = len(apart), self.documents.chances(), self.documents.clusters
        if number < 2:
            return 0.0
        if clusters is None:
            return float((p * apart**2).sum() * (number - 1) / number)
        sums = np.bincount(clusters, weights=apart)
        several = np.count_nonzero(np.bincount(clusters))
        return max(0.0, float((sums**2).sum() * (several - 1) / several - ((1 - p) * apart**2).sum()))

    def without_clusters(self) -> WholeEstimate:
        """The same as if the documents were independent."""
        return self._replace(documents=self.documents._replace(clusters=None))

    def largest_shares(self) -> list[float]:
        """The share of the variance of each system that is due to its most influential document."""
        parts = self.shares[:, None] * (self.left_out - self.values) ** 2
        total = parts.sum(axis=0)
        found: list[float] = (parts.max(axis=0, initial=0.0) / np.where(total > 0, total, 1.0)).tolist()
        return found


def estimate_whole(measures: Sequence[Measure], key: Key, documents: Documents) -> WholeEstimate:
    """One score of all systems."""
    number = int(np.count_nonzero(documents.open))
    if number and number < FEWEST:
        raise UsageError(f"{number} drawn documents are too few for an interval", hint=f"assess at least {FEWEST}")
    totals, weight = _totals(measures, key, documents, None)
    values = values_of(measures, key, documents.columns, totals)
    departures = _departures(measures, key, documents)
    if not number:
        nothing = np.zeros((0, len(values)))
        return WholeEstimate(weight, totals, values, nothing, np.zeros(0), 0.0, departures, documents)
    drawn = np.flatnonzero(documents.open)
    rest = np.array([_totals(measures, key, documents, int(at))[0] for at in drawn])
    left_out = values_of(measures, key, documents.columns, rest)
    _, places, sizes = np.unique(documents.stratum[drawn], return_inverse=True, return_counts=True)
    own = sizes[places].astype(np.float64)
    shares = (1 - documents.chances()[drawn]) * (own - 1) / own
    freedom = number - 1 - (documents.judge is not None)
    return WholeEstimate(weight, totals, values, left_out, shares, freedom, departures, documents)


def _departures(measures: Sequence[Measure], key: Key, documents: Documents) -> Array:
    """The change of the unassisted score without each of the assessed documents."""
    counts = documents.counts / documents.probability[:, None, None]
    total = counts.sum(axis=0)
    point = values_of(measures, key, documents.columns, total)
    return values_of(measures, key, documents.columns, total - counts) - point


def _totals(measures: Sequence[Measure], key: Key, documents: Documents, without: int | None) -> tuple[Array, float]:
    """The totals of every system, and the weight of the judge; `without` leaves out a drawn document."""
    keep = np.ones(len(documents.counts), dtype=bool)
    if without is not None:
        keep[without] = False
    weights = documents.weights(keep)
    if without is not None and documents.drawn_from is None:
        same = documents.open & (documents.stratum == documents.stratum[without])
        size = np.count_nonzero(same)
        if size < 2:
            raise UsageError("a stratum with one assessed document has no spread", hint="join it with another one")
        weights = np.where(same, weights * size / (size - 1), weights)
    counts, weights = documents.counts[keep], weights[keep]
    if documents.judge is None:
        return np.einsum("d,dsc->sc", weights, counts), 0.0
    judged = documents.judge[documents.places[keep]]
    weight = _tuned(measures, key, documents, (counts, judged, keep))
    corrected = np.einsum("d,dsc->sc", weights, counts - weight * judged)
    return weight * documents.judge.sum(axis=0) + corrected, weight


def _tuned(measures: Sequence[Measure], key: Key, documents: Documents, found: tuple[Array, Array, Any]) -> float:
    """The weight of the judge that minimises the variance, summed over the systems."""
    counts, judged, keep = found
    p = documents.probability[keep]
    unequal = any(np.ptp(p[documents.stratum[keep] == each]) > 0 for each in set(documents.stratum[keep].tolist()))
    importance = (1 - p) / p**2 if unequal else (p < 1).astype(np.float64)
    if not importance.any():
        return 0.0
    importance = importance / importance.sum()
    totals = np.einsum("d,dsc->sc", 1 / p if unequal else np.ones(len(p)), counts)
    gained = spread = 0.0
    for system in range(counts.shape[1]):
        slope = gradient(measures, key, documents.columns, totals[system])
        z, guess = counts[:, system] @ slope, judged[:, system] @ slope
        z, guess = z - importance @ z, guess - importance @ guess
        gained += float(importance @ (z * guess))
        spread += float(importance @ (guess * guess))
    return min(1.0, max(0.0, gained / spread)) if spread > 0 else 0.0


def values_of(measures: Sequence[Measure], key: Key, columns: Sequence[str], totals: Array) -> Array:
    """The scores of an array of totals, whose last axis are the columns."""
    rows = totals.reshape(-1, len(columns))
    found: Array = np.asarray(scores_of(measures, dict(zip(columns, rows.T, strict=True)))[key], dtype=np.float64)
    return found.reshape(totals.shape[:-1])


def gradient(measures: Sequence[Measure], key: Key, columns: Sequence[str], totals: Array) -> Array:
    """The gradient of a score at some totals: exact for a ratio of sums, else by central differences."""
    units = _units(tuple(measures), key, tuple(columns))
    if units is not None and (bottom := float(units[1] @ totals)):
        value = float(units[0] @ totals) / bottom
        slope: Array = (units[0] - value * units[1]) / bottom
        return slope
    steps = np.maximum(np.abs(totals) * _STEP, _STEP)
    rows = np.concatenate([totals + np.diag(steps), totals - np.diag(steps)])
    values = values_of(measures, key, columns, rows)
    found: Array = (values[: len(steps)] - values[len(steps) :]) / (2 * steps)
    return np.nan_to_num(found)


@lru_cache(maxsize=64)
def _units(measures: tuple[Measure, ...], key: Key, columns: tuple[str, ...]) -> tuple[Array, Array] | None:
    """The contribution of each column to numerator and denominator, if the score is one ratio of sums."""
    nothing = dict.fromkeys(columns, 0.0)
    if key not in fractions(measures, nothing):
        return None
    pairs = np.array([fractions(measures, {**nothing, name: 1.0})[key] for name in columns])
    return pairs[:, 0], pairs[:, 1]
