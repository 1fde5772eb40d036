"""The time that one document may take."""

from __future__ import annotations

from time import monotonic

LIMIT = 60.0
"""Seconds a document, unless told otherwise."""


class TimeUpError(Exception):
    """The time of a document is up, and what was being made has no use half done."""


class Clock:
    """Seconds that are left for one document; every part of its work runs between `start` and `stop`.

    >>> Clock(0.0).start().is_up()
    True
    """

    __slots__ = ("end", "left")

    def __init__(self, left: float = LIMIT) -> None:
        self.left = left
        self.end = float("inf")

    def start(self) -> Clock:
        """Begin to count, and return the clock."""
        self.end = monotonic() + self.left
        return self

    def stop(self) -> None:
        """Keep what is left for the next part of the work."""
        self.left = max(0.0, self.end - monotonic())
        self.end = float("inf")

    def is_up(self) -> bool:
        """Whether nothing is left."""
        return monotonic() >= self.end

    def lasts(self, seconds: float) -> bool:
        """Whether so much is left.

        >>> Clock(1.0).start().lasts(2.0), NEVER.lasts(2.0)
        (False, True)
        """
        return monotonic() + seconds < self.end

    def check(self) -> None:
        """Raise a `TimeUpError` if nothing is left."""
        if monotonic() >= self.end:
            raise TimeUpError


NEVER = Clock(float("inf"))
"""A clock that does not run."""
