"""The algebra says what it said, of many similarities: their plans in words, scores, alignments and refusals.

Scores are those of the definition as well.
"""

import json
from pathlib import Path

import msgspec
import pytest

import algebra_data
from adjudge.algebra import ir
from adjudge.algebra.data import decode
from adjudge.algebra.plan import plan

EXPECTED = json.loads((Path(__file__).parent / "kept.json").read_text(encoding="utf-8"))
CASES = {name: (spec, values) for name, spec, values in algebra_data.similarities()}
HOW = "if that is meant: python tests/algebra_data.py > tests/algebra/kept.json"


def test_the_same_similarities():
    assert CASES.keys() == EXPECTED.keys(), HOW


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_similarity_is_what_it_was(name):
    found = json.loads(json.dumps(algebra_data.described(name, *CASES[name]), default=str))
    for key, value in EXPECTED[name].items():
        assert found[key] == value, f"{name}: {key} has changed; {HOW}"


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_what_is_kept_is_what_the_definition_says(name):
    spec, values = CASES[name]
    slow = plan(ir.with_conventions(decode(msgspec.json.encode(spec)), ir.Conventions()), backend="reference")
    found = [[algebra_data.told(slow, gold, system) for system in values] for gold in values]
    for mine, kept in zip(found, EXPECTED[name]["pairs"], strict=True):
        for one, other in zip(mine, kept, strict=True):
            if isinstance(other, list):  # and not what the plan refuses
                assert one == pytest.approx(other, abs=1e-9)
