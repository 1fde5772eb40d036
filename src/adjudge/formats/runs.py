"""Several runs of one system in one file: JSON lines or a table, with a column that names the run of each row."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from adjudge.errors import FormatError, Problem, UsageError, did_you_mean
from adjudge.formats.source import Source, read_text


class RunLines(io.BytesIO):
    """The rows of one run, on the same lines as in the file."""

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__(data)
        self.name = name

    def peek(self, size: int) -> bytes:
        """The next bytes, without consuming them."""
        return self.getvalue()[self.tell() :][:size]


def split_runs(source: Source, column: str) -> dict[str, RunLines]:
    r"""The rows of every run, by number: the values of the column if they are whole numbers, else 1, 2 and so on.

    The column itself is left out: it is not part of a document.

    >>> found = split_runs(b'{"seed": 7, "id": "d1"}\n{"seed": 8, "id": "d1"}\n', "seed")
    >>> {number: run.getvalue() for number, run in found.items()}
    {'7': b'{           "id": "d1"}\n\n', '8': b'\n{           "id": "d1"}\n'}
    """
    whole, text = read_text(source)
    lines = text.splitlines(keepends=True)
    head, rows = (
        _objects(lines, column, whole.place) if text.lstrip()[:1] == "{" else _cells(lines, column, whole.place)
    )
    if not rows:
        raise FormatError([Problem("the file has no rows", path=whole.place)])
    found: dict[str, RunLines] = {}
    for number, run in _numbered(rows.values()).items():
        kept = "".join(line if at < head or rows.get(at) == run else "\n" for at, line in enumerate(lines))
        found[number] = RunLines(kept.encode(), whole.place)
    return found


def rows_of_runs(rows: Iterable[Any], column: str, side: str) -> dict[str, list[dict[str, Any]]]:
    """The same for rows in memory.

    >>> rows_of_runs([{"seed": 7, "id": "d1"}, {"seed": 8, "id": "d1"}], "seed", "A")
    {'7': [{'id': 'd1'}], '8': [{'id': 'd1'}]}
    """
    listed = list(rows)
    lost = [row for row in listed if not isinstance(row, Mapping) or row.get(column) is None]
    if lost or not listed:
        known = lost[0] if lost and isinstance(lost[0], Mapping) else {}
        hint = did_you_mean(column, map(str, known)) or "every row is a mapping that names its run"
        what = f"a row has no {column!r}" if lost else "there are no rows"
        raise UsageError(f"{side}: {what}", hint=hint)
    return {
        number: [
            {name: value for name, value in row.items() if name != column} for row in listed if str(row[column]) == run
        ]
        for number, run in _numbered(str(row[column]) for row in listed).items()
    }


def _numbered(values: Iterable[str]) -> dict[str, str]:
    """The column's value for every run number."""
    runs = sorted(set(values), key=lambda value: (not value.isdigit(), int(value) if value.isdigit() else 0, value))
    numbered = all(map(str.isdigit, runs))
    return {run if numbered else str(number): run for number, run in enumerate(runs, 1)}


def _objects(lines: list[str], column: str, place: str) -> tuple[int, dict[int, str]]:
    """The run of every line of JSON lines."""
    rows: dict[int, str] = {}
    problems: list[Problem] = []
    for at, line in enumerate(lines):
        if not line.strip():
            continue
        try:
            value = msgspec.json.decode(line)
        except msgspec.DecodeError as error:
            raise FormatError([Problem(f"not JSON: {error}", path=place, line=at + 1)]) from None
        run = value.get(column) if isinstance(value, dict) else None
        if run is None or isinstance(run, dict | list):
            hint = (did_you_mean(column, value) if isinstance(value, dict) else None) or "every row names its run"
            problems.append(Problem(f"the row has no {column!r}", path=place, line=at + 1, hint=hint))
        else:
            rows[at] = str(run)
            lines[at] = _without(line, value, column)
    if problems:
        raise FormatError(problems)
    return 0, rows


def _without(line: str, value: dict[str, object], column: str) -> str:
    """The line with the column blanked out, so that everything else stays in place."""
    rest = {name: each for name, each in value.items() if name != column}
    pair = rf'{re.escape(json.dumps(column, ensure_ascii=False))}\s*:\s*(?:"(?:[^"\\]|\\.)*"|[^\s,}}\]"]+)\s*'
    for pattern in (rf"{pair},\s*", rf",\s*{pair}", pair):
        for found in re.finditer(pattern, line):
            changed = line[: found.start()] + " " * len(found.group()) + line[found.end() :]
            try:
                if msgspec.json.decode(changed) == rest:
                    return changed
            except msgspec.DecodeError:
                continue
    return msgspec.json.encode(rest).decode() + "\n"


def _cells(lines: list[str], column: str, place: str) -> tuple[int, dict[int, str]]:
    """The run of every line of a table, and the number of lines in its heading."""
    comma = "\t" if lines and "\t" in lines[0] else ","
    table = _records(csv.reader(list(lines), delimiter=comma))
    _, end, header = next(table, (0, 0, []))
    if column not in header:
        hint = did_you_mean(column, header) or "--runs reads JSON lines, and tables with a heading"
        raise UsageError(Problem(f"there is no column {column!r}", path=place, line=1, hint=hint))
    at = header.index(column)
    rows: dict[int, str] = {}
    lines[:end] = _written(header, at, end, comma)
    problems = []
    for first, last, cells in table:
        if len(cells) <= at or not cells[at]:
            problems.append(Problem(f"the row has no {column!r}", path=place, line=first + 1))
            continue
        rows |= dict.fromkeys(range(first, last), cells[at])
        lines[first:last] = _written(cells, at, last - first, comma)
    if problems:
        raise FormatError(problems)
    return end, rows


def _written(cells: list[str], column: int, number: int, comma: str) -> list[str]:
    """A row without one of its cells, on as many lines as before."""
    text = io.StringIO()
    csv.writer(text, delimiter=comma, lineterminator="\n").writerow(cells[:column] + cells[column + 1 :])
    return [text.getvalue(), *["\n" if not "".join(cells).count("\n") else ""] * (number - 1)]


def _records(table: Iterator[list[str]]) -> Iterator[tuple[int, int, list[str]]]:
    """The first line of each record, the line after its last, and its cells."""
    before = 0
    for cells in table:
        after = table.line_num  # type: ignore[attr-defined]
        if cells:
            yield before, after, cells
        before = after
