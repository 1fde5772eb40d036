"""One slot of a key template and of a response template: what is correct, partial, incorrect, missing, spurious."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from adjudge.formats.muc4_history import Decision
from adjudge.formats.muc4_slots import Slot
from adjudge.formats.muc4_values import Compound, Value
from adjudge.tasks.catalogue.muc4_equal import half, is_above, is_optional, required, same

Outcome: TypeAlias = Literal["correct", "partial"]
Entries: TypeAlias = Mapping[str, Sequence[Decision]]  # the decisions for one key template, by slot


class Tally(NamedTuple):
    """Counts of one slot; `decided` and `decided_partial` are those of correct and partial that people decided.

    `chances` is how many wrong values of a set could have been given, for fallout.
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
    """One line of an explanation: a value of the key, a value of the response, and what became of them."""

    outcome: str
    key: Value | None
    answer: Value | None


class Verdict(NamedTuple):
    """What the automatic rule says of an answer; `keys` are the places of the keys that it uses up."""

    outcome: Outcome | Literal["vanish"]
    keys: tuple[int, ...]
    decided: bool = False


def score_slot(slot: Slot, keys: Sequence[Value], answers: Sequence[Value], entries: Entries) -> Tally:
    """The counts of one slot.

    >>> from adjudge.formats.muc4_slots import muc4_slots
    >>> kind = muc4_slots().slots[4]
    >>> score_slot(kind, ["BOMBING"], ["ATTACK"], {}).partial
    1
    """
    return judge(slot, keys, answers, entries)[0]


def judge(
    slot: Slot, keys: Sequence[Value], answers: Sequence[Value], entries: Entries, links: list[Link] | None = None
) -> tuple[Tally, list[Value], list[Value]]:
    """The counts, and the keys and answers that nothing was found for."""
    if len(keys) <= 1 and len(answers) <= 1:
        return _single(slot, keys, answers, entries)
    return _several(slot, list(keys), list(answers), entries)


def _single(
    slot: Slot, keys: Sequence[Value], answers: Sequence[Value], entries: Entries
) -> tuple[Tally, list[Value], list[Value]]:
    if not answers:
        if not keys or is_optional(keys[0]):
            return Tally(blank=1, chances=_chances(slot, ())), [], []
        return Tally(missing=1, chances=_chances(slot, keys)), list(keys), []
    answer = answers[0]
    if not keys:
        if is_optional(answer):
            return Tally(blank=1, chances=_chances(slot, ())), [], []
        verdict = automatic(slot, keys, answer, entries)
        if isinstance(verdict, Verdict):
            return Tally(chances=_chances(slot, ())), [], []
        return Tally(spurious=1, chances=_chances(slot, ())), [], list(answers)
    key = keys[0]
    chances = _chances(slot, keys)
    if same(key, answer):
        return Tally(correct=1, chances=chances), [], []
    verdict = automatic(slot, keys, answer, entries)
    if isinstance(verdict, Verdict) and verdict.outcome == "correct":
        return Tally(correct=1, decided=int(verdict.decided), chances=chances), [], []
    if isinstance(verdict, Verdict) and verdict.outcome == "partial":
        return Tally(partial=1, decided_partial=int(verdict.decided), chances=chances), [], []
    if slot.type == "set" and _set_credit(slot, key, answer):
        return Tally(partial=1, chances=chances), [], []
    return Tally(incorrect=1, chances=chances), list(keys), list(answers)


def _set_credit(slot: Slot, key: Value, answer: Value) -> bool:
    """Half credit for a set whose key has a reference: the value without a reference, or a value above."""
    key, answer = required(key) or "", required(answer) or ""
    if not (isinstance(key, Compound) and key.kind == "xref"):
        return False
    if isinstance(answer, Compound) and answer.kind == "xref":
        return is_above(key.parts[0], answer.parts[0], slot)
    return same(key.parts[0], answer) or is_above(key.parts[0], answer, slot)


def _several(
    slot: Slot, keys: list[Value], answers: list[Value], entries: Entries
) -> tuple[Tally, list[Value], list[Value]]:
    correct = partial = decided = decided_partial = 0
    used: list[Value] = []
    left: list[Value] = []
    for key in keys:
        for place, answer in enumerate(answers):
            if same(key, answer):
                correct += 1
                used.append(key)
                del answers[place]
                break
        else:
            left.append(key)
    failed: list[Value] = []
    for answer in answers:
        verdict = automatic(slot, left, answer, entries)
        if not isinstance(verdict, Verdict):
            failed.append(answer)
            continue
        used += [left[place] for place in verdict.keys]
        left = [key for place, key in enumerate(left) if place not in verdict.keys]
        if verdict.outcome == "correct":
            correct += len(verdict.keys)
            decided += len(verdict.keys) if verdict.decided else 0
        elif verdict.outcome == "partial":
            partial += len(verdict.keys)
            decided_partial += len(verdict.keys) if verdict.decided else 0
    incorrect, spurious, missing = leftovers(left, failed)
    counted = [key for key in keys if not is_optional(key) or key in used]
    blank = int(not (correct or partial or incorrect or spurious or missing))
    tally = Tally(
        correct, partial, incorrect, decided, decided_partial, spurious, missing, blank, _chances(slot, counted)
    )
    return tally, left, failed


def leftovers(keys: Sequence[Value], answers: Sequence[Value]) -> tuple[int, int, int]:
    """Incorrect, spurious and missing among what found no partner.

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
    """What is found for an answer among the keys that are left, without asking anybody; None if nothing is."""
    inner = required(answer)
    assert inner is not None
    if isinstance(inner, Compound) and inner.kind == "xref":
        tagged = _same_tag(slot, keys, inner.parts[1], entries)
        if tagged:
            verdict = _by_tag(slot, keys, tagged, inner.parts[0])
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
) -> list[tuple[int, Value, Outcome]]:
    """The keys whose reference is that of an answer, last first, and whether people said so only in part."""
    found: list[tuple[int, Value, Outcome]] = []
    related: list[tuple[Outcome, Value]] = []
    for name in slot.refers:
        decision = find_decision(entries.get(name, ()), tag)
        if decision is not None and decision.status != "fail":
            status: Outcome = "correct" if decision.status == "match" else "partial"
            related += [(status, value) for value in decision.keys]
    for place in range(len(keys) - 1, -1, -1):
        key = required(keys[place])
        if not (isinstance(key, Compound) and key.kind == "xref"):
            continue
        if same(key.parts[1], tag):
            found.append((place, key, "correct"))
            continue
        for status, value in related:
            if same(key.parts[1], value):
                found.append((place, key, status))
                break
    return found


def _by_tag(
    slot: Slot, keys: Sequence[Value], tagged: list[tuple[int, Value, Outcome]], value: Value | None
) -> Verdict | None:
    for place, key, status in tagged:
        assert isinstance(key, Compound)
        if same(key.parts[0], value):
            return Verdict(status, (place,))
    for place, key, _ in tagged:
        assert isinstance(key, Compound)
        inner = key.parts[0]
        if inner is not None and value is not None and half(inner, value, slot):
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
    if places:
        return Verdict(outcome, tuple(places), True)
    if not keys and any(is_optional(value) for value in decision.keys):
        return Verdict("vanish", ())
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
    return len(inner.parts) if isinstance(inner, Compound) and inner.kind == "or" else 1
