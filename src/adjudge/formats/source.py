"""What every reader needs: the bytes, lines or text of a path, `-` for standard input, bytes, or a stream.

Compressed files (gzip, zstd, xz) are recognized by their content. A reader says with `reads` what it expects; if a file
that it refuses looks like another format, the message says so.
"""

from __future__ import annotations

import errno
import functools
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias, TypeGuard, TypeVar, cast

from adjudge.bounded import PACKED, Unpacked, file_text, finite, packing, unpacked, unpacked_name
from adjudge.errors import AdjudgeError, FormatError, Problem, UsageError, refusal, refusing

if TYPE_CHECKING:
    from pathlib import Path

    from adjudge.findings import Findings

Source: TypeAlias = "str | Path | bytes | IO[bytes]"
F = TypeVar("F", bound=Callable[..., Any])

BOM = b"\xef\xbb\xbf"
COPY = "copy or create the file again"
"""The remedy for a file that cannot be read to its end."""

HEAD = 1 << 16  # bytes that formats are recognized by
_BUFFER = 1 << 18
_BLOCK = 1 << 20  # bytes read at once
_LARGE = 1 << 24
LONGEST = 1 << 24  # bytes in a line of a table; a file without line ends must not fill the memory

_WRITING = (None, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)  # what the system never reports for reading

SUFFIXES = (".jsonl", ".ndjson", ".json", ".parquet")


def source_name(source: Source) -> str:
    """The name of a source in messages."""
    if isinstance(source, bytes):
        return "<bytes>"
    if isinstance(source, str | os.PathLike):
        return "<stdin>" if str(source) == "-" else str(source)
    return str(getattr(source, "name", "<stream>"))


def is_file(source: Source) -> TypeGuard[str | os.PathLike[str]]:
    """Whether a source is the path of an existing file, which can therefore be opened again.

    >>> is_file("no/such/file"), is_file(b"bytes")
    (False, False)
    """
    return isinstance(source, str | os.PathLike) and os.path.isfile(source)  # noqa: PTH113  # see `opened`


def is_blank(source: object) -> bool:
    """Whether a source is a file or bytes with nothing but blanks; False for what can be read only once.

    >>> is_blank(b" \\n"), is_blank(b"x"), is_blank("no/such/file")
    (True, False, False)
    """
    if isinstance(source, bytes):
        return not source.strip()
    if not isinstance(source, str | os.PathLike) or not os.path.isfile(source):  # noqa: PTH113  # never raises
        return False
    if os.path.getsize(source) > _BUFFER:  # noqa: PTH202
        return False
    try:
        with open(source, "rb") as stream:  # noqa: PTH123
            return not stream.read().removeprefix(BOM).strip()
    except OSError:  # its reader will say so
        return False


def find_shards(source: Any, *, suffixes: tuple[str, ...] = SUFFIXES, what: str = "documents") -> list[str] | None:
    """The files of a pattern or folder, in the order of their names; None if the source is one file, or no file.

    >>> find_shards("one.jsonl") is None, find_shards(b"{}") is None
    (True, True)
    """
    if not isinstance(source, str | os.PathLike) or os.path.isfile(source):  # noqa: PTH113  # never raises
        return None
    text = os.fspath(source)
    if os.path.isdir(text):  # noqa: PTH112
        names = sorted(name for name in os.listdir(text) if is_shard(name, suffixes))  # noqa: PTH208
        found = [os.path.join(text, name) for name in names]  # noqa: PTH118
        hint = f"it should have files that end in {', '.join(suffixes)}, plain or with {' or '.join(PACKED)}"
        message = f"the folder has no {what}"
    elif any(character in text for character in "*?["):
        from glob import glob

        found = sorted(path for path in glob(text, recursive=True) if os.path.isfile(path))  # noqa: PTH113, PTH207
        message, hint = "no file has such a name", "check the pattern"
    else:
        return None
    if not found:
        raise UsageError(Problem(message, path=text, hint=hint))
    return found


def is_shard(name: str, suffixes: tuple[str, ...] = SUFFIXES) -> bool:
    """Whether a file of a folder is part of a corpus, judging by its name.

    >>> is_shard("part-0.jsonl.gz"), is_shard("README.md"), is_shard(".part.jsonl")
    (True, False, False)
    """
    return unpacked_name(name).endswith(suffixes) and not name.startswith((".", "_"))


