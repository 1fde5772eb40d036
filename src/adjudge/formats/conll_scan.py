"""Cutting a CoNLL coreference file into documents and its columns into brackets, as the reference scorer does; checks.

What is wrong with a file has a line and a column. An error stops the reference scorer. A warning is read in silence,
but hardly as it was meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import IO, Any

from adjudge.errors import Problem
from adjudge.formats.findings import Finding, Report
from adjudge.formats.source import Source, line_blocks, opened, source_name

BOM = b"\xef\xbb\xbf"
HEADER = re.compile(rb"#\s*begin document (.*)", re.DOTALL)

_BLOCK = 1 << 18
_END = re.compile(rb"#\s*end document")
_WORDS = re.compile(rb"#\s*(?:begin|end) document")
_PATTERNS = tuple(
    re.compile(text) for text in (rb"\(([0-9]+\+[0-9])\)", rb"\(([0-9]+)\)", rb"\(([0-9]+)", rb"(?<![0-9])([0-9]+)\)")
)

Places = tuple[list[tuple[str, int]], ...]  # discarded pairs, one-token mentions, openings, closings, with offsets


class Listener:
    """What `scan` reports to, in the order of the file."""

    def bom(self) -> None:
        """The file starts with a byte-order mark."""

    def begin(self, name: bytes, number: int) -> None:
        """A header; a document that is open stays open, for it has had no end marker."""

    def lines(self, block: bytes, start: int, end: int, number: int) -> None:
        """Lines of a block that belong to all open documents; `number` is that of the first."""

    def end(self, number: int) -> None:
        """An end marker; it ends all open documents."""

    def outside(self, block: bytes, number: int) -> None:
        """Lines between documents."""

    def finish(self) -> None:
        """The end of the file."""


def scan(stream: IO[bytes], *listeners: Listener, hasher: Any = None) -> str | None:
    """Cut a file into documents; the answer says why the stream broke, if it did."""
    number, inside = 1, False
    for block in line_blocks(stream, _BLOCK, hasher):
        if isinstance(block, str):
            return block
        if number == 1 and block.startswith(BOM):
            for each in listeners:
                each.bom()
        start = 0
        for first, last, header, is_end in _markers(block):
            if first > start:
                number = _between(block, start, first - 1, number, listeners, inside=inside)
            if is_end and inside:
                for each in listeners:
                    each.end(number)
                inside = False
            if header is not None:
                for each in listeners:
                    if inside:
                        each.lines(block, first, last, number)
                    each.begin(header, number)
                inside = True
            number, start = number + 1, last + 1
        if start <= len(block):
            number = _between(block, start, len(block), number, listeners, inside=inside)
    for each in listeners:
        each.finish()
    return None


def _between(block: bytes, start: int, end: int, number: int, listeners: Sequence[Listener], *, inside: bool) -> int:
    """Report lines that are no markers; the answer is the number of the next line."""
    for each in listeners:
        if inside:
            each.lines(block, start, end, number)
        else:
            each.outside(block[start:end], number)
    return number + block.count(b"\n", start, end) + 1


def _markers(block: bytes) -> Iterator[tuple[int, int, bytes | None, bool]]:
    """The lines that begin or end a document: where they start and end, the name, whether there is an end marker."""
    at = block.find(b"#")  # every marker has one, and no search is faster than that for a single byte
    while at >= 0:
        if _WORDS.match(block, at):
            first = block.rfind(b"\n", 0, at) + 1
            last = block.find(b"\n", at)
            last = len(block) if last < 0 else last
            line = block[first:last]
            header = HEADER.match(line)
            is_end = _END.search(line) is not None
            if header or is_end:
                yield first, last, header[1].removesuffix(b"\r") if header else None, is_end
                at = last
        at = block.find(b"#", at + 1)


_BRACKET = re.compile(rb"[()]")


@lru_cache(maxsize=2)  # every problem of a line asks again
def parse_brackets(column: bytes) -> Places:
    """The bracketed items of a column with their offsets: discarded pairs, one-token mentions, openings, closings.

    Each of the four patterns is taken out from the left until there are no more, before the next one is looked for;
    what stands around an item that is taken out may form another. Only what has both brackets can close around
    another, and it ends before those that follow it begin, so one pass for each pattern does.

    >>> parse_brackets(b"(1|(2)|3)")
    ([], [('2', 3)], [('1', 0)], [('3', 7)])
    """
    found: Places = ([], [], [], [])
    where = list(range(len(column)))
    rest = column
    for number, (pattern, items) in enumerate(zip(_PATTERNS, found, strict=True)):
        gone = _closed(rest, pattern) if number < 2 else [(match, *match.span()) for match in pattern.finditer(rest)]
        if not gone:
            continue
        kept: list[int] = []
        end = 0
        for match, start, _ in gone:
            items.append((match[1].decode(), where[start]))
        for _, start, after in sorted(gone, key=lambda each: each[1]):
            if start >= end:  # else it is in one that closed around it
                kept += where[end:start]
                end = after
        where = kept + where[end:]
        rest = bytes([column[each] for each in where])
    return found


def _closed(text: bytes, pattern: re.Pattern[bytes]) -> list[tuple[re.Match[bytes], int, int]]:
    """The items with both brackets in the order in which they close, each with its place."""
    found: list[tuple[re.Match[bytes], int, int]] = []
    open_: list[tuple[int, list[bytes]]] = []  # brackets that may still close, with what is between them so far
    last = 0
    for bracket in _BRACKET.finditer(text):
        here = bracket.start()
        if open_:
            open_[-1][1].append(text[last:here])
        last = here + 1
        if bracket[0] == b"(":
            open_.append((here, [b"("]))
        elif open_:
            start, parts = open_.pop()
            match = pattern.fullmatch(b"".join((*parts, b")")))
            if match:
                found.append((match, start, last))
            else:
                open_.clear()  # nothing closes around a bracket that stays
    return found


def coreference_column(line: bytes) -> bytes:
    """The last column that is not empty; the whole line if there is no TAB."""
    line = line.rstrip(b"\t")
    return line[line.rfind(b"\t") + 1 :]


def decode_name(name: bytes) -> str:
    """A document name as text that can be printed; bytes that are not UTF-8 become `\\xNN`."""
    return name.decode(errors="backslashreplace")


def bracket_place(line: bytes, kind: int, chain: str, occurrence: int) -> int:
    """The column (from 1, in characters) of a bracket; `kind` is 1 for one-token mentions, 2 opening, 3 closing."""
    column = coreference_column(line)
    offsets = [offset for name, offset in parse_brackets(column)[kind] if name == chain]
    start = len(line.rstrip(b"\t")) - len(column)
    return len(line[: start + offsets[occurrence]].decode(errors="replace")) + 1


def never_opened(document: str, chain: str, place: str, number: int, column: int) -> Problem:
    """A closing bracket without an opening one."""
    message = f"a mention of chain {chain} closes here but none is open, in document {document!r}"
    return Problem(message, path=place, line=number, column=column, hint="open it at its first token")


def never_closed(document: str, chain: str, place: str, number: int, column: int) -> Problem:
    """An opening bracket without a closing one."""
    message = f"a mention of chain {chain} opens here and never closes, in document {document!r}"
    return Problem(message, path=place, line=number, column=column, hint="close it at its last token")


MANY = 100
"""Documents without an end marker that the reader takes; it refuses a file with more of them in a row."""

FOLLOWED = 10
"""Documents that are checked at once for want of end markers: each line belongs to all of them."""

_BRACKETS = re.compile(rb"[()]")


def check_conll(source: Source, *, name: str | None = None) -> Report:
    """Check a whole file; the findings are in the order of their places.

    >>> report = check_conll(b"#begin document (a); part 000\\na\\t(1)|(2)\\n#end document\\n")
    >>> [(finding.kind, finding.problem.line, finding.problem.column) for finding in report.findings]
    [('two-chains', 2, 7)]
    """
    checker = Checker(name or source_name(source))
    with opened(source, checker.place) as stream:
        broken = scan(stream, checker)
    if broken:
        problem = Problem(broken, path=checker.place, hint="copy or create the file again")
        checker.findings.append(Finding("damaged", True, problem))
    findings = checker.done()
    return Report(checker.place, findings, checker.documents, checker.tokens, checker.chains, checker.mentions)


class _Checked:
    """A document that is being checked."""

    def __init__(self, name: str, number: int) -> None:
        self.name = name
        self.number = number
        self.tokens = 0
        self.halves: dict[str, list[tuple[int, int, int]]] = {}  # token, line and column of each opening
        self.mentions: dict[tuple[int, int], tuple[str, int]] = {}  # first chain and line of each mention
        self.chains: set[str] = set()
        self.count = 0


class Checker(Listener):
    """Checks documents on the way; `done` gives what was found."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.findings: list[Finding] = []
        self.open: list[_Checked] = []
        self.names: dict[str, int] = {}
        self.has_bom = False
        self.unended = 0  # documents since the last end marker
        self.documents = self.tokens = self.chains = self.mentions = 0

    def done(self) -> list[Finding]:
        """The findings in file order."""
        return sorted(self.findings, key=lambda each: (each.problem.line or 0, each.problem.column or 0))

    def bom(self) -> None:
        """It is in the way of the first header."""
        self.has_bom = True
        message = "a byte-order mark hides the first line, and with it a document that begins there"
        self._warn("byte-order-mark", message, 1, 1, "save the file without it")

    def begin(self, name: bytes, number: int) -> None:
        """The name, and whether the document before it has ended."""
        text = decode_name(name)
        if self.open:
            self._endless(self.open[-1])
        if name != name.rstrip():
            start = len(f"#begin document {text.rstrip()}") + 1
            message = "blanks at the end of a header are part of the document name"
            self._warn("header-blanks", message, number, start, "remove them, or have them in both files", text)
        if text in self.names:
            message = f"document {text!r} occurs in line {self.names[text]} already, and only the last one counts"
            self._warn("same-name", message, number, 1, "give every document its own name", text)
        self.names[text] = number
        self.unended += 1
        if self.unended == MANY + 1:
            message = f"more than {MANY} documents in a row have no end marker"
            problem = Problem(message, path=self.place, line=number, column=1, hint="write #end document after each")
            self.findings.append(Finding("no-end-markers", True, problem, text))
        if len(self.open) == FOLLOWED:
            self._count(self.open.pop(0))
        self.open.append(_Checked(text, number))
        self.documents += 1

    def end(self, number: int) -> None:  # noqa: ARG002
        """What is still open never closes."""
        self._close(marked=True)

    def finish(self) -> None:
        """The last document may have no end marker."""
        if self.open:
            self._endless(self.open[-1])
            self._close(marked=False)
        if not self.documents:
            hint = "a document begins with a line such as: #begin document (name); part 000"
            problem = Problem("the file has no documents", path=self.place, hint=hint)
            self.findings.append(Finding("no-documents", True, problem))

    def outside(self, block: bytes, number: int) -> None:
        """Text that nobody reads."""
        if number == 1 and self.has_bom:
            return  # said already, and this is the document that it hides
        for index, line in enumerate(block.split(b"\n")):
            if line.strip() and not line.startswith(b"#"):
                message = "text outside documents is not read"
                self._warn("outside", message, number + index, 1, "begin a document before it")
                return  # once per gap

    def lines(self, block: bytes, start: int, end: int, number: int) -> None:
        """Line by line; a line can belong to several documents if end markers are missing."""
        for index, line in enumerate(block[start:end].split(b"\n")):
            if line.strip():
                for document in self.open:
                    self._token(document, line, number + index, repeated=document is not self.open[-1])

    def _token(self, document: _Checked, line: bytes, number: int, *, repeated: bool) -> None:
        """One line; `repeated` if another open document reports it already."""
        token = document.tokens
        document.tokens += 1
        column = coreference_column(line)
        base = len(line.rstrip(b"\t")) - len(column)
        if line.startswith(b"#") and not repeated and not HEADER.match(line):
            message = "a comment line inside a document counts as a token"
            self._warn("comment-token", message, number, 1, "remove it", document.name)
        if not _BRACKETS.search(column):
            return

        plain = line.isascii()  # then nothing has to be decoded, however long the line is

        def place(offset: int) -> int:
            return base + offset + 1 if plain else len(line[: base + offset].decode(errors="replace")) + 1

        doubles, singles, opens, closes = parse_brackets(column)
        if not repeated:
            self._doubtful(document.name, column, [*doubles, *singles, *opens, *closes], number, place)
            for pair, offset in doubles:
                message = f"({pair}) is discarded, it is an old notation for two antecedents"
                self._warn("discarded", message, number, place(offset), "write one chain", document.name)
        for chain, offset in singles:
            self._mention(document, (token, token), chain, number, place(offset))
        closing = {chain for chain, _ in closes}
        for chain, offset in opens:
            half = document.halves.setdefault(chain, [])
            if half and chain in closing:
                message = f"chain {chain} closes and opens on one token, which is read as if it opened first"
                hint = "end one of the mentions a token earlier or later"
                self._warn("reopened", message, number, place(offset), hint, document.name)
            half.append((token, number, place(offset)))
        for chain, offset in closes:
            if document.halves.get(chain):
                first, opening, where = document.halves[chain].pop()
                self._mention(document, (first, token), chain, opening, where)
            else:
                problem = never_opened(document.name, chain, self.place, number, place(offset))
                self.findings.append(Finding("never-opened", True, problem, document.name))

    def _doubtful(
        self, document: str, column: bytes, items: list[tuple[str, int]], number: int, place: Callable[[int], int]
    ) -> None:
        """Items outside the last field of a space-separated line, and brackets in that field that are no items."""
        last = column.rstrip().rfind(b" ") + 1
        for chain, offset in items:
            if offset < last:
                message = f"a word with brackets is read as a mention of chain {chain}"
                hint = "separate the columns by TABs"
                self._warn("word-as-mention", message, number, place(offset), hint, document)
        field = column[last:].strip()
        if not items and _BRACKETS.search(field) and field.strip(b"()*|"):
            message = f"{field.decode(errors='replace')} has brackets but nothing in it is read"
            self._warn("not-read", message, number, place(last), "write digits as chain ids", document)

    def _mention(self, document: _Checked, mention: tuple[int, int], chain: str, number: int, column: int) -> None:
        document.chains.add(chain)
        document.count += 1
        if mention not in document.mentions:
            document.mentions[mention] = chain, number
            return
        first, where = document.mentions[mention]
        tokens = f"token {mention[0]}" if mention[0] == mention[1] else f"tokens {mention[0]} to {mention[1]}"
        if first == chain:
            message = f"the mention of {tokens} is in chain {chain} already (line {where})"
            self._warn("repeated", message, number, column, "remove one of them", document.name)
        else:
            message = f"the mention of {tokens} is in chain {chain} and in chain {first} (line {where})"
            self._warn("two-chains", message, number, column, "keep it in one chain", document.name)

    def _close(self, *, marked: bool) -> None:
        """The open documents end; without a marker, mentions that have not closed are dropped in silence."""
        for document in self.open:
            for chain, half in document.halves.items():
                for _, number, column in half:
                    problem = never_closed(document.name, chain, self.place, number, column)
                    self.findings.append(Finding("never-closed", marked, problem, document.name))
            self._count(document)
        self.open.clear()
        self.unended = 0

    def _count(self, document: _Checked) -> None:
        self.tokens += document.tokens
        self.chains += len(document.chains)
        self.mentions += document.count

    def _endless(self, document: _Checked) -> None:
        message = f"document {document.name!r} has no end marker, so it goes on to the next one or the end of the file"
        self._warn("no-end-marker", message, document.number, 1, "write #end document after it", document.name)

    def _warn(self, kind: str, message: str, number: int, column: int, hint: str, document: str | None = None) -> None:
        problem = Problem(message, path=self.place, line=number, column=column, hint=hint)
        self.findings.append(Finding(kind, False, problem, document))
