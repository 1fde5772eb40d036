"""A disk that fails while a file is read is no fault of the file: exit code 2, and the message names the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.cli import run

FAILING = "/proc/self/mem"  # opens, and cannot be read: an input/output error that is none of ours

pytestmark = pytest.mark.skipif(not Path(FAILING).exists(), reason="there is no file that cannot be read")


@pytest.mark.parametrize(
    "line",
    [
        "score ner.strict gold.jsonl FAILING",
        *(f"{task} score FAILING FAILING" for task in ("coref", "nugget", "kbp", "amr", "ner", "record", "template")),
        *(f"{task} validate FAILING" for task in ("coref", "nugget", "kbp", "eal", "tree", "relation")),
        "eal score --key FAILING FAILING",
        "agree ner.strict gold.jsonl FAILING",
        "compare FAILING FAILING",
        "report FAILING",
        "doctor FAILING",
        "gold.jsonl FAILING",
    ],
)
def test_an_error_of_the_disk(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold.jsonl").write_text('{"id": "d1", "entities": []}\n')
    code = run(line.replace("FAILING", FAILING).split())
    said = capsys.readouterr().err
    assert code == 2, said
    assert said.startswith(f"error: {FAILING}: ")
    assert "Input/output error" in said
