"""Clusters of items across documents, compared over any weighting of the documents: MUC, B3, CEAF, pairs.

With n(i, j) the items that gold cluster i and system cluster j have in common, everything follows from n and from the
sizes of the clusters. A document of weight w brings its items w times, into the same clusters, so that n is the sum
over the documents of w n. A weight of 0 leaves a document out, with all its items.

The counts of the corpus itself are worked out in plain Python, those of samples of its documents with numpy; what is
counted is written down once for both.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from adjudge.algebra.solve.assignment import max_weight_matching
from adjudge.errors import UsageError, did_you_mean
from adjudge.evaluate.corpus import CorpusTask, Draws, Outcome, Part, corpus_result
from adjudge.model.graph import blocks
from adjudge.model.prf import ratio

if TYPE_CHECKING:
    from adjudge.evaluate.engine import Evaluation
    from adjudge.evaluate.task import Run, Task
    from adjudge.stats.inference import SignatureValue
    from adjudge.stats.measure import Array, Measure
    from adjudge.stats.result import Note, Result, Slice

_BLOCK = 256  # samples that are counted at once

Assigned: TypeAlias = "Mapping[Any, Hashable | None]"
"""The items of one document, each with its cluster; None for a cluster of its own."""
Cells: TypeAlias = "dict[tuple[int, int], int]"
"""How many items are in each row and document."""

_CELLS = 1 << 22  # of one block of weights times pairs of clusters
_LARGE = 1000  # pairs of clusters whose assignment a solver in C finds sooner


class Counter(Protocol):
    """Counts every column of one system."""

    def point(self, places: Collection[int]) -> Mapping[str, float]:
        """The counts in these documents."""

    def weighted(self, weights: Array) -> Mapping[str, Array]:
        """The counts with weights for all documents (k x documents), one value for each row of weights."""


class Fraction(NamedTuple):
    """Numerators and denominators of precision and recall: numbers, or one for every row of weights."""

    found: Any
    system: Any
    hit: Any
    gold: Any


@dataclass(frozen=True)
class Contingency:
    """The overlap of two clusterings, document by document.

    `shared` has a row for every pair of clusters (`pairs`: gold, system) with common items, `gold` and `system` have
    one for every cluster.
    """

    shared: Cells
    gold: Cells
    system: Cells
    pairs: Sequence[tuple[int, int]]
    shape: tuple[int, int, int]
    """How many gold clusters, system clusters and documents there are."""

    def counts(self, kinds: Iterable[str], places: Collection[int] | None = None) -> dict[str, Fraction]:
        """The counts of each kind of comparison in these documents, by default in all.

        >>> table = contingency([{1: "a", 2: "a"}, {1: "a"}], [{1: "x", 2: "x"}, {1: "y"}])
        >>> table.counts(["b3"])["b3"]
        Fraction(found=3.0, system=3.0, hit=1.6666666666666665, gold=3.0)
        """
        chosen = None if places is None or len(places) == self.shape[2] else frozenset(places)

        def summed(cells: Cells, rows: int) -> list[int]:
            sizes = [0] * rows
            for (row, document), number in cells.items():
                if chosen is None or document in chosen:
                    sizes[row] += number
            return sizes

        shared = summed(self.shared, len(self.pairs))
        gold, system = summed(self.gold, self.shape[0]), summed(self.system, self.shape[1])
        of_gold, of_system = [gold[one] for one, _ in self.pairs], [system[other] for _, other in self.pairs]
        sizes = _Whole(self, shared, gold, system, of_gold, of_system)
        return {kind: _KINDS[kind](sizes) for kind in dict.fromkeys(kinds)}

    def weighted(self, kinds: Iterable[str], weights: Array) -> dict[str, Fraction]:
        """The same for every row of weights (k x documents).

        >>> import numpy as np
        >>> table = contingency([{1: "a", 2: "a"}, {1: "a"}], [{1: "x", 2: "x"}, {1: "y"}])
        >>> [part.tolist() for part in table.weighted(["b3"], np.array([[1, 1], [1, 0]]))["b3"]]
        [[3.0, 2.0], [3.0, 2.0], [1.6666666666666665, 2.0], [3.0, 2.0]]
        """
        import numpy as np

        kinds = tuple(dict.fromkeys(kinds))
        step = max(1, _CELLS // max(1, len(self.pairs), *self.shape[:2]))
        parts = [self._block(kinds, weights[at : at + step]) for at in range(0, len(weights), step)]
        return {
            kind: Fraction(*(np.concatenate([part[kind][place] for part in parts]) for place in range(4)))
            for kind in kinds
        }

    def _block(self, kinds: Sequence[str], weights: Array) -> dict[str, Fraction]:
        import numpy as np

        across = np.ascontiguousarray(weights.T, dtype=np.float64)
        shared, gold, system = (table @ across for table in self._matrices)
        pairs = np.array(self.pairs, dtype=np.int64).reshape(-1, 2)
        sizes = _Drawn(self, shared, gold, system, gold[pairs[:, 0]], system[pairs[:, 1]])
        return {kind: _KINDS[kind](sizes) for kind in kinds}

    @cached_property
    def _matrices(self) -> list[Any]:
        import numpy as np
        from scipy import sparse

        found = []
        for cells, rows in zip((self.shared, self.gold, self.system), (len(self.pairs), *self.shape[:2]), strict=True):
            places = np.array(list(cells), dtype=np.int64).reshape(-1, 2)
            values = np.fromiter(cells.values(), dtype=np.int64, count=len(cells))
            found.append(sparse.csr_matrix((values, (places[:, 0], places[:, 1])), shape=(rows, self.shape[2])))
        return found

    @cached_property
    def groups(self) -> list[list[int]]:
        """The numbers of the pairs of each group of clusters that are connected by pairs."""
        rows: dict[int, dict[int, int]] = {one: {} for one in sorted({one for one, _ in self.pairs})}
        for place, (one, other) in enumerate(self.pairs):
            rows[one][other] = place
        return [[place for row in group for place in rows[row].values()] for group in blocks(rows)]


def contingency(gold: Sequence[Assigned], system: Sequence[Assigned]) -> Contingency:
    """The overlap of two sides, which have the same documents in the same order.

    >>> contingency([{1: "a", 2: "a"}], [{1: "x"}]).shared
    {(0, 0): 1}
    """
    numbers: tuple[dict[Any, int], dict[Any, int]] = ({}, {})
    cells: tuple[Cells, Cells, Cells] = ({}, {}, {})
    pairs: dict[tuple[int, int], int] = {}
    for document, sides in enumerate(zip(gold, system, strict=True)):
        named: list[dict[Any, int]] = []
        for number, own in zip(numbers, sides, strict=True):
            # An item without a cluster is one by itself, of which no other name can be the name.
            named.append(
                {
                    item: number.setdefault((document, item, None) if name is None else (name,), len(number))
                    for item, name in own.items()
                }
            )
        for table, own_numbers in zip(cells[1:], named, strict=True):
            for cluster in own_numbers.values():
                table[cluster, document] = table.get((cluster, document), 0) + 1
        for item, cluster in named[0].items():
            other = named[1].get(item)
            if other is not None:
                pair = pairs.setdefault((cluster, other), len(pairs))
                cells[0][pair, document] = cells[0].get((pair, document), 0) + 1
    return Contingency(*cells, list(pairs), (len(numbers[0]), len(numbers[1]), len(gold)))


# ---------------------------------------------------------------------------------------------------------------------
# What is counted


@dataclass(frozen=True)
class _Sizes(ABC):
    """Items of pairs of clusters and of clusters, and of the gold and the system cluster of each pair."""

    table: Contingency
    shared: Any
    gold: Any
    system: Any
    of_gold: Any
    of_system: Any

    @abstractmethod
    def each(self, function: Callable[..., Any], *columns: Any) -> Any:
        """What a function makes of every row."""

    @abstractmethod
    def total(self, function: Callable[..., Any], *columns: Any) -> Any:
        """The sum of that."""

    @abstractmethod
    def best(self, values: Any) -> Any:
        """The value of the best one-to-one alignment of clusters."""


class _Whole(_Sizes):
    """Those of the corpus itself: numbers in lists."""

    def each(self, function: Callable[..., Any], *columns: Any) -> list[float]:
        return list(map(function, *columns))

    def total(self, function: Callable[..., Any], *columns: Any) -> float:
        return math.fsum(map(function, *columns))

    def best(self, values: Sequence[float]) -> float:
        pairs, found = self.table.pairs, []
        for rows in self.table.groups:
            if len(rows) > _LARGE:
                return float(_Drawn.best(self, _column(values))[0])  # type: ignore[arg-type]
            found.append(max_weight_matching([(*pairs[row], float(values[row])) for row in rows])[0])
        return math.fsum(found)


class _Drawn(_Sizes):
    """Those of samples: arrays, with a row for each number and a column for each sample."""

    def each(self, function: Callable[..., Any], *columns: Any) -> Any:
        return function(*columns)

    def total(self, function: Callable[..., Any], *columns: Any) -> Any:
        return function(*columns).sum(axis=0)

    def best(self, values: Array) -> Array:
        import numpy as np

        found = np.zeros(values.shape[1])
        for rows in self.table.groups:
            own = np.array([self.table.pairs[row] for row in rows])
            if len(np.unique(own[:, 0])) == 1 or len(np.unique(own[:, 1])) == 1:
                found += values[rows].max(axis=0)  # all pairs share a cluster, so that only one of them can be taken
            else:
                found += _assigned(values[rows], own)
        return found


def _column(values: Sequence[float]) -> Array:
    import numpy as np

    return np.array(values, dtype=np.float64).reshape(-1, 1)


def _assigned(value: Array, pairs: Any) -> Array:
    """The value of the best assignment in every sample; equal samples are solved once."""
    import numpy as np

    from adjudge.algebra.solve.matrix import solved_or_late

    _, rows = np.unique(pairs[:, 0], return_inverse=True)
    _, columns = np.unique(pairs[:, 1], return_inverse=True)
    table = np.zeros((rows.max() + 1, columns.max() + 1))
    distinct, place = np.unique(value, axis=1, return_inverse=True)
    best = np.empty(distinct.shape[1])
    for sample in range(distinct.shape[1]):
        table[rows, columns] = distinct[:, sample]
        chosen = solved_or_late(table)
        best[sample] = table[chosen].sum()
    return best[place.reshape(-1)]


def _same(size: Any) -> Any:
    return size


def _links(size: Any) -> Any:
    return size - (size > 0)


def _pairs(size: Any) -> Any:
    return size * (size - 1) / 2


def _muc(sizes: _Sizes) -> Fraction:
    links, system, gold = (sizes.total(_links, each) for each in (sizes.shared, sizes.system, sizes.gold))
    return Fraction(links, system, links, gold)


def _pairwise(sizes: _Sizes) -> Fraction:
    both, system, gold = (sizes.total(_pairs, each) for each in (sizes.shared, sizes.system, sizes.gold))
    return Fraction(both, system, both, gold)


def _b3(sizes: _Sizes) -> Fraction:
    found, hit = (
        sizes.total(lambda both, size: ratio(both * both, size), sizes.shared, each)
        for each in (sizes.of_system, sizes.of_gold)
    )
    return Fraction(found, sizes.total(_same, sizes.system), hit, sizes.total(_same, sizes.gold))


def _ceafm(sizes: _Sizes) -> Fraction:
    """Items in common."""
    best = sizes.best(sizes.each(_same, sizes.shared))
    return Fraction(best, sizes.total(_same, sizes.system), best, sizes.total(_same, sizes.gold))


def _ceafe(sizes: _Sizes) -> Fraction:
    """Dice of clusters."""
    dice = sizes.each(
        lambda both, one, other: ratio(2 * both, one + other), sizes.shared, sizes.of_gold, sizes.of_system
    )
    best = sizes.best(dice)
    system, gold = (sizes.total(lambda size: (size > 0) * 1.0, each) for each in (sizes.system, sizes.gold))
    return Fraction(best, system, best, gold)


_KINDS = {"muc": _muc, "pairwise": _pairwise, "b3": _b3, "ceafm": _ceafm, "ceafe": _ceafe}


# ---------------------------------------------------------------------------------------------------------------------
# Scores of a corpus from such counts

Counters: TypeAlias = "tuple[Slice, Sequence[int], Mapping[str, Counter]]"
"""A part of the corpus (a slice, and the places of its documents) and a counter of it for each system."""


class ClusterTask(CorpusTask):
    """Counters of parts of the corpus, the whole first, called with weights of the documents."""

    def __init__(
        self, name: str, profile: str, measures: Sequence[Measure], parts: Sequence[Counters], documents: int
    ) -> None:
        self.name = name  # type: ignore[misc]
        self.profile, self.documents = profile, documents
        self.systems = tuple(parts[0][2])
        self._measures, self._parts = tuple(measures), parts
        self.said: Mapping[str, Sequence[Note]] = {}
        """Remarks on each system."""
        self.signature: Mapping[str, SignatureValue] = {}

    def result(self, run: Run) -> Result:
        """Scores with intervals."""
        if run.inference.test == "randomisation":
            raise UsageError(
                "clusters of the whole corpus cannot be exchanged between systems document by document",
                hint="leave --test out, or choose other metrics",
            )
        return corpus_result(self, run)

    def measures(self) -> Sequence[Measure]:
        """Those that were given."""
        return self._measures

    def parts(self) -> list[Part]:
        """Those that were given."""
        return [Part(where, places) for where, places, _ in self._parts]

    def fields(self) -> Mapping[str, SignatureValue]:
        """Those that were given."""
        return self.signature

    def evaluate(self, part: Part, draws: Draws) -> dict[str, dict[str, Any]]:
        """Every counter on the corpus itself and, if there are any, on all samples, block by block."""
        counters = next(counters for where, _, counters in self._parts if where is part.slice)
        points = {name: counter.point(part.places) for name, counter in counters.items()}
        if draws.samples == 1:
            return {name: {column: [value] for column, value in own.items()} for name, own in points.items()}
        import numpy as np

        found: dict[str, list[Mapping[str, Any]]] = {
            name: [{column: [value] for column, value in own.items()}] for name, own in points.items()
        }
        samples = draws.weights(_BLOCK)
        next(samples)  # the corpus itself
        for drawn in samples:
            weights = np.zeros((len(drawn), self.documents))
            weights[:, list(part.places)] = drawn
            for name, counter in counters.items():
                found[name].append(counter.weighted(weights))
        return {
            name: {column: np.concatenate([each[column] for each in counted]) for column in counted[0]}
            for name, counted in found.items()
        }

    def system_notes(self, name: str, outcome: Outcome) -> list[Note]:
        """The notes that were given, and the slices of which gold has nothing."""
        from adjudge.stats.notes import nothing_in_gold, summed_up

        found = []
        for each in outcome.samples[name]:
            totals = {name: values[0] for name, values in zip(each.columns, each.values, strict=True)}
            found += [(each.slice, note) for note in nothing_in_gold(self._measures, totals, each.slice)]
        return [*self.said.get(name, ()), *summed_up(found)]


def clustered_result(
    task: Task,
    evaluation: Evaluation,
    parts: Sequence[Counters],
    *,
    run: Run,
    ids: Sequence[str],
    fields: Mapping[str, Sequence[Any]],
) -> Result:
    """The result of a task from counters of the corpus: with the signature and the notes of its evaluation.

    `ids` are the documents in the order of the weights, `fields` their values of the fields to slice or cluster by.
    """
    from adjudge.evaluate.results import is_unsigned, notes_of, signature_of

    found = ClusterTask(task.name, task.profile, task.measures(), parts, len(ids))
    clustered = run.inference.cluster_by
    if clustered is not None:
        from adjudge.stats.table import cluster_names

        if clustered not in fields:
            hint = did_you_mean(clustered, fields) or f"fields: {', '.join(fields) or 'none'}"
            raise UsageError(f"the documents have no field {clustered!r} to cluster by", hint=hint)
        found.clusters = cluster_names(clustered, ids, fields[clustered])
    found.signature = {} if is_unsigned(evaluation) else signature_of(evaluation)
    found.said = {name: [*notes_of(evaluation, name), *task.notes(evaluation, name)] for name in evaluation.systems}
    return found.result(run)


@dataclass(frozen=True)
class ClusterCounter:
    """A counter of clusterings and of columns that add over documents.

    `metrics` has, for each name, the key of its table, how its clusters are compared and its columns: matched, system,
    gold, or matched, system, found, gold. `additive` has a value per document.
    """

    metrics: Mapping[str, tuple[Any, str, Sequence[str]]]
    tables: Mapping[Any, Contingency]
    additive: Mapping[str, Sequence[float]]

    def point(self, places: Collection[int]) -> dict[str, float]:
        """The counts in these documents."""
        found = {name: math.fsum(column[at] for at in places) for name, column in self.additive.items()}
        return found | self._named({key: table.counts(self._kinds(key), places) for key, table in self.tables.items()})

    def weighted(self, weights: Array) -> dict[str, Array]:
        """The counts for every row of weights (k x documents)."""
        import numpy as np

        found = {}
        if self.additive:
            columns = np.array(list(self.additive.values()), dtype=np.float64)
            found = dict(zip(self.additive, (weights @ columns.T).T, strict=True))
        return found | self._named(
            {key: table.weighted(self._kinds(key), weights) for key, table in self.tables.items()}
        )

    def _kinds(self, key: Any) -> list[str]:
        return [kind for own, kind, _ in self.metrics.values() if own == key]

    def _named(self, counted: Mapping[Any, Mapping[str, Fraction]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, kind, columns in self.metrics.values():
            both, system, hit, gold = counted[key][kind]
            values = (both, system, gold) if len(columns) == 3 else (both, system, hit, gold)
            found.update(zip(columns, values, strict=True))
        return found
