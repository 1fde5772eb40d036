"""Searches that are cut short claim nothing false: value <= optimum <= bound, optimal only where all agree."""

import random

import pytest

from adjudge.algebra.solve.deadline import NEVER, Deadline
from adjudge.algebra.solve.latent import best_variable_matching, branch_and_bound
from adjudge.algebra.solve.order import heaviest_independent, order_preserving
from adjudge.model.graph import reachability

LIMITS = (0.0, 1e-4, 1e-3, 1e-2)
WEIGHTS = {"ones": (1.0,), "whole": (1.0, 2.0, 3.0), "broken": (0.31, 0.47, 0.9, 1.13)}


def table(rng, rows, columns, count, weights):
    """Random edges, no two alike."""
    found = {(rng.randrange(rows), rng.randrange(columns)): rng.choice(weights) for _ in range(count)}
    return [(row, column, weight) for (row, column), weight in found.items()]


def graphs(rng, size, labels, relations, soft):
    """Two graphs like meaning representations."""
    sides = []
    for _ in range(2):
        edges = {(rng.randrange(max(0, i - 4), i), rng.randrange(relations), i) for i in range(1, size)}
        edges |= {
            (*rng.sample(range(size), 1), rng.randrange(relations), rng.randrange(size)) for _ in range(size // 5)
        }
        sides.append(([rng.randrange(labels) for _ in range(size)], sorted(edges)))
    (here, mine), (there, theirs) = sides
    worth = (1.0, 0.9, 0.77) if soft else (1.0,)
    unary = {(k, v): rng.choice(worth) for k in range(size) for v in range(size) if here[k] == there[v]}
    pairs = [
        (1.0, ((a, c), (b, d)), i, j)
        for i, (a, one, b) in enumerate(mine)
        for j, (c, other, d) in enumerate(theirs)
        if one == other
    ]
    return unary, pairs


def reach(rng, size, count):
    return reachability(size, [(rng.randrange(size), rng.randrange(size)) for _ in range(count)])


def honest(value, bound, optimal, best):
    """What a search says of itself, given the proven optimum."""
    assert value <= best + 1e-9
    assert bound >= best - 1e-9
    if optimal:
        assert value == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("soft", [False, True])
def test_matchings_of_variables(limit, soft):
    unary, pairs = graphs(random.Random(9), 9, 3, 4, soft)
    best = best_variable_matching(unary, pairs)
    assert best.optimal
    found = best_variable_matching(unary, pairs, deadline=Deadline(limit))
    honest(found.value, found.bound, found.optimal, best.value)


@pytest.mark.parametrize("limit", LIMITS)
def test_values_from_outside(limit):
    rng = random.Random(3)
    worth = [[rng.choice((0, 1, 2, 5)) for _ in range(5)] for _ in range(5)]

    def evaluate(mapping, undecided):
        free = [column for column in range(5) if column not in mapping.values()]
        hope = sum(max((worth[row][column] for column in free), default=0) for row in undecided)
        return float(sum(worth[row][column] for row, column in mapping.items()) + hope)

    best, found = (branch_and_bound(range(5), range(5), evaluate, given) for given in (NEVER, Deadline(limit)))
    honest(found.value, found.bound, found.optimal, best.value)


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("kind", WEIGHTS)
def test_matchings_that_keep_an_order(limit, kind):
    rng = random.Random(kind)
    edges, here, there = table(rng, 9, 9, 40, WEIGHTS[kind]), reach(rng, 9, 6), reach(rng, 9, 6)
    best, found = (order_preserving(edges, here, there, deadline=given) for given in (NEVER, Deadline(limit)))
    honest(found.value, found.bound, found.optimal, best.value)


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("kind", WEIGHTS)
def test_independent_sets(limit, kind):
    rng = random.Random(kind)
    masks = [0] * 30
    for one in range(30):
        for other in range(one):
            if rng.random() < 0.3:
                masks[one] |= 1 << other
                masks[other] |= 1 << one
    values = [rng.choice(WEIGHTS[kind]) for _ in masks]
    best, found = (heaviest_independent(values, masks, deadline=given) for given in (NEVER, Deadline(limit)))
    honest(
        sum(values[each] for each in found.members), found.bound, found.optimal, sum(values[v] for v in best.members)
    )
    assert not any(masks[one] >> other & 1 for one in found.members for other in found.members)
