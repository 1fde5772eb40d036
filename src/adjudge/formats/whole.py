"""Files that are read at once: their text, their JSON, and a digest of their bytes."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from adjudge.errors import FormatError, Problem
from adjudge.formats.source import Source, opened, read_block, source_name


class Whole(NamedTuple):
    """A source that was read: how messages call it, its bytes without compression, and their SHA-256."""

    place: str
    data: bytes
    digest: str


def read_whole(source: Source, *, name: str | None = None) -> Whole:
    """All bytes of a source.

    >>> read_whole(b"EU B-ORG").data
    b'EU B-ORG'
    """
    place = name or source_name(source)
    with opened(source, place) as stream:
        blocks: list[bytes] = []
        while True:
            block, broken = read_block(stream, 1 << 24)
            if broken:
                raise FormatError(Problem(broken, path=place, hint="copy or create the file again"))
            if not block:
                break
            blocks.append(block)
    data = b"".join(blocks)
    return Whole(place, data, hashlib.sha256(data).hexdigest())


def read_text(source: Source, *, name: str | None = None) -> tuple[Whole, str]:
    r"""A source and its text, which is UTF-8; a byte-order mark is taken away, line ends stay as they are.

    >>> read_text(b"caf\xc3\xa9")[1]
    'café'
    """
    whole = read_whole(source, name=name)
    try:
        return whole, whole.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = whole.data[: error.start]
        line, column = before.count(b"\n") + 1, len(before) - (before.rfind(b"\n") + 1) + 1
        message = f"byte 0x{whole.data[error.start]:02x} is not UTF-8"
        problem = Problem(message, path=whole.place, line=line, column=column, hint="save the file as UTF-8")
        raise FormatError(problem) from None


def read_json(source: Source, *, name: str | None = None) -> tuple[Whole, Any]:
    """A source and the value of its JSON, which is one value and not lines of them.

    >>> read_json(b'[{"title": "T"}]')[1]
    [{'title': 'T'}]
    """
    whole, text = read_text(source, name=name)
    try:
        return whole, msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        raise FormatError(_syntax(text, whole.place)) from None


def read_folder_digest(source: Source) -> str:
    """The SHA-256 of a source, or of all files of a folder with their names.

    >>> read_folder_digest(b"")[:8]
    'e3b0c442'
    """
    if not isinstance(source, str | Path) or not Path(source).is_dir():
        return read_whole(source).digest
    digest = hashlib.sha256()
    for file in sorted(path for path in Path(source).rglob("*") if path.is_file()):
        digest.update(f"{file.relative_to(source).as_posix()}\n{read_whole(file).digest}\n".encode())
    return digest.hexdigest()


def _syntax(text: str, place: str) -> Problem:
    """Where JSON is broken, from the decoder of the standard library, which tells the place."""
    import json

    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        message = f"this is not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        return Problem(message, path=place, line=error.lineno, column=error.colno, hint="mend the file")
    except RecursionError:
        pass
    return Problem("this JSON cannot be read", path=place, hint="flatten it, and write numbers within usual limits")
