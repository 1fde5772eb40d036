"""Every number that conlleval, seqeval and nervaluate give for the published cases of named entities."""

import json
import re
from pathlib import Path

import pytest

from adjudge.formats.bio import read_bio
from adjudge.metrics import find
from adjudge.scorers import conlleval, nervaluate, seqeval
from adjudge.stats.points import Additive
from adjudge.stats.table import StatsTable
from adjudge.tasks.scoring import score

CASES = [
    case
    for case in json.loads((Path(__file__).parent / "published.json").read_text())["cases"]
    if case["id"].startswith("ner-")
]
SCENARIOS = ("strict", "exact", "partial", "ent_type")


def columns(sentences):
    return "".join("".join(f"w{i} {tag}\n" for i, tag in enumerate(tags)) + "\n" for tags in sentences).encode()


def sides(case):
    return columns(case["input"]["gold"]), columns(case["input"]["pred"])


def scores(published):
    names = list(dict.fromkeys(name for _, row in published.rows for name in row))
    return Additive(StatsTable.from_rows(published.rows, names), published.measures).point()


@pytest.fixture(params=CASES, ids=[case["id"] for case in CASES])
def case(request):
    return request.param


def test_all_cases_are_here():
    assert len(CASES) == 9


def test_conlleval(case):
    expected = case["expected"]["conlleval.pl 2004-01-26"]
    lines = conlleval.run(*sides(case)).text.splitlines()
    counts = re.fullmatch(r"processed (\d+) tokens with (\d+) phrases; found: (\d+) phrases; correct: (\d+).", lines[0])
    assert [int(n) for n in counts.groups()] == [expected[key] for key in ("tokens", "gold", "found", "correct")]
    figures = re.findall(r"\d+\.\d\d", lines[1])
    assert figures == [f"{expected[key]:.2f}" for key in ("accuracy", "p", "r", "f1")]


@pytest.mark.parametrize("scheme", [None, "IOB2"])
def test_seqeval(case, scheme):
    expected = case["expected"][f"seqeval-1.2.2 {'strict IOB2' if scheme else 'default'}"]
    found = scores(seqeval.run(*sides(case), scheme=scheme))
    for part, key in (("precision", "p"), ("recall", "r"), ("f1", "f1")):
        assert found["seqeval", part] == pytest.approx(expected[key], abs=1e-12)
    if "macro_f1" in expected:
        assert found["seqeval.mean", "f1"] == pytest.approx(expected["macro_f1"], abs=1e-12)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_nervaluate_overall(case, scenario):
    expected = case["expected"]["nervaluate-1.2.1 overall"][scenario]
    found = scores(nervaluate.run(*sides(case)))
    for part in (*nervaluate.OUTCOMES, "precision", "recall", "f1"):
        assert found[f"nervaluate.{scenario}", part] == pytest.approx(expected[part], abs=1e-12)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_nervaluate_by_type(case, scenario):
    expected = case["expected"]["nervaluate-1.2.1 per type"]
    lines = nervaluate.run(*sides(case), scenario=scenario).text.splitlines()[4:]
    found = {line.split()[0]: line.split()[1:] for line in lines}
    assert sorted(found) == sorted(expected)
    for kind, own in expected.items():
        figures = [f"{own[scenario][key]:.2f}" for key in ("precision", "recall", "f1")]
        assert found[kind] == [*(str(own[scenario][key]) for key in nervaluate.OUTCOMES), *figures]


def test_the_definition_is_that_of_conlleval(case):
    expected = case["expected"]["conlleval.pl 2004-01-26"]
    gold, system = sides(case)
    result = score("ner.strict", read_bio(gold), read_bio(system), bootstrap=0)
    assert f"{100 * result['ner.strict'].f1:.2f}" == f"{expected['f1']:.2f}"


def test_optimal_matching_is_never_below_the_greedy_one(case):
    found = scores(nervaluate.run(*sides(case)))
    documents = [read_bio(side).documents for side in sides(case)]
    for name, scenario in (("ner.exact", "exact"), ("ner.type", "ent_type"), ("ner.partial", "partial")):
        rows = [
            find(name).observe(gold.data, system.data).counts[f"{name}:matched"]
            for gold, system in zip(*documents, strict=True)
        ]
        greedy = found[f"nervaluate.{scenario}", "correct"] + found[f"nervaluate.{scenario}", "partial"] / 2
        assert sum(rows) >= greedy
