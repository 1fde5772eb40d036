"""Metrics of clusters over the whole corpus, counted anew in every sample of the documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from adjudge.errors import UsageError
from adjudge.evaluate.corpus import CorpusTask, Draws, Outcome, Part, corpus_result
from adjudge.evaluate.results import notes_of, signature_of
from adjudge.tasks.elements import restricted, same
from adjudge.tasks.observe import AnyMetric, Seen, looks_at, wrapped
from adjudge.tasks.slices import Slicing

if TYPE_CHECKING:
    from adjudge.evaluate.engine import Evaluation
    from adjudge.stats.inference import Inference
    from adjudge.stats.measure import Array, Measure
    from adjudge.stats.result import Note, Result, Slice
    from adjudge.stats.signature import SignatureValue
    from adjudge.tasks.task import MetricsTask

Counter: TypeAlias = "Callable[[Array], Mapping[str, Array]]"
"""Called with weights (k x documents); gives every column, one value for each row of weights."""

_BLOCK = 256  # samples that are counted at once


def check_clustered(metrics: Sequence[AnyMetric], *, adjusted: bool = False) -> None:
    """Raise if a metric of the whole corpus is to be counted in a way that only documents can be."""
    for member in (member for each in metrics for member in each.members):
        if member.clustered is None:
            continue
        if member.pool != "micro":
            hint = "leave --pool out, or choose other metrics"
            raise UsageError(f"{member.name} is a score of the whole corpus, documents have none to average", hint=hint)
        if member.conventions.duplicates != "set":
            hint = "use duplicates=set, or choose other metrics"
            raise UsageError(f"{member.name} compares sets of mentions, repeated ones cannot count", hint=hint)
        if adjusted:
            hint = "choose other metrics"
            raise UsageError(
                f"{member.name} compares whole corpora, not pairs of documents that were changed", hint=hint
            )


def add_up_corpus(task: MetricsTask, evaluation: Evaluation, slices: Slicing) -> Result:
    """The scores of all systems if at least one metric is counted over the whole corpus.

    Documents are taken in the order of their ids, so that the order in which they were read changes nothing.
    """
    order = sorted(range(len(evaluation.ids)), key=evaluation.ids.__getitem__)
    attributes = {name: tuple(values[place] for place in order) for name, values in slices.attributes.items()}
    slices = replace(slices, attributes=attributes)
    corpora = {name: _Corpus(task, evaluation, name, order) for name in evaluation.systems}
    parts: list[tuple[Slice, tuple[int, ...], dict[str, Counter]]] = []
    parts.append(({}, tuple(range(len(order))), {name: corpus.counter() for name, corpus in corpora.items()}))
    for field in slices.by:
        parts += _element_parts(corpora, field) if field in slices.paths else _document_parts(parts[0], slices, field)
    return build_sampled(
        task=task.name,
        profile=task.profile,
        measures=task.measures(),
        parts=parts,
        documents=len(order),
        by=slices.by,
        inference=evaluation.run.inference,
        notes={name: [*notes_of(evaluation, name), *task.notes(evaluation, name)] for name in evaluation.systems},
        fields=signature_of(evaluation),
    )


def build_sampled(
    *,
    task: str,
    profile: str,
    measures: Sequence[Measure],
    parts: Sequence[tuple[Slice, Sequence[int], Mapping[str, Counter]]],
    documents: int,
    by: Sequence[str] = (),
    inference: Inference | None = None,
    notes: Mapping[str, Sequence[Note]] | None = None,
    fields: Mapping[str, SignatureValue] | None = None,
) -> Result:
    """The result of counters: for each part of the corpus (a slice and the places of its documents), one per system."""
    from adjudge.evaluate.run import Run
    from adjudge.stats.inference import Inference

    inference = inference or Inference()
    if inference.test == "randomisation":
        raise UsageError(
            "clusters of the whole corpus cannot be exchanged between systems document by document",
            hint="leave --test out, or choose other metrics",
        )
    clusters = ClusterTask(task, profile, tuple(measures), parts, documents, notes or {}, fields or {})
    return corpus_result(clusters, Run(inference=inference, by=tuple(by)))


class ClusterTask(CorpusTask):
    """Counters of parts of the corpus, one per system, called with weights of the documents."""

    def __init__(
        self,
        task: str,
        profile: str,
        measures: Sequence[Measure],
        parts: Sequence[tuple[Slice, Sequence[int], Mapping[str, Counter]]],
        documents: int,
        notes: Mapping[str, Sequence[Note]],
        fields: Mapping[str, SignatureValue],
    ) -> None:
        self.name = task  # type: ignore[misc]
        self.profile, self.documents = profile, documents
        self.systems = tuple(parts[0][2])
        self._measures, self._parts, self._notes, self._fields = measures, parts, notes, fields

    def measures(self) -> Sequence[Measure]:
        """Those that were given."""
        return self._measures

    def parts(self) -> list[Part]:
        """Those that were given."""
        return [Part(where, places) for where, places, _ in self._parts]

    def fields(self) -> Mapping[str, SignatureValue]:
        """Those that were given."""
        return self._fields

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
        """Those that were given, and which slices gold has nothing of."""
        from adjudge.stats.notes import nothing_in_gold, summed_up

        found = []
        for each in outcome.samples[name]:
            totals = {name: values[0] for name, values in zip(each.columns, each.values, strict=True)}
            found += [(each.slice, note) for note in nothing_in_gold(self._measures, totals, each.slice)]
        return [*self._notes.get(name, ()), *summed_up(found)]


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


# ---------------------------------------------------------------------------------------------------------------------
# Counters of a campaign


class _Corpus:
    """Gold and one system, in an order of their documents."""

    def __init__(self, task: MetricsTask, evaluation: Evaluation, name: str, order: Sequence[int]) -> None:
        own = evaluation.systems[name]
        rows = own.rows(len(task.columns))
        self.task = task
        self.ids = [evaluation.ids[place] for place in order]
        self.sides = (evaluation.gold.documents, own.side.documents)
        self.rows = [dict(zip(task.columns, rows[place], strict=True)) for place in order]
        self.details: list[Seen | None] = [own.details[place] for place in order]

    def counter(self) -> Counter:
        """The counter of all elements."""
        return self._counter(self.rows, None)

    def of_value(self, field: str, value: Any) -> Counter:
        """The counter of the elements whose field has a value."""
        rows = []
        for seen in self.details:
            assert seen is not None
            sliced = seen.slices[field]
            counted = next((each for own, each in sliced.values if same(own, value)), sliced.rest)
            rows.append(counted.counts)
        return self._counter(rows, partial(restricted, path=field, value=value))

    def _counter(self, rows: Sequence[Mapping[str, float]], change: Callable[[Any], Any] | None) -> Counter:
        """`change` restricts the documents to some elements, and `rows` are the sums of those."""
        import numpy as np

        from adjudge.tasks.catalogue.family import load
        from adjudge.tasks.clusterings import contingency

        metrics: dict[str, tuple[str, str, tuple[str, ...]]] = {}
        tables: dict[str, Any] = {}
        whole: set[str] = set()
        for member in (member for each in self.task.metrics for member in each.members):
            if member.clustered is None:
                continue
            assign, kind, _ = member.clustered
            metrics[member.name] = (assign, kind, member.columns)
            whole.update(member.columns)
            if assign not in tables:
                function = load(assign)
                tables[assign] = contingency(
                    *(
                        [self._assigned(function, member, own.get(name), change) for name in self.ids]
                        for own in self.sides
                    )
                )
        additive = {
            column: np.array([row.get(column, 0.0) for row in rows])
            for column in self.task.columns
            if column not in whole
        }
        return cluster_counter(metrics, tables, additive)

    def _assigned(self, function: Any, metric: Any, document: Any, change: Callable[[Any], Any] | None) -> Any:
        if document is None:
            return {}
        data = wrapped(metric, document.data, plain=self.task.observer.plain)
        data = data if change is None else change(data)
        field = data.get(metric.within) if isinstance(data, Mapping) else getattr(data, metric.within)
        return function(field or ())


def _document_parts(
    whole: tuple[Slice, tuple[int, ...], dict[str, Counter]], slices: Slicing, field: str
) -> list[tuple[Slice, tuple[int, ...], dict[str, Counter]]]:
    """The documents with each value of one of their fields."""
    from adjudge.stats.table import group_rows

    return [
        ({field: value}, tuple(int(place) for place in places), whole[2])
        for value, places in group_rows(slices.attributes[field])
    ]


def _element_parts(
    corpora: Mapping[str, _Corpus], field: str
) -> list[tuple[Slice, tuple[int, ...], dict[str, Counter]]]:
    """The elements with each value of one of their fields, in the documents in which any side has it."""
    first = next(iter(corpora.values()))
    for metric in first.task.metrics:
        if not looks_at(metric, field):
            raise UsageError(f"{metric.name} does not look at {field!r}", hint="leave the metric out, or --by")
    values: list[tuple[Any, set[int]]] = []
    for number in range(len(first.ids)):
        for seen in (corpus.details[number] for corpus in corpora.values()):
            assert seen is not None
            for value, _ in seen.slices[field].values:
                known = next((each for each in values if same(each[0], value)), None)
                if known is None:
                    known = (value, set())
                    values.append(known)
                known[1].add(number)
    return [
        (
            {field: value},
            tuple(sorted(numbers)),
            {name: corpus.of_value(field, value) for name, corpus in corpora.items()},
        )
        for value, numbers in values
    ]
