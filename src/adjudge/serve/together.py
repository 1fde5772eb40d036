"""What several readers have put together: blocks that nobody divides, and the pairs of blocks on which they differ.

Two blocks belong together if somebody who decides says so, or if all readers do. Groups are what hangs together; one
thing may be in several events, so events are the largest sets in which every two belong together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from adjudge.errors import ValidationError

Sets = Sequence[Iterable[str]]
Pair = tuple[str, str]
_MOST = 1000  # events that are made of pairs


class Together(NamedTuple):
    """Blocks by the name of their first member, pairs that all readers put together, and those that some do.

    >>> found = together([[["a", "b"], ["c"]], [["a", "b", "c"]]])
    >>> found.blocks, found.agreed, found.disputed
    ({'a': ['a', 'b'], 'c': ['c']}, [], {('a', 'c'): [1]})
    """

    blocks: dict[str, list[str]]
    agreed: list[Pair]
    disputed: dict[Pair, list[int]]  # and the places of the readers who do


def together(readers: Sequence[Sets]) -> Together:
    """Compare the sets of readers."""
    places: dict[str, set[tuple[int, int]]] = {}
    for reader, sets in enumerate(readers):
        for number, members in enumerate(sets):
            for member in members:
                places.setdefault(member, set()).add((reader, number))
    blocks: dict[frozenset[tuple[int, int]], list[str]] = {}
    for member in sorted(places):
        blocks.setdefault(frozenset(places[member]), []).append(member)
    agreed, disputed = [], {}
    for (one, mine), (other, yours) in combinations(blocks.items(), 2):
        who = sorted({reader for reader, _ in one & other})
        if len(who) == len(readers):
            agreed.append((mine[0], yours[0]))
        elif who:
            disputed[mine[0], yours[0]] = who
    return Together({members[0]: members for members in blocks.values()}, agreed, disputed)


def chosen(found: Together, same: Iterable[Sequence[str]]) -> set[Pair]:
    """All pairs that belong together, if of the disputed ones these do; a pair that nobody disputes is refused."""
    pairs = {(one, other) for one, other in same}
    strange = sorted(pairs - found.disputed.keys())
    if strange:
        raise ValidationError(f"{strange[0]} is not disputed", hint="load the page again")
    return pairs | set(found.agreed)


def groups_of(found: Together, pairs: Iterable[Pair]) -> list[list[str]]:
    """What hangs together.

    >>> groups_of(together([["ab", "c", "d"], ["a", "bc", "d"]]), [("a", "b"), ("b", "c")])
    [['a', 'b', 'c'], ['d']]
    """
    first = {block: block for block in found.blocks}
    for one, other in pairs:
        old, new = first[other], first[one]
        first = {block: new if own == old else own for block, own in first.items()}
    sets: dict[str, list[str]] = {}
    for block, own in first.items():
        sets.setdefault(own, []).extend(found.blocks[block])
    return [sorted(members) for members in sets.values()]


def events_of(found: Together, pairs: Iterable[Pair]) -> list[list[str]]:
    """The largest sets in which every two belong together.

    >>> events_of(together([["ac", "bc"], ["ac", "b"]]), [("a", "c"), ("b", "c")])
    [['a', 'c'], ['b', 'c']]
    """
    near: dict[str, set[str]] = {block: set() for block in found.blocks}
    for one, other in pairs:
        near[one].add(other)
        near[other].add(one)
    sets: list[list[str]] = []

    def grow(inside: list[str], open_: set[str], done: set[str]) -> None:
        if not open_ and not done:
            sets.append(sorted(member for block in inside for member in found.blocks[block]))
            if len(sets) > _MOST:
                raise ValidationError(f"these pairs make more than {_MOST} events", hint="join or divide more of them")
        pivot = max(open_ | done, key=lambda each: (len(near[each] & open_), each), default="")
        for block in sorted(open_ - near.get(pivot, set())):
            grow([*inside, block], open_ & near[block], done & near[block])
            open_, done = open_ - {block}, done | {block}

    grow([], set(near), set())
    return sorted(sets)


def numbered(sets: Iterable[Sequence[str]], known: Mapping[str, str], fresh: Callable[[], str]) -> dict[str, str]:
    """A number for every member: that of one of its set which no set before has, else a new one."""
    found: dict[str, str] = {}
    for members in sets:
        used = set(found.values())
        number = next((known[each] for each in members if each in known and known[each] not in used), None) or fresh()
        found.update(dict.fromkeys(members, number))
    return found
