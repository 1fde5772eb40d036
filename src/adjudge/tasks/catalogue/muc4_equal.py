"""When two values of a template are the same, and when an answer is worth half (the rules of scorer 3.3)."""

from __future__ import annotations

import re
from functools import lru_cache

from adjudge.formats.muc4_slots import Slot
from adjudge.formats.muc4_values import ERROR, Compound, Value

PREMODIFIERS = (
    *("A", "THE", "AN", "THIS", "THAT", "THESE", "THOSE"),
    *("ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN"),
    *(str(number) for number in range(1, 11)),
    *("MORE", "MOST", "MANY", "SEVERAL", "SOME", "ALL", "FEW", "ANY", "ANOTHER", "OTHER", "CERTAIN", "OF"),
)
_PATTERNS = tuple((word, re.compile(word + r"\s+")) for word in PREMODIFIERS)


@lru_cache(maxsize=1 << 16)
def bare(text: str) -> str:
    """A text without premodifiers, wherever they stand before a blank: not only at the start of a word.

    >>> bare('"THE MEN OF THE ELN"'), bare("GUERRILLA GROUP")
    ('"MEN ELN"', 'GUERRILLGROUP')
    """
    for word, pattern in _PATTERNS:
        while word in text:
            shorter = pattern.sub("", text)
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
    if isinstance(key, str) and isinstance(answer, str):
        return ERROR not in (key, answer) and (key == answer or bare(key) == bare(answer))
    if isinstance(answer, Compound) and answer.kind == "optional":
        answer = answer.parts[0]
    if isinstance(key, Compound) and key.kind == "optional":
        return answer is None or same(key.parts[0], answer)
    if key is None or answer is None:
        return key is None and answer is None
    ours = key.parts if isinstance(key, Compound) and key.kind == "or" else None
    theirs = answer.parts if isinstance(answer, Compound) and answer.kind == "or" else None
    if ours is not None and theirs is not None:
        return all(any(same(one, other) for other in theirs) for one in ours) and all(
            any(same(one, other) for one in ours) for other in theirs
        )
    if ours is not None:
        return any(same(one, answer) for one in ours)
    if theirs is not None:
        return any(same(key, other) for other in theirs)
    if isinstance(key, str) or isinstance(answer, str):
        return isinstance(key, str) and isinstance(answer, str) and same(key, answer)
    return (
        key.kind == answer.kind
        and len(key.parts) == len(answer.parts)
        and all(same(one, other) for one, other in zip(key.parts, answer.parts, strict=True))
    )


def half(key: Value, answer: Value, slot: Slot) -> bool:
    """Whether an answer is worth half: it stands above the key in the set, or is its country.

    >>> from adjudge.formats.muc4_slots import muc4_slots
    >>> half("MINE", "EXPLOSIVE", muc4_slots().slots[7]), half("EXPLOSIVE", "MINE", muc4_slots().slots[7])
    (True, False)
    """
    if slot.type == "location":
        return in_country(key, answer)
    return bool(slot.above) and is_above(key, answer, slot)


def is_above(key: Value | None, answer: Value | None, slot: Slot) -> bool:
    """Whether an answer stands above a value of the key in the set of the slot."""
    key, answer = required(key), required(answer)
    if isinstance(key, Compound) and key.kind == "or":
        return any(is_above(part, answer, slot) for part in key.parts)
    if isinstance(answer, Compound) and answer.kind == "or":
        return any(is_above(key, part, slot) for part in answer.parts)
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


def words(value: Value | None) -> set[str]:
    """The words of all texts in a value, without premodifiers.

    >>> sorted(words(Compound("xref", ("DEATH", '"THE MAYOR OF LIMA"'))))
    ['DEATH', 'LIMA', 'MAYOR']
    """
    if value is None:
        return set()
    if isinstance(value, str):
        return set(re.findall(r"[^\s\"]+", bare(value)))
    return set().union(*(words(part) for part in value.parts))
