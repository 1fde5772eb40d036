"""From a table of triples to facts: which relations count, and in which directions (steps S6 and S7).

In this order: other names, relations that do not count, inverses, symmetric relations, self-loops. Names are looked up
once for each relation, never for each triple.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from adjudge.tasks.kbp.facts import Facts, closed, make_facts
from adjudge.tasks.kbp.options import KbOptions, Side, is_listed, relation_name

if TYPE_CHECKING:
    import numpy.typing as npt

    from adjudge.model.kbp import Names, TripleTable

    Ints: TypeAlias = npt.NDArray[Any]


class Prepared(NamedTuple):
    """The facts of one side, and how many rows of the table are not among them, and why.

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

    `labels` say which gold node each of the system's own nodes is; the others count as nodes of their own. `named`
    says that the relations of the table have their final names already.

    >>> from adjudge.model.kbp import TripleTable
    >>> table = TripleTable()
    >>> table.add("a", "Family", "b", "d1")
    >>> table.add("a", "Lasting-Personal", "b", "d1")
    >>> found = prepare(table, KbOptions(symmetric="close"), "gold", documents={0: 0})
    >>> found.facts.subjects.tolist(), found.excluded
    ([0, 1], 1)
    """
    import numpy as np

    rows = rows_of(table, options, side, documents=documents, named=named)
    inside = rows.places >= 0
    kept = inside & (rows.relations >= 0)
    outside = int(np.count_nonzero(~inside))
    excluded = len(table) - outside - int(np.count_nonzero(kept))
    s, r, o, d = (column[kept] for column in rows)
    known = None if labels is None else _labels(labels, len(table.names.nodes.listed))
    loops = 0
    if options.self_loops == "drop":
        own = s == o if known is None else (s == o) | (known[s] == known[o])
        loops = int(np.count_nonzero(own))
        s, r, o, d = s[~own], r[~own], o[~own], d[~own]
    facts = make_facts(s, r, o, d, labels=known)
    reverse = reversed_relations(table.names.relations, options)
    return Prepared(closed(facts, reverse) if reverse else facts, excluded, outside, loops)


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

    s, relations, o, where = (
        np.frombuffer(column, dtype=f"i{column.itemsize}") if len(column) else np.zeros(0, dtype=np.int32)
        for column in (table.subjects, table.relations, table.objects, table.documents)
    )
    names = table.names.relations
    if named:
        numbers = np.arange(len(names.listed))
    else:
        new = [relation_name(name, options, side) for name in tuple(names.listed)]
        numbers = np.array([-1 if name is None else names[name] for name in new], dtype=np.int64)
    r = numbers[relations]
    if options.inverse == "canonical":
        # Of two inverses the one listed first is forward.
        forward: dict[str, str] = {}
        for one, other in inverses(options).items():
            if one != other and one not in forward and other not in forward.values():
                forward.setdefault(other, one)
        turned = {names[other]: names[one] for other, one in forward.items() if other in names}
        turns = np.where(r >= 0, _lookup(turned, len(names.listed))[r], -1)
        s, r, o = np.where(turns >= 0, o, s), np.where(turns >= 0, turns, r), np.where(turns >= 0, s, o)
    return Rows(s, r, o, _lookup(documents, len(table.names.documents.listed))[where])


def reversed_relations(relations: Names, options: KbOptions) -> dict[int, int]:
    """The relations that also hold in the other direction, and what they are called there, by number."""
    found: dict[int, int] = {}
    if options.inverse == "close":
        for one, other in inverses(options).items():
            if one in relations or other in relations:
                # A relation that only one side of the comparison states still has its inverse there.
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

    found = np.arange(nodes, 2 * nodes)
    for node, gold in labels.items():
        if gold >= 0:
            found[node] = gold
    return found


def _lookup(numbers: Mapping[int, int], size: int) -> Ints:
    import numpy as np

    found = np.full(max(1, size), -1)
    for old, new in numbers.items():
        found[old] = new
    return found


def table_digest(table: TripleTable) -> bytes:
    r"""A sum over the rows, each mixed from the hashes of its names.

    >>> from adjudge.formats.kb_triples import read_triples
    >>> one, other = read_triples(b"a\tr\tb\td\nb\tr\tc\td\n"), read_triples(b"b\tr\tc\td\na\tr\tb\td\n")
    >>> table_digest(one) == table_digest(other)
    True
    """
    import numpy as np

    if not len(table):
        return b"empty"
    subjects, relations, objects, documents = (
        np.frombuffer(column, dtype=f"i{column.itemsize}")
        for column in (table.subjects, table.relations, table.objects, table.documents)
    )
    nodes = _hashes(table.names.nodes.listed, np.concatenate((subjects, objects)))
    sides = (
        nodes[subjects],
        _hashes(table.names.relations.listed, relations)[relations],
        nodes[objects],
        _hashes(table.names.documents.listed, documents)[documents],
    )
    row = np.zeros(len(table), dtype=np.uint64)
    for hashes in sides:
        row = (row ^ hashes) * np.uint64(0x9E3779B97F4A7C15)
        row ^= row >> np.uint64(29)
    sums = int(row.sum(dtype=np.uint64)), int((row * (row | np.uint64(1))).sum(dtype=np.uint64))
    return b"".join(number.to_bytes(8, "little") for number in sums)


def _hashes(listed: Sequence[str], numbers: Ints) -> Ints:
    """The hash of each name that is used, by number."""
    import hashlib

    import numpy as np

    used = np.unique(numbers)
    found = np.zeros(len(listed), dtype="<u8")
    names = (listed[number].encode("utf-8", "surrogatepass") for number in used.tolist())
    found[used] = np.frombuffer(b"".join(hashlib.blake2b(name, digest_size=8).digest() for name in names), dtype="<u8")
    return found
