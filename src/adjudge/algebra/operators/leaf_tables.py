"""The worth of all pairs of elements of two large lists, in columns: no Python object per pair.

Equal values of a field have the same number, so that a field is compared for all pairs by comparing two columns. Graded
comparisons are made once for every two different values. Lists inside elements are aligned for all pairs of elements at
once if they are short, and otherwise once for every two different lists.

For speed (bench records/nested, records/flat): nested lists of 300 lines take an eighth of the time, longer ones less.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any, NamedTuple

from adjudge.algebra.operators.leaf_prepared import Kind, Lst, Obj, Rec, size_of
from adjudge.algebra.operators.leaf_shapes import AnythingKind, Compiler, FieldsKind, LeafKind

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from adjudge.algebra.operators.leaf_lists import ListingKind

    Array = npt.NDArray[np.int64]

_DEAR = 100  # pairs of values that take as long as one pair of lists
_SHORT = 4  # elements of inner lists of which all permutations are tried
_AT_HAND = 1 << 16  # cells of a table that stay in the cache
_BLOCK = 1 << 20  # cells of a table of inner elements held at a time


class Table(NamedTuple):
    """Correct leaves, objects without error, wrong leaves and early fields of all pairs (gold x system)."""

    correct: Array
    whole: Array
    wrong: Array
    early: Array


def worths(listing: ListingKind, gs: Sequence[Any], ss: Sequence[Any]) -> tuple[Table, npt.NDArray[np.bool_]]:
    """All pairs of elements of two lists, and which of them are allowed."""
    import numpy as np

    table = _table(listing.element, gs, ss, listing.compiler)
    sizes = (np.array([size_of(each) for each in side], dtype=np.int64) for side in (gs, ss))
    ours, theirs = next(sizes)[:, None], next(sizes)[None, :]
    kind = table.correct.dtype
    right = table.correct == (listing.unit * ours).astype(kind)
    right &= table.correct == (listing.unit * theirs).astype(kind)
    objects = [np.array([isinstance(each, Rec | Obj) for each in side]) for side in (gs, ss)]
    if not (objects[0].all() and objects[1].all()):
        right &= objects[0][:, None] & objects[1][None, :]
    np.add(table.whole, right, out=table.whole)
    allowed = table.correct > 0
    if listing.least is not None:
        top, bottom = listing.least
        allowed &= 2 * bottom * table.correct.astype(np.int64) >= top * listing.unit * (ours + theirs)
    for name in listing.of.key:
        fields = [[listing.element.field(each, name) for each in side] for side in (gs, ss)]  # type: ignore[attr-defined]
        kind, (mine, others) = fields[0][0][0], ([part for _, part in side] for side in fields)
        found = _table(kind, mine, others, listing.compiler).correct
        one, other = (np.array([size_of(each) for each in side], dtype=np.int64) for side in (mine, others))
        allowed &= (found == listing.unit * one[:, None]) & (found == listing.unit * other[None, :])
    return table, allowed


def correct(kind: Kind, gs: Sequence[Any], ss: Sequence[Any], compiler: Compiler) -> npt.NDArray[np.float64]:
    """The correct leaves of all pairs (system x gold)."""
    import numpy as np

    out = np.zeros((len(ss), len(gs)))
    step = max(1, _BLOCK // max(1, len(ss)))
    for start in range(0, len(gs), step):
        out[:, start : start + step] = _table(kind, gs[start : start + step], ss, compiler).correct.T
    out /= compiler.unit
    return out


def _table(kind: Kind, gs: Sequence[Any], ss: Sequence[Any], compiler: Compiler, inside: Table | None = None) -> Table:
    made = _empty(len(gs), len(ss), _numbers(gs, ss, compiler) if inside is None else inside.correct.dtype)
    _add(kind, gs, ss, made, compiler)
    return made


def _numbers(gs: Sequence[Any], ss: Sequence[Any], compiler: Compiler) -> np.dtype[Any]:
    """Integers that hold the worth of a pair: a leaf adds at most the ranks of the fields on its path."""
    import numpy as np

    if compiler.unit > 1:
        return np.dtype(np.int64)
    most = max((_fields(each) for side in (gs, ss) for each in side), default=0)
    return np.dtype(np.int16 if most * most < 1 << 15 else np.int32)


def _fields(p: Any) -> int:
    """The number of objects, fields, elements and leaves of a value, at all levels."""
    if isinstance(p, Rec):
        return 1 + sum(map(_fields, p.parts)) + _fields(p.extra)
    if isinstance(p, Obj):
        return 1 + sum(map(_fields, p.parts.values()))
    return 1 + sum(map(_fields, p.items)) if isinstance(p, Lst) else 1 + size_of(p)


def _add(kind: Kind, gs: Sequence[Any], ss: Sequence[Any], table: Table, compiler: Compiler) -> None:
    """Fill an empty table with the worth of pairs of values, as far as time allows."""
    if isinstance(kind, LeafKind):
        _add_leaves(kind, gs, ss, table, compiler)
    elif isinstance(kind, FieldsKind):
        records = [[each if isinstance(each, Rec) else None for each in side] for side in (gs, ss)]
        for slow in (False, True):  # cheap ones first
            fields = []
            for place, (inner, rank) in enumerate(zip(kind.kinds, kind.ranks, strict=True)):
                if (kind.slow[place] is not None) is slow:
                    columns = [[None if each is None else each.parts[place] for each in side] for side in records]
                    fields.append(Field(inner, columns[0], columns[1], rank))
            _add_fields(fields, table, compiler)
        if kind.extra is not None:
            columns = [[None if each is None else each.extra for each in side] for side in records]
            _merge(table, _table(kind.extra, columns[0], columns[1], compiler, table), 0)
    elif isinstance(kind, AnythingKind):
        _add_anything(kind, gs, ss, table, compiler)
    elif kind.listed:
        _add_lists(kind, gs, ss, table)  # type: ignore[arg-type]


class Field(NamedTuple):
    """One field of all gold and system objects; its rank is a number, or one for every gold object."""

    kind: Kind
    gs: Sequence[Any]
    ss: Sequence[Any]
    rank: Any


def _add_fields(fields: Sequence[Field], table: Table, compiler: Compiler) -> None:
    """Add the fields of all pairs; those that are compared by equality come first, together."""
    coded = []
    for kind, gs, ss, rank in sorted(fields, key=lambda field: not _is_coded(field.kind)):
        if any(all(each is None for each in side) for side in (gs, ss)) or _is_late(compiler, table.correct.size):
            continue
        if _is_coded(kind):
            coded.append((*_numbered(gs, ss), rank))
            continue
        _add_coded(coded, table, compiler)
        coded = []
        _merge(table, _table(kind, gs, ss, compiler, table), rank)
    _add_coded(coded, table, compiler)


def _is_coded(kind: Kind) -> bool:
    return isinstance(kind, LeafKind) and kind.coded


def _add_coded(columns: Sequence[tuple[Array, Array, Any]], table: Table, compiler: Compiler) -> None:
    """Add columns of numbered values, a few rows of all of them at a time, so that these stay in the cache."""
    import numpy as np

    unit = compiler.unit
    gaps = [((one < 0).any(), (other < 0).any()) for one, other, _ in columns]
    step = max(1, _AT_HAND // max(1, table.correct.shape[1]))
    for start in range(0, len(table.correct) if columns else 0, step):
        rows = slice(start, start + step)
        part = Table(*(level[rows] for level in table))
        for (one, other, rank), (ours, theirs) in zip(columns, gaps, strict=True):
            same = one[rows, None] == other[None, :]
            _count(part.correct, same, unit)
            if np.ndim(rank):
                part.early[...] += same * (unit * rank[rows]).astype(part.early.dtype)
            elif rank:
                _count(part.early, same, unit * rank)
            np.logical_not(same, out=same)
            if ours:
                same &= (one[rows] >= 0)[:, None]
            if theirs:
                same &= (other >= 0)[None, :]
            _count(part.wrong, same, unit)


def _count(numbers: Array, where: npt.NDArray[np.bool_], number: int) -> None:
    """Add a number to some cells."""
    import numpy as np

    if number == 1:
        numbers += where
    elif number < 128:
        numbers += where.view(np.int8) * np.int8(number)
    else:
        numbers += where * numbers.dtype.type(number)


def _merge(table: Table, inner: Table, rank: Any) -> None:
    table.correct[...] += inner.correct
    table.whole[...] += inner.whole
    table.wrong[...] += inner.wrong
    table.early[...] += inner.early + rank * inner.correct


def _numbered(gs: Sequence[Any], ss: Sequence[Any]) -> tuple[Array, Array]:
    """Equal values as equal numbers; absent ones are -1 or -2, which match nothing."""
    import numpy as np

    numbers: dict[Hashable, int] = {}
    ours = [-1 if each is None else numbers.setdefault(each, len(numbers)) for each in gs]
    theirs = [-2 if each is None else numbers.setdefault(each, len(numbers)) for each in ss]
    return np.array(ours, dtype=np.int32), np.array(theirs, dtype=np.int32)


def _add_leaves(kind: LeafKind, gs: Sequence[Any], ss: Sequence[Any], table: Table, compiler: Compiler) -> None:
    import numpy as np

    if kind.coded:
        _add_fields([Field(kind, gs, ss, 0)], table, compiler)
        return
    unit = compiler.unit
    values: list[dict[Any, int]] = [{}, {}]
    places = [
        np.array([-1 if each is None else known.setdefault(each, len(known)) for each in side], dtype=np.int64)
        for known, side in zip(values, (gs, ss), strict=True)
    ]
    worth = np.zeros((len(values[0]) + 1, len(values[1]) + 1), dtype=np.int64)  # the last row and column: none
    for g, row in values[0].items():
        if _is_late(compiler, len(values[1])):
            break
        for s, column in values[1].items():
            worth[row, column] = round(kind.credit(g, s) * unit)
    there = np.full_like(worth, unit)
    there[-1, :] = there[:, -1] = 0
    table.correct[...] += worth[np.ix_(*places)].astype(table.correct.dtype)
    table.wrong[...] += (there - worth)[np.ix_(*places)].astype(table.wrong.dtype)


def _add_anything(kind: AnythingKind, gs: Sequence[Any], ss: Sequence[Any], table: Table, compiler: Compiler) -> None:
    """Add pairs of values that are of one kind."""
    for wanted in (Obj, Lst, None):
        ours, theirs = ([i for i, each in enumerate(side) if _is(each, wanted)] for side in (gs, ss))
        if not ours or not theirs:
            continue
        one, other = [gs[i] for i in ours], [ss[j] for j in theirs]
        part = table
        inside = len(one) < len(gs) or len(other) < len(ss)
        if inside:
            part = _empty(len(one), len(other), table.correct.dtype)
        if wanted is Lst:
            _add_lists(kind.list, one, other, part)  # type: ignore[arg-type]
        elif wanted is Obj:
            _add_objects(kind, one, other, part, compiler)
        else:
            _add_fields([Field(_CODED, one, other, 0)], part, compiler)
        if inside:
            _put(table, part, ours, theirs)


def _empty(rows: int, columns: int, numbers: np.dtype[Any]) -> Table:
    import numpy as np

    return Table(*(np.zeros((rows, columns), dtype=numbers) for _ in range(4)))


def _put(table: Table, part: Table, rows: Sequence[int], columns: Sequence[int]) -> None:
    """Add the cells of some rows and columns."""
    import numpy as np

    where = np.ix_(rows, columns)
    for whole, own in zip(table, part, strict=True):
        whole[where] += own


def _add_objects(kind: AnythingKind, gs: Sequence[Obj], ss: Sequence[Obj], table: Table, compiler: Compiler) -> None:
    """Add objects key by key, for each key those that have it."""
    import numpy as np

    theirs: dict[str, list[int]] = {}
    for j, each in enumerate(ss):
        for name in each.parts:
            theirs.setdefault(name, []).append(j)
    ours: dict[str, list[tuple[int, int]]] = {}
    for i, each in enumerate(gs):
        for place, name in enumerate(each.parts):
            if name in theirs:
                ours.setdefault(name, []).append((i, len(each.parts) - place))
    whole: list[Field] = []
    for name, ranked in ours.items():
        rows, columns = [i for i, _ in ranked], theirs[name]
        listed = {rank for _, rank in ranked}
        ranks: Any = (
            listed.pop() if len(listed) == 1 else np.array([rank for _, rank in ranked], dtype=np.int64)[:, None]
        )
        mine, others = [gs[i].parts[name] for i in rows], [ss[j].parts[name] for j in columns]
        all_of_them = len(rows) == len(gs) and len(columns) == len(ss)
        nested = any(type(each) in (Obj, Lst) for side in (mine, others) for each in side)
        field = Field(kind if nested else _CODED, mine, others, ranks)
        if all_of_them:
            whole.append(field)
        else:
            part = _empty(len(rows), len(columns), table.correct.dtype)
            _add_fields([field], part, compiler)
            _put(table, part, rows, columns)
    _add_fields(whole, table, compiler)


def _is_late(compiler: Compiler, pairs: int) -> bool:
    """Whether to leave out the rest, which is recorded; `pairs` is how many come next."""
    late = compiler.late(pairs)
    compiler.unproven |= late
    return late


class _Coded(LeafKind):
    """Values compared by equality."""

    def __init__(self) -> None:
        self.coded = self.same = True


_CODED = _Coded()


def _is(value: Any, wanted: type | None) -> bool:
    if wanted is None:
        return value is not None and not isinstance(value, Obj | Lst)
    return isinstance(value, wanted) and size_of(value) > 0


def _add_lists(kind: ListingKind, gs: Sequence[Any], ss: Sequence[Any], table: Table) -> None:
    """Add the lists inside all pairs."""
    ours, theirs = ([each.items if isinstance(each, Lst) else [] for each in side] for side in (gs, ss))
    longest = max(map(len, ours), default=0), max(map(len, theirs), default=0)
    if not all(longest):
        return
    if kind.of.match != "best" or max(longest) > _SHORT:
        _add_one_by_one(kind, gs, ss, table)
        return
    flat = [each for items in theirs for each in items]
    columns = _places(theirs, longest[1])
    step = max(1, _BLOCK // max(1, longest[0] * len(flat)))
    for start in range(0, len(gs), step):
        if _is_late(kind.compiler, step * longest[0] * len(flat)):
            return
        block = ours[start : start + step]
        mine = [each for items in block for each in items]
        if not mine:
            continue
        inner, allowed = worths(kind, mine, flat)
        rows = _places(block, longest[0])
        best = _best(inner, allowed, rows, columns)
        part = Table(*(level[start : start + step] for level in table))
        if best is None:
            _add_one_by_one(kind, gs[start : start + step], ss, part)
            continue
        for whole, own in zip(part, best, strict=True):
            whole[...] += own.astype(whole.dtype)


def _places(lists: Sequence[Sequence[Any]], longest: int) -> Array:
    """The places of the elements of each list among those of all lists, filled up with -1."""
    import numpy as np

    places = np.full((len(lists), longest), -1, dtype=np.int64)
    at = 0
    for row, items in enumerate(lists):
        places[row, : len(items)] = range(at, at + len(items))
        at += len(items)
    return places


def _best(inner: Table, allowed: npt.NDArray[np.bool_], rows: Array, columns: Array) -> list[Array] | None:
    """The worth of the best assignment of the elements of every two lists, by trying all of them.

    None if the four numbers do not fit into one.
    """
    import numpy as np

    few, many = min(rows.shape[1], columns.shape[1]), max(rows.shape[1], columns.shape[1])
    bits = [(int(each.max(initial=0)) * few).bit_length() for each in inner]
    if sum(bits) > 62:
        return None
    shifts = [sum(bits[place + 1 :]) for place in range(4)]
    kind = np.int32 if sum(bits) < 31 else np.int64
    weight = np.zeros((allowed.shape[0] + 1, allowed.shape[1] + 1), dtype=kind)  # the last ones stand for none
    for shift, level in zip(shifts, inner, strict=True):
        weight[:-1, :-1] += level.astype(kind, copy=False) << shift
    weight[:-1, :-1] *= allowed
    best = np.zeros((len(rows), len(columns)), dtype=kind)
    pieces = {
        (a, b): weight[rows[:, a]][:, columns[:, b]] for a in range(rows.shape[1]) for b in range(columns.shape[1])
    }
    for chosen in permutations(range(many), few):
        pairs = list(enumerate(chosen)) if rows.shape[1] == few else [(b, a) for a, b in enumerate(chosen)]
        total = pieces[pairs[0]] if few == 1 else pieces[pairs[0]] + pieces[pairs[1]]
        for pair in pairs[2:]:
            total += pieces[pair]
        np.maximum(best, total, out=best)
    return [(best >> shift) & ((1 << own) - 1) for shift, own in zip(shifts, bits, strict=True)]


def _add_one_by_one(kind: ListingKind, gs: Sequence[Any], ss: Sequence[Any], table: Table) -> None:
    """Add lists, every two different ones aligned once."""
    import numpy as np

    firsts: list[dict[Hashable, Lst]] = [{}, {}]
    where: list[list[int]] = [[], []]
    for first, places, side in zip(firsts, where, (gs, ss), strict=True):
        numbers: dict[Hashable, int] = {}
        for each in side:
            if isinstance(each, Lst) and each.items:
                key = kind.key(each)
                first.setdefault(key, each)
                places.append(numbers.setdefault(key, len(numbers)))
            else:
                places.append(-1)
    made = np.zeros((4, len(firsts[0]) + 1, len(firsts[1]) + 1), dtype=table.correct.dtype)  # the last ones: none
    for i, g in enumerate(firsts[0].values()):
        if _is_late(kind.compiler, _DEAR * len(firsts[1])):
            break
        for j, s in enumerate(firsts[1].values()):
            made[:, i, j] = kind.worth(g, s)
    for whole, own in zip(table, made, strict=True):
        whole += own[np.ix_(*where)]
