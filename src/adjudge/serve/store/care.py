"""Looking after a store: verify, rebuild, backup, restore, upgrade. State is made again from events, never repaired."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from itertools import takewhile, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from adjudge._version import __version__
from adjudge.errors import Problem, UsageError, ValidationError
from adjudge.findings import counted
from adjudge.serve.store import Snapshot, Store, lock_folder, migrations, sql
from adjudge.serve.store.blobs import blob_path, is_whole, read_blob, sync_folder, write_blob
from adjudge.serve.store.events import START, Rows, digest
from adjudge.serve.store.fold import fold
from adjudge.serve.store.migrations import MIGRATIONS, check_not_newer, create_all, create_state, version_of
from adjudge.serve.store.sql import Connection
from adjudge.serve.store.tables import ASSESS, DECIDED, TABLES, Blob, Event, Meta, Row, Secret, Stream, Tally
from adjudge.serve.store.writer import now

Heads = Mapping[str, tuple[int, str]]
_PARTS = ("event", "secret", "blob")
"""The tables of a backup: the rest follows from them."""


class Verified(NamedTuple):
    """What was checked, and the problems found."""

    events: int
    streams: int
    blobs: int
    clock: int  # how often an event has an earlier time than the one before: the order is that of the numbers
    problems: list[Problem]


def verify(store: Store, heads: Heads | None = None) -> Verified:
    """Check the chain of every stream (against heads that were noted elsewhere, too), the state, and the blobs."""
    problems: list[Problem] = []
    with store.read() as snapshot, _memory() as again:
        connection = snapshot.connection
        streams, number, clock = _verify_chain(connection, again, heads or {}, problems)
        for table in (table for table in TABLES.values() if table.state):
            problems += _differences(table.row, connection, again)
        problems += _tally_problems(again)
        blobs = snapshot.find(Blob)
    for blob in blobs:
        if not is_whole(store.folder, blob.sha256, blob.size):
            what = f"the file is missing, or is not what its name says: restore {blob.kind} from a backup"
            problems.append(Problem(what, path=str(blob_path(store.folder, blob.sha256))))
    return Verified(number, len(streams), len(blobs), clock, problems)


def _verify_chain(
    source: Connection, again: Connection, heads: Heads, problems: list[Problem]
) -> tuple[dict[str, tuple[int, str]], int, int]:
    """Look at every event in its order, and fold it into another database."""
    streams: dict[str, tuple[int, str]] = {}
    rows = Rows(again)
    last, clock, before = 0, 0, ""
    noted = dict(heads)
    for event in source.each(Event):
        n, previous = streams.get(event.stream, (0, START))
        place = f"event {event.seq} ({event.stream} {event.n})"
        if event.seq != last + 1:
            problems.append(Problem(f"{place}: {event.seq - last - 1} events before it are missing"))
        if event.n != n + 1:
            problems.append(Problem(f"{place}: it should be number {n + 1} of its stream"))
        if event.hash != digest(previous, event):
            problems.append(Problem(f"{place}: it, or an event before it, was changed: its hash does not fit"))
        if noted.get(event.stream) == (event.n, event.hash):
            del noted[event.stream]
        streams[event.stream] = (event.n, event.hash)
        last, clock, before = event.seq, clock + (event.at < before), event.at
        try:
            _replay(rows, event)
        except (LookupError, TypeError, ValueError) as error:
            problems.append(Problem(f"{place}: it cannot be done to what is there: {error}"))
    rows.flush()
    for name, (n, head) in noted.items():
        problems.append(Problem(f"stream {name}: there is no event {n} with the hash {head} that was noted"))
    return streams, last, clock


def _differences(kind: type[Row], one: Connection, other: Connection) -> list[Problem]:
    """How the rows of a table differ from what follows from the events."""
    table = TABLES[kind]
    if all(a == b for a, b in zip_longest(one.each(kind), other.each(kind))):
        return []
    found = {table.at(row): row for row in one.find(kind)}
    wanted = {table.at(row): row for row in other.find(kind)}
    differing = [key for key in sorted(found.keys() | wanted.keys()) if found.get(key) != wanted.get(key)]
    return [_other(table.name, "the events say", differing)]


def _other(table: str, than: str, keys: list[tuple[Any, ...]]) -> Problem:
    first = "/".join(map(str, keys[0]))
    what = f"table {table}: {counted(len(keys), 'row')} not as {than}, the first is {first}"
    return Problem(what, hint="rebuild it with adjudge serve rebuild")


def _tally_problems(connection: Connection) -> list[Problem]:
    """Tallies that differ from the counts."""
    counts: dict[tuple[Any, ...], tuple[int, ...]] = {}
    for row in connection.select(sql.COUNTS):
        known = counts.get(row[:4], (0, 0, 0, 0))
        counts[row[:4]] = tuple(int(a) + int(b) for a, b in zip(known, row[4:], strict=True))
    other: list[tuple[Any, ...]] = []
    for tally in connection.find(Tally):
        key = (tally.campaign, tally.scope, tally.stage, tally.reader)
        kept = (tally.items, tally.done, tally.flags, tally.ms)
        pool = counts.get((*key[:2], ASSESS, DECIDED), (0,))[0] if tally.stage == ASSESS else None
        items, done, flags, ms = counts.get(key, (0, 0, 0, 0))
        if kept != (items if pool is None else pool, done, flags, ms):
            other.append(key)
    return [_other("tally", "they are counted", other)] if other else []


@contextmanager
def _memory() -> Iterator[Connection]:
    """An empty database that is gone afterwards."""
    connection = sql.Sqlite(None)
    try:
        create_all(connection)
        yield connection
    finally:
        connection.close()


@contextmanager
def at(store: Store, seq: int) -> Iterator[Snapshot]:
    """The store as it was after the event with the number `seq`."""
    with store.read() as snapshot, _memory() as again:
        if not 0 < seq <= snapshot.last():
            raise UsageError(f"there is no event {seq}", hint=f"the last one is {snapshot.last()}")
        rows = Rows(again)
        for event in takewhile(lambda event: event.seq <= seq, snapshot.connection.each(Event)):
            rows.put(event)
            _replay(rows, event)
        rows.flush()
        yield Snapshot(again)


def _replay(rows: Rows, event: Event) -> None:
    """Do to the rows what an event says, and keep few of them in memory."""
    fold(rows, event)
    rows.put(Stream(event.stream, event.n, event.hash))
    if event.seq % sql.CHUNK == 0:
        rows.forget()


def rebuild(store: Store) -> list[str]:
    """Make all state again from the events, in one transaction; gives the names of tables that were otherwise."""

    def job(rows: Rows) -> list[str]:
        connection = rows.connection
        states = [table for table in TABLES.values() if table.state]
        before = {table.name: _content(connection, table.row) for table in states}
        _rebuild(connection)
        return [table.name for table in states if before[table.name] != _content(connection, table.row)]

    found: list[str] = store.writer.run(job).result()
    return found


def _content(connection: Connection, kind: type[Row]) -> str:
    """The hash of all rows of a table."""
    whole = hashlib.sha256()
    for row in connection.each(kind):
        whole.update(msgspec.json.encode(row))
    return whole.hexdigest()


def _rebuild(connection: Connection) -> None:
    for table in TABLES.values():
        if table.state:
            connection.execute(f"DELETE FROM {table.name}")  # noqa: S608
    rows, last = Rows(connection), 0
    while events := connection.events("seq > ?", (last,), sql.CHUNK):
        for event in events:
            _replay(rows, event)
        last = events[-1].seq
    rows.flush()


def backup(store: Store, target: Path) -> int:
    """Write everything that cannot be made again into a new folder, while people work; gives the last event's number.

    `events.jsonl`, `secret.jsonl` and `blob.jsonl` are of one moment; blobs never change, so they are copied after it.
    The folder gets its name when it is complete. It fits both kinds of database.
    """
    with store.read() as snapshot:
        return _backup(snapshot.connection, store.folder, target)


def _backup(connection: Connection, folder: Path, target: Path) -> int:
    if target.exists():
        raise UsageError(f"{target}: it exists: give a new folder, so that no backup is lost")
    part = target.with_name(f".{target.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(0o700, parents=True)
    last, digests = 0, []
    for name in _PARTS:
        with (part / f"{name}.jsonl").open("wb") as file:
            for row in connection.dictionaries(name):
                file.write(msgspec.json.encode(row) + b"\n")
                last = row["seq"] if name == "event" else last
                digests += [row["sha256"]] if name == "blob" else []
    for digest_ in digests:
        write_blob(part, read_blob(folder, digest_))
    _take_along(folder, part)
    about = {"backup": version_of(connection), "adjudge": __version__, "events": last, "at": now()}
    (part / "backup.json").write_text(json.dumps(about), "utf-8")
    for path in part.iterdir():
        if path.is_file():
            with path.open("rb+") as file:
                sql.sync(file)
    sync_folder(part)
    part.rename(target)
    sync_folder(target.parent)
    return last


def restore(source: Path, folder: Path, database: str | None = None) -> int:
    """Fill a new folder (and an empty database) from a backup, all or nothing; gives the number of events."""
    try:
        about = json.loads((source / "backup.json").read_text("utf-8"))
        version = int(about["backup"])
    except (OSError, ValueError, KeyError, TypeError):
        raise UsageError(f"{source}: not a backup of adjudge serve: it has no readable backup.json") from None
    check_not_newer(version)
    with Store.open(folder, database) as store:
        with store.read() as snapshot:
            if snapshot.last() or snapshot.find(Secret):
                raise UsageError(f"{folder}: it already contains data: restore into a new folder or an empty database")
        for blob in _lines(source, "blob"):
            made, _ = write_blob(folder, read_blob(source, blob["sha256"]))
            if made != blob["sha256"]:
                raise ValidationError(Problem("the file is not what its name says", str(blob_path(source, made))))
        number: int = store.writer.run(lambda rows: _fill(rows, source)).result()
    _take_along(source, folder)
    return number


def _take_along(source: Path, target: Path) -> None:
    """Settings and key, unless there are any; others cannot read the key at any moment."""
    for name in ("serve.toml", "secret.key"):
        if (source / name).exists() and not (target / name).exists():
            (target / name).touch(0o600)
            shutil.copyfile(source / name, target / name)


def _fill(rows: Rows, source: Path) -> int:
    """Events as they are in a backup, if their chains are whole, and what follows from them."""
    heads: dict[str, str] = {}
    number = 0
    for number, record in enumerate(_lines(source, "event"), 1):
        event = msgspec.convert(record, Event)
        if event.seq != number or event.hash != digest(heads.get(event.stream, START), event):
            what = "an event is missing before it, or it was changed: its hash does not fit, take another backup"
            raise ValidationError(Problem(what, str(source / "event.jsonl"), number))
        heads[event.stream] = event.hash
        rows.put(event)
        _replay(rows, event)
    for kind in (Secret, Blob):
        for record in _lines(source, TABLES[kind].name):
            rows.put(msgspec.convert(record, kind))
    return number


def _lines(source: Path, name: str) -> Iterator[dict[str, Any]]:
    path = source / f"{name}.jsonl"
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                yield msgspec.json.decode(line, type=dict[str, Any])
            except msgspec.DecodeError as error:
                raise ValidationError(Problem(f"not JSON: {error}", str(path), number)) from None


def upgrade(folder: Path, database: str | None = None) -> tuple[int, int, Path | None]:
    """Bring a database to this release: backup, one transaction for each step, state made anew; old and new number."""
    url = sql.url_of(database)
    lock = lock_folder(folder) if url is None else None
    try:
        with closing(sql.connect(folder, url)) as connection:
            old = version_of(connection)
            check_not_newer(old)
            if old in (0, migrations.VERSION):
                return old, migrations.VERSION, None
            saved = folder / f"backup-before-{migrations.VERSION}-{now().replace(':', '')}"
            connection.begin(write=False)
            _backup(connection, folder, saved)
            connection.rollback()
            for number in range(old + 1, migrations.VERSION + 1):
                _migrate(connection, number)
            return old, migrations.VERSION, saved
    finally:
        if lock:
            lock.close()


def _migrate(connection: Connection, number: int) -> None:
    connection.begin(write=True)
    try:
        MIGRATIONS[number](connection)
        connection.insert([Meta("version", str(number))])
        if number == migrations.VERSION:  # older code is not here any more to fold what came between
            create_state(connection)
            _rebuild(connection)
        connection.commit()
    except BaseException:
        connection.rollback()
        raise
