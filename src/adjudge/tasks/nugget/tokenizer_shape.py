"""The shape of a text: the same length, with every character outside ASCII replaced by one that stands for its kind.

The rules of the tokenizer ask whether something is a letter, a digit or a mark, never which one of the thousands it
is. Rules over the shape are short and quick, and because one character becomes one character, offsets stay what
they are.
"""

from __future__ import annotations

import unicodedata

LOWER, UPPER, MARK, DIGIT, RAISED, LOWERED = "àÀ\u0300\u0660²₂"
"""Stand for a letter that is not upper case, an upper-case letter, a mark on a letter, a digit, a raised and a lowered
digit."""

SYMBOL, PICTURE, TONE, SELECTOR, FLAG, SPACE, BREAK, BLANK = "§☺☻\ufe0f⚑\u2003\x0b\u200b"
"""Stand for a symbol that is a token of its own, a picture (emoji), the tone of its skin, what else changes its look,
half a flag, a space, a line break, and what is invisible."""

_HYPHENS = "\u058a\u2010\u2011"
_KEPT = frozenset(
    "\x80\x85\x91\x92\x93\x94\x96\x97\xa0\xab\xad\xbb"  # what is \x80-\x9f here was meant as windows-1252
    "\u066b\u066c\u2044\u207a\u207b\u208a\u208b"
    "‘’‚‛“”„‟‹›…、\u200d\ufe0f"
)
"""Characters that rules name."""

_SPACES = frozenset(map(chr, (*range(0x2000, 0x200B), 0x3000, 0x202F, 0x205F, 0x1680)))
_BREAKS = frozenset("\x0b\x0c\u2028\u2029")
_NUMBER_SIGNS = range(0x600, 0x606)
_RAISED = frozenset("¹²³⁰⁴⁵⁶⁷⁸⁹")
_LOWERED = frozenset("₀₁₂₃₄₅₆₇₈₉")
_MODIFIERS = range(0x2C2, 0x375)  # spacing modifiers are written as part of words
_SELECTORS, _TONES, _REGIONAL = range(0xFE00, 0xFE10), range(0x1F3FB, 0x1F400), range(0x1F1E6, 0x1F200)


def shape(text: str) -> str:
    """The text with one stand-in for each kind of character.

    >>> shape("Café № ٣")
    'Cafà § ٠'
    """
    if text.isascii() and not _CONTROLS.intersection(text):
        return text
    return text.translate({ord(c): kind(c) for c in set(text) if not " " <= c <= "~"})


_CONTROLS = frozenset(map(chr, range(32))) - frozenset("\t\n\r") | {"\x7f"}


def kind(character: str) -> str:
    """What stands for one character.

    >>> kind("北") == LOWER, kind("É") == UPPER, kind("‘"), kind("€") == SYMBOL
    (True, True, '‘', True)
    """
    if character in _KEPT or " " <= character <= "~" or character in "\t\n\r":
        return character
    if character in _HYPHENS:
        return "\u2010"
    if character in _SPACES:
        return SPACE
    if character in _BREAKS:
        return BREAK
    if character in _RAISED:
        return RAISED
    if character in _LOWERED:
        return LOWERED
    category = unicodedata.category(character)
    code = ord(character)
    if category[0] == "L" or category == "Nl":
        return UPPER if character.isupper() else LOWER
    if category == "Nd":
        return DIGIT
    if code in _SELECTORS:
        return SELECTOR
    if category[0] == "M" or code in _MODIFIERS:
        return MARK
    if code in _TONES or code in _REGIONAL:
        return TONE if code in _TONES else FLAG
    if category in ("Cc", "Zs", "Zl", "Zp") or (category == "Cf" and code not in _NUMBER_SIGNS):
        return BLANK
    return PICTURE if code > 0xFFFF and category in ("So", "Sk") else SYMBOL
