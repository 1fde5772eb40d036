"""Student's law against tables, closed forms and scipy."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.stats.intervals import student_quantile, student_tails


@given(st.floats(0.05, 1e3), st.integers(1, 2000))  # closer to 0 scipy itself is off in the tenth digit
def test_tails_are_those_of_scipy(t, freedom):
    from scipy.special import stdtr

    assert student_tails(t, freedom) == pytest.approx(2 * float(stdtr(freedom, -t)), rel=1e-9, abs=1e-290)
    assert student_tails(-t, freedom) == student_tails(t, freedom)


@given(st.floats(0.01, 0.9999), st.integers(1, 2000))
def test_the_quantile_is_where_the_tails_are_what_is_left(level, freedom):
    found = student_quantile(level, freedom)
    assert student_tails(found, freedom) == pytest.approx(1 - level, rel=1e-9)
    assert student_tails(math.nextafter(found, 0), freedom) >= student_tails(found, freedom)


def test_the_ends():
    assert student_tails(0.0, 3) == 1.0
    assert student_tails(math.inf, 3) == 0.0
    assert student_tails(1e200, 3) == 0.0
    assert 0 < student_tails(1e100, 2) < 1e-190
