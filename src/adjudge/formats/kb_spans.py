"""Spans of annotations compared with the text that they are about: checked, put right, or trusted."""

from __future__ import annotations

from html import escape, unescape
from typing import Literal, TypeAlias

from adjudge.errors import Problem
from adjudge.formats.safe_xml import Element
from adjudge.formats.standoff import folded
from adjudge.model.kbp import Span

Offsets: TypeAlias = Literal["check", "fix", "trust"]
NEAR = 200  # characters before and behind, in which the text of a span is looked for


class Spans:
    """Takes the spans of one file and says what is wrong with them.

    With `check` a span outside of the text is a problem and one with another text is counted; with `fix` both are moved
    to the nearest place with the right text; with `trust` the text is not looked at.
    """

    def __init__(self, place: str, text: str | None, offsets: Offsets) -> None:
        self.place = place
        self.text = None if offsets == "trust" else text
        self.offsets = offsets
        self.problems: list[Problem] = []
        self.different: list[int] = []
        self.moved: list[int] = []

    def wrong(self, element: Element, message: str, hint: str) -> None:
        """A problem with an element."""
        self.problems.append(Problem(message, self.place, element.line, element.column, hint))

    def take(self, start: int, end: int, written: str, element: Element) -> Span | None:
        """The half-open span of an element, whose text is said to be `written`."""
        if end <= start:
            self.wrong(element, f"the span from {start} ends before it starts", "correct the offsets")
            return None
        if self.text is None:
            return Span(start, end)
        inside = end <= len(self.text)
        if inside and (not written or same_text(self.text[start:end], written)):
            return Span(start, end)
        if self.offsets == "fix" and written:
            found = nearest(self.text, written, start)
            if found is not None:
                self.moved.append(element.line)
                return found
        if not inside:
            message = f"the span from {start} to {end} ends behind the text of {len(self.text)} characters"
            self.wrong(element, message, "check that the text is the one that was annotated")
            return None
        self.different.append(element.line)
        return Span(start, end)

    def notes(self) -> list[Problem]:
        """How many spans were moved or have another text, with the first line of each."""
        found = []
        if self.moved:
            message = f"{_many(len(self.moved))} moved to the nearest place with the right text"
            found.append(Problem(message, self.place, self.moved[0]))
        if self.different:
            message = f"{_many(len(self.different))} whose text is not the text at that place, the offsets are taken"
            found.append(Problem(message, self.place, self.different[0]))
        return found


def same_text(raw: str, written: str) -> bool:
    """Whether the text of an annotation is what stands in the source, in which `&` may be written as `&amp;`.

    >>> same_text("AT&amp;T  Corp", "AT&T Corp"), same_text("IBM", "ibm")
    (True, False)
    """
    if raw == written:
        return True
    return folded(written) in (folded(raw), folded(unescape(raw)), folded(unescape(raw.replace("&AMP;", "&amp;"))))


def nearest(text: str, written: str, start: int) -> Span | None:
    """The place of a string that is nearest to an offset, at most `NEAR` characters away.

    >>> nearest("Oslo and Oslo", "Oslo", 7)
    Span(start=9, end=13)
    """
    best: Span | None = None
    low = max(0, start - NEAR)
    for form in dict.fromkeys((written, escape(written, quote=False))):
        at = text.find(form, low)
        while 0 <= at <= start + NEAR:
            if best is None or abs(at - start) < abs(best.start - start):
                best = Span(at, at + len(form))
            at = text.find(form, at + 1)
    return best


def _many(count: int) -> str:
    return f"{count} span{'s' * (count != 1)}"
