"""Files that are almost right: a valid file with a few bytes, fields or lines of it changed.

Fast on purpose (some tens of microseconds), so that there can be many.
"""

from __future__ import annotations

import gzip
import random
import re
from collections.abc import Callable, Sequence
from functools import cache

LIMIT = 1 << 16
"""No mutant is longer, except those that nest or repeat."""

NUMBERS = (
    b"0", b"-1", b"1", b"-0", b"00", b"+1", b"1.0", b".5", b"1.", b"1e3", b"1e400", b"-1e400", b"1e-400", b"nan",
    b"NaN", b"inf", b"-inf",
    b"Infinity", b"2147483647", b"2147483648", b"-2147483649", b"4294967296", b"9223372036854775807",
    b"9223372036854775808", b"18446744073709551616", b"1" * 40, b"9" * 400, b"9" * 5000, b"1_000", b"0x10",
    "٣".encode(), "²".encode(), "１２".encode(), b"1 2", b"true", b"null", b"99999999", b"100000000000",
)  # fmt: skip
STRANGE = (
    b"\0", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\xc3", b"\xc3\x28", b"\xed\xa0\x80", b"\xed\xb0\x80",
    b"\xf4\x90\x80\x80", b"\xf0\x9f\x98\x80",
    b"\r", b"\r\n", b"\x0b", b"\x0c", b"\x1c", b"\x1d", b"\x1e", b"\x85", b"\xc2\x85", b"\xe2\x80\xa8",
    b"\xe2\x80\xa9", b"\xe2\x80\xae", b"\xc2\xa0",
    b"\x1b[31m", b"\xe2\x80\x8b", b"\xcc\x81", "ß".encode(), "İ".encode(), "ſ".encode(), b"\t", b"\n", b" ", b"",
    b"\\", b'"', b"'", b"\\u0000",
    b"\\ud800", b"\\udc00", b"../", b"/", b"%00", b"%ff", b"&#0;", b"&lt;", b"&x;", b"<![CDATA[", b"]]>", b"<!--",
    b"-->", b"*", b"|", b"#", b"~",
)  # fmt: skip
NESTS = (
    (b"[", b"]"),
    (b"{", b"}"),
    (b"(", b")"),
    (b"<a>", b"</a>"),
    (b'{"a":', b"}"),
    (b"[[", b"]]"),
    (b"(a / b :c ", b")"),
    (b"- ", b""),
    (b"? ", b""),
    (b"&a [", b"]"),
)
_NUMBER = re.compile(rb"[0-9]+(?:\.[0-9]+)?")
_WORD = re.compile(rb"[\w.:-]+")


@cache
def vocabulary(seeds: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """The words of valid files, which a random byte would hardly ever make."""
    return tuple(sorted({word for seed in seeds for word in _WORD.findall(seed[:LIMIT])})) or (b"x",)


def mutant(seeds: Sequence[bytes], random: random.Random) -> bytes:
    """A valid file after a few changes."""
    seeds = tuple(seeds)
    data = seeds[int(random.random() * len(seeds))]
    for _ in range(1 + int(random.random() ** 2 * 5)):
        data = _CHANGES[int(random.random() * len(_CHANGES))](data, seeds, random)
    return data if len(data) <= 4 * LIMIT else data[: 4 * LIMIT]


def _at(data: bytes, random: random.Random) -> int:
    return int(random.random() * (len(data) + 1))


def _slice(data: bytes, random: random.Random) -> tuple[int, int]:
    start = _at(data, random)
    return start, min(len(data), start + 1 + int(random.random() ** 3 * 200))


def _flip(data: bytes, _: Sequence[bytes], random: random.Random) -> bytes:
    if not data:
        return data
    at = int(random.random() * len(data))
    return data[:at] + bytes((data[at] ^ (1 << int(random.random() * 8)),)) + data[at + 1 :]


def _set(data: bytes, _: Sequence[bytes], random: random.Random) -> bytes:
    at = _at(data, random)
    return data[:at] + bytes((int(random.random() * 256),)) + data[at + 1 :]


def _drop(data: bytes, _: Sequence[bytes], random: random.Random) -> bytes:
    start, end = _slice(data, random)
    return data[:start] + data[end:]


def _again(data: bytes, _: Sequence[bytes], random: random.Random) -> bytes:
    start, end = _slice(data, random)
    return data[:end] + data[start:end] + data[end:]


def _move(data: bytes, _: Sequence[bytes], random: random.Random) -> bytes:
    start, end = _slice(data, random)
    at = _at(data, random)
    return data[:at] + data[start:end] + data[at:]


def _cut(data: bytes, _: Sequence[bytes], random: random.Random) -> bytes:
    return data[: _at(data, random)]


def _splice(data: bytes, seeds: Sequence[bytes], random: random.Random) -> bytes:
    other = seeds[int(random.random() * len(seeds))]
    return data[: _at(data, random)] + other[_at(other, random) :]


def _strange(data: bytes, _: Sequence[bytes], random: random.Random) -> bytes:
    at = _at(data, random)
    return data[:at] + STRANGE[int(random.random() * len(STRANGE))] + data[at:]


def _number(data: bytes, _: Sequence[bytes], random: random.Random) -> bytes:
    found = list(_NUMBER.finditer(data[:LIMIT]))
    if not found:
        return _strange(data, (), random)
    each = found[int(random.random() * len(found))]
    return data[: each.start()] + NUMBERS[int(random.random() * len(NUMBERS))] + data[each.end() :]


def _word(data: bytes, seeds: Sequence[bytes], random: random.Random) -> bytes:
    found = list(_WORD.finditer(data[:LIMIT]))
    words = vocabulary(tuple(seeds))
    if not found:
        return words[int(random.random() * len(words))]
    each = found[int(random.random() * len(found))]
    return data[: each.start()] + words[int(random.random() * len(words))] + data[each.end() :]


def _line(data: bytes, seeds: Sequence[bytes], random: random.Random) -> bytes:
    """A line is dropped, repeated, moved, or replaced by one of another file."""
    lines = data.split(b"\n")
    at = int(random.random() * len(lines))
    match int(random.random() * 4):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[at])
        case 2:
            lines.insert(int(random.random() * len(lines)), lines.pop(at))
        case _:
            others = seeds[int(random.random() * len(seeds))].split(b"\n")
            lines[at] = others[int(random.random() * len(others))]
    return b"\n".join(lines)


