"""A metric in a file of one's own, named as module:function."""

import sys
from pathlib import Path

import pytest

import adjudge as aj
from adjudge.cli import run

FILE = '''
from adjudge.algebra import exact, f, mapped, set_of
from adjudge.metrics import metric


@metric("tags.f1", within="tags", laws=("self",), example={"id": "d", "tags": ["a"]})
def tags(*, beta: float = 1.0, by: str = "casefold"):
    """F1 of tags."""
    return f(mapped(set_of(exact), by="flatten") if by == "flatten" else set_of(mapped(exact, by=by)), beta=beta)


@metric("tags.broken", within="tags", laws=(), example=None)
def broken():
    """Cannot be built."""
    return set_of(exact, 1, 2, 3)
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "own_tags.py").write_text(FILE)
    (tmp_path / "gold.jsonl").write_text('{"id": "d", "tags": ["A", "b", "c"]}\n')
    (tmp_path / "system.jsonl").write_text('{"id": "d", "tags": ["a"]}\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield "own_tags"
    sys.modules.pop("own_tags", None)


def test_it_is_found_with_its_options(module):
    metric = aj.find(f"{module}:tags(beta=2,pool=macro)")
    assert (metric.name, metric.pool, metric.parts[-1]) == ("tags.f1", "macro", "f2")
    assert aj.find(str(metric)) == metric
    assert str(aj.find(f"{module}:tags")) == f"{module}:tags"
    result = aj.score(f"{module}:tags", "gold.jsonl", "system.jsonl", bootstrap=0)
    assert result["tags.f1"].recall == pytest.approx(1 / 3)
    assert f"metric:{module}:tags|" in result.signature


def test_it_is_an_input_like_any_other(module, capsys):
    assert run(["score", f"{module}:tags", "gold.jsonl", "system.jsonl", "--bootstrap", "0", "--quiet"]) == 0
    assert "tags.f1  100.0      33.3    50.0" in capsys.readouterr().out
    assert run(["explain", f"{module}:tags"]) == 0
    assert capsys.readouterr().out.startswith("tags.f1: F1 of tags.")
    assert run(["score", f"{module}:tags", "gold.jsonl", "system.jsonl", "-o", "own_tags.py"]) == 2
    assert "own_tags.py" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (":tags(alpha=1)", "tags.f1 has no option 'alpha'"),
        (":broken", "own_tags:broken cannot be built: TypeError"),
        (":nothing", "nothing"),
    ],
)
def test_what_is_wrong_is_said(module, text, said, capsys):
    assert run(["score", module + text, "gold.jsonl", "system.jsonl"]) == 2
    assert said in capsys.readouterr().err
