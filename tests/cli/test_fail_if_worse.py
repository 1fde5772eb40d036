"""Gates against a saved result: who fails, what is said, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import adjudge as aj
from adjudge import compare
from adjudge.cli import run
from adjudge.errors import UsageError
from adjudge.stats.result import Result


def corpus(path, right, *, number=24, wrong_only_in=None):
    """Documents with two items each, of which the system has so many right; `wrong_only_in` is a genre."""
    with path.open("w") as file:
        for place in range(number):
            genre = "ab"[place % 2]
            found = 2 if wrong_only_in not in (None, genre) else right
            items = [f"{place}-{each}" if each < found else f"x{each}" for each in range(2)]
            file.write(json.dumps({"id": f"d{place}", "genre": genre, "items": items}) + "\n")
    return str(path)


@pytest.fixture
def scored(tmp_path, capsys):
    gold = corpus(tmp_path / "gold.jsonl", 2)
    good = corpus(tmp_path / "good.jsonl", 2)

    def score(system, *options):
        code = run(["score", "record.set", gold, system, "--bootstrap", "200", *options])
        return code, capsys.readouterr()

    assert score(good, "--by", "genre", "--save", str(tmp_path / "base.json"))[0] == 0
    return score


def test_a_system_that_is_worse_fails_with_its_difference_and_p(scored, tmp_path):
    code, printed = scored(corpus(tmp_path / "bad.jsonl", 1), "--fail-if-worse", str(tmp_path / "base.json"))
    assert code == 3
    assert "bad: record.set.f1 is 50.0 points worse than the baseline, p = " in printed.err
    assert "record.set" in printed.out  # the scores are printed all the same


@pytest.mark.parametrize("options", [[], ["--by", "genre"], ["--alpha", "0.5"]])
def test_a_system_that_is_as_good_passes(scored, tmp_path, options):
    assert scored(str(tmp_path / "good.jsonl"), "--fail-if-worse", str(tmp_path / "base.json"), *options)[0] == 0


def test_a_slice_fails_with_its_name(scored, tmp_path):
    bad = corpus(tmp_path / "bad.jsonl", 1, wrong_only_in="b")
    code, printed = scored(bad, "--by", "genre", "--fail-if-worse", str(tmp_path / "base.json"))
    assert code == 3
    assert "record.set.f1 (genre=b) is 50.0 points worse" in printed.err
    assert "genre=a" not in printed.err


def test_a_system_that_is_worse_by_chance_passes(scored, tmp_path):
    nearly = tmp_path / "nearly.jsonl"
    lines = (tmp_path / "good.jsonl").read_text().splitlines()
    nearly.write_text("\n".join([lines[0].replace("0-1", "x"), *lines[1:]]) + "\n")
    assert scored(str(nearly), "--fail-if-worse", str(tmp_path / "base.json"))[0] == 0


def test_both_gates_are_reported_together(scored, tmp_path):
    bad = corpus(tmp_path / "bad.jsonl", 1)
    _, printed = scored(bad, "--fail-if-worse", str(tmp_path / "base.json"), "--fail-under", "f1=0.9")
    assert "below 0.9" in printed.err
    assert "worse than the baseline" in printed.err


def test_what_cannot_be_compared_is_refused(scored, tmp_path, capsys):
    other = corpus(tmp_path / "other.jsonl", 2, number=23)
    base = str(tmp_path / "base.json")
    assert run(["score", "record.set", other, other, "--fail-if-worse", base]) == 1
    assert "cannot be compared, they differ in gold" in capsys.readouterr().err
    assert (
        run(
            [
                "score",
                "record.jaccard",
                str(tmp_path / "gold.jsonl"),
                str(tmp_path / "good.jsonl"),
                "--fail-if-worse",
                base,
            ]
        )
        == 1
    )
    assert "cannot be compared" in capsys.readouterr().err
    code, printed = scored(str(tmp_path / "good.jsonl"), "--fail-if-worse", str(tmp_path / "none.json"))
    assert (code, "none.json" in printed.err, printed.out) == (2, True, "")
    assert scored(str(tmp_path / "good.jsonl"), "--alpha", "0.1")[0] == 2
    code, printed = scored(str(tmp_path / "good.jsonl"), "--fail-if-worse", base, "--save", base)
    assert (code, Result.load(base).systems[0].name) == (2, "good")


def test_too_few_documents_are_no_gate(tmp_path, capsys):
    gold, bad = corpus(tmp_path / "gold.jsonl", 2, number=4), corpus(tmp_path / "bad.jsonl", 0, number=4)
    assert run(["score", "record.set", gold, gold, "--save", str(tmp_path / "base.json")]) == 0
    assert run(["score", "record.set", gold, bad, "--fail-if-worse", str(tmp_path / "base.json")]) == 2
    assert "score at least 5 documents" in capsys.readouterr().err


def test_several_systems_are_compared_by_name(scored, tmp_path):
    gold, good = str(tmp_path / "gold.jsonl"), str(tmp_path / "good.jsonl")
    bad = corpus(tmp_path / "bad.jsonl", 1)
    base, both = str(tmp_path / "base.json"), str(tmp_path / "both.json")
    assert run(["score", "record.set", gold, f"one={good}", f"two={bad}", "--save", both]) == 0
    gated = ["score", "record.set", gold, f"one={good}", f"two={bad}", "--fail-if-worse"]
    assert run([*gated, both]) == 0
    assert run([*gated, base]) == 3
    assert run(["score", "record.set", gold, f"three={good}", "--fail-if-worse", both]) == 2
    worse = Result.load(both).worse_than(Result.load(base))
    assert {(each.a, each.metric, each.part) for each in worse} == {("two", "record.set", "f1")}
    with pytest.raises(UsageError, match="the level is 2"):
        Result.load(both).worse_than(Result.load(base), level=2)


CASES = json.loads((Path(__file__).parents[1] / "golden" / "gate.json").read_text(encoding="utf-8"))


@pytest.fixture(params=CASES, ids=lambda case: case["id"])
def case(request, tmp_path, monkeypatch):
    """A case whose files are written: gold.jsonl, base.jsonl and new.jsonl."""
    monkeypatch.chdir(tmp_path)
    for name in ("gold", "base", "new"):
        lines = [json.dumps(each) + "\n" for each in request.param[name]]
        Path(f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
    return request.param


NER = ["ner", "score", "gold.jsonl", "new.jsonl"]
DRAWN = ["--metric", "ner.strict", "--interval", "percentile", "--test", "bootstrap"]


def test_the_gate_knows_worse_from_as_good(case, capsys):
    expected = case["expect"]
    base = ["ner", "score", "gold.jsonl", "base.jsonl", *DRAWN, "--save", "base.json"]
    assert run(base) == 0
    assert run([*NER, *DRAWN, "--save", "new.json"]) == 0
    capsys.readouterr()
    for command in (
        [*NER, *DRAWN, "--fail-if-worse", "base.json"],
        [*NER, "base.jsonl", *DRAWN, "--fail-if-worse", "base"],
        ["compare", "new.json", "base.json", "--fail-if-worse", "base.json"],
        ["compare", "new.json", "base.json", "--fail-if-worse", "base", "--gate", "ner.strict.f1"],
    ):
        assert run(command) == expected["exit"]
        err = capsys.readouterr().err
        assert "with 40 documents this gate detects drops of 1" in err
        assert ("ner.strict.f1 is 19.1 points worse than the baseline, p = 0.001" in err) == (expected["exit"] == 3)
    both = Result.load("new.json"), Result.load("base.json")
    (found,) = [each for each in compare(*both).comparisons if each.part == "f1"]
    assert found.difference == pytest.approx(expected["difference_new_minus_base"])
    assert found.p == pytest.approx(expected["p"], abs=0.05)  # of 1000 other draws


def test_python_has_the_same_gate(case):
    files = {name: f"{name}.jsonl" for name in ("new", "base")}
    result = aj.score("ner.strict", "gold.jsonl", files)
    one = aj.score("ner.strict", "gold.jsonl", "base.jsonl")
    for baseline in ("base", one):
        if case["expect"]["exit"]:
            with pytest.raises(
                AssertionError, match=r"19\.1 points worse .* this gate detects drops of 1\d\.\d points"
            ):
                aj.assert_score(result, "ner.strict.f1", not_worse_than=baseline, system="new")
        else:
            assert aj.assert_score(result, "ner.strict.f1", not_worse_than=baseline, system="new") > 0


def test_what_a_gate_can_see(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (same,) = [each for each in CASES if each["id"] == "gate-same"]
    for name in ("gold", "base", "new"):
        Path(f"{name}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in same[name]), encoding="utf-8")
    gate = [*NER, "base.jsonl", "--metric", "ner.strict", "--fail-if-worse", "base"]
    assert run(gate) == 0
    # The jackknife error is 4.315 points; with 39 degrees of freedom 2.0227 + 0.8507 of them are found.
    assert "with 40 documents this gate detects drops of 12.4 points or more (power 80 %)\n" in capsys.readouterr().err
    # It may be 3.6 + 1.6849 x 4.315 = 10.9 points worse, which is within one margin and not the other; an equal system
    # needs (1.6849 + 0.8507) x 4.315 points.
    assert run([*gate, "--margin", "0.11"]) == 0
    assert run([*gate, "--margin", "5%"]) == 3
    err = capsys.readouterr().err
    assert "may be 10.9 points worse than the baseline (-3.6, 90 % interval from -10.9), and the margin is 5.0" in err
    assert "lets an equal system pass if the margin is 10.9 points or more (power 80 %)" in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--margin", "0.1"], "--margin needs --fail-if-worse"),
        (["--gate", "f1"], "--gate needs --fail-if-worse"),
        (["--fail-if-worse", "good", "--gate", "record.set.f7"], "there is no such score, did you mean record.set.f1"),
        (["--fail-if-worse", "bad", "--margin", "2"], "'2' is not valid"),
        (["--fail-if-worse", "bad", "--margin", "2%", "--alpha", "0.4"], "a level of 0.4 is too high for a margin"),
    ],
)
def test_gates_that_are_not_possible(options, said, tmp_path, capsys):
    files = [corpus(tmp_path / f"{name}.jsonl", right) for name, right in (("gold", 2), ("good", 2), ("bad", 1))]
    assert run(["score", "record.set", *files, "--bootstrap", "200", *options]) == 2
    assert said in capsys.readouterr().err


def test_one_system_is_no_baseline_of_itself(tmp_path, capsys):
    gold, good = corpus(tmp_path / "gold.jsonl", 2), corpus(tmp_path / "good.jsonl", 2)
    assert run(["score", "record.set", gold, good, "--fail-if-worse", "good"]) == 2
    assert "good is the only system and cannot be its own baseline" in capsys.readouterr().err


def test_published_scorers_have_the_gate(tmp_path, capsys):
    gold, bad = tmp_path / "gold.jsonl", tmp_path / "bad.jsonl"
    gold.write_text("".join(json.dumps({"id": f"d{n}", "records": {"a": f"v{n}"}}) + "\n" for n in range(12)))
    bad.write_text("".join(json.dumps({"id": f"d{n}", "records": {"a": "?"}}) + "\n" for n in range(12)))
    start = ["record", "score", str(gold)]
    compat = ["--compat", "donut", "--bootstrap", "200"]
    assert run([*start, str(gold), *compat, "--save", str(tmp_path / "base.json")]) == 0
    assert run([*start, str(bad), *compat, "--fail-if-worse", str(tmp_path / "base.json")]) == 3
    assert "donut.cal_f1.f1 is 100.0 points worse" in capsys.readouterr().err
