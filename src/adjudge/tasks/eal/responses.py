"""The responses of a document: which compete, which are correct, what operations do to them, which are redundant."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Literal, NamedTuple, TypeAlias

from adjudge.errors import Problem, ValidationError
from adjudge.formats.eal_fields import cached, id_2014
from adjudge.model.eal import Argument, Arguments, Assessment, Cas, Frame, Linking, Realis, Response

Cluster: TypeAlias = "int | Cas"  # a CAS outside all clusters stands for itself
Key: TypeAlias = Callable[[Response], Hashable]

ACCEPTABLE = frozenset(("C", "I"))


class Trfr(NamedTuple):
    """Type, role, filler, realis: the responses of a document that say the same."""

    document: str
    type: str
    role: str
    realis: Realis
    cluster: Cluster


def class_of(response: Response, coref: Mapping[Cas, int]) -> Trfr:
    """The class of a response under a coreference; a CAS without a cluster stands for itself.

    >>> from adjudge.model.eal import Span
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", Span(0, 2)), Span(0, 2), (Span(0, 9),), (), "Actual")
    >>> class_of(bob, {bob.cas: 7})
    Trfr(document='d', type='Life.Die', role='Victim', realis='Actual', cluster=7)
    """
    cluster = coref.get(response.cas, response.cas)
    return Trfr(response.document, response.type, response.role, response.realis, cluster)


def best(arguments: Iterable[Argument]) -> Argument:
    """The argument with the highest confidence; of several, that with the largest 2014 id.

    Ids are computed only where confidences are equal. The same response with the same confidence on several lines: the
    one whose comment, first column and line come first.

    >>> from adjudge.model.eal import Span
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", Span(0, 2)), Span(0, 2), (Span(0, 9),), (), "Actual")
    >>> best([Argument(bob, 0.5), Argument(bob._replace(base_filler=Span(4, 5)), 0.75)]).confidence
    0.75
    """
    found = list(arguments)
    if len(found) == 1:
        return found[0]
    top = max(argument.confidence for argument in found)
    found = [argument for argument in found if argument.confidence == top]
    return found[0] if len(found) == 1 else min(found, key=_tie)


def _tie(argument: Argument) -> tuple[object, ...]:
    response = argument.response
    # Two contents may have one hash: then the content itself decides.
    comment = argument.comment
    return -id_2014(response), response, comment is not None, comment or "", argument.id, argument.line


def distinct(arguments: Iterable[Argument]) -> dict[Response, Argument]:
    """The best argument of each response, in the order in which the responses first appear."""
    arguments = list(arguments)
    found = {argument[0]: argument for argument in arguments}
    if len(found) == len(arguments):  # nearly always
        return found
    found = {}
    for argument in arguments:
        other = found.setdefault(argument.response, argument)
        if other is not argument:
            found[argument.response] = best((other, argument))
    return found


def is_good(response: Response, assessment: Assessment, accepted: frozenset[str] = ACCEPTABLE) -> bool:
    """Whether event type, role, CAS and base filler are correct or inexact, and the realis is the assessor's.

    >>> from adjudge.model.eal import Span
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", Span(0, 2)), Span(0, 2), (Span(0, 9),), (), "Actual")
    >>> is_good(bob, Assessment("C", "C", "I", "C", "Actual")), is_good(bob, Assessment("C", "C", "C", "C", "Other"))
    (True, False)
    """
    return is_good_as(response.realis, assessment, accepted)


@cached
def is_good_as(realis: Realis, assessment: Assessment, accepted: frozenset[str] = ACCEPTABLE) -> bool:
    """The same of any response of this realis."""
    return (
        assessment.event_type in accepted
        and assessment.role in accepted
        and assessment.cas in accepted
        and assessment.base_filler in accepted
        and assessment.realis == realis
    )


def is_perfect(response: Response, assessment: Assessment) -> bool:
    """Whether event type, role, CAS and base filler are all correct, and the realis is the assessor's."""
    return is_good(response, assessment, frozenset("C"))


class Removed(NamedTuple):
    """A removed argument, the reason, and the one preferred to it."""

    argument: Argument
    reason: str
    instead: Argument | None = None


class Changed(NamedTuple):
    """A changed argument, and the reason."""

    before: Argument
    after: Argument
    reason: str


class Remark(NamedTuple):
    """A remark on an unchanged argument, or on the whole document."""

    argument: Argument | None
    reason: str
    message: str


class Outcome(NamedTuple):
    """A document after an operation: each argument of the input is in `arguments`, changed, or removed."""

    arguments: Arguments
    linking: Linking | None
    removed: Sequence[Removed] = ()
    changed: Sequence[Changed] = ()
    remarks: Sequence[Remark] = ()


