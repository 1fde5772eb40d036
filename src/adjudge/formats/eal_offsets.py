"""Offsets that count UTF-16 units, as the official programs do, and offsets that count characters.

They differ after the first character beyond U+FFFF, which is two units.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable

from adjudge.model.eal import Response, Span


class Utf16:
    """Converts the spans of a text; places beyond its end stay beyond it.

    >>> units = Utf16("a\U0001f600b")
    >>> units.to_characters(Span(1, 2)), units.to_units(Span(1, 2))
    (Span(start=1, end=1), Span(start=1, end=3))
    """

    def __init__(self, text: str) -> None:
        self._wide = [] if text.isascii() else [at for at, letter in enumerate(text) if letter > "\uffff"]
        self._units = [at + number for number, at in enumerate(self._wide)]

    @property
    def wide(self) -> int:
        """How many characters are two units; if there are none, the offsets are the same."""
        return len(self._wide)

    def to_characters(self, span: Span) -> Span:
        """A span in characters from one in units; half a character counts as the whole."""
        return Span(span.start - bisect_left(self._units, span.start), span.end - bisect_left(self._units, span.end))

    def to_units(self, span: Span) -> Span:
        """A span in units from one in characters."""
        return Span(span.start + bisect_left(self._wide, span.start), span.end + bisect_right(self._wide, span.end))

    def cuts(self, span: Span) -> bool:
        """Whether a span in units begins or ends in the middle of a character.

        >>> Utf16("a\U0001f600b").cuts(Span(0, 1))
        True
        """
        return self.to_units(self.to_characters(span)) != span


def convert_spans(response: Response, convert: Callable[[Span], Span]) -> Response:
    """A response with each of its spans converted."""
    return response._replace(
        cas=response.cas._replace(span=convert(response.cas.span)),
        base_filler=convert(response.base_filler),
        justifications=tuple(sorted({convert(span) for span in response.justifications})),
        additional=tuple(sorted({convert(span) for span in response.additional})),
    )


def from_utf16(text_of: Callable[[str], str]) -> Callable[[Response], Response]:
    """What `open_store(transform=...)` takes for a store with UTF-16 offsets; `text_of` gives the text of a document.

    >>> from adjudge.model.eal import Cas
    >>> bob = Response("d", "Life.Die", "Victim", Cas("b", Span(3, 3)), Span(3, 3), (Span(0, 3),), (), "Actual")
    >>> from_utf16(lambda document: "a\U0001f600b")(bob).cas.span
    Span(start=2, end=2)
    """
    return _converter(text_of, Utf16.to_characters)


def to_utf16(text_of: Callable[[str], str]) -> Callable[[Response], Response]:
    """The opposite, for `transformed` before a store is written."""
    return _converter(text_of, Utf16.to_units)


def _converter(text_of: Callable[[str], str], convert: Callable[[Utf16, Span], Span]) -> Callable[[Response], Response]:
    last: tuple[str, Utf16] | None = None  # responses come document by document

    def converted(response: Response) -> Response:
        nonlocal last
        if last is None or last[0] != response.document:
            last = response.document, Utf16(text_of(response.document))
        units = last[1]
        return convert_spans(response, lambda span: convert(units, span)) if units.wide else response

    return converted
