"""Chains, common subsequences, edit distances and overlaps against textbook tables and comparing everything."""

from __future__ import annotations

import math
import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.algebra.edit_distance import distances, levenshtein
from adjudge.algebra.operators.leaf import overlapping_pairs
from adjudge.algebra.solve.chain import best_chain, lcs_length

WEIGHTS = st.sampled_from([0.1, 0.25, 0.5, 0.75, 1.0, 2.0, 0.0, -1.0])
POINTS = st.dictionaries(st.tuples(st.integers(0, 5), st.integers(0, 5)), WEIGHTS, max_size=20).map(
    lambda table: [(i, j, w) for (i, j), w in table.items()]
)


def table_value(edges, rows_strict, columns_strict):
    """f[i,j] = max(f[i-1,j], f[i,j-1], f[i-1,j-1]+w), plus f[i,j-1]+w if rows repeat, f[i-1,j]+w if columns repeat."""
    if not edges:
        return 0.0
    n, m = (max(e[k] for e in edges) + 1 for k in (0, 1))
    weight = {(i, j): w for i, j, w in edges}
    f = [[0.0] * (m + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            w = max(0.0, weight.get((i - 1, j - 1), 0.0))
            options = [f[i - 1][j], f[i][j - 1], f[i - 1][j - 1] + w]
            if not rows_strict:
                options.append(f[i][j - 1] + w)
            if not columns_strict:
                options.append(f[i - 1][j] + w)
            f[i][j] = max(options)
    return f[n][m]


def check_chain(edges, value, chain, rows_strict, columns_strict):
    assert set(chain) <= set(edges)
    assert value == math.fsum(w for _, _, w in chain)
    assert all(w > 0 for _, _, w in chain)
    for (i, j, _), (k, m, _) in pairwise(chain):
        assert (i < k) if rows_strict else (i <= k)
        assert (j < m) if columns_strict else (j <= m)
        assert (i, j) != (k, m)


@settings(max_examples=75, deadline=None)
@given(POINTS, st.booleans(), st.booleans(), st.randoms(use_true_random=False))
def test_chain_equals_the_table(edges, rows_strict, columns_strict, rng):
    value, chain = best_chain(edges, rows_strict=rows_strict, columns_strict=columns_strict)
    assert value == pytest.approx(table_value(edges, rows_strict, columns_strict), abs=1e-12)
    check_chain(edges, value, chain, rows_strict, columns_strict)
    shuffled = rng.sample(edges, len(edges))
    assert best_chain(shuffled, rows_strict=rows_strict, columns_strict=columns_strict) == (value, chain)


def lcs_table(a, b):
    f = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a, 1):
        for j, y in enumerate(b, 1):
            f[i][j] = f[i - 1][j - 1] + 1 if x == y else max(f[i - 1][j], f[i][j - 1])
    return f[-1][-1]


WORDS = st.one_of(st.text("ab", max_size=25), st.text("abcdef", max_size=25), st.lists(st.integers(0, 9), max_size=25))


@settings(max_examples=75, deadline=None)
@given(st.tuples(st.text("abc", max_size=30), st.text("abc", max_size=30)) | st.tuples(WORDS, WORDS))
def test_lcs_equals_the_table(words):
    a, b = words
    expected = lcs_table(a, b)
    assert lcs_length(a, b) == lcs_length(b, a) == expected


def distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row = row, [i]
        for j, y in enumerate(b, 1):
            row.append(min(previous[j] + 1, row[-1] + 1, previous[j - 1] + (x != y)))
    return row[-1]


TEXT = st.text("abc", max_size=40) | st.text(max_size=12)


@settings(max_examples=75, deadline=None)
@given(TEXT, TEXT)
def test_equals_the_distance(a, b):
    assert levenshtein(a, b) == distance(a, b)


@settings(max_examples=75, deadline=None)
@given(st.text("ab", max_size=8), TEXT, TEXT, st.text("ab", max_size=8), st.integers(0, 15))
def test_limit_and_common_ends(prefix, a, b, suffix, limit):
    a, b = prefix + a + suffix, prefix + b + suffix
    assert levenshtein(a, b, limit) == min(distance(a, b), limit + 1)


def test_longer_than_a_machine_word():
    a = "abcdefghij" * 50
    b = a[7:200] + "xyz" + a[203:] + "end"
    assert levenshtein(a, b) == distance(a, b)
    assert levenshtein(a, b, 4) == 5


@settings(max_examples=30, deadline=None)
@given(st.lists(TEXT, max_size=9), st.lists(TEXT, max_size=9), st.integers(0, 2))
def test_all_pairs_at_once(rows, columns, long):
    rows, columns = [*rows, "abcd" * 16, "b" * 63, "ü" * 64][: len(rows) + long], [*columns, "abca" * 20]
    assert distances(rows, columns).tolist() == [[distance(a, b) for b in columns] for a in rows]


INTERVALS = st.lists(st.tuples(st.integers(-3, 12), st.integers(-3, 12)), max_size=12)


@settings(max_examples=75, deadline=None)
@given(INTERVALS, INTERVALS)
def test_overlaps(system, gold):
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
