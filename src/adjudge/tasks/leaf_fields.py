"""The fields of leaves: counts by path, as slices of metrics that count leaves and as columns of means over fields."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING

from adjudge.algebra.operators.leaf_outcomes import Outcome

if TYPE_CHECKING:
    from array import array

    from adjudge.metrics import Metric
    from adjudge.stats.elements import ElementTable
    from adjudge.stats.measure import Measure
    from adjudge.tasks.observe import AnyMetric, Seen

FIELD = "field"
"""What leaves are sliced by."""


def leaf_metrics(metrics: Iterable[AnyMetric]) -> list[Metric]:
    """Those that count leaves and can be sliced by their fields."""
    return [one for each in metrics for one in each.members if one.leaves is not None and one.per is None]


def has_schema(metrics: Iterable[AnyMetric]) -> bool:
    """Whether the fields of leaves are named beforehand."""
    from adjudge.algebra import shape

    found = [one.leaves for one in leaf_metrics(metrics)]
    return any(each is not None and not isinstance(each.schema.root, shape.Anything) for each in found)


def field_table(metrics: Sequence[AnyMetric], details: Sequence[Seen | None]) -> ElementTable:
    """The counts of one system by path."""
    from adjudge.stats.elements import ElementSlice, ElementTable, Rows

    members = leaf_metrics(metrics)
    columns = tuple(column for each in members for column in each.columns)
    nothing = (0.0,) * len(columns)
    found: dict[str, tuple[list[int], list[tuple[float, ...]]]] = {}
    known = _Known()
    for number, seen in enumerate(details):
        if seen is None:
            continue
        outcomes = [seen.outcomes.get(each.name, {}) for each in members]
        for path in outcomes[0] if len(outcomes) == 1 else dict.fromkeys(path for own in outcomes for path in own):
            if path not in found:
                found[path] = ([], [])
            numbers, rows = found[path]
            numbers.append(number)
            if len(outcomes) == 1:
                own = outcomes[0][path]
                rows.append(known.of(own))
            else:
                rows.append(tuple([count for own in outcomes for count in known.of(own.get(path, NOTHING))]))
    slices = tuple(ElementSlice(path, tuple(numbers), Rows(tuple(rows))) for path, (numbers, rows) in found.items())
    return ElementTable(FIELD, columns, Rows((nothing,) * len(details)), slices)


NOTHING = Outcome()


class _Known(dict[int, tuple[float, ...]]):
    """The counts of outcomes in the order of the columns of a metric, so many of them.

    By identity, for most are one and the same object; others must not vanish meanwhile.
    """

    def __init__(self, width: int | None = None) -> None:
        super().__init__()
        self.width = width

    def of(self, found: Outcome) -> tuple[float, ...]:
        """The counts of an outcome."""
        known = self.get(id(found))
        if known is None:
            known = self[id(found)] = (found.correct, found.system, found.gold, *found[1:])[: self.width]
        return known


def with_fields(
    metrics: Iterable[AnyMetric], details: Iterable[Sequence[Seen | None]]
) -> tuple[tuple[Measure, ...], tuple[str, ...]]:
    """The measures of all metrics and, for those that are means over fields, the columns of all fields that occur."""
    systems = list(details)
    measures: list[Measure] = []
    columns: list[str] = []
    for each in metrics:
        own = {one.name for one in each.members if one.per is not None}
        fields = {
            path
            for system in systems
            for seen in system
            if own and seen is not None
            for name in own
            for path in seen.outcomes.get(name, ())
        }
        if own:
            for one in each.members:
                made, more = one.measures_of(fields)
                measures += made
                columns += more
        else:
            measures += each.measures
    return tuple(dict.fromkeys(measures)), tuple(columns)


def widened(counts: array[float], width: int, details: Sequence[Seen | None], columns: Sequence[str]) -> array[float]:
    """The counts of documents, so many numbers each, with those of further columns, `metric:path:count`, behind."""
    from array import array

    paths: dict[str, list[str]] = {}
    for column in columns[::3]:
        name, _, rest = column.partition(":")
        paths.setdefault(name, []).append(rest.rpartition(":")[0])
    found, known = array("d"), _Known(3)
    for number, seen in enumerate(details):
        found.extend(counts[number * width : (number + 1) * width])
        for name, own in paths.items():
            outcomes = {} if seen is None else seen.outcomes.get(name, {})
            found.extend(chain.from_iterable(map(known.of, map(outcomes.get, own, repeat(NOTHING)))))
    return found
