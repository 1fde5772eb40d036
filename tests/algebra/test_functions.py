"""Functions that a metric can name, on values worked out by hand; numbers, dates and texts as people write them."""

import datetime
import functools
import pickle
import sys
from dataclasses import dataclass
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.algebra.functions import PLAIN, WITH_ARGUMENTS, Fn, resolve
from adjudge.algebra.leaf_values import days, near, within
from adjudge.algebra.quantities import as_date, as_number
from adjudge.errors import UsageError

TREE = {"label": "S", "children": [{"label": "NP", "children": [{"label": "D"}]}, {"label": "VP", "children": None}]}
WORKED_OUT = [
    ("casefold", "Straße", "strasse"),
    ("lower", "ABC ß", "abc ß"),
    ("strip", " a b ", "a b"),
    ("spaces", " a \n b ", "a b"),
    ("punctuation", "a.b-c!", "abc"),
    ("articles", "the cat an a anthem", "  cat     anthem"),
    ("nfc", "e\u0301ﬁ", "éﬁ"),
    ("nfkc", "e\u0301ﬁ", "éfi"),
    ("squad", "The Cat's hat, an  X!", "cats hat x"),
    ("words", " a  b ", ["a", "b"]),
    ("characters", "abc", ["a", "b", "c"]),
    ("text", 3, "3"),
    ("singleton", 3, [3]),
    ("singletons", [1, 2], [[1], [2]]),
    ("flatten", [[1, 2], [], [3]], [1, 2, 3]),
    ("pairs", ["b", "a", "c"], [("a", "b"), ("a", "c"), ("b", "c")]),
    ("links", [["b", "a"], ["c"]], [("a", "b")]),
    ("separations", [["a"], ["c", "b"]], [("a", "c"), ("a", "b")]),
    ("memberships", [["a", "b"], ["c"]], [
        {"mention": "a", "entity": ["a", "b"]},
        {"mention": "b", "entity": ["a", "b"]},
        {"mention": "c", "entity": ["c"]},
    ]),
    ("tree", TREE, {
        "nodes": [{"label": "S"}, {"label": "NP"}, {"label": "D"}, {"label": "VP"}],
        "edges": [(0, 1), (1, 2), (0, 3)],
    }),
    ("tree", {}, {"nodes": [], "edges": []}),
    ("records", {"a": 1}, [{"a": 1}]),
    ("records", [{"a": 1}, 2], [{"a": 1}, {"value": 2}]),
    ("records", None, []),
    ("fold", "  Ｓtraße \n ﬁne\u00a0 5 ", "strasse fine 5"),
    ("get(a)", {"a": 1}, 1),
    ("get(1)", ["x", "y"], "y"),
    ("get(real)", 3, 3),
    ("ngrams(2)", "abcd", ["ab", "bc", "cd"]),
    ("ngrams(2)", "ab", ["ab"]),
    ("ngrams(3)", "ab", ["ab"]),
    ("ngrams(1)", "", []),
    ("without(a, b)", ["a", "c", "b", "d"], ["c", "d"]),
    ("only(k, x, y)", [{"k": "x"}, {"k": "z"}, {}, 3, {"k": "y"}], [{"k": "x"}, {}, 3, {"k": "y"}]),
    ("only(0, x)", [["x"], ["z"], []], [["x"], []]),
    ("unpunctuated(t)", [{"t": "a."}, {"t": ".,«"}, {"t": "$"}, {}, {"t": 3}], [{"t": "a."}, {"t": "$"}, {}, {"t": 3}]),
    ("split(.)", "a.b.c", ["a", "b", "c"]),
    ("split( > )", "a > b", ["a", "b"]),
    ("split(,)", "a,b", ["a", "b"]),
]  # fmt: skip
CLOSE = [
    ("near(0.5)", 1, 1.5, 1.0),
    ("near(0.5)", "1", 1.6, 0.0),
    ("near(0)", "a ", "A", 1.0),
    ("near(0)", "1", "a", 0.0),
    ("near(0)", True, 1, 0.0),
    ("near(0)", True, True, 1.0),
    ("near(0)", [1], [1], 1.0),
    ("near(0)", "1", [1], 0.0),
    ("within(0.1)", 90, 100, 1.0),
    ("within(0.1)", 100, 90, 1.0),
    ("within(0.1)", 89, 100, 0.0),
    ("within(0.1)", -90, -100, 1.0),
    ("near(9)", "ten", 10, 0.0),
    ("within(0)", 0, 0, 1.0),
    ("days(1)", "2020-01-01", "2 Jan 2020", 1.0),
    ("days(1)", "2020-01-03", "2020-01-01", 0.0),
    ("days(1)", "2020-01-01", "soon", 0.0),
    ("days(1)", "soon", " SOON ", 1.0),
]


