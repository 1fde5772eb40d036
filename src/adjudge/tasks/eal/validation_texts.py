"""A source document that offsets refer to: what stands at an offset, and where a text stands."""

from __future__ import annotations

import re

from adjudge.formats.eal_sources import Offsets, Utf16
from adjudge.model.eal import Span

AROUND = 10_000  # characters before and after a span in which a text is looked for

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


class Text:
    """A document, addressed by offsets that count code points or UTF-16 units; both ends of a span belong to it.

    >>> text = Text("a\U0001f600bc", "utf-16")
    >>> text.size, text.at(Span(3, 4)), text.cuts(Span(2, 3))
    (5, 'bc', True)
    """

    def __init__(self, text: str, offsets: Offsets = "code-points", path: str | None = None) -> None:
        self.text = text
        self.path = path
        self.offsets = offsets
        self.astral = [] if text.isascii() else [each.start() for each in _ASTRAL.finditer(text)]
        self._units = Utf16(text) if self.astral and offsets == "utf-16" else None
        self.size = len(text) + (len(self.astral) if self._units else 0)

    @property
    def has_halves(self) -> bool:
        """Whether a span can begin or end in the middle of a character."""
        return self._units is not None

    def at(self, span: Span) -> str:
        """The characters of a span; those that it cuts into halves count."""
        start, end = span if self._units is None else self._units.to_characters(span)
        return self.text[start : end + 1]

    def cuts(self, span: Span) -> bool:
        """Whether a span begins or ends in the middle of a character."""
        return self._units is not None and self._units.cuts(span)

    def span(self, start: int, end: int) -> Span:
        """The offsets of the characters from `start` to `end`, both inclusive."""
        return Span(start, end) if self._units is None else self._units.to_units(Span(start, end))

    def find(self, wanted: str, near: Span) -> Span | None:
        """Where a text stands that was expected at a span: the closest place, or None if it is not around."""
        start = near.start if self._units is None else self._units.to_characters(near).start
        first, last = max(0, start - AROUND), start + AROUND + len(wanted)
        places = [self.text.rfind(wanted, first, start + len(wanted)), self.text.find(wanted, start, last)]
        there = [place for place in places if place >= 0]
        if not there or not wanted:
            return None
        place = min(there, key=lambda each: abs(each - start))
        return self.span(place, place + len(wanted) - 1)
