"""Token tables: the tokens of a document, one per line, as id, string, begin and end, separated by TABs.

Dialects differ in three ways: ids have a `t` or not, they count from 0 or from 1, and the end is the last character of
the token or the one after it. Ids are kept as written; the length of the token strings tells which end is meant, and
`Token.end` is always exclusive.
"""

from __future__ import annotations

import os
from pathlib import Path

from adjudge.errors import FormatError, Problem, ValidationError
from adjudge.findings import Finding, errors_of, raise_problems
from adjudge.formats.source import Source, read_bytes, reads, source_name
from adjudge.formats.tbf_scan import BOM, decode, quote
from adjudge.model.nugget import Token, TokenTable

COLUMNS = 4
DIGITS = 15

_ROW = "write id, string, begin and end, separated by TABs"


@reads("a token table with TABs", "tsv")
def read_table(source: Source, document: str, *, name: str | None = None) -> TokenTable:
    """The table of a document; everything that makes it unusable is raised at once.

    >>> read_table(b"t1\\tIt\\t0\\t1\\nt2\\thas\\t3\\t5\\n", "sample").tokens[1]
    Token(id='t2', text='has', begin=3, end=6, line=2)
    """
    table, findings = scan_table(source, document, name=name)
    raise_problems(errors_of(findings), table.path)
    return table


def scan_table(source: Source, document: str, *, name: str | None = None) -> tuple[TokenTable, list[Finding]]:
    """The rows that can be read, and what is wrong or odd: a header line, repeated ids, tokens out of order."""
    place = name or source_name(source)
    findings: list[Finding] = []

    def note(
        kind: str, message: str, line: int | None, hint: str, column: int | None = 1, *, error: bool = True
    ) -> None:
        problem = Problem(message, path=place, line=line, column=column if line is not None else None, hint=hint)
        findings.append(Finding(kind, error, problem, document))

    try:
        data = read_bytes(source, place)
    except FormatError as error:  # damaged
        return TokenTable(document, [], place), [Finding("damaged", True, each, document) for each in error.problems]
    if not data.isascii():
        try:
            data.decode()
        except UnicodeDecodeError as error:
            where = data.count(b"\n", 0, error.start) + 1
            note("table-encoding", "this is not UTF-8", where, "convert the table to UTF-8", error=False)
    rows: list[Token] = []
    lengths = [0, 0]  # tokens as long as end - begin, and one longer
    seen: dict[str, int] = {}
    before = 0
    lines = decode(data.removeprefix(BOM)).split("\n")
    for number, line in enumerate(lines, 1):
        columns = line.split("\t")
        if len(columns) < COLUMNS:
            if line.strip():
                count = len(columns)
                message = f"a row with {count} column{'s' * (count != 1)}, {COLUMNS} are needed"
                note("table-row", message, number, _ROW)
            continue
        id, text = columns[0], columns[1]
        begin, end = _offset(columns[2]), _offset(columns[3])
        if begin is None or end is None:
            if not rows and not any(finding.kind in ("table-header", "table-row") for finding in findings):
                note("table-header", "the first line is read as a header", number, "remove it", error=False)
            else:
                wrong = 2 if begin is None else 3
                message = f"{quote(columns[wrong])} is not an offset"
                column = 1 + sum(len(each) + 1 for each in columns[:wrong])
                note("table-row", message, number, "write a whole number from 0", column)
            continue
        if id in seen:
            message = f"token {quote(id)} is in line {seen[id]} already"
            note("table-repeated", message, number, "give every token its own id")
        elif begin > end or begin < before:
            what = "ends before it begins" if begin > end else f"begins at {begin}, before the token above it"
            hint = "list the tokens in the order of the text"
            note("table-order", f"token {quote(id)} {what}", number, hint, error=False)
        seen.setdefault(id, number)
        before = begin
        size = end - begin
        lengths[0] += size == len(text)
        lengths[1] += size + 1 == len(text)
        rows.append(Token(id, text, begin, end, number))
    if not rows:
        note("table-empty", "the table has no tokens", None, _ROW, error=False)
    if lengths[1] > lengths[0]:
        rows = [token._replace(end=token.end + 1) for token in rows]
    return TokenTable(document, rows, place), findings


def write_table(table: TokenTable) -> str:
    """The text of a table, with exclusive ends; line breaks and TABs in a token become blanks.

    >>> write_table(TokenTable("a", [Token("1", "It", 386, 388)]))
    '1\\tIt\\t386\\t388\\n'
    """
    problems = []
    seen: set[str] = set()
    for token in table.tokens:
        if not token.id or not {"\t", "\n", "\r", ","}.isdisjoint(token.id) or token.id in seen:
            message = f"the token id {token.id!r} is empty, occurs twice, or has a TAB, line break or comma in it"
            problems.append(Problem(message, path=table.path or None, line=token.line or None, hint="rename it"))
        seen.add(token.id)
    raise_problems(problems, table.path or None, ValidationError)
    blanks = str.maketrans("\t\n\r", "   ")
    return "".join([f"{t.id}\t{t.text.translate(blanks)}\t{t.begin}\t{t.end}\n" for t in table.tokens])


def find_table(folder: Path, document: str, *, suffix: str = ".tab") -> Path | None:
    """The table of a document in a folder, `<document><suffix>`; None if there is none.

    Document ids come from untrusted files: one that leads out of the folder names nothing.

    >>> find_table(Path("tables"), "../secret") is None
    True
    """
    name = f"{document}{suffix}"
    if not document or "\0" in name or "/" in name or os.sep in name or name in (".", ".."):
        return None
    path = folder / name
    return path if os.path.isfile(path) else None  # noqa: PTH113  # unlike Path.is_file it never raises


def _offset(text: str) -> int | None:
    """A whole number from 0, blanks around it allowed."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= DIGITS else None
