"""Two values of a field beside each other, by every comparison; the numbers and days of the specification."""

import json
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.algebra import shape
from adjudge.algebra.leaf_values import absent, code, credit, outside, reading
from adjudge.algebra.quantities import as_date, as_number

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "records_reading.json").read_text(encoding="utf-8"))
MONEY = shape.Enum(values={"USD": ("$", "US Dollar"), "EUR": ("€",)})


@pytest.mark.parametrize(("text", "expected"), GOLDEN["numbers"].items())
def test_numbers_of_the_specification(text, expected):
    found = [as_number(text, point) for point in ".,"]
    assert found == [None if each is None else Decimal(each) for each in expected]


@pytest.mark.parametrize(("text", "expected"), GOLDEN["dates"].items())
def test_days_of_the_specification(text, expected):
    found = [as_date(text, day_first) for day_first in (None, True, False)]
    assert [day and day.isoformat() for day in found] == expected


WORKED_OUT = [
    (shape.Same(), "A", "a", 0),
    (shape.Same(), {"a": [1, {"b": 2}], "c": 1}, {"c": 1, "a": [1.0, {"b": 2}]}, 1),
    (shape.Same(), [1, 2], [2, 1], 0),
    (shape.Same(), True, 1, 0),
    (shape.Same(), "1", 1, 0),
    (shape.Text(), "Acme  GmbH", " ACME gmbh", 1),
    (shape.Text(), "Straße", "STRASSE", 1),
    (shape.Text(), "Acme, Inc.", "acme inc", 0),
    (shape.Text(), 3, 3.0, 1),
    (shape.Text(), "a", ["a"], 0),
    (shape.Text(), float("nan"), float("nan"), 1),
    (shape.Text(squad=True), "The Acme, Inc.", "acme inc", 1),
    (shape.Text(squad=True), "The ＡＣＭＥ", "acme", 1),
    (shape.Number(), 1250.5, "1,250.50", 1),
    (shape.Number(), "n/a", "N/A", 1),
    (shape.Number(), "ten", 10, 0),
    (shape.Number(), True, 1, 0),
    (shape.Number(), 9007199254740993, 9007199254740992, 0),
    (shape.Number(), "12345678901234567890", 12345678901234567891, 0),
    (shape.Number(), 1, {"amount": 1}, 0),
    (shape.Number(decimal="comma"), 1250, "1.250", 1),
    (shape.Number(tolerance="0.05"), 10.0, 10.05, 1),
    (shape.Number(tolerance="0.05"), 10.0, 10.051, 0),
    (shape.Number(tolerance="0.05"), "x ", "X", 1),
    (shape.Number(tolerance="1"), 10**40, 10**40 + 1, 1),
    (shape.Number(tolerance="1"), 10**40, 10**40 + 2, 0),
    (shape.Number(tolerance="0.05", relative=True), 95, 100, 1),
    (shape.Number(tolerance="0.05", relative=True), 94.9, 100, 0),
    (shape.Number(tolerance="0.05", relative=True), -95, -100, 1),
    (shape.Number(tolerance="0.05", relative=True), 0, 0, 1),
    (shape.Date(), "2015-03-04", "March 4th, 2015", 1),
    (shape.Date(), "2015-03-04", "2015-03", 0),
    (shape.Date(), "03/04/2015", "03/04/2015 ", 1),
    (shape.Date(), "2015-04-03", "03/04/2015", 0),
    (shape.Date(day_first=True), "2015-04-03", "03/04/2015", 1),
    (shape.Date(days=2), "2016-02-28", "2016-03-01", 1),
    (shape.Date(days=2), "2016-02-28", "2016-03-02", 0),
    (shape.Date(days=2), "soon", "Soon", 1),
    (shape.Boolean(), True, "Yes", 1),
    (shape.Boolean(), False, 0.0, 1),
    (shape.Boolean(), True, "maybe", 0),
    (shape.Boolean(), "Maybe", "maybe", 1),
    (shape.Boolean(), True, [True], 0),
    (MONEY, "USD", "us dollar", 1),
    (MONEY, "$", "usd", 1),
    (MONEY, "USD", "EUR", 0),
    (MONEY, "GBP", "gbp", 1),
    (shape.Enum(values={"1": (), "2": ()}), 1, 1.0, 1),
    (shape.Words(), "big red house", "red house", 0.8),
    (shape.Words(), "x y", "z w", 0),
    (shape.Words(), "a b c", "a x y", 0),
    (shape.Words(), "a a b", "A b b", 2 / 3),
    (shape.Words(), 12, "12", 1),
    (shape.Words(), "a b", {"x": "a b"}, 0),
    (shape.Words(at_least=0.8, graded=False), "big red house", "red house", 1),
    (shape.Words(at_least=0.8, graded=False), "big red house", "house", 0),
    (shape.Words(at_least=0.8, graded=True), "big red house", "red house", 0.8),
    (shape.Edit(), "abcd", "abxx", 0.5),
    (shape.Edit(), "abcd", "axxx", 0),
    (shape.Edit(at_least=0.8, graded=False), "invoice", "invoise", 1),
    (shape.Edit(at_least=0.8, graded=False), "invoice", "inv", 0),
    (shape.Plain(), "A", "a ", 1),
    (shape.Plain(), 10, 10.0, 1),
    (shape.Plain(), 1912, "1912", 0),
    (shape.Plain(), True, 1, 0),
    (shape.Plain(), True, "true", 0),
    (shape.Plain(text="exact"), "A", "a", 0),
    (shape.Plain(text="squad"), "The A!", "a!", 1),
    (shape.Plain(numbers=True), 1912, "1912", 1),
    (shape.Plain(numbers=True), 0.1, "0.10", 1),
    (shape.Plain(numbers=True), "01069", "1069", 0),
    (shape.Plain(numbers=True), "-01", -1, 0),
    (shape.Plain(numbers=True), 0.5, "0.5", 1),
    (shape.Plain(dates=True), "2015-03-04", "4 March 2015", 1),
    (shape.Plain(numbers=True, dates=True), "x", "X", 1),
    (shape.Sim(similarity='{"sim":"edit"}'), "ab", "ac", 0.5),
    (shape.Sim(similarity='{"sim":"normalise","of":{"sim":"set","of":{"sim":"exact"}}}'), ["a", "b"], ["b", "c"], 0.5),
]


