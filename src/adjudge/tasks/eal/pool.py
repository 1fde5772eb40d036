"""The responses of many systems in one store, and who gave which of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from adjudge.model.eal import Argument, Arguments, Response
from adjudge.tasks.eal.changes import Removed
from adjudge.tasks.eal.identity import best, distinct


@dataclass(frozen=True, slots=True)
class Pool:
    """One document: the best argument of each response, and the confidence of every system that gave it."""

    document: str
    best: Mapping[Response, Argument] = field(default_factory=dict)
    given: Mapping[Response, Mapping[str, float]] = field(default_factory=dict)

    @property
    def arguments(self) -> Arguments:
        """The pool as if one system had given it."""
        return Arguments(self.document, list(self.best.values()))


def contribution(
    system: str, arguments: Arguments, given: Mapping[Response, Mapping[str, float]] | None = None
) -> Pool:
    """What one system brings into a pool; `given` if it is a pool itself and knows its systems.

    >>> from adjudge.model.eal import Cas, Span
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", Span(0, 2)), Span(0, 2), (Span(0, 9),), (), "Actual")
    >>> contribution("A", Arguments("d", [Argument(bob, 0.5)])).given[bob]
    {'A': 0.5}
    """
    # Lines and first columns belong to the file of the system.
    lines = {r: a._replace(id="", line=0) for r, a in distinct(arguments.arguments).items()}
    if given is None:
        given = {response: {system: argument.confidence} for response, argument in lines.items()}
    return Pool(arguments.document, lines, {response: given[response] for response in lines})


def pool(pools: Iterable[Pool]) -> Pool:
    """All responses of the pools, each with its maximum confidence and the comment that goes with it.

    In which order and in how many steps pools are joined makes no difference but for the order of the responses. If
    pools hold the same system, its higher confidence counts.

    >>> from adjudge.model.eal import Cas, Span
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", Span(0, 2)), Span(0, 2), (Span(0, 9),), (), "Actual")
    >>> joined = pool(contribution(name, Arguments("d", [Argument(bob, c)])) for name, c in (("A", 0.5), ("B", 0.75)))
    >>> [argument.confidence for argument in joined.arguments.arguments], dict(joined.given[bob])
    ([0.75], {'A': 0.5, 'B': 0.75})
    """
    document = ""
    winners: dict[Response, Argument] = {}
    given: dict[Response, dict[str, float]] = {}
    for each in pools:
        document = each.document
        for response, argument in each.best.items():
            other = winners.get(response)
            winners[response] = argument if other is None else best((other, argument))
            systems = given.setdefault(response, {})
            for name, confidence in each.given[response].items():
                systems[name] = max(confidence, systems.get(name, confidence))
    return Pool(document, winners, given)


def merged(pools: Iterable[Pool], joined: Pool) -> list[Removed]:
    """The arguments of pools that gave way to the same response of another one when they were joined."""
    found = []
    taken: set[Response] = set()
    for each in pools:
        for response, argument in each.best.items():
            winner = joined.best[response]
            if response not in taken and argument == winner:
                taken.add(response)
            else:
                found.append(Removed(argument, "given-by-several", winner))
    return found
