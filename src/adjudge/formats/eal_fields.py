"""What stands in the fields of event arguments: lines, spans, dates, and the names of responses.

Dates are the fillers of time roles: `yyyy-mm-dd`, with X for what is not known. The task description gives XXXX-05-04
for "May 4th"; the official programs call it malformed. `x_year` decides.

The first official program named responses by a 32-bit number, its successors by a SHA-1 digest. Both depend on the
content alone, so a response has the same name in every store. The number still breaks ties between equally confident
responses, so both are needed to reproduce official scores. They are computed when they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from hashlib import sha1
from itertools import product, repeat
from struct import Struct, pack
from typing import TypeVar

from adjudge.findings import Findings
from adjudge.model.eal import REALIS, Cas, Realis, Response, Span

# The characters with the property White_Space; str.strip() without them takes some control characters, too.
WHITE = "\t\n\x0b\x0c\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
LARGEST = 2**31 - 1
BOM = b"\xef\xbb\xbf"

KEPT = 1 << 16  # fields of a large store, such as spans; some megabytes
cached = lru_cache(maxsize=KEPT)
K = TypeVar("K")
T = TypeVar("T")


class Seen(dict[K, T]):
    """What fields say, each read when it is first seen: a submission has many lines, and few different fields."""

    def __init__(self, read: Callable[[K], T]) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, raw: K) -> T:
        value = self._read(raw)
        if len(self) >= KEPT:
            self.clear()
        self[raw] = value
        return value


def plain_lines(data: bytes) -> list[str]:
    """The lines of a file that has responses and nothing else; a ValueError if it has to be looked at more closely."""
    if b"\r" in data or data.startswith((BOM, b"#")) or (b"#" in data and b"\n#" in data):
        raise ValueError("comments, or a line end of another system")
    lines = data.decode("utf-8").split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def decode_lines(data: bytes, findings: Findings) -> list[str]:
    """The lines of a file in UTF-8; a line with other bytes is a complaint, and empty in the answer.

    >>> decode_lines(b"a\\r\\nb" + bytes([233]) + b"\\nc", found := Findings("DOC"))
    ['a', '', 'c']
    >>> print(found.sorted()[0].problem)
    DOC:2:2: the byte 0xe9 is not UTF-8, save the file in UTF-8
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        findings.add("encoding", "the file is in UTF-16", 1, 1, "save it in UTF-8")
        return []
    data = data.removeprefix(BOM)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        lines = data.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        lines = [_decoded(line, number, findings) for number, line in enumerate(data.split(b"\n"), 1)]
    if not lines[-1]:
        lines.pop()
    return lines


def _decoded(line: bytes, number: int, findings: Findings) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        column = len(line[: error.start].decode("utf-8")) + 1
        message = f"the byte 0x{line[error.start]:02x} is not UTF-8"
        findings.add("encoding", message, number, column, "save the file in UTF-8")
        return ""


def parse_span(raw: str) -> Span:
    """A span from `start-end`; a ValueError says what is wrong with it.

    >>> parse_span("10-12")
    Span(start=10, end=12)
    >>> parse_span("12-10")
    Traceback (most recent call last):
    ValueError: the span 12-10 ends before it starts
    """
    text = raw.strip(WHITE)
    start, dash, end = text.partition("-")
    if start.isdecimal() and end.isdecimal() and text.isascii():
        if len(start) <= 10 and len(end) <= 10:
            first, last = int(start), int(end)
            if first <= last <= LARGEST:
                return Span(first, last)
            if first <= LARGEST and last <= LARGEST:
                raise ValueError(f"the span {text} ends before it starts")
        raise ValueError(f"the span {text} has an offset above {LARGEST}")
    if text.startswith("-") and text.count("-") >= 2:
        raise ValueError(f"the span {text} has a negative offset")
    raise ValueError(f"{text!r} is not a span" if dash or text else "no span is given")


def parse_spans(raw: str) -> tuple[Span, ...]:
    """A set of spans from `start-end,start-end` or NIL, sorted; a ValueError says what is wrong with it.

    >>> parse_spans("60-70, 5-50,"), parse_spans("NIL")
    ((Span(start=5, end=50), Span(start=60, end=70)), ())
    """
    text = raw.strip(WHITE)
    if text == "NIL":
        return ()
    if not text:
        raise ValueError("the list of spans is empty")
    return tuple(sorted({SPANS[item] for item in text.split(",") if item.strip(WHITE)}))


SPANS = Seen(parse_span)
SETS = Seen(parse_spans)

_LENGTHS = (4, 2, 2)


