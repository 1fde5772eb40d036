"""Facts as integer arrays: distinct triples, the documents that support each of them, and sets of samples as bits.

Nodes, relations and documents are numbers from 0 on; both sides of a comparison use the same numbers. A path of n hops
is (first node, n relations, last node), whatever lies between: all its witnesses are one path.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints: TypeAlias = npt.NDArray[Any]
    Words: TypeAlias = npt.NDArray[Any]

_LARGEST = 1 << 63
_ROUNDS = 12  # groups of up to this many rows are merged row by row, for all groups at once
_FEW = 48
_PIECE = 1 << 16


class Columns(NamedTuple):
    """Facts as arrays; the fields are those of `Facts`."""

    subjects: Ints
    relations: Ints
    objects: Ints
    starts: Ints
    documents: Ints
    nodes: int
    labels: Ints | None = None


class Few(NamedTuple):
    """Facts as distinct rows: subject, relation, object, document; and what each node counts as."""

    rows: frozenset[tuple[int, int, int, int]]
    labels: Sequence[int] | None = None

    @property
    def triples(self) -> set[tuple[int, int, int]]:
        """Without the documents."""
        return {row[:3] for row in self.rows}


class Facts:
    """Distinct triples in ascending order; fact i is in documents[starts[i]:starts[i + 1]].

    `labels`, if given, are what nodes count as when paths are compared; hops are joined on the nodes themselves.
    Without labels, nodes count as themselves. `nodes` is one more than the largest node. Where there are `few`, the
    arrays are made when they are asked for.
    """

    def __init__(self, made: Columns | None = None, few: Few | None = None) -> None:
        self._made, self.few = made, few

    @property
    def columns(self) -> Columns:
        """All of it as arrays."""
        if self._made is None:
            assert self.few is not None
            columns = zip(*self.few.rows, strict=True) if self.few.rows else ((),) * 4
            self._made = make_facts(*columns, labels=self.few.labels).columns
        return self._made

    @property
    def labelled(self) -> bool:
        """Whether nodes count as something else than themselves."""
        return (self.columns if self.few is None else self.few).labels is not None

    def __len__(self) -> int:
        return len(self.columns.subjects) if self.few is None else len(self.few.triples)

    subjects = property(lambda self: self.columns.subjects)
    relations = property(lambda self: self.columns.relations)
    objects = property(lambda self: self.columns.objects)
    starts = property(lambda self: self.columns.starts)
    documents = property(lambda self: self.columns.documents)
    nodes = property(lambda self: self.columns.nodes)
    labels = property(lambda self: self.columns.labels)


class Counts(NamedTuple):
    """How many paths are on both sides, in gold and in the system.

    >>> Counts(1, 2, 4) + Counts(0, 1, 1)
    Counts(both=1, gold=3, system=5)
    """

    both: int
    gold: int
    system: int

    def __add__(self, other: object) -> Counts:
        if not isinstance(other, Counts):
            return NotImplemented
        return Counts(self.both + other.both, self.gold + other.gold, self.system + other.system)


Sequences: TypeAlias = dict[tuple[int, ...], Counts]


class HopCounts(NamedTuple):
    """The paths of one length: all of them, and those of every sequence of relations that occurs."""

    hop: int
    total: Counts
    sequences: Sequences


def make_facts(
    subjects: npt.ArrayLike,
    relations: npt.ArrayLike,
    objects: npt.ArrayLike,
    documents: npt.ArrayLike | None = None,
    *,
    labels: npt.ArrayLike | None = None,
) -> Facts:
    """Facts from assertions, one per row, in any order; a triple that is asserted again gains a document.

    Without `documents` there is one.

    >>> facts = make_facts([1, 0, 1], [0, 0, 0], [2, 1, 2], [5, 5, 3])
    >>> facts.subjects.tolist(), facts.starts.tolist(), facts.documents.tolist()
    ([0, 1], [0, 1, 3], [5, 3, 5])
    """
    import numpy as np

    columns = [_numbers(each) for each in (subjects, relations, objects)]
    columns.append(np.zeros_like(columns[0]) if documents is None else _numbers(documents))
    columns = _distinct_rows(columns)
    new = np.zeros(len(columns[0]), dtype=bool)
    new[:1] = True
    for column in columns[:3]:
        new[1:] |= column[1:] != column[:-1]
    starts = np.append(np.flatnonzero(new), len(new))
    s, r, o = (_narrow(column if new.all() else column[new]) for column in columns[:3])
    known = None if labels is None else _narrow(_numbers(labels))
    return Facts(Columns(s, r, o, starts, _narrow(columns[3]), max(_top(s), _top(o)), known))


def _distinct_rows(columns: list[Ints]) -> list[Ints]:
    """The distinct rows in ascending order; if a row fits into one number, numbers are sorted, which is fastest."""
    import numpy as np

    bits = [max(0, _top(column) - 1).bit_length() for column in columns]
    key = combine(columns, [1 << size for size in bits])
    if sum(bits) > 63:
        _, kept = np.unique(key, return_index=True)
        return [column[kept] for column in columns]
    key.sort()
    new = np.ones(len(key), dtype=bool)
    np.not_equal(key[1:], key[:-1], out=new[1:])
    if not new.all():
        key = key[new]
    found = []
    for size in reversed(bits):
        found.append(_narrow(key & ((1 << size) - 1)))
        key >>= size
    return found[::-1]


def closed(facts: Facts, inverse: Mapping[int, int]) -> Facts:
    """The facts and the reverse of those whose relation has an inverse; a symmetric relation is its own.

    >>> closed(make_facts([0], [7], [1], [0]), {7: 7}).objects.tolist()
    [1, 0]
    """
    import numpy as np

    s, r, o, d = assertions(facts)
    table = np.full(max(_top(r), 1), -1)
    for forward, backward in inverse.items():
        if forward < len(table):
            table[forward] = backward
    turned = table[r]
    has = turned >= 0
    subjects, objects = np.concatenate((s, o[has])), np.concatenate((o, s[has]))
    relations = np.concatenate((r, turned[has]))
    return make_facts(subjects, relations, objects, np.concatenate((d, d[has])), labels=facts.labels)


def assertions(facts: Facts) -> tuple[Ints, Ints, Ints, Ints]:
    """One row per fact and document."""
    import numpy as np

    place = np.repeat(np.arange(len(facts.subjects)), np.diff(facts.starts))
    return facts.subjects[place], facts.relations[place], facts.objects[place], facts.documents


def label_of(facts: Facts, nodes: Ints) -> Ints:
    """What the nodes count as."""
    return nodes if facts.labels is None else facts.labels[nodes]


def relation_space(sides: Sequence[Facts]) -> int:
    """One more than the largest relation of any side."""
    return max((_top(side.relations) for side in sides), default=0)


def node_starts(facts: Facts) -> Ints:
    """Where the facts about each node begin: node v has the facts starts[v] to starts[v + 1]."""
    import numpy as np

    return np.searchsorted(facts.subjects, np.arange(facts.nodes + 1))


def by_relation(facts: Facts) -> dict[int, Ints]:
    """Where the facts of each relation are, in ascending order."""
    import numpy as np

    order = np.argsort(facts.relations, kind="stable")
    present, numbers = np.unique(facts.relations, return_counts=True)
    stops = np.cumsum(numbers)
    return {r: order[b - n : b] for r, n, b in zip(present.tolist(), numbers, stops, strict=True)}


def walks_from(facts: Facts, hops: int) -> Ints:
    """How many walks of 1, 2, ... hops begin at each node, as floats: one row per length. O(hops x facts).

    >>> walks_from(make_facts([0, 0, 1], [0, 1, 0], [1, 1, 2]), 2).tolist()
    [[2.0, 1.0, 0.0], [2.0, 0.0, 0.0]]
    """
    import numpy as np

    ahead = np.ones(facts.nodes)
    rows = np.zeros((hops, facts.nodes))
    for row in rows:
        row[:] = np.bincount(facts.subjects, weights=ahead[facts.objects], minlength=facts.nodes)
        ahead = row
    return rows


def walk_totals(facts: Facts, hops: int) -> list[float]:
    """How many walks of 1, 2, ... hops there are.

    >>> walk_totals(make_facts([0, 0, 1], [0, 1, 0], [1, 1, 2]), 2)
    [3.0, 2.0]
    """
    if facts.few is None:
        totals: list[float] = walks_from(facts, hops).sum(axis=1).tolist()
        return totals
    found: list[float] = []
    triples, ahead = facts.few.triples, dict[int, float]()
    for hop in range(hops):
        here: dict[int, float] = {}
        for subject, _, object_ in triples:
            here[subject] = here.get(subject, 0.0) + (ahead.get(object_, 0.0) if hop else 1.0)
        found.append(sum(here.values()))
        ahead = here
    return found


def label_walks(sides: Sequence[Facts], hops: int) -> Ints:
    """How many walks of each length begin at each label, over all sides, as floats."""
    import numpy as np

    size = max((side.nodes if side.labels is None else _top(side.labels) for side in sides), default=0)
    total = np.zeros((hops, size))
    for side in sides:
        rows = walks_from(side, hops)
        if side.labels is None:
            total[:, : side.nodes] += rows
        else:
            for row, own in zip(total, rows, strict=True):
                row += np.bincount(side.labels[: side.nodes], weights=own, minlength=len(row))
    return total


def combine(columns: Sequence[Ints], sizes: Sequence[int]) -> Ints:
    """One number per row that orders the rows as the columns do; each column is below its size."""
    import numpy as np

    key, bound = columns[0].astype(np.int64), max(1, sizes[0])
    for column, size in zip(columns[1:], sizes[1:], strict=True):
        if bound * max(1, size) > _LARGEST:
            # Ranks keep the order and need no more room than there are rows.
            ranks, key = np.unique(key, return_inverse=True)
            bound = max(1, len(ranks))
        key *= max(1, size)
        key += column
        bound *= max(1, size)
    return key


def mapped(values: Ints, places: Ints) -> Ints:
    """The values at some places, a piece at a time, so that intermediate results stay in the caches."""
    import numpy as np

    found = np.empty(len(places), dtype=values.dtype)
    for at in range(0, len(places), _PIECE):
        np.take(values, places[at : at + _PIECE], out=found[at : at + _PIECE], mode="wrap")
    return found


def ranges(starts: Ints, lengths: Ints) -> Ints:
    """The numbers starts[i], starts[i] + 1, ... of every range, one range after the other."""
    import numpy as np

    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    every: Ints = np.arange(total) + np.repeat(starts - (ends - lengths), lengths)
    return every


def blocks(weights: Ints, limit: float) -> Iterator[tuple[int, int]]:
    """Cut places into runs whose weights add up to at most the limit; a heavier place is a run of its own."""
    import numpy as np

    ends = np.cumsum(weights)
    start = 0
    while start < len(ends):
        before = float(ends[start - 1]) if start else 0.0
        stop = max(start + 1, int(np.searchsorted(ends, before + limit, side="right")))
        yield start, stop
        start = stop


def _numbers(column: npt.ArrayLike) -> Ints:
    import numpy as np

    array = np.asarray(column)
    return array if array.size else array.astype(np.int64)


def _top(column: Ints) -> int:
    return int(column.max()) + 1 if column.size else 0


def _narrow(column: Ints) -> Ints:
    import numpy as np

    return column.astype(np.int32 if _top(column) < 1 << 31 else np.int64, copy=False)


# ---------------------------------------------------------------------------------------------------------------------
# Sets of samples as bits, 64 to a word: packing, OR over groups, and counting bits column by column


def pack(columns: npt.ArrayLike) -> Words:
    """The truth values of every row as 64-bit words, the first column being the lowest bit of the first word."""
    import numpy as np

    bits = np.asarray(columns, dtype=bool)
    rows, width = bits.shape
    packed = np.zeros((rows, (width + 63) // 64 * 8), dtype=np.uint8)
    packed[:, : (width + 7) // 8] = np.packbits(bits, axis=1, bitorder="little")
    return packed.view("<u8").astype(np.uint64, copy=False)


def pack_blocks(rows: int, columns: int, blocks: Iterable[npt.NDArray[Any]]) -> Words:
    """Truth values that arrive in blocks of columns, packed as they arrive."""
    import numpy as np

    words: Words = np.zeros((rows, (columns + 63) // 64), dtype=np.uint64)
    waiting, number, place = np.zeros((rows, 64), dtype=bool), 0, 0
    for block in blocks:
        start = 0
        while start < block.shape[1]:
            part = block[:, start : start + 64 - number]
            waiting[:, number : number + part.shape[1]] = part
            start += part.shape[1]
            number += part.shape[1]
            if number == 64:
                words[:, place] = pack(waiting)[:, 0]
                waiting[:], number, place = False, 0, place + 1
    if number:
        words[:, place] = pack(waiting)[:, 0]
    return words


def unpack(words: Words) -> Ints:
    """One 0 or 1 per bit, lowest first."""
    import numpy as np

    return np.unpackbits(np.ascontiguousarray(words, dtype="<u8").view(np.uint8), axis=1, bitorder="little")


def column_counts(words: Words) -> Ints:
    """How many rows have each bit.

    Rows are added three at a time by a full adder on whole words, sum = a^b^c and carry = majority, so that a row costs
    about five operations per 64 columns; only the few rows that are left for each power of two are unpacked.
    """
    import numpy as np

    totals = np.zeros(words.shape[1] * 64, dtype=np.int64)
    level, weight = words, 1
    while len(level):
        carries = []
        while len(level) > _FEW:
            third = len(level) // 3
            a, b, c = level[:third], level[third : 2 * third], level[2 * third : 3 * third]
            either = a ^ b
            carry = a & b
            carry |= either & c
            either ^= c
            carries.append(carry)
            rest = level[3 * third :]
            level = np.concatenate((either, rest)) if len(rest) else either
        totals += weight * unpack(level).sum(axis=0, dtype=np.int64)
        weight *= 2
        level = np.concatenate(carries) if carries else level[:0]
    return totals


def or_groups(words: Words, starts: Ints) -> Words:
    """The union of every group of neighbouring rows; group i begins at starts[i], and none is empty."""
    import numpy as np

    if len(starts) == len(words):
        return words
    sizes = np.diff(np.append(starts, len(words)))
    merged: Words = words[starts]
    live = np.flatnonzero(sizes > 1)
    step = 1
    while len(live) and step < _ROUNDS:
        merged[live] |= words[starts[live] + step]
        step += 1
        live = live[sizes[live] > step]
    for group in live.tolist():  # the rest of the few large groups
        begin = int(starts[group])
        join: Any = np.bitwise_or  # the types of its `reduce` differ between releases
        merged[group] |= join.reduce(words[begin + step : begin + int(sizes[group])], axis=0)
    return merged


def fact_masks(starts: Ints, documents: Ints, presence: Words) -> Words:
    """The samples in which each fact is supported: the union over its documents."""
    return or_groups(presence[documents], starts[:-1])
