"""Mentions that occur more than once: found, reported, and treated as each profile says.

`conll-8.01` does what the reference scorer does. Copies in the key stay. In the response the first copy of a mention
that the key has stays and the others go; copies of a mention that the key does not have stay. `clean` keeps the first
copy of every mention on both sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from adjudge.model.coref import Chain, Mention


class Repeat(NamedTuple):
    """A copy of a mention: the chain it stands in, the chain of the first one, and whether it was removed."""

    mention: Mention
    first: str
    again: str
    removed: bool


def copies(chains: Sequence[Chain], *, removed: bool = False) -> list[Repeat]:
    """Every copy in chain order.

    >>> copies([Chain("1", [(0, 1), (4, 4)]), Chain("2", [(0, 1)])])
    [Repeat(mention=(0, 1), first='1', again='2', removed=False)]
    """
    first: dict[Mention, str] = {}
    found = []
    for chain in chains:
        for mention in chain.mentions:
            if mention in first:
                found.append(Repeat(mention, first[mention], chain.id, removed))
            else:
                first[mention] = chain.id
    return found


def without_copies(chains: Sequence[Chain]) -> tuple[list[Chain], list[Repeat]]:
    """The chains with the first copy of every mention only, and what was removed; empty chains go too.

    >>> without_copies([Chain("1", [(0, 1), (4, 4)]), Chain("2", [(0, 1)])])[0]
    [Chain('1', [(0, 1), (4, 4)])]
    """
    seen: set[Mention] = set()
    kept = []
    for chain in chains:
        mine = [mention for mention in chain.mentions if not (mention in seen or seen.add(mention))]  # type: ignore[func-returns-value]
        if mine:
            kept.append(Chain(chain.id, mine))
    return kept, copies(chains, removed=True)


def without_matched_copies(key: Sequence[Chain], response: Sequence[Chain]) -> tuple[list[Chain], list[Repeat]]:
    """The response as the reference scorer reads it against a key, and its copies, removed or not.

    >>> key, response = [Chain("1", [(0, 1)])], [Chain("a", [(0, 1), (2, 2)]), Chain("b", [(2, 2), (0, 1)])]
    >>> without_matched_copies(key, response)[0]
    [Chain('a', [(0, 1), (2, 2)]), Chain('b', [(2, 2)])]
    """
    known = {mention for chain in key for mention in chain.mentions}
    first: dict[Mention, str] = {}
    kept, found = [], []
    for chain in response:
        mine = []
        for mention in chain.mentions:
            if mention in first:
                found.append(Repeat(mention, first[mention], chain.id, mention in known))
                if mention in known:
                    continue
            else:
                first[mention] = chain.id
            mine.append(mention)
        if mine:
            kept.append(Chain(chain.id, mine))
    return kept, found
