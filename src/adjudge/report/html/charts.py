"""Charts as SVG: lines, regions of a plane, heat maps and notched box plots, without any library.

A chart is made once and written twice: `inline` for a page, whose style sheet colours it by the classes of its parts,
for light and dark; and `standalone` as a file with its own colours on white. Colour is never the only sign: lines have
dashes and names at their ends, regions have hatchings and names, cells have numbers. Every text is escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from adjudge.report.html.charts_plot import (
    INK,
    LINE,
    PAPER,
    SERIES,
    SOFT,
    Axis,
    Mark,
    Plot,
    Point,
    apart,
    colour,
    drop,
    frame,
    label_beside,
    labels_below,
    number,
    px,
    ring,
    room,
    rule_across,
    rule_up,
    series_class,
    short,
    spot,
    text,
)

FONT = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"
WIDTH = 620.0
DASHES = ("", "7 3", "2 2.5", "9 3 2 3", "14 4", "4 2 1 2 1 2", "1 3")
HATCHES = (
    "M-2 2L2 -2M0 8L8 0M6 10L10 6",
    "M-2 6L2 10M0 0L8 8M6 -2L10 2",
    "M0 4H8",
    "M4 0V8",
    "M0 4H8M4 0V8",
    "M2 4h.01M6 8h.01M6 0h.01",
    "M0 8L4 4L8 8",
)


class Line(NamedTuple):
    """A curve of one series; the number of the series chooses its colour and dashes."""

    name: str
    series: int
    points: Sequence[Point]


class Region(NamedTuple):
    """A part of the plane that belongs to one series, in one or more polygons, and where its name could stand."""

    name: str
    series: int
    polygons: Sequence[Sequence[Point]]
    middle: Point | None = None


class Box(NamedTuple):
    """Whiskers, quartiles, median and notch of a distribution, and the value of the whole."""

    name: str
    series: int
    low: float
    first: float
    median: float
    third: float
    high: float
    notch: tuple[float, float]
    value: float | None = None


class Chart(NamedTuple):
    """A drawing, not yet written; `name` keeps its ids apart from those of others on a page."""

    name: str
    title: str
    description: str
    width: float
    height: float
    body: str


# ---------------------------------------------------------------------------------------------------------------------
# Writing


def inline(chart: Chart) -> str:
    """The chart for a page: an `svg` element without colours of its own but for old readers."""
    return (
        f'<svg class="chart" role="img" viewBox="0 0 {px(chart.width)} {px(chart.height)}" '
        f'width="{px(chart.width)}" height="{px(chart.height)}" aria-label="{text(chart.title)}" '
        f'font-size="12" focusable="false"><desc>{text(chart.description)}</desc>{chart.body}</svg>'
    )


def standalone(chart: Chart) -> str:
    """The chart as a file: on white, with its title and letters that every program has.

    >>> standalone(Chart("c", "a < b", "", 10, 10, "")).splitlines()[1][:62]
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 -34 64 44" '
    """
    top = 34
    height = chart.height + top
    width = max(chart.width, 24 + 8 * len(chart.title) if len(chart.title) <= 100 else 0)  # room for the title
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 -{top} {px(width)} {px(height)}" '
        f'width="{px(width)}" height="{px(height)}" role="img" font-family="{FONT}" font-size="12">\n'
        f"<title>{text(chart.title)}</title>\n<desc>{text(chart.description)}</desc>\n"
        f'<rect x="0" y="-{top}" width="{px(width)}" height="{px(height)}" fill="{PAPER}"/>\n'
        f'<text x="12" y="-12" fill="{INK}" font-size="14" font-weight="600">{text(chart.title)}</text>\n'
        f"{chart.body}</svg>\n"
    )


# ---------------------------------------------------------------------------------------------------------------------
# Charts


def line_chart(
    name: str,
    lines: Sequence[Line],
    x: Axis,
    y: Axis,
    *,
    title: str,
    description: str = "",
    rule: tuple[float, str] | None = None,
    marks: Sequence[Mark] = (),
    height: float = 340,
) -> Chart:
    """Curves with their names at their right ends; `rule` is a value of x that is in use.

    Marks are rings, and their labels stand below the axis if there is room.
    """
    plot = Plot.inside(WIDTH, height, x, y, left=56, right=24 + room(line.name for line in lines), top=36)
    parts = [frame(plot)]
    if rule is not None:
        parts.append(rule_up(plot, *rule))
    parts += [drop(plot, mark) for mark in marks if mark.drops]
    for line in lines:
        shape = "M" + "L".join(spot(*plot.at(*point)) for point in line.points)
        dashes = DASHES[(line.series + line.series // len(SERIES)) % len(DASHES)]
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        parts.append(
            f'<path class="c-line {series_class(line.series)}" d="{shape}" fill="none" stroke="{colour(line.series)}" '
            f'stroke-width="2" stroke-linejoin="round"{dashed}><title>{text(line.name)}</title></path>'
        )
    parts += [ring(plot, mark) for mark in marks]
    parts.append(labels_below(plot, marks))
    ends = [plot.at(*line.points[-1])[1] if line.points else plot.top for line in lines]
    for line, place in zip(lines, apart(ends, 14, plot.top + 4, plot.bottom), strict=True):
        parts.append(
            f'<text class="c-name {series_class(line.series)}" x="{px(plot.right + 8)}" y="{px(place + 4)}" '
            f'fill="{colour(line.series)}">{text(short(line.name))}</text>'
        )
    return Chart(name, title, description, WIDTH, height, "".join(parts))


def region_map(
    name: str,
    regions: Sequence[Region],
    x: Axis,
    y: Axis,
    *,
    title: str,
    description: str = "",
    rules: tuple[tuple[float, str], tuple[float, str]] | None = None,
    marks: Sequence[Mark] = (),
) -> Chart:
    """Who has which part of a plane; `rules` are the x and the y that are in use."""
    plot = Plot.inside(WIDTH, height := 420, x, y, left=56, right=44 + room(each.name for each in regions), top=36)
    used = list(dict.fromkeys(each.series for each in regions))
    parts = ["<defs>"]
    for series in used:
        parts.append(
            f'<pattern id="{text(name)}-{series}" width="8" height="8" patternUnits="userSpaceOnUse">'
            f'<path class="c-line {series_class(series)}" d="{HATCHES[series % len(HATCHES)]}" fill="none" '
            f'stroke="{colour(series)}" stroke-width="1.4" stroke-linecap="round"/></pattern>'
        )
    parts.append("</defs>")
    for region in regions:
        shape = "".join("M" + "L".join(spot(*plot.at(*point)) for point in each) + "Z" for each in region.polygons)
        said = f"<title>{text(region.name)}</title>"
        parts.append(
            f'<path class="c-area {series_class(region.series)}" d="{shape}" fill="{colour(region.series)}" '
            f'fill-opacity=".22" stroke="{colour(region.series)}" stroke-width="1.5">{said}</path>'
            f'<path d="{shape}" fill="url(#{text(name)}-{region.series})" opacity=".55" pointer-events="none"/>'
        )
    parts.append(frame(plot, grid=False))
    if rules is not None:
        parts.append(rule_up(plot, *rules[0]))
        parts.append(rule_across(plot, *rules[1]))
    for region in regions:
        if region.middle is not None:
            left, top = plot.at(*region.middle)
            parts.append(
                f'<text class="c-ink c-halo" x="{px(left)}" y="{px(top + 4)}" text-anchor="middle" fill="{INK}" '
                f'stroke="{PAPER}" stroke-width="4" stroke-linejoin="round" paint-order="stroke" font-weight="600">'
                f"{text(short(region.name))}</text>"
            )
    for mark in marks:
        parts.append(ring(plot, mark))
        parts.append(label_beside(plot, mark))
    first = {each.series: each.name for each in reversed(regions)}
    for place, series in enumerate(used):
        top = plot.top + 22 * place
        box = f'x="{px(plot.right + 14)}" y="{px(top)}" width="18" height="14"'
        parts.append(
            f'<rect class="c-area {series_class(series)}" {box} fill="{colour(series)}" fill-opacity=".22" '
            f'stroke="{colour(series)}" stroke-width="1.5"/>'
            f'<rect {box} fill="url(#{text(name)}-{series})" opacity=".7"/>'
            f'<text class="c-name {series_class(series)}" x="{px(plot.right + 38)}" y="{px(top + 11)}" '
            f'fill="{colour(series)}">{text(short(first[series]))}</text>'
        )
    return Chart(name, title, description, WIDTH, height, "".join(parts))


def heat_map(
    name: str,
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float | None]],
    *,
    title: str,
    description: str = "",
    factor: float = 100.0,
    corner: str = "",
) -> Chart:
    """A table of shares from 0 to 1: the larger the darker, with the number in the cell; None is an empty cell."""
    left, top, wide, high = 24 + room(rows), 34.0, max(58.0, 12 + room(columns)), 30.0
    width, height = left + wide * len(columns) + 16, top + high * len(rows) + 16
    parts = [f'<text class="c-text" x="12" y="{px(top - 12)}" fill="{SOFT}">{text(corner)}</text>']
    for place, column in enumerate(columns):
        middle = left + wide * (place + 0.5)
        parts.append(
            f'<text class="c-text" x="{px(middle)}" y="{px(top - 12)}" text-anchor="middle" fill="{SOFT}">'
            f"{text(short(column))}<title>{text(column)}</title></text>"
        )
    for line, row in enumerate(rows):
        y = top + high * line
        parts.append(
            f'<text class="c-ink" x="{px(left - 10)}" y="{px(y + high / 2 + 4)}" text-anchor="end" fill="{INK}">'
            f"{text(short(row))}<title>{text(row)}</title></text>"
        )
        for place, value in enumerate(values[line]):
            x = left + wide * place
            box = f'x="{px(x + 1)}" y="{px(y + 1)}" width="{px(wide - 2)}" height="{px(high - 2)}"'
            if value is None:
                parts.append(f'<rect class="c-void" {box} fill="{LINE}" fill-opacity=".4"/>')
                continue
            share = min(max(value, 0.0), 1.0)
            said = f"{row}, {columns[place]}: {number(value * factor)}"
            parts.append(
                f'<rect class="c-heat" {box} fill="{SERIES[0]}" fill-opacity="{px(0.04 + 0.5 * share)}">'
                f"<title>{text(said)}</title></rect>"
                f'<text class="c-ink" x="{px(x + wide / 2)}" y="{px(y + high / 2 + 4)}" text-anchor="middle" '
                f'fill="{INK}" pointer-events="none">{value * factor:.1f}</text>'
            )
    return Chart(name, title, description, width, height, "".join(parts))


def box_plot(
    name: str, boxes: Sequence[Box], x: Axis, *, title: str, description: str = "", width: float = 620
) -> Chart:
    """Notched boxes that lie below each other; a diamond is the value of the whole, if it is known."""
    row = 40.0
    y = Axis("", 0, max(len(boxes), 1), ticks=())
    height = 26 + row * max(len(boxes), 1) + 46
    plot = Plot.inside(width, height, x, y, left=24 + room(box.name for box in boxes), right=20, top=12, bottom=46)
    parts = [frame(plot)]
    for place, box in enumerate(boxes):
        middle = plot.top + plot.height * (place + 0.5) / len(boxes)
        ends = [plot.at(value, 0)[0] for value in (box.low, box.first, *box.notch, box.third, box.high, box.median)]
        low, first, from_, to, third, high, median = ends
        tone, series = colour(box.series), series_class(box.series)
        up, waist = 12.0, 6.0
        shape = (
            f"M{spot(first, middle - up)}L{spot(from_, middle - up)}L{spot(median, middle - waist)}"
            f"L{spot(to, middle - up)}L{spot(third, middle - up)}L{spot(third, middle + up)}L{spot(to, middle + up)}"
            f"L{spot(median, middle + waist)}L{spot(from_, middle + up)}L{spot(first, middle + up)}Z"
        )
        numbers = ", ".join(number(v * x.factor, 1) for v in (box.low, box.first, box.median, box.third, box.high))
        parts.append(
            f"<g><title>{text(f'{box.name}: {numbers}')}</title>"
            f'<text class="c-ink" x="{px(plot.left - 10)}" y="{px(middle + 4)}" text-anchor="end" fill="{INK}">'
            f"{text(short(box.name))}</text>"
            f'<path class="c-line {series}" d="M{spot(low, middle)}H{px(first)}M{spot(third, middle)}H{px(high)}'
            f'M{spot(low, middle - 6)}v12M{spot(high, middle - 6)}v12" fill="none" stroke="{tone}" '
            f'stroke-width="1.5"/>'
            f'<path class="c-area {series}" d="{shape}" fill="{tone}" fill-opacity=".22" stroke="{tone}" '
            f'stroke-width="1.5" stroke-linejoin="round"/>'
            f'<path class="c-median" d="M{spot(median, middle - waist)}v{px(2 * waist)}" stroke="{INK}" '
            f'stroke-width="2.5" fill="none"/>'
        )
        if box.value is not None:
            at = plot.at(box.value, 0)[0]
            parts.append(
                f'<path class="c-dot" d="M{spot(at - 4, middle)}l4 -4l4 4l-4 4z" fill="{PAPER}" stroke="{INK}" '
                f'stroke-width="1.2"/>'
            )
        parts.append("</g>")
    return Chart(name, title, description, width, height, "".join(parts))
