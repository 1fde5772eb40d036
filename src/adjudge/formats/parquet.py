"""Parquet: a row per document, or a table of columns.

It is read by pyarrow, a few rows at a time, after `parquet_pages` has looked at what it unpacks to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from adjudge.errors import FormatError, Problem, UsageError
from adjudge.formats.jsonl import LIMIT, Hash, canonical
from adjudge.formats.parquet_pages import Budget, survey_pages
from adjudge.model.document import Document

_MAGIC = b"PAR1"
_ROWS = 1024  # documents that are held at once
_TABLE_ROWS = 16 * _ROWS

Block = TypeVar("Block")


def is_parquet(path: Any) -> bool:
    """Whether this is a Parquet file.

    >>> is_parquet("no such file")
    False
    """
    try:
        with open(path, "rb") as stream:  # noqa: PTH123
            return stream.read(4) == _MAGIC
    except (OSError, TypeError, ValueError):
        return False


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
