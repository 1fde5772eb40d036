"""What the lines of a document of a TBF file say, as the official reader reads them.

Nearly all documents have nothing unusual and are read column by column, with no step of ours for each line; any other
one is read line by line, which says what is wrong with it and where.
"""

from __future__ import annotations

from itertools import repeat
from typing import Any

import msgspec

from adjudge.errors import Problem
from adjudge.formats.tbf_scan import BLANKS, DIGITS, Mode, quote
from adjudge.model.nugget import AFTER, SUBEVENT, Nugget, Piece, Relation

COLUMNS = 7
DIRECTED = (AFTER, SUBEVENT)
KEPT = 1000  # problems of a document
_SPLIT = 1000  # columns that are told apart; a line of nothing but TABs must not fill the memory


def parse_pieces(span: str) -> tuple[Piece, ...] | None:
    """Pieces of the text from `begin,end;begin,end`; further numbers of a piece are not read. None if it is malformed.

    >>> parse_pieces("4,8;13,16"), parse_pieces("4"), parse_pieces("4,x")
    (((4, 8), (13, 16)), None, None)
    """
    found = []
    for piece in span.split(";"):
        numbers = piece.split(",")[:2]
        if len(numbers) < 2 or not piece.isascii() or any(len(each) > DIGITS or "_" in each for each in numbers):
            return None
        try:
            found.append((int(numbers[0]), int(numbers[1])))
        except ValueError:
            return None
    return tuple(found)


def parse_lines(
    text: str, number: int, mode: Mode, place: str, problems: list[Problem]
) -> tuple[list[Nugget], list[Relation]]:
    """The nuggets and relations of lines of which the first has this number; what cannot be read is a problem.

    >>> parse_lines("s\\td\\tE1\\tt1\\tran", 7, "token", "a.tbf", found := [])
    ([], [])
    >>> print(found[0])
    a.tbf:7:1: a mention line with 5 columns, at least 7 are needed: ... realis, separate them by TABs
    """
    try:
        return _read_columns(text, number, mode)
    except ValueError:
        pass  # line by line
    rows: list[tuple[Any, ...]] = []
    relations: list[Relation] = []
    keep = rows.append
    char = mode == "char"
    nothing: tuple[Any, ...] = ()
    for line_number, raw in enumerate(text.split("\n"), number):
        line = raw.strip(BLANKS)
        columns = line.split("\t", _SPLIT)
        count = len(columns)
        if count < COLUMNS or line[0] in "#@":
            _read_other(raw, line, count, line_number, place, relations, problems)
            continue
        if count == COLUMNS:
            system, _, id, span, mention, type_, realis = columns
            more = nothing
        else:
            system, _, id, span, mention, type_, realis, *rest = columns
            more = tuple(rest)
        if not char:
            tokens = tuple(span.split(",")) if "," in span else (span,)
            keep((id, type_, realis, mention, tokens, nothing, more, system, line_number))
            continue
        begin, _, end = span.partition(",")
        if begin.isdecimal() and end.isdecimal() and len(span) <= DIGITS and span.isascii():  # nearly always
            keep((id, type_, realis, mention, nothing, ((int(begin), int(end)),), more, system, line_number))
            continue
        pieces = parse_pieces(span)
        if pieces is None:
            message = f"{quote(span)} is no place in a text"
            _add(problems, Problem(message, place, line_number, field_place(raw, 3), _PIECES))
        else:
            keep((id, type_, realis, mention, nothing, pieces, more, system, line_number))
    return list(map(_new, repeat(Nugget), rows)), relations


def _read_columns(text: str, number: int, mode: Mode) -> tuple[list[Nugget], list[Relation]]:
    """The same of a document as nearly all are, column by column; a ValueError if it is another one.

    It has a header, mentions of seven columns, and then relations of three, with no blanks around them.
    """
    header, _, body = text.partition("\n")
    end = 0 if body[:1] == "@" else body.find("\n@") + 1 or len(body)
    mentions, relations = body[:end].removesuffix("\n"), body[end:].removesuffix("\n")
    if header[:1] != "#" or "\r" in text:
        raise ValueError("no header, or another line end")
    links = _links(relations, number + 1 + body.count("\n", 0, end)) if relations else []
    if not mentions:
        return [], links
    lines = mentions.split("\n")
    if {*map(str.count, lines, repeat("\t"))} != {COLUMNS - 1}:
        raise ValueError("more or fewer columns")
    fields = mentions.replace("\n", "\t").split("\t")
    systems, realis = fields[::COLUMNS], fields[6::COLUMNS]
    for each in {*systems}:
        if each[:1] in _OTHERS or each.strip(BLANKS) != each:
            raise ValueError("no mention, or blanks around it")
    if not all({*realis}) or any(each.strip(BLANKS) != each for each in {*realis}):
        raise ValueError("blanks around a line")
    spans = fields[3::COLUMNS]
    nothing = repeat(())
    places = (nothing, _pairs(spans)) if mode == "char" else ([tuple(each.split(",")) for each in spans], nothing)
    found = zip(
        *(fields[2::COLUMNS], fields[5::COLUMNS], realis, fields[4::COLUMNS], *places, nothing, systems),
        range(number + 1, number + 1 + len(lines)),
        strict=False,
    )
    return list(map(_new, repeat(Nugget), found)), links


