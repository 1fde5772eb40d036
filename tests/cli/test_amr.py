"""`adjudge amr score`: Penman files, published scorers, and the exit code."""

import json

import pytest

GOLD = """# ::id s1
(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b))

# ::id s2
(c / city :name (n / name :op1 "Riga"))
"""
SYSTEM = """# ::id s2
(c / city :name (n / name :op1 "Oslo"))

# ::id s1
(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02))
"""


@pytest.fixture
def files(campaign):
    (campaign / "gold.amr").write_text(GOLD)
    (campaign / "system.amr").write_text(SYSTEM)
    return campaign


def test_graphs_are_paired_by_id(adjudge, files):
    ran = adjudge("amr", "score", "gold.amr", "system.amr", "--metric", "amr.smatch,amr.concepts", "--format", "json")
    assert (ran.code, ran.err) == (0, "")
    data = json.loads(ran.out)
    found = {(each["metric"], each["part"]): each["value"] for each in data["systems"][0]["scores"]}
    # Of 7 + 5 gold triples one relation is missing and one constant is wrong: 10 matched, 6 + 5 in the system.
    assert found["amr.smatch", "recall"] == pytest.approx(10 / 12)
    assert found["amr.smatch", "precision"] == pytest.approx(10 / 11)
    assert found["amr.concepts", "f1"] == 1.0


def test_or_by_order(adjudge, files):
    options = ("--reader", "penman-in-order", "--metric", "amr.concepts", "--format", "json")
    ran = adjudge("amr", "score", "gold.amr", "system.amr", *options)
    assert json.loads(ran.out)["systems"][0]["scores"][0]["value"] == 0.0


def test_the_whole_table(adjudge, files):
    ran = adjudge("amr", "score", "gold.amr", "gold.amr", "--bootstrap", "20")
    assert ran.code == 0
    assert [line.split()[0] for line in ran.out.splitlines()[1:10]] == [
        "amr.smatch",
        "amr.unlabelled",
        "amr.no-wsd",
        "amr.concepts",
        "amr.named-entities",
        "amr.negation",
        "amr.wiki",
        "amr.reentrancy",
        "amr.srl",
    ]


def test_published_scorers_print_what_they_print(adjudge, files):
    ran = adjudge("amr", "score", "gold.amr", "gold.amr", "--compat", "smatch-1.0.4", "--digits", "3")
    assert (ran.code, ran.out) == (0, "Precision: 1.000\nRecall: 1.000\nF-score: 1.000\n")
    ran = adjudge("amr", "score", "gold.amr", "gold.amr", "--compat", "smatchpp-1.8", "--score-type", "macro")
    assert ran.out.startswith("main ---->   F1: 100.0    Precision: 100.0    Recall: 100.0\n")
    ran = adjudge("amr", "score", "gold.amr", "gold.amr", "--compat", "amr-evaluation", "--format", "json")
    assert {each["metric"] for each in json.loads(ran.out)["systems"][0]["scores"]} >= {"smatch", "srl", "reentrancy"}


def test_exact_search_is_said(adjudge, files):
    ran = adjudge("amr", "score", "gold.amr", "gold.amr", "--compat", "smatch-1.0.4", "--format", "json")
    assert "exact-search" in ran.out


def test_mistakes(adjudge, files):
    (files / "bad.amr").write_text("# ::id s1\n(w / want-01\n\n# ::id s2\n(c / city :name)\n")
    for options in ((), ("--compat", "smatch-1.0.4")):
        ran = adjudge("amr", "score", "gold.amr", "bad.amr", *options)
        assert (ran.code, ran.out) == (1, "")
        assert "bad.amr:2:1: this bracket is never closed" in ran.err
        assert "bad.amr:5:16: expected a node, a variable or a constant, found )" in ran.err
    ran = adjudge("amr", "score", "gold.amr", "system.amr", "--digits", "3")
    assert ran.code == 2


def test_json_lines_hold_text_or_triples(adjudge, files):
    (files / "text.jsonl").write_text(json.dumps({"id": "d", "amr": "(b / boy :mod (s / small))"}) + "\n")
    triples = [["b", "instance", "boy"], ["s", "instance", "small"], ["b", "top", "b"], ["b", "mod", "s"]]
    (files / "triples.jsonl").write_text(json.dumps({"id": "d", "amr": triples}) + "\n")
    ran = adjudge("score", "amr.smatch", "text.jsonl", "triples.jsonl", "--format", "json", "--bootstrap", "0")
    assert json.loads(ran.out)["systems"][0]["scores"][-1]["value"] == 1.0


def test_an_explanation_names_triples(adjudge, files):
    ran = adjudge("amr", "score", "gold.amr", "system.amr", "--metric", "amr.smatch", "--explain", "s1")
    assert ran.code == 0
    assert "missed   g, arg0, b (domains[6]): the nearest is matched to another" in ran.out
    assert "variables w is w, b is b, g is g" in ran.out
