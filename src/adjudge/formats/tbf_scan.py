"""The documents of a TBF file, found without reading its lines, and what the lines of a document say.

Both are as in the official reader. It empties its hands at footers only, so lines that stand outside a document, or in
one that has no footer, are credited to the next document that is closed; a last document without a footer is not read
at all. A section is what stands between two markers; a document is the sections from one footer to the next.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import IO, Any, Literal, NamedTuple, TypeAlias, overload

from adjudge.errors import Problem
from adjudge.findings import Findings
from adjudge.formats.source import read_block
from adjudge.model.nugget import AFTER, SUBEVENT, Nugget, Piece, Relation

Mode: TypeAlias = Literal["token", "char"]

BOM = b"\xef\xbb\xbf"
_UTF_16 = b"\xff\xfe", b"\xfe\xff"
HEADER, FOOTER = b"#BeginOfDocument", b"#EndOfDocument"
LIMIT = 100  # problems kept of each kind
QUOTED = 60  # characters of a long text that are shown
BLANKS = " \t\n\r\x0b\x0c"  # what the official reader strips: not every blank of Unicode
DIGITS = 15  # of an offset; longer numbers are not offsets
LONG = 1 << 20  # bytes of a line, of which one is worth a word
COLUMNS = 7
DIRECTED = (AFTER, SUBEVENT)
KEPT = 1000  # problems of a document

_BLOCK = 1 << 18
_BLANKS = b" \t\r\x0b\x0c"
_SPLIT = 1000  # columns that are told apart; a line of nothing but TABs must not fill the memory
_AGAIN = "write one #BeginOfDocument and one #EndOfDocument for each document"


class Section(NamedTuple):
    """The bytes from one marker to the next; `id` is None outside documents, `line` is that of the first byte."""

    id: str | None
    offset: int
    size: int
    line: int
    closed: bool


class Sections(Sequence[Section]):
    """All sections of a file, as columns: five numbers in objects of their own would take four times the memory.

    >>> found = Sections()
    >>> found.append(Section("a", 0, 40, 1, True))
    >>> list(found)
    [Section(id='a', offset=0, size=40, line=1, closed=True)]
    """

    def __init__(self) -> None:
        self.ids: list[str | None] = []
        self.numbers = array("q")  # offset, size and line of each
        self.closed = bytearray()

    def append(self, section: Section) -> None:
        """Add a section."""
        self.ids.append(section.id)
        self.numbers.extend(section[1:4])
        self.closed.append(section.closed)

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, at: int) -> Section: ...

    @overload
    def __getitem__(self, at: slice) -> list[Section]: ...

    def __getitem__(self, at: int | slice) -> Section | list[Section]:
        if isinstance(at, slice):
            return [self[each] for each in range(*at.indices(len(self)))]
        at = range(len(self))[at]
        offset, size, line = self.numbers[3 * at : 3 * at + 3]
        return Section(self.ids[at], offset, size, line, bool(self.closed[at]))

    def document(self, last: int) -> tuple[int, int, int, int]:
        """The document that ends with this section: offset, size, its first line, and the first line of the section.

        >>> found = Sections()
        >>> found.append(Section("a", 0, 40, 1, False))
        >>> found.append(Section("b", 40, 20, 4, True))
        >>> found.document(1)
        (0, 60, 1, 4)
        """
        first = self.closed.rfind(1, 0, last) + 1
        offset, _, begin = self.numbers[3 * first : 3 * first + 3]
        at, size, line = self.numbers[3 * last : 3 * last + 3]
        return offset, at + size - offset, begin, line


class Index:
    """Where the documents of a file are, what the official reader takes in silence, and what may not be meant."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.sections = Sections()
        self.documents: dict[str, int] = {}  # the section with which each ends
        self.found = Findings(place, limit=LIMIT)
        self.remarks: dict[str, Problem] = {}

    def note(self, kind: str, message: str, line: int | None, hint: str, document: str | None = None) -> None:
        """Something that is taken in silence, or that would stop the official reader."""
        self.found.document = document
        self.found.add(kind, message, line, None if line is None else 1, hint)

    def look(self, block: bytes, number: int) -> None:
        """Remark on what is read, but may not be meant: the first of each kind in whole lines from this number on."""

        def remark(kind: str, message: str, at: int, hint: str) -> None:
            line, begin = number + block.count(b"\n", 0, at), block.rfind(b"\n", 0, at) + 1
            column = len(decode(block[begin:at])) + 1
            self.remarks.setdefault(kind, Problem(message, path=self.place, line=line, column=column, hint=hint))

        if b"\r" in block and "line-ends" not in self.remarks:
            message = "carriage returns, of which those at the ends of lines are not read"
            remark("line-ends", message, block.index(b"\r"), "save the file with LF line ends")
        if b"\0" in block and "null" not in self.remarks:
            remark("null", "a null character", block.index(b"\0"), "save the file as UTF-8 text")
        if "encoding" not in self.remarks and not block.isascii():
            try:
                block.decode()
            except UnicodeDecodeError as error:
                message = f"the byte 0x{block[error.start]:02x} is not UTF-8 and read as an escape"
                remark("encoding", message, error.start, "save the file as UTF-8")
        if len(block) > LONG and "long-line" not in self.remarks:
            longest = max(block.split(b"\n"), key=len)
            if len(longest) > LONG:
                message = f"a line of {len(longest):,} bytes"
                remark("long-line", message, block.index(longest), "check that no line breaks are missing")


