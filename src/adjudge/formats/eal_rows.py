"""Writing the eleven columns of a response, so that a reader finds just that response in them.

What cannot be read back is refused. A field that was seen before is looked up, not checked and printed again, and a
response that is as it was read keeps the text that it was read from, if that is the one that would be written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise

from adjudge.formats.eal_fields import COLUMNS
from adjudge.formats.eal_lines import LARGEST, WHITE, parse_span
from adjudge.model.eal import REALIS, Argument, Cas, Response, Span


class LineWriter:
    """Writes responses of one document."""

    def __init__(self, document: str) -> None:
        self.names = _Names()
        self.spans = _Spans()
        self.cases = _Cases(self.spans)
        self.sets = _SpanSets(self.spans)
        self.confidences = _Confidences()
        self.document = document if document and _is_field(document) else None  # None if it cannot stand in column 2

    def response(self, response: Response) -> str | None:
        """Columns 2 to 10, or None if they would not be read as this response; different responses differ in them."""
        document, type_, role, cas, filler, because, more, realis = response
        if document != self.document or not because or realis not in REALIS:
            return None
        names, sets = self.names, self.sets
        try:
            return (
                f"{document}\t{names[type_]}\t{names[role]}\t{self.cases[cas]}\t{sets[because]}\t"
                f"{self.spans[filler]}\t{sets[more]}\t{realis}"
            )
        except ValueError:  # a field that could not be read
            return None

    def column_11(self, confidences: Iterable[float]) -> list[str | None]:
        """Each confidence as it is written, or None for what would not be read as this number."""
        others = self.confidences
        return [
            repr(each) if type(each) is float and 0.001 <= each <= 1 else others[each]  # mostly as Python has it
            for each in confidences
        ]


class Verbatim:
    """The lines that the responses of one document were read from.

    `odd` are fields that would be written in another way, such as 007-8 for 7-8. If they are not `wide`, the lines have
    no more than eleven columns.
    """

    def __init__(
        self, document: str, arguments: Sequence[Argument], lines: Sequence[str], odd: Collection[str], *, wide: bool
    ) -> None:
        self._document = document
        self._arguments = arguments
        self._lines = lines
        self._odd = frozenset(odd)
        self._wide = wide

    def columns(self, arguments: Sequence[Argument], document: str | None) -> list[str | None]:
        """Columns 2 to 10 of arguments as `LineWriter` would write them for a document, or None for those not known.

        An argument must be the very object that was read: one that says something else may still have its line.
        """
        if document != self._document:
            return [None] * len(arguments)
        read = {argument[4]: argument for argument in self._arguments}
        rows = [self._lines[each[4] - 1] if read.get(each[4]) is each else "" for each in arguments]
        if self._wide:
            rows = [row if row.count("\t") == COLUMNS - 1 else "" for row in rows]
        if self._odd:
            rows = [row if self._odd.isdisjoint(row.split("\t")) else "" for row in rows]
        return [row[row.index("\t") + 1 : row.rindex("\t")] if row else None for row in rows]


def is_id(id_: str) -> bool:
    """Whether an id can stand in column 1, at the beginning of a line.

    >>> is_id("17"), is_id(""), is_id("#17"), is_id("1 ")
    (True, True, False, False)
    """
    return (id_.isascii() and id_.isalnum()) or (_is_field(id_) and not id_.startswith(("#", "\ufeff")))


def comment_text(comment: str | None) -> str | None:
    """The lines above a response, or None if they would not be read as this comment."""
    if not comment:
        return "" if comment is None else "#\n"
    return None if "\r" in comment or not _is_unicode(comment) else "#" + comment.replace("\n", "\n#") + "\n"


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


def unwritable(argument: Argument, id_: str, document: str) -> str:
    """Why a response would not come back as it is; only values made by a program can be so."""
    response = argument.response
    texts = {"id": id_, "document": response.document, "type": response.type, "role": response.role}
    for name, text in {**texts, "CAS": response.cas.text}.items():
        if text.strip(WHITE) != text or "\t" in text or "\n" in text or "\r" in text:
            return f"its {name} {text!r} has TABs, line breaks, or blanks at the ends"
        if not text and name not in ("id", "CAS"):
            return f"its {name} is empty"
        if not _is_unicode(text):
            return f"its {name} {text!r} is not Unicode text"
    if response.document != document:
        return f"it is of the document {response.document!r}"
    if not is_id(id_):
        return f"its id {id_!r} would be a comment"
    for span in (response.cas.span, response.base_filler, *response.justifications, *response.additional):
        if not _is_span(span):
            return f"{span[0]}-{span[1]} is not a span"
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
    if not _is_unicode(argument.comment or ""):
        return f"its comment {argument.comment!r} is not Unicode text"
    return "it would not come back as it is"


# A value is checked when it is first looked up; ValueError says that it cannot be written, and `unwritable` says why.


class _Names(dict[str, str]):
    def __missing__(self, value: str) -> str:
        if not value or not _is_field(value):
            raise ValueError
        self[value] = value
        return value


class _Spans(dict[Span, str]):
    def __missing__(self, value: Span) -> str:
        if not _is_span(value):
            raise ValueError
        text = self[value] = f"{value[0]}-{value[1]}"
        return text


class _Cases(dict[Cas, str]):
    def __init__(self, spans: _Spans) -> None:
        self._spans = spans

    def __missing__(self, value: Cas) -> str:
        if not _is_field(value[0]):
            raise ValueError
        text = self[value] = f"{value[0]}\t{self._spans[value[1]]}"
        return text


class _SpanSets(dict[tuple[Span, ...], str]):
    def __init__(self, spans: _Spans) -> None:
        self._spans = spans

    def __missing__(self, value: tuple[Span, ...]) -> str:
        if not isinstance(value, tuple) or (len(value) > 1 and any(one >= other for one, other in pairwise(value))):
            raise ValueError
        spans = self._spans
        text = self[value] = ",".join([spans[each] for each in value]) or "NIL"
        return text


class _Confidences(dict[float, "str | None"]):
    def __missing__(self, value: float) -> str | None:
        fine = type(value) is float or float(value) == value
        text = self[value] = format_confidence(value) if fine and 0 <= value <= 1 else None
        return text


def _is_field(text: str) -> bool:
    """Whether a text stays as it is in a field of a line."""
    if text.isascii() and text.isprintable() and text[:1] != " " != text[-1:]:  # mostly
        return True
    return (
        "\t" not in text and "\n" not in text and "\r" not in text and text.strip(WHITE) == text and _is_unicode(text)
    )


def _is_span(span: Span) -> bool:
    start, end = span
    if type(start) is int is type(end):  # mostly
        return isinstance(span, tuple) and 0 <= start <= end <= LARGEST
    return parse_span(f"{start}-{end}") == span


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
