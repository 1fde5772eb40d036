"""From one document's files to a row of counts: the key is prepared once, then every system is compared with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from adjudge.errors import Problem, ValidationError
from adjudge.formats.eal_arguments import ArgumentLines
from adjudge.formats.eal_assessments import KeyLines
from adjudge.formats.eal_linking import LinkedLines
from adjudge.formats.eal_store import transformed
from adjudge.model.eal import AnswerKey, Argument, Arguments, Linking, Response, Span
from adjudge.tasks.eal.measures import Classes, Links, score_alternatives, score_links
from adjudge.tasks.eal.reference import (
    GOOD,
    OTHER_SPELLINGS,
    PERFECT,
    REMOVED,
    RULES,
    SHIFT,
    Class,
    Reference,
    build_reference,
    has_lower_x,
    repair_lower_x,
    repaired_key,
)
from adjudge.tasks.eal.responses import best, change_linking, remove, trim
from adjudge.tasks.eal.settings import Profile, Settings
from adjudge.tasks.eal.views import Gold, System, hash_order, linked_lines, neutral_coref, view_gold, view_system

IGNORED = -3  # the code of a response that nobody has assessed and that is left out
UNLINKED = -4  # that of one which is in no frame and is left out


@dataclass(slots=True, eq=False)
class Observed:
    """The outcome of the responses of a document, by their indices in the file.

    `codes` are those of `classes`, with more negative numbers; `kept` says which responses are not redundant; `leaders`
    has the place of the representative of each class; `frames` the places of each frame.
    """

    lines: ArgumentLines
    codes: list[int]
    kept: bytearray
    leaders: dict[int, int]
    frames: Sequence[Sequence[int]]
    masks: list[int]
    links: Links
    counted: Classes
    all_classes: Classes  # as in 2014: whether a response is linked does not matter
    unassessed: list[int] = field(default_factory=list)
    unlinked: list[int] = field(default_factory=list)
    extra: dict[int, Class] = field(default_factory=dict)  # classes that the key does not have
    spurious: int = 0  # fillers that share a frame with correct ones and cost nothing
    fillers: int = 0

    @property
    def arguments(self) -> Sequence[Argument]:
        """The responses as objects."""
        return self.lines.arguments


def observe(
    lines: ArgumentLines,
    linked: LinkedLines | None,
    reference: Reference,
    settings: Settings,
    given: Sequence[int | None],
    *,
    place: str | None = None,
) -> Observed:
    """Compare a document with its reference; without a linking, the document is one frame for the choice of the best.

    Each response is on one line only; `given` are the codes of the responses in the reference. Every problem that the
    profile does not settle is raised at once.

    >>> from adjudge.model.eal import AnswerKey, Assessment, Cas, Frame, Span
    >>> at = Span(0, 2)
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", at), at, (Span(0, 9),), (), "Actual")
    >>> key = AnswerKey("d", {bob: Assessment("C", "C", "C", "I", "Actual", "NAME")}, (), {bob.cas: 7})
    >>> frames = Linking("d", [Frame(frozenset([bob]))])
    >>> reference, lines = prepare(key, frames, Settings()).reference, ArgumentLines("d", [Argument(bob)])
    >>> linked = LinkedLines.of(frames, lines)
    >>> found = observe(lines, linked, reference, Settings(), reference.codes_of(lines))
    >>> found.counted, found.links.f
    (Classes(total=1, good=1, perfect=0, semantic=1, excused=0), 1.0)
    """
    codes: list[int] = list(given)  # type: ignore[arg-type]
    problems: list[Problem] = []
    unassessed: list[int] = []
    extra: dict[int, Class] = {}
    if None in codes:
        unassessed = [at for at, code in enumerate(codes) if code is None]
        problems += _assign(unassessed, codes, lines.arguments, reference, settings.profile, extra, place)
    everything, before = _leaders(codes, lines), codes
    frames: Sequence[Sequence[int]] = []
    unlinked: list[int] = []
    leaders, several = everything
    if linked is not None and settings.linking:
        frames = linked.inside()
        unlinked = _outside(frames, codes, reference, extra)
        if unlinked:
            if settings.profile.unlinked == "error":
                problems += _not_linked(unlinked, lines, place)
            elif settings.profile.unlinked == "drop":
                codes = list(codes)
                for at in unlinked:
                    codes[at] = UNLINKED
                leaders, several = _leaders(codes, lines)
            else:
                frames = [*frames, *([at] for at in unlinked)]
    if problems:
        raise ValidationError(problems)
    kept = _keep(frames, codes, lines, leaders, several, reference, extra, linked=linked is not None)
    masks, spurious, fillers = _masks(frames, codes, kept, reference, extra)
    skipped = frozenset(unassessed)
    counted = _count(leaders, codes, reference, skipped)
    return Observed(
        lines=lines,
        codes=codes,
        kept=kept,
        leaders=leaders,
        frames=frames,
        masks=masks,
        links=score_links(reference.frames, masks),
        counted=counted,
        all_classes=counted if leaders is everything[0] else _count(everything[0], before, reference, skipped),
        unassessed=unassessed,
        unlinked=unlinked,
        extra=extra,
        spurious=spurious,
        fillers=fillers,
    )


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
        rule = reference.rule(response)
        if profile.unassessed == "error":
            what = f"{response.type} {response.role} {response.cas.text!r} {response.realis}"
            message = f"nobody has assessed the response {argument.id or what!r} of {response.document!r} ({what!r})"
            quoted = "; if it is in a quotation, leave it out with --quotes-in SOURCES;"
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


def _leaders(codes: Sequence[int], lines: ArgumentLines) -> tuple[dict[int, int], set[int]]:
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
            if _is_better(lines, at, other):
                found[number] = at
    return found, several


def _is_better(lines: ArgumentLines, one: int, other: int) -> bool:
    sure = lines.confidences
    if sure[one] != sure[other]:
        return sure[one] > sure[other]
    first = lines.arguments[one]
    return best((first, lines.arguments[other])) is first


def _outside(
    frames: Sequence[Sequence[int]], codes: Sequence[int], reference: Reference, extra: dict[int, Class]
) -> list[int]:
    """The responses that are left, not generic, and in no frame."""
    inside = set().union(*frames)
    if len(inside) == len(codes):
        return []
    generic, known = reference.generic, len(reference.generic)
    return [
        at
        for at, code in enumerate(codes)
        if at not in inside
        and code >= 0
        and not (generic[code >> SHIFT] if code >> SHIFT < known else extra[code >> SHIFT][2] == "Generic")
    ]


def _keep(
    frames: Sequence[Sequence[int]],
    codes: Sequence[int],
    lines: ArgumentLines,
    leaders: dict[int, int],
    several: set[int],
    reference: Reference,
    extra: dict[int, Class],
    *,
    linked: bool,
) -> bytearray:
    """Which responses are the best of their class in some frame, or among the generic ones of the document."""
    kept = bytearray([code >= 0 for code in codes])
    if not several:
        return kept
    rivals = {at: number for at, code in enumerate(codes) if (number := code >> SHIFT) in several}
    for at in rivals:
        kept[at] = 0
    known = len(reference.generic)
    for number in several:
        if not linked or (reference.generic[number] if number < known else extra[number][2] == "Generic"):
            kept[leaders[number]] = 1
    for frame in frames:
        here: dict[int, int] = {}
        for at in frame:
            if at in rivals:
                other = here.setdefault(rivals[at], at)
                if other != at and _is_better(lines, at, other):
                    here[rivals[at]] = at
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
    return sum([code >= 0 for code in observed.codes]) - sum(observed.kept)


def _not_linked(places: Sequence[int], lines: ArgumentLines, place: str | None) -> list[Problem]:
    problems = []
    hint = "link it, even if only to itself, or choose what becomes of such responses with --unlinked"
    for at in places:
        argument = lines.arguments[at]
        response = argument.response
        what = f"{response.type} {response.role} {response.cas.text!r}"
        message = f"the response {argument.id or what} of {lines.document} is {response.realis} and in no frame"
        problems.append(Problem(message, path=place, line=argument.line or None, hint=hint))
    return problems


class Prepared(NamedTuple):
    """The gold side of a document: as it is scored, as numbers, and the same for the measures of 2014.

    `after` is the key after the rules, which neutral coreference needs.
    """

    gold: Gold
    reference: Reference
    reference_2014: Reference
    after: AnswerKey | None = None
    regions: Sequence[Span] | None = None


class Compared(NamedTuple):
    """A system's side of a document, its outcome, its row of counts, and how many responses each rule took."""

    system: System
    observed: Observed
    row: tuple[float, ...]
    removed: Mapping[str, int]


