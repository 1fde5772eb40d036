"""One document: counting refuses what the check complains about."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import ValidationError
from adjudge.metrics import catalogue
from adjudge.tasks.observe import Observer, Ready, looks_at, prepared, wrapped

METRICS = {each.name: each() for each in catalogue()}
EXAMPLES = {each.name: each.example for each in catalogue()}
WRONG = st.sampled_from([None, True, 0, -1, 1.5, "x", "", ["x"], [], [1], {}, {"x": 1}, [{}], [[]]])


@st.composite
def damaged(draw: st.DrawFn, document: Any) -> Any:
    """A document in which one value is replaced, added or taken away."""
    document = copy.deepcopy(document)
    here = document
    while True:
        steps = list(here) if isinstance(here, dict) else list(range(len(here)))
        step = draw(st.sampled_from(steps))
        if isinstance(here[step], dict | list) and here[step] and draw(st.booleans()):
            here = here[step]
            continue
        if draw(st.booleans()):
            here[step] = draw(WRONG)
        else:
            del here[step]
        return document


@settings(deadline=None)
@given(st.data())
def test_counting_refuses_what_the_check_refuses(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(METRICS)))
    metric, example = METRICS[name], EXAMPLES[name]
    document = data.draw(damaged(example))
    complaints = metric.check(document)
    sides = (example, document) if data.draw(st.booleans()) else (document, example)
    try:
        metric.observe(*(prepared(metric, side) for side in sides))
        refused = False
    except ValidationError:
        refused = True
    # Counting comes first and the check only when it fails, so counting must never let pass what the check would not.
    assert refused or not complaints
    _, found = Observer((metric,))(Ready("d", sides[0]), sides[1])
    assert bool(found) == refused
    assert len(found) >= len(complaints)
    assert {each.of_gold for each in found} <= {sides[0] is document}


class Failing:
    """A metric with a function of the user's own that fails."""

    name = "failing"
    members = (METRICS["record.set"],)

    def __init__(self, problems: list[tuple[str, str, None]]) -> None:
        self.problems = problems
        self.time_limit = None

    def check(self, document: Any) -> list[tuple[str, str, None]]:
        return self.problems

    def prepare(self, document: Any) -> Any:
        return document

    def observe(self, gold: Any, system: Any, deadline: Any = None) -> Any:
        raise ZeroDivisionError


def test_a_function_that_fails_is_the_documents_fault_only_if_the_check_says_so() -> None:
    with pytest.raises(ZeroDivisionError):
        Observer((Failing([]),))(Ready("d", {"items": []}), {"items": []})
    _, found = Observer((Failing([("$.x", "wrong", None)]),))(Ready("d", {"items": []}), {"items": []})
    assert [(each.of_gold, each.message) for each in found] == [(True, "wrong"), (False, "wrong")]
    assert found[0].hint == "`adjudge metrics failing` shows what is expected"


def test_plain_values_become_documents() -> None:
    metric = METRICS["record.set"]
    assert wrapped(metric, [1]) == {"items": [1]}
    assert wrapped(metric, {"items": [1]}) == {"items": [1]}
    assert looks_at(metric, "items.x")
    assert not looks_at(metric, "relations.x")
