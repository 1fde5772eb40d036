"""Every command with every input broken in turn: what is said names a file, and garbage is said of its own."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from adjudge.cli import run
from faults.writers import WRITERS, make_inputs

GARBAGE = b"\xff\xfe\x00{]\x80 broken\n<x>\t(((\n"
BROKEN = {
    "garbage": lambda _: GARBAGE,
    "digits": lambda data: re.sub(rb"\d+", b"9" * 5000, data, count=3),
}
LINES = {
    (writer.command, word): writer.arguments for writer in WRITERS for word in writer.arguments if word.startswith("@")
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("broken") / "in"
    folder.mkdir()
    make_inputs(folder)
    return folder


@pytest.mark.parametrize("kind", BROKEN)
def test_errors_begin_with_a_file(
    inputs: Path, kind: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = 0
    work = inputs.parent / kind
    for (_, name), line in LINES.items():
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        monkeypatch.chdir(work)
        own = Path(f"own-{name[1:].replace('/', '-')}")
        (shutil.copytree if (inputs / name[1:]).is_dir() else shutil.copy)(inputs / name[1:], own)
        file = min(path for path in own.rglob("*") if path.is_file()) if own.is_dir() else own
        file.write_bytes(BROKEN[kind](file.read_bytes()))
        words = [str(own) if word == name else re.sub("^@", "../in/", word) for word in line]
        code = run(words)
        said = [each for each in capsys.readouterr().err.splitlines() if each.startswith("error: ")]
        assert code in (0, 1, 2), (words, said)
        refused += bool(said)
        place = re.escape(str(own)) if kind == "garbage" else rf"{re.escape(str(own))}|\.\./in/"
        assert all(re.match(f"error: (?:{place})", each) for each in said), (words, said)
    assert refused > 40
