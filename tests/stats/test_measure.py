"""Measures against scalar formulas written out by hand, and their edges."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import UsageError
from adjudge.stats.measure import Combined, Prf, Ratio, Total, count_keys, part_keys
from adjudge.stats.points import compute, fractions, points

COLUMNS = ("s", "p", "g", "t")
counts = st.integers(0, 4)
undefined = st.sampled_from([0, 1, None])


def divide(a, b, undefined):
    return a / b if b else (math.nan if undefined is None else float(undefined))


def same(a, b):
    return a == pytest.approx(b, abs=1e-12, nan_ok=True)


def test_f_of_two_ratios():
    m = Prf("x", ("s", "p"), ("t", "g"))
    assert compute([m], COLUMNS, [[1, 2, 4, 3]])["x", "f1"].tolist() == [pytest.approx(2 * 0.5 * 0.75 / 1.25)]
    assert ("x", "f1") not in fractions([m], {"s": 1, "p": 2, "g": 4, "t": 3})
    edges = compute([Prf("x", ("s", "p"), ("t", "g"), undefined=None)], COLUMNS, [[0, 2, 0, 0], [0] * 4, [0, 0, 4, 2]])
    assert edges["x", "f1"].tolist() == pytest.approx([0.0, math.nan, math.nan], nan_ok=True)


@settings(deadline=None)
@given(st.lists(st.tuples(counts, counts, counts, counts), max_size=5), undefined, st.none() | st.floats(-2, 2))
def test_ratio(rows, undefined, clip):
    m = Ratio("x", "score", (("s", 1.0), ("p", -0.25)), (("g", 1.0), ("t", 2.0)), undefined, clip)
    totals = np.array(rows, dtype=float).reshape(-1, 4)
    got = compute([m], COLUMNS, totals)["x", "score"]
    for i, (s, p, g, t) in enumerate(rows):
        expected = divide(s - 0.25 * p, g + 2 * t, undefined)
        if clip is not None and not math.isnan(expected):
            expected = max(expected, clip)
        assert same(got[i], expected)
        found = fractions([m], dict(zip(COLUMNS, rows[i], strict=True)))["x", "score"]
        assert found == (s - 0.25 * p, g + 2 * t)


def test_an_infinite_score_is_none():
    total = Total("x", "n", (("s", 1.0), ("p", 1.0)))
    found = compute([total], COLUMNS[:2], [[1.5e308, 1.5e308], [1.0, 2.0]])["x", "n"].tolist()
    assert math.isnan(found[0])
    assert found[1] == 3.0
    assert points([total], {"s": 1.5e308, "p": 1.5e308}) == {("x", "n"): None}


def test_counts_are_known():
    measures = [
        Prf("x", ("s", "p"), ("s", "g"), parts=("f1", "gold")),
        Total("x", "tp", (("s", 1.0),)),
        Combined("x", "all", "sum", (("x", "tp"), ("x", "gold"))),
        Combined("x", "mixed", "sum", (("x", "tp"), ("x", "f1"))),
        Combined("x", "average", "mean", (("x", "tp"), ("x", "gold"))),
    ]
    assert count_keys(measures) == {("x", "gold"), ("x", "tp"), ("x", "all")}
    assert part_keys(measures)[0] == ("x", "f1")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Prf("x", ("s", "p"), ("s", "g"), parts=("f2",)), "x has no part f2, parts: precision, recall, f1"),
        (lambda: Prf("x", ("s", "p"), ("t", "g"), parts=("jaccard",)), "x has no part jaccard, parts: precision"),
        (lambda: Prf("x", ("s", "p"), ("t", "g"), parts=("matched",)), "x has no part matched"),
        (lambda: Prf("x", ("s", "p"), ("s", "g"), beta=0.0), "beta is 0"),
        (lambda: Prf("x", ("s", "p"), ("s", "g"), beta=math.nan), "beta is nan"),
        (lambda: Combined("x", "y", "mean", ()), "a combination of nothing"),
        (lambda: Combined("x", "y", "mean", (("a", "b"),), (0.5,)), "weights do not fit"),
        (lambda: Combined("x", "y", "sum", (("a", "b"),), (0.5, 0.5)), "weights do not fit"),
        (lambda: part_keys([Total("x", "n", ()), Total("x", "n", ())]), "defined twice: x n"),
        (lambda: compute([Total("x", "n", (("gld", 1.0),))], ["gold"], [[1]]), "the column gld, did you mean gold"),
        (lambda: compute([], ["gold"], [[1, 2]]), "do not have 1 columns"),
        (
            lambda: compute([Combined("x", "y", "mean", (("a", "b"),))], ["gold"], [[1]]),
            "x combines a b, which is not defined, list that measure before",
        ),
    ],
)
def test_mistakes_are_explained(make, message):
    with pytest.raises(UsageError, match=message):
        make()
