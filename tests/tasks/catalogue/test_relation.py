"""The family of relations: rows worked out by hand, and the command."""

from __future__ import annotations

import json

import pytest

from adjudge.cli.app import run_command
from adjudge.metrics import find

A, B, C = ({"start": start, "end": start + 4} for start in (0, 10, 20))
GOLD = [
    {"type": "works-for", "subject": A, "object": B, "subject_type": "PER", "object_type": "ORG"},
    {"type": "located", "subject": B, "object": C, "subject_type": "ORG", "object_type": "LOC"},
]
SYSTEM = [
    {**GOLD[0], "object_type": "LOC"},  # the type of the object is wrong
    {**GOLD[1], "object": {"start": 22, "end": 30}},  # the object overlaps by two
    {"type": "located", "subject": C, "object": B},  # nothing like it
]


@pytest.mark.parametrize(
    ("name", "matched"),
    [
        ("relation.strict", 0),  # neither: a wrong type, a wrong span
        ("relation.boundary", 1),  # the first
        ("relation.relaxed", 2),  # both
        ("relation.spans", 1),  # the first
        ("relation.undirected", 2),  # the first; the third is located(C, B), gold has located(B, C)
    ],
)
def test_by_hand(name, matched):
    found = find(name).score(GOLD, SYSTEM)
    assert (found.precision, found.recall) == (matched / 3, matched / 2)


def test_relaxed_matches_each_relation_once():
    wide = [{**GOLD[0], "subject": {"start": start, "end": start + 1}} for start in (0, 1, 2)]
    found = find("relation.relaxed").score(GOLD[:1], wide)
    assert (found.precision, found.recall) == (1 / 3, 1)


def test_ign_differs_from_the_published_one_where_a_known_relation_is_wrong(tmp_path):
    # One new relation is right, one known relation is wrong. Ours: precision 1/1. Published: 1/2, since it leaves out
    # known relations only where they are right.
    fact = {"type": "r", "head": 0, "tail": 1, "known": False}
    wrong = {"type": "s", "head": 0, "tail": 1, "known": True}
    assert find("relation.docred-ign").score([fact], [fact, wrong]).precision == 1
    vertices = [[{"name": "A"}], [{"name": "B"}]]
    files = {
        "gold.json": [{"title": "T", "vertexSet": vertices, "labels": [{"h": 0, "t": 1, "r": "r", "evidence": [0]}]}],
        "system.json": [{"title": "T", "h_idx": 0, "t_idx": 1, "r": r} for r in "rs"],
        "train.json": [["A", "B", "s"]],
    }
    for name, value in files.items():
        (tmp_path / name).write_text(json.dumps(value))
    gold, system, train = (str(tmp_path / name) for name in files)
    out = tmp_path / "out.json"
    arguments = ["relation", "score", gold, system, "--compat", "docred", "--train-annotated", train]
    assert run_command([*arguments, "--format", "json", "-o", str(out)]) == 0
    scores = {(s["metric"], s["part"]): s["value"] for s in json.loads(out.read_text())["systems"][0]["scores"]}
    assert scores["relation.docred-ign.annotated", "precision"] == 0.5


class TestCommand:
    @pytest.fixture
    def dygie(self, tmp_path):
        lines = {
            "gold": {"doc_key": "d", "relations": [[[0, 0, 2, 3, "USED-FOR"], [5, 5, 7, 7, "PART-OF"]]]},
            "system": {"doc_key": "d", "predicted_relations": [[[0, 0, 2, 3, "USED-FOR", 1.0, 0.9]]]},
        }
        for name, line in lines.items():
            (tmp_path / f"{name}.jsonl").write_text(json.dumps(line))
        return [str(tmp_path / f"{name}.jsonl") for name in lines]

    def test_table(self, dygie, capsys):
        assert run_command(["relation", "score", *dygie, "--reader", "dygie", "--bootstrap", "0"]) == 0
        out = capsys.readouterr().out
        assert "relation.boundary" in out
        assert "66.7" in out  # precision 1, recall 1/2

    def test_compat(self, dygie, capsys):
        assert run_command(["relation", "score", *dygie, "--compat", "dygie"]) == 0
        assert json.loads(capsys.readouterr().out) == {"precision": 1.0, "recall": 0.5, "f1": pytest.approx(2 / 3)}

    def test_the_reader_works_for_plain_score(self, dygie, capsys):
        assert run_command(["score", "relation.spans", *dygie, "--reader", "dygie", "--bootstrap", "0", "--quiet"]) == 0
        assert "66.7" in capsys.readouterr().out

    def test_a_gate(self, dygie, capsys):
        gate = ["--fail-under", "f1=0.9"]
        assert run_command(["relation", "score", *dygie, "--compat", "dygie", *gate]) == 3
        assert "0.9" in capsys.readouterr().err

    def test_a_document_of_no_gold(self, dygie, tmp_path, capsys):
        (tmp_path / "other.jsonl").write_text('{"doc_key": "e", "relations": []}')
        assert run_command(["relation", "score", dygie[0], str(tmp_path / "other.jsonl"), "--compat", "dygie"]) == 1
        assert "other.jsonl:1: the document 'e' is not in the gold documents" in capsys.readouterr().err
