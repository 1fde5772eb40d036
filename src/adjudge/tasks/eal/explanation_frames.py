"""The frames of one document side by side: what is in them, which belong together, and which links they make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from adjudge.tasks.eal.classes import GOOD, SHIFT, Reference
from adjudge.tasks.eal.observe import Observed


@dataclass(frozen=True, slots=True)
class Member:
    """A class in a frame: type, role, its filler in one of its strings, realis; and whether it counts.

    `status` is `common` if both sides have the class, `missing` if only the reference has it, `spurious` if only the
    system has it or has no good response for it there.
    """

    name: str
    type: str
    role: str
    filler: str
    realis: str
    status: str


class Names:
    """Classes as text: the filler is a string of the key, or else of the system, that is in the cluster."""

    def __init__(self, reference: Reference, observed: Observed) -> None:
        self.reference, self.observed = reference, observed
        self.fillers: dict[int, dict[str, None]] = {}
        for response in reference.assessed:
            code = reference.codes[response]
            if code >= 0:
                self.fillers.setdefault(code >> SHIFT, {}).setdefault(response.cas.text)
        for argument, code in zip(observed.arguments, observed.codes, strict=True):
            if code >= 0:
                self.fillers.setdefault(code >> SHIFT, {}).setdefault(argument.response.cas.text)

    def member(self, number: int, status: str) -> Member:
        """A class in a frame."""
        known = len(self.reference.classes)
        type_, role, realis, _ = self.reference.classes[number] if number < known else self.observed.extra[number]
        filler = next(iter(self.fillers.get(number, {"?": None})))
        return Member(self.name(number), type_, role, filler, realis, status)

    def name(self, number: int) -> str:
        """What a class is called."""
        known = len(self.reference.classes)
        type_, role, realis, _ = self.reference.classes[number] if number < known else self.observed.extra[number]
        filler = next(iter(self.fillers.get(number, {"?": None})))
        return f"{type_} {role} {filler!r} {realis}"


def reference_frames(reference: Reference, observed: Observed, names: Names) -> tuple[tuple[Member, ...], ...]:
    """The frames of the reference, and which of their classes the system has."""
    present = 0
    for mask in observed.masks:
        present |= mask
    members = reference.frames.members
    return tuple(
        tuple(names.member(members[bit], "common" if present >> bit & 1 else "missing") for bit in _bits(mask))
        for mask in reference.frames.masks
    )


def system_frames(reference: Reference, observed: Observed, names: Names) -> tuple[tuple[Member, ...], ...]:
    """The frames of the system, without redundant responses, and which of their classes count."""
    found = []
    for frame in observed.frames:
        here: dict[int, str] = {}
        for at in frame:
            if observed.kept[at]:
                number = observed.codes[at] >> SHIFT
                good = observed.codes[at] & GOOD and number in reference.frames.bits
                if good or number not in here:
                    here[number] = "common" if good else "spurious"
        found.append(tuple(names.member(number, status) for number, status in here.items()))
    return tuple(found)


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def links(reference: Reference, observed: Observed, names: Names) -> tuple[tuple[tuple[str, str], ...], ...]:
    """Pairs of classes that share a frame on both sides, in the system only, in the reference only."""
    members = reference.frames.members

    def pairs(masks: Iterable[int]) -> set[tuple[int, int]]:
        return {(one, other) for mask in masks for one in _bits(mask) for other in _bits(mask) if one < other}

    gold, system = pairs(reference.frames.masks), pairs(observed.masks)
    return tuple(
        tuple((names.name(members[one]), names.name(members[other])) for one, other in sorted(each))
        for each in (gold & system, system - gold, gold - system)
    )


def beside(
    gold: Sequence[Sequence[Member]], system: Sequence[Sequence[Member]]
) -> tuple[tuple[int | None, int | None], ...]:
    """Frames of both sides in pairs, one to one, that share as much as possible; then those that have no partner.

    Frames of the system of which the rules have left nothing are in no pair.
    """
    from adjudge.algebra.solve.assignment import max_weight_matching

    edges = []
    for row, one in enumerate(gold):
        mine = {member.name for member in one}
        for column, other in enumerate(system):
            shared = len(mine & {member.name for member in other if member.status == "common"})
            if shared:
                edges.append((row, column, float(shared)))
    _, chosen = max_weight_matching(edges)
    partner = {row: column for row, column, _ in chosen}
    alone = [column for column in range(len(system)) if system[column] and column not in partner.values()]
    pairs: list[tuple[int | None, int | None]] = [(row, partner.get(row)) for row in range(len(gold))]
    return (*pairs, *((None, column) for column in alone))
