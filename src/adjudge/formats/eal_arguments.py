"""Argument files: one response per line, eleven columns separated by TABs, one file per document.

    id  document  type  role  CAS  CAS-span  justifications  base-filler  additional  realis  confidence

Spans are `start-end`, both inclusive; sets of spans have commas between them, or are NIL. Empty lines and lines that
begin with `#` say nothing; comments directly above a response belong to it. Columns after the eleventh are not looked
at, so a file with assessments can be read as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, TypeAlias

from adjudge.errors import Problem, ValidationError
from adjudge.formats.eal_fields import COLUMNS, LineReader
from adjudge.formats.eal_ids import id_2014, sha1_id
from adjudge.formats.eal_lines import WHITE, Findings, decode_lines, errors_of, format_spans, parse_span
from adjudge.formats.findings import Finding
from adjudge.model.eal import REALIS, Argument, Arguments, Response

__all__ = [
    "COLUMNS",
    "Ids",
    "Repeats",
    "argument_fields",
    "format_confidence",
    "format_id",
    "normalise_cas",
    "parse_arguments",
    "scan_arguments",
    "sort_key",
    "unwritable",
    "write_arguments",
]

Repeats: TypeAlias = Literal["error", "best"]
Ids: TypeAlias = Literal["sha1", "2014", "keep"]


def parse_arguments(
    data: bytes, document: str, place: str | None = None, *, repeats: Repeats = "error"
) -> tuple[Arguments, list[Problem]]:
    r"""The responses of a file that could be read, and every problem with the others.

    A response that stands on two lines is a problem, or with `repeats="best"` the more confident line counts.

    >>> line = b"1\tD1\tConflict.Attack\tPlace\tRome\t20-23\t5-50\t20-23\tNIL\tACTUAL\t0.8\n"
    >>> arguments, problems = parse_arguments(line + line.replace(b"NIL", b"7"), "D1")
    >>> arguments.arguments[0].response.cas
    Cas(text='Rome', span=Span(start=20, end=23))
    >>> print(problems[0])
    D1:2:50: '7' is not a span in column 9 (additional), write spans as in 10-12,20-33, or NIL for none
    """
    arguments, findings = scan_arguments(data, document, place, repeats=repeats)
    return arguments, errors_of(findings)


def scan_arguments(
    data: bytes, document: str, place: str | None = None, *, repeats: Repeats = "error"
) -> tuple[Arguments, list[Finding]]:
    """The same with the kind of each problem, for programs."""
    findings = Findings(place or document, document)
    reader = LineReader(document)
    read = reader.read
    found: list[Argument] = []
    keep = found.append
    comment: str | None = None
    for number, line in enumerate(decode_lines(data, findings), 1):
        if not line:
            comment = None
        elif line[0] == "#":
            comment = line[1:] if comment is None else f"{comment}\n{line[1:]}"
        else:
            argument = read(line.split("\t"), comment, number)
            if argument is None:
                reader.complain(line, number, findings)
            else:
                keep(argument)
            comment = None
    if len({argument[0] for argument in found}) < len(found):
        found = _without_repeats(found, repeats, findings)
    reader.report_documents(findings)
    return Arguments(document, found), findings.sorted()


def _without_repeats(arguments: list[Argument], repeats: Repeats, findings: Findings) -> list[Argument]:
    found: dict[Response, Argument] = {}
    for argument in arguments:
        first = found.setdefault(argument.response, argument)
        if first is argument:
            continue
        if repeats == "error":
            message = f"this is the response of line {first.line} again"
            findings.add("repeated-response", message, argument.line, 1, "keep one of the two lines")
        elif argument.confidence > first.confidence:
            found[argument.response] = argument
    return list(found.values())


def write_arguments(arguments: Arguments, *, ids: Ids = "sha1") -> bytes:
    r"""A file in canonical order: sorted by id, spans in order, numbers as the official program prints them.

    `ids` decides the first column: the digest of the content, the number of 2014, or what was read.

    >>> from adjudge.model.eal import Cas, Span
    >>> at = Span(10, 12)
    >>> response = Response("D1", "Conflict.Attack", "Attacker", Cas("Bob", at), at, (Span(5, 50),), (), "Actual")
    >>> write_arguments(Arguments("D1", [Argument(response, 0.9)]), ids="2014")
    b'543296559\tD1\tConflict.Attack\tAttacker\tBob\t10-12\t5-50\t10-12\tNIL\tActual\t0.9\n'
    """
    return write_named(arguments, [format_id(argument, ids) for argument in arguments.arguments])


def write_named(arguments: Arguments, ids: Sequence[str]) -> bytes:
    """The same with an id for each response."""
    document = arguments.document
    problems: list[Problem] = []
    rows = []
    reader = LineReader(document)
    for argument, id_ in zip(arguments.arguments, ids, strict=True):
        text = comes_back(argument, id_, reader)
        if text is None:
            problem = unwritable(argument, id_, document) or "it would not come back as it is"
            problems.append(Problem(f"a response cannot be written: {problem}", path=document))
            continue
        if argument.comment is not None:
            text = "".join(f"#{line}\n" for line in argument.comment.split("\n")) + text
        rows.append((sort_key(id_), text))
    if len({argument.response for argument in arguments.arguments}) < len(arguments.arguments):
        problems.append(Problem("a response is there twice", path=document, hint="keep the more confident"))
    if problems:
        raise ValidationError(problems)
    rows.sort()
    return "".join([text for _, text in rows]).encode()


def comes_back(argument: Argument, id_: str, reader: LineReader) -> str | None:
    """The line of a response, or None if a reader would find something else in it."""
    if not 0 <= argument.confidence <= 1 or "\r" in (argument.comment or ""):
        return None
    text = "\t".join(argument_fields(argument.response, argument.confidence, id_))
    if "\n" in text or "\r" in text or text.startswith(("#", "\ufeff")):
        return None
    again = reader.read(text.split("\t"), None, 0)
    if again is None or again[0] != argument.response or again[1] != argument.confidence or again[2] != id_:
        return None
    try:
        text.encode()
    except UnicodeEncodeError:
        return None
    return f"{text}\n"


def format_id(argument: Argument, ids: Ids) -> str:
    """The first column of a response."""
    if ids == "sha1":
        return sha1_id(argument.response)
    return argument.id if ids == "keep" else str(id_2014(argument.response))


def sort_key(id_: str) -> tuple[int, int, str]:
    """Numbers by value, then digests and other names by their letters.

    >>> sorted(["10", "9", "-3", "ab"], key=sort_key)
    ['-3', '9', '10', 'ab']
    """
    digits = id_.removeprefix("-")
    if len(digits) < 12 and digits.isdecimal() and id_.isascii():
        return 0, int(id_), id_
    return 1, 0, id_


def argument_fields(response: Response, confidence: float, id_: str) -> list[str]:
    """The eleven columns of a response."""
    document, type_, role, (text, span), filler, justifications, additional, realis = response
    return [
        id_,
        document,
        type_,
        role,
        text,
        f"{span[0]}-{span[1]}",
        format_spans(justifications),
        f"{filler[0]}-{filler[1]}",
        format_spans(additional),
        realis,
        format_confidence(confidence),
    ]


def unwritable(argument: Argument, id_: str, document: str) -> str | None:
    """Why a response would not come back as it is, or None; only values made by a program can be so."""
    response = argument.response
    texts = {"id": id_, "document": response.document, "type": response.type, "role": response.role}
    for name, text in {**texts, "CAS": response.cas.text}.items():
        if text.strip(WHITE) != text or "\t" in text or "\n" in text or "\r" in text:
            return f"its {name} {text!r} has TABs, line breaks, or blanks at the ends"
        if not text and name not in ("id", "CAS"):
            return f"its {name} is empty"
        try:
            text.encode()
        except UnicodeEncodeError:
            return f"its {name} {text!r} is not Unicode text"
    if response.document != document:
        return f"it is of the document {response.document!r}"
    if id_.startswith(("#", "\ufeff")):
        return f"its id {id_!r} would be a comment"
    for span in (response.cas.span, response.base_filler, *response.justifications, *response.additional):
        if parse_span(f"{span.start}-{span.end}") != span:
            return f"{span.start}-{span.end} is not a span"
    for spans in (response.justifications, response.additional):
        if any(one >= other for one, other in pairwise(spans)):
            return "its justifications are not in order"
    if not response.justifications:
        return "it has no predicate justification"
    if response.realis not in REALIS:
        return f"there is no realis {response.realis!r}"
    if not 0 <= argument.confidence <= 1:
        return f"its confidence {argument.confidence!r} is not from 0 to 1"
    if "\r" in (argument.comment or ""):
        return "its comment has a carriage return"
    return None


def format_confidence(value: float) -> str:
    """A number as Java prints it.

    >>> format_confidence(0.8), format_confidence(1), format_confidence(0.00025)
    ('0.8', '1.0', '2.5E-4')
    """
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        text = repr(float(value))
        if "e" not in text:
            return text
    from decimal import Decimal

    sign, digits, exponent = Decimal(repr(float(value))).as_tuple()
    first, rest = str(digits[0]), "".join(map(str, digits[1:])).rstrip("0") or "0"
    return f"{'-' if sign else ''}{first}.{rest}E{int(exponent) + len(digits) - 1}"


def normalise_cas(text: str) -> str:
    r"""The text of a canonical argument string: line breaks and TABs become blanks, blanks at the ends go.

    >>> normalise_cas(" three\r\npolice\tofficers ")
    'three police officers'
    """
    if "\n" in text or "\t" in text or "\r" in text:
        text = text.replace("\r\n", " ").replace("\n", " ").replace("\t", " ").replace("\r", " ")
    return text.strip(WHITE)
