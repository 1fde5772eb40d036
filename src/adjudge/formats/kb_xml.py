"""XML of annotations as a tree in which every element knows its line."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.formats.safe_xml import walk

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
    open_: list[Element] = []
    roots: list[Element] = []

    def start(tag: str, attributes: dict[str, str], where: tuple[int, int]) -> None:
        element = Element(tag, attributes, *where)
        (open_[-1].children if open_ else roots).append(element)
        open_.append(element)

    def end(_: str) -> None:
        open_.pop()

    def characters(text: str) -> None:
        if open_:
            open_[-1].parts.append(text)

    walk(data, place, start=start, end=end, characters=characters)
    return roots[0]


def whole_number(text: str) -> int | None:
    """A number of an attribute, None if it is none.

    >>> whole_number("12"), whole_number("-1"), whole_number("9" * 99)
    (12, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= DIGITS else None
