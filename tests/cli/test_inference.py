"""Intervals and tests have the same options, names and meaning in every task."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

DEMOS = {
    "coref": ("coref", "score", "key.conll", "linden.conll", "maple.conll"),
    "nugget": ("nugget", "score", "-g", "gold.tbf", "-s", "heron.tbf", "-s", "wren.tbf", "-t", "tokens"),
    "eal": (
        *("eal", "score", "--key", "assessments", "--frames", "frames", "--docs-text", "sources"),
        *("submissions/granite", "submissions/slate"),
    ),
    "kbp": ("kbp", "score", "--gold", "gold.jsonl", "--wiki", "links.csv", "delta.tsv", "fjord.tsv", "--hops", "2"),
    "extraction": ("relation", "score", "gold.jsonl", "alder.jsonl", "birch.jsonl"),
}


@pytest.fixture(params=list(DEMOS))
def task(request, adjudge, tmp_path, monkeypatch):
    assert adjudge("demo", request.param, "--files", str(tmp_path / "demo"), "--quiet").code == 0
    monkeypatch.chdir(tmp_path / "demo")
    return DEMOS[request.param]


def scored(adjudge, task, *options):
    ran = adjudge(*task, *options, "--format", "json")
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


def methods(data):
    return {score.get("interval") for system in data["systems"] for score in system["scores"] if "low" in score}


def test_one_construction(adjudge, task):
    data = scored(adjudge, task)
    assert methods(data) == {"jackknife"}
    assert {score.get("scale") for system in data["systems"] for score in system["scores"] if "low" in score} <= {
        "logit",
        None,
    }
    assert "|interval:jackknife|scale:logit|" in data["signature"]
    assert "|test:jackknife|" in data["signature"]
    few = [note for note in data.get("notes", ()) if note["code"] == "few-documents"]
    assert bool(few) == ("|docs:24|" not in data["signature"])
    for each in data["comparisons"]:
        assert each["test"] == "jackknife"
        if "low" in each and not math.isclose(each["p"], 0.05, abs_tol=1e-6):
            assert (each["p"] < 0.05) == (each["low"] > 0 or each["high"] < 0), each


@pytest.mark.parametrize(
    ("interval", "test", "expected"),
    [
        ("percentile", "auto", ("percentile", "bootstrap")),
        ("bca", "auto", ("bca", "bootstrap")),
        ("auto", "paired-bootstrap", ("jackknife", "bootstrap")),
        ("auto", "approximate-randomisation", ("jackknife", "randomisation")),
    ],
)
def test_every_choice_in_every_task(adjudge, task, interval, test, expected):
    data = scored(adjudge, task, "--interval", interval, "--test", test, "--bootstrap", "60")
    assert expected[0] in methods(data) <= {expected[0], "jackknife"}
    assert {each["test"] for each in data["comparisons"] if "test" in each} == {expected[1]}
    assert f"|interval:{expected[0]}|" in data["signature"]
    assert f"|test:{expected[1]}|resamples:60|" in data["signature"]


def test_slices_by_relation_leave_the_headline_alone(adjudge, tmp_path, monkeypatch):
    assert adjudge("demo", "kbp", "--files", str(tmp_path / "demo"), "--quiet").code == 0
    monkeypatch.chdir(tmp_path / "demo")
    for test in ("auto", "bootstrap", "randomisation"):
        options = (*DEMOS["kbp"], "--test", test)
        plain, sliced = (scored(adjudge, options, *more) for more in ((), ("--by", "relation")))
        assert [each for each in sliced["comparisons"] if not each["slice"]] == plain["comparisons"]
        assert len(sliced["comparisons"]) > len(plain["comparisons"])


def test_a_handful_of_facts_has_no_interval(adjudge, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("gold.tsv").write_text("a\tr\tb\td1\nb\tr\tc\td2\nc\tr\td\td3\n")
    ran = adjudge("kbp", "score", "--gold", "gold.tsv", "same=gold.tsv", "--hops", "1")
    assert ran.code == 0
    assert "100.0 [" not in ran.out
    assert "note: no interval for scores on which all documents agree" in ran.out


@pytest.mark.parametrize("command", ["score", "kbp"])
def test_one_document_has_no_interval(adjudge, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    Path("gold.tsv").write_text("a\tr\tb\td1\nb\tr\tc\td1\n")
    Path("system.tsv").write_text("a\tr\tb\td1\nb\tr\te\td1\n")
    Path("gold.jsonl").write_text('{"id": "d", "items": ["a", "b"]}\n')
    Path("system.jsonl").write_text('{"id": "d", "items": ["a", "c"]}\n')
    tasks = {
        "score": ("score", "record.set", "gold.jsonl", "system.jsonl"),
        "kbp": ("kbp", "score", "--gold", "gold.tsv", "system.tsv", "--hops", "1"),
    }
    ran = adjudge(*tasks[command])
    assert "50.0" in ran.out
    assert "50.0 [" not in ran.out
    assert "note: with one document there is no interval and no test" in ran.out


def test_thirteen_systems(adjudge, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    gold = [{"id": f"d{k}", "items": [f"{k}-{n}" for n in range(4 + k % 3)]} for k in range(8)]
    names = [f"s{place:02}" for place in range(11)]
    for place, name in enumerate(names):
        rows = [{**each, "items": each["items"][(place + k) % 3 :]} for k, each in enumerate(gold)]
        Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name, rows in (("gold", gold), ("empty", [{**each, "items": []} for each in gold])):
        Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    systems = [*(f"{name}.jsonl" for name in names), "empty.jsonl", "perfect=gold.jsonl"]
    data = json.loads(adjudge("score", "record.set", "gold.jsonl", *systems, "--format", "json").out)
    (worst,) = (each for each in data["comparisons"] if (each["a"], each["b"]) == ("empty", "perfect"))
    assert worst["difference"] == -1
    assert worst["p_holm"] < 0.005
    given = adjudge("score", "record.set", "gold.jsonl", *systems, "--bootstrap", "1000", "--test", "bootstrap")
    assert "no difference can be significant: 78 comparisons x 1/1001 > 0.05; give --bootstrap 15599" in given.out


@pytest.fixture
def relations(adjudge, tmp_path, monkeypatch):
    assert adjudge("demo", "extraction", "--files", str(tmp_path / "demo"), "--quiet").code == 0
    monkeypatch.chdir(tmp_path / "demo")
    return "relation", "score", "gold.jsonl"


def test_runs_of_one_system_are_shown_as_their_mean(adjudge, relations):
    def values(*systems):
        data = scored(adjudge, (*relations, *systems), "--metric", "relation.strict", "--bootstrap", "100")
        return {each["name"]: each["scores"][-1]["value"] for each in data["systems"]}

    one, other = values("A=alder.jsonl")["A"], values("A=birch.jsonl")["A"]
    assert values("A#1=alder.jsonl", "A#2=birch.jsonl") == {"A": pytest.approx((one + other) / 2)}


def test_a_system_with_the_name_of_runs_is_not_one_of_them(adjudge, relations):
    ran = adjudge(*relations, "A#1=alder.jsonl", "A=birch.jsonl")
    assert (ran.code, ran.out) == (2, "")
    assert "A is not numbered, and A#1 is a run of A" in ran.err
