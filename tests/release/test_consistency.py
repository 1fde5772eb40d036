"""One version and one list of supported Pythons, wherever they are named."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
import zlib
from pathlib import Path

import yaml

import adjudge
from adjudge._version import __version__

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools" / "release"))

from pack import slim  # noqa: E402

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PYTHONS = [each.rsplit(" ", 1)[1] for each in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", each)]


def test_the_changelog_begins_with_this_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"(?m)^## (\d+\.\d+\.\d+)(?: \((unreleased|\d{4}-\d\d-\d\d)\))?$", text)
    assert len(versions) == text.count("\n## "), "a heading of the changelog is: ## 1.2.3 (2031-05-17), or (unreleased)"
    assert versions[0][0] == __version__
    numbers = [tuple(map(int, version.split("."))) for version, _ in versions]
    assert numbers == sorted(set(numbers), reverse=True)
    assert all(day and day != "unreleased" for _, day in versions[1:]), "only the first version may be unreleased"


def test_the_version_is_told_everywhere_alike() -> None:
    assert adjudge.__version__ == __version__
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert str(citation["version"]) == __version__
    assert citation["license"] == PROJECT["license"]
    assert [set(each) for each in citation["authors"]] == [{"name"}]  # an entity, no person


def test_supported_pythons_are_tested() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8"))
    assert workflow["jobs"]["test"]["strategy"]["matrix"]["python"] == PYTHONS
    steps = workflow["jobs"]["release"]["steps"]
    assert [each for step in steps for each in str(step.get("with", {}).get("python-version", "")).split()] == PYTHONS
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"


def test_every_dependency_has_a_lower_bound_for_every_python() -> None:
    for text in PROJECT["dependencies"]:
        name, _, marker = text.partition(";")
        assert re.fullmatch(r"[a-z0-9]+>=\d+(\.\d+)*", name.strip()), text
        assert not marker or re.fullmatch(
            r" python_version (<|>=) '3\.\d+'( and python_version (<|>=) '3\.\d+')?", marker
        )


def bodies(module):
    """The statements of a module with their lines, without docstrings."""
    tree = ast.parse(module)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module) and ast.get_docstring(
            node
        ):
            del node.body[0]
    lines = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.stmt) and hasattr(node, "lineno")]
    return lines, ast.dump(tree)


def test_the_wheel_stays_below_two_megabytes() -> None:
    """What the files of the package weigh when compressed one by one; `make test-dist` weighs the wheel itself."""
    source = ROOT / "src" / "adjudge"
    reference = (ROOT / "docs" / "reference-python.md").read_text(encoding="utf-8")
    files = [path for path in source.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    demo = [path for path in files if path.is_relative_to(source / "demo" / "data")]  # packed together in a wheel
    blocks = [path.read_bytes() for path in files if path not in set(demo) and path.suffix != ".py"]
    blocks.append(b"".join(path.read_bytes() for path in sorted(demo, key=lambda path: path.stem)))
    for path in files:
        if path.suffix == ".py":
            module = path.read_text(encoding="utf-8")
            blocks.append(slim(module, reference, private=path.is_relative_to(source / "cli")).encode())
    packed = sum(len(zlib.compress(block, 9)) for block in blocks)
    assert 0.965 * packed + 200 * len(blocks) < 2_000_000  # zopfli is 3.5 % better; directory and RECORD


def test_modules_of_the_wheel_have_the_statements_of_the_source_on_the_same_lines() -> None:
    for path in (ROOT / "src" / "adjudge" / "formats").rglob("*.py"):
        module = path.read_text(encoding="utf-8")
        small = slim(module, "")
        assert ">>> " not in small
        assert bodies(small) == bodies(module), path
