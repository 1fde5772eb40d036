"""The names of responses: numbers and hashes made from what a response says.

The first official program named responses by a 32-bit number, its successors by a SHA-1 digest. Both depend on the
content alone, so a response has the same name in every store. The number still breaks ties between equally confident
responses, so both are needed to reproduce official scores. They are computed when they are asked for, never on reading.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from hashlib import sha1
from struct import Struct, pack

from adjudge.model.eal import REALIS, Cas, Realis, Response

DIGEST = 40  # characters of a content hash

_WORD = 0xFFFFFFFF

_pack_nine = Struct("<9i").pack
_ORDINAL = {realis: number for number, realis in enumerate(REALIS)}


@lru_cache(maxsize=4096)  # types, roles and document ids come again and again
def java_hash(text: str) -> int:
    """The hash of a string in Java, sum of s[i] * 31^(n-1-i) over its UTF-16 units, as an unsigned 32-bit number.

    >>> java_hash("Actual"), java_hash("")
    (1955894702, 0)
    """
    value = 0
    units: Iterable[int]
    if text.isascii():
        units = text.encode("ascii")
    else:
        data = text.encode("utf-16-le", "surrogatepass")
        units = memoryview(data).cast("H")
    for unit in units:
        value = (31 * value + unit) & _WORD
    return value


def id_2014(response: Response) -> int:
    """The signed 32-bit number of a response, as the program of 2014 computes it.

    >>> from adjudge.model.eal import Span
    >>> at = Span(10, 12)
    >>> id_2014(Response("D1", "Conflict.Attack", "Attacker", Cas("Bob", at), at, (Span(5, 50),), (), "Actual"))
    543296559
    """
    value = _combine(
        java_hash(response.document),
        java_hash(response.type),
        java_hash(response.role),
        _combine(java_hash(response.cas.text), _combine(*response.cas.span)),
        _combine(*response.base_filler),
        sum(_combine(*span) for span in response.additional) & _WORD,
        sum(_combine(*span) for span in response.justifications) & _WORD,
        java_hash(response.realis),
    )
    return value - (1 << 32) if value >> 31 else value


def sha1_id(response: Response) -> str:
    """The digest of a response, as the programs since 2015 compute it: 40 hexadecimal digits.

    >>> from adjudge.model.eal import Span
    >>> at = Span(10, 12)
    >>> sha1_id(Response("D1", "Conflict.Attack", "Attacker", Cas("Bob", at), at, (Span(5, 50),), (), "Actual"))
    'cf8d5f87779ef1cae3fff7ae8631b820b6318a3b'
    """
    document, type_, role, (text, (start, end)), (first, last), justifications, additional, realis = response
    if len(justifications) == 1 and not additional:  # mostly
        ((begin, stop),) = justifications
        numbers = _pack_nine(start, end, first, last, 0, begin, stop, 1, _ORDINAL[realis])
    else:
        several = [start, end, first, last, 0]
        for span in justifications:
            several += span
        several.append(1)
        for span in additional:
            several += span
        several.append(_ORDINAL[realis])
        numbers = _packer(len(several))(*several)
    words = f"{document}{type_}{role}{text}".encode("utf-8", "replace")
    return sha1(words + numbers, usedforsecurity=False).hexdigest()


@lru_cache(maxsize=64)
def _packer(count: int) -> Callable[..., bytes]:
    return Struct(f"<{count}i").pack


def trfr_id(document: str, type_: str, role: str, cas: Cas, realis: Realis) -> str:
    """The digest of a class of responses, named by the first CAS of its cluster.

    >>> from adjudge.model.eal import Span
    >>> trfr_id("D1", "Conflict.Attack", "Attacker", Cas("Bob", Span(10, 12)), "Actual")
    '9a9236ecd2d9f8bdf1c6c2a088f4fc5b56827c5e'
    """
    words = (document + type_ + role + cas.text).encode("utf-8", "replace")
    return sha1(words + pack("<3i", *cas.span, _ORDINAL[realis]), usedforsecurity=False).hexdigest()


def form_of(id_: str) -> str:
    """What an id looks like: a number, a digest, or something else (the empty string).

    >>> form_of("-12"), form_of("cf8d5f87779ef1cae3fff7ae8631b820b6318a3b"), form_of("hopper7")
    ('number', 'sha1', '')
    """
    if id_.isascii() and id_.removeprefix("-").isdecimal():
        return "number" if len(id_) < 12 else ""
    return "sha1" if len(id_) == 40 and not set(id_) - set("0123456789abcdef") else ""


def _combine(*values: int) -> int:
    result = 1
    for value in values:
        result = (31 * result + value) & _WORD
    return result
