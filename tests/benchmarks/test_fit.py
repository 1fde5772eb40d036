"""How growth is fitted."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.house.fit import fit_exponent


@given(st.floats(0.1, 3), st.floats(1e-6, 1e3), st.lists(st.integers(1, 10**6), min_size=3, max_size=8, unique=True))
def test_a_power_is_found_again(exponent, factor, sizes):
    fit = fit_exponent((size, factor * size**exponent) for size in sizes)
    assert math.isclose(fit.exponent, exponent, rel_tol=1e-6)
    assert math.isclose(fit.factor, factor, rel_tol=1e-5)
    assert fit.error < 1e-6


def test_the_standard_error_is_that_of_a_line():
    # Logarithms 0, 1, 2 of the sizes and 0, 1, 1 of the costs: slope 1/2, residuals -1/6, 1/3, -1/6, so that the
    # error is sqrt((1/6) / 1 / 2).
    fit = fit_exponent([(1, 1), (math.e, math.e), (math.e**2, math.e)])
    assert fit.exponent == pytest.approx(0.5)
    assert fit.error == pytest.approx(math.sqrt(1 / 12))


def test_two_points_have_no_error_and_one_has_no_growth():
    assert math.isnan(fit_exponent([(1, 1), (2, 4)]).error)
    with pytest.raises(ValueError, match="two sizes"):
        fit_exponent([(5, 1), (5, 2)])
