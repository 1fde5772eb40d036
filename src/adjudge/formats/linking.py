"""Tables of linked mentions: the format of neleval, and the tab format of the TAC entity discovery and linking tasks.

    d1 <TAB> 0 <TAB> 4 <TAB> E1 <TAB> 0.9 <TAB> PER                                  neleval
    run1 <TAB> m1 <TAB> Oslo <TAB> d1:310-313 <TAB> m.05l64 <TAB> GPE <TAB> NAM <TAB> 1.0    TAC

Both include the last character. A neleval line has no candidate, an id, an id and its score, or any number of
candidates of three columns each (id, score, type). The candidate with the highest score counts, the first on ties. A
type may be a JSON object with a `type`. In the tab format, rows with the same offsets are candidates for one mention.
An id that begins with NIL names a cluster. A line with only a document id says that the document has no mentions. Blank
lines are skipped.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from adjudge.errors import Problem
from adjudge.findings import field_column, raise_problems
from adjudge.formats.recognise import looks_like
from adjudge.formats.source import Source, read_text, reads
from adjudge.formats.standoff import parse_place
from adjudge.model.document import Corpus, Document

_NUMBER = re.compile(r"\s*[0-9]{1,15}\s*", re.ASCII)
_TAC_COLUMNS = 8


class Row(NamedTuple):
    """One mention, half-open; without candidates, `entity` is None.

    In the tab format, `level` is NAM or NOM, and `text` the words of the mention.
    """

    document: str
    start: int
    end: int
    entity: str | None = None
    type: str | None = None
    score: float | None = None
    level: str | None = None
    text: str = ""


class Table(NamedTuple):
    """A file: its mentions in order, the line of each document, and a digest."""

    place: str
    digest: str
    tac: bool
    rows: list[Row]
    documents: dict[str, int]


def read_neleval(source: Source, *, name: str | None = None) -> Corpus:
    r"""The documents of a neleval table, with `mentions`.

    >>> read_neleval(b"d1\t0\t4\tE1\t0.9\tPER\nd1\t9\t12\n").documents[0].data["mentions"][0]
    {'span': {'start': 0, 'end': 5}, 'type': 'PER', 'entity': 'E1'}
    """
    return _corpus(read_table(source, tac=False, name=name))


def read_edl(source: Source, *, name: str | None = None) -> Corpus:
    r"""The documents of a file in the TAC tab format, with `mentions`, which also have a `level`.

    >>> line = b"run\tm1\tOslo\td1:310-313\tm.05l64\tGPE\tNAM\t1.0\n"
    >>> read_edl(line).documents[0].data["mentions"]
    [{'span': {'start': 310, 'end': 314}, 'type': 'GPE', 'entity': 'm.05l64', 'level': 'NAM', 'text': 'Oslo'}]
    """
    return _corpus(read_table(source, tac=True, name=name))


@reads("a table with TABs", "tsv", reader_option=True)
def read_table(source: Source, *, tac: bool | None = None, name: str | None = None) -> Table:
    r"""The mentions of a file of either format; with `tac=None` the first line tells which. All problems are raised at
    once.

    >>> read_table(b"d1\t0\t4\tNIL1\n").rows
    [Row(document='d1', start=0, end=5, entity='NIL1', type=None, score=None, level=None, text='')]
    """
    whole, text = read_text(source, name=name)
    lines = [(number, line.rstrip("\r")) for number, line in enumerate(text.split("\n"), 1)]
    lines = [(number, line) for number, line in lines if line.strip()]
    if tac is None:
        tac = bool(lines) and _is_tac(lines[0][1])
    problems: list[Problem] = []
    rows: list[Row] = []
    documents: dict[str, int] = {}
    for number, line in lines:
        if line.strip("\t").count("\t") == 0 and line == line.strip():
            documents.setdefault(line, number)
            continue
        try:
            row = _tac_row(line) if tac else _row(line)
        except _WrongError as error:
            column = field_column(line, error.field + 1)
            problems.append(Problem(error.message, whole.place, number, column, error.hint))
            continue
        documents.setdefault(row.document, number)
        rows.append(row)
    if documents and not rows and not problems and looks_like(whole.data[:4096]) is not None:
        problems.append(Problem("no line has a TAB", whole.place, hint="write a document, offsets and an entity"))
    raise_problems(problems, whole.place)
    return Table(whole.place, whole.digest, tac, _best(rows) if tac else rows, documents)


class _WrongError(Exception):
    """What is wrong with a field of a line."""

    def __init__(self, field: int, message: str, hint: str) -> None:
        super().__init__(message)
        self.field, self.message, self.hint = field, message, hint


def _is_tac(line: str) -> bool:
    fields = line.split("\t")
    return len(fields) >= _TAC_COLUMNS and parse_place(fields[3]) is not None


def _row(line: str) -> Row:
    fields = line.rstrip("\t").split("\t")
    if _is_tac(line):
        raise _WrongError(0, "this is the tab format of TAC", "use --reader edl")
    if len(fields) < 3:
        raise _WrongError(0, "a line with two columns", "write the document, the first and the last character")
    if not fields[0]:
        raise _WrongError(0, "the id of the document is empty", "fill the first column")
    start, last = (_offset(fields, place) for place in (1, 2))
    if last < start:
        message = f"the mention ends at {last}, before it starts at {start}"
        raise _WrongError(2, message, "the last character is included")
    found = [Row(fields[0], start, last + 1, *each) for each in _candidates(fields)]
    best = found[0] if found else Row(fields[0], start, last + 1)
    for each in found[1:]:
        if each.score is not None and best.score is not None and each.score > best.score:
            best = each
    return best


def _candidates(fields: list[str]) -> Iterator[tuple[str, str | None, float | None]]:
    """The candidates of a line: id, type, score."""
    rest = fields[3:]
    if len(rest) > 2 and len(rest) % 3:
        raise _WrongError(3, f"{len(rest)} columns of candidates", "give an id, a score and a type for each")
    for at in range(0, len(rest), 3):
        own = rest[at : at + 3]
        if not own[0]:
            raise _WrongError(3 + at, "the id is empty", "write an id of the knowledge base, or NIL and a name")
        score = _score(own[1], 4 + at) if len(own) > 1 else None
        yield own[0], _type(own[2], 5 + at) if len(own) > 2 else None, score


def _type(text: str, field: int) -> str | None:
    if not text.startswith("{"):
        return text
    try:
        found = msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        raise _WrongError(
            field, "the type begins like a JSON object but is not one", "fix it, or write a word"
        ) from None
    kind = found.get("type")
    if kind is not None and not isinstance(kind, str):
        raise _WrongError(field, "the type is not text", 'write {"type": "PER"}')
    return kind


def _tac_row(line: str) -> Row:
    fields = line.split("\t")
    if len(fields) < _TAC_COLUMNS:
        hint = "write run, mention, text, DOC:first-last, id, type, NAM or NOM, and confidence with TABs between them"
        raise _WrongError(0, f"a row of {len(fields)} columns", hint)
    place = parse_place(fields[3])
    if place is None:
        raise _WrongError(3, f"{fields[3]!r} is not a position", "write the document, a colon, and first-last")
    if not fields[4].strip():
        raise _WrongError(4, "the id is empty", "write an id of the knowledge base, or NIL and a name")
    score = _score(fields[7], 7)
    return Row(*place, fields[4].strip(), fields[5].strip() or None, score, fields[6].strip(), fields[2].strip())


def _best(rows: list[Row]) -> list[Row]:
    """The candidate with the highest score for each place, the first on ties."""
    found: dict[tuple[str, int, int], Row] = {}
    for row in rows:
        known = found.setdefault(row[:3], row)
        if (row.score or 0.0) > (known.score or 0.0):
            found[row[:3]] = row
    return list(found.values())


def _offset(fields: list[str], place: int) -> int:
    if not _NUMBER.fullmatch(fields[place]):
        which = "first" if place == 1 else "last"
        message = f"the {which} character is {fields[place]!r}"
        raise _WrongError(place, message, "write a whole number; columns are separated by TABs")
    return int(fields[place])


def _score(text: str, field: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise _WrongError(field, f"the score is {text!r}", "write a number")
    return value


def _corpus(table: Table) -> Corpus:
    mentions: dict[str, list[dict[str, Any]]] = {name: [] for name in table.documents}
    for row in table.rows:
        found = {"span": {"start": row.start, "end": row.end}, "type": row.type, "entity": row.entity}
        more = {"level": row.level, "text": row.text} if table.tac else {}
        mentions[row.document].append({**found, **more})
    documents = tuple(
        Document(id=name, data={"id": name, "mentions": mentions[name]}, line=line)
        for name, line in table.documents.items()
    )
    return Corpus(path=table.place, documents=documents, digest=table.digest)
