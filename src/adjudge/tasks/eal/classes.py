"""The key of a document as numbers: the class (TRFR) of each assessed response, whether it is right, and its frames.

A response is looked up once and is a small number from then on: its class times 4, plus 1 if it is good and 2 if it is
perfect, or a negative number if a rule has removed it. Frames are sets of bits, one for each class that the reference
frames have. So a key is prepared once, and serves all systems.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from adjudge.errors import Problem, ValidationError
from adjudge.model.eal import AnswerKey, Assessment, Linking, Realis, Response
from adjudge.tasks.eal.identity import ACCEPTABLE, Cluster, Trfr, is_good
from adjudge.tasks.eal.profiles import Profile
from adjudge.tasks.eal.rules import Bans, Rule, broken_times, covered_fillers, vague_dates
from adjudge.tasks.eal.settings import Settings

GOOD, PERFECT = 1, 2
SHIFT = 2
REMOVED: dict[Rule, int] = {"covered": -1, "less-specific-time": -2}
RULES: dict[int, Rule] = {code: rule for rule, code in REMOVED.items()}
SPELLINGS = {"Contact.Correspondance": "Contact.Correspondence"}
OTHER_SPELLINGS = {**SPELLINGS, **{usual: other for other, usual in SPELLINGS.items()}}

Class: TypeAlias = tuple[str, str, Realis, Cluster]  # type, role, realis, cluster


class Frames(NamedTuple):
    """Reference frames as sets of bits: one per frame, and for each bit those that share a frame with it."""

    masks: list[int]
    neighbours: list[int]
    members: list[int]  # the class of each bit
    bits: dict[int, int]  # the set with the bit of a class

    @property
    def size(self) -> int:
        """How many classes are in any frame."""
        return len(self.members)


@dataclass(slots=True, eq=False)
class Reference:
    """What a document is scored against."""

    document: str
    codes: dict[Response, int]
    classes: list[Class]
    numbers: dict[Class, int]
    correct: bytearray  # for each class, whether the key has a good response
    perfect: bytearray
    generic: bytearray
    bans: Bans
    frames: Frames
    cluster: Callable[[Response], Cluster]
    assessed: Mapping[Response, Assessment]  # after the rules
    spellings: Mapping[str, str]
    broken: list[Response] = field(default_factory=list)
    removed: dict[str, int] = field(default_factory=dict)  # responses of the key by rule
    unlinked: dict[str, int] = field(default_factory=dict)  # of the reference frames by rule
    unquoted: bool = False  # whether responses in quotations have been left out
    doubtful: int = 0  # classes in reference frames without a good response
    absent: int = 0  # classes that are good, not generic, and in no frame

    def trfr(self, number: int) -> Trfr:
        """A class with its document."""
        return Trfr(self.document, *self.classes[number])

    def class_of(self, response: Response) -> Class:
        """The class of any response."""
        type_ = self.spellings.get(response.type, response.type)
        return type_, response.role, response.realis, self.cluster(response)


def build_reference(
    key: AnswerKey,
    frames: Linking | None,
    settings: Settings,
    *,
    key_place: str | None = None,
    frames_place: str | None = None,
) -> Reference:
    """Apply the rules to a key and its frames, and number what is left; every problem is raised at once.

    >>> from adjudge.model.eal import Cas, Frame, Span
    >>> at = Span(0, 2)
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", at), at, (Span(0, 9),), (), "Actual")
    >>> hurt = bob._replace(type="Life.Injure")
    >>> right = Assessment("C", "C", "C", "I", "Actual", "NAME")
    >>> key = AnswerKey("d", {bob: right, hurt: right}, (), {bob.cas: 7})
    >>> found = build_reference(key, Linking("d", [Frame(frozenset([bob, hurt]))]), Settings())
    >>> found.codes[bob], found.codes[hurt], found.classes, found.frames.masks
    (1, -1, [('Life.Die', 'Victim', 'Actual', 7)], [1])
    """
    profile = settings.profile
    problems: list[Problem] = []
    assessed = dict(key.assessed)
    broken = broken_times(assessed, profile)
    for response in broken:
        if profile.broken_time == "error":
            message = f"{key.document}: the time {response.cas.text!r} was assessed as correct and is not a date"
            problems.append(Problem(message, path=key_place, hint="correct the assessment"))
        elif profile.broken_time == "wrong":
            assessed[response] = assessed[response]._replace(cas="W")
    cluster = _clusters(key, profile)
    covered = covered_fillers(assessed.items(), cluster, settings.covers)
    bans = Bans(covered, {}, not profile.time_rule_same_realis)
    left = assessed.items()
    if covered:
        kept = {r: a for r, a in left if bans.rule(r, cluster(r)) is None}
        left = kept.items()
    bans = bans._replace(dates=vague_dates(left, profile))
    reference = Reference(
        document=key.document,
        codes={},
        classes=[],
        numbers={},
        correct=bytearray(),
        perfect=bytearray(),
        generic=bytearray(),
        bans=bans,
        frames=Frames([], [], [], {}),
        cluster=cluster,
        assessed=assessed,
        spellings=SPELLINGS if profile.one_spelling else {},
        broken=broken,
    )
    _number(reference, assessed, keep_dates=profile.time_rule_sides == "system")
    if settings.linking:
        problems += _frame(reference, frames, profile, frames_place)
    if profile.missing_coref == "error":
        problems += _without_cluster(key, key_place)
    if problems:
        raise ValidationError(problems)
    return reference


def _clusters(key: AnswerKey, profile: Profile) -> Callable[[Response], Cluster]:
    coref = key.coref
    if profile.missing_coref == "lenient":
        acceptable = {response.cas for response, each in key.assessed.items() if each.cas in ACCEPTABLE}
        coref = {cas: number for cas, number in coref.items() if cas in acceptable}

    def cluster(response: Response) -> Cluster:
        return coref.get(response.cas, response.cas)

    return cluster


def _number(reference: Reference, assessed: Mapping[Response, Assessment], *, keep_dates: bool) -> None:
    """Give each response its code; with `keep_dates` vague dates go from systems only and stay right here."""
    codes, classes, numbers = reference.codes, reference.classes, reference.numbers
    correct, perfect, generic = reference.correct, reference.perfect, reference.generic
    bans, spellings, cluster = reference.bans, reference.spellings, reference.cluster
    banned = bool(bans.covered or bans.dates)
    removed: dict[str, int] = {}
    for response, assessment in assessed.items():
        type_, role, realis = response.type, response.role, response.realis
        own = cluster(response)
        rule = bans.rule(response, own) if banned else None
        if rule is not None:
            codes[response] = REMOVED[rule]
            if not (keep_dates and rule == "less-specific-time"):
                removed[rule] = removed.get(rule, 0) + 1
                continue
        key = spellings.get(type_, type_), role, realis, own
        number = numbers.get(key)
        if number is None:
            number = numbers[key] = len(classes)
            classes.append(key)
            correct.append(0)
            perfect.append(0)
            generic.append(realis == "Generic")
        code = number << SHIFT
        if is_good(response, assessment):
            correct[number] = 1
            code |= GOOD
            if "I" not in assessment[:4]:
                perfect[number] = 1
                code |= PERFECT
        if rule is None:
            codes[response] = code
    reference.removed = removed


def _frame(reference: Reference, linking: Linking | None, profile: Profile, place: str | None) -> list[Problem]:
    """Reference frames as bits, and what keeps them from being used."""
    document = reference.document
    if linking is None:
        hint = "give the frames of every document of the key, or choose documents with --docs"
        return [Problem(f"{document} has no reference frames", path=place, hint=hint)]
    if linking.incomplete:
        count = len(linking.incomplete)
        message = f"{count} response{'s' * (count > 1)} of {document} {'are' if count > 1 else 'is'} not linked yet"
        return [Problem(message, path=place, hint="complete the reference frames")]
    dropped = frozenset(reference.broken) if profile.broken_time_in_reference == "drop" else frozenset()
    masks, neighbours, members, bits = reference.frames
    codes, generic = reference.codes, reference.generic
    unlinked: dict[str, int] = {}
    # Frames are sets, whose order changes from run to run; classes get their numbers and bits in one that does not.
    for response in sorted({each for frame in linking.frames for each in frame.responses if each not in codes}):
        if reference.bans.rule(response, reference.cluster(response)) is None:
            _extra(reference, response)
    found: list[set[int]] = []
    for frame in linking.frames:
        inside: set[int] = set()
        for response in frame.responses:
            code = codes.get(response)
            if code is None:  # nobody has assessed it
                banned = reference.bans.rule(response, reference.cluster(response))
                code = _extra(reference, response) << SHIFT if banned is None else REMOVED[banned]
            if code < 0:
                rule = RULES[code]
                if rule == "covered" or profile.time_rule_sides == "both":
                    unlinked[rule] = unlinked.get(rule, 0) + 1
                    continue
                code = reference.numbers[reference.class_of(response)] << SHIFT
            if response in dropped:
                unlinked["broken-time"] = unlinked.get("broken-time", 0) + 1
                continue
            number = code >> SHIFT
            if not generic[number]:
                inside.add(number)
        if inside:
            found.append(inside)
    members += sorted(set().union(*found))
    bits.update({number: 1 << place for place, number in enumerate(members)})
    neighbours += [0] * len(members)
    masks += [sum(bits[number] for number in inside) for inside in found]
    spread(masks, neighbours)
    reference.unlinked = unlinked
    reference.doubtful = sum(not reference.correct[number] for number in members)
    reference.absent = sum(
        right and not generic[number] and number not in bits for number, right in enumerate(reference.correct)
    )
    return []


def spread(masks: list[int], neighbours: list[int]) -> None:
    """Note for each bit the others that are in a set with it."""
    for mask in masks:
        rest = mask
        while rest:
            low = rest & -rest
            neighbours[low.bit_length() - 1] |= mask ^ low
            rest ^= low


def _extra(reference: Reference, response: Response) -> int:
    """The number of the class of a response that nobody has assessed."""
    key = reference.class_of(response)
    number = reference.numbers.get(key)
    if number is None:
        number = reference.numbers[key] = len(reference.classes)
        reference.classes.append(key)
        reference.correct.append(0)
        reference.perfect.append(0)
        reference.generic.append(response.realis == "Generic")
    return number


def _without_cluster(key: AnswerKey, place: str | None) -> list[Problem]:
    lost = dict.fromkeys(response.cas for response in key.assessed if response.cas not in key.coref)
    hint = "give it a number in column 16, or use the profile spec"
    return [
        Problem(
            f"{key.document}: the CAS {cas.text!r} {cas.span.start}-{cas.span.end} has no cluster", place, hint=hint
        )
        for cas in lost
    ]
