"""Counts of leaves by path: slices for metrics that count leaves, and columns for means over fields.

Documents of one flat record each need no search: their leaves are compared once for all metrics.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, TypeAlias

from adjudge.tasks.observe import AnyMetric, Counted, Seen
from adjudge.tasks.slices import FIELD, leaf_metrics

if TYPE_CHECKING:
    from array import array

    from adjudge.algebra.operators.leaf_outcomes import Outcome
    from adjudge.stats.elements import ElementTable
    from adjudge.stats.measure import Measure


def field_table(metrics: Sequence[AnyMetric], details: Sequence[Seen | None]) -> ElementTable:
    """The counts of one system by path."""
    from adjudge.stats.elements import ElementSlice, ElementTable, Rows

    members = leaf_metrics(metrics)
    columns = tuple(column for each in members for column in each.columns)
    nothing = (0.0,) * len(columns)
    found = [_columns(details, each.name) for each in members]
    slices = []
    for path in dict.fromkeys(chain.from_iterable(found)):
        if len(found) == 1:
            where, rows = found[0][path]
        else:
            own = [dict(zip(*each.get(path, _NONE), strict=True)) for each in found]
            where = tuple(sorted({place for each in own for place in each}))
            empty = [(0.0,) * len(each.columns) for each in members]
            rows = tuple(tuple(chain.from_iterable(map(dict.get, own, repeat(place), empty))) for place in where)
        slices.append(ElementSlice(path, where, Rows(rows)))
    return ElementTable(FIELD, columns, Rows((nothing,) * len(details)), tuple(slices))


Columns: TypeAlias = "dict[str, tuple[tuple[int, ...], tuple[tuple[float, ...], ...]]]"
"""By path, the indices of the documents that have it and their counts: correct, system, gold, and the others."""

_NONE: tuple[tuple[int, ...], tuple[tuple[float, ...], ...]] = ((), ())


def _columns(details: Sequence[Seen | None], name: str, width: int | None = None) -> Columns:
    """A metric's counts for each path, `width` numbers each, in the order in which paths occur."""
    alike: dict[tuple[str, ...], list[int]] = {}
    outcomes = [{} if seen is None else seen.outcomes.get(name, {}) for seen in details]
    for place, own in enumerate(outcomes):
        alike.setdefault(tuple(own), []).append(place)
    known: dict[int, tuple[float, ...]] = {}  # by identity, because most outcomes are the same object
    found: dict[str, list[tuple[tuple[int, ...], tuple[tuple[float, ...], ...]]]] = {}
    for paths, places in alike.items():
        where = tuple(places)
        for path, column in zip(paths, zip(*[outcomes[place].values() for place in places], strict=True), strict=True):
            for key, each in dict(zip(map(id, column), column, strict=True)).items():
                if key not in known:
                    known[key] = (each.correct, each.system, each.gold, *each[1:])[:width]
            found.setdefault(path, []).append((where, tuple(map(known.__getitem__, map(id, column)))))
    return {path: parts[0] if len(parts) == 1 else _in_order(parts) for path, parts in found.items()}


def _in_order(parts: Iterable[tuple[tuple[int, ...], tuple[tuple[float, ...], ...]]]) -> Any:
    return tuple(zip(*sorted(pair for part in parts for pair in zip(*part, strict=True)), strict=True))


def with_fields(
    metrics: Iterable[AnyMetric], details: Iterable[Sequence[Seen | None]]
) -> tuple[tuple[Measure, ...], tuple[str, ...]]:
    """The measures of all metrics; means over fields get the columns of all fields that occur."""
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
    """The counts of documents, followed by those of further columns, `metric:path:count`."""
    from array import array

    names = dict.fromkeys(column.partition(":")[0] for column in columns)
    own = {name: _columns(details, name, 3) for name in names}
    nothing: tuple[float, ...] = (0.0, 0.0, 0.0)
    dense: list[Sequence[tuple[float, ...]]] = []
    for column in columns[::3]:
        name, _, rest = column.partition(":")
        where, rows = own[name].get(rest.rpartition(":")[0], _NONE)
        if len(rows) < len(details):
            known = dict(zip(where, rows, strict=True))
            rows = tuple(known.get(place, nothing) for place in range(len(details)))
        dense.append(rows)
    found = array("d")
    for number, triples in enumerate(zip(*dense, strict=True) if dense else repeat((), len(details))):
        found.extend(counts[number * width : (number + 1) * width])
        found.extend(chain.from_iterable(triples))
    return found


_PLAIN = Counted()
_MOST = 1 << 16  # maximum number of cached counts of leaves


class LeafRows:
    """Metrics that compare the same leaves of records; can be pickled. `keep`: keep the outcome of leaves."""

    def __init__(self, metrics: Sequence[AnyMetric], *, keep: bool) -> None:
        self.metrics, self.keep = metrics, keep
        self.members = [one for each in metrics for one in each.members]
        self.names = [one.name for one in self.members if one.leaves is not None]
        self.of_records = [one.of_records for one in self.members]
        self.within, self.flat = self.of_records[0].name, self.of_records[0].leaves.flat
        self._known: dict[Outcome, tuple[float, ...]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(LeafRows, keep=self.keep), (self.metrics,)

    @classmethod
    def of(cls, metrics: Sequence[AnyMetric], columns: Sequence[str], *, keep: bool) -> LeafRows | None:
        """The metrics, each with its own columns, if they compare the same leaves; else None."""
        members = [one for each in metrics for one in each.members]
        found: list[Any] = [one.of_records for one in members if one.document is None]
        if len(found) != len(metrics) or not all(found):
            return None
        alike = all(each.name == found[0].name and each.schema == found[0].schema for each in found)
        own = tuple(column for one in members for column in one.columns)
        return cls(metrics, keep=keep) if alike and found[0].leaves.flat and own == tuple(columns) else None

    def row(self, gold: Any, system: Any) -> tuple[tuple[float, ...], Seen | None] | None:
        """The counts of two documents, and the outcome of their leaves; None if they need the general method."""
        if type(gold) is not dict or type(system) is not dict:
            return None
        ours, theirs = gold.get(self.within), system.get(self.within)
        if type(ours) is not dict or type(theirs) is not dict:
            return None
        found = self.flat(ours, theirs)
        if found is None:
            return None
        total = found.total
        counts = self._known.get(total)
        if counts is None:
            if not total.gold or not total.system:
                return None
            if len(self._known) >= _MOST:
                self._known.clear()
            numbers: list[float] = []
            for one, own in zip(self.members, self.of_records, strict=True):
                numbers += (*own.observe(found), *(total[1:] if len(one.columns) > 3 else ()))
            counts = self._known[total] = tuple(numbers)
        return counts, Seen(_PLAIN, {}, dict.fromkeys(self.names, found.by_path)) if self.keep else None
