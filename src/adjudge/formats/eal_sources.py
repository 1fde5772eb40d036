"""Files beside stores: source documents, lists of documents, quote filters, and the provenance of pools.

Source documents are the texts to which offsets refer, found by document id and read as they are. Nothing is taken
away: a byte order mark, carriage returns and tags count like any other character. Offsets that count UTF-16 units, as
the official programs do, differ from those that count characters after the first character beyond U+FFFF, which is two
units.
"""

from __future__ import annotations

import os
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Literal, TypeAlias

from adjudge.bounded import file_bytes, file_text
from adjudge.errors import FormatError, Problem, UsageError, ValidationError, did_you_mean, refusing
from adjudge.findings import Findings, errors_of
from adjudge.formats.eal_fields import WHITE, decode_lines, parse_span, sha1_id
from adjudge.formats.eal_layout import is_junk
from adjudge.model.eal import Response, Span
from adjudge.model.whereabouts import not_utf8

Offsets: TypeAlias = Literal["code-points", "utf-16"]

ENDINGS = (
    *(".txt", ".text", ".xml", ".sgm", ".sgml", ".mpdf", ".cmp", ".rsd", ".nw", ".df", ".html", ".htm"),
    ".story",
)


class Sources:
    """Texts by document id; each is read when it is asked for.

    `path` is a folder, in which a document is a file with its id as name, with or without one or more of `ENDINGS`, on
    any level; or a file with lines of a document id, a TAB and a path, which is relative to the folder of the file.
    Other files, such as DOC.ann beside DOC.txt, are not read.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path) or "."
        self._others: list[str] = []  # files that are not read, because their endings are not known
        hint = "give the folder with the source documents, or a file with lines of document id, TAB and path"
        with refusing("the source documents cannot be read", self.path, hint):
            try:
                self.listed = Path(path).is_file()
                self._files = _listed(Path(path)) if self.listed else _found(Path(path), self._others)
            except UnicodeDecodeError as error:
                hint = "give a folder, or a text file in UTF-8 with lines of document id, TAB and path"
                raise UsageError(not_utf8(error, self.path, hint=hint)) from None

    @property
    def documents(self) -> list[str]:
        """The ids of all documents, sorted; a file with an ending has an id with and one without it."""
        return sorted(self._files)

    def one_each(self, known: Collection[str] = ()) -> list[str]:
        """An id for each text, sorted: one that is `known`, else the name of the file without any ending.

        A file beside a text, such as DOC.ann, is none, and if most files have an ending of `ENDINGS`, nor is one
        without, such as README.
        """
        chosen: dict[Path, str] = {}
        for document, files in self._files.items():
            for file in files:
                other = chosen.get(file)
                if other is None or (other not in known and (document in known or len(document) < len(other))):
                    chosen[file] = document
        texts = {
            document: file.suffix.lower() in ENDINGS
            for file, document in chosen.items()
            if document in known
            or self.listed
            or not file.suffix
            or file.stem not in self._files
            or file.name != document
        }
        only = not self.listed and 2 * sum(texts.values()) > len(texts)
        return sorted(document for document, ending in texts.items() if ending or not only or document in known)

    def __contains__(self, document: object) -> bool:
        return document in self._files

    def place(self, document: str) -> str:
        """How messages call the file of a document."""
        files = self._files.get(document)
        return str(files[0]) if files else f"{self.path}/{document}"

    def remedy(self, document: str) -> str:
        """What to do about a document that has no text: the rule by which texts are found."""
        if self.listed:
            return did_you_mean(document, self._files) or f"add a line with {document}, a TAB and the path of its text"
        rule = f"its file is called {document}, or {document} with one of {', '.join(ENDINGS)} behind it"
        other = next((name for name in self._others if name.startswith(f"{document}.")), None)
        close = None if other else did_you_mean(document, self._files)
        return f"{other} is not read: {rule}" if other else f"{close} {rule}" if close else rule

    def text(self, document: str) -> str:
        """The characters of a document."""
        files = self._files.get(document)
        if files is None:
            hint = self.remedy(document)
            raise UsageError(Problem(f"there is no source document {document!r}", path=self.path, hint=hint))
        if len(files) > 1:
            names = " and ".join(str(file) for file in files[:3])
            message = f"the source document {document!r} could be {names}"
            raise UsageError(Problem(message, path=self.path, hint="leave one of them in the folder"))
        with refusing("the file cannot be read", files[0], "check the path and its permissions"):
            data = file_bytes(files[0])
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise FormatError(not_utf8(error, str(files[0]), hint="save the file in UTF-8")) from None


def _found(folder: Path, others: list[str]) -> dict[str, list[Path]]:
    if not folder.is_dir():
        raise OSError(None, "there is no such file or folder")
    exact: dict[str, list[Path]] = {}
    shorter: dict[str, list[Path]] = {}
    for base, folders, names in os.walk(folder, onerror=_raise):
        folders[:] = sorted(name for name in folders if not is_junk(name))
        for name in sorted(names):
            if is_junk(name):
                continue
            path = Path(base, name)
            exact.setdefault(name, []).append(path)
            without = path
            while without.suffix.lower() in ENDINGS:
                without = without.with_suffix("")
                shorter.setdefault(without.name, []).append(path)
            if without is path and path.suffix:
                others.append(name)
    return {**shorter, **exact}  # a file whose whole name is the id comes before others


def _raise(error: OSError) -> None:
    raise error  # a folder that cannot be read is not an empty one


def _listed(path: Path) -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    problems = []
    for number, line in said_lines(file_text(path)):
        document, tab, name = line.partition("\t")
        if not (document.strip() and tab and name.strip()) or "\0" in name:
            hint = "write the document id, a TAB, and the path of its text"
            problems.append(
                Problem("this is not a line of a list of documents", path=str(path), line=number, hint=hint)
            )
            continue
        file = path.parent / name.strip()
        if file not in found.setdefault(document.strip(), []):
            found[document.strip()].append(file)
    if problems:
        raise FormatError(problems)
    return found


def said_lines(text: str) -> list[tuple[int, str]]:
    """The lines that say something, with their numbers; `#` begins a comment."""
    lines = enumerate(text.splitlines(), 1)
    return [(number, line) for number, line in lines if line.strip() and not line.startswith("#")]


def in_units(text: str, spans: Iterable[Span], offsets: Offsets) -> tuple[Span, ...]:
    """Spans of characters in the units that offsets count; a character beyond U+FFFF has two units in UTF-16.

    >>> in_units(chr(0x1F600) + "ab", [Span(0, 0), Span(1, 2)], "utf-16")
    (Span(start=0, end=1), Span(start=2, end=3))
    """
    return tuple(spans) if offsets == "code-points" else tuple(map(Utf16(text).to_units, spans))


class Utf16:
    """Converts the spans of a text; places beyond its end stay beyond it.

    >>> units = Utf16("a\U0001f600b")
    >>> units.to_characters(Span(1, 2)), units.to_units(Span(1, 2))
    (Span(start=1, end=1), Span(start=1, end=3))
    """

    def __init__(self, text: str) -> None:
        self._wide = [] if text.isascii() else [at for at, letter in enumerate(text) if letter > "\uffff"]
        self._units = [at + number for number, at in enumerate(self._wide)]

    @property
    def wide(self) -> int:
        """How many characters are two units; if there are none, the offsets are the same."""
        return len(self._wide)

    def to_characters(self, span: Span) -> Span:
        """A span in characters from one in units; half a character counts as the whole."""
        return Span(span.start - bisect_left(self._units, span.start), span.end - bisect_left(self._units, span.end))

    def to_units(self, span: Span) -> Span:
        """A span in units from one in characters."""
        return Span(span.start + bisect_left(self._wide, span.start), span.end + bisect_right(self._wide, span.end))

    def cuts(self, span: Span) -> bool:
        """Whether a span in units begins or ends in the middle of a character.

        >>> Utf16("a\U0001f600b").cuts(Span(0, 1))
        True
        """
        return self.to_units(self.to_characters(span)) != span


def convert_spans(response: Response, convert: Callable[[Span], Span]) -> Response:
    """A response with each of its spans converted."""
    return response._replace(
        cas=response.cas._replace(span=convert(response.cas.span)),
        base_filler=convert(response.base_filler),
        justifications=tuple(sorted({convert(span) for span in response.justifications})),
        additional=tuple(sorted({convert(span) for span in response.additional})),
    )


def from_utf16(text_of: Callable[[str], str]) -> Callable[[Response], Response]:
    """What `open_store(transform=...)` takes for a store with UTF-16 offsets; `text_of` gives the text of a document.

    >>> from adjudge.model.eal import Cas
    >>> bob = Response("d", "Life.Die", "Victim", Cas("b", Span(3, 3)), Span(3, 3), (Span(0, 3),), (), "Actual")
    >>> from_utf16(lambda document: "a\U0001f600b")(bob).cas.span
    Span(start=2, end=2)
    """
    return _converter(text_of, Utf16.to_characters)


def to_utf16(text_of: Callable[[str], str]) -> Callable[[Response], Response]:
    """The opposite, for `transformed` before a store is written."""
    return _converter(text_of, Utf16.to_units)


def _converter(text_of: Callable[[str], str], convert: Callable[[Utf16, Span], Span]) -> Callable[[Response], Response]:
    last: tuple[str, Utf16] | None = None  # responses come document by document

    def converted(response: Response) -> Response:
        nonlocal last
        if last is None or last[0] != response.document:
            last = response.document, Utf16(text_of(response.document))
        units = last[1]
        return convert_spans(response, lambda span: convert(units, span)) if units.wide else response

    return converted


# ---------------------------------------------------------------------------------------------------------------------
# Lists: documents, quote filters, the provenance of pools
#
# A quote filter has the number of documents in its first line; then two lines for each, its id, and its quotations as
# spans with blanks between them (an empty line if there are none). Provenance says which system gave which response of
# a pool, and how sure it was: a line of document, response (by the digest of its content), system and confidence for
# each, separated by TABs, everything sorted.


def read_list(path: str | Path, what: str, hint: str = "check the path") -> list[tuple[int, str]]:
    """The lines of a list that say something, with their numbers; `#` begins a comment."""
    with refusing(f"the {what} cannot be read", path, hint):
        try:
            return said_lines(file_text(path))
        except UnicodeDecodeError as error:
            raise FormatError(not_utf8(error, str(path))) from None


def read_pairs(path: str, what: str) -> dict[str, str]:
    """A list of documents with something of each: a document id, a TAB, and what it has on each line."""
    found: dict[str, str] = {}
    problems = []
    for number, line in read_list(path, f"list of {what}s"):
        document, _, value = (each.strip() for each in line.partition("\t"))
        if not (document and value):
            hint = f"write the document id, a TAB, and its {what}"
            problems.append(Problem(f"this line gives no {what}", path=path, line=number, hint=hint))
        elif found.setdefault(document, value) != value:
            message = f"{document} is {value} here and {found[document]} above"
            problems.append(Problem(message, path=path, line=number, hint="keep one of the two lines"))
    if problems:
        raise FormatError(problems)
    return found


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
            findings.add("document", f"{document!r} is not a document id", number + 1, 1, hint)
            continue
        if document in found:
            findings.add("document", f"the document {document!r} occurs twice", number + 1, 1, "keep one of the two")
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


def provenance_path(path: str | os.PathLike[str]) -> Path:
    """Where the provenance of a pool is: next to the store.

    >>> provenance_path("runs/pool").as_posix()
    'runs/pool.provenance.tsv'
    """
    path = Path(path)
    return path.parent / f"{path.name}.provenance.tsv"


def read_provenance(path: str | Path, documents: Iterable[str]) -> Iterator[dict[str, dict[str, float]]]:
    """For each of the documents, which are sorted, who gave the response of each digest; one document at a time."""
    with refusing("the provenance cannot be read", path), Path(path).open("rb") as stream:
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
