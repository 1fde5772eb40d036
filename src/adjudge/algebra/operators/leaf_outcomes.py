"""The outcome of the leaves of two values, by path: correct, wrong, omitted, hallucinated, or absent on both sides."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import Any, NamedTuple, TypeAlias

import msgspec

Place: TypeAlias = tuple[str | int, ...]
"""Where a leaf stands in a value: the names and positions that lead to it."""


class Outcome(NamedTuple):
    """How many leaves had which outcome; those absent on both sides enter no score."""

    correct: float = 0.0
    wrong: float = 0.0
    omitted: float = 0.0
    hallucinated: float = 0.0
    absent: float = 0.0

    @property
    def gold(self) -> float:
        """The leaves of gold."""
        return round(self.correct + self.wrong) + self.omitted

    @property
    def system(self) -> float:
        """The leaves of the system."""
        return round(self.correct + self.wrong) + self.hallucinated


OUTCOMES = Outcome._fields


class Outcomes(msgspec.Struct, frozen=True):
    """The outcome of the leaves of two documents: of all, and by path."""

    total: Outcome
    by_path: dict[str, Outcome]


class Event(msgspec.Struct, frozen=True):
    """One leaf: its path, its places in gold and the system (None: it is not there), and the credit of the two."""

    path: str
    gold: Place | None
    system: Place | None
    credit: float = 0.0


ONE = tuple(Outcome(*(float(place == each) for each in range(5))) for place in range(5))
"""The outcomes of a single leaf; most fields of a document have one."""


class Tally:
    """Collects outcomes by path; with places also every single leaf, and the alignment of list elements.

    `rows` has one of `ONE` for a path with a single leaf, and a list of counts for others. `chosen` are the alignments
    of lists, by the identity of both; `slack` is how many more correct leaves a better alignment could have.
    """

    __slots__ = ("_credits", "_graded", "chosen", "counts", "events", "inside", "pairs", "rows", "slack")

    def __init__(self) -> None:
        self.chosen: dict[tuple[int, int], list[tuple[int, int]]] = {}
        self.inside = 0  # lists that contain what is counted now
        self.slack = self._graded = 0.0
        self.pairs: list[tuple[Place, Place]] = []
        self.rows: dict[str, Any] = {}
        self.counts = [0, 0, 0, 0, 0]
        self._credits: dict[str, list[float]] = {}
        self.events: list[Event] = []

    def count(self, at: str, outcome: int) -> None:
        """One more leaf of a path."""
        self.counts[outcome] += 1
        row = self.rows.get(at)
        if row is None:
            self.rows[at] = ONE[outcome]
            return
        if type(row) is not list:
            row = self.rows[at] = [int(each) for each in row]
        row[outcome] += 1

    def compared(self, at: str, credit: float, gp: Place | None, sp: Place | None) -> None:
        """Both sides have it."""
        if credit == 1 or credit == 0:
            self.count(at, 0 if credit else 1)
        else:
            self.rows[at] = [int(each) for each in self.rows.get(at, _NONE)]
            self._credits.setdefault(at, []).append(credit)
            self._graded += credit
        if gp is not None:
            self.events.append(Event(at, gp, sp, credit))

    def omitted(self, at: str, where: Place | None) -> None:
        """Only gold has it."""
        self.count(at, 2)
        if where is not None:
            self.events.append(Event(at, where, None))

    def hallucinated(self, at: str, where: Place | None) -> None:
        """Only the system has it."""
        self.count(at, 3)
        if where is not None:
            self.events.append(Event(at, None, where))

    def absent(self, at: str) -> None:
        """Neither side has it."""
        self.count(at, 4)

    @property
    def correct(self) -> float:
        """The correct leaves so far."""
        return self.counts[0] + self._graded

    def outcomes(self) -> Outcomes:
        """The outcomes of all leaves, and of those of every path in the order in which it was met."""
        every = [credit for own in self._credits.values() for credit in own]
        by_path = {
            at: outcome_of(row, self._credits.get(at, ())) if type(row) is list else row
            for at, row in self.rows.items()
        }
        return Outcomes(outcome_of(self.counts, every), by_path)


_NONE = (0, 0, 0, 0, 0)


def outcome_of(row: Sequence[int], credits: Sequence[float]) -> Outcome:
    """The outcome of so many leaves of each kind, and of those that are partly correct.

    >>> outcome_of([2, 0, 1, 0, 0], [0.75])
    Outcome(correct=2.75, wrong=0.25, omitted=1.0, hallucinated=0.0, absent=0.0)
    """
    if not credits:
        return Outcome(*map(float, row))
    return Outcome(fsum((row[0], *credits)), fsum((row[1], *(1 - each for each in credits))), *map(float, row[2:]))
