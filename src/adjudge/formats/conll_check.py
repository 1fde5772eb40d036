"""Checks of a CoNLL coreference file, line by line, as the reference scorer reads it.

Every finding has a line and a column. An error stops the reference scorer. A warning is accepted silently, but probably
misread.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container
from functools import partial

from msgspec.structs import replace

from adjudge.errors import FormatError, Problem
from adjudge.findings import Findings
from adjudge.formats.conll import (
    HEADER,
    MANY,
    Open,
    Reading,
    bracket_place,
    coreference_column,
    never_opened,
    parse_brackets,
)
from adjudge.formats.source import Source, opened
from adjudge.model.coref import CorefDocument, Mention

FOLLOWED = 10
"""Most documents without end markers that are checked at once: each line belongs to all of them."""

_BRACKETS = re.compile(rb"[()]")


KINDS = (
    *("never-closed", "never-opened", "no-end-markers", "no-documents", "damaged", "unreadable"),
    *("two-chains", "repeated", "reopened", "discarded", "word-as-mention", "not-read", "comment-token"),
    *("header-blanks", "same-name", "no-end-marker", "byte-order-mark", "outside", "note"),
)
"""Every kind of finding in a file of chains, in the order of `docs/coreference-formats.md`."""


def check_conll(source: Source, found: Findings) -> None:
    """Check a whole file.

    >>> found = Findings("key")
    >>> check_conll(b"#begin document (a); part 000\\na\\t(1)|(2)\\n#end document\\n", found)
    >>> [(finding.kind, finding.problem.line, finding.problem.column) for finding in found.findings]
    [('two-chains', 2, 7)]
    """
    checker = Checker(found.place, found)
    with opened(source, checker.place) as stream:
        checker.read(stream)
    for problem in checker.damage:
        found.add_problem("damaged", problem)
    found.contents.update({what: checker.totals[what] for what in ("document", "token", "chain", "mention")})


class Checker(Reading):
    """Reads documents line by line and checks them; `done` refuses a file with any finding."""

    def __init__(self, place: str, found: Findings | None = None) -> None:
        super().__init__(place)
        self.found = found or Findings(place)
        self.names: dict[str, int] = {}
        self.mentions: dict[int, dict[Mention, tuple[str, int]]] = {}  # first chain and line, by line of the document
        self.unended = 0  # documents since the last end marker
        self.totals = Counter[str]()

    def done(self, only: Container[str] | None) -> list[CorefDocument]:
        """The documents, if nothing is wrong."""
        if problems := [*(finding.problem for finding in self.found.sorted()), *self.damage]:
            raise FormatError(problems)
        return super().done(only)

    def begin(self, name: str, number: int) -> None:
        """A header: its name, and whether the document before it has ended."""
        if name != name.rstrip():
            start = len(f"#begin document {name.rstrip()}") + 1
            message = "blanks at the end of a header are part of the document name"
            self.found.warn(
                "header-blanks", message, number, start, "remove them, or have them in both files", document=name
            )
        if name in self.names:
            message = f"document {name!r} occurs in line {self.names[name]} already, and only the last one counts"
            self.found.warn("same-name", message, number, 1, "give every document its own name", document=name)
        self.names[name] = number
        self.unended += 1
        if self.unended == MANY + 1:
            message = f"more than {MANY} documents in a row have no end marker"
            hint = "write #end document after each"
            self.found.add("no-end-markers", message, number, 1, hint, document=name)
        if len(self.open) == FOLLOWED:
            self._count(self.open.pop(0))
        super().begin(name, number)
        self.totals["document"] += 1

    def end(self) -> None:
        """An end marker; mentions still open never close."""
        super().end()
        self.unended = 0

    def finish(self) -> None:
        """The last document may have no end marker; then mentions still open are dropped silently."""
        if self.has_bom:
            message = "a byte-order mark hides the first line, and with it a document that begins there"
            self.found.warn("byte-order-mark", message, 1, 1, "save the file without it")
        for document in self.open:
            for problem in self.unclosed(document):
                self.found.add_problem("never-closed", problem, error=False, document=document.name)
        super().finish()
        if not self.totals["document"]:
            hint = "a document begins with a line such as: #begin document (name); part 000"
            self.found.add("no-documents", "the file has no documents", hint=hint)

    def keep(self, document: Open) -> None:
        """A document that has ended."""
        for problem in document.problems:
            kind = "never-closed" if "never closes" in problem.message else "never-opened"
            self.found.add_problem(kind, problem, document=document.name)
        self._count(document)
        self.mentions.pop(document.number, None)
        super().keep(document)

    def outside(self, block: bytes, start: int, end: int, number: int) -> int:
        """Text outside documents."""
        hidden = number == 1 and self.has_bom  # a document that is reported already
        for index, line in enumerate(() if hidden else block[start:end].split(b"\n")):
            if line.strip() and not line.startswith(b"#"):
                message = "text outside documents is not read"
                self.found.warn("outside", message, number + index, 1, "begin a document before it")
                break  # once per gap
        return super().outside(block, start, end, number)

    def lines(self, block: bytes, start: int, end: int, number: int) -> int:
        """Line by line; a line can belong to several documents if end markers are missing."""
        every = block[start:end].split(b"\n")
        for at, line in enumerate(every, number):
            if line.strip():
                for document in self.open:
                    self._token(document, line, at, repeated=document is not self.open[-1])
        return number + len(every)

    def _token(self, document: Open, line: bytes, number: int, *, repeated: bool) -> None:
        """One line; `repeated` if another open document has reported it."""
        token = document.tokens
        document.tokens += 1
        column = coreference_column(line)
        base = len(line.rstrip(b"\t")) - len(column)
        if line.startswith(b"#") and not repeated and not HEADER.match(line):
            message = "a comment line inside a document counts as a token"
            self.found.warn("comment-token", message, number, 1, "remove it", document=document.name)
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
                self.found.warn("discarded", message, number, place(offset), "write one chain", document=document.name)
        for chain, offset in singles:
            self._mention(document, (token, token), chain, number, partial(place, offset))
        closing = {chain for chain, _ in closes}
        for chain, offset in opens:
            half = document.halves.setdefault(chain, [])
            document.chains.setdefault(chain, [])
            if half and chain in closing:
                message = f"chain {chain} closes and opens on one token, which is read as if it opened first"
                hint = "end one of the mentions a token earlier or later"
                self.found.warn("reopened", message, number, place(offset), hint, document=document.name)
            half.append(token)
            document.places[token] = number, line
        for chain, offset in closes:
            half = document.halves.get(chain, [])
            if half:
                first = half.pop()
                opening, text = document.places[first]
                where = partial(bracket_place, text, 2, chain, half.count(first))
                self._mention(document, (first, token), chain, opening, where)
            else:
                problem = never_opened(document.name, chain, self.place, number, place(offset))
                document.problems.append(problem)

    def _doubtful(
        self, document: str, column: bytes, items: list[tuple[str, int]], number: int, place: Callable[[int], int]
    ) -> None:
        """Items outside the last field of a space-separated line, and brackets in that field that are not items."""
        last = column.rstrip().rfind(b" ") + 1
        for chain, offset in items:
            if offset < last:
                message = f"a word with brackets is read as a mention of chain {chain}"
                hint = "separate the columns by TABs"
                self.found.warn("word-as-mention", message, number, place(offset), hint, document=document)
        field = column[last:].strip()
        if not items and _BRACKETS.search(field) and field.strip(b"()*|"):
            message = f"{field.decode(errors='replace')} has brackets but nothing in it is read"
            self.found.warn("not-read", message, number, place(last), "write digits as chain ids", document=document)

    def _mention(self, document: Open, mention: Mention, chain: str, number: int, column: Callable[[], int]) -> None:
        document.chains.setdefault(chain, []).append(mention)
        known = self.mentions.setdefault(document.number, {})
        if mention not in known:
            known[mention] = chain, number
            return
        first, where = known[mention]
        tokens = f"token {mention[0]}" if mention[0] == mention[1] else f"tokens {mention[0]} to {mention[1]}"
        if first == chain:
            message = f"the mention of {tokens} is in chain {chain} already (line {where})"
            self.found.warn("repeated", message, number, column(), "remove one of them", document=document.name)
        else:
            message = f"the mention of {tokens} is in chain {chain} and in chain {first} (line {where})"
            self.found.warn("two-chains", message, number, column(), "keep it in one chain", document=document.name)

    def _count(self, document: Open) -> None:
        found = [mentions for mentions in document.chains.values() if mentions]
        self.totals.update(token=document.tokens, chain=len(found), mention=sum(map(len, found)))

    def endless(self, document: Open) -> Problem:
        """A document without an end marker."""
        problem = replace(super().endless(document), column=1)
        self.found.add_problem("no-end-marker", problem, error=False, document=document.name)
        return problem
