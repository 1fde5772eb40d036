"""Panels as charts in SVG, without any library: curves, areas of a plane, bars, notched boxes, steps and matrices.

A chart is made once and written twice: `inline` for a page, whose style sheet colours it by the classes of its parts,
for light and dark; and `standalone` as a file with its own colours on white. Colour is never the only sign: lines have
dashes and names at their ends, areas have hatchings and names, cells have numbers. Every text is escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from adjudge.report.plane import (
    INK,
    LINE,
    PAPER,
    SERIES,
    SOFT,
    Axis,
    Mark,
    Plot,
    apart,
    around,
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
from adjudge.stats.panel import Cell, Panel, PanelAxis

FONT = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"
WIDTH = 620.0
LARGE = 420.0
"""From this width on a narrow page scrolls a chart instead of making it smaller."""
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
LABELS = 40
"""Labels of marks on a chart, at most; all of them are in their titles."""
SAME, OTHER = 2, 1  # series: what agrees, and what does not
_SLANT = 0.707


class Chart(NamedTuple):
    """A drawing, not yet written; `name` keeps its ids apart from those of others on a page."""

    name: str
    title: str
    description: str
    width: float
    height: float
    body: str


def panel_chart(panel: Panel, systems: Sequence[str] = ()) -> Chart | None:
    """A panel as a chart; None if it is only a table. The name of a system has the colour of that system.

    >>> rows = (("gold paths", 4), ("relation missing", 1), ("found", 3))
    >>> chart = panel_chart(Panel(kind="steps", name="w", title="1 hop", header=("step", "paths"), rows=rows))
    >>> chart.body.count("<rect"), "relation missing: 1" in chart.body
    (3, True)
    """
    known = {name: place for place, name in enumerate(systems)}

    def series(name: str, place: int) -> int:
        return known.get(name, place)

    draw = _KINDS.get(panel.kind)
    if draw is None:
        return None
    width, height, parts = draw(panel, series)
    return Chart(panel.name, panel.title, described(panel), width, height, "".join(parts))


def cell_text(value: Cell, *, percent: bool = False) -> str:
    """A cell as people read it.

    >>> cell_text(0.125, percent=True), cell_text(12345), cell_text(0.25), cell_text(None), cell_text("a")
    ('12.5', '12,345', '0.25', '–', 'a')
    """
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if percent:
        return f"{100 * value:z.1f}"
    return f"{value:,}" if isinstance(value, int) or value == int(value) else f"{value:z.4g}"


def described(panel: Panel, most: int = 12) -> str:
    """What a chart shows, for readers who cannot see it."""
    rows = [
        f"{cell_text(row[0])} {', '.join(cell_text(each, percent=panel.percent) for each in row[1:7])}"
        for row in panel.rows[:most]
    ]
    more = f"; {len(panel.rows) - most} more rows" if len(panel.rows) > most else ""
    return "; ".join(rows) + more


def drawn(panels: Iterable[Panel], systems: Sequence[str]) -> dict[str, bytes]:
    """The panels that are charts as SVG files, by name."""
    charts = [panel_chart(each, systems) for each in panels]
    return {f"{chart.name}.svg": standalone(chart).encode() for chart in charts if chart is not None}


# ---------------------------------------------------------------------------------------------------------------------
# Writing


def inline(chart: Chart) -> str:
    """The chart for a page: an `svg` element with colours of its own only for old readers."""
    large = " large" if chart.width > LARGE else ""
    return (
        f'<svg class="chart{large}" role="img" viewBox="0 0 {px(chart.width)} {px(chart.height)}" '
        f'width="{px(chart.width)}" height="{px(chart.height)}" aria-label="{text(chart.title)}" '
        f'font-size="12" focusable="false"><desc>{text(chart.description)}</desc>{chart.body}</svg>'
    )


def standalone(chart: Chart) -> str:
    """The chart as a file: on white, with its title and a font that every program has.

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
# Curves and areas

_Series = Callable[[str, int], int]
_Drawn = tuple[float, float, list[str]]


def _axis(axis: PanelAxis) -> Axis:
    ticks = None
    if axis.down or (axis.low >= 1 and axis.low == int(axis.low) and axis.high == int(axis.high)):  # ranks, hops
        step = max(1, round((axis.high - axis.low) / 8))
        ticks = tuple(float(at) for at in range(1, int(axis.high) + 1, step))
    return Axis(axis.title, axis.low, axis.high, axis.factor, ticks, axis.down)


def _used(panel: Panel, plot: Plot) -> list[str]:
    rules = []
    for axis, draw in zip(panel.axes, (rule_up, rule_across), strict=True):
        if axis.used is not None:
            rules.append(draw(plot, axis.used, f"{axis.used:g}"))
    return rules


