"""The tool that puts small faults into the sources makes the faults that it says, and no others."""

import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "mutation"


@pytest.fixture(scope="module")
def mutants():
    sys.path.insert(0, str(TOOL))
    try:
        import mutants
    finally:
        sys.path.remove(str(TOOL))
    return mutants


def made(mutants, text):
    source = text.encode()
    return [mutant.applied(source).decode() for mutant in mutants.find_mutants("a.py", source)]


def test_every_kind_of_fault(mutants):
    assert made(mutants, "x = a < 1\n") == ["x = (a <= 1)\n", "x = None\n", "x = a < 2\n"]
    assert "x = max(a, b)\n" in made(mutants, "x = min(a, b)\n")
    assert "x = sorted(a)\n" in made(mutants, "x = sorted(a, key=f)\n")
    assert "x -= y\n" in made(mutants, "x += y\n")
    assert "x = y\n" in made(mutants, "x += y\n")
    assert "pass\n" in made(mutants, "f(x)\n")
    assert "x = (a or b)\n" in made(mutants, "x = a and b\n")
    assert "x = [y for y in z if True]\n" in made(mutants, "x = [y for y in z if y]\n")
    assert "while x:\n    continue\n" in made(mutants, "while x:\n    break\n")
    assert "if (not (x)):\n    pass\n" in made(mutants, "if x:\n    pass\n")


def test_what_no_test_should_notice_is_left_alone(mutants):
    text = '''"""What it is."""
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from a import b
def f(x: "int | None" = None) -> "str":
    """What it does."""
    raise UsageError("wrong", hint="do it right")
'''
    assert made(mutants, text) == []


def test_places_are_right_behind_letters_of_several_bytes(mutants):
    assert 'x = "äö", 2\n' in made(mutants, 'x = "äö", 1\n')


def test_the_draw_is_seeded_and_in_proportion(mutants, tmp_path):
    sys.path.insert(0, str(TOOL))
    try:
        import run
    finally:
        sys.path.remove(str(TOOL))
    (tmp_path / "a.py").write_text("x = 1\n" * 30)
    (tmp_path / "b.py").write_text("x = 1\n" * 10)
    own = {name: mutants.find_mutants(name, (tmp_path / name).read_bytes()) for name in ("a.py", "b.py")}
    first, again, other = (run.draw(own, 20, seed, tmp_path) for seed in (1, 1, 2))
    assert first == again != other
    assert [sum(each.path == name for each in first) for name in own] == [15, 5]
    assert len(set(first)) == 20
    low, high = run.wilson(85, 100)
    assert (round(low, 3), round(high, 3)) == (0.767, 0.907)
