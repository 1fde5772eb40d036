"""Plain triples: a TAB-separated line for each fact and each document that supports it.

    subject <TAB> relation <TAB> object <TAB> document

Lines are UTF-8. A first line with just these four words is a header. Empty lines and lines that begin with `#` and have
no TAB say nothing. Blanks around a field do not count.

Names become numbers while the file is read, in blocks: memory grows with the number of different names and by sixteen
bytes per line, not with the length of the lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from adjudge.errors import FormatError, Problem
from adjudge.formats.kb_findings import KbFindings
from adjudge.formats.kb_lines import decode, read_blocks
from adjudge.formats.source import Source, source_name
from adjudge.model.kbp import TripleNames, TripleTable

HEADER = ("subject", "relation", "object", "document")

_HINT = "write subject, relation, object and document with a TAB between them"


def read_triples(source: Source, *, names: TripleNames | None = None, name: str | None = None) -> TripleTable:
    r"""All triples of a file; give the `names` of another table so that the numbers of both mean the same.

    >>> table = read_triples(b"ana\tspouse\tben\td1\nben\tspouse\tana\td1\n")
    >>> list(table.subjects), list(table.objects), table.names.nodes.listed
    ([0, 1], [1, 0], ['ana', 'ben'])
    """
    found = KbFindings(name or source_name(source))
    table = TripleTable(TripleNames() if names is None else names)
    scan_triples(source, table, found)
    if not found.total and not len(table):
        found.error("empty", "the file has no triples", None, None, _HINT)
    if problems := found.problems():
        raise FormatError(problems)
    return table


def scan_triples(source: Source, table: TripleTable, found: KbFindings) -> None:
    """Add what can be read of a file to `table`, and what is wrong to `found`."""
    for number, data in read_blocks(source, found):
        if not _add_block(data, table):
            _add_lines(data, number, table, found)


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


def _add_block(data: bytes, table: TripleTable) -> bool:
    """Add a block in which every line is a triple as it should be, else add nothing; this is nearly always enough."""
    if b"\r" in data or b"\0" in data or data.startswith(b"#") or b"\n#" in data or data[:8].lower() == b"subject\t":
        return False
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return False
    if not text.endswith("\n"):
        text += "\n"
    # With a column of line ends, a line with too many or too few fields cannot hide behind another one.
    fields = text.replace("\n", "\t\n\t").split("\t")
    fields.pop()
    ends = fields[4::5]
    if len(fields) != 5 * len(ends) or ends.count("\n") != len(ends):
        return False
    names = table.names
    nodes = [""] * (2 * len(ends))  # subjects and objects by turns: numbers must not depend on the size of blocks
    nodes[0::2], nodes[1::2] = fields[0::5], fields[2::5]
    try:
        numbers = list(map(names.nodes.__getitem__, nodes))
        relations = list(map(names.relations.__getitem__, fields[1::5]))
        documents = list(map(names.documents.__getitem__, fields[3::5]))
    except ValueError:  # an empty field
        return False
    table.subjects.fromlist(numbers[0::2])
    table.relations.fromlist(relations)
    table.objects.fromlist(numbers[1::2])
    table.documents.fromlist(documents)
    return True


def _add_lines(data: bytes, number: int, table: TripleTable, found: KbFindings) -> None:
    """Add a block line by line, and say what is wrong with the others."""
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    for line_number, raw in enumerate(lines, number):
        line = decode(raw.removesuffix(b"\r"), line_number, found)
        if line is None or not line.strip() or (line.startswith("#") and "\t" not in line):
            continue
        if "\r" in line or "\0" in line:
            what = "a carriage return" if "\r" in line else "a null character"
            found.error("character", f"{what} inside a line", line_number, None, "save the file with LF line ends")
            continue
        fields = [field.strip() for field in line.split("\t")]
        if line_number == 1 and tuple(map(str.lower, fields)) == HEADER:
            continue
        if len(fields) != len(HEADER):
            message = f"a line with {len(fields)} field{'s' * (len(fields) != 1)} instead of {len(HEADER)}"
            found.error("columns", message, line_number, 1, _HINT)
            continue
        empty = [place for place, field in enumerate(fields) if not field]
        for place in empty:
            found.error(
                "empty-field", f"the {HEADER[place]} is empty", line_number, found.column(line, place + 1), "name it"
            )
        if not empty:
            table.add(*fields)
