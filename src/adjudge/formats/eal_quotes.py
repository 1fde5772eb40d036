"""Quote filters: where the quotations of each document are, as a file.

The first line has the number of documents; then two lines for each, its id, and its quotations as spans with blanks
between them (an empty line if there are none).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from adjudge.errors import Problem, ValidationError
from adjudge.formats.eal_lines import WHITE, decode_lines, parse_span
from adjudge.formats.findings import Findings, errors_of
from adjudge.model.eal import Span

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
