"""A folder with a small campaign, and a way to run commands in it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from adjudge.cli import run


def relation(kind: str, start: int) -> dict[str, Any]:
    return {
        "type": kind,
        "subject": {"start": start, "end": start + 2},
        "object": {"start": start + 4, "end": start + 6},
    }


GOLD = [
    {"id": f"d{i}", "genre": "nw" if i % 2 else "df", "relations": [relation("x", i), relation("y", i + 1)]}
    for i in range(8)
]
GOOD = [{"id": each["id"], "relations": each["relations"][: 1 + (i > 1)]} for i, each in enumerate(GOLD)]
POOR = [
    {"id": each["id"], "relations": [relation("x", 50), *each["relations"][: i % 2]]} for i, each in enumerate(GOLD)
]


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, documents in (("gold", GOLD), ("good", GOOD), ("poor", POOR)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in documents))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def adjudge(campaign: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    def call(*arguments: str) -> Ran:
        code = run(arguments)
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return call
