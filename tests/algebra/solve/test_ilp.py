"""The integer programme against trying everything, and what its pieces say at their edges."""

import math
import random
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.optimize

from adjudge.algebra.solve.deadline import Deadline
from adjudge.algebra.solve.ilp import ceiling, grid, maximise, settled


def best_by_trying(weights, rows):
    best = 0.0
    for choice in product((0, 1), repeat=len(weights)):
        if all(sum(value * choice[column] for column, value in entries) <= limit for entries, limit in rows):
            best = max(best, math.fsum(w for w, x in zip(weights, choice, strict=True) if x))
    return best


@pytest.mark.parametrize("weights", [(1.0, 2.0), (0.31, 0.47, 1.0), (1.0, 1.00001, 1.00002), (1e-4, 3e-4), (3e5, 1e5)])
def test_against_trying_everything(weights):
    rng = random.Random(str(weights))
    for _ in range(12):
        size = rng.randint(1, 8)
        given = [rng.choice(weights) for _ in range(size)]
        rows = []
        for _ in range(rng.randint(0, 6)):
            columns = sorted(rng.sample(range(size), rng.randint(1, size)))
            rows.append(([(column, 1.0) for column in columns], 1.0))
        answer = maximise(given, rows, integers=size)
        best = best_by_trying(given, rows)
        value = math.fsum(given[column] for column in answer.ones)
        assert value == pytest.approx(best, rel=1e-9)
        assert answer.optimal
        assert value <= answer.bound <= best * (1 + 1e-9) + (grid(given) or 0.0)
        assert answer.ones == sorted(answer.ones)
        for entries, limit in rows:
            assert sum(column in answer.ones for column, _ in entries) <= limit


def test_columns_lie_between_0_and_1():
    """An odd ring: halves would be worth more than whole numbers, and what no row mentions is at most one."""
    ring = [([(k, 1.0), ((k + 1) % 5, 1.0)], 1.0) for k in range(5)]
    answer = maximise([1.0] * 5 + [3.0], ring, integers=6)
    assert (len(answer.ones), answer.bound, answer.optimal) == (3, 5.0, True)
    assert 5 in answer.ones
    shifted = [([(column + 1, value) for column, value in entries], limit) for entries, limit in ring]
    halves = maximise([3.0] + [1.0] * 5, shifted, integers=1)
    assert (halves.ones, halves.optimal) == ([0], False)
    assert halves.bound == pytest.approx(5.5)


def test_the_grid():
    for denominator in (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 16, 20, 24, 30, 60, 100):
        assert grid([1 / denominator, 2.0]) == pytest.approx(1 / denominator, rel=1e-15)
    for weights, step in (
        ([1 / 7], 0.0),
        ([0.001], 0.0),
        ([], 1.0),
        ([1e6 + 1e-7], 1.0),
        ([1.0 + 1e-11], 0.0),
        ([1.0 + 1e-13], 1.0),
    ):
        assert grid(weights) == step


def test_when_a_value_is_settled():
    assert ceiling(5.0, 1.0) == pytest.approx(6.0 - 1e-6, abs=1e-12)
    assert ceiling(5.0, 0.0) == pytest.approx(5.0 + 5e-9, abs=1e-15)
    assert ceiling(0.5, 0.0) == pytest.approx(0.5 + 1e-9, abs=1e-15)
    assert ceiling(-5.0, 0.0) == pytest.approx(-5.0 + 5e-9, abs=1e-15)
    assert settled(5.0, ceiling(5.0, 1.0), 1.0)
    assert not settled(5.0, 6.0, 1.0)
    assert not settled(5.0, 5.0 + 6e-9, 0.0)


def solver(**answer):
    calls = []

    def milp(costs, **options):
        calls.append((list(costs), options))
        found = answer["x"]
        return SimpleNamespace(**{**answer, "x": None if found is None else np.array(found[: len(costs)])})

    return milp, calls


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"x": None, "status": 1, "mip_dual_bound": None}, (None, 10.0, False)),
        ({"x": None, "status": 1, "mip_dual_bound": -math.inf}, (None, 10.0, False)),
        ({"x": None, "status": 1, "mip_dual_bound": -8.0 * 256}, (None, 8.0, False)),
        ({"x": None, "status": 1, "mip_dual_bound": -80.0 * 256}, (None, 10.0, False)),
        ({"x": [1.0, 0.4, 0.6], "status": 0, "mip_dual_bound": -7.5 * 256}, ([0, 2], 7.5, True)),
        ({"x": [1.0, 0.0, 1.0], "status": 0, "mip_dual_bound": -6.0 * 256}, ([0, 2], 7.0, True)),
        ({"x": [1.0, 0.0, 1.0], "status": 1, "mip_dual_bound": -7.5 * 256}, ([0, 2], 7.5, False)),
        ({"x": [1.0, 0.0, 1.0], "status": 0, "mip_dual_bound": -8.5 * 256}, ([0, 2], 8.5, False)),
        ({"x": [1.0, 0.5, 0.0], "status": 0, "mip_dual_bound": -4.0 * 256}, ([0], 4.0, True)),
    ],
)
def test_what_the_solver_answers(monkeypatch, answer, expected):
    monkeypatch.setattr(scipy.optimize, "milp", solver(**answer)[0])
    found = maximise([4.0, 3.0, 3.0], [], integers=3, deadline=Deadline(0.2))
    assert (found.ones, found.bound, found.optimal) == expected
