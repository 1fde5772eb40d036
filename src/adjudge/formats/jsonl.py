"""JSON lines: one JSON object per document and line, each with an `id`.

Compressed files are recognised by their content, `-` is standard input. Reading does not stop at the first mistake:
everything that is wrong with a file is reported at once, with line and column.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from gzip import BadGzipFile
from pathlib import Path
from typing import IO, Any, NamedTuple, NoReturn, Protocol, TypeVar

import msgspec

from adjudge.errors import AdjudgeError, FormatError, Problem, ValidationError, more_problems
from adjudge.formats.recognise import reads
from adjudge.formats.source import GZIP, Source, opened, source_name
from adjudge.model.document import Corpus, Document
from adjudge.model.whereabouts import locate, split_path

LIMIT = 100  # problems listed per file; a file of the wrong kind would otherwise bury its own first line

_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_KINDS = {dict: "an object", list: "an array", str: "a string", bool: "a boolean", type(None): "null"}


class Hash(Protocol):
    """What is needed of a `hashlib` object."""

    def update(self, data: bytes, /) -> None:
        """Take in more bytes."""


def read_all(source: Source, *, name: str | None = None) -> Corpus:
    """All documents of a source.

    >>> read_all(b'{"id": "a", "tags": ["x"]}\\n{"id": 7, "tags": []}').documents[1].id
    '7'
    """
    digest = hashlib.sha256()
    documents = tuple(read_documents(source, name=name, digest=digest))
    return Corpus(path=name or source_name(source), documents=documents, digest=digest.hexdigest())


@reads("JSON lines", "json-lines", "json-array", "json", "utf-16", "gzip")
def read_documents(
    source: Source, *, name: str | None = None, digest: Hash | None = None, keys: tuple[str, ...] = ("id",)
) -> Iterator[Document]:
    """The documents of a source one by one; what was wrong is raised at the end, all of it.

    `digest`, if given, takes in what the documents say (see `canonical`), however it is written. `keys` are the fields
    that make the id, for files in which it has another name or two parts.

    >>> next(read_documents(b'{"id": "a", "tags": ["x"]}'))
    Document(id='a', data={'id': 'a', 'tags': ['x']}, line=1)
    """
    place = name or source_name(source)
    problems = _Problems(place)
    first_lines: dict[str, int] = {}
    decode = msgspec.json.Decoder().decode
    with opened(source, place) as stream:
        lines = _Lines(stream)
        first = True
        for line in lines:
            if not line.strip():
                continue
            try:
                value = decode(line)
                written = canonical(value)
            except (ValueError, RecursionError):  # msgspec's errors and UnicodeDecodeError are ValueErrors
                if first and (problem := _wrong_encoding(line) or _wrong_layout(line, lines.peek())):
                    problems.add(*problem, line=lines.number, syntax=True)
                    break
                problems.add(*_diagnose(line), line=lines.number, syntax=True)
                first = False
                continue
            if first and isinstance(value, list):
                problems.add(*_ARRAY, line=lines.number, syntax=True)
                break
            first = False
            # A key that is given twice is lost on the way: its colon is in the line and no longer in the value. The
            # numbers of colons are compared because that is fast; an escaped one (\u003a) would spoil it.
            doubtful = line.count(b":") != written.count(b":") or b"\\u003" in line
            if doubtful and (repeated := _repeated_key(line.decode())):
                problems.add(*repeated, line=lines.number)
                continue
            found = _identify(value, first_lines, keys)
            if isinstance(found, str):
                first_lines[found] = lines.number
                if digest is not None:
                    digest.update(written + b"\n")
                yield Document(id=found, data=value, line=lines.number)
            else:
                message, hint, key = found
                column = None if key is None else locate(line.decode(), (key,))
                problems.add(message, column, hint, line=lines.number)
        if lines.broken:
            problems.add(lines.broken, None, "copy or create the file again", line=lines.number + 1, syntax=True)
        elif first and not problems.found:
            problems.add("the file has no documents", None, "write one JSON object per line, each with an id")
    problems.done()


canonical = msgspec.json.Encoder(order="deterministic").encode
"""A value as JSON without spaces, keys and sets sorted: the same for the same content, whoever wrote it."""


class Wrong(NamedTuple):
    """What is wrong with a document, at a path in it."""

    line: int
    path: str
    message: str
    hint: str


def read_each(
    source: Source, take: Callable[[Document], None], wrong: list[Wrong], *, place: str, digest: Hash | None = None
) -> None:
    """Give every document to `take`, which adds to `wrong`; what is wrong with documents and lines is raised together.

    >>> read_each(b'{"id": "a"}', lambda each: print(each.id), [], place="gold")
    a
    """
    problems: list[Problem] = []
    kind: type[AdjudgeError] = ValidationError
    try:
        for each in read_documents(source, name=place, digest=digest):
            take(each)
    except (FormatError, ValidationError) as error:
        kind = type(error)
        problems += error.problems
    if not wrong and not problems:
        return
    shown = wrong[:LIMIT]
    where = columns(source, [(each.line, each.path) for each in shown])
    problems += [
        Problem(each.message, path=place, line=each.line, column=where.get((each.line, each.path)), hint=each.hint)
        for each in shown
    ]
    problems.sort(key=lambda problem: (problem.line is None, problem.line or 0))
    if len(wrong) > LIMIT:
        problems.append(more_problems(len(wrong) - LIMIT, place))
    raise kind(problems)


def columns(source: Source, places: Iterable[tuple[int, str]]) -> dict[tuple[int, str], int]:
    """Columns of the values at (line, path), for files that can be read a second time; used for messages only."""
    wanted: dict[int, list[str]] = {}
    for line, path in places:
        wanted.setdefault(line, []).append(path)
    found: dict[tuple[int, str], int] = {}
    if not isinstance(source, str | Path) or not Path(source).is_file():
        return found
    with opened(source, str(source)) as stream:
        lines = _Lines(stream)
        for raw in lines:
            for path in wanted.pop(lines.number, ()):
                found[lines.number, path] = locate(raw.decode(), split_path(path))
            if not wanted:
                break
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Reading lines


class _Lines:
    """Lines with their number; a stream that breaks ends the lines and leaves its reason in `broken`."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream
        self.number = 0
        self.broken: str | None = None
        self.ahead: bytes | None = None

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        line, self.ahead = self.ahead or self._read(), None
        if not line:
            raise StopIteration
        self.number += 1
        return line.removeprefix(_BOM) if self.number == 1 else line

    def peek(self) -> bytes:
        """The next line, still to come; empty at the end."""
        self.ahead = self.ahead or self._read()
        return self.ahead

    def _read(self) -> bytes:
        try:
            return self.stream.readline()
        except EOFError:
            self.broken = "the compressed file ends too early"
        except (BadGzipFile, zlib.error) as error:
            self.broken = f"the compressed file is damaged ({error})"
        except OSError as error:
            self.broken = f"the file cannot be read ({error.strerror or error})"
        return b""


