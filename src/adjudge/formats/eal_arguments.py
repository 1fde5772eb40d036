"""Argument files: one response per line, eleven columns separated by TABs, one file per document.

    id  document  type  role  CAS  CAS-span  justifications  base-filler  additional  realis  confidence

Spans are `start-end`, both inclusive; sets of spans have commas between them, or are NIL. Empty lines and lines that
begin with `#` say nothing; comments directly above a response belong to it. Columns after the eleventh are not looked
at, so a file with assessments can be read as well. What could not be read back as it is, is not written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise, repeat
from typing import Any, Literal, NamedTuple, TypeAlias

from adjudge.errors import Problem, ValidationError
from adjudge.findings import Finding, Findings, errors_of, field_column
from adjudge.formats.eal_fields import (
    LARGEST,
    SETS,
    SPANS,
    WHITE,
    Seen,
    cached,
    decode_lines,
    id_2014,
    parse_span,
    parse_spans,
    plain_lines,
    sha1_id,
)
from adjudge.model.eal import REALIS, Argument, Arguments, Cas, Realis, Response, Span

Repeats: TypeAlias = Literal["error", "best"]
Ids: TypeAlias = Literal["sha1", "2014", "keep"]

COLUMNS = 11

_new = tuple.__new__  # of whole columns, with no step of ours for each line
_REALIS: dict[str, Realis] = {each.lower(): each for each in REALIS}


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
    lines, findings = scan_lines(data, document, place, repeats=repeats)
    return lines.whole(), findings


class ArgumentLines:
    """The responses of a file in columns; the objects are made when somebody asks for them (row `eal/splitting`).

    `written` has columns 2 to 10 as they stand in the file, by which most responses are known without being read. It is
    empty, as `ids` is, if the responses were made, or have lines of other kinds between them.
    """

    __slots__ = ("_arguments", "confidences", "document", "ids", "written")

    def __init__(self, document: str, arguments: Sequence[Argument] | None) -> None:
        self.document = document
        self.written: Sequence[str] = ()
        self.ids: Sequence[str] = ()
        self.confidences = [argument[1] for argument in arguments or ()]
        self._arguments = arguments

    def __len__(self) -> int:
        return len(self.confidences)

    @property
    def arguments(self) -> Sequence[Argument]:
        """The responses as objects, in the order of the file."""
        if self._arguments is None:
            responses, numbers = read_written(self.written, self.document), range(1, len(self) + 1)
            found = zip(responses, self.confidences, self.ids, repeat(None), numbers, strict=False)
            self._arguments = list(map(_new, repeat(Argument), found))
        return self._arguments

    @property
    def responses(self) -> list[Response]:
        """What the lines say, without how sure it is."""
        return [argument[0] for argument in self.arguments]

    def whole(self) -> Arguments:
        """The same as objects."""
        return Arguments(self.document, self.arguments)


def scan_lines(
    data: bytes,
    document: str,
    place: str | None = None,
    *,
    repeats: Repeats = "error",
    known: Mapping[str, object] | None = None,
) -> tuple[ArgumentLines, list[Finding]]:
    """The responses of a file in columns, and what is wrong with it.

    `known` has columns 2 to 10 of different responses of this document that were read before, as they were written; a
    file with no others need not be read again.
    """
    try:
        return _read_plain(data, document, known or {}), []
    except ValueError:
        pass
    findings = Findings(place or document, document)
    complaints = Complaints(document)
    found = []
    comment: str | None = None
    for number, line in enumerate(decode_lines(data, findings), 1):
        if not line:
            comment = None
        elif line[0] == "#":
            comment = line[1:] if comment is None else f"{comment}\n{line[1:]}"
        else:
            try:
                argument = _read_row(line.split("\t")[:COLUMNS], document)
                found.append(argument._replace(comment=comment, line=number))
            except ValueError:
                complaints.complain(line, number, findings)
            comment = None
    if len({argument.response for argument in found}) < len(found):
        found = _without_repeats(found, repeats, findings)
    complaints.report_documents(findings)
    return ArgumentLines(document, found), findings.sorted()


def _read_plain(data: bytes, document: str, known: Mapping[str, object]) -> ArgumentLines:
    """The responses of a file with nothing but sound lines of different responses; a ValueError if it is another."""
    lines = ArgumentLines(document, None)
    halves = [line.partition("\t") for line in plain_lines(data)]
    ends = [rest.rpartition("\t") for _, _, rest in halves]
    lines.written = [middle for middle, _, _ in ends]
    lines.confidences = [_CONFIDENCES[each] for _, _, each in ends]
    lines.ids = [each.strip(WHITE) for each, _, _ in halves]
    different = set(lines.written)
    repeated = len(different) < len(ends)
    if not (repeated or known.keys() >= different):
        repeated = len({*lines.responses}) < len(ends)
    if repeated:
        raise ValueError("a response on two lines")
    return lines


def _read_row(columns: Sequence[str], document: str) -> Argument:
    """The response of a line, given by its columns; a ValueError if anything is wrong with it."""
    if len(columns) != COLUMNS:
        raise ValueError("fewer columns")
    (response,) = read_responses([[each] for each in columns[1:-1]], document)
    return Argument(response, _CONFIDENCES[columns[-1]], columns[0].strip(WHITE))


def read_written(written: Sequence[str], document: str) -> list[Response]:
    """The responses of columns 2 to 10 of lines; a ValueError if one cannot be read."""
    return read_responses([*zip(*[each.split("\t") for each in written], strict=True)], document) if written else []


def read_responses(columns: Sequence[Sequence[str]], document: str) -> list[Response]:
    """The responses that columns 2 to 10 of lines say, column by column; a ValueError if one cannot be read."""
    documents, types, roles, texts, at, because, fillers, more, realis = columns
    if {*documents} != {document} and {each.strip(WHITE) for each in documents} != {document}:
        raise ValueError("a response of another document")
    strings = zip(map(str.strip, texts, repeat(WHITE)), map(SPANS.__getitem__, at), strict=True)
    found = zip(
        repeat(document),
        map(NAMES.__getitem__, types),
        map(NAMES.__getitem__, roles),
        map(_new, repeat(Cas), strings),
        map(SPANS.__getitem__, fillers),
        map(_JUSTIFICATIONS.__getitem__, because),
        map(SETS.__getitem__, more),
        map(REALISES.__getitem__, realis),
        strict=False,
    )
    return list(map(_new, repeat(Response), found))


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


class Complaints:
    """Says what is wrong with lines of one document that cannot be read."""

    def __init__(self, document: str) -> None:
        self.document = document
        self._strange: dict[str, tuple[int, int, int]] = {}  # another document: its first line, column, and how many

    def complain(self, line: str, number: int, findings: Findings, *, confidence: bool = True) -> None:
        """Say all that is wrong with a line that could not be read; the confidence may not matter."""
        columns = line.split("\t")
        if len(columns) < COLUMNS:
            if not line.strip(WHITE):
                findings.add("columns", "the line has nothing but blanks", number, 1, "make it empty or remove it")
                return
            message = f"a line with {len(columns)} of {COLUMNS} columns"
            names = ", ".join(field.name for field in _FIELDS)
            findings.add("columns", message, number, 1, f"separate them by TABs: {names}")
            return
        for at, field in enumerate(_FIELDS[: COLUMNS if confidence else COLUMNS - 1], 1):
            try:
                if field.read is not None:
                    field.read(columns[at - 1])
            except ValueError as error:
                message = f"{error} in column {at} ({field.name})"
                findings.add(field.kind, message, number, field_column(line, at), field.hint)
        document = columns[1].strip(WHITE)
        if document != self.document:
            first, column, count = self._strange.get(document, (number, field_column(line, 2), 0))
            self._strange[document] = first, column, count + 1

    def report_documents(self, findings: Findings) -> None:
        """Say which other documents were named in the second column: each once, it is often the whole file."""
        for document, (line, column, count) in self._strange.items():
            lines = f"{count} lines have" if count > 1 else "the line has"
            message = f"{lines} the document id {document!r} in the file of {self.document!r}"
            same = bool(document) and self.document.startswith(f"{document}.")
            hint = f"name the file {document}, with no extension" if same else "use the name of the file in column 2"
            findings.add("document-id", message, line, column, hint)


# What a field says; a ValueError says why it cannot be read. What was seen before is looked up.


def _read_name(raw: str) -> str:
    text = raw.strip(WHITE)
    if not text:
        raise ValueError("nothing stands")
    return text


def read_justifications(raw: str) -> tuple[Span, ...]:
    """Spans of which there is one at least; a ValueError says what is wrong with them."""
    spans = parse_spans(raw)
    if not spans:
        raise ValueError("there is no predicate justification")
    return spans


def _read_realis(raw: str) -> Realis:
    text = raw.strip(WHITE)
    value = _REALIS.get(text.lower())
    if value is None:
        raise ValueError(f"there is no realis {text!r}")
    return value


def _read_confidence(raw: str) -> float:
    text = raw.strip(WHITE)
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a number") from None
    if "_" in text or not text.isascii():  # numbers in Python, but not in files
        raise ValueError(f"{text!r} is not a number")
    if not 0 <= value <= 1:
        raise ValueError(f"the confidence {text} is not from 0 to 1")
    return value


NAMES = Seen(_read_name)
_JUSTIFICATIONS = Seen(read_justifications)
REALISES = Seen(_read_realis)
_CONFIDENCES = Seen(_read_confidence)


class _Field(NamedTuple):
    name: str
    kind: str = ""
    read: Callable[[str], Any] | None = None
    hint: str = ""


_SPAN = "write start-end with both offsets counted from 0, as in 10-12"
_FIELDS = (
    _Field("id"),
    _Field("document"),
    _Field("type", "empty", _read_name, "write the event type, as in Conflict.Attack"),
    _Field("role", "empty", _read_name, "write the role, as in Place"),
    _Field("CAS"),
    _Field("CAS span", "span", parse_span, _SPAN),
    _Field("justifications", "justification", read_justifications, "name at least one span, as in 10-12,20-33"),
    _Field("base filler", "span", parse_span, _SPAN),
    _Field("additional", "span", parse_spans, "write spans as in 10-12,20-33, or NIL for none"),
    _Field("realis", "realis", _read_realis, f"write {', '.join(REALIS[:-1])} or {REALIS[-1]}"),
    _Field("confidence", "confidence", _read_confidence, "write a number from 0 to 1"),
)


def write_arguments(arguments: Arguments, *, ids: Ids = "sha1") -> bytes:
    r"""A file in canonical order: sorted by id, spans in order, numbers as the official program prints them.

    `ids` decides the first column: the digest of the content, the number of 2014, or what was read.

    >>> at = Span(10, 12)
    >>> response = Response("D1", "Conflict.Attack", "Attacker", Cas("Bob", at), at, (Span(5, 50),), (), "Actual")
    >>> write_arguments(Arguments("D1", [Argument(response, 0.9)]), ids="2014")
    b'543296559\tD1\tConflict.Attack\tAttacker\tBob\t10-12\t5-50\t10-12\tNIL\tActual\t0.9\n'
    """
    return write_named(arguments, ids)[0]


def write_named(arguments: Arguments, ids: Ids) -> tuple[bytes, list[str]]:
    """The same, and the id of each response."""
    document = arguments.document
    problems: list[Problem] = []
    names: list[str] = []
    middles: list[str] = []
    lines: list[str] = []
    for argument in arguments.arguments:
        try:
            middle = format_response(argument.response, document)
            name = format_id(argument, ids)
            if ids == "keep":
                _check_id(name)
            sure = _confidence_text(argument.confidence)
            above = "" if argument.comment is None else _comment(argument.comment)
            lines.append(f"{above}{name}\t{middle}\t{sure}\n")
        except ValueError as error:
            problems.append(Problem(f"a response cannot be written: {error}", path=document))
        else:
            names.append(name)
            middles.append(middle)
    if len(set(middles)) < len(middles):
        problems.append(Problem("a response occurs twice", path=document, hint="keep the more confident"))
    if problems:
        raise ValidationError(problems)
    places = names if ids == "sha1" else map(sort_key, names)  # digests are in order by their letters
    rows = sorted(zip(places, lines, strict=True))  # of two responses with one id the lines decide
    return "".join([text for _, text in rows]).encode(), names


def format_id(argument: Argument, ids: Ids) -> str:
    """The first column of a response."""
    if ids == "keep":
        return argument.id
    return sha1_id(argument.response) if ids == "sha1" else str(id_2014(argument.response))


def sort_key(id_: str) -> tuple[int, int, str]:
    """Numbers by value, then digests and other names by their letters.

    >>> sorted(["10", "9", "-3", "ab"], key=sort_key)
    ['-3', '9', '10', 'ab']
    """
    digits = id_.removeprefix("-")
    if len(digits) < 12 and digits.isdecimal() and id_.isascii():
        return 0, int(id_), id_
    return 1, 0, id_


def format_response(response: Response, document: str) -> str:
    """Columns 2 to 10 in the file of a document, in which different responses differ.

    A ValueError says why the response would not come back as it is.
    """
    own, type_, role, (text, at), filler, because, more, realis = response
    columns = (
        f"{_text('document', own)}\t{_text('type', type_)}\t{_text('role', role)}\t{_text('CAS', text)}\t"
        f"{_span_text(at)}\t{_spans_text(because)}\t{_span_text(filler)}\t{_spans_text(more)}\t{realis}"
    )
    if own != document:
        raise ValueError(f"it is of the document {own!r}")
    if not because:
        raise ValueError("it has no predicate justification")
    if realis not in REALIS:
        raise ValueError(f"there is no realis {realis!r}")
    return columns


@cached
def _text(name: str, text: str) -> str:
    if text.isascii() and text.isprintable() and text[:1] != " " != text[-1:] and text:  # mostly
        return text
    if text.strip(WHITE) != text or "\t" in text or "\n" in text or "\r" in text:
        raise ValueError(f"its {name} {text!r} has TABs, line breaks, or blanks at the ends")
    if not text and name not in ("id", "CAS"):
        raise ValueError(f"its {name} is empty")
    _check_unicode(name, text)
    return text


def _check_id(id_: str) -> None:
    _text("id", id_)
    if id_.startswith(("#", "\ufeff")):
        raise ValueError(f"its id {id_!r} would be a comment")


def _check_unicode(name: str, text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"its {name} {text!r} is not Unicode text") from None


def _span_text(span: Span) -> str:
    text = f"{span[0]}-{span[1]}"
    plain = type(span[0]) is int is type(span[1]) and isinstance(span, tuple)  # mostly
    if (not 0 <= span[0] <= span[1] <= LARGEST) if plain else not _comes_back(span, text):
        raise ValueError(f"{text} is not a span")
    return text


def _spans_text(spans: tuple[Span, ...]) -> str:
    texts = [_span_text(each) for each in spans]
    if not isinstance(spans, tuple) or any(one >= other for one, other in pairwise(spans)):
        raise ValueError("its justifications are not in order")
    return ",".join(texts) or "NIL"


def _comes_back(span: Span, text: str) -> bool:
    try:
        return parse_span(text) == span
    except ValueError:
        return False


@cached
def _confidence_text(value: float) -> str:
    if not 0 <= value <= 1:
        raise ValueError(f"its confidence {value!r} is not from 0 to 1")
    if type(value) is not float and float(value) != value:
        raise ValueError("it would not come back as it is")
    return format_confidence(value)


def _comment(comment: str) -> str:
    """The lines above a response."""
    if "\r" in comment:
        raise ValueError("its comment has a carriage return")
    _check_unicode("comment", comment)
    return "#" + comment.replace("\n", "\n#") + "\n"


def format_confidence(value: float) -> str:
    """A number as Java prints it.

    >>> format_confidence(0.8), format_confidence(1), format_confidence(0.00025)
    ('0.8', '1.0', '2.5E-4')
    """
    if 1e-3 <= value < 1e7 or value == 0:
        return repr(float(value))
    from decimal import Decimal

    sign, digits, exponent = Decimal(repr(float(value))).as_tuple()
    first, rest = str(digits[0]), "".join(map(str, digits[1:])).rstrip("0") or "0"
    return f"{'-' if sign else ''}{first}.{rest}E{int(exponent) + len(digits) - 1}"
