"""One document of one system: which responses are left, which of them stand for their classes, and what that counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from adjudge.errors import Problem, ValidationError
from adjudge.model.eal import Argument, Arguments, Linking, Response
from adjudge.tasks.eal.classes import GOOD, OTHER_SPELLINGS, PERFECT, REMOVED, SHIFT, Class, Reference
from adjudge.tasks.eal.identity import best
from adjudge.tasks.eal.link import Links, score_links
from adjudge.tasks.eal.profiles import Profile
from adjudge.tasks.eal.settings import Settings

IGNORED = -3  # the code of a response that nobody has assessed and that is left out
UNLINKED = -4  # that of one which is in no frame and is left out


class Classes(NamedTuple):
    """Classes of a system by what their representatives are worth.

    `good` and `perfect` ones are right by themselves, `semantic` ones because the key has a good response; `excused`
    are correct classes whose representative nobody has assessed.
    """

    total: int
    good: int
    perfect: int
    semantic: int
    excused: int = 0


@dataclass(slots=True, eq=False)
class Observed:
    """What became of the responses of a document, by their places in the file.

    `codes` are those of `classes`, with more negative numbers; `kept` says which responses are not redundant; `leaders`
    has the place of the representative of each class; `frames` the places of each frame.
    """

    arguments: Sequence[Argument]
    codes: list[int]
    kept: bytearray
    leaders: dict[int, int]
    frames: list[list[int]]
    masks: list[int]
    links: Links
    counted: Classes
    all_classes: Classes  # as in 2014: whether a response is linked does not matter
    unassessed: list[int] = field(default_factory=list)
    unlinked: list[int] = field(default_factory=list)
    extra: dict[int, Class] = field(default_factory=dict)  # classes that the key does not have
    spurious: int = 0  # fillers that share a frame with right ones and cost nothing
    fillers: int = 0


def observe(
    arguments: Arguments,
    linking: Linking | None,
    reference: Reference,
    settings: Settings,
    *,
    place: str | None = None,
) -> Observed:
    """Compare a document with its reference; without a linking, the document is one frame for the choice of the best.

    Each response is on one line only. Every problem that the profile does not settle is raised at once.

    >>> from adjudge.model.eal import AnswerKey, Assessment, Cas, Frame, Span
    >>> from adjudge.tasks.eal.classes import build_reference
    >>> at = Span(0, 2)
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", at), at, (Span(0, 9),), (), "Actual")
    >>> key = AnswerKey("d", {bob: Assessment("C", "C", "C", "I", "Actual", "NAME")}, (), {bob.cas: 7})
    >>> frames = Linking("d", [Frame(frozenset([bob]))])
    >>> found = observe(Arguments("d", [Argument(bob)]), frames, build_reference(key, frames, Settings()), Settings())
    >>> found.counted, found.links.f
    (Classes(total=1, good=1, perfect=0, semantic=1, excused=0), 1.0)
    """
    listed = arguments.arguments
    responses = [argument[0] for argument in listed]
    codes: list[int] = list(map(reference.codes.get, responses))  # type: ignore[arg-type]
    problems: list[Problem] = []
    unassessed: list[int] = []
    extra: dict[int, Class] = {}
    if None in codes:
        unassessed = [at for at, code in enumerate(codes) if code is None]
        problems += _assign(unassessed, codes, listed, reference, settings.profile, extra, place)
    everything, given = _leaders(codes, listed), codes
    frames: list[list[int]] = []
    unlinked: list[int] = []
    leaders, several = everything
    if linking is not None and settings.linking:
        frames = _places(linking, responses)
        unlinked = _outside(frames, codes, reference, extra)
        if unlinked:
            if settings.profile.unlinked == "error":
                problems += _not_linked(unlinked, listed, arguments.document, place)
            elif settings.profile.unlinked == "drop":
                codes = list(codes)
                for at in unlinked:
                    codes[at] = UNLINKED
                leaders, several = _leaders(codes, listed)
            else:
                frames += [[at] for at in unlinked]
    if problems:
        raise ValidationError(problems)
    kept = _keep(frames, codes, listed, leaders, several, reference, extra, linked=linking is not None)
    masks, spurious, fillers = _masks(frames, codes, kept, reference, extra)
    skipped = frozenset(unassessed)
    counted = _count(leaders, codes, reference, skipped)
    return Observed(
        arguments=listed,
        codes=codes,
        kept=kept,
        leaders=leaders,
        frames=frames,
        masks=masks,
        links=score_links(reference.frames, masks),
        counted=counted,
        all_classes=counted if leaders is everything[0] else _count(everything[0], given, reference, skipped),
        unassessed=unassessed,
        unlinked=unlinked,
        extra=extra,
        spurious=spurious,
        fillers=fillers,
    )


def observe_2014(arguments: Arguments, reference: Reference, settings: Settings) -> Classes:
    """The classes of a system, as they were counted when there was no linking."""
    return observe(arguments, None, reference, settings).all_classes


def _assign(
    places: Sequence[int],
    codes: list[int],
    listed: Sequence[Argument],
    reference: Reference,
    profile: Profile,
    extra: dict[int, Class],
    place: str | None,
) -> list[Problem]:
    """Codes for responses that the key does not have: under another spelling, removed by a rule, or wrong."""
    problems = []
    numbers: dict[Class, int] = {}
    for at in list(places):
        argument = listed[at]
        response = argument.response
        if reference.spellings and response.type in OTHER_SPELLINGS:
            code = reference.codes.get(response._replace(type=OTHER_SPELLINGS[response.type]))
            if code is not None:
                codes[at] = code
                places.remove(at)  # type: ignore[attr-defined]
                continue
        own = reference.cluster(response)
        rule = reference.bans.rule(response, own)
        if profile.unassessed == "error":
            what = f"{response.type} {response.role} {response.cas.text!r} {response.realis}"
            message = f"nobody has assessed the response {argument.id or what!r} of {response.document!r} ({what!r})"
            quoted = "; if it stands in a quotation, leave it out with --docs-text SOURCES;"
            quoted = "," if reference.unquoted else quoted
            hint = f"complete the assessment{quoted} or choose what becomes of such responses with --unassessed"
            problems.append(Problem(message, path=place, line=argument.line or None, hint=hint))
            codes[at] = IGNORED
        elif rule is not None:
            codes[at] = REMOVED[rule]
        elif profile.unassessed == "ignore":
            codes[at] = IGNORED
        else:
            key = reference.class_of(response)
            number = reference.numbers.get(key)
            if number is None:
                number = numbers.setdefault(key, len(reference.classes) + len(numbers))
                extra[number] = key
            codes[at] = number << SHIFT
    return problems


def _leaders(codes: Sequence[int], listed: Sequence[Argument]) -> tuple[dict[int, int], set[int]]:
    """The place of the best response of each class, and the classes with several responses."""
    found: dict[int, int] = {}
    several: set[int] = set()
    first = found.setdefault
    for at, code in enumerate(codes):
        if code < 0:
            continue
        number = code >> SHIFT
        other = first(number, at)
        if other != at:
            several.add(number)
            if _is_better(listed[at], listed[other]):
                found[number] = at
    return found, several


def _is_better(one: Argument, other: Argument) -> bool:
    if one[1] != other[1]:
        return one[1] > other[1]
    return best((one, other)) is one


def _places(linking: Linking, responses: Sequence[Response]) -> list[list[int]]:
    """The places of the responses of each frame; mostly they are the very objects that stand there."""
    by_object = {id(response): at for at, response in enumerate(responses)}
    by_value: dict[Response, int] | None = None
    frames = []
    for frame in linking.frames:
        try:
            frames.append([by_object[id(response)] for response in frame.responses])
        except KeyError:
            if by_value is None:
                by_value = {response: at for at, response in enumerate(responses)}
            frames.append([by_value[response] for response in frame.responses if response in by_value])
    return frames


def _outside(
    frames: Sequence[Sequence[int]], codes: Sequence[int], reference: Reference, extra: dict[int, Class]
) -> list[int]:
    """The responses that are left, not generic, and in no frame."""
    inside = set().union(*frames)
    if len(inside) == len(codes):
        return []
    generic, known = reference.generic, len(reference.generic)
    found = []
    for at, code in enumerate(codes):
        if code >= 0 and at not in inside:
            number = code >> SHIFT
            if not (generic[number] if number < known else extra[number][2] == "Generic"):
                found.append(at)
    return found


def _keep(
    frames: Sequence[Sequence[int]],
    codes: Sequence[int],
    listed: Sequence[Argument],
    leaders: dict[int, int],
    several: set[int],
    reference: Reference,
    extra: dict[int, Class],
    *,
    linked: bool,
) -> bytearray:
    """Which responses are the best of their class in some frame, or among the generic ones of the document."""
    kept = bytearray(code >= 0 for code in codes)
    if not several:
        return kept
    for at, code in enumerate(codes):
        if code >= 0 and code >> SHIFT in several:
            kept[at] = 0
    known = len(reference.generic)
    for number in several:
        if not linked or (reference.generic[number] if number < known else extra[number][2] == "Generic"):
            kept[leaders[number]] = 1
    for frame in frames:
        here: dict[int, int] = {}
        for at in frame:
            number = codes[at] >> SHIFT
            if codes[at] >= 0 and number in several:
                other = here.setdefault(number, at)
                if other != at and _is_better(listed[at], listed[other]):
                    here[number] = at
        for at in here.values():
            kept[at] = 1
    return kept


def _masks(
    frames: Sequence[Sequence[int]],
    codes: Sequence[int],
    kept: bytearray,
    reference: Reference,
    extra: dict[int, Class],
) -> tuple[list[int], int, int]:
    """The frames as bits of reference classes that good responses support; and fillers that are not counted there.

    A filler is a response in a frame, so one that is in two frames is two fillers. Those without right company would
    not have cost anything in any case.
    """
    bits, generic, known = reference.frames.bits, reference.generic, len(reference.generic)
    masks = []
    spurious = fillers = 0
    for frame in frames:
        mask = wrong = 0
        for at in frame:
            if not kept[at]:
                continue
            code = codes[at]
            number = code >> SHIFT
            bit = bits.get(number, 0) if code & GOOD else 0
            if bit:
                mask |= bit
                fillers += 1
            elif not (generic[number] if number < known else extra[number][2] == "Generic"):
                wrong += 1
        masks.append(mask)
        fillers += wrong
        if mask:
            spurious += wrong
    return masks, spurious, fillers


def _count(leaders: dict[int, int], codes: Sequence[int], reference: Reference, unassessed: frozenset[int]) -> Classes:
    good = perfect = semantic = excused = 0
    correct, known = reference.correct, len(reference.correct)
    for number, at in leaders.items():
        code = codes[at]
        if code & GOOD:
            good += 1
            if code & PERFECT:
                perfect += 1
        if number < known and correct[number]:
            semantic += 1
            if unassessed and at in unassessed:
                excused += 1
    return Classes(len(leaders), good, perfect, semantic, excused)


def not_kept(observed: Observed) -> int:
    """How many responses another one of their class stands for."""
    return sum(code >= 0 for code in observed.codes) - sum(observed.kept)


def _not_linked(places: Sequence[int], listed: Sequence[Argument], document: str, place: str | None) -> list[Problem]:
    problems = []
    hint = "link it, if only to itself, or choose what becomes of such responses with --unlinked"
    for at in places:
        argument = listed[at]
        response = argument.response
        what = f"{response.type} {response.role} {response.cas.text!r}"
        message = f"the response {argument.id or what} of {document} is {response.realis} and in no frame"
        problems.append(Problem(message, path=place, line=argument.line or None, hint=hint))
    return problems
