"""Parquet: a row per document, or a table of columns.

Files are read by pyarrow, a few rows at a time, in a process of their own: a few bytes can stand for billions of values
or for many copies of one long text, whatever the file declares. The output is counted, the process has a memory limit
where the system supports one, and a crash of pyarrow ends only that process.
"""

from __future__ import annotations

import atexit
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from adjudge.bounded import RATIO, SMALL
from adjudge.errors import FormatError, Problem, UsageError
from adjudge.findings import LIMIT
from adjudge.formats.jsonl import Hash, canonical
from adjudge.memory import held_to
from adjudge.model.document import Document

HELD = 1 << 29
"""The most bytes that reading a file may take."""

_ROWS = 1024  # documents held at once
_TABLE_ROWS = 16 * _ROWS
_FEWER = 64  # by how much, if they are too large to be held
_VALUE = 8  # the fewest bytes that a value in a list takes
_BUFFER = 1 << 20  # bytes of a column read at once
_BOMB = f"the file unpacks to more than {RATIO} times its size", "check how it was made, or write it as JSON lines"


def parquet_documents(path: str, *, digest: Hash | None = None) -> Iterator[Document]:
    """The rows of a file; a null is a missing field, as Parquet has no other way to say so."""
    problems: list[Problem] = []
    number, first = 0, dict[str, int]()
    try:
        for rows in _blocks(_Request(path, path, _ROWS)):
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


def parquet_rows(path: str) -> Iterator[dict[str, Any]]:
    """The rows of a file as they are, with or without ids."""
    for rows in _blocks(_Request(path, path, _ROWS)):
        yield from map(_present, rows)


def parquet_table(path: str, names: Sequence[str], place: str) -> Iterator[bytes | list[list[Any]]]:
    """Some columns of a file in blocks of rows: as TAB-separated lines if all values fit in them, else as lists."""
    return _blocks(_Request(path, place, _TABLE_ROWS, tuple(names)))


def parquet_names(path: str, place: str) -> list[str]:
    """The names of the columns of a file."""
    return list(next(_blocks(_Request(path, place, 0)), ()))


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


# ---------------------------------------------------------------------------------------------------------------------
# Asking the other process, which waits for the next file after each


class _Request(NamedTuple):
    """A file, and how many rows of it are wanted at once; 0 asks for the names of its columns."""

    path: str
    place: str
    rows: int
    names: tuple[str, ...] = ()
    held: int = HELD


_idle: dict[int, list[subprocess.Popen[bytes]]] = {}  # by process id: a fork of this one must not ask them


def _blocks(request: _Request) -> Iterator[Any]:
    """What the other process returns for a file, block by block."""
    if not _has_pyarrow():
        hint = "install it with: pip install 'adjudge[parquet]'"
        raise UsageError(Problem("Parquet needs pyarrow, which is not installed", path=request.place, hint=hint))
    waiting = _idle.setdefault(os.getpid(), [])
    child = waiting.pop() if waiting else _start()
    assert child.stdin is not None
    assert child.stdout is not None
    done = False
    try:
        pickle.dump(tuple(request._replace(held=HELD)), child.stdin)
        child.stdin.flush()
        while not done:
            kind, value = pickle.load(child.stdout)  # noqa: S301  # it is our own
            done = kind != "block"
            if not done:
                yield value
        if kind == "error":
            raise FormatError(Problem(value[0], path=request.place, hint=value[1]))
    except (EOFError, OSError, pickle.UnpicklingError):
        message = "not a Parquet file that can be read (pyarrow crashes)"
        raise FormatError(Problem(message, path=request.place, hint="write it again")) from None
    finally:
        if done:
            waiting.append(child)
        else:
            _stop(child)


def _has_pyarrow() -> bool:
    from importlib.util import find_spec

    try:
        return find_spec("pyarrow") is not None
    except ValueError:  # somebody has hidden it
        return False


