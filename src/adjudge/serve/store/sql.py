"""Every SQL statement, for SQLite and PostgreSQL. Nothing else imports a driver.

Statements are made from the tables and written with `?`; a `Connection` is one of a driver, with the few things that
differ: how a transaction begins, and how many rows are asked for or written at once.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import count
from pathlib import Path
from typing import IO, Any, cast

from adjudge.errors import UsageError
from adjudge.serve.store.tables import TABLES, Event, R, Row, Table, decode, encode

SQLITE, POSTGRES = "sqlite", "postgres"
_WORDS = {  # the types of columns
    SQLITE: {"text": "TEXT", "integer": "INTEGER", "real": "REAL", "flag": "INTEGER", "json": "TEXT"},
    POSTGRES: {"text": "TEXT", "integer": "BIGINT", "real": "DOUBLE PRECISION", "flag": "SMALLINT", "json": "TEXT"},
}
COUNTS = """
SELECT campaign, scope, 'assess', '=decided', sum(items), sum(done), 0, 0 FROM (
  SELECT campaign, scope, 1 AS items, 0 AS done FROM item WHERE withdrawn IS NULL
  UNION ALL
  SELECT d.campaign, d.scope, 0, 1 FROM decision d LEFT JOIN item i ON i.campaign = d.campaign AND i.id = d.subject
  WHERE d.stage = 'assess' AND i.withdrawn IS NULL
) AS pool GROUP BY campaign, scope
UNION ALL
SELECT campaign, scope, stage, '=decided', 0, count(*), 0, 0 FROM decision WHERE stage <> 'assess'
GROUP BY campaign, scope, stage
UNION ALL
SELECT campaign, scope, 'assess', reader, 0, sum(done), sum(flags), sum(ms) FROM (
  SELECT j.campaign, j.scope, j.reader, j.complete AS done, 0 AS flags, j.ms FROM judgment j
  JOIN item i ON i.campaign = j.campaign AND i.id = j.item WHERE i.withdrawn IS NULL
  UNION ALL
  SELECT n.campaign, n.scope, n.reader, 0, 1, 0 FROM note n
  JOIN item i ON i.campaign = n.campaign AND i.id = n.item WHERE n.flag IS NOT NULL AND i.withdrawn IS NULL
) AS work GROUP BY campaign, scope, reader
UNION ALL
SELECT campaign, scope, stage, reader, items, done, 0, ms FROM grouping
"""
"""What every tally should be, counted: campaign, scope, stage, reader, then the four numbers."""
_LOCK = 0x61646A75  # one writer at a time, however many servers there are
_BUSY = 20  # seconds to wait for another writer
_LOG = 16_000  # pages of SQLite's log beyond which whoever commits has to move them, and waits for the disk
CHUNK = 500  # rows that are fetched at once
_NETWORK = ("nfs", "cifs", "smb", "afs", "fuse.sshfs", "lustre", "gpfs", "ceph", "fuse.ceph", "glusterfs", "beegfs")
_numbers = count()
MOUNTS = Path("/proc/mounts")

Values = tuple[Any, ...]


def _columns(table: Table) -> str:
    return ", ".join(f'"{name}"' for name in table.columns)


def create(table: Table, engine: str) -> list[str]:
    """The statements that make a table with its indexes."""
    parts = []
    for name, kind in table.columns.items():
        word = _WORDS[engine][kind.rstrip("?")]
        collate = ' COLLATE "C"' if engine == POSTGRES and word == "TEXT" else ""
        values = ", ".join(f"'{value}'" for value in table.checks.get(name, ()))
        check = f' CHECK ("{name}" IN ({values}))' if values else ""
        parts.append(f'"{name}" {word}{collate}{"" if kind.endswith("?") else " NOT NULL"}{check}')
    for word, names in [("PRIMARY KEY", table.key), *(("UNIQUE", names) for names in table.unique)]:
        parts.append(f"{word} ({', '.join(_quoted(names))})")
    made = [f"CREATE TABLE {table.name} ({', '.join(parts)})"]
    for number, names in enumerate(table.indexes):
        made.append(f"CREATE INDEX {table.name}_{number} ON {table.name} ({', '.join(_quoted(names))})")
    return made


def protect(engine: str) -> list[str]:
    """The statements that make events append-only."""
    if engine == SQLITE:
        stop = "BEGIN SELECT RAISE(ABORT, 'events are append-only'); END"
        known = 'SELECT 1 FROM event WHERE seq = NEW.seq OR (stream = NEW.stream AND ("key" = NEW."key" OR n = NEW.n))'
        return [
            f"CREATE TRIGGER event_update BEFORE UPDATE ON event {stop}",
            f"CREATE TRIGGER event_delete BEFORE DELETE ON event {stop}",
            f"CREATE TRIGGER event_replace BEFORE INSERT ON event WHEN EXISTS ({known}) {stop}",
        ]
    return [
        "CREATE FUNCTION event_only_grows() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'events are append-only'; END $$",
        "CREATE TRIGGER event_change BEFORE UPDATE OR DELETE ON event FOR EACH ROW EXECUTE FUNCTION event_only_grows()",
        "CREATE TRIGGER event_empty BEFORE TRUNCATE ON event EXECUTE FUNCTION event_only_grows()",
        "REVOKE UPDATE, DELETE, TRUNCATE ON event FROM PUBLIC, CURRENT_USER",
    ]


def _quoted(names: Iterable[str]) -> list[str]:
    return [f'"{name}"' for name in names]


class Connection:
    """A connection to one of the two databases."""

    engine: str
    failures: tuple[type[Exception], ...]  # what the driver raises
    lost: tuple[type[Exception], ...] = ()  # of these, what a new connection may cure
    has_log = False  # somebody has to call `checkpoint` from time to time

    def __init__(self, raw: Any) -> None:
        self.raw = raw

    def select(self, statement: str, values: Sequence[Any] = ()) -> list[Values]:
        """The rows of a statement."""
        return cast("list[Values]", self.execute(statement, values).fetchall())

    def execute(self, statement: str, values: Sequence[Any] = ()) -> Any:
        """Run one statement; gives the driver's cursor."""
        return self.raw.execute(statement, values)

    def begin(self, *, write: bool) -> None:
        """Begin a transaction: one that reads a snapshot, or the only one that writes."""
        raise NotImplementedError

    def commit(self) -> None:
        """End the transaction; what it wrote is on the disk."""
        self.execute("COMMIT")

    def rollback(self) -> None:
        """End the transaction as if it had not been, if there is one."""
        with contextlib.suppress(*self.failures):
            self.execute("ROLLBACK")

    def is_alive(self) -> bool:
        """Whether the other end is there, as far as one can tell without asking it."""
        return True

    def close(self) -> None:
        """Close it."""
        with contextlib.suppress(*self.failures):
            self.raw.close()

    def get(self, kind: type[R], keys: Sequence[Values], names: Sequence[str] = ()) -> list[R]:
        """The rows with these primary keys, or values of other columns, as far as they are there."""
        raise NotImplementedError

    def checkpoint(self) -> None:
        """Move what was committed from the log to its place, in nobody's way."""
        raise NotImplementedError

    def together(self) -> AbstractContextManager[Any]:
        """Statements whose results nobody waits for within the block: they may be sent as one."""
        return contextlib.nullcontext()

    def get_all(self, wanted: Mapping[type[Row], Sequence[Values]]) -> Iterator[Row]:
        """The rows of several tables with these primary keys."""
        for kind, keys in wanted.items():
            yield from self.get(kind, keys)

    def insert(self, rows: Sequence[Row], *, replace: bool = True) -> None:
        """Write rows of one type; those that are there are replaced, or it is an error."""
        raise NotImplementedError

    def delete(self, kind: type[Row], keys: Sequence[Values]) -> None:
        """Remove the rows with these primary keys."""
        raise NotImplementedError

    def has_tables(self) -> bool:
        """Whether the tables have been made."""
        raise NotImplementedError

    def find(self, kind: type[R], order: str | None = None, /, **where: Any) -> list[R]:
        """The rows whose columns have these values, in the order of the primary key unless told; None: any value."""
        table = TABLES[kind]
        asked = {name: value for name, value in where.items() if value is not None}
        statement = f"SELECT {_columns(table)} FROM {table.name}"  # noqa: S608
        if asked:
            statement += " WHERE " + " AND ".join(f'"{name}" = ?' for name in asked)
        statement += f" ORDER BY {order or ', '.join(_quoted(table.key))}"
        return [cast("R", table.made(values)) for values in self.select(statement, tuple(asked.values()))]

    def each(self, kind: type[R]) -> Iterator[R]:
        """All rows of a table in the order of the primary key, of which few are in memory."""
        table = TABLES[kind]
        cursor = self.stream(f"SELECT {_columns(table)} FROM {table.name} ORDER BY {', '.join(_quoted(table.key))}")  # noqa: S608
        with contextlib.closing(cursor):
            while found := cursor.fetchmany(CHUNK):
                yield from (cast("R", table.made(values)) for values in found)

    def stream(self, statement: str) -> Any:
        """A cursor that does not fetch all rows at once; within a transaction."""
        return self.execute(statement)

    def events(self, where: str, values: Sequence[Any], limit: int = -1) -> list[Event]:
        """Events in their order."""
        table = TABLES[Event]
        cut = f" LIMIT {limit}" if limit >= 0 else ""
        found = self.select(f"SELECT {_columns(table)} FROM event WHERE {where} ORDER BY seq{cut}", values)  # noqa: S608
        return [cast("Event", table.made(row)) for row in found]

    def dictionaries(self, table: str) -> Iterator[dict[str, Any]]:
        """The rows of a table as it is, which may be that of an older release; bodies are JSON."""
        with contextlib.closing(self.stream(f"SELECT * FROM {table} ORDER BY 1")) as cursor:  # noqa: S608
            while found := cursor.fetchmany(CHUNK):
                names = [column[0] for column in cursor.description]
                for values in found:
                    row = dict(zip(names, values, strict=True))
                    yield row | {"body": decode(row["body"])} if "body" in row else row

    def claim(self, states: Sequence[str], holder: str, until: str, now: str) -> str | None:
        """Take the submission that has waited longest in one of the states and that nobody holds; by itself.

        One statement: of several who ask at once each gets another one, and on PostgreSQL nobody waits for a row that
        somebody else is looking at.
        """
        places = ", ".join("?" * len(states))
        if not self.select(f"SELECT 1 FROM submission WHERE state IN ({places}) LIMIT 1", tuple(states)):  # noqa: S608
            return None  # without a lock
        skip = " FOR UPDATE OF s SKIP LOCKED" if self.engine == POSTGRES else ""
        found = self.select(
            "INSERT INTO lease (name, holder, until) SELECT s.id, ?, ? FROM submission s WHERE s.state IN "  # noqa: S608
            f"({places}) AND NOT EXISTS (SELECT 1 FROM lease l WHERE l.name = s.id AND l.until > ?) "
            f"ORDER BY s.since, s.id LIMIT 1{skip} ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, "
            "until = excluded.until WHERE lease.until <= ? RETURNING name",
            (holder, until, *states, now, now),
        )
        return str(found[0][0]) if found else None

    def renew(self, name: str, holder: str, until: str) -> bool:
        """Hold something for longer, if it is still held."""
        statement = "UPDATE lease SET until = ? WHERE name = ? AND holder = ? RETURNING name"
        return bool(self.select(statement, (until, name, holder)))

    def release(self, name: str | None = None, holder: str | None = None) -> None:
        """Hold something no longer, or whatever a holder holds, or anything."""
        given = {each: value for each, value in {"name": name, "holder": holder}.items() if value is not None}
        where = " WHERE " + " AND ".join(f"{each} = ?" for each in given) if given else ""
        self.execute(f"DELETE FROM lease{where}", tuple(given.values()))  # noqa: S608

    def paces(self, campaign: str, hasty: int) -> list[Values]:
        """For each reader how many answers are complete, their milliseconds, and how many took less than `hasty`."""
        found = self.select(
            "SELECT reader, count(*), sum(ms), sum(CASE WHEN ms < ? THEN 1 ELSE 0 END) FROM judgment "
            "WHERE campaign = ? AND complete = 1 AND ms > 0 GROUP BY reader",
            (hasty, campaign),
        )
        return [(row[0], *map(int, row[1:])) for row in found]

    def times(self, stream: str) -> list[Values]:
        """Number and time of each event of a stream."""
        return self.select("SELECT n, at FROM event WHERE stream = ?", (stream,))

    def last(self) -> int:
        """The number of the last event of all."""
        return int(self.select("SELECT coalesce(max(seq), 0) FROM event")[0][0])