def _marks(panel: Panel) -> list[Mark]:
    labelled = len(panel.marks) <= LABELS
    return [Mark(*each.at, each.label if labelled else "", each.text, bool(each.label)) for each in panel.marks]


def _lines(panel: Panel, series: _Series) -> _Drawn:
    names = [each.name for each in panel.series]
    height = max(120.0 + 34 * len(names) if panel.axes[1].down else 340.0, 90 + 14.0 * len(names))
    height = min(height, max(420.0, 90 + 14.0 * len(names)))
    x, y = map(_axis, panel.axes)
    plot = Plot.inside(WIDTH, height, x, y, left=56, right=24 + room(names), top=36)
    marks = _marks(panel)
    parts = [frame(plot), *_used(panel, plot), *(drop(plot, mark) for mark in marks if mark.drops)]
    ends = []
    for place, each in enumerate(panel.series):
        own = series(each.name, place)
        dashes = DASHES[(own + own // len(SERIES)) % len(DASHES)]
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        shape = "".join("M" + "L".join(spot(*plot.at(*point)) for point in piece) for piece in each.pieces)
        parts.append(
            f'<path class="c-line {series_class(own)}" d="{shape}" fill="none" stroke="{colour(own)}" '
            f'stroke-width="2" stroke-linejoin="round"{dashed}><title>{text(each.name)}</title></path>'
        )
        last = each.pieces[-1] if each.pieces else ()
        ends.append(plot.at(*last[-1])[1] if last else plot.top)
    parts += [ring(plot, mark) for mark in marks]
    parts.append(labels_below(plot, marks))
    for place, (name, at) in enumerate(zip(names, apart(ends, 14, plot.top + 4, plot.bottom), strict=True)):
        own = series(name, place)
        parts.append(
            f'<text class="c-name {series_class(own)}" x="{px(plot.right + 8)}" y="{px(at + 4)}" '
            f'fill="{colour(own)}">{text(short(name))}</text>'
        )
    return WIDTH, height, parts


def _regions(panel: Panel, series: _Series) -> _Drawn:
    names = [each.name for each in panel.series]
    x, y = map(_axis, panel.axes)
    height = max(420.0, 84 + 22.0 * len(names))
    plot = Plot.inside(WIDTH, height, x, y, left=56, right=44 + room(names), top=36)
    parts, key, named = ["<defs>"], [], []
    for place, each in enumerate(panel.series):
        own, pattern = series(each.name, place), f"{text(panel.name)}-{place}"
        tone, tint = series_class(own), colour(own)
        parts.append(
            f'<pattern id="{pattern}" width="8" height="8" patternUnits="userSpaceOnUse">'
            f'<path class="c-line {tone}" d="{HATCHES[own % len(HATCHES)]}" fill="none" '
            f'stroke="{tint}" stroke-width="1.4" stroke-linecap="round"/></pattern>'
        )
        shape = "".join("M" + "L".join(spot(*plot.at(*point)) for point in piece) + "Z" for piece in each.pieces)
        key.append(
            f'<path class="c-area {tone}" d="{shape}" fill="{tint}" fill-opacity=".22" stroke="{tint}" '
            f'stroke-width="1.5"><title>{text(each.name)}</title></path>'
            f'<path d="{shape}" fill="url(#{pattern})" opacity=".55" pointer-events="none"/>'
        )
        top = plot.top + 22 * place
        box = f'x="{px(plot.right + 14)}" y="{px(top)}" width="18" height="14"'
        named.append(
            f'<rect class="c-area {tone}" {box} fill="{tint}" fill-opacity=".22" stroke="{tint}" stroke-width="1.5"/>'
            f'<rect {box} fill="url(#{pattern})" opacity=".7"/>'
            f'<text class="c-name {tone}" x="{px(plot.right + 38)}" y="{px(top + 11)}" fill="{tint}">'
            f"{text(short(each.name))}</text>"
        )
    parts += ["</defs>", *key, frame(plot, grid=False), *_used(panel, plot)]
    for mark in _marks(panel):
        parts += [ring(plot, mark), label_beside(plot, mark)]
    return WIDTH, height, parts + named


# ---------------------------------------------------------------------------------------------------------------------
# Rows of bars, boxes and steps


def _name(name: str, left: float, middle: float) -> str:
    return (
        f'<text class="c-ink" x="{px(left - 10)}" y="{px(middle + 4)}" text-anchor="end" fill="{INK}">'
        f"{text(short(name))}<title>{text(name)}</title></text>"
    )


def _value(value: Cell) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _bars(panel: Panel, series: _Series) -> _Drawn:
    rows, names = panel.rows, panel.header[1:]
    row, gap = 16.0, 10.0
    left = 24 + room(str(each[0]) for each in rows)
    most = max([1e-9, *(_value(value) for each in rows for value in each[1:])])
    scale = (WIDTH - left - 64) / most
    parts, y = [], 10.0
    for name, *values in rows:
        parts.append(_name(str(name), left, y + row * len(values) / 2))
        for column, value in enumerate(values):
            own = series(names[column], column) if len(values) > 1 else series(str(name), 0)
            told = cell_text(value, percent=panel.percent)
            said = f"{name}, {names[column]}: {told}"
            parts.append(
                f'<rect class="c-area {series_class(own)}" x="{px(left)}" y="{px(y)}" '
                f'width="{px(max(_value(value) * scale, 1))}" height="{px(row - 3)}" fill="{colour(own)}" '
                f'fill-opacity=".45" stroke="{colour(own)}"><title>{text(said)}</title></rect>'
                f'<text class="c-text" x="{px(left + _value(value) * scale + 6)}" y="{px(y + row / 2 + 3)}" '
                f'fill="{SOFT}">{text(told)}</text>'
            )
            y += row
        y += gap
    return WIDTH, y, parts


def _boxes(panel: Panel, series: _Series) -> _Drawn:
    row = 40.0
    numbers = [value for each in panel.rows for value in each[1:] if isinstance(value, int | float)]
    bounded = all(0 <= value <= 1 for value in numbers)
    low, high = around(numbers, floor=0.0 if bounded else None, ceiling=1.0 if bounded else None)
    x = Axis("in percent" if panel.percent else "", low, high, 100.0 if panel.percent else 1.0)
    number_of = max(len(panel.rows), 1)
    height = 26 + row * number_of + 46
    left = 24 + room(str(each[0]) for each in panel.rows)
    plot = Plot.inside(WIDTH, height, x, Axis("", 0, number_of, ticks=()), left=left, right=20, top=12, bottom=46)
    parts = [frame(plot)]
    for place, (name, score, *rest) in enumerate(panel.rows):
        if any(value is None for value in rest[:5]):
            continue
        ends = [_value(value) for value in rest]
        notch = ends[5:7] if len(ends) > 6 else [ends[2], ends[2]]
        middle = plot.top + plot.height * (place + 0.5) / number_of
        own = series(str(name), place)
        tone, tint = series_class(own), colour(own)
        from_, first, median, third, to, *waist = (plot.at(value, 0)[0] for value in (*ends[:5], *notch))
        up, in_ = 12.0, 6.0
        shape = (
            f"M{spot(first, middle - up)}L{spot(waist[0], middle - up)}L{spot(median, middle - in_)}"
            f"L{spot(waist[1], middle - up)}L{spot(third, middle - up)}L{spot(third, middle + up)}"
            f"L{spot(waist[1], middle + up)}L{spot(median, middle + in_)}L{spot(waist[0], middle + up)}"
            f"L{spot(first, middle + up)}Z"
        )
        said = f"{name}: {', '.join(cell_text(value, percent=panel.percent) for value in ends[:5])}"
        parts.append(
            f"<g><title>{text(said)}</title>{_name(str(name), plot.left, middle)}"
            f'<path class="c-line {tone}" d="M{spot(from_, middle)}H{px(first)}M{spot(third, middle)}H{px(to)}'
            f'M{spot(from_, middle - 6)}v12M{spot(to, middle - 6)}v12" fill="none" stroke="{tint}" stroke-width="1.5"/>'
            f'<path class="c-area {tone}" d="{shape}" fill="{tint}" fill-opacity=".22" stroke="{tint}" '
            f'stroke-width="1.5" stroke-linejoin="round"/>'
            f'<path class="c-median" d="M{spot(median, middle - in_)}v{px(2 * in_)}" stroke="{INK}" '
            f'stroke-width="2.5" fill="none"/>'
        )
        if score is not None:
            at = plot.at(_value(score), 0)[0]
            parts.append(
                f'<path class="c-dot" d="M{spot(at - 4, middle)}l4 -4l4 4l-4 4z" fill="{PAPER}" stroke="{INK}" '
                f'stroke-width="1.2"/>'
            )
        parts.append("</g>")
    return WIDTH, height, parts


def _steps(panel: Panel, _: _Series) -> _Drawn:
    """The total, what each step removes from the right end, and the rest."""
    row, gap, right = 24.0, 6.0, 60.0
    steps = [(str(each[0]), _value(each[1])) for each in panel.rows]
    left = 24 + room(label for label, _ in steps)
    scale = (WIDTH - left - right) / max([1.0, *(count for _, count in steps)])
    parts: list[str] = []
    reached = steps[0][1] if steps else 0.0
    for place, (label, count) in enumerate(steps):
        whole = place in (0, len(steps) - 1)
        start, end = (0.0, count) if whole else (reached - count, reached)
        y, own = 12 + (row + gap) * place, 0 if whole else 1
        told = cell_text(panel.rows[place][1], percent=panel.percent)
        parts.append(
            f"<g><title>{text(f'{label}: {told}')}</title>{_name(label, left, y + row / 2)}"
            f'<rect class="c-area {series_class(own)}" x="{px(left + start * scale)}" y="{px(y)}" '
            f'width="{px(max((end - start) * scale, 1.0))}" height="{px(row)}" fill="{colour(own)}" '
            f'fill-opacity="{".45" if whole else ".22"}" stroke="{colour(own)}" stroke-width="1"/>'
            f'<text class="c-text" x="{px(left + end * scale + 6)}" y="{px(y + row / 2 + 4)}" fill="{SOFT}">'
            f"{'' if whole else '−'}{text(told)}</text></g>"
        )
        if place + 1 < len(steps):
            # From where this bar leaves off to where the next one begins.
            at = left + (end if place == 0 else start) * scale
            parts.append(f'<path class="c-grid" d="M{spot(at, y + row)}v{px(gap)}" stroke="{LINE}" fill="none"/>')
        reached = end if place == 0 else start
    return WIDTH, 12 + (row + gap) * len(steps) + 8, parts


# ---------------------------------------------------------------------------------------------------------------------
# Matrices


def _matrix(panel: Panel, _: _Series) -> _Drawn:
    """Numbers in cells: shares the darker the larger, counts the larger their share of the row.

    Where row and column have the same name, they agree: such a cell has another colour and a frame.
    """
    columns, rows = panel.header[1:], [str(each[0]) for each in panel.rows]
    told = [[cell_text(value, percent=panel.percent) for value in each[1:]] for each in panel.rows]
    wide = max(38.0, 16 + 7.0 * max((len(each) for row in told for each in row), default=1))
    high, slant = 28.0, room(columns) * _SLANT
    left, top = 24 + room([*rows, panel.header[0] if panel.header else ""]), 22 + slant
    across, down = wide * len(columns), high * len(rows)
    width = max(left + across + 16, left + across - wide / 2 + slant + 16)
    parts = [
        f'<text class="c-text" x="{px(left - 10)}" y="{px(top - 10)}" text-anchor="end" fill="{SOFT}">'
        f"{text(panel.header[0] if panel.header else '')}</text>",
        # One ground for all cells, in lines: many of them may be empty.
        f'<path class="c-void" d="M{spot(left, top)}h{px(across)}v{px(down)}h{px(-across)}z" fill="{LINE}" '
        f'fill-opacity=".3"/>',
        '<path class="c-grid" d="'
        + "".join(f"M{spot(left + wide * at, top)}v{px(down)}" for at in range(1, len(columns)))
        + "".join(f"M{spot(left, top + high * at)}h{px(across)}" for at in range(1, len(rows)))
        + f'" stroke="{LINE}" fill="none"/>',
    ]
    for place, column in enumerate(columns):
        parts.append(
            f'<text class="c-text" transform="translate({spot(left + wide * (place + 0.5), top - 10)}) rotate(-45)" '
            f'fill="{SOFT}">{text(short(column))}<title>{text(column)}</title></text>'
        )
    for line, row in enumerate(rows):
        values = panel.rows[line][1:]
        y = top + high * line
        parts.append(_name(row, left, y + high / 2))
        total = 1.0 if panel.percent else sum(map(_value, values))
        for place, value in enumerate(values):
            if value is None or (not value and not panel.percent):
                continue
            same = not panel.percent and row == columns[place]
            own = 0 if panel.percent else SAME if same else OTHER
            share = min(max(_value(value) / (total or 1.0), 0.0), 1.0)
            x = left + wide * place
            of = "" if panel.percent else f" of {number(total)}"
            parts.append(
                f'<rect class="c-cell s{own}" x="{px(x + 1)}" y="{px(y + 1)}" width="{px(wide - 2)}" '
                f'height="{px(high - 2)}" fill="{SERIES[own]}" fill-opacity="{px(0.05 + 0.5 * share)}" '
                f'stroke="{SERIES[own]}" stroke-width="{"1.5" if same else "0"}">'
                f"<title>{text(f'{row}, {columns[place]}: {told[line][place]}{of}')}</title></rect>"
                f'<text class="c-ink" x="{px(x + wide / 2)}" y="{px(y + high / 2 + 4)}" text-anchor="middle" '
                f'fill="{INK}" pointer-events="none">{told[line][place]}</text>'
            )
    return width, top + down + 12, parts


_KINDS: dict[str, Callable[[Panel, _Series], _Drawn]] = {
    "lines": _lines,
    "regions": _regions,
    "bars": _bars,
    "boxes": _boxes,
    "steps": _steps,
    "matrix": _matrix,
}
