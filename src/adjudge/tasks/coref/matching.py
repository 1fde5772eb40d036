"""When mentions need not be equal to match: by their heads, or by how much they overlap.

Every mention of the response that matches one of the key takes its place, so that all metrics work on equality. A
mention matches at most one of the other side. Equal mentions match first; of the rest, those pairs match whose overlap
|A & B| / |A | B| is largest in sum (by head: of the mentions that share it).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from adjudge.model.coref import Chain, Mention, mention_words
from adjudge.tasks.coref.alignment import align

_EPSILON = 1e-9  # mentions with the same head match even if they have no other word in common


def by_overlap(key: Sequence[Chain], response: Sequence[Chain], least: float) -> list[Chain]:
    """The response with every mention replaced by the key's that it overlaps at least so much.

    >>> by_overlap([Chain("1", [(0, 3)])], [Chain("a", [(0, 2), (7, 7)])], 0.5)
    [Chain('a', [(0, 3), (7, 7)])]
    """
    known, own = _unmatched(key, response)
    words = {mention: frozenset(mention_words(mention)) for mention in (*known, *own)}
    at: dict[float, list[int]] = {}  # word -> mentions of the response that have it
    for place, mention in enumerate(own):
        for word in words[mention]:
            at.setdefault(word, []).append(place)
    cells: dict[int, dict[int, float]] = {}
    for row, mention in enumerate(known):
        shared: dict[int, int] = {}
        for word in words[mention]:
            for place in at.get(word, ()):
                shared[place] = shared.get(place, 0) + 1
        size = len(words[mention])
        mine = {
            place: both / (size + len(words[own[place]]) - both)
            for place, both in sorted(shared.items())
            if both >= least * (size + len(words[own[place]]) - both)
        }
        if mine:
            cells[row] = mine
    return _renamed(response, {own[place]: known[row] for row, place in align(cells).items()})


def by_head(
    key: Sequence[Chain],
    response: Sequence[Chain],
    key_heads: Mapping[Mention, float],
    response_heads: Mapping[Mention, float],
) -> list[Chain]:
    """The response with every mention replaced by the key's that has the same head.

    >>> by_head([Chain("1", [(0, 3)])], [Chain("a", [(2, 3)])], {(0, 3): 3}, {(2, 3): 3})
    [Chain('a', [(0, 3)])]
    """
    known, own = _unmatched(key, response)
    headed: dict[float, list[int]] = {}
    for place, mention in enumerate(own):
        if mention in response_heads:
            headed.setdefault(response_heads[mention], []).append(place)
    cells: dict[int, dict[int, float]] = {}
    for row, mention in enumerate(known):
        rivals = headed.get(key_heads[mention], ()) if mention in key_heads else ()
        if rivals:
            cells[row] = {place: _EPSILON + _jaccard(mention, own[place]) for place in rivals}
    return _renamed(response, {own[place]: known[row] for row, place in align(cells).items()})


def _unmatched(key: Iterable[Chain], response: Iterable[Chain]) -> tuple[list[Mention], list[Mention]]:
    """The mentions of one side that the other does not have, each once, in the order of the text."""
    here = {mention for chain in key for mention in chain.mentions}
    there = {mention for chain in response for mention in chain.mentions}
    return sorted(here - there), sorted(there - here)


def _jaccard(a: Mention, b: Mention) -> float:
    left, right = set(mention_words(a)), set(mention_words(b))
    return len(left & right) / len(left | right)


def _renamed(chains: Sequence[Chain], names: Mapping[Mention, Mention]) -> list[Chain]:
    return [Chain(chain.id, [names.get(mention, mention) for mention in chain.mentions]) for chain in chains]
