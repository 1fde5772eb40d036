"""Checks of a CoNLL coreference file, line by line, as the reference scorer reads it.

What is wrong with a file has a line and a column. An error stops the reference scorer. A warning is read in silence,
but hardly as it was meant.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container
from dataclasses import replace
from functools import partial

from adjudge.errors import Problem
from adjudge.findings import Finding, Report, raise_problems
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
from adjudge.formats.source import Source, opened, source_name
from adjudge.model.coref import CorefDocument, Mention

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
        checker.read(stream)
    checker.findings += [Finding("damaged", True, problem) for problem in checker.damage]
    counts = (checker.totals[what] for what in ("documents", "tokens", "chains", "mentions"))
    return Report(checker.place, checker.in_order(), *counts)


class Checker(Reading):
    """Reads documents line by line and checks them on the way; `done` refuses a file with any finding."""

    def __init__(self, place: str) -> None:
        super().__init__(place)
        self.findings: list[Finding] = []
        self.names: dict[str, int] = {}
        self.mentions: dict[int, dict[Mention, tuple[str, int]]] = {}  # first chain and line, by line of the document
        self.unended = 0  # documents since the last end marker
        self.totals = Counter[str]()

    def in_order(self) -> list[Finding]:
        """The findings in file order."""
        return sorted(self.findings, key=lambda each: (each.problem.line or 0, each.problem.column or 0))

    def done(self, only: Container[str] | None) -> list[CorefDocument]:
        """The documents, if nothing is wrong."""
        raise_problems([*(finding.problem for finding in self.in_order()), *self.damage], self.place)
        return super().done(only)

    def begin(self, name: str, number: int) -> None:
        """The name, and whether the document before it has ended."""
        if name != name.rstrip():
            start = len(f"#begin document {name.rstrip()}") + 1
            message = "blanks at the end of a header are part of the document name"
            self._warn("header-blanks", message, number, start, "remove them, or have them in both files", name)
        if name in self.names:
            message = f"document {name!r} occurs in line {self.names[name]} already, and only the last one counts"
            self._warn("same-name", message, number, 1, "give every document its own name", name)
        self.names[name] = number
        self.unended += 1
        if self.unended == MANY + 1:
            message = f"more than {MANY} documents in a row have no end marker"
            problem = Problem(message, path=self.place, line=number, column=1, hint="write #end document after each")
            self.findings.append(Finding("no-end-markers", True, problem, name))
        if len(self.open) == FOLLOWED:
            self._count(self.open.pop(0))
        super().begin(name, number)
        self.totals["documents"] += 1

    def end(self) -> None:
        """What is still open never closes."""
        super().end()
        self.unended = 0

    def finish(self) -> None:
        """The last document may have no end marker; then what has not closed is dropped in silence."""
        if self.has_bom:
            message = "a byte-order mark hides the first line, and with it a document that begins there"
            self._warn("byte-order-mark", message, 1, 1, "save the file without it")
        for document in self.open:
            for problem in self.unclosed(document):
                self.findings.append(Finding("never-closed", False, problem, document.name))
        super().finish()
        if not self.totals["documents"]:
            hint = "a document begins with a line such as: #begin document (name); part 000"
            problem = Problem("the file has no documents", path=self.place, hint=hint)
            self.findings.append(Finding("no-documents", True, problem))

    def keep(self, document: Open) -> None:
        """A document that has ended."""
        for problem in document.problems:
            kind = "never-closed" if "never closes" in problem.message else "never-opened"
            self.findings.append(Finding(kind, True, problem, document.name))
        self._count(document)
        self.mentions.pop(document.number, None)
        super().keep(document)

    def outside(self, block: bytes, start: int, end: int, number: int) -> None:
        """Text that nobody reads."""
        if number == 1 and self.has_bom:
            return  # said already, and this is the document that it hides
        for index, line in enumerate(block[start:end].split(b"\n")):
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

    def _token(self, document: Open, line: bytes, number: int, *, repeated: bool) -> None:
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
            self._mention(document, (token, token), chain, number, partial(place, offset))
        closing = {chain for chain, _ in closes}
        for chain, offset in opens:
            half = document.halves.setdefault(chain, [])
            document.chains.setdefault(chain, [])
            if half and chain in closing:
                message = f"chain {chain} closes and opens on one token, which is read as if it opened first"
                hint = "end one of the mentions a token earlier or later"
                self._warn("reopened", message, number, place(offset), hint, document.name)
            half.append((token, number, line))
        for chain, offset in closes:
            half = document.halves.get(chain, [])
            if half:
                first, opening, text = half.pop()
                where = partial(bracket_place, text, 2, chain, sum(each[1] == opening for each in half))
                self._mention(document, (first, token), chain, opening, where)
            else:
                problem = never_opened(document.name, chain, self.place, number, place(offset))
                document.problems.append(problem)

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
            self._warn("repeated", message, number, column(), "remove one of them", document.name)
        else:
            message = f"the mention of {tokens} is in chain {chain} and in chain {first} (line {where})"
            self._warn("two-chains", message, number, column(), "keep it in one chain", document.name)

    def _count(self, document: Open) -> None:
        found = [mentions for mentions in document.chains.values() if mentions]
        self.totals.update(tokens=document.tokens, chains=len(found), mentions=sum(map(len, found)))

    def endless(self, document: Open) -> Problem:
        """A document without an end marker."""
        problem = replace(super().endless(document), column=1)
        self.findings.append(Finding("no-end-marker", False, problem, document.name))
        return problem

    def _warn(self, kind: str, message: str, number: int, column: int, hint: str, document: str | None = None) -> None:
        problem = Problem(message, path=self.place, line=number, column=column, hint=hint)
        self.findings.append(Finding(kind, False, problem, document))
