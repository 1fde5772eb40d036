"""Chains and common subsequences against the textbook tables."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.algebra.solve.order import best_chain, lcs_length

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


@settings(max_examples=400, deadline=None)
@given(POINTS, st.booleans(), st.booleans(), st.randoms(use_true_random=False))
def test_chain_equals_the_table(edges, rows_strict, columns_strict, rng):
    value, chain = best_chain(edges, rows_strict=rows_strict, columns_strict=columns_strict)
    assert value == pytest.approx(table_value(edges, rows_strict, columns_strict), abs=1e-12)
    check_chain(edges, value, chain, rows_strict, columns_strict)
    shuffled = rng.sample(edges, len(edges))
    assert best_chain(shuffled, rows_strict=rows_strict, columns_strict=columns_strict) == (value, chain)


def test_a_dense_problem():
    rng = random.Random(3)
    edges = [(i, j, rng.random()) for i in range(200) for j in range(200)]
    value, chain = best_chain(edges, rows_strict=True, columns_strict=True)
    assert value == pytest.approx(table_value(edges, True, True), abs=1e-9)
    check_chain(edges, value, chain, True, True)


def lcs_table(a, b):
    f = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a, 1):
        for j, y in enumerate(b, 1):
            f[i][j] = f[i - 1][j - 1] + 1 if x == y else max(f[i - 1][j], f[i][j - 1])
    return f[-1][-1]


WORDS = st.one_of(st.text("ab", max_size=25), st.text("abcdef", max_size=25), st.lists(st.integers(0, 9), max_size=25))


@settings(max_examples=400, deadline=None)
@given(st.tuples(st.text("abc", max_size=30), st.text("abc", max_size=30)) | st.tuples(WORDS, WORDS))
def test_lcs_equals_the_table(words):
    a, b = words
    expected = lcs_table(a, b)
    assert lcs_length(a, b) == lcs_length(b, a) == expected


def test_lcs_of_long_sequences():
    rng = random.Random(0)
    a = [rng.randrange(50) for _ in range(3000)]
    b = [x for x in a if rng.random() < 0.8]
    assert lcs_length(a, b) == len(b)
