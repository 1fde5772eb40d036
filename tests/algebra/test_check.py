import dataclasses
import enum
import math
from typing import Annotated, Literal, NamedTuple, NotRequired, TypedDict

import numpy as np
import pytest

from adjudge.algebra import ir
from adjudge.algebra.derive import derive_similarity
from adjudge.algebra.matching import f1, graph, greedy, latent, one_to_one, prf, sequence, set_of
from adjudge.algebra.operators.leaf import ExactOp
from adjudge.algebra.plan import plan, problems
from adjudge.algebra.similarity import (
    best_of,
    case,
    custom,
    edit,
    exact,
    hierarchy,
    iou,
    mapped,
    number,
    one_of,
    overlap,
    record,
    span,
    text,
    threshold,
    total,
    union,
    unit,
    variable,
)
from adjudge.errors import ValidationError
from adjudge.model.variable import Variable

STRING, INTEGER = ir.Exact(type="string"), ir.Exact(type="integer")


class Pair(NamedTuple):
    start: int
    end: int


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Mutable:
    x: int


class NoEquality:
    pass


def found(node, value, **options):
    return [(path, message) for path, message, _ in problems(node, value, **options)]


FITS = [
    (exact, [1, "a", None, True, 1.5, [1, [2]], {"a": [1]}, (1, 2), frozenset({1}), b"x", Colour.RED]),
    (STRING, ["", "a"]),
    (INTEGER, [0, -3, np.int64(5)]),
    (ir.Exact(type="number"), [0, 0.5, np.float32(1)]),
    (ir.Exact(type="array"), [[], (), set(), range(3)]),
    (ir.Exact(values=("red", 1, None)), ["red", 1, None, Colour.RED]),
    (span(), [[1, 2], (1, 1), Pair(1, 2), {"start": 0, "end": 3, "text": "abc"}, (np.int64(1), np.int64(2))]),
    (span(start="b", end="e", inclusive=True), [{"b": 3, "e": 3}, [3, 3]]),
    (span(start="0", end="1"), [[1, 2], {"0": 1, "1": 2}]),
    (edit(), [""]),
    (hierarchy({"a": "b"}), ["a", "unknown", ["b", "a"]]),
    (hierarchy(separator="."), ["a.b"]),
    (number(2), [0, 1.5, np.float64(3)]),
    (custom(max), [object(), None]),
    (variable, ["x", 3, Variable("x")]),
    (record(a=exact), [{"a": 1, "extra": 2}, Mutable(1)][:1]),
    (record(x=exact), [Mutable(1), {"x": None}]),
    (record({"0": INTEGER, "1": STRING}), [[1, "a"], (1, "a"), {"0": 1, "1": "a"}]),
    (record(start=INTEGER), [Pair(1, 2)]),
    (total(a=one_to_one(exact), b=one_to_one(exact)), [{"a": [], "b": [1]}]),
    (union(case(exact, type="null"), STRING), [None, "a"]),
    (one_to_one(exact), [[], (1,), {1}, frozenset(), np.array([1]), {}.keys(), range(2)]),
    (sequence(exact), [[], (1,), np.array([1])]),
    (overlap(), [[1, 2], {3}]),
    (mapped(exact, by="casefold"), ["A"]),
    (text("words", normalise="squad"), ["a b"]),
    (one_of(STRING), ["a", ["a", "b"]]),
    (threshold(span(), above=0.5), [[1, 2]]),
    (best_of(exact, STRING), ["a"]),
    (unit(exact), [1]),
    (latent(one_to_one(variable)), [["x"]]),
    (f1(one_to_one(exact)), [[1]]),
    (prf(one_to_one(exact), one_to_one(STRING)), [["a"]]),
    (graph(exact), [{"nodes": ["a", "b"], "edges": [[0, 1], (1, 1)]}, {"nodes": [], "edges": []}]),
    (graph(exact, ids="value"), [{"nodes": ["a", ["b"]], "edges": [["a", ["b"]]]}]),
    (graph(record(label=exact), ids="id"), [{"nodes": [{"id": 7, "label": "a"}], "edges": [[7, 7]]}]),
    (greedy(exact, order="system", rank="get(c)"), [[{"c": 1}, {"c": 0.5}]]),
]


@pytest.mark.parametrize(("node", "values"), FITS)
def test_what_fits(node, values):
    for value in values:
        assert found(node, value) == [], value


