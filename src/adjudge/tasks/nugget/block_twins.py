"""What twins leave open in a block of documents.

In most documents with a choice there is one, between two ways: one nugget of gold and one of the system are paired, and
one of the two has a twin; or two twins are paired with two. Such choices are found, and the other way is counted, for
all documents at once; what is more involved is left to `document_front`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from adjudge.tasks.nugget.block_arrays import Array, flags, grouped
from adjudge.tasks.nugget.block_columns import Columns
from adjudge.tasks.nugget.block_counts import Chains, count_chains
from adjudge.tasks.nugget.block_mapping import ALONE, SINGLE, Candidates
from adjudge.tasks.nugget.twins_front import Choices, Either, Front, chains_of, document_front


class Twins(NamedTuple):
    """The nuggets of one side, of which a mapping cannot tell some apart."""

    side: Columns
    kind: Array  # per nugget, equal numbers for those that are alike
    number: Array  # how many are like it, itself included
    mate: Array  # the other one where there are two, otherwise itself
    linked: Array  # whether it, or its mate, is in a chain with others

    @classmethod
    def of(cls, side: Columns, name: str) -> Twins:
        """What a mapping sees of them."""
        values = side.mapped(name)
        everyone = np.arange(len(values))
        several = np.flatnonzero(side.second >= 0)
        kind = -1 - everyone
        kind[several] = side.second[several] * (int(values.max(initial=0)) + 1) + values[several]
        _, rank, numbers = grouped(kind[several])
        number, mate = np.ones_like(everyone), everyone.copy()
        number[several] = numbers[rank]
        both = np.bincount(rank, several).astype(np.int64)  # the sum of two nuggets less one of them is the other
        mate[several] = np.where(numbers[rank] == 2, both[rank] - several, several)
        linked = side.sizes[side.chain] > 1
        linked[several] |= linked[mate[several]]
        return cls(side, kind, number, mate, linked)

    def documents(self) -> Array:
        """Per document, whether there are any."""
        return flags(self.side.document[self.number > 1], len(self.side.plain))


def block_fronts(ours: Twins, theirs: Twins, pairs: Candidates, plain: Array) -> dict[int, Front]:
    """What a mapping with these pairs leaves open in the plain documents of a block."""
    twins = plain & (ours.documents() | theirs.documents())
    if not twins.any():
        return {}
    pairs = _as_mapped(pairs.only(twins[pairs.document]), ours.side, theirs.side)
    two, more = _open(pairs, ours, theirs)
    found: dict[int, Front] = dict(_eithers(two, ours, theirs)) if len(two.first) else {}
    for document in more.tolist():
        front = _choices(document, pairs, ours, theirs)
        if front is not None:
            found[document] = front
    return found


def _as_mapped(pairs: Candidates, gold: Columns, system: Columns) -> Candidates:
    """Pairs in the order in which `map_nuggets` has them, document by document.

    Places without a rival come in the order of system lines, then those with several nuggets as their second ones are
    met, first in gold and then in the system, then entangled ones as they were taken.
    """
    second = gold.second[pairs.gold]
    met = np.where(second >= 0, second, len(gold.begin) + system.second[pairs.system])
    when = np.where(pairs.kind == SINGLE, pairs.system, np.where(pairs.kind == ALONE, met, np.arange(len(met))))
    return pairs.only(np.lexsort((pairs.system, when, pairs.kind, pairs.document)))


class _Two(NamedTuple):
    """Documents with one choice between two ways: all of their pairs, and the first and last that could be others."""

    pairs: Candidates
    first: Array  # per document, a place among the pairs
    last: Array


def _open(pairs: Candidates, ours: Twins, theirs: Twins) -> tuple[_Two, Array]:
    """The documents in which there is one choice between two ways, and those in which there may be another choice."""
    one, other = ours.number[pairs.gold], theirs.number[pairs.system]
    among = np.flatnonzero((one > 1) | (other > 1))
    document = pairs.document[among]
    begins = np.flatnonzero(np.diff(document, prepend=-1))
    sizes = np.diff(begins, append=len(among))
    first, last = among[begins], among[begins + sizes - 1]
    one, other = one[first], other[first]
    simple = (np.maximum(one, other) == 2) & (sizes == np.minimum(one, other))
    choice = np.ones(len(first), bool)
    for side, nuggets, number in ((ours, pairs.gold, one), (theirs, pairs.system, other)):
        simple &= side.kind[nuggets[first]] == side.kind[nuggets[last]]
        choice &= (number == 1) | side.linked[nuggets[first]]  # twins that stand alone are alike
    simple_and_open = simple & choice
    first, last = first[simple_and_open], last[simple_and_open]
    inside = flags(pairs.document[first], len(ours.side.plain))[pairs.document]
    place = np.cumsum(inside) - 1
    return _Two(pairs.only(inside), place[first], place[last]), document[begins[~simple]]


def _eithers(two: _Two, ours: Twins, theirs: Twins) -> Iterator[tuple[int, Either]]:
    """Both ways of documents that have two."""
    pairs, first, last = two
    golds, systems = pairs.gold.copy(), pairs.system.copy()  # of the other way
    alone = first == last
    golds[first[alone]] = ours.mate[golds[first[alone]]]  # where two are paired with two, one side changes places
    open_ = np.concatenate((first, last[~alone]))
    systems[open_] = theirs.mate[systems[open_]]

    documents = pairs.document[first]
    gold, system = Chains.of(ours.side).only(documents), Chains.of(theirs.side).only(documents)
    rank = np.searchsorted(documents, pairs.document)
    starts, begins = _starts(gold.number), _starts(system.number)
    ahead, before = ours.side.start[pairs.document], theirs.side.start[pairs.document]
    one, other = golds - ahead + starts[rank], systems - before + begins[rank]
    order = np.lexsort((other, system.chain[other]))
    counts = count_chains(gold, system, one[order], other[order]).tolist()

    number = np.bincount(rank)
    place = _starts(number)
    columns = (
        # Chains are numbered as they come, so that the first nugget of a document is in its first one.
        _split(gold.chain - gold.chain[starts][gold.document], gold.number),
        _split(system.chain - system.chain[begins][system.document], system.number),
        _split(pairs.gold - ahead, number),
        _split(pairs.system - before, number),
        _split(golds - ahead, number),
        _split(systems - before, number),
    )
    places = zip((first - place).tolist(), (last - place).tolist(), strict=True)
    for document, row, own, (a, b) in zip(documents.tolist(), counts, zip(*columns, strict=True), places, strict=True):
        homes, others, *mapped, instead, replaced = own
        taken = (a,) if a == b else (a, b)
        yield (
            document,
            Either(
                tuple(row),
                homes,
                others,
                mapped[0],
                mapped[1],
                tuple([(mapped[0][each], mapped[1][each]) for each in taken]),
                tuple([(instead[each], replaced[each]) for each in taken]),
            ),
        )


def _starts(numbers: Array) -> Array:
    """Where each of several runs of these lengths begins."""
    found: Array = np.cumsum(numbers) - numbers
    return found


def _split(values: Array, numbers: Array) -> list[list[int]]:
    """Values in runs of these lengths.

    >>> _split(np.array([7, 8, 9]), np.array([1, 2]))
    [[7], [8, 9]]
    """
    flat: list[int] = values.tolist()
    ends = np.cumsum(numbers).tolist()
    return [flat[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]


def _choices(document: int, pairs: Candidates, ours: Twins, theirs: Twins) -> Choices | None:
    """What is open in a document."""
    low, high = np.searchsorted(pairs.document, (document, document + 1)).tolist()
    one, other = (slice(*each.side.start[document : document + 2].tolist()) for each in (ours, theirs))
    golds, systems = (pairs.gold[low:high] - one.start).tolist(), (pairs.system[low:high] - other.start).tolist()
    homes, others = (
        (side.chain[own] - side.chain[own.start]).tolist() for side, own in ((ours.side, one), (theirs.side, other))
    )
    return document_front(
        chains_of(homes),
        chains_of(others),
        list(zip(golds, systems, strict=True)),
        ours.kind[one].tolist(),
        theirs.kind[other].tolist(),
    )