@pytest.mark.parametrize(("name", "value", "expected"), WORKED_OUT)
def test_a_function(name, value, expected):
    found = Fn(name)(value)
    assert found == expected
    assert repr(found) == repr(expected)


@pytest.mark.parametrize(("name", "one", "other", "expected"), CLOSE)
def test_a_closeness(name, one, other, expected):
    assert Fn(name)(one, other) == expected


def test_nothing_is_left_out():
    tried = {name.split("(")[0] for name, *_ in (*WORKED_OUT, *CLOSE)}
    assert tried == {*PLAIN, *WITH_ARGUMENTS}


@dataclass
class Point:
    x: int


class Pair(tuple):
    first = "own"


def test_fields_of_objects_and_of_tuples():
    assert Fn("get(x)")(Point(3)) == 3
    assert Fn("get(first)")(Pair((1, 2))) == "own"
    assert Fn("get(1)")((1, 2)) == 2
    assert Fn("only(x, y)")([Point(3)]) == []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ngrams(0)", "ngrams(0): wrong arguments (an n-gram has at least one character)"),
        ("ngrams(x)", "ngrams(x): wrong arguments"),
        ("near(-1)", "near(-1): wrong arguments (a tolerance is a number from 0)"),
        ("near(inf)", "a tolerance is a number from 0"),
        ("days(1, 2)", "wrong arguments"),
        ("unpunctuated(a,b)", "wrong arguments"),
        ("no.such.module:name", "cannot find"),
        ("wrds", "there is no function 'wrds', did you mean words"),
        ("zzzzzz", "or package.module:name"),
        ("no such:thing", "write package.module:name"),
        ("math:nothing", "define it at the top level of math"),
        ("math:cois", "did you mean cos"),
        ("math:pi", "'math:pi' is not a function"),
    ],
)
def test_what_is_no_function(name, said):
    with pytest.raises(UsageError) as caught:
        resolve(name)
    assert said in str(caught.value)


def test_functions_and_types_of_modules():
    assert resolve("math:floor")(2.5) == 2
    assert resolve("os:path.basename")("a/b") == "b"
    assert resolve("math:pi", what="type") == pytest.approx(3.14159, abs=1e-5)
    with pytest.raises(UsageError, match="cannot find the type 'math:nothing'"):
        resolve("math:nothing", what="type")


def test_modules_that_cannot_be_imported(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry not in ("", str(tmp_path))])
    (tmp_path / "own_broken.py").write_text("x = = 1\n")
    (tmp_path / "own_failing.py").write_text("raise SystemExit(3)\n")
    (tmp_path / "own_fine.py").write_text("def shout(text):\n    return text.upper()\n")
    with pytest.raises(UsageError, match=r"own_broken.py:1: SyntaxError: invalid syntax"):
        resolve("own_broken:f")
    with pytest.raises(UsageError, match=r"\(SystemExit: 3\)"):
        resolve("own_failing:f")
    assert resolve("own_fine:shout")("a") == "A"
    assert sys.path.count(str(tmp_path)) == 1
    sys.modules.pop("own_fine")


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
    for given_ in (len, str.casefold, Scaler, Scaler.double, "casefold", "ngrams(2)", "split(<)", "get(a)"):
        function = Fn.of(given_)
        _ = function.function  # using it must not make it unsavable
        function.check_saved()
        assert pickle.loads(pickle.dumps(function)) == function == Fn(function.name)
        assert hash(function) == hash(Fn(function.name))
        assert Fn.of(function) is function
    assert repr(Fn("casefold")) == "Fn('casefold')"
    assert Fn("casefold") != "casefold"