MISFITS = [
    (STRING, 5, [("$", "expected a string, got an integer")]),
    (INTEGER, True, [("$", "expected an integer, got a boolean")]),
    (INTEGER, 3.0, [("$", "expected an integer, got a number")]),
    (INTEGER, None, [("$", "expected an integer, got null")]),
    (ir.Exact(type="null"), 0, [("$", "expected null, got an integer")]),
    (ir.Exact(type="number"), math.nan, [("$", "NaN is not equal to anything, itself included")]),
    (exact, math.nan, [("$", "NaN is not equal to anything, itself included")]),
    (exact, {"a": [1, math.nan]}, [("$", "NaN is not equal to anything, itself included")]),
    (exact, Mutable(1), [("$", "Mutable objects are not hashable")]),
    (exact, NoEquality(), [("$", "NoEquality objects have no equality of their own")]),
    (ir.Exact(values=("a", 1)), "b", [("$", "'b' is not one of a, 1")]),
    (ir.Exact(values=("a", 1)), True, [("$", "True is not one of a, 1")]),
    (span(), [5, 2], [("$", "the span ends at 2 before it starts at 5")]),
    (span(inclusive=True), [5, 4], [("$", "the span ends at 4 before it starts at 5")]),
    (
        span(),
        {"start": "1", "end": 2.5},
        [("$.start", "expected an integer, got a string"), ("$.end", "expected an integer, got a number")],
    ),
    (span(), {"start": True, "end": 2}, [("$.start", "expected an integer, got a boolean")]),
    (span(), {"begin": 1}, [("$.start", "the field 'start' is missing"), ("$.end", "the field 'end' is missing")]),
    (span(), [1, 2, 3], [("$", "expected a span of two offsets, got 3")]),
    (span(), "1-2", [("$", "expected a span, got a string")]),
    (span(), None, [("$", "expected a span, got null")]),
    (edit(), 3, [("$", "expected a string, got an integer")]),
    (hierarchy(separator="."), None, [("$", "expected a string, got null")]),
    (hierarchy(separator="."), "", [("$", "expected the name of a type, got an empty string")]),
    (hierarchy(separator="."), ["a", 3], [("$[1]", "expected a string, got an integer")]),
    (number(1), "3", [("$", "expected a number, got a string")]),
    (number(1), math.nan, [("$", "expected a number, got NaN")]),
    (number(1), math.inf, [("$", "expected a number, got an infinite number")]),
    (number(1), True, [("$", "expected a number, got a boolean")]),
    (variable, None, [("$", "expected a variable, got null")]),
    (variable, ["x"], [("$", "expected a variable, got an array")]),
    (variable, {"name": "x"}, [("$", "expected a variable, got an object")]),
    (record(a=exact), "a", [("$", "expected an object, got a string")]),
    (record(a=exact), [1], [("$", "expected an object, got an array")]),
    (record(a=exact), None, [("$", "expected an object, got null")]),
    (
        record({"a b": exact, "2": exact}),
        {},
        [("$['a b']", "the field 'a b' is missing"), ("$[2]", "the field '2' is missing")],
    ),
    (record({"0": exact, "1": exact}), [1], [("$[1]", "the field '1' is missing")]),
    (record({"0": exact}), "x", [("$", "expected an array, got a string")]),
    (one_to_one(exact), "abc", [("$", "expected an array, got a string")]),
    (one_to_one(exact), {"a": 1}, [("$", "expected an array, got an object")]),
    (one_to_one(exact), None, [("$", "expected an array, got null")]),
    (one_to_one(exact), b"abc", [("$", "expected an array, got an object")]),
    (
        one_to_one(INTEGER),
        ["a", 1, None],
        [("$[0]", "expected an integer, got a string"), ("$[2]", "expected an integer, got null")],
    ),
    (sequence(exact), {1, 2}, [("$", "expected an array with an order, got a set")]),
    (sequence(exact), "abc", [("$", "expected an array, got a string")]),
    (overlap(), 3, [("$", "expected an array, got an integer")]),
    (
        greedy(exact, order="gold", rank="get(c)"),
        [{"c": "x"}],
        [("get(c)($[0])", "expected a number, got a string")],
    ),
    (
        union(case(exact, type="null"), case(STRING, type="string")),
        3,
        [("$", "no case takes an integer; there are null, string")],
    ),
    (
        union(case(exact, prefix="Q"), case(exact, has="id")),
        "x",
        [("$", "no case takes a string; there are strings that start with Q, objects with id")],
    ),
    (
        union(case(exact, python=Pair), case(exact, name="text", type="string")),
        3,
        [("$", "no case takes an integer; there are Pair, text")],
    ),
    (
        mapped(one_to_one(INTEGER), by="words"),
        "a b",
        [
            ("words($)[0]", "expected an integer, got a string"),
            ("words($)[1]", "expected an integer, got a string"),
        ],
    ),
    (mapped(INTEGER, by="strip"), "a", [("$", "expected an integer, got a string")]),
    (one_of(STRING), 5, [("$", "expected an array, got an integer")]),
    (threshold(span(), above=0.5), "x", [("$", "expected a span, got a string")]),
    (best_of(STRING, edit()), 3, [("$", "expected a string, got an integer")]),
    (prf(one_to_one(STRING), one_to_one(STRING)), [3], [("$[0]", "expected a string, got an integer")]),
    (graph(exact), 5, [("$", "expected an object, got an integer")]),
    (graph(exact), {"nodes": ["a"]}, [("$.edges", "the field 'edges' is missing")]),
    (graph(exact), {"nodes": "ab", "edges": []}, [("$.nodes", "expected an array, got a string")]),
    (graph(STRING), {"nodes": [1], "edges": []}, [("$.nodes[0]", "expected a string, got an integer")]),
    (
        graph(exact),
        {"nodes": ["a"], "edges": [[0, 1], 3, [0], ["a", 0]]},
        [
            ("$.edges[0][1]", "there is no node 1"),
            ("$.edges[1]", "expected an edge, a pair of node ids, got 3"),
            ("$.edges[2]", "expected an edge, a pair of node ids, got [0]"),
            ("$.edges[3][0]", "there is no node 'a'"),
        ],
    ),
    (graph(exact), {"nodes": ["a", "b"], "edges": [[0, True]]}, [("$.edges[0][1]", "there is no node True")]),
    (
        graph(exact, ids="id"),
        {"nodes": [{"id": 1}, {"id": 1}, {}], "edges": []},
        [("$.nodes[1]", "two nodes have the id 1"), ("$.nodes[2].id", "the field 'id' is missing")],
    ),
    (graph(exact, ids="value"), {"nodes": ["a"], "edges": [[{}, "a"]]}, [("$.edges[0][0]", "there is no node {}")]),
]