def quote(text: str) -> str:
    """A value in a message, shortened in the middle if it is long.

    >>> quote("E1"), len(quote("x" * 1000))
    ("'E1'", 62)
    """
    if len(text) > QUOTED:
        text = f"{text[: QUOTED - 20]} ... {text[-15:]}"
    return repr(text)


def decode(data: bytes) -> str:
    """Bytes as text that can be printed; those that are not UTF-8 become `\\xNN`."""
    return data.decode("utf-8", "backslashreplace")


def scan(stream: IO[bytes], place: str, *, copy: Callable[[bytes], Any] | None = None, hasher: Any = None) -> Index:
    """Find the documents of a file; `copy` is given all bytes on the way."""
    index = Index(place)
    walk = _Walk(index)
    start, number = 0, 1  # of the block
    for block in _blocks(stream, index, copy, hasher):
        if start == 0 and block.startswith(BOM):
            index.note("byte-order-mark", "the file begins with a byte-order mark", 1, "save the file without it")
        elif start == 0 and block.startswith(_UTF_16):
            index.note("utf-16", "the file is in UTF-16, and no line of it can be read", 1, "save it as UTF-8")
        index.look(block, number)
        at, line = 0, number
        for first, last, header in _markers(block, bom=start == 0):
            if not walk.open:
                walk.between(block[at:first], line)
            line += block.count(b"\n", at, first)
            if header is None:
                walk.footer(start + first, start + last, line)
            else:
                walk.header(decode(header), start + first, line)
            at, line = last, line + 1
        if not walk.open:
            walk.between(block[at:], line)
        number = line + block.count(b"\n", at)
        start += len(block)
    walk.finish(start)
    return index


