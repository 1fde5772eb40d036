"""From a table to numbers: counts pooled over the documents (micro), or document scores averaged (macro).

Both are a function of sums over documents, `Sums`: a mean is the sum of the document scores over the number of
documents in which the score is defined. Whatever reweighs, resamples or swaps documents works on `Sums` alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from adjudge.errors import UsageError
from adjudge.stats.exact import exact_product, exact_slices
from adjudge.stats.measure import Array, Key, Measure, compute, count_keys
from adjudge.stats.table import StatsTable, exact_sums

if TYPE_CHECKING:
    import numpy.typing as npt

Pool: TypeAlias = Literal["micro", "macro"]


@dataclass(frozen=True)
class Sums:
    """One row of statistics per document, and the parts as a function of their sums (k x columns)."""

    rows: Array
    finish: Callable[[Array], dict[Key, Array]]

    def reduce(self, weights: npt.ArrayLike | None = None) -> dict[Key, Array]:
        """Every part for every row of weights (k x documents), or for the rows as they are.

        Without weights the sums are correctly rounded; with whole ones, as of a bootstrap, they are as good as that.
        Neither the order of the documents nor the release of numpy changes a bit of them.
        """
        if weights is None:
            return self.finish(exact_sums(self.rows)[None, :])
        return self.finish(exact_product(check_weights(weights, len(self.rows)), self._slices))

    @cached_property
    def _slices(self) -> list[Array]:
        return exact_slices(self.rows)


def sums(table: StatsTable, measures: Sequence[Measure], pool: Pool) -> Sums:
    """The statistics of a table that add up, for either pooling."""
    if pool == "micro":
        return Sums(table.values, lambda totals: compute(measures, table.columns, totals))
    if pool != "macro":
        raise UsageError(f"no pooling {pool}", hint="micro pools counts, macro averages documents")
    documents = per_document(table, measures)
    keys, counts = tuple(documents), count_keys(measures)
    values = np.stack(list(documents.values()), axis=1) if keys else np.zeros((len(table), 0))
    defined = ~np.isnan(values)

    def finish(totals: Array) -> dict[Key, Array]:
        added, sizes = totals[:, : len(keys)], totals[:, len(keys) :]
        means = np.full(added.shape, np.nan)
        np.divide(added, sizes, out=means, where=sizes > 0)
        return {key: (added if key in counts else means)[:, place] for place, key in enumerate(keys)}

    return Sums(np.concatenate([np.where(defined, values, 0.0), defined], axis=1), finish)


def pooled(table: StatsTable, measures: Sequence[Measure], *, weights: npt.ArrayLike | None = None) -> dict[Key, Array]:
    """Sum the counts, then divide, once for every row of weights (k x documents), or once for the table as it is.

    >>> from adjudge.stats.measure import Ratio
    >>> table = StatsTable(("a", "b"), ("s", "g"), [[10, 10], [1, 2]])
    >>> pooled(table, [Ratio("x", "recall", (("s", 1.0),), (("g", 1.0),))])["x", "recall"].tolist() == [11 / 12]
    True
    """
    return sums(table, measures, "micro").reduce(weights)


def per_document(table: StatsTable, measures: Sequence[Measure]) -> dict[Key, Array]:
    """Every part of every document by itself; nan where it is undefined.

    >>> from adjudge.stats.measure import Ratio
    >>> table = StatsTable(("a", "b"), ("s", "g"), [[10, 10], [1, 2]])
    >>> per_document(table, [Ratio("x", "recall", (("s", 1.0),), (("g", 1.0),))])["x", "recall"].tolist()
    [1.0, 0.5]
    """
    return compute(measures, table.columns, table.values)


def per_document_mean(
    table: StatsTable, measures: Sequence[Measure], *, weights: npt.ArrayLike | None = None
) -> dict[Key, Array]:
    """The mean of every part over the documents in which it is defined (nan if there are none); counts stay sums.

    F is the mean of the documents' F, not the F of mean precision and mean recall.

    >>> from adjudge.stats.measure import Ratio
    >>> table = StatsTable(("a", "b"), ("s", "g"), [[10, 10], [1, 2]])
    >>> per_document_mean(table, [Ratio("x", "recall", (("s", 1.0),), (("g", 1.0),))])["x", "recall"].tolist()
    [0.75]
    """
    return sums(table, measures, "macro").reduce(weights)


def undefined_documents(table: StatsTable, measures: Sequence[Measure]) -> dict[Key, tuple[str, ...]]:
    """The documents in which a part is undefined, and which its mean therefore leaves out.

    >>> from adjudge.stats.measure import Ratio
    >>> table = StatsTable(("a", "b"), ("s", "g"), [[0, 0], [1, 2]])
    >>> undefined_documents(table, [Ratio("x", "recall", (("s", 1.0),), (("g", 1.0),), None)])
    {('x', 'recall'): ('a',)}
    """
    return {
        key: tuple(table.ids[i] for i in np.flatnonzero(np.isnan(values)).tolist())
        for key, values in per_document(table, measures).items()
        if np.isnan(values).any()
    }


def check_weights(weights: npt.ArrayLike, documents: int) -> Array:
    """Weights as a float64 matrix with one column per document.

    >>> check_weights([[1, 0, 2]], 3).tolist()
    [[1.0, 0.0, 2.0]]
    """
    matrix: Array = np.asarray(weights, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] != documents:
        raise UsageError(f"weights of shape {matrix.shape} for {documents} documents", hint="give k x documents")
    return matrix