@pytest.mark.parametrize(("node", "value", "expected"), MISFITS)
def test_what_does_not_fit(node, value, expected):
    assert found(node, value) == expected


def observe(node, value):
    return plan(latent(node) if ir.has_variables(node) else node).observe(value, value)


@pytest.mark.parametrize(("node", "values"), [row for row in FITS if row[0] not in (custom(max), one_of(STRING))])
def test_what_fits_can_be_computed(node, values):
    for value in values:
        observe(node, value)


@pytest.mark.parametrize(("node", "value"), [row[:2] for row in MISFITS if row[0] != variable])
def test_what_does_not_fit_is_never_computed(node, value):
    with pytest.raises(ValidationError):
        observe(node, value)


def test_everything_is_reported_with_its_place():
    node = record(events=one_to_one(record(trigger=span(), type=ir.Exact(values=("attack", "meet")))))
    value = {
        "events": [
            {"trigger": [1, 2], "type": "attack"},
            {"triger": [1, 2], "type": "atack"},
            "meet",
            {"trigger": {"start": 9, "end": 3}, "type": "meet"},
            {"trigger": {"start": None, "end": 3}},
        ]
    }
    assert list(problems(node, value, "doc7")) == [
        ("doc7.events[1].trigger", "the field 'trigger' is missing", "did you mean triger?"),
        ("doc7.events[1].type", "'atack' is not one of attack, meet", "did you mean attack?"),
        ("doc7.events[2]", "expected an object, got a string", "with the fields trigger, type"),
        ("doc7.events[3].trigger", "the span ends at 3 before it starts at 9", "swap the two offsets"),
        ("doc7.events[4].trigger.start", "expected an integer, got null", None),
        ("doc7.events[4].type", "the field 'type' is missing", "the fields there are trigger"),
    ]


