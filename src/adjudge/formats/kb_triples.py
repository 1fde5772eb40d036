"""Plain triples: a TAB-separated line for each fact and each document that supports it.

    subject <TAB> relation <TAB> object <TAB> document

Lines are UTF-8. A first line with just these four words is a header. Empty lines and lines that begin with `#` and have
no TAB say nothing. Blanks around a field do not count. Several files, of a folder or a pattern, are one table; a file
may also be Parquet with these four columns.

Names become numbers while the file is read, in blocks: memory grows with the number of different names and by sixteen
bytes per line, not with the length of the lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from adjudge.errors import FormatError, Problem
from adjudge.findings import Findings, field_column
from adjudge.formats.parquet import parquet_columns
from adjudge.formats.source import Source, find_shards, is_parquet, read_lines, reads, source_name
from adjudge.model.kbp import TripleNames, TripleTable

Columns: TypeAlias = tuple[Sequence[str], ...]

HEADER = ("subject", "relation", "object", "document")
SUFFIXES = (".tsv", ".txt", ".tab", ".triples", ".parquet")

_ROWS = 16_384  # that are added at once
_HINT = "write subject, relation, object and document with a TAB between them"


@reads("triples: lines of subject, relation, object, document", "tsv", "columns", "conllu", "parquet")
def read_triples(
    source: Source, *, names: TripleNames | None = None, name: str | None = None, may_be_empty: bool = False
) -> TripleTable:
    r"""All triples of a file, or of the files of a folder or pattern.

    Give the `names` of another table so that the numbers of both mean the same. A source without triples is an error,
    unless it `may_be_empty`.

    >>> table = read_triples(b"ana\tspouse\tben\td1\nben\tspouse\tana\td1\n")
    >>> list(table.subjects), list(table.objects), table.names.nodes.listed
    ([0, 1], [1, 0], ['ana', 'ben'])
    """
    table = TripleTable(TripleNames() if names is None else names)
    problems: list[Problem] = []
    for columns in triple_columns(source, problems, name=name):
        add_columns(columns, table)
    if not len(table) and not problems and not may_be_empty:
        problems.append(no_triples(name or source_name(source)))
    if problems:
        raise FormatError(problems)
    return table


def no_triples(place: str) -> Problem:
    """What is wrong with an empty source.

    >>> print(no_triples("gold.tsv"))
    gold.tsv: the file has no triples, write subject, relation, object and document with a TAB between them
    """
    return Problem("the file has no triples", path=place, hint=_HINT)


def triple_columns(source: Source, problems: list[Problem], *, name: str | None = None) -> Iterator[Columns]:
    r"""The columns of a file, or of several, in blocks of rows; what is wrong with each file goes to `problems`.

    >>> [[list(column) for column in block] for block in triple_columns(b"ana\tspouse\tben\td1\n", [])]
    [[['ana'], ['spouse'], ['ben'], ['d1']]]
    """
    shards = triple_shards(source)
    for each in [source] if shards is None else shards:
        found = Findings(name if name is not None and shards is None else source_name(each))
        yield from _parquet_columns(each, found) if is_parquet(each) else _text_columns(each, found)
        problems += found.problems()


def triple_shards(source: Source) -> list[str] | None:
    """The files of a folder or a pattern; None if the source is one file, or none at all.

    >>> triple_shards("gold.tsv") is None
    True
    """
    return find_shards(source, suffixes=SUFFIXES, what="triples")


def scan_triples(source: Source, table: TripleTable, found: Findings) -> None:
    """Add what can be read of a file, or of several, to `table`, and what is wrong to `found`."""
    shards, place = triple_shards(source), found.place
    for each in [source] if shards is None else shards:
        found.place = place if shards is None else source_name(each)
        for columns in _parquet_columns(each, found) if is_parquet(each) else _text_columns(each, found):
            add_columns(columns, table)
    found.place = place


def add_columns(columns: Columns, table: TripleTable) -> None:
    """Add rows to a table."""
    names = table.names
    nodes = [""] * (2 * len(columns[0]))  # subjects and objects by turns: numbers must not depend on the size of blocks
    nodes[0::2], nodes[1::2] = columns[0], columns[2]
    numbers = list(map(names.nodes.__getitem__, nodes))
    table.subjects.fromlist(numbers[0::2])
    table.relations.fromlist(list(map(names.relations.__getitem__, columns[1])))
    table.objects.fromlist(numbers[1::2])
    table.documents.fromlist(list(map(names.documents.__getitem__, columns[3])))


def write_triples(table: TripleTable, *, header: bool = False) -> Iterator[bytes]:
    r"""The bytes of a file, in blocks of lines.

    >>> b"".join(write_triples(read_triples(b"ana \tspouse\tben\td1")))
    b'ana\tspouse\tben\td1\n'
    """
    for names in (table.names.nodes, table.names.relations, table.names.documents):
        _check_names(names.listed)
    lines = ["\t".join(HEADER)] if header else []
    # A first row that looks like the header would be read as one.
    first = next(table.rows(), None)
    if first is not None and not header and tuple(map(str.lower, first)) == HEADER:
        lines.append("\t".join(HEADER))
    for row in table.rows():
        lines.append("\t".join(row))
        if len(lines) >= 50_000:
            yield ("\n".join(lines) + "\n").encode()
            lines.clear()
    if lines:
        yield ("\n".join(lines) + "\n").encode()


def _check_names(names: Iterable[str]) -> None:
    problems = [
        Problem(f"the name {name!r} has a TAB or a line break", hint="use another name for it")
        for name in names
        if "\t" in name or "\n" in name or "\r" in name
    ]
    if problems:
        raise FormatError(problems)


def _text_columns(source: Source, found: Findings) -> Iterator[Columns]:
    rows: list[list[str]] = []
    for number, line in read_lines(source, found):
        fields = [*map(str.strip, line.split("\t"))]
        if _is_triple(fields, line, number, found):
            rows.append(fields)
            if len(rows) == _ROWS:
                yield tuple(zip(*rows, strict=True))
                rows.clear()
    if rows:
        yield tuple(zip(*rows, strict=True))


def _is_triple(fields: list[str], line: str, number: int, found: Findings) -> bool:
    """Whether a line is one, and no header, comment or empty line; what is wrong with it goes to `found`."""
    if "\r" in line or "\0" in line:
        if line.strip() and (not line.startswith("#") or len(fields) > 1):
            what = "a carriage return" if "\r" in line else "a null character"
            found.add("character", f"{what} inside a line", number, None, "save the file with LF line ends")
        return False
    if len(fields) == len(HEADER) and all(fields):
        return number > 1 or tuple(map(str.lower, fields)) != HEADER
    if not line.strip() or (line.startswith("#") and len(fields) == 1):
        return False
    if len(fields) != len(HEADER):
        message = f"a line with {len(fields)} field{'s' * (len(fields) != 1)} instead of {len(HEADER)}"
        found.add("columns", message, number, 1, _HINT)
        return False
    for place, field in enumerate(fields):
        if not field:
            message = f"the {HEADER[place]} is empty"
            found.add("empty-field", message, number, field_column(line, place + 1), "name it")
    return False


def _parquet_columns(source: Source, found: Findings) -> Iterator[Columns]:
    """The columns of a Parquet file, which has them under the names of the header."""
    number = 0
    for block in parquet_columns(str(source), HEADER, found.place):
        kept = []
        for row in zip(*block, strict=True):
            number += 1
            bad = [
                name
                for name, field in zip(HEADER, row, strict=True)
                if not isinstance(field, str) or not field.strip() or any(mark in field for mark in "\t\n\r\0")
            ]
            if bad:
                message = f"row {number}: the {bad[0]} is empty, or no text on one line"
                found.add("empty-field", message, None, None, "name it")
            else:
                kept.append(row)
        yield tuple(zip(*kept, strict=True)) if kept else ((), (), (), ())