def is_parquet(path: Any) -> bool:
    """Whether this is a Parquet file.

    >>> is_parquet("no such file")
    False
    """
    try:
        with open(path, "rb") as stream:  # noqa: PTH123
            return stream.read(4) == b"PAR1"
    except (OSError, TypeError, ValueError):
        return False


@contextmanager
def opened(source: Source, place: str) -> Iterator[IO[bytes]]:
    """The uncompressed bytes of a source; a failure to read on is reported as a fault of the machine."""
    try:
        with _opened(source, place) as stream:
            yield stream
    except OSError as error:
        if error.errno in _WRITING or error.filename is not None:  # from gzip, another file, or a copy
            raise
        message = f"the file cannot be read: {error.strerror or error}"
        raise refusal(error, Problem(message, path=place, hint="check the disk, or copy the file")) from None


@contextmanager
def _opened(source: Source, place: str) -> Iterator[IO[bytes]]:
    if isinstance(source, bytes):
        yield unpacked(io.BufferedReader(cast("Any", io.BytesIO(source))), place)
    elif isinstance(source, str | os.PathLike) and str(source) != "-":
        try:  # not with pathlib, which takes longer to import than a small file to score
            stream = open(source, "rb")  # noqa: PTH123, SIM115
        except (OSError, ValueError) as error:  # a ValueError means a path with a null character
            _cannot_open(error, place)
        with stream:
            yield unpacked(finite(stream, place), place)
    else:
        if isinstance(source, str | os.PathLike) and sys.stdin is None:
            raise UsageError("standard input is closed", hint="name a file instead of -")
        given: Any = _stdin() if isinstance(source, str | os.PathLike) else source
        if getattr(given, "closed", False):
            raise UsageError(f"{place} is closed", hint="name a file, or give a stream that is open")
        if hasattr(given, "peek"):
            yield unpacked(finite(given, place), place)
        else:
            buffered = io.BufferedReader(given)
            try:
                yield unpacked(finite(buffered, place), place)
            finally:
                buffered.detach()  # otherwise the caller's stream would be closed with ours


class _Replayed(io.RawIOBase):
    """What was peeked at, then the rest of a stream."""

    def __init__(self, start: bytes, rest: Any) -> None:
        self.start, self.rest = start, rest

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return int(self.rest.fileno())

    def readinto(self, room: Any) -> int:
        data = self.start[: len(room)] or self.rest.read1(len(room))
        self.start = self.start[len(data) :]
        room[: len(data)] = data
        return len(data)


_peeked: tuple[Any, bytes, io.BufferedReader] | None = None  # whose standard input it is, as tests replace it


def _stdin() -> Any:
    """Standard input, from its beginning if it was only peeked at."""
    global _peeked
    found, _peeked = _peeked, None
    return sys.stdin.buffer if found is None or found[0] is not sys.stdin else found[2]


def stdin_head(size: int = HEAD) -> bytes:
    """The beginning of standard input, uncompressed; whoever reads standard input reads it again."""
    global _peeked
    if sys.stdin is None:
        return b""
    if _peeked is None or _peeked[0] is not sys.stdin:
        start = sys.stdin.buffer.read(size)
        _peeked = sys.stdin, start, io.BufferedReader(cast("Any", _Replayed(start, sys.stdin.buffer)))
    start = _peeked[1]
    if not packing(start):
        return start
    import zlib

    head = b""
    with suppress(AdjudgeError, EOFError, OSError, zlib.error):  # it breaks off, as only its beginning is here
        stream: Any = unpacked(io.BufferedReader(cast("Any", io.BytesIO(start))), source_name("-"))
        while len(head) < size and (part := stream.read1(size - len(head))):
            head += part
    return head


def read_block(stream: IO[bytes], size: int) -> tuple[bytes, str | None]:
    """The next bytes (none at the end, all if the size is -1), and if the stream breaks, the reason.

    A disk error says nothing about the content: `opened` reports it as a fault of the machine.
    """
    try:
        if size <= _LARGE:
            return stream.read(size), None
        parts = []  # otherwise memory for all of it would be taken at once, however little there is
        while size > 0 and (part := stream.read(min(size, _LARGE))):
            parts.append(part)
            size -= len(part)
        return b"".join(parts), None
    except EOFError:
        return b"", "the compressed file ends too early"
    except OSError as error:
        if error.errno is None:  # from what was compressed
            return b"", f"the compressed file is damaged ({error})"
        raise
    except Exception as error:
        import zlib

        if isinstance(error, zlib.error):
            return b"", f"the compressed file is damaged ({error})"
        raise


