"""Order-preserving matching and independent sets against trying every subset."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.algebra.solve import order
from adjudge.algebra.solve.chain import best_chain
from adjudge.algebra.solve.deadline import Deadline
from adjudge.algebra.solve.order import heaviest_independent, order_preserving
from adjudge.model.graph import reachability

WEIGHTS = st.sampled_from([0.25, 0.5, 1.0, 1.0, 2.0, 1 / 3, 0.0])
MATCHES = ("1:1", "N:1", "1:N", "N:N")


def graphs(size):
    return st.lists(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)), max_size=2 * size)


def closure(n, edges):
    reach = [[i == j or (i, j) in set(edges) for j in range(n)] for i in range(n)]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                reach[i][j] = reach[i][j] or (reach[i][k] and reach[k][j])
    return reach


@settings(max_examples=75, deadline=None)
@given(st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), graphs(n))))
def test_reachability(case):
    n, edges = case
    expected = [sum(1 << j for j in range(n) if row[j]) for row in closure(n, edges)]
    assert reachability(n, edges) == expected


def test_reachability_of_a_long_chain_and_a_long_cycle():
    n = 5000
    chain = [(i, i + 1) for i in range(n - 1)]
    assert reachability(n, chain)[10].bit_count() == n - 10
    assert set(reachability(n, [*chain, (n - 1, 0)])) == {(1 << n) - 1}


def allowed(chosen, reach_s, reach_g, match):
    for a, (u, v, _) in enumerate(chosen):
        for x, y, _ in chosen[a + 1 :]:
            if reach_s[u][x] != reach_g[v][y] or reach_s[x][u] != reach_g[y][v]:
                return False
            if match in ("1:1", "N:1") and u == x:
                return False
            if match in ("1:1", "1:N") and v == y:
                return False
    return True


def brute(edges, reach_s, reach_g, match):
    best = 0.0
    stack = [((), 0)]
    while stack:
        chosen, position = stack.pop()
        best = max(best, math.fsum(w for _, _, w in chosen))
        for index in range(position, len(edges)):
            more = (*chosen, edges[index])
            if allowed(more, reach_s, reach_g, match):
                stack.append((more, index + 1))
    return best


PROBLEMS = st.tuples(
    graphs(4),
    graphs(4),
    st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 3)), WEIGHTS, max_size=11),
    st.sampled_from(MATCHES),
)


@settings(max_examples=75, deadline=None)
@given(PROBLEMS)
def test_against_every_subset(problem):
    graph_s, graph_g, table, match = problem
    edges = [(u, v, w) for (u, v), w in table.items()]
    reach_s, reach_g = closure(4, graph_s), closure(4, graph_g)
    found = order_preserving(edges, reachability(4, graph_s), reachability(4, graph_g), match=match)
    assert found.optimal
    assert found.value == found.bound == pytest.approx(brute(edges, reach_s, reach_g, match), abs=1e-12)
    assert set(found.pairs) <= set(edges)
    assert all(w > 0 for _, _, w in found.pairs)
    assert allowed(found.pairs, reach_s, reach_g, match)
    backwards = order_preserving(edges[::-1], reachability(4, graph_s), reachability(4, graph_g), match=match)
    assert backwards == found


@settings(max_examples=25, deadline=None)
@given(PROBLEMS)
def test_integer_programme_against_every_subset(problem):
    graph_s, graph_g, table, match = problem
    edges = [(u, v, w) for (u, v), w in table.items()]
    expected = brute(edges, closure(4, graph_s), closure(4, graph_g), match)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(order, "_NODES", 0)
        patch.setattr(order, "_DOMINANCE", 0)
        found = order_preserving(edges, reachability(4, graph_s), reachability(4, graph_g), match=match)
    assert found.optimal
    assert found.value == pytest.approx(expected, abs=1e-9)
    assert allowed(found.pairs, closure(4, graph_s), closure(4, graph_g), match)


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(st.tuples(st.integers(0, 6), st.integers(0, 6)), WEIGHTS, max_size=25))
def test_total_orders_are_chains(table):
    edges = [(u, v, w) for (u, v), w in table.items()]
    chain = reachability(7, [(i, i + 1) for i in range(6)])
    expected = best_chain(edges, rows_strict=True, columns_strict=True)[0]
    assert order_preserving(edges, chain, chain).value == pytest.approx(expected, abs=1e-12)


def random_graph(rng, vertices, density):
    masks = [0] * vertices
    for i in range(vertices):
        for j in range(i):
            if rng.random() < density:
                masks[i] |= 1 << j
                masks[j] |= 1 << i
    return masks


def heaviest_by_recursion(weights, masks, rest):
    if not rest:
        return 0.0
    v = rest.bit_length() - 1
    rest &= ~(1 << v)
    without = heaviest_by_recursion(weights, masks, rest)
    return max(without, weights[v] + heaviest_by_recursion(weights, masks, rest & ~masks[v]))


@pytest.mark.parametrize("nodes", [10**9, 20, 0])
@pytest.mark.parametrize("weights", [(1.0,), (1.0, 2.0, 3.0), (0.31, 0.47, 0.9, 1.13)])
def test_independent_sets_of_random_graphs(monkeypatch, nodes, weights):
    monkeypatch.setattr(order, "_NODES", nodes)
    rng = random.Random(nodes + len(weights))
    for _ in range(25):
        n = rng.randint(2, 16)
        masks = random_graph(rng, n, rng.choice([0.1, 0.3, 0.6]))
        values = [rng.choice(weights) for _ in range(n)]
        choice = heaviest_independent(values, masks)
        assert choice.optimal
        assert all(not masks[i] >> j & 1 for i in choice.members for j in choice.members)
        total = math.fsum(values[i] for i in choice.members)
        assert total == choice.bound == pytest.approx(heaviest_by_recursion(values, masks, (1 << n) - 1), abs=1e-9)


def test_two_chains_need_no_search():
    """300 equal nodes in line on both sides: a table of conflicts would have 90,000 rows."""
    chain = reachability(300, [(k, k + 1) for k in range(299)])
    edges = [(u, v, 1.0) for u in range(300) for v in range(300)]
    found = order_preserving(edges, chain, chain)
    assert (found.value, found.optimal) == (300.0, True)


def test_too_many_pairs_are_not_called_proven():
    """A comb of 250 nodes against another: too many pairs for a table, so what is found comes with its bound."""
    comb = reachability(250, [(k, k + 2) for k in range(0, 248, 2)] + [(k, k + 1) for k in range(0, 250, 2)])
    edges = [(u, v, 1.0) for u in range(250) for v in range(250)]
    found = order_preserving(edges, comb, comb, deadline=Deadline(2.0))
    assert 0 < found.value <= found.bound <= 250
    assert found.optimal == (found.value == found.bound)
    for i, (u, v, _) in enumerate(found.pairs):
        for a, b, _ in found.pairs[:i]:
            assert (comb[u] >> a & 1, comb[a] >> u & 1) == (comb[v] >> b & 1, comb[b] >> v & 1)
