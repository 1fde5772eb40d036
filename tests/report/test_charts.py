"""Charts: well-formed whatever stands in them, drawn where they should be, and never by colour alone."""

import itertools
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree, html

from adjudge.report.html.charts import (
    DASHES,
    HATCHES,
    Box,
    Line,
    Region,
    box_plot,
    heat_map,
    inline,
    line_chart,
    region_map,
    standalone,
)
from adjudge.report.html.charts_plot import SERIES, Axis, Mark, Plot, apart, around, nice_ticks, number, px, short, text
from adjudge.report.html.page import asset

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "</svg><script>alert(1)</script>",
    '"><image href=x onerror=alert(1)>',
    "' onload='alert(1)",
    "<!-- ]]> &amp; &#0;",
    "a\x00b\x08\x1b\ud800\uffff",
    "{{ 7 * 7 }}\u202e",
]
UNIT = Axis("x", 0.0, 1.0)


def charts(name="A", series=0):
    line = Line(name, series, [(0.0, 0.0), (0.5, 0.25), (1.0, 1.0)])
    mark = Mark(0.5, 0.25, name, name)
    axis = Axis(name, 0.0, 1.0)
    yield line_chart("l", [line], axis, axis, title=name, description=name, rule=(0.25, name), marks=[mark])
    square = [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0)]
    region = Region(name, series, [square], (0.5, 0.5))
    rules = ((0.2, name), (0.7, name))
    yield region_map("r", [region], axis, axis, title=name, description=name, rules=rules, marks=[mark])
    yield heat_map(
        "h", [name, "B"], [name, "B"], [[None, 1.0], [0.25, None]], title=name, description=name, corner=name
    )
    yield box_plot("b", [Box(name, series, 0.1, 0.2, 0.3, 0.4, 0.9, (0.28, 0.32), 0.31)], axis, title=name)


