"""Counting paths by products of sparse boolean matrices, the last hop without building its product.

Per relation r let A_r be the boolean matrix of its facts. The paths along r1 ... rn are the non-zeros of A_r1 ... A_rn.
The tree of sequences is walked depth-first with one prefix product per level; the last hop needs only the sizing pass
of the product, and the intersection follows from |G| + |S| - |G u S|, where the union is one more sizing pass over
the rows that both sides have.

Masks of one sample (`walks`) count the same, but a million triples at two hops take 9.3 s of CPU instead of 1.4 s: then
the row "times less CPU than a join in DuckDB" of docs/benchmarks.md, at least 10, is 3.6.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from adjudge.algebra.solve.deadline import running
from adjudge.tasks.kbp.facts import (
    Counts,
    Facts,
    Sequences,
    blocks,
    by_relation,
    combine,
    label_of,
    ranges,
)

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints: TypeAlias = npt.NDArray[Any]

# Entries of the largest product that is built at once: about 5 bytes each for each side, and as much again in passing.
BLOCK = 1 << 25


class Rows(NamedTuple):
    """Sparse rows without the empty ones: the id of each row, and the columns it reaches."""

    ids: Ints
    starts: Ints
    columns: Ints


class Matrix(NamedTuple):
    """A boolean matrix by rows, all rows present."""

    starts: Ints
    columns: Ints
    width: int


class Relation(NamedTuple):
    """The facts of one relation, both sides stacked: gold nodes first, the system's after them.

    `subjects` and `objects` lead from the small numbers used inside back to stacked nodes; `step` goes from subjects
    to objects, `last` from subjects to labels, `same` from objects to their labels. `follows` are the relations that
    have one of the objects as a subject.
    """

    subjects: Ints
    objects: Ints
    step: Matrix
    last: Matrix
    same: Matrix
    first: tuple[Rows, Rows]
    follows: tuple[int, ...] = ()


class Leaf(NamedTuple):
    """Paths of one sequence, as products still to be counted: gold and system rows, and the matrix they meet."""

    sequence: tuple[int, ...]
    gold: Rows
    system: Rows
    target: Matrix


def count_products(
    relations: dict[int, Relation], hops: int, *, sources: tuple[int, int] | None = None, block: int = BLOCK
) -> Sequences:
    """The paths of both sides and their intersection by sequence of relations, from the matrices of the relations.

    With `sources`, only paths from the one to before the other label. `block` bounds the memory and changes no number.

    >>> from adjudge.tasks.kbp.facts import make_facts
    >>> one, other = make_facts([0, 1], [0, 1], [1, 2]), make_facts([0, 3], [0, 1], [3, 2])
    >>> count_products(relations_of(one, other), 2)[0, 1]
    Counts(both=1, gold=1, system=1)
    """
    found: Sequences = {}
    size = _sizing()
    for leaf in leaves(relations, hops, sources=sources, block=block):
        found[leaf.sequence] = found.get(leaf.sequence, Counts(0, 0, 0)) + _count(leaf, size, block)
    return found


def count_facts(gold: Facts, system: Facts, *, sources: tuple[int, int] | None = None) -> Sequences:
    """The paths of one hop, for which nothing has to be multiplied; otherwise as `count_products`.

    >>> from adjudge.tasks.kbp.facts import make_facts
    >>> count_facts(make_facts([0, 1], [0, 1], [1, 2]), make_facts([0, 3], [0, 1], [3, 2]))
    {(0,): Counts(both=0, gold=1, system=1), (1,): Counts(both=0, gold=1, system=1)}
    """
    import numpy as np

    rows = []
    for side in (gold, system):
        own = [label_of(side, side.subjects), side.relations, label_of(side, side.objects)]
        if sources is not None:
            inside = (own[0] >= sources[0]) & (own[0] < sources[1])
            own = [column[inside] for column in own]
        rows.append(own)
    columns = [np.concatenate(pair) for pair in zip(*rows, strict=True)]
    every = combine(columns, [int(column.max(initial=0)) + 1 for column in columns])
    keys, kinds = np.split(every, [len(rows[0][0])]), [own[1] for own in rows]
    for place, side in enumerate((gold, system)):
        if side.labels is not None:  # several nodes may count as one
            keys[place], at = np.unique(keys[place], return_index=True)
            kinds[place] = kinds[place][at]
    at = np.searchsorted(keys[0], keys[1])
    at[at == len(keys[0])] = 0
    both = kinds[1][keys[0][at] == keys[1]] if len(keys[0]) else kinds[1][:0]
    size = int(columns[1].max(initial=0)) + 1
    counts = np.stack([np.bincount(own, minlength=size) for own in (both, *kinds)], axis=1)
    return {(r,): Counts(*row) for r, row in enumerate(counts.tolist()) if any(row)}


def relations_of(gold: Facts, system: Facts) -> dict[int, Relation]:
    """The matrices of every relation that occurs."""
    import numpy as np

    sides = (gold, system)
    parts = [by_relation(side) for side in sides]
    found = {}
    for r in sorted(parts[0].keys() | parts[1].keys()):
        places = [part.get(r, np.empty(0, dtype=np.int64)) for part in parts]
        found[r] = _relation(sides, places)
    # Most pairs of relations do not fit: the objects of one are never subjects of the other.
    return {
        r: relation._replace(
            follows=tuple(r for r, other in found.items() if bool((_rows_of(other, relation.objects) >= 0).any()))
        )
        for r, relation in found.items()
    }


def _relation(sides: tuple[Facts, Facts], places: list[Ints]) -> Relation:
    import numpy as np

    offset = sides[0].nodes
    stacked = np.int32 if offset + sides[1].nodes < 1 << 31 else np.int64
    shift = (0, offset)
    subjects = [(side.subjects[at].astype(stacked) + add) for side, at, add in zip(sides, places, shift, strict=True)]
    objects = [(side.objects[at].astype(stacked) + add) for side, at, add in zip(sides, places, shift, strict=True)]
    targets = [label_of(side, side.objects[at]) for side, at in zip(sides, places, strict=True)]
    begins = [label_of(side, side.subjects[at]) for side, at in zip(sides, places, strict=True)]
    # The facts of a side are in the order of their subjects, and the system's nodes come after gold's.
    every = np.concatenate(subjects)
    known, counts = runs(every)
    starts = offsets(counts)
    nodes, inverse = np.unique(np.concatenate(objects), return_inverse=True)
    columns = inverse.astype(np.int32)
    labels, place, often = np.unique(np.concatenate(targets), return_inverse=True, return_counts=True)
    # Popular labels first: the sizing pass touches one mark per label, and the busy ones then lie close together.
    rank = np.empty(len(labels), dtype=np.int32)
    rank[np.argsort(-often, kind="stable")] = np.arange(len(labels), dtype=np.int32)
    last = rank[place]
    own = np.empty(len(nodes), dtype=np.int32)
    own[columns] = last
    cut = len(subjects[0])
    first = (_first(begins[0], columns[:cut]), _first(begins[1], columns[cut:]))
    return Relation(
        known,
        nodes,
        Matrix(starts, columns, len(nodes)),
        Matrix(starts, last, len(labels)),
        Matrix(np.arange(len(nodes) + 1, dtype=np.int32), own, len(labels)),
        first,
    )


def _first(begins: Ints, columns: Ints) -> Rows:
    import numpy as np

    if len(begins) and bool((begins[1:] < begins[:-1]).any()):
        order = np.argsort(begins, kind="stable")
        begins, columns = begins[order], columns[order]
    ids, counts = runs(begins)
    return Rows(ids, offsets(counts), columns)


def leaves(
    relations: dict[int, Relation],
    hops: int,
    *,
    sources: tuple[int, int] | Ints | None = None,
    block: int = BLOCK,
) -> Iterator[Leaf]:
    """Every sequence of 1 to `hops` relations that has a path, in pieces; `sources` keeps the paths from these labels.

    They are an array, or a pair: from the one to before the other.

    Pieces of one sequence have no first label in common, so that their counts add up.
    """
    import numpy as np

    for r, relation in relations.items():
        gold, system = relation.first
        if isinstance(sources, tuple):
            gold, system = (between(rows, *sources) for rows in (gold, system))
        elif sources is not None:
            gold, system = (take(rows, np.flatnonzero(np.isin(rows.ids, sources))) for rows in (gold, system))
        if sources is not None and not len(gold.ids) and not len(system.ids):
            continue
        yield from _below(relations, (r,), (gold, system), hops, block)


def _below(
    relations: dict[int, Relation], sequence: tuple[int, ...], rows: tuple[Rows, Rows], hops: int, block: int
) -> Iterator[Leaf]:
    here = relations[sequence[-1]]
    yield Leaf(sequence, *rows, here.same)
    if len(sequence) == hops:
        return
    few = sum(len(side.columns) for side in rows) < len(here.objects)
    clock = running()
    for r in here.follows:
        clock.check()
        relation = relations[r]
        if few:
            gold, system = (in_columns(side, _rows_of(relation, here.objects[side.columns])) for side in rows)
        else:
            at = _rows_of(relation, here.objects)
            gold, system = (in_columns(side, at[side.columns]) for side in rows)
        if not len(gold.ids) and not len(system.ids):
            continue
        longer = (*sequence, r)
        if len(longer) == hops:
            yield Leaf(longer, gold, system, relation.last)
            continue
        for part in split(gold, system, relation.step, block):
            built = (product(part[0], relation.step), product(part[1], relation.step))
            yield from _below(relations, longer, built, hops, block)


def _rows_of(relation: Relation, nodes: Ints) -> Ints:
    """The rows of a relation that belong to nodes, -1 where there is none."""
    import numpy as np

    at = np.searchsorted(relation.subjects, nodes).astype(np.int32)
    at[at == len(relation.subjects)] = 0
    return np.where(relation.subjects[at] == nodes, at, np.int32(-1))


def _count(leaf: Leaf, size: Any, block: int) -> Counts:
    import numpy as np

    gold, system, target = leaf.gold, leaf.system, leaf.target
    one, other = shared(gold, system)
    if not len(one):
        return Counts(0, _nonzeros(gold, target, size, block), _nonzeros(system, target, size, block))
    common = []
    alone = []
    for rows, places in ((gold, one), (system, other)):
        rest = np.delete(np.arange(len(rows.ids)), places)
        common.append(take(rows, places) if len(rest) else rows)
        alone.append(_nonzeros(take(rows, rest), target, size, block) if len(rest) else 0)
    in_gold, in_system = (_nonzeros(rows, target, size, block) for rows in common)
    either = _nonzeros(joined(*common), target, size, block)
    return Counts(in_gold + in_system - either, in_gold + alone[0], in_system + alone[1])


def _nonzeros(rows: Rows, matrix: Matrix, size: Any, block: int) -> int:
    """The number of non-zeros of the boolean product."""
    if not len(rows.ids):
        return 0
    if size is not None:
        return int(size(len(rows.ids), matrix.width, rows.starts, rows.columns, matrix.starts, matrix.columns))
    nothing = take(rows, ranges(rows.starts[:0], rows.starts[:0]))
    return sum(multiply(part, matrix).nnz for part, _ in split(rows, nothing, matrix, block))


def _sizing() -> Any:
    """The sizing pass of sparse multiplication; it is not public, so that where it is missing products are built."""
    from scipy import sparse

    return getattr(getattr(sparse, "_sparsetools", None), "csr_matmat_maxnnz", None)


# ---------------------------------------------------------------------------------------------------------------------
# Sparse boolean rows and matrices: taken apart, put side by side, multiplied


def in_columns(rows: Rows, columns: Ints) -> Rows:
    """The rows in other columns; those that are -1 are left out."""
    import numpy as np

    known = columns >= 0
    total = np.zeros(len(known) + 1, dtype=rows.starts.dtype)
    np.cumsum(known, out=total[1:])
    return _without_empty(rows.ids, total[rows.starts], columns[known])


def _without_empty(ids: Ints, starts: Ints, columns: Ints) -> Rows:
    import numpy as np

    filled = np.flatnonzero(starts[1:] > starts[:-1])
    if len(filled) == len(ids):
        return Rows(ids, starts, columns)
    return Rows(ids[filled], np.append(starts[filled], starts[-1:]), columns)


def split(gold: Rows, system: Rows, matrix: Matrix, block: int) -> Iterator[tuple[Rows, Rows]]:
    """The rows in pieces with at most `block` walks, cut at the same labels on both sides."""
    import numpy as np

    degrees = np.diff(matrix.starts)
    walks = [_row_sums(degrees[side.columns], side.starts) for side in (gold, system)]
    if sum(int(w.sum()) for w in walks) <= block:
        yield gold, system
        return
    ids = np.union1d(gold.ids, system.ids)
    weights = np.zeros(len(ids))
    for side, own in zip((gold, system), walks, strict=True):
        weights[np.searchsorted(ids, side.ids)] += own
    for start, stop in blocks(weights, block):
        pieces = [between(side, ids[start], ids[stop - 1] + 1) for side in (gold, system)]
        yield pieces[0], pieces[1]


def between(rows: Rows, first: int, last: int) -> Rows:
    """The rows whose ids are from the one to before the other."""
    import numpy as np

    a, b = np.searchsorted(rows.ids, [first, last])
    low, high = rows.starts[a], rows.starts[b]
    return Rows(rows.ids[a:b], rows.starts[a : b + 1] - low, rows.columns[low:high])


def product(rows: Rows, matrix: Matrix) -> Rows:
    """The boolean product, without its empty rows."""
    built = multiply(rows, matrix)
    return _without_empty(rows.ids, built.indptr, built.indices)


def multiply(rows: Rows, matrix: Matrix) -> Any:
    """The boolean product as a sparse matrix: sums of witnesses cannot overflow, as they could in small integers."""
    import numpy as np
    from scipy import sparse

    height = len(matrix.starts) - 1
    left = sparse.csr_matrix(
        (np.ones(len(rows.columns), dtype=bool), rows.columns, rows.starts), (len(rows.ids), height)
    )
    ones = np.ones(len(matrix.columns), dtype=bool)
    return left @ sparse.csr_matrix((ones, matrix.columns, matrix.starts), (height, matrix.width))


def take(rows: Rows, places: Ints) -> Rows:
    """Some of the rows."""
    import numpy as np

    lengths = np.diff(rows.starts)[places]
    return Rows(rows.ids[places], offsets(lengths), rows.columns[ranges(rows.starts[places], lengths)])


def joined(gold: Rows, system: Rows) -> Rows:
    """Rows with the same ids side by side: what either of the two reaches."""
    import numpy as np

    one, other = np.diff(gold.starts), np.diff(system.starts)
    starts = offsets(one + other)
    columns = np.empty(int(starts[-1]), dtype=gold.columns.dtype)
    columns[ranges(starts[:-1], one)] = gold.columns
    columns[ranges(starts[:-1] + one, other)] = system.columns
    return Rows(gold.ids, starts, columns)


def shared(gold: Rows, system: Rows) -> tuple[Ints, Ints]:
    """Where the ids that both have are, in the one and in the other."""
    import numpy as np

    _, one, other = np.intersect1d(gold.ids, system.ids, assume_unique=True, return_indices=True)
    return one, other


def runs(column: Ints) -> tuple[Ints, Ints]:
    """The values of a column in order, and how often each occurs."""
    import numpy as np

    new = np.ones(len(column), dtype=bool)
    new[1:] = column[1:] != column[:-1]
    at = np.flatnonzero(new)
    return column[at], np.diff(np.append(at, len(column)))


def offsets(lengths: Ints) -> Ints:
    """Where rows of these lengths begin, and where the last ends; in small integers if they suffice."""
    import numpy as np

    total = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=total[1:])
    return total.astype(np.int32) if total[-1] < 1 << 31 else total


def _row_sums(values: Ints, starts: Ints) -> Ints:
    import numpy as np

    total = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(values, out=total[1:])
    return np.diff(total[starts])
