"""Files beside stores: lists of documents, quote filters (where the quotations of documents are), provenance of pools.

A quote filter has the number of documents in its first line; then two lines for each, its id, and its quotations as
spans with blanks between them (an empty line if there are none). Provenance says which system gave which response of a
pool, and how sure it was: a line of document, response (by the digest of its content), system and confidence for each,
separated by TABs, everything sorted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from adjudge.errors import FormatError, Problem, UsageError, ValidationError
from adjudge.findings import Findings, errors_of
from adjudge.formats.eal_fields import WHITE, decode_lines, parse_span, sha1_id
from adjudge.model.eal import Response, Span
from adjudge.model.whereabouts import not_utf8


def read_list(path: str | Path, what: str, hint: str = "check the path") -> list[tuple[int, str]]:
    """The lines of a list that say something, with their numbers; `#` begins a comment."""
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise FormatError(not_utf8(error, str(path))) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(Problem(f"the {what} cannot be read: {reason}", path=str(path), hint=hint)) from None
    return [(number, line) for number, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]


_SPAN = "write start-end with both offsets counted from 0, as in 4-60"


def parse_quotes(data: bytes, place: str) -> tuple[dict[str, tuple[Span, ...]], list[Problem]]:
    """The quotations of each document as far as they could be read, and every problem with the file.

    >>> parse_quotes(b"2\\nDOC1\\n4-60 67-88\\nDOC2\\n\\n", "quotes.txt")[0]
    {'DOC1': (Span(start=4, end=60), Span(start=67, end=88)), 'DOC2': ()}
    """
    findings = Findings(place)
    lines = decode_lines(data, findings)
    if not lines:
        findings.add("count", "the file is empty", None, None, "write the number of documents into the first line")
        return {}, errors_of(findings.sorted())
    first = lines[0].strip(WHITE)
    if len(lines) % 2 == 0:
        lines.append("")  # a last document without quotations, in a file without a last line break
    if not (first.isascii() and first.isdecimal()):
        findings.add("count", f"{first!r} is not a number of documents", 1, 1, "write it into the first line")
    elif int(first[:18]) != len(lines) // 2:
        message = f"the file says that it has {first} documents, and has {len(lines) // 2}"
        findings.add("count", message, 1, 1, "correct the number, or complete the file: two lines for each document")
    found: dict[str, tuple[Span, ...]] = {}
    for number in range(1, len(lines), 2):
        document, text = lines[number].strip(WHITE), lines[number + 1]
        if not document or document.split() != [document]:
            hint = "write an id without blanks, and the spans into the line after it"
            findings.add("document", f"{document!r} is no document id", number + 1, 1, hint)
            continue
        if document in found:
            findings.add("document", f"the document {document!r} again", number + 1, 1, "keep one of the two")
            continue
        found[document] = _spans(text, number + 2, findings)
    return found, errors_of(findings.sorted())


def write_quotes(quotes: Mapping[str, Sequence[Span]]) -> bytes:
    """A file with the documents in the order of their ids.

    >>> write_quotes({"DOC1": [Span(4, 60)], "DOC0": []})
    b'2\\nDOC0\\n\\nDOC1\\n4-60\\n'
    """
    lines = [str(len(quotes))]
    for document in sorted(quotes):
        if document.split() != [document]:
            raise ValidationError(f"the document id {document!r} has blanks, which a quote filter cannot have")
        lines += [document, " ".join(f"{start}-{end}" for start, end in quotes[document])]
    return "".join(f"{line}\n" for line in lines).encode()


def _spans(text: str, number: int, findings: Findings) -> tuple[Span, ...]:
    spans = []
    column = 0
    for item in text.split():
        column = text.index(item, column)
        try:
            spans.append(parse_span(item))
        except ValueError as error:
            findings.add("span", str(error), number, column + 1, _SPAN)
        column += len(item)
    return tuple(spans)


HEADER = "#document\tresponse\tsystem\tconfidence\n"

Given = Mapping[Response, Mapping[str, float]]


def format_provenance(document: str, given: Given) -> str:
    r"""The lines of a document.

    >>> from adjudge.model.eal import Cas, Span
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", Span(0, 2)), Span(0, 2), (Span(0, 9),), (), "Actual")
    >>> format_provenance("d", {bob: {"B": 0.5, "A": 1.0}}).splitlines()[0].split("\t")
    ['d', '0fc53633498ec0fdd8d8eb5148eaf5454fde0cb9', 'A', '1.0']
    """
    rows = sorted(((sha1_id(response), systems) for response, systems in given.items()), key=lambda row: row[0])
    return "".join(
        f"{document}\t{id_}\t{system}\t{confidence!r}\n"
        for id_, systems in rows
        for system, confidence in sorted(systems.items())
    )


def read_provenance(path: str | Path, documents: Iterable[str]) -> Iterator[dict[str, dict[str, float]]]:
    """For each of the documents, which are sorted, who gave the response of each digest; one document at a time."""
    try:
        with Path(path).open("rb") as stream:
            groups = groupby(_rows(stream, str(path)), key=lambda row: row[0])
            name, rows = next(groups, ("", iter(())))
            for document in documents:
                while name and name < document:
                    name, rows = next(groups, ("", iter(())))
                found: dict[str, dict[str, float]] = {}
                if name == document:
                    for _, id_, system, confidence in rows:
                        found.setdefault(id_, {})[system] = confidence
                yield found
    except OSError as error:
        problem = Problem(f"the provenance cannot be read: {error.strerror or error}", path=str(path))
        raise UsageError(problem) from None


_REMEDY = "restore it, or remove it to pool the store as one system"


def _rows(lines: Iterable[bytes], path: str) -> Iterator[tuple[str, str, str, float]]:
    last = ""
    for number, raw in enumerate(lines, 1):
        if raw.startswith(b"#"):
            continue
        try:
            document, id_, system, confidence = raw.decode().rstrip("\n").split("\t")
            row = document, id_, system, float(confidence)
        except UnicodeDecodeError as error:
            message = f"the byte 0x{raw[error.start]:02x} is not UTF-8"
            raise FormatError(Problem(message, path, number, error.start + 1, _REMEDY)) from None
        except ValueError:
            raise FormatError(Problem("this is not a line of provenance", path, number, hint=_REMEDY)) from None
        if document < last or not document:
            raise FormatError(Problem("the documents are not in order", path, number, hint=_REMEDY))
        last = document
        yield row