@cached
def is_valid(text: str, *, x_year: bool = True, lower_x: bool = True) -> bool:
    """Whether a text is a date: three parts of 4, 2 and 2 characters, each digits and then Xs.

    A year of Xs alone is allowed with `x_year` if there is a digit elsewhere, a small x with `lower_x`. There is no
    calendar in it: month 13 passes.

    >>> [is_valid(text) for text in ("1985-XX-XX", "19XX-XX-XX", "XXXX-05-04", "20X3-01-01", "yesterday")]
    [True, True, True, False, False]
    >>> is_valid("XXXX-05-04", x_year=False), is_valid("2003-xx-xx", lower_x=False)
    (False, False)
    """
    parts = text.split("-")
    if len(parts) != 3:
        return False
    unknown = "Xx" if lower_x else "X"
    digits = []
    for part, length in zip(parts, _LENGTHS, strict=True):
        known = part.rstrip(unknown)
        if len(part) != length or (known and not known.isdecimal()):
            return False
        digits.append(len(known))
    return any(digits) if x_year else bool(digits[0])


def less_specific(text: str, *, x_year: bool = True, parts: bool | None = None) -> list[str]:
    """The dates that say less than a valid one: digits of it are X, in each part from the right.

    With `x_year` a date without its year says less, too. Without `parts` digits become X one at a time from the right
    of the whole date, as in the official programs; the first digit of the year stays. By default the two go together.

    >>> less_specific("198X-12-XX")[:4], {"2003-XX-04", "200X-05-04"} <= set(less_specific("2003-05-04"))
    (['198X-1X-XX', '198X-XX-XX', '19XX-12-XX', '19XX-1X-XX'], True)
    >>> less_specific("1982-1X-XX", x_year=False)
    ['1982-XX-XX', '198X-XX-XX', '19XX-XX-XX', '1XXX-XX-XX']
    """
    if x_year if parts is None else parts:
        choices = product(*(_chain(part) for part in text.split("-")))
        found = ["-".join(each) for each in choices]
        return [each for each in found if each != text and is_valid(each, x_year=x_year)]
    found = _chain(text, first=1)[1:]
    if not x_year:
        return found
    if text[0].isdecimal():
        return found + [each for each in _chain("XXXX" + text[4:], first=5) if is_valid(each)]
    return [each for each in found if is_valid(each)]


def _chain(text: str, *, first: int = 0) -> list[str]:
    """A text, and with its digits replaced one after the other, from the last down to the one at `first`."""
    letters = list(text)
    found = [text]
    for at in range(len(letters) - 1, first - 1, -1):
        if letters[at].isdecimal():
            letters[at] = "X"
            found.append("".join(letters))
    return found


DIGEST = 40  # characters of a content hash

_WORD = 0xFFFFFFFF

_pack_two = Struct("<2i").pack
_sha1 = partial(sha1, usedforsecurity=False)
REALIS_BYTES = {realis: pack("<i", number) for number, realis in enumerate(REALIS)}  # as they are in a digest


@cached  # types, roles and document ids come again and again
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
    document, type_, role, (text, at), filler, because, more, realis = response
    numbers = span_bytes(at), span_bytes(filler), set_bytes(0, because), set_bytes(1, more), REALIS_BYTES[realis]
    return sha1_ids((document + type_ + role + text,), *[(each,) for each in numbers])[0]


def sha1_ids(words: Iterable[str], *numbers: Iterable[bytes]) -> list[str]:
    """The digests of responses by columns, which are many at once (row `eal/splitting`).

    First document, type, role and text of each as one word, then CAS span, base filler, justifications, additional ones
    and realis as bytes.
    """
    encoded = map(str.encode, words, repeat("utf-8"), repeat("replace"))
    hashes = map(_sha1, map(b"".join, zip(encoded, *numbers, strict=False)))
    return [each.hexdigest() for each in hashes]


def span_bytes(span: Span) -> bytes:
    """A span in a digest."""
    return _pack_two(*span)


def set_bytes(kind: int, spans: Iterable[Span]) -> bytes:
    """Spans of the same kind in a digest: justifications (0) or additional ones (1)."""
    return pack("<i", kind) + b"".join([_pack_two(*span) for span in spans])


def trfr_id(document: str, type_: str, role: str, cas: Cas, realis: Realis) -> str:
    """The digest of a class of responses, named by the first CAS of its cluster.

    >>> from adjudge.model.eal import Span
    >>> trfr_id("D1", "Conflict.Attack", "Attacker", Cas("Bob", Span(10, 12)), "Actual")
    '9a9236ecd2d9f8bdf1c6c2a088f4fc5b56827c5e'
    """
    words = (document + type_ + role + cas.text).encode("utf-8", "replace")
    return _sha1(words + span_bytes(cas.span) + REALIS_BYTES[realis]).hexdigest()


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
