"""Very many systems or slices: what is computed and what is printed has a limit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge.cli import run


def made(place: Path, systems: int) -> list[str]:
    """Four items that all systems returned, three of them drawn and assessed."""
    rows = [{"id": f"x{n}", "document": f"d{n}", "systems": [f"s{k:04}" for k in range(systems)]} for n in range(4)]
    design = [{"id": f"x{n}", "probability": 0.75, "drawn": n > 0} for n in range(4)]
    labels = [{"id": f"x{n}", "verdict": n % 2} for n in range(1, 4)]
    head = "# " + json.dumps({"rounds": [{"size": 3, "unit": "item"}]}) + "\n"
    for name, above, each in (("pool", "", rows), ("design", head, design), ("labels", "", labels)):
        (place / name).write_text(above + "".join(json.dumps(row) + "\n" for row in each))
    return ["estimate", str(place / "pool"), str(place / "labels"), "--design", str(place / "design")]


def test_of_many_differences_some_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = made(tmp_path, 60)
    assert run(line) == 0
    said = capsys.readouterr().out.splitlines()
    assert sum(" - s" in each for each in said) == 3000
    assert f"... and {60 * 59 // 2 * 3 - 3000:,} more differences, --format csv has all" in said
    assert run([*line, "--format", "csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + 60 * (3 + 1) + 60 * 59 // 2 * 3


def test_more_than_can_be_looked_at_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = made(tmp_path, 200)
    assert run([*line, "--by", "document"]) == 2
    said = "200 systems in 5 slices have 99,500 differences, more than the 50,000 that are possible"
    assert said in capsys.readouterr().err


def test_a_limit_of_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*made(tmp_path, 200), "--time-limit", "0.01"]) == 2
    assert "could not be counted in 0.01 seconds" in capsys.readouterr().err
