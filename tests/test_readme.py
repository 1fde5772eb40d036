"""The README is short, and its links lead somewhere; test_docs_pages.py runs it."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_examples_are_short():
    blocks = re.findall(r"```(?:python|console|sh)\n(.*?)```", README, re.DOTALL)
    assert len(blocks) >= 4
    assert all(len([line for line in block.splitlines() if line.strip()]) <= 10 for block in blocks)
    assert len(README.splitlines()) <= 130


def test_documents_that_are_linked_exist():
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+?)\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), (page.name, target)


def test_yaml_in_the_documentation_is_valid():
    from adjudge.algebra import load_spec

    blocks = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "metrics-as-data.md").read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        assert load_spec(block).name
