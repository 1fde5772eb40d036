"""The family of relations: rows worked out by hand, and the command."""

from __future__ import annotations

import json

import pytest

from adjudge.cli import run
from adjudge.metrics import find
from adjudge.tasks.relation import adjust

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
    assert run([*arguments, "--format", "json", "-o", str(out)]) == 0
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
        assert run(["relation", "score", *dygie, "--reader", "dygie", "--bootstrap", "0"]) == 0
        out = capsys.readouterr().out
        assert "relation.boundary" in out
        assert "66.7" in out  # precision 1, recall 1/2

    def test_compat(self, dygie, capsys):
        assert run(["relation", "score", *dygie, "--compat", "dygie"]) == 0
        assert json.loads(capsys.readouterr().out) == {"precision": 1.0, "recall": 0.5, "f1": pytest.approx(2 / 3)}

    def test_the_reader_works_for_plain_score(self, dygie, capsys):
        assert run(["score", "relation.spans", *dygie, "--reader", "dygie", "--bootstrap", "0", "--quiet"]) == 0
        assert "66.7" in capsys.readouterr().out

    def test_a_gate(self, dygie, capsys):
        gate = ["--fail-under", "f1=0.9"]
        assert run(["relation", "score", *dygie, "--compat", "dygie", *gate]) == 3
        assert "0.9" in capsys.readouterr().err

    def test_a_document_of_no_gold(self, dygie, tmp_path, capsys):
        (tmp_path / "other.jsonl").write_text('{"doc_key": "e", "relations": []}')
        assert run(["relation", "score", dygie[0], str(tmp_path / "other.jsonl"), "--compat", "dygie"]) == 1
        assert "no document is in common" in capsys.readouterr().err


def test_docred_by_hand():
    gold = [
        {"type": "P17", "head": 0, "tail": 1, "evidence": [0, 1]},
        {"type": "P19", "head": 2, "tail": 0, "evidence": [3]},
    ]
    system = [
        {"type": "P17", "head": 0, "tail": 1, "evidence": [1, 2, 5]},  # right, with one of two sentences
        {"type": "P19", "head": 0, "tail": 2, "evidence": [3]},  # the other way round, so its sentence is wrong too
        {"type": "P17", "head": 1, "tail": 0, "evidence": []},
    ]
    found = find("relation.docred").score(gold, system)
    assert (found.precision, found.recall) == (1 / 3, 1 / 2)
    found = find("relation.docred-evidence").score(gold, system)
    assert (found.precision, found.recall) == (1 / 4, 1 / 3)


def test_scirex_by_hand():
    def filler(role, *starts, width=4):
        return {"role": role, "mentions": [{"start": start, "end": start + width} for start in starts]}

    gold = [[filler("Task", 0, 20), filler("Method", 40), filler("Metric", 60), filler("Material", 80)]]
    # 3 of 4 tokens are more than half; one of two mentions is not; a wrong role is wrong.
    task, method = filler("Task", 0, width=3), filler("Method", 40)
    system = [[task, method, filler("Metric", 60, 90), filler("Material", 80)]]
    found = find("relation.scirex-4ary").score(gold, system)
    assert (found.precision, found.recall) == (0, 0)
    # Of six pairs, the three without the metric are right.
    found = find("relation.scirex-binary").score(gold, system)
    assert (found.precision, found.recall) == (1 / 2, 1 / 2)
    assert find("relation.scirex-4ary").score(gold, [[task, *gold[0][1:]]]).f1 == 1


def test_scirex_mentions_and_clusters_by_hand():
    def mention(start, end, kind="Task"):
        return {"span": {"start": start, "end": end}, "type": kind}

    gold = [mention(0, 4), mention(10, 12), mention(20, 23)]
    # 2 of 4 tokens are not more than half; 2 of 3 are; the type of the last is wrong.
    system = [mention(0, 2), mention(10, 13), mention(20, 23, "Method"), mention(50, 51)]
    found = find("relation.scirex-mentions").score(gold, system)
    assert (found.precision, found.recall) == (1 / 4, 1 / 3)
    # The first has two of three mentions of the gold entity, the second one of two.
    clusters = [[[0, 4], [20, 24], [90, 91]], [[40, 44], [91, 92]]]
    found = find("relation.scirex-clusters").score([[[0, 4], [20, 24]], [[40, 44]], [[60, 61]]], clusters)
    assert (found.precision, found.recall) == (1 / 2, 1 / 3)


class TestKnownFacts:
    GOLD = (
        {
            "title": "T",
            "vertexSet": [[{"name": "Rome"}, {"name": "Roma"}], [{"name": "Italy"}], [{"name": "Ann"}]],
            "labels": [{"h": 0, "t": 1, "r": "in"}, {"h": 2, "t": 0, "r": "born"}],
        },
    )
    ANSWERS = (
        {"title": "T", "h_idx": 0, "t_idx": 1, "r": "in"},  # right, and known
        {"title": "T", "h_idx": 2, "t_idx": 0, "r": "born"},  # right
        {"title": "T", "h_idx": 1, "t_idx": 0, "r": "in"},  # wrong
        {"title": "T", "h_idx": 9, "t_idx": 0, "r": "in"},  # wrong, of an entity that is not there
    )

    def score(self, folder, *arguments):
        for name, value in {"gold.json": self.GOLD, "answers.json": self.ANSWERS}.items():
            (folder / name).write_text(json.dumps(value))
        files = [str(folder / "gold.json"), str(folder / "answers.json")]
        chosen = ["--reader", "docred", "--metric", "relation.docred-ign", "--format", "json", "--bootstrap", "0"]
        return run(["relation", "score", *files, *chosen, *arguments])

    @pytest.mark.parametrize("known", [[["Roma", "Italy", "in"], ["Ann", "Italy", "born"]], GOLD[0]["labels"][:0]])
    def test_precision_leaves_out_what_the_training_data_say(self, known, tmp_path, capsys):
        (tmp_path / "known.json").write_text(json.dumps(known))
        assert self.score(tmp_path, "--known", str(tmp_path / "known.json")) == 0
        scores = {each["part"]: each["value"] for each in json.loads(capsys.readouterr().out)["systems"][0]["scores"]}
        # One of three is left if the first is known, by its second name; two of four if nothing is.
        assert scores["precision"] == pytest.approx(1 / 3 if known else 2 / 4)
        assert scores["recall"] == 1

    def test_the_signature_names_the_content_of_the_file(self, tmp_path, capsys):
        signatures = []
        for name, content in (("a", "[]"), ("b", "[]"), ("c", '[["x", "y", "z"]]')):
            (tmp_path / name).write_text(content)
            assert self.score(tmp_path, "--known", str(tmp_path / name)) == 0
            signatures.append(json.loads(capsys.readouterr().out)["signature"])
        assert signatures[0] == signatures[1] != signatures[2]
        assert str(tmp_path) not in signatures[0]

    def test_a_published_scorer_has_options_of_its_own(self, tmp_path, capsys):
        assert self.score(tmp_path, "--known", "f", "--compat", "docred") == 2
        assert "leave it out, or --compat" in capsys.readouterr().err

    def test_what_does_not_look_like_facts_is_left_alone(self, tmp_path):
        (tmp_path / "known").write_text('[["x", "y", "z"]]')
        for gold in (None, {"names": 3}, {"names": [5, ["x"]], "facts": [{"type": "z", "head": 0, "tail": 1}, 7]}):
            assert adjust(gold, {"facts": 5}, known=str(tmp_path / "known"))[1] == {"facts": 5}
