"""Plain triples: a TAB-separated line for each fact and each document that supports it.

    subject <TAB> relation <TAB> object <TAB> document

Lines are UTF-8. A first line with just these four words is a header. Empty lines and lines that begin with `#` and have
no TAB say nothing. Blanks around a field do not count. Several files, of a folder or a pattern, are one table; a file
may also be Parquet with these four columns.

Names become numbers while the file is read, in blocks: memory grows with the number of different names and by sixteen
bytes per line, not with the length of the lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from adjudge.errors import FormatError, Problem
from adjudge.findings import Findings, field_column
from adjudge.formats.source import Line, Source, block_lines, find_shards, is_parquet, reads, source_name, table_blocks
from adjudge.model.kbp import TripleNames, TripleTable

HEADER = ("subject", "relation", "object", "document")
SUFFIXES = (".tsv", ".txt", ".tab", ".triples", ".parquet")

_HEADER = tuple(map(str.encode, HEADER))
_HEAD = 1000  # lines at the beginning that may say nothing
_ENDS = int.from_bytes(b"\t\t\t\n", "little")
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
    shards = triple_shards(source)
    for each in [source] if shards is None else shards:
        found = Findings(name if name is not None and shards is None else source_name(each))
        _scan_file(each, table, found)
        problems += found.problems()
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
        _scan_file(each, table, found)
    found.place = place


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


def _scan_file(source: Source, table: TripleTable, found: Findings) -> None:
    if is_parquet(source):
        _scan_parquet(source, table, found)
        return
    at = Line()
    for data in table_blocks(source, found, at):
        if at.number == 1:
            at.number, begin = _skip_head(data)
            if begin > len(data):
                continue
            data = data[begin:]
        before = len(table)
        if _add_block(data, table):
            at.number += len(table) - before
        else:
            _add_lines(block_lines(at.number, data, found), table, found)
            at.number += data.count(b"\n") + 1


def _skip_head(data: bytes) -> tuple[int, int]:
    """The number of the first line that says something, and where it begins; beyond the end if there is none."""
    number, at = 1, 0
    while number < _HEAD and at <= len(data):
        end = data.find(b"\n", at)
        line = data[at : end if end >= 0 else len(data)]
        header = number == 1 and tuple(field.strip().lower() for field in line.split(b"\t")) == _HEADER
        if not (header or not line.strip() or (line.startswith(b"#") and b"\t" not in line)):
            break
        number, at = number + 1, end + 1 if end >= 0 else len(data) + 1
    return number, at


def _add_block(data: bytes, table: TripleTable) -> bool:
    """Add all rows of a block at once; False if not all its lines are triples: they must be looked at one by one."""
    import numpy as np

    from adjudge.formats.interning import LONGEST, Fields, interner_of

    whole = b"".join((data, b"\n", bytes(8)))
    every = np.frombuffer(whole, np.uint8)[: len(data) + 1]
    ends = np.flatnonzero(every <= ord("\n"))
    if len(ends) % 4 or b"\r" in data or (every[ends].view("<u4") != _ENDS).any():
        return False
    starts = np.concatenate((ends[:1] * 0, ends[:-1] + 1))
    lengths = ends - starts
    if not lengths.all() or lengths.max() > LONGEST:
        return False
    starts, lengths = starts.reshape(-1, 4), lengths.reshape(-1, 4)
    kinds = (table.names.nodes, table.names.relations, table.names.documents)
    interners = [interner_of(names) for names in kinds]
    fields = [
        Fields(whole, starts[:, own].ravel(), lengths[:, own].ravel())
        for own in (slice(0, None, 2), slice(1, 2), slice(3, 4))  # subjects and objects by turns, as they get numbers
    ]
    try:
        looked = [interner.look(own) for interner, own in zip(interners, fields, strict=True)]
    except ValueError:
        return False
    nodes, relations, documents = (each.number(own) for each, own in zip(interners, looked, strict=True))
    table.subjects.frombytes(nodes[0::2].tobytes())
    table.relations.frombytes(relations.tobytes())
    table.objects.frombytes(nodes[1::2].tobytes())
    table.documents.frombytes(documents.tobytes())
    return True


def _add_lines(lines: Iterable[tuple[int, str]], table: TripleTable, found: Findings) -> None:
    for number, line in lines:
        fields = [*map(str.strip, line.split("\t"))]
        if _is_triple(fields, line, number, found):
            table.add(*fields)


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


def _scan_parquet(source: Source, table: TripleTable, found: Findings) -> None:
    """The rows of a Parquet file, which has the columns under the names of the header."""
    from adjudge.formats.parquet import parquet_table

    number = 0
    for block in parquet_table(str(source), HEADER, found.place):
        before = len(table)
        if isinstance(block, bytes) and _add_block(block, table):
            number += len(table) - before
            continue
        rows = (
            (line.split("\t") for line in block.decode().split("\n"))
            if isinstance(block, bytes)
            else zip(*block, strict=True)
        )
        for row in rows:
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
                table.add(*row)
