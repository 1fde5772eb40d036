"""Weighted sums against sums of fractions, in any order of the rows."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.stats.measure import Ratio
from adjudge.stats.points import Additive
from adjudge.stats.resample import (
    Stream,
    bootstrap,
    bootstrap_weights,
    exact_product,
    exact_slices,
    randomisation,
)
from adjudge.stats.table import StatsTable

VALUES = st.floats(-1e6, 1e6, allow_subnormal=False) | st.integers(-1000, 1000).map(float) | st.just(1 / 3)
TABLES = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(VALUES, min_size=width, max_size=width), min_size=1, max_size=12)
)


def drawn(rows: int, seed: int, number: int = 5) -> np.ndarray:
    return np.concatenate(list(bootstrap_weights(rows, number, Stream(seed))))


@settings(max_examples=75)
@given(TABLES, st.integers(0, 99))
def test_the_product_is_the_sum_of_fractions_up_to_the_last_rounding(values, seed):
    rows = np.array(values)
    weights = drawn(len(rows), seed)
    found = exact_product(weights, exact_slices(rows))
    for k, chosen in enumerate(weights.tolist()):
        for column in range(rows.shape[1]):
            exact = sum(
                (Fraction(w) * Fraction(row[column]) for w, row in zip(chosen, values, strict=True)), Fraction(0)
            )
            size = max(abs(row[column]) for row in values) * len(rows)
            assert abs(Fraction(float(found[k, column])) - exact) <= Fraction(size) / 2**60 + abs(exact) / 2**51


@settings(max_examples=75)
@given(TABLES, st.integers(0, 99))
def test_the_order_of_rows_changes_no_bit(values, seed):
    rows = np.array(values)
    weights = drawn(len(rows), seed)
    order = Random(seed).sample(range(len(rows)), len(rows))
    first = exact_product(weights, exact_slices(rows))
    second = exact_product(weights[:, order], exact_slices(rows[order]))
    assert first.tobytes() == second.tobytes()


def test_counts_are_one_slice_and_zeros_too():
    counts = np.array([[3.0, 0.0], [1e9, 0.0]])
    (only,) = exact_slices(counts)
    assert only.tolist() == counts.tolist()
    (nothing,) = exact_slices(np.zeros((2, 2)))
    assert nothing.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert exact_product(np.ones((1, 0)), exact_slices(np.zeros((0, 3)))).tolist() == [[0.0, 0.0, 0.0]]


@pytest.mark.parametrize("weights", [[[0.5, 0.25]], [[7.0, 1.0]], [[-3.0, 0.0]]])
def test_other_weights_give_the_plain_product(weights):
    rows = np.array([[0.1], [0.7]])
    assert exact_product(weights, exact_slices(rows)).tolist() == (np.array(weights) @ rows).tolist()


def test_tiny_and_huge_numbers_do_not_break_it():
    rows = np.array([[5e-324, 1e308], [1e-310, 1.1e307]])
    assert np.isfinite(exact_product([[1.0, 1.0]], exact_slices(rows))).all()


def test_intervals_and_tests_do_not_depend_on_the_order_of_documents():
    rng = Random(5)
    ids = [f"d{number:02}" for number in range(17)]
    rows = {identity: [rng.random(), 1 + rng.random(), rng.random()] for identity in ids}
    measures = (Ratio("x", "score", (("s", 1.0),), (("g", 1.0),)), Ratio("x", "other", (("t", 1.0),), (("g", 1.0),)))

    def table(order, place):
        # the second system has the columns of the first, two of them exchanged
        values = [[rows[i][0] if place == 0 else rows[i][2], rows[i][1], rows[i][2 - 2 * place]] for i in order]
        return StatsTable(tuple(order), ("s", "g", "t"), values)

    found = []
    for seed in range(4):
        order = ids if seed == 0 else Random(seed).sample(ids, len(ids))
        for pool in ("micro", "macro"):
            a, b = table(order, 0), table(order, 1)
            both = {"a": Additive(a, measures, pool), "b": Additive(b, measures, pool)}
            samples = bootstrap(both, resamples=30)
            drawn_values = [samples[name][key].tobytes() for name in "ab" for key in samples[name]]
            swapped = randomisation(both, [("x", "score"), ("x", "other")], trials=30)
            found.append((pool, drawn_values, [each.point() for each in both.values()], swapped))
    assert all(each in found[:2] for each in found)
    assert len({tuple(each[1]) for each in found}) == 2
