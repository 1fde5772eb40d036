"""What results that are built, saved or printed without numpy need: counts as plain data, values of fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from adjudge.errors import UsageError

AttributeValue: TypeAlias = str | int | float | bool | None


class TableData(msgspec.Struct, frozen=True):
    """A table as it stands in a saved result."""

    ids: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    attributes: dict[str, tuple[AttributeValue, ...]]


def value_key(value: AttributeValue) -> tuple[bool, AttributeValue]:
    """What tells two values apart: unlike for Python, true is not 1.

    >>> value_key(1) == value_key(1.0), value_key(1) == value_key(True)
    (True, False)
    """
    return isinstance(value, bool), value


def same_value(one: AttributeValue, other: AttributeValue) -> bool:
    """Whether two values are one value of an attribute."""
    return value_key(one) == value_key(other)


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
    if ids is not None:  # and then the order of the documents changes nothing
        groups.sort(key=lambda places: min(ids[place] for place in places))
    return [(values[places[0]], places) for places in groups]


def check_level(level: float) -> float:
    """A confidence level strictly between 0 and 1.

    >>> check_level(0.95)
    0.95
    """
    if not 0 < level < 1:
        raise UsageError(f"a level of {level:g} is not between 0 and 1", hint="0.95 stands for 95 %")
    return level
