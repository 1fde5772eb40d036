"""What the pages of a Parquet file unpack to, by their own headers: the summary at its end can say anything.

A column is a chain of pages; each begins with a header in the compact protocol of Thrift that says how large the page
is and how many values it has, and a reader believes it. A few bytes can stand for billions of values (run lengths), and
a long text for any number of copies of it (dictionaries, shared prefixes): sizes alone do not bound the memory.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from struct import unpack_from
from typing import IO, Any, NamedTuple, NoReturn, TypeAlias

from adjudge.errors import FormatError, Problem
from adjudge.formats.source import RATIO, SMALL

HELD = 256 << 20  # bytes of a page, and of all copies of texts that are held at once

_HEADER = 1 << 12  # bytes that nearly always hold the header of a page
_LONGEST_HEADER = 1 << 24  # as for pyarrow
_VALUE = 8  # bytes that a value takes at the least, once it stands in a list
_DEPTH = 12  # of structures; there are six
_DICTIONARY_PAGE = 2
_DELTA_BYTE_ARRAY = 7
_CODECS = {1: "snappy", 2: "gzip", 4: "brotli", 6: "zstd"}
_LONG = (
    1 << 16
)  # is added to the number of a field of 64 bits: Thrift skips fields that are not of the width they should be
_MAGIC = 4  # bytes at the end, behind the length of the summary

Fields: TypeAlias = "dict[int, int | Fields | list[Fields]]"


class Budget:
    """How much may come out of a file in all."""

    def __init__(self, path: str, place: str) -> None:
        self.place = place
        self.limit = max(SMALL, RATIO * os.stat(path).st_size)  # noqa: PTH116  # pathlib is slow to load
        self.spent = 0

    def spend(self, size: int) -> None:
        """Take in what a part of the file unpacks to."""
        self.spent += size
        if self.spent > self.limit:
            self.refuse(f"the file unpacks to more than {RATIO} times its size")

    def refuse(self, message: str, hint: str = "check how it was made, or write it as JSON lines") -> NoReturn:
        """Raise an error that says what is too much."""
        raise FormatError(Problem(message, path=self.place, hint=hint))


class Reading(NamedTuple):
    """How a file can be read in bounded memory: how many rows at once, which columns with their texts shared."""

    rows: int
    shared: list[str]


class Page(NamedTuple):
    """A page of a column by its header; its bytes are the `packed` ones from `start`, and `size` once unpacked."""

    kind: int
    start: int
    packed: int
    size: int
    values: int
    encoding: int


class _Chunk(NamedTuple):
    """The pages of a column for a group of rows, by the summary at the end of the file."""

    values: int
    start: int
    codec: int


def survey_pages(path: str, place: str, schema: Any, rows: int) -> Reading:
    """How to read a file, up to this many rows at once; one that holds too much is refused before it is unpacked."""
    budget = Budget(path, place)
    shared = dict[str, None]()
    with open(path, "rb") as file:  # noqa: PTH123
        for number, chunks in _read_summary(file):
            before = budget.spent
            budget.spend(_VALUE * number)  # a table without columns has rows all the same
            if len(chunks) != len(schema):
                raise ValueError("a group of rows has not all columns")
            for column, chunk in zip(map(schema.column, range(len(schema))), chunks, strict=True):
                rows, copied = _survey_chunk(file, chunk, column, rows, budget)
                if copied:
                    shared[column.path] = None
            rows = min(rows, max(1, HELD * number // max(1, budget.spent - before)))
    return Reading(rows, list(shared))


def _read_summary(file: IO[bytes]) -> list[tuple[int, list[_Chunk]]]:
    """The number of rows and the columns of each group; pyarrow knows them, too, but aborts if they make no sense."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _MAGIC - 4))
    length = int.from_bytes(file.read(4), "little")
    file.seek(max(0, size - _MAGIC - 4 - length))
    try:
        summary, _ = _structure(file.read(length), 0, _DEPTH)
    except IndexError:
        raise ValueError("the summary at the end is cut off") from None
    groups = _list(summary, 4)
    return [(_number(group, _LONG + 3), [_chunk(each.get(3, 0)) for each in _list(group, 1)]) for group in groups]


