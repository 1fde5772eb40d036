"""Tar archives, read from front to back in blocks.

The reader of the standard library allocates as much memory as a header asks for, and fills the holes of sparse files.
This one supports regular files and folders, and long names in both dialects (pax and GNU), and refuses everything else.
"""

from __future__ import annotations

import gzip
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from adjudge.errors import FormatError
from adjudge.findings import Findings
from adjudge.formats.archive import (
    BLOCK,
    DAMAGED,
    MANY,
    Archive,
    Budget,
    Entry,
    Limits,
    Register,
    add_folders,
    quote,
    store_file,
)

RECORD = 512
LONGEST = 1 << 16  # bytes of a header that extends another

_KINDS = {
    b"1": "is a hard link",
    b"2": "is a symbolic link",
    b"3": "is a device",
    b"4": "is a device",
    b"6": "is a pipe",
    b"S": "is a sparse file",
}
_FILES = (b"0", b"\0", b"7")


class _Damaged(Exception):
    """The archive does not follow the format."""


def unpack_tar(path: Path, archive: Archive, limits: Limits) -> None:
    """Unpack a compressed tar archive; every reason to refuse it is raised before anything is written."""
    _walk(path, archive, limits, keep=False)
    _walk(path, archive, limits, keep=True)


def _walk(path: Path, archive: Archive, limits: Limits, *, keep: bool) -> None:
    """Go through an archive from front to back, with the same checks whether files are kept or not."""
    refusals = Findings(archive.place, limit=MANY)
    register = Register(refusals, limits)
    budget = Budget(archive.place, path.stat().st_size, limits)
    try:
        with path.open("rb") as raw, gzip.GzipFile(fileobj=raw) as stream:
            reader = _Reader(stream)
            for entry in _entries(reader):
                name = register.admit(entry)
                if entry.refused == _KINDS[b"S"]:
                    refusals.finish()  # the header alone does not tell what follows
                content = reader.content(entry.size)
                if keep and name is not None and not entry.is_folder:
                    store_file(content, archive, name, budget, limits.entry)
                for block in content:  # what is not kept is counted, too: it may have no end
                    budget.spend(len(block))
                reader.skip_padding(entry.size)
            for block in reader.rest():
                budget.spend(len(block))
    except EOFError:
        refusals.add("damaged", "the archive ends too early", None, None, DAMAGED)
    except (zlib.error, gzip.BadGzipFile) as error:
        refusals.add("damaged", f"the archive is damaged ({error})", None, None, DAMAGED)
    except _Damaged as error:
        refusals.add("damaged", f"the archive is damaged: {error}", None, None, DAMAGED)
    except FormatError as error:
        known = [finding.problem for finding in refusals.found]
        for problem in error.problems:
            if problem not in known:
                refusals.add_problem("refused", problem, error=True)
    refusals.finish()
    if keep:
        add_folders(archive, register)


class _Reader:
    """Reads exact numbers of bytes."""

    def __init__(self, stream: gzip.GzipFile) -> None:
        self._stream = stream

    def exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            block = self._stream.read(count - len(data))
            if not block:
                break
            data += block
        return data

    def content(self, size: int) -> Iterator[bytes]:
        while size:
            block = self._stream.read(min(size, BLOCK))
            if not block:
                raise EOFError
            size -= len(block)
            yield block

    def skip_padding(self, size: int) -> None:
        padding = -size % RECORD
        if len(self.exactly(padding)) < padding:
            raise EOFError

    def rest(self) -> Iterator[bytes]:
        while block := self._stream.read(BLOCK):
            yield block


def _entries(reader: _Reader) -> Iterator[Entry]:
    """The entries of an archive; the content of each must be read before the next one is taken."""
    long_name: bytes | None = None
    extended: dict[str, bytes] = {}
    always: dict[str, bytes] = {}
    while True:
        record = reader.exactly(RECORD)
        if len(record) < RECORD:
            if record:
                raise EOFError
            return
        if not any(record):
            return
        header = _header(record)
        if header.type in (b"x", b"X", b"g", b"L", b"K"):
            if header.size > LONGEST:
                raise _Damaged(f"a header of {header.size} bytes")
            data = reader.exactly(header.size)
            if len(data) < header.size:
                raise EOFError
            reader.skip_padding(header.size)
            if header.type == b"L":
                long_name = data.rstrip(b"\0")
            elif header.type == b"g":
                always.update(_extended(data))
            elif header.type != b"K":
                extended = _extended(data)
            continue
        fields = {**always, **extended}
        name = fields.get("path", long_name)
        size = header.size
        if "size" in fields:
            if not fields["size"].isdigit() or len(fields["size"]) > 18:
                raise _Damaged("a size that is not a number")
            size = int(fields["size"])
        sparse = any(key.startswith("GNU.sparse") for key in fields)
        long_name, extended = None, {}
        decoded = header.name if name is None else name.decode("utf-8", "surrogateescape")
        yield _entry(decoded, size, header.type, sparse=sparse)


def _entry(name: str, size: int, kind: bytes, *, sparse: bool) -> Entry:
    is_folder = kind == b"5" or (kind in _FILES and name.endswith("/"))
    refused = _KINDS.get(kind)
    if sparse:
        refused = _KINDS[b"S"]
    elif kind != b"5" and kind not in _FILES and refused is None:
        refused = f"is of an unknown kind ({quote(kind.decode('latin-1'))})"
    if kind in (b"1", b"2", b"3", b"4", b"6", b"5"):
        size = 0  # whatever the header says, no data follows
    return Entry(name, is_folder, size, refused)


def _header(record: bytes) -> tarfile.TarInfo:
    try:
        header = tarfile.TarInfo.frombuf(record, "utf-8", "surrogateescape")
    except tarfile.TarError as error:
        raise _Damaged(f"a header that cannot be read ({error})") from None
    if header.size < 0:
        raise _Damaged("a negative number")
    return header


def _extended(data: bytes) -> dict[str, bytes]:
    """The fields of an extended header: lines of `length key=value`."""
    found: dict[str, bytes] = {}
    at = 0
    while at < len(data) and data[at]:
        blank = data.find(b" ", at, at + 8)
        digits = data[at:blank]
        if blank < 0 or not digits.isdigit():
            raise _Damaged("a field without a length")
        end = at + int(digits)
        if end > len(data) or end <= blank + 1 or data[end - 1 : end] != b"\n":
            raise _Damaged("a field with a wrong length")
        key, equals, value = data[blank + 1 : end - 1].partition(b"=")
        if not equals:
            raise _Damaged("a field without a value")
        found[key.decode("utf-8", "replace")] = value
        at = end
    return found
