"""The pages on comparing, agreement and notebooks: commands run, code prints what it says."""

import re
import shlex
from pathlib import Path

import pytest

from adjudge.cli import run
from adjudge.demo import GOLD, SYSTEMS

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "gold.jsonl").write_bytes(Path(GOLD).read_bytes())
    for name, path in SYSTEMS.items():
        (tmp_path / f"{name}.jsonl").write_bytes(Path(path).read_bytes())
    for name in ("anna", "ben", "clara"):
        (tmp_path / f"{name}.bio").write_text(f"Ada B-PER\nmet O\n{name} B-PER\n")
        entity = '{"span": {"start": 0, "end": 3}, "type": "PER"}'
        (tmp_path / f"{name}.jsonl").write_text(f'{{"id": "d", "text": "Ada met", "entities": [{entity}]}}\n')
    monkeypatch.chdir(tmp_path)
    for name in SYSTEMS:
        arguments = f"score relation.strict gold.jsonl {name}.jsonl --by relations.type --save {name}.json -o x"
        assert run(shlex.split(arguments)) == 0


@pytest.mark.parametrize("page", ["comparing.md", "agreement.md"])
def test_commands_run(page, folder, capsys):
    text = (DOCS / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    commands = [line for block in blocks for line in block.splitlines() if line.startswith("adjudge ")]
    assert len(commands) >= 2
    for command in commands:
        arguments = shlex.split(command.replace('"$GITHUB_STEP_SUMMARY"', "summary.md"))[1:]
        assert run(arguments) == 0, (command, capsys.readouterr().err)


@pytest.mark.parametrize("page", ["agreement.md", "notebooks.md"])
def test_code_prints_what_it_says(page, capsys):
    text = (DOCS / page).read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    exec(compile(code, page, "exec"), {"__name__": "docs"})
    printed = capsys.readouterr().out.splitlines()
    promised = re.findall(r"^print\(.*\)\s+# (.*)$", code, re.MULTILINE)
    assert promised
    assert printed == promised


def test_scripts_for_shells(capsys):
    text = (DOCS / "notebooks.md").read_text(encoding="utf-8")
    for shell in re.findall(r"^adjudge completion (\w+)", text, re.MULTILINE):
        assert run(["completion", shell]) == 0
        assert capsys.readouterr().out