def tree_of(chart):
    return etree.fromstring(standalone(chart).encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("evil", HOSTILE)
def test_hostile_strings_are_inert(evil):
    for chart in charts(evil):
        tree = tree_of(chart)
        names = {each.tag.removeprefix(SVG) for each in tree.iter()}
        assert names <= {"svg", "title", "desc", "rect", "text", "path", "circle", "g", "defs", "pattern"}
        attributes = {name for each in tree.iter() for name in each.attrib}
        assert not [name for name in attributes if name.startswith("on") or "href" in name]
        assert tree.find(f"{SVG}title").text == re.sub("[\x00\x08\x1b\ud800\uffff\u202e]", "\ufffd", evil)
        page = html.document_fromstring(f"<body><p>{inline(chart).encode('utf-8', 'replace').decode()}</p>")
        assert not page.xpath("//script | //image | //@onload | //@onerror")
        assert len(page.xpath("//svg")) == 1


@given(st.text(max_size=20))
def test_any_text_is_xml(value):
    found = etree.fromstring(f'<a b="{text(value)}">{text(value)}</a>'.encode())
    turned = {*map(chr, range(0x7F, 0xA0)), *"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"}
    allowed = "".join(
        c
        if c not in turned and (c in "\t\n\r" or " " <= c <= "\ud7ff" or "\ue000" <= c <= "\ufffd" or c > "\uffff")
        else "\ufffd"
        for c in value
    )
    assert (found.text or "") == allowed.replace("\r\n", "\n").replace("\r", "\n")
    assert len(short(value, 8)) <= 8


def test_files_stand_alone():
    for chart in charts():
        tree = tree_of(chart)
        (first,) = tree.xpath("s:rect[1]", namespaces={"s": SVG[1:-1]})
        assert first.get("fill") == "#ffffff"
        left, top, width, height = map(float, tree.get("viewBox").split())
        assert (float(first.get("x")), float(first.get("y"))) == (left, top)
        assert (float(first.get("width")), float(first.get("height"))) == (width, height)
        assert "var(" not in standalone(chart)
        # Nothing is fetched: the only references are to patterns of the same file.
        assert set(re.findall(r"url\([^)]*\)", standalone(chart))) <= {"url(#r-0)"}
        assert re.findall(r"https?:[^\"]*", standalone(chart)) == ["http://www.w3.org/2000/svg"]


def test_every_colour_of_a_chart_is_a_variable_of_the_page():
    css = asset("charts.css")
    for at in range(len(SERIES)):
        assert len(re.findall(rf"--s{at}: #", css)) == 2  # light and dark
        assert f".chart .s{at} {{ --c: var(--s{at}); }}" in css
    used = {
        name for chart in charts() for names in re.findall(r'class="([^"]*)"', chart.body) for name in names.split()
    }
    for name in used:
        assert f".chart .{name} " in css or f".chart .{name}," in css, name


def test_colour_is_not_the_only_sign():
    # Two systems with the same colour have other dashes, and the next ones other hatchings.
    looks = {(at % len(SERIES), (at + at // len(SERIES)) % len(DASHES)) for at in range(24)}
    assert len(looks) == 24
    assert len(set(HATCHES)) == len(HATCHES)
    first, second = (next(charts("A", series)) for series in (0, 8))
    dashes = [
        re.findall(r'<path class="c-line[^>]*?(stroke-dasharray="[^"]*")?>', each.body) for each in (first, second)
    ]
    assert dashes[0] != dashes[1]
    assert ">A</text>" in first.body
    assert ">25.0</text>" in heat_map("h", ["A"], ["A"], [[0.25]], title="").body


def test_a_line_is_where_its_values_are():
    line = Line("A", 0, [(0.0, 0.0), (1.0, 1.0), (0.5, 0.5)])
    chart = line_chart("l", [line], UNIT, UNIT, title="", height=300)
    (shape,) = re.findall(r'<path class="c-line s0" d="M([^"]*)"', chart.body)
    points = [tuple(map(float, each.split())) for each in shape.split("L")]
    plot = Plot.inside(620, 300, UNIT, UNIT, left=56, right=24 + 6.4, top=36)
    assert points[0] == pytest.approx((56, plot.bottom))
    assert points[1] == pytest.approx((plot.right, plot.top), abs=0.01)
    assert points[2] == pytest.approx((56 + plot.width / 2, plot.top + plot.height / 2), abs=0.01)
    down = line_chart("l", [line], UNIT, UNIT._replace(down=True), title="", height=300)
    (shape,) = re.findall(r'<path class="c-line s0" d="M([^"]*)"', down.body)
    assert float(shape.split("L")[0].split()[1]) == pytest.approx(plot.top)


def test_a_box_has_its_notch_at_the_median():
    box = Box("A", 0, 0.1, 0.2, 0.5, 0.6, 0.9, (0.4, 0.55), 0.45)
    chart = box_plot("b", [box], UNIT, title="")
    (shape,) = re.findall(r'<path class="c-area s0" d="M([^"]*)Z"', chart.body)
    points = [tuple(map(float, each.split())) for each in shape.split("L")]
    width = 620 - 20 - (24 + 6.4)
    across = [round((x - 30.4) / width, 3) for x, _ in points]
    assert across == [0.2, 0.4, 0.5, 0.55, 0.6, 0.6, 0.55, 0.5, 0.4, 0.2]
    heights = {x: max(y for at, y in points if at == x) - min(y for at, y in points if at == x) for x, _ in points}
    assert min(heights, key=heights.get) == points[2][0]
    assert 'class="c-dot"' in chart.body
    assert 'class="c-dot"' not in box_plot("b", [box._replace(value=None)], UNIT, title="").body


def test_nothing_to_draw():
    for chart in (
        line_chart("l", [], UNIT, UNIT, title=""),
        region_map("r", [], UNIT, UNIT, title=""),
        heat_map("h", [], [], [], title=""),
        box_plot("b", [], UNIT, title=""),
        line_chart("l", [Line("A", 0, [(0.0, 0.3)])], Axis("", 0, 0), Axis("", 0.3, 0.3), title=""),
    ):
        assert "nan" not in standalone(chart)
        tree_of(chart)


numbers = st.floats(-1e6, 1e6)


@given(numbers, st.floats(1e-6, 1e6))
def test_ticks_are_round_and_inside(low, size):
    ticks = nice_ticks(low, low + size)
    slack = 1e-6 * size + 4 * math.ulp(low)  # a tick next to a large number is rounded as that number is
    assert all(low - slack <= tick <= low + size + slack for tick in ticks)
    assert len(ticks) <= 8
    steps = [b - a for a, b in itertools.pairwise(ticks)]
    if steps and abs(low) < 1e3 * size:
        assert max(steps) == pytest.approx(min(steps), rel=1e-6, abs=1e-9)
        assert len(ticks) >= 2


@given(st.lists(st.floats(0, 1), max_size=5))
def test_an_axis_has_room_for_everything(values):
    low, high = around(values, floor=0.0, ceiling=1.0)
    assert 0 <= low < high
    assert all(low <= value <= high for value in values)
    assert math.isfinite(low + high)


@given(st.lists(st.floats(0, 100), max_size=12))
def test_labels_keep_their_distance_and_order(places):
    found = apart(places, 14, 0, 100)
    assert len(found) == len(places)
    ordered = sorted(found)
    assert all(b - a >= 14 - 1e-6 for a, b in itertools.pairwise(ordered))
    assert sorted(range(len(places)), key=lambda at: (found[at], at)) == sorted(
        range(len(places)), key=lambda at: (places[at], at)
    )
    if len(places) * 14 <= 100:
        assert all(-1e-6 <= place <= 100 + 1e-6 for place in found)


def test_labels_that_have_no_room_are_left_to_titles():
    marks = [Mark(0.5 + at / 1000, 0.5, f"m{at}", f"said {at}") for at in range(3)]
    chart = line_chart("l", [Line("A", 0, [(0, 0), (1, 1)])], UNIT, UNIT, title="", marks=marks)
    assert [name for name in ("m0", "m1", "m2") if f">{name}</text>" in chart.body] == ["m0"]
    assert all(f"<title>said {at}</title>" in chart.body for at in range(3))


def test_numbers():
    assert [px(value) for value in (1.0, 1.5, 1.239, -0.001, float("nan"))] == ["1", "1.5", "1.24", "0", "0"]
    assert [number(value, 1) for value in (20.0, 0.04, 100.06)] == ["20", "0", "100.1"]
