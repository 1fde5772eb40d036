"""Stores through operations, one document at a time; pools; the most confident responses; the baseline of linking.

A store with any problem produces no output.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import total_ordering
from typing import NamedTuple, TypeAlias, TypeVar

from adjudge.errors import AdjudgeError, FormatError, Problem, UsageError, ValidationError
from adjudge.formats.eal_fields import id_2014, sha1_id
from adjudge.formats.eal_linking import LinkingLayout
from adjudge.formats.eal_sources import HEADER, format_provenance, provenance_path, read_provenance
from adjudge.formats.eal_store import Store, StoreWriter
from adjudge.formats.eal_write import Companion
from adjudge.model.eal import Argument, Arguments, Frame, Linking, Response
from adjudge.tasks.eal.responses import Outcome, Remark, Removed, best, distinct, remove


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


Operation: TypeAlias = Callable[[Arguments, "Linking | None"], Outcome]
Each: TypeAlias = Callable[[Outcome], None]
T = TypeVar("T")

ENOUGH = 1000  # problems after which the rest of the store is not read


class Summary(NamedTuple):
    """The outcome of a store: counts of documents and arguments, and of arguments by reason."""

    documents: int
    responses: int
    kept: int
    removed: dict[str, int]
    changed: dict[str, int]
    remarks: dict[str, int]


class _Counts:
    def __init__(self, each: Each | None) -> None:
        self.documents = self.responses = self.kept = 0
        self.reasons: dict[str, Counter[str]] = {name: Counter() for name in ("removed", "changed", "remarks")}
        self._each = each

    def add(self, outcome: Outcome, responses: int) -> None:
        self.documents += 1
        self.responses += responses
        self.kept += len(outcome.arguments.arguments)
        for name, counter in self.reasons.items():
            counter.update(each.reason for each in getattr(outcome, name))
        if self._each is not None:
            self._each(outcome)

    def summary(self) -> Summary:
        reasons = {name: dict(sorted(counter.items())) for name, counter in self.reasons.items()}
        return Summary(self.documents, self.responses, self.kept, **reasons)


def for_each(
    items: Iterable[T],
    do: Callable[[T], None],
    problems: Iterable[Problem] = (),
    *,
    place: Callable[[T], str] | None = None,
) -> None:
    """Apply a function to every document; the problems of all are raised together, after the known `problems`.

    `place` is the file of a document, for problems that name none.
    """
    found = list(problems)
    for item in items:
        try:
            do(item)
        except (FormatError, ValidationError) as error:
            found += (error if place is None else error.at(place(item))).problems
        if len(found) >= ENOUGH:
            break
    if found:
        raise ValidationError(found)


def _names(store: Store, linking: bool, only: Container[str] | None) -> list[str]:
    more = store.linking_documents if linking and store.has_linking else ()
    names = sorted({*store.documents, *more})
    return names if only is None else [document for document in names if document in only]


def _read(store: Store, document: str, linking: bool) -> tuple[Arguments, Linking | None]:
    """In a store with frames, a document without any has an empty linking: it must not look like one of 2014."""
    arguments = store.arguments(document)
    return arguments, (store.linking(document) or Linking(document)) if linking and store.has_linking else None


def documents(
    store: Store, *, linking: bool = True, only: Container[str] | None = None
) -> Iterator[tuple[Arguments, Linking | None]]:
    """The documents of a store, or `only` some of them, as far as they can be read: `apply` says what is wrong."""
    for document in _names(store, linking, only):
        with suppress(FormatError):
            yield _read(store, document, linking)


def apply(
    store: Store,
    writer: StoreWriter,
    operation: Operation,
    *,
    linking: bool = True,
    each: Each | None = None,
    only: Container[str] | None = None,
) -> Summary:
    """Write what an operation makes of every document, or of `only` some of them; `each` sees every outcome.

    Problems of all documents are raised together, and then the writer, which is open, must be left by the error.
    """
    counts = _Counts(each)

    def write(document: str) -> None:
        arguments, frames = _read(store, document, linking)
        outcome = operation(arguments, frames)
        writer.write(outcome.arguments, outcome.linking)
        counts.add(outcome, len(arguments.arguments))

    for_each(_names(store, linking, only), write, place=store.place)
    return counts.summary()


def linking_layout(store: Store) -> LinkingLayout:
    """The layout in which the frames of a store lose nothing: that of 2016 if they have names."""
    for document in store.linking_documents:
        try:
            linking = store.linking(document)
        except AdjudgeError:
            break  # reading all documents reports the details
        if linking is not None and linking.frames:
            return "2015" if all(frame.id is None for frame in linking.frames) else "2016"
    return "2015"


def is_alone(path: str | os.PathLike[str]) -> bool:
    """Whether a provenance lacks its pool, which is written last: the writer was killed in between."""
    try:
        with provenance_path(path).open("rb") as file:
            return not os.path.lexists(path) and file.read(len(HEADER)) == HEADER.encode()
    except OSError:
        return False


def pool_stores(
    stores: Mapping[str, Store], writer: StoreWriter, provenance: Companion, *, each: Each | None = None
) -> Summary:
    """Write the pool of stores, which are known by the names of their systems, and who gave what.

    A store that has a provenance file is a pool: its systems count, not its own name. A document that a store does not
    have is empty in it.
    """
    counts = _Counts(each)
    readers = {name: _givers(store) for name, store in stores.items()}
    provenance.write(HEADER)

    def write(document: str) -> None:
        pools: list[Pool] = []
        responses = 0

        def take(name: str) -> None:
            nonlocal responses
            given = next(readers[name], None)  # a reader ends at a problem, and then nothing is written
            arguments = stores[name].arguments(document)
            responses += len(arguments.arguments)
            pools.append(_contribution(name, stores[name], arguments, given))

        for_each([name for name, store in stores.items() if document in store], take)
        joined = pool(pools)
        writer.write(joined.arguments)
        provenance.write(format_provenance(document, joined.given))
        missing = [name for name, store in stores.items() if document not in store]
        remarks = [Remark(None, "missing-document", f"{name} has no {document}") for name in missing]
        counts.add(Outcome(joined.arguments, None, merged(pools, joined), (), remarks), responses)

    for_each(sorted({document for store in stores.values() for document in store.documents}), write)
    return counts.summary()


def _givers(store: Store) -> Iterator[dict[str, dict[str, float]] | None]:
    path = provenance_path(store.path)
    if path.is_file():
        yield from read_provenance(path, store.documents)
    else:
        for _ in store.documents:
            yield None


def _contribution(
    name: str, store: Store, arguments: Arguments, given: Mapping[str, Mapping[str, float]] | None
) -> Pool:
    if given is None:
        return contribution(name, arguments)
    ids = {argument.response: sha1_id(argument.response) for argument in arguments.arguments}
    unknown = [response for response, id_ in ids.items() if id_ not in given]
    if unknown:
        message = f"{len(unknown)} responses of {arguments.document} are not in {provenance_path(store.path)}"
        hint = "pool the submissions again, or remove the provenance file to pool the store as one system"
        raise ValidationError(Problem(message, path=store.place(arguments.document), hint=hint))
    return contribution(name, arguments, {response: given[id_] for response, id_ in ids.items()})


# ---------------------------------------------------------------------------------------------------------------------
# The N most confident responses
#
# Source: task description of 2015, "Assessment and Evaluation": if the pool is still too large after trimming, the top
# N answers of each system are kept, ranked by confidence and constrained by the event hoppers. How they constrain the
# choice is not said there, and no public program has the cut. Here every hopper has a claim to be represented: the best
# response of each hopper comes first, by confidence, then all other responses, also those that are in no hopper, such
# as generic ones. If there are more hoppers than N, those with the most confident responses survive.


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
    """The rank of each response; ranks of different documents are comparable.

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
