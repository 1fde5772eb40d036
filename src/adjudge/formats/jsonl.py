"""JSON lines: one JSON object per document and line, each with an `id`.

Compressed files are recognised by their content, `-` is standard input. Reading does not stop at the first mistake: all
problems of a file are reported together, with line and column.

A corpus may be several files of JSON lines or Parquet, in the order of their names. Its digest is that of the documents
in this order, however they are split into files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from operator import itemgetter
from typing import IO, Any, NamedTuple, Protocol, TypeVar

import msgspec

from adjudge.bounded import GZIP
from adjudge.errors import AdjudgeError, FormatError, Problem, UsageError, ValidationError, more_problems
from adjudge.findings import LIMIT, Findings, raise_problems, read_files
from adjudge.formats.source import BOM, COPY, Source, is_file, is_parquet, line_blocks, opened, peeked, source_name
from adjudge.model.document import Corpus, Document
from adjudge.model.whereabouts import locate, split_path

_BLOCK = 1 << 16
_SYNTAX = "syntax"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_KINDS = {dict: "an object", list: "an array", str: "a string", bool: "a boolean", type(None): "null"}


class Hash(Protocol):
    """The part of a `hashlib` object that is needed."""

    def update(self, data: bytes, /) -> None:
        """Add bytes."""


def read_all(source: Source, *, name: str | None = None) -> Corpus:
    """All documents of a source.

    >>> read_all(b'{"id": "a", "tags": ["x"]}\\n{"id": 7, "tags": []}').documents[1].id
    '7'
    """
    import hashlib

    digest = hashlib.sha256()
    documents = tuple(read_documents(source, name=name, digest=digest))
    return Corpus(path=name or source_name(source), documents=documents, digest=digest.hexdigest())


def read_documents(
    source: Source, *, name: str | None = None, digest: Hash | None = None, keys: tuple[str, ...] = ("id",)
) -> Iterator[Document]:
    """The documents of a source one by one; all problems are raised together at the end.

    `digest`, if given, is updated with the content of the documents (see `canonical`), however it is written. `keys`
    are the fields of the id, for files in which it has another name or two parts.

    >>> next(read_documents(b'{"id": "a", "tags": ["x"]}'))
    Document(id='a', data={'id': 'a', 'tags': ['x']}, line=1)
    """
    place = name or source_name(source)
    start = peeked(source)
    found = Findings(place)
    first_lines: dict[str, int] = {}
    with opened(source, place) as stream:
        first = True
        for number, line in _pieces(stream, first_lines, keys):
            if isinstance(line, _Whole):
                first = False
                if digest is not None:
                    digest.update(line.written)
                for at, identifier, value in zip(count(number), line.ids, line.values):
                    yield Document(id=identifier, data=value, line=at)
                continue
            if isinstance(line, str):
                found.add(_SYNTAX, line, number, None, COPY)
                first = False
                break
            if not line.strip():
                continue
            try:
                value = _decode(line)
                written = canonical(value)
            except (ValueError, RecursionError):  # msgspec's errors and UnicodeDecodeError are ValueErrors
                problem = _wrong_file(line) if first else None
                if _is_cut(found, number - 1) and not line.lstrip().startswith(b"{"):
                    found, problem, number = Findings(place), _BROKEN_UP, number - 1
                message, column, hint = problem or _diagnose(line)
                found.add(_SYNTAX, message, number, column, hint)
                first = False
                if problem:
                    break
                continue
            if first and isinstance(value, list):
                message, column, hint = _ARRAY
                found.add(_SYNTAX, message, number, column, hint)
                break
            first = False
            # A key that is given twice is lost on the way: its colon is in the line and no longer in the value. The
            # numbers of colons are compared because that is fast; an escaped one (\\u003a) would spoil it.
            doubtful = line.count(b":") != written.count(b":") or b"\\u003" in line
            if doubtful and (repeated := _repeated_key(line.decode())):
                message, column, hint = repeated
                found.add("document", message, number, column, hint)
                continue
            identified = _identify(value, first_lines, keys)
            if isinstance(identified, str):
                first_lines[identified] = number
                if digest is not None:
                    digest.update(written + b"\n")
                yield Document(id=identified, data=value, line=number)
            else:
                message, hint, key = identified
                column = None if key is None else locate(line.decode(), (key,))
                found.add("document", message, number, column, hint)
        if first and not found.total:
            hint = "write one JSON object per line, each with an id"
            found.add("document", "the file has no documents", None, None, hint)
    if found.total:
        from adjudge.formats.recognise import Expected, recognised

        expected = Expected("JSON lines", ("json-lines", "json-array", "json", "utf-16", "gzip"))
        kind = FormatError if found.counts[_SYNTAX] else ValidationError
        raise recognised(kind(found.problems()), source, expected, start)


canonical = msgspec.json.Encoder(order="deterministic").encode
"""A value as JSON without spaces, with sorted keys and sets: the same for the same content."""


def read_each(
    source: Source,
    take: Callable[[Document], Iterable[UnfitError] | None],
    *,
    place: str,
    digest: Hash | None = None,
    keys: tuple[str, ...] = ("id",),
) -> None:
    """Pass every document to `take`; the `UnfitError`s that it raises or returns are raised with the problems of lines.

    >>> read_each(b'{"id": "a"}', lambda each: print(each.id), place="gold")
    a
    """
    problems: list[Problem] = []
    wrong: list[tuple[int, UnfitError]] = []
    kind: type[AdjudgeError] = ValidationError
    try:
        for each in read_documents(source, name=place, digest=digest, keys=keys):
            try:
                wrong += [(each.line or 0, error) for error in take(each) or ()]
            except UnfitError as error:
                wrong.append((each.line or 0, error))
    except (FormatError, ValidationError) as error:
        kind = type(error)
        problems += error.problems
    if not wrong and not problems:
        return
    where = columns(source, [(line, error.path) for line, error in wrong[:LIMIT]])
    problems += [
        Problem(error.message, place, line, where.get((line, error.path)), error.hint) for line, error in wrong[:LIMIT]
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
    if not is_file(source):
        return found
    with opened(str(source), str(source)) as stream:
        for number, raw in _numbered(stream):
            if isinstance(raw, str) or not wanted:
                break
            for path in wanted.pop(number, ()):
                found[number, path] = locate(raw.decode(), split_path(path))
    return found


class _Whole(NamedTuple):
    """The documents of some lines without problems: ids, values, and the bytes for the digest."""

    ids: Sequence[str]
    values: list[Any]
    written: bytes


def _pieces(
    stream: IO[bytes], first_lines: dict[str, int], keys: tuple[str, ...]
) -> Iterator[tuple[int, bytes | str | _Whole]]:
    """Many lines at once if they have no problems, else line by line; ids are recorded."""
    number = 1
    for block in line_blocks(stream, _BLOCK):
        if isinstance(block, str):
            yield number, block
            return
        text = block.removeprefix(BOM) if number == 1 else block
        whole = _read_together(text, first_lines, keys)
        if whole is not None:
            first_lines.update(zip(whole.ids, count(number)))
            yield number, whole
            number += len(whole.ids)
            continue
        for line in text.split(b"\n"):
            yield number, line
            number += 1


def _read_together(block: bytes, known: Mapping[str, int], keys: tuple[str, ...]) -> _Whole | None:
    """One document per line; None if anything needs a closer look, line by line."""
    if len(keys) > 1 or (b"\\" in block and b"\\u003" in block):
        return None
    try:
        values = list(map(_decode, block.split(b"\n")))
        written = _encode_lines(values)
        ids: Sequence[str] = list(map(itemgetter(keys[0]), values))
    except (ValueError, RecursionError, KeyError, TypeError):
        return None
    if {int}.issuperset(map(type, ids)):
        ids = list(map(str, ids))
    distinct = set(ids) if {str}.issuperset(map(type, ids)) else set()
    if len(distinct) < len(ids) or "" in distinct or not known.keys().isdisjoint(distinct):
        return None
    return _Whole(ids, values, written) if block.count(b":") == written.count(b":") else None


_decode = msgspec.json.Decoder().decode
_encode_lines = msgspec.json.Encoder(order="deterministic").encode_lines


def _numbered(stream: IO[bytes]) -> Iterator[tuple[int, bytes | str]]:
    """Lines and their numbers; a last string says why the stream broke."""
    number = 0
    for block in line_blocks(stream, _BLOCK):
        if isinstance(block, str):
            yield number + 1, block
            return
        for line in (block if number else block.removeprefix(BOM)).split(b"\n"):
            number += 1
            yield number, line


# ---------------------------------------------------------------------------------------------------------------------
# Saying what is wrong


def _is_cut(found: Findings, line: int) -> bool:
    """Whether the only problem so far is that a line ends in the middle of an object."""
    only = found.found[0].problem if found.total == 1 else None
    return only is not None and only.line == line and only.message == _CUT


_CUT = "malformed JSON (the line ends in the middle of a value)"
_BROKEN_UP = ("the object continues on the next line", 1, "write each object on one line, for example with: jq -c .")
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


def _wrong_file(line: bytes) -> tuple[str, int | None, str] | None:
    """The problem of the whole file if its first line shows one."""
    if line.startswith(GZIP):
        return "the file is compressed twice", 1, "unpack it once, for example with: gzip -d"
    if line.startswith(_UTF16) or b"\0" in line[:4]:
        return "the file is not UTF-8 but looks like UTF-16", 1, "save it as UTF-8"
    return _ARRAY if line.lstrip()[:1] == b"[" else None


def _diagnose(line: bytes) -> tuple[str, int | None, str]:
    """(What is wrong, the column, the remedy) for a line that is not JSON."""
    from adjudge.formats.json_file import json_fault

    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        column = len(line[: error.start].decode()) + 1
        return f"the byte 0x{line[error.start]:02x} is not UTF-8", column, "save the file as UTF-8"
    message, offset, hint = json_fault(text, "line")
    return message, None if offset is None else offset + 1, hint


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
    """A problem at a path (`$.events[0]`) of a document, and its remedy."""

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
    """The documents that `make` returns for lines of the type `kind`, with their ids.

    `make` raises `UnfitError` for what the type cannot express. `keys` are the fields of the id.

    >>> class Line(msgspec.Struct):
    ...     tags: list[str]
    >>> read_typed(b'{"key": "a", "tags": ["x"]}', Line, lambda line: {"items": line.tags}, keys=("key",)).documents
    (Document(id='a', data={'id': 'a', 'items': ['x']}, line=1),)
    """
    place = name or source_name(source)
    import hashlib

    digest = hashlib.sha256()
    documents: list[Document] = []

    def take(raw: Document) -> None:
        try:
            made = make(shaped(raw.data, kind))
        except UnfitError as error:
            where = error.path.removeprefix("$").removeprefix(".")
            message = f"{where}: {error.message}" if where else error.message
            raise UnfitError(error.path, message, error.hint) from None
        documents.append(Document(id=raw.id, data={"id": raw.id, **made}, line=raw.line))

    read_each(source, take, place=place, digest=digest, keys=keys)
    return Corpus(path=place, documents=tuple(documents), digest=digest.hexdigest())


def shaped(value: Any, kind: type[T]) -> T:
    """A JSON value converted to a type.

    >>> try: shaped([1, "x"], list[int])
    ... except UnfitError as error: print(error.path, error)
    $[1] expected `int`, got `str`
    """
    try:
        return msgspec.convert(value, kind, strict=True)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at ")
        raise UnfitError(path.strip("`") or "$", f"{message[:1].lower()}{message[1:]}", SHAPE) from None


def token_span(first: Any, last: Any, path: str) -> dict[str, int]:
    """The half-open span of tokens from first to last.

    >>> token_span(2, 2, "$")
    {'start': 2, 'end': 3}
    """
    if not 0 <= first <= last:
        raise UnfitError(path, f"a span from {first} to {last}", "give the first and the last token, counted from 0")
    return {"start": first, "end": last + 1}


def half_open(start: Any, end: Any, path: str, what: str = "token") -> dict[str, int]:
    """The span of tokens or characters up to the one at `end`.

    >>> half_open(2, 3, "$")
    {'start': 2, 'end': 3}
    """
    if not 0 <= start < end:
        message = f"a span from {start} up to {end}"
        raise UnfitError(path, message, f"give the first {what} and the one after the last")
    return {"start": start, "end": end}


# ---------------------------------------------------------------------------------------------------------------------
# Documents in several files


def read_shards(source: str, paths: Sequence[str], *, read: Callable[..., Corpus] | None = None) -> Corpus:
    """All documents of several files as one corpus; the problems of all files are raised together."""
    import hashlib

    digest = hashlib.sha256()
    if read is None:
        documents = tuple(stream_documents(paths, digest=digest))
        return Corpus(path=source, documents=documents, digest=digest.hexdigest())
    parts, problems = read_files(paths, read)
    raise_problems(problems)
    for _, part in parts:
        digest.update(part.digest.encode())
    placed = (msgspec.structs.replace(each, path=path) for path, part in parts for each in part.documents)
    notes = tuple(note for _, part in parts for note in part.notes)
    return Corpus(path=source, documents=tuple(_unique(placed)), digest=digest.hexdigest(), notes=notes)


def stream_documents(paths: Iterable[str], *, digest: Hash | None = None) -> Iterator[Document]:
    """The documents of files of JSON lines or Parquet, one by one; all problems are raised together at the end."""
    problems: list[Problem] = []
    kind: type[AdjudgeError] | None = None

    def each_file() -> Iterator[Document]:
        nonlocal kind
        for path in paths:
            try:
                for document in read_file(path, digest=digest):
                    yield msgspec.structs.replace(document, path=path)
            except UsageError:
                raise
            except AdjudgeError as error:
                problems.extend(error.problems[: LIMIT - len(problems)])
                kind = type(error) if kind in (None, type(error)) else FormatError

    try:
        yield from _unique(each_file())
    except FormatError as error:  # ids that are given twice
        problems += error.problems
        kind = kind or FormatError
    if kind is not None:
        raise kind(problems)


def _unique(documents: Iterable[Document]) -> Iterator[Document]:
    """The documents; ids that occur in two files are an error."""
    places: dict[str, str | None] = {}
    problems: list[Problem] = []
    for document in documents:
        if document.id in places:
            other = places[document.id]
            hint = f"it is already used in {other}; give every document its own id"
            if len(problems) < LIMIT:
                message = f"duplicate id {document.id!r}"
                problems.append(Problem(message, path=document.path, line=document.line, hint=hint))
            continue
        places[document.id] = document.path
        yield document
    if problems:
        raise FormatError(problems)


def read_file(path: str, *, digest: Hash | None = None) -> Iterator[Document]:
    """The documents of one file of JSON lines or Parquet, by its first bytes."""
    if not is_parquet(path):
        return read_documents(path, digest=digest)
    from adjudge.formats.parquet import parquet_documents

    return parquet_documents(path, digest=digest)
