"""The mappings of a block of documents at once.

All pairs of nuggets that have something in common are candidates, and every stage of `mapping.map_nuggets` is the
greedy algorithm over them, by falling Dice, then by the lines of the system, then by those of gold. That is run in
rounds: in each round those pairs are taken that come first for both of their nuggets. Only where some nugget on each
side goes without its first pair can the order of equal pairs matter, and then `best_of_ties` decides as ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import NamedTuple

import numpy as np

from adjudge.tasks.nugget.best import SAME, Edge, best_of_ties
from adjudge.tasks.nugget.block_arrays import Array, firsts, flags, numbered
from adjudge.tasks.nugget.block_columns import Columns

SINGLE, ALONE, ENTANGLED = 0, 1, 2
"""The places of a pair: one nugget on each side, several, or places that overlap with other ones."""

ROUNDS = 40  # after which the pairs that are left are taken one by one
CROWD = 8  # candidates for each nugget, beyond which a document is left to the algorithm for single ones


class Candidates(NamedTuple):
    """Pairs of nuggets that have something in common, in the order in which they are taken."""

    gold: Array
    system: Array
    dice: Array
    kind: Array
    document: Array

    def only(self, wanted: Array) -> Candidates:
        """Some of them, by places or by a flag for each."""
        places = np.flatnonzero(wanted) if wanted.dtype == bool else wanted  # all columns are picked by places faster
        return Candidates(*[column[places] for column in self])


class Entangled(NamedTuple):
    """What became of the entangled places of documents: sums of Dice as in `best.Mapped`."""

    documents: Array  # that have any
    line: Array  # of all documents, as all that follows
    best: Array
    optimal: Array
    proven: Array

    def sums(self, documents: Array) -> list[list[float]]:
        """Those of some documents that have any: by order of lines, at best, of the optimal mapping."""
        places = self.documents[documents[self.documents]]
        return [each[places].tolist() for each in (self.line, self.best, self.optimal)]


class Mapping(NamedTuple):
    """The pairs of a mapping, the sum of Dice of every document, and what became of its entangled places."""

    pairs: Candidates
    matched: Array
    entangled: Entangled


def candidates(gold: Columns, system: Columns) -> tuple[Candidates, Array]:
    """All candidates of the documents that are plain on both sides, and which documents have too many of them."""
    counted = gold.plain & system.plain
    ours, theirs = _overlapping(gold, system)
    number = np.bincount(gold.document[ours], minlength=len(counted))
    crowded = number > CROWD * (gold.number() + system.number())
    wanted = (counted & ~crowded)[gold.document[ours]]
    ours, theirs = ours[wanted], theirs[wanted]
    begin, end = gold.begin[ours], gold.end[ours]
    begins, ends = system.begin[theirs], system.end[theirs]
    common = np.minimum(end, ends) - np.maximum(begin, begins)
    dice = 2 * common / ((end - begin) + (ends - begins))
    partial = (begin != begins) | (end != ends)
    kind = np.where((gold.second[ours] < 0) & (system.second[theirs] < 0), SINGLE, ALONE)
    tangled = np.zeros(len(gold.begin), bool), np.zeros(len(system.begin), bool)
    tangled[0][ours[partial]] = tangled[1][theirs[partial]] = True
    kind[partial | tangled[0][ours] | tangled[1][theirs]] = ENTANGLED
    order = np.lexsort((ours, theirs, -dice))
    found = Candidates(ours, theirs, dice, kind, gold.document[ours])
    return found.only(order), crowded


def _overlapping(gold: Columns, system: Columns) -> tuple[Array, Array]:
    """All pairs of nuggets that have something in common: one of the two begins inside the other."""
    one, other = gold.in_order, system.in_order
    ours, theirs = gold.begin[one], system.begin[other]
    after = np.searchsorted(theirs, ours, "right")
    first = np.cumsum(np.bincount(after, minlength=len(theirs) + 1))[:-1]  # the same as np.searchsorted(ours, theirs)
    mine, place = _spread(after, _until(theirs, after, gold.end[one]))
    own, where = _spread(first, _until(ours, first, system.end[other]))
    return np.concatenate((one[mine], one[where])), np.concatenate((other[place], other[own]))


def _until(values: Array, low: Array, end: Array) -> Array:
    """Where ascending values reach an end, from a place on at which they may be below it: `np.searchsorted`, but near.

    >>> _until(np.array([1, 4, 6]), np.array([0, 1, 3]), np.array([5, 4, 9])).tolist()
    [2, 1, 3]
    """
    high, left = low.copy(), np.flatnonzero(low < len(values))
    while len(left):
        left = left[values[high[left]] < end[left]]
        high[left] += 1
        left = left[high[left] < len(values)]
    return high


def _spread(low: Array, high: Array) -> tuple[Array, Array]:
    """Every number of every range [low, high), and of which range it is.

    >>> [each.tolist() for each in _spread(np.array([4, 0]), np.array([6, 1]))]
    [[0, 0, 1], [4, 5, 0]]
    """
    sizes = np.maximum(high - low, 0)
    owner = np.repeat(np.arange(len(low)), sizes)
    return owner, np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes - low, sizes)


def map_block(found: Candidates, gold: Columns, system: Columns, names: Sequence[str]) -> dict[str, Mapping]:
    """The mappings of a block, each with the candidates whose attributes match."""
    same_type = gold.types[found.gold] == system.types[found.system]
    same_realis = gold.realis[found.gold] == system.realis[found.system]
    agree = {
        "span": np.ones(len(found.gold), bool),
        "type": same_type,
        "realis": same_realis,
        "type+realis": same_type & same_realis,
    }
    tangled = np.flatnonzero(flags(found.document[found.kind == ENTANGLED], len(gold.plain)))
    sizes = len(gold.begin), len(system.begin), len(gold.plain)
    return {name: _mapping(found.only(agree[name]), tangled, *sizes) for name in names}


def _mapping(found: Candidates, tangled: Array, golds: int, systems: int, documents: int) -> Mapping:
    """One mapping; `tangled` are the documents with entangled places."""
    taken = found.kind == SINGLE
    rivals = np.flatnonzero(~taken)
    ours, theirs = found.gold[rivals], found.system[rivals]
    chosen = greedy(ours, theirs, golds, systems)
    taken[rivals[chosen]] = True
    pairs = found.only(taken)
    entangled = _certain(pairs, tangled, documents)
    rivalry = found.only(rivals)
    open_ = _open(rivalry, chosen, rivalry.document, documents)
    if open_.any():
        pairs = _decide(rivalry, chosen, pairs, open_, entangled)
    return Mapping(pairs, _sums(pairs, documents), entangled)


def greedy(ours: Array, theirs: Array, golds: int, systems: int) -> Array:
    """Which of some candidates the greedy algorithm takes, in their order; the sides have so many nuggets.

    >>> greedy(np.array([0, 0, 1]), np.array([0, 1, 0]), 2, 2).tolist()
    [True, False, False]
    """
    taken = np.zeros(len(ours), bool)
    left = np.arange(len(ours))
    busy_ours, busy_theirs = np.zeros(golds, bool), np.zeros(systems, bool)
    for _ in range(ROUNDS):
        if not len(left):
            return taken
        one, other = ours[left], theirs[left]
        place = np.arange(len(left))
        now = (firsts(one, golds)[one] == place) & (firsts(other, systems)[other] == place)
        taken[left[now]] = True
        busy_ours[one[now]] = busy_theirs[other[now]] = True
        left = left[~(busy_ours[one] | busy_theirs[other])]
    for each in left.tolist():
        if not busy_ours[ours[each]] and not busy_theirs[theirs[each]]:
            taken[each] = busy_ours[ours[each]] = busy_theirs[theirs[each]] = True
    return taken


def _open(found: Candidates, chosen: Array, part: Array, parts: int) -> Array:
    """Which parts have, on both sides, some nugget of an entangled place that goes without its first pair."""
    place = np.arange(len(chosen))
    busy = []
    for side in (found.gold, found.system):
        when = np.full(int(side.max(initial=-1)) + 1, len(chosen))
        when[side[chosen]] = place[chosen]
        busy.append((when[side] < place) & (found.kind == ENTANGLED))
    ours, theirs = busy
    return flags(part[theirs & ~ours], parts) & flags(part[ours & ~theirs], parts)


def _decide(found: Candidates, chosen: Array, pairs: Candidates, documents: Array, entangled: Entangled) -> Candidates:
    """The pairs with those of some documents replaced by the best of all orders of equal pairs.

    Each connected part is decided by itself, in the order of first candidates, as in `best_of_ties` for a whole
    document; the parts in which a side has all its first pairs, or the sum is as high as if one had, are left as they
    are.
    """
    inside = (found.kind == ENTANGLED) & documents[found.document]
    edges, chosen = found.only(inside), chosen[inside]
    documents = documents & (entangled.best < _bounds(edges, edges.document, len(documents)) - SAME)
    inside = documents[edges.document]
    edges, chosen = edges.only(inside), chosen[inside]
    labels, part = _parts(edges)
    taken, own = edges.only(chosen), part[chosen]
    line = np.bincount(own, taken.dice, len(labels))
    for each in np.flatnonzero(np.bincount(own, minlength=len(labels)) > 2).tolist():
        line[each] = fsum(taken.dice[own == each].tolist())  # of two numbers any sum is as good as this one
    best, optimal, proven = line.copy(), line.copy(), np.ones(len(labels), bool)
    decided: list[tuple[int, int, float, int, int]] = []  # gold, system, Dice, document, part
    open_ = _open(edges, chosen, part, len(labels)) & (line < _bounds(edges, part, len(labels)) - SAME)
    unsettled = edges.only(open_[part])
    triples: dict[int, list[Edge]] = {}
    for dice, system, gold, each in zip(
        unsettled.dice.tolist(),
        unsettled.system.tolist(),
        unsettled.gold.tolist(),
        part[open_[part]].tolist(),
        strict=True,
    ):
        triples.setdefault(each, []).append((-dice, system, gold))
    for each, own_edges in sorted(triples.items()):
        mapped = best_of_ties(own_edges)
        line[each], best[each], optimal[each], proven[each] = mapped.line, mapped.best, mapped.optimal, mapped.proven
        document = int(edges.document[labels[each]])
        decided += [(gold, system, dice, document, each) for gold, system, dice in mapped.by_best]
    home = edges.document[labels]
    for sums, values in ((entangled.line, line), (entangled.best, best), (entangled.optimal, optimal)):
        sums[documents] = np.bincount(home, values, len(documents))[documents]
    entangled.proven[home[~proven]] = False
    settled = ~open_[own]
    return _replaced(pairs, documents, taken.only(settled), own[settled], decided)


def _replaced(
    pairs: Candidates,
    documents: Array,
    settled: Candidates,
    part: Array,
    decided: Sequence[tuple[int, int, float, int, int]],
) -> Candidates:
    """The pairs with those of some documents replaced by settled and decided ones, part by part."""
    kept = pairs.only((pairs.kind != ENTANGLED) | ~documents[pairs.document])
    ours, theirs, dice, home, own = zip(*decided, strict=True) if decided else ((),) * 5
    gold, system, document, parts = (np.array(each, np.int64) for each in (ours, theirs, home, own))
    added = Candidates(gold, system, np.array(dice, np.float64), np.full(len(own), ENTANGLED), document)
    added = Candidates(*map(np.concatenate, zip(settled, added, strict=True)))
    order = np.argsort(np.concatenate((part, parts)), kind="stable")
    return Candidates(*map(np.concatenate, zip(kept, added.only(order), strict=True)))


def _bounds(edges: Candidates, part: Array, parts: int) -> Array:
    """Per part, what no mapping exceeds: the best pair of every nugget, on the side where that is less."""
    sums = []
    for side in (edges.gold, edges.system):
        first = firsts(side, int(side.max(initial=-1)) + 1)[side] == np.arange(len(side))
        sums.append(np.bincount(part[first], edges.dice[first], parts))
    return np.minimum(*sums)


def _parts(edges: Candidates) -> tuple[Array, Array]:
    """The first candidate of every connected part, and for every candidate the number of its part.

    >>> side = np.array([0, 1, 2, 2]), np.array([0, 1, 2, 0])
    >>> [each.tolist() for each in _parts(Candidates(*side, np.ones(4), np.ones(4), np.zeros(4)))]
    [[0, 1], [0, 1, 0, 0]]
    """
    part = np.arange(len(edges.gold))
    while True:
        before = part
        for side in (edges.gold, edges.system):
            least = np.full(int(side.max(initial=-1)) + 1, len(part))
            np.minimum.at(least, side, part)
            part = least[side]
        if np.array_equal(part, before):
            return numbered(part, len(part))


def _certain(pairs: Candidates, tangled: Array, documents: int) -> Entangled:
    """The sums of the pairs of entangled places, as those of mappings that cannot be improved."""
    own = np.flatnonzero(pairs.kind == ENTANGLED)
    own = own[np.argsort(pairs.document[own], kind="stable")]
    ends = np.cumsum(np.bincount(pairs.document[own], minlength=documents)[tangled]).tolist()
    dice = pairs.dice[own].tolist()
    line = np.zeros(documents)
    line[tangled] = [fsum(dice[begin:end]) for begin, end in zip([0, *ends], ends, strict=False)]
    return Entangled(tangled, line, line.copy(), line.copy(), np.ones(documents, bool))


def _sums(pairs: Candidates, documents: int) -> Array:
    """The sums of Dice, from the highest down as the greedy algorithm adds them: `bincount` adds one by one."""
    whole = pairs.dice == 1.0
    partial = np.flatnonzero(~whole)
    partial = partial[np.argsort(-pairs.dice[partial], kind="stable")]
    number = np.arange(documents)
    return np.bincount(
        np.concatenate((number, pairs.document[partial])),
        np.concatenate((np.bincount(pairs.document[whole], minlength=documents), pairs.dice[partial])),
        documents,
    )
