"""Tables and charts of a task as data, saved with a result and drawn by the page.

A panel always has its numbers as `rows` under a `header`: they are the table below the chart, and most kinds of charts
are made of them. Only what rows cannot hold (curves, areas of a plane) is in `series`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from adjudge.errors import FormatError

Cell: TypeAlias = str | int | float | None
Point: TypeAlias = tuple[float, float]
Kind: TypeAlias = Literal["table", "lines", "regions", "bars", "boxes", "steps", "matrix"]

BOX = ("score", "low", "first quartile", "median", "third quartile", "high", "notch from", "notch to")
"""The columns of a panel of boxes, behind the name."""


class PanelAxis(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An axis of a chart: its title, its ends, and the value in use, if there is one.

    With `factor` 100 fractions are drawn as percent; a `down` axis has its low end at the top, as ranks do.
    """

    title: str
    low: float
    high: float
    factor: float = 1.0
    down: bool = False
    used: float | None = None


class PanelSeries(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A curve, or an area of one or more polygons; the name of a system gives it that system's colour."""

    name: str
    pieces: tuple[tuple[Point, ...], ...]


class PanelMark(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A labelled point of a chart."""

    at: Point
    label: str = ""
    text: str = ""


class Panel(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One table or chart. What its rows are depends on the kind:

    - `table`: anything.
    - `lines`, `regions`: a table of the `series`, which are drawn on two `axes`, with `marks`.
    - `bars`: a name, then a number for each column of the header.
    - `boxes`: a name and the numbers that `BOX` names; the last two may be missing.
    - `steps`: a name and a number, all at first, what each step takes away, and what is left; more columns are shown.
    - `matrix`: a name, then a number or None for each column of the header.

    Fractions are shown as percent if `percent` is set. `system` is the system whose panel this is, if it is one's;
    `name` is short, for addresses and names of files; `most` says in words how many of how many rows are shown.
    """

    kind: Kind
    name: str
    title: str
    caption: str = ""
    header: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    percent: bool = False
    axes: tuple[PanelAxis, ...] = ()
    series: tuple[PanelSeries, ...] = ()
    marks: tuple[PanelMark, ...] = ()
    system: str = ""
    most: str = ""


def check_panel(panel: Panel) -> None:
    """Raise unless the panel can be drawn.

    >>> check_panel(Panel(kind="steps", name="lost", title="Lost paths", header=("step", "paths"), rows=(("all", 4),)))
    >>> check_panel(Panel(kind="lines", name="beta", title="Score over beta"))
    Traceback (most recent call last):
    adjudge.errors.FormatError: the panel 'beta' has 0 axes, lines need 2
    """
    if panel.kind in ("lines", "regions"):
        if len(panel.axes) != 2:
            raise FormatError(f"the panel {panel.name!r} has {len(panel.axes)} axes, {panel.kind} need 2")
    elif panel.kind != "table":
        needed = {"steps": 2, "boxes": 7}.get(panel.kind, 1)
        for row in panel.rows:
            numbers = row[1 : len(panel.header) if panel.kind in ("bars", "matrix", "boxes") else 2]
            if len(row) < needed or any(isinstance(cell, str) for cell in numbers):
                raise FormatError(f"the panel {panel.name!r} has a row that is not a name and numbers: {row[:4]}")
    if any(len(row) != len(panel.header) for row in panel.rows):
        raise FormatError(f"the panel {panel.name!r} has a row that is not as long as its header")
