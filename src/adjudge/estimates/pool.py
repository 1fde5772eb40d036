"""A pool of items that systems returned, of which some were drawn at random and assessed by people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import msgspec

from adjudge.stats.measure import Array, Measure, Prf

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Assist: TypeAlias = Literal["none", "constant", "judge"]
Sampling: TypeAlias = Literal["fixed", "poisson"]

METRIC = "pool"
MEASURE = Prf(METRIC, ("matched", "system"), ("matched", "gold"))


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One item of a pool: the systems that returned it, and the opinion of the judge, if there is one."""

    id: str
    document: str = ""
    systems: tuple[str, ...] = ()
    judge: float | None = None
    attributes: dict[str, Any] = {}


class Drawn(msgspec.Struct, frozen=True, kw_only=True):
    """The row of one unit in a design: its probability of being drawn, and whether it was."""

    id: str
    probability: float
    drawn: bool
    stratum: str | None = None
    round: int = 1


class Sample(NamedTuple):
    """Columns of a pool in one round of drawing; missing verdicts are nan.

    `open` are the items that the draw decides about; all others were assessed for certain (p = 1). `good` are verdicts
    on the answers of each system, where an item is a class of answers that are not all equally good.
    """

    member: npt.NDArray[np.bool_]  # items x systems
    judge: Array
    verdict: Array
    probability: Array
    drawn: npt.NDArray[np.bool_]
    stratum: npt.NDArray[np.int64]
    good: Array | None = None  # items x systems

    def verdict_of(self, system: int | None) -> Array:
        """The verdicts on the answers of a system, or on the items themselves."""
        return self.verdict if system is None or self.good is None else self.good[:, system]

    @property
    def open(self) -> npt.NDArray[np.bool_]:
        """Items that may or may not have been drawn."""
        found: npt.NDArray[np.bool_] = self.probability < 1
        return found

    @property
    def labelled(self) -> npt.NDArray[np.bool_]:
        """Drawn items that might not have been."""
        found: npt.NDArray[np.bool_] = self.drawn & (self.probability < 1)
        return found


class Pool(msgspec.Struct, frozen=True, dict=True):
    """Items, and the systems that returned them, in the order in which they first appear."""

    items: tuple[Item, ...]

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The names of all systems, sorted, so that the order of rows does not matter."""
        return tuple(sorted({name for item in self.items for name in item.systems}))

    @cached_property
    def documents(self) -> tuple[str, ...]:
        """The documents, sorted."""
        return tuple(sorted({item.document for item in self.items}))

    @cached_property
    def member(self) -> npt.NDArray[np.bool_]:
        """Which system (columns) returned which item (rows)."""
        import numpy as np

        place = {name: at for at, name in enumerate(self.systems)}
        found = np.zeros((len(self.items), len(place)), dtype=bool)
        for at, item in enumerate(self.items):
            for name in item.systems:
                found[at, place[name]] = True
        return found

    @property
    def judged(self) -> bool:
        """Whether every item has the opinion of a judge."""
        return bool(self.items) and all(item.judge is not None for item in self.items)

    def sample(
        self,
        rows: Mapping[str, Drawn],
        verdicts: Mapping[str, float],
        good: Mapping[str, Mapping[str, float]] | None = None,
    ) -> Sample:
        """The columns of one round: `rows` of the design, and verdicts of what was drawn or assessed before.

        An item that has no row but a verdict was assessed before the draw. `good` are the verdicts on the answers of
        the systems to every item, if they differ.
        """
        import numpy as np

        strata: dict[str | None, int] = {}
        certain = Drawn(id="", probability=1.0, drawn=True)
        chosen = [rows.get(item.id, certain) for item in self.items]
        return Sample(
            self.member,
            np.array([np.nan if item.judge is None else item.judge for item in self.items], dtype=np.float64),
            np.array(
                [
                    verdicts[item.id] if own.drawn and item.id in verdicts else np.nan
                    for item, own in zip(self.items, chosen, strict=True)
                ],
                dtype=np.float64,
            ),
            np.array([own.probability for own in chosen], dtype=np.float64),
            np.array([own.drawn for own in chosen], dtype=bool),
            np.array([strata.setdefault(own.stratum, len(strata)) for own in chosen], dtype=np.int64),
            None if good is None else self._good(chosen, verdicts, good),
        )

    def _good(
        self, chosen: Sequence[Drawn], verdicts: Mapping[str, float], good: Mapping[str, Mapping[str, float]]
    ) -> Array:
        import numpy as np

        rows = [
            [good[item.id].get(name, 0.0) for name in self.systems]
            if own.drawn and item.id in verdicts
            else [np.nan] * len(self.systems)
            for item, own in zip(self.items, chosen, strict=True)
        ]
        return np.array(rows, dtype=np.float64)


def measures_of_pool(beta: float = 1.0) -> Sequence[Measure]:
    """Precision, recall and F of a pool, from the columns matched, system and gold."""
    return (MEASURE if beta == 1.0 else Prf(METRIC, ("matched", "system"), ("matched", "gold"), beta),)
