"""Pairings as the error analysis of Das et al. (2022) finds them: the most right ones, then the smallest error.

The program tries all pairings that leave out what they like; of equally good ones it takes the first. Right answers and
errors add up over pairs, so the best value is that of an assignment, and the first pairing that reaches it is found by
asking, step by step, whether a beginning can still reach it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

RIGHT = 1e5  # one right answer outweighs all errors that a document can have
NEAR = 1e-6
TIES = 200
Gain = tuple[int, float] | None
"""What a pair adds: right answers, and how much smaller the error becomes; None if there can be no such pair."""


def first_best(gains: Sequence[Sequence[Gain]], number: int, error: Callable[[list[int]], float]) -> list[int]:
    """For each row its column, or -1: the first of the best pairings in the order of the program.

    The order: each row has none, then the columns in turn. `error` gives the error of a pairing as the program adds it
    up; where pairings are equal but for the last digit of it, the program prefers the smaller, and so do we among the
    first ones.

    >>> first_best([[(1, 1.0), (1, 1.0)], [(1, 1.0), None]], 2, lambda pairing: 0.0)
    [1, 0]
    """
    weights = [[0.0 if gain is None else RIGHT * gain[0] + gain[1] for gain in row] for row in gains]
    best = _greatest(weights, range(len(gains)), range(number))
    found: list[int] | None = None
    smallest = 0.0
    seen = 0
    stack: list[tuple[list[int], float]] = [([], 0.0)]
    while stack and seen < TIES:
        chosen, value = stack.pop()
        row = len(chosen)
        free = [column for column in range(number) if column not in chosen]
        if value + _greatest(weights, range(row, len(gains)), free) < best - NEAR:
            continue
        if row == len(gains):
            seen += 1
            whole = error(chosen)
            if found is None or whole < smallest:
                found, smallest = chosen, whole
            continue
        options = [([*chosen, j], value + weights[row][j]) for j in free if gains[row][j] is not None]
        stack += [*reversed(options), ([*chosen, -1], value)]
    assert found is not None
    return found


def _greatest(weights: Sequence[Sequence[float]], rows: Sequence[int], free: Sequence[int]) -> float:
    if not rows or not free:
        return 0.0
    if len(rows) == 1 or len(free) == 1:
        return max(weights[i][j] for i in rows for j in free)
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    table = np.array([[weights[i][j] for j in free] for i in rows])
    return float(table[linear_sum_assignment(table, maximize=True)].sum())
