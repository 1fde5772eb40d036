"""Redundant responses: of those that say the same about the same event, the best is kept.

Source: task description of 2015, "Assessment and Evaluation" and "Filtering of Redundant Responses". In each hopper
responses are grouped by columns 2 to 6 and 10 (document, type, role, CAS with its offsets, realis), and the best of
each group is noted. Responses that are noted nowhere are removed; one that is noted in one hopper stays in all its
hoppers. Generic responses are in no hopper and are grouped over the document. Without a linking the document is one
hopper.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Literal, TypeAlias

from adjudge.errors import Problem, ValidationError
from adjudge.model.eal import Argument, Arguments, Linking, Response
from adjudge.tasks.eal.changes import Outcome, change_linking, remove
from adjudge.tasks.eal.identity import Key, best, distinct

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
    return Problem(message, hint="link it, if only to itself, or choose what happens to such responses with --unlinked")