def prepare(
    key: AnswerKey | KeyLines,
    frames: Linking | LinkedLines | None,
    settings: Settings,
    *,
    regions: Sequence[Span] | None = None,
    key_place: str | None = None,
    frames_place: str | None = None,
) -> Prepared:
    """Everything that is the same for all systems; all problems are raised at once."""
    lines = KeyLines.of(key) if isinstance(key, AnswerKey) else key
    gold = view_gold(lines, linked_lines(frames, lines), settings, regions)
    repair = settings.profile.repair_lower_x
    if repair == "all" and has_lower_x(gold.key.texts):
        whole = gold.key.whole()
        times = len(repair_lower_x((*whole.assessed, *whole.unassessed)))
        changed = {**gold.changed, "time-repaired": times} if times else gold.changed
        lines = KeyLines.of(repaired_key(whole))
        if gold.frames is not None:
            linking = gold.frames.linking()
            frames = change_linking(linking, replace=repair_lower_x(linking.linked))
        gold = gold._replace(key=lines, frames=linked_lines(frames, lines), changed=changed)
    places = {"key_place": key_place, "frames_place": frames_place}
    reference = build_reference(gold.key, gold.frames, settings, **places)
    reference_2014 = reference
    if repair == "2014" and has_lower_x(gold.key.texts):
        whole = gold.key.whole()
        other = repaired_key(whole)
        if other is not whole:
            reference_2014 = build_reference(KeyLines.of(other), None, settings._replace(linking=False), **places)
    reference.unquoted = reference_2014.unquoted = regions is not None
    after = _after(gold.key.whole(), reference, settings) if settings.neutralize == "coref" else None
    return Prepared(gold, reference, reference_2014, after, regions)


