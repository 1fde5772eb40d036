"""`adjudge ner` and `adjudge tree` from the command line."""

from __future__ import annotations

import json

import pytest

from adjudge.cli import run

GOLD = "EU B-ORG\nrejects O\nGerman B-MISC\ncall O\n\nPeter B-PER\nBlackburn I-PER\n\n"
SYSTEM = "EU B-ORG\nrejects O\nGerman B-LOC\ncall O\n\nPeter B-PER\nBlackburn O\n\n"
TREE = "1\tIt\tit\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\truns\trun\tVERB\t_\t_\t0\troot\t_\t_\n\n"


@pytest.fixture
def adjudge(tmp_path, monkeypatch, capsys):
    (tmp_path / "gold.bio").write_text(GOLD)
    (tmp_path / "system.bio").write_text(SYSTEM)
    (tmp_path / "gold.conllu").write_text(TREE)
    (tmp_path / "system.conllu").write_text(TREE.replace("nsubj", "obj"))
    monkeypatch.chdir(tmp_path)

    def ran(*arguments):
        code = run(list(arguments))
        out = capsys.readouterr()
        return code, out.out, out.err

    return ran


def test_the_default_table(adjudge):
    code, out, _ = adjudge("ner", "score", "gold.bio", "system.bio", "--bootstrap", "0")
    assert code == 0
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line.startswith("ner.")}
    # Of three entities ORG is right, MISC in its span, PER in its type and half of its span.
    assert {name: values[2] for name, values in rows.items()} == {
        "ner.strict": "33.3",
        "ner.exact": "66.7",
        "ner.type": "66.7",
        "ner.partial": "83.3",
    }


def test_what_conlleval_prints(adjudge):
    code, out, _ = adjudge("ner", "score", "gold.bio", "system.bio", "--compat", "conlleval")
    assert code == 0
    assert out.splitlines()[0] == "processed 6 tokens with 3 phrases; found: 3 phrases; correct: 1."


def test_numbers_of_a_published_scorer(adjudge):
    arguments = ("ner", "score", "gold.bio", "system.bio", "--compat", "nervaluate-1.2.1", "--format", "json")
    code, out, _ = adjudge(*arguments)
    found = json.loads(out)
    assert (code, found["task"], found["profile"]) == (0, "ner", "nervaluate-1.2.1")
    (score,) = [
        each
        for each in found["systems"][0]["scores"]
        if (each["metric"], each["part"]) == ("nervaluate.partial", "precision")
    ]
    assert score["value"] == pytest.approx(2.5 / 3)


def test_a_system_with_other_tokens_is_refused(adjudge, tmp_path):
    (tmp_path / "short.bio").write_text(SYSTEM.replace("call O\n", ""))
    code, _, err = adjudge("ner", "score", "gold.bio", "short.bio")
    assert code == 1
    assert "short.bio:1: sentence-1 has 3 tokens" in err


def test_strict_readers(adjudge, tmp_path):
    (tmp_path / "loose.bio").write_text(SYSTEM.replace("B-PER", "I-PER"))
    assert adjudge("ner", "score", "gold.bio", "loose.bio", "--reader", "iob2", "--bootstrap", "0")[0] == 0
    code, _, err = adjudge("ner", "score", "loose.bio", "system.bio", "--reader", "iob2")
    assert code == 1
    assert "loose.bio:6: I-PER is not part of an entity in IOB2" in err


def test_options_of_other_scorers_are_refused(adjudge):
    code, _, err = adjudge("ner", "score", "gold.bio", "system.bio", "--compat", "conlleval", "--scheme", "IOB2")
    assert code == 2
    assert "--scheme is not an option of conlleval" in err


def test_trees(adjudge):
    code, out, _ = adjudge("tree", "score", "gold.conllu", "system.conllu", "--bootstrap", "0")
    assert code == 0
    assert [line.split()[-1] for line in out.splitlines() if line.startswith("tree.")] == [
        "100.0",
        "50.0",
        "50.0",
        "50.0",
        "50.0",
    ]
    code, out, _ = adjudge("tree", "score", "gold.conllu", "system.conllu", "--compat", "ud-2018")
    assert code == 0
    assert "LAS        |     50.00 |     50.00 |     50.00 |     50.00\n" in out


def test_trees_of_another_text(adjudge, tmp_path):
    (tmp_path / "other.conllu").write_text(TREE.replace("runs", "ran"))
    for more in ((), ("--compat", "ud-2018")):
        code, _, err = adjudge("tree", "score", "gold.conllu", "other.conllu", *more)
        assert code == 1
        assert "both files must have the same characters" in err


def test_trees_are_explained_in_words(adjudge):
    code, out, _ = adjudge("tree", "score", "gold.conllu", "system.conllu", "--explain", "1")
    assert code == 0
    lines = out.splitlines()
    assert "correct  root runs (dependencies[1])" in lines
    wrong = "wrong    nsubj It ← runs (dependencies[0]) | obj It ← runs (dependencies[0]): nsubj was taken for obj"
    assert wrong in lines
    assert max(map(len, lines)) < 120  # no list of what a metric chose its words by


def test_the_sentence_of_trees_is_saved(adjudge, tmp_path):
    (tmp_path / "moved.conllu").write_text(
        TREE.replace("\t2\tnsubj", "\t0\troot").replace("\t0\troot\t_\t_\n\n", "\t1\tnsubj\t_\t_\n\n")
    )
    saved = ("--save", "r.json", "--save-documents", "--quiet")
    assert adjudge("tree", "score", "gold.conllu", "moved.conllu", *saved)[0] == 0
    result = json.loads((tmp_path / "r.json").read_text())
    (document,) = result["documents"]
    assert document["text"] == "It runs"
    assert [item["text"] for item in document["items"][:2]] == ["It ← runs", "runs"]
    # Another head and another label: not the same edge with a wrong label.
    las = next(each for each in result["systems"][0]["aligned"][0]["matchings"] if each["metric"] == "tree.las")
    assert len(las["missed"]) == 2
