"""The counts of coreference of a block of documents at once: what `coreference.count_coreference` gives one by one.

The sums of B3, CEAFe and LEA are made in the order of `tasks.coref.counts`, number by number: `bincount` adds its
weights one after the other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from adjudge.tasks.coref.counts import aligned_chains
from adjudge.tasks.nugget.block_alignment import connected, settled_cells
from adjudge.tasks.nugget.block_arrays import Array, flags, grouped, numbered
from adjudge.tasks.nugget.block_columns import Columns


class _Cells(NamedTuple):
    """Chains of both sides that have mentions in common: gold chain, number of the system chain, how many mentions.

    System chains are numbered as they are met.
    """

    gold: Array
    system: Array
    both: Array
    document: Array


class Chains(NamedTuple):
    """The chains of one side of some documents, numbered as their first nuggets come."""

    number: Array  # per document, its nuggets
    document: Array  # per nugget
    chain: Array
    sizes: Array  # per chain
    home: Array  # per chain, its document

    @classmethod
    def of(cls, side: Columns) -> Chains:
        """The chains of all documents."""
        return cls(side.number(), side.document, side.chain, side.sizes, side.home)

    def only(self, documents: Array) -> Chains:
        """The chains of some documents, which are numbered anew, as are nuggets and chains."""
        rank = np.full(len(self.number), -1)
        rank[documents] = np.arange(len(documents))
        nuggets, chains = np.flatnonzero(rank[self.document] >= 0), rank[self.home] >= 0
        return Chains(
            self.number[documents],
            rank[self.document[nuggets]],
            (np.cumsum(chains) - 1)[self.chain[nuggets]],
            self.sizes[chains],
            rank[self.home[chains]],
        )


def count_block(gold: Columns, system: Columns, ours: Array, theirs: Array) -> Array:
    """The counts of every document in the order of the coreference `COLUMNS`, from the pairs that are one mention."""
    order = np.argsort(ours)
    return count_chains(Chains.of(gold), Chains.of(system), ours[order], theirs[order])


def count_chains(gold: Chains, system: Chains, ours: Array, theirs: Array) -> Array:
    """The same from pairs in the order in which the chains of the system, and their mentions, are gone through."""
    documents = len(gold.number)

    def per_document(where: Array, weights: Array | None = None) -> Array:
        return np.bincount(where, weights, documents)

    document, key = gold.document[ours], gold.chain[ours]
    first, number = numbered(system.chain[theirs], len(system.sizes))
    met = system.chain[theirs[first]]
    sizes, spread = gold.sizes, system.sizes[met]

    code, cell, both = grouped(number * len(sizes) + key)
    cells = _Cells(code % len(sizes), code // len(sizes), both, gold.home[code % len(sizes)])
    shared = both[cell]
    chain_by_chain = np.argsort(number, kind="stable")
    found = per_document(document[chain_by_chain], (shared / sizes[key])[chain_by_chain])
    precise = per_document(document[chain_by_chain], (shared / spread[number])[chain_by_chain])

    linked = both * (both - 1)
    resolved_key = np.bincount(cells.gold, linked, len(sizes))
    resolved_response = np.bincount(cells.system, linked, len(spread))
    alone = (sizes[cells.gold] == 1) & (spread[cells.system] == 1)
    lea_recall = np.where(
        sizes == 1, np.bincount(cells.gold, alone, len(sizes)), resolved_key / np.maximum(_links(sizes), 1) * sizes
    )
    lea_precision = np.where(
        spread == 1,
        np.bincount(cells.system, alone, len(spread)),
        resolved_response / np.maximum(_links(spread), 1) * spread,
    )
    where = system.home[met]

    matched, pairs = per_document(document), per_document(cells.document, linked)
    inside_key = per_document(gold.home, _links(np.bincount(key, minlength=len(sizes))))
    inside_response = per_document(where, _links(np.bincount(number, minlength=len(spread))))
    golds, systems = gold.number, system.number
    chains, responses = per_document(gold.home), per_document(system.home)
    chained_gold, chained_system = (
        per_document(gold.home, _links(sizes)),
        per_document(system.home, _links(system.sizes)),
    )
    apart = _links(matched) - inside_key - inside_response + pairs
    ceafm, ceafe = _ceaf(cells, sizes, spread, gold.home, documents)
    return np.stack(
        (
            *(matched, systems, golds),
            *(matched - per_document(cells.document), systems - responses, golds - chains),
            *(precise, systems, found, golds),
            *(ceafm, systems, golds),
            *(ceafe, responses, chains),
            *(pairs / 2, chained_system / 2, chained_gold / 2),
            *(apart / 2, (_links(systems) - chained_system) / 2, (_links(golds) - chained_gold) / 2),
            *(per_document(where, lea_precision), systems, per_document(gold.home, lea_recall), golds),
        ),
        axis=1,
    ).astype(np.float64)


def _links(number: Array) -> Array:
    """Ordered pairs of so many mentions."""
    found: Array = number * (number - 1)
    return found


def _ceaf(cells: _Cells, sizes: Array, spread: Array, home: Array, documents: int) -> tuple[Array, Array]:
    """The values of the best alignments of chains under phi3 = |K & R| and phi4 = 2 |K & R| / (|K| + |R|).

    A gold chain whose partners meet nobody else takes the best of them. Others are aligned as far as single cells
    settle that; only chains that could as well have another partner, and those tied up with them, go to the solver.
    """
    key, response, both, document = cells
    dice = 2 * both / (sizes[key] + spread[response])
    keys, responses = np.bincount(key, minlength=len(sizes)), np.bincount(response, minlength=len(spread))
    of_key = (np.bincount(key, responses[response], len(sizes)) == keys)[key]  # its partners have no other
    whole = np.zeros(documents)
    best = np.zeros(len(sizes))  # per gold chain, the phi4 with its partner

    mentions, mates = np.zeros(len(sizes), np.int64), np.zeros(len(sizes))
    np.maximum.at(mentions, key[of_key], both[of_key])
    np.maximum.at(mates, key[of_key], dice[of_key])
    own = np.flatnonzero(flags(key[of_key], len(sizes)))
    whole += np.bincount(home[own], mentions[own], documents)
    best[own] = mates[own]

    rest = np.flatnonzero(~of_key)
    by_mentions, open_ = settled_cells(key[rest], response[rest], both[rest], unique=False)
    by_dice, left = settled_cells(key[rest], response[rest], dice[rest], unique=True)
    tied = connected(key[rest], response[rest], open_ | left)  # which partner it is decides the order of the sum
    aligned = rest[by_mentions & ~tied]
    whole += np.bincount(document[aligned], both[aligned], documents)
    aligned = rest[by_dice & ~tied]
    best[key[aligned]] = dice[aligned]

    rest = rest[tied]
    if len(rest):
        rest = rest[np.lexsort((response[rest], key[rest]))]
        table: dict[int, dict[int, int]] = {}
        for place, number, common in zip(key[rest].tolist(), response[rest].tolist(), both[rest].tolist(), strict=True):
            table.setdefault(place, {})[number] = common
        known = {place: dict(mine) for place, mine in table.items()}
        lengths, others = sizes.tolist(), spread.tolist()
        under_phi3, under_phi4 = aligned_chains(table, lengths, others)
        for place, number in under_phi4.items():
            best[place] = 2 * known[place][number] / (lengths[place] + others[number])
        whole += np.bincount(
            home[list(under_phi3)], [known[place][number] for place, number in under_phi3.items()], documents
        )
    return whole, np.bincount(home, 1 - (1 - best), documents)
