"""Drop-in modules: the same calls give what the packages gave when they were run."""

from __future__ import annotations

import importlib
import json
import math
import warnings
from pathlib import Path

import numpy as np
import pytest

from adjudge.errors import AdjudgeWarning

CASES = json.loads((Path(__file__).parent / "dropins.json").read_text(encoding="utf-8"))["cases"]


def plain(value):
    """A returned value as the cases write it."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, type):
        return value.__name__
    if isinstance(value, float):
        return "nan" if math.isnan(value) else float(value)
    return int(value) if isinstance(value, np.integer) else value


def called(case):
    """What the call of a case returns, and the warnings that the package would give."""
    function = getattr(importlib.import_module(case["module"]), case["function"])
    args = [tuple(map(tuple, each)) for each in case["args"]] if case.get("container") == "tuple" else case["args"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = function(*args, **case["kwargs"])
    given = [f"{each.category.__name__}: {each.message}" for each in caught if each.category is not AdjudgeWarning]
    return plain(found), given


SEQEVAL = [case for case in CASES if case["module"].endswith("seqeval")]


@pytest.mark.parametrize("case", [each for each in SEQEVAL if "returns" in each], ids=lambda case: case["id"])
def test_seqeval_returns(case):
    found, given = called(case)
    assert found == case["returns"]
    assert sorted(set(given)) == sorted(set(case.get("warns", [])))


@pytest.mark.parametrize(
    "case", [each for each in SEQEVAL if "raises" in each and not each.get("accident")], ids=lambda case: case["id"]
)
def test_seqeval_raises(case):
    with pytest.raises(Exception) as caught:
        called(case)
    assert type(caught.value).__name__ == case["raises"]
    said, _, members = str(caught.value).partition(": {")
    expected, _, listed = case["message"].partition(": {")
    # The members of a set have no order.
    assert (said, sorted(members.rstrip("}").split(", "))) == (expected, sorted(listed.rstrip("}").split(", ")))


def test_accidents_of_seqeval_have_answers():
    """A report of no entities, the accuracy of nothing; a tag without a known prefix is named."""
    from adjudge.compat import seqeval

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = seqeval.classification_report([["O", "O"]], [["O", "O"]])
    assert report.splitlines()[2].split() == ["micro", "avg", "0.00", "0.00", "0.00", "0"]
    assert seqeval.accuracy_score([], []) == 0.0
    with pytest.raises(ValueError, match="the tag 'X-PER' has no known prefix"):
        seqeval.f1_score([["X-PER"]], [["X-PER"]], mode="strict", scheme="IOB2")


def test_traps_of_seqeval_warn():
    from adjudge.compat import seqeval

    for options in ({"mode": "strict"}, {"scheme": "IOB2"}):
        with pytest.warns(AdjudgeWarning, match="as in seqeval"):
            assert seqeval.f1_score([["I-PER"]], [["I-PER"]], **options) == 1.0
    assert seqeval.f1_score([["B-A"]], [["B-A"]], mode="strict", scheme=seqeval.IOB2) == 1.0


NERVALUATE = [case for case in CASES if case["module"].endswith("nervaluate")]


def evaluated(case):
    """What a method of the evaluator of a case returns, as the cases write it."""
    from adjudge.compat.nervaluate import Evaluator

    found = getattr(Evaluator(case["true"], case["pred"], **case["kwargs"]), case["method"])(**case["margs"])
    if not isinstance(found, dict):
        return found
    found.pop("entity_indices")
    text = json.dumps(found, default=vars)
    return json.loads(text)


@pytest.mark.parametrize("case", [each for each in NERVALUATE if "returns" in each], ids=lambda case: case["id"])
def test_nervaluate_returns(case):
    assert evaluated(case) == case["returns"]


@pytest.mark.parametrize(
    "case", [each for each in NERVALUATE if "raises" in each and not each.get("accident")], ids=lambda case: case["id"]
)
def test_nervaluate_raises(case):
    with pytest.raises(ValueError) as caught:
        evaluated(case)
    prefix = case.get("message_is") == "prefix"
    assert str(caught.value).startswith(case["message"]) if prefix else str(caught.value) == case["message"]


def test_accidents_of_nervaluate_have_answers():
    """An empty first document; what is missed is named by the gold entity."""
    from adjudge.compat.nervaluate import Evaluator

    empty = Evaluator([[], ["B-PER"]], [[], ["O"]], tags=["PER"])
    assert empty.evaluate()["overall"]["strict"].missed == 1
    (line,) = [each for each in empty.summary_report_indices().splitlines() if each.startswith("Missed")]
    assert line.split() == ["Missed", "1", "0", "Label=PER,", "Start=0,", "End=0"]


def test_indices_are_looked_up_where_nervaluate_does():
    """Among all entities of the system: that of LOC, which is not asked for, stands at index 0."""
    from adjudge.compat.nervaluate import Evaluator

    filtered = Evaluator([["O", "B-PER"]], [["B-LOC", "B-PER"]], tags=["PER"]).summary_report_indices()
    assert "Correct              0          0        Label=LOC, Start=0, End=0\n" in filtered
    nothing = Evaluator([["B-PER", "O"]], [["O", "O"]], tags=["PER"]).summary_report_indices()
    assert "Missed               0          0        No prediction info\n" in nothing