def remove(
    arguments: Arguments,
    linking: Linking | None,
    gone: Mapping[int, tuple[str, Argument | None]],
    *,
    remarks: Sequence[Remark] = (),
) -> Outcome:
    """The document without the arguments at these places; `gone` gives the reason and the argument preferred.

    A response leaves the linking when its last argument is gone.
    """
    if not gone:
        return Outcome(arguments, linking, remarks=remarks)
    kept = [argument for place, argument in enumerate(arguments.arguments) if place not in gone]
    removed = [Removed(arguments.arguments[place], *gone[place]) for place in sorted(gone)]
    if linking is not None:
        linking = change_linking(linking, delete=_lost(removed, kept))
    return Outcome(Arguments(arguments.document, kept), linking, removed, (), remarks)


def replace(
    arguments: Arguments,
    linking: Linking | None,
    mapping: Mapping[Response, tuple[Response, str]],
    gone: Mapping[int, tuple[str, Argument | None]] | None = None,
    *,
    remarks: Sequence[Remark] = (),
) -> Outcome:
    """The document after each response of `mapping` has become another one, for the reason that is given with it.

    Arguments that now say the same are merged into the best of them. Those at the places `gone` are removed first.
    """
    if not mapping:
        return remove(arguments, linking, gone or {}, remarks=remarks)
    lost = {place: Removed(arguments.arguments[place], *why) for place, why in (gone or {}).items()}
    stay = [(place, argument) for place, argument in enumerate(arguments.arguments) if place not in lost]
    groups: dict[Response, list[int]] = {}
    after: dict[int, Argument] = {}
    for place, argument in stay:
        new = mapping.get(argument.response)
        # The first column names the content that was.
        after[place] = argument if new is None else argument._replace(response=new[0], id="")
        groups.setdefault(after[place].response, []).append(place)
    targets = {response for response, _ in mapping.values()}
    for response, places in groups.items():
        if response in targets and len(places) > 1:
            winner = best(after[place] for place in places)
            first = next(place for place in places if after[place] == winner)
            lost |= {place: Removed(arguments.arguments[place], "merged", winner) for place in places if place != first}
    kept = [after[place] for place, _ in stay if place not in lost]
    changed = [
        Changed(argument, after[place], mapping[argument.response][1])
        for place, argument in stay
        if place not in lost and argument.response in mapping
    ]
    if linking is not None:
        deleted = _lost(lost[place] for place in gone or ()) - {argument.response for _, argument in stay}
        linking = change_linking(linking, replace={old: new for old, (new, _) in mapping.items()}, delete=deleted)
    removed = [lost[place] for place in sorted(lost)]
    return Outcome(Arguments(arguments.document, kept), linking, removed, changed, remarks)


def _lost(removed: Iterable[Removed], kept: Iterable[Argument] = ()) -> set[Response]:
    return {each.argument.response for each in removed} - {argument.response for argument in kept}


def both(first: Outcome, second: Outcome) -> Outcome:
    """The outcome of two operations one after the other."""
    return Outcome(
        second.arguments,
        second.linking,
        (*first.removed, *second.removed),
        (*first.changed, *second.changed),
        (*first.remarks, *second.remarks),
    )


def change_linking(
    linking: Linking,
    *,
    replace: Mapping[Response, Response] | None = None,
    delete: Collection[Response] = (),
    add: Iterable[Response] = (),
) -> Linking:
    """The linking after responses were replaced, deleted, or added as frames of their own.

    Frames that are left empty vanish; of frames that have become equal one stays, under the name that comes first in
    the alphabet. Who is in a frame is no longer incomplete.
    """
    gone = frozenset(delete)
    to = dict(replace or {})
    frames: dict[frozenset[Response], str | None] = {}
    for frame in linking.frames:
        members = frame.responses - gone
        if to and not to.keys().isdisjoint(members):
            members = frozenset(to.get(response, response) for response in members)
        if members in frames:
            frames[members] = min((name for name in (frames[members], frame.id) if name is not None), default=None)
        elif members:
            frames[members] = frame.id
    for response in add:
        frames.setdefault(frozenset((response,)), None)
    linked = frozenset[Response]().union(*frames)
    incomplete = frozenset(to.get(response, response) for response in linking.incomplete - gone) - linked
    return Linking(linking.document, [Frame(members, name) for members, name in frames.items()], incomplete)


Unlinked: TypeAlias = Literal["error", "drop", "singleton"]
UNLINKED: tuple[Unlinked, ...] = ("error", "drop", "singleton")

# Those among the responses of a hopper that compete: groups of two or more.
Groups: TypeAlias = Callable[[Collection[Response]], Iterable[Sequence[Response]]]

_columns = itemgetter(0, 1, 2, 3, 7)  # document, type, role, CAS and realis of a response: columns 2 to 6 and 10


def trim(
    arguments: Arguments, linking: Linking | None, *, nested: bool = False, unlinked: Unlinked = "error"
) -> Outcome:
    """Keep the best of the responses that differ in base filler and justifications only.

    With `nested`, also of those whose CASes stand inside each other. `unlinked` says what happens to responses that are
    not generic and yet in no hopper: they are an error, are dropped, or get a hopper of their own.

    >>> from adjudge.model.eal import Cas, Span
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", Span(0, 2)), Span(0, 2), (Span(0, 9),), (), "Actual")
    >>> two = [Argument(bob, 0.9), Argument(bob._replace(base_filler=Span(4, 5)), 0.8)]
    >>> [(each.argument.confidence, each.reason) for each in trim(Arguments("d", two), None).removed]
    [(0.8, 'redundant')]
    """
    groups = _nested if nested else grouped(_columns)
    return keep_best(arguments, linking, groups=groups, unlinked=unlinked, other_cas="nested")


