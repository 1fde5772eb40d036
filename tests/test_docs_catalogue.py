"""The pages on named entities and trees print what the commands print."""

import re
import shlex
from pathlib import Path

import pytest

from adjudge.cli import run

DOCS = Path(__file__).parents[1] / "docs"


@pytest.mark.parametrize("page", ["ner.md", "tree.md", "templates.md", "linking.md"])
def test_what_is_shown_is_what_is_printed(page, tmp_path, monkeypatch, capsys):
    text = (DOCS / page).read_text(encoding="utf-8")
    for name, content in re.findall(r"^`([\w.]+)`[^\n]*:\n\n```text\n(.*?)```$", text, re.DOTALL | re.MULTILINE):
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    shown = re.findall(r"^```console\n\$ adjudge (.*?)\n(.*?)```$", text, re.DOTALL | re.MULTILINE)
    assert len(shown) >= 2
    for command, printed in shown:
        assert run(shlex.split(command)) == 0, command
        out = capsys.readouterr().out
        assert printed.strip("\n")
        assert out.startswith(printed.rstrip("\n") + "\n"), command
