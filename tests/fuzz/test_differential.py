"""What `make fuzz DIFF=1` compares is there, and it draws what it says."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from fuzz.differential import AREAS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("file", sorted({file for files in AREAS.values() for file in files}))
def test_every_file_has_a_property(file: str) -> None:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    assert any(
        "given" in ast.unparse(decorator)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        for decorator in node.decorator_list
    )


def test_rounds_count_their_examples(tmp_path: Path) -> None:
    code = (
        "import sys; from fuzz import differential as d; "
        "d.AREAS['some'] = ('tests/fuzz/test_slow_profiles.py::test_conlleval_token_by_token',); "
        "sys.exit(d._inside('some', '3', sys.argv[1]))"
    )
    report = tmp_path / "counts.json"
    ran = subprocess.run(
        [sys.executable, "-c", code, str(report)], cwd=ROOT, text=True, capture_output=True, timeout=300
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "test_conlleval_token_by_token" in report.read_text()
    assert "75" in report.read_text()
