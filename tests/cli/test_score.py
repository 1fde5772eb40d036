"""`adjudge score` and `adjudge compare`: options, outputs, and the exit code."""

import csv
import gzip
import io
import json
import sys
from pathlib import Path

import pytest

from adjudge.stats.result import Result

SCORE = ("score", "relation.strict", "gold.jsonl", "good.jsonl")


def test_text(adjudge) -> None:
    ran = adjudge(*SCORE)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[0].split() == ["metric", "precision", "recall", "f1"]
    assert "100.0" in ran.out
    assert "100.0 [" not in ran.out
    (signature,) = [line for line in ran.out.splitlines() if line.startswith("signature")]
    assert "  score|metric:relation.strict|profile:default|dup:set|empty:0|undef:0|gold:" in signature
    assert "|pool:micro|docs:8|interval:jackknife|scale:logit|v:" in signature


@pytest.mark.parametrize("format_", ["text", "json", "csv", "md", "latex"])
def test_output_is_what_would_be_printed(adjudge, campaign: Path, format_: str) -> None:
    options = ("poor.jsonl", "--by", "genre", "--by", "relations.type", "--bootstrap", "50", "--format", format_)
    printed = adjudge(*SCORE, *options)
    written = adjudge(*SCORE, *options, "-o", "out")
    assert (printed.code, written.code, written.out) == (0, 0, "")
    assert (campaign / "out").read_text() == printed.out
    assert printed.out.endswith("\n")


def test_saved_results_are_compared_without_the_inputs(adjudge, campaign: Path) -> None:
    together = json.loads(adjudge(*SCORE, "poor.jsonl", "--by", "genre", "--format", "json").out)
    for name in ("good", "poor"):
        ran = adjudge(
            "score", "relation.strict", "gold.jsonl", f"{name}.jsonl", "--by", "genre", "--save", f"{name}.json"
        )
        assert ran.code == 0
    for path in campaign.glob("*.jsonl"):
        path.unlink()
    compared = json.loads(adjudge("compare", "good.json", "poor.json", "--format", "json").out)
    assert compared["systems"] == together["systems"]
    assert compared["comparisons"] == together["comparisons"]
    rows = list(csv.DictReader(io.StringIO(adjudge("compare", "good.json", "poor.json", "--format", "csv").out)))
    assert [(row["a"], row["b"]) for row in rows] == [("good", "poor")] * 3
    other = adjudge("compare", "good.json", "poor.json", "--test", "approximate-randomisation", "--ci", "80", "--quiet")
    assert "comparison (randomisation)" in other.out
    assert adjudge("compare", "good.json", "poor.json", "--fail-under", "f1=0.9").code == 3
    assert adjudge("compare", "good.json", "poor.json", "--save", "both.json", "--seed", "5").code == 0
    assert Result.load(campaign / "both.json").options.seed == 5


def test_comparing_what_cannot_be_compared(adjudge) -> None:
    adjudge(*SCORE, "--save", "a.json")
    adjudge("score", "relation.spans", "gold.jsonl", "poor.jsonl", "--save", "b.json")
    ran = adjudge("compare", "a.json", "b.json")
    assert ran.code == 2
    assert ran.err.startswith("error: these results cannot be compared, they differ in metric (relation.strict and")
    assert adjudge("compare", "gold.jsonl").code == 1
    assert adjudge("compare", "missing.json").err.startswith("error: missing.json: cannot be read")


def test_gates(adjudge, campaign: Path) -> None:
    passed = adjudge(*SCORE, "--fail-under", "precision=1", "--fail-under", "relation.strict.recall=50%")
    assert (passed.code, passed.err) == (0, "")
    failed = adjudge(*SCORE, "poor.jsonl", "--fail-under", "f1=0.9", "--save", "r.json", "--quiet")
    assert failed.code == 3
    assert "relation.strict" in failed.out  # the scores are printed all the same
    assert (campaign / "r.json").exists()
    (line,) = failed.err.splitlines()
    assert line.startswith("error: poor: relation.strict.f1 is 0.")
    assert line.endswith(", below 0.9")


