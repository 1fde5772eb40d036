"""Metrics that are derived from types: gold against itself is perfect, and above 0 unless it is empty."""

from dataclasses import dataclass
from typing import Annotated

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import adjudge as aj
import fitting
from adjudge.algebra.matching import jaccard

RELAXED = settings(deadline=None, max_examples=25, suppress_health_check=list(HealthCheck))


@dataclass
class Argument:
    role: str
    names: list[str]


@dataclass
class Event:
    type: str
    arguments: list[Argument]
    tags: Annotated[list[str], jaccard]


@dataclass
class Record:
    name: str
    items: list[str]


@dataclass
class Events:
    id: str
    events: list[Event]


@dataclass
class Page:
    id: str
    events: list[Event]
    records: list[Record]
    label: str


@pytest.mark.parametrize("kind", [list[Event], list[Record], Record, Events, Page, dict[str, list[str]]])
@RELAXED
@given(data=st.data())
def test_gold_against_itself_is_perfect_and_something(kind, data):
    metric = aj.derive(kind)
    if kind == dict[str, list[str]]:
        gold = {"value": data.draw(st.dictionaries(st.sampled_from("ab"), st.lists(st.sampled_from("xy"))))}
    else:
        gold = data.draw(fitting.documents(metric))
    for member in metric.members:
        matched, system, known = (member.observe(gold, gold).counts[column] for column in member.columns)
        assert matched == pytest.approx(system) == pytest.approx(known)
        (field,) = member.precision.fields if len(member.precision.fields) == 1 else [None]
        assert (matched > 0) == bool(field is None or gold[field])
