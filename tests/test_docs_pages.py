"""Everything that the documentation shows is run, and prints what it shows."""

import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from docs_pages import Failed, Page, blocks_of, check_value, compare, logical_lines, problems_of

ROOT = Path(__file__).parents[1]
GENERATED = {
    "docs/reference-commands.md": "test_docs_reference.py writes it anew",
    "docs/reference-python.md": "test_docs_reference.py writes it anew; its examples are doctests",
    "docs/which-number.md": "test_docs_numbers.py writes it anew, by running its commands",
    "CONTRIBUTING.md": "test_contributing.py runs it in a copy of the project",
}
PAGES = {
    str(path.relative_to(ROOT)): path
    for path in [
        *sorted((ROOT / "docs").glob("*.md")),
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *sorted((ROOT / "benchmarks").glob("*.md")),
    ]
    if str(path.relative_to(ROOT)) not in GENERATED
}
needs_a_shell = pytest.mark.skipif(shutil.which("bash") is None, reason="the pages are written for a POSIX shell")
LEFT_OUT = 14  # blocks of all pages that may say why they are not run


@pytest.mark.parametrize("page", PAGES)
def test_every_block_is_one_that_is_run(page):
    assert not list(problems_of(PAGES[page].read_text(encoding="utf-8")))


@needs_a_shell
@pytest.mark.parametrize("page", [name for name, path in PAGES.items() if "```" in path.read_text(encoding="utf-8")])
def test_a_page_shows_what_happens(page, tmp_path, monkeypatch):
    folder = tmp_path / "page"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    for name in ("GIT_DIR", "ADJUDGE_CONFORMANCE"):
        monkeypatch.delenv(name, raising=False)
    text = PAGES[page].read_text(encoding="utf-8")
    assert Page(page, folder).run(text) >= any(block.is_run for block in blocks_of(text))


def test_little_is_left_out():
    reasons = [
        f"{page}:{block.line}: {block.said['not run']}"
        for page, path in PAGES.items()
        for block in blocks_of(path.read_text(encoding="utf-8"))
        if "not run" in block.said
    ]
    assert len(reasons) <= LEFT_OUT, "\n".join(reasons)


def test_generated_pages_are_there():
    for page in GENERATED:
        assert (ROOT / page).is_file()


# ---------------------------------------------------------------------------------------------------------------------
# What runs the pages finds what is wrong


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("```\nadjudge demo\n```\n", "never run"),
        ("```bash\nadjudge demo\n```\n", "never run"),
        ("```sh\nadjudge demo\n", "not closed"),
        ("```text\nadjudge demo\n```\n", "never run"),
        ("    adjudge demo\n", "put it into a fence"),
        ('```json\n{"id": 1}\n```\n', "name the file"),
        ('`a.json`:\n\n```json\n{"id": 1}\n```\n', "no later block uses"),
        ("<!-- not run: no -->\n```sh\nmake\n```\n", "say why"),
        ("<!-- never: -->\n```sh\nmake\n```\n", "nothing is known of never"),
    ],
)
def test_a_block_that_is_not_run_is_found(text, said):
    assert any(said in each for each in problems_of(text))


@needs_a_shell
@pytest.mark.parametrize(
    "text",
    [
        "```python\nprint(1 + 1)  # 3\n```\n",
        "```python\nprint(1 + 1)  # the sum\n```\n",
        "```python\n1 / 3  # 0.3334\n```\n",
        "```python\n(1, 2.5)  # 1, 2.6\n```\n",
        "```python\nimport nothing_of_this_name\n```\n",
        "```python\nprint(2)\n```\n\n<!-- output -->\n```text\n3\n```\n",
        "```sh\nadjudge metrics nothing.there\n```\n",
        "```sh\nfalse | true\n```\n",
        "```console\n$ adjudge --version\nadjudge zero\n```\n",
        "```console\n$ echo one; echo two\none\n```\n",
        "<!-- exit: 3 -->\n```console\n$ exit 2\n```\n",
    ],
)
def test_a_page_that_is_wrong_fails(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert not list(problems_of(text))
    with pytest.raises(Failed, match=r"page\.md:\d+: "):
        Page("page.md", tmp_path).run(text)


@needs_a_shell
def test_what_a_page_has_begun_ends_with_it(tmp_path, monkeypatch):
    """Also if it fails midway."""
    monkeypatch.chdir(tmp_path)
    text = "```sh\nsleep 600 > /dev/null 2>&1 & echo $! | tee server.pid copy\nfalse\n```\n"
    with pytest.raises(Failed, match="false: ends with 1"):
        Page("page.md", tmp_path).run(text)
    begun = int((tmp_path / "copy").read_text())
    for _ in range(500):
        if subprocess.run(["ps", "-o", "stat=", "-p", str(begun)], capture_output=True, check=False).stdout[:1] in b"Z":
            break
        time.sleep(0.01)
    else:
        raise AssertionError(f"process {begun} is still there")


@needs_a_shell
def test_a_page_that_is_right(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = """
<!-- setup
mkdir inner
-->

`inner/a.json`, a file:

```json
{"name": "Ada"}
```

```python
import json
from pathlib import Path

name = json.loads(Path("inner/a.json").read_text())["name"]  # a comment
print(name)  # Ada
1 / 3  # 0.3333
{"a": [0.1 + 0.2]}  # {'a': [0.3]}
```

```sh
cd inner
cat a.json | tr a-z A-Z > b.json
```

```console
$ cat b.json
{"NAME": "ADA"}
$ seq 9
1
...
5
...
9
```

<!-- exit: 1 -->
```console
$ adjudge compare b.json
...
```
"""
    assert not list(problems_of(text))
    assert Page("page.md", tmp_path).run(text) == 6


def test_the_parts():
    assert logical_lines("a \\\n  b\n\n# c\n") == ["a b"]
    assert logical_lines("cat > x <<'E'\n# in it\nE\nb") == ["cat > x <<'E'\n# in it\nE", "b"]
    compare("a\n...\n", "a\nb\nc\n")
    with pytest.raises(Failed):
        compare("a\n...\nd\n", "a\nb\nc\n")
    with pytest.raises(Failed):
        check_value("[1]", [1, 2])


# ---------------------------------------------------------------------------------------------------------------------
# The mathematics


def test_every_metric_has_a_worked_example():
    from adjudge.metrics import catalogue

    blocks = [
        block.text
        for name, path in PAGES.items()
        if name.startswith("docs/mathematics")
        for block in blocks_of(path.read_text(encoding="utf-8"))
        if block.language == "python" and block.is_run
    ]
    lines = [line for block in blocks for line in block.splitlines()]
    shown = [line.partition("  # ") for line in lines if "  # " in line]
    missing = [
        each.name
        for each in catalogue()
        if not any(re.search(rf'"{re.escape(each.name)}["(]', code) for code, _, number in shown if number.strip())
    ]
    assert not missing
    tasks = ("nugget.after", "eal.argument", "eal.linking", "eal.overall", "eal2014.standard", "kbp.hop1", "kbp.hop2")
    assert all(any(f'"{name}"' in line for line in lines) for name in tasks)
    functions = (
        *("bootstrap_weights", "interval", "holm", "rank_distribution", "notches", "jackknife_error", "cohen_kappa"),
        *("fleiss_kappa", "krippendorff_alpha", "unit_alpha", "select_documents", "select_items", "paired_test"),
        *("score_interval", "benjamini_hochberg", "resamples_for"),
    )
    assert all(any(f"{name}(" in line for line in lines) for name in functions)
