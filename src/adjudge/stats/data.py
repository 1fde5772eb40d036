"""A table of counts as plain data, for results that are built, saved or printed without numpy."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

AttributeValue: TypeAlias = str | int | float | bool | None


class TableData(msgspec.Struct, frozen=True):
    """A table as it stands in a saved result."""

    ids: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    attributes: dict[str, tuple[AttributeValue, ...]]
