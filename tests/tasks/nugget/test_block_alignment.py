"""Cells that settle an alignment, against all alignments, one by one."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from adjudge.tasks.nugget.block_alignment import connected, settled_cells

Cells = dict[tuple[int, int], int]

cells = st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 3)), st.integers(1, 4), min_size=1, max_size=8)


def alignments(table: Cells) -> list[tuple[int, list[tuple[int, int]]]]:
    """All one-to-one choices of cells with their weights, the heaviest first."""
    found = []
    for number in range(len(table) + 1):
        for chosen in combinations(table, number):
            if all(len(set(line)) == number for line in zip(*chosen, strict=True)):
                found.append((sum(table[cell] for cell in chosen), list(chosen)))
    return sorted(found, reverse=True)


def settled(table: Cells, *, unique: bool) -> tuple[list[tuple[int, int]], Cells]:
    row, column = (np.array(line) for line in zip(*table, strict=True))
    taken, left = settled_cells(row, column, np.array(list(table.values())), unique=unique)
    assert not (taken & left).any()
    return (
        [cell for cell, own in zip(table, taken.tolist(), strict=True) if own],
        {cell: table[cell] for cell, own in zip(table, left.tolist(), strict=True) if own},
    )


@given(cells)
@examples(max_examples=150, deadline=None)
def test_every_best_alignment_has_cells_that_are_unique(table: Cells) -> None:
    taken, left = settled(table, unique=True)
    most = alignments(table)[0][0]
    best = [set(chosen) for weight, chosen in alignments(table) if weight == most]
    assert all(set(taken) <= chosen for chosen in best)
    if not left:
        assert best == [set(taken)]


@given(cells)
@examples(max_examples=150, deadline=None)
def test_some_best_alignment_has_the_others(table: Cells) -> None:
    taken, left = settled(table, unique=False)
    assert len({row for row, _ in taken}) == len({column for _, column in taken}) == len(taken)
    rest = alignments(left)[0][0] if left else 0
    assert sum(table[cell] for cell in taken) + rest == alignments(table)[0][0]


def test_a_tie_is_left_open_if_it_matters() -> None:
    square: Any = dict.fromkeys(product((0, 1), (0, 1)), 1)
    assert settled(square, unique=True) == ([], square)
    assert settled({(0, 0): 1, (1, 0): 1}, unique=False) == ([(0, 0)], {})
    assert settled({(0, 0): 1, (1, 0): 1}, unique=True) == ([], {(0, 0): 1, (1, 0): 1})


def test_a_chain_of_cells_is_settled_from_its_heavy_end() -> None:
    chain = {(0, 0): 9, (0, 1): 4, (1, 1): 5, (1, 2): 3, (2, 2): 3}
    assert settled(chain, unique=True) == ([(0, 0), (1, 1), (2, 2)], {})


def test_nothing_to_align() -> None:
    nothing = np.zeros(0, np.int64)
    assert [len(each) for each in settled_cells(nothing, nothing, nothing, unique=True)] == [0, 0]
    assert len(connected(nothing, nothing, nothing > 0)) == 0
