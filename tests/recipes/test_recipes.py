"""The files of docs/recipes do what they say, with the libraries that they are for, if these are installed."""

from __future__ import annotations

import importlib
import importlib.util
import pickle
import sys
from pathlib import Path

import pytest

import adjudge as aj

ROOM = Path(__file__).parents[2] / "docs" / "recipes"


def loaded(name):
    spec = importlib.util.spec_from_file_location(f"recipe_{name}", ROOM / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_promptfoo_gets_counts_that_can_be_added():
    call = loaded("adjudge_assert").get_assert
    found = [
        call('{"a": 1, "b": 2}', {"vars": {"expected": '{"a": 1, "b": 2}'}, "prompt": "p"}),
        call('Here: {"a": 1, "b": 3}', {"vars": {"expected": {"a": 1, "b": 2}}, "prompt": "p"}),
    ]
    assert [(each["pass"], each["score"]) for each in found] == [(True, 1.0), (False, 0.5)]
    added = {name: sum(each["namedScores"][name] for each in found) for name in ("correct", "answered", "gold")}
    assert 2 * added["correct"] / (added["answered"] + added["gold"]) == 0.75
    assert "record.fields" in found[0]["reason"]


def test_pytest_asserts():
    loaded("test_scores").test_the_model_is_good_enough_and_not_worse_than_before()


def test_a_training_loop_and_several_processes():
    recipe = loaded("training_loop")
    batches = [("x", [["B-PER", "O"]]), ("y", [["O", "B-LOC"]])]
    assert recipe.validate(batches, {"x": [["B-PER", "O"]], "y": [["O", "O"]]}.get) == pytest.approx(2 / 3)
    states = []
    for tags, guess in (([["B-PER", "O"]], [["B-PER", "O"]]), ([["O", "B-LOC"]], [["O", "O"]])):
        state = aj.state("ner.strict")
        state.update(tags, guess)
        states.append(pickle.dumps(state))
    assert recipe.gathered(states)["ner.strict"].f1 == pytest.approx(2 / 3)


def result():
    return aj.score("ner.strict", [["B-PER", "O"]] * 6, [["B-PER", "B-LOC"]] * 3 + [["B-PER", "O"]] * 3)


def test_mlflow(tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    mlflow.set_experiment("recipes")
    with mlflow.start_run() as run:
        loaded("tracking").log_to_mlflow(result())
    assert mlflow.get_run(run.info.run_id).data.metrics["ner.strict.recall"] == 1.0


def test_wandb(tmp_path):
    wandb = pytest.importorskip("wandb")
    with wandb.init(mode="offline", dir=str(tmp_path), project="p") as run:
        loaded("tracking").log_to_wandb(result(), run)
        assert run.summary["ner.strict.recall"] == 1.0


def test_deepeval():
    case = pytest.importorskip("deepeval.test_case").LLMTestCase
    metric = loaded("deepeval_metric").ExtractionMetric(threshold=0.6)
    assert metric.measure(case(input="x", actual_output='{"a": 1}', expected_output='{"a": 1}')) == 1.0
    assert metric.is_successful()
    assert metric.measure(case(input="x", actual_output='{"a": 1, "b": 3}', expected_output='{"a": 1, "b": 2}')) == 0.5
    assert not metric.is_successful()


def test_evaluate():
    pytest.importorskip("evaluate.module")  # a folder of our tests is called evaluate as well
    metric = importlib.import_module("evaluate").load(str(ROOM / "adjudge_ner"))
    found = metric.compute(references=[["B-PER", "O"], ["O", "B-LOC"]], predictions=[["B-PER", "O"], ["O", "O"]])
    assert found["overall_f1"] == pytest.approx(2 / 3)
    assert (found["PER"]["f1"], found["LOC"]["recall"]) == (1.0, 0.0)


def test_inspect(tmp_path):
    inspect = pytest.importorskip("inspect_ai")
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.solver import generate

    samples = [("d1", '{"a": 1}', '{"a": 1}'), ("d2", '{"a": 1, "b": 2, "c": 3}', '{"a": 1, "x": 2, "y": 3}')]
    used = {"usage": ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)}  # else it counts, with a download
    answers = [ModelOutput.from_content("mockllm", answer).model_copy(update=used) for _, _, answer in samples]
    made = inspect.Task(
        dataset=MemoryDataset([Sample(id=name, input="x", target=gold) for name, gold, _ in samples]),
        solver=generate(),
        scorer=loaded("inspect_scorer").extraction(),
    )
    model = get_model("mockllm/model", custom_outputs=answers)
    (log,) = inspect.eval(made, model=model, log_dir=str(tmp_path), display="none", max_samples=1)
    scores = {name: each.value for name, each in log.results.scores[0].metrics.items()}
    assert scores == {"accuracy": pytest.approx((1 + 1 / 3) / 2), "pooled": pytest.approx(0.5)}
    # The log is a file of ours as well: its targets are gold.
    (path,) = tmp_path.glob("*.eval")
    pytest.importorskip("zstandard")
    again = aj.score("record.fields", str(path), [str(path)], reader="inspect", bootstrap=0)
    assert again["record.fields"].f1 == pytest.approx(0.5)