def _after(key: AnswerKey, reference: Reference, settings: Settings) -> AnswerKey:
    """The key after the rules; the official program rebuilds its hash table for each rule that removes something."""
    order = list(reference.assessed)
    table = settings.profile.replacement == "table"
    if table:
        order = hash_order(order, len(order))
    for code in REMOVED.values():
        left = [response for response in order if reference.codes[response] != code]
        order = hash_order(left, len(order)) if table and len(left) < len(order) else left
    assessed = {response: reference.assessed[response] for response in order}
    return AnswerKey(key.document, assessed, key.unassessed, key.coref)


def compare(
    arguments: Arguments | ArgumentLines,
    linking: Linking | LinkedLines | None,
    prepared: Prepared,
    settings: Settings,
    *,
    place: str | None = None,
) -> Compared:
    """The counts of one document of one system; each response is on one line only.

    >>> from adjudge.model.eal import Assessment, Cas, Frame, Response
    >>> at = Span(0, 2)
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", at), at, (Span(0, 9),), (), "Actual")
    >>> key = AnswerKey("d", {bob: Assessment("C", "C", "C", "I", "Actual", "NAME")}, (), {bob.cas: 7})
    >>> frames = Linking("d", [Frame(frozenset([bob]))])
    >>> prepared = prepare(key, frames, Settings())
    >>> compare(Arguments("d", [Argument(bob)]), frames, prepared, Settings()).row[:4]
    (1, 1, 1, 1.0)
    """
    reference = prepared.reference
    lines = ArgumentLines(arguments.document, arguments.arguments) if isinstance(arguments, Arguments) else arguments
    system = System(lines, linked_lines(linking, lines), {}, {})
    if prepared.regions or settings.neutralize or settings.taxonomy != "full":
        system = view_system(system, settings, prepared.regions)
    if settings.profile.repair_lower_x == "all":
        system = _repaired(system)
    codes = reference.codes_of(system.lines)
    if settings.profile.trim_unassessed and None in codes:
        system = _trimmed(system, reference, settings)
        codes = reference.codes_of(system.lines)
    removed = dict(system.removed)
    if prepared.after is not None:
        system, more = _coref(system, prepared, settings)
        for name, number in more.items():
            removed[name] = removed.get(name, 0) + number
        codes = reference.codes_of(system.lines)
    observed = observe(system.lines, system.linked, reference, settings, codes, place=place)
    numbers = (
        {rule: observed.codes.count(code) for code, rule in RULES.items()} if min(observed.codes, default=0) < 0 else {}
    )
    for name, number in (
        *numbers.items(),
        ("unassessed", observed.codes.count(IGNORED) if observed.unassessed else 0),
        ("unlinked", len(observed.unlinked) if settings.profile.unlinked == "drop" else 0),
        ("redundant", not_kept(observed)),
    ):
        if number:
            removed[name] = removed.get(name, 0) + number
    row = _row(observed, _classes_2014(prepared, observed, settings), prepared, settings)
    return Compared(system, observed, row, removed)


def _row(observed: Observed, of_2014: Classes, prepared: Prepared, settings: Settings) -> tuple[float, ...]:
    """The counts of a document, in the order of `columns`; its argument score is at least 0."""
    profile, counted, reference = settings.profile, observed.counted, prepared.reference
    tp, fp = counted.good, counted.total - counted.good
    excused = (0, 0) if profile.unassessed_misses else (counted.excused, of_2014.excused)
    correct, perfect = sum(prepared.reference_2014.correct), sum(prepared.reference_2014.perfect)
    row: tuple[float, ...] = (
        *(tp, counted.total, sum(reference.correct) - excused[0], max(0.0, tp - settings.beta * fp)),
        *(of_2014.total, of_2014.good, correct - excused[1], of_2014.perfect, perfect, of_2014.semantic, correct),
    )
    if not settings.linking:
        return row
    links = observed.links
    precision, found = links.precision, links.found
    if profile.link_precision == "reference":
        # The official program weighs the precision of a document by the size of the reference, not by what was found.
        precision, found = (precision / found * links.size if found else 0.0), links.size
    row += (links.f, links.recall, precision, found, links.size, links.common, links.system, links.gold)
    row += (observed.spurious, observed.fillers)
    if any(name != "f" for name in settings.extras):
        other = score_alternatives(reference.frames.masks, whole_masks(observed, reference))
        parts = {"b3": other.b3, "ceaf": (*other.ceafm, *other.ceafe), "blanc": other.blanc}
        row += tuple(value for name, part in parts.items() if name in settings.extras for value in part)
    return row


