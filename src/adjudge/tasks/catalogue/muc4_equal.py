"""When two values of a template are the same, and when an answer is worth half (the rules of scorer 3.3)."""

from __future__ import annotations

import re
from functools import lru_cache

from adjudge.formats.muc4_slots import ERROR, Compound, Slot, Value

PREMODIFIERS = (
    *("A", "THE", "AN", "THIS", "THAT", "THESE", "THOSE"),
    *("ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN"),
    *(str(number) for number in range(1, 11)),
    *("MORE", "MOST", "MANY", "SEVERAL", "SOME", "ALL", "FEW", "ANY", "ANOTHER", "OTHER", "CERTAIN", "OF"),
)
_BLANK = re.compile(r"\s")
_PATTERNS = tuple((word, re.compile(word + r"\s+")) for word in PREMODIFIERS)


@lru_cache(maxsize=1 << 16)
def bare(text: str) -> str:
    """A text without premodifiers, wherever they stand before a blank: not only at the start of a word.

    >>> bare('"THE MEN OF THE ELN"'), bare("GUERRILLA GROUP")
    ('"MEN ELN"', 'GUERRILLGROUP')
    """
    if not _BLANK.search(text):
        return text
    for word, pattern in _PATTERNS:
        while word in text:
            shorter = "".join(pattern.split(text))
            if shorter == text:
                break
            text = shorter
    return text


def same(key: Value | None, answer: Value | None) -> bool:
    """Whether an answer equals a value of the key.

    >>> same('"BOMB"', '"A BOMB"'), same("BOMB", '"BOMB"')
    (True, False)
    >>> same(Compound("or", ("A1", "B1")), "B1"), same(Compound("optional", ("A1",)), None)
    (True, True)
    """
    if isinstance(key, str):
        if isinstance(answer, str):
            return key != ERROR != answer and (key == answer or bare(key) == bare(answer))
        if answer is None:
            return False
        if answer.kind == "or":
            return any(same(key, other) for other in answer.parts)
        return answer.kind == "optional" and same(key, answer.parts[0])
    if key is None:
        return answer is None
    kind = key.kind
    if kind == "or":
        if isinstance(answer, Compound) and answer.kind == "or":
            return all(any(same(one, other) for other in answer.parts) for one in key.parts) and all(
                any(same(one, other) for one in key.parts) for other in answer.parts
            )
        return any(same(one, answer) for one in key.parts)
    if kind == "optional":
        return answer is None or same(key.parts[0], required(answer))
    if not isinstance(answer, Compound):
        return False
    if answer.kind == "or":
        return any(same(key, other) for other in answer.parts)
    return kind == answer.kind and len(key.parts) == len(answer.parts) and all(map(same, key.parts, answer.parts))


def half(key: Value, answer: Value, slot: Slot) -> bool:
    """Whether an answer is worth half: it stands above the key in the set, or is its country.

    >>> from adjudge.formats.muc4_slots import muc4_slots
    >>> half("MINE", "EXPLOSIVE", muc4_slots().scored[5]), half("EXPLOSIVE", "MINE", muc4_slots().scored[5])
    (True, False)
    """
    if slot.type == "location":
        return in_country(key, answer)
    return bool(slot.above) and is_above(key, answer, slot)


def is_above(key: Value | None, answer: Value | None, slot: Slot) -> bool:
    """Whether an answer stands above a value of the key in the set of the slot."""
    key, answer = required(key), required(answer)
    return isinstance(key, str) and isinstance(answer, str) and answer in slot.above.get(key, ())


def in_country(key: Value | None, answer: Value | None) -> bool:
    """Whether the country of an answer is the country of the key."""
    key, answer = required(key), required(answer)
    if isinstance(key, Compound) and key.kind == "or":
        return any(in_country(part, answer) for part in key.parts)
    country = answer.parts[0] if isinstance(answer, Compound) and answer.kind == "location" else answer
    return isinstance(key, Compound) and key.kind == "location" and same(key.parts[0], country)


def required(value: Value | None) -> Value | None:
    """A value without its mark of being optional."""
    return value.parts[0] if isinstance(value, Compound) and value.kind == "optional" else value


def is_optional(value: Value | None) -> bool:
    """Whether a value may be left out."""
    return isinstance(value, Compound) and value.kind == "optional"


def words(value: Value | None) -> frozenset[str]:
    """The words of all texts in a value, without premodifiers.

    >>> sorted(words(Compound("xref", ("DEATH", '"THE MAYOR OF LIMA"'))))
    ['DEATH', 'LIMA', 'MAYOR']
    """
    if value is None:
        return frozenset()
    if isinstance(value, str):
        return _words(value)
    return frozenset().union(*(words(part) for part in value.parts))


@lru_cache(maxsize=1 << 16)
def _words(text: str) -> frozenset[str]:
    return frozenset(bare(text).replace('"', " ").split())
