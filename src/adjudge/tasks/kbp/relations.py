"""From a table of triples to facts: which relations count, and in which directions.

In this order: other names, relations that do not count, inverses, symmetric relations, self-loops. Names are looked up
once per relation, not per triple.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from adjudge.tasks.kbp.facts import Facts, Few, closed, make_facts, mapped
from adjudge.tasks.kbp.options import KbOptions, Side, is_listed, is_turned, relation_name

if TYPE_CHECKING:
    import numpy.typing as npt

    from adjudge.model.kbp import Names, TripleNames, TripleTable

    Ints: TypeAlias = npt.NDArray[Any]


_PIECE = 1 << 16  # rows hashed at once
FEW = 2000
"""Rows that are prepared one by one: numpy takes longer to load."""
_BITS = (1 << 64) - 1
_FACTOR = 0x9E3779B97F4A7C15


class Prepared(NamedTuple):
    """The facts of one side, and how many rows of the table were left out, by reason.

    `excluded` counts rows of relations that do not count, `outside` those of other documents, `loops` self-loops.
    """

    facts: Facts
    excluded: int
    outside: int
    loops: int


def prepare(
    table: TripleTable,
    options: KbOptions,
    side: Side,
    *,
    documents: Mapping[int, int],
    labels: Mapping[int, int] | None = None,
    named: bool = False,
) -> Prepared:
    """The facts of a table in the documents given: number in the table -> row of the samples.

    `labels` map the system's own nodes to gold nodes; others count as themselves. `named` says that the relations of
    the table already have their final names.

    >>> from adjudge.model.kbp import TripleTable
    >>> table = TripleTable()
    >>> table.add("a", "Family", "b", "d1")
    >>> table.add("a", "Lasting-Personal", "b", "d1")
    >>> found = prepare(table, KbOptions(symmetric="close"), "gold", documents={0: 0})
    >>> found.facts.subjects.tolist(), found.excluded
    ([0, 1], 1)
    """
    if len(table) <= FEW:
        return _prepare_few(table, options, side, documents=documents, labels=labels, named=named)
    import numpy as np

    rows = rows_of(table, options, side, documents=documents, named=named)
    inside = rows.places >= 0
    kept = inside & (rows.relations >= 0)
    number = int(np.count_nonzero(kept))
    outside = len(table) - int(np.count_nonzero(inside))
    known = None if labels is None else _labels(labels, len(table.names.nodes))
    if options.self_loops == "drop":
        kept &= rows.subjects != rows.objects
        if known is not None:
            kept &= known[rows.subjects] != known[rows.objects]
    loops = number - int(np.count_nonzero(kept))
    s, r, o, d = rows if kept.all() else (column[kept] for column in rows)
    facts = make_facts(s, r, o, d, labels=known)
    reverse = reversed_relations(table.names.relations, options)
    excluded = len(table) - outside - number
    return Prepared(closed(facts, reverse) if reverse else facts, excluded, outside, loops)


def _prepare_few(
    table: TripleTable,
    options: KbOptions,
    side: Side,
    *,
    documents: Mapping[int, int],
    labels: Mapping[int, int] | None,
    named: bool,
) -> Prepared:
    """The same row by row, without arrays."""
    ways, nodes = directions(table, options, side, named=named), len(table.names.nodes)
    reverse = reversed_relations(table.names.relations, options)
    known = None if labels is None else [_label(labels, node, nodes) for node in range(nodes)]
    rows: set[tuple[int, int, int, int]] = set()
    excluded = outside = loops = 0
    for s, r, o, d in zip(table.subjects, table.relations, table.objects, table.documents, strict=True):
        place, (relation, turned) = documents.get(d, -1), ways[r]
        first, last = (o, s) if turned else (s, o)
        if place < 0:
            outside += 1
        elif relation < 0:
            excluded += 1
        elif options.self_loops == "drop" and (s == o or (known is not None and known[s] == known[o])):
            loops += 1
        else:
            rows.add((first, relation, last, place))
            if relation in reverse:
                rows.add((last, reverse[relation], first, place))
    return Prepared(Facts(few=Few(frozenset(rows), known)), excluded, outside, loops)


def columns_of(table: TripleTable) -> list[Ints]:
    """Subjects, relations, objects and documents, not copied."""
    import numpy as np

    columns = (table.subjects, table.relations, table.objects, table.documents)
    return [np.frombuffer(own, f"i{own.itemsize}") if len(own) else np.zeros(0, np.int32) for own in columns]


def used_documents(table: TripleTable) -> list[int]:
    """The numbers of the documents that have a row, in ascending order."""
    if len(table) <= FEW:
        return sorted(set(table.documents))
    import numpy as np

    found: list[int] = np.flatnonzero(np.bincount(columns_of(table)[3])).tolist()
    return found


class Rows(NamedTuple):
    """The rows of a table as they count: relations are -1 if they do not, places if the document is not scored."""

    subjects: Ints
    relations: Ints
    objects: Ints
    places: Ints


def rows_of(
    table: TripleTable, options: KbOptions, side: Side, *, documents: Mapping[int, int], named: bool = False
) -> Rows:
    """The rows under the names and in the directions that count; the other arguments are those of `prepare`.

    >>> from adjudge.model.kbp import TripleTable
    >>> table = TripleTable()
    >>> for relation in ("per:children", "per:parents", "METONYMY"): table.add("a", relation, "b", "d1")
    >>> [column.tolist() for column in rows_of(table, KbOptions(inverse="canonical"), "gold", documents={0: 0})]
    [[0, 1, 0], [0, 0, -1], [1, 0, 1], [0, 0, 0]]
    """
    import numpy as np

    s, relations, o, where = columns_of(table)
    ways = directions(table, options, side, named=named)
    flags = [turned for _, turned in ways]
    if any(flags):
        backwards = mapped(np.array(flags), relations)
        s, o = np.where(backwards, o, s), np.where(backwards, s, o)
    r = mapped(np.array([number for number, _ in ways], dtype=np.int32), relations)
    return Rows(s, r, o, mapped(_lookup(documents, len(table.names.documents)), where))


def directions(table: TripleTable, options: KbOptions, side: Side, *, named: bool = False) -> list[tuple[int, bool]]:
    """What each relation of a table counts as, -1 if it does not, and whether it is turned round."""
    names = table.names.relations
    given = tuple(names.listed)
    found = list(zip(range(len(given)), (False,) * len(given), strict=True))
    if not named:
        new = [relation_name(name, options, side) for name in given]
        turned = [is_turned(name, options, side) for name in given]
        found = [(-1 if name is None else names[name], turn) for name, turn in zip(new, turned, strict=True)]
    if options.inverse == "canonical":
        # Of two inverses the one listed first is forward.
        forward: dict[str, str] = {}
        for one, other in inverses(options).items():
            if one != other and one not in forward and other not in forward.values():
                forward.setdefault(other, one)
        written = {names[other]: names[one] for other, one in forward.items() if other in names}
        found = [(written[r], not turn) if r in written else (r, turn) for r, turn in found]
    return found


def reversed_relations(relations: Names, options: KbOptions) -> dict[int, int]:
    """The relations that also hold in reverse, and their names in that direction, by number."""
    found: dict[int, int] = {}
    if options.inverse == "close":
        for one, other in inverses(options).items():
            if one in relations or other in relations:
                # A relation that only one side has still has its inverse there.
                found[relations[one]] = relations[other]
                found[relations[other]] = relations[one]
    if options.symmetric == "close":
        for name in [name for name in relations if is_listed(name, options.symmetric_types)]:
            found.setdefault(relations[name], relations[name])
    return found


def inverses(options: KbOptions) -> Mapping[str, str]:
    """The relations and their inverses: as given, or those of Cold Start."""
    if options.inverse_table is not None:
        return options.inverse_table
    from adjudge.formats.kb_coldstart_check import inverse_table

    return inverse_table()


def only_relation(facts: Facts, relation: int) -> Facts:
    """The facts of one relation."""
    import numpy as np

    from adjudge.tasks.kbp.facts import assertions

    kept = np.repeat(facts.relations == relation, np.diff(facts.starts))
    s, r, o, d = (column[kept] for column in assertions(facts))
    return make_facts(s, r, o, d, labels=facts.labels)


def _labels(labels: Mapping[int, int], nodes: int) -> Ints:
    """The gold node of each node; a node without one gets a number beyond all gold nodes."""
    import numpy as np

    return np.array([_label(labels, node, nodes) for node in range(nodes)], dtype=np.int64)


def _label(labels: Mapping[int, int], node: int, nodes: int) -> int:
    gold = labels.get(node, -1)
    return gold if gold >= 0 else nodes + node


def _lookup(numbers: Mapping[int, int], size: int) -> Ints:
    import numpy as np

    found = np.full(max(1, size), -1, dtype=np.int32)
    found[np.fromiter(numbers, np.int64, len(numbers))] = np.fromiter(numbers.values(), np.int32, len(numbers))
    return found


class NameHashes(NamedTuple):
    """The hash of each name, by number."""

    nodes: Sequence[int] | Ints
    relations: Sequence[int] | Ints
    documents: Sequence[int] | Ints


def hash_names(names: TripleNames) -> NameHashes:
    """The hashes of all names that tables share."""
    from adjudge.formats.interning import name_hash, name_hashes

    kinds = names.nodes, names.relations, names.documents
    if sum(map(len, kinds)) <= 3 * FEW:
        return NameHashes(*([name_hash(name) for name in own.listed] for own in kinds))
    return NameHashes(*map(name_hashes, kinds))


def table_digest(table: TripleTable, hashes: NameHashes | None = None) -> bytes:
    r"""A digest: the sum over the rows of a hash mixed from the hashes of their names.

    >>> from adjudge.formats.kb_triples import read_triples
    >>> one, other = read_triples(b"a\tr\tb\td\nb\tr\tc\td\n"), read_triples(b"b\tr\tc\td\na\tr\tb\td\n")
    >>> table_digest(one) == table_digest(other)
    True
    """
    if not len(table):
        return b"empty"
    known = hash_names(table.names) if hashes is None else hashes
    if len(table) <= FEW:
        return _few_digest(table, known)
    import numpy as np

    columns, sums = columns_of(table), np.zeros(2, dtype=np.uint64)
    every = (known.nodes, known.relations, known.nodes, known.documents)
    hashed = [np.asarray(own, dtype=np.uint64) for own in every]
    for at in range(0, len(table), _PIECE):
        row = np.zeros(1, dtype=np.uint64)
        for column, own in zip(columns, hashed, strict=True):
            row = (row ^ own[column[at : at + _PIECE]]) * np.uint64(_FACTOR)
            row ^= row >> np.uint64(29)
        sums += np.array([row.sum(dtype=np.uint64), (row * (row | np.uint64(1))).sum(dtype=np.uint64)])
    return bytes(sums.astype("<u8"))


def _few_digest(table: TripleTable, known: NameHashes) -> bytes:
    """The same row by row."""
    once = twice = 0
    for s, r, o, d in zip(table.subjects, table.relations, table.objects, table.documents, strict=True):
        row = 0
        for value in (known.nodes[s], known.relations[r], known.nodes[o], known.documents[d]):
            row = (row ^ int(value)) * _FACTOR & _BITS
            row ^= row >> 29
        once, twice = once + row & _BITS, twice + row * (row | 1) & _BITS
    return once.to_bytes(8, "little") + twice.to_bytes(8, "little")
