"""What readers of standoff annotation have in common: order, offsets, lines, clusters."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

from adjudge.errors import Problem, UsageError
from adjudge.formats.source import Source, decode, read_bytes
from adjudge.model.graph import closed
from adjudge.model.nugget import Nugget, NuggetDocument, Piece, Relation

T = TypeVar("T", bound=Hashable)

ORDERS = ("id", "file")
UNITS = ("code-points", "utf-16")

_BREAK = re.compile("[\t\n\r\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")
_LINE = re.compile("[^\r\n]+")
_NUMBER = re.compile("([0-9]+)")
_PLACE = re.compile(r"(.*\S)\s*:\s*([0-9]{1,10})\s*[-\u2010-\u2014]\s*([0-9]{1,10})", re.ASCII | re.DOTALL)
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


def natural(text: str) -> tuple[object, ...]:
    """A sort key that orders numbers inside names by their value.

    >>> sorted(["E10", "E9", "E1a2", "E1"], key=natural)
    ['E1', 'E1a2', 'E9', 'E10']
    """
    parts = _NUMBER.split(text)
    # The number of digits comes before the digits, so that no number is too long to compare.
    key = [(len(part.lstrip("0")), part.lstrip("0")) if place % 2 else part for place, part in enumerate(parts)]
    return tuple(key), text


def plain(text: str) -> str:
    r"""Text fit for a column of a line: every tab and line break becomes a blank.

    >>> plain("took\tpart\n")
    'took part '
    """
    return _BREAK.sub(" ", text)


def covered(text: str, pieces: Iterable[Piece]) -> str:
    """The text of the pieces, joined by blanks and fit for one column.

    >>> covered("made her way", [(0, 4), (9, 12)])
    'made way'
    """
    return plain(" ".join(text[begin:end] for begin, end in pieces))


def split_lines(pieces: Iterable[Piece], text: str) -> tuple[Piece, ...]:
    r"""The pieces cut at line breaks, which belong to none of them.

    >>> split_lines([(0, 9)], "shot\ndown")
    ((0, 4), (5, 9))
    """
    return tuple(
        (found.start(), found.end()) for begin, end in pieces for found in _LINE.finditer(text, begin, max(begin, end))
    )


def code_points(text: str) -> list[int] | None:
    r"""The code point offset of each UTF-16 offset, -1 inside a character; None if they are all the same.

    >>> code_points("a\U0001f600b"), code_points("ab")
    ([0, 1, -1, 2, 3], None)
    """
    if not _ASTRAL.search(text):
        return None
    offsets: list[int] = []
    for place, character in enumerate(text):
        offsets += (place, -1) if character > "\uffff" else (place,)
    return [*offsets, len(text)]


class MisplacedError(Exception):
    """Why a text has no such place, and the remedy."""


class Offsets:
    """The text of annotations and the units of their offsets; gives places in code points."""

    def __init__(self, text: str | None, units: str, place: str) -> None:
        if units == "utf-16" and text is None:
            message = "UTF-16 offsets cannot be read without the text"
            raise UsageError(Problem(message, path=place, hint="give the text"))
        self.text = text
        self._points = code_points(text) if units == "utf-16" and text is not None else None

    def piece(self, begin: int, end: int, what: str) -> Piece:
        """A piece in code points; `what` is its name in messages.

        >>> Offsets("a\U0001f600b", "utf-16", "x").piece(1, 3, "it")
        (1, 2)
        """
        size = end if self.text is None else len(self.text) if self._points is None else len(self._points) - 1
        if end > size:
            hint = "check that the text is the one that was annotated"
            raise MisplacedError(f"{what} ends beyond the text of {size} characters", hint)
        if self._points is not None:
            begin, end = self._points[begin], self._points[end]
            if begin < 0 or end < 0:
                message = f"{what} begins or ends inside a character"
                raise MisplacedError(message, "check that the offsets are UTF-16 units")
        return begin, end

    def seem_utf16(self, pieces: Sequence[Piece], written: str) -> bool:
        """Whether a text that is not at its place would be there if offsets counted UTF-16 units."""
        points = code_points(self.text) if self.text is not None and self._points is None else None
        if self.text is None or points is None or any(end >= len(points) for _, end in pieces):
            return False
        return folded(covered(self.text, [(points[begin], points[end]) for begin, end in pieces])) == folded(written)


def in_order(nuggets: Sequence[Nugget], order: str) -> list[Nugget]:
    """Nuggets in the natural order of their ids, or as they are in the file."""
    return sorted(nuggets, key=lambda nugget: natural(nugget.id)) if order == "id" else list(nuggets)


def with_clusters(
    document: NuggetDocument, links: Iterable[Sequence[str]], others: Iterable[Relation]
) -> list[Relation]:
    """The clusters of a document, C0 and so on, and its other relations."""
    from adjudge.model.nugget import COREFERENCE

    clusters = closed(links, [nugget.id for nugget in document.nuggets])
    return [*(Relation(COREFERENCE, f"C{number}", group) for number, group in enumerate(clusters)), *others]


def folded(text: str) -> str:
    """Text with each run of whitespace as one blank, to compare what is written in two places.

    >>> folded(" three\\n  men")
    'three men'
    """
    return " ".join(text.split())


def parse_place(text: str) -> tuple[str, int, int] | None:
    """The document and the half-open span of `document:first-last`; blanks and long dashes are allowed.

    >>> parse_place("d1:0-2"), parse_place("d1:5-2")
    (('d1', 0, 3), None)
    """
    match = _PLACE.fullmatch(text.strip())
    if match is None or int(match[3]) < int(match[2]):
        return None
    return match[1], int(match[2]), int(match[3]) + 1


def write_place(document: str, start: int, end: int) -> str:
    """The inverse of `parse_place`.

    >>> write_place("d1", 0, 3)
    'd1:0-2'
    """
    return f"{document}:{start}-{end - 1}"


def read_source_text(source: Source, place: str) -> str:
    """The annotated text with every character as it is: line ends and a byte-order mark count as well."""
    return decode(read_bytes(source, place), place)
