"""No published case is forgotten: each is claimed by the one module that runs it."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CASES = {case["id"]: case for case in json.loads((HERE / "published.json").read_text("utf-8"))["cases"]}
# The start of an id, up to its first hyphen, and the module test_published_<module>.py.
MODULES = {
    "grit": "template",
    "gtt": "template",
    "rme": "template",
    "iterx": "template",
    "das": "template",
    "better": "template",
    "muc4": "muc4",
    "scirex": "relations",
    "docred": "relations",
    "dygie": "relations",
    "ee": "events",
    "omni": "events",
    "rams": "events",
    "wikievents": "events",
    "amr": "amr",
    "smatch": "amr",
    "ner": "ner",
    "neleval": "linking",
    "ud": "tree",
}


def literals(path: Path) -> frozenset[str]:
    """The strings that stand in the code of a module."""
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    return frozenset(node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))


LITERALS = {
    path.stem.removeprefix("test_published_"): literals(path)
    for path in sorted(HERE.glob("test_published_*.py"))
    if path != Path(__file__)
}


def test_there_are_98_cases():
    assert len(CASES) == 98
    assert {name.split("-")[0] for name in CASES} == set(MODULES)
    assert set(MODULES.values()) == set(LITERALS)


@pytest.mark.parametrize("name", CASES)
def test_each_case_is_claimed_by_one_module(name):
    """A module names a case, or the start of a whole family; families leave out the cases that are files elsewhere."""
    claims = {name} if "files" in CASES[name]["input"] else {name, f"{name.split('-')[0]}-"}
    assert [module for module, found in LITERALS.items() if claims & found] == [MODULES[name.split("-")[0]]]
