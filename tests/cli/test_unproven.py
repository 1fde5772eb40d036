"""Scores that are not proven: their bound stands in every output, and --exact refuses them."""

import json
import pickle
import random
from pathlib import Path

import pytest

from adjudge.stats.result import Result

HARD = ("amr", "score", "right.jsonl", "one.jsonl", "two.jsonl", "--reader", "jsonl", "--metric", "amr.smatch")
CUT = (*HARD, "--time-limit", "0.05", "--bootstrap", "20")


@pytest.fixture
def graphs(campaign: Path) -> None:
    source = random.Random(1)
    for name in ("right", "one", "two"):
        hard = [[f"v{k}", "instance", "same"] for k in range(40)]
        hard += [[f"v{source.randrange(40)}", "ARG0", f"v{source.randrange(40)}"] for _ in range(60)]
        rows = [{"id": "easy", "amr": [["a", "instance", "b"]]}, {"id": "hard", "amr": hard}]
        (campaign / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.mark.usefixtures("graphs")
def test_the_bound_stands_in_every_output(adjudge):
    found = json.loads(adjudge(*CUT, "--format", "json").out)
    for system in found["systems"]:
        assert all(not each["optimal"] and each["value"] < each["bound"] <= 1 for each in system["scores"])
        assert [note["examples"] for note in system["notes"] if note["code"] == "not-optimal"] == [["hard"]]
    assert all(each["value"] < each["bound"] <= 1 for each in found["ranking"])
    for form in ("text", "md", "latex"):
        said = adjudge(*CUT, "--format", form, "--save", "saved.json").out
        assert said.count("(at most ") == 6
        assert "not solved to the end" in said
        assert "(at most " in adjudge(*CUT, "--format", form, "--quiet").out
    rows = adjudge(*CUT, "--format", "csv").out.splitlines()
    assert all(",false,0." in row for row in rows[1:])
    for words in (("compare", "saved.json"), ("report", "saved.json")):
        assert "(at most " in adjudge(*words).out
    rows = adjudge("compare", "saved.json", "--format", "csv").out.splitlines()
    assert rows[0].endswith(",optimal")
    assert all(row.endswith(",false") for row in rows[1:])
    for form in ("text", "md", "latex"):
        assert adjudge("select", "saved.json", "--format", form).out.count("not solved to the end") == 2
    assert len(json.loads(adjudge("select", "saved.json", "--format", "json").out)["notes"]) == 2


@pytest.mark.usefixtures("graphs")
def test_an_unproven_document_is_explained_as_such(adjudge):
    once = (*HARD[:4], *HARD[5:], "--time-limit", "0.05")
    saved = adjudge(*once, "--bootstrap", "0", "--save", "saved.json", "--save-documents", "--fail-under", "f1=0.999")
    assert (saved.code, "(at most " in saved.err) == (3, True)
    result = Result.load("saved.json")
    for said in (adjudge(*once, "--explain", "hard").out, str(result.explain("hard")["one"])):
        assert said.rstrip().rpartition("note: ")[2].startswith("1 document was not solved to the end")
    assert "unproven" in json.loads(adjudge(*once, "--explain", "hard", "--format", "json").out)[0]
    assert "note: " not in adjudge(*once, "--explain", "easy").out
    assert "note: " not in str(result.explain("easy")["one"])
    assert "(at most " in repr(result["amr.smatch"].f1)
    assert "(at most " in repr(pickle.loads(pickle.dumps(result["amr.smatch"].f1)))
    assert result.to_flat()["amr.smatch.f1.bound"] > result["amr.smatch"].f1


@pytest.mark.usefixtures("graphs")
def test_annotators_agree_at_most(adjudge):
    words = ("agree", "amr.smatch", *HARD[2:5], "--time-limit", "0.05", "--bootstrap", "0")
    said = adjudge(*words).out
    assert (said.count("(at most "), said.count("not solved to the end")) == (4, 6)
    found = json.loads(adjudge(*words, "--format", "json").out)
    assert found["means"][0]["value"] < found["means"][0]["bound"] <= 1
    means = [row for row in adjudge(*words, "--format", "csv").out.splitlines() if row.startswith("mean,")]
    assert all(not row.endswith(",") for row in means)
    assert adjudge(*words, "--resolve", "least-distance").err.count("not solved to the end") == 6


@pytest.mark.usefixtures("graphs")
def test_exact_refuses_what_is_not_proven(adjudge):
    said = adjudge(*CUT, "--exact")
    assert (said.code, said.out) == (1, "")
    assert [line.partition(",")[0] for line in said.err.splitlines()] == [
        "error: one: the scores of hard are not proven",
        "error: two: the scores of hard are not proven",
    ]
    Path("docs.txt").write_text("easy\n")
    proven = adjudge(*HARD, "--docs", "docs.txt", "--exact", "--bootstrap", "0")
    assert (proven.code, "(at most" in proven.out) == (0, False)
    assert "--exact" in adjudge(*HARD[:4], "--compat", "smatch-1.0.4", "--exact").err


@pytest.mark.parametrize("given", ["inf", "nan", "0", "-1", "9" * 400, "1e300", "soon", ""])
@pytest.mark.parametrize("command", [HARD, ("nugget", "report", "a.tbf", "b.tbf"), ("ner", "score", "a", "b")])
def test_a_time_limit_is_a_time(command, given, adjudge):
    said = adjudge(*command, "--time-limit", given)
    assert said.code == 2
    assert "give seconds above 0" in said.err
    assert len(said.err) < 300


def test_exact_from_python():
    from adjudge import score
    from adjudge.errors import ValidationError

    same = [{"id": "d", "amr": [["a", "instance", "b"]]}]
    assert score("amr.smatch", same, same, bootstrap=0, exact=True).systems[0]["amr.smatch"].f1 == 1.0
    source = random.Random(2)
    hard = [
        [{"id": "d", "amr": [[f"v{source.randrange(40)}", "A", f"v{source.randrange(40)}"] for _ in range(120)]}]
        for _ in range(2)
    ]
    with pytest.raises(ValidationError, match="the scores of d are not proven"):
        score("amr.smatch", *hard, bootstrap=0, exact=True, time_limit=0.01)
