"""Every metric of the catalogue, with every choice of its options, counts what the definition says."""

import typing

import pytest

from adjudge.algebra.plan import plan
from adjudge.errors import AdjudgeError
from adjudge.metrics import catalogue
from definition import Reference

# The definition tries all matchings of variables, which takes minutes for the example of Smatch.
DEFINITIONS = {definition.name: definition for definition in catalogue() if definition.name != "amr.smatch"}


def choices(kind, default):
    """Values to try for an option."""
    if isinstance(default, bool):
        return [True, False]
    if typing.get_origin(kind) is typing.Literal:
        return list(typing.get_args(kind))
    if isinstance(default, (int, float)):
        return [default + 1, default / 2] if isinstance(default, float) else [default + 1]
    return []


def cut(value, depth=0):
    """Without the last element of the outermost lists, and with the end of spans moved."""
    if isinstance(value, list):
        return [cut(each, depth + 1) for each in (value[:-1] if depth == 0 else value)]
    if isinstance(value, dict):
        return {
            name: each + 1 if name == "end" and isinstance(each, int) else cut(each, depth)
            for name, each in value.items()
        }
    return value


def doubled(value):
    """With the first element of outermost lists twice."""
    return {name: [*each[:1], *each] if isinstance(each, list) else each for name, each in value.items()}


def respelled(value, depth=0):
    """With one text of each record in other letters."""
    if isinstance(value, list):
        return [respelled(each, depth + 1) if place % 2 == 0 else each for place, each in enumerate(value)]
    if isinstance(value, dict):
        return {
            name: f"{each} the X" if isinstance(each, str) and place % 2 == depth % 2 else respelled(each, depth + 1)
            for place, (name, each) in enumerate(value.items())
        }
    return value


def emptied(value):
    """With nothing in it."""
    return {name: [] if isinstance(each, list) else each for name, each in value.items()}


def chosen(definition):
    """The metric itself, and with each other choice of each of its options."""
    yield "", definition()
    hints = typing.get_type_hints(definition.build)
    for name, default in definition.options.items():
        for value in choices(hints.get(name), default):
            try:
                yield f"{name}={value}", definition(**{name: value})
            except AdjudgeError:
                continue


NUMBERS = ("matched", "system", "found", "gold")  # the outcomes of leaves are compared in tests/algebra/test_leaves.py


@pytest.mark.parametrize("name", sorted(DEFINITIONS))
def test_an_option_counts_what_the_definition_says(name):
    document = {key: value for key, value in DEFINITIONS[name].example.items() if key != "id"}
    for choice, metric in chosen(DEFINITIONS[name]):
        gold = metric.prepare(document)
        for change in (cut, doubled, respelled, emptied):
            system = metric.prepare(change(document))
            row = metric.observe(gold, system)
            for member in metric.members:
                numbers = [name for name in member.columns if name.rpartition(":")[2] in NUMBERS]
                counts = [row.counts[column] for column in numbers]
                sides = [member.precision] if member.recall is None else [member.precision, member.recall]
                slow = [Reference(side).observe(gold, system) for side in sides]
                expected = [slow[0].value, slow[0].system, *([slow[1].value] if len(slow) > 1 else []), slow[-1].gold]
                assert counts == pytest.approx(expected, abs=1e-9), (choice, change.__name__, member.name)
                assert plan(sides[0]).observe(gold, system).value == pytest.approx(slow[0].value, abs=1e-9)
