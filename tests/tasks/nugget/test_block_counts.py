"""The counts of coreference of many documents at once are those of counting one by one, to the last bit."""

from __future__ import annotations

import random

import numpy as np
import pytest

from adjudge.tasks.coref.counts import count_hits
from adjudge.tasks.nugget.block_counts import Chains, count_chains
from adjudge.tasks.nugget.twins_front import chains_of, count_pairs

Document = tuple[list[int], list[int], list[tuple[int, int]]]
"""The clusters of gold and system mentions, and the pairs that are one mention."""


def some_document(rng: random.Random) -> Document:
    """Clusters numbered as they come, a few large or many small ones."""
    sides = []
    for _ in range(2):
        number, most = rng.randrange(1, 25), rng.choice((2, 4, 8, 30))
        names: dict[int, int] = {}
        sides.append([names.setdefault(rng.randrange(most), len(names)) for _ in range(number)])
    gold, system = (rng.sample(range(len(side)), len(side)) for side in sides)
    pairs = [pair for pair in zip(gold, system, strict=False) if rng.random() < 0.8]
    return sides[0], sides[1], sorted(pairs)


def columns(homes: list[list[int]]) -> tuple[Chains, list[int]]:
    """One side of all documents, and where each begins."""
    number = [len(own) for own in homes]
    chains = [max(own) + 1 for own in homes]
    before = np.repeat(np.cumsum(chains) - chains, number)
    chain = np.concatenate([np.array(own) for own in homes]) + before
    document = np.arange(len(homes))
    found = Chains(
        np.array(number), np.repeat(document, number), chain, np.bincount(chain), np.repeat(document, chains)
    )
    return found, (np.cumsum(number) - number).tolist()


def in_order_of_gold(gold: list[int], system: list[int], pairs: list[tuple[int, int]]) -> tuple[float, ...]:
    """As `count_coreference` counts."""
    sizes, spread = ([len(chain) for chain in chains_of(home)] for home in (gold, system))
    met: dict[int, list[int]] = {}
    for one, other in pairs:
        met.setdefault(system[other], []).append(gold[one])
    rest = [size for number, size in enumerate(spread) if number not in met]
    return count_hits(sizes, [*(spread[number] for number in met), *rest], list(met.values()))


@pytest.mark.parametrize("seed", range(4))
def test_many_documents_at_once(seed: int) -> None:
    rng = random.Random(seed)
    documents = [some_document(rng) for _ in range(300)]
    gold, starts = columns([each[0] for each in documents])
    system, begins = columns([each[1] for each in documents])
    shifted = [
        (one + starts[place], other + begins[place])
        for place, (_, _, pairs) in enumerate(documents)
        for one, other in pairs
    ]
    ours, theirs = (np.array(side) for side in zip(*shifted, strict=True))
    found = count_chains(gold, system, ours, theirs)
    assert found.tolist() == [list(in_order_of_gold(*each)) for each in documents]
    order = np.lexsort((theirs, system.chain[theirs]))
    found = count_chains(gold, system, ours[order], theirs[order])
    assert found.tolist() == [list(count_pairs(chains_of(a), chains_of(b), pairs)) for a, b, pairs in documents]


def test_some_of_the_documents() -> None:
    rng = random.Random(5)
    homes = [some_document(rng)[0] for _ in range(9)]
    every, _ = columns(homes)
    wanted = [0, 3, 4, 8]
    found, _ = columns([homes[place] for place in wanted])
    for one, other in zip(every.only(np.array(wanted)), found, strict=True):
        assert one.tolist() == other.tolist()
