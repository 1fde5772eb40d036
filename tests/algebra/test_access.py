import collections
import dataclasses
import enum
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from adjudge.algebra import ir
from adjudge.algebra.access import MissingField, get, getter, is_kind, kind, names
from adjudge.algebra.operators.combine import case_of, in_case


class Pair(NamedTuple):
    left: int
    right: int


@dataclasses.dataclass
class Point:
    x: int

    @property
    def broken(self):
        raise AttributeError("inside")


@pytest.mark.parametrize(
    ("value", "name", "expected"),
    [
        ({"a": 1}, "a", 1),
        ({"0": 1}, "0", 1),
        (collections.OrderedDict(items=3), "items", 3),
        (Pair(1, 2), "right", 2),
        (Pair(1, 2), "1", 2),
        ((5, 6), "1", 6),
        ([5, 6], "0", 5),
        (Point(3), "x", 3),
        (SimpleNamespace(**{"a.b": 4}), "a.b", 4),
        ({"a.b": 4}, "a.b", 4),
    ],
)
def test_get(value, name, expected):
    assert get(value, name) == expected


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"a": 1}, "b"),
        ({}, "items"),  # a method of dict is no field
        ((1,), "1"),
        ([1], "count"),
        ("text", "count"),
        (5, "bit_length"),
        (None, "x"),
        (Point(3), "y"),
        (Point(3), "broken"),
        (Pair(1, 2), "2"),
    ],
)
def test_missing(value, name):
    with pytest.raises(MissingField):
        get(value, name)


def test_one_getter_serves_many_types():
    read = getter("x")
    assert [read({"x": 1}), read(Point(2)), read(SimpleNamespace(x=3)), read({"x": 4})] == [1, 2, 3, 4]
    with pytest.raises(MissingField):
        read({})
    assert read({"x": None}) is None


class Colour(enum.Enum):
    RED = "red"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "null"),
        (True, "boolean"),
        (0, "integer"),
        (0.5, "number"),
        ("", "string"),
        (b"", "object"),
        ([], "array"),
        ((), "array"),
        (set(), "array"),
        (frozenset(), "array"),
        (range(3), "array"),
        (collections.deque(), "array"),
        ({}.keys(), "array"),
        ({}, "object"),
        (collections.Counter(), "object"),
        (Pair(1, 2), "object"),
        (Point(1), "object"),
        (Colour.RED, "object"),
        (iter([]), "object"),
    ],
)
def test_kind(value, expected):
    assert kind(value) == expected


def test_kinds_of_numbers():
    import numpy as np

    assert is_kind(np.int64(3), "integer")
    assert is_kind(np.int64(3), "number")
    assert is_kind(np.float32(3), "number")
    assert not is_kind(3.0, "integer")
    assert not is_kind(True, "number")
    assert kind(np.zeros(2)) == "array"


@pytest.mark.parametrize(
    ("conditions", "inside", "outside"),
    [
        ({"type": "string"}, ["a"], [1, None]),
        ({"prefix": "Q"}, ["Q1"], ["q1", 5]),
        ({"has": "id"}, [{"id": None}], [{}, "id"]),
        ({"field": "kind", "equals": 1}, [{"kind": 1}], [{"kind": True}, {"kind": 2}, {}]),
        ({"field": "kind", "equals": "red"}, [{"kind": "red"}, {"kind": Colour.RED}], [{"kind": "blue"}]),
        ({"type": "object", "has": "a"}, [{"a": 1}], [{"b": 1}, [1]]),
        ({}, [1, None, "x"], []),
    ],
)
def test_case_conditions(conditions, inside, outside):
    case = ir.Case(of=ir.Exact(), **conditions)
    assert all(in_case(case, value) for value in inside)
    assert not any(in_case(case, value) for value in outside)


def test_first_case_wins():
    node = ir.Union(cases=(ir.Case(type="number", of=ir.Exact()), ir.Case(type="integer", of=ir.Exact())))
    assert case_of(node, 3) == 0
    assert case_of(node, "x") is None


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (ir.Exact(), False),
        (ir.Exact(type="null"), True),
        (ir.Exact(values=("a", None)), True),
        (ir.Union(cases=(ir.Case(type="null", of=ir.Exact()), ir.Case(of=ir.Exact()))), True),
        (ir.Union(cases=(ir.Case(type="string", of=ir.Exact()),)), False),
        (ir.Unit(of=ir.Exact(type="null")), True),
        (ir.Set(of=ir.Exact(type="null")), False),
    ],
)
def test_takes_null(node, expected):
    assert ir.takes_null(node) is expected


def test_names():
    assert names(Pair(1, 2)) == ["left", "right"]
    assert names(Point(1)) == ["x"]
    assert names([1, 2]) == ["0", "1"]
    assert names(SimpleNamespace(a=1, _b=2)) == ["a"]
    assert names(5) == []
