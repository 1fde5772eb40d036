"""Many documents of gold and of a system compared at once, as far as they are plain.

The numbers are those of comparing document by document, to the last bit; what is not plain (see `block_columns`), or
crowded with candidates, or not proven to be mapped in the best way, is left to that. This module loads numpy, so
`ahead` loads it only when there are enough nuggets.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from adjudge.tasks.coref.counts import COLUMNS
from adjudge.tasks.nugget.best import SAME
from adjudge.tasks.nugget.block_arrays import Array
from adjudge.tasks.nugget.block_columns import DOCUMENTS, Codes, Columns, columns_of
from adjudge.tasks.nugget.block_counts import count_block
from adjudge.tasks.nugget.block_mapping import Mapping, candidates, map_block
from adjudge.tasks.nugget.block_twins import Twins, block_fronts
from adjudge.tasks.nugget.rows import Rows
from adjudge.tasks.nugget.settings import Settings
from adjudge.tasks.nugget.twins_front import Front

__all__ = ["DOCUMENTS", "Block", "Codes", "Columns", "Compared", "columns_of"]


class Compared(NamedTuple):
    """What was found in the documents of a block, by their places in it; only what is `plain` counts."""

    plain: list[bool]
    nuggets: Rows  # as of `measures.row`
    coref: Rows  # as of `count_coreference`, if coreference may be scored
    fronts: dict[int, Front]  # what twins leave open
    leading: int  # the first plain document
    numbers: list[tuple[int, int]]  # of gold and system nuggets of the plain documents
    matched: dict[str, list[float]]  # mapping -> sums of Dice of the plain documents
    entangled: dict[str, list[list[float]]]  # mapping -> sums of Dice of entangled places, see `Entangled`
    decided: dict[int, list[str]]  # mappings in which the order of lines decides
    begins: list[tuple[tuple[str, bool], tuple[str, bool]]]  # of gold and system, see `Columns`
    values: dict[tuple[str, str], frozenset[str]]  # (side, attribute) -> values
    clustered: bool  # whether some document has a cluster


class Block:
    """Documents of gold, with which those of several systems are compared."""

    def __init__(self, gold: Columns, settings: Settings) -> None:
        self.gold = gold
        self.settings = settings

    @cached_property
    def twins(self) -> Twins:
        """Nuggets of gold that the mapping of coreference cannot tell apart."""
        return Twins.of(self.gold, self.settings.mapping)

    def compare(self, system: Columns) -> Compared:
        """Compare the same documents of a system."""
        gold, settings = self.gold, self.settings
        found, crowded = candidates(gold, system)
        mappings = map_block(found, gold, system, settings.mapped)
        plain = gold.plain & system.plain & ~crowded
        for mapping in mappings.values():
            plain &= mapping.entangled.proven
        coref, fronts = np.empty(0), dict[int, Front]()
        if settings.coref is not False and plain.any():
            pairs = mappings[settings.mapping].pairs
            pairs = pairs.only(pairs.dice >= settings.threshold)
            coref = count_block(gold, system, pairs.gold, pairs.system)
            fronts = block_fronts(self.twins, Twins.of(system, settings.mapping), pairs, plain)
        decided: dict[int, list[str]] = {}
        for name, mapping in mappings.items():
            for number in np.flatnonzero(mapping.entangled.best > mapping.entangled.line + SAME).tolist():
                decided.setdefault(number, []).append(name)
        return Compared(
            plain.tolist(),
            _rows(mappings, system.number(), gold.number(), settings),
            Rows.packed(len(COLUMNS), coref.tobytes()),
            fronts,
            int(plain.argmax()),
            list(zip(gold.number()[plain].tolist(), system.number()[plain].tolist(), strict=True)),
            {name: mapping.matched[plain].tolist() for name, mapping in mappings.items()},
            {name: mapping.entangled.sums(plain) for name, mapping in mappings.items()},
            decided,
            list(zip(gold.begins, system.begins, strict=True)),
            {
                (side, attribute): values
                for side, own in (("gold", gold), ("system", system))
                for attribute, values in zip(("type", "realis"), own.values, strict=True)
            },
            gold.clustered or system.clustered,
        )


def _rows(mappings: dict[str, Mapping], system: Array, gold: Array, settings: Settings) -> Rows:
    """The counts of nuggets, as `measures.row` makes them for a document with nuggets on both sides."""
    found = [mappings[name].matched for name in settings.scored]
    ratios = [each / np.maximum(number, 1) for each in found for number in (system, gold)]
    columns = (*found, system, gold, *ratios, np.ones(len(gold)))
    return Rows.packed(len(columns), np.stack(columns, axis=1).tobytes())
