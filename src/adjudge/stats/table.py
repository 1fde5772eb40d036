"""The statistics of a corpus: one row of named counts per document.

Everything else (scores, intervals, slices, comparisons) is a function of this table, so that nothing is scored twice.
It is plain data, as saved in a result; only resampling needs numpy.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from adjudge.errors import Problem, UsageError, ValidationError, did_you_mean, some_of

if TYPE_CHECKING:
    from adjudge.stats.measure import Array

AttributeValue: TypeAlias = str | int | float | bool | None

_SHOWN = 10
_ROWS = 100  # of a table in a notebook


class StatsTable(msgspec.Struct, frozen=True, dict=True):
    """Documents x named columns, with attributes of the documents such as genre.

    `values` is a tuple with a tuple of floats for every document; a list or an array is converted.

    >>> table = StatsTable(("d1", "d2"), ("matched", "gold"), [[1, 2], [3, 4]], {"genre": ("nw", "df")})
    >>> table.totals
    {'matched': 4.0, 'gold': 6.0}
    """

    ids: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    attributes: dict[str, tuple[AttributeValue, ...]] = {}

    def __post_init__(self) -> None:
        rows: Any = self.values
        if hasattr(rows, "tolist"):
            self.__dict__["array"] = rows = rows.astype("float64")
            rows = rows.tolist()
        if type(rows) is not tuple:
            known: dict[tuple[float, ...], tuple[float, ...]] = {}  # many documents have the same counts
            rows = (tuple(map(float, row)) for row in rows)
            msgspec.structs.force_setattr(self, "values", tuple(known.setdefault(row, row) for row in rows))

    def checked(self) -> StatsTable:
        """The table itself, if it is valid: no repeated names, rows of one width, finite numbers."""
        for names, what in ((self.ids, "document id"), (self.columns, "column")):
            if len(set(names)) < len(names):
                repeated = [name for name, number in Counter(names).items() if number > 1]
                hint = f"every {what} may occur once"
                raise ValidationError(f"repeated {what}: {some_of(repeated, _SHOWN)}", hint=hint)
        width = len(self.columns)
        if len(self.values) != len(self.ids) or any(len(row) != width for row in self.values):
            raise ValidationError(f"not a table: expected {len(self.ids)} rows of {width} values")
        if not all(map(math.isfinite, map(sum, self.values))):
            _refuse_not_finite(self)
        for name, column in self.attributes.items():
            if len(column) != len(self.ids):
                raise ValidationError(f"attribute {name} has {len(column)} values for {len(self.ids)} documents")
            for identity, value in zip(self.ids, column, strict=True):
                if isinstance(value, float) and not math.isfinite(value):
                    raise ValidationError(f"attribute {name} of document {identity} is {value}, not a finite number")
        return self

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[tuple[str, Mapping[str, float]]],
        columns: Sequence[str],
        *,
        attributes: Mapping[str, Sequence[AttributeValue]] | None = None,
    ) -> StatsTable:
        """A table from (id, counts) pairs; every row has every column, so that a misspelt one cannot become a zero.

        >>> StatsTable.from_rows([("d1", {"gold": 2, "matched": 1})], ["matched", "gold"]).values
        ((1.0, 2.0),)
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
            values.append([row[column] for column in columns])
        own = {name: tuple(column) for name, column in (attributes or {}).items()}
        return cls(tuple(ids), columns, values, own)  # type: ignore[arg-type]  # rows become tuples

    @staticmethod
    def concat(*tables: StatsTable) -> StatsTable:
        """The documents of all tables, one after the other; an attribute that a table lacks is None there.

        >>> StatsTable.concat(StatsTable(("a",), ("n",), [[1]]), StatsTable(("b",), ("n",), [[2]])).ids
        ('a', 'b')
        """
        first = tables[0]
        values: list[tuple[float, ...]] = []
        for table in tables:
            values += table._rows_of(first.columns)
        names = list(dict.fromkeys(name for table in tables for name in table.attributes))
        return StatsTable(
            tuple(identity for table in tables for identity in table.ids),
            first.columns,
            tuple(values),
            {
                name: tuple(v for table in tables for v in table.attributes.get(name, (None,) * len(table)))
                for name in names
            },
        )

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"<StatsTable {len(self.ids)} documents x {len(self.columns)} columns: {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        from adjudge.stats.notebook import rows_html

        header = ("document", *self.attributes, *self.columns)
        rows = [
            (identity, *(str(column[place]) for column in self.attributes.values()), *(f"{value:g}" for value in row))
            for place, (identity, row) in enumerate(zip(self.ids[:_ROWS], self.values, strict=False))
        ]
        return rows_html(header, rows, labels=1 + len(self.attributes), left_out=len(self.ids) - len(rows))

    @cached_property
    def array(self) -> Array:
        """The values for numpy."""
        import numpy as np

        return np.array(self.values, dtype=np.float64).reshape(len(self.ids), len(self.columns))

    @cached_property
    def totals(self) -> dict[str, float]:
        """The sum of every column, correctly rounded, whatever the order of the documents."""
        columns = zip(*self.values, strict=True) if self.values else ([] for _ in self.columns)
        try:
            return {name: math.fsum(values) for name, values in zip(self.columns, columns, strict=True)}
        except OverflowError as error:
            raise ValidationError("the sum of a column exceeds the range of float64") from error

    def slices(self, attribute: str) -> list[tuple[AttributeValue, StatsTable]]:
        """Each value of an attribute and its documents, in the order of the first id of each.

        1 and 1.0 are one value, true is another.

        >>> table = StatsTable(("a", "b", "c"), ("n",), [[1], [2], [3]], {"genre": ("nw", "df", "nw")})
        >>> [(genre, part.ids) for genre, part in table.slices("genre")]
        [('nw', ('a', 'c')), ('df', ('b',))]
        """
        if attribute not in self.attributes:
            known = (
                f"attributes: {some_of(self.attributes, _SHOWN)}" if self.attributes else "these documents have none"
            )
            raise UsageError(f"no attribute {attribute}", hint=did_you_mean(attribute, self.attributes) or known)
        return [(value, self._take(rows)) for value, rows in group_rows(self.attributes[attribute], self.ids)]

    def grouped(self, names: Sequence[str]) -> StatsTable:
        """The sums of the documents with the same name, sorted by it; attributes are lost.

        >>> StatsTable(("a", "b", "c"), ("n",), [[1], [2], [3]]).grouped(("y", "x", "y"))
        <StatsTable 2 documents x 1 columns: n>
        """
        rows: dict[str, list[tuple[float, ...]]] = {}
        for name, row in zip(names, self.values, strict=True):
            rows.setdefault(name, []).append(row)
        ids = tuple(sorted(rows))
        sums = tuple(tuple(math.fsum(column) for column in zip(*rows[name], strict=True)) for name in ids)
        return StatsTable(ids, self.columns, sums)

    def select(self, ids: Iterable[str]) -> StatsTable:
        """These documents, in this order."""
        ids = tuple(ids)
        if ids == self.ids:
            return self
        places = {identity: place for place, identity in enumerate(self.ids)}
        unknown = [identity for identity in ids if identity not in places]
        if unknown:
            raise UsageError(f"no such document: {some_of(unknown, _SHOWN)}", hint=did_you_mean(unknown[0], places))
        return self._take([places[identity] for identity in ids])

    def replaced(self, other: StatsTable) -> StatsTable:
        """The table with the rows of `other` for the documents that it has.

        >>> table = StatsTable(("a", "b"), ("n",), [[1], [2]])
        >>> table.replaced(StatsTable(("b",), ("n",), [[5]])).values
        ((1.0,), (5.0,))
        """
        self.select(other.ids)  # an unknown document is an error
        rows = dict(zip(other.ids, other._rows_of(self.columns), strict=True))
        values = tuple(rows.get(identity, row) for identity, row in zip(self.ids, self.values, strict=True))
        return StatsTable(self.ids, self.columns, values, self.attributes)

    def _rows_of(self, columns: tuple[str, ...]) -> Sequence[tuple[float, ...]]:
        """The rows with their columns in another order."""
        if columns == self.columns:
            return self.values
        if set(columns) != set(self.columns):
            differing = sorted(set(columns) ^ set(self.columns))
            raise UsageError(f"tables with different columns cannot be joined: {', '.join(differing)} in one only")
        at = [self.columns.index(name) for name in columns]
        return [tuple(row[place] for place in at) for row in self.values]

    def _take(self, rows: Sequence[int]) -> StatsTable:
        return StatsTable(
            tuple(self.ids[i] for i in rows),
            self.columns,
            tuple(self.values[i] for i in rows),
            {name: tuple(column[i] for i in rows) for name, column in self.attributes.items()},
        )


