"""Counts by the value of a field of the elements, such as relations.type.

Every document has a row for each value that occurs in gold or the system, and one row for values that do not occur in
it. From these the slices of any set of systems are assembled: a slice has the documents in which its value occurs in
gold or in any of the systems.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TypeAlias

import msgspec

from adjudge.errors import FormatError, UsageError
from adjudge.stats.measure import Measure, measures_of
from adjudge.stats.points import Additive, Pool
from adjudge.stats.table import AttributeValue, StatsTable, value_key

Values: TypeAlias = tuple[tuple[float, ...], ...]


class Rows(msgspec.Struct, frozen=True, omit_defaults=True):
    """Rows of counts; `best`, if given, has the highest counts that an unfinished search leaves possible."""

    values: Values
    best: Values = ()


class ElementSlice(msgspec.Struct, frozen=True):
    """The counts of the elements with one value, in the documents (by place) that have any on either side."""

    value: AttributeValue
    documents: tuple[int, ...]
    rows: Rows


class ElementTable(msgspec.Struct, frozen=True):
    """All slices of one system by one field; `rest` has a row per document for values that do not occur in it."""

    field: str
    columns: tuple[str, ...]
    rest: Rows
    slices: tuple[ElementSlice, ...]


def check_elements(table: ElementTable, documents: int) -> None:
    """Raise unless the rows have the right number and width."""
    parts = [(table.rest, documents), *((each.rows, len(each.documents)) for each in table.slices)]
    for rows, number in parts:
        if len(rows.values) != number or (rows.best and len(rows.best) != number):
            raise FormatError(f"{len(rows.values)} rows of {table.field} for {number} documents")
        if any(len(row) != len(table.columns) for row in (*rows.values, *rows.best)):
            raise FormatError(f"a row of {table.field} does not have {len(table.columns)} values")
    for each in table.slices:
        if any(not 0 <= place < documents for place in each.documents) or len(set(each.documents)) < len(
            each.documents
        ):
            raise FormatError(f"a slice of {table.field} names documents that do not exist")


def element_corpora(
    tables: Mapping[str, ElementTable], ids: Sequence[str], measures: Sequence[Measure], pool: Pool
) -> list[tuple[AttributeValue, dict[str, Additive]]]:
    """Each value of a field and the systems on its elements, in a fixed order; all systems on the same documents.

    >>> rest, one = Rows(((0.0,), (0.0,))), Rows(((3.0,),))
    >>> a = ElementTable("tags.kind", ("n",), rest, (ElementSlice("x", (1,), one),))
    >>> b = ElementTable("tags.kind", ("n",), rest, (ElementSlice("x", (0,), one),))
    >>> ((value, found),) = element_corpora({"A": a, "B": b}, ("d", "e"), (), "micro")
    >>> value, found["A"].table.ids, found["A"].table.values
    ('x', ('d', 'e'), ((0.0,), (3.0,)))
    """
    found = {name: {value_key(each.value): each for each in table.slices} for name, table in tables.items()}
    values = {key: each.value for slices in found.values() for key, each in slices.items()}
    corpora = []
    for key in sorted(values, key=_rank):
        first, *others = (slices[key].documents for slices in found.values() if key in slices)
        order = sorted(first if all(each == first for each in others) else {*first, *chain.from_iterable(others)})
        names = tuple(ids) if len(order) == len(ids) else tuple(ids[place] for place in order)
        members = {}
        for name, table in tables.items():
            own = found[name].get(key)
            parts = [table.rest] if own is None else [table.rest, own.rows]
            documents = () if own is None else own.documents
            counts = StatsTable(names, table.columns, _rows(parts, documents, order, best=False))
            best = None
            if any(rows.best for rows in parts):
                best = StatsTable(names, table.columns, _rows(parts, documents, order, best=True))
            members[name] = Additive(counts, measures_of(measures, table.columns), pool, best)
        corpora.append((values[key], members))
    return corpora


def _rows(parts: Sequence[Rows], documents: Sequence[int], order: Sequence[int], *, best: bool) -> Values:
    """The rows of some documents: those of the value where it occurs, else those of values that do not."""
    rest, *own = [(rows.best or rows.values) if best else rows.values for rows in parts]
    if own and list(documents) == list(order):
        return tuple(own[0])
    rows = dict(zip(documents, own[0], strict=True)) if own else {}
    return tuple(rows.get(place, rest[place]) for place in order)


def joined(parts: Sequence[tuple[ElementTable, Sequence[str]]], order: Sequence[str]) -> ElementTable:
    """The counts of one field in parts of a corpus, each with its documents, as counts of the whole in this order.

    Slices are in the order in which their values first occur. Values that first occur in the same document keep the
    order of its part.
    """
    first = parts[0][0]
    if len(parts) == 1 and tuple(parts[0][1]) == tuple(order):
        return first
    places = {identifier: place for place, identifier in enumerate(order)}
    rest: dict[int, _Row] = {}
    slices: dict[object, tuple[AttributeValue, dict[int, _Row]]] = {}
    for table, ids in parts:
        if table.columns != first.columns:
            raise UsageError(
                f"the counts of {table.field} have different columns in some parts", hint="score them again"
            )
        at = [places[identifier] for identifier in ids]
        rest |= _placed(table.rest, at, 0)
        for rank, each in enumerate(table.slices):
            _, own = slices.setdefault(value_key(each.value), (each.value, {}))
            own |= _placed(each.rows, [at[document] for document in each.documents], rank)
    met = sorted(
        slices.values(), key=lambda each: min(((at, row.rank) for at, row in each[1].items()), default=(-1, 0))
    )
    found = (ElementSlice(value, tuple(sorted(own)), _in_order(own)) for value, own in met)
    return ElementTable(first.field, first.columns, _in_order(rest), tuple(found))


class _Row(msgspec.Struct, frozen=True):
    """A row of counts, its best counts if a search was cut short, and the rank of its slice in its part."""

    values: tuple[float, ...]
    best: tuple[float, ...] | None
    rank: int


def _placed(rows: Rows, places: Sequence[int], rank: int) -> dict[int, _Row]:
    best = rows.best or (None,) * len(rows.values)
    return {at: _Row(values, more, rank) for at, values, more in zip(places, rows.values, best, strict=True)}


def _in_order(rows: Mapping[int, _Row]) -> Rows:
    ordered = [rows[at] for at in sorted(rows)]
    values = tuple(row.values for row in ordered)
    unfinished = any(row.best is not None for row in ordered)
    return Rows(values, tuple(row.best or row.values for row in ordered)) if unfinished else Rows(values)


def _rank(key: tuple[bool, AttributeValue]) -> tuple[int, float, str]:
    """Numbers by size, then texts, then booleans, then nothing."""
    is_boolean, value = key
    if value is None:
        return 3, 0.0, ""
    if isinstance(value, str):
        return 1, 0.0, value
    return (2 if is_boolean else 0), float(value), ""
