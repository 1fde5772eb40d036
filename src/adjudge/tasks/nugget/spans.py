"""Places of nuggets as keys: equal keys are equal places, and overlaps are counted without comparing all pairs.

In token mode the key of a nugget is a visible token id, or a frozenset of several. In character mode it is the piece
(begin, end), or a tuple of several disjoint pieces in ascending order; where a place names characters twice and they
are counted twice, as the official program does, a `Counted` place. A nugget without a place has no key.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from itertools import compress
from operator import itemgetter, lt
from typing import Any, NamedTuple, TypeAlias

from adjudge.model.nugget import Nugget, Piece
from adjudge.model.prf import precision_recall_f1

Key: TypeAlias = Any  # hashable; see above
Overlaps: TypeAlias = dict[Key, dict[Key, int]]  # gold key -> system key -> units in common
Dice: TypeAlias = Callable[[int, int, int], float]


class Counted(NamedTuple):
    """Pieces in which some characters count more than once."""

    pieces: tuple[Piece, ...]
    size: int


def place_keys(nuggets: Iterable[Nugget], mode: str) -> list[Key | None]:
    """The keys of nuggets by tokens or by characters.

    >>> place_keys([Nugget("E1", "Attack", "Actual", "raid", pieces=((4, 8),))], "char")
    [(4, 8)]
    """
    if mode == "token":
        return keys_of_tokens([nugget.tokens for nugget in nuggets])
    return keys_of_pieces([nugget.pieces for nugget in nuggets])


def keys_of_tokens(tokens: Iterable[tuple[str, ...]], invisible: Container[str] = frozenset()) -> list[Key | None]:
    """The keys of lists of token ids, without the invisible ones.

    >>> keys_of_tokens([("t2", "t1", "t1"), ("t3",), ("t9",)], {"t9"})
    [frozenset({...}), 't3', None]
    """
    if invisible:
        tokens = [tuple([token for token in each if token not in invisible]) for each in tokens]
    return [each[0] if len(each) == 1 else _token_key(each) for each in tokens]


def _token_key(tokens: Iterable[str]) -> Key | None:
    found = frozenset(tokens)
    return found if len(found) > 1 else next(iter(found), None)


def keys_of_pieces(pieces: Iterable[tuple[Piece, ...]], *, repeated: bool = False) -> list[Key | None]:
    """The keys of lists of pieces; with `repeated`, a character that is named twice counts twice.

    >>> keys_of_pieces([((4, 8), (0, 4)), ((3, 3),), ((0, 4), (6, 8))])
    [(0, 8), None, ((0, 4), (6, 8))]
    >>> keys_of_pieces([((0, 4), (2, 6))], repeated=True)
    [Counted(pieces=((0, 6),), size=8)]
    """
    pieces = list(pieces)
    if set(map(len, pieces)) == {1}:  # nearly always
        plain: list[Key | None] = [piece for (piece,) in pieces if piece[0] < piece[1]]
        if len(plain) == len(pieces):
            return plain
    return [
        each[0] if len(each) == 1 and each[0][0] < each[0][1] else _char_key(each, repeated=repeated) for each in pieces
    ]


def _char_key(pieces: Sequence[Piece], *, repeated: bool) -> Key | None:
    merged = merged_pieces(pieces)
    if not merged:
        return None
    given = sum([max(0, end - begin) for begin, end in pieces])
    if repeated and given > sum([end - begin for begin, end in merged]):
        return Counted(tuple(merged), given)
    return merged[0] if len(merged) == 1 else tuple(merged)


def merged_pieces(pieces: Iterable[Piece]) -> list[Piece]:
    """The same characters in as few pieces as possible.

    >>> merged_pieces([(4, 8), (0, 4), (9, 9)])
    [(0, 8)]
    """
    found: list[Piece] = []
    for begin, end in sorted(pieces):
        if begin >= end:
            continue
        if found and begin <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((begin, end))
    return found


def size(key: Key) -> int:
    """How many tokens or characters a place has.

    >>> size("t1"), size((0, 4)), size(((0, 4), (6, 8))), size(Counted(((0, 6),), 8))
    (1, 4, 6, 8)
    """
    if type(key) is tuple and type(key[0]) is int:  # nearly always
        return int(key[1]) - key[0]
    if isinstance(key, str):
        return 1
    if isinstance(key, frozenset):
        return len(key)
    return key.size if isinstance(key, Counted) else sum([end - begin for begin, end in pieces_of(key)])


def pieces_of(key: Key) -> tuple[Piece, ...]:
    """The pieces of a place in the text.

    >>> pieces_of((0, 4)), pieces_of(((0, 4), (6, 8)))
    (((0, 4),), ((0, 4), (6, 8)))
    """
    if isinstance(key, Counted):
        return key.pieces
    return (key,) if isinstance(key[0], int) else key


def with_itself(key: Key, measure: Dice) -> float:
    """The Dice of a place and itself: 1, unless characters count more than once."""
    if not isinstance(key, Counted):
        return 1.0
    return measure(sum([end - begin for begin, end in key.pieces]), key.size, key.size)


def partial_overlaps(gold: Mapping[Key, Any], system: Mapping[Key, Any], *, char: bool) -> Overlaps:
    """All pairs of different overlapping places, and the size of the overlap; places are the keys of both sides.

    The cost is that of sorting the places plus the number of overlapping pairs.

    >>> partial_overlaps({"a": 0, "b": 1}, {frozenset("bc"): 0, "a": 1}, char=False)
    {'b': {frozenset({...}): 1}}
    >>> partial_overlaps({(0, 5): 0, (9, 12): 1}, {(3, 10): 0, (9, 12): 1}, char=True)
    {(0, 5): {(3, 10): 2}, (9, 12): {(3, 10): 1}}
    """
    return _in_text(gold, system) if char else _in_tokens(gold, system)


def _in_tokens(gold: Collection[Key], system: Collection[Key]) -> Overlaps:
    several = [key for key in gold if not isinstance(key, str)], [key for key in system if not isinstance(key, str)]
    if not several[0] and not several[1]:
        return {}
    holders: dict[str, list[Key]] = {}
    for key in gold:
        for token in (key,) if isinstance(key, str) else key:
            holders.setdefault(token, []).append(key)
    found: Overlaps = {}
    for key in system:
        for token in (key,) if isinstance(key, str) else key:
            for other in holders.get(token, ()):
                if other != key:
                    mine = found.setdefault(other, {})
                    mine[key] = mine.get(key, 0) + 1
    return found


def _in_text(gold: Mapping[Key, Any], system: Mapping[Key, Any]) -> Overlaps:
    """In text order, a piece overlaps with those after it that begin before it ends; nearly all stand alone."""
    places = {**gold, **system}  # mostly in order, and sorted sooner than a set
    try:
        keys = sorted(places)
    except TypeError:  # they are not all single pieces
        keys = []
    bounds: Sequence[tuple[Any, ...]] = keys
    if len(keys) < len(places) or (keys and not isinstance(keys[0][0], int)):
        bounds = sorted([(*piece, key) for key in places for piece in pieces_of(key)], key=_START)
        keys = [each[2] for each in bounds]
    found: Overlaps = {}
    if not bounds:
        return found
    begins, ends, *_ = zip(*bounds, strict=True)
    for at in compress(range(len(ends)), map(lt, begins[1:], ends)):
        for to in range(at + 1, len(ends)):
            if begins[to] >= ends[at]:
                break
            common = min(ends[at], ends[to]) - begins[to]
            for left, right in ((keys[at], keys[to]), (keys[to], keys[at])):
                if left in gold and right in system:
                    mine = found.setdefault(left, {})
                    mine[right] = mine.get(right, 0) + common
    return found


_START = itemgetter(0)


def dice(common: int, gold: int, system: int) -> float:
    """2 |G & S| / (|G| + |S|), rounded once, so that equal ratios are equal numbers.

    >>> dice(2, 3, 4)
    0.571...
    """
    return 2 * common / (gold + system)


def dice_of_ratios(common: int, gold: int, system: int) -> float:
    """The same as v1.6.2 computes it, from precision and recall: the last bit may differ, and with it the order.

    >>> dice_of_ratios(2, 3, 3) == dice(2, 3, 3), dice_of_ratios(1, 1, 5) == dice(1, 1, 5)
    (True, False)
    """
    return precision_recall_f1(common, system, gold)[2]
