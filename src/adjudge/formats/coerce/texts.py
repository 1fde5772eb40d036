"""Where a text has a mention, and where its words begin and end."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left

_WORD = re.compile(r"\w")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "`": "'"})


def cuts_word(text: str, start: int, end: int) -> bool:
    """Whether a span begins or ends inside a word.

    >>> cuts_word("Ada Lovelace", 0, 3), cuts_word("Ada Lovelace", 0, 2)
    (False, True)
    """
    return any(0 < at < len(text) and _WORD.match(text[at - 1]) and _WORD.match(text[at]) for at in (start, end))


def occurrences(text: str, mention: str) -> list[tuple[int, int]]:
    """Where a text has a mention, on the boundaries of words."""
    found = []
    at = text.find(mention) if mention else -1
    while at >= 0:
        end = at + len(mention)
        if not cuts_word(text, at, end):
            found.append((at, end))
        at = text.find(mention, at + 1)
    return found


def folded_occurrences(text: str, mention: str) -> list[tuple[int, int]]:
    """The same without differences of case, spacing, Unicode form and quotation marks."""
    characters, places = _folded(text)
    spots = occurrences(characters, " ".join(fold(mention).split()))
    return [(places[start], places[end - 1] + 1) for start, end in spots]


def same_span(text: str, start: int, end: int, other: str) -> tuple[int, int] | None:
    """Where a span of one text is in another, if they differ in nothing else.

    >>> same_span("Bo met \u201cbo\u201d", 8, 10, 'Bo  met "Bo"'), same_span("Bo met Bo", 7, 9, "Bo left Bo")
    ((9, 11), None)
    """
    own, places = _folded(text)
    theirs, found = _folded(other)
    first, last = bisect_left(places, start), bisect_left(places, end) - 1
    if own.rstrip() != theirs.rstrip() or not first <= last < len(theirs):
        return None
    return found[first], found[last] + 1


def _folded(text: str) -> tuple[str, list[int]]:
    """A text without such differences, and the place of each of its characters."""
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for each in fold(character) if not character.isspace() else " ":
            if each == " " and (not characters or characters[-1] == " "):
                continue
            characters.append(each)
            places.append(place)
    return "".join(characters), places


def fold(text: str) -> str:
    """A text without differences that nobody means."""
    return unicodedata.normalize("NFKC", text).casefold().translate(_QUOTES)
