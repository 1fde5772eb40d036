"""Panels as charts: where things stand, what is said of them, and that every text is escaped."""

import re
from xml.etree import ElementTree

import pytest

from adjudge.report.charts import drawn, inline, panel_chart, standalone
from adjudge.report.plane import SERIES
from adjudge.stats.panel import BOX, Panel, PanelAxis, PanelMark, PanelSeries

UNIT = PanelAxis(title="", low=0, high=1)


def lines(*series, axes=(UNIT, UNIT), **more):
    return Panel(kind="lines", name="l", title="t", axes=axes, series=series, **more)


def curve(name, *points):
    return PanelSeries(name=name, pieces=(points,))


def places(chart, kind="c-line"):
    (shape,) = re.findall(rf'class="{kind}[^"]*" d="M([^"]+)"', chart.body)
    return [tuple(map(float, point.split())) for point in shape.split("L")]


def test_lines_stand_where_their_values_are():
    first, last = places(panel_chart(lines(curve("A", (0, 0), (1, 1)))))
    assert (first[0] < last[0], first[1] > last[1]) == (True, True)
    turned = PanelAxis(title="rank", low=1, high=3, down=True)
    ranks = panel_chart(lines(curve("A", (0, 1), (1, 3)), axes=(UNIT, turned)))
    first, last = places(ranks)
    assert first[1] < last[1]
    assert all(f">{rank}</text>" in ranks.body for rank in (1, 2, 3))


def test_a_system_has_one_colour_everywhere():
    steps = Panel(
        kind="boxes", name="b", title="t", header=("system", *BOX[:6]), rows=(("B", 0.5, 0.1, 0.2, 0.3, 0.4, 0.9),)
    )
    for panel in (lines(curve("B", (0, 0), (1, 1))), steps):
        assert f'stroke="{SERIES[1]}"' in panel_chart(panel, ["A", "B"]).body


def test_forty_lines_have_room_for_their_names():
    chart = panel_chart(lines(*(curve(f"s{n}", (0, 0), (1, 0.5)) for n in range(40))))
    tops = [float(y) for y in re.findall(r'class="c-name[^"]*" x="[\d.]+" y="([\d.]+)"', chart.body)]
    assert len(tops) == 40
    assert max(tops) < chart.height
    assert min(b - a for a, b in zip(sorted(tops), sorted(tops)[1:], strict=False)) >= 13.9


def test_marks_and_the_values_in_use():
    mark = PanelMark(at=(0.5, 0.25), label="0.5", text="A and B meet")
    chart = panel_chart(
        lines(curve("A", (0, 0), (1, 1)), marks=(mark,), axes=(PanelAxis(title="x", low=0, high=1, used=0.3), UNIT))
    )
    assert "<title>A and B meet</title>" in chart.body
    assert 'class="c-rule"' in chart.body
    many = lines(curve("A", (0, 0)), marks=(mark,) * 41)
    assert panel_chart(many).body.count(">0.5</text>") == 0


def test_steps_hang_where_the_one_before_ends():
    rows = (("gold <paths>", 10), ("a", 4), ("b", 1), ("found", 5))
    chart = panel_chart(Panel(kind="steps", name="w", title="t", header=("step", "paths"), rows=rows))
    bars = [
        tuple(map(float, found))
        for found in re.findall(r'<rect [^>]*x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', chart.body)
    ]
    ends = [x + width for x, width in bars]
    assert bars[0][0] == bars[3][0]
    assert ends[1] == pytest.approx(ends[0], abs=0.02)
    assert ends[2] == pytest.approx(bars[1][0], abs=0.02)
    assert ends[3] == pytest.approx(bars[2][0], abs=0.02)
    assert "gold &lt;paths&gt;: 10" in chart.body


def test_numbers_of_matrices_bars_and_boxes():
    matrix = Panel(kind="matrix", name="m", title="t", header=("", "a", "b"), rows=(("a", 3, 1), ("b", None, 2)))
    chart = panel_chart(matrix)
    assert "a, b: 1 of 4" in chart.body
    assert chart.body.count("<rect") == 3
    share = Panel(kind="matrix", name="m", title="t", header=("", "a"), rows=(("A", 0.25),), percent=True)
    assert ">25.0</text>" in panel_chart(share).body
    bars = Panel(kind="bars", name="b", title="t", header=("", "n"), rows=(("x", 10), ("y", 5)))
    wide = [float(each) for each in re.findall(r'width="([\d.]+)"', panel_chart(bars).body)]
    assert wide[0] == pytest.approx(2 * wide[1])
    row = ("A", 0.31, 0.1, 0.2, 0.3, 0.4, 0.9, 0.28, 0.32)
    boxes = Panel(kind="boxes", name="x", title="t", header=("system", *BOX), rows=(row,), percent=True)
    assert "A: 10.0, 20.0, 30.0, 40.0, 90.0" in panel_chart(boxes).body
    assert "c-dot" in panel_chart(boxes).body


EMPTY = [
    lines(),
    lines(curve("A", (0.0, 0.3)), axes=(PanelAxis(title="", low=0, high=0), PanelAxis(title="", low=0.3, high=0.3))),
    Panel(kind="regions", name="r", title="t", axes=(UNIT, UNIT)),
    *(Panel(kind=kind, name="e", title="t", header=("",)) for kind in ("bars", "boxes", "steps", "matrix")),
]


@pytest.mark.parametrize("panel", EMPTY, ids=lambda panel: panel.kind)
def test_nothing_to_draw(panel):
    ElementTree.fromstring(inline(panel_chart(panel)))
    assert panel_chart(Panel(kind="table", name="t", title="t")) is None


def test_files_are_xml_with_their_title():
    (data,) = drawn([lines(curve("<A> & \x00", (0, 0), (1, 1))), Panel(kind="table", name="t", title="t")], []).values()
    tree = ElementTree.fromstring(data)
    names = [each.text for each in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert "<A> & \ufffd" in names
    assert standalone(panel_chart(lines())).startswith("<?xml")
