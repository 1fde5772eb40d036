"""Triples that do not fit into memory: a database of DuckDB on disk, from which facts are taken piece by piece.

Files are read once, in blocks. A node is told from others by 128 bits of BLAKE2b of its name, and gets the number that
it would have in memory; relations and documents keep their names. What is counted is counted as in memory: for a run of
first entities, all facts that can be reached from them are taken from the database and compared. Hence all numbers are
the same, and memory is bounded by the size of the runs, as far as the facts about one first entity allow it.
"""

from __future__ import annotations

# ruff: noqa: S608  # all tables and numbers in queries are our own
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from adjudge.errors import AdjudgeError, UsageError
from adjudge.formats.kb_triples import no_triples, triple_columns
from adjudge.formats.source import source_name
from adjudge.model.kbp import TripleNames, TripleTable
from adjudge.tasks.kbp.digest import RowDigest, name_hashes
from adjudge.tasks.kbp.duck import installed, silence
from adjudge.tasks.kbp.options import KbOptions, Side
from adjudge.tasks.kbp.relations import forward_relations, relation_numbers, reversed_relations

if TYPE_CHECKING:
    import numpy.typing as npt

    from adjudge.errors import Problem
    from adjudge.formats.kb_triples import Columns
    from adjudge.formats.source import Source

    Ints: TypeAlias = npt.NDArray[Any]

PROGRAM = 160_000_000  # bytes of the interpreter and its libraries
_LEAST = 64_000_000  # bytes for DuckDB
_DOCUMENT = 400  # bytes of a document: its name, its number, its place
_FEWEST, _MOST = 10_000, 200_000  # rows that are inserted at once
_ROW = 800  # bytes of such a row in passing: its names, their hashes, its numbers

_RAW = "a UBIGINT, b UBIGINT, r INTEGER, c UBIGINT, d UBIGINT, document INTEGER"
_NODES = """
CREATE TABLE nodes AS SELECT a, b FROM (
  SELECT a, b, MIN(place) AS place FROM ({every}) GROUP BY a, b
) ORDER BY place
"""
_ENDS = """
SELECT a, b, {first} + 2 * rowid AS place FROM raw{side}
UNION ALL SELECT c, d, {first} + 2 * rowid + 1 FROM raw{side}
"""
_NUMBERED = """
CREATE TABLE numbered{side} AS
SELECT CAST(one.rowid AS INTEGER) AS s, raw.r, CAST(two.rowid AS INTEGER) AS o, raw.document AS d
FROM raw{side} raw
JOIN nodes one ON one.a = raw.a AND one.b = raw.b
JOIN nodes two ON two.a = raw.c AND two.b = raw.d
"""


class Kept(NamedTuple):
    """What is known of one side without looking into the database: rows, those of other documents, and a digest."""

    name: str
    path: str
    rows: int
    outside: int
    digest: bytes


class Stored(NamedTuple):
    """Facts in a database: a query for rows of subject, relation, object and document (s, r, o, d), all different."""

    store: Store
    query: str


class Store:
    """A database of triples in a temporary folder; side 0 is gold, the systems follow."""

    def __init__(self, database: Any, names: TripleNames, memory: int, sources: Sequence[Source], folder: str) -> None:
        self.database = database
        self.folder = folder
        self.names = names
        self.memory = memory
        self.sources = tuple(sources)
        self.nodes = 0

    def one(self, query: str) -> tuple[Any, ...]:
        """The only row of an answer."""
        rows: list[tuple[Any, ...]] = self.database.execute(query).fetchall()
        return rows[0]

    def columns(self, query: str) -> list[Ints]:
        """The columns of an answer."""
        return list(self.database.execute(query).fetchnumpy().values())

    def put(self, table: str, **columns: Any) -> None:
        """Replace a small table by columns of numbers."""
        self.database.register("incoming", columns)
        self.database.execute(f"CREATE OR REPLACE TABLE {table} AS SELECT * FROM incoming")
        self.database.unregister("incoming")