class _Walk:
    """What is known in the middle of a file."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.id: str | None = None  # never reset, as in the official reader
        self.open = False
        self.begin = 0  # where the section begins, and in which line
        self.line = 1
        self.content = 0  # the first line outside documents that says something

    def between(self, lines: bytes, line: int) -> None:
        """Lines outside documents that are not markers."""
        if self.content:
            return
        for number, each in enumerate(lines.split(b"\n"), line):
            text = (each.removeprefix(BOM) if number == 1 else each).strip(_BLANKS)
            if text and not text.startswith(b"#"):
                self.content = number
                return

    def header(self, name: str, offset: int, line: int) -> None:
        """A document begins."""
        index = self.index
        if self.open:
            message = (
                f"document {quote(self.id or '')} has no footer before the next header, and its lines are credited to "
                "the next document that is closed"
            )
            index.note("missing-footer", message, self.line, "write #EndOfDocument after it", self.id)
            self._section(self.id, offset, closed=False)
        elif self.content:
            message = "lines outside documents are credited to the next document that is closed"
            index.note("outside", message, self.content, "write #BeginOfDocument before them")
            self._section(None, offset, closed=False)
        if not name:
            message = "a header without a document id"
            index.note("no-id", message, line, "write #BeginOfDocument, a blank and the id", name)
        self.id, self.open, self.begin, self.line, self.content = name, True, offset, line, 0

    def footer(self, offset: int, end: int, line: int) -> None:
        """A document ends, whether one has begun or not."""
        index = self.index
        if not self.open:
            if self.id is None:
                message = "a footer without a header, and what stands before it belongs to a document without an id"
            else:
                message = f"a second footer, and what stands before it replaces document {quote(self.id)}"
            index.note("missing-header", message, line, _AGAIN, self.id)
        self._section(self.id if self.open else None, offset, closed=True)
        name = self.id or ""
        known = index.documents.pop(name, None)
        if known is not None and self.open:
            before = index.sections[known].line
            message = f"document {quote(name)} occurs in line {before} already, and only the last one counts"
            index.note("repeated-document", message, self.line, "put its lines into one document", name)
        index.documents[name] = len(index.sections) - 1
        self.open, self.begin, self.line, self.content = False, end, line + 1, 0

    def finish(self, size: int) -> None:
        """The file ends."""
        index = self.index
        if self.open:
            message = f"document {quote(self.id or '')} has no footer, and is not read by the official programs"
            index.note("missing-footer", message, self.line, "write #EndOfDocument after it", self.id)
            self._section(self.id, size, closed=False)
        elif self.content:
            message = "lines outside documents are not read"
            hint = "write #BeginOfDocument before them and #EndOfDocument after them"
            index.note("outside", message, self.content, hint)
            self._section(None, size, closed=False)
        if not index.documents and not self.open:
            message = "the file is empty" if size == 0 else "the file has no documents"
            hint = "a document begins with a line such as: #BeginOfDocument name, and ends with #EndOfDocument"
            index.note("no-documents", message, None, hint)

    def _section(self, name: str | None, end: int, *, closed: bool) -> None:
        self.index.sections.append(Section(name, self.begin, end - self.begin, self.line, closed))
        self.begin = end


def _blocks(stream: IO[bytes], index: Index, copy: Callable[[bytes], Any] | None, hasher: Any) -> Iterator[bytes]:
    """Blocks of whole lines."""
    parts: list[bytes] = []
    while True:
        block, broken = read_block(stream, _BLOCK)
        if broken:
            index.note("damaged", broken, None, "copy or create the file again")
            break
        if not block:
            break
        if hasher is not None:
            hasher.update(block)
        if copy is not None:
            copy(block)
        cut = block.rfind(b"\n") + 1
        if cut:
            parts.append(block[:cut])
            yield b"".join(parts)
            parts = [block[cut:]] if cut < len(block) else []
        else:
            parts.append(block)
    if parts:
        yield b"".join(parts)


def _markers(block: bytes, *, bom: bool) -> Iterator[tuple[int, int, bytes | None]]:
    """The lines that begin or end a document: where they start, where the next line starts, the name if they begin one.

    >>> list(_markers(b"#BeginOfDocument a\\n  #EndOfDocument\\n", bom=True))
    [(0, 19, b'a'), (19, 36, None)]
    """
    at = block.find(b"#")  # one character is found much sooner than a word
    while at >= 0:
        last = at + 1
        header = block.startswith(HEADER, at)
        if header or block.startswith(FOOTER, at):
            first = _line_start(block, at, bom=bom)
            if first >= 0:
                last = block.find(b"\n", at) + 1 or len(block)
                yield first, last, block[at + len(HEADER) : last].strip() if header else None
        at = block.find(b"#", last)


def _line_start(block: bytes, at: int, *, bom: bool) -> int:
    """Where the line of a marker starts, -1 if anything but blanks stands before it."""
    if block[at - 1 : at] == b"\n":
        return at
    end = at
    while end > 0:
        begin = max(0, end - 4096)  # in pieces, because a line may be very long
        rest = block[begin:end].rstrip(_BLANKS)
        if rest:
            end = begin + len(rest)
            return end if rest[-1] == 10 else 0 if bom and end == 3 and block.startswith(BOM) else -1
        end = begin
    return 0


# ---------------------------------------------------------------------------------------------------------------------
# Lines


def parse_pieces(span: str) -> tuple[Piece, ...] | None:
    """Pieces of the text from `begin,end;begin,end`; further numbers of a piece are not read. None if it is malformed.

    >>> parse_pieces("4,8;13,16"), parse_pieces("4"), parse_pieces("4,x")
    (((4, 8), (13, 16)), None, None)
    """
    found = []
    for piece in span.split(";"):
        numbers = piece.split(",")[:2]
        if len(numbers) < 2 or not piece.isascii() or any(len(each) > DIGITS or "_" in each for each in numbers):
            return None
        try:
            found.append((int(numbers[0]), int(numbers[1])))
        except ValueError:
            return None
    return tuple(found)


def parse_lines(
    text: str, number: int, mode: Mode, place: str, problems: list[Problem]
) -> tuple[list[Nugget], list[Relation]]:
    """The nuggets and relations of lines of which the first has this number; what cannot be read is a problem.

    >>> parse_lines("s\\td\\tE1\\tt1\\tran", 7, "token", "a.tbf", found := [])
    ([], [])
    >>> print(found[0])
    a.tbf:7:1: a mention line with 5 columns, at least 7 are needed: ... realis, separate them by TABs
    """
    rows: list[tuple[Any, ...]] = []
    relations: list[Relation] = []
    keep = rows.append
    char = mode == "char"
    nothing: tuple[Any, ...] = ()
    for line_number, raw in enumerate(text.split("\n"), number):
        line = raw.strip(BLANKS)
        columns = line.split("\t", _SPLIT)
        count = len(columns)
        if count < COLUMNS or line[0] in "#@":
            _read_other(raw, line, count, line_number, place, relations, problems)
            continue
        if count == COLUMNS:
            system, _, id, span, mention, type_, realis = columns
            more = nothing
        else:
            system, _, id, span, mention, type_, realis, *rest = columns
            more = tuple(rest)
        if not char:
            tokens = tuple(span.split(",")) if "," in span else (span,)
            keep((id, type_, realis, mention, tokens, nothing, more, system, line_number))
            continue
        begin, _, end = span.partition(",")
        if begin.isdecimal() and end.isdecimal() and len(span) <= DIGITS and span.isascii():  # nearly always
            keep((id, type_, realis, mention, nothing, ((int(begin), int(end)),), more, system, line_number))
            continue
        pieces = parse_pieces(span)
        if pieces is None:
            message = f"{quote(span)} is not a position in a text"
            _add(problems, Problem(message, place, line_number, field_place(raw, 3), _PIECES))
        else:
            keep((id, type_, realis, mention, nothing, pieces, more, system, line_number))
    # Without a call in Python for each line, which would be a tenth of the time.
    return list(map(partial(tuple.__new__, Nugget), rows)), relations


_PIECES = "write begin,end in characters, with ; between pieces: 4,8;13,16"
_RELATION = "write three columns separated by TABs: @Coreference, an id, and mention ids with commas between them"


def field_place(line: str, index: int) -> int:
    """The column (from 1, in characters) at which a field of a line begins.

    >>> field_place("ab\\tc\\td", 1)
    4
    """
    at = len(line) - len(line.lstrip(BLANKS))
    for _ in range(index):
        at = line.find("\t", at) + 1
        if not at:
            return len(line) + 1
    return at + 1


def _read_other(
    raw: str, line: str, count: int, number: int, place: str, relations: list[Relation], problems: list[Problem]
) -> None:
    """A line that is not a mention, or one that lacks columns."""
    if not line or line[0] == "#":
        return
    if line[0] != "@":
        _add(problems, short_line(raw, line, count, place, number))
        return
    parts = line[1:].strip(BLANKS).split("\t", 3)
    if len(parts) != 3:
        count = line.count("\t") + 1 if len(parts) > 3 else len(parts)
        message = f"a relation line with {count} column{'s' * (count != 1)} instead of 3"
    else:
        name, id, arguments = parts
        members = tuple(arguments.split(","))
        if name not in DIRECTED or len(members) == 2:
            relations.append(Relation(name, id, members, number))
            return
        message = f"{name} relates two mentions, not {len(members)}"
    _add(problems, Problem(message, place, number, 1 + raw.index("@"), _RELATION))


def _add(problems: list[Problem], problem: Problem) -> None:
    """Keep a problem; a file of the wrong kind has one in each of its lines."""
    if len(problems) < KEPT:
        problems.append(problem)
    elif len(problems) == KEPT:
        problems.append(Problem("and more problems in the rest of the document", problem.path, problem.line))


def short_line(raw: str, line: str, count: int, place: str, number: int) -> Problem:
    """A mention line that lacks columns."""
    message = (
        f"a mention line with {count} column{'s' * (count != 1)}, at least {COLUMNS} are needed: "
        "system id, document id, mention id, place, text, type, realis"
    )
    hint = "separate them by TABs"
    if count == 1:
        message = f"a line that is not a mention: {quote(line)} has one column instead of {COLUMNS}"
        if "  " in line:
            hint = "separate the columns by TABs, not by blanks"
    elif raw[:1] == "\t":
        hint = "write the system id first"
    return Problem(message, place, number, 1 + len(raw) - len(raw.lstrip(BLANKS)), hint)
