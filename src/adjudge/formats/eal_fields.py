"""Reading the eleven columns of a response.

A submission has many lines, so a field that was seen before is looked up, not parsed again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, cast

from adjudge.formats.eal_lines import WHITE, Findings, field_column, parse_span, parse_spans
from adjudge.model.eal import REALIS, Argument, Cas, Realis, Response, Span

COLUMNS = 11

_NAMES = ("id", "document", "type", "role", "CAS", "CAS span", "justifications", "base filler", "additional", "realis")
_REALIS: dict[str, Realis] = {each.lower(): each for each in REALIS}
_SPAN = "write start-end with both offsets counted from 0, as in 10-12"
_SPANS = "write spans as in 10-12,20-33, or NIL for none"


class LineReader:
    """Reads the first eleven columns of lines of one document."""

    def __init__(self, document: str) -> None:
        self.document = document
        self.odd: set[str] = set()  # fields that would be written in another way than they were read
        self.names = _Names(self.odd)
        self.spans = _Spans(self.odd)
        self.cases = _Cases(self.spans)
        self.additional = _SpanSets(self.spans)
        self.realis = _RealisValues(self.odd)
        self._strange: dict[str, tuple[int, int, int]] = {}  # another document: its first line, column, and how many

    def read(self, columns: list[str], comment: str | None, number: int) -> Argument | None:
        """The response of a line, or None if something is wrong with it."""
        try:
            id_, document, type_, role, text, at, because, filler, more, realis, sure = columns[:COLUMNS]
            if document != self.document:
                if document.strip(WHITE) != self.document:
                    return None
                self.odd.add(document)
            justifications = self.additional[because]
            confidence = float(sure)
            if not justifications or not 0 <= confidence <= 1 or "_" in sure or not sure.strip(WHITE).isascii():
                return None
            response = _response(
                (
                    self.document,
                    self.names[type_],
                    self.names[role],
                    self.cases[text, at],
                    self.spans[filler],
                    justifications,
                    self.additional[more],
                    self.realis[realis],
                )
            )
            return _argument((response, confidence, id_.strip(WHITE), comment, number))
        except ValueError:  # too few columns, or a field that cannot be read
            return None

    def complain(self, line: str, number: int, findings: Findings, *, confidence: bool = True) -> None:
        """Say all that is wrong with a line that could not be read; the confidence may not matter."""
        columns = line.split("\t")
        if len(columns) < COLUMNS:
            if not line.strip(WHITE):
                findings.add("columns", "the line has nothing but blanks", number, 1, "make it empty or remove it")
                return
            message = f"a line with {len(columns)} of {COLUMNS} columns"
            names = ", ".join((*_NAMES, "confidence"))
            findings.add("columns", message, number, 1, f"separate them by TABs: {names}")
            return
        for at, (kind, parse, hint) in _CHECKS.items():
            answer = parse(columns[at - 1].strip(WHITE)) if at < COLUMNS or confidence else None
            if answer is not None:
                findings.add(kind, f"{answer} in column {at} ({_name(at)})", number, field_column(line, at), hint)
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


# A value is parsed when it is first looked up; ValueError says that it cannot be, and `complain` says why.


class _Names(dict[str, str]):
    def __init__(self, odd: set[str]) -> None:
        self._odd = odd

    def __missing__(self, raw: str) -> str:
        value = raw.strip(WHITE)
        if not value:
            raise ValueError
        if value != raw:
            self._odd.add(raw)
        self[raw] = value
        return value


class _Spans(dict[str, Span]):
    def __init__(self, odd: set[str]) -> None:
        self.odd = odd

    def __missing__(self, raw: str) -> Span:
        start, _, end = raw.partition("-")
        if start.isdecimal() and end.isdecimal() and len(start) < 10 and len(end) < 10 and raw.isascii():  # mostly
            first, last = int(start), int(end)
            if first <= last:
                if start[0] == "0" != start or end[0] == "0" != end:
                    self.odd.add(raw)
                value = self[raw] = _span((first, last))
                return value
        parsed = parse_span(raw.strip(WHITE))
        if isinstance(parsed, str):
            raise ValueError
        self.odd.add(raw)
        self[raw] = parsed
        return parsed


class _Cases(dict[tuple[str, str], Cas]):
    def __init__(self, spans: _Spans) -> None:
        self._spans = spans

    def __missing__(self, raw: tuple[str, str]) -> Cas:
        text = raw[0].strip(WHITE)
        if text != raw[0]:
            self._spans.odd.add(raw[0])
        value = self[raw] = _cas((text, self._spans[raw[1]]))
        return value


class _SpanSets(dict[str, tuple[Span, ...]]):
    def __init__(self, spans: _Spans) -> None:
        self._spans = spans
        self["NIL"] = ()

    def __missing__(self, raw: str) -> tuple[Span, ...]:
        value: tuple[Span, ...] | str
        if "," in raw:
            spans, odd, items = self._spans, self._spans.odd, raw.split(",")
            try:
                found = [spans[each] for each in items]
            except ValueError:  # also an item that is empty, which does not matter
                value = parse_spans(raw.strip(WHITE))
                odd.add(raw)
            else:
                value = tuple(sorted(set(found)))
                if value != tuple(found) or not odd.isdisjoint(items):
                    odd.add(raw)
        else:
            text = raw.strip(WHITE)
            value = () if text == "NIL" else (self._spans[text],)
            if text != raw:
                self._spans.odd.add(raw)
        if isinstance(value, str):
            raise ValueError
        self[raw] = value
        return value


class _RealisValues(dict[str, Realis]):
    def __init__(self, odd: set[str]) -> None:
        self._odd = odd

    def __missing__(self, raw: str) -> Realis:
        value = _REALIS.get(raw.strip(WHITE).lower())
        if value is None:
            raise ValueError
        if value != raw:
            self._odd.add(raw)
        self[raw] = value
        return value


_response = cast("Callable[[tuple[Any, ...]], Response]", partial(tuple.__new__, Response))
_argument = cast("Callable[[tuple[Any, ...]], Argument]", partial(tuple.__new__, Argument))


_cas = cast("Callable[[tuple[str, Span]], Cas]", partial(tuple.__new__, Cas))
_span = cast("Callable[[tuple[int, int]], Span]", partial(tuple.__new__, Span))


def _bad_confidence(text: str) -> str | None:
    try:
        value = float(text)
    except ValueError:
        return f"{text!r} is not a number"
    if "_" in text or not text.isascii():  # numbers in Python, but not in files
        return f"{text!r} is not a number"
    return None if 0 <= value <= 1 else f"the confidence {text} is not from 0 to 1"


def _bad_span(text: str) -> str | None:
    answer = parse_span(text)
    return answer if isinstance(answer, str) else None


def _bad_spans(text: str) -> str | None:
    answer = parse_spans(text)
    return answer if isinstance(answer, str) else None


def _bad_justifications(text: str) -> str | None:
    answer = parse_spans(text)
    if isinstance(answer, str):
        return answer
    return None if answer else "there is no predicate justification"


def _bad_realis(text: str) -> str | None:
    return None if text.lower() in _REALIS else f"there is no realis {text!r}"


def _bad_name(text: str) -> str | None:
    return None if text else "nothing stands"


def _name(column: int) -> str:
    return _NAMES[column - 1] if column <= len(_NAMES) else "confidence"


class _Check(NamedTuple):
    kind: str
    parse: Callable[[str], str | None]
    hint: str


_CHECKS = {
    3: _Check("empty", _bad_name, "write the event type, as in Conflict.Attack"),
    4: _Check("empty", _bad_name, "write the role, as in Place"),
    6: _Check("span", _bad_span, _SPAN),
    7: _Check("justification", _bad_justifications, "name at least one span, as in 10-12,20-33"),
    8: _Check("span", _bad_span, _SPAN),
    9: _Check("span", _bad_spans, _SPANS),
    10: _Check("realis", _bad_realis, f"write {', '.join(REALIS[:-1])} or {REALIS[-1]}"),
    11: _Check("confidence", _bad_confidence, "write a number from 0 to 1"),
}
