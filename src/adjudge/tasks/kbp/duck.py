"""Counting paths by joins in DuckDB, which spills to disk what does not fit into memory.

DuckDB is optional: pip install "adjudge[duckdb]". Slower than products of sparse matrices by an order of magnitude, but
the facts need not fit into memory: columns may be memory-mapped, in any order, with repetitions.
"""

from __future__ import annotations

import tempfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge.errors import UsageError
from adjudge.tasks.kbp.paths_facts import Counts, Facts, HopCounts, Sequences, relation_space, walks_from
from adjudge.tasks.kbp.paths_sparse import summed

if TYPE_CHECKING:
    from collections.abc import Iterator

# Walks of one partition of first nodes: what fits into the caches and little memory is also faster.
BLOCK = 1 << 24

_FIRST = """
CREATE OR REPLACE TEMP TABLE {side}_states AS
SELECT DISTINCT {label} AS source, CAST(f.r AS BIGINT) AS code, f.o AS node FROM {side} f {join} WHERE {chosen}
"""
_NEXT = """
CREATE OR REPLACE TEMP TABLE {side}_grown AS
SELECT DISTINCT p.source, p.code * {width} + f.r AS code, f.o AS node FROM {side}_states p JOIN {side} f ON p.node = f.s
"""
# One grouping counts both sides and what they share; it also removes the repetitions of the last join.
_COUNT = """
SELECT code, SUM(g AND s), SUM(g), SUM(s) FROM (
  SELECT source, code, node, BOOL_OR(g) AS g, BOOL_OR(s) AS s FROM ({gold} UNION ALL {system})
  GROUP BY source, code, node
) GROUP BY code
"""
_STATES = "SELECT p.source, p.code, {label} AS node, {flags} FROM {side}_states p {join}"
_JOINED = (
    "SELECT p.source, p.code * {width} + f.r AS code, {label} AS node, {flags} "
    "FROM {side}_states p JOIN {side} f ON p.node = f.s {join}"
)
_FLAGS = {"gold": "TRUE AS g, FALSE AS s", "system": "FALSE AS g, TRUE AS s"}


def installed() -> bool:
    """Whether DuckDB can be imported.

    >>> installed() in (True, False)
    True
    """
    from importlib.util import find_spec

    return find_spec("duckdb") is not None


def silence(database: Any) -> None:
    """Keep DuckDB from drawing a bar on standard output, as it does for queries of some seconds in a session.

    It takes `python -c` and notebooks for sessions, and standard output is where our results go.
    """
    database.execute("SET enable_progress_bar = false")


def count_duckdb(
    gold: Facts,
    system: Facts,
    *,
    hops: int = 3,
    memory: int | None = None,
    threads: int | None = None,
    folder: str | Path | None = None,
    block: int = BLOCK,
) -> tuple[HopCounts, ...]:
    """The same counts as the products give, for endpoints and all walks.

    `memory` in bytes is the most DuckDB may hold; beyond it data go to a temporary folder, in `folder` if given. First
    nodes are done in partitions of about `block` walks.
    """
    if not installed():
        raise UsageError("DuckDB is not installed", hint='pip install "adjudge[duckdb]"')
    width = relation_space((gold, system))
    if width**hops >= 1 << 63:
        raise UsageError(f"{hops} hops of {width} relations are too many for DuckDB", hint="ask for fewer hops")
    found: list[Sequences] = [{} for _ in range(hops)]
    with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as place:
        settings: dict[str, Any] = {"temp_directory": place, "preserve_insertion_order": "false"}
        if memory is not None:
            settings["memory_limit"] = f"{max(memory, 1 << 26)}B"
        if threads is not None:
            settings["threads"] = threads
        with import_module("duckdb").connect(str(Path(place) / "paths.duckdb"), config=settings) as database:
            silence(database)
            for name, side in (("gold", gold), ("system", system)):
                _load(database, name, side)
            parts = _partitions(gold, system, hops, block)
            for part in range(parts):
                for hop, rows in _partition(database, (gold, system), part, parts, hops, width):
                    for code, *numbers in rows:
                        sequence = _sequence(code, width, hop)
                        known = found[hop - 1].get(sequence, Counts(0, 0, 0))
                        found[hop - 1][sequence] = known + Counts(*(int(n) for n in numbers))
    return tuple(summed(hop, sequences) for hop, sequences in enumerate(found, start=1))


def _load(database: Any, name: str, side: Facts) -> None:
    columns = {"s": side.subjects, "r": side.relations, "o": side.objects}
    database.register("incoming", columns)
    database.execute(f"CREATE TABLE {name} AS SELECT DISTINCT s, r, o FROM incoming")  # noqa: S608  # our own names
    database.unregister("incoming")
    if side.labels is not None:
        import numpy as np

        database.register("incoming", {"node": np.arange(len(side.labels)), "label": side.labels})
        database.execute(f"CREATE TABLE {name}_labels AS SELECT node, label FROM incoming")  # noqa: S608
        database.unregister("incoming")


def _partitions(gold: Facts, system: Facts, hops: int, block: int) -> int:
    walks = sum(float(walks_from(side, hops).sum(axis=1).max(initial=0.0)) for side in (gold, system))
    return max(1, round(min(walks / block, 1e6)))


def _partition(
    database: Any, sides: tuple[Facts, Facts], part: int, parts: int, hops: int, width: int
) -> Iterator[tuple[int, list[tuple[Any, ...]]]]:
    """The counts of every hop for the paths whose first label falls into one partition."""
    labelled = dict(zip(("gold", "system"), (side.labels is not None for side in sides), strict=True))

    def query(template: str, side: str, column: str) -> str:
        label = "l.label" if labelled[side] else column
        join = f"JOIN {side}_labels l ON l.node = {column}" if labelled[side] else ""
        chosen = f"{label} % {parts} = {part}" if parts > 1 else "TRUE"
        fields = {"side": side, "label": label, "join": join, "chosen": chosen, "width": width}
        return template.format(**fields, flags=_FLAGS[side])

    for side in labelled:
        database.execute(query(_FIRST, side, "f.s"))
    for hop in range(1, hops + 1):
        if hop > 1 and hop == hops:
            pieces = {side: query(_JOINED, side, "f.o") for side in labelled}
        else:
            if hop > 1:
                for side in labelled:
                    database.execute(query(_NEXT, side, "f.o"))
                    database.execute(f"DROP TABLE {side}_states; ALTER TABLE {side}_grown RENAME TO {side}_states")
            pieces = {side: query(_STATES, side, "p.node") for side in labelled}
        yield hop, database.execute(_COUNT.format(**pieces)).fetchall()


def _sequence(code: int, width: int, hops: int) -> tuple[int, ...]:
    sequence = []
    for _ in range(hops):
        code, relation = divmod(code, width)
        sequence.append(relation)
    return tuple(reversed(sequence))
