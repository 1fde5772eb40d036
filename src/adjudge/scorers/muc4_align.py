"""Aligns response templates with key templates of a message, and counts each pair."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple, TypeAlias

from adjudge.formats.muc4 import Template
from adjudge.formats.muc4_slots import Slot, Slots
from adjudge.scorers.muc4_slot import Entries, Tally, find_decision, judge, words

Standing: TypeAlias = Literal["matched", "missing", "spurious", "irrelevant", "optional"]
Tallies: TypeAlias = Mapping[str, Tally]

NOTHING: Entries = {}
EMPTY: Tallies = {}


class Pair(NamedTuple):
    """A key template and the response template that answers it, one of them perhaps missing, and the counts by slot."""

    key: Template | None
    response: Template | None
    standing: Standing
    tallies: Tallies


class Candidate(NamedTuple):
    """Two templates that may be aligned: their places, the recall of the pair, and its counts."""

    key: int
    response: int
    recall: int
    tallies: Tallies


def candidates(
    keys: Sequence[Template], responses: Sequence[Template], slots: Slots, history: Mapping[str, Entries]
) -> list[Candidate]:
    """The pairs of templates that may be aligned, best recall first; equal ones as the templates stand."""
    found: list[Candidate] = []
    for i, key in enumerate(keys):
        for j, response in enumerate(responses):
            tallies = _allowed(key, response, slots, history.get(key.id, NOTHING))
            if tallies is not None:
                found.append(Candidate(i, j, recall(tallies.values()), tallies))
    return sorted(found, key=lambda each: -each.recall)


def by_id(templates: Sequence[Template]) -> list[Template]:
    """Templates in the order of their ids, which are texts: 10 comes before 2."""
    return sorted(templates, key=lambda template: template.id)


def align(
    keys: Sequence[Template], responses: Sequence[Template], slots: Slots, history: Mapping[str, Entries]
) -> list[Pair]:
    """The pairs of one message: greedily, best recall first, each template once."""
    keys, responses = by_id(keys), by_id(responses)
    taken: dict[int, Candidate] = {}
    free = set(range(len(responses)))
    for candidate in candidates(keys, responses, slots, history):
        if candidate.key not in taken and candidate.response in free:
            taken[candidate.key] = candidate
            free.remove(candidate.response)
    # A message that need not be answered, and is not, counts as irrelevant, once.
    unanswered = all(key.optional for key in keys) and all(response.irrelevant for response in responses)
    found: list[Pair] = []
    for i, key in enumerate(keys):
        chosen = taken.get(i)
        response = responses[chosen.response] if chosen is not None else None
        standing = _standing(key, response, first=unanswered and i == 0)
        if standing == "optional":
            tallies = EMPTY
        else:
            tallies = chosen.tallies if chosen is not None else score_pair(key, None, slots, NOTHING)
        found.append(Pair(key, response, standing, tallies))
    for j in sorted(free):
        tallies = score_pair(None, responses[j], slots, NOTHING)
        found.append(Pair(None, responses[j], _standing(None, responses[j]), tallies))
    return found


def score_pair(
    key: Template | None, response: Template | None, slots: Slots, entries: Entries, known: Tallies = EMPTY
) -> Tallies:
    """The counts of every slot of two templates; those that are `known` are reused."""
    ours = key.values if key is not None else {}
    theirs = response.values if response is not None else {}
    tallies: dict[str, Tally] = {}
    for slot in slots.scored:
        name = slot.id
        if name in known:
            tallies[name] = known[name]
        elif name in ours or name in theirs:
            tallies[name] = judge(slot, ours.get(name, ()), theirs.get(name, ()), entries).tally
        else:
            tallies[name] = _blank(len(slot.above) if slot.type == "set" else 0)
    return tallies


@cache
def _blank(chances: int) -> Tally:
    """The tally of a slot that is empty on both sides, as most are."""
    return Tally(blank=1, chances=chances)


def recall(tallies: Iterable[Tally]) -> int:
    """The recall of some tallies as a whole percentage; 100 if there was nothing to find.

    >>> recall([Tally(correct=1), Tally(partial=1), Tally(missing=1)])
    50
    """
    correct = partial = possible = 0
    for tally in tallies:
        correct += tally.correct
        partial += tally.partial
        possible += tally.incorrect + tally.missing
    possible += correct + partial
    return 100 if not possible else percent(2 * correct + partial, 2 * possible) or 0


def percent(numerator: int, denominator: int) -> int | None:
    """A ratio as a whole percentage, by way of whole thousandths; a half goes to the even number.

    >>> percent(1, 8), percent(3, 8), percent(1, 0)
    (12, 38, None)
    """
    if denominator == 0:
        return None
    thousandths = 1000 * numerator // denominator
    whole, rest = divmod(thousandths, 10)
    return whole + int(rest > 5 or (rest == 5 and whole % 2 == 1))


def _standing(key: Template | None, response: Template | None, *, first: bool = False) -> Standing:
    no_key = key is None or key.irrelevant
    no_response = response is None or response.irrelevant
    if no_key:
        return "irrelevant" if no_response else "spurious"
    if no_response:
        assert key is not None
        if key.optional:
            return "irrelevant" if first else "optional"
        return "missing"
    return "matched"


def _allowed(key: Template, response: Template, slots: Slots, entries: Entries) -> Tallies | None:
    if key.irrelevant or response.irrelevant:
        return score_pair(key, response, slots, entries)
    known: dict[str, Tally] = {}
    if slots.kind is not None and not _agrees(slots.kind, key, response, entries, known)[0]:
        return None
    empty = True
    for slot in slots.content:
        yes, blank = _agrees(slot, key, response, entries, known)
        if yes:
            return score_pair(key, response, slots, entries, known)
        empty = empty and blank
    return score_pair(key, response, slots, entries, known) if empty else None


def _agrees(
    slot: Slot, key: Template, response: Template, entries: Entries, known: dict[str, Tally]
) -> tuple[bool, bool]:
    """Whether a slot is evidence that two templates are the same, and whether it is empty on both sides."""
    ours, theirs = key.values.get(slot.id, ()), response.values.get(slot.id, ())
    if not ours or not theirs:
        return False, not ours and not theirs
    judged = judge(slot, ours, theirs, entries)
    known[slot.id] = judged.tally
    if judged.tally.correct or judged.tally.partial:
        return True, False
    if judged.keys and judged.answers and (slot.type == "string" or len(ours) > 1 or len(theirs) > 1):
        undecided = [value for value in judged.answers if find_decision(entries.get(slot.id, ()), value) is None]
        wanted = frozenset[str]().union(*map(words, judged.keys))
        return any(not wanted.isdisjoint(words(value)) for value in undecided), False
    return False, False


# ---------------------------------------------------------------------------------------------------------------------
# Rows of the report: tallies of aligned templates, summed in different ways


BASES: Mapping[str, frozenset[Standing]] = {
    "MATCHED/MISSING": frozenset(("matched", "missing")),
    "MATCHED/SPURIOUS": frozenset(("matched", "spurious")),
    "MATCHED ONLY": frozenset(("matched",)),
    "ALL TEMPLATES": frozenset(("matched", "missing", "spurious")),
}
FILLS = {"SET FILLS ONLY": "set", "STRING FILLS ONLY": "string"}
FILTERING = "TEXT FILTERING"


class Message(NamedTuple):
    """One message: its pairs of templates, and whether each side finds it relevant."""

    id: str
    pairs: Sequence[Pair]
    relevant: bool
    found: bool


def is_relevant(keys: Sequence[Template], responses: Sequence[Template]) -> tuple[bool, bool]:
    """Whether a message is relevant for the key and for the response; with optional keys, the response decides for
    both."""
    found = any(not each.irrelevant for each in responses)
    if any(not key.irrelevant and not key.optional for key in keys):
        return True, found
    return found and any(key.optional for key in keys), found


def add(tallies: Iterable[Tally]) -> Tally:
    """The sum of tallies.

    >>> add([Tally(correct=1), Tally(correct=1, missing=2)]).possible
    4
    """
    return Tally(*map(sum, zip(*tallies, strict=True))) if (tallies := list(tallies)) else Tally()


def template_tally(pair: Pair) -> Tally:
    """How a pair counts as templates, whatever they contain."""
    if pair.standing == "matched":
        return Tally(correct=1)
    if pair.standing == "missing":
        return Tally(missing=1)
    if pair.standing == "spurious":
        return Tally(spurious=1)
    return Tally(blank=1) if pair.standing == "irrelevant" else Tally()


def slot_rows(pairs: Sequence[Pair], slots: Slots, basis: str = "ALL TEMPLATES") -> dict[str, Tally]:
    """The tally of the templates and of every slot over the pairs of a basis, and the sub-totals."""
    scored = [pair for pair in pairs if pair.standing in BASES[basis]]
    rows = {slots.template.id: add(map(template_tally, pairs))}
    for slot in slots.scored:
        rows[slot.id] = add(pair.tallies[slot.id] for pair in scored)
    for name, members in slots.totals.items():
        rows[name] = add(rows[member] for member in members)
    return rows


def summary_rows(pairs: Sequence[Pair], slots: Slots) -> dict[str, Tally]:
    """The tallies over all slots: of four choices of templates, and of the fills of sets and of strings."""
    totals: dict[Standing, list[Tally]] = {standing: [] for standing in BASES["ALL TEMPLATES"]}
    for pair in pairs:
        if pair.standing in totals:
            totals[pair.standing].append(add(pair.tallies.values()))
    sums = {standing: add(tallies) for standing, tallies in totals.items()}
    rows = {name: add(sums[standing] for standing in sums if standing in basis) for name, basis in BASES.items()}
    present = [pair for pair in pairs if pair.standing in BASES["MATCHED/MISSING"]]
    for name, kind in FILLS.items():
        chosen = [slot.id for slot in slots.scored if slot.type == kind]
        rows[name] = add(pair.tallies[slot] for pair in present for slot in chosen)
    return rows


def filtering(messages: Iterable[Message]) -> Tally:
    """How well relevant messages were distinguished; `chances` are the messages that are not relevant."""
    both = missed = false = neither = 0
    for message in messages:
        both += message.relevant and message.found
        missed += message.relevant and not message.found
        false += message.found and not message.relevant
        neither += not message.relevant and not message.found
    return Tally(correct=both, missing=missed, spurious=false, blank=neither, chances=false + neither)
