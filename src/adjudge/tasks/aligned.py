"""Documents of a system, as gold asks for them, without holding all of them.

If the system has its documents in the order of gold, which it may cut short and which may have gaps, both are read side
by side. If not, its documents go into a temporary index on disk first.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from adjudge.model.document import Document

AHEAD = 50_000  # documents that are read ahead in search of one that may be missing
_BATCH = 500  # ids in one question to the index


class OutOfOrder(Exception):
    """A document came after those that gold has behind it."""


class SideBySide:
    """Documents that are read along with gold."""

    def __init__(self, documents: Iterator[Document], *, ahead: int = AHEAD) -> None:
        self._documents = documents
        self._ahead = ahead
        self._waiting: dict[str, Document] = {}
        self._missed: set[str] = set()

    def take(self, ids: Collection[str]) -> dict[str, Document]:
        """Those of these documents that the system has; raises if one turns up that was taken for missing before."""
        found = {identifier: self._waiting.pop(identifier) for identifier in ids if identifier in self._waiting}
        wanted = set(ids) - found.keys()
        while wanted and len(self._waiting) < self._ahead:
            document = next(self._documents, None)
            if document is None:
                break
            if document.id in wanted:
                wanted.discard(document.id)
                found[document.id] = document
            else:
                self._put(document)
        self._missed |= wanted
        return found

    def rest(self) -> Iterator[Document]:
        """What gold has not asked for."""
        for document in self._documents:
            self._put(document)
            yield self._waiting.pop(document.id)
        yield from self._waiting.values()

    def close(self) -> None:
        """Nothing to tidy up."""

    def _put(self, document: Document) -> None:
        if document.id in self._missed:
            raise OutOfOrder(document.id)
        self._waiting[document.id] = document


class Indexed:
    """Documents in any order, in a temporary file that is gone at the end."""

    def __init__(self, documents: Iterator[Document]) -> None:
        self._folder = TemporaryDirectory(prefix="adjudge-")
        self._base = sqlite3.connect(Path(self._folder.name) / "documents.sqlite", isolation_level=None)
        try:
            self._base.execute("PRAGMA journal_mode = OFF")
            self._base.execute("PRAGMA synchronous = OFF")
            self._base.execute(
                "CREATE TABLE documents (id TEXT PRIMARY KEY, data BLOB, line INT, path TEXT, taken INT)"
            )
            self._base.execute("BEGIN")
            self._base.executemany(
                "INSERT INTO documents VALUES (?, ?, ?, ?, 0)",
                ((each.id, msgspec.json.encode(each.data), each.line, each.path) for each in documents),
            )
            self._base.execute("COMMIT")
        except BaseException:
            self.close()
            raise

    def take(self, ids: Collection[str]) -> dict[str, Document]:
        """Those of these documents that the system has."""
        wanted = list(ids)
        found: dict[str, Document] = {}
        for start in range(0, len(wanted), _BATCH):
            some = wanted[start : start + _BATCH]
            marks = ", ".join("?" * len(some))
            rows = self._base.execute(f"SELECT id, data, line, path FROM documents WHERE id IN ({marks})", some)  # noqa: S608
            found.update((row[0], _document(*row)) for row in rows)
            self._base.execute(f"UPDATE documents SET taken = 1 WHERE id IN ({marks})", some)  # noqa: S608
        return found

    def rest(self) -> Iterator[Document]:
        """What gold has not asked for, in the order of the files."""
        rows = self._base.execute("SELECT id, data, line, path FROM documents WHERE taken = 0 ORDER BY rowid")
        yield from (_document(*row) for row in rows)

    def close(self) -> None:
        """Remove the file."""
        self._base.close()
        self._folder.cleanup()


def _document(identifier: str, data: bytes, line: int | None, path: str | None) -> Document:
    return Document(id=identifier, data=msgspec.json.decode(data), line=line, path=path)
