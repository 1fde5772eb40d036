"""Files that are read at once: their text, their JSON or TOML, and a digest of their bytes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from adjudge.errors import FormatError, Problem
from adjudge.formats.source import Source, opened, read_block, source_name
from adjudge.model.whereabouts import json_place, place_at, toml_place


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
    data = read_bytes(source, place)
    return Whole(place, data, hashlib.sha256(data).hexdigest())


def read_bytes(source: Source, place: str) -> bytes:
    """The bytes alone; `place` is how messages call the source."""
    blocks: list[bytes] = []
    with opened(source, place) as stream:
        while True:
            block, broken = read_block(stream, 1 << 20)
            if broken:
                raise FormatError(Problem(broken, path=place, hint="copy or create the file again"))
            if not block:
                return b"".join(blocks)
            blocks.append(block)


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


def json_problem(whole: Whole, path: str | Iterable[str | int], message: str, hint: str | None = None) -> Problem:
    """A complaint about the value at a path (`$.labels[0]`) of a file that is JSON.

    >>> print(json_problem(read_whole(b'[{"title": 5}]', name="a.json"), "$[0].title", "expected a string", "quote it"))
    a.json:1:12: expected a string, quote it
    """
    line, column = json_place(whole.data.decode("utf-8-sig"), path)
    return Problem(message, path=whole.place, line=line, column=column, hint=hint)


def parse_json(text: str, place: str, *, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """The value of JSON, as the standard library reads it; `pairs` makes the objects.

    >>> parse_json("[1,", "a.json")
    Traceback (most recent call last):
    adjudge.errors.FormatError: a.json:1:4: this is not JSON: expecting value, fix the file
    """
    import json

    try:
        return json.loads(text, object_pairs_hook=pairs)
    except (ValueError, RecursionError):
        raise FormatError(_syntax(text, place)) from None


def parse_toml(text: str, place: str) -> dict[str, Any]:
    """The tables of TOML.

    >>> parse_toml("a = ", "a.toml")
    Traceback (most recent call last):
    adjudge.errors.FormatError: a.toml:1:5: this is not TOML: Invalid value, values are true, false, numbers, ...
    """
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        said, (line, column) = toml_place(str(error), text)
        hint = "values are true, false, numbers, or in quotes"
        raise FormatError(Problem(f"this is not TOML: {said}", place, line, column, hint)) from None
    except RecursionError:
        raise FormatError(Problem("lists are nested too deeply", place, 1, hint="write them more simply")) from None
    except ValueError as error:  # a number or a date that Python does not hold
        raise FormatError(Problem(f"this is not TOML: {error}", place, *_long_number(text), "fix it")) from None


def _syntax(text: str, place: str) -> Problem:
    """Where JSON is broken, from the decoder of the standard library, which tells the place."""
    import json

    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        message = f"this is not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        return Problem(message, path=place, line=error.lineno, column=error.colno, hint="fix the file")
    except RecursionError:
        return Problem("this JSON cannot be read", path=place, line=1, hint="it is nested too deeply: flatten it")
    except ValueError:  # an integer that is too long for Python to convert
        pass
    hint = "write numbers within usual limits, and whole characters"
    return Problem("this JSON cannot be read", place, *_long_number(text), hint)


def _long_number(text: str) -> tuple[int, int]:
    found = re.search(r"[0-9][0-9_]{300,}|[0-9.]+[eE][0-9]{3,}|\\u[dD][89a-fA-F]", text)
    return place_at(text, found.start() if found else 0)
