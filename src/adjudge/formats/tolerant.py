"""JSON as language models write it: a parser that also reads what is nearly JSON, and counts its repairs.

It accepts trailing commas, comments, other quotes, Python literals, bare keys, missing commas, raw control characters,
unknown escapes, NaN, numbers such as `.5`, and values that are cut off. It guesses nothing else: anything not in this
list is malformed. It uses no recursion, and looks at every character a bounded number of times.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Any, NamedTuple, TypeAlias

DEEPEST = 500  # levels of nesting

Token: TypeAlias = tuple[Any, int]

_SPACE = re.compile(r"[ \t\n\r]*+")
_WORD = re.compile(r"[^\W\d][\w$-]*+")
_NUMBER = re.compile(r"[+-]?(?:([0-9]++)(\.?)([0-9]*+)|(\.)[0-9]++)([eE][+-]?[0-9]++)?")
_PART = re.compile(r"[+-]?[0-9.]*+(?:[eE][+-]?)?")
_CLOSING = {'"': '"', "'": "'", "\N{LEFT DOUBLE QUOTATION MARK}": "\N{RIGHT DOUBLE QUOTATION MARK}",
            "\N{LEFT SINGLE QUOTATION MARK}": "\N{RIGHT SINGLE QUOTATION MARK}"}  # fmt: skip
_PLAIN = {quote: re.compile(rf"[^{quote}\\\x00-\x1f]*+") for quote in _CLOSING.values()}
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HEX = re.compile(r"u([0-9a-fA-F]{4})")
_LITERALS = {"true": True, "false": False, "null": None}
_OTHERS = {"True": True, "False": False, "None": None, "undefined": None}
_NANS = ("NaN", "Infinity")
_BRACKETS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[{}\[\]]', re.DOTALL)
_SURROGATES = re.compile("[\ud800-\udfff]")

QUOTES = "".join(_CLOSING)
LITERALS = (*_LITERALS, *_OTHERS, *_NANS)


class Malformed(Exception):
    """The text is not JSON that can be repaired; `at` is how far it was read."""

    reason = "malformed JSON"

    def __init__(self, at: int) -> None:
        super().__init__(self.reason)
        self.at = at


class TooDeep(Malformed):
    """More levels than are read."""

    reason = "nested too deeply"


class _EndOfText(Exception):
    """The text ends inside the value."""


class Tolerated(NamedTuple):
    """A value, its end, how often each kind of repair was made, and how many keys were repeated with other values."""

    value: Any
    end: int
    repaired: Counter[str]
    repeated: int


class _Frame:
    """An object or list being read."""

    __slots__ = ("key", "keyed", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self.key = ""
        self.keyed = isinstance(value, dict)


def read_tolerantly(text: str, start: int = 0) -> Tolerated:
    """The object or list that starts at a position.

    >>> found = read_tolerantly("{'a': [1, 2,], b: tru")
    >>> found.value, dict(found.repaired)
    ({'a': [1, 2]}, {'quotes': 1, 'trailing-comma': 1, 'bare-key': 1, 'truncated': 1})
    """
    return _Tolerant(text, start).read()


class _Tolerant:
    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.at = start
        self.repaired: Counter[str] = Counter()
        self.repeated = 0
        self.open: list[_Frame] = []

    def read(self) -> Tolerated:
        root: list[Any] = []
        try:
            self._enter()
            root = [self.open[0].value]
            while self.open:
                self._member(self.open[-1])
        except _EndOfText:
            self.repaired["truncated"] += 1
            while len(self.open) > 1:
                self._finish()
            return Tolerated(root[0], len(self.text), self.repaired, self.repeated)
        return Tolerated(root[0], self.at, self.repaired, self.repeated)

    def _enter(self) -> None:
        if len(self.open) == DEEPEST:
            raise TooDeep(self.at)
        self.open.append(_Frame({} if self.text[self.at] == "{" else []))
        self.at += 1

    def _finish(self) -> None:
        """Close the innermost object or list, and add it to the one around it."""
        done = self.open.pop().value
        if self.open:
            self._add(self.open[-1], done)

    def _add(self, frame: _Frame, value: Any) -> None:
        if not frame.keyed:
            frame.value.append(value)
            return
        if frame.key in frame.value and frame.value[frame.key] != value:
            self.repeated += 1
        frame.value[frame.key] = value

    def _next(self) -> str:
        """The next character that is neither whitespace nor in a comment."""
        text = self.text
        while True:
            self.at = _SPACE.match(text, self.at).end()  # type: ignore[union-attr]
            here = text[self.at : self.at + 2]
            if not here:
                raise _EndOfText
            if here[0] == "#" or here == "//":
                end = text.find("\n", self.at)
            elif here == "/*":
                end = text.find("*/", self.at + 2)
                end = end + 2 if end >= 0 else end
            else:
                return here[0]
            self.repaired["comment"] += 1
            self.at = end if end >= 0 else len(text)

    def _member(self, frame: _Frame) -> None:
        """One element or member, up to the comma or bracket after it, or into the object or list that it starts."""
        character = self._next()
        closing = "}" if frame.keyed else "]"
        if character == closing:
            self.at += 1
            self._close(frame)
            return
        if frame.keyed:
            frame.key = self._key(character)
            character = self._next()
        if character in "{[":
            self._enter()
            return
        self._add(frame, self._scalar(character))
        self._separator(frame, after=self.text[self.at - 1])

    def _close(self, frame: _Frame) -> None:
        self._finish()
        if self.open:
            self._separator(self.open[-1], after="}" if frame.keyed else "]")

    def _separator(self, frame: _Frame, *, after: str) -> None:
        """What follows a value: a comma, which may be missing, or the closing bracket."""
        character = self._next()
        if character == ",":
            self.at += 1
            if self._next() == ("}" if frame.keyed else "]"):
                self.repaired["trailing-comma"] += 1
            elif self.text[self.at] in ",}]":
                raise Malformed(self.at)
        elif character != ("}" if frame.keyed else "]"):
            ended = after in "}]" or after in _CLOSING.values()
            if not (character in QUOTES if frame.keyed else ended and character in '{["'):
                raise Malformed(self.at)
            self.repaired["missing-comma"] += 1

    def _key(self, character: str) -> str:
        if character in QUOTES:
            key = self._string(character)
        else:
            word = _WORD.match(self.text, self.at)
            if word is None:
                raise Malformed(self.at)
            self.at = word.end()
            if self.at == len(self.text):
                raise _EndOfText
            self.repaired["bare-key"] += 1
            key = word[0]
        if self._next() != ":":
            raise Malformed(self.at)
        self.at += 1
        return key

    def _scalar(self, character: str) -> Any:
        if character in QUOTES:
            return self._string(character)
        word = _WORD.match(self.text, self.at + (character in "+-"))
        return self._number() if word is None else self._literal(word, signed=character in "+-")

    def _literal(self, word: re.Match[str], *, signed: bool) -> Any:
        name = word[0]
        if name in _NANS and (not signed or name == "Infinity"):
            self.repaired["nan"] += 1
        elif name in _OTHERS and not signed:
            self.repaired["literal"] += 1
        elif name not in _LITERALS or signed:
            if word.end() == len(self.text) and any(known.startswith(name) for known in LITERALS):
                raise _EndOfText
            raise Malformed(self.at)
        self.at = word.end()
        return {**_LITERALS, **_OTHERS}.get(name)

    def _number(self) -> Any:
        found = _NUMBER.match(self.text, self.at)
        if found is None or found.end() == len(self.text):
            part = _PART.match(self.text, self.at)
            if part and part[0] and part.end() == len(self.text):  # more digits may follow
                raise _EndOfText
            raise Malformed(self.at)
        whole, point, fraction, bare, exponent = found.groups()
        rest = self.text[found.end() : found.end() + 1]
        if rest.isalnum() or rest in "._$%" or (whole and len(whole) > 1 and whole[0] == "0"):
            if rest and _PART.match(self.text, found.end() - 1).end() == len(self.text):  # type: ignore[union-attr]
                raise _EndOfText
            raise Malformed(found.end())
        if found[0][0] == "+" or bare or (point and not fraction):
            self.repaired["number-form"] += 1
        self.at = found.end()
        return number_of(found[0], self.at, is_whole=not (fraction or bare or exponent))

    def _string(self, opening: str) -> str:
        text, closing = self.text, _CLOSING[opening]
        plain = _PLAIN[closing]
        at = self.at + 1
        pieces: list[str] = []
        if opening != '"':
            self.repaired["quotes"] += 1
        while True:
            found = plain.match(text, at)
            at = found.end()  # type: ignore[union-attr]
            pieces.append(found[0])  # type: ignore[index]
            here = text[at : at + 1]
            if not here:
                raise _EndOfText
            if here == closing:
                self.at = at + 1
                return joined("".join(pieces))
            if here == "\\":
                at = self._escape(at + 1, pieces)
            else:
                self.repaired["control-character"] += 1
                pieces.append(here)
                at += 1

    def _escape(self, at: int, pieces: list[str]) -> int:
        here = self.text[at : at + 1]
        if not here:
            raise _EndOfText
        if here in _ESCAPES:
            pieces.append(_ESCAPES[here])
            return at + 1
        if found := _HEX.match(self.text, at):
            pieces.append(chr(int(found[1], 16)))
            return found.end()
        self.repaired["escape"] += 1
        if here == "'":
            pieces.append("'")
            return at + 1
        pieces.append("\\")
        return at


def number_of(text: str, at: int = 0, *, is_whole: bool = False) -> int | float:
    """A number in an answer; one that is too large to compute with is malformed."""
    try:
        number: int | float = int(text.rstrip(".")) if is_whole else float(text)
    except ValueError:  # more digits than Python can convert
        raise Malformed(at) from None
    if isinstance(number, float) and not math.isfinite(number):
        raise Malformed(at)
    return number


def joined(text: str) -> str:
    """A text with escaped surrogate pairs as the characters they stand for; half a pair becomes U+FFFD.

    >>> joined("\\ud83d\\ude00\\ud83d")
    '😀\ufffd'
    """
    if text.isascii() or not _SURROGATES.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def balanced_end(text: str, start: int) -> int:
    """Where the bracket at a position is closed, ignoring brackets in double quotes; the end of the text if it is not.

    >>> balanced_end('{"a}": [1}] x} y', 0)
    11
    """
    depth = 0
    for found in _BRACKETS.finditer(text, start):
        if len(found[0]) == 1 and found[0] in "{[":
            depth += 1
        elif len(found[0]) == 1 and found[0] in "}]":
            depth -= 1
            if depth == 0:
                return found.end()
    return len(text)
