"""The action for workflows: what it runs scores, saves, sums up and gates."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ACTION = Path(__file__).parents[2] / "action.yml"


@pytest.mark.skipif(shutil.which("bash") is None, reason="the action needs bash")
@pytest.mark.parametrize(("gate", "code"), [("f1=0.4", 0), ("f1=0.9", 3)])
def test_the_action_scores_and_gates(tmp_path, gate, code):
    (tmp_path / "gold.bio").write_text("Ada B-PER\nmet O\nBob B-PER\n")
    (tmp_path / "run.bio").write_text("Ada B-PER\nmet O\nBob B-LOC\n")
    *_, step = yaml.safe_load(ACTION.read_text())["runs"]["steps"]
    given = {"task": "ner", "gold": "gold.bio", "system": "run.bio", "args": f"--bootstrap 0 --fail-under {gate}"}
    named = {name: given[value.strip("${} ").removeprefix("inputs.")] for name, value in step["env"].items()}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, **named, "PATH": path, "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    done = subprocess.run(
        ["bash", "-c", step["run"]], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    assert (tmp_path / "result.json").exists()
    assert "ner.strict" in (tmp_path / "summary.md").read_text()
