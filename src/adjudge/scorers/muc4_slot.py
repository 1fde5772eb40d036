"""When two values of a template match, and when an answer gets half credit (the rules of scorer 3.3)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from adjudge.formats.muc4 import Decision
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
    """Whether an answer gets half credit: it is above the key in the set, or is its country.

    >>> from adjudge.formats.muc4_slots import muc4_slots
    >>> half("MINE", "EXPLOSIVE", muc4_slots().scored[5]), half("EXPLOSIVE", "MINE", muc4_slots().scored[5])
    (True, False)
    """
    if slot.type == "location":
        return in_country(key, answer)
    return bool(slot.above) and is_above(key, answer, slot)


def is_above(key: Value | None, answer: Value | None, slot: Slot) -> bool:
    """Whether an answer is above a value of the key in the set of the slot."""
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


# ---------------------------------------------------------------------------------------------------------------------
# Slots


Outcome: TypeAlias = Literal["correct", "partial"]
TagStatus: TypeAlias = Literal["same", "match", "partial", "fail"]
Entries: TypeAlias = Mapping[str, Sequence[Decision]]  # the decisions for one key template, by slot


class Tally(NamedTuple):
    """Counts of one slot; `decided` and `decided_partial` are the correct and partial ones decided by people.

    `chances` is the number of wrong values of the set that could have been given, for fallout.
    """

    correct: int = 0
    partial: int = 0
    incorrect: int = 0
    decided: int = 0
    decided_partial: int = 0
    spurious: int = 0
    missing: int = 0
    blank: int = 0
    chances: int = 0

    @property
    def possible(self) -> int:
        """What the key asks for."""
        return self.correct + self.partial + self.incorrect + self.missing

    @property
    def actual(self) -> int:
        """What the response gives."""
        return self.correct + self.partial + self.incorrect + self.spurious


class Link(NamedTuple):
    """A key, the answer found for it, and the outcome."""

    outcome: Outcome
    key: Value
    answer: Value
    decided: bool = False


class Judged(NamedTuple):
    """The counts of a slot, the keys and answers without a partner, and the pairs."""

    tally: Tally
    keys: Sequence[Value]
    answers: Sequence[Value]
    links: Sequence[Link]


class Verdict(NamedTuple):
    """The automatic verdict on an answer; it uses up the keys at the places `keys`, perhaps none."""

    outcome: Outcome
    keys: tuple[int, ...]
    decided: bool = False


def judge(slot: Slot, keys: Sequence[Value], answers: Sequence[Value], entries: Entries) -> Judged:
    """The outcome of the answers of one slot.

    >>> from adjudge.formats.muc4_slots import muc4_slots
    >>> judge(muc4_slots().scored[2], ["BOMBING"], ["ATTACK"], {}).tally.partial
    1
    """
    if len(keys) <= 1 and len(answers) <= 1:
        return _single(slot, keys, answers, entries)
    return _several(slot, keys, answers, entries)


def _single(slot: Slot, keys: Sequence[Value], answers: Sequence[Value], entries: Entries) -> Judged:
    if not answers or not keys:
        given = keys or answers
        if not given or is_optional(given[0]):
            return Judged(Tally(blank=1, chances=_chances(slot, ())), keys, answers, ())
        tally = Tally(missing=len(keys), spurious=len(answers), chances=_chances(slot, keys))
        return Judged(tally, keys, answers, ())
    key, answer = keys[0], answers[0]
    chances = _chances(slot, keys)
    if same(key, answer):
        return Judged(Tally(correct=1, chances=chances), (), (), (Link("correct", key, answer),))
    verdict = automatic(slot, [required(key) or key], answer, entries)
    if verdict is None and slot.type == "set" and _set_credit(slot, key, answer):
        verdict = Verdict("partial", (0,))
    if verdict is not None:
        right, decided = verdict.outcome == "correct", int(verdict.decided)
        tally = Tally(int(right), int(not right), 0, decided * right, decided * (not right), chances=chances)
        return Judged(tally, (), (), (Link(verdict.outcome, key, answer, verdict.decided),))
    return Judged(Tally(incorrect=1, chances=chances), keys, answers, ())


def _set_credit(slot: Slot, key: Value, answer: Value) -> bool:
    """Half credit for a set whose key has a reference: the value without a reference, or a value above."""
    key, answer = required(key) or "", required(answer) or ""
    if not (isinstance(key, Compound) and key.kind == "xref"):
        return False
    if isinstance(answer, Compound) and answer.kind == "xref":
        return is_above(key.parts[0], answer.parts[0], slot)
    return same(key.parts[0], answer) or is_above(key.parts[0], answer, slot)


def _several(slot: Slot, keys: Sequence[Value], answers: Sequence[Value], entries: Entries) -> Judged:
    links: list[Link] = []
    left: list[Value] = []
    failed: list[Value] = list(answers)
    for key in keys:
        for place, answer in enumerate(failed):
            if same(key, answer):
                links.append(Link("correct", key, answer))
                del failed[place]
                break
        else:
            left.append(key)
    if left:  # without keys left, people are not asked
        remaining, failed = failed, []
        for answer in remaining:
            verdict = automatic(slot, left, answer, entries)
            if verdict is None:
                failed.append(answer)
                continue
            links += (Link(verdict.outcome, left[place], answer, verdict.decided) for place in verdict.keys)
            left = [key for place, key in enumerate(left) if place not in verdict.keys]
    used = [link.key for link in links]
    incorrect, spurious, missing = leftovers(left, failed)
    needed = [key for key in left if not is_optional(key)]
    # Optional keys count if wrong answers use them up; the program then takes the first one repeatedly.
    spare = [key for key in left if is_optional(key)]
    extra = spare[:1] * (len(failed) - len(needed)) if len(needed) < len(failed) <= len(left) else []
    correct = [link for link in links if link.outcome == "correct"]
    partial = [link for link in links if link.outcome == "partial"]
    tally = Tally(
        len(correct),
        len(partial),
        incorrect,
        sum(link.decided for link in correct),
        sum(link.decided for link in partial),
        spurious,
        missing,
        chances=_chances(slot, used + needed + extra),
    )
    return Judged(tally, left, failed, links)


def leftovers(keys: Sequence[Value], answers: Sequence[Value]) -> tuple[int, int, int]:
    """Incorrect, spurious and missing among values without a partner.

    >>> leftovers(["A1", "B1"], ["X"]), leftovers([Compound("optional", ("A1",))], [])
    ((1, 0, 1), (0, 0, 0))
    """
    optional_keys = sum(is_optional(key) for key in keys)
    optional_answers = sum(is_optional(answer) for answer in answers)
    cancelled = min(optional_keys, optional_answers)
    k, r = len(keys) - cancelled, len(answers) - cancelled
    if optional_answers == cancelled:
        needed = k - (optional_keys - cancelled)
        if r > k:
            return k, r - k, 0
        return r, 0, max(0, needed - r)
    needed = r - (optional_answers - cancelled)
    if k > r:
        return r, 0, k - r
    return k, max(0, needed - k), 0


def automatic(slot: Slot, keys: Sequence[Value], answer: Value, entries: Entries) -> Verdict | None:
    """The verdict on an answer among the keys that are left, without asking anybody; None if there is none."""
    inner = required(answer)
    assert inner is not None
    if isinstance(inner, Compound) and inner.kind == "xref":
        tagged = _same_tag(slot, keys, inner.parts[1], entries)
        if tagged:
            verdict = _by_tag(slot, tagged, inner.parts[0])
            if verdict is not None:
                return verdict
            if len(tagged) < len(keys):
                return None
    decision = find_decision(entries.get(slot.id, ()), inner)
    if decision is not None:
        return _apply(decision, keys)
    for place, key in enumerate(keys):
        if half(key, inner, slot):
            return Verdict("partial", (place,))
    return None


def _same_tag(
    slot: Slot, keys: Sequence[Value], tag: Value | None, entries: Entries
) -> list[tuple[int, Compound, TagStatus]]:
    """The keys whose reference is that of an answer, last first, and how people decided about it."""
    decisions = [
        decision for name in slot.refers if (decision := find_decision(entries.get(name, ()), tag)) is not None
    ]
    found: list[tuple[int, Compound, TagStatus]] = []
    for place in range(len(keys) - 1, -1, -1):
        key = required(keys[place])
        if not (isinstance(key, Compound) and key.kind == "xref"):
            continue
        status = "same" if same(key.parts[1], tag) else _tag_status(key.parts[1], decisions)
        if status is not None:
            found.append((place, key, status))
    return found


def _tag_status(tag: Value | None, decisions: Sequence[Decision]) -> TagStatus | None:
    for decision in decisions:
        if decision.status == "fail" or any(same(value, tag) for value in decision.keys):
            return decision.status
    return None


def _by_tag(slot: Slot, tagged: list[tuple[int, Compound, TagStatus]], value: Value | None) -> Verdict | None:
    for place, key, status in tagged:
        if same(key.parts[0], value):
            if status == "fail":
                return None
            if len(tagged) > 1:
                return Verdict("correct", (place,), True)
            return Verdict("partial" if status == "partial" else "correct", (place,))
    for place, key, status in tagged:
        inner = key.parts[0]
        if status != "fail" and inner is not None and value is not None and half(inner, value, slot):
            return Verdict("partial", (place,))
    return None


def find_decision(decisions: Sequence[Decision], answer: Value | None) -> Decision | None:
    """The first decision for an answer."""
    for decision in decisions:
        if same(decision.answer, answer):
            return decision
    return None


def _apply(decision: Decision, keys: Sequence[Value]) -> Verdict | None:
    if decision.status == "fail":
        return None
    outcome: Outcome = "correct" if decision.status == "match" else "partial"
    places: list[int] = []
    for value in decision.keys:
        for place, key in enumerate(keys):
            if place not in places and same(key, value):
                places.append(place)
                break
    if len(places) == len(decision.keys):
        return Verdict(outcome, tuple(places), True)
    if not keys and any(is_optional(value) for value in decision.keys):
        return Verdict(outcome, (), True)  # such an answer counts nowhere
    return None


def _chances(slot: Slot, keys: Sequence[Value]) -> int:
    if slot.type != "set":
        return 0
    size = len(slot.above)
    if not keys:
        return size
    return sum(size - _alternatives(key) for key in keys)


def _alternatives(key: Value) -> int:
    inner = required(key)
    if isinstance(inner, Compound) and inner.kind == "xref":
        inner = inner.parts[0]
    elif is_optional(key):
        return 1
    return len(inner.parts) if isinstance(inner, Compound) and inner.kind == "or" else 1
