"""Many documents of gold and of a system compared at once, as far as they are plain.

The numbers are those of comparing document by document, to the last bit; what is not plain (see `block_columns`), or
crowded with candidates, or not proven to be mapped in the best way, is left to that. This module loads numpy, so
`ahead` loads it only when there are enough nuggets.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from adjudge.tasks.nugget.best import SAME, Mapped
from adjudge.tasks.nugget.block_arrays import Array
from adjudge.tasks.nugget.block_columns import DOCUMENTS, Codes, Columns, columns_of
from adjudge.tasks.nugget.block_counts import count_block
from adjudge.tasks.nugget.block_mapping import ALONE, SINGLE, Candidates, Mapping, candidates, map_block
from adjudge.tasks.nugget.settings import Settings
from adjudge.tasks.nugget.twins import Front, document_front

__all__ = ["DOCUMENTS", "Block", "Codes", "Columns", "Compared", "columns_of"]


class Compared(NamedTuple):
    """What was found in the documents of a block, by their places in it; only what is `plain` counts."""

    plain: list[bool]
    nuggets: list[list[float]]  # rows as of `measures.row`
    coref: list[list[float]]  # rows as of `count_coreference`, if coreference may be scored
    fronts: dict[int, Front]  # what twins leave open
    leading: int  # the first plain document
    numbers: list[tuple[int, int]]  # of gold and system nuggets of the plain documents
    matched: dict[str, list[float]]  # mapping -> sums of Dice of the plain documents
    entangled: dict[str, list[Mapped]]  # mapping -> what became of entangled places, where there are any
    decided: dict[int, list[str]]  # mappings in which the order of lines decides
    begins: list[tuple[tuple[str, bool], tuple[str, bool]]]  # of gold and system, see `Columns`
    values: dict[tuple[str, str], frozenset[str]]  # (side, attribute) -> values
    clustered: bool  # whether some document has a cluster


class Block(NamedTuple):
    """Documents of gold, with which those of several systems are compared."""

    gold: Columns
    settings: Settings

    def compare(self, system: Columns) -> Compared:
        """Compare the same documents of a system."""
        gold, settings = self
        found, crowded = candidates(gold, system)
        mappings = map_block(found, gold, system, settings.mapped)
        plain = gold.plain & system.plain & ~crowded
        for mapping in mappings.values():
            plain[[number for number, mapped in mapping.entangled.items() if not mapped.proven]] = False
        coref, fronts = np.empty((len(plain), 0)), dict[int, Front]()
        if settings.coref is not False and plain.any():
            pairs = mappings[settings.mapping].pairs
            pairs = pairs.only(pairs.dice >= settings.threshold)
            coref = count_block(gold, system, pairs.gold, pairs.system)
            fronts = _fronts(gold, system, pairs, plain, settings.mapping)
        decided: dict[int, list[str]] = {}
        for name, mapping in mappings.items():
            for number, mapped in mapping.entangled.items():
                if mapped.best > mapped.line + SAME:
                    decided.setdefault(number, []).append(name)
        return Compared(
            plain.tolist(),
            _rows(mappings, system.number(), gold.number(), settings).tolist(),
            coref.tolist(),
            fronts,
            int(plain.argmax()),
            list(zip(gold.number()[plain].tolist(), system.number()[plain].tolist(), strict=True)),
            {name: mapping.matched[plain].tolist() for name, mapping in mappings.items()},
            {
                name: [mapped for number, mapped in mapping.entangled.items() if plain[number]]
                for name, mapping in mappings.items()
            },
            decided,
            list(zip(gold.begins, system.begins, strict=True)),
            {
                (side, attribute): values
                for side, own in (("gold", gold), ("system", system))
                for attribute, values in zip(("type", "realis"), own.values, strict=True)
            },
            gold.clustered or system.clustered,
        )


def _rows(mappings: dict[str, Mapping], system: Array, gold: Array, settings: Settings) -> Array:
    """The counts of nuggets, as `measures.row` makes them for a document with nuggets on both sides."""
    found = [mappings[name].matched for name in settings.scored]
    ratios = [each / np.maximum(number, 1) for each in found for number in (system, gold)]
    return np.stack((*found, system, gold, *ratios, np.ones(len(gold))), axis=1)


def _fronts(gold: Columns, system: Columns, pairs: Candidates, plain: Array, name: str) -> dict[int, Front]:
    """What the mapping leaves open in documents with twins."""
    twins = plain & (gold.with_twins(name) | system.with_twins(name))
    if not twins.any():
        return {}
    pairs = _as_mapped(pairs.only(twins[pairs.document]), gold, system)
    ours, theirs = _classes(gold, name), _classes(system, name)
    starts, begins = gold.start.tolist(), system.start.tolist()
    found = {}
    for document in np.flatnonzero(twins).tolist():
        low, high = np.searchsorted(pairs.document, (document, document + 1)).tolist()
        one, other = slice(*starts[document : document + 2]), slice(*begins[document : document + 2])
        front = document_front(
            _clusters(gold.chain[one]),
            _clusters(system.chain[other]),
            list(
                zip(
                    (pairs.gold[low:high] - one.start).tolist(),
                    (pairs.system[low:high] - other.start).tolist(),
                    strict=True,
                )
            ),
            ours[one].tolist(),
            theirs[other].tolist(),
        )
        if front is not None:
            found[document] = front
    return found


def _as_mapped(pairs: Candidates, gold: Columns, system: Columns) -> Candidates:
    """Pairs in the order in which `map_nuggets` has them, document by document.

    Places without a rival come in the order of system lines, then those with several nuggets as their second ones are
    met, first in gold and then in the system, then entangled ones as they were taken.
    """
    second = gold.second[pairs.gold]
    met = np.where(second >= 0, second, len(gold.begin) + system.second[pairs.system])
    when = np.where(pairs.kind == SINGLE, pairs.system, np.where(pairs.kind == ALONE, met, np.arange(len(met))))
    return pairs.only(np.lexsort((pairs.system, when, pairs.kind, pairs.document)))


def _classes(side: Columns, name: str) -> Array:
    """Equal numbers for nuggets that a mapping cannot tell apart."""
    values = side.mapped(name)
    return np.where(
        side.second < 0, -1 - np.arange(len(values)), side.second * (int(values.max(initial=0)) + 1) + values
    )


def _clusters(chains: Array) -> list[list[int]]:
    """The nuggets of every chain of a document, which are numbered as they come.

    >>> _clusters(np.array([4, 5, 4]))
    [[0, 2], [1]]
    """
    numbers = (chains - chains[0]).tolist()
    found: list[list[int]] = [[] for _ in range(max(numbers) + 1)]
    for nugget, number in enumerate(numbers):
        found[number].append(nugget)
    return found