def _chunk(fields: int | Fields | list[Fields]) -> _Chunk:
    start, dictionary = _number(fields, _LONG + 9), _number(fields, _LONG + 11)
    return _Chunk(
        values=_number(fields, _LONG + 5),
        start=dictionary if 0 < dictionary < start else start,
        codec=_number(fields, 4),
    )


def _survey_chunk(file: IO[bytes], chunk: _Chunk, column: Any, rows: int, budget: Budget) -> tuple[int, bool]:
    """Count what the pages of a column hold; how many rows fit, and whether its texts may be copied too often."""
    repeated = column.max_repetition_level > 0  # and then all values may be those of one row
    texts = column.physical_type == "BYTE_ARRAY"
    width = max(_VALUE, column.length) if column.physical_type == "FIXED_LEN_BYTE_ARRAY" else _VALUE
    longest = values = 0
    for page in _pages(file, chunk, column.path):
        if page.size > HELD:
            budget.refuse(f"a page of the column {column.path} has more than {HELD >> 20} MiB")
        budget.spend(_HEADER + max(page.size, page.packed))  # columns may share pages: looking at each takes time
        if page.kind == _DICTIONARY_PAGE:
            longest = max(longest, _longest_text(file, page, chunk.codec) if texts else 0)
            continue
        budget.spend(width * page.values)
        values += page.values
        if texts and page.encoding == _DELTA_BYTE_ARRAY:
            if repeated and page.size * page.values > HELD:
                hint = "write it in another encoding, such as that of a dictionary"
                budget.refuse(f"lists of texts with shared prefixes in the column {column.path}", hint)
            rows = min(rows, max(1, HELD // max(1, page.size)))
    return rows, longest * (values if repeated else min(values, rows)) > HELD


def _pages(file: IO[bytes], chunk: _Chunk, name: str) -> Iterator[Page]:
    """The pages of a column, in the order in which pyarrow reads them."""
    at, seen = chunk.start, 0
    while seen < chunk.values:
        page = _read_page(file, at)
        if page is None:
            raise ValueError(f"a page of the column {name} has no header")
        yield page
        seen += page.values if page.kind != _DICTIONARY_PAGE else 0
        at = page.start + page.packed


def _read_page(file: IO[bytes], at: int) -> Page | None:
    """The page that begins at a place; None if none does."""
    size = _HEADER
    while True:
        file.seek(at)
        data = file.read(size)
        try:
            fields, length = _structure(data, 0, _DEPTH)
            break
        except IndexError:  # the header is longer than this
            if len(data) < size or size >= _LONGEST_HEADER:
                return None
            size *= 16
        except ValueError:
            return None
    kind, unpacked, packed = (_number(fields, number) for number in (1, 2, 3))
    data_page, dictionary, second_version = (fields.get(number, 0) for number in (5, 7, 8))
    return Page(
        kind=kind,
        start=at + length,
        packed=packed,
        size=unpacked,
        values=max(_number(each, 1) for each in (data_page, dictionary, second_version)),
        encoding=max(_number(data_page, 2), _number(second_version, 4)),
    )


def _number(fields: int | Fields | list[Fields], number: int) -> int:
    """A field that is a number and not negative; what is not there is 0, and refused later by pyarrow if needed."""
    found = fields.get(number, 0) if isinstance(fields, dict) else 0
    return max(0, found) if isinstance(found, int) else 0


def _list(fields: Fields, number: int) -> list[Fields]:
    found = fields.get(number)
    return found if isinstance(found, list) else []


def _longest_text(file: IO[bytes], page: Page, codec: int) -> int:
    """The bytes of the longest text of a dictionary, or of the whole if it cannot be looked into."""
    if codec and codec not in _CODECS:
        return page.size
    file.seek(page.start)
    data = file.read(page.packed)
    if codec:
        from pyarrow import ArrowException, decompress

        try:
            data = decompress(data, decompressed_size=page.size, codec=_CODECS[codec], asbytes=True)
        except (ArrowException, OSError, ValueError):
            return page.size
    at = longest = 0
    while at + 4 <= len(data):
        (length,) = unpack_from("<I", data, at)
        at += 4 + length
        longest = max(longest, length)
    return min(longest, page.size)


# ---------------------------------------------------------------------------------------------------------------------
# The compact protocol of Thrift. An IndexError says that the data end too early, a ValueError that they make no sense.
# Numbers are cut to their type as Thrift does it, or else pyarrow would read others than were looked at here.

_I32 = 5
_I64 = 6
_LIST = 9
_STRUCTURE = 12


def _structure(data: bytes, at: int, depth: int) -> tuple[Fields, int]:
    """The numbers, structures and lists of these in a structure by field number, and where it ends."""
    if not depth:
        raise ValueError("nested too deeply")
    fields: Fields = {}
    number = 0
    while True:
        head = data[at]
        at += 1
        if not head & 15:
            return fields, at
        if head >> 4:
            number += head >> 4
        else:
            number, at = _integer(data, at)
        number = _signed(number, 16)
        if head & 15 == _I32:
            fields[number], at = _integer(data, at)
        elif head & 15 == _I64:
            long, at = _varint(data, at)
            fields[_LONG + number] = _unfolded(long & 0xFFFFFFFFFFFFFFFF)
        elif head & 15 == _STRUCTURE:
            fields[number], at = _structure(data, at, depth - 1)
        elif head & 15 == _LIST and data[at] & 15 == _STRUCTURE:
            fields[number], at = _structures(data, at, depth - 1)
        elif head & 15 > 2:  # true and false have no bytes
            at = _skip(data, at, head & 15, depth)


def _structures(data: bytes, at: int, depth: int) -> tuple[list[Fields], int]:
    length, at = _length(data, at)
    found: list[Fields] = []
    for _ in range(length):
        fields, at = _structure(data, at, depth)
        found.append(fields)
    return found, at


def _length(data: bytes, at: int) -> tuple[int, int]:
    """How many values a list has, and where they begin."""
    length = data[at] >> 4
    return _varint(data, at + 1) if length == 15 else (length, at + 1)


def _skip(data: bytes, at: int, kind: int, depth: int) -> int:
    """Where a value ends."""
    if kind in (1, 2, 3):  # in a list, true and false have a byte
        at += 1
    elif kind in (4, 5, 6):
        _, at = _varint(data, at)
    elif kind == 7:
        at += 8
    elif kind == 8:
        length, at = _varint(data, at)
        at += length
    elif kind in (9, 10):
        at = _skip_list(data, at, depth - 1)
    elif kind == _STRUCTURE:
        _, at = _structure(data, at, depth - 1)
    else:  # maps are in no header of a page
        raise ValueError(f"a value of kind {kind}")
    if at > len(data):
        raise IndexError
    return at


def _skip_list(data: bytes, at: int, depth: int) -> int:
    if not depth:
        raise ValueError("nested too deeply")
    kind = data[at] & 15
    length, at = _length(data, at)
    for _ in range(length):
        at = _skip(data, at, kind, depth)
    return at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
    raise ValueError("a number of more than ten bytes")


def _integer(data: bytes, at: int) -> tuple[int, int]:
    """A number of 32 bits; the sign is the last of them."""
    value, at = _varint(data, at)
    return _unfolded(value & 0xFFFFFFFF), at


def _unfolded(value: int) -> int:
    return value >> 1 ^ -(value & 1)


def _signed(value: int, bits: int) -> int:
    half = 1 << bits - 1
    return (value + half) % (2 * half) - half
