"""Where a text has a mention, and where its words begin and end."""

from __future__ import annotations

import re
import unicodedata

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
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for each in fold(character) if not character.isspace() else " ":
            if each == " " and characters and characters[-1] == " ":
                continue
            characters.append(each)
            places.append(place)
    places.append(len(text))
    spots = occurrences("".join(characters), " ".join(fold(mention).split()))
    return [(places[start], places[end - 1] + 1) for start, end in spots]


def fold(text: str) -> str:
    """A text without differences that nobody means."""
    return unicodedata.normalize("NFKC", text).casefold().translate(_QUOTES)
