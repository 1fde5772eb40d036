"""Confusion matrices: which types, or realis values, a system confuses, over the mapping of places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from adjudge.evaluate.engine import Evaluation

MISSED, SPURIOUS = "(missed)", "(spurious)"


class Confusion(NamedTuple):
    """How many gold nuggets of one value are mapped to system nuggets of another; None is not a nugget."""

    field: str
    system: str
    profile: str
    counts: dict[tuple[str | None, str | None], int]

    def values(self, side: int) -> list[str | None]:
        """The values of gold (0) or of the system (1), sorted, no nugget last."""
        found = {key[side] for key in self.counts}
        return [*sorted(value for value in found if value is not None), *([None] if None in found else [])]

    def to_data(self) -> dict[str, Any]:
        """As plain data that any JSON writer takes."""
        cells = sorted(self.counts.items(), key=lambda cell: [(value is None, value or "") for value in cell[0]])
        return {
            "system": self.system,
            "profile": self.profile,
            "field": self.field,
            "cells": [{"gold": gold, "system": own, "count": count} for (gold, own), count in cells],
        }

    def rows(self) -> list[list[str]]:
        """The matrix with its titles: a row per gold value, a column per system value."""
        across = self.values(1)
        titles = [MISSED if value is None else value for value in across]
        return [
            [f"gold {self.field} \\ {self.system} ({self.profile})", *titles],
            *(
                [SPURIOUS if gold is None else gold, *(str(self.counts.get((gold, own), 0)) for own in across)]
                for gold in self.values(0)
            ),
        ]

    def __str__(self) -> str:
        return format_rows(self.rows())


def confusions(evaluation: Evaluation, field: str) -> list[Confusion]:
    """One matrix for each system of a run that has kept its documents."""
    found = []
    for name, counted in evaluation.systems.items():
        counts: Counter[tuple[str | None, str | None]] = Counter()
        for observed in [each.seen.observed for each in counted.details if each is not None]:
            gold, system = (side.types if field == "type" else side.realis for side in observed.sides)
            pairs = observed.mappings["span"]
            ours, theirs = {pair[0] for pair in pairs}, {pair[1] for pair in pairs}
            counts.update((gold[one], system[other]) for one, other, _ in pairs)
            counts.update((value, None) for place, value in enumerate(gold) if place not in ours)
            counts.update((None, value) for place, value in enumerate(system) if place not in theirs)
        found.append(Confusion(field, name, evaluation.task.profile, counts))
    return found


def format_rows(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells as aligned text, zeros as dots.

    >>> print(format_rows([["gold", "A", "B"], ["A", "12", "0"]]))
    gold  A  B
    A    12  .
    """
    shown = [[cell if number == 0 or cell != "0" else "." for cell in row] for number, row in enumerate(rows)]
    widths = [max(len(row[place]) for row in shown) for place in range(len(shown[0]))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in shown
    )
