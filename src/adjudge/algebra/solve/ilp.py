"""The one place that talks to the integer programming solver (HiGHS, through scipy): loaded only when called."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from adjudge.algebra.solve.deadline import NEVER, Deadline, call

# sum of coefficient * column <= limit
Row = tuple[list[tuple[int, float]], float]

# The solver cannot be interrupted: what may take longer than this runs in a process of its own.
_PATIENCE = 0.4
_SMALL = 50_000  # entries

_DENOMINATORS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 16, 20, 24, 30, 60, 100)


@dataclass(frozen=True, slots=True)
class Answer:
    """The columns that are one in the best solution found, and what no solution can exceed."""

    ones: list[int] | None
    bound: float
    optimal: bool


def grid(weights: Iterable[float]) -> float:
    """The largest step of which every weight is a multiple, or 0.0 if there is no obvious one.

    Sums of such weights differ by a step or not at all, so a bound less than one step away settles the matter.

    >>> grid([1.0, 2.0, 0.5]), grid([1 / 3, 0.5]) == 1 / 6, grid([0.123])
    (0.5, True, 0.0)
    """
    distinct = set(weights)
    for denominator in _DENOMINATORS:
        scaled = (weight * denominator for weight in distinct)
        if all(abs(value - round(value)) <= 1e-12 * max(1.0, abs(value)) for value in scaled):
            return 1.0 / denominator
    return 0.0


def settled(value: float, bound: float, step: float) -> bool:
    """Whether no solution can be better than `value` by more than rounding, given the bound and the grid.

    >>> settled(5.0, 5.9, 1.0), settled(5.0, 5.9, 0.5), settled(5.0, 5.0, 0.0)
    (True, False, True)
    """
    return bound <= ceiling(value, step)


def ceiling(value: float, step: float) -> float:
    """The highest bound under which nothing can be better than `value` by more than rounding."""
    return value + max(step * (1.0 - 1e-6), 1e-9 * max(1.0, abs(value)))


def maximise(weights: Sequence[float], rows: Sequence[Row], *, integers: int, deadline: Deadline = NEVER) -> Answer:
    """Maximise weights . x over x in [0, 1] under the rows, the first `integers` columns being 0 or 1.

    The gap is closed entirely, unless the weights lie on a grid: then less than a step of it is enough. The solver's
    own tolerance of 1e-6 is made harmless by scaling: weights are brought near 1000 by a power of two.

    >>> rows = [([(0, 1.0), (1, 1.0)], 1.0), ([(1, 1.0), (2, 1.0)], 1.0)]
    >>> maximise([2.0, 3.0, 2.0], rows, integers=3)
    Answer(ones=[0, 2], bound=4.0, optimal=True)
    """
    left = deadline.left
    if sum(len(entries) for entries, _ in rows) <= _SMALL:
        answer, over = _solved(weights, rows, integers, min(left, _PATIENCE))
        if not over or left <= _PATIENCE:
            return answer
    answer = call("adjudge.algebra.solve.ilp:until", (weights, rows, integers, deadline.end), deadline)
    return answer or Answer(None, math.fsum(weights), False)


def until(weights: Sequence[float], rows: Sequence[Row], integers: int, end: float) -> Answer:
    """The answer of another process, which has until a moment of the clock."""
    import scipy.optimize  # noqa: F401  # counts as time spent

    return _solved(weights, rows, integers, end - time.monotonic() - 0.2)[0]


def _solved(weights: Sequence[float], rows: Sequence[Row], integers: int, seconds: float) -> tuple[Answer, bool]:
    """The answer, and whether time was too short for it."""
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_matrix

    total = math.fsum(weights)
    scale = 2.0 ** round(10.0 - math.log2(max(weights)))
    pointers, columns, values = [0], list[int](), list[float]()
    for entries, _ in rows:
        columns.extend(column for column, _ in entries)
        values.extend(value for _, value in entries)
        pointers.append(len(columns))
    matrix = csr_matrix((values, columns, pointers), shape=(len(rows), len(weights)))
    kinds = np.zeros(len(weights))
    kinds[:integers] = 1
    step = grid(weights)
    options: dict[str, float] = {"mip_rel_gap": step * (1.0 - 1e-6) / total}
    if not math.isinf(seconds):
        options["time_limit"] = max(seconds, 1e-3)
    limits = [limit for _, limit in rows]
    result = milp(
        -scale * np.array(weights),
        integrality=kinds,
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix, -np.inf, limits) if rows else (),
        options=options,
    )
    proven = result.mip_dual_bound
    bound = total if proven is None or not math.isfinite(proven) else min(total, -float(proven) / scale)
    if result.x is None:
        return Answer(None, bound, False), result.status == 1
    ones = [int(column) for column in np.flatnonzero(result.x > 0.5)]
    value = math.fsum(weights[column] for column in ones)
    answer = Answer(ones, max(bound, value), result.status == 0 and settled(value, bound, step))
    return answer, result.status == 1
