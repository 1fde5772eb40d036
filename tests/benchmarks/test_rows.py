"""Rows are judged, chosen, and survive failures."""

import pytest

from benchmarks.house.fit import Fit
from benchmarks.house.measure import Cost, Failed, Turns
from benchmarks.house.rows import (
    MET,
    MISSED,
    NO_BAR,
    NOT_JUDGED,
    NOT_MEASURED,
    Bench,
    Found,
    Line,
    Row,
    compare,
    judge,
    line_from_data,
    lines_of,
    select,
)
from benchmarks.house.setting import Setting

ROW = Row("cpu", "shape", "times", 10)


@pytest.mark.parametrize(
    ("row", "found", "verdict"),
    [
        (ROW, Found("cpu", 10.0), MET),
        (ROW, Found("cpu", 9.99), MISSED),
        (ROW, Found("cpu", why="no perl"), NOT_MEASURED),
        (ROW._replace(bar=None), Found("cpu", 1.0), NO_BAR),
        (ROW._replace(judged=False), Found("cpu", 1.0), NOT_JUDGED),
        (ROW._replace(at_least=False), Found("cpu", 9.0), MET),
        (ROW._replace(at_least=False), Found("cpu", 11.0), MISSED),
        # A peer that was cut short took at least so much: enough to meet a bar, never to miss it.
        (ROW, Found("cpu", 11.0, least=True), MET),
        (ROW, Found("cpu", 9.0, least=True), NOT_MEASURED),
    ],
)
def test_verdicts(row, found, verdict):
    assert judge(row, found) == verdict


def bench(run, *keys):
    return Bench("fake/one", tuple(ROW._replace(key=key) for key in keys), run)


def test_a_failure_leaves_rows_that_say_why():
    def run(_):
        yield Found("a", 12.0)
        raise Failed("the peer is not there")

    lines = list(lines_of(bench(run, "a", "b", "c"), Setting()))
    assert [(line.row.key, line.verdict) for line in lines] == [("a", MET), ("b", NOT_MEASURED), ("c", NOT_MEASURED)]
    assert lines[2].found.why == "the peer is not there"


def test_a_mistake_of_a_bench_costs_its_own_rows_only():
    def run(_):
        raise ZeroDivisionError("oh")
        yield

    (line,) = lines_of(bench(run, "a"), Setting())
    assert (line.verdict, line.found.why) == (NOT_MEASURED, "the benchmark itself failed: ZeroDivisionError: oh")


def test_rows_that_a_bench_forgets_are_not_lost():
    (line,) = lines_of(bench(lambda _: [], "a"), Setting())
    assert line.verdict == NOT_MEASURED


def test_ratios_and_their_floor():
    turns = Turns({"ours": [Cost(2.0, 0.1), Cost(1.0, 0.2)], "peer": [Cost(8.0, 30.0)], "other": []}, {"other": "gone"})
    assert compare("cpu", turns, "peer").value == 8.0
    assert compare("memory", turns, "peer", of="megabytes", floor=1.0).value == 30.0
    assert compare("cpu", turns, "other") == Found("cpu", why="gone")


def test_a_peer_that_was_cut_is_at_least_so_much():
    turns = Turns({"ours": [Cost(1.0, 1.0)], "peer": [Cost(8.0, 1.0, cut=True)]}, {})
    assert compare("cpu", turns, "peer").least


def test_selection():
    benches = [Bench(name, (), lambda _: []) for name in ("coref/C1", "coref/C2", "corefud/x", "eal/scores")]
    assert [each.name for each in select(benches, [])] == [each.name for each in benches]
    assert [each.name for each in select(benches, ["coref"])] == ["coref/C1", "coref/C2"]
    assert [each.name for each in select(benches, ["eal/scores", "coref/C2"])] == ["coref/C2", "eal/scores"]
    assert select(benches, ["core"]) == []


def test_lines_survive_json():
    import json

    found = Found("cpu", 12.5, "", Cost(1.0, 2.0, 3.0), Cost(4.0, 5.0, cut=True), True, Fit(1.0, 0.1, 2.0), "note")
    line = Line("fake/one", ROW, found, MET)
    again = line_from_data(json.loads(json.dumps(line.to_data())))
    assert again == line
    bare = Line("fake/one", ROW, Found("cpu", why="no perl"), NOT_MEASURED)
    assert line_from_data(json.loads(json.dumps(bare.to_data()))) == bare