def _pairs(spans: list[str]) -> list[tuple[Piece]]:
    """The pieces of places that are one pair of numbers each; the fastest reader of numbers is that of JSON."""
    digits = "".join(spans).replace(",", "")
    if not (digits.isdecimal() and digits.isascii()) or max(map(len, spans)) > DIGITS:
        raise ValueError("several pieces, or no numbers")
    return _PLACES.decode(f"[[[{']],[['.join(spans)}]]]")


_PLACES = msgspec.json.Decoder(list[tuple[Piece]])


def _links(relations: str, number: int) -> list[Relation]:
    """The relations of lines of which the first has this number."""
    lines = relations.split("\n")
    if {*map(str.count, lines, repeat("\t"))} != {2}:
        raise ValueError("more or fewer columns")
    fields = relations.replace("\n", "\t").split("\t")
    names = fields[::3]
    for each in {*names}:
        if each[:1] != "@" or each[1:] in DIRECTED or each[1:].strip(BLANKS) != each[1:] or len(each) < 2:
            raise ValueError("no relation, or one that is looked at more closely")
    arguments = fields[2::3]
    if not all(arguments) or list(map(str.strip, arguments, repeat(BLANKS))) != arguments:
        raise ValueError("blanks around a line")
    members = map(tuple, map(str.split, arguments, repeat(",")))
    rows = zip([each[1:] for each in names], fields[1::3], members, range(number, number + len(lines)), strict=True)
    return list(map(_new, repeat(Relation), rows))


_new = tuple.__new__
_OTHERS = ("", "#", "@")
_PIECES = "write begin,end in characters, with ; between pieces: 4,8;13,16"
_RELATION = "write three columns separated by TABs: @Coreference, an id, and mention ids with commas between them"


def field_place(line: str, index: int) -> int:
    """The column (from 1, in characters) at which a field of a line begins.

    >>> field_place("ab\\tc\\td", 1)
    4
    """
    at = len(line) - len(line.lstrip(BLANKS))
    for _ in range(index):
        at = line.find("\t", at) + 1
        if not at:
            return len(line) + 1
    return at + 1


def _read_other(
    raw: str, line: str, count: int, number: int, place: str, relations: list[Relation], problems: list[Problem]
) -> None:
    """A line that is no mention, or one that lacks columns."""
    if not line or line[0] == "#":
        return
    if line[0] != "@":
        _add(problems, short_line(raw, line, count, place, number))
        return
    parts = line[1:].strip(BLANKS).split("\t", 3)
    if len(parts) != 3:
        count = line.count("\t") + 1 if len(parts) > 3 else len(parts)
        message = f"a relation line with {count} column{'s' * (count != 1)} instead of 3"
    else:
        name, id, arguments = parts
        members = tuple(arguments.split(","))
        if name not in DIRECTED or len(members) == 2:
            relations.append(Relation(name, id, members, number))
            return
        message = f"{name} relates two mentions, not {len(members)}"
    _add(problems, Problem(message, place, number, 1 + raw.index("@"), _RELATION))


def _add(problems: list[Problem], problem: Problem) -> None:
    """Keep a problem; a file of the wrong kind has one in each of its lines."""
    if len(problems) < KEPT:
        problems.append(problem)
    elif len(problems) == KEPT:
        problems.append(Problem("and more problems in the rest of the document", problem.path, problem.line))


def short_line(raw: str, line: str, count: int, place: str, number: int) -> Problem:
    """A mention line that lacks columns."""
    message = (
        f"a mention line with {count} column{'s' * (count != 1)}, at least {COLUMNS} are needed: "
        "system id, document id, mention id, place, text, type, realis"
    )
    hint = "separate them by TABs"
    if count == 1:
        message = f"a line that is no mention: {quote(line)} has one column instead of {COLUMNS}"
        if "  " in line:
            hint = "separate the columns by TABs, not by blanks"
    elif raw[:1] == "\t":
        hint = "write the system id first"
    return Problem(message, place, number, 1 + len(raw) - len(raw.lstrip(BLANKS)), hint)
