"""Penn Treebank tokens as offsets into the text: nothing is rewritten and nothing is lost.

The conventions are those of the tokenizer of Stanford CoreNLP 3.4 with its default options, which made the token tables
of the event nugget evaluations; `docs/nugget-tokenizer.md` lists where this one knowingly differs.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib.resources import files

from adjudge.tasks.nugget import tokenizer_rules as rules

Place = tuple[int, int]

_NEXT = re.compile(rf"{rules.BLANK}({rules.PLAIN}|)")
_TWO_WORDS = frozenset(("cannot", "gonna", "gotta", "lemme", "gimme", "wanna"))
_BEFORE_LIMITED = frozenset(("co", "pte", "pty"))  # as in Co. Ltd.
_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyzàÀ\u0300\xad")
_DIGITS = frozenset("0123456789\u0660")


def tokenize(text: str) -> list[Place]:
    """Begin and end of each token, in order.

    >>> text = "He can't pay $5 to Mr. Li's ex-partner."
    >>> [text[begin:end] for begin, end in tokenize(text)]
    ['He', 'ca', "n't", 'pay', '$', '5', 'to', 'Mr.', 'Li', "'s", 'ex-partner', '.']
    """
    form = shape(text)
    far = _Far(form)
    places: list[Place] = []
    end, size, quick, add = 0, len(form), _NEXT.match, places.append
    while found := quick(form, end):
        begin, end = found.span(1)
        if begin == end:
            if begin == size:
                break
            end = _end(form, begin, far)
        elif 4 < end - begin < 7 and form[begin:end].lower() in _TWO_WORDS:
            end = _end(form, begin, far)
        add((begin, end))
    return places


def _end(form: str, begin: int, far: _Far) -> int:
    """Where the token ends that begins here: the rule that reaches farthest decides."""
    first = form[begin]
    reach = end = begin + 1
    if first in _LETTERS:
        simple = rules.SIMPLE.match(form, begin)
        if simple and simple[0].lower() not in _TWO_WORDS:
            reach = end = simple.end()
        else:
            spans = _spans(rules.LETTER_RULES, form, begin)
            reach, end = _farthest(spans[: rules.NAMES], reach, end)
            farther, stop = _abbreviation(form, begin, far)
            if farther > reach:
                reach, end = farther, stop
            reach, end = _farthest(spans[rules.NAMES :], reach, end)
    elif first in _DIGITS:
        reach, end = _farthest(_spans(rules.DIGIT_RULES, form, begin), reach, end)
    elif pattern := rules.SIGN_RULES.get(first):
        reach, end = _farthest(_spans(pattern, form, begin), reach, end)
    other = far.end(begin, first)
    return other if other > reach else end


def _spans(pattern: re.Pattern[str], form: str, begin: int) -> tuple[Place, ...]:
    """For each rule where its token is, and where what must follow it ends; -1 if it does not hold."""
    found = pattern.match(form, begin)
    return found.regs[1:] if found else ()


def _farthest(spans: tuple[Place, ...], reach: int, end: int) -> Place:
    """How far the farthest of some rules reaches if it is farther than `reach`, and where its token ends."""
    for place in range(1, len(spans), 2):
        if spans[place][1] > reach:
            reach, end = spans[place][1], spans[place - 1][1]
    return reach, end


def _abbreviation(form: str, begin: int, far: _Far) -> Place:
    """How far an abbreviation and what decides about its period reach, and where the token ends."""
    found = rules.ABBREVIATED.match(form, begin)
    word = found[1] if found else ""
    kind = _kind(word)
    if found and kind == "":
        found = rules.INITIALS.match(form, begin)
    if found is None:
        return begin, begin
    end = found.end()
    after = _run(rules.GAP, form, end)
    if kind == "always":
        return end, end
    if kind == "before-number":
        after = _run(rules.ONE_GAP, form, end)
        return (after + 1, end) if form[after : after + 1] in _DIGITS else (begin, begin)
    if kind == "unless-last":
        if word.lower() in _BEFORE_LIMITED and form[end : end + 4].lower() == " ltd":
            return end + 4, end
        second = _run(rules.GAP, form, after)
        if end < after < second:
            return second, end - 1
        if end < after and form[after : after + 1] in rules.UPPER_CASE:
            return after + 1, end - 1
        tag = far.tag(after) if end < after else after
        if tag > after:
            return tag, end - 1
        # Two characters must follow, else this is the end of the text.
        return (end + 2, end) if end + 2 <= len(form) else (end, end - 1)
    if after > end:  # initials, which end a sentence only if the next word shows it
        follower = _run(rules.GAPS, form, after)
        opening = rules.OPENING.match(form, follower)
        if opening:
            return opening.end(), end - 1
        tag = far.tag(follower)
        if tag > follower and (last := _run(rules.GAP, form, tag)) > tag:
            return last, end - 1
    return end, end


def _run(pattern: re.Pattern[str], form: str, begin: int) -> int:
    """Where the match of a pattern ends."""
    found = pattern.match(form, begin)
    return found.end() if found else begin


def _kind(word: str) -> str:
    """The behaviour of an abbreviation; empty if it is none."""
    kinds = _abbreviations()
    return kinds.get(word.lower(), "") or (kinds.get(word.capitalize(), "") if word[:1].isupper() else "")


@cache
def _abbreviations() -> dict[str, str]:
    kinds: dict[str, str] = {}
    kind = ""
    for line in (files(__package__) / "tokenizer_abbreviations.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            kind = line.strip("[]")
        elif not line.startswith("#"):
            kinds.update(dict.fromkeys(line.split(), kind))
    return kinds


class _Far:
    """Tokens for which one must look far ahead: tags, mail addresses, words such as U.S.-led.

    What was seen is cached, so that the same text is not scanned again from each token in it.
    """

    def __init__(self, form: str) -> None:
        self.form = form
        self.closed = self.mailed = self.dotted = -1  # up to where the last look reached
        self.at = -1  # the last @ on its way that may be part of an address

    def end(self, begin: int, first: str) -> int:
        """The end of the longest such token that begins here, else `begin`."""
        if first == "<":
            return max(self.tag(begin), self.mail(begin + 1))
        if first == "&":
            return self.mail(begin + 4) if self.form.startswith("&lt;", begin) else begin
        if first.isascii() and first.isalnum():
            return max(self.hyphenated(begin), self.mail(begin))
        return begin

    def tag(self, begin: int) -> int:
        """The end of a tag."""
        if (end := _run(rules.ELEMENT, self.form, begin)) > begin:
            return end
        if not rules.DECLARED.match(self.form, begin):
            return begin
        if begin >= self.closed:
            self.closed = _run(rules.TO_BRACKET, self.form, begin)
        return self.closed + 1 if self.form.startswith(">", self.closed) else begin

    def mail(self, begin: int) -> int:
        """The end of a mail address, which begins with a letter or digit."""
        if begin >= self.mailed:
            self.mailed = _run(rules.ADDRESS_RUN, self.form, begin)
            self.at = max((found.start() for found in rules.AT.finditer(self.form, begin, self.mailed)), default=-1)
        if not (begin < self.at and self.form[begin].isascii() and self.form[begin].isalnum()):
            return -1
        return _run(rules.DOMAIN, self.form, self.at + 1)

    def hyphenated(self, begin: int) -> int:
        """The end of words joined by hyphens of which one has periods or commas."""
        if begin >= self.dotted:
            self.dotted = _run(rules.DOTTED, self.form, begin)
        end = _run(rules.DOTTED_PARTS, self.form, self.dotted)
        return end if end > self.dotted else begin


# ---------------------------------------------------------------------------------------------------------------------
# The shape of a text: the same length, with every character outside ASCII replaced by one that stands for its kind
#
# The rules of the tokenizer ask whether something is a letter, a digit or a mark, never which one of the thousands it
# is. Rules over the shape are short and quick, and because one character becomes one character, offsets stay what
# they are.


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
