"""One document as it was read: an id, the JSON object, and where it came from."""

from __future__ import annotations

from typing import Any

import msgspec


class Document(msgspec.Struct, frozen=True, kw_only=True, repr_omit_defaults=True):
    """A raw document.

    `line` is its line in the file, None if it never was in one; `path` is the file if the corpus has several. `words`
    has the tokens, one per line, of a document whose offsets count them and that does not have them itself.
    """

    id: str
    data: Any
    line: int | None = None
    path: str | None = None
    words: str | None = None


class CorpusNote(msgspec.Struct, frozen=True):
    """Something readers of scores should know of the documents: a code, how often, a sentence, and where."""

    code: str
    count: int
    message: str
    examples: tuple[str, ...] = ()


class Reading(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a side was read: its shape, how many documents, the unit and the ends of its spans, its ids.

    A `?` behind the ends marks an assumption. `said` is how they are known: by the `shape`, because they were
    `declared` or `proved` by the texts, or `assumed`. `ids` are `given`, or the `position` of each document.
    `ungrounded` has, by document, the mentions that are not in its text.
    """

    shape: str
    documents: int
    unit: str | None = None
    ends: str | None = None
    said: str = "shape"
    ids: str = "given"
    notes: tuple[CorpusNote, ...] = ()
    ungrounded: dict[str, list[dict[str, Any]]] = {}

    def __str__(self) -> str:
        """The line of `adjudge doctor`."""
        parts = [f"{self.documents} document{'s' * (self.documents != 1)}"]
        parts += [f"{self.unit}s"] if self.unit else []
        parts += [f"ends {self.ends} ({self.said})"] if self.ends else []
        parts.append("ids are given" if self.ids == "given" else "documents are known by position")
        notes = [f"note: {each.message}" for each in self.notes]
        return "\n".join([f"{self.shape}: {', '.join(parts)}", *notes])


class Corpus(msgspec.Struct, frozen=True, kw_only=True):
    """The documents of one source, in their order; `digest` is a SHA-256 of what they say, `notes` go to the result."""

    path: str | None
    documents: tuple[Document, ...]
    digest: str
    notes: tuple[CorpusNote, ...] = ()
