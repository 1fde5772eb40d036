"""What a file looks like that a reader could not read: the other format is named once, instead of a problem for every
line.

Every reader says with `reads` (in `source`) what it expects. Its errors pass through here, and if the file looks like
something else, that becomes the message, with the reader's first problem as an example. `table_kinds` tells tables
apart; other similar formats, such as all those that are JSON lines, are told apart in `kinds`.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from adjudge.bounded import GZIP, XZ, ZSTD
from adjudge.errors import AdjudgeError, FormatError, Problem, UsageError
from adjudge.formats.coerce.corpus import ENDS, IDS, ITEMS, LABELS, LINKS, STARTS, TAG_COLUMNS, is_cell
from adjudge.formats.source import BOM, HEAD, Source, opened, source_name

_WORDS = 5  # in the name of a column
_LINES = 50
_SAYS = "this looks like "
_BINARY = (
    (b"%PDF", "a PDF file", "pdf"),
    (b"PK\x03\x04", "a ZIP archive (or a document of an office program)", "zip"),
    (b"PAR1", "a Parquet file", "parquet"),
    (b"SQLite format 3", "an SQLite database", "sqlite"),
    (b"\xff\xfe", "UTF-16 text", "utf-16"),
    (b"\xfe\xff", "UTF-16 text", "utf-16"),
    (GZIP, "a file that is compressed twice", "gzip"),
    (ZSTD, "a file that is compressed twice", "zstd"),
    (XZ, "a file that is compressed twice", "xz"),
)
# Marks of some formats.
CONLL = re.compile(rb"^#\s*begin document ", re.MULTILINE)
CONLLU = re.compile(
    rb"^(?:#\s*(?:newdoc|newpar|sent_id|global\.Entity)\b|\d+\t(?:[^\t\n]*\t){8}[^\t\n]*$)", re.MULTILINE
)
DOCBIN = b"\x78\x9c"  # zlib-compressed data begin like this, such as spaCy's
_TBF = re.compile(rb"^#(?:BeginOfDocument|EndOfDocument)\b", re.MULTILINE)
_BRAT = re.compile(rb"\A(?:[TREAMN#*]\d*\t[^\t\n]+(?:\t[^\n]*)?\r?\n?){2,}")
_PENMAN = re.compile(rb"^\(\s*[^\s()/]+\s*/\s*\S+", re.MULTILINE)
_MUC4 = re.compile(rb"^[ \t]*0\.\s+MESSAGE: ID\b", re.MULTILINE)
_XML = re.compile(rb"\A\s*<(?:\?xml|!--|!DOCTYPE|[A-Za-z_])", re.IGNORECASE)
_HTML = re.compile(rb"\A\s*<(?:!DOCTYPE\s+html|html)\b", re.IGNORECASE)
TAG = re.compile(r"O|[BIESLUMW]-\S+")
_SHA1 = re.compile(r"[0-9a-f]{40}")
_SPEC = re.compile(r"^(?:metric|metrics|name|report|pool):", re.MULTILINE)
_PLACE = re.compile(r"\S.*:\s*\d+\s*[-\u2013]\s*\d+")
_RANGES = re.compile(r"\d+-\d+(?:,\d+-\d+)*")
_JUDGED = re.compile(r"[CWXILNRDS]|\d+|NIL")
_DAMAGE = ("the compressed file ", "the file cannot be read", "the file is compressed ")  # which say enough themselves


class Look(NamedTuple):
    """What a file looks like: the name of its kind for readers and for people."""

    kind: str
    name: str


def looks_like(start: bytes) -> Look | None:
    r"""What the beginning of a file looks like; None if it could be anything.

    >>> looks_like(b"id,start,end\nd1,0,4\nd2,3,9\n").name, looks_like(b'{"id": 1}\n{"id": 2}\n').name
    ('CSV (columns id, start, end)', 'JSON lines')
    >>> looks_like(b"#BeginOfDocument d1\n").name, looks_like(b"Some words.\nAnd more.\n") is None
    ('TBF', True)
    """
    start = start.removeprefix(BOM)
    for magic, name, kind in _BINARY:
        if start.startswith(magic):
            return Look(kind, name)
    first = start.lstrip()[:1]
    if first in (b"{", b"["):
        return _json(start)
    for pattern, kind, name in (
        (_TBF, "tbf", "TBF"),
        (CONLL, "conll", "CoNLL coreference"),
        (_HTML, "html", "HTML"),
        (_XML, "xml", "XML"),
        (_MUC4, "muc4", "MUC-4 templates"),
        (CONLLU, "conllu", "CoNLL-U"),
        (_PENMAN, "penman", "AMR graphs (PENMAN)"),
        (_BRAT, "brat", "brat standoff"),
    ):
        if pattern.search(start):
            return Look(kind, name)
    return _table(start.decode("utf-8", "replace").splitlines()[:_LINES])


class Expected(NamedTuple):
    """What a reader expects, in words, and the kinds of `looks_like` for which its own messages are right.

    With `reader_option` the remedy for JSON lines is the option that chooses a reader.
    """

    what: str
    kinds: tuple[str, ...]
    reader_option: bool = False


def recognised(error: AdjudgeError, source: Source, expected: Expected, start: bytes | None = None) -> AdjudgeError:
    """The error of a reader, or another one if the source looks like something other than what was expected.

    `start` is the beginning of a source that cannot be reopened.
    """
    said = [problem.message for problem in error.problems]
    if isinstance(error, UsageError) or any(_SAYS in each or each.startswith(_DAMAGE) for each in said):
        return error
    head = start if start is not None else _head(source)
    found = looks_like(head) if head else None
    if found is None or found.kind in expected.kinds:
        return error
    first = error.problems[0]
    other = ", or read it with --reader jsonl" if expected.reader_option and found.kind == "json-lines" else ""
    line = f"line {first.line}: " if first.line else ""
    hint = f"give {expected.what} instead{other} (first problem: {line}{first.message})"
    message = f"{_SAYS}{found.name}"
    return FormatError(Problem(message, path=first.path or source_name(source), hint=hint))


def _head(source: Source) -> bytes:
    if isinstance(source, str | os.PathLike) and not os.path.isfile(source):  # noqa: PTH113  # never raises
        return b""
    try:
        with opened(source, source_name(source)) as stream:
            return stream.read(HEAD)
    except Exception:  # the reader has said what is wrong with it
        return b""


def _json(start: bytes) -> Look | None:
    text = start.decode("utf-8", "replace").lstrip()
    lines = [line for line in text.splitlines() if line.strip()]
    try:
        json.loads(lines[0])
    except (ValueError, RecursionError):
        if text[0] == "[" and not re.match(r"\[\s*(?:[\[{\"\]0-9-]|true|false|null)", text):
            return None
        return Look("json-array", "a JSON array") if text[0] == "[" else Look("json", "JSON over several lines")
    if text[0] == "[":
        return Look("json-array", "a JSON array") if len(lines) == 1 else Look("json-lines", "JSON lines of arrays")
    return Look("json-lines", "JSON lines")


def _table(lines: list[str]) -> Look | None:
    """Tables, by a separator that occurs equally often in every line, and columns of tokens and tags."""
    filled = [line for line in lines if line.strip()]
    if len(filled) > 1 and len(lines) == _LINES:
        filled = filled[:-1]  # the last one may be cut off
    for separator, name, kind in (("\t", "a table with TABs", "tsv"), (",", "CSV", "csv"), (";", "CSV", "csv")):
        counts = {_outside(line, separator) for line in filled}
        if len(filled) > 1 and len(counts) == 1 and (columns := counts.pop()):
            header = [cell.strip().strip('"') for cell in filled[0].split(separator)]
            if kind == "csv" and not all(re.fullmatch(r"[\w .#/:()-]*", cell) and _is_short(cell) for cell in header):
                continue
            if kind == "tsv" and TAG.fullmatch(header[-1]):
                break
            named = all(re.fullmatch(r"[A-Za-z_][\w .-]*", cell) for cell in header)
            told = f" (columns {', '.join(header[:6])}{', ...' * (columns > 5)})" if named else ""
            return Look(kind, name + told)
    words = [line.split() for line in filled]
    if filled and all(len(each) > 1 and TAG.fullmatch(each[-1]) for each in words):
        return Look("columns", "columns of tokens and tags")
    return None


def _outside(line: str, separator: str) -> int:
    """How often a separator occurs in a line outside quotation marks."""
    return re.sub(r'"[^"]*"', "", line).count(separator)


# ---------------------------------------------------------------------------------------------------------------------
# Tables


def table_kinds(lines: list[str]) -> Iterator[str]:
    """The kinds of formats that have such lines, likely ones first."""
    filled = [line for line in lines if line.strip() and not line.startswith("#")][:2000]
    if not filled:
        return
    if _SPEC.search("\n".join(lines[:50])) and re.search(r"^metrics?:", "\n".join(lines), re.MULTILINE):
        yield "spec"
        return
    rows = [line.split("\t") for line in filled if "\t" in line]
    header = _cells(filled[0])
    if header[0] == "token_id" or _most(rows, lambda row: len(row) == 4 and row[1] and _whole(row[2:])):
        yield "tokens"
        return
    if columns := _list_columns(lines):
        yield "triple-table" if "triples" in columns else "csv"
        return
    if has_clusters(header):
        yield from [*["csv"] * is_table(header), "cluster-table"]
        return
    if is_table(header):
        yield "csv"
    elif (roles := _triple_roles(re.split(r"[\t,]", filled[0]))) and "document" not in roles:
        yield "triples"  # of a whole graph
        return
    elif roles or ({"subject", "object"} <= set(header) and not {"relation", "predicate", "type"}.isdisjoint(header)):
        yield "triple-table"
    if header[:3] == ["query", "node", "type"]:
        yield "kb-queries"
    elif {"page", "docid", "doc"} & set(header) and {"start", "beg", "mention", "entity"} & set(header):
        yield "links"
    elif rows and len(rows) * 2 >= len(filled):
        yield from _tabbed(rows)
    words = [line.split() for line in filled]
    if _most(words, lambda row: all(_SHA1.fullmatch(word) for word in row)):
        yield "eal-linking"
    if _most(words, lambda row: len(row) > 1 and TAG.fullmatch(row[-1]) is not None) and not (
        rows and all(len(row) > 1 and _whole(row[1:3]) for row in rows if len(row) > 2)
    ):
        yield "bio"
        if _most(words, lambda row: len(row) > 2 and TAG.fullmatch(row[-2]) is not None):
            ours, theirs = ({row[at][1:] for row in words if len(row) > 2 and row[at] != "O"} for at in (-2, -1))
            if ours & theirs or not ours or not theirs:
                yield "bio-both"


def is_table(header: Sequence[str]) -> bool:
    """Whether these are the columns of a table of spans, or of tags with a column for the document."""
    names = set(header)
    tagged = not names.isdisjoint(("tag", "ner_tag"))
    placed = all(not names.isdisjoint(each) for each in (STARTS, ENDS))
    spans = placed and not names.isdisjoint((*LABELS, *LINKS))
    return spans or (tagged and not names.isdisjoint(IDS))


def has_clusters(header: Sequence[str]) -> bool:
    """Whether these are the columns of a table of mentions with their clusters."""
    names = set(header)
    return "cluster" in names and all(not names.isdisjoint(each) for each in (STARTS, ENDS))


def header_of(start: bytes) -> list[str]:
    """The columns that a table names, if a file that begins like this is one."""
    return _cells(start.lstrip().partition(b"\n")[0].decode("utf-8", "replace"))


def _cells(line: str) -> list[str]:
    return [cell.strip().strip('"') for cell in re.split(r"[\t,;]", line)]


def _list_columns(lines: Sequence[str]) -> set[str]:
    """The columns of a table of documents whose first row has a list in them."""
    separator = max((",", "\t", ";"), key=lines[0].count) if lines else ","
    try:
        names, first = islice(filter(None, csv.reader(io.StringIO("\n".join(lines)), delimiter=separator)), 2)
    except (csv.Error, ValueError):
        return set()
    found = {name.strip() for name, cell in zip(names, first, strict=False) if is_cell(name.strip(), cell)}
    return found if not found.isdisjoint((*TAG_COLUMNS, *ITEMS, "triples")) else set()


def names_columns(lines: Sequence[str]) -> bool:
    """Whether the first line names columns that all lines have, separated by commas, semicolons or TABs."""
    filled = [line for line in lines if line.strip()]
    for separator in (",", ";", "\t"):
        counts = {_outside(line, separator) for line in filled}
        if len(filled) > 1 and len(counts) == 1 and counts != {0}:
            names = [cell.strip().strip('"') for cell in filled[0].split(separator)]
            named = all(re.fullmatch(r"[A-Za-z_][\w .-]*", name) and _is_short(name) for name in names)
            return named and len(set(names)) == len(names)
    return False


def _is_short(name: str) -> bool:
    """Whether this may name a column: sentences of a text have commas, too."""
    return name[-1:] != "." and len(name.split()) <= _WORDS


def _triple_roles(header: list[str]) -> Mapping[str, str]:
    """The role of each column of a table of triples; empty if they are not named as such."""
    from adjudge.formats.kg_keys import roles_of

    try:
        return roles_of(header) or {}
    except AdjudgeError:
        return {}


def _tabbed(rows: list[list[str]]) -> Iterator[str]:
    if sum(row[0].lstrip().startswith(":") for row in rows) * 2 > len(rows):
        yield "coldstart"
    elif any("wikipedia.org/wiki/" in row[0] or row[0] == "NO_PAGE" for row in rows[:10]):
        yield "links"
    elif _most(rows, lambda row: len(row) >= 11 and any(_RANGES.fullmatch(row[at]) for at in (4, 5)) and "." in row[2]):
        judged = any(len(row) >= 17 and len(row[-1]) > 2 for row in rows)
        yield "eal-key" if judged else "eal-arguments"
    elif _most(
        rows, lambda row: len(row) in (4, 8, 9) and ":" in row[1] and (row[3] == "NIL" or _PLACE.search(row[3]))
    ):
        yield "kb-answers"
    elif _most(rows, lambda row: len(row) >= 6 and row[2].isalpha() and _PLACE.fullmatch(row[4]) and ":" in row[5]):
        yield "kb-queries"
    elif _most(rows, lambda row: len(row) >= 7 and _PLACE.fullmatch(row[3])):
        yield "edl"
        yield "links"
    elif _most(rows, lambda row: len(row) >= 7 and ":" in row[1] and _JUDGED.fullmatch(row[5])):
        yield "kb-assessments"
    elif _most(rows, lambda row: len(row) > 2 and _whole(row[1:3])):
        yield "neleval"
    elif _most(rows, lambda row: len(row) in (3, 4) and all(cell.strip() for cell in row[:3])):
        if _most(rows, lambda row: len(row) == 4 and row[1] in ("C", "W", "X", "I") and row[2].isdigit()):
            yield "kb-assessments"
        if not _most(rows, lambda row: TAG.fullmatch(row[-1]) is not None):
            yield "triples"


def _most(rows: list[list[str]], fits: Callable[[list[str]], object]) -> bool:
    """Whether nearly all rows are of a kind: a few mistakes do not make a file another format."""
    return bool(rows) and sum(bool(fits(row)) for row in rows) >= 0.9 * len(rows)


def _whole(cells: list[str]) -> bool:
    return bool(cells) and all(cell.strip().isdigit() for cell in cells)
