"""Annotated documents: the kinds there are, how each is read, and the rows of a table that link mentions to pages."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, TypeAlias

from adjudge.errors import Problem, UsageError, ValidationError
from adjudge.formats.kb_links import MentionKey, attach_links
from adjudge.formats.kb_spans import Offsets
from adjudge.formats.source import Source
from adjudge.model.kbp import KbCorpus, LinkTable, MentionLink
from adjudge.tasks.kbp.detection import KINDS, Format

Units: TypeAlias = Literal["text", "raw"]


def read_corpus(source: Source, kind: Format, *, units: Units, offsets: Offsets, texts: str | Path | None) -> KbCorpus:
    """The annotated documents in a file or folder of that kind."""
    if kind == "documents":
        from adjudge.formats.kb_documents import read_kb_documents

        return read_kb_documents(source)
    if not isinstance(source, str | os.PathLike) or str(source) == "-":
        raise UsageError(f"{KINDS[kind]} cannot be read from a stream", hint="name the file or its folder")
    if kind == "ace":
        from adjudge.formats.kb_ace import read_ace

        return read_ace(source, units=units, offsets=offsets)
    from adjudge.formats.kb_ere import read_ere_corpus

    return read_ere_corpus(source, docs=texts, offsets=offsets)


def attach_table(
    table: LinkTable, corpus: KbCorpus, source: Source, kind: Format, units: Units, offsets: Offsets
) -> tuple[dict[MentionKey, MentionLink], list[Problem]]:
    """The rows of the table by mention.

    Mentions are numbered, so that rows whose offsets count the text (ACEtoWiki) serve for gold in raw units as well.
    """
    found = attach_links(table, corpus.documents)
    if kind == "ace" and units == "raw":
        text = read_corpus(source, kind, units="text", offsets=offsets, texts=None)
        other = attach_links(table, text.documents)
        if len(other[0]) > len(found[0]):
            found = other
    if not found[0]:
        message = f"no row fits a mention of {corpus.path}"
        hint = "check ids of documents, and what the offsets count"
        raise ValidationError([Problem(message, path=table.path, hint=hint), *found[1]])
    return found


def has_links(corpus: KbCorpus) -> bool:
    """Whether the annotation itself says to which pages entities belong."""
    return any(entity.links for document in corpus.documents for entity in document.entities)
