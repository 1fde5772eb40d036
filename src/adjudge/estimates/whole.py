"""Scores from a random sample of documents that were assessed whole; a judge may have seen all of them.

The default for everything that is not a sum over items: clipped argument scores, link scores, B3, CEAF, BLANC. Totals
are those of the judge times a tuned weight, corrected by the drawn documents; with a useless judge the weight is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
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

    @property
    def open(self) -> Any:
        """Documents that might not have been drawn."""
        return self.probability < 1


class WholeEstimate(NamedTuple):
    """One score of all systems, without each drawn document, and how much the judge counts."""

    weight: float
    values: Array  # one per system
    left_out: Array  # drawn x systems
    shares: Array  # the weight of the square of each
    freedom: float
    departures: Array  # of the unassisted score without each drawn document, drawn x systems
    share: float  # what their squares add to a variance if documents are a sample

    def variance(self) -> Array:
        """The variance of every system, the documents fixed."""
        found: Array = (self.shares[:, None] * (self.left_out - self.values) ** 2).sum(axis=0)
        return found

    @property
    def alone(self) -> Array:
        """What documents as a sample add to the variance of every system."""
        found: Array = self.share * (self.departures**2).sum(axis=0)
        return found

    def difference_variance(self, a: int, b: int) -> float:
        """The variance of the difference of two systems."""
        apart = self.left_out[:, a] - self.left_out[:, b] - (self.values[a] - self.values[b])
        return float((self.shares * apart**2).sum())

    def largest_share(self) -> float:
        """How much of the variance the document with the largest part of it has, over the systems."""
        parts = self.shares[:, None] * (self.left_out - self.values) ** 2
        total = parts.sum(axis=0)
        return float((parts.max(axis=0)[total > 0] / total[total > 0]).max(initial=0.0))


def estimate_whole(measures: Sequence[Measure], key: Key, documents: Documents) -> WholeEstimate:
    """One score of all systems."""
    number = int(np.count_nonzero(documents.open))
    if number and number < FEWEST:
        raise UsageError(f"{number} drawn documents are too few for an interval", hint=f"assess at least {FEWEST}")
    values, weight = _score(measures, key, documents, None)
    if not number:
        nothing = np.zeros((0, len(values)))
        return WholeEstimate(weight, values, nothing, np.zeros(0), 0.0, nothing, 0.0)
    drawn = np.flatnonzero(documents.open)
    left_out = np.array([_score(measures, key, documents, int(at))[0] for at in drawn])
    _, places, sizes = np.unique(documents.stratum[drawn], return_inverse=True, return_counts=True)
    own = sizes[places].astype(np.float64)
    shares = (1 - documents.probability[drawn]) * (own - 1) / own
    freedom = number - 1 - (documents.judge is not None)
    departures = _departures(measures, key, documents, drawn)
    share = float(documents.probability[drawn].mean()) * (number - 1) / number
    return WholeEstimate(weight, values, left_out, shares, freedom, departures, share)


def _departures(measures: Sequence[Measure], key: Key, documents: Documents, drawn: Any) -> Array:
    """How far the unassisted score moves without each of the drawn documents."""
    counts = documents.counts[drawn] / documents.probability[drawn][:, None, None]
    total = counts.sum(axis=0)
    point = _values(measures, key, documents.columns, total)
    return np.array([_values(measures, key, documents.columns, total - own) - point for own in counts])


def _score(measures: Sequence[Measure], key: Key, documents: Documents, without: int | None) -> tuple[Array, float]:
    """The score of every system, and the weight of the judge; perhaps without a document that was drawn."""
    keep = np.ones(len(documents.counts), dtype=bool)
    weights = 1 / documents.probability
    if without is not None:
        keep[without] = False
        same = documents.open & (documents.stratum == documents.stratum[without])
        size = np.count_nonzero(same)
        if size < 2:
            raise UsageError("a stratum with one assessed document has no spread", hint="join it with another one")
        weights = np.where(same, weights * size / (size - 1), weights)
    counts, weights = documents.counts[keep], weights[keep]
    if documents.judge is None:
        return _values(measures, key, documents.columns, np.einsum("d,dsc->sc", weights, counts)), 0.0
    judged = documents.judge[documents.places[keep]]
    weight = _tuned(measures, key, documents, (counts, judged, keep))
    corrected = np.einsum("d,dsc->sc", weights, counts - weight * judged)
    totals = weight * documents.judge.sum(axis=0) + corrected
    return _values(measures, key, documents.columns, totals), weight


def _tuned(measures: Sequence[Measure], key: Key, documents: Documents, found: tuple[Array, Array, Any]) -> float:
    """The weight of the judge that makes the variance, added over the systems, as small as can be."""
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


def _values(measures: Sequence[Measure], key: Key, columns: Sequence[str], totals: Array) -> Array:
    """The score of every system from its totals (systems x columns)."""
    found: Array = np.asarray(scores_of(measures, dict(zip(columns, totals.T, strict=True)))[key], dtype=np.float64)
    return found


def gradient(measures: Sequence[Measure], key: Key, columns: Sequence[str], totals: Array) -> Array:
    """The gradient of a score at some totals: exact for a ratio of sums, else by central differences."""
    sums = dict(zip(columns, totals.tolist(), strict=True))
    ratio = fractions(measures, sums).get(key)
    if ratio is not None and ratio[1]:
        units = [fractions(measures, {**dict.fromkeys(columns, 0.0), name: 1.0})[key] for name in columns]
        value = ratio[0] / ratio[1]
        return np.array([(top - value * bottom) / ratio[1] for top, bottom in units])
    steps = np.maximum(np.abs(totals) * _STEP, _STEP)
    rows = np.concatenate([totals + np.diag(steps), totals - np.diag(steps)])
    values = _values(measures, key, columns, rows)
    found: Array = (values[: len(steps)] - values[len(steps) :]) / (2 * steps)
    return np.nan_to_num(found)
