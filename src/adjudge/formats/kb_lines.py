"""The lines of large text files, in blocks: decoded, numbered, and with a complaint about each that is no text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from adjudge.formats.findings import Findings
from adjudge.formats.source import Source, opened, read_block

BLOCK = 1 << 20  # bytes read at once
LONGEST = 1 << 24  # bytes of a line; a file without line ends must not fill the memory


def _numbered_blocks(source: Source, found: Findings) -> Iterator[tuple[int, bytes]]:
    """Blocks of whole lines, each with the number of its first line; what is wrong with the bytes goes to `found`."""
    number = 1
    with opened(source, found.place) as stream:
        for data, broken in _blocks(stream):
            if broken:
                found.add("damaged", broken, number, None, "copy or create the file again")
            if number == 1:
                if data.startswith((b"\xff\xfe", b"\xfe\xff")):
                    found.add("encoding", "the file is in UTF-16", 1, 1, "save it as UTF-8")
                    return
                data = data.removeprefix(b"\xef\xbb\xbf")
            yield number, data
            number += data.count(b"\n")


def read_lines(source: Source, found: Findings) -> Iterator[tuple[int, str]]:
    r"""The lines of a file without their ends, each with its number; lines with wrong bytes are left out.

    >>> list(read_lines(b"a\r\n\nb", Findings("x")))
    [(1, 'a'), (2, ''), (3, 'b')]
    """
    for first, data in _numbered_blocks(source, found):
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").removesuffix(b"\r")
        if data.endswith(b"\n"):
            data = data[:-1]
        try:
            yield from enumerate(data.decode().split("\n"), first)
        except UnicodeDecodeError:
            for number, raw in enumerate(data.split(b"\n"), first):
                line = _decode(raw, number, found)
                if line is not None:
                    yield number, line


def _decode(raw: bytes, number: int, found: Findings) -> str | None:
    """The text of a line in UTF-8, or None and a finding."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        column = len(raw[: error.start].decode()) + 1
        message = f"the byte 0x{raw[error.start]:02x} is not UTF-8"
        found.add("encoding", message, number, column, "save the file as UTF-8")
        return None


def _blocks(stream: IO[bytes]) -> Iterator[tuple[bytes, str | None]]:
    """Blocks of whole lines; why there are no more, if the stream breaks."""
    rest = b""
    while True:
        data, broken = read_block(stream, BLOCK)
        if not data or broken:
            if rest or broken:
                yield rest, broken
            return
        end = data.rfind(b"\n") + 1
        if end:
            yield rest + data[:end], None
            rest = data[end:]
        else:
            rest += data
            if len(rest) > LONGEST:
                yield rest[:100], f"a line has more than {LONGEST} bytes"
                return
