"""What became of the leaves of two values, by path: correct, wrong, omitted, hallucinated, or absent on both sides."""

from __future__ import annotations

from math import fsum
from typing import NamedTuple, TypeAlias

Place: TypeAlias = tuple[str | int, ...]
"""Where a leaf stands in a value: the names and positions that lead to it."""


class Outcome(NamedTuple):
    """How many leaves of gold and the system had which fate; those that both sides lack enter no score."""

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


class Outcomes(NamedTuple):
    """What became of the leaves of two documents: of all, and by path."""

    total: Outcome
    by_path: dict[str, Outcome]


class Event(NamedTuple):
    """One leaf: its path, its places in gold and the system (None: it is not there), and the credit of the two."""

    path: str
    gold: Place | None
    system: Place | None
    credit: float = 0.0


class Tally:
    """Collects outcomes by path; with places also every single leaf, and which elements of lists belong together."""

    __slots__ = ("_credits", "_rows", "events", "pairs")

    def __init__(self) -> None:
        self.pairs: list[tuple[Place, Place]] = []
        self._rows: dict[str, list[int]] = {}
        self._credits: dict[str, list[float]] = {}
        self.events: list[Event] = []

    def _count(self, at: str, outcome: int) -> None:
        row = self._rows.get(at)
        if row is None:
            row = self._rows[at] = [0, 0, 0, 0, 0]
        row[outcome] += 1

    def compared(self, at: str, credit: float, gp: Place | None, sp: Place | None) -> None:
        """Both sides have it."""
        if credit == 1 or credit == 0:
            self._count(at, 0 if credit else 1)
        else:
            self._rows.setdefault(at, [0, 0, 0, 0, 0])
            self._credits.setdefault(at, []).append(credit)
        if gp is not None:
            self.events.append(Event(at, gp, sp, credit))

    def omitted(self, at: str, where: Place | None) -> None:
        """Only gold has it."""
        self._count(at, 2)
        if where is not None:
            self.events.append(Event(at, where, None))

    def hallucinated(self, at: str, where: Place | None) -> None:
        """Only the system has it."""
        self._count(at, 3)
        if where is not None:
            self.events.append(Event(at, None, where))

    def absent(self, at: str) -> None:
        """Neither side has it."""
        self._count(at, 4)

    @property
    def by_path(self) -> dict[str, Outcome]:
        """The outcomes of every path, in the order in which they were met."""
        return {at: self._outcome(row, self._credits.get(at, ())) for at, row in self._rows.items()}

    @property
    def total(self) -> Outcome:
        """The outcomes of all leaves."""
        every = [credit for own in self._credits.values() for credit in own]
        return self._outcome([sum(each) for each in zip([0] * 5, *self._rows.values(), strict=True)], every)

    @staticmethod
    def _outcome(row: list[int], credits: list[float] | tuple[()]) -> Outcome:
        if not credits:
            return Outcome(*map(float, row))
        return Outcome(fsum((row[0], *credits)), fsum((row[1], *(1 - each for each in credits))), *map(float, row[2:]))
