"""What the files of event arguments have in common: lines of fields, spans, and complaints about them."""

from __future__ import annotations

from functools import lru_cache

from adjudge.formats.findings import Findings
from adjudge.model.eal import Span

# The characters with the property White_Space; str.strip() without them takes some control characters, too.
WHITE = "\t\n\x0b\x0c\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
LARGEST = 2**31 - 1
BOM = b"\xef\xbb\xbf"

cached = lru_cache(maxsize=4096)
"""For functions of a field: a submission has many lines, and few different fields."""


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


@cached
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
    raise ValueError(f"{text!r} is not a span" if dash or text else "no span stands")


@cached
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
    return tuple(sorted({parse_span(item) for item in text.split(",") if item.strip(WHITE)}))
