"""Untrusted XML, element by element; nothing that a file asks for is obeyed.

No document type is fetched and nothing is included. A file is refused if it declares or uses entities, declares default
values for attributes (both can grow without end), or nests deeper than any annotation does. The parser is expat rather
than lxml, which knows lines but no columns, and cannot refuse declared values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NoReturn

from adjudge.errors import FormatError, Problem

DEEPEST = 50
DIGITS = 10  # digits of an offset; longer numbers are not offsets
_ENTITY = re.compile(rb"&(?!#|(?:amp|lt|gt|quot|apos);)")
_SHOWN = 80  # characters of a message from Python


class Element:
    """An element with its attributes, its children, its own text, and its position in the file."""

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
        """An attribute; empty if it is missing."""
        return self.attributes.get(name, "").strip()

    def all(self, tag: str) -> Iterator[Element]:
        """Its children with that tag, among others."""
        return (child for child in self.children if child.tag == tag)

    def first(self, *path: str) -> Element | None:
        """The first child with the first tag, its first child with the next tag, and so on.

        >>> read_xml(b"<a><b/><c><d>x</d></c></a>", "f").first("c", "d").text
        'x'
        """
        here: Element | None = self
        for tag in path:
            here = next(here.all(tag), None) if here is not None else None
        return here


def read_xml(data: bytes, place: str) -> Element:
    """The root element of a file.

    >>> read_xml(b"<a><b></a>", "x.xml")
    Traceback (most recent call last):
    adjudge.errors.FormatError: x.xml:1:9: the file is not XML: mismatched tag, check that it is complete
    """
    from xml.parsers import expat

    parser = expat.ParserCreate()
    parser.buffer_text = True
    open_: list[Element] = [Element("", {}, 0, 0)]
    typed = False

    def refusal(message: str, hint: str) -> FormatError:
        return FormatError(Problem(message, place, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1, hint))

    def begun(tag: str, attributes: dict[str, str]) -> None:
        if len(open_) > DEEPEST:
            raise refusal(f"elements are nested more than {DEEPEST} deep", "is this an annotation?")
        if typed and attributes and _uses_entities(data, parser.CurrentByteIndex):
            refuse()
        element = Element(tag, attributes, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)
        open_[-1].children.append(element)
        open_.append(element)

    def doctype(*_: Any) -> None:
        nonlocal typed
        typed = True

    def refuse(*_: Any) -> NoReturn:
        hint = "write the characters themselves; files from others may be an attack"
        raise refusal("the file declares or uses entities, which are not read", hint)

    def declared(element: str, name: str, kind: str, default: str | None, required: bool) -> None:  # noqa: ARG001
        if default is not None:
            what = f"a value for attributes {_short(name)!r} that are not written, which is not read"
            hint = "write the attributes themselves; files from others may be an attack"
            raise refusal(f"the file declares {what}", hint)

    parser.StartElementHandler = begun
    parser.EndElementHandler = lambda _: open_.pop()
    parser.CharacterDataHandler = lambda text: open_[-1].parts.append(text)
    parser.StartDoctypeDeclHandler = doctype
    # Declared entities can grow without end or read other files; annotations have no use for them.
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    parser.SkippedEntityHandler = refuse
    # A long default value that a million elements take grows in the same way.
    parser.AttlistDeclHandler = declared
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        reason = expat.errors.messages.get(error.code, str(error))
        message = f"the file is not XML: {reason}"
        raise FormatError(
            Problem(message, place, error.lineno, error.offset + 1, "check that it is complete")
        ) from None
    except (LookupError, ValueError) as error:  # an encoding that is unknown, or multi-byte
        message = f"the file cannot be decoded: {_short(str(error))}"
        raise FormatError(Problem(message, place, 1, 1, "save it as UTF-8")) from None
    return open_[0].children[0]


def _uses_entities(data: bytes, at: int) -> bool:
    """Whether a tag uses entities: if there is a document type, the parser silently drops unknown ones.

    A tag has no second `<` in it; so the tag is looked at with the text after it, where entities are refused, too.
    """
    end = data.find(b"<", at + 1)
    found = _ENTITY.search(data, at, len(data) if end < 0 else end)
    if found is None:
        return False
    # UTF-16 has a null in each character, other encodings have none.
    return b"\0" not in data[:4] or _ENTITY.search(data[at:end].replace(b"\0", b"")) is not None


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def whole_number(text: str) -> int | None:
    """The whole number that an attribute has; None if it has none.

    >>> whole_number("12"), whole_number("-1"), whole_number("9" * 99)
    (12, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= DIGITS else None
