"""Where bytes come from: a path, `-` for standard input, bytes, or a stream; plain, gzip or zstd, told by content."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, NoReturn, TypeAlias, TypeGuard, cast

from adjudge.errors import FormatError, Problem, UsageError

if TYPE_CHECKING:
    from pathlib import Path

Source: TypeAlias = "str | Path | bytes | IO[bytes]"

RATIO = 200  # times the size of a compressed file that may come out of it, if that is more than SMALL
SMALL = 1 << 26
_BUFFER = 1 << 18

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"


def source_name(source: Source) -> str:
    """How messages call a source."""
    if isinstance(source, bytes):
        return "<bytes>"
    if isinstance(source, str | os.PathLike):
        return "<stdin>" if str(source) == "-" else str(source)
    return str(getattr(source, "name", "<stream>"))


def is_file(source: Source) -> TypeGuard[str | os.PathLike[str]]:
    """Whether a source is the path of a file that is there, and can therefore be opened again.

    >>> is_file("no/such/file"), is_file(b"bytes")
    (False, False)
    """
    return isinstance(source, str | os.PathLike) and os.path.isfile(source)  # noqa: PTH113  # see `opened`


def is_blank(source: object) -> bool:
    """Whether a source is a file or bytes without anything but blanks; what can be read only once is none.

    >>> is_blank(b" \\n"), is_blank(b"x"), is_blank("no/such/file")
    (True, False, False)
    """
    if isinstance(source, bytes):
        return not source.strip()
    if not isinstance(source, str | os.PathLike) or not os.path.isfile(source):  # noqa: PTH113  # never raises
        return False
    if os.path.getsize(source) > _BUFFER:  # noqa: PTH202
        return False
    with open(source, "rb") as stream:  # noqa: PTH123
        return not stream.read().removeprefix(b"\xef\xbb\xbf").strip()


@contextmanager
def opened(source: Source, place: str) -> Iterator[IO[bytes]]:
    """The uncompressed bytes of a source."""
    if isinstance(source, bytes):
        yield _unpacked(io.BufferedReader(cast("Any", io.BytesIO(source))), place)
    elif isinstance(source, str | os.PathLike) and str(source) != "-":
        try:  # not with pathlib, which takes longer to load than a small file to score
            stream = open(source, "rb")  # noqa: PTH123, SIM115
        except (OSError, ValueError) as error:  # a ValueError is a path with a null character
            _cannot_open(error, place)
        with stream:
            yield _unpacked(stream, place)
    else:
        if isinstance(source, str | os.PathLike) and sys.stdin is None:
            raise UsageError("standard input is closed", hint="name a file instead of -")
        given: Any = sys.stdin.buffer if isinstance(source, str | os.PathLike) else source
        if hasattr(given, "peek"):
            yield _unpacked(given, place)
        else:
            buffered = io.BufferedReader(given)
            try:
                yield _unpacked(buffered, place)
            finally:
                buffered.detach()  # else the caller's stream would be closed with ours


def read_block(stream: IO[bytes], size: int) -> tuple[bytes, str | None]:
    """The next bytes (none at the end), and why there can be no more if the stream breaks."""
    try:
        return stream.read(size), None
    except EOFError:
        return b"", "the compressed file ends too early"
    except OSError as error:  # also a damaged gzip header
        return b"", f"the file cannot be read ({error.strerror or error})"
    except Exception as error:
        import zlib

        if isinstance(error, zlib.error):
            return b"", f"the compressed file is damaged ({error})"
        raise


def line_blocks(stream: IO[bytes], size: int, hasher: Any = None) -> Iterator[bytes | str]:
    r"""Blocks of whole lines, each without its last newline; a string says why the stream broke.

    >>> list(line_blocks(io.BytesIO(b"a\nb\nc"), 3))
    [b'a', b'b', b'c']
    """
    parts: list[bytes] = []
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
        else:
            parts.append(block[:cut])
            yield b"".join(parts)
            parts = [block[cut + 1 :]]
    rest = b"".join(parts)
    if rest:
        yield rest


def _cannot_open(error: OSError | ValueError, place: str) -> NoReturn:
    remedies: dict[type[Exception], tuple[str, str]] = {
        FileNotFoundError: ("there is no such file", "check the path"),
        IsADirectoryError: ("this is a folder", "name the file in it"),
        PermissionError: ("the file may not be read", "check its permissions"),
    }
    reason = getattr(error, "strerror", None) or str(error)
    message, hint = remedies.get(type(error), (f"the file cannot be read: {reason}", "check the path"))
    raise UsageError(Problem(message, path=place, hint=hint)) from None


def _unpacked(stream: Any, place: str) -> IO[bytes]:
    """The stream, or what is compressed in it; never a seek, because a pipe has none."""
    start = stream.peek(4)[:4]
    if start == ZSTD:
        return _zstd(stream, place)
    if start[:2] != GZIP:
        return cast("IO[bytes]", stream)
    from gzip import GzipFile  # not at the top: most files are not compressed

    counted = _Counted(stream)
    return cast("IO[bytes]", Unpacked(GzipFile(fileobj=cast("Any", counted)), counted, place))


class _Counted:
    """A stream that knows how much was read of it."""

    def __init__(self, stream: Any, watch: Callable[[bytes], None] | None = None) -> None:
        self.stream = stream
        self.count = 0
        self._watch = watch

    def read(self, size: int) -> bytes:
        data: bytes = self.stream.read(size)
        self.count += len(data)
        if self._watch is not None:
            self._watch(data)
        return data


class _Bounded(io.RawIOBase):
    """What comes out of a compressed file, as long as it is not out of all proportion: a bomb would fill the memory."""

    def __init__(self, inner: Any, counted: _Counted, place: str) -> None:
        self.inner = inner
        self.counted = counted
        self.place = place
        self.total = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.inner.read1(len(buffer))
        size = len(data)
        buffer[:size] = data
        self.total += size
        if self.total > SMALL and self.total > RATIO * self.counted.count:
            message = f"the compressed file unpacks to more than {RATIO} times its size"
            raise FormatError(Problem(message, path=self.place, hint="check how it was made, or unpack it yourself"))
        return size


class Unpacked(io.BufferedReader):
    """The bytes that were compressed in another stream."""

    def __init__(self, inner: Any, counted: _Counted, place: str) -> None:
        super().__init__(_Bounded(inner, counted, place), _BUFFER)


def _zstd(stream: Any, place: str) -> IO[bytes]:
    try:
        from zstandard import ZstdDecompressor, ZstdError
    except ImportError:
        hint = "install it with: pip install 'adjudge[zst]', or unpack the file"
        message = "the file is compressed with zstd, and zstandard is not installed"
        raise FormatError(Problem(message, path=place, hint=hint)) from None

    frames = Frames()
    counted = _Counted(stream, frames.feed)
    inner = ZstdDecompressor().stream_reader(cast("Any", counted), read_across_frames=True, closefd=False)

    class Whole:
        """A damaged stream is an OSError and one that was cut off an EOFError, as with gzip."""

        def read1(self, size: int) -> bytes:
            try:
                data = bytes(inner.read(size))
            except ZstdError as error:
                raise OSError(f"the compressed file is damaged: {error}") from None
            if not data and not frames.whole:
                raise EOFError
            return data

    return cast("IO[bytes]", Unpacked(Whole(), counted, place))


FRAME = 0xFD2FB528
_SKIPPABLE = range(0x184D2A50, 0x184D2A60)
_CHECKSUM = 4


class Frames:
    """Follows compressed bytes as they pass by; `whole` tells whether they end where a frame does.

    >>> frames = Frames()
    >>> frames.feed(b"\\x28\\xb5\\x2f\\xfd\\x20\\x01\\x09\\x00")
    >>> frames.whole
    False
    >>> frames.feed(b"\\x00x")
    >>> frames.whole
    True
    """

    def __init__(self) -> None:
        self._state = self._magic
        self._need = 4
        self._held = b""
        self._skip = 0
        self._sum = 0

    @property
    def whole(self) -> bool:
        """Whether nothing has begun that has not ended."""
        return self._state == self._magic and not self._held and not self._skip

    def feed(self, data: bytes) -> None:
        """Take in the next bytes."""
        at = 0
        while at < len(data):
            if self._skip:
                step = min(self._skip, len(data) - at)
                self._skip -= step
                at += step
                continue
            part = data[at : at + self._need - len(self._held)]
            self._held += part
            at += len(part)
            if len(self._held) == self._need:
                value, self._held = int.from_bytes(self._held, "little"), b""
                self._state(value)

    def _magic(self, value: int) -> None:
        if value in _SKIPPABLE:
            self._state, self._need = self._skippable, 4
        elif value == FRAME:
            self._state, self._need = self._descriptor, 1
        # Anything else is no frame, of which the library will say more.

    def _skippable(self, value: int) -> None:
        self._skip = value
        self._state, self._need = self._magic, 4

    def _descriptor(self, value: int) -> None:
        single = value >> 5 & 1
        self._sum = _CHECKSUM if value >> 2 & 1 else 0
        self._skip = (1 - single) + (0, 1, 2, 4)[value & 3] + (single, 2, 4, 8)[value >> 6]
        self._state, self._need = self._block, 3

    def _block(self, value: int) -> None:
        repeated = (value >> 1 & 3) == 1
        self._skip = 1 if repeated else value >> 3
        if value & 1:  # the last one
            self._skip += self._sum
            self._state, self._need = self._magic, 4
