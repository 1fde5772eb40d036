"""What the places of a document refer to, its tokens and its text; and lists of sizes and of event types."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from adjudge.errors import Problem, UsageError
from adjudge.findings import Findings
from adjudge.formats.tbf_scan import DIGITS, LIMIT, quote
from adjudge.formats.token_table import find_table, scan_table
from adjudge.model.nugget import TokenTable
from adjudge.model.whereabouts import not_utf8

YEARS = ("2015", "2016")


@dataclass(frozen=True, slots=True)
class Ground:
    """What the places of a document refer to: its tokens, its text, or nothing that is known."""

    table: TokenTable | None = None
    rows: dict[str, int] | None = None  # where each token is in the table
    text: str | None = None
    size: int | None = None  # characters of the text


class Grounds:
    """Where token tables and texts are, if they are anywhere, and how long the texts are.

    `tables` and `texts` are folders with a file `<document><suffix>` for each document, `sizes` numbers of characters.
    """

    def __init__(
        self,
        tables: str | Path | None = None,
        suffix: str = ".tab",
        texts: str | Path | None = None,
        text_suffix: str = ".txt",
        sizes: Mapping[str, int] | None = None,
    ) -> None:
        self.tables = _folder(tables, "token tables")
        self.suffix = suffix
        self.texts = _folder(texts, "texts")
        self.text_suffix = text_suffix
        self.sizes = sizes
        self.names = cache(_names)

    def find(self, document: str, line: int, mode: str, out: Findings) -> Ground:
        """What is known of a document; `line` is that of its header."""
        if not document:
            return Ground()
        text, size = None, None
        if self.sizes is not None:
            size = self.sizes.get(document)
            if size is None:
                message, hint = f"document {quote(document)} is not in the list of sizes", "check the id"
                out.add("no-size", message, line, 1, hint)
        if self.texts is not None and (self.tables is not None or mode == "char"):
            path = find_table(self.texts, document, suffix=self.text_suffix)
            if path is None:
                hint = self._other(self.texts, document, self.text_suffix, "--text-suffix")
                message = f"document {quote(document)} has no text in {self.texts}"
                out.add("no-text", message, line, 1, hint)
            else:
                text = _read_text(path, out)
        if text is not None:
            if size is not None and size != len(text):
                message = f"the text of document {quote(document)} has {len(text)} characters, in the list {size}"
                out.add("text-size", message, line, 1, "is it the same text?")
            size = len(text)
        if self.tables is None:
            return Ground(text=text, size=size)
        path = find_table(self.tables, document, suffix=self.suffix)
        if path is None:
            hint = self._other(self.tables, document, self.suffix, "--suffix")
            message = f"document {quote(document)} has no token table in {self.tables}"
            out.add("no-table", message, line, 1, hint)
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


def _read_table(path: Path, document: str, text: str | None, out: Findings) -> TokenTable:
    table, findings = scan_table(path, document)
    for finding in findings:
        out.add_problem(finding.kind, finding.problem, error=finding.error)
    if text is not None:
        wrong = [t for t in table.tokens if "".join(text[t.begin : t.end].split()) != "".join(t.text.split())]
        if wrong:
            first = quote(wrong[0].text)
            message = f"{len(wrong)} of {len(table.tokens)} tokens are elsewhere in the text, the first is {first}"
            hint = f"is {path.name} the table of another text?"
            out.add_problem("table-text", Problem(message, table.path, wrong[0].line, 1, hint), error=True)
    return table


def _read_text(path: Path, out: Findings) -> str | None:
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError as error:
        out.add_problem("text-encoding", not_utf8(error, str(path), hint="convert it to UTF-8"), error=True)
    except OSError as error:
        message = f"the text cannot be read: {error.strerror or error}"
        out.add_problem("no-text", Problem(message, str(path), hint="check its permissions"), error=True)
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


# ---------------------------------------------------------------------------------------------------------------------
# Lists


def read_types(name: str | Path) -> tuple[str, ...]:
    """The types of a task by its year (38 in 2015, 18 in 2016), or the lines of a file that are not blank.

    How a type is spelled does not matter: "conflict attack" is Conflict_Attack.

    >>> len(read_types("2015")), len(read_types("2016")), read_types("2016")[0]
    (38, 18, 'Conflict_Attack')
    """
    path = Path(__file__).with_name(f"types_{name}.txt") if str(name) in YEARS else Path(name)
    hint = f"give a file with one type per line, or {' or '.join(YEARS)}"
    types = tuple(line.strip() for line in _lines(path, "types", hint) if line.strip())
    if not types:
        raise UsageError(Problem("the list names no types", path=str(name), hint="write one type per line"))
    return types


def read_sizes(path: str | Path) -> dict[str, int]:
    """The number of characters of documents: a line for each, the id and the number with a blank or TAB between."""
    sizes: dict[str, int] = {}
    problems = []
    for number, line in enumerate(_lines(Path(path), "sizes", "check the file"), 1):
        parts = line.split()
        if len(parts) == 2 and parts[1].isascii() and parts[1].isdigit() and len(parts[1]) <= DIGITS:
            sizes[parts[0]] = int(parts[1])
        elif parts:
            hint = "write a document id and its number of characters"
            problems.append(Problem(f"{quote(line)} is no size", path=str(path), line=number, column=1, hint=hint))
    if problems:
        raise UsageError(problems[:LIMIT])
    return sizes


def _lines(path: Path, what: str, hint: str) -> list[str]:
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise UsageError(not_utf8(error, str(path))) from None
    except (OSError, ValueError) as error:  # a ValueError is a path with a null character
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(Problem(f"the list of {what} cannot be read ({reason})", path=str(path), hint=hint)) from None
