"""Every number that anls-star, stickler, extract-bench, Donut and JSONDiff print for the cases of nested records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge.errors import FormatError
from adjudge.scorers import anls_star, donut, extract_bench, jsondiff, stickler
from adjudge.stats.points import Additive
from adjudge.stats.table import StatsTable

CASES = json.loads((Path(__file__).parent / "record_peers.json").read_text("utf-8"))["cases"]

# What a peer does not score, and why we say so.
REASONS = {
    ("stickler-1.0.0", "error: ValidationError"): "stickler stops at a value that does not fit its type",
    ("stickler-1.0.0", "error: ValueError"): "the model has no field",
    ("extract-bench-0.1.0", "error: ValueError"): "extract-bench stops there with a ValueError",
    (
        "extract-bench-0.1.0",
        "not applicable: arrays are judged by a language model",
    ): "extract-bench asks a language model about every list",
    ("extract-bench-0.1.0", "not applicable: root must be an object"): "the root must be an object",
    ("donut.cal_f1", "error: ZeroDivisionError"): "donut divides by zero",
}


def sides(case):
    return [json.dumps({"id": "d", "records": case[side]}).encode() for side in ("gold", "system")]


def scores(published):
    names = list(dict.fromkeys(name for _, row in published.rows for name in row))
    return Additive(StatsTable.from_rows(published.rows, names), published.measures).point()


def refused(run, case, name):
    """Whether a peer has no number; then we must have its reason."""
    expected = case["peers"][name]
    if not isinstance(expected, str):
        return False
    with pytest.raises(FormatError) as caught:
        run(*sides(case))
    assert REASONS[name, expected] in str(caught.value)
    return True


@pytest.fixture(params=CASES, ids=[case["id"] for case in CASES])
def case(request):
    return request.param


def test_all_cases_are_here():
    assert len(CASES) == 121
    assert sum(isinstance(number, str) for case in CASES for number in case["peers"].values()) == 119


def test_anls_star(case):
    assert scores(anls_star.run(*sides(case)))["anls-star", "score"] == pytest.approx(
        case["peers"]["anls-star-1.0.1"], abs=1e-9
    )


def test_jsondiff(case):
    assert scores(jsondiff.run(*sides(case)))["JSONDiff", "score"] == pytest.approx(
        case["peers"]["jsondiff-0.4.1"], abs=1e-9
    )


def test_donut(case):
    peers = case["peers"]
    trees = donut.tree_accuracy(donut.normalised(case["gold"]), donut.normalised(case["system"]))
    assert trees == pytest.approx(peers["donut.nTED"], abs=1e-9)
    if not refused(donut.run, case, "donut.cal_f1"):
        found = scores(donut.run(*sides(case)))
        assert found["donut.nTED", "score"] == trees
        assert found["donut.cal_f1", "f1"] == pytest.approx(peers["donut.cal_f1"], abs=1e-9)


def test_stickler(case):
    if refused(stickler.run, case, "stickler-1.0.0"):
        return
    expected, found = case["peers"]["stickler-1.0.0"], scores(stickler.run(*sides(case)))
    assert found["stickler", "score"] == pytest.approx(expected["overall_score"], abs=1e-9)
    for table in ("overall", "aggregate"):
        for part, number in expected[table].items():
            assert found[f"stickler.{table}", part] == pytest.approx(number, abs=1e-9), (table, part)


def test_extract_bench(case):
    if refused(extract_bench.run, case, "extract-bench-0.1.0"):
        return
    found = scores(extract_bench.run(*sides(case)))
    for part, number in case["peers"]["extract-bench-0.1.0"].items():
        assert found["extract-bench", part] == pytest.approx(number, abs=1e-9), part
