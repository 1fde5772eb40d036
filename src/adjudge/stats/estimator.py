"""Two kinds of metric behind one interface: scores as a function of the weights of the documents.

`Additive` metrics are sums over documents, so that a thousand corpora are one product, weights x table. `Corpus`
metrics are not (paths that cross documents) and bring their own function of many weight vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from adjudge.errors import UsageError
from adjudge.stats.data import AttributeValue, group_rows, same_value
from adjudge.stats.measure import Array, Key, Measure, count_keys, fractions, needed_measures, part_keys, signed_keys
from adjudge.stats.reduce import Pool, Sums, check_weights, sums
from adjudge.stats.table import StatsTable, find_attribute, find_rows

if TYPE_CHECKING:
    import numpy.typing as npt


class Estimator(Protocol):
    """What resampling and results need to know of a metric on a corpus."""

    @property
    def ids(self) -> tuple[str, ...]:
        """The documents, in the order of the weights."""

    @property
    def attributes(self) -> Mapping[str, tuple[AttributeValue, ...]]:
        """Attributes of the documents."""

    @property
    def pool(self) -> str:
        """How documents become one number: micro, macro or corpus."""

    @property
    def keys(self) -> tuple[Key, ...]:
        """Every (metric, part), in order."""

    @property
    def counts(self) -> frozenset[Key]:
        """The parts that are counts and have no interval."""

    @property
    def signed(self) -> frozenset[Key]:
        """The parts that may be negative."""

    def evaluate(self, weights: npt.ArrayLike) -> dict[Key, Array]:
        """Every part for every row of weights (k x documents)."""

    def point(self) -> dict[Key, float]:
        """Every part on the corpus as it is; nan where it is undefined."""

    def fractions(self) -> dict[Key, tuple[float, float]]:
        """Numerator and denominator of the parts that are one ratio of sums."""

    def bounds(self) -> dict[Key, float]:
        """Proven upper bounds of the parts that a search cut short may have left too low."""

    def select(self, ids: Iterable[str]) -> Estimator:
        """The same metric on these documents."""

    def only(self, keys: Collection[Key]) -> Estimator:
        """These parts, and perhaps others that they are made of."""


@dataclass(frozen=True)
class Additive:
    """A metric whose counts add over documents.

    `best` has the highest counts that are still possible, if the search of a document was cut short.

    >>> from adjudge.stats.measure import Ratio
    >>> table = StatsTable(("a", "b"), ("s", "g"), [[10, 10], [1, 2]])
    >>> recall = Ratio("x", "recall", (("s", 1.0),), (("g", 1.0),))
    >>> Additive(table, (recall,), "macro").point()
    {('x', 'recall'): 0.75}
    """

    table: StatsTable
    measures: tuple[Measure, ...]
    pool: Pool = "micro"
    best: StatsTable | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "measures", tuple(self.measures))

    @property
    def ids(self) -> tuple[str, ...]:
        """The documents, in the order of the weights."""
        return self.table.ids

    @property
    def attributes(self) -> Mapping[str, tuple[AttributeValue, ...]]:
        """Attributes of the documents."""
        return self.table.attributes

    @cached_property
    def keys(self) -> tuple[Key, ...]:
        """Every (metric, part), in order."""
        return part_keys(self.measures)

    @cached_property
    def counts(self) -> frozenset[Key]:
        """The parts that are counts and have no interval."""
        return count_keys(self.measures)

    @cached_property
    def signed(self) -> frozenset[Key]:
        """The parts that may be negative."""
        return signed_keys(self.measures)

    @cached_property
    def sums(self) -> Sums:
        """What is added up over the documents."""
        return sums(self.table, self.measures, self.pool)

    def evaluate(self, weights: npt.ArrayLike) -> dict[Key, Array]:
        """Every part for every row of weights (k x documents)."""
        return self.sums.reduce(weights)

    def point(self) -> dict[Key, float]:
        """Every part on the corpus as it is, independent of the order of the documents to the last bit."""
        return {key: float(values[0]) for key, values in self.sums.reduce().items()}

    def fractions(self) -> dict[Key, tuple[float, float]]:
        """Numerator and denominator of the parts that are one ratio of sums; a mean of documents has none."""
        if self.pool == "macro":
            return {}
        found = fractions(self.measures, self.table.columns, self.table.totals()[None, :])
        return {key: (float(numerator[0]), float(denominator[0])) for key, (numerator, denominator) in found.items()}

    def bounds(self) -> dict[Key, float]:
        """Proven upper bounds of the parts that a search cut short may have left too low."""
        if self.best is None:
            return {}
        points, best = self.point(), Additive(self.best, self.measures, self.pool).point()
        return {key: bound for key, bound in best.items() if bound > points[key]}

    def select(self, ids: Iterable[str]) -> Additive:
        """The same metric on these documents."""
        ids = list(ids)
        best = None if self.best is None else self.best.select(ids)
        return Additive(self.table.select(ids), self.measures, self.pool, best)

    def only(self, keys: Collection[Key]) -> Additive:
        """These parts, and perhaps others that they are made of; nothing else is computed."""
        return Additive(self.table, needed_measures(self.measures, keys), self.pool)


@dataclass(frozen=True)
class Corpus:
    """A metric that is a function of the weights of all documents at once.

    `function` takes weights (k x documents) and gives k values for every (metric, part).

    >>> distinct = Corpus(("a", "b"), {}, lambda w: {("types", "score"): (w > 0).mean(axis=1)})
    >>> distinct.select(["a"]).point()
    {('types', 'score'): 0.5}
    """

    ids: tuple[str, ...]
    attributes: Mapping[str, tuple[AttributeValue, ...]]
    function: Callable[[Array], Mapping[Key, Array]]
    pool: str = "corpus"
    counts: frozenset[Key] = field(default=frozenset())
    signed: frozenset[Key] = field(default=frozenset())

    @cached_property
    def keys(self) -> tuple[Key, ...]:
        """Every (metric, part), in order."""
        return tuple(self.point())

    def evaluate(self, weights: npt.ArrayLike) -> dict[Key, Array]:
        """Every part for every row of weights (k x documents)."""
        matrix = check_weights(weights, len(self.ids))
        values = {key: np.asarray(column, dtype=np.float64) for key, column in self.function(matrix).items()}
        for (metric, part), column in values.items():
            if column.shape != (len(matrix),):
                raise UsageError(f"{metric} {part} has shape {column.shape} for {len(matrix)} rows of weights")
        return values

    def point(self) -> dict[Key, float]:
        """Every part on the corpus as it is: all weights are one."""
        return {key: float(values[0]) for key, values in self.evaluate(np.ones((1, len(self.ids)))).items()}

    def fractions(self) -> dict[Key, tuple[float, float]]:
        """Nothing: such a metric need not be a ratio."""
        return {}

    def bounds(self) -> dict[Key, float]:
        """Nothing: such a metric has no search to cut short."""
        return {}

    def select(self, ids: Iterable[str]) -> Corpus:
        """The same metric when all other documents have weight zero."""
        rows = find_rows(self.ids, ids)
        function, width = self.function, len(self.ids)

        def spread(weights: Array) -> Mapping[Key, Array]:
            full = np.zeros((len(weights), width))
            full[:, rows] = weights
            return function(full)

        attributes = {name: tuple(column[i] for i in rows) for name, column in self.attributes.items()}
        return Corpus(tuple(self.ids[i] for i in rows), attributes, spread, self.pool, self.counts, self.signed)

    def only(self, keys: Collection[Key]) -> Corpus:  # noqa: ARG002
        """All parts: they come from one function."""
        return self


def restrict(estimator: Estimator, attribute: str, value: AttributeValue) -> Estimator:
    """The metric on the documents whose attribute has this value.

    >>> table = StatsTable(("a", "b"), ("n",), [[1], [2]], {"genre": ("nw", "df")})
    >>> restrict(Additive(table, ()), "genre", "df").ids
    ('b',)
    """
    column = find_attribute(estimator.attributes, attribute)
    return estimator.select(i for i, found in zip(estimator.ids, column, strict=True) if same_value(found, value))


def slices(estimator: Estimator, attribute: str) -> list[tuple[AttributeValue, tuple[str, ...]]]:
    """Every value of an attribute and its documents, in the order of the first id of each.

    >>> slices(Additive(StatsTable(("a", "b"), ("n",), [[1], [2]], {"genre": ("nw", "df")}), ()), "genre")
    [('nw', ('a',)), ('df', ('b',))]
    """
    rows = group_rows(find_attribute(estimator.attributes, attribute), estimator.ids)
    return [(value, tuple(estimator.ids[i] for i in places)) for value, places in rows]
