"""Places in a text: of a value of JSON, a name, or a byte that cannot be decoded."""

from __future__ import annotations

import json
import re
from ast import literal_eval
from collections.abc import Iterable
from typing import TypeAlias

from adjudge.errors import Problem

Place: TypeAlias = tuple[int, int]
"""A line and a column, from 1, in characters."""

_SPACE = re.compile(r"[ \t\n\r]*")


def place_at(text: str, offset: int) -> Place:
    r"""The place of the character at an offset.

    >>> place_at("ab\ncd", 4)
    (2, 2)
    """
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def not_utf8(error: UnicodeDecodeError, path: str, *, hint: str = "save the file as UTF-8") -> Problem:
    r"""The problem of a byte that cannot be decoded; the whole file must have been decoded at once.

    >>> try: b"ab\nc\xff".decode()
    ... except UnicodeDecodeError as error: print(not_utf8(error, "a.txt"))
    a.txt:2:2: the byte 0xff is not UTF-8, save the file as UTF-8
    """
    before = bytes(error.object[: error.start])
    line = before.count(b"\n") + 1
    column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
    return Problem(f"the byte 0x{error.object[error.start]:02x} is not UTF-8", path, line, column, hint)


def find_name(text: str, *names: str) -> Place:
    r"""The place of the last of several names, each after the one before; names that are not found are skipped.

    For formats whose parser does not give places. The beginning of the text if none is found.

    >>> find_name('[types]\nA = ["x"]\n[other]\nA = 1', "other", "A")
    (4, 1)
    """
    at = found = 0
    for name in names:
        match = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)").search(text, at) if name else None
        if match:
            found, at = match.start(), match.end()
    return place_at(text, found)


def toml_place(message: str, text: str) -> tuple[str, Place]:
    """The message of the TOML parser without the place, and the place.

    >>> toml_place("Invalid value (at line 3, column 7)", "")
    ('Invalid value', (3, 7))
    """
    said = re.sub(r"\s*\(at [^()]*\)$", "", message)
    match = re.search(r"\(at line (\d+), column (\d+)\)$", message)
    return said, (int(match[1]), int(match[2])) if match else place_at(text, len(text))


def json_place(text: str, path: str | Iterable[str | int]) -> Place:
    r"""The place of the value at a path of valid JSON, or of the last value on the way if the path does not exist.

    >>> json_place('{"a":\n [1, 2]}', "$.a[1]")
    (2, 6)
    """
    return place_at(text, locate(text, split_path(path) if isinstance(path, str) else path) - 1)


def locate(text: str, path: Iterable[str | int]) -> int:
    """Where the value at `path` starts in valid JSON, from 1, in characters: in one line, its column.

    If the path does not exist, the start of the last value on the way.

    >>> locate('{"id": "a", "spans": [{"start": 1}]}', ("spans", 0, "start"))
    33
    >>> locate('{"id": "a", "spans": [{"start": 1}]}', ("spans", 0, "end"))
    23
    """
    here = _skip(text, 0)
    for step in path:
        try:
            found = _member(text, here, step)
        except (ValueError, RecursionError):  # values before it are too long or too deep for Python
            break
        if found is None:
            break
        here = found
    return here + 1


def split_path(path: str) -> tuple[str | int, ...]:
    """The steps of a path such as `$.spans[0].start`.

    >>> split_path("$.spans[0].start")
    ('spans', 0, 'start')
    >>> split_path("$.spans['a.b']")
    ('spans', 'a.b')
    """
    steps: list[str | int] = []
    for name, index, quoted in re.findall(r"""([^.\[\]]+)|\[(\d+)\]|\[(["'].*?["'])\]""", path.removeprefix("$")):
        steps.append(literal_eval(quoted) if quoted else int(index) if index else name)
    return tuple(steps)


def _skip(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position


def _member(text: str, start: int, step: str | int) -> int | None:
    """Where the member `step` of the object or array at `start` begins."""
    decoder = json.JSONDecoder()
    if text[start : start + 1] != ("{" if isinstance(step, str) else "["):
        return None
    here, index = _skip(text, start + 1), 0
    while text[here] not in "]}":
        if isinstance(step, str):
            key, here = decoder.raw_decode(text, here)
            here = _skip(text, _skip(text, here) + 1)  # behind the colon
        else:
            key, index = index, index + 1
        if key == step:
            return here
        _, here = decoder.raw_decode(text, here)
        here = _skip(text, here)
        if text[here] == ",":
            here = _skip(text, here + 1)
    return None
