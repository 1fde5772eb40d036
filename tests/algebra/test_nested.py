"""Similarities inside of others are planned as they were, and every plan gives what the definition says."""

import json
from pathlib import Path

import msgspec
import pytest

import nested_data
from adjudge.algebra import ir
from adjudge.algebra.data import decode
from adjudge.algebra.plan import plan

EXPECTED = json.loads((Path(__file__).parent / "nested.json").read_text(encoding="utf-8"))
CASES = {name: (spec, values) for name, spec, values in nested_data.everything()}
HOW = "if that is meant: python tests/nested_data.py > tests/algebra/nested.json"


def together(name):
    """Cases of one kind are one test: what stands in what."""
    return name.split(" of ")[-1]


KINDS = sorted({together(name) for name in EXPECTED})


def test_the_same_similarities():
    assert list(CASES) == list(EXPECTED), HOW


@pytest.mark.parametrize("kind", KINDS)
def test_a_similarity_is_what_it_was(kind):
    for name, (spec, values) in CASES.items():
        if together(name) == kind:
            found = json.loads(json.dumps(nested_data.described(name, spec, values)))
            assert found.keys() == EXPECTED[name].keys(), f"{name} has changed; {HOW}"
            for key, value in EXPECTED[name].items():
                assert found[key] == value, f"{name}: {key} has changed; {HOW}"


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_kept_is_what_the_definition_says(kind):
    for name, (spec, values) in CASES.items():
        if together(name) != kind or "refused" in EXPECTED[name]:
            continue
        slow = plan(ir.with_conventions(decode(msgspec.json.encode(spec)), ir.Conventions()), backend="reference")
        for gold, row in zip(values, EXPECTED[name]["pairs"], strict=True):
            for place, (system, kept) in enumerate(zip(values, row, strict=True)):
                # And not what the plan refuses, or what takes the definition long.
                if isinstance(kept, float) and len(json.dumps([gold, system])) < 180:
                    seen = nested_data.told(slow, gold, system)
                    assert seen[0] == pytest.approx(kept, abs=1e-8), name
                    assert seen[1] == pytest.approx(EXPECTED[name]["own"][place][0], abs=1e-8), name
