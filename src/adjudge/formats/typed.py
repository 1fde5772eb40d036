"""JSON lines of a known shape, as the data sets of the field have them, turned into documents of the catalogue."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import msgspec

from adjudge.errors import Problem, ValidationError, more_problems
from adjudge.formats.jsonl import LIMIT, columns, read_documents
from adjudge.formats.source import Source, source_name
from adjudge.model.document import Corpus, Document

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