def test_functions_without_a_name_cannot_be_saved_and_are_not_mixed_up():
    two = functools.partial(int, base=2)
    for given_ in (lambda value: value, two, Scaler(2), Scaler(2).method, "x".join):
        with pytest.raises(UsageError, match="cannot be serialised"):
            Fn.of(given_).check_saved()
        assert Fn.of(given_) == Fn.of(given_) != Fn("casefold")
    assert Fn.of(two) != Fn.of(functools.partial(int, base=3))
    assert Fn.of(Scaler(2)) != Fn.of(Scaler(3))
    assert Fn.of(Scaler(2).method) != Fn.of(Scaler.method)
    assert pickle.loads(pickle.dumps(Fn.of(two)))("11") == 3


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1,234", 1234),
        ("$1,250.50", 1250.5),
        ("1,2345", Decimal("1.2345")),
        ("12 apples", None),
        ("", None),
        (2.5, 2.5),
        ("1,23", Decimal("1.23")),
        ("-.5", -0.5),
        ("+3", 3),
        ("3e2", 300),
        ("£ 3", 3),
        ("3$", 3),
        (" 3 ", 3),
        ("1" * 100, int("1" * 100)),
        ("1" * 101, None),
        (1e301, Decimal("1e301")),
        (0.1, Decimal("0.1")),
        (float("inf"), None),
        (Decimal("0.1"), Decimal("0.1")),
        ("$(5)", None),
        ("5 EUR %", None),
        ("1 234'567", None),
        ("1 250,500", 1250.5),
        ("\u2212 5 \u20ac", -5),
        ("1e9999", None),
        (True, None),
        (None, None),
        ("3 %", 3),
        ("%3", None),
    ],
)
def test_numbers(text, number):
    assert as_number(text) == number


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2020-13-01", None),
        ("2020/3/14", "2020-03-14"),
        ("2020-03-14T10:00:00Z", "2020-03-14"),
        ("14th of March, 2020", "2020-03-14"),
        ("Mar. 14 2020", "2020-03-14"),
        ("14-Mar-2020", "2020-03-14"),
        (" 14  MARCH 2020 ", "2020-03-14"),
        ("03/04/2020", None),
        ("March 2020", None),
        ("31 February 2020", None),
        ("14 Ma 2020", None),
        (20200314, None),
        ("12/12/2020", "2020-12-12"),
        ("13/12/2020", "2020-12-13"),
        ("12/13/2020", "2020-12-13"),
        ("13/13/2020", None),
        ("1st May 2020", "2020-05-01"),
        ("2nd of sept. 2020", "2020-09-02"),
        ("decem 3rd, 2020", "2020-12-03"),
        ("1.2.2020", "2020-02-01"),
        ("2020.2.1", "2020-02-01"),
        ("2020-02-01 12:00", "2020-02-01"),
        ("2020-02-01 12:00:30.5 +01:00", "2020-02-01"),
        ("2020-02-01 or later", None),
        ("2020-02/01", None),
        (datetime.datetime(2020, 2, 1, 12), "2020-02-01"),
        ("2020-02-01" + " " * 91, None),
        ("2020-02-01" + " " * 90, "2020-02-01"),
        ("5 foo 2020", None),
    ],
)
def test_days(text, day):
    assert (as_date(text) and as_date(text).isoformat()) == day


@given(st.text(max_size=120) | st.integers() | st.none() | st.booleans() | st.floats() | st.dates().map(str))
def test_nothing_is_too_odd(value):
    assert as_date(value) is None or isinstance(as_date(value), datetime.date)
    assert as_number(value) is None or isinstance(as_number(value), Decimal)
    for close in (near("1"), within("0.1"), days("1")):
        assert close(value, value) in (0.0, 1.0)
        assert close(value, 5) == close(5, value)
