"""More charts: what is lost step by step, and values with their intervals. Every text is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from adjudge.report.html.charts import Chart
from adjudge.report.html.charts_plot import (
    INK,
    LINE,
    PAPER,
    SOFT,
    Axis,
    Plot,
    colour,
    frame,
    number,
    px,
    room,
    series_class,
    short,
    spot,
    text,
)

KEPT, GONE = 0, 1  # series: what there is at the beginning and at the end, and what is lost


class Range(NamedTuple):
    """A value with its interval, if it has one."""

    name: str
    series: int
    value: float
    low: float | None = None
    high: float | None = None


def waterfall(
    name: str, steps: Sequence[tuple[str, int]], *, title: str, description: str = "", width: float = 520
) -> Chart:
    """Bars below each other: all, what each step takes away from the right end, and what is left.

    The first and the last step are whole bars from 0; those between hang where the one before ends.

    >>> chart = waterfall("w", [("gold paths", 4), ("relation missing", 1), ("found", 3)], title="1 hop")
    >>> chart.body.count("<rect"), "relation missing: 1" in chart.body
    (3, True)
    """
    row, gap = 24.0, 6.0
    left, right = 24 + room(label for label, _ in steps), 60.0
    height = 12 + (row + gap) * len(steps) + 8
    most = max([1, *(count for _, count in steps)])
    scale = (width - left - right) / most
    parts = []
    reached = float(steps[0][1]) if steps else 0.0
    for place, (label, count) in enumerate(steps):
        whole = place in (0, len(steps) - 1)
        end = float(count) if whole else reached
        start = 0.0 if whole else reached - count
        y = 12 + (row + gap) * place
        series = KEPT if whole else GONE
        x, size = left + start * scale, max((end - start) * scale, 1.0)
        parts.append(
            f"<g><title>{text(f'{label}: {count:,}')}</title>"
            f'<text class="c-ink" x="{px(left - 10)}" y="{px(y + row / 2 + 4)}" text-anchor="end" fill="{INK}">'
            f"{text(short(label))}</text>"
            f'<rect class="c-area {series_class(series)}" x="{px(x)}" y="{px(y)}" width="{px(size)}" '
            f'height="{px(row)}" fill="{colour(series)}" fill-opacity="{".45" if whole else ".22"}" '
            f'stroke="{colour(series)}" stroke-width="1"/>'
            f'<text class="c-text" x="{px(left + end * scale + 6)}" y="{px(y + row / 2 + 4)}" fill="{SOFT}">'
            f"{'' if whole else '−'}{count:,}</text></g>"
        )
        if place + 1 < len(steps):
            # From where this bar leaves off to where the next one begins.
            at = left + (end if place == 0 else start) * scale
            parts.append(f'<path class="c-grid" d="M{spot(at, y + row)}v{px(gap)}" stroke="{LINE}" fill="none"/>')
        reached = end if place == 0 else start
    return Chart(name, title, description, width, height, "".join(parts))


def range_plot(
    name: str, ranges: Sequence[Range], x: Axis, *, title: str, description: str = "", width: float = 620
) -> Chart:
    """Values below each other, each a dot on the line of its interval.

    >>> chart = range_plot("r", [Range("A", 0, 0.5, 0.4, 0.6)], Axis("F1", 0, 1, factor=100), title="F1")
    >>> "A: 50 [40, 60]" in chart.body
    True
    """
    row = 40.0
    y = Axis("", 0, max(len(ranges), 1), ticks=())
    height = 26 + row * max(len(ranges), 1) + 46
    plot = Plot.inside(width, height, x, y, left=24 + room(each.name for each in ranges), right=20, top=12, bottom=46)
    parts = [frame(plot)]
    for place, each in enumerate(ranges):
        middle = plot.top + plot.height * (place + 0.5) / len(ranges)
        said = f"{each.name}: {number(each.value * x.factor, 1)}"
        line = ""
        if each.low is not None and each.high is not None:
            said += f" [{number(each.low * x.factor, 1)}, {number(each.high * x.factor, 1)}]"
            low, high = (plot.at(min(max(end, x.low), x.high), 0)[0] for end in (each.low, each.high))
            line = (
                f'<path class="c-line {series_class(each.series)}" d="M{spot(low, middle)}H{px(high)}'
                f'M{spot(low, middle - 6)}v12M{spot(high, middle - 6)}v12" fill="none" '
                f'stroke="{colour(each.series)}" stroke-width="2"/>'
            )
        at = plot.at(each.value, 0)[0]
        parts.append(
            f"<g><title>{text(said)}</title>"
            f'<text class="c-ink" x="{px(plot.left - 10)}" y="{px(middle + 4)}" text-anchor="end" fill="{INK}">'
            f"{text(short(each.name))}</text>{line}"
            f'<path class="c-dot" d="M{spot(at - 4, middle)}l4 -4l4 4l-4 4z" fill="{PAPER}" stroke="{INK}" '
            f'stroke-width="1.2"/></g>'
        )
    return Chart(name, title, description, width, height, "".join(parts))
