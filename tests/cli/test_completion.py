"""Completion, the list of commands, and colours."""

import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from adjudge.cli import run

PROGRAM = [sys.executable, "-c", "from adjudge.cli import main; main()"]
posix = pytest.mark.skipif(os.name != "posix", reason="these are shells and terminals of POSIX")


def completed(monkeypatch, capsys, *words: str) -> list[str]:
    monkeypatch.setenv("_ADJUDGE_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", " ".join(words))
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
    assert run([]) == 0
    return [line.partition(",")[2] for line in capsys.readouterr().out.splitlines()]


def test_commands_options_and_metrics(monkeypatch, capsys):
    assert completed(monkeypatch, capsys, "adjudge", "comp") == ["compare", "completion"]
    assert "--disagreements" in completed(monkeypatch, capsys, "adjudge", "agree", "ner.strict", "--dis")
    assert completed(monkeypatch, capsys, "adjudge", "score", "relation.str") == ["relation.strict"]
    assert completed(monkeypatch, capsys, "adjudge", "explain", "ner.strict,relation.str") == [
        "ner.strict,relation.strict"
    ]
    assert completed(monkeypatch, capsys, "adjudge", "completion", "b") == ["bash"]
    assert completed(monkeypatch, capsys, "adjudge", "coref", "v") == ["validate"]


def test_naming_commands_imports_none_of_them():
    code = (
        "import os, sys; os.environ.update(_ADJUDGE_COMPLETE='bash_complete', COMP_WORDS='adjudge ', COMP_CWORD='1');"
        "from adjudge.cli import run; run([]);"
        "print(sorted(m for m in sys.modules if m.startswith('adjudge.cli.')), 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "['adjudge.cli.app', 'adjudge.cli.output'] False"


@posix
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_are_scripts(shell, tmp_path: Path, capsys):
    assert run(["completion", shell, "-o", str(tmp_path / "script")]) == 0
    assert "_ADJUDGE_COMPLETE" in (tmp_path / "script").read_text()
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    done = subprocess.run([shell, "-n", str(tmp_path / "script")], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@posix
@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes(tmp_path: Path):
    assert run(["completion", "bash", "-o", str(tmp_path / "script")]) == 0
    program = tmp_path / "adjudge"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -c "from adjudge.cli import main; main()" "$@"\n')
    program.chmod(0o755)
    script = (
        f'source "{tmp_path}/script"; COMP_WORDS=(adjudge sel); COMP_CWORD=1; '
        f'_adjudge_complete "{program}"; printf "%s\\n" "${{COMPREPLY[@]}}"'
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "select\n"


def on_a_terminal(**environment: str) -> str:
    """What a wrong call writes to a terminal."""
    ours, theirs = pty.openpty()
    clean = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
    subprocess.run([*PROGRAM, "nonsense"], stderr=theirs, env={**clean, "TERM": "xterm", **environment})
    os.close(theirs)
    text = os.read(ours, 10_000).decode()
    os.close(ours)
    return text


@posix
def test_errors_are_in_colour_on_a_terminal_only():
    assert on_a_terminal().startswith("\x1b[1;31merror:\x1b[0m there is no command 'nonsense'")
    assert on_a_terminal(NO_COLOR="1").startswith("error: ")
    assert on_a_terminal(NO_COLOR="").startswith("\x1b[1;31merror:")  # set, but to nothing: as if it were not
    assert on_a_terminal(TERM="dumb").startswith("error: ")
    done = subprocess.run([*PROGRAM, "nonsense"], capture_output=True, text=True)
    assert done.stderr.startswith("error: ")
