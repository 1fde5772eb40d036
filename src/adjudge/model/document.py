"""One document as it was read: an id, the JSON object, and where it came from."""

from __future__ import annotations

from typing import Any

import msgspec


class Document(msgspec.Struct, frozen=True, kw_only=True, repr_omit_defaults=True):
    """A raw document.

    `line` is its line in the file, None if it never was in one; `path` is the file if the corpus has several.
    """

    id: str
    data: Any
    line: int | None = None
    path: str | None = None


class CorpusNote(msgspec.Struct, frozen=True):
    """Something a reader of scores should know of the documents: a code, how often, a sentence, and where."""

    code: str
    count: int
    message: str
    examples: tuple[str, ...] = ()


class Corpus(msgspec.Struct, frozen=True, kw_only=True):
    """The documents of one source, in their order; `digest` is a SHA-256 of what they say, `notes` go to the result."""

    path: str | None
    documents: tuple[Document, ...]
    digest: str
    notes: tuple[CorpusNote, ...] = ()
