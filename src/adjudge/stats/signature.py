"""Signatures: one line that says exactly how a number was obtained."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

SignatureValue: TypeAlias = str | int | float | bool | None


def signature(task: str, fields: Mapping[str, SignatureValue]) -> str:
    """`task|key:value|...` in the given order; a field that is None is left out.

    >>> signature("score", {"metric": "relation.strict", "pool": "micro", "seed": 13, "profile": None, "exact": True})
    'score|metric:relation.strict|pool:micro|seed:13|exact:yes'
    """
    parts = [task]
    for key, value in fields.items():
        written = ("no", "yes")[value] if isinstance(value, bool) else f"{value}"
        written = written.removesuffix(".0") if isinstance(value, float) else written
        parts += [f"{key}:{written}"] if value is not None else []
    # A bar would start a new field and a control character a new line, so both are written as in a URL.
    return "|".join("".join(f"%{ord(c):02X}" if c in "|%" or not c.isprintable() else c for c in x) for x in parts)


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
    import hashlib

    digest = hashlib.sha256()
    for chunk in chunks:
        digest.update(chunk)
    return digest.hexdigest()[:12]
