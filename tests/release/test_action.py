"""The action for workflows, run as GitHub runs it: what it scores, saves, sums up and gates."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ACTION = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text())
SHELL = ["bash", "--noprofile", "--norc", "-eo", "pipefail"]  # what `shell: bash` stands for
pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="the action needs bash")


def evaluated(text, given):
    """A text with the values of its expressions, of which the action has those of inputs only."""
    return re.sub(r"\$\{\{\s*inputs\.(\w+)\s*\}\}", lambda found: given[found[1]], text)


def run_action(folder, **given):
    """All steps until one fails, each as a script of its own; gives what the last of them left behind."""
    inputs = ACTION["inputs"]
    assert set(given) <= set(inputs)
    assert {name for name, own in inputs.items() if own.get("required")} <= set(given)
    given = {name: given.get(name, own.get("default")) for name, own in inputs.items()}
    # The libraries of this environment, which has adjudge; nothing is downloaded.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    summary = str(folder / "summary.md")
    usual = {**os.environ, "PATH": path, "PIP_NO_INDEX": "1", "GITHUB_STEP_SUMMARY": summary, "CI": "true"}
    for number, step in enumerate(ACTION["runs"]["steps"]):
        assert step["shell"] == "bash"
        script = folder / f"step-{number}.sh"
        script.write_text(evaluated(step["run"], given))
        named = {name: evaluated(value, given) for name, value in step.get("env", {}).items()}
        command = [*SHELL, str(script)]
        done = subprocess.run(
            command, cwd=folder, env={**usual, **named}, capture_output=True, text=True, check=False, timeout=120
        )
        if done.returncode:
            break
    return done


@pytest.fixture
def data(tmp_path):
    (tmp_path / "the gold.bio").write_text("Ada B-PER\nmet O\nBob B-PER\n\n" * 20)
    (tmp_path / "run.bio").write_text("Ada B-PER\nmet O\nBob B-LOC\n\n" * 20)
    (tmp_path / "other.bio").write_text("Ada B-PER\nmet O\nBob B-PER\n\n" * 20)
    return tmp_path


def test_what_is_given_stands_in_no_script():
    assert ACTION["runs"]["using"] == "composite"
    assert not any("${{" in step["run"] for step in ACTION["runs"]["steps"])  # it could be a command


@pytest.mark.parametrize(("gate", "code"), [("f1=0.4", 0), ("f1=0.9", 3)])
def test_the_action_scores_and_gates(data, gate, code):
    args = f"--bootstrap 0 --fail-under {gate}"
    done = run_action(data, task="ner", gold="the gold.bio", system="run.bio", args=args)
    assert done.returncode == code, done.stderr
    assert ("below 0.9" in done.stderr) == bool(code)
    assert json.loads((data / "result.json").read_text())["task"]
    assert "ner.strict" in (data / "summary.md").read_text()


def test_several_systems_and_no_options(data):
    done = run_action(data, task="ner", gold="the gold.bio", system="run.bio other.bio")
    assert done.returncode == 0, done.stderr
    assert {each["name"] for each in json.loads((data / "result.json").read_text())["systems"]} == {"run", "other"}


def test_a_baseline_and_a_mistake(data):
    assert run_action(data, task="ner", gold="the gold.bio", system="other.bio").returncode == 0
    (data / "result.json").rename(data / "baseline.json")
    again = {"task": "ner", "gold": "the gold.bio", "system": "other.bio"}
    for system, code in (("other.bio", 0), ("run.bio", 3)):
        done = run_action(data, **{**again, "system": system}, args="--fail-if-worse baseline.json")
        assert done.returncode == code, done.stderr
    done = run_action(data, **{**again, "system": "nosuch.bio"})
    assert (done.returncode, "nosuch.bio" in done.stderr) == (2, True)
    done = run_action(data, **{**again, "gold": "$(touch hacked)", "args": "; touch hacked"})
    assert done.returncode
    assert not (data / "hacked").exists()
