"""Where bytes come from: a path, `-` for standard input, bytes, or a stream; plain, gzip or zstd, told by content."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, NoReturn, TypeAlias, TypeGuard, cast

from adjudge.errors import FormatError, Problem, UsageError

if TYPE_CHECKING:
    from pathlib import Path

Source: TypeAlias = "str | Path | bytes | IO[bytes]"

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

    return cast("IO[bytes]", GzipFile(fileobj=stream))


def _zstd(stream: Any, place: str) -> IO[bytes]:
    try:
        from zstandard import ZstdDecompressor, ZstdError
    except ImportError:
        hint = "install it with: pip install 'adjudge[zst]', or unpack the file"
        message = "the file is compressed with zstd, and zstandard is not installed"
        raise FormatError(Problem(message, path=place, hint=hint)) from None

    class Unpacked(io.RawIOBase):
        """A damaged stream is an OSError, as with gzip."""

        def __init__(self) -> None:
            self.inner = ZstdDecompressor().stream_reader(stream, read_across_frames=True, closefd=False)

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            try:
                return int(self.inner.readinto(buffer))
            except ZstdError as error:
                raise OSError(f"the compressed file is damaged: {error}") from None

    return cast("IO[bytes]", io.BufferedReader(Unpacked(), 1 << 17))
