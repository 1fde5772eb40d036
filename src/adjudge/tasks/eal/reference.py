"""The key of a document as numbers, after the rules that remove responses."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, Literal, NamedTuple, TypeAlias

from adjudge.errors import Problem, ValidationError
from adjudge.formats.eal_arguments import ArgumentLines
from adjudge.formats.eal_assessments import KeyLines
from adjudge.formats.eal_fields import Seen, cached, less_specific
from adjudge.formats.eal_linking import LinkedLines
from adjudge.model.eal import TIME_ROLES, AnswerKey, Assessment, Cas, Realis, Response
from adjudge.tasks.eal.responses import ACCEPTABLE, Cluster, is_good, is_good_as
from adjudge.tasks.eal.settings import Cover, Profile, Settings

Rule: TypeAlias = Literal["covered", "less-specific-time"]

Class: TypeAlias = tuple[str, str, Realis, Cluster]  # type, role, realis, cluster
Date: TypeAlias = tuple[str, str, "str | None", str]  # type, role, realis (None: any), text of what says less


class Bans(NamedTuple):
    """What is removed: covered fillers, each with the type that covers it, and dates that are not specific enough."""

    covered: Mapping[Class, str]
    dates: Mapping[Date, str]
    any_realis: bool = False

    def rule(self, class_: Class, text: str) -> Rule | None:
        """The rule that removes a response of some class, if any; `text` is that of its CAS."""
        if self.covered and class_ in self.covered:
            return "covered"
        if self.dates and class_[1] in TIME_ROLES and self.date(class_, text) is not None:
            return "less-specific-time"
        return None

    def date(self, class_: Class, text: str) -> str | None:
        """The more specific date that removes a response."""
        type_, role, realis, _ = class_
        return self.dates.get((type_, role, None if self.any_realis else realis, text))


def covered_fillers(
    assessed: Iterable[tuple[Response, Assessment]], coref: Mapping[Cas, Cluster], covers: Sequence[Cover]
) -> dict[Class, str]:
    """What is covered by good responses: with the type of each cover, the same role, realis and cluster.

    >>> from adjudge.model.eal import Cas, Span
    >>> at = Span(0, 2)
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", at), at, (Span(0, 9),), (), "Actual")
    >>> right = Assessment("C", "C", "C", "C", "Actual", "NAME")
    >>> covered_fillers([(bob, right)], {bob.cas: 7}, [("Life.Die", "Life.Injure")])
    {('Life.Injure', 'Victim', 'Actual', 7): 'Life.Die'}
    """
    found: dict[Class, str] = {}
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


def has_lower_x(texts: Iterable[str]) -> bool:
    """Whether there may be times with a small x among texts."""
    return any("xx" in text for text in texts)


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


class Frames(NamedTuple):
    """Reference frames as sets of bits: one per frame, and for each bit those that share a frame with it."""

    masks: list[int]
    neighbours: list[int]
    members: list[int]  # the class of each bit
    bits: dict[int, int]  # the set with the bit of a class


@dataclass(eq=False)
class Reference:
    """What a document is scored against; responses of the key are known by their places in it.

    `by_place` has the code of each response, or None if nobody has assessed it; `judged` its assessment after the
    rules, and `clusters` the cluster of its CAS, or the CAS itself if it has none.
    """

    key: KeyLines
    judged: list[Assessment | None]
    clusters: Sequence[Cluster]
    bans: Bans
    spellings: Mapping[str, str]
    lenient: bool = False  # whether clusters count only for acceptable CASes
    by_place: list[int | None] = field(default_factory=list)
    classes: list[Class] = field(default_factory=list)
    numbers: dict[Class, int] = field(default_factory=dict)
    correct: bytearray = field(default_factory=bytearray)  # for each class, whether the key has a good response
    perfect: bytearray = field(default_factory=bytearray)
    generic: bytearray = field(default_factory=bytearray)
    frames: Frames = field(default_factory=lambda: Frames([], [], [], {}))
    broken: Sequence[int] = ()
    removed: dict[str, int] = field(default_factory=dict)  # responses of the key by rule
    unlinked: dict[str, int] = field(default_factory=dict)  # of the reference frames by rule
    unquoted: bool = False  # whether responses in quotations have been left out
    doubtful: int = 0  # classes in reference frames without a good response
    absent: int = 0  # classes that are good, not generic, and in no frame

    @property
    def document(self) -> str:
        """The document."""
        return self.key.document

    @cached_property
    def written(self) -> Mapping[str, int | None]:
        """The codes of responses by how they are written in the key, if it was read from a sound file."""
        return dict(zip(self.key.written, self.by_place, strict=False))

    @cached_property
    def codes(self) -> Mapping[Response, int]:
        """The codes of all responses that are assessed."""
        both = zip(self.key.responses, self.by_place, strict=True)
        return {response: code for response, code in both if code is not None}

    @cached_property
    def assessed(self) -> Mapping[Response, Assessment]:
        """The assessments after the rules."""
        both = zip(self.key.responses, self.judged, strict=True)
        return {response: given for response, given in both if given is not None}

    @cached_property
    def coref(self) -> Mapping[Cas, int]:
        """The clusters of CASes that have one."""
        found = self.key.whole().coref
        if not self.lenient:
            return found
        acceptable = _acceptable(self.key)
        return {cas: number for cas, number in found.items() if cas in acceptable}

    def codes_of(self, lines: ArgumentLines) -> list[int | None]:
        """The codes of the responses of a system; None for those that nobody has assessed."""
        found: list[int | None] = list(map(self.written.get, lines.written)) or [None] * len(lines)
        if None in found:
            responses = lines.responses
            for at, code in enumerate(found):
                if code is None:
                    found[at] = self.codes.get(responses[at])
        return found

    def cluster(self, response: Response) -> Cluster:
        """The cluster of the CAS of any response, or the CAS itself if it has none."""
        return self.coref.get(response[3], response[3])

    def class_of(self, response: Response) -> Class:
        """The class of any response."""
        type_ = self.spellings.get(response.type, response.type)
        return type_, response.role, response.realis, self.cluster(response)

    def rule(self, response: Response) -> Rule | None:
        """The rule that removes a response, if there is one."""
        own = response.type, response.role, response.realis, self.cluster(response)
        return self.bans.rule(own, response.cas.text)


def build_reference(
    key: KeyLines,
    frames: LinkedLines | None,
    settings: Settings,
    *,
    key_place: str | None = None,
    frames_place: str | None = None,
) -> Reference:
    """Apply the rules to a key and its frames, and number the rest; all problems are raised at once.

    >>> from adjudge.model.eal import AnswerKey, Cas, Frame, Linking, Span
    >>> at = Span(0, 2)
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", at), at, (Span(0, 9),), (), "Actual")
    >>> hurt = bob._replace(type="Life.Injure")
    >>> right = Assessment("C", "C", "C", "I", "Actual", "NAME")
    >>> key = KeyLines.of(AnswerKey("d", {bob: right, hurt: right}, (), {bob.cas: 7}))
    >>> frames = LinkedLines.of(Linking("d", [Frame(frozenset([bob, hurt]))]), key)
    >>> found = build_reference(key, frames, Settings())
    >>> found.codes[bob], found.codes[hurt], found.classes, found.frames.masks
    (1, -1, [('Life.Die', 'Victim', 'Actual', 7)], [1])
    """
    profile = settings.profile
    problems: list[Problem] = []
    judged = list(key.judged)
    times = _places(key.roles, TIME_ROLES)
    broken = [at for at in times if (given := judged[at]) and profile.is_broken(key.roles[at], key.texts[at], given)]
    for at in broken:
        if profile.broken_time == "error":
            message = f"{key.document}: the time {key.texts[at]!r} was assessed as correct and is not a date"
            problems.append(Problem(message, path=key_place, hint="correct the assessment"))
        elif profile.broken_time == "wrong":
            judged[at] = _as_wrong(judged[at])
    reference = Reference(
        key,
        judged,
        _clusters(key, profile),
        Bans({}, {}, not profile.time_rule_same_realis),
        SPELLINGS if profile.one_spelling else {},
        lenient=profile.missing_coref == "lenient",
        broken=broken,
    )
    _number(reference, _ban(reference, times, settings), keep_dates=profile.time_rule_sides == "system")
    if settings.linking:
        problems += _frame(reference, frames, profile, frames_place)
    if profile.missing_coref == "error":
        problems += _without_cluster(key, key_place)
    if problems:
        raise ValidationError(problems)
    return reference


def _places(column: Sequence[str], wanted: Collection[str]) -> list[int]:
    """Where a column has one of some values."""
    return [at for at, value in enumerate(column) if value in wanted]


@cached
def _as_wrong(assessment: Assessment) -> Assessment:
    return assessment._replace(cas="W")


def _acceptable(key: KeyLines) -> set[Cas]:
    """The CASes that were assessed as acceptable."""
    both = zip(key.responses, key.judged, strict=True)
    return {response.cas for response, given in both if given is not None and given.cas in ACCEPTABLE}


def _clusters(key: KeyLines, profile: Profile) -> Sequence[Cluster]:
    """The cluster of each response, or its CAS if that has none."""
    clusters: Sequence[int | None] = key.clusters
    if profile.missing_coref == "lenient":
        acceptable = _acceptable(key)
        both = zip(key.responses, clusters, strict=True)
        clusters = [number if response.cas in acceptable else None for response, number in both]
    if None in clusters:
        return [key.response(at).cas if number is None else number for at, number in enumerate(clusters)]
    return clusters  # type: ignore[return-value]


def _ban(reference: Reference, times: Sequence[int], settings: Settings) -> dict[int, Rule]:
    """Determine what is removed, and the responses of the key that each rule removes."""
    key, judged, clusters = reference.key, reference.judged, reference.clusters
    found: dict[int, Rule] = {}

    def chosen(places: Iterable[int]) -> list[tuple[Response, Assessment]]:
        return [(key.response(at), given) for at in places if (given := judged[at]) and given.cas in ACCEPTABLE]

    def look(places: Iterable[int]) -> None:
        for at in places:
            own = key.types[at], key.roles[at], key.realis[at], clusters[at]
            if judged[at] and at not in found and (rule := reference.bans.rule(own, key.texts[at])):
                found[at] = rule

    covering = _places(key.types, {one for one, _ in settings.covers})
    if covering:
        coref = {key.response(at).cas: clusters[at] for at in covering}
        covered = covered_fillers(chosen(covering), coref, settings.covers)
        if covered:
            reference.bans = reference.bans._replace(covered=covered)
            look(_places(key.types, {type_ for type_, *_ in covered}))
    dates = vague_dates(chosen(at for at in times if at not in found), settings.profile)
    if dates:
        reference.bans = reference.bans._replace(dates=dates)
        look(times)
    return found


def _number(reference: Reference, ruled: Mapping[int, Rule], *, keep_dates: bool) -> None:
    """Give each response its code; with `keep_dates` vague dates go from systems only and stay right here."""
    key, judged, spellings = reference.key, reference.judged, reference.spellings
    types = key.types
    if not spellings.keys().isdisjoint(types):
        types = [spellings.get(type_, type_) for type_ in types]
    realis = key.realis
    classes = list(zip(types, key.roles, realis, reference.clusters, strict=True))
    gone = {at: rule for at, rule in ruled.items() if not (keep_dates and rule == "less-specific-time")}
    left: Sequence[int] = range(len(judged))
    given: Sequence[Any] = judged
    if gone or None in judged:
        left = [at for at in left if at not in gone and judged[at] is not None]
        classes, given = [classes[at] for at in left], [judged[at] for at in left]
        realis = [realis[at] for at in left]
    numbers: dict[Class, int] = {}
    places = [numbers.setdefault(own, len(numbers)) for own in classes]
    worths = map(_WORTHS.__getitem__, zip(given, realis, strict=True))
    codes = [number << SHIFT | worth for number, worth in zip(places, worths, strict=True)]
    reference.classes += numbers
    reference.numbers = numbers
    correct, perfect = bytearray(len(numbers)), bytearray(len(numbers))
    for code in codes:
        if code & GOOD:
            correct[code >> SHIFT] = 1
            if code & PERFECT:
                perfect[code >> SHIFT] = 1
    reference.correct, reference.perfect = correct, perfect
    reference.generic = bytearray([own[2] == "Generic" for own in numbers])
    reference.by_place = list(codes)
    if len(codes) < len(judged):
        reference.by_place = [None] * len(judged)
        for at, code in zip(left, codes, strict=True):
            reference.by_place[at] = code
    for at, rule in ruled.items():
        reference.by_place[at] = REMOVED[rule]
    for rule in gone.values():
        reference.removed[rule] = reference.removed.get(rule, 0) + 1


def _worth(judged: tuple[Assessment, Realis]) -> int:
    """Whether a response of this assessment and realis is good, and perfect."""
    assessment, realis = judged
    if not is_good_as(realis, assessment):
        return 0
    return GOOD if "I" in assessment[:4] else GOOD | PERFECT


_WORTHS = Seen(_worth)


def _frame(reference: Reference, linked: LinkedLines | None, profile: Profile, place: str | None) -> list[Problem]:
    """Reference frames as bits, and what keeps them from being used."""
    document = reference.document
    if linked is None:
        hint = "give the frames of every document of the key, or choose documents with --docs"
        return [Problem(f"{document} has no reference frames", path=place, hint=hint)]
    if linked.incomplete:
        count = len(linked.incomplete)
        message = f"{count} response{'s' * (count > 1)} of {document} {'are' if count > 1 else 'is'} not linked yet"
        return [Problem(message, path=place, hint="complete the reference frames")]
    dropped = frozenset(reference.broken) if profile.broken_time_in_reference == "drop" else frozenset()
    masks, neighbours, members, bits = reference.frames
    codes = [*reference.by_place, *[None] * len(linked.others)]
    generic = reference.generic
    unlinked: dict[str, int] = {}
    if None in codes:
        # Frames are sets, whose order changes from run to run; classes get their numbers and bits in one that does not.
        unknown = {linked.response(at) for at in {*chain(*linked.frames)} if codes[at] is None}
        for response in sorted(unknown):
            if reference.rule(response) is None:
                _extra(reference, response)
    found: list[set[int]] = []
    for frame in linked.frames:
        inside: set[int] = set()
        for at in frame:
            code = codes[at]
            if code is not None and code >= 0 and at not in dropped:  # nearly always
                code >>= SHIFT
                if not generic[code]:
                    inside.add(code)
                continue
            if code is None:  # unassessed
                banned = reference.rule(linked.response(at))
                code = _extra(reference, linked.response(at)) << SHIFT if banned is None else REMOVED[banned]
            if code < 0:
                rule = RULES[code]
                if rule == "covered" or profile.time_rule_sides == "both":
                    unlinked[rule] = unlinked.get(rule, 0) + 1
                    continue
                code = reference.numbers[reference.class_of(linked.response(at))] << SHIFT
            if at in dropped:
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


def _without_cluster(key: KeyLines, place: str | None) -> list[Problem]:
    rows = zip(range(len(key.judged)), key.judged, key.clusters, strict=True)
    lost = dict.fromkeys(key.response(at).cas for at, given, own in rows if given is not None and own is None)
    hint = "give it a number in column 16, or use the profile spec"
    return [
        Problem(f"{key.document}: the CAS {cas.text!r} {cas.span} has no cluster", place, hint=hint) for cas in lost
    ]
