"""The searches answer what they answered and take the way they took: no bound has become weaker, no cut is left out.

What is kept was compared with trying everything, in the other tests of this folder, when it was written down.
"""

import json
from pathlib import Path

import pytest

import solve_data

EXPECTED = json.loads((Path(__file__).parent / "steps.json").read_text(encoding="utf-8"))
PROBLEMS = dict(solve_data.everything())
HOW = "if that is meant: python tests/solve_data.py > tests/algebra/solve/steps.json"


def test_the_same_problems():
    assert PROBLEMS.keys() == EXPECTED.keys(), HOW


@pytest.mark.parametrize("name", list(EXPECTED))
def test_the_way_of_a_search(name):
    found = json.loads(json.dumps(solve_data.described(PROBLEMS[name])))
    assert found["answer"] == EXPECTED[name]["answer"], f"{name}: another answer; {HOW}"
    assert found["calls"] == EXPECTED[name]["calls"], f"{name}: another way; {HOW}"