def value_key(value: AttributeValue) -> tuple[bool, AttributeValue]:
    """A key that distinguishes values: unlike in Python, true is not 1.

    >>> value_key(1) == value_key(1.0), value_key(1) == value_key(True)
    (True, False)
    """
    return isinstance(value, bool), value


def group_rows(
    values: Sequence[AttributeValue], ids: Sequence[str] | None = None
) -> list[tuple[AttributeValue, list[int]]]:
    """Every value and its places, in the order in which the values first appear, or of the first id of each.

    >>> group_rows(("nw", True, "nw", 1))
    [('nw', [0, 2]), (True, [1]), (1, [3])]
    >>> group_rows(("nw", "df", "df"), ("c", "b", "d"))
    [('df', [1, 2]), ('nw', [0])]
    """
    rows: dict[tuple[bool, AttributeValue], list[int]] = {}
    for place, value in enumerate(values):
        rows.setdefault(value_key(value), []).append(place)
    groups = list(rows.values())
    if ids is not None:  # so that the order of the documents does not matter
        groups.sort(key=lambda places: min(ids[place] for place in places))
    return [(values[places[0]], places) for places in groups]


def shared_documents(ids: Mapping[Any, tuple[str, ...]]) -> int:
    """The number of documents, which must be the same and in the same order for every system.

    >>> shared_documents({"A": ("d1", "d2"), "B": ("d1", "d2")})
    2
    """
    first, *others = ids
    for other in others:
        if ids[other] == ids[first]:
            continue
        differing = sorted(set(ids[other]) ^ set(ids[first]))
        why = f"{', '.join(differing[:10])} in one only" if differing else "the order differs"
        raise UsageError(f"{first} and {other} are not on the same documents: {why}")
    return len(ids[first])


def _refuse_not_finite(table: StatsTable) -> None:
    problems = [
        Problem(f"column {column} of document {identity} is {value}, not a finite number")
        for identity, row in zip(table.ids, table.values, strict=True)
        for column, value in zip(table.columns, row, strict=True)
        if not math.isfinite(value)
    ]
    if len(problems) > _SHOWN:
        problems[_SHOWN:] = [Problem(f"and {len(problems) - _SHOWN} more values that are not finite")]
    if problems:
        raise ValidationError(problems)


def cluster_names(field: str, ids: Sequence[str], values: Sequence[object]) -> tuple[str, ...]:
    """The cluster of every document by the value of a field; a document without one is its own cluster.

    >>> cluster_names("story", ("d1", "d2"), (7, None))
    ('story 7', 'document d2')
    """
    pairs = zip(ids, values, strict=True)
    return tuple(f"document {each}" if value is None else f"{field} {value}" for each, value in pairs)
