"""Offsets that are off in the same way all over a file: ends counted differently, places counted from 1, swapped sides.

Such files score next to nothing, and the numbers do not say why. The spans of gold and system are compared as pairs of
numbers, document by document; a note tells if hardly any is equal and most would be if all were moved alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from adjudge.stats.result import Note

Span: TypeAlias = tuple[int, int]

_DEEP = 20  # how far down in a document spans are looked for
_FAR = 2  # how far offsets are moved in search of equal ones
_ENOUGH = 3  # spans below which nothing can be told
_LOOKED_AT = 50_000  # spans of a system that are looked at
_MOVES = sorted(
    ((a, b) for a in range(-_FAR, _FAR + 1) for b in range(-_FAR, _FAR + 1) if a or b),
    key=lambda move: (abs(move[0]) + abs(move[1]), move),
)
_NUMBERS = ("no", "one", "two")


def offset_notes(pairs: Iterable[tuple[Iterable[Span], Iterable[Span]]], *, unit: str = "character") -> list[Note]:
    """A note if the spans of a system (second of each pair) are those of gold (first), moved by the same little way.

    >>> [note.message for note in offset_notes([([(0, 4), (9, 12), (20, 27)], [(0, 3), (9, 11), (20, 26)])])]
    ['every system span ends one character before a gold span with the same start: does one side count ends ...]
    """
    from adjudge.stats.result import Note

    documents = list(_distinct(pairs))
    gold, system = (sum(len(each[side]) for each in documents) for side in (0, 1))
    fewer = min(gold, system)
    equal = sum(len(ours & theirs) for ours, theirs in documents)
    if fewer < _ENOUGH or equal * 10 > fewer:
        return []
    best = max(_MOVES, key=lambda move: _moved(documents, move))  # the first of equals, which is the nearest
    found = _moved(documents, best)
    if found * 2 < fewer or found < max(_ENOUGH, 5 * equal):
        return []
    who = "every system span" if found == system else f"of {system} system spans {found}"
    return [Note("offsets", found, f"{_told(who, best, unit, one=found == system)}")]


def spans_in(value: Any, depth: int = 0) -> Iterator[Span]:
    """All in a value that has a start and an end, wherever it is.

    >>> sorted(spans_in({"span": {"start": 3, "end": 5}, "other": [{"start": 7, "end": 9, "x": "a"}]}))
    [(3, 5), (7, 9)]
    """
    if depth > _DEEP or isinstance(value, str | bytes | int | float) or value is None:
        return
    inner: Iterable[Any]
    if isinstance(value, Mapping):
        start, end, inner = value.get("start"), value.get("end"), value.values()
    elif isinstance(value, list | tuple | Set):
        start, end, inner = None, None, value
    else:
        names = getattr(value, "__struct_fields__", None) or getattr(value, "__dataclass_fields__", None) or ()
        start, end = getattr(value, "start", None), getattr(value, "end", None)
        inner = [getattr(value, name) for name in names]
    if type(start) is int and type(end) is int:
        yield start, end
    for each in inner:
        yield from spans_in(each, depth + 1)


def _distinct(pairs: Iterable[tuple[Iterable[Span], Iterable[Span]]]) -> Iterable[tuple[set[Span], set[Span]]]:
    seen = 0
    for gold, system in pairs:
        sides = set(gold), set(system)
        yield sides
        seen += len(sides[1])
        if seen > _LOOKED_AT:
            break


def _moved(documents: Sequence[tuple[set[Span], set[Span]]], move: Span) -> int:
    """How many system spans are gold spans whose start and end were moved so far."""
    start, end = move
    return sum(sum((a - start, b - end) in ours for a, b in theirs) for ours, theirs in documents)


def _told(who: str, move: Span, unit: str, *, one: bool) -> str:
    start, end = move
    far = _distance(start or end, unit)
    s = "s" if one else ""
    if start == end:
        side = "after" if start > 0 else "before"
        hint = f"does one side count {unit}s from 0 and the other from 1?"
        return f"{who} begin{s} and end{s} {far} {side} a gold span: {hint}"
    if start == 0:
        side = "after" if end > 0 else "before"
        hint = "does one side count ends inclusively and the other exclusively?"
        return f"{who} end{s} {far} {side} a gold span with the same start: {hint}"
    if end == 0:
        side = "after" if start > 0 else "before"
        hint = f"does one side count {unit}s from 1, with the end included?"
        return f"{who} begin{s} {far} {side} a gold span with the same end: {hint}"
    first, second = ("after" if each > 0 else "before" for each in (start, end))
    return (
        f"{who} begin{s} {_distance(start, unit)} {first} and end{s} {_distance(end, unit)} {second} a gold span: "
        "do both sides count in the same way?"
    )


def _distance(number: int, unit: str) -> str:
    return f"{_NUMBERS[abs(number)]} {unit}{'s' * (abs(number) > 1)}"
