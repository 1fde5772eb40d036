"""Provenance files: which system gave which response of a pool, and how sure it was.

    #document TAB response TAB system TAB confidence

A line for each response and system, the response by the digest of its content, everything sorted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path

from adjudge.errors import FormatError, Problem, UsageError
from adjudge.formats.eal_ids import sha1_id
from adjudge.model.eal import Response

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
