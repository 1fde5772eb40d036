"""Documents on disk, for corpora that are too large to hold and cannot be read in parts.

What was read goes into a temporary file, one document after the other; what is kept of each is its id and its place.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Mapping
from tempfile import TemporaryFile
from typing import NamedTuple

import msgspec

from adjudge.model.document import Document


class _Place(NamedTuple):
    """Where the content of a document is, and where it came from."""

    start: int
    end: int
    line: int | None
    path: str | None


class Stored(Mapping[str, Document]):
    """Documents by id, each of which is read when it is asked for; the file is gone with the value.

    Those of `several` files keep the path of theirs.
    """

    def __init__(self, documents: Iterable[Document], *, several: bool) -> None:
        self._file = TemporaryFile(prefix="adjudge-")  # noqa: SIM115 - open as long as the value lives
        weakref.finalize(self, self._file.close)
        self._places: dict[str, _Place] = {}
        start = 0
        for each in documents:
            end = start + self._file.write(msgspec.json.encode(each.data))
            self._places[each.id] = _Place(start, end, each.line, each.path if several else None)
            start = end

    def __getitem__(self, name: str) -> Document:
        start, end, line, path = self._places[name]
        self._file.seek(start)
        return Document(id=name, data=msgspec.json.decode(self._file.read(end - start)), line=line, path=path)

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)
