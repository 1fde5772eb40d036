"""The peer of the rows about a join: paths counted by joins in DuckDB, partitioned by first node."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from adjudge.tasks.kbp.facts import Facts, relation_space, walks_from

# Walks of one partition of first nodes: what fits into the caches and little memory is also faster.
_BLOCK = 1 << 24

_FIRST = """
CREATE OR REPLACE TEMP TABLE {side}_states AS
SELECT DISTINCT s AS source, CAST(r AS BIGINT) AS code, o AS node FROM {side} WHERE s % {parts} = {part}
"""
_NEXT = """
CREATE OR REPLACE TEMP TABLE {side}_grown AS
SELECT DISTINCT p.source, p.code * {width} + f.r AS code, f.o AS node FROM {side}_states p JOIN {side} f ON p.node = f.s
"""
# One grouping counts both sides and what they share; it also removes the repetitions of the last join.
_COUNT = """
SELECT COALESCE(SUM(g AND s), 0), COALESCE(SUM(g), 0), COALESCE(SUM(s), 0) FROM (
  SELECT BOOL_OR(g) AS g, BOOL_OR(s) AS s FROM ({gold} UNION ALL {system}) GROUP BY source, code, node
)
"""
_STATES = "SELECT source, code, node, {flags} FROM {side}_states"
_JOINED = (
    "SELECT p.source, p.code * {width} + f.r AS code, f.o AS node, {flags} "
    "FROM {side}_states p JOIN {side} f ON p.node = f.s"
)
_FLAGS = {"gold": "TRUE AS g, FALSE AS s", "system": "FALSE AS g, TRUE AS s"}


def count_joins(gold: Facts, system: Facts, hops: int) -> list[list[int]]:
    """The paths on both sides, in gold and in the system, for each number of hops."""
    import duckdb

    totals = [[0, 0, 0] for _ in range(hops)]
    width = relation_space((gold, system))
    walks = sum(float(walks_from(side, hops).sum(axis=1).max(initial=0.0)) for side in (gold, system))
    parts = max(1, round(walks / _BLOCK))
    with tempfile.TemporaryDirectory() as folder:
        settings = {"temp_directory": folder, "preserve_insertion_order": "false"}
        with duckdb.connect(str(Path(folder) / "paths.duckdb"), config=settings) as database:
            database.execute("SET enable_progress_bar = false")
            for name, side in (("gold", gold), ("system", system)):
                database.register("incoming", {"s": side.subjects, "r": side.relations, "o": side.objects})
                database.execute(f"CREATE TABLE {name} AS SELECT DISTINCT s, r, o FROM incoming")
                database.unregister("incoming")
            for part in range(parts):
                for total, counts in zip(totals, _partition(database, part, parts, hops, width), strict=True):
                    total[:] = [known + int(more) for known, more in zip(total, counts, strict=True)]
    return totals


def _partition(database: Any, part: int, parts: int, hops: int, width: int) -> Iterator[tuple[Any, ...]]:
    """The counts of every hop for the paths whose first node falls into one partition."""

    def query(template: str, side: str) -> str:
        return template.format(side=side, parts=parts, part=part, width=width, flags=_FLAGS[side])

    for side in _FLAGS:
        database.execute(query(_FIRST, side))
    for hop in range(1, hops + 1):
        template = _JOINED if 1 < hop == hops else _STATES
        if 1 < hop < hops:
            for side in _FLAGS:
                database.execute(query(_NEXT, side))
                database.execute(f"DROP TABLE {side}_states; ALTER TABLE {side}_grown RENAME TO {side}_states")
        yield database.execute(_COUNT.format(**{side: query(template, side) for side in _FLAGS})).fetchall()[0]
