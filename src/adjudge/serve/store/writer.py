"""The one thread that writes: what is waiting becomes one transaction, and is acknowledged after it is on the disk.

SQLite has one writer anyway; on PostgreSQL writers of several servers take turns. Requests that wait together share a
COMMIT (up to `GROUP` writes); if one of them cannot be done, each gets a transaction of its own, so that it spoils
nothing but itself.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from datetime import UTC, datetime
from typing import Any

import msgspec

from adjudge.errors import AdjudgeError
from adjudge.serve.store.events import START, Conflict, Rows, Write, Written, digest, place_of, same_request
from adjudge.serve.store.fold import ALWAYS, KINDS, fold, needed, versioned
from adjudge.serve.store.sql import Connection
from adjudge.serve.store.tables import Campaign, Event, Row, Stream

GROUP = 64
_PAUSE = 0.25  # seconds between two checkpoints
_TRIES = 3  # connections that are made for a transaction before it is given up
Result = Written | Conflict
Job = Callable[[Rows], Any]


class StoreError(Exception):
    """The database could not write, and has not: the disk is full or read-only, or the server is gone."""


def now() -> str:
    """The time as it is stored. Order is that of the numbers of events: the clock may go back."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


class _Request:
    """Something to write, and who waits for it."""

    def __init__(self, writes: Sequence[Write], job: Job | None = None) -> None:
        self.writes = writes
        self.job = job
        self.done: Future[Any] = Future()

    def run(self, rows: Rows, log: Log) -> Any:
        return self.job(rows) if self.job else [log.append(write) for write in self.writes]


class Log:
    """The end of the log, within one transaction."""

    def __init__(self, rows: Rows, writes: Sequence[Write]) -> None:
        self.rows = rows
        self.connection = rows.connection
        self.last = self.connection.last() if writes else 0
        self._by_key: dict[tuple[str, str], Event] = {}
        wanted: dict[type[Row], list[tuple[Any, ...]]] = {Stream: [(write.stream,) for write in writes]}
        for write in writes:
            for kind, key in needed(write):
                wanted.setdefault(kind, []).append(key)
        if writes:
            rows.load_all(wanted)
            keys = [(write.stream, write.key) for write in writes]
            found = self.connection.get(Event, keys, ("stream", "key"))
            self._by_key = {(event.stream, event.key): event for event in found}

    def append(self, write: Write) -> Result:
        """One event and what it does to the rows; or why not."""
        known = self._by_key.get((write.stream, write.key))
        if known is not None:
            if not same_request(write, known):
                return Conflict({"n": known.n, "kind": known.kind, "subject": known.subject}, "key")
            return Written(known.n, known.hash, known.version, True, known.seq)
        campaign = self.rows.get(Campaign, place_of(write.stream).campaign)
        if campaign is not None and campaign.state == "frozen" and write.kind not in ALWAYS:
            return Conflict(msgspec.to_builtins(campaign), "frozen")
        row = versioned(write)
        version = 0
        if row is not None:
            current = self.rows.get(row[0], *row[1])
            version = current.version if current else 0
            if write.expect is not None and write.expect != version:
                return Conflict(msgspec.to_builtins(current) if current else {})
            version += 1
        return self._written(write, version)

    def _written(self, write: Write, version: int) -> Written:
        stream = self.rows.get(Stream, write.stream) or Stream(write.stream, 0, START)
        event = Event(
            seq=self.last + 1,
            stream=write.stream,
            n=stream.n + 1,
            at=now(),
            actor=write.actor,
            kind=write.kind,
            subject=write.subject,
            body=write.body,
            key=write.key,
            cause=write.cause,
            version=version,
            hash="",
        )
        event.hash = digest(stream.head, event)
        fold(self.rows, event)
        self.rows.put(Stream(write.stream, event.n, event.hash))
        self.last = event.seq
        self.rows.put(event)
        self._by_key[write.stream, write.key] = event
        return Written(event.n, event.hash, version, False, event.seq)


