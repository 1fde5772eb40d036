"""What counting asks a database of triples: numbers of walks, and the facts for some first entities after others."""

from __future__ import annotations

# ruff: noqa: S608  # all tables and numbers in queries are our own
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from adjudge.tasks.kbp.paths_facts import Facts, make_facts
from adjudge.tasks.kbp.store import PROGRAM, Store, Stored

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints: TypeAlias = npt.NDArray[Any]

_FEWEST = 1000  # rows of facts that are always compared at once
_ROW = 160  # bytes in passing for a row of facts that is compared


def share_of_memory(store: Store, jobs: int) -> int:
    """The bytes that one stretch may take where so many processes count, each with some that wait for it."""
    waiting = 1 if jobs == 1 else 2 * jobs + 1
    return max(1 << 22, (store.memory - PROGRAM) // 2 // waiting)


def fact_number(side: Stored) -> int:
    """How many different triples there are."""
    return int(side.store.one(f"SELECT COUNT(*) FROM (SELECT DISTINCT s, r, o FROM ({side.query}))")[0])


def relation_counts(side: Stored, size: int) -> Ints:
    """How many different triples each relation has."""
    import numpy as np

    query = f"SELECT r, COUNT(*) AS n FROM (SELECT DISTINCT s, r, o FROM ({side.query})) GROUP BY r"
    relations, numbers = side.store.columns(query)
    found = np.zeros(size, dtype=np.int64)
    found[relations] = numbers
    return found


def lowest_node(side: Stored, other: Stored) -> tuple[bool, int]:
    """Whether two sides share a node, and the lowest number of the first."""
    ends = [f"SELECT s AS node FROM ({each.query}) UNION SELECT o FROM ({each.query})" for each in (side, other)]
    shared = side.store.one(f"SELECT COUNT(*) FROM (({ends[0]}) INTERSECT ({ends[1]}))")[0]
    return bool(shared), int(side.store.one(f"SELECT MIN(node) FROM ({ends[0]})")[0])


def total_stored_walks(side: Stored, hops: int) -> list[int]:
    """How many walks of 1, 2, ... hops there are, exactly."""
    return [
        int(side.store.one(f"SELECT COALESCE(SUM(walks), 0) FROM {table}")[0]) for table in _walk_tables(side, hops)
    ]


def node_walks(sides: Sequence[Stored], hop: int) -> Ints:
    """How many walks of so many hops begin at each node, over all sides, as floats."""
    import numpy as np

    total = np.zeros(sides[0].store.nodes)
    for side in sides:
        table = _walk_tables(side, hop)[-1]
        nodes, walks = side.store.columns(f"SELECT node, CAST(walks AS DOUBLE) AS walks FROM {table}")
        total[nodes] += walks
    return total


def _walk_tables(side: Stored, hops: int) -> list[str]:
    """Tables of nodes and the walks of 1, 2, ... hops from them."""
    run = side.store.database.execute
    run(f"CREATE OR REPLACE TEMP TABLE triples AS SELECT DISTINCT s, r, o FROM ({side.query})")
    names = [f"walks{hop}" for hop in range(1, hops + 1)]
    for hop, name in enumerate(names):
        ahead = f"SUM({names[hop - 1]}.walks)" if hop else "COUNT(*)"
        join = f"JOIN {names[hop - 1]} ON {names[hop - 1]}.node = o" if hop else ""
        run(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT s AS node, {ahead} AS walks FROM triples {join} GROUP BY s")
    run("DROP TABLE triples")
    return names


class Stretch(NamedTuple):
    """The facts that paths from some first nodes need, in numbers of their own; those first nodes are a range.

    `nodes` leads back to the numbers of the database; `places` are the first nodes among all, or among those given.
    """

    sides: tuple[Facts, ...]
    sources: tuple[int, int]
    nodes: Ints
    places: tuple[int, int]


def stretches(sides: Sequence[Stored], hops: int, *, memory: int, sources: Ints | None = None) -> Iterator[Stretch]:
    """All first nodes, or some, in stretches whose facts take about so many bytes in passing."""
    store = sides[0].store
    budget = max(_FEWEST, memory // _ROW)
    start, end = 0, store.nodes if sources is None else len(sources)
    width = max(1, min(end, 4 * budget // max(1, hops * len(sides))))
    while start < end:
        stop = min(end, start + width)
        while True:
            chosen = f"BETWEEN {start} AND {stop - 1}"
            if sources is not None:
                store.put("chosen", node=sources[start:stop])
                chosen = "IN (SELECT node FROM chosen)"
            tables = [_reach(side, chosen, hops, number) for number, side in enumerate(sides)]
            rows = sum(int(store.one(f"SELECT COUNT(*) FROM {table}")[0]) for table in tables)
            if rows <= budget or stop - start == 1:
                break
            stop = start + max(1, int((stop - start) * min(0.8, 0.8 * budget / rows)))
        if rows:
            yield _taken(store, tables, (start, stop), sources)
        width = max(1, (stop - start) * (2 if 2 * rows <= budget else 1))
        start = stop


def _reach(side: Stored, chosen: str, hops: int, number: int) -> str:
    """A table of all facts on walks of so many hops from some nodes."""
    run = side.store.database.execute
    table, reached = f"taken{number}", f"reached{number}"
    if hops == 1:
        run(f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT s, r, o, d FROM ({side.query}) WHERE s {chosen}")
        return table
    run(f"CREATE OR REPLACE TEMP TABLE {reached} AS SELECT DISTINCT o AS node FROM ({side.query}) WHERE s {chosen}")
    for _ in range(hops - 2):
        run(
            f"INSERT INTO {reached} SELECT DISTINCT o FROM ({side.query}) "
            f"WHERE s IN (SELECT node FROM {reached}) AND o NOT IN (SELECT node FROM {reached})"
        )
    run(
        f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT s, r, o, d FROM ({side.query}) "
        f"WHERE s {chosen} OR s IN (SELECT node FROM {reached})"
    )
    return table


def _taken(store: Store, tables: Sequence[str], run: tuple[int, int], sources: Ints | None) -> Stretch:
    import numpy as np

    columns = [store.columns(f"SELECT s, r, o, d FROM {table}") for table in tables]
    nodes = np.unique(np.concatenate([column for s, _, o, _ in columns for column in (s, o)]))
    sides = tuple(
        make_facts(*(np.searchsorted(nodes, end).astype(np.int32) if place in (0, 2) else end
                     for place, end in enumerate(rows)))
        for rows in columns
    )  # fmt: skip
    first, last = run if sources is None else (int(sources[run[0]]), int(sources[run[1] - 1]) + 1)
    low, high = np.searchsorted(nodes, [first, last])
    return Stretch(sides, (int(low), int(high)), nodes, run)
