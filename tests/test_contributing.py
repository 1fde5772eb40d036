"""Following CONTRIBUTING.md to the letter, in a copy of the project, adds a metric, a published scorer and a task."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from docs_pages import blocks_of, compare, problems_of

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
MAIN = "from adjudge.cli import main; main()"


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the project with the files of the page, and nothing else that is new."""
    folder = tmp_path_factory.mktemp("project")
    shutil.copytree(ROOT / "src", folder / "src")
    shutil.copy(ROOT / "pyproject.toml", folder)
    for block in blocks_of(TEXT):
        if "file" in block.said:
            path = folder / block.said["file"]
            assert not path.exists(), f"{path.name} is there already"
            path.write_text(block.text, encoding="utf-8")
    return folder


def run(folder, arguments):
    """A command of the copy: what it prints."""
    environment = {**os.environ, "PYTHONPATH": str(folder / "src"), "COLUMNS": "120"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, "-c", MAIN, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


COMMANDS = {
    command: shown
    for block in blocks_of(TEXT)
    if block.language == "console"
    for command, _, shown in (part.partition("\n") for part in re.split(r"^\$ ", block.text, flags=re.M)[1:])
}


def test_the_page_has_no_block_that_nobody_looks_at():
    assert not list(problems_of(TEXT))
    assert {block.language for block in blocks_of(TEXT) if "file" not in block.said} == {"console"}
    files = [block.said["file"] for block in blocks_of(TEXT) if block.said.get("file", "").startswith("src/")]
    rooms = sorted(Path(file).parent.name for file in files)
    assert rooms == ["formats", "metrics", "metrics", "scorers", "tasks"]  # a metric, a scorer, and three for a task


def test_commands_print_what_the_page_shows(copy):
    for command, shown in COMMANDS.items():  # in their order: later ones read what earlier ones have saved
        name, *arguments = shlex.split(command)
        assert name == "adjudge"
        compare(shown, run(copy, arguments))


def test_mistakes_are_found_by_the_new_reader_and_validator(copy):
    (copy / "wrong.txt").write_text("d1 no tab\n")
    with pytest.raises(AssertionError, match=r"wrong\.txt:1: there is no tab, write an id, a tab, and its phrases"):
        run(copy, ["keyphrase", "score", "gold.txt", "wrong.txt"])
    (copy / "odd.txt").write_text("d1\tscoring; scoring\n")
    found = run(
        copy,
        ["keyphrase", "validate", "odd.txt", "wrong.txt", "--gold", "gold.txt", "--severity", "unreadable=warning"],
    )
    assert found.splitlines()[0] == (
        "odd.txt: warning: the document 'd2' of gold is missing, write it, even if there is nothing in it"
    )
    assert "odd.txt:1: warning: keyphrases[1]: the same as keyphrases[0], keep one of them" in found
    assert "wrong.txt:1: warning: there is no tab, write an id, a tab, and its phrases" in found