@pytest.mark.parametrize(("comparison", "gold", "system", "expected"), WORKED_OUT)
def test_a_comparison(comparison, gold, system, expected):
    assert credit(comparison)(gold, system) == pytest.approx(expected, abs=1e-12)
    assert credit(comparison)(system, gold) == pytest.approx(expected, abs=1e-12)


def test_where_values_may_be_compared_by_a_key():
    equalities = [shape.Same(), shape.Text(), shape.Number(), shape.Date(), shape.Boolean(), MONEY, shape.Plain()]
    assert all(code(each) for each in equalities)
    for graded in (shape.Number(tolerance="1"), shape.Date(days=1), shape.Words(), shape.Edit()):
        assert code(graded) is None


SCALARS = (
    st.text(max_size=8) | st.integers() | st.floats() | st.booleans() | st.sampled_from(["1,5", "1.5", "2 May 2020"])
)
VALUES = st.recursive(
    SCALARS, lambda of: st.lists(of, max_size=3) | st.dictionaries(st.text(max_size=2), of, max_size=3)
)


@given(st.sampled_from([comparison for comparison, *_ in WORKED_OUT][:-2]), VALUES, VALUES)
def test_a_value_is_right_beside_itself_and_credits_are_shares(comparison, one, other):
    hash(reading(comparison).read(one))
    assert credit(comparison)(one, one) == 1
    assert 0 <= credit(comparison)(one, other) == credit(comparison)(other, one) <= 1


@pytest.mark.parametrize(
    ("value", "plainly", "with_blank", "with_nulls"),
    [
        (None, True, True, True),
        ("", True, False, True),
        (" \t\u00a0", True, False, True),
        ("N/A", False, False, True),
        ([], True, True, True),
        ({"a": [None, {}]}, True, True, True),
        ([None, ["n/a"]], False, False, True),
        (0, False, False, False),
        (False, False, False, False),
        ([0], False, False, False),
    ],
)
def test_what_is_not_there(value, plainly, with_blank, with_nulls):
    schemas = (shape.Schema(), shape.Schema(blank=True), shape.Schema(nulls=("n/a ",)))
    assert [absent(schema)(value) for schema in schemas] == [plainly, with_blank, with_nulls]


def test_values_that_are_not_in_a_list():
    assert [outside(MONEY)(value) for value in ("us dollar", "EUR", "GBP", 5)] == [False, False, True, True]
