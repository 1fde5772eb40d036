"""What a file looks like that a reader could not read: another format is named, once, instead of every line of it.

Every reader says with `reads` (in `source`) what it expects; what it raises passes through here, and if the file looks
like something else, that is the message, with the reader's first complaint as an example. `known` tells the formats
apart that look alike from afar, such as those that are all JSON lines.
"""

from __future__ import annotations

import json
import os
import re
from typing import NamedTuple

from adjudge.errors import AdjudgeError, FormatError, Problem, UsageError
from adjudge.formats.conll import MARK as CONLL
from adjudge.formats.conllu import MARK as CONLLU
from adjudge.formats.source import BOM, GZIP, HEAD, ZSTD, Source, opened, source_name

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
)
_TBF = re.compile(rb"^#(?:BeginOfDocument|EndOfDocument)\b", re.MULTILINE)
_BRAT = re.compile(rb"\A(?:[TREAMN#*]\d*\t[^\t\n]+(?:\t[^\n]*)?\r?\n?){2,}")
_PENMAN = re.compile(rb"^\(\s*[^\s()/]+\s*/\s*\S+", re.MULTILINE)
_MUC4 = re.compile(rb"^\s*0\.\s+MESSAGE: ID\b", re.MULTILINE)
_XML = re.compile(rb"\A\s*<(?:\?xml|!--|!DOCTYPE|[A-Za-z_])", re.IGNORECASE)
_HTML = re.compile(rb"\A\s*<(?:!DOCTYPE\s+html|html)\b", re.IGNORECASE)
TAG = re.compile(r"O|[BIESLUMW]-\S+")
_DAMAGE = ("the compressed file ", "the file cannot be read", "the file is compressed ")  # which say enough


class Look(NamedTuple):
    """What a file looks like: the name of its kind for readers, and for people."""

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
    """What a reader expects, in words and by the kinds of `looks_like` that its own messages are right for.

    With `reader_option` the remedy for JSON lines is the option that chooses a reader.
    """

    what: str
    kinds: tuple[str, ...]
    reader_option: bool = False


def recognised(error: AdjudgeError, source: Source, expected: Expected, start: bytes | None = None) -> AdjudgeError:
    """The error of a reader, or another one if the source looks like something else than what is expected.

    `start` is the beginning of a source that cannot be opened again.
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
    except Exception:  # whatever is wrong with it, the reader has said so
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
    """Tables by a separator that stands equally often in every line, and columns of tokens and tags."""
    filled = [line for line in lines if line.strip()]
    if len(filled) > 1 and len(lines) == _LINES:
        filled = filled[:-1]  # the last may be cut
    for separator, name, kind in (("\t", "a table with TABs", "tsv"), (",", "CSV", "csv"), (";", "CSV", "csv")):
        counts = {_outside(line, separator) for line in filled}
        if len(filled) > 1 and len(counts) == 1 and (columns := counts.pop()):
            header = [cell.strip().strip('"') for cell in filled[0].split(separator)]
            if kind == "csv" and not all(re.fullmatch(r"[\w .#/:()-]*", cell) for cell in header):
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
    """How often a separator stands in a line, outside of quotation marks."""
    return re.sub(r'"[^"]*"', "", line).count(separator)
