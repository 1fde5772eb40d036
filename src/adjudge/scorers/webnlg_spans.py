"""How the WebNLG script compares two triples: spans of shared words, counted in four ways.

Every position (subject, predicate, object) of gold is one span of words. The system's words there become spans, by runs
of words that gold has, too. A position without a shared word is compared with other positions.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

Words: TypeAlias = tuple[str, ...]
Span: TypeAlias = tuple[str, int, int]
KINDS = ("ent_type", "partial", "strict", "exact")
POSITIONS = ("SUB", "PRED", "OBJ")
COUNTS = ("correct", "incorrect", "partial", "missed", "spurious")
_SIGNS = frozenset(string.punctuation)


class Part(NamedTuple):
    """One position compared: spans of gold and of the system from 0 on, their length, and whether words are shared."""

    gold: tuple[tuple[int, int], ...]
    system: tuple[tuple[int, int], ...]
    length: int
    shared: bool


def gold_words(words: Sequence[str]) -> Words:
    """Without those made of punctuation only."""
    return tuple(word for word in words if not all(sign in _SIGNS for sign in word))


def system_words(words: Sequence[str]) -> Words:
    """Without those that are one sign of punctuation."""
    return tuple(word for word in words if len(word) != 1 or word not in _SIGNS)


def bare_words(words: Sequence[str]) -> Words:
    """Without those that have any punctuation."""
    return tuple(word for word in words if not any(sign in _SIGNS for sign in word))


def blocks(gold: Words, system: Words) -> tuple[list[int], list[int], list[int]]:
    """The block of each word on either side (0: none), and the gold word of each system word (-1: none).

    The longest run of words of the system that gold has comes first, the leftmost of equally long ones.

    >>> blocks(("a", "b", "c"), ("c", "a", "b"))
    ([1, 1, 2], [2, 1, 1], [2, 0, 1])
    """
    ours, theirs, place = [0] * len(gold), [0] * len(system), [-1] * len(system)
    if set(gold).isdisjoint(system):
        return ours, theirs, place
    number = 0
    for size in range(len(system), 0, -1):
        start = 0
        while start + size <= len(system):
            run = system[start : start + size]
            at = -1
            if not any(theirs[start : start + size]):
                at = next(
                    (
                        at
                        for at in range(len(gold) - size + 1)
                        if gold[at : at + size] == run and not any(ours[at : at + size])
                    ),
                    -1,
                )
            if at < 0:
                start += 1
                continue
            number += 1
            for step in range(size):
                ours[at + step] = theirs[start + step] = number
                place[start + step] = at + step
    return ours, theirs, place


@lru_cache(maxsize=1 << 16)
def compare_part(gold: Words, system: Words, again: bool = False) -> Part:
    """The spans of one position; `again` is the script's second pass, in which the words around are used up.

    >>> compare_part(("halden", "group"), ("the", "halden", "group"))
    Part(gold=((1, 2),), system=((0, 2),), length=3, shared=True)
    """
    ours, theirs, place = blocks(gold, system)
    if not any(theirs):
        if not gold:
            return Part((), ((0, len(system) - 1),) if system else (), len(system), False)
        if not system:
            return Part(((0, len(gold) - 1),), (), 1, False)
        both = len(gold) + len(system)
        return Part(((0, len(gold) - 1),), ((len(gold), both - 1),), both, False)
    used = [number > 0 for number in theirs]
    first = used.index(True)
    last = len(used) - 1 - used[::-1].index(True)
    before = first if place[first] == 0 else 0
    behind = len(system) - 1 - last if place[last] == len(gold) - 1 else 0
    around = set(range(before)) | set(range(len(system) - behind, len(system)))
    row: list[int] = [] if again else [theirs[first]] * before
    begin = len(row)
    row += ours
    row += [] if again else [theirs[last]] * behind
    count = 0
    for number in range(len(system)):
        if used[number] or (again and number in around):
            count += 1
        elif number not in around:
            row.append(-(1 + count))
    return Part(((begin, begin + len(gold) - 1),), tuple(_walk(row)), len(row), True)


def _walk(row: Sequence[int]) -> list[tuple[int, int]]:
    """Runs of equal labels, as the script finds them: after a gap it continues the run before."""
    found, current, start = [], 0, 0
    for at, label in enumerate(row):
        if label:
            if label != current:
                if current:
                    found.append((start, at - 1))
                current, start = label, at
            if at == len(row) - 1:
                found.append((start, at))
        elif current:
            found.append((start, at - 1))
    return found


class Words3(NamedTuple):
    """The words of the three positions of a triple, as compared in their own position and in another."""

    own: tuple[Words, Words, Words]
    bare: tuple[Words, Words, Words]


def triple_spans(gold: Words3, system: Words3) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """All spans of two triples, with the position that each is of."""
    parts = [compare_part(ours, theirs) for ours, theirs in zip(gold.own, system.own, strict=True)]
    labels = [(position, position) for position in POSITIONS]
    offsets = [0, parts[0].length, parts[0].length + parts[1].length]
    shared = [part.shared for part in parts]

    def crossed(one: int, other: int) -> tuple[Part, Part]:
        return (
            compare_part(gold.bare[one], system.bare[other]),
            compare_part(gold.bare[other], system.bare[one]),
        )

    if not shared[0] and not shared[2]:
        first, last = crossed(0, 2)
        if first.shared or last.shared:
            again = compare_part(gold.bare[2], system.bare[0], True)
            offsets = [0, first.length, first.length + parts[1].length]
            parts = [first, again, last]
            labels = [("SUB", "OBJ"), ("PRED", "PRED"), ("OBJ", "SUB")]
    elif not shared[0] and not shared[1]:
        first, last = crossed(0, 1)
        if first.shared or last.shared:
            parts[:2], offsets[:2], labels[:2] = [first, last], [0, first.length], [("SUB", "PRED"), ("PRED", "SUB")]
    elif not shared[1] and not shared[2]:
        first, last = crossed(1, 2)
        if first.shared or last.shared:
            offsets[1:] = [parts[0].length, parts[0].length + first.length]
            parts[1:], labels[1:] = [first, last], [("PRED", "OBJ"), ("OBJ", "PRED")]
    ours, theirs = list[Span](), list[Span]()
    for part, offset, (mine, yours) in zip(parts, offsets, labels, strict=True):
        ours += [(mine, start + offset, end + offset) for start, end in part.gold]
        theirs += [(yours, start + offset, end + offset) for start, end in part.system]
    return tuple(ours), tuple(theirs)


class Tally(NamedTuple):
    """Counts of a pair of triples: for each kind, and for each kind at each position, in the order of `COUNTS`."""

    kinds: tuple[tuple[int, ...], ...]
    positions: tuple[tuple[tuple[int, ...], ...], ...]


@lru_cache(maxsize=1 << 16)
def count_spans(gold: tuple[Span, ...], system: tuple[Span, ...], newer: bool) -> Tally:
    """The counts of nervaluate for a pair: 0.1.7, or the newer 0.1.8; cached, because most pairs have the same spans.

    >>> count_spans((("SUB", 0, 1),), (("SUB", 0, 1),), False).kinds[0]
    (1, 0, 0, 0, 0)
    """
    totals = {kind: dict.fromkeys(COUNTS, 0) for kind in KINDS}
    places = {position: {kind: dict.fromkeys(COUNTS, 0) for kind in KINDS} for position in POSITIONS}
    met: list[Span] = []

    def count(position: str, outcomes: Sequence[str]) -> None:
        for kind, outcome in zip(KINDS, outcomes, strict=True):
            totals[kind][outcome] += 1
            places[position][kind][outcome] += 1

    for span in system:
        label, start, end = span
        if span in gold:
            met.append(span)
            count(label, ("correct",) * 4)
            continue
        for other in gold:
            name, low, high = other
            if newer and other in met:
                continue
            if (low, high) == (start, end):
                met.append(other)
                count(name, ("incorrect", "correct", "incorrect", "correct"))
                break
            if max(start, low) <= min(end, high) if newer else max(start, low) < min(end, high):
                met.append(other)
                count(name, ("correct" if name == label else "incorrect", "partial", "incorrect", "incorrect"))
                break
        else:
            for kind in KINDS:
                totals[kind]["spurious"] += 1
                for position in (label,) if newer else POSITIONS:
                    places[position][kind]["spurious"] += 1
    for other in gold:
        if other not in met:
            count(other[0], ("missed",) * 4)
    return Tally(
        tuple(tuple(totals[kind].values()) for kind in KINDS),
        tuple(tuple(tuple(places[each][kind].values()) for kind in KINDS) for each in POSITIONS),
    )