# ---------------------------------------------------------------------------------------------------------------------
# Saying what is wrong


class _Problems:
    """What is wrong with one file; the first `LIMIT` problems in full, the others counted."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.found: list[Problem] = []
        self.more = 0
        self.syntax = False

    def add(
        self, message: str, column: int | None, hint: str, *, line: int | None = None, syntax: bool = False
    ) -> None:
        self.syntax |= syntax
        if len(self.found) < LIMIT:
            self.found.append(Problem(message, path=self.place, line=line, column=column, hint=hint))
        else:
            self.more += 1

    def done(self) -> None:
        if self.more:
            self.found.append(more_problems(self.more, self.place))
        if self.found:
            raise (FormatError if self.syntax else ValidationError)(self.found)


_ARRAY = ("the file is one JSON array", 1, "write one object per line, for example with: jq -c '.[]'")


def _identify(value: Any, first_lines: dict[str, int], keys: tuple[str, ...]) -> str | tuple[str, str, str | None]:
    """The id of a document, or (what is wrong, the remedy, the field to point at)."""
    if not isinstance(value, dict):
        return f"expected an object, got {_KINDS.get(type(value), 'a number')}", "write one object per line", None
    parts = []
    for key in keys:
        if key not in value:
            return f"the document has no {key}", f'add a field "{key}"', None
        part = value[key]
        if isinstance(part, bool) or not isinstance(part, str | int):
            kind = _KINDS.get(type(part), "a number with a fraction")
            return f"expected a string or an integer as {key}, got {kind}", f"quote the {key}", key
        if not str(part):
            return f"the {key} is empty", "give every document its own id", key
        parts.append(str(part))
    identifier = "/".join(parts)
    if identifier in first_lines:
        hint = f"it is already used in line {first_lines[identifier]}; give every document its own id"
        return f"duplicate {keys[-1]} {identifier!r}", hint, keys[-1]
    return identifier


def _wrong_layout(line: bytes, following: bytes) -> tuple[str, int | None, str] | None:
    """Whether the first line opens an array, or an object that goes on in the next line."""
    start = line.lstrip()[:1]
    if start == b"[":
        return _ARRAY
    message, _, _ = _diagnose(line)
    if start == b"{" and message == _CUT and following.strip() and following.lstrip()[:1] != b"{":
        return "the object goes on in the next line", 1, "write each object on one line, for example with: jq -c ."
    return None


def _wrong_encoding(line: bytes) -> tuple[str, int | None, str] | None:
    """Whether the first line shows that no line of the file can be read."""
    if line.startswith(GZIP):
        return "the file is compressed twice", 1, "unpack it once, for example with: gzip -d"
    if line.startswith(_UTF16) or b"\0" in line[:4]:
        return "the file is not UTF-8 but looks like UTF-16", 1, "save it as UTF-8"
    return None


def _diagnose(line: bytes) -> tuple[str, int | None, str]:
    """(What is wrong, the column, the remedy) for a line that is not JSON."""
    try:
        text = line.decode().rstrip()
    except UnicodeDecodeError as error:
        return f"byte 0x{line[error.start]:02x} is not UTF-8", error.start + 1, "save the file as UTF-8"
    try:
        json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        if error.pos >= len(text) or error.msg.startswith("Unterminated string"):
            return _CUT, error.pos + 1, "complete the line"
        what = error.msg[:1].lower() + error.msg[1:]
        return f"malformed JSON ({what})", error.pos + 1, "fix the line"
    except _Constant as constant:
        column = next(match.start() + 1 for match in _TOKEN.finditer(text) if match[0].startswith(str(constant)))
        return f"{constant} is not JSON", column, "write null or a number"
    except RecursionError:
        return "the JSON is nested too deeply", None, "flatten the document"
    except ValueError as error:  # an integer too long for Python to convert
        return f"malformed JSON ({error})", None, "fix the line"
    return _refused(text)


_CUT = "malformed JSON (the line ends in the middle of a value)"
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s",:\[\]{}]+')


class _Constant(Exception):
    """NaN, Infinity or -Infinity, which Python reads and JSON does not have."""


def _no_constant(name: str) -> NoReturn:
    raise _Constant(name)


def _refused(text: str) -> tuple[str, int | None, str]:
    """Why a line that Python reads is still refused: a number beyond float64, or half of a surrogate pair."""
    for match in _TOKEN.finditer(text):
        if match[0][0] in "-0123456789" and float(match[0]) in (float("inf"), float("-inf")):
            return f"the number {match[0]} is too large", match.start() + 1, "write null or a smaller number"
    found = re.search(r"\\u[dD][89a-fA-F]", text)
    return "a string has half of a surrogate pair", found and found.start() + 1, "write the whole character"


_LEXEME = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]')


def _repeated_key(text: str) -> tuple[str, int | None, str] | None:
    """The first key that is given twice in one object of a line of valid JSON."""
    inside: list[set[str] | None] = []  # the keys of each open object, None for an array
    previous = ""
    for match in _LEXEME.finditer(text):
        lexeme = match[0]
        if lexeme in "{[":
            inside.append(set() if lexeme == "{" else None)
        elif lexeme in "}]":
            inside.pop()
        elif lexeme[0] == '"' and previous in ("{", ",") and (keys := inside[-1]) is not None:
            key = json.loads(lexeme)
            if key in keys:
                return f"the key {key!r} is given twice", match.start() + 1, "keep one of the two"
            keys.add(key)
        previous = lexeme
    return None


T = TypeVar("T")

SHAPE = "write this value as the format has it, or read the files with another --reader"


class UnfitError(Exception):
    """What is wrong at a path (`$.events[0]`) of a document, and how to fix it."""

    def __init__(self, path: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.path, self.message, self.hint = path, message, hint


def read_typed(
    source: Source,
    kind: type[T],
    make: Callable[[T], dict[str, Any]],
    *,
    keys: tuple[str, ...] = ("id",),
    name: str | None = None,
) -> Corpus:
    """The documents that `make` makes of each line, which has the shape `kind`; their ids are added.

    `make` raises `UnfitError` for what a type cannot say. The `keys` are the fields that make the id.

    >>> class Line(msgspec.Struct):
    ...     tags: list[str]
    >>> read_typed(b'{"key": "a", "tags": ["x"]}', Line, lambda line: {"items": line.tags}, keys=("key",)).documents
    (Document(id='a', data={'id': 'a', 'items': ['x']}, line=1),)
    """
    place = name or source_name(source)
    digest = hashlib.sha256()
    documents: list[Document] = []
    wrong: list[tuple[int | None, str, str, str]] = []
    for raw in read_documents(source, name=place, digest=digest, keys=keys):
        try:
            made = make(msgspec.convert(raw.data, kind, strict=True))
        except msgspec.ValidationError as error:
            message, _, path = str(error).partition(" - at ")
            wrong.append((raw.line, path.strip("`") or "$", f"{message[:1].lower()}{message[1:]}", SHAPE))
        except UnfitError as error:
            wrong.append((raw.line, error.path, error.message, error.hint))
        else:
            documents.append(Document(id=raw.id, data={"id": raw.id, **made}, line=raw.line))
    if wrong:
        raise ValidationError(list(_placed(source, place, wrong)))
    return Corpus(path=place, documents=tuple(documents), digest=digest.hexdigest())


def _placed(source: Source, place: str, wrong: list[tuple[int | None, str, str, str]]) -> Iterator[Problem]:
    found = columns(source, [(line, path) for line, path, _, _ in wrong[:LIMIT] if line is not None])
    for line, path, message, hint in wrong[:LIMIT]:
        where = path.removeprefix("$").removeprefix(".")
        column = None if line is None else found.get((line, path))
        text = f"{where}: {message}" if where else message
        yield Problem(text, path=place, line=line, column=column, hint=hint)
    if len(wrong) > LIMIT:
        yield more_problems(len(wrong) - LIMIT, place)
