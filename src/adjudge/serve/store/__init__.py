"""The store: append-only events with a chain of hashes, and the tables that are folded from them.

A write is acknowledged after it is committed and on the disk; a key makes repeating it harmless; a version makes two
writers of one row visible to each other. SQLite by default, PostgreSQL by URL.
"""

from __future__ import annotations

import contextlib
import os
import queue
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import IO, Any, cast

from adjudge.errors import UsageError
from adjudge.serve.store import sql
from adjudge.serve.store.blobs import blob_path, read_blob, write_blob
from adjudge.serve.store.events import Conflict, Rows, Write, Written, place_of, stream_of
from adjudge.serve.store.migrations import check_version, create_all, version_of
from adjudge.serve.store.tables import (
    ASSESS,
    DECIDED,
    Assignment,
    Blob,
    Decision,
    Event,
    Grouping,
    Item,
    Judgment,
    Note,
    R,
    Role,
    Scope,
    Secret,
    Stream,
    Suggestion,
    Tally,
)
from adjudge.serve.store.writer import StoreError, Writer, now

__all__ = [
    "ASSESS",
    "DECIDED",
    "Conflict",
    "Snapshot",
    "Store",
    "StoreError",
    "Write",
    "Written",
    "now",
    "place_of",
    "stream_of",
]

_READERS = 8


class Snapshot:
    """The store at one moment. Rows are yours: changing them changes nothing."""

    def __init__(self, connection: sql.Connection) -> None:
        self.connection = connection

    def get(self, kind: type[R], *key: Any) -> R | None:
        """The row with a primary key, or None."""
        found = self.connection.get(kind, [key])
        return found[0] if found else None

    def many(self, kind: type[R], keys: Sequence[tuple[Any, ...]]) -> list[R]:
        """The rows with some primary keys, as far as they are there."""
        return self.connection.get(kind, keys) if keys else []

    def find(self, kind: type[R], order: str | None = None, /, **where: Any) -> list[R]:
        """The rows whose columns have these values (None: any), in the order of the primary key unless told."""
        return self.connection.find(kind, order, **where)

    def scopes(self, campaign: str) -> list[Scope]:
        """The scopes of a campaign, in their order."""
        return self.find(Scope, "ord, id", campaign=campaign)

    def items(self, campaign: str, scope: str | None = None, *, withdrawn: bool = False) -> list[Item]:
        """The items of a scope (or of all) in their order, without those that were withdrawn unless asked for."""
        found = self.find(Item, "scope, ord, id", campaign=campaign, scope=scope)
        return found if withdrawn else [item for item in found if item.withdrawn is None]

    def assignments(self, campaign: str, scope: str | None = None, reader: str | None = None) -> list[Assignment]:
        """Who works on what."""
        return self.find(Assignment, campaign=campaign, scope=scope, reader=reader)

    def judgments(self, campaign: str, scope: str | None = None, reader: str | None = None) -> list[Judgment]:
        """What readers say of items."""
        return self.find(Judgment, campaign=campaign, scope=scope, reader=reader)

    def notes(self, campaign: str, scope: str | None = None, reader: str | None = None) -> list[Note]:
        """Flags and comments."""
        return self.find(Note, campaign=campaign, scope=scope, reader=reader)

    def groupings(self, campaign: str, scope: str | None = None, stage: str | None = None) -> list[Grouping]:
        """Groups or frames of all readers."""
        return self.find(Grouping, campaign=campaign, scope=scope, stage=stage)

    def decisions(self, campaign: str, scope: str | None = None, stage: str | None = None) -> list[Decision]:
        """The official answers."""
        return self.find(Decision, campaign=campaign, scope=scope, stage=stage)

    def suggestions(self, campaign: str, scope: str | None = None, source: str | None = None) -> list[Suggestion]:
        """What automatic judges say."""
        return self.find(Suggestion, campaign=campaign, scope=scope, source=source)

    def tally(self, campaign: str, scope: str | None = None, reader: str | None = None) -> list[Tally]:
        """Counts of everybody's work; those of the pool and of decisions have the reader `DECIDED`."""
        return self.find(Tally, campaign=campaign, scope=scope, reader=reader)

    def paces(self, campaign: str, hasty: int) -> dict[str, tuple[int, int, int]]:
        """By reader: complete answers whose time is known, their milliseconds, and how many took less than `hasty`."""
        return {reader: (number, ms, quick) for reader, number, ms, quick in self.connection.paces(campaign, hasty)}

    def roles(self, person: str | None = None, scope: str | None = None) -> list[Role]:
        """Who may do what where."""
        return self.find(Role, person=person, scope=scope)

    def secrets(self, person: str) -> list[Secret]:
        """Everything that lets a person in."""
        return self.find(Secret, person=person)

    def events(self, stream: str, after: int = 0, limit: int = -1) -> list[Event]:
        """The events of a stream with a number above `after`."""
        return self.connection.events("stream = ? AND n > ?", (stream, after), limit)

    def feed(self, campaign: str, after: int = 0, limit: int = 1000) -> list[Event]:
        """The events of all streams of a campaign with a `seq` above `after`."""
        whole = stream_of(campaign)
        return self.connection.events(
            "seq > ? AND (stream = ? OR (stream >= ? AND stream < ?))", (after, whole, whole + "/", whole + "0"), limit
        )

    def times(self, stream: str) -> dict[int, str]:
        """When the events of a stream were written, by their numbers."""
        return dict(self.connection.times(stream))

    def last(self) -> int:
        """The number (`seq`) of the last event of all."""
        return self.connection.last()

    def heads(self) -> dict[str, tuple[int, str]]:
        """Number and hash of the last event of each stream: what a receipt or an export prints."""
        return {stream.id: (stream.n, stream.head) for stream in self.find(Stream)}

    def before(self, campaign: str, scope: str, reader: str, item: str) -> Event | None:
        """The event to whose answers an undo goes back, or None if there were no answers before."""
        stream = stream_of(campaign, scope, reader)
        known = self.connection.events("stream = ? AND subject = ? AND kind IN ('judge', 'undo')", (stream, item))
        left: list[Event] = []
        for event in known:
            if event.kind == "judge":
                left.append(event)
            elif left:
                left.pop()
        return left[-2] if len(left) > 1 else None


