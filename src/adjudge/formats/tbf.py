"""TBF, the files of the event nugget tasks: documents of mention lines and relation lines, columns separated by TABs.

    #BeginOfDocument sample
    system1	sample	E1	t3,t4	got married	Life_Marry	Actual
    @Coreference	R1	E1,E2
    #EndOfDocument

A file is opened by finding its documents; one is parsed when it is asked for, so a large file costs an entry per
document. Lines are read as the official scorer reads them: blanks at both ends are nothing, `#` begins a comment, `@` a
relation, any other line is a mention with at least seven columns, of which the first two are not looked at.

The place of a mention is a list of token ids (`t3,t4`), or pieces of the text as `begin,end` with `;` between them
(`4,8;13,16`). Nothing in a file says which, and `3,4` can be either: see `guess_mode`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias
from weakref import finalize

from adjudge.errors import FormatError, Problem, UsageError, more_problems
from adjudge.formats.findings import Finding
from adjudge.formats.recognise import reads
from adjudge.formats.source import Source, Unpacked, is_file, opened, source_name
from adjudge.formats.tbf_scan import BLANKS, BOM, DIGITS, LIMIT, Index, Section, decode, quote, scan
from adjudge.formats.tbf_write import write_tbf
from adjudge.model.nugget import AFTER, SUBEVENT, Nugget, NuggetDocument, Piece, Relation

__all__ = ["COLUMNS", "Mode", "TbfFile", "guess_mode", "open_tbf", "parse_pieces", "read_tbf", "write_tbf"]

Mode: TypeAlias = Literal["token", "char"]

MODES = ("token", "char")
COLUMNS = 7
DIRECTED = (AFTER, SUBEVENT)
KEPT = 1000  # problems of a document
SAMPLE = 1000  # places from which the mode is guessed

_SPLIT = 1000  # columns that are told apart; a line of nothing but TABs must not fill the memory
_NONE: list[Problem] = []  # of a document without problems; never changed


class TbfFile:
    """The documents of a file, each parsed when it is asked for.

    >>> file = open_tbf(b"#BeginOfDocument a\\ns\\ta\\tE1\\tt1\\tran\\tMovement\\tActual\\n#EndOfDocument\\n")
    >>> file.ids, file.mode, file.read("a").nuggets[0].tokens
    (['a'], 'token', ('t1',))
    """

    def __init__(self, index: Index, store: bytes | IO[bytes] | None, digest: str, mode: Mode | None) -> None:
        self.path = index.place
        self.digest = digest
        self.ids = list(index.documents)
        self.index = index
        self._store = store  # None: the file itself, which is opened when it is needed
        self._mode = mode
        self._problems: dict[str, list[Problem]] = {}
        self._close = None if store is None or isinstance(store, bytes) else finalize(self, store.close)

    def __reduce__(self) -> tuple[Any, ...]:
        """A file travels to other processes as what was found in it, without its bytes if it has a name there."""
        store = self._store
        if store is None or isinstance(store, bytes) or store.name == self.path:
            return TbfFile, (self.index, store if isinstance(store, bytes) else None, self.digest, self._mode)
        if not is_file(self.path):
            raise TypeError(f"{self.path} cannot be opened by another process")
        return open_tbf, (self.path,)

    @property
    def notes(self) -> list[Problem]:
        """What the official reader takes in silence, or would stop at: lines outside documents, missing footers."""
        return [finding.problem for finding in self.findings]

    @property
    def findings(self) -> list[Finding]:
        """The same with the name of each kind; the first hundred of a kind."""
        return self.index.findings

    @property
    def remarks(self) -> dict[str, Problem]:
        """What is read without harm, by kind: `line-ends`, `null`, `encoding`, `long-line`; the first of each."""
        return self.index.remarks

    @property
    def sections(self) -> list[Section]:
        """What stands between markers, also in documents that do not count."""
        return self.index.sections

    @property
    def mode(self) -> Mode:
        """How places are read: as it was said, or else guessed when first needed."""
        if self._mode is None:
            self._mode = guess_mode(self.spans())
        return self._mode

    @mode.setter
    def mode(self, mode: Mode) -> None:
        self._mode = mode

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[NuggetDocument]:
        return map(self.read, self.ids)

    def __contains__(self, id: object) -> bool:
        return id in self.index.documents

    def read(self, id: str) -> NuggetDocument:
        """A document; lines that cannot be read are left out, and are among its `problems`."""
        data, line, header = self._data(id)
        problems: list[Problem] = []
        nuggets, relations = parse_lines(decode(data), line, self.mode, self.path, problems)
        self._problems[id] = problems or _NONE
        return NuggetDocument(id, nuggets, relations, None, header)

    def problems(self, id: str) -> list[Problem]:
        """The lines of a document that cannot be read: the official scorer stops at any of them."""
        if id not in self._problems:
            self.read(id)
        return list(self._problems.setdefault(id, []))

    def section_text(self, section: Section) -> str:
        """The lines of a section, header included."""
        data = self._bytes(section.offset, section.size)
        return decode(data.removeprefix(BOM) if section.offset == 0 else data)

    def section_bytes(self, section: Section) -> bytes:
        """The same as they are in the file."""
        return self._bytes(section.offset, section.size)

    def close(self) -> None:
        """Let go of the file; it is done in any case when nobody needs this any more."""
        if self._close is not None:
            self._close()

    def _data(self, id: str) -> tuple[bytes, int, int]:
        """The bytes of a document, the line they begin with, and the line of its header."""
        first, last = self.index.documents[id]
        sections = self.index.sections
        begin, end = sections[first], sections[last]
        data = self._bytes(begin.offset, end.offset + end.size - begin.offset)
        return data.removeprefix(BOM) if begin.offset == 0 else data, begin.line, end.line

    def _bytes(self, offset: int, size: int) -> bytes:
        store = self._store
        if store is None:
            with opened(self.path, self.path):  # says why, if that is impossible
                store = self._store = open(self.path, "rb")  # noqa: SIM115, PTH123
            self._close = finalize(self, store.close)
        if isinstance(store, bytes):
            return store[offset : offset + size]
        if hasattr(os, "pread"):  # leaves the place in the file alone, which forked processes share
            return _pread(store.fileno(), size, offset)
        store.seek(offset)
        return store.read(size)

    def spans(self) -> Iterator[str]:
        """The place columns of the first mention lines."""
        left = SAMPLE
        for section in self.sections:
            for line in self.section_text(section).split("\n"):
                line = line.strip(BLANKS)
                if not line or line[0] in "#@":
                    continue
                columns = line.split("\t", 4)
                if len(columns) > 4:
                    yield columns[3]
                    left -= 1
                    if not left:
                        return


def open_tbf(source: Source, *, mode: Mode | None = None, name: str | None = None) -> TbfFile:
    """Find the documents of a file; `mode` says how places are written, else it is guessed.

    What cannot be read twice (a pipe, a compressed file) is copied to a temporary file.
    """
    if mode is not None and mode not in MODES:
        raise UsageError(f"there is no mode {mode!r}", hint=f"modes are {' and '.join(MODES)}")
    import hashlib

    place = name or source_name(source)
    hasher = hashlib.sha256()
    with opened(source, place) as stream:
        packed = isinstance(stream, Unpacked)
        store: bytes | IO[bytes]
        copy = None
        if isinstance(source, bytes) and not packed:
            store = source
        elif isinstance(source, str | Path) and str(source) != "-" and not packed and Path(source).is_file():
            store = open(source, "rb")  # noqa: SIM115, PTH123  # it stays open as long as the answer lives
        else:
            import tempfile

            store = tempfile.TemporaryFile()  # noqa: SIM115
            copy = store.write
        try:
            index = scan(stream, place, copy=copy, hasher=hasher)
            if not isinstance(store, bytes):
                store.flush()
        except BaseException:
            if not isinstance(store, bytes):
                store.close()
            raise
    damage = [finding.problem for finding in index.findings if finding.kind == "damaged"]
    file = TbfFile(index, store, hasher.hexdigest(), mode)
    if damage:
        file.close()
        raise FormatError(damage)
    return file


@reads("TBF", "tbf")
def read_tbf(source: Source, mode: Mode | None = None, *, name: str | None = None) -> list[NuggetDocument]:
    """All documents of a file; every line that cannot be read is raised at once.

    >>> line = b"s\\ta\\tE1\\t4,8;13,16\\tmade way\\tMovement\\tActual"
    >>> (document,) = read_tbf(b"#BeginOfDocument a\\n" + line + b"\\n#EndOfDocument\\n")
    >>> document.nuggets[0].pieces
    ((4, 8), (13, 16))
    """
    file = open_tbf(source, mode=mode, name=name)
    try:
        documents = list(file)
        problems = [problem for id in file.ids for problem in file.problems(id)]
    finally:
        file.close()
    if problems:
        if len(problems) > LIMIT:
            problems[LIMIT:] = [more_problems(len(problems) - LIMIT, file.path)]
        raise FormatError(problems)
    return documents


def guess_mode(spans: Iterable[str]) -> Mode:
    """How places are written: `char` if at least nine in ten are pairs of numbers (`4,8` or `4,8;13,16`), else `token`.

    A mention of exactly two tokens whose ids are numbers looks the same, but most mentions have one token; one place in
    ten may be mistaken without a change of the guess. A file of nothing but pairs is read as characters: say the mode
    if it is not so.

    >>> guess_mode(["t1", "t3,t4"]), guess_mode(["4,8", "4,8;13,16"]), guess_mode(["1", "3,4"]), guess_mode([])
    ('token', 'char', 'token', 'token')
    """
    pairs = others = 0
    for span in spans:
        if ("," in span and span.isascii() and span.replace(",", "0").replace(";", "0").isdigit()) and all(
            piece.count(",") == 1 for piece in span.split(";")
        ):
            pairs += 1
        else:
            others += 1
    return "char" if pairs and pairs >= 9 * others else "token"


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
            message = f"{quote(span)} is no place in a text"
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
    """A line that is no mention, or one that lacks columns."""
    if not line or line[0] == "#":
        return
    if line[0] != "@":
        _add(problems, _short(raw, line, count, place, number))
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


def _short(raw: str, line: str, count: int, place: str, number: int) -> Problem:
    """A mention line that lacks columns."""
    message = (
        f"a mention line with {count} column{'s' * (count != 1)}, at least {COLUMNS} are needed: "
        "system id, document id, mention id, place, text, type, realis"
    )
    hint = "separate them by TABs"
    if count == 1:
        message = f"a line that is no mention: {quote(line)} has one column instead of {COLUMNS}"
        if "  " in line:
            hint = "separate the columns by TABs, not by blanks"
    elif raw[:1] == "\t":
        hint = "write the system id first"
    return Problem(message, place, number, 1 + len(raw) - len(raw.lstrip(BLANKS)), hint)


def _pread(descriptor: int, size: int, offset: int) -> bytes:
    """Bytes at a place; a system call may give fewer than asked for."""
    data = os.pread(descriptor, size, offset)
    if len(data) == size:
        return data
    parts = [data]
    got = len(data)
    while data and got < size:
        data = os.pread(descriptor, size - got, offset + got)
        parts.append(data)
        got += len(data)
    return b"".join(parts)
