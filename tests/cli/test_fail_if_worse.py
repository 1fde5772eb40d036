"""Gates against a saved result: who fails, what is said, and what is refused."""

from __future__ import annotations

import json

import pytest

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
    assert run(["score", "record.set", other, other, "--fail-if-worse", base]) == 2
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
        == 2
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


def test_published_scorers_have_the_gate(tmp_path, capsys):
    gold, bad = tmp_path / "gold.jsonl", tmp_path / "bad.jsonl"
    gold.write_text("".join(json.dumps({"id": f"d{n}", "records": {"a": f"v{n}"}}) + "\n" for n in range(12)))
    bad.write_text("".join(json.dumps({"id": f"d{n}", "records": {"a": "?"}}) + "\n" for n in range(12)))
    start = ["record", "score", str(gold)]
    compat = ["--compat", "donut", "--bootstrap", "200"]
    assert run([*start, str(gold), *compat, "--save", str(tmp_path / "base.json")]) == 0
    assert run([*start, str(bad), *compat, "--fail-if-worse", str(tmp_path / "base.json")]) == 3
    assert "donut.cal_f1.f1 is 100.0 points worse" in capsys.readouterr().err
