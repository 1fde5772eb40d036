"""Overlapping intervals against comparing everything with everything."""

from __future__ import annotations

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.algebra.operators.leaf import overlapping_pairs

INTERVALS = st.lists(st.tuples(st.integers(-3, 12), st.integers(-3, 12)), max_size=12)


@settings(max_examples=500, deadline=None)
@given(INTERVALS, INTERVALS)
def test_equals_all_pairs(system, gold):
    expected = [
        (i, j)
        for i, (a, b) in enumerate(system)
        for j, (c, d) in enumerate(gold)
        if set(range(a, b)) & set(range(c, d))
    ]
    found = overlapping_pairs(
        [a for a, _ in system], [b for _, b in system], [c for c, _ in gold], [d for _, d in gold]
    )
    assert found == expected


def test_fractions_overlap_without_an_integer_between():
    assert overlapping_pairs([0.2], [0.4], [0.3], [0.35]) == [(0, 0)]
    assert overlapping_pairs([0.2], [0.3], [0.3], [0.4]) == []


def test_cost_follows_the_answers():
    """One interval over everything must not make the short ones expensive."""
    n = 20_000
    starts = [0, *range(n)]
    ends = [n, *range(1, n + 1)]
    before = time.process_time()
    assert len(overlapping_pairs(starts, ends, list(range(n)), list(range(1, n + 1)))) == 2 * n
    assert time.process_time() - before < 5
