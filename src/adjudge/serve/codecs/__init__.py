"""Files in, files out: a module for each format of a schema, with `read` and `write`.

`read` gives a `ScopeData` for each scope of a source, `write` the files of a scope as they would be at home. Items are
known by the hash of their identity, since whoever reads a file does not know their names in a store.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

import msgspec

from adjudge.errors import AdjudgeError
from adjudge.findings import Finding
from adjudge.formats.eal_sources import Sources as Texts
from adjudge.serve.schema import Schema

_encode = msgspec.json.Encoder(order="sorted").encode
_MODULES = {"eal-assessments": "eal", "kb-assessments": "kb", "jsonl": "lines"}


class ItemData(msgspec.Struct):
    """An item of a file; `parent` is the identity of the item above, `answers` what the file says of it."""

    body: dict[str, Any]
    identity: str
    parent: str | None = None
    answers: dict[str, str] | None = None
    origins: tuple[str, ...] = ()


class ScopeData(msgspec.Struct):
    """A scope of a source; groups and links name items by their identities. `meta` is needed to write it again."""

    id: str
    text: str
    items: list[ItemData]
    meta: dict[str, Any] = {}
    groups: dict[str, str] | None = None
    links: dict[str, Any] | None = None
    linked: bool = False  # nothing waits to be linked


class Sources(msgspec.Struct):
    """Where a campaign comes from: its answers, texts, frames, and who gave which item."""

    answers: Path
    texts: Path | None = None
    frames: Path | None = None
    pool: Path | None = None


class Written(msgspec.Struct):
    """A scope as it is to be written: items and what is said of each, groups and links."""

    id: str
    items: list[ItemData]
    meta: Mapping[str, Any]
    groups: Mapping[str, str] = {}
    links: Mapping[str, Any] | None = None


class Codec(Protocol):
    """A format."""

    def settings(self, folder: Path | None) -> dict[str, Any]:
        """What a campaign has to know beside its schema."""

    def read(self, schema: Schema, sources: Sources, findings: list[Finding]) -> Iterator[ScopeData]:
        """The scopes of a source; those with mistakes are left out and said."""

    def check(self, scopes: Iterable[Written]) -> Iterator[Finding]:
        """What contradicts itself in scopes."""

    def write(self, schema: Schema, scopes: Iterable[Written]) -> Iterator[tuple[str, bytes]]:
        """The files of scopes."""


def codec_of(schema: Schema) -> Codec:
    """The codec of a schema."""
    return cast("Codec", import_module(f"adjudge.serve.codecs.{_MODULES[schema.files.format]}"))


def digest(data: bytes) -> str:
    """By which a file is known again."""
    return hashlib.sha256(data).hexdigest()


def identity_of(schema: Schema, scope: str, body: Mapping[str, Any]) -> str:
    """The hash of what makes an item what it is."""
    fields = {schema.scope: scope, **body}
    content = [schema.name, *(fields.get(name) for name in schema.item.identity)]
    return hashlib.sha256(_encode(content)).hexdigest()[:40]


def text_of(texts: Texts | None, name: str, scope: str, findings: list[Finding]) -> str | None:
    """A text of a scope; None if it cannot be read, which is said."""
    try:
        return "" if texts is None else texts.text(name)
    except AdjudgeError as error:
        findings += [Finding("text", True, problem, scope) for problem in error.problems]
        return None


def settings(folder: Path | None) -> dict[str, Any]:
    """Of a format whose campaigns need to know nothing more."""
    del folder
    return {}


def check(scopes: Iterable[Written]) -> Iterator[Finding]:
    """Of a format in which nothing can contradict itself: its schema does not let anybody."""
    del scopes
    return iter(())
