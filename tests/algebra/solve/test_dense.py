"""Matchings and chains of full matrices by several numbers, against all; also where one number cannot hold them."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.algebra.solve import matrix
from adjudge.algebra.solve.assignment import exact_matching, lexicographic
from adjudge.algebra.solve.deadline import Deadline
from adjudge.algebra.solve.matrix import dense_chain, dense_matching

numbers = st.integers(0, 2)


@settings(max_examples=75, deadline=None)
@given(
    st.integers(1, 4).flatmap(
        lambda rows: st.integers(1, 4).flatmap(
            lambda columns: st.lists(
                st.lists(st.tuples(*[numbers] * 4), min_size=columns, max_size=columns), min_size=rows, max_size=rows
            )
        )
    ),
    st.sampled_from([1, 1 << 20, 1 << 45]),
)
def test_no_matching_is_better(cells, unit):
    levels = [np.array([[cell[level] * unit for cell in row] for row in cells]) for level in range(4)]
    allowed = levels[0] > 0
    chosen, unproven = dense_matching(levels, allowed)
    assert unproven is None
    assert len({i for i, _ in chosen}) == len({j for _, j in chosen}) == len(chosen)
    assert all(allowed[pair] for pair in chosen)

    def total(pairs):
        return tuple(sum(int(level[pair]) for pair in pairs) for level in levels)

    short, long = sorted(allowed.shape)
    straight = allowed.shape[0] <= allowed.shape[1]
    every = (
        [(i, j) if straight else (j, i) for i, j in enumerate(places)]
        for places in itertools.permutations(range(long), short)
    )
    assert total(chosen) == max(total([pair for pair in pairs if allowed[pair]]) for pairs in every)
    edges = [(i, j, tuple(int(level[i, j]) for level in levels)) for i, j in zip(*np.nonzero(allowed), strict=True)]
    if edges:
        assert total(exact_matching(lexicographic(edges))) == total(chosen)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matrix, "_SOON", 0)
        hasty, most = dense_matching(levels, allowed, Deadline(0.0))
    assert total(hasty)[0] <= total(chosen)[0] <= most

    def goes_up(pairs):
        return all(a[0] < b[0] and a[1] < b[1] for a, b in itertools.pairwise(pairs))

    cells_allowed = sorted(zip(*(each.tolist() for each in np.nonzero(allowed)), strict=True))
    chains = (
        pairs for many in range(short + 1) for pairs in itertools.combinations(cells_allowed, many) if goes_up(pairs)
    )
    chain = dense_chain(levels, allowed).pairs
    assert goes_up(chain)
    assert total(chain) == max(map(total, chains))


def test_numbers_of_any_size_are_exact():
    edges = [(0, 0, 10**40 + 1), (0, 1, 10**40), (1, 0, 10**40), (1, 1, 2)]
    assert exact_matching(edges) == [(0, 1), (1, 0)]
