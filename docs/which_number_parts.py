"""What an example of docs/which-number.md consists of."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple


class Row(NamedTuple):
    """A line of a table: a metric of the result of a command, or what it prints (a pattern with named groups).

    Where a table has a column for each system, `part` is what stands in it.
    """

    label: str
    command: str
    metric: str = ""
    best: bool = False
    printed: str = ""
    part: str = "f1"


class Field(NamedTuple):
    """A section: what the example is, its files (of which the page prints some), its rows, and why they differ.

    The columns are parts of the scores, or the `systems` with their headings.
    """

    name: str
    title: str
    story: str
    files: Mapping[str, str]
    rows: tuple[Row, ...]
    why: str
    shown: tuple[str, ...] = ()
    parts: tuple[str, ...] = ("precision", "recall", "f1")
    systems: Mapping[str, str] = {}


def lines(values: Iterable[Any]) -> str:
    """JSON lines."""
    return "".join(json.dumps(value) + "\n" for value in values)
