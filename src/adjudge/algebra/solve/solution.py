"""What a search for a variable matching comes back with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Solution:
    """The mapping from system to gold variables, the element pairs that count (by index), and how good it is.

    No solution exceeds `bound`; if `optimal`, none exceeds `value`, and the two are equal.
    """

    value: float
    mapping: dict[int, int]
    chosen: list[int]
    bound: float
    optimal: bool