class Writer:
    """The thread, its connection, and what is waiting."""

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._connection = connect()
        self._waiting: queue.SimpleQueue[_Request | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._loop, name="adjudge-writer", daemon=True)
        self._closed = False
        self._written, self._ended = threading.Event(), threading.Event()
        self._checkpoints = threading.Thread(target=self._checkpoint, name="adjudge-checkpoints", daemon=True)
        self._thread.start()
        if self._connection.has_log:
            self._checkpoints.start()

    def write(self, writes: Sequence[Write]) -> Future[list[Result]]:
        """Append events; the future is done when they are on the disk."""
        return self._submit(_Request([_checked(write) for write in writes]))

    def run(self, job: Job) -> Future[Any]:
        """Do something else in the transaction."""
        return self._submit(_Request((), job))

    def close(self) -> None:
        """Write what is pending, and stop."""
        self._closed = True
        self._waiting.put(None)
        self._thread.join()
        self._written.set()
        self._ended.set()
        if self._connection.has_log:
            self._checkpoints.join()
        self._connection.close()

    def _submit(self, request: _Request) -> Future[Any]:
        if self._closed:
            raise StoreError("the store is closed")
        self._waiting.put(request)
        return request.done

    def _loop(self) -> None:
        for requests in self._groups():
            try:
                self._try(requests)
            except BaseException as error:
                for request in requests:
                    _answer(request, error)
            self._written.set()

    def _checkpoint(self) -> None:
        """Keep the log of SQLite short, so that whoever commits waits for the own write to the disk alone."""
        connection: Connection | None = None
        while self._written.wait() and not self._closed:
            self._written.clear()
            with contextlib.suppress(AdjudgeError, *self._connection.failures):  # the writer reports the error
                connection = connection or self._connect()
                connection.checkpoint()
            self._ended.wait(_PAUSE)
        if connection:
            connection.close()

    def _groups(self) -> Iterator[list[_Request]]:
        """What waits together, until the end."""
        ended = False
        while not ended:
            requests: list[_Request] = []
            number = 0
            while number < GROUP:
                try:
                    request = self._waiting.get(block=not requests)
                except queue.Empty:
                    break
                if request is None:
                    ended = True
                    break
                if request.done.set_running_or_notify_cancel():
                    requests.append(request)
                    number += len(request.writes) or 1
            if requests:
                yield requests

    def _try(self, requests: Sequence[_Request]) -> None:
        """One transaction for all; if something is wrong with one of them, one for each."""
        try:
            results = self._transaction(requests)
        except StoreError:
            raise
        except Exception as error:
            if len(requests) == 1:
                raise
            del error
            for request in requests:
                try:
                    _answer(request, self._transaction([request])[0])
                except Exception as wrong:
                    _answer(request, wrong)
            return
        for request, result in zip(requests, results, strict=True):
            _answer(request, result)

    def _transaction(self, requests: Sequence[_Request]) -> list[Any]:
        """All of the requests, committed. A connection that was lost is made again: keys make repeating harmless."""
        for attempt in range(_TRIES):
            connection = self._connection
            try:
                connection.begin(write=True)
                rows = Rows(connection)
                log = Log(rows, [write for request in requests for write in request.writes])
                results = [request.run(rows, log) for request in requests]
                with connection.together():
                    rows.flush()
                    connection.commit()
                return results
            except connection.failures as error:
                connection.rollback()
                if not isinstance(error, connection.lost) or attempt + 1 == _TRIES:
                    raise StoreError(f"the database has not written it: {str(error).strip()}") from error
                self._again(attempt)
            except BaseException:
                connection.rollback()
                raise
        raise AssertionError

    def _again(self, attempt: int) -> None:
        self._connection.close()
        time.sleep(0.2 * attempt)
        try:
            self._connection = self._connect()
        except AdjudgeError as error:
            raise StoreError(str(error)) from error


def _answer(request: _Request, result: Any) -> None:
    if request.done.done():
        return
    if isinstance(result, BaseException):
        request.done.set_exception(result)
    else:
        request.done.set_result(result)


def _checked(write: Write) -> Write:
    """A write as it will be read again: its body is plain JSON, its texts can be stored."""
    if write.kind not in KINDS:
        raise ValueError(f"no such kind of event: {write.kind}")
    for text in (write.stream, write.subject, write.actor, write.key, write.cause or ""):
        if "\0" in text or not text.isascii():
            text.encode()
            if "\0" in text:
                raise ValueError(f"a character that cannot be stored: {text!r}")
    body = msgspec.json.decode(msgspec.json.encode(write.body))
    return msgspec.structs.replace(write, body=body)
