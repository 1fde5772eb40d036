"""Views of a document that are scored instead of it: without quotations, with another taxonomy, or neutral.

All views are made before any rule is applied to the responses, and on all sides alike. A neutral feature no longer
matters. Realis: everything becomes Actual, in the responses, the assessments and the linking. Coreference, after
realis: a response with the right base filler and a wrong CAS becomes a correct response of the key to that question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from adjudge.errors import UsageError
from adjudge.formats.eal_arguments import ArgumentLines
from adjudge.formats.eal_assessments import KeyLines
from adjudge.formats.eal_fields import id_2014
from adjudge.formats.eal_linking import LinkedLines
from adjudge.formats.eal_store import transformed
from adjudge.model.eal import AnswerKey, Argument, Arguments, Assessment, Linking, Response, Span
from adjudge.tasks.eal.responses import (
    ACCEPTABLE,
    Outcome,
    Remark,
    change_linking,
    class_of,
    is_good,
    is_perfect,
    replace,
)
from adjudge.tasks.eal.settings import Profile, Settings, Taxonomy
from adjudge.tasks.eal.texts import filter_quotes

Generics: TypeAlias = Literal["singleton", "unlinked"]
Order: TypeAlias = Literal["file", "hash"]
First: TypeAlias = Literal["smallest", "key"]


def neutralize_realis(arguments: Arguments, linking: Linking | None, *, generics: Generics = "singleton") -> Outcome:
    """All responses as Actual; of those that have become equal the most confident.

    A response that was Generic is in no hopper. It gets one of its own, unless its new form is linked already; or it
    stays outside (`unlinked`), as in the official program, where it vanishes in the next step.

    >>> from adjudge.model.eal import Cas, Span
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", Span(0, 2)), Span(0, 2), (Span(0, 9),), (), "Generic")
    >>> outcome = neutralize_realis(Arguments("d", [Argument(bob)]), Linking("d"))
    >>> [argument.response.realis for argument in outcome.arguments.arguments], len(outcome.linking.frames)
    (['Actual'], 1)
    """
    mapping = {
        argument.response: (_actual(argument.response), f"realis-was-{argument.response.realis.lower()}")
        for argument in arguments.arguments
        if argument.response.realis != "Actual"
    }
    outcome = replace(arguments, linking, mapping)
    if outcome.linking is None or generics == "unlinked":
        return outcome
    linked = outcome.linking.linked
    outside = [actual for old, (actual, _) in mapping.items() if old.realis == "Generic" and actual not in linked]
    return outcome._replace(linking=change_linking(outcome.linking, add=outside)) if outside else outcome


def neutralize_realis_key(key: AnswerKey, *, order: Order = "file") -> AnswerKey:
    """All responses of a key and all answers about realis as Actual.

    Of responses that have become equal, the last that was not Actual gives the assessment. With `order="hash"` they
    come out in the order of the official program.
    """
    assessed: dict[Response, Assessment] = {}
    for original in (True, False):  # those that change come behind the others
        for response, assessment in key.assessed.items():
            if (response.realis == "Actual") is original:
                asked = assessment.realis is not None
                assessed[_actual(response)] = assessment._replace(realis="Actual") if asked else assessment
    if order == "hash":
        assessed = {response: assessed[response] for response in hash_order(assessed, len(key.assessed))}
    unassessed = dict.fromkeys(map(_actual, key.unassessed))
    return AnswerKey(key.document, assessed, [each for each in unassessed if each not in assessed], key.coref)


def hash_order(responses: Iterable[Response], size: int) -> list[Response]:
    """Responses as a hash table of Java gives them back: by the low bits of their 2014 ids, else as they come.

    `size` is the number of entries for which the table was made.
    """
    capacity = 1
    while capacity < int(size / 0.75 + 1):
        capacity *= 2

    def bucket(response: Response) -> int:
        number = id_2014(response) & 0xFFFFFFFF
        return (number ^ number >> 16) & (capacity - 1)

    return sorted(responses, key=bucket)


def neutralize_coref(
    arguments: Arguments, linking: Linking | None, key: AnswerKey, *, first: First = "smallest"
) -> Outcome:
    """Replace responses with a correct base filler and a wrong CAS, or remove them if the key has no better one.

    The replacement is a good response of the key with the same type, role and base filler, else with the same type and
    role: the one with the smallest CAS span and 2014 id, or the first in the order of the key. Realis must be neutral
    on both sides. Responses without assessment stay, with a remark.
    """
    _check_neutral(arguments, key)
    good = [response for response, assessment in key.assessed.items() if is_good(response, assessment)]
    if first == "smallest":
        good.sort(key=lambda response: (response.cas.span, id_2014(response), response))
    same_filler: dict[tuple[object, ...], Response] = {}
    same_role: dict[tuple[object, ...], Response] = {}
    for response in good:
        same_filler.setdefault((response.type, response.role, response.base_filler), response)
        same_role.setdefault((response.type, response.role), response)
    mapping: dict[Response, tuple[Response, str]] = {}
    gone: dict[int, tuple[str, Argument | None]] = {}
    remarks: list[Remark] = []
    for place, argument in enumerate(arguments.arguments):
        response = argument.response
        assessment = key.assessed.get(response)
        if assessment is None:
            remarks.append(Remark(argument, "unassessed", "nobody has assessed it, so it stays as it is"))
        elif assessment.base_filler in ACCEPTABLE and assessment.cas not in ACCEPTABLE:
            question = response.type, response.role
            if (*question, response.base_filler) in same_filler:
                mapping[response] = same_filler[*question, response.base_filler], "correct-cas-for-base-filler"
            elif question in same_role:
                mapping[response] = same_role[question], "correct-cas-for-role"
            else:
                gone[place] = "no-correct-cas", None
    return replace(arguments, linking, mapping, gone, remarks=remarks)


def _actual(response: Response) -> Response:
    return response if response.realis == "Actual" else response._replace(realis="Actual")


def _check_neutral(arguments: Arguments, key: AnswerKey) -> None:
    realis = {argument.response.realis for argument in arguments.arguments}
    realis |= {response.realis for response in key.assessed}
    realis |= {assessment.realis for assessment in key.assessed.values() if assessment.realis is not None}
    if realis - {"Actual"}:
        message = f"{arguments.document}: coreference can be neutralised only where realis is"
        raise UsageError(message, hint="neutralise realis as well, in the store and in the key")


Mapper: TypeAlias = Callable[[str], "str | None"]

_COLLAPSED = {"Contact", "Movement", "Transaction"}
_LAX = {"Contact", "Transaction"}
_REMOVED = {"Manufacture"}


class Gold(NamedTuple):
    """A key and its frames, and how many responses of each a view has removed, or changed in the key, by reason."""

    key: KeyLines
    frames: LinkedLines | None
    removed: Mapping[str, int]
    unlinked: Mapping[str, int]
    changed: Mapping[str, int]


class System(NamedTuple):
    """The responses and frames of a system, and how many responses a view has removed or changed, by reason."""

    lines: ArgumentLines
    linked: LinkedLines | None
    removed: Mapping[str, int]
    changed: Mapping[str, int]
    gone: Sequence[tuple[Argument, str]] = ()

    def linking(self) -> Linking | None:
        """The frames as objects."""
        return None if self.linked is None else self.linked.linking()

    def changed_to(self, arguments: Arguments, linking: Linking | None) -> System:
        """The same with other responses and frames."""
        lines = ArgumentLines(arguments.document, arguments.arguments)
        return self._replace(lines=lines, linked=linked_lines(linking, lines))


def linked_lines(linking: Linking | LinkedLines | None, known: ArgumentLines | KeyLines) -> LinkedLines | None:
    """Frames as places among the responses of a document."""
    return LinkedLines.of(linking, known) if isinstance(linking, Linking) else linking


def view_gold(
    lines: KeyLines, linked: LinkedLines | None, settings: Settings, regions: Sequence[Span] | None = None
) -> Gold:
    """The gold side as it is scored; `regions` are the quotations of the document, if they are to be left out."""
    removed: dict[str, int] = {}
    unlinked: dict[str, int] = {}
    changed: dict[str, int] = {}
    if not (regions or settings.neutralize or settings.taxonomy != "full"):
        return Gold(lines, linked, removed, unlinked, changed)
    key, frames = lines.whole(), None if linked is None else linked.linking()
    if regions:
        key, frames = _unquoted_key(key, frames, regions, removed, unlinked)
    if settings.taxonomy != "full":
        mapper = type_mapper(settings.taxonomy)
        types = [response.type for response in (*key.assessed, *key.unassessed)]
        _add(changed, "type-merged", sum(mapper(type_) not in (None, type_) for type_ in types))
        key, frames = _other_types(key, frames, settings.taxonomy, removed, unlinked)
    if settings.neutralize:
        everything = (*key.assessed, *key.unassessed)
        _add(changed, "realis-neutralised", sum(response.realis != "Actual" for response in everything))
        if frames is not None:
            inside = frames.linked | frames.incomplete
            frames = change_linking(frames, replace={response: _actual(response) for response in inside})
        key = _neutral_key(key, settings.profile)
    lines = KeyLines.of(key)
    return Gold(lines, linked_lines(frames, lines), removed, unlinked, changed)


def view_system(system: System, settings: Settings, regions: Sequence[Span] | None = None) -> System:
    """The side of a system as it is scored, but for coreference, which is made neutral after the rules."""
    arguments, linking = system.lines.whole(), system.linking()
    removed: dict[str, int] = {}
    changed: dict[str, int] = {}
    gone: list[tuple[Argument, str]] = []
    if regions:
        outcome = filter_quotes(arguments, linking, regions)
        _add(removed, "quoted", len(outcome.removed))
        gone += [(each.argument, each.reason) for each in outcome.removed]
        arguments, linking = outcome.arguments, outcome.linking
    if settings.taxonomy != "full":
        mapper = type_mapper(settings.taxonomy)
        lost = [each for each in arguments.arguments if mapper(each.response.type) is None]
        kept = [each for each in arguments.arguments if mapper(each.response.type) is not None]
        _add(removed, "not-in-taxonomy", len(lost))
        gone += [(each, "not-in-taxonomy") for each in lost]
        mapping = _mapping((each.response for each in kept), mapper)
        arguments, _ = transformed(Arguments(arguments.document, kept), None, mapping.__getitem__)
        if linking is not None:
            linking = _mapped_linking(linking, mapping, mapper)
        _add(removed, "merged", len(kept) - len(arguments.arguments))
        _add(changed, "type-merged", sum(one.type != other.type for one, other in mapping.items()))
    if settings.neutralize:
        generics = "singleton" if settings.profile.neutralised_generic == "keep" else "unlinked"
        neutral = neutralize_realis(arguments, linking, generics=generics)  # type: ignore[arg-type]
        _add(removed, "merged", len(neutral.removed))
        _add(changed, "realis-neutralised", len(neutral.changed))
        gone += [(each.argument, "merged") for each in neutral.removed]
        arguments, linking = neutral.arguments, neutral.linking
    return system.changed_to(arguments, linking)._replace(removed=removed, changed=changed, gone=gone)


def neutral_coref(before: Outcome, key: AnswerKey, profile: Profile) -> System:
    """The side of a system after a wrong CAS with a right base filler has become a right one."""
    first: First = "key" if profile.replacement == "table" else "smallest"
    outcome = neutralize_coref(before.arguments, before.linking, key, first=first)
    removed: dict[str, int] = {}
    for each in outcome.removed:
        _add(removed, each.reason, 1)
    changed: dict[str, int] = {}
    _add(changed, "coref-neutralised", len(outcome.changed))
    gone = [(each.argument, each.reason) for each in outcome.removed]
    lines = ArgumentLines(outcome.arguments.document, outcome.arguments.arguments)
    return System(lines, linked_lines(outcome.linking, lines), removed, changed, gone)


def type_mapper(taxonomy: Taxonomy) -> Mapper:
    """What becomes of an event type: another one, or nothing.

    >>> collapsed = type_mapper("collapsed")
    >>> collapsed("Contact.Meet"), collapsed("Life.Die"), collapsed("Manufacture.Artifact")
    ('Contact', 'Life.Die', None)
    """
    merged = _COLLAPSED if taxonomy == "collapsed" else _LAX if taxonomy == "type-lax" else set()
    removed = _REMOVED if taxonomy == "collapsed" else set()

    def mapper(type_: str) -> str | None:
        group = type_.partition(".")[0]
        return None if group in removed else group if group in merged else type_

    return mapper


def _add(counts: dict[str, int], name: str, number: int) -> None:
    if number:
        counts[name] = counts.get(name, 0) + number


# ---------------------------------------------------------------------------------------------------------------------
# Quotations


def _unquoted_key(
    key: AnswerKey,
    frames: Linking | None,
    regions: Sequence[Span],
    removed: dict[str, int],
    unlinked: dict[str, int],
) -> tuple[AnswerKey, Linking | None]:
    everything = [Argument(response) for response in (*key.assessed, *key.unassessed)]
    outcome = filter_quotes(Arguments(key.document, everything), None, regions)
    quoted = {each.argument.response for each in outcome.removed}
    _add(removed, "quoted", len(quoted))
    assessed = {response: each for response, each in key.assessed.items() if response not in quoted}
    rest = [response for response in key.unassessed if response not in quoted]
    if frames is not None:
        _add(unlinked, "quoted", len(frames.linked & quoted))
        frames = change_linking(frames, delete=quoted)
    return AnswerKey(key.document, assessed, rest, key.coref), frames


# ---------------------------------------------------------------------------------------------------------------------
# Taxonomy


def _mapping(responses: Iterable[Response], mapper: Mapper) -> dict[Response, Response]:
    found = {}
    for response in responses:
        type_ = mapper(response.type)
        if type_ is not None:
            found[response] = response if type_ == response.type else response._replace(type=type_)
    return found


def _mapped_linking(linking: Linking, mapping: Mapping[Response, Response], mapper: Mapper) -> Linking:
    inside = linking.linked | linking.incomplete
    whole = {**_mapping(inside, mapper), **mapping}
    return change_linking(linking, replace=whole, delete=inside - whole.keys())


def _other_types(
    key: AnswerKey,
    frames: Linking | None,
    taxonomy: Taxonomy,
    removed: dict[str, int],
    unlinked: dict[str, int],
) -> tuple[AnswerKey, Linking | None]:
    """The key with other types: of assessments of one response the best counts.

    With `type-lax` a response whose event type is wrong counts as right if the key has a good one of the same class,
    whose subtype is another.
    """
    mapper = type_mapper(taxonomy)
    mapping = _mapping((*key.assessed, *key.unassessed), mapper)
    _add(removed, "not-in-taxonomy", len(key.assessed) + len(key.unassessed) - len(mapping))
    assessed: dict[Response, Assessment] = {}
    for response, assessment in key.assessed.items():
        if response in mapping:
            other = mapping[response]
            if other not in assessed or _worth(other, assessment) > _worth(other, assessed[other]):
                assessed[other] = assessment
    if taxonomy == "type-lax":
        _forgive(assessed, key)
    rest = dict.fromkeys(mapping[response] for response in key.unassessed if response in mapping)
    if frames is not None:
        _add(unlinked, "not-in-taxonomy", sum(mapper(response.type) is None for response in frames.linked))
        frames = _mapped_linking(frames, mapping, mapper)
    return AnswerKey(key.document, assessed, [each for each in rest if each not in assessed], key.coref), frames


def _worth(response: Response, assessment: Assessment) -> int:
    return is_good(response, assessment) + is_perfect(response, assessment)


def _forgive(assessed: dict[Response, Assessment], key: AnswerKey) -> None:
    right: dict[object, Assessment] = {}
    for response, assessment in assessed.items():
        if response.type in _LAX and is_good(response, assessment):
            right.setdefault(class_of(response, key.coref), assessment)
    for response, assessment in assessed.items():
        if response.type in _LAX and assessment.event_type not in ("C", "I"):
            better = right.get(class_of(response, key.coref))
            if better is not None:
                assessed[response] = better


# ---------------------------------------------------------------------------------------------------------------------
# Realis


def _neutral_key(key: AnswerKey, profile: Profile) -> AnswerKey:
    neutral = neutralize_realis_key(key)
    if profile.replacement == "smallest":
        return neutral
    # The official program rebuilds its table twice: for the responses, and for the answers about realis.
    order = hash_order(neutral.assessed, len(key.assessed))
    order = hash_order(order, len(order))
    return AnswerKey(
        key.document, {response: neutral.assessed[response] for response in order}, neutral.unassessed, key.coref
    )
