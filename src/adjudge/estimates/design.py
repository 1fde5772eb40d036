"""The design of a sample: what was drawn with which probability, from which pool, in which round."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import msgspec

from adjudge.errors import Problem, ValidationError, some_of
from adjudge.estimates.pool import Drawn, Sampling


class Round(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How one round was drawn."""

    number: int = 1
    size: int
    sampling: Sampling = "fixed"
    unit: str = "item"  # or document, or class of answers
    seed: int | None = None
    pool: str = ""  # hash of the units
    options: dict[str, Any] = {}


class Design(msgspec.Struct, frozen=True, dict=True):
    """All rounds of a sample, and a row for every unit of each."""

    rounds: tuple[Round, ...]
    rows: tuple[Drawn, ...]

    @property
    def unit(self) -> str:
        """The unit that was drawn: items, or whole documents."""
        return self.rounds[0].unit

    @property
    def units(self) -> str:
        """The same in the plural."""
        return units_named(self.unit)

    @cached_property
    def by_round(self) -> dict[int, dict[str, Drawn]]:
        """The rows of each round by unit."""
        found: dict[int, dict[str, Drawn]] = {each.number: {} for each in self.rounds}
        for row in self.rows:
            found.setdefault(row.round, {})[row.id] = row
        return found

    @property
    def drawn(self) -> set[str]:
        """Every unit that was drawn in some round."""
        return {row.id for row in self.rows if row.drawn}

    def checked(self) -> Design:
        """The design itself, if its probabilities are valid and no unit is repeated in a round."""
        problems: list[Problem] = []
        seen: set[tuple[int, str]] = set()
        for row in self.rows:
            if not 0 < row.probability <= 1:
                problems.append(
                    Problem(f"the probability of {row.id!r} is {row.probability:g}", hint="give one above 0, at most 1")
                )
            elif row.probability == 1 and not row.drawn:
                problems.append(
                    Problem(f"{row.id!r} has probability 1 and was not drawn", hint="check the field drawn")
                )
            if (row.round, row.id) in seen:
                problems.append(Problem(f"{row.id!r} is in round {row.round} twice", hint="each unit has one row"))
            seen.add((row.round, row.id))
        if problems:
            raise ValidationError(problems)
        return self

    def merged(self) -> Design:
        """Merge the rows of a unit in several independent samples of one round: p = 1 - prod (1 - p)."""
        alone = {each.number for each in self.rounds if each.sampling == "poisson"}
        found: dict[tuple[int, str], Drawn] = {}
        rest: list[Drawn] = []
        for row in self.rows:
            other = found.get((row.round, row.id))
            if row.round not in alone:
                rest.append(row)
            elif other is None:
                found[row.round, row.id] = row
            else:
                chance = 1 - (1 - other.probability) * (1 - row.probability)
                drawn = other.drawn or row.drawn
                found[row.round, row.id] = msgspec.structs.replace(other, probability=chance, drawn=drawn)
        return Design(self.rounds, (*rest, *found.values()))

    def joined(self, other: Design) -> Design:
        """The design with another round after these."""
        return Design(self.rounds + other.rounds, self.rows + other.rows)


def units_named(unit: str) -> str:
    """Units in the plural.

    >>> units_named("item"), units_named("class")
    ('items', 'classes')
    """
    return f"{unit}es" if unit.endswith("s") else f"{unit}s"


def units_hash(units: Iterable[str]) -> str:
    """A hash of a set of units, whatever their order."""
    digest = hashlib.sha256()
    for unit in sorted(units):
        digest.update(msgspec.json.encode(unit))
    return digest.hexdigest()[:16]


def refuse_other_pool(design: Design, units: Iterable[str], *, grown: bool = False) -> None:
    """Raise unless the pool is the one that was drawn from; before another round it may have grown."""
    known, last = set(units), design.rounds[-1]
    theirs = {row.id for row in design.rows}
    lost = sorted(theirs - known)
    if lost:
        raise ValidationError(f"the design belongs to another pool: it has {some_of(lost)}, which the pool lacks")
    if not grown and last.pool and last.pool != units_hash(known):
        new = some_of(sorted(known - theirs)) or "its units"
        raise ValidationError(
            f"the design belongs to another pool: {new} could not have been drawn",
            hint="draw from them: adjudge sample POOL --after DESIGN LABELS",
        )


def refuse_unread(design: Design, verdicts: Mapping[str, float]) -> None:
    """Raise unless everything that was drawn has a verdict; whole documents are assessed elsewhere."""
    missing = sorted(design.drawn - verdicts.keys())
    if missing and design.unit != "document":
        have = f"drawn {design.unit} has" if len(missing) == 1 else f"drawn {design.units} have"
        raise ValidationError(f"{len(missing)} {have} no verdict: {', '.join(missing)}")


def verdicts_of(design: Design, verdicts: Mapping[str, float]) -> tuple[dict[str, float], list[str]]:
    """The verdicts on drawn units, and the units with verdicts that were not drawn; a drawn one without is an error."""
    refuse_unread(design, verdicts)
    drawn = design.drawn
    outside = sorted(verdicts.keys() - drawn)
    return {unit: verdicts[unit] for unit in drawn}, outside