class Sqlite(Connection):
    """SQLite in WAL mode, where COMMIT waits for the disk."""

    engine = SQLITE
    has_log = True

    def __init__(self, path: Path | None, *, read_only: bool = False) -> None:
        import sqlite3

        self.failures = (sqlite3.Error,)
        if path is None:  # in memory
            super().__init__(sqlite3.connect(":memory:", isolation_level=None))
            return
        uri = path.absolute().as_uri() + ("?mode=ro" if read_only else "")
        if read_only and not os.access(path.parent, os.W_OK) and not path.with_name(path.name + "-wal").exists():
            uri += "&immutable=1"  # nobody can write there, and SQLite could not make its own files
        raw = sqlite3.connect(uri, uri=True, timeout=_BUSY, isolation_level=None, check_same_thread=False)
        super().__init__(raw)
        if not read_only:
            try:
                mode = self.select("PRAGMA journal_mode = WAL")[0][0]
                self.execute("PRAGMA synchronous = FULL")
                self.execute(f"PRAGMA wal_autocheckpoint = {_LOG}")
            except sqlite3.Error as error:
                raw.close()
                hint = "check that it is a database, that the disk has room, and that it is not read-only"
                raise UsageError(f"{path}: the database cannot be opened for writing: {error}", hint=hint) from None
            if mode != "wal":
                raw.close()
                raise UsageError(f"{path}: SQLite cannot keep a write-ahead log here: use a local disk, or PostgreSQL")

    def begin(self, *, write: bool) -> None:
        self.execute("BEGIN IMMEDIATE" if write else "BEGIN")

    def checkpoint(self) -> None:
        self.select("PRAGMA wal_checkpoint(PASSIVE)")

    def get(self, kind: type[R], keys: Sequence[Values], names: Sequence[str] = ()) -> list[R]:
        table = TABLES[kind]
        where = " AND ".join(f"{name} = ?" for name in _quoted(names or table.key))
        statement = f"SELECT {_columns(table)} FROM {table.name} WHERE {where}"  # noqa: S608
        found = (self.execute(statement, key).fetchone() for key in keys)
        return [cast("R", table.made(values)) for values in found if values is not None]

    def insert(self, rows: Sequence[Row], *, replace: bool = True) -> None:
        table = TABLES[type(rows[0])]
        places = ", ".join("?" * len(table.columns))
        statement = f"INSERT INTO {table.name} ({_columns(table)}) VALUES ({places})"  # noqa: S608
        self.raw.executemany(statement + _replacing(table) * replace, [table.values(row) for row in rows])

    def delete(self, kind: type[Row], keys: Sequence[Values]) -> None:
        table = TABLES[kind]
        where = " AND ".join(f"{name} = ?" for name in _quoted(table.key))
        self.raw.executemany(f"DELETE FROM {table.name} WHERE {where}", keys)  # noqa: S608

    def has_tables(self) -> bool:
        return bool(self.select("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'meta'"))