def head_of(path: str | os.PathLike[str], size: int = HEAD) -> bytes:
    """The first bytes of a file, uncompressed, as many as can be read."""
    try:
        with opened(os.fspath(path), str(path)) as stream:
            return read_block(stream, size)[0]
    except AdjudgeError:
        return b""


def line_blocks(stream: IO[bytes], size: int, hasher: Any = None, *, longest: int = 1 << 62) -> Iterator[bytes | str]:
    r"""Blocks of whole lines, each without its last newline; a string at the end says why reading broke off.

    >>> list(line_blocks(io.BytesIO(b"a\nb\nc"), 3))
    [b'a', b'b', b'c']
    """
    parts: list[bytes] = []
    if isinstance(stream, Unpacked):  # what is read in one go with the damaged place would be lost
        size = min(size, 1 << 14)
    while True:
        block, broken = read_block(stream, size)
        if broken:
            yield broken
            return
        if not block:
            break
        if hasher is not None:
            hasher.update(block)
        cut = block.rfind(b"\n")
        if cut < 0:
            parts.append(block)
            if sum(map(len, parts)) > longest:
                yield f"a line has more than {longest} bytes"
                return
        else:
            parts.append(block[:cut])
            yield b"".join(parts)
            parts = [block[cut + 1 :]]
    rest = b"".join(parts)
    if rest:
        yield rest


class Line:
    """The number of the line where a block begins; whoever reads the block counts its lines."""

    number = 1


def table_blocks(source: Source, found: Findings, at: Line) -> Iterator[bytes]:
    r"""The lines of a table in blocks, with LF line ends except at the end. Damage is reported to `found`.

    >>> from adjudge.findings import Findings
    >>> list(table_blocks(b"a\r\n\nb\n", Findings("x"), Line()))
    [b'a\n\nb']
    """
    with opened(source, found.place) as stream:
        for data in line_blocks(stream, _BLOCK, longest=LONGEST):
            if isinstance(data, str):
                found.add("damaged", data, at.number, None, COPY)
                return
            if at.number == 1:
                if data.startswith((b"\xff\xfe", b"\xfe\xff")):
                    found.add("encoding", "the file is in UTF-16", 1, 1, "save it as UTF-8")
                    return
                data = data.removeprefix(BOM)
            if b"\r" in data:
                data = data.replace(b"\r\n", b"\n").removesuffix(b"\r")
            yield data


def block_lines(number: int, data: bytes, found: Findings) -> Iterator[tuple[int, str]]:
    r"""The lines of a block, each with its number; bytes that are not text are reported to `found`.

    >>> from adjudge.findings import Findings
    >>> list(block_lines(7, b"a\n\nb", Findings("x")))
    [(7, 'a'), (8, ''), (9, 'b')]
    """
    try:
        yield from enumerate(data.decode().split("\n"), number)
    except UnicodeDecodeError:
        for at, raw in enumerate(data.split(b"\n"), number):
            try:
                yield at, raw.decode()
            except UnicodeDecodeError as error:
                column = len(raw[: error.start].decode()) + 1
                message = f"the byte 0x{raw[error.start]:02x} is not UTF-8"
                found.add("encoding", message, at, column, "save the file as UTF-8")


def read_lines(source: Source, found: Findings) -> Iterator[tuple[int, str]]:
    r"""The lines of a table without their ends, each with its number; bytes that are not text are reported to `found`.

    >>> from adjudge.findings import Findings
    >>> list(read_lines(b"a\r\n\nb", Findings("x")))
    [(1, 'a'), (2, ''), (3, 'b')]
    """
    at = Line()
    for data in table_blocks(source, found, at):
        yield from block_lines(at.number, data, found)
        at.number += data.count(b"\n") + 1


