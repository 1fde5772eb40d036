"""Documents from files or from memory, and how a system's documents are aligned with gold."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
from msgspec.structs import replace

from adjudge.errors import AdjudgeError, FormatError, Problem, UsageError, ValidationError, did_you_mean, some_of
from adjudge.evaluate.sides import Names, check_sides, is_file, is_stdin
from adjudge.evaluate.task import Side
from adjudge.formats.source import find_shards, is_parquet, source_name
from adjudge.model.document import Corpus, Document

if TYPE_CHECKING:
    from adjudge.tasks.observe import Complaint

Documents: TypeAlias = Any  # a path, a stream, a mapping id -> document, or a sequence of documents
Read: TypeAlias = Callable[..., Corpus]
"""Reads a file that is not JSON lines."""
Pair: TypeAlias = Callable[[Corpus, Corpus], Corpus]
"""Aligns the documents of a system with the gold ones, if that needs both."""

LISTED = 10
SIMILAR = 3


def read_each(sources: Mapping[str, Documents], read: Read | None = None) -> list[Side]:
    """Several sources on an equal footing, by name; the problems of all of them are raised together."""
    if sum(map(is_stdin, sources.values())) > 1:
        raise UsageError("standard input can be read only once", hint="use - for one of the files")
    problems: list[Problem] = []
    sides: list[Side] = []
    for name, source in sources.items():
        try:
            sides.append(read_side(source, name, read))
        except UsageError:
            raise
        except AdjudgeError as error:
            problems.extend(error.problems)
    if problems:
        raise FormatError(problems)
    return sides


def read_side(source: Documents, name: str, read: Read | None = None) -> Side:
    """The documents of a path or a stream, by its reader if it is not JSON lines, or those in memory."""
    if isinstance(source, Side):
        return source
    if isinstance(source, Corpus) or is_file(source):
        corpus = source if isinstance(source, Corpus) else _read(source, read)
        documents = {document.id: document for document in corpus.documents}
        return Side(name, corpus.path or "", documents, corpus.digest, notes=corpus.notes)
    if isinstance(source, Mapping):
        found = {str(key): Document(id=str(key), data=value) for key, value in source.items()}
        return Side(name, "", found, partial(digest_of, found))
    if isinstance(source, Sequence) or (isinstance(source, Iterable) and not isinstance(source, Set)):
        return _sequence(list(source), name)
    raise UsageError(
        f"{name}: cannot take documents from {type(source).__name__}",
        hint="give a path, a list of documents, or a mapping from ids to documents",
    )


def is_plain(side: Side) -> bool:
    """Whether these may be values rather than documents: they come from memory, and none has an id."""
    return not side.path and all(own_id(each.data) is None for each in side.documents.values())


def paired(gold: Side, systems: Sequence[Side], pair: Pair) -> list[Side]:
    """The systems, aligned with gold; documents in memory are already in the shape the metrics expect."""
    found: list[Side] = []
    problems: list[Problem] = []
    for side in systems:
        if not gold.path or not side.path:
            found.append(side)
            continue
        both = [
            Corpus(path=each.path, documents=tuple(each.documents.values()), digest=each.hashed())
            for each in (gold, side)
        ]
        try:
            brought = pair(*both)
        except FormatError as error:
            problems.extend(error.problems)
        else:
            documents = {document.id: document for document in brought.documents}
            found.append(replace(side, documents=documents, notes=(*side.notes, *brought.notes)))
    if problems:
        raise FormatError(problems)
    return found


def check_known(gold: Side, systems: Sequence[Side]) -> None:
    """Raise if a system has documents that gold does not have."""
    check_sides(Names(gold.place, gold.documents), [Names(side.place, side.documents) for side in systems])
    problems: list[Problem] = []
    for side in systems:
        for identifier in side.documents:
            if identifier not in gold.documents:
                # Looking for similar names takes time; if many ids are unknown, the files belong to different corpora.
                similar = did_you_mean(identifier, gold.documents) if len(problems) < SIMILAR else None
                document = side.documents[identifier]
                hint = similar or "remove it, add it to the gold documents, or choose documents with --docs"
                message = f"the document {identifier!r} is not in the gold documents"
                problems.append(Problem(message, path=document.path or side.place, line=document.line, hint=hint))
    if problems:
        raise ValidationError(problems)


def check_level(gold: Side, system: Side) -> None:
    """Raise if the input is a collection of systems rather than the documents of one system."""
    if not (system.paired_by_place and system.documents):
        return
    document = _shape(each.data for each in gold.documents.values())
    given = _shape(each.data for each in system.documents.values())
    if document is not None and given == (document,):
        raise UsageError(
            f"the documents of {system.name} look like lists of documents",
            hint="pass several systems as a mapping from names to documents, such as {'a': [...], 'b': [...]}",
        )


def _shape(values: Iterable[Any]) -> Any:
    """The rough shape of values: the name of a scalar or object type, a list by its content; None if unknown."""
    for value in values:
        if isinstance(value, list | tuple):
            inner = _shape(value)
            if inner is not None:
                return (inner,)
        elif value is not None:
            return "scalar" if isinstance(value, str | bytes | int | float) else "object"
    return None


def check_readers(gold: Documents, system: Any, reader: str | None, system_reader: str | None) -> None:
    """Raise if a reader is named but the source is not a file; `reader` is None if none was named.

    >>> check_readers([{"id": "d"}], "run.bio", "bio", None)
    >>> check_readers("gold.bio", [{"id": "d"}], "bio", "bio")
    Traceback (most recent call last):
    adjudge.errors.UsageError: system_reader="bio" is for files; system is in memory and was recognised as documents...
    """
    if reader is None and system_reader is None:
        return
    several = system.values() if isinstance(system, Mapping) else system if isinstance(system, list | tuple) else ()
    files = any(map(is_read, (system, *several)))
    if system_reader is not None and not files:
        raise UsageError(_in_memory("system_reader", system_reader, "system", next(iter(several), system)))
    if reader is not None and not is_read(gold) and (system_reader is not None or not files):
        raise UsageError(_in_memory("reader", reader, "gold", gold))


def _in_memory(option: str, reader: str, side: str, source: Any) -> str:
    """Why a reader cannot be used here."""
    shape = "documents"
    first = source[0] if isinstance(source, list | tuple) and source else None
    if isinstance(first, list | tuple) and first:
        shape = "tag lists" if all(isinstance(each, str) for each in first) else "lists of items"
    elif hasattr(source, "columns"):
        shape = "a table"
    return f'{option}="{reader}" is for files; {side} is in memory and was recognised as {shape}; leave {option} out'


def is_read(source: Any) -> bool:
    """Whether a source is a file, or was read from one."""
    return isinstance(source, Side | Corpus) or is_file(source)


def are_files(gold: Any, system: Any) -> bool:
    """Whether all sides are files that their readers take."""
    several = list(system.values()) if isinstance(system, Mapping) else system
    several = several if isinstance(several, list | tuple) else [several]
    return all(map(is_read, (gold, *several))) and not is_memory(several)


def looks_like_data(text: str) -> bool:
    """Whether a string is data rather than a file name.

    >>> looks_like_data('Sure: {"PER": []}'), looks_like_data("runs/a-[0-9].jsonl")
    (True, False)
    """
    return "\n" in text or "{" in text or text.lstrip()[:1] == "["


def looks_like_answer(text: str) -> bool:
    """Whether a string is a model's answer rather than a file name.

    >>> looks_like_answer("I found no names"), looks_like_answer("<PER>Ada</PER>"), looks_like_answer("my runs/a.jsonl")
    (True, True, False)
    """
    import re

    return looks_like_data(text) or "<" in text or (len(text.split()) > 1 and not re.search(r"\.\w{1,8}$", text))


def is_memory(system: Any) -> bool:
    """Whether no system is a file; strings that look like data are not files."""
    several = list(system.values()) if isinstance(system, Mapping) else system
    several = several if isinstance(several, list | tuple) else [several]
    data = any(isinstance(each, str) and looks_like_answer(each) and not os.path.isfile(each) for each in several)  # noqa: PTH113
    return data or not any(map(is_file, several))


def own_id(value: Any) -> str | None:
    """The id given in a document."""
    mapping = type(value) is dict or isinstance(value, Mapping)
    found = value.get("id") if mapping else getattr(value, "id", None)
    if type(found) is str:
        return found
    return str(found) if isinstance(found, str | int) and not isinstance(found, bool) else None


def digest_of(documents: Mapping[str, Document]) -> str:
    """A hash of documents in memory; it equals the hash of the file they could be written to."""
    import hashlib

    from adjudge.formats.jsonl import canonical

    digest = hashlib.sha256()
    for identifier, document in documents.items():
        if own_id(document.data) != identifier:
            digest.update(f"{identifier}\t".encode("utf-8", "backslashreplace"))
        try:
            digest.update(canonical(document.data) + b"\n")
        except (TypeError, ValueError, RecursionError):
            digest.update(f"{_stable(document.data)}\n".encode("utf-8", "backslashreplace"))
    return digest.hexdigest()


def _stable(value: Any) -> str:
    """A string that is the same in every run: sets are sorted, because their order depends on the hash seed."""
    try:
        return _written(value)
    except RecursionError:
        return f"<{type(value).__name__}>"  # scoring reports that it is nested too deeply


def _written(value: Any) -> str:
    if isinstance(value, Set):
        return "{" + ", ".join(sorted(map(_written, value))) + "}"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {_written(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_written, value)) + "]"
    fields = getattr(value, "__struct_fields__", None) or getattr(value, "__dataclass_fields__", None)
    if fields:
        return type(value).__name__ + _written([getattr(value, name) for name in fields])
    return repr(value)


def _read(source: Any, read: Read | None) -> Corpus:
    """One file, or all files of a pattern or a folder; a custom reader may want the folder itself."""
    from adjudge.formats.jsonl import read_all, read_shards

    if read is None and is_parquet(source):
        return read_shards(source_name(source), [str(source)])
    if read is not None and isinstance(source, str | os.PathLike) and os.path.isdir(source):  # noqa: PTH112
        return read(source)
    shards = find_shards(source)
    if shards is None:
        return (read or read_all)(source)
    return read_shards(source_name(source), shards, read=read)


def _sequence(values: list[Any], name: str) -> Side:
    ids = [own_id(value) for value in values]
    if any(identifier is not None for identifier in ids):
        without = [place for place, identifier in enumerate(ids) if identifier is None]
        if without:
            raise ValidationError(
                f"{name}: document {without[0] + 1} has no id", hint="give all documents an id, or none"
            )
        repeated = sorted({str(one) for one in ids if ids.count(one) > 1}) if len(set(ids)) < len(ids) else []
        if repeated:
            raise ValidationError(
                f"{name}: duplicate id {some_of(map(repr, repeated), LISTED)}", hint="give every document its own id"
            )
    documents = {
        (identifier or str(place)): Document(id=identifier or str(place), data=value)
        for place, (identifier, value) in enumerate(zip(ids, values, strict=True), 1)
    }
    return Side(name, "", documents, partial(digest_of, documents), paired_by_place=bool(values) and ids[0] is None)


# ---------------------------------------------------------------------------------------------------------------------
# Documents on disk, for corpora that are too large for memory and cannot be read in parts


class _Place(msgspec.Struct, frozen=True):
    """Where the content of a document is stored, and its source."""

    start: int
    end: int
    line: int | None
    path: str | None


class Stored(Mapping[str, Document]):
    """Documents by id, each read on access; the file is deleted with this object.

    With `several` files, documents keep the path of their own.
    """

    def __init__(self, documents: Iterable[Document], *, several: bool) -> None:
        import weakref
        from tempfile import TemporaryFile

        self._file = TemporaryFile(prefix="adjudge-")  # noqa: SIM115 - open as long as the value lives
        weakref.finalize(self, self._file.close)
        self._places: dict[str, _Place] = {}
        start = 0
        for each in documents:
            end = start + self._file.write(msgspec.json.encode(each.data))
            self._places[each.id] = _Place(start, end, each.line, each.path if several else None)
            start = end

    def __getitem__(self, name: str) -> Document:
        place = self._places[name]
        self._file.seek(place.start)
        data = msgspec.json.decode(self._file.read(place.end - place.start))
        return Document(id=name, data=data, line=place.line, path=place.path)

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


# ---------------------------------------------------------------------------------------------------------------------
# Where in its file a document is wrong


def placed(side: Side, found: Sequence[tuple[str, Complaint]], *, jsonl: bool) -> Iterator[Problem]:
    """Complaints about the documents of one side with file, line and, in JSON lines, column."""
    from adjudge.findings import LIMIT
    from adjudge.formats.jsonl import columns as find_columns

    own = [(name, side.documents.get(name), each) for name, each in found]
    sought: dict[str, list[tuple[int, str]]] = {}
    there = [(document, each) for _, document, each in own if document is not None and document.line]
    for document, each in there[:LIMIT]:
        sought.setdefault(document.path or side.path, []).append((document.line, each.path))
    places = {
        path: find_columns(path, some) if jsonl and path and not is_parquet(path) else {}
        for path, some in sought.items()
    }
    for identifier, document, each in own:
        where = each.path.removeprefix("$").removeprefix(".")
        line = None if document is None else document.line
        if line is None:
            where = f"document {identifier!r}" + (f", {where}" if where else "")
        message = f"{where}: {each.message}" if where else each.message
        path = side.path if document is None else document.path or side.path
        column = None if line is None else places.get(path, {}).get((line, each.path))
        yield Problem(message, path=path or side.name, line=line, column=column, hint=each.hint)
