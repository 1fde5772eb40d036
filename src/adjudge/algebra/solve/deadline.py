"""The one clock of a document: whatever searches or builds candidates looks at it."""

from __future__ import annotations

import math
from time import monotonic

DEFAULT = 60.0
"""Seconds for a document, unless told otherwise."""


class OutOfTime(Exception):
    """Time is up before there is anything to go on with."""


class Deadline:
    """A moment after which nothing new is begun; `exact`: until then nothing is left out, however long it takes.

    >>> Deadline(0.0).passed, Deadline(math.inf).passed, Deadline(math.inf).part(3).left
    (True, False, inf)
    """

    __slots__ = ("end", "exact")

    def __init__(self, seconds: float | None = None, *, exact: bool = False) -> None:
        self.end = monotonic() + (DEFAULT if seconds is None else seconds)
        self.exact = exact

    def __reduce__(self) -> tuple[type[Deadline], tuple[float]]:
        """As the seconds that are left: another machine has another clock."""
        return type(self), (self.left,)

    @property
    def left(self) -> float:
        """The seconds until then; below 0 when it is over."""
        return self.end - monotonic()

    @property
    def passed(self) -> bool:
        """Whether time is up."""
        return monotonic() >= self.end

    def check(self) -> None:
        """Raise `OutOfTime` if time is up."""
        if monotonic() >= self.end:
            raise OutOfTime

    def part(self, of: float) -> Deadline:
        """An earlier one, that leaves as much to each of `of` in all; what one does not need, the others have."""
        return self if of == 1 else Deadline(max(self.left, 0.0) / of, exact=self.exact)


NEVER = Deadline(math.inf)
