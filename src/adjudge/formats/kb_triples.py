"""Plain triples: a line for each fact and each document that supports it, as TSV, CSV or Parquet.

    subject <TAB> relation <TAB> object <TAB> document <TAB> confidence

The last two columns may be left out. Lines are UTF-8. A first line that names subject, relation and object (`head`,
`predicate`, `tail` and other words, see `kg_keys`) is a header: columns may then be in any order, and others are
ignored. Empty lines, and lines that begin with `#` and have no TAB, are skipped. Blanks around a field do not count. In
TSV, quotes are ordinary characters; CSV is read by RFC 4180, and is a file that is called so, or that has commas and no
TAB in its first line. The files of a folder or pattern are one table; a file may also be Parquet with such columns.

Names become numbers while the file is read in blocks: memory grows with the number of distinct names and by sixteen
bytes per line, not with the length of lines.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from adjudge.errors import AdjudgeError, FormatError, Problem
from adjudge.findings import Findings, field_column
from adjudge.formats.kg_keys import PLAIN, TRIPLE, confidence_of, roles_of
from adjudge.formats.source import Line, Source, block_lines, find_shards, is_parquet, reads, source_name, table_blocks
from adjudge.model.kbp import TripleNames, TripleTable
from adjudge.model.kg import NOWHERE, Graph, new_graph, one_line

HEADER = ("subject", "relation", "object", "document")
SUFFIXES = (".tsv", ".txt", ".tab", ".triples", ".parquet", ".csv")

SMALL = 1 << 16  # bytes that are read line by line: numpy takes longer to load
_HEAD = 1000  # lines that may be skipped at the beginning
_LONGEST = 1 << 24  # characters in a CSV field
_HINT = "write subject, relation, object and document with a TAB between them"
_NUMBER = "write a number such as 0.8"


class Layout(NamedTuple):
    """How many fields a line has, which one has each role, and whether commas separate them."""

    width: int
    places: Mapping[str, int]
    comma: bool = False

    @property
    def quick(self) -> bool:
        """Whether many lines can be read at once."""
        return not self.comma and "confidence" not in self.places


@reads("triples: lines of subject, relation, object, document", "tsv", "csv", "columns", "conllu", "parquet")
def read_triples(
    source: Source, *, names: TripleNames | None = None, name: str | None = None, may_be_empty: bool = False
) -> TripleTable:
    r"""All triples of a file, or of the files of a folder or pattern.

    With the `names` of another table, the numbers of both mean the same. A source without triples is an error, unless
    it `may_be_empty`.

    >>> table = read_triples(b"ana\tspouse\tben\td1\nben\tspouse\tana\td1\n")
    >>> list(table.subjects), list(table.objects), table.names.nodes.listed
    ([0, 1], [1, 0], ['ana', 'ben'])
    >>> list(read_triples(b"tail,head,relation\nben,ana,spouse\n").rows())
    [('ana', 'spouse', 'ben', '-')]
    """
    graph = read_table(source, names=names, name=name)
    if not len(graph.table) and not may_be_empty:
        raise FormatError(no_triples(name or source_name(source)))
    return graph.table


def read_table(source: Source, *, names: TripleNames | None = None, name: str | None = None) -> Graph:
    """The same as a graph with confidences and notes; there may be no triples."""
    graph = new_graph(names)
    problems: list[Problem] = []
    shards = triple_shards(source)
    for each in [source] if shards is None else shards:
        found = Findings(name if name is not None and shards is None else source_name(each))
        _scan_file(each, graph, found)
        problems += found.problems()
    if problems:
        raise FormatError(problems)
    return graph


def no_triples(place: str) -> Problem:
    """What is wrong with an empty source.

    >>> print(no_triples("gold.tsv"))
    gold.tsv: the file has no triples, write subject, relation, object and document with a TAB between them
    """
    return Problem("the file has no triples", path=place, hint=_HINT)


def triple_shards(source: Source) -> list[str] | None:
    """The files of a folder or pattern; None if the source is one file, or no file.

    >>> triple_shards("gold.tsv") is None
    True
    """
    return find_shards(source, suffixes=SUFFIXES, what="triples")


def scan_triples(source: Source, graph: Graph, found: Findings) -> None:
    """Add what can be read of a file, or of several, to `graph`, and what is wrong to `found`."""
    shards, place = triple_shards(source), found.place
    for each in [source] if shards is None else shards:
        found.place = place if shards is None else source_name(each)
        _scan_file(each, graph, found)
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
    if first is not None and not header and _is_header(first):
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


def _scan_file(source: Source, graph: Graph, found: Findings) -> None:
    if is_parquet(source):
        _scan_parquet(source, graph, found)
        return
    at, layout = Line(), None
    blocks = table_blocks(source, found, at)
    for data in blocks:
        if layout is None:
            number, begin = _skip_head(data, at.number)
            if begin > len(data):
                at.number = number
                continue
            at.number, data = number, data[begin:]
            layout, is_header = _layout(data, source, found, at.number, graph)
            if layout is None:
                return
            if layout.comma:
                _add_records(_lines(data, blocks, found, at), layout, graph, found, skip=is_header)
                return
            if is_header:
                data = data.partition(b"\n")[2]
                at.number += 1
                if not data:
                    continue
        before = len(graph.table)
        if layout.quick and len(data) > SMALL and _add_block(data, graph.table, layout):
            at.number += len(graph.table) - before
        else:
            _add_lines(block_lines(at.number, data, found), layout, graph, found)
            at.number += data.count(b"\n") + 1


def _lines(data: bytes, rest: Iterable[bytes], found: Findings, at: Line) -> Iterator[tuple[int, str]]:
    """The lines of a block and of those after it."""
    yield from block_lines(at.number, data, found)
    at.number += data.count(b"\n") + 1
    for each in rest:
        yield from block_lines(at.number, each, found)
        at.number += each.count(b"\n") + 1


def _skip_head(data: bytes, number: int) -> tuple[int, int]:
    """The number of the first line not to be skipped, and where it begins; past the end if there is none."""
    at = 0
    while number < _HEAD and at <= len(data):
        end = data.find(b"\n", at)
        line = data[at : end if end >= 0 else len(data)]
        if line.strip() and (b"\t" in line or not line.startswith(b"#")):
            break
        number, at = number + 1, end + 1 if end >= 0 else len(data) + 1
    return number, at


def _layout(data: bytes, source: Source, found: Findings, number: int, graph: Graph) -> tuple[Layout | None, bool]:
    """The layout of a file, told by its first line that is not skipped, and whether that line is a header."""
    line = data.partition(b"\n")[0].decode("utf-8", "replace")
    named = isinstance(source, str | os.PathLike) and str(source).lower().removesuffix(".gz").endswith(".csv")
    comma = named or ("\t" not in line and line.count(",") >= 2)
    try:
        fields = next(_records([(number, line)]), (0, [line]))[1] if comma else line.split("\t")
        roles = roles_of(fields)
    except AdjudgeError as error:
        found.add("columns", error.problems[0].message, number, 1, error.problems[0].hint)
        return None, False
    if roles is not None:
        places = {role: fields.index(name) for role, name in roles.items()}
        ignored = [name.strip() for place, name in enumerate(fields) if place not in places.values()]
        if ignored:
            message = f"columns without a meaning here were ignored: {', '.join(ignored)}"
            graph.notes.append(Problem(message, path=found.place, line=number))
        return Layout(len(fields), places, comma), True
    width = len(fields) if len(TRIPLE) <= len(fields) <= len(PLAIN) else len(TRIPLE)
    return Layout(width, {role: place for place, role in enumerate(PLAIN[:width])}, comma), False


def _is_header(row: Iterable[str]) -> bool:
    try:
        return roles_of(row) is not None
    except AdjudgeError:
        return True


def _add_block(data: bytes, table: TripleTable, layout: Layout) -> bool:
    """Add all rows of a block at once; False if some line is not a triple, and lines must be looked at one by one."""
    import numpy as np

    from adjudge.formats.interning import Fields, intern_together

    whole = b"".join((data, b"\n", bytes(8)))
    every = np.frombuffer(whole, np.uint8)[: len(data) + 1]
    ends = np.flatnonzero(every <= ord("\n"))
    width, places = layout.width, layout.places
    if len(ends) % width or b"\r" in data:
        return False
    signs = every[ends].reshape(-1, width)
    if (signs[:, :-1] != ord("\t")).any() or (signs[:, -1] != ord("\n")).any():
        return False
    starts = np.concatenate((ends[:1] * 0, ends[:-1] + 1))
    lengths = ends - starts
    starts, lengths = starts.reshape(-1, width), lengths.reshape(-1, width)
    used = list(places.values())
    if not lengths[:, used].all():
        return False
    kinds = [table.names.nodes, table.names.relations, table.names.documents]
    # Subjects and objects alternate, as they get their numbers.
    chosen = [[places["subject"], places["object"]], [places["relation"]], [places.get("document", -1)]]
    if "document" not in places:
        kinds, chosen = kinds[:2], chosen[:2]
    fields = [Fields(whole, starts[:, own].ravel(), lengths[:, own].ravel()) for own in chosen]
    numbers = intern_together(fields, kinds)
    if numbers is None:
        return False
    nodes, relations, *documents = numbers
    if not documents:
        documents = [np.full(len(starts), table.names.documents[NOWHERE], dtype=nodes.dtype)]
    table.subjects.frombytes(nodes[0::2].tobytes())
    table.relations.frombytes(relations.tobytes())
    table.objects.frombytes(nodes[1::2].tobytes())
    table.documents.frombytes(documents[0].tobytes())
    return True


def _add_lines(lines: Iterable[tuple[int, str]], layout: Layout, graph: Graph, found: Findings) -> None:
    for number, line in lines:
        fields = [*map(str.strip, line.split("\t"))]
        if not line.strip() or (line.startswith("#") and len(fields) == 1):
            continue
        if "\r" in line or "\0" in line:
            what = "a carriage return" if "\r" in line else "a null character"
            found.add("character", f"{what} inside a line", number, None, "save the file with LF line ends")
        elif _is_row(fields, layout, found, number, line):
            _add_row(fields, layout, graph, found, number)


def _is_row(fields: list[str], layout: Layout, found: Findings, number: int, line: str | None = None) -> bool:
    """Whether a line has all its fields; what is wrong with it goes to `found`."""
    if len(fields) != layout.width:
        message = f"a line with {len(fields)} field{'s' * (len(fields) != 1)} instead of {layout.width}"
        found.add("columns", message, number, 1, _HINT)
        return False
    empty = [(place, role) for role, place in layout.places.items() if not one_line(fields[place])]
    for place, role in empty:
        column = None if line is None else field_column(line, place + 1)
        hint = _NUMBER if role == "confidence" else "name it"
        found.add("empty-field", f"the {role} is empty", number, column, hint)
    return not empty


def _add_row(fields: list[str], layout: Layout, graph: Graph, found: Findings, number: int) -> None:
    places = layout.places
    sure = None
    if "confidence" in places:
        sure = confidence_of(fields[places["confidence"]])
        if sure is None:
            message = f"the confidence {fields[places['confidence']]!r:.40} is not a number"
            found.add("improper-confidence", message, number, None, _NUMBER)
            return
    document = fields[places["document"]] if "document" in places else NOWHERE
    graph.add([fields[places[role]] for role in TRIPLE], document, confidence=sure)


def _add_records(
    lines: Iterable[tuple[int, str]], layout: Layout, graph: Graph, found: Findings, *, skip: bool
) -> None:
    """The records of CSV, which may span several lines."""
    records = _records(lines)
    while True:
        try:
            number, fields = next(records)
        except StopIteration:
            return
        except FormatError as error:
            for each in error.problems:
                found.add("columns", each.message, each.line, None, each.hint)
            return
        if skip:
            skip = False
        elif any(field.strip() for field in fields) and _is_row(fields, layout, found, number):
            _add_row(fields, layout, graph, found, number)


def _records(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, list[str]]]:
    import csv

    first = 0

    def texts() -> Iterator[str]:
        nonlocal first
        for number, line in lines:
            first = first or number
            yield f"{line}\n".replace("\0", "")

    csv.field_size_limit(_LONGEST)
    reader = csv.reader(texts(), strict=True)
    before = 0
    while True:
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            message = f"this is not CSV: {error}"
            raise FormatError(Problem(message, line=first + before, hint="check the quotes of the line")) from None
        yield first + before, record
        before = reader.line_num


def _scan_parquet(source: Source, graph: Graph, found: Findings) -> None:
    """The rows of a Parquet file, whose columns are named as in a header."""
    from adjudge.formats.parquet import parquet_names, parquet_table

    names = parquet_names(str(source), found.place)
    roles = roles_of(names)
    if roles is None:
        message = f"there are no columns for subject, relation and object, only {', '.join(names)}"
        found.add("columns", message, None, None, "name them subject, relation, object, and perhaps document")
        return
    chosen = [role for role in PLAIN if role in roles]
    layout = Layout(len(chosen), {role: place for place, role in enumerate(chosen)})
    number = 0
    for block in parquet_table(str(source), [roles[role] for role in chosen], found.place):
        before = len(graph.table)
        if isinstance(block, bytes) and layout.quick and _add_block(block, graph.table, layout):
            number += len(graph.table) - before
            continue
        rows = (
            (line.split("\t") for line in block.decode().split("\n"))
            if isinstance(block, bytes)
            else zip(*block, strict=True)
        )
        for row in rows:
            number += 1
            bad = [
                role
                for role, field in zip(chosen, row, strict=True)
                if role != "confidence"
                and (not isinstance(field, str) or not field.strip() or any(mark in field for mark in "\t\n\r\0"))
            ]
            if bad:
                message = f"row {number}: the {bad[0]} is empty, or not text on one line"
                found.add("empty-field", message, None, None, "name it")
            else:
                _add_row([str(field) for field in row], layout, graph, found, number)
