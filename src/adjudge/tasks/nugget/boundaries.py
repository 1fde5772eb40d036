"""Cutting tokens further: at separators, and where annotations begin and end.

An event nugget is scored by its tokens, so no token may be only partly inside it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from adjudge.formats.standoff import plain

Place = tuple[int, int]

SEPARATORS = "/-\\"


class Mismatch(NamedTuple):
    """A token that an annotation begins or ends in the middle of."""

    token: Place
    span: Place


def split_at_separators(text: str, places: Iterable[Place], separators: str = SEPARATORS) -> list[Place]:
    """Tokens cut at the separators, which then belong to no token; one of separators only disappears.

    >>> split_at_separators("a re-elected - MP", [(0, 1), (2, 12), (13, 14), (15, 17)])
    [(0, 1), (2, 4), (5, 12), (15, 17)]
    """
    if not separators:
        return list(places)
    between = re.compile(f"[^{re.escape(separators)}]+")
    found: list[Place] = []
    for begin, end in places:
        if not between.fullmatch(text, begin, end):
            found += (part for each in between.finditer(text, begin, end) if (part := _trimmed(text, *each.span())))
        else:
            found.append((begin, end))
    return found


def split_at_spans(text: str, places: Sequence[Place], spans: Iterable[Place]) -> tuple[list[Place], list[Mismatch]]:
    """Tokens cut wherever a span begins or ends, and the tokens that did not fit.

    A span that covers no token at all, because it is of separators only, becomes one.

    >>> split_at_spans("buffet/music/buying", [(0, 19)], [(13, 19)])
    ([(0, 13), (13, 19)], [Mismatch(token=(0, 19), span=(13, 19))])
    """
    wanted = sorted({(begin, end) for begin, end in spans if begin < end})
    places = _with_uncovered(text, places, wanted)
    begins = [begin for begin, _ in places]
    cuts: dict[Place, set[int]] = {}
    mismatches: set[Mismatch] = set()
    for span in wanted:
        for cut in span:
            place = bisect_left(begins, cut) - 1  # the last token that begins before it
            if place >= 0 and cut < places[place][1]:
                cuts.setdefault(places[place], set()).add(cut)
                mismatches.add(Mismatch(places[place], span))
    found: list[Place] = []
    for each in places:
        if each not in cuts:
            found.append(each)
            continue
        begin = each[0]
        for cut in (*sorted(cuts[each]), each[1]):
            if part := _trimmed(text, begin, cut):
                found.append(part)
            begin = cut
    return found, sorted(mismatches)


def describe(mismatch: Mismatch, text: str, document: str, *, wide: Sequence[int] = ()) -> str:
    """The warning of the official tool; `wide` are the places of characters that count twice.

    >>> describe(Mismatch((0, 19), (13, 19)), "buffet/music/buying", "d21")
    'Boundary mismatch found in d21: Token [0,19] [buffet/music/buying] vs. EventMentionSpan [13,19] [buying]'
    """
    (begin, end), span = mismatch
    shown = [f"[{_counted(b, wide)},{_counted(e, wide)}] [{plain(text[b:e])}]" for b, e in ((begin, end), span)]
    return f"Boundary mismatch found in {document}: Token {shown[0]} vs. EventMentionSpan {shown[1]}"


def astral(text: str) -> list[int]:
    r"""The places of the characters that take two UTF-16 units.

    >>> astral("a\U0001f600b")
    [1]
    """
    return [] if text.isascii() else [found.start() for found in re.finditer("[\U00010000-\U0010ffff]", text)]


def in_utf16(places: Iterable[Place], wide: Sequence[int]) -> list[Place]:
    r"""Places counted in UTF-16 units instead of characters.

    >>> in_utf16([(0, 1), (1, 2), (2, 3)], astral("a\U0001f600b"))
    [(0, 1), (1, 3), (3, 4)]
    """
    return [(_counted(begin, wide), _counted(end, wide)) for begin, end in places]


def _counted(place: int, wide: Sequence[int]) -> int:
    return place + bisect_left(wide, place) if wide else place


def _with_uncovered(text: str, places: Sequence[Place], spans: Iterable[Place]) -> list[Place]:
    """The tokens, and those spans (overlapping ones together) that would have none."""
    ends = [end for _, end in places]
    added: list[Place] = []
    for begin, end in spans:
        after = bisect_right(ends, begin)
        if after < len(places) and places[after][0] < end:
            continue
        if added and begin < added[-1][1]:
            added[-1] = (added[-1][0], max(end, added[-1][1]))
        elif part := _trimmed(text, begin, end):
            added.append(part)
    return sorted([*places, *added]) if added else list(places)


def _trimmed(text: str, begin: int, end: int) -> Place | None:
    """A place without the blanks at its ends; None if nothing else is there."""
    inside = text[begin:end]
    begin += len(inside) - len(inside.lstrip())
    end -= len(inside) - len(inside.rstrip())
    return (begin, end) if begin < end else None
