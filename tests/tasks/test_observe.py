"""One document: counting refuses what the check complains about."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import UsageError, ValidationError
from adjudge.metrics import catalogue
from adjudge.tasks.observe import GOLD, Observer, looks_at, prepared, wrapped

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
    observed = Observer((metric,))(sides[0], (sides[1],))
    assert bool(observed.complaints) == refused
    assert len(observed.complaints) >= len(complaints)
    side = 0 if sides[1] is document else GOLD
    assert {each.side for each in observed.complaints} <= {side}


class Failing:
    """A metric with a function of the user's own that fails."""

    name = "failing"
    members = (METRICS["record.set"],)

    def __init__(self, problems: list[tuple[str, str, None]]) -> None:
        self.problems = problems

    def check(self, document: Any) -> list[tuple[str, str, None]]:
        return self.problems

    def prepare(self, document: Any) -> Any:
        return document

    def observe(self, gold: Any, system: Any) -> Any:
        raise ZeroDivisionError


def test_a_function_that_fails_is_the_documents_fault_only_if_the_check_says_so() -> None:
    with pytest.raises(ZeroDivisionError):
        Observer((Failing([]),))({"items": []}, ({"items": []},))
    seen = Observer((Failing([("$.x", "wrong", None)]),))({"items": []}, ({"items": []},))
    assert [(each.side, each.message) for each in seen.complaints] == [(GOLD, "wrong"), (0, "wrong")]
    assert seen.complaints[0].hint == "`adjudge explain failing` shows what is expected"


def test_plain_values_become_documents() -> None:
    metric = METRICS["record.set"]
    assert wrapped(metric, [1]) == {"items": [1]}
    assert wrapped(metric, {"items": [1]}) == {"items": [1]}
    assert looks_at(metric, "items.x")
    assert not looks_at(metric, "relations.x")


@settings(deadline=None)
@given(st.data())
def test_many_documents_at_once_give_what_each_gives(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(METRICS)))
    example = EXAMPLES[name]
    documents = st.one_of(st.just(example), damaged(example))
    pairs = data.draw(
        st.lists(
            st.tuples(documents, st.tuples(st.none() | documents, documents)).map(
                lambda pair: (pair[0], tuple(pair[1]))
            ),
            min_size=1,
            max_size=4,
        )
    )
    observer = Observer((METRICS[name], METRICS["record.set"] if name != "record.set" else METRICS["ner.type"]))

    def outcome(function: Any) -> Any:
        try:
            return function()
        except (ValidationError, UsageError) as error:
            return str(error)

    one_by_one = outcome(lambda: [observer(gold, systems) for gold, systems in pairs])
    assert outcome(lambda: observer.many(pairs)) == one_by_one
    fine = outcome(lambda: [Observer((METRICS[name],))(example, (example, None))])
    assert outcome(lambda: Observer((METRICS[name],)).many([(example, (example, None))])) == fine
