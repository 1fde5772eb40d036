"""Signatures: one line that says exactly how a number was obtained."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import TypeAlias

SignatureValue: TypeAlias = str | int | float | bool | None


def signature(task: str, fields: Mapping[str, SignatureValue]) -> str:
    """`task|key:value|...` in the given order; a field that is None is left out.

    >>> signature("score", {"metric": "relation.strict", "pool": "micro", "seed": 13, "profile": None, "exact": True})
    'score|metric:relation.strict|pool:micro|seed:13|exact:yes'
    """
    pairs = (f"{_escaped(key)}:{_escaped(_written(value))}" for key, value in fields.items() if value is not None)
    return "|".join((_escaped(task), *pairs))


def hash_bytes(data: bytes) -> str:
    """The first 12 hexadecimal digits of the SHA-256 of some bytes.

    >>> hash_bytes(b"")
    'e3b0c44298fc'
    """
    return hash_chunks((data,))


def hash_chunks(chunks: Iterable[bytes]) -> str:
    """The same for bytes that come in pieces, wherever they are cut.

    >>> hash_chunks([b"go", b"ld"]) == hash_bytes(b"gold")
    True
    """
    digest = hashlib.sha256()
    for chunk in chunks:
        digest.update(chunk)
    return digest.hexdigest()[:12]


def _written(value: SignatureValue) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value}".removesuffix(".0") if isinstance(value, float) else f"{value}"


def _escaped(text: str) -> str:
    """A bar would start a new field and a control character a new line, so both are written as in a URL."""
    return "".join(f"%{ord(c):02X}" if c in "|%" or not c.isprintable() else c for c in text)
