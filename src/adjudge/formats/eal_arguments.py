"""Argument files: one response per line, eleven columns separated by TABs, one file per document.

    id  document  type  role  CAS  CAS-span  justifications  base-filler  additional  realis  confidence

Spans are `start-end`, both inclusive; sets of spans have commas between them, or are NIL. Empty lines and lines that
begin with `#` say nothing; comments directly above a response belong to it. Columns after the eleventh are not looked
at, so a file with assessments can be read as well.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Literal, TypeAlias

from adjudge.errors import Problem, ValidationError
from adjudge.formats.eal_fields import COLUMNS, LineReader
from adjudge.formats.eal_ids import id_2014, sha1_id
from adjudge.formats.eal_lines import WHITE, Findings, decode_lines, errors_of
from adjudge.formats.eal_rows import LineWriter, Verbatim, comment_text, format_confidence, is_id, unwritable
from adjudge.formats.findings import Finding
from adjudge.model.eal import Argument, Arguments, Response

__all__ = [
    "COLUMNS",
    "Ids",
    "Repeats",
    "format_confidence",
    "format_id",
    "normalise_cas",
    "parse_arguments",
    "scan_arguments",
    "sort_key",
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
    arguments, findings, _ = scan_verbatim(data, document, place, repeats=repeats)
    return arguments, findings


def scan_verbatim(
    data: bytes, document: str, place: str | None = None, *, repeats: Repeats = "error"
) -> tuple[Arguments, list[Finding], Verbatim]:
    """The same, and the lines, so that what does not change need not be formatted again."""
    findings = Findings(place or document, document)
    reader = LineReader(document)
    read = reader.read
    found: list[Argument] = []
    keep = found.append
    comment: str | None = None
    lines = decode_lines(data, findings)
    for number, line in enumerate(lines, 1):
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
    wide = data.count(b"\t") > (COLUMNS - 1) * len(found)
    return Arguments(document, found), findings.sorted(), Verbatim(document, found, lines, reader.odd, wide=wide)


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
    return write_named(arguments, ids)[0]


def write_named(arguments: Arguments, ids: Ids, verbatim: Verbatim | None = None) -> tuple[bytes, list[str]]:
    """The same, and the id of each response; `verbatim` has the lines of those that are as they were read."""
    given = arguments.arguments
    writer = LineWriter(arguments.document)
    middles = verbatim.columns(given, writer.document) if verbatim is not None else [None] * len(given)
    if None in middles:
        known = zip(given, middles, strict=True)
        middles = [writer.response(each[0]) if text is None else text for each, text in known]
    sure = writer.column_11([each[1] for each in given])
    above = ["" if each[3] is None else comment_text(each[3]) for each in given]
    bad = {place for column in (middles, sure, above) if None in column for place in _nowhere(column)}
    if ids == "keep":
        bad.update(place for place, each in enumerate(given) if not is_id(each[2]))
    if bad or len(set(middles)) < len(middles):
        raise ValidationError(_unwritable(arguments, ids, middles, bad))
    names = list(map(_NAMERS[ids], given))
    lines = [
        f"{top}{name}\t{middle}\t{end}\n" for top, name, middle, end in zip(above, names, middles, sure, strict=True)
    ]
    # Digests are in order by their letters; of two responses with one id the lines decide.
    if ids != "sha1":
        rows = sorted(zip(names, lines, strict=True), key=lambda row: (sort_key(row[0]), row[1]))
    elif any(above):
        rows = sorted(zip(names, lines, strict=True))
    else:
        return "".join(sorted(lines)).encode(), names
    return "".join([text for _, text in rows]).encode(), names


def _nowhere(column: Sequence[str | None]) -> Iterator[int]:
    return (place for place, text in enumerate(column) if text is None)


def _unwritable(arguments: Arguments, ids: Ids, middles: Sequence[str | None], bad: Collection[int]) -> list[Problem]:
    document = arguments.document
    problems = []
    for place in sorted(bad):
        argument = arguments.arguments[place]
        reason = unwritable(argument, argument.id if ids == "keep" else "", document)
        problems.append(Problem(f"a response cannot be written: {reason}", path=document))
    fine = [text for place, text in enumerate(middles) if place not in bad]
    if len(set(fine)) < len(fine):
        problems.append(Problem("a response is there twice", path=document, hint="keep the more confident"))
    return problems


def format_id(argument: Argument, ids: Ids) -> str:
    """The first column of a response."""
    return _NAMERS[ids](argument)


_NAMERS: dict[Ids, Callable[[Argument], str]] = {
    "sha1": lambda argument: sha1_id(argument[0]),
    "2014": lambda argument: str(id_2014(argument[0])),
    "keep": lambda argument: argument[2],
}


def sort_key(id_: str) -> tuple[int, int, str]:
    """Numbers by value, then digests and other names by their letters.

    >>> sorted(["10", "9", "-3", "ab"], key=sort_key)
    ['-3', '9', '10', 'ab']
    """
    digits = id_.removeprefix("-")
    if len(digits) < 12 and digits.isdecimal() and id_.isascii():
        return 0, int(id_), id_
    return 1, 0, id_


def normalise_cas(text: str) -> str:
    r"""The text of a canonical argument string: line breaks and TABs become blanks, blanks at the ends go.

    >>> normalise_cas(" three\r\npolice\tofficers ")
    'three police officers'
    """
    if "\n" in text or "\t" in text or "\r" in text:
        text = text.replace("\r\n", " ").replace("\n", " ").replace("\t", " ").replace("\r", " ")
    return text.strip(WHITE)