def test_a_gate_is_checked_before_the_inputs(adjudge) -> None:
    ran = adjudge("score", "relation.strict", "no", "no", "--fail-under", "f2=0.5")
    assert ran.code == 2
    assert ran.err.startswith("error: --fail-under f2: there is no such score, scores are f1, precision")
    ran = adjudge("score", "relation.strict", "no", "no", "--fail-under", "relation.strict.recal=0.5")
    assert "did you mean relation.strict.recall" in ran.err


def test_an_undefined_score_fails_its_gate(adjudge, campaign: Path) -> None:
    (campaign / "none.jsonl").write_text('{"id": "a", "relations": []}\n')
    options = ("--profile", "undefined", "--fail-under", "f1=0", "--quiet", "--bootstrap", "0")
    ran = adjudge("score", "relation.strict", "none.jsonl", "none.jsonl", *options)
    assert (ran.code, ran.err) == (3, "error: none: relation.strict.f1 is undefined, below 0\n")


def test_docs(adjudge, campaign: Path) -> None:
    (campaign / "list.txt").write_text("d1\n\n d3 \n")
    by_file = adjudge(*SCORE, "--docs", "list.txt")
    assert by_file.out == adjudge(*SCORE, "--docs", "d1,d3").out
    assert "(2 documents)" in by_file.out
    ran = adjudge(*SCORE, "--docs", "d1,d33")
    assert (ran.code, ran.err) == (2, "error: there is no gold document 'd33', did you mean d3?\n")
    assert adjudge(*SCORE, "--docs", ",").err == (
        "error: --docs ',' names no documents, give ids, or a file with one id per line\n"
    )


def test_explain(adjudge) -> None:
    ran = adjudge(*SCORE, "--explain", "d0")
    assert ran.out.startswith("d0  good  relation.strict: 1 correct, 1 missed\n")
    (data,) = json.loads(adjudge(*SCORE, "--explain", "d0", "--format", "json").out)
    assert len(data["metrics"][0]["missed"]) == 1
    unknown = adjudge(*SCORE, "--explain", "d00")
    assert (unknown.code, unknown.err) == (2, "error: there is no document 'd00' in gold, did you mean d0?\n")
    assert adjudge(*SCORE, "--explain", "d0", "--format", "csv").code == 2
    assert adjudge(*SCORE, "--explain", "d0", "--save", "x.json").err == (
        "error: --explain and --save cannot be combined, leave one of them out\n"
    )


def test_standard_input_and_gzip(adjudge, campaign: Path, monkeypatch) -> None:
    expected = adjudge(*SCORE, "--quiet").out
    packed = gzip.compress((campaign / "good.jsonl").read_bytes())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(packed)))
    assert adjudge("score", "relation.strict", "gold.jsonl", "-", "--quiet").out == expected
    ran = adjudge("score", "relation.strict", "-", "-")
    assert (ran.code, ran.err) == (2, "error: standard input can be read only once, use - for one of the files\n")


@pytest.mark.parametrize("level", ["90", "90%", "0.9", " 90 "])
def test_levels(adjudge, level: str) -> None:
    data = json.loads(adjudge(*SCORE[:3], "poor.jsonl", "--ci", level, "--format", "json").out)
    assert data["systems"][0]["scores"][0]["level"] == 0.9


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--ci", "1"), "invalid value for '--ci': '1' is not a confidence level, write 95, 95% or 0.95"),
        (("--ci", "100"), "invalid value for '--ci': '100' is not a confidence level, write 95, 95% or 0.95"),
        (("--ci", "nan"), "invalid value for '--ci': 'nan' is not a confidence level, write 95, 95% or 0.95"),
        (("--ci", "high"), "invalid value for '--ci': 'high' is not a confidence level, write 95, 95% or 0.95"),
        (("--seed", "-1"), "invalid value for '--seed': '-1' is not valid, give a whole number from 0"),
        (
            ("--bootstrap", "1e3"),
            "invalid value for '--bootstrap': '1e3' is not valid, give the number of resamples, or 0 for no intervals",
        ),
        (
            ("--fail-under", "f1"),
            "invalid value for '--fail-under': 'f1' is not a threshold, write for example f1=0.57 or f1=57%",
        ),
        (
            ("--fail-under", "f1=57"),
            "invalid value for '--fail-under': 'f1=57' is not a threshold, write for example f1=0.57 or f1=57%",
        ),
    ],
)
def test_options_that_make_no_sense(adjudge, options: tuple[str, str], said: str) -> None:
    ran = adjudge(*SCORE, *options)
    assert (ran.code, ran.out, ran.err) == (2, "", f"error: {said} (see adjudge score --help)\n")