class Postgres(Connection):
    """PostgreSQL, where COMMIT waits for the disk."""

    engine = POSTGRES

    def __init__(self, url: str, *, read_only: bool = False) -> None:
        try:
            import psycopg
        except ImportError:
            raise UsageError("PostgreSQL needs a package: pip install 'adjudge[postgres]'") from None
        self.failures = (psycopg.Error,)
        self.lost = (psycopg.OperationalError, psycopg.InterfaceError)
        try:
            raw = psycopg.connect(url, autocommit=True, connect_timeout=_BUSY, prepare_threshold=2)
        except psycopg.Error as error:
            raise UsageError(f"the database cannot be opened: {str(error).strip()}") from None
        super().__init__(raw)
        self._first: tuple[str, ...] = ()  # what is sent before the next statement, and with it
        self._pipelines = psycopg.Pipeline.is_supported()
        self.execute("SET synchronous_commit = on")
        self.execute("SET timezone = 'UTC'")
        self.execute("SET idle_in_transaction_session_timeout = '60s'")
        if read_only:
            self.execute("SET default_transaction_read_only = on")
        else:  # a writer looks for single rows: always by an index, even if nobody has counted the table yet
            for way in ("seqscan", "hashjoin", "mergejoin"):
                self.execute(f"SET enable_{way} = off")

    def execute(self, statement: str, values: Sequence[Any] = ()) -> Any:
        first, self._first = self._first, ()
        if not first:
            return self._send(statement, values)
        with self.together():
            for each in first:
                self._send(each)
            return self._send(statement, values)

    def _send(self, statement: str, values: Sequence[Any] = ()) -> Any:
        return self.raw.execute(statement.replace("?", "%s"), values) if values else self.raw.execute(statement)

    def together(self) -> AbstractContextManager[Any]:
        return self.raw.pipeline() if self._pipelines else contextlib.nullcontext()

    def is_alive(self) -> bool:
        try:
            for _ in range(2):  # what it said when it left, and that it has left
                self.raw.pgconn.consume_input()
        except self.failures:
            return False
        return not self.raw.closed

    def stream(self, statement: str) -> Any:
        if self._first:
            self.execute("SELECT 1")
        return self.raw.cursor(name=f"c{next(_numbers)}").execute(statement)

    def begin(self, *, write: bool) -> None:
        snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        self._first = ("BEGIN", f"SELECT pg_advisory_xact_lock({_LOCK})") if write else (snapshot,)

    def rollback(self) -> None:
        if not self._first:
            super().rollback()
        self._first = ()

    def get(self, kind: type[R], keys: Sequence[Values], names: Sequence[str] = ()) -> list[R]:
        found = self._asked(kind, keys, names).fetchall()
        return [cast("R", TABLES[kind].made(values)) for values in found]

    def get_all(self, wanted: Mapping[type[Row], Sequence[Values]]) -> Iterator[Row]:
        with self.together():
            asked = [(TABLES[kind], self._asked(kind, keys)) for kind, keys in wanted.items()]
        for table, cursor in asked:
            yield from (table.made(values) for values in cursor.fetchall())

    def _asked(self, kind: type[Row], keys: Sequence[Values], names: Sequence[str] = ()) -> Any:
        table = TABLES[kind]
        names = names or table.key
        joined, key = ", ".join(f't."{name}"' for name in table.columns), ", ".join(_quoted(names))
        statement = f"SELECT {joined} FROM {_given(table, names)} JOIN {table.name} t USING ({key})"  # noqa: S608
        return self.execute(statement, [_records(names, keys)])

    def insert(self, rows: Sequence[Row], *, replace: bool = True) -> None:
        table = TABLES[type(rows[0])]
        statement = f"INSERT INTO {table.name} ({_columns(table)}) SELECT * FROM {_given(table, table.columns)}"  # noqa: S608
        records = _records(table.columns, [table.values(row) for row in rows])
        self.execute(statement + _replacing(table) * replace, [records])

    def delete(self, kind: type[Row], keys: Sequence[Values]) -> None:
        table = TABLES[kind]
        where = " AND ".join(f"t.{name} = given.{name}" for name in _quoted(table.key))
        statement = f"DELETE FROM {table.name} t USING {_given(table, table.key)} WHERE {where}"  # noqa: S608
        self.execute(statement, [_records(table.key, keys)])

    def has_tables(self) -> bool:
        return bool(self.select("SELECT to_regclass('meta') IS NOT NULL")[0][0])


