"""Tables of statistics as compressed archives of numpy (`.npz`), which anybody may have made.

Text is stored as JSON in bytes: reading never runs code. numpy would make room for what the header of an array says
before it reads the array, so that sizes are compared first: those of the archive, of its entries and of the arrays.
"""

from __future__ import annotations

import io
import json
import math
import os
import zipfile
import zlib
from typing import IO, Any

import numpy as np

from adjudge.errors import FormatError, Problem
from adjudge.stats.atomic import write_atomically
from adjudge.stats.measure import Array

RATIO = 200  # times the size of the file that may come out of it, if that is more than SMALL
SMALL = 1 << 26

_ENTRIES: dict[str, np.dtype[Any]] = {"values.npy": np.dtype(np.float64), "header.npy": np.dtype(np.uint8)}
_HINT = "give a file written by save_npz"


def write_table(path: str | os.PathLike[str], values: Array, header: dict[str, Any]) -> None:
    """Write the values of a table and everything else of it, whole or not at all."""
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, values=values, header=text)
    write_atomically(path, buffer.getvalue())


def read_table(path: str | os.PathLike[str]) -> tuple[Array, dict[str, Any]]:
    """The values of a table and the rest of it; what is not such a file, or far too large for one, is an error."""
    place = os.fspath(path)
    try:
        with open(path, "rb") as file, zipfile.ZipFile(file) as archive:  # noqa: PTH123
            _check_sizes(archive, os.fstat(file.fileno()).st_size, place)
            arrays = [_read_array(archive, name, dtype) for name, dtype in _ENTRIES.items()]
        values, header = arrays[0], json.loads(arrays[1].tobytes())
        if values.ndim != 2 or not isinstance(header, dict):
            raise ValueError("not the parts of a table")
    except OSError as error:
        if error.strerror:
            raise FormatError(Problem(f"cannot be read: {error.strerror}", path=place)) from error
        raise not_a_table(place) from error
    except (ValueError, KeyError, EOFError, RecursionError, zipfile.BadZipFile, zlib.error) as error:
        raise not_a_table(place) from error
    except (NotImplementedError, RuntimeError) as error:  # packed in a way that this Python cannot, or encrypted
        raise not_a_table(place) from error
    return values, header


def not_a_table(place: str) -> FormatError:
    """The error for a file that holds something else."""
    return FormatError(Problem("not a table of statistics", path=place, hint=_HINT))


def _check_sizes(archive: zipfile.ZipFile, size: int, place: str) -> None:
    """What the archive says of itself; no more than that is read of an entry."""
    entries = archive.infolist()
    if sorted(entry.filename for entry in entries) != sorted(_ENTRIES):
        raise ValueError("other entries than those of a table")
    if sum(entry.file_size for entry in entries) > max(SMALL, RATIO * size):
        message = f"the table unpacks to more than {RATIO} times its size"
        raise FormatError(Problem(message, path=place, hint="check how it was made"))


def _read_array(archive: zipfile.ZipFile, name: str, dtype: np.dtype[Any]) -> Any:
    with archive.open(name) as entry:
        shape = _read_shape(entry, dtype)
        data = entry.read()
    if len(data) != math.prod(shape) * dtype.itemsize:
        raise ValueError("an array of another size than it says")
    return np.frombuffer(data, dtype=dtype).reshape(shape)


def _read_shape(entry: IO[bytes], expected: np.dtype[Any]) -> tuple[int, ...]:
    version = np.lib.format.read_magic(entry)
    if version != (1, 0):  # the others are for names of columns, which these arrays do not have
        raise ValueError(f"an array of version {version}")
    shape, by_columns, dtype = np.lib.format.read_array_header_1_0(entry)
    if dtype != expected or by_columns:
        raise ValueError("an array of another type")
    return shape
