"""One document from the files to a row of counts: the key is prepared once, then every system is compared with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from adjudge.model.eal import AnswerKey, Argument, Arguments, Linking, Span
from adjudge.tasks.eal.changes import change_linking, remove
from adjudge.tasks.eal.classes import GOOD, REMOVED, RULES, SHIFT, Reference, build_reference
from adjudge.tasks.eal.link import score_alternatives
from adjudge.tasks.eal.measures import alternative_counts, argument_counts, link_counts, row_2014
from adjudge.tasks.eal.neutralize import hash_order
from adjudge.tasks.eal.observe import IGNORED, Classes, Observed, not_kept, observe, observe_2014
from adjudge.tasks.eal.preprocess import Gold, System, neutral_coref, view_gold, view_system
from adjudge.tasks.eal.rules import repair_lower_x, repaired_key
from adjudge.tasks.eal.settings import Settings
from adjudge.tasks.eal.trim import trim


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
    """A system's side of a document, what became of it, its row of counts, and how many responses each rule took."""

    system: System
    observed: Observed
    row: tuple[float, ...]
    removed: Mapping[str, int]


def prepare(
    key: AnswerKey,
    frames: Linking | None,
    settings: Settings,
    *,
    regions: Sequence[Span] | None = None,
    key_place: str | None = None,
    frames_place: str | None = None,
) -> Prepared:
    """Everything that is the same for all systems; every problem is raised at once."""
    gold = view_gold(key, frames, settings, regions)
    repair = settings.profile.repair_lower_x
    if repair == "all":
        times = len(repair_lower_x((*gold.key.assessed, *gold.key.unassessed)))
        changed = {**gold.changed, "time-repaired": times} if times else gold.changed
        gold = gold._replace(key=repaired_key(gold.key), frames=_repaired_frames(gold.frames), changed=changed)
    places = {"key_place": key_place, "frames_place": frames_place}
    reference = build_reference(gold.key, gold.frames, settings, **places)
    reference_2014 = reference
    if repair == "2014":
        other = repaired_key(gold.key)
        if other is not gold.key:
            reference_2014 = build_reference(other, None, settings._replace(linking=False), **places)
    reference.unquoted = reference_2014.unquoted = regions is not None
    after = _after(gold.key, reference, settings) if settings.neutralize == "coref" else None
    return Prepared(gold, reference, reference_2014, after, regions)


def _repaired_frames(frames: Linking | None) -> Linking | None:
    if frames is None:
        return None
    inside = (response for frame in frames.frames for response in frame.responses)
    return change_linking(frames, replace=repair_lower_x(inside))


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
    arguments: Arguments,
    linking: Linking | None,
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
    changes = bool(prepared.regions or settings.neutralize or settings.taxonomy != "full")
    system = (
        view_system(arguments, linking, settings, prepared.regions) if changes else System(arguments, linking, {}, {})
    )
    if settings.profile.repair_lower_x == "all":
        system = _repaired(system)
    if settings.profile.trim_unassessed:
        system = _trimmed(system, reference, settings)
    removed = dict(system.removed)
    if prepared.after is not None:
        system, more = _coref(system, prepared, settings)
        for name, number in more.items():
            removed[name] = removed.get(name, 0) + number
    observed = observe(system.arguments, system.linking, reference, settings, place=place)
    for code, rule in RULES.items():
        number = observed.codes.count(code)
        if number:
            removed[rule] = removed.get(rule, 0) + number
    for name, number in (
        ("unassessed", observed.codes.count(IGNORED)),
        ("unlinked", len(observed.unlinked) if settings.profile.unlinked == "drop" else 0),
        ("redundant", not_kept(observed)),
    ):
        if number:
            removed[name] = removed.get(name, 0) + number
    row: tuple[float, ...] = argument_counts(observed.counted, sum(reference.correct), settings)
    row += row_2014(_classes_2014(system.arguments, prepared, observed, settings), prepared.reference_2014, settings)
    if settings.linking:
        row += link_counts(observed.links, settings, spurious=observed.spurious, fillers=observed.fillers)
        if any(name != "f" for name in settings.extras):
            alternatives = score_alternatives(reference.frames.masks, whole_masks(observed, reference))
            row += alternative_counts(alternatives, settings)
    return Compared(system, observed, row, removed)


def _trimmed(system: System, reference: Reference, settings: Settings) -> System:
    """Without redundant responses, if there are responses that nobody has assessed: they were left out of the pool."""
    lines = system.arguments.arguments
    if all(argument.response in reference.codes for argument in lines):
        return system
    outcome = trim(system.arguments, system.linking, unlinked=settings.profile.unlinked)
    gone = [each for each in outcome.removed if each.argument.response not in reference.codes]
    if not gone:
        return system
    lost = {each.argument.response for each in gone}
    kept = [argument for argument in lines if argument.response not in lost]
    linking = None if system.linking is None else change_linking(system.linking, delete=lost)
    return system._replace(
        arguments=Arguments(system.arguments.document, kept),
        linking=linking,
        removed={**system.removed, "redundant": system.removed.get("redundant", 0) + len(gone)},
        gone=(*system.gone, *((each.argument, each.reason) for each in gone)),
    )


def _repaired(system: System) -> System:
    from adjudge.formats.eal_store import transformed

    changed = repair_lower_x(argument.response for argument in system.arguments.arguments)
    if not changed:
        return system
    arguments, linking = transformed(system.arguments, system.linking, lambda response: changed.get(response, response))
    return system._replace(
        arguments=arguments, linking=linking, changed={**system.changed, "time-repaired": len(changed)}
    )


def _coref(system: System, prepared: Prepared, settings: Settings) -> tuple[System, dict[str, int]]:
    """Neutral coreference of what the rules leave."""
    reference = prepared.reference
    gone: dict[int, tuple[str, Argument | None]] = {}
    counts: dict[str, int] = {}
    for at, argument in enumerate(system.arguments.arguments):
        rule = reference.bans.rule(argument.response, reference.cluster(argument.response))
        if rule is not None:
            gone[at] = rule, None
            counts[rule] = counts.get(rule, 0) + 1
    outcome = remove(system.arguments, system.linking, gone)
    assert prepared.after is not None
    neutral = neutral_coref(outcome.arguments, outcome.linking, prepared.after, settings.profile)
    for name, number in neutral.removed.items():
        counts[name] = counts.get(name, 0) + number
    lost = [(each.argument, each.reason) for each in outcome.removed]
    together = neutral._replace(
        removed=system.removed,
        changed={**system.changed, **neutral.changed},
        gone=(*system.gone, *lost, *neutral.gone),
    )
    return together, counts


def _classes_2014(arguments: Arguments, prepared: Prepared, observed: Observed, settings: Settings) -> Classes:
    if settings.profile.repair_lower_x != "2014":
        return observed.all_classes
    changed = repair_lower_x(argument.response for argument in arguments.arguments)
    if not changed and prepared.reference_2014 is prepared.reference:
        return observed.all_classes
    from adjudge.formats.eal_store import transformed

    repaired, _ = transformed(arguments, None, lambda response: changed.get(response, response))
    return observe_2014(repaired, prepared.reference_2014, settings._replace(linking=False))


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
