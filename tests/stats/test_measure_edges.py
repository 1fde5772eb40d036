"""Measures where sums leave the range of numbers, and other edges."""

import math

import numpy as np
import pytest

from adjudge.stats.measure import Combined, Prf, Ratio, Total
from adjudge.stats.points import compute


def only(measures, columns, *rows):
    found = compute(measures, columns, np.array(rows, dtype=float))
    return {key: value.tolist() for key, value in found.items()}


def test_an_infinite_score_is_none():
    big = 1.5e308
    with np.errstate(over="ignore"):
        found = only([Total("x", "n", (("a", 1.0), ("b", 1.0)))], ("a", "b"), (big, big), (1.0, 2.0))
    assert math.isnan(found["x", "n"][0])
    assert found["x", "n"][1] == 3.0


def test_weights_of_terms_count():
    found = only([Ratio("x", "score", (("a", 2.0), ("b", -1.0)), (("c", 0.5),))], ("a", "b", "c"), (3, 1, 4), (1, 1, 0))
    assert found["x", "score"] == [2.5, 0.0]


@pytest.mark.parametrize(
    ("beta", "expected"), [(1.0, 2 * 3 / (4 + 6)), (2.0, 5 * 3 / (4 * 6 + 4)), (0.5, 1.25 * 3 / (1.5 + 4))]
)
def test_f_is_of_counts(beta, expected):
    parts = ("precision", "recall", f"f{beta:g}", "jaccard")
    measure = Prf(name="x", precision=("m", "s"), recall=("m", "g"), beta=beta, undefined=0, parts=parts)
    found = only([measure], ("m", "s", "g"), (3, 4, 6))
    assert found["x", "precision"] == [0.75]
    assert found["x", "recall"] == [0.5]
    assert found["x", f"f{beta:g}"] == pytest.approx([expected])
    assert found["x", "jaccard"] == pytest.approx([3 / 7])


def test_two_matchings_have_an_f_of_two_ratios():
    measure = Prf(name="x", precision=("m", "s"), recall=("f", "g"), beta=1.0, undefined=None, parts=("f1",))
    columns = ("m", "s", "f", "g")
    found = only([measure], columns, (1, 2, 3, 4), (0, 2, 0, 0), (0, 0, 0, 0), (0, 0, 2, 4))
    assert found["x", "f1"][0] == pytest.approx(2 * 0.5 * 0.75 / 1.25)
    assert found["x", "f1"][1] == 0.0
    assert math.isnan(found["x", "f1"][2])


def test_combinations():
    ratios = [Ratio("x", "a", (("n", 1.0),), (("d", 1.0),)), Ratio("x", "b", (("d", 1.0),), (("e", 1.0),))]
    of = (("x", "a"), ("x", "b"))
    columns, row = ("n", "d", "e"), (1, 2, 8)
    for op, weights, expected in (
        ("mean", (), (0.5 + 0.25) / 2),
        ("product", (), 0.125),
        ("sum", (), 0.75),
        ("sum", (2.0, -4.0), 0.0),
    ):
        combined = Combined(name="y", part="all", of=of, op=op, weights=weights)
        assert only([*ratios, combined], columns, row)["y", "all"] == [expected]
