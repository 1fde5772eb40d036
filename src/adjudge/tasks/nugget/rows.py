"""Rows of counts, kept as bare numbers: as tuples they would be most of the memory of a large corpus."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

Row: TypeAlias = tuple[float, ...]


class Rows:
    """Rows of the same length, one for each document.

    >>> rows = Rows(2, [(1, 2)])
    >>> rows.append((0.5, 3))
    >>> list(rows), len(rows)
    ([(1.0, 2.0), (0.5, 3.0)], 2)
    >>> rows[1], rows.columns()[1]
    (array('d', [0.5, 3.0]), array('d', [2.0, 3.0]))
    """

    __slots__ = ("values", "width")

    def __init__(self, width: int, rows: Iterable[Sequence[float]] = ()) -> None:
        self.width = width
        self.values = array("d")
        for row in rows:
            self.append(row)

    def append(self, row: Sequence[float]) -> None:
        """Add a row."""
        if len(row) != self.width:
            raise ValueError(f"a row of {len(row)} numbers among rows of {self.width}")
        self.values.extend(row)

    def extend(self, later: Rows) -> None:
        """Add the rows of later documents."""
        self.values.extend(later.values)

    def __getitem__(self, place: int) -> array[float]:
        return self.values[place * self.width : (place + 1) * self.width]

    def columns(self) -> list[array[float]]:
        """The same numbers by column."""
        return [self.values[place :: self.width] for place in range(self.width)]

    def __len__(self) -> int:
        return len(self.values) // self.width

    def __iter__(self) -> Iterator[Row]:
        known: dict[float, float] = {}  # equal numbers are one object, since most counts are small
        return zip(*[map(known.setdefault, self.values, self.values)] * self.width, strict=True)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rows) and (self.width, self.values) == (other.width, other.values)

    __hash__ = None  # type: ignore[assignment]
