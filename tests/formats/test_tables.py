"""What every reader makes of small files, good and bad: a line of `readers.jsonl` for each file.

A line has the reader, what the case is about, its options, the bytes of the file (as text, or in hexadecimal digits if
they are not text), and either what is read or everything that is said of the file, which is called `f`. If an answer is
meant to change: `python tests/formats/test_tables.py` writes what is said now, for the difference to be looked at.
"""

import inspect
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest

from adjudge.errors import AdjudgeError, Problem
from adjudge.findings import Finding, Findings, finding_line, finding_lines
from adjudge.model.nugget import ClusterColumns, NuggetColumns
from adjudge.rooms import load

TABLE = Path(__file__).with_name("readers.jsonl")
ROWS = [json.loads(line) for line in TABLE.read_text(encoding="utf-8").splitlines()]
UNTOLD = ("digest", "path", "place")


def plain(value):
    """What was read, as JSON has it; without where it came from."""
    if isinstance(value, Problem):
        return str(value)
    if isinstance(value, Finding | Findings):
        return finding_line(value) if isinstance(value, Finding) else finding_lines(value)
    if isinstance(value, NuggetColumns | ClusterColumns):
        return [plain(each) for each in value]
    if isinstance(value, msgspec.Struct):
        names = value.__struct_fields__
    elif is_dataclass(value):
        names = [field.name for field in fields(value)]
    else:
        names = () if isinstance(value, tuple) else getattr(type(value), "__slots__", ())
    if names and not isinstance(value, str | int | float):
        return {name: plain(own) for name in names if name not in UNTOLD and (own := getattr(value, name, None))}
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else str(key): plain(each) for key, each in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(plain, value))
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        return value
    if not hasattr(value, "_fields"):
        return [plain(each) for each in value]
    found = [plain(each) for name, each in zip(value._fields, value, strict=True) if name not in UNTOLD]
    while found and not found[-1]:  # what is not given
        found.pop()
    return found


def outcome(row, room):
    path = room / "f"
    path.write_bytes(bytes.fromhex(row["hex"]) if "hex" in row else row["data"].encode())
    read = load(f"adjudge.formats.{row['reader']}")
    options = dict(row.get("options", {}))
    parameters = inspect.signature(read).parameters
    options |= {name: "f" for name in ("name", "place") if name in parameters}
    try:
        value = read(path.read_bytes() if "data" in parameters else path, **options)
        return {"gives": json.loads(json.dumps(plain(value)))}
    except AdjudgeError as error:
        return {"says": [str(problem).replace(str(path), "f") for problem in error.problems]}


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['reader']}-{row['case']}" for row in ROWS])
def test_a_small_file(row, tmp_path):
    assert outcome(row, tmp_path) == {key: row[key] for key in ("gives", "says") if key in row}


@pytest.mark.parametrize("reader", ["jsonl:read_all", "json_file:read_json", "muc4_slots:read_slots"])
def test_json_that_is_nested_too_deeply(reader, tmp_path):
    row = {"reader": reader, "data": "[" * 100_000 + "]" * 100_000}
    (said,) = outcome(row, tmp_path)["says"]
    assert "nested too deeply" in said or "one JSON array" in said


def write(rows):
    """Write the table as the readers answer now."""
    with TemporaryDirectory() as room:
        for row in rows:
            for key in ("gives", "says"):
                row.pop(key, None)
            row |= outcome(row, Path(room))
    TABLE.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    write(ROWS)
