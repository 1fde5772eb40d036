"""Clusters of items across documents, compared over any weighting of the documents: MUC, B3, CEAF, pairs.

With n(i, j) the items that gold cluster i and system cluster j have in common, everything follows from n and from the
sizes of the clusters. A document of weight w brings its items w times, into the same clusters, so that n is the sum
over the documents of w n. A weight of 0 leaves a document out, with all its items.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from adjudge.errors import UsageError, did_you_mean
from adjudge.evaluate.corpus import CorpusTask, Draws, Outcome, Part, corpus_result
from adjudge.model.prf import ratio

if TYPE_CHECKING:
    from adjudge.evaluate.engine import Evaluation
    from adjudge.evaluate.task import Run, Task
    from adjudge.stats.inference import SignatureValue
    from adjudge.stats.measure import Array, Measure
    from adjudge.stats.result import Note, Result, Slice

Counter: TypeAlias = "Callable[[Array], Mapping[str, Array]]"
"""Called with weights (k x documents); gives every column, one value for each row of weights."""

_BLOCK = 256  # samples that are counted at once

Assigned: TypeAlias = "Mapping[Any, Hashable | None]"
"""The items of one document, each with its cluster; None for a cluster of its own."""

_CELLS = 1 << 22  # of one block of weights times pairs of clusters


class Fraction(NamedTuple):
    """Numerators and denominators of precision and recall, one of each for every row of weights."""

    found: Array
    system: Array
    hit: Array
    gold: Array


@dataclass(frozen=True)
class Contingency:
    """The overlap of two clusterings, document by document.

    `shared` has a row for every pair of clusters (`pairs`: gold, system) with common items and a column for every
    document; `gold` and `system` have the sizes of clusters likewise.
    """

    shared: Any
    gold: Any
    system: Any
    pairs: Any

    def counts(self, kinds: Iterable[str], weights: Array) -> dict[str, Fraction]:
        """The counts of each kind of comparison for every row of weights (k x documents).

        >>> import numpy as np
        >>> table = contingency([{1: "a", 2: "a"}, {1: "a"}], [{1: "x", 2: "x"}, {1: "y"}])
        >>> [part.tolist() for part in table.counts(["b3"], np.array([[1, 1], [1, 0]]))["b3"]]
        [[3.0, 2.0], [3.0, 2.0], [1.6666666666666665, 2.0], [3.0, 2.0]]
        """
        import numpy as np

        kinds = tuple(dict.fromkeys(kinds))
        width = max(1, self.shared.shape[0], self.gold.shape[0], self.system.shape[0])
        step = max(1, _CELLS // width)
        blocks = [self._block(kinds, weights[at : at + step]) for at in range(0, len(weights), step)]
        return {
            kind: Fraction(*(np.concatenate([block[kind][place] for block in blocks]) for place in range(4)))
            for kind in kinds
        }

    def _block(self, kinds: Sequence[str], weights: Array) -> dict[str, Fraction]:
        import numpy as np

        across = np.ascontiguousarray(weights.T, dtype=np.float64)
        sizes = _Sizes(self.shared @ across, self.gold @ across, self.system @ across, self.pairs)
        found = {}
        for kind in kinds:
            if kind in ("ceafm", "ceafe"):
                found[kind] = _ceaf(sizes, self._components, entities=kind == "ceafe")
            else:
                found[kind] = _COUNTED[kind](sizes)
        return found

    @cached_property
    def _components(self) -> list[Any]:
        return _connected(self.pairs, self.gold.shape[0], self.system.shape[0])


def contingency(gold: Sequence[Assigned], system: Sequence[Assigned]) -> Contingency:
    """The overlap of two sides, which have the same documents in the same order.

    >>> contingency([{1: "a", 2: "a"}], [{1: "x"}]).shared.toarray().tolist()
    [[1]]
    """
    import numpy as np
    from scipy import sparse

    numbers: tuple[dict[Any, int], dict[Any, int]] = ({}, {})
    cells: tuple[dict[tuple[int, int], int], ...] = ({}, {}, {})
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
    shapes = (len(pairs), len(numbers[0]), len(numbers[1]))
    tables = []
    for table, rows in zip(cells, shapes, strict=True):
        places = np.array(list(table), dtype=np.int64).reshape(-1, 2)
        values = np.fromiter(table.values(), dtype=np.int64, count=len(table))
        shape = (rows, len(gold))
        tables.append(sparse.csr_matrix((values, (places[:, 0], places[:, 1])), shape=shape))
    shared, of_gold, of_system = tables
    return Contingency(shared, of_gold, of_system, np.array(list(pairs), dtype=np.int64).reshape(-1, 2))


# ---------------------------------------------------------------------------------------------------------------------


class _Sizes(NamedTuple):
    """Items of pairs of clusters and of clusters (rows) in every sample (columns)."""

    shared: Array
    gold: Array
    system: Array
    pairs: Any

    @property
    def of_gold(self) -> Array:
        """The size of the gold cluster of each pair."""
        return cast("Array", self.gold[self.pairs[:, 0]])

    @property
    def of_system(self) -> Array:
        """The size of the system cluster of each pair."""
        return cast("Array", self.system[self.pairs[:, 1]])


def _muc(sizes: _Sizes) -> Fraction:
    links = (sizes.shared - (sizes.shared > 0)).sum(axis=0)
    system, gold = ((each - (each > 0)).sum(axis=0) for each in (sizes.system, sizes.gold))
    return Fraction(links, system, links, gold)


def _pairwise(sizes: _Sizes) -> Fraction:
    both, system, gold = ((each * (each - 1) / 2).sum(axis=0) for each in (sizes.shared, sizes.system, sizes.gold))
    return Fraction(both, system, both, gold)


def _b3(sizes: _Sizes) -> Fraction:
    found, hit = (ratio(sizes.shared**2, each).sum(axis=0) for each in (sizes.of_system, sizes.of_gold))
    return Fraction(found, sizes.system.sum(axis=0), hit, sizes.gold.sum(axis=0))


_COUNTED = {"muc": _muc, "pairwise": _pairwise, "b3": _b3}


def _ceaf(sizes: _Sizes, components: Sequence[Any], *, entities: bool) -> Fraction:
    """The best one-to-one alignment of clusters, by items in common or by Dice."""
    import numpy as np

    value = ratio(2 * sizes.shared, sizes.of_gold + sizes.of_system) if entities else sizes.shared
    best = np.zeros(value.shape[1])
    for rows in components:
        own = sizes.pairs[rows]
        if len(np.unique(own[:, 0])) == 1 or len(np.unique(own[:, 1])) == 1:
            best += value[rows].max(axis=0)  # all pairs share a cluster, so that only one of them can be taken
        else:
            best += _assigned(value[rows], own)
    if entities:
        system, gold = ((each > 0).sum(axis=0).astype(np.float64) for each in (sizes.system, sizes.gold))
    else:
        system, gold = (each.sum(axis=0) for each in (sizes.system, sizes.gold))
    return Fraction(best, system, best, gold)


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


def _connected(pairs: Any, gold: int, system: int) -> list[Any]:
    """The indices of the pairs in each connected group of clusters."""
    import numpy as np
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    if not len(pairs):
        return []
    size = gold + system
    graph = sparse.coo_matrix((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1] + gold)), shape=(size, size))
    _, group = connected_components(graph, directed=False)
    own = group[pairs[:, 0]]
    order = np.argsort(own, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(own[order])) + 1)


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

    def evaluate(self, part: Part, draws: Draws) -> dict[str, dict[str, Array]]:
        """Every counter on all weights, block by block."""
        import numpy as np

        counters = next(counters for where, _, counters in self._parts if where is part.slice)
        found: dict[str, list[Mapping[str, Array]]] = {name: [] for name in counters}
        for drawn in draws.weights(_BLOCK):
            weights = np.zeros((len(drawn), self.documents))
            weights[:, list(part.places)] = drawn
            for name, counter in counters.items():
                found[name].append(counter(weights))
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


def cluster_counter(
    metrics: Mapping[str, tuple[Any, str, Sequence[str]]], tables: Mapping[Any, Any], additive: Mapping[str, Array]
) -> Counter:
    """A counter of clusterings and of columns that add over documents.

    `metrics` has, for each name, the key of its table, how its clusters are compared and its columns: matched, system,
    gold, or matched, system, found, gold. `tables` are `Contingency`s; `additive` has a value per document.
    """
    import numpy as np

    kinds: dict[Any, list[str]] = {}
    for key, kind, _ in metrics.values():
        kinds.setdefault(key, []).append(kind)
    plain = np.stack(list(additive.values()), axis=1) if additive else None

    def count(weights: Array) -> dict[str, Array]:
        found = {} if plain is None else dict(zip(additive, (weights @ plain).T, strict=True))
        counted = {key: tables[key].counts(own, weights) for key, own in kinds.items()}
        for key, kind, columns in metrics.values():
            both, system, hit, gold = counted[key][kind]
            values = (both, system, gold) if len(columns) == 3 else (both, system, hit, gold)
            found.update(zip(columns, values, strict=True))
        return found

    return count
