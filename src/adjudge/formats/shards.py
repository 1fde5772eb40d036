"""Corpora in several files: a glob such as 'gold/*.jsonl.gz', or a folder of JSON lines or Parquet.

The documents stand in the order of the names of the files. What they say is hashed in this order, so that a corpus has
the same hash however it is cut.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from adjudge.errors import AdjudgeError, FormatError, Problem, UsageError
from adjudge.formats.findings import raise_problems, read_files
from adjudge.formats.jsonl import LIMIT, Hash, read_documents
from adjudge.formats.parquet import is_parquet, parquet_documents
from adjudge.model.document import Corpus, Document


def read_shards(source: str, paths: Sequence[str], *, read: Callable[..., Corpus] | None = None) -> Corpus:
    """All documents of several files as one corpus; everything that is wrong with any of them is raised together."""
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
    """The documents of files of JSON lines or Parquet, one by one; what was wrong is raised at the end, all of it."""
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
    """The documents, or an error for the ids that two files have."""
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
    """The documents of one file of JSON lines or Parquet, which its first bytes tell."""
    return parquet_documents(path, digest=digest) if is_parquet(path) else read_documents(path, digest=digest)
