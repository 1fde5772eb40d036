"""The table as text, JSON and a page."""

import json

from benchmarks.house.fit import Fit
from benchmarks.house.measure import Cost
from benchmarks.house.rows import MET, MISSED, NOT_MEASURED, Found, Line, Row
from benchmarks.house.table import (
    TITLES,
    load_lines,
    machine,
    markdown,
    missed,
    page,
    results,
    save,
    summary,
    text_line,
)
from benchmarks.parts import all_benches

RATIO = Line(
    "coref/C2", Row("perl", "348 documents", "times less CPU", 35), Found("perl", 41.26, ours=Cost(0.25, 38.0)), MET
)
CUT = Line("coref/C4", Row("perl", "5,000 documents", "times less CPU", 50), Found("perl", 61.0, least=True), MET)
GROWTH = Line(
    "algebra/b3",
    Row("growth", "B3", "growth exponent", 1.3, at_least=False),
    Found("growth", 1.4, fit=Fit(1.4, 0.02, 1)),
    MISSED,
)
NOTHING = Line("coref/C1", Row("perl", "a | b", "times", 1), Found("perl", why="perl is not there"), NOT_MEASURED)
LINES = [RATIO, CUT, GROWTH, NOTHING]
ABOUT = {"version": "1.2.3", "date": "2026-01-02", "machine": machine(), "load": 0.1, "quick": False, "seconds": {}}


def test_text():
    assert text_line(RATIO) == "coref/C2: 348 documents: 41.3 times less CPU  [≥ 35]  met"
    assert text_line(CUT) == "coref/C4: 5,000 documents: > 61.0 times less CPU  [≥ 50]  met"
    assert text_line(GROWTH) == "algebra/b3: B3: 1.40 ± 0.020 growth exponent  [≤ 1.3]  missed"
    assert text_line(NOTHING) == "coref/C1: a | b: - times  [≥ 1]  not measured: perl is not there"


def test_markdown():
    head, rule, ratio, nothing = markdown([RATIO, NOTHING]).splitlines()
    assert head.count("|") == rule.count("|") == ratio.count("|") == 7
    assert ratio == "| 348 documents | 41.3 times less CPU | ≥ 35 | met | 0.25 s, 38 MB |  |"
    assert nothing == "| a \\| b | times | ≥ 1 | not measured: perl is not there |  |  |"


def test_json_and_the_page_from_it(tmp_path):
    path = tmp_path / "new" / "results.json"
    save(results(LINES, **ABOUT), path)
    assert [each.name for each in path.parent.iterdir()] == ["results.json"]
    data = json.loads(path.read_bytes())
    assert load_lines(data) == LINES
    text = page(data)
    assert "adjudge 1.2.3, 2026-01-02" in text
    assert f"Python {ABOUT['machine']['python']}" in text
    assert text.index("## The algebra") < text.index("## Coreference")
    assert "4 bars: 2 met, 1 missed, 1 not measured." in text
    assert summary(LINES) in text
    assert missed(LINES) == [GROWTH]


def test_every_part_is_on_the_page():
    assert {bench.name.partition("/")[0] for bench in all_benches(quick=True)} == set(TITLES)


def test_the_machine_is_a_kind_of_machine():
    assert set(machine()) == {"cores", "system", "architecture", "python"}
