"""Parquet: a row per document, or a table of columns.

It is read by pyarrow, a few rows at a time, after `survey_pages` has looked at what it unpacks to by the headers of its
pages: the summary at its end can say anything. A column is a chain of pages; each begins with a header in the compact
protocol of Thrift that says how large the page is and how many values it has, and a reader believes it. A few bytes can
stand for billions of values (run lengths), and a long text for any number of copies of it (dictionaries, shared
prefixes): sizes alone do not bound the memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from struct import unpack_from
from typing import IO, Any, NamedTuple, NoReturn, TypeAlias, TypeVar

from adjudge.errors import FormatError, Problem, UsageError
from adjudge.findings import LIMIT
from adjudge.formats.jsonl import Hash, canonical
from adjudge.formats.source import RATIO, SMALL
from adjudge.model.document import Document

_ROWS = 1024  # documents that are held at once
_TABLE_ROWS = 16 * _ROWS

Block = TypeVar("Block")


def parquet_documents(path: str, *, digest: Hash | None = None) -> Iterator[Document]:
    """The rows of a file; a null is a field that is not there, as Parquet has no other way to say so."""
    problems: list[Problem] = []
    number, first = 0, dict[str, int]()
    try:
        for rows in _blocks(path, path, _ROWS, None, _rows):
            for row in rows:
                number += 1
                found = _row(row, number, path, first)
                if isinstance(found, Problem):
                    problems += [found][: LIMIT - len(problems)]
                    continue
                if digest is not None:
                    digest.update(canonical(found.data) + b"\n")
                yield found
    except FormatError as error:
        problems += error.problems
    except TypeError as error:  # a column of dates or bytes
        hint = "use strings, numbers, booleans, lists and structs"
        problems.append(Problem(f"a value that JSON does not have ({error})", path=path, line=number, hint=hint))
    if not number and not problems:
        problems.append(Problem("the file has no documents", path=path, hint="write one row per document"))
    if problems:
        raise FormatError(problems)


def parquet_columns(path: str, names: Sequence[str], place: str) -> Iterator[list[list[Any]]]:
    """Some columns of a file as lists, in blocks of rows."""
    return _blocks(path, place, _TABLE_ROWS, names, lambda batch: [batch.column(name).to_pylist() for name in names])


def _blocks(
    path: str, place: str, rows: int, names: Sequence[str] | None, convert: Callable[[Any], Block]
) -> Iterator[Block]:
    """The rows of a file, or some columns of them, in blocks that can be held."""
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError:
        hint = "install it with: pip install 'adjudge[parquet]'"
        raise UsageError(Problem("Parquet needs pyarrow, which is not installed", path=place, hint=hint)) from None
    try:
        with ParquetFile(path) as file:
            metadata, known = file.metadata, file.schema_arrow.names
        if missing := [name for name in names or () if name not in known]:
            hint = f"write a Parquet file with the columns {', '.join(names or ())}"
            raise FormatError(Problem(f"there is no column {', '.join(missing)}", path=place, hint=hint))
        reading, budget = survey_pages(path, place, metadata.schema, rows), Budget(path, place)
        with ParquetFile(path, metadata=metadata, read_dictionary=reading.shared) as file:
            for batch in file.iter_batches(batch_size=reading.rows, columns=None if names is None else list(names)):
                budget.spend(sum(map(_unshared, batch.columns)))
                yield convert(batch)
    except (ArrowException, OSError, ValueError, OverflowError) as error:  # a ValueError: names that are not UTF-8
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        message = f"not a Parquet file that can be read ({reason})"
        raise FormatError(Problem(message, path=place, hint="write it again")) from None


def _rows(batch: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = batch.to_pylist()
    return found


def _unshared(array: Any) -> int:
    """The bytes of the values once every text has been copied for each place where it stands."""
    from pyarrow import compute, types

    kind = array.type
    if types.is_struct(kind):
        return sum(map(_unshared, array.flatten()))
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _unshared(array.flatten())
    if types.is_map(kind):
        return _unshared(array.keys) + _unshared(array.items)
    if types.is_dictionary(kind) and not types.is_nested(kind.value_type):
        if types.is_primitive(kind.value_type):
            return 8 * len(array)
        lengths = compute.binary_length(array.dictionary).take(array.indices)
        return int(compute.sum(lengths).as_py() or 0)
    return int(array.nbytes)


def _row(row: dict[str, Any], number: int, path: str, first: dict[str, int]) -> Document | Problem:
    data = _present(row)
    own = data.get("id")
    if isinstance(own, bool) or not isinstance(own, str | int) or not str(own):
        return Problem("the row has no id", path=path, line=number, hint="add a column id of strings or integers")
    identifier = str(own)
    if identifier in first:
        hint = f"it is already used in row {first[identifier]}; give every document its own id"
        return Problem(f"duplicate id {identifier!r}", path=path, line=number, hint=hint)
    first[identifier] = number
    return Document(id=identifier, data=data, line=number)


def _present(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _present(each) for key, each in value.items() if each is not None}
    return [_present(each) for each in value] if isinstance(value, list) else value


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
_TAIL = 4  # bytes at the end, behind the length of the summary

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
    file.seek(max(0, size - _TAIL - 4))
    length = int.from_bytes(file.read(4), "little")
    file.seek(max(0, size - _TAIL - 4 - length))
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
