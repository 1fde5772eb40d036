"""Where marks begin and end in a text: overlapping, nested, broken into pieces, several at one place."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

Piece: TypeAlias = tuple[int, int]


class Segment(NamedTuple):
    """A stretch of text in which no mark begins or ends, and its marks from the outermost to the innermost."""

    begin: int
    end: int
    marks: tuple[int, ...]


def segments(places: Sequence[Iterable[Piece]], length: int) -> list[Segment]:
    """The marked stretches of a text of this length, in order; what lies outside of the text is cut off.

    `places` has the pieces of each mark. Of two marks the one that begins earlier is drawn around the other, then the
    one that ends later, then the one that comes first.

    >>> segments([[(0, 4)], [(2, 6)], [(2, 4), (8, 20)]], 9)
    [Segment(begin=0, end=2, marks=(0,)), Segment(begin=2, end=4, marks=(0, 2, 1)), Segment(begin=4, end=6, marks=(1,)),
     Segment(begin=8, end=9, marks=(2,))]
    """
    inside = [
        [(max(begin, 0), min(end, length)) for begin, end in pieces if max(begin, 0) < min(end, length)]
        for pieces in places
    ]
    opened: dict[int, list[int]] = {}
    closed: dict[int, list[int]] = {}
    for mark, pieces in enumerate(inside):
        for begin, end in pieces:
            opened.setdefault(begin, []).append(mark)
            closed.setdefault(end, []).append(mark)
    order = {
        mark: (min(pieces)[0], -max(end for _, end in pieces), mark) for mark, pieces in enumerate(inside) if pieces
    }
    found: list[Segment] = []
    active: dict[int, int] = {}  # pieces of one mark may overlap each other
    before = 0
    for place in sorted({*opened, *closed}):
        if active:
            found.append(Segment(before, place, tuple(sorted(active, key=order.__getitem__))))
        for mark in closed.get(place, ()):
            active[mark] -= 1
            if not active[mark]:
                del active[mark]
        for mark in opened.get(place, ()):
            active[mark] = active.get(mark, 0) + 1
        before = place
    return found


def in_utf16(text: str, found: Sequence[Segment]) -> list[Segment]:
    r"""The same segments counted in units of UTF-16, as a browser counts.

    >>> in_utf16("\N{GRINNING FACE} ran", [Segment(2, 5, (0,))])
    [Segment(begin=3, end=6, marks=(0,))]
    """
    wide = [] if text.isascii() else [place for place, character in enumerate(text) if character > "\uffff"]
    if not wide:
        return list(found)
    return [Segment(b + bisect_left(wide, b), e + bisect_left(wide, e), marks) for b, e, marks in found]