def read_rows(source: Source, found: Findings) -> Iterator[tuple[int, str, list[str]]]:
    r"""The rows of a TAB-separated table: number, line, and fields without surrounding blanks.

    Empty lines, and lines that begin with `#` and have no TAB, are skipped.

    >>> from adjudge.findings import Findings
    >>> list(read_rows(b"# who\n\nana\t ben\n", Findings("x")))
    [(3, 'ana\t ben', ['ana', 'ben'])]
    """
    for number, line in read_lines(source, found):
        if line.strip() and ("\t" in line or not line.startswith("#")):
            yield number, line, [field.strip() for field in line.split("\t")]


def read_bytes(source: Source, place: str) -> bytes:
    """All bytes of a source; `place` is its name in messages."""
    with opened(source, place) as stream:
        data, broken = read_block(stream, -1)
    if broken:
        raise FormatError(Problem(broken, path=place, hint=COPY))
    return data


class Whole(NamedTuple):
    """A source that was read: its name in messages, its uncompressed bytes, and their SHA-256."""

    place: str
    data: bytes
    digest: str


def read_whole(source: Source, *, name: str | None = None) -> Whole:
    """All bytes of a source, with its name and digest.

    >>> read_whole(b"EU B-ORG").data
    b'EU B-ORG'
    """
    import hashlib

    place = name or source_name(source)
    data = read_bytes(source, place)
    return Whole(place, data, hashlib.sha256(data).hexdigest())


def read_text(source: Source, *, name: str | None = None) -> tuple[Whole, str]:
    r"""A source and its UTF-8 text; a byte-order mark is removed, line ends stay as they are.

    >>> read_text(b"caf\xc3\xa9")[1]
    'café'
    """
    whole = read_whole(source, name=name)
    return whole, decode(whole.data.removeprefix(BOM), whole.place)


def decode(data: bytes, place: str) -> str:
    r"""The text of UTF-8 bytes; bytes that are not text are a problem with its place.

    >>> decode(b"a\xff", "x.txt")
    Traceback (most recent call last):
    adjudge.errors.FormatError: x.txt:1:2: the byte 0xff is not UTF-8, save the file as UTF-8
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        from adjudge.model.whereabouts import not_utf8

        raise FormatError(not_utf8(error, place)) from None


def listed_lines(path: str | os.PathLike[str], what: str, hint: str = "check the file") -> list[str]:
    """The lines of a list, such as one of types, that an option names.

    >>> listed_lines(os.devnull, "types")
    []
    """
    with refusing(f"the list of {what} cannot be read", path, hint):
        try:
            return file_text(path).splitlines()
        except UnicodeDecodeError as error:
            from adjudge.model.whereabouts import not_utf8

            raise UsageError(not_utf8(error, os.fspath(path))) from None


def reads(what: str, *kinds: str, reader_option: bool = False) -> Callable[[F], F]:
    """Declare what a reader expects (see `recognise.Expected`); its first argument is the source."""

    def marked(read: F) -> F:
        @functools.wraps(read)
        def reading(source: Source, *rest: Any, **options: Any) -> Any:
            start = peeked(source)
            try:
                return read(source, *rest, **options)
            except AdjudgeError as error:
                from adjudge.formats.recognise import Expected, recognised

                raise recognised(error, source, Expected(what, kinds, reader_option), start) from None

        return cast("F", reading)

    return marked


def peeked(source: Source) -> bytes | None:
    """The beginning of a stream, which cannot be looked at later; None for sources that can."""
    if isinstance(source, bytes) or (isinstance(source, str | os.PathLike) and str(source) != "-"):
        return None
    if isinstance(source, str | os.PathLike) and _peeked is not None and _peeked[0] is sys.stdin:
        return _peeked[1]
    stream: Any = source if not isinstance(source, str | os.PathLike) else getattr(sys.stdin, "buffer", None)
    try:
        return bytes(stream.peek(HEAD)[:HEAD])
    except (AttributeError, OSError, ValueError):
        return b""


def _cannot_open(error: OSError | ValueError, place: str) -> NoReturn:
    remedies: dict[type[Exception], tuple[str, str]] = {
        FileNotFoundError: ("there is no such file", "check the path"),
        IsADirectoryError: ("this is a folder", "name the file in it"),
        PermissionError: ("no permission to read the file", "check its permissions"),
    }
    reason = getattr(error, "strerror", None) or str(error)
    message, hint = remedies.get(type(error), (f"the file cannot be read: {reason}", "check the path"))
    raise refusal(error, Problem(message, path=place, hint=hint)) from None
