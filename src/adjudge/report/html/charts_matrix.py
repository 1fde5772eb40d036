"""A matrix of counts, gold in rows and a system in columns. Every text is escaped."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.report.html.charts import Chart
from adjudge.report.html.charts_plot import INK, LINE, SERIES, SOFT, px, room, short, spot, text

SAME, OTHER = 2, 1  # series: what agrees, and what does not
_SLANT = 0.707


def confusion_matrix(
    name: str,
    rows: Sequence[str],
    columns: Sequence[str],
    counts: Sequence[Sequence[int]],
    *,
    title: str,
    description: str = "",
    corner: str = "gold",
) -> Chart:
    """Counts in cells, the darker the larger their share of the row; what agrees has another colour, and a frame.

    >>> chart = confusion_matrix("m", ["a", "b"], ["a", "b"], [[3, 1], [0, 2]], title="Types")
    >>> "a as b: 1 of 4" in chart.body, chart.body.count("<rect")
    (True, 3)
    """
    wide = max(38.0, 16 + 7.0 * max((len(str(count)) for row in counts for count in row), default=1))
    high, slant = 28.0, room(columns) * _SLANT
    left, top = 24 + room(rows), 22 + slant
    width = max(left + wide * len(columns) + 16, left + wide * (len(columns) - 0.5) + slant + 16)
    height = top + high * len(rows) + 12
    parts = [f'<text class="c-text" x="{px(left - 10)}" y="{px(top - 10)}" text-anchor="end" fill="{SOFT}">'
             f"{text(corner)}</text>"]  # fmt: skip
    # One ground for all cells, in lines: most of them are empty.
    wholes = f"M{spot(left, top)}h{px(wide * len(columns))}v{px(high * len(rows))}h{px(-wide * len(columns))}z"
    up = "".join(f"M{spot(left + wide * at, top)}v{px(high * len(rows))}" for at in range(1, len(columns)))
    across = "".join(f"M{spot(left, top + high * at)}h{px(wide * len(columns))}" for at in range(1, len(rows)))
    parts.append(f'<path class="c-void" d="{wholes}" fill="{LINE}" fill-opacity=".3"/>')
    parts.append(f'<path class="c-grid" d="{up}{across}" stroke="{LINE}" fill="none"/>')
    for place, column in enumerate(columns):
        x = left + wide * (place + 0.5)
        parts.append(
            f'<text class="c-text" transform="translate({spot(x, top - 10)}) rotate(-45)" fill="{SOFT}">'
            f"{text(short(column))}<title>{text(column)}</title></text>"
        )
    for line, row in enumerate(rows):
        y, total = top + high * line, sum(counts[line])
        parts.append(
            f'<text class="c-ink" x="{px(left - 10)}" y="{px(y + high / 2 + 4)}" text-anchor="end" fill="{INK}">'
            f"{text(short(row))}<title>{text(row)}</title></text>"
        )
        for place, count in enumerate(counts[line]):
            x, same = left + wide * place, line == place
            series = SAME if same else OTHER
            box = f'x="{px(x + 1)}" y="{px(y + 1)}" width="{px(wide - 2)}" height="{px(high - 2)}"'
            if not count:
                continue
            share = count / total
            said = f"{row} as {columns[place]}: {count:,} of {total:,}"
            parts.append(
                f'<rect class="c-cell s{series}" {box} fill="{SERIES[series]}" '
                f'fill-opacity="{px(0.08 + 0.5 * share)}" stroke="{SERIES[series]}" '
                f'stroke-width="{"1.5" if same else "0"}"><title>{text(said)}</title></rect>'
                f'<text class="c-ink" x="{px(x + wide / 2)}" y="{px(y + high / 2 + 4)}" text-anchor="middle" '
                f'fill="{INK}" pointer-events="none">{count}</text>'
            )
    return Chart(name, title, description, width, height, "".join(parts))
