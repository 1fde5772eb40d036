"""Every plan gives what the definition says: alone, inside of every other similarity, and for many systems at once."""

import json

import msgspec
import pytest

from adjudge.algebra import ir
from adjudge.algebra.plan import plan, problems
from adjudge.algebra.spec import decode
from adjudge.errors import AdjudgeError
from definition import Reference
from differential import nested_cases, plain_cases

CASES = {name: (spec, values) for name, spec, values in (*plain_cases.similarities(), *nested_cases.everything())}
# The definition tries everything: longer pairs take it minutes.
LONGEST = 180


def together(name):
    """Cases of one kind are one test: what stands in what."""
    return name.split(" of ")[-1]


def node_of(spec):
    return ir.with_conventions(decode(msgspec.json.encode(spec)), ir.Conventions())


def told(made, gold, system):
    """Value and self scores of a pair, or None where it is refused."""
    try:
        seen = made.observe(gold, system)
    except AdjudgeError:
        return None
    return seen.value, seen.system, seen.gold


def of_kind(kind):
    for name, (spec, values) in CASES.items():
        if together(name) == kind:
            try:
                yield name, node_of(spec), plan(node_of(spec)), values
            except AdjudgeError:
                continue


KINDS = sorted({together(name) for name in CASES})


@pytest.mark.parametrize("kind", KINDS)
def test_a_plan_gives_what_the_definition_says(kind):
    for name, node, made, values in of_kind(kind):
        slow = Reference(node)
        for gold in values:
            for system in values:
                seen = told(made, gold, system)
                if seen is not None and len(json.dumps([gold, system])) < LONGEST:
                    assert told(slow, gold, system) == pytest.approx(seen, abs=1e-8), name


@pytest.mark.parametrize("kind", KINDS)
def test_a_check_finds_what_does_not_fit(kind):
    for name, node, made, values in of_kind(kind):
        for value in values:
            found = list(problems(node, value))
            assert (told(made, value, value) is None) == bool(found), (name, value, found)
        for value in plain_cases.WRONG:
            told(made, value, value)  # is compared or refused, never broken


def test_few_combinations_are_refused():
    refused = 0
    for spec, _ in CASES.values():
        try:
            plan(node_of(spec))
        except AdjudgeError:
            refused += 1
    assert refused < len(CASES) // 20
