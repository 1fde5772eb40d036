"""A last resort for variable matching: exact search when all that is known is an optimistic value."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from adjudge.algebra.solve.solution import Solution

Evaluate = Callable[[dict[int, int], set[int]], float]


def branch_and_bound(
    variables_s: Sequence[int], variables_g: Sequence[int], evaluate: Evaluate, time_limit: float | None = None
) -> Solution:
    """The best one-to-one partial matching of system to gold variables for a value known only from outside.

    `evaluate(mapping, open)` must never be below what `mapping` can still become by matching variables of `open` to
    unused gold variables, must be exact when `open` is empty, and must not fall when a match is added. System variables
    are decided in the order given, the most promising gold variable first (ties: in the order given).

    >>> agreement = lambda mapping, open_s: sum(k == l for k, l in mapping.items()) + len(open_s)
    >>> branch_and_bound([0, 1, 2], [2, 1], agreement).mapping
    {1: 1, 2: 2}
    """
    deadline = None if time_limit is None else time.monotonic() + time_limit
    best: dict[int, int] = {}
    value = evaluate({}, set())
    # A frame: optimistic value, mapping, number of decided system variables.
    stack: list[tuple[float, dict[int, int], int]] = [(evaluate({}, set(variables_s)), {}, 0)]
    while stack:
        if deadline is not None and time.monotonic() > deadline:
            break
        optimistic, mapping, decided = stack.pop()
        if optimistic <= value:
            continue
        if decided == len(variables_s):
            best, value = mapping, optimistic
            continue
        variable = variables_s[decided]
        undecided = set(variables_s[decided + 1 :])
        used = set(mapping.values())
        free = [other for other in variables_g if other not in used]
        children = [{**mapping, variable: other} for other in free]
        if len(free) <= len(undecided):
            # Only if gold variables are short can it be right to leave this one out: a match never hurts.
            children.append(mapping)
        rated = [(evaluate(child, undecided), child, decided + 1) for child in children]
        rated.sort(key=lambda frame: frame[0], reverse=True)
        stack.extend(frame for frame in reversed(rated) if frame[0] > value)
    left = max((frame[0] for frame in stack), default=value)
    for variable in list(best):
        fewer = {key: other for key, other in best.items() if key != variable}
        if evaluate(fewer, set()) >= value:
            best = fewer
    return Solution(value, best, [], max(left, value), left <= value)
