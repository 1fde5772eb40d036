"""Numbers, dates and texts as people write them."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.algebra.values import as_date, as_number, days, entries, fold, near, present, within

DAY = datetime.date(2015, 3, 14)


@pytest.mark.parametrize(
    "text",
    [
        "2015-03-14",
        "2015/3/14",
        "2015-03-14T10:00:00Z",
        "14 March 2015",
        "14th of March, 2015",
        "March 14, 2015",
        "Mar. 14 2015",
        "14.3.2015",
        "14/03/2015",
        "03/14/2015",
        "14-Mar-2015",
        " 14  MARCH 2015 ",
    ],
)
def test_dates_in_their_usual_spellings(text):
    assert as_date(text) == DAY


@pytest.mark.parametrize(
    "text", ["03/04/2015", "2015", "March 2015", "31 February 2015", "14 Ma 2015", "", 20150314, None]
)
def test_what_is_no_day_or_could_be_two(text):
    assert as_date(text) is None


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("1,250.50", 1250.5),
        ("$5", 5),
        ("5 €", 5),
        ("12%", 12),
        ("-3", -3),
        (".5", 0.5),
        ("1e3", 1000),
        (7, 7),
        (2.5, 2.5),
        ("1,25", None),
        ("12 apples", None),
        ("", None),
        (True, None),
        (None, None),
        ("1,2345", None),
    ],
)
def test_numbers(value, number):
    assert as_number(value) == number


@given(st.dates(min_value=datetime.date(1000, 1, 1)))
def test_iso_dates_are_read_back(day):
    assert as_date(day.isoformat()) == day


@given(st.text(max_size=120) | st.integers() | st.none() | st.booleans() | st.floats())
def test_nothing_is_too_odd(value):
    assert as_date(value) is None or isinstance(as_date(value), datetime.date)
    assert as_number(value) is None or isinstance(as_number(value), float)
    for close in (near("1"), within("0.1"), days("1")):
        assert close(value, value) in (0.0, 1.0)
        assert close(value, 5) == close(5, value)


def test_tolerances():
    assert [near("0.5")(10.5, 10), near("0.5")(10.51, 10), near("0")("10", 10)] == [1, 0, 1]
    assert [within("0.1")(100, 90), within("0.1")(100, 89), within("0")(0, 0)] == [1, 0, 1]
    assert [days("2")("2015-03-14", "16 March 2015"), days("2")("2015-03-14", "17 March 2015")] == [1, 0]
    # What only one side can be read as is wrong; what neither can is compared as text.
    assert [near("9")("ten", 10), near("9")("Ten", "ten"), days("9")("soon", "2015-03-14")] == [0, 1, 0]


def test_entries():
    value = {"a": [1, None, "X"], "b": {"c": "1,000", "d": None}, "e": "14 March 2015"}
    assert entries("fold", "numbers", "dates")(value) == [("a", 1), ("a", "x"), ("b.c", 1000), ("e", "2015-03-14")]
    assert entries()(value)[-1] == ("e", "14 March 2015")
    assert entries("squad")({"x": "The  Cat!"}) == [("x", "cat")]
    with pytest.raises(ValueError, match="there is no step folt"):
        entries("folt")


def test_fold_and_present():
    assert fold("ﬁne\u00a0 WINE") == "fine wine"
    assert present([None, 0, ""]) == [0, ""]
