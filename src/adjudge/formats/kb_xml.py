"""XML of annotations as a tree in which every element knows its line; nothing that the file asks for is obeyed.

A document type is not fetched, a file that declares or uses entities of its own is refused, and so is one that nests
deeper than any annotation does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

from adjudge.errors import FormatError, Problem

DEEPEST = 50
DIGITS = 10  # of an offset; more are no place in any text


class Element:
    """An element with its attributes, its children, its own text, and its place in the file."""

    __slots__ = ("attributes", "children", "column", "line", "parts", "tag")

    def __init__(self, tag: str, attributes: dict[str, str], line: int, column: int) -> None:
        self.tag = tag
        self.attributes = attributes
        self.children: list[Element] = []
        self.parts: list[str] = []
        self.line = line
        self.column = column

    @property
    def text(self) -> str:
        """The characters directly in it."""
        return "".join(self.parts)

    def get(self, name: str) -> str:
        """An attribute, empty if it is not there."""
        return self.attributes.get(name, "").strip()

    def all(self, tag: str) -> Iterator[Element]:
        """Its children with that tag, wherever among the others they are."""
        return (child for child in self.children if child.tag == tag)

    def first(self, *path: str) -> Element | None:
        """The first child with the first tag, in it the first with the next one, and so on.

        >>> read_xml(b"<a><b/><c><d>x</d></c></a>", "f").first("c", "d").text
        'x'
        """
        here: Element | None = self
        for tag in path:
            here = next(here.all(tag), None) if here is not None else None
        return here


def read_xml(data: bytes, place: str) -> Element:
    """The first element of a file.

    >>> read_xml(b"<a><b></a>", "x.xml")
    Traceback (most recent call last):
    adjudge.errors.FormatError: x.xml:1:9: the file is not XML: mismatched tag, check that it is whole
    """
    from xml.parsers import expat

    parser = expat.ParserCreate()
    parser.buffer_text = True
    open_: list[Element] = []
    roots: list[Element] = []

    def where() -> tuple[int, int]:
        return parser.CurrentLineNumber, parser.CurrentColumnNumber + 1

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, *where())
        if len(open_) >= DEEPEST:
            raise _Refused(f"elements are nested more than {DEEPEST} deep", "is this an annotation?")
        (open_[-1].children if open_ else roots).append(element)
        open_.append(element)

    def end(_: str) -> None:
        open_.pop()

    def characters(text: str) -> None:
        if open_:
            open_[-1].parts.append(text)

    def refuse(*_: Any) -> NoReturn:
        hint = "write the characters themselves; files from others may be an attack"
        raise _Refused("the file declares or uses entities, which are not read", hint)

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    # Declared entities can grow without end or read other files; an annotation has no use for them.
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    parser.SkippedEntityHandler = refuse
    try:
        parser.Parse(data, True)
    except _Refused as refused:
        raise FormatError(Problem(refused.message, place, *where(), refused.hint)) from None
    except expat.ExpatError as error:
        reason = expat.errors.messages.get(error.code, str(error))
        message = f"the file is not XML: {reason}"
        raise FormatError(Problem(message, place, error.lineno, error.offset + 1, "check that it is whole")) from None
    except (LookupError, ValueError) as error:  # an encoding that Python does not know, or that has several bytes
        raise FormatError(Problem(f"the file cannot be decoded: {error}", place, 1, 1, "save it as UTF-8")) from None
    return roots[0]


def whole_number(text: str) -> int | None:
    """A number of an attribute, None if it is none.

    >>> whole_number("12"), whole_number("-1"), whole_number("9" * 99)
    (12, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= DIGITS else None


class _Refused(Exception):
    """The file wants more than to be read."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message, self.hint = message, hint
