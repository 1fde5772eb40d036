"""neleval's numbers: the published case, in its own table and by our definitions."""

import json
from pathlib import Path

import pytest

import adjudge as aj
from adjudge.formats.linking import read_neleval
from adjudge.scorers.neleval import MEASURES, run

CASES = json.loads((Path(__file__).parent / "published.json").read_text(encoding="utf-8"))["cases"]
(CASE,) = (case for case in CASES if case["id"] == "neleval-1")


def table(rows):
    return "".join("\t".join(row) + "\n" for row in rows).encode()


GOLD, SYSTEM = table(CASE["input"]["gold"]), table(CASE["input"]["pred"])


def test_the_table_has_the_published_numbers():
    header, *lines = run(GOLD, SYSTEM).text.splitlines()
    assert header.split("\t") == ["ptp", "fp", "rtp", "fn", "precis", "recall", "fscore", "measure"]
    found = {}
    for line in lines:
        *numbers, name = line.split("\t")
        found[name] = dict(zip(("ptp", "fp", "rtp", "fn", "p", "r", "f1"), map(float, numbers), strict=True))
    assert found == CASE["expected"]
    assert [line.split("\t")[-1] for line in lines] == sorted(CASE["expected"])


@pytest.mark.parametrize("name", MEASURES)
def test_our_definitions_have_the_published_numbers_where_the_program_has_no_quirk(name):
    metric = MEASURES[name].metric
    result = aj.score(metric, read_neleval(GOLD), read_neleval(SYSTEM), bootstrap=0)
    expected = CASE["expected"][name]
    scores = {score.part: score.value for score in result.systems[0].scores}
    assert scores["precision"] == pytest.approx(expected["p"], abs=5e-4)
    assert scores["recall"] == pytest.approx(expected["r"], abs=5e-4)
    assert scores["f1"] == pytest.approx(expected["f1"], abs=5e-4)
