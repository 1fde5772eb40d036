"""The statistics of a corpus: one row of named counts per document.

Everything that follows (scores, intervals, slices, comparisons) is a function of this table, so that nothing is ever
scored twice.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import msgspec
import numpy as np

from adjudge.errors import FormatError, Problem, UsageError, ValidationError, did_you_mean
from adjudge.stats.data import AttributeValue, TableData, group_rows, same_value
from adjudge.stats.measure import Array

_SHOWN = 10
_ROWS = 100  # of a table in a notebook


@dataclass(frozen=True, eq=False)
class StatsTable:
    """Documents x named float64 columns, with attributes of the documents such as genre.

    >>> table = StatsTable(("d1", "d2"), ("matched", "gold"), [[1, 2], [3, 4]], {"genre": ("nw", "df")})
    >>> table.totals().tolist()
    [4.0, 6.0]
    >>> table.where(genre="df").ids
    ('d2',)
    """

    ids: tuple[str, ...]
    columns: tuple[str, ...]
    values: Array
    attributes: Mapping[str, tuple[AttributeValue, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        ids, columns = tuple(self.ids), tuple(self.columns)
        values = np.array(self.values, dtype=np.float64, order="C")
        if values.size == 0:
            values = values.reshape(len(ids), len(columns))
        values.setflags(write=False)
        attributes = {name: tuple(column) for name, column in self.attributes.items()}
        _refuse_repeated(ids, "document id")
        _refuse_repeated(columns, "column")
        if values.shape != (len(ids), len(columns)):
            raise UsageError(
                f"a table of {len(ids)} documents and {len(columns)} columns cannot hold values of shape {values.shape}"
            )
        _refuse_not_finite(ids, columns, values)
        for name, column in attributes.items():
            if len(column) != len(ids):
                raise UsageError(f"attribute {name} has {len(column)} values for {len(ids)} documents")
            for identity, value in zip(ids, column, strict=True):
                if isinstance(value, float) and not math.isfinite(value):
                    raise ValidationError(f"attribute {name} of document {identity} is {value}, not a finite number")
        object.__setattr__(self, "ids", ids)
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "attributes", MappingProxyType(attributes))

    def __reduce__(self) -> tuple[type[StatsTable], tuple[Any, ...]]:
        # The view of the attributes that keeps them from being changed cannot be pickled.
        return StatsTable, (self.ids, self.columns, self.values, dict(self.attributes))

    def _repr_html_(self) -> str:
        from adjudge.stats.notebook import rows_html

        header = ("document", *self.attributes, *self.columns)
        rows = [
            (
                self.ids[place],
                *(str(column[place]) for column in self.attributes.values()),
                *(f"{value:g}" for value in self.values[place].tolist()),
            )
            for place in range(min(len(self.ids), _ROWS))
        ]
        return rows_html(header, rows, labels=1 + len(self.attributes), left_out=len(self.ids) - len(rows))

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[tuple[str, Mapping[str, float]]],
        columns: Sequence[str],
        *,
        attributes: Mapping[str, Sequence[AttributeValue]] | None = None,
    ) -> StatsTable:
        """A table from (id, counts) pairs; every row gives every column, so that a misspelt one cannot become a zero.

        >>> StatsTable.from_rows([("d1", {"matched": 1, "gold": 2})], ["matched", "gold"]).column("gold").tolist()
        [2.0]
        """
        columns = tuple(columns)
        ids: list[str] = []
        values: list[list[float]] = []
        for identity, row in rows:
            if row.keys() != set(columns):
                missing = sorted(set(columns) - row.keys())
                unknown = sorted(row.keys() - set(columns))
                wrong = [f"lacks {', '.join(missing)}"] * bool(missing) + [f"has {', '.join(unknown)}"] * bool(unknown)
                raise UsageError(f"the row of document {identity} {' and '.join(wrong)}; columns: {', '.join(columns)}")
            ids.append(identity)
            values.append([float(row[column]) for column in columns])
        table = np.array(values, dtype=np.float64).reshape(len(ids), len(columns))
        return cls(tuple(ids), columns, table, {name: tuple(v) for name, v in (attributes or {}).items()})

    @staticmethod
    def concat(*tables: StatsTable) -> StatsTable:
        """The documents of all tables, one after the other; an attribute that a table lacks is None there.

        >>> StatsTable.concat(StatsTable(("a",), ("n",), [[1]]), StatsTable(("b",), ("n",), [[2]])).ids
        ('a', 'b')
        """
        if not tables:
            raise UsageError("concat needs at least one table")
        first = tables[0]
        for other in tables[1:]:
            if set(other.columns) != set(first.columns):
                differing = sorted(set(other.columns) ^ set(first.columns))
                raise UsageError(f"tables with different columns cannot be joined: {', '.join(differing)} in one only")
        names = list(dict.fromkeys(name for table in tables for name in table.attributes))
        return StatsTable(
            tuple(identity for table in tables for identity in table.ids),
            first.columns,
            np.concatenate([table.values[:, table._places(first.columns)] for table in tables]),
            {
                name: tuple(v for table in tables for v in table.attributes.get(name, (None,) * len(table)))
                for name in names
            },
        )

    def __add__(self, other: StatsTable) -> StatsTable:
        return StatsTable.concat(self, other) if isinstance(other, StatsTable) else NotImplemented

    def __len__(self) -> int:
        return len(self.ids)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StatsTable):
            return NotImplemented
        return (
            (self.ids, self.columns) == (other.ids, other.columns)
            and dict(self.attributes) == dict(other.attributes)
            and np.array_equal(self.values, other.values)
        )

    __hash__ = None  # type: ignore[assignment]  # equality is by content, and the content can be large

    def __repr__(self) -> str:
        return f"<StatsTable {len(self.ids)} documents x {len(self.columns)} columns: {', '.join(self.columns)}>"

    def where(self, **attributes: AttributeValue) -> StatsTable:
        """The documents whose attributes have these values."""
        wanted = [(self.attribute(name), value) for name, value in attributes.items()]
        return self._take([i for i in range(len(self)) if all(same_value(column[i], v) for column, v in wanted)])

    def groups(self, attribute: str) -> list[tuple[AttributeValue, StatsTable]]:
        """Each value of an attribute and its documents, in the order of the first id of each.

        1 and 1.0 are one value, true is another.

        >>> table = StatsTable(("a", "b", "c"), ("n",), [[1], [2], [3]], {"genre": ("nw", "df", "nw")})
        >>> [(genre, group.ids) for genre, group in table.groups("genre")]
        [('nw', ('a', 'c')), ('df', ('b',))]
        """
        return [(value, self._take(rows)) for value, rows in group_rows(self.attribute(attribute), self.ids)]

    def replaced(self, other: StatsTable) -> StatsTable:
        """The table with the rows of those documents that `other` has as well.

        >>> table = StatsTable(("a", "b"), ("n",), [[1], [2]])
        >>> table.replaced(StatsTable(("b",), ("n",), [[5]])).values.tolist()
        [[1.0], [5.0]]
        """
        values = np.array(self.values)
        values[find_rows(self.ids, other.ids)] = other.values[:, other._places(self.columns)]
        return StatsTable(self.ids, self.columns, values, self.attributes)

    def select(self, ids: Iterable[str]) -> StatsTable:
        """These documents, in this order."""
        return self._take(find_rows(self.ids, ids))

    def column(self, name: str) -> Array:
        """One column, one value per document."""
        values: Array = self.values[:, self._places((name,))[0]]
        return values

    def attribute(self, name: str) -> tuple[AttributeValue, ...]:
        """One attribute, one value per document."""
        return find_attribute(self.attributes, name)

    def totals(self) -> Array:
        """The sum of every column, correctly rounded: the order of the documents changes no bit of it."""
        return exact_sums(self.values)

    def to_struct(self) -> TableData:
        """The table as a struct of plain values, ready to be written."""
        return TableData(self.ids, self.columns, _shared_rows(self.values), dict(self.attributes))

    def to_data(self) -> dict[str, Any]:
        """The table as a dict of plain lists that any JSON writer takes; `from_data` gives back the same bits."""
        return {
            "ids": list(self.ids),
            "columns": list(self.columns),
            "values": self.values.tolist(),
            "attributes": {name: list(column) for name, column in self.attributes.items()},
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any] | TableData) -> StatsTable:
        """The inverse of `to_data`.

        >>> table = StatsTable(("d",), ("n",), [[0.1]], {"genre": ("nw",)})
        >>> StatsTable.from_data(table.to_data()) == table
        True
        """
        if not isinstance(data, TableData):
            try:
                data = msgspec.convert(dict(data), TableData)
            except msgspec.ValidationError as error:
                raise FormatError(f"not a table: {error}") from error
        if any(len(row) != len(data.columns) for row in data.values) or len(data.values) != len(data.ids):
            raise FormatError(f"not a table: expected {len(data.ids)} rows of {len(data.columns)} values")
        values = np.array(data.values, dtype=np.float64).reshape(len(data.ids), len(data.columns))
        return cls(data.ids, data.columns, values, data.attributes)

    def save_npz(self, path: str | os.PathLike[str]) -> None:
        """Write a compressed archive of numpy, whole or not at all."""
        from adjudge.stats.table_file import write_table

        write_table(path, self.values, {key: value for key, value in self.to_data().items() if key != "values"})

    @classmethod
    def load_npz(cls, path: str | os.PathLike[str]) -> StatsTable:
        """Read what `save_npz` wrote."""
        from adjudge.stats.table_file import not_a_table, read_table

        values, header = read_table(path)
        try:
            return cls.from_data({**header, "values": values.tolist()})
        except FormatError as error:
            raise not_a_table(os.fspath(path)) from error

    def _take(self, rows: Sequence[int]) -> StatsTable:
        return StatsTable(
            tuple(self.ids[i] for i in rows),
            self.columns,
            self.values[list(rows)],
            {name: tuple(column[i] for i in rows) for name, column in self.attributes.items()},
        )

    def _places(self, names: Sequence[str]) -> list[int]:
        places = {name: place for place, name in enumerate(self.columns)}
        for name in names:
            if name not in places:
                raise UsageError(f"no column {name}", hint=did_you_mean(name, places) or f"columns: {_listed(places)}")
        return [places[name] for name in names]


def _shared_rows(values: Array) -> tuple[tuple[float, ...], ...]:
    """The rows as tuples, equal ones as one: most small documents have the same few counts."""
    known: dict[bytes, tuple[float, ...]] = {}
    rows = []
    for row in values:
        key = row.tobytes()  # and not the numbers, for which 0.0 is -0.0
        found = known.get(key)
        if found is None:
            found = known[key] = tuple(row.tolist())
        rows.append(found)
    return tuple(rows)


def exact_sums(values: Array) -> Array:
    """The correctly rounded sum of every column (Shewchuk's algorithm), whatever the order of the rows.

    >>> exact_sums(np.array([[1e16], [1.0], [-1e16]])).tolist()
    [1.0]
    """
    try:
        return np.array([math.fsum(column) for column in values.T.tolist()], dtype=np.float64)
    except OverflowError as error:
        raise ValidationError("the sum of a column exceeds the range of float64") from error


def find_rows(ids: Sequence[str], wanted: Iterable[str]) -> list[int]:
    """The places of the wanted documents; an unknown id is an error.

    >>> find_rows(("a", "b"), ["b"])
    [1]
    """
    places = {identity: place for place, identity in enumerate(ids)}
    wanted = list(wanted)
    unknown = [identity for identity in wanted if identity not in places]
    if unknown:
        raise UsageError(f"no such document: {_listed(unknown)}", hint=did_you_mean(unknown[0], places))
    return [places[identity] for identity in wanted]


def find_attribute(attributes: Mapping[str, tuple[AttributeValue, ...]], name: str) -> tuple[AttributeValue, ...]:
    """The values of an attribute; an unknown name is an error that lists the known ones."""
    if name not in attributes:
        known = f"attributes: {_listed(attributes)}" if attributes else "these documents have no attributes"
        raise UsageError(f"no attribute {name}", hint=did_you_mean(name, attributes) or known)
    return attributes[name]


def _listed(names: Iterable[str]) -> str:
    names = list(names)
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _refuse_repeated(names: tuple[str, ...], what: str) -> None:
    if len(set(names)) == len(names):
        return
    seen: set[str] = set()
    repeated = dict.fromkeys(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
    raise ValidationError(f"repeated {what}: {_listed(repeated)}", hint=f"every {what} may occur once")


def _refuse_not_finite(ids: tuple[str, ...], columns: tuple[str, ...], values: Array) -> None:
    if np.isfinite(values).all():
        return
    wrong = np.argwhere(~np.isfinite(values))
    problems = [
        Problem(f"column {columns[c]} of document {ids[r]} is {values[r, c]}, not a finite number")
        for r, c in wrong[:_SHOWN].tolist()
    ]
    if len(wrong) > _SHOWN:
        problems.append(Problem(f"and {len(wrong) - _SHOWN} more values that are not finite"))
    raise ValidationError(problems)
