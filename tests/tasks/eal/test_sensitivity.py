"""Beta and lambda: the grid is what scoring again gives, and crossings are where the order really changes."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import UsageError
from adjudge.stats.table import StatsTable
from adjudge.tasks.eal.measures import columns
from adjudge.tasks.eal.sensitivity import (
    Counts,
    all_crossings,
    beta_crossings,
    beta_lambda_grid,
    counts_of,
    crossings,
    overall,
)
from adjudge.tasks.eal.settings import Settings

documents = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 12)), min_size=1, max_size=6)


@st.composite
def pairs(draw):
    """Two systems on the same documents, so that what could be found is the same for both."""
    both = [draw(documents), None]
    both[1] = draw(
        st.lists(st.tuples(st.integers(0, 9), st.integers(0, 12)), min_size=len(both[0]), max_size=len(both[0]))
    )
    found = []
    for rows in both:
        tp, fp = np.array(rows, dtype=float).T
        found.append(Counts(tp, fp, 9.0 * len(rows), draw(st.integers(0, 20)) / 2, 10.0))
    return found


def slow_overall(counts, beta, lambda_):
    raw = sum(max(0.0, tp - beta * fp) for tp, fp in zip(counts.tp.tolist(), counts.fp.tolist(), strict=True))
    return lambda_ * raw / counts.correct + (1 - lambda_) * counts.link / counts.size


@given(pairs())
@settings(max_examples=30)
def test_grid(two):
    rows = dict(zip("AB", two, strict=True))
    grid = beta_lambda_grid(rows)
    assert (len(grid.betas), len(grid.lambdas)) == (21, 21)
    for row in (0, 5, 20):
        for column in (0, 10, 20):
            beta, lambda_ = grid.betas[row], grid.lambdas[column]
            values = {name: slow_overall(each, beta, lambda_) for name, each in rows.items()}
            for name, value in values.items():
                assert grid.scores[name][row, column] == pytest.approx(value)
                assert overall(rows[name], beta, lambda_) == pytest.approx(value)
            if abs(values["A"] - values["B"]) > 1e-9:
                ahead = max(values, key=values.__getitem__)
                assert grid.ranks[ahead][row, column] == 1
                assert grid.best()[row][column] == ahead


@given(pairs(), st.sampled_from((0.0, 0.25, 0.7)))
@settings(max_examples=50)
def test_crossings_in_lambda(two, beta):
    a, b = two
    found = crossings(("A", a), ("B", b), beta=beta)
    ends = [slow_overall(a, beta, end) - slow_overall(b, beta, end) for end in (0.0, 1.0)]
    if abs(ends[0]) > 1e-9 and abs(ends[1]) > 1e-9:
        assert len(found) == (ends[0] * ends[1] < 0)
    for each in found:
        assert 0 < each.at < 1
        assert slow_overall(a, beta, each.at) == pytest.approx(slow_overall(b, beta, each.at))
        assert each.score == pytest.approx(slow_overall(a, beta, each.at))
        assert {each.before, each.after} == {"A", "B"}
        assert (each.before == "A") == (ends[0] > 0)


@given(pairs(), st.sampled_from((0.3, 0.5, 1.0)))
@settings(max_examples=75)
def test_crossings_in_beta(two, lambda_):
    a, b = two
    found = beta_crossings(("A", a), ("B", b), lambda_=lambda_)

    def difference(beta):
        return slow_overall(a, beta, lambda_) - slow_overall(b, beta, lambda_)

    for each in found:
        assert 0 < each.at < 1
        assert difference(each.at) == pytest.approx(0, abs=1e-9)
    # Between crossings the order does not change, and at each it does.
    values = [(beta, difference(beta)) for beta in np.linspace(0, 1, 401).tolist()]
    clear = [(beta, value > 0) for beta, value in values if abs(value) > 1e-9]
    for (low, before), (high, after) in pairwise(clear):
        inside = [each for each in found if low < each.at < high]
        strict = sum({each.before, each.after} == {"A", "B"} for each in inside)
        if before != after:
            assert inside
        if len(inside) == 1 and strict == 1:
            assert before != after
            assert (inside[0].before == "A") == before


def test_systems_that_are_level_over_a_range():
    """Both are 0 from beta 0.5 on: they do not change places there, they meet."""
    a = Counts(np.array([1.0]), np.array([2.0]), 4.0, 0.0, 0.0)
    b = Counts(np.array([2.0]), np.array([8.0]), 4.0, 0.0, 0.0)
    found = beta_crossings(("A", a), ("B", b), lambda_=1.0)
    assert [(round(each.at, 9), each.before, each.after) for each in found] == [
        (round(1 / 6, 9), "B", "A"),
        (0.5, "A", None),
    ]


def test_counts_come_from_tables():
    names = columns(Settings())
    row = dict.fromkeys(names, 0.0) | {"eal.argument:tp": 2, "eal.argument:system": 5, "eal.argument:gold": 4}
    row |= {"eal.linking:f": 1.5, "eal.linking:size": 3}
    table = StatsTable(("d",), names, (tuple(float(row[name]) for name in names),), {})
    counts = counts_of(table)
    assert (counts.tp.tolist(), counts.fp.tolist(), counts.correct, counts.link_score) == ([2.0], [3.0], 4.0, 0.5)
    both = all_crossings({"A": counts, "B": counts, "C": counts})
    assert list(both) == [("A", "B"), ("A", "C"), ("B", "C")]
    assert all(found == ([], []) for found in both.values())
    with pytest.raises(UsageError, match="not of event arguments"):
        counts_of(StatsTable(("d",), ("x",), ((1.0,),), {}))
