"""One document as it was read: an id, the JSON object, and where it came from."""

from __future__ import annotations

from typing import Any

import msgspec


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """A raw document; `line` is its line in the file, None if it never was in one."""

    id: str
    data: Any
    line: int | None = None


class Corpus(msgspec.Struct, frozen=True, kw_only=True):
    """The documents of one source, in their order; `digest` is a SHA-256 of what they say."""

    path: str | None
    documents: tuple[Document, ...]
    digest: str