def keep_best(
    arguments: Arguments,
    linking: Linking | None,
    *,
    groups: Groups,
    unlinked: Unlinked = "error",
    other_cas: str = "coreferent",
) -> Outcome:
    """Keep what is the best of its group in at least one hopper, or among the generic responses of the document.

    Reasons: `repeated` (the same response on another line), `redundant` (another response with the same CAS was
    better), `other_cas` (one with another CAS was), `unlinked` (in no hopper).
    """
    lines = distinct(arguments.arguments)
    linked, linking = _linked(arguments, linking, lines, unlinked)
    kept: set[Response] = set()
    instead: dict[Response, Argument] = {}
    known = frozenset(lines)
    for hopper in linked:
        members = known.intersection(hopper)
        beaten: set[Response] = set()
        for group in groups(members) if len(members) > 1 else ():
            winner = best([lines[response] for response in group])
            for response in group:
                if response != winner.response:
                    beaten.add(response)
                    instead.setdefault(response, winner)
        kept |= members - beaten
    if len(kept) == len(arguments.arguments):
        return remove(arguments, linking, {})
    gone: dict[int, tuple[str, Argument | None]] = {}
    seen: set[Response] = set()
    alone = len(lines) == len(arguments.arguments)
    for place, argument in enumerate(arguments.arguments):
        response = argument[0]
        if alone and response in kept:  # mostly
            continue
        if response in kept and response not in seen and argument == lines[response]:
            seen.add(response)
        elif argument != lines[response] or response in seen:
            gone[place] = "repeated", lines[response]
        elif response in instead:
            winner = instead[response]
            gone[place] = "redundant" if winner.response.cas == response.cas else other_cas, winner
        else:
            gone[place] = "unlinked", None
    return remove(arguments, linking, gone)


def grouped(key: Key) -> Groups:
    """Groups of equal key."""

    def groups(responses: Collection[Response]) -> Iterable[Sequence[Response]]:
        if len(set(map(key, responses))) == len(responses):  # mostly
            return ()
        return [group for group in _by(key, responses).values() if len(group) > 1]

    return groups


def _by(key: Key, responses: Iterable[Response]) -> dict[Hashable, list[Response]]:
    found: defaultdict[Hashable, list[Response]] = defaultdict(list)
    for response in responses:
        found[key(response)].append(response)
    return found


def _nested(responses: Iterable[Response]) -> Iterator[Sequence[Response]]:
    """Groups of equal type, role and realis whose CASes contain each other, directly or through others.

    "Smith" and "Sue" compete because both stand in "Sue Smith". Offsets decide, not the strings.
    """
    for same in _by(lambda response: (response.type, response.role, response.realis), responses).values():
        # By start, the longer first: a span lies in an earlier one if that ends no earlier. On the stack are the groups
        # found so far, the one that reaches farthest on top; all that reach as far as the span contain it.
        same.sort(key=lambda response: (response.cas.span.start, -response.cas.span.end))
        stack: list[tuple[int, list[Response]]] = []
        for response in same:
            end = response.cas.span.end
            reach, members = end, [response]
            while stack and stack[-1][0] >= end:
                farther, others = stack.pop()
                reach = max(reach, farther)
                if len(others) < len(members):
                    others, members = members, others
                others += members
                members = others
            stack.append((reach, members))
        yield from (members for _, members in stack if len(members) > 1)


def _linked(
    arguments: Arguments, linking: Linking | None, lines: dict[Response, Argument], unlinked: Unlinked
) -> tuple[list[Iterable[Response]], Linking | None]:
    """The sets of responses among which the best are sought, and the linking with the hoppers that were added."""
    if linking is None:
        return [lines], None
    found: list[Iterable[Response]] = [
        [response for response in lines if response[7] == "Generic"],
        *(frame.responses for frame in linking.frames),
    ]
    apart = frozenset(lines).difference(*found)
    outside = [response for response in lines if response in apart] if apart else []
    if outside and unlinked == "error":
        raise ValidationError([_problem(arguments.document, lines[response]) for response in outside])
    if outside and unlinked == "singleton":
        found += [(response,) for response in outside]
        linking = change_linking(linking, add=outside)
    return found, linking


def _problem(document: str, argument: Argument) -> Problem:
    what = f"{argument.response.type} {argument.response.role} {argument.response.cas.text!r}"
    message = f"the response {argument.id or what} of {document} is {argument.response.realis} but in no hopper"
    hint = "link it, even if only to itself, or choose what happens to such responses with --unlinked"
    return Problem(message, line=argument.line or None, hint=hint)
