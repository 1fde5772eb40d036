"""The README promises nothing that does not run."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

from adjudge.cli import run
from adjudge.demo import GOLD, SYSTEMS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = dict.fromkeys(["sh", "python", "yaml"], "")
for language in BLOCKS:
    BLOCKS[language] = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_python_example(capsys):
    (code,) = BLOCKS["python"]
    assert len([line for line in code.splitlines() if line.strip() and not line.startswith("#")]) <= 10
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
    printed = capsys.readouterr().out
    promised = re.findall(r"#\s+(\d\.\d+ \[.*?\])", code)
    assert promised
    assert all(text in printed for text in promised)
    assert "1 matched, 1 missed, 1 spurious" in printed


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "gold.jsonl").write_bytes(Path(GOLD).read_bytes())
    for name, path in SYSTEMS.items():
        (tmp_path / f"{name}.jsonl").write_bytes(Path(path).read_bytes())
    (spec,) = BLOCKS["yaml"]
    (tmp_path / "my-metric.yaml").write_text(spec)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_command_line_examples(folder, capsys):
    commands = [line for line in BLOCKS["sh"][1].splitlines() if line]
    assert len(commands) >= 5
    for command in commands:
        program, *arguments = shlex.split(command.replace("doc-07", "nw-06"))
        assert program == "adjudge"
        if "other.json" in arguments:
            assert run(["score", "relation.strict", "gold.jsonl", "cedar.jsonl", "--save", "other.json"]) == 0
        assert run(arguments) == 0, command
        assert capsys.readouterr().out.strip(), command


def test_yaml_example_is_a_metric(folder):
    from adjudge import find

    assert find("my-metric.yaml").name == yaml.safe_load(BLOCKS["yaml"][0])["name"]


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
