"""Streams with limits: a device or a pipe without an end, or a compressed file that unpacks to too much, is refused."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Callable
from functools import partial
from typing import IO, Any, cast

from adjudge.errors import FormatError, Problem

RATIO = 200  # how many times its size a compressed file may unpack to, beyond SMALL
SMALL = 1 << 26
PIPED = 1 << 28  # bytes that come through a pipe or from a terminal; it may have no end
_BUFFER = 1 << 18
_PIECE = 1 << 9  # compressed bytes unpacked at once; every four of them may stand for 128 kB of zstd
_XZ_MEMORY = 1 << 28  # bytes that unpacking may take; `xz -9` asks for a quarter of them

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
XZ = b"\xfd7zX"
PACKED = (".gz", ".zst", ".xz")


def packing(start: bytes) -> str:
    r"""What a file that begins like this is compressed with; empty if it is not.

    >>> packing(b"\x1f\x8b\x08"), packing(b"{}")
    ('gzip', '')
    """
    return next((name for magic, name in ((GZIP, "gzip"), (ZSTD, "zstd"), (XZ, "xz")) if start.startswith(magic)), "")


def unpacked_name(name: str) -> str:
    """The name of a file without the ending of its compression.

    >>> unpacked_name("a.jsonl.gz"), unpacked_name("a.bio")
    ('a.jsonl', 'a.bio')
    """
    return next((name.removesuffix(each) for each in PACKED if name.endswith(each)), name)


def unpacked(stream: Any, place: str) -> IO[bytes]:
    """The stream, or what is compressed in it; it never seeks, because a pipe cannot."""
    packed = packing(stream.peek(4)[:4])
    if not packed:
        return cast("IO[bytes]", stream)
    counted = _Counted(stream)
    if packed != "gzip":
        frames = _Frames(counted, *(_zstd(place) if packed == "zstd" else _xz(place)))
        return cast("IO[bytes]", Unpacked(frames, counted, place))
    from gzip import GzipFile  # imported here, as most files are not compressed

    return cast("IO[bytes]", Unpacked(GzipFile(fileobj=cast("Any", counted)), counted, place))


class _Counted:
    """A stream that counts how much was read from it."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.count = 0

    def read(self, size: int) -> bytes:
        data: bytes = self.stream.read(size)
        self.count += len(data)
        return data


class _Bounded(io.RawIOBase):
    """What a stream gives, unless it is more than `most`: what has no end, or a bomb, would fill the memory."""

    def __init__(self, inner: Any, most: Callable[[], int], problem: Problem) -> None:
        self.inner = inner
        self.most = most
        self.problem = problem
        self.total = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.inner.read1(len(buffer))
        size = len(data)
        buffer[:size] = data
        self.total += size
        if self.total > self.most():
            raise FormatError(self.problem)
        return size


class Unpacked(io.BufferedReader):
    """The uncompressed bytes of another stream."""

    def __init__(self, inner: Any, counted: _Counted, place: str) -> None:
        message = f"the compressed file unpacks to more than {RATIO} times its size"
        problem = Problem(message, path=place, hint="check how it was made, or unpack it yourself")
        super().__init__(_Bounded(inner, lambda: max(SMALL, RATIO * counted.count), problem), _BUFFER)


def finite(stream: Any, place: str) -> Any:
    """The stream if it is a file or in memory, otherwise what it gives within limits; of devices, only what ends."""
    try:
        found = os.fstat(stream.fileno())
    except (AttributeError, OSError, ValueError):
        return stream
    if stat.S_ISREG(found.st_mode):
        return stream
    if stat.S_ISCHR(found.st_mode) or stat.S_ISBLK(found.st_mode):
        if found.st_rdev == os.stat(os.devnull).st_rdev:  # noqa: PTH116  # pathlib is slow to load
            return stream
        if not stream.isatty():
            raise FormatError(Problem("this is a device, which may have no end", path=place, hint="name a file"))
    message = f"more than {PIPED >> 20} MiB came through a pipe, which may have no end"
    problem = Problem(message, path=place, hint="write it to a file, and name that")
    return io.BufferedReader(_Bounded(stream, lambda: PIPED, problem), _BUFFER)


def file_bytes(path: str | os.PathLike[str]) -> bytes:
    """All bytes of a file as they stand, if it comes to an end; OSError and ValueError are left to the caller.

    >>> file_bytes(os.devnull)
    b''
    """
    with open(path, "rb") as stream:  # noqa: PTH123
        return bytes(finite(stream, os.fspath(path)).read())


def file_text(path: str | os.PathLike[str]) -> str:
    """The same as text in UTF-8, in which lines end with a newline; a byte-order mark is removed."""
    return io.TextIOWrapper(io.BytesIO(file_bytes(path)), "utf-8-sig").read()


def _zstd(place: str) -> tuple[Callable[[], Any], type[Exception]]:
    try:
        import zstandard
    except ImportError:
        hint = "install it with: pip install 'adjudge[zst]', or unpack the file"
        message = "the file is compressed with zstd, and zstandard is not installed"
        raise FormatError(Problem(message, path=place, hint=hint)) from None
    return zstandard.ZstdDecompressor().decompressobj, zstandard.ZstdError


def _xz(place: str) -> tuple[Callable[[], Any], type[Exception]]:
    try:
        import lzma
    except ImportError:  # where Python was built without it
        message = "the file is compressed with xz, which this Python cannot unpack"
        raise FormatError(Problem(message, path=place, hint="unpack the file")) from None
    return partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, _XZ_MEMORY), lzma.LZMAError


class _Frames:
    """The frames of a zstd or xz stream; a damaged one raises OSError, a truncated one EOFError, as with gzip."""

    def __init__(self, stream: _Counted, new: Callable[[], Any], errors: type[Exception]) -> None:
        self.stream = stream
        self.errors = errors
        self.new = new
        self.frame: Any = None  # the one that has begun
        self.packed = self.unpacked = b""

    def read1(self, size: int) -> bytes:
        while not self.unpacked:
            self.packed = self.packed or self.stream.read(_PIECE)
            if not self.packed:
                if self.frame is not None:
                    raise EOFError
                return b""
            self.frame = self.frame or self.new()
            try:
                self.unpacked = self.frame.decompress(self.packed)
            except self.errors as error:
                raise OSError(str(error)) from None
            self.packed = b""
            if self.frame.eof:
                self.packed, self.frame = self.frame.unused_data, None
        data, self.unpacked = self.unpacked[:size], self.unpacked[size:]
        return data
