"""Bit-parallel edit distance against the table of Wagner and Fischer."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.algebra.operators.graded import levenshtein


def table(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row = row, [i]
        for j, y in enumerate(b, 1):
            row.append(min(previous[j] + 1, row[-1] + 1, previous[j - 1] + (x != y)))
    return row[-1]


TEXT = st.text("abc", max_size=40) | st.text(max_size=12)


@settings(max_examples=500, deadline=None)
@given(TEXT, TEXT)
def test_equals_the_table(a, b):
    assert levenshtein(a, b) == table(a, b)


@settings(max_examples=300, deadline=None)
@given(st.text("ab", max_size=8), TEXT, TEXT, st.text("ab", max_size=8), st.integers(0, 15))
def test_limit_and_common_ends(prefix, a, b, suffix, limit):
    a, b = prefix + a + suffix, prefix + b + suffix
    assert levenshtein(a, b, limit) == min(table(a, b), limit + 1)


def test_longer_than_a_machine_word():
    a = "abcdefghij" * 50
    b = a[7:200] + "xyz" + a[203:] + "end"
    assert levenshtein(a, b) == table(a, b)
    assert levenshtein(a, b, 4) == 5


def test_degenerate():
    assert levenshtein("", "") == 0
    assert levenshtein("", "abc") == 3
    assert levenshtein("abc", "", 1) == 2
    assert levenshtein("abc", "abc", 0) == 0
