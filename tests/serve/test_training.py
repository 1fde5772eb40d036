"""Training items: the right answer comes after the reader's, never before."""

import json

import pytest

from adjudge.demo.eal import FOLDER
from adjudge.errors import FormatError
from adjudge.serve.exchange import set_training
from adjudge.serve.messages import JudgeItem
from adjudge.serve.views import scope_view
from adjudge.serve.workbench import judge
from serve.demo_campaign import NAME, campaign, desk

TRAINING = FOLDER / "training.jsonl"


def test_the_answer_comes_after_the_readers(tmp_path):
    with campaign(tmp_path, answers=False, readers=["ann"]) as store:
        assert set_training(store, NAME, TRAINING) == 3
        ann = desk(store)
        view = scope_view(ann, "MINI_DF_01")
        training = [item for item in view["items"] if item.get("training")]
        assert [item["fields"]["cas"] for item in training] == ["Brennick", "fernlight", "brother"]
        assert "no attack" not in json.dumps(view)
        first = training[0]["id"]
        (open_,) = judge(ann, "MINI_DF_01", [JudgeItem({"cas": "W"}, "k1", 0, 0, item=first)])
        assert "feedback" not in open_
        (done,) = judge(ann, "MINI_DF_01", [JudgeItem({"aer": "W"}, "k2", 1, 0, item=first)])
        assert done["feedback"]["answers"] == {"aet": "W"}
        assert done["feedback"]["why"].startswith("Driving somebody")
        other = next(item for item in view["items"] if not item.get("training"))
        (plain,) = judge(ann, "MINI_DF_01", [JudgeItem({"aet": "W"}, "k3", 0, 0, item=other["id"])])
        assert "feedback" not in plain


def test_mistakes_are_said_at_once(tmp_path):
    lines = [
        "{",
        '{"document": "MINI_DF_01", "item": {"cas": "Brennick"}, "answers": {"aet": "W"}}',
        '{"document": "MINI_DF_01", "item": {"cas": "nobody"}, "answers": {"aet": "W"}}',
        '{"document": "MINI_DF_01", "item": {"cas": "brother"}, "answers": {"aet": "X"}}',
        '{"document": "MINI_DF_01", "item": {"cas": "brother"}, "answers": {"aet": "C"}}',
    ]
    with campaign(tmp_path, answers=False) as store, pytest.raises(FormatError) as caught:
        set_training(store, NAME, "\n".join(lines).encode())
    assert [(problem.line, problem.message) for problem in caught.value.problems][1:] == [
        (2, "2 items of 'MINI_DF_01' are like this"),
        (3, "no item of 'MINI_DF_01' is like this"),
        (4, "'X' is not an answer to 'aet'"),
        (5, "the answers are not complete"),
    ]