def _trimmed(system: System, reference: Reference, settings: Settings) -> System:
    """Without redundant responses, if there are responses that nobody has assessed: they were left out of the pool."""
    arguments, linking = system.lines.whole(), system.linking()
    outcome = trim(arguments, linking, unlinked=settings.profile.unlinked)
    gone = [each for each in outcome.removed if each.argument.response not in reference.codes]
    if not gone:
        return system
    lost = {each.argument.response for each in gone}
    kept = [argument for argument in arguments.arguments if argument.response not in lost]
    return system.changed_to(
        Arguments(arguments.document, kept),
        None if linking is None else change_linking(linking, delete=lost),
    )._replace(
        removed={**system.removed, "redundant": system.removed.get("redundant", 0) + len(gone)},
        gone=(*system.gone, *((each.argument, each.reason) for each in gone)),
    )


def _repaired(system: System) -> System:
    changed = _lower_x(system.lines)
    if not changed:
        return system
    both = transformed(system.lines.whole(), system.linking(), lambda response: changed.get(response, response))
    return system.changed_to(*both)._replace(changed={**system.changed, "time-repaired": len(changed)})


def _lower_x(lines: ArgumentLines) -> dict[Response, Response]:
    """The times of a system with a small x, and what they become."""
    return repair_lower_x(lines.responses) if not lines.written or has_lower_x(lines.written) else {}


def _coref(system: System, prepared: Prepared, settings: Settings) -> tuple[System, dict[str, int]]:
    """Neutral coreference of the responses that the rules keep."""
    reference = prepared.reference
    gone: dict[int, tuple[str, Argument | None]] = {}
    counts: dict[str, int] = {}
    for at, argument in enumerate(system.lines.arguments):
        rule = reference.rule(argument.response)
        if rule is not None:
            gone[at] = rule, None
            counts[rule] = counts.get(rule, 0) + 1
    outcome = remove(system.lines.whole(), system.linking(), gone)
    assert prepared.after is not None
    neutral = neutral_coref(outcome, prepared.after, settings.profile)
    for name, number in neutral.removed.items():
        counts[name] = counts.get(name, 0) + number
    lost = [(each.argument, each.reason) for each in outcome.removed]
    together = neutral._replace(
        removed=system.removed,
        changed={**system.changed, **neutral.changed},
        gone=(*system.gone, *lost, *neutral.gone),
    )
    return together, counts


def _classes_2014(prepared: Prepared, observed: Observed, settings: Settings) -> Classes:
    if settings.profile.repair_lower_x != "2014":
        return observed.all_classes
    changed = _lower_x(observed.lines)
    reference = prepared.reference_2014
    if not changed and reference is prepared.reference:
        return observed.all_classes
    repaired, _ = transformed(observed.lines.whole(), None, lambda response: changed.get(response, response))
    lines = ArgumentLines(repaired.document, repaired.arguments)
    codes = reference.codes_of(lines)
    return observe(lines, None, reference, settings._replace(linking=False), codes).all_classes


def whole_masks(observed: Observed, reference: Reference) -> list[int]:
    """The frames of a system with all that is in them: what the reference does not have gets bits of its own.

    A class that only a wrong response supports in a frame is not the class of the reference there.
    """
    bits = reference.frames.bits
    generic, known = reference.generic, len(reference.generic)
    others: dict[int, int] = {}
    free = len(reference.frames.members)
    masks = []
    for frame in observed.frames:
        right: set[int] = set()
        wrong: set[int] = set()
        for at in frame:
            if not observed.kept[at]:
                continue
            code = observed.codes[at]
            number = code >> SHIFT
            if generic[number] if number < known else observed.extra[number][2] == "Generic":
                continue
            (right if code & GOOD and number in bits else wrong).add(number)
        mask = 0
        for number in right:
            mask |= bits[number]
        for number in sorted(wrong - right):
            bit = others.get(number)
            if bit is None:
                bit = others[number] = 1 << free
                free += 1
            mask |= bit
        masks.append(mask)
    return masks
