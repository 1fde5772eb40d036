"""What became of one document of one system: every response with its outcome and the reason, misses, and frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from adjudge.evaluate.run import Run
from adjudge.model.eal import Assessment, Response, Span
from adjudge.tasks.eal.compare import IGNORED, UNLINKED, Compared, Observed, Prepared
from adjudge.tasks.eal.measures import document_scores, table_of
from adjudge.tasks.eal.reference import GOOD, RULES, SHIFT, Reference
from adjudge.tasks.eal.responses import ACCEPTABLE
from adjudge.tasks.eal.settings import Settings
from adjudge.tasks.eal.task import EalTask, Gold, Regions, count


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


OUTCOMES = ("correct", "wrong", "unassessed", "redundant", "removed")
"""What can become of a response; of `wrong` ones `reasons` say why, of `removed` ones `rule` by which rule."""


@dataclass(frozen=True, slots=True)
class Fate:
    """A response and what became of it.

    `outcome` is one of `OUTCOMES`. `reasons` are what the assessors call wrong: type, role, filler, realis, base
    filler. `instead` is the place of the response that stands for a redundant one. `frames` are the system's frames
    that have it, `misses` says that its class is correct, so that the error also costs recall, `trfr` names its class.
    """

    place: int
    id: str
    type: str
    role: str
    filler: str
    realis: str
    confidence: float
    cas: Span
    base_filler: Span
    justifications: tuple[Span, ...]
    additional: tuple[Span, ...]
    outcome: str
    reasons: tuple[str, ...] = ()
    rule: str | None = None
    said: str = ""
    instead: int | None = None
    frames: tuple[int, ...] = ()
    misses: bool = False
    trfr: str = ""


@dataclass(frozen=True, slots=True)
class Missed:
    """A correct class that was not earned, with the good responses of the key; `why` says how it was lost."""

    name: str
    type: str
    role: str
    realis: str
    fillers: tuple[str, ...]
    why: str
    responses: tuple[Response, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """One document of one system.

    Links are pairs of names of classes that share a frame: `common` on both sides, `gained` in the system only, `lost`
    in the reference only. `beside` pairs reference and system frames by what they share, None where one has no partner.
    """

    document: str
    system: str
    scores: dict[str, float | None]
    responses: tuple[Fate, ...]
    missed: tuple[Missed, ...]
    reference_frames: tuple[tuple[Member, ...], ...]
    system_frames: tuple[tuple[Member, ...], ...]
    beside: tuple[tuple[int | None, int | None], ...]
    common: tuple[tuple[str, str], ...]
    gained: tuple[tuple[str, str], ...]
    lost: tuple[tuple[str, str], ...]

    def to_data(self) -> dict[str, Any]:
        """As plain data that any JSON writer takes."""
        return asdict(self)

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def explain(
    key: str | Path,
    frames: str | Path | None,
    systems: Mapping[str, str | Path],
    document: str,
    settings: Settings,
    *,
    regions: Regions | None = None,
) -> dict[str, Explanation]:
    """What became of one document, for each system by name."""
    run = Run(docs=(document,), digest=False)
    evaluation = count(EalTask(settings, regions=regions, whole=True), Gold(key, frames), systems, run)
    return {
        name: explained(name, document, counted.details[0].prepared, counted.details[0].compared, settings)
        for name, counted in evaluation.checked().systems.items()
    }


def explained(system: str, document: str, prepared: Prepared, compared: Compared, settings: Settings) -> Explanation:
    """The same from a comparison that was kept."""
    names = Names(prepared.reference, compared.observed)
    observed = compared.observed
    (scores,) = document_scores(table_of([document], [compared.row], settings), settings)
    fates = [*_fates(prepared.reference, observed, names), *_gone(compared)]
    gold = reference_frames(prepared.reference, observed, names)
    own = system_frames(prepared.reference, observed, names)
    pairs = links(prepared.reference, observed, names)
    return Explanation(
        document=document,
        system=system,
        scores={name: _finite(value) for name, value in scores.items() if not isinstance(value, str)},
        responses=tuple(fates),
        missed=tuple(_missed(prepared.reference, observed, names)),
        reference_frames=gold,
        system_frames=own,
        beside=beside(gold, own),
        common=pairs[0],
        gained=pairs[1],
        lost=pairs[2],
    )


def _finite(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None


def reasons(response: Response, assessment: Assessment) -> tuple[str, ...]:
    """What the assessors call wrong with a response; nothing if it is good.

    >>> from adjudge.model.eal import Cas
    >>> at = Span(0, 2)
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", at), at, (Span(0, 9),), (), "Actual")
    >>> reasons(bob, Assessment("C", "C", "W", "W", "Other", "NAME"))
    ('filler', 'base filler', 'realis')
    >>> reasons(bob, Assessment("W")), reasons(bob, Assessment("C", "W"))
    (('type',), ('role',))
    """
    if assessment.event_type not in ACCEPTABLE:
        return ("type",)
    if assessment.role not in ACCEPTABLE:
        return ("role",)
    found = []
    if assessment.cas not in ACCEPTABLE:
        found.append("filler")
    if assessment.base_filler not in ACCEPTABLE:
        found.append("base filler")
    if assessment.realis != response.realis:
        found.append("realis")
    return tuple(found)


_WHY = {
    "type": "the event type is wrong",
    "role": "the role is wrong",
    "filler": "the filler is wrong",
    "base filler": "the base filler is wrong",
    "realis": "the realis is {realis}",
}


def _fates(reference: Reference, observed: Observed, names: Names) -> Iterator[Fate]:
    inside: dict[int, list[int]] = {}
    for number, frame in enumerate(observed.frames):
        for at in frame:
            inside.setdefault(at, []).append(number)
    unassessed = frozenset(observed.unassessed)
    broken = frozenset(reference.broken)
    for at, argument in enumerate(observed.arguments):
        response, code = argument.response, observed.codes[at]
        more: dict[str, Any] = {"frames": tuple(inside.get(at, ()))}
        if code in RULES:
            rule = RULES[code]
            yield _fate(at, argument, "removed", rule=rule, said=_by_rule(reference, response, rule), **more)
        elif code == IGNORED:
            yield _fate(at, argument, "removed", rule="unassessed", said="nobody has assessed it", **more)
        elif code == UNLINKED:
            said = "it is not generic and in no frame"
            yield _fate(at, argument, "removed", rule="unlinked", said=said, **more)
        else:
            number = code >> SHIFT
            more["trfr"] = names.name(number)
            leader = observed.leaders[number]
            if leader != at:
                better = observed.arguments[leader]
                said = f"{better.id[:12] or better.response.cas.text} stands for its class"
                if observed.kept[at]:
                    said += ", but it is the best of it in a frame"
                yield _fate(at, argument, "redundant", instead=leader, said=said, **more)
                continue
            correct = number < len(reference.correct) and bool(reference.correct[number])
            more["misses"] = correct and not code & GOOD
            if at in unassessed:
                said = "nobody has assessed it, so it counts as wrong"
                yield _fate(at, argument, "unassessed", said=said, **more)
            elif code & GOOD:
                yield _fate(at, argument, "correct", **more)
            else:
                why, said = _wrong(reference, response, is_broken=response in broken)
                yield _fate(at, argument, "wrong", reasons=why, said=said, **more)


def _fate(at: int, argument: Any, outcome: str, **more: Any) -> Fate:
    response: Response = argument.response
    return Fate(
        place=at,
        id=argument.id,
        type=response.type,
        role=response.role,
        filler=response.cas.text,
        realis=response.realis,
        confidence=argument.confidence,
        cas=response.cas.span,
        base_filler=response.base_filler,
        justifications=response.justifications,
        additional=response.additional,
        outcome=outcome,
        **more,
    )


def _gone(compared: Compared) -> Iterator[Fate]:
    """The responses that a view of the document does not have any more."""
    for argument, reason in compared.system.gone:
        yield _fate(-1, argument, "removed", rule=reason, said=_QUOTED.get(reason) or reason.replace("-", " "))


_QUOTED = {
    "quoted-base-filler": "the base filler stands in a quotation",
    "quoted-cas": "the CAS stands in a quotation",
    "quoted-base-filler-and-cas": "the base filler and the CAS stand in a quotation",
}


def _assessment(reference: Reference, response: Response) -> Assessment | None:
    found = reference.assessed.get(response)
    if found is None and reference.spellings:
        from adjudge.tasks.eal.reference import OTHER_SPELLINGS

        other = OTHER_SPELLINGS.get(response.type)
        found = None if other is None else reference.assessed.get(response._replace(type=other))
    return found


def _wrong(reference: Reference, response: Response, *, is_broken: bool) -> tuple[tuple[str, ...], str]:
    assessment = _assessment(reference, response)
    if assessment is None:
        return (), ""
    why = reasons(response, assessment)
    said = [_WHY[each].replace("{realis}", str(assessment.realis)) for each in why]
    if is_broken:
        said = [each.replace("the filler is wrong", "the filler is not a date") for each in said]
    return why, ", ".join(said)


def _by_rule(reference: Reference, response: Response, rule: str) -> str:
    if rule == "covered":
        key = response.type, response.role, response.realis, reference.cluster(response)
        return f"a correct {reference.bans.covered.get(key, 'response')} covers it"
    return f"{reference.bans.date(response) or 'another time'} says more and is correct"


def _missed(reference: Reference, observed: Observed, names: Names) -> Iterator[Missed]:
    right: dict[int, list[Response]] = {}
    for response in reference.assessed:
        code = reference.codes[response]
        if code >= 0 and code & GOOD:
            right.setdefault(code >> SHIFT, []).append(response)
    for number, correct in enumerate(reference.correct):
        leader = observed.leaders.get(number)
        if not correct or (leader is not None and observed.codes[leader] & GOOD):
            continue
        type_, role, realis, _ = reference.classes[number]
        why = "no response" if leader is None else "the response that stands for the class is wrong"
        fillers = tuple(names.fillers.get(number, ()))
        yield Missed(names.name(number), type_, role, realis, fillers, why, tuple(right.get(number, ())))


def _lines(found: Explanation) -> Iterator[str]:
    numbers = [f"{name} {value:.4g}" for name, value in found.scores.items() if value is not None]
    yield f"{found.document}  {found.system}  {', '.join(numbers)}"
    order = {outcome: place for place, outcome in enumerate(OUTCOMES)}
    for fate in sorted(found.responses, key=lambda each: (order[each.outcome], each.place)):
        title = fate.outcome if fate.rule is None else "quoted" if fate.rule in _QUOTED else fate.rule
        what = f"{fate.type} {fate.role} {fate.filler!r} {fate.realis} {fate.confidence:g}"
        said = f": {fate.said}" if fate.said else ""
        also = " (and the class is missed)" if fate.misses else ""
        yield f"{title:<19}{fate.id[:12]:<13}{what}{said}{also}"
    for missed in found.missed:
        yield f"{'missed':<19}{'':<13}{missed.name}: {missed.why}"
    marks = {"common": "", "missing": "-", "spurious": "+"}

    def shown(frames: tuple[tuple[Member, ...], ...], place: int | None) -> str:
        return "none" if place is None else f"[{', '.join(marks[each.status] + each.name for each in frames[place])}]"

    for one, other in found.beside:
        yield f"{'frame':<19}reference {shown(found.reference_frames, one)}"
        yield f"{'':<19}system    {shown(found.system_frames, other)}"
    for title, pairs in (("link found", found.common), ("link gained", found.gained), ("link lost", found.lost)):
        for a, b in pairs:
            yield f"{title:<19}{a} - {b}"
