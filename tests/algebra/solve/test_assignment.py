"""Sparse matching against scipy's dense assignment and against trying everything."""

from __future__ import annotations

import math
import random
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from adjudge.algebra.solve import assignment
from adjudge.algebra.solve.assignment import max_weight_matching, priced_matching


def dense_value(edges):
    useful = [e for e in edges if e[2] > 0]
    if not useful:
        return 0.0
    rows = {r: i for i, r in enumerate(sorted({e[0] for e in useful}))}
    columns = {c: i for i, c in enumerate(sorted({e[1] for e in useful}))}
    matrix = np.zeros((len(rows), len(columns)))
    for r, c, w in useful:
        matrix[rows[r], columns[c]] = w
    i, j = linear_sum_assignment(matrix, maximize=True)
    return float(matrix[i, j].sum())


def check(edges, value, chosen):
    table = {(r, c): w for r, c, w in edges}
    assert all(table[r, c] == w and w > 0 for r, c, w in chosen)
    assert len({r for r, _, _ in chosen}) == len(chosen) == len({c for _, c, _ in chosen})
    assert chosen == sorted(chosen)
    assert value == math.fsum(w for _, _, w in chosen)


def random_edges(rng, rows, columns, count, kind):
    table = {}
    for _ in range(count):
        if kind == "uniform":
            weight = rng.random()
        elif kind == "equal":
            weight = 1.0
        elif kind == "few":
            weight = rng.choice([0.5, 1.0, 1.5])
        else:
            x, y = rng.randint(1, 8), rng.randint(1, 8)
            weight = 2 * rng.randint(1, min(x, y)) / (x + y)
        table[rng.randrange(rows), rng.randrange(columns)] = weight
    return [(r, c, w) for (r, c), w in table.items()]


WEIGHTS = st.sampled_from([0.2, 0.25, 1 / 3, 0.5, 2 / 3, 1.0, 2.0, 0.0, -1.0]) | st.floats(-0.5, 3)
EDGES = st.dictionaries(
    st.tuples(st.sampled_from([0, 1, 2, 5, 9, 40, 41]), st.sampled_from([0, 3, 4, 7, 8, 100, 10**6])),
    WEIGHTS,
    max_size=30,
).map(lambda table: [(r, c, w) for (r, c), w in table.items()])


@settings(max_examples=75, deadline=None)
@given(EDGES, st.randoms(use_true_random=False))
def test_small_graphs(edges, rng):
    value, chosen = max_weight_matching(edges)
    check(edges, value, chosen)
    assert value == pytest.approx(dense_value(edges), abs=1e-12)
    assert max_weight_matching(rng.sample(edges, len(edges))) == (value, chosen)


@pytest.mark.parametrize("kind", ["uniform", "equal", "few", "dice"])
@pytest.mark.parametrize("patience", [25, 0])
def test_every_way_of_solving(monkeypatch, kind, patience):
    """Without patience Python gives up at once, and scipy must agree with it."""
    monkeypatch.setattr(assignment, "_PATIENCE", patience)
    rng = random.Random(f"{kind}{patience}")
    for _ in range(40):
        rows, columns = rng.randint(1, 30), rng.randint(1, 30)
        edges = random_edges(rng, rows, columns, rng.randint(1, 3 * max(rows, columns)), kind)
        value, chosen = max_weight_matching(edges)
        check(edges, value, chosen)
        assert value == pytest.approx(dense_value(edges), abs=1e-11)


@pytest.mark.parametrize("kind", ["uniform", "equal", "few", "dice"])
def test_giant_sparse_component(kind):
    edges = random_edges(random.Random(7), 2000, 2000, 6000, kind)
    before = time.process_time()
    value, chosen = max_weight_matching(edges)
    assert time.process_time() - before < 2
    check(edges, value, chosen)
    assert value == pytest.approx(dense_value(edges), abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(EDGES)
def test_prices_prove_the_matching(edges):
    rows = {}
    for r, c, w in edges:
        if w > 1e-6:
            rows.setdefault(r, {})[c] = w
    mate, row_price, column_price = priced_matching(rows)
    prices = [*row_price.values(), *column_price.values()]
    assert all(price >= -1e-12 for price in prices)
    assert all(row_price[r] + column_price[c] >= w - 1e-12 for r, mine in rows.items() for c, w in mine.items())
    assert math.fsum(prices) == pytest.approx(sum(rows[r][c] for r, c in mate.items()), abs=1e-12)


def test_ties_go_to_the_lowest_in_a_star():
    assert max_weight_matching([(0, 5, 1.0), (0, 3, 1.0), (0, 9, 1.0)])[1] == [(0, 3, 1.0)]
    assert max_weight_matching([(5, 0, 1.0), (3, 0, 1.0), (9, 0, 0.5)])[1] == [(3, 0, 1.0)]


def test_empty():
    assert max_weight_matching([]) == (0.0, [])
    assert max_weight_matching([(0, 0, 0.0), (1, 1, -2.0)]) == (0.0, [])
