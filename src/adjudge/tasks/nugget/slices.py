"""Scores of the nuggets of one type, or of one realis value: the pairs of a mapping by the value of their gold nugget.

A mapping that asks for equal values pairs nuggets of one value only with each other, so this is what scoring these
nuggets alone would give. Of the mappings, those that ask for the value count.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from adjudge.tasks.nugget.observe import Observed
from adjudge.tasks.nugget.settings import Settings

if TYPE_CHECKING:
    from adjudge.stats.elements import ElementTable


class Slices:
    """The counts of every value of a field in every document that has it on either side."""

    def __init__(self, field: str, settings: Settings) -> None:
        self.field = field
        self.names = [name for name in settings.scored if field in name.split("+")]
        self.values: dict[str, dict[int, list[float]]] = {}  # value -> document -> counts

    def add(self, place: int, observed: Observed) -> None:
        """Take in one document."""
        gold, system = (side.types if self.field == "type" else side.realis for side in observed.sides)
        found: dict[str, list[float]] = {}
        for column, values in ((-1, gold), (-2, system)):
            for value in values:
                if value not in found:
                    found[value] = [0.0] * (len(self.names) + 2)
                found[value][column] += 1
        for number, name in enumerate(self.names):
            for one, _, dice in observed.mappings[name]:
                found[gold[one]][number] += dice
        for value, counts in found.items():
            self.values.setdefault(value, {})[place] = counts

    def extend(self, later: Slices, documents: int) -> None:
        """Take in the slices of documents that come after so many others."""
        for value, found in later.values.items():
            own = self.values.setdefault(value, {})
            own.update((documents + place, counts) for place, counts in found.items())

    def table(self, documents: int) -> ElementTable:
        """All of it in the form of results."""
        from adjudge.stats.elements import ElementSlice, ElementTable, Rows

        names = (*(f"nugget.{name}:matched" for name in self.names), "nugget:system", "nugget:gold")
        return ElementTable(
            self.field,
            names,
            Rows(((0.0,) * len(names),) * documents),
            tuple(
                ElementSlice(value, tuple(found), Rows(_rows(list(found.values()))))
                for value, found in self.values.items()
            ),
        )


def _rows(counts: Sequence[Sequence[float]]) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, counts))
