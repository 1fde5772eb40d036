"""The rows of a MUC-4 report: tallies of aligned templates, added up in different ways."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from adjudge.formats.muc4 import Template
from adjudge.formats.muc4_slots import Slots
from adjudge.tasks.catalogue.muc4_align import Pair, Standing
from adjudge.tasks.catalogue.muc4_slot import Tally

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
    """Whether a message is relevant for the key and for the response; the key may leave it to the response."""
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
    """How a pair counts as templates, whatever is in them."""
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
    """How well relevant messages were told from others; `chances` are the messages that are not relevant."""
    both = missed = false = neither = 0
    for message in messages:
        both += message.relevant and message.found
        missed += message.relevant and not message.found
        false += message.found and not message.relevant
        neither += not message.relevant and not message.found
    return Tally(correct=both, missing=missed, spurious=false, blank=neither, chances=false + neither)
