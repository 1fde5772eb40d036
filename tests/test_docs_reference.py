"""The reference is what its generator writes, and the pictures are small and shown."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import adjudge
from adjudge.cli.app import app

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture
def generator(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    import reference

    return reference


def test_the_pages_are_what_would_be_written():
    # A process of its own: click keeps the help option of a command's first call, whatever test made it.
    ran = subprocess.run(
        [sys.executable, str(DOCS / "reference.py"), "--check"],
        env={**os.environ, "COLUMNS": "40"},  # the window does not matter
        capture_output=True,
        text=True,
    )
    assert (ran.returncode, ran.stderr) == (0, ""), f"run make docs-reference: {ran.stdout}{ran.stderr}"
    for page in DOCS.glob("reference-*.md"):
        assert not re.search(r" at 0x[0-9a-f]{6}", page.read_text(encoding="utf-8"))


def test_notebooks_print_what_they_show():
    ran = subprocess.run(
        [sys.executable, str(DOCS / "run_notebooks.py"), "--check"],
        env={**os.environ, "COLUMNS": "120"},
        capture_output=True,
        text=True,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert len(list(DOCS.glob("notebook-*.ipynb"))) == 3


def test_everything_is_in_the_reference():
    commands = (DOCS / "reference-commands.md").read_text(encoding="utf-8")
    for name in app.entries:
        assert f"\n## adjudge {name}\n" in commands
    python = (DOCS / "reference-python.md").read_text(encoding="utf-8")
    for name in set(adjudge.__all__) - {"__version__"}:
        assert f"\n## {name}\n" in python


def test_docstrings_become_markdown(generator):
    def example():
        """One line.

        f = a / b:

            f = 1

        Then:
        >>> 1 + 1
        2

        The end.
        """

    assert generator.described(example) == (
        "One line.\n\nf = a / b:\n\n```text\n    f = 1\n```\n\nThen:\n\n```pycon\n>>> 1 + 1\n2\n```\n\nThe end."
    )


def test_pictures_are_small_and_shown():
    pages = [page.read_text(encoding="utf-8") for page in DOCS.glob("*.md")]
    shown = {name for text in pages for name in re.findall(r"!\[[^\]]+\]\(images/([\w.-]+)\)", text)}
    pictures = {path.name: path for path in (DOCS / "images").iterdir()}
    assert shown == set(pictures)
    for path in pictures.values():
        assert path.read_bytes().startswith((b"\x89PNG", b"<svg"))
        assert path.stat().st_size < 150_000
