"""The key of a document as numbers, after the rules that remove responses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from adjudge.errors import Problem, ValidationError
from adjudge.formats.eal_fields import cached, less_specific
from adjudge.model.eal import TIME_ROLES, AnswerKey, Assessment, Cas, Linking, Realis, Response
from adjudge.tasks.eal.responses import ACCEPTABLE, Cluster, is_good, is_good_as
from adjudge.tasks.eal.settings import Cover, Profile, Settings

Rule: TypeAlias = Literal["covered", "less-specific-time"]

Fate: TypeAlias = tuple[str, str, str, Cluster]  # type, role, realis, cluster of what is covered
Date: TypeAlias = tuple[str, str, "str | None", str]  # type, role, realis (None: any), text of what says less


class Bans(NamedTuple):
    """What goes: fillers that are covered, each with the type that covers it, and dates that say too little."""

    covered: Mapping[Fate, str]
    dates: Mapping[Date, str]
    any_realis: bool = False

    def rule(self, response: Response, cluster: Cluster) -> Rule | None:
        """The rule by which a response goes, if any."""
        if self.covered and (response.type, response.role, response.realis, cluster) in self.covered:
            return "covered"
        if self.dates and response.role in TIME_ROLES and self.date(response) is not None:
            return "less-specific-time"
        return None

    def date(self, response: Response) -> str | None:
        """The more specific date because of which a response goes."""
        realis = None if self.any_realis else response.realis
        return self.dates.get((response.type, response.role, realis, response.cas.text))


def covered_fillers(
    assessed: Iterable[tuple[Response, Assessment]], coref: Mapping[Cas, int], covers: Sequence[Cover]
) -> dict[Fate, str]:
    """What is covered by good responses: with the type of each cover, the same role, realis and cluster.

    >>> from adjudge.model.eal import Cas, Span
    >>> at = Span(0, 2)
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", at), at, (Span(0, 9),), (), "Actual")
    >>> right = Assessment("C", "C", "C", "C", "Actual", "NAME")
    >>> covered_fillers([(bob, right)], {bob.cas: 7}, [("Life.Die", "Life.Injure")])
    {('Life.Injure', 'Victim', 'Actual', 7): 'Life.Die'}
    """
    found: dict[Fate, str] = {}
    types: dict[str, list[str]] = {}
    for one, other in covers:
        types.setdefault(one, []).append(other)
    for response, assessment in assessed:
        if response[1] in types and is_good(response, assessment):
            for other in types[response.type]:
                own = coref.get(response.cas, response.cas)
                found.setdefault((other, response.role, response.realis, own), response.type)
    return found


def vague_dates(assessed: Iterable[tuple[Response, Assessment]], profile: Profile) -> dict[Date, str]:
    """The dates that say less than one that was assessed as acceptable, each with that one.

    Whether the whole response must be good, whether realis matters, and which dates say less, is decided by the
    profile.
    """
    found: dict[Date, str] = {}
    done: set[Date] = set()
    for response, assessment in assessed:
        if response[2] not in TIME_ROLES or assessment.cas not in ACCEPTABLE:
            continue
        if profile.time_rule_requires == "good" and not is_good(response, assessment):
            continue
        text = response.cas.text
        realis = response.realis if profile.time_rule_same_realis else None
        date = response.type, response.role, realis, text
        if date in done or not profile.is_date(text):
            continue
        done.add(date)
        for less in less_specific(text, x_year=profile.x_year, parts=profile.time_rule_digits == "each-part"):
            found.setdefault((response.type, response.role, realis, less), text)
    return found


def repair_lower_x(responses: Iterable[Response]) -> dict[Response, Response]:
    """Times with a small x and what they become: every xx is XX.

    >>> from adjudge.model.eal import Cas, Span
    >>> at = Span(0, 2)
    >>> day = Response("d", "Life.Die", "Time", Cas("2003-xx-xx", at), at, (Span(0, 9),), (), "Actual")
    >>> [after.cas.text for after in repair_lower_x([day]).values()]
    ['2003-XX-XX']
    """
    found = {}
    for response in responses:
        if response.role in TIME_ROLES and "xx" in response.cas.text:
            text = response.cas.text.replace("xx", "XX")
            found[response] = response._replace(cas=response.cas._replace(text=text))
    return found


def repaired_key(key: AnswerKey) -> AnswerKey:
    """A key in which each xx of a time is XX; a CAS that is new then is a cluster of its own."""
    changed = repair_lower_x([*key.assessed, *key.unassessed])
    if not changed:
        return key
    coref = dict(key.coref)
    free = max((*coref.values(), 0)) + 1
    for new in changed.values():
        if new.cas not in coref:
            coref[new.cas] = free
            free += 1
    assessed = {changed.get(response, response): assessment for response, assessment in key.assessed.items()}
    rest = dict.fromkeys(changed.get(response, response) for response in key.unassessed)
    return AnswerKey(key.document, assessed, [each for each in rest if each not in assessed], coref)


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
    coref: Mapping[Cas, int]
    assessed: Mapping[Response, Assessment]  # after the rules
    spellings: Mapping[str, str]
    broken: list[Response] = field(default_factory=list)
    removed: dict[str, int] = field(default_factory=dict)  # responses of the key by rule
    unlinked: dict[str, int] = field(default_factory=dict)  # of the reference frames by rule
    unquoted: bool = False  # whether responses in quotations have been left out
    doubtful: int = 0  # classes in reference frames without a good response
    absent: int = 0  # classes that are good, not generic, and in no frame

    def cluster(self, response: Response) -> Cluster:
        """The cluster of the CAS of any response, or the CAS itself if it has none."""
        return self.coref.get(response[3], response[3])

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
    times = [(response, each) for response, each in assessed.items() if response[2] in TIME_ROLES]
    broken = [response for response, assessment in times if profile.is_broken(response, assessment)]
    for response in broken:
        if profile.broken_time == "error":
            message = f"{key.document}: the time {response.cas.text!r} was assessed as correct and is not a date"
            problems.append(Problem(message, path=key_place, hint="correct the assessment"))
        elif profile.broken_time == "wrong":
            assessed[response] = assessed[response]._replace(cas="W")
    coref = _clusters(key, profile)
    covered = covered_fillers(assessed.items(), coref, settings.covers)
    bans = Bans(covered, {}, not profile.time_rule_same_realis)
    left = assessed.items()
    if covered:
        kept = {r: a for r, a in left if bans.rule(r, coref.get(r.cas, r.cas)) is None}
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
        coref=coref,
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


def _clusters(key: AnswerKey, profile: Profile) -> Mapping[Cas, int]:
    if profile.missing_coref != "lenient":
        return key.coref
    acceptable = {response.cas for response, each in key.assessed.items() if each.cas in ACCEPTABLE}
    return {cas: number for cas, number in key.coref.items() if cas in acceptable}


def _number(reference: Reference, assessed: Mapping[Response, Assessment], *, keep_dates: bool) -> None:
    """Give each response its code; with `keep_dates` vague dates go from systems only and stay right here."""
    codes, numbers = reference.codes, reference.numbers
    bans, spellings, coref = reference.bans, reference.spellings, reference.coref
    covered, dated = bool(bans.covered), bool(bans.dates)
    removed: dict[str, int] = {}
    worths = [0] * len(assessed)
    for response, assessment in assessed.items():
        _, type_, role, cas, _, _, _, realis = response
        own = coref.get(cas, cas)
        rule = bans.rule(response, own) if covered or (dated and role in TIME_ROLES) else None
        if rule is not None:
            codes[response] = REMOVED[rule]
            if not (keep_dates and rule == "less-specific-time"):
                removed[rule] = removed.get(rule, 0) + 1
                continue
        if spellings:
            type_ = spellings.get(type_, type_)
        number = numbers.setdefault((type_, role, realis, own), len(numbers))
        worth = _worth(assessment, realis)
        worths[number] |= worth
        if rule is None:
            codes[response] = number << SHIFT | worth
    del worths[len(numbers) :]
    reference.classes += numbers
    reference.correct += bytes([worth & GOOD for worth in worths])
    reference.perfect += bytes([worth // PERFECT for worth in worths])
    reference.generic += bytes([realis == "Generic" for _, _, realis, _ in numbers])
    reference.removed = removed


@cached
def _worth(assessment: Assessment, realis: Realis) -> int:
    """Whether a response of this realis is good, and perfect."""
    if not is_good_as(realis, assessment):
        return 0
    return GOOD if "I" in assessment[:4] else GOOD | PERFECT


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
    everything = frozenset[Response]().union(*[frame.responses for frame in linking.frames])
    for response in sorted(everything.difference(codes)):
        if reference.bans.rule(response, reference.cluster(response)) is None:
            _extra(reference, response)
    found: list[set[int]] = []
    for frame in linking.frames:
        inside: set[int] = set()
        for response in frame[0]:
            code = codes.get(response)
            if code is not None and code >= 0 and not (dropped and response in dropped):  # nearly always
                code >>= SHIFT
                if not generic[code]:
                    inside.add(code)
                continue
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
    masks += [sum([bits[number] for number in inside]) for inside in found]
    spread(masks, neighbours)
    reference.unlinked = unlinked
    reference.doubtful = sum([not reference.correct[number] for number in members])
    reference.absent = sum(
        [right and not generic[number] and number not in bits for number, right in enumerate(reference.correct)]
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