class Store:
    """A folder with its database and its blobs. Safe to use from many threads; `close` it, or use it as a context."""

    def __init__(self, folder: Path, url: str | None, *, read_only: bool, lock: IO[bytes] | None) -> None:
        self.folder = folder
        self.url = url
        self.read_only = read_only
        self._lock = lock
        self._readers: queue.LifoQueue[sql.Connection | None] = queue.LifoQueue()
        for _ in range(_READERS):
            self._readers.put(None)
        self._leasing, self._leaser = threading.Lock(), cast("sql.Connection | None", None)
        self._writer = None if read_only else Writer(lambda: sql.connect(folder, url))

    @classmethod
    def open(cls, folder: Path, database: str | None = None, *, read_only: bool = False, server: bool = False) -> Store:
        """Open the store of a folder, which is made unless there is one; `server`: refuse to be the second one.

        `database` is the URL of a PostgreSQL database; without it the data are in the file `serve.db` of the folder.
        """
        url = sql.url_of(database)
        lock = None
        if not read_only:
            folder.mkdir(parents=True, exist_ok=True)
        if url is None:
            sql.check_disk(folder)
            if read_only and not (folder / "serve.db").exists():
                raise UsageError(f"{folder}: there is no serve.db: adjudge serve init {folder}")
            lock = lock_folder(folder) if server and not read_only else None
        try:
            cls._prepare(folder, url, read_only)
            return cls(folder, url, read_only=read_only, lock=lock)
        except BaseException:
            if lock:
                lock.close()
            raise

    @staticmethod
    def _prepare(folder: Path, url: str | None, read_only: bool) -> None:
        connection = sql.connect(folder, url, read_only=read_only)
        try:
            if version_of(connection) == 0 and not read_only:
                connection.begin(write=True)
                if version_of(connection) == 0:
                    create_all(connection)
                connection.commit()
            check_version(connection)
        except connection.failures as error:
            raise UsageError(f"{folder}: the database cannot be opened: {str(error).strip()}") from error
        finally:
            connection.rollback()
            connection.close()

    def close(self) -> None:
        """Write what is pending, and close everything."""
        if self._writer:
            self._writer.close()
        if self._leaser:
            self._leaser.close()
        for connection in [self._readers.get() for _ in range(_READERS)]:
            if connection:
                connection.close()
            self._readers.put(None)
        if self._lock:
            self._lock.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def writer(self) -> Writer:
        """What writes, unless the store is read-only."""
        if self._writer is None:
            raise StoreError("the store is open for reading only")
        return self._writer

    def submit(self, writes: Sequence[Write]) -> Future[list[Written | Conflict]]:
        """Append events in one transaction; the future is done after they are on the disk."""
        return self.writer.write(writes)

    def write(self, writes: Sequence[Write]) -> list[Written | Conflict]:
        """Append events and wait: for each what is acknowledged, or the conflict that kept it from being written."""
        return self.submit(writes).result()

    def append(self, writes: Sequence[Write]) -> list[Written]:
        """The same where no conflict is expected: the first one is raised, after the others were written."""
        done = []
        for each in self.write(writes):
            if isinstance(each, Conflict):
                raise each
            done.append(each)
        return done

    @contextlib.contextmanager
    def read(self) -> Iterator[Snapshot]:
        """Read: everything within the block is of one moment."""
        connection = self._readers.get()
        try:
            if connection is not None and not connection.is_alive():  # the database was restarted
                connection.close()
                connection = None
            if connection is None:
                connection = sql.connect(self.folder, self.url, read_only=True)
            connection.begin(write=False)
            try:
                yield Snapshot(connection)
            finally:
                connection.rollback()
        finally:
            self._readers.put(connection)

    def put_blob(self, data: bytes | Iterable[bytes], kind: str) -> str:
        """Keep bytes; gives their SHA-256. They are on the disk when it returns."""
        digest, size = write_blob(self.folder, [data] if isinstance(data, bytes) else data)
        self.note_blob(digest, size, kind)
        return digest

    def note_blob(self, sha256: str, size: int, kind: str) -> None:
        """Remember a blob that is on the disk."""

        def note(rows: Rows) -> None:
            if rows.get(Blob, sha256) is None:
                rows.put(Blob(sha256, size, kind, now()))

        self.writer.run(note).result()

    def get_blob(self, sha256: str) -> bytes:
        """The bytes with a SHA-256."""
        return b"".join(read_blob(self.folder, sha256))

    def blob_file(self, sha256: str) -> Path:
        """The file with these bytes, to be read only."""
        return blob_path(self.folder, sha256)

    @contextlib.contextmanager
    def leases(self) -> Iterator[sql.Connection]:
        """A connection to claim, renew and release leases with: each is a statement of its own, beside the writer."""
        with self._leasing:
            if self._leaser is not None and not self._leaser.is_alive():
                self._leaser.close()
                self._leaser = None
            if self._leaser is None:
                self._leaser = sql.connect(self.folder, self.url)
            try:
                yield self._leaser
            except self._leaser.failures as error:
                self._leaser.close()
                self._leaser = None
                raise StoreError(f"the database cannot be queried: {str(error).strip()}") from error

    def add_secret(self, secret: Secret) -> None:
        """Keep the hash of a secret."""
        self.writer.run(lambda rows: rows.put(secret)).result()

    def use_secret(self, hash: str) -> Secret | None:
        """Take a secret that can be used once: of all who try only one gets it. None: unknown, used or expired."""

        def use(rows: Rows) -> Secret | None:
            secret = rows.get(Secret, hash)
            if secret is None or secret.used is not None or (secret.expires is not None and secret.expires <= now()):
                return None
            secret.used = now()
            rows.put(secret)
            return secret

        return cast("Secret | None", self.writer.run(use).result())

    def touch_secret(self, hash: str) -> None:
        """Note that a secret is in use, some time soon: nobody waits for it."""

        def touch(rows: Rows) -> None:
            secret = rows.get(Secret, hash)
            if secret is not None:
                secret.last = now()
                rows.put(secret)

        self.writer.run(touch)

    def drop_secrets(self, person: str | None = None, hash: str | None = None, kind: str | None = None) -> int:
        """Revoke the secrets of a person, or one, or all of a kind; gives how many."""

        def drop(rows: Rows) -> int:
            found = rows.find(Secret, person=person, hash=hash, kind=kind)
            for secret in found:
                rows.drop(Secret, secret.hash)
            return len(found)

        return cast("int", self.writer.run(drop).result())


def lock_folder(folder: Path) -> IO[bytes]:
    """Hold the folder for as long as the file is open: a second server on one SQLite database is refused."""
    file = (folder / "lock").open("a+b")
    try:
        _hold(file)
    except OSError:
        file.seek(0)
        holder = file.read(20).decode("ascii", "replace").strip()
        file.close()
        raise UsageError(
            f"{folder}: a server is running on it already (process {holder or 'unknown'}): "
            "end it first, or let several share a PostgreSQL database"
        ) from None
    file.truncate(0)
    file.write(str(os.getpid()).encode())
    file.flush()
    return file


def _hold(file: IO[bytes]) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        cast("Any", msvcrt).locking(file.fileno(), cast("Any", msvcrt).LK_NBLCK, 1)
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
