"""Cutting a CoNLL coreference file into documents and its columns into brackets, as the reference scorer does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import IO, Any

from adjudge.errors import Problem
from adjudge.formats.source import read_block

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

    def lines(self, block: bytes, start: int, end: int, number: int) -> int:  # noqa: ARG002
        """Lines of a block that belong to all open documents; `number` is that of the first.

        The answer is how many they are.
        """
        return block.count(b"\n", start, end) + 1

    def end(self, number: int) -> None:
        """An end marker; it ends all open documents."""

    def outside(self, block: bytes, number: int) -> None:
        """Lines between documents."""

    def finish(self) -> None:
        """The end of the file."""


def scan(stream: IO[bytes], listener: Listener, hasher: Any = None) -> str | None:
    """Cut a file into documents; the answer says why the stream broke, if it did."""
    number, inside = 1, False
    for block in _blocks(stream, hasher):
        if isinstance(block, str):
            return block
        if number == 1 and block.startswith(BOM):
            listener.bom()
        start = 0
        for first, last, header, is_end in _markers(block):
            if first > start:
                number = _between(block, start, first - 1, number, listener, inside=inside)
            if is_end and inside:
                listener.end(number)
                inside = False
            if header is not None:
                if inside:
                    listener.lines(block, first, last, number)
                listener.begin(header, number)
                inside = True
            number, start = number + 1, last + 1
        if start <= len(block):
            number = _between(block, start, len(block), number, listener, inside=inside)
    listener.finish()
    return None


def _between(block: bytes, start: int, end: int, number: int, listener: Listener, *, inside: bool) -> int:
    """Report lines that are no markers; the answer is the number of the next line."""
    if inside:
        return number + listener.lines(block, start, end, number)
    listener.outside(block[start:end], number)
    return number + block.count(b"\n", start, end) + 1


def _blocks(stream: IO[bytes], hasher: Any) -> Iterator[bytes | str]:
    """Blocks of whole lines, each without its last newline; a string says why the stream broke."""
    parts: list[bytes] = []
    while True:
        block, broken = read_block(stream, _BLOCK)
        if broken:
            yield broken
            return
        if not block:
            break
        if hasher is not None:
            hasher.update(block)
        cut = block.rfind(b"\n")
        if cut < 0:
            parts.append(block)
        else:
            parts.append(block[:cut])
            yield b"".join(parts)
            parts = [block[cut + 1 :]]
    rest = b"".join(parts)
    if rest:
        yield rest


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


_LONG = 200  # bytes of a column; usual ones have less than ten
_BRACKET = re.compile(rb"[()]")


def parse_brackets(column: bytes) -> Places:
    """The bracketed items of a column with their offsets: discarded pairs, one-token mentions, openings, closings.

    Each of the four patterns is taken out from the left until there are no more, before the next one is looked for;
    what stands around an item that is taken out may form another.

    >>> parse_brackets(b"(1|(2)|3)")
    ([], [('2', 3)], [('1', 0)], [('3', 7)])
    """
    if len(column) > _LONG:
        return _parse_long(column)
    found: Places = ([], [], [], [])
    where = list(range(len(column)))
    for pattern, items in zip(_PATTERNS, found, strict=True):
        match = pattern.search(column)
        while match:
            first, last = match.span()
            items.append((match[1].decode(), where[first]))
            column = column[:first] + column[last:]
            del where[first:last]
            match = pattern.search(column)
    return found


@lru_cache(maxsize=2)  # every problem of a line asks again
def _parse_long(column: bytes) -> Places:
    """The same for columns in which that would take too long: each pattern in one pass.

    Only what has both brackets can close around another: such an item ends before those that follow it begin.
    """
    found: Places = ([], [], [], [])
    where = list(range(len(column)))
    rest = column
    for number, (pattern, items) in enumerate(zip(_PATTERNS, found, strict=True)):
        gone = _closed(rest, pattern) if number < 2 else [(match, *match.span()) for match in pattern.finditer(rest)]
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
