"""Metrics of clusters over the whole corpus, recounted for every resample of the documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from adjudge.errors import UsageError
from adjudge.evaluate.clusterings import ClusterCounter, Counter, clustered_result, contingency
from adjudge.evaluate.task import Run
from adjudge.rooms import load
from adjudge.tasks.elements import restricted, same
from adjudge.tasks.observe import AnyMetric, Seen, looks_at, wrapped
from adjudge.tasks.slices import Slicing

if TYPE_CHECKING:
    from adjudge.evaluate.engine import Evaluation
    from adjudge.stats.result import Result, Slice
    from adjudge.stats.table import StatsTable
    from adjudge.tasks.task import MetricsTask


def check_clustered(metrics: Sequence[AnyMetric], *, adjusted: bool = False) -> None:
    """Raise if a whole-corpus metric is asked for what only per-document counts allow."""
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

    Documents are taken in id order, so that the order of reading does not matter.
    """
    order = sorted(range(len(evaluation.ids)), key=evaluation.ids.__getitem__)
    attributes = {name: tuple(values[place] for place in order) for name, values in slices.attributes.items()}
    slices = msgspec.structs.replace(slices, attributes=attributes)
    corpora = {name: _Corpus(task, evaluation, name, order) for name in evaluation.systems}
    parts: list[tuple[Slice, tuple[int, ...], dict[str, Counter]]] = []
    parts.append(({}, tuple(range(len(order))), {name: corpus.counter() for name, corpus in corpora.items()}))
    for field in slices.by:
        parts += _element_parts(corpora, field) if field in slices.paths else _document_parts(parts[0], slices, field)
    run = Run(inference=evaluation.run.inference, by=tuple(slices.by), time_limit=evaluation.run.time_limit)
    ids = [evaluation.ids[place] for place in order]
    result = clustered_result(task, evaluation, parts, run=run, ids=ids, fields=attributes)
    systems = [msgspec.structs.replace(each, table=corpora[each.name].table(attributes)) for each in result.systems]
    return msgspec.structs.replace(result, systems=tuple(systems))


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

    def table(self, attributes: Mapping[str, tuple[Any, ...]]) -> StatsTable | None:
        """The counts of the metrics that are counted per document, if there are any."""
        from adjudge.stats.table import StatsTable

        columns = self._additive
        values = tuple(tuple(float(row.get(column, 0.0)) for column in columns) for row in self.rows)
        return StatsTable(tuple(self.ids), columns, values, dict(attributes)) if columns else None

    @property
    def _additive(self) -> tuple[str, ...]:
        members = [member for each in self.task.metrics for member in each.members]
        whole = {column for member in members if member.clustered is not None for column in member.columns}
        return tuple(column for column in self.task.columns if column not in whole)

    def counter(self) -> Counter:
        """The counter of all elements."""
        return self._counter(self.rows, None)

    def of_value(self, field: str, value: Any) -> Counter:
        """The counter of the elements whose field has this value."""
        rows = []
        for seen in self.details:
            assert seen is not None
            sliced = seen.slices[field]
            counted = next((each for own, each in sliced.values if same(own, value)), sliced.rest)
            rows.append(counted.counts)
        return self._counter(rows, partial(restricted, path=field, value=value))

    def _counter(self, rows: Sequence[Mapping[str, float]], change: Callable[[Any], Any] | None) -> Counter:
        """A counter: `change` restricts the documents to some elements, `rows` are the counts of those."""
        metrics: dict[str, tuple[str, str, tuple[str, ...]]] = {}
        tables: dict[str, Any] = {}
        for member in (member for each in self.task.metrics for member in each.members):
            if member.clustered is None:
                continue
            assign, kind = member.clustered.assign, member.clustered.by
            metrics[member.name] = (assign, kind, member.columns)
            if assign not in tables:
                function = load(assign)
                tables[assign] = contingency(
                    *(
                        [self._assigned(function, member, own.get(name), change) for name in self.ids]
                        for own in self.sides
                    )
                )
        additive = {column: [row.get(column, 0.0) for row in rows] for column in self._additive}
        return ClusterCounter(metrics, tables, additive)

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
    """The elements with each value of one of their fields, in the documents where either side has it."""
    first = next(iter(corpora.values()))
    for metric in first.task.metrics:
        if not looks_at(metric, field):
            raise UsageError(f"{metric.name} does not use {field!r}", hint="leave the metric out, or --by")
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
