import functools
import pickle

import pytest

from adjudge.algebra.functions import PLAIN, Fn
from adjudge.errors import UsageError


def shout(text):
    return text.upper()


class Scaler:
    def __init__(self, by):
        self.by = by

    def __call__(self, value):
        return value * self.by

    def method(self, value):
        return value * self.by

    @classmethod
    def double(cls, value):
        return value * 2


def test_named_functions_survive():
    for given in (shout, len, str.casefold, Scaler, Scaler.double, "casefold", "ngrams(2)", "split(<)", "get(a)"):
        function = Fn.of(given)
        if not isinstance(given, str) or "(" in given:
            _ = function.function  # using it must not make it unsavable
        function.check_saved()
        assert pickle.loads(pickle.dumps(function)) == function
        assert Fn(function.name) == function


@pytest.mark.parametrize(
    "given", [lambda value: value, functools.partial(int, base=2), Scaler(2), Scaler(2).method, "x".join]
)
def test_functions_without_a_name_cannot_be_saved(given):
    with pytest.raises(UsageError, match="cannot be written down"):
        Fn.of(given).check_saved()


def test_functions_without_a_name_are_not_mixed_up():
    assert Fn.of(functools.partial(int, base=2)) != Fn.of(functools.partial(int, base=3))
    assert Fn.of(Scaler(2)) != Fn.of(Scaler(3))
    assert Fn.of(Scaler(2).method) != Fn.of(Scaler.method)
    double = Scaler(2)
    assert Fn.of(double) == Fn.of(double)
    assert pickle.loads(pickle.dumps(Fn.of(functools.partial(int, base=2))))("11") == 3


def test_unknown_names():
    with pytest.raises(UsageError, match="did you mean casefold"):
        _ = Fn("casefld").function
    with pytest.raises(UsageError, match="cannot find"):
        _ = Fn("no.such.module:name").function
    with pytest.raises(UsageError, match="is not a function"):
        _ = Fn("math:pi").function
    with pytest.raises(UsageError, match="wrong arguments"):
        _ = Fn("ngrams(x)").function


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("squad", "The  Cat, a dog", "cat dog"),
        ("spaces", " a  b ", "a b"),
        ("singletons", [1, 2], [[1], [2]]),
        ("flatten", [[1], [2, 3]], [1, 2, 3]),
        ("pairs", [2, 1, 3], [(1, 2), (1, 3), (2, 3)]),
        ("links", [[1, 2], [3]], [(1, 2)]),
        ("memberships", [[1, 2]], [{"mention": 1, "entity": [1, 2]}, {"mention": 2, "entity": [1, 2]}]),
        ("without(a, b)", ["a", "c"], ["c"]),
        ("split(, )", "a, b", ["a", "b"]),
        ("ngrams(3)", "ab", ["ab"]),
        ("ngrams(3)", "", []),
        ("get(1)", (4, 5), 5),
        ("get(k)", {"k": 7}, 7),
        ("tree", {"l": 1, "children": [{"l": 2}]}, {"nodes": [{"l": 1}, {"l": 2}], "edges": [(0, 1)]}),
        ("tree", {}, {"nodes": [], "edges": []}),
    ],
)
def test_builtins(name, value, expected):
    assert Fn(name)(value) == expected


def test_every_builtin_has_a_name_that_resolves():
    assert all(Fn(name).function is function for name, function in PLAIN.items())


@pytest.mark.parametrize("name", ["ngrams(0)", "ngrams(-1)"])
def test_an_ngram_has_at_least_one_character(name):
    with pytest.raises(UsageError, match="an n-gram has at least one character"):
        _ = Fn(name).function
