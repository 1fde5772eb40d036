"""Counting paths by products of sparse boolean matrices, the last hop without building its product.

Per relation r let A_r be the boolean matrix of its facts. The paths along r1 ... rn are the non-zeros of A_r1 ... A_rn.
The tree of sequences is walked depth-first with one prefix product per level; the last hop needs only the sizing pass
of the product, and the intersection follows from |G| + |S| - |G u S|, where the union is one more sizing pass over
the rows that both sides have.

Masks of one sample (`masks`) count the same, but a million triples at two hops take 9.3 s of CPU instead of 1.4 s: then
the row "times less CPU than a join in DuckDB" of docs/benchmarks.md, at least 10, is 3.6.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from adjudge.tasks.kbp.paths_facts import (
    Counts,
    Facts,
    HopCounts,
    Sequences,
    by_relation,
    label_of,
    ranges,
    relation_space,
    summed,
)
from adjudge.tasks.kbp.paths_rows import (
    Matrix,
    Rows,
    between,
    in_columns,
    joined,
    multiply,
    offsets,
    product,
    runs,
    shared,
    split,
    take,
)

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints: TypeAlias = npt.NDArray[Any]

# Entries of the largest product that is built at once: about 5 bytes each for each side, and as much again in passing.
BLOCK = 1 << 25
# Places of the tables that lead from a node to its row in a relation; beyond it rows are looked up by bisection.
_TABLES = 1 << 28


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
    table: Ints | None
    first: tuple[Rows, Rows]
    follows: tuple[int, ...] = ()


class Leaf(NamedTuple):
    """Paths of one sequence, as products still to be counted: gold and system rows, and the matrix they meet."""

    sequence: tuple[int, ...]
    gold: Rows
    system: Rows
    target: Matrix


def count_sparse(
    gold: Facts, system: Facts, *, hops: int = 3, block: int = BLOCK, symbolic: bool = True
) -> tuple[HopCounts, ...]:
    """The paths of both sides and their intersection, per sequence of relations and in total, for each length.

    `block` bounds the memory and `symbolic` says how products are counted; neither changes a number.

    >>> from adjudge.tasks.kbp.paths_facts import make_facts
    >>> one = make_facts([0, 1], [0, 1], [1, 2])
    >>> count_sparse(one, make_facts([0, 3], [0, 1], [3, 2]), hops=2)[1]
    HopCounts(hop=2, total=Counts(both=1, gold=1, system=1), sequences={(0, 1): Counts(both=1, gold=1, system=1)})
    """
    return count_products(relations_of(gold, system), hops, block=block, symbolic=symbolic)


def count_products(
    relations: dict[int, Relation],
    hops: int,
    *,
    sources: tuple[int, int] | None = None,
    block: int = BLOCK,
    symbolic: bool = True,
) -> tuple[HopCounts, ...]:
    """The counts from the matrices of the relations; with `sources`, of paths from the one to before the other label.

    >>> from adjudge.tasks.kbp.paths_facts import make_facts
    >>> one = make_facts([0, 1], [0, 0], [1, 2])
    >>> count_products(relations_of(one, one), 1, sources=(1, 3))[0].total
    Counts(both=1, gold=1, system=1)
    """
    found: list[Sequences] = [{} for _ in range(hops)]
    size = _sizing() if symbolic else None
    for leaf in leaves(relations, hops, sources=sources, block=block):
        counts = _count(leaf, size, block)
        known = found[len(leaf.sequence) - 1]
        known[leaf.sequence] = known.get(leaf.sequence, Counts(0, 0, 0)) + counts
    return tuple(summed(hop, sequences) for hop, sequences in enumerate(found, start=1))


def relations_of(gold: Facts, system: Facts) -> dict[int, Relation]:
    """The matrices of every relation that occurs.

    >>> from adjudge.tasks.kbp.paths_facts import make_facts
    >>> sorted(relations_of(make_facts([0], [4], [1]), make_facts([0], [2], [1])))
    [2, 4]
    """
    import numpy as np

    offset, width = gold.nodes, gold.nodes + system.nodes
    sides = (gold, system)
    dense = relation_space(sides) * width <= _TABLES
    parts = [by_relation(side) for side in sides]
    found = {}
    for r in sorted(parts[0].keys() | parts[1].keys()):
        places = [part.get(r, np.empty(0, dtype=np.int64)) for part in parts]
        found[r] = _relation(sides, places, offset, width if dense else 0)
    # Most pairs of relations do not fit: the objects of one are never subjects of the other.
    return {
        r: relation._replace(
            follows=tuple(r for r, other in found.items() if bool((_rows_of(other, relation.objects) >= 0).any()))
        )
        for r, relation in found.items()
    }


def _relation(sides: tuple[Facts, Facts], places: list[Ints], offset: int, width: int) -> Relation:
    import numpy as np

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
    table = None
    if width:
        table = np.full(width, -1, dtype=np.int32)
        table[known] = np.arange(len(known), dtype=np.int32)
    cut = len(subjects[0])
    first = (_first(begins[0], columns[:cut]), _first(begins[1], columns[cut:]))
    return Relation(
        known,
        nodes,
        Matrix(starts, columns, len(nodes)),
        Matrix(starts, last, len(labels)),
        Matrix(np.arange(len(nodes) + 1, dtype=np.int32), own, len(labels)),
        table,
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
    for r in here.follows:
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

    if relation.table is not None:
        found: Ints = relation.table[nodes]
        return found
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