def _start() -> subprocess.Popen[bytes]:
    code = f"import sys; sys.path[:] = {sys.path!r}; from adjudge.formats.parquet import serve; serve()"
    return subprocess.Popen(  # noqa: S603  # our own code
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # What the usual allocator of pyarrow sets aside would count against the limit.
        env={**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system"},
    )


def _stop(child: subprocess.Popen[bytes]) -> None:
    child.kill()
    child.communicate()


@atexit.register
def _stop_all() -> None:
    for child in _idle.pop(os.getpid(), ()):
        _stop(child)


# ---------------------------------------------------------------------------------------------------------------------
# In the other process


def serve() -> None:
    """Read files on request, until nobody is left to ask."""
    out = sys.stdout.buffer

    def say(kind: str, value: Any = None) -> None:
        pickle.dump((kind, value), out, protocol=5)
        out.flush()

    while True:
        try:
            request = _Request(*pickle.load(sys.stdin.buffer))  # noqa: S301  # it is our own
        except EOFError:
            return
        import pyarrow.parquet  # noqa: F401  # what it takes does not count

        with held_to(request.held):
            say(*_read(request, lambda block: say("block", block)))


def _read(request: _Request, give: Callable[[Any], None]) -> tuple[str, Any]:
    """Give all blocks of a file, and return what is wrong with it, if anything is."""
    from pyarrow import ArrowException

    if not request.rows:
        try:
            give(_names(request.path))
        except (ArrowException, OSError, ValueError, MemoryError) as error:
            return "error", (f"not a Parquet file that can be read ({_reason(error)})", "write it again")
        return "end", None
    limit = max(SMALL, RATIO * os.stat(request.path).st_size)  # noqa: PTH116
    rows, sent = request.rows, 0
    while True:
        spent = seen = 0
        try:
            for batch in _batches(request, rows, limit):
                spent += sum(map(_unshared, batch.columns)) + _VALUE * len(batch)
                if spent > limit:
                    return "error", _BOMB
                seen += len(batch)
                if seen > sent:
                    new = batch.slice(len(batch) - (seen - sent))
                    give(_lines(new) if request.names else new.to_pylist())
                    sent = seen
            return "end", None
        except _Refused as error:
            return "error", error.args
        except MemoryError:
            if rows == 1:
                large = f"a row takes more than {request.held >> 20} MiB of memory", _BOMB[1]
                return "error", _BOMB if request.held >= limit else large
            rows = max(1, rows // _FEWER)
        except (ArrowException, OSError, ValueError, OverflowError) as error:  # a ValueError: names that are not UTF-8
            return "error", (f"not a Parquet file that can be read ({_reason(error)})", "write it again")


def _reason(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _names(path: str) -> list[str]:
    from pyarrow.parquet import ParquetFile

    with ParquetFile(path, buffer_size=_BUFFER, pre_buffer=False) as file:
        return list(file.schema_arrow.names)


class _Refused(Exception):
    """What a file lacks, or has too much of: the message and the remedy."""


def _batches(request: _Request, rows: int, limit: int) -> Iterator[Any]:
    from pyarrow.parquet import ParquetFile

    with ParquetFile(request.path, buffer_size=_BUFFER, pre_buffer=False) as file:
        known = file.schema_arrow.names
        if missing := [name for name in request.names if name not in known]:
            hint = f"write a Parquet file with the columns {', '.join(request.names)}"
            raise _Refused(f"there is no column {', '.join(missing)}", hint)
        columns = list(request.names) or None
        if _VALUE * file.metadata.num_rows * max(1, len(columns or known)) > limit:
            raise _Refused(*_BOMB)
        yield from file.iter_batches(batch_size=rows, columns=columns, use_threads=False)


def _lines(batch: Any) -> bytes | list[list[Any]]:
    import pyarrow
    from pyarrow import compute

    kinds = [column.type for column in batch.columns]
    kinds = [kind.value_type if pyarrow.types.is_dictionary(kind) else kind for kind in kinds]
    if all(pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind) for kind in kinds):
        large = pyarrow.large_string()
        columns = [compute.cast(column, large) for column in batch.columns]
        joined = compute.binary_join_element_wise(*columns, pyarrow.scalar("\t", large))
        if not joined.null_count:
            end = [pyarrow.scalar(text, large) for text in ("", "\n")]
            whole = compute.binary_join_element_wise(joined, *end)
            data: bytes = whole.buffers()[2].to_pybytes()
            often = {b"\t": len(columns) - 1, b"\n": 1, b"\r": 0, b"\0": 0}
            if all(data.count(sign) == number * len(whole) for sign, number in often.items()):
                return data[:-1]
    return [column.to_pylist() for column in batch.columns]


def _unshared(array: Any) -> int:
    """The bytes of the values once every text has been copied to each place that shares it."""
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
            return _VALUE * len(array)
        lengths = compute.binary_length(array.dictionary).take(array.indices)
        return int(compute.sum(lengths).as_py() or 0)
    return max(int(array.nbytes), _VALUE * len(array))
