"""The peers of the rows about a join: paths counted by joins in DuckDB or polars, partitioned by first node.

    python -m benchmarks.workers.kbp_join duckdb|polars FOLDER HOPS

reads gold.tsv and system.tsv, drops what `kbp score` drops (triples of documents that gold does not have, self-loops),
and prints the counts. At one hop names are compared as texts, which is fastest; for paths they become numbers.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adjudge.tasks.kbp.facts import Facts

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
    from adjudge.tasks.kbp.facts import relation_space, walks_from

    walks = sum(float(walks_from(side, hops).sum(axis=1).max(initial=0.0)) for side in (gold, system))
    with _database("paths.duckdb") as database:
        for name, side in (("gold", gold), ("system", system)):
            database.register("incoming", {"s": side.subjects, "r": side.relations, "o": side.objects})
            database.execute(f"CREATE TABLE {name} AS SELECT DISTINCT s, r, o FROM incoming")
            database.unregister("incoming")
        return _count(database, walks, hops, relation_space((gold, system)))


def join_files(folder: Path, hops: int) -> list[list[int]]:
    """The same from files."""
    with _database() as database:
        for name in _FLAGS:
            columns = "delim = '\t', header = false, quote = '', names = ['s', 'r', 'o', 'd']"
            database.execute(f"CREATE TABLE {name}_rows AS FROM read_csv('{folder / name}.tsv', {columns})")
        database.execute("CREATE TABLE documents AS SELECT DISTINCT d FROM gold_rows")
        for name in _FLAGS:
            rows = f"SELECT DISTINCT s, r, o FROM {name}_rows WHERE s <> o AND d IN (FROM documents)"
            database.execute(f"CREATE TABLE {name}_names AS {rows}")
        if hops == 1:
            sides = ("FROM gold_names JOIN system_names USING (s, r, o)", "FROM gold_names", "FROM system_names")
            return [[database.execute(f"SELECT count(*) {side}").fetchall()[0][0] for side in sides]]
        both = "(FROM gold_names UNION ALL FROM system_names)"
        for table, texts in (
            ("n", f"SELECT s AS x FROM {both} UNION SELECT o FROM {both}"),
            ("k", f"SELECT DISTINCT r AS x FROM {both}"),
        ):
            database.execute(f"CREATE TABLE {table} AS SELECT x, row_number() OVER () - 1 AS i FROM ({texts})")
        for name in _FLAGS:
            numbers = "SELECT a.i AS s, k.i AS r, b.i AS o"
            joins = "JOIN n a ON t.s = a.x JOIN k ON t.r = k.x JOIN n b ON t.o = b.x"
            database.execute(f"CREATE TABLE {name} AS {numbers} FROM {name}_names t {joins}")
        sides = [f"(SELECT count(*) FROM {name} p JOIN {name} q ON p.o = q.s)" for name in _FLAGS]
        (walks, width) = database.execute(f"SELECT {' + '.join(sides)}, (SELECT count(*) FROM k)").fetchall()[0]
        return _count(database, walks, hops, width)


def polars_files(folder: Path, hops: int) -> list[list[int]]:
    """The same from files, in polars."""
    import polars as pl

    names = ["s", "r", "o", "d"]
    read = {
        name: pl.scan_csv(folder / f"{name}.tsv", separator="\t", has_header=False, new_columns=names, quote_char=None)
        for name in _FLAGS
    }
    gold_rows = read["gold"].collect()
    documents = gold_rows.select("d").unique()
    sides = [
        rows.filter(pl.col("s") != pl.col("o"))
        .join(documents.lazy(), on="d", how="semi")
        .select("s", "r", "o")
        .unique()
        .collect()
        for rows in (gold_rows.lazy(), read["system"])
    ]
    if hops == 1:
        return [[len(sides[0].join(sides[1], on=["s", "r", "o"], how="semi")), *map(len, sides)]]
    nodes = pl.concat([side.select(x=column) for side in sides for column in ("s", "o")]).unique().with_row_index("i")
    kinds = pl.concat([side.select(x="r") for side in sides]).unique().with_row_index("i")
    for place, side in enumerate(sides):
        numbers = side.join(nodes, left_on="s", right_on="x").select("r", "o", s="i")
        numbers = numbers.join(kinds, left_on="r", right_on="x").select("s", "o", r="i")
        sides[place] = numbers.join(nodes, left_on="o", right_on="x").select("s", "r", o="i")
    totals = [[len(sides[0].join(sides[1], on=["s", "r", "o"], how="semi")), *map(len, sides)], [0, 0, 0]]
    steps = [side.select(s2="o", o="s", r2="r") for side in sides]
    walks = sum(side.select("o").join(step.select("o"), on="o").height for side, step in zip(sides, steps, strict=True))
    parts = max(1, round(walks / _BLOCK))
    for part in range(parts):
        gold, system = (
            side.filter(pl.col("s") % parts == part).join(step, on="o").select("s", "r", "r2", "s2").unique()
            for side, step in zip(sides, steps, strict=True)
        )
        more = len(gold.join(system, on=["s", "r", "r2", "s2"], how="semi")), len(gold), len(system)
        totals[1] = [known + own for known, own in zip(totals[1], more, strict=True)]
    return totals


@contextmanager
def _database(file: str = ":memory:") -> Iterator[Any]:
    import duckdb

    with tempfile.TemporaryDirectory() as folder:
        settings = {"temp_directory": folder, "preserve_insertion_order": "false", "threads": 1}
        with duckdb.connect(str(Path(folder) / file) if file != ":memory:" else file, config=settings) as database:
            database.execute("SET enable_progress_bar = false")
            yield database


def _count(database: Any, walks: float, hops: int, width: int) -> list[list[int]]:
    totals = [[0, 0, 0] for _ in range(hops)]
    parts = max(1, round(walks / _BLOCK))
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


if __name__ == "__main__":
    engine, place, hops = sys.argv[1:]
    found = {"duckdb": join_files, "polars": polars_files}[engine](Path(place), int(hops))
    sys.stdout.write(f"{json.dumps(found)}\n")