class Event(TypedDict):
    type: str
    span: Annotated[dict, iou()] | None
    note: NotRequired[str]
    kind: Literal["a", None]


def test_what_may_be_null_may_be_absent():
    node = derive_similarity(list[Event])
    assert found(node, [{"type": "x"}, {"type": "x", "span": None, "note": None, "kind": None}]) == []
    assert found(node, [{"span": {}}]) == [
        ("$[0].type", "the field 'type' is missing"),
        ("$[0].span.start", "the field 'start' is missing"),
        ("$[0].span.end", "the field 'end' is missing"),
    ]


def test_mapped_entries_say_what_was_done():
    node = record(roles=derive_similarity(dict[str, int]))
    assert found(node, {"roles": {"agent": "x", "patient": 2}}) == [
        ("items($.roles)[0].value", "expected an integer, got a string")
    ]
    assert found(node, {"roles": [1]}) == [
        ("$.roles", "items cannot be applied to an array (TypeError: expected an object)")
    ]


def test_a_broken_function_is_a_problem_not_a_crash():
    def broken(value):
        raise RuntimeError("oh no")

    assert found(mapped(exact, by=broken), 3)[0][1].endswith("(RuntimeError: oh no)")
    ((path, message),) = found(mapped(exact, by="casefold"), 3)
    assert (path, message.partition(" (")[0]) == ("$", "casefold cannot be applied to an integer")


def test_sides():
    node = one_of(STRING)
    assert found(node, "a", side="system") == []
    assert found(node, ["a"], side="gold") == []
    assert found(node, "a", side="gold") == [("$", "expected an array, got a string")]
    assert found(node, ["a"], side="system") == [("singleton($)[0]", "expected a string, got an array")]
    nested = record(answers=set_of(node))
    assert found(nested, {"answers": ["a"]}, side="system") == []
    assert found(nested, {"answers": [["a", "b"]]}, side="gold") == []


def test_hints_for_union_tags():
    node = union(case(exact, field="kind", equals="person"), case(exact, field="kind", equals="place"))
    hints = [problems(node, value)[0][2] for value in ({"kind": "persn"}, {"kind": 7}, {}, 3)]
    assert hints == [
        "did you mean person?",
        "kind is 7",
        "is the field 'kind' missing?",
        "is the field 'kind' missing?",
    ]


def test_long_values_are_shortened():
    ((_, message, _),) = problems(ir.Exact(values=tuple("abcdefghijklmnop")), "x" * 200)
    assert len(message) < 150
    assert "(16 in all)" in message


def test_what_does_not_fit_is_looked_at_once(monkeypatch):
    """Looking again to say where would double the work at every level."""
    node = ir.Exact(type="integer")
    value = "wrong"
    for _ in range(12):
        node = ir.Set(of=ir.Record(fields={"a": node, "b": ir.Exact(type="integer")}))
        value = [{"a": value, "b": "wrong"}]
    looked = []
    prepare = ExactOp.prepare

    def counted(self, *arguments):
        looked.append(self)
        return prepare(self, *arguments)

    monkeypatch.setattr(ExactOp, "prepare", counted)
    assert len(problems(node, value, side="gold")) == 13
    assert len(looked) == 13


@pytest.mark.parametrize("value", [10**400, -(10**400), 10**309], ids=["large", "low", "near"])
def test_numbers_too_large_to_count_with(value):
    said = [("$", "the number is too large to be compared")]
    assert found(number(scale=10), value) == said
    ranked = greedy(number(scale=10), order="system", rank=lambda each: value)
    assert [message for _, message in found(ranked, [1])] == [said[0][1]]


def test_numbers_that_are_just_small_enough():
    assert found(number(scale=1e-300), 10**300) == []
    assert plan(number(scale=1e-300)).observe(10**300, -(10**300)).value == 0
    assert plan(threshold(number(scale=2), above=0.5)).observe(10**300, 10**300).value == 1


@pytest.mark.parametrize(
    "value",
    [(0, 10**400), {"start": -(10**400), "end": 0}, {"start": 0, "end": 2**53 + 1}],
    ids=["pair", "negative", "near"],
)
def test_offsets_too_large_to_count_with(value):
    (problem,) = found(span(by="count"), value)
    assert problem[1] == "the offset is too large to count with"
    assert found(span(by="count"), (0, 2**53)) == []
