"""The tokens and the text that the places of a document refer to."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from adjudge.errors import Problem, UsageError
from adjudge.formats.tbf_scan import DIGITS, quote
from adjudge.formats.token_table import find_table, scan_table
from adjudge.model.nugget import TokenTable
from adjudge.model.whereabouts import not_utf8
from adjudge.tasks.nugget.validation_findings import LIMIT, Collector
from adjudge.tasks.nugget.validation_places import Ground


class Grounds:
    """Where token tables and texts are, if they are anywhere, and how long the texts are."""

    def __init__(
        self,
        tables: str | Path | None,
        suffix: str,
        texts: str | Path | None,
        text_suffix: str,
        sizes: Mapping[str, int] | None,
    ) -> None:
        self.tables = _folder(tables, "token tables")
        self.suffix = suffix
        self.texts = _folder(texts, "texts")
        self.text_suffix = text_suffix
        self.sizes = sizes
        self.names = cache(_names)

    def find(self, document: str, line: int, mode: str, out: Collector) -> Ground:
        """What is known of a document; `line` is that of its header."""
        if not document:
            return Ground()
        text, size = None, None
        if self.sizes is not None:
            size = self.sizes.get(document)
            if size is None:
                message, hint = f"document {quote(document)} is not in the list of sizes", "check the id"
                out.error("no-size", message, line, 1, hint=hint, document=document)
        if self.texts is not None and (self.tables is not None or mode == "char"):
            path = find_table(self.texts, document, suffix=self.text_suffix)
            if path is None:
                hint = self._other(self.texts, document, self.text_suffix, "--text-suffix")
                message = f"document {quote(document)} has no text in {self.texts}"
                out.error("no-text", message, line, 1, hint=hint, document=document)
            else:
                text = _read_text(path, document, out)
        if text is not None:
            if size is not None and size != len(text):
                message = f"the text of document {quote(document)} has {len(text)} characters, in the list {size}"
                out.error("text-size", message, line, 1, hint="is it the same text?", document=document)
            size = len(text)
        if self.tables is None:
            return Ground(text=text, size=size)
        path = find_table(self.tables, document, suffix=self.suffix)
        if path is None:
            hint = self._other(self.tables, document, self.suffix, "--suffix")
            message = f"document {quote(document)} has no token table in {self.tables}"
            out.error("no-table", message, line, 1, hint=hint, document=document)
            return Ground(text=text, size=size)
        table = _read_table(path, document, text, out)
        rows: dict[str, int] = {}
        for row, token in enumerate(table.tokens):
            rows.setdefault(token.id, row)
        return Ground(table, rows, text, size)

    def _other(self, folder: Path, document: str, suffix: str, option: str) -> str:
        """A remedy if a document has a file, but with another suffix."""
        names = self.names(folder)
        start = f"{document}."
        at = bisect_left(names, start)
        if document and at < len(names) and names[at].startswith(start):
            return f"there is {names[at]}: say {option} {names[at][len(document) :]}"
        return f"it would be called {quote(document + suffix)[1:-1]}"


def read_sizes(path: str | Path) -> dict[str, int]:
    """The number of characters of documents: a line for each, the id and the number with a blank or TAB between."""
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise UsageError(not_utf8(error, str(path))) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        problem = Problem(f"the list of sizes cannot be read ({reason})", path=str(path), hint="check the file")
        raise UsageError(problem) from None
    sizes: dict[str, int] = {}
    problems = []
    for number, line in enumerate(lines, 1):
        parts = line.split()
        if len(parts) == 2 and parts[1].isascii() and parts[1].isdigit() and len(parts[1]) <= DIGITS:
            sizes[parts[0]] = int(parts[1])
        elif parts:
            hint = "write a document id and its number of characters"
            problems.append(Problem(f"{quote(line)} is no size", path=str(path), line=number, column=1, hint=hint))
    if problems:
        raise UsageError(problems[:LIMIT])
    return sizes


def _read_table(path: Path, document: str, text: str | None, out: Collector) -> TokenTable:
    table, findings = scan_table(path, document)
    for finding in findings:
        problem = finding.problem
        say = out.error if finding.error else out.warn
        say(finding.kind, problem.message, problem.line, problem.column, hint=problem.hint, path=problem.path)
    if text is not None:
        wrong = [t for t in table.tokens if "".join(text[t.begin : t.end].split()) != "".join(t.text.split())]
        if wrong:
            first = quote(wrong[0].text)
            message = f"{len(wrong)} of {len(table.tokens)} tokens are elsewhere in the text, the first is {first}"
            hint = f"is {path.name} the table of another text?"
            out.error("table-text", message, wrong[0].line, 1, hint=hint, document=document, path=table.path)
    return table


def _read_text(path: Path, document: str, out: Collector) -> str | None:
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError as error:
        problem = not_utf8(error, str(path), hint="convert it to UTF-8")
        out.error(
            "text-encoding", problem.message, problem.line, problem.column,
            hint=problem.hint, document=document, path=str(path),
        )  # fmt: skip
    except OSError as error:
        message = f"the text cannot be read: {error.strerror or error}"
        out.error("no-text", message, document=document, path=str(path), hint="check its permissions")
    return None


def _folder(path: str | Path | None, what: str) -> Path | None:
    if path is None:
        return None
    folder = Path(path)
    try:
        there = folder.is_dir()
    except (OSError, ValueError):  # a name that is too long, or has a null character
        there = False
    if not there:
        raise UsageError(f"{folder}: there is no such folder", hint=f"name the folder with the {what}")
    return folder


def _names(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir())
    except OSError:
        return []
