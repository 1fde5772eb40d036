"""Tar archives, read from front to back in blocks.

The reader of the standard library takes as much memory as a header asks for, and fills the holes of sparse files. This
one knows regular files and folders, names of any length in both dialects (pax and GNU), and refuses everything else.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from adjudge.errors import FormatError
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
from adjudge.formats.findings import Findings

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


class _Header(NamedTuple):
    name: bytes
    size: int
    kind: bytes


class _Damaged(Exception):
    """The archive does not follow the format."""


def unpack_tar(path: Path, archive: Archive, limits: Limits) -> None:
    """Unpack a compressed tar archive; every reason to refuse it is raised before anything is written."""
    _walk(path, archive, limits, keep=False)
    _walk(path, archive, limits, keep=True)


def _walk(path: Path, archive: Archive, limits: Limits, *, keep: bool) -> None:
    """Go through an archive from front to back; the same checks whether the files are kept or not."""
    refusals = Findings(archive.place, limit=MANY)
    register = Register(refusals, limits)
    budget = Budget(archive.place, path.stat().st_size, limits)
    try:
        with path.open("rb") as raw, gzip.GzipFile(fileobj=raw) as stream:
            reader = _Reader(stream)
            for entry in _entries(reader):
                name = register.admit(entry)
                if entry.refused == _KINDS[b"S"]:
                    refusals.finish()  # what follows is not told by the header alone
                content = reader.content(entry.size)
                if keep and name is not None and not entry.is_folder:
                    store_file(content, archive, name, budget, limits.entry)
                for block in content:  # what is not kept is counted all the same: it may have no end
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
    """The entries of an archive; whoever takes one reads its content before asking for the next."""
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
        if header.kind in (b"x", b"X", b"g", b"L", b"K"):
            if header.size > LONGEST:
                raise _Damaged(f"a header of {header.size} bytes")
            data = reader.exactly(header.size)
            if len(data) < header.size:
                raise EOFError
            reader.skip_padding(header.size)
            if header.kind == b"L":
                long_name = data.rstrip(b"\0")
            elif header.kind == b"g":
                always.update(_extended(data))
            elif header.kind != b"K":
                extended = _extended(data)
            continue
        fields = {**always, **extended}
        name = fields.get("path", long_name if long_name is not None else header.name)
        size = header.size
        if "size" in fields:
            if not fields["size"].isdigit() or len(fields["size"]) > 18:
                raise _Damaged("a size that is no number")
            size = int(fields["size"])
        sparse = any(key.startswith("GNU.sparse") for key in fields)
        long_name, extended = None, {}
        yield _entry(name, size, header.kind, sparse=sparse)


def _entry(raw: bytes, size: int, kind: bytes, *, sparse: bool) -> Entry:
    name = raw.decode("utf-8", "surrogateescape")
    is_folder = kind == b"5" or (kind in _FILES and name.endswith("/"))
    refused = _KINDS.get(kind)
    if sparse:
        refused = _KINDS[b"S"]
    elif kind != b"5" and kind not in _FILES and refused is None:
        refused = f"is of an unknown kind ({quote(kind.decode('latin-1'))})"
    if kind in (b"1", b"2", b"3", b"4", b"6", b"5"):
        size = 0  # whatever the header says, no data follows
    return Entry(name, is_folder, size, refused)


def _header(record: bytes) -> _Header:
    stated = _number(record[148:156])
    # The sum is taken with the field of the sum itself as blanks; some old programs add signed bytes.
    plain = record[:148] + b" " * 8 + record[156:]
    if stated not in (sum(plain), sum(plain) - 256 * sum(byte > 127 for byte in plain)):
        raise _Damaged("a header with a wrong sum")
    name = record[:100].split(b"\0", 1)[0]
    prefix = record[345:500].split(b"\0", 1)[0] if record[257:263] == b"ustar\0" else b""
    return _Header(prefix + b"/" + name if prefix else name, _number(record[124:136]), record[156:157])


def _number(field: bytes) -> int:
    if field[0] & 0x80:  # GNU: a large number in binary
        if field[0] != 0x80:
            raise _Damaged("a negative number")
        return int.from_bytes(field[1:], "big")
    text = field.split(b"\0", 1)[0].strip()
    if not text:
        return 0
    try:
        value = int(text, 8)
    except ValueError:
        raise _Damaged("a field that is no number") from None
    if value < 0:
        raise _Damaged("a negative number")
    return value


def _extended(data: bytes) -> dict[str, bytes]:
    """The fields of an extended header: `length key=value` and a line break, again and again."""
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
