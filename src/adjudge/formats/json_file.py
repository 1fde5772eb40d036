"""Files with one JSON or TOML value, with the places of their faults, and the first values of any JSON."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

import msgspec

from adjudge.errors import FormatError, Problem
from adjudge.formats.source import Source, Whole, read_text, read_whole
from adjudge.model.whereabouts import json_place, place_at, toml_place

_SAMPLE = 200  # documents that are examined


def read_json(source: Source, *, name: str | None = None) -> tuple[Whole, Any]:
    """A source and its JSON value, which is one value rather than JSON lines.

    >>> read_json(b'[{"title": "T"}]')[1]
    [{'title': 'T'}]
    """
    whole, text = read_text(source, name=name)
    try:
        return whole, msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        raise FormatError(_placed_fault(text, whole.place)) from None


def json_values(text: str) -> list[Any]:
    r"""The first values of JSON lines or of an array, as many as can be read, or the one value that a text is.

    >>> json_values('{"a": 1}\n{"a": 2'), json_values('[{"a": 1}, {"a"')
    ([{'a': 1}], [{'a': 1}])
    """
    decoder = json.JSONDecoder()
    text = text.lstrip()
    values: list[Any] = []
    at = 1 if text[:1] == "[" and not re.match(r"\[.*\]\s*\n\s*\[", text) else 0
    while len(values) < _SAMPLE:
        while at < len(text) and (text[at].isspace() or text[at] == ","):
            at += 1
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            line = text.find("\n", at)
            if line < 0 or text[:1] == "[":
                break
            at = line
            continue
        values.append(value)
    return values


def read_folder_digest(source: Source) -> str:
    """The SHA-256 of a source, or of all files of a folder with their names.

    >>> read_folder_digest(b"")[:8]
    'e3b0c442'
    """
    if not isinstance(source, str | os.PathLike) or not os.path.isdir(source):  # noqa: PTH112
        return read_whole(source).digest
    import hashlib
    from pathlib import Path

    digest = hashlib.sha256()
    for file in sorted(path for path in Path(source).rglob("*") if path.is_file()):
        digest.update(f"{file.relative_to(source).as_posix()}\n{read_whole(file).digest}\n".encode())
    return digest.hexdigest()


def json_problem(whole: Whole, path: str | Iterable[str | int], message: str, hint: str | None = None) -> Problem:
    """A problem with the value at a path (`$.labels[0]`) of a JSON file.

    >>> print(json_problem(read_whole(b'[{"title": 5}]', name="a.json"), "$[0].title", "expected a string", "quote it"))
    a.json:1:12: expected a string, quote it
    """
    line, column = json_place(whole.data.decode("utf-8-sig"), path)
    return Problem(message, path=whole.place, line=line, column=column, hint=hint)


def parse_json(text: str, place: str, *, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """The value of JSON, as the standard library reads it; `pairs` makes the objects.

    >>> parse_json("[1 2]", "a.json")
    Traceback (most recent call last):
    adjudge.errors.FormatError: a.json:1:4: malformed JSON (expecting ',' delimiter), fix the file
    """
    try:
        return json.loads(text, object_pairs_hook=pairs)
    except (ValueError, RecursionError):
        raise FormatError(_placed_fault(text, place)) from None


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
        raise FormatError(Problem("lists are nested too deeply", place, 1, hint="flatten them")) from None
    except ValueError as error:  # a number or a date that Python does not hold
        found = _LONG_NUMBER.search(text)
        raise FormatError(
            Problem(f"this is not TOML: {error}", place, *place_at(text, found.start() if found else 0), "fix it")
        ) from None


def json_fault(text: str, what: str = "file") -> tuple[str, int | None, str]:
    """The fault in a file or line that is not JSON, its offset, and the remedy.

    >>> json_fault('{"a": [1,', "line")
    ('malformed JSON (the line ends in the middle of a value)', 9, 'complete the line')
    >>> json_fault('{"a": [1, ]}', "line")
    ('malformed JSON (a comma before the closing bracket)', 8, 'remove the comma')
    """
    text = text.rstrip()
    try:
        json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        if error.pos >= len(text) or error.msg.startswith("Unterminated string"):
            return f"malformed JSON (the {what} ends in the middle of a value)", error.pos, f"complete the {what}"
        comma = len(text[: error.pos].rstrip()) - 1
        if (
            comma >= 0 and text[comma] == "," and text[error.pos :].lstrip()[:1] in ("}", "]")
        ):  # releases of Python differ here
            return "malformed JSON (a comma before the closing bracket)", comma, "remove the comma"
        return f"malformed JSON ({error.msg[:1].lower()}{error.msg[1:]})", error.pos, f"fix the {what}"
    except _Constant as constant:
        at = next(match.start() for match in _TOKEN.finditer(text) if match[0].startswith(str(constant)))
        return f"{constant} is not JSON", at, "write null or a number"
    except RecursionError:
        return "the JSON is nested too deeply", None, "flatten it"
    except ValueError as error:  # an integer too long for Python to convert
        found = _LONG_NUMBER.search(text)
        return f"malformed JSON ({error})", found and found.start(), "write numbers within usual limits"
    # Python accepts it, but there is a number beyond float64, or half of a surrogate pair.
    for match in _TOKEN.finditer(text):
        if match[0][0] in "-0123456789" and float(match[0]) in (float("inf"), float("-inf")):
            return f"the number {match[0]} is too large", match.start(), "write null or a smaller number"
    found = re.search(r"\\u[dD][89a-fA-F]", text)
    return "a string has half of a surrogate pair", found and found.start(), "write the whole character"


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s",:\[\]{}]+')
_LONG_NUMBER = re.compile(r"[0-9][0-9_]{300,}|[0-9.]+[eE][0-9]{3,}")


class _Constant(Exception):
    """NaN, Infinity or -Infinity, which Python accepts although they are not JSON."""


def _no_constant(name: str) -> NoReturn:
    raise _Constant(name)


def _placed_fault(text: str, place: str) -> Problem:
    message, offset, hint = json_fault(text)
    line, column = place_at(text, offset) if offset is not None else (1, None)
    return Problem(message, place, line, column, hint)
