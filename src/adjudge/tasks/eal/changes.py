"""What an operation does to the responses of a document, and what becomes of the linking then."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from adjudge.model.eal import Argument, Arguments, Frame, Linking, Response
from adjudge.tasks.eal.identity import best


class Removed(NamedTuple):
    """An argument that is no longer there, why, and the one that was preferred to it."""

    argument: Argument
    reason: str
    instead: Argument | None = None


class Changed(NamedTuple):
    """An argument that now says something else, and why."""

    before: Argument
    after: Argument
    reason: str


class Remark(NamedTuple):
    """Something about an argument that stays as it is, or about the whole document."""

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
