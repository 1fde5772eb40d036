"""The value of a filler of MUC-4: what stands on one line of a template, taken apart.

A value is a text, or a `Compound` of other values: alternatives, an optional filler, a value with a cross-reference,
a range, a place. Quoted strings keep their quotes, because `"X"` is text of the message and `X` is not.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["or", "optional", "xref", "range", "location", "qualified", "between"]
SlotType: TypeAlias = Literal["message", "template", "string", "set", "number", "date", "location", "text"]

ERROR = "<ERROR>"
DEPTH = 50  # far more than any place needs
BLANKS = frozenset(("", "-", "*"))


class Compound(NamedTuple):
    """A value made of others; None is the missing end of a range."""

    kind: Kind
    parts: tuple[Value | None, ...]

    def __str__(self) -> str:
        return show(self)


Value: TypeAlias = "str | Compound"

_QUOTED = re.compile(r'"[^"\\]*"')
# A hyphen with blanks around it (or at an end) is the mark of a range; any other one belongs to the text.
_TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|([/:()])|([^"/:()]+))')
_RANGED = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|([/:()]|-(?=[\s)]|$))|((?:[^\s"/:()]|\s++(?!-(?:[\s)]|$)))+))')


class Malformed(Exception):
    """A filler does not follow the syntax; `at` is the place in its text."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.message = message
        self.at = at


def parse_filler(text: str, slot: SlotType) -> Value | None:
    """The value of one line, or None if it is blank.

    >>> parse_filler('BOMB / MINE: "A BOMB"', "set")
    Compound(kind='xref', parts=(Compound(kind='or', parts=('BOMB', 'MINE')), '"A BOMB"'))
    >>> print(parse_filler("? - 25 MAY 89", "date"))
    ? - 25 MAY 89
    """
    text = text.strip()
    if text in BLANKS:
        return None
    if text[0] == "?":
        inner = text[1:].strip()
        if inner in BLANKS:
            return None
        return Compound("optional", (_parse(inner, slot, len(text) - len(inner)),))
    return _parse(text, slot, 0)


def _parse(text: str, slot: SlotType, offset: int) -> Value:
    if slot == "text":
        return text
    if slot in ("string", "set") and (_QUOTED.fullmatch(text) or not any(mark in text for mark in '"/:()')):
        return text  # most fillers are one quoted string, or plain words of a set
    tokens = _tokens(_TOKEN, text, offset)
    if slot in ("date", "location") or (slot == "number" and not any(kind == ":" for kind, _, _ in tokens)):
        tokens = _tokens(_RANGED, text, offset)
    _check_depth(tokens)
    parser = _Parser(tokens, slot, offset + len(text))
    value = parser.value()
    parser.finish()
    return value


def _tokens(pattern: re.Pattern[str], text: str, offset: int) -> list[tuple[str, str, int]]:
    found: list[tuple[str, str, int]] = []
    at = 0
    while at < len(text):
        match = pattern.match(text, at)
        if match is None:
            if not text[at:].strip():
                break
            raise Malformed("a quotation mark is not closed", offset + at)
        quoted, mark, word = match.groups()
        at = match.end()
        if quoted is not None:
            found.append(("text", quoted, offset + match.start(1)))
        elif mark is not None:
            found.append((mark, mark, offset + match.start(2)))
        elif word.strip():
            found.append(("text", word.strip(), offset + match.start(3)))
    return found


def _check_depth(tokens: list[tuple[str, str, int]]) -> None:
    depth = 0
    for kind, _, at in tokens:
        depth += (kind == "(") - (kind == ")")
        if depth > DEPTH:
            raise Malformed(f"parentheses are nested more than {DEPTH} deep", at)


class _Parser:
    """A recursive descent over the tokens of one filler."""

    def __init__(self, tokens: list[tuple[str, str, int]], slot: SlotType, end: int) -> None:
        self.tokens = tokens
        self.slot = slot
        self.end = end
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def place(self) -> int:
        return self.tokens[self.at][2] if self.at < len(self.tokens) else self.end

    def take(self, kind: str) -> str:
        if self.peek() != kind:
            what = self.tokens[self.at][1] if self.at < len(self.tokens) else "the end of the line"
            wanted = "a value" if kind == "text" else kind
            raise Malformed(f"expected {wanted}, got {what}", self.place())
        self.at += 1
        return self.tokens[self.at - 1][1]

    def finish(self) -> None:
        if self.at < len(self.tokens):
            raise Malformed(f"{self.tokens[self.at][1]} does not belong here", self.place())

    def value(self) -> Value:
        """A whole filler, or what stands between parentheses."""
        if self.slot == "location":
            return self._locations()
        first = self._alternatives()
        if self.peek() == ":" and self.slot in ("string", "set", "number"):
            self.at += 1
            return Compound("xref", (first, self._alternatives()))
        return first

    def _alternatives(self) -> Value:
        parts = [self._term()]
        while self.peek() == "/":
            self.at += 1
            parts.append(self._term())
        return parts[0] if len(parts) == 1 else Compound("or", tuple(parts))

    def _term(self) -> Value:
        if self.peek() == "(":
            self.at += 1
            inner = self.value()
            self.take(")")
            return inner
        if self.slot in ("date", "number"):
            return self._range()
        return self.take("text")

    def _range(self) -> Value:
        low = self.take("text") if self.peek() == "text" else None
        if self.peek() != "-":
            return low if low is not None else self.take("text")
        self.at += 1
        high = self.take("text") if self.peek() == "text" else None
        if low is None and high is None:
            return "-"
        return Compound("range", (low, high))

    def _locations(self) -> Value:
        parts = [self._location()]
        while self.peek() == "/":
            self.at += 1
            parts.append(self._location())
        return parts[0] if len(parts) == 1 else Compound("or", tuple(parts))

    def _location(self) -> Value:
        parts: list[Value] = [self._place()]
        while self.peek() == ":":
            self.at += 1
            parts.append(self._place())
        return parts[0] if len(parts) == 1 else Compound("location", tuple(parts))

    def _place(self) -> Value:
        first = self._one_place()
        if self.peek() != "-":
            return first
        self.at += 1
        return Compound("between", (first, self._one_place()))

    def _one_place(self) -> Value:
        if self.peek() == "(":
            self.at += 1
            inner = self._locations()
            self.take(")")
            return inner
        name = self.take("text")
        if self.peek() != "(":
            return name
        self.at += 1
        kind = self.take("text")
        self.take(")")
        return Compound("qualified", (name, kind))


def show(value: Value | None) -> str:
    """A value as it is written in a template.

    >>> show(Compound("location", ("PERU", Compound("qualified", ("LIMA", "CITY")))))
    'PERU: LIMA (CITY)'
    """
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    parts = [_inner(part, value.kind) if part is not None else "" for part in value.parts]
    if value.kind == "or":
        return " / ".join(parts)
    if value.kind == "optional":
        return f"? {parts[0]}"
    if value.kind == "qualified":
        return f"{parts[0]} ({parts[1]})"
    if value.kind in ("range", "between"):
        return " - ".join(parts).strip()
    return ": ".join(parts)


def _inner(part: Value, outer: Kind) -> str:
    nested = isinstance(part, Compound) and outer == "or" and part.kind not in ("qualified", "optional")
    return f"({show(part)})" if nested else show(part)