def _field(data: bytes, _: Sequence[bytes], random: random.Random) -> bytes:
    """A field is dropped, repeated, emptied, exchanged with another, or filled with something strange."""
    lines = data.split(b"\n")
    at = int(random.random() * len(lines))
    separator = b"\t" if b"\t" in lines[at] else b"," if b"," in lines[at] else b" "
    fields = lines[at].split(separator)
    one, other = int(random.random() * len(fields)), int(random.random() * len(fields))
    match int(random.random() * 6):
        case 0:
            del fields[one]
        case 1:
            fields.insert(one, fields[other])
        case 2:
            fields[one] = b""
        case 3:
            fields[one], fields[other] = fields[other], fields[one]
        case 4:
            fields[one] = STRANGE[int(random.random() * len(STRANGE))]
        case _:
            fields[one] = NUMBERS[int(random.random() * len(NUMBERS))]
    lines[at] = separator.join(fields)
    return b"\n".join(lines)


def _nest(data: bytes, _: Sequence[bytes], random: random.Random) -> bytes:
    """Brackets in brackets, a few or very many."""
    opened, closed = NESTS[int(random.random() * len(NESTS))]
    deep = 10 ** int(random.random() * 5) if random.random() < 0.05 else 1 + int(random.random() * 3)
    start, end = _slice(data, random)
    close = closed * deep if random.random() < 0.8 else b""
    return data[:start] + opened * deep + data[start:end] + close + data[end:]


def _repeat(data: bytes, _: Sequence[bytes], random: random.Random) -> bytes:
    """One piece many times: long lines, long fields, many rows."""
    start, end = _slice(data, random)
    times = 1 + int(random.random() ** 4 * (50_000 if random.random() < 0.02 else 2000))
    return data[:end] + data[start:end] * min(times, LIMIT // max(1, end - start)) + data[end:]


def _encode(data: bytes, _: Sequence[bytes], random: random.Random) -> bytes:
    """The same text in other clothes."""
    match int(random.random() * 6):
        case 0:
            return b"\xef\xbb\xbf" + data
        case 1:
            return data.replace(b"\n", b"\r\n")
        case 2:
            return data.replace(b"\n", b"\r")
        case 3:
            return data.decode("utf-8", "replace").encode("utf-16")
        case 4:
            return data.decode("utf-8", "replace").encode("latin-1", "replace")
        case _:
            packed = gzip.compress(data, 1, mtime=0)
            return packed if random.random() < 0.5 else packed[: _at(packed, random)]


Change = Callable[[bytes, Sequence[bytes], random.Random], bytes]
# What meets readers where they think is there more often than what they refuse at the first byte.
_CHANGES: tuple[Change, ...] = (
    *(_flip, _set, _drop, _again, _move, _cut, _splice, _strange, _encode, _repeat, _nest),
    *(_strange, _number, _number, _number, _word, _word, _word, _line, _line, _line, _field, _field, _field, _field),
)
