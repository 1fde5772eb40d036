"""The fields of leaves: counts by path, as slices of metrics that count leaves and as columns of means over fields.

Documents of one flat record each need no search: their leaves are looked at once for all metrics.

Notes tell of the fields of one's own types, views and similarities which of them makes a score 0, and what counts once
a document; metrics of the catalogue say themselves what they compare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, repeat
from math import fsum
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from adjudge.algebra import ir, view
from adjudge.algebra.view import is_collection
from adjudge.errors import AdjudgeError
from adjudge.tasks.observe import AnyMetric, Counted, Seen, prepared, wrapped

if TYPE_CHECKING:
    from array import array

    from adjudge.algebra.operators.leaf_outcomes import Outcome
    from adjudge.metrics import Metric
    from adjudge.stats.elements import ElementTable
    from adjudge.stats.measure import Measure
    from adjudge.stats.result import Note, Result, SystemResult

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
"""By path, the places of the documents that have it and what they count: correct, system, gold, and the others."""

_NONE: tuple[tuple[int, ...], tuple[tuple[float, ...], ...]] = ((), ())


def _columns(details: Sequence[Seen | None], name: str, width: int | None = None) -> Columns:
    """What a metric counted of each path, so many numbers, in the order in which paths are met."""
    alike: dict[tuple[str, ...], list[int]] = {}
    outcomes = [{} if seen is None else seen.outcomes.get(name, {}) for seen in details]
    for place, own in enumerate(outcomes):
        alike.setdefault(tuple(own), []).append(place)
    known: dict[int, tuple[float, ...]] = {}  # by identity, for most outcomes are one and the same object
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
_MOST = 1 << 16  # counts of leaves of which it is remembered what metrics make of them


class LeafRows:
    """Metrics that compare the same leaves of records; travels to other processes. `keep`: the outcome of leaves."""

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
        """The metrics if they do, each with its own columns; else None."""
        members = [one for each in metrics for one in each.members]
        found: list[Any] = [one.of_records for one in members if one.document is None]
        if len(found) != len(metrics) or not all(found):
            return None
        alike = all(each.name == found[0].name and each.schema == found[0].schema for each in found)
        own = tuple(column for one in members for column in one.columns)
        return cls(metrics, keep=keep) if alike and found[0].leaves.flat and own == tuple(columns) else None

    def row(self, gold: Any, system: Any) -> tuple[tuple[float, ...], Seen | None] | None:
        """The counts of two documents, and the outcome of their leaves; None if they take a closer look."""
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


Pick: TypeAlias = Callable[[Sequence[str]], Sequence[dict[str, Any]]]
"""Called with ids; gives the documents of gold and of each system that have them."""

_LOOKED_AT = 200  # documents in which the reason is sought
_NAMED = 3  # fields


def with_field_notes(result: Result, metrics: Sequence[AnyMetric], pick: Pick, *, plain: bool = False) -> Result:
    """A result that says which fields made a score 0 everywhere, and which documents count as a whole."""
    members = [member for metric in metrics for member in metric.members if _is_own(member)]
    whole = [note for member in members for note in _whole(member)]
    zeros = {system.name: [member for member in members if _is_zero(system, member)] for system in result.systems}
    if not any(zeros.values()):
        return msgspec.structs.replace(result, notes=(*result.notes, *whole)) if whole else result
    first = next(system for system in result.systems if system.table is not None)
    assert first.table is not None
    ids = sorted(first.table.ids)[:_LOOKED_AT]
    gold, *others = pick(ids)
    systems = []
    for system, own in zip(result.systems, others, strict=True):
        pairs = [(gold[name], own[name]) for name in ids if name in gold and name in own]
        notes = [note for member in zeros[system.name] for note in _reason(member, pairs, plain)]
        systems.append(msgspec.structs.replace(system, notes=(*system.notes, *notes)))
    return msgspec.structs.replace(result, systems=tuple(systems), notes=(*result.notes, *whole))


def _is_own(member: Metric) -> bool:
    return member.clustered is None and (member.origin is None or member.document is not None)


def _whole(member: Metric) -> Iterator[Note]:
    """That a document with other fields beside a collection counts once, by a product."""
    from adjudge.stats.result import Note

    node = member.similarity
    if member.document is None or not isinstance(node, ir.Record):
        return
    ratios = [name for name, inner in node.fields.items() if is_collection(inner) and not _is_counted(inner)]
    others = [name for name in node.fields if name not in ratios]
    if len(ratios) == 1 and others:
        kind = getattr(member.document, "__name__", member.name)
        message = (
            f"{member.name}: a document counts once, by the product of {', '.join(others)} and the F1 of {ratios[0]}; "
            f"to count {ratios[0]} over all documents, use view({kind}).only({ratios[0]!r}), "
            f"or mark what only describes: {others[0]}: Annotated[..., adjudge.algebra.ignore]"
        )
        yield Note("whole-documents", 1, message)


def _is_counted(node: ir.Similarity) -> bool:
    """Whether a collection gives a number of elements and no ratio."""
    return not isinstance(node, ir.Normalise) and not any(
        isinstance(inner, ir.Normalise) for inner in ir.children(node) if isinstance(node, ir.Mapped | ir.Union)
    )


def _is_zero(system: SystemResult, member: Metric) -> bool:
    """Whether nothing matched although both sides have something."""
    scores = [score.value for score in system.scores if score.metric == member.name and not score.slice]
    if system.table is None or any(scores):
        return False
    places = [system.table.columns.index(column) for column in member.columns]
    matched, predicted, *_, gold = (fsum(row[place] for row in system.table.values) for place in places)
    return matched == 0 and predicted > 0 and gold > 0


def _reason(member: Metric, pairs: Sequence[tuple[Any, Any]], plain: bool) -> Iterator[Note]:
    """The fields without which something would match, those that change most first."""
    from adjudge.stats.result import Note

    found: list[tuple[float, str]] = []
    for path, other in _without_one(member):
        matched = fsum(_matched(other, gold, system, plain) for gold, system in pairs)
        if matched > 0:
            found.append((-matched, path))
    alone = _alone(member)
    if found:
        names = [path for _, path in sorted(found)[:_NAMED]]
        said = f"nothing matches because of {' or '.join(names)}: without it something would"
    elif alone is not None:
        names, said = [alone], f"no document has the same {alone}"
    else:
        return
    last = names[0].rpartition(".")[2]
    remedy = f"if {last} only describes, mark it in the type: {last}: Annotated[..., adjudge.algebra.ignore]"
    yield Note("field-differs", len(pairs), f"{member.name}: {said}; {remedy}", ())


def _alone(member: Metric) -> str | None:
    """The one field of a document that is compared, if it is not a collection."""
    node = member.similarity
    if member.document is None or not isinstance(node, ir.Record) or len(node.fields) != 1:
        return None
    ((name, inner),) = node.fields.items()
    return None if is_collection(inner) else name


def _without_one(member: Metric) -> Iterator[tuple[str, Metric]]:
    """The metric without each of its fields, by the path of that field in a document."""
    if ir.has_variables(member.similarity) or isinstance(member.similarity, ir.Latent):
        return  # names that mean nothing are searched for, which takes time
    for path in dict.fromkeys(field_paths(member.similarity)):
        try:
            narrowed = view(member.similarity).ignore(path).node
            yield path, replace(member, similarity=narrowed, origin=None)
        except AdjudgeError:  # nothing would be left, or what is left cannot be compared so
            continue


def field_paths(node: ir.Similarity, before: str = "") -> Iterator[str]:
    """The fields of records that a similarity compares, wherever they are."""
    if isinstance(node, ir.Record | ir.Sum):
        for name, inner in node.fields.items():
            yield f"{before}{name}"
            yield from field_paths(inner, f"{before}{name}.")
    else:
        for inner in ir.children(node):
            yield from field_paths(inner, before)


def _matched(metric: Metric, gold: Any, system: Any, plain: bool) -> float:
    pair = [prepared(metric, wrapped(metric, each, plain=plain)) for each in (gold, system)]
    return metric.observe(*pair).counts[metric.columns[0]]
