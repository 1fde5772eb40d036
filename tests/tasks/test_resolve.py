"""One answer from several annotators."""

import json

import pytest

from adjudge.cli import run

LABELS = {"ann": "CCWWCC", "ben": "CCWWCW", "cas": "WCWCCC"}


@pytest.fixture
def annotators(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, labels in LABELS.items():
        lines = [
            json.dumps({"id": f"d{at}", "verdict": label, "items": [label, "x"]}) for at, label in enumerate(labels)
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    return [f"{name}.jsonl" for name in LABELS]


@pytest.mark.parametrize("method", ["majority", "dawid-skene"])
def test_labels(annotators, method, capsys):
    words = ["agree", "record.set", *annotators, "--label", "verdict", "--resolve", method, "--format", "json"]
    assert run(words) == 0
    rows = json.loads(capsys.readouterr().out)
    assert "".join(row["label"] for row in rows) == "CCWWCC"
    assert all(0.5 < row["probability"] <= 1 for row in rows)


def test_documents_by_least_distance(annotators, capsys):
    assert run(["agree", "record.set", *annotators, "--resolve", "least-distance", "--format", "json"]) == 0
    rows = {row["document"]: row["annotator"] for row in json.loads(capsys.readouterr().out)}
    assert rows["d0"] == "ann"  # with ben, against cas
    assert rows["d3"] == "ann"
    assert rows["d5"] == "ann"


def test_what_is_refused(annotators, capsys):
    assert run(["agree", "record.set", *annotators, "--resolve", "majority"]) == 2
    assert "name it with --label FIELD" in capsys.readouterr().err
    assert run(["agree", "record.set", *annotators[:2], "--resolve", "least-distance"]) == 2
    assert "cannot outvote each other" in capsys.readouterr().err