def _given(table: Table, names: Iterable[str]) -> str:
    """Columns of many rows, which PostgreSQL gets as one JSON text: one statement, whatever their number."""
    columns = ", ".join(f'"{name}" {_WORDS[POSTGRES][table.columns[name].rstrip("?")]}' for name in names)
    return f"json_to_recordset(?::json) AS given({columns})"


def _records(names: Iterable[str], rows: Iterable[Values]) -> str:
    columns = tuple(names)
    return encode([dict(zip(columns, row, strict=True)) for row in rows]).decode()


def _replacing(table: Table) -> str:
    others = [f"{name} = excluded.{name}" for name in _quoted(n for n in table.columns if n not in table.key)]
    does = f"UPDATE SET {', '.join(others)}" if others else "NOTHING"
    return f" ON CONFLICT ({', '.join(_quoted(table.key))}) DO {does}"


def url_of(database: str | None) -> str | None:
    """The URL of a PostgreSQL database that was given, here or in the environment; None: a file of SQLite."""
    url = database or os.environ.get("ADJUDGE_DATABASE") or None
    if url is not None and not url.startswith(("postgresql://", "postgres://")):
        kind = url.partition(":")[0]
        raise UsageError(f"unknown kind of database: {kind}: give postgresql://..., or nothing for SQLite")
    return url


def sync(file: IO[bytes]) -> None:
    """What was written to a file is on the disk when this returns."""
    file.flush()
    os.fsync(file.fileno())


def connect(folder: Path, url: str | None, *, read_only: bool = False) -> Connection:
    """A new connection to the database at a URL, or to the file of a folder."""
    if url is not None:
        return Postgres(url, read_only=read_only)
    return Sqlite(folder / "serve.db", read_only=read_only)


def check_disk(folder: Path) -> None:
    """Refuse a disk of the network, where locks and a shared log cannot be relied upon."""
    try:
        mounts = [line.split() for line in MOUNTS.read_text("utf-8", "replace").splitlines()]
    except OSError:
        return  # no Linux: nobody says what kind of disk it is
    place = str(folder.resolve())
    best = max(
        (mount for mount in mounts if place == mount[1] or place.startswith(mount[1].rstrip("/") + "/")),
        key=lambda mount: len(mount[1]),
        default=None,
    )
    if best is not None and best[2].startswith(_NETWORK):
        raise UsageError(
            f"{folder}: this is a network disk ({best[2]}), where SQLite can lose what it has written: "
            "use a local disk, or PostgreSQL (--database URL)"
        )
