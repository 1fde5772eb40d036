"""Dates: what is one, and which say less than another."""

from hypothesis import given
from hypothesis import strategies as st

from adjudge.formats.eal_fields import is_valid, less_specific

PARTS = [
    st.integers(0, length).flatmap(
        lambda known, length=length: st.text("0123456789", min_size=known, max_size=known).map(
            lambda digits: digits.ljust(length, "X")
        )
    )
    for length in (4, 2, 2)
]
DATES = st.tuples(*PARTS).map("-".join).filter(lambda text: any(letter.isdigit() for letter in text))


def says_less(one: str, other: str) -> bool:
    """Slow and obvious: some digits are unknown, the others are the same, and something is left."""
    return one != other and any(map(str.isdigit, one)) and all(a in (b, "X") for a, b in zip(one, other, strict=True))


@given(DATES)
def test_random_dates_are_valid(date):
    assert is_valid(date)
    assert is_valid(date, x_year=False) == date[0].isdigit()


@given(st.text("0123456789Xx-", max_size=11))
def test_valid_means_digits_and_then_xs(text):
    import re

    shape = r"(\d*[Xx]*)-(\d*[Xx]*)-(\d*[Xx]*)"
    match = re.fullmatch(shape, text, re.ASCII)
    lengths = [len(group) for group in match.groups()] if match else []
    assert is_valid(text) == (lengths == [4, 2, 2] and any(map(str.isdigit, text)))


@given(DATES, st.booleans())
def test_less_specific_dates_are_valid_and_say_less(date, x_year):
    found = less_specific(date, x_year=x_year) if x_year or date[0].isdigit() else []
    assert len(set(found)) == len(found)
    for each in found:
        assert is_valid(each, x_year=x_year)
        assert says_less(each, date)


@given(DATES)
def test_the_order_is_transitive(date):
    found = set(less_specific(date))
    for each in found:
        assert set(less_specific(each)) <= found


def test_a_date_without_its_year_says_less():
    assert "XXXX-05-04" in less_specific("2003-05-04")
    assert "XXXX-05-04" not in less_specific("2003-05-04", x_year=False)
    assert less_specific("XXXX-05-XX") == ["XXXX-0X-XX"]
    assert less_specific("XXXX-05-04", parts=False) == ["XXXX-05-0X", "XXXX-05-XX", "XXXX-0X-XX"]
    assert less_specific("2XXX-XX-XX") == []


def test_any_part_may_say_less():
    """A month that is not known, or a year of which a digit is not, says less, though the day is known."""
    found = less_specific("2003-05-04")
    assert {"2003-XX-04", "200X-05-04", "2003-0X-0X", "XXXX-XX-04"} <= set(found)
    assert len(found) == len(set(found)) == 5 * 3 * 3 - 2  # all but the date itself, and Xs alone
    assert "2003-XX-04" not in less_specific("2003-05-04", x_year=False)
