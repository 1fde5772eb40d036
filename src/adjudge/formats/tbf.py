"""TBF, the files of the event nugget tasks: documents of mention lines and relation lines, columns separated by TABs.

    #BeginOfDocument sample
    system1	sample	E1	t3,t4	got married	Life_Marry	Actual
    @Coreference	R1	E1,E2
    #EndOfDocument

A file is opened by finding its documents; one is parsed when it is asked for, so a large file costs an entry per
document. Lines are read as the official scorer reads them: blanks at both ends are nothing, `#` begins a comment, `@` a
relation, any other line is a mention with at least seven columns, of which the first two are not looked at.

The place of a mention is a list of token ids (`t3,t4`), or pieces of the text as `begin,end` with `;` between them
(`4,8;13,16`). Nothing in a file says which, and `3,4` can be either: see `guess_mode`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import starmap
from operator import lt
from pathlib import Path
from typing import IO, Annotated, Any
from weakref import finalize

import msgspec

from adjudge.bounded import Unpacked
from adjudge.errors import AdjudgeError, FormatError, Problem, UsageError, ValidationError, more_problems
from adjudge.formats.source import Source, opened, read_block, reads, source_name
from adjudge.formats.tbf_scan import (
    BLANKS,
    BOM,
    COLUMNS,
    DIGITS,
    LIMIT,
    Index,
    Mode,
    Section,
    decode,
    parse_lines,
    parse_pieces,
    scan,
)
from adjudge.model.nugget import (
    COREFERENCE,
    ClusterColumns,
    Nugget,
    NuggetColumns,
    NuggetDocument,
    Piece,
    PlaceKind,
    Relation,
)

__all__ = ["Mode", "TbfFile", "file_mode", "guess_mode", "open_tbf", "read_tbf", "write_tbf"]

MODES = ("token", "char")
SAMPLE = 1000  # places from which the mode is guessed

_CUTS = frozenset("\t\n")
_HEAD = 1 << 20  # bytes in which there are as many, nearly always


class TbfFile:
    """The documents of a file, each parsed when it is asked for.

    >>> file = open_tbf(b"#BeginOfDocument a\\ns\\ta\\tE1\\tt1\\tran\\tMovement\\tActual\\n#EndOfDocument\\n")
    >>> file.ids, file.mode, file.read("a").nuggets[0].tokens
    (['a'], 'token', ('t1',))
    """

    def __init__(self, index: Index, store: bytes | IO[bytes], digest: str, mode: Mode | None) -> None:
        self.path = index.place
        self.digest = digest
        self.ids = list(index.documents)
        self.index = index
        self.findings = index.found.found
        """What the official reader takes in silence, or would stop at; the first hundred of a kind."""
        self.notes = [finding.problem for finding in self.findings]
        self.remarks = index.remarks
        """What is read without harm, by kind: `line-ends`, `null`, `encoding`, `long-line`; the first of each."""
        self.sections = index.sections
        """What stands between markers, also in documents that do not count."""
        self._store = store
        self._mode = mode
        self._close = None if isinstance(store, bytes) else finalize(self, store.close)

    @property
    def mode(self) -> Mode:
        """How places are read: as it was said, or else guessed when first needed."""
        if self._mode is None:
            self._mode = guess_mode(self.spans())
        return self._mode

    @mode.setter
    def mode(self, mode: Mode) -> None:
        self._mode = mode

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[NuggetDocument]:
        return map(self.read, self.ids)

    def __contains__(self, id: object) -> bool:
        return id in self.index.documents

    def read(self, id: str) -> NuggetDocument:
        """A document; lines that cannot be read, at which the official scorer stops, are among its `problems`."""
        offset, size, begin, line = self.sections.document(self.index.documents[id])
        text, mode = self._text(offset, size), self.mode
        problems: list[Problem] = []
        columns = parse_columns(text, begin, mode, self.path)
        nuggets, relations = columns or parse_lines(text, begin, mode, self.path, problems)
        return NuggetDocument(id, nuggets, relations, None, line, problems)

    def section_bytes(self, section: Section) -> bytes:
        """A section as it is in the file, header included."""
        return self._bytes(section.offset, section.size)

    def close(self) -> None:
        """Let go of the file; it is done in any case when nobody needs this any more."""
        if self._close is not None:
            self._close()

    def _bytes(self, offset: int, size: int) -> bytes:
        store = self._store
        if isinstance(store, bytes):
            return store[offset : offset + size]
        store.seek(offset)
        return store.read(size)

    def _text(self, offset: int, size: int) -> str:
        data = self._bytes(offset, size)
        return decode(data.removeprefix(BOM) if offset == 0 else data)

    def spans(self) -> Iterator[str]:
        """The place columns of the first mention lines."""
        left = SAMPLE
        for section in self.sections:
            for line in self._text(section.offset, section.size).split("\n"):
                line = line.strip(BLANKS)
                if not line or line[0] in "#@":
                    continue
                columns = line.split("\t", 4)
                if len(columns) > 4:
                    yield columns[3]
                    left -= 1
                    if not left:
                        return


def open_tbf(source: Source, *, mode: Mode | None = None, name: str | None = None, digest: bool = True) -> TbfFile:
    """Find the documents of a file; `mode` says how places are written, else it is guessed.

    What cannot be read twice (a pipe, a compressed file) is copied to a temporary file.
    """
    if mode is not None and mode not in MODES:
        raise UsageError(f"there is no mode {mode!r}", hint=f"modes are {' and '.join(MODES)}")
    import hashlib

    place = name or source_name(source)
    hasher = hashlib.sha256() if digest else None
    with opened(source, place) as stream:
        packed = isinstance(stream, Unpacked)
        store: bytes | IO[bytes]
        copy = None
        if isinstance(source, bytes) and not packed:
            store = source
        elif isinstance(source, str | Path) and str(source) != "-" and not packed and Path(source).is_file():
            store = open(source, "rb")  # noqa: SIM115, PTH123  # it stays open as long as the answer lives
        else:
            import tempfile

            store = tempfile.TemporaryFile()  # noqa: SIM115
            copy = store.write
        try:
            index = scan(stream, place, copy=copy, hasher=hasher)
            if not isinstance(store, bytes):
                store.flush()
        except BaseException:
            if not isinstance(store, bytes):
                store.close()
            raise
    damage = [finding.problem for finding in index.found.found if finding.kind == "damaged"]
    file = TbfFile(index, store, hasher.hexdigest() if hasher is not None else "", mode)
    if damage:
        file.close()
        raise FormatError(damage)
    return file


@reads("TBF", "tbf")
def read_tbf(source: Source, mode: Mode | None = None, *, name: str | None = None) -> list[NuggetDocument]:
    """All documents of a file; every line that cannot be read is raised at once.

    >>> line = b"s\\ta\\tE1\\t4,8;13,16\\tmade way\\tMovement\\tActual"
    >>> (document,) = read_tbf(b"#BeginOfDocument a\\n" + line + b"\\n#EndOfDocument\\n")
    >>> document.nuggets[0].pieces
    ((4, 8), (13, 16))
    """
    file = open_tbf(source, mode=mode, name=name)
    try:
        documents = list(file)
        problems = [problem for document in documents for problem in document.problems]
    finally:
        file.close()
    if problems:
        if len(problems) > LIMIT:
            problems[LIMIT:] = [more_problems(len(problems) - LIMIT, file.path)]
        raise FormatError(problems)
    return documents


def file_mode(source: Source) -> Mode | None:
    """How places are written in a file, by its first lines; None if it cannot be read."""
    try:
        with opened(source, source_name(source)) as stream:
            head, _ = read_block(stream, _HEAD)
        file = open_tbf(head[: head.rfind(b"\n") + 1] if len(head) == _HEAD else head, digest=False)
        spans = list(file.spans())
        if len(head) < _HEAD or len(spans) == SAMPLE:
            return guess_mode(spans)
        return open_tbf(source, digest=False).mode
    except AdjudgeError:
        return None


def guess_mode(spans: Iterable[str]) -> Mode:
    """How places are written: `char` if at least nine in ten are pairs of numbers (`4,8` or `4,8;13,16`), else `token`.

    A mention of exactly two tokens whose ids are numbers looks the same, but most mentions have one token; one place in
    ten may be mistaken without a change of the guess. A file of nothing but pairs is read as characters: say the mode
    if it is not so.

    >>> guess_mode(["t1", "t3,t4"]), guess_mode(["4,8", "4,8;13,16"]), guess_mode(["1", "3,4"]), guess_mode([])
    ('token', 'char', 'token', 'token')
    """
    pairs = others = 0
    for span in spans:
        if ("," in span and span.isascii() and span.replace(",", "0").replace(";", "0").isdigit()) and all(
            piece.count(",") == 1 for piece in span.split(";")
        ):
            pairs += 1
        else:
            others += 1
    return "char" if pairs and pairs >= 9 * others else "token"


# ---------------------------------------------------------------------------------------------------------------------
# A document column by column: one split for all lines, and no objects before somebody asks (row `nugget/splitting`).
# Its lines are all alike: mentions of seven columns, then clusters. Any other document, and any with something wrong in
# it, is left to `parse_lines`, which also makes the objects of these.

_KNOWN = 10_000
_BREAK = COLUMNS - 1  # fields from one line break to the next
_Offset = Annotated[int, msgspec.Meta(ge=0, lt=10**DIGITS)]
_PAIRS = msgspec.json.Decoder(list[tuple[_Offset, _Offset]])
_CLUSTER = f"\n@{COREFERENCE}"
_OTHER_BLANKS = tuple(set(BLANKS) - {"\t", "\n"})


def parse_columns(text: str, number: int, mode: Mode, place: str) -> tuple[NuggetColumns, Sequence[Relation]] | None:
    r"""The nuggets and relations of a document, of which the first line has this number; None if it is unlike others.

    >>> line = "s\td\tE1\t4,8\tran\tMovement\tActual"
    >>> nuggets, relations = parse_columns(f"#BeginOfDocument d\n{line}\n@Coreference\tR1\tE1,E2\n", 1, "char", "")
    >>> nuggets.ids, nuggets.places, relations.members
    (['E1'], [(4, 8)], [['E1', 'E2']])
    """
    first = text.find("\n")
    if text[:1] != "#" or first < 0:
        return None
    last = text.find("@", first) - 1
    if last >= 0 and text[last] != "\n":  # that is in a mention
        last = text.find("\n@", last)
    end = len(text) - text.endswith("\n")
    body, rest = (text[first:end], "") if last < 0 else (text[first:last], text[last:end])
    fields = body.split("\t")  # the last column of a line and the first one of the next line are one field
    ends = fields[_BREAK::_BREAK]
    size = len(ends)
    if not size or len(fields) != size * _BREAK + 1 or body.count("\n") != size:
        return None
    ends[-1] += fields[0]
    try:
        realis = list(map(_REALIS.__getitem__, ends))
    except ValueError:
        return None
    members, spans = _members(rest), fields[3::_BREAK]
    pieces = _single_pieces(spans) if mode == "char" else None
    places = _places(spans, mode) if pieces is None else pieces
    if members is None or places is None:
        return None
    kind: PlaceKind = "tokens" if mode == "token" else "pieces" if pieces is None else "piece"
    made = text, number, mode, place
    columns = fields[2::_BREAK], fields[5::_BREAK], realis, places
    nuggets = NuggetColumns(columns, kind, fields[0][1:], partial(_nuggets, *made))
    return nuggets, ClusterColumns(members, partial(_relations, *made)) if members else ()


class _Realis(dict[str, str]):
    """The realis at the end of a line, by what stands between two TABs there: that, a line break, and a system id.

    There are few of them, and each is looked at once. A ValueError says that no two mention lines meet like this.
    """

    def __missing__(self, end: str) -> str:
        realis, system = end.split("\n")
        if not realis or not system or realis[-1] in BLANKS or system[0] in _NO_MENTION:
            raise ValueError(end)
        if len(self) > _KNOWN:
            self.clear()
        self[end] = realis
        return realis


_REALIS = _Realis()
_NO_MENTION = frozenset("#@" + BLANKS)


def _single_pieces(spans: Sequence[str]) -> list[Piece] | None:
    """The one piece of every place, which is not empty; None if a place is anything else."""
    try:
        found = _PAIRS.decode(f"[[{'],['.join(spans)}]]")  # nearly all are written as JSON has numbers
    except msgspec.DecodeError:
        return None
    return found if len(found) == len(spans) and all(starmap(lt, found)) else None


def _places(spans: Sequence[str], mode: Mode) -> Sequence[tuple[Any, ...]] | None:
    """The tokens or the pieces of every place; None if one is malformed."""
    if mode == "token":
        return [tuple(span.split(",")) for span in spans]
    found = [parse_pieces(span) for span in spans]
    return None if None in found else list(filter(None, found))


def _members(lines: str) -> list[list[str]] | None:
    """The members of clusters, of which every line begins with a line break; None if there is anything else."""
    if not lines:
        return []
    for blank in _OTHER_BLANKS:
        if blank in lines:
            return None
    fields = lines.replace("\n", "\t\n").split("\t")
    size = len(fields) // 3
    arguments = fields[3::3]
    if len(fields) != 3 * size + 1 or set(fields[1::3]) != {_CLUSTER} or lines.count("\n") != size or "" in arguments:
        return None
    return [each.split(",") for each in arguments]


def _nuggets(text: str, number: int, mode: Mode, place: str) -> list[Nugget]:
    return parse_lines(text, number, mode, place, [])[0]


def _relations(text: str, number: int, mode: Mode, place: str) -> list[Relation]:
    return parse_lines(text, number, mode, place, [])[1]


# ---------------------------------------------------------------------------------------------------------------------
# Writing


def write_tbf(documents: Iterable[NuggetDocument], *, system: str | None = None, path: str | None = None) -> str:
    """The text of a file; `system` replaces the system ids, `path` is where the documents came from, for messages.

    Line breaks and TABs in the text of a mention become blanks; anywhere else they are an error, as is everything that
    would be read back as something else.

    >>> nugget = Nugget("E1", "Life_Marry", "Actual", "got married", tokens=("t3", "t4"))
    >>> print(write_tbf([NuggetDocument("sample", [nugget])], system="mine"), end="")
    #BeginOfDocument sample
    mine	sample	E1	t3,t4	got married	Life_Marry	Actual
    #EndOfDocument
    """
    problems: list[Problem] = []
    parts: list[str] = []
    for document in documents:
        here = _Writing(document, path, problems)
        parts.append(f"#BeginOfDocument {here.name(document.id, 'document id')}\n")
        for nugget in document.nuggets:
            parts.append(here.mention(nugget, system))
        for relation in document.relations:
            name = here.name(relation.name, "relation name")
            arguments = ",".join([here.item(each, "mention id", ",") for each in relation.arguments])
            parts.append(f"@{name}\t{here.name(relation.id, 'relation id')}\t{arguments}\n")
        parts.append("#EndOfDocument\n")
    if problems:
        if len(problems) > LIMIT:
            problems[LIMIT:] = [more_problems(len(problems) - LIMIT, path)]
        raise ValidationError(problems)
    return "".join(parts)


class _Writing:
    """One document on its way out."""

    def __init__(self, document: NuggetDocument, path: str | None, problems: list[Problem]) -> None:
        self.document = document
        self.path = path
        self.problems = problems
        self.line = document.line

    def mention(self, nugget: Nugget, system: str | None) -> str:
        """The line of a nugget."""
        self.line = nugget.line or self.document.line
        if nugget.tokens and nugget.pieces:
            self._refuse(f"mention {nugget.id!r} has tokens and characters", "keep one of them")
        if nugget.pieces:
            span = ";".join([f"{begin},{end}" for begin, end in nugget.pieces])
        elif nugget.tokens:
            span = ",".join([self.item(each, "token id", ",") for each in nugget.tokens])
        else:
            span = ""
            self._refuse(f"mention {nugget.id!r} has neither tokens nor characters", "give it a place, or leave it out")
        first = self.name(nugget.system or "system" if system is None else system, "system id")
        if first[:1] in ("#", "@"):
            self._refuse(f"the system id {first!r} would make the line a comment or a relation", "choose another")
        columns = [
            first,
            self.document.id,
            self.item(nugget.id, "mention id"),
            span,
            " ".join(nugget.text.split("\t")).replace("\n", " ").replace("\r", " "),
            self.item(nugget.type, "type"),
            self.name(nugget.realis, "realis"),
            *[self.item(each, "confidence") for each in nugget.confidence],
        ]
        line = "\t".join(columns)
        if line != line.rstrip(BLANKS):
            self._refuse(f"mention {nugget.id!r} ends in an empty column", "leave it out")
        return line + "\n"

    def name(self, text: str, what: str) -> str:
        """A value that stands at the end of a line or begins one, where blanks would be lost."""
        if text != text.strip(BLANKS) or not text:
            self._refuse(f"the {what} {text!r} is empty or begins or ends with a blank", "give it a name")
        return self.item(text, what)

    def item(self, text: str, what: str, *cuts: str) -> str:
        """A value that must not be cut when it is read back."""
        if not _CUTS.isdisjoint(text) or any(cut in text for cut in cuts):
            self._refuse(f"the {what} {text!r} has a TAB, line break or comma in it", "rename it")
        return text

    def _refuse(self, message: str, hint: str) -> None:
        message = f"{message}, in document {self.document.id!r}"
        self.problems.append(Problem(message, path=self.path, line=self.line or None, hint=hint))
