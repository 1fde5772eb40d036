"""The README is short, and its links lead somewhere; test_docs_pages.py runs it."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_first_example_is_short():
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len([line for line in code.splitlines() if line.strip() and not line.startswith("#")]) <= 10
    assert "# 0.5000\n" in code  # test_docs_pages.py runs it


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
