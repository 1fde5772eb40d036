"""The N most confident responses, as far as the hoppers allow; and the baseline of linking.

Source: task description of 2015, "Assessment and Evaluation": if the pool is still too large after trimming, the top N
answers of each system are kept, ranked by confidence and constrained by the event hoppers. How hoppers constrain the
choice is not said there, and no public program has the cut. Here every hopper has a claim to be represented:

1. The best response of each hopper comes first, by confidence.
2. All other responses follow, by confidence; among them those that are in no hopper, such as generic ones.

The first N of this order are kept. If there are more hoppers than N, those with the most confident responses survive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import total_ordering
from typing import TypeAlias

from adjudge.errors import UsageError
from adjudge.formats.eal_fields import id_2014
from adjudge.model.eal import Argument, Arguments, Frame, Linking, Response
from adjudge.tasks.eal.responses import Outcome, best, distinct, remove


@total_ordering
class _Tie:
    """Decides between responses with equal confidence: the larger 2014 id first, computed when it is asked for."""

    __slots__ = ("_key", "_response")

    def __init__(self, response: Response) -> None:
        self._response = response
        self._key: tuple[int, Response] | None = None

    @property
    def key(self) -> tuple[int, Response]:
        if self._key is None:
            self._key = -id_2014(self._response), self._response
        return self._key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Tie) and self._response == other._response

    def __lt__(self, other: _Tie) -> bool:
        return self.key < other.key

    def __hash__(self) -> int:
        return hash(self._response)


Rank: TypeAlias = "tuple[bool, float, _Tie]"  # smaller is better


def ranks(arguments: Arguments, linking: Linking | None) -> dict[Response, Rank]:
    """Where each response stands in the order; ranks of different documents can be compared.

    >>> from adjudge.model.eal import Cas, Frame, Span
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", Span(0, 2)), Span(0, 2), (Span(0, 9),), (), "Actual")
    >>> ann = bob._replace(cas=Cas("Ann", Span(9, 11)))
    >>> linking = Linking("d", [Frame(frozenset([bob, ann]))])
    >>> [rank[:2] for rank in ranks(Arguments("d", [Argument(bob, 0.5), Argument(ann, 0.75)]), linking).values()]
    [(True, -0.5), (False, -0.75)]
    """
    lines = distinct(arguments.arguments)
    heads: set[Response] = set()
    for frame in linking.frames if linking is not None else ():
        members = [lines[response] for response in frame.responses if response in lines]
        if members:
            heads.add(best(members).response)
    return {
        response: (response not in heads, -argument.confidence, _Tie(response)) for response, argument in lines.items()
    }


def cutoff(documents: Iterable[tuple[Arguments, Linking | None]], count: int) -> Rank | None:
    """The rank of the last response that is kept of all documents together; None if all are.

    Not more than `count` responses are held at a time.
    """
    from heapq import nsmallest

    if count < 1:
        raise UsageError(f"{count} responses cannot be kept", hint="keep at least 1")
    # One more than is kept tells whether anything has to go.
    best_ranks = nsmallest(count + 1, _all_ranks(documents))
    return best_ranks[count - 1] if len(best_ranks) > count else None


def _all_ranks(documents: Iterable[tuple[Arguments, Linking | None]]) -> Iterator[Rank]:
    for arguments, linking in documents:
        yield from ranks(arguments, linking).values()


def keep_until(arguments: Arguments, linking: Linking | None, last: Rank | None) -> Outcome:
    """Remove the responses that come after a rank, and all lines but one of those that stay."""
    lines = distinct(arguments.arguments)
    places = {} if last is None else ranks(arguments, linking)
    gone: dict[int, tuple[str, Argument | None]] = {}
    seen: set[Response] = set()
    for place, argument in enumerate(arguments.arguments):
        response = argument.response
        if argument != lines[response] or response in seen:
            gone[place] = "repeated", lines[response]
            continue
        seen.add(response)
        if last is not None and places[response] > last:
            gone[place] = "not-among-the-top", None
    return remove(arguments, linking, gone)


def top(arguments: Arguments, linking: Linking | None, count: int) -> Outcome:
    """Keep `count` responses of one document.

    >>> from adjudge.model.eal import Cas, Frame, Span
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", Span(0, 2)), Span(0, 2), (Span(0, 9),), (), "Actual")
    >>> ann, joe = (bob._replace(cas=Cas(name, Span(9, 11))) for name in ("Ann", "Joe"))
    >>> linking = Linking("d", [Frame(frozenset([bob, ann])), Frame(frozenset([joe]))])
    >>> given = Arguments("d", [Argument(bob, 0.9), Argument(ann, 0.8), Argument(joe, 0.1)])
    >>> [argument.response.cas.text for argument in top(given, linking, 2).arguments.arguments]
    ['Bob', 'Joe']
    """
    return keep_until(arguments, linking, cutoff([(arguments, linking)], count))


def baseline_link(arguments: Arguments) -> Linking:
    """One hopper for the responses of each event type that are not generic, in the order of first appearance.

    Source: task description of 2015, "Differences between 2014 EA and 2015 EAL".

    >>> from adjudge.model.eal import Argument, Cas, Span
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", Span(0, 2)), Span(0, 2), (Span(0, 9),), (), "Actual")
    >>> others = bob._replace(realis="Generic"), bob._replace(role="Place")
    >>> linking = baseline_link(Arguments("d", [Argument(response) for response in (bob, *others)]))
    >>> [len(frame.responses) for frame in linking.frames]
    [2]
    """
    types: dict[str, list[Response]] = {}
    for argument in arguments.arguments:
        response = argument.response
        if response.realis != "Generic":
            types.setdefault(response.type, []).append(response)
    return Linking(arguments.document, [Frame(frozenset(responses)) for responses in types.values()])