def test_outputs_are_checked_before_the_work(adjudge, campaign: Path) -> None:
    before = {path.name: path.read_bytes() for path in campaign.iterdir()}
    for options, said in (
        (("-o", "good.jsonl"), "good.jsonl: this file is also an input, choose another name for the output"),
        (("--save", "gold.jsonl"), "gold.jsonl: this file is also an input, choose another name for the output"),
        (("-o", "x", "--save", "./x"), "--output and --save name the same file, choose two names"),
        (("-o", "no/x"), "no/x: the folder of this file does not exist, create it first"),
        (("--save", "."), ".: this is a folder, name a file in it"),
    ):
        ran = adjudge(*SCORE, *options)
        assert (ran.code, ran.out, ran.err) == (2, "", f"error: {said}\n")
    assert {path.name: path.read_bytes() for path in campaign.iterdir()} == before


def test_specification_files_and_types(adjudge, campaign: Path) -> None:
    (campaign / "mine.yaml").write_text(
        "metric: {sim: record, fields: {relations: {sim: set, of: {sim: record, fields: [type]}}}}\n"
    )
    assert adjudge("score", "mine.yaml", "gold.jsonl", "good.jsonl").out.splitlines()[1].startswith("mine ")
    (campaign / "own_types.py").write_text(
        "from dataclasses import dataclass\n"
        "@dataclass(frozen=True)\nclass Relation:\n    type: str\n"
        "@dataclass(frozen=True)\nclass Page:\n    relations: list[Relation]\n"
    )
    ran = adjudge("score", "own_types:Page", "gold.jsonl", "good.jsonl", "--quiet", "--jobs", "2")
    assert (ran.code, ran.err) == (0, "")


@pytest.mark.parametrize("short", ["strict,boundary", "relation.strict,boundary", "strict(beta=2)"])
def test_the_metrics_of_a_task_need_not_repeat_its_name(adjudge, short) -> None:
    full = ",".join(name if name.startswith("relation.") else f"relation.{name}" for name in short.split(","))
    one, other = (
        adjudge(
            "relation", "score", "gold.jsonl", "good.jsonl", "--reader", "jsonl", "--metric", names, "--bootstrap", "0"
        )
        for names in (short, full)
    )
    assert one.code == 0
    assert one.out == other.out
    wrong = adjudge("relation", "score", "gold.jsonl", "good.jsonl", "--reader", "jsonl", "--metric", "strct")
    assert wrong.err.startswith("error: relation has no metric 'strct', did you mean relation.strict")
    assert adjudge("relation", "validate", "good.jsonl", "--reader", "jsonl", "--metric", short).code == 0


def test_several_metrics(adjudge) -> None:
    ran = adjudge("score", "relation.strict(beta=2),relation.spans", "gold.jsonl", "good.jsonl", "--quiet")
    assert ran.out.splitlines()[0].split() == ["metric", "precision", "recall", "f2", "f1"]


def test_several_systems_are_a_ranking(adjudge) -> None:
    score = ("score", "relation.strict", "gold.jsonl", "poor.jsonl", "good.jsonl", "best=gold.jsonl", "--quiet")

    def rows(*more: str) -> list[list[str]]:
        ran = adjudge(*score, *more)
        assert ran.code == 0, ran.err
        return [line.split() for line in ran.out.splitlines() if line.startswith("relation.strict")]

    ranked = rows()
    assert [row[1] for row in ranked] == ["best", "good", "poor"]
    assert ranked[-1][-1] == "3"
    assert "difference" not in adjudge(*score).out
    assert len(rows("--pairs")) == len(ranked) + 3  # every two of three
    assert [row[1] for row in rows("--no-rank")] == ["poor", "good", "best"]
    assert [row[1] for row in rows("--rank-by", "relation.strict.recall")] == ["best", "good", "poor"]
    assert [row[1] for row in rows("--bootstrap", "0")] == ["best", "good", "poor"]
    two = ("score", "relation.strict", "gold.jsonl", "poor.jsonl", "good.jsonl", "--quiet")
    assert "poor - good" in adjudge(*two).out  # the only pair
