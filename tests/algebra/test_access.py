"""Fields of values, kinds of values, and the cases of a union that take them."""

import collections
import dataclasses
import enum
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

from adjudge.algebra import ir
from adjudge.algebra.access import MissingField, get, getter, is_kind, kind, names
from adjudge.algebra.operators.combine import in_case


class Pair(NamedTuple):
    left: int
    right: int


@dataclasses.dataclass
class Point:
    x: int

    @property
    def broken(self):
        raise AttributeError("inside")


class Colour(enum.Enum):
    RED = "red"


FIELDS = [
    ({"a": 1}, "a", 1),
    ({"0": 1}, "0", 1),
    (collections.OrderedDict(items=3), "items", 3),
    (Pair(1, 2), "right", 2),
    (Pair(1, 2), "1", 2),
    ((5, 6), "1", 6),
    ([5, 6], "0", 5),
    (Point(3), "x", 3),
    (SimpleNamespace(**{"a.b": 4}), "a.b", 4),
    ({"a.b": None}, "a.b", None),
]
MISSING = [
    *(({"a": 1}, "b"), ({}, "items"), ((1,), "1"), ([1], "count"), ("text", "count"), (5, "bit_length")),
    *((None, "x"), (Point(3), "y"), (Point(3), "broken"), (Pair(1, 2), "2")),
]


def test_fields_of_values():
    readers = {name: getter(name) for _, name, *_ in (*FIELDS, *MISSING)}  # one serves many types
    for value, name, expected in FIELDS:
        assert get(value, name) == readers[name](value) == expected
    for value, name in MISSING:  # methods are not fields
        for read in (readers[name], lambda value, name=name: get(value, name)):
            with pytest.raises(MissingField):
                read(value)
    assert [names(each) for each in (Pair(1, 2), Point(1), [1, 2], SimpleNamespace(a=1, _b=2), 5)] == [
        *(["left", "right"], ["x"], ["0", "1"], ["a"], []),
    ]


KINDS = {
    "null": [None],
    "boolean": [True],
    "integer": [0, np.int64(3)],
    "number": [0.5, np.float32(3)],
    "string": [""],
    "array": [[], (), set(), frozenset(), range(3), collections.deque(), {}.keys(), np.zeros(2)],
    "object": [b"", {}, collections.Counter(), Pair(1, 2), Point(1), Colour.RED, iter([])],
}


def test_kinds_of_values():
    for name, values in KINDS.items():
        for value in values:
            assert kind(value) == name
            assert [each for each in KINDS if is_kind(value, each)] == [
                name,
                *(["number"] if name == "integer" else []),
            ]


@pytest.mark.parametrize(
    ("conditions", "inside", "outside"),
    [
        ({"type": "string"}, ["a"], [1, None]),
        ({"prefix": "Q"}, ["Q1"], ["q1", 5]),
        ({"has": "id"}, [{"id": None}], [{}, "id"]),
        ({"field": "kind", "equals": 1}, [{"kind": 1}], [{"kind": True}, {"kind": 2}, {}]),
        ({"field": "kind", "equals": "red"}, [{"kind": "red"}, {"kind": Colour.RED}], [{"kind": "blue"}]),
        ({"type": "object", "has": "a"}, [{"a": 1}], [{"b": 1}, [1], None]),
        ({"type": "null"}, [None], [0]),
        ({}, [1, None, "x"], []),
    ],
)
def test_cases(conditions, inside, outside):
    case = ir.Case(of=ir.Exact(), **conditions)
    assert all(in_case(case, value) for value in inside)
    assert not any(in_case(case, value) for value in outside)
    assert ir.takes_null(ir.Union(cases=(case,))) == in_case(case, None)


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (ir.Exact(), False),
        (ir.Exact(type="null"), True),
        (ir.Exact(values=("a", None)), True),
        (ir.Unit(of=ir.Exact(type="null")), True),
        (ir.Set(of=ir.Exact(type="null")), False),
    ],
)
def test_what_takes_null(node, expected):
    assert ir.takes_null(node) is expected
