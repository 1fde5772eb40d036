"""The parts of charts: the plane with its axes, marks and labels, names and numbers. Every text is escaped."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import NamedTuple, TypeAlias

Point: TypeAlias = tuple[float, float]

SERIES = ("#0072b2", "#d55e00", "#009e73", "#b0539a", "#b8860b", "#3a9ad9", "#7a4b2a", "#4d5560")
"""Colours of things that are told apart: the palette of Okabe and Ito, some darker so that thin lines can be seen."""
INK, SOFT, LINE, PAPER = "#1f2328", "#5c6470", "#dcdfe3", "#ffffff"
NAME = 22
"""Letters of a name that a chart shows; the whole name is in the title of its line or box."""

_LETTER = 7.2  # the width of a letter of 12 pixels in a wide font, roughly
_OBEYED = re.compile("[^\t\n\r\x20-\x7e\xa0-\u2029\u202f-\u2065\u206a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Axis(NamedTuple):
    """What is drawn along one side: values from `low` to `high`, each shown `factor` times as large.

    `down` puts low values on top.
    """

    label: str
    low: float
    high: float
    factor: float = 1.0
    ticks: tuple[float, ...] | None = None
    down: bool = False


class Mark(NamedTuple):
    """A notable point, with its label at the axis and its tooltip.

    A thin line leads down to the axis if it `drops`.
    """

    x: float
    y: float
    label: str = ""
    said: str = ""
    drops: bool = True


def text(value: str) -> str:
    r"""A text as it may stand in XML, between tags or in an attribute.

    What XML does not have, and what would turn the direction of others around, becomes a sign for it.

    >>> text('<b> & "c" \x00')
    '&lt;b&gt; &amp; &quot;c&quot; \ufffd'
    """
    return escape(_OBEYED.sub("\ufffd", value))


def short(name: str, letters: int = NAME) -> str:
    """A name, shortened to a number of characters.

    >>> short("a system with a very long name")
    'a system with a very …'
    """
    return name if len(name) <= letters else name[: letters - 1] + "…"


def nice_ticks(low: float, high: float, *, about: int = 6) -> list[float]:
    """Round values between two ends, a handful of them.

    >>> nice_ticks(0, 1), nice_ticks(0.13, 0.38)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.15, 0.2, 0.25, 0.3, 0.35])
    """
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return [low] if math.isfinite(low) else []
    rough = (high - low) / max(about, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next((size * power for size in (1, 2, 5) if size * power >= rough * 0.95), 10 * power)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    most = max(0, 1 - math.floor(math.log10(step)))
    return [round(place * step, most) + 0.0 for place in range(first, last + 1)]


def around(values: Iterable[float], *, floor: float | None = None, ceiling: float | None = None) -> tuple[float, float]:
    """The ends of an axis with room for all values and a little space around them.

    >>> around([0.2, 0.4])
    (0.19, 0.41)
    >>> around([0.01, 0.4], floor=0.0), around([])
    ((0.0, 0.4195), (0.0, 1.0))
    """
    known = [value for value in values if math.isfinite(value)]
    if not known:
        return 0.0, 1.0
    low, high = min(known), max(known)
    space = 0.05 * (high - low) or 0.05
    low, high = low - space, high + space
    if floor is not None:
        low = max(low, floor)
    if ceiling is not None:
        high = min(high, ceiling)
    return round(low, 9), round(max(high, low + 1e-6), 9)


class Plot(NamedTuple):
    """The rectangle of the values."""

    left: float
    top: float
    width: float
    height: float
    x: Axis
    y: Axis

    @staticmethod
    def inside(
        width: float,
        height: float,
        x: Axis,
        y: Axis,
        *,
        left: float,
        right: float,
        top: float,
        bottom: float = 48,
    ) -> Plot:
        """The drawing without its margins; never empty."""
        return Plot(left, top, max(width - left - right, 60), max(height - top - bottom, 40), x, y)

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """Its bottom edge."""
        return self.top + self.height

    def at(self, x: float, y: float) -> Point:
        """The position of two values."""
        across = (x - self.x.low) / ((self.x.high - self.x.low) or 1.0)
        up = (y - self.y.low) / ((self.y.high - self.y.low) or 1.0)
        return self.left + self.width * across, self.top + self.height * (up if self.y.down else 1 - up)


def frame(plot: Plot, *, grid: bool = True) -> str:
    """Both axes with their ticks and labels."""
    parts = []
    ticks = _ticks(plot.x)
    show = _format(ticks, plot.x.factor)
    for tick in ticks:
        x, _ = plot.at(tick, plot.y.low)
        if grid:
            parts.append(
                f'<path class="c-grid" d="M{spot(x, plot.top)}V{px(plot.bottom)}" stroke="{LINE}" fill="none"/>'
            )
        parts.append(stroke("c-axis", f"M{spot(x, plot.bottom)}v4", SOFT))
        parts.append(words(show(tick), x, plot.bottom + 17, anchor="middle"))
    ticks = _ticks(plot.y)
    show = _format(ticks, plot.y.factor)
    for tick in ticks:
        _, y = plot.at(plot.x.low, tick)
        if grid:
            parts.append(
                f'<path class="c-grid" d="M{spot(plot.left, y)}H{px(plot.right)}" stroke="{LINE}" fill="none"/>'
            )
        parts.append(stroke("c-axis", f"M{spot(plot.left, y)}h-4", SOFT))
        parts.append(words(show(tick), plot.left - 8, y + 4, anchor="end"))
    parts.append(stroke("c-axis", f"M{spot(plot.left, plot.top)}V{px(plot.bottom)}H{px(plot.right)}", SOFT))
    if plot.x.label:
        parts.append(words(plot.x.label, plot.left + plot.width / 2, plot.bottom + 37, anchor="middle"))
    if plot.y.label:
        parts.append(words(plot.y.label, 12, plot.top - 20))
    return "".join(parts)


def stroke(name: str, shape: str, colour: str) -> str:
    """A line of any shape."""
    return f'<path class="{name}" d="{shape}" stroke="{colour}" fill="none"/>'


def words(said: str, x: float, y: float, *, anchor: str = "start", size: int = 12) -> str:
    """Words in the colour of axes."""
    return (
        f'<text class="c-text" x="{px(x)}" y="{px(y)}" text-anchor="{anchor}" fill="{SOFT}" font-size="{size}">'
        f"{text(said)}</text>"
    )


def rule_up(plot: Plot, value: float, label: str) -> str:
    """A line through all values of y for one of x."""
    x, _ = plot.at(value, plot.y.low)
    line = stroke("c-rule", f"M{spot(x, plot.top - 6)}V{px(plot.bottom)}", INK)
    return line + words(label, x + 4, plot.top - 4, size=11)


def rule_across(plot: Plot, value: float, label: str) -> str:
    """A line through all values of x for one of y."""
    _, y = plot.at(plot.x.low, value)
    line = stroke("c-rule", f"M{spot(plot.left, y)}H{px(plot.right + 6)}", INK)
    return line + words(label, plot.right + 8, y + 4, size=11)


def ring(plot: Plot, mark: Mark) -> str:
    """A mark as a ring."""
    x, y = plot.at(mark.x, mark.y)
    return (
        f'<circle class="c-ring" cx="{px(x)}" cy="{px(y)}" r="4" fill="{PAPER}" stroke="{INK}" stroke-width="1.5">'
        f"<title>{text(mark.said or mark.label)}</title></circle>"
    )


def drop(plot: Plot, mark: Mark) -> str:
    """A thin line from a mark down to the axis."""
    x, y = plot.at(mark.x, mark.y)
    return (
        f'<path class="c-drop" d="M{spot(x, y)}V{px(plot.bottom)}" stroke="{SOFT}" stroke-width="1" '
        f'stroke-dasharray="1 3" fill="none"/>'
    )


def label_beside(plot: Plot, mark: Mark) -> str:
    """The label of a mark, next to it."""
    if not mark.label:
        return ""
    x, y = plot.at(mark.x, mark.y)
    # Towards the middle, so that no label leaves the plane.
    right = x < plot.left + plot.width * 0.75
    up = y > plot.top + 20
    return (
        f'<text class="c-ink c-halo" x="{px(x + (8 if right else -8))}" y="{px(y - 7 if up else y + 15)}" '
        f'text-anchor="{"start" if right else "end"}" fill="{INK}" stroke="{PAPER}" stroke-width="3" '
        f'stroke-linejoin="round" paint-order="stroke" font-size="11">{text(mark.label)}</text>'
    )


def labels_below(plot: Plot, marks: Sequence[Mark]) -> str:
    """Labels of marks, upright along the axis; one that has no room is left to its title."""
    parts, last = [], -math.inf
    for mark in sorted(marks, key=lambda each: each.x):
        x, _ = plot.at(mark.x, mark.y)
        if not mark.label or x - last < 12:
            continue
        last = x
        parts.append(
            f'<text class="c-ink c-halo" transform="translate({px(x + 4)} {px(plot.bottom - 6)}) rotate(-90)" '
            f'fill="{INK}" stroke="{PAPER}" stroke-width="3" stroke-linejoin="round" paint-order="stroke" '
            f'font-size="11">{text(mark.label)}</text>'
        )
    return "".join(parts)


def apart(places: Sequence[float], least: float, low: float, high: float) -> list[float]:
    """Positions kept apart, each as near as possible to where it was, from top to bottom."""
    order = sorted(range(len(places)), key=lambda at: places[at])
    found = list(places)
    before = low - least
    for at in order:
        found[at] = before = max(places[at], before + least)
    after = max(high, low + least * (len(places) - 1)) + least
    for at in reversed(order):
        found[at] = after = min(found[at], after - least)
    return found


def _ticks(axis: Axis) -> Sequence[float]:
    if axis.ticks is not None:
        return axis.ticks
    return [tick / axis.factor for tick in nice_ticks(axis.low * axis.factor, axis.high * axis.factor)]


def _format(ticks: Sequence[float], factor: float) -> Callable[[float], str]:
    most = max((len(number(tick * factor).partition(".")[2]) for tick in ticks), default=0)

    def show(tick: float) -> str:
        return f"{tick * factor:z.{most}f}"

    return show


def number(value: float, digits: int = 6) -> str:
    """A number without trailing zeros.

    >>> number(20.0), number(0.125), number(0.125, 2)
    ('20', '0.125', '0.12')
    """
    return f"{value:z.{digits}f}".rstrip("0").rstrip(".") if digits else f"{value:z.0f}"


def room(names: Iterable[str]) -> float:
    """The width of the longest name as it is shown."""
    return _LETTER * max((len(short(name)) for name in names), default=0)


def series_class(number: int) -> str:
    """The class by which a page colours a series."""
    return f"s{number % len(SERIES)}"


def colour(number: int) -> str:
    """The colour of a series outside a page."""
    return SERIES[number % len(SERIES)]


def spot(x: float, y: float) -> str:
    """Two coordinates."""
    return f"{px(x)} {px(y)}"


def px(value: float) -> str:
    """A coordinate: two digits are more than a screen has."""
    return f"{value:z.2f}".rstrip("0").rstrip(".") if math.isfinite(value) else "0"