@contextmanager
def open_store(names: TripleNames, memory: int, sources: Sequence[Source]) -> Iterator[Store]:
    """An empty database that may take so much memory; it is gone afterwards."""
    if not installed():
        raise UsageError(
            "the triples need more memory than there is, and DuckDB, which does with less, is not installed",
            hint='pip install "adjudge[duckdb]", or allow more with --memory',
        )
    with tempfile.TemporaryDirectory(prefix="adjudge-", ignore_cleanup_errors=True) as folder:
        settings = {"temp_directory": folder, "memory_limit": f"{_share(memory)}B", "threads": 2}
        duckdb = import_module("duckdb")
        try:
            with duckdb.connect(str(Path(folder) / "triples.duckdb"), config=settings) as database:
                silence(database)
                yield Store(database, names, memory, sources, folder)
        except duckdb.Error as error:
            raise AdjudgeError(
                f"DuckDB cannot go on ({str(error).splitlines()[0]})",
                hint="allow more with --memory, or make room for temporary files (they are in TMPDIR)",
            ) from None


def _share(memory: int) -> int:
    """The bytes for DuckDB: half of what the program leaves."""
    return max(_LEAST, (memory - PROGRAM) // 2)


def fill(store: Store, names: Sequence[str], documents: frozenset[str] | None, problems: list[Problem]) -> list[Kept]:
    """Read all sources, gold first; only triples of the `documents`, if they are given. Then number the nodes."""
    found = []
    for side, (name, source) in enumerate(zip(names, store.sources, strict=True)):
        store.database.execute(f"CREATE TABLE raw{side} ({_RAW})")
        rows, outside, digest = 0, 0, RowDigest()
        for columns in _joined(triple_columns(source, problems), store):
            if problems:
                continue  # only what else is wrong matters now
            kept = columns if documents is None else _only(columns, documents)
            outside += len(columns[0]) - len(kept[0])
            rows += len(kept[0])
            if kept[0]:
                _insert(store, side, kept, digest)
        found.append(Kept(name, source_name(source), rows, outside, digest.bytes()))
    if not problems and not found[0].rows + found[0].outside:
        problems.append(no_triples(found[0].path))
    if not problems:
        # The names of documents stay in memory, and take their part of it.
        store.memory -= _DOCUMENT * len(store.names.documents.listed)
        store.database.execute(f"SET memory_limit = '{_share(store.memory)}B'")
        _number(store, len(found))
    return found


def _joined(blocks: Iterable[Columns], store: Store) -> Iterator[Columns]:
    """Blocks of rows that are large enough to be worth their insertion, and not too large for the memory."""
    waiting: list[list[str]] = [[], [], [], []]
    for block in blocks:
        for column, more in zip(waiting, block, strict=True):
            column.extend(more)
        if len(waiting[0]) >= rows_at_once(store.memory - _DOCUMENT * len(store.names.documents.listed)):
            yield tuple(waiting)
            waiting = [[], [], [], []]
    yield tuple(waiting)


def rows_at_once(memory: int) -> int:
    """How many rows may be inserted together where so much memory is allowed, of which DuckDB takes its share.

    >>> rows_at_once(300_000_000), rows_at_once(4_000_000_000)
    (87500, 200000)
    """
    return max(_FEWEST, min(_MOST, (memory - PROGRAM - _share(memory)) // _ROW))


def _only(columns: Columns, documents: frozenset[str]) -> Columns:
    kept = [place for place, document in enumerate(columns[3]) if document.strip() in documents]
    return tuple([column[place] for place in kept] for column in columns)


def _insert(store: Store, side: int, columns: Columns, digest: RowDigest) -> None:
    import numpy as np

    nodes = {name: name.strip().encode("utf-8", "surrogatepass") for name in {*columns[0], *columns[2]}}
    place = {name: number for number, name in enumerate(nodes)}
    hashes = b"".join(blake2b(name, digest_size=16).digest() for name in nodes.values())
    pairs = np.frombuffer(hashes, dtype="<u8").reshape(-1, 2)
    shorts = name_hashes([name.strip() for name in nodes])
    subjects, objects = (
        np.fromiter(map(place.__getitem__, columns[end]), np.int64, len(columns[end])) for end in (0, 2)
    )
    relations, documents = (
        np.fromiter(map(names.__getitem__, column), np.int32, len(column))
        for names, column in ((store.names.relations, columns[1]), (store.names.documents, columns[3]))
    )
    digest.add(shorts[subjects], columns[1], shorts[objects], columns[3])
    rows = {
        "a": pairs[subjects, 0],
        "b": pairs[subjects, 1],
        "r": relations,
        "c": pairs[objects, 0],
        "d": pairs[objects, 1],
        "document": documents,
    }
    store.database.register("incoming", rows)
    store.database.execute(f"INSERT INTO raw{side} SELECT a, b, r, c, d, document FROM incoming")
    store.database.unregister("incoming")


def _number(store: Store, sides: int) -> None:
    """Numbers for nodes in the order of first use, as in memory; afterwards names are not needed any more."""
    first, every = 0, []
    for side in range(sides):
        every.append(_ENDS.format(first=first, side=side))
        first += 2 * int(store.one(f"SELECT COUNT(*) FROM raw{side}")[0])
    store.database.execute(_NODES.format(every=" UNION ALL ".join(every)))
    store.nodes = int(store.one("SELECT COUNT(*) FROM nodes")[0])
    for side in range(sides):
        store.database.execute(_NUMBERED.format(side=side))
        store.database.execute(f"DROP TABLE raw{side}")


class PreparedSide(NamedTuple):
    """The facts of one side, and how many rows are not among them, and why; see `relations.Prepared`."""

    facts: Stored
    excluded: int
    outside: int
    loops: int


_CHOSEN = """
CREATE TABLE chosen{side} AS
SELECT CASE WHEN turn THEN o ELSE s END AS s, new AS r, CASE WHEN turn THEN s ELSE o END AS o, place AS d
FROM numbered{side} rows JOIN places ON places.d = rows.d JOIN kinds ON kinds.r = rows.r WHERE new >= 0
"""
_FACTS = """
CREATE TABLE facts{side} AS SELECT DISTINCT s, r, o, d FROM (
  SELECT s, r, o, d FROM chosen{side} {loops}
  UNION ALL
  SELECT o, back, s, d FROM chosen{side} JOIN backwards ON backwards.r = chosen{side}.r {loops}
) ORDER BY s
"""


def prepare_stored(
    store: Store, number: int, options: KbOptions, side: Side, documents: Mapping[int, int]
) -> PreparedSide:
    """The facts of a side in the documents given, as `relations.prepare` has them."""
    import numpy as np

    table = TripleTable(store.names)
    kinds = relation_numbers(table, options, side, named=False)
    turned = forward_relations(store.names.relations, options) if options.inverse == "canonical" else {}
    new = [turned.get(int(kind), int(kind)) for kind in kinds]
    store.put(
        "kinds",
        r=np.arange(len(kinds), dtype=np.int32),
        new=np.array(new, dtype=np.int32),
        turn=np.array([int(kind) in turned for kind in kinds], dtype=bool),
    )
    store.put(
        "places",
        d=np.fromiter(documents.keys(), np.int32, len(documents)),
        place=np.fromiter(documents.values(), np.int32, len(documents)),
    )
    back = reversed_relations(store.names.relations, options)
    store.put(
        "backwards",
        r=np.fromiter(back.keys(), np.int32, len(back)),
        back=np.fromiter(back.values(), np.int32, len(back)),
    )
    run = store.database.execute
    every = int(store.one(f"SELECT COUNT(*) FROM numbered{number}")[0])
    inside = int(store.one(f"SELECT COUNT(*) FROM numbered{number} rows JOIN places ON places.d = rows.d")[0])
    run(_CHOSEN.format(side=number))
    kept, loops = (int(n) for n in store.one(f"SELECT COUNT(*), COUNT(*) FILTER (s = o) FROM chosen{number}"))
    drop = options.self_loops == "drop"
    run(_FACTS.format(side=number, loops="WHERE s <> o" if drop else ""))
    run(f"DROP TABLE chosen{number}; DROP TABLE numbered{number}")
    facts = Stored(store, f"SELECT s, r, o, d FROM facts{number}")
    return PreparedSide(facts, inside - kept, every - inside, loops if drop else 0)


def only_stored(side: Stored, relation: int) -> Stored:
    """The facts of one relation."""
    return side._replace(query=f"{side.query} WHERE r = {relation}")


def exchanged_sides(first: Stored, second: Stored, documents: int) -> Stored:
    """Two systems in one: document d of the second is `documents` + d."""
    return first._replace(
        query=f"SELECT s, r, o, d FROM ({first.query}) UNION ALL SELECT s, r, o, d + {documents} FROM ({second.query})"
    )


def node_name(store: Store, node: int) -> str:
    """The name of a node, from the files, for a message."""
    wanted = store.one(f"SELECT a, b FROM nodes WHERE rowid = {node}")
    key = b"".join(int(number).to_bytes(8, "little") for number in wanted)
    for source in store.sources:
        for columns in triple_columns(source, []):
            for name in {*columns[0], *columns[2]}:
                if blake2b(name.strip().encode("utf-8", "surrogatepass"), digest_size=16).digest() == key:
                    return name.strip()
    return f"node {node}"
