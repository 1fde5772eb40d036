"""What solves large assignments: the function of scipy, got without the rest of scipy.optimize."""

import subprocess
import sys
from importlib.machinery import PathFinder

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from adjudge.algebra.solve import matrix


@pytest.fixture(params=["alone", "not where it stands"])
def solver(request, monkeypatch):
    matrix._scipy.cache_clear()
    if request.param != "alone":
        monkeypatch.setattr(PathFinder, "find_spec", lambda *_: None)
    yield matrix
    matrix._scipy.cache_clear()


def test_ties_are_resolved_as_scipy_does(solver):
    rng = np.random.default_rng(1)
    for _ in range(300):
        table = rng.integers(0, 3, rng.integers(1, 9, 2)).astype(float)
        for maximize in (True, False):
            wanted = [each.tolist() for each in linear_sum_assignment(table, maximize)]
            assert list(solver.solved(table, maximize)) == wanted


def test_no_other_part_of_scipy_is_imported():
    words = "import sys, numpy; from adjudge.algebra.solve.matrix import solved; solved(numpy.eye(3))"
    done = subprocess.run(
        [sys.executable, "-c", f"{words}; print([name for name in sys.modules if name.startswith('scipy')])"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"
