"""Mentions that are none: each is named, with its place, all of them together."""

import pytest

from adjudge.errors import ValidationError
from adjudge.metrics import find
from adjudge.metrics.linking import assigned

GOOD = {"span": {"start": 0, "end": 5}, "type": "PER", "entity": "Q1"}


def problems(mentions):
    with pytest.raises(ValidationError) as caught:
        assigned(mentions)
    return [problem.message for problem in caught.value.problems]


@pytest.mark.parametrize("mentions", ["text", b"bytes", {"span": [0, 1]}, 7])
def test_what_is_no_list(mentions):
    (message,) = problems(mentions)
    assert "list" in message or "array" in message


@pytest.mark.parametrize(
    "span",
    [None, {"start": 0}, {"end": 3}, {"start": True, "end": 3}, {"start": 0, "end": False}, {"start": "0", "end": 3}],
)
def test_spans_are_two_whole_numbers(span):
    assert problems([GOOD, {**GOOD, "span": span}]) == ["mention 2 has no span of two whole numbers"]


@pytest.mark.parametrize(("name", "value"), [("type", 3), ("entity", 3), ("entity", ["Q1"])])
def test_names_are_texts_or_nothing(name, value):
    assert problems([{**GOOD, name: value}]) == ["the type or entity of mention 1 is no text"]
    assert find("linking.b3").score([{**GOOD, "entity": None}], [{**GOOD, "entity": None}]).f1 == 1.0


def test_all_problems_at_once_up_to_twenty():
    assert len(problems([{**GOOD, "span": None}] * 3)) == 3
    assert len(problems([{**GOOD, "span": None}] * 25)) == 20


def test_spans_may_be_pairs():
    pair = {**GOOD, "span": [0, 5]}
    assert find("linking.b3").score([GOOD], [pair]).f1 == 1.0
